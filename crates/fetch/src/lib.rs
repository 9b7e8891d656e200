//! Documents from elsewhere: from a folder that somebody named, or over https. Everything has a bound: the bytes of a
//! document, the number of redirects, the time for one and for all. Nothing is sent but the request itself, nothing is
//! remembered between two runs, and an address that is not https is refused, but for this machine itself.
//!
//! ```
//! use fetch::{Address, join};
//!
//! // A redirect is followed only to an address that would have been fetched in the first place.
//! assert_eq!(Address::of("https://example.org/catalog.json"), Some(Address::Https));
//! assert_eq!(Address::of("http://example.org/catalog.json"), None);
//! assert_eq!(join("https://example.org/a/b.json", "c.json"), "https://example.org/a/c.json");
//! ```
//!
//! Knows nothing about schemas, catalogues or workspaces.

mod address;
mod folder;
#[cfg_attr(not(feature = "https"), path = "no_https.rs")]
mod https;

use std::time::Duration;

pub use address::{Address, join};
pub use folder::Folder;
pub use https::Fetcher;

/// Whether documents can be fetched: the feature `https`.
pub const HAS_HTTPS: bool = cfg!(feature = "https");

/// How much is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most bytes of one document.
    pub max_bytes: u64,
    /// How long one document may take.
    pub one: Duration,
    /// How long all documents together may take.
    pub all: Duration,
}

/// Why a document was not fetched.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// It is not https, or no address at all.
    #[error("only https addresses are fetched")]
    Address,
    /// It is not there.
    #[error("it does not exist")]
    NotFound,
    /// The server answered with something else than the document.
    #[error("the server answered with status {status}")]
    Status {
        /// The status.
        status: u16,
    },
    /// It leads away again and again, or to an address that is not fetched.
    #[error("it redirects to {to}, which is not followed")]
    Redirect {
        /// The last address.
        to: String,
    },
    /// It has too many bytes.
    #[error("it has more than {max_bytes} bytes")]
    TooLarge {
        /// How many are taken.
        max_bytes: u64,
    },
    /// It took too long.
    #[error("it took too long")]
    TimedOut,
    /// It leads out of the folder.
    #[error("it leads out of the folder")]
    Outside,
    /// Something else went wrong on the way.
    #[error("{message}")]
    Failed {
        /// What.
        message: String,
    },
    /// regreen was built without it.
    #[error("this regreen was built without the feature `https`; name a folder instead")]
    LeftOut,
}
