//! From text to tree in one pass. Accepts TOML 1.1, of which 1.0 is a part.

mod lex;
mod literal;

use std::borrow::Cow;

use crate::hash::HashMap;
use edit::Text;

use super::scalar;
use super::tree::{Form, NONE, Node, Statement, StatementKind, TomlTree, Use};
use crate::limits::Limits;
use crate::refusal::{ParseError, ParseErrorKind};
use lex::Lexer;

pub(super) use literal::is_datetime;

/// Parses a text that is known to be UTF-8.
pub(crate) fn parse(text: &Text, limits: &Limits) -> Result<TomlTree, ParseError> {
    let bytes = text.bytes();
    if u32::try_from(bytes.len()).is_err() {
        return Err(error(ParseErrorKind::TooLarge, 0, "the file is too large for 32-bit offsets"));
    }
    let source = text.as_str().ok_or_else(|| ParseError::not_utf8(text))?;
    // A list that grows is copied, and both copies are in memory then. What is reserved and not used costs nothing.
    let n_lines = memchr::memchr_iter(b'\n', bytes).count() + 1;
    let n_items = memchr::memchr_iter(b',', bytes).count();
    let mut builder = Builder {
        lexer: Lexer::new(source),
        nodes: Vec::with_capacity(n_lines + n_items),
        uses: Vec::with_capacity(n_lines),
        statements: Vec::with_capacity(n_lines),
        by_key: HashMap::default(),
        max_depth: limits.max_depth,
    };
    builder.document()?;
    let Builder { nodes, uses, statements, .. } = builder;
    Ok(TomlTree { text: text.clone(), nodes, uses, statements })
}

fn error(kind: ParseErrorKind, offset: u32, message: impl Into<String>) -> ParseError {
    ParseError { kind, offset, message: message.into() }
}

/// Tables with more members than this are searched by hash, the others one by one.
const MAX_SEARCHED: usize = 12;

struct Builder<'t> {
    lexer: Lexer<'t>,
    nodes: Vec<Node>,
    uses: Vec<Use>,
    statements: Vec<Statement>,
    /// The members of large tables by table and key.
    by_key: HashMap<u32, HashMap<Cow<'t, str>, u32>>,
    max_depth: usize,
}

impl<'t> Builder<'t> {
    fn document(&mut self) -> Result<(), ParseError> {
        let root = self.push_node(Form::Root, NONE, 0);
        self.nodes[0].end = self.lexer.len();
        let (mut table, mut depth) = (root, 1);
        self.lexer.skip_bom();
        loop {
            self.lexer.skip_trivia()?;
            let Some(byte) = self.lexer.peek() else { return Ok(()) };
            if byte == b'[' {
                (table, depth) = self.header()?;
            } else {
                self.key_value(table, depth, StatementKind::KeyValue)?;
            }
            self.lexer.end_of_line()?;
        }
    }

    /// `[a.b]` or `[[a.b]]`. Returns the table that the lines below belong to, and the depth of its values.
    fn header(&mut self) -> Result<(u32, usize), ParseError> {
        let start = self.lexer.pos();
        self.lexer.bump();
        let is_array = self.lexer.eat(b'[');
        let statement = self.open_statement(StatementKind::Header, start);
        let (mut table, mut depth) = (0, 1);
        loop {
            let (key, key_start) = self.simple_key()?;
            let is_last = !self.lexer.eat(b'.');
            depth += 1;
            self.guard_depth(depth + usize::from(is_last && is_array), key_start)?;
            table = match self.member(table, &key) {
                None => {
                    let form = match (is_last, is_array) {
                        (false, _) => Form::Implicit,
                        (true, false) => Form::Header,
                        (true, true) => Form::ArrayOfTables,
                    };
                    self.push_member(form, table, key, key_start)
                }
                Some(node) => {
                    self.guard_header(node, is_last, is_array, key_start)?;
                    node
                }
            };
            self.push_use(table, key_start);
            if is_last {
                break;
            }
            if self.nodes[table as usize].form == Form::ArrayOfTables {
                table = self.nodes[table as usize].last_child;
                depth += 1;
            }
        }
        self.expect_header_end(is_array)?;
        if is_array {
            depth += 1;
            table = self.push_node(Form::Item, table, start);
        } else if self.nodes[table as usize].form == Form::Implicit {
            self.nodes[table as usize].form = Form::Header;
        }
        let end = self.lexer.pos();
        (self.nodes[table as usize].start, self.nodes[table as usize].end) = (start, end);
        self.close_statement(statement, table, end);
        Ok((table, depth))
    }

