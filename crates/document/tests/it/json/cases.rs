//! Exact cases: a text, operations, and the text that a careful person would have made of it.

use document::{Format, Limits, parse};
use edit::Text;

use super::script::step;

#[track_caller]
fn check(before: &str, ops: &[&str], after: &str) {
    assert_eq!(lowered(before, ops).as_deref(), Ok(after), "{ops:?} on\n{before}");
}

fn lowered(before: &str, ops: &[&str]) -> Result<String, String> {
    let text = Text::new(before);
    let document = parse(&text, Format::Json, &Limits::DEFAULT).map_err(|it| it.to_string())?;
    let mut draft = document.draft();
    for op in ops {
        draft.apply(&step(op)).map_err(|error| format!("{op}: {error}"))?;
    }
    let edits = draft.lower().map_err(|refusal| refusal.to_string())?;
    Ok(String::from_utf8(edits.apply(&text).unwrap().bytes().to_vec()).unwrap())
}

#[test]
fn a_replaced_value_changes_nothing_around_it() {
    for (before, op, after) in [
        ("1", "replace \"\" 2", "2"),
        (" /* a */ 1 // b\n", "set \"\" null", " /* a */ null // b\n"),
        ("{\"a\": 1, // one\n \"b\": 2}", "replace /a 10", "{\"a\": 10, // one\n \"b\": 2}"),
        ("[1 /* c */, 2]", "item \"\" 0 true", "[true /* c */, 2]"),
        ("{\"a\" :\t1}", "set /a \"x\"", "{\"a\" :\t\"x\"}"),
        ("[1,\r\n 2]\r\n", "replace /1 3", "[1,\r\n 3]\r\n"),
        ("\u{feff}[1]", "replace /0 2", "\u{feff}[2]"),
        (
            "{\"a\": 1}",
            "replace /a 123456789012345678901234567890",
            "{\"a\": 123456789012345678901234567890}",
        ),
        ("{\"a\": 1}", "replace /a -1.500e+03", "{\"a\": -1.500e+03}"),
        ("{\"a\": 1}", "replace /a \"q\\\"\\u0001\\n\"", "{\"a\": \"q\\\"\\u0001\\n\"}"),
        ("[\"x\"]", "replace /0 \"é😀\"", "[\"é😀\"]"),
        ("[\"\\u00e9\", \"x\"]", "replace /1 \"é😀\"", "[\"\\u00e9\", \"\\u00e9\\ud83d\\ude00\"]"),
        ("[\"\\u0041\"]", "replace /0 \"é\"", "[\"é\"]"),
        ("[\"a\\/b\"]", "replace /0 \"a/b\"", "[\"a\\/b\"]"),
        ("{\"a/b\": {\"m~n\": 1}}", "replace /a~1b/m~0n 2", "{\"a/b\": {\"m~n\": 2}}"),
        ("{\"\": 1}", "replace / 2", "{\"\": 2}"),
        ("{\"a\": 1}", "replace / 2", "2"),
    ] {
        check(before, &[op], after);
    }
}

