//! The index of git: versions 2, 3 and 4 of its format (`gitformat-index(5)`), with SHA-1 or SHA-256 names of objects.
//! Which folders it tracks files in, and, in `patch.rs`, single entries and how they are exchanged.
//!
//! Pure: bytes in, bytes out. An index that is damaged, that is split into two files, or that has something in it which a
//! reader must understand and we do not, gives no answer: what is not known to be untracked is treated as tracked.

pub(crate) mod patch;
mod sha1;

use std::collections::BTreeSet;

/// Longer names are not from git, which cannot check them out.
const MAX_NAME: usize = 4096;
/// How many bytes of names are kept; a compressed index can say very much in few bytes.
const MAX_KEPT: usize = 64 << 20;
/// The fields before the name of the object: times, device, inode, mode, owner, group, size.
const STAT_LEN: usize = 40;
const EXTENDED: u16 = 0x4000;

/// The folders that have tracked files in or below them, relative to the top of the work tree; `None` if the index cannot be
/// understood.
pub(crate) fn tracked_folders(index: &[u8]) -> Option<BTreeSet<Vec<u8>>> {
    [20, 32].into_iter().find_map(|hash_len| read(index, hash_len))
}

fn read(index: &[u8], hash_len: usize) -> Option<BTreeSet<Vec<u8>>> {
    let mut folders = Folders::default();
    walk(index, hash_len, |_, name| folders.add(name))?;
    Some(folders.found)
}

/// Where things are in one entry.
struct Entry {
    /// Where it starts.
    start: usize,
    flags: u16,
}

/// Visits every entry, and returns the extensions: where each starts and its signature.
fn walk(
    index: &[u8],
    hash_len: usize,
    mut visit: impl FnMut(&Entry, &[u8]) -> Option<()>,
) -> Option<Vec<(usize, [u8; 4])>> {
    let body = index.get(..index.len().checked_sub(hash_len)?)?;
    let mut rest = Rest(body);
    if rest.take(4)? != b"DIRC" {
        return None;
    }
    let version = rest.u32()?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let n_entries = rest.u32()?;
    let mut name = Vec::new();
    for _ in 0..n_entries {
        let start = body.len() - rest.0.len();
        let flags = entry(&mut rest, version, hash_len, &mut name)?;
        visit(&Entry { start, flags }, &name)?;
    }
    extensions(rest, body.len())
}

/// Reads one entry and returns its flags; `name` has the name of the one before and gets its own.
fn entry(rest: &mut Rest<'_>, version: u32, hash_len: usize, name: &mut Vec<u8>) -> Option<u16> {
    let start = rest.0.len();
    rest.take(STAT_LEN + hash_len)?;
    let flags = rest.u16()?;
    if flags & EXTENDED != 0 {
        if version < 3 {
            return None;
        }
        rest.u16()?;
    }
    if version == 4 {
        let kept = name.len().checked_sub(rest.offset()?)?;
        name.truncate(kept);
        name.extend_from_slice(rest.until_nul()?);
    } else {
        name.clear();
        name.extend_from_slice(rest.until_nul()?);
        // At least one NUL, which is read already, up to a multiple of eight bytes.
        let padding = (8 - (start - rest.0.len()) % 8) % 8;
        if rest.take(padding)?.iter().any(|it| *it != 0) {
            return None;
        }
    }
    let is_named = !name.is_empty() && name.len() <= MAX_NAME && name.first() != Some(&b'/');
    is_named.then_some(flags)
}

/// The extensions that follow the entries, if they may all be passed over.
fn extensions(mut rest: Rest<'_>, end: usize) -> Option<Vec<(usize, [u8; 4])>> {
    let mut found = Vec::new();
    while !rest.0.is_empty() {
        let start = end - rest.0.len();
        let signature: [u8; 4] = rest.take(4)?.try_into().ok()?;
        let len = usize::try_from(rest.u32()?).ok()?;
        rest.take(len)?;
        // An upper case letter means that a reader may do without. `sdir` says that whole folders may be entries, which is
        // fine; `link` says that the other entries are in another file.
        if !signature[0].is_ascii_uppercase() && &signature != b"sdir" {
            return None;
        }
        found.push((start, signature));
    }
    Some(found)
}

#[derive(Default)]
struct Folders {
    found: BTreeSet<Vec<u8>>,
    /// The folder of the entry before: most have the same.
    last: Vec<u8>,
    n_bytes: usize,
}

