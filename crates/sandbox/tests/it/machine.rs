//! Jobs that attack the machine itself: its kernel, its devices, its other processes, the way out of their
//! namespaces. As whoever runs the tests, and as an ordinary user when that is root.
//!
//! No row harms the machine, even where nothing holds it: files of the kernel are opened and closed, and system
//! calls get arguments that they would refuse after they have asked for permission.

use std::fs;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Command, Stdio};

use sandbox::{Exit, SandboxLevel};

use super::world::{World, need, need_programs, run, text};

/// Where the tests of an ordinary user work.
const PLACE: &str = "SANDBOX_TEST_ORDINARY";
const NOBODY: u32 = 65534;

/// `wopen` and `ropen` open a file and close it. `call` makes a system call and expects that it is refused, not
/// that it fails for another reason. Each says so when it could do more.
const PRELUDE: &str = r#"
try() { if (eval "$1") >/dev/null 2>&1; then echo "did it: $1"; fi; }
wopen() { perl -MFcntl -e 'for (@ARGV) { print "did it: open $_\n" if sysopen(F, $_, O_WRONLY|O_NONBLOCK|O_NOCTTY) }' "$@"; }
ropen() { perl -MFcntl -e 'for (@ARGV) { print "did it: open $_\n" if sysopen(F, $_, O_RDONLY|O_NONBLOCK|O_NOCTTY) }' "$@"; }
call() { perl -MErrno=:POSIX -e '
    my @a = map { /^-?[0-9]+$/ ? $_ + 0 : $_ } @ARGV; my $r = syscall(shift(@a), @a); my $e = $! + 0; $! = $e;
    if ($r != -1) { print "did it: @ARGV = $r\n" }
    elsif (!grep { $e == $_ } EPERM, EACCES, EROFS, ENOSYS, ESRCH, EAFNOSUPPORT, ENOTTY) { print "got as far as: @ARGV: $!\n" }' "$@"; }
"#;

/// Whether a row succeeds where nothing holds it, as root on a usual machine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Control {
    /// It does.
    Succeeds,
    /// It needs what not every machine has, or is not to be tried without a scope.
    Unknown,
}

use Control::{Succeeds, Unknown};

