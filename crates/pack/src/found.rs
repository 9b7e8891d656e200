//! What a semantic or policy rule has found, before it has an identity and places in the text. Unlike a schema
//! violation it may speak of several files.

use std::collections::BTreeMap;
use std::ops::Range;

use check::{Confidence, RepairKind, RepairOp, Safety, Severity};
use document::{GuardedOp, Pointer, Value};
use snapshot::RelPath;

use crate::finding::MemberPart;
use crate::selector::Occurrence;

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
    pub(crate) elsewhere: Vec<RelatedPlace>,
    /// What would mend it, if that is known.
    pub(crate) mend: Option<Suggestion>,
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
        self.elsewhere.iter_mut().for_each(|it| it.document = document);
        for op in self.mend.iter_mut().flat_map(|it| &mut it.ops) {
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
            elsewhere: Vec::new(),
            mend: None,
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

    pub(crate) fn with(self, mend: Option<Suggestion>) -> RuleFinding {
        RuleFinding { mend, ..self }
    }

    /// Every file that the finding or one of its mends names.
    pub(crate) fn files(&self) -> impl Iterator<Item = &RelPath> {
        let elsewhere = self.elsewhere.iter().map(|it| &it.file);
        let mended = self.mend.iter().flat_map(|it| it.ops.iter().map(RepairOp::file));
        std::iter::once(&self.file).chain(elsewhere).chain(mended)
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
