//! What comes to light when a text can be read: a mistake behind a syntax error was there before, and is not new.
//!
//! A change that makes a text readable is offered even if mistakes come to light in the declaration that it is in; it says
//! which. Of several such changes those are left that reveal the least: what reads well but makes no sense was not meant.

use rustc_hash::FxHashMap;

use super::super::findings::{Finding, is_syntax};
use super::super::{Target, declaration, nodes};
use super::{MAKES_A_MISTAKE, Trials, Verdict};

impl Trials<'_> {
    /// Whether a mistake came up in a text that a candidate makes readable.
    pub(super) fn is_revealed(&self, index: usize, finding: &Finding) -> bool {
        let candidate = &self.candidates[index];
        let in_module = &self.checked.modules[self.module];
        let is_unread = |it: &Target| match it {
            Target::Diagnostic(it) => is_syntax(in_module.diagnostics[*it].code),
            Target::Goal(_) | Target::Hole(_) => false,
        };
        if finding.code().is_none_or(is_syntax) || !candidate.targets.iter().all(is_unread) {
            return false;
        }
        let written = nodes(&in_module.ast, &candidate.edits, &in_module.file);
        let mut written = written.into_iter().filter_map(|it| declaration(&in_module.ast, it));
        written.any(|it| finding.place() == Some((self.module, it.node())))
    }

    /// Gives up candidates that reveal more than others for the same.
    pub(super) fn keep_those_that_reveal_least(&mut self) {
        let first = |it: usize| self.candidates[it].targets.first().copied();
        let mut least: FxHashMap<Target, usize> = FxHashMap::default();
        for (index, verdict) in self.verdicts.iter().enumerate() {
            if let (Verdict::Kept { reveals, .. }, Some(target)) = (verdict, first(index)) {
                let count = least.entry(target).or_insert(reveals.len());
                *count = reveals.len().min(*count);
            }
        }
        for index in 0..self.verdicts.len() {
            if let (Verdict::Kept { reveals, .. }, Some(target)) =
                (&self.verdicts[index], first(index))
                && least.get(&target).is_some_and(|it| *it < reveals.len())
            {
                self.verdicts[index] = Verdict::Failed(MAKES_A_MISTAKE);
            }
        }
    }
}
