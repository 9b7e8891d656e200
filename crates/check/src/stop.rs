//! Asking work to end early. Whoever works looks at it between two files, two goals or two polls of a process.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Why work is to end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StopCause {
    /// Somebody does not want the answer any more.
    Cancelled,
    /// The time that was given is over.
    OutOfTime,
}

/// A wish that work ends, shared by those who may have it and those who do the work. It cannot be taken back.
#[derive(Clone, Default)]
pub struct Stop {
    state: Arc<AtomicU8>,
    is_late: Arc<AtomicBool>,
    /// Who else may want it: the wish for a part of the work leaves the rest of it alone.
    around: Option<Arc<dyn Fn() -> Option<StopCause> + Send + Sync>>,
}

impl Stop {
    /// Nobody wants to stop yet.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// A stop that also happens when `wish` says so. It is asked often.
    pub fn watching(wish: impl Fn() -> Option<StopCause> + Send + Sync + 'static) -> Stop {
        Stop { around: Some(Arc::new(wish)), ..Stop::default() }
    }

    /// A stop for a part of the work: it happens with this one, or alone.
    #[must_use]
    pub fn part(&self) -> Stop {
        let whole = self.clone();
        Stop::watching(move || whole.cause())
    }

    /// Asks for the end of the work. The first cause stays.
    pub fn set(&self, cause: StopCause) {
        let number = match cause {
            StopCause::Cancelled => 1,
            StopCause::OutOfTime => 2,
        };
        let _ = self.state.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Says that the end is near: what was begun may be finished, and nothing more is tried.
    pub fn hurry(&self) {
        self.is_late.store(true, Ordering::SeqCst);
    }

    /// Whether nothing more is to be tried.
    pub fn is_late(&self) -> bool {
        self.is_late.load(Ordering::SeqCst) || self.is_set()
    }

    /// Why the work is to end, if it is.
    pub fn cause(&self) -> Option<StopCause> {
        match self.state.load(Ordering::SeqCst) {
            1 => Some(StopCause::Cancelled),
            2 => Some(StopCause::OutOfTime),
            _ => self.around.as_ref().and_then(|wish| wish()),
        }
    }

    /// Whether the work is to end.
    pub fn is_set(&self) -> bool {
        self.cause().is_some()
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.cause()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_stops_its_parts_and_a_part_stops_alone() {
        let whole = Stop::new();
        let (part, other) = (whole.part(), whole.part());
        part.set(StopCause::OutOfTime);
        part.set(StopCause::Cancelled);
        assert_eq!(part.cause(), Some(StopCause::OutOfTime));
        assert!(!whole.is_set() && !other.is_set());
        whole.set(StopCause::Cancelled);
        assert_eq!(other.part().cause(), Some(StopCause::Cancelled));
        assert_eq!(part.cause(), Some(StopCause::OutOfTime));
    }
}
