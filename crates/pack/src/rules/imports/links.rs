//! Who imports whom, by number: where imports lead in the end, and what is said of a cycle.

use std::collections::HashSet;

use document::Value;

use super::cycles::{self, FileGraph};
use crate::finding::{RelatedPlace, RuleFinding};
use crate::selector::{FileOccurrence, shown};

/// How far all repairs of a rule together may be followed.
const MAX_STEPS: usize = 2_000_000;

/// The most members of a cycle that a message names.
const MAX_SHOWN: usize = 8;

/// An import that leads from one node to another.
#[derive(Clone, Copy)]
pub(super) struct Link<'a> {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) located: FileOccurrence<'a>,
}

/// What links and cycles are called.
pub(super) struct LinkTerms {
    pub(super) verb: &'static str,
    pub(super) cycle: &'static str,
}

/// The nodes by name, and the links between them: the first of each two nodes, in the order of the nodes.
pub(super) struct Links<'a> {
    names: Vec<&'a str>,
    links: Vec<Link<'a>>,
    graph: FileGraph,
    n_left: usize,
}

impl<'a> Links<'a> {
    pub(super) fn new(names: Vec<&'a str>, mut links: Vec<Link<'a>>) -> Links<'a> {
        links.sort_by_key(|it| (it.from, it.to));
        links.dedup_by_key(|it| (it.from, it.to));
        let graph = FileGraph::new(names.len(), links.iter().map(|it| (it.from, it.to)));
        Links { names, links, graph, n_left: MAX_STEPS }
    }

    /// Whether `from` is `to` or imports it in the end; also if that takes too long to find out.
    pub(super) fn lead_back(&mut self, from: usize, to: usize) -> bool {
        let mut seen: HashSet<usize> = HashSet::new();
        let mut todo = vec![from];
        while let Some(node) = todo.pop() {
            if node == to || self.n_left == 0 {
                return true;
            }
            self.n_left -= 1;
            todo.extend(self.graph.next(node).iter().filter(|it| seen.insert(**it)));
        }
        false
    }

    /// One finding per cycle, at the import that leads back to the first node of it.
    pub(super) fn cycles(&self, words: &LinkTerms) -> Vec<RuleFinding> {
        cycles::find(&self.graph).iter().filter_map(|it| self.cycle(it, words)).collect()
    }

    fn cycle(&self, cycle: &[usize], words: &LinkTerms) -> Option<RuleFinding> {
        let (first, last) = (*cycle.first()?, *cycle.last()?);
        let (file, occurrence) = self.located(last, first)?;
        let names: Vec<&str> = cycle.iter().map(|it| self.names[*it]).collect();
        let message = match names.as_slice() {
            [name] => format!("`{name}` {} itself; remove that", words.verb),
            _ => {
                format!(
                    "{} closes {}: {}; remove one of them",
                    shown(&occurrence.value),
                    words.cycle,
                    way(&names)
                )
            }
        };
        let mut found = RuleFinding::at_occurrence(file, occurrence, message);
        let members = names.iter().map(|it| Value::String((*it).to_owned())).collect();
        found.details.insert("cycle".to_owned(), Value::Array(members));
        let on_the_way = cycle.windows(2).take(MAX_SHOWN).filter_map(|pair| {
            let (file, occurrence) = self.located(pair[0], pair[1])?;
            Some(RelatedPlace::new(
                file,
                occurrence,
                format!("{} {}", words.verb, self.names[pair[1]]),
            ))
        });
        found.related = on_the_way.collect();
        Some(found)
    }

    fn located(&self, from: usize, to: usize) -> Option<FileOccurrence<'a>> {
        let idx = self.links.binary_search_by_key(&(from, to), |it| (it.from, it.to)).ok()?;
        Some(self.links[idx].located)
    }
}

/// The names on the way, the first once more at the end; cut where there are many.
fn way(names: &[&str]) -> String {
    let first = names.first().copied().unwrap_or_default();
    match names.get(..MAX_SHOWN) {
        Some(start) if names.len() > MAX_SHOWN => {
            format!("{} → … → {first}", start.join(" → "))
        }
        _ => format!("{} → {first}", names.join(" → ")),
    }
}
