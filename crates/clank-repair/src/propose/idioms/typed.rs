//! Habits that can be read, but not by their types: methods, functions by other names, elements of maps, arguments in
//! another order, names that are bound by being assigned.

use check::{Confidence, Safety};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::Value;
use clank::exhaust::fields_of;
use clank::ty::{Prim, Ty};
use clank_syntax::ast::{AstKind, BinaryOp, Expr, ExprId, Name, NodeId, Pattern, Stmt, StmtId};
use clank_syntax::patch::PatchOp;
use serde_json::{Value as Json, json};

use super::methods::{MethodForm, On, function, method};
use super::shapes::{or_else, takes_tuple};
use crate::FindingId;
use crate::propose::make::{call, ident, source};
use crate::propose::scope::{binder_of, let_of, locals};
use crate::propose::{Candidate, RepairContext, names_fact};

/// The candidates for a mistake about types or names.
pub(in crate::propose) fn propose(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
) -> Vec<Candidate> {
    let mut found = super::wrapped::propose(scene, it, target);
    let is_wrapped = !found.is_empty();
    found.extend(super::lines::propose(scene, it, target));
    found.extend(super::shapes::propose(scene, it, target));
    found.extend(super::fitted::propose(scene, it, target));
    found.extend(by_habit(scene, it, target, is_wrapped));
    found
}

fn by_habit(
    scene: RepairContext<'_>,
    it: &Diagnostic,
    target: FindingId,
    is_wrapped: bool,
) -> Vec<Candidate> {
    match it.code {
        Code::E2004 | Code::E2011 => {
            let mut found = called(scene, it.node, target);
            if !is_wrapped {
                found.extend(elsewhere(scene, it.node, target));
            }
            found
        }
        Code::E1001 => {
            let mut found = foreign(scene, it.node, target);
            // What the module itself has under a similar name is likelier.
            let is_own = |name: &Name| {
                scene.module.env.values.contains_key(name) && !is_builtin(scene, name)
            };
            if names_fact(it, "similar_names").iter().any(is_own) {
                for it in &mut found {
                    (it.confidence, it.is_idiom) = (Confidence::Medium, false);
                }
            }
            found.extend(qualified(scene, it.node, target));
            found.extend(bound(scene, it, target));
            found
        }
        Code::E2006 => element(scene, it.node, target),
        Code::E2001 | Code::E2016 => {
            let mut found = joined(scene, it.node, target);
            found.extend(reordered(scene, it.node, target));
            found.extend(other_function(scene, it.node, target));
            found
        }
        Code::E2002 => {
            let mut found = one_tuple(scene, it.node, target);
            found.extend(printed(scene, it.node, target));
            found.extend(foreign_call(scene, it.node, target));
            found
        }
        Code::E2010 => iterated(scene, it.node, target),
        _ => Vec::new(),
    }
}

/// A loop over a map or a set goes over its entries.
fn iterated(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let AstKind::Stmt(Stmt::For { iterable, pattern, .. }) = &ast.node(node).kind else {
        return Vec::new();
    };
    let Some(view) = scene.view(*iterable) else { return Vec::new() };
    let is_pair = matches!(ast.pattern(*pattern), Pattern::Tuple { .. });
    let name = match On::of(view.ty(*iterable)) {
        On::Map if is_pair => "map_entries",
        On::Map => "map_keys",
        On::Set => "set_to_array",
        _ => return Vec::new(),
    };
    vec![
        Candidate::new(scene, target, format!("loop over `{name}(…)`"))
            .because("a loop takes an array")
            .confidence(Confidence::High)
            .op(scene.wrap_in_call(*iterable, name))
            .idiom(),
    ]
}

/// The name of a method and what it is called on: `x.f(a)` or `x.f`.
fn called(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let expr = scene.expr(node)?;
        let Expr::Field { object, field } = ast.expr(expr) else { return None };
        let view = scene.view(expr)?;
        let on = On::of(view.ty(*object));
        let around = scene.parent(expr).and_then(|it| scene.expr(it));
        let (whole, args) = match around.map(|it| (it, ast.expr(it))) {
            Some((whole, Expr::Call { callee, args })) if *callee == expr => (whole, args.to_vec()),
            _ => (expr, Vec::new()),
        };
        let form = method(on, field, args.len())?;
        let chain = chained(scene, target, whole, (scene.kept(*object), on, form, &args));
        let values: Vec<ExprId> = std::iter::once(*object).chain(args).collect();
        let alone = written(scene, target, whole, &values, form);
        Some(chain.into_iter().chain(alone.into_iter().flatten()).collect::<Vec<_>>())
    };
    found().into_iter().flatten().collect()
}

