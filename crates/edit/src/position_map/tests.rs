//! Where every offset of a short text goes.

use super::*;
use crate::{Edit, Text};

/// One word for each offset: where it goes before and after insertions, in brackets if its place is gone.
#[track_caller]
fn check(before: &str, edits: &[(u32, u32, &str)], expected: &str) {
    let edits = edits.iter().map(|&(start, end, text)| Edit::replace(start, end, text)).collect();
    let map = PositionMap::new(&EditSet::new(&Text::new(before), edits).unwrap());
    let word = |offset| match [Bias::Before, Bias::After].map(|bias| map.map(offset, bias)) {
        [Mapped::Kept(before), Mapped::Kept(after)] if before == after => format!("{before}"),
        [Mapped::Kept(before), Mapped::Kept(after)] => format!("{before}-{after}"),
        [before, after] => format!("[{}-{}]", before.offset(), after.offset()),
    };
    let found: Vec<String> = (0..=before.len() as u32 + 1).map(word).collect();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn offsets_move_with_what_is_before_them() {
    check("abc", &[], "0 1 2 3 4");
    check("abc", &[(0, 1, "xyz")], "0 3 4 5 6");
    check("abc", &[(0, 1, "")], "0 0 1 2 3");
}

#[test]
fn an_insertion_splits_its_offset() {
    check("abc", &[(1, 1, "xy")], "0 1-3 4 5 6");
    check("abc", &[(1, 1, "x"), (1, 1, "y")], "0 1-3 4 5 6");
    check("abc", &[(3, 3, "x")], "0 1 2 3-4 5");
}

#[test]
fn the_ends_of_a_replacement_stay_and_its_inside_goes() {
    check("abcd", &[(1, 4, "xy")], "0 1 [1-3] [1-3] 3 4");
    check("abcd", &[(1, 3, "x"), (3, 4, "yz")], "0 1 [1-2] 2 4 5");
    check("abcd", &[(1, 1, "<"), (1, 3, "x"), (3, 3, ">")], "0 1-2 [2-3] 3-4 5 6");
}
