//! `fix --staged`, the second half: what was fixed in the index is written there, and the files on disk are fixed beside it,
//! each on its own bytes (AE-80..AE-83).
//!
//! A file that is staged in part is two texts. The staged one was checked, fixed and verified in the tree of the index, and
//! decides the exit code. A file on disk that holds the same bytes gets the same result. For any other the repairs are derived
//! anew, from its own bytes, by the rules that repaired its staged text; where they change nothing, it stays and is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use edit::{Edit, EditError, EditSet, Text};
use protocol::v1;
use snapshot::{Entry, RelPath, TreeChange};
use workspace::{Loaded, Meta, StagedEntry, StagingError};

use crate::assess::request_scope::RequestScope;

use crate::commands::fix::{fix, titles};
use crate::failure::Failure;
use crate::reply::{CommandProgress, FixReply, OnProgress};
use crate::session::Session;

/// What git says about the index.
#[derive(Clone, Debug, Default)]
pub struct StagedFixes {
    /// From the top of the work tree to the root of the workspace; empty or ending with `/`.
    pub prefix: String,
    /// The mode and the object of each file that is staged, by its path from the root.
    pub entries: BTreeMap<String, (String, String)>,
    /// The index that is to be changed.
    pub index: PathBuf,
    /// The index that the repository works with; git gives hooks another one for `commit -a` and `commit PATH`.
    pub own_index: PathBuf,
    /// Whether a person chose among the repairs: then none is derived for other bytes than those he saw.
    pub is_chosen: bool,
}

/// A file on disk that was left as it is, by path, and why.
pub type LeftOnDisk = BTreeMap<String, String>;

/// Writes what [`fix`] made of the staged contents: the files on disk and the index, in one transaction. `objects` has the
/// object that git made of each output.
pub fn write_staged(
    session: &Session,
    request: &v1::Fix,
    reply: &mut FixReply,
    (staged, objects): (&StagedFixes, &BTreeMap<String, String>),
    progress: OnProgress<'_>,
) -> Result<LeftOnDisk, Failure> {
    if session.workspace.index_path().as_ref() != Some(&staged.own_index) {
        return Err(workspace::CommitError::from(StagingError::Missing).into());
    }
    let entries = entries(reply, staged, objects);
    if entries.is_empty() {
        return Ok(LeftOnDisk::new());
    }
    let mut disk = Disk::look(session, request, reply)?;
    match staged.is_chosen {
        true => disk.leave_others(),
        false => disk.derive(session, request, reply, progress)?,
    }
    progress(CommandProgress::Writing { n_files: disk.writes.len() });
    let change = disk.change()?;
    let mut notes = titles(reply.report.applied.iter().map(|it| (&*it.id, &*it.title)));
    for (name, note) in RequestScope::typed(&request.look) {
        notes.insert(name.to_owned(), note);
    }
    let meta = Meta { command: "fix --staged".to_owned(), time: None, notes };
    let id = session.workspace.commit_staged(&change, &entries, Some(&staged.index), &meta)?;
    reply.report.transaction = id.map(|it| it.to_string());
    Ok(disk.left)
}

/// The entries that get other objects.
fn entries(
    reply: &FixReply,
    staged: &StagedFixes,
    objects: &BTreeMap<String, String>,
) -> Vec<StagedEntry> {
    let entry = |file: &String| {
        let (mode, before) = staged.entries.get(file)?;
        let after = objects.get(file).filter(|it| *it != before)?;
        Some(StagedEntry {
            name: format!("{}{file}", staged.prefix),
            mode: mode.clone(),
            before: before.clone(),
            after: after.clone(),
        })
    };
    reply.outputs.keys().filter_map(entry).collect()
}

/// The files on disk whose staged contents were fixed.
#[derive(Default)]
struct Disk {
    /// What is to be written: the contents now and then.
    writes: BTreeMap<RelPath, (Text, Vec<u8>)>,
    /// Those that hold something else than what is staged.
    others: BTreeMap<RelPath, Text>,
    left: LeftOnDisk,
}

impl Disk {
    /// Reads the files and tells those that hold what is staged from the others.
    fn look(session: &Session, request: &v1::Fix, reply: &FixReply) -> Result<Disk, Failure> {
        let paths: Vec<RelPath> =
            reply.outputs.keys().filter_map(|it| RelPath::parse(it).ok()).collect();
        let loaded = session.workspace.load(&paths)?;
        let mut disk = Disk::default();
        for path in paths {
            let (name, new) = (path.to_string(), &reply.outputs[path.as_str()]);
            match present(&loaded, &path) {
                Err(why) => {
                    disk.left.insert(name, why);
                }
                Ok(text) if text.bytes() == new.as_slice() => {}
                Ok(text)
                    if request.look.overlay.get(&name).is_some_and(|it| *it == text.bytes()) =>
                {
                    disk.writes.insert(path, (text, new.clone()));
                }
                Ok(text) => {
                    disk.others.insert(path, text);
                }
            }
        }
        Ok(disk)
    }

