//! A part of a program on its own: what a patch brings.

use super::super::JsonError;
use super::super::value::{ValueId, parse};
use super::{NOWHERE, Reader, line_and_column};
use crate::ast::{Ast, NodeId};

/// Where a part stands in its program, which says what it may be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Part {
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
pub(crate) fn read_part(text: &str, part: Part) -> Result<(Ast, NodeId), Vec<JsonError>> {
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
    fn part(&mut self, at: ValueId, part: Part) -> Option<NodeId> {
        Some(match part {
            Part::Decl => self.decl(at)?.node(),
            Part::ModuleFunction => self.module_function(at)?.node(),
            Part::Stmt => self.stmt(at)?.node(),
            Part::Expr => self.expr(at)?.node(),
            Part::Block => self.block(at)?.node(),
            Part::Type => self.ty(at)?.node(),
            Part::Pattern => self.pattern(at)?.node(),
            Part::Param => self.param(at)?.node(),
            Part::LambdaParam => self.lambda_param(at)?.node(),
            Part::TypeParam => self.type_param(at)?.node(),
            Part::Field => self.field(at)?.node(),
            Part::Variant => self.variant(at)?.node(),
            Part::VariantField => self.variant_field(at)?.node(),
            Part::Arm => self.arm(at)?.node(),
            Part::FieldInit => self.field_init(at)?.node(),
            Part::FieldPattern => self.field_pattern(at)?.node(),
        })
    }
}
