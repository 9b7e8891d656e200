//! Predicates as text, with names replaced by what stands for them (row 9).
//!
//! A predicate may come from another module, of which only its text is known here. Names are replaced on its tokens, all
//! at once, and never so that a name inside the predicate catches one that is put in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clank_syntax::ast::{Ast, Builder, Expr, ExprId, Name, NodeId, Source};
use clank_syntax::{Fragment, Span, TokenKind, Tokens, lex, parse_fragment};
use rustc_hash::FxHashSet;

use crate::ty::{Given, GivenValue, Meaning, Predicate, Ty};

/// Expressions with more nodes than this are not repeated in goals.
pub(super) const MAX_NODES: usize = 120;

/// What stands for an expression that is too long to be repeated.
pub(super) const UNSPOKEN: &str = "…";

/// What is put in for a name.
#[derive(Clone, Debug)]
pub(super) struct Substitution {
    pub(super) name: Name,
    /// Clank text that can stand anywhere.
    pub(super) text: String,
    /// What the names in the text mean.
    pub(super) names: Vec<(Name, Meaning)>,
    /// The same, to be evaluated where the predicate is asked; `None` if that cannot be done again.
    pub(super) value: Option<GivenValue>,
}

impl Substitution {
    pub(super) fn renaming(from: &Name, to: &str) -> Substitution {
        Substitution { name: from.clone(), text: to.to_owned(), names: Vec::new(), value: None }
    }
}

/// An expression as text that can stand for a name anywhere, or `None` if it is too long for that or takes several
/// lines.
pub(super) fn operand_text(ast: &Ast, expr: ExprId) -> Option<String> {
    let text = expr_text(ast, expr)?;
    let is_whole = matches!(
        ast.expr(expr),
        Expr::Literal(_)
            | Expr::Ident { .. }
            | Expr::Call { .. }
            | Expr::Index { .. }
            | Expr::Field { .. }
            | Expr::Array { .. }
            | Expr::Tuple { .. }
            | Expr::Template { .. }
    );
    Some(if is_whole { text } else { format!("({text})") })
}

/// An expression on one line, unless it is too long or takes several (a template may hold line ends).
pub(super) fn expr_text(ast: &Ast, expr: ExprId) -> Option<String> {
    let mut left = MAX_NODES;
    let mut work: Vec<NodeId> = vec![expr.node()];
    while let Some(node) = work.pop() {
        left = left.checked_sub(1)?;
        ast.for_each_child(node, &mut |child| work.push(child));
    }
    Some(clank_syntax::print_expr(ast, expr)).filter(|it| !it.contains('\n'))
}

/// The text with names replaced, or `None` if that cannot be done without changing what other names mean.
pub(super) fn replace(text: &str, replacements: &[Substitution]) -> Option<String> {
    let tokens = lex(text).0;
    let bound = bound_names(&tokens)?;
    if replacements.iter().any(|it| bound.contains(it.name.as_str())) {
        return None;
    }
    let mut all = replacements.to_vec();
    if !bound.is_empty() {
        // What a lambda would catch makes it call its own names differently.
        let mut taken: FxHashSet<String> = identifiers(text).collect();
        taken.extend(replacements.iter().flat_map(|it| identifiers(&it.text)));
        for name in &bound {
            if !replacements.iter().any(|it| identifiers(&it.text).any(|used| used == *name)) {
                continue;
            }
            let mut other = format!("{name}_");
            while !taken.insert(other.clone()) {
                other.push('_');
            }
            all.push(Substitution::renaming(&Name::from(name.as_str()), &other));
        }
    }
    let mut out = String::with_capacity(text.len());
    for index in 0..tokens.len() {
        let found = tokens.text(index);
        let is_free = tokens.kind(index) == TokenKind::Ident && !is_after_dot(&tokens, index);
        match all.iter().find(|it| is_free && it.name == found) {
            Some(it) => out.push_str(&it.text),
            None => out.push_str(found),
        }
    }
    Some(out)
}

