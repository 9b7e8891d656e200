//! The packs of a workspace: the folders and built-in packs that its configuration names, or all built-in ones.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::Diagnostic;
use edit::Text;
use fetch::{FetchError, Folder};
use pack::{Pack, PackProblem};
use protocol::v1::{FailureCode, LookFailure};
use snapshot::{Entry, RelPath};
use workspace::Workspace;

use crate::commands::trust::WorkspaceTrust;
use crate::config::nearest;
use crate::config::{Config, PackPlace, PackRef};
use crate::failure::Failure;
use crate::session::Session;
use crate::setup::own_rules;
use crate::setup::{describe, failure_at, setup_failure};

/// No pack has more files and folders than this.
const MOST_ENTRIES: usize = 10_000;
/// No file of a pack that lies elsewhere has more bytes than this.
const MOST_BYTES: u64 = 64 << 20;
const MANIFEST: &str = "pack.yaml";
/// The packs that could be loaded, and those that could not and need not.
#[derive(Default)]
pub(super) struct LoadedPacks {
    pub(super) packs: Vec<Arc<Pack>>,
    pub(super) lost: BTreeSet<LookFailure>,
}

/// Loads the packs, in the order of the configuration. None may have a name that is `taken` by another source. One that cannot be loaded is a failure of everything unless it is
/// not required, or nothing is.
pub(super) fn load(
    session: &Session,
    workspace: &Workspace,
    config: &Config,
    config_text: Option<&Text>,
    (taken, tolerate): (&[&str], bool),
) -> Result<LoadedPacks, Failure> {
    let (Some(named), Some(config_text)) = (&config.packs, config_text) else {
        let packs = Pack::builtin().into_iter().map(Arc::new).collect();
        return Ok(LoadedPacks { packs, ..LoadedPacks::default() });
    };
    let LoadedPacks { mut packs, mut lost } = LoadedPacks::default();
    let mut problems = Vec::new();
    for pack in named {
        let may_miss = tolerate || !pack.required;
        let loaded = match &pack.place {
            PackPlace::Builtin(name) => builtin(name),
            PackPlace::Outside(path) => match from_outside(session, config, path) {
                Ok(loaded) => loaded,
                Err(error) if may_miss => {
                    lost.insert(unavailable(pack, error.to_string()));
                    continue;
                }
                Err(error) => return Err(error),
            },
            PackPlace::Folder(folder) => match from_folder(workspace, folder) {
                Ok(loaded) => loaded,
                Err(error) if may_miss => {
                    lost.insert(unavailable(pack, error.to_string()));
                    continue;
                }
                Err(error) => return Err(error),
            },
        };
        match loaded {
            Err(reason) if may_miss => {
                lost.insert(unavailable(pack, not_there(pack, &reason)));
            }
            Ok(loaded) if packs.iter().any(|it| it.name() == loaded.name()) => {
                let name = loaded.name();
                problems.push((pack.at.clone(), format!("a second pack has the name `{name}`")));
            }
            Ok(loaded) if taken.contains(&loaded.name()) => {
                let name = loaded.name();
                let message =
                    format!("a pack cannot have the name `{name}`: another source has it");
                problems.push((pack.at.clone(), message));
            }
            Ok(loaded) => packs.push(Arc::new(loaded)),
            Err(reason) => problems.push((pack.at.clone(), not_there(pack, &reason))),
        }
    }
    if problems.is_empty() {
        Ok(LoadedPacks { packs, lost })
    } else {
        Err(failure_at(problems, config_text))
    }
}

/// A pack that the run goes on without.
fn unavailable(pack: &PackRef, message: String) -> LookFailure {
    let source = match &pack.place {
        PackPlace::Folder(folder) => folder.to_string(),
        PackPlace::Outside(path) => path.clone(),
        PackPlace::Builtin(name) => name.clone(),
    };
    LookFailure { source, code: FailureCode::Unavailable, file: None, message, tolerated: true }
}

fn not_there(pack: &PackRef, reason: &str) -> String {
    format!("{} cannot be used: {reason}", describe(pack))
}

fn builtin(name: &str) -> Result<Pack, String> {
    let mut all = Pack::builtin();
    match all.iter().position(|it| it.name() == name) {
        Some(position) => Ok(all.swap_remove(position)),
        None => {
            let known: Vec<&str> = all.iter().map(Pack::name).collect();
            Err(match nearest::nearest(name, &known) {
                Some(nearest) => format!("it does not exist; did you mean `{nearest}`?"),
                None if known.is_empty() => "there are no built-in packs".to_owned(),
                None => format!("it does not exist; expected one of {}", nearest::list(&known)),
            })
        }
    }
}

/// The pack in a folder. What is wrong inside it is a failure with all places; that there is none is for the caller.
fn from_folder(workspace: &Workspace, folder: &RelPath) -> Result<Result<Pack, String>, Failure> {
    let files = read_folder(workspace, folder)?;
    if !files.contains_key(MANIFEST) {
        return Ok(Err(format!("there is no file {folder}/{MANIFEST}")));
    }
    match Pack::load(&files) {
        Ok(pack) => Ok(Ok(pack)),
        Err(problems) => Err(pack_failure(folder.as_str(), &problems, &files)),
    }
}

