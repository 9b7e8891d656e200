//! Jobs that behave get what they are given, and all of it.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::time::{Duration, Instant};

use sandbox::{Exit, Job, SandboxLevel, Tick};

use super::world::{World, need, need_programs, run, text};

#[test]
fn unconfined() {
    plain(SandboxLevel::Unconfined);
}

#[test]
fn landlock() {
    plain(SandboxLevel::Landlock);
}

#[cfg(feature = "live")]
#[test]
fn bubblewrap() {
    plain(SandboxLevel::Bubblewrap);
}

#[test]
fn the_best_level_is_one_that_confines() {
    assert!(matches!(sandbox::best(), Some(SandboxLevel::Bubblewrap | SandboxLevel::Landlock)));
}

#[cfg(feature = "live")]
#[test]
fn bubblewrap_is_the_best_level_where_it_is_installed() {
    assert_eq!(sandbox::best(), Some(SandboxLevel::Bubblewrap));
}

fn plain(level: SandboxLevel) {
    need(level);
    need_programs(&["bash", "env", "perl"]);
    scripts(level);
    arguments_and_environment(level);
    input(level);
    output(level);
    network(level);
    scopes(level);
    modes(level);
    variables_are_no_arguments(level);
    stopped(level);
    inherited_files(level);
}

/// Script, how it ends, standard output, standard error.
const SCRIPTS: &[(&str, Exit, &str, &str)] = &[
    ("exit 0", Exit::Code(0), "", ""),
    ("exit 1", Exit::Code(1), "", ""),
    ("exit 42", Exit::Code(42), "", ""),
    ("exit 127", Exit::Code(127), "", ""),
    ("exit 255", Exit::Code(255), "", ""),
    ("kill -TERM $$", Exit::Signal(15), "", ""),
    ("kill -KILL $$", Exit::Signal(9), "", ""),
    ("kill -SEGV $$", Exit::Signal(11), "", ""),
    ("echo one; echo two >&2; echo three", Exit::Code(0), "one\nthree\n", "two\n"),
    ("cat kept", Exit::Code(0), "kept", ""),
    ("cat scope/inside", Exit::Code(0), "in", ""),
    ("pwd | sed 's/.*\\///'", Exit::Code(0), "job\n", ""),
    (
        "echo new > scope/new && mkdir -p scope/a/b && mv scope/new scope/a/b/c && cat scope/a/b/c",
        Exit::Code(0),
        "new\n",
        "",
    ),
    (
        "ln -s inside scope/link && cat scope/link && rm scope/link scope/inside",
        Exit::Code(0),
        "in",
        "",
    ),
    ("ln scope/inside scope/twin && cmp scope/inside scope/twin", Exit::Code(0), "", ""),
    ("echo x > /dev/null && head -c 3 /dev/zero | wc -c", Exit::Code(0), "3\n", ""),
    ("for i in 1 2 3; do (sleep 0.01; echo $i) & wait $!; done", Exit::Code(0), "1\n2\n3\n", ""),
    ("setsid true && timeout 5 echo timely", Exit::Code(0), "timely\n", ""),
    ("timeout 0.1 sleep 5; echo $?", Exit::Code(0), "124\n", ""),
    ("cat", Exit::Code(0), "", ""),
];

fn scripts(level: SandboxLevel) {
    for (script, how, stdout, stderr) in SCRIPTS {
        let world = World::new();
        let before = world.outside();
        let ended = run(&world.job(script), level).unwrap();
        let got = (ended.how, text(&ended.stdout.kept), text(&ended.stderr.kept));
        assert_eq!(got, (*how, stdout.to_string(), stderr.to_string()), "{level}: {script}");
        assert_eq!(ended.level, level);
        assert_eq!(world.outside(), before, "{level}: {script}");
        assert_eq!(world.alive(), Vec::<String>::new(), "{level}: {script}");
    }
}

