//! Exact texts: before, operations, after.

use document::{GuardedOp, Limits, Op, Pointer, parse};
use edit::Text;

use super::{FORMAT, from_json};

/// Operations as lines: a verb, pointers, keys and indexes, and last a JSON value. `@2` before the verb is the third
/// document of the text.
fn read_ops(ops: &str) -> Vec<GuardedOp> {
    ops.lines().map(str::trim).filter(|line| !line.is_empty()).map(read_step).collect()
}

fn read_step(line: &str) -> GuardedOp {
    match line.strip_prefix('@').and_then(|it| it.split_once(' ')) {
        Some((document, line)) => {
            GuardedOp { document: document.parse().unwrap(), ..GuardedOp::from(read_op(line)) }
        }
        None => GuardedOp::from(read_op(line)),
    }
}

fn read_op(line: &str) -> Op {
    let (verb, rest) = line.split_once(' ').unwrap();
    let mut words = rest.splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default();
    let pointer = |text: &str| text.parse::<Pointer>().unwrap();
    let json = |text: &str| from_json(&serde_json::from_str(text).unwrap());
    match verb {
        "replace" | "set" => {
            let (at, value) = rest.split_once(' ').unwrap();
            let (at, value) = (pointer(at), json(value));
            if verb == "set" { Op::SetValue { at, value } } else { Op::ReplaceValue { at, value } }
        }
        "add" => Op::AddKey { at: pointer(word()), key: word().to_string(), value: json(word()) },
        "remove" => Op::RemoveKey { at: pointer(word()), key: word().to_string() },
        "rename" => {
            Op::RenameKey { at: pointer(word()), from: word().to_string(), to: word().to_string() }
        }
        "insert" => {
            Op::InsertItem { at: pointer(word()), index: word().parse().ok(), value: json(word()) }
        }
        "item" => Op::ReplaceItem {
            at: pointer(word()),
            index: word().parse().unwrap(),
            value: json(word()),
        },
        "drop" => Op::DeleteItem { at: pointer(word()), index: word().parse().unwrap() },
        "delete" => Op::DeleteValue { at: pointer(word()) },
        "move" => {
            Op::MoveValue { from: pointer(word()), to: pointer(word()), keep_position: false }
        }
        other => panic!("no verb {other}"),
    }
}

/// What the operations make of a text, or why they are refused.
fn outcome(before: &str, ops: &str) -> String {
    let source = Text::new(before);
    let document = match parse(&source, FORMAT, &Limits::DEFAULT) {
        Ok(document) => document,
        Err(error) => return format!("error at {}: {error}", error.offset),
    };
    let mut draft = document.draft();
    for op in read_ops(ops) {
        if let Err(error) = draft.apply(&op) {
            return format!("failed: {error}");
        }
    }
    match draft.lower() {
        Ok(edits) => String::from_utf8(edits.apply(&source).unwrap().bytes().to_vec()).unwrap(),
        Err(refusal) => format!("refused at {}: {refusal}", refusal.offset),
    }
}