/// `x.f(a).g(b)`: all calls of a chain at once, as far as it is known what each of them gives. One alone would leave the
/// next where it was.
fn chained(
    scene: RepairContext<'_>,
    target: FindingId,
    whole: ExprId,
    first: (Json, On, MethodForm, &[ExprId]),
) -> Option<Candidate> {
    let ast = scene.ast();
    let (object, on, form, args) = first;
    let mut value = linked(scene, whole, (form, on), object, args)?;
    let mut on = form.gives(on);
    let mut whole = whole;
    let mut is_chain = false;
    while let Some(next) = scene.parent(whole).and_then(|it| scene.expr(it))
        && let Expr::Field { object, field } = ast.expr(next)
        && *object == whole
    {
        let around = scene.parent(next).and_then(|it| scene.expr(it));
        let (end, args) = match around.map(|it| (it, ast.expr(it))) {
            Some((call, Expr::Call { callee, args })) if *callee == next => (call, args.to_vec()),
            _ => (next, Vec::new()),
        };
        let Some(form) = method(on, field, args.len()) else { break };
        let Some(longer) = linked(scene, end, (form, on), value.clone(), &args) else { break };
        (value, on, whole, is_chain) = (longer, form.gives(on), end, true);
    }
    is_chain.then(|| {
        Candidate::new(scene, target, title(scene, whole, &value))
            .because("a function is written before its arguments, and has this name in Clank")
            .confidence(Confidence::High)
            .op(scene.replace(whole, value))
            .idiom()
    })
}

/// A call of a chain on what is before it.
fn linked(
    scene: RepairContext<'_>,
    whole: ExprId,
    (form, on): (MethodForm, On),
    object: Json,
    args: &[ExprId],
) -> Option<Json> {
    let part = |place: u8| match place.checked_sub(1) {
        None => Some(object.clone()),
        Some(place) => args.get(usize::from(place)).map(|it| scene.kept(*it)),
    };
    Some(match form {
        MethodForm::Call(name, places) | MethodForm::Change(name, places) => {
            call(ident(name), places.iter().map(|it| part(*it)).collect::<Option<Vec<_>>>()?)
        }
        MethodForm::Binary(op) | MethodForm::ChangeBy(op) => {
            json!({ "kind": "binary", "op": op, "left": part(0)?, "right": part(1)? })
        }
        MethodForm::Against(op, other) => {
            json!({ "kind": "binary", "op": op, "left": object, "right": source(other) })
        }
        MethodForm::Itself => object,
        MethodForm::OrElse => or_else(scene, whole, object.clone(), on, part(1)?),
        MethodForm::Unwrap => json!({ "kind": "propagate", "expr": object }),
        MethodForm::FoundOrElse | MethodForm::Text(_) => return None,
    })
}

/// `Math.max(a, b)`, `console.log(x)`, `str(x)`: a function that goes by another name.
fn foreign(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let mut callee = scene.expr(node)?;
        let Expr::Ident { name } = ast.expr(callee) else { return None };
        let mut path = name.to_string();
        let is_argument = scene.parent(callee).and_then(|it| scene.expr(it)).is_some_and(
            |it| matches!(ast.expr(it), Expr::Call { args, .. } if args.contains(&callee)),
        );
        if is_argument
            && let Some(MethodForm::Call(other, [1])) =
                function(name, 1, On::Any).or_else(|| function(name, 1, On::Text))
        {
            return Some(vec![
                Candidate::new(scene, target, format!("write `{other}` for `{name}`"))
                    .because("the function has another name here")
                    .confidence(Confidence::High)
                    .op(scene.rename(callee, name, other))
                    .idiom(),
            ]);
        }
        loop {
            let parent = scene.expr(scene.parent(callee)?)?;
            match ast.expr(parent) {
                Expr::Field { object, field } if *object == callee => {
                    path = format!("{path}.{field}");
                    callee = parent;
                }
                Expr::Call { callee: it, args } if *it == callee => {
                    return foreign_form(scene, target, parent, &path, args);
                }
                _ => return None,
            }
        }
    };
    found().unwrap_or_default()
}

/// The same where the name is known, but takes something else.
fn foreign_call(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let found = || {
        let whole = scene.expr(node)?;
        let Expr::Call { callee, args } = scene.ast().expr(whole) else { return None };
        let Expr::Ident { name } = scene.ast().expr(*callee) else { return None };
        is_builtin(scene, name).then(|| foreign_form(scene, target, whole, name, args))?
    };
    found().unwrap_or_default()
}

/// An argument that does not fit a builtin, where another one takes it: `len("abc")`.
fn other_function(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    match scene.parent(node) {
        Some(parent) => foreign_call(scene, parent, target),
        None => Vec::new(),
    }
}

fn is_builtin(scene: RepairContext<'_>, name: &Name) -> bool {
    matches!(scene.module.env.values.get(name), Some(Value::Builtin { .. }))
}

fn foreign_form(
    scene: RepairContext<'_>,
    target: FindingId,
    whole: ExprId,
    name: &str,
    args: &[ExprId],
) -> Option<Vec<Candidate>> {
    let view = scene.view(whole)?;
    let first = args.first().map_or(On::Any, |it| On::of(view.ty(*it)));
    let form = function(name, args.len(), first)?;
    // A text contains texts.
    if let (MethodForm::Text(text), Some(second)) = (form, args.get(1))
        && text.starts_with("len(split($1")
        && !matches!(On::of(view.ty(*second)), On::Text | On::Any)
    {
        return None;
    }
    if let (MethodForm::Call(same, _), true) = (form, args.len() < 2)
        && same == name
    {
        return None;
    }
    let form = match form {
        // What is written must be a text.
        MethodForm::Text(text) if text.contains("println($1)") && first != On::Text => match text {
            "println($1)" => MethodForm::Text("println(to_string($1))"),
            _ => MethodForm::Text("eprintln(to_string($1))"),
        },
        other => other,
    };
    let values: Vec<ExprId> = std::iter::once(whole).chain(args.iter().copied()).collect();
    written(scene, target, whole, &values, form)
}

