//! Watches a running job: moves its streams, looks at its limits, asks the caller, and says how it ended.
//!
//! One thread does all of it by waiting for whichever file is ready, so a process that holds a stream open
//! after the end can keep nobody waiting.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags};

use super::running::Running;
use super::scope::Scope;
use super::{disk, processes, system};
use crate::{Ended, Exit, Job, SandboxError, SandboxLevel, StreamOutput, Tick};

const LOOK: Duration = Duration::from_millis(50);
const TICK: Duration = Duration::from_millis(50);
// Looking may cost this part of the time at most, however big the tree is.
const LOOK_SHARE: u32 = 5;

pub(crate) fn watch(
    mut running: Running,
    scope: &Scope<'_>,
    level: SandboxLevel,
    on_tick: &mut dyn FnMut() -> Tick,
) -> Result<Ended, SandboxError> {
    let job = scope.job;
    let is_watched = job.limits.disk < u64::MAX;
    let before = is_watched.then(|| disk::bytes(&scope.growing, u64::MAX)).flatten();
    let most = before.map(|before| before.saturating_add(job.limits.disk));
    let mut streams = Streams::new(&mut running, job)?;
    running.limit(&job.limits)?;
    let _precedence = running.go_before();
    let cut = until_end(&running, &mut streams, scope, most, on_tick)?;
    let status = running.kill()?;
    streams.drain(job);
    let how = cut.unwrap_or_else(|| {
        if too_much_disk(scope, most, &[]) {
            return Exit::TooMuchDisk;
        }
        if streams.total() > job.limits.output_total {
            Exit::TooMuchOutput
        } else {
            exit(status, level)
        }
    });
    Ok(Ended { how, stdout: streams.kept.0, stderr: streams.kept.1, level })
}

/// Returns when the first process has ended, or with the reason to end it.
fn until_end(
    running: &Running,
    streams: &mut Streams,
    scope: &Scope<'_>,
    most: Option<u64>,
    on_tick: &mut dyn FnMut() -> Tick,
) -> Result<Option<Exit>, SandboxError> {
    let limits = &scope.job.limits;
    let since = Instant::now();
    let process = rustix::process::pidfd_open(running.pid(), PidfdFlags::empty())
        .map_err(|error| system("watch the job", error))?;
    let mut next = since + LOOK;
    let mut tick = since + TICK;
    loop {
        let left = limits.time.saturating_sub(since.elapsed());
        let ended = streams
            .wait(&process, left.min(next.min(tick).saturating_duration_since(Instant::now())))?;
        streams.pump(scope.job);
        if streams.total() > limits.output_total {
            return Ok(Some(Exit::TooMuchOutput));
        }
        if ended {
            return Ok(None);
        }
        let now = Instant::now();
        if now.duration_since(since) >= limits.time {
            return Ok(Some(Exit::TimedOut));
        }
        if now >= tick {
            if on_tick() == Tick::Stop {
                return Ok(Some(Exit::Stopped));
            }
            tick = now + TICK;
        }
        if now < next {
            continue;
        }
        if let Some(reason) = look(running, scope, most)? {
            return Ok(Some(reason));
        }
        next = Instant::now() + LOOK.max(now.elapsed() * LOOK_SHARE);
    }
}

fn look(
    running: &Running,
    scope: &Scope<'_>,
    most: Option<u64>,
) -> Result<Option<Exit>, SandboxError> {
    let limits = &scope.job.limits;
    let usage = processes::usage(running.mark(), u64::from(limits.processes))
        .map_err(|error| system("list processes", error))?;
    if usage.threads > u64::from(limits.processes) {
        return Ok(Some(Exit::TooManyProcesses));
    }
    if usage.resident > limits.memory && processes::proportional(&usage.members) > limits.memory {
        return Ok(Some(Exit::TooMuchMemory));
    }
    Ok(too_much_disk(scope, most, &usage.members).then_some(Exit::TooMuchDisk))
}

/// A tree that could not be looked at before the job began is not held against it.
fn too_much_disk(scope: &Scope<'_>, most: Option<u64>, members: &[Pid]) -> bool {
    let Some(most) = most else { return false };
    let named = disk::bytes(&scope.growing, most);
    named.is_none_or(|named| named.saturating_add(disk::nameless(members)) > most)
}