/// Name, script, whether the job has the network, and whether the row succeeds without a scope.
const ROWS: &[(&str, &str, bool, Control)] = &[
    // Sysctls: files of root, whatever capabilities there are.
    ("the name of the machine", "wopen /proc/sys/kernel/hostname", false, Succeeds),
    ("who gets cores", "wopen /proc/sys/kernel/core_pattern", false, Succeeds),
    ("who loads modules", "wopen /proc/sys/kernel/modprobe", false, Unknown),
    ("memory", "wopen /proc/sys/vm/drop_caches /proc/sys/vm/overcommit_memory", false, Succeeds),
    ("files", "wopen /proc/sys/fs/file-max /proc/sys/fs/protected_symlinks", false, Succeeds),
    (
        "the network",
        "wopen /proc/sys/net/core/somaxconn /proc/sys/net/ipv4/ip_forward",
        false,
        Succeeds,
    ),
    (
        "the shared network",
        "wopen /proc/sys/net/core/somaxconn /proc/sys/net/ipv4/ip_forward",
        true,
        Succeeds,
    ),
    ("namespaces", "wopen /proc/sys/user/max_user_namespaces", false, Unknown),
    (
        "every sysctl",
        "find /proc/sys -type f -print0 2>/dev/null | xargs -0 perl -MFcntl -e \
         'for (@ARGV) { print \"did it: $_\\n\" if sysopen(F, $_, O_WRONLY) }'",
        false,
        Succeeds,
    ),
    ("formats of programs", "wopen /proc/sys/fs/binfmt_misc/register", false, Unknown),
    // The rest of /proc.
    ("the magic key", "wopen /proc/sysrq-trigger", false, Unknown),
    ("interrupts", "wopen /proc/irq/default_smp_affinity /proc/irq/1/smp_affinity", false, Unknown),
    ("buses", "wopen /proc/bus/pci/00/00.0 /proc/bus/input/devices", false, Unknown),
    ("drivers", "wopen /proc/mtrr /proc/scsi/scsi /proc/acpi/wakeup", false, Unknown),
    (
        "every file of /proc that is nobody's process",
        "find /proc -path '/proc/[0-9]*' -prune -o -path /proc/sys -prune -o -type f -print0 2>/dev/null | \
         xargs -0 perl -MFcntl -e 'for (@ARGV) { print \"did it: $_\\n\" if sysopen(F, $_, O_WRONLY|O_NONBLOCK) }'",
        false,
        Unknown,
    ),
    (
        "tables of the kernel",
        "ropen /proc/kcore /proc/kmsg /proc/slabinfo /proc/vmallocinfo /proc/timer_list /proc/kpageflags",
        false,
        Succeeds,
    ),
    ("keys", "ropen /proc/keys /proc/key-users", false, Unknown),
    ("memory of its caller", "wopen /proc/$CALLER/mem; ropen /proc/$CALLER/mem", false, Unknown),
    ("memory of the first process", "wopen /proc/1/mem", false, Unknown),
    ("its caller's score", "wopen /proc/$CALLER/oom_score_adj", false, Succeeds),
    (
        "its caller's files",
        "ropen /proc/$CALLER/fd/0 /proc/$CALLER/root/etc/shadow",
        false,
        Unknown,
    ),
    (
        "the first process's root",
        "ropen /proc/1/root/etc/shadow /proc/1/root$ROOT/secret",
        false,
        Unknown,
    ),
    ("its caller's directory", "ropen /proc/$CALLER/cwd/Cargo.toml", false, Unknown),
    ("its own maps of users", "wopen /proc/self/uid_map /proc/self/setgroups", false, Succeeds),
    // /sys.
    (
        "switches of the kernel",
        "wopen /sys/kernel/uevent_helper /sys/kernel/profiling /sys/power/state",
        false,
        Unknown,
    ),
    ("huge pages", "wopen /sys/kernel/mm/transparent_hugepage/enabled", false, Unknown),
    ("parameters of modules", "wopen /sys/module/*/parameters/*", false, Unknown),
    (
        "debugging",
        "ropen /sys/kernel/debug/. /sys/kernel/tracing/.; wopen /sys/kernel/debug/clear_warn_once",
        false,
        Unknown,
    ),
    (
        "control groups",
        "wopen /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs /sys/fs/cgroup/*/tasks",
        false,
        Unknown,
    ),
    ("control groups, new ones", "ropen /sys/fs/cgroup/.", false, Unknown),
    (
        "firmware",
        "ropen /sys/firmware/. /sys/firmware/efi/efivars/. /sys/kernel/security/.",
        false,
        Unknown,
    ),
    // Devices.
    ("disks", "ropen $DISKS", false, Unknown),
    (
        "memory as a device",
        "ropen /dev/mem /dev/port /dev/kvm /dev/fuse /dev/loop-control",
        false,
        Unknown,
    ),
    ("the log of the kernel", "wopen /dev/kmsg; ropen /dev/kmsg", false, Succeeds),
    ("consoles", "wopen /dev/console /dev/tty0 /dev/tty1 /dev/ttyS0 /dev/vcs", false, Unknown),
    (
        "a disk of its own",
        "try 'mknod scope/disk b 254 0'; call {mknodat} -100 scope/disk 24960 65024",
        false,
        Unknown,
    ),
    ("a zero of its own", "try 'mknod scope/zero c 1 5'", false, Succeeds),
    (
        "a disk of its own in memory",
        "for d in /tmp /dev/shm; do try \"mknod $d/disk b 254 0\"; done",
        false,
        Unknown,
    ),
    // Mounts.
    ("mounts", "call {mount} none / regreen-none 0 0", false, Unknown),
    (
        "mounts again, writable",
        "call {mount} none /proc none 36 0; try 'mount -o remount,rw /proc'",
        false,
        Unknown,
    ),
    ("unmounts", "call {umount2} /regreen-none 0; try 'umount /proc'", false, Unknown),
    ("changes roots", "call {pivot_root} /regreen-none /regreen-none", false, Unknown),
    ("chroot", "call {chroot} /; try 'chroot / true'", false, Succeeds),
    (
        "chroot and back out",
        "mkdir scope/jail; try 'chroot scope/jail true'; call {chroot} scope/jail",
        false,
        Succeeds,
    ),
    ("clones a tree of mounts", "call {open_tree} -100 / 1", false, Succeeds),
    ("opens a file system", "call {fsopen} tmpfs 0; call {fsopen} proc 0", false, Succeeds),
    ("picks a file system", "call {fspick} -100 / 0", false, Succeeds),
    ("moves a mount", "call {move_mount} -1 '' -1 '' 0; call {fsmount} -1 0 0", false, Unknown),
    ("changes a mount", "call {mount_setattr} -1 '' 0 '' 0", false, Unknown),
    // Namespaces.
    ("a user namespace", "call {unshare} 268435456; try 'unshare --user true'", false, Succeeds),
    ("a user namespace by clone", "call {clone} 268435473 0 0 0 0", false, Unknown),
    ("a user namespace by clone3", "call {clone3} '' 0", false, Unknown),
    (
        "capabilities again",
        "try 'unshare --user --map-root-user --mount mount -t tmpfs none /usr'",
        false,
        Succeeds,
    ),
    (
        "other namespaces",
        "for f in 131072 33554432 67108864 134217728 536870912 1073741824 128; do call {unshare} $f; done",
        false,
        Succeeds,
    ),
    (
        "its caller's namespaces",
        "call {setns} -1 0; try 'nsenter --target 1 --mount true'",
        false,
        Unknown,
    ),
    (
        "namespaces through files",
        "for n in mnt net pid user; do ropen /proc/$CALLER/ns/$n; done",
        false,
        Succeeds,
    ),
    // Other processes.
    ("traces its caller", "call {ptrace} 16902 $CALLER 0 0", false, Unknown),
    (
        "reads its caller",
        "perl -MErrno=:POSIX -e '$b = q(x) x 8; $l = pack(q(J2), unpack(q(J), pack(q(p), $b)), 8); \
         $r = pack(q(J2), 4096, 8); $n = syscall({process_vm_readv}, $ENV{CALLER} + 0, $l, 1, $r, 1, 0); \
         print qq(did it: $!\n) unless $n == -1 and ($! == EPERM or $! == ESRCH)'",
        false,
        Succeeds,
    ),
    (
        "signals its caller",
        "call {kill} $CALLER 0; call {tgkill} $CALLER $CALLER 0",
        false,
        Succeeds,
    ),
    ("signals the first process", "[ -e /proc/self ] || call {kill} 1 0", false, Unknown),
    (
        "a handle of its caller",
        "perl -e '$p = syscall({pidfd_open}, $ENV{CALLER} + 0, 0); \
         $p >= 0 and syscall({pidfd_getfd}, $p, 0, 0) >= 0 and print qq(did it\n)'",
        false,
        Succeeds,
    ),
    ("compares its caller", "call {kcmp} $CALLER $CALLER 0 0 0", false, Succeeds),
    ("moves its caller's processors", "call {sched_setaffinity} $CALLER 0 ''", false, Unknown),
    ("slows its caller down", "call {setpriority} 0 $CALLER 0", false, Succeeds),
    // The kernel.
    ("loads a module", "call {init_module} '' 0 ''; call {finit_module} -1 '' 0", false, Unknown),
    ("unloads a module", "call {delete_module} regreen_none 2048", false, Unknown),
    ("starts another kernel", "call {kexec_load} 0 0 0 65535", false, Unknown),
    ("restarts the machine", "call {reboot} 0 0 0 0", false, Unknown),
    ("swaps", "call {swapon} /regreen-none 0; call {swapoff} /regreen-none", false, Unknown),
    ("accounts", "call {acct} /regreen-none", false, Unknown),
    ("sets the clock", "call {settimeofday} 0 0; call {clock_settime} 0 0", false, Unknown),
    ("reads the log", "call {syslog} 10 0 0", false, Succeeds),
    ("names the machine", "call {sethostname} '' -1", false, Unknown),
    ("programs in the kernel", "call {bpf} 0 0 0", false, Unknown),
    ("counts events", "call {perf_event_open} 0 0 -1 -1 0", false, Unknown),
    (
        "keyrings",
        "call {keyctl} 0 -3 0; call {add_key} '' '' 0 0 -3; call {request_key} '' '' '' 0",
        false,
        Unknown,
    ),
    ("faults in user space", "call {userfaultfd} 1", false, Succeeds),
    ("rings", "call {io_uring_setup} 0 ''; call {io_uring_enter} -1 0 0 0 0 0", false, Unknown),
    ("files by handle", "call {open_by_handle_at} -1 '' 0", false, Unknown),
    ("watches all files", "call {fanotify_init} 0 0", false, Succeeds),
    ("quotas", "call {quotactl} -1 '' 0 ''", false, Unknown),
    // Privileges.
    (
        "a file that runs as its owner",
        "cp /usr/bin/id scope/id; try 'chmod 4755 scope/id'; try 'chmod 2755 scope/id'; try 'test -u scope/id'",
        false,
        Succeeds,
    ),
    (
        "makes a file that runs as its owner",
        "perl -MFcntl -e 'umask 0; sysopen(F, q(scope/a), O_WRONLY|O_CREAT, 06755)'; try 'test -u scope/a -o -g scope/a'; \
         call {openat} -100 scope/b 65 2541; try 'test -u scope/b -o -g scope/b'; \
         call {mknodat} -100 scope/c 35309 0; try 'test -u scope/c -o -g scope/c'",
        false,
        Succeeds,
    ),
    ("a file that runs as somebody else", "try './as-nobody | grep 65534'", false, Unknown),
    (
        "programs of root",
        "try 'sudo -n true'; try 'su nobody -s /bin/true'; try 'setpriv --reuid 1 true'",
        false,
        Unknown,
    ),
    (
        "capabilities",
        "try 'grep -q \"^Cap[A-Za-z]*:.*[1-9a-f]\" /proc/self/status'",
        false,
        Succeeds,
    ),
    (
        "other owners",
        "perl -e '$) = 1; print qq(did it: group\n) if $) == 1; $> = 1; print qq(did it: user\n) if $> == 1'; \
         call {setgroups} 0 0",
        false,
        Succeeds,
    ),
    (
        "attributes of privilege",
        "try 'setcap cap_sys_admin+ep scope/inside'; try 'chattr +i scope/inside'",
        false,
        Unknown,
    ),
    // Sockets.
    ("raw sockets", "call {socket} 2 3 1; call {socket} 10 3 58", false, Succeeds),
    (
        "raw sockets with the network",
        "call {socket} 2 3 1; call {socket} 10 3 58; call {socket} 17 3 768",
        true,
        Succeeds,
    ),
    ("machines around it", "call {socket} 40 1 0; call {socket} 38 5 0", true, Unknown),
    ("abstract sockets", "abstract", false, Succeeds),
    ("abstract sockets with the network", "abstract", true, Succeeds),
    // What it was started with.
    (
        "inherited files",
        "perl -MPOSIX -e 'for (3..255) { print \"did it: $_\\n\" if defined POSIX::dup($_) }'",
        false,
        Unknown,
    ),
    (
        "a terminal",
        "wopen /dev/tty; ropen /dev/tty; call {ioctl} 0 21522 x; call {ioctl} 1 21532 x",
        false,
        Unknown,
    ),
];

