//! One Z3 process that answers many questions, each a whole SMT-LIB script, one after the other.
//!
//! Its time is limited, for each question and for all. A question that takes too long has no answer; a process that ends or
//! says what is not an answer is a failure, which is kept until somebody asks for it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use launch::{LaunchError, Patience, Session, Silence};

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
    #[error(transparent)]
    NotStarted(LaunchError),
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
    process: Option<Session>,
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
        mut process: Session,
        script: &str,
        (time, is_over): (Duration, &dyn Fn() -> bool),
    ) -> Option<String> {
        let milliseconds = time.as_millis().max(1);
        let steps = self.limits.steps;
        let text = format!(
            "(reset)\n(set-option :rlimit {steps})\n(set-option :timeout {milliseconds})\n{script}"
        );
        match ask(&mut process, text, time + GRACE, is_over) {
            Ok(reply) => {
                state.process = Some(process);
                Some(reply)
            }
            // The next question gets a new process.
            Err(Silence::TooLate) => None,
            Err(Silence::Ended) => {
                state.failure = Some(Z3Error::Ended { program: self.name() });
                None
            }
        }
    }

    fn started(&self, is_over: &dyn Fn() -> bool) -> Result<Session, Z3Error> {
        let mut program = launch::Program::inheriting(&self.program, ".").arg("-in");
        program.limits.output = MAX_ANSWER as u64;
        let mut process = Session::start(&program).map_err(Z3Error::NotStarted)?;
        match ask(&mut process, "(assert false)\n(check-sat)\n".to_owned(), START, is_over) {
            Ok(reply) if reply.trim() == "unsat" => Ok(process),
            _ => Err(Z3Error::NotZ3 { program: self.name() }),
        }
    }

    fn name(&self) -> String {
        self.program.display().to_string()
    }
}

/// What the process says to a text, until it says that this is all.
fn ask(
    process: &mut Session,
    text: String,
    time: Duration,
    is_over: &dyn Fn() -> bool,
) -> Result<String, Silence> {
    let patience = Patience { deadline: Instant::now() + time, is_over };
    process.send(format!("{text}(echo \"{END}\")\n"), &patience)?;
    let mut reply = String::new();
    loop {
        let line = process.line(&patience)?;
        if line.trim_matches('"') == END {
            return Ok(reply);
        }
        if reply.len() + line.len() > MAX_ANSWER {
            return Err(Silence::TooLate);
        }
        reply.push_str(&line);
        reply.push('\n');
    }
}
