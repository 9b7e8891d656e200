//! What an expression refers to, and whether its parts fit together.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use check::Severity;

use super::functions::{self, BuiltinFunction, FUNCTIONS};
use super::parse::{Expr, ExprKind};
use super::types::{ObjectType, Type};
use crate::github::tables::Available;
use crate::schema::cut;
use crate::typo::{self, Nearness};

pub(in crate::github) const CONTEXT: &str = "SEM_EXPRESSION_CONTEXT";
pub(in crate::github) const REFERENCE: &str = "SEM_EXPRESSION_REFERENCE";
pub(in crate::github) const FUNCTION: &str = "SEM_EXPRESSION_FUNCTION";
pub(in crate::github) const TYPE: &str = "SEM_EXPRESSION_TYPE";

const CONTEXTS: [&str; 12] = [
    "env", "github", "inputs", "job", "jobs", "matrix", "needs", "runner", "secrets", "steps",
    "strategy", "vars",
];

/// Something that is wrong with an expression.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::github) struct ExprProblem {
    pub(in crate::github) rule: &'static str,
    pub(in crate::github) severity: Severity,
    pub(in crate::github) range: Range<usize>,
    pub(in crate::github) message: String,
    /// What the range was meant to be, and how near that is.
    pub(in crate::github) instead: Option<(String, Nearness)>,
}

/// What an expression can refer to.
#[derive(Clone, Default)]
pub(in crate::github) struct Scope {
    /// The types of the contexts; one that is not here has any type.
    pub(in crate::github) contexts: BTreeMap<&'static str, Type>,
}

/// Checks the expressions under one key.
pub(in crate::github) struct Checker<'a> {
    pub(in crate::github) scope: &'a Scope,
    /// What there is under the key; `None` if that is not known.
    pub(in crate::github) available: Option<&'a Available>,
    /// The key, for messages.
    pub(in crate::github) key: &'a str,
    pub(in crate::github) problems: Vec<ExprProblem>,
}

