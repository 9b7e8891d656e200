//! Names at nodes: what they are and how they are changed.

use super::{PatchError, PatchOp};
use crate::ast::{Ast, AstDraft, AstKind, Decl, Expr, Name, NodeId, Pattern, PatternId, Type};
use crate::token::{is_type_name, is_value_name, type_name};

const VALUE: &str = "a name of a value starts with a lowercase letter or `_`, continues with letters, digits and `_`, and is not a reserved word";
const TYPE: &str = "a name of a type or constructor starts with a capital and continues with letters, digits and `_`";
const ANY: &str = "a name starts with a letter or `_`, continues with letters, digits and `_`, and is not a reserved word";

/// What names are legal at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Legal {
    Value,
    ValueOrWildcard,
    Type,
    /// A type or constructor, which may be qualified.
    QualifiedType,
    /// The name of a type where it is used.
    WrittenType,
    Any,
    /// A field, or a position of a tuple.
    Field,
}

impl Legal {
    /// The name as it is kept, if it is legal.
    fn read(self, name: &str) -> Option<Name> {
        let is_plain_type = |it: &str| is_type_name(it) && type_name(it) == it;
        let is_qualified = |it: &str| match it.rsplit_once('.') {
            Some((module, name)) => module.split('.').all(is_value_name) && is_plain_type(name),
            None => is_plain_type(it),
        };
        let is_position = |it: &str| {
            (1..=9).contains(&it.len())
                && it.bytes().all(|it| it.is_ascii_digit())
                && (it == "0" || !it.starts_with('0'))
        };
        let is_legal = match self {
            Legal::Value => is_value_name(name),
            Legal::ValueOrWildcard => name == "_" || is_value_name(name),
            Legal::Type => is_plain_type(name),
            Legal::QualifiedType => is_qualified(name),
            Legal::WrittenType => {
                return (is_qualified(name) || name == "never" || type_name(name) != name)
                    .then(|| Name::from(type_name(name)));
            }
            Legal::Any => is_value_name(name) || is_plain_type(name),
            Legal::Field => is_value_name(name) || is_plain_type(name) || is_position(name),
        };
        is_legal.then(|| Name::from(name))
    }

    fn rule(self) -> &'static str {
        match self {
            Legal::Value | Legal::ValueOrWildcard => VALUE,
            Legal::Type | Legal::QualifiedType | Legal::WrittenType => TYPE,
            Legal::Any | Legal::Field => ANY,
        }
    }
}

/// The name at a node: what it declares, binds or refers to.
pub fn name_at(ast: &Ast, node: NodeId) -> Option<&Name> {
    let mut kind = &ast.node(node).kind;
    if let AstKind::FieldPattern(it) = kind
        && let Some(pattern) = it.pattern
    {
        kind = &ast.node(pattern.node()).kind;
    }
    match kind {
        AstKind::Decl(it) => match &**it {
            Decl::Fn(it) => Some(&it.name),
            Decl::ExternalFn(it) => Some(&it.name),
            Decl::ExternalMod { name, .. }
            | Decl::TypeAlias { name, .. }
            | Decl::Rec { name, .. }
            | Decl::Sum { name, .. }
            | Decl::Mod { name } => Some(name),
            Decl::Use(it) => it.alias.as_ref(),
            Decl::Error { .. } => None,
        },
        AstKind::Expr(
            Expr::Ident { name }
            | Expr::Field { field: name, .. }
            | Expr::RecordLit { name, .. }
            | Expr::Hole { name: Some(name) },
        )
        | AstKind::Type(Type::Named { name, .. })
        | AstKind::Pattern(Pattern::Ident { name } | Pattern::Variant { name, .. }) => Some(name),
        AstKind::Param(it) => Some(&it.name),
        AstKind::LambdaParam(it) => Some(&it.name),
        AstKind::TypeParam(it) => Some(&it.name),
        AstKind::Field(it) => Some(&it.name),
        AstKind::Variant(it) => Some(&it.name),
        AstKind::VariantField(it) => it.name.as_ref(),
        AstKind::FieldInit(it) => Some(&it.name),
        AstKind::FieldPattern(it) => Some(&it.name),
        _ => None,
    }
}

