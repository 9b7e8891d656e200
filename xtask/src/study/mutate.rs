//! The mistakes that are made in programs: each on the tree, as a patch, where it is one.

use std::collections::BTreeSet;

use clank_syntax::ast::{
    Arm, Ast, AstKind, BinaryOp, Decl, DeclId, Expr, ExprId, FnDecl, Literal, Name, NodeId,
    Pattern, Stmt, TemplatePart, Type, TypeId,
};
use clank_syntax::patch::{PatchOp, Payload};
use serde_json::{Value, json};

use super::random::Random;

/// What kind of mistake.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum ProgramFault {
    VariableTypo,
    FieldTypo,
    TypeTypo,
    FunctionTypo,
    DroppedArgument,
    ExtraArgument,
    DroppedArm,
    DroppedMut,
    DroppedEffect,
    WrongLiteral,
    DroppedRefinement,
    DroppedField,
    UnguardedIndex,
    UnguardedDivision,
    UnusedName,
}

impl ProgramFault {
    pub(super) const ALL: [ProgramFault; 15] = [
        ProgramFault::VariableTypo,
        ProgramFault::FieldTypo,
        ProgramFault::TypeTypo,
        ProgramFault::FunctionTypo,
        ProgramFault::DroppedArgument,
        ProgramFault::ExtraArgument,
        ProgramFault::DroppedArm,
        ProgramFault::DroppedMut,
        ProgramFault::DroppedEffect,
        ProgramFault::WrongLiteral,
        ProgramFault::DroppedRefinement,
        ProgramFault::DroppedField,
        ProgramFault::UnguardedIndex,
        ProgramFault::UnguardedDivision,
        ProgramFault::UnusedName,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            ProgramFault::VariableTypo => "variable-typo",
            ProgramFault::FieldTypo => "field-typo",
            ProgramFault::TypeTypo => "type-typo",
            ProgramFault::FunctionTypo => "function-typo",
            ProgramFault::DroppedArgument => "dropped-argument",
            ProgramFault::ExtraArgument => "extra-argument",
            ProgramFault::DroppedArm => "dropped-arm",
            ProgramFault::DroppedMut => "dropped-mut",
            ProgramFault::DroppedEffect => "dropped-effect",
            ProgramFault::WrongLiteral => "wrong-literal",
            ProgramFault::DroppedRefinement => "dropped-refinement",
            ProgramFault::DroppedField => "dropped-field",
            ProgramFault::UnguardedIndex => "unguarded-index",
            ProgramFault::UnguardedDivision => "unguarded-division",
            ProgramFault::UnusedName => "unused-name",
        }
    }

    pub(super) fn is_typo(self) -> bool {
        self <= ProgramFault::FunctionTypo
    }
}

/// A mistake that can be made.
pub(super) struct Mutation {
    /// What was done, for people.
    pub(super) title: String,
    pub(super) ops: Vec<PatchOp>,
}

/// All places where a mistake of a kind can be made in a program, in their order. Both kinds of missing guards come from
/// the same changes: what is unguarded then, if anything is, is for the caller to look at.
pub(super) fn mutations(ast: &Ast, fault: ProgramFault, random: &mut Random) -> Vec<Mutation> {
    let names = Names::new(ast);
    let places = (0..ast.nodes().len() as u32).map(NodeId);
    let mut all = Vec::new();
    for node in places {
        let made: Vec<(String, PatchOp)> = match fault {
            ProgramFault::VariableTypo
            | ProgramFault::FieldTypo
            | ProgramFault::TypeTypo
            | ProgramFault::FunctionTypo => {
                typo(ast, node, fault, &names, random).into_iter().collect()
            }
            ProgramFault::DroppedArgument => {
                dropped_argument(ast, node, random).into_iter().collect()
            }
            ProgramFault::ExtraArgument => extra_argument(ast, node, random).into_iter().collect(),
            ProgramFault::DroppedArm => dropped_arms(ast, node),
            ProgramFault::DroppedMut => dropped_mut(ast, node).into_iter().collect(),
            ProgramFault::DroppedEffect => dropped_effects(ast, node),
            ProgramFault::WrongLiteral => {
                wrong_literal(ast, node, &names, random).into_iter().collect()
            }
            ProgramFault::DroppedRefinement => dropped_refinements(ast, node),
            ProgramFault::DroppedField => dropped_fields(ast, node),
            ProgramFault::UnguardedIndex | ProgramFault::UnguardedDivision => {
                missing_guards(ast, node)
            }
            ProgramFault::UnusedName => {
                unused_name(ast, node, &names, random).into_iter().collect()
            }
        };
        all.extend(made.into_iter().map(|(title, op)| Mutation { title, ops: vec![op] }));
    }
    all
}