/// The candidates that write a call in the form that it has here.
fn written(
    scene: RepairContext<'_>,
    target: FindingId,
    whole: ExprId,
    values: &[ExprId],
    form: MethodForm,
) -> Option<Vec<Candidate>> {
    let ast = scene.ast();
    let text = |place: usize| values.get(place).map_or("", |it| ast.text(it.node()));
    let kept = |place: &u8| values.get(usize::from(*place)).map(|it| scene.kept(*it));
    let new = match form {
        MethodForm::Call(name, places) | MethodForm::Change(name, places) => {
            let args: Option<Vec<Json>> = places.iter().map(kept).collect();
            let new = call(ident(name), args?);
            if let MethodForm::Change(..) = form
                && let Some(found) = changed(scene, target, whole, values, &new)
            {
                return Some(found);
            }
            new
        }
        MethodForm::Binary(op) | MethodForm::ChangeBy(op) => {
            let (left, right) = match values.len() {
                2 => (0, 1),
                _ => (1, 2),
            };
            let new =
                json!({ "kind": "binary", "op": op, "left": kept(&left)?, "right": kept(&right)? });
            if let MethodForm::ChangeBy(_) = form
                && let Some(found) = changed(scene, target, whole, values, &new)
            {
                return Some(found);
            }
            new
        }
        MethodForm::Against(op, other) => {
            json!({ "kind": "binary", "op": op, "left": kept(&0)?, "right": source(other) })
        }
        MethodForm::Itself => kept(&0)?,
        MethodForm::Unwrap => return unwrapped(scene, target, whole, *values.first()?),
        MethodForm::OrElse => {
            let on = On::of(scene.view(whole)?.ty(*values.first()?));
            or_else(scene, whole, kept(&0)?, on, kept(&1)?)
        }
        MethodForm::FoundOrElse => {
            let asked = call(ident("map_get"), vec![kept(&0)?, kept(&1)?]);
            or_else(scene, whole, asked, On::Option, kept(&2)?)
        }
        MethodForm::Text(template) => {
            let mut text_of = template.to_owned();
            for place in 0..values.len() {
                text_of = text_of.replace(&format!("${place}"), text(place));
            }
            source(&text_of)
        }
    };
    let title = title(scene, whole, &new);
    let make = |title: String, new: Json| {
        Candidate::new(scene, target, title)
            .because("a function is written before its arguments, and has this name in Clank")
            .confidence(Confidence::High)
            .op(scene.replace(whole, new))
            .idiom()
    };
    let passed = is_passed_on(scene, whole, form).then(|| {
        let passed = json!({ "kind": "propagate", "expr": new.clone() });
        make(format!("{title}, and pass a failure on with `?`"), passed)
    });
    Some(std::iter::once(make(title.clone(), new)).chain(passed).collect())
}

/// Whether what a function gives may be missing, and the function around it may fail too.
fn is_passed_on(scene: RepairContext<'_>, whole: ExprId, form: MethodForm) -> bool {
    let gives = form.gives(On::Any) == On::Option;
    let signature = scene.declaration(whole).and_then(|it| scene.module.env.signature(it));
    let is_asked = scene.parent(whole).and_then(|it| scene.expr(it)).is_some_and(|parent| {
        matches!(scene.ast().expr(parent), Expr::Match { .. } | Expr::Propagate { .. })
    });
    gives && !is_asked && signature.is_some_and(|it| On::of(&it.result) == On::Option)
}

/// What is written for an expression, as far as it is short.
fn title(scene: RepairContext<'_>, whole: ExprId, new: &Json) -> String {
    let old = clank::resolve::one_line(scene.ast(), whole);
    let short = |text: &str| match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    let new = match (&new["callee"]["name"], &new["source"], &new["op"]) {
        (Json::String(name), _, _) => format!("{name}(…)"),
        (_, Json::String(text), _) => short(text),
        (_, _, Json::String(op)) => format!("… {op} …"),
        _ => return format!("write `{}` as it is written here", short(&old)),
    };
    format!("write `{new}` for `{}`", short(&old))
}

/// As a statement, `xs.push(x)` changes `xs`: it is assigned, and bound with `mut`.
fn changed(
    scene: RepairContext<'_>,
    target: FindingId,
    whole: ExprId,
    values: &[ExprId],
    new: &Json,
) -> Option<Vec<Candidate>> {
    let ast = scene.ast();
    let place = *values.first()?;
    let is_place =
        matches!(ast.expr(place), Expr::Ident { .. } | Expr::Field { .. } | Expr::Index { .. });
    if !is_place {
        return None;
    }
    let assign =
        json!({ "kind": "assign", "target": source(ast.text(place.node())), "value": new });
    let op = vec![instead_of_statement(scene, whole, assign)?];
    let name = clank::resolve::one_line(ast, place);
    let make = |ops: Vec<PatchOp>| {
        let start = Candidate::new(scene, target, format!("assign the changed value to `{name}`"))
            .because("values are immutable: the result of a function is assigned")
            .confidence(Confidence::High)
            .idiom();
        ops.into_iter().fold(start, Candidate::op)
    };
    let mut found = Vec::new();
    if let Some(binding) = immutable_let(scene, place) {
        found.push(make(op.iter().cloned().chain([binding]).collect()));
    }
    found.push(make(op));
    Some(found)
}

