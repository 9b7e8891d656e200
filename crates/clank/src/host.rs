//! The JavaScript that externals are written in: its tokens, and whether a text is one expression. Only what must hold for
//! generated code to stay in one piece is asked, brackets and quotes above all; an engine may still refuse the text.

/// Why a text is not one expression of JavaScript.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum HostFault {
    #[error("it is empty")]
    Empty,
    #[error("unmatched `{0}`")]
    Bracket(char),
    #[error("unterminated {0}")]
    Open(&'static str),
    #[error("`{0}` is not part of an expression")]
    Unexpected(String),
    #[error("it ends after `{0}`")]
    Unfinished(String),
}

/// A piece of JavaScript that means something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Token<'a> {
    Word(&'a str),
    /// A name after a point, which may be any word.
    Field(&'a str),
    /// A number, a string, a template without values, or a regular expression.
    Literal(&'a str),
    Open(char),
    Close(char),
    Punctuation(&'a str),
}

/// Words that begin statements, which are not expressions.
const STATEMENTS: &[&str] = &[
    "break", "case", "catch", "const", "continue", "debugger", "do", "else", "export", "finally",
    "for", "if", "let", "return", "switch", "throw", "try", "var", "while", "with",
];

/// Words after which an operand comes.
const PREFIXES: &[&str] = &[
    "async",
    "await",
    "class",
    "delete",
    "extends",
    "function",
    "in",
    "instanceof",
    "new",
    "of",
    "return",
    "throw",
    "typeof",
    "void",
    "yield",
    "case",
    "do",
    "else",
];

/// Operators that need nothing on their left.
const PREFIX_OPERATORS: &[&str] = &["+", "-", "!", "~", "++", "--", "..."];

/// Operators of more than one character, the longer ones first.
const OPERATORS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "**", "<<", ">>",
];

/// What keeps a text from being one expression, if anything does.
pub(crate) fn fault(text: &str) -> Option<HostFault> {
    let tokens = match tokens(text) {
        Ok(tokens) => tokens,
        Err(fault) => return Some(fault),
    };
    let mut depth = 0u32;
    let mut last: Option<Token<'_>> = None;
    for token in tokens {
        if matches!(token, Token::Close(_)) {
            depth -= 1;
        }
        if depth == 0 && !fits(last, token) {
            return Some(HostFault::Unexpected(written(token)));
        }
        if matches!(token, Token::Open(_)) {
            depth += 1;
        }
        last = Some(token);
    }
    match last {
        None => Some(HostFault::Empty),
        Some(last) if ends_operand(last) || matches!(last, Token::Punctuation("++" | "--")) => None,
        Some(last) => Some(HostFault::Unfinished(written(last))),
    }
}

/// Whether a text is the name of something in a module.
pub(crate) fn is_name(text: &str) -> bool {
    matches!(tokens(text).as_deref(), Ok([Token::Word(word)]) if *word == text)
}

/// The names in a text that are not fields: what the text needs from around it, and what it binds itself.
pub fn words(text: &str) -> Vec<&str> {
    let tokens = tokens(text).unwrap_or_default().into_iter();
    let words = tokens.filter_map(|it| match it {
        Token::Word(word) => Some(word),
        _ => None,
    });
    words.collect()
}

/// Whether a token outside all brackets can follow another one.
fn fits(last: Option<Token<'_>>, token: Token<'_>) -> bool {
    let is_after_operand = last.is_some_and(ends_operand);
    match token {
        Token::Word("in" | "instanceof") => is_after_operand,
        Token::Word("extends") => true,
        Token::Word(word) => !is_after_operand && !STATEMENTS.contains(&word),
        // A template follows what it is the argument of, and its text goes on after a value.
        Token::Literal(text) => !is_after_operand || text.starts_with(['`', '}']),
        Token::Field(_) | Token::Open(_) | Token::Close(_) => true,
        Token::Punctuation(";" | ",") => false,
        Token::Punctuation("*") => is_after_operand || last == Some(Token::Word("function")),
        Token::Punctuation(text) => is_after_operand || PREFIX_OPERATORS.contains(&text),
    }
}

/// Whether what was read up to a token is an operand, after which an operator comes.
fn ends_operand(token: Token<'_>) -> bool {
    match token {
        Token::Word(word) => !PREFIXES.contains(&word),
        Token::Field(_) | Token::Literal(_) | Token::Close(_) => true,
        Token::Open(_) | Token::Punctuation(_) => false,
    }
}

fn written(token: Token<'_>) -> String {
    match token {
        Token::Word(text)
        | Token::Field(text)
        | Token::Literal(text)
        | Token::Punctuation(text) => text.to_owned(),
        Token::Open(char) | Token::Close(char) => char.to_string(),
    }
}

/// The tokens of a text in which every bracket has its partner.
fn tokens(text: &str) -> Result<Vec<Token<'_>>, HostFault> {
    let mut reader = Reader { text, at: 0, open: Vec::new(), tokens: Vec::new() };
    while let Some(char) = reader.rest().chars().next() {
        reader.token(char)?;
    }
    match reader.open.last() {
        None => Ok(reader.tokens),
        Some('`') => Err(HostFault::Open("template")),
        Some(open) => Err(HostFault::Bracket(*open)),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// The brackets that are open; a backtick for the value of a template.
    open: Vec<char>,
    tokens: Vec<Token<'a>>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The next bytes of the text.
    fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.rest()[..length];
        self.at += length;
        taken
    }

    fn token(&mut self, char: char) -> Result<(), HostFault> {
        let rest = self.rest();
        let is_word = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '#');
        match char {
            _ if char.is_whitespace() => self.at += char.len_utf8(),
            '/' if rest.starts_with("//") => self.comment("\n")?,
            '/' if rest.starts_with("/*") => self.comment("*/")?,
            '/' if !self.tokens.last().is_some_and(|it| ends_operand(*it)) => self.regex()?,
            '"' | '\'' => self.string(char)?,
            '`' => self.template()?,
            '(' | '[' | '{' => {
                self.open.push(char);
                self.tokens.push(Token::Open(char));
                self.at += 1;
            }
            ')' | ']' | '}' => self.close(char)?,
            _ if char.is_numeric() || is_fraction(rest) => {
                let is_digit = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.');
                let length = rest.find(|it| !is_digit(it)).unwrap_or(rest.len());
                let number = self.take(length);
                self.tokens.push(Token::Literal(number));
            }
            _ if is_word(char) => {
                let length = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
                let word = self.take(length);
                let is_field = matches!(self.tokens.last(), Some(Token::Punctuation("." | "?.")));
                self.tokens.push(if is_field { Token::Field(word) } else { Token::Word(word) });
            }
            _ => {
                let known = OPERATORS.iter().find(|it| rest.starts_with(**it));
                let text = self.take(known.map_or(char.len_utf8(), |it| it.len()));
                self.tokens.push(Token::Punctuation(text));
            }
        }
        Ok(())
    }

    fn comment(&mut self, end: &str) -> Result<(), HostFault> {
        let rest = &self.rest()[2..];
        let length = rest.find(end).ok_or(HostFault::Open("comment"))?;
        self.at += 2 + length + end.len();
        Ok(())
    }

    fn string(&mut self, quote: char) -> Result<(), HostFault> {
        let length = closed(self.rest(), quote).ok_or(HostFault::Open("string"))?;
        let text = self.take(length);
        self.tokens.push(Token::Literal(text));
        Ok(())
    }

    /// A regular expression: a `/` between brackets does not end it.
    fn regex(&mut self) -> Result<(), HostFault> {
        let rest = self.rest();
        let mut is_class = false;
        let mut chars = rest.char_indices().skip(1);
        while let Some((at, char)) = chars.next() {
            match char {
                '\\' => drop(chars.next()),
                '\n' => break,
                '[' => is_class = true,
                ']' => is_class = false,
                '/' if !is_class => {
                    let flags = rest[at + 1..].find(|it: char| !it.is_ascii_alphabetic());
                    let text = self.take(flags.map_or(rest.len(), |it| at + 1 + it));
                    self.tokens.push(Token::Literal(text));
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(HostFault::Open("regular expression"))
    }

    /// The text of a template up to its end or to its next value, from the backtick or the brace before it.
    fn template(&mut self) -> Result<(), HostFault> {
        let rest = self.rest();
        let mut chars = rest.char_indices().skip(1).peekable();
        while let Some((at, char)) = chars.next() {
            match char {
                '\\' => drop(chars.next()),
                '`' => {
                    let text = self.take(at + 1);
                    self.tokens.push(Token::Literal(text));
                    return Ok(());
                }
                '$' if chars.peek().is_some_and(|it| it.1 == '{') => {
                    self.take(at + 2);
                    self.open.push('`');
                    self.tokens.push(Token::Open('`'));
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(HostFault::Open("template"))
    }

    fn close(&mut self, close: char) -> Result<(), HostFault> {
        match (self.open.pop(), close) {
            (Some('('), ')') | (Some('['), ']') | (Some('{'), '}') => self.at += 1,
            (Some('`'), '}') => {
                self.tokens.push(Token::Close('`'));
                return self.template();
            }
            _ => return Err(HostFault::Bracket(close)),
        }
        self.tokens.push(Token::Close(close));
        Ok(())
    }
}

/// `.5`
fn is_fraction(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
}

/// How long a text in quotes is, if it ends on its line.
fn closed(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '\n' => return None,
            _ if char == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = fault(text).map_or(String::new(), |it| it.to_string());
        assert_eq!(found, expected, "{text}");
    }

    /// Row 44.
    #[test]
    fn expressions_of_all_kinds_are_accepted() {
        for text in [
            "f",
            "Math.max",
            "(a) => a + 1",
            "a => ({ b: a })",
            "async (a) => { await a; return a }",
            "function f(a, b) { if (a) { return b } return a }",
            "function* () { yield 1 }",
            "class A extends B { m() {} }",
            "(s) => s.replace(/[\"/]\\//g, '\\'')",
            "(s) => `${s + `${{ a: \"}\" }.a}`} b`",
            "String.raw`a${1}b`",
            "(a) => a / 2 / 3",
            "/* one */ (a) => a // the rest\n",
            "(a) => { const b = 1; return a\n}",
            "new Date().getTime",
            "typeof x === 'y' ? -1 : .5",
            "a ?? b?.in",
            "a++",
            "(a, ...b) => !b",
            "(() => 1)()",
        ] {
            check(text, "");
        }
    }

    /// Row 44.
    #[test]
    fn what_is_no_single_expression_is_refused_with_the_reason() {
        check("", "it is empty");
        check(" /* a */", "it is empty");
        check("1); globalThis.x = (2", "unmatched `)`");
        check("(a, => (", "unmatched `(`");
        check("(a]", "unmatched `]`");
        check("a; b", "`;` is not part of an expression");
        check("a, b", "`,` is not part of an expression");
        check("a b", "`b` is not part of an expression");
        check("f 'b'", "`'b'` is not part of an expression");
        check("return 1", "`return` is not part of an expression");
        check("=> 1", "`=>` is not part of an expression");
        check("(a) =>", "it ends after `=>`");
        check("1 +", "it ends after `+`");
        check("\"a", "unterminated string");
        check("'a\n'", "unterminated string");
        check("`a", "unterminated template");
        check("`a${b", "unterminated template");
        check("`a${b}", "unterminated template");
        check("a // b", "unterminated comment");
        check("a /* b", "unterminated comment");
        check("/a", "unterminated regular expression");
        check("\\", "`\\` is not part of an expression");
    }

    #[test]
    fn words_are_what_stands_alone() {
        assert_eq!(words("(a) => a.b?.c(/d/, 'e', `f${g}h`)"), ["a", "a", "g"]);
        assert_eq!(words("("), Vec::<&str>::new());
    }
}
