//! The sandbox on Linux: check the job, start it confined, watch it, leave nothing alive.

mod bubblewrap;
mod confine;
mod disk;
mod filter;
mod probe;
mod processes;
mod running;
mod scope;
mod start;
mod watch;

use std::io;
use std::sync::mpsc;
use std::thread;

pub(crate) use probe::probe;

use crate::{Ended, Exit, Job, SandboxError, SandboxLevel, Tick};

pub(crate) fn run(
    job: &Job,
    level: SandboxLevel,
    on_tick: &mut dyn FnMut() -> Tick,
) -> Result<Ended, SandboxError> {
    let scope = scope::check(job)?;
    thread::scope(|threads| {
        let (tell, told) = mpsc::channel();
        let (hold, held) = mpsc::channel::<()>();
        let starter = &scope;
        let thread = threads.spawn(move || {
            // The receiver waits for exactly this; it cannot be gone.
            let _ = tell.send(start::start(starter, level));
            let _ = held.recv();
        });
        let started = told
            .recv()
            .map_err(|_| system("start a thread", io::Error::other("it ended early")))?;
        // Parenthood is a thread's: when this one ends, `bwrap --die-with-parent` ends. At the other levels
        // it must be gone before the job begins, because it is part of the domain: a signal to it would reach
        // the whole caller.
        let hold = (level == SandboxLevel::Bubblewrap).then_some(hold);
        if hold.is_none() {
            thread.join().map_err(|_| system("start a thread", io::Error::other("it panicked")))?;
        }
        let ended = watch::watch(started?, &scope, level, on_tick);
        drop(hold);
        let ended = ended?;
        if job.overlay.is_some() && ended.how == Exit::Code(125) {
            let said = String::from_utf8_lossy(&ended.stderr.kept);
            if said.trim_end().ends_with(bubblewrap::NOT_COVERED) {
                let reason = said.replace('\n', " ").trim().to_owned();
                return Err(SandboxError::Unavailable { level, reason });
            }
        }
        Ok(ended)
    })
}

fn system(action: &'static str, source: impl Into<io::Error>) -> SandboxError {
    SandboxError::System { action, source: source.into() }
}
