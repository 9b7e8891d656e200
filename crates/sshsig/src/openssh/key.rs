//! Public keys that are supported: Ed25519, ECDSA on the three NIST curves, RSA of 2048 to 4096 bits, and the two kinds
//! that live on a security key. Every other kind is refused by name, so that nobody wonders why a key has no effect.

use std::fmt;

use ssh_key::public::KeyData;
use ssh_key::{Algorithm, HashAlg, PublicKey};

use crate::error::KeyError;

/// A public key of a supported kind. Two are equal if they are the same key, whatever their comments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    data: KeyData,
    /// Who counts people asks for it again and again.
    fingerprint: String,
}

impl Key {
    /// Reads `KIND BASE64 [COMMENT]`, as it stands in a `.pub` file.
    pub fn parse(text: &str) -> Result<Key, KeyError> {
        let mut words = text.split_ascii_whitespace();
        let (Some(kind), Some(base64)) = (words.next(), words.next()) else {
            return Err(KeyError::Form);
        };
        match PublicKey::from_openssh(&format!("{kind} {base64}")) {
            Ok(key) => Key::new(key.key_data().clone()),
            Err(_) if is_known_but_unsupported(kind) => {
                Err(KeyError::Kind { kind: kind.to_owned() })
            }
            Err(_) => Err(KeyError::Form),
        }
    }

    /// Reads the bytes of a key as agents and signatures carry them.
    pub(crate) fn from_blob(blob: &[u8]) -> Result<Key, KeyError> {
        Key::new(PublicKey::from_bytes(blob).map_err(|_| KeyError::Form)?.key_data().clone())
    }

    pub(super) fn new(data: KeyData) -> Result<Key, KeyError> {
        match &data {
            KeyData::Ed25519(_)
            | KeyData::Ecdsa(_)
            | KeyData::SkEd25519(_)
            | KeyData::SkEcdsaSha2NistP256(_) => {}
            KeyData::Rsa(rsa) => {
                let modulus = rsa.n.as_positive_bytes().unwrap_or_default();
                let first = modulus.first().map_or(0, |it| it.leading_zeros() as usize);
                let bits = (modulus.len() * 8).saturating_sub(first);
                if !(2048..=4096).contains(&bits) {
                    return Err(KeyError::RsaBits { bits });
                }
            }
            other => return Err(KeyError::Kind { kind: other.algorithm().to_string() }),
        }
        let fingerprint = data.fingerprint(HashAlg::Sha256).to_string();
        Ok(Key { data, fingerprint })
    }

    /// Its name for people: `SHA256:…`, as `ssh-keygen -l` shows it.
    pub fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    /// The kind of the key, for example `ssh-ed25519`.
    pub fn kind(&self) -> String {
        self.data.algorithm().to_string()
    }

    /// Whether it lives on a security key.
    pub(super) fn is_on_security_key(&self) -> bool {
        matches!(self.data.algorithm(), Algorithm::SkEd25519 | Algorithm::SkEcdsaSha2NistP256)
    }

    pub(crate) fn is_rsa(&self) -> bool {
        self.data.is_rsa()
    }

    pub(super) fn to_public_key(&self) -> PublicKey {
        PublicKey::from(self.data.clone())
    }

    /// The key as agents and signatures carry it.
    pub(crate) fn blob(&self) -> Vec<u8> {
        self.to_public_key().to_bytes().expect("a key that was decoded can be encoded")
    }
}

/// `KIND BASE64`, without a comment.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_public_key().to_openssh().map_err(|_| fmt::Error)?)
    }
}

/// Certificates and DSA have a form of their own, which is not read at all.
fn is_known_but_unsupported(kind: &str) -> bool {
    kind == "ssh-dss" || kind.ends_with("-cert-v01@openssh.com") || kind.starts_with("webauthn-sk-")
}
