//! Parsed documents, shared by everyone who looks at the same bytes.
//!
//! A text is parsed once per content hash and format, whoever asks. Documents are several times larger than their
//! texts, so only the most recent ones are kept; what is asked for again later is parsed again.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use document::{Document, Format, Limits, ParseError};
use edit::{ContentHash, LineIndex, Text};
use snapshot::{File, RelPath};

use crate::cache::Cache;
use crate::language::Syntax;
use crate::signs::{Sign, SignIndex};

/// How many bytes of text the kept documents may have together.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// What came of parsing one text.
#[derive(Debug)]
pub struct Parsed {
    text: Text,
    result: Result<Arc<Document>, ParseError>,
    lines: OnceLock<LineIndex>,
}

impl Parsed {
    /// The document, or why there is none.
    pub fn document(&self) -> Result<&Arc<Document>, &ParseError> {
        self.result.as_ref()
    }

    /// Where the lines of the text are.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.text.bytes()))
    }

    /// The text that was parsed.
    pub fn text(&self) -> &Text {
        &self.text
    }
}

/// A programming language that somebody can parse.
#[derive(Clone, Copy, Debug)]
pub struct Language {
    /// Its name, for people.
    pub name: &'static str,
    /// The extensions of its files.
    pub extensions: &'static [&'static str],
    /// Says where the comments of a text are, in order.
    pub comments: fn(&Text) -> Vec<Range<u32>>,
    /// Says why a text is not a program, in words, if it is none.
    pub fault: fn(&Text) -> Option<String>,
}

/// How to read a text that is not a document.
#[derive(Clone, Copy, Debug)]
pub enum Code<'a> {
    /// Its language has a parser.
    Parsed(&'a Language),
    /// Its language is in the table.
    Scanned(&'static Syntax),
}

impl Code<'_> {
    /// The name of the language, for people.
    pub fn name(&self) -> &'static str {
        match self {
            Code::Parsed(it) => it.name,
            Code::Scanned(it) => it.name,
        }
    }

    /// Where the comments of a text are, in order.
    pub fn comments(&self, text: &Text) -> Vec<Range<u32>> {
        match self {
            Code::Parsed(it) => (it.comments)(text),
            Code::Scanned(it) => it.comments(text),
        }
    }

    /// Why a text is not a program, in words, if somebody can tell.
    pub fn fault(&self, text: &Text) -> Option<String> {
        match self {
            Code::Parsed(it) => (it.fault)(text),
            Code::Scanned(_) => None,
        }
    }

    /// The brackets that only make room for a comment, if the language needs them.
    pub fn wrap(&self) -> Option<(u8, u8)> {
        match self {
            Code::Parsed(_) => None,
            Code::Scanned(it) => it.wrap(),
        }
    }
}

/// A cache of parsed texts. What it returns never depends on what it holds.
#[derive(Debug)]
pub struct Parses {
    limits: Limits,
    languages: BTreeMap<&'static str, Language>,
    signs: SignIndex,
    kept: Mutex<CachedParses>,
}

type Key = (ContentHash, Format);

#[derive(Debug, Default)]
struct CachedParses {
    by_key: HashMap<Key, Arc<Parsed>>,
    oldest_first: VecDeque<Key>,
    n_bytes: usize,
}

impl Parses {
    /// An empty cache. Every text is parsed within `limits`.
    pub fn new(limits: Limits) -> Parses {
        let (languages, signs) = (BTreeMap::new(), SignIndex::default());
        Parses { limits, languages, signs, kept: Mutex::default() }
    }

    /// The same, and files in these languages are read by their own parsers.
    pub fn with_languages(mut self, languages: impl IntoIterator<Item = Language>) -> Parses {
        for language in languages {
            self.languages.extend(language.extensions.iter().map(|it| (*it, language)));
        }
        self
    }

