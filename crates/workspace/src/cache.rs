//! What can be found out again and is kept to save time: files in the user's cache folder, which may be deleted at any
//! time. Nothing is ever read from the tree.
//!
//! Nothing here is part of a transaction or waits for stable storage; who reads a cache must be able to tell that its
//! bytes are whole.

use std::io;
use std::path::Path;

use snapshot::RelPath;

use crate::fs::{Attributes, EntryKind, FileIdentity, Fs};
use crate::home::{Home, check_apart};
use crate::os_fs::OsFs;
use crate::{Store, Workspace};

/// Larger caches are neither read nor written.
pub const MAX_CACHE_BYTES: u64 = 64 * 1024 * 1024;
/// All caches of the user together; the oldest go first.
const MAX_FOLDER_BYTES: u64 = 8 * MAX_CACHE_BYTES;
const MAX_FOLDER_FILES: usize = 256;

impl Workspace {
    /// The bytes of a cache; `None` if there is none that can be read.
    pub fn read_cache(&self, name: &str) -> Option<Vec<u8>> {
        let (folder, path) = self.cache_place(name)?;
        let folder = Home::open_cache(&folder, self.root.as_deref()?)?;
        folder.read(&path, MAX_CACHE_BYTES).ok().map(|(bytes, _)| bytes)
    }

    /// Replaces a cache, and says whether it did: not where the user has no cache folder of his own, and not with too
    /// many bytes.
    pub fn write_cache(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        let is_small = u64::try_from(bytes.len()).is_ok_and(|it| it <= MAX_CACHE_BYTES);
        let (Some((folder, path)), Some(root), true) =
            (self.cache_place(name), self.root.as_deref(), is_small)
        else {
            return Ok(false);
        };
        // Nothing is made in the tree on the way to finding out that it does not belong there.
        if check_apart(&folder, root).is_err() {
            return Ok(false);
        }
        use std::os::unix::fs::DirBuilderExt;
        // The values in a cache are from the user's files, so nobody else may read it.
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let Some(folder) = Home::open_cache(&folder, root) else { return Ok(false) };
        // Another thread or process may be writing the same cache.
        let temporary = format!("{path}.{:016x}.tmp", folder.nonce()?);
        let temporary = crate::commit::beside(&path, &temporary);
        let written = folder
            .create(&temporary, bytes, &Attributes::Exact { mode: 0o600 })
            .and_then(|()| folder.rename(&temporary, &path));
        if written.is_err() {
            // It may not even be there.
            let _ = folder.remove_file(&temporary);
        }
        written?;
        // What cannot be removed only takes room.
        let _ = shrink(&folder, &path);
        Ok(true)
    }

    fn cache_place(&self, name: &str) -> Option<(std::path::PathBuf, RelPath)> {
        let Store::Place(place) = &self.store else { return None };
        let folder = place.home().cache.clone()?;
        let path = RelPath::parse(&format!("{}.{name}", place.own_name())).ok()?;
        (path.segments().count() == 1).then_some((folder, path))
    }
}

/// The user's folder of schemas: bytes by their hash, and a list of what is there. Any workspace may use it, and none may
/// lie around it.
#[derive(Clone, Debug)]
pub struct SchemaFolder {
    cache: std::path::PathBuf,
    root: std::path::PathBuf,
}

/// All schemas of the user together; the oldest go first.
const MAX_SCHEMA_BYTES: u64 = 1024 * 1024 * 1024;
const MAX_SCHEMA_FILES: usize = 20_000;

impl Workspace {
    /// The user's folder of schemas; `None` where there is no user, as in a build.
    pub fn schema_folder(&self) -> Option<SchemaFolder> {
        let Store::Place(place) = &self.store else { return None };
        Some(SchemaFolder { cache: place.home().cache.clone()?, root: self.root.clone()? })
    }
}

