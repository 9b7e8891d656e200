//! Makes candidates for repairs from the tree, the types and the scopes. None is believed before it was tried.
//!
//! One file for every family of mistakes; [`make`] has the words for candidates and the nodes that they bring, [`scope`]
//! the names that can be used at a place.

mod assign;
pub(super) mod calls;
pub(crate) mod effects;
mod fit;
mod holes;
mod idioms;
mod imports;
mod linear;
mod make;
mod matches;
pub(crate) mod names;
mod obligations;
mod records;
mod scope;
mod syntax;
mod types;
mod warnings;
mod written;

use std::sync::OnceLock;

use check::{Confidence, RepairKind, Safety};
use clank::body::BodyView;
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::program::Program;
use clank::{Checked, CheckedModule};
use clank_syntax::ast::{Ast, DeclId, ExprId, Name, NodeId};
use clank_syntax::patch::PatchOp;
use serde_json::Value as Json;

use super::FindingId;

/// A repair that was not tried yet.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Candidate {
    pub(crate) title: String,
    pub(crate) rationale: String,
    pub(crate) confidence: Confidence,
    pub(crate) safety: Safety,
    pub(crate) kind: RepairKind,
    /// By file; the module's own file first.
    pub(crate) edits: Vec<(Name, Vec<PatchOp>)>,
    /// Whether it is what a habit of another language means, and no guess by trial.
    pub(crate) is_idiom: bool,
    /// Whether nobody can be sure of it, however well it works out: it comes before other guesses, and is not `high`.
    pub(crate) is_guess: bool,
    /// What it is for; the first is the one that it was made for. Verification finds out what else it resolves.
    pub(crate) targets: Vec<FindingId>,
}

/// What candidates are made from.
#[derive(Clone, Copy)]
pub(crate) struct RepairContext<'a> {
    pub(crate) program: &'a Program,
    pub(crate) checked: &'a Checked,
    pub(crate) module: &'a CheckedModule,
    /// The parent of every node of the module.
    pub(crate) parents: &'a [Option<NodeId>],
    /// Who uses which function, for who asks first.
    pub(crate) users: &'a OnceLock<effects::Users>,
    /// What is said about unknown names, for who asks first.
    pub(crate) names: &'a OnceLock<names::Index>,
}

impl<'a> RepairContext<'a> {
    /// The id of a node, by which operations name it.
    pub(crate) fn id(&self, node: impl Into<NodeId>) -> Name {
        self.module.ast.ids().id(node)
    }

    /// What is written in the module.
    fn ast(&self) -> &'a Ast {
        &self.module.ast
    }

    /// The node around a node.
    fn parent(&self, node: impl Into<NodeId>) -> Option<NodeId> {
        self.parents.get(node.into().index()).copied().flatten()
    }

    /// The declaration that a node is in.
    fn declaration(&self, node: impl Into<NodeId>) -> Option<DeclId> {
        let node = node.into();
        let declarations = self.ast().declarations();
        let place = declarations.partition_point(|it| it.node() < node);
        declarations.get(place).copied()
    }

    /// What is known about the declaration that a node is in.
    fn view(&self, node: impl Into<NodeId>) -> Option<BodyView<'a>> {
        self.module.view(self.declaration(node)?)
    }

    /// The node as an expression.
    fn expr(&self, node: NodeId) -> Option<ExprId> {
        ExprId::of(self.ast(), node)
    }
}

/// The changes that may make a mistake, an unproved goal or a hole go away, the likeliest first.
pub(crate) fn propose(scene: RepairContext<'_>, target: FindingId) -> Vec<Candidate> {
    match target {
        FindingId::Diagnostic(index) => match scene.module.diagnostics.get(index) {
            Some(diagnostic) => for_diagnostic(scene, diagnostic, target),
            None => Vec::new(),
        },
        FindingId::Goal(index) => match scene.module.goal(index) {
            Some((node, goal, _)) => obligations::propose(scene, node, goal, target),
            None => Vec::new(),
        },
        FindingId::Hole(index) => match scene.module.holes().nth(index) {
            Some((node, hole)) => holes::propose(scene, node, hole, target),
            None => Vec::new(),
        },
    }
}

