//! Every unit against a slow reading of the same text, and texts that are not UTF-8.

use proptest::prelude::*;

use super::*;

const TEXT: &str = "\u{feff}é😀x\r\n\ta😀b\rc\u{2028}d\n";

fn places(text: &str) -> PositionIndex {
    PositionIndex::new(Text::new(text)).unwrap()
}

#[test]
fn columns_of_every_unit() {
    let places = places(TEXT);
    let check =
        |dialect: PositionDialect, line: u64, column: u64, expected: Result<&str, Misfit>| {
            let found = places.byte(ToolPosition::Column { line, column }, &dialect);
            let found = found.map(|it| &TEXT[it as usize..]);
            let expected = expected.map(|it| &TEXT[TEXT.find(it).unwrap()..]);
            assert_eq!(found, expected, "{dialect:?} {line}:{column}");
        };
    let (byte, point, utf16) = (
        PositionDialect::columns(PositionUnit::Byte),
        PositionDialect::columns(PositionUnit::CodePoint),
        PositionDialect::columns(PositionUnit::Utf16),
    );
    check(byte, 1, 10, Ok("x"));
    check(byte, 1, 6, Ok("😀x"));
    check(byte, 1, 7, Err(Misfit::InsideCharacter));
    check(point, 1, 4, Ok("x"));
    check(point.without_bom(), 1, 3, Ok("x"));
    check(utf16, 1, 5, Ok("x"));
    check(utf16.without_bom(), 1, 4, Ok("x"));
    check(utf16.without_bom(), 1, 3, Err(Misfit::InsideCharacter));
    check(point, 2, 3, Ok("😀b"));
    check(point.lines(LineEnds::Cr), 3, 1, Ok("c"));
    check(point.lines(LineEnds::Ecma), 4, 1, Ok("d\n"));
    check(PositionDialect::columns(PositionUnit::TabStop), 2, 9, Ok("a😀b"));
    check(PositionDialect::columns(PositionUnit::TabStop), 2, 11, Ok("b\r"));
    check(PositionDialect::columns(PositionUnit::TabStop), 2, 5, Err(Misfit::InsideCharacter));
    check(utf16.from(0, 0), 1, 2, Ok("😀b"));
    check(point, 0, 1, Err(Misfit::NoLine { line: 0, lines: 3 }));
    check(point, 9, 1, Err(Misfit::NoLine { line: 9, lines: 3 }));
    check(point, 1, 0, Err(Misfit::NoColumn { line: 1, column: 0 }));
    check(point, 1, 99, Err(Misfit::NoColumn { line: 1, column: 99 }));
}

#[test]
fn the_mark_before_the_text_is_at_minus_one() {
    let places = places(TEXT);
    let utf16 = PositionDialect::offsets(PositionUnit::Utf16).without_bom();
    let span =
        |from: i64, to: i64| Span::Between(ToolPosition::Offset(from), ToolPosition::Offset(to));
    assert_eq!(places.bytes(span(-1, 0), &utf16), Ok(0..3));
    assert_eq!(places.bytes(span(-2, 0), &utf16), Err(Misfit::NoOffset { offset: -2 }));
    assert_eq!(places.bytes(span(1, 0), &utf16), Err(Misfit::Inverted));
    assert_eq!(places.bytes(span(0, 999), &utf16), Err(Misfit::NoOffset { offset: 999 }));
    let plain = PositionIndex::new(Text::new("x")).unwrap();
    assert_eq!(plain.bytes(span(-1, 0), &utf16), Err(Misfit::NoOffset { offset: -1 }));
}

#[test]
fn an_edit_must_replace_what_it_says() {
    let places = places("a teh b");
    let span = Span::Between(ToolPosition::Offset(2), ToolPosition::Offset(5));
    let dialect = PositionDialect::offsets(PositionUnit::Byte);
    assert!(places.edit(span, &dialect, Some("teh"), "the").is_ok());
    let misfit = places.edit(span, &dialect, Some("the"), "x").unwrap_err();
    assert_eq!(misfit.to_string(), "expected `the` at the position, found `teh`");
}