#[test]
fn a_new_value_is_laid_out_like_its_place() {
    for (before, op, after) in [
        ("{\n  \"a\": 1\n}\n", "replace /a [1, 2]", "{\n  \"a\": [\n    1,\n    2\n  ]\n}\n"),
        (
            "{\n\t\"a\": 1\n}\n",
            "replace /a {\"x\": {\"y\": 1}}",
            "{\n\t\"a\": {\n\t\t\"x\": {\n\t\t\t\"y\": 1\n\t\t}\n\t}\n}\n",
        ),
        ("{\"a\": 1}", "replace /a [1, {\"x\": []}]", "{\"a\": [1, {\"x\": []}]}"),
        (
            "{\"a\":1,\"b\":2}",
            "replace /a {\"x\": [1, 2], \"y\": 3}",
            "{\"a\":{\"x\":[1,2],\"y\":3},\"b\":2}",
        ),
        ("{ \"a\": { \"b\": 1 } }", "replace /a {\"c\": 2}", "{ \"a\": { \"c\": 2 } }"),
        ("{\n  \"a\": [1, 2],\n  \"b\": 1\n}", "replace /a [3]", "{\n  \"a\": [3],\n  \"b\": 1\n}"),
        (
            "{\n  \"a\": [1, 2],\n  \"b\": 1\n}",
            "replace /b [3]",
            "{\n  \"a\": [1, 2],\n  \"b\": [3]\n}",
        ),
        (
            "{\n  \"a\": [1, 2]\n}",
            "add \"\" b [3, [4]]",
            "{\n  \"a\": [1, 2],\n  \"b\": [\n    3,\n    [4]\n  ]\n}",
        ),
        (
            "{\r\n    \"a\": 1\r\n}",
            "replace /a [1]",
            "{\r\n    \"a\": [\r\n        1\r\n    ]\r\n}",
        ),
        ("{\n  \"a\": 1,\n}", "replace /a [1]", "{\n  \"a\": [\n    1,\n  ],\n}"),
        (
            "{\n  \"a\": {\n    \"b\": 1\n  }\n}",
            "replace /a {\"c\": 2, \"d\": 3}",
            "{\n  \"a\": {\n    \"c\": 2,\n    \"d\": 3\n  }\n}",
        ),
        ("1\n", "replace \"\" {\"a\": [1]}", "{\n  \"a\": [\n    1\n  ]\n}\n"),
        ("[1, 2]", "replace \"\" {\"a\": [1]}", "{\"a\": [1]}"),
        ("{\n  \"a\": {}\n}", "replace /a {}", "{\n  \"a\": {}\n}"),
    ] {
        check(before, &[op], after);
    }
}

#[test]
fn a_new_member_follows_its_neighbours() {
    for (before, op, after) in [
        ("{\"a\": 1}", "add \"\" b 2", "{\"a\": 1, \"b\": 2}"),
        ("{\"a\":1}", "add \"\" b 2", "{\"a\":1,\"b\":2}"),
        ("{ \"a\" : 1 , \"b\" : 2 }", "add \"\" c 3", "{ \"a\" : 1 , \"b\" : 2, \"c\" : 3 }"),
        ("{\n  \"a\": 1\n}\n", "set /b 2", "{\n  \"a\": 1,\n  \"b\": 2\n}\n"),
        ("{\n  \"a\": 1,\n}\n", "set /b 2", "{\n  \"a\": 1,\n  \"b\": 2,\n}\n"),
        ("{\n  \"a\": 1 // one\n}\n", "set /b 2", "{\n  \"a\": 1, // one\n  \"b\": 2\n}\n"),
        ("{\n  \"a\": 1, // one\n}\n", "set /b 2", "{\n  \"a\": 1, // one\n  \"b\": 2,\n}\n"),
        (
            "{\n  \"a\": 1 /* one */\n  // end\n}\n",
            "set /b 2",
            "{\n  \"a\": 1, /* one */\n  \"b\": 2\n  // end\n}\n",
        ),
        ("{\r\n\t\"a\": 1\r\n}", "set /b 2", "{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}"),
        ("{\"a\": 1,\n \"b\": 2}", "set /c 3", "{\"a\": 1,\n \"b\": 2,\n \"c\": 3}"),
        (
            "{\n    \"a\": 1\n  , \"b\": 2\n}",
            "set /c 3",
            "{\n    \"a\": 1\n  , \"b\": 2\n  , \"c\": 3\n}",
        ),
        ("[1, 2, 3]", "insert \"\" 0 0", "[0, 1, 2, 3]"),
        ("[1, 2, 3]", "insert \"\" 1 0", "[1, 0, 2, 3]"),
        ("[1,2,3]", "insert \"\" 3 0", "[1,2,3,0]"),
        ("[ 1, 2 ]", "insert \"\" 0 0", "[ 0, 1, 2 ]"),
        ("[ 1, 2 ]", "append \"\" 3", "[ 1, 2, 3 ]"),
        ("[1, 2,]", "append \"\" 3", "[1, 2, 3,]"),
        ("[1, 2 /* two */]", "append \"\" 3", "[1, 2 /* two */, 3]"),
        ("[1, /* two */ 2]", "insert \"\" 1 0", "[1, 0, /* two */ 2]"),
        ("[1 /* one */, 2]", "insert \"\" 1 0", "[1 /* one */, 0, 2]"),
        ("[1, 2 // two\n]", "append \"\" 3", "[1, 2, // two\n  3\n]"),
        ("[\n  // first\n  1,\n  2\n]", "insert \"\" 0 0", "[\n  0,\n  // first\n  1,\n  2\n]"),
        ("[ // list\n  1\n]", "insert \"\" 0 0", "[ // list\n  0,\n  1\n]"),
        (
            "[\n  1, // one\n  // two\n  2\n]",
            "insert \"\" 1 0",
            "[\n  1, // one\n  0,\n  // two\n  2\n]",
        ),
        ("[\n  1, 2,\n  3, 4\n]", "append \"\" 5", "[\n  1, 2,\n  3, 4, 5\n]"),
        ("[\n  1, 2,\n  3, 4\n]", "insert \"\" 2 0", "[\n  1, 2,\n  0,\n  3, 4\n]"),
        ("[\n    1\n  , 2\n]", "insert \"\" 1 0", "[\n    1\n  , 0\n  , 2\n]"),
        ("[\n    1\n  , 2\n]", "insert \"\" 0 0", "[\n    0\n  , 1\n  , 2\n]"),
        ("[\n  1\n  // tail\n]", "append \"\" 2", "[\n  1,\n  2\n  // tail\n]"),
        (
            "[\n  {\"a\": 1},\n  {\"a\": 2}\n]",
            "append \"\" {\"a\": 3}",
            "[\n  {\"a\": 1},\n  {\"a\": 2},\n  {\"a\": 3}\n]",
        ),
        (
            "[\n  {\n    \"a\": 1\n  }\n]",
            "append \"\" {\"a\": 3}",
            "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": 3\n  }\n]",
        ),
    ] {
        check(before, &[op], after);
    }
}

