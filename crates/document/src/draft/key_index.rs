//! Where the keys of an object stand. A map of a large file has hundreds of thousands of keys, so their texts stand
//! in one string and not each in a box of its own.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Keys and the positions of their members.
#[derive(Default)]
pub(super) struct KeyIndex {
    /// The keys, one after the other; those that were removed stay.
    text: String,
    table: HashTable<Entry>,
    hasher: DefaultHashBuilder,
}

/// Half the size it would have with `usize`: a text has fewer than 4 GiB of keys.
struct Entry {
    start: u32,
    end: u32,
    position: u32,
}

impl Entry {
    fn key<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start as usize..self.end as usize]
    }
}

impl KeyIndex {
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    pub(super) fn reserve(&mut self, count: usize) {
        let KeyIndex { text, table, hasher } = self;
        table.reserve(count, |entry| hasher.hash_one(entry.key(text)));
    }

    pub(super) fn get(&self, key: &str) -> Option<usize> {
        let entry =
            self.table.find(self.hasher.hash_one(key), |entry| entry.key(&self.text) == key)?;
        Some(entry.position as usize)
    }

    pub(super) fn insert(&mut self, key: &str, position: usize) {
        let position = offset(position);
        let KeyIndex { text, table, hasher } = self;
        let hash = hasher.hash_one(key);
        if let Some(entry) = table.find_mut(hash, |entry| entry.key(text) == key) {
            entry.position = position;
            return;
        }
        let start = offset(text.len());
        text.push_str(key);
        let entry = Entry { start, end: offset(text.len()), position };
        table.insert_unique(hash, entry, |entry| hasher.hash_one(entry.key(text)));
    }

    pub(super) fn remove(&mut self, key: &str) {
        let KeyIndex { text, table, hasher } = self;
        if let Ok(entry) = table.find_entry(hasher.hash_one(key), |entry| entry.key(text) == key) {
            entry.remove();
        }
    }
}

fn offset(offset: usize) -> u32 {
    u32::try_from(offset).expect("texts of 4 GiB and more are refused before they are parsed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_go_and_come_back() {
        let mut index = KeyIndex::default();
        for position in 0..1000 {
            index.insert(&format!("key {position}"), position);
        }
        index.insert("", 1000);
        index.insert("key 7", 1001);
        index.remove("key 8");
        index.remove("absent");
        assert_eq!(index.len(), 1000);
        assert_eq!(index.get("key 7"), Some(1001));
        assert_eq!(index.get("key 8"), None);
        assert_eq!(index.get(""), Some(1000));
        index.insert("key 8", 8);
        assert_eq!(index.get("key 8"), Some(8));
    }
}
