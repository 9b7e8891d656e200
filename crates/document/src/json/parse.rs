//! The parser: JSON as RFC 8259 has it, plus comments and trailing commas, into a flat array of spans.
//!
//! One pass, an explicit stack, no allocation per node. Duplicate keys do not stop it: the first is remembered.

use crate::json::dupes::KeyStack;
use crate::json::string::{BadString, StringEnd, end_of_string};
use crate::json::{HAS_KEY, Node};
use crate::limits::Limits;
use crate::refusal::{ParseError, ParseErrorKind};

/// What a text was parsed into: nodes in document order, and the offset of the first key that repeats another.
pub(super) struct ParsedJson {
    pub(super) nodes: Vec<Node>,
    pub(super) repeated_key: Option<u32>,
}

/// Boxed, so that what every step returns fits a register.
type Failure = Box<ParseError>;

/// A container that is being read.
struct Frame {
    node: usize,
    is_object: bool,
    /// How many keys of enclosing objects are on the key stack.
    keys_before: usize,
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    stack: Vec<Frame>,
    keys: KeyStack<'a>,
    repeated_key: Option<u32>,
    max_depth: usize,
}

/// Parses a text that has been checked to be UTF-8.
pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<ParsedJson, ParseError> {
    if bytes.len() >= HAS_KEY as usize {
        let message = "the file is larger than 2 GiB".to_string();
        return Err(ParseError { kind: ParseErrorKind::TooLarge, offset: 0, message });
    }
    let mut parser = Parser {
        bytes,
        at: if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 },
        // One node per 16 bytes is a dense file; a sparser one never touches the rest.
        nodes: Vec::with_capacity(bytes.len() / 16 + 1),
        stack: Vec::new(),
        keys: KeyStack::new(bytes),
        repeated_key: None,
        max_depth: limits.max_depth,
    };
    parser.document().map_err(|failure| *failure)?;
    let mut nodes = parser.nodes;
    nodes.shrink_to_fit();
    Ok(ParsedJson { nodes, repeated_key: parser.repeated_key })
}

