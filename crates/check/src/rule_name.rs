//! Rules as people name them: `RULE`, or `SOURCE/RULE` where it matters whose rule it is.

use std::fmt;

/// A rule, and whose it is if that is said.
///
/// Ids of rules may contain `/` themselves (`Style/StringLiterals`, `@typescript-eslint/no-unused-vars`). So what stands
/// before the first `/` is a source only if there is a source with that name; all the rest is the id, whatever is in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleName {
    source: Option<String>,
    rule: String,
}

impl RuleName {
    /// Reads a name; `None` if it names no rule.
    ///
    /// ```
    /// use check::RuleName;
    ///
    /// let is_source = |name: &str| name == "ruff";
    /// let name = RuleName::parse("ruff/F401", &is_source).expect("it names a rule");
    /// assert_eq!((name.source(), name.rule()), (Some("ruff"), "F401"));
    /// let name = RuleName::parse("Style/Quotes", &is_source).expect("it names a rule");
    /// assert_eq!((name.source(), name.rule()), (None, "Style/Quotes"));
    /// ```
    pub fn parse(name: &str, is_source: &dyn Fn(&str) -> bool) -> Option<RuleName> {
        let (source, rule) = match name.split_once('/') {
            Some((source, rule)) if is_source(source) => (Some(source.to_owned()), rule),
            _ => (None, name),
        };
        (!rule.is_empty()).then(|| RuleName { source, rule: rule.to_owned() })
    }

    /// The rule of one source.
    pub fn qualified(source: &str, rule: &str) -> RuleName {
        RuleName { source: Some(source.to_owned()), rule: rule.to_owned() }
    }

    /// The source, if the name says it.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The id of the rule.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// Whether a finding of this source by this rule is meant. An id alone means every source that knows its rules
    /// beforehand; where ids are open, as they come from a tool, the same id could mean anything, so it takes the source
    /// too.
    pub fn names(&self, source: &str, rule: &str, is_open: bool) -> bool {
        let is_source = match &self.source {
            Some(named) => named == source,
            None => !is_open,
        };
        is_source && self.rule == rule
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{source}/{}", self.rule),
            None => f.write_str(&self.rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a name means: its source, its rule, and which of three findings it names. `ruff` and `eslint` are open.
    #[track_caller]
    fn check(name: &str, expected: Option<(Option<&str>, &str, [bool; 3])>) {
        let is_source = |it: &str| ["clank", "ruff", "eslint", "rubocop"].contains(&it);
        let found = RuleName::parse(name, &is_source);
        let found = found.as_ref().map(|it| {
            assert_eq!(it.to_string(), name);
            let names = |source: &str, is_open| it.names(source, it.rule(), is_open);
            (
                it.source(),
                it.rule(),
                [names("clank", false), names("ruff", true), names("eslint", true)],
            )
        });
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn a_source_is_one_only_if_it_is_known() {
        check("E1003", Some((None, "E1003", [true, false, false])));
        check("clank/E1003", Some((Some("clank"), "E1003", [true, false, false])));
        check("ruff/E1003", Some((Some("ruff"), "E1003", [false, true, false])));
        check("pylint/E1003", Some((None, "pylint/E1003", [true, false, false])));
        check(
            "eslint/@typescript-eslint/no-var",
            Some((Some("eslint"), "@typescript-eslint/no-var", [false, false, true])),
        );
        check(
            "@typescript-eslint/no-var",
            Some((None, "@typescript-eslint/no-var", [true, false, false])),
        );
        check(
            "rubocop/Style/StringLiterals",
            Some((Some("rubocop"), "Style/StringLiterals", [false, false, false])),
        );
        check("Style/StringLiterals", Some((None, "Style/StringLiterals", [true, false, false])));
        check("ruff/", None);
        check("", None);
        check("/E1", Some((None, "/E1", [true, false, false])));
    }

    #[test]
    fn another_rule_is_not_named() {
        let name = RuleName::qualified("ruff", "F401");
        assert!(name.names("ruff", "F401", true));
        assert!(!name.names("ruff", "F402", true) && !name.names("clank", "F401", false));
    }
}
