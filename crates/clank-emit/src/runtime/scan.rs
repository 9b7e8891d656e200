//! The identifiers that a piece of TypeScript or JavaScript uses.
//!
//! Made for the run-time library, not for any program: comments, strings, regular expressions and names after a point
//! are passed over, and so are names right before a colon, which are keys and parameters; expressions in templates are
//! not. A shorthand key, a parameter without a type and a method count as used.

/// The identifiers as often as they occur, without those that name a property of something.
pub(super) fn for_each_identifier<'a>(text: &'a str, mut found: impl FnMut(&'a str)) {
    let mut scanner = Scanner { text, at: 0, last: b'(' };
    let mut templates: Vec<u32> = Vec::new();
    while let Some(byte) = scanner.peek() {
        match byte {
            b'/' if scanner.is_ahead(b"//") => scanner.skip_past("\n"),
            b'/' if scanner.is_ahead(b"/*") => scanner.skip_past("*/"),
            b'/' if b"(,=:?&|!".contains(&scanner.last) => scanner.skip_quoted(b'/'),
            b'"' => scanner.skip_quoted(b'"'),
            b'`' => {
                scanner.at += 1;
                scanner.template(&mut templates);
            }
            b'{' | b'}' => {
                scanner.step();
                match (byte, templates.last_mut()) {
                    (b'{', Some(depth)) => *depth += 1,
                    (_, Some(0)) => {
                        templates.pop();
                        scanner.template(&mut templates);
                    }
                    (_, Some(depth)) => *depth -= 1,
                    (_, None) => {}
                }
            }
            _ if is_name(byte) => {
                let start = scanner.at;
                let is_property = scanner.is_after_point();
                let name = scanner.name();
                if name == "any" && text.as_bytes()[..start].ends_with(b"): ") {
                    continue; // The type, not the builtin.
                }
                let is_key = scanner.is_ahead(b":") || scanner.is_ahead(b"?:");
                if !is_property && !is_key && !byte.is_ascii_digit() {
                    found(name);
                }
            }
            _ => scanner.step(),
        }
    }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// The last byte that was neither blank nor part of a comment.
    last: u8,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn is_ahead(&self, bytes: &[u8]) -> bool {
        self.text.as_bytes().get(self.at..).is_some_and(|it| it.starts_with(bytes))
    }

    fn step(&mut self) {
        if let Some(byte) = self.peek() {
            if !byte.is_ascii_whitespace() {
                self.last = byte;
            }
            self.at += 1;
        }
    }

    fn skip_past(&mut self, end: &str) {
        self.at = self.rest().find(end).map_or(self.text.len(), |it| self.at + it + end.len());
    }

    /// Passes a string or regular expression whose first byte is ahead.
    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote {
                break;
            }
        }
        self.last = quote;
    }

    /// Passes the text of a template up to its end or to the next expression in it.
    fn template(&mut self, templates: &mut Vec<u32>) {
        while let Some(byte) = self.peek() {
            if self.is_ahead(b"${") {
                self.at += 2;
                self.last = b'(';
                templates.push(0);
                return;
            }
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'`' {
                break;
            }
        }
        self.last = b'`';
    }

    fn is_after_point(&self) -> bool {
        let before = &self.text.as_bytes()[..self.at];
        before.ends_with(b"#") || before.ends_with(b".") && !before.ends_with(b"..")
    }

    fn name(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|it| !is_name(it)).unwrap_or(rest.len());
        let name = &rest[..length];
        self.at += length;
        self.last = name.bytes().next_back().unwrap_or(self.last);
        name
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}
