//! The sources of a workspace, and all that is known about them before anybody is asked: folds over their cards.
//!
//! A new source is a crate or a module, and one line where [`crate::setup`] puts the registry together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{
    Card, Cost, Interest, Interests, Language, Page, Provider, RuleInfo, RuleName, RuleSet,
    Severity, Tier, Trust,
};
use engine::RuleLevel;

use crate::config::nearest;
use crate::setup::own_rules::{self, PAGES};

/// The severities of rules in a workspace, by source and rule.
pub(crate) type Levels = BTreeMap<String, BTreeMap<String, RuleLevel>>;

/// The sources of a workspace.
pub(crate) struct Registry {
    providers: Vec<Arc<dyn Provider>>,
    /// The card of regreen itself.
    own: Card,
    /// The names of tools, taking part or not: their rules can be named wherever rules are.
    tools: BTreeSet<String>,
}

/// A rule with the sources that have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ListedRule<'a> {
    pub(crate) sources: Vec<&'a str>,
    pub(crate) info: &'a RuleInfo,
}

impl<'a> ListedRule<'a> {
    /// The source, if only one has the rule.
    pub(crate) fn source(&self) -> Option<&'a str> {
        match self.sources[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl Registry {
    /// A registry of these sources.
    pub(crate) fn new(providers: Vec<Arc<dyn Provider>>) -> Registry {
        let rules = PAGES.iter().map(|it| RuleInfo {
            id: it.rule_id.to_owned(),
            tier: it.tier,
            severity: Some(it.severity),
        });
        let own = Card {
            name: own_rules::SOURCE.to_owned(),
            phases: Vec::new(),
            rules: RuleSet::closed(rules),
            interest: Interest::matching(|_| false),
            cost: Cost::InProcess,
            trust: Trust::Sealed,
            languages: Vec::new(),
        };
        Registry { providers, own, tools: BTreeSet::new() }
    }

    /// The same, in which rules of these tools can be named.
    pub(crate) fn with_tools(self, tools: BTreeSet<String>) -> Registry {
        Registry { tools, ..self }
    }

    /// Takes in more sources.
    pub(crate) fn extend(&mut self, providers: impl Iterator<Item = Arc<dyn Provider>>) {
        self.providers.extend(providers);
    }

    /// Whether a source may be meant by this name.
    fn is_source(&self, name: &str) -> bool {
        self.tools.contains(name) || self.card(name).is_some()
    }

    /// The providers.
    pub(crate) fn providers(&self) -> impl Iterator<Item = Arc<dyn Provider>> {
        self.providers.iter().cloned()
    }

    /// The cards of all sources, regreen's own among them.
    pub(crate) fn cards(&self) -> impl Iterator<Item = &Card> {
        self.providers.iter().map(|it| it.card()).chain([&self.own])
    }

    fn card(&self, source: &str) -> Option<&Card> {
        self.cards().find(|it| it.name == source)
    }

    /// The names of the sources.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.cards().map(|it| it.name.as_str()).collect();
        let others = self.tools.iter().map(String::as_str);
        let others: Vec<&str> = others.filter(|it| !names.contains(it)).collect();
        names.extend(others);
        names
    }

    /// The languages that sources bring a parser for.
    pub(crate) fn languages(&self) -> impl Iterator<Item = Language> {
        self.cards().flat_map(|it| it.languages.iter().copied())
    }

    /// Whether a source looks at files of this name.
    pub(crate) fn covers(&self, path: &str) -> bool {
        self.cards().any(|it| it.interest.covers(path))
    }

    /// The same, for many files.
    pub(crate) fn interests(&self) -> Interests<'_> {
        self.cards().map(|it| &it.interest).collect()
    }

