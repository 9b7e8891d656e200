//! Jobs that do what they must not. Each must fail at it, and leave everything outside of its scope as it
//! was.

use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Exit, SandboxLevel};

use super::world::{SECRET, World, need, need_programs, run, text};

#[test]
fn landlock() {
    hostile(SandboxLevel::Landlock);
}

#[cfg(feature = "live")]
#[test]
fn bubblewrap() {
    hostile(SandboxLevel::Bubblewrap);
}

fn hostile(level: SandboxLevel) {
    need(level);
    need_programs(&["bash", "perl", "setsid", "yes"]);
    for (name, script, how) in FAILS.iter().map(|(name, script)| (name, script, None)) {
        check(level, name, script, how);
    }
    for (name, script, how) in ENDED {
        check(level, name, script, Some(*how));
    }
}

const TRY: &str = r#"try() { if (eval "$1") 2>/dev/null; then echo "did it: $1"; fi; }"#;

/// Every command of the script must fail: a line `did it` on standard output says that one did not. The line
/// `tried` at the end shows that the script ran to it.
const FAILS: &[(&str, &str)] = &[
    (
        "writes outside",
        "try 'echo x > $ROOT/new'; try 'echo x >> $ROOT/file'; try 'echo x > kept'; try 'echo x > new'",
    ),
    (
        "writes outside by a relative path",
        "cd scope; try 'echo x > ../../file'; try 'echo x > ../new'",
    ),
    (
        "makes entries outside",
        "try 'mkdir $ROOT/d'; try 'ln -s x $ROOT/l'; try 'mkfifo $ROOT/p'; try 'mknod $ROOT/n p'",
    ),
    (
        "deletes everything",
        "try 'rm $ROOT/file'; try 'rm -r $ROOT/job/kept'; try 'rmdir $ROOT/job'; rm -rf $ROOT/*; true",
    ),
    (
        "moves out",
        "try 'mv scope/inside $ROOT/file'; try 'mv scope/inside $ROOT/job/'; try 'mv kept scope/'",
    ),
    ("moves in by rename", "try 'mv -T $ROOT/file scope/file'"),
    (
        "links in",
        "try 'ln kept scope/kept && echo x > scope/kept'; try 'ln $ROOT/secret scope/s && cat scope/s'",
    ),
    ("truncates outside", "try 'truncate -s 0 $ROOT/file'; try 'truncate -s 0 kept'"),
    (
        "follows a link out",
        "try 'echo x > scope/out/file'; try 'echo x > scope/out/new'; try 'rm scope/out/file'",
    ),
    (
        "makes a link to /etc",
        "ln -s /etc scope/etc; try 'echo x > scope/etc/written-by-a-sandbox-test'",
    ),
    (
        "writes to the system",
        "try 'echo x > /usr/written-by-a-sandbox-test'; try 'echo x > /written-by-a-sandbox-test'",
    ),
    ("changes modes", "try 'chmod 777 $ROOT/file'; try 'chmod 777 kept'; try 'chmod 777 $ROOT'"),
    (
        "changes modes of what it opens",
        "try 'perl -e \"open F, q(<), qq($ROOT/file); chmod(0777, *F) or die\"'",
    ),
    (
        "changes times",
        "try 'touch $ROOT/file'; try 'touch kept'; try 'touch -h -d 2001-01-01 $ROOT/file'",
    ),
    (
        "changes owners",
        "try 'chown 12345 $ROOT/file'; try 'chgrp 12345 kept'; try 'chown -h 12345 scope/out'",
    ),
    ("makes a device", "try 'mknod scope/disk b 254 0'; try 'mknod scope/null c 1 3'"),
    (
        "reads a secret",
        "cat $ROOT/secret scope/out/secret; cd ..; cat secret; cat /proc/self/cwd/../secret",
    ),
    (
        "reads a secret by a link",
        "ln -s $ROOT/secret scope/s; cat scope/s; cp scope/s scope/t; cat scope/t",
    ),
    (
        "reads a secret by its root",
        "cat /proc/self/root$ROOT/secret /proc/$CALLER/root$ROOT/secret",
    ),
    (
        "lists what is outside",
        "try 'ls $ROOT | grep secret'; try 'ls /root/.[a-z]*'; try 'ls /home/*'",
    ),
    (
        "reads secrets of the system",
        "try 'cat /etc/shadow'; try 'cat /etc/ssh/ssh_host_ed25519_key'; try 'ls /var/lib'",
    ),
    (
        "reads devices",
        "try 'head -c 1 /dev/vda'; try 'head -c 1 /dev/sda'; try 'head -c 1 /dev/mem'; try ': < /dev/kmsg'",
    ),
    (
        "reads its parents",
        "for p in $PPID $CALLER; do try \"cat /proc/$p/environ | grep -a CARGO\"; done",
    ),
    ("reads a command line", "try 'cat /proc/$CALLER/cmdline | grep -a deps'"),
    (
        "connects",
        "try \"bash -c 'echo x > /dev/tcp/127.0.0.1/$TCP'\"; try \"bash -c 'echo x > /dev/tcp/localhost/$TCP'\"",
    ),
    ("sends a datagram", "bash -c 'echo x > /dev/udp/127.0.0.1/$UDP' 2>/dev/null"),
    (
        "connects to a socket in the file system",
        "try 'perl -MSocket -e \"socket(S,AF_UNIX,SOCK_STREAM,0) or die; connect(S,sockaddr_un(qq($ROOT/stream))) or die\"'",
    ),
    (
        "sends to a socket in the file system",
        "try 'perl -MSocket -e \"socketpair(S,T,AF_UNIX,SOCK_DGRAM,0) or die; \
        connect(S,sockaddr_un(qq($ROOT/datagrams))) or die; send(S,1,0) or die\"'",
    ),
    (
        "opens odd sockets",
        "for s in 17,3,7 31,3,1 38,5,0 40,1,0; do try \"perl -e 'socket(S,$s) or die'\"; done",
    ),
    ("signals its caller", "try 'kill -0 $CALLER'; try 'kill -CONT $CALLER'"),
    // Among these numbers are the process that ends the job, and the thread of the caller that was confined
    // to start it.
    (
        "looks for whom it can kill",
        "p=$CALLER; while [ $p -lt $((CALLER+4000)) ]; do p=$((p+1)); \
        [ $p -ne $$ ] && kill -0 $p 2>/dev/null && echo did it $p; [ $p -ne $$ ] && kill -0 -$p 2>/dev/null && echo did it -$p; done",
    ),
    (
        "changes limits of others",
        "try 'prlimit --pid $CALLER --nofile=1'; try 'renice -n 5 -p $CALLER'",
    ),
    (
        "changes its mark",
        "try 'prlimit --rttime=5 true'; try 'perl -e \"\\$l = pack(q(QQ), 1, 1); syscall(160, 15, \\$l) == 0 or die\"'",
    ),
    (
        "mounts",
        "try 'mount -t tmpfs none scope'; try 'unshare -m true && unshare -m mount -t tmpfs none /usr'",
    ),
    ("raises its limits", "try 'ulimit -f unlimited'; try 'ulimit -d unlimited'"),
];