/// A value that nobody uses, assigned to what it was made from: the first argument or operand, if it has the same type.
pub(in crate::propose) fn assigned(
    scene: RepairContext<'_>,
    target: FindingId,
    expr: ExprId,
) -> Vec<Candidate> {
    let found = || {
        let ast = scene.ast();
        let place = match ast.expr(expr) {
            Expr::Call { args, .. } => *args.first()?,
            Expr::Binary { left, .. } => *left,
            _ => return None,
        };
        let view = scene.view(expr)?;
        let is_same = crate::propose::fit::may_fit(view.ty(expr), view.ty(place));
        binder_of(scene, root(scene, place)).filter(|_| is_same)?;
        changed(scene, target, expr, &[place], &scene.kept(expr))
    };
    found().unwrap_or_default()
}

/// Puts a statement in the place of an expression that nobody uses.
pub(in crate::propose) fn instead_of_statement(
    scene: RepairContext<'_>,
    whole: ExprId,
    new: Json,
) -> Option<PatchOp> {
    let ast = scene.ast();
    Some(match statement_of(scene, whole)? {
        UnusedValue::Statement(it) => scene.replace(it, new),
        UnusedValue::Value(block) => {
            let Expr::Block { statements, .. } = ast.expr(block) else { return None };
            let mut all = scene.all_kept(statements);
            all.push(new);
            scene.replace(block, json!({ "kind": "block", "statements": all }))
        }
    })
}

/// What a place starts with.
fn root(scene: RepairContext<'_>, mut place: ExprId) -> ExprId {
    while let Expr::Field { object, .. } | Expr::Index { object, .. } = scene.ast().expr(place) {
        place = *object;
    }
    place
}

/// Where a value is that nobody uses.
enum UnusedValue {
    Statement(StmtId),
    /// It is the value of this block.
    Value(ExprId),
}

fn statement_of(scene: RepairContext<'_>, whole: ExprId) -> Option<UnusedValue> {
    let ast = scene.ast();
    let parent = scene.parent(whole)?;
    match &ast.node(parent).kind {
        AstKind::Stmt(Stmt::Expr { .. }) => StmtId::of(ast, parent).map(UnusedValue::Statement),
        AstKind::Expr(Expr::Block { expr: Some(last), .. }) if *last == whole => {
            ExprId::of(ast, parent).map(UnusedValue::Value)
        }
        _ => None,
    }
}

/// The operation that makes the name mutable which a place starts with, if it is not.
fn immutable_let(scene: RepairContext<'_>, place: ExprId) -> Option<PatchOp> {
    let ast = scene.ast();
    let statement = let_of(scene, binder_of(scene, root(scene, place))?)?;
    let Stmt::Let { pattern, ty, init, mutable: false } = ast.stmt(statement) else { return None };
    let mut new = json!({
        "kind": "let",
        "pattern": scene.kept(*pattern),
        "init": scene.kept(*init),
        "mutable": true,
    });
    if let Some(ty) = ty {
        new["type"] = scene.kept(*ty);
    }
    Some(scene.replace(statement, new))
}

/// What an Option or Result holds: passed on with `?` where that can be, else it is there or the program stops.
fn unwrapped(
    scene: RepairContext<'_>,
    target: FindingId,
    whole: ExprId,
    value: ExprId,
) -> Option<Vec<Candidate>> {
    let passed = json!({ "kind": "propagate", "expr": scene.kept(value) });
    let pass = Candidate::new(scene, target, "pass a failure on with `?`")
        .because("`?` takes the value out, and passes a failure on")
        .confidence(Confidence::High)
        .op(scene.replace(whole, passed));
    let text = clank::resolve::one_line(scene.ast(), value);
    let panic =
        call(ident("panic"), vec![crate::propose::make::string(&format!("{text} is missing"))]);
    let on = On::of(scene.view(whole)?.ty(value));
    let stop = Candidate::new(scene, target, "take the value out, or panic")
        .because("a value that may be missing is tested with `match`")
        .confidence(Confidence::Medium)
        .op(scene.replace(whole, or_else(scene, whole, scene.kept(value), on, panic)));
    Some(vec![pass, stop])
}

