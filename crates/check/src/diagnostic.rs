//! One finding, and the total order of findings.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use document::{Pointer, Value};

use crate::location::Location;

/// How bad a finding is. The order is the order in reports (X-5).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Must be fixed.
    Error,
    /// Should be fixed.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// Every severity, the worst first.
    pub const ALL: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Info];

    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        }
    }

    /// The severity with that name on the wire.
    pub fn from_name(name: &str) -> Option<Severity> {
        Severity::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What kind of rule a finding is about. The order is the order in reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tier {
    /// The shape of a document.
    Schema,
    /// What a document means.
    Semantic,
    /// What a workspace has agreed on.
    Policy,
}

impl Tier {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Schema => "schema",
            Tier::Semantic => "semantic",
            Tier::Policy => "policy",
        }
    }
}

/// What a finding asks for. Everything but a problem comes from a compiler that proves things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Concern {
    /// Something is wrong.
    #[default]
    Problem,
    /// Something is not proved.
    Obligation,
    /// Something is not written yet.
    Hole,
}

/// What is worked on first (RS-33): errors, then obligations, holes, warnings; what is only worth knowing comes last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Class {
    Error,
    Obligation,
    Hole,
    Warning,
    Info,
}

/// A place that helps to understand a finding.
#[derive(Clone, PartialEq, Debug)]
pub struct Related {
    /// The file.
    pub file: String,
    /// The place in it, for documents.
    pub json_pointer: Option<String>,
    /// The place in its text.
    pub location: Option<Location>,
    /// What the place has to do with the finding.
    pub message: String,
}

/// One finding.
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// `d_` and 12 hex digits; empty until [`crate::assign_ids`] has seen it.
    pub diagnostic_id: String,
    /// The rule that is broken.
    pub rule_id: String,
    /// The provider's plain name.
    pub source: String,
    /// The provider's phase that owns the rule.
    pub phase: String,
    /// What kind of rule it is.
    pub tier: Tier,
    /// What it asks for.
    pub concern: Concern,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, why it matters and what to do, for people.
    pub message: String,
    /// The file that the finding is about.
    pub file: String,
    /// The place in a document; `None` where there is none.
    pub json_pointer: Option<String>,
    /// The place in the text.
    pub location: Option<Location>,
    /// The text that the finding stands on, for its identity where there is no pointer. Not shown.
    pub anchor: Option<String>,
    /// Other places.
    pub related: Vec<Related>,
    /// Facts for machines.
    pub details: BTreeMap<String, Value>,
    /// The repairs that claim to resolve it.
    pub repair_refs: Vec<String>,
}

/// The rule behind a finding: who owns it, and in which phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RuleOrigin<'a> {
    /// The provider's plain name.
    pub source: &'a str,
    /// The provider's phase that owns the rule.
    pub phase: &'a str,
    /// What kind of rule it is.
    pub tier: Tier,
    /// The rule.
    pub rule_id: &'a str,
}

impl Diagnostic {
    /// A finding about a file as a whole. What else is known of it is added one by one; its id comes from
    /// [`crate::assign_ids`].
    ///
    /// ```
    /// use check::{Diagnostic, RuleOrigin, Severity, Tier};
    /// use document::{Pointer, Value};
    ///
    /// let rule = RuleOrigin {
    ///     source: "ports",
    ///     phase: "policy",
    ///     tier: Tier::Policy,
    ///     rule_id: "POL_PORT",
    /// };
    /// let finding = Diagnostic::new(rule, Severity::Warning, "app.yaml", "port 80 is reserved")
    ///     .at(&"/server/port".parse()?)
    ///     .detail("port", Value::String("80".to_owned()));
    /// assert_eq!(finding.json_pointer.as_deref(), Some("/server/port"));
    /// assert!(finding.diagnostic_id.is_empty());
    /// # Ok::<(), document::PointerError>(())
    /// ```
    pub fn new(
        rule: RuleOrigin<'_>,
        severity: Severity,
        file: impl Into<String>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            diagnostic_id: String::new(),
            rule_id: rule.rule_id.to_owned(),
            source: rule.source.to_owned(),
            phase: rule.phase.to_owned(),
            tier: rule.tier,
            concern: Concern::Problem,
            severity,
            message: message.into(),
            file: file.into(),
            json_pointer: None,
            location: None,
            anchor: None,
            related: Vec::new(),
            details: BTreeMap::new(),
            repair_refs: Vec::new(),
        }
    }

    /// The same, about a place in a document.
    #[must_use]
    pub fn at(self, pointer: &Pointer) -> Diagnostic {
        Diagnostic { json_pointer: Some(pointer.to_string()), ..self }
    }

    /// The same, about a place in the text, if it is known.
    #[must_use]
    pub fn located(self, location: Option<Location>) -> Diagnostic {
        Diagnostic { location, ..self }
    }

    /// The same, standing on this text: its identity where there is no pointer.
    #[must_use]
    pub fn anchored(self, anchor: impl Into<String>) -> Diagnostic {
        Diagnostic { anchor: Some(anchor.into()), ..self }
    }

    /// The same, with one more fact for machines.
    #[must_use]
    pub fn detail(mut self, name: &str, value: Value) -> Diagnostic {
        self.details.insert(name.to_owned(), value);
        self
    }

    /// What is worked on first.
    pub fn class(&self) -> Class {
        match (self.severity, self.concern) {
            (Severity::Info, _) => Class::Info,
            (_, Concern::Obligation) => Class::Obligation,
            (_, Concern::Hole) => Class::Hole,
            (Severity::Error, Concern::Problem) => Class::Error,
            (Severity::Warning, Concern::Problem) => Class::Warning,
        }
    }

    /// The total order of reports (X-7): file, pointer or position, tier, severity, rule, message, and then
    /// everything else, so that only equal findings are equal.
    pub fn total_cmp(&self, other: &Diagnostic) -> Ordering {
        let order = (&self.file, self.place(), self.tier, self.severity).cmp(&(
            &other.file,
            other.place(),
            other.tier,
            other.severity,
        ));
        order
            .then_with(|| (&self.rule_id, &self.message).cmp(&(&other.rule_id, &other.message)))
            .then_with(|| self.canonical_bytes().cmp(&other.canonical_bytes()))
    }

    /// A finding about a whole file comes before those about places in it.
    fn place(&self) -> (Option<&str>, Option<(u32, u32)>) {
        (self.json_pointer.as_deref(), self.location.map(|it| (it.start_byte, it.end_byte)))
    }

    /// What the order has not looked at yet. Every string is preceded by its length, so that two different
    /// findings never have the same bytes.
    fn canonical_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut put = |text: &str| {
            bytes.extend_from_slice(&(text.len() as u64).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        };
        put(&self.source);
        put(&self.phase);
        put(&format!("{:?}", self.concern));
        put(self.anchor.as_deref().unwrap_or_default());
        for (name, value) in &self.details {
            put(name);
            put(&value.to_json());
        }
        put("related");
        for related in &self.related {
            put(&related.file);
            put(related.json_pointer.as_deref().unwrap_or_default());
            put(&format!("{:?}", related.location));
            put(&related.message);
        }
        put("repair_refs");
        for repair in &self.repair_refs {
            put(repair);
        }
        bytes
    }
}
