//! What the compiler says about a program.

use clank_syntax::Span;
use clank_syntax::ast::NodeId;
use serde_json::Value;

use crate::code::Code;

/// One mistake, at one node. There is one per code and node (row 17).
#[derive(Clone, PartialEq, Debug)]
pub struct Diagnostic {
    /// What kind of mistake it is.
    pub code: Code,
    /// The node that it is about, in the module that it was found in (row 49).
    pub node: NodeId,
    /// The bytes that it is about, if they are not the node's own.
    pub span: Option<Span>,
    /// What is wrong, in the program's own words: names, types and the missing cases in backquotes. One line, lower case, no
    /// full stop.
    pub message: String,
    /// What to do about it, if that is known.
    pub help: Option<String>,
    /// The same for machines.
    pub structured: Structured,
    /// Ways to go on.
    pub hints: Vec<Hint>,
    /// Other places, and what they have to do with it.
    pub related: Vec<Related>,
}

impl Diagnostic {
    /// A diagnostic that says only this. Code that it quotes may hold line ends (a template does): they become blanks.
    pub fn new(code: Code, node: impl Into<NodeId>, message: impl Into<String>) -> Diagnostic {
        let mut message = message.into();
        if message.contains(['\n', '\r']) {
            message = message.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        Diagnostic {
            code,
            node: node.into(),
            span: None,
            message,
            help: None,
            structured: Structured::new("other"),
            hints: Vec::new(),
            related: Vec::new(),
        }
    }

    /// The same with facts for machines.
    #[must_use]
    pub fn with(self, structured: Structured) -> Diagnostic {
        Diagnostic { structured, ..self }
    }

    /// The same with what to do.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic { help: Some(help.into()), ..self }
    }

    /// The same with another place.
    #[must_use]
    pub fn related(mut self, node: impl Into<NodeId>, message: impl Into<String>) -> Diagnostic {
        self.related.push(Related { node: node.into(), message: message.into() });
        self
    }
}

/// A place in the same module that helps to understand a diagnostic.
#[derive(Clone, PartialEq, Debug)]
pub struct Related {
    /// The node.
    pub node: NodeId,
    /// What it has to do with it.
    pub message: String,
}

/// Facts for machines: `kind` first, then the members of the code, in a fixed order.
#[derive(Clone, PartialEq, Debug)]
pub struct Structured {
    /// What the members are about: `unresolved_name`, …
    pub kind: &'static str,
    /// Names and values, in order.
    pub members: Vec<(&'static str, Value)>,
}

impl Structured {
    /// Facts without members.
    pub fn new(kind: &'static str) -> Structured {
        Structured { kind, members: Vec::new() }
    }

    /// The same with one more member.
    #[must_use]
    pub fn member(mut self, name: &'static str, value: impl Into<Value>) -> Structured {
        self.members.push((name, value.into()));
        self
    }
}

/// A way to go on.
#[derive(Clone, PartialEq, Debug)]
pub struct Hint {
    /// Its name: `guard`, `add_mut`, …
    pub strategy: &'static str,
    /// What to do.
    pub description: String,
    /// What it looks like.
    pub template: Option<String>,
    /// How sure it is.
    pub confidence: check::Confidence,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A template that was never closed is quoted with its line ends.
    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let node = NodeId(0);
        let it = Diagnostic::new(Code::E2005, node, "`if a {\n  b\r\n}` is no function");
        assert_eq!(it.message, "`if a { b }` is no function");
    }
}