/// `m[k]` of a map is `map_get(m, k)`, and `m[k] = v` is `m = map_set(m, k, v)`.
fn element(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let expr = scene.expr(node)?;
        let Expr::Index { object, index } = ast.expr(expr) else { return None };
        let view = scene.view(expr)?;
        let parent = scene.parent(expr)?;
        match On::of(view.ty(*object)) {
            On::Map => {}
            // A text has characters.
            On::Text => {
                let new = call(ident("chars"), vec![scene.kept(*object)]);
                let new = json!({ "kind": "index", "object": new, "index": scene.kept(*index) });
                return Some(vec![
                    Candidate::new(scene, target, "take the character out of `chars(…)`")
                        .because("a string is not an array; `chars` turns it into one")
                        .confidence(Confidence::Medium)
                        .op(scene.replace(expr, new)),
                ]);
            }
            // `f[Int](x)`: the type arguments of a call are inferred.
            _ if matches!(view.ty(*object).base(), Ty::Fn(_)) => {
                return Some(vec![
                    Candidate::new(scene, target, "remove the type argument")
                        .because("the type arguments of a call are inferred")
                        .confidence(Confidence::High)
                        .op(scene.replace(expr, scene.kept(*object)))
                        .idiom(),
                ]);
            }
            _ => return None,
        }
        if let AstKind::Stmt(Stmt::Assign { target: place, value }) = &ast.node(parent).kind
            && *place == expr
        {
            let args = vec![scene.kept(*object), scene.kept(*index), scene.kept(*value)];
            let new = json!({
                "kind": "assign",
                "target": source(ast.text(object.node())),
                "value": call(ident("map_set"), args),
            });
            let statement = StmtId::of(ast, parent)?;
            let make = || {
                Candidate::new(scene, target, "write `map_set(…)` for the assignment to an element")
                    .because("a map is immutable: the result of `map_set` is assigned")
                    .confidence(Confidence::High)
                    .op(scene.replace(statement, new.clone()))
                    .idiom()
            };
            let mut found = Vec::new();
            if let Some(binding) = immutable_let(scene, *object) {
                found.push(make().op(binding));
            }
            found.push(make());
            return Some(found);
        }
        let asked = call(ident("map_get"), vec![scene.kept(*object), scene.kept(*index)]);
        let plain = Candidate::new(scene, target, "write `map_get(…)` for the element")
            .because("`map_get` returns an `Option`")
            .confidence(Confidence::High)
            .op(scene.replace(expr, asked.clone()));
        let passed = json!({ "kind": "propagate", "expr": asked });
        let passed = Candidate::new(scene, target, "write `map_get(…)?` for the element")
            .because("`map_get` returns an `Option`")
            .confidence(Confidence::Medium)
            .op(scene.replace(expr, passed));
        let stop = or_else(
            scene,
            expr,
            asked,
            On::Option,
            call(ident("panic"), vec![crate::propose::make::string("no such key")]),
        );
        let stop = Candidate::new(scene, target, "take the element out of the map, or panic")
            .because("`map_get` returns an `Option`")
            .confidence(Confidence::Medium)
            .op(scene.replace(expr, stop));
        Some(vec![plain, passed, stop])
    };
    found().unwrap_or_default()
}

/// `x = 1` where there is no `x`: it is bound there, with `mut` if it is assigned again.
fn bound(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let expr = scene.expr(it.node)?;
        let Expr::Ident { name } = ast.expr(expr) else { return None };
        let parent = scene.parent(expr)?;
        let AstKind::Stmt(Stmt::Assign { target: place, value }) = &ast.node(parent).kind else {
            return None;
        };
        if *place != expr {
            return None;
        }
        let statement = StmtId::of(ast, parent)?;
        // `const x = 1`: the word before it binds.
        let span = ast.span(parent);
        let before = ast.sources().first()?.text.get(..span.start as usize)?;
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        if line
            .split_whitespace()
            .next_back()
            .is_some_and(|it| it.chars().all(char::is_alphanumeric))
        {
            return None;
        }
        let decl = scene.declaration(parent)?;
        let assigned = ast.subtree(decl.node()).map(NodeId).filter(|node| {
            matches!(&ast.node(*node).kind, AstKind::Stmt(Stmt::Assign { target, .. })
                if root_name(scene, *target) == Some(name))
        });
        let assigned: Vec<NodeId> = assigned.collect();
        if assigned.first() != Some(&parent) {
            return None;
        }
        // What nobody reads was meant to change something else: a field, or a variable of another name.
        let is_read = ast.subtree(decl.node()).map(NodeId).any(|node| {
            matches!(&ast.node(node).kind, AstKind::Expr(Expr::Ident { name: other }) if other == name)
                && !assigned.iter().any(|it| ast.subtree(*it).contains(&node.0))
        });
        let confidence = if is_read { Confidence::High } else { Confidence::Low };
        let new = json!({
            "kind": "let",
            "pattern": { "kind": "ident", "name": name.as_str() },
            "init": scene.kept(*value),
            "mutable": assigned.len() > 1,
        });
        let word = if assigned.len() > 1 { "let mut" } else { "let" };
        let all = scene.module.diagnostics.iter().enumerate().filter(|(_, other)| {
            other.code == Code::E1001
                && super::super::text_fact(other, "name") == Some(name.as_str())
                && scene.declaration(other.node) == Some(decl)
        });
        let all: Vec<FindingId> = all.map(|it| FindingId::Diagnostic(it.0)).collect();
        Some(
            Candidate::new(scene, target, format!("bind it: `{word} {name} = …`"))
                .because(format!("`{name}` is assigned, but never bound"))
                .confidence(confidence)
                .safety(Safety::BehaviorChanging)
                .also_for(all)
                .op(scene.replace(statement, new)),
        )
    };
    found().into_iter().collect()
}

/// The name that a place starts with.
fn root_name<'a>(scene: RepairContext<'a>, mut place: ExprId) -> Option<&'a Name> {
    loop {
        match scene.ast().expr(place) {
            Expr::Ident { name } => return Some(name),
            Expr::Field { object, .. } | Expr::Index { object, .. } => place = *object,
            _ => return None,
        }
    }
}

