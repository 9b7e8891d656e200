//! How small composed edits are.

use super::*;

type Edits<'a> = &'a [(u32, u32, &'a str)];

#[track_caller]
fn check(before: &str, first: Edits<'_>, second: Edits<'_>, composed: Edits<'_>) {
    let list = |edits: Edits<'_>| -> Vec<Edit> {
        edits.iter().map(|&(start, end, text)| Edit::replace(start, end, text)).collect()
    };
    let text = Text::new(before);
    let first = EditSet::new(&text, list(first)).unwrap();
    let middle = first.apply(&text).unwrap();
    let second = EditSet::new(&middle, list(second)).unwrap();
    let found = first.compose(&text, &second).unwrap();
    assert_eq!(found.edits(), list(composed));
    assert_eq!(found.apply(&text), second.apply(&middle));
}

#[test]
fn edits_that_do_not_touch_stay_apart() {
    check("abcdef", &[(0, 1, "xyz")], &[(7, 8, "F")], &[(0, 1, "xyz"), (5, 6, "F")]);
    check("abcdef", &[(5, 6, "F")], &[(0, 1, "")], &[(0, 1, ""), (5, 6, "F")]);
}

#[test]
fn edits_that_touch_become_one() {
    check("abcdef", &[(1, 3, "X")], &[(2, 3, "Y")], &[(1, 4, "XY")]);
    check("abcdef", &[(2, 2, "12345")], &[(3, 5, "-")], &[(2, 2, "1-45")]);
    check("abcdef", &[(1, 2, "B"), (4, 5, "E")], &[(0, 6, "")], &[(0, 6, "")]);
    check("abcdef", &[(1, 3, "")], &[(1, 1, "x")], &[(1, 3, "x")]);
}

#[test]
fn what_is_put_back_is_not_edited() {
    check("abcdef", &[(2, 2, "x")], &[(2, 3, "")], &[]);
    check("abcdef", &[(1, 5, "x")], &[(1, 2, "bcXe")], &[(3, 4, "X")]);
    check("é", &[(0, 2, "e")], &[(0, 1, "è")], &[(0, 2, "è")]);
}

#[test]
fn edits_for_another_text_are_refused() {
    let (text, other) = (Text::new("a"), Text::new("b"));
    let edits = EditSet::new(&text, vec![Edit::insert(0, "x")]).unwrap();
    let stale = |expected: &Text, found: &Text| {
        Err(EditError::Stale { expected: expected.hash(), found: found.hash() })
    };
    assert_eq!(edits.compose(&text, &edits), stale(&text, &Text::new("xa")));
    assert_eq!(edits.compose(&other, &edits), stale(&text, &other));
}
