//! `unique`: a value stands at one place only. No repair: which of the two is meant to change is for a person to say.

use std::collections::HashMap;

use super::Within;
use crate::finding::{RelatedPlace, RuleFinding};
use crate::selector::{FileOccurrence, Selector, shown};

#[derive(Debug)]
pub(crate) struct Unique {
    pub(crate) places: Vec<Selector>,
    pub(crate) within: Within,
}

impl Unique {
    /// Facts in the order of path and position. All but the first of equals are wrong.
    pub(crate) fn look(&self, occurrences: &[FileOccurrence<'_>]) -> Vec<RuleFinding> {
        let mut first: HashMap<&str, FileOccurrence<'_>> =
            HashMap::with_capacity(occurrences.len());
        let mut found = Vec::new();
        for &(file, occurrence) in occurrences.iter().filter(|it| it.1.is_scalar()) {
            let Some(&(first_file, first_fact)) = first.get(&*occurrence.key) else {
                first.insert(&occurrence.key, (file, occurrence));
                continue;
            };
            let where_else =
                if first_file == file { "above".to_owned() } else { format!("in {first_file}") };
            let message = format!(
                "{} is taken: it is already at `{}` {where_else}; give one of them another value",
                shown(&occurrence.value),
                first_fact.at,
            );
            let mut one = RuleFinding::at_occurrence(file, occurrence, message);
            one.related.push(RelatedPlace::new(first_file, first_fact, "the first one is here"));
            found.push(one);
        }
        found
    }
}
