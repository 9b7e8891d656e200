//! Keys and signatures of SSH: everything that needs to know what is in one.

mod file;
mod key;
mod private;
mod signature;

pub(crate) use file::{public_half, sign_with_file};
pub use key::Key;
pub(crate) use signature::{armor, to_be_signed};
pub use signature::{key_in, verify};
