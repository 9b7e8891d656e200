//! Signatures over bytes in the form that `ssh-keygen -Y sign` writes (PROTOCOL.sshsig): a key, a namespace and a hash
//! in one armored text. That a signature holds says nothing about whether its key may approve; that is asked of
//! [`crate::AllowedSigners`].

use base64ct::{Base64, Encoding as _};
use ssh_key::{HashAlg, SshSig};

use super::key::Key;
use crate::error::{SignatureError, put};

/// No signature of a supported key is longer.
const MAX_ARMOR: usize = 16 * 1024;

/// Signatures from security keys end in flags and a counter of four bytes.
const TRAILER: usize = 5;

/// On a security key, the flag that says that somebody touched it.
const USER_PRESENT: u8 = 1;

/// The key that made the signature of these bytes for the namespace, if it did.
pub fn verify(armored: &str, namespace: &str, bytes: &[u8]) -> Result<Key, SignatureError> {
    let (signature, key) = parse(armored)?;
    if signature.namespace() != namespace {
        let (found, expected) = (signature.namespace().to_owned(), namespace.to_owned());
        return Err(SignatureError::Namespace { found, expected });
    }
    let fingerprint = key.fingerprint();
    if key.to_public_key().verify(namespace, bytes, &signature).is_err() {
        return Err(SignatureError::Bytes { fingerprint });
    }
    if key.is_on_security_key() {
        let flags = signature.signature_bytes().iter().rev().nth(TRAILER - 1).copied().unwrap_or(0);
        if flags & USER_PRESENT == 0 {
            return Err(SignatureError::NotTouched { fingerprint });
        }
    }
    Ok(key)
}

/// The key that a signature names, whatever it signed.
pub fn key_in(armored: &str) -> Result<Key, SignatureError> {
    Ok(parse(armored)?.1)
}

/// Takes a signature in its one exact form. The library also reads some with wrong lengths or another version in front
/// of what is signed, which OpenSSH refuses.
fn parse(armored: &str) -> Result<(SshSig, Key), SignatureError> {
    if armored.len() > MAX_ARMOR {
        return Err(SignatureError::Form);
    }
    let signature = SshSig::from_pem(armored).map_err(|_| SignatureError::Form)?;
    let key = Key::new(signature.public_key().clone())?;
    let mut answer = Vec::new();
    put(&mut answer, signature.algorithm().as_str().as_bytes());
    let (raw, trailer) = match signature.signature_bytes() {
        bytes if key.is_on_security_key() => bytes
            .split_at_checked(bytes.len().saturating_sub(TRAILER))
            .ok_or(SignatureError::Form)?,
        bytes => (bytes, &[][..]),
    };
    put(&mut answer, raw);
    answer.extend(trailer);
    let parts = Parts {
        namespace: signature.namespace(),
        reserved: signature.reserved(),
        hash: signature.hash_alg().as_str(),
        answer: &answer,
    };
    let body: String =
        armored.lines().filter(|it| !it.starts_with('-')).map(str::trim_end).collect();
    if body == Base64::encode_string(&blob(&key, &parts)) {
        Ok((signature, key))
    } else {
        Err(SignatureError::Form)
    }
}

struct Parts<'a> {
    namespace: &'a str,
    reserved: &'a [u8],
    hash: &'a str,
    answer: &'a [u8],
}

fn blob(key: &Key, parts: &Parts<'_>) -> Vec<u8> {
    let mut blob = b"SSHSIG".to_vec();
    blob.extend(1_u32.to_be_bytes());
    put(&mut blob, &key.blob());
    put(&mut blob, parts.namespace.as_bytes());
    put(&mut blob, parts.reserved);
    put(&mut blob, parts.hash.as_bytes());
    put(&mut blob, parts.answer);
    blob
}

/// What a key signs in place of the bytes themselves; it is the same for every key.
pub(crate) fn to_be_signed(_: &Key, namespace: &str, bytes: &[u8]) -> Vec<u8> {
    let mut out = b"SSHSIG".to_vec();
    put(&mut out, namespace.as_bytes());
    put(&mut out, b"");
    put(&mut out, b"sha512");
    put(&mut out, &HashAlg::Sha512.digest(bytes));
    out
}

/// The armored signature of what a signer answered to [`to_be_signed`]. The answer is taken as it is: the encoder of
/// the library loses the last bytes of ECDSA signatures from security keys.
pub(crate) fn armor(key: &Key, namespace: &str, answer: &[u8]) -> String {
    let parts = Parts { namespace, reserved: &[], hash: "sha512", answer };
    let base64 = Base64::encode_string(&blob(key, &parts));
    let mut armored = "-----BEGIN SSH SIGNATURE-----\n".to_owned();
    for line in base64.as_bytes().chunks(70) {
        armored.extend(line.iter().map(|it| char::from(*it)));
        armored.push('\n');
    }
    armored + "-----END SSH SIGNATURE-----\n"
}