/// What names there are, and what they are for.
struct Names {
    /// Every word of the text.
    words: BTreeSet<String>,
    locals: BTreeSet<Name>,
    callees: BTreeSet<NodeId>,
    /// What is shown, whatever its type is.
    shown: BTreeSet<NodeId>,
    effects: BTreeSet<NodeId>,
}

impl Names {
    fn new(ast: &Ast) -> Names {
        let text = ast.sources().first().map_or("", |it| it.text.as_str());
        let words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
        let mut names = Names {
            words: words.map(str::to_owned).collect(),
            locals: BTreeSet::new(),
            callees: BTreeSet::new(),
            shown: BTreeSet::new(),
            effects: BTreeSet::new(),
        };
        for node in ast.nodes() {
            match &node.kind {
                AstKind::Pattern(Pattern::Ident { name }) => {
                    names.locals.insert(name.clone());
                }
                AstKind::Param(it) => drop(names.locals.insert(it.name.clone())),
                AstKind::LambdaParam(it) => drop(names.locals.insert(it.name.clone())),
                AstKind::FieldPattern(it) if it.pattern.is_none() => {
                    names.locals.insert(it.name.clone());
                }
                AstKind::Expr(Expr::Call { callee, args }) => {
                    names.callees.insert(callee.node());
                    if ast.text(*callee) == "to_string" {
                        names.shown.extend(args.iter().map(|it| it.node()));
                    }
                }
                AstKind::Expr(Expr::Template { parts }) => {
                    for part in parts {
                        if let TemplatePart::Expr(it) = part {
                            names.shown.insert(it.node());
                        }
                    }
                }
                AstKind::Type(Type::Effect { effects, .. }) => {
                    names.effects.extend(effects.iter().map(|it| it.node()));
                }
                _ => {}
            }
        }
        names
    }
}

fn id(ast: &Ast, node: impl Into<NodeId>) -> Name {
    ast.ids().id(node.into()).clone()
}

/// The node of the tree, moved.
fn moved(ast: &Ast, node: impl Into<NodeId>) -> Value {
    json!({ "node": id(ast, node).as_str() })
}

fn replace(ast: &Ast, node: impl Into<NodeId>, new_node: Value) -> PatchOp {
    PatchOp::ReplaceNode { node_id: id(ast, node), new_node: Payload(new_node) }
}

fn delete(ast: &Ast, node: impl Into<NodeId>) -> PatchOp {
    PatchOp::DeleteNode { node_id: id(ast, node) }
}

fn typo(
    ast: &Ast,
    node: NodeId,
    fault: ProgramFault,
    names: &Names,
    random: &mut Random,
) -> Option<(String, PatchOp)> {
    let (name, is_field) = match (&ast.node(node).kind, fault) {
        (AstKind::Expr(Expr::Ident { name }), ProgramFault::VariableTypo) => {
            (names.locals.contains(name) && !names.callees.contains(&node))
                .then_some((name, false))?
        }
        (AstKind::Expr(Expr::Ident { name }), ProgramFault::FunctionTypo) => {
            let is_function = names.callees.contains(&node) && !names.locals.contains(name);
            (is_function && name.starts_with(|it: char| it.is_lowercase()))
                .then_some((name, false))?
        }
        (AstKind::Expr(Expr::Field { field, .. }), ProgramFault::FieldTypo) => {
            field.starts_with(|it: char| it.is_lowercase()).then_some((field, true))?
        }
        (AstKind::Type(Type::Named { name, .. }), ProgramFault::TypeTypo) => {
            let is_written = ast.text(node).starts_with(name.as_str());
            (is_written && name.len() > 1 && !names.effects.contains(&node))
                .then_some((name, false))?
        }
        _ => return None,
    };
    let new_name = Name::from(random.typo(name, &names.words)?);
    let title = format!("`{name}` is written `{new_name}`");
    let (node_id, old_name) = (id(ast, node), name.clone());
    Some((
        title,
        match is_field {
            true => PatchOp::RenameField { node_id, old_name, new_name },
            false => PatchOp::RenameSymbol { node_id, old_name, new_name },
        },
    ))
}

