//! What is said about linear and affine values.

use clank_syntax::ast::NodeId;

use super::state::LinearStatus;
use super::{CAPTURED, NOT_USED, USED_TWICE, Walk};
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Structured};
use crate::flow::mode::Mode;
use crate::ty::Ty;

impl Walk<'_> {
    /// A linear variable goes out of scope.
    pub(super) fn must_be_used(&mut self, local: NodeId) {
        let var = self.state.var(local);
        if var.mode != Mode::Linear || self.is_settled(local) {
            return;
        }
        let name = var.name.clone();
        let diagnostic = match self.state.status(local) {
            LinearStatus::Used(_) => return,
            LinearStatus::Unused => self.about(
                NOT_USED,
                local,
                local,
                format!("`{name}` is linear, but it is never used"),
            ),
            LinearStatus::Maybe { used, not_in, why } => {
                let message = format!("`{name}` is linear, but it is not used on every path");
                self.about(NOT_USED, local, local, message)
                    .related(used, "it is used here")
                    .related(not_in, format!("it is not used {why}"))
            }
        };
        self.wrong.insert(local);
        self.found.push(diagnostic.help(format!("use it exactly once: `consume({name})`")));
    }

    /// A linear variable is left behind at a place.
    pub(super) fn not_used(&mut self, local: NodeId, at: NodeId, why: &str) {
        if self.is_settled(local) {
            return;
        }
        let name = self.state.var(local).name.clone();
        let diagnostic = if name.is_empty() {
            let message = "the elements are linear, but the remaining ones are not used";
            self.about(NOT_USED, local, local, message.to_owned())
        } else {
            let message = format!("`{name}` is linear, but it is not used on every path");
            self.about(NOT_USED, local, local, message)
                .help(format!("use it before: `consume({name})`"))
        };
        self.wrong.insert(local);
        self.found.push(diagnostic.related(at, why));
    }

    /// A linear value that has no name is not used.
    pub(super) fn value_lost(&mut self, node: NodeId, why: &str, ty: &Ty) {
        if self.doubts.is_unfinished || !self.wrong.insert(node) {
            return;
        }
        let message = format!("a linear value of type `{ty}` is not used: {why}");
        let structured = Structured::new("linear_not_used")
            .member("type", ty.to_string())
            .member("mode", "linear");
        self.found.push(
            Diagnostic::new(NOT_USED, node, message)
                .help("give it a name and use it exactly once")
                .with(structured),
        );
    }

    /// A second use on the same path.
    pub(super) fn used_again(&mut self, local: NodeId, node: NodeId, first: NodeId) {
        self.wrong.insert(local);
        let var = self.state.var(local);
        let message = format!("`{}` is {}, but it is used again", var.name, var.mode.word());
        let diagnostic = self.about(USED_TWICE, local, node, message);
        self.found.push(
            diagnostic.help("remove one of the uses").related(first, "it is used here first"),
        );
    }

    /// A use that may happen more than once.
    pub(super) fn used_twice(
        &mut self,
        local: NodeId,
        node: NodeId,
        why: &str,
        related: Option<NodeId>,
    ) {
        self.wrong.insert(local);
        if !self.repeated.insert(node) {
            return;
        }
        let var = self.state.var(local);
        let message = format!("`{}` is {}, but {why}", var.name, var.mode.word());
        let mut diagnostic = self.about(USED_TWICE, local, node, message);
        if let Some(related) = related {
            diagnostic = diagnostic.related(related, "this may run more than once");
        }
        self.found.push(diagnostic.related(local, "it is bound here"));
    }

    /// A use in a lambda of a value from outside.
    pub(super) fn captured_at(&mut self, local: NodeId, node: NodeId) {
        self.wrong.insert(local);
        let var = self.state.var(local);
        let message = format!(
            "`{}` is {}, but the lambda that uses it may run more than once",
            var.name,
            var.mode.word()
        );
        let diagnostic = self.about(CAPTURED, local, node, message);
        self.found.push(
            diagnostic
                .help("use it before the lambda, or give it to the lambda as an argument")
                .related(local, "it is bound here"),
        );
    }

    /// Whether nothing more is said: it has been, or the use may be where something is missing.
    pub(super) fn is_settled(&self, local: NodeId) -> bool {
        self.wrong.contains(&local) || self.doubts.may_use(&self.state.var(local).name)
    }

    fn about(&self, code: Code, local: NodeId, node: NodeId, message: String) -> Diagnostic {
        let var = self.state.var(local);
        let kind = match code {
            NOT_USED => "linear_not_used",
            USED_TWICE => "linear_used_twice",
            _ => "linear_captured",
        };
        let mut structured = Structured::new(kind);
        if !var.name.is_empty() {
            structured = structured.member("name", var.name.as_str());
        }
        let structured = structured.member("type", var.ty.as_str()).member("mode", var.mode.word());
        Diagnostic::new(code, node, message).with(structured)
    }
}
