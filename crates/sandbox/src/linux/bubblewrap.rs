//! The command line of `bwrap`: a file system built from a list, and namespaces of everything else.
//!
//! The job's program is a child of a shell that is process 1 of its own process namespace. When that shell
//! ends or is killed, the kernel ends the whole namespace before anybody is told, so nothing has to be
//! searched for.
//!
//! A user namespace takes capabilities away, not identity: whoever is root outside still is the owner of every
//! file of root, whatever number `--uid` shows inside. Sysctls, interrupts and tables of the kernel are such
//! files, and `bwrap` covers those directories of `/proc` only that can be written themselves, which `/proc/sys`
//! cannot. So the whole of `/proc` is read-only, and what only root can read there is not there.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::scope::{SYSTEM, Scope};
use super::start::OBEY;
use crate::{Overlay, SandboxError, SandboxLevel};

/// Where the program is looked for; what `PATH` says must not decide what confines.
const PLACES: &[&str] =
    &["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// Files of `/proc` that show the kernel itself, to root by ownership alone. They are covered by a device on a
/// file system without devices, which nobody can open.
const HIDDEN_FILES: &[&str] = &[
    "/proc/buddyinfo",
    "/proc/iomem",
    "/proc/ioports",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/key-users",
    "/proc/keys",
    "/proc/kmsg",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/latency_stats",
    "/proc/mtrr",
    "/proc/pagetypeinfo",
    "/proc/sched_debug",
    "/proc/slabinfo",
    "/proc/sysrq-trigger",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/proc/vmallocinfo",
    "/proc/zoneinfo",
];
/// Directories of `/proc` that belong to drivers.
const HIDDEN_DIRECTORIES: &[&str] = &["/proc/acpi", "/proc/asound", "/proc/driver", "/proc/scsi"];

/// The descriptor with the filter of system calls that holds inside.
pub(crate) const FILTER: &str = "3";

/// Covers a directory before `bwrap` shows it. Paths that could hold commas and colons are not named in the options: the
/// directory is the current one, and what lies over it is in an open file.
const COVER: &str = r#"cd "$2" && exec 8<"$1" && "$4" -n -i -t overlay overlay -o "$3" "$2" || { echo "$0" >&2; exit 125; }
exec 8<&-; shift 4; exec "$@""#;
/// What is said when that fails.
pub(crate) const NOT_COVERED: &str = "regreen: the overlay could not be mounted";

/// What stands at one place of the job's file system.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mount {
    Readable,
    Writable,
    Processes,
    Devices,
    Memory,
    /// Nothing that could be opened, in place of a file.
    Nothing,
    /// An empty directory, in place of another one.
    Empty,
}

pub(crate) fn installed() -> Option<PathBuf> {
    PLACES.iter().map(PathBuf::from).find(|place| place.is_file())
}

