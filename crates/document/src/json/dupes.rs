//! Finding keys that an object has twice, without a table per object.

use crate::json::string::decode;

/// The keys of all objects that are open, the innermost one's last.
pub(super) struct KeyStack<'a> {
    bytes: &'a [u8],
    keys: Vec<Key>,
}

#[derive(Clone, Copy)]
struct Key {
    /// Equal keys have equal digests; the other way round only nearly always.
    digest: u64,
    start: u32,
    end: u32,
}

/// Up to this many keys are compared pair by pair; more are sorted.
const FEW_KEYS: usize = 12;

impl<'a> KeyStack<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> KeyStack<'a> {
        KeyStack { bytes, keys: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Takes the key with its quotes at `start..end`.
    #[inline]
    pub(super) fn push(&mut self, start: usize, end: usize, has_escapes: bool) {
        let raw = &self.bytes[start + 1..end - 1];
        let digest = if has_escapes {
            digest(self.text(start as u32, end as u32).as_bytes())
        } else {
            digest(raw)
        };
        self.keys.push(Key { digest, start: start as u32, end: end as u32 });
    }

    /// Forgets the innermost object's keys. Returns the offset of the first one that repeats another.
    pub(super) fn close_object(&mut self, keys_before: usize) -> Option<u32> {
        let keys = &self.keys[keys_before..];
        let repeated = if keys.len() <= FEW_KEYS {
            self.repeated_of_few(keys)
        } else {
            self.repeated_of_many(keys.to_vec())
        };
        self.keys.truncate(keys_before);
        repeated
    }

    fn repeated_of_few(&self, keys: &[Key]) -> Option<u32> {
        let repeats = |nth: usize, key: &Key| {
            keys[..nth].iter().any(|it| it.digest == key.digest && self.is_equal(it, key))
        };
        keys.iter().enumerate().find(|(nth, key)| repeats(*nth, key)).map(|(_, key)| key.start)
    }

    fn repeated_of_many(&self, mut keys: Vec<Key>) -> Option<u32> {
        keys.sort_unstable_by_key(|key| (key.digest, key.start));
        let mut first = None;
        for run in keys.chunk_by_mut(|left, right| left.digest == right.digest) {
            if run.len() > 1 {
                // Sorted by text, so that keys made to share a digest cost no more than a sort.
                run.sort_by_cached_key(|key| (self.text(key.start, key.end), key.start));
                let pairs = run.windows(2).filter(|pair| self.is_equal(&pair[0], &pair[1]));
                let repeated = pairs.map(|pair| pair[1].start).min();
                first = [first, repeated].into_iter().flatten().min();
            }
        }
        first
    }

    fn is_equal(&self, left: &Key, right: &Key) -> bool {
        self.text(left.start, left.end) == self.text(right.start, right.end)
    }

    fn text(&self, start: u32, end: u32) -> String {
        let raw = &self.bytes[start as usize + 1..end as usize - 1];
        decode(&String::from_utf8_lossy(raw)).into_owned()
    }
}

fn digest(key: &[u8]) -> u64 {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(MIX).rotate_left(29);
    let (words, rest) = key.as_chunks::<8>();
    let state =
        words.iter().fold(key.len() as u64, |state, word| mix(state, u64::from_le_bytes(*word)));
    mix(state, rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}
