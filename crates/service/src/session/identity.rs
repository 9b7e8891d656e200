//! Which repository this is: a random number in `.regreen/repository.json`, which is committed, so that all clones share it
//! and nothing that was approved in one repository counts in another.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::failure::Failure;
use crate::session::Session;

/// The identity of the repository; `None` if nobody has proposed anything in it.
pub(crate) fn read(session: &Session) -> Result<Option<String>, Failure> {
    let bytes = session.workspace.read_repository_file().map_err(workspace::CommitError::from)?;
    let Some(bytes) = bytes else { return Ok(None) };
    let value: Option<Value> = serde_json::from_slice(&bytes).ok();
    let id = value.as_ref().and_then(|it| {
        let is_known = it.get("regreen_repository") == Some(&json!(1));
        it.get("id").and_then(Value::as_str).filter(|_| is_known)
    });
    let is_id =
        |it: &&str| it.len() == 32 && it.bytes().all(|it| b"0123456789abcdef".contains(&it));
    let is_conflict = bytes.split(|it| *it == b'\n').any(|it| it.starts_with(b"<<<<<<<"));
    match id.filter(is_id) {
        Some(id) => Ok(Some(id.to_owned())),
        None if is_conflict => Err(Failure::Unusable {
            path: workspace::repository_path().to_string(),
            reason: "two people made the first proposal of this repository at the same time, and git left both identities; \
                     keep one of them, commit, and propose anew what was proposed under the other"
                .to_owned(),
        }),
        None => Err(Failure::Unusable {
            path: workspace::repository_path().to_string(),
            reason: "expected {\"regreen_repository\": 1, \"id\": 32 hexadecimal digits}; restore the file as it was \
                     committed"
                .to_owned(),
        }),
    }
}

/// The identity of the repository, which is made if there is none.
pub(crate) fn read_or_create(session: &Session) -> Result<String, Failure> {
    if let Some(id) = read(session)? {
        return Ok(id);
    }
    let id = workspace::random_id().map_err(|error| Failure::Unusable {
        path: workspace::repository_path().to_string(),
        reason: error.to_string(),
    })?;
    let text = format!("{:#}\n", json!({ "regreen_repository": 1, "id": id }));
    session.workspace.create_repository_file(text.as_bytes())?;
    // Whoever was faster made the one that counts.
    Ok(read(session)?.unwrap_or(id))
}

/// Where the repository comes from, as a hash: the URL may hold a password, and the path is nobody's business.
pub(crate) fn origin(session: &Session) -> String {
    let root = canonical_root(session);
    let url = govern::approval::git_origin(&root).ok().flatten();
    match url {
        Some(url) => format!("blake3:{}", blake3::hash(format!("url:{url}").as_bytes())),
        None => own_place(&root),
    }
}

fn canonical_root(session: &Session) -> PathBuf {
    let root = session.root().map(|it| it.canonicalize().unwrap_or_else(|_| it.to_owned()));
    root.unwrap_or_default()
}

/// The origin of a repository that has none but its own folder.
fn own_place(root: &Path) -> String {
    let place = [b"path:", root.as_os_str().as_encoded_bytes()].concat();
    format!("blake3:{}", blake3::hash(&place))
}

/// Whether the user knows the identity from a repository with another origin; `None` if not.
pub(crate) fn stranger(session: &Session) -> Option<(String, String)> {
    let id = read(session).ok().flatten()?;
    let known = session.workspace.known_origin(&id).ok().flatten()?;
    let origin = origin(session);
    // Who gave it a remote since then is still in the same folder.
    let is_here = known == own_place(&canonical_root(session));
    (known != origin && !is_here).then_some((id, origin))
}

/// Remembers where the user met that identity first.
pub(crate) fn remember(session: &Session, id: &str) -> Result<(), Failure> {
    Ok(session.workspace.remember_origin(id, &origin(session))?)
}
