//! Tries a level on this machine: a small program does in it what a hostile one would do, and must fail.
//!
//! What a level holds off depends on the kernel, on how it was built, on the version of `bwrap` and on who asks:
//! root owns files that are the machine itself. So nothing is concluded from a version; each way out is tried.
//! The attempts are such that nothing happens if one succeeds: a file of the machine is opened and closed, a
//! namespace ends with the process that made it, a mount names a file system that does not exist, and what is
//! written, made or changed lies in a private directory that is removed afterwards.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::system;
use crate::{Exit, Job, Limits, SandboxError, SandboxLevel, Tick};

/// Files of the kernel and of devices that a job must not be able to open for writing.
const WRITTEN: &[&str] = &[
    "/proc/acpi/wakeup",
    "/proc/irq/default_smp_affinity",
    "/proc/mtrr",
    "/proc/scsi/scsi",
    "/proc/self/comm",
    "/proc/sys/fs/file-max",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/sysrq",
    "/proc/sys/net/core/somaxconn",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/vm/drop_caches",
    "/proc/sysrq-trigger",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/fs/cgroup/cpu/cgroup.procs",
    "/sys/fs/cgroup/memory/cgroup.procs",
    "/sys/kernel/debug/clear_warn_once",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/profiling",
    "/sys/kernel/uevent_helper",
    "/sys/power/state",
    "/dev/kmsg",
    "/dev/tty",
];

/// Those that it must not be able to open at all, beside the disks.
const READ: &[&str] = &[
    "/dev/fuse",
    "/dev/kmsg",
    "/dev/kvm",
    "/dev/loop-control",
    "/dev/mem",
    "/dev/port",
    "/proc/kcore",
    "/proc/kmsg",
    "/proc/slabinfo",
    "/proc/timer_list",
    "/proc/vmallocinfo",
];

const MOST_DISKS: usize = 8;
const SECRET: &str = "private";
const HELD: i32 = 7;
const USELESS: i32 = 8;

/// Namespaces of its own that a job must have at the level `bubblewrap`.
const NAMESPACES: &[&str] = &["ipc", "mnt", "net", "pid", "user", "uts"];

/// Prints a line for everything that it could do. Its arguments are files to open: `w` and `r` say how, and `n`
/// is a namespace with the name that it has outside.
const SCRIPT: &str = r#"
(: >"$SCOPE/file") 2>/dev/null || exit 8
did() { printf '%s\n' "$1"; }
attempt() { what=$1; shift; if ("$@") >/dev/null 2>&1; then did "$what"; fi; }
for it; do
    path=${it#?}
    case $it in
    w*) if (: >>"$path") 2>/dev/null; then did "open $path for writing"; fi ;;
    r*) if (: <"$path") 2>/dev/null; then did "open $path"; fi ;;
    n*) if [ "$(readlink "/proc/self/ns/${path%%:*}" 2>&1)" = "$path" ]; then did "see the namespace $path"; fi ;;
    esac
done
(echo changed >>"$OUTSIDE") 2>/dev/null
case $(cat "$OUTSIDE" 2>/dev/null) in *private*) did 'read a file outside of its scope' ;; esac
case $(mount -i -t regreen-probe none "$SCOPE" 2>&1) in *unknown*) did 'mount file systems' ;; esac
attempt 'make a user namespace' unshare --user true
attempt 'make a mount namespace' unshare --mount true
attempt 'change its root directory' chroot / true
attempt 'become another user' setpriv --reuid 1 --clear-groups true
attempt 'make a device' mknod "$SCOPE/device" c 1 3
attempt 'make a file that runs as its owner' chmod 4755 "$SCOPE/file"
if [ "$LEVEL" = bubblewrap ]; then
    seen=
    while read -r name value rest; do
        case $name in
        Cap*) case $value in *[!0]*) did "keep capabilities ($name $value)" ;; esac ;;
        NoNewPrivs:) seen=x$seen; if [ "$value" != 1 ]; then did 'gain privileges'; fi ;;
        Seccomp:) seen=x$seen; if [ "$value" != 2 ]; then did 'make every system call'; fi ;;
        esac
    done </proc/self/status
    if [ "$seen" != xx ]; then did 'hide what it may do'; fi
else
    attempt 'signal its caller' kill -0 "$CALLER"
fi
exit 7
"#;

/// Whether the level works on this machine and holds.
pub(crate) fn probe(level: SandboxLevel) -> Result<(), SandboxError> {
    if level == SandboxLevel::Unconfined {
        return Ok(());
    }
    match attempt(level)? {
        leaks if leaks.is_empty() => Ok(()),
        leaks => Err(SandboxError::Leaks { level, what: leaks }),
    }
}

/// What a program can do at the level that it must not, in words.
fn attempt(level: SandboxLevel) -> Result<Vec<String>, SandboxError> {
    let place = ProbeFile::new()
        .map_err(|error| system("make a directory to try the sandbox in", error))?;
    let ended = crate::run(&place.job(level), level, &mut || Tick::Continue)?;
    let unavailable = |reason: String| Err(SandboxError::Unavailable { level, reason });
    match ended.how {
        Exit::Code(HELD) => {}
        Exit::Code(USELESS) => {
            return unavailable("a program in it cannot write its scope".to_owned());
        }
        how => {
            let said = String::from_utf8_lossy(&ended.stderr.kept).trim().to_owned();
            return unavailable(if said.is_empty() { format!("{how:?}") } else { said });
        }
    }
    let stdout = String::from_utf8_lossy(&ended.stdout.kept);
    let mut leaks: Vec<String> = stdout.lines().map(str::to_owned).collect();
    if fs::read(place.outside()).ok().as_deref() != Some(SECRET.as_bytes()) {
        leaks.push("write a file outside of its scope".to_owned());
    }
    Ok(leaks)
}

