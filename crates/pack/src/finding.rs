//! What rules find, before it has an identity and places in the text.
//!
//! There is one way from a rule to a report. The schema tier sees one document and makes [`SchemaViolation`]s; rules about
//! files and the tree make [`RuleFinding`]s, which may speak of several files; the checks of workflows collect
//! `WorkflowProblem`s and turn them into `RuleFinding`s. [`crate::report`] tries what would repair them and makes each a
//! [`Diagnostic`], and each [`Suggestion`] a [`Repair`].

use std::collections::BTreeMap;
use std::ops::Range;

use check::{Confidence, Diagnostic, Grounds, Repair, RepairKind, RepairOp, Safety, Severity};
use document::{GuardedOp, Pointer, Value};
use snapshot::RelPath;

use crate::report::label;
use crate::selector::Occurrence;

/// Which bytes a finding is shown at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MemberPart {
    /// The value at the pointer.
    Value,
    /// Its key, if it has one; else the value. For findings about what an object lacks or which key it has.
    Key,
}

/// The detail that says why a rule could not be decided.
pub(crate) const UNDECIDED: &str = "undecided";

/// Something that is wrong at one place.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RuleFinding {
    pub(crate) file: RelPath,
    /// Which document of the file.
    pub(crate) document: usize,
    pub(crate) at: Pointer,
    pub(crate) anchor: MemberPart,
    /// The bytes it is shown at, where they are a part of what stands at the place.
    pub(crate) range: Option<Range<u32>>,
    /// What is wrong and what to do.
    pub(crate) message: String,
    /// Another severity than the rule's.
    pub(crate) severity: Option<Severity>,
    pub(crate) details: BTreeMap<String, Value>,
    pub(crate) related: Vec<RelatedPlace>,
    /// What would mend it, if that is known.
    pub(crate) suggestion: Option<Suggestion>,
}

/// A place that has to do with a finding.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct RelatedPlace {
    pub(crate) file: RelPath,
    /// Which document of the file.
    pub(crate) document: usize,
    pub(crate) at: Pointer,
    pub(crate) anchor: MemberPart,
    pub(crate) message: String,
}

/// What would mend a finding.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Suggestion {
    pub(crate) title: String,
    pub(crate) rationale: String,
    pub(crate) safety: Safety,
    pub(crate) confidence: Confidence,
    pub(crate) kind: RepairKind,
    pub(crate) ops: Vec<RepairOp>,
}

impl RuleFinding {
    pub(crate) fn at_occurrence(
        file: &RelPath,
        occurrence: &Occurrence,
        message: String,
    ) -> RuleFinding {
        let found = RuleFinding::new(file, occurrence.pointer(), occurrence.anchor(), message);
        RuleFinding { document: occurrence.document, ..found }
    }

    /// The same of another document of the file, for a rule that looks at one document alone.
    pub(crate) fn in_document(mut self, document: usize) -> RuleFinding {
        self.document = document;
        self.related.iter_mut().for_each(|it| it.document = document);
        for op in self.suggestion.iter_mut().flat_map(|it| &mut it.ops) {
            if let RepairOp::Document { step, .. } = op {
                step.document = document;
            }
        }
        self
    }

    pub(crate) fn new(
        file: &RelPath,
        at: Pointer,
        anchor: MemberPart,
        message: String,
    ) -> RuleFinding {
        RuleFinding {
            file: file.clone(),
            document: 0,
            at,
            anchor,
            range: None,
            message,
            severity: None,
            details: BTreeMap::new(),
            related: Vec::new(),
            suggestion: None,
        }
    }

    pub(crate) fn detail(mut self, name: &str, value: &str) -> RuleFinding {
        self.details.insert(name.to_owned(), Value::String(value.to_owned()));
        self
    }

    /// Whether it says that the rule could not be decided at the place.
    pub(crate) fn is_undecided(&self) -> bool {
        self.details.contains_key(UNDECIDED)
    }

    pub(crate) fn with(self, suggestion: Option<Suggestion>) -> RuleFinding {
        RuleFinding { suggestion, ..self }
    }

    /// Every file that the finding or one of its mends names.
    pub(crate) fn files(&self) -> impl Iterator<Item = &RelPath> {
        let related = self.related.iter().map(|it| &it.file);
        let suggested = self.suggestion.iter().flat_map(|it| it.ops.iter().map(RepairOp::file));
        std::iter::once(&self.file).chain(related).chain(suggested)
    }
}

impl RelatedPlace {
    pub(crate) fn new(
        file: &RelPath,
        occurrence: &Occurrence,
        message: impl Into<String>,
    ) -> RelatedPlace {
        let message = message.into();
        let (document, at, anchor) =
            (occurrence.document, occurrence.pointer(), occurrence.anchor());
        RelatedPlace { file: file.clone(), document, at, anchor, message }
    }
}

/// One operation on a document.
pub(crate) fn op(file: &RelPath, step: GuardedOp) -> RepairOp {
    RepairOp::Document { file: file.clone(), step }
}

/// Something that the schema tier finds wrong in one document. It knows no file: the schema tier sees a document.
#[derive(Clone, Debug)]
pub(crate) struct SchemaViolation {
    /// The rule: `SCHEMA_…`, `SEM_…` or `POL_…`.
    pub(crate) rule_id: String,
    /// The place it is about.
    pub(crate) at: Pointer,
    /// The bytes it is shown at.
    pub(crate) anchor: MemberPart,
    /// What is wrong, why it matters and what to do.
    pub(crate) message: String,
    /// Whether whoever reads the file passes over what is wrong.
    pub(crate) is_harmless: bool,
    /// Facts for machines. No long or secret values.
    pub(crate) details: BTreeMap<String, Value>,
    /// What would mend it, the best first. Alternatives: at most one is applied.
    pub(crate) proposals: Vec<SchemaRepair>,
}

/// A repair of a violation.
#[derive(Clone, Debug)]
pub(crate) struct SchemaRepair {
    pub(crate) title: String,
    pub(crate) rationale: String,
    pub(crate) safety: Safety,
    pub(crate) confidence: Confidence,
    /// Operations on the same document, in order.
    pub(crate) steps: Vec<GuardedOp>,
    /// Which other violations of the same list will be gone too, by position.
    pub(crate) also_resolves: Vec<usize>,
}

impl SchemaRepair {
    /// The same for a document of a file.
    pub(crate) fn in_file(self, file: &RelPath) -> Suggestion {
        Suggestion {
            title: self.title,
            rationale: self.rationale,
            safety: self.safety,
            confidence: self.confidence,
            kind: RepairKind::LocalFix,
            ops: self.steps.into_iter().map(|it| op(file, it)).collect(),
        }
    }
}

impl Suggestion {
    /// The repair of a finding that has its id.
    pub(crate) fn into_repair(self, finding: &Diagnostic) -> Repair {
        let title = label(&self.title);
        Repair {
            rationale: self.rationale,
            kind: self.kind,
            // A pack removes only what stands there twice.
            grounds: Grounds { is_redundant: true, ..Grounds::default() },
            ..Repair::resolving(finding, title, self.safety, self.confidence, self.ops)
        }
    }
}
