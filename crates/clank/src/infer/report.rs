//! The words for what is wrong.

use clank_syntax::ast::{Expr, ExprId, Literal, Name, NodeId};
use clank_syntax::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use super::Infer;
use super::table::TypeClash;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::ty::{Effects, Prim, Ty, TypeKey};

impl Infer<'_> {
    /// The type as far as it is known, for messages.
    pub(super) fn show(&mut self, ty: &Ty) -> Ty {
        self.table.solve(ty, &Ty::Error)
    }

    pub(super) fn report_clash(
        &mut self,
        clash: TypeClash,
        node: NodeId,
        expected: &Ty,
        actual: &Ty,
    ) {
        match clash {
            TypeClash::Different => self.report_mismatch(node, expected, actual),
            TypeClash::TooLarge => self.report_too_large(node),
            TypeClash::Infinite => {
                let (expected, actual) = (self.show(expected), self.show(actual));
                self.report(
                    Diagnostic::new(
                        Code::E2018,
                        node,
                        format!("the type of this would have to contain itself: `{expected}` is `{actual}`"),
                    )
                    .with(
                        Structured::new("occurs_check")
                            .member("expected", expected.to_string())
                            .member("actual", actual.to_string()),
                    ),
                );
            }
        }
    }

    /// E2007: a type that doubles again and again.
    pub(super) fn report_too_large(&mut self, node: NodeId) {
        self.report(
            Diagnostic::new(Code::E2007, node, "the type of this is too large")
                .help("name parts of it with `rec` or `sum`")
                .with(Structured::new("missing_type_annotation")),
        );
    }

    /// E2001: another type than the one that is needed.
    pub(super) fn report_mismatch(&mut self, node: NodeId, expected: &Ty, actual: &Ty) {
        let (expected, actual) = told_apart(&self.show(expected), &self.show(actual));
        let message = format!("expected `{}`, found `{}`", short(&expected), short(&actual));
        let diagnostic = Diagnostic::new(Code::E2001, node, message).with(
            Structured::new("type_mismatch")
                .member("expected", expected.to_string())
                .member("actual", actual.to_string()),
        );
        let help = self.conversion_help(node, &expected, &actual);
        self.report(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    fn conversion_help(&self, node: NodeId, expected: &Ty, actual: &Ty) -> Option<String> {
        let suffix = match expected.base() {
            Ty::Prim(Prim::Int32) => "i32",
            Ty::Prim(Prim::Int64) => "i64",
            _ => "",
        };
        if !suffix.is_empty()
            && let Some(expr) = ExprId::of(self.ast, node)
            && let Expr::Literal(Literal::Int { value, suffix: None }) = self.ast.expr(expr)
        {
            return Some(format!("write `{value}{suffix}`"));
        }
        let function = match (expected.base(), actual.base()) {
            (Ty::Prim(Prim::Float), Ty::Prim(Prim::Int | Prim::Nat)) => "int_to_float",
            (Ty::Prim(Prim::Int | Prim::Nat), Ty::Prim(Prim::Float)) => "float_to_int",
            (Ty::Prim(Prim::Int | Prim::Nat), Ty::Prim(Prim::Int32 | Prim::Int64)) => "to_int",
            (Ty::Prim(Prim::Int32), Ty::Prim(it)) if it.is_integer() => "to_int32",
            (Ty::Prim(Prim::Int64), Ty::Prim(it)) if it.is_integer() => "to_int64",
            (Ty::Prim(Prim::Str), Ty::Prim(it)) if *it != Prim::Unit => "to_string",
            _ => return None,
        };
        Some(format!("convert it with `{function}`"))
    }

    /// E2016: an operand of the wrong type for its operator.
    pub(super) fn report_operand(
        &mut self,
        operand: ExprId,
        expected: &'static str,
        actual: &Ty,
        message: String,
    ) {
        let actual = self.show(actual);
        let node = self.tail(operand);
        self.report(
            Diagnostic::new(Code::E2016, node, message).with(
                Structured::new("type_mismatch")
                    .member("expected", expected)
                    .member("actual", actual.to_string()),
            ),
        );
    }

    /// E4001: a call with effects that the function around it does not declare.
    pub(super) fn report_effects(&mut self, node: NodeId, missing: Effects) {
        let names: Vec<&str> = missing.names().collect();
        let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
        let shown = join_words(&quoted);
        let is_predicate =
            self.frames.last().is_some_and(|it| it.kind == super::FrameKind::Predicate);
        let name = self.name.clone();
        let message = match (is_predicate, names.len()) {
            (true, _) => format!("a predicate must be pure, but this call has the effect {shown}"),
            (_, 1) => format!("this call has the effect {shown}, which `{name}` does not declare"),
            _ => format!("this call has the effects {shown}, which `{name}` does not declare"),
        };
        let diagnostic = Diagnostic::new(Code::E4001, node, message).with(
            Structured::new("effect_not_allowed")
                .member("effect", names.first().copied().unwrap_or_default())
                .member("effects", names.clone())
                .member("function", name.as_str()),
        );
        self.report(if is_predicate {
            diagnostic
        } else {
            diagnostic.help(format!(
                "write `{} + ` before the result type of `{name}`",
                names.join(" + ")
            ))
        });
    }

    /// E4003: a function with effects where one without them is needed. `more` are those that are not expected; `None`
    /// if they can be any.
    pub(super) fn report_effect_mismatch(
        &mut self,
        node: NodeId,
        expected: &Ty,
        actual: &Ty,
        more: Option<Effects>,
    ) {
        let effects: Vec<&str> = more.map_or_else(|| vec!["any"], |it| it.names().collect());
        let message = if more.is_none() {
            "a function parameter that may have any effects can be called and passed on, \
             but not stored or returned"
                .to_owned()
        } else {
            let quoted: Vec<String> = effects.iter().map(|it| format!("`{it}`")).collect();
            format!(
                "expected `{}`, but `{}` may also have {}",
                short(expected),
                short(actual),
                join_words(&quoted)
            )
        };
        self.report(
            Diagnostic::new(Code::E4003, node, message)
                .help("state the effects in the type that is expected, or use a function without them")
                .with(
                    Structured::new("effect_mismatch")
                        .member("expected", expected.to_string())
                        .member("actual", actual.to_string())
                        .member("effects", effects),
                ),
        );
    }

    /// E2007: nothing says what type this is, and it has to be known here.
    pub(super) fn report_unknown(&mut self, node: NodeId, what: &str) {
        self.report(
            Diagnostic::new(Code::E2007, node, format!("the type of this must be known to {what}"))
                .help("add a type where the value is bound: `x: T`")
                .with(Structured::new("missing_type_annotation")),
        );
    }

    /// E2004: a field that a record does not have.
    pub(super) fn report_unknown_field(
        &mut self,
        node: NodeId,
        field: &Name,
        ty: &Ty,
        available: &[Name],
    ) {
        let ty = self.show(ty);
        let candidates = available.iter().map(|it| (it.as_str(), true));
        let near = crate::similar::similar(field, candidates);
        let help = match (near.first(), available.is_empty()) {
            (Some(name), _) => format!("did you mean `{name}`?"),
            (None, true) => "it has no fields".to_owned(),
            (None, false) => {
                let names: Vec<String> = available.iter().map(|it| format!("`{it}`")).collect();
                format!("it has {}", join_words(&names))
            }
        };
        self.report(
            Diagnostic::new(Code::E2004, node, format!("`{ty}` has no field `{field}`"))
                .help(help)
                .with(
                    Structured::new("unknown_field")
                        .member("field", field.as_str())
                        .member("type", ty.to_string())
                        .member("available_fields", names_json(available))
                        .member("similar_fields", names_json(&near)),
                ),
        );
    }
}

/// Two types for one message: declared types of the same name get those of their modules.
pub(super) fn told_apart(expected: &Ty, actual: &Ty) -> (Ty, Ty) {
    let mut keys = FxHashMap::default();
    let mut alike = FxHashSet::default();
    for ty in [expected, actual] {
        collect_alike(ty, &mut keys, &mut alike);
    }
    match alike.is_empty() {
        true => (expected.clone(), actual.clone()),
        false => (qualified(expected, &alike), qualified(actual, &alike)),
    }
}

/// Finds the names that several declared types have.
fn collect_alike(ty: &Ty, keys: &mut FxHashMap<Name, TypeKey>, alike: &mut FxHashSet<Name>) {
    if let Ty::Adt(it) = ty {
        let known = keys.entry(it.key.name.clone()).or_insert_with(|| it.key.clone());
        if *known != it.key {
            alike.insert(it.key.name.clone());
        }
    }
    ty.parts().for_each(|it| with_stack(|| collect_alike(it, keys, alike)));
}

fn qualified(ty: &Ty, alike: &FxHashSet<Name>) -> Ty {
    let mut parts: Vec<Ty> = ty.parts().map(|it| with_stack(|| qualified(it, alike))).collect();
    match ty {
        Ty::Refined(it) => {
            let base = parts.pop().unwrap_or(Ty::Error);
            crate::resolve::refined(base, it.predicates.clone())
        }
        Ty::Adt(it) if alike.contains(&it.key.name) => {
            let name = Name::from(it.key.qualified());
            Ty::adt(TypeKey { module: it.key.module.clone(), name }, parts)
        }
        _ => super::table::with_parts(ty, parts),
    }
}

/// Names as JSON.
pub(super) fn names_json(names: &[Name]) -> Json {
    Json::from(names.iter().map(|it| it.as_str()).collect::<Vec<_>>())
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn join_words(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A type for a message: one that would fill lines is cut.
pub(super) fn short(ty: &Ty) -> String {
    const LONGEST: usize = 120;
    let text = ty.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// `1 argument`, `2 arguments`.
pub(super) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
