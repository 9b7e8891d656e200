//! What went wrong, out of what a tool printed: the line that says so first, then the places that it names, then the end of
//! the output (X-113). Traces and compiler output of Python, Rust, Node, Go, Java and C++ are known by their forms.
//!
//! ```text
//! Traceback (most recent call last):                        TypeError: no tax for None
//!   File "/…/run-1/tree/src/total.py", line 2, in total  →  File "src/total.py", line 2, in total
//! TypeError: no tax for None
//! ```
//!
//! Paths of the copy that the tool worked in are those of the workspace again; of other paths of this machine the last
//! segment is left. The text stays what it is, something that a tool said: whoever uses it quotes it.

use std::collections::BTreeSet;

use crate::sanitize::{MAX_MESSAGE, sanitize};

/// The most lines that are looked at, from the end: a tool that prints for hours says at the end why it stopped.
const MOST_LINES: usize = 2_000;
/// How many places are kept, and how many lines of the end.
const MOST_PLACES: usize = 4;
const LAST_LINES: usize = 6;

/// Where the tool worked, and which files were there.
pub(super) struct Around<'a> {
    /// The folder of the copy.
    pub(super) tree: &'a str,
    /// The files in it, relative to it.
    pub(super) files: &'a BTreeSet<String>,
}

/// What the outputs say, the more important ones first; nothing if they are empty.
pub(super) fn digest(outputs: &[&[u8]], around: &Around<'_>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for output in outputs {
        let text = String::from_utf8_lossy(output).replace("\r\n", "\n");
        let all: Vec<&str> = text.lines().filter(|it| !it.trim().is_empty()).collect();
        let start = all.len().saturating_sub(MOST_LINES);
        lines.extend(all[start..].iter().map(|it| around.mapped(&sanitize(it))));
    }
    let headline = headline(&lines);
    let places = lines.iter().filter(|it| is_place(it) && around.names_file(it));
    let mut kept: Vec<String> = headline.into_iter().collect();
    for place in places.take(MOST_PLACES) {
        let place = place.trim().to_owned();
        if !kept.iter().any(|it| it.contains(&place)) {
            kept.push(place);
        }
    }
    let start = lines.len().saturating_sub(LAST_LINES);
    for line in &lines[start..] {
        let is_there = kept.iter().any(|it| it.trim() == line.trim() || it.contains(line.trim()));
        if !is_there {
            kept.push(line.clone());
        }
    }
    let text: String = kept.join("\n");
    text.chars().take(MAX_MESSAGE).collect()
}

/// The line that says what went wrong. A compiler says it first, and a program that fails says it last.
fn headline(lines: &[String]) -> Option<String> {
    let trimmed = || lines.iter().map(|it| it.trim());
    let after = |idx: usize| lines.get(idx + 1).map_or("", |it| it.trim());
    if let Some(idx) = lines.iter().rposition(|it| it.starts_with("Traceback (most recent")) {
        // The trace is indented, what was raised is not.
        let raised = lines[idx + 1..].iter().find(|it| !it.starts_with([' ', '\t']));
        return raised.cloned();
    }
    // A group of exceptions is drawn as a tree: what was raised stands behind its bar.
    if let Some(idx) = lines.iter().position(|it| it.contains("Exception Group Traceback (most")) {
        let behind = lines[idx + 1..].iter().filter_map(|it| it.trim_start().strip_prefix("| "));
        return behind.into_iter().find(|it| !it.starts_with(' ')).map(str::to_owned);
    }
    let is_panic = |it: &String| it.starts_with("thread '") && it.contains(" panicked at ");
    if let Some(idx) = lines.iter().position(is_panic) {
        let place = lines[idx].split(" panicked at ").nth(1).unwrap_or_default();
        return Some(format!("panicked at {} {}", place.trim(), after(idx)).trim().to_owned());
    }
    if let Some(cause) = trimmed().rfind(|it| it.starts_with("Caused by: ")) {
        return Some(cause.trim_start_matches("Caused by: ").to_owned());
    }
    let is_thrown = |it: &&str| {
        ["Exception in thread ", "panic: ", "fatal error: "].iter().any(|by| it.starts_with(by))
    };
    if let Some(thrown) = trimmed().find(is_thrown) {
        return Some(thrown.to_owned());
    }
    // A runner of tests names those that failed, of which the assertions are many.
    let is_test = |it: &&str| {
        (it.starts_with("FAILED ") && it.contains("::"))
            || it.starts_with("--- FAIL: ")
            || it.starts_with("not ok ")
    };
    if let Some(test) = trimmed().find(is_test) {
        return Some(test.to_owned());
    }
    if let Some(compiled) = trimmed().find(|it| is_compiler_error(it)) {
        return Some(compiled.to_owned());
    }
    if let Some(error) = trimmed().rfind(|it| is_error(it)) {
        return Some(without_cause(error).to_owned());
    }
    // What is thrown in Node and is no error stands alone, below the mark under its place.
    let marked =
        lines.iter().position(|it| !it.trim().is_empty() && it.trim().bytes().all(|it| it == b'^'));
    marked.map(|idx| after(idx).to_owned()).filter(|it| !it.is_empty())
}

