//! Runs a program as the user would: with the user's rights, in a process group of its own, watched.
//!
//! For programs that the user named or installed: git, Node, Z3. When the program ends, or is ended, the whole group is
//! killed before its number can be given to somebody else: the first process is left as a zombie until then. What has left
//! the group by making a session of its own is not found; programs that would do so to get away are for
//! [`crate::run_confined`]. Neither is a program ended when this process is killed: the signal for that would have to be
//! asked for between `fork` and `exec`, where no safe code can run.
//!
//! One thread moves all three streams by waiting for whichever is ready, so neither a full pipe nor a grandchild that keeps
//! one open can keep anybody waiting.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use check::{Stop, StopCause};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use sandbox::SandboxLevel;

use crate::error::LaunchError;
use crate::program::{ProcessExit, Program, ProgramOutput};

/// How often it is looked whether somebody still wants the answer.
const TICK: Duration = Duration::from_millis(20);

/// How long killed processes may take to leave the kernel before they are not waited for any more.
const LINGER: Duration = Duration::from_millis(500);
/// How many pieces of 64 KiB can be left in a pipe; by default it holds one.
const MOST_LEFT: usize = 32;

/// One of the two streams that a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
}

/// Runs the program with the rights of the user, and returns when it has ended and its process group is gone.
///
/// # Errors
/// If it cannot be started, uses up its time, writes more than it may, or is stopped. It is not running then either.
pub fn run(program: &Program, stop: &Stop) -> Result<ProgramOutput, LaunchError> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut total = 0_u64;
    let status = stream(program, stop, &mut |stream, bytes| {
        total = total.saturating_add(bytes.len() as u64);
        match stream {
            Stream::Output => stdout.extend_from_slice(bytes),
            Stream::Errors => stderr.extend_from_slice(bytes),
        }
        total <= program.limits.output
    });
    match status {
        Err(LaunchError::Stopped { program: name, .. }) if total > program.limits.output => {
            Err(LaunchError::Flooded { program: name, limit: program.limits.output })
        }
        Err(error) => Err(error),
        Ok(_) if total > program.limits.output => {
            Err(LaunchError::Flooded { program: program.name(), limit: program.limits.output })
        }
        Ok(status) => Ok(ProgramOutput { status, stdout, stderr, level: SandboxLevel::Unconfined }),
    }
}

