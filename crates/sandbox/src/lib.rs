//! Runs a program of somebody else inside a scope that the kernel enforces.
//!
//! A [`Job`] names the program and everything that it may have: the paths that it may write, what it may read
//! beyond the system, its whole environment, the network or not, and its [`Limits`]. A [`SandboxLevel`] says by
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

use std::sync::OnceLock;

pub use job::{Ended, Exit, Job, Limits, Overlay, SandboxError, SandboxLevel, StreamOutput, Tick};

/// The levels with a scope, the strongest first.
const CONFINING: [SandboxLevel; 2] = [SandboxLevel::Bubblewrap, SandboxLevel::Landlock];

/// Runs the job at the level, and returns when it has ended and no process of it is alive.
///
/// `on_tick` is called about twenty times a second from the calling thread, and may stop the job. A program that
/// fails, or is ended because of a limit, is not an error: see [`Exit`].
///
/// # Errors
/// If the job is not one that can be run (its paths, its program, its variables), if the level cannot be had
/// on this machine, or if the system refuses what watching needs. Nothing of the job is alive then either.
pub fn run(
    job: &Job,
    level: SandboxLevel,
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

/// Whether the level works on this machine and holds, found out by running a program in it that tries to get
/// out.
///
/// # Errors
/// What is missing, in words for the person who can install it; or what the program could do.
pub fn probe(level: SandboxLevel) -> Result<(), SandboxError> {
    #[cfg(target_os = "linux")]
    return linux::probe(level);
    #[cfg(not(target_os = "linux"))]
    Err(SandboxError::Unavailable { level, reason: "it needs Linux".to_owned() })
}

/// The strongest level that works on this machine and holds; none if a program can only be run unconfined. What
/// was found is remembered as long as the process lives.
pub fn best() -> Option<SandboxLevel> {
    static BEST: OnceLock<SandboxLevel> = OnceLock::new();
    if let Some(level) = BEST.get() {
        return Some(*level);
    }
    let level = CONFINING.into_iter().find(|level| probe(*level).is_ok())?;
    Some(*BEST.get_or_init(|| level))
}

/// Why each of the levels that confine cannot be used, the strongest first; nothing about one that can.
pub fn obstacles() -> Vec<SandboxError> {
    CONFINING.into_iter().filter_map(|level| probe(level).err()).collect()
}