    fn leave_others(&mut self) {
        for path in std::mem::take(&mut self.others).into_keys() {
            let why = "its contents on disk differ from those that you decided about";
            self.left.insert(path.to_string(), why.to_owned());
        }
    }

    /// Derives the repairs of the files that hold something else.
    fn derive(
        &mut self,
        session: &Session,
        request: &v1::Fix,
        reply: &FixReply,
        progress: OnProgress<'_>,
    ) -> Result<(), Failure> {
        if self.others.is_empty() {
            return Ok(());
        }
        let applied = reply.report.applied.iter();
        let is_ours = |it: &String| self.others.keys().any(|path| path.as_str() == it);
        let applied = applied.filter(|it| it.files.iter().any(is_ours));
        let rule = |it: &v1::AppliedRepair| match it.source.as_str() {
            "" => it.rule_id.clone(),
            source => format!("{source}/{}", it.rule_id),
        };
        let rules: BTreeSet<String> = applied.map(rule).collect();
        let bytes = |(path, text): (&RelPath, &Text)| (path.to_string(), text.bytes().to_vec());
        let mut overlay: BTreeMap<String, Vec<u8>> = self.others.iter().map(bytes).collect();
        overlay.extend(self.writes.iter().map(|(path, (_, new))| (path.to_string(), new.clone())));
        let look = v1::LookRequest {
            overlay,
            changed: Some(self.others.keys().map(ToString::to_string).collect()),
            paths: Vec::new(),
            tracked: None,
            only: rules.iter().cloned().collect(),
            ..request.look.clone()
        };
        let again = v1::Fix { look, dry_run: true, with_diffs: false, with_offers: false };
        let mut derived = fix(session, &again, progress, None)?;
        for (path, text) in std::mem::take(&mut self.others) {
            match derived.outputs.remove(path.as_str()) {
                Some(new) => {
                    self.writes.insert(path, (text, new));
                }
                None => {
                    let why = why_not(&derived.report, path.as_str(), &rules);
                    self.left.insert(path.to_string(), why);
                }
            }
        }
        Ok(())
    }

    fn change(&self) -> Result<TreeChange, Failure> {
        let mut edits = BTreeMap::new();
        for (path, (old, new)) in &self.writes {
            let failed = |source: EditError| Failure::Unusable {
                path: path.to_string(),
                reason: source.to_string(),
            };
            let length = u32::try_from(old.len())
                .map_err(|_| failed(EditError::TooLarge { len: old.len() }))?;
            let whole = Edit::replace(0, length, new.as_slice());
            edits.insert(path.clone(), EditSet::new(old, vec![whole]).map_err(failed)?);
        }
        let change = TreeChange::new(edits, BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        change.map_err(|error| workspace::CommitError::from(error).into())
    }
}

/// The text of a file on disk that may be changed, or why there is none.
fn present(loaded: &Loaded, path: &RelPath) -> Result<Text, String> {
    if loaded.resolved.get(path).is_some_and(|it| it != path) {
        return Err("on disk it is a link".to_owned());
    }
    let refused = loaded.refused.get(path).or_else(|| loaded.unchangeable.get(path));
    if let Some(refusal) = refused {
        return Err(refusal.to_string());
    }
    match loaded.snapshot.get(path) {
        Some(Entry::File(file)) => Ok(file.text()),
        None => Err("there is no such file on disk".to_owned()),
        Some(_) => Err("on disk it is not a readable file".to_owned()),
    }
}

/// Why no repair was made on disk.
fn why_not(report: &v1::FixReport, path: &str, rules: &BTreeSet<String>) -> String {
    let is_here = |files: &[String]| files.iter().any(|it| it == path);
    if let Some(rejected) = report.rejected.iter().find(|it| is_here(&it.files)) {
        return format!("`{}` was not applied there: {}", rejected.title, rejected.detail);
    }
    if let Some(found) = report.remaining.iter().find(|it| it.file == path) {
        return format!("nothing repairs this there: {}", found.message);
    }
    let rules: Vec<String> = rules.iter().map(|it| format!("`{it}`")).collect();
    format!("its contents there differ, and {} found nothing to repair", rules.join(", "))
}
