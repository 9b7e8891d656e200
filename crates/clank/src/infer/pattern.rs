//! Patterns: what they bind, and whether they can match the value at all.

use std::sync::Arc;

use clank_syntax::ast::{FieldPatternId, IntSuffix, Literal, Name, NodeId, Pattern, PatternId};
use clank_syntax::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Infer;
use super::report::{counted, names_json, short};
use super::wording::closed_type;
use crate::body::{Resolution, Site};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::env::{TypeBody, TypeDef, Value};
use crate::resolve::substitute;
use crate::similar::similar;
use crate::ty::{Prim, Ty};

/// How the names of a pattern are bound.
struct Binding {
    mutable: bool,
    source: &'static str,
    /// The names that the pattern has bound so far.
    names: FxHashMap<Name, NodeId>,
}

impl Infer<'_> {
    /// Binds the names of a pattern for a value of type `ty`.
    pub(super) fn pattern(
        &mut self,
        pattern: PatternId,
        ty: &Ty,
        mutable: bool,
        source: &'static str,
    ) {
        let mut binding = Binding { mutable, source, names: FxHashMap::default() };
        self.pattern_in(pattern, ty, &mut binding);
    }

    fn pattern_in(&mut self, pattern: PatternId, ty: &Ty, binding: &mut Binding) {
        with_stack(|| {
            self.set_type(pattern.node(), ty);
            match self.ast.pattern(pattern) {
                Pattern::Wildcard | Pattern::Error { .. } => {}
                Pattern::Ident { name } => self.bind_pattern(pattern.node(), name, ty, binding),
                Pattern::Literal(literal) => self.literal_pattern(pattern, literal, ty),
                Pattern::Tuple { elements } => self.tuple_pattern(pattern, elements, ty, binding),
                Pattern::Record { fields } => self.record_pattern(pattern, fields, ty, binding),
                Pattern::Variant { name, payload } => {
                    self.variant_pattern(pattern, name, payload, ty, binding);
                }
            }
        });
    }

    fn bind_pattern(&mut self, node: NodeId, name: &Name, ty: &Ty, binding: &mut Binding) {
        if binding.names.insert(name.clone(), node).is_some() {
            self.report_duplicate(node, name);
        }
        self.bind(name, node, ty.clone(), binding.mutable, binding.source);
    }

    /// E1002: one name twice in one pattern or lambda.
    pub(super) fn report_duplicate(&mut self, node: NodeId, name: &Name) {
        self.report(
            Diagnostic::new(Code::E1002, node, format!("`{name}` is bound twice here"))
                .help("give one of them another name")
                .with(Structured::new("duplicate_definition").member("name", name.as_str())),
        );
    }

    fn report_pattern(&mut self, node: NodeId, message: String, help: Option<String>) {
        let diagnostic =
            Diagnostic::new(Code::E2009, node, message).with(Structured::new("pattern_mismatch"));
        self.report(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    fn literal_pattern(&mut self, pattern: PatternId, literal: &Literal, ty: &Ty) {
        let own = match literal {
            Literal::Int { suffix: None, .. } => Prim::Int,
            Literal::Int { suffix: Some(IntSuffix::I32), .. } => Prim::Int32,
            Literal::Int { suffix: Some(IntSuffix::I64), .. } => Prim::Int64,
            Literal::Float(_) => Prim::Float,
            Literal::Str(_) => Prim::Str,
            Literal::Bool(_) => Prim::Bool,
            Literal::Unit => Prim::Unit,
        };
        if self.table.relate(&Ty::Prim(own), ty).is_ok() {
            return;
        }
        let shown = self.show(ty);
        let help = match (own, shown.base()) {
            (Prim::Int, Ty::Prim(Prim::Int32)) => Some("add the suffix `i32`".to_owned()),
            (Prim::Int, Ty::Prim(Prim::Int64)) => Some("add the suffix `i64`".to_owned()),
            (Prim::Int, Ty::Prim(Prim::Float)) => Some("write it with a decimal point".to_owned()),
            _ => None,
        };
        let message =
            format!("this pattern is a `{}`, but the value is `{}`", own.name(), short(&shown));
        self.report_pattern(pattern.node(), message, help);
    }

    fn tuple_pattern(
        &mut self,
        pattern: PatternId,
        elements: &[PatternId],
        ty: &Ty,
        binding: &mut Binding,
    ) {
        let types: Vec<Ty> = match self.table.base(ty) {
            Ty::Tuple(types) if types.len() == elements.len() => types.to_vec(),
            Ty::Var(_) => {
                let types = self.fresh_all(elements.len());
                self.flow(pattern, &Ty::Tuple(types.clone().into()), ty, &Site::Other);
                types
            }
            Ty::Error | Ty::Never => vec![Ty::Error; elements.len()],
            other => {
                let shown = self.show(&other);
                let message = match &other {
                    Ty::Tuple(types) => format!(
                        "this pattern has {}, but `{}` has {}",
                        counted(elements.len(), "part"),
                        short(&shown),
                        types.len()
                    ),
                    _ => format!("this pattern is a tuple, but the value is `{}`", short(&shown)),
                };
                self.report_pattern(pattern.node(), message, None);
                vec![Ty::Error; elements.len()]
            }
        };
        for (element, ty) in elements.iter().zip(&types) {
            self.pattern_in(*element, ty, binding);
        }
    }

    fn record_pattern(
        &mut self,
        pattern: PatternId,
        fields: &[FieldPatternId],
        ty: &Ty,
        binding: &mut Binding,
    ) {
        let base = self.table.base(ty);
        let known = self.fields_of(&base);
        if known.is_none() {
            match &base {
                Ty::Error | Ty::Never => {}
                Ty::Var(_) => self.report_unknown(pattern.node(), "take it apart"),
                _ => {
                    let shown = self.show(&base);
                    let message =
                        format!("this pattern is a record, but the value is `{}`", short(&shown));
                    self.report_pattern(pattern.node(), message, None);
                }
            }
        }
        let by_name: FxHashMap<&Name, &Ty> =
            known.iter().flatten().rev().map(|(name, ty)| (name, ty)).collect();
        let mut seen: FxHashSet<&Name> = FxHashSet::default();
        for id in fields {
            let field = self.ast.field_pattern(*id);
            if !seen.insert(&field.name) {
                self.report_duplicate(id.node(), &field.name);
            }
            let ty = match &known {
                None => Ty::Error,
                Some(known) => match by_name.get(&field.name) {
                    Some(ty) => closed_type(ty),
                    None => {
                        let names: Vec<Name> = known.iter().map(|it| it.0.clone()).collect();
                        self.report_unknown_field(id.node(), &field.name, &base, &names);
                        Ty::Error
                    }
                },
            };
            self.set_type(id.node(), &ty);
            match field.pattern {
                Some(inner) => self.pattern_in(inner, &ty, binding),
                None => {
                    // A name that is given twice was reported as a field that is.
                    binding.names.remove(&field.name);
                    self.bind_pattern(id.node(), &field.name, &ty, binding);
                }
            }
        }
    }

    fn variant_pattern(
        &mut self,
        pattern: PatternId,
        name: &Name,
        payload: &[PatternId],
        ty: &Ty,
        binding: &mut Binding,
    ) {
        let types = self.variant_fields(pattern, name, ty);
        let types = match types {
            Some(types) if types.len() == payload.len() => types,
            Some(types) => {
                let message = format!(
                    "`{name}` has {}, but this pattern has {}",
                    counted(types.len(), "field"),
                    payload.len()
                );
                let help = format!("write `{}`", variant_text(name, types.len()));
                self.report_pattern(pattern.node(), message, Some(help));
                vec![Ty::Error; payload.len()]
            }
            None => vec![Ty::Error; payload.len()],
        };
        for (inner, ty) in payload.iter().zip(&types) {
            self.pattern_in(*inner, ty, binding);
        }
    }

    /// The types of a variant's fields. The variant is looked for in the type of the value; only if that is not known
    /// yet, the name alone decides.
    fn variant_fields(&mut self, pattern: PatternId, name: &Name, ty: &Ty) -> Option<Vec<Ty>> {
        let own = name.rsplit('.').next().unwrap_or(name);
        match self.table.base(ty) {
            Ty::Adt(it) => {
                let def = self.env.def(&it.key)?;
                if !matches!(def.shape, TypeBody::Sum(_)) {
                    self.not_a_sum(pattern, name, &Ty::Adt(it));
                    return None;
                }
                if self.is_of_another_sum(pattern, name, def) {
                    return None;
                }
                let Some(index) = self.member_place(def, own) else {
                    self.report_no_variant(pattern, name, def);
                    return None;
                };
                Some(self.resolved_variant(pattern, def, index, &it.args))
            }
            Ty::Var(_) => {
                let value = self.variant_by_name(name);
                let Some((def, index)) = value else {
                    self.report(
                        Diagnostic::new(
                            Code::E1006,
                            pattern,
                            format!("cannot find variant `{name}`"),
                        )
                        .with(
                            Structured::new("variant_not_found")
                                .member("name", name.as_str())
                                .member("similar_names", names_json(&[])),
                        ),
                    );
                    return None;
                };
                let vars = self.fresh_all(def.params.len());
                self.flow(pattern, &Ty::adt(def.key.clone(), vars.clone()), ty, &Site::Other);
                Some(self.resolved_variant(pattern, &def, index as usize, &vars))
            }
            Ty::Error | Ty::Never => {
                if let Some((def, index)) = self.variant_by_name(name) {
                    let args = vec![Ty::Error; def.params.len()];
                    self.resolved_variant(pattern, &def, index as usize, &args);
                }
                None
            }
            other => {
                self.not_a_sum(pattern, name, &other);
                None
            }
        }
    }

    /// Whether the module of a qualified name has no such variant of this sum, which is then reported.
    fn is_of_another_sum(&mut self, pattern: PatternId, name: &Name, def: &TypeDef) -> bool {
        let Some((module, _)) = name.split_once('.') else { return false };
        let found = self.variant_by_name(name);
        match found {
            Some((found, _)) if found.key == def.key => false,
            Some((found, _)) => {
                let message = format!(
                    "`{name}` is a variant of `{}`, but the value is `{}`",
                    found.key.qualified(),
                    def.key.qualified()
                );
                self.report_pattern(pattern.node(), message, None);
                true
            }
            // What is wrong with an import is said there.
            None if matches!(self.env.values.get(module), Some(Value::Unknown)) => false,
            None => {
                self.report_no_variant(pattern, name, def);
                true
            }
        }
    }

    fn not_a_sum(&mut self, pattern: PatternId, name: &Name, ty: &Ty) {
        let shown = self.show(ty);
        let message = format!("`{name}` is a variant, but the value is `{}`", short(&shown));
        let help = match ty {
            Ty::Adt(_) => Some("take a record apart with `{ field, … }`".to_owned()),
            _ => None,
        };
        self.report_pattern(pattern.node(), message, help);
    }

    fn resolved_variant(
        &mut self,
        pattern: PatternId,
        def: &TypeDef,
        index: usize,
        args: &[Ty],
    ) -> Vec<Ty> {
        let meaning = Resolution::Variant { ty: def.key.clone(), variant: index as u32 };
        self.resolve(pattern.node(), meaning);
        match &def.shape {
            TypeBody::Sum(variants) => {
                let fields = &variants[index].fields;
                let field = |ty: &Ty| substitute(&closed_type(ty), &def.params, args);
                fields.iter().map(|it| field(&it.1)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn variant_by_name(&mut self, name: &Name) -> Option<(Arc<TypeDef>, u32)> {
        let value = match name.split_once('.') {
            Some((module, own)) => {
                let module = Name::new(module);
                self.findings.uses.value(&module);
                let Some(Value::Module { file }) = self.env.values.get(&module) else {
                    return None;
                };
                self.findings.uses.member(file, &Name::new(own));
                self.env.member(file, own)
            }
            None => {
                self.findings.uses.value(name);
                self.env.values.get(name)
            }
        };
        match value {
            Some(Value::Variant { def, variant }) => Some((def.clone(), *variant)),
            _ => None,
        }
    }

    fn report_no_variant(&mut self, pattern: PatternId, name: &Name, def: &TypeDef) {
        let TypeBody::Sum(variants) = &def.shape else { return };
        let near = similar(name, variants.iter().map(|it| (it.name.as_str(), true)));
        let available: Vec<Name> = variants.iter().map(|it| it.name.clone()).collect();
        let ty = &def.key.name;
        let diagnostic =
            Diagnostic::new(Code::E1006, pattern, format!("`{ty}` has no variant `{name}`")).with(
                Structured::new("variant_not_found")
                    .member("name", name.as_str())
                    .member("type", ty.as_str())
                    .member("available_variants", names_json(&available))
                    .member("similar_names", names_json(&near)),
            );
        self.report(match near.first() {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic,
        });
    }
}

fn variant_text(name: &str, n_fields: usize) -> String {
    match n_fields {
        0 => name.to_owned(),
        _ => format!("{name}({})", vec!["_"; n_fields].join(", ")),
    }
}
