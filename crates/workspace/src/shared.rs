//! What travels by git: small files under `.regreen` that are meant to be committed. Each is replaced as a whole, so that a
//! reader finds the old one or the new one; and a `.gitignore` beside them lets them through, whatever one above says.
//!
//! They come with a clone, so they are what a stranger wrote: no link is followed on the way to one, and none is larger
//! than [`MAX_BYTES`].

use std::io;

use snapshot::{PathError, RelPath};

use crate::fs::{Attributes, EntryKind};
use crate::step::{Ctx, StepError, step};
use crate::{CommitError, Workspace, commit, journal, make_directory};

/// The most bytes of such a file; what is larger is none.
const MAX_BYTES: u64 = 96 * 1024 * 1024;
/// The folders below `.regreen` that travel.
const FOLDERS: [&str; 4] = ["approvals", "comments", "proposals", "receipts"];
/// What git takes of `.regreen`, and nothing else: an older regreen kept its state there.
const GITIGNORE: &str = "# What regreen shares is committed, whatever a .gitignore above says.\n\
    /*\n!/.gitignore\n!/allowed_signers\n!/files.json\n!/repository.json\n\
    !/approvals/\n!/approvals/**\n!/comments/\n!/comments/**\n!/proposals/\n!/proposals/**\n!/receipts/\n!/receipts/**\n";

/// Where the file of that name is: the name of a folder that travels, then one or two segments.
pub fn shared_path(name: &str) -> Result<RelPath, PathError> {
    let path = RelPath::parse(&format!("{}/{name}", journal::shared_folder()))?;
    match path.segments().count() {
        2..=4 if FOLDERS.iter().any(|it| name.split('/').next() == Some(it)) => Ok(path),
        _ => Err(PathError::Absolute { path: name.to_owned() }),
    }
}

impl Workspace {
    /// The file of that name; `None` if there is none.
    pub fn read_shared(&self, name: &str) -> Result<Option<Vec<u8>>, StepError> {
        let Ok(path) = shared_path(name) else { return Ok(None) };
        match step("stat", &path, self.fs.stat(&path))?.map(|it| it.kind) {
            Some(EntryKind::File) => {
                Ok(Some(step("read", &path, self.fs.read(&path, MAX_BYTES))?.0))
            }
            _ => Ok(None),
        }
    }

    /// Whether there is a folder of those that travel.
    pub fn has_shared(&self) -> bool {
        FOLDERS.iter().any(|it| {
            let path = shared_path(it).ok();
            path.is_some_and(|path| matches!(self.fs.stat(&path), Ok(Some(_))))
        })
    }

