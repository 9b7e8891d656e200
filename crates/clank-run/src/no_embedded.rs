//! The embedded engine of a program that was built without the feature `javascript`: there is none.

use std::convert::Infallible;

use crate::io::Io;
use crate::outcome::{Limits, ProgramExit, RunError};
use crate::program::Program;

/// Runs no program.
pub fn run(program: &Program, limits: &Limits, io: Io<'_>) -> Result<ProgramExit, RunError> {
    Engine::prepare(limits)?.run(program, io)
}

/// An engine that cannot be made.
#[derive(Debug)]
pub struct Engine {
    never: Infallible,
}

impl Engine {
    /// Says that there is none.
    pub fn prepare(_: &Limits) -> Result<Engine, RunError> {
        Err(RunError::NoEngine)
    }

    /// Runs no program.
    pub fn run(self, _: &Program, _: Io<'_>) -> Result<ProgramExit, RunError> {
        match self.never {}
    }
}
