//! Programs that misbehave are stopped, and nothing of ours breaks.

use std::io::BufReader;
use std::time::Duration;

use clank_run::{Engine, Io, Limit, Limits, OutputStream, ProgramExit, RunError};

use crate::it::support::{Closing, LIMITS, program, run};

#[track_caller]
fn stopped(text: &str, limits: &Limits) -> (Limit, Vec<clank_run::Frame>) {
    match run(text, "", limits).ended {
        Ok(ProgramExit::Stopped { limit, frames }) => (limit, frames),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn loops_without_end_meet_the_time_and_say_where() {
    let limits = Limits { time: Duration::from_millis(100), ..LIMITS };
    for text in [
        "function spin(n) {\n  while (true) n++;\n}\nexport function main() {\n  spin();\n}",
        "while (true) { try { while (true) {} } catch { } finally { continue; } }",
        "function f() { return Promise.resolve().then(f); }\nexport const main = f;",
        "/(a+)+$/.test('a'.repeat(40) + 'b');",
    ] {
        assert_eq!(stopped(text, &limits).0, Limit::Time, "{text}");
    }
    let (_, frames) = stopped(
        "function spin(n) {\n  while (true) n++;\n}\nexport function main() {\n  spin();\n}",
        &limits,
    );
    assert_eq!(frames.iter().map(|it| it.line).collect::<Vec<_>>(), [2, 5]);
}

#[test]
fn what_was_written_before_the_stop_arrives() {
    let limits = Limits { time: Duration::from_millis(100), ..LIMITS };
    let ran = run("console.log('before'); while (true) {}", "", &limits);
    assert_eq!(ran.text(), "before\nstopped: Time");
}

#[test]
fn memory_without_end_meets_its_limit() {
    for text in [
        "const all = []; while (true) all.push(new Array(1000).fill(0));",
        "let text = 'x'; while (true) text += text + 'y';",
        "new Array(1 << 30).fill(0);",
        "let n = 3n; while (true) n *= n;",
        "new ArrayBuffer(1 << 30); 'x'.repeat(1 << 29);",
        "const all = []; while (true) { try { while (true) all.push([1, 2, 3]); } catch { all.push(1); throw 1; } }",
    ] {
        let ended = run(text, "", &LIMITS).ended;
        let is_stopped = match &ended {
            Ok(ProgramExit::Stopped { limit: Limit::Memory, .. }) => true,
            Ok(ProgramExit::Panic { message, .. }) => message == "uncaught 1",
            _ => false,
        };
        assert!(is_stopped, "{text}: {ended:?}");
    }
    assert_eq!(
        stopped("const all = []; while (true) all.push(new Array(1000).fill(0));", &LIMITS).0,
        Limit::Memory
    );
}

#[test]
fn calls_without_end_meet_the_stack() {
    for (text, limits) in [
        ("export function main() { return main(); }", LIMITS),
        (
            "export function main() { return main() + 1; }",
            Limits { memory: 512 << 20, stack: usize::MAX, ..LIMITS },
        ),
        ("const f = (n) => [n].map(f); f(1);", LIMITS),
        ("const f = { toString() { return `${f}`; } }; `${f}`;", LIMITS),
        ("const f = () => JSON.stringify({ toJSON: f }); f();", LIMITS),
        ("export function main() { return main(); }", Limits { stack: 0, ..LIMITS }),
    ] {
        let ended = run(text, "", &limits).ended;
        let is_stack =
            matches!(&ended, Ok(ProgramExit::Stopped { limit: Limit::Stack | Limit::Memory, .. }));
        assert!(is_stack, "{text}: {ended:?}");
    }
}

#[test]
fn limits_of_nothing_are_limits() {
    let nothing = Limits { time: Duration::ZERO, memory: 0, stack: 0 };
    assert_eq!(stopped("while (true) {}", &nothing).0, Limit::Time);
    let text = "const all = []; while (true) all.push(new Array(1000).fill(0));";
    assert_eq!(stopped(text, &Limits { memory: 0, ..LIMITS }).0, Limit::Memory);
    let all = Limits { time: Duration::MAX, memory: usize::MAX, stack: usize::MAX };
    assert_eq!(run("console.log(1);", "", &all).text(), "1\ndone");
}

#[test]
fn deep_calls_that_end_are_fine() {
    let text =
        "const sum = (n) => n === 0n ? 0n : n + sum(n - 1n);\nconsole.log(String(sum(3000n)));";
    let limits = Limits { stack: Limits::MAX_STACK, ..LIMITS };
    assert_eq!(run(text, "", &limits).text(), "4501500\ndone");
}

#[test]
fn what_is_not_javascript_is_refused_with_its_place() {
    for (text, line) in [("let x = ;", 1), ("//- a.js\nimport './b.js';\n//- b.js\n\n}", 2)] {
        match run(text, "", &LIMITS).ended {
            Err(RunError::Invalid { frames, .. }) => {
                assert_eq!(frames.first().map(|it| it.line), Some(line), "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    let ran = run("import { missing } from './clank.js';", "", &LIMITS);
    assert!(matches!(ran.ended, Err(RunError::Invalid { .. })), "{ran:?}");
}

#[test]
fn modules_come_from_the_program_only() {
    for name in ["node:fs", "fs", "./missing.js", "/etc/passwd", "../../x.js", "std", "os"] {
        let ran = run(&format!("import * as it from '{name}';"), "", &LIMITS);
        let expected = format!(
            "error: main.js imports `{name}`, which the embedded engine does not have; Node may"
        );
        assert_eq!(ran.text(), expected);
    }
    let text = "for (const name of ['std', 'os', 'bjson', 'process', 'require', 'load', 'scriptArgs', 'fetch']) \
        if (name in globalThis) console.log(name);";
    assert_eq!(run(text, "", &LIMITS).text(), "done");
}

#[test]
fn output_without_end_is_handed_on_until_nobody_takes_it() {
    let (mut output, mut errors) = (Closing(1 << 20), Vec::new());
    let io = Io { input: &mut BufReader::new(&b""[..]), output: &mut output, errors: &mut errors };
    let program = program("while (true) console.log('line');");
    match clank_run::run(&program, &LIMITS, io) {
        Err(RunError::Write { stream: OutputStream::Output, source }) => {
            assert_eq!(source.kind(), std::io::ErrorKind::BrokenPipe);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(output.0, 0);
}

#[test]
fn large_output_arrives_whole_and_in_order() {
    let text = "for (let n = 0; n < 100000; n++) console.log(n); console.log('x'.repeat(1 << 20));";
    let ran = run(text, "", &LIMITS);
    let mut expected: String = (0..100_000).map(|it| format!("{it}\n")).collect();
    expected += &"x".repeat(1 << 20);
    assert_eq!(ran.output.trim_end(), expected);
    assert_eq!(ran.output.len(), 588_890 + (1 << 20) + 1);
}

#[test]
fn waiting_for_input_is_not_the_programs_time() {
    struct Slow;
    impl std::io::Read for Slow {
        fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
            std::thread::sleep(Duration::from_millis(2000));
            bytes[..2].copy_from_slice(b"x\n");
            Ok(2)
        }
    }
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let io = Io { input: &mut BufReader::new(Slow), output: &mut output, errors: &mut errors };
    let program = program(
        "import { read_line, println } from './clank.js';\nprintln(read_line().value);\n\
        for (let n = 0; n < 1000; n++);\nprintln('end');",
    );
    let limits = Limits { time: Duration::from_millis(1500), ..LIMITS };
    assert_eq!(clank_run::run(&program, &limits, io).unwrap(), ProgramExit::Done);
    assert_eq!(output, b"x\nend\n");
}

/// An engine may be made long before its program is there.
#[test]
fn waiting_for_the_program_is_not_the_programs_time() {
    let limits = Limits { time: Duration::from_millis(1500), ..LIMITS };
    let (engine, unused) = (Engine::prepare(&limits).unwrap(), Engine::prepare(&limits).unwrap());
    std::thread::sleep(Duration::from_millis(2000));
    drop(unused);
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let io = Io { input: &mut BufReader::new(&b""[..]), output: &mut output, errors: &mut errors };
    let program = program("for (let n = 0; n < 100000; n++);\nconsole.log('end');");
    assert_eq!(engine.run(&program, io).unwrap(), ProgramExit::Done);
    assert_eq!(output, b"end\n");
}

#[test]
fn a_missing_node_says_what_to_do() {
    let io = clank_run::NodeIo::Inherit;
    let ended = clank_run::run_node(&program(""), "no-such-node".as_ref(), &LIMITS, io);
    let error = ended.unwrap_err();
    assert!(matches!(error, RunError::NoNode { .. }));
    assert!(error.to_string().contains("install Node"), "{error}");
}

#[cfg(feature = "live")]
mod node {
    use super::*;
    use crate::it::support::run_node;

    #[test]
    fn the_limits_hold_on_node() {
        let check = |text: &str, time: u64, limit: Limit| {
            let limits = Limits { time: Duration::from_millis(time), ..LIMITS };
            match run_node(text, "", &limits).ended {
                Ok(ProgramExit::Stopped { limit: found, .. }) => assert_eq!(found, limit, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        };
        check("console.log('x'); while (true) {}", 1500, Limit::Time);
        check("export function main() { return main() + 1; }", 120_000, Limit::Stack);
        let text = "const all = []; while (true) all.push({ n: all.length });";
        check(text, 120_000, Limit::Memory);
    }

    #[test]
    fn deep_calls_that_end_are_fine_on_node() {
        let text =
            "const sum = (n) => n === 0n ? 0n : n + sum(n - 1n);\nconsole.log(String(sum(3000n)));";
        let limits = Limits { stack: Limits::MAX_STACK, ..LIMITS };
        assert_eq!(run_node(text, "", &limits).text(), "4501500\ndone");
    }

    #[test]
    fn what_is_not_javascript_is_refused_on_node() {
        let ran = run_node("let x = ;", "", &LIMITS);
        assert!(matches!(ran.ended, Err(RunError::Invalid { .. })), "{ran:?}");
    }

    #[test]
    fn output_that_nobody_takes_stops_node() {
        let (mut output, mut errors) = (Closing(1 << 20), Vec::new());
        let io = clank_run::NodeIo::Piped { input: b"", output: &mut output, errors: &mut errors };
        let program = program("while (true) console.log('line');");
        let ended = clank_run::run_node(&program, "node".as_ref(), &LIMITS, io);
        assert!(
            matches!(ended, Err(RunError::Write { stream: OutputStream::Output, .. })),
            "{ended:?}"
        );
    }
}