/// `Some(a, b)`, `set_has(s, x, y)`: what takes one value there takes a tuple.
fn one_tuple(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let found = || {
        let whole = scene.expr(node)?;
        let Expr::Call { callee, args } = scene.ast().expr(whole) else { return None };
        let Expr::Ident { name } = scene.ast().expr(*callee) else { return None };
        let params = crate::propose::calls::parameters_of(scene, *callee)?;
        let width = (args.len() + 1).checked_sub(params.len()).filter(|it| *it > 1)?;
        let view = scene.view(whole)?;
        let is_variant = name.starts_with(|it: char| it.is_uppercase());
        // Everything is shown by `println`, and nothing that is compared is two values.
        let is_open = is_variant || !matches!(params.first()?.base(), Ty::Error);
        let mut places = Vec::new();
        for (place, param) in params.iter().enumerate() {
            let others = params.iter().enumerate().filter(|it| it.0 != place).all(|(at, ty)| {
                let arg = if at < place { at } else { at + width - 1 };
                crate::propose::fit::may_fit(view.ty(args[arg]), ty)
            });
            // What stands for any type is what the collection holds.
            let is_held = is_variant
                || matches!(param.base(), Ty::Tuple(_))
                || place > 0
                    && match view.ty(args[0]).base() {
                        Ty::Array(held) => takes_tuple(held, width),
                        Ty::Adt(it) => it.args.first().is_some_and(|it| takes_tuple(it, width)),
                        _ => false,
                    };
            if is_open && is_held && others && takes_tuple(param, width) {
                places.push(place);
            }
        }
        // What comes last is likelier: the first is what something is done with.
        places.reverse();
        let is_known = |it: &&usize| matches!(params[**it].base(), Ty::Tuple(_));
        let best = places.iter().find(is_known).or(places.first()).copied()?;
        let mut all = scene.all_kept(&args[..best]);
        let parts = scene.all_kept(&args[best..best + width]);
        all.push(json!({ "kind": "tuple", "elements": parts }));
        all.extend(scene.all_kept(&args[best + width..]));
        let shown = if params.len() == 1 { "((…))" } else { "(…, (…))" };
        Some(
            Candidate::new(scene, target, format!("put the values in a tuple: `{name}{shown}`"))
                .because(format!("`{name}` takes one value there"))
                .confidence(Confidence::High)
                .op(scene.replace(whole, call(scene.kept(*callee), all))),
        )
    };
    found().into_iter().collect()
}

/// `a + b + c` with a text or an array among them: all are joined with `++`.
fn joined(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let is_sum = |it: NodeId| {
            let expr = ExprId::of(ast, it)?;
            matches!(ast.expr(expr), Expr::Binary { op: BinaryOp::Add | BinaryOp::Concat, .. })
                .then_some(expr)
        };
        let mut top = None;
        let mut at = node;
        while let Some(sum) = scene.parent(at).and_then(is_sum) {
            top = Some(sum);
            at = sum.node();
        }
        let top = top?;
        let view = scene.view(top)?;
        let mut operands = Vec::new();
        let mut at = top;
        let mut n_adds = 0;
        while let Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Concat), left, right } =
            ast.expr(at)
        {
            n_adds += usize::from(*op == BinaryOp::Add);
            operands.push(*right);
            at = *left;
        }
        operands.push(at);
        operands.reverse();
        let kinds: Vec<On> = operands.iter().map(|it| On::of(view.ty(*it))).collect();
        let has = |wanted: On| kinds.contains(&wanted);
        if operands.len() < 3 || n_adds == 0 || !has(On::Text) && !has(On::Array) {
            return None;
        }
        let is_in = |other: &Diagnostic| {
            matches!(other.code, Code::E2016 | Code::E2001)
                && ast.subtree(top.node()).contains(&other.node.0)
        };
        let own = scene.module.diagnostics.iter().enumerate().filter(|it| is_in(it.1));
        let own: Vec<FindingId> = own.map(|it| FindingId::Diagnostic(it.0)).collect();
        if own.first() != Some(&target) {
            return None;
        }
        let part = |(expr, kind): (&ExprId, &On)| match kind {
            On::Text | On::Array => scene.kept(*expr),
            _ if has(On::Array) => scene.kept(*expr),
            _ => call(ident("to_string"), vec![scene.kept(*expr)]),
        };
        let mut parts = operands.iter().zip(&kinds).map(part);
        let first = parts.next()?;
        let new = parts.fold(
            first,
            |left, right| json!({ "kind": "binary", "op": "++", "left": left, "right": right }),
        );
        Some(
            Candidate::new(scene, target, "join all of it with `++`")
                .because("`+` adds numbers; `++` joins strings and arrays")
                .confidence(Confidence::High)
                .op(scene.replace(top, new)),
        )
    };
    found().into_iter().collect()
}

/// `Shape.Circle(1)`: a variant is written by its name alone.
fn qualified(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let found = || {
        let ast = scene.ast();
        let expr = scene.expr(node)?;
        let Expr::Ident { name } = ast.expr(expr) else { return None };
        let parent = scene.expr(scene.parent(expr)?)?;
        let Expr::Field { object, field } = ast.expr(parent) else { return None };
        let is_variant = matches!(scene.module.env.values.get(field), Some(Value::Variant { .. }));
        let is_it = *object == expr && is_variant && scene.module.env.types.contains_key(name);
        is_it.then(|| {
            Candidate::new(scene, target, format!("write `{field}` for `{name}.{field}`"))
                .because("a variant is written by its name alone")
                .confidence(Confidence::High)
                .op(scene.replace(parent, ident(field)))
        })
    };
    found().into_iter().collect()
}