#[test]
fn an_empty_container_is_filled_in_the_layout_of_its_place() {
    for (before, op, after) in [
        ("{}", "add \"\" a 1", "{\n  \"a\": 1\n}"),
        ("{}\n", "add \"\" a 1", "{\n  \"a\": 1\n}\n"),
        ("{\"a\": {}}", "add /a b 1", "{\"a\": {\"b\": 1}}"),
        (
            "{ \"a\": { }, \"b\": { \"c\": 1 } }",
            "add /a b 1",
            "{ \"a\": { \"b\": 1 }, \"b\": { \"c\": 1 } }",
        ),
        ("{\n    \"a\": []\n}", "append /a 1", "{\n    \"a\": [\n        1\n    ]\n}"),
        ("{\n  \"a\": [\n  ]\n}", "append /a 1", "{\n  \"a\": [\n    1\n  ]\n}"),
        (
            "{\n  \"a\": [],\n  \"b\": [1, 2]\n}",
            "append /a 1",
            "{\n  \"a\": [1],\n  \"b\": [1, 2]\n}",
        ),
        ("{\n  \"a\": {},\n}", "add /a b 1", "{\n  \"a\": {\n    \"b\": 1,\n  },\n}"),
        ("{\n  // nothing yet\n}", "add \"\" a 1", "{\n  // nothing yet\n  \"a\": 1\n}"),
        ("[ /* none */ ]", "append \"\" 1", "[ /* none */ 1 ]"),
        ("{ // none\n}", "add \"\" a {\"b\": 1}", "{ // none\n  \"a\": {\n    \"b\": 1\n  }\n}"),
    ] {
        check(before, &[op], after);
    }
}