/// Those of them that would harm the machine if nothing held them, or that only the owner of the machine can
/// do.
const NOT_UNCONFINED: &[&str] = &[
    "makes a link to /etc",
    "writes to the system",
    "changes owners",
    "makes a device",
    "reads secrets of the system",
    "reads devices",
    "opens odd sockets",
    "looks for whom it can kill",
    "changes limits of others",
    "mounts",
    "raises its limits",
];

/// A job that fails anyway would prove nothing about a scope.
#[test]
fn the_same_jobs_succeed_without_a_scope() {
    need_programs(&["bash", "perl", "setsid", "yes"]);
    for (name, script) in FAILS.iter().filter(|(name, _)| !NOT_UNCONFINED.contains(name)) {
        let world = World::new();
        let before = world.outside();
        let ended =
            run(&world.job(&format!("{TRY}\n{script}\necho tried")), SandboxLevel::Unconfined)
                .unwrap();
        let stdout = text(&ended.stdout.kept);
        let succeeded = stdout.contains("did it")
            || stdout.contains(SECRET)
            || world.outside() != before
            || world.was_reached();
        assert!(succeeded, "{name}: {stdout}{}", text(&ended.stderr.kept));
    }
}

/// Script, and how it must end.
const ENDED: &[(&str, &str, Exit)] = &[
    ("kills its parent", "kill -9 $CALLER 2>/dev/null; sleep 0.1; exit 5", Exit::Code(5)),
    ("kills its group", "kill -9 0", Exit::Signal(9)),
    (
        "lingers",
        "sleep 300 & setsid sleep 300 & (setsid setsid sleep 300 &) & sleep 0.1; exit 0",
        Exit::Code(0),
    ),
    (
        "lingers with closed streams",
        "setsid sh -c 'exec <&- >&- 2>&-; sleep 300' & sleep 0.1; exit 0",
        Exit::Code(0),
    ),
    ("never ends", "while :; do :; done", Exit::TimedOut),
    ("sleeps", "sleep 300", Exit::TimedOut),
    ("stops itself", "kill -STOP $$", Exit::TimedOut),
    ("ignores signals", "trap '' TERM INT HUP QUIT; while :; do sleep 1; done", Exit::TimedOut),
    ("prints 10 GB", "yes | head -c 10G", Exit::TooMuchOutput),
    ("prints 10 GB of errors", "yes | head -c 10G >&2", Exit::TooMuchOutput),
    ("prints in the background", "(setsid yes &) & sleep 300", Exit::TooMuchOutput),
    ("fills the disk by one file", "cat /dev/zero > scope/big", Exit::TooMuchDisk),
    (
        "fills the disk by many files",
        "while :; do i=$((i+1)); head -c 100000 /dev/zero > scope/$i; done",
        Exit::TooMuchDisk,
    ),
    (
        "fills the disk by names",
        "mkdir scope/d; while :; do i=$((i+1)); : > scope/d/$i; done",
        Exit::TooMuchDisk,
    ),
    (
        "fills the disk and ends",
        "for i in 1 2 3; do head -c 2M /dev/zero > scope/$i; done; exit 0",
        Exit::TooMuchDisk,
    ),
    (
        "makes files with holes",
        "truncate -s 1T scope/0; for i in 1 2 3; do truncate -s 3M scope/$i; done; exit 0",
        Exit::TooMuchDisk,
    ),
    (
        "fills the disk by files without names",
        "for i in 1 2 3; do (exec 3>scope/$i; rm scope/$i; head -c 2M /dev/zero >&3; sleep 300) & done; wait",
        Exit::TooMuchDisk,
    ),
    ("has many processes", "while :; do sleep 300 & done", Exit::TooManyProcesses),
    // Bounded in itself, should nothing else hold it.
    (
        "multiplies",
        "b() { [ $1 -gt 0 ] && { b $(($1 - 1)) & b $(($1 - 1)) & }; sleep 300; }; b 9",
        Exit::TooManyProcesses,
    ),
    (
        "takes memory together",
        "for i in 1 2 3 4 5; do perl -e '$a = \"x\" x 60_000_000; sleep 300' & done; wait",
        Exit::TooMuchMemory,
    ),
];