fn for_diagnostic(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    let mut found = idioms::typed::propose(scene, it, target);
    let is_known = found.iter().any(|it| it.confidence == Confidence::High);
    for candidate in by_code(scene, it, target) {
        // What a habit says comes before a guess.
        let confidence = match candidate.confidence {
            Confidence::High if is_known && !candidate.is_idiom => Confidence::Medium,
            other => other,
        };
        found.push(candidate.confidence(confidence));
    }
    found
}

fn by_code(scene: RepairContext<'_>, it: &Diagnostic, target: FindingId) -> Vec<Candidate> {
    match it.code {
        Code::E0001
        | Code::E0002
        | Code::E0003
        | Code::E0004
        | Code::E0005
        | Code::E0006
        | Code::E0007
        | Code::E0008
        | Code::E0009 => {
            let mut found = idioms::of_unread(scene, it, target);
            found.extend(syntax::propose(scene, it, target));
            found
        }
        Code::E1001 | Code::E1005 | Code::E1006 => {
            let mut found = idioms::of_name(scene, it, target);
            found.extend(names::propose(scene, it, target));
            found
        }
        Code::E1002 | Code::E1003 | Code::E1004 => imports::propose(scene, it, target),
        Code::E2001 | Code::E2016 => {
            let mut found = idioms::of_macro(scene, it, target);
            found.extend(idioms::of_words(scene, it, target));
            found.extend(types::propose(scene, it, target));
            found
        }
        Code::E2012 | Code::E4002 => {
            let mut found = idioms::of_coalesce(scene, it, target);
            found.extend(match it.code {
                Code::E2012 => calls::propose(scene, it, target),
                _ => effects::propose(scene, it, target),
            });
            found
        }
        Code::E2002 | Code::E2005 => calls::propose(scene, it, target),
        Code::E2003 | Code::E2004 | Code::E2006 | Code::E2010 | Code::E2011 => {
            let mut found: Vec<Candidate> =
                idioms::of_words(scene, it, target).into_iter().collect();
            found.extend(records::propose(scene, it, target));
            found
        }
        Code::E2009 | Code::E2015 => matches::propose(scene, it, target),
        Code::E2013 | Code::E2014 => assign::propose(scene, it, target),
        Code::E2007 | Code::E2017 => written::propose(scene, it, target),
        Code::E2008 | Code::E2018 => Vec::new(),
        Code::E3001 | Code::E3002 | Code::E3003 | Code::E3004 => {
            obligations::refuted(scene, it, target)
        }
        Code::E3005 => obligations::misplaced(scene, it, target),
        Code::E4001 | Code::E4003 => effects::propose(scene, it, target),
        Code::E5001 | Code::E5002 | Code::E5003 => linear::propose(scene, it, target),
        Code::W0001
        | Code::W0002
        | Code::W0003
        | Code::W0004
        | Code::W0005
        | Code::W0006
        | Code::W0007 => {
            let mut found: Vec<Candidate> =
                idioms::of_words(scene, it, target).into_iter().collect();
            found.extend(warnings::propose(scene, it, target));
            found
        }
    }
}

/// What a diagnostic says for machines under that name.
fn fact<'d>(it: &'d Diagnostic, name: &str) -> Option<&'d Json> {
    it.structured.members.iter().find(|it| it.0 == name).map(|it| &it.1)
}

/// The same as a text.
fn text_fact<'d>(it: &'d Diagnostic, name: &str) -> Option<&'d str> {
    fact(it, name).and_then(Json::as_str)
}

/// The same as a list of names.
fn names_fact(it: &Diagnostic, name: &str) -> Vec<Name> {
    let list = fact(it, name).and_then(Json::as_array);
    list.into_iter().flatten().filter_map(Json::as_str).map(Name::new).collect()
}

/// Why nothing is proposed for a code, where nothing can be or not always.
pub(super) fn why_none(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::E2007 => {
            "nothing in scope says which type was meant: annotate the binding of the value"
        }
        Code::E2008 => {
            "an alias cannot refer to itself, and the program does not say whether a `rec` or a `sum` was meant"
        }
        Code::E2017 => "the program does not say which types are missing",
        Code::E2018 => "no type contains itself, and its uses do not say what was meant instead",
        Code::E5003 => {
            "the program does not say whether to use the value before the lambda or to pass it as an argument"
        }
        Code::W0004 => "it cannot be renamed everywhere it is used",
        Code::W0006 => {
            "a variant's name is seen wherever it is printed, so the author has to choose which \
             of the two to rename"
        }
        _ => return None,
    })
}
