//! `fix --staged`: the index of git is fixed, and with it the files on disk, each on its own bytes.
//!
//! A file that is staged in part is two texts: the staged one and the one on disk. `service` fixes both and writes both in one
//! transaction; here git makes objects of the new contents, and people are told what was left alone.

use std::fmt::Write;

use anyhow::Result;
use protocol::v1::Fix;
use service::{FixReply, Session};

use super::Ctx;
use crate::git::{GitRepository, StagedFiles};
use crate::progress::ProgressLine;
use crate::words::{printable, shell_word};

/// What git calls the index that it makes for `git commit PATH`.
const PARTIAL: &str = "next-index-";

/// Writes the fixed contents to the index and to disk. Says what was not written.
pub(super) fn write_back(
    ctx: &Ctx<'_>,
    session: &Session,
    (repository, staged): (&GitRepository, &StagedFiles),
    (request, is_chosen): (&Fix, bool),
    reply: &mut FixReply,
) -> Result<String> {
    if reply.outputs.is_empty() {
        return Ok(String::new());
    }
    let objects = repository.store(&reply.outputs)?;
    let entry = |(file, object): (&String, &String)| {
        let mode = staged.modes.get(file)?;
        Some((file.clone(), (mode.clone(), object.clone())))
    };
    let index = service::StagedFixes {
        prefix: repository.prefix().to_owned(),
        entries: staged.objects.iter().filter_map(entry).collect(),
        index: repository.index()?,
        own_index: repository.directory()?.join("index"),
        is_chosen,
    };
    let mut line = ProgressLine::start(ctx.common);
    let given = (&index, &objects);
    let left = service::write_staged(session, request, reply, given, &mut |it| line.show(it));
    drop(line);
    let mut told = String::new();
    for (file, why) in left? {
        let (file, why) = (printable(&file), printable(&why));
        let _ = writeln!(told, "note: {file} is fixed in the index only: {why}");
    }
    let name = index.index.file_name().unwrap_or_default().to_string_lossy();
    if index.index != index.own_index && name.starts_with(PARTIAL) {
        let files: Vec<String> = reply.outputs.keys().map(|it| shell_word(it)).collect();
        let _ = writeln!(
            told,
            "note: `git commit` with paths commits from an index of its own; in the other one {} stayed as it was, and \
             `git add {}` brings it up to date",
            if files.len() == 1 { "the file" } else { "each file" },
            files.join(" ")
        );
    }
    Ok(told)
}

/// Names the files that are left out because what is on disk is not what git keeps.
pub(super) fn tell_filtered(ctx: &Ctx<'_>, staged: &StagedFiles) -> Result<()> {
    let mut told = String::new();
    for file in &staged.filtered {
        let file = printable(file);
        let _ = writeln!(
            told,
            "note: {file} was left out: a filter of git, such as Git LFS, changes it on its way to the disk"
        );
    }
    ctx.note(&told)
}