/// A private directory, removed when it goes out of use.
struct ProbeFile(PathBuf);

impl ProbeFile {
    fn new() -> io::Result<ProbeFile> {
        let mut failed = None;
        for above in [std::env::temp_dir(), "/var/tmp".into(), "/dev/shm".into()] {
            match ProbeFile::within(&above) {
                Ok(place) => return Ok(place),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(failed.unwrap_or_else(|| io::ErrorKind::NotFound.into()))
    }

    fn within(above: &Path) -> io::Result<ProbeFile> {
        let above = fs::canonicalize(above)?;
        let process = std::process::id();
        let mut private = DirBuilder::new();
        private.mode(0o700);
        for number in 0..1000 {
            let place = above.join(format!("regreen-probe-{process}-{number}"));
            match private.create(&place) {
                Ok(()) => {
                    let place = ProbeFile(place);
                    fs::write(place.outside(), SECRET)?;
                    private.create(place.scope())?;
                    return Ok(place);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    fn outside(&self) -> PathBuf {
        self.0.join("outside")
    }

    fn scope(&self) -> PathBuf {
        self.0.join("scope")
    }

    fn job(&self, level: SandboxLevel) -> Job {
        let mut args: Vec<OsString> = vec!["-c".into(), SCRIPT.into(), "sh".into()];
        args.extend(WRITTEN.iter().map(|path| format!("w{path}").into()));
        args.extend(READ.iter().map(|path| format!("r{path}").into()));
        args.extend(disks().iter().map(|path| format!("r{}", path.display()).into()));
        if level == SandboxLevel::Bubblewrap {
            let outside = |name| fs::read_link(Path::new("/proc/self/ns").join(name)).ok();
            let names = NAMESPACES.iter().filter_map(outside);
            args.extend(names.map(|name| format!("n{}", name.display()).into()));
        }
        let environment: [(&str, OsString); 6] = [
            ("PATH", "/usr/bin:/bin:/usr/sbin:/sbin".into()),
            ("LC_ALL", "C".into()),
            ("LEVEL", level.name().into()),
            ("CALLER", std::process::id().to_string().into()),
            ("SCOPE", self.scope().into()),
            ("OUTSIDE", self.outside().into()),
        ];
        Job {
            program: "/bin/sh".into(),
            args,
            directory: self.scope(),
            writable: vec![self.scope()],
            readable: Vec::new(),
            overlay: None,
            environment: BTreeMap::from(environment.map(|(name, value)| (name.into(), value))),
            stdin: Vec::new(),
            network: false,
            limits: Limits {
                time: Duration::from_secs(20),
                memory: 256 << 20,
                output: 16 << 10,
                output_total: 1 << 20,
                disk: 1 << 20,
                processes: 64,
            },
        }
    }
}

impl Drop for ProbeFile {
    fn drop(&mut self) {
        // What cannot be removed is empty or small, and private.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Some of the machine's disks.
fn disks() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir("/dev") else { return Vec::new() };
    let is_disk = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_block_device());
    let mut disks: Vec<PathBuf> =
        entries.flatten().filter(is_disk).map(|entry| entry.path()).collect();
    // Those that hold something come after the loops.
    disks.sort_by(|a, b| b.cmp(a));
    disks.truncate(MOST_DISKS);
    disks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An attempt that fails anyway would say nothing about a level.
    #[test]
    fn what_is_tried_succeeds_where_nothing_holds() {
        let leaks = attempt(SandboxLevel::Unconfined).unwrap();
        let mut expected = vec![
            "open /proc/self/comm for writing",
            "read a file outside of its scope",
            "make a file that runs as its owner",
            "signal its caller",
            "write a file outside of its scope",
        ];
        if rustix::process::getuid().is_root() {
            expected.extend([
                "open /proc/sys/kernel/core_pattern for writing",
                "open /proc/sys/kernel/hostname for writing",
                "mount file systems",
                "make a user namespace",
                "make a mount namespace",
                "change its root directory",
                "become another user",
                "make a device",
            ]);
        }
        for what in expected {
            assert!(leaks.iter().any(|leak| leak == what), "{what}: {leaks:#?}");
        }
    }

    /// A user namespace and no capabilities: what the level was before sysctls were covered.
    #[cfg(feature = "live")]
    #[test]
    fn namespaces_alone_do_not_hold() {
        let place = ProbeFile::new().unwrap();
        let job = place.job(SandboxLevel::Bubblewrap);
        let said = std::process::Command::new("/usr/bin/bwrap")
            .args(["--unshare-all", "--new-session", "--cap-drop", "ALL", "--ro-bind", "/", "/"])
            .args(["--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev", "--bind"])
            .args([place.scope(), place.scope()])
            .arg(&job.program)
            .args(&job.args)
            .env_clear()
            .envs(&job.environment)
            .output()
            .unwrap();
        let leaks = String::from_utf8_lossy(&said.stdout).into_owned();
        assert_eq!(said.status.code(), Some(HELD), "{}", String::from_utf8_lossy(&said.stderr));
        assert!(leaks.contains("make a user namespace\n"), "{leaks}");
        assert!(leaks.contains("make every system call\n"), "{leaks}");
        let sysctl = leaks.contains("open /proc/sys/kernel/core_pattern for writing\n");
        assert_eq!(sysctl, rustix::process::getuid().is_root(), "{leaks}");
    }

    #[test]
    fn a_place_is_private_and_leaves_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let place = ProbeFile::new().unwrap();
        assert_eq!(fs::metadata(&place.0).unwrap().permissions().mode() & 0o777, 0o700);
        let path = place.0.clone();
        drop(place);
        assert!(!path.exists());
    }
}