fn arguments_and_environment(level: SandboxLevel) {
    let world = World::new();
    let mut job = world.job("");
    let odd = ["", " ", "grün 🌱", "a b\"c'd$e\\f", "new\nline", "-", "--", "*", "A=B"];
    job.args = ["-c", r#"printf '<%s>' "$@""#, "sh"].iter().chain(&odd).map(Into::into).collect();
    let expected: String = odd.iter().map(|arg| format!("<{arg}>")).collect();
    assert_eq!(text(&run(&job, level).unwrap().stdout.kept), expected, "{level}");

    // Every byte that an argument can hold, not only text.
    let bytes: Vec<u8> = (1..=255).collect();
    job.args = vec![
        "-c".into(),
        r#"printf %s "$1""#.into(),
        "sh".into(),
        OsString::from_vec(bytes.clone()),
    ];
    assert_eq!(run(&job, level).unwrap().stdout.kept, bytes, "{level}");

    job.program = "/usr/bin/env".into();
    job.args = vec!["-0".into()];
    job.environment = [
        ("A", "1"),
        ("-S", "dash"),
        ("WITH.DOT", "ü"),
        ("EMPTY", ""),
        ("LINES", "a\nb"),
        ("PATH", "$(id)"),
    ]
    .into_iter()
    .map(|(name, value)| (name.into(), value.into()))
    .collect();
    let ended = run(&job, level).unwrap();
    let mut seen: Vec<String> =
        text(&ended.stdout.kept).split_terminator('\0').map(str::to_owned).collect();
    seen.sort();
    assert_eq!(
        seen,
        ["-S=dash", "A=1", "EMPTY=", "LINES=a\nb", "PATH=$(id)", "WITH.DOT=ü"],
        "{level}"
    );
}

fn input(level: SandboxLevel) {
    let world = World::new();
    // More than a pipe holds, on a program that answers while it reads, and on one that does not read at all.
    let mut job = world.job("cat");
    job.stdin = (0..300_000u32).flat_map(|it| [it.to_le_bytes()[0], b'\n']).collect();
    job.limits.output = 1 << 20;
    let ended = run(&job, level).unwrap();
    assert_eq!((ended.how, ended.stdout.kept == job.stdin), (Exit::Code(0), true), "{level}");
    job.args = vec!["-c".into(), "exit 3".into()];
    assert_eq!(run(&job, level).unwrap().how, Exit::Code(3), "{level}");
}

fn output(level: SandboxLevel) {
    let world = World::new();
    let job = world.job("head -c 99996 /dev/zero; echo end; head -c 20000 /dev/zero >&2");
    let ended = run(&job, level).unwrap();
    assert_eq!(ended.how, Exit::Code(0), "{level}");
    assert_eq!(
        (ended.stdout.kept.len(), ended.stdout.total, ended.stdout.truncated()),
        (16 << 10, 100_000, true)
    );
    assert!(ended.stdout.kept.ends_with(b"\0end\n"), "{level}: the end is what is kept");
    assert_eq!(
        (ended.stderr.kept.len(), ended.stderr.total, ended.stderr.truncated()),
        (16 << 10, 20_000, true)
    );
}

fn network(level: SandboxLevel) {
    let world = World::new();
    let mut job = world.job("bash -c 'echo hello > /dev/tcp/127.0.0.1/$TCP'");
    job.network = true;
    let ended = run(&job, level).unwrap();
    assert_eq!(ended.how, Exit::Code(0), "{level}: {}", text(&ended.stderr.kept));
    assert!(world.was_reached(), "{level}");
}

/// Scopes of several shapes: what is writable, the directory, what else is readable, and what works then.
fn scopes(level: SandboxLevel) {
    type Shape = fn(&World, &mut Job);
    let shapes: &[(&str, Shape, &str)] = &[
        (
            "a file",
            |world, job| job.writable = vec![world.root.join("job/scope/inside")],
            "echo x >> scope/inside && ! (echo x > scope/new) 2>/dev/null && cat scope/inside",
        ),
        (
            "all of the directory",
            |world, job| job.writable = vec![world.root.join("job")],
            "echo x > new && rm kept && cat scope/inside new",
        ),
        (
            "more than the directory",
            |world, job| {
                job.writable = vec![world.root.join("job")];
                job.directory = world.root.join("job/scope");
            },
            "echo x >> inside && echo x > ../new && cat inside",
        ),
        (
            "one within another",
            |world, job| {
                job.writable = vec![world.root.join("job/scope"), world.root.join("job")];
                job.readable = vec![world.root.join("job/scope")];
            },
            "echo x >> scope/inside && echo x > new && cat scope/inside",
        ),
        (
            "nothing",
            |_, job| job.writable = Vec::new(),
            "! (echo x > scope/new) 2>/dev/null && cat scope/inside && echo x",
        ),
        (
            "more to read",
            |world, job| {
                job.readable = vec![world.root.join("file"), world.root.join("job/scope/out")]
            },
            "test $(cat $ROOT/file) = outside && cat scope/inside && echo x",
        ),
        (
            "a directory elsewhere",
            |_, job| job.directory = "/usr/bin".into(),
            "cat $ROOT/job/scope/inside && echo x",
        ),
        (
            "a tool of its own",
            |world, job| {
                fs::copy("/usr/bin/env", world.root.join("tool")).unwrap();
                job.program = world.root.join("tool");
                job.args = ["sh", "-c", "cat scope/inside && echo x"].map(Into::into).to_vec();
            },
            "",
        ),
    ];
    for (name, shape, script) in shapes {
        if level == SandboxLevel::Unconfined && script.contains('!') {
            continue;
        }
        let world = World::new();
        let mut job = world.job(script);
        shape(&world, &mut job);
        let ended = run(&job, level).unwrap();
        let stdout = text(&ended.stdout.kept).replace('\n', "");
        assert_eq!(
            (ended.how, stdout.as_str()),
            (Exit::Code(0), "inx"),
            "{level}: {name}: {}",
            text(&ended.stderr.kept)
        );
    }
}

/// Without namespaces a mode can only be set on an open file, and only where the job can open nothing else of
/// its user's than its own directory. Root owns the whole system.
fn modes(level: SandboxLevel) {
    let set = "perl -e 'open F, q(<), q(scope/inside); chmod(0700, *F) or die' 2>/dev/null; stat -c %a scope/inside";
    let by_path = "chmod 700 scope/inside 2>/dev/null; stat -c %a scope/inside";
    let alone = level == SandboxLevel::Landlock;
    let root = rustix::process::getuid().is_root();
    for (script, more, refused) in
        [(set, false, alone && root), (set, true, alone), (by_path, false, alone)]
    {
        let world = World::new();
        let mut job = world.job(script);
        if more {
            job.readable.push(world.root.join("file"));
        }
        let expected = if refused { "644\n" } else { "700\n" };
        assert_eq!(
            text(&run(&job, level).unwrap().stdout.kept),
            expected,
            "{level}: {script} {more}"
        );
    }
}

/// Everybody on the machine can read the arguments of a process, and variables hold keys.
fn variables_are_no_arguments(level: SandboxLevel) {
    let world = World::new();
    let mut job = world.job("sleep 0.6; printf %s \"$KEY\"");
    let key = format!("key-of-{}", world.tag);
    job.environment.insert("KEY".into(), key.clone().into());
    let mut seen = 0;
    let ended = sandbox::run(&job, level, &mut || {
        for process in fs::read_dir("/proc").unwrap() {
            let words = fs::read(process.unwrap().path().join("cmdline")).unwrap_or_default();
            assert!(!text(&words).contains(&key), "{level}: {}", text(&words));
        }
        seen += 1;
        Tick::Continue
    });
    assert_eq!((text(&ended.unwrap().stdout.kept), seen > 0), (key, true), "{level}");
}

fn stopped(level: SandboxLevel) {
    let world = World::new();
    let mut ticks = 0;
    let since = Instant::now();
    let ended = sandbox::run(&world.job("sleep 60"), level, &mut || {
        ticks += 1;
        if ticks < 3 { Tick::Continue } else { Tick::Stop }
    });
    assert_eq!(ended.unwrap().how, Exit::Stopped, "{level}");
    assert!(since.elapsed() < Duration::from_secs(5), "{level}");
    assert_eq!(world.alive(), Vec::<String>::new(), "{level}");
}

/// What the caller itself was started with does not reach the job. The levels take turns: a caller that opens such files
/// while another of its threads starts a job has nobody but itself to blame.
fn inherited_files(level: SandboxLevel) {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let world = World::new();
    let file = fs::File::open(world.root.join("secret")).unwrap();
    // These two have no close-on-exec, and one has a number of two digits.
    let low = rustix::io::dup(&file).unwrap();
    let many: Vec<_> = (0..12).map(|_| rustix::io::dup(&file).unwrap()).collect();
    let script = "for n in 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do \
                  bash -c \"cat <&$n\" 2>/dev/null; done; true";
    let ended = run(&world.job(script), level).unwrap();
    assert_eq!((ended.how, text(&ended.stdout.kept)), (Exit::Code(0), String::new()), "{level}");
    drop((low, many));
}
