//! A limit for the time that some work takes.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use check::{Stop, StopCause};

/// Stops some work when its time is over, and tells it when two thirds of it are. Dropped with the work, it does nothing.
pub(crate) struct Timer {
    _running: Option<Sender<()>>,
}

impl Timer {
    /// Starts to wait. Without a limit, or without a thread to wait in, the work takes as long as it takes.
    pub(crate) fn start(stop: &Stop, limit: Option<Duration>) -> Timer {
        let Some(limit) = limit else { return Timer { _running: None } };
        let (sender, receiver) = channel::<()>();
        let stop = stop.clone();
        let is_over = move |limit| receiver.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
        let wait = move || {
            // What was found good by then is still to be confirmed by everybody.
            let rest = limit / 3;
            if is_over(limit.saturating_sub(rest)) {
                stop.hurry();
                if is_over(rest) {
                    stop.set(StopCause::OutOfTime);
                }
            }
        };
        let thread = std::thread::Builder::new().name("timer".to_owned()).spawn(wait);
        Timer { _running: thread.ok().map(|_| sender) }
    }
}
