//! What is asked of the sandbox, and what it answers.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// One program to run, and everything that it may have.
#[derive(Clone, Debug)]
pub struct Job {
    /// An absolute path, a path with a slash (from `directory`), or a name to find in the `PATH` of
    /// `environment`.
    pub program: PathBuf,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// Where the program starts. It can read what is beneath.
    pub directory: PathBuf,
    /// Files and directories that it can write, with all that is beneath. Each must exist, and be named
    /// without passing a symbolic link: a link in a tree that somebody else made would lead out of the scope.
    pub writable: Vec<PathBuf>,
    /// Files and directories that it can read besides the system, `directory` and `writable`. A socket that
    /// lies there can be talked to at the level `bubblewrap`.
    pub readable: Vec<PathBuf>,
    /// A directory that the job sees with other contents. Only the level `bubblewrap` can show one.
    pub overlay: Option<Overlay>,
    /// The whole environment: nothing is inherited.
    pub environment: BTreeMap<OsString, OsString>,
    /// What the program reads from its standard input, which is closed afterwards.
    pub stdin: Vec<u8>,
    /// Whether it may use the network: all of it, the machine's own services included.
    pub network: bool,
    /// What it may use up.
    pub limits: Limits,
}

/// A directory with a layer over it: the job sees both as one, at the path of the directory, and nobody else does.
///
/// The layer and what is written are directories in the form of overlayfs: a character device with the number 0 stands for
/// something that is not there, and the attribute `user.overlay.opaque` of a directory for one that hides what is beneath it.
/// None of them may be changed while the job runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// The directory that is covered. Its files are shown where the layer has none.
    pub directory: PathBuf,
    /// A directory with `layer`, and with two empty ones, `upper` and `work`, if the job is to write: what it writes is in
    /// `upper` afterwards. The directory must then be one of the writable paths; its own files do not change.
    pub place: PathBuf,
}

/// What a job may use up before it is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock.
    pub time: Duration,
    /// Bytes of memory: what one process can allocate at all, and what all of them hold together.
    pub memory: u64,
    /// Bytes that are kept of each stream: the last ones, where programs say what went wrong.
    pub output: u64,
    /// Bytes that both streams may carry together before the job is ended.
    pub output_total: u64,
    /// Bytes by which the writable paths may grow, every entry counted as 4096 at least. With `u64::MAX` nobody looks:
    /// looking at a large directory is not free.
    pub disk: u64,
    /// Processes and threads at one time.
    pub processes: u32,
}

/// By which means the kernel holds a job to its scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxLevel {
    /// Namespaces made by the program `bwrap`, and a filter of system calls.
    Bubblewrap,
    /// Landlock and a filter of system calls, without help of another program.
    Landlock,
    /// No scope: only time, output, disk, memory and processes are watched. Used when the caller names it,
    /// never else.
    Unconfined,
}

impl SandboxLevel {
    /// The name in configuration and reports.
    pub fn name(self) -> &'static str {
        match self {
            SandboxLevel::Bubblewrap => "bubblewrap",
            SandboxLevel::Landlock => "landlock",
            SandboxLevel::Unconfined => "none",
        }
    }
}

impl fmt::Display for SandboxLevel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for SandboxLevel {
    type Err = SandboxError;

    fn from_str(name: &str) -> Result<SandboxLevel, SandboxError> {
        [SandboxLevel::Bubblewrap, SandboxLevel::Landlock, SandboxLevel::Unconfined]
            .into_iter()
            .find(|level| level.name() == name)
            .ok_or_else(|| SandboxError::NoSuchLevel { name: name.to_owned() })
    }
}

/// What the caller says when it is asked between two looks at the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// Let it run.
    Continue,
    /// End it now.
    Stop,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit {
    /// The program ended with this code. 126 and 127 may also mean that the system could not start it, for
    /// example because its interpreter is missing; its standard error says so then.
    Code(i32),
    /// A signal ended the program. At the level `bubblewrap` a program that itself ends with 128 + n looks
    /// the same.
    Signal(i32),
    /// It used up its time.
    TimedOut,
    /// It printed more than it may.
    TooMuchOutput,
    /// It wrote more than it may.
    TooMuchDisk,
    /// Its processes held more memory than they may.
    TooMuchMemory,
    /// It had more processes and threads than it may.
    TooManyProcesses,
    /// The caller stopped it.
    Stopped,
}

/// What is left of one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamOutput {
    /// The last bytes, at most [`Limits::output`].
    pub kept: Vec<u8>,
    /// How many there were until the end.
    pub total: u64,
}

impl StreamOutput {
    /// Whether there was more than what is kept.
    pub fn truncated(&self) -> bool {
        self.total > self.kept.len() as u64
    }
}

/// A job that has ended. None of its processes is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How it ended.
    pub how: Exit,
    /// What is left of its standard output.
    pub stdout: StreamOutput,
    /// What is left of its standard error.
    pub stderr: StreamOutput,
    /// The level that it ran at.
    pub level: SandboxLevel,
}

/// Why a job was not run, or could not be watched to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The level does not work on this machine.
    #[error("the sandbox level `{level}` cannot be used: {reason}; {}", remedy(*.level))]
    Unavailable {
        /// The level.
        level: SandboxLevel,
        /// What is missing.
        reason: String,
    },
    /// The level works on this machine, but a program gets out of it.
    #[error("the sandbox level `{level}` does not hold on this machine: a program in it can {}", .what.join(", "))]
    Leaks {
        /// The level.
        level: SandboxLevel,
        /// What a program can do there, in words.
        what: Vec<String>,
    },
    /// A name that is not a level's.
    #[error("no sandbox level is called `{name}`; there are bubblewrap, landlock and none")]
    NoSuchLevel {
        /// The name.
        name: String,
    },
    /// There is no such program, or it is nothing that can be run.
    #[error("{} cannot be run: {reason}", .program.display())]
    Program {
        /// The program as the job names it.
        program: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A path of the scope cannot be part of one.
    #[error("{} cannot be part of the scope: {reason}", .path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A variable that no environment can hold.
    #[error("{} is not the name of an environment variable", .name.display())]
    Variable {
        /// Its name.
        name: OsString,
    },
    /// An argument that no program can be given.
    #[error("argument {} holds a zero byte", .index + 1)]
    Argument {
        /// Its place, from zero.
        index: usize,
    },
    /// Arguments and environment are more than the system passes to a program.
    #[error(
        "arguments and environment have {bytes} bytes; {limit} are possible, and {longest} in one of them"
    )]
    TooLong {
        /// Bytes of both.
        bytes: usize,
        /// How many there can be.
        limit: usize,
        /// How many a single one can have.
        longest: usize,
    },
    /// The system refused to start or to watch the job.
    #[error("the system refused to {action}")]
    System {
        /// What was to be done.
        action: &'static str,
        /// What it said.
        #[source]
        source: io::Error,
    },
    /// Processes of the job did not die when they were killed, so they hang in the kernel.
    #[error("{count} processes of the job hang in the kernel and cannot be killed")]
    Lingering {
        /// How many.
        count: usize,
    },
}

fn remedy(level: SandboxLevel) -> &'static str {
    match level {
        SandboxLevel::Bubblewrap => "install bubblewrap 0.7 or newer and allow user namespaces",
        SandboxLevel::Landlock => {
            "it needs Linux 6.12 or newer with Landlock switched on, or install bubblewrap instead"
        }
        SandboxLevel::Unconfined => "programs can only be run on Linux",
    }
}
