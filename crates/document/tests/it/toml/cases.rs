//! Exact texts before and after operations.

use document::{Draft, Format, GuardedOp, Limits, Number, Op, OpError, Pointer, Value, parse};
use edit::Text;

/// A value from JSON; a number keeps its digits.
fn value(json: &str) -> Value {
    if let Some(number) = Number::parse(json) {
        return Value::Number(number);
    }
    from_json(&serde_json::from_str(json).unwrap())
}

fn from_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(*value),
        serde_json::Value::Number(number) => {
            Value::Number(Number::parse(&number.to_string()).unwrap())
        }
        serde_json::Value::String(text) => Value::String(text.clone()),
        serde_json::Value::Array(items) => Value::Array(items.iter().map(from_json).collect()),
        serde_json::Value::Object(members) => Value::Object(
            members.iter().map(|(key, value)| (key.clone(), from_json(value))).collect(),
        ),
    }
}

fn at(pointer: &str) -> Pointer {
    pointer.parse().unwrap()
}

fn set(pointer: &str, json: &str) -> Op {
    Op::SetValue { at: at(pointer), value: value(json) }
}

fn replace(pointer: &str, json: &str) -> Op {
    Op::ReplaceValue { at: at(pointer), value: value(json) }
}

fn add(pointer: &str, key: &str, json: &str) -> Op {
    Op::AddKey { at: at(pointer), key: key.to_string(), value: value(json) }
}

fn remove(pointer: &str, key: &str) -> Op {
    Op::RemoveKey { at: at(pointer), key: key.to_string() }
}

fn delete(pointer: &str) -> Op {
    Op::DeleteValue { at: at(pointer) }
}

fn rename(pointer: &str, from: &str, to: &str) -> Op {
    Op::RenameKey { at: at(pointer), from: from.to_string(), to: to.to_string() }
}

fn insert(pointer: &str, index: usize, json: &str) -> Op {
    Op::InsertItem { at: at(pointer), index: Some(index), value: value(json) }
}

fn push(pointer: &str, json: &str) -> Op {
    Op::InsertItem { at: at(pointer), index: None, value: value(json) }
}

fn replace_item(pointer: &str, index: usize, json: &str) -> Op {
    Op::ReplaceItem { at: at(pointer), index, value: value(json) }
}

fn delete_item(pointer: &str, index: usize) -> Op {
    Op::DeleteItem { at: at(pointer), index }
}

fn relocate(from: &str, to: &str) -> Op {
    Op::MoveValue { from: at(from), to: at(to), keep_position: false }
}

fn draft(before: &str, ops: &[Op]) -> Result<(Text, Draft), OpError> {
    let text = Text::new(before);
    let mut draft = parse(&text, Format::Toml, &Limits::DEFAULT).unwrap().draft();
    for op in ops {
        draft.apply(&GuardedOp::from(op.clone()))?;
    }
    Ok((text, draft))
}

/// Applies the operations in one draft; `after` is the text that must come out, or the start of the refusal.
#[track_caller]
fn check(before: &str, ops: &[Op], after: &str) {
    let found = match draft(before, ops) {
        Ok((text, draft)) => match draft.lower() {
            Ok(edits) => String::from_utf8(edits.apply(&text).unwrap().bytes().to_vec()).unwrap(),
            Err(refusal) => format!("refused: {refusal}"),
        },
        Err(error) => format!("refused: {error}"),
    };
    assert_eq!(found, after, "{ops:?}\n--- before\n{before}\n---");
}

