//! Signatures of approvals: those of [`sshsig`], for one namespace.

use std::path::Path;

use sshsig::{BadPrincipal, Key, SignError, SignatureError, Signed, SigningKey};

/// What signatures of approvals are made for. A signature that was made for something else (`git`, `file`) never
/// approves anything.
pub const NAMESPACE: &str = "regreen-dds";

/// Signs the bytes of a statement; see [`sshsig::sign`].
pub fn sign(
    key: &SigningKey,
    bytes: &[u8],
    socket: Option<&Path>,
    passphrase: &mut dyn FnMut() -> Option<String>,
) -> Result<Signed, SignError> {
    sshsig::sign(key, NAMESPACE, bytes, socket, passphrase)
}

/// The key that made the signature of these bytes as an approval.
pub fn check_signature(armored: &str, bytes: &[u8]) -> Result<Key, SignatureError> {
    sshsig::verify(armored, NAMESPACE, bytes)
}

/// The text of an allowed-signers file with the key allowed to approve under the name; see [`sshsig::with_signer`].
pub fn with_signer(text: &str, principal: &str, key: &Key) -> Result<String, BadPrincipal> {
    sshsig::with_signer(text, NAMESPACE, principal, key)
}
