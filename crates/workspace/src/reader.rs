//! Reads the files of a tree that was listed, when somebody asks for them.
//!
//! The first hash that is known of a file binds it: [`snapshot::File`] says when the file reads differently later. Such a
//! file, and one that cannot be read any more, is noted here, and who looks at the tree asks in the end whether all of it
//! held still ([`Reader::moved`]).

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use edit::Text;
use snapshot::{Contents, Entry, File, RelPath, UnreadReason};

use crate::Workspace;
use crate::fs::{EntryKind, Fs, Stat};
use crate::seal::Seal;
use crate::stat_cache::{self, CachedRead, StatCache};

/// How many bytes of text are held for who asks next. The sources of findings look at the tree one after another.
const MAX_HELD_BYTES: usize = 64 << 20;

/// The permission bits of a file that needs no closer look.
const EVERYBODY_READS: u32 = 0o444;
/// To read fewer files than that costs less than to keep what is known of them.
const WORTH_KEEPING: usize = 64;

/// Reads files, remembers what the file system says of them, and notes which did not hold still.
pub struct Reader {
    fs: Arc<dyn Fs>,
    limit: u64,
    /// When the first file could have been read.
    began: i128,
    seal: Option<Seal>,
    known: StatCache,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    moved: BTreeMap<RelPath, String>,
    held: VecDeque<Text>,
    n_held: usize,
    /// What was read and will not look the same after another save.
    read: BTreeMap<RelPath, CachedRead>,
}

impl Reader {
    pub(crate) fn new(fs: Arc<dyn Fs>, limit: u64, cache: Option<Vec<u8>>) -> Reader {
        let seal = Seal::own();
        let known = seal.as_ref().zip(cache.as_deref());
        let known = known.map(|(seal, bytes)| StatCache::open(seal, bytes)).unwrap_or_default();
        let began = stat_cache::now();
        Reader { fs, limit, began, seal, known, state: Mutex::default() }
    }

    /// The files that did not hold still while they were looked at, each with what happened to it.
    pub fn moved(&self) -> BTreeMap<RelPath, String> {
        self.state().moved.clone()
    }

    /// Writes down what is known of files, for the next who looks at the tree. What is known of files that nobody asked
    /// about stays if they are still listed.
    pub fn keep(&self, workspace: &Workspace, is_listed: &dyn Fn(&RelPath) -> bool) {
        let Some(seal) = &self.seal else { return };
        let state = self.state();
        let is_left = |path: &str| RelPath::parse(path).is_ok_and(|it| is_listed(&it));
        let left = self.known.iter().filter(|(path, _)| is_left(path));
        let mut entries: BTreeMap<&str, CachedRead> = left.collect();
        let is_same = entries.len() == self.known.len();
        let read = state.read.iter().map(|(path, known)| (path.as_str(), *known));
        let has_new = read.clone().any(|(path, known)| entries.get(path) != Some(&known));
        if is_same && !has_new {
            return;
        }
        entries.extend(read);
        if entries.len() < WORTH_KEEPING {
            return;
        }
        // A cache that cannot be written is not a reason to fail, or to say anything.
        let _ = workspace.write_cache(stat_cache::NAME, &stat_cache::render(seal, &entries));
    }

    /// What stands at a path, of which this is known. Nothing is read.
    fn entry_of(self: &Arc<Self>, path: &RelPath, stat: &Stat) -> io::Result<Entry> {
        let size = stat.identity.size;
        Ok(match stat.kind {
            EntryKind::Directory => Entry::Directory,
            EntryKind::Link => Entry::Link { target: self.fs.read_link(path)? },
            EntryKind::Special => Entry::Unread { size: 0, reason: UnreadReason::Special },
            EntryKind::File if size > self.limit => {
                Entry::Unread { size, reason: UnreadReason::TooLarge }
            }
            EntryKind::File => {
                let known = self.known.get(path).filter(|it| it.identity == stat.identity);
                let source = Arc::<Reader>::clone(self);
                let hash = known.map(|it| it.hash);
                Entry::File(File::lazy(source, path.clone(), stat.mode, hash))
            }
        })
    }

    /// The same, and reads the file at once: it could not be read before.
    pub(crate) fn read_entry(self: &Arc<Self>, path: &RelPath) -> io::Result<Option<Entry>> {
        let Some(stat) = self.fs.stat(path)? else { return Ok(None) };
        if stat.kind != EntryKind::File || stat.identity.size > self.limit {
            return self.entry_of(path, &stat).map(Some);
        }
        let text = self.read_file(path)?;
        let source = Arc::<Reader>::clone(self);
        let file = File::lazy(source, path.clone(), stat.mode, Some(text.hash()));
        Ok(Some(Entry::File(file)))
    }

    /// What stands at a path.
    pub(crate) fn look_at(self: &Arc<Self>, path: &RelPath) -> io::Result<Option<Entry>> {
        self.found(path, self.fs.stat(path))
    }

    /// What stands at each of the paths.
    pub(crate) fn look_at_all(
        self: &Arc<Self>,
        paths: &[RelPath],
    ) -> Vec<io::Result<Option<Entry>>> {
        let found = paths.iter().zip(self.fs.stat_all(paths));
        found.map(|(path, stat)| self.found(path, stat)).collect()
    }

    fn found(
        self: &Arc<Self>,
        path: &RelPath,
        stat: io::Result<Option<Stat>>,
    ) -> io::Result<Option<Entry>> {
        let Some(stat) = stat? else { return Ok(None) };
        // Who may not read a file is told so at once, and not in the middle of a look.
        if stat.kind == EntryKind::File && stat.mode & EVERYBODY_READS != EVERYBODY_READS {
            return self.read_entry(path);
        }
        self.entry_of(path, &stat).map(Some)
    }

    fn read_file(&self, path: &RelPath) -> io::Result<Text> {
        let (bytes, stat) = self.fs.read(path, self.limit)?;
        let text = Text::new(bytes);
        let known = CachedRead { identity: stat.identity, hash: text.hash() };
        let mut state = self.state();
        state.hold(&text);
        if known.is_settled(self.began) {
            state.read.insert(path.clone(), known);
        }
        Ok(text)
    }

    fn note(&self, path: &RelPath, what: String) {
        self.state().moved.entry(path.clone()).or_insert(what);
    }

    /// Nobody panics while holding the lock, and if so, it is whole.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Holds the text for a while; those that were read first go first.
    fn hold(&mut self, text: &Text) {
        self.held.push_back(text.clone());
        self.n_held += text.len();
        while self.n_held > MAX_HELD_BYTES
            && let Some(gone) = self.held.pop_front()
        {
            self.n_held -= gone.len();
        }
    }
}

impl Contents for Reader {
    fn entry(self: Arc<Self>, path: &RelPath) -> Option<Entry> {
        match self.look_at(path) {
            Ok(Some(entry @ (Entry::File(_) | Entry::Unread { .. }))) => Some(entry),
            Ok(Some(_)) => {
                self.note(path, "is no longer a file".to_owned());
                None
            }
            Ok(None) => {
                self.note(path, "is gone".to_owned());
                None
            }
            Err(error) => {
                self.note(path, format!("cannot be read: {error}"));
                None
            }
        }
    }

    fn read(&self, path: &RelPath) -> Option<Text> {
        match self.read_file(path) {
            Ok(text) => Some(text),
            Err(error) => {
                self.note(path, format!("cannot be read any more: {error}"));
                None
            }
        }
    }

    fn differs(&self, path: &RelPath) {
        self.note(path, "changed".to_owned());
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("moved", &self.state().moved).finish_non_exhaustive()
    }
}
