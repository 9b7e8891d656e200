//! The hand-written decoder's tools: take members out of closed objects and note every problem with its place.
//!
//! A decoder goes on after a problem, so that one reading names all of them; a document with any problem yields no
//! value. The number of problems that are kept is bounded, since a hostile document can have as many as bytes.

use document::{JsonType, Number, ObjectReader, Pointer, Value};
use edit::ContentHash;
use snapshot::RelPath;

use super::{Expects, Extra};

/// The largest index and length: every JSON implementation can hold it exactly.
pub(crate) const MAX_INDEX: usize = (1 << 53) - 1;

/// Problems beyond this number are counted, not kept.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// Something in a patch document that the contract does not allow.
#[derive(Clone, PartialEq, Debug)]
pub struct Problem {
    /// Where in the patch document.
    pub at: Pointer,
    /// What.
    pub kind: ProblemKind,
}

/// The ways in which a patch document can be wrong.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// A member has another type than the contract says.
    #[error("expected {expected}, found {} {found}", found.article())]
    WrongType {
        /// What the contract says.
        expected: &'static str,
        /// What is there.
        found: JsonType,
    },
    /// A required member is not there.
    #[error("missing member `{name}`")]
    MissingMember {
        /// Its name.
        name: &'static str,
    },
    /// A member that the contract does not know.
    #[error("unknown member `{name}`; only members that start with `x_` may be added")]
    UnknownMember {
        /// Its name, shortened.
        name: String,
    },
    /// A string that is none of the names that the contract allows.
    #[error("unknown name `{found}`, expected one of {expected}")]
    UnknownName {
        /// The string, cut where it is long.
        found: String,
        /// The names.
        expected: &'static str,
    },
    /// A string or list that is too short, too long or has characters that it must not have.
    #[error("{rule}")]
    Malformed {
        /// The rule.
        rule: &'static str,
    },
    /// A string that is not a JSON pointer.
    #[error("{0}")]
    BadPointer(document::PointerError),
    /// A number that JSON cannot write.
    #[error("the value cannot be written as JSON")]
    NotJson,
    /// A path that is not one inside the workspace (FA-34, CS-58).
    #[error("{0}")]
    UnsafePath(snapshot::PathError),
    /// Two actions have one id (FA-16).
    #[error("an earlier action already has this id")]
    DuplicateId,
    /// More problems than are listed.
    #[error("{count} more problem(s) are not listed")]
    More {
        /// How many.
        count: usize,
    },
}

impl ProblemKind {
    pub(crate) fn unknown_name(found: &str, expected: &'static str) -> ProblemKind {
        ProblemKind::UnknownName { found: crate::failure::cap(found, 64), expected }
    }
}

impl ProblemKind {
    /// Whether a JSON Schema can see it. The others are about what the document means.
    pub fn is_schema(&self) -> bool {
        !matches!(self, ProblemKind::UnsafePath(_) | ProblemKind::DuplicateId)
    }
}

/// The problems found so far.
#[derive(Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    n_dropped: usize,
}

impl Problems {
    pub(crate) fn push(&mut self, at: Pointer, kind: ProblemKind) {
        if self.list.len() < MAX_PROBLEMS {
            self.list.push(Problem { at, kind });
        } else {
            self.n_dropped += 1;
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.list.len() + self.n_dropped
    }

    pub(crate) fn into_list(mut self) -> Vec<Problem> {
        if self.n_dropped > 0 {
            let kind = ProblemKind::More { count: self.n_dropped };
            self.list.push(Problem { at: Pointer::root(), kind });
        }
        self.list
    }
}

/// A place in the patch document while it is being read: segments are put together only when there is a problem.
#[derive(Clone, Copy)]
pub(crate) enum DecodePath<'a> {
    Root,
    Member(&'a DecodePath<'a>, &'a str),
    Item(&'a DecodePath<'a>, usize),
}

impl DecodePath<'_> {
    pub(crate) fn pointer(&self) -> Pointer {
        match self {
            DecodePath::Root => Pointer::root(),
            DecodePath::Member(parent, name) => parent.pointer().join(*name),
            DecodePath::Item(parent, index) => parent.pointer().join(index.to_string()),
        }
    }
}

/// A closed object that is being taken apart.
pub(crate) struct PatchObject<'a> {
    at: DecodePath<'a>,
    reader: ObjectReader<'a>,
}