/// FA-26, CS-19: a replaced scalar keeps its quotes where they can express the new value.
#[test]
fn scalars_keep_their_style() {
    check("a = \"old\" # why\nb = 1\n", &[replace("/a", r#""new""#)], "a = \"new\" # why\nb = 1\n");
    check("a = 'old'\n", &[replace("/a", r#""c:\\dir""#)], "a = 'c:\\dir'\n");
    check("a = 'old'\n", &[replace("/a", r#""it's""#)], "a = \"it's\"\n");
    check(
        "a = \"\"\"\none\n\"\"\"\n",
        &[replace("/a", r#""two\nlines\n""#)],
        "a = \"\"\"\ntwo\nlines\n\"\"\"\n",
    );
    check(
        "a = \"\"\"one\"\"\"\n",
        &[replace("/a", r#""\nsays \"\"\"\"hi\"""#)],
        "a = \"\"\"\n\nsays \"\"\\\"\"hi\\\"\"\"\"\n",
    );
    check("a = '''\none'''\n", &[replace("/a", r#""x\ny""#)], "a = '''\nx\ny'''\n");
    check("a = '''one'''\n", &[replace("/a", r#""x'''y""#)], "a = \"x'''y\"\n");
    check("a = \"\"\"\none\n\"\"\" # c\n", &[replace("/a", r#""x""#)], "a = \"x\" # c\n");
    check("a = '''\none\n'''\n", &[replace("/a", r#""x\\y""#)], "a = 'x\\y'\n");
    check(
        "a = \"old\"\n",
        &[replace("/a", r#""tab\t quote\" back\\ \u0001 \u007f ünï 😀""#)],
        "a = \"tab\\t quote\\\" back\\\\ \\u0001 \\u007F ünï 😀\"\n",
    );
    check("a = 0x1F\n", &[replace("/a", "-1.50")], "a = -1.50\n");
    check("a = 1\n", &[replace("/a", "9223372036854775807")], "a = 9223372036854775807\n");
    check("a = 1979-05-27 # day\n", &[replace("/a", "true")], "a = true # day\n");
    check("a = 1\n", &[replace("/a", r#""1979-05-27""#)], "a = \"1979-05-27\"\n");
}

/// Never approximated: null, large integers, a document that is not a table, comments without a place.
#[test]
fn what_toml_has_no_text_for_is_refused() {
    check("a = 1\n", &[replace("/a", "null")], "refused: TOML cannot express null");
    check("a = [1]\n", &[push("/a", r#"{"x": [null]}"#)], "refused: TOML cannot express null");
    check(
        "a = 1\n",
        &[replace("/a", "9223372036854775808")],
        "refused: TOML cannot express an integer beyond 64 bits",
    );
    // X-126
    check(
        "a = inf\nb = 1.0\n",
        &[replace("/b", "1e400")],
        "refused: TOML cannot express a number beyond the range of a double",
    );
    check("a = 1e400\nb = 1\n", &[replace("/b", "2")], "a = 1e400\nb = 2\n");
    check(
        "a = 1\n",
        &[replace("", "[1]")],
        "refused: TOML cannot express a document that is not a table",
    );
    check(
        "t = {}\nb = 1 # note\n",
        &[relocate("/b", "/t/b")],
        "refused: TOML cannot express the comment of this line inside brackets",
    );
    check(
        "a = [1]\nb = 1 # note\n",
        &[relocate("/b", "/a/0")],
        "refused: TOML cannot express the comment of this line inside brackets",
    );
    check(
        "t = {}\n\n[b]\nx = 1 # note\n",
        &[relocate("/b", "/t/b")],
        "refused: TOML cannot express this value here with the comments inside it",
    );
    check(
        "[[x]]\na = 1 # note\n",
        &[push("/x", "2")],
        "refused: TOML cannot express this value here with the comments inside it",
    );
    check(
        "a = 1 # one\nb = 2 # two\n",
        &[relocate("/b", "/a")],
        "refused: TOML cannot express two comments at the end of one line",
    );
}

/// FA-27, CS-20: a new key goes after the last line of its table, in the style of its neighbours.
#[test]
fn new_keys_follow_their_neighbours() {
    check(
        "[package]\nname = \"x\"\n\n[dependencies]\nserde = \"1\" # pin\n\n# for tests\n[dev]\n",
        &[add("/dependencies", "tokio", r#"{"version": "1", "features": ["full"]}"#)],
        "[package]\nname = \"x\"\n\n[dependencies]\nserde = \"1\" # pin\ntokio = { version = \"1\", features = [\"full\"] }\n\n# for tests\n[dev]\n",
    );
    check("a=1\n", &[add("", "b", "2")], "a=1\nb=2\n");
    check(
        "short   = 1\nlonger  = 2\n",
        &[add("", "k", "3"), add("", "much-longer-key", "4")],
        "short   = 1\nlonger  = 2\nk       = 3\nmuch-longer-key = 4\n",
    );
    check(
        "[a]\n  x = 1\n  [a.b]\n\ty = 2\n",
        &[add("/a", "k", "1"), add("/a/b", "k", "1")],
        "[a]\n  x = 1\n  k = 1\n  [a.b]\n\ty = 2\n\tk = 1\n",
    );
    check("a = 'x'\n", &[add("", "b", r#""y""#)], "a = 'x'\nb = 'y'\n");
    check(
        "\"a\" = 1\n",
        &[add("", "b", "2"), add("", "c d", "3")],
        "\"a\" = 1\n\"b\" = 2\n\"c d\" = 3\n",
    );
    check(
        "'a b' = 1\n",
        &[add("", "b", "2"), add("", "c d", "3")],
        "'a b' = 1\nb = 2\n'c d' = 3\n",
    );
    check("a = 1", &[add("", "b", "2")], "a = 1\nb = 2");
    check(
        "\u{feff}a = 1\r\n",
        &[add("", "b", "2"), add("", "", "3")],
        "\u{feff}a = 1\r\nb = 2\r\n\"\" = 3\r\n",
    );
    check(
        "[a]\n# nothing yet\n\n[b]\n",
        &[add("/a", "x", "1")],
        "[a]\nx = 1\n# nothing yet\n\n[b]\n",
    );
    check("[a] # head\n[b]\n", &[add("/a", "x", "1")], "[a] # head\nx = 1\n[b]\n");
    check("", &[add("", "a", "1"), add("", "b", r#"{"c": 2}"#)], "a = 1\n\n[b]\nc = 2\n");
    check("# only a comment\n", &[add("", "a", "1")], "# only a comment\na = 1\n");
}

/// A key of the document itself must come before every section.
#[test]
fn root_keys_stand_before_the_first_header() {
    check("# file\n[a]\nx = 1\n", &[add("", "top", "1")], "# file\ntop = 1\n\n[a]\nx = 1\n");
    check(
        "# file\n\n# about a\n[a]\nx = 1\n",
        &[add("", "top", "1")],
        "# file\n\ntop = 1\n\n# about a\n[a]\nx = 1\n",
    );
    check("a = 1\n\n[b]\n", &[add("", "c", "2")], "a = 1\nc = 2\n\n[b]\n");
    check("[a]\n[b]\n", &[add("", "c", "2")], "c = 2\n\n[a]\n[b]\n");
}

/// Objects become sections beside sections, inline tables elsewhere.
#[test]
fn tables_follow_the_habit_of_their_siblings() {
    check(
        "[a]\nx = 1\n",
        &[add("", "b", r#"{"y": 2, "sub": {"z": [3]}, "list": [{"k": 1}, {}]}"#)],
        "[a]\nx = 1\n\n[b]\ny = 2\n\n[b.sub]\nz = [3]\n\n[[b.list]]\nk = 1\n\n[[b.list]]\n",
    );
    check("[a]\nx = 1\n[b]\ny = 2\n", &[add("", "c", "{}")], "[a]\nx = 1\n[b]\ny = 2\n[c]\n");
    check(
        "[a.b]\nx = 1\n\n[c]\n",
        &[add("/a", "d", r#"{"y": 2}"#)],
        "[a.b]\nx = 1\n\n[a.d]\ny = 2\n\n[c]\n",
    );
    check(
        "[a]\nx = { y = 1 }\n",
        &[add("/a", "b", r#"{"c": "d"}"#)],
        "[a]\nx = { y = 1 }\nb = { c = \"d\" }\n",
    );
    check(
        "a.b = 1\nz = 2\n",
        &[add("/a", "c", r#"{"d": 1}"#)],
        "a.b = 1\na.c = { d = 1 }\nz = 2\n",
    );
    check(
        "[[x]]\na = 1\n\n[b]\n",
        &[add("", "y", r#"[{"a": 1}, {"a": 2}]"#)],
        "[[x]]\na = 1\n\n[b]\n\n[[y]]\na = 1\n\n[[y]]\na = 2\n",
    );
    check(
        "x = [{ a = 1 }]\n",
        &[add("", "y", r#"[{"a": 1}]"#)],
        "x = [{ a = 1 }]\ny = [{ a = 1 }]\n",
    );
    check(
        "[a]\nx = 1\n# tail of a\n\n[b]\n\n[b.c]\ny = 1\n",
        &[add("/b", "d", r#"{"k": 1}"#), add("/a", "n", "2")],
        "[a]\nx = 1\nn = 2\n# tail of a\n\n[b]\n\n[b.c]\ny = 1\n\n[b.d]\nk = 1\n",
    );
    check(
        "[a]\n  x = 1\n  [a.b]\n    y = 2\n",
        &[add("/a", "n", r#"{"z": 1}"#)],
        "[a]\n  x = 1\n  [a.b]\n    y = 2\n  [a.n]\n    z = 1\n",
    );
}

/// A table that only its sub-tables name has no line to write a key on.
#[test]
fn implicit_tables_get_a_header() {
    check(
        "[a.b]\nx = 1\n\n# about c\n[a.c]\n",
        &[add("/a", "k", "1")],
        "[a]\nk = 1\n\n[a.b]\nx = 1\n\n# about c\n[a.c]\n",
    );
    check("# about b\n[a.b]\nx = 1\n\n[d]\n", &[remove("/a", "b")], "# about b\n[a]\n\n[d]\n");
    check(
        "[a.b]\nx = 1\n\n[d]\n\n[a.c]\ny = 2\n",
        &[remove("/a", "b"), remove("/a", "c")],
        "[a]\n\n[d]\n",
    );
    check(
        "[[x]]\n[x.a.b]\ny = 1\n",
        &[add("/x/0/a", "k", "1")],
        "[[x]]\n[x.a]\nk = 1\n[x.a.b]\ny = 1\n",
    );
}

/// A table of dotted keys grows and shrinks by lines.
#[test]
fn dotted_keys_stay_dotted() {
    check(
        "a.b = 1 # one\na.c = 2\nz = 1\n",
        &[add("/a", "d", "3")],
        "a.b = 1 # one\na.c = 2\na.d = 3\nz = 1\n",
    );
    check("a.b = 1\na.c = 2\nz = 1\n", &[remove("/a", "b"), remove("/a", "c")], "a = {}\nz = 1\n");
    check(
        "a.b = 1\na.c.d = 2\nz = 1\n",
        &[rename("", "a", "x y"), rename("/x y", "c", "e")],
        "\"x y\".b = 1\n\"x y\".e.d = 2\nz = 1\n",
    );
    check("a.b = 1\n# note\na.c = 2\nz = 1\n", &[remove("", "a")], "# note\nz = 1\n");
    check("a.b = 1\na.c = 2\nz = 1\n", &[replace("/a", "[1]")], "a = [1]\nz = 1\n");
    check(
        "[f]\napple.color = 1\n\n[f.apple.taste]\nsweet = true\n",
        &[add("/f/apple", "k", "1"), remove("/f/apple", "color")],
        "[f]\napple.k = 1\n\n[f.apple.taste]\nsweet = true\n",
    );
}

/// FA-28, CS-23: a removed entry takes the comment at its line's end; comments above stay.
#[test]
fn removal_takes_the_line_and_its_comment() {
    check("# above\na = 1 # own\nb = 2\n", &[remove("", "a")], "# above\nb = 2\n");
    check("a = [\n  1,\n] # own\nb = 2\n", &[delete("/a")], "b = 2\n");
    check("a = 1\nb = 2\nc = 3\n", &[delete("/a"), delete("/b"), delete("/c")], "");
    check("a = 1\nb = 2", &[remove("", "b")], "a = 1");
    check("[a]\nx = 1\n", &[remove("/a", "x")], "[a]\n");
}

/// Header, body and sub-tables go, wherever they stand, with one gap.
#[test]
fn a_removed_table_goes_with_all_its_sections() {
    check(
        "[a]\nx = 1\n\n[b]\ny = 2\n# in b\nz = 3\n\n# about c\n[c]\n",
        &[remove("", "b")],
        "[a]\nx = 1\n\n# about c\n[c]\n",
    );
    check("[a]\nx = 1\n\n[b]\n\n[a.c]\ny = 1\n\n[d]\n", &[remove("", "a")], "[b]\n\n[d]\n");
    check("[a]\nx = 1\n\n[b]\ny = 2\n", &[remove("", "b")], "[a]\nx = 1\n");
    check("[a]\nx = 1\n\n[b]\ny = 2", &[remove("", "b")], "[a]\nx = 1");
    check("[a]\r\nx = 1\r\n\r\n[b]\r\ny = 2\r\n", &[remove("", "a")], "[b]\r\ny = 2\r\n");
    check("[a]\nx = 1\n", &[remove("", "a")], "");
}

/// FA-32, X-14: every header and dotted key that spells a table follows its name; comments and order stay.
#[test]
fn a_renamed_table_is_respelled_everywhere() {
    check(
        "[a] # head\n[a.b]\n[[a.c]]\n[a.c.d]\nk.l = 1\n",
        &[rename("", "a", "z"), rename("/z", "c", "e f"), rename("/z/e f/0/d", "k", "m")],
        "[z] # head\n[z.b]\n[[z.\"e f\"]]\n[z.\"e f\".d]\nm.l = 1\n",
    );
    check(
        "\"a\" = 1\n'b c' = 2\nd = 3\n",
        &[rename("", "a", "x"), rename("", "b c", "y z"), rename("", "d", "e/f")],
        "\"x\" = 1\n'y z' = 2\n\"e/f\" = 3\n",
    );
    check("t = { a.b = 1, a.c = 2 }\n", &[rename("/t", "a", "z")], "t = { z.b = 1, z.c = 2 }\n");
    check(
        "[a]\nx = 1\n\n[a.b]\ny = 1\n",
        &[rename("", "a", "z"), remove("/z", "b")],
        "[z]\nx = 1\n",
    );
}

/// FA-29, FA-31, CS-24, CS-27: items that are sections.
#[test]
fn arrays_of_tables_are_edited_section_by_section() {
    check(
        "[[x]]\na = 1\n\n# two\n[[x]]\na = 2\n",
        &[insert("/x", 1, r#"{"a": 9}"#)],
        "[[x]]\na = 1\n\n[[x]]\na = 9\n\n# two\n[[x]]\na = 2\n",
    );
    check(
        "# one\n[[x]]\na = 1\n",
        &[insert("/x", 0, r#"{"a": 9}"#)],
        "# one\n[[x]]\na = 9\n\n[[x]]\na = 1\n",
    );
    check(
        "[[x]]\na = 1\n[x.s]\nk = 1\n\n[z]\n",
        &[push("/x", r#"{"a": 9, "s": {"k": 2}}"#)],
        "[[x]]\na = 1\n[x.s]\nk = 1\n\n[[x]]\na = 9\n\n[x.s]\nk = 2\n\n[z]\n",
    );
    check(
        "[[x]]\na = 1\n\n[[x]]\na = 2\n\n[[x]]\na = 3\n",
        &[delete_item("/x", 0), delete_item("/x", 1)],
        "[[x]]\na = 2\n",
    );
    check(
        "y = 1\n\n[[x]]\na = 1\n\n[[x]]\na = 2\n",
        &[delete_item("/x", 0), delete_item("/x", 0)],
        "y = 1\nx = []\n",
    );
    check(
        "[[x]]\na = 1 # gone\n\n# two\n[[x]]\na = 2\n",
        &[replace_item("/x", 0, r#"{"b": 5}"#)],
        "[[x]]\nb = 5\n\n# two\n[[x]]\na = 2\n",
    );
    check("[[x]]\na = 1\n\n[[x]]\na = 2\n", &[push("/x", "3")], "x = [{ a = 1 }, { a = 2 }, 3]\n");
    check(
        "[[x]]\na = 1\n\n[[x]]\na = 2\n",
        &[add("/x/0", "b", r#"{"c": 1}"#), add("/x/1", "b", "true")],
        "[[x]]\na = 1\nb = { c = 1 }\n\n[[x]]\na = 2\nb = true\n",
    );
}

/// Items between brackets with their commas.
#[test]
fn arrays_on_one_line() {
    check("a = [1, 2, 3]\n", &[insert("/a", 0, "0"), push("/a", "4")], "a = [0, 1, 2, 3, 4]\n");
    check("a = [1, 2, 3]\n", &[delete_item("/a", 2), delete_item("/a", 1)], "a = [1]\n");
    check("a = [1, 2, 3,]\n", &[delete_item("/a", 0), delete_item("/a", 1)], "a = [2,]\n");
    check("a = [ 1,2,3 ]\n", &[push("/a", "4"), replace_item("/a", 1, "[]")], "a = [ 1,[],3,4 ]\n");
    check("a = [1, 2]\n", &[delete_item("/a", 0), delete_item("/a", 0)], "a = []\n");
    check(
        "a = [ 1, 2 ]\n",
        &[delete_item("/a", 0), delete_item("/a", 0), push("/a", "3")],
        "a = [ 3 ]\n",
    );
    check(
        "a = []\nb = [ ]\nc = [[], [1]]\n",
        &[push("/a", r#""x""#), push("/b", "1"), push("/c/0", "2"), delete_item("/c/1", 0)],
        "a = [\"x\"]\nb = [1]\nc = [[2], []]\n",
    );
    check("a = ['x', 'y']\n", &[push("/a", r#""z""#)], "a = ['x', 'y', 'z']\n");
}

/// One item a line: indentation, comments and the last comma stay.
#[test]
fn arrays_on_many_lines() {
    check(
        "a = [\n  1, # one\n  2,\n  # about three\n  3\n]\n",
        &[push("/a", "4"), insert("/a", 0, "0"), delete_item("/a", 2)],
        "a = [\n  0,\n  1, # one\n  # about three\n  3,\n  4\n]\n",
    );
    check(
        "a = [\n  1, # one\n  2,\n  # about three\n  3, # three\n]\n",
        &[delete_item("/a", 2), push("/a", "4")],
        "a = [\n  1, # one\n  2,\n  4,\n  # about three\n]\n",
    );
    check("a = [\n  1, # one\n  2\n]\n", &[delete_item("/a", 1)], "a = [\n  1 # one\n]\n");
    check(
        "a = [\n\t1,\n\t2,\n]\n",
        &[insert("/a", 1, "9"), delete_item("/a", 0)],
        "a = [\n\t9,\n\t2,\n]\n",
    );
    check("a = [\n  1,\n]\n", &[delete_item("/a", 0)], "a = []\n");
    check(
        "a = [\n  # none yet\n]\nb = [\n]\n",
        &[push("/a", "1"), push("/b", "1")],
        "a = [\n  # none yet\n  1,\n]\nb = [\n    1,\n]\n",
    );
    check(
        "deps = [\n    \"a\", # old\n    \"b\",\n]\n",
        &[replace("/deps", r#"["c", "d"]"#)],
        "deps = [\n    \"c\",\n    \"d\",\n]\n",
    );
    check(
        "a = [1, 2,\n     3, 4]\n",
        &[delete_item("/a", 1), push("/a", "5")],
        "a = [1,\n     3, 4, 5]\n",
    );
    check(
        "a = [\r\n  1,\r\n  2\r\n]\r\n",
        &[push("/a", "3")],
        "a = [\r\n  1,\r\n  2,\r\n  3\r\n]\r\n",
    );
}

/// Entries between braces, on one line as in TOML 1.0 and on many as in 1.1.
#[test]
fn inline_tables() {
    check(
        "t = { a = 1, b = 2 }\n",
        &[add("/t", "c", "3"), remove("/t", "a")],
        "t = { b = 2, c = 3 }\n",
    );
    check("t = { a = 1, b = 2 }\n", &[remove("/t", "b")], "t = { a = 1 }\n");
    check("t = { a = 1 }\n", &[remove("/t", "a")], "t = {}\n");
    check(
        "t = {}\nu = { }\n",
        &[add("/t", "a b", "1"), add("/u", "k", "{}")],
        "t = { \"a b\" = 1 }\nu = { k = {} }\n",
    );
    check("t = {a=1,b=2}\n", &[add("/t", "c", "3")], "t = {a=1,b=2,c=3}\n");
    check(
        "t = { a = 1, b.c = 2, b.d = 3 }\n",
        &[add("/t/b", "e", "4"), add("/t", "z", "9")],
        "t = { a = 1, b.c = 2, b.d = 3, b.e = 4, z = 9 }\n",
    );
    check(
        "t = { a = 1, b.c = 2, b.d = 3 }\n",
        &[remove("/t/b", "c"), remove("/t/b", "d")],
        "t = { a = 1, b = {} }\n",
    );
    check(
        "t = {\n  a = 1, # one\n  b = 2,\n}\n",
        &[add("/t", "c", "3"), remove("/t", "a")],
        "t = {\n  b = 2,\n  c = 3,\n}\n",
    );
    check(
        "x = [{ a = 1 }, { a = 2 }]\n",
        &[add("/x/1", "b", "true"), replace("/x/0/a", "[1]")],
        "x = [{ a = [1] }, { a = 2, b = true }]\n",
    );
}

/// CS-30: a value keeps its own text; a table its lines.
#[test]
fn moves_take_text_and_comments_along() {
    check(
        "[a]\nx = 0x1F # one\ny = 2\n\n[b]\n",
        &[relocate("/a/x", "/b/z")],
        "[a]\ny = 2\n\n[b]\nz = 0x1F # one\n",
    );
    check(
        "a.b = 1 # c\na.c = 2\n\n[d]\nk = 1\n",
        &[relocate("/a", "/d/q")],
        "[d]\nk = 1\nq.b = 1 # c\nq.c = 2\n",
    );
    check(
        "[a]\n\n# about b\n[b]\ny = 2 # two\n\n[b.c]\nz=1\n\n[d]\n",
        &[relocate("/b", "/a/b")],
        "[a]\n\n# about b\n[a.b]\ny = 2 # two\n\n[a.b.c]\nz=1\n\n[d]\n",
    );
    check(
        "[a]\n\n# about b\n[b]\ny = 2\n\n[b.c]\nz = 1\n\n[d]\n",
        &[relocate("/b", "/top")],
        "[a]\n\n# about b\n[top]\ny = 2\n\n[top.c]\nz = 1\n\n[d]\n",
    );
    check(
        "[a]\nx = 1\n\n[a.b]\ny = 2\n\n[c]\n",
        &[relocate("/a/b", "/b")],
        "[a]\nx = 1\n\n[c]\n\n[b]\ny = 2\n",
    );
    check(
        "[[x]]\na = 1 # one\n\n[[x]]\na = 2\n",
        &[relocate("/x/0", "/first")],
        "[[x]]\na = 2\n\n[first]\na = 1 # one\n",
    );
    check(
        "a = [\n  1, # one\n]\n\n[b]\n",
        &[relocate("/a", "/b/a")],
        "[b]\na = [\n  1, # one\n]\n",
    );
    check("a = 1\nb = [2]\nc = 3\n", &[relocate("/b", "/a")], "a = [2]\nc = 3\n");
    check("a = 1\nt = { b = 2 }\n", &[relocate("/a", "/t/a")], "t = { b = 2, a = 1 }\n");
}

/// A section becomes a line and a line a section only where there is a valid place.
#[test]
fn a_value_changes_its_kind() {
    check("[a]\nx = 1\n\n[a.b]\ny = 1\n\n[c]\n", &[replace("/a", "5")], "a = 5\n\n[c]\n");
    check(
        "[a]\nx = 1\n\n[a.b]\ny = 1\n\n[c]\n",
        &[replace("/a", r#"{"q": {"r": 1}}"#)],
        "[a.q]\nr = 1\n\n[c]\n",
    );
    check("[a]\nx = 1 # c\n", &[replace("/a/x", r#"{"k": []}"#)], "[a]\nx = { k = [] } # c\n");
    check(
        "# head\n[a]\nx = 1\n",
        &[replace("", r#"{"b": 1, "c": {"d": 2}}"#)],
        "b = 1\n\n[c]\nd = 2\n",
    );
    check("a = 1", &[set("/b", r#"{"c": 2}"#)], "a = 1\n\n[b]\nc = 2");
}

/// Changes at one place come out together.
#[test]
fn many_changes_in_one_draft() {
    check(
        "[a]\nx = 1\n\n[b]\ny = 2\n",
        &[remove("", "a"), add("", "k", "1"), add("", "c", r#"{"z": 1}"#), rename("", "b", "d")],
        "k = 1\n\n[d]\ny = 2\n\n[c]\nz = 1\n",
    );
    check(
        "a = 1\nb = 2\n",
        &[remove("", "b"), add("", "b", "3"), add("", "c", "4")],
        "a = 1\nb = 3\nc = 4\n",
    );
    check(
        "[a]\nx = 1\n\n[b]\ny = 2\n",
        &[relocate("/a/x", "/x"), relocate("/b/y", "/a/y")],
        "x = 1\n\n[a]\ny = 2\n\n[b]\n",
    );
}

/// Nothing is left to separate.
#[test]
fn blank_lines_at_the_top_go_with_what_stood_there() {
    check("a = 1\n\n[b]\nc = 2\n", &[remove("", "a")], "[b]\nc = 2\n");
    check(
        "\u{feff}a = 1\n\n[b]\nc = 2\n",
        &[relocate("/a", "/b/a")],
        "\u{feff}[b]\nc = 2\na = 1\n",
    );
    check("a = 1\n\n[b]\nc = 2\n", &[remove("", "a"), add("", "d", "1")], "d = 1\n\n[b]\nc = 2\n");
    check("a = 1\n\n# note\n[b]\nc = 2\n", &[remove("", "a")], "# note\n[b]\nc = 2\n");
}

/// Blank lines keep their rhythm: none are left over.
#[test]
fn blank_lines_around_a_removed_key_are_its_own() {
    let remove = |pointer: &str| Op::DeleteValue { at: at(pointer) };
    let text = "a = 1\n\np.x = 1\np.y = 2\n\n[t]\nb = 1\n\nc = 2\n\n[u]\n";
    for (pointer, after) in [
        ("/p", "a = 1\n\n[t]\nb = 1\n\nc = 2\n\n[u]\n"),
        ("/t/b", "a = 1\n\np.x = 1\np.y = 2\n\n[t]\nc = 2\n\n[u]\n"),
        ("/t/c", "a = 1\n\np.x = 1\np.y = 2\n\n[t]\nb = 1\n\n[u]\n"),
        ("/p/y", "a = 1\n\np.x = 1\n\n[t]\nb = 1\n\nc = 2\n\n[u]\n"),
    ] {
        check(text, &[remove(pointer)], after);
    }
    check("[t]\nb = 1\n\n[u]\n", &[remove("/t/b")], "[t]\n\n[u]\n");
    check("# why\na = 1\n\nb = 2\n", &[remove("/a")], "# why\n\nb = 2\n");
    let list = "l = [\n  1,\n\n  2,\n\n  3,\n]\n";
    check(list, &[remove("/l/0")], "l = [\n  2,\n\n  3,\n]\n");
    check(list, &[remove("/l/1")], "l = [\n  1,\n\n  3,\n]\n");
    check(list, &[remove("/l/2")], "l = [\n  1,\n\n  2,\n]\n");
    check(
        "[t]\nb = 1\n\nc = 2\n\n[u]\n",
        &[remove("/t/c"), Op::SetValue { at: at("/t/d"), value: value("3") }],
        "[t]\nb = 1\nd = 3\n\n[u]\n",
    );
}