fn dropped_argument(ast: &Ast, node: NodeId, random: &mut Random) -> Option<(String, PatchOp)> {
    let AstKind::Expr(Expr::Call { args, .. }) = &ast.node(node).kind else { return None };
    let arg = *args.get(random.below(args.len().max(1)))?;
    Some((format!("`{}` loses `{}`", ast.text(node), ast.text(arg)), delete(ast, arg)))
}

fn extra_argument(ast: &Ast, node: NodeId, random: &mut Random) -> Option<(String, PatchOp)> {
    let AstKind::Expr(Expr::Call { callee, args }) = &ast.node(node).kind else { return None };
    let extra = match args.last() {
        Some(last) if random.below(2) == 0 => format!("({})", ast.text(*last)),
        _ => ["0", "true", "\"\""][random.below(3)].to_owned(),
    };
    let place = random.below(args.len() + 1);
    let mut all: Vec<Value> = args.iter().map(|it| moved(ast, *it)).collect();
    all.insert(place, json!({ "source": extra }));
    let title = format!("`{}` gets {extra} at {place}", ast.text(node));
    let call = json!({ "kind": "call", "callee": moved(ast, *callee), "args": all });
    Some((title, replace(ast, node, call)))
}

/// Arms without which a `match` has no answer for some value: the only one of its variant or Boolean if there is no arm
/// for everything, or the one for everything.
fn dropped_arms(ast: &Ast, node: NodeId) -> Vec<(String, PatchOp)> {
    let AstKind::Expr(Expr::Match { arms, .. }) = &ast.node(node).kind else { return Vec::new() };
    let head = |arm: &Arm| match ast.pattern(arm.pattern) {
        Pattern::Variant { name, .. } => Some(name.to_string()),
        Pattern::Literal(Literal::Bool(it)) => Some(it.to_string()),
        Pattern::Wildcard | Pattern::Ident { .. } => Some("_".to_owned()),
        _ => None,
    };
    let heads: Vec<Option<String>> = arms.iter().map(|it| head(ast.arm(*it))).collect();
    let for_all = heads.iter().any(|it| it.as_deref() == Some("_"));
    let is_needed = |index: usize| match &heads[index] {
        Some(head) if ast.arm(arms[index]).guard.is_none() => {
            let is_only = heads.iter().filter(|it| it.as_ref() == Some(head)).count() == 1;
            is_only && for_all == (head == "_")
        }
        _ => false,
    };
    let needed = (0..arms.len()).filter(|it| arms.len() > 1 && is_needed(*it));
    needed.map(|it| (format!("no arm `{}`", ast.text(arms[it])), delete(ast, arms[it]))).collect()
}

fn dropped_mut(ast: &Ast, node: NodeId) -> Option<(String, PatchOp)> {
    let AstKind::Stmt(Stmt::Let { pattern, ty, init, mutable: true }) = &ast.node(node).kind else {
        return None;
    };
    let mut new = json!({
        "kind": "let", "pattern": moved(ast, *pattern), "init": moved(ast, *init), "mutable": false
    });
    if let Some(ty) = ty {
        new["type"] = moved(ast, *ty);
    }
    Some((format!("`{}` is not mut", ast.text(*pattern)), replace(ast, node, new)))
}

fn function(ast: &Ast, node: NodeId) -> Option<&FnDecl> {
    match ast.decl(DeclId::of(ast, node)?) {
        Decl::Fn(it) => Some(it),
        _ => None,
    }
}