/// The operations that change the names at these nodes. The first node is the one that declares what is renamed; the
/// others are its uses. If that is a field, the nodes are where it is named; otherwise they are where the name stands,
/// which for `{ x }` in a pattern is what it binds.
pub fn rename_at(ast: &Ast, nodes: &[NodeId], new_name: &Name) -> Result<Vec<PatchOp>, PatchError> {
    let is_field = nodes.first().is_some_and(|it| {
        matches!(ast.node(*it).kind, AstKind::Field(_) | AstKind::VariantField(_))
    });
    let mut ops = Vec::with_capacity(nodes.len());
    for &node in nodes {
        let node_id = ast.ids().id(node);
        let old_name = match &ast.node(node).kind {
            AstKind::FieldPattern(it) if is_field => Some(&it.name),
            _ => name_at(ast, node),
        };
        let Some(old_name) = old_name.cloned() else {
            return Err(PatchError::Refused { id: node_id, reason: "has no name" });
        };
        let new_name = new_name.clone();
        ops.push(match is_field {
            true => PatchOp::RenameField { node_id, old_name, new_name },
            false => PatchOp::RenameSymbol { node_id, old_name, new_name },
        });
    }
    Ok(ops)
}

/// What a rename is about.
pub(super) struct NameChange<'a> {
    pub(super) id: &'a Name,
    pub(super) old_name: &'a Name,
    pub(super) new_name: &'a Name,
}

/// Changes the name that stands at a node.
pub(super) fn rename_symbol(
    draft: &mut AstDraft<'_>,
    mut at: NodeId,
    it: &NameChange<'_>,
) -> Result<(), PatchError> {
    if let AstKind::FieldPattern(field) = draft.kind(at) {
        match field.pattern {
            Some(pattern) => at = pattern.node(),
            None => return rebind(draft, at, it),
        }
    }
    match symbol(draft.kind_mut(at)) {
        Some((name, legal)) => change(name, legal, it)?,
        None => return Err(PatchError::Refused { id: it.id.clone(), reason: "has no name" }),
    }
    // In an external module a function is called by its name.
    let is_in_module =
        draft.parent(at).is_some_and(|parent| matches!(draft.kind(parent), AstKind::Decl(_)));
    if is_in_module
        && let AstKind::Decl(decl) = draft.kind_mut(at)
        && let Decl::ExternalFn(function) = &mut **decl
    {
        function.js_name = function.name.to_string();
    }
    Ok(())
}

/// `{ x }` becomes `{ x: new }`.
fn rebind(draft: &mut AstDraft<'_>, at: NodeId, it: &NameChange<'_>) -> Result<(), PatchError> {
    let AstKind::FieldPattern(field) = draft.kind(at) else { return Ok(()) };
    let mut name = field.name.clone();
    change(&mut name, Legal::Value, it)?;
    let pattern = PatternId::assume(draft.add(AstKind::Pattern(Pattern::Ident { name })));
    if let AstKind::FieldPattern(field) = draft.kind_mut(at) {
        field.pattern = Some(pattern);
    }
    draft.adopt(at);
    Ok(())
}

/// Changes the name of a field: at an access, a field of a literal, pattern or type, or at a record literal or pattern
/// that has such a field.
pub(super) fn rename_field(
    draft: &mut AstDraft<'_>,
    at: NodeId,
    it: &NameChange<'_>,
) -> Result<(), PatchError> {
    let fields: Vec<NodeId> = match draft.kind(at) {
        AstKind::Expr(Expr::Record { fields } | Expr::RecordLit { fields, .. }) => {
            fields.iter().map(|it| it.node()).collect()
        }
        AstKind::Pattern(Pattern::Record { fields }) => fields.iter().map(|it| it.node()).collect(),
        AstKind::Type(Type::Record { fields, .. }) => fields.iter().map(|it| it.node()).collect(),
        AstKind::Decl(decl) => match &**decl {
            Decl::Rec { fields, .. } => fields.iter().map(|it| it.node()).collect(),
            _ => Vec::new(),
        },
        _ => return rename_one_field(draft, at, it),
    };
    let field = fields.into_iter().find(|field| {
        field_name(&mut draft.kind(*field).clone()).is_some_and(|(name, _)| name == it.old_name)
    });
    match field {
        Some(field) => rename_one_field(draft, field, it),
        None => {
            Err(PatchError::Refused { id: it.id.clone(), reason: "has no field with the old name" })
        }
    }
}

