//! What single files were found to be, kept in the user's cache folder for the next process that looks at the tree.
//!
//! The file is sealed by the program that wrote it (`workspace::Seal`). In it are the number of entries, their keys in
//! order, where the bytes of each end, and the bytes, so that a process that asks for some of them reads no others.
//! Losing the file, or not being able to write it, costs time and nothing else.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use check::{Cache, CacheKey};
use workspace::{CacheMagic, MAX_CACHE_BYTES, Seal, Workspace};

const NAME: &str = "checks-v2";
const MARK: CacheMagic = *b"regreen checks 2";
const KEY_BYTES: usize = 32;
const END_BYTES: usize = 4;

/// One in so many entries may be missing in the file or useless in it before it is written anew: to write all of it costs
/// as much as to find out some of it again.
const WORTH_WRITING: usize = 256;

type Entries = BTreeMap<CacheKey, Arc<[u8]>>;

/// Looks at files that were kept, and those to keep. Closed at first: it then has nothing and takes nothing.
#[derive(Default)]
pub(crate) struct DiskCache {
    opened: RwLock<Option<Opened>>,
}

/// What to write down after a look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keep {
    /// What was found out of a tree that is not the one on disk.
    Nothing,
    /// What was found out of a part of the tree, and all that was known.
    Part,
    /// What was found out of the whole tree.
    Whole,
}

struct Opened {
    seal: Seal,
    /// What the file holds.
    known: CacheFile,
    /// Which of that was asked for.
    used: Vec<AtomicBool>,
    /// What was made since.
    made: Mutex<Entries>,
    n_made_bytes: AtomicUsize,
}

impl DiskCache {
    /// Collects while something is looked at, and writes down what was collected if that is worth it. What an earlier
    /// process kept is there meanwhile. After a look at a part of the tree, what was not asked for stays; a look that
    /// fails leaves the file as it is.
    pub(crate) fn during<T, E>(
        &self,
        workspace: &Workspace,
        keep: Keep,
        look: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.open(workspace);
        let looked = look();
        let keep = if looked.is_ok() { keep } else { Keep::Nothing };
        self.close(workspace, keep);
        looked
    }

    /// Reads what an earlier process kept, and starts to collect.
    fn open(&self, workspace: &Workspace) {
        let Some(seal) = Seal::own() else { return };
        let bytes = workspace.read_cache(NAME).unwrap_or_default();
        let known = seal.open(&MARK, &bytes).and_then(CacheFile::parse).unwrap_or_default();
        let opened = Opened::new(seal, known);
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = Some(opened);
    }

    /// Stops collecting.
    fn close(&self, workspace: &Workspace, keep: Keep) {
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        let Some(opened) = opened.take().filter(|_| keep != Keep::Nothing) else { return };
        if let Some(body) = opened.body(keep == Keep::Whole) {
            // A cache that cannot be written is not a reason to fail, or to say anything.
            let _ = workspace.write_cache(NAME, &opened.seal.close(&MARK, &body));
        }
    }
}

impl Cache for DiskCache {
    fn get(&self, key: &CacheKey) -> Option<Arc<[u8]>> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        let opened = opened.as_ref()?;
        let nth = opened.known.find(key)?;
        opened.used[nth].store(true, Ordering::Relaxed);
        opened.known.bytes(nth).map(Arc::from)
    }

    fn put(&self, key: CacheKey, bytes: Vec<u8>) {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = opened.as_ref() {
            opened.take(key, bytes);
        }
    }
}

impl Opened {
    fn new(seal: Seal, known: CacheFile) -> Opened {
        let used = (0..known.len()).map(|_| AtomicBool::new(false)).collect();
        Opened { seal, known, used, made: Mutex::default(), n_made_bytes: AtomicUsize::new(0) }
    }

    fn take(&self, key: CacheKey, bytes: Vec<u8>) {
        let n_bytes = KEY_BYTES + END_BYTES + bytes.len();
        let n_before = self.n_made_bytes.fetch_add(n_bytes, Ordering::Relaxed);
        if (n_before + n_bytes) as u64 <= MAX_CACHE_BYTES {
            let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
            made.insert(key, bytes.into());
        }
    }

    /// What the file should hold; `None` if what it holds is good enough. What does not fit is left out: first what
    /// nobody asked for.
    fn body(&self, is_whole: bool) -> Option<Vec<u8>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let is_used = |nth: &usize| self.used[*nth].load(Ordering::Relaxed);
        let n_used = (0..self.known.len()).filter(is_used).count();
        let n_useless = if is_whole { self.known.len() - n_used } else { 0 };
        if made.len() + n_useless <= self.known.len() / WORTH_WRITING {
            return None;
        }
        let (used, unused): (Vec<usize>, Vec<usize>) = (0..self.known.len()).partition(is_used);
        let left = used.into_iter().chain(unused.into_iter().filter(|_| !is_whole));
        let left = left.filter_map(|nth| Some((self.known.key(nth)?, self.known.bytes(nth)?)));
        let mut entries: BTreeMap<&CacheKey, &[u8]> = BTreeMap::new();
        let mut n_bytes = (size_of::<CacheMagic>() + KEY_BYTES + END_BYTES) as u64;
        for (key, bytes) in made.iter().map(|(key, bytes)| (key, &**bytes)).chain(left) {
            n_bytes += (KEY_BYTES + END_BYTES + bytes.len()) as u64;
            if n_bytes > MAX_CACHE_BYTES {
                break;
            }
            entries.entry(key).or_insert(bytes);
        }
        render(&entries)
    }
}

