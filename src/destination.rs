//! Where bytes go that the user asked to have in a file: `--output`, `--fixes-json`, `--out-dir`, `dds export`.
//!
//! What stands at the path decides:
//!
//! - **A regular file, or nothing**: the bytes go to a temporary file beside it, which then takes its name. A reader sees
//!   the old contents or the new, never a part. The new file has the mode of the old one and, where the user may set
//!   them, its owner and group; a file that was not there gets `0666` less the umask. A file that the user may not write
//!   is not replaced, although the folder would allow it.
//! - **A file with several names** (hard links): only the name that was given gets the new contents. The other names keep
//!   the old ones, as with every tool that replaces files; a store of shared files is not changed behind its back.
//! - **A device, a FIFO or a socket** is written to. Opening a FIFO waits for a reader, as `cat > fifo` does. A reader
//!   that goes away early is not an error.
//! - **An open descriptor** (`/dev/stdout`, `/dev/fd/N`) is written to as it is: at its end if it is a regular file.
//! - **A link** is followed, and stays; what it leads to is treated as above. Refused is a link that lies in a workspace and
//!   leads out of it, at the end of the path or on the way: it came with the files, and the user did not name its target.
//!
//! The path is walked by hand, one open directory at a time, without letting the kernel follow links, and the last step
//! acts on a name in an open directory: nothing that is swapped in meanwhile leads it elsewhere.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, Stat, Uid};
use rustix::io::Errno;

/// As many links as Linux itself follows in one path.
const MAX_LINKS: usize = 40;
/// How often the walk starts again because what it found was something else a moment later.
const MAX_TRIES: usize = 8;
/// How many names for a temporary file are tried.
const MAX_NAMES: usize = 1000;
/// What `fstatfs` says of `/proc`.
const PROC_MAGIC: u64 = 0x9fa0;

/// Why a file was not written. What was there before is as it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DestinationError {
    #[error("cannot write {}: {} is a link in the workspace that leads out of it", .path.display(), .link.display())]
    LeadsOut { path: PathBuf, link: PathBuf },
    #[error("cannot write {}: {} is a link, and generated files are not written through links", .path.display(), .link.display())]
    Link { path: PathBuf, link: PathBuf },
    #[error("cannot write {}: it is a folder", .path.display())]
    Folder { path: PathBuf },
    #[error("cannot write {}: the folder {} does not exist", .path.display(), .folder.display())]
    NoFolder { path: PathBuf, folder: PathBuf },
    #[error("cannot write {}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl DestinationError {
    /// A stable name.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            DestinationError::LeadsOut { .. } => "outside_root",
            DestinationError::Link { .. } => "link",
            DestinationError::Io { source, .. } if is_too_long(source) => "path_too_long",
            _ => "io",
        }
    }

    /// What to do about it.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self {
            DestinationError::LeadsOut { .. } => {
                Some("remove the link, or name the file that it leads to")
            }
            DestinationError::Link { .. } => Some("remove the link"),
            DestinationError::Folder { .. } => Some("name a file"),
            DestinationError::NoFolder { .. } => Some("make the folder first"),
            DestinationError::Io { source, .. } => match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                    Some("make room first")
                }
                io::ErrorKind::PermissionDenied => Some(
                    "the folder and, if there is one, the file must be writable; a file is replaced, not overwritten",
                ),
                _ => None,
            },
        }
    }
}

fn is_too_long(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NAMETOOLONG.raw_os_error())
}

/// Writes the bytes to what stands at a path. `roots` are the workspaces that no link may lead out of.
pub(crate) fn write(path: &Path, bytes: &[u8], roots: &[PathBuf]) -> Result<(), DestinationError> {
    // `Path` drops a slash at the end, which says that a folder is meant.
    if matches!(path.as_os_str().as_bytes(), [.., b'/'] | [.., b'/', b'.']) {
        return Err(DestinationError::Folder { path: path.to_owned() });
    }
    let mut tries = 0;
    loop {
        let written = match Walk::new(path, roots)?.run(Missing::Refuse)? {
            Resolved::Place(folder, name) => put(&folder.fd, &name, bytes),
            Resolved::Descriptor(descriptor) => descriptor.write(bytes),
            Resolved::Folder(_) => return Err(DestinationError::Folder { path: path.to_owned() }),
        };
        match written {
            Err(Put::Again) if tries < MAX_TRIES => tries += 1,
            Err(error) => return Err(error.at(path)),
            Ok(()) => return Ok(()),
        }
    }
}

