//! Laws that hold for any bytes and any edits, and the generators for both.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::unified::tests::patched;
use crate::*;

/// The same cases in every run. `PROPTEST_CASES` asks for more of them.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig {
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Bytes with line ends of both kinds, characters of every width and pieces of broken ones.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        &b"a"[..],
        b"b",
        b"ab\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"  c",
        "é".as_bytes(),
        "€".as_bytes(),
        "😀".as_bytes(),
        b"\xC3",
        b"\xA9",
        b"\xE2\x82",
        b"\xF0\x9F\x98",
        b"\x80",
        b"\0",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn ascii() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(b"ab\n".to_vec()), 0..16)
}

fn wishes() -> impl Strategy<Value = Vec<(u32, u32, Vec<u8>)>> {
    prop::collection::vec((0..40_u32, prop::sample::select(vec![0, 0, 1, 2, 5]), bytes()), 0..6)
}

/// As many of the wished edits as fit together.
fn edit_set(text: &Text, wishes: &[(u32, u32, Vec<u8>)]) -> EditSet {
    let len = text.len() as u32;
    let mut edits = Vec::new();
    for (start, width, new) in wishes {
        let start = start % (len + 1);
        edits.push(Edit::replace(start, (start + width).min(len), new.clone()));
        if EditSet::new(text, edits.clone()).is_err() {
            edits.pop();
        }
    }
    EditSet::new(text, edits).unwrap()
}

/// AE-16: what a reader would do by hand, from the end of the text to its start.
fn applied_backwards(text: &Text, edits: &EditSet) -> Text {
    let mut result = text.bytes().to_vec();
    for edit in edits.edits().iter().rev() {
        result.splice(edit.start as usize..edit.end as usize, edit.text.iter().copied());
    }
    Text::new(result)
}

/// Whether every byte of `text` is left alone by `edits`.
fn untouched(text: &Text, edits: &EditSet) -> Vec<bool> {
    let mut untouched = vec![true; text.len()];
    for edit in edits.edits() {
        untouched[edit.start as usize..edit.end as usize].fill(false);
    }
    untouched
}

#[track_caller]
fn check_canonical(text: &Text, edits: &EditSet) {
    assert_eq!(EditSet::new(text, edits.edits().to_vec()).as_ref(), Ok(edits));
    assert!(
        edits.edits().is_sorted_by(|a, b| a.end < b.start),
        "edits that touch are one: {edits:?}"
    );
}