const CALLS: &[(&str, i64)] = &[
    ("acct", libc::SYS_acct),
    ("add_key", libc::SYS_add_key),
    ("bpf", libc::SYS_bpf),
    ("chroot", libc::SYS_chroot),
    ("clock_settime", libc::SYS_clock_settime),
    ("clone", libc::SYS_clone),
    ("clone3", libc::SYS_clone3),
    ("delete_module", libc::SYS_delete_module),
    ("fanotify_init", libc::SYS_fanotify_init),
    ("finit_module", libc::SYS_finit_module),
    ("fsmount", libc::SYS_fsmount),
    ("fsopen", libc::SYS_fsopen),
    ("fspick", libc::SYS_fspick),
    ("init_module", libc::SYS_init_module),
    ("io_uring_enter", libc::SYS_io_uring_enter),
    ("io_uring_setup", libc::SYS_io_uring_setup),
    ("ioctl", libc::SYS_ioctl),
    ("kcmp", libc::SYS_kcmp),
    ("kexec_load", libc::SYS_kexec_load),
    ("keyctl", libc::SYS_keyctl),
    ("kill", libc::SYS_kill),
    ("mknodat", libc::SYS_mknodat),
    ("mount", libc::SYS_mount),
    ("mount_setattr", libc::SYS_mount_setattr),
    ("move_mount", libc::SYS_move_mount),
    ("open_by_handle_at", libc::SYS_open_by_handle_at),
    ("open_tree", libc::SYS_open_tree),
    ("openat", libc::SYS_openat),
    ("perf_event_open", libc::SYS_perf_event_open),
    ("pidfd_getfd", libc::SYS_pidfd_getfd),
    ("pidfd_open", libc::SYS_pidfd_open),
    ("pivot_root", libc::SYS_pivot_root),
    ("process_vm_readv", libc::SYS_process_vm_readv),
    ("ptrace", libc::SYS_ptrace),
    ("quotactl", libc::SYS_quotactl),
    ("reboot", libc::SYS_reboot),
    ("request_key", libc::SYS_request_key),
    ("sched_setaffinity", libc::SYS_sched_setaffinity),
    ("setgroups", libc::SYS_setgroups),
    ("sethostname", libc::SYS_sethostname),
    ("setns", libc::SYS_setns),
    ("setpriority", libc::SYS_setpriority),
    ("settimeofday", libc::SYS_settimeofday),
    ("socket", libc::SYS_socket),
    ("swapoff", libc::SYS_swapoff),
    ("swapon", libc::SYS_swapon),
    ("syslog", libc::SYS_syslog),
    ("tgkill", libc::SYS_tgkill),
    ("umount2", libc::SYS_umount2),
    ("unshare", libc::SYS_unshare),
    ("userfaultfd", libc::SYS_userfaultfd),
];

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
fn landlock_as_an_ordinary_user() {
    as_nobody(SandboxLevel::Landlock, "it::machine::landlock_as_an_ordinary_user");
}