impl Folders {
    fn add(&mut self, name: &[u8]) -> Option<()> {
        // An entry that ends with a slash is a folder which is not checked out in full.
        let folder = name.iter().rposition(|it| *it == b'/').map_or(&name[..0], |end| &name[..end]);
        if folder == self.last {
            return Some(());
        }
        self.last.clear();
        self.last.extend_from_slice(folder);
        let mut folder = folder;
        while !folder.is_empty() && !self.found.contains(folder) {
            self.n_bytes += folder.len();
            if self.n_bytes > MAX_KEPT {
                return None;
            }
            self.found.insert(folder.to_vec());
            let end = folder.iter().rposition(|it| *it == b'/').unwrap_or_default();
            folder = &folder[..end];
        }
        Some(())
    }
}

/// What is not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn until_nul(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().take(MAX_NAME + 1).position(|it| *it == 0)?;
        let found = self.take(end)?;
        self.take(1)?;
        Some(found)
    }

    /// A number in git's "offset encoding": seven bits a byte, and one more for every byte that follows.
    fn offset(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        loop {
            let byte = self.take(1)?[0];
            value = value.checked_shl(7)?.checked_add(usize::from(byte & 0x7f))?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value = value.checked_add(1)?;
            if value > MAX_NAME {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    #[track_caller]
    fn git(folder: &Path, line: &str) {
        let mut command = Command::new("git");
        command.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", folder);
        let output = command.args(line.split(' ')).output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A repository with files in several folders, some of whose names share a beginning, and one that is long.
    fn repository(init: &str) -> tempfile::TempDir {
        let temp = tempfile::tempdir().unwrap();
        git(temp.path(), init);
        let long = format!("long/{}/file", "x".repeat(200));
        for path in ["a", "d/one", "d/two", "d/e/f/g", "de/x", "node_modules/p/i.js", &long] {
            let path = temp.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        git(temp.path(), "add .");
        fs::create_dir(temp.path().join("new")).unwrap();
        fs::write(temp.path().join("new/file"), "text").unwrap();
        temp
    }

    fn folders(temp: &tempfile::TempDir) -> Option<Vec<String>> {
        let found = tracked_folders(&fs::read(temp.path().join(".git/index")).unwrap())?;
        Some(found.into_iter().map(|it| String::from_utf8(it).unwrap()).collect())
    }

    fn expected(new: &[&str]) -> Vec<String> {
        let long = format!("long/{}", "x".repeat(200));
        let names = ["d", "d/e", "d/e/f", "de", "long", &long, "node_modules", "node_modules/p"];
        let mut names: Vec<String> = names.iter().chain(new).map(|it| (*it).to_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn every_version_that_git_writes_is_read() {
        for version in [2, 4] {
            let temp = repository("init -q");
            git(temp.path(), &format!("update-index --index-version {version}"));
            assert_eq!(folders(&temp), Some(expected(&[])), "version {version}");
            // What is to be added later makes a version 2 a version 3.
            git(temp.path(), "add -N new/file");
            let bytes = fs::read(temp.path().join(".git/index")).unwrap();
            assert_eq!(bytes[7], version.max(3));
            assert_eq!(folders(&temp), Some(expected(&["new"])), "version {version}");
        }
    }

    #[test]
    fn other_names_of_objects_are_read() {
        let temp = repository("init -q --object-format=sha256");
        assert_eq!(folders(&temp), Some(expected(&[])));
        git(temp.path(), "update-index --index-version 4");
        assert_eq!(folders(&temp), Some(expected(&[])));
    }

    #[test]
    fn a_split_index_gives_no_answer() {
        let temp = repository("init -q");
        git(temp.path(), "update-index --split-index");
        assert_eq!(folders(&temp), None);
    }

    /// Cut anywhere, or with any byte changed, it is an answer or none, and never a panic.
    #[test]
    fn a_damaged_index_gives_no_answer() {
        for version in [2, 4] {
            let temp = repository("init -q");
            git(temp.path(), &format!("update-index --index-version {version}"));
            let bytes = fs::read(temp.path().join(".git/index")).unwrap();
            for end in 0..bytes.len() {
                assert_eq!(tracked_folders(&bytes[..end]), None, "{end} of {}", bytes.len());
            }
            for at in 0..bytes.len() {
                for change in [1, 0x80, 0xff] {
                    let mut bytes = bytes.clone();
                    bytes[at] ^= change;
                    let _ = tracked_folders(&bytes);
                }
            }
        }
        assert_eq!(tracked_folders(b""), None);
        assert_eq!(tracked_folders(&[b'x'; 100]), None);
        let many = [b"DIRC".as_slice(), &[0, 0, 0, 2], &[0xff; 4], &[0; 200]].concat();
        assert_eq!(tracked_folders(&many), None);
    }
}
