//! Where UTF-8 characters begin and end in bytes that need not be UTF-8 as a whole.
//!
//! A character here is a well-formed multi-byte sequence. Stray bytes belong to no character: an offset
//! beside one of them is as good as any other.

use std::ops::Range;

/// The multi-byte character that `offset` lies strictly inside of.
pub(crate) fn around(bytes: &[u8], offset: u32) -> Option<Range<u32>> {
    let at = offset as usize;
    if !bytes.get(at).is_some_and(|&byte| is_continuation(byte)) {
        return None;
    }
    let lead = (at.saturating_sub(3)..at).rev().find(|&before| !is_continuation(bytes[before]))?;
    let width = match bytes[lead] {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let is_character = lead + width > at
        && bytes.get(lead..lead + width).is_some_and(|it| std::str::from_utf8(it).is_ok());
    is_character.then(|| lead as u32..(lead + width) as u32)
}

/// `offset`, or the start of the character around it.
pub(crate) fn floor(bytes: &[u8], offset: u32) -> u32 {
    around(bytes, offset).map_or(offset, |character| character.start)
}

/// `offset`, or the end of the character around it.
pub(crate) fn ceil(bytes: &[u8], offset: u32) -> u32 {
    around(bytes, offset).map_or(offset, |character| character.end)
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], inside: &[u32]) {
        let found: Vec<u32> = (0..=bytes.len() as u32 + 1)
            .filter(|&offset| around(bytes, offset).is_some())
            .collect();
        assert_eq!(found, inside, "in {bytes:x?}");
    }

    #[test]
    fn offsets_inside_well_formed_characters_are_inside() {
        check("aé€😀".as_bytes(), &[2, 4, 5, 7, 8, 9]);
        let ends_of_the_widths = "\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}";
        check(ends_of_the_widths.as_bytes(), &[1, 3, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17]);
    }

    #[test]
    fn stray_and_cut_off_bytes_are_no_characters() {
        check(b"\x80\x80", &[]);
        check(b"\xC3a", &[]);
        check(b"\xE2\x82", &[]);
        check(b"\xC0\x80", &[]);
        check(b"\xED\xA0\x80", &[]);
        check(b"\xC3\xA9\xA9", &[1]);
        check(b"\xF5\x80\x80\x80", &[]);
    }
}
