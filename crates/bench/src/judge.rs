//! Says of one edited document whether it is what was asked for: the value right, judged by parsers that share no
//! code with ours, and every byte outside the touched lines as before.

use serde_json::Value;

use crate::fleet::{Case, Syntax};

/// What became of operations.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Score {
    /// The value is right and no other byte changed.
    pub(crate) right: usize,
    /// The contender said no, or has no such operation.
    pub(crate) refused: usize,
    /// The value is right, but bytes outside the touched lines changed, or a comment beside the value is gone.
    pub(crate) disturbed: usize,
    /// The value is wrong, or the document cannot be read any more.
    pub(crate) wrong: usize,
}

impl Score {
    /// Counts one result; `None` is a refusal.
    pub(crate) fn add(&mut self, syntax: Syntax, case: &Case, result: Option<&str>) {
        let Some(after) = result else {
            self.refused += 1;
            return;
        };
        let expected = parse(syntax, &case.text).and_then(|mut value| {
            case.operation.apply_to(&mut value)?;
            Some(value)
        });
        if expected.is_none() || parse(syntax, after) != expected {
            self.wrong += 1;
        } else if is_undisturbed(case, after) {
            self.right += 1;
        } else {
            self.disturbed += 1;
        }
    }
}

fn parse(syntax: Syntax, text: &str) -> Option<Value> {
    match syntax {
        Syntax::Json => serde_json::from_str(text).ok(),
        Syntax::Yaml => serde_norway::from_str(text).ok(),
    }
}

/// Whether the lines outside the touched ones stand in `after` as before and in order, the first of them at its
/// start and the last at its end.
fn is_undisturbed(case: &Case, after: &str) -> bool {
    let lines: Vec<&str> = case.text.split_inclusive('\n').collect();
    let mut runs = Vec::new();
    let mut from = 0;
    for touched in &case.touched {
        runs.push(lines[from..*touched].concat());
        from = touched + 1;
    }
    let last = lines[from..].concat();
    let mut rest = after;
    for (index, run) in runs.iter().enumerate() {
        let found = rest.find(run.as_str()).filter(|at| index > 0 || *at == 0);
        let Some(at) = found else { return false };
        rest = &rest[at + run.len()..];
    }
    rest.ends_with(&last) && case.kept.iter().all(|kept| after.contains(kept))
}
