//! The processes of a job, found by a mark that they inherit and cannot take off.
//!
//! The mark is the hard limit on real-time CPU time, set to a number that no other job has. Jobs are not
//! scheduled in real time, so it limits nothing; every process inherits it; the filter refuses to change it.
//! Parents, groups and sessions are no such mark: a process leaves them when it likes.

use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, PidfdFlags, Signal};

// Far above what anybody sets, so that a limit which is a mark cannot be taken for a real one.
const FIRST_MARK: u64 = 1 << 52;

/// The priority of what must not wait for a job that wants all of the machine.
pub(crate) const HIGHEST: i32 = -20;

/// The number that marks the processes of one job. As long as the process that it is made from is not reaped,
/// no other job has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProcessMark(u64);

impl ProcessMark {
    pub(crate) fn of(first: Pid) -> ProcessMark {
        ProcessMark(FIRST_MARK + u64::from(first.as_raw_nonzero().get().unsigned_abs()))
    }

    pub(crate) fn limit(self) -> u64 {
        self.0
    }
}

/// What the processes of a job use together.
#[derive(Default)]
pub(crate) struct Usage {
    /// Processes and threads.
    pub(crate) threads: u64,
    /// Bytes in memory; what several share is counted for each of them.
    pub(crate) resident: u64,
    pub(crate) members: Vec<Pid>,
}

/// The living processes that carry the mark: all, or as many as have more than `enough` threads. A process
/// that has ended and waits for its parent is not alive.
pub(crate) fn usage(mark: ProcessMark, enough: u64) -> io::Result<Usage> {
    let page = rustix::param::page_size() as u64;
    let mut usage = Usage::default();
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = number(&entry?) else { continue };
        if usage.threads > enough {
            break;
        }
        if !carries(pid, mark) {
            continue;
        }
        let Some((threads, pages)) = living(pid) else { continue };
        usage.threads += threads;
        usage.resident += pages.saturating_mul(page);
        usage.members.push(pid);
    }
    Ok(usage)
}

/// Threads of all processes of the user who runs this one.
pub(crate) fn threads_of_user() -> io::Result<u64> {
    let user = rustix::process::getuid().as_raw();
    let mut threads = 0;
    for entry in fs::read_dir("/proc")? {
        let entry = entry?;
        let Some(pid) = number(&entry) else { continue };
        if entry.metadata().is_ok_and(|about| about.uid() == user) {
            threads += living(pid).map_or(1, |(threads, _)| threads);
        }
    }
    Ok(threads)
}

/// Bytes in memory with what is shared divided among those who share it: dear to ask for, so only asked in
/// doubt. Of a process that does not let itself be asked, all that it holds.
pub(crate) fn proportional(members: &[Pid]) -> u64 {
    let page = rustix::param::page_size() as u64;
    let asked = |pid: Pid| {
        let text = fs::read_to_string(place(pid).join("smaps_rollup")).ok()?;
        let line = text.lines().find(|line| line.starts_with("Pss:"))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes.saturating_mul(1024))
    };
    let held = |pid: Pid| living(pid).map_or(0, |(_, pages)| pages.saturating_mul(page));
    members.iter().map(|pid| asked(*pid).unwrap_or_else(|| held(*pid))).sum()
}

/// Kills every living process that carries the mark, and says how many there were. Each is killed as soon as it
/// is seen, and then goes before others: the one that ends a whole namespace is among the first.
pub(crate) fn kill_all(mark: ProcessMark) -> io::Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = number(&entry?) else { continue };
        // Opened before it is looked at, so that the signal goes to the one which was looked at.
        let Ok(process) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { continue };
        if !carries(pid, mark) || living(pid).is_none() {
            continue;
        }
        count += 1;
        // It may have ended by itself.
        let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
        let _ = rustix::process::setpriority_process(Some(pid), HIGHEST);
    }
    Ok(count)
}

/// Where the kernel tells about the process.
pub(crate) fn place(pid: Pid) -> PathBuf {
    Path::new("/proc").join(pid.as_raw_nonzero().to_string())
}

fn number(entry: &DirEntry) -> Option<Pid> {
    entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw)
}

fn carries(pid: Pid, mark: ProcessMark) -> bool {
    let Ok(limits) = fs::read_to_string(place(pid).join("limits")) else { return false };
    let line = limits.lines().find_map(|line| line.strip_prefix("Max realtime timeout"));
    line.and_then(|line| line.split_whitespace().nth(1)).and_then(|hard| hard.parse().ok())
        == Some(mark.0)
}

/// Threads and resident pages; nothing if it has ended.
fn living(pid: Pid) -> Option<(u64, u64)> {
    let stat = fs::read(place(pid).join("stat")).ok()?;
    // The name stands in brackets and may hold anything, brackets too.
    let after_name = stat.iter().rposition(|byte| *byte == b')')?;
    let text = str::from_utf8(stat.get(after_name + 1..)?).ok()?;
    let fields: Vec<&str> = text.split_whitespace().collect();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    Some((fields.get(17)?.parse().ok()?, fields.get(21)?.parse().unwrap_or(0)))
}
