//! Why a key or a signature is refused, whether or not the program can read them, and how SSH writes a string.

/// Why a text or a blob is not a key that can sign.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The program was built without the feature `ssh`.
    #[error("this regreen was built without SSH signatures; install it with the feature `ssh`")]
    Absent,
    /// It does not have the form of a key.
    #[error("this is not a public key in OpenSSH format, `KIND BASE64` (ssh-ed25519 AAAA…)")]
    Form,
    /// A kind of key that is not supported.
    #[error(
        "keys of the kind {kind} are not supported; use ssh-ed25519, ecdsa-sha2-nistp256, -nistp384, -nistp521, \
         ssh-rsa, sk-ssh-ed25519@openssh.com or sk-ecdsa-sha2-nistp256@openssh.com"
    )]
    Kind {
        /// Its kind.
        kind: String,
    },
    /// An RSA key that is too short to trust, or longer than the verifier takes.
    #[error("an RSA key of {bits} bits is not supported, it must have 2048 to 4096")]
    RsaBits {
        /// The bits of its modulus.
        bits: usize,
    },
}

/// Why a text is not a signature of these bytes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureError {
    /// It does not have the form.
    #[error("this is not an SSH signature (-----BEGIN SSH SIGNATURE-----)")]
    Form,
    /// The key that made it is of a kind that is not supported.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// It was made for something else.
    #[error("the signature was made for {found:?}, not for {expected:?}")]
    Namespace {
        /// The namespace in the signature.
        found: String,
        /// The namespace that was asked for.
        expected: String,
    },
    /// The key did not sign these bytes, or what signed them is another key.
    #[error("the signature by {fingerprint} is not one of these bytes")]
    Bytes {
        /// The key in the signature.
        fingerprint: String,
    },
    /// A security key signed without being touched.
    #[error("nobody touched the security key {fingerprint} when it signed")]
    NotTouched {
        /// The key.
        fingerprint: String,
    },
}

/// Appends a string of the SSH wire format.
pub(crate) fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).expect("no caller has 4 GiB");
    out.extend(length.to_be_bytes());
    out.extend(bytes);
}
