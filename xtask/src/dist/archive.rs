//! Archives whose bytes depend on their entries and on nothing else: tar (ustar), gzip and ar. Entries are sorted, belong
//! to root and carry one time, so that two builds of one commit give one archive.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The files of an archive, by path. Folders are added where they are written down.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArchiveTree {
    files: BTreeMap<String, File>,
}

#[derive(Clone, Debug)]
struct File {
    mode: u32,
    contents: Vec<u8>,
}

impl ArchiveTree {
    /// Adds a file that everybody may read.
    pub(crate) fn add(&mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), File { mode: 0o644, contents: contents.into() });
    }

    /// Adds a file that everybody may run.
    pub(crate) fn add_program(&mut self, path: impl Into<String>, contents: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), File { mode: 0o755, contents: contents.into() });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, file)| (path.as_str(), file.contents.as_slice()))
    }

    /// The folders that the files lie in, outermost first.
    fn folders(&self) -> Vec<&str> {
        let mut folders: Vec<&str> = self
            .files
            .keys()
            .flat_map(|path| path.match_indices('/').map(|(end, _)| &path[..=end]))
            .filter(|folder| *folder != "./")
            .collect();
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// The tree as a tar archive in which everything has the time `epoch`, in seconds since 1970.
    pub(crate) fn to_tar(&self, epoch: u64) -> Result<Vec<u8>> {
        let mut tar = Vec::new();
        for folder in self.folders() {
            tar.extend(header(folder, EntryKind::Folder, 0o755, 0, epoch)?);
        }
        for (path, file) in &self.files {
            tar.extend(header(path, EntryKind::File, file.mode, file.contents.len(), epoch)?);
            tar.extend(&file.contents);
            tar.resize(tar.len().next_multiple_of(BLOCK), 0);
        }
        tar.resize(tar.len() + 2 * BLOCK, 0);
        Ok(tar)
    }

    /// [`ArchiveTree::to_tar`], compressed.
    pub(crate) fn to_tar_gz(&self, epoch: u64) -> Result<Vec<u8>> {
        gzip(&self.to_tar(epoch)?)
    }
}

const BLOCK: usize = 512;

#[derive(Clone, Copy)]
enum EntryKind {
    File,
    Folder,
}

/// A header of the ustar format (POSIX.1-1988): fields at fixed places, numbers in octal.
fn header(path: &str, kind: EntryKind, mode: u32, size: usize, epoch: u64) -> Result<[u8; BLOCK]> {
    ensure!(path.len() <= 100, "the path `{path}` is too long for a tar header");
    let mut block = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, path);
    put(100, &format!("{mode:07o}"));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, &format!("{epoch:011o}"));
    // The checksum is computed with blanks in its own place.
    put(148, "        ");
    put(
        156,
        match kind {
            EntryKind::File => "0",
            EntryKind::Folder => "5",
        },
    );
    put(257, "ustar\x0000");
    put(265, "root");
    put(297, "root");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

/// An ar archive, as Debian packages are.
pub(crate) fn ar(members: &[(&str, &[u8])], epoch: u64) -> Vec<u8> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, contents) in members {
        let length = contents.len();
        archive.extend(
            format!("{name:<16}{epoch:<12}{:<6}{:<6}{:<8}{length:<10}`\n", 0, 0, 100_644)
                .into_bytes(),
        );
        archive.extend(*contents);
        if length % 2 == 1 {
            archive.push(b'\n');
        }
    }
    archive
}

/// The bytes, compressed, without a name or a time in the header.
pub(crate) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    filter("gzip", &["-9", "-n"], bytes)
}

/// The SHA-256 digest of the bytes, in hexadecimal.
pub(crate) fn sha256(bytes: &[u8]) -> Result<String> {
    digest("sha256sum", bytes)
}

/// The MD5 digest of the bytes, which Debian packages list of their files.
pub(crate) fn md5(bytes: &[u8]) -> Result<String> {
    digest("md5sum", bytes)
}

fn digest(program: &str, bytes: &[u8]) -> Result<String> {
    let line = String::from_utf8(filter(program, &[], bytes)?)?;
    let digest = line.split(' ').next().context("an empty line")?;
    Ok(digest.to_owned())
}

/// What the program makes of the bytes.
fn filter(program: &str, arguments: &[&str], bytes: &[u8]) -> Result<Vec<u8>> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    let mut stdin = child.stdin.take().expect("standard input is a pipe");
    let bytes = bytes.to_vec();
    // It may write before it has read everything; a thread feeds it so that neither waits for the other.
    let feeder = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output()?;
    feeder.join().expect("writing does not panic")?;
    ensure!(output.status.success(), "{program} ended with {}", output.status);
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str]) -> ArchiveTree {
        let mut tree = ArchiveTree::default();
        for path in paths {
            tree.add(*path, path.as_bytes());
        }
        tree.add_program("a/bin/run", "#!/bin/sh\n");
        tree
    }

    #[test]
    fn the_order_of_adding_does_not_matter() {
        let one = tree(&["a/x", "a/b/y", "z"]).to_tar_gz(7).unwrap();
        let other = tree(&["z", "a/b/y", "a/x"]).to_tar_gz(7).unwrap();
        assert_eq!(one, other);
        assert_ne!(one, tree(&["a/x", "a/b/y", "z"]).to_tar_gz(8).unwrap());
    }

    #[test]
    fn tar_reads_what_is_written() {
        let tar = tree(&["a/x", "./z"]).to_tar(1_700_000_000).unwrap();
        let listing =
            filter("tar", &["--list", "--verbose", "--utc", "--file", "-"], &tar).unwrap();
        let listing = String::from_utf8(listing).unwrap();
        let lines: Vec<Vec<&str>> =
            listing.lines().map(|line| line.split_whitespace().collect()).collect();
        let entry = |mode, size, name| vec![mode, "root/root", size, "2023-11-14", "22:13", name];
        assert_eq!(
            lines,
            [
                entry("drwxr-xr-x", "0", "a/"),
                entry("drwxr-xr-x", "0", "a/bin/"),
                entry("-rw-r--r--", "3", "./z"),
                entry("-rwxr-xr-x", "10", "a/bin/run"),
                entry("-rw-r--r--", "3", "a/x"),
            ]
        );
    }

    #[test]
    fn ar_members_begin_at_even_places() {
        let archive = ar(&[("one", b"x"), ("two", b"yy")], 7);
        let text = String::from_utf8(archive).unwrap();
        let header =
            |name: &str, size| format!("{name:<16}7           0     0     100644  {size:<10}`\n");
        assert_eq!(text, format!("!<arch>\n{}x\n{}yy", header("one", 1), header("two", 2)));
    }

    #[test]
    fn a_path_that_does_not_fit_is_refused() {
        let mut tree = ArchiveTree::default();
        tree.add("a".repeat(101), "");
        assert!(tree.to_tar(0).is_err());
    }

    #[test]
    fn digests_are_those_of_the_standards() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b"").unwrap(), empty);
        assert_eq!(md5(b"").unwrap(), "d41d8cd98f00b204e9800998ecf8427e");
    }
}
