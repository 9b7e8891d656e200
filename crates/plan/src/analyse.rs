//! What each repair would do if it were the only one: its edits or claims in every file, or why it cannot be done.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use check::{Parses, Repair, RepairOp, Scope};
use document::{Format, OpError};
use edit::{ContentHash, EditSet, Text};
use snapshot::{NewFile, RelPath, Rename, Snapshot, TreeChange};

use crate::place::PlaceIndex;
use crate::steps::{DocumentPart, StepFault, Trial};
use crate::{Reason, Rejection};

/// The repairs, in the order in which they came, and the files that they are about.
pub(crate) struct Analysis<'a> {
    pub(crate) files: Vec<FileSpace<'a>>,
    pub(crate) repairs: Vec<Analysed<'a>>,
}

/// A file that repairs are about.
pub(crate) struct FileSpace<'a> {
    pub(crate) path: &'a RelPath,
    /// `None` if there is no such file to edit.
    pub(crate) text: Option<Text>,
    /// The places that were named, if it is a document.
    pub(crate) places: Option<PlaceIndex>,
}

/// One repair by itself.
pub(crate) struct Analysed<'a> {
    pub(crate) repair: &'a Arc<Repair>,
    /// What it does, by the number of the file, ascending. Not to be used if there is a fault.
    pub(crate) parts: Vec<(usize, Part<'a>)>,
    pub(crate) scope: Scope,
    pub(crate) fault: Option<Fault>,
}

/// Why a repair cannot be done.
pub(crate) struct Fault {
    pub(crate) rejection: Rejection,
    /// Whether it may be possible after another repair.
    pub(crate) may_pass: bool,
}

/// What a repair does to one file.
pub(crate) enum Part<'a> {
    Text(Cow<'a, EditSet>),
    Document(DocumentPart<'a>),
    File(FilePart<'a>),
}

/// What a repair does at a path as a whole. At most one file leaves it and at most one comes there.
#[derive(Default)]
pub(crate) struct FilePart<'a> {
    pub(crate) add: Option<&'a NewFile>,
    pub(crate) delete: Option<ContentHash>,
    pub(crate) rename: Option<(&'a RelPath, ContentHash)>,
    /// Whether a file comes here from another path.
    pub(crate) arrives: bool,
    /// The edits of a file that is renamed.
    pub(crate) edits: Option<Box<Part<'a>>>,
}

impl FilePart<'_> {
    /// Whether a file stands here afterwards that was not here before.
    pub(crate) fn is_target(&self) -> bool {
        self.add.is_some() || self.arrives
    }
}

type OpsByFile<'a> = BTreeMap<&'a RelPath, Vec<(usize, Vec<&'a RepairOp>)>>;

/// Looks at every repair by itself.
pub(crate) fn analyse<'a>(
    snapshot: &'a Snapshot,
    parses: &Parses,
    repairs: &'a [Arc<Repair>],
) -> Analysis<'a> {
    let mut analysed: Vec<Analysed<'a>> = repairs.iter().map(Analysed::new).collect();
    let mut files = Vec::new();
    for (path, wanted) in ops_by_file(repairs) {
        let mut file = FileWork::new(snapshot, parses, path);
        for (idx, ops) in wanted {
            let it = &mut analysed[idx];
            it.scope.files = it.scope.files.saturating_add(1);
            let n_written = match file.part(&ops) {
                Ok(part) => {
                    let n_written = part.n_written();
                    it.parts.push((files.len(), part));
                    n_written
                }
                Err(fault) => {
                    it.fault.get_or_insert(fault);
                    ops.len()
                }
            };
            let n_written = u32::try_from(n_written).unwrap_or(u32::MAX);
            it.scope.node_count = it.scope.node_count.saturating_add(n_written);
        }
        files.push(file.finish());
    }
    for it in analysed.iter_mut().filter(|it| it.repair.has_file_operation()) {
        if it.fault.is_none() {
            it.fault = impossible_paths(snapshot, it.repair).map(Fault::from);
        }
    }
    Analysis { files, repairs: analysed }
}

fn ops_by_file(repairs: &[Arc<Repair>]) -> OpsByFile<'_> {
    let mut by_file = OpsByFile::new();
    for (idx, repair) in repairs.iter().enumerate() {
        for op in &repair.ops {
            for file in op.files() {
                let wanted = by_file.entry(file).or_default();
                match wanted.last_mut() {
                    Some((last, ops)) if *last == idx => ops.push(op),
                    _ => wanted.push((idx, vec![op])),
                }
            }
        }
    }
    by_file
}