#[test]
fn a_removed_member_takes_its_separator_its_line_and_its_own_comment() {
    for (before, op, after) in [
        ("[1, 2, 3]", "drop \"\" 0", "[2, 3]"),
        ("[1, 2, 3]", "drop \"\" 1", "[1, 3]"),
        ("[1, 2, 3]", "drop \"\" 2", "[1, 2]"),
        ("[1,2,3,]", "drop \"\" 2", "[1,2,]"),
        ("[ 1, 2, ]", "drop \"\" 1", "[ 1, ]"),
        ("[1]", "drop \"\" 0", "[]"),
        ("[ 1, ]", "drop \"\" 0", "[]"),
        ("{ \"a\": 1, \"b\": 2 }", "remove \"\" a", "{ \"b\": 2 }"),
        ("{ \"a\": 1, \"b\": 2 }", "remove \"\" b", "{ \"a\": 1 }"),
        ("{ \"a\": 1 , \"b\": 2 }", "remove \"\" b", "{ \"a\": 1 }"),
        ("{\n  \"a\": 1\n}\n", "delete /a", "{}\n"),
        ("{\n  \"a\": 1,\n  \"b\": 2\n}", "delete /a", "{\n  \"b\": 2\n}"),
        ("{\n  \"a\": 1,\n  \"b\": 2\n}", "delete /b", "{\n  \"a\": 1\n}"),
        ("{\n  \"a\": 1,\n  \"b\": 2,\n}", "delete /b", "{\n  \"a\": 1,\n}"),
        ("{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}", "delete /b", "{\n  \"a\": 1 // one\n}"),
        ("{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}", "delete /a", "{\n  \"b\": 2 // two\n}"),
        (
            "{\n  // above a\n  \"a\": 1, // one\n  // above b\n  \"b\": 2\n}",
            "delete /a",
            "{\n  // above a\n  // above b\n  \"b\": 2\n}",
        ),
        ("{\n  // above\n  \"a\": 1\n}", "delete /a", "{\n  // above\n}"),
        ("{\n\n  \"a\": 1,\n\n  \"b\": 2\n\n}", "delete /a", "{\n\n  \"b\": 2\n\n}"),
        ("{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}", "delete /b", "{\r\n  \"a\": 1\r\n}"),
        ("[1, /* two */ 2, 3]", "drop \"\" 1", "[1, 3]"),
        ("[1, 2 /* two */, 3]", "drop \"\" 1", "[1, 3]"),
        ("[1 /* one */, 2]", "drop \"\" 1", "[1 /* one */]"),
        ("[1, // one\n 2]", "drop \"\" 1", "[1 // one\n]"),
        ("[1,\n 2]", "drop \"\" 1", "[1]"),
        ("[1,\n 2,\n 3]", "drop \"\" 0", "[2,\n 3]"),
        ("[\n  1, 2, 3,\n  4\n]", "drop \"\" 2", "[\n  1, 2,\n  4\n]"),
        ("[\n  1, 2,\n  3, 4\n]", "drop \"\" 2", "[\n  1, 2,\n  4\n]"),
        ("[\n    1\n  , 2\n  , 3\n]", "drop \"\" 1", "[\n    1\n  , 3\n]"),
        ("[\n    1\n  , 2\n  , 3\n]", "drop \"\" 2", "[\n    1\n  , 2\n]"),
        ("[\n    1\n  , 2\n  , 3\n]", "drop \"\" 0", "[\n  2\n  , 3\n]"),
        (
            "{\n  \"a\": {\n    \"x\": 1 // in\n  }, // one\n  \"b\": 2\n}",
            "delete /a",
            "{\n  \"b\": 2\n}",
        ),
    ] {
        check(before, &[op], after);
    }
}