/// A folder that generated files go to. Below it no link is followed: the user named the folder, and nothing in it.
pub(crate) struct OutputFolder {
    fd: OwnedFd,
    path: PathBuf,
}

impl OutputFolder {
    /// Opens the folder at a path, and makes it if it is not there.
    pub(crate) fn make(path: &Path, roots: &[PathBuf]) -> Result<OutputFolder, DestinationError> {
        match Walk::new(path, roots)?.run(Missing::Make)? {
            Resolved::Folder(level) => Ok(OutputFolder { fd: level.fd, path: path.to_owned() }),
            Resolved::Place(..) | Resolved::Descriptor(_) => {
                Err(Put::Failed(Errno::NOTDIR.into()).at(path))
            }
        }
    }

    /// Fails if a link stands at or above the file, which is named with `/`.
    pub(crate) fn refuse_links(&self, file: &str) -> Result<(), DestinationError> {
        self.descend(file, Missing::Refuse).map(|_| ())
    }

    /// Writes a file, and makes the folders above it. A file that has these bytes already is not touched.
    pub(crate) fn write(&self, file: &str, bytes: &[u8]) -> Result<(), DestinationError> {
        let path = self.path.join(file);
        let mut tries = 0;
        loop {
            let found = self.descend(file, Missing::Make)?;
            let (fd, name) = found.ok_or_else(|| Put::Failed(Errno::NOENT.into()).at(&path))?;
            if has_bytes(&fd, name, bytes) {
                return Ok(());
            }
            match put(&fd, name, bytes) {
                Err(Put::Again) if tries < MAX_TRIES => tries += 1,
                Err(error) => return Err(error.at(&path)),
                Ok(()) => return Ok(()),
            }
        }
    }

    /// The folder of the file and its name in it; `None` if a folder above it is missing.
    fn descend<'a>(
        &self,
        file: &'a str,
        missing: Missing,
    ) -> Result<Option<(OwnedFd, &'a OsStr)>, DestinationError> {
        let path = self.path.join(file);
        let failed = |error: Errno| Put::Failed(error.into()).at(&path);
        let mut fd = open(&self.fd, OsStr::new("."), OFlags::DIRECTORY).map_err(failed)?;
        let mut place = self.path.clone();
        let mut segments = file.split('/').peekable();
        while let Some(segment) = segments.next() {
            place.push(segment);
            let name = OsStr::new(segment);
            let kind = kind_at(&fd, name).map_err(failed)?;
            if kind == Some(FileType::Symlink) {
                return Err(DestinationError::Link { path, link: place });
            }
            if segments.peek().is_none() {
                return Ok(Some((fd, name)));
            }
            if kind.is_none() {
                match missing {
                    Missing::Refuse => return Ok(None),
                    Missing::Make => make_folder(&fd, name).map_err(failed)?,
                }
            }
            fd = open(&fd, name, OFlags::DIRECTORY).map_err(failed)?;
        }
        Ok(None)
    }
}

/// What to do about a folder that is not there.
#[derive(Clone, Copy, PartialEq)]
enum Missing {
    Refuse,
    Make,
}

/// A folder on the way.
struct Level {
    fd: OwnedFd,
    /// Its path, without links.
    path: PathBuf,
    /// Whether it is a workspace or lies in one.
    is_inside: bool,
}

/// What is still to be walked.
enum Pending {
    Name(OsString),
    Up,
    /// Here the target of a link ends that lies in a workspace: it must not have led out.
    EndOf(PathBuf),
}

/// What a path leads to.
enum Resolved {
    /// A name in a folder, which may or may not be there, and is not a folder.
    Place(Level, OsString),
    /// A folder.
    Folder(Level),
    /// A descriptor that is open already.
    Descriptor(Descriptor),
}

struct Walk<'a> {
    typed: &'a Path,
    roots: Vec<(u64, u64)>,
    /// From the top to where the walk is. Its first level stays.
    levels: Vec<Level>,
    /// The next one last.
    pending: Vec<Pending>,
    n_links: usize,
}