/// The names that lambdas in the text bind; `None` if there are other things that may bind names.
fn bound_names(tokens: &Tokens) -> Option<BTreeSet<String>> {
    let mut bound = BTreeSet::new();
    let mut in_head = false;
    for index in 0..tokens.len() {
        match tokens.kind(index) {
            TokenKind::Lambda => in_head = true,
            TokenKind::Arrow => in_head = false,
            TokenKind::Ident if in_head => {
                bound.insert(tokens.text(index).to_owned());
            }
            TokenKind::LBrace | TokenKind::Template | TokenKind::Match | TokenKind::Let => {
                return None;
            }
            _ => {}
        }
    }
    Some(bound)
}

fn is_after_dot(tokens: &Tokens, index: usize) -> bool {
    let before = (0..index).rev().find(|&it| !tokens.kind(it).is_trivia());
    before.is_some_and(|it| tokens.kind(it) == TokenKind::Dot)
}

/// The names in a text, those of fields left out.
fn identifiers(text: &str) -> impl Iterator<Item = String> {
    let tokens = lex(text).0;
    let found: Vec<String> = (0..tokens.len())
        .filter(|&index| tokens.kind(index) == TokenKind::Ident && !is_after_dot(&tokens, index))
        .map(|index| tokens.text(index).to_owned())
        .collect();
    found.into_iter()
}

/// The names in a predicate besides that of its value.
pub(super) fn other_names(predicate: &Predicate) -> impl Iterator<Item = String> {
    let variable = predicate.variable.clone();
    identifiers(&predicate.text).filter(move |it| *it != variable.as_str())
}

/// Whether the value of a type that has `known` satisfies `wanted` because they say the same about the same things. What
/// was said of a local may not hold any more if it can change, unless the value is made here: then its type is the
/// one that is wanted.
pub(super) fn says_same(known: &Predicate, wanted: &Predicate, is_made_here: bool) -> bool {
    let is_one =
        (&known.module, known.expr, &known.given) == (&wanted.module, wanted.expr, &wanted.given);
    let can_be_compared = known.is_lasting() || is_made_here && is_one;
    if known.names != wanted.names || !can_be_compared {
        return false;
    }
    if known.variable == wanted.variable {
        return known.text == wanted.text;
    }
    let renamed = Substitution::renaming(&known.variable, &wanted.variable);
    !identifiers(&known.text).any(|it| it == wanted.variable.as_str())
        && replace(&known.text, &[renamed]).is_some_and(|it| it == wanted.text)
}

/// Whether a type has a predicate anywhere.
pub(super) fn has_predicate(ty: &Ty) -> bool {
    match ty {
        Ty::Refined(_) => true,
        Ty::Var(_) | Ty::Prim(_) | Ty::Param(_) | Ty::Never | Ty::Error => false,
        _ => ty.parts().any(has_predicate),
    }
}

/// The type with names in its predicates replaced. The variable of a predicate gets another name if it would catch
/// one that is put in. A predicate in which that cannot be done stays as it is: it is asked of a value, by who knows
/// what its names mean.
pub(super) fn replace_in_type(ty: &Ty, replacements: &[Substitution]) -> Ty {
    if replacements.is_empty() {
        return ty.clone();
    }
    let or_unclear = |it: &Predicate| {
        let is_replaced = |name: &Name| replacements.iter().any(|it| it.name == *name);
        let names = it.names.iter().map(|(name, meaning)| match is_replaced(name) {
            true => (name.clone(), Meaning::Unclear),
            false => (name.clone(), meaning.clone()),
        });
        let given = given_after(it, replacements);
        Predicate { names: names.collect(), given, ..it.clone() }
    };
    map_predicates(ty, &|it| {
        replace_in_predicate(it, replacements).or_else(|| Some(or_unclear(it)))
    })
}

/// The same for the type of a value that is there: predicates in which names cannot be replaced, or that could not be
/// asked again, are forgotten.
pub(super) fn replace_in_result(ty: &Ty, replacements: &[Substitution]) -> Ty {
    let can_be_asked = |it: &Predicate| {
        let given = it.given.as_ref();
        given.is_none_or(|it| it.values.iter().all(|it| it.1.is_some()))
    };
    map_predicates(ty, &|it| {
        replace_in_predicate(it, replacements)
            .filter(|it| !it.text.contains(UNSPOKEN) && can_be_asked(it))
    })
}

/// The type without predicates that are about more than the value.
pub(super) fn closed_type(ty: &Ty) -> Ty {
    map_predicates(ty, &|it| it.is_closed().then(|| it.clone()))
}

