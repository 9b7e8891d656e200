//! Reading a document member by member, with everything that is wrong collected and placed.

use std::sync::Arc;

use check::Location;
use document::{Document, ObjectReader, Pointer, Value};
use edit::LineIndex;

use crate::finding::MemberPart;
use crate::problem::PackProblem;
use crate::typo;

/// Enough to work with; a broken file must not bury the reader.
const MAX_PROBLEMS: usize = 1000;

/// Where problems are collected, for one file of the pack.
pub(super) struct ManifestProblems<'a> {
    file: &'a str,
    document: Option<(Arc<Document>, LineIndex)>,
    list: Vec<PackProblem>,
}

impl<'a> ManifestProblems<'a> {
    pub(super) fn new(file: &'a str, document: Option<Arc<Document>>) -> ManifestProblems<'a> {
        let document = document.map(|it| {
            let lines = LineIndex::new(it.text().bytes());
            (it, lines)
        });
        ManifestProblems { file, document, list: Vec::new() }
    }

    pub(super) fn add(&mut self, at: &Pointer, anchor: MemberPart, message: impl Into<String>) {
        if self.list.len() >= MAX_PROBLEMS {
            return;
        }
        let location = self.document.as_ref().and_then(|(document, lines)| {
            let found =
                (0..=at.segments().len()).rev().find_map(|n| document.locate(&at.prefix(n)))?;
            let span = match anchor {
                MemberPart::Key => found.key_span.unwrap_or(found.span),
                MemberPart::Value => found.span,
            };
            Location::new(lines, span)
        });
        let (file, pointer) = (self.file.to_owned(), Some(at.to_string()));
        self.list.push(PackProblem { file, pointer, location, message: message.into() });
    }

    /// For what no pointer can name.
    pub(super) fn at_offset(&mut self, offset: u32, message: String) {
        let lines = self.document.as_ref().map(|it| &it.1);
        let location = lines.and_then(|lines| Location::new(lines, offset..offset));
        self.list.push(PackProblem {
            file: self.file.to_owned(),
            pointer: None,
            location,
            message,
        });
    }

    pub(super) fn value(&mut self, at: &Pointer, message: impl Into<String>) {
        self.add(at, MemberPart::Value, message);
    }

    pub(super) fn has_any(&self) -> bool {
        !self.list.is_empty()
    }

    pub(super) fn into_list(self) -> Vec<PackProblem> {
        self.list
    }
}

/// An object whose members are known.
pub(super) struct ManifestObject<'a> {
    pub(super) at: Pointer,
    reader: ObjectReader<'a>,
}

impl<'a> ManifestObject<'a> {
    /// The object at a place, with a problem for every member that is not known.
    pub(super) fn new(
        problems: &mut ManifestProblems<'_>,
        at: Pointer,
        value: &'a Value,
        known: &[&str],
    ) -> Option<ManifestObject<'a>> {
        let Some(reader) = ObjectReader::open(value) else {
            problems.value(&at, format!("expected an object, found {}", a_type(value)));
            return None;
        };
        for key in reader.unknown(known) {
            let near = typo::nearest_first(key, known.iter().copied(), known.len());
            let message = match (typo::nearest(key, known.iter().copied()), near.as_slice()) {
                (Some((near, _)), _) => {
                    format!("unknown key `{key}`; did you mean `{near}`?")
                }
                (None, near) => format!("unknown key `{key}`; expected one of {}", quoted(near)),
            };
            problems.add(&at.join(key), MemberPart::Key, message);
        }
        Some(ManifestObject { at, reader })
    }

    pub(super) fn get(&self, key: &str) -> Option<(Pointer, &'a Value)> {
        let value = self.reader.get(key)?;
        Some((self.at.join(key), value))
    }

    pub(super) fn required(
        &self,
        problems: &mut ManifestProblems<'_>,
        key: &str,
    ) -> Option<(Pointer, &'a Value)> {
        let found = self.get(key);
        if found.is_none() {
            problems.add(&self.at, MemberPart::Key, format!("missing key `{key}`"));
        }
        found
    }

    pub(super) fn text(
        &self,
        problems: &mut ManifestProblems<'_>,
        key: &str,
    ) -> Option<(Pointer, &'a str)> {
        let (at, value) = self.get(key)?;
        text(problems, at, value)
    }

    pub(super) fn required_text(
        &self,
        problems: &mut ManifestProblems<'_>,
        key: &str,
    ) -> Option<(Pointer, &'a str)> {
        let (at, value) = self.required(problems, key)?;
        let (at, found) = text(problems, at, value)?;
        if found.trim().is_empty() {
            problems.value(&at, format!("`{key}` must not be empty"));
            return None;
        }
        Some((at, found))
    }

    pub(super) fn flag(&self, problems: &mut ManifestProblems<'_>, key: &str) -> bool {
        match self.get(key) {
            None => false,
            Some((_, Value::Bool(it))) => *it,
            Some((at, other)) => {
                problems.value(
                    &at,
                    format!("expected true or false for `{key}`, found {}", a_type(other)),
                );
                false
            }
        }
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(
        &self,
        problems: &mut ManifestProblems<'_>,
        key: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let (at, word) = self.text(problems, key)?;
        let found = choices.iter().find(|it| it.0 == word).map(|it| it.1);
        if found.is_none() {
            let near = typo::nearest_first(word, choices.iter().map(|it| it.0), choices.len());
            problems.value(
                &at,
                format!("invalid `{key}`: `{}`; expected one of {}", cut(word), quoted(&near)),
            );
        }
        found
    }
}

/// One or a list of them.
pub(super) fn one_or_many(at: Pointer, value: &Value) -> Vec<(Pointer, &Value)> {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().map(|(idx, it)| (at.join(idx.to_string()), it)).collect()
        }
        one => vec![(at, one)],
    }
}

/// A list.
pub(super) fn items<'a>(
    problems: &mut ManifestProblems<'_>,
    at: &Pointer,
    value: &'a Value,
) -> Vec<(Pointer, &'a Value)> {
    if let Value::Array(_) = value {
        return one_or_many(at.clone(), value);
    }
    problems.value(at, format!("expected a list, found {}", a_type(value)));
    Vec::new()
}

pub(super) fn text<'a>(
    problems: &mut ManifestProblems<'_>,
    at: Pointer,
    value: &'a Value,
) -> Option<(Pointer, &'a str)> {
    match value.as_str() {
        Some(text) => Some((at, text)),
        None => {
            problems.value(&at, format!("expected a string, found {}", a_type(value)));
            None
        }
    }
}

pub(super) fn quoted(names: &[&str]) -> String {
    names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
}

/// Enough of a text to recognise it.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn a_type(value: &Value) -> String {
    let found = value.json_type();
    format!("{} {found}", found.article())
}
