//! Makes a program that shows a fault smaller, as long as it still shows a fault of that kind.

use clank_syntax::Span;
use clank_syntax::ast::{AstKind, NodeId};

/// The smaller program. Declarations and statements are taken away, and expressions are replaced by their parts.
pub(super) fn shrink(text: &str, fault: &dyn Fn(&str) -> Option<String>, found: &str) -> String {
    let wanted = kind(found);
    let still = |text: &str| fault(text).is_some_and(|it| kind(&it) == wanted);
    let mut text = text.to_owned();
    let mut tries = 1500;
    'again: loop {
        for candidate in candidates(&text) {
            if tries == 0 {
                return text;
            }
            tries -= 1;
            if still(&candidate) {
                text = candidate;
                continue 'again;
            }
        }
        return text;
    }
}

/// What faults have in common that are probably one: the first words.
pub(super) fn kind(fault: &str) -> String {
    fault.split([':', '`']).next().unwrap_or_default().to_owned()
}

/// Smaller programs, those that lose most first.
pub(super) fn candidates(text: &str) -> impl Iterator<Item = String> + use<> {
    let parsed = clank_syntax::parse("main.clank", text);
    let ast = &parsed.ast;
    let mut cuts: Vec<(Span, Option<Span>)> = Vec::new();
    for index in 0..ast.nodes().len() {
        let node = NodeId(index as u32);
        let span = ast.span(node);
        match &ast.node(node).kind {
            AstKind::Decl(_) | AstKind::Stmt(_) => cuts.push((span, None)),
            AstKind::Expr(_) => {
                for inner in ast.subtree(node).map(NodeId).filter(|it| *it != node) {
                    if matches!(ast.node(inner).kind, AstKind::Expr(_)) {
                        cuts.push((span, Some(ast.span(inner))));
                    }
                }
            }
            _ => {}
        }
    }
    let length = |it: &Span| it.end - it.start;
    cuts.sort_by_key(|(cut, kept)| {
        std::cmp::Reverse(length(cut) - kept.as_ref().map_or(0, length))
    });
    let text = text.to_owned();
    cuts.into_iter().map(move |(cut, kept)| {
        let kept = kept.map_or("", |it| &text[it.start as usize..it.end as usize]);
        let (start, end) = (cut.start as usize, cut.end as usize);
        format!("{}{kept}{}", &text[..start], &text[end..])
    })
}
