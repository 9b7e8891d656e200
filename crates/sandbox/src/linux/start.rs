//! Starts a job from a thread that is given up for it, so that it is confined from its first instruction on.
//!
//! ```text
//! confined thread ─┬─ killer (Landlock only): waits for the end of its input, then kills the whole domain
//!                  └─ gate: waits for a line, becomes the program; or `bwrap`, which waits for another line
//! ```
//! The command with the environment travels in that line: the arguments of a process are for everybody to
//! read, and variables hold keys. They must not be the environment of what runs before the program either: a
//! loader or a shell would obey them outside of the scope.
//!
//! Limits of resources belong to processes and not to threads. So they are set on the gate while it waits,
//! and there is no moment at which the program runs without them. When the caller dies instead, the gate
//! reads the end of its input and ends.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::fs::{MemfdFlags, SealFlags};

use super::running::{Killer, Running};
use super::scope::Scope;
use super::{bubblewrap, confine, filter, system};
use crate::{SandboxError, SandboxLevel};

const SHELL: &str = "/bin/sh";
// Closes the descriptors with two digits too, which a plain shell cannot.
const BASH: &[&str] = &["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

// A domain of Landlock sends signals only into itself, so "everybody" is everybody in the job, wherever they
// hide. Whoever can reach the caller is in no domain, and must not say this.
const KILLER: &str = "kill -0 $PPID 2>/dev/null && exit 1; read -r line; kill -KILL -1";

/// What a shell does with a line that [`line`] made.
pub(crate) const OBEY: &str = r#"n='
'; eval "exec $line""#;

/// Confines the calling thread and starts the gate from it.
pub(crate) fn start(scope: &Scope<'_>, level: SandboxLevel) -> Result<Running, SandboxError> {
    // Asked before the thread loses sight of `/proc`.
    let inherited = inherited().map_err(|error| system("list open files", error))?;
    let mut killer = None;
    let mut gate: Vec<OsString> = Vec::new();
    let mut lines = Vec::new();
    let mut opens = String::new();
    // Open until the gate was spawned, and at the level `bubblewrap` until the job has ended.
    let mut within = None;
    if scope.job.overlay.is_some() && level != SandboxLevel::Bubblewrap {
        let reason = "it cannot cover a directory".to_owned();
        return Err(SandboxError::Unavailable { level, reason });
    }
    match level {
        SandboxLevel::Bubblewrap => {
            let bwrap = bubblewrap::installed().ok_or_else(|| SandboxError::Unavailable {
                level,
                reason: "the program bwrap is not installed".to_owned(),
            })?;
            confine::abstract_sockets();
            let filter = within.insert(in_memory(&filter::to_bytes(&filter::within()?))?);
            opens = open_from_gate(filter, bubblewrap::FILTER);
            filter::apply(&filter::common()?)?;
            gate = bubblewrap::command(&bwrap, scope)?;
            // One to begin, and the command for the shell inside.
            lines.push(b'\n');
        }
        SandboxLevel::Landlock => {
            confine::drop_capabilities()?;
            confine::landlock(scope)?;
            let ready = Killer::new(spawn_killer()?)?;
            let knows = filter::Knows {
                killer: ready.pid(),
                network: scope.job.network,
                modes: !rustix::process::getuid().is_root() && scope.reads_only_its_own(),
            };
            killer = Some(ready);
            filter::apply(&filter::common()?)?;
            filter::apply(&[filter::within()?])?;
            filter::apply(&filter::alone(&knows)?)?;
        }
        SandboxLevel::Unconfined => {}
    }
    lines.extend(line(&scope.command()));
    Running::new(spawn_gate(&gate, &scope.directory, &inherited, &opens)?, lines, killer, within)
}

/// The bytes as a file without a name that nobody can change.
fn in_memory(bytes: &[u8]) -> Result<OwnedFd, SandboxError> {
    let failed = |error: io::Error| system("hand over a filter of system calls", error);
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = rustix::fs::memfd_create("filter", flags).map_err(|error| failed(error.into()))?;
    let mut file = fs::File::from(file);
    file.write_all(bytes).map_err(failed)?;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    rustix::fs::fcntl_add_seals(&file, seals).map_err(|error| failed(error.into()))?;
    Ok(file.into())
}

/// What a shell does to open a file of this process by a number of its own. It is not inherited: whatever else
/// this process starts at the same moment would inherit it too. The name is that of the calling thread, because
/// a process in a domain of Landlock sees only those that are in it.
fn open_from_gate(file: &OwnedFd, number: &str) -> String {
    let (process, thread) = (rustix::process::getpid(), rustix::thread::gettid());
    format!("exec {number}</proc/{process}/task/{thread}/fd/{}; ", file.as_raw_fd())
}

fn spawn_killer() -> Result<Child, SandboxError> {
    Command::new(SHELL)
        .args(["-c", KILLER])
        .env_clear()
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| system("start the process that ends the job", error))
}

fn spawn_gate(
    command: &[OsString],
    directory: &Path,
    inherited: &[u32],
    opens: &str,
) -> Result<Child, SandboxError> {
    let shell = if inherited.iter().all(|number| *number <= 9) {
        SHELL
    } else {
        let found = BASH.iter().find(|place| Path::new(place).is_file());
        found.ok_or_else(|| {
            system("close inherited files", io::Error::other("bash is needed for it"))
        })?
    };
    let closes: String = inherited.iter().map(|number| format!("exec {number}<&-; ")).collect();
    Command::new(shell)
        .arg("-c")
        .arg(format!(
            r#"{closes}{opens}IFS= read -r line || exit 125; [ $# = 0 ] || exec "$@"; {OBEY}"#
        ))
        .arg("sh")
        .args(command)
        .env_clear()
        .current_dir(directory)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| system("start the job", error))
}

/// The words as one line for a shell, each of them quoted.
fn line(words: &[OsString]) -> Vec<u8> {
    let mut line = Vec::new();
    for word in words {
        line.push(b'\'');
        for byte in word.as_bytes() {
            match byte {
                b'\'' => line.extend_from_slice(br"'\''"),
                b'\n' => line.extend_from_slice(br#"'"$n"'"#),
                other => line.push(*other),
            }
        }
        line.extend_from_slice(b"' ");
    }
    line.push(b'\n');
    line
}

/// Numbers of the open files that a program would inherit: what this process itself was started with.
fn inherited() -> io::Result<Vec<u32>> {
    const CLOSE_ON_EXEC: u32 = 0o2_000_000;
    let mut numbers = Vec::new();
    for entry in fs::read_dir("/proc/self/fdinfo")? {
        let entry = entry?;
        let Some(number) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        // One that is closed in the meantime, like that of this listing, is not inherited.
        let Ok(text) = fs::read_to_string(entry.path()) else { continue };
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        if number > 2 && flags.is_some_and(|flags| flags & CLOSE_ON_EXEC == 0) {
            numbers.push(number);
        }
    }
    numbers.sort_unstable();
    Ok(numbers)
}