fn rename_one_field(
    draft: &mut AstDraft<'_>,
    at: NodeId,
    it: &NameChange<'_>,
) -> Result<(), PatchError> {
    match field_name(draft.kind_mut(at)) {
        Some((name, legal)) => change(name, legal, it)?,
        None => return Err(PatchError::Refused { id: it.id.clone(), reason: "names no field" }),
    }
    // `{ x }` also binds `x`, which stays.
    if matches!(draft.kind(at), AstKind::FieldPattern(field) if field.pattern.is_none()) {
        let name = it.old_name.clone();
        let pattern = PatternId::assume(draft.add(AstKind::Pattern(Pattern::Ident { name })));
        if let AstKind::FieldPattern(field) = draft.kind_mut(at) {
            field.pattern = Some(pattern);
        }
        draft.adopt(at);
    }
    Ok(())
}

fn change(name: &mut Name, legal: Legal, it: &NameChange<'_>) -> Result<(), PatchError> {
    if name != it.old_name {
        return Err(PatchError::OldName {
            id: it.id.clone(),
            old_name: it.old_name.clone(),
            found: name.clone(),
        });
    }
    match legal.read(it.new_name) {
        Some(new_name) => {
            *name = new_name;
            Ok(())
        }
        None => Err(PatchError::IllegalName {
            id: it.id.clone(),
            name: it.new_name.clone(),
            rule: legal.rule(),
        }),
    }
}

fn symbol(kind: &mut AstKind) -> Option<(&mut Name, Legal)> {
    Some(match kind {
        AstKind::Decl(it) => match &mut **it {
            Decl::Fn(it) => (&mut it.name, Legal::Value),
            Decl::ExternalFn(it) => (&mut it.name, Legal::Value),
            Decl::ExternalMod { name, .. } | Decl::Mod { name } => (name, Legal::Value),
            Decl::TypeAlias { name, .. } | Decl::Rec { name, .. } | Decl::Sum { name, .. } => {
                (name, Legal::Type)
            }
            Decl::Use(it) => (it.alias.as_mut()?, Legal::Value),
            Decl::Error { .. } => return None,
        },
        AstKind::Expr(Expr::Ident { name }) => (name, Legal::Any),
        AstKind::Expr(Expr::Field { field, .. }) => (field, Legal::Field),
        AstKind::Expr(Expr::RecordLit { name, .. }) => (name, Legal::QualifiedType),
        AstKind::Expr(Expr::Hole { name: Some(name) }) => (name, Legal::Value),
        AstKind::Type(Type::Named { name, .. }) => (name, Legal::WrittenType),
        AstKind::Pattern(Pattern::Ident { name }) => (name, Legal::Value),
        AstKind::Pattern(Pattern::Variant { name, .. }) => (name, Legal::QualifiedType),
        AstKind::Param(it) => (&mut it.name, Legal::Value),
        AstKind::LambdaParam(it) => (&mut it.name, Legal::ValueOrWildcard),
        AstKind::TypeParam(it) => (&mut it.name, Legal::Type),
        AstKind::Variant(it) => (&mut it.name, Legal::Type),
        _ => return field_name(kind),
    })
}

fn field_name(kind: &mut AstKind) -> Option<(&mut Name, Legal)> {
    Some(match kind {
        AstKind::Expr(Expr::Field { field, .. }) => (field, Legal::Field),
        AstKind::Field(it) => (&mut it.name, Legal::Value),
        AstKind::VariantField(it) => (it.name.as_mut()?, Legal::Value),
        AstKind::FieldInit(it) => (&mut it.name, Legal::Value),
        AstKind::FieldPattern(it) => (&mut it.name, Legal::Value),
        _ => return None,
    })
}

/// The name of an effect, if it can be one.
pub(super) fn effect_name(id: &Name, name: &Name) -> Result<Name, PatchError> {
    Legal::QualifiedType.read(name).ok_or_else(|| PatchError::IllegalName {
        id: id.clone(),
        name: name.clone(),
        rule: TYPE,
    })
}
