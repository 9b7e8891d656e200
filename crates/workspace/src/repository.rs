//! The git repository that a root lies in, as far as regreen needs to know it: where its top is, whether its git directory
//! is one that only its owner can have filled, and which repository a linked worktree belongs to.
//!
//! Everything here is read as a stranger's: a tarball can bring a `.git` of any kind.

use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// More than any path that git writes into such a file.
const MAX_POINTER: u64 = 16 * 1024;

/// The repository around a root.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Repository {
    /// The folder that holds `.git`, without links.
    pub(crate) top: PathBuf,
    git: GitEntry,
}

/// What `.git` is.
#[derive(Clone, PartialEq, Eq, Debug)]
enum GitEntry {
    /// A folder, and whether it is this user's own.
    Folder { is_own: bool },
    /// A file that leads to the git directory of a linked worktree, which leads back; the common directory.
    Worktree { common: PathBuf },
    /// A link, a file of a submodule, or what nobody knows.
    Other,
}

impl Repository {
    /// The nearest one at or above the root; the root has no links in it.
    pub(crate) fn around(root: &Path) -> Option<Repository> {
        let is_there = |it: &&Path| it.join(".git").symlink_metadata().is_ok();
        let top = root.ancestors().find(is_there)?;
        Some(Repository { top: top.to_owned(), git: look_at(top) })
    }

    /// The git directory, if it is a real folder in the top that belongs to this user.
    pub(crate) fn own_git_directory(&self) -> Option<PathBuf> {
        (self.git == GitEntry::Folder { is_own: true }).then(|| self.top.join(".git"))
    }

    /// The folder that the index of this work tree is in: the git directory, that of a linked worktree, or that of a
    /// submodule, which lies in the repository around it.
    pub(crate) fn index_directory(&self) -> Option<PathBuf> {
        match &self.git {
            GitEntry::Folder { .. } => Some(self.top.join(".git")),
            GitEntry::Worktree { .. } => pointed_to(&self.top),
            GitEntry::Other => {
                let folder = pointed_to(&self.top)?;
                let mut above = self.top.ancestors().skip(1);
                above.any(|it| folder.starts_with(it.join(".git/modules"))).then_some(folder)
            }
        }
    }

    /// The folder that all worktrees of the repository share, if it is known for certain.
    pub(crate) fn common_directory(&self) -> Option<PathBuf> {
        match &self.git {
            GitEntry::Folder { .. } => Some(self.top.join(".git")),
            GitEntry::Worktree { common } => Some(common.clone()),
            GitEntry::Other => None,
        }
    }
}

fn look_at(top: &Path) -> GitEntry {
    let git = top.join(".git");
    let Ok(metadata) = git.symlink_metadata() else { return GitEntry::Other };
    if metadata.is_dir() {
        let is_own = metadata.uid() == rustix::process::geteuid().as_raw();
        return GitEntry::Folder { is_own };
    }
    match metadata.is_file().then(|| worktree(top, &git)).flatten() {
        Some(common) => GitEntry::Worktree { common },
        None => GitEntry::Other,
    }
}

/// The common directory of a linked worktree. Both sides must name one another: a `.git` file that anybody can write
/// does not make a folder part of a repository that knows nothing of it.
fn worktree(top: &Path, git: &Path) -> Option<PathBuf> {
    let own = pointed_to(top)?;
    let back = own.join(read_line(&own.join("gitdir"))?).canonicalize().ok()?;
    if back != git.canonicalize().ok()? {
        return None;
    }
    let common = own.join(read_line(&own.join("commondir"))?).canonicalize().ok()?;
    let is_listed = own.parent() == Some(common.join("worktrees").as_path());
    (is_listed && common.is_dir()).then_some(common)
}

/// Where the file `.git` leads to.
fn pointed_to(top: &Path) -> Option<PathBuf> {
    let git = top.join(".git");
    let line = git.symlink_metadata().ok()?.is_file().then(|| read_line(&git)).flatten()?;
    top.join(line.strip_prefix("gitdir:")?.trim_start()).canonicalize().ok()
}

/// The only line of a small file.
fn read_line(path: &Path) -> Option<String> {
    let file = fs::File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(MAX_POINTER).read_to_string(&mut text).ok()?;
    Some(text.trim_end_matches(['\n', '\r']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    struct Folders(tempfile::TempDir);

    impl Folders {
        fn new() -> Folders {
            Folders(tempfile::tempdir().unwrap())
        }
        fn path(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(path)
        }
        fn folder(&self, path: &str) -> PathBuf {
            fs::create_dir_all(self.path(path)).unwrap();
            self.path(path)
        }
        fn write(&self, path: &str, text: &str) {
            fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
            fs::write(self.path(path), text).unwrap();
        }
        /// What `git worktree add ../tree` leaves.
        fn worktree(&self) {
            self.folder("main/.git/worktrees/tree");
            let gitdir = format!("gitdir: {}\n", self.path("main/.git/worktrees/tree").display());
            self.write("tree/.git", &gitdir);
            let back = format!("{}\n", self.path("tree/.git").display());
            self.write("main/.git/worktrees/tree/gitdir", &back);
            self.write("main/.git/worktrees/tree/commondir", "../..\n");
        }
    }

    #[test]
    fn a_worktree_belongs_to_the_repository_that_names_it_back() {
        let folders = Folders::new();
        folders.worktree();
        let tree = folders.folder("tree/sub");
        let found = Repository::around(&tree).unwrap();
        assert_eq!(found.top, folders.path("tree"));
        assert_eq!(found.common_directory(), Some(folders.path("main/.git")));
        assert_eq!(found.own_git_directory(), None);
        let main = Repository::around(&folders.path("main")).unwrap();
        assert_eq!(main.common_directory(), found.common_directory());
        assert_eq!(main.own_git_directory(), Some(folders.path("main/.git")));
    }

    #[test]
    fn a_folder_that_claims_a_repository_is_not_part_of_it() {
        let folders = Folders::new();
        folders.worktree();
        let claims = [
            format!("gitdir: {}\n", folders.path("main/.git").display()),
            format!("gitdir: {}\n", folders.path("main/.git/worktrees/tree").display()),
            "gitdir: ../main/.git/worktrees/tree\n".to_owned(),
            "gitdir: \n".to_owned(),
            "gitdir: /proc/self/fd/0\n".to_owned(),
            String::new(),
        ];
        for claim in claims {
            folders.write("hostile/.git", &claim);
            let found = Repository::around(&folders.path("hostile")).unwrap();
            assert_eq!(found.common_directory(), None, "{claim}");
            assert_eq!(found.own_git_directory(), None, "{claim}");
        }
        folders.folder("linked");
        symlink(folders.path("main/.git"), folders.path("linked/.git")).unwrap();
        let found = Repository::around(&folders.path("linked")).unwrap();
        assert_eq!((found.common_directory(), found.own_git_directory()), (None, None));
        assert_eq!(
            Repository::around(&folders.folder("none")).is_some(),
            Path::new("/.git").exists()
        );
    }
}