/// The line without the name of a member that Node writes before the cause of an error.
fn without_cause(line: &str) -> &str {
    line.strip_prefix("[cause]: ").unwrap_or(line)
}

fn is_compiler_error(line: &str) -> bool {
    let has = |it: &str| line.contains(it);
    line.starts_with("error[")
        || line.starts_with("error: ")
        || line.starts_with("[ERROR] ")
        || has(": error: ")
        || has(": fatal error: ")
        || has(": error TS")
        || has(" - error TS")
        || has("undefined reference to")
        || (is_place(line) && has(".go:") && !line.starts_with("at "))
}

fn is_error(line: &str) -> bool {
    // Node shows an error without a stack in brackets, and its cause behind a name.
    let line = without_cause(line).trim_start_matches('[');
    let first = line.split([':', ' ', '(']).next().unwrap_or_default();
    let kind = first.rsplit('.').next().unwrap_or_default();
    let is_kind = ["Error", "Exception", "Failure", "Fault"].iter().any(|it| kind.ends_with(it));
    let has = |it: &str| line.contains(it);
    (is_kind && has(":"))
        || has("Assertion")
        || has("SUMMARY: ")
        || has("terminate called after")
        || has("what():")
        || line.to_lowercase().starts_with("fatal")
}

/// Whether a line names a place: a file with a number behind it.
fn is_place(line: &str) -> bool {
    let marks = [":", "(", "\", line ", ":["];
    marks.iter().any(|mark| {
        line.match_indices(mark).any(|(at, _)| {
            let has_number = line[at + mark.len()..].starts_with(|it: char| it.is_ascii_digit());
            let word = line[..at].rsplit([' ', '"', '(', '\t']).next().unwrap_or_default();
            has_number && word.rsplit('/').next().is_some_and(|it| it.contains('.'))
        })
    })
}

