//! What can be found out again and is kept to save time: files in `.regreen/cache`, which may be deleted at any time.
//!
//! Nothing here is part of a transaction or waits for stable storage; who reads a cache must be able to tell that its
//! bytes are whole.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use snapshot::RelPath;

use crate::fs::{Attributes, Fs, Identity, Kind};
use crate::os_fs::OsFs;
use crate::{Access, Workspace, journal};

/// Larger caches are neither read nor written.
pub const MAX_CACHE_BYTES: u64 = 64 * 1024 * 1024;

const FOLDER: &str = ".regreen/cache";
const TEMPORARY: &str = ".tmp-";

impl Workspace {
    /// The bytes of a cache; `None` if there is none that can be read.
    pub fn read_cache(&self, name: &str) -> Option<Vec<u8>> {
        let path = path_of(name).ok()?;
        self.fs.read(&path, MAX_CACHE_BYTES).ok().map(|(bytes, _)| bytes)
    }

    /// Replaces a cache, and says whether it did: not with [`Access::ReadOnly`], not where regreen has left no
    /// trace so far, and not with too many bytes.
    pub fn write_cache(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        let path = path_of(name)?;
        let is_small = u64::try_from(bytes.len()).is_ok_and(|it| it <= MAX_CACHE_BYTES);
        if self.options.access == Access::ReadOnly || !is_small {
            return Ok(false);
        }
        if !is_directory(&*self.fs, &journal::store_path())? {
            return Ok(false);
        }
        make_folder(&*self.fs)?;
        // Another thread or process may be writing the same cache.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let n = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = path_of(&format!("{name}{TEMPORARY}{}-{n}", std::process::id()))?;
        remove_leftovers(&*self.fs, &format!("{name}{TEMPORARY}"))?;
        let written = self
            .fs
            .create(&temporary, bytes, &Attributes::Exact { mode: 0o600 })
            .and_then(|()| self.fs.rename(&temporary, &path));
        if written.is_err() {
            // It may not even be there.
            let _ = self.fs.remove_file(&temporary);
        }
        written.map(|()| true)
    }
}

/// Which program this is; `None` if that cannot be found out. Another build of it is another program, and so is a copy.
pub fn program_identity() -> Option<Identity> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    let name = RelPath::parse(program.file_name()?.to_str()?).ok()?;
    let folder = OsFs::open(program.parent().unwrap_or(Path::new("/"))).ok()?;
    let stat = folder.stat(&name).ok()??;
    (stat.kind == Kind::File).then_some(stat.identity)
}

fn path_of(name: &str) -> io::Result<RelPath> {
    let path = RelPath::parse(&format!("{FOLDER}/{name}")).ok();
    let path = path.filter(|it| it.file_name() == name);
    path.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of a cache"))
}

fn is_directory(fs: &dyn Fs, path: &RelPath) -> io::Result<bool> {
    Ok(fs.stat(path)?.is_some_and(|it| it.kind == Kind::Directory))
}

/// The values in a cache are from the user's files, so nobody else may read it.
fn make_folder(fs: &dyn Fs) -> io::Result<()> {
    let folder = RelPath::parse(FOLDER).expect("the constant is a path");
    if is_directory(fs, &folder)? {
        return Ok(());
    }
    match fs.create_directory(&folder, 0o700) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    // The store's own list may be missing, or older than caches are.
    let ignore = path_of(".gitignore")?;
    match fs.create(&ignore, b"*\n", &Attributes::New { mode: 0o644 }) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Removes what writers that were interrupted left behind. One that is still at work then fails, and its cache is not
/// written, which is all that happens.
fn remove_leftovers(fs: &dyn Fs, prefix: &str) -> io::Result<()> {
    let folder = RelPath::parse(FOLDER).expect("the constant is a path");
    for (name, _) in fs.list(Some(&folder))? {
        if name.starts_with(prefix) {
            // Its writer may have been faster.
            let _ = fs.remove_file(&path_of(&name)?);
        }
    }
    Ok(())
}
