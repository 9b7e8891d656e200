//! Clank programs, for `compile`, `build`, `run` and whoever repairs them: sources are read, put into canonical form in memory,
//! and never written.

pub(crate) mod findings;
pub(crate) mod library;
pub(crate) mod places;
pub(crate) mod prover;
pub(crate) mod repair_document;
pub(crate) mod repaired;
pub(crate) mod sources;

pub use prover::Z3_SOURCE;
pub(crate) use prover::{ProvedClank, Prover};

use clank_emit::OutputLanguage;
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

pub(crate) fn dialect(language: v1::Language) -> OutputLanguage {
    match language {
        v1::Language::Js => OutputLanguage::JavaScript,
        v1::Language::Ts => OutputLanguage::TypeScript,
    }
}
