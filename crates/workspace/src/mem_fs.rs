//! A disk in memory that knows what is on stable storage and what is not, and can fail or stop at any operation.
//!
//! Every operation that changes something or syncs is counted. [`MemFs::crash`] gives the disk as the next start finds it:
//! what was synced is there; of the rest everything, nothing or a random part survives. Directory operations that
//! were not synced survive each on its own, a rename as a whole; file contents that were not synced survive
//! whole, cut short or filled with NUL bytes.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use edit::ContentHash;
use rustix::io::Errno;
use snapshot::RelPath;

use crate::fs::{Attributes, EntryKind, FileIdentity, Fs, LockGuard, Share, Stat};

/// What goes wrong, and at which operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InjectedFault {
    /// Nothing does.
    Never,
    /// Operation `n` reports an error and does nothing; the others work.
    Once {
        /// The operation, counted from 0.
        n: usize,
        /// The error number.
        errno: i32,
    },
    /// Operation `n` and all later ones report an error: the process is as good as dead.
    From {
        /// The operation, counted from 0.
        n: usize,
        /// The error number.
        errno: i32,
    },
}

/// What survives of the data that was not synced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Survival {
    /// All of it: the process was killed.
    Kept,
    /// None of it: the power failed.
    Lost,
    /// Each part or not, by the seed.
    Mixed(u64),
}

/// A disk in memory.
#[derive(Default)]
pub struct MemFs {
    state: Mutex<State>,
}

type NodeId = usize;

#[derive(Clone, Default)]
struct State {
    nodes: Vec<Node>,
    n_operations: usize,
    fault: Option<InjectedFault>,
    pinned: Option<RelPath>,
    locked: Arc<Mutex<bool>>,
    n_nonces: u64,
    /// Whether two names can be swapped, and taken only if they are free, in one step.
    is_plain: bool,
}

#[derive(Clone)]
enum Node {
    File {
        bytes: Vec<u8>,
        stable: Vec<u8>,
        mode: u32,
        revision: u64,
    },
    Link {
        target: String,
    },
    Directory {
        names: BTreeMap<String, NodeId>,
        stable: BTreeMap<String, NodeId>,
        unsynced: Vec<NameChange>,
    },
}

/// A change of a directory that survives whole or not at all.
#[derive(Clone)]
enum NameChange {
    Add(String, NodeId),
    Remove(String),
    Rename { from: String, to: String, node: NodeId },
    Exchange { a: String, b: String },
}

const ROOT: NodeId = 0;

fn empty_directory() -> Node {
    Node::Directory { names: BTreeMap::new(), stable: BTreeMap::new(), unsynced: Vec::new() }
}

fn errno(error: Errno) -> io::Error {
    error.into()
}

impl MemFs {
    /// An empty disk.
    pub fn new() -> MemFs {
        let state = State { nodes: vec![empty_directory()], ..State::default() };
        MemFs { state: Mutex::new(state) }
    }

    /// Puts a file on stable storage, with the directories above it. Not an operation that is counted.
    pub fn put(&self, path: &RelPath, bytes: &[u8], mode: u32) -> io::Result<()> {
        let node = Node::File { bytes: bytes.to_vec(), stable: bytes.to_vec(), mode, revision: 0 };
        self.put_node(path, node)
    }

    /// Puts a link on stable storage, with the directories above it.
    pub fn put_link(&self, path: &RelPath, target: &str) -> io::Result<()> {
        self.put_node(path, Node::Link { target: target.to_owned() })
    }

    fn put_node(&self, path: &RelPath, node: Node) -> io::Result<()> {
        let mut state = self.lock_state();
        let mut above: Vec<RelPath> = path.ancestors().collect();
        above.reverse();
        for directory in above {
            if state.find(Some(&directory))?.is_none() {
                state.add(&directory, empty_directory())?;
            }
        }
        state.add(path, node)?;
        state.sync_everything();
        Ok(())
    }

