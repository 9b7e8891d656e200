//! Why a program gave no answer.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use check::{FailureKind, LookError, StopCause};

/// Why a program gave no answer. Each says which program; [`LaunchError::kind`] says what it means for a look.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// It is not there, is not something that can be run, or cannot be confined on this machine.
    #[error("{} cannot be started: {reason}", .program.display())]
    Unavailable {
        /// The program.
        program: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// It used up its time and was ended.
    #[error("{} did not end within {}", .program.display(), seconds(*.limit))]
    TimedOut {
        /// The program.
        program: PathBuf,
        /// Its time.
        limit: Duration,
    },
    /// It wrote more to its standard streams than it may, and was ended.
    #[error("{} wrote more than {limit} bytes to its standard streams", .program.display())]
    Flooded {
        /// The program.
        program: PathBuf,
        /// How many it may write.
        limit: u64,
    },
    /// It used up something else, and was ended.
    #[error("{} used more {what} than it may", .program.display())]
    Exhausted {
        /// The program.
        program: PathBuf,
        /// What it used up.
        what: &'static str,
    },
    /// It ended by itself after changing more files than somebody wants to read.
    #[error("{} changed more than {max_entries} files or {max_bytes} bytes", .program.display())]
    TooManyChanges {
        /// The program.
        program: PathBuf,
        /// How many entries it may change.
        max_entries: usize,
        /// How many bytes they may have.
        max_bytes: u64,
    },
    /// It was ended because somebody asked for it.
    #[error("{} was stopped before it had ended", .program.display())]
    Stopped {
        /// The program.
        program: PathBuf,
        /// Why.
        cause: StopCause,
    },
    /// The system refused what running and watching it needs.
    #[error("{}: the system refused to {action}", .program.display())]
    System {
        /// The program.
        program: PathBuf,
        /// What was to be done.
        action: &'static str,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

impl LaunchError {
    /// What kind of failure it is for whoever asked the program about a tree.
    pub fn kind(&self) -> FailureKind {
        match self {
            LaunchError::Unavailable { .. } | LaunchError::System { .. } => {
                FailureKind::Unavailable
            }
            LaunchError::TimedOut { .. } => FailureKind::TimedOut,
            LaunchError::Flooded { .. } | LaunchError::TooManyChanges { .. } => {
                FailureKind::Garbled
            }
            LaunchError::Exhausted { .. } => FailureKind::Died,
            LaunchError::Stopped { cause: StopCause::OutOfTime, .. } => FailureKind::TimedOut,
            LaunchError::Stopped { .. } => FailureKind::Stopped,
        }
    }

    pub(crate) fn system(
        program: PathBuf,
        action: &'static str,
        source: impl Into<io::Error>,
    ) -> LaunchError {
        LaunchError::System { program, action, source: source.into() }
    }
}

impl From<LaunchError> for LookError {
    fn from(error: LaunchError) -> LookError {
        let mut message = error.to_string();
        if let LaunchError::System { source, .. } = &error {
            message = format!("{message}: {source}");
        }
        LookError::new(error.kind(), message)
    }
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}
