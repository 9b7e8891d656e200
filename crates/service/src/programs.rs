//! Starting other programs on behalf of a front end, which asks git what changed. There is one way to start them.

pub use check::Stop;
pub use launch::{LaunchError, Program, ProgramOutput, run};