/// `println(a, b)`: one text is written, so the values are joined, with a blank between them as others write it.
fn printed(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let whole = scene.expr(node)?;
        let Expr::Call { callee, args } = ast.expr(whole) else { return None };
        let Expr::Ident { name } = ast.expr(*callee) else { return None };
        let is_print = matches!(name.as_str(), "println" | "print" | "eprintln" | "eprint");
        if !is_print || args.len() < 2 || !is_builtin(scene, name) {
            return None;
        }
        let view = scene.view(whole)?;
        let pattern = ast.text(args[0].node());
        if pattern.starts_with('"') && pattern.matches("{}").count() == args.len() - 1 {
            let mut filled = pattern.to_owned();
            for arg in &args[1..] {
                filled = filled.replacen("{}", &format!("{{{}}}", ast.text(arg.node())), 1);
            }
            let new = super::texts::template(&filled, "{", false)?;
            return Some(
                Candidate::new(scene, target, "write a template")
                    .because("a string with values in it is a template: `a ${x}`")
                    .confidence(Confidence::High)
                    .op(scene.replace(whole, call(ident(name), vec![source(&new)])))
                    .idiom(),
            );
        }
        // What stands there twice was not to be written twice.
        let is_doubled = |it: &ExprId| {
            args.iter().filter(|other| ast.text(other.node()) == ast.text(it.node())).count() > 1
        };
        if args.iter().any(is_doubled) {
            return None;
        }
        let mut text = String::new();
        let mut has_blank = true;
        for (place, arg) in args.iter().enumerate() {
            let written = ast.text(arg.node());
            let starts_blank = written.starts_with("\" ") || written.starts_with("` ");
            if place > 0 {
                text.push_str(if has_blank || starts_blank { " ++ " } else { " ++ \" \" ++ " });
            }
            has_blank = written.ends_with(" \"") || written.ends_with(" `");
            match On::of(view.ty(*arg)) {
                On::Text => text.push_str(written),
                _ => text.push_str(&format!("to_string({written})")),
            }
        }
        Some(
            Candidate::new(scene, target, "join what is written with `++`")
                .because(format!("`{name}` writes one string"))
                .confidence(Confidence::Medium)
                .op(scene.replace(whole, call(ident(name), vec![source(&text)]))),
        )
    };
    found().into_iter().collect()
}

/// How many other places for a field are tried.
const MAX_PLACES: usize = 3;

/// A field that a part of the value has, or another value in scope: `pair.0.name`, `item.name`.
fn elsewhere(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let expr = scene.expr(node)?;
        let Expr::Field { object, field } = ast.expr(expr) else { return None };
        let view = scene.view(expr)?;
        let env = &scene.module.env;
        let has = |ty: &Ty| fields_of(ty, env).iter().any(|it| it.0.as_ref() == Some(field));
        let through = |part: &str| {
            let inner = json!({ "kind": "field", "object": scene.kept(*object), "field": part });
            json!({ "kind": "field", "object": inner, "field": field.as_str() })
        };
        let written = clank::resolve::one_line(ast, *object);
        let mut ways: Vec<(String, Json)> = Vec::new();
        match view.ty(*object).base() {
            Ty::Tuple(parts) => {
                for (place, _) in parts.iter().enumerate().filter(|it| has(it.1)) {
                    ways.push((format!("{written}.{place}.{field}"), through(&place.to_string())));
                }
                let word = ["first", "second", "third"].iter().position(|it| it == field);
                let word = word.or_else(|| ["fst", "snd"].iter().position(|it| it == field));
                let word =
                    word.or_else(|| field.strip_prefix('_')?.parse::<usize>().ok()?.checked_sub(1));
                if let Some(place) = word.filter(|it| *it < parts.len()) {
                    let place = place.to_string();
                    let new =
                        json!({ "kind": "field", "object": scene.kept(*object), "field": place });
                    ways.push((format!("{written}.{place}"), new));
                }
            }
            ty => {
                for (name, _) in fields_of(ty, env).iter().filter(|it| has(&it.1)) {
                    let Some(name) = name else { continue };
                    ways.push((format!("{written}.{name}.{field}"), through(name)));
                }
            }
        }
        if ways.is_empty() && matches!(ast.expr(*object), Expr::Ident { .. }) {
            for local in locals(scene, node).into_iter().filter(|it| has(&it.ty)) {
                let new = json!({ "kind": "field", "object": ident(&local.name), "field": field.as_str() });
                ways.push((format!("{}.{field}", local.name), new));
            }
        }
        let confidence = if ways.len() == 1 { Confidence::High } else { Confidence::Medium };
        ways.truncate(MAX_PLACES);
        Some(ways.into_iter().map(move |(text, new)| {
            Candidate::new(scene, target, format!("write `{text}`"))
                .because(format!("it has a field `{field}`"))
                .confidence(confidence)
                .op(scene.replace(expr, new))
        }))
    };
    found().into_iter().flatten().collect()
}

/// The most arguments that are put in another order.
const MAX_ARGUMENTS: usize = 4;

