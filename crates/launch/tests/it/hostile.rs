//! Programs that do what they must not. Whatever they do, the tree and what is around it stay as they were, nothing of them
//! is left, and an error says which program it was.

use std::time::{Duration, Instant};

use check::{FailureKind, Stop, StopCause};
use launch::{Capture, LaunchError, ProcessExit, ProgramOutput, SandboxLevel};

use super::world::{SECRET, World, as_nobody, file, isolation, path, text};

#[test]
fn landlock() {
    attack(SandboxLevel::Landlock);
}

#[cfg(feature = "live")]
#[test]
fn bubblewrap() {
    attack(SandboxLevel::Bubblewrap);
}

#[test]
fn unconfined() {
    attack(SandboxLevel::Unconfined);
}

#[test]
fn landlock_as_an_ordinary_user() {
    as_nobody("it::hostile::landlock_as_an_ordinary_user", || attack(SandboxLevel::Landlock));
}

#[cfg(feature = "live")]
#[test]
fn bubblewrap_as_an_ordinary_user() {
    as_nobody("it::hostile::bubblewrap_as_an_ordinary_user", || attack(SandboxLevel::Bubblewrap));
}

/// How a program must end.
#[derive(Clone, Copy)]
enum Ends {
    /// With this status and standard output.
    With(ProcessExit, &'static str),
    /// With this kind of failure.
    Fails(FailureKind),
    /// Because it has too many processes, or because the kernel gives it no more.
    Crowded,
}

use Ends::{Crowded, Fails, With};

/// Whether a row is one that only confinement holds off.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    Confinement,
}

use Needs::{Confinement, Nothing};

const DONE: Ends = With(ProcessExit::Code(0), "tried\n");

/// `try` says so when a command succeeds.
const TRY: &str = r#"try() { if (eval "$1") >/dev/null 2>&1; then echo "did it: $1"; fi; }"#;

