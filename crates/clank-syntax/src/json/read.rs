//! From AST JSON to a tree.
//!
//! A function that returns nothing has recorded why; its caller reads on, so that all mistakes are found at once.

mod decl;
mod expr;
mod node;
mod part;
mod scalar;
mod types;

use std::collections::HashMap;

use super::value::{Doc, Value, ValueId, key_step, parse};
use super::{FILE, JsonError};
use crate::ast::{Ast, Builder, MAX_NESTING, Name, NodeId, Source};
use crate::span::Span;
use crate::stack::with_stack;

pub(crate) use part::{NodeRole, read_part};

/// After so many mistakes, or so many bytes of paths and messages, no more are told: a hostile input has as many as
/// it has nodes, and a path is as long as the input is deep.
const MAX_ERRORS: usize = 1000;
const MAX_ERROR_BYTES: usize = 1 << 20;

/// How deep values may be nested. More than the nesting of a text, because a level of text can be several of JSON; the
/// text's own limit is checked once the tree is known.
const MAX_DEPTH: u32 = 4 * MAX_NESTING;

/// A tree that is less deep than this has a text within the limits.
const SURELY_SHALLOW: u32 = MAX_NESTING / 4;

/// Reads AST JSON, or tells every mistake in it. Ids, spans and comments are kept as they are given.
pub fn read(text: &str) -> Result<Ast, Vec<JsonError>> {
    match read_document(text, false) {
        (Some(ast), errors) if errors.is_empty() => Ok(ast),
        (_, errors) => Err(errors),
    }
}

/// Reads AST JSON in which text fragments may be wrong: such a fragment becomes an `Error` node that holds its text, and
/// its mistake is told. Any other mistake means that there is no tree.
pub fn read_lenient(text: &str) -> (Option<Ast>, Vec<JsonError>) {
    read_document(text, true)
}

fn read_document(text: &str, lenient: bool) -> (Option<Ast>, Vec<JsonError>) {
    let doc = match parse(text) {
        Ok(doc) => doc,
        Err(invalid) => {
            let (line, column) = line_and_column(text, invalid.offset);
            let message = format!("not JSON: {} at line {line}, column {column}", invalid.message);
            return (None, vec![JsonError { path: "$".into(), message }]);
        }
    };
    let mut reader = Reader::new(&doc, lenient);
    let program = reader.program(doc.root());
    let Some(program) = program.filter(|_| !reader.is_fatal) else {
        return (None, reader.told());
    };
    let builder = std::mem::replace(&mut reader.builder, empty_builder());
    let Ok(mut ast) = builder.finish_at(program) else {
        // Ids that are given twice were found while reading, by their paths.
        reader.error(doc.root(), "two nodes have one id".into());
        return (None, reader.told());
    };
    if reader.has_comments_in_fragments {
        ast = crate::comments::attach_to_fragments(ast);
    }
    let (depth, deepest) = reader.deepest;
    let depth = if ast.sources().len() > 1 { height(&ast) } else { depth };
    if depth > SURELY_SHALLOW && reader.errors.is_empty() && !has_text(&ast) {
        reader.too_deep(deepest);
        return (None, reader.told());
    }
    (Some(ast), reader.told())
}

fn empty_builder() -> Builder {
    Builder::new(Source { file: String::new(), text: String::new() })
}

/// How many nodes are on the longest way down.
fn height(ast: &Ast) -> u32 {
    let mut heights = vec![0; ast.nodes().len()];
    for index in 0..heights.len() {
        let mut height = 0;
        ast.for_each_child(NodeId(index as u32), &mut |it| {
            height = height.max(heights[it.index()] + 1);
        });
        heights[index] = height;
    }
    heights[ast.root().node().index()]
}

/// Whether a tree that was made from another one is too deep to have a text.
pub(crate) fn is_too_deep(before: &Ast, ast: &Ast) -> bool {
    let depth = height(ast);
    depth > SURELY_SHALLOW && depth > height(before) && !has_text(ast) && has_text(before)
}

/// Whether the tree's text is within the limits of texts.
fn has_text(ast: &Ast) -> bool {
    crate::parse(FILE, &crate::print(ast)).errors.is_empty()
}

/// Line and column from 1, in code points.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before: String =
        text.char_indices().take_while(|(at, _)| *at < offset).map(|(_, it)| it).collect();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |it| it.chars().count()) + 1;
    (line, column)
}

