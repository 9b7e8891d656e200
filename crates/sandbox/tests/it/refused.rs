//! Jobs that are not run at all, and what is said about them.

use std::fs;
use std::os::unix::fs::symlink;

use sandbox::{Job, SandboxLevel};

use super::world::{World, run};

type Change = fn(&World, &mut Job);

/// Name, what is wrong with the job, and what the error says, with the world's directory as ROOT.
const CASES: &[(&str, Change, &str)] = &[
    (
        "no such program",
        |_, job| job.program = "/usr/bin/no-such-program".into(),
        "/usr/bin/no-such-program cannot be run: there is no such file",
    ),
    (
        "not in its path",
        |_, job| job.program = "no-such-program".into(),
        "no-such-program cannot be run: it is in no directory of its PATH",
    ),
    (
        "no path at all",
        |_, job| job.environment.clear(),
        "sh cannot be run: it is in no directory of its PATH",
    ),
    ("a directory", |_, job| job.program = "/usr".into(), "/usr cannot be run: it is a directory"),
    (
        "not executable",
        |_, job| job.program = "./kept".into(),
        "./kept cannot be run: it is not executable",
    ),
    (
        "a device",
        |_, job| job.program = "/dev/null".into(),
        "/dev/null cannot be run: it is not executable",
    ),
    (
        "relative writable",
        |_, job| job.writable = vec!["src".into()],
        "src cannot be part of the scope: it is not absolute",
    ),
    (
        "no such writable",
        |world, job| job.writable = vec![world.root.join("job/none")],
        "ROOT/job/none cannot be part of the scope: No such file or directory (os error 2)",
    ),
    (
        "writable through a link",
        |world, job| job.writable = vec![world.root.join("job/scope/out/file")],
        "ROOT/job/scope/out/file cannot be part of the scope: it leads through a symbolic link or has `.`, `..` or empty segments",
    ),
    (
        "writable is a link",
        |world, job| {
            symlink("/etc", world.root.join("job/src")).unwrap();
            job.writable = vec![world.root.join("job/src")];
        },
        "ROOT/job/src cannot be part of the scope: it leads through a symbolic link or has `.`, `..` or empty segments",
    ),
    (
        "writable with dots",
        |world, job| job.writable = vec![world.root.join("job/../job/scope")],
        "ROOT/job/../job/scope cannot be part of the scope: it leads through a symbolic link or has `.`, `..` or empty segments",
    ),
    (
        "everything writable",
        |_, job| job.writable = vec!["/".into()],
        "/ cannot be part of the scope: the whole file system cannot be the scope",
    ),
    (
        "writable sysctls",
        |_, job| job.writable = vec!["/proc/sys/kernel".into()],
        "/proc/sys/kernel cannot be part of the scope: /proc is a file system of the kernel (proc)",
    ),
    (
        "writable processes",
        |world, job| job.writable = vec![world.root.join("job/scope"), "/proc".into()],
        "/proc cannot be part of the scope: /proc is a file system of the kernel (proc)",
    ),
    (
        "writable kernel",
        |_, job| job.writable = vec!["/sys/kernel".into()],
        "/sys/kernel cannot be part of the scope: /sys is a file system of the kernel (sysfs)",
    ),
    (
        "directory is a file",
        |world, job| job.directory = world.root.join("file"),
        "ROOT/file cannot be part of the scope: it is not a directory",
    ),
    (
        "directory is everything",
        |_, job| job.directory = "/".into(),
        "/ cannot be part of the scope: the whole file system cannot be the scope",
    ),
    (
        "no such readable",
        |_, job| job.readable = vec!["/no/such".into()],
        "/no/such cannot be part of the scope: No such file or directory (os error 2)",
    ),
    (
        "equals sign in the program",
        |world, job| {
            fs::copy("/usr/bin/env", world.root.join("a=b")).unwrap();
            job.program = world.root.join("a=b");
        },
        "ROOT/a=b cannot be run: its path holds an equals sign",
    ),
    (
        "equals sign in a name",
        |_, job| {
            job.environment.insert("A=B".into(), "1".into());
        },
        "A=B is not the name of an environment variable",
    ),
    (
        "empty name",
        |_, job| {
            job.environment.insert("".into(), "1".into());
        },
        " is not the name of an environment variable",
    ),
    (
        "zero byte in an argument",
        |_, job| job.args.push("a\0b".into()),
        "argument 3 holds a zero byte",
    ),
    (
        "huge variable",
        |_, job| {
            job.environment.insert("HUGE".into(), "x".repeat(131_070).into());
        },
        "arguments and environment have BYTES bytes; 1048576 are possible, and 131071 in one of them",
    ),
    (
        "huge environment",
        |_, job| {
            job.environment.extend((0..100_000).map(|it| (format!("V{it}").into(), "x".into())));
        },
        "arguments and environment have BYTES bytes; 1048576 are possible, and 131071 in one of them",
    ),
    (
        "huge arguments",
        |_, job| job.args = vec!["x".repeat(1000).into(); 2000],
        "arguments and environment have BYTES bytes; 1048576 are possible, and 131071 in one of them",
    ),
];

#[test]
fn at_every_level_with_the_same_words() {
    for (name, change, expected) in CASES {
        for level in [SandboxLevel::Bubblewrap, SandboxLevel::Landlock, SandboxLevel::Unconfined] {
            let world = World::new();
            let mut job = world.job("echo > scope/ran");
            change(&world, &mut job);
            let error = run(&job, level).expect_err(name).to_string();
            let error = error.replace(&world.root.display().to_string(), "ROOT");
            let words = error.split(' ').map(|word| {
                let is_count = word.len() > 5
                    && word.parse::<u32>().is_ok_and(|it| it != 1_048_576 && it != 131_071);
                if is_count { "BYTES" } else { word }
            });
            assert_eq!(words.collect::<Vec<_>>().join(" "), *expected, "{name} at {level}");
            assert!(!world.root.join("job/scope/ran").exists(), "{name} at {level}");
        }
    }
}

/// As much environment as is allowed does reach the program.
#[test]
fn an_environment_just_below_the_limit_is_passed() {
    let world = World::new();
    let mut job = world.job("printf %s \"$LAST\"");
    job.environment.extend((0..7).map(|it| (format!("V{it}").into(), "x".repeat(130_000).into())));
    job.environment.insert("LAST".into(), "arrived".into());
    let ended = run(&job, SandboxLevel::Landlock).unwrap();
    assert_eq!(String::from_utf8_lossy(&ended.stdout.kept), "arrived");
}

#[test]
fn levels_have_names() {
    for (level, name) in [
        (SandboxLevel::Bubblewrap, "bubblewrap"),
        (SandboxLevel::Landlock, "landlock"),
        (SandboxLevel::Unconfined, "none"),
    ] {
        assert_eq!(
            (level.to_string().as_str(), name.parse::<SandboxLevel>().unwrap()),
            (name, level)
        );
    }
    let error = "docker".parse::<SandboxLevel>().unwrap_err().to_string();
    assert_eq!(
        error,
        "no sandbox level is called `docker`; there are bubblewrap, landlock and none"
    );
}
