//! `same_as`: one place defines a value, others must equal it. Repair: the copy gets the source's value.

use check::{Confidence, RepairKind, Safety};

use crate::finding::{RelatedPlace, RuleFinding, Suggestion, op};
use crate::selector::{FileOccurrence, Selector, shown, stricter};

#[derive(Debug)]
pub(crate) struct SameAs {
    pub(crate) source: Selector,
    pub(crate) copies: Vec<Selector>,
}

impl SameAs {
    pub(crate) fn look(
        &self,
        floor: Option<Safety>,
        sources: &[FileOccurrence<'_>],
        copies: &[FileOccurrence<'_>],
    ) -> Vec<RuleFinding> {
        let Some(&source) = sources.first() else {
            return copies.iter().map(|it| self.without_source(*it)).collect();
        };
        match sources.iter().find(|it| it.1.key != source.1.key) {
            None => {
                let differing = copies.iter().filter(|it| it.1.key != source.1.key);
                differing.map(|it| differs(floor, source, *it)).collect()
            }
            Some(&other) => {
                sources.iter().map(|it| self.one_of_several(*it, source, other)).collect()
            }
        }
    }

    fn without_source(&self, (file, occurrence): FileOccurrence<'_>) -> RuleFinding {
        let message = format!(
            "{} should equal the value at {}, but there is none; define it there",
            shown(&occurrence.value),
            self.source.words(),
        );
        RuleFinding::at_occurrence(file, occurrence, message)
    }

    fn one_of_several(
        &self,
        (file, occurrence): FileOccurrence<'_>,
        first: FileOccurrence<'_>,
        second: FileOccurrence<'_>,
    ) -> RuleFinding {
        let message = format!(
            "{} is one of several values at {}, which must define exactly one; keep one of them",
            shown(&occurrence.value),
            self.source.words(),
        );
        let mut found = RuleFinding::at_occurrence(file, occurrence, message);
        let (file, occurrence) = if occurrence.key == first.1.key { second } else { first };
        found.related.push(RelatedPlace::new(file, occurrence, "another value is here"));
        found
    }
}

fn differs(
    floor: Option<Safety>,
    source: FileOccurrence<'_>,
    copy: FileOccurrence<'_>,
) -> RuleFinding {
    let (source_file, source_occurrence) = source;
    let (file, occurrence) = copy;
    let (old, new) = (shown(&occurrence.value), shown(&source_occurrence.value));
    let message = format!(
        "{old} should be {new}: `{}` in {source_file} defines it; make them equal",
        source_occurrence.at
    );
    let suggestion = occurrence.set(&source_occurrence.value).map(|step| Suggestion {
        title: format!("Change {old} to {new}"),
        rationale: format!(
            "`{}` in {source_file} is the one place that defines this value",
            source_occurrence.at
        ),
        safety: stricter(Safety::BehaviorChanging, floor),
        confidence: Confidence::High,
        kind: RepairKind::LocalFix,
        ops: vec![op(file, step)],
    });
    let mut found = RuleFinding::at_occurrence(file, occurrence, message).with(suggestion);
    found.related.push(RelatedPlace::new(
        source_file,
        source_occurrence,
        "the value is defined here",
    ));
    found
}
