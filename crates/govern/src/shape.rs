//! From JSON to a [`Record`]: types, required members, unknown members. Everything that is wrong is said at once, in the
//! order of the contract, each with the pointer of its place (DF-32).

use serde_json::{Map, Value};

use crate::id::{Id, IdForm};
use crate::members::{CONSTRAINTS, ERROR_CONTEXT, RecordMember};
use crate::pointer::below;
use crate::record::{ErrorContext, Record, RecordKind, Status};
use crate::sanitize::{MAX_MESSAGE, is_sanitized};
use crate::time::Moment;
use measure::Constraints;
use measure::ScopeEntry;

/// One thing that is wrong with a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordFault {
    /// The rule that it breaks.
    pub rule: Rule,
    /// Where, as an RFC 6901 pointer into the record.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// The ten acceptance rules of the contract, and its form beneath them. The order is the order of reports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// 1: the id has the form of its type (DF-1, DF-22).
    IdFormat,
    /// 2: the version must be 2 (DF-2, DF-23).
    Version,
    /// 3: the type is a known one (DF-3, DF-24).
    Type,
    /// 4: a new record is proposed (DF-10, DF-25).
    Status,
    /// 5: the source exists, failed, and is not a correction itself (DF-11, DF-26, DF-46).
    Source,
    /// 6: no path leaves the scope of the source (DF-7, DF-27, DF-36).
    AllowedPaths,
    /// 7: no constraint is looser than the source's (DF-9, DF-28, DF-49).
    Constraints,
    /// 8: the error context is complete (DF-12, DF-16, DF-29).
    ErrorContext,
    /// 9: the error message is short and clean (DF-14, DF-30).
    ErrorMessage,
    /// 10: the id is free, and the source has no other correction (DF-31).
    Duplicate,
    /// The form of all other members: types, missing and unknown ones, what must be inherited (DF-4, DF-5, DF-6, DF-8).
    Form,
}

impl Rule {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Rule::IdFormat => "id_format",
            Rule::Version => "version",
            Rule::Type => "type",
            Rule::Status => "status",
            Rule::Source => "source_dds",
            Rule::AllowedPaths => "allowed_paths",
            Rule::Constraints => "constraints",
            Rule::ErrorContext => "error_context",
            Rule::ErrorMessage => "error_message",
            Rule::Duplicate => "duplicate",
            Rule::Form => "form",
        }
    }
}

/// What could be read of a record, and everything that is wrong with its form.
#[derive(Debug)]
pub struct ReadRecord {
    /// The record, if nothing is wrong with its form.
    pub record: Option<Record>,
    /// What is wrong, in the order of reports.
    pub faults: Vec<RecordFault>,
}

/// The most characters of a text member, and the most items of an array: far beyond what a person reviews.
pub(crate) const MAX_TEXT: usize = 20_000;
pub(crate) const MAX_ITEMS: usize = 1_000;

/// Reads the form. A record in any status is read; that a new one must be proposed is said by [`crate::accept()`].
pub fn read(value: &Value) -> ReadRecord {
    let mut reader = Reader { faults: Vec::new() };
    let record = match value {
        Value::Object(members) => reader.record(members),
        _ => {
            reader.fault(Rule::Form, "", "a record must be a JSON object");
            None
        }
    };
    let mut faults = reader.faults;
    faults.sort_by_key(|it| it.rule);
    ReadRecord { record: record.filter(|_| faults.is_empty()), faults }
}

struct Reader {
    faults: Vec<RecordFault>,
}

impl Reader {
    fn fault(&mut self, rule: Rule, pointer: &str, message: impl Into<String>) {
        self.faults.push(RecordFault {
            rule,
            pointer: pointer.to_owned(),
            message: message.into(),
        });
    }