impl<'a> Analysed<'a> {
    fn new(repair: &'a Arc<Repair>) -> Analysed<'a> {
        let fault = if repair.ops.is_empty() {
            Some("it has no operations")
        } else if repair.resolves.is_empty() {
            Some("it does not say what it resolves")
        } else {
            None
        };
        let scope = Scope { crosses_function: false, files: 0, node_count: 0 };
        let fault = fault.map(|it| Fault::from(Rejection::invalid(it)));
        Analysed { repair, parts: Vec::new(), scope, fault }
    }
}

impl From<Rejection> for Fault {
    fn from(rejection: Rejection) -> Fault {
        Fault { rejection, may_pass: false }
    }
}

impl Part<'_> {
    fn n_written(&self) -> usize {
        match self {
            Part::Text(edits) => edits.edits().len(),
            Part::Document(part) => part.n_writes,
            Part::File(part) => 1 + part.edits.as_ref().map_or(0, |it| it.n_written()),
        }
    }
}

/// One file, while the repairs that are about it are looked at. It is parsed when the first one needs it.
struct FileWork<'a, 'p> {
    path: &'a RelPath,
    text: Result<Text, Rejection>,
    parses: &'p Parses,
    trial: Option<Result<Trial, Rejection>>,
}

impl<'a, 'p> FileWork<'a, 'p> {
    fn new(snapshot: &'a Snapshot, parses: &'p Parses, path: &'a RelPath) -> FileWork<'a, 'p> {
        let text = match (snapshot.file(path), snapshot.get(path)) {
            (Some(file), _) => Ok(file.text()),
            (None, Some(_)) => {
                Err(Rejection::invalid(format!("{path} is not a file that can be read")))
            }
            (None, None) => Err(Rejection {
                reason: Reason::Stale,
                with: None,
                detail: format!("{path} does not exist"),
            }),
        };
        FileWork { path, text, parses, trial: None }
    }

