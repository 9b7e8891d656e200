//! What a program that rewrites files has written, relative to the tree that it was shown.
//!
//! What a hostile program left is read here: no link is followed, only what is wanted is read, and both the number of entries
//! and their bytes are bounded.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use edit::Text;
use rustix::fs::OFlags;
use snapshot::{Entry, RelPath, Snapshot};

/// What is at a path after a program ran.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrote {
    /// A file with these bytes.
    File {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its permission bits.
        mode: u32,
    },
    /// A symbolic link, which was not followed.
    Link {
        /// The target as the link spells it.
        target: PathBuf,
    },
    /// Nothing any more.
    Deleted,
    /// A pipe, a socket, a device, or a file that cannot be read.
    Other,
}

/// What a program has written, created and deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenChanges {
    /// By path. Nothing in it is as the snapshot has it.
    pub paths: BTreeMap<RelPath, Wrote>,
    /// Paths that no workspace can have, such as those that are not UTF-8. What is there was not read.
    pub unnameable: BTreeSet<PathBuf>,
}

/// Which changes are wanted, and how many may be read.
pub struct Capture<'a> {
    /// The paths of interest: what is elsewhere, such as a cache that a tool keeps in the tree, is passed over.
    pub wants: &'a dyn Fn(&RelPath) -> bool,
    /// How many entries a program may have changed, wanted or not.
    pub max_entries: usize,
    /// How many bytes may be read.
    pub max_bytes: u64,
}

/// Why changes were not collected.
#[derive(Debug)]
pub(crate) enum CollectError {
    TooMuch,
    Io(io::Error),
}

impl From<io::Error> for CollectError {
    fn from(error: io::Error) -> CollectError {
        CollectError::Io(error)
    }
}

/// Takes what is found at paths, within the bounds.
pub(crate) struct ChangeCollector<'a> {
    snapshot: &'a Snapshot,
    capture: &'a Capture<'a>,
    entries: usize,
    bytes: u64,
    pub(crate) changes: WrittenChanges,
}

impl<'a> ChangeCollector<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, capture: &'a Capture<'a>) -> ChangeCollector<'a> {
        ChangeCollector {
            snapshot,
            capture,
            entries: 0,
            bytes: 0,
            changes: WrittenChanges::default(),
        }
    }

    /// The path as one of a workspace; one that is none is noted.
    pub(crate) fn path(&mut self, relative: &Path) -> Result<Option<RelPath>, CollectError> {
        self.entries += 1;
        if self.entries > self.capture.max_entries {
            return Err(CollectError::TooMuch);
        }
        let path = relative.to_str().and_then(|it| RelPath::parse(it).ok());
        if path.is_none() {
            self.changes.unnameable.insert(relative.to_owned());
        }
        Ok(path)
    }

    /// Notes what the snapshot has at the path, or beneath it, as deleted.
    pub(crate) fn gone(&mut self, path: &RelPath) {
        if self.snapshot.has(path) && !self.snapshot.is_directory(path) {
            self.note(path, Wrote::Deleted);
        }
        self.gone_beneath(path);
    }

    pub(crate) fn gone_beneath(&mut self, path: &RelPath) {
        for beneath in self.snapshot.paths_in(path).cloned().collect::<Vec<_>>() {
            self.note(&beneath, Wrote::Deleted);
        }
    }

    /// Notes what is at the path now, if it is not what the snapshot has there.
    pub(crate) fn found(
        &mut self,
        path: &RelPath,
        at: &Path,
        about: &Metadata,
    ) -> Result<(), CollectError> {
        self.gone_beneath(path);
        if !(self.capture.wants)(path) {
            return Ok(());
        }
        let wrote = if about.is_symlink() {
            let target = fs::read_link(at)?;
            let known = self.snapshot.get(path);
            if matches!(known, Some(Entry::Link { target: known }) if Path::new(known) == target) {
                return Ok(());
            }
            Wrote::Link { target }
        } else if about.is_file() {
            match self.read(at)? {
                None => Wrote::Other,
                Some((bytes, mode)) => {
                    let known = self.snapshot.file(path).filter(|file| file.mode & 0o777 == mode);
                    if known.is_some_and(|file| file.hash() == edit::ContentHash::of(&bytes)) {
                        return Ok(());
                    }
                    Wrote::File { bytes, mode }
                }
            }
        } else {
            Wrote::Other
        };
        self.note(path, wrote);
        Ok(())
    }

    fn note(&mut self, path: &RelPath, wrote: Wrote) {
        if (self.capture.wants)(path) {
            self.changes.paths.insert(path.clone(), wrote);
        }
    }

    fn read(&mut self, at: &Path) -> Result<Option<(Vec<u8>, u32)>, CollectError> {
        let left = self.capture.max_bytes.saturating_sub(self.bytes);
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).unwrap_or_default();
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(at) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mode = file.metadata()?.mode() & 0o777;
        let mut bytes = Vec::new();
        file.take(left.saturating_add(1)).read_to_end(&mut bytes)?;
        self.bytes += bytes.len() as u64;
        if self.bytes > self.capture.max_bytes {
            return Err(CollectError::TooMuch);
        }
        Ok(Some((bytes, mode)))
    }
}