    /// Sets what goes wrong from here on, and counts operations from 0 again.
    pub fn set_fault(&self, fault: InjectedFault) {
        let mut state = self.lock_state();
        state.fault = Some(fault);
        state.n_operations = 0;
    }

    /// From here on the file at the path can be neither replaced nor removed, also after a crash.
    pub fn pin(&self, path: &RelPath) {
        self.lock_state().pinned = Some(path.clone());
    }

    /// From here on names can be neither swapped nor taken only if they are free, as on older file systems; also after
    /// a crash.
    pub fn make_plain(&self) {
        self.lock_state().is_plain = true;
    }

    /// How many operations there were since the count began.
    pub fn n_operations(&self) -> usize {
        self.lock_state().n_operations
    }

    /// The disk as the next start finds it.
    pub fn crash(&self, survival: Survival) -> MemFs {
        let state = self.lock_state();
        let mut dice = Dice(match survival {
            Survival::Mixed(seed) => seed,
            _ => 0,
        });
        let nodes = state.nodes.iter().map(|node| node.survive(survival, &mut dice)).collect();
        MemFs {
            state: Mutex::new(State {
                nodes,
                pinned: state.pinned.clone(),
                n_nonces: state.n_nonces,
                is_plain: state.is_plain,
                ..State::default()
            }),
        }
    }

    /// Every path with its mode and contents; directories end in `/` and links in `@` and their target.
    pub fn dump(&self) -> BTreeMap<String, (u32, Vec<u8>)> {
        let state = self.lock_state();
        let mut found = BTreeMap::new();
        let mut open = vec![(String::new(), ROOT)];
        while let Some((path, id)) = open.pop() {
            match &state.nodes[id] {
                Node::File { bytes, mode, .. } => {
                    found.insert(path, (*mode, bytes.clone()));
                }
                Node::Link { target } => {
                    found.insert(format!("{path}@{target}"), (0, Vec::new()));
                }
                Node::Directory { names, .. } => {
                    let prefix = if path.is_empty() { path } else { format!("{path}/") };
                    open.extend(names.iter().map(|(name, id)| (format!("{prefix}{name}"), *id)));
                    found.insert(prefix, (0, Vec::new()));
                }
            }
        }
        found
    }

    fn lock_state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Counts an operation and fails if it is its turn.
    fn operate(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.lock_state();
        let this = state.n_operations;
        state.n_operations += 1;
        match state.fault {
            Some(InjectedFault::Once { n, errno }) if n == this => {
                Err(io::Error::from_raw_os_error(errno))
            }
            Some(InjectedFault::From { n, errno }) if n <= this => {
                Err(io::Error::from_raw_os_error(errno))
            }
            _ => Ok(state),
        }
    }
}

impl State {
    /// The node at the path; `None` if there is none. A link on the way is an error, as on the disk.
    fn find(&self, path: Option<&RelPath>) -> io::Result<Option<NodeId>> {
        let mut at = ROOT;
        for segment in path.into_iter().flat_map(RelPath::segments) {
            let names = match &self.nodes[at] {
                Node::Directory { names, .. } => names,
                Node::Link { .. } => return Err(errno(Errno::LOOP)),
                Node::File { .. } => return Ok(None),
            };
            let Some(next) = names.get(segment) else { return Ok(None) };
            at = *next;
        }
        Ok(Some(at))
    }

    fn directory(
        &mut self,
        path: Option<&RelPath>,
    ) -> io::Result<(&mut BTreeMap<String, NodeId>, &mut Vec<NameChange>)> {
        let id = self.find(path)?.ok_or_else(|| errno(Errno::NOENT))?;
        match &mut self.nodes[id] {
            Node::Directory { names, unsynced, .. } => Ok((names, unsynced)),
            Node::Link { .. } => Err(errno(Errno::LOOP)),
            Node::File { .. } => Err(errno(Errno::NOTDIR)),
        }
    }

