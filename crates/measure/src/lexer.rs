//! Tokens of source texts, without comments: enough of each language to know what is code and what is a string.
//!
//! One pass, in time linear in the text. Known limits: strings inside the braces of Python's f-strings and of string
//! interpolation are taken as part of the string up to its first closing quote, of Ruby's percent literals only `%w`, `%i`
//! and `%q` are known, and where a `/` may start a regular expression is guessed from the token before it.

mod strings;

/// The languages that are known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SourceLanguage {
    Rust,
    Python,
    /// TypeScript too.
    JavaScript,
    Go,
    Java,
    /// C++ too.
    C,
    Clank,
    Ruby,
    /// Groovy and Kotlin as build scripts use them.
    Gradle,
    Elixir,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    /// A name or a keyword.
    Word,
    /// Something that starts with a digit.
    Number,
    /// A string, a character or a regular expression, with its quotes.
    Text,
    /// One character of punctuation.
    Mark,
    /// A string or a comment that does not end.
    Broken,
}

/// One token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token<'a> {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Its text.
    pub(crate) text: &'a str,
    /// Whether it is the first of its line.
    pub(crate) starts_line: bool,
    /// Whether nothing at all stands before it on its line.
    pub(crate) is_at_margin: bool,
}

/// The tokens of the text, comments left out. Any text has some: what does not end is [`TokenKind::Broken`].
pub(crate) fn tokens(text: &str, language: SourceLanguage) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        text,
        at: 0,
        language,
        starts_line: true,
        line_start: 0,
        tokens: Vec::new(),
        heredocs: Vec::new(),
    };
    if text.starts_with("#!") && !text.starts_with("#![") {
        lexer.at = lexer.line_end();
    }
    while lexer.at < text.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    language: SourceLanguage,
    starts_line: bool,
    line_start: usize,
    tokens: Vec<Token<'a>>,
    /// Ruby's strings that start on the next line, by the words that end them.
    heredocs: Vec<&'a str>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn line_end(&self) -> usize {
        self.rest().find('\n').map_or(self.text.len(), |end| self.at + end)
    }

    fn push(&mut self, kind: TokenKind, len: usize) {
        let text = self.rest().get(..len).unwrap_or_else(|| self.rest());
        let is_at_margin = self.at == self.line_start;
        self.tokens.push(Token { kind, text, starts_line: self.starts_line, is_at_margin });
        self.starts_line = false;
        self.at += text.len().max(1);
        if let Some(newline) = text.rfind('\n') {
            self.line_start = self.at - (text.len() - newline) + 1;
        }
    }

    fn step(&mut self) {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            self.at = self.text.len();
            return;
        };
        if first == '\n' {
            self.newline();
        } else if first.is_whitespace() {
            self.at += first.len_utf8();
        } else if let Some(end) = self.comment() {
            let skipped = self.text.get(self.at..end).unwrap_or("");
            if let Some(newline) = skipped.rfind('\n') {
                (self.line_start, self.starts_line) = (self.at + newline + 1, true);
            }
            self.at = end;
        } else if let Some((len, is_closed)) =
            strings::string(rest, self.language, self.tokens.last())
        {
            self.push(if is_closed { TokenKind::Text } else { TokenKind::Broken }, len);
        } else if first.is_ascii_digit() {
            self.push(TokenKind::Number, strings::number(rest));
        } else if is_word(first) {
            let len = rest.find(|it| !is_word(it) && !it.is_ascii_digit()).unwrap_or(rest.len());
            self.push(TokenKind::Word, len);
        } else {
            self.remember_heredoc(rest);
            self.push(TokenKind::Mark, first.len_utf8());
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        for end in std::mem::take(&mut self.heredocs) {
            let mut closed = false;
            while self.at < self.text.len() && !closed {
                let line_end = self.line_end();
                closed = self.text.get(self.at..line_end).unwrap_or("").trim() == end;
                self.at = (line_end + 1).min(self.text.len());
            }
        }
        (self.line_start, self.starts_line) = (self.at, true);
    }

    fn remember_heredoc(&mut self, rest: &'a str) {
        if self.language != SourceLanguage::Ruby {
            return;
        }
        if let Some(word) = rest.strip_prefix("<<~").or_else(|| rest.strip_prefix("<<-")) {
            let word = word.trim_start_matches(['"', '\'', '`']);
            let len =
                word.find(|it: char| !is_word(it) && !it.is_ascii_digit()).unwrap_or(word.len());
            if len > 0 {
                self.heredocs.push(&word[..len]);
            }
        }
    }

    /// Where the comment that starts here ends.
    fn comment(&self) -> Option<usize> {
        use SourceLanguage::{C, Clank, Elixir, Gradle, Python, Ruby, Rust};
        let rest = self.rest();
        match self.language {
            Python | Ruby | Elixir => {
                if self.language == Ruby && self.at == self.line_start && rest.starts_with("=begin")
                {
                    return Some(
                        rest.find("\n=end").map_or(self.text.len(), |end| self.at + end + 5),
                    );
                }
                rest.starts_with('#').then(|| self.line_end())
            }
            language => {
                if rest.starts_with("//") {
                    return Some(self.line_end());
                }
                if rest.starts_with("/*") {
                    let nests = matches!(language, Rust | Clank | Gradle);
                    return Some(self.at + strings::block_comment(rest, nests));
                }
                if language == C && self.starts_line && rest.starts_with('#') {
                    return Some(self.directive_end());
                }
                None
            }
        }
    }

    /// A preprocessor line goes on as long as lines end with a backslash.
    fn directive_end(&self) -> usize {
        let mut end = self.line_end();
        while self.text.get(..end).is_some_and(|it| it.trim_end_matches('\r').ends_with('\\'))
            && end < self.text.len()
        {
            let next = self.text.get(end + 1..).unwrap_or("");
            end = next.find('\n').map_or(self.text.len(), |len| end + 1 + len);
        }
        end
    }
}

fn is_word(it: char) -> bool {
    it.is_alphabetic() || it == '_' || it == '$'
}
