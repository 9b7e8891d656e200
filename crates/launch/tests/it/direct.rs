//! Programs of the user: with the user's rights, and still within limits.

use std::fs;
use std::time::{Duration, Instant};

use check::{FailureKind, Stop, StopCause};
use launch::{LaunchError, ProcessExit, Program, Stream};

use super::world::{World, text};

/// Script, and how it ends: what it printed, or the kind of failure.
const ROWS: &[(&str, Result<&str, FailureKind>)] = &[
    ("echo out; echo err >&2; exit 3", Ok("Code(3) out\n|err\n")),
    ("cat", Ok("Code(0) xxxxxxxxxxxxxxxxxxxxxxxxx|")),
    ("head -c 5", Ok("Code(0) xxxxx|")),
    ("exec <&-; echo done", Ok("Code(0) done\n|")),
    ("kill -SEGV $$", Ok("Signal(11) |")),
    ("kill -9 0", Ok("Signal(9) |")),
    (r"printf '\377'", Ok("Code(0) \u{fffd}|")),
    ("sleep 300 & echo started", Ok("Code(0) started\n|")),
    ("(sleep 300 >&- 2>&- <&-) & echo started", Ok("Code(0) started\n|")),
    ("while :; do :; done", Err(FailureKind::TimedOut)),
    ("trap '' TERM; sleep 300", Err(FailureKind::TimedOut)),
    ("exec >&- 2>&-; sleep 300", Err(FailureKind::TimedOut)),
    ("sleep 300 & wait", Err(FailureKind::TimedOut)),
    ("yes", Err(FailureKind::Garbled)),
    ("yes >&2", Err(FailureKind::Garbled)),
    ("yes & exit 0", Ok("")),
    (
        "env | grep -v -e WORLD -e BASE -e ROOT -e TCP -e PWD -e SHLVL -e _= | sort",
        Ok("Code(0) LANG=C.UTF-8\nPATH=/usr/bin:/bin\n|"),
    ),
];

#[test]
fn programs_end_one_way_or_the_other_and_leave_nothing() {
    for (script, expected) in ROWS {
        let world = World::new();
        let mut program = world.program(script).stdin(vec![b'x'; 25]);
        program.limits.time = Duration::from_millis(if *expected == Err(FailureKind::TimedOut) {
            300
        } else {
            20_000
        });
        let told = match launch::run(&program, &Stop::new()) {
            Ok(output) => {
                Ok(format!("{:?} {}|{}", output.status, text(&output.stdout), text(&output.stderr)))
            }
            Err(error) => {
                assert!(error.to_string().contains(program.path.to_str().unwrap()), "{error}");
                Err(error.kind())
            }
        };
        // How far a flood gets before its parent ends is chance.
        if *script != "yes & exit 0" {
            assert_eq!(told, expected.map(str::to_owned), "{script}");
        }
        assert_eq!(world.alive(), Vec::<String>::new(), "{script}");
    }
}

/// More than fits into a pipe, both ways at once.
#[test]
fn much_input_and_output_do_not_wait_for_each_other() {
    let world = World::new();
    let mut program = world.program("tee /dev/stderr").stdin(vec![b'y'; 3 << 20]);
    program.limits.output = 6 << 20;
    let output = launch::run(&program, &Stop::new()).unwrap();
    assert_eq!((output.stdout.len(), output.stderr.len()), (3 << 20, 3 << 20));
    program.limits.output -= 1;
    let error = launch::run(&program, &Stop::new()).unwrap_err();
    assert!(matches!(error, LaunchError::Flooded { .. }), "{error}");
}

#[test]
fn what_cannot_be_started_is_unavailable() {
    let temp = tempfile::tempdir().unwrap();
    let plain = temp.path().join("plain");
    fs::write(&plain, "text").unwrap();
    let check = |program: Program, reason: &str| {
        let error = launch::run(&program, &Stop::new()).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Unavailable);
        let expected = format!("{} cannot be started: {reason}", program.path.display());
        assert_eq!(error.to_string(), expected);
    };
    check(Program::new(temp.path().join("missing"), "/"), "it was not found");
    check(Program::new(plain, "/"), "it is not executable");
    check(Program::new(temp.path(), "/"), "it is not executable");
    let nowhere = temp.path().join("nowhere");
    check(
        Program::new("/bin/sh", &nowhere),
        &format!("the folder {} does not exist", nowhere.display()),
    );
}

#[test]
#[expect(clippy::print_stderr, reason = "a time is for people to read")]
fn a_program_ends_soon_after_somebody_asks_for_it() {
    let world = World::new();
    let program = world.program("trap '' TERM; sleep 300 >&- 2>&- & while :; do sleep 1; done");
    let stop = Stop::new();
    let asked = std::thread::scope(|threads| {
        let asked = threads.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.set(StopCause::OutOfTime);
            Instant::now()
        });
        let error = launch::run(&program, &stop).unwrap_err();
        assert_eq!(error.kind(), FailureKind::TimedOut, "{error}");
        asked.join().unwrap()
    });
    let took = asked.elapsed();
    eprintln!("ended {} ms after it was asked for", took.as_millis());
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert_eq!(world.alive(), Vec::<String>::new());
    let error = launch::run(&program, &stop).unwrap_err();
    assert_eq!(error.kind(), FailureKind::TimedOut, "one that is stopped already: {error}");
}

#[test]
fn a_stream_is_handed_on_until_it_is_refused() {
    let world = World::new();
    let mut seen = 0;
    let stop = Stop::new();
    let ended = launch::stream(&world.program("yes"), &stop, &mut |stream, bytes| {
        assert_eq!(stream, Stream::Output);
        seen += bytes.len();
        seen < 5 << 20
    });
    assert!(matches!(ended, Err(LaunchError::Stopped { .. })), "{ended:?}");
    assert!(seen >= 5 << 20);
    let ended = launch::stream(&world.program("echo x; exit 4"), &stop, &mut |_, _| true);
    assert_eq!(ended.unwrap(), ProcessExit::Code(4));
    assert_eq!(world.alive(), Vec::<String>::new());
}

#[test]
fn an_attached_program_is_limited_too() {
    let world = World::new();
    let mut program = world.program("exit 7");
    assert_eq!(launch::run_attached(&program, &Stop::new()).unwrap(), ProcessExit::Code(7));
    program = world.program("exec sleep 300");
    program.limits.time = Duration::from_millis(200);
    let error = launch::run_attached(&program, &Stop::new()).unwrap_err();
    assert_eq!(error.kind(), FailureKind::TimedOut);
    assert_eq!(world.alive(), Vec::<String>::new());
}
