//! Records: literals, fields, and the names of modules (`m.f`), which look like fields.

use clank_syntax::ast::{Expr, ExprId, FieldInitId, Name, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::report::{join_words, names_json, short};
use super::wording::{closed_type, has_predicate, replace_in_result, replace_in_type};
use super::{Infer, Want};
use crate::body::{Resolution, Site};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{TypeBody, TypeDef, TypeEntry, Value};
use crate::resolve::{one_line, substitute};
use crate::similar::similar;
use crate::ty::{Prim, RecordTy, Ty};

/// In so few fields or variants one is looked for without an index.
const FEW: usize = 16;

/// Longer operands are not repeated in a help.
const LONGEST_OPERAND: usize = 40;

impl<'a> Infer<'a> {
    /// The fields of a record, nominal or not, with its type arguments put in.
    pub(super) fn fields_of(&self, ty: &Ty) -> Option<Vec<(Name, Ty)>> {
        match ty {
            Ty::Record(it) => Some(it.fields.clone()),
            Ty::Adt(it) => {
                let def = self.env.def(&it.key)?;
                let TypeBody::Record(fields) = &def.shape else { return None };
                let field =
                    |(name, ty): &(Name, Ty)| (name.clone(), substitute(ty, &def.params, &it.args));
                Some(fields.iter().map(field).collect())
            }
            _ => None,
        }
    }

    /// The place of a field or variant in a type; the first if there are several of that name.
    pub(super) fn member_place(&mut self, def: &TypeDef, name: &str) -> Option<usize> {
        match &def.shape {
            TypeBody::Record(fields) if fields.len() <= FEW => {
                fields.iter().position(|it| it.0 == name)
            }
            TypeBody::Sum(variants) if variants.len() <= FEW => {
                variants.iter().position(|it| it.name == name)
            }
            TypeBody::Opaque => None,
            shape => {
                if let Some(known) = self.member_places.get(&def.key) {
                    return known.get(name).copied();
                }
                let names: Vec<&Name> = match shape {
                    TypeBody::Record(fields) => fields.iter().map(|it| &it.0).collect(),
                    TypeBody::Sum(variants) => variants.iter().map(|it| &it.name).collect(),
                    TypeBody::Opaque => Vec::new(),
                };
                let places: FxHashMap<Name, usize> =
                    names.into_iter().cloned().enumerate().rev().map(|it| (it.1, it.0)).collect();
                let found = places.get(name).copied();
                self.member_places.insert(def.key.clone(), places);
                found
            }
        }
    }

    /// The type of a field of a record, with the type arguments put in, if it has that field.
    fn field_type(&mut self, object: ExprId, record: &Ty, name: &Name) -> Option<Ty> {
        match record {
            Ty::Record(it) => it.fields.iter().find(|it| it.0 == *name).map(|it| it.1.clone()),
            Ty::Adt(it) => {
                let def = self.env.def(&it.key)?;
                let TypeBody::Record(fields) = &def.shape else { return None };
                let place = self.member_place(def, name)?;
                let ty = self.field_about(object, fields, &fields[place].1);
                Some(substitute(&ty, &def.params, &it.args))
            }
            _ => None,
        }
    }

    /// `r.f`, `t.0` or `m.f`.
    pub(super) fn field(
        &mut self,
        expr: ExprId,
        object: ExprId,
        field: &Name,
        n_args: Option<usize>,
    ) -> (Ty, Option<&'a Value>) {
        if let Expr::Ident { name } = self.ast.expr(object)
            && self.local(name).is_none()
            && let Some(module @ (Value::Module { .. } | Value::HostModule { .. } | Value::Unknown)) =
                self.env.values.get(name)
        {
            self.findings.uses.value(name);
            let (ty, value) = self.member(expr, object, module, name, field);
            let ty = match (n_args, value) {
                (None, Some(value)) => {
                    self.asks_at_once(expr, value);
                    super::call::uncalled(value, ty)
                }
                _ => ty,
            };
            return (ty, value);
        }
        let ty = self.expr(object, Want::Any);
        let base = self.table.base(&ty);
        (self.field_of(expr, object, &base, field, n_args), None)
    }

    fn field_of(
        &mut self,
        expr: ExprId,
        object: ExprId,
        base: &Ty,
        field: &Name,
        n_args: Option<usize>,
    ) -> Ty {
        if let Some(ty) = self.field_type(object, base, field) {
            return ty;
        }
        if let Some(fields) = self.fields_of(base) {
            let names: Vec<Name> = fields.into_iter().map(|it| it.0).collect();
            self.report_unknown_field(expr.node(), field, base, &names);
            return Ty::Error;
        }
        match base {
            Ty::Error | Ty::Never => base.clone(),
            Ty::Tuple(elements) => match field.parse::<usize>() {
                Ok(index) if index < elements.len() => elements[index].clone(),
                _ => {
                    let names: Vec<Name> =
                        (0..elements.len()).map(|it| Name::from(it.to_string())).collect();
                    self.report_unknown_field(expr.node(), field, base, &names);
                    Ty::Error
                }
            },
            Ty::Var(_) => {
                self.report_unknown(expr.node(), &format!("reach its field `{field}`"));
                Ty::Error
            }
            _ => {
                let shown = self.show(base);
                let message = match n_args {
                    Some(_) => format!("`{field}` is not a method of `{}`", short(&shown)),
                    None => format!("`{}` has no fields", short(&shown)),
                };
                let diagnostic = Diagnostic::new(Code::E2011, expr, message)
                    .with(Structured::new("not_a_record"));
                let function = function_for_method(base, field);
                self.report(if self.env.values.contains_key(function) {
                    let object = one_line(self.ast, object);
                    let object = if object.len() > LONGEST_OPERAND { "…" } else { &object };
                    let more = if n_args.is_some_and(|it| it > 0) { ", …" } else { "" };
                    diagnostic.help(format!("write `{function}({object}{more})`"))
                } else {
                    diagnostic
                });
                Ty::Error
            }
        }
    }

    /// What is declared about other fields is about those of this record.
    fn field_about(&self, object: ExprId, fields: &[(Name, Ty)], ty: &Ty) -> Ty {
        if !has_predicate(ty) {
            return ty.clone();
        }
        match self.field_replacements(object, fields.iter().map(|it| &it.0)) {
            Some(replacements) => replace_in_result(ty, &replacements),
            None => closed_type(ty),
        }
    }

    fn member(
        &mut self,
        expr: ExprId,
        object: ExprId,
        module: &'a Value,
        name: &Name,
        field: &Name,
    ) -> (Ty, Option<&'a Value>) {
        self.set_type(object.node(), &Ty::Error);
        if let Some(meaning) = super::name::meaning(module) {
            self.resolve(object.node(), meaning);
        }
        let env = self.env;
        let found = match module {
            Value::Module { file } => {
                self.findings.uses.member(file, field);
                env.member(file, field)
            }
            Value::HostModule { name } => {
                self.findings.uses.member(name, field);
                env.host.get(&(name.clone(), field.clone()))
            }
            _ => return (Ty::Error, None),
        };
        if let Some(value) = found {
            return (self.value(expr.node(), value), Some(value));
        }
        self.findings.uses.everything();
        let mut known: Vec<&Name> = match module {
            Value::Module { file } => {
                env.modules.get(file).map(|it| it.values.keys().collect()).unwrap_or_default()
            }
            Value::HostModule { name } => {
                env.host.keys().filter(|it| it.0 == *name).map(|it| &it.1).collect()
            }
            _ => Vec::new(),
        };
        known.sort();
        let near = similar(field, known.iter().map(|it| (it.as_str(), true)));
        let diagnostic =
            Diagnostic::new(Code::E1001, expr, format!("the module `{name}` has no `{field}`"))
                .with(
                    Structured::new("unresolved_name")
                        .member("name", field.as_str())
                        .member("similar_names", names_json(&near)),
                );
        self.report(match near.first() {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
        (Ty::Error, None)
    }

    pub(super) fn anonymous_record(
        &mut self,
        expr: ExprId,
        fields: &[FieldInitId],
        hint: Option<&Ty>,
    ) -> Ty {
        let expected = match hint.map(|it| self.table.base(it)) {
            Some(Ty::Record(it)) => Some(it),
            _ => None,
        };
        let by_name: FxHashMap<&Name, &Ty> = expected
            .iter()
            .flat_map(|it| it.fields.iter().rev())
            .map(|(name, ty)| (name, ty))
            .collect();
        let mut seen: FxHashSet<&Name> = FxHashSet::default();
        let mut types: Vec<(Name, Ty)> = Vec::with_capacity(fields.len());
        let given: Vec<&Name> = fields.iter().map(|it| &self.ast.field_init(*it).name).collect();
        for id in fields {
            let field = self.ast.field_init(*id);
            let ty = match (by_name.get(&field.name), &expected) {
                (Some(&wanted), _) => {
                    self.expr(field.value, Want::Must(wanted, &Site::Other));
                    wanted.clone()
                }
                (None, Some(expected)) if !expected.open => {
                    let names: Vec<Name> = expected.fields.iter().map(|it| it.0.clone()).collect();
                    let ty = Ty::Record(expected.clone());
                    self.report_unknown_field(id.node(), &field.name, &ty, &names);
                    self.expr(field.value, Want::Any);
                    continue;
                }
                _ => self.expr(field.value, Want::Any),
            };
            if !seen.insert(&field.name) {
                self.report_duplicate_field(id.node(), &field.name);
                continue;
            }
            types.push((field.name.clone(), ty));
        }
        if let Some(expected) = &expected {
            let ty = Ty::Record(expected.clone());
            self.report_missing(expr, &ty, &expected.fields, &given);
            return ty;
        }
        Ty::Record(std::sync::Arc::new(RecordTy { fields: types, open: false }))
    }

    /// `Name { f: v }`
    pub(super) fn nominal_record(
        &mut self,
        expr: ExprId,
        name: &Name,
        fields: &[FieldInitId],
        hint: Option<&Ty>,
    ) -> Ty {
        let mark = self.table.mark();
        let ty = self.record_type(expr, name);
        let Some(known) = ty.as_ref().and_then(|it| self.fields_of(it)) else {
            for id in fields {
                self.expr(self.ast.field_init(*id).value, Want::Any);
            }
            return Ty::Error;
        };
        let ty = ty.unwrap_or(Ty::Error);
        if let Some(hint) = hint {
            self.table.push_expected(&ty, hint);
        }
        let Ty::Adt(adt) = &ty else { return Ty::Error };
        let meaning = Resolution::Record { ty: adt.key.clone() };
        self.resolve(expr.node(), meaning.clone());
        let has_predicates = known.iter().any(|it| has_predicate(&it.1));
        let given_fields = fields.iter().filter(|_| has_predicates);
        let given_fields = given_fields.map(|id| self.ast.field_init(*id));
        let replacements = self.replacements_by(given_fields.map(|it| (&it.name, it.value)));
        let places: FxHashMap<&Name, usize> =
            known.iter().enumerate().rev().map(|(place, it)| (&it.0, place)).collect();
        let mut seen: FxHashSet<&Name> = FxHashSet::default();
        let mut given: Vec<&Name> = Vec::new();
        for id in fields {
            let field = self.ast.field_init(*id);
            if !seen.insert(&field.name) {
                self.report_duplicate_field(id.node(), &field.name);
                self.expr(field.value, Want::Any);
                continue;
            }
            given.push(&field.name);
            let Some(&index) = places.get(&field.name) else {
                let names: Vec<Name> = known.iter().map(|it| it.0.clone()).collect();
                self.report_unknown_field(id.node(), &field.name, &ty, &names);
                self.expr(field.value, Want::Any);
                continue;
            };
            let wanted = match &known[index].1 {
                it if has_predicate(it) => replace_in_type(it, &replacements),
                it => it.clone(),
            };
            let site = match self.declared_field(adt.key.clone(), index) {
                Some(Ty::Refined(_) | Ty::Prim(Prim::Nat)) => {
                    Site::Argument { callee: Some(meaning.clone()), index: index as u32 }
                }
                _ => Site::Other,
            };
            self.expr(field.value, Want::Must(&wanted, &site));
        }
        self.report_missing(expr, &ty, &known, &given);
        self.table.close(&ty, mark)
    }

    fn declared_field(&self, key: crate::ty::TypeKey, index: usize) -> Option<Ty> {
        match &self.env.def(&key)?.shape {
            TypeBody::Record(fields) => fields.get(index).map(|it| it.1.clone()),
            _ => None,
        }
    }

    /// The record that a literal names, with fresh type arguments; what is not a record was reported.
    fn record_type(&mut self, expr: ExprId, name: &Name) -> Option<Ty> {
        let entry = match name.split_once('.') {
            Some((module, own)) => {
                let module = Name::new(module);
                self.findings.uses.value(&module);
                match self.env.values.get(&module) {
                    Some(Value::Module { file }) => {
                        self.findings.uses.member_type(file, &Name::new(own));
                        self.env.member_type(file, own)
                    }
                    Some(Value::Unknown) => return None,
                    _ => None,
                }
            }
            None => {
                self.findings.uses.ty(name);
                self.env.types.get(name)
            }
        };
        let ty = match entry {
            Some(TypeEntry::Def(def)) => {
                let vars = self.fresh_all(def.params.len());
                Ty::adt(def.key.clone(), vars)
            }
            Some(TypeEntry::Alias { params, ty }) => {
                let vars = self.fresh_all(params.len());
                substitute(ty, params, &vars).base().clone()
            }
            Some(TypeEntry::Unknown) => return None,
            None => {
                self.report_unknown_type(expr, name);
                return None;
            }
        };
        if matches!(ty, Ty::Adt(_)) && self.fields_of(&ty).is_some() || matches!(ty, Ty::Error) {
            return Some(ty);
        }
        let shown = self.show(&ty);
        self.report(
            Diagnostic::new(Code::E2011, expr, format!("`{}` is not a record", short(&shown)))
                .with(Structured::new("not_a_record")),
        );
        None
    }

    fn report_unknown_type(&mut self, expr: ExprId, name: &Name) {
        self.findings.uses.everything();
        let env = self.env;
        let mut records: Vec<&Name> = env
            .types
            .iter()
            .filter(
                |it| matches!(it.1, TypeEntry::Def(def) if matches!(def.shape, TypeBody::Record(_))),
            )
            .map(|it| it.0)
            .collect();
        records.sort();
        let near = similar(name, records.iter().map(|it| (it.as_str(), true)));
        let available: Vec<Name> = records.into_iter().take(50).cloned().collect();
        let diagnostic = Diagnostic::new(Code::E1005, expr, format!("cannot find type `{name}`"))
            .with(
                Structured::new("unresolved_type")
                    .member("name", name.as_str())
                    .member("available_types", names_json(&available))
                    .member("similar_types", names_json(&near)),
            );
        let is_variant = matches!(env.values.get(name), Some(Value::Variant { .. }));
        self.report(match near.first() {
            _ if is_variant => diagnostic.help(format!("`{name}` is a variant: write `{name}(…)`")),
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
    }

    fn report_duplicate_field(&mut self, node: NodeId, name: &Name) {
        self.report(
            Diagnostic::new(Code::E1002, node, format!("the field `{name}` is given twice"))
                .help("remove one of them")
                .with(Structured::new("duplicate_definition").member("name", name.as_str())),
        );
    }

    /// E2003: all missing fields in one diagnostic.
    fn report_missing(&mut self, expr: ExprId, ty: &Ty, known: &[(Name, Ty)], given: &[&Name]) {
        let names = known.iter().map(|it| &it.0);
        let are_given: FxHashSet<&Name> = given.iter().copied().collect();
        let are_known: FxHashSet<&Name> = names.clone().collect();
        let mut missing: Vec<Name> = names.filter(|it| !are_given.contains(it)).cloned().collect();
        // One that is misspelt is reported as unknown.
        for unknown in given.iter().filter(|it| !are_known.contains(*it)) {
            let near = similar(unknown, missing.iter().map(|it| (it.as_str(), true)));
            missing.retain(|it| Some(it) != near.first());
        }
        if missing.is_empty() {
            return;
        }
        let shown = self.show(ty);
        let names: Vec<String> = missing.iter().map(|it| format!("`{it}`")).collect();
        let what = if missing.len() == 1 { "the field" } else { "the fields" };
        let message = format!("this `{}` lacks {what} {}", short(&shown), join_words(&names));
        self.report(
            Diagnostic::new(Code::E2003, expr, message).with(
                Structured::new("missing_field")
                    .member("type", shown.to_string())
                    .member("missing_fields", names_json(&missing)),
            ),
        );
    }
}

/// The function that does what a method of this name does in other languages: there are no methods here.
fn function_for_method<'n>(object: &Ty, method: &'n str) -> &'n str {
    match (object, method) {
        (Ty::Array(_), "length" | "size" | "count") => "len",
        (Ty::Prim(Prim::Str), "length" | "size" | "count" | "len") => "str_len",
        (_, "toString" | "str") => "to_string",
        _ => method,
    }
}

#[cfg(test)]
mod tests {
    use super::FEW;
    use crate::testing::codes;

    fn listed(n: usize, part: &str) -> String {
        let parts: Vec<String> = (0..n).map(|it| part.replace('#', &it.to_string())).collect();
        parts.join(", ")
    }

    /// Whether they are looked up in an index or not.
    #[test]
    fn fields_and_variants_are_found_however_many_there_are() {
        for n in [3, FEW, FEW + 1, 40] {
            let types = format!(
                "rec R {{ {}, f0: Str }}\nsum S {{ {} }}",
                listed(n, "f#: Int"),
                listed(n, "V#(value: Int)")
            );
            let last = n - 1;
            let every = listed(n, "V#(value) -> value");
            for (body, expected) in [
                (format!("r.f{last} + r.f0"), None),
                ("r.other".to_owned(), Some("E2004")),
                (format!("match s {{ {every} }}"), None),
                ("match s { Other -> 1, _ -> 2 }".to_owned(), Some("E1006")),
                (format!("match s {{ V{last}(value) -> value, _ -> r.f{last} }}"), None),
            ] {
                let found = codes(&format!("{types}\nfn f(r: R, s: S) -> Int {{ {body} }}"));
                let own = found.iter().filter(|it| !it.starts_with('W'));
                let own: Vec<&str> = own.filter_map(|it| it.split('@').next()).collect();
                // The second `f0` is one too many, and the first one counts.
                let all: Vec<&str> = ["E1002"].into_iter().chain(expected).collect();
                assert_eq!(own, all, "{n}: {body}: {found:?}");
            }
        }
    }
}
