//! From text to tree in one pass. Accepts TOML 1.1, of which 1.0 is a part.

mod lex;
mod literal;

use std::borrow::Cow;

use edit::Text;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::scalar;
use super::tree::{Lead, NONE, Node, NodeForm, Spelling, TomlTree, ring};
use crate::hash::HashSet;
use crate::limits::Limits;
use crate::refusal::{ParseError, ParseErrorKind};
use lex::Lexer;
use std::hash::BuildHasher as _;

pub(super) use literal::is_datetime;

/// Parses a text that is known to be UTF-8.
pub(crate) fn parse(text: &Text, limits: &Limits) -> Result<TomlTree, ParseError> {
    let bytes = text.bytes();
    if i32::try_from(bytes.len()).is_err() {
        return Err(error(ParseErrorKind::TooLarge, 0, "the file is larger than 2 GiB"));
    }
    let source = text.as_str().ok_or_else(|| ParseError::not_utf8(text))?;
    // A list that grows is copied, and both copies are in memory then. What is reserved and not used costs nothing.
    let n = |byte| memchr::memchr_iter(byte, bytes).count();
    let (n_values, n_headers) = (n(b'='), n(b'['));
    let n_keys = n_values + n_headers + n(b'.');
    let mut builder = Builder {
        lexer: Lexer::new(source),
        nodes: Vec::with_capacity(1 + n_keys + n_headers + n(b',')),
        uses: Vec::with_capacity(n_keys),
        leads: Vec::with_capacity(n_values + n_headers),
        by_key: HashTable::new(),
        indexed: HashSet::default(),
        hasher: DefaultHashBuilder::default(),
        max_depth: limits.max_depth,
    };
    builder.document()?;
    let Builder { nodes, uses, leads, .. } = builder;
    Ok(TomlTree { text: text.clone(), nodes, uses, leads })
}

fn error(kind: ParseErrorKind, offset: u32, message: impl Into<String>) -> ParseError {
    ParseError { kind, offset, message: message.into() }
}

/// Tables with more members than this are searched by hash, the others one by one.
const MAX_SEARCHED: usize = 12;

struct Builder<'t> {
    lexer: Lexer<'t>,
    nodes: Vec<Node>,
    uses: Vec<Spelling>,
    leads: Vec<Lead>,
    /// The members of large tables, by table and key.
    by_key: HashTable<u32>,
    /// The tables whose members are in `by_key`.
    indexed: HashSet<u32>,
    hasher: DefaultHashBuilder,
    max_depth: usize,
}

impl<'t> Builder<'t> {
    fn document(&mut self) -> Result<(), ParseError> {
        let root = self.push_node(NodeForm::Root, NONE, 0);
        self.nodes[0].end = self.lexer.len();
        let (mut table, mut depth) = (root, 1);
        self.lexer.skip_bom();
        loop {
            self.lexer.skip_trivia()?;
            let Some(byte) = self.lexer.peek() else { return Ok(()) };
            if byte == b'[' {
                (table, depth) = self.header()?;
            } else {
                self.key_value(table, depth, false)?;
            }
            self.lexer.end_of_line()?;
        }
    }