proptest! {
    #![proptest_config(config())]

    /// AE-10: no range makes a panic, and what is accepted lies on character boundaries inside the text.
    #[test]
    fn any_ranges_are_accepted_or_refused(
        bytes in bytes(),
        ranges in prop::collection::vec((prop_oneof![0..30_u32, any::<u32>()], prop_oneof![0..30_u32, any::<u32>()]), 0..4),
    ) {
        let text = Text::new(bytes);
        let edits = ranges.into_iter().map(|(start, end)| Edit::replace(start, end, "x")).collect();
        if let Ok(edits) = EditSet::new(&text, edits) {
            prop_assert_eq!(edits.apply(&text).unwrap(), applied_backwards(&text, &edits));
        }
    }

    /// AE-13, AE-15, AE-16.
    #[test]
    fn apply_is_the_same_as_from_the_end(bytes in bytes(), wishes in wishes()) {
        let text = Text::new(bytes);
        let edits = edit_set(&text, &wishes);
        prop_assert!(edits.edits().is_sorted_by_key(|edit| (edit.start, edit.end)));
        prop_assert_eq!(edits.apply(&text).unwrap(), applied_backwards(&text, &edits));
        let other = Text::new([text.bytes(), b"!"].concat());
        prop_assert_eq!(
            edits.apply(&other),
            Err(EditError::Stale { expected: text.hash(), found: other.hash() })
        );
    }

    #[test]
    fn the_inverse_takes_edits_back(bytes in bytes(), wishes in wishes()) {
        let text = Text::new(bytes);
        let edits = edit_set(&text, &wishes);
        let (result, inverse) = edits.invert(&text).unwrap();
        prop_assert_eq!(&result, &edits.apply(&text).unwrap());
        check_canonical(&result, &inverse);
        prop_assert_eq!(&inverse.apply(&result).unwrap(), &text);
        let nothing = edits.compose(&text, &inverse).unwrap();
        prop_assert!(nothing.is_empty(), "{:?}", nothing);
    }

    #[test]
    fn composed_edits_do_what_both_do(bytes in bytes(), a in wishes(), b in wishes(), c in wishes()) {
        let text = Text::new(bytes);
        let a = edit_set(&text, &a);
        let after_a = a.apply(&text).unwrap();
        let b = edit_set(&after_a, &b);
        let after_b = b.apply(&after_a).unwrap();
        let ab = a.compose(&text, &b).unwrap();
        check_canonical(&text, &ab);
        prop_assert_eq!(&ab.apply(&text).unwrap(), &after_b);

        let c = edit_set(&after_b, &c);
        let left = ab.compose(&text, &c).unwrap();
        let right = a.compose(&text, &b.compose(&after_a, &c).unwrap()).unwrap();
        prop_assert_eq!(left.apply(&text).unwrap(), right.apply(&text).unwrap());
        let nothing = EditSet::new(&text, vec![]).unwrap();
        prop_assert_eq!(nothing.compose(&text, &a).unwrap().apply(&text).unwrap(), after_a);
    }

    #[test]
    fn composed_edits_leave_alone_what_both_leave_alone(bytes in ascii(), a in wishes(), b in wishes()) {
        let text = Text::new(bytes);
        let keep_ascii = |wishes: Vec<(u32, u32, Vec<u8>)>| -> Vec<_> {
            wishes.into_iter().map(|(start, len, _)| (start, len, b"xy".to_vec())).collect()
        };
        let a = edit_set(&text, &keep_ascii(a));
        let middle = a.apply(&text).unwrap();
        let b = edit_set(&middle, &keep_ascii(b));
        let composed = a.compose(&text, &b).unwrap();
        let (by_a, by_b, by_both) = (untouched(&text, &a), untouched(&middle, &b), untouched(&text, &composed));
        let map = PositionMap::new(&a);
        for at in 0..text.len() {
            let in_middle = map.map(at as u32, Bias::After).offset() as usize;
            prop_assert!(!by_a[at] || !by_b[in_middle] || by_both[at], "byte {} of {:?}", at, composed);
        }
    }

    #[test]
    fn offsets_keep_their_order_and_their_bytes(bytes in bytes(), wishes in wishes()) {
        let text = Text::new(bytes);
        let edits = edit_set(&text, &wishes);
        let result = edits.apply(&text).unwrap();
        let map = PositionMap::new(&edits);
        let untouched = untouched(&text, &edits);
        let mut last = [0, 0];
        for offset in 0..=text.len() as u32 {
            let [before, after] = [Bias::Before, Bias::After].map(|bias| map.map(offset, bias));
            prop_assert_eq!(before, edits.map_offset(offset, Bias::Before));
            prop_assert!(before.offset() <= after.offset() && after.offset() as usize <= result.len());
            prop_assert!(last[0] <= before.offset() && last[1] <= after.offset());
            let is_inside = edits.edits().iter().any(|edit| edit.start < offset && offset < edit.end);
            prop_assert_eq!(matches!(before, Mapped::Deleted(_)), is_inside);
            prop_assert_eq!(matches!(after, Mapped::Deleted(_)), is_inside);
            let at = offset as usize;
            if at < text.len() && untouched[at] {
                prop_assert_eq!(result.bytes()[after.offset() as usize], text.bytes()[at]);
            }
            if at > 0 && untouched[at - 1] {
                prop_assert_eq!(result.bytes()[before.offset() as usize - 1], text.bytes()[at - 1]);
            }
            last = [before.offset(), after.offset()];
        }
        prop_assert_eq!(map.map(text.len() as u32, Bias::After).offset() as usize, result.len());
        map.map(u32::MAX, Bias::After);
    }

    #[test]
    fn a_diff_makes_the_new_text(old in bytes(), new in bytes()) {
        let (old, new) = (Text::new(old), Text::new(new));
        let edits = diff(&old, &new).unwrap();
        check_canonical(&old, &edits);
        prop_assert_eq!(edits.apply(&old).unwrap(), new);
    }

    #[test]
    fn a_unified_diff_makes_the_new_text(bytes in bytes(), wishes in wishes()) {
        let text = Text::new(bytes);
        let edits = edit_set(&text, &wishes);
        let file = ("f", FileMode::Regular);
        let diff = unified(&FileDiff::Changed { old: file, new: file, text: &text, edits: &edits }).unwrap();
        let result = edits.apply(&text).unwrap();
        prop_assert_eq!(diff.is_empty(), result == text);
        prop_assert_eq!(patched(text.bytes(), &diff), result.bytes());
    }

    #[test]
    fn line_index_agrees_with_counting(bytes in bytes(), any_position in any::<(u32, u32)>()) {
        let index = LineIndex::new(&bytes);
        for unit in [Unit::Byte, Unit::CodePoint, Unit::Utf16] {
            let mut found = std::collections::BTreeSet::new();
            for offset in 0..=bytes.len() as u32 + 2 {
                let position = index.position(offset, unit);
                prop_assert_eq!(position, counted(&bytes, offset as usize, unit));
                if let Some(position) = position {
                    prop_assert_eq!(index.offset(position, unit), Some(offset));
                    found.insert(position);
                }
            }
            for line in 0..index.line_count() + 1 {
                for column in 0..bytes.len() as u32 + 2 {
                    let position = Position { line, column };
                    prop_assert_eq!(index.offset(position, unit).is_some(), found.contains(&position));
                }
            }
            let _ = index.offset(Position { line: any_position.0, column: any_position.1 }, unit);
            let _ = index.offset(Position { line: 0, column: any_position.1 }, unit);
        }
    }
}

/// The position of `offset`, by decoding everything before it.
fn counted(bytes: &[u8], offset: usize, unit: Unit) -> Option<Position> {
    let before = bytes.get(..offset)?;
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u32;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let mut at = start;
    let mut column = 0;
    while at < offset {
        let width = (1..=4)
            .find(|width| {
                bytes.get(at..at + width).is_some_and(|it| std::str::from_utf8(it).is_ok())
            })
            .unwrap_or(1);
        at += width;
        column += match (unit, width) {
            (Unit::Byte, _) => width as u32,
            (Unit::Utf16, 4) => 2,
            _ => 1,
        };
    }
    (at == offset).then_some(Position { line, column })
}