    /// The same, and it looks for these signs in every text, and asks the cache which text shows which.
    pub fn with_signs(mut self, signs: &[Sign], cache: Arc<dyn Cache>) -> Parses {
        signs.iter().for_each(|it| self.signs.add(*it));
        self.signs.keep_in(cache);
        self
    }

    /// Whether the bytes of a file show the sign. The file is only read if that is not known.
    pub fn shows(&self, file: &File, sign: &Sign) -> bool {
        self.signs.shows(file, sign)
    }

    /// Whether files with this extension are read by a language's own parser.
    pub fn has_language(&self, extension: &str) -> bool {
        self.languages.contains_key(extension)
    }

    /// How to read a text that is not a document; `None` if its language is not known.
    pub fn code(&self, path: &RelPath, text: &Text) -> Option<Code<'_>> {
        let parsed = path.extension().and_then(|it| self.languages.get(it)).map(Code::Parsed);
        parsed.or_else(|| Syntax::of(path.as_str(), text.bytes()).map(Code::Scanned))
    }

    /// The limits that texts are parsed within.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The parsed file, which is only read if it is not among the documents that are kept.
    pub fn of(&self, file: &File, format: Format) -> Arc<Parsed> {
        let known = self.lock().by_key.get(&(file.hash(), format)).map(Arc::clone);
        known.unwrap_or_else(|| self.get(&file.text(), format))
    }

    /// The parsed file, for somebody who has no use for it afterwards: what is not kept already is not kept.
    pub fn once(&self, file: &File, format: Format) -> Arc<Parsed> {
        let known = self.lock().by_key.get(&(file.hash(), format)).map(Arc::clone);
        known.unwrap_or_else(|| Arc::new(self.parse(file.text(), format)))
    }

    fn parse(&self, text: Text, format: Format) -> Parsed {
        let result = document::parse(&text, format, &self.limits);
        Parsed { text, result, lines: OnceLock::new() }
    }

    /// The parsed text.
    pub fn get(&self, text: &Text, format: Format) -> Arc<Parsed> {
        let key = (text.hash(), format);
        if let Some(parsed) = self.lock().by_key.get(&key) {
            return Arc::clone(parsed);
        }
        // Parsed outside the lock: two threads that want the same text at once both parse it, which is rare.
        let parsed = Arc::new(self.parse(text.clone(), format));
        self.lock().keep(key, &parsed);
        parsed
    }

    /// A thread that panicked while it held the lock left a cache that is at worst incomplete.
    fn lock(&self) -> std::sync::MutexGuard<'_, CachedParses> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedParses {
    fn keep(&mut self, key: Key, parsed: &Arc<Parsed>) {
        if self.by_key.insert(key, Arc::clone(parsed)).is_some() {
            return;
        }
        self.oldest_first.push_back(key);
        self.n_bytes += parsed.text.len();
        while self.n_bytes > MAX_KEPT_BYTES
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            if let Some(gone) = self.by_key.remove(&oldest) {
                self.n_bytes -= gone.text.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parsed_once_and_the_oldest_goes_first() {
        let parses = Parses::new(Limits::DEFAULT);
        let text = Text::new("a: 1\n");
        let first = parses.get(&text, Format::Yaml);
        assert!(Arc::ptr_eq(&first, &parses.get(&Text::new("a: 1\n"), Format::Yaml)));
        assert!(!Arc::ptr_eq(&first, &parses.get(&text, Format::Json)));
        assert!(first.document().is_ok());
        assert!(parses.get(&text, Format::Json).document().is_err());
        let large = Text::new(format!("# {}\na: 1\n", "x".repeat(MAX_KEPT_BYTES - 10)));
        let limits = Limits { max_bytes: usize::MAX, ..Limits::DEFAULT };
        let parses = Parses::new(limits);
        let first = parses.get(&text, Format::Yaml);
        drop(parses.get(&large, Format::Yaml));
        assert!(!Arc::ptr_eq(&first, &parses.get(&text, Format::Yaml)));
        assert!(parses.lock().n_bytes <= MAX_KEPT_BYTES);
    }
}
