//! A copy of a tree in a folder of its own, kept in step with a snapshot, for machines that cannot overlay one.
//!
//! Files are copied, or share their blocks where the file system can do that; never are they links to the real ones. What
//! lies in the tree and is not in the snapshot, such as `node_modules`, is a link to the real folder: confinement denies
//! writing there. After a program wrote to the mirror, what differs from what was put there is found by stamps, collected
//! and put right, before anything else is written: then no link of the program's is in the way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::OFlags;
use snapshot::{RelPath, Snapshot};

use crate::changes::{
    ChangeCollector, CollectError, readable, remove_entry, remove_tree, write_entry,
};
use crate::identity::FileStamp;
use crate::view::ViewError;

/// How coarse the times of a file system may be.
const COARSE: Duration = Duration::from_millis(20);

pub(crate) struct Mirror {
    path: PathBuf,
    root: PathBuf,
    shown: Snapshot,
    /// What was put there that is not a folder.
    has: BTreeMap<RelPath, FileStamp>,
    /// Links to what the snapshot does not have, by path.
    ignored: BTreeSet<PathBuf>,
    /// Those of them whose place was taken by something of a snapshot.
    taken: BTreeSet<RelPath>,
    /// What the tree had on disk and has no more.
    gone: BTreeSet<RelPath>,
}

impl Mirror {
    /// Copies the tree. What is as on disk is copied from there.
    pub(crate) fn new(
        path: PathBuf,
        root: PathBuf,
        snapshot: &Snapshot,
        disk: &Snapshot,
    ) -> Result<Mirror, ViewError> {
        fs::create_dir(&path).map_err(|error| ViewError::folder(&path, error))?;
        let (has, ignored, taken) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        let differing = snapshot.changed_since(disk);
        let gone = differing.iter().filter(|it| !snapshot.has(it)).cloned().collect();
        let mut mirror = Mirror { path, root, shown: snapshot.clone(), has, ignored, taken, gone };
        mirror.make_folders()?;
        for path in snapshot.paths() {
            let is_from_disk = !differing.contains(path);
            mirror.put(path, is_from_disk).map_err(|error| ViewError::new(path, error))?;
        }
        mirror.link_ignored().map_err(|error| ViewError::folder(&mirror.root, error))?;
        Ok(mirror)
    }

