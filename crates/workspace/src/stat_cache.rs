//! What files held when they were last read, by path and by what the file system says of them without reading.
//!
//! An entry is believed if size, times, inode and device are what they were. That is only safe for a file that had not
//! just been written: two saves within one tick of the file system's clock look alike. So a file whose times are not
//! clearly older than the look that read it is not written down at all, and is read again next time (git calls such a
//! file racily clean).

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use edit::ContentHash;
use snapshot::RelPath;

use crate::fs::FileIdentity;
use crate::seal::{CacheMagic, Seal};

/// The name of the cache.
pub(crate) const NAME: &str = "files-v1";
const MARK: CacheMagic = *b"regreen files 01";
/// The coarsest clock of a file system in use, in nanoseconds: FAT counts in steps of two seconds.
const TICK: i128 = 2_000_000_000;

/// What the file system said of files, and the hashes of what was in them then.
#[derive(Default)]
pub(crate) struct StatCache {
    /// The body of the cache; entries in the order of their paths.
    body: Vec<u8>,
    /// Where each entry starts.
    starts: Vec<u32>,
}

/// What was read of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CachedRead {
    pub(crate) identity: FileIdentity,
    pub(crate) hash: ContentHash,
}

/// The time now, in the way file systems count it.
pub(crate) fn now() -> i128 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH);
    elapsed.map_or(0, |it| i128::try_from(it.as_nanos()).unwrap_or(i128::MAX))
}

impl CachedRead {
    /// Whether a later save could not look the same, if the file was read after `began`.
    pub(crate) fn is_settled(&self, began: i128) -> bool {
        let latest = self.identity.modified.max(self.identity.changed);
        latest.saturating_add(TICK) < began
    }
}

impl StatCache {
    /// What a cache file holds; nothing if this program did not write it.
    pub(crate) fn open(seal: &Seal, bytes: &[u8]) -> StatCache {
        let body = seal.open(&MARK, bytes);
        body.and_then(StatCache::parse).unwrap_or_default()
    }

    fn parse(body: &[u8]) -> Option<StatCache> {
        let mut starts = Vec::new();
        let mut at = 0;
        let mut last = "";
        while at < body.len() {
            starts.push(u32::try_from(at).ok()?);
            let (path, _, end) = entry_at(body, at)?;
            if starts.len() > 1 && last >= path {
                return None;
            }
            last = path;
            at = end;
        }
        Some(StatCache { starts, body: body.to_vec() })
    }

    /// What is known of the file at a path.
    pub(crate) fn get(&self, path: &RelPath) -> Option<CachedRead> {
        let wanted = path.as_str().as_bytes();
        let path_at = |start: &u32| path_at(&self.body, *start as usize);
        let nth = self.starts.binary_search_by(|it| path_at(it).cmp(&Some(wanted))).ok()?;
        entry_at(&self.body, *self.starts.get(nth)? as usize).map(|it| it.1)
    }

    /// How many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// All entries, in the order of their paths.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, CachedRead)> {
        let entries = self.starts.iter().filter_map(|it| entry_at(&self.body, *it as usize));
        entries.map(|(path, known, _)| (path, known))
    }
}

/// The bytes of a cache with these entries.
pub(crate) fn render(seal: &Seal, entries: &BTreeMap<&str, CachedRead>) -> Vec<u8> {
    let mut body = Vec::new();
    for (path, CachedRead { identity, hash }) in entries {
        let Ok(length) = u16::try_from(path.len()) else { continue };
        body.extend(length.to_le_bytes());
        body.extend(path.as_bytes());
        for number in [identity.device, identity.inode, identity.size] {
            body.extend(number.to_le_bytes());
        }
        for time in [identity.modified, identity.changed] {
            body.extend(time.to_le_bytes());
        }
        body.extend(hash.as_bytes());
    }
    seal.close(&MARK, &body)
}

