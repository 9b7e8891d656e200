//! A part of a program on its own: what a patch brings.

use super::super::JsonError;
use super::super::value::{ValueId, parse};
use super::{NOWHERE, Reader, line_and_column};
use crate::ast::{Ast, NodeId};

/// Where a part stands in its program, which says what it may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum NodeRole {
    Decl,
    /// A function of an external module.
    ModuleFunction,
    Stmt,
    Expr,
    /// A body or a branch.
    Block,
    Type,
    Pattern,
    Param,
    LambdaParam,
    TypeParam,
    Field,
    Variant,
    VariantField,
    Arm,
    FieldInit,
    FieldPattern,
}

/// Reads one part. The tree is that of an empty program; the part is the node that is returned.
pub(crate) fn read_part(text: &str, part: NodeRole) -> Result<(Ast, NodeId), Vec<JsonError>> {
    let doc = parse(text).map_err(|invalid| {
        let (line, column) = line_and_column(text, invalid.offset);
        let message = format!("not JSON: {} at line {line}, column {column}", invalid.message);
        vec![JsonError { path: "$".into(), message }]
    })?;
    let mut reader = Reader::new(&doc, false);
    let node = reader.part(doc.root(), part);
    let Some(node) = node.filter(|_| !reader.is_fatal) else {
        return Err(reader.told());
    };
    let root = reader.builder.program(Vec::new(), NOWHERE);
    let builder = std::mem::replace(&mut reader.builder, super::empty_builder());
    let Ok(mut ast) = builder.finish_at(root) else {
        // Ids that are given twice were found while reading, by their paths.
        reader.error(doc.root(), "two nodes have one id".into());
        return Err(reader.told());
    };
    if reader.has_comments_in_fragments {
        ast = crate::comments::attach_to_fragments(ast);
    }
    Ok((ast, node))
}

impl Reader<'_> {
    fn part(&mut self, at: ValueId, part: NodeRole) -> Option<NodeId> {
        Some(match part {
            NodeRole::Decl => self.decl(at)?.node(),
            NodeRole::ModuleFunction => self.module_function(at)?.node(),
            NodeRole::Stmt => self.stmt(at)?.node(),
            NodeRole::Expr => self.expr(at)?.node(),
            NodeRole::Block => self.block(at)?.node(),
            NodeRole::Type => self.ty(at)?.node(),
            NodeRole::Pattern => self.pattern(at)?.node(),
            NodeRole::Param => self.param(at)?.node(),
            NodeRole::LambdaParam => self.lambda_param(at)?.node(),
            NodeRole::TypeParam => self.type_param(at)?.node(),
            NodeRole::Field => self.field(at)?.node(),
            NodeRole::Variant => self.variant(at)?.node(),
            NodeRole::VariantField => self.variant_field(at)?.node(),
            NodeRole::Arm => self.arm(at)?.node(),
            NodeRole::FieldInit => self.field_init(at)?.node(),
            NodeRole::FieldPattern => self.field_pattern(at)?.node(),
        })
    }
}
