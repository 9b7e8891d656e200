//! The rules that are known in a workspace: those of its packs, the schema tier's, and regreen's own.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::clank::code::Code;
use ::clank::page;
use check::{Severity, Tier};
use engine::Level;
use pack::Pack;

use crate::own_rules::{self, PAGES};

/// The rules that come with any schema, and how bad they are.
const SCHEMA_RULES: &[(&str, Severity)] = &[
    ("SCHEMA_CONST", Severity::Error),
    ("SCHEMA_CONTAINS", Severity::Error),
    ("SCHEMA_DEPENDENT", Severity::Error),
    ("SCHEMA_DEPRECATED_KEY", Severity::Warning),
    ("SCHEMA_DUPLICATE_KEY", Severity::Error),
    ("SCHEMA_ENUM", Severity::Error),
    ("SCHEMA_FORBIDDEN", Severity::Error),
    ("SCHEMA_FORMAT", Severity::Error),
    ("SCHEMA_INVALID", Severity::Warning),
    ("SCHEMA_KEY_NAME", Severity::Error),
    ("SCHEMA_LENGTH", Severity::Error),
    ("SCHEMA_MANY_BRANCHES", Severity::Error),
    ("SCHEMA_NO_BRANCH", Severity::Error),
    ("SCHEMA_PARSE", Severity::Error),
    ("SCHEMA_PATTERN", Severity::Error),
    ("SCHEMA_RANGE", Severity::Error),
    ("SCHEMA_REMOTE", Severity::Info),
    ("SCHEMA_REQUIRED", Severity::Error),
    ("SCHEMA_TYPE", Severity::Error),
    ("SCHEMA_UNIQUE_ITEMS", Severity::Error),
    ("SCHEMA_UNKNOWN_KEY", Severity::Error),
];

/// The source of what is found in Clank programs.
pub(crate) const CLANK: &str = "clank";

/// The codes of the Clank compiler, and its rules about layout and holes.
fn clank_rules() -> impl Iterator<Item = (&'static str, Tier, Severity)> {
    let codes = Code::ALL.iter().map(|it| {
        let tier = if *it <= Code::E0009 { Tier::Schema } else { Tier::Semantic };
        let severity = if it.is_error() { Severity::Error } else { Severity::Warning };
        (it.name(), tier, severity)
    });
    let own = [
        (page::FORMAT, Tier::Policy, Severity::Info),
        (page::HOLE, Tier::Semantic, Severity::Warning),
    ];
    codes.chain(own)
}

/// What is known of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rule {
    /// Who looks for it; `None` for what every source may find.
    pub(crate) source: Option<String>,
    pub(crate) tier: Tier,
    /// How bad it is here; `None` if it is off, or depends on the finding.
    pub(crate) severity: Option<Severity>,
}

/// The rules by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Catalog {
    rules: BTreeMap<String, Rule>,
}

impl Catalog {
    pub(crate) fn new(packs: &[Arc<Pack>], levels: &BTreeMap<String, Level>) -> Catalog {
        let mut rules = BTreeMap::new();
        for (rule_id, severity) in SCHEMA_RULES {
            let rule = Rule { source: None, tier: Tier::Schema, severity: Some(*severity) };
            rules.insert((*rule_id).to_owned(), rule);
        }
        for page in PAGES {
            let source = Some(own_rules::SOURCE.to_owned());
            let rule = Rule { source, tier: page.tier, severity: Some(page.severity) };
            rules.insert(page.rule_id.to_owned(), rule);
        }
        for (rule_id, tier, severity) in clank_rules() {
            let source = Some(CLANK.to_owned());
            rules.insert(rule_id.to_owned(), Rule { source, tier, severity: Some(severity) });
        }
        for pack in packs {
            for rule in pack.rules() {
                let severity = Some(rule.severity).filter(|_| rule.tier != Tier::Policy);
                let source = Some(pack.name().to_owned());
                rules.entry(rule.id.clone()).or_insert(Rule { source, tier: rule.tier, severity });
            }
        }
        for (rule_id, level) in levels {
            if let Some(rule) = rules.get_mut(rule_id) {
                rule.severity = match level {
                    Level::Off => None,
                    Level::At(severity) => Some(*severity),
                };
            }
        }
        Catalog { rules }
    }

    pub(crate) fn has(&self, rule_id: &str) -> bool {
        self.rules.contains_key(rule_id)
    }

    pub(crate) fn get(&self, rule_id: &str) -> Option<&Rule> {
        self.rules.get(rule_id)
    }

    /// The rules by id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Rule)> {
        self.rules.iter().map(|(rule_id, rule)| (rule_id.as_str(), rule))
    }

    pub(crate) fn rule_ids(&self) -> impl Iterator<Item = &str> {
        self.rules.keys().map(String::as_str)
    }
}
