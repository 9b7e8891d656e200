//! The disk. Every operation starts at a descriptor of the root and reaches its directory without following a
//! link: in one `openat2` call where the kernel has it, else directory by directory with `O_NOFOLLOW`.
//! The last step acts on a name in an open directory, so nothing that happens to the path in between can
//! lead it elsewhere.

mod attributes;
mod stat;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use edit::{ContentHash, ContentHasher};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use snapshot::RelPath;

use crate::fs::{Attributes, EntryKind, FileIdentity, Fs, LockGuard, Share, Stat};
use crate::lock::{self, LockPlace};

/// From this many on, files are synced by several threads: the file system then shares its own commits.
const PARALLEL_SYNC: usize = 32;
const SYNC_THREADS: usize = 16;

/// The files beneath one directory of the disk.
#[derive(Debug)]
pub struct OsFs {
    root: PathBuf,
    root_fd: OwnedFd,
    absolute_root: Option<String>,
    has_openat2: bool,
    lock: LockPlace,
}

impl OsFs {
    /// Opens the root, which must be a directory. Links in `root` itself are the caller's own and are followed.
    pub fn open(root: &Path) -> io::Result<OsFs> {
        let mut fs = OsFs::open_without_openat2(root)?;
        fs.has_openat2 =
            openat2(&fs.root_fd, ".", OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).is_ok();
        Ok(fs)
    }

    /// Opens the root for a kernel that has no `openat2`; paths are then walked directory by directory.
    pub fn open_without_openat2(root: &Path) -> io::Result<OsFs> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root_fd = rustix::fs::open(root, flags, Mode::empty())?;
        let absolute_root = root.canonicalize()?.into_os_string().into_string().ok();
        let lock = LockPlace::Folder(root.to_owned());
        Ok(OsFs { root: root.to_owned(), root_fd, absolute_root, has_openat2: false, lock })
    }

    /// Opens a root that must not be a link itself.
    pub(crate) fn open_real(root: &Path) -> io::Result<OsFs> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let root_fd = rustix::fs::open(root, flags, Mode::empty())?;
        OsFs::over(root.to_owned(), root_fd)
    }

    /// A directory beneath this one, reached without following a link, as a root of its own.
    pub(crate) fn beneath(&self, directory: &RelPath) -> io::Result<OsFs> {
        let root_fd = self.open_directory(Some(directory), OFlags::RDONLY)?;
        OsFs::over(self.root.join(directory.as_str()), root_fd)
    }

    fn over(root: PathBuf, root_fd: OwnedFd) -> io::Result<OsFs> {
        let has_openat2 =
            openat2(&root_fd, ".", OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).is_ok();
        let lock = LockPlace::Folder(root.clone());
        let absolute_root = root.to_str().map(str::to_owned);
        Ok(OsFs { root, root_fd, absolute_root, has_openat2, lock })
    }

    /// The same files, with the lock on another folder.
    pub(crate) fn with_lock(self, lock: LockPlace) -> OsFs {
        OsFs { lock, ..self }
    }

    /// What is known of the root itself, and who owns it.
    pub(crate) fn root_stat(&self) -> io::Result<RootStat> {
        let stat = rustix::fs::fstat(&self.root_fd)?;
        Ok(RootStat {
            owner: stat.st_uid,
            identity: stat::stat_fd(self.root_fd.as_fd())?.identity,
            born: stat::born(self.root_fd.as_fd()),
        })
    }

    fn open_file(&self, path: &RelPath) -> io::Result<(File, Stat)> {
        // Without `O_NONBLOCK` a pipe that took the file's place would hold us up for ever.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let fd = self.open_path(path.as_str(), flags, Mode::empty())?;
        let stat = stat::stat_fd(fd.as_fd())?;
        if stat.kind != EntryKind::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok((File::from(fd), stat))
    }

    fn rename_with(&self, from: &RelPath, to: &RelPath, flags: RenameFlags) -> io::Result<()> {
        let directory = self.open_parent(to)?;
        let (old, new) = (from.file_name(), to.file_name());
        let renamed = if from.parent() == to.parent() {
            rustix::fs::renameat_with(&directory, old, &directory, new, flags)
        } else {
            rustix::fs::renameat_with(self.open_parent(from)?, old, &directory, new, flags)
        };
        match renamed {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if !flags.is_empty() => {
                Err(io::ErrorKind::Unsupported.into())
            }
            renamed => Ok(renamed?),
        }
    }

    /// The root as it was given.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn open_path(&self, path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
        if self.has_openat2 {
            // Without `O_NOFOLLOW`: with it, a link in the last place would be reported as a missing directory.
            return openat2(&self.root_fd, path, flags, mode);
        }
        let (parent, name) =
            path.rsplit_once('/').map_or((None, path), |(parent, name)| (Some(parent), name));
        let mut directory: Option<OwnedFd> = None;
        for segment in parent.into_iter().flat_map(|parent| parent.split('/')) {
            let at = directory.as_ref().unwrap_or(&self.root_fd);
            directory =
                Some(open_segment(at, segment, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?);
        }
        open_segment(directory.as_ref().unwrap_or(&self.root_fd), name, flags, mode)
    }

    fn open_directory(
        &self,
        directory: Option<&RelPath>,
        access: OFlags,
    ) -> Result<OwnedFd, Errno> {
        match directory {
            Some(path) => self.open_path(path.as_str(), access | OFlags::DIRECTORY, Mode::empty()),
            None => {
                let flags = access | OFlags::DIRECTORY | OFlags::CLOEXEC;
                rustix::fs::openat(&self.root_fd, ".", flags, Mode::empty())
            }
        }
    }

    fn open_parent(&self, path: &RelPath) -> Result<Directory<'_>, Errno> {
        match path.parent() {
            Some(parent) => self.open_directory(Some(&parent), OFlags::PATH).map(Directory::Opened),
            None => Ok(Directory::Root(&self.root_fd)),
        }
    }

    fn sync_one(&self, path: &RelPath) -> io::Result<()> {
        let fd = self.open_path(path.as_str(), OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())?;
        Ok(rustix::fs::fsync(fd)?)
    }
}

