//! What the checks have to say, and how it becomes findings with places and repairs.

use std::ops::Range;

use check::{Confidence, RepairKind, RepairOp, Safety, Severity};
use document::{GuardedOp, Limits, Op, Pointer, Preconditions, Value};
use edit::{Edit, EditSet};

use super::node::Node;
use super::sites::Sites;
use super::{ByRule, MAX_PROBLEMS};
use crate::finding::{MemberPart, RuleFinding, Suggestion, op};
use crate::rules::FileView;
use crate::schema::cut;
use crate::typo::{self, Nearness};

/// Something that is wrong at one place.
pub(super) struct WorkflowProblem {
    pub(super) rule: &'static str,
    severity: Severity,
    at: Pointer,
    anchor: MemberPart,
    /// The bytes of the text of the scalar.
    within: Option<Range<usize>>,
    message: String,
    fix: Option<ProblemFix>,
}

/// What would mend it.
pub(super) struct ProblemFix {
    pub(super) title: String,
    pub(super) safety: Safety,
    pub(super) confidence: Confidence,
    pub(super) change: FixChange,
}

pub(super) enum FixChange {
    Step(GuardedOp),
    /// Parts of the text of the scalar become others.
    Texts(Vec<(Range<usize>, String)>),
}

#[derive(Default)]
pub(super) struct WorkflowProblems {
    list: Vec<WorkflowProblem>,
}

impl WorkflowProblems {
    fn push(
        &mut self,
        rule: &'static str,
        severity: Severity,
        (at, anchor): (&Pointer, MemberPart),
        message: String,
    ) -> &mut WorkflowProblem {
        let at = at.clone();
        self.list.push(WorkflowProblem {
            rule,
            severity,
            at,
            anchor,
            within: None,
            message,
            fix: None,
        });
        let last = self.list.len() - 1;
        &mut self.list[last]
    }

    /// Something is wrong with a value.
    pub(super) fn value(
        &mut self,
        rule: &'static str,
        severity: Severity,
        node: &Node<'_>,
        message: impl Into<String>,
    ) -> &mut WorkflowProblem {
        self.push(rule, severity, (&node.at, MemberPart::Value), message.into())
    }

    /// Something is wrong with a key, or with what it is the key of as a whole.
    pub(super) fn key(
        &mut self,
        rule: &'static str,
        severity: Severity,
        node: &Node<'_>,
        message: impl Into<String>,
    ) -> &mut WorkflowProblem {
        self.push(rule, severity, (&node.at, MemberPart::Key), message.into())
    }

    /// Something is wrong with a part of a text.
    pub(super) fn part(
        &mut self,
        rule: &'static str,
        severity: Severity,
        node: &Node<'_>,
        within: Range<usize>,
        message: impl Into<String>,
    ) -> &mut WorkflowProblem {
        let problem = self.value(rule, severity, node, message);
        problem.within = Some(within);
        problem
    }

    /// A name is not in a table: an error with a repair if it is near to one that is, else only worth knowing.
    pub(super) fn unknown_value<'n>(
        &mut self,
        rule: &'static str,
        node: &Node<'_>,
        what: &str,
        known: impl IntoIterator<Item = &'n str> + Clone,
    ) {
        let Some(text) = node.text() else { return };
        let near = typo::nearest(text, known.clone());
        let severity = if near.is_some() { Severity::Error } else { Severity::Info };
        let message = unknown(what, text, near, known);
        let problem = self.value(rule, severity, node, message);
        if let Some((name, nearness)) = near {
            problem.replace(text, name, nearness);
        }
    }

    /// The same for a key of an object.
    pub(super) fn unknown_key<'n>(
        &mut self,
        rule: &'static str,
        object: &Node<'_>,
        key: &str,
        what: &str,
        known: impl IntoIterator<Item = &'n str> + Clone,
    ) {
        let free = known.clone().into_iter().filter(|it| !object.has(it));
        let near = typo::nearest(key, free);
        let severity = if near.is_some() { Severity::Error } else { Severity::Info };
        let message = unknown(what, key, near, known);
        let node = Node { value: object.value, at: object.at.join(key) };
        let problem = self.key(rule, severity, &node, message);
        if let Some((name, nearness)) = near {
            problem.rename(object, key, name, nearness);
        }
    }

    pub(super) fn into_found(mut self, view: &FileView<'_>) -> Vec<ByRule> {
        self.list.truncate(MAX_PROBLEMS);
        let sites = view.document.map(|it| Sites::of(it, self.list.iter().map(|it| &it.at)));
        self.list
            .into_iter()
            .map(|it| {
                let rule = it.rule;
                (rule, it.into_found(view, sites.as_ref()))
            })
            .collect()
    }
}

