//! `[linters.NAME]`, what a workspace says about a tool that regreen knows, and `[[source]]`, a tool of its own.

use std::collections::BTreeMap;
use std::time::Duration;

use check::Safety;
use document::{Pointer, Value};

use crate::config::duration;
use crate::config::globs::Globs;
use crate::config::members::{ConfigProblems, ConfigTable, list_of_strings};

/// What a workspace says about a tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linter {
    /// Whether it takes part; if nothing is said, that it has a table is reason enough.
    pub(crate) enabled: Option<bool>,
    /// The program and its first arguments, if not the tool's own.
    pub(crate) command: Option<Vec<String>>,
    /// More arguments.
    pub(crate) args: Vec<String>,
    /// How long it may take.
    pub(crate) timeout: Option<Duration>,
    /// Whether the run fails without it.
    pub(crate) required: Option<bool>,
    /// The least that its fixes may do to the meaning, by rule; `*` is every rule.
    pub(crate) safety: BTreeMap<String, Safety>,
}

impl Linter {
    /// Whether it says what is run, so that only the user's word lets it.
    pub(crate) fn names_command(&self) -> bool {
        self.command.is_some() || !self.args.is_empty()
    }
}

/// A tool of one's own.
#[derive(Clone, Debug)]
pub(crate) struct OwnSource {
    /// The source of its findings.
    pub(crate) name: String,
    /// The program and its arguments.
    pub(crate) command: Vec<String>,
    /// What it prints, or does.
    pub(crate) format: OwnFormat,
    /// The files that it is about; all if there is none.
    pub(crate) files: Globs,
    /// What its fixes may do to the meaning, where it does not say so itself.
    pub(crate) safety: Option<Safety>,
    /// How long it may take.
    pub(crate) timeout: Option<Duration>,
    /// Whether the run fails without it.
    pub(crate) required: bool,
    /// Where it stands.
    pub(crate) at: Pointer,
}

/// What a tool of one's own prints, or does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwnFormat {
    /// A SARIF log.
    Sarif,
    /// reviewdog's format.
    Rdjson,
    /// The report of `regreen check --format json`.
    Regreen,
    /// A unified diff.
    Diff,
    /// It rewrites files.
    Rewrites,
}

