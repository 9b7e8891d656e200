//! Expressions that stay expressions, if their parts do.

use clank::body::Resolution;
use clank::env::{TypeBody, Value};
use clank::ty::{Prim, Ty};
use clank_syntax::ast::{self, AstKind};
use clank_syntax::ast::{ExprId, FieldInitId, Literal, Name, NodeId, TemplatePart as Part};
use clank_syntax::with_stack;

use super::{Goes, Lower, MAX_DEPTH};
use crate::names;
use crate::runtime;
use crate::tree::{ArrayItem, Arrow, ArrowBody, Expr, StmtKind, TemplatePart};

/// How far the context of a tuple is looked at.
const MAX_CONTEXT: usize = 50;

impl<'a> Lower<'_, 'a> {
    /// The value of an expression, checked; what must come first is written.
    pub(super) fn value(&mut self, id: ExprId) -> Expr {
        with_stack(|| {
            let goals = self.checks_at(id.node());
            let value = self.unchecked(id);
            if self.dead {
                return Expr::undefined();
            }
            let value = self.checked(value, &goals, id.node());
            if value.depth > MAX_DEPTH {
                let ty = self.annotation(id);
                return self.keep(value, "part", ty, self.origin(id));
            }
            value
        })
    }

    /// The type to write at a constant, where TypeScript would make out another one.
    pub(super) fn annotation(&self, id: ExprId) -> Option<&'a Ty> {
        let ty = self.ty(id);
        let is_clear = match (ty.base(), self.at.ast.expr(id)) {
            (Ty::Prim(Prim::Bool), _) => true,
            (Ty::Prim(_), _) => !self.is_literal(id),
            (Ty::Param(_) | Ty::Fn(_) | Ty::Never | Ty::Error | Ty::Var(_), _) => true,
            (_, ast::Expr::Field { .. } | ast::Expr::Index { .. }) => true,
            (_, ast::Expr::Ident { .. }) => {
                matches!(self.at.view.resolution(id), Some(Resolution::Local(_)))
            }
            (ty, ast::Expr::Call { callee, args }) => match self.at.view.resolution(*callee) {
                Some(Resolution::Fn { .. } | Resolution::External { .. }) => !has_never(ty),
                Some(Resolution::Builtin(_)) if args.is_empty() => true,
                Some(Resolution::Record { .. } | Resolution::Variant { .. }) => {
                    matches!(ty, Ty::Adt(adt) if adt.args.is_empty())
                }
                _ => false,
            },
            (Ty::Array(element), ast::Expr::Array { elements }) => {
                !elements.is_empty() && matches!(element.base(), Ty::Prim(_))
            }
            (Ty::Adt(adt), ast::Expr::RecordLit { .. }) => adt.args.is_empty(),
            (_, ast::Expr::Range { .. }) => true,
            _ => false,
        };
        (!is_clear).then_some(ty)
    }

    pub(super) fn unchecked(&mut self, id: ExprId) -> Expr {
        let ast = self.at.ast;
        match ast.expr(id) {
            ast::Expr::Literal(literal) => literal_value(literal),
            ast::Expr::Template { parts } => self.template(parts),
            ast::Expr::Ident { name } => self.name(id, name),
            ast::Expr::Unary { op, operand } => self.unary(id, *op, *operand),
            ast::Expr::Binary { op, left, right } => self.binary(id, *op, *left, *right),
            ast::Expr::Call { callee, args } => self.call(id, *callee, args),
            ast::Expr::Index { object, index } => {
                let operands = self.operands(&[*object, *index]);
                let origin = self.origin(id);
                self.cx.call("at", operands, origin)
            }
            ast::Expr::Field { object, field } => self.field(id, *object, field),
            ast::Expr::Lambda { params, body } => self.lambda(id, params, *body),
            ast::Expr::If { condition, then_branch, else_branch: Some(otherwise) }
                if !self.at.facts.needs_statements(*then_branch)
                    && !self.at.facts.needs_statements(*otherwise)
                    && !matches!(ast.expr(*otherwise), ast::Expr::If { .. })
                    && self.ty(id).base() != &Ty::UNIT =>
            {
                self.conditional(id, *condition, *then_branch, *otherwise)
            }
            ast::Expr::If { .. } | ast::Expr::Match { .. } => self.branches(id),
            ast::Expr::Block { statements, expr } => {
                for stmt in statements {
                    self.stmt(*stmt);
                }
                match expr {
                    Some(expr) => self.value(*expr),
                    None => Expr::undefined(),
                }
            }
            ast::Expr::Array { elements } => Expr::list(self.operands(elements)),
            ast::Expr::Tuple { elements } => self.tuple(id, elements),
            ast::Expr::Record { fields } => {
                let values = self.field_values(fields);
                Expr::object(values)
            }
            ast::Expr::RecordLit { fields, .. } => self.record(id, fields),
            ast::Expr::Range { start, end, inclusive } => {
                let mut operands = self.operands(&[*start, *end]);
                if *inclusive {
                    operands.push(Expr::bool(true));
                }
                let origin = self.origin(id);
                self.cx.call("range", operands, origin)
            }
            ast::Expr::Propagate { expr } => self.propagate(id, *expr),
            ast::Expr::Hole { name } => self.hole(id, name.as_ref()),
            ast::Expr::Error { .. } => self.stop("panic", "this could not be read", id.node()),
        }
    }

    /// Something that is not written yet.
    fn hole(&mut self, id: ExprId, name: Option<&Name>) -> Expr {
        let name = name.map_or("_".to_owned(), |it| format!("?{it}"));
        let relative = id.node().0.wrapping_sub(self.at.view.first.0);
        let hole = self.at.view.body.holes.iter().find(|it| it.node == relative);
        let what = match hole.map(|it| &it.expected) {
            None | Some(Ty::Error | Ty::Var(_)) => format!("the hole `{name}` is not filled"),
            Some(ty) => format!("the hole `{name}` of type `{ty}` is not filled"),
        };
        self.stop("todo", &what, id.node())
    }

    /// A call that does not come back.
    fn stop(&mut self, helper: &'static str, message: &str, node: NodeId) -> Expr {
        let origin = self.origin(node);
        let call = self.cx.call(helper, vec![Expr::str(message)], origin);
        self.leave(StmtKind::Expr(call), origin);
        Expr::undefined()
    }

    fn template(&mut self, parts: &[Part]) -> Expr {
        let ids: Vec<ExprId> = parts
            .iter()
            .filter_map(|it| match it {
                Part::Expr(expr) => Some(*expr),
                Part::Text(_) => None,
            })
            .collect();
        let mut values = self.operands(&ids).into_iter().zip(ids);
        let parts = parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(TemplatePart::Text(text.clone())),
            Part::Expr(_) => {
                let (value, id) = values.next()?;
                let ty = self.ty(id);
                let is_plain = matches!(
                    ty.base(),
                    Ty::Prim(
                        Prim::Str | Prim::Bool | Prim::Int | Prim::Nat | Prim::Int32 | Prim::Int64
                    )
                );
                let value = if is_plain { value } else { self.show(value, ty, id.node()) };
                Some(TemplatePart::Expr(value))
            }
        });
        let parts = parts.collect();
        Expr::template(parts)
    }

    /// The text of a value.
    fn show(&mut self, value: Expr, ty: &Ty, node: NodeId) -> Expr {
        if ty.base() == &Ty::STR {
            return value;
        }
        let mut args = vec![value];
        args.extend(self.cx.show_shape(ty));
        let origin = self.origin(node);
        self.cx.call("show", args, origin)
    }

    /// What a name means as a value.
    fn name(&mut self, id: ExprId, name: &Name) -> Expr {
        let resolution = self.at.view.resolution(id);
        if let Some((_, value, inside)) = self.at.values.iter().rev().find(|it| it.0 == *name) {
            let is_bound_inside = match resolution {
                Some(Resolution::Local(local)) => inside.contains(&self.at.view.local(*local).0),
                _ => false,
            };
            if !is_bound_inside {
                return value.clone();
            }
        }
        match resolution {
            Some(Resolution::Local(local)) => {
                let binder = self.at.view.local(*local);
                let known = self.at.locals.get(&binder).cloned();
                known.unwrap_or_else(|| Expr::ident(names::legal(name)))
            }
            Some(resolution) => self.global(id, resolution),
            None => Expr::ident(names::legal(name)),
        }
    }

    fn global(&mut self, id: ExprId, resolution: &'a Resolution) -> Expr {
        match resolution {
            Resolution::Fn { module, name } => self.function_value(id, module, name),
            Resolution::External { .. } => self.external_value(id, resolution),
            Resolution::Builtin(name) => self.builtin(id, name),
            Resolution::Variant { ty, variant } => self.cx.variant(ty, *variant),
            Resolution::Record { ty } => Expr::ident(self.cx.global(&ty.module, &ty.name, true)),
            Resolution::Local(_) | Resolution::Module(_) | Resolution::HostModule(_) => {
                Expr::undefined()
            }
        }
    }

    /// A builtin as a value. `to_string` needs the type that it is used at.
    fn builtin(&mut self, id: ExprId, name: &str) -> Expr {
        let helper = runtime::helper_of(name).unwrap_or("unreachable");
        if let ("to_string", Ty::Fn(it)) = (name, self.ty(id))
            && let [param] = it.params.as_slice()
        {
            let value = Expr::ident("value");
            let body = self.show(value, param, id.node());
            let params = vec![(Name::new("value"), Some(self.cx.ts(param)))];
            return Expr::arrow(Arrow { params, result: None, body: ArrowBody::Expr(body) });
        }
        self.cx.helper(helper)
    }

    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, args: &[ExprId]) -> Expr {
        let ast = self.at.ast;
        let origin = self.origin(id);
        let builtin = match self.at.view.resolution(callee) {
            Some(Resolution::Builtin(name)) => Some(name.as_str()),
            _ => None,
        };
        match (builtin, args) {
            (Some("linear" | "affine" | "consume"), [value]) => return self.value(*value),
            (Some("discard"), [value]) => {
                self.goes(*value, Goes::Away);
                return Expr::undefined();
            }
            (Some("to_string"), [value]) => {
                let shown = self.value(*value);
                return self.show(shown, self.ty(*value), id.node());
            }
            _ => {}
        }
        let is_known =
            matches!(ast.expr(callee), ast::Expr::Ident { .. } | ast::Expr::Field { .. })
                && self
                    .at
                    .view
                    .resolution(callee)
                    .is_some_and(|it| !matches!(it, Resolution::Local(_)));
        let call = if is_known {
            let shapes = self.passed_shapes(callee);
            let called = match (builtin, self.at.view.resolution(callee)) {
                (Some(name), _) => {
                    self.cx.helper(runtime::helper_of(name).unwrap_or("unreachable"))
                }
                (None, Some(Resolution::Fn { module, name })) => {
                    Expr::ident(self.cx.global(module, name, true))
                }
                (None, Some(Resolution::External { module, namespace, name })) => {
                    self.external(module, namespace.as_ref(), name)
                }
                (None, Some(resolution)) => self.global(callee, resolution),
                (None, None) => Expr::undefined(),
            };
            let called = self.instantiated(called, callee, args);
            let ids = args;
            let mut args = self.operands(ids);
            self.with_more_fields(callee, ids, &mut args);
            args.extend(shapes);
            Expr::call(called, args, origin)
        } else {
            let all: Vec<ExprId> = std::iter::once(callee).chain(args.iter().copied()).collect();
            let mut operands = self.operands(&all);
            let callee = operands.remove(0);
            Expr::call(callee, operands, origin)
        };
        if self.ty(id) == &Ty::Never {
            self.leave(StmtKind::Expr(call), origin);
            return Expr::undefined();
        }
        call
    }

    fn field(&mut self, id: ExprId, object: ExprId, field: &Name) -> Expr {
        match self.at.view.resolution(id) {
            Some(Resolution::Local(_)) | None => {}
            Some(resolution) => return self.global(id, resolution),
        }
        let object = self.value(object);
        match field.parse::<usize>() {
            Ok(position) => object.position(position),
            Err(_) => object.member(names::legal(field)),
        }
    }

    fn tuple(&mut self, id: ExprId, elements: &[ExprId]) -> Expr {
        let list = Expr::list(self.operands(elements));
        if self.has_context(id.node()) {
            return list;
        }
        let ty = self.cx.ts(self.ty(id));
        list.typed(ty)
    }

    /// Whether TypeScript is told from outside that an array is a tuple.
    fn has_context(&self, node: NodeId) -> bool {
        let mut node = node;
        for _ in 0..MAX_CONTEXT {
            let Some(parent) = self.at.facts.parent(node) else { return false };
            match &self.at.ast.node(parent).kind {
                AstKind::Expr(ast::Expr::Tuple { .. }) => return true,
                AstKind::Expr(ast::Expr::Array { .. } | ast::Expr::Record { .. }) => {}
                AstKind::Expr(ast::Expr::If { condition, .. }) if condition.node() != node => {}
                AstKind::Expr(ast::Expr::Block { expr, .. })
                    if expr.is_some_and(|it| it.node() == node) => {}
                AstKind::Arm(arm) if arm.body.node() == node => {}
                AstKind::Expr(ast::Expr::Match { scrutinee, .. }) if scrutinee.node() != node => {}
                AstKind::FieldInit(_) | AstKind::Expr(ast::Expr::Binary { .. }) => {}
                AstKind::Expr(ast::Expr::Call { callee, .. }) => return !self.is_generic(*callee),
                AstKind::Expr(ast::Expr::RecordLit { .. }) => return !self.is_generic_type(parent),
                AstKind::Expr(ast::Expr::Lambda { .. }) => return true,
                AstKind::Stmt(ast::Stmt::Let { .. } | ast::Stmt::Return { .. }) => return true,
                AstKind::Stmt(ast::Stmt::Assign { target, .. }) => return target.node() != node,
                AstKind::Decl(_) => return true,
                _ => return false,
            }
            node = parent;
        }
        false
    }

    fn is_generic_type(&self, node: NodeId) -> bool {
        !matches!(self.ty(node).base(), Ty::Adt(adt) if adt.args.is_empty())
    }

    /// Whether a callee has type parameters, which TypeScript makes out from the arguments.
    fn is_generic(&self, callee: ExprId) -> bool {
        let env = self.cx.program.list[self.at.module as usize].env;
        match self.at.view.resolution(callee) {
            Some(Resolution::Builtin(_)) => true,
            Some(Resolution::Fn { module, name }) => {
                let exports = env.modules.get(module).and_then(|it| it.values.get(name));
                match exports.or_else(|| env.values.get(name)) {
                    Some(Value::Fn { signature, .. }) => !signature.type_params.is_empty(),
                    _ => true,
                }
            }
            Some(Resolution::Variant { ty, .. } | Resolution::Record { ty }) => {
                self.cx.def(ty).is_none_or(|it| !it.params.is_empty())
            }
            Some(Resolution::Local(_)) => false,
            _ => true,
        }
    }

    /// The values of fields in the order in which they are written.
    fn field_values(&mut self, fields: &[FieldInitId]) -> Vec<(Name, Expr)> {
        let ast = self.at.ast;
        let ids: Vec<ExprId> = fields.iter().map(|it| ast.field_init(*it).value).collect();
        let values = self.operands(&ids);
        let names = fields.iter().map(|it| names::legal(&ast.field_init(*it).name));
        names.zip(values).collect()
    }

    /// `Name { f: v }`: the constructor is called with the fields in their order, evaluated in the written one.
    fn record(&mut self, id: ExprId, fields: &[FieldInitId]) -> Expr {
        let mut values = self.field_values(fields);
        let Ty::Adt(adt) = self.ty(id).base() else { return Expr::object(values) };
        let Some(def) = self.cx.def(&adt.key) else { return Expr::object(values) };
        let TypeBody::Record(declared) = &def.shape else { return Expr::object(values) };
        let is_ordered = values.iter().map(|it| &it.0).eq(declared.iter().map(|it| &it.0));
        if !is_ordered {
            let types = fields.iter().map(|it| self.annotation(self.at.ast.field_init(*it).value));
            let types: Vec<Option<&Ty>> = types.collect();
            for (value, ty) in values.iter_mut().zip(types) {
                if !self.is_stable(&value.1) {
                    let kept = std::mem::replace(&mut value.1, Expr::undefined());
                    value.1 = self.keep(kept, &value.0, ty, None);
                }
            }
        }
        let args = declared.iter().map(|(name, _)| {
            let name = names::legal(name);
            values.iter().find(|it| it.0 == name).map_or(Expr::undefined(), |it| it.1.clone())
        });
        let args = args.collect();
        let constructor = Expr::ident(self.cx.global(&adt.key.module, &adt.key.name, true));
        Expr::call(constructor, args, self.origin(id))
    }
}

/// Whether TypeScript may make out `never` for a type argument that nothing determines.
fn has_never(ty: &Ty) -> bool {
    matches!(ty, Ty::Adt(adt) if adt.args.iter().any(|it| matches!(it, Ty::Var(_) | Ty::Error)))
}

fn literal_value(literal: &Literal) -> Expr {
    match literal {
        Literal::Int { value, .. } => Expr::int(value),
        Literal::Float(value) => Expr::float(*value),
        Literal::Str(text) => Expr::str(text.as_str()),
        Literal::Bool(value) => Expr::bool(*value),
        Literal::Unit => Expr::undefined(),
    }
}

/// A literal in a pattern.
pub(super) fn literal(literal: &Literal) -> Expr {
    literal_value(literal)
}

/// An element that is not spread.
pub(super) fn item(expr: Expr) -> ArrayItem {
    ArrayItem { spread: false, expr }
}
