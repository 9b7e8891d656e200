//! Numbers that look random and are the same in every run, and slips of the pen.

use std::collections::BTreeSet;

/// A small generator of numbers, from a seed.
pub(crate) struct Random(u64);

impl Random {
    /// Different words give different numbers.
    pub(crate) fn new(words: &[&str]) -> Random {
        let mut state = 0xcbf2_9ce4_8422_2325_u64;
        for byte in words.iter().flat_map(|it| it.bytes().chain([0])) {
            state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Random(state)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// At most `count` of these, in another order.
    pub(super) fn some<T>(&mut self, mut all: Vec<T>, count: usize) -> Vec<T> {
        for index in (1..all.len()).rev() {
            all.swap(index, self.below(index + 1));
        }
        all.truncate(count);
        all
    }

    /// A name that a person may have typed for this one and that means nothing: two letters swapped, one left out, one
    /// twice, one for another. `None` if every slip that was tried means something.
    pub(super) fn typo(&mut self, name: &str, taken: &BTreeSet<String>) -> Option<String> {
        let letters: Vec<char> = name.chars().collect();
        (0..12).find_map(|_| {
            let made = self.slip(&letters);
            let is_name = made != "_" && !KEYWORDS.contains(&made.as_str());
            (made != name && is_name && !taken.contains(&made)).then_some(made)
        })
    }

    fn slip(&mut self, letters: &[char]) -> String {
        let mut made = letters.to_vec();
        // The first letter says what kind of name it is.
        let at = 1 + self.below((letters.len() - 1).max(1));
        match self.below(4) {
            0 if at + 1 < letters.len() => made.swap(at, at + 1),
            1 if letters.len() > 3 => {
                made.remove(at);
            }
            2 if letters.len() > 3 && letters[at].is_ascii_lowercase() => {
                made[at] = char::from(b'a' + self.below(26) as u8);
            }
            _ => made.insert(at, letters[at - 1]),
        }
        made.into_iter().collect()
    }
}

const KEYWORDS: [&str; 25] = [
    "fn", "let", "mut", "if", "else", "match", "for", "in", "while", "loop", "return", "break",
    "continue", "type", "rec", "sum", "mod", "use", "external", "pre", "post", "assert", "true",
    "false", "js",
];
