//! Columns in every unit, and the places that do not exist.

use super::*;

#[track_caller]
fn check(text: &[u8], offset: u32, line: u32, [bytes, code_points, utf16]: [u32; 3]) {
    let index = LineIndex::new(text);
    for (unit, column) in
        [(Unit::Byte, bytes), (Unit::CodePoint, code_points), (Unit::Utf16, utf16)]
    {
        let position = Position { line, column };
        assert_eq!(index.position(offset, unit), Some(position), "{unit:?}");
        assert_eq!(index.offset(position, unit), Some(offset), "{unit:?}");
    }
}

#[test]
fn columns_count_in_their_unit() {
    let text = "é€😀x\n😀y".as_bytes();
    check(text, 0, 0, [0, 0, 0]);
    check(text, 2, 0, [2, 1, 1]);
    check(text, 5, 0, [5, 2, 2]);
    check(text, 9, 0, [9, 3, 4]);
    check(text, 10, 0, [10, 4, 5]);
    check(text, 11, 1, [0, 0, 0]);
    check(text, 15, 1, [4, 1, 2]);
    check(text, 16, 1, [5, 2, 3]);
}

#[test]
fn broken_bytes_are_one_column_each() {
    check(b"\xE2\x82x\xFF", 4, 0, [4, 4, 4]);
    check(b"\xE2\x82\xC3\xA9x", 4, 0, [4, 3, 3]);
}

#[test]
fn lines_end_with_newline_and_crlf_only() {
    let index = LineIndex::new(b"a\r\nb\rc\n\n");
    let ranges: Vec<_> = (0..5).map(|line| index.line_range(line)).collect();
    assert_eq!(ranges, [Some(0..1), Some(3..6), Some(7..7), Some(8..8), None]);
    assert_eq!(index.line_count(), 4);
    assert_eq!(LineIndex::new(b"").line_range(0), Some(0..0));
    assert_eq!(LineIndex::new(b"\r\n").line_range(0), Some(0..0));
}

#[test]
fn places_that_do_not_exist_are_none() {
    let index = LineIndex::new("é\r\n😀".as_bytes());
    let at = |line, column| Position { line, column };
    assert_eq!(index.position(1, Unit::Byte), None);
    assert_eq!(index.position(9, Unit::Byte), None);
    assert_eq!(index.offset(at(0, 1), Unit::Byte), None);
    assert_eq!(index.offset(at(1, 1), Unit::Utf16), None);
    assert_eq!(index.offset(at(1, 2), Unit::CodePoint), None);
    assert_eq!(index.offset(at(2, 0), Unit::Byte), None);
    assert_eq!(index.offset(at(0, u32::MAX), Unit::Utf16), None);
    // Between `\r` and `\n` there is a place, and none after them in the same line.
    assert_eq!(index.offset(at(0, 2), Unit::CodePoint), Some(3));
    assert_eq!(index.offset(at(0, 3), Unit::CodePoint), None);
}
