//! A direct interpreter of checked programs, written from the language's decisions and not from the code generator.
//!
//! It walks the tree. The checker tells it what must be checked at run time (the goals), and the types of lambdas and of
//! integers of fixed width; everything else is decided here.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use clank::CheckedModule;
use clank::body::{Goal, GoalKind, Resolution, Site};
use clank::env::{self, Signature};
use clank::proof::Proof;
use clank::ty::{Predicate, Prim, Ty};
use clank_syntax::ast::{
    Arm, Ast, BinaryOp, Decl, Expr, ExprId, Literal, Name, NodeId, Pattern, PatternId, Stmt,
    StmtId, TemplatePart, UnaryOp,
};
use clank_syntax::with_stack;
use num_bigint::BigInt;
use num_traits::{Pow, Signed, ToPrimitive, Zero};

use super::blame::Blame;
use super::value::{Function, Scope, Value};

/// Why an expression has no value.
pub(super) enum Stop {
    Return(Value),
    Break,
    Continue,
    Raise(Value),
    Panic(String),
    /// It would take too long to be worth it.
    Fuel,
}

/// Runs `main`. `None` if that takes too long; else the output and how it ended.
pub(super) fn interpret(module: &CheckedModule, fuel: u64) -> Option<(String, String)> {
    let is_function =
        |name: &str| matches!(module.env.values.get(name), Some(env::Value::Fn { .. }));
    if !is_function("main") {
        return None;
    }
    let mut interpreter = Interpreter::new(module, fuel);
    let ended = match interpreter.declared("main", Vec::new()) {
        Ok(_) => "done".to_owned(),
        Err(Stop::Panic(message)) => format!("panic: {message}"),
        Err(Stop::Raise(error)) => format!("raised: {}", error.show()),
        Err(Stop::Fuel) => return None,
        Err(Stop::Return(_) | Stop::Break | Stop::Continue) => {
            unreachable!("a function keeps these")
        }
    };
    Some((interpreter.output, ended))
}

/// Calls functions with these arguments, each with so much fuel, and says which goal that was proved does not hold. How
/// the calls end does not matter otherwise.
pub(super) fn watch(
    module: &CheckedModule,
    calls: impl Iterator<Item = (Name, Vec<Value>)>,
    fuel: u64,
) -> Option<String> {
    for (name, args) in calls {
        let mut interpreter = Interpreter::new(module, fuel);
        if !interpreter.can_be_called(&name, &args) {
            continue;
        }
        let given: Vec<String> = args.iter().map(Value::show).collect();
        let ended = interpreter.declared(&name, args);
        let Some(fault) = interpreter.blame.fault else { continue };
        let message = match ended {
            Err(Stop::Panic(message)) => message,
            _ => String::new(),
        };
        return Some(format!("proved, but {fault} in {name}({}): {message}", given.join(", ")));
    }
    None
}

pub(super) struct Interpreter<'a> {
    module: &'a CheckedModule,
    pub(super) ast: &'a Ast,
    pub(super) goals: HashMap<NodeId, Vec<(&'a Goal, &'a Proof)>>,
    frames: Vec<Frame>,
    pub(super) output: String,
    fuel: u64,
    pub(super) blame: Blame,
}

/// A call that has not come back.
struct Frame {
    /// The parameters, which conditions and results are about.
    params: Scope,
    /// What it gives.
    result: Ty,
}

impl<'a> Interpreter<'a> {
    fn new(module: &'a CheckedModule, fuel: u64) -> Interpreter<'a> {
        let mut goals: HashMap<NodeId, Vec<(&Goal, &Proof)>> = HashMap::new();
        for (node, goal, proof) in module.goals() {
            goals.entry(node).or_default().push((goal, proof));
        }
        Interpreter {
            module,
            ast: &module.ast,
            goals,
            frames: Vec::new(),
            output: String::new(),
            fuel,
            blame: Blame::default(),
        }
    }

    /// Whether arguments are what the parameters promise inside, which nobody checks.
    fn can_be_called(&mut self, name: &str, args: &[Value]) -> bool {
        let Some(env::Value::Fn { signature, .. }) = self.module.env.values.get(name) else {
            return false;
        };
        let mut scope = Scope::default();
        for ((param, _), value) in signature.params.iter().zip(args) {
            scope.bind(param, value.clone());
        }
        let mut params = signature.params.iter().zip(args);
        params.all(|((_, ty), value)| self.broken_part(value, ty, &scope).is_none())
    }

    fn spend(&mut self, fuel: usize) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(fuel as u64).ok_or(Stop::Fuel)?;
        Ok(())
    }