fn map_predicates(ty: &Ty, change: &dyn Fn(&Predicate) -> Option<Predicate>) -> Ty {
    if !has_predicate(ty) {
        return ty.clone();
    }
    match ty {
        Ty::Refined(it) => {
            let predicates = it.predicates.iter().filter_map(change).collect();
            crate::resolve::refined(map_predicates(&it.base, change), predicates)
        }
        _ => {
            let parts = ty.parts().map(|it| map_predicates(it, change)).collect();
            super::table::with_parts(ty, parts)
        }
    }
}

fn replace_in_predicate(predicate: &Predicate, replacements: &[Substitution]) -> Option<Predicate> {
    let variable = &predicate.variable;
    let others: Vec<Substitution> =
        replacements.iter().filter(|it| it.name != *variable).cloned().collect();
    let used: FxHashSet<String> = identifiers(&predicate.text).collect();
    let put_in: FxHashSet<String> = others
        .iter()
        .filter(|it| used.contains(it.name.as_str()))
        .flat_map(|it| identifiers(&it.text))
        .collect();
    if put_in.is_empty() && !others.iter().any(|it| used.contains(it.name.as_str())) {
        return Some(predicate.clone());
    }
    let mut all = others;
    let mut name = variable.clone();
    while put_in.contains(name.as_str()) || (name != *variable && used.contains(name.as_str())) {
        name = Name::from(format!("{name}_"));
    }
    if name != *variable {
        all.push(Substitution::renaming(variable, &name));
    }
    let text = simplified(&replace(&predicate.text, &all)?);
    let names = names_after(predicate, &all);
    let given = given_after(predicate, replacements);
    Some(Predicate { variable: name, text, names, given, ..predicate.clone() })
}

/// What stands for the names that something around the predicate binds.
fn given_after(predicate: &Predicate, replacements: &[Substitution]) -> Option<Arc<Given>> {
    let is_bound = |it: &&(Name, Meaning)| !matches!(it.1, Meaning::Global(..));
    let value = |name: &Name| {
        let found = replacements.iter().find(|it| it.name == *name);
        (name.clone(), found.and_then(|it| it.value.clone()))
    };
    let bound = predicate.names.iter().filter(is_bound);
    // A lambda in the predicate may bind the name, too: then nothing needs to stand for it.
    let is_needed = |it: &&(Name, Meaning)| {
        it.1 != Meaning::Unclear || replacements.iter().any(|other| other.name == it.0)
    };
    let values = bound.filter(is_needed).map(|it| value(&it.0)).collect();
    Some(Arc::new(Given { variable: predicate.variable.clone(), values }))
}

/// What the names of a predicate mean after names were replaced.
fn names_after(predicate: &Predicate, replacements: &[Substitution]) -> Arc<[(Name, Meaning)]> {
    let mut names: BTreeMap<Name, Meaning> = BTreeMap::new();
    let mut add = |(name, meaning): &(Name, Meaning)| match names.get_mut(name) {
        // Two things of one name: the text does not tell them apart.
        Some(known) if known != meaning => *known = Meaning::Unclear,
        Some(_) => {}
        None => _ = names.insert(name.clone(), meaning.clone()),
    };
    for own in predicate.names.iter() {
        match replacements.iter().find(|it| it.name == own.0) {
            Some(it) => it.names.iter().for_each(&mut add),
            None => add(own),
        }
    }
    names.into_iter().collect()
}

/// The predicate about what is written as `operand`; as `v | p` if the two cannot be put together.
pub(super) fn goal_text(predicate: &Predicate, operand: Option<String>) -> String {
    let replaced = operand.and_then(|text| {
        replace(&predicate.text, &[Substitution::renaming(&predicate.variable, &text)])
    });
    match replaced {
        Some(text) => simplified(&text),
        None => format!("{} | {}", predicate.variable, predicate.text),
    }
}

/// The same expression without needless parentheses.
pub(super) fn simplified(text: &str) -> String {
    let source = Source { file: String::new(), text: String::new() };
    let mut builder = Builder::new(source);
    let printed = parse_fragment(&mut builder, "", text, Fragment::Expr).ok().and_then(|node| {
        let ast = builder.finish(Vec::new(), Span::default()).ok()?;
        Some(clank_syntax::print_node(&ast, node))
    });
    printed.unwrap_or_else(|| text.to_owned())
}
