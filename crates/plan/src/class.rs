//! What class a repair is of: computed from what its edits do, in the words of the language that they are written in.
//!
//! A checker that says "gone" proves that a message went away, not that the cause did. So every repair is looked at by
//! its edits: which tokens come and which go, on the lines that it touches. Title and kind are not looked at.
//!
//! ```text
//! x[i]            →  if i < n { x[i] } else { panic("…") }     stub: a call that fails came in
//! import os, sys  →  import sys                                delete: something went, nothing came
//! foo()           →  foo()  # noqa                             suppress: a comment that hides came in
//! let x = 1;      →  let _x = 1;                               suppress, unless a contract states it
//!                 →  def area(shape): return shape.area        declare: a definition came in, nothing went
//! ```
//!
//! The tables in [`words`] are short on purpose: a form that is not in them is a `repair`, and a provider that knows
//! better says so (`Grounds::at_least`). What a provider says can make a class stricter, never laxer.

mod tokens;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use check::{Confidence, Repair, RepairClass, RepairOp, Safety};
use document::{GuardedOp, Op, Value};
use edit::Edit;
use snapshot::{RelPath, Snapshot};

use self::tokens::{Delta, TokenKind};
use self::words::LanguageWords;

/// The class of a repair of this tree.
pub fn class_of(repair: &Repair, snapshot: &Snapshot) -> RepairClass {
    let mut seen = Seen::default();
    for op in &repair.ops {
        match op {
            RepairOp::Document { file, step } => seen.step(file, step),
            RepairOp::Text { file, edits } => {
                let text = snapshot.file(file).map(|it| it.text()).unwrap_or_default();
                let text = text.bytes();
                let language = words::language(file);
                let deltas = tokens::deltas(text, edits.edits(), language);
                deltas.iter().for_each(|it| seen.text(file, language, it));
            }
            RepairOp::AddFile { file, new } => {
                let language = words::language(file);
                let edit = Edit::insert(0, new.text.bytes().to_vec());
                let deltas = tokens::deltas(b"", &[edit], language);
                deltas.iter().for_each(|it| seen.text(file, language, it));
                (seen.adds_file, seen.n_written) = (true, seen.n_written + 1);
            }
            RepairOp::DeleteFile { .. } => seen.n_removed += 1,
            RepairOp::RenameFile { .. } => seen.n_written += 1,
        }
    }
    let shown = seen.class(repair.grounds.is_stated);
    repair.grounds.at_least.map_or(shown, |it| it.max(shown))
}

/// The repairs with the safety and the confidence that their classes leave them, and the classes.
pub(crate) fn settled(
    repairs: &[Arc<Repair>],
    snapshot: &Snapshot,
) -> (Vec<Arc<Repair>>, Vec<RepairClass>) {
    let settle = |repair: &Arc<Repair>| {
        let class = class_of(repair, snapshot);
        let (safety, confidence) = bounds(repair, class);
        let is_same = safety == repair.safety && confidence == repair.confidence;
        let repair = match is_same {
            true => Arc::clone(repair),
            false => Arc::new(Repair { safety, confidence, ..(**repair).clone() }),
        };
        (repair, class)
    };
    repairs.iter().map(settle).unzip()
}

/// The safety and the confidence of a repair of this class. What a contract states stays.
fn bounds(repair: &Repair, class: RepairClass) -> (Safety, Confidence) {
    let (safety, confidence) = (repair.safety, repair.confidence);
    match class {
        _ if repair.grounds.is_stated => (safety, confidence),
        RepairClass::Declare | RepairClass::Stub => (Safety::BehaviorChanging, confidence),
        RepairClass::Delete if !repair.grounds.is_redundant => (safety, Confidence::Low),
        _ => (safety, confidence),
    }
}

/// What was seen of a repair.
#[derive(Default)]
struct Seen {
    /// The tokens that came less those that went, by text: what only moved is neither.
    balance: BTreeMap<String, (TokenKind, i64)>,
    hides: bool,
    fails: bool,
    declares: bool,
    adds_file: bool,
    /// An empty string that came in. Means something only if nothing went.
    has_blank: bool,
    /// What a document lost and got.
    n_removed: usize,
    n_written: usize,
}

impl Seen {
    fn step(&mut self, file: &RelPath, step: &GuardedOp) {
        let is_blank = |value: &Value| value.as_str() == Some("");
        match &step.op {
            Op::RemoveKey { .. } | Op::DeleteItem { .. } | Op::DeleteValue { .. } => {
                self.n_removed += 1;
            }
            // Writing down what is there keeps others away, and changes nothing.
            Op::ReplaceValue { value, .. }
                if step.expects.equals.as_ref().is_some_and(|it| it.equals(value)) => {}
            op => {
                self.n_written += 1;
                self.fails |= op.value().is_some_and(is_blank);
                self.hides |= words::is_tool_setting(file) && hides_by_setting(file, op);
            }
        }
    }

