//! Items in another order: exact texts, and the laws that an order and its inverse give the text back, that every
//! comment stays with its item, and that places which keep their item are not in the edits.

use document::Format::{self, Json, Toml, Yaml};
use document::{Limits, Pointer, Value, parse};
use edit::Text;
use proptest::prelude::*;

fn outcome(format: Format, before: &str, at: &str, order: &[usize]) -> Result<String, String> {
    let text = Text::new(before);
    let document = parse(&text, format, &Limits::DEFAULT).map_err(|error| error.to_string())?;
    let pointer: Pointer = at.parse().unwrap();
    match document.reorder_items(&pointer, order) {
        Ok(edits) => Ok(String::from_utf8(edits.apply(&text).unwrap().bytes().to_vec()).unwrap()),
        Err(refusal) => Err(format!("at {}: {refusal}", refusal.offset)),
    }
}

/// The order that takes back what `order` did.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    for (to, from) in order.iter().enumerate() {
        inverse[*from] = to;
    }
    inverse
}

#[track_caller]
fn check(format: Format, before: &str, at: &str, order: &[usize], after: &str) {
    let found = outcome(format, before, at, order);
    assert_eq!(found.as_deref(), Ok(after), "{before}");
    let back = outcome(format, after, at, &inverse(order));
    assert_eq!(back.as_deref(), Ok(before), "back from {after}");
}

#[track_caller]
fn check_refused(format: Format, before: &str, at: &str, order: &[usize], message: &str) {
    let found = outcome(format, before, at, order).expect_err("it should be refused");
    assert_eq!(found, message, "{before}");
}

#[test]
fn items_on_one_line_swap_their_values() {
    check(Json, "[3, 1,2]", "", &[1, 2, 0], "[1, 2,3]");
    check(Json, "{\"a\": [ \"x\", {\"b\": 1} ]}", "/a", &[1, 0], "{\"a\": [ {\"b\": 1}, \"x\" ]}");
    check(Yaml, "a: [b, 'c', 1, d: e]\n", "/a", &[3, 0, 2, 1], "a: [d: e, b, 1, 'c']\n");
    check(Toml, "a = [ 'x', \"y\", ]\n", "/a", &[1, 0], "a = [ \"y\", 'x', ]\n");
    check(
        Json,
        "[1 /* one */, /* two */ 2 /* 2 */]",
        "",
        &[1, 0],
        "[/* two */ 2 /* 2 */, 1 /* one */]",
    );
}

#[test]
fn comments_move_with_the_item_and_commas_stay() {
    check(
        Json,
        "[ // list\n  // one\n  // uno\n  1, // eins\n\n  // section\n\n  2,\n  // three\n  3 // drei\n  // end\n]\n",
        "",
        &[2, 0, 1],
        "[ // list\n  // three\n  3, // drei\n\n  // section\n\n  // one\n  // uno\n  1, // eins\n  2\n  // end\n]\n",
    );
    check(
        Json,
        "[\r\n\t{\r\n\t\t\"b\": 1\r\n\t}, /* b */\r\n\t{ \"a\": 2 } /* a */,\r\n]",
        "",
        &[1, 0],
        "[\r\n\t{ \"a\": 2 } /* a */,\r\n\t{\r\n\t\t\"b\": 1\r\n\t}, /* b */\r\n]",
    );
    check(
        Toml,
        "a = [ # list\n  # two\n  2, # zwei\n  1 # eins\n]\n",
        "/a",
        &[1, 0],
        "a = [ # list\n  1, # eins\n  # two\n  2 # zwei\n]\n",
    );
    check(
        Yaml,
        "a: [\n  b, # b\n  # a\n  a\n]\n",
        "/a",
        &[1, 0],
        "a: [\n  # a\n  a,\n  b # b\n]\n",
    );
    check(Json, "[\n  1 // one\n  , 2 // two\n]", "", &[1, 0], "[\n  2 // two\n  , 1 // one\n]");
}