    pub(super) fn call(&mut self, function: &Value, args: Vec<Value>) -> Result<Value, Stop> {
        self.spend(1)?;
        let Value::Function(function) = function else { unreachable!("only functions are called") };
        match function {
            Function::Declared(name) => self.declared(name, args),
            Function::Builtin(name) => {
                self.spend(args.iter().map(size).sum())?;
                self.builtin(name, &args)
            }
            Function::Constructor(name) => self.construct(name, args),
            Function::Lambda { node, params, body, scope } => {
                let mut scope = scope.clone();
                for (param, value) in params.iter().zip(args) {
                    scope.bind(param, value);
                }
                let Ty::Fn(ty) = self.ty(*node).base() else {
                    unreachable!("a lambda is a function")
                };
                self.frame(scope, ty.result.clone(), *body)
            }
        }
    }

    fn ty(&self, node: NodeId) -> &'a Ty {
        let bodies = self.module.bodies.values().map(|it| it.view());
        let mut views = bodies.filter(|it| it.nodes().contains(&node.0));
        views.next().map_or(&Ty::Error, |view| view.ty(node))
    }

    pub(super) fn declared(&mut self, name: &str, args: Vec<Value>) -> Result<Value, Stop> {
        let Some(env::Value::Fn { node, signature, .. }) = self.module.env.values.get(name) else {
            unreachable!("{name} is a function")
        };
        let signature: Arc<Signature> = signature.clone();
        let mut scope = Scope::default();
        for ((param, _), value) in signature.params.iter().zip(&args) {
            scope.bind(param, value.clone());
        }
        for (index, ((_, ty), value)) in signature.params.iter().zip(&args).enumerate() {
            self.blame.entered = Some((Name::new(name), index));
            self.check(value, ty, None, &scope)?;
        }
        self.blame.entered = None;
        for ((_, ty), value) in signature.params.iter().zip(&args) {
            if let Some(broken) = self.broken_part(value, ty, &scope) {
                self.blame.broken(name, broken);
                return Err(Stop::Fuel);
            }
        }
        if let Some(condition) = &signature.precondition
            && !self.eval(condition.expr, &scope)?.truth()
        {
            let text = &condition.text;
            return Err(Stop::Panic(format!("the precondition `{text}` does not hold")));
        }
        let decl = clank_syntax::ast::DeclId::of(self.ast, *node).expect("it is a declaration");
        let Decl::Fn(function) = self.ast.decl(decl) else { unreachable!("it is a function") };
        let value = self.frame(scope.clone(), signature.result.clone(), function.body)?;
        if let Some(condition) = &signature.postcondition {
            scope.bind(&Name::new("result"), value.clone());
            if !self.eval(condition.expr, &scope)?.truth() {
                let text = &condition.text;
                self.blame_postcondition(*node);
                return Err(Stop::Panic(format!("the postcondition `{text}` does not hold")));
            }
        }
        Ok(value)
    }

    fn frame(&mut self, params: Scope, result: Ty, body: ExprId) -> Result<Value, Stop> {
        let is_unit = result.base() == &Ty::UNIT;
        self.frames.push(Frame { params: params.clone(), result });
        let value = self.eval(body, &params);
        self.frames.pop();
        match value {
            Ok(_) if is_unit => Ok(Value::Unit),
            Err(Stop::Return(value)) => Ok(value),
            other => other,
        }
    }

    fn construct(&mut self, name: &str, args: Vec<Value>) -> Result<Value, Stop> {
        match self.module.env.values.get(name) {
            Some(env::Value::Variant { def, variant }) => {
                let env::TypeBody::Sum(variants) = &def.shape else { unreachable!("it is a sum") };
                let fields = &variants[*variant as usize].fields;
                let mut scope = Scope::default();
                for ((field, _), value) in fields.iter().zip(&args) {
                    if let Some(field) = field {
                        scope.bind(field, value.clone());
                    }
                }
                for (index, ((_, ty), value)) in fields.iter().zip(&args).enumerate() {
                    self.blame.entered = Some((Name::new(name), index));
                    self.check(value, ty, None, &scope)?;
                }
                self.blame.entered = None;
                Ok(Value::variant(name, args))
            }
            Some(env::Value::Record { def }) => {
                let env::TypeBody::Record(fields) = &def.shape else {
                    unreachable!("it is a record")
                };
                let mut scope = Scope::default();
                for ((field, _), value) in fields.iter().zip(&args) {
                    scope.bind(field, value.clone());
                }
                for (index, ((_, ty), value)) in fields.iter().zip(&args).enumerate() {
                    self.blame.entered = Some((Name::new(name), index));
                    self.check(value, ty, None, &scope)?;
                }
                self.blame.entered = None;
                let fields = fields.iter().map(|it| it.0.clone()).zip(args).collect();
                Ok(Value::Record(Some(Name::new(name)), Rc::new(fields)))
            }
            _ => unreachable!("{name} is a constructor"),
        }
    }

    /// What a type asks of a value: rows 1, 6 and 7.
    fn check(
        &mut self,
        value: &Value,
        ty: &Ty,
        goal: Option<&str>,
        scope: &Scope,
    ) -> Result<(), Stop> {
        match ty.base() {
            Ty::Prim(Prim::Nat) if value.int().is_negative() => {
                return Err(Stop::Panic(format!("{} is not a Nat", value.show())));
            }
            Ty::Prim(Prim::Int32) => drop(fits(value.clone(), 32)?),
            Ty::Prim(Prim::Int64) => drop(fits(value.clone(), 64)?),
            _ => {}
        }
        let Ty::Refined(refined) = ty else { return Ok(()) };
        for predicate in &refined.predicates {
            let mut scope = self.scope_of(predicate, scope)?;
            scope.bind(predicate.written_variable(), value.clone());
            if !self.eval(predicate.expr, &scope)?.truth() {
                let text =
                    goal.filter(|_| refined.predicates.len() == 1).unwrap_or(&predicate.text);
                return Err(Stop::Panic(format!("`{text}` does not hold")));
            }
        }
        Ok(())
    }

    /// What the names of a predicate mean where it is asked.
    fn scope_of(&mut self, predicate: &Predicate, here: &Scope) -> Result<Scope, Stop> {
        let Some(given) = &predicate.given else {
            let is_closed = self.is_in_alias(predicate.expr);
            return Ok(if is_closed { Scope::default() } else { here.clone() });
        };
        let mut scope = Scope::default();
        for (name, value) in &given.values {
            let value = value.as_ref().expect("what cannot be asked is refused");
            let given = self.eval(value.expr, here)?;
            scope.bind(name, value.field.as_ref().map_or(&given, |it| part(&given, it)).clone());
        }
        Ok(scope)
    }

    /// What is inside a value and does not satisfy its type, of which nothing is checked when the program runs.
    fn broken_part(&mut self, value: &Value, ty: &Ty, scope: &Scope) -> Option<String> {
        let parts: Vec<(&Value, &Ty)> = match (value, ty.base()) {
            (Value::Array(items), Ty::Array(element)) => {
                items.iter().map(|it| (it, &**element)).collect()
            }
            (Value::Tuple(items), Ty::Tuple(types)) => items.iter().zip(types.iter()).collect(),
            (Value::Variant(name, items), Ty::Adt(adt)) if name == "Some" => {
                items.iter().zip(&adt.args).collect()
            }
            _ => Vec::new(),
        };
        for (part, ty) in parts {
            if let Err(Stop::Panic(message)) = self.check(part, ty, None, scope) {
                return Some(format!("{} is inside: {message}", part.show()));
            }
            if let Some(broken) = self.broken_part(part, ty, scope) {
                return Some(broken);
            }
        }
        None
    }

    /// Whether a predicate is written where no local is in scope.
    fn is_in_alias(&self, expr: ExprId) -> bool {
        let mut declarations = self.ast.declarations().iter();
        let home = declarations.find(|it| self.ast.subtree(**it).contains(&expr.node().0));
        home.is_some_and(|it| matches!(self.ast.decl(*it), Decl::TypeAlias { .. }))
    }

    /// The goals that are checked where they are: not those that a callee checks when it is entered.
    fn check_goals(&mut self, node: NodeId, value: &Value, scope: &Scope) -> Result<(), Stop> {
        let Some(goals) = self.goals.get(&node).cloned() else { return Ok(()) };
        for (goal, proof) in goals {
            let callee_checks = match &goal.site {
                Site::Argument { callee, .. } => matches!(
                    callee,
                    Some(
                        Resolution::Fn { .. }
                            | Resolution::Variant { .. }
                            | Resolution::Record { .. }
                    )
                ),
                // The value around the one that is assigned is not known here.
                Site::Around { .. } => true,
                _ => false,
            };
            let is_about_value = matches!(goal.kind, GoalKind::Refinement | GoalKind::Overflow);
            let Some(expected) =
                goal.expected.as_ref().filter(|_| is_about_value && !callee_checks)
            else {
                continue;
            };
            let params = self.frames.last().map(|it| it.params.clone());
            let scope = match goal.site {
                Site::Return => params.as_ref().unwrap_or(scope),
                _ => scope,
            };
            let held = self.check(value, expected, Some(&goal.text), scope);
            if matches!(held, Err(Stop::Panic(_))) {
                self.blame.found(goal, proof);
            }
            held?;
        }
        Ok(())
    }

    fn eval(&mut self, expr: ExprId, scope: &Scope) -> Result<Value, Stop> {
        self.spend(1)?;
        let value = with_stack(|| self.expr(expr, scope));
        if let Err(Stop::Panic(message)) = &value {
            self.blame_expr(expr, message);
        }
        let value = value?;
        self.check_goals(expr.node(), &value, scope)?;
        Ok(value)
    }

    fn eval_all(&mut self, exprs: &[ExprId], scope: &Scope) -> Result<Vec<Value>, Stop> {
        exprs.iter().map(|it| self.eval(*it, scope)).collect()
    }

    fn expr(&mut self, expr: ExprId, scope: &Scope) -> Result<Value, Stop> {
        Ok(match self.ast.expr(expr) {
            Expr::Literal(it) => literal(it),
            Expr::Template { parts } => {
                let mut text = String::new();
                for part in parts {
                    match part {
                        TemplatePart::Text(it) => text.push_str(it),
                        TemplatePart::Expr(it) => text.push_str(&self.eval(*it, scope)?.show()),
                    }
                }
                self.spend(text.len())?;
                Value::str(&text)
            }
            Expr::Ident { name } => self.name(name, scope),
            Expr::Unary { op, operand } => match (op, self.eval(*operand, scope)?) {
                (UnaryOp::Neg, Value::Int(it)) => Value::Int(-it),
                (UnaryOp::Neg, Value::Float(it)) => Value::Float(-it),
                (_, it) => Value::Bool(!it.truth()),
            },
            Expr::Binary { op, left, right } => self.binary(*op, *left, *right, scope)?,
            Expr::Call { callee, args } => {
                let function = self.eval(*callee, scope)?;
                let args = self.eval_all(args, scope)?;
                self.call(&function, args)?
            }
            Expr::Index { object, index } => {
                let object = self.eval(*object, scope)?;
                let index = self.eval(*index, scope)?;
                object.items()[place(object.items(), &index)?].clone()
            }
            Expr::Field { object, field } => part(&self.eval(*object, scope)?, field).clone(),
            Expr::Lambda { params, body } => {
                let params =
                    params.iter().map(|it| self.ast.lambda_param(*it).name.clone()).collect();
                let (node, scope) = (expr.node(), scope.clone());
                Value::Function(Function::Lambda {
                    node,
                    params: Rc::new(params),
                    body: *body,
                    scope,
                })
            }
            Expr::If { condition, then_branch, else_branch } => {
                if self.eval(*condition, scope)?.truth() {
                    let value = self.eval(*then_branch, scope)?;
                    if else_branch.is_some() { value } else { Value::Unit }
                } else if let Some(branch) = else_branch {
                    self.eval(*branch, scope)?
                } else {
                    Value::Unit
                }
            }
            Expr::Match { scrutinee, arms } => {
                let value = self.eval(*scrutinee, scope)?;
                let arms: Vec<&Arm> = arms.iter().map(|it| self.ast.arm(*it)).collect();
                self.arms(&arms, &value, scope)?
            }
            Expr::Block { statements, expr } => self.block(statements, *expr, scope)?,
            _ => self.composed(expr, scope)?,
        })
    }

    /// The rarer expressions, most of which are made of parts.
    fn composed(&mut self, expr: ExprId, scope: &Scope) -> Result<Value, Stop> {
        Ok(match self.ast.expr(expr) {
            Expr::Array { elements } => Value::array(self.eval_all(elements, scope)?),
            Expr::Tuple { elements } => Value::Tuple(Rc::new(self.eval_all(elements, scope)?)),
            Expr::Record { fields } => {
                let fields = fields.iter().map(|it| self.ast.field_init(*it));
                let made: Result<Vec<_>, Stop> =
                    fields.map(|it| Ok((it.name.clone(), self.eval(it.value, scope)?))).collect();
                Value::Record(None, Rc::new(made?))
            }
            Expr::RecordLit { name, fields } => {
                let mut given = HashMap::new();
                for init in fields.iter().map(|it| self.ast.field_init(*it)) {
                    given.insert(init.name.clone(), self.eval(init.value, scope)?);
                }
                let Some(env::Value::Record { def }) = self.module.env.values.get(name) else {
                    unreachable!("{name} is a record")
                };
                let env::TypeBody::Record(fields) = &def.shape else {
                    unreachable!("it is a record")
                };
                let args =
                    fields.iter().map(|it| given.remove(&it.0).expect("no field is missing"));
                let args = args.collect();
                self.construct(name, args)?
            }
            Expr::Range { start, end, inclusive } => {
                let start = self.eval(*start, scope)?;
                let end = self.eval(*end, scope)?;
                range(start.int(), end.int(), *inclusive)?
            }
            Expr::Propagate { expr } => {
                let value = self.eval(*expr, scope)?;
                self.propagate(value)?
            }
            Expr::Hole { name } => {
                let name = name.as_ref().map_or("_".to_owned(), |it| format!("?{it}"));
                return Err(Stop::Panic(format!("not yet done: the hole `{name}` is not filled")));
            }
            _ => unreachable!("the program was read, and the others are evaluated elsewhere"),
        })
    }

    fn name(&self, name: &Name, scope: &Scope) -> Value {
        if let Some(value) = scope.get(name) {
            return value;
        }
        match self.module.env.values.get(name) {
            Some(env::Value::Fn { .. }) => Value::Function(Function::Declared(name.clone())),
            Some(env::Value::Builtin { .. }) => Value::Function(Function::Builtin(name.clone())),
            Some(env::Value::Variant { def, variant }) => match &def.shape {
                env::TypeBody::Sum(it) if it[*variant as usize].fields.is_empty() => {
                    Value::variant(name, Vec::new())
                }
                _ => Value::Function(Function::Constructor(name.clone())),
            },
            Some(env::Value::Record { .. }) => Value::Function(Function::Constructor(name.clone())),
            _ => unreachable!("{name} has a value"),
        }
    }

    /// Rows 11 and 29: the failing value is the result, or it is raised.
    fn propagate(&mut self, value: Value) -> Result<Value, Stop> {
        let Value::Variant(name, fields) = &value else {
            unreachable!("it is an Option or a Result")
        };
        let kind = match name.as_str() {
            "Some" | "Ok" => return Ok(fields[0].clone()),
            "None" => "Option",
            _ => "Result",
        };
        let result = self.frames.last().map(|it| it.result.base());
        match result {
            Some(Ty::Adt(it)) if it.key.is_prelude(kind) => Err(Stop::Return(value)),
            _ if kind == "Option" => Err(Stop::Raise(Value::str("None"))),
            _ => Err(Stop::Raise(fields[0].clone())),
        }
    }

    fn binary(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        scope: &Scope,
    ) -> Result<Value, Stop> {
        if op == BinaryOp::Pipe {
            // `x |> f` is `f(x)` (row 57), and what is called is evaluated first.
            let function = self.eval(right, scope)?;
            let value = self.eval(left, scope)?;
            return self.call(&function, vec![value]);
        }
        let left = self.eval(left, scope)?;
        match op {
            BinaryOp::And if !left.truth() => return Ok(left),
            BinaryOp::Or if left.truth() => return Ok(left),
            _ => {}
        }
        let right = self.eval(right, scope)?;
        self.spend(size(&left) + size(&right))?;
        let not_comparable = || Stop::Panic("functions cannot be compared".to_owned());
        match op {
            BinaryOp::And | BinaryOp::Or => Ok(right),
            BinaryOp::Eq => Ok(Value::Bool(left.equals(&right).ok_or_else(not_comparable)?)),
            BinaryOp::Ne => Ok(Value::Bool(!left.equals(&right).ok_or_else(not_comparable)?)),
            BinaryOp::Concat => Ok(match (&left, &right) {
                (Value::Str(one), Value::Str(two)) => Value::str(&format!("{one}{two}")),
                _ => Value::array([left.items(), right.items()].concat()),
            }),
            _ => match (&left, &right) {
                (Value::Int(one), Value::Int(two)) => integers(op, one, two),
                (Value::Float(one), Value::Float(two)) => Ok(floats(op, *one, *two)),
                _ => unreachable!("numbers are not mixed"),
            },
        }
    }

    fn arms(&mut self, arms: &[&Arm], value: &Value, scope: &Scope) -> Result<Value, Stop> {
        for arm in arms {
            let mut inner = scope.clone();
            if !self.matches(arm.pattern, value, &mut inner) {
                continue;
            }
            if let Some(guard) = arm.guard
                && !self.eval(guard, &inner)?.truth()
            {
                continue;
            }
            return self.eval(arm.body, &inner);
        }
        unreachable!("a match is exhaustive")
    }

    /// Binds the names of a pattern, if it matches.
    fn matches(&self, pattern: PatternId, value: &Value, scope: &mut Scope) -> bool {
        match self.ast.pattern(pattern) {
            Pattern::Wildcard => true,
            Pattern::Ident { name } => {
                scope.bind(name, value.clone());
                true
            }
            Pattern::Literal(it) => literal(it).equals(value) == Some(true),
            Pattern::Tuple { elements } => {
                elements.iter().zip(value.items()).all(|(it, part)| self.matches(*it, part, scope))
            }
            Pattern::Record { fields } => fields.iter().all(|it| {
                let field = self.ast.field_pattern(*it);
                let value = part(value, &field.name);
                match field.pattern {
                    Some(pattern) => self.matches(pattern, value, scope),
                    None => {
                        scope.bind(&field.name, value.clone());
                        true
                    }
                }
            }),
            Pattern::Variant { name, payload } => match value {
                Value::Variant(it, fields) if it == name => payload
                    .iter()
                    .zip(fields.iter())
                    .all(|(it, part)| self.matches(*it, part, scope)),
                _ => false,
            },
            Pattern::Error { .. } => unreachable!("the program was read"),
        }
    }

    fn block(
        &mut self,
        stmts: &[StmtId],
        expr: Option<ExprId>,
        scope: &Scope,
    ) -> Result<Value, Stop> {
        let mut inner = scope.clone();
        for stmt in stmts {
            self.stmt(*stmt, &mut inner)?;
        }
        expr.map_or(Ok(Value::Unit), |it| self.eval(it, &inner))
    }

    fn stmt(&mut self, id: StmtId, scope: &mut Scope) -> Result<(), Stop> {
        self.spend(1)?;
        match self.ast.stmt(id) {
            Stmt::Let { pattern, init, .. } => {
                let value = self.eval(*init, scope)?;
                self.check_goals(id.node(), &value, scope)?;
                self.matches(*pattern, &value, scope);
            }
            Stmt::Assign { target, value } => self.assign(id, *target, *value, scope)?,
            Stmt::Expr { expr } => drop(self.eval(*expr, scope)?),
            Stmt::For { pattern, iterable, body } => {
                let items = self.eval(*iterable, scope)?;
                for item in items.items() {
                    let mut inner = scope.clone();
                    self.matches(*pattern, item, &mut inner);
                    if self.turn(*body, &inner)? {
                        break;
                    }
                }
            }
            Stmt::While { condition, body } => {
                while self.eval(*condition, scope)?.truth() {
                    if self.turn(*body, scope)? {
                        break;
                    }
                }
            }
            Stmt::Loop { body } => while !self.turn(*body, scope)? {},
            Stmt::Return { value } => {
                let value = value.map_or(Ok(Value::Unit), |it| self.eval(it, scope))?;
                self.check_goals(id.node(), &value, scope)?;
                return Err(Stop::Return(value));
            }
            Stmt::Break => return Err(Stop::Break),
            Stmt::Continue => return Err(Stop::Continue),
            Stmt::Assert { condition, message } => {
                if !self.eval(*condition, scope)?.truth() {
                    let text = clank_syntax::print_expr(self.ast, *condition);
                    let own = || format!("the assertion `{text}` does not hold");
                    self.blame_all(&[id.node(), condition.node()], GoalKind::Assertion);
                    return Err(Stop::Panic(message.clone().unwrap_or_else(own)));
                }
            }
        }
        Ok(())
    }

    /// One turn of a loop; whether it is the last.
    fn turn(&mut self, body: ExprId, scope: &Scope) -> Result<bool, Stop> {
        match self.eval(body, scope) {
            Ok(_) | Err(Stop::Continue) => Ok(false),
            Err(Stop::Break) => Ok(true),
            Err(stop) => Err(stop),
        }
    }

    /// Row 38. The indices are evaluated first, then the value.
    fn assign(
        &mut self,
        id: StmtId,
        target: ExprId,
        value: ExprId,
        scope: &Scope,
    ) -> Result<(), Stop> {
        let mut steps = Vec::new();
        let mut root = target;
        let name = loop {
            root = match self.ast.expr(root) {
                Expr::Index { object, index } => {
                    steps.push(Err(*index));
                    *object
                }
                Expr::Field { object, field } => {
                    steps.push(Ok(field.clone()));
                    *object
                }
                Expr::Ident { name } => break name,
                _ => unreachable!("only places are assigned to"),
            };
        };
        steps.reverse();
        let mut path = Vec::new();
        for step in steps {
            path.push(match step {
                Err(index) => Err(self.eval(index, scope)?),
                Ok(field) => Ok(field),
            });
        }
        let given = self.eval(value, scope)?;
        self.check_goals(id.node(), &given, scope)?;
        self.check_goals(target.node(), &given, scope)?;
        let old = scope.get(name).expect("only locals are assigned to");
        let new = updated(&old, &path, given);
        if let Err(Stop::Panic(_)) = new {
            let range = self.ast.subtree(target);
            let places: Vec<NodeId> = range.map(NodeId).collect();
            self.blame_all(&places, GoalKind::Bounds);
        }
        let new = new?;
        scope.set(name, new.clone());
        self.check_around(id.node(), &new, &path, scope)
    }

    /// The goals of values in which a part was assigned.
    fn check_around(
        &mut self,
        node: NodeId,
        root: &Value,
        path: &[Result<Name, Value>],
        scope: &Scope,
    ) -> Result<(), Stop> {
        for (goal, proof) in self.goals.get(&node).cloned().unwrap_or_default() {
            let (Site::Around { depth, field }, Some(expected)) = (&goal.site, &goal.expected)
            else {
                continue;
            };
            let owner =
                path[..path.len() - *depth as usize].iter().try_fold(root, |at, step| {
                    Ok(match (step, at) {
                        (Ok(field), _) => part(at, field),
                        (Err(index), Value::Array(items)) => &items[place(items, index)?],
                        _ => unreachable!("only arrays have elements"),
                    })
                })?;
            let held = match (field, owner) {
                (Some(field), Value::Record(_, fields)) => {
                    let mut inside = Scope::default();
                    for (name, value) in fields.iter() {
                        inside.bind(name, value.clone());
                    }
                    self.check(part(owner, field), expected, Some(&goal.text), &inside)
                }
                _ => self.check(owner, expected, Some(&goal.text), scope),
            };
            if matches!(held, Err(Stop::Panic(_))) {
                self.blame.found(goal, proof);
            }
            held?;
        }
        Ok(())
    }
}