#[cfg(target_os = "linux")]
fn openat2(root: &OwnedFd, path: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // The kernel gives EAGAIN when a rename elsewhere keeps it from being sure that the path stays beneath.
    let mut tries = 0;
    loop {
        match rustix::fs::openat2(root, path, flags | OFlags::CLOEXEC, mode, resolve) {
            Err(Errno::AGAIN) if tries < 64 => tries += 1,
            result => return result,
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn openat2(_: &OwnedFd, _: &str, _: OFlags, _: Mode) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

/// A directory to act in: one that was opened for it, or the root, which is always open.
enum Directory<'a> {
    Root(&'a OwnedFd),
    Opened(OwnedFd),
}

impl AsFd for Directory<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Directory::Root(fd) => fd.as_fd(),
            Directory::Opened(fd) => fd.as_fd(),
        }
    }
}

/// One step of a path. A link is `ELOOP` even where `O_DIRECTORY` would call it no directory, because what is no
/// directory counts as absent and a link must not.
fn open_segment(at: &OwnedFd, segment: &str, flags: OFlags, mode: Mode) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, segment, flags, mode).map_err(|error| {
        let is_link = || file_type(at, segment) == Some(FileType::Symlink);
        if error == Errno::NOTDIR && is_link() { Errno::LOOP } else { error }
    })
}

fn file_type(at: &OwnedFd, name: &str) -> Option<FileType> {
    let stat = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(stat.st_mode))
}

fn kind_of(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Special,
    }
}

/// The directory of a path as text; empty for the root.
fn folder_of(path: &RelPath) -> &str {
    path.as_str().rsplit_once('/').map_or("", |it| it.0)
}