/// Name, script, how it ends, and what it takes to hold it off.
const ROWS: &[(&str, &str, Ends, Needs)] = &[
    // Ends.
    ("never ends", "while :; do :; done", Fails(FailureKind::TimedOut), Nothing),
    ("sleeps", "sleep 300", Fails(FailureKind::TimedOut), Nothing),
    (
        "ignores signals",
        "trap '' TERM INT HUP QUIT; while :; do sleep 1; done",
        Fails(FailureKind::TimedOut),
        Nothing,
    ),
    (
        "closes its streams and sleeps",
        "exec <&- >&- 2>&-; sleep 300",
        Fails(FailureKind::TimedOut),
        Nothing,
    ),
    (
        "leaves a daemon",
        "(setsid sh -c 'exec <&- >&- 2>&-; sleep 300' &) & sleep 300 & sleep 0.1; echo tried",
        DONE,
        Nothing,
    ),
    (
        "leaves a daemon that holds its streams",
        "(setsid sleep 300 &) & sleep 0.1; echo tried",
        DONE,
        Nothing,
    ),
    ("ends by a signal", "kill -SEGV $$", With(ProcessExit::Signal(11), ""), Nothing),
    ("kills itself", "kill -9 $$", With(ProcessExit::Signal(9), ""), Nothing),
    ("kills its group", "kill -9 0", With(ProcessExit::Signal(9), ""), Nothing),
    ("fails", "echo tried; exit 3", With(ProcessExit::Code(3), "tried\n"), Nothing),
    ("does not read", "echo tried", DONE, Nothing),
    // Floods.
    ("floods its output", "yes", Fails(FailureKind::Garbled), Nothing),
    ("floods its errors", "yes >&2", Fails(FailureKind::Garbled), Nothing),
    ("floods both", "yes & yes >&2", Fails(FailureKind::Garbled), Nothing),
    (
        "prints what is not text",
        r"printf '\377\376\000x'",
        With(ProcessExit::Code(0), "\u{fffd}\u{fffd}\0x"),
        Nothing,
    ),
    (
        "spawns ten thousand children",
        "i=0; while [ $i -lt 10000 ]; do sleep 300 & i=$((i+1)); done; wait",
        Crowded,
        Nothing,
    ),
    (
        "fills its cache",
        "while :; do head -c 99999 /dev/zero >>$BASE/cache/fill; done",
        Fails(FailureKind::Died),
        Nothing,
    ),
    (
        "fills its home",
        "while :; do head -c 99999 /dev/zero >>$HOME/fill; done",
        Fails(FailureKind::Died),
        Nothing,
    ),
    (
        "makes its home hard to remove",
        "mkdir -p $HOME/a/b; chmod 500 $HOME/a 2>/dev/null; echo tried",
        DONE,
        Nothing,
    ),
    // Writes.
    (
        "writes where it starts",
        "echo x >a.txt; echo x >new; rm -f src/b.txt; exit 0",
        With(ProcessExit::Code(0), ""),
        Nothing,
    ),
    (
        "writes the tree",
        "try 'echo x >$ROOT/a.txt'; try 'echo x >$ROOT/new'; echo tried",
        DONE,
        Confinement,
    ),
    (
        "deletes",
        "try 'rm $ROOT/a.txt'; try 'mv $ROOT/src $ROOT/moved'; echo tried",
        DONE,
        Confinement,
    ),
    (
        "truncates a file and dies",
        "(: >$ROOT/a.txt); kill -9 $$",
        With(ProcessExit::Signal(9), ""),
        Confinement,
    ),
    (
        "changes rights",
        "try 'chmod 777 $ROOT/a.txt'; try 'touch -d 2001-01-01 $ROOT/a.txt'; echo tried",
        DONE,
        Confinement,
    ),
    (
        "writes what is ignored",
        "try 'echo x >$ROOT/node_modules/tool/index.js'; try 'echo x >node_modules/x'; echo tried",
        DONE,
        Confinement,
    ),
    (
        "links into the tree",
        "try 'ln $ROOT/a.txt $BASE/cache/hard && echo x >$BASE/cache/hard'; echo tried",
        DONE,
        Confinement,
    ),
    (
        "writes through a link",
        "ln -s $ROOT/a.txt $BASE/cache/soft; try 'echo x >$BASE/cache/soft'; echo tried",
        DONE,
        Confinement,
    ),
    (
        "writes above the root",
        "try 'echo x >$BASE/config'; try 'echo x >../config'; echo tried",
        DONE,
        Confinement,
    ),
    (
        "writes later",
        "(sleep 0.3; echo x >$ROOT/a.txt) & exit 0",
        With(ProcessExit::Code(0), ""),
        Nothing,
    ),
    (
        "sees its own home",
        "test -z \"$(ls -A $HOME $XDG_CONFIG_HOME | grep -v :)\" && echo tried",
        DONE,
        Nothing,
    ),
    (
        "writes its home and cache",
        "echo x >$HOME/x && echo x >$TMPDIR/x && echo x >$BASE/cache/x && echo tried",
        DONE,
        Nothing,
    ),
    // Reads.
    (
        "reads keys",
        "cat $BASE/user/.ssh/id 2>/dev/null; cat ~root/.ssh/* /root/.ssh/* 2>/dev/null | head -1; echo tried",
        DONE,
        Confinement,
    ),
    (
        "reads configuration above",
        "cat $BASE/config ../config 2>/dev/null; echo tried",
        DONE,
        Confinement,
    ),
    (
        "reads the tree",
        "cat $ROOT/a.txt $ROOT/src/c.txt node_modules/tool/index.js",
        With(ProcessExit::Code(0), "a\nc\ntool\n"),
        Nothing,
    ),
    // The network.
    (
        "connects",
        "try \"bash -c 'echo x >/dev/tcp/127.0.0.1/$TCP'\"; echo tried",
        DONE,
        Confinement,
    ),
    (
        "sees variables",
        "env | grep -c -e CARGO -e SSH_AUTH; echo tried",
        With(ProcessExit::Code(0), "0\ntried\n"),
        Nothing,
    ),
];

