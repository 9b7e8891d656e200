//! The SSH agent, as far as an approval needs it: which keys it holds, and a signature by one of them. It is reached
//! over a unix socket only, and nothing that it says is trusted: messages are bounded, and who asks checks the
//! signature.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::put;
use crate::openssh::Key;

/// OpenSSH's agent takes and makes no longer messages.
const MAX_MESSAGE: usize = 256 * 1024;
const MAX_KEYS: usize = 2048;

const REQUEST_IDENTITIES: u8 = 11;
const IDENTITIES_ANSWER: u8 = 12;
const SIGN_REQUEST: u8 = 13;
const SIGN_RESPONSE: u8 = 14;

/// Asks an RSA key for a signature with SHA-512.
const RSA_SHA2_512: u32 = 4;

/// Why the agent did not help.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// No socket was named.
    #[error(
        "no SSH agent is known (SSH_AUTH_SOCK is not set); start one and add the key with ssh-add"
    )]
    NoSocket,
    /// The socket could not be used.
    #[error("the SSH agent at {} cannot be reached", path.display())]
    Connect {
        /// The socket.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The conversation broke off.
    #[error("the SSH agent did not answer")]
    Io(#[from] io::Error),
    /// The agent said no: the key is locked, or its owner refused.
    #[error("the SSH agent refused to {what}")]
    Refused {
        /// What was asked of it.
        what: &'static str,
    },
    /// An answer that breaks the protocol.
    #[error("the SSH agent gave an answer that cannot be read")]
    Answer,
}

/// The keys that the agent holds and that may approve, with their comments.
pub fn keys(socket: Option<&Path>) -> Result<Vec<(Key, String)>, AgentError> {
    list(&mut connect(socket)?)
}

/// What the key in the agent answers to the bytes, as it came.
pub(crate) fn sign(socket: Option<&Path>, key: &Key, bytes: &[u8]) -> Result<Vec<u8>, AgentError> {
    ask_to_sign(&mut connect(socket)?, key, bytes)
}

#[cfg(unix)]
fn connect(socket: Option<&Path>) -> Result<std::os::unix::net::UnixStream, AgentError> {
    // A key may wait for a touch or for a question to be answered.
    const PATIENCE: std::time::Duration = std::time::Duration::from_secs(120);
    let path = socket.filter(|it| !it.as_os_str().is_empty()).ok_or(AgentError::NoSocket)?;
    let stream = std::os::unix::net::UnixStream::connect(path)
        .map_err(|source| AgentError::Connect { path: path.to_owned(), source })?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

#[cfg(not(unix))]
fn connect(_: Option<&Path>) -> Result<io::Cursor<Vec<u8>>, AgentError> {
    Err(AgentError::NoSocket)
}

fn list(stream: &mut (impl Read + Write)) -> Result<Vec<(Key, String)>, AgentError> {
    let answer = exchange(stream, &[REQUEST_IDENTITIES])?;
    let [IDENTITIES_ANSWER, rest @ ..] = answer.as_slice() else {
        return Err(AgentError::Refused { what: "list its keys" });
    };
    let (n_keys, mut rest) = number(rest)?;
    if n_keys > MAX_KEYS {
        return Err(AgentError::Answer);
    }
    let mut keys = Vec::new();
    for _ in 0..n_keys {
        let (blob, after_blob) = string(rest)?;
        let (comment, after_comment) = string(after_blob)?;
        rest = after_comment;
        // Keys of other kinds are not the agent's fault.
        if let Ok(key) = Key::from_blob(blob) {
            keys.push((key, String::from_utf8_lossy(comment).into_owned()));
        }
    }
    Ok(keys)
}

fn ask_to_sign(
    stream: &mut (impl Read + Write),
    key: &Key,
    bytes: &[u8],
) -> Result<Vec<u8>, AgentError> {
    let mut request = vec![SIGN_REQUEST];
    put(&mut request, &key.blob());
    put(&mut request, bytes);
    request.extend((if key.is_rsa() { RSA_SHA2_512 } else { 0 }).to_be_bytes());
    let answer = exchange(stream, &request)?;
    let [SIGN_RESPONSE, rest @ ..] = answer.as_slice() else {
        return Err(AgentError::Refused { what: "sign" });
    };
    let (signature, rest) = string(rest)?;
    if rest.is_empty() { Ok(signature.to_vec()) } else { Err(AgentError::Answer) }
}

fn exchange(stream: &mut (impl Read + Write), request: &[u8]) -> Result<Vec<u8>, AgentError> {
    let mut message = Vec::with_capacity(request.len() + 4);
    put(&mut message, request);
    stream.write_all(&message)?;
    stream.flush()?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length == 0 || length > MAX_MESSAGE {
        return Err(AgentError::Answer);
    }
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

fn number(bytes: &[u8]) -> Result<(usize, &[u8]), AgentError> {
    let (head, rest) = bytes.split_first_chunk::<4>().ok_or(AgentError::Answer)?;
    Ok((u32::from_be_bytes(*head) as usize, rest))
}

fn string(bytes: &[u8]) -> Result<(&[u8], &[u8]), AgentError> {
    let (length, rest) = number(bytes)?;
    rest.split_at_checked(length).ok_or(AgentError::Answer)
}

#[cfg(test)]
#[cfg(feature = "ssh")]
mod tests;