#[track_caller]
fn check(cases: &[(&str, &str, &str)]) {
    let mut wrong = String::new();
    for (before, ops, after) in cases {
        let found = outcome(before, ops);
        if found != *after {
            wrong.push_str(&format!("--- before\n{before}\n--- ops\n{ops}\n--- expected\n{after}\n--- found\n{found}\n=========\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// FA-26, CS-19.
#[test]
fn scalars_keep_their_style() {
    check(&[
        ("a: 1\n", "replace /a 2", "a: 2\n"),
        ("a: 1 # one\n", "replace /a 2", "a: 2 # one\n"),
        ("a: x\n", "replace /a \"w\"", "a: w\n"),
        ("a: 'x'\n", "replace /a \"it's\"", "a: 'it''s'\n"),
        ("a: \"x\"\n", "replace /a \"say \\\"hi\\\"\"", "a: \"say \\\"hi\\\"\"\n"),
        ("a: 'x'\n", "replace /a 5", "a: 5\n"),
        ("a: 'x'\n", "replace /a \"tab\\there\"", "a: \"tab\\there\"\n"),
        ("a: x\n", "replace /a \"no\"", "a: \"no\"\n"),
        ("a: x\nb: 'q'\n", "replace /a \"no\"", "a: 'no'\nb: 'q'\n"),
        ("a: x\n", "replace /a \"1.2.3\"", "a: 1.2.3\n"),
        ("a: x\n", "replace /a \"C:\\\\dir # x\"", "a: 'C:\\dir # x'\n"),
        ("a: 9007199254740993\n", "replace /a 9007199254740995", "a: 9007199254740995\n"),
        ("a: 0x1F\n", "replace /a 32", "a: 32\n"),
        ("a: true\n", "replace /a null", "a: null\n"),
        ("a: ~\n", "replace /a \"\"", "a: \"\"\n"),
        ("a:\n", "replace /a 1", "a: 1\n"),
        ("a: # c\n", "replace /a 1", "a: 1 # c\n"),
        ("a:\t1\t# c\n", "replace /a 2", "a:\t2\t# c\n"),
        ("a: two\n  lines\nb: 1\n", "replace /a \"x\"", "a: x\nb: 1\n"),
        ("a:\n  below\nb: 1\n", "replace /a \"x\"", "a:\n  x\nb: 1\n"),
        ("a: \"two\n  lines\" # c\nb: 1\n", "replace /a \"x\"", "a: \"x\" # c\nb: 1\n"),
        ("ä: ü # ö\n", "replace /ä \"→ 😀\"", "ä: → 😀 # ö\n"),
        ("just text\n", "replace  \"other\"", "other\n"),
        ("--- just text # c\n...\n", "replace  7", "--- 7 # c\n...\n"),
    ]);
}

#[test]
fn block_scalars_stay_block_scalars() {
    check(&[
        ("a: |\n  x\n  y\nb: 1\n", "replace /a \"p\\nq\\n\"", "a: |\n  p\n  q\nb: 1\n"),
        ("a: |\n  x\n\nb: 1\n", "replace /a \"p\"", "a: |-\n  p\n\nb: 1\n"),
        ("a: | # why\n    x\nb: 1\n", "replace /a \"p\\n\"", "a: | # why\n    p\nb: 1\n"),
        ("a: >-\n  x\n  y\nb: 1\n", "replace /a \"long text\"", "a: >-\n  long text\nb: 1\n"),
        ("a: >\n  x\n", "replace /a \"p\\nq\\n\"", "a: >\n  p\n\n  q\n"),
        ("a: |\n  x\nb: 1\n", "replace /a 5", "a: 5\nb: 1\n"),
        ("a: | # why\n  x\nb: 1\n", "replace /a {\"k\":1}", "a: # why\n  k: 1\nb: 1\n"),
        ("a: |+\n  x\n\n\nb: 1\n", "replace /b 2", "a: |+\n  x\n\n\nb: 2\n"),
        ("a: |+\n  x\n\nb: 1\n", "remove  a", "b: 1\n"),
        ("a: |\n  x\n", "add  b 1", "a: |\n  x\nb: 1\n"),
        ("- |\n x\n- y\n", "drop  0", "- y\n"),
        ("a: |2\n    x\nb: 1\n", "replace /b 2", "a: |2\n    x\nb: 2\n"),
        ("a: x\nb: 1\n", "replace /a \"p\\nq\\n\"", "a: |\n  p\n  q\nb: 1\n"),
        ("a: x", "replace /a \"p\\nq\\n\"", "a: \"p\\nq\\n\""),
        ("a: x", "replace /a \"p\\nq\"", "a: |-\n  p\n  q"),
        ("a: [x]\n", "replace /a/0 \"p\\nq\"", "a: [\"p\\nq\"]\n"),
        ("a: x\n\nb: 1\n", "replace /a \"p\\n\\n\"", "a: \"p\\n\\n\"\n\nb: 1\n"),
        ("a: x\n  # note\nb: 1\n", "replace /a \"p\\nq\\n\"", "a: \"p\\nq\\n\"\n  # note\nb: 1\n"),
        ("a: x\r\nb: 1\r\n", "replace /a \"p\\nq\\n\"", "a: |\r\n  p\r\n  q\r\nb: 1\r\n"),
        ("a: x\nb: 1\n", "replace /a \" p\\nq\\n\"", "a: |2\n   p\n  q\nb: 1\n"),
    ]);
}

/// FA-27, FA-29, CS-27.
#[test]
fn new_members_follow_their_neighbours() {
    check(&[
        ("a: 1\n", "add  b 2", "a: 1\nb: 2\n"),
        ("a: 1", "add  b 2", "a: 1\nb: 2"),
        ("a: 1\r\n", "add  b 2", "a: 1\r\nb: 2\r\n"),
        ("\u{feff}a: 1\n", "add  b 2", "\u{feff}a: 1\nb: 2\n"),
        ("a: 1 # one\n# tail\n", "add  b 2", "a: 1 # one\nb: 2\n# tail\n"),
        ("a:\n  b: 1\n\nc: 2\n", "add /a d 3", "a:\n  b: 1\n  d: 3\n\nc: 2\n"),
        ("a:\n    b: 1\n", "add  c {\"d\":{\"e\":1}}", "a:\n    b: 1\nc:\n    d:\n        e: 1\n"),
        ("a:\n- 1\n", "add  b [2]", "a:\n- 1\nb:\n- 2\n"),
        ("a:\n  - 1\n", "add  b [2,[3]]", "a:\n  - 1\nb:\n  - 2\n  - - 3\n"),
        ("a: 1\n", "add  b [{\"x\":1,\"z\":[2]}]", "a: 1\nb:\n  - x: 1\n    z:\n      - 2\n"),
        ("a: 1\n", "add  b {}\nadd  c []", "a: 1\nb: {}\nc: []\n"),
        ("'a': 'x'\n", "add  b \"y\"", "'a': 'x'\n'b': 'y'\n"),
        ("\"a\": \"x\"\n", "add  b 1", "\"a\": \"x\"\n\"b\": 1\n"),
        ("- 'x'\n", "insert  - \"y\"", "- 'x'\n- 'y'\n"),
        ("- x\n", "insert  0 \"w\"", "- w\n- x\n"),
        ("- x\n# c\n- z\n", "insert  1 \"w\"", "- x\n- w\n# c\n- z\n"),
        ("-   x\n", "insert  - {\"k\":1,\"l\":2}", "-   x\n-   k: 1\n    l: 2\n"),
        ("- k: 1\n", "add /0 l 2", "- k: 1\n  l: 2\n"),
        ("- - a\n", "insert /0 0 1", "- - 1\n  - a\n"),
        ("- - a\n  - b\n", "insert /0 - 1", "- - a\n  - b\n  - 1\n"),
        ("- {a: 1}\n", "insert  - {\"a\":2}", "- {a: 1}\n- {a: 2}\n"),
        ("a: [1, 2]\n", "add  b [3, {\"c\":4}]", "a: [1, 2]\nb: [3, {c: 4}]\n"),
        ("a: 1\n", "add  on true\nadd  1 2", "a: 1\n\"on\": true\n\"1\": 2\n"),
        ("? a\n: 1\n", "add  b 2", "? a\n: 1\nb: 2\n"),
        ("a: |\n  t\n", "add  b \"x\\ny\\n\"", "a: |\n  t\nb: |\n  x\n  y\n"),
        ("---\na: 1\n...\n", "add  b 2", "---\na: 1\nb: 2\n...\n"),
        (
            "a:\n  b:\n    c: 1\n",
            "add /a/b d 2\nadd /a e 3\nadd  f 4",
            "a:\n  b:\n    c: 1\n    d: 2\n  e: 3\nf: 4\n",
        ),
    ]);
}

/// Quotes that a neighbour needs are not habits.
#[test]
fn quotes_follow_habits_not_needs() {
    check(&[
        ("- a\n- \"1.5\"\n", "insert  - \"b\"", "- a\n- \"1.5\"\n- b\n"),
        ("- \"1.5\"\n", "insert  - \"b\"", "- \"1.5\"\n- b\n"),
        ("- \"a\"\n- 1\n", "insert  - \"b\"", "- \"a\"\n- 1\n- \"b\"\n"),
        ("'200': 1\n", "add  other 2", "'200': 1\nother: 2\n"),
        ("'200': 1\n", "add  404 2", "'200': 1\n'404': 2\n"),
        ("{\"a\": [1, 2]}\n", "insert /a - \"b\"", "{\"a\": [1, 2, \"b\"]}\n"),
        (
            "{\n  \"a\": 1\n}\n",
            "add  b {\"k\":\"v\"}",
            "{\n  \"a\": 1,\n  \"b\": {\"k\": \"v\"}\n}\n",
        ),
    ]);
}

/// FA-28, CS-23.
#[test]
fn removed_members_take_their_line_and_nothing_else() {
    check(&[
        ("a: 1\nb: 2\nc: 3\n", "remove  b", "a: 1\nc: 3\n"),
        ("a: 1\nb: 2", "remove  b", "a: 1"),
        ("a: 1\nb: 2", "remove  a", "b: 2"),
        ("# a\na: 1 # one\n# b\nb: 2\n", "remove  a", "# a\n# b\nb: 2\n"),
        ("a: 1\n\nb:\n  c: 2 # deep\n  # tail\nd: 3\n", "remove  b", "a: 1\n\nd: 3\n"),
        ("z: 0\na: 1\nb: 2\nc: 3", "remove  a\nremove  b\nremove  c", "z: 0"),
        ("a: 1\nb: 2\nc: 3\n", "remove  a\nremove  b", "c: 3\n"),
        ("- a\n- b\n- c\n", "drop  1\ndrop  0", "- c\n"),
        ("- k: 1\n  l: 2\n", "remove /0 k", "- l: 2\n"),
        ("- k: 1 # c\n  # about l\n  l: 2\n", "remove /0 k", "- # about l\n  l: 2\n"),
        ("- k: 1\n  l: 2\n  m: 3\n", "remove /0 k\nremove /0 l", "- m: 3\n"),
        ("- - a\n  - b\n", "drop /0 0", "- - b\n"),
        ("a:\n  b: 1\n", "remove /a b", "a: {}\n"),
        ("a: # c\n  # d\n  b: 1\n  # e\n", "remove /a b", "a: {} # c\n  # d\n  # e\n"),
        ("a:\n- 1\n- 2\nb: 3\n", "drop /a 0\ndrop /a 0", "a: []\nb: 3\n"),
        ("a: &x\n  b: 1\n", "remove /a b", "a: &x {}\n"),
        ("- k: 1 # c\n- 2\n", "remove /0 k", "- {}\n- 2\n"),
        ("# head\na: 1\n# tail\n", "remove  a", "# head\n{}\n# tail\n"),
        ("a: 1", "remove  a", "{}"),
        ("a: 1\r\nb: 2\r\n", "remove  b", "a: 1\r\n"),
        ("a: 1\nb: 2\n", "remove  b\nadd  c 3", "a: 1\nc: 3\n"),
        ("a: 1\nb: 2\n", "remove  a\nremove  b\nadd  c 3", "c: 3\n"),
        ("- a\n- b\n", "drop  0\ninsert  0 \"x\"", "- x\n- b\n"),
        ("a:\n  b: 1\n  c: 2", "remove /a c\nadd  d 3", "a:\n  b: 1\nd: 3"),
    ]);
}

#[test]
fn values_change_between_scalars_and_collections() {
    check(&[
        (
            "a: 1 # c\nb: 2\n",
            "replace /a {\"x\":1,\"z\":[2]}",
            "a: # c\n  x: 1\n  z:\n    - 2\nb: 2\n",
        ),
        ("a:\n  x: 1 # c\n  y: 2\nb: 3\n", "replace /a 5", "a: 5\nb: 3\n"),
        ("a:\n  # about\n  x: 1\nb: 3\n", "replace /a 5", "a: 5\n  # about\nb: 3\n"),
        ("a:\n  x: 1\nb: 3\n", "replace /a [1]", "a:\n  - 1\nb: 3\n"),
        ("a:\n- 1\nb: 3\n", "replace /a {\"k\":1}", "a:\n  k: 1\nb: 3\n"),
        ("- 1 # c\n- 2\n", "item  0 {\"k\":1,\"l\":2}", "- k: 1 # c\n  l: 2\n- 2\n"),
        ("- k: 1\n  l: 2 # c\n- 2\n", "item  0 7", "- 7 # c\n- 2\n"),
        ("-\n  k: 1\n- 2\n", "item  0 {\"m\":1,\"o\":2}", "-\n  m: 1\n  o: 2\n- 2\n"),
        ("a: [1, 2] # c\n", "replace /a [3]", "a: [3] # c\n"),
        ("a: []\nb: 1\n", "insert /a - 1", "a:\n  - 1\nb: 1\n"),
        ("a: {} # c\n", "add /a b 1", "a: # c\n  b: 1\n"),
        ("a: {}\nb: {c: 1}\n", "add /a d 1", "a: {d: 1}\nb: {c: 1}\n"),
        ("{}\n", "add  a 1\nadd  b [1]", "a: 1\nb:\n  - 1\n"),
        ("", "replace  {\"a\":1}", "a: 1\n"),
        ("# only\n", "replace  {\"a\":1}", "# only\na: 1\n"),
        ("---\n", "replace  {\"a\":1}", "---\na: 1\n"),
        ("---\n# c\n", "replace  5", "--- 5\n# c\n"),
        ("--- x # c\n", "replace  {\"a\":1,\"b\":2}", "--- # c\na: 1\nb: 2\n"),
        ("x\n", "replace  {\"a\":1,\"b\":2}", "a: 1\nb: 2\n"),
        ("? a\n", "replace /a 1", "? a\n: 1\n"),
        ("? a\n? b\n", "replace /a {\"x\":1}", "? a\n:\n  x: 1\n? b\n"),
        ("%YAML 1.2\n---\na: 1\n", "replace /a [1]", "%YAML 1.2\n---\na:\n  - 1\n"),
        ("a: &x 1\n", "replace /a 2", "a: &x 2\n"),
        ("a: &x 1\n", "replace /a {\"b\":2}", "a: &x\n  b: 2\n"),
        ("a: !!str 1\n", "replace /a \"2\"", "a: !!str \"2\"\n"),
        ("a: !!str 1\n", "replace /a 2", "a: 2\n"),
        ("a: !!int 1\n", "replace /a {\"b\":2}", "a:\n  b: 2\n"),
        ("a: !Ref one\n", "replace /a \"two\"", "a: !Ref two\n"),
    ]);
}

#[test]
fn flow_collections_keep_their_layout() {
    check(&[
        ("a: [1, 2, 3]\n", "drop /a 1", "a: [1, 3]\n"),
        ("a: [1, 2, 3]\n", "drop /a 0", "a: [2, 3]\n"),
        ("a: [1, 2, 3]\n", "drop /a 2", "a: [1, 2]\n"),
        ("a: [1, 2, 3]\n", "drop /a 2\ndrop /a 1", "a: [1]\n"),
        ("a: [ 1, 2 ]\n", "drop /a 1", "a: [ 1 ]\n"),
        ("a: [1, 2]\n", "drop /a 0\ndrop /a 0", "a: []\n"),
        ("a: [1, 2]\n", "insert /a 1 5", "a: [1, 5, 2]\n"),
        ("a: [1, 2]\n", "insert /a 0 5", "a: [5, 1, 2]\n"),
        ("a: [1,2]\n", "insert /a - 5", "a: [1,2,5]\n"),
        ("a: [1, 2, ]\n", "insert /a - 5", "a: [1, 2, 5, ]\n"),
        ("a: [\n  1, # one\n  2,\n]\n", "insert /a - 5", "a: [\n  1, # one\n  2,\n  5,\n]\n"),
        ("a: [\n  1, # one\n  2\n]\n", "insert /a - 5", "a: [\n  1, # one\n  2,\n  5\n]\n"),
        ("a: [\n  1, # one\n  2\n]\n", "insert /a 1 5", "a: [\n  1, # one\n  5,\n  2\n]\n"),
        ("a: [\n  1, # one\n  2\n]\n", "insert /a 0 5", "a: [\n  5,\n  1, # one\n  2\n]\n"),
        ("a: [\n  1, # one\n  2\n]\n", "drop /a 0", "a: [\n  2\n]\n"),
        ("a: [\n  1, # one\n  2\n]\n", "drop /a 1", "a: [\n  1 # one\n]\n"),
        ("a: [\n  1,\n  # two\n  2,\n]\n", "drop /a 1", "a: [\n  1,\n  # two\n]\n"),
        ("a: [1,\n  2]\n", "insert /a - 5", "a: [1,\n  2,\n  5]\n"),
        ("{a: 1, b: 2}\n", "remove  a", "{b: 2}\n"),
        ("{a: 1, b: 2}\n", "add  c {\"d\":[1]}", "{a: 1, b: 2, c: {d: [1]}}\n"),
        ("{ a: 1 }\n", "add  b {\"c\":1}", "{ a: 1, b: { c: 1 } }\n"),
        ("{\"a\":1,\"b\":2}\n", "add  c \"x\"", "{\"a\":1,\"b\":2,\"c\":\"x\"}\n"),
        ("{\"a\":1}\n", "rename  a b", "{\"b\":1}\n"),
        ("{a, b: 1}\n", "replace /a 5", "{a: 5, b: 1}\n"),
        ("{a: , b: 1}\n", "replace /a 5", "{a: 5 , b: 1}\n"),
        ("[a: 1]\n", "replace /0/a 2", "[a: 2]\n"),
        ("[a: 1]\n", "add /0 b 2", "[{a: 1, b: 2}]\n"),
        ("[a: 1, c]\n", "remove /0 a", "[{}, c]\n"),
        ("a: [x, \"y, z\"]\n", "insert /a - \"p, q\"", "a: [x, \"y, z\", \"p, q\"]\n"),
        ("a: [x]\n", "replace /a/0 \"p, q\"", "a: [\"p, q\"]\n"),
        ("a: [1, 2, 3]\n", "drop /a 0\ndrop /a 0\ndrop /a 0\ninsert /a - 9", "a: [9]\n"),
        ("{a: 1}\n", "remove  a\nadd  b 2", "{b: 2}\n"),
        ("a: {\n  b: 1,\n  c: 2,\n}\n", "remove /a c\nadd /a d 3", "a: {\n  b: 1,\n  d: 3,\n}\n"),
    ]);
}

/// FA-32: the key's place and the value stay.
#[test]
fn keys_are_renamed_in_their_style() {
    check(&[
        ("a: 1 # c\n", "rename  a b", "b: 1 # c\n"),
        ("'a': 1\n", "rename  a it's", "'it''s': 1\n"),
        ("\"a\": 1\n", "rename  a b", "\"b\": 1\n"),
        ("a: 1\n", "rename  a x: y", "\"x: y\": 1\n"),
        ("? a\n: 1\n", "rename  a b", "? b\n: 1\n"),
        ("1: a\n", "rename  1 2", "\"2\": a\n"),
        ("a:\n  - b: 1\n", "rename /a/0 b c", "a:\n  - c: 1\n"),
        ("&k a: 1\n", "rename  a b", "&k b: 1\n"),
        ("a: 1\nb: 2\n", "rename  a c\nreplace /c [1]", "c:\n  - 1\nb: 2\n"),
    ]);
}

/// CS-30.
#[test]
fn moved_values_keep_their_text() {
    check(&[
        ("a: 0x1F # hex\nb: 1\n", "move /a /c", "b: 1\nc: 0x1F # hex\n"),
        (
            "a:\n  b:\n    # inner\n    c: 'x' # y\n  d: 1\n",
            "move /a/b /e",
            "a:\n  d: 1\ne:\n  # inner\n  c: 'x' # y\n",
        ),
        ("a:\n  b: |\n    t\n     u\n  d: 1\n", "move /a/b /e", "a:\n  d: 1\ne: |\n  t\n   u\n"),
        ("a: 1\nb:\n  c: 2\n", "move /a /b/a", "b:\n  c: 2\n  a: 1\n"),
        ("- k: 1\n  l: 2\n- m: {}\n", "move /0 /0/n", "failed: `/0` cannot be moved into itself"),
        ("a: [1, 2]\nb:\n- x\n", "move /b/0 /c", "a: [1, 2]\nb: []\nc: x\n"),
        ("a: {b: [1, 2]}\nc: 1\n", "move /a/b /d", "a: {}\nc: 1\nd: [1, 2]\n"),
        ("a:\n  - 1\n  - 2\nb: {c: 1}\n", "move /a /b/a", "b: {c: 1, a: [1, 2]}\n"),
        ("a: 1\nb: 2\n", "move /a /b", "b: 1\n"),
        ("a:\n  x: 1\n  y: 2\nb: 2\n", "move /a /b", "b:\n  x: 1\n  y: 2\n"),
        ("a:\n  x: 1\nb: {}\n", "move /a /b/a\nadd /b/a z 2", "b:\n  a:\n    x: 1\n    z: 2\n"),
        (
            "a:\n  # why\n  x: 1 # keep\nb: {}\n",
            "move /a /b/a\nadd /b/a z 2",
            "refused at 28: YAML cannot express a changed collection in another place without losing its comments",
        ),
        ("- &x # c\n  k: 1\n- 2\n", "move /0 /0", "- &x # c\n  k: 1\n- 2\n"),
        ("a: &x # c\n  # d\n  k: 1\nb: 2\n", "move /a /c", "b: 2\nc: &x # c\n  # d\n  k: 1\n"),
    ]);
}

/// An edit never changes more than the place it names.
#[test]
fn shared_nodes_are_not_edited() {
    let shared = "a: &x {k: 1}\nb: *x\nc:\n  <<: *x\n  own: 1\n";
    check(&[
        (
            shared,
            "replace /a/k 2",
            "failed: `&x` is used by 2 alias(es), so an edit here would change more than one place",
        ),
        (
            shared,
            "add /a l 2",
            "failed: `&x` is used by 2 alias(es), so an edit here would change more than one place",
        ),
        (
            shared,
            "remove  a",
            "failed: `&x` is used by 2 alias(es), so an edit here would change more than one place",
        ),
        (
            shared,
            "replace /b/k 2",
            "failed: `*x` is an alias; edit the place that defines `&x` instead",
        ),
        (shared, "replace /b 2", "a: &x {k: 1}\nb: 2\nc:\n  <<: *x\n  own: 1\n"),
        (shared, "remove  b", "a: &x {k: 1}\nc:\n  <<: *x\n  own: 1\n"),
        (shared, "move /b /d", "a: &x {k: 1}\nc:\n  <<: *x\n  own: 1\nd: *x\n"),
        (
            shared,
            "replace /c/k 2",
            "failed: key `k` comes only from the merge `<<`; edit the map that is merged in",
        ),
        (
            shared,
            "add /c k 2",
            "failed: key `k` comes only from the merge `<<`; edit the map that is merged in",
        ),
        (shared, "add /c l 2", "a: &x {k: 1}\nb: *x\nc:\n  <<: *x\n  own: 1\n  l: 2\n"),
        (
            "a:\n  b: &x 1\nc: *x\n",
            "remove  a",
            "failed: this would remove `&x`, which is still used by an alias elsewhere",
        ),
        ("a: [&x 1, *x]\nb: 2\n", "remove  a", "b: 2\n"),
        (
            "? [1, 2]\n: a\nb: 1\n",
            "replace /b 2",
            "failed: the map has a key that is not a scalar, which a JSON pointer cannot address",
        ),
        (
            "a: 1\na: 2\n",
            "replace /a 2",
            "failed: key `a` appears more than once in its map; remove one of them first",
        ),
        (
            " # a comment\r- x\n",
            "insert  0 1",
            "failed: a line ends in a lone carriage return; write the line ends as LF or CRLF first",
        ),
        (
            "a: !Ref one\n",
            "replace /a [1]",
            "refused at 8: YAML cannot express a value of another kind under the tag `!Ref`",
        ),
    ]);
}

/// Blank lines keep their rhythm: none are left over, and a new member is set apart as its neighbours are.
#[test]
fn blank_lines_between_members_are_theirs() {
    let spaced = "a: 1\n\nb:\n  x: 1\n\n# why\nc: 3\n";
    let list = "l:\n  - a: 1\n\n  - b: 2\n\n  - c: 3\nz: 1\n";
    check(&[
        (spaced, "remove  a", "b:\n  x: 1\n\n# why\nc: 3\n"),
        (spaced, "remove  b", "a: 1\n\n# why\nc: 3\n"),
        (spaced, "add  d {\"k\":1}", "a: 1\n\nb:\n  x: 1\n\n# why\nc: 3\n\nd:\n  k: 1\n"),
        (spaced, "remove  a\nremove  b", "# why\nc: 3\n"),
        ("a: 1\n\nb: 2\n", "remove  b", "a: 1\n"),
        ("a: 1\n\nb: 2", "remove  b", "a: 1"),
        ("# c\na: 1\n\nb: 2\n", "remove  a", "# c\n\nb: 2\n"),
        ("a: 1\nb: 2\n\nc: 3\n", "remove  b", "a: 1\n\nc: 3\n"),
        ("a: 1\nb: 2\n\nc: 3\n", "add  d 4", "a: 1\nb: 2\n\nc: 3\nd: 4\n"),
        ("a: |+\n  x\n\nb: 2\n\nc: 3\n", "remove  b", "a: |+\n  x\n\nc: 3\n"),
        (list, "drop /l 2", "l:\n  - a: 1\n\n  - b: 2\nz: 1\n"),
        (list, "drop /l 0", "l:\n  - b: 2\n\n  - c: 3\nz: 1\n"),
        (list, "insert /l 0 0", "l:\n  - 0\n\n  - a: 1\n\n  - b: 2\n\n  - c: 3\nz: 1\n"),
        (list, "insert /l 1 0", "l:\n  - a: 1\n\n  - 0\n\n  - b: 2\n\n  - c: 3\nz: 1\n"),
        (list, "insert /l 3 0", "l:\n  - a: 1\n\n  - b: 2\n\n  - c: 3\n\n  - 0\nz: 1\n"),
        ("a: 1\r\n\r\nb: 2\r\n", "add  c 3", "a: 1\r\n\r\nb: 2\r\n\r\nc: 3\r\n"),
    ]);
}

/// The blank lines between two members that go are taken once.
#[test]
fn neighbours_that_go_leave_one_gap() {
    check(&[
        ("a: 1\n\nb: 2\n\nc: 3\n\nd: 4\n", "remove  b\nremove  c", "a: 1\n\nd: 4\n"),
        ("a: 1\n\nb: 2\n\nc: 3\n\nd: 4\n", "remove  a\nremove  b", "c: 3\n\nd: 4\n"),
        ("a: 1\n\nb: 2\n\nc: 3\n\nd: 4\n", "remove  c\nremove  d", "a: 1\n\nb: 2\n"),
        ("- 1\n\n\n- 2\n\n- 3\n- 4", "drop  1\ndrop  1", "- 1\n\n- 4"),
        // `|+` would take in the blank lines, so they go with the first.
        ("k: |+\n  t\nb: 1\n\nc: 2\n", "remove  b\nremove  c", "k: |+\n  t\n"),
        ("k: |+\n  t\nb: 1\n\nc: 2\n\nd: 3\n", "remove  b\nremove  c", "k: |+\n  t\nd: 3\n"),
        ("x:\n  a: |+\n    t\n  b: 1\n\ny: 2\n", "remove /x b\nremove  y", "x:\n  a: |+\n    t\n"),
    ]);
}

/// A comment inside a member goes with it, also where it ends the member.
#[test]
fn comments_that_end_a_removed_member_go_with_it() {
    check(&[
        ("a:\n  x: 1\n  # y: 2\n\nb: 1\n", "remove  a", "b: 1\n"),
        ("a: 1\nb:\n  x: 1\n  # y: 2\n# end\n", "remove  b", "a: 1\n# end\n"),
        ("- a: 1\n  # b: 2\n- c\n", "drop  0", "- c\n"),
        ("a:\n- x\n# - y\nb: 1\n", "remove  a", "# - y\nb: 1\n"),
        ("a:\n  x: 1\n  # y: 2\nb: 1\n", "move /a /c", "  # y: 2\nb: 1\nc:\n  x: 1\n"),
    ]);
}

/// A comment right above the first item is about that item; at the top of the file it is about the file.
#[test]
fn a_new_first_item_goes_above_the_comment_of_the_old_one() {
    check(&[
        ("l:\n  # a\n  # b\n  - x\n", "insert /l 0 1", "l:\n  - 1\n  # a\n  # b\n  - x\n"),
        ("l:\n  # all\n\n  - x\n", "insert /l 0 1", "l:\n  # all\n\n  - 1\n  - x\n"),
        ("# file\n- x\n", "insert  0 1", "# file\n- 1\n- x\n"),
        ("---\n# file\n- x\n", "insert  0 1", "---\n# file\n- 1\n- x\n"),
        ("# file\n\n# x\n- x\n", "insert  0 1", "# file\n\n- 1\n# x\n- x\n"),
        (
            "l:\n      # in\n  - x\n",
            "insert /l 0 \"a\\nb\\n\"",
            "l:\n  - \"a\\nb\\n\"\n      # in\n  - x\n",
        ),
    ]);
}

/// What comes where something went takes its place.
#[test]
fn a_new_member_takes_the_place_of_one_that_went() {
    check(&[
        ("a: 1\n\n# b\nb: 2 # two\n\n", "move /b /c", "a: 1\n\n# b\nc: 2 # two\n\n"),
        ("- a\n# b\n- b # two\n- c\n", "drop  1\ninsert  1 9", "- a\n# b\n- 9\n- c\n"),
        ("a: 1\nb: 2\n\nc: 3\n", "remove  c\nadd  d 4", "a: 1\nb: 2\n\nd: 4\n"),
    ]);
}

/// The neighbours decide on indentation and quotes, also where they differ from the rest of the file.
#[test]
fn new_members_are_indented_and_quoted_like_their_neighbours() {
    check(&[
        (
            "a:\n    b:\n        - x\nnav:\n    - G:\n        - I: i\n",
            "insert /nav 1 {\"A\":[{\"B\":\"b\"}]}",
            "a:\n    b:\n        - x\nnav:\n    - G:\n        - I: i\n    - A:\n        - B: b\n",
        ),
        ("a: x\nb: \"/\"\nc: 1\n", "add  d \"v\"", "a: x\nb: \"/\"\nc: 1\nd: v\n"),
        ("a: \"x\"\nb: \"/\"\n", "add  d \"v\"", "a: \"x\"\nb: \"/\"\nd: \"v\"\n"),
        (
            "a:\n  - |\n      one\n      two\n",
            "item /a 0 \"one\\n2\\n\"",
            "a:\n  - |\n      one\n      2\n",
        ),
    ]);
}

/// a text that ends in the last line of a block scalar has no line feed there, and gets none by what follows.
#[test]
fn a_block_scalar_that_ends_the_text_keeps_its_value() {
    check(&[
        ("a: |\n  x", "add  b 1", "a: |-\n  x\nb: 1"),
        ("a: |+\n  x", "add  b 1", "a: |-\n  x\nb: 1"),
        ("a: >2 # c\n   x\n  y", "add  b 1", "a: >2- # c\n   x\n  y\nb: 1"),
        ("a: |-\n  x", "add  b 1", "a: |-\n  x\nb: 1"),
        ("a: |\n  x\n  ", "add  b 1", "a: |\n  x\nb: 1\n  "),
        ("- |\n  x", "insert  1 2", "- |-\n  x\n- 2"),
        ("- |\n  x", "insert  0 2", "- 2\n- |\n  x"),
        ("a:\n  b: |\n    x", "move /a/b /b", "a: {}\nb: |-\n  x"),
        ("a: |\n  x", "replace /a \"y\"", "a: |-\n  y"),
    ]);
}

/// every document of a stream is edited in its place, and the others stay.
#[test]
fn documents_of_a_stream_are_edited_each_in_its_place() {
    let text = "# head\na: 1\n---\n# two\nb: [1, 2]\n...\n%YAML 1.2\n---\nc: |\n  x\n";
    check(&[
        (text, "set /a 2", &text.replace("a: 1", "a: 2")),
        (text, "add  z 2", &text.replace("a: 1\n", "a: 1\nz: 2\n")),
        (text, "@1 add  z 2", &text.replace("2]\n", "2]\nz: 2\n")),
        (text, "@1 insert /b 1 9", &text.replace("[1, 2]", "[1, 9, 2]")),
        (text, "@2 add  z 2", &format!("{text}z: 2\n")),
        (
            text,
            "@2 replace /c 1\nset /a 3\n@1 remove  b",
            "# head\na: 3\n---\n# two\n{}\n...\n%YAML 1.2\n---\nc: 1\n",
        ),
        (text, "@3 set /a 1", "failed: document 3 is out of range, the file has 3 document(s)"),
        ("a: 1\n---\n---\n", "@1 replace  {\"b\":1}", "a: 1\n---\nb: 1\n---\n"),
        ("a: &x 1\n---\na: &x 2\nb: *x\n", "replace /a 3", "a: &x 3\n---\na: &x 2\nb: *x\n"),
        (
            "a: 1\na: 2\n---\nb: 1\n",
            "set /a 3",
            "failed: key `a` appears more than once in its map; remove one of them first",
        ),
        ("a: 1\na: 2\n---\nb: 1\n", "@1 set /b 3", "a: 1\na: 2\n---\nb: 3\n"),
    ]);
}

/// what stands under `!!binary` is base64, and stays so.
#[test]
fn binary_stays_base64() {
    check(&[
        ("a: !!binary aGk=\n", "replace /a \"aG8=\"", "a: !!binary aG8=\n"),
        (
            "a: !!binary aGk=\n",
            "replace /a \"no base64!\"",
            "refused at 12: YAML cannot express a value of another kind under the tag `!!binary`",
        ),
        (
            "a: !!binary aGk=\n",
            "replace /a 1",
            "refused at 12: YAML cannot express a value of another kind under the tag `!!binary`",
        ),
    ]);
}

/// A value that becomes the root takes its comments along, once.
#[test]
fn a_value_that_becomes_the_root_keeps_its_comments_once() {
    check(&[
        ("a:\n  # in\n  b: 1 # c\n", "move /a ", "# in\nb: 1 # c\n"),
        ("a: 1 # c\n", "move /a ", "1 # c\n"),
        ("# top\na: [1, 2] # c\n# end\n", "move /a ", "# top\n[1, 2] # c\n# end\n"),
        ("x: 0\na: # above\n  - 1\n  # d\n  - 2\n", "move /a ", "# above\n- 1\n# d\n- 2\n"),
    ]);
}
