//! Where those who find things keep what they found out about single files, for the next process.

use std::sync::Arc;

/// Stands for everything that what is kept depends on.
pub type CacheKey = [u8; 32];

/// Keeps bytes by key. It may forget anything at any time; what it gives back is what was put.
pub trait Cache: Send + Sync {
    /// The bytes with this key, if they are still there.
    fn get(&self, key: &CacheKey) -> Option<Arc<[u8]>>;

    /// Keeps the bytes, or does not.
    fn put(&self, key: CacheKey, bytes: Vec<u8>);
}