fn attack(level: SandboxLevel) {
    let isolation = isolation(level);
    let mut wrong = Vec::new();
    for (name, script, ends, needs) in ROWS {
        if level == SandboxLevel::Unconfined && *needs == Confinement {
            continue;
        }
        // The real tree, and one that differs from it in a file that no row reads.
        for differs in [false, true] {
            let world = World::new();
            let mut view = world.view(&isolation);
            if differs {
                view.show(&world.disk().with([(path("src/b.txt"), file("other\n"))]).unwrap())
                    .unwrap();
            }
            let mut program = world.program(&format!("{TRY}\n{script}"));
            if matches!(ends, Fails(FailureKind::TimedOut)) {
                program.limits.time = Duration::from_millis(400);
            }
            let program = program.stdin(vec![b'x'; 1 << 20]);
            let before = world.state();
            let ended = view.run(&program, &world.access(), &Stop::new());
            if let Err(error) = &ended {
                let name = program.path.file_name().unwrap().to_str().unwrap();
                assert!(error.to_string().contains(name), "{error}");
            }
            if let Some(what) = differs_from(ends, &ended) {
                wrong.push(format!("{name} ({}): {what}", view.sight().name()));
            }
            std::thread::sleep(if script.contains("0.3") {
                Duration::from_millis(500)
            } else {
                Duration::ZERO
            });
            assert_eq!(world.state(), before, "{level}: {name}");
            assert_eq!(world.alive(), Vec::<String>::new(), "{level}: {name}");
            assert!(!world.was_reached(), "{level}: {name}");
        }
    }
    assert!(wrong.is_empty(), "{level}:\n{}", wrong.join("\n"));
}

fn differs_from(ends: &Ends, ended: &Result<ProgramOutput, LaunchError>) -> Option<String> {
    let is_right = match (ends, ended) {
        (With(status, stdout), Ok(output)) => {
            output.status == *status
                && text(&output.stdout) == *stdout
                && !text(&output.stdout).contains(SECRET)
        }
        (Fails(kind), Err(error)) => error.kind() == *kind,
        (Crowded, Err(error)) => error.kind() == FailureKind::Died,
        (Crowded, Ok(output)) => text(&output.stderr).contains("fork"),
        _ => false,
    };
    (!is_right).then(|| match ended {
        Ok(output) => {
            format!("{:?} {:?} {:?}", output.status, text(&output.stdout), text(&output.stderr))
        }
        Err(error) => format!("{error} {error:?}"),
    })
}

/// A row that fails anyway would prove nothing about confinement.
#[test]
fn the_same_rows_succeed_without_confinement() {
    let isolation = isolation(SandboxLevel::Unconfined);
    for (name, script, ..) in ROWS.iter().filter(|row| row.3 == Confinement) {
        let world = World::new();
        let before = world.state();
        let program = world.program(&format!("{TRY}\n{script}"));
        let output = world.view(&isolation).run(&program, &world.access(), &Stop::new()).unwrap();
        let stdout = text(&output.stdout);
        let succeeded = stdout.contains("did it")
            || stdout.contains(SECRET)
            || world.state() != before
            || world.was_reached();
        assert!(succeeded, "{name}: {stdout}{}", text(&output.stderr));
    }
}

/// Programs that rewrite: what they did is told, bounded, and only what they were shown can have changed.
#[test]
fn rewriters_at_landlock() {
    rewrite(SandboxLevel::Landlock);
}

#[test]
fn rewriters_unconfined() {
    rewrite(SandboxLevel::Unconfined);
}

#[cfg(feature = "live")]
#[test]
fn rewriters_at_bubblewrap() {
    rewrite(SandboxLevel::Bubblewrap);
}

#[test]
fn rewriters_at_landlock_as_an_ordinary_user() {
    as_nobody("it::hostile::rewriters_at_landlock_as_an_ordinary_user", || {
        rewrite(SandboxLevel::Landlock)
    });
}

#[cfg(feature = "live")]
#[test]
fn rewriters_at_bubblewrap_as_an_ordinary_user() {
    let name = "it::hostile::rewriters_at_bubblewrap_as_an_ordinary_user";
    as_nobody(name, || rewrite(SandboxLevel::Bubblewrap));
}