/// The path of the entry that starts there.
fn path_at(body: &[u8], start: usize) -> Option<&[u8]> {
    let mut rest = body.get(start..)?;
    let length = usize::from(u16::from_le_bytes(take(&mut rest)?));
    rest.get(..length)
}

/// The path and the rest of the entry that starts there, and where it ends.
fn entry_at(body: &[u8], start: usize) -> Option<(&str, CachedRead, usize)> {
    let mut rest = body.get(start..)?;
    let length = usize::from(u16::from_le_bytes(take(&mut rest)?));
    let (path, after) = rest.split_at_checked(length)?;
    rest = after;
    let identity = FileIdentity {
        device: u64::from_le_bytes(take(&mut rest)?),
        inode: u64::from_le_bytes(take(&mut rest)?),
        size: u64::from_le_bytes(take(&mut rest)?),
        modified: i128::from_le_bytes(take(&mut rest)?),
        changed: i128::from_le_bytes(take(&mut rest)?),
    };
    let hash = ContentHash::from_bytes(take(&mut rest)?);
    let path = std::str::from_utf8(path).ok()?;
    Some((path, CachedRead { identity, hash }, body.len() - rest.len()))
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal() -> Seal {
        Seal::of(&FileIdentity::default())
    }

    fn known(n: u8) -> CachedRead {
        let time = i128::from(n);
        let identity =
            FileIdentity { device: 1, inode: n.into(), size: 3, modified: time, changed: -time };
        CachedRead { identity, hash: ContentHash::of(&[n]) }
    }

    #[test]
    fn what_was_written_is_read_back() {
        let paths = ["a", "a-b/c", "a/b", "z/ü"];
        let entries: BTreeMap<&str, CachedRead> = paths.into_iter().zip((1..).map(known)).collect();
        let cache = StatCache::open(&seal(), &render(&seal(), &entries));
        assert_eq!(cache.iter().collect::<BTreeMap<_, _>>(), entries);
        for (path, known) in entries {
            assert_eq!(cache.get(&RelPath::parse(path).unwrap()), Some(known), "{path}");
        }
        for path in ["0", "a/c", "b", "zz"] {
            assert_eq!(cache.get(&RelPath::parse(path).unwrap()), None, "{path}");
        }
        assert!(StatCache::open(&seal(), &render(&seal(), &BTreeMap::new())).starts.is_empty());
    }

    /// A body of the wrong shape under a right seal is a fault of ours, and still no panic; one that is out of order
    /// would be searched in vain.
    #[test]
    fn a_body_that_is_no_list_of_entries_is_an_empty_cache() {
        let entries = BTreeMap::from([("a", known(1)), ("b", known(2))]);
        let good = render(&seal(), &entries)[48..].to_vec();
        let open = |body: &[u8]| StatCache::open(&seal(), &seal().close(&MARK, body)).starts.len();
        assert_eq!(open(&good), 2);
        let half = good.len() / 2;
        for n in (1..good.len()).filter(|it| *it != half) {
            assert_eq!(open(&good[..n]), 0, "cut at {n}");
        }
        assert_eq!(open(&[&good[half..], &good[..half]].concat()), 0, "out of order");
        assert_eq!(open(&[&good[..half], &good[..half]].concat()), 0, "twice");
        assert_eq!(open(&[255; 300]), 0);
    }

    /// Times that are not clearly older than the look may be those of a save that is still to come.
    #[test]
    fn a_file_that_was_just_written_is_not_known() {
        let began = 1_000 * TICK;
        let at = |modified, changed| {
            let identity = FileIdentity { modified, changed, ..FileIdentity::default() };
            CachedRead { identity, hash: ContentHash::of(b"") }.is_settled(began)
        };
        let old = began - 2 * TICK;
        assert!(at(old, old));
        for young in [began - TICK, began - 1, began, began + 1, i128::MAX] {
            assert!(!at(young, old), "modified at {young}");
            assert!(!at(old, young), "changed at {young}");
        }
    }
}