/// The command that makes the namespaces, and in them a shell that waits for the line with the job's command.
pub(crate) fn command(bwrap: &Path, scope: &Scope<'_>) -> Result<Vec<OsString>, SandboxError> {
    let mut command: Vec<OsString> = match &scope.job.overlay {
        Some(overlay) => cover(overlay, scope.writable.contains(&overlay.directory))?,
        None => Vec::new(),
    };
    let as_oneself = !command.is_empty() && !mounts_as_root();
    command.push(bwrap.into());
    let mut add = |words: &[&str]| command.extend(words.iter().map(OsString::from));
    add(&[
        "--unshare-user",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ]);
    if !scope.job.network {
        add(&["--unshare-net"]);
    }
    add(&["--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    add(&["--seccomp", FILTER]);
    if as_oneself {
        let (user, group) = (rustix::process::getuid(), rustix::process::getgid());
        add(&["--uid", &user.as_raw().to_string(), "--gid", &group.as_raw().to_string()]);
    }
    let size = scope.job.limits.disk.clamp(4096, 1 << 50).to_string();
    for (place, mount) in mounts(scope) {
        let place = place.into_os_string();
        match mount {
            Mount::Readable => command.extend(["--ro-bind".into(), place.clone(), place]),
            Mount::Writable => command.extend(["--bind".into(), place.clone(), place]),
            Mount::Processes => command.extend(["--proc".into(), place]),
            Mount::Devices => command.extend(["--dev".into(), place]),
            Mount::Memory => {
                command.extend(["--size".into(), size.clone().into(), "--tmpfs".into(), place])
            }
            Mount::Nothing => command.extend(["--ro-bind".into(), "/dev/null".into(), place]),
            Mount::Empty => command.extend([
                "--size".into(),
                "4096".into(),
                "--tmpfs".into(),
                place.clone(),
                "--remount-ro".into(),
                place,
            ]),
        }
    }
    // What `bwrap` makes to hang the mounts into is memory that the job could fill.
    let mut add = |words: &[&str]| command.extend(words.iter().map(OsString::from));
    add(&["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir"]);
    command.push(scope.directory.clone().into());
    // The shell's own words about a program that a signal ended must not come between what the program says.
    let first = format!(
        "IFS= read -r line || exit 125; exec 9>&2 2>/dev/null; ({OBEY} 2>&9 9>&-); exit $?"
    );
    command.extend(["--", "/bin/sh", "-c", &first].map(OsString::from));
    Ok(command)
}

/// The beginning of a command that covers a directory in a mount namespace of its own.
fn cover(overlay: &Overlay, is_writable: bool) -> Result<Vec<OsString>, SandboxError> {
    let program = |name: &'static str| {
        let places = ["/usr/bin", "/bin", "/run/current-system/sw/bin"];
        let found = places.iter().map(|place| Path::new(place).join(name)).find(|it| it.is_file());
        found.ok_or_else(|| SandboxError::Unavailable {
            level: SandboxLevel::Bubblewrap,
            reason: format!("the program {name} is needed for an overlay and is not installed"),
        })
    };
    // `userxattr` also switches off what would leave a file's bytes elsewhere than in the layer that has it.
    let mut options = "lowerdir=/proc/self/fd/8/layer:.,userxattr,index=off,xino=off".to_owned();
    options += match is_writable {
        true => ",upperdir=/proc/self/fd/8/upper,workdir=/proc/self/fd/8/work",
        false => ",ro",
    };
    let mut command = vec![program("unshare")?.into_os_string()];
    if !mounts_as_root() {
        command.extend(["--user", "--map-root-user"].map(OsString::from));
    }
    command.extend(["--mount", "--", "/bin/sh", "-c", COVER, NOT_COVERED].map(OsString::from));
    command.extend([overlay.place.clone().into(), overlay.directory.clone().into()]);
    command.extend([options.into(), program("mount")?.into()]);
    Ok(command)
}

/// Whether mounts can be made without a user namespace, in which the files of others could not be copied.
fn mounts_as_root() -> bool {
    rustix::thread::capabilities(None)
        .is_ok_and(|sets| sets.effective.contains(rustix::thread::CapabilitySet::SYS_ADMIN))
}

/// Every mount by its place: sorted, so that what holds another one comes before it.
fn mounts(scope: &Scope<'_>) -> BTreeMap<PathBuf, Mount> {
    let within_writable =
        |path: &Path| scope.writable.iter().any(|writable| path.starts_with(writable));
    let mut mounts: BTreeMap<PathBuf, Mount> = BTreeMap::new();
    mounts.insert("/tmp".into(), Mount::Memory);
    let system = SYSTEM.iter().map(PathBuf::from).filter(|path| path.exists());
    for path in system.chain(scope.readable.iter().cloned()).chain([scope.directory.clone()]) {
        if !within_writable(&path) {
            mounts.insert(path, Mount::Readable);
        }
    }
    for path in &scope.writable {
        mounts.insert(path.clone(), Mount::Writable);
    }
    mounts.insert("/proc".into(), Mount::Processes);
    for (places, mount) in [(HIDDEN_FILES, Mount::Nothing), (HIDDEN_DIRECTORIES, Mount::Empty)] {
        let present = places.iter().map(PathBuf::from).filter(|place| place.exists());
        mounts.extend(present.map(|place| (place, mount)));
    }
    mounts.insert("/dev".into(), Mount::Devices);
    mounts.entry("/dev/shm".into()).or_insert(Mount::Memory);
    // A mount that the one above it already shows is needless, and one on a symbolic link inside of it cannot
    // be made.
    let places: Vec<(PathBuf, Mount)> =
        mounts.iter().map(|(place, mount)| (place.clone(), *mount)).collect();
    mounts.retain(|place, mount| {
        let above = places.iter().filter(|(other, _)| place != other && place.starts_with(other));
        let nearest = above.max_by_key(|(other, _)| other.as_os_str().len());
        *mount != Mount::Readable || nearest.is_none_or(|(_, above)| *above != Mount::Readable)
    });
    mounts
}