/// Script, and what it changed, or the kind of failure.
const REWRITERS: &[(&str, Result<&str, FailureKind>)] = &[
    ("true", Ok("")),
    ("echo x >>a.txt", Ok("a.txt = a\\nx\\n\n")),
    (": >a.txt; kill -9 $$", Ok("a.txt = \n")),
    ("rm a.txt; mkdir a.txt; echo y >a.txt/y", Ok("a.txt deleted\na.txt/y = y\\n\n")),
    (
        "rm -rf src; mkdir src; echo z >src/z.txt",
        Ok("src/b.txt deleted\nsrc/c.txt deleted\nsrc/z.txt = z\\n\n"),
    ),
    ("rm -rf src; echo s >src", Ok("src = s\\n\nsrc/b.txt deleted\nsrc/c.txt deleted\n")),
    ("rm -rf src; ln -s /etc src", Ok("src -> /etc\nsrc/b.txt deleted\nsrc/c.txt deleted\n")),
    ("ln -sf /etc/passwd a.txt; ln -s ../../.. out", Ok("a.txt -> /etc/passwd\nout -> ../../..\n")),
    ("cp a.txt b && cat b >a.txt && rm b", Ok("")),
    (
        "mkfifo pipe; mkdir -p deep/deep; echo d >deep/deep/d",
        Ok("deep/deep/d = d\\n\npipe other\n"),
    ),
    ("mkdir locked; echo l >locked/l; chmod 500 locked 2>/dev/null; true", Ok("locked/l = l\\n\n")),
    ("printf 'x' >\"$(printf 'bad\\377name')\"", Ok("unnameable\n")),
    ("rm link; echo x >run.sh", Ok("link deleted\nrun.sh = x\\n\n")),
    ("i=0; while [ $i -lt 200 ]; do echo x >many$i; i=$((i+1)); done", Err(FailureKind::Garbled)),
    ("head -c 200000 /dev/zero >big", Err(FailureKind::Garbled)),
    ("echo x >a.txt; while :; do :; done", Err(FailureKind::TimedOut)),
];

fn rewrite(level: SandboxLevel) {
    let isolation = isolation(level);
    let world = World::new();
    let mut view = world.view(&isolation);
    let shown = world.disk().with([(path("src/b.txt"), file("other\n"))]).unwrap();
    view.show(&shown).unwrap();
    let before = world.state();
    let capture = Capture { wants: &|_| true, max_entries: 100, max_bytes: 100_000 };
    // One view for all: what one program did must not be there for the next.
    for (script, expected) in REWRITERS {
        let mut program = world.program(script);
        if *expected == Err(FailureKind::TimedOut) {
            program.limits.time = Duration::from_millis(400);
        }
        let told = match view.run_rewriting(&program, &world.access(), &capture, &Stop::new()) {
            Ok((_, changes)) => Ok(super::view::shown(&changes)),
            Err(error) => Err(error.kind()),
        };
        assert_eq!(told, expected.map(str::to_owned), "{level}: {script}");
        std::fs::remove_file(&program.path).unwrap();
        assert_eq!(world.state(), before, "{level}: {script}");
        let cat =
            world.program("cat a.txt src/b.txt src/c.txt link; ls -A | sort; ls -A src | sort");
        let output = view.run(&cat, &world.access(), &Stop::new()).unwrap();
        let expected =
            "a\nother\nc\na\na.txt\nlink\nnode_modules\nrun.sh\nsrc\nb.txt\nc.txt\nignored.txt\n";
        assert_eq!(
            text(&output.stdout),
            expected,
            "{level}: after {script}: {}",
            text(&output.stderr)
        );
        std::fs::remove_file(&cat.path).unwrap();
    }
    drop(view);
    let left: Vec<_> = std::fs::read_dir(world.base.join("place")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a time is for people to read")]
fn a_program_ends_soon_after_somebody_asks_for_it() {
    let mut levels = vec![SandboxLevel::Landlock, SandboxLevel::Unconfined];
    if cfg!(feature = "live") {
        levels.push(SandboxLevel::Bubblewrap);
    }
    for level in levels {
        let world = World::new();
        let view = world.view(&isolation(level));
        let program =
            world.program("trap '' TERM; (setsid sleep 300 &) & while :; do sleep 1; done");
        let stop = Stop::new();
        let asked = std::thread::scope(|threads| {
            let asked = threads.spawn(|| {
                std::thread::sleep(Duration::from_millis(400));
                stop.set(StopCause::Cancelled);
                Instant::now()
            });
            let error = view.run(&program, &world.access(), &stop).unwrap_err();
            assert_eq!(error.kind(), FailureKind::Stopped, "{error}");
            asked.join().unwrap()
        });
        let took = asked.elapsed();
        eprintln!("{level}: ended {} ms after it was asked for", took.as_millis());
        assert!(took < Duration::from_secs(10), "{took:?}");
        assert_eq!(world.alive(), Vec::<String>::new());
    }
}