#[test]
fn runs_of_members_come_and_go_together() {
    let lines = "[\n  1, // a\n  2,\n  // b\n  3,\n  4 // c\n]\n";
    let drop = "drop \"\" 0";
    check(lines, &[drop], "[\n  2,\n  // b\n  3,\n  4 // c\n]\n");
    check(lines, &[drop; 2], "[\n  // b\n  3,\n  4 // c\n]\n");
    check(lines, &[drop; 3], "[\n  // b\n  4 // c\n]\n");
    check(lines, &[drop; 4], "[\n  // b\n]\n");
    check(lines, &["drop \"\" 3", "drop \"\" 2"], "[\n  1, // a\n  2\n  // b\n]\n");
    check(lines, &["drop \"\" 1", "drop \"\" 1"], "[\n  1, // a\n  // b\n  4 // c\n]\n");
    check("[1, 2, 3, 4]", &["drop \"\" 1", "drop \"\" 1"], "[1, 4]");
    check("[1, 2, 3, 4]", &["drop \"\" 2", "drop \"\" 2"], "[1, 2]");
    check("[\n  1,\n  2, 3,\n  4\n]", &["drop \"\" 1"; 2], "[\n  1,\n  4\n]");
    check("[\n  1,\n  2, 3\n]", &["drop \"\" 1"; 2], "[\n  1\n]");
    check("[1, 2, 3, 4]", &[drop, drop], "[3, 4]");
    check("[1, 2]", &[drop, drop], "[]");
    check("[\n  1,\n  2,\n]", &[drop, drop], "[]");
    check("[1, 3]", &["insert \"\" 1 2", "insert \"\" 1 2"], "[1, 2, 2, 3]");
    check("[\n  1\n]", &["append \"\" 2", "append \"\" 2"], "[\n  1,\n  2,\n  2\n]");
    check("[1, 2, 3]", &["drop \"\" 1", "insert \"\" 1 9"], "[1, 9, 3]");
    check(
        "[\n  1, // a\n  2, // b\n  3\n]",
        &["drop \"\" 1", "insert \"\" 1 8", "insert \"\" 2 9"],
        "[\n  1, // a\n  8,\n  9,\n  3\n]",
    );
    check(
        "{\n  \"a\": 1,\n  \"b\": 2 // two\n}",
        &["delete /b", "set /c 3", "set /d 4"],
        "{\n  \"a\": 1,\n  \"c\": 3,\n  \"d\": 4\n}",
    );
    check("{\"a\": 1}", &["delete /a", "set /a 2"], "{\"a\": 2}");
    check("{\"a\": 1}", &["set /b 2", "delete /b"], "{\"a\": 1}");
    check(
        "{\"a\": 1}",
        &["set /b {}", "set /b/c 1", "set /b/d [2]"],
        "{\"a\": 1, \"b\": {\"c\": 1, \"d\": [2]}}",
    );
    check("[[], []]", &["append /0 1", "append /1 2", "drop \"\" 0"], "[[2]]");
    check(
        "{\"a\": 1, \"b\": [1, 2, 3]}",
        &["delete /b/1", "rename \"\" b c"],
        "{\"a\": 1, \"c\": [1, 3]}",
    );
}

#[test]
fn a_renamed_key_keeps_its_place_and_everything_else() {
    for (before, op, after) in [
        ("{\"a\": 1, \"b\": 2}", "rename \"\" a c", "{\"c\": 1, \"b\": 2}"),
        (
            "{\n  \"a\" /* k */ : /* v */ 1, // x\n}",
            "keep /a /z",
            "{\n  \"z\" /* k */ : /* v */ 1, // x\n}",
        ),
        ("{\"\\u0061\": 1}", "rename \"\" a a\"b", "{\"a\\\"b\": 1}"),
        ("{\"x\": {\"ü\": []}}", "rename /x ü 🙂", "{\"x\": {\"🙂\": []}}"),
    ] {
        check(before, &[op], after);
    }
    check("{\"\\u0061\": 1}", &["rename \"\" a b", "rename \"\" b a"], "{\"\\u0061\": 1}");
}

#[test]
fn a_moved_value_keeps_its_own_text() {
    for (before, op, after) in [
        ("{\"a\": 1.50, \"b\": 2}", "move /a /c", "{\"b\": 2, \"c\": 1.50}"),
        ("{\"a\": [1,2 /* two */], \"b\": 2}", "move /a /c", "{\"b\": 2, \"c\": [1,2 /* two */]}"),
        ("{\"a\": \"\\u0041\", \"b\": 2}", "move /a /b", "{\"b\": \"\\u0041\"}"),
        (
            "{\n  \"a\": {\n    \"x\": {\n      // in\n      \"y\": 1\n    }\n  },\n  \"b\": 2\n}\n",
            "move /a/x /z",
            "{\n  \"a\": {},\n  \"b\": 2,\n  \"z\": {\n    // in\n    \"y\": 1\n  }\n}\n",
        ),
        (
            "{\r\n  \"a\": [\r\n    1\r\n  ],\r\n  \"b\": {\r\n    \"c\": 1\r\n  }\r\n}\r\n",
            "move /a /b/a",
            "{\r\n  \"b\": {\r\n    \"c\": 1,\r\n    \"a\": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n",
        ),
        (
            "{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}",
            "move /a /c",
            "{\n  \"b\": 2, // two\n  \"c\": 1 // one\n}",
        ),
        (
            "{\n  \"a\": 1, // one\n  \"b\": {\"c\": 2}\n}",
            "move /a /b/d",
            "{\n  \"b\": {\"c\": 2, \"d\": 1 /* one */}\n}",
        ),
        (
            "{\"x\": 0, \"a\": 1, // one */\n \"b\": 2}",
            "move /a /c",
            "{\"x\": 0,\n \"b\": 2,\n \"c\": 1 /* one * / */}",
        ),
        ("[[1], [2]]", "move /0 /0", "[[1], [2]]"),
        ("[1, 2, 3]", "move /0 /1", "[2, 1]"),
        ("{\"a\": {\"b\": 1}}", "move /a/b \"\"", "1"),
    ] {
        check(before, &[op], after);
    }
    check(
        "{\n  \"a\": [\n    1, // one\n    2\n  ]\n}",
        &["append /a 3", "set /b {}", "move /a /b/c"],
        "{\n  \"b\": {\n    \"c\": [\n      1, // one\n      2,\n      3\n    ]\n  }\n}",
    );
}

