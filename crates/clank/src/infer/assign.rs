//! Assignments: to a `mut` local, or to an element or field of one (row 38).

use clank_syntax::ast::{Expr, ExprId, Name, StmtId};

use super::given::refuted;
use super::wording::{
    Substitution, UNSPOKEN, goal_text, has_predicate, operand_text, replace, simplified,
};
use super::{Infer, Want};
use crate::body::{GoalKind, Site};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Hint, Structured};
use crate::ty::{Meaning, Predicate, Ty};

impl Infer<'_> {
    /// Says whether it never comes back.
    pub(super) fn assign(&mut self, statement: StmtId, target: ExprId, value: ExprId) -> bool {
        let ty = self.expr(target, Want::Any);
        // What the type of a record's field says about more than its value is asked of the record.
        let wanted = match self.is_of_record(target) {
            true => super::table::closed_on_top(&ty),
            false => ty,
        };
        let found = self.expr(value, Want::Must(&wanted, &Site::Assign));
        self.check_place(statement, target);
        self.keep_around(statement, target, value);
        matches!(self.table.shallow(&found), crate::ty::Ty::Never)
    }

    /// The values that a part is in must still satisfy their types when it is another one.
    fn keep_around(&mut self, statement: StmtId, target: ExprId, value: ExprId) {
        let (mut part, mut depth) = (target, 0);
        loop {
            let (object, field) = match self.ast.expr(part) {
                Expr::Index { object, .. } => (*object, None),
                Expr::Field { object, field } => (*object, Some(field)),
                _ => return,
            };
            depth += 1;
            let ty = self.known_type(object);
            let is_asked_of_record = self.is_of_record(object);
            if let Ty::Refined(it) = &ty {
                let says = it.predicates.iter().filter(|it| !is_asked_of_record || it.is_closed());
                let text = |it: &Predicate| goal_text(it, operand_text(self.ast, object));
                let goal = (says.clone().map(text).collect(), says.cloned().collect());
                self.around(statement, depth, None, &it.base, goal);
            }
            if let Some(field) = field {
                let given = if depth == 1 { Some(value) } else { None };
                self.keep_fields(statement, depth, ty.base(), (object, field), given);
            }
            part = object;
        }
    }

    /// Whether an expression is a field of a record, whose type can speak of more than one field.
    fn is_of_record(&mut self, expr: ExprId) -> bool {
        let Expr::Field { object, .. } = self.ast.expr(expr) else { return false };
        let record = self.known_type(*object);
        self.fields_of(record.base()).is_some()
    }

    /// What the fields of a record say about one that was assigned to, or in which something was.
    fn keep_fields(
        &mut self,
        statement: StmtId,
        depth: u32,
        record: &Ty,
        (object, assigned): (ExprId, &Name),
        given: Option<ExprId>,
    ) {
        let Some(fields) = self.fields_of(record) else { return };
        if !fields.iter().any(|it| has_predicate(&it.1)) {
            return;
        }
        let object_text = operand_text(self.ast, object).unwrap_or_else(|| UNSPOKEN.to_owned());
        let given = given.and_then(|it| operand_text(self.ast, it));
        let text_of = |name: &Name| match &given {
            Some(given) if name == assigned => given.clone(),
            _ => format!("{object_text}.{name}"),
        };
        let all: Vec<Substitution> =
            fields.iter().map(|it| Substitution::renaming(&it.0, &text_of(&it.0))).collect();
        for (name, ty) in &fields {
            let mentions = |it: &Predicate| match name == assigned {
                true => !it.is_closed(),
                false => it.names.iter().any(|it| it.0 == *assigned && it.1 == Meaning::Local),
            };
            if let Some(nested) = nested_predicate(ty, &mentions) {
                self.report_kept(statement, assigned, name, &nested);
            }
            let Ty::Refined(it) = ty else { continue };
            let says = it.predicates.iter().filter(|it| mentions(it));
            let text = |it: &Predicate| {
                let others = all.iter().filter(|other| other.name != it.variable).cloned();
                let own = Substitution::renaming(&it.variable, &text_of(name));
                let all: Vec<Substitution> = others.chain([own]).collect();
                replace(&it.text, &all).map_or_else(|| it.text.clone(), |it| simplified(&it))
            };
            let goal = (says.clone().map(text).collect(), says.cloned().collect());
            self.around(statement, depth, Some(name.clone()), &it.base, goal);
        }
    }

    /// E3001: what must hold inside another field cannot be asked again.
    fn report_kept(&mut self, statement: StmtId, assigned: &Name, field: &Name, predicate: &str) {
        let message = format!(
            "the values in `{field}` are not known to satisfy `{predicate}` for another `{assigned}`"
        );
        self.report(
            Diagnostic::new(Code::E3001, statement, message)
                .help(
                    "only the value itself is checked at run time: make a new record of all fields",
                )
                .with(refuted(predicate)),
        );
    }

    fn around(
        &mut self,
        statement: StmtId,
        depth: u32,
        field: Option<Name>,
        base: &Ty,
        (texts, predicates): (Vec<String>, Vec<Predicate>),
    ) {
        if predicates.is_empty() {
            return;
        }
        let text = super::settle::together(&texts);
        let expected = Some(crate::resolve::refined(base.clone(), predicates));
        self.goal(GoalKind::Refinement, statement, Site::Around { depth, field }, expected, text);
    }

    fn known_type(&mut self, expr: ExprId) -> Ty {
        let known = self.types.get(self.relative(expr.node()) as usize).cloned().flatten();
        known.map_or(Ty::Error, |it| self.table.shallow(&it))
    }

    fn check_place(&mut self, statement: StmtId, target: ExprId) {
        let root = self.place_root(target);
        let name = root.and_then(|it| match self.ast.expr(it) {
            Expr::Ident { name } => Some(name.clone()),
            _ => None,
        });
        let Some(name) = name else {
            if matches!(self.ast.expr(target), Expr::Error { .. } | Expr::Hole { .. }) {
                return;
            }
            self.report(
                Diagnostic::new(Code::E2013, statement, "cannot assign to this expression")
                    .help("assign to a `let mut` local, or to an element or field of one")
                    .with(Structured::new("immutable_assign").member("name", "")),
            );
            return;
        };
        let structured = Structured::new("immutable_assign").member("name", name.as_str());
        let Some(local) = self.local(&name).map(|it| self.locals[it as usize].clone()) else {
            // A name that nothing has was reported already.
            if self.env.values.contains_key(&name) {
                let message = format!("`{name}` is not a local and cannot be assigned to");
                self.report(Diagnostic::new(Code::E2013, statement, message).with(structured));
            }
            return;
        };
        if local.mutable {
            return;
        }
        let what = match local.source {
            "let" => "was bound without `mut`",
            "parameter" => "is a parameter",
            _ => "was bound by a pattern",
        };
        let mut diagnostic = Diagnostic::new(
            Code::E2013,
            statement,
            format!("`{name}` {what}, so it cannot be assigned to"),
        )
        .with(structured)
        .related(local.node, format!("`{name}` is bound here"));
        if local.source == "let" {
            diagnostic = diagnostic.help(format!("write `let mut {name}`"));
            diagnostic.hints.push(Hint {
                strategy: "add_mut",
                description: format!("make `{name}` mutable"),
                template: Some(format!("let mut {name}")),
                confidence: check::Confidence::High,
            });
        } else {
            diagnostic = diagnostic.help(format!("copy it first: `let mut copy = {name}`"));
        }
        self.report(diagnostic);
    }
}

/// A predicate of something inside the values of a type.
fn nested_predicate(ty: &Ty, is_meant: &dyn Fn(&Predicate) -> bool) -> Option<String> {
    let mut waiting: Vec<&Ty> = ty.base().parts().collect();
    while let Some(part) = waiting.pop() {
        if let Ty::Refined(it) = part
            && let Some(found) = it.predicates.iter().find(|it| is_meant(it))
        {
            return Some(found.text.clone());
        }
        waiting.extend(part.parts());
    }
    None
}