impl SchemaFolder {
    /// The bytes under a name of letters, digits and `-`; `None` if there are none that can be read.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let folder = Home::open_cache(&self.cache, &self.root)?;
        folder.read(&schema_path(name)?, MAX_CACHE_BYTES).ok().map(|(bytes, _)| bytes)
    }

    /// Whether there are bytes under a name.
    pub fn has(&self, name: &str) -> bool {
        let found = || Home::open_cache(&self.cache, &self.root)?.stat(&schema_path(name)?).ok()?;
        found().is_some_and(|it| it.kind == EntryKind::File)
    }

    /// Keeps bytes under their names, and says whether it did: not where the user has no cache folder of his own.
    pub fn write<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    ) -> io::Result<bool> {
        if check_apart(&self.cache, &self.root).is_err() {
            return Ok(false);
        }
        use std::os::unix::fs::DirBuilderExt;
        let schemas = self.cache.join(SCHEMAS);
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&schemas)?;
        let Some(folder) = Home::open_cache(&self.cache, &self.root) else { return Ok(false) };
        for (name, bytes) in files {
            let path = schema_path(name).ok_or(io::ErrorKind::InvalidInput)?;
            let temporary = format!("{}.{:016x}.tmp", path.file_name(), folder.nonce()?);
            let temporary = crate::commit::beside(&path, &temporary);
            let written = folder
                .create(&temporary, bytes, &Attributes::Exact { mode: 0o600 })
                .and_then(|()| folder.rename(&temporary, &path));
            if written.is_err() {
                let _ = folder.remove_file(&temporary);
            }
            written?;
        }
        // What cannot be removed only takes room.
        let _ = shrink_schemas(&folder);
        Ok(true)
    }
}

const SCHEMAS: &str = "schemas";

fn schema_path(name: &str) -> Option<RelPath> {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || it == b'-';
    let is_name = (1..=80).contains(&name.len()) && name.bytes().all(is_plain);
    RelPath::parse(&format!("{SCHEMAS}/{name}.json")).ok().filter(|_| is_name)
}

/// Removes the oldest schemas until the rest is within bounds.
fn shrink_schemas(folder: &OsFs) -> io::Result<()> {
    let Ok(schemas) = RelPath::parse(SCHEMAS) else { return Ok(()) };
    let mut files = Vec::new();
    for (name, kind) in folder.list(Some(&schemas))? {
        let Ok(path) = schemas.join(&name) else { continue };
        if kind == EntryKind::File
            && let Some(stat) = folder.stat(&path)?
        {
            files.push((stat.identity.modified, path, stat.identity.size));
        }
    }
    files.sort();
    let (mut n_files, mut n_bytes) = (0, 0u64);
    for (_, path, size) in files.into_iter().rev() {
        n_files += 1;
        n_bytes = n_bytes.saturating_add(size);
        if n_files > MAX_SCHEMA_FILES || n_bytes > MAX_SCHEMA_BYTES {
            folder.remove_file(&path)?;
        }
    }
    Ok(())
}

/// Removes the oldest caches until the rest is within bounds, and what writers that were interrupted left behind.
fn shrink(folder: &OsFs, newest: &RelPath) -> io::Result<()> {
    let mut files = Vec::new();
    for (name, kind) in folder.list(None)? {
        let Ok(path) = RelPath::parse(&name) else { continue };
        if kind == EntryKind::File
            && path != *newest
            && let Some(stat) = folder.stat(&path)?
        {
            files.push((stat.identity.modified, path, stat.identity.size));
        }
    }
    files.sort();
    let (mut n_files, mut n_bytes) = (1, folder.stat(newest)?.map_or(0, |it| it.identity.size));
    for (_, path, size) in files.into_iter().rev() {
        n_files += 1;
        n_bytes = n_bytes.saturating_add(size);
        if n_files > MAX_FOLDER_FILES || n_bytes > MAX_FOLDER_BYTES {
            folder.remove_file(&path)?;
        }
    }
    Ok(())
}

/// Which program this is; `None` if that cannot be found out. Another build of it is another program, and so is a copy.
pub fn program_identity() -> Option<FileIdentity> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    let name = RelPath::parse(program.file_name()?.to_str()?).ok()?;
    let folder = OsFs::open(program.parent().unwrap_or(Path::new("/"))).ok()?;
    let stat = folder.stat(&name).ok()??;
    (stat.kind == EntryKind::File).then_some(stat.identity)
}
