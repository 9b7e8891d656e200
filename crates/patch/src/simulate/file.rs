//! One file of the simulated tree: a text, what was already lowered to edits of it, and a draft of what was not.
//!
//! Operations gather in one draft and are lowered together. What a batch refuses, one operation at a time may allow:
//! an anchor whose last alias went away earlier in the batch, say. So a refusal is never taken from a draft that has
//! changes: they are lowered, the text is parsed again, and the operations of the unit at hand are tried one by one.
//! A *unit* is what is undone together: a fix action, or one operation of a changeset. A unit that is known to spoil
//! the lowering of its batch is tried *alone*: what came before it is lowered first.

use std::sync::Arc;

use document::{
    Draft, Effect, Format, GuardedOp, Limits, OpError, Pointer, Refusal, RefusalReason, Savepoint,
};
use edit::{EditSet, LineIndex, Text};
use snapshot::RelPath;

use crate::diagnose;
use crate::failure::{FailureCause, OpFailureCode};

/// How many bytes may be parsed and lowered again for one file because a batch was refused.
const MAX_REWORK: u64 = 256 << 20;

/// What lowering and parsing cost apart from the text's length, in bytes.
const REWORK_COST: u64 = 1 << 10;

/// Why the simulation of an operation ended.
pub(crate) enum SimulationStop {
    /// It cannot be applied. The index is there if another operation of the unit than the last is to blame.
    Failed(Box<FailureCause>, Option<usize>),
    /// The operations on this file cannot be lowered together: start over and find the unit that spoils it.
    Restart(RelPath),
}

/// How operations are applied.
#[derive(Clone, Copy)]
pub(crate) struct How {
    pub(crate) limits: Limits,
    pub(crate) show_values: bool,
    /// Whether the running unit is tried alone.
    pub(crate) alone: bool,
}

impl From<FailureCause> for SimulationStop {
    fn from(failure: FailureCause) -> SimulationStop {
        SimulationStop::Failed(Box::new(failure), None)
    }
}

pub(crate) struct VirtualFile {
    pub(crate) origin: Option<RelPath>,
    pub(crate) path: RelPath,
    pub(crate) mode: u32,
    pub(crate) is_deleted: bool,
    base: Text,
    /// The text after what was lowered.
    text: Text,
    /// From `base` to `text`.
    edits: Option<Arc<EditSet>>,
    draft: Option<Draft>,
    /// Counts the parses: slots of one draft mean nothing to the next.
    generation: u32,
    rework: u64,
    unit: Option<Unit>,
}

/// What the running unit needs to be undone or tried again.
struct Unit {
    text: Text,
    edits: Option<Arc<EditSet>>,
    /// The draft's state before the unit; `None` when that state was lowered to `text`.
    savepoint: Option<Savepoint>,
    steps: Vec<(usize, GuardedOp)>,
}

impl VirtualFile {
    pub(crate) fn new(path: RelPath, text: Text, mode: u32, is_new: bool) -> VirtualFile {
        VirtualFile {
            origin: (!is_new).then(|| path.clone()),
            path,
            mode,
            is_deleted: false,
            base: text.clone(),
            text,
            edits: None,
            draft: None,
            generation: 0,
            rework: 0,
            unit: None,
        }
    }

    pub(crate) fn base(&self) -> &Text {
        &self.base
    }

    pub(crate) fn generation(&self) -> u32 {
        self.generation
    }

    /// Applies a step as operation `op_index` of the running unit.
    pub(crate) fn apply(
        &mut self,
        op_index: usize,
        step: &GuardedOp,
        how: &How,
    ) -> Result<Effect, SimulationStop> {
        if self.rework > MAX_REWORK {
            return Err(FailureCause::new(
                OpFailureCode::Budget,
                "too many operations on this file had to be tried one by one",
            )
            .into());
        }
        self.parse(&how.limits)?;
        let draft = self.draft.as_mut().expect("parsed in the line above");
        if self.unit.is_none() {
            let savepoint = Some(draft.savepoint());
            let (text, edits) = (self.text.clone(), self.edits.clone());
            self.unit = Some(Unit { text, edits, savepoint, steps: Vec::new() });
            if how.alone {
                self.go_stepwise(how)?;
                self.parse(&how.limits)?;
            }
        }
        let draft = self.draft.as_mut().expect("parsed in the lines above");
        let unit = self.unit.as_mut().expect("made in the lines above");
        if unit.savepoint.is_none() {
            return self.apply_alone(step, how);
        }
        match draft.apply(step) {
            Ok(effect) => {
                unit.steps.push((op_index, step.clone()));
                Ok(effect)
            }
            Err(OpError::Refused(refusal))
                if !draft.is_untouched() && depends_on_batch(&refusal.reason) =>
            {
                self.go_stepwise(how)?;
                self.apply_alone(step, how)
            }
            Err(error) => Err(FailureCause::of_op(&error, how.show_values).into()),
        }
    }