impl<'a> Walk<'a> {
    fn new(typed: &'a Path, roots: &[PathBuf]) -> Result<Walk<'a>, DestinationError> {
        let failed = |error: Errno| Put::Failed(error.into()).at(typed);
        let identity = |it: &PathBuf| rustix::fs::stat(it).ok().map(|it| (it.st_dev, it.st_ino));
        let roots: Vec<(u64, u64)> = roots.iter().filter_map(identity).collect();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open("/", flags, Mode::empty()).map_err(failed)?;
        let is_inside = is_root(&fd, &roots);
        let top = Level { fd, path: PathBuf::from("/"), is_inside };
        let full = std::path::absolute(typed);
        let pending = reversed(&full.map_err(|error| Put::Failed(error).at(typed))?);
        Ok(Walk { typed, roots, levels: vec![top], pending, n_links: 0 })
    }

    fn run(mut self, missing: Missing) -> Result<Resolved, DestinationError> {
        while let Some(next) = self.pending.pop() {
            let name = match next {
                Pending::EndOf(link) => {
                    self.refuse_outside(link)?;
                    continue;
                }
                Pending::Up => {
                    if self.levels.len() > 1 {
                        self.levels.pop();
                    }
                    continue;
                }
                Pending::Name(name) => name,
            };
            if let Some(found) = self.step(name, missing)? {
                return Ok(found);
            }
        }
        self.finish().map(Resolved::Folder)
    }

    /// Goes on to the name; the end if it is not a folder.
    fn step(
        &mut self,
        name: OsString,
        missing: Missing,
    ) -> Result<Option<Resolved>, DestinationError> {
        let is_last = self.pending.iter().all(|it| matches!(it, Pending::EndOf(_)));
        let level = self.level();
        let path = level.path.join(&name);
        let opened = match open(&level.fd, &name, OFlags::empty()) {
            Err(Errno::NOENT) if is_last && missing == Missing::Refuse => {
                return self.finish_at(name).map(Some);
            }
            Err(Errno::NOENT) if missing == Missing::Refuse => {
                let typed = self.typed.to_owned();
                return Err(DestinationError::NoFolder { path: typed, folder: path });
            }
            Err(Errno::NOENT) => {
                // A link that leads out makes no folders there either.
                let link = self.pending.iter().rev().find_map(|it| match it {
                    Pending::EndOf(link) => Some(link.clone()),
                    _ => None,
                });
                link.map_or(Ok(()), |it| self.refuse_outside(it))?;
                let level = self.level();
                make_folder(&level.fd, &name).and_then(|()| open(&level.fd, &name, OFlags::empty()))
            }
            opened => opened,
        };
        let fd = opened.map_err(|error| self.failed(error))?;
        let stat = rustix::fs::fstat(&fd).map_err(|error| self.failed(error))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => self.follow(&name, &fd, is_last),
            FileType::Directory => {
                let is_inside = self.level().is_inside || is_root(&fd, &self.roots);
                self.levels.push(Level { fd, path, is_inside });
                Ok(None)
            }
            _ if is_last => self.finish_at(name).map(Some),
            _ => Err(self.failed(Errno::NOTDIR)),
        }
    }

    fn follow(
        &mut self,
        name: &OsStr,
        link: &OwnedFd,
        is_last: bool,
    ) -> Result<Option<Resolved>, DestinationError> {
        self.n_links += 1;
        if self.n_links > MAX_LINKS {
            return Err(self.failed(Errno::LOOP));
        }
        if is_last && let Some(descriptor) = self.descriptor(name)? {
            self.refuse_links_outside()?;
            return Ok(Some(Resolved::Descriptor(descriptor)));
        }
        let target = rustix::fs::readlinkat(link, "", Vec::new()).map_err(|it| self.failed(it))?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        if self.level().is_inside {
            let link = self.level().path.join(name);
            self.pending.push(Pending::EndOf(link));
        }
        if target.is_absolute() {
            self.levels.truncate(1);
        }
        self.pending.extend(reversed(&target));
        Ok(None)
    }