#[test]
fn block_items_move_as_whole_lines() {
    check(
        Yaml,
        "on:\n  # b\n  - name: b # B\n    port: 1\n    # more: 2\n\n  # a\n  - name: a\n  - |\n    text\n",
        "/on",
        &[1, 0, 2],
        "on:\n  # a\n  - name: a\n\n  # b\n  - name: b # B\n    port: 1\n    # more: 2\n  - |\n    text\n",
    );
    check(Yaml, "a:\n- c\n- b # b\n-\n- a", "/a", &[3, 1, 2, 0], "a:\n- a\n- b # b\n-\n- c");
    check(
        Yaml,
        "--- # doc\n- b # b\r\n- >-\r\n  a\r\n- c\r\n",
        "",
        &[1, 0, 2],
        "--- # doc\n- >-\r\n  a\r\n- b # b\r\n- c\r\n",
    );
}

/// There is no way back here: in its new place the comment reads as one about the file, or about the outer item.
#[test]
fn a_comment_that_comes_first_may_join_what_stands_above() {
    let found = outcome(Yaml, "# file\n- b\n# a\n- a\n", "", &[1, 0]);
    assert_eq!(found.as_deref(), Ok("# file\n# a\n- a\n- b\n"));
    let found = outcome(Yaml, "- - b\n  # a\n  - a\n- x\n", "/0", &[1, 0]);
    assert_eq!(found.as_deref(), Ok("- # a\n  - a\n  - b\n- x\n"));
}

#[test]
fn tables_of_an_array_move_with_their_sub_tables() {
    check(
        Toml,
        "# file\n\n# b\n[[x]] # B\nn = 'b'\n[x.sub]\nk = 1 # one\n# k = 2\n\n# a\n[[x]]\nn = 'a'\n\n[y]\n",
        "/x",
        &[1, 0],
        "# file\n\n# a\n[[x]]\nn = 'a'\n\n# b\n[[x]] # B\nn = 'b'\n[x.sub]\nk = 1 # one\n# k = 2\n\n[y]\n",
    );
    check(
        Toml,
        "[[x]]\na = { b = 1 }\n[[x]]\n[[x]]\nc = 1",
        "/x",
        &[2, 1, 0],
        "[[x]]\nc = 1\n[[x]]\n[[x]]\na = { b = 1 }",
    );
    check_refused(
        Toml,
        "[[x]]\na = 1\n[y]\n[[x]]\n[x.z]\n[w]\n[x.v]\n",
        "/x",
        &[1, 0],
        "at 2: the tables of this array stand among other tables; move them together first",
    );
    check(
        Toml,
        "[[x]]\na = 1\n[y]\n[[x]]\na = 2\n",
        "/x",
        &[1, 0],
        "[[x]]\na = 2\n[y]\n[[x]]\na = 1\n",
    );
}

#[test]
fn what_other_places_read_is_refused() {
    check_refused(
        Yaml,
        "[&a 1, *a]",
        "",
        &[1, 0],
        "at 0: the edited text could not be parsed again: cannot find the anchor `a` in this document",
    );
    check_refused(
        Yaml,
        "a: &l [1, 2]\nb: *l\n",
        "/b",
        &[1, 0],
        "at 16: `*l` is an alias; edit the place that defines `&l` instead",
    );
    check_refused(
        Yaml,
        "a: &l [1, 2]\nb: *l\n",
        "/a",
        &[1, 0],
        "at 3: `&l` is used by 1 alias(es), so an edit here would change more than one place",
    );
    check_refused(
        Yaml,
        "- &a 1\n- &a 2\n- *a\n",
        "",
        &[1, 0, 2],
        "at 0: the edited text would not read back as intended; nothing was changed",
    );
    check(Yaml, "[&a 1, 2, *a]", "", &[1, 0, 2], "[2, &a 1, *a]");
}