    fn add(&mut self, path: &RelPath, node: Node) -> io::Result<()> {
        let id = self.nodes.len();
        let (names, unsynced) = self.directory(path.parent().as_ref())?;
        if names.contains_key(path.file_name()) {
            return Err(errno(Errno::EXIST));
        }
        names.insert(path.file_name().to_owned(), id);
        unsynced.push(NameChange::Add(path.file_name().to_owned(), id));
        self.nodes.push(node);
        Ok(())
    }

    fn sync_everything(&mut self) {
        self.nodes.iter_mut().for_each(Node::sync);
    }

    fn existing(&self, path: &RelPath) -> io::Result<NodeId> {
        self.find(Some(path))?.ok_or_else(|| errno(Errno::NOENT))
    }

    fn stat(&self, id: NodeId) -> Stat {
        let (kind, mode, size, modified) = match &self.nodes[id] {
            Node::File { bytes, mode, revision, .. } => {
                (EntryKind::File, *mode, bytes.len() as u64, *revision)
            }
            Node::Link { .. } => (EntryKind::Link, 0o777, 0, 0),
            Node::Directory { .. } => (EntryKind::Directory, 0o755, 0, 0),
        };
        let identity = FileIdentity {
            device: 1,
            inode: id as u64,
            size,
            modified: modified.into(),
            changed: 0,
        };
        Stat { kind, mode, links: 1, pinned: None, identity }
    }
}

impl Node {
    fn sync(&mut self) {
        match self {
            Node::File { bytes, stable, .. } => stable.clone_from(bytes),
            Node::Directory { names, stable, unsynced } => {
                stable.clone_from(names);
                unsynced.clear();
            }
            Node::Link { .. } => {}
        }
    }

    fn survive(&self, survival: Survival, dice: &mut Dice) -> Node {
        match self {
            Node::Link { .. } => self.clone(),
            Node::File { bytes, stable, mode, revision } => {
                let bytes = match survival {
                    Survival::Kept => bytes.clone(),
                    Survival::Lost => stable.clone(),
                    Survival::Mixed(_) => surviving_bytes(bytes, stable, dice),
                };
                Node::File { stable: bytes.clone(), bytes, mode: *mode, revision: *revision }
            }
            Node::Directory { stable, unsynced, .. } => {
                let mut names = stable.clone();
                for change in unsynced {
                    let survives = match survival {
                        Survival::Kept => true,
                        Survival::Lost => false,
                        Survival::Mixed(_) => dice.roll(2) == 0,
                    };
                    if survives {
                        change.apply(&mut names);
                    }
                }
                Node::Directory { stable: names.clone(), names, unsynced: Vec::new() }
            }
        }
    }
}

/// What was synced is always a start of what is there: files are only created and appended to.
fn surviving_bytes(bytes: &[u8], stable: &[u8], dice: &mut Dice) -> Vec<u8> {
    let unsynced = bytes.len().saturating_sub(stable.len());
    match dice.roll(4) {
        0 => bytes.to_vec(),
        1 => stable.to_vec(),
        2 => bytes[..stable.len() + dice.roll(unsynced + 1)].to_vec(),
        _ => {
            let mut bytes = bytes.to_vec();
            let from = stable.len() + dice.roll(unsynced + 1);
            bytes[from..].fill(0);
            bytes
        }
    }
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<String, NodeId>) {
        match self {
            NameChange::Add(name, node) => {
                names.insert(name.clone(), *node);
            }
            NameChange::Remove(name) => {
                names.remove(name);
            }
            NameChange::Rename { from, to, node } => {
                names.remove(from);
                names.insert(to.clone(), *node);
            }
            NameChange::Exchange { a, b } => {
                // Where one of the two did not survive there is nothing to swap it with.
                if let (Some(at_a), Some(at_b)) = (names.get(a).copied(), names.get(b).copied()) {
                    names.insert(a.clone(), at_b);
                    names.insert(b.clone(), at_a);
                }
            }
        }
    }
}

/// A small generator whose numbers depend on nothing but the seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % sides.max(1) as u64) as usize
    }
}

