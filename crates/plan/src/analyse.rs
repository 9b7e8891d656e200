//! What each repair would do if it were the only one: its edits or claims in every file, or why it cannot be done.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use check::{Parses, Repair, RepairOp, Scope};
use document::{Format, OpError};
use edit::{EditSet, Text};
use snapshot::{RelPath, Snapshot};

use crate::place::Places;
use crate::steps::{DocumentPart, StepError, Trial};
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
    pub(crate) places: Option<Places>,
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
    Analysis { files, repairs: analysed }
}

fn ops_by_file(repairs: &[Arc<Repair>]) -> OpsByFile<'_> {
    let mut by_file = OpsByFile::new();
    for (idx, repair) in repairs.iter().enumerate() {
        for op in &repair.ops {
            let wanted = by_file.entry(op.file()).or_default();
            match wanted.last_mut() {
                Some((last, ops)) if *last == idx => ops.push(op),
                _ => wanted.push((idx, vec![op])),
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
                detail: format!("{path} is not there"),
            }),
        };
        FileWork { path, text, parses, trial: None }
    }

    fn part(&mut self, ops: &[&'a RepairOp]) -> Result<Part<'a>, Fault> {
        let text = self.text.clone()?;
        let edits: Vec<&EditSet> = ops
            .iter()
            .filter_map(|op| match op {
                RepairOp::Text { edits, .. } => Some(edits),
                RepairOp::Document { .. } => None,
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
            RepairOp::Text { .. } => None,
        });
        let trial = self.trial(&text).as_mut().map_err(|fault| fault.clone())?;
        trial.run(steps).map(Part::Document).map_err(|error| step_fault(path, &error))
    }

    fn text_part(&self, text: &Text, sets: &[&'a EditSet]) -> Result<Cow<'a, EditSet>, Rejection> {
        let path = self.path;
        if sets.iter().any(|edits| edits.base() != text.hash()) {
            return Err(Rejection {
                reason: Reason::Stale,
                with: None,
                detail: format!("its edits were made for another text of {path}"),
            });
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

fn step_fault(path: &RelPath, error: &StepError) -> Fault {
    let reason = match error {
        StepError::Op(OpError::Unexpected { .. } | OpError::UnexpectedParent { .. }) => {
            Reason::PreconditionFailed
        }
        _ => Reason::Invalid,
    };
    let rejection = Rejection { reason, with: None, detail: format!("{path}: {error}") };
    Fault { rejection, may_pass: true }
}
