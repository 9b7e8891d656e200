//! Why a text is not YAML: what was expected, what was found, and where the construct began that is not finished.

use std::fmt;

/// What sort of failure it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is not YAML.
    Syntax,
    /// Collections are nested deeper than the limit.
    TooDeep,
    /// The text is longer than offsets can say.
    TooLarge,
}

/// The first place at which the text is not YAML.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Error {
    /// What sort of failure it is.
    pub kind: ErrorKind,
    /// The byte at which it was noticed.
    pub offset: u32,
    /// The line of that byte, from 1.
    pub line: u32,
    /// The character of that byte in its line, from 1.
    pub column: u32,
    /// Where the construct began that is not finished or does not allow what was found.
    pub began: Option<u32>,
    /// What was expected and what was found, without the place.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}

/// The line and the column of a byte, from 1.
pub(crate) fn position(bytes: &[u8], offset: usize) -> (u32, u32) {
    let before = bytes.get(..offset).unwrap_or(bytes);
    let is_break = |at: usize| match before[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    let mut line = 1;
    let mut start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3.min(before.len()) } else { 0 };
    for at in memchr::memchr2_iter(b'\n', b'\r', before).filter(|at| is_break(*at)) {
        line += 1;
        start = at + 1;
    }
    let column = before[start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
    (line, column as u32 + 1)
}
