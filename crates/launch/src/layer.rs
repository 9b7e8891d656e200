//! The layer of an overlay: only what differs from the disk, kept in step with a snapshot.
//!
//! What the disk has and the snapshot has not is covered by a character device with the number 0, which overlayfs takes for
//! "nothing is here" and which everybody may make. Folders are never covered: what is ignored may lie in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode};
use snapshot::{Entry, RelPath, Snapshot};

use crate::changes::{remove_entry, write_entry};
use crate::view::ViewError;

pub(crate) struct Layer {
    path: PathBuf,
    root: PathBuf,
    has: BTreeMap<RelPath, Cover>,
}

#[derive(Clone, PartialEq)]
enum Cover {
    Entry(Entry),
    Nothing,
}

impl Layer {
    pub(crate) fn new(path: PathBuf, root: PathBuf) -> io::Result<Layer> {
        fs::create_dir(&path)?;
        as_above(&root, &path)?;
        Ok(Layer { path, root, has: BTreeMap::new() })
    }

    /// Makes it show the snapshot over a disk from which it differs at these paths. What it shows already is not touched.
    /// Returns how many entries were written or removed.
    pub(crate) fn update(
        &mut self,
        differing: &BTreeSet<RelPath>,
        snapshot: &Snapshot,
        disk: &Snapshot,
    ) -> Result<usize, ViewError> {
        let wanted: BTreeMap<RelPath, Cover> = differing
            .iter()
            .filter_map(|path| Some((path.clone(), cover(path, snapshot, disk)?)))
            .collect();
        let stale: Vec<RelPath> = self
            .has
            .iter()
            .filter(|(path, cover)| wanted.get(*path) != Some(*cover))
            .map(|it| it.0.clone())
            .collect();
        let mut touched = 0;
        // What is beneath goes first.
        for path in stale.iter().rev() {
            self.has.remove(path);
            let keeps = |it: &RelPath| self.has.contains_key(it);
            remove_entry(&self.path, path, &keeps).map_err(|error| ViewError::new(path, error))?;
            touched += 1;
        }
        for (path, cover) in wanted {
            if self.has.contains_key(&path) {
                continue;
            }
            self.write(&path, &cover).map_err(|error| ViewError::new(&path, error))?;
            self.has.insert(path, cover);
            touched += 1;
        }
        Ok(touched)
    }

    fn write(&self, path: &RelPath, cover: &Cover) -> io::Result<()> {
        let mut above: Vec<RelPath> = path.ancestors().collect();
        above.reverse();
        for folder in above {
            let at = self.path.join(folder.as_str());
            match fs::create_dir(&at) {
                Ok(()) => as_above(&self.root.join(folder.as_str()), &at)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        let at = self.path.join(path.as_str());
        // What an earlier attempt left half-way.
        match fs::symlink_metadata(&at) {
            Ok(about) if !about.is_dir() => fs::remove_file(&at)?,
            _ => {}
        }
        match cover {
            Cover::Entry(entry) => write_entry(&at, entry),
            Cover::Nothing => {
                Ok(rustix::fs::mknodat(CWD, &at, FileType::CharacterDevice, Mode::empty(), 0)?)
            }
        }
    }
}

/// What the layer must have at a path at which the snapshot is not as the disk; nothing where what is above says it all.
fn cover(path: &RelPath, snapshot: &Snapshot, disk: &Snapshot) -> Option<Cover> {
    match snapshot.get(path) {
        Some(Entry::Unread { .. }) => None,
        Some(entry) => Some(Cover::Entry(entry.clone())),
        // A folder that takes the place of a file, or whose entry went away.
        None if snapshot.is_directory(path) || disk.is_directory(path) => None,
        // A file that takes the place of the folder.
        None if snapshot.blocking_ancestor(path).is_some() => None,
        None => Some(Cover::Nothing),
    }
}

/// A folder of the layer hides the rights of the one beneath it, so it gets the same.
pub(crate) fn as_above(original: &Path, folder: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(original).ok().filter(fs::Metadata::is_dir);
    let mode = mode.map_or(0o755, |about| about.mode() & 0o777 | 0o700);
    fs::set_permissions(folder, fs::Permissions::from_mode(mode))
}