/// Blank lines keep their rhythm: none are left over, and a new member is set apart as its neighbours are.
#[test]
fn blank_lines_between_members_are_theirs() {
    let spaced = "{\n  \"a\": 1,\n\n  // why\n  \"b\": 2,\n\n  \"c\": 3\n}\n";
    for (op, after) in [
        ("delete /a", "{\n  // why\n  \"b\": 2,\n\n  \"c\": 3\n}\n"),
        ("delete /b", "{\n  \"a\": 1,\n\n  // why\n\n  \"c\": 3\n}\n"),
        ("delete /c", "{\n  \"a\": 1,\n\n  // why\n  \"b\": 2\n}\n"),
        ("set /d 4", "{\n  \"a\": 1,\n\n  // why\n  \"b\": 2,\n\n  \"c\": 3,\n\n  \"d\": 4\n}\n"),
    ] {
        check(spaced, &[op], after);
    }
    let list = "[\n  // one\n  1,\n\n  2,\n\n  3\n]\n";
    for (op, after) in [
        ("insert \"\" 0 0", "[\n  0,\n\n  // one\n  1,\n\n  2,\n\n  3\n]\n"),
        ("insert \"\" 1 0", "[\n  // one\n  1,\n\n  0,\n\n  2,\n\n  3\n]\n"),
        ("drop \"\" 1", "[\n  // one\n  1,\n\n  3\n]\n"),
    ] {
        check(list, &[op], after);
    }
    let groups = "{\n  \"a\": 1,\n  \"b\": 2,\n\n  \"c\": 3\n}\n";
    check(groups, &["delete /b"], "{\n  \"a\": 1,\n\n  \"c\": 3\n}\n");
    check(groups, &["set /d 4"], "{\n  \"a\": 1,\n  \"b\": 2,\n\n  \"c\": 3,\n  \"d\": 4\n}\n");
}

/// Short arrays inside a new value are written as the file writes them.
#[test]
fn short_arrays_stay_on_a_line_where_others_do() {
    let line = "{\n  \"files\": [\"a\"]\n}\n";
    check(
        line,
        &["set /o {\"x\": [1, 2], \"y\": [{}, [3]]}"],
        "{\n  \"files\": [\"a\"],\n  \"o\": {\n    \"x\": [1, 2],\n    \"y\": [\n      {},\n      [3]\n    ]\n  }\n}\n",
    );
    let long = "{\n  \"files\": [\n    \"a\"\n  ]\n}\n";
    check(
        long,
        &["set /o {\"x\": [1]}"],
        "{\n  \"files\": [\n    \"a\"\n  ],\n  \"o\": {\n    \"x\": [\n      1\n    ]\n  }\n}\n",
    );
}

#[test]
fn what_json_cannot_express_is_refused() {
    let document = parse(&Text::new("[1]"), Format::Json, &Limits::DEFAULT).unwrap();
    for value in [
        document::Value::Number(document::Number::nan()),
        document::Value::Number(document::Number::infinity(true)),
        document::Value::Datetime("2020-01-01".to_string()),
    ] {
        let mut draft = document.draft();
        let op = document::Op::InsertItem { at: document::Pointer::root(), index: None, value };
        let error = draft.apply(&op.into()).unwrap_err();
        let document::OpError::Refused(refusal) = error else { panic!("{error}") };
        assert!(
            matches!(
                refusal.reason,
                document::RefusalReason::NotExpressible { format: "JSON", .. }
            ),
            "{refusal}"
        );
    }
}
