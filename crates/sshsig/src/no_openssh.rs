//! Keys and signatures of SSH, in a program that was built without the feature `ssh`: no text is a key, and no signature
//! holds. [`Key`] has no values, so whatever needs one to accept something cannot accept anything.

use std::convert::Infallible;
use std::fmt;
use std::path::Path;

use crate::error::{KeyError, SignatureError};
use crate::sign::{SignError, Signed};

/// A public key, of which there is none here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    never: Infallible,
}

impl Key {
    /// Says that no key can be read.
    pub fn parse(_text: &str) -> Result<Key, KeyError> {
        Err(KeyError::Absent)
    }

    pub(crate) fn from_blob(_blob: &[u8]) -> Result<Key, KeyError> {
        Err(KeyError::Absent)
    }

    /// Its name for people: `SHA256:…`, as `ssh-keygen -l` shows it.
    pub fn fingerprint(&self) -> String {
        match self.never {}
    }

    /// The kind of the key, for example `ssh-ed25519`.
    pub fn kind(&self) -> String {
        match self.never {}
    }

    pub(crate) fn is_rsa(&self) -> bool {
        match self.never {}
    }

    pub(crate) fn blob(&self) -> Vec<u8> {
        match self.never {}
    }
}

impl fmt::Display for Key {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.never {}
    }
}

/// Says that no signature can be checked.
pub fn verify(_armored: &str, _namespace: &str, _bytes: &[u8]) -> Result<Key, SignatureError> {
    Err(KeyError::Absent.into())
}

/// Says that no signature can be read.
pub fn key_in(_armored: &str) -> Result<Key, SignatureError> {
    Err(KeyError::Absent.into())
}

pub(crate) fn to_be_signed(key: &Key, _namespace: &str, _bytes: &[u8]) -> Vec<u8> {
    match key.never {}
}

pub(crate) fn armor(key: &Key, _namespace: &str, _answer: &[u8]) -> String {
    match key.never {}
}

pub(crate) fn public_half(path: &Path, _text: &str) -> Result<Key, SignError> {
    Err(SignError::Unsupported { path: path.to_owned(), source: KeyError::Absent })
}

pub(crate) fn sign_with_file(
    path: &Path,
    _text: &str,
    _namespace: &str,
    _bytes: &[u8],
    _passphrase: &mut dyn FnMut() -> Option<String>,
) -> Result<Signed, SignError> {
    Err(SignError::Unsupported { path: path.to_owned(), source: KeyError::Absent })
}
