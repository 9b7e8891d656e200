//! Runs a program that must not be trusted with the user's files, at the strongest level that this machine offers.
//!
//! | level | network | tree and user's files | above the root | left behind |
//! |---|---|---|---|---|
//! | `bubblewrap` | none | not there, or read-only | not there | nothing |
//! | `landlock` | none | cannot be opened, or not for writing | cannot be opened | nothing |
//! | `none` | as the user | as the user | as the user | nothing that keeps its mark |
//!
//! At every level the program gets an empty home and empty configuration folders that are removed afterwards, and the
//! variables that it was given. What the kernel holds off, and what it cannot, is in `docs/decisions/0015-sandbox.md`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use check::{Stop, StopCause};
use sandbox::{Exit, Job, Overlay, SandboxError, SandboxLevel, Tick};
use tempfile::TempDir;

use crate::changes::{remove_run, remove_tree};
use crate::error::LaunchError;
use crate::program::{ProcessExit, Program, ProgramOutput};

/// By which means programs are confined on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// The level.
    pub level: SandboxLevel,
    /// Whether a tree can be shown with a layer over it. Never without the level `bubblewrap`.
    pub overlays: bool,
    /// Why nothing stronger can be had, in words for the person who can change it.
    pub obstacles: Vec<String>,
}

impl Isolation {
    /// The strongest that works on this machine, found by trying. It is tried once in a process.
    pub fn best() -> &'static Isolation {
        static BEST: OnceLock<Isolation> = OnceLock::new();
        BEST.get_or_init(|| {
            let mut obstacles = Vec::new();
            for level in [SandboxLevel::Bubblewrap, SandboxLevel::Landlock] {
                match Isolation::at(level) {
                    Ok(isolation) => {
                        obstacles.extend(isolation.obstacles);
                        return Isolation { obstacles, ..isolation };
                    }
                    Err(error) => obstacles.push(error.to_string()),
                }
            }
            Isolation { level: SandboxLevel::Unconfined, overlays: false, obstacles }
        })
    }

    /// This level, if it works on this machine.
    ///
    /// # Errors
    /// What is missing.
    pub fn at(level: SandboxLevel) -> Result<Isolation, SandboxError> {
        sandbox::probe(level)?;
        let mut obstacles = Vec::new();
        if level == SandboxLevel::Bubblewrap {
            obstacles.extend(try_overlay().err());
        }
        let overlays = level == SandboxLevel::Bubblewrap && obstacles.is_empty();
        Ok(Isolation { level, overlays, obstacles })
    }
}

/// What a confined program may have beside the system's own programs and libraries.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Files and folders that it can read: toolchains, downloaded packages. What does not exist is passed over.
    pub readable: Vec<PathBuf>,
    /// One folder that it can write, for what it keeps between two runs. It must exist.
    pub cache: Option<PathBuf>,
}

/// Runs the program confined, without a tree: it starts in an empty folder, whatever `cwd` says.
///
/// # Errors
/// As [`crate::run`].
pub fn run_confined(
    program: &Program,
    isolation: &Isolation,
    access: &Access,
    stop: &Stop,
) -> Result<ProgramOutput, LaunchError> {
    let private = Private::new().map_err(|error| no_folder(program, error))?;
    let program = program.clone().in_folder(&private.home());
    run_in(&program, &VisibleTree::default(), &private, isolation.level, access, stop)
}

pub(crate) fn no_folder(program: &Program, source: std::io::Error) -> LaunchError {
    LaunchError::system(program.name(), "make a private folder", source)
}

/// What a program sees of a tree.
#[derive(Default)]
pub(crate) struct VisibleTree {
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) overlay: Option<Overlay>,
}

/// An empty home with the folders that programs look for configuration in, and a folder for temporary files. Removed when it
/// goes out of use.
pub(crate) struct Private {
    _folder: TempDir,
    path: PathBuf,
}

const FOLDERS: [(&str, &str); 7] = [
    ("HOME", "home"),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
    ("XDG_RUNTIME_DIR", "run"),
    ("TMPDIR", "tmp"),
];

impl Private {
    pub(crate) fn new() -> std::io::Result<Private> {
        let folder = tempfile::Builder::new().prefix("regreen-tool-").tempdir()?;
        // What a program may write must be named without a link.
        let path = fs::canonicalize(folder.path())?;
        for (_, name) in FOLDERS {
            fs::create_dir(path.join(name))?;
        }
        Ok(Private { _folder: folder, path })
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path.join("home")
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        // The program may have made it hard to remove. What is left is in a folder of temporary files, and private.
        let _ = remove_tree(&self.path);
    }
}

