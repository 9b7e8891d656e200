//! What is asked of a program and what it answers.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::SandboxLevel;

/// Where programs look for others unless the caller says otherwise.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// The same messages, order and encoding for everybody.
const LANG: &str = "C.UTF-8";

/// One program to run: a command line, an environment, standard input and limits.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program: an absolute path, or a name to find on the `PATH` of the caller for [`crate::run`].
    pub path: PathBuf,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The environment. With `inherits` these are added to the variables of this process, otherwise they are all there are.
    pub env: BTreeMap<OsString, OsString>,
    /// Whether the variables of this process are part of the environment. Never in a confined run.
    pub inherits: bool,
    /// Where it starts.
    pub cwd: PathBuf,
    /// What it reads from its standard input, which is closed afterwards.
    pub stdin: Vec<u8>,
    /// What it may use up.
    pub limits: Limits,
}

impl Program {
    /// A program with an environment of `PATH` and `LANG=C.UTF-8`, no input and the standard limits.
    pub fn new(path: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Program {
        let env = [("PATH", PATH), ("LANG", LANG)];
        Program {
            path: path.into(),
            args: Vec::new(),
            env: env.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            inherits: false,
            cwd: cwd.into(),
            stdin: Vec::new(),
            limits: Limits::STANDARD,
        }
    }

    /// A program of the user that gets the environment of this process.
    pub fn inheriting(path: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Program {
        Program { env: BTreeMap::new(), inherits: true, ..Program::new(path, cwd) }
    }

    /// The same with one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Program {
        self.args.push(arg.into());
        self
    }

    /// The same with more arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Program {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// The same with a variable set.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Program {
        self.env.insert(name.into(), value.into());
        self
    }

    /// The same with this standard input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Program {
        self.stdin = bytes.into();
        self
    }

    /// The same with these limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Program {
        self.limits = limits;
        self
    }

    /// The path as errors name it.
    pub(crate) fn name(&self) -> PathBuf {
        self.path.clone()
    }

    pub(crate) fn set_default(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.env.insert(name.into(), value.as_ref().to_owned());
    }

    pub(crate) fn in_folder(mut self, cwd: &Path) -> Program {
        self.cwd = cwd.to_owned();
        self
    }
}

/// What a program may use up before it is ended. Without confinement only `time` and `output` are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Time on the clock.
    pub time: Duration,
    /// Bytes that standard output and standard error may carry together.
    pub output: u64,
    /// Bytes of memory, of one process and of all together.
    pub memory: u64,
    /// Bytes that it may write into its cache and other writable folders; `None` if nobody is to look, as for a folder with
    /// the build of a large project, which takes long to look at.
    pub disk: Option<u64>,
    /// Processes and threads at one time.
    pub processes: u32,
}

impl Limits {
    /// Two minutes, 64 MiB of output, 8 GiB of memory, 1 GiB of disk, 1024 processes and threads.
    pub const STANDARD: Limits = Limits {
        time: Duration::from_secs(120),
        output: 64 << 20,
        memory: 8 << 30,
        disk: Some(1 << 30),
        processes: 1024,
    };
}

/// How a program ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessExit {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl ProcessExit {
    /// Whether it says that all went well.
    pub fn is_success(self) -> bool {
        self == ProcessExit::Code(0)
    }
}

/// What a program that ended by itself has left. No process that it started is alive, as far as [`ProgramOutput::level`] can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramOutput {
    /// How it ended.
    pub status: ProcessExit,
    /// All that it wrote to standard output.
    pub stdout: Vec<u8>,
    /// All that it wrote to standard error.
    pub stderr: Vec<u8>,
    /// By which means it was held to what it may do.
    pub level: SandboxLevel,
}
