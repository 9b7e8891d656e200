//! Setting up an allowed-signers file: the text with one more person in it.

use crate::allowed::AllowedSigners;
use crate::openssh::Key;

/// A name that a line of an allowed-signers file cannot have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{principal:?} cannot be used in an allowed-signers file: a name must not have blanks, quotes, commas, wildcards or control \
     characters, and must not start with # or !"
)]
pub struct BadPrincipal {
    /// The refused name.
    pub principal: String,
}

/// The line that allows the key to sign for the namespace under the name, without a line end.
pub fn allowed_line(namespace: &str, principal: &str, key: &Key) -> Result<String, BadPrincipal> {
    let is_good = !principal.is_empty()
        && principal.len() <= 320
        && !principal.starts_with(['#', '!'])
        && !principal
            .contains(|it: char| it.is_whitespace() || it.is_control() || "\"',*?\\".contains(it));
    if !is_good {
        return Err(BadPrincipal { principal: principal.chars().take(320).collect() });
    }
    Ok(format!("{principal} namespaces=\"{namespace}\" {key}"))
}

/// The text of the file with the key allowed to sign for the namespace under the name: as it was, if a line without an end in time
/// says so already, else with one more line.
pub fn with_signer(
    text: &str,
    namespace: &str,
    principal: &str,
    key: &Key,
) -> Result<String, BadPrincipal> {
    let line = allowed_line(namespace, principal, key)?;
    let allowed = AllowedSigners::read(text);
    let is_there = allowed.of(key).into_iter().any(|it| {
        it.is_for_namespace(namespace)
            && it.is_for(principal)
            && it.valid_before.is_none()
            && it.valid_after.is_none()
    });
    if is_there {
        return Ok(text.to_owned());
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{text}{gap}{line}\n"))
}