/// The pack that these files of a folder are.
pub(crate) fn from_files(
    folder: &RelPath,
    files: &BTreeMap<String, Text>,
) -> Result<Arc<Pack>, Failure> {
    if !files.contains_key(MANIFEST) {
        let reason = format!("there is no {MANIFEST} in it");
        return Err(Failure::Unusable { path: folder.to_string(), reason });
    }
    let pack = Pack::load(files);
    pack.map(Arc::new).map_err(|problems| pack_failure(folder.as_str(), &problems, files))
}

/// The pack in a folder outside the workspace, if the user trusts the workspace with it.
fn from_outside(
    session: &Session,
    config: &Config,
    path: &str,
) -> Result<Result<Pack, String>, Failure> {
    let trust = WorkspaceTrust::of(session, config).0;
    if let Some(message) = trust.forbids_pack(path) {
        return Ok(Err(message));
    }
    let Some(root) = session.root() else {
        return Ok(Err("a build reads only its inputs".to_owned()));
    };
    let unusable = |error: FetchError| format!("{error}");
    let files = Folder::open(&root.join(path))
        .and_then(|it| it.files(MOST_ENTRIES, MOST_BYTES))
        .map_err(unusable);
    let files: BTreeMap<String, Text> = match files {
        Ok(files) => files.into_iter().map(|(path, bytes)| (path, Text::new(bytes))).collect(),
        Err(reason) => return Ok(Err(reason)),
    };
    if !files.contains_key(MANIFEST) {
        return Ok(Err(format!("there is no file {path}/{MANIFEST}")));
    }
    match Pack::load(&files) {
        Ok(pack) => Ok(Ok(pack)),
        Err(problems) => Err(pack_failure(path, &problems, &files)),
    }
}

/// The files of a folder, by their paths inside it; also those that git ignores.
pub(crate) fn read_folder(
    workspace: &Workspace,
    folder: &RelPath,
) -> Result<BTreeMap<String, Text>, Failure> {
    let mut paths: Vec<(String, RelPath)> = Vec::new();
    let mut folders = vec![(String::new(), folder.clone())];
    let mut n_entries = 0;
    while let Some((prefix, next)) = folders.pop() {
        for (name, path, entry) in list(workspace, &next)? {
            n_entries += 1;
            if n_entries > MOST_ENTRIES {
                let reason = format!("there are more than {MOST_ENTRIES} files in it");
                return Err(Failure::Unusable { path: folder.to_string(), reason });
            }
            match entry {
                Entry::Directory => folders.push((format!("{prefix}{name}/"), path)),
                _ => paths.push((format!("{prefix}{name}"), path)),
            }
        }
    }
    let places: Vec<RelPath> = paths.iter().map(|it| it.1.clone()).collect();
    let loaded = workspace.load(&places)?;
    let text = |(name, path): (String, RelPath)| {
        let place = loaded.resolved.get(&path).unwrap_or(&path);
        Some((name, loaded.snapshot.file(place)?.text()))
    };
    Ok(paths.into_iter().filter_map(text).collect())
}

/// What stands in a folder: names, places and what is there.
fn list(workspace: &Workspace, folder: &RelPath) -> Result<Vec<(String, RelPath, Entry)>, Failure> {
    // A name that is not there makes the workspace list those that are.
    let Ok(absent) = folder.join(".regreen-no-such-file") else { return Ok(Vec::new()) };
    let loaded = workspace.load(std::slice::from_ref(&absent))?;
    let place = loaded.resolved.get(&absent).unwrap_or(&absent).parent();
    let entries = loaded.snapshot.iter().filter(|(path, _)| path.parent() == place);
    let listed =
        entries.map(|(path, entry)| (path.file_name().to_owned(), path.clone(), entry.clone()));
    Ok(listed.collect())
}

fn pack_failure(folder: &str, problems: &[PackProblem], files: &BTreeMap<String, Text>) -> Failure {
    let diagnostic = |it: &PackProblem| Diagnostic {
        json_pointer: it.pointer.clone(),
        location: it.location,
        phase: "pack".to_owned(),
        ..own_rules::pack_problem(&format!("{folder}/{}", it.file), it.message.clone())
    };
    let mut diagnostics: Vec<Diagnostic> = problems.iter().map(diagnostic).collect();
    check::sort_and_assign_ids(&mut diagnostics);
    let named: BTreeSet<&str> = problems.iter().map(|it| it.file.as_str()).collect();
    let sources = files.iter().filter(|(name, _)| named.contains(name.as_str()));
    let sources = sources.map(|(name, text)| (format!("{folder}/{name}"), text.bytes().to_vec()));
    setup_failure(&format!("the pack in {folder}"), &diagnostics, sources.collect())
}
