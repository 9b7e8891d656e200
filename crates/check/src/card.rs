//! What regreen knows about a source of findings before it asks it anything.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use document::Format;
use snapshot::RelPath;

use crate::diagnostic::{Severity, Tier};
use crate::parses::Language;

/// What a source of findings says about itself. Rule lists, pages, names that are taken and files that are read are
/// folds over the cards of a workspace.
#[derive(Clone, Debug)]
pub struct Card {
    /// The plain name: the `source` of all that it says. Unique in a workspace.
    pub name: String,
    /// The names of its phases, in the order in which they look at a file. A later phase may need that the earlier ones
    /// succeeded.
    pub phases: Vec<String>,
    /// The rules that its findings can have.
    pub rules: RuleSet,
    /// The files that its answer depends on.
    pub interest: Interest,
    /// What asking it costs.
    pub cost: Cost,
    /// Whether asking it can run what came with the repository.
    pub trust: Trust,
    /// The languages that it brings a parser for. How other languages write comments is in a table
    /// ([`Syntax`](crate::Syntax)).
    pub languages: Vec<Language>,
}

/// The rules of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleSet {
    /// All of them, by id. A finding of any other rule does not make sense.
    Closed(Vec<RuleInfo>),
    /// Ids as they come: nobody has the list.
    Open,
}

impl RuleSet {
    /// The rules that are known, by id.
    pub fn known(&self) -> &[RuleInfo] {
        match self {
            RuleSet::Closed(rules) => rules,
            RuleSet::Open => &[],
        }
    }

    /// Whether a finding can have this rule.
    pub fn allows(&self, rule_id: &str) -> bool {
        match self {
            RuleSet::Closed(rules) => {
                rules.binary_search_by(|it| it.id.as_str().cmp(rule_id)).is_ok()
            }
            RuleSet::Open => true,
        }
    }

    /// A closed list, in any order.
    pub fn closed(rules: impl IntoIterator<Item = RuleInfo>) -> RuleSet {
        let mut rules: Vec<RuleInfo> = rules.into_iter().collect();
        rules.sort_by(|left, right| left.id.cmp(&right.id));
        rules.dedup_by(|left, right| left.id == right.id);
        RuleSet::Closed(rules)
    }
}

/// What is known of one rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleInfo {
    /// Its id, without the source.
    pub id: String,
    /// What it is about.
    pub tier: Tier,
    /// How bad it is, unless the workspace says otherwise; `None` if it is off or depends on the finding.
    pub severity: Option<Severity>,
}

/// What asking a source costs, in the order of the cost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cost {
    /// A function in this process: milliseconds.
    InProcess,
    /// A server that is already running, or a quick program that is asked about the files that changed: tens of milliseconds.
    Server,
    /// A process for every look: seconds.
    Process,
}

impl Cost {
    /// How much of the budget one look takes. The unit is a look in this process.
    pub fn weight(self) -> usize {
        match self {
            Cost::InProcess => 1,
            Cost::Server => 5,
            Cost::Process => 20,
        }
    }
}

/// Whether asking a source can run what came with the repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trust {
    /// It reads files as data.
    Sealed,
    /// It runs code of the repository, or is named by it: only in a workspace that the user trusts.
    RunsRepositoryCode {
        /// What it runs, for people.
        what: String,
    },
}

type Matches = dyn Fn(&str) -> bool + Send + Sync;

/// Which files the answer of a source depends on.
#[derive(Clone)]
pub struct Interest {
    looks_at: Arc<Matches>,
    depends_on: Arc<Matches>,
}

impl Interest {
    /// The paths for which `matches` is true. It decides by the path alone.
    pub fn matching(matches: impl Fn(&str) -> bool + Send + Sync + 'static) -> Interest {
        Interest { looks_at: Arc::new(matches), depends_on: Arc::new(|_| false) }
    }

    /// Every path.
    pub fn everything() -> Interest {
        Interest::matching(|_| true)
    }

    /// Documents: JSON, YAML and TOML.
    pub fn documents() -> Interest {
        Interest::matching(|path| Format::of_path(path).is_some())
    }