/// The body of a cache file, and where things are in it.
#[derive(Default)]
struct CacheFile {
    body: Vec<u8>,
    n_entries: usize,
}

impl CacheFile {
    /// The body, if it is one: keys in order, and ends that rise to the end.
    fn parse(body: &[u8]) -> Option<CacheFile> {
        let (n_entries, rest) = body.split_first_chunk::<4>()?;
        let n_entries = usize::try_from(u32::from_le_bytes(*n_entries)).ok()?;
        let n_head = n_entries.checked_mul(KEY_BYTES + END_BYTES)?;
        let (head, bytes) = rest.split_at_checked(n_head)?;
        let (keys, ends) = head.split_at(n_entries * KEY_BYTES);
        let (keys, ends) = (keys.as_chunks::<KEY_BYTES>().0, ends.as_chunks::<END_BYTES>().0);
        let mut ends = ends.iter().map(|it| u32::from_le_bytes(*it) as usize);
        let is_sound = keys.is_sorted_by(|left, right| left < right)
            && ends.clone().is_sorted()
            && ends.next_back().unwrap_or(0) == bytes.len();
        is_sound.then(|| CacheFile { body: body.to_vec(), n_entries })
    }

    fn len(&self) -> usize {
        self.n_entries
    }

    fn keys(&self) -> &[CacheKey] {
        let keys = self.body.get(4..4 + self.n_entries * KEY_BYTES).unwrap_or_default();
        keys.as_chunks::<KEY_BYTES>().0
    }

    /// Interpolation search: keys are hashes, so one of `n` keys stands about where its first bytes say, and an ordinary
    /// binary search in the neighbourhood finds it without touching much memory.
    fn find(&self, key: &CacheKey) -> Option<usize> {
        let keys = self.keys();
        let leading =
            |key: &CacheKey| u64::from_be_bytes(*key.first_chunk::<8>().expect("32 bytes"));
        let guess = (u128::from(leading(key)) * keys.len() as u128) >> 64;
        let guess = usize::try_from(guess).ok()?;
        // Doubles the neighbourhood until the key is in it.
        let mut radius = 8;
        let (start, end) = loop {
            let start = guess.saturating_sub(radius);
            let end = guess.saturating_add(radius).min(keys.len());
            let starts_before = start == 0 || keys.get(start).is_some_and(|it| it <= key);
            let ends_after = end == keys.len() || keys.get(end).is_some_and(|it| it > key);
            if starts_before && ends_after {
                break (start, end);
            }
            radius *= 4;
        };
        Some(start + keys.get(start..end)?.binary_search(key).ok()?)
    }

    fn key(&self, nth: usize) -> Option<&CacheKey> {
        self.keys().get(nth)
    }

    fn bytes(&self, nth: usize) -> Option<&[u8]> {
        let ends_at = 4 + self.n_entries * KEY_BYTES;
        let bytes_at = ends_at + self.n_entries * END_BYTES;
        let ends = self.body.get(ends_at..bytes_at)?.as_chunks::<END_BYTES>().0;
        let end = |nth: usize| Some(u32::from_le_bytes(*ends.get(nth)?) as usize);
        let start = nth.checked_sub(1).map_or(Some(0), end)?;
        self.body.get(bytes_at + start..bytes_at + end(nth)?)
    }
}