    /// Makes the folders that the snapshot names, which may be empty.
    fn make_folders(&self) -> Result<(), ViewError> {
        for (path, _) in self.shown.iter_at(|path| self.shown.is_directory(path)) {
            fs::create_dir_all(self.at(path)).map_err(|error| ViewError::new(path, error))?;
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it show another snapshot. Returns how many entries were written or removed.
    pub(crate) fn update(&mut self, snapshot: &Snapshot) -> Result<usize, ViewError> {
        let changed = snapshot.changed_since(&self.shown);
        let before = std::mem::replace(&mut self.shown, snapshot.clone());
        self.refresh(&changed, &before)
    }

    /// Puts the paths right, where `before` was shown.
    fn refresh(
        &mut self,
        paths: &BTreeSet<RelPath>,
        before: &Snapshot,
    ) -> Result<usize, ViewError> {
        for path in paths.iter().rev() {
            // Only what was put there has folders above it and no links, which would lead out of the mirror.
            if self.has.remove(path).is_none() && !before.is_directory(path) {
                continue;
            }
            let keeps = |it: &RelPath| self.shown.has(it);
            remove_entry(&self.path, path, &keeps).map_err(|error| ViewError::new(path, error))?;
        }
        for path in paths {
            let put = match self.shown.has(path) {
                true => self.put(path, false),
                false if self.shown.blocking_ancestor(path).is_none() => self.give_back(path),
                false => Ok(()),
            };
            put.map_err(|error| ViewError::new(path, error))?;
        }
        Ok(paths.len())
    }

    fn put(&mut self, path: &RelPath, is_from_disk: bool) -> io::Result<()> {
        let at = self.at(path);
        self.make_way(path)?;
        // What is in the tree and too large for a snapshot is copied too.
        let is_unread = || matches!(self.shown.get(path), Some(snapshot::Entry::Unread { .. }));
        if is_from_disk || is_unread() {
            copy(&self.root.join(path.as_str()), &at)?;
        } else if let Some(entry) = self.shown.get(path) {
            write_entry(&at, entry)?;
        }
        match fs::symlink_metadata(&at) {
            Ok(about) if !about.is_dir() => {
                self.has.insert(path.clone(), FileStamp::of(&about));
            }
            // A file that went away since it was listed, or a folder.
            _ => {}
        }
        Ok(())
    }

    /// Makes the folders above a path. One that is a link to the real one becomes a folder of such links: what is written
    /// must not get there.
    fn make_way(&mut self, path: &RelPath) -> io::Result<()> {
        let mut above: Vec<RelPath> = path.ancestors().collect();
        above.reverse();
        for folder in above {
            let relative = PathBuf::from(folder.as_str());
            let at = self.path.join(&relative);
            if self.ignored.remove(&relative) {
                fs::remove_file(&at)?;
                fs::create_dir(&at)?;
                self.link_beneath(relative)?;
            } else if let Err(error) = fs::create_dir(&at)
                && error.kind() != io::ErrorKind::AlreadyExists
            {
                return Err(error);
            }
        }
        if self.ignored.remove(Path::new(path.as_str())) {
            fs::remove_file(self.at(path))?;
            self.taken.insert(path.clone());
        }
        Ok(())
    }

    /// Puts the link back that something of a snapshot had taken the place of.
    fn give_back(&mut self, path: &RelPath) -> io::Result<()> {
        if self.taken.remove(path) {
            self.make_way(path)?;
            let relative = PathBuf::from(path.as_str());
            std::os::unix::fs::symlink(self.root.join(&relative), self.at(path))?;
            self.ignored.insert(relative);
        }
        Ok(())
    }

    /// Links to everything that lies in the folders of the tree and is not part of it.
    fn link_ignored(&mut self) -> io::Result<()> {
        self.link_beneath(PathBuf::new())
    }

    fn link_beneath(&mut self, folder: PathBuf) -> io::Result<()> {
        let mut waiting = vec![folder];
        while let Some(folder) = waiting.pop() {
            let Ok(entries) = fs::read_dir(self.root.join(&folder)) else { continue };
            for entry in entries {
                let entry = entry?;
                let relative = folder.join(entry.file_name());
                let path = relative.to_str().and_then(|it| RelPath::parse(it).ok());
                // What the tree had and has no more is not ignored, and neither is a folder that it was in.
                if path.as_ref().is_some_and(|path| self.gone.contains(path)) {
                    continue;
                }
                let had_some =
                    |path: &RelPath| self.gone.range(path.clone()..).any(|it| path.contains(it));
                let is_ours = |path: &RelPath| self.shown.is_directory(path) || had_some(path);
                if path.as_ref().is_some_and(is_ours) {
                    if entry.file_type()?.is_dir() {
                        fs::create_dir_all(self.path.join(&relative))?;
                        waiting.push(relative);
                    }
                } else if path.is_none_or(|path| !self.shown.has(&path)) {
                    std::os::unix::fs::symlink(
                        self.root.join(&relative),
                        self.path.join(&relative),
                    )?;
                    self.ignored.insert(relative);
                }
            }
        }
        Ok(())
    }

    /// Finds what a program that was started at `since` has changed, and puts it right.
    pub(crate) fn collect(
        &mut self,
        since: SystemTime,
        collector: &mut ChangeCollector<'_>,
    ) -> Result<(), CollectError> {
        let mut wrong = BTreeSet::new();
        let found = self.scan(since, collector, &mut wrong);
        if found.is_err() {
            // There may be more than can be listed, so all of it is made anew.
            self.rebuild().map_err(CollectError::Io)?;
            return found;
        }
        let shown = self.shown.clone();
        self.refresh(&wrong, &shown).map_err(|error| CollectError::Io(error.source))?;
        self.make_folders().map_err(|error| CollectError::Io(error.source))
    }

    fn scan(
        &mut self,
        since: SystemTime,
        collector: &mut ChangeCollector<'_>,
        wrong: &mut BTreeSet<RelPath>,
    ) -> Result<(), CollectError> {
        let mut seen = BTreeSet::new();
        let mut strange = Vec::new();
        let mut waiting = vec![PathBuf::new()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(self.path.join(&folder))? {
                let relative = folder.join(entry?.file_name());
                let at = self.path.join(&relative);
                let about = fs::symlink_metadata(&at)?;
                if self.ignored.contains(&relative)
                    && fs::read_link(&at).is_ok_and(|it| it == self.root.join(&relative))
                {
                    seen.insert(relative);
                    continue;
                }
                let known = relative.to_str().and_then(|it| RelPath::parse(it).ok());
                if about.is_dir() {
                    readable(&at, &about);
                    if known.as_ref().is_none_or(|path| !self.shown.is_directory(path)) {
                        strange.push(at);
                    }
                    waiting.push(relative);
                    continue;
                }
                if let Some(path) = &known
                    && self.is_as_put(path, &about, since)
                {
                    seen.insert(relative);
                    continue;
                }
                let Some(path) = collector.path(&relative)? else {
                    strange.push(at);
                    continue;
                };
                collector.found(&path, &at, &about)?;
                seen.insert(relative);
                if !self.shown.has(&path) {
                    strange.push(at);
                }
                wrong.insert(path);
            }
        }
        let missing: Vec<RelPath> = self
            .has
            .keys()
            .filter(|path| !seen.contains(Path::new(path.as_str())))
            .cloned()
            .collect();
        for path in missing {
            collector.gone(&path);
            wrong.insert(path);
        }
        // Those in a folder come after it, and may be gone with it.
        for at in strange {
            match fs::symlink_metadata(&at) {
                Ok(about) if about.is_dir() => remove_tree(&at)?,
                Ok(_) => fs::remove_file(&at)?,
                Err(_) => {}
            }
        }
        let lost: Vec<PathBuf> =
            self.ignored.iter().filter(|it| !seen.contains(*it)).cloned().collect();
        for relative in lost {
            let at = self.path.join(&relative);
            if let Some(folder) = at.parent() {
                fs::create_dir_all(folder)?;
            }
            if fs::symlink_metadata(&at).is_ok_and(|it| !it.is_dir()) {
                fs::remove_file(&at)?;
            }
            std::os::unix::fs::symlink(self.root.join(&relative), at)?;
        }
        Ok(())
    }

    /// Whether nobody touched the file. The time of a file's last change is coarse: one that was put there just before the
    /// program started may have been changed without that time changing, so it does not count as untouched.
    fn is_as_put(&self, path: &RelPath, about: &Metadata, since: SystemTime) -> bool {
        let stamp = FileStamp::of(about);
        let seconds = u64::try_from(stamp.ctime.0).unwrap_or_default();
        let nanoseconds = u64::try_from(stamp.ctime.1).unwrap_or_default();
        let changed = UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds);
        self.has.get(path) == Some(&stamp) && changed + COARSE < since
    }

    fn rebuild(&mut self) -> io::Result<()> {
        remove_tree(&self.path)?;
        let failed = |error: ViewError| error.source;
        // Nothing is copied from a disk that may have changed since.
        let disk = Snapshot::default();
        let anew = Mirror::new(self.path.clone(), self.root.clone(), &self.shown, &disk);
        *self = anew.map_err(failed)?;
        Ok(())
    }

    fn at(&self, path: &RelPath) -> PathBuf {
        self.path.join(path.as_str())
    }
}

/// Copies a file or a link. The blocks are shared where the file system can do that.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let about = match fs::symlink_metadata(from) {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if about.is_symlink() {
        return std::os::unix::fs::symlink(fs::read_link(from)?, to);
    }
    if !about.is_file() {
        return Ok(());
    }
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or_default();
    let mut source = OpenOptions::new().read(true).custom_flags(flags).open(from)?;
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    if !shares_blocks(&copy, &source) {
        io::copy(&mut source, &mut copy)?;
    }
    copy.set_permissions(fs::Permissions::from_mode(about.mode() & 0o777))
}

fn shares_blocks(copy: &File, source: &File) -> bool {
    #[cfg(target_os = "linux")]
    return rustix::fs::ioctl_ficlone(copy, source).is_ok();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (copy, source);
        false
    }
}
