//! A limit for the time that some work takes.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use check::{Stop, StopCause};

/// Stops some work when its time is over. Dropped with the work, it does nothing.
pub(crate) struct Timer {
    _running: Option<Sender<()>>,
}

impl Timer {
    /// Starts to wait. Without a limit, or without a thread to wait in, the work takes as long as it takes.
    pub(crate) fn start(stop: &Stop, limit: Option<Duration>) -> Timer {
        let Some(limit) = limit else { return Timer { _running: None } };
        let (sender, receiver) = channel::<()>();
        let stop = stop.clone();
        let wait = move || {
            if receiver.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                stop.set(StopCause::OutOfTime);
            }
        };
        let thread = std::thread::Builder::new().name("timer".to_owned()).spawn(wait);
        Timer { _running: thread.ok().map(|_| sender) }
    }
}
