//! What would fit into a hole. Only what is whole: a candidate with holes of its own leaves as much to be written.

use check::Confidence;
use clank::body::Hole;
use clank_syntax::ast::NodeId;

use super::make::source;
use super::{Candidate, RepairContext};
use crate::FindingId;

pub(super) fn propose(
    scene: RepairContext<'_>,
    node: NodeId,
    hole: &Hole,
    target: FindingId,
) -> Vec<Candidate> {
    let whole = hole.candidates.iter().filter(|it| !has_hole(&it.text));
    whole
        .map(|it| {
            let confidence = match it.confidence {
                Confidence::Low => Confidence::Low,
                Confidence::High | Confidence::Medium => Confidence::Medium,
            };
            Candidate::new(scene, target, format!("fill the hole with `{}`", it.text))
                .because(it.description.clone())
                .confidence(confidence)
                .op(scene.replace(node, source(&it.text)))
        })
        .collect()
}

fn has_hole(text: &str) -> bool {
    let tokens = clank_syntax::lex(text).0;
    (0..tokens.len()).any(|it| tokens.text(it) == "_" || tokens.text(it).starts_with('?'))
}