#[test]
fn what_is_no_array_or_no_order_is_refused() {
    check_refused(Json, "{\"a\": 1}", "/a", &[], "at 6: expected an array to reorder");
    check_refused(Json, "{\"a\": 1}", "/b/0", &[], "at 0: expected an array to reorder");
    for order in [&[0][..], &[0, 0], &[0, 2], &[0, 1, 2]] {
        let message = "at 0: the new order must name each of the 2 items exactly once";
        check_refused(Json, "[1, 2]", "", order, message);
    }
    check(Json, "[1, 2]", "/", &[1, 0], "[2, 1]");
    check(Json, "[]", "", &[], "[]");
}

/// A comment at the end of a line of several items is about the line.
#[test]
fn a_comment_on_several_items_stays_in_its_place() {
    check(
        Json,
        "[\n  1, 2, // one, two\n  3, 4 // three, four\n]",
        "",
        &[3, 0, 2, 1],
        "[\n  4, 1, // one, two\n  3, 2 // three, four\n]",
    );
    check_refused(
        Json,
        "[\n  1, // one\n  2, 3\n]",
        "",
        &[1, 0, 2],
        "at 0: the edited text would not read back as intended; nothing was changed",
    );
}

#[test]
fn places_that_keep_their_item_are_not_edited() {
    let before = "- a\n- c\n- b\n- d\n";
    let text = Text::new(before);
    let document = parse(&text, Yaml, &Limits::DEFAULT).unwrap();
    let edits = document.reorder_items(&Pointer::root(), &[0, 2, 1, 3]).unwrap();
    let places: Vec<_> = edits.edits().iter().map(|it| (it.start, it.end)).collect();
    assert_eq!(places, [(4, 7), (8, 11)]);
    assert!(document.reorder_items(&Pointer::root(), &[0, 1, 2, 3]).unwrap().is_empty());
}

/// An array on lines of its own, as a style says: item `n` has the value `vn` and comments that name it.
fn array(format: Format, styles: &[u8], has_last_comma: bool, eol: &str) -> String {
    let mark = if format == Json { "//" } else { "#" };
    let mut out = match format {
        Json => format!("[ {mark} list{eol}"),
        Yaml => format!("key: {mark} list{eol}"),
        Toml => format!("key = [ {mark} list{eol}"),
    };
    for (item, style) in styles.iter().enumerate() {
        let is_last = item + 1 == styles.len();
        if style & 1 > 0 {
            out.push_str(eol);
        }
        if style & 2 > 0 {
            out.push_str(&format!("  {mark} above v{item}{eol}"));
        }
        if style & 4 > 0 {
            out.push_str(&format!("  {mark} more above v{item}{eol}"));
        }
        let comma = if format == Yaml || (is_last && !has_last_comma) { "" } else { "," };
        let dash = if format == Yaml { "- " } else { "" };
        let value = match (format, style & 8 > 0) {
            (Json, true) => format!("[{eol}    \"v{item}\"{eol}  ]"),
            (Yaml, true) => format!("k: |{eol}      # v{item}{eol}    l: v{item}"),
            (Toml, true) => format!("[{eol}    'v{item}', # in v{item}{eol}  ]"),
            _ => format!("\"v{item}\""),
        };
        let behind = if style & 16 > 0 { format!(" {mark} behind v{item}") } else { String::new() };
        out.push_str(&format!("  {dash}{value}{comma}{behind}{eol}"));
    }
    if format != Yaml {
        out.push_str(&format!("]{eol}"));
    }
    out
}

