//! The threads that a command works with.

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;

/// Documents may be nested deeply, and so may the work on them.
const STACK_BYTES: usize = 8 << 20;

/// Does the work with `jobs` threads, or as many as there are processors.
pub(crate) fn work<T: Send>(
    jobs: Option<usize>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    start(jobs)?.install(work)
}

/// Up to so many bytes of programs are compiled before threads that could help have started.
const SMALL: usize = 16 << 10;

/// Does work on programs of so many bytes, with threads if that pays.
pub(crate) fn work_on<T: Send>(
    n_bytes: usize,
    work_on_it: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    match n_bytes <= SMALL {
        true => work_here(work_on_it),
        false => work(None, work_on_it),
    }
}

/// Does work that is too little for threads on the calling one: to start them, each with memory of its own, would take
/// longer than they save.
fn work_here<T: Send>(work: impl FnOnce() -> Result<T, Failure> + Send) -> Result<T, Failure> {
    match ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
        Ok(alone) => alone.install(work),
        // This thread works for a pool already.
        Err(_) => work(),
    }
}

/// Starts `jobs` threads, or as many as there are processors.
pub(crate) fn start(jobs: Option<usize>) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new().stack_size(STACK_BYTES).num_threads(jobs.unwrap_or(0));
    builder.build().map_err(|error| Failure::Threads { message: error.to_string() })
}

/// Drops something large on another thread, if there is one: what is known about a tree is millions of pieces, and nobody
/// waits for them.
pub(crate) fn discard<T: Send + 'static>(thing: T) {
    if n_threads() > 1 {
        rayon::spawn(move || drop(thing));
    }
}

/// How many threads the current work has.
pub(crate) fn n_threads() -> usize {
    rayon::current_num_threads()
}
