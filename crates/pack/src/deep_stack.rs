//! Work that recurses: the evaluation of CEL expressions.

/// Fits every expression and document within the limits of guards.
const STACK_BYTES: usize = 64 << 20;

/// Runs `work` on a thread with a stack for every expression within the limits; `None` if there is none to be had.
pub(crate) fn on_a_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread =
            std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).ok()?;
        match thread.join() {
            Ok(result) => Some(result),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