fn unknown<'n>(
    what: &str,
    name: &str,
    near: Option<(&str, Nearness)>,
    known: impl IntoIterator<Item = &'n str>,
) -> String {
    match near {
        Some((near, _)) => format!("unknown {what}: `{}`; consider `{near}`", cut(name)),
        None => {
            let shown = typo::nearest_first(name, known, 6).join("`, `");
            let known = if shown.is_empty() {
                String::new()
            } else {
                format!("; expected one of `{shown}`, …")
            };
            format!("unknown {what}: `{}`{known}", cut(name))
        }
    }
}

impl WorkflowProblem {
    /// A name that was meant to be another one is for a person to decide, as everywhere in packs, unless only case is
    /// wrong.
    pub(super) fn replace(&mut self, old: &str, new: &str, nearness: Nearness) {
        let at = self.at.clone();
        let value = Value::String(new.to_owned());
        let expects = Preconditions {
            equals: Some(Value::String(old.to_owned())),
            ..Preconditions::default()
        };
        self.fix = Some(ProblemFix {
            title: format!("Change `{}` to `{new}`", cut(old)),
            safety: match new.eq_ignore_ascii_case(old) {
                true => Safety::LikelyPreserving,
                false => Safety::BehaviorChanging,
            },
            confidence: confidence(nearness),
            change: FixChange::Step(GuardedOp {
                expects,
                ..GuardedOp::from(Op::ReplaceValue { at, value })
            }),
        });
    }

    pub(super) fn rename(&mut self, object: &Node<'_>, old: &str, new: &str, nearness: Nearness) {
        let (at, from, to) = (object.at.clone(), old.to_owned(), new.to_owned());
        self.fix = Some(ProblemFix {
            title: format!("Rename `{}` to `{new}`", cut(old)),
            safety: Safety::BehaviorChanging,
            confidence: confidence(nearness),
            change: FixChange::Step(GuardedOp::from(Op::RenameKey { at, from, to })),
        });
    }

    /// The part that the problem is about was meant to be another one.
    pub(super) fn replace_part(&mut self, text: &str, new: &str, nearness: Nearness) {
        let Some(within) = self.within.clone() else { return };
        let Some(old) = text.get(within.clone()) else { return };
        self.fix = Some(ProblemFix {
            title: format!("Change `{}` to `{}`", cut(old), cut(new)),
            safety: Safety::BehaviorChanging,
            confidence: confidence(nearness),
            change: FixChange::Texts(vec![(within, new.to_owned())]),
        });
    }

    pub(super) fn with(&mut self, fix: Option<ProblemFix>) {
        self.fix = fix;
    }

    fn into_found(self, view: &FileView<'_>, sites: Option<&Sites<'_>>) -> RuleFinding {
        let suggestion = self.fix.and_then(|it| it.into_mend(view, sites, &self.at));
        let range = self.within.zip(sites);
        let range = range.and_then(|(within, sites)| sites.locate(&self.at, within));
        RuleFinding {
            severity: Some(self.severity),
            range,
            ..RuleFinding::new(view.file, self.at, self.anchor, self.message).with(suggestion)
        }
    }
}

pub(super) fn confidence(nearness: Nearness) -> Confidence {
    match nearness {
        Nearness::Variant => Confidence::High,
        Nearness::Typo => Confidence::Medium,
    }
}

impl ProblemFix {
    fn into_mend(
        self,
        view: &FileView<'_>,
        sites: Option<&Sites<'_>>,
        at: &Pointer,
    ) -> Option<Suggestion> {
        let op = match self.change {
            FixChange::Step(step) => op(view.file, step),
            FixChange::Texts(parts) => {
                let (document, sites) = (view.document?, sites?);
                let edits: Option<Vec<Edit>> = parts
                    .iter()
                    .map(|(within, new)| {
                        let range = sites.exact(at, within.clone())?;
                        Some(Edit::replace(range.start, range.end, new.as_bytes().to_vec()))
                    })
                    .collect();
                let edits = EditSet::new(document.text(), edits?).ok()?;
                // Read again, as the document would do with an edit of its own.
                let after = edits.apply(document.text()).ok()?;
                let after = document::parse(&after, document.format(), &Limits::DEFAULT).ok()?;
                let text = after.value_at(at)?;
                if text.as_str()? != replaced(document.value_at(at)?.as_str()?, &parts)? {
                    return None;
                }
                RepairOp::Text { file: view.file.clone(), edits }
            }
        };
        Some(Suggestion {
            rationale: self.title.clone(),
            title: self.title,
            safety: self.safety,
            confidence: self.confidence,
            kind: RepairKind::LocalFix,
            ops: vec![op],
        })
    }
}

/// The text with parts replaced.
fn replaced(text: &str, parts: &[(Range<usize>, String)]) -> Option<String> {
    let mut sorted: Vec<&(Range<usize>, String)> = parts.iter().collect();
    sorted.sort_by_key(|it| it.0.start);
    let mut out = String::new();
    let mut from = 0;
    for (range, new) in sorted {
        out.push_str(text.get(from..range.start)?);
        out.push_str(new);
        from = range.end;
    }
    out.push_str(text.get(from..)?);
    Some(out)
}