/// The body of a file with these entries; `None` if they are too long for it.
fn render(entries: &BTreeMap<&CacheKey, &[u8]>) -> Option<Vec<u8>> {
    let mut body = u32::try_from(entries.len()).ok()?.to_le_bytes().to_vec();
    entries.keys().for_each(|key| body.extend(*key));
    let mut end = 0u32;
    for bytes in entries.values() {
        end = end.checked_add(u32::try_from(bytes.len()).ok()?)?;
        body.extend(end.to_le_bytes());
    }
    entries.values().for_each(|bytes| body.extend(*bytes));
    Some(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use workspace::FileIdentity;

    fn entries(n: u8) -> Entries {
        let bytes = |n: u8| -> Arc<[u8]> { (0..n).collect::<Vec<_>>().into() };
        (0..n).map(|n| ([n; 32], bytes(n * 3))).collect()
    }

    fn body(entries: &Entries) -> Vec<u8> {
        render(&entries.iter().map(|(key, bytes)| (key, &**bytes)).collect()).unwrap()
    }

    fn read(kept: &CacheFile) -> Entries {
        let entry = |nth| (*kept.key(nth).unwrap(), kept.bytes(nth).unwrap().into());
        (0..kept.len()).map(entry).collect()
    }

    fn opened(known: &Entries) -> Opened {
        Opened::new(Seal::of(&FileIdentity::default()), CacheFile::parse(&body(known)).unwrap())
    }

    #[test]
    fn what_was_written_is_found() {
        for n in [0, 1, 2, 5, 60] {
            let kept = CacheFile::parse(&body(&entries(n))).unwrap();
            assert_eq!(read(&kept), entries(n));
            for (key, bytes) in entries(n) {
                assert_eq!(kept.bytes(kept.find(&key).unwrap()), Some(&*bytes));
            }
            assert_eq!(kept.find(&[250; 32]), None);
        }
    }

    /// Keys that are hashes, keys in one corner, and keys in two.
    #[test]
    fn every_key_is_found_wherever_keys_stand() {
        let hash = |n: u32| *blake3::hash(&n.to_le_bytes()).as_bytes();
        let within = |first: u8, n: u32| {
            let mut key = hash(n);
            key[..7].fill(first);
            key
        };
        let corners = |n: u32| within(if n.is_multiple_of(2) { 0 } else { 255 }, n);
        for key in [&hash as &dyn Fn(u32) -> CacheKey, &|n| within(255, n), &corners] {
            let known = (0..3000).map(|n| (key(n), Arc::from([0u8].as_slice()))).collect();
            let kept = CacheFile::parse(&body(&known)).unwrap();
            for n in 0..6000 {
                assert_eq!(kept.find(&key(n)), kept.keys().binary_search(&key(n)).ok(), "{n}");
            }
        }
    }

    /// A body of the wrong shape under a right seal is a fault of ours, and still no panic.
    #[test]
    fn a_body_that_is_no_list_of_entries_is_an_empty_cache() {
        let good = body(&entries(5));
        for at in 0..good.len() {
            assert!(CacheFile::parse(&good[..at]).is_none(), "cut at {at}");
            let mut changed = good.clone();
            changed[at] = 255;
            // A key or a byte of an entry may be another one; what is read stays inside.
            if let Some(kept) = CacheFile::parse(&changed) {
                assert_eq!(read(&kept).len(), 5, "byte {at}");
            }
        }
        assert!(CacheFile::parse(&[good.as_slice(), b"x"].concat()).is_none());
        assert!(CacheFile::parse(&[255; 300]).is_none());
        let mut twice = body(&entries(2));
        twice.copy_within(4..36, 36);
        assert!(CacheFile::parse(&twice).is_none(), "one key twice");
    }

    #[test]
    fn a_closed_store_has_and_takes_nothing() {
        let store = DiskCache::default();
        store.put([1; 32], vec![1]);
        assert_eq!(store.get(&[1; 32]), None);
        assert!(store.opened.read().unwrap().is_none());
    }

    /// What nobody asked for goes after a look at the whole tree, and stays after one at a part of it.
    #[test]
    fn the_file_holds_what_was_asked_for_or_made() {
        let keys = |opened: &Opened, is_whole| -> Option<Vec<u8>> {
            let kept = CacheFile::parse(&opened.body(is_whole)?).unwrap();
            Some(kept.keys().iter().map(|it| it[0]).collect())
        };
        let opened = opened(&entries(3));
        assert_eq!(keys(&opened, false), None, "nothing new");
        assert_eq!(keys(&opened, true), Some(vec![]));
        opened.used[1].store(true, Ordering::Relaxed);
        opened.take([9; 32], vec![1]);
        assert_eq!(keys(&opened, true), Some(vec![1, 9]));
        assert_eq!(keys(&opened, false), Some(vec![0, 1, 2, 9]));
    }

    #[test]
    fn little_that_is_new_is_not_worth_writing_all() {
        let many: Entries = (0..1000u32)
            .map(|n| (*blake3::hash(&n.to_le_bytes()).as_bytes(), Arc::from([0u8].as_slice())))
            .collect();
        let opened = opened(&many);
        opened.used.iter().for_each(|it| it.store(true, Ordering::Relaxed));
        for n in 0..4u8 {
            assert!(opened.body(true).is_none(), "{n} new ones");
            opened.take([n; 32], vec![1]);
        }
        assert!(opened.body(true).is_some());
    }

    #[test]
    fn what_has_no_room_is_not_kept() {
        let opened = opened(&Entries::new());
        let half = usize::try_from(MAX_CACHE_BYTES).unwrap() / 2;
        opened.take([1; 32], vec![0; half]);
        opened.take([2; 32], vec![0; half]);
        let kept = CacheFile::parse(&opened.body(true).unwrap()).unwrap();
        assert_eq!(kept.keys(), [[1; 32]]);
    }
}
