//! A file of a tree, whose bytes are in hand or are read when somebody asks for them.
//!
//! A file that is not in hand is bound to the first hash that is known of it. If it cannot be read any more, or reads
//! differently, its source remembers that and the reader gets a stand-in, so that nobody has to think of it but who asks
//! the source in the end.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use edit::{ContentHash, Text, WeakText};

use crate::path::RelPath;
use crate::tree::Entry;

/// Where the entries and bytes of a tree are that were listed and not read.
pub trait Contents: Send + Sync {
    /// What stands at a path that was listed as a file. `None` if nothing does any more, which is remembered. Not asked
    /// twice about one path.
    fn entry(self: Arc<Self>, path: &RelPath) -> Option<Entry>;

    /// The bytes of a file. `None` if they cannot be read any more, which is remembered.
    fn read(&self, path: &RelPath) -> Option<Text>;

    /// Hears of a file that did not read as it did at first, and remembers it.
    fn differs(&self, path: &RelPath);
}

/// A regular file. Its bytes are in memory only while somebody holds them, unless it was made of them.
#[derive(Clone)]
pub struct File {
    /// Its permission bits.
    pub mode: u32,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Held(Text),
    Lazy(Arc<Lazy>),
}

struct Lazy {
    path: RelPath,
    source: Arc<dyn Contents>,
    /// Whoever came first decides.
    hash: OnceLock<ContentHash>,
    text: Mutex<Read>,
}

/// What is left of the last time a file was read.
enum Read {
    Weak(WeakText),
    /// What everybody gets after the file was found to be another one.
    StandIn(Text),
}

impl File {
    /// A file with these bytes.
    pub fn new(text: Text, mode: u32) -> File {
        File { mode, content: Content::Held(text) }
    }

    /// A file whose bytes are read from the source when they are asked for. A hash that is known already binds it.
    pub fn lazy(
        source: Arc<dyn Contents>,
        path: RelPath,
        mode: u32,
        hash: Option<ContentHash>,
    ) -> File {
        let hash = hash.map_or_else(OnceLock::new, OnceLock::from);
        let text = Mutex::new(Read::Weak(WeakText::default()));
        File { mode, content: Content::Lazy(Arc::new(Lazy { path, source, hash, text })) }
    }

    /// Its bytes. They are read again if nobody held them since they were last asked for.
    pub fn text(&self) -> Text {
        match &self.content {
            Content::Held(text) => text.clone(),
            Content::Lazy(lazy) => lazy.text(),
        }
    }

    /// The hash of its bytes, which are only read if it is not known.
    pub fn hash(&self) -> ContentHash {
        match &self.content {
            Content::Held(text) => text.hash(),
            Content::Lazy(lazy) => lazy.hash.get().copied().unwrap_or_else(|| lazy.bind()),
        }
    }

    /// Whether its bytes are read when they are asked for.
    pub(crate) fn is_lazy(&self) -> bool {
        matches!(self.content, Content::Lazy(_))
    }

    /// Whether it is the same as `before`, as far as anybody knows what was in that: nothing depends on bytes that
    /// nobody read, and they cannot be read any more.
    pub(crate) fn is_as(&self, before: &File) -> bool {
        match &before.content {
            Content::Lazy(lazy) if lazy.hash.get().is_none() => {
                self.is_lazy() && self.mode == before.mode
            }
            _ => self == before,
        }
    }
}

impl Lazy {
    fn text(&self) -> Text {
        // Held while the file is read, so that two who ask at once do not read it twice.
        let mut last = self.text.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Read::StandIn(text) => return text.clone(),
            Read::Weak(text) => {
                if let Some(text) = text.upgrade() {
                    return text;
                }
            }
        }
        let Some(text) = self.source.read(&self.path) else {
            let text = Text::default();
            self.hash.get_or_init(|| text.hash());
            *last = Read::StandIn(text.clone());
            return text;
        };
        if *self.hash.get_or_init(|| text.hash()) == text.hash() {
            *last = Read::Weak(text.downgrade());
        } else {
            self.source.differs(&self.path);
            *last = Read::StandIn(text.clone());
        }
        text
    }

    fn bind(&self) -> ContentHash {
        let text = self.text();
        *self.hash.get_or_init(|| text.hash())
    }
}

/// Files are the same if their modes and bytes are. Nothing is read to compare a file with itself, or two whose hashes
/// are known.
impl PartialEq for File {
    fn eq(&self, other: &File) -> bool {
        self.mode == other.mode
            && match (&self.content, &other.content) {
                (Content::Held(left), Content::Held(right)) => left == right,
                (Content::Lazy(left), Content::Lazy(right)) if Arc::ptr_eq(left, right) => true,
                _ => self.hash() == other.hash(),
            }
    }
}

impl Eq for File {}

/// Shows what is known and reads nothing.
impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("File");
        match &self.content {
            Content::Held(text) => shown.field("text", text),
            Content::Lazy(lazy) => shown.field("hash", &lazy.hash.get()),
        };
        shown.field("mode", &format_args!("{:#o}", self.mode)).finish()
    }
}
