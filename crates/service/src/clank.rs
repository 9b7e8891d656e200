//! Clank programs: `compile`, `build` and `run`. Sources are read, put into canonical form in memory, and never written.

mod build;
mod compile;
mod document;
mod findings;
mod library;
mod places;
mod prover;
mod repaired;
mod run;
mod sources;

pub use build::{BuildReply, OutputFile, build};
pub use compile::{CompileReply, compile};
pub(crate) use document::lowered;
pub use prover::Z3_SOURCE;
pub(crate) use prover::{ProvedClank, Prover};
pub use run::{RunIo, RunOutcome, RunReply, TracePlace, run};

use clank_emit::Dialect;
use protocol::v1;

use crate::Frames;

/// What is said about a program, and what it takes to show it to people.
#[derive(Clone, Debug, Default)]
pub struct ClankFindings {
    /// In the total order of findings.
    pub diagnostics: Vec<v1::Diagnostic>,
    /// The texts that they are about.
    pub frames: Frames,
    /// The sources that `fix` would change.
    pub not_canonical: Vec<String>,
}

fn dialect(language: v1::Language) -> Dialect {
    match language {
        v1::Language::Js => Dialect::JavaScript,
        v1::Language::Ts => Dialect::TypeScript,
    }
}
