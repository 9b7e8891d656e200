//! A job that is running, and how nothing of it stays alive.

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal};

use super::processes::{self, HIGHEST, ProcessMark};
use super::system;
use crate::{Limits, SandboxError};

// A killed process needs time only to leave the kernel.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(2);

// What a job can start in the time between two looks at it.
const RUNAWAY: u64 = 1024;

/// The process inside of a Landlock domain that kills the rest of it. Dropping it makes it do so.
pub(crate) struct Killer {
    child: Child,
    pid: Pid,
    input: Option<ChildStdin>,
}

impl Killer {
    pub(crate) fn new(mut child: Child) -> Result<Killer, SandboxError> {
        let pid = pid(&child)?;
        let input = child.stdin.take();
        Ok(Killer { child, pid, input })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }
}

impl Drop for Killer {
    fn drop(&mut self) {
        drop(self.input.take());
        // It has nothing else to do than to kill and to end.
        let _ = self.child.wait();
    }
}

/// A job whose first process exists. Dropping it kills all of its processes.
pub(crate) struct Running {
    pub(crate) first: Child,
    /// What the first process must be told before the program begins; what is the program's comes after.
    pub(crate) lines: Vec<u8>,
    pid: Pid,
    killer: Option<Killer>,
    /// A file that the first process opens by its number in this one.
    _opened: Option<OwnedFd>,
    mark: ProcessMark,
    ended: Option<ExitStatus>,
}

impl Running {
    pub(crate) fn new(
        first: Child,
        lines: Vec<u8>,
        killer: Option<Killer>,
        opened: Option<OwnedFd>,
    ) -> Result<Running, SandboxError> {
        let pid = pid(&first)?;
        let mark = ProcessMark::of(pid);
        Ok(Running { first, lines, pid, killer, _opened: opened, mark, ended: None })
    }

    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    pub(crate) fn mark(&self) -> ProcessMark {
        self.mark
    }

    /// Sets the limits that the kernel keeps, on a first process that has not yet begun.
    pub(crate) fn limit(&self, limits: &Limits) -> Result<(), SandboxError> {
        // More than the watch allows, so that it is the watch which ends the job: this only keeps a job that
        // multiplies from being faster. The kernel counts all that the user has, and does not hold root to
        // it.
        let threads =
            processes::threads_of_user().map_err(|error| system("list processes", error))?;
        let wanted = [
            (
                Resource::Nproc,
                threads.saturating_add(u64::from(limits.processes)).saturating_add(RUNAWAY),
            ),
            (Resource::Rttime, self.mark.limit()),
            (Resource::Core, 0),
            (Resource::Data, limits.memory),
            // One byte more than what is allowed, so that a file which reaches it is too much and not just
            // enough.
            (Resource::Fsize, limits.disk.saturating_add(1)),
        ];
        for (resource, most) in wanted {
            // What this process may not exceed, it cannot grant.
            let most =
                rustix::process::getrlimit(resource).maximum.map_or(most, |own| own.min(most));
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            rustix::process::prlimit(Some(self.pid), resource, limit)
                .map_err(|error| system("limit the job", error))?;
            if resource == Resource::Rttime && most != self.mark.limit() {
                return Err(system(
                    "mark the job",
                    io::Error::other("the limit on real-time CPU time is in use"),
                ));
            }
        }
        Ok(())
    }

    /// Lets the calling thread, and whoever is to end the job, go before the job when all want to run. Where
    /// it is not allowed to, the kernel's limit on processes holds; root, who has no such limit, is always
    /// allowed to.
    pub(crate) fn go_before(&self) -> Precedence {
        let before = rustix::process::getpriority_process(None).unwrap_or_default();
        let _ = rustix::process::setpriority_process(None, HIGHEST);
        if let Some(killer) = &self.killer {
            let _ = rustix::process::setpriority_process(Some(killer.pid), HIGHEST);
        }
        Precedence { before }
    }

    /// Kills every process of the job and waits until none is alive. Returns how the first one ended.
    pub(crate) fn kill(&mut self) -> Result<ExitStatus, SandboxError> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        drop(self.killer.take());
        // The first process is not reaped before the others are gone: its number names the group and makes
        // the mark.
        let _ = rustix::process::kill_process_group(self.pid, Signal::KILL);
        let since = Instant::now();
        loop {
            let count =
                processes::kill_all(self.mark).map_err(|error| system("list processes", error))?;
            if count == 0 {
                break;
            }
            if since.elapsed() > PATIENCE {
                return Err(SandboxError::Lingering { count });
            }
            sleep(PAUSE);
        }
        let status = self.first.wait().map_err(|error| system("wait for the job", error))?;
        self.ended = Some(status);
        Ok(status)
    }
}

/// A thread that goes before others until this is dropped.
pub(crate) struct Precedence {
    before: i32,
}

impl Drop for Precedence {
    fn drop(&mut self) {
        let _ = rustix::process::setpriority_process(None, self.before);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After a kill that went well there is nothing left; after one that did not, nothing more can be
        // done.
        let _ = self.kill();
    }
}

fn pid(child: &Child) -> Result<Pid, SandboxError> {
    let raw = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    raw.ok_or_else(|| system("start the job", io::Error::other("a process without a number")))
}