struct Reader<'a> {
    doc: &'a Doc,
    builder: Builder,
    errors: Vec<JsonError>,
    error_bytes: usize,
    n_untold: usize,
    /// Whether something else than a fragment is wrong.
    is_fatal: bool,
    lenient: bool,
    /// Who has an id.
    ids: HashMap<Name, ValueId>,
    depth: u32,
    deepest: (u32, ValueId),
    has_comments_in_fragments: bool,
}

impl<'a> Reader<'a> {
    fn new(doc: &'a Doc, lenient: bool) -> Reader<'a> {
        Reader {
            doc,
            builder: Builder::new(Source { file: FILE.into(), text: String::new() }),
            errors: Vec::new(),
            error_bytes: 0,
            n_untold: 0,
            is_fatal: false,
            lenient,
            ids: HashMap::new(),
            depth: 0,
            deepest: (0, doc.root()),
            has_comments_in_fragments: false,
        }
    }

    /// Records a mistake at a value.
    fn error(&mut self, at: ValueId, message: String) {
        self.is_fatal = true;
        let doc = self.doc;
        self.record(|| doc.path(at), message);
    }

    /// Records a mistake at a member that may not exist.
    fn error_at_member(&mut self, of: ValueId, key: &str, message: String) {
        self.is_fatal = true;
        let doc = self.doc;
        self.record(|| doc.path(of) + &key_step(key), message);
    }

    /// Whether no more mistakes are told.
    fn is_full(&self) -> bool {
        self.errors.len() >= MAX_ERRORS || self.error_bytes > MAX_ERROR_BYTES
    }

    fn record(&mut self, path: impl FnOnce() -> String, message: String) {
        if self.is_full() {
            self.n_untold += 1;
            return;
        }
        let path = path();
        self.error_bytes += path.len() + message.len();
        self.errors.push(JsonError { path, message });
    }

    /// The mistakes, with the number of those that were not recorded.
    fn told(mut self) -> Vec<JsonError> {
        if self.n_untold > 0 {
            let message = format!("{} more mistakes are not listed", self.n_untold);
            self.errors.push(JsonError { path: "$".into(), message });
        }
        self.errors
    }

    fn too_deep(&mut self, at: ValueId) {
        self.error(at, format!("nested more than {MAX_NESTING} levels deep"));
    }

    /// Reads a value one level deeper, if that is not too deep.
    fn nested<T>(&mut self, at: ValueId, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == MAX_DEPTH {
            self.too_deep(at);
            return None;
        }
        self.depth += 1;
        if self.depth > self.deepest.0 {
            self.deepest = (self.depth, at);
        }
        let it = with_stack(|| read(self));
        self.depth -= 1;
        it
    }

    fn required(&mut self, of: ValueId, key: &str) -> Option<ValueId> {
        let member = self.doc.member(of, key);
        if member.is_none() {
            self.error_at_member(of, key, format!("the member `{key}` is missing"));
        }
        member
    }

    fn wrong_type(&mut self, at: ValueId, expected: &str) {
        let found = self.doc.get(at).describe();
        self.error(at, format!("expected {expected}, found {found}"));
    }

    /// The elements of an array member that must exist.
    fn elements(&mut self, of: ValueId, key: &str) -> Option<&'a [ValueId]> {
        let member = self.required(of, key)?;
        self.array(member)
    }

    /// The elements of an array member, none if there is no such member.
    fn elements_if_any(&mut self, of: ValueId, key: &str) -> Option<&'a [ValueId]> {
        match self.doc.member(of, key) {
            Some(member) => self.array(member),
            None => Some(&[]),
        }
    }

    fn array(&mut self, at: ValueId) -> Option<&'a [ValueId]> {
        match self.doc.get(at) {
            Value::Array(elements) => Some(elements),
            _ => {
                self.wrong_type(at, "an array");
                None
            }
        }
    }

    /// Reads every element; nothing if one of them is wrong.
    fn each<T>(
        &mut self,
        elements: Option<&'a [ValueId]>,
        mut read: impl FnMut(&mut Self, ValueId) -> Option<T>,
    ) -> Option<Box<[T]>> {
        let mut all = Vec::new();
        let mut is_whole = true;
        for element in elements? {
            match read(self, *element) {
                Some(it) => all.push(it),
                None => is_whole = false,
            }
        }
        is_whole.then(|| all.into())
    }
}

/// The span of nodes that come from no text.
const NOWHERE: Span = Span { start: 0, end: 0 };
