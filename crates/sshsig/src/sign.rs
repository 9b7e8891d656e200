//! Signing, with a key that somebody named: a private key file, a key in the SSH agent, or git's `user.signingkey`.
//! A key is never chosen: where none is named, nothing is signed.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::agent::{self, AgentError};
use crate::error::KeyError;
use crate::openssh::{self, Key};

/// A key that somebody named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SigningKey {
    /// A file: a private key, or a public one whose private half is in the agent.
    File(PathBuf),
    /// A key in the agent.
    Agent(Key),
}

/// A signature and the key that made it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signed {
    /// The key.
    pub key: Key,
    /// The signature, armored.
    pub armored: String,
}

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// Nobody named a key.
    #[error(
        "no key is named, and none is chosen for you: give a private key file (--key ~/.ssh/id_ed25519), or the public \
         key file of a key in the SSH agent (--key ~/.ssh/id_ed25519.pub), or tell git which key is yours \
         (git config gpg.format ssh, git config user.signingkey ~/.ssh/id_ed25519.pub)"
    )]
    NoKey,
    /// The key file could not be read.
    #[error("the key file {} cannot be read", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is neither a private nor a public key.
    #[error("{} is not a key in OpenSSH format; ssh-keygen -p -f FILE converts older ones", path.display())]
    NotAKey {
        /// The file.
        path: PathBuf,
    },
    /// A key of a kind that is not supported.
    #[error("{} cannot approve", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// Why.
        source: KeyError,
    },
    /// A key on a security key, which only the agent can talk to.
    #[error("{} stands for a security key; add it to the SSH agent (ssh-add) and name its .pub file", path.display())]
    SecurityKey {
        /// The file.
        path: PathBuf,
    },
    /// The key is encrypted and nobody gave a passphrase.
    #[error("{} is encrypted and no passphrase was given", path.display())]
    NoPassphrase {
        /// The file.
        path: PathBuf,
    },
    /// The key is encrypted with another passphrase.
    #[error("the passphrase does not open {}", path.display())]
    Passphrase {
        /// The file.
        path: PathBuf,
    },
    /// The agent did not help.
    #[error("the key {fingerprint} was not used")]
    Agent {
        /// The key that was asked for.
        fingerprint: String,
        /// Why not.
        source: AgentError,
    },
    /// The agent does not hold the key.
    #[error("the SSH agent does not hold the key {fingerprint}; add it with ssh-add")]
    NotInAgent {
        /// The key that was asked for.
        fingerprint: String,
    },
    /// What came out is not a signature of the bytes.
    #[error("{fingerprint} did not make a valid signature")]
    Useless {
        /// The key.
        fingerprint: String,
    },
    /// Git's `user.signingkey` names no key.
    #[error("git's user.signingkey {value:?} names no SSH key: {why}")]
    GitKey {
        /// The value.
        value: String,
        /// What is wrong with it.
        why: String,
    },
}

/// No key file is longer; what else may be named by mistake is not read into memory.
const MAX_KEY_FILE: u64 = 64 * 1024;

/// Signs the bytes for the namespace. `socket` is where the agent listens; `passphrase` is asked at most once, and only for an encrypted
/// key file. What comes back has been checked to be a signature of the bytes.
pub fn sign(
    key: &SigningKey,
    namespace: &str,
    bytes: &[u8],
    socket: Option<&Path>,
    passphrase: &mut dyn FnMut() -> Option<String>,
) -> Result<Signed, SignError> {
    let signed = match key {
        SigningKey::Agent(key) => sign_with_agent(key, namespace, bytes, socket)?,
        SigningKey::File(path) => {
            let text = read_key_file(path)?;
            if text.contains("-----BEGIN") {
                openssh::sign_with_file(path, &text, namespace, bytes, passphrase)?
            } else {
                let key = public_key(path, &text)?;
                sign_with_agent(&key, namespace, bytes, socket)?
            }
        }
    };
    match openssh::verify(&signed.armored, namespace, bytes) {
        Ok(key) if key == signed.key => Ok(signed),
        _ => Err(SignError::Useless { fingerprint: signed.key.fingerprint() }),
    }
}

/// The public half of a named key, as far as it can be known without a passphrase.
pub fn public_half(key: &SigningKey) -> Result<Key, SignError> {
    let path = match key {
        SigningKey::Agent(key) => return Ok(key.clone()),
        SigningKey::File(path) => path,
    };
    let text = read_key_file(path)?;
    if !text.contains("-----BEGIN") {
        return public_key(path, &text);
    }
    openssh::public_half(path, &text)
}

fn read_key_file(path: &Path) -> Result<String, SignError> {
    let failed = |source| SignError::File { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut text = Vec::new();
    file.take(MAX_KEY_FILE).read_to_end(&mut text).map_err(failed)?;
    String::from_utf8(text).map_err(|_| SignError::NotAKey { path: path.to_owned() })
}

fn public_key(path: &Path, text: &str) -> Result<Key, SignError> {
    match Key::parse(text) {
        Ok(key) => Ok(key),
        Err(KeyError::Form) => Err(SignError::NotAKey { path: path.to_owned() }),
        Err(source) => Err(SignError::Unsupported { path: path.to_owned(), source }),
    }
}

fn sign_with_agent(
    key: &Key,
    namespace: &str,
    bytes: &[u8],
    socket: Option<&Path>,
) -> Result<Signed, SignError> {
    let fingerprint = key.fingerprint();
    let failed = |source| SignError::Agent { fingerprint: key.fingerprint(), source };
    let held = agent::keys(socket).map_err(failed)?;
    if !held.iter().any(|(it, _)| it == key) {
        return Err(SignError::NotInAgent { fingerprint });
    }
    let answer =
        agent::sign(socket, key, &openssh::to_be_signed(key, namespace, bytes)).map_err(failed)?;
    Ok(Signed { key: key.clone(), armored: openssh::armor(key, namespace, &answer) })
}

/// The key that a value of git's `user.signingkey` names: `key::KIND BASE64`, `ssh-… BASE64`, or a path, where `~/` is
/// the home directory.
pub fn named_by_git(value: &str, home: Option<&Path>) -> Result<SigningKey, SignError> {
    let refused = |why: String| SignError::GitKey { value: value.chars().take(200).collect(), why };
    let literal = value.strip_prefix("key::").or_else(|| {
        ["ssh-", "ecdsa-sha2-", "sk-"].iter().any(|it| value.starts_with(it)).then_some(value)
    });
    if let Some(literal) = literal.filter(|it| value.starts_with("key::") || it.contains(' ')) {
        return Key::parse(literal).map(SigningKey::Agent).map_err(|it| refused(it.to_string()));
    }
    if value.trim().is_empty() {
        return Err(refused("it is empty".to_owned()));
    }
    match (value.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => Ok(SigningKey::File(home.join(rest))),
        (Some(_), None) => Err(refused("there is no home directory".to_owned())),
        (None, _) if value.starts_with('~') => {
            Err(refused("write the home directory of another user in full".to_owned()))
        }
        (None, _) => Ok(SigningKey::File(PathBuf::from(value))),
    }
}
