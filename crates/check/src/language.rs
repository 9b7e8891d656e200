//! How languages write comments and strings: one table, no parser.
//!
//! A language is data ([`Syntax`]): the names of its files and a list of [`Lexeme`]s. One scanner reads any of them and
//! says where the comments are, in time linear in the text, for any bytes.
//!
//! A table cannot know all of a language, so there is a rule for doubt: **what may be a comment is one**. A comment that
//! is seen where there is none costs a refused edit that somebody can read about; one that is overlooked could be lost
//! without a word. So a string that does not end is not a string, a `/` after `)` or `}` divides, and text that is not code
//! (between the tags of JSX, in the body of an unfinished here-document) is read as code.

mod literals;
mod scan;
mod table;

use std::ops::Range;

use edit::Text;

/// How a language writes comments and strings, and which files are written in it.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    /// Its name, for people.
    pub name: &'static str,
    /// The extensions of its files, in lower case.
    pub extensions: &'static [&'static str],
    /// The names of files that are written in it; one that ends with `*` is the start of a name.
    pub file_names: &'static [&'static str],
    /// The programs that run its files, as `#!` names them, without a version.
    pub programs: &'static [&'static str],
    /// What is neither blank nor plain code. Where several fit, the first counts.
    pub(crate) lexemes: &'static [Lexeme],
    /// The bytes that are part of words beside letters, digits and `_`.
    pub(crate) word_bytes: &'static [u8],
    /// The brackets that only make room for a comment, as JSX needs them.
    pub(crate) wrap: Option<(u8, u8)>,
}

