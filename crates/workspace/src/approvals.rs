//! Approvals: small files under `.regreen/approvals`, which are meant to be committed. Each is replaced as a whole, so
//! that a reader finds the old one or the new one.

use snapshot::{PathError, RelPath};

use crate::fs::Attributes;
use crate::step::{StepError, step};
use crate::{CommitError, Workspace, commit, journal, make_directory};

/// The most bytes of an approval; what is larger is none.
const MAX_BYTES: u64 = 1024 * 1024;

impl Workspace {
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
        let (_lock, state) = self.begin_writing()?;
        let ctx = self.ctx(&*state);
        let path = approval_path(name).map_err(|error| StepError {
            action: "write",
            path: None,
            source: std::io::Error::new(std::io::ErrorKind::InvalidInput, error),
        })?;
        let folder = path.parent().expect("an approval lies in a folder");
        make_directory(&ctx, &journal::shared_folder(), 0o755)?;
        make_directory(&ctx, &folder, 0o755)?;
        let nonce = step("choose a name beside", &path, self.fs.nonce())?;
        let temporary = commit::beside(&path, &format!(".{name}.{nonce:016x}"));
        let attributes = Attributes::Exact { mode: 0o644 };
        let written = step("write", &temporary, self.fs.create(&temporary, bytes, &attributes))
            .and_then(|()| ctx.sync_files(std::slice::from_ref(&temporary)))
            .and_then(|()| step("write", &path, self.fs.rename(&temporary, &path)));
        if written.is_err() {
            // The first error is the one to tell; the file may not even be there.
            let _ = self.fs.remove_file(&temporary);
        }
        written?;
        ctx.sync_directories(&[Some(folder), Some(journal::shared_folder())])?;
        Ok(path)
    }
}

/// Where the approval of that name is.
pub fn approval_path(name: &str) -> Result<RelPath, PathError> {
    let folder = journal::shared_folder().join("approvals").expect("a fixed name is a segment");
    if name.contains('/') {
        return Err(PathError::Absolute { path: name.to_owned() });
    }
    folder.join(&format!("{name}.json"))
}

#[cfg(test)]
mod tests {
    use crate::{Access, Home, Options, Workspace};

    fn open(directory: &std::path::Path, access: Access) -> Workspace {
        let root = directory.join("root");
        std::fs::create_dir_all(&root).unwrap();
        let home = Home { state: Some(directory.join("state")), cache: None };
        Workspace::open(&root, Some(&home), Options::new(access)).unwrap()
    }

    #[test]
    fn an_approval_is_replaced_as_a_whole_and_never_leaves_its_folder() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = open(directory.path(), Access::ReadWrite);
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
        let names = |folder: &str| -> Vec<_> {
            let entries = std::fs::read_dir(directory.path().join(folder)).unwrap();
            entries.map(|it| it.unwrap().file_name()).collect()
        };
        assert_eq!(names("root/.regreen"), ["approvals"]);
        assert_eq!(names("root/.regreen/approvals"), ["DDS-1.json"]);
    }

    #[test]
    fn nothing_is_written_where_nothing_may_be() {
        let directory = tempfile::tempdir().unwrap();
        let workspace = open(directory.path(), Access::ReadOnly);
        assert!(workspace.write_approval("DDS-1", b"{}").is_err());
        assert!(workspace.state_folder().is_err());
        assert!(!directory.path().join("root/.regreen").exists());
        assert!(!directory.path().join("state").exists());
    }
}
