//! What can be edited and what is refused (AE-10, AE-49), one line each. Every case that is accepted is also taken
//! back.

use super::*;

/// `after` is the text after the edits, or why they are refused.
#[track_caller]
fn check(before: &str, edits: &[(u32, u32, &str)], after: &str) {
    check_bytes(before.as_bytes(), edits, after.as_bytes());
}

#[track_caller]
fn check_bytes(before: &[u8], edits: &[(u32, u32, &str)], after: &[u8]) {
    let text = Text::new(before);
    let edits = edits.iter().map(|&(start, end, text)| Edit::replace(start, end, text)).collect();
    let found = EditSet::new(&text, edits).map(|edits| {
        let (result, inverse) = edits.invert(&text).unwrap();
        assert_eq!(edits.apply(&text), Ok(result.clone()));
        assert_eq!(inverse.apply(&result).unwrap().bytes(), before);
        assert!(edits.compose(&text, &inverse).unwrap().is_empty());
        result.bytes().to_vec()
    });
    let found = found.unwrap_or_else(|error| error.to_string().into_bytes());
    assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(after));
}

#[test]
fn edits_are_made_in_order_of_position() {
    check("abcdef", &[(4, 6, "Y"), (0, 1, "X"), (2, 2, "-")], "Xb-cdY");
    check("", &[(0, 0, "x")], "x");
    check("abc", &[], "abc");
    check("abc", &[(0, 3, "")], "");
}

/// AE-19: inside one set the author's order decides.
#[test]
fn insertions_at_one_point_keep_their_order() {
    check("ab", &[(1, 1, "2"), (1, 1, "1")], "a21b");
    check("abc", &[(1, 2, "X"), (1, 1, "<"), (2, 2, ">")], "a<X>c");
}

/// AE-11.
#[test]
fn equal_edits_collapse() {
    check("ab", &[(1, 1, "x"), (1, 1, "x")], "axb");
    check("ab", &[(1, 1, "x"), (1, 1, "y"), (1, 1, "x")], "axyb");
    check("abc", &[(0, 2, "x"), (0, 2, "x")], "xc");
    check("abc", &[(1, 1, ""), (0, 2, "x")], "xc");
}

/// AE-11.
#[test]
fn edits_of_the_same_bytes_are_refused() {
    check("abcd", &[(2, 4, "x"), (0, 3, "y")], "edits 0..3 and 2..4 overlap");
    check("abcd", &[(0, 2, "x"), (0, 2, "y")], "edits 0..2 and 0..2 overlap");
    check("abcd", &[(1, 1, "x"), (0, 2, "y")], "edits 0..2 and 1..1 overlap");
    check("abcd", &[(0, 2, "x"), (2, 4, "y")], "xy");
}

/// AE-10.
#[test]
fn ranges_outside_the_text_are_refused() {
    check("abc", &[(2, 1, "")], "edit 2..1 ends before it starts");
    check("abc", &[(1, 4, "")], "edit 1..4 reaches beyond the text of 3 bytes");
    check("abc", &[(4, 4, "x")], "edit 4..4 reaches beyond the text of 3 bytes");
    check("abc", &[(0, u32::MAX, "")], "edit 0..4294967295 reaches beyond the text of 3 bytes");
    check("abc", &[(3, 3, "x")], "abcx");
}

/// AE-10.
#[test]
fn offsets_inside_a_character_are_refused() {
    check("é", &[(1, 2, "")], "offset 1 lies inside a character");
    check("€", &[(0, 2, "")], "offset 2 lies inside a character");
    check("😀", &[(3, 3, "")], "offset 3 lies inside a character");
    check("é€", &[(0, 2, "e")], "e€");
}

#[test]
fn bytes_that_are_no_characters_can_be_edited() {
    check_bytes(b"\xC3\xFF\x80\x80", &[(1, 2, "x"), (3, 4, "")], b"\xC3x\x80");
}

/// The lead byte and the inserted byte make a character that the inverse may not cut.
#[test]
fn an_inverse_stays_on_character_boundaries() {
    let text = Text::new(b"a\xC3b".to_vec());
    let edits = EditSet::new(&text, vec![Edit::insert(2, vec![0xA9])]).unwrap();
    let (result, inverse) = edits.invert(&text).unwrap();
    assert_eq!(result.bytes(), "aéb".as_bytes());
    assert_eq!(inverse.edits(), [Edit::replace(1, 3, vec![0xC3])]);
    assert_eq!(inverse.apply(&result), Ok(text));
}

/// The first of the edits grows by the kept byte, so that the second touches it.
#[test]
fn an_inverse_joins_edits_that_touch_once_they_are_widened() {
    let text = Text::new(b"a\xA9b".to_vec());
    let edits = vec![Edit::replace(0, 1, vec![0xC3]), Edit::replace(2, 3, "c")];
    let (result, inverse) = EditSet::new(&text, edits).unwrap().invert(&text).unwrap();
    assert_eq!(result.bytes(), "éc".as_bytes());
    assert_eq!(inverse.edits(), [Edit::replace(0, 3, b"a\xA9b".to_vec())]);
}

/// Two deletions that touch come back as one insertion: two equal ones would read as a duplicate.
#[test]
fn an_inverse_joins_edits_that_touch() {
    let text = Text::new("xabab");
    let edits = EditSet::new(&text, vec![Edit::delete(1, 3), Edit::delete(3, 5)]).unwrap();
    let (_, inverse) = edits.invert(&text).unwrap();
    assert_eq!(inverse.edits(), [Edit::insert(1, "abab")]);
}

#[test]
fn a_hash_reads_back_what_it_writes() {
    let hash = ContentHash::of(b"text");
    assert_eq!(hash.to_string().parse(), Ok(hash));
    let not_hex = hash.to_string().replace('0', "g");
    for bad in [
        "",
        "blake3:",
        "blake3:00",
        &not_hex,
        &hash.to_string().to_uppercase(),
        &format!("{hash}0"),
    ] {
        assert!(bad.parse::<ContentHash>().is_err(), "{bad}");
    }
}