impl OwnFormat {
    const ALL: [(&'static str, OwnFormat); 5] = [
        ("sarif", OwnFormat::Sarif),
        ("rdjson", OwnFormat::Rdjson),
        ("regreen", OwnFormat::Regreen),
        ("diff", OwnFormat::Diff),
        ("rewrites", OwnFormat::Rewrites),
    ];
}

pub(super) fn read_linters(
    value: &Value,
    at: &Pointer,
    problems: &mut ConfigProblems<'_>,
) -> BTreeMap<String, Linter> {
    let Value::Object(tables) = value else {
        problems.wrong_type(at, value, "tables, each `[linters.NAME]`");
        return BTreeMap::new();
    };
    let names: Vec<&str> = linters::all().iter().map(|it| it.name).collect();
    let mut read = BTreeMap::new();
    for (name, value) in tables {
        let at = at.join(name);
        if !names.contains(&name.as_str()) {
            problems.unknown_key(&at, name, &names);
        } else if let Some(linter) = read_linter(value, &at, problems) {
            read.insert(name.clone(), linter);
        }
    }
    read
}

fn read_linter(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Option<Linter> {
    let mut section = ConfigTable::open(value, at, "a table, `[linters.NAME]`", problems)?;
    let linter = Linter {
        enabled: flag(&mut section, "enabled", problems),
        command: section.take("command").map(|(value, at)| read_command(value, &at, problems)),
        args: match section.take("args") {
            Some((value, at)) => strings(value, &at, "a list of arguments", problems),
            None => Vec::new(),
        },
        timeout: timeout(&mut section, problems),
        required: flag(&mut section, "required", problems),
        safety: match section.take("safety") {
            Some((value, at)) => safety_by_rule(value, &at, problems),
            None => BTreeMap::new(),
        },
    };
    section.close(&["enabled", "command", "args", "timeout", "required", "safety"], problems);
    Some(linter)
}

pub(super) fn read_sources(
    value: &Value,
    at: &Pointer,
    problems: &mut ConfigProblems<'_>,
) -> Vec<OwnSource> {
    let Value::Array(items) = value else {
        problems.wrong_type(at, value, "a list of tables, each `[[source]]`");
        return Vec::new();
    };
    let mut sources: Vec<OwnSource> = Vec::new();
    for (index, value) in items.iter().enumerate() {
        let at = at.join(index.to_string());
        let Some(source) = read_source(value, &at, problems) else { continue };
        if sources.iter().any(|it| it.name == source.name) {
            problems.error(&at.join("name"), format!("there are two sources `{}`", source.name));
        } else {
            sources.push(source);
        }
    }
    sources
}

fn read_source(
    value: &Value,
    at: &Pointer,
    problems: &mut ConfigProblems<'_>,
) -> Option<OwnSource> {
    let mut section = ConfigTable::open(value, at, "a table, `[[source]]`", problems)?;
    let name = match section.take("name") {
        Some((value, at)) => own_name(value, &at, problems),
        None => {
            problems.error(at, "missing `name`, under which the source reports".to_owned());
            None
        }
    };
    let command = match section.take("command") {
        Some((value, at)) => read_command(value, &at, problems),
        None => {
            let message = "missing `command`: a list of the program and its arguments";
            problems.error(at, message.to_owned());
            Vec::new()
        }
    };
    let formats = OwnFormat::ALL.map(|it| it.0);
    let format = match section.take("format") {
        Some((value, at)) => match value.as_str() {
            Some(word) => {
                let format = OwnFormat::ALL.into_iter().find(|it| it.0 == word);
                if format.is_none() {
                    problems.unknown_word(&at, word, &formats);
                }
                format.map(|it| it.1)
            }
            None => {
                problems.wrong_type(&at, value, "a string");
                None
            }
        },
        None => {
            let message = format!("missing `format`: {}", crate::config::nearest::list(&formats));
            problems.error(at, message);
            None
        }
    };
    let mut files = Globs::default();
    if let Some((value, at)) = section.take("files") {
        for (pattern, at) in list_of_strings(value, &at, "a list of globs", problems) {
            if let Err(reason) = files.add(&pattern) {
                problems.error(&at, format!("invalid glob: {reason}"));
            }
        }
        if let Err(reason) = files.build() {
            problems.error(&at, format!("these globs cannot be used together: {reason}"));
        }
    }
    let safety = section.take("safety").and_then(|(value, at)| safety(value, &at, problems));
    let timeout = timeout(&mut section, problems);
    let required = flag(&mut section, "required", problems).unwrap_or(true);
    section
        .close(&["name", "command", "format", "files", "safety", "timeout", "required"], problems);
    let (name, format, at) = (name?, format?, at.clone());
    Some(OwnSource { name, command, format, files, safety, timeout, required, at })
}

/// A name that can be written before the slash of a rule.
fn own_name(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Option<String> {
    let Some(name) = value.as_str() else {
        problems.wrong_type(at, value, "a string");
        return None;
    };
    let is_plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "-_".contains(it);
    if name.is_empty() || name.len() > 40 || !name.chars().all(is_plain) {
        problems.error(at, "expected a name of lowercase letters, digits, `-` and `_`".to_owned());
        return None;
    }
    if linters::adapter(name).is_some() {
        let message = format!("`{name}` is a tool that regreen knows: see `[linters.{name}]`");
        problems.error(at, message);
        return None;
    }
    Some(name.to_owned())
}

fn read_command(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Vec<String> {
    let words = strings(value, at, "a list: the program and its arguments", problems);
    if matches!(value, Value::Array(_)) && words.first().is_none_or(String::is_empty) {
        problems.error(at, "expected a program as the first item of the command".to_owned());
    }
    words
}

fn strings(
    value: &Value,
    at: &Pointer,
    wanted: &str,
    problems: &mut ConfigProblems<'_>,
) -> Vec<String> {
    list_of_strings(value, at, wanted, problems).into_iter().map(|it| it.0).collect()
}

fn flag(
    section: &mut ConfigTable<'_>,
    name: &str,
    problems: &mut ConfigProblems<'_>,
) -> Option<bool> {
    let (value, at) = section.take(name)?;
    match value {
        Value::Bool(value) => Some(*value),
        _ => {
            problems.wrong_type(&at, value, "true or false");
            None
        }
    }
}

fn timeout(section: &mut ConfigTable<'_>, problems: &mut ConfigProblems<'_>) -> Option<Duration> {
    let (value, at) = section.take("timeout")?;
    let timeout = value.as_str().and_then(duration);
    if timeout.is_none() {
        problems.wrong_type(&at, value, "a time as in \"60s\", \"500ms\" or \"10m\"");
    }
    timeout
}

fn safety(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Option<Safety> {
    match value.as_str().map(|it| (it, Safety::from_name(it))) {
        Some((_, Some(safety))) => Some(safety),
        Some((word, None)) => {
            problems.unknown_word(at, word, &Safety::ALL.map(Safety::name));
            None
        }
        None => {
            problems.wrong_type(at, value, "a string");
            None
        }
    }
}

/// One safety for all rules, or one by rule.
fn safety_by_rule(
    value: &Value,
    at: &Pointer,
    problems: &mut ConfigProblems<'_>,
) -> BTreeMap<String, Safety> {
    let Value::Object(members) = value else {
        let all = safety(value, at, problems);
        return all.map(|it| ("*".to_owned(), it)).into_iter().collect();
    };
    let of_rule = |(rule, value): &(String, Value)| {
        Some((rule.clone(), safety(value, &at.join(rule), problems)?))
    };
    members.iter().filter_map(of_rule).collect()
}
