//! Signatures of bytes by SSH keys, as `ssh-keygen -Y sign` makes and `ssh-keygen -Y verify` takes them (OpenSSH's
//! PROTOCOL.sshsig), and the file that says who may sign (ssh-keygen(1), "ALLOWED SIGNERS").
//!
//! [`sign()`] signs with a key that somebody named: a private key file, or a key that an SSH agent holds. [`verify`]
//! returns the key that made a signature. Whether that key may sign is a question for [`AllowedSigners`].
//! Every signature is made for a namespace, so that one that was made for git never counts as one for something else.
//!
//! ```
//! # #[cfg(feature = "ssh")] {
//! use sshsig::{AllowedSigners, Key, with_signer};
//!
//! let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILVMrfl7JGYWxSY/xgHVPiCGCsVJJORqMHU6Y2WoZvnS";
//! let key = Key::parse(key)?;
//!
//! // A file that allows one person to sign for one purpose.
//! let file = with_signer("", "orders", "ana@example.org", &key)?;
//! let allowed = AllowedSigners::read(&file);
//! assert_eq!(allowed.principal_of(&key, "orders"), Some("ana@example.org"));
//! assert_eq!(allowed.principal_of(&key, "git"), None);
//!
//! // What is not a signature is an error that says so.
//! assert!(sshsig::verify("hello", "orders", b"two boxes").is_err());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Answers are never milder than OpenSSH's: a key of another kind, a short RSA key, a signature in a sloppy encoding and a
//! security key that nobody touched are refused. Without the feature `ssh` no key is read and no signature holds.
//!
//! Knows nothing about records, approvals, repositories or git's processes.
#![warn(missing_docs)]

mod agent;
mod allowed;
mod error;
#[cfg_attr(not(feature = "ssh"), path = "no_openssh.rs")]
mod openssh;
mod pattern;
mod setup;
mod sign;

pub use agent::{AgentError, keys as agent_keys};
pub use allowed::{AllowedLine, AllowedSigners, LineFault};
pub use error::{KeyError, SignatureError};
pub use openssh::{Key, key_in, verify};
pub use setup::{BadPrincipal, allowed_line, with_signer};
pub use sign::{SignError, Signed, SigningKey, named_by_git, public_half, sign};

/// Whether keys and signatures can be read: the feature `ssh`.
pub const HAS_SSH: bool = cfg!(feature = "ssh");