/// Arguments in another order, where that is the only one in which their types fit.
fn reordered(scene: RepairContext<'_>, node: NodeId, target: FindingId) -> Vec<Candidate> {
    let ast = scene.ast();
    let found = || {
        let mut at = node;
        let whole = loop {
            let parent = scene.parent(at)?;
            match &ast.node(parent).kind {
                AstKind::Expr(Expr::Call { args, .. }) if args.iter().any(|it| it.node() == at) => {
                    break ExprId::of(ast, parent)?;
                }
                AstKind::Expr(_) | AstKind::LambdaParam(_) => at = parent,
                _ => return None,
            }
        };
        let Expr::Call { callee, args } = ast.expr(whole) else { return None };
        let is_own = |other: &Diagnostic| {
            matches!(
                other.code,
                Code::E2001 | Code::E2016 | Code::E2007 | Code::E2011 | Code::E2004
            ) && ast.subtree(whole.node()).contains(&other.node.0)
                && args.iter().any(|arg| ast.subtree(arg.node()).contains(&other.node.0))
        };
        let own = scene.module.diagnostics.iter().enumerate().filter(|it| is_own(it.1));
        let own: Vec<usize> = own.map(|it| it.0).collect();
        if args.len() < 2
            || args.len() > MAX_ARGUMENTS
            || own.first().map(|it| FindingId::Diagnostic(*it)) != Some(target)
        {
            return None;
        }
        let mut found = Vec::new();
        let mut all = orders(args.len());
        all.retain(|it| may_fit(scene, *callee, args, it));
        all.sort_by_cached_key(|it| strangeness(scene, *callee, args, it));
        for order in all {
            let all: Vec<Json> = order.iter().map(|it| scene.kept(args[*it])).collect();
            found.push(
                Candidate::new(scene, target, "put the arguments in the order of the parameters")
                    .because("the types of the arguments fit in this order")
                    .confidence(Confidence::High)
                    .op(scene.replace(whole, call(scene.kept(*callee), all))),
            );
        }
        // Of several ways, the one that explains most is likelier than the others.
        if found.len() > 1 {
            found.iter_mut().for_each(|it| it.confidence = Confidence::Low);
            found[0].confidence = Confidence::Medium;
        }
        found.truncate(3);
        Some(found)
    };
    found().unwrap_or_default()
}

/// How little speaks for an order of arguments that fit: how many go by another name than their parameters, how many of the
/// same type are turned around, how many are moved.
fn strangeness(
    scene: RepairContext<'_>,
    callee: ExprId,
    args: &[ExprId],
    order: &[usize],
) -> (usize, usize, usize) {
    let ast = scene.ast();
    let names = crate::propose::calls::parameter_names(scene, callee).unwrap_or_default();
    let is_named = |it: &(usize, &usize)| {
        let last = match ast.expr(args[*it.1]) {
            Expr::Ident { name } | Expr::Field { field: name, .. } => Some(name),
            _ => None,
        };
        let wanted = names.get(it.0).and_then(Option::as_ref);
        wanted.is_some_and(|wanted| {
            last == Some(wanted) || ast.text(args[*it.1].node()).contains(&format!(".{wanted}"))
        })
    };
    let n_named = order.iter().enumerate().filter(is_named).count();
    let ty = |it: usize| scene.view(callee).map(|view| view.ty(args[it]).base().to_string());
    let mut n_turned = 0;
    for (place, first) in order.iter().enumerate() {
        let later = order[place + 1..].iter().filter(|it| *it < first && ty(**it) == ty(*first));
        n_turned += later.count();
    }
    let n_moved = order.iter().enumerate().filter(|it| it.0 != *it.1).count();
    (order.len() - n_named, n_turned, n_moved)
}

/// Whether an argument is one of a call whose arguments fit in another order.
pub(in crate::propose) fn fits_elsewhere(scene: RepairContext<'_>, argument: ExprId) -> bool {
    let whole = scene.parent(argument).and_then(|it| scene.expr(it));
    let Some(Expr::Call { callee, args }) = whole.map(|it| scene.ast().expr(it)) else {
        return false;
    };
    (2..=MAX_ARGUMENTS).contains(&args.len())
        && args.contains(&argument)
        && orders(args.len()).iter().any(|order| may_fit(scene, *callee, args, order))
}

/// Whether the arguments may fit in an order, as far as their types are known.
fn may_fit(scene: RepairContext<'_>, callee: ExprId, args: &[ExprId], order: &[usize]) -> bool {
    let Some(view) = scene.view(callee) else { return false };
    let Some(params) = crate::propose::calls::parameters_of(scene, callee) else {
        return false;
    };
    params.len() == order.len()
        && params.iter().zip(order).all(|(param, arg)| {
            let ty = view.ty(args[*arg]);
            match (param.base(), ty.base()) {
                (Ty::Array(_), Ty::Array(_)) | (Ty::Fn(_), Ty::Fn(_)) => true,
                (Ty::Fn(_), _) => matches!(scene.ast().expr(args[*arg]), Expr::Lambda { .. }),
                (Ty::Error, ty) => !matches!(ty, Ty::Fn(_)),
                (Ty::Prim(Prim::Nat), Ty::Prim(Prim::Int)) => true,
                _ => crate::propose::fit::may_fit(ty, param),
            }
        })
}

/// All orders of so many things but the one that they have; those that change least first.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..n {
        let longer = |it: &Vec<usize>| {
            let left = (0..n).filter(|place| !it.contains(place));
            left.map(|place| it.iter().copied().chain([place]).collect()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let moved = |it: &Vec<usize>| it.iter().enumerate().filter(|it| it.0 != *it.1).count();
    all.retain(|it| moved(it) > 0);
    all.sort_by_key(moved);
    all
}
