//! How a run ends.

use std::time::Duration;

use crate::frame::{self, Frame};
use crate::program::Program;

/// What a program may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How long it may run, not counting the time that it waits for the embedded engine's streams.
    pub time: Duration,
    /// How many bytes its values may take; the embedded engine has at least 16 MiB.
    pub memory: usize,
    /// How many bytes its calls may take: at least 1 MiB, at most [`Limits::MAX_STACK`].
    pub stack: usize,
}

impl Limits {
    /// The largest stack there is; the embedded engine's binding takes any more for no limit at all.
    pub const MAX_STACK: usize = 16 << 20;

    /// Enough for programs that people start by hand: ten seconds, 512 MiB.
    pub const STANDARD: Limits =
        Limits { time: Duration::from_secs(10), memory: 512 << 20, stack: Limits::MAX_STACK };
}

/// A limit that a program met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Limit {
    /// [`Limits::time`]
    Time,
    /// [`Limits::memory`]
    Memory,
    /// [`Limits::stack`]: calls that never return.
    Stack,
}

/// How a program ended. Frames are in the program's modules, the innermost first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramExit {
    /// Everything ran.
    Done,
    /// A panic, or an exception of the host.
    Panic {
        /// What it said.
        message: String,
        /// Where.
        frames: Vec<Frame>,
    },
    /// An error of the Err effect reached `main`.
    Raised {
        /// The error as text.
        message: String,
        /// Where it was raised.
        frames: Vec<Frame>,
    },
    /// A limit was met.
    Stopped {
        /// Which one.
        limit: Limit,
        /// Where, as far as it is known.
        frames: Vec<Frame>,
    },
}

/// What the engines say about calls that are nested too deep.
const STACK_MESSAGES: [&str; 1] = ["Maximum call stack size exceeded"];

/// What the engines say about values that are too large for them, whatever the limits are.
const MEMORY_MESSAGES: [&str; 7] = [
    "out of memory",
    "string too long",
    "BigInt is too large to allocate",
    "Maximum BigInt size exceeded",
    "Invalid string length",
    "Invalid array length",
    "Array buffer allocation failed",
];

impl ProgramExit {
    /// 0 if everything ran, else 1.
    pub fn exit_code(&self) -> u8 {
        u8::from(*self != ProgramExit::Done)
    }

    /// Where it ended, as far as that is known.
    pub fn into_frames(self) -> Vec<Frame> {
        match self {
            ProgramExit::Done => Vec::new(),
            ProgramExit::Panic { frames, .. }
            | ProgramExit::Raised { frames, .. }
            | ProgramExit::Stopped { frames, .. } => frames,
        }
    }

    /// The outcome that an exception with this name, message and stack trace stands for.
    pub(crate) fn of_exception(
        program: &Program,
        name: &str,
        message: String,
        stack: &str,
    ) -> ProgramExit {
        let frames = frame::parse(stack, program);
        match name {
            "Panic" => ProgramExit::Panic { message, frames },
            "ClankError" => ProgramExit::Raised { message, frames },
            "RangeError" | "InternalError" if STACK_MESSAGES.contains(&&*message) => {
                ProgramExit::Stopped { limit: Limit::Stack, frames }
            }
            "RangeError" | "InternalError" if MEMORY_MESSAGES.contains(&&*message) => {
                ProgramExit::Stopped { limit: Limit::Memory, frames }
            }
            "" => ProgramExit::Panic { message, frames },
            _ => ProgramExit::Panic { message: format!("{name}: {message}"), frames },
        }
    }

    /// The outcome, unless it is that the engine could not read the program. A program that reads bad text itself gets
    /// the same exception, but from within.
    pub(crate) fn or_invalid(self, has_failed_to_load: bool) -> Result<ProgramExit, RunError> {
        match self {
            ProgramExit::Panic { message, frames } if has_failed_to_load || frames.is_empty() => {
                match message.strip_prefix("SyntaxError: ") {
                    Some(message) => Err(RunError::Invalid { message: message.to_owned(), frames }),
                    None => Ok(ProgramExit::Panic { message, frames }),
                }
            }
            outcome => Ok(outcome),
        }
    }
}

/// A stream that a program writes to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OutputStream {
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
}

/// Why a program could not be run to an end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The text is not JavaScript.
    #[error("the program is not valid JavaScript: {message}")]
    Invalid {
        /// What the engine said.
        message: String,
        /// Where.
        frames: Vec<Frame>,
    },
    /// A module is imported that the embedded engine does not have.
    #[error("{base} imports `{name}`, which the embedded engine does not have; Node may")]
    NoModule {
        /// The importing module.
        base: String,
        /// What it imports.
        name: String,
    },
    /// What the program wrote did not arrive; the program was stopped.
    #[error("cannot write the program's {stream:?}")]
    Write {
        /// The stream.
        stream: OutputStream,
        /// Why.
        source: std::io::Error,
    },
    /// The engine could not be set up, or gave up.
    #[error("the JavaScript engine failed: {message}")]
    Engine {
        /// What it said.
        message: String,
    },
    /// The program was built without the feature `javascript`.
    #[error(
        "this regreen was built without a JavaScript engine; use Node with `--runtime node`, or install regreen with the \
         feature `javascript`"
    )]
    NoEngine,
    /// There is no Node to run.
    #[error(
        "cannot start `{node}`: install Node 20 or later from your system's packages, or use the embedded engine"
    )]
    NoNode {
        /// The program that was to be started.
        node: String,
        /// Why it could not be.
        source: launch::LaunchError,
    },
    /// The files for Node could not be written or read.
    #[error("cannot prepare the program for Node")]
    Files(#[source] std::io::Error),
}