impl Parser<'_> {
    fn document(&mut self) -> Result<(), Failure> {
        self.skip_trivia()?;
        if self.at == self.bytes.len() {
            return Err(self.error("the document is empty"));
        }
        self.value(None)?;
        while !self.stack.is_empty() {
            self.member()?;
        }
        self.skip_trivia()?;
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the document")),
        }
    }

    /// Reads the next member of the innermost container with its comma, or the container's end.
    fn member(&mut self) -> Result<(), Failure> {
        let Some(frame) = self.stack.last() else { return Ok(()) };
        let is_object = frame.is_object;
        let is_first = frame.node + 1 == self.nodes.len();
        self.skip_trivia()?;
        let closer = if is_object { b'}' } else { b']' };
        if self.peek() == Some(closer) {
            return self.close();
        }
        if !is_first {
            if self.peek() != Some(b',') {
                return Err(self.unexpected(if is_object { "`,` or `}`" } else { "`,` or `]`" }));
            }
            self.at += 1;
            self.skip_trivia()?;
            if self.peek() == Some(closer) {
                return self.close();
            }
        }
        if !is_object {
            return self.value(None);
        }
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes or `}`"));
        }
        let key = self.at;
        let has_escapes = self.string()?;
        self.keys.push(key, self.at, has_escapes);
        self.skip_trivia()?;
        if self.peek() != Some(b':') {
            return Err(self.unexpected("`:` after the key"));
        }
        self.at += 1;
        self.skip_trivia()?;
        self.value(Some(key))
    }

    /// Reads a scalar, or the opening bracket of a container, which goes onto the stack.
    #[inline]
    fn value(&mut self, key: Option<usize>) -> Result<(), Failure> {
        let start = self.at;
        let node = self.nodes.len();
        match self.peek() {
            Some(bracket @ (b'{' | b'[')) => {
                if self.stack.len() >= self.max_depth {
                    return Err(self.too_deep());
                }
                let keys_before = self.keys.len();
                self.stack.push(Frame { node, is_object: bracket == b'{', keys_before });
                self.at += 1;
            }
            Some(b'"') => {
                self.string()?;
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            Some(b'n') => self.word(b"null")?,
            _ => return Err(self.unexpected("a value")),
        }
        let (start, flag) = key.map_or((start, 0), |key| (key, HAS_KEY));
        let next = (node as u32 + 1) | flag;
        self.nodes.push(Node { start: start as u32, end: self.at as u32, next });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        self.at += 1;
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[frame.node];
        node.end = self.at as u32;
        node.next = next | (node.next & HAS_KEY);
        if frame.is_object
            && let Some(repeated) = self.keys.close_object(frame.keys_before)
        {
            self.repeated_key = Some(self.repeated_key.map_or(repeated, |it| it.min(repeated)));
        }
        Ok(())
    }

    /// Says whether the string has escapes.
    fn string(&mut self) -> Result<bool, Failure> {
        match end_of_string(self.bytes, self.at + 1) {
            Ok(StringEnd { end, has_escapes }) => {
                self.at = end;
                Ok(has_escapes)
            }
            Err((bad, at)) => {
                self.at = at;
                Err(self.error(match bad {
                    BadString::Unterminated => "a string is not closed",
                    BadString::ControlCharacter => "unescaped control character in a string",
                    BadString::BadEscape => "unknown escape in a string",
                    BadString::LoneSurrogate => "unpaired surrogate in an escape",
                }))
            }
        }
    }

    fn number(&mut self) -> Result<(), Failure> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                return Err(self.error("a number must not have leading zeros"));
            }
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
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Failure> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected("a digit")) } else { Ok(()) }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Failure> {
        if self.bytes[self.at..].starts_with(word) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.unexpected("a value"))
        }
    }

    #[inline(always)]
    fn skip_trivia(&mut self) -> Result<(), Failure> {
        match self.peek() {
            Some(byte) if byte > b' ' && byte != b'/' => Ok(()),
            _ => self.skip_blanks_and_comments(),
        }
    }

    fn skip_blanks_and_comments(&mut self) -> Result<(), Failure> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\n') => {
                    self.at += 1;
                    self.skip_indentation();
                }
                Some(b'/') => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Most of the whitespace of a file is spaces at the start of lines.
    fn skip_indentation(&mut self) {
        while self.bytes[self.at..].starts_with(b"        ") {
            self.at += 8;
        }
        if self.bytes[self.at..].starts_with(b"    ") {
            self.at += 4;
        }
        if self.bytes[self.at..].starts_with(b"  ") {
            self.at += 2;
        }
    }

    #[cold]
    fn skip_comment(&mut self) -> Result<(), Failure> {
        let Some(end) = end_of_comment(self.bytes, self.at) else {
            return Err(self.error(match self.bytes.get(self.at + 1) {
                Some(b'*') => "a comment is not closed",
                _ => "expected `//` or `/*`, found `/`",
            }));
        };
        if let Some(bad) = self.bytes[self.at..end].iter().position(is_control) {
            self.at += bad;
            return Err(self.error("a control character in a comment"));
        }
        self.at = end;
        Ok(())
    }

    #[cold]
    fn too_deep(&self) -> Failure {
        Box::new(ParseError {
            kind: ParseErrorKind::TooLarge,
            offset: self.at as u32,
            message: format!("nested deeper than {} levels", self.max_depth),
        })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Failure {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let head = String::from_utf8_lossy(&rest[..rest.len().min(4)]);
        match head.chars().next() {
            None => self.error(&format!("expected {expected}, found the end of the file")),
            Some(found @ ('\'' | '"' | '\\')) => {
                self.error(&format!("expected {expected}, found `{found}`"))
            }
            Some(found) => {
                self.error(&format!("expected {expected}, found `{}`", found.escape_debug()))
            }
        }
    }

    #[cold]
    fn error(&self, message: &str) -> Failure {
        Box::new(ParseError {
            kind: ParseErrorKind::Syntax,
            offset: self.at as u32,
            message: message.to_string(),
        })
    }
}

/// The offset after the comment at `at`, its line break not included; `None` if it is none or is not closed.
pub(super) fn end_of_comment(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    match rest {
        [b'/', b'/', text @ ..] => {
            Some(at + 2 + memchr::memchr2(b'\n', b'\r', text).unwrap_or(text.len()))
        }
        [b'/', b'*', text @ ..] => memchr::memmem::find(text, b"*/").map(|found| at + 4 + found),
        _ => None,
    }
}

fn is_control(byte: &u8) -> bool {
    matches!(byte, 0..0x20) && !matches!(byte, b'\t' | b'\n' | b'\r')
}
