//! Runs a program of somebody else inside a scope that the kernel enforces.
//!
//! A [`Job`] names the program and everything that it may have: the paths that it may write, what it may read
//! beyond the system, its whole environment, the network or not, and its [`Limits`]. A [`Level`] says by
//! which means the kernel holds it to that; [`best`] finds the strongest one that works on this machine by
//! trying it. [`run`] starts the program, watches it, and returns when no process of it is alive.
//!
//! A level never gives less in silence: what it needs and does not find is an error.
//! `docs/decisions/0015-sandbox.md` says what each level holds and what stays open.
//!
//! Knows nothing about records, workspaces or what the program is for.
#![warn(missing_docs)]

mod job;
#[cfg(target_os = "linux")]
mod linux;

pub use job::{Ended, Exit, Job, Level, Limits, Output, SandboxError, Tick};

/// Runs the job at the level, and returns when it has ended and no process of it is alive.
///
/// `on_tick` is called a few times a second from the calling thread, and may stop the job. A program that
/// fails, or is ended because of a limit, is no error: see [`Exit`].
///
/// # Errors
/// If the job is not one that can be run (its paths, its program, its variables), if the level cannot be had
/// on this machine, or if the system refuses what watching needs. Nothing of the job is alive then either.
pub fn run(
    job: &Job,
    level: Level,
    on_tick: &mut dyn FnMut() -> Tick,
) -> Result<Ended, SandboxError> {
    #[cfg(target_os = "linux")]
    return linux::run(job, level, on_tick);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (job, on_tick);
        Err(SandboxError::Unavailable { level, reason: "it needs Linux".to_owned() })
    }
}

/// Whether the level works on this machine, found out by running a small program in it.
///
/// # Errors
/// What is missing, in words for the person who can install it.
pub fn probe(level: Level) -> Result<(), SandboxError> {
    let job = Job {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), "exit 7".into()],
        directory: "/usr".into(),
        writable: Vec::new(),
        readable: Vec::new(),
        environment: std::collections::BTreeMap::new(),
        stdin: Vec::new(),
        network: false,
        limits: Limits {
            time: std::time::Duration::from_secs(10),
            memory: 256 << 20,
            output: 4096,
            output_total: 1 << 20,
            disk: 1 << 20,
            processes: 64,
        },
    };
    let ended = run(&job, level, &mut || Tick::Continue)?;
    if ended.how == Exit::Code(7) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr.kept).trim().to_owned();
    Err(SandboxError::Unavailable {
        level,
        reason: if said.is_empty() { format!("{:?}", ended.how) } else { said },
    })
}

/// The strongest level that works on this machine; none if a program can only be run unconfined.
pub fn best() -> Option<Level> {
    [Level::Bubblewrap, Level::Landlock].into_iter().find(|level| probe(*level).is_ok())
}
