//! One Z3 process that answers many questions, each a whole SMT-LIB script, one after the other.
//!
//! Its time is limited, for each question and for all. A question that takes too long has no answer; a process that ends or
//! says what is no answer is a failure, which is kept until somebody asks for it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// What it prints after every answer.
const END: &str = "regreen-end-of-answer";
/// How much later than its own limit it may be before it is ended.
const GRACE: Duration = Duration::from_secs(2);
/// How long it may take to start.
const START: Duration = Duration::from_secs(10);
/// The longest answer that is read.
const MAX_ANSWER: usize = 8 << 20;

/// How much Z3 may think. Its steps decide, so that a busy machine gives the same answers; time ends what they do not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Z3Limits {
    /// How many of its steps one question may take (`rlimit`).
    pub steps: u64,
    /// How long one question may take.
    pub question: Duration,
    /// How long all questions together may take; later ones have no answer.
    pub all: Duration,
}

impl Z3Limits {
    /// Three million steps take a fraction of a second for most goals, and half a minute for products of many unknowns: those are
    /// ended by time.
    pub const STANDARD: Z3Limits = Z3Limits {
        steps: 3_000_000,
        question: Duration::from_secs(10),
        all: Duration::from_secs(120),
    };
}

/// Why Z3 cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Z3Error {
    /// It cannot be started.
    #[error("{program} cannot be started: {source}")]
    NotStarted {
        /// The program.
        program: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is something else, or is broken.
    #[error("{program} does not answer as Z3 does")]
    NotZ3 {
        /// The program.
        program: String,
    },
    /// It ended before it had answered.
    #[error("{program} ended before it had answered")]
    Ended {
        /// The program.
        program: String,
    },
}

/// A Z3 that is started when it is first asked, and ended when it is dropped.
#[derive(Debug)]
pub struct Z3 {
    program: PathBuf,
    limits: Z3Limits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    process: Option<Process>,
    spent: Duration,
    failure: Option<Z3Error>,
    /// What it said before: programs are checked again and again while repairs are tried.
    known: BTreeMap<String, Option<String>>,
}

impl Z3 {
    /// The Z3 at `program`, a path or a name on the `PATH`.
    pub fn new(program: &Path, limits: Z3Limits) -> Z3 {
        Z3 { program: program.to_owned(), limits, state: Mutex::default() }
    }

    /// Begins with the questions about a program: the time for all starts anew, and what went wrong before is forgotten.
    /// It is started when the first question comes.
    pub fn begin(&self) {
        let mut state = self.state();
        state.spent = Duration::ZERO;
        state.failure = None;
    }

    /// Begins, and starts it if it does not run yet, for whoever wants to know at once whether there is one.
    pub fn start(&self) -> Result<(), Z3Error> {
        self.begin();
        let mut state = self.state();
        if state.process.is_none() {
            state.process = Some(self.started(&|| false)?);
        }
        Ok(())
    }

    /// What it says to a script; nothing if it does not know in time, or has failed.
    pub fn ask(&self, script: &str) -> Option<String> {
        self.ask_until(script, &|| false)
    }

    /// The same, until `is_over`: then it is ended at once, and the question counts as not asked.
    pub fn ask_until(&self, script: &str, is_over: &dyn Fn() -> bool) -> Option<String> {
        let mut state = self.state();
        if let Some(known) = state.known.get(script) {
            return known.clone();
        }
        if state.failure.is_some() || state.spent >= self.limits.all {
            return None;
        }
        let start = Instant::now();
        let process = match state.process.take().map_or_else(|| self.started(is_over), Ok) {
            Ok(process) => process,
            // Nobody waited for it.
            Err(_) if is_over() => return None,
            Err(error) => {
                state.failure = Some(error);
                return None;
            }
        };
        let time = self.limits.question.min(self.limits.all.saturating_sub(state.spent));
        let reply = self.replied(&mut state, process, script, (time, is_over));
        state.spent += start.elapsed();
        if !is_over() {
            state.known.insert(script.to_owned(), reply.clone());
        }
        reply
    }

