//! Where those who find things keep what they found out about single files, for the next process.

use std::sync::Arc;

use edit::ContentHash;

/// Stands for everything that what is kept depends on.
pub type CacheKey = [u8; 32];

/// A family of keys: what all of them depend on is hashed once.
#[derive(Clone, Debug)]
pub struct CacheKeys([u8; 32]);

impl CacheKeys {
    /// The keys of one use, and of everything that all that is kept for it depends on. Each part has a fixed length, or
    /// is the last one.
    pub fn new<'a>(usage: &str, parts: impl IntoIterator<Item = &'a [u8]>) -> CacheKeys {
        let mut hasher = blake3::Hasher::new_derive_key(usage);
        for part in parts {
            hasher.update(part);
        }
        CacheKeys(*hasher.finalize().as_bytes())
    }

    /// The key of one file's bytes, and of whatever else of it counts.
    pub fn of(&self, content: ContentHash, rest: &[u8]) -> CacheKey {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(content.as_bytes()).update(rest);
        *hasher.finalize().as_bytes()
    }
}

/// Keeps bytes by key. It may forget anything at any time; what it gives back is what was put.
pub trait Cache: Send + Sync {
    /// The bytes with this key, if they are still there.
    fn get(&self, key: &CacheKey) -> Option<Arc<[u8]>>;

    /// Keeps the bytes, or does not.
    fn put(&self, key: CacheKey, bytes: Vec<u8>);
}
