//! What the diffs look like, and a small applier for them.

use super::*;
use crate::Edit;

#[track_caller]
fn check(before: &str, edits: Vec<Edit>) -> String {
    let text = Text::new(before);
    let edits = EditSet::new(&text, edits).unwrap();
    let file = ("f", FileMode::Regular);
    let diff =
        unified(&FileDiff::Changed { old: file, new: file, text: &text, edits: &edits }).unwrap();
    assert_eq!(patched(before.as_bytes(), &diff), edits.apply(&text).unwrap().bytes());
    String::from_utf8(diff).unwrap()
}

/// Applies a diff of one file strictly: every line must be where the hunk says it is.
pub(crate) fn patched(old: &[u8], diff: &[u8]) -> Vec<u8> {
    let old: Vec<&[u8]> = changes::lines(old).collect();
    let mut diff = changes::lines(diff).skip_while(|line| !line.starts_with(b"@@")).peekable();
    let mut new: Vec<u8> = Vec::new();
    let (mut at, mut n_new) = (0, 0);
    while let Some(header) = diff.next() {
        let header = std::str::from_utf8(header).unwrap();
        let [_, old_range, new_range, _] = header.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("hunk header {header}")
        };
        let (start, mut old_left) = parse_range(old_range, '-');
        let (new_start, mut new_left) = parse_range(new_range, '+');
        assert!(start >= at, "hunks are in order");
        n_new += start - at;
        old[at..start].iter().for_each(|line| new.extend_from_slice(line));
        at = start;
        assert_eq!(n_new, new_start, "the new range of {header}");
        while old_left + new_left > 0 {
            let line = diff.next().unwrap();
            let is_cut = diff.next_if(|next| next.starts_with(b"\\ No newline")).is_some();
            let content = if is_cut { &line[1..line.len() - 1] } else { &line[1..] };
            if matches!(line[0], b' ' | b'-') {
                assert_eq!(content, old[at]);
                at += 1;
                old_left -= 1;
            }
            if matches!(line[0], b' ' | b'+') {
                assert!(
                    new.is_empty() || new.ends_with(b"\n"),
                    "only the last line may lack its end"
                );
                new.extend_from_slice(content);
                n_new += 1;
                new_left -= 1;
            }
        }
    }
    assert!(
        at == old.len() || new.is_empty() || new.ends_with(b"\n"),
        "only the last line may lack its end"
    );
    old[at..].iter().for_each(|line| new.extend_from_slice(line));
    new
}

fn parse_range(range: &str, sign: char) -> (usize, usize) {
    let range = range.strip_prefix(sign).unwrap();
    let (start, count) = range.split_once(',').unwrap_or((range, "1"));
    let (start, count): (usize, usize) = (start.parse().unwrap(), count.parse().unwrap());
    (if count == 0 { start } else { start - 1 }, count)
}