    /// `[a.b]` or `[[a.b]]`. Returns the table that the lines below belong to, and the depth of its values.
    fn header(&mut self) -> Result<(u32, usize), ParseError> {
        let start = self.lexer.pos();
        self.lexer.bump();
        let is_array = self.lexer.eat(b'[');
        let statement = self.open_statement(false);
        let (mut table, mut depth) = (0, 1);
        loop {
            let (key, key_start) = self.simple_key()?;
            let is_last = !self.lexer.eat(b'.');
            depth += 1;
            self.guard_depth(depth + usize::from(is_last && is_array), key_start)?;
            table = match self.member(table, &key) {
                None => {
                    let form = match (is_last, is_array) {
                        (false, _) => NodeForm::Implicit,
                        (true, false) => NodeForm::Header,
                        (true, true) => NodeForm::ArrayOfTables,
                    };
                    self.push_member(form, table, &key, key_start)
                }
                Some(node) => {
                    self.guard_header(node, is_last, is_array, key_start)?;
                    self.push_use(node, key_start);
                    node
                }
            };
            if is_last {
                break;
            }
            if self.nodes[table as usize].form == NodeForm::ArrayOfTables {
                table = self.nodes[table as usize].last_child;
                depth += 1;
            }
        }
        self.expect_header_end(is_array)?;
        if is_array {
            depth += 1;
            table = self.push_node(NodeForm::Item, table, start);
        } else if self.nodes[table as usize].form == NodeForm::Implicit {
            self.nodes[table as usize].form = NodeForm::Header;
        }
        let end = self.lexer.pos();
        (self.nodes[table as usize].start, self.nodes[table as usize].end) = (start, end);
        self.leads[statement].ends_in(table);
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
                matches!(
                    form,
                    NodeForm::Header
                        | NodeForm::Implicit
                        | NodeForm::Dotted
                        | NodeForm::ArrayOfTables
                )
            }
            (true, false) => form == NodeForm::Implicit,
            (true, true) => form == NodeForm::ArrayOfTables,
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
        is_entry: bool,
    ) -> Result<(), ParseError> {
        let statement = self.open_statement(is_entry);
        let (mut key, mut key_start) = self.simple_key()?;
        while self.lexer.eat(b'.') {
            depth += 1;
            self.guard_depth(depth, key_start)?;
            table = match self.member(table, &key) {
                None => self.push_member(NodeForm::Dotted, table, &key, key_start),
                Some(node) if self.nodes[node as usize].form == NodeForm::Dotted => {
                    self.push_use(node, key_start);
                    node
                }
                Some(_) => return Err(self.defined_twice(key_start)),
            };
            (key, key_start) = self.simple_key()?;
        }
        if self.member(table, &key).is_some() {
            return Err(self.defined_twice(key_start));
        }
        // The use comes before those of an inline table's keys, so that a statement's uses are one range.
        let node = self.push_member(NodeForm::Bool, table, &key, key_start);
        self.leads[statement].ends_in(node);
        if !self.lexer.eat(b'=') {
            return Err(self.lexer.unexpected("`=`"));
        }
        self.lexer.skip_blanks();
        self.value(node, depth)
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
                self.nodes[node as usize].form = NodeForm::Array;
                self.array(node, depth + 1)?;
                NodeForm::Array
            }
            Some(b'{') => {
                self.guard_depth(depth + 1, start)?;
                self.nodes[node as usize].form = NodeForm::InlineTable;
                self.inline_table(node, depth + 1)?;
                NodeForm::InlineTable
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
            let item = self.push_node(NodeForm::Bool, array, self.lexer.pos());
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
            self.key_value(table, depth, true)?;
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

    fn push_node(&mut self, form: NodeForm, parent: u32, start: u32) -> u32 {
        let id = count(self.nodes.len());
        let mut next = id;
        if let Some(container) = self.nodes.get_mut(parent as usize).filter(|_| parent != NONE) {
            let last = std::mem::replace(&mut container.last_child, id);
            if last != NONE {
                next = std::mem::replace(&mut self.nodes[last as usize].next, id);
            }
        }
        self.nodes.push(Node {
            start,
            end: start,
            parent,
            last_child: NONE,
            next,
            last_use: NONE,
            form,
        });
        id
    }

    /// The member of a table with that key.
    fn member(&self, table: u32, key: &str) -> Option<u32> {
        if self.indexed.contains(&table) {
            let is_it = |it: &u32| self.nodes[*it as usize].parent == table && self.key(*it) == key;
            return self.by_key.find(self.hash(table, key), is_it).copied();
        }
        self.members(table).find(|member| self.key(*member) == key)
    }

    fn hash(&self, table: u32, key: &str) -> u64 {
        self.hasher.hash_one((table, key))
    }

    fn members(&self, table: u32) -> impl Iterator<Item = u32> + '_ {
        ring(self.nodes[table as usize].last_child, |it| self.nodes[it as usize].next)
    }

    fn key(&self, member: u32) -> Cow<'t, str> {
        let last = self.uses[self.nodes[member as usize].last_use as usize];
        let start = self.uses[last.next as usize].start;
        scalar::key(self.lexer.slice(start, scalar::key_end(self.lexer.bytes(), start)))
    }

    /// Adds a member whose key is spelled here, by the use that is added next.
    fn push_member(&mut self, form: NodeForm, table: u32, key: &str, key_start: u32) -> u32 {
        let is_searched = !self.indexed.contains(&table);
        if is_searched && self.members(table).take(MAX_SEARCHED).count() == MAX_SEARCHED {
            self.indexed.insert(table);
            let members: Vec<u32> = self.members(table).collect();
            for member in members {
                let hash = self.hash(table, &self.key(member));
                self.index(hash, member);
            }
        }
        let node = self.push_node(form, table, key_start);
        self.nodes[node as usize].end = self.lexer.key_end();
        self.push_use(node, key_start);
        if self.indexed.contains(&table) {
            let hash = self.hash(table, key);
            self.index(hash, node);
        }
        node
    }

    fn index(&mut self, hash: u64, member: u32) {
        // Growing the table asks for the hashes of all that is in it.
        let mut table = std::mem::take(&mut self.by_key);
        table.insert_unique(hash, member, |it| {
            self.hash(self.nodes[*it as usize].parent, &self.key(*it))
        });
        self.by_key = table;
    }

    fn push_use(&mut self, node: u32, start: u32) {
        let id = count(self.uses.len());
        let last = std::mem::replace(&mut self.nodes[node as usize].last_use, id);
        let next = match self.uses.get_mut(last as usize) {
            Some(last) => std::mem::replace(&mut last.next, id),
            None => id,
        };
        self.uses.push(Spelling { start, node, next });
    }

    fn open_statement(&mut self, is_entry: bool) -> usize {
        self.leads.push(Lead::new(count(self.uses.len()), is_entry));
        self.leads.len() - 1
    }
}

fn count(len: usize) -> u32 {
    u32::try_from(len).expect("a text of 32-bit length has fewer parts than bytes")
}
