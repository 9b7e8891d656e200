//! What every module knows without declaring it: the types and functions of the prelude.
//!
//! The signatures are written in Clank, and the run-time library of the emitter has an item for each. Any declaration may have the
//! name of something in the prelude (row 28).

use std::sync::{Arc, OnceLock};

use clank_syntax::ast::{Decl, Name};

use crate::collect::function_signature;
use crate::env::{Env, TypeBody, TypeDef, TypeEntry, Value, VariantDef};
use crate::resolve::Findings;
use crate::ty::{Ty, TypeKey};

/// The types of all builtins, as declarations without bodies, one a line; other lines are empty or start with `//`.
pub const SIGNATURES: &str = include_str!("prelude/signatures.txt");

/// The names of the prelude, as the environment of a module without declarations.
pub fn prelude() -> &'static Env {
    static PRELUDE: OnceLock<Env> = OnceLock::new();
    PRELUDE.get_or_init(load)
}

fn load() -> Env {
    let mut env = Env::default();
    for def in types() {
        let def = Arc::new(def);
        env.types.insert(def.key.name.clone(), TypeEntry::Def(Arc::clone(&def)));
        env.defs.insert(def.key.clone(), Arc::clone(&def));
        if let TypeBody::Sum(variants) = &def.shape {
            for (index, variant) in variants.iter().enumerate() {
                let value = Value::Variant { def: Arc::clone(&def), variant: index as u32 };
                env.values.insert(variant.name.clone(), value);
            }
        }
    }
    let parsed = clank_syntax::parse("", &with_bodies(SIGNATURES));
    debug_assert_eq!(parsed.errors, [], "the prelude's signatures can be read");
    let mut findings = Findings::default();
    for id in parsed.ast.declarations() {
        let Decl::Fn(function) = parsed.ast.decl(*id) else { continue };
        let signature = function_signature(&parsed.ast, &env, function, &mut findings);
        let (name, signature) = (function.name.clone(), Arc::new(signature));
        env.values.insert(name.clone(), Value::Builtin { name, signature });
    }
    debug_assert_eq!(findings.diagnostics, [], "the prelude's types exist");
    env
}

fn with_bodies(signatures: &str) -> String {
    let mut text = String::with_capacity(signatures.len() * 2);
    for line in signatures.lines() {
        text.push_str(line);
        if line.starts_with("fn ") {
            text.push_str(" {}");
        }
        text.push('\n');
    }
    text
}

fn types() -> Vec<TypeDef> {
    let param = |name: &str| Ty::Param(Name::new(name));
    let variant = |name: &str, fields: &[(&str, Ty)]| VariantDef {
        name: Name::new(name),
        fields: fields.iter().map(|(name, ty)| (Some(Name::new(name)), ty.clone())).collect(),
    };
    let def = |name: &str, params: &[&str], shape: TypeBody| TypeDef {
        key: TypeKey::prelude(name),
        node: None,
        params: params.iter().map(Name::new).collect(),
        shape,
    };
    let (some, ok, err) = (
        variant("Some", &[("value", param("T"))]),
        variant("Ok", &[("value", param("T"))]),
        variant("Err", &[("error", param("E"))]),
    );
    let ordering = ["Less", "Equal", "Greater"].map(|it| variant(it, &[])).to_vec();
    vec![
        def("Option", &["T"], TypeBody::Sum(vec![some, variant("None", &[])])),
        def("Result", &["T", "E"], TypeBody::Sum(vec![ok, err])),
        def("Ordering", &[], TypeBody::Sum(ordering)),
        def("Map", &["K", "V"], TypeBody::Opaque),
        def("Set", &["T"], TypeBody::Opaque),
        def("Linear", &["T"], TypeBody::Opaque),
        def("Affine", &["T"], TypeBody::Opaque),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ty::Effects;

    fn signature(name: &str) -> Arc<crate::env::Signature> {
        match prelude().values.get(name) {
            Some(Value::Builtin { signature, .. }) => Arc::clone(signature),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn every_signature_is_read() {
        let n_written = SIGNATURES.lines().filter(|it| it.starts_with("fn ")).count();
        let n_read = prelude().values.values().filter(|it| matches!(it, Value::Builtin { .. }));
        assert_eq!(n_read.count(), n_written);
        assert!(n_written > 70);
    }

    /// Row 39: a function-typed parameter without effects accepts any. Row 56: `try`, `read_line`.
    #[test]
    fn effects_are_as_written() {
        let map = signature("map");
        let Ty::Fn(change) = &map.params[1].1 else { panic!("{map:?}") };
        assert!(change.any_effects && change.effects.is_pure());
        let attempt = signature("try");
        let Ty::Fn(body) = &attempt.params[0].1 else { panic!("{attempt:?}") };
        assert!(!body.any_effects && body.effects == Effects::ERR);
        assert_eq!(attempt.result.to_string(), "Result[T, Str]");
        let read_line = signature("read_line");
        assert_eq!(
            (read_line.effects, read_line.result.to_string()),
            (Effects::IO, "Option[Str]".into())
        );
        assert_eq!(signature("panic").result, Ty::Never);
    }
}
