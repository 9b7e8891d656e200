//! JSON as a flat list of values that know their parents.
//!
//! It is read without recursion and freed without recursion, so a hundred thousand nested brackets are as harmless as a
//! hundred thousand in a row; numbers keep their digits, a path is rendered only when an error asks for it, and a key
//! that is given twice is an error. These are the reasons not to read into a tree of maps.

use std::collections::HashSet;

use crate::ast::Name;

/// A value of a [`Doc`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ValueId(u32);

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// As it is written.
    Number(Name),
    Str(String),
    Array(Vec<ValueId>),
    /// No key occurs twice.
    Object(Vec<(Name, ValueId)>),
}

impl Value {
    /// What it is, for messages.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Str(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }
}

/// Where a value is in its parent.
#[derive(Debug)]
enum ParentSlot {
    Root,
    Index(ValueId, u32),
    Key(ValueId, Name),
}

/// A JSON text, read.
#[derive(Debug)]
pub(super) struct Doc {
    values: Vec<(Value, ParentSlot)>,
}

/// Why a text is not JSON.
#[derive(Debug)]
pub(super) struct Invalid {
    pub(super) message: String,
    /// The byte it is about.
    pub(super) offset: usize,
}

impl Doc {
    pub(super) fn root(&self) -> ValueId {
        ValueId(0)
    }

    pub(super) fn get(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize].0
    }

    /// A member of an object. One that is `null` is absent.
    pub(super) fn member(&self, id: ValueId, key: &str) -> Option<ValueId> {
        let Value::Object(members) = self.get(id) else { return None };
        let (_, value) = members.iter().find(|(it, _)| it == key)?;
        (!matches!(self.get(*value), Value::Null)).then_some(*value)
    }

    /// A member of an object that is a string.
    pub(super) fn text_member(&self, id: ValueId, key: &str) -> Option<&str> {
        match self.get(self.member(id, key)?) {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The path from the root, in the style `$.declarations[0].body`.
    pub(super) fn path(&self, id: ValueId) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        loop {
            match &self.values[at.0 as usize].1 {
                ParentSlot::Root => break,
                ParentSlot::Index(parent, index) => {
                    steps.push(format!("[{index}]"));
                    at = *parent;
                }
                ParentSlot::Key(parent, key) => {
                    steps.push(key_step(key));
                    at = *parent;
                }
            }
        }
        let mut path = String::from("$");
        path.extend(steps.iter().rev().map(String::as_str));
        path
    }
}

/// A key as a step of a path.
pub(super) fn key_step(key: &str) -> String {
    if !key.is_empty() && key.chars().all(|it| it.is_alphanumeric() || it == '_') {
        format!(".{key}")
    } else {
        format!("[{key:?}]")
    }
}

/// Reads a JSON text.
pub(super) fn parse(text: &str) -> Result<Doc, Invalid> {
    if u32::try_from(text.len()).is_err() {
        return Err(Invalid { message: "the text is longer than 4 GiB".into(), offset: 0 });
    }
    let mut parser = Parser { text, at: 0, values: Vec::new() };
    parser.document()?;
    Ok(Doc { values: parser.values })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    values: Vec<(Value, ParentSlot)>,
}

/// A bracket that is open, with what was read in it.
enum Open {
    Array { id: ValueId, elements: Vec<ValueId> },
    Object { id: ValueId, members: Vec<(Name, ValueId)>, keys: HashSet<Name>, key: Name },
}

/// From how many members on an object's keys are looked up in a set.
const MANY_KEYS: usize = 16;