/// The value with another one at the end of a path.
fn updated(value: &Value, path: &[Result<Name, Value>], given: Value) -> Result<Value, Stop> {
    let Some((step, rest)) = path.split_first() else { return Ok(given) };
    Ok(match (value, step) {
        (Value::Array(items), Err(index)) => {
            let position = place(items, index)?;
            let mut items = items.to_vec();
            items[position] = updated(&items[position], rest, given)?;
            Value::array(items)
        }
        (Value::Tuple(items), Ok(field)) => {
            let position: usize = field.parse().expect("a tuple has positions");
            let mut items = items.to_vec();
            items[position] = updated(&items[position], rest, given)?;
            Value::Tuple(Rc::new(items))
        }
        (Value::Record(name, fields), Ok(field)) => {
            let mut fields = fields.to_vec();
            let place = fields.iter_mut().find(|it| it.0 == *field).expect("it has the field");
            place.1 = updated(&place.1, rest, given)?;
            Value::Record(name.clone(), Rc::new(fields))
        }
        _ => unreachable!("the path fits the value"),
    })
}

/// A field of a record or a position of a tuple.
fn part<'v>(value: &'v Value, field: &str) -> &'v Value {
    match value {
        Value::Tuple(items) => &items[field.parse::<usize>().expect("a tuple has positions")],
        Value::Record(_, fields) => {
            &fields.iter().find(|it| it.0 == field).expect("it has the field").1
        }
        other => unreachable!("{} has no fields", other.show()),
    }
}

