//! Signals that arrive while files are being written. Who handles signals sets the number here and lets the process go
//! on while [`Interrupts::is_writing`]; the transaction then ends whole: taken back before the point of no return,
//! finished after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What a signal handler and a transaction tell one another.
#[derive(Clone, Debug, Default)]
pub struct Interrupts {
    is_idle: Arc<AtomicBool>,
    signal: Arc<AtomicUsize>,
}

impl Interrupts {
    /// Nothing is being written and no signal arrived.
    pub fn new() -> Interrupts {
        Interrupts { is_idle: Arc::new(AtomicBool::new(true)), signal: Arc::default() }
    }

    /// True while no files are being written: a signal may end the process.
    pub fn idle_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.is_idle)
    }

    /// Where the number of a signal that arrived is noted.
    pub fn signal_slot(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.signal)
    }

    /// The signal that arrived while files were being written.
    pub fn received(&self) -> Option<i32> {
        i32::try_from(self.signal.load(Ordering::SeqCst)).ok().filter(|it| *it != 0)
    }

    /// Whoever wrote has told what became of it: from here on a signal may end the process again.
    pub fn set_idle(&self) {
        self.is_idle.store(true, Ordering::SeqCst);
    }

    /// Files are being written until the guard is dropped, or, once they are written, until that is told.
    pub(crate) fn begin(&self) -> Writing<'_> {
        self.is_idle.store(false, Ordering::SeqCst);
        Writing { interrupts: self, is_written: false }
    }
}

pub(crate) struct Writing<'a> {
    interrupts: &'a Interrupts,
    is_written: bool,
}

impl Writing<'_> {
    /// The files are written. A signal that comes before anybody was told must not end the process in silence.
    pub(crate) fn written(mut self) {
        self.is_written = true;
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        if !self.is_written {
            self.interrupts.set_idle();
        }
    }
}
