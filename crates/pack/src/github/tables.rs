//! What GitHub documents, read from `tables.txt`: events, filters, permissions, labels, shells, contexts, actions.
//!
//! The file says its date and its source. What is not in a table is unknown, which is not the same as wrong.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

const TEXT: &str = include_str!("tables.txt");

/// The tables.
pub(super) static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::read(TEXT));

#[derive(Default)]
pub(super) struct Tables {
    /// The activity types of every event; `None` is any.
    pub(super) events: BTreeMap<&'static str, Option<Vec<&'static str>>>,
    /// The events that take a filter.
    pub(super) filters: BTreeMap<&'static str, Vec<&'static str>>,
    /// The access that a permission can have.
    pub(super) scopes: BTreeMap<&'static str, Vec<&'static str>>,
    pub(super) labels: BTreeMap<&'static str, Vec<&'static str>>,
    pub(super) shells: BTreeMap<&'static str, Vec<&'static str>>,
    /// The icons and colours that the marketplace has.
    pub(super) branding: BTreeMap<&'static str, Vec<&'static str>>,
    /// What an expression may use, by the key it stands under.
    pub(super) contexts: BTreeMap<&'static str, Available>,
    /// The members of the context `github` with their types.
    pub(super) github: BTreeMap<&'static str, &'static str>,
    /// Releases of actions that no longer run, in lower case.
    pub(super) outdated: HashSet<String>,
    /// Actions by name and release, in lower case.
    pub(super) actions: HashMap<String, ActionFacts>,
    /// The releases of every action in the table, in the order of the table.
    pub(super) releases: HashMap<String, Vec<&'static str>>,
}

/// What an expression under one key may use.
#[derive(Default)]
pub(super) struct Available {
    pub(super) contexts: Vec<&'static str>,
    /// Special functions, in lower case.
    pub(super) functions: Vec<&'static str>,
}

/// One release of an action.
pub(super) struct ActionFacts {
    pub(super) name: &'static str,
    /// `None` is any.
    pub(super) inputs: Option<Vec<InputFacts>>,
    /// `None` is any.
    pub(super) outputs: Option<Vec<&'static str>>,
}

/// One input of an action.
pub(super) struct InputFacts {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    pub(super) is_deprecated: bool,
}

impl Tables {
    fn read(text: &'static str) -> Tables {
        let mut tables = Tables::default();
        for line in text.lines().filter(|it| !it.starts_with('#')) {
            let mut words = line.split(' ');
            let kind = words.next().unwrap_or_default();
            if kind == "outdated" {
                tables.outdated.extend(words.map(str::to_ascii_lowercase));
                continue;
            }
            let Some(name) = words.next() else { continue };
            let words: Vec<&'static str> = words.collect();
            match kind {
                "event" => {
                    tables.events.insert(name, (words != ["*"]).then_some(words));
                }
                "filter" => {
                    tables.filters.insert(name, words);
                }
                "scope" => {
                    tables.scopes.insert(name, words);
                }
                "label" => {
                    tables.labels.insert(name, words);
                }
                "shell" => {
                    tables.shells.insert(name, words);
                }
                "branding" => {
                    tables.branding.insert(name, words);
                }
                "context" => {
                    let (contexts, functions) = halves(words);
                    tables.contexts.insert(name, Available { contexts, functions });
                }
                "github" => {
                    tables.github.insert(name, words.first().copied().unwrap_or("any"));
                }
                "action" => tables.add_action(name, words),
                _ => {}
            }
        }
        tables
    }

    fn add_action(&mut self, name: &'static str, words: Vec<&'static str>) {
        let (inputs, outputs) = halves(words);
        let input = |word: &&'static str| InputFacts {
            name: word.trim_end_matches(['!', '-']),
            is_required: word.contains('!'),
            is_deprecated: word.ends_with('-'),
        };
        let any = |words: &[&str]| words == ["*"];
        let facts = ActionFacts {
            name,
            inputs: (!any(&inputs)).then(|| inputs.iter().map(input).collect()),
            outputs: (!any(&outputs)).then_some(outputs),
        };
        if let Some((action, release)) = name.split_once('@') {
            self.releases.entry(action.to_ascii_lowercase()).or_default().push(release);
        }
        self.actions.insert(name.to_ascii_lowercase(), facts);
    }
}

/// What stands before and behind `|`.
fn halves(words: Vec<&'static str>) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut parts = words.split(|it| *it == "|").map(<[_]>::to_vec);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    ///
    #[test]
    fn the_tables_are_read_whole_and_say_their_date_and_source() {
        assert!(TEXT.contains("# Date: ") && TEXT.contains(" Source: "));
        assert_eq!(TABLES.events.len(), 33);
        assert_eq!(TABLES.events["repository_dispatch"], None);
        assert_eq!(TABLES.filters["tags"], ["push"]);
        assert_eq!(TABLES.scopes["id-token"], ["write", "none"]);
        assert_eq!(TABLES.contexts["run-name"].contexts, ["github", "inputs", "vars"]);
        let checkout = &TABLES.actions["actions/checkout@v4"];
        assert!(checkout.inputs.as_ref().is_some_and(|it| it.iter().any(|it| it.name == "ref")));
        let cache = &TABLES.actions["actions/cache@v4"];
        let required = cache.inputs.iter().flatten().filter(|it| it.is_required);
        assert_eq!(required.map(|it| it.name).collect::<Vec<_>>(), ["key", "path"]);
        assert!(TABLES.outdated.contains("swatinem/rust-cache@v1"));
    }
}