fn place(items: &[Value], index: &Value) -> Result<usize, Stop> {
    let position = index.int().to_usize().filter(|it| *it < items.len());
    position.ok_or_else(|| {
        let (index, count) = (index.int(), items.len());
        Stop::Panic(format!("index {index} is out of bounds for length {count}"))
    })
}

fn literal(it: &Literal) -> Value {
    match it {
        Literal::Int { value, .. } => Value::Int(value.clone()),
        Literal::Float(it) => Value::Float(*it),
        Literal::Str(it) => Value::str(it),
        Literal::Bool(it) => Value::Bool(*it),
        Literal::Unit => Value::Unit,
    }
}

/// Rows 5 and 51.
fn integers(op: BinaryOp, left: &BigInt, right: &BigInt) -> Result<Value, Stop> {
    Ok(match op {
        BinaryOp::Lt => Value::Bool(left < right),
        BinaryOp::Gt => Value::Bool(left > right),
        BinaryOp::Le => Value::Bool(left <= right),
        BinaryOp::Ge => Value::Bool(left >= right),
        BinaryOp::Add => Value::Int(left + right),
        BinaryOp::Sub => Value::Int(left - right),
        BinaryOp::Mul => Value::Int(left * right),
        BinaryOp::Div | BinaryOp::Rem if right.is_zero() => {
            return Err(Stop::Panic("division by zero".to_owned()));
        }
        BinaryOp::Div => Value::Int(left / right),
        BinaryOp::Rem => Value::Int(left % right),
        BinaryOp::Pow => {
            if right.is_negative() {
                return Err(Stop::Panic(format!("{right} is a negative exponent")));
            }
            let exponent = right.to_u32().filter(|it| *it < 10_000).ok_or(Stop::Fuel)?;
            if left.bits() * u64::from(exponent) > 100_000 {
                return Err(Stop::Fuel);
            }
            Value::Int(Pow::pow(left, exponent))
        }
        _ => unreachable!("{} is not about numbers", op.text()),
    })
}

