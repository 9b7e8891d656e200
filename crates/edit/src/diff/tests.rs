//! How small the edits between two texts are, and what happens to texts that are too different.

use super::*;

#[track_caller]
fn check(old: &str, new: &str, edits: &[(u32, u32, &str)]) {
    let (old, new) = (Text::new(old), Text::new(new));
    let found = diff(&old, &new).unwrap();
    assert_eq!(found.apply(&old).unwrap(), new);
    let expected: Vec<Edit> =
        edits.iter().map(|&(start, end, text)| Edit::replace(start, end, text)).collect();
    assert_eq!(found.edits(), expected);
}

#[test]
fn equal_texts_have_no_edits() {
    check("a\n", "a\n", &[]);
    check("", "", &[]);
}

#[test]
fn edits_are_trimmed_to_what_differs() {
    check("port: 80\n", "port: 8080\n", &[(8, 8, "80")]);
    check("", "a", &[(0, 0, "a")]);
    check("a", "", &[(0, 1, "")]);
    check("x\na: 1\nb: 2\nc: 3\ny\n", "x\na: 7\nb: 2\nc: 4\ny\n", &[(5, 6, "7"), (15, 16, "4")]);
}

#[test]
fn edits_take_whole_characters() {
    check("é", "è", &[(0, 2, "è")]);
    check("a😀b", "a😁b", &[(1, 5, "😁")]);
}

#[test]
fn repeated_lines_are_compared_between_anchors() {
    check("{\n1\n}\nx\n{\n2\n}\n", "{\n0\n1\n}\nx\n{\n}\n", &[(2, 2, "0\n"), (10, 12, "")]);
}

#[test]
fn repeated_lines_without_an_anchor_are_compared() {
    check("p\na\na\nq\n", "P\na\na\nQ\n", &[(0, 1, "P"), (6, 7, "Q")]);
}

#[test]
fn too_many_repeated_lines_become_one_replacement() {
    let old = "a\nb\n".repeat(MAX_COMPARED_LINES);
    let new = "b\nb\na\n".repeat(MAX_COMPARED_LINES);
    let (old, new) = (Text::new(old), Text::new(new));
    let edits = diff(&old, &new).unwrap();
    assert_eq!(edits.edits().len(), 1);
    assert_eq!(edits.apply(&old).unwrap(), new);
}

#[test]
fn one_changed_line_in_a_large_text_is_one_small_edit() {
    let line = |n: usize, text: &str| format!("key{n}: {text}\n");
    let old: String = (0..50_000).map(|n| line(n, "old")).collect();
    let new: String =
        (0..50_000).map(|n| line(n, if n % 10_000 == 5 { "new" } else { "old" })).collect();
    let edits = diff(&Text::new(old), &Text::new(new)).unwrap();
    assert_eq!(edits.edits().len(), 5);
    assert!(edits.edits().iter().all(|edit| *edit.text == *b"new"));
}
