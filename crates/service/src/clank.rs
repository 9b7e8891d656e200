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

use std::ops::Range;

use ::clank::emit::Dialect;
use check::Language;
use clank_syntax::TokenKind;
use edit::Text;
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

/// What the engine has to know about Clank.
pub(crate) const LANGUAGE: Language = Language { name: "Clank", comments, fault };

/// Why a text is no program: the first thing that cannot be read.
fn fault(text: &Text) -> Option<String> {
    let Ok(text) = std::str::from_utf8(text.bytes()) else { return Some("it is not UTF-8".into()) };
    clank_syntax::parse("", text).errors.first().map(|it| it.message.clone())
}

/// Where the comments of a program are.
fn comments(text: &Text) -> Vec<Range<u32>> {
    let Ok(text) = std::str::from_utf8(text.bytes()) else { return Vec::new() };
    let (tokens, _) = clank_syntax::lex(text);
    let is_comment =
        |it: &usize| matches!(tokens.kind(*it), TokenKind::LineComment | TokenKind::BlockComment);
    let spans = (0..tokens.len()).filter(is_comment).map(|it| tokens.span(it));
    spans.map(|it| it.start..it.end).collect()
}
