//! Keys and signatures of SSH: everything that needs to know what is in one.

mod file;
mod key;
mod private;
mod sshsig;

pub(crate) use file::{public_half, sign_with_file};
pub use key::Key;
pub(crate) use sshsig::{armor, to_be_signed};
pub use sshsig::{check, key_in};