fn check(level: SandboxLevel, name: &str, script: &str, how: Option<Exit>) {
    let world = World::new();
    let before = world.outside();
    let mut job = world.job(&format!("{TRY}\n{script}\necho tried"));
    if how == Some(Exit::TimedOut) {
        job.limits.time = Duration::from_millis(500);
    }
    let ended = run(&job, level).unwrap_or_else(|error| panic!("{level}: {name}: {error}"));
    nothing_happened(level, name, &world, &ended);
    assert_eq!(world.outside(), before, "{level}: {name}");
    match how {
        Some(how) => assert_eq!(ended.how, how, "{level}: {name}: {}", text(&ended.stderr.kept)),
        None => assert_eq!(
            (ended.how, text(&ended.stdout.kept).as_str()),
            (Exit::Code(0), "tried\n"),
            "{level}: {name}"
        ),
    }
}

fn nothing_happened(level: SandboxLevel, name: &str, world: &World, ended: &Ended) {
    assert_eq!(world.alive(), Vec::<String>::new(), "{level}: {name}");
    assert!(!world.was_reached(), "{level}: {name}");
    for output in [&ended.stdout, &ended.stderr] {
        assert!(output.kept.len() <= 16 << 10, "{level}: {name}");
        assert!(!text(&output.kept).contains(SECRET), "{level}: {name}");
    }
    for place in ["/etc", "/usr", "/"] {
        assert!(
            !Path::new(place).join("written-by-a-sandbox-test").exists(),
            "{level}: {name}: {place}"
        );
    }
}