    /// The rules of closed sources, by id.
    pub(crate) fn rules(&self) -> BTreeMap<&str, ListedRule<'_>> {
        let mut rules: BTreeMap<&str, ListedRule<'_>> = BTreeMap::new();
        for card in self.cards() {
            for info in card.rules.known() {
                let rule =
                    rules.entry(&info.id).or_insert(ListedRule { sources: Vec::new(), info });
                rule.sources.push(&card.name);
            }
        }
        rules
    }

    /// What the rule of a source is about, if it is in a list.
    pub(crate) fn tier(&self, source: &str, rule_id: &str) -> Option<Tier> {
        let rules = self.card(source)?.rules.known();
        rules.iter().find(|it| it.id == rule_id).map(|it| it.tier)
    }

    /// The page about the rule of a source.
    pub(crate) fn page(&self, source: &str, rule_id: &str) -> Option<Page> {
        if source == self.own.name {
            let own = PAGES.iter().find(|it| it.rule_id == rule_id)?;
            return Some(Page {
                title: own.title.to_owned(),
                what: own.what.to_owned(),
                why: own.why.to_owned(),
                example: own.example.to_owned(),
                repair: own.repair.to_owned(),
                safety: String::new(),
            });
        }
        if let Some(adapter) = linters::adapter(source) {
            return crate::toolbox::page(adapter, rule_id);
        }
        self.providers.iter().find(|it| it.card().name == source)?.page(rule_id)
    }

    /// The rules that somebody means who writes `SOURCE/RULE`, or `RULE` for every closed source that has it; or what
    /// to write instead.
    pub(crate) fn named(&self, name: &str) -> Result<Vec<(String, String)>, String> {
        let parsed = RuleName::parse(name, &|it| self.is_source(it));
        if let Some(parsed) = &parsed
            && let Some(source) = parsed.source()
            && self.card(source).is_none()
        {
            return Ok(vec![(source.to_owned(), parsed.rule().to_owned())]);
        }
        if let Some((source, rule_id)) =
            parsed.as_ref().and_then(|it| Some((it.source()?, it.rule())))
            && let Some(card) = self.card(source)
        {
            return match card.rules.allows(rule_id) {
                true => Ok(vec![(source.to_owned(), rule_id.to_owned())]),
                false => {
                    let known: Vec<&str> = card.rules.known().iter().map(|it| &*it.id).collect();
                    Err(match nearest::nearest(rule_id, &known) {
                        Some(nearest) => format!("did you mean `{source}/{nearest}`?"),
                        None => format!("`regreen explain` lists the rules of `{source}`"),
                    })
                }
            };
        }
        let rules = self.rules();
        if let Some(rule) = rules.get(name) {
            return Ok(rule.sources.iter().map(|it| ((*it).to_owned(), name.to_owned())).collect());
        }
        let known: Vec<&str> = rules.keys().copied().collect();
        let open: Vec<&str> =
            self.cards().filter(|it| it.rules == RuleSet::Open).map(|it| &*it.name).collect();
        Err(match (nearest::nearest(name, &known), &open[..]) {
            (Some(nearest), _) => format!("did you mean `{nearest}`?"),
            (None, []) => "`regreen explain` lists the rules of this workspace".to_owned(),
            (None, [first, ..]) => {
                format!(
                    "rules of {} need their source, as in `{first}/{name}`",
                    nearest::list(&open)
                )
            }
        })
    }

    /// What the workspace says about rules, by source. A name with its source counts more than one without. Names that
    /// nothing has are given back with what to write instead.
    pub(crate) fn levels(
        &self,
        named: &BTreeMap<String, RuleLevel>,
    ) -> (Levels, Vec<(String, String)>) {
        let mut levels = Levels::new();
        let mut unknown = Vec::new();
        let is_qualified = |it: &&(&String, &RuleLevel)| {
            let name = RuleName::parse(it.0, &|it| self.is_source(it));
            name.is_some_and(|it| it.source().is_some())
        };
        let all: Vec<(&String, &RuleLevel)> = named.iter().collect();
        let (qualified, plain): (Vec<_>, Vec<_>) = all.iter().partition(is_qualified);
        for (name, level) in plain.into_iter().chain(qualified) {
            match self.named(name) {
                Ok(rules) => {
                    for (source, rule_id) in rules {
                        levels.entry(source).or_default().insert(rule_id, *level);
                    }
                }
                Err(hint) => unknown.push((name.clone(), hint)),
            }
        }
        (levels, unknown)
    }

    /// How bad the rule of a source is here; `None` if it is off, or depends on the finding.
    pub(crate) fn severity(&self, levels: &Levels, rule: &ListedRule<'_>) -> Option<Severity> {
        let of = |source: &&str| match levels.get(*source).and_then(|it| it.get(&rule.info.id)) {
            Some(RuleLevel::Off) => None,
            Some(RuleLevel::At(severity)) => Some(*severity),
            None => rule.info.severity.filter(|_| rule.info.tier != Tier::Policy),
        };
        rule.sources.iter().filter_map(of).min()
    }
}