    /// The descriptor, if the name is one of an open file in `/proc`: such a link has no path to follow.
    fn descriptor(&self, name: &OsStr) -> Result<Option<Descriptor>, DestinationError> {
        let level = self.level();
        let is_proc = rustix::fs::fstatfs(&level.fd)
            .is_ok_and(|it| u64::try_from(it.f_type).is_ok_and(|it| it == PROC_MAGIC));
        let number = name.to_str().and_then(|it| it.parse::<u32>().ok());
        let Some(number) = number.filter(|_| is_proc && level.path.ends_with("fd")) else {
            return Ok(None);
        };
        let own = rustix::fs::readlink("/proc/self", Vec::new()).map(|it| it.into_bytes());
        let own = own.ok().map(|it| Path::new("/proc").join(OsString::from_vec(it)).join("fd"));
        Ok(Some(match number {
            1 if own.as_ref() == Some(&level.path) => Descriptor::Stdout,
            2 if own.as_ref() == Some(&level.path) => Descriptor::Stderr,
            _ => {
                let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOCTTY | OFlags::CLOEXEC;
                let fd = rustix::fs::openat(&level.fd, name, flags, Mode::empty());
                Descriptor::Other(File::from(fd.map_err(|error| self.failed(error))?))
            }
        }))
    }

    fn level(&self) -> &Level {
        self.levels.last().expect("the top is never left")
    }

    fn failed(&self, error: Errno) -> DestinationError {
        Put::Failed(error.into()).at(self.typed)
    }

    fn refuse_outside(&self, link: PathBuf) -> Result<(), DestinationError> {
        let path = self.typed.to_owned();
        if self.level().is_inside { Ok(()) } else { Err(DestinationError::LeadsOut { path, link }) }
    }

    /// For the links whose targets end with the name that comes next.
    fn refuse_links_outside(&mut self) -> Result<(), DestinationError> {
        while let Some(Pending::EndOf(_)) = self.pending.last() {
            if let Some(Pending::EndOf(link)) = self.pending.pop() {
                self.refuse_outside(link)?;
            }
        }
        Ok(())
    }

    fn finish_at(&mut self, name: OsString) -> Result<Resolved, DestinationError> {
        self.refuse_links_outside()?;
        self.finish().map(|it| Resolved::Place(it, name))
    }

    fn finish(&mut self) -> Result<Level, DestinationError> {
        self.levels.pop().ok_or_else(|| self.failed(Errno::NOENT))
    }
}

/// A descriptor that was open before.
enum Descriptor {
    Stdout,
    Stderr,
    Other(File),
}

impl Descriptor {
    fn write(self, bytes: &[u8]) -> Result<(), Put> {
        match self {
            Descriptor::Stdout => stream(io::stdout(), bytes),
            Descriptor::Stderr => stream(io::stderr(), bytes),
            Descriptor::Other(file) => stream(file, bytes),
        }
        .map_err(Put::Failed)
    }
}

/// Why bytes were not written to a name in an open folder.
#[derive(Debug)]
enum Put {
    /// It was something else a moment before.
    Again,
    Folder,
    Failed(io::Error),
}

impl Put {
    fn at(self, path: &Path) -> DestinationError {
        let path = path.to_owned();
        match self {
            Put::Again => {
                let source = io::Error::other("it keeps changing");
                DestinationError::Io { path, source }
            }
            Put::Folder => DestinationError::Folder { path },
            Put::Failed(source) => DestinationError::Io { path, source },
        }
    }
}

impl From<Errno> for Put {
    fn from(error: Errno) -> Put {
        Put::Failed(error.into())
    }
}

fn put(folder: &OwnedFd, name: &OsStr, bytes: &[u8]) -> Result<(), Put> {
    let stat = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return replace(folder, name, None, bytes),
        Err(error) => return Err(error.into()),
    };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => replace(folder, name, Some(&stat), bytes),
        FileType::Symlink => Err(Put::Again),
        FileType::Directory => Err(Put::Folder),
        FileType::Socket => {
            let path = format!("/proc/self/fd/{}", folder.as_fd().as_raw_fd());
            let socket = UnixStream::connect(Path::new(&path).join(name)).map_err(Put::Failed)?;
            stream(socket, bytes).map_err(Put::Failed)
        }
        _ => {
            let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
            let fd = rustix::fs::openat(folder, name, flags, Mode::empty())?;
            // A file that took its place would be overwritten in part.
            if FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode) == FileType::RegularFile {
                return Err(Put::Again);
            }
            stream(File::from(fd), bytes).map_err(Put::Failed)
        }
    }
}