impl Fs for MemFs {
    fn absolute_root(&self) -> Option<&str> {
        None
    }

    fn stat(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        let state = self.lock_state();
        Ok(state.find(Some(path))?.map(|id| state.stat(id)))
    }

    fn read(&self, path: &RelPath, limit: u64) -> io::Result<(Vec<u8>, Stat)> {
        let state = self.lock_state();
        let id = state.existing(path)?;
        match &state.nodes[id] {
            Node::File { bytes, .. } if bytes.len() as u64 > limit => {
                Err(io::ErrorKind::FileTooLarge.into())
            }
            Node::File { bytes, .. } => Ok((bytes.clone(), state.stat(id))),
            Node::Link { .. } => Err(errno(Errno::LOOP)),
            Node::Directory { .. } => Err(errno(Errno::ISDIR)),
        }
    }

    fn read_part(&self, path: &RelPath, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let (bytes, _) = self.read(path, u64::MAX)?;
        let part = bytes.into_iter().skip(usize::try_from(offset).unwrap_or(usize::MAX));
        Ok(part.take(usize::try_from(length).unwrap_or(usize::MAX)).collect())
    }

    fn hash(&self, path: &RelPath) -> io::Result<(ContentHash, Stat)> {
        let (bytes, stat) = self.read(path, u64::MAX)?;
        Ok((ContentHash::of(&bytes), stat))
    }

    fn read_link(&self, path: &RelPath) -> io::Result<String> {
        let state = self.lock_state();
        match &state.nodes[state.existing(path)?] {
            Node::Link { target } => Ok(target.clone()),
            _ => Err(errno(Errno::INVAL)),
        }
    }

    fn list(&self, directory: Option<&RelPath>) -> io::Result<Vec<(String, EntryKind)>> {
        let mut state = self.lock_state();
        let names: Vec<(String, NodeId)> =
            state.directory(directory)?.0.iter().map(|(name, id)| (name.clone(), *id)).collect();
        Ok(names.into_iter().map(|(name, id)| (name, state.stat(id).kind)).collect())
    }

    fn is_writable(&self, path: &RelPath) -> io::Result<bool> {
        let state = self.lock_state();
        Ok(state.stat(state.existing(path)?).mode & 0o200 != 0)
    }

    fn create(&self, path: &RelPath, bytes: &[u8], attributes: &Attributes) -> io::Result<()> {
        // Making the file and filling it are two operations, so that one can happen without the other.
        {
            let mut state = self.operate()?;
            let mode = match attributes {
                Attributes::New { mode } | Attributes::Exact { mode } => *mode,
                Attributes::Like(model) => {
                    let id = state.existing(model)?;
                    state.stat(id).mode
                }
            };
            state.add(
                path,
                Node::File { bytes: Vec::new(), stable: Vec::new(), mode, revision: 0 },
            )?;
        }
        self.append(path, bytes)
    }

    fn append(&self, path: &RelPath, added: &[u8]) -> io::Result<()> {
        let mut state = self.operate()?;
        let id = state.existing(path)?;
        match &mut state.nodes[id] {
            Node::File { bytes, revision, .. } => {
                bytes.extend_from_slice(added);
                *revision += 1;
                Ok(())
            }
            _ => Err(errno(Errno::ISDIR)),
        }
    }

    fn create_directory(&self, path: &RelPath, _mode: u32) -> io::Result<()> {
        self.operate()?.add(path, empty_directory())
    }

    fn rename(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        let mut state = self.operate()?;
        state.check_pin(from)?;
        state.check_pin(to)?;
        if from.parent() != to.parent() {
            return Err(errno(Errno::XDEV));
        }
        let (from, to) = (from.clone(), to.clone());
        let (names, unsynced) = state.directory(from.parent().as_ref())?;
        let node = names.get(from.file_name()).copied().ok_or_else(|| errno(Errno::NOENT))?;
        let change = NameChange::Rename {
            from: from.file_name().to_owned(),
            to: to.file_name().to_owned(),
            node,
        };
        change.apply(names);
        unsynced.push(change);
        Ok(())
    }