    fn expect_header_end(&mut self, is_array: bool) -> Result<(), ParseError> {
        if self.lexer.eat(b']') && (!is_array || self.lexer.eat(b']')) {
            return Ok(());
        }
        Err(self.lexer.unexpected(if is_array { "`]]`" } else { "`]`" }))
    }

    /// Whether a header may go through, or end in, a table that is already there.
    fn guard_header(
        &self,
        node: u32,
        is_last: bool,
        is_array: bool,
        key_start: u32,
    ) -> Result<(), ParseError> {
        let form = self.nodes[node as usize].form;
        let is_allowed = match (is_last, is_array) {
            (false, _) => {
                matches!(form, Form::Header | Form::Implicit | Form::Dotted | Form::ArrayOfTables)
            }
            (true, false) => form == Form::Implicit,
            (true, true) => form == Form::ArrayOfTables,
        };
        if is_allowed { Ok(()) } else { Err(self.defined_twice(key_start)) }
    }

    fn defined_twice(&self, key_start: u32) -> ParseError {
        let message = format!("key `{}` is already defined", self.lexer.excerpt(key_start));
        error(ParseErrorKind::DuplicateKey, key_start, message)
    }

    /// `a.b = value`, where `depth` is that of the table's values.
    fn key_value(
        &mut self,
        mut table: u32,
        mut depth: usize,
        kind: StatementKind,
    ) -> Result<(), ParseError> {
        let statement = self.open_statement(kind, self.lexer.pos());
        let (mut key, mut key_start) = self.simple_key()?;
        while self.lexer.eat(b'.') {
            depth += 1;
            self.guard_depth(depth, key_start)?;
            table = match self.member(table, &key) {
                None => self.push_member(Form::Dotted, table, key, key_start),
                Some(node) if self.nodes[node as usize].form == Form::Dotted => node,
                Some(_) => return Err(self.defined_twice(key_start)),
            };
            self.push_use(table, key_start);
            (key, key_start) = self.simple_key()?;
        }
        let key_end = self.lexer.key_end();
        if self.member(table, &key).is_some() {
            return Err(self.defined_twice(key_start));
        }
        // The use comes before those of an inline table's keys, so that a statement's uses are one range.
        let node = self.push_member(Form::Bool, table, key, key_start);
        self.push_use_at(node, key_start, key_end);
        self.statements[statement as usize].end_use = self.n_uses();
        if !self.lexer.eat(b'=') {
            return Err(self.lexer.unexpected("`=`"));
        }
        self.lexer.skip_blanks();
        self.value(node, depth)?;
        let end = self.nodes[node as usize].end;
        self.statements[statement as usize].node = node;
        self.statements[statement as usize].end = end;
        self.nodes[node as usize].statement = statement;
        Ok(())
    }

    /// A key and the blanks after it.
    fn simple_key(&mut self) -> Result<(Cow<'t, str>, u32), ParseError> {
        self.lexer.skip_blanks();
        let start = self.lexer.pos();
        let text = self.lexer.key()?;
        self.lexer.skip_blanks();
        Ok((scalar::key(text), start))
    }

    /// Reads a value into a node that is already in the tree.
    fn value(&mut self, node: u32, depth: usize) -> Result<(), ParseError> {
        let start = self.lexer.pos();
        self.nodes[node as usize].start = start;
        let form = match self.lexer.peek() {
            Some(b'[') => {
                self.guard_depth(depth + 1, start)?;
                self.nodes[node as usize].form = Form::Array;
                self.array(node, depth + 1)?;
                Form::Array
            }
            Some(b'{') => {
                self.guard_depth(depth + 1, start)?;
                self.nodes[node as usize].form = Form::InlineTable;
                self.inline_table(node, depth + 1)?;
                Form::InlineTable
            }
            Some(b'"' | b'\'') => self.lexer.string()?,
            _ => literal::read(&mut self.lexer)?,
        };
        self.nodes[node as usize].form = form;
        self.nodes[node as usize].end = self.lexer.pos();
        Ok(())
    }

