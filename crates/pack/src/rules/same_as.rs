//! `same_as`: one place defines a value, others must equal it. Repair: the copy gets the source's value.

use check::{Confidence, RepairKind, Safety};

use crate::found::{Elsewhere, Found, Mend, op};
use crate::place::{Place, Sited, shown, stricter};

#[derive(Debug)]
pub(crate) struct SameAs {
    pub(crate) source: Place,
    pub(crate) copies: Vec<Place>,
}

impl SameAs {
    pub(crate) fn look(
        &self,
        floor: Option<Safety>,
        sources: &[Sited<'_>],
        copies: &[Sited<'_>],
    ) -> Vec<Found> {
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

    fn without_source(&self, (file, fact): Sited<'_>) -> Found {
        let message = format!(
            "{} should equal the value at {}, but there is none; define it there",
            shown(&fact.value),
            self.source.words(),
        );
        Found::at_fact(file, fact, message)
    }

    fn one_of_several(
        &self,
        (file, fact): Sited<'_>,
        first: Sited<'_>,
        second: Sited<'_>,
    ) -> Found {
        let message = format!(
            "{} is one of several values at {}, which must define exactly one; keep one of them",
            shown(&fact.value),
            self.source.words(),
        );
        let mut found = Found::at_fact(file, fact, message);
        let (file, fact) = if fact.key == first.1.key { second } else { first };
        found.elsewhere.push(Elsewhere::new(file, fact, "another value is here"));
        found
    }
}

fn differs(floor: Option<Safety>, source: Sited<'_>, copy: Sited<'_>) -> Found {
    let (source_file, source_fact) = source;
    let (file, fact) = copy;
    let (old, new) = (shown(&fact.value), shown(&source_fact.value));
    let message = format!(
        "{old} should be {new}: `{}` in {source_file} defines it; make them equal",
        source_fact.at
    );
    let mend = fact.set(&source_fact.value).map(|step| Mend {
        title: format!("Change {old} to {new}"),
        rationale: format!(
            "`{}` in {source_file} is the one place that defines this value",
            source_fact.at
        ),
        safety: stricter(Safety::BehaviorChanging, floor),
        confidence: Confidence::High,
        kind: RepairKind::LocalFix,
        ops: vec![op(file, step)],
    });
    let mut found = Found::at_fact(file, fact, message).with(mend);
    found.elsewhere.push(Elsewhere::new(source_file, source_fact, "the value is defined here"));
    found
}