/// The items in the order of their comments and values: every mention of `vn`, without repeats.
fn mentions(text: &str) -> Vec<usize> {
    let after = |part: &str| -> Option<usize> {
        let digits = part.len() - part.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        part[..digits].parse().ok()
    };
    let mut found: Vec<usize> = text.split('v').skip(1).filter_map(after).collect();
    found.dedup();
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: prop::test_runner::RngSeed::Fixed(3), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn comments_stay_with_their_items_and_the_inverse_gives_the_text_back(
        (styles, order) in prop::collection::vec(0_u8..32, 2..7).prop_flat_map(|styles| {
            let order: Vec<usize> = (0..styles.len()).collect();
            (Just(styles), Just(order).prop_shuffle())
        }),
        has_last_comma in any::<bool>(),
        is_crlf in any::<bool>(),
    ) {
        let eol = if is_crlf { "\r\n" } else { "\n" };
        for (format, at) in [(Json, ""), (Yaml, "/key"), (Toml, "/key")] {
            let before = array(format, &styles, has_last_comma, eol);
            let after = outcome(format, &before, at, &order);
            prop_assert!(after.is_ok(), "{after:?}\n{before}");
            let after = after.unwrap();
            prop_assert_eq!(mentions(&after), order.clone(), "{}\n{}", before, after);
            let back = outcome(format, &after, at, &inverse(&order));
            prop_assert_eq!(back, Ok(before));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, rng_seed: prop::test_runner::RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

    /// Texts that nobody wrote: right or refused, and nothing panics.
    #[test]
    fn arrays_of_odd_texts_are_reversed_or_refused(text in "(- |\\[|[-?:,\\[\\]{}#&*!|>'\"% \\n\ra0~+é]){0,40}") {
        let source = Text::new(text.as_str());
        if let Ok(document) = parse(&source, Yaml, &Limits::DEFAULT) {
            for (at, items) in arrays(&document.value()) {
                let order: Vec<usize> = (0..items).rev().collect();
                if let Ok(edits) = document.reorder_items(&at, &order) {
                    let after = parse(&edits.apply(&source).unwrap(), Yaml, &Limits::DEFAULT).unwrap();
                    let Some(Value::Array(mut reversed)) = document.value_at(&at) else { continue };
                    reversed.reverse();
                    prop_assert_eq!(after.value_at(&at), Some(Value::Array(reversed)));
                }
            }
        }
    }
}

/// Every array of the corpora, reversed: right or refused, and seldom refused.
#[test]
fn arrays_of_the_corpora_can_be_reversed() {
    let mut texts = Vec::new();
    for (folder, format) in [("json", Json), ("yaml", Yaml), ("toml", Toml)] {
        let shipped = fixture::corpus::shipped(folder).into_iter();
        texts.extend(shipped.map(|(_, text)| (format, text)));
    }
    let cases = fixture::yaml_suite::cases().unwrap_or_default().into_iter();
    texts.extend(cases.filter(|it| !it.is_invalid).map(|it| (Yaml, it.yaml)));
    for case in fixture::toml_suite::cases("1.1.0").unwrap_or_default() {
        texts.extend(String::from_utf8(case.text).ok().map(|text| (Toml, text)));
    }
    let (mut done, mut refused) = (0, Vec::new());
    for (format, text) in texts {
        let source = Text::new(text.as_str());
        let Ok(document) = parse(&source, format, &Limits::DEFAULT) else { continue };
        if document.blocked().is_some() {
            continue;
        }
        for (at, items) in arrays(&document.value()) {
            let order: Vec<usize> = (0..items).rev().collect();
            match document.reorder_items(&at, &order) {
                Ok(edits) => {
                    done += 1;
                    let after = edits.apply(&source).unwrap();
                    assert!(parse(&after, format, &Limits::DEFAULT).is_ok());
                }
                Err(refusal) => refused.push(format!("{at}: {refusal}\n{text}")),
            }
        }
    }
    assert!(done > 50, "{done}");
    assert!(
        refused.len() * 20 <= done,
        "{} of {done}:\n{}",
        refused.len(),
        refused.join("\n====\n")
    );
}

fn arrays(value: &Value) -> Vec<(Pointer, usize)> {
    let mut found = Vec::new();
    let mut pending = vec![(Pointer::root(), value)];
    while let Some((at, value)) = pending.pop() {
        match value {
            Value::Array(items) => {
                found.extend((items.len() > 1).then(|| (at.clone(), items.len())));
                let items = items.iter().enumerate();
                pending.extend(items.map(|(index, it)| (at.join(index.to_string()), it)));
            }
            Value::Object(members) => {
                pending.extend(members.iter().map(|(key, it)| (at.join(key.clone()), it)));
            }
            _ => {}
        }
    }
    found
}