impl Around<'_> {
    /// The line with paths of the copy as those of the workspace, and without other folders of this machine.
    fn mapped(&self, line: &str) -> String {
        let tree = format!("{}/", self.tree.trim_end_matches('/'));
        let line = line.replace(&format!("file://{tree}"), "").replace(&tree, "");
        let line = line.replace(self.tree, ".");
        let mut mapped = String::new();
        let mut rest = line.as_str();
        while let Some(start) = rest.find('/') {
            let (before, from) = rest.split_at(start);
            let end = from.find(|it: char| it.is_whitespace() || "\"'`()[]{}<>,;:|=".contains(it));
            let (path, after) = from.split_at(end.unwrap_or(from.len()));
            mapped.push_str(before);
            let is_absolute = !before
                .ends_with(|it: char| it.is_alphanumeric() || "._-:~".contains(it))
                && path.matches('/').count() >= 2
                && !path.starts_with("//");
            match path.rsplit_once('/') {
                Some((_, name)) if is_absolute => {
                    mapped.push_str("…/");
                    mapped.push_str(name);
                }
                _ => mapped.push_str(path),
            }
            rest = after;
        }
        self.with_folder(&self.with_frames(&(mapped + rest)))
    }

    /// A test of Go names a file without its folder: `    cart_test.go:7: Total = 1, want 2`.
    fn with_folder(&self, line: &str) -> String {
        let text = line.trim_start();
        let name = text.split(':').next().unwrap_or_default();
        if !name.ends_with(".go") || name.contains('/') || self.files.contains(name) {
            return line.to_owned();
        }
        let end = format!("/{name}");
        let mut found = self.files.iter().filter(|it| it.ends_with(&end));
        match (found.next(), found.next()) {
            (Some(path), None) => line.replacen(name, path, 1),
            _ => line.to_owned(),
        }
    }

    /// A frame of Java names a class and a file without its folder: `at shop.Total.of(Total.java:7)`.
    fn with_frames(&self, line: &str) -> String {
        let Some((method, place)) = line
            .trim()
            .strip_prefix("at ")
            .and_then(|it| it.strip_suffix(')'))
            .and_then(|it| it.split_once('('))
        else {
            return line.to_owned();
        };
        let Some((name, number)) = place.split_once(':').filter(|it| !it.0.contains('/')) else {
            return line.to_owned();
        };
        let mut segments: Vec<&str> =
            method.rsplit('/').next().unwrap_or(method).split('.').collect();
        // The method and the class; what is left is the package.
        segments.truncate(segments.len().saturating_sub(2));
        let file = segments.iter().chain([&name]).copied().collect::<Vec<&str>>().join("/");
        let end = format!("/{file}");
        let mut found = self.files.iter().filter(|it| **it == file || it.ends_with(&end));
        match (found.next(), found.next()) {
            (Some(path), None) => format!("at {method} ({path}:{number})"),
            _ => line.to_owned(),
        }
    }

    /// Whether the line names a file of the workspace.
    fn names_file(&self, line: &str) -> bool {
        let is_around = |it: char| it.is_whitespace() || "\"'`()[]{}<>,;:|=".contains(it);
        line.split(is_around).any(|word| self.files.contains(word.trim_start_matches("./")))
    }
}