    fn array(&mut self, array: u32, depth: usize) -> Result<(), ParseError> {
        self.lexer.bump();
        loop {
            self.lexer.skip_trivia()?;
            if self.lexer.eat(b']') {
                return Ok(());
            }
            let item = self.push_node(Form::Bool, array, self.lexer.pos());
            self.value(item, depth)?;
            self.lexer.skip_trivia()?;
            if self.lexer.eat(b',') {
                continue;
            }
            if self.lexer.eat(b']') {
                return Ok(());
            }
            return Err(self.lexer.unexpected("`,` or `]`"));
        }
    }

    fn inline_table(&mut self, table: u32, depth: usize) -> Result<(), ParseError> {
        self.lexer.bump();
        loop {
            self.lexer.skip_trivia()?;
            if self.lexer.eat(b'}') {
                return Ok(());
            }
            self.key_value(table, depth, StatementKind::Entry)?;
            self.lexer.skip_trivia()?;
            if self.lexer.eat(b',') {
                continue;
            }
            if self.lexer.eat(b'}') {
                return Ok(());
            }
            return Err(self.lexer.unexpected("`,` or `}`"));
        }
    }

    fn guard_depth(&self, depth: usize, offset: u32) -> Result<(), ParseError> {
        if depth <= self.max_depth {
            return Ok(());
        }
        let message = format!("nested deeper than {} levels", self.max_depth);
        Err(error(ParseErrorKind::TooLarge, offset, message))
    }

    fn n_uses(&self) -> u32 {
        count(self.uses.len())
    }

    fn push_node(&mut self, form: Form, parent: u32, start: u32) -> u32 {
        let id = count(self.nodes.len());
        self.nodes.push(Node {
            form,
            start,
            end: start,
            parent,
            first_child: NONE,
            last_child: NONE,
            next: NONE,
            key: NONE,
            last_use: NONE,
            statement: NONE,
        });
        if let Some(container) = self.nodes.get_mut(parent as usize).filter(|_| parent != NONE) {
            let last = std::mem::replace(&mut container.last_child, id);
            if last == NONE {
                container.first_child = id;
            } else {
                self.nodes[last as usize].next = id;
            }
        }
        id
    }

    /// The member of a table with that key.
    fn member(&self, table: u32, key: &str) -> Option<u32> {
        if let Some(members) = self.by_key.get(&table) {
            return members.get(key).copied();
        }
        self.members(table).find(|member| self.key(*member) == key)
    }

    fn members(&self, table: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(self.nodes[table as usize].first_child).filter(|it| *it != NONE);
        std::iter::successors(first, |member| {
            Some(self.nodes[*member as usize].next).filter(|it| *it != NONE)
        })
    }

    fn key(&self, member: u32) -> Cow<'t, str> {
        let spelled = self.uses[self.nodes[member as usize].key as usize];
        scalar::key(self.lexer.slice(spelled.start, spelled.end))
    }

    fn push_member(&mut self, form: Form, table: u32, key: Cow<'t, str>, key_start: u32) -> u32 {
        let is_searched = !self.by_key.contains_key(&table);
        if is_searched && self.members(table).take(MAX_SEARCHED).count() == MAX_SEARCHED {
            let members = self.members(table).map(|member| (self.key(member), member)).collect();
            self.by_key.insert(table, members);
        }
        let node = self.push_node(form, table, key_start);
        self.nodes[node as usize].end = self.lexer.key_end();
        if let Some(members) = self.by_key.get_mut(&table) {
            members.insert(key, node);
        }
        node
    }

    fn push_use(&mut self, node: u32, key_start: u32) {
        self.push_use_at(node, key_start, self.lexer.key_end());
    }

    fn push_use_at(&mut self, node: u32, start: u32, end: u32) {
        let id = self.n_uses();
        let target = &mut self.nodes[node as usize];
        let previous = std::mem::replace(&mut target.last_use, id);
        if target.key == NONE {
            target.key = id;
        }
        self.uses.push(Use { start, end, node, previous });
    }

    fn open_statement(&mut self, kind: StatementKind, start: u32) -> u32 {
        let id = count(self.statements.len());
        let first_use = self.n_uses();
        let statement =
            Statement { kind, start, end: start, first_use, end_use: first_use, node: NONE };
        self.statements.push(statement);
        id
    }

    fn close_statement(&mut self, id: u32, node: u32, end: u32) {
        let end_use = self.n_uses();
        let statement = &mut self.statements[id as usize];
        (statement.node, statement.end, statement.end_use) = (node, end, end_use);
        self.nodes[node as usize].statement = id;
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).expect("a text of 32-bit length has fewer parts than bytes")
}