fn unless_absent<T>(result: Result<T, Errno>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

impl Fs for OsFs {
    fn absolute_root(&self) -> Option<&str> {
        self.absolute_root.as_deref()
    }

    fn stat(&self, path: &RelPath) -> io::Result<Option<Stat>> {
        let Some(parent) = unless_absent(self.open_parent(path))? else { return Ok(None) };
        unless_absent(stat::stat_at(parent.as_fd(), path.file_name()))
    }

    fn stat_all(&self, paths: &[RelPath]) -> Vec<io::Result<Option<Stat>>> {
        let mut opened: Option<(&str, Directory<'_>)> = None;
        let mut stat = |path| {
            let folder = folder_of(path);
            if opened.as_ref().is_none_or(|(it, _)| *it != folder) {
                let Some(parent) = unless_absent(self.open_parent(path))? else { return Ok(None) };
                opened = Some((folder, parent));
            }
            let parent = opened.as_ref().map_or(self.root_fd.as_fd(), |(_, it)| it.as_fd());
            unless_absent(stat::stat_at(parent, path.file_name()))
        };
        paths.iter().map(&mut stat).collect()
    }

    fn read(&self, path: &RelPath, limit: u64) -> io::Result<(Vec<u8>, Stat)> {
        let (file, stat) = self.open_file(path)?;
        if stat.identity.size > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(stat.identity.size).unwrap_or_default());
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            Err(io::ErrorKind::FileTooLarge.into())
        } else {
            Ok((bytes, stat))
        }
    }

    fn read_part(&self, path: &RelPath, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let (mut file, stat) = self.open_file(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let rest = stat.identity.size.saturating_sub(offset).min(length);
        let mut bytes = Vec::with_capacity(usize::try_from(rest).unwrap_or_default());
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn hash(&self, path: &RelPath) -> io::Result<(ContentHash, Stat)> {
        let (mut file, stat) = self.open_file(path)?;
        let mut hasher = ContentHasher::default();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok((hasher.finish(), stat)),
                Ok(n) => hasher.update(&buffer[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn read_link(&self, path: &RelPath) -> io::Result<String> {
        let target = rustix::fs::readlinkat(self.open_parent(path)?, path.file_name(), Vec::new())?;
        let not_utf8 =
            |_| io::Error::new(io::ErrorKind::InvalidData, "the link's target is not UTF-8");
        target.into_string().map_err(not_utf8)
    }

    fn list(&self, directory: Option<&RelPath>) -> io::Result<Vec<(String, EntryKind)>> {
        let fd = self.open_directory(directory, OFlags::RDONLY)?;
        let mut names = Vec::new();
        for entry in Dir::read_from(&fd)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") {
                continue;
            }
            let known = Some(entry.file_type()).filter(|it| *it != FileType::Unknown);
            if let Some(file_type) = known.or_else(|| file_type(&fd, name)) {
                names.push((name.to_owned(), kind_of(file_type)));
            }
        }
        names.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(names)
    }

    fn is_writable(&self, path: &RelPath) -> io::Result<bool> {
        let parent = self.open_parent(path)?;
        let access = rustix::fs::Access::WRITE_OK;
        match rustix::fs::accessat(&parent, path.file_name(), access, AtFlags::EACCESS) {
            Ok(()) => Ok(true),
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn create(&self, path: &RelPath, bytes: &[u8], attributes: &Attributes) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mode = match attributes {
            Attributes::New { mode } => Mode::from_raw_mode(*mode & 0o777),
            // Nobody else sees the bytes before the file has the mode it should have.
            Attributes::Exact { .. } | Attributes::Like(_) => Mode::RUSR | Mode::WUSR,
        };
        let mut file = File::from(self.open_path(path.as_str(), flags, mode)?);
        file.write_all(bytes)?;
        match attributes {
            Attributes::New { .. } => Ok(()),
            Attributes::Exact { mode } => {
                // Bits that change whom a program runs as are only ever taken over from a file that has them.
                Ok(rustix::fs::fchmod(&file, Mode::from_raw_mode(*mode & 0o1777))?)
            }
            Attributes::Like(model) => {
                let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
                let model = self.open_path(model.as_str(), flags, Mode::empty())?;
                attributes::copy(&model, &file)
            }
        }
    }

    fn append(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::APPEND;
        File::from(self.open_path(path.as_str(), flags, Mode::empty())?).write_all(bytes)
    }

    fn create_directory(&self, path: &RelPath, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::mkdirat(
            self.open_parent(path)?,
            path.file_name(),
            Mode::from_raw_mode(mode),
        )?)
    }

    fn rename(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        self.rename_with(from, to, RenameFlags::empty())
    }

    fn rename_new(&self, from: &RelPath, to: &RelPath) -> io::Result<()> {
        self.rename_with(from, to, RenameFlags::NOREPLACE)
    }

    fn exchange(&self, a: &RelPath, b: &RelPath) -> io::Result<()> {
        self.rename_with(a, b, RenameFlags::EXCHANGE)
    }

    fn remove_file(&self, path: &RelPath) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self.open_parent(path)?, path.file_name(), AtFlags::empty())?)
    }

    fn remove_directory(&self, path: &RelPath) -> io::Result<()> {
        Ok(rustix::fs::unlinkat(self.open_parent(path)?, path.file_name(), AtFlags::REMOVEDIR)?)
    }

    fn sync_files(&self, paths: &[RelPath]) -> io::Result<()> {
        if paths.len() < PARALLEL_SYNC {
            return paths.iter().try_for_each(|path| self.sync_one(path));
        }
        let next = AtomicUsize::new(0);
        let worker = || {
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.sync_one(path)?;
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..SYNC_THREADS).map(|_| scope.spawn(worker)).collect();
            // Every thread is waited for before the first error is reported.
            let results: Vec<io::Result<()>> = workers
                .into_iter()
                .map(|it| it.join().unwrap_or_else(|_| Err(Errno::IO.into())))
                .collect();
            results.into_iter().collect()
        })
    }

    fn sync_directories(&self, directories: &[Option<RelPath>]) -> io::Result<()> {
        for directory in directories {
            rustix::fs::fsync(self.open_directory(directory.as_ref(), OFlags::RDONLY)?)?;
        }
        Ok(())
    }

    fn lock(&self, share: Share, wait: Duration) -> io::Result<Option<Box<dyn LockGuard>>> {
        lock::take(&self.lock, share, wait)
    }

    fn lock_holder(&self) -> Option<u32> {
        lock::holder(&self.lock)
    }

    fn nonce(&self) -> io::Result<u64> {
        random()
    }
}

/// Eight bytes from the system's own source.
pub(crate) fn random() -> io::Result<u64> {
    let mut bytes = [0; 8];
    fill_random(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

pub(crate) fn fill_random(mut bytes: &mut [u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::rand::getrandom(&mut *bytes, rustix::rand::GetRandomFlags::empty()) {
            Ok(n) => bytes = &mut bytes[n..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// What tells one directory from another that stood, or will stand, at the same path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RootStat {
    pub(crate) owner: u32,
    pub(crate) identity: FileIdentity,
    /// When it was made, in nanoseconds, where the file system keeps that.
    pub(crate) born: Option<i128>,
}