    fn record(&mut self, members: &Map<String, Value>) -> Option<Record> {
        let is_fix = self.kind_is_fix(members);
        let id = self.id(members, is_fix);
        if members.get("version") != Some(&Value::from(2)) {
            self.fault(Rule::Version, "/version", "version must be 2");
        }
        let project = self.text(members, "project");
        let goal = self.text(members, "goal");
        let instructions = self.instructions(members);
        let allowed_paths = self.allowed_paths(members);
        let tool = self.text(members, "tool");
        let constraints = self.constraints(members, is_fix == Some(true));
        let status = self.status(members);
        let correction = if is_fix == Some(true) { self.correction(members) } else { None };
        let extra = self.extra(members, is_fix);
        let kind = match is_fix? {
            false => RecordKind::CodeChange,
            true => {
                let (source, error) = correction?;
                RecordKind::CodeFix { source, error }
            }
        };
        Some(Record {
            id: id?,
            kind,
            project: project?,
            goal: goal?,
            instructions: instructions?,
            allowed_paths: allowed_paths?,
            tool: tool?,
            constraints: constraints?,
            status: status?,
            extra,
        })
    }

    fn kind_is_fix(&mut self, members: &Map<String, Value>) -> Option<bool> {
        match members.get("type").and_then(Value::as_str) {
            Some("code_change") => Some(false),
            Some("code_fix") => Some(true),
            Some("touch_file" | "noop") => {
                self.fault(
                    Rule::Type,
                    "/type",
                    "records of version 1 can be read, but no longer made: write a code_change",
                );
                None
            }
            _ => {
                self.fault(Rule::Type, "/type", "type must be \"code_change\" or \"code_fix\"");
                None
            }
        }
    }

    fn id(&mut self, members: &Map<String, Value>, is_fix: Option<bool>) -> Option<Id> {
        let wanted = match is_fix {
            Some(true) => "DDS-FIX-YYYYMMDD-NNN",
            _ => "DDS-YYYYMMDD-CODE-NNN",
        };
        let id = members.get("id").and_then(Value::as_str).and_then(|it| Id::parse(it).ok());
        let fits = id.as_ref().is_some_and(|it| match it.form() {
            IdForm::CodeChange => is_fix != Some(true),
            IdForm::CodeFix => is_fix != Some(false),
            IdForm::Legacy => false,
        });
        if !fits {
            self.fault(Rule::IdFormat, "/id", format!("the id must have the form {wanted}"));
        }
        id
    }

    fn status(&mut self, members: &Map<String, Value>) -> Option<Status> {
        let status = members.get("status").and_then(Value::as_str).and_then(Status::named);
        if status.is_none() {
            self.fault(Rule::Status, "/status", "status must be \"proposed\" in a new record");
        }
        status
    }

    /// A text that is not empty, in one of the members of the record.
    fn text(&mut self, members: &Map<String, Value>, name: &str) -> Option<String> {
        self.text_at(members.get(name), Rule::Form, &format!("/{name}"), name)
    }

    fn text_at(
        &mut self,
        value: Option<&Value>,
        rule: Rule,
        pointer: &str,
        name: &str,
    ) -> Option<String> {
        match value {
            Some(Value::String(text)) if text.trim().is_empty() => {
                self.fault(rule, pointer, format!("{name} must not be empty"));
                None
            }
            Some(Value::String(text)) if text.chars().count() > MAX_TEXT => {
                self.fault(rule, pointer, format!("{name} has more than {MAX_TEXT} characters"));
                None
            }
            Some(Value::String(text)) if text.contains('\0') => {
                self.fault(rule, pointer, format!("{name} has a NUL character"));
                None
            }
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => {
                self.fault(rule, pointer, format!("{name} must be a string"));
                None
            }
            None => {
                self.fault(rule, pointer, format!("{name} is missing"));
                None
            }
        }
    }

