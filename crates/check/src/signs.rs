//! What a text shows at a glance: whether bytes are in it without which it is nobody's business.
//!
//! All signs of a text are looked for when it is first read, and kept by the hash of its bytes, in a cache for the next
//! process too. A file whose hash is known and that shows nothing is not read.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use edit::{ContentHash, Text};
use snapshot::File;

use crate::cache::{Cache, CacheKey, CacheKeys};

/// Something to look for in the bytes of a text.
#[derive(Clone, Copy, Debug)]
pub struct Sign {
    /// Stands for what is looked for; another test needs another name.
    pub name: &'static str,
    /// Whether the bytes show it.
    pub is_in: fn(&[u8]) -> bool,
}

/// Signs that are looked for together.
#[derive(Default)]
pub(crate) struct SignIndex {
    signs: Vec<Sign>,
    cache: Option<Arc<dyn Cache>>,
    keys: OnceLock<CacheKeys>,
    known: Mutex<SignsByText>,
}

/// To look at fewer texts than that costs less than to keep what they show.
const WORTH_KEEPING: usize = 64;

#[derive(Default)]
struct SignsByText {
    /// A bit for each sign.
    by_text: HashMap<ContentHash, u8>,
    /// What was found and is not kept yet.
    found: Vec<(CacheKey, u8)>,
}

impl SignIndex {
    pub(crate) fn add(&mut self, sign: Sign) {
        // What is beyond the bits of a byte is looked for whenever somebody asks.
        if self.signs.len() < u8::BITS as usize {
            self.signs.push(sign);
            self.keys = OnceLock::new();
        }
    }

    pub(crate) fn keep_in(&mut self, cache: Arc<dyn Cache>) {
        self.cache = Some(cache);
    }

    /// Whether a file shows the sign. It is only read if that is not known.
    pub(crate) fn shows(&self, file: &File, sign: &Sign) -> bool {
        let Some(nth) = self.signs.iter().position(|it| it.name == sign.name) else {
            return (sign.is_in)(file.text().bytes());
        };
        self.of(file) & 1 << nth != 0
    }

    fn of(&self, file: &File) -> u8 {
        let hash = file.hash();
        if let Some(known) = self.known().by_text.get(&hash) {
            return *known;
        }
        let key = self.cache.as_ref().map(|it| (it, self.keys().of(hash, &[])));
        let kept = key.as_ref().and_then(|(cache, key)| cache.get(key));
        let found = match kept.as_deref() {
            Some([found]) => *found,
            _ => {
                let found = self.look(&file.text());
                if let Some((cache, key)) = key {
                    self.keep(&**cache, key, found);
                }
                found
            }
        };
        self.known().by_text.insert(hash, found);
        found
    }

    fn keep(&self, cache: &dyn Cache, key: CacheKey, found: u8) {
        let mut known = self.known();
        known.found.push((key, found));
        if known.found.len() >= WORTH_KEEPING {
            known.found.drain(..).for_each(|(key, found)| cache.put(key, vec![found]));
        }
    }

    fn look(&self, text: &Text) -> u8 {
        let signs = self.signs.iter().enumerate();
        signs.fold(0, |all, (nth, sign)| all | u8::from((sign.is_in)(text.bytes())) << nth)
    }

    fn keys(&self) -> &CacheKeys {
        self.keys.get_or_init(|| {
            let names = self.signs.iter().flat_map(|it| [it.name.as_bytes(), b"\0"]);
            CacheKeys::new("regreen signs v2", names)
        })
    }

    /// Nobody panics while holding the lock, and if so, entries are whole.
    fn known(&self) -> std::sync::MutexGuard<'_, SignsByText> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SignIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.signs.iter().map(|it| it.name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const A: Sign = Sign { name: "a", is_in: |bytes| bytes.contains(&b'a') };
    const B: Sign = Sign { name: "b", is_in: |bytes| bytes.contains(&b'b') };

    #[derive(Default)]
    struct MemoryCache(Mutex<BTreeMap<[u8; 32], Vec<u8>>>);

    impl Cache for MemoryCache {
        fn get(&self, key: &[u8; 32]) -> Option<Arc<[u8]>> {
            self.0.lock().unwrap().get(key).map(|it| it.as_slice().into())
        }

        fn put(&self, key: [u8; 32], bytes: Vec<u8>) {
            self.0.lock().unwrap().insert(key, bytes);
        }
    }

    /// Without signs, with one and with both; with an empty cache, a filled one and one that holds nonsense.
    #[test]
    fn what_is_kept_is_what_would_be_found() {
        let kept = Arc::new(MemoryCache::default());
        for round in 0..4 {
            for registered in [vec![], vec![A], vec![B, A]] {
                let mut signs = SignIndex::default();
                registered.into_iter().for_each(|it| signs.add(it));
                signs.keep_in(Arc::<MemoryCache>::clone(&kept));
                for n in 0..3 * WORTH_KEEPING {
                    let text = format!("{n}{}", ["", "a", "b", "xaxb"][n % 4]);
                    let file = File::new(Text::new(text.as_str()), 0o644);
                    let found = [signs.shows(&file, &A), signs.shows(&file, &B)];
                    assert_eq!(found, [text.contains('a'), text.contains('b')], "{round} {text}");
                }
            }
            let mut kept = kept.0.lock().unwrap();
            assert!(kept.len() >= 2 * WORTH_KEEPING, "{round}");
            if round == 1 {
                kept.values_mut().for_each(|it| it.push(7));
            }
        }
    }

    #[test]
    fn a_few_texts_are_not_worth_keeping() {
        let kept = Arc::new(MemoryCache::default());
        let mut signs = SignIndex::default();
        signs.add(A);
        signs.keep_in(Arc::<MemoryCache>::clone(&kept));
        for n in 1..WORTH_KEEPING {
            signs.shows(&File::new(Text::new(n.to_string()), 0o644), &A);
        }
        assert!(kept.0.lock().unwrap().is_empty());
    }
}