fn dropped_effects(ast: &Ast, node: NodeId) -> Vec<(String, PatchOp)> {
    let Some(function) = function(ast, node) else { return Vec::new() };
    let written = function.return_type;
    let title = |it: TypeId| format!("{} loses {}", function.name, ast.text(it));
    match ast.ty(written) {
        Type::Effect { effects, result } if effects.len() == 1 => {
            vec![(title(effects[0]), replace(ast, written, moved(ast, *result)))]
        }
        Type::Effect { effects, .. } => {
            effects.iter().map(|it| (title(*it), delete(ast, *it))).collect()
        }
        Type::Named { name, args } if matches!(name.as_str(), "IO" | "Err" | "Async") => {
            let inner = args.last();
            inner
                .map(|it| (title(written), replace(ast, written, moved(ast, *it))))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    }
}

/// A literal of another kind, except where anything can be shown.
fn wrong_literal(
    ast: &Ast,
    node: NodeId,
    names: &Names,
    random: &mut Random,
) -> Option<(String, PatchOp)> {
    let AstKind::Expr(Expr::Literal(literal)) = &ast.node(node).kind else { return None };
    if names.shown.contains(&node) {
        return None;
    }
    let first = random.below(2) == 0;
    let wrong = match literal {
        Literal::Int { value, .. } if first => format!("\"{value}\""),
        Literal::Int { value, .. } => format!("{value}.0"),
        Literal::Float(value) if first => format!("\"{value:?}\""),
        Literal::Float(value) => format!("{value:.0}"),
        Literal::Str(text) => format!("{}", text.len()),
        Literal::Bool(value) if first => format!("\"{value}\""),
        Literal::Bool(value) => u8::from(*value).to_string(),
        Literal::Unit => return None,
    };
    let title = format!("{wrong} for {}", ast.text(node));
    Some((title, replace(ast, node, json!({ "source": wrong }))))
}

fn dropped_refinements(ast: &Ast, node: NodeId) -> Vec<(String, PatchOp)> {
    if let AstKind::Type(Type::Refined { base, .. }) = &ast.node(node).kind {
        let title = format!("`{}` is not refined", ast.text(node));
        return vec![(title, replace(ast, node, moved(ast, *base)))];
    }
    let Some(function) = function(ast, node) else { return Vec::new() };
    let conditions = function.precondition.into_iter().chain(function.postcondition);
    conditions
        .map(|it| (format!("{} loses `{}`", function.name, ast.text(it)), delete(ast, it)))
        .collect()
}

fn dropped_fields(ast: &Ast, node: NodeId) -> Vec<(String, PatchOp)> {
    let fields: Vec<NodeId> = match &ast.node(node).kind {
        AstKind::Expr(Expr::RecordLit { fields, .. }) => {
            fields.iter().map(|it| it.node()).collect()
        }
        AstKind::Decl(it) => match &**it {
            Decl::Rec { fields, .. } => fields.iter().map(|it| it.node()).collect(),
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let first = ast.text(node).lines().next().unwrap_or_default();
    fields
        .into_iter()
        .map(|it| (format!("`{}` goes from `{first}`", ast.text(it)), delete(ast, it)))
        .collect()
}

/// Takes a condition away: what was done only if it held is done always.
fn missing_guards(ast: &Ast, node: NodeId) -> Vec<(String, PatchOp)> {
    let mut made = Vec::new();
    match &ast.node(node).kind {
        AstKind::Stmt(Stmt::Expr { expr }) => {
            if let Expr::If { condition, then_branch, else_branch: None } = ast.expr(*expr)
                && leaves(ast, *then_branch)
            {
                let title = format!("nothing leaves if `{}`", ast.text(*condition));
                made.push((title, delete(ast, node)));
            }
        }
        AstKind::Expr(Expr::If { condition, then_branch, else_branch }) => {
            let title = format!("whether `{}` or not", ast.text(*condition));
            made.push((title, replace(ast, node, moved(ast, *then_branch))));
            if let Some(other) = else_branch {
                let title = format!("`{}` or not, the other branch", ast.text(*condition));
                made.push((title, replace(ast, node, moved(ast, *other))));
            }
        }
        AstKind::Expr(Expr::Binary { op: BinaryOp::And, left, right }) => {
            for (kept, lost) in [(left, right), (right, left)] {
                let title = format!("`{}` or not", ast.text(*lost));
                made.push((title, replace(ast, node, moved(ast, *kept))));
            }
        }
        _ => {}
    }
    made
}

/// Whether a block ends by leaving.
fn leaves(ast: &Ast, block: ExprId) -> bool {
    let Expr::Block { statements, expr: None } = ast.expr(block) else { return false };
    statements.last().is_some_and(|it| {
        matches!(ast.stmt(*it), Stmt::Return { .. } | Stmt::Break | Stmt::Continue)
    })
}

fn unused_name(
    ast: &Ast,
    node: NodeId,
    names: &Names,
    random: &mut Random,
) -> Option<(String, PatchOp)> {
    let function = function(ast, node)?;
    let Expr::Block { statements, expr } = ast.expr(function.body) else { return None };
    let spare = ["spare", "leftover", "helper", "unneeded"];
    let spare = spare.iter().find(|it| !names.words.contains(**it))?;
    let value = ["1", "\"text\"", "[1, 2]", "true"][random.below(4)];
    let first = statements.first().map(|it| it.node()).or(expr.map(|it| it.node()))?;
    let op = PatchOp::InsertBefore {
        target_id: id(ast, first),
        new_statement: Payload(json!({ "source": format!("let {spare} = {value}") })),
    };
    Some((format!("`{spare}` in {}", function.name), op))
}