#[test]
fn lines_words_and_line_ends() {
    let text = places("\u{feff}one two\r\n\r\nx");
    let dialect = PositionDialect::columns(PositionUnit::CodePoint);
    let under = |span: Span| {
        let range = text.bytes(span, &dialect).unwrap();
        String::from_utf8_lossy(&text.text().bytes()[range.start as usize..range.end as usize])
            .into_owned()
    };
    let at = |line: u64, column: u64| ToolPosition::Column { line, column };
    assert_eq!(under(Span::Line(1)), "one two");
    assert_eq!(under(Span::Line(2)), "");
    assert_eq!(under(Span::Line(3)), "x");
    assert_eq!(under(Span::Word(at(1, 6))), "two");
    assert_eq!(under(Span::Word(at(1, 5))), " ");
    assert_eq!(under(Span::Word(at(2, 1))), "");
    assert_eq!(under(Span::ToLineEnd(at(1, 6), 1)), "two");
    assert_eq!(text.line_end(), "\r\n");
    assert_eq!(places("a\r\nb\n").line_end(), "\n");
    assert_eq!(text.line_of(3), 0);
    assert_eq!(text.line_of(12), 1);
}

#[test]
fn a_line_that_is_too_long_has_no_tab_stops() {
    let text = PositionIndex::new(Text::new(vec![b'\t'; MAX_SCANNED + 1])).unwrap();
    let place = ToolPosition::Column { line: 1, column: 9 };
    assert_eq!(
        text.byte(place, &PositionDialect::columns(PositionUnit::TabStop)),
        Err(Misfit::TooLarge)
    );
}

/// The number of units of a text.
fn width(text: &str, unit: PositionUnit) -> usize {
    match unit {
        PositionUnit::Byte => text.len(),
        PositionUnit::Utf16 => text.encode_utf16().count(),
        _ => text.chars().count(),
    }
}

proptest! {
    /// The place of every character is found by its line and column and by its offset.
    #[test]
    fn every_character_has_its_place(text in "\u{feff}?[aé😀\t\r\n\u{2028}]{0,40}") {
        let places = places(&text);
        for unit in [PositionUnit::Byte, PositionUnit::CodePoint, PositionUnit::Utf16] {
            for bom in [Bom::Counted, Bom::Skipped] {
                let origin = if bom == Bom::Skipped && text.starts_with('\u{feff}') { 3 } else { 0 };
                let dialect = PositionDialect { bom, ..PositionDialect::columns(unit) };
                for (at, _) in text.char_indices().filter(|it| it.0 >= origin) {
                    let offset = width(&text[origin..at], unit) as i64;
                    prop_assert_eq!(places.byte(ToolPosition::Offset(offset), &dialect), Ok(at as u32));
                    let line = text[..at].matches('\n').count();
                    let start = text[..at].rfind('\n').map_or(origin, |it| it + 1);
                    let column = width(&text[start..at], unit) as u64 + 1;
                    let place = ToolPosition::Column { line: line as u64 + 1, column };
                    prop_assert_eq!(places.byte(place, &dialect), Ok(at as u32));
                }
            }
        }
    }

    /// Any numbers on any bytes give a range inside the text on character boundaries, or a misfit.
    #[test]
    fn nothing_lands_askew(
        bytes in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'\n'), Just(b'\r'), Just(b'\t'), any::<u8>()], 0..60),
        line in 0u64..6, column in 0u64..40, offset in -2i64..80, end in -2i64..80,
        unit in prop_oneof![Just(PositionUnit::Byte), Just(PositionUnit::CodePoint), Just(PositionUnit::Utf16), Just(PositionUnit::TabStop)],
        ends in prop_oneof![Just(LineEnds::Lf), Just(LineEnds::Cr), Just(LineEnds::Ecma)],
    ) {
        let text = Text::new(bytes);
        let places = PositionIndex::new(text.clone()).unwrap();
        let dialect = PositionDialect::columns(unit).lines(ends);
        let at = ToolPosition::Column { line, column };
        let spans = [
            Span::Between(ToolPosition::Offset(offset), ToolPosition::Offset(end)),
            Span::Between(at, ToolPosition::Offset(end)),
            Span::Word(at),
            Span::Line(line),
            Span::ToLineEnd(at, line),
        ];
        for span in spans {
            if let Ok(edit) = places.edit(span, &dialect, None, "x") {
                prop_assert!(edit::EditSet::new(&text, vec![edit]).is_ok());
            }
        }
    }
}
