//! Keys in private key files: which they are, and signatures by them.

use std::path::Path;

use rsa::pkcs1v15;
use rsa::sha2::Sha512;
use rsa::signature::{RandomizedSigner as _, SignatureEncoding as _};
use ssh_key::private::RsaKeypair;
use ssh_key::{Algorithm, HashAlg, LineEnding, PrivateKey, SshSig, rand_core};

use super::key::Key;
use super::{private, signature};
use crate::sign::{SignError, Signed};

/// The public half of the private key in the file's text.
pub(crate) fn public_half(path: &Path, text: &str) -> Result<Key, SignError> {
    let private =
        private::read(text).ok_or_else(|| SignError::NotAKey { path: path.to_owned() })?;
    supported(path, &private)
}

fn supported(path: &Path, private: &PrivateKey) -> Result<Key, SignError> {
    Key::new(private.public_key().key_data().clone())
        .map_err(|source| SignError::Unsupported { path: path.to_owned(), source })
}

/// Signs with the private key in the file's text; the passphrase is asked for only if the key is encrypted.
pub(crate) fn sign_with_file(
    path: &Path,
    text: &str,
    namespace: &str,
    bytes: &[u8],
    passphrase: &mut dyn FnMut() -> Option<String>,
) -> Result<Signed, SignError> {
    let not_a_key = || SignError::NotAKey { path: path.to_owned() };
    let mut private = private::read(text).ok_or_else(not_a_key)?;
    let key = supported(path, &private)?;
    if key.is_on_security_key() {
        return Err(SignError::SecurityKey { path: path.to_owned() });
    }
    if private.is_encrypted() {
        let phrase =
            passphrase().ok_or_else(|| SignError::NoPassphrase { path: path.to_owned() })?;
        private = private::open(&private, &phrase)
            .ok_or_else(|| SignError::Passphrase { path: path.to_owned() })?;
    }
    let made = match private.key_data().rsa() {
        Some(rsa) => sign_with_rsa(rsa, &key, namespace, bytes),
        None => private.sign(namespace, HashAlg::Sha512, bytes).ok(),
    };
    let armored = made.and_then(|it| it.to_pem(LineEnding::LF).ok());
    match armored {
        Some(armored) => Ok(Signed { key, armored }),
        None => Err(SignError::Useless { fingerprint: key.fingerprint() }),
    }
}

/// The library builds RSA keys of one prime taken twice, which never sign; so the key is built here.
fn sign_with_rsa(rsa: &RsaKeypair, public: &Key, namespace: &str, bytes: &[u8]) -> Option<SshSig> {
    let number = |it: &ssh_key::Mpint| rsa::BigUint::try_from(it).ok();
    let key = rsa::RsaPrivateKey::from_components(
        number(&rsa.public.n)?,
        number(&rsa.public.e)?,
        number(&rsa.private.d)?,
        vec![number(&rsa.private.p)?, number(&rsa.private.q)?],
    )
    .ok()?;
    // With randomness the time that it takes says nothing about the key.
    let raw = pkcs1v15::SigningKey::<Sha512>::new(key)
        .try_sign_with_rng(
            &mut rand_core::OsRng,
            &signature::to_be_signed(public, namespace, bytes),
        )
        .ok()?;
    let algorithm = Algorithm::Rsa { hash: Some(HashAlg::Sha512) };
    let raw = ssh_key::Signature::new(algorithm, raw.to_vec()).ok()?;
    SshSig::new(public.to_public_key().key_data().clone(), namespace, HashAlg::Sha512, raw).ok()
}