    /// The names in that folder of those that travel, sorted; those of folders end with `/`. Temporary files are left out.
    pub fn list_shared(&self, folder: &str) -> Result<Vec<String>, StepError> {
        let Ok(path) = shared_path(folder) else { return Ok(Vec::new()) };
        if step("stat", &path, self.fs.stat(&path))?.map(|it| it.kind) != Some(EntryKind::Directory)
        {
            return Ok(Vec::new());
        }
        let entries = step("list", &path, self.fs.list(Some(&path)))?;
        let names = entries.into_iter().filter_map(|(name, kind)| match kind {
            _ if name.starts_with('.') => None,
            EntryKind::File => Some(name),
            EntryKind::Directory => Some(name + "/"),
            _ => None,
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(names)
    }

    /// Replaces the file of that name, and says where it is.
    pub fn write_shared(&self, name: &str, bytes: &[u8]) -> Result<RelPath, CommitError> {
        self.check_access()?;
        let (_lock, state) = self.begin_writing()?;
        let ctx = self.ctx(&*state);
        let path = shared_path(name).map_err(|error| StepError {
            action: "write",
            path: None,
            source: io::Error::new(io::ErrorKind::InvalidInput, error),
        })?;
        let mut folders: Vec<RelPath> = path.ancestors().collect();
        folders.reverse();
        for folder in &folders {
            make_directory(&ctx, folder, 0o755)?;
        }
        self.let_through(&ctx)?;
        self.place_shared(&ctx, &path, bytes)?;
        let synced: Vec<Option<RelPath>> = folders.into_iter().map(Some).collect();
        ctx.sync_directories(&synced)?;
        Ok(path)
    }

    /// Removes the file of that name, if it is there.
    pub fn remove_shared(&self, name: &str) -> Result<(), CommitError> {
        self.check_access()?;
        let Ok(path) = shared_path(name) else { return Ok(()) };
        let (_lock, _state) = self.begin_writing()?;
        match self.fs.remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => Ok(step("remove", &path, removed)?),
        }
    }

    /// Makes the `.gitignore`, unless there is one: what people wrote there stays.
    fn let_through(&self, ctx: &Ctx<'_>) -> Result<(), StepError> {
        let path = journal::shared_folder().join(".gitignore").expect("a fixed name is a segment");
        if step("stat", &path, self.fs.stat(&path))?.is_some() {
            return Ok(());
        }
        self.place_shared(ctx, &path, GITIGNORE.as_bytes())
    }

    fn place_shared(&self, ctx: &Ctx<'_>, path: &RelPath, bytes: &[u8]) -> Result<(), StepError> {
        let nonce = step("choose a name beside", path, self.fs.nonce())?;
        let temporary = commit::beside(path, &format!(".{nonce:016x}"));
        let attributes = Attributes::Exact { mode: 0o644 };
        let written = step("write", &temporary, self.fs.create(&temporary, bytes, &attributes))
            .and_then(|()| ctx.sync_files(std::slice::from_ref(&temporary)))
            .and_then(|()| step("write", path, self.fs.rename(&temporary, path)));
        if written.is_err() {
            // The first error is the one to tell; the file may not even be there.
            let _ = self.fs.remove_file(&temporary);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use crate::{Home, OpenMode, Options, Workspace};

    fn open(directory: &std::path::Path, access: OpenMode) -> Workspace {
        let root = directory.join("root");
        std::fs::create_dir_all(&root).unwrap();
        let home = Home { state: Some(directory.join("state")), cache: None };
        Workspace::open(&root, Some(&home), Options::new(access)).unwrap()
    }

    ///
    #[test]
    fn a_file_is_replaced_as_a_whole_and_never_leaves_its_folder() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = open(directory.path(), OpenMode::ReadWrite);
        let name = "approvals/DDS-1/ana.json";
        assert_eq!(workspace.read_shared(name).unwrap(), None);
        for text in ["{}", "{\"a\": 1}"] {
            let path = workspace.write_shared(name, text.as_bytes()).unwrap();
            assert_eq!(path.as_str(), ".regreen/approvals/DDS-1/ana.json");
            assert_eq!(workspace.read_shared(name).unwrap().unwrap(), text.as_bytes());
        }
        for name in [
            "approvals/../x",
            "/etc/x",
            "a\0",
            "files.json",
            "repository.json",
            "approvals/a/b/c",
            "approvals/a\\b",
            "../src/x",
            "",
        ] {
            assert!(workspace.write_shared(name, b"{}").is_err(), "{name}");
            assert_eq!(workspace.read_shared(name).unwrap(), None);
        }
        let names = |folder: &str| -> Vec<_> {
            let entries = std::fs::read_dir(directory.path().join(folder)).unwrap();
            let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names("root/.regreen"), [".gitignore", "approvals"]);
        assert_eq!(names("root/.regreen/approvals/DDS-1"), ["ana.json"]);
        assert_eq!(workspace.list_shared("approvals").unwrap(), ["DDS-1/"]);
        assert_eq!(workspace.list_shared("approvals/DDS-1").unwrap(), ["ana.json"]);
        // A folder that is a link leads nowhere.
        std::os::unix::fs::symlink("/", directory.path().join("root/.regreen/comments")).unwrap();
        assert!(workspace.list_shared("comments").unwrap().is_empty());
        assert!(workspace.write_shared("comments/x.json", b"{}").is_err());
        assert!(!matches!(workspace.read_shared("comments/etc"), Ok(Some(_))));
        workspace.remove_shared(name).unwrap();
        workspace.remove_shared(name).unwrap();
        assert_eq!(workspace.read_shared(name).unwrap(), None);
    }

    #[test]
    fn nothing_is_written_where_nothing_may_be() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = open(directory.path(), OpenMode::ReadOnly);
        assert!(workspace.write_shared("approvals/DDS-1/ana.json", b"{}").is_err());
        assert!(workspace.remove_shared("approvals/DDS-1/ana.json").is_err());
        assert!(workspace.state_folder().is_err());
        assert!(!directory.path().join("root/.regreen").exists());
        assert!(!directory.path().join("state").exists());
    }
}