/// The same for whoever wants what it writes at once, however much that is. The program is stopped when `takes` says false.
///
/// # Errors
/// As [`run`].
pub fn stream(
    program: &Program,
    stop: &Stop,
    takes: &mut dyn FnMut(Stream, &[u8]) -> bool,
) -> Result<ProcessExit, LaunchError> {
    let mut command = command(program);
    command
        .stdin(if program.stdin.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    let mut running = RunningProcess::new(spawn(program, &mut command)?, true);
    let mut pipes = Pipes::new(&mut running.child, &program.stdin)
        .map_err(|error| LaunchError::system(program.name(), "watch it", error))?;
    let cut = watch(program, stop, &mut running, &mut pipes, takes)?;
    let status =
        running.end().map_err(|error| LaunchError::system(program.name(), "wait for it", error))?;
    if let Some(error) = cut {
        return Err(error);
    }
    // What dead processes left in the pipes; somebody outside of the group may still hold them open and write.
    for _ in 0..MOST_LEFT {
        if !pipes.move_bytes(takes) {
            break;
        }
    }
    if pipes.is_refused {
        return Err(LaunchError::Stopped { program: program.name(), cause: StopCause::Cancelled });
    }
    Ok(status)
}

/// Runs the program on the streams and in the process group of this process, so that it can read from a terminal.
///
/// # Errors
/// If it cannot be started, uses up its time or is stopped. It is not running then either; what it started may be.
pub fn run_attached(program: &Program, stop: &Stop) -> Result<ProcessExit, LaunchError> {
    let mut running = RunningProcess::new(spawn(program, &mut command(program))?, false);
    let mut pipes = Pipes::default();
    let cut = watch(program, stop, &mut running, &mut pipes, &mut |_, _| true)?;
    let status =
        running.end().map_err(|error| LaunchError::system(program.name(), "wait for it", error))?;
    cut.map_or(Ok(status), Err)
}

pub(crate) fn command(program: &Program) -> Command {
    let mut command = Command::new(&program.path);
    if !program.inherits {
        command.env_clear();
    }
    command.args(&program.args).envs(&program.env).current_dir(&program.cwd);
    command
}

pub(crate) fn spawn(program: &Program, command: &mut Command) -> Result<Child, LaunchError> {
    command.spawn().map_err(|error| {
        let reason = match error.kind() {
            // The system says the same of a folder to start in that is not there.
            ErrorKind::NotFound if !program.cwd.is_dir() => {
                format!("the folder {} does not exist", program.cwd.display())
            }
            ErrorKind::NotFound => "it was not found".to_owned(),
            ErrorKind::PermissionDenied => "it is not executable".to_owned(),
            _ => error.to_string(),
        };
        LaunchError::Unavailable { program: program.name(), reason }
    })
}

/// Returns when the program has ended, or with the reason to end it.
fn watch(
    program: &Program,
    stop: &Stop,
    running: &mut RunningProcess,
    pipes: &mut Pipes<'_>,
    takes: &mut dyn FnMut(Stream, &[u8]) -> bool,
) -> Result<Option<LaunchError>, LaunchError> {
    let failed = |error: io::Error| LaunchError::system(program.name(), "watch it", error);
    let deadline = Instant::now().checked_add(program.limits.time);
    loop {
        if let Some(cause) = stop.cause() {
            return Ok(Some(LaunchError::Stopped { program: program.name(), cause }));
        }
        let left = deadline.map_or(TICK, |it| it.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            let limit = program.limits.time;
            return Ok(Some(LaunchError::TimedOut { program: program.name(), limit }));
        }
        pipes.wait(running.ends(), left.min(TICK)).map_err(failed)?;
        pipes.move_bytes(takes);
        if pipes.is_refused {
            let cause = StopCause::Cancelled;
            return Ok(Some(LaunchError::Stopped { program: program.name(), cause }));
        }
        if running.has_ended().map_err(failed)? {
            return Ok(None);
        }
    }
}

/// A process that is killed, with its group, and reaped when it goes out of use.
pub(crate) struct RunningProcess {
    pub(crate) child: Child,
    pid: Option<Pid>,
    has_group: bool,
    #[cfg(target_os = "linux")]
    ends: Option<std::os::fd::OwnedFd>,
}

impl RunningProcess {
    pub(crate) fn new(child: Child, has_group: bool) -> RunningProcess {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        #[cfg(target_os = "linux")]
        let ends = pid.and_then(|pid| {
            rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
        });
        RunningProcess {
            child,
            pid,
            has_group,
            #[cfg(target_os = "linux")]
            ends,
        }
    }

    /// A file that is ready to be read when the process has ended, where there is one.
    fn ends(&self) -> Option<BorrowedFd<'_>> {
        #[cfg(target_os = "linux")]
        return self.ends.as_ref().map(AsFd::as_fd);
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// Whether it has ended. It is not reaped, so that its number stays its own.
    fn has_ended(&self) -> io::Result<bool> {
        let Some(pid) = self.pid else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(rustix::process::waitid(WaitId::Pid(pid), options)?.is_some())
    }

    /// Kills what is alive of it and says how it ended.
    pub(crate) fn end(&mut self) -> io::Result<ProcessExit> {
        let status = self.kill()?;
        let signal = status.signal().map(ProcessExit::Signal);
        Ok(signal.unwrap_or_else(|| ProcessExit::Code(status.code().unwrap_or_default())))
    }

    fn kill(&mut self) -> io::Result<ExitStatus> {
        // Taken, so that a second time does not reach whoever got the number in the meantime.
        if let Some(pid) = self.pid.take() {
            // Each may have ended already.
            if self.has_group {
                let _ = rustix::process::kill_process_group(pid, Signal::KILL);
            }
            let _ = self.child.kill();
            let status = self.child.wait()?;
            if self.has_group {
                wait_for_group(pid);
            }
            return Ok(status);
        }
        self.child.wait()
    }
}

/// Waits until nobody in the group is alive. All were killed.
fn wait_for_group(group: Pid) {
    let since = Instant::now();
    while rustix::process::test_kill_process_group(group).is_ok()
        && has_living(group)
        && since.elapsed() < LINGER
    {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Whether somebody in the group has not ended yet. Who has ended and waits for the first process of the machine to notice,
/// which may take its time, is still in the group.
fn has_living(group: Pid) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else { return true };
    let group = group.as_raw_nonzero().to_string();
    entries.flatten().any(|entry| {
        let Ok(stat) = std::fs::read(entry.path().join("stat")) else { return false };
        // The name stands in brackets and may hold anything, brackets too.
        let after_name = stat.iter().rposition(|byte| *byte == b')').unwrap_or_default();
        let text = String::from_utf8_lossy(stat.get(after_name + 1..).unwrap_or_default());
        let mut fields = text.split_whitespace();
        let (state, _parent, in_group) = (fields.next(), fields.next(), fields.next());
        in_group == Some(group.as_str()) && !matches!(state, Some("Z" | "X"))
    })
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        // Nobody is left to hear that it could not be ended.
        let _ = self.kill();
    }
}

/// The streams of a program. None of them ever blocks.
#[derive(Default)]
struct Pipes<'a> {
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    input: &'a [u8],
    is_refused: bool,
}