#[cfg(feature = "live")]
#[test]
fn bubblewrap_as_an_ordinary_user() {
    as_nobody(SandboxLevel::Bubblewrap, "it::machine::bubblewrap_as_an_ordinary_user");
}

/// A row that fails anyway would prove nothing about a scope.
#[test]
fn the_same_rows_succeed_without_a_scope() {
    if !rustix::process::getuid().is_root() {
        return;
    }
    for (name, script, network, _) in ROWS.iter().filter(|row| row.3 == Succeeds) {
        let (_, stdout) = attempt(&new_world(), SandboxLevel::Unconfined, script, *network);
        assert!(stdout.contains("did it"), "{name}: {stdout}");
    }
}

/// A caller at a terminal: its job can neither open it nor type into it.
#[test]
fn landlock_keeps_off_the_terminal() {
    at_a_terminal(SandboxLevel::Landlock, "it::machine::landlock_keeps_off_the_terminal");
}

#[cfg(feature = "live")]
#[test]
fn bubblewrap_keeps_off_the_terminal() {
    at_a_terminal(SandboxLevel::Bubblewrap, "it::machine::bubblewrap_keeps_off_the_terminal");
}

fn at_a_terminal(level: SandboxLevel, name: &str) {
    const TERMINAL: &str = "SANDBOX_TEST_TERMINAL";
    need(level);
    if std::env::var_os(TERMINAL).is_some() {
        let terminal = fs::read_link("/proc/self/fd/0").unwrap();
        let terminal = terminal.display();
        let script = format!(
            "wopen /dev/tty {terminal}; ropen /dev/tty {terminal}; call {{ioctl}} 0 21522 x"
        );
        let (_, stdout) = attempt(&World::new(), SandboxLevel::Unconfined, &script, false);
        assert!(stdout.contains("did it: open /dev/tty"), "there is a terminal: {stdout}");
        let (how, stdout) = attempt(&World::new(), level, &script, false);
        assert_eq!((how, stdout.as_str()), (Exit::Code(0), "tried\n"), "{level}");
        return;
    }
    need_programs(&["script"]);
    let program = std::env::current_exe().unwrap();
    let ended = Command::new("script")
        .arg("-qec")
        .arg(format!("'{}' --exact {name} --nocapture", program.display()))
        .arg("/dev/null")
        .env(TERMINAL, "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
}

fn attack(level: SandboxLevel) {
    need(level);
    need_programs(&["find", "perl", "xargs"]);
    let mut escaped = Vec::new();
    for (name, script, network, _) in ROWS {
        let world = new_world();
        let before = world.outside();
        let (how, stdout) = attempt(&world, level, script, *network);
        if (how, stdout.as_str()) != (Exit::Code(0), "tried\n") {
            escaped.push(format!("{name}: {how:?}\n{stdout}"));
        }
        assert_eq!(world.outside(), before, "{level}: {name}");
        assert_eq!(world.alive(), Vec::<String>::new(), "{level}: {name}");
        assert!(!world.was_reached(), "{level}: {name}");
    }
    assert!(escaped.is_empty(), "{level}, {} rows:\n{}", escaped.len(), escaped.join("\n"));
}

fn new_world() -> World {
    let world = match std::env::var_os(PLACE) {
        Some(place) => World::within(Path::new(&place)),
        None => World::new(),
    };
    // With a change of owner to somebody else, which only root can make.
    let program = world.root.join("job/as-nobody");
    fs::copy("/usr/bin/id", &program).unwrap();
    if chown(&program, Some(NOBODY), None).is_ok() {
        fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    }
    if std::env::var_os(PLACE).is_some() {
        // It is the user's own.
        fs::remove_file(&program).unwrap();
    }
    world
}

/// How the job ended, and what it printed.
fn attempt(world: &World, level: SandboxLevel, script: &str, network: bool) -> (Exit, String) {
    let name = format!("regreen-test-{}", world.tag);
    let listener =
        UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let connect = format!(
        "abstract() {{ perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0) or exit; \
         connect(S, sockaddr_un(qq(\\0{name}))) and print qq(did it: connect\\n)'; }}"
    );
    let mut script = format!("{PRELUDE}\n{connect}\n{script}\necho tried");
    for (name, number) in CALLS {
        script = script.replace(&format!("{{{name}}}"), &number.to_string());
    }
    let mut job = world.job(&script);
    job.network = network;
    job.environment.insert("PATH".into(), "/usr/bin:/bin:/usr/sbin:/sbin".into());
    job.environment.insert("LC_ALL".into(), "C".into());
    let disks = fs::read_to_string("/proc/partitions").unwrap_or_default();
    let disks = disks.lines().filter_map(|line| line.split_whitespace().nth(3));
    let disks: Vec<String> = disks.skip(1).map(|name| format!("/dev/{name}")).collect();
    job.environment.insert("DISKS".into(), disks.join(" ").into());
    let ended = run(&job, level).unwrap_or_else(|error| panic!("{level}: {script}: {error}"));
    drop(listener);
    (ended.how, text(&ended.stdout.kept))
}

/// Runs the test a second time as somebody who is not root; as whom it is run otherwise.
fn as_nobody(level: SandboxLevel, name: &str) {
    if std::env::var_os(PLACE).is_some() || !rustix::process::getuid().is_root() {
        return attack(level);
    }
    need_programs(&["setpriv"]);
    // The program and the place must be within reach of everybody.
    let home = tempfile::tempdir_in("/var/tmp").unwrap();
    let (program, place) = (home.path().join("it"), home.path().join("place"));
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    fs::create_dir(&place).unwrap();
    chown(&place, Some(NOBODY), Some(NOBODY)).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let ended = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"])
        .arg(&program)
        .args(["--exact", name, "--nocapture"])
        .env(PLACE, &place)
        .current_dir("/")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
}