    /// Files whose names end with one of these, after a dot.
    pub fn extensions(extensions: &[&str]) -> Interest {
        let endings: Vec<String> = extensions.iter().map(|it| format!(".{it}")).collect();
        Interest::matching(move |path| endings.iter().any(|it| path.ends_with(it.as_str())))
    }

    /// The same, and its answer also depends on these files, which it does not look at for their own sake: its
    /// configuration.
    #[must_use]
    pub fn depending_on(self, matches: impl Fn(&str) -> bool + Send + Sync + 'static) -> Interest {
        Interest { depends_on: Arc::new(matches), ..self }
    }

    /// Whether the source looks at the file.
    pub fn covers(&self, path: &str) -> bool {
        (self.looks_at)(path)
    }

    /// Whether a change of the file can change the answer.
    pub fn is_touched_by(&self, path: &RelPath) -> bool {
        (self.looks_at)(path.as_str()) || (self.depends_on)(path.as_str())
    }
}

impl fmt::Debug for Interest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interest").finish_non_exhaustive()
    }
}

/// Whether any of several sources looks at a file, asked of many files in a row. Neighbours are mostly alike, so the source
/// that looked at the last file is asked first (move to front).
pub struct Interests<'a> {
    all: Vec<&'a Interest>,
    last: AtomicUsize,
}

impl Interests<'_> {
    /// Whether a source looks at the file.
    pub fn cover(&self, path: &str) -> bool {
        let last = self.last.load(Ordering::Relaxed);
        if self.all.get(last).is_some_and(|it| it.covers(path)) {
            return true;
        }
        let Some(nth) = self.all.iter().position(|it| it.covers(path)) else { return false };
        self.last.store(nth, Ordering::Relaxed);
        true
    }
}

impl<'a> FromIterator<&'a Interest> for Interests<'a> {
    fn from_iter<T: IntoIterator<Item = &'a Interest>>(interests: T) -> Interests<'a> {
        Interests { all: interests.into_iter().collect(), last: AtomicUsize::new(0) }
    }
}

impl fmt::Debug for Interests<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interests").finish_non_exhaustive()
    }
}

/// A page about one rule. Every part is Markdown.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Page {
    /// The rule in a few words.
    pub title: String,
    /// What it looks for.
    pub what: String,
    /// Why that matters.
    pub why: String,
    /// What breaks it, and what does not.
    pub example: String,
    /// What the repair does, or why there is none.
    pub repair: String,
    /// Why the repair has its safety.
    pub safety: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_list_is_in_order_and_an_open_one_allows_everything() {
        let rule = |id: &str| RuleInfo { id: id.to_owned(), tier: Tier::Schema, severity: None };
        let rules = RuleSet::closed([rule("B"), rule("A"), rule("B")]);
        assert_eq!(rules.known(), [rule("A"), rule("B")]);
        assert!(rules.allows("A") && !rules.allows("C"));
        assert!(RuleSet::Open.allows("C") && RuleSet::Open.known().is_empty());
    }

    #[test]
    fn whoever_was_asked_last_several_interests_cover_what_one_of_them_does() {
        let all = [Interest::extensions(&["py"]), Interest::documents()];
        let interests: Interests<'_> = all.iter().collect();
        for path in ["a.py", "a.json", "b.json", "a.c", "a.py", "a.c", "a.toml"] {
            let covers = all.iter().any(|it| it.covers(path));
            assert_eq!(interests.cover(path), covers, "{path}");
        }
        assert!(!Interests::from_iter([]).cover("a.py"));
    }

    #[test]
    fn an_interest_is_touched_by_configuration_that_it_does_not_look_at() {
        let interest = Interest::extensions(&["py"]).depending_on(|it| it == "ruff.toml");
        let path = |it: &str| RelPath::parse(it).unwrap();
        assert!(interest.covers("a/b.py") && !interest.covers("ruff.toml"));
        assert!(interest.is_touched_by(&path("ruff.toml")));
        assert!(!interest.is_touched_by(&path("a/happy")));
    }
}
