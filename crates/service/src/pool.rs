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

/// Starts `jobs` threads, or as many as there are processors.
pub(crate) fn start(jobs: Option<usize>) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new().stack_size(STACK_BYTES).num_threads(jobs.unwrap_or(0));
    builder.build().map_err(|error| Failure::Threads { message: error.to_string() })
}

/// How many threads the current work has.
pub(crate) fn n_threads() -> usize {
    rayon::current_num_threads()
}
