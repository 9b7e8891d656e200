//! Private key files in OpenSSH's form. The library reads them, but for one thing: OpenSSH writes the secret number of
//! an ECDSA key without its leading zeros, which half of all keys on P-521 have, and the library takes it at full length
//! only. Such a key is written anew at full length, in memory, and read again.

use base64ct::{Base64, Encoding as _};
use ssh_key::{Algorithm, EcdsaCurve, PrivateKey};

use crate::error::put;

const MAGIC: &[u8] = b"openssh-key-v1\0";

/// The key in the file's text, still encrypted if it is so there.
pub(super) fn read(text: &str) -> Option<PrivateKey> {
    let text = text.trim();
    PrivateKey::from_openssh(text).ok().or_else(|| at_full_length(text))
}

/// The key behind the passphrase.
pub(super) fn open(key: &PrivateKey, passphrase: &str) -> Option<PrivateKey> {
    if let Ok(open) = key.decrypt(passphrase) {
        return Some(open);
    }
    let Algorithm::Ecdsa { curve } = key.algorithm() else { return None };
    let (secret, iv) = key.kdf().derive_key_and_iv(key.cipher(), passphrase).ok()?;
    let mut section = key.key_data().encrypted()?.to_vec();
    key.cipher().decrypt(&secret, &iv, &mut section, None).ok()?;
    container(&key.public_key().to_bytes().ok()?, &section, curve)
}

fn at_full_length(text: &str) -> Option<PrivateKey> {
    let body = text
        .strip_prefix("-----BEGIN OPENSSH PRIVATE KEY-----")?
        .strip_suffix("-----END OPENSSH PRIVATE KEY-----")?;
    let body: String = body.split_ascii_whitespace().collect();
    let bytes = Base64::decode_vec(&body).ok()?;
    let rest = bytes.strip_prefix(MAGIC)?;
    let (cipher, rest) = string(rest)?;
    let (_kdf, rest) = string(rest)?;
    let (_options, rest) = string(rest)?;
    let rest = rest.strip_prefix(&1_u32.to_be_bytes())?;
    let (public, rest) = string(rest)?;
    let (section, rest) = string(rest)?;
    if cipher != b"none" || !rest.is_empty() {
        return None;
    }
    let (kind, _) = string(public)?;
    let kind = std::str::from_utf8(kind).ok()?;
    let Ok(Algorithm::Ecdsa { curve }) = Algorithm::new(kind) else { return None };
    container(public, section, curve)
}

/// A key file's bytes, unencrypted, with the secret number at full length.
fn container(public: &[u8], section: &[u8], curve: EcdsaCurve) -> Option<PrivateKey> {
    let size = match curve {
        EcdsaCurve::NistP256 => 32,
        EcdsaCurve::NistP384 => 48,
        EcdsaCurve::NistP521 => 66,
    };
    let (checks, rest) = section.split_at_checked(8)?;
    let (kind, rest) = string(rest)?;
    let (curve, rest) = string(rest)?;
    let (point, rest) = string(rest)?;
    let (number, rest) = string(rest)?;
    let (comment, _padding) = string(rest)?;
    let mut whole = vec![0; missing_zeros(size, number.len())?];
    whole.extend(number);
    let mut longer = checks.to_vec();
    for part in [kind, curve, point, &whole, comment] {
        put(&mut longer, part);
    }
    longer.extend((1..).take((8 - longer.len() % 8) % 8));
    let mut bytes = MAGIC.to_vec();
    for part in [b"none".as_slice(), b"none", b""] {
        put(&mut bytes, part);
    }
    bytes.extend(1_u32.to_be_bytes());
    put(&mut bytes, public);
    put(&mut bytes, &longer);
    PrivateKey::from_bytes(&bytes).ok()
}

/// How many zeros are missing; a number that is not too short is not what this is about.
fn missing_zeros(size: usize, length: usize) -> Option<usize> {
    size.checked_sub(length).filter(|it| *it > 0)
}

fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_be_bytes(*length) as usize)
}
