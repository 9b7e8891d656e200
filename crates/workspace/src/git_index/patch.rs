//! Single entries of an index, and the same index with other objects in some of them.
//!
//! An entry keeps its place, name and mode. What git remembered of the file on disk is zeroed, so that git looks at the file
//! again. What git made from the entries goes, and git makes it anew: the cached trees, the bits of a file system monitor,
//! and the table of offsets.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::sha1::sha1;
use super::{STAT_LEN, walk};

/// Where the mode stands among the fields before the name of the object.
const MODE_AT: usize = 24;
const STAGE: u16 = 0x3000;
/// Extensions that say nothing about the entries. The others can be done without (`gitformat-index(5)`).
const KEPT: [&[u8; 4]; 3] = [b"sdir", b"REUC", b"UNTR"];

/// What an entry says of a file: its mode and the object with its contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Blob {
    pub(crate) mode: u32,
    pub(crate) object: Vec<u8>,
}

/// Why an index is left alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownIndex {
    /// It is split, damaged, or of a kind that did not exist when this was written.
    #[error("it is split, damaged or of an unknown kind")]
    Format,
    /// Its checksum is wrong.
    #[error("its checksum is wrong")]
    Checksum,
}

/// The entries of these names; a name with a merge conflict, or without an entry, has none.
pub(crate) fn entries(
    index: &[u8],
    names: &[&str],
) -> Result<BTreeMap<String, Blob>, UnknownIndex> {
    let hash_len = hash_len(index)?;
    let found = places(index, hash_len, names)?;
    let blob = |(name, start): (String, usize)| {
        let object = index[start + STAT_LEN..start + STAT_LEN + hash_len].to_vec();
        let mode = index[start + MODE_AT..start + MODE_AT + 4].iter();
        (name, Blob { mode: mode.fold(0, |sum, it| (sum << 8) | u32::from(*it)), object })
    };
    Ok(found.into_iter().map(blob).collect())
}

/// The index with other objects in the entries of these names, all of which it must have.
pub(crate) fn with_objects(
    index: &[u8],
    objects: &BTreeMap<&str, Vec<u8>>,
) -> Result<Vec<u8>, UnknownIndex> {
    let hash_len = hash_len(index)?;
    let names: Vec<&str> = objects.keys().copied().collect();
    let found = places(index, hash_len, &names)?;
    let extensions = walk(index, hash_len, |_, _| Some(())).ok_or(UnknownIndex::Format)?;
    let end = index.len() - hash_len;
    let mut changed = index[..extensions.first().map_or(end, |it| it.0)].to_vec();
    for (name, object) in objects {
        let start = found.get(*name).copied().ok_or(UnknownIndex::Format)?;
        if object.len() != hash_len {
            return Err(UnknownIndex::Format);
        }
        changed[start..start + MODE_AT].fill(0);
        changed[start + MODE_AT + 4..start + STAT_LEN].fill(0);
        changed[start + STAT_LEN..start + STAT_LEN + hash_len].copy_from_slice(object);
    }
    let ends = extensions.iter().skip(1).map(|it| it.0).chain([end]);
    for ((start, signature), end) in extensions.iter().zip(ends) {
        if KEPT.contains(&signature) {
            changed.extend_from_slice(&index[*start..end]);
        }
    }
    // Who told git to do without checksums gets none.
    let is_unchecked = index[end..].iter().all(|it| *it == 0);
    let hash = if is_unchecked { vec![0; hash_len] } else { hash(&changed, hash_len) };
    changed.extend_from_slice(&hash);
    Ok(changed)
}

/// Where the entries of these names start.
fn places(
    index: &[u8],
    hash_len: usize,
    names: &[&str],
) -> Result<BTreeMap<String, usize>, UnknownIndex> {
    let wanted: std::collections::BTreeSet<&[u8]> = names.iter().map(|it| it.as_bytes()).collect();
    let mut found = BTreeMap::new();
    let walked = walk(index, hash_len, |entry, name| {
        if entry.flags & STAGE == 0 && wanted.contains(name) {
            found.insert(String::from_utf8(name.to_vec()).ok()?, entry.start);
        }
        Some(())
    });
    walked.map(|_| found).ok_or(UnknownIndex::Format)
}

/// How long the names of objects are: that of the checksum which is right.
fn hash_len(index: &[u8]) -> Result<usize, UnknownIndex> {
    let reads = |len: &usize| walk(index, *len, |_, _| Some(())).is_some();
    let is_right = |len: &usize| {
        let (body, end) = index.split_at(index.len() - len);
        end.iter().all(|it| *it == 0) || hash(body, *len) == end
    };
    let readable: Vec<usize> = [20, 32].into_iter().filter(reads).collect();
    if readable.is_empty() {
        return Err(UnknownIndex::Format);
    }
    readable.into_iter().find(is_right).ok_or(UnknownIndex::Checksum)
}

fn hash(bytes: &[u8], len: usize) -> Vec<u8> {
    match len {
        20 => sha1(bytes).to_vec(),
        _ => Sha256::digest(bytes).to_vec(),
    }
}

#[cfg(test)]
mod tests;
