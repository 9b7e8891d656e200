//! What comes to light when a text can be read, or a name means something: a mistake behind a syntax error was there
//! before and is not new, and neither is a field that something unknown does not have.
//!
//! A change that makes a text readable is offered even if mistakes come to light in the declaration that it is in; it says
//! which. So is the right spelling of a name if all that comes to light are unknown fields of what could not be looked at.
//! Of several such changes those are left that reveal the least: what reads well but makes no sense was not meant.

use check::{Confidence, Safety};
use clank::code::Code;
use clank::ty::Ty;
use clank_syntax::ast::NodeId;
use clank_syntax::patch::PatchOp;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::FindingId;
use super::super::findings::{TrackedFinding, is_syntax};
use super::{CandidateVerdict, MAKES_A_MISTAKE, MEANT_OTHERWISE, Trials, WAITS_FOR_READING};
use crate::extent::{declaration, nodes};

impl Trials<'_> {
    /// Whether a mistake was there before a candidate makes it visible.
    pub(super) fn is_revealed(&self, index: usize, finding: &TrackedFinding) -> bool {
        let candidate = &self.candidates[index];
        let in_module = &self.checked.modules[self.module];
        let is_unread = candidate.targets.iter().all(|it| self.is_unread(*it));
        let was_hidden = match finding.code() {
            // What a word means here may be another mistake than what it meant before; there must not be more of them.
            Some(code) if candidate.is_idiom && !is_syntax(code) => true,
            Some(code @ (Code::E2004 | Code::E2011 | Code::E2006 | Code::E2010)) if !is_unread => {
                candidate.targets.iter().all(|it| self.is_unknown_type(*it, code))
                    && finding.node().is_some_and(|it| self.was_unknown(it))
            }
            Some(code) => is_unread && !is_syntax(code),
            None => false,
        };
        if !was_hidden {
            return false;
        }
        let written = nodes(&in_module.ast, &candidate.edits, &in_module.file);
        let mut written = written.into_iter().filter_map(|it| declaration(&in_module.ast, it));
        written.any(|it| finding.place() == Some((self.module, it.node())))
    }

    /// Whether a candidate changes more than names in a declaration whose brackets do not belong together. What is between
    /// them is a guess, and to change it may remove what was meant to be somewhere else.
    pub(super) fn is_between_brackets(&self, index: usize) -> bool {
        let candidate = &self.candidates[index];
        let in_module = &self.checked.modules[self.module];
        let mut ops = candidate.edits.iter().flat_map(|it| &it.1);
        let is_rename =
            ops.all(|it| matches!(it, PatchOp::RenameSymbol { .. } | PatchOp::RenameField { .. }));
        if is_rename || candidate.targets.iter().any(|it| self.is_unread(*it)) {
            return false;
        }
        let brackets = in_module.diagnostics.iter().filter(|it| it.code == Code::E0004);
        let unclear: Vec<_> =
            brackets.filter_map(|it| declaration(&in_module.ast, it.node)).collect();
        let written = nodes(&in_module.ast, &candidate.edits, &in_module.file);
        let mut written = written.into_iter().filter_map(|it| declaration(&in_module.ast, it));
        !unclear.is_empty() && written.any(|it| unclear.contains(&it))
    }

    /// Whether something could not be read.
    pub(super) fn is_unread(&self, target: FindingId) -> bool {
        match target {
            FindingId::Diagnostic(it) => {
                is_syntax(self.checked.modules[self.module].diagnostics[it].code)
            }
            FindingId::Goal(_) | FindingId::Hole(_) => false,
        }
    }

    /// Whether something means nothing, so that nothing is known about what is made of it.
    fn is_unknown_type(&self, target: FindingId, revealed: Code) -> bool {
        match target {
            FindingId::Diagnostic(it) => {
                match self.checked.modules[self.module].diagnostics[it].code {
                    // A name that was meant has the fields that it is asked for, or some.
                    Code::E1001 => revealed == Code::E2004,
                    Code::E2004 | Code::E2011 | Code::E2006 => true,
                    _ => false,
                }
            }
            FindingId::Goal(_) | FindingId::Hole(_) => false,
        }
    }

    /// Whether nothing was known of a node, or of something in it.
    fn was_unknown(&self, node: NodeId) -> bool {
        let in_module = &self.checked.modules[self.module];
        let home = declaration(&in_module.ast, node);
        let Some(body) = home.and_then(|it| in_module.bodies.get(&it)) else { return false };
        let view = body.view();
        in_module.ast.subtree(node).any(|it| *view.ty(NodeId(it)) == Ty::Error)
    }

    /// Gives up candidates for what can be read in a declaration that cannot be read whole, if it can be made readable: what
    /// is wrong there is known only then.
    pub(super) fn leave_to_reading(&mut self) {
        let in_module = &self.checked.modules[self.module];
        let written = |index: usize| {
            let written = nodes(&in_module.ast, &self.candidates[index].edits, &in_module.file);
            written.into_iter().filter_map(|it| declaration(&in_module.ast, it))
        };
        let is_kept = |it: &CandidateVerdict| {
            matches!(it, CandidateVerdict::Kept { .. } | CandidateVerdict::KeptAfter { .. })
        };
        let is_unread =
            |index: usize| self.candidates[index].targets.iter().any(|it| self.is_unread(*it));
        let mut readable: FxHashSet<_> = FxHashSet::default();
        for index in
            (0..self.verdicts.len()).filter(|it| is_kept(&self.verdicts[*it]) && is_unread(*it))
        {
            readable.extend(written(index));
        }
        if readable.is_empty() {
            return;
        }
        let waits: Vec<usize> = (0..self.verdicts.len())
            .filter(|it| is_kept(&self.verdicts[*it]) && !is_unread(*it))
            .filter(|it| written(*it).any(|decl| readable.contains(&decl)))
            .collect();
        for index in waits {
            self.verdicts[index] = CandidateVerdict::Failed(WAITS_FOR_READING);
        }
    }

    /// Gives up candidates that reveal more than others for the same.
    pub(super) fn keep_those_that_reveal_least(&mut self) {
        let first = |it: usize| self.candidates[it].targets.first().copied();
        let mut least: FxHashMap<FindingId, usize> = FxHashMap::default();
        let is_kept = |it: &CandidateVerdict| matches!(it, CandidateVerdict::Kept { .. });
        let meant: FxHashSet<FindingId> = (0..self.verdicts.len())
            .filter(|it| self.candidates[*it].is_idiom && is_kept(&self.verdicts[*it]))
            .filter_map(first)
            .collect();
        let mended = self.mended_by_idioms();
        for index in 0..self.verdicts.len() {
            let it = &self.candidates[index];
            // A guess about what a surer and no less safe habit mends as well: it would keep the habit waiting.
            let is_guess = first(index).and_then(|it| mended.get(&it)).is_some_and(|idioms| {
                idioms
                    .iter()
                    .any(|(confidence, safety)| *confidence < it.confidence && *safety <= it.safety)
            });
            let is_meant = is_guess || first(index).is_some_and(|it| meant.contains(&it));
            if is_meant && !it.is_idiom && is_kept(&self.verdicts[index]) {
                self.verdicts[index] = CandidateVerdict::Failed(MEANT_OTHERWISE);
            }
        }
        for (index, verdict) in self.verdicts.iter().enumerate() {
            if let (CandidateVerdict::Kept { reveals, .. }, Some(target)) = (verdict, first(index))
            {
                let count = least.entry(target).or_insert(reveals.len());
                *count = reveals.len().min(*count);
            }
        }
        for index in 0..self.verdicts.len() {
            if let (CandidateVerdict::Kept { reveals, .. }, Some(target)) =
                (&self.verdicts[index], first(index))
                && !self.candidates[index].is_idiom
                && least.get(&target).is_some_and(|it| *it < reveals.len())
            {
                self.verdicts[index] = CandidateVerdict::Failed(MAKES_A_MISTAKE);
            }
        }
    }

    /// How sure and how safe the habits are that mend a mistake beside the one that they were found at.
    fn mended_by_idioms(&self) -> FxHashMap<FindingId, Vec<(Confidence, Safety)>> {
        let mut mended: FxHashMap<FindingId, Vec<_>> = FxHashMap::default();
        for (candidate, verdict) in self.candidates.iter().zip(&self.verdicts) {
            if let CandidateVerdict::Kept { resolves, .. } = verdict
                && candidate.is_idiom
            {
                for target in resolves {
                    mended
                        .entry(*target)
                        .or_default()
                        .push((candidate.confidence, candidate.safety));
                }
            }
        }
        mended
    }
}