/// Writes all bytes. A reader that goes away early is not an error.
pub(crate) fn stream(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    match to.write_all(bytes).and_then(|()| to.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Puts a new file in the place of the old one, or where none is.
fn replace(folder: &OwnedFd, name: &OsStr, old: Option<&Stat>, bytes: &[u8]) -> Result<(), Put> {
    if old.is_some() {
        rustix::fs::accessat(folder, name, Access::WRITE_OK, AtFlags::EACCESS)?;
    }
    // Nobody else reads the bytes before the file has the mode of the old one.
    let mode = if old.is_some() { 0o600 } else { 0o666 };
    let (temporary, file) = create_temporary(folder, mode)?;
    let written = fill(file, old, bytes).and_then(|()| {
        let plain = || rustix::fs::renameat(folder, &temporary, folder, name);
        match old {
            Some(_) => Ok(plain()?),
            None => {
                let flags = RenameFlags::NOREPLACE;
                match rustix::fs::renameat_with(folder, &temporary, folder, name, flags) {
                    Err(Errno::EXIST) => Err(Put::Again),
                    // Not every file system can.
                    Err(Errno::INVAL | Errno::NOSYS) => Ok(plain()?),
                    renamed => Ok(renamed?),
                }
            }
        }
    });
    if written.is_err() {
        // The first error is the one to report; a file that cannot be removed either adds nothing to it.
        let _ = rustix::fs::unlinkat(folder, &temporary, AtFlags::empty());
    }
    written
}

fn fill(mut file: File, old: Option<&Stat>, bytes: &[u8]) -> Result<(), Put> {
    file.write_all(bytes).map_err(Put::Failed)?;
    if let Some(old) = old {
        take_over(&file, old)?;
    }
    file.sync_all().map_err(Put::Failed)
}

/// Gives the file the owner, the group and the mode of the old one. Who may not set the owner becomes it; a group that
/// cannot be set gets what everybody gets.
fn take_over(file: &File, old: &Stat) -> Result<(), Errno> {
    let (uid, gid) = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
    let new = rustix::fs::fstat(file)?;
    if new.st_uid != old.st_uid {
        let _ = rustix::fs::fchown(file, Some(uid), None);
    }
    let has_group = new.st_gid == old.st_gid || rustix::fs::fchown(file, None, Some(gid)).is_ok();
    let mode = old.st_mode & 0o777;
    let mode = if has_group { mode } else { (mode & !0o070) | (mode & ((mode & 0o007) << 3)) };
    rustix::fs::fchmod(file, Mode::from_raw_mode(mode))
}

fn create_temporary(folder: &OwnedFd, mode: u32) -> Result<(String, File), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    let mut last = Errno::EXIST;
    for n in 0..MAX_NAMES {
        let name = format!(".regreen-output-{}-{n}.tmp", std::process::id());
        match rustix::fs::openat(folder, &name, flags, Mode::from_raw_mode(mode)) {
            Ok(fd) => return Ok((name, File::from(fd))),
            // A process that had our number left it behind; it is not ours to remove.
            Err(Errno::EXIST) => last = Errno::EXIST,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

/// Whether it is a regular file with these bytes.
fn has_bytes(folder: &OwnedFd, name: &OsStr, bytes: &[u8]) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(fd) = rustix::fs::openat(folder, name, flags, Mode::empty()) else { return false };
    let is_alike = rustix::fs::fstat(&fd).is_ok_and(|it| {
        FileType::from_raw_mode(it.st_mode) == FileType::RegularFile
            && u64::try_from(it.st_size).is_ok_and(|it| it == bytes.len() as u64)
    });
    let mut found = Vec::new();
    is_alike
        && File::from(fd).take(bytes.len() as u64 + 1).read_to_end(&mut found).is_ok()
        && found == bytes
}

/// Two processes may make it at once.
fn make_folder(folder: &OwnedFd, name: &OsStr) -> Result<(), Errno> {
    match rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(0o777)) {
        Err(Errno::EXIST) => Ok(()),
        made => made,
    }
}

/// A descriptor that only says what and where it is; a link is opened, not followed.
fn open(folder: &OwnedFd, name: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(folder, name, flags, Mode::empty())
}

fn kind_at(folder: &OwnedFd, name: &OsStr) -> Result<Option<FileType>, Errno> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_root(fd: &OwnedFd, roots: &[(u64, u64)]) -> bool {
    rustix::fs::fstat(fd).is_ok_and(|it| roots.contains(&(it.st_dev, it.st_ino)))
}

fn reversed(path: &Path) -> Vec<Pending> {
    let pending = path.components().rev().filter_map(|it| match it {
        Component::Normal(name) => Some(Pending::Name(name.to_owned())),
        Component::ParentDir => Some(Pending::Up),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    });
    pending.collect()
}