    fn part(&mut self, ops: &[&'a RepairOp]) -> Result<Part<'a>, Fault> {
        let (of_file, edits): (Vec<&'a RepairOp>, Vec<&'a RepairOp>) =
            ops.iter().partition(|it| it.is_file_operation());
        if of_file.is_empty() {
            return self.edits(&edits);
        }
        let mut part = self.file_part(&of_file)?;
        if !edits.is_empty() {
            if part.rename.is_none() {
                let detail = format!("it edits {} and adds or deletes it", self.path);
                return Err(Rejection::invalid(detail).into());
            }
            part.edits = Some(Box::new(self.edits(&edits)?));
        }
        Ok(Part::File(part))
    }

    fn file_part(&self, ops: &[&'a RepairOp]) -> Result<FilePart<'a>, Fault> {
        let path = self.path;
        let mut part = FilePart::default();
        let (mut n_leaving, mut n_coming) = (0, 0);
        for op in ops {
            let base = match op {
                RepairOp::AddFile { new, .. } => {
                    (part.add, n_coming) = (Some(new), n_coming + 1);
                    continue;
                }
                RepairOp::RenameFile { file, to, .. } if file == to => {
                    let detail = format!("it renames {path} to the path that it has");
                    return Err(Rejection::invalid(detail).into());
                }
                RepairOp::RenameFile { to, .. } if to == path => {
                    (part.arrives, n_coming) = (true, n_coming + 1);
                    continue;
                }
                RepairOp::RenameFile { to, base, .. } => {
                    part.rename = Some((to, *base));
                    *base
                }
                RepairOp::DeleteFile { base, .. } => {
                    part.delete = Some(*base);
                    *base
                }
                RepairOp::Document { .. } | RepairOp::Text { .. } => continue,
            };
            n_leaving += 1;
            if self.text.clone()?.hash() != base {
                return Err(self.stale("it was made for another text of").into());
            }
        }
        if n_leaving > 1 || n_coming > 1 {
            let detail = format!("it adds, deletes or renames {path} more than once");
            return Err(Rejection::invalid(detail).into());
        }
        Ok(part)
    }

    fn stale(&self, what: &str) -> Rejection {
        let detail = format!("{what} {}", self.path);
        Rejection { reason: Reason::Stale, with: None, detail }
    }

    fn edits(&mut self, ops: &[&'a RepairOp]) -> Result<Part<'a>, Fault> {
        let text = self.text.clone()?;
        let edits: Vec<&EditSet> = ops
            .iter()
            .filter_map(|op| match op {
                RepairOp::Text { edits, .. } => Some(edits),
                _ => None,
            })
            .collect();
        if edits.len() == ops.len() {
            return Ok(Part::Text(self.text_part(&text, &edits)?));
        }
        if !edits.is_empty() {
            let detail = format!("it edits {} both as text and as a document", self.path);
            return Err(Rejection::invalid(detail).into());
        }
        let path = self.path;
        let steps = ops.iter().filter_map(|op| match op {
            RepairOp::Document { step, .. } => Some(step),
            _ => None,
        });
        let trial = self.trial(&text).as_mut().map_err(|fault| fault.clone())?;
        trial.run(steps).map(Part::Document).map_err(|error| step_fault(path, &error))
    }

    fn text_part(&self, text: &Text, sets: &[&'a EditSet]) -> Result<Cow<'a, EditSet>, Rejection> {
        let path = self.path;
        if sets.iter().any(|edits| edits.base() != text.hash()) {
            return Err(self.stale("its edits were made for another text of"));
        }
        if sets.iter().all(|edits| edits.is_empty()) {
            return Err(Rejection::invalid(format!("its edits of {path} change nothing")));
        }
        if let [edits] = sets {
            return Ok(Cow::Borrowed(edits));
        }
        let edits = sets.iter().flat_map(|it| it.edits()).cloned().collect();
        EditSet::new(text, edits)
            .map(Cow::Owned)
            .map_err(|error| Rejection::invalid(format!("{path}: {error}")))
    }

    fn trial(&mut self, text: &Text) -> &mut Result<Trial, Rejection> {
        let (path, parses) = (self.path, self.parses);
        self.trial.get_or_insert_with(|| {
            let Some(format) = Format::of_path(path.as_str()) else {
                let detail = format!("{path} is neither JSON nor YAML nor TOML by its name");
                return Err(Rejection::invalid(detail));
            };
            match parses.get(text, format).document() {
                Ok(document) => Ok(Trial::new(document)),
                Err(error) => Err(Rejection::invalid(format!("{path} cannot be parsed: {error}"))),
            }
        })
    }

    fn finish(self) -> FileSpace<'a> {
        let places = self.trial.and_then(Result::ok).map(|trial| trial.places);
        FileSpace { path: self.path, text: self.text.ok(), places }
    }
}

/// Why the paths of a repair do not go together, or with what is there.
fn impossible_paths(snapshot: &Snapshot, repair: &Repair) -> Option<Rejection> {
    let (mut adds, mut deletes, mut renames) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for op in &repair.ops {
        match op {
            RepairOp::AddFile { file, new } => drop(adds.insert(file.clone(), new.clone())),
            RepairOp::DeleteFile { file, base } => drop(deletes.insert(file.clone(), *base)),
            RepairOp::RenameFile { file, to, base } => {
                drop(renames.insert(file.clone(), Rename { to: to.clone(), base: *base }));
            }
            RepairOp::Document { .. } | RepairOp::Text { .. } => {}
        }
    }
    let change = match TreeChange::new(BTreeMap::new(), adds, deletes, renames) {
        Ok(change) => change,
        Err(error) => return Some(Rejection::invalid(error.to_string())),
    };
    let leaves = |path: &RelPath| change.moved(path) != Some(path);
    let mut folded: HashMap<String, &RelPath> = HashMap::new();
    change.targets().find_map(|path| {
        let is_taken = snapshot.get(path).is_some() && !leaves(path);
        let file = snapshot.blocking_ancestor(path).filter(|it| !leaves(it));
        let twin = snapshot.case_collision(path).filter(|it| !leaves(it)).cloned();
        let twin = twin.or_else(|| folded.insert(path.case_folded(), path).cloned());
        let detail = if is_taken || snapshot.is_directory(path) {
            format!("{path} already exists")
        } else if let Some(file) = file {
            format!("{path} cannot be made, because {file} is not a directory")
        } else {
            format!("{path} differs from {} only in case", twin?)
        };
        Some(Rejection::invalid(detail))
    })
}

fn step_fault(path: &RelPath, error: &StepFault) -> Fault {
    let reason = match error {
        StepFault::Op(OpError::Unexpected { .. } | OpError::UnexpectedParent { .. }) => {
            Reason::PreconditionFailed
        }
        _ => Reason::Invalid,
    };
    let rejection = Rejection { reason, with: None, detail: format!("{path}: {error}") };
    Fault { rejection, may_pass: true }
}