#[test]
fn near_changes_share_a_hunk_and_far_ones_do_not() {
    let text: String = (0..30).map(|line| format!("{line:02}\n")).collect();
    let diff = check(
        &text,
        vec![Edit::replace(12, 14, "four"), Edit::insert(33, "new\n"), Edit::delete(54, 57)],
    );
    insta::assert_snapshot!(diff, @"
    diff --git a/f b/f
    --- a/f
    +++ b/f
    @@ -2,13 +2,14 @@
     01
     02
     03
    -04
    +four
     05
     06
     07
     08
     09
     10
    +new
     11
     12
     13
    @@ -16,7 +17,6 @@
     15
     16
     17
    -18
     19
     20
     21
    ");
}

#[test]
fn lines_that_stay_equal_are_not_shown() {
    insta::assert_snapshot!(check("a\nb\nc\n", vec![Edit::replace(0, 6, "a\nB\nc\n")]), @"
    diff --git a/f b/f
    --- a/f
    +++ b/f
    @@ -1,3 +1,3 @@
     a
    -b
    +B
     c
    ");
    assert_eq!(check("a\nb\n", vec![Edit::replace(0, 4, "a\nb\n")]), "");
}

#[test]
fn joined_lines_take_the_next_line_with_them() {
    insta::assert_snapshot!(check("a\nb\nc\n", vec![Edit::delete(1, 2)]), @"
    diff --git a/f b/f
    --- a/f
    +++ b/f
    @@ -1,3 +1,2 @@
    -a
    -b
    +ab
     c
    ");
}

#[test]
fn a_missing_final_newline_is_told() {
    insta::assert_snapshot!(check("a\nb", vec![Edit::insert(3, "\nc")]), @r#"
    diff --git a/f b/f
    --- a/f
    +++ b/f
    @@ -1,2 +1,3 @@
     a
    -b
    \ No newline at end of file
    +b
    +c
    \ No newline at end of file
    "#);
    insta::assert_snapshot!(check("a\nb\n", vec![Edit::delete(3, 4)]), @r#"
    diff --git a/f b/f
    --- a/f
    +++ b/f
    @@ -1,2 +1,2 @@
     a
    -b
    +b
    \ No newline at end of file
    "#);
}

#[test]
fn an_emptied_file_stays_a_file() {
    insta::assert_snapshot!(check("a\n", vec![Edit::delete(0, 2)]), @"
    diff --git a/f b/f
    --- a/f
    +++ b/f
    @@ -1 +0,0 @@
    -a
    ");
    insta::assert_snapshot!(check("", vec![Edit::insert(0, "a\n")]), @"
    diff --git a/f b/f
    --- a/f
    +++ b/f
    @@ -0,0 +1 @@
    +a
    ");
}

#[test]
fn created_deleted_and_renamed_files_have_git_headers() {
    let (text, empty) = (Text::new("a\nb\n"), Text::new(""));
    let edits = EditSet::new(&text, vec![Edit::replace(0, 1, "x")]).unwrap();
    let none = EditSet::new(&text, vec![]).unwrap();
    let (regular, executable) = (FileMode::Regular, FileMode::Executable);
    let diffs = [
        FileDiff::Added { path: "new", mode: executable, text: &text },
        FileDiff::Added { path: "none", mode: regular, text: &empty },
        FileDiff::Deleted { path: "gone", mode: regular, text: &text },
        FileDiff::Deleted { path: "gone too", mode: regular, text: &empty },
        FileDiff::Changed {
            old: ("a", regular),
            new: ("b\t\"c\"", regular),
            text: &text,
            edits: &edits,
        },
        FileDiff::Changed {
            old: ("a", regular),
            new: ("b", executable),
            text: &text,
            edits: &none,
        },
        FileDiff::Changed { old: ("a", regular), new: ("a", regular), text: &text, edits: &none },
    ];
    let diff: Vec<u8> = diffs.iter().flat_map(|diff| unified(diff).unwrap()).collect();
    insta::assert_snapshot!(String::from_utf8(diff).unwrap(), @r#"
    diff --git a/new b/new
    new file mode 100755
    --- /dev/null
    +++ b/new
    @@ -0,0 +1,2 @@
    +a
    +b
    diff --git a/none b/none
    new file mode 100644
    index 0000000..e69de29
    diff --git a/gone b/gone
    deleted file mode 100644
    --- a/gone
    +++ /dev/null
    @@ -1,2 +0,0 @@
    -a
    -b
    diff --git "a/gone too" "b/gone too"
    deleted file mode 100644
    index e69de29..0000000
    diff --git a/a "b/b\t\"c\""
    similarity index 75%
    rename from a
    rename to "b\t\"c\""
    --- a/a
    +++ "b/b\t\"c\""
    @@ -1,2 +1,2 @@
    -a
    +x
     b
    diff --git a/a b/b
    old mode 100644
    new mode 100755
    similarity index 100%
    rename from a
    rename to b
    "#);
}

#[test]
fn edits_for_another_text_are_refused() {
    let text = Text::new("a");
    let edits = EditSet::new(&text, vec![Edit::insert(0, "x")]).unwrap();
    let file = ("f", FileMode::Regular);
    let other = Text::new("b");
    let result = unified(&FileDiff::Changed { old: file, new: file, text: &other, edits: &edits });
    assert_eq!(result, Err(EditError::Stale { expected: text.hash(), found: other.hash() }));
}

#[test]
fn many_edits_to_one_long_line_are_one_change() {
    let text = Text::new(vec![b'x'; 1 << 20]);
    let edits = (0..1 << 14).map(|n| Edit::insert(n * 64 + 1, "y")).collect();
    let edits = EditSet::new(&text, edits).unwrap();
    let changes = changes::changed_lines(&text, &edits).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].new, edits.apply(&text).unwrap().bytes());
}