    fn rename_new(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        {
            let state = self.lock_state();
            if state.is_plain {
                return Err(io::ErrorKind::Unsupported.into());
            }
            if state.find(Some(to))?.is_some() {
                return Err(errno(Errno::EXIST));
            }
        }
        self.rename(from, to)
    }

    fn exchange(&self, a: &RelPath, b: &RelPath) -> io::Result<()> {
        if self.lock_state().is_plain {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut state = self.operate()?;
        state.check_pin(a)?;
        state.check_pin(b)?;
        if a.parent() != b.parent() {
            return Err(errno(Errno::XDEV));
        }
        let (names, unsynced) = state.directory(a.parent().as_ref())?;
        if !names.contains_key(a.file_name()) || !names.contains_key(b.file_name()) {
            return Err(errno(Errno::NOENT));
        }
        let (a, b) = (a.file_name().to_owned(), b.file_name().to_owned());
        let change = NameChange::Exchange { a, b };
        change.apply(names);
        unsynced.push(change);
        Ok(())
    }

    fn remove_file(&self, path: &RelPath) -> io::Result<()> {
        let mut state = self.operate()?;
        if state.stat(state.existing(path)?).kind == EntryKind::Directory {
            return Err(errno(Errno::ISDIR));
        }
        state.remove(path)
    }

    fn remove_directory(&self, path: &RelPath) -> io::Result<()> {
        let mut state = self.operate()?;
        if !state.directory(Some(path))?.0.is_empty() {
            return Err(errno(Errno::NOTEMPTY));
        }
        state.remove(path)
    }

    fn sync_files(&self, paths: &[RelPath]) -> io::Result<()> {
        for path in paths {
            let mut state = self.operate()?;
            let id = state.existing(path)?;
            state.nodes[id].sync();
        }
        Ok(())
    }

    fn sync_directories(&self, directories: &[Option<RelPath>]) -> io::Result<()> {
        for directory in directories {
            let mut state = self.operate()?;
            let id = state.find(directory.as_ref())?.ok_or_else(|| errno(Errno::NOENT))?;
            state.nodes[id].sync();
        }
        Ok(())
    }

    fn lock(&self, _share: Share, wait: Duration) -> io::Result<Option<Box<dyn LockGuard>>> {
        let locked = self.operate()?.locked.clone();
        let start = Instant::now();
        loop {
            let mut flag = locked.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if !std::mem::replace(&mut *flag, true) {
                drop(flag);
                return Ok(Some(Box::new(MemLock { locked })));
            }
            drop(flag);
            if start.elapsed() >= wait {
                return Ok(None);
            }
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn lock_holder(&self) -> Option<u32> {
        None
    }

    fn nonce(&self) -> io::Result<u64> {
        let mut state = self.lock_state();
        state.n_nonces += 1;
        Ok(state.n_nonces)
    }
}

/// A folder of a disk in memory as a disk of its own, so that one count of operations, and one crash, is about several.
pub struct Beneath {
    fs: Arc<MemFs>,
    folder: RelPath,
}

impl MemFs {
    /// The folder as a disk of its own; it is made if it is not there.
    pub fn beneath(self: &Arc<MemFs>, folder: &RelPath) -> io::Result<Beneath> {
        let mut state = self.lock_state();
        if state.find(Some(folder))?.is_none() {
            state.add(folder, empty_directory())?;
            state.sync_everything();
        }
        drop(state);
        Ok(Beneath { fs: Arc::clone(self), folder: folder.clone() })
    }
}

impl Beneath {
    fn at(&self, path: &RelPath) -> RelPath {
        path.segments().fold(self.folder.clone(), |at, it| at.join(it).expect("it is a segment"))
    }

    fn at_all(&self, paths: &[RelPath]) -> Vec<RelPath> {
        paths.iter().map(|it| self.at(it)).collect()
    }

    fn at_folder(&self, folder: Option<&RelPath>) -> Option<RelPath> {
        Some(folder.map_or_else(|| self.folder.clone(), |it| self.at(it)))
    }
}

impl Fs for Beneath {
    fn absolute_root(&self) -> Option<&str> {
        None
    }
    fn stat(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        self.fs.stat(&self.at(path))
    }
    fn read(&self, path: &RelPath, limit: u64) -> io::Result<(Vec<u8>, Stat)> {
        self.fs.read(&self.at(path), limit)
    }
    fn read_part(&self, path: &RelPath, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.fs.read_part(&self.at(path), offset, length)
    }
    fn hash(&self, path: &RelPath) -> io::Result<(ContentHash, Stat)> {
        self.fs.hash(&self.at(path))
    }
    fn read_link(&self, path: &RelPath) -> io::Result<String> {
        self.fs.read_link(&self.at(path))
    }
    fn list(&self, directory: Option<&RelPath>) -> io::Result<Vec<(String, EntryKind)>> {
        self.fs.list(self.at_folder(directory).as_ref())
    }
    fn is_writable(&self, path: &RelPath) -> io::Result<bool> {
        self.fs.is_writable(&self.at(path))
    }
    fn create(&self, path: &RelPath, bytes: &[u8], attributes: &Attributes) -> io::Result<()> {
        let attributes = match attributes {
            Attributes::Like(model) => Attributes::Like(self.at(model)),
            other => other.clone(),
        };
        self.fs.create(&self.at(path), bytes, &attributes)
    }
    fn append(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        self.fs.append(&self.at(path), bytes)
    }
    fn create_directory(&self, path: &RelPath, mode: u32) -> io::Result<()> {
        self.fs.create_directory(&self.at(path), mode)
    }
    fn rename(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        self.fs.rename(&self.at(from), &self.at(to))
    }
    fn rename_new(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        self.fs.rename_new(&self.at(from), &self.at(to))
    }
    fn exchange(&self, a: &RelPath, b: &RelPath) -> io::Result<()> {
        self.fs.exchange(&self.at(a), &self.at(b))
    }
    fn remove_file(&self, path: &RelPath) -> io::Result<()> {
        self.fs.remove_file(&self.at(path))
    }
    fn remove_directory(&self, path: &RelPath) -> io::Result<()> {
        self.fs.remove_directory(&self.at(path))
    }
    fn sync_files(&self, paths: &[RelPath]) -> io::Result<()> {
        self.fs.sync_files(&self.at_all(paths))
    }
    fn sync_directories(&self, directories: &[Option<RelPath>]) -> io::Result<()> {
        let directories: Vec<_> =
            directories.iter().map(|it| self.at_folder(it.as_ref())).collect();
        self.fs.sync_directories(&directories)
    }
    fn lock(&self, share: Share, wait: Duration) -> io::Result<Option<Box<dyn LockGuard>>> {
        self.fs.lock(share, wait)
    }
    fn lock_holder(&self) -> Option<u32> {
        self.fs.lock_holder()
    }
    fn nonce(&self) -> io::Result<u64> {
        self.fs.nonce()
    }
}

impl State {
    fn check_pin(&self, path: &RelPath) -> io::Result<()> {
        if self.pinned.as_ref() == Some(path) { Err(errno(Errno::PERM)) } else { Ok(()) }
    }

    fn remove(&mut self, path: &RelPath) -> io::Result<()> {
        self.check_pin(path)?;
        let (names, unsynced) = self.directory(path.parent().as_ref())?;
        names.remove(path.file_name()).ok_or_else(|| errno(Errno::NOENT))?;
        unsynced.push(NameChange::Remove(path.file_name().to_owned()));
        Ok(())
    }
}

struct MemLock {
    locked: Arc<Mutex<bool>>,
}

impl LockGuard for MemLock {}

impl Drop for MemLock {
    fn drop(&mut self) {
        *self.locked.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = false;
    }
}