/// Runs the program in its folder with what it sees of the tree.
pub(crate) fn run_in(
    program: &Program,
    scene: &VisibleTree,
    private: &Private,
    level: SandboxLevel,
    access: &Access,
    stop: &Stop,
) -> Result<ProgramOutput, LaunchError> {
    if let Some(cause) = stop.cause() {
        return Err(LaunchError::Stopped { program: program.name(), cause });
    }
    let mut program = program.clone();
    for (name, folder) in FOLDERS {
        program.set_default(name, private.path.join(folder));
    }
    let job = job(&program, scene, private, access);
    let mut cause = None;
    let ended = sandbox::run(&job, level, &mut || {
        cause = stop.cause();
        if cause.is_some() { Tick::Stop } else { Tick::Continue }
    })
    .map_err(|error| refused(&program, error))?;
    let name = program.name();
    let status = match ended.how {
        Exit::Code(code) => ProcessExit::Code(code),
        Exit::Signal(signal) => ProcessExit::Signal(signal),
        Exit::TimedOut => {
            return Err(LaunchError::TimedOut { program: name, limit: program.limits.time });
        }
        Exit::TooMuchOutput => {
            return Err(LaunchError::Flooded { program: name, limit: program.limits.output });
        }
        Exit::TooMuchDisk => return Err(LaunchError::Exhausted { program: name, what: "disk" }),
        Exit::TooMuchMemory => {
            return Err(LaunchError::Exhausted { program: name, what: "memory" });
        }
        Exit::Stopped => {
            let cause = cause.unwrap_or(StopCause::Cancelled);
            return Err(LaunchError::Stopped { program: name, cause });
        }
        _ => return Err(LaunchError::Exhausted { program: name, what: "processes" }),
    };
    Ok(ProgramOutput {
        status,
        stdout: ended.stdout.kept,
        stderr: ended.stderr.kept,
        level: ended.level,
    })
}

fn job(program: &Program, scene: &VisibleTree, private: &Private, access: &Access) -> Job {
    let mut writable = scene.writable.clone();
    writable.push(private.path.clone());
    writable.extend(access.cache.clone());
    let granted = access.readable.iter().filter(|path| path.exists());
    Job {
        program: program.path.clone(),
        args: program.args.clone(),
        directory: program.cwd.clone(),
        writable,
        readable: scene.readable.iter().chain(granted).cloned().collect(),
        overlay: scene.overlay.clone(),
        environment: program.env.clone(),
        stdin: program.stdin.clone(),
        network: false,
        limits: sandbox::Limits {
            time: program.limits.time,
            memory: program.limits.memory,
            // What is within the limit is kept whole.
            output: program.limits.output,
            output_total: program.limits.output,
            disk: program.limits.disk.unwrap_or(u64::MAX),
            processes: program.limits.processes,
        },
    }
}

fn refused(program: &Program, error: SandboxError) -> LaunchError {
    let name = program.name();
    match error {
        SandboxError::System { action, source } => LaunchError::system(name, action, source),
        SandboxError::Program { reason, .. } => {
            LaunchError::Unavailable { program: name, reason: reason.to_owned() }
        }
        other => LaunchError::Unavailable { program: name, reason: other.to_string() },
    }
}

/// Whether a program sees a file of a layer in place of the one beneath it, and one that is only beneath.
fn try_overlay() -> Result<(), String> {
    let failed = |what: &dyn std::fmt::Display| format!("trees cannot be overlaid: {what}");
    let prepare = || -> std::io::Result<(TempDir, PathBuf)> {
        let folder = tempfile::Builder::new().prefix("regreen-overlay-").tempdir()?;
        let path = fs::canonicalize(folder.path())?;
        for name in ["tree", "place/layer", "place/upper", "place/work"] {
            fs::create_dir_all(path.join(name))?;
        }
        for (name, text) in [("tree/a", "a"), ("tree/b", "b"), ("place/layer/a", "c")] {
            fs::write(path.join(name), text)?;
        }
        Ok((folder, path))
    };
    let (folder, path) = prepare().map_err(|error| failed(&error))?;
    let said = overlaid(&path.join("tree"), &path.join("place"));
    let written = fs::read(path.join("place/upper/new"));
    remove_run(&path.join("place"));
    drop(folder);
    let said = said.map_err(|error| failed(&error))?;
    match (said.as_slice(), written) {
        (b"cb", Ok(text)) if text == b"new" => Ok(()),
        _ => Err(failed(&"a program does not see what it should")),
    }
}

fn overlaid(tree: &Path, place: &Path) -> Result<Vec<u8>, SandboxError> {
    let job = Job {
        program: "/bin/sh".into(),
        args: ["-c", "cat a b; printf new >new"].map(Into::into).to_vec(),
        directory: tree.to_owned(),
        writable: vec![tree.to_owned()],
        readable: Vec::new(),
        overlay: Some(Overlay { directory: tree.to_owned(), place: place.to_owned() }),
        environment: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
        stdin: Vec::new(),
        network: false,
        limits: sandbox::Limits {
            time: Duration::from_secs(20),
            memory: 256 << 20,
            output: 1 << 10,
            output_total: 1 << 10,
            disk: 1 << 20,
            processes: 16,
        },
    };
    Ok(sandbox::run(&job, SandboxLevel::Bubblewrap, &mut || Tick::Continue)?.stdout.kept)
}