fn exit(status: ExitStatus, level: SandboxLevel) -> Exit {
    let code = status.code().unwrap_or_default();
    let signal = match status.signal() {
        None if level == SandboxLevel::Bubblewrap && (129..=192).contains(&code) => {
            Some(code - 128)
        }
        signal => signal,
    };
    match signal {
        Some(libc::SIGXFSZ) => Exit::TooMuchDisk,
        Some(signal) => Exit::Signal(signal),
        None => Exit::Code(code),
    }
}

/// The three streams of a job. None of them ever blocks.
struct Streams {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    written: usize,
    input: Vec<u8>,
    kept: (StreamOutput, StreamOutput),
}

impl Streams {
    fn new(running: &mut Running, job: &Job) -> Result<Streams, SandboxError> {
        let (stdin, stdout, stderr) =
            (running.first.stdin.take(), running.first.stdout.take(), running.first.stderr.take());
        let files = [
            stdin.as_ref().map(AsFd::as_fd),
            stdout.as_ref().map(AsFd::as_fd),
            stderr.as_ref().map(AsFd::as_fd),
        ];
        for file in files.into_iter().flatten() {
            rustix::io::ioctl_fionbio(file, true)
                .map_err(|error| system("watch the job", error))?;
        }
        let mut input = std::mem::take(&mut running.lines);
        input.extend_from_slice(&job.stdin);
        Ok(Streams { stdin, stdout, stderr, written: 0, input, kept: Default::default() })
    }

    fn total(&self) -> u64 {
        self.kept.0.total.saturating_add(self.kept.1.total)
    }

    /// Waits until something can be moved or the process has ended, which it returns.
    fn wait(&self, process: &OwnedFd, at_most: Duration) -> Result<bool, SandboxError> {
        let mut files = vec![PollFd::new(process, PollFlags::IN)];
        let wanted = [
            (self.stdout.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (self.stdin.as_ref().map(AsFd::as_fd), PollFlags::OUT),
        ];
        for (file, flags) in wanted {
            files.extend(file.map(|file| PollFd::from_borrowed_fd(file, flags)));
        }
        let timeout = Timespec::try_from(at_most.min(LOOK)).ok();
        match rustix::event::poll(&mut files, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(system("watch the job", error)),
        }
        Ok(files.first().is_some_and(|process| process.revents().contains(PollFlags::IN)))
    }

    /// Moves what can be moved now.
    fn pump(&mut self, job: &Job) {
        let rest = self.input.get(self.written..).unwrap_or_default();
        if rest.is_empty() {
            self.stdin = None;
        } else if let Some(stdin) = &mut self.stdin {
            match stdin.write(rest) {
                Ok(count) => self.written += count,
                Err(error) if retry(error.kind()) => {}
                // The program does not want to read any more, which is its right.
                Err(_) => self.stdin = None,
            }
        }
        if self.stdout.as_mut().is_some_and(|stream| !read(stream, &mut self.kept.0, job)) {
            self.stdout = None;
        }
        if self.stderr.as_mut().is_some_and(|stream| !read(stream, &mut self.kept.1, job)) {
            self.stderr = None;
        }
    }

    /// Takes what dead processes left in the pipes.
    fn drain(&mut self, job: &Job) {
        loop {
            let before = self.total();
            self.pump(job);
            if self.total() == before || before > job.limits.output_total {
                return;
            }
        }
    }
}

/// Reads once; false at the end of the stream.
fn read(stream: &mut dyn Read, output: &mut StreamOutput, job: &Job) -> bool {
    let mut chunk = [0; 64 << 10];
    match stream.read(&mut chunk) {
        Ok(0) => false,
        Ok(count) => {
            output.total = output.total.saturating_add(count as u64);
            output.kept.extend_from_slice(chunk.get(..count).unwrap_or_default());
            let most = usize::try_from(job.limits.output).unwrap_or(usize::MAX);
            let surplus = output.kept.len().saturating_sub(most);
            output.kept.drain(..surplus);
            true
        }
        Err(error) => retry(error.kind()),
    }
}

fn retry(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