    fn text(&mut self, file: &RelPath, language: &LanguageWords, delta: &Delta) {
        for (tokens, by) in [(&delta.removed, -1), (&delta.added, 1)] {
            for (kind, text) in tokens {
                self.balance.entry(text.clone()).or_insert((*kind, 0)).1 += by;
            }
        }
        let squeezed = |text: &str| words::squeezed(text);
        let (old, new) = (squeezed(&delta.old), squeezed(&delta.new));
        let rises = |count: fn(&str) -> usize| {
            let n_new = count(&new);
            n_new > 0 && n_new > count(&old)
        };
        self.hides |= rises(words::n_markers);
        self.hides |= delta.removed.is_empty() && gives_up_a_value(delta);
        // Few texts have such a word, and the name of every file would be compared with a long list.
        self.hides |= rises(words::n_setting_words) && words::is_tool_setting(file);
        self.fails |= language.stubs.iter().any(|it| delta.n_rises(it));
        self.declares |= delta.declares(language);
        self.has_blank |= delta.n_rises(&["\"\""]) || delta.n_rises(&["''"]);
    }

    fn class(&self, is_stated: bool) -> RepairClass {
        let of = |sign: i64| {
            let some = self.balance.iter().filter(move |it| it.1.1.signum() == sign);
            some.map(|(text, (kind, _))| (*kind, text.as_str()))
        };
        let is_said = |it: &(TokenKind, &str)| it.0 != TokenKind::Sign;
        let came: Vec<(TokenKind, &str)> = of(1).filter(is_said).collect();
        let went: Vec<(TokenKind, &str)> = of(-1).filter(is_said).collect();
        if self.hides || (!is_stated && is_unnamed(&came, &went)) {
            return RepairClass::Suppress;
        }
        // An empty block of Python is `pass`, and code that became a comment is gone.
        let is_nothing = |it: &(TokenKind, &str)| it.0 == TokenKind::Comment || it.1 == "pass";
        let has_removed = self.n_removed > 0 || !went.is_empty();
        if has_removed && self.n_written == 0 && came.iter().all(is_nothing) {
            return RepairClass::Delete;
        }
        let is_note = !came.is_empty() && came.iter().all(|it| it.0 == TokenKind::Comment);
        let is_reminder = is_note && came.iter().any(|it| words::is_reminder(it.1));
        if self.fails || (!has_removed && (self.has_blank || is_reminder)) {
            return RepairClass::Stub;
        }
        // What is in a file that was missing is a guess, whatever it is.
        let declares = self.adds_file || (self.declares && !came.is_empty());
        if declares && !has_removed { RepairClass::Declare } else { RepairClass::Repair }
    }
}

/// Whether all that a repair does is to give names an underscore, or to put `_` in their place.
fn is_unnamed(came: &[(TokenKind, &str)], went: &[(TokenKind, &str)]) -> bool {
    let is_underscored = |(_, text): &(TokenKind, &str)| {
        let name = text.strip_prefix('_');
        *text == "_" || name.is_some_and(|name| went.iter().any(|it| it.1 == name))
    };
    let has_name = |(_, name): &(TokenKind, &str)| {
        came.iter().any(|it| it.1 == "_" || it.1.strip_prefix('_') == Some(*name))
    };
    let is_rename = !came.is_empty() && !went.is_empty();
    is_rename && came.iter().all(is_underscored) && went.iter().all(has_name)
}

/// Whether a value is given to `_`; an arm for `_` and a comparison with it are not that.
fn gives_up_a_value(delta: &Delta) -> bool {
    let is_assigned = delta.n_rises(&["_", "="])
        && !delta.n_rises(&["_", "=", ">"])
        && !delta.n_rises(&["_", "=", "="]);
    is_assigned || delta.n_rises(&[":", "_"])
}

/// Whether a setting of a tool is written that turns something off.
fn hides_by_setting(file: &RelPath, op: &Op) -> bool {
    let is_off = match op.value() {
        Some(Value::Bool(false)) => words::is_strictness(file),
        Some(Value::String(text)) => matches!(text.as_str(), "off" | "ignore" | "allow" | "none"),
        _ => false,
    };
    // Another value of a setting that is there is not more of it.
    let (at, key) = match op {
        Op::AddKey { at, key, .. } => (at, Some(key)),
        Op::SetValue { at, .. } | Op::InsertItem { at, .. } => (at, None),
        _ => return is_off,
    };
    let mut names = at.segments().iter().chain(key);
    is_off || names.any(|it| words::n_setting_words(&words::squeezed(it)) > 0)
}

#[cfg(test)]
mod tests;