impl Checker<'_> {
    fn report(&mut self, rule: &'static str, severity: Severity, at: &Range<usize>, what: String) {
        self.problems.push(ExprProblem {
            rule,
            severity,
            range: at.clone(),
            message: what,
            instead: None,
        });
    }

    /// The type of the expression.
    pub(in crate::github) fn check(&mut self, expr: &Expr) -> Type {
        match &expr.kind {
            ExprKind::Null => Type::Null,
            ExprKind::Bool(_) => Type::Bool,
            ExprKind::Number => Type::Number,
            ExprKind::Text(_) => Type::Text,
            ExprKind::Context(name) => self.context(name, &expr.range),
            ExprKind::Property { of, name, at } => {
                let of = self.check(of);
                self.property(&of, name, at)
            }
            ExprKind::Index { of, index } => self.index(of, index),
            ExprKind::Filter(of) => {
                let of_type = self.check(of);
                self.filter(of_type, &of.range)
            }
            ExprKind::Call { name, at, args } => self.call(name, at, args),
            ExprKind::Not(of) => {
                self.check(of);
                Type::Bool
            }
            ExprKind::Compare { left, right, is_ordered } => {
                let types = [self.check(left), self.check(right)];
                self.compare(&types, *is_ordered, &expr.range);
                Type::Bool
            }
            ExprKind::Logic { parts, .. } => {
                let types: Vec<Type> = parts.iter().map(|it| self.check(it)).collect();
                types.into_iter().reduce(Type::or).unwrap_or(Type::Any)
            }
        }
    }

    fn context(&mut self, name: &str, at: &Range<usize>) -> Type {
        let Some(known) = CONTEXTS.into_iter().find(|it| it.eq_ignore_ascii_case(name)) else {
            let near = typo::nearest(name, CONTEXTS);
            let hint = match functions::find(name) {
                Some(it) => format!("; to call the function write `{}()`", it.name),
                None => {
                    format!("; strings are quoted with `'`, contexts are {}", CONTEXTS.join(", "))
                }
            };
            let message = match near {
                Some((near, _)) => {
                    format!("cannot find context `{}`; consider `{near}`", cut(name))
                }
                None => format!("cannot find context `{}`{hint}", cut(name)),
            };
            self.report(CONTEXT, Severity::Error, at, message);
            self.suggest(near);
            return Type::Any;
        };
        if let Some(available) = self.available.filter(|it| !it.contexts.contains(&known)) {
            let message = format!(
                "context `{known}` is not available in `{}`; available are {}",
                self.key,
                available.contexts.join(", "),
            );
            self.report(CONTEXT, Severity::Error, at, message);
            return Type::Any;
        }
        self.scope.contexts.get(known).cloned().unwrap_or(Type::Any)
    }

    fn suggest(&mut self, near: Option<(&str, Nearness)>) {
        if let Some(last) = self.problems.last_mut() {
            last.instead = near.map(|(name, nearness)| (name.to_owned(), nearness));
        }
    }

    fn property(&mut self, of: &Type, name: &str, at: &Range<usize>) -> Type {
        match of {
            Type::Any => Type::Any,
            Type::Object(shape) => self.member(shape, name, at),
            // The members of all items of a filtered array.
            Type::Array(item) => match &**item {
                Type::Object(shape) => Type::array(self.member(shape, name, at)),
                Type::Any => Type::array(Type::Any),
                _ => self.no_member(of, name, at),
            },
            _ => self.no_member(of, name, at),
        }
    }

    fn no_member(&mut self, of: &Type, name: &str, at: &Range<usize>) -> Type {
        let message = format!("{of} has no property `{}`; the result is always empty", cut(name));
        self.report(TYPE, Severity::Warning, at, message);
        Type::Any
    }

    fn member(&mut self, shape: &Arc<ObjectType>, name: &str, at: &Range<usize>) -> Type {
        if let Some(known) = shape.members.get(&name.to_ascii_lowercase()) {
            return known.clone();
        }
        if let Some(others) = &shape.others {
            return others.clone();
        }
        let names = || shape.members.keys().map(String::as_str);
        let near = typo::nearest(&name.to_ascii_lowercase(), names());
        let near = near.filter(|_| !shape.is_partial);
        // GitHub takes what is not there for an empty text. A table of ours may be too old to have it.
        let severity = match near {
            Some(_) => Severity::Error,
            None if shape.is_table || shape.is_partial => Severity::Info,
            None => Severity::Warning,
        };
        let shown = typo::nearest_first(name, names(), 8).join("`, `");
        let message = match near {
            Some((near, _)) => format!("cannot find property `{}`; consider `{near}`", cut(name)),
            None if shape.members.is_empty() => {
                format!("cannot find property `{}`; it has none", cut(name))
            }
            None => format!("cannot find property `{}`; expected one of `{shown}`", cut(name)),
        };
        self.report(REFERENCE, severity, at, message);
        self.suggest(near);
        Type::Any
    }

    fn index(&mut self, of: &Expr, index: &Expr) -> Type {
        let of_type = self.check(of);
        let index_type = self.check(index);
        match (&of_type, &index.kind) {
            (Type::Object(shape), ExprKind::Text(name)) => {
                let problems = self.problems.len();
                let found = self.member(shape, name, &index.range);
                // The quotes stay.
                for it in &mut self.problems[problems..] {
                    if let Some((name, _)) = &mut it.instead {
                        *name = format!("'{name}'");
                    }
                }
                found
            }
            (Type::Object(shape), _) => {
                if index_type.is_structure() {
                    let message = format!("expected a string as index, found {index_type}");
                    self.report(TYPE, Severity::Warning, &index.range, message);
                }
                shape.others.clone().unwrap_or(Type::Any)
            }
            (Type::Array(item), _) => {
                if !matches!(index_type, Type::Number | Type::Any) {
                    let message = format!("expected a number as index, found {index_type}");
                    self.report(TYPE, Severity::Warning, &index.range, message);
                }
                Type::clone(item)
            }
            (Type::Any, _) => Type::Any,
            _ => {
                let message = format!("{of_type} cannot be indexed; the result is always empty");
                self.report(TYPE, Severity::Warning, &of.range, message);
                Type::Any
            }
        }
    }

    fn filter(&mut self, of: Type, at: &Range<usize>) -> Type {
        match of {
            Type::Any => Type::array(Type::Any),
            Type::Array(item) => Type::Array(item),
            Type::Object(shape) => {
                let members = shape.members.values().chain(&shape.others).cloned();
                Type::array(members.reduce(Type::or).unwrap_or(Type::Any))
            }
            other => {
                let message = format!("expected an array or an object before `*`, found {other}");
                self.report(TYPE, Severity::Warning, at, message);
                Type::Any
            }
        }
    }

    fn call(&mut self, name: &str, at: &Range<usize>, args: &[Expr]) -> Type {
        let types: Vec<Type> = args.iter().map(|it| self.check(it)).collect();
        let Some(function) = functions::find(name) else {
            let names = || FUNCTIONS.iter().map(|it| it.name);
            let near = typo::nearest(name, names());
            let hint = match near {
                Some((near, _)) => format!("consider `{near}`"),
                None => format!("expected one of {}", names().collect::<Vec<_>>().join(", ")),
            };
            let message = format!("cannot find function `{}`; {hint}", cut(name));
            self.report(FUNCTION, Severity::Error, at, message);
            self.suggest(near);
            return Type::Any;
        };
        self.special(function, at);
        self.arity(function, at, args.len());
        for (idx, (arg, given)) in args.iter().zip(&types).enumerate() {
            let param = function.params.get(idx).or(function.params.last());
            if let Some(param) = param.filter(|it| !it.takes(given)) {
                let message = format!(
                    "argument {} of `{}`: expected {}, found {given}",
                    idx + 1,
                    function.name,
                    param.words(),
                );
                self.report(FUNCTION, Severity::Error, &arg.range, message);
            }
        }
        match (function.name, args.first().map(|it| (&it.kind, &it.range))) {
            ("format", Some((ExprKind::Text(text), range))) => {
                self.format(text, range, args.len() - 1);
            }
            ("fromJSON", Some((ExprKind::Text(text), range))) => return self.json(text, range),
            _ => {}
        }
        function.gives.as_type()
    }

    fn special(&mut self, function: &BuiltinFunction, at: &Range<usize>) {
        if !function.is_special {
            return;
        }
        let name = function.name.to_ascii_lowercase();
        let is_missing = |it: &&Available| !it.functions.iter().any(|it| *it == name);
        if self.available.is_some_and(|it| is_missing(&it)) {
            let message =
                format!("function `{}` is not available in `{}`", function.name, self.key,);
            self.report(CONTEXT, Severity::Error, at, message);
        }
    }

    fn arity(&mut self, function: &BuiltinFunction, at: &Range<usize>, n_args: usize) {
        let BuiltinFunction { name, min, max, .. } = *function;
        let is_even_case = name == "case" && n_args.is_multiple_of(2);
        if n_args >= min && max.is_none_or(|it| n_args <= it) && !is_even_case {
            return;
        }
        let expected = match max {
            _ if name == "case" => "pairs of condition and value, and a last value".to_owned(),
            Some(0) => "no argument".to_owned(),
            Some(1) => "1 argument".to_owned(),
            Some(max) if max == min => format!("{max} arguments"),
            Some(max) => format!("{min} to {max} arguments"),
            None if min == 1 => "at least 1 argument".to_owned(),
            None => format!("at least {min} arguments"),
        };
        let message = format!("`{name}` takes {expected}, found {n_args}");
        self.report(FUNCTION, Severity::Error, at, message);
    }

    fn format(&mut self, text: &str, at: &Range<usize>, n_args: usize) {
        match functions::format_placeholders(text) {
            Err(why) => {
                let message = format!("invalid format string: {why}");
                self.report(FUNCTION, Severity::Error, at, message);
            }
            Ok(numbers) => {
                if let Some(missing) = numbers.iter().find(|it| **it >= n_args) {
                    let message = format!(
                        "`format` has a placeholder `{{{missing}}}` but {n_args} arguments after \
                         it; the first is `{{0}}`"
                    );
                    self.report(FUNCTION, Severity::Error, at, message);
                } else if let Some(unused) = (0..n_args).find(|it| !numbers.contains(it)) {
                    let message = format!(
                        "the format string has no placeholder `{{{unused}}}` for argument {}",
                        unused + 2,
                    );
                    self.report(FUNCTION, Severity::Warning, at, message);
                }
            }
        }
    }

    fn json(&mut self, text: &str, at: &Range<usize>) -> Type {
        match serde_json::from_str::<serde_json::Value>(text) {
            Ok(value) => type_of_json(&value),
            Err(error) => {
                let message = format!("the argument of `fromJSON` is not JSON: {error}");
                self.report(FUNCTION, Severity::Error, at, message);
                Type::Any
            }
        }
    }

    fn compare(&mut self, types: &[Type; 2], is_ordered: bool, at: &Range<usize>) {
        let [left, right] = types;
        let is_odd = |one: &Type, other: &Type| {
            one.is_structure()
                && match other {
                    Type::Any => is_ordered,
                    Type::Array(_) => is_ordered || !matches!(one, Type::Array(_)),
                    Type::Object(_) => is_ordered || !matches!(one, Type::Object(_)),
                    Type::Null => is_ordered,
                    _ => true,
                }
        };
        if is_odd(left, right) || is_odd(right, left) {
            let message =
                format!("{left} and {right} cannot be compared; the result is always the same");
            self.report(TYPE, Severity::Warning, at, message);
        }
    }
}

fn type_of_json(value: &serde_json::Value) -> Type {
    match value {
        serde_json::Value::Null => Type::Null,
        serde_json::Value::Bool(_) => Type::Bool,
        serde_json::Value::Number(_) => Type::Number,
        serde_json::Value::String(_) => Type::Text,
        serde_json::Value::Array(items) => {
            Type::array(items.iter().map(type_of_json).reduce(Type::or).unwrap_or(Type::Any))
        }
        serde_json::Value::Object(members) => {
            Type::closed(members.iter().map(|(name, it)| (name, type_of_json(it))))
        }
    }
}
