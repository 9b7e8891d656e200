//! A program that is asked many questions, one line after the other, over its standard streams.
//!
//! Threads write and read, so that nobody waits longer than wanted for a program that does neither. It is killed with its
//! process group when the session goes out of use.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::direct::{RunningProcess, command, spawn};
use crate::error::LaunchError;
use crate::program::Program;

/// How often it is looked whether somebody still wants the answer.
const TICK: Duration = Duration::from_millis(20);
/// How many lines wait for somebody to read them before the program has to.
const WAITING: usize = 1024;

/// Why there is no line, or nothing could be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Silence {
    /// It did not answer in time, or nobody wanted to wait.
    TooLate,
    /// It has ended, or has closed the stream.
    Ended,
}

/// Until when somebody waits.
pub struct Patience<'a> {
    /// The time at which the waiting ends.
    pub deadline: Instant,
    /// Whether nobody wants the answer any more.
    pub is_over: &'a dyn Fn() -> bool,
}

impl Patience<'_> {
    fn left(&self) -> Option<Duration> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        (!left.is_zero() && !(self.is_over)()).then(|| left.min(TICK))
    }
}

/// A running program that takes and gives lines.
pub struct Session {
    _running: RunningProcess,
    /// Nothing if a thread that was writing to it was given up.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Session {
    /// Starts the program. Its standard error is thrown away; of its limits, `output` is that of one line.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(program: &Program) -> Result<Session, LaunchError> {
        let mut command = command(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut running = RunningProcess::new(spawn(program, &mut command)?, true);
        let (stdin, stdout) = (running.child.stdin.take(), running.child.stdout.take());
        let (sender, lines) = sync_channel(WAITING);
        let longest = program.limits.output;
        if let Some(stdout) = stdout {
            std::thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                while let Some(line) = read_line(&mut stdout, longest) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Session { _running: running, stdin, lines })
    }

    /// Sends the text.
    ///
    /// # Errors
    /// If the program does not read, or has ended. After a program did not read, nothing can be sent any more.
    pub fn send(&mut self, text: String, patience: &Patience<'_>) -> Result<(), Silence> {
        let mut stdin = self.stdin.take().ok_or(Silence::Ended)?;
        // A program that does not read must not keep us.
        let (sender, written) = sync_channel(1);
        std::thread::spawn(move || {
            let result = stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
            let _ = sender.send(result.map(|()| stdin));
        });
        loop {
            match written.recv_timeout(patience.left().ok_or(Silence::TooLate)?) {
                Ok(Ok(stdin)) => {
                    self.stdin = Some(stdin);
                    return Ok(());
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The next line, without its end.
    ///
    /// # Errors
    /// If none comes in time, or none comes any more. A line that is not UTF-8 or too long ends the session.
    pub fn line(&mut self, patience: &Patience<'_>) -> Result<String, Silence> {
        loop {
            match self.lines.recv_timeout(patience.left().ok_or(Silence::TooLate)?) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(Silence::Ended),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

/// The next line; nothing at the end, or where the text is not UTF-8 or a line has more than `longest` bytes.
fn read_line(from: &mut impl BufRead, longest: u64) -> Option<String> {
    let mut line = String::new();
    let n_read = from.take(longest.saturating_add(1)).read_line(&mut line).ok()?;
    let end = line.trim_end_matches(['\n', '\r']).len();
    line.truncate(end);
    (n_read > 0 && line.len() as u64 <= longest).then_some(line)
}