impl<'a> Pipes<'a> {
    fn new(child: &mut Child, input: &'a [u8]) -> io::Result<Pipes<'a>> {
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let files = [
            stdin.as_ref().map(AsFd::as_fd),
            stdout.as_ref().map(AsFd::as_fd),
            stderr.as_ref().map(AsFd::as_fd),
        ];
        for file in files.into_iter().flatten() {
            rustix::io::ioctl_fionbio(file, true)?;
        }
        Ok(Pipes { stdin, stdout, stderr, input, is_refused: false })
    }

    /// Waits until something can be moved or the process has ended.
    fn wait(&self, ends: Option<BorrowedFd<'_>>, at_most: Duration) -> io::Result<()> {
        let wanted = [
            (ends, PollFlags::IN),
            (self.stdout.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (self.stderr.as_ref().map(AsFd::as_fd), PollFlags::IN),
            (self.stdin.as_ref().map(AsFd::as_fd), PollFlags::OUT),
        ];
        let mut files: Vec<PollFd<'_>> = wanted
            .into_iter()
            .filter_map(|(file, flags)| Some(PollFd::from_borrowed_fd(file?, flags)))
            .collect();
        // Without a file that says when the process ends, it is looked at more often.
        let at_most = if ends.is_some() { at_most } else { at_most.min(Duration::from_millis(2)) };
        let timeout = Timespec::try_from(at_most).ok();
        match rustix::event::poll(&mut files, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Moves what can be moved now, one piece of each stream. Whether something came out.
    fn move_bytes(&mut self, takes: &mut dyn FnMut(Stream, &[u8]) -> bool) -> bool {
        if self.input.is_empty() {
            self.stdin = None;
        } else if let Some(stdin) = &mut self.stdin {
            match stdin.write(self.input) {
                Ok(count) => self.input = self.input.get(count..).unwrap_or_default(),
                Err(error) if is_pause(&error) => {}
                // The program does not want to read any more, which is its right.
                Err(_) => self.stdin = None,
            }
        }
        let mut moved = false;
        let mut take = |stream, bytes: Option<&[u8]>| {
            if let Some(bytes) = bytes.filter(|_| !self.is_refused) {
                moved = true;
                self.is_refused = !takes(stream, bytes);
            }
        };
        let mut chunk = [0; 64 << 10];
        take(Stream::Output, read(&mut self.stdout, &mut chunk));
        take(Stream::Errors, read(&mut self.stderr, &mut chunk));
        moved
    }
}

/// Reads once; the stream is given up at its end.
fn read<'a>(stream: &mut Option<impl Read>, chunk: &'a mut [u8]) -> Option<&'a [u8]> {
    match stream.as_mut()?.read(chunk) {
        Ok(count @ 1..) => chunk.get(..count),
        Err(error) if is_pause(&error) => None,
        Ok(_) | Err(_) => {
            *stream = None;
            None
        }
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