impl<'a> PatchObject<'a> {
    pub(crate) fn open(
        at: DecodePath<'a>,
        value: &'a Value,
        problems: &mut Problems,
    ) -> Option<PatchObject<'a>> {
        let reader = ObjectReader::open(value);
        if reader.is_none() {
            wrong_type(at, "an object", value, problems);
        }
        Some(PatchObject { at, reader: reader? })
    }

    pub(crate) fn at(&self) -> &DecodePath<'a> {
        &self.at
    }

    pub(crate) fn optional(&mut self, name: &'static str) -> Option<&'a Value> {
        self.reader.take(name)
    }

    pub(crate) fn required(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<&'a Value> {
        let value = self.optional(name);
        if value.is_none() {
            problems.push(self.at.pointer(), ProblemKind::MissingMember { name });
        }
        value
    }

    pub(crate) fn string(&mut self, name: &'static str, problems: &mut Problems) -> Option<String> {
        let value = self.required(name, problems)?;
        read_string(DecodePath::Member(&self.at, name), value, problems)
    }

    pub(crate) fn non_empty(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<String> {
        let text = self.string(name, problems)?;
        if text.is_empty() {
            let rule = "expected a string that is not empty";
            problems.push(
                DecodePath::Member(&self.at, name).pointer(),
                ProblemKind::Malformed { rule },
            );
            return None;
        }
        Some(text)
    }

    pub(crate) fn optional_string(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<String> {
        let value = self.optional(name)?;
        read_string(DecodePath::Member(&self.at, name), value, problems)
    }

    pub(crate) fn path(&mut self, name: &'static str, problems: &mut Problems) -> Option<RelPath> {
        let text = self.string(name, problems)?;
        read_path(DecodePath::Member(&self.at, name), &text, problems)
    }

    pub(crate) fn optional_path(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<RelPath> {
        let text = self.optional_string(name, problems)?;
        read_path(DecodePath::Member(&self.at, name), &text, problems)
    }

    pub(crate) fn pointer(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<Pointer> {
        let text = self.string(name, problems)?;
        match text.parse() {
            Ok(pointer) => Some(pointer),
            Err(error) => {
                let at = DecodePath::Member(&self.at, name).pointer();
                problems.push(at, ProblemKind::BadPointer(error));
                None
            }
        }
    }

    pub(crate) fn value(&mut self, name: &'static str, problems: &mut Problems) -> Option<Value> {
        let value = self.required(name, problems)?;
        read_json(DecodePath::Member(&self.at, name), value, problems)
    }

    pub(crate) fn optional_value(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<Value> {
        let value = self.optional(name)?;
        read_json(DecodePath::Member(&self.at, name), value, problems)
    }

    pub(crate) fn index(&mut self, name: &'static str, problems: &mut Problems) -> Option<usize> {
        let value = self.required(name, problems)?;
        read_index(DecodePath::Member(&self.at, name), value, problems)
    }

    pub(crate) fn optional_index(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<usize> {
        let value = self.optional(name)?;
        read_index(DecodePath::Member(&self.at, name), value, problems)
    }

    pub(crate) fn optional_bool(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<bool> {
        match self.optional(name)? {
            Value::Bool(value) => Some(*value),
            other => {
                wrong_type(DecodePath::Member(&self.at, name), "a boolean", other, problems);
                None
            }
        }
    }

    pub(crate) fn hash(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<ContentHash> {
        let text = self.string(name, problems)?;
        read_hash(DecodePath::Member(&self.at, name), &text, problems)
    }

    pub(crate) fn optional_hash(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<ContentHash> {
        let text = self.optional_string(name, problems)?;
        read_hash(DecodePath::Member(&self.at, name), &text, problems)
    }

    pub(crate) fn list(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> Option<&'a [Value]> {
        let value = self.required(name, problems)?;
        read_list(DecodePath::Member(&self.at, name), value, problems)
    }

    pub(crate) fn optional_list(
        &mut self,
        name: &'static str,
        problems: &mut Problems,
    ) -> &'a [Value] {
        let at = self.at;
        self.optional(name)
            .and_then(|value| read_list(DecodePath::Member(&at, name), value, problems))
            .unwrap_or_default()
    }

    pub(crate) fn expects(
        &mut self,
        with_length: bool,
        problems: &mut Problems,
    ) -> Option<Expects> {
        let at = self.at;
        let value = self.optional("expects")?;
        let mut members = PatchObject::open(DecodePath::Member(&at, "expects"), value, problems)?;
        let json_type = members.json_type("type", problems);
        let equals = members.optional_value("equals", problems);
        let exists = members.optional_bool("exists", problems);
        let length = if with_length { members.optional_index("length", problems) } else { None };
        let extra = members.close(problems);
        Some(Expects { json_type, equals, exists, length, extra })
    }

    /// The `x_` members of `expects_parent` say nothing that outlives it, so they are not kept.
    pub(crate) fn expects_parent(&mut self, problems: &mut Problems) -> Option<JsonType> {
        let at = self.at;
        let value = self.optional("expects_parent")?;
        let mut members =
            PatchObject::open(DecodePath::Member(&at, "expects_parent"), value, problems)?;
        members.required("type", problems);
        let json_type = members.json_type("type", problems);
        members.close(problems);
        json_type
    }

    fn json_type(&mut self, name: &'static str, problems: &mut Problems) -> Option<JsonType> {
        let text = self.optional_string(name, problems)?;
        let found = JsonType::from_name(&text);
        if found.is_none() {
            let expected = "string, number, integer, boolean, null, object, array";
            let kind = ProblemKind::unknown_name(&text, expected);
            problems.push(DecodePath::Member(&self.at, name).pointer(), kind);
        }
        found
    }

    /// Refuses what was not asked for, and returns the `x_` members.
    pub(crate) fn close(self, problems: &mut Problems) -> Extra {
        let mut extra = Extra::new();
        for (name, value) in self.reader.rest() {
            let at = DecodePath::Member(&self.at, name);
            if name.starts_with("x_") {
                extra.extend(read_json(at, value, problems).map(|value| (name.to_owned(), value)));
            } else {
                let name = crate::failure::cap(name, 64);
                problems.push(at.pointer(), ProblemKind::UnknownMember { name });
            }
        }
        extra
    }
}

pub(crate) fn wrong_type(
    at: DecodePath<'_>,
    expected: &'static str,
    found: &Value,
    problems: &mut Problems,
) {
    problems.push(at.pointer(), ProblemKind::WrongType { expected, found: found.json_type() });
}

fn read_string(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        other => {
            wrong_type(at, "a string", other, problems);
            None
        }
    }
}

fn read_path(at: DecodePath<'_>, text: &str, problems: &mut Problems) -> Option<RelPath> {
    match RelPath::parse(text) {
        Ok(path) => Some(path),
        Err(error) => {
            problems.push(at.pointer(), ProblemKind::UnsafePath(error));
            None
        }
    }
}

fn read_hash(at: DecodePath<'_>, text: &str, problems: &mut Problems) -> Option<ContentHash> {
    let hash = text.parse().ok();
    if hash.is_none() {
        let rule = "expected a content hash: `blake3:` and 64 lower-case hex digits";
        problems.push(at.pointer(), ProblemKind::Malformed { rule });
    }
    hash
}

fn read_list<'a>(
    at: DecodePath<'_>,
    value: &'a Value,
    problems: &mut Problems,
) -> Option<&'a [Value]> {
    match value {
        Value::Array(items) => Some(items),
        other => {
            wrong_type(at, "an array", other, problems);
            None
        }
    }
}

fn read_json(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<Value> {
    if is_json(value) {
        return Some(value.clone());
    }
    problems.push(at.pointer(), ProblemKind::NotJson);
    None
}

/// YAML can write numbers that JSON cannot; a document that has them is not a patch document (FA-10).
fn is_json(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_finite(),
        Value::Array(items) => items.iter().all(is_json),
        Value::Object(members) => members.iter().all(|(_, value)| is_json(value)),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Datetime(_) => true,
    }
}

pub(crate) fn read_index(
    at: DecodePath<'_>,
    value: &Value,
    problems: &mut Problems,
) -> Option<usize> {
    let index = match value {
        Value::Number(number) => as_index(number),
        other => {
            wrong_type(at, "an integer", other, problems);
            return None;
        }
    };
    if index.is_none() {
        let rule = "expected an integer from 0 to 2^53 - 1";
        problems.push(at.pointer(), ProblemKind::Malformed { rule });
    }
    index
}

/// `3.0` and `3e0` are the integer 3, as JSON Schema has it.
fn as_index(number: &Number) -> Option<usize> {
    let exact = number.as_usize().or_else(|| {
        let value = number.text().parse::<f64>().ok().filter(|_| number.is_integral())?;
        (0.0..=MAX_INDEX as f64).contains(&value).then_some(value as usize)
    });
    exact.filter(|&index| index <= MAX_INDEX)
}
