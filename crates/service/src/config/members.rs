//! Reading the members of a configuration, and noting what is wrong with them and where.

use check::{Diagnostic, Location};
use document::{Document, ObjectReader, Pointer, Value};
use edit::LineIndex;

use crate::config::nearest;
use crate::setup::own_rules;

/// What is wrong.
pub(super) struct ConfigProblems<'a> {
    document: &'a Document,
    lines: LineIndex,
    errors: Vec<Diagnostic>,
}

impl<'a> ConfigProblems<'a> {
    pub(super) fn new(document: &'a Document) -> ConfigProblems<'a> {
        let lines = LineIndex::new(document.text().bytes());
        ConfigProblems { document, lines, errors: Vec::new() }
    }

    /// Something that makes the configuration unusable.
    pub(super) fn error(&mut self, at: &Pointer, message: String) {
        let location = self.location(at, false);
        self.errors.push(own_rules::config_problem(Some(at), location, message));
    }

    /// A key that nobody knows.
    pub(super) fn unknown_key(&mut self, at: &Pointer, name: &str, known: &[&str]) {
        let message = match nearest::nearest(name, known) {
            Some(nearest) => format!("unknown key `{name}`; did you mean `{nearest}`?"),
            None => format!("unknown key `{name}`; expected one of {}", nearest::list(known)),
        };
        let location = self.location(at, true);
        self.errors.push(own_rules::config_problem(Some(at), location, message));
    }

    /// A word that is not among those that can stand here.
    pub(super) fn unknown_word(&mut self, at: &Pointer, word: &str, known: &[&str]) {
        let known_list = nearest::list(known);
        let message = match nearest::nearest(word, known) {
            Some(nearest) => {
                format!(
                    "expected one of {known_list}, found \"{}\"; did you mean \"{nearest}\"?",
                    nearest::short(word)
                )
            }
            None => format!("expected one of {known_list}, found \"{}\"", nearest::short(word)),
        };
        self.error(at, message);
    }

    /// A value of another type than the one that belongs here.
    pub(super) fn wrong_type(&mut self, at: &Pointer, found: &Value, wanted: &str) {
        let found = found.json_type();
        self.error(at, format!("expected {wanted}, found {} {found}", found.article()));
    }

    /// What is wrong, in the order of the text.
    pub(super) fn finish(self) -> Vec<Diagnostic> {
        let mut errors = self.errors;
        check::sort_and_assign_ids(&mut errors);
        // Whoever corrects a file goes through it from its beginning.
        errors.sort_by_key(|it| it.location.map(|it| it.start_byte));
        errors
    }

    fn location(&self, at: &Pointer, of_key: bool) -> Option<Location> {
        let found = self.document.locate(at)?;
        let span = match found.key_span {
            Some(key) if of_key => key,
            _ => found.span,
        };
        Location::new(&self.lines, span)
    }
}

/// The members of a table that nobody has asked for yet.
pub(super) struct ConfigTable<'a> {
    at: Pointer,
    reader: ObjectReader<'a>,
}

impl<'a> ConfigTable<'a> {
    pub(super) fn open(
        value: &'a Value,
        at: &Pointer,
        wanted: &str,
        problems: &mut ConfigProblems<'_>,
    ) -> Option<ConfigTable<'a>> {
        let reader = ObjectReader::open(value);
        if reader.is_none() {
            problems.wrong_type(at, value, wanted);
        }
        Some(ConfigTable { at: at.clone(), reader: reader? })
    }

    /// The member with that name, and its place.
    pub(super) fn take(&mut self, name: &str) -> Option<(&'a Value, Pointer)> {
        Some((self.reader.take(name)?, self.at.join(name)))
    }

    /// Whether there is something that was not taken.
    pub(super) fn has_rest(&self) -> bool {
        self.reader.rest().next().is_some()
    }

    /// Everything that was not taken is unknown.
    pub(super) fn close(self, known: &[&str], problems: &mut ConfigProblems<'_>) {
        for (name, _) in self.reader.rest() {
            problems.unknown_key(&self.at.join(name), name, known);
        }
    }
}

/// The strings of a list, each with its place.
pub(super) fn list_of_strings(
    value: &Value,
    at: &Pointer,
    wanted: &str,
    problems: &mut ConfigProblems<'_>,
) -> Vec<(String, Pointer)> {
    let Value::Array(items) = value else {
        problems.wrong_type(at, value, wanted);
        return Vec::new();
    };
    let mut strings = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let at = at.join(index.to_string());
        match item.as_str() {
            Some(text) => strings.push((text.to_owned(), at)),
            None => problems.wrong_type(&at, item, "a string"),
        }
    }
    strings
}

/// An integer from 1 to `most`.
pub(super) fn positive_integer(
    value: &Value,
    at: &Pointer,
    most: u64,
    problems: &mut ConfigProblems<'_>,
) -> Option<u64> {
    let Value::Number(number) = value else {
        problems.wrong_type(at, value, "an integer");
        return None;
    };
    let found = number.as_usize().and_then(|it| u64::try_from(it).ok());
    let found = found.filter(|it| (1..=most).contains(it));
    if found.is_none() {
        problems.error(at, format!("expected an integer from 1 to {most}"));
    }
    found
}
