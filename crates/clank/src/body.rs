//! What is known about the body of one declaration after inference: types, what names mean, goals, holes.
//!
//! Everything is by node relative to the declaration's first one, so that a body that did not change can be taken over when
//! the text around it did.

use std::ops::Range;
use std::sync::Arc;

use clank_syntax::ast::{Name, NodeId};

use crate::proof::Proof;
use crate::ty::{Ty, TypeKey};

/// What a name or a constructor means where it is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Resolution {
    /// A local: the pattern (an identifier), parameter, lambda parameter or field pattern that binds it. Relative to the
    /// declaration's first node.
    Local(u32),
    /// A function of a module of the program; `module` is its file.
    Fn { module: Name, name: Name },
    /// An external function. `module` is the file; `namespace` the external module that it belongs to.
    External { module: Name, namespace: Option<Name>, name: Name },
    /// A function of the prelude.
    Builtin(Name),
    /// The constructor of a variant.
    Variant { ty: TypeKey, variant: u32 },
    /// The constructor of a record.
    Record { ty: TypeKey },
    /// A module of the program (`m` in `m.f`); its file.
    Module(Name),
    /// A module of the host.
    HostModule(Name),
}

/// The types, names, goals and holes of one declaration.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Body {
    /// By node, relative to the declaration's first: the type of every expression and pattern, with all variables
    /// solved. What could not be made out is [`Ty::Error`].
    pub types: Vec<Option<Ty>>,
    /// What identifiers (also `m.f` at its [`clank_syntax::ast::Expr::Field`] node), variant patterns and record literals
    /// mean, each with its node relative to the declaration's first; sorted by node.
    pub resolutions: Vec<(u32, Resolution)>,
    /// What must hold.
    pub goals: Vec<Goal>,
    /// What is not written yet.
    pub holes: Vec<Hole>,
}

/// A [`Body`] seen from its module.
#[derive(Clone, Copy, Debug)]
pub struct BodyView<'a> {
    /// The first node of the declaration.
    pub first: NodeId,
    /// What is known.
    pub body: &'a Body,
    /// What was found out about its goals, in their order; empty before anybody tried.
    pub proofs: &'a [Proof],
}

impl<'a> BodyView<'a> {
    /// The type of an expression or pattern.
    pub fn ty(&self, node: impl Into<NodeId>) -> &'a Ty {
        let index = self.relative(node.into());
        let ty = index.and_then(|it| self.body.types.get(it as usize)?.as_ref());
        ty.unwrap_or(&Ty::Error)
    }

    /// What a name means.
    pub fn resolution(&self, node: impl Into<NodeId>) -> Option<&'a Resolution> {
        let node = self.relative(node.into())?;
        let resolutions = &self.body.resolutions;
        let place = resolutions.binary_search_by_key(&node, |it| it.0).ok()?;
        Some(&resolutions[place].1)
    }

    /// The goals that are not proved.
    pub fn open_goals(&self) -> impl Iterator<Item = &'a Goal> {
        let proofs = self.proofs;
        let is_open = move |place: usize| !proofs.get(place).is_some_and(Proof::is_discharged);
        self.body.goals.iter().enumerate().filter(move |it| is_open(it.0)).map(|it| it.1)
    }

    /// The node that binds a local.
    pub fn local(&self, relative: u32) -> NodeId {
        NodeId(self.first.0 + relative)
    }

    /// The nodes that it knows about.
    pub fn nodes(&self) -> Range<u32> {
        self.first.0..self.first.0 + self.body.types.len() as u32
    }

    fn relative(&self, node: NodeId) -> Option<u32> {
        node.0.checked_sub(self.first.0)
    }
}

/// Where a goal comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GoalKind {
    /// A value must satisfy the type that is expected: a refinement, `Nat`, `Int32`, `Int64`.
    Refinement,
    /// `0 <= i < len(xs)`
    Bounds,
    /// `d != 0`
    Division,
    /// `e >= 0`
    Exponent,
    /// The result of arithmetic on a type of fixed width must fit.
    Overflow,
    /// `pre` of a function that is called.
    Precondition,
    /// `post` of the function.
    Postcondition,
    /// `assert`: recorded, but not counted for the status (row 10).
    Assertion,
}

/// Where a value goes that must satisfy a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Site {
    /// An argument: the callee checks it when it is entered, unless it is a function of the prelude or of the host.
    Argument {
        /// What is called, if that is known.
        callee: Option<Resolution>,
        /// Which argument.
        index: u32,
    },
    /// The result of the function or lambda.
    Return,
    /// A `let` with a type.
    Let,
    /// An assignment.
    Assign,
    /// An assignment to a part of a value, which must still be what its type says: `depth` steps out from the part, the
    /// value itself or one of its fields.
    Around {
        /// How many steps.
        depth: u32,
        /// The field.
        field: Option<Name>,
    },
    /// An operation on the node itself.
    Operation,
    /// Anything else.
    Other,
}

impl Site {
    /// Whether a function or constructor of the program checks the value when it is entered. Functions of the prelude and of
    /// the host do not.
    pub fn is_asked_by_callee(&self) -> bool {
        let Site::Argument { callee: Some(callee), .. } = self else { return false };
        matches!(
            callee,
            Resolution::Fn { .. } | Resolution::Variant { .. } | Resolution::Record { .. }
        )
    }
}

/// Something that must hold at run time. Until it is proved it is checked there.
#[derive(Clone, PartialEq, Debug)]
pub struct Goal {
    /// Where it comes from.
    pub kind: GoalKind,
    /// The expression or statement that it is about. Relative to the declaration's first node.
    pub node: u32,
    /// Where the value goes.
    pub site: Site,
    /// The type that the value must satisfy, for [`GoalKind::Refinement`] and [`GoalKind::Overflow`].
    pub expected: Option<Ty>,
    /// The goal as a Clank expression about what is written at the node.
    pub text: String,
    /// The names in scope there, the innermost first. Goals of one scope share them.
    pub context: Arc<[Binding]>,
}

/// A name in scope.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The name.
    pub name: Name,
    /// Its type.
    pub ty: Ty,
    /// Whether it can be assigned to.
    pub mutable: bool,
    /// `parameter`, `let`, `for`, `match`, `function` or `external`.
    pub source: &'static str,
}

/// An expression that is not written yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Hole {
    /// Relative to the declaration's first node.
    pub node: u32,
    /// What is needed there.
    pub expected: Ty,
    /// The locals in scope, the innermost first.
    pub context: Vec<Binding>,
    /// The effects that what fills it may have.
    pub effects: crate::ty::Effects,
    /// What would fit, the best first.
    pub candidates: Vec<HoleFit>,
}

/// What would fit into a hole.
#[derive(Clone, PartialEq, Debug)]
pub struct HoleFit {
    /// Clank text; may hold holes.
    pub text: String,
    /// How sure it is.
    pub confidence: check::Confidence,
    /// Why it fits.
    pub description: String,
}
