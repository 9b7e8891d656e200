//! Programs that run to an end, and how they end.

use crate::it::support::{LIMITS, Ran, run};

/// A program, its input, and what can be seen of it.
const CASES: [(&str, &str, &str); 16] = [
    ("export function main() {}", "", "done"),
    ("const x = 1;", "", "done"),
    ("export const main = 5;", "", "done"),
    (
        "import { print, println, eprintln } from './clank.js';\n\
        export function main() { print('a'); println('b'); eprintln('c'); println('é😀\\0'); }",
        "",
        "ab\né😀\0\nerrors: c\ndone",
    ),
    (
        "import { read_line, println, show } from './clank.js';\n\
        export function main() { for (let n = 0; n < 5; n++) println(show(read_line())); }",
        "one\r\n\nlast é",
        "Some(\"one\")\nSome(\"\")\nSome(\"last é\")\nNone\nNone\ndone",
    ),
    (
        "import { panic } from './clank.js';\n\nexport function main() {\n  panic('stop');\n}",
        "",
        "panic: stop main.js:4",
    ),
    (
        "import { raise } from './clank.js';\nexport function main() { raise('bad'); }",
        "",
        "raised: bad",
    ),
    (
        "//- a/main.js\nimport { f } from '../b/c.js';\nf();\n//- b/c.js\nexport function f() {\n  null.x;\n}",
        "",
        "panic: TypeError: * b/c.js:2 a/main.js:2",
    ),
    ("export function main() { throw 5; }", "", "panic: uncaught 5"),
    (
        "export function main() { return new Promise(() => {}); }",
        "",
        "panic: main waits for something that never happens",
    ),
    ("export function main() { throw { toString() { throw 1; } }; }", "", "panic: uncaught *"),
    ("export function main() { JSON.parse('{'); }", "", "panic: SyntaxError: * main.js:1"),
    ("export async function main() { await null; console.log('later'); }", "", "later\ndone"),
    (
        "export async function main() { await null; throw new Error('late'); }",
        "",
        "panic: Error: late main.js:1",
    ),
    (
        "console.log('a', 1, 5n, true, undefined); console.error('b');",
        "",
        "a 1 5n true undefined\nerrors: b\ndone",
    ),
    (
        "export function main() { globalThis.__clank_host.write(1, '\\ud800x'); }",
        "",
        "\u{fffd}xdone",
    ),
];

#[track_caller]
fn check(expected: &str, ran: &Ran) {
    let text = ran.text();
    // `*` stands for what the engines word differently.
    let fits = |pattern: &str| match pattern.split_once('*') {
        Some((start, end)) => text.starts_with(start) && text.ends_with(end),
        None => text == pattern,
    };
    assert!(fits(expected), "expected {expected}\nfound {text}");
}

#[test]
fn programs_end_as_they_should() {
    for (text, input, expected) in CASES {
        check(expected, &run(text, input, &LIMITS));
    }
}

#[cfg(feature = "live")]
#[test]
fn programs_end_the_same_way_on_node() {
    for (text, input, expected) in CASES {
        check(expected, &crate::it::support::run_node(text, input, &LIMITS));
    }
}

/// FIXME: the engine throws null when it has no memory for an error, so a null that the program throws is taken for that.
#[test]
fn a_thrown_null_is_taken_for_the_engines() {
    let ran = run("export function main() { throw null; }", "", &LIMITS);
    check("stopped: Memory", &ran);
}

#[cfg(feature = "live")]
mod node {
    use super::*;
    use crate::it::support::{LIBRARY, run_node};

    #[test]
    fn a_program_may_end_the_process_on_node() {
        check("done", &run_node("process.exit(0);", "", &LIMITS));
        let ran = run_node("console.log('x'); process.exit(3);", "", &LIMITS);
        check("x\npanic: the program ended itself with code 3", &ran);
    }

    /// Without anything of ours around it, as a user who compiled a program starts it.
    #[test]
    fn the_library_reads_and_writes_on_a_plain_node() {
        let folder = tempfile::tempdir().unwrap();
        let program = "import { print, println, eprintln, read_line, show } from './clank.mjs';\n\
            print('a'); println('b'); eprintln('c');\n\
            println(show([read_line(), read_line(), read_line(), read_line()]));";
        std::fs::write(folder.path().join("clank.mjs"), LIBRARY).unwrap();
        std::fs::write(folder.path().join("main.mjs"), program).unwrap();
        std::fs::write(folder.path().join("input"), "one\r\n\né").unwrap();
        let output = std::process::Command::new("node")
            .arg(folder.path().join("main.mjs"))
            .stdin(std::fs::File::open(folder.path().join("input")).unwrap())
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        let expected = "ab\n[Some(\"one\"), Some(\"\"), Some(\"é\"), None]\nc\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
