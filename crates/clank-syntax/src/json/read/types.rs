//! Types and patterns.

use super::node::WireForm;
use super::{NOWHERE, Reader};
use crate::ast::{FieldPattern, FieldPatternId, Pattern, PatternId, Type, TypeId};
use crate::json::value::ValueId;
use crate::parse::Fragment;

pub(super) const TYPES: [&str; 7] =
    ["named", "array", "tuple", "function", "refined", "effect", "recordType"];
pub(super) const PATTERNS: [&str; 6] =
    ["wildcard", "ident", "literal", "tuple", "record", "variant"];

impl Reader<'_> {
    pub(super) fn type_member(&mut self, of: ValueId, key: &str) -> Option<TypeId> {
        let at = self.required(of, key)?;
        self.ty(at)
    }

    pub(super) fn type_if_any(&mut self, of: ValueId, key: &str) -> Option<Option<TypeId>> {
        match self.doc.member(of, key) {
            Some(at) => self.ty(at).map(Some),
            None => Some(None),
        }
    }

    pub(super) fn ty(&mut self, at: ValueId) -> Option<TypeId> {
        self.nested(at, |it| it.type_node(at))
    }

    fn type_node(&mut self, at: ValueId) -> Option<TypeId> {
        let node = match self.form(at, "a type")? {
            WireForm::Fragment(text) => {
                let node = self.fragment(at, text, Fragment::Type)?;
                TypeId::made(&self.builder, node)?
            }
            WireForm::Kind(kind) => {
                let it = self.type_kind(at, kind)?;
                self.builder.ty(it, NOWHERE)
            }
        };
        Some(self.dress(at, node))
    }

    fn type_kind(&mut self, at: ValueId, kind: &str) -> Option<Type> {
        match kind {
            "named" => {
                let name = self.written_type_name(at, "name");
                let args = self.elements_if_any(at, "args");
                let args = self.each(args, Self::ty);
                Some(Type::Named { name: name?, args: args? })
            }
            "array" => self.type_member(at, "element").map(|element| Type::Array { element }),
            "tuple" => {
                let elements = self.elements(at, "elements");
                let elements = self.each(elements, Self::ty)?;
                self.at_least_one(at, "elements", elements.len(), "the empty tuple is `Unit`")?;
                Some(Type::Tuple { elements })
            }
            "function" => {
                let params = self.elements(at, "params");
                let params = self.each(params, Self::ty);
                let result = self.type_member(at, "returnType");
                Some(Type::Function { params: params?, result: result? })
            }
            "refined" => {
                let base = self.type_member(at, "base");
                let variable = self.value_name_if_any(at, "varName");
                let predicate = self.expr_member(at, "predicate");
                Some(Type::Refined { base: base?, variable: variable?, predicate: predicate? })
            }
            "effect" => {
                let effects = self.elements(at, "effects");
                let effects = self.each(effects, Self::ty);
                let result = self.type_member(at, "resultType");
                let effects = effects?;
                self.at_least_one(
                    at,
                    "effects",
                    effects.len(),
                    "without effects it is the result",
                )?;
                Some(Type::Effect { effects, result: result? })
            }
            "recordType" => {
                let fields = self.elements(at, "fields");
                let fields = self.each(fields, Self::field);
                let open = self.flag(at, "isOpen");
                Some(Type::Record { fields: fields?, open: open? })
            }
            other => {
                self.unknown_kind(at, "type", other, &TYPES);
                None
            }
        }
    }

    pub(super) fn at_least_one(
        &mut self,
        of: ValueId,
        key: &str,
        n: usize,
        hint: &str,
    ) -> Option<()> {
        if n == 0 {
            self.error_at_member(of, key, format!("expected at least one element; {hint}"));
        }
        (n > 0).then_some(())
    }

    pub(super) fn pattern_member(&mut self, of: ValueId, key: &str) -> Option<PatternId> {
        let at = self.required(of, key)?;
        self.pattern(at)
    }

    pub(super) fn pattern(&mut self, at: ValueId) -> Option<PatternId> {
        self.nested(at, |it| it.pattern_node(at))
    }

    fn pattern_node(&mut self, at: ValueId) -> Option<PatternId> {
        let node = match self.form(at, "a pattern")? {
            WireForm::Fragment(text) => {
                let node = self.fragment(at, text, Fragment::Pattern)?;
                PatternId::made(&self.builder, node)?
            }
            WireForm::Kind(kind) => {
                let it = self.pattern_kind(at, kind)?;
                self.builder.pattern(it, NOWHERE)
            }
        };
        Some(self.dress(at, node))
    }

    fn pattern_kind(&mut self, at: ValueId, kind: &str) -> Option<Pattern> {
        match kind {
            "wildcard" => Some(Pattern::Wildcard),
            "ident" => self.value_name(at, "name").map(|name| Pattern::Ident { name }),
            "literal" => {
                let value = self.required(at, "value")?;
                self.expect_object(
                    value,
                    "an object such as {\"kind\": \"int\", \"value\": \"1\"}",
                )?;
                self.literal(value).map(Pattern::Literal)
            }
            "tuple" => {
                let elements = self.elements(at, "elements");
                let elements = self.each(elements, Self::pattern)?;
                let hint = "the pattern `()` is a literal of kind `unit`";
                self.at_least_one(at, "elements", elements.len(), hint)?;
                Some(Pattern::Tuple { elements })
            }
            "record" => {
                let fields = self.elements(at, "fields");
                let fields = self.each(fields, Self::field_pattern)?;
                Some(Pattern::Record { fields })
            }
            "variant" => {
                let name = self.qualified_type_name(at, "name");
                let payload = self.elements_if_any(at, "payload");
                let payload = self.each(payload, Self::pattern);
                Some(Pattern::Variant { name: name?, payload: payload? })
            }
            other => {
                self.unknown_kind(at, "pattern", other, &PATTERNS);
                None
            }
        }
    }

    pub(super) fn field_pattern(&mut self, at: ValueId) -> Option<FieldPatternId> {
        self.expect_object(at, "a field (an object with `name`)")?;
        let name = self.value_name(at, "name");
        let pattern = match self.doc.member(at, "pattern") {
            Some(pattern) => self.pattern(pattern).map(Some),
            None => Some(None),
        };
        let field = FieldPattern { name: name?, pattern: pattern? };
        let field = self.builder.field_pattern(field, NOWHERE);
        Some(self.dress(at, field))
    }
}
