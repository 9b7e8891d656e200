//! `fix --staged`: the index of git is fixed, and with it the files on disk where the same change fits.
//!
//! A file that is staged in part is two texts: the staged one and the one on disk. The staged one is what is checked and
//! fixed. The one on disk gets the same change if git can merge it; else it stays as it is, and that is said.

use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result};
use protocol::v1::{PatchInput, PatchKind, RunPatch};
use serde_json::json;
use service::Session;

use super::Ctx;
use crate::git::{Repository, Staged};
use crate::words::printable;

/// What becomes of a file on disk.
enum OnDisk {
    Same,
    Write { old: Vec<u8>, new: Vec<u8> },
    Leave(&'static str),
}

/// Stages the new contents, then writes the files on disk as one transaction. Says what was not written.
pub(super) fn write_back(
    ctx: &Ctx<'_>,
    session: &Session,
    repository: &Repository,
    staged: &Staged,
    outputs: &BTreeMap<String, Vec<u8>>,
) -> Result<String> {
    let root = ctx.root()?;
    let mut told = String::new();
    let mut writes = BTreeMap::new();
    for (file, new) in outputs {
        let Some(old) = staged.contents.get(file) else { continue };
        match on_disk(repository, std::fs::read(root.join(file)), old, new)? {
            OnDisk::Same => {}
            OnDisk::Write { old, new } => {
                writes.insert(file.as_str(), (old, new));
            }
            OnDisk::Leave(why) => {
                let file = printable(file);
                let _ = writeln!(told, "note: {file} is fixed in the index only: {why}");
            }
        }
    }
    repository.stage(outputs, &staged.modes)?;
    if !writes.is_empty() {
        told.push_str(&write(ctx, session, &writes).context(
            "the index is fixed, the files on disk are not; `git checkout-index` or an editor brings them up to date",
        )?);
    }
    Ok(told)
}

fn on_disk(
    repository: &Repository,
    found: std::io::Result<Vec<u8>>,
    old: &[u8],
    new: &[u8],
) -> Result<OnDisk> {
    let Ok(found) = found else { return Ok(OnDisk::Leave("there is no such file on disk")) };
    if found == new {
        return Ok(OnDisk::Same);
    }
    let merged = if found == old {
        new.to_vec()
    } else {
        match repository.merge(&found, old, new)? {
            Some(merged) => merged,
            None => return Ok(OnDisk::Leave("on disk the same lines are different")),
        }
    };
    let is_text = |it: &[u8]| std::str::from_utf8(it).is_ok();
    if merged == found {
        Ok(OnDisk::Same)
    } else if is_text(&found) && is_text(&merged) {
        Ok(OnDisk::Write { old: found, new: merged })
    } else {
        Ok(OnDisk::Leave("on disk it is not UTF-8"))
    }
}

/// The files are written like any patch is, so that a crash leaves no half of them and `undo` takes them back.
fn write(
    ctx: &Ctx<'_>,
    session: &Session,
    writes: &BTreeMap<&str, (Vec<u8>, Vec<u8>)>,
) -> Result<String> {
    let files = writes.iter().map(|(path, (old, new))| {
        json!({
            "path": path,
            "base": format!("blake3:{}", blake3::hash(old).to_hex()),
            "edits": [{"start": 0, "end": old.len(), "text": String::from_utf8_lossy(new)}],
        })
    });
    let document = json!({"regreen_edits": 1, "files": files.collect::<Vec<_>>()});
    let bytes = serde_json::to_vec(&document).context("the edits cannot be written as JSON")?;
    let patch = PatchInput { name: "fix --staged".into(), bytes, kind: Some(PatchKind::Edits) };
    let reply =
        service::apply(session, &RunPatch { patch, show_values: false, with_diffs: false })?;
    match (&reply.report.transaction, reply.report.ok) {
        (Some(id), true) => {
            let undo = ctx.common.command_line(&["undo", id]);
            Ok(format!(
                "note: the files on disk got the same changes; to take those back: {undo}\n"
            ))
        }
        (None, true) => Ok(String::new()),
        (_, false) => {
            let why = reply.report.diagnostics.first().map(|it| printable(&it.message));
            let why = why.unwrap_or_else(|| "they changed meanwhile".to_owned());
            Ok(format!("note: the index is fixed; the files on disk were left alone: {why}\n"))
        }
    }
}
