//! What real tools print, kept in `tests/failures` as its `capture.py` heard it: each output becomes a message that says first
//! what went wrong, and a scope of the files that it names.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::*;
use crate::derive::correction;
use crate::id::Id;
use crate::lifecycle::ExecutionOutcome;
use crate::report::Report;
use crate::shape;
use crate::time::Moment;

/// The name of the capture, the first line of the message, and the scope of the correction.
type Expected = (&'static str, &'static str, &'static str);

const EXPECTED: &[Expected] = &[
    (
        "c-warnings",
        "src/total.c:6:12: error: ‘total’ undeclared (first use in this function)",
        "src/total.c",
    ),
    (
        "cpp-assert",
        "shop: src/total.cpp:4: int main(int, char**): Assertion `n > 1' failed.",
        "src/total.cpp",
    ),
    (
        "cpp-compile",
        "src/total.h:3:11: error: ‘price’ was not declared in this scope",
        "src/total.cpp src/total.h",
    ),
    ("cpp-link", "src/total.cpp:4: undefined reference to `total(int)'", "src/total.cpp"),
    (
        "cpp-missing",
        "src/total.cpp:1:10: fatal error: price.h: No such file or directory",
        "src/total.cpp",
    ),
    (
        "cpp-sanitizer",
        "SUMMARY: AddressSanitizer: heap-buffer-overflow src/total.cpp:3 in main",
        "src/total.cpp",
    ),
    (
        "cpp-template",
        "…/stl_algo.h:1938:50: error: no match for ‘operator-’ (operand types are ‘std::_List_iterator<int>’ and ‘std::_List_iterator<int>’)",
        "src/total.cpp",
    ),
    ("cpp-terminate", "what():  no tax for xx", "."),
    ("go-compile", "cart/cart.go:4:2: unused declared and not used", "cart/cart.go"),
    ("go-deadlock", "fatal error: all goroutines are asleep - deadlock!", "main.go"),
    (
        "go-nil",
        "panic: runtime error: invalid memory address or nil pointer dereference",
        "main.go",
    ),
    (
        "go-panic",
        "panic: runtime error: index out of range [1] with length 1",
        "cart/cart.go main.go",
    ),
    ("go-test", "--- FAIL: TestTotal (0.00s)", "cart/cart_test.go"),
    (
        "go-test-panic",
        "panic: runtime error: index out of range [1] with length 1 [recovered]",
        "cart/cart.go cart/cart_test.go",
    ),
    ("go-vet", "./main.go:6:2: fmt.Printf format %d has arg \"a\" of wrong type string", "main.go"),
    (
        "java-assert",
        "Exception in thread \"main\" java.lang.AssertionError: no tax",
        "src/main/java/shop/Main.java",
    ),
    (
        "java-cause",
        "java.lang.NullPointerException: Cannot invoke \"java.lang.Integer.intValue()\" because \"<parameter1>\" is null",
        "src/main/java/shop/Main.java src/main/java/shop/Total.java",
    ),
    (
        "java-compile",
        "src/main/java/shop/Total.java:5: error: incompatible types: String cannot be converted to int",
        "src/main/java/shop/Total.java",
    ),
    (
        "java-launcher",
        "Exception in thread \"main\" java.lang.ArrayIndexOutOfBoundsException: Array index out of range: 3",
        "src/Main.java",
    ),
    (
        "java-overflow",
        "Exception in thread \"main\" java.lang.StackOverflowError",
        "src/main/java/shop/Total.java",
    ),
    (
        "java-thread",
        "java.lang.NumberFormatException: For input string: \"x1\"",
        "src/main/java/shop/Main.java",
    ),
    ("make", "src/total.c:2:13: error: expected ‘;’ before ‘}’ token", "src/total.c"),
    (
        "node-assert",
        "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:",
        "src/main.js",
    ),
    (
        "node-cause",
        "SyntaxError: Expected property name or '}' in JSON at position 1",
        "src/main.js",
    ),
    (
        "node-esm",
        "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'src/cart.mjs' imported from src/main.mjs",
        "src/cart.mjs src/main.mjs",
    ),
    (
        "node-exception",
        "TypeError: Cannot read properties of undefined (reading 'amount')",
        "src/cart.js src/main.js",
    ),
    ("node-mocha", "TypeError: prices.sum is not a function", "src/cart.js test/cart.js"),
    ("node-rejection", "RangeError: no tax for xx", "src/main.js"),
    ("node-string", "no tax", "src/main.js"),
    ("node-syntax", "SyntaxError: Unexpected token ';'", "src/cart.js"),
    ("node-test", "not ok 1 - adds", "src/cart.test.js"),
    (
        "node-tsc",
        "src/cart.ts(2,3): error TS2322: Type 'number' is not assignable to type 'string'.",
        "src/cart.ts",
    ),
    (
        "node-tsc-pretty",
        "src/cart.ts:2:3 - error TS2322: Type 'number' is not assignable to type 'string'.",
        "src/cart.ts",
    ),
    ("python-cause", "TaxError: no tax for xx", "src/tax.py"),
    (
        "python-exception",
        "TypeError: 'NoneType' object is not subscriptable",
        "run.py src/total.py",
    ),
    ("python-group", "ExceptionGroup: two (2 sub-exceptions)", "src/total.py"),
    ("python-import", "ModuleNotFoundError: No module named 'pricing'", "src/total.py"),
    (
        "python-indentation",
        "IndentationError: expected an indented block after function definition on line 1",
        "src/total.py",
    ),
    (
        "python-json",
        "json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        "src/load.py",
    ),
    (
        "python-module",
        "TypeError: 'NoneType' object is not subscriptable",
        "src/run.py src/total.py",
    ),
    (
        "python-mypy",
        "src/total.py:2: error: Incompatible return value type (got \"int\", expected \"str\")  [return-value]",
        "src/total.py",
    ),
    (
        "python-pytest",
        "FAILED tests/test_total.py::test_none - TypeError: 'NoneType' object is not s...",
        "src/total.py tests/test_total.py",
    ),
    ("python-recursion", "RecursionError: maximum recursion depth exceeded", "src/total.py"),
    ("python-syntax", "SyntaxError: expected ':'", "src/total.py"),
    ("python-unittest", "AssertionError: 0 != 1", "tests/test_total.py"),
    (
        "rust-backtrace",
        "panicked at src/main.rs:3:7: called `Result::unwrap()` on an `Err` value: \"no tax\"",
        "src/main.rs",
    ),
    (
        "rust-borrow",
        "error[E0502]: cannot borrow `prices` as mutable because it is also borrowed as immutable",
        "src/main.rs",
    ),
    (
        "rust-cargo",
        "error[E0599]: no method named `summ` found for struct `std::slice::Iter<'a, T>` in the current scope",
        "src/cart.rs",
    ),
    ("rust-manifest", "error: unclosed table, expected `]`", "Cargo.toml"),
    (
        "rust-panic",
        "panicked at src/main.rs:3:26: index out of bounds: the len is 1 but the index is 2",
        "src/main.rs",
    ),
    ("rust-rustc", "error[E0308]: mismatched types", "src/main.rs"),
    ("rust-test", "panicked at src/lib.rs:9:9: assertion `left == right` failed", "src/lib.rs"),
];

const TREE: &str = "/home/ana/.local/state/regreen/runs/run-1/tree";

/// The message of a failure whose tool said that, and the scope of its correction.
fn corrected(capture: &str) -> (String, String) {
    let (files, said) = capture.split_once("\n\n").expect("the files, then what was said");
    let files: BTreeSet<String> =
        files.trim_start_matches("files: ").split(' ').map(str::to_owned).collect();
    let said = said.replace("{tree}", TREE).replace("{run}", TREE.trim_end_matches("/tree"));
    let message = digest(&[said.as_bytes()], &Around { tree: TREE, files: &files });
    // The scope of what failed is everything at the top.
    let tops: BTreeSet<String> = files
        .iter()
        .map(|it| it.split_once('/').map_or(it.clone(), |(folder, _)| format!("{folder}/")))
        .collect();
    let record = json!({
        "id": "DDS-20260202-CODE-001", "version": 2, "type": "code_change", "project": "shop", "goal": "g",
        "instructions": ["i"], "allowed_paths": tops, "tool": "t", "constraints": {}, "status": "failed"
    });
    let failed = shape::read(&record).record.expect("a record");
    let at = Moment::from_micros(0);
    let report = Report {
        dds: failed.id.clone(),
        outcome: ExecutionOutcome::Failed,
        started_at: at,
        finished_at: at,
        tool: "t".to_owned(),
        sandbox: None,
        exit_code: Some(1),
        error: message.clone(),
        changes: Vec::new(),
        transaction: None,
    };
    let id = Id::parse("DDS-FIX-20260202-001").expect("an id");
    let fix = correction(&failed, &report, id).expect("a correction");
    let goal = serde_json::Value::from(fix.goal.as_str()).to_string();
    for text in [&message, &goal] {
        let is_private = text.contains("/home/") || text.contains("/usr/") || text.contains(TREE);
        assert!(!is_private, "{text}");
    }
    let scope = match fix.allowed_paths == failed.allowed_paths {
        true => ".".to_owned(),
        false => fix.allowed_paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
    };
    (message, scope)
}

#[test]
fn captured_failures_become_narrow_corrections() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/failures");
    let mut captures = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "txt") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            captures.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
    let known: Vec<&str> = captures.keys().map(String::as_str).collect();
    let expected: Vec<&str> = EXPECTED.iter().map(|it| it.0).collect();
    assert_eq!(known, expected);
    let mut wrong = Vec::new();
    for (name, headline, scope) in EXPECTED {
        let (message, found) = corrected(&captures[*name]);
        let first = message.lines().next().unwrap_or_default();
        if (first, found.as_str()) != (*headline, *scope) {
            wrong.push(format!("{name}: {first:?}, {found}\n{message}\n"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
