//! Room for recursion over trees that hostile input makes deep.

/// How much stack must be left before a step down, and how much is added if it is not.
const RED_ZONE: usize = 128 << 10;
const GROWTH: usize = 4 << 20;

/// Runs one step of a recursion, on a new piece of stack if little is left. Every function that calls itself on a
/// child of a tree goes through it: a chain of operators may be [`crate::ast::MAX_CHAIN`] nodes deep.
pub fn with_stack<T>(step: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, GROWTH, step)
}
