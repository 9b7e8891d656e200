//! What a program on the embedded engine reads and writes.

use std::io::{BufRead, Write};

/// The streams of a program on the embedded engine.
pub struct Io<'a> {
    /// Standard input, read by lines as the program asks for them.
    pub input: &'a mut dyn BufRead,
    /// Standard output.
    pub output: &'a mut dyn Write,
    /// Standard error.
    pub errors: &'a mut dyn Write,
}
