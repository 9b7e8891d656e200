//! `unique`: a value stands at one place only. No repair: which of the two is meant to change is for a person to say.

use std::collections::HashMap;

use super::Within;
use crate::found::{Elsewhere, Found};
use crate::place::{Place, Sited, shown};

#[derive(Debug)]
pub(crate) struct Unique {
    pub(crate) places: Vec<Place>,
    pub(crate) within: Within,
}

impl Unique {
    /// Facts in the order of path and position. All but the first of equals are wrong.
    pub(crate) fn look(&self, facts: &[Sited<'_>]) -> Vec<Found> {
        let mut first: HashMap<&str, Sited<'_>> = HashMap::with_capacity(facts.len());
        let mut found = Vec::new();
        for &(file, fact) in facts.iter().filter(|it| it.1.is_scalar()) {
            let Some(&(first_file, first_fact)) = first.get(&*fact.key) else {
                first.insert(&fact.key, (file, fact));
                continue;
            };
            let where_else =
                if first_file == file { "above".to_owned() } else { format!("in {first_file}") };
            let message = format!(
                "{} is taken: it already stands at `{}` {where_else}; give one of them another value",
                shown(&fact.value),
                first_fact.at,
            );
            let mut one = Found::at_fact(file, fact, message);
            one.elsewhere.push(Elsewhere::new(first_file, first_fact, "the first one is here"));
            found.push(one);
        }
        found
    }
}
