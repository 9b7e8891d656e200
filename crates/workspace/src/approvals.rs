//! Approvals: small files under `.regreen/approvals`, which are meant to be committed. Each is replaced as a whole, so
//! that a reader finds the old one or the new one.

use snapshot::{PathError, RelPath};

use crate::fs::Attributes;
use crate::step::{StepError, step};
use crate::{CommitError, Workspace, journal, make_directory};

/// The most bytes of an approval; what is larger is none.
const MAX_BYTES: u64 = 1024 * 1024;

impl Workspace {
    /// Makes the store if it is not there.
    pub fn make_store(&self) -> Result<(), CommitError> {
        self.check_access()?;
        self.begin_writing(&self.ctx()).map(drop)
    }

    /// The approval of that name; `None` if there is none.
    pub fn read_approval(&self, name: &str) -> Result<Option<Vec<u8>>, StepError> {
        let Ok(path) = approval_path(name) else { return Ok(None) };
        if step("look at", &path, self.fs.stat(&path))?.is_none() {
            return Ok(None);
        }
        Ok(Some(step("read", &path, self.fs.read(&path, MAX_BYTES))?.0))
    }

    /// Replaces the approval of that name, which is one segment of a path, and says where it is.
    pub fn write_approval(&self, name: &str, bytes: &[u8]) -> Result<RelPath, CommitError> {
        self.check_access()?;
        let ctx = self.ctx();
        let _lock = self.begin_writing(&ctx)?;
        let path = approval_path(name).map_err(|error| StepError {
            action: "write",
            path: None,
            source: std::io::Error::new(std::io::ErrorKind::InvalidInput, error),
        })?;
        let folder = path.parent().expect("an approval lies in a folder");
        make_directory(&ctx, &folder, 0o755)?;
        let temporary =
            journal::store_path().join("approval.tmp").expect("a fixed name is a segment");
        // Only a crash leaves one behind, and nobody else is here.
        if step("look at", &temporary, self.fs.stat(&temporary))?.is_some() {
            step("remove", &temporary, self.fs.remove_file(&temporary))?;
        }
        let attributes = Attributes::Exact { mode: 0o644 };
        step("write", &temporary, self.fs.create(&temporary, bytes, &attributes))?;
        ctx.sync_files(std::slice::from_ref(&temporary))?;
        step("write", &path, self.fs.rename(&temporary, &path))?;
        ctx.sync_directories(&[Some(folder), Some(journal::store_path())])?;
        Ok(path)
    }
}

/// Where the approval of that name is.
pub fn approval_path(name: &str) -> Result<RelPath, PathError> {
    let folder = journal::store_path().join("approvals").expect("a fixed name is a segment");
    if name.contains('/') {
        return Err(PathError::Absolute { path: name.to_owned() });
    }
    folder.join(&format!("{name}.json"))
}

#[cfg(test)]
mod tests {
    use crate::{Access, Options, Workspace};

    #[test]
    fn an_approval_is_replaced_as_a_whole_and_never_leaves_its_folder() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), Options::new(Access::ReadWrite)).unwrap();
        assert_eq!(workspace.read_approval("DDS-1").unwrap(), None);
        for text in ["{}", "{\"a\": 1}"] {
            let path = workspace.write_approval("DDS-1", text.as_bytes()).unwrap();
            assert_eq!(path.as_str(), ".regreen/approvals/DDS-1.json");
            assert_eq!(workspace.read_approval("DDS-1").unwrap().unwrap(), text.as_bytes());
        }
        for name in ["../x", "a/b", "/etc/x", "a\\b", "a\0"] {
            assert!(workspace.write_approval(name, b"{}").is_err(), "{name}");
            assert_eq!(workspace.read_approval(name).unwrap(), None);
        }
        let mut names: Vec<_> = std::fs::read_dir(directory.path().join(".regreen"))
            .unwrap()
            .map(|it| it.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, [".gitignore", "approvals", "lock", "txn"]);
    }

    #[test]
    fn nothing_is_written_where_nothing_may_be() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), Options::new(Access::ReadOnly)).unwrap();
        assert!(workspace.write_approval("DDS-1", b"{}").is_err());
        assert!(workspace.make_store().is_err());
        assert!(!directory.path().join(".regreen").exists());
    }
}