    /// What went wrong since the last time that this was asked.
    pub fn take_failure(&self) -> Option<Z3Error> {
        self.state().failure.take()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while it was asked leaves nothing that the next question would trip over.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replied(
        &self,
        state: &mut State,
        mut process: Process,
        script: &str,
        (time, is_over): (Duration, &dyn Fn() -> bool),
    ) -> Option<String> {
        let milliseconds = time.as_millis().max(1);
        let steps = self.limits.steps;
        let text = format!(
            "(reset)\n(set-option :rlimit {steps})\n(set-option :timeout {milliseconds})\n{script}"
        );
        match process.ask(text, time + GRACE, is_over) {
            Said::Reply(reply) => {
                state.process = Some(process);
                Some(reply)
            }
            // The next question gets a new process.
            Said::TooLate => None,
            Said::Ended => {
                state.failure = Some(Z3Error::Ended { program: self.name() });
                None
            }
        }
    }

    fn started(&self, is_over: &dyn Fn() -> bool) -> Result<Process, Z3Error> {
        let mut process = Process::start(&self.program)
            .map_err(|source| Z3Error::NotStarted { program: self.name(), source })?;
        match process.ask("(assert false)\n(check-sat)\n".to_owned(), START, is_over) {
            Said::Reply(reply) if reply.trim() == "unsat" => Ok(process),
            _ => Err(Z3Error::NotZ3 { program: self.name() }),
        }
    }

    fn name(&self) -> String {
        self.program.display().to_string()
    }
}

/// How often it is looked whether somebody still wants the answer.
const TICK: Duration = Duration::from_millis(20);

/// What came of a question.
enum Said {
    Reply(String),
    TooLate,
    Ended,
}

/// A process whose output is read by a thread, so that nobody waits for it longer than he wants to.
#[derive(Debug)]
struct Process {
    child: Child,
    /// Nothing if a thread that was writing to it was given up.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    fn start(program: &Path) -> std::io::Result<Process> {
        // In a group of its own: a program of that name may be a script, and what it started ends with it.
        let mut child = Command::new(program)
            .arg("-in")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let stdin = child.stdin.take();
        let (sender, lines) = sync_channel(1024);
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                while let Some(line) = read_line(&mut stdout) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Process { child, stdin, lines })
    }

    fn ask(&mut self, text: String, time: Duration, is_over: &dyn Fn() -> bool) -> Said {
        let deadline = Instant::now() + time;
        let Some(mut stdin) = self.stdin.take() else { return Said::Ended };
        // A process that does not read must not keep us.
        let (sender, written) = sync_channel(1);
        std::thread::spawn(move || {
            let result = writeln!(stdin, "{text}(echo \"{END}\")").and_then(|()| stdin.flush());
            let _ = sender.send(result.map(|()| stdin));
        });
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match written.recv_timeout(left.min(TICK)) {
                Ok(Ok(stdin)) => break self.stdin = Some(stdin),
                Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => return Said::Ended,
                Err(RecvTimeoutError::Timeout) if left > TICK && !is_over() => {}
                Err(RecvTimeoutError::Timeout) => return Said::TooLate,
            }
        }
        let mut reply = String::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(TICK)) {
                Ok(line) if line.trim_matches('"') == END => return Said::Reply(reply),
                Ok(line) if reply.len() + line.len() > MAX_ANSWER => return Said::TooLate,
                // It may say so much that nobody ever waits for it.
                Ok(_) if left.is_zero() || is_over() => return Said::TooLate,
                Ok(line) => {
                    reply.push_str(&line);
                    reply.push('\n');
                }
                Err(RecvTimeoutError::Timeout) if left > TICK && !is_over() => {}
                Err(RecvTimeoutError::Timeout) => return Said::TooLate,
                Err(RecvTimeoutError::Disconnected) => return Said::Ended,
            }
        }
    }
}

/// The next line, or as much of it as an answer may have; nothing at the end, or where the text is not UTF-8.
fn read_line(from: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let n_read = from.take(MAX_ANSWER as u64 + 1).read_line(&mut line).ok()?;
    let end = line.trim_end_matches(['\n', '\r']).len();
    line.truncate(end);
    (n_read > 0).then_some(line)
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already, and nobody is left to hear that it could not be ended.
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let _ = group.map(|it| kill_process_group(it, Signal::KILL));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