fn floats(op: BinaryOp, left: f64, right: f64) -> Value {
    match op {
        BinaryOp::Lt => Value::Bool(left < right),
        BinaryOp::Gt => Value::Bool(left > right),
        BinaryOp::Le => Value::Bool(left <= right),
        BinaryOp::Ge => Value::Bool(left >= right),
        BinaryOp::Add => Value::Float(left + right),
        BinaryOp::Sub => Value::Float(left - right),
        BinaryOp::Mul => Value::Float(left * right),
        BinaryOp::Div => Value::Float(left / right),
        BinaryOp::Rem => Value::Float(left % right),
        BinaryOp::Pow => Value::Float(left.powf(right)),
        _ => unreachable!("{} is not about numbers", op.text()),
    }
}

/// The integer, if it has at most so many bits.
pub(super) fn fits(value: Value, bits: u32) -> Result<Value, Stop> {
    let number = value.int();
    let bound = BigInt::from(1) << (bits - 1);
    if *number >= bound || *number < -bound {
        return Err(Stop::Panic(format!("{number} is not an Int{bits}")));
    }
    Ok(value)
}

pub(super) fn range(start: &BigInt, end: &BigInt, inclusive: bool) -> Result<Value, Stop> {
    let count = (end - start + i32::from(inclusive)).max(BigInt::zero());
    let count = count.to_u64().filter(|it| *it < 100_000).ok_or(Stop::Fuel)?;
    Ok(Value::array((0..count).map(|it| Value::Int(start + it)).collect()))
}

/// About how long it takes to look at a value.
fn size(value: &Value) -> usize {
    match value {
        Value::Int(it) => it.bits() as usize / 64,
        Value::Str(it) => it.len() / 8,
        Value::Array(it) | Value::Tuple(it) | Value::Set(it) => it.len(),
        Value::Map(it) => it.len(),
        _ => 1,
    }
}