    /// Lowers what was there before the unit, and then the unit's operations one by one.
    fn go_stepwise(&mut self, how: &How) -> Result<(), SimulationStop> {
        let Some(unit) = self.unit.as_mut() else { return Ok(()) };
        let steps = std::mem::take(&mut unit.steps);
        if let (Some(draft), Some(savepoint)) = (self.draft.as_mut(), unit.savepoint) {
            draft.roll_back(savepoint);
        }
        self.flush().map_err(|_| SimulationStop::Restart(self.path.clone()))?;
        let unit = self.unit.as_mut().expect("it was there above, and lowering leaves it alone");
        unit.savepoint = None;
        unit.text = self.text.clone();
        unit.edits.clone_from(&self.edits);
        for (op_index, step) in steps {
            self.apply_alone(&step, how).map_err(|stop| match stop {
                SimulationStop::Failed(failure, _) => {
                    SimulationStop::Failed(failure, Some(op_index))
                }
                restart => restart,
            })?;
        }
        Ok(())
    }

    fn apply_alone(&mut self, step: &GuardedOp, how: &How) -> Result<Effect, SimulationStop> {
        self.parse(&how.limits)?;
        let draft = self.draft.as_mut().expect("parsed in the line above");
        let effect =
            draft.apply(step).map_err(|error| FailureCause::of_op(&error, how.show_values))?;
        self.flush().map_err(|refusal| FailureCause::refused(&refusal))?;
        Ok(effect)
    }

    pub(crate) fn keep_unit(&mut self) {
        self.unit = None;
    }

    pub(crate) fn undo_unit(&mut self) {
        let Some(unit) = self.unit.take() else { return };
        match (unit.savepoint, self.draft.as_mut()) {
            (Some(savepoint), Some(draft)) => draft.roll_back(savepoint),
            _ => {
                self.text = unit.text;
                self.edits = unit.edits;
                self.draft = None;
                self.generation += 1;
            }
        }
    }

    /// Lowers what is not lowered yet, because the file is done or about to be read as another format.
    pub(crate) fn finish(&mut self) -> Result<(), SimulationStop> {
        self.flush().map_err(|_| SimulationStop::Restart(self.path.clone()))?;
        self.draft = None;
        Ok(())
    }

    /// The text and the edits that led to it, once the file is finished.
    pub(crate) fn into_result(self) -> (Text, Text, Option<Arc<EditSet>>) {
        (self.base, self.text, self.edits)
    }

    /// The draft as it is, for questions about the state before an operation.
    pub(crate) fn draft(&mut self, limits: &Limits) -> Result<&mut Draft, FailureCause> {
        self.parse(limits)?;
        Ok(self.draft.as_mut().expect("parsed in the line above"))
    }

    fn parse(&mut self, limits: &Limits) -> Result<(), FailureCause> {
        if self.draft.is_some() {
            return Ok(());
        }
        let path = self.path.as_str();
        let Some(format) = Format::of_path(path) else {
            let message = format!("{path} is neither JSON nor YAML nor TOML by its name");
            return Err(FailureCause::new(OpFailureCode::UnsupportedFormat, message));
        };
        if self.generation > 0 {
            self.rework += self.text.len() as u64 + REWORK_COST;
        }
        let document = document::parse(&self.text, format, limits)
            .map_err(|error| FailureCause::unparsed(path, &error))?;
        self.draft = Some(document.draft());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Refusal> {
        let Some(draft) = self.draft.as_ref().filter(|draft| !draft.is_untouched()) else {
            return Ok(());
        };
        let (edits, text) = draft.lower_and_apply()?;
        let edits = match &self.edits {
            None => edits,
            Some(earlier) => earlier
                .compose(&self.base, &edits)
                .expect("the draft was parsed from the text that the edits so far lead to"),
        };
        self.edits = Some(Arc::new(edits));
        self.text = text;
        self.draft = None;
        self.generation += 1;
        Ok(())
    }

    /// Where a failure stands in the file as it is on disk; `None` once the text has changed.
    pub(crate) fn locate(
        &self,
        failure: &FailureCause,
        document: usize,
        at: Option<&Pointer>,
    ) -> Option<check::Location> {
        if self.text != self.base || self.origin.is_none() {
            return None;
        }
        if let Some(offset) = failure.offset {
            return diagnose::locate_offset(&self.base, offset);
        }
        let document = self.draft.as_ref()?.document().nth(document)?;
        diagnose::locate(&document, &LineIndex::new(self.base.bytes()), at?)
    }
}

/// Whether an operation that is refused after others may be fine once those are lowered. A value that the format has no
/// text for never is.
fn depends_on_batch(reason: &RefusalReason) -> bool {
    !matches!(reason, RefusalReason::NotExpressible { .. })
}
