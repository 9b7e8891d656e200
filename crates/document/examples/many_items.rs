//! How long many changes to the items of one array take, by hand:
//! `cargo run --release -p regreen-document --example many_items -- 100000`. A second argument chooses the cases by a part of
//! their names.
#![expect(clippy::print_stdout, reason = "the numbers are what it is for")]

use std::time::Instant;

use document::{Format, GuardedOp, Limits, Op, Pointer, Value, parse};
use edit::Text;

/// A name, the format, and what makes the text of an array of that many items.
type Array = (&'static str, Format, fn(usize) -> String);

const ARRAYS: [Array; 11] = [
    ("JSON", Format::Json, |n| format!("[\n{}\n]\n", lines(n, "  ", ",\n", ""))),
    ("JSON with comments", Format::Json, |n| {
        format!("[\n{}\n]\n", lines(n, "\n  // why\n  ", ",\n", ""))
    }),
    ("JSON on one line", Format::Json, |n| format!("[{}]\n", lines(n, "", ", ", ""))),
    ("YAML block", Format::Yaml, |n| lines(n, "- ", "", "\n")),
    ("YAML block with comments", Format::Yaml, |n| lines(n, "\n# why\n- ", "", " # that\n")),
    ("YAML flow", Format::Yaml, |n| format!("[{}]\n", lines(n, "  ", ",\n", ""))),
    ("YAML flow on one line", Format::Yaml, |n| format!("[{}]\n", lines(n, "", ", ", ""))),
    ("YAML aliases", Format::Yaml, |n| format!("- &a 1\n{}", lines(n, "- *a # ", "", "\n"))),
    ("TOML on one line", Format::Toml, |n| format!("a = [{}]\n", lines(n, "", ", ", ""))),
    ("TOML", Format::Toml, |n| format!("a = [\n{}\n]\n", lines(n, "  ", ",\n", ""))),
    ("TOML tables", Format::Toml, |n| lines(n, "[[a]]\nb = ", "\n", "\n")),
];

/// A name, how many items the array has for each operation, and what makes the operations.
type Change = (&'static str, usize, fn(Pointer, usize) -> Op);

const CHANGES: [Change; 6] = [
    ("all deleted", 1, |at, _| Op::DeleteItem { at, index: 0 }),
    ("a run deleted", 2, |at, _| Op::DeleteItem { at, index: 1 }),
    ("every second deleted", 2, |at, nth| Op::DeleteItem { at, index: nth }),
    ("inserted at 0", 1, |at, nth| Op::InsertItem { at, index: Some(0), value: new_value(nth) }),
    ("inserted between", 1, |at, nth| Op::InsertItem {
        at,
        index: Some(2 * nth + 1),
        value: new_value(nth),
    }),
    ("replaced", 1, |at, nth| Op::ReplaceItem { at, index: nth, value: new_value(nth) }),
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(10_000);
    let wanted = arguments.next().unwrap_or_default();
    println!("{n} operations");
    for (array, format, make) in ARRAYS {
        for (change, items_per_op, op) in CHANGES {
            let name = format!("{array}, {change}");
            if name.contains(&wanted) {
                let at = match format {
                    Format::Toml => Pointer::root().join("a"),
                    Format::Json | Format::Yaml => Pointer::root(),
                };
                run(&name, format, &make(n * items_per_op), (0..n).map(|nth| op(at.clone(), nth)));
            }
        }
    }
}

fn run(name: &str, format: Format, text: &str, ops: impl Iterator<Item = Op>) {
    let document = parse(&Text::new(text), format, &Limits::DEFAULT).expect("it is well formed");
    let mut draft = document.draft();
    let start = Instant::now();
    let savepoint = draft.savepoint();
    let n_refused = ops.filter(|op| draft.apply(&GuardedOp::from(op.clone())).is_err()).count();
    let applied = start.elapsed();
    let edits =
        draft.lower().map_or_else(|refusal| refusal.to_string(), |it| it.edits().len().to_string());
    let lowered = start.elapsed() - applied;
    draft.roll_back(savepoint);
    let undone = start.elapsed() - applied - lowered;
    let ms = |it: std::time::Duration| it.as_secs_f64() * 1e3;
    println!(
        "{name:46} apply {:>9.1} ms, lower {:>9.1} ms, undo {:>9.1} ms; {n_refused} refused, edits: {edits}",
        ms(applied),
        ms(lowered),
        ms(undone),
    );
}

fn new_value(nth: usize) -> Value {
    Value::String(format!("new {nth}"))
}

fn lines(n: usize, before: &str, between: &str, after: &str) -> String {
    let items: Vec<String> = (0..n).map(|item| format!("{before}{item}{after}")).collect();
    items.join(between)
}