#[cfg(test)]
mod captured;

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> BTreeSet<String> {
        let files = [
            "src/total.py",
            "src/main.rs",
            "src/lib.rs",
            "src/cart.js",
            "src/cart.ts",
            "cart/cart.go",
            "main.go",
            "src/main/java/shop/Total.java",
            "src/total.cpp",
            "src/total.h",
        ];
        files.map(str::to_owned).into()
    }

    fn check(output: &str, headline: &str, place: &str) {
        let files = files();
        let around = Around { tree: "/home/me/state/runs/run-1/tree", files: &files };
        let text = digest(&[output.as_bytes()], &around);
        assert_eq!(text.lines().next().unwrap_or_default(), headline, "{text}");
        assert!(text.contains(place), "{place} in {text}");
        assert!(!text.contains("/home/me") && !text.contains("/usr/"), "{text}");
        assert!(text.chars().count() <= MAX_MESSAGE);
    }

    /// X-113: what real tools print.
    #[test]
    fn traces_and_compilers_are_read() {
        let tree = "/home/me/state/runs/run-1/tree";
        let cases = [
            (
                "Traceback (most recent call last):\n  File \"T/src/total.py\", line 9, in <module>\n    total([None])\n  File \"/usr/lib/python3.12/json/decoder.py\", line 2, in decode\n    x\nTypeError: unsupported operand type(s) for +: 'int' and 'NoneType'\n",
                "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'",
                "File \"src/total.py\", line 9",
            ),
            (
                "Traceback (most recent call last):\n  File \"T/src/total.py\", line 3, in f\n    a\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"T/src/total.py\", line 5, in f\n    b\nshop.errors.TaxError: no tax\n",
                "shop.errors.TaxError: no tax",
                "src/total.py",
            ),
            (
                "   Compiling shop v0.1.0 (T)\nerror[E0308]: mismatched types\n --> src/main.rs:4:18\n  |\n4 |     let x: u32 = \"a\";\n  |            ---   ^^^ expected `u32`, found `&str`\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `shop` (bin \"shop\") due to 1 previous error\n",
                "error[E0308]: mismatched types",
                "--> src/main.rs:4:18",
            ),
            (
                "thread 'main' panicked at src/lib.rs:7:9:\nindex out of bounds: the len is 1 but the index is 2\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n",
                "panicked at src/lib.rs:7:9: index out of bounds: the len is 1 but the index is 2",
                "src/lib.rs:7:9",
            ),
            (
                "T/src/cart.js:3\n  return price.amount;\n               ^\n\nTypeError: Cannot read properties of undefined (reading 'amount')\n    at total (T/src/cart.js:3:16)\n    at Object.<anonymous> (T/src/cart.js:8:1)\n    at Module._compile (node:internal/modules/cjs/loader:1554:14)\n\nNode.js v22.14.0\n",
                "TypeError: Cannot read properties of undefined (reading 'amount')",
                "src/cart.js:3",
            ),
            (
                "src/cart.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\n",
                "src/cart.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.",
                "src/cart.ts",
            ),
            (
                "# shop/cart\ncart/cart.go:5:2: undefined: price\ncart/cart.go:9:6: x declared and not used\n",
                "cart/cart.go:5:2: undefined: price",
                "cart/cart.go:9:6",
            ),
            (
                "panic: runtime error: index out of range [3] with length 2\n\ngoroutine 1 [running]:\nmain.total(...)\n\tT/main.go:7\nmain.main()\n\tT/main.go:12 +0x1d\nexit status 2\n",
                "panic: runtime error: index out of range [3] with length 2",
                "main.go:7",
            ),
            (
                "Exception in thread \"main\" java.lang.RuntimeException: cannot add\n\tat shop.Total.of(Total.java:7)\n\tat shop.Main.main(Main.java:3)\nCaused by: java.lang.NullPointerException: price is null\n\tat shop.Total.add(Total.java:12)\n\t... 1 more\n",
                "java.lang.NullPointerException: price is null",
                "src/main/java/shop/Total.java:7",
            ),
            (
                "T/src/main/java/shop/Total.java:3: error: ';' expected\n        int x = 1\n                 ^\n1 error\n",
                "src/main/java/shop/Total.java:3: error: ';' expected",
                "src/main/java/shop/Total.java:3",
            ),
            (
                "[INFO] Compiling\n[ERROR] T/src/main/java/shop/Total.java:[3,18] ';' expected\n[INFO] 1 error\n",
                "[ERROR] src/main/java/shop/Total.java:[3,18] ';' expected",
                "src/main/java/shop/Total.java",
            ),
            (
                "In file included from T/src/total.cpp:1:\nT/src/total.h:4:1: error: unknown type name 'price'\n    4 | price p;\n      | ^\n1 error generated.\n",
                "src/total.h:4:1: error: unknown type name 'price'",
                "src/total.cpp:1",
            ),
            (
                "/usr/bin/ld: /tmp/cc1.o: in function `main':\nT/src/total.cpp:(.text+0x5): undefined reference to `total()'\ncollect2: error: ld returned 1 exit status\n",
                "src/total.cpp:(.text+0x5): undefined reference to `total()'",
                "src/total.cpp",
            ),
            (
                "total: T/src/total.cpp:9: int add(int): Assertion `n > 0' failed.\nAborted (core dumped)\n",
                "total: src/total.cpp:9: int add(int): Assertion `n > 0' failed.",
                "src/total.cpp:9",
            ),
            // A group of exceptions says at its head what it is.
            (
                "  + Exception Group Traceback (most recent call last):\n  |   File \"T/src/total.py\", line 12, in <module>\n  |     raise ExceptionGroup(\"two\", [ValueError(1)])\n  | ExceptionGroup: two (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | ValueError: 1\n    +------------------------------------\n",
                "ExceptionGroup: two (1 sub-exception)",
                "File \"src/total.py\", line 12",
            ),
            (
                "  File \"T/src/total.py\", line 3\n    def total(prices)\n                     ^\nSyntaxError: expected ':'\n",
                "SyntaxError: expected ':'",
                "File \"src/total.py\", line 3",
            ),
            (
                "=================================== FAILURES ===================================\n__________________________________ test_total __________________________________\n\n    def test_total():\n>       assert total([1]) == 1\nE       assert 0 == 1\nE        +  where 0 = total([1])\n\nsrc/total.py:7: AssertionError\n=========================== short test summary info ============================\nFAILED src/total.py::test_total - assert 0 == 1\n============================== 1 failed in 0.02s ===============================\n",
                "FAILED src/total.py::test_total - assert 0 == 1",
                "src/total.py:7: AssertionError",
            ),
            (
                "\nrunning 1 test\ntest adds ... FAILED\n\nfailures:\n\n---- adds stdout ----\n\nthread 'adds' (4711) panicked at T/src/lib.rs:9:5:\nassertion `left == right` failed: sums\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\nfailures:\n    adds\n",
                "panicked at src/lib.rs:9:5: assertion `left == right` failed: sums",
                "src/lib.rs:9:5",
            ),
            (
                "error: cannot find macro `vecc` in this scope\n  --> src/lib.rs:2:5\n   |\n2 |     vecc![1]\n   |     ^^^^ help: a macro with a similar name exists: `vec`\n\nwarning: unused variable: `x`\n  --> src/main.rs:3:9\n\nerror: could not compile `shop` (lib) due to 1 previous error\n",
                "error: cannot find macro `vecc` in this scope",
                "--> src/lib.rs:2:5",
            ),
            (
                "file://T/src/cart.js:1\nimport { nope } from './x.js';\n         ^^^^\nSyntaxError: The requested module './x.js' does not provide an export named 'nope'\n    at #asyncInstantiate (node:internal/modules/esm/module_job:302:21)\n",
                "SyntaxError: The requested module './x.js' does not provide an export named 'nope'",
                "src/cart.js:1",
            ),
            (
                "node:internal/process/promises:394\n      triggerUncaughtException(err, true /* fromPromise */);\n      ^\n\n[Error: ENOENT: no such file or directory, open '/home/me/x/prices.json'] {\n  errno: -2,\n  code: 'ENOENT'\n}\n\nNode.js v22.14.0\n",
                "[Error: ENOENT: no such file or directory, open '…/prices.json'] {",
                "ENOENT",
            ),
            (
                "    at total (T/src/cart.js:3:16) {\n  [cause]: RangeError: too many\n      at price (T/src/cart.js:9:9)\n}\n",
                "RangeError: too many",
                "src/cart.js:9:9",
            ),
            (
                "--- FAIL: TestTotal (0.00s)\n    cart.go:14: total() = 3, want 4\nFAIL\nFAIL\tshop/cart\t0.003s\nFAIL\n",
                "--- FAIL: TestTotal (0.00s)",
                "cart.go:14: total() = 3, want 4",
            ),
            (
                "panic: assignment to entry in nil map [recovered]\n\tpanic: assignment to entry in nil map\n\ngoroutine 6 [running]:\nshop/cart.Add(...)\n\tT/cart/cart.go:21 +0x2f\n",
                "panic: assignment to entry in nil map [recovered]",
                "cart/cart.go:21",
            ),
            (
                "fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\nmain.main()\n\tT/main.go:5 +0x25\n",
                "fatal error: all goroutines are asleep - deadlock!",
                "main.go:5",
            ),
            (
                "java.lang.IllegalStateException: no price\n\tat shop.Total$Line.of(Total.java:31)\n\tat java.base/java.util.ArrayList.forEach(ArrayList.java:1596)\n\tSuppressed: java.io.IOException: closed\n\t\tat shop.Total.close(Total.java:40)\n",
                "java.lang.IllegalStateException: no price",
                "src/main/java/shop/Total.java:31",
            ),
            (
                "T/src/total.cpp:2:10: fatal error: nope.h: No such file or directory\n    2 | #include <nope.h>\n      |          ^~~~~~~~\ncompilation terminated.\n",
                "src/total.cpp:2:10: fatal error: nope.h: No such file or directory",
                "src/total.cpp:2:10",
            ),
            (
                "T/src/total.cpp: In instantiation of 'T add(T) [with T = std::vector<int>]':\nT/src/total.cpp:9:6:   required from here\n    9 |   add(v);\nT/src/total.h:3:12: error: no match for 'operator+' (operand types are 'std::vector<int>' and 'int')\n",
                "src/total.h:3:12: error: no match for 'operator+' (operand types are 'std::vector<int>' and 'int')",
                "src/total.cpp:9:6",
            ),
            (
                "=================================================================\n==77==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x55\nREAD of size 4 at 0x602 thread T0\n    #0 0x55 in add(int) T/src/total.cpp:12\n    #1 0x7f in __libc_start_main (/usr/lib/libc.so.6+0x29d8f)\n\nSUMMARY: AddressSanitizer: heap-buffer-overflow T/src/total.cpp:12 in add(int)\n==77==ABORTING\n",
                "SUMMARY: AddressSanitizer: heap-buffer-overflow src/total.cpp:12 in add(int)",
                "src/total.cpp:12",
            ),
            (
                "terminate called after throwing an instance of 'std::out_of_range'\n  what():  vector::_M_range_check: __n (which is 3) >= this->size() (which is 2)\nAborted (core dumped)\n",
                "what():  vector::_M_range_check: __n (which is 3) >= this->size() (which is 2)",
                "out_of_range",
            ),
        ];
        for (output, headline, place) in cases {
            let output = format!("\n{output}");
            check(
                &output
                    .replace(" T/", &format!(" {tree}/"))
                    .replace("\nT/", &format!("\n{tree}/"))
                    .replace("\tT/", &format!("\t{tree}/"))
                    .replace("\"T/", &format!("\"{tree}/"))
                    .replace("(T/", &format!("({tree}/"))
                    .replace("//T/", &format!("//{tree}/"))
                    .replace("(T)", &format!("({tree})")),
                headline,
                place,
            );
        }
    }

    /// Other paths of the machine are nobody's business, and addresses are not paths.
    #[test]
    fn only_paths_of_the_workspace_are_kept() {
        let files = files();
        let around = Around { tree: "/r/tree", files: &files };
        for (line, expected) in [
            ("open /home/me/.config/x.toml: denied", "open …/x.toml: denied"),
            (
                "see https://example.org/a/b and src/total.py",
                "see https://example.org/a/b and src/total.py",
            ),
            ("file:///r/tree/src/cart.js:3", "src/cart.js:3"),
            ("in /r/tree", "in ."),
            ("1/2 of a/b/c", "1/2 of a/b/c"),
            ("/a", "/a"),
        ] {
            assert_eq!(around.mapped(line), expected);
        }
        assert_eq!(digest(&[b"", b" \n"], &around), "");
        let noise: Vec<u8> = (0..=255).cycle().take(100_000).collect();
        assert!(digest(&[&noise], &around).chars().count() <= MAX_MESSAGE);
    }
}
