//! `derived`: a value is what a template makes of other values of its document. Repair: set it. Where other files name
//! the value, the repair changes them with it, or there is none.

use check::{Confidence, RepairKind, RepairOp, Safety};
use document::{Op, Pointer, Value};
use snapshot::RelPath;

use super::FileView;
use crate::finding::{MemberPart, RuleFinding, Suggestion, op};
use crate::pattern::Lookup;
use crate::selector::{Occurrence, Selector, replace, shown, stricter};
use crate::template::Template;
use crate::tree::PackTree;

#[derive(Debug)]
pub(crate) struct Derived {
    pub(crate) at: Selector,
    pub(crate) template: Template,
    /// How the template is written, for messages.
    pub(crate) text: String,
    /// Whether a rule that compares files looks at the same place.
    pub(crate) is_shared: bool,
}

impl Derived {
    /// The values that are not what the template says, each with what it should be. A missing one is null with its key
    /// as the place.
    pub(crate) fn occurrences(&self, view: &FileView<'_>) -> Vec<Occurrence> {
        if self.at.kind != view.kind {
            return Vec::new();
        }
        self.wrong(view.value)
            .into_iter()
            .map(|it| Occurrence {
                is_key: it.found.is_none(),
                wanted: Some(it.wanted.into()),
                ..Occurrence::new(&it.at, it.found.unwrap_or(&Value::Null))
            })
            .collect()
    }

    pub(crate) fn look_at_file(
        &self,
        floor: Option<Safety>,
        view: &FileView<'_>,
    ) -> Vec<RuleFinding> {
        let occurrences = self.occurrences(view);
        occurrences.iter().map(|it| self.found(floor, view.file, it, Some(Vec::new()))).collect()
    }

    /// Like [`Derived::look_at_file`], with the places in other files that name the old value.
    pub(crate) fn look_at_tree(
        &self,
        floor: Option<Safety>,
        idx: usize,
        tree: &PackTree<'_>,
    ) -> Vec<RuleFinding> {
        let occurrences = tree.occurrences(idx, 0).into_iter();
        occurrences
            .map(|(file, occurrence)| {
                let wanted =
                    Value::String(occurrence.wanted.as_deref().unwrap_or_default().to_owned());
                let others = if occurrence.is_key {
                    tree.may_add(idx, (file, occurrence), &occurrence.pointer(), &wanted)
                        .then(Vec::new)
                } else {
                    tree.renames(idx, (file, occurrence), &wanted)
                };
                self.found(floor, file, occurrence, others)
            })
            .collect()
    }

    /// `others` are operations that must go along; `None` where that cannot be done.
    fn found(
        &self,
        floor: Option<Safety>,
        file: &RelPath,
        occurrence: &Occurrence,
        others: Option<Vec<RepairOp>>,
    ) -> RuleFinding {
        let wanted = Value::String(occurrence.wanted.as_deref().unwrap_or_default().to_owned());
        let at = occurrence.pointer();
        if occurrence.is_key {
            let message = format!("is missing; `{}` makes it {}", self.text, shown(&wanted));
            let place = at.split_last().filter(|_| others.is_some());
            let suggestion = place.map(|(object, key)| Suggestion {
                title: format!("Add `{key}` with {}", shown(&wanted)),
                rationale: format!("the template `{}` says so", self.text),
                safety: stricter(Safety::LikelyPreserving, floor),
                confidence: Confidence::High,
                kind: RepairKind::LocalFix,
                ops: vec![op(
                    file,
                    occurrence.step(
                        Op::AddKey { at: object, key: key.to_owned(), value: wanted.clone() }
                            .into(),
                    ),
                )],
            });
            let key = at.segments().last().cloned().unwrap_or_default();
            let found = RuleFinding::at_occurrence(file, occurrence, format!("`{key}` {message}"));
            return RuleFinding { anchor: MemberPart::Key, ..found }.with(suggestion);
        }
        let (old, new) = (shown(&occurrence.value), shown(&wanted));
        let message = format!(
            "{old} should be {new}, the value of `{}` for this document; change it",
            self.text
        );
        let suggestion = others.map(|others| {
            let with = match others.len() {
                0 => String::new(),
                n => format!(", also at the {n} place(s) that name it"),
            };
            let own = op(file, occurrence.step(replace(at, &occurrence.value, wanted.clone())));
            Suggestion {
                title: format!("Change {old} to {new}{with}"),
                rationale: format!("the template `{}` says so", self.text),
                safety: stricter(Safety::BehaviorChanging, floor),
                confidence: Confidence::High,
                kind: if others.is_empty() { RepairKind::LocalFix } else { RepairKind::Refactor },
                ops: std::iter::once(own).chain(others).collect(),
            }
        });
        RuleFinding {
            anchor: MemberPart::Value,
            ..RuleFinding::at_occurrence(file, occurrence, message)
        }
        .with(suggestion)
    }

    fn wrong<'a>(&self, document: &'a Value) -> Vec<Wrong<'a>> {
        let mut wrong = Vec::new();
        let mut lookup = Lookup::default();
        // A place that ends in a star has no key that could be missing.
        let Some((objects, key)) = self.at.pattern.split_last() else {
            for it in self.at.pattern.select(document) {
                let wanted = self.template.render(document, &it.stars, &mut lookup);
                wrong.extend(Wrong::new(it.at, Some(it.value), wanted));
            }
            return wrong;
        };
        for it in objects.select(document) {
            if let Value::Object(_) = it.value {
                let wanted = self.template.render(document, &it.stars, &mut lookup);
                wrong.extend(Wrong::new(it.at.join(key), it.value.get(key), wanted));
            }
        }
        wrong
    }
}

struct Wrong<'a> {
    at: Pointer,
    found: Option<&'a Value>,
    wanted: String,
}

impl<'a> Wrong<'a> {
    fn new(at: Pointer, found: Option<&'a Value>, wanted: Option<String>) -> Option<Wrong<'a>> {
        let wanted = wanted?;
        let is_right = found.and_then(Value::as_str) == Some(wanted.as_str());
        (!is_right).then_some(Wrong { at, found, wanted })
    }
}