impl Parser<'_> {
    fn document(&mut self) -> Result<(), Invalid> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let step = match open.last() {
                None => ParentSlot::Root,
                Some(Open::Array { id, elements }) => ParentSlot::Index(*id, elements.len() as u32),
                Some(Open::Object { id, key, .. }) => ParentSlot::Key(*id, key.clone()),
            };
            let id = ValueId(self.values.len() as u32);
            match self.value(step, id)? {
                Some(inner) => open.push(inner),
                None => add(&mut open, id),
            }
            if !self.after_value(&mut open)? {
                break;
            }
        }
        self.blanks();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.invalid("there is more after the end of the JSON value")),
        }
    }

    /// Reads a scalar, or an opening bracket, which is returned.
    fn value(&mut self, step: ParentSlot, id: ValueId) -> Result<Option<Open>, Invalid> {
        self.blanks();
        let mut inner = None;
        let value = match self.peek() {
            Some(b'{') => {
                self.at += 1;
                inner = Some(Open::Object {
                    id,
                    members: Vec::new(),
                    keys: HashSet::new(),
                    key: Name::default(),
                });
                Value::Null
            }
            Some(b'[') => {
                self.at += 1;
                inner = Some(Open::Array { id, elements: Vec::new() });
                Value::Null
            }
            Some(b'"') => Value::Str(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            Some(_) => return Err(self.invalid("expected a JSON value")),
            None => return Err(self.invalid("the JSON text ends where a value is expected")),
        };
        self.values.push((value, step));
        Ok(inner)
    }

    /// Goes on to where the next value starts, closing brackets on the way. False at the end of the outermost value.
    fn after_value(&mut self, open: &mut Vec<Open>) -> Result<bool, Invalid> {
        loop {
            let Some(innermost) = open.last_mut() else { return Ok(false) };
            self.blanks();
            let (close, is_empty) = match innermost {
                Open::Array { elements, .. } => (b']', elements.is_empty()),
                Open::Object { members, .. } => (b'}', members.is_empty()),
            };
            match self.peek() {
                Some(byte) if byte == close => {
                    self.at += 1;
                    let id = match open.pop() {
                        Some(Open::Array { id, elements }) => {
                            self.values[id.0 as usize].0 = Value::Array(elements);
                            id
                        }
                        Some(Open::Object { id, members, .. }) => {
                            self.values[id.0 as usize].0 = Value::Object(members);
                            id
                        }
                        None => return Ok(false),
                    };
                    add(open, id);
                    continue;
                }
                Some(b',') if !is_empty => self.at += 1,
                Some(_) if is_empty => {}
                Some(_) => {
                    let message = format!("expected `,` or `{}`", char::from(close));
                    return Err(self.invalid(&message));
                }
                None => {
                    let message = format!("the JSON text ends before `{}`", char::from(close));
                    return Err(self.invalid(&message));
                }
            }
            if let Open::Object { members, keys, key, .. } = innermost {
                *key = self.key(members, keys)?;
            }
            return Ok(true);
        }
    }

    fn key(
        &mut self,
        members: &[(Name, ValueId)],
        keys: &mut HashSet<Name>,
    ) -> Result<Name, Invalid> {
        self.blanks();
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.invalid("expected a key in double quotes"));
        }
        let key = Name::from(self.string()?);
        let is_double = if members.len() < MANY_KEYS {
            members.iter().any(|(it, _)| *it == key)
        } else {
            if keys.is_empty() {
                keys.extend(members.iter().map(|(it, _)| it.clone()));
            }
            !keys.insert(key.clone())
        };
        if is_double {
            let message = format!("the key {key:?} is given twice in one object");
            return Err(Invalid { message, offset: start });
        }
        self.blanks();
        if self.peek() != Some(b':') {
            return Err(self.invalid("expected `:` after a key"));
        }
        self.at += 1;
        Ok(key)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn invalid(&self, message: &str) -> Invalid {
        Invalid { message: message.to_owned(), offset: self.at }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Invalid> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.invalid("expected a JSON value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn digits(&mut self) -> Result<(), Invalid> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.invalid("expected a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Name, Invalid> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(Name::from(&self.text[start..self.at]))
    }

    fn string(&mut self) -> Result<String, Invalid> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            text.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                Some(_) => return Err(self.invalid("a control character must be escaped")),
                None => return Err(self.invalid("unterminated string")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, Invalid> {
        let it = match self.peek() {
            Some(it @ (b'"' | b'\\' | b'/')) => char::from(it),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => return Err(self.invalid("this escape does not exist in JSON")),
        };
        self.at += 1;
        Ok(it)
    }

    fn unicode_escape(&mut self) -> Result<char, Invalid> {
        let start = self.at;
        let first = self.four_digits()?;
        let mut code = first;
        if (0xd800..0xdc00).contains(&first) && self.text.as_bytes()[self.at..].starts_with(b"\\u")
        {
            self.at += 2;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            }
        }
        char::from_u32(code).ok_or(Invalid {
            message: "half of a surrogate pair is not a character".into(),
            offset: start,
        })
    }

    fn four_digits(&mut self) -> Result<u32, Invalid> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let code = digits
            .filter(|it| it.iter().all(u8::is_ascii_hexdigit))
            .and_then(|it| std::str::from_utf8(it).ok())
            .and_then(|it| u32::from_str_radix(it, 16).ok());
        match code {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => Err(self.invalid("expected four hexadecimal digits after `\\u`")),
        }
    }
}

/// Puts a value that is complete into the innermost open bracket.
fn add(open: &mut [Open], id: ValueId) {
    match open.last_mut() {
        Some(Open::Array { elements, .. }) => elements.push(id),
        Some(Open::Object { members, key, .. }) => members.push((key.clone(), id)),
        None => {}
    }
}