/// Something of a text that is not plain code.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lexeme {
    /// A comment to the end of the line.
    Line(LineComment),
    /// A comment between two marks.
    Block(BlockComment),
    /// A string between two marks.
    Quote(QuotedString),
    /// Plain code that looks like something else, such as `\"`.
    Plain(&'static str, MarkPosition),
    /// A quote around one character or one escape. Any other is plain: a lifetime, a name that ends with `'`.
    Char(u8),
    /// A string whose quotes stand between fences: `r#"…"#` after one of the words, or at least so many fences.
    Fenced { after: &'static [&'static str], fence: u8, quote: u8, min: usize },
    /// At least so many quotes, and as many at the end.
    Run { quote: u8, min: usize },
    /// After one of the words, a quote, any name, a bracket; the same the other way around at the end.
    Named { after: &'static [&'static str], quotes: &'static [u8] },
    /// `[==[…]==]`, with any number of `=`, after a mark.
    Long { open: &'static str, is_comment: bool },
    /// `$tag$…$tag$`.
    Dollar,
    /// Lines from the next one on, up to one that consists of the word.
    Heredoc(Heredoc),
    /// A regular expression between slashes, where an operand is wanted.
    Regex { before: &'static [&'static str], is_command: bool },
    /// A word of Perl that makes the next delimiter a quote, and how many texts are quoted.
    Operator { word: &'static str, n_texts: usize },
    /// `%w[…]` and its kin: a mark, a letter, a delimiter.
    Sigil { mark: u8, letters: &'static [u8], is_optional: bool },
    /// A paragraph of documentation from `=word` to `=cut`.
    Pod,
    /// A line that ends the program; what follows is data.
    End(&'static str),
    /// A tag with its attributes; `script` and `style` hold other languages.
    Tag,
    /// Another language up to a mark.
    Island { open: &'static str, close: &'static str, syntax: &'static Syntax },
    /// What stands between `---` lines at the start.
    FrontMatter,
    /// Lines between two that start with at least three of the byte.
    Fence(u8),
    /// Text between two equal runs of the byte, in one paragraph.
    Span(u8),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LineComment {
    open: &'static str,
    at: MarkPosition,
    /// Whether a backslash at its end takes the next line in.
    continues: bool,
    /// What must not follow the mark.
    unless: &'static [u8],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockComment {
    open: &'static str,
    close: &'static str,
    at: MarkPosition,
    nests: bool,
    /// Whether it goes on to the end of the line that has the closing mark.
    takes_line: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct QuotedString {
    open: &'static str,
    close: &'static str,
    /// What takes the meaning of the next character; 0 if nothing does.
    escape: u8,
    /// Whether the closing mark is written twice to mean itself.
    is_doubled: bool,
    /// Whether it may span lines.
    has_lines: bool,
    hole: Option<Hole>,
    /// The words one of which must stand before it, if any; in any case.
    after: &'static [&'static str],
    at: MarkPosition,
}

/// Where code stands in a string.
#[derive(Clone, Copy, Debug)]
struct Hole {
    open: &'static str,
    close: u8,
    /// Whether the mark is written twice to mean itself.
    is_doubled: bool,
    has_comments: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Heredoc {
    open: &'static str,
    /// Whether blanks may stand between the mark and the word.
    spaced: bool,
    /// Whether an unquoted word must start with an upper-case letter and stand right after the mark.
    upper: bool,
    /// Whether something may follow the word that ends it.
    loose: bool,
}

/// Where a mark counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MarkPosition {
    Anywhere,
    /// Nothing but blanks before it on its line.
    LineStart,
    /// Nothing before it on its line.
    Margin,
    /// At the start of the text.
    FileStart,
    /// After a blank or a mark that ends a word of the shell.
    WordStart,
    /// After a blank.
    AfterBlank,
    /// Between blanks.
    Apart,
    /// Not right after a word.
    Bare,
    /// Not inside a number, where `'` groups digits.
    OutsideNumber,
    /// Not right after a mark that operators are made of.
    OutsideOperator,
}

const fn line(open: &'static str) -> Lexeme {
    line_at(open, MarkPosition::Anywhere)
}

const fn line_at(open: &'static str, at: MarkPosition) -> Lexeme {
    Lexeme::Line(LineComment { open, at, continues: false, unless: b"" })
}

const fn block(open: &'static str, close: &'static str) -> Lexeme {
    Lexeme::Block(BlockComment {
        open,
        close,
        at: MarkPosition::Anywhere,
        nests: false,
        takes_line: false,
    })
}

const fn nested(open: &'static str, close: &'static str) -> Lexeme {
    Lexeme::Block(BlockComment {
        open,
        close,
        at: MarkPosition::Anywhere,
        nests: true,
        takes_line: false,
    })
}

/// A string on one line, with backslashes.
const fn quote(mark: &'static str) -> QuotedString {
    QuotedString {
        open: mark,
        close: mark,
        escape: b'\\',
        is_doubled: false,
        has_lines: false,
        hole: None,
        after: &[],
        at: MarkPosition::Anywhere,
    }
}

impl QuotedString {
    const fn close(self, close: &'static str) -> QuotedString {
        QuotedString { close, ..self }
    }

    const fn lines(self) -> QuotedString {
        QuotedString { has_lines: true, ..self }
    }

    const fn raw(self) -> QuotedString {
        QuotedString { escape: 0, ..self }
    }

    const fn doubled(self) -> QuotedString {
        QuotedString { escape: 0, is_doubled: true, ..self }
    }

    const fn escape(self, escape: u8) -> QuotedString {
        QuotedString { escape, ..self }
    }

    const fn after(self, after: &'static [&'static str]) -> QuotedString {
        QuotedString { after, ..self }
    }

    const fn at(self, at: MarkPosition) -> QuotedString {
        QuotedString { at, ..self }
    }

    /// With code, in which there may be comments.
    const fn hole(self, open: &'static str, close: u8) -> QuotedString {
        QuotedString {
            hole: Some(Hole { open, close, is_doubled: false, has_comments: true }),
            ..self
        }
    }

    /// With code between braces, in which what looks like a comment is a format.
    const fn format(self) -> QuotedString {
        let hole = Hole { open: "{", close: b'}', is_doubled: true, has_comments: false };
        QuotedString { hole: Some(hole), ..self }
    }

    const fn done(self) -> Lexeme {
        Lexeme::Quote(self)
    }
}

impl Syntax {
    /// Every language of the table.
    pub fn all() -> &'static [Syntax] {
        table::ALL
    }

    /// The language of a file, by its name, its extension or the program that its first line names.
    pub fn of(path: &str, text: &[u8]) -> Option<&'static Syntax> {
        Syntax::of_path(path).or_else(|| {
            let program = program(text)?;
            table::ALL.iter().find(|it| it.programs.contains(&program))
        })
    }

    /// The language of files with this path, if the path alone says it.
    pub fn of_path(path: &str) -> Option<&'static Syntax> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_start =
            |known: &&str| known.strip_suffix('*').is_some_and(|it| name.starts_with(it));
        let by_name = table::ALL.iter().find(|it| it.file_names.contains(&name));
        let by_start = || table::ALL.iter().find(|it| it.file_names.iter().any(is_start));
        by_name.or_else(by_start).or_else(|| {
            let (_, extension) = name.rsplit_once('.')?;
            let extension = extension.to_ascii_lowercase();
            table::ALL.iter().find(|it| it.extensions.contains(&extension.as_str()))
        })
    }

    /// Where the comments of a text are: sorted, disjoint, and none for a text that is too large to have places.
    ///
    /// ```
    /// use check::Syntax;
    /// use edit::Text;
    ///
    /// let rust = Syntax::of_path("main.rs").expect("it is in the table");
    /// let text = Text::new("let url = \"http://x\"; // why");
    /// assert_eq!(rust.comments(&text), [22..28]);
    /// ```
    pub fn comments(&self, text: &Text) -> Vec<Range<u32>> {
        if u32::try_from(text.len()).is_err() {
            return Vec::new();
        }
        let small = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let found = scan::comments(self, text.bytes());
        found.into_iter().map(|it| small(it.start)..small(it.end)).collect()
    }

    /// The brackets that only make room for a comment: one that stands alone in them stands alone.
    pub fn wrap(&self) -> Option<(u8, u8)> {
        self.wrap
    }

    /// How comments are written, for people: `// …`, `/* … */`.
    pub fn comment_forms(&self) -> Vec<String> {
        let between = |open: &str, close: &str| format!("{open} … {}", close.trim());
        let mut forms: Vec<String> = Vec::new();
        for lexeme in self.lexemes {
            let found = match lexeme {
                // A first line that names a program is no place for words.
                Lexeme::Line(it) if it.at == MarkPosition::FileStart => Vec::new(),
                Lexeme::Line(it) => vec![format!("{} …", it.open.trim())],
                Lexeme::Block(it) => vec![between(it.open, it.close)],
                Lexeme::Long { open, is_comment: true } => vec![format!("{open}[[ … ]]")],
                Lexeme::Pod => vec![between("=pod", "=cut")],
                Lexeme::Island { syntax, .. } => syntax.comment_forms(),
                _ => Vec::new(),
            };
            forms.extend(found.into_iter().filter(|it| !forms.contains(it)).collect::<Vec<_>>());
        }
        forms
    }
}

/// The program that the first line names, without its folder and version.
fn program(text: &[u8]) -> Option<&str> {
    let line = text.strip_prefix(b"#!")?;
    let line =
        &line[..line.iter().position(|it| matches!(it, b'\n' | b'\r')).unwrap_or(line.len())];
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace().map(|it| it.rsplit('/').next().unwrap_or(it));
    let first = words.next()?;
    let is_option = |it: &&str| it.starts_with('-') || it.contains('=');
    let program = if first == "env" { words.find(|it| !is_option(it))? } else { first };
    Some(program.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.'))
}