/// What the upper directory of an overlay says.
pub(crate) fn of_upper(
    upper: &Path,
    collector: &mut ChangeCollector<'_>,
) -> Result<(), CollectError> {
    // Folders come before what is in them, so that what was found in one counts more than that it was emptied.
    let mut waiting = vec![PathBuf::new()];
    while let Some(folder) = waiting.pop() {
        let mut names: Vec<_> = fs::read_dir(upper.join(&folder))?
            .map(|it| it.map(|it| it.file_name()))
            .collect::<io::Result<_>>()?;
        names.sort();
        for name in names {
            let relative = folder.join(name);
            let at = upper.join(&relative);
            let about = fs::symlink_metadata(&at)?;
            let path = collector.path(&relative)?;
            if about.is_dir() {
                if let Some(path) = &path {
                    entered(path, &at, collector);
                }
                readable(&at, &about);
                waiting.push(relative);
                continue;
            }
            let Some(path) = path else { continue };
            if about.file_type().is_char_device() && about.rdev() == 0 {
                collector.gone(&path);
            } else {
                collector.found(&path, &at, &about)?;
            }
        }
    }
    Ok(())
}

/// A folder that stands for all that is in it, or that stands where a file was.
fn entered(path: &RelPath, at: &Path, collector: &mut ChangeCollector<'_>) {
    let mut value = [0; 1];
    let is_opaque =
        rustix::fs::lgetxattr(at, "user.overlay.opaque", &mut value).is_ok() && value == *b"y";
    if is_opaque || !collector.snapshot.is_directory(path) {
        collector.gone(path);
    }
}

/// A program can take away the right to look into its folders.
pub(crate) fn readable(at: &Path, about: &Metadata) {
    use std::os::unix::fs::PermissionsExt as _;
    if about.mode() & 0o700 != 0o700 {
        // If it fails, so does what is done next.
        let _ = fs::set_permissions(at, fs::Permissions::from_mode(about.mode() & 0o777 | 0o700));
    }
}

/// Removes the place of an overlay that was mounted. The kernel leaves an empty folder there that nobody may look into.
pub(crate) fn remove_run(place: &Path) {
    // What is left is removed with the folder that holds it, if it can be at all.
    let _ = fs::remove_dir(place.join("work/work"));
    let _ = remove_tree(place);
}

/// Removes a tree that a program may have made hard to remove. No link is followed.
pub(crate) fn remove_tree(path: &Path) -> io::Result<()> {
    let mut waiting = vec![path.to_owned()];
    while let Some(folder) = waiting.pop() {
        readable(&folder, &fs::symlink_metadata(&folder)?);
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    fs::remove_dir_all(path)
}

/// Writes an entry where nothing stands; what cannot be written is left out.
pub(crate) fn write_entry(at: &Path, entry: &Entry) -> io::Result<()> {
    match entry {
        Entry::File(file) => write_file(at, &file.text(), file.mode),
        Entry::Link { target } => std::os::unix::fs::symlink(target, at),
        Entry::Directory => match fs::create_dir(at) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && at.is_dir() => Ok(()),
            other => other,
        },
        Entry::Unread { .. } => Ok(()),
    }
}

fn write_file(at: &Path, text: &Text, mode: u32) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt as _;
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(at)?;
    file.write_all(text.bytes())?;
    // Bits that change whom a program runs as have no place in a copy.
    file.set_permissions(fs::Permissions::from_mode(mode & 0o777))
}

/// Removes what stands at a path, and then the folders above it that became empty, up to `top`, unless they are kept.
pub(crate) fn remove_entry(
    top: &Path,
    path: &RelPath,
    keeps: &dyn Fn(&RelPath) -> bool,
) -> io::Result<()> {
    let at = top.join(path.as_str());
    match fs::symlink_metadata(&at) {
        Ok(about) if about.is_dir() => {
            // What else is in it has entries of its own.
            let _ = fs::remove_dir(&at);
        }
        Ok(_) => fs::remove_file(&at)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    for above in path.ancestors() {
        if keeps(&above) || fs::remove_dir(top.join(above.as_str())).is_err() {
            break;
        }
    }
    Ok(())
}