    fn array<'a>(
        &mut self,
        members: &'a Map<String, Value>,
        name: &str,
        rule: Rule,
    ) -> Option<&'a Vec<Value>> {
        match members.get(name) {
            Some(Value::Array(items)) if items.len() > MAX_ITEMS => {
                self.fault(
                    rule,
                    &format!("/{name}"),
                    format!("{name} has more than {MAX_ITEMS} items"),
                );
                None
            }
            Some(Value::Array(items)) => Some(items),
            Some(_) => {
                self.fault(
                    rule,
                    &format!("/{name}"),
                    format!("{name} must be an array of strings"),
                );
                None
            }
            None => {
                self.fault(rule, &format!("/{name}"), format!("{name} is missing"));
                None
            }
        }
    }

    fn instructions(&mut self, members: &Map<String, Value>) -> Option<Vec<String>> {
        let items = self.array(members, "instructions", Rule::Form)?;
        if items.is_empty() {
            self.fault(Rule::Form, "/instructions", "instructions must have at least one step");
            return None;
        }
        let read: Vec<Option<String>> = (0..)
            .zip(items)
            .map(|(idx, it)| {
                let pointer = format!("/instructions/{idx}");
                self.text_at(Some(it), Rule::Form, &pointer, "an instruction")
            })
            .collect();
        read.into_iter().collect()
    }

    fn allowed_paths(&mut self, members: &Map<String, Value>) -> Option<Vec<ScopeEntry>> {
        let items = self.array(members, "allowed_paths", Rule::AllowedPaths)?;
        let mut entries = Vec::new();
        for (idx, item) in items.iter().enumerate() {
            let pointer = format!("/allowed_paths/{idx}");
            let Some(text) = item.as_str() else {
                self.fault(Rule::AllowedPaths, &pointer, "a path must be a string");
                continue;
            };
            match ScopeEntry::parse(text) {
                Ok(entry) => entries.push(entry),
                Err(error) => self.fault(Rule::AllowedPaths, &pointer, error.to_string()),
            }
        }
        (entries.len() == items.len()).then_some(entries)
    }

    fn constraints(&mut self, members: &Map<String, Value>, is_fix: bool) -> Option<Constraints> {
        let Some(Value::Object(given)) = members.get("constraints") else {
            let what = if members.contains_key("constraints") {
                "must be an object"
            } else {
                "is missing"
            };
            self.fault(Rule::Constraints, "/constraints", format!("constraints {what}"));
            return None;
        };
        let n_faults = self.faults.len();
        let mut constraints = Constraints::default();
        if let Some(value) = given.get("max_files_changed") {
            constraints.max_files_changed = value.as_u64().and_then(|it| u32::try_from(it).ok());
            if constraints.max_files_changed.is_none() {
                let pointer = "/constraints/max_files_changed";
                self.fault(
                    Rule::Constraints,
                    pointer,
                    "max_files_changed must be an integer of 0 or more",
                );
            }
        }
        constraints.no_new_dependencies = self.flag(given, "no_new_dependencies");
        constraints.no_refactor = self.flag(given, "no_refactor");
        for name in given.keys() {
            if !CONSTRAINTS.contains(&name.as_str()) {
                let pointer = below("/constraints", name);
                self.fault(
                    Rule::Constraints,
                    &pointer,
                    "unknown constraint, which nothing would enforce",
                );
            }
        }
        if is_fix {
            for name in CONSTRAINTS {
                if !given.contains_key(name) {
                    let pointer = format!("/constraints/{name}");
                    self.fault(
                        Rule::Constraints,
                        &pointer,
                        format!("a code_fix must state {name}"),
                    );
                }
            }
        }
        (self.faults.len() == n_faults).then_some(constraints)
    }

    fn flag(&mut self, given: &Map<String, Value>, name: &str) -> Option<bool> {
        let value = given.get(name)?;
        if value.as_bool().is_none() {
            let pointer = format!("/constraints/{name}");
            self.fault(Rule::Constraints, &pointer, format!("{name} must be true or false"));
        }
        value.as_bool()
    }

    fn correction(&mut self, members: &Map<String, Value>) -> Option<(Id, ErrorContext)> {
        let source = self
            .text_at(members.get("source_dds"), Rule::Source, "/source_dds", "source_dds")
            .and_then(|it| match Id::parse(&it) {
                Ok(id) => Some(id),
                Err(error) => {
                    self.fault(Rule::Source, "/source_dds", error.to_string());
                    None
                }
            });
        let Some(Value::Object(given)) = members.get("error_context") else {
            let has = members.contains_key("error_context");
            let what = if has { "must be an object" } else { "is missing" };
            self.fault(Rule::ErrorContext, "/error_context", format!("error_context {what}"));
            return None;
        };
        let error = self.error_context(given, source.as_ref());
        Some((source?, error?))
    }

    fn error_context(
        &mut self,
        given: &Map<String, Value>,
        source: Option<&Id>,
    ) -> Option<ErrorContext> {
        let rule = Rule::ErrorContext;
        let at = |name: &str| below("/error_context", name);
        for name in given.keys() {
            if name.starts_with("x_") {
                self.fault(rule, &at(name), "x_ members belong in the record itself");
            } else if !ERROR_CONTEXT.contains(&name.as_str()) {
                self.fault(rule, &at(name), "unknown member of error_context");
            }
        }
        let original =
            self.text_at(given.get("original_dds"), rule, &at("original_dds"), "original_dds");
        if let (Some(original), Some(source)) = (&original, source)
            && original != source.as_str()
        {
            self.fault(
                rule,
                &at("original_dds"),
                format!("original_dds must be source_dds, {source}"),
            );
        }
        let message = self.message(given.get("error_message"));
        let failed_at = self.text_at(given.get("failed_at"), rule, &at("failed_at"), "failed_at");
        let moment = failed_at.as_deref().and_then(|text| match Moment::parse(text) {
            Ok(moment) => Some(moment),
            Err(error) => {
                self.fault(rule, &at("failed_at"), error.to_string());
                None
            }
        });
        original?;
        Some(ErrorContext { message: message?, failed_at: moment?, failed_at_text: failed_at? })
    }

    fn message(&mut self, value: Option<&Value>) -> Option<String> {
        let pointer = "/error_context/error_message";
        if let Some(Value::String(text)) = value {
            let n_chars = text.chars().count();
            if n_chars > MAX_MESSAGE {
                let message = format!(
                    "the error message has {n_chars} characters, the limit is {MAX_MESSAGE}"
                );
                self.fault(Rule::ErrorMessage, pointer, message);
                return None;
            }
            if !is_sanitized(text) {
                let message = "the error message has control characters or escape sequences";
                self.fault(Rule::ErrorMessage, pointer, message);
                return None;
            }
        }
        self.text_at(value, Rule::ErrorContext, pointer, "error_message")
    }

    fn extra(&mut self, members: &Map<String, Value>, is_fix: Option<bool>) -> Map<String, Value> {
        let mut extra = Map::new();
        for (name, value) in members {
            let pointer = below("", name);
            match RecordMember::named(name) {
                _ if name.starts_with("x_") => {
                    self.exact_numbers(value, &pointer, 0);
                    extra.insert(name.clone(), value.clone());
                }
                Some(member) if member.is_of_fixes() && is_fix == Some(false) => {
                    self.fault(
                        Rule::Form,
                        &pointer,
                        format!("{name} is not allowed in a code_change"),
                    );
                }
                Some(_) => {}
                None => {
                    let message =
                        "unknown member; the name of an additional member must start with x_";
                    self.fault(Rule::Form, &pointer, message);
                }
            }
        }
        extra
    }

    /// Canonical JSON knows doubles only: a number that is none would be signed as another one.
    fn exact_numbers(&mut self, value: &Value, pointer: &str, depth: usize) {
        const EXACT: u64 = 1 << 53;
        if depth > 64 {
            self.fault(Rule::Form, pointer, "nested deeper than 64 levels");
            return;
        }
        match value {
            Value::Number(number) => {
                let is_exact = match (number.as_u64(), number.as_i64()) {
                    (Some(n), _) => n <= EXACT,
                    (None, Some(n)) => n.unsigned_abs() <= EXACT,
                    (None, None) => number.as_f64().is_some_and(f64::is_finite),
                };
                if !is_exact {
                    self.fault(
                        Rule::Form,
                        pointer,
                        "a number beyond 2^53 cannot be signed; write it as a string",
                    );
                }
            }
            Value::Array(items) => {
                for (idx, it) in items.iter().enumerate() {
                    self.exact_numbers(it, &format!("{pointer}/{idx}"), depth + 1);
                }
            }
            Value::Object(members) => {
                for (name, it) in members {
                    self.exact_numbers(it, &below(pointer, name), depth + 1);
                }
            }
            _ => {}
        }
    }
}
