//! The grammar of expressions, by recursive descent.

use std::ops::Range;

use super::lex::{LexedToken, Token};
use super::{MAX_DEPTH, SyntaxError};

/// An expression and the bytes it stands on.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::github) struct Expr {
    pub(in crate::github) kind: ExprKind,
    pub(in crate::github) range: Range<usize>,
}

#[derive(Clone, PartialEq, Debug)]
pub(in crate::github) enum ExprKind {
    Null,
    Bool(bool),
    Number,
    Text(String),
    /// A context by its name, as written.
    Context(String),
    /// `of.name`, and where the name stands.
    Property {
        of: Box<Expr>,
        name: String,
        at: Range<usize>,
    },
    /// `of[index]`.
    Index {
        of: Box<Expr>,
        index: Box<Expr>,
    },
    /// `of.*` or `of[*]`.
    Filter(Box<Expr>),
    /// A call, with the place of the name.
    Call {
        name: String,
        at: Range<usize>,
        args: Vec<Expr>,
    },
    Not(Box<Expr>),
    /// A comparison, and whether it is one of order.
    Compare {
        left: Box<Expr>,
        right: Box<Expr>,
        is_ordered: bool,
    },
    /// Two or more, joined by `&&` or by `||`.
    Logic {
        parts: Vec<Expr>,
        is_and: bool,
    },
}

impl Expr {
    /// The names from a context to a property, in lower case; a filter or another index than a text is `*`.
    pub(in crate::github) fn path(&self) -> Option<Vec<String>> {
        let (of, name) = match &self.kind {
            ExprKind::Context(name) => return Some(vec![name.to_ascii_lowercase()]),
            ExprKind::Property { of, name, .. } => (of, name.as_str()),
            ExprKind::Filter(of) => (of, "*"),
            ExprKind::Index { of, index } => match &index.kind {
                ExprKind::Text(name) => (of, name.as_str()),
                _ => (of, "*"),
            },
            _ => return None,
        };
        let mut path = of.path()?;
        path.push(name.to_ascii_lowercase());
        Some(path)
    }

    /// The expressions that it is made of.
    pub(in crate::github) fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Property { of, .. } | ExprKind::Filter(of) | ExprKind::Not(of) => vec![of],
            ExprKind::Index { of, index } => vec![of, index],
            ExprKind::Call { args, .. } => args.iter().collect(),
            ExprKind::Compare { left, right, .. } => vec![left, right],
            ExprKind::Logic { parts, .. } => parts.iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Reads all tokens as one expression that stands in `inside`.
pub(super) fn parse(words: &[LexedToken<'_>], inside: Range<usize>) -> Result<Expr, SyntaxError> {
    let mut parser = Parser { words, at: 0, depth: 0, end: inside.end };
    if words.is_empty() {
        let message = "expected an expression, found nothing".to_owned();
        return Err(SyntaxError { range: inside, message, instead: None });
    }
    let found = parser.or()?;
    match parser.peek() {
        None => Ok(found),
        Some(word) => Err(parser.unexpected(word, "the end of the expression or an operator")),
    }
}

struct Parser<'a> {
    words: &'a [LexedToken<'a>],
    at: usize,
    depth: usize,
    end: usize,
}

type Parsed = Result<Expr, SyntaxError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a LexedToken<'a>> {
        self.words.get(self.at)
    }

    fn next_if(&mut self, token: &Token) -> Option<&'a LexedToken<'a>> {
        let word = self.peek().filter(|it| it.token == *token)?;
        self.at += 1;
        Some(word)
    }

    fn unexpected(&self, word: &LexedToken<'_>, expected: &str) -> SyntaxError {
        let shown = crate::schema::cut(word.text);
        let message = format!("expected {expected}, found `{shown}`");
        SyntaxError { range: word.range.clone(), message, instead: None }
    }

    fn expect(&mut self, token: &Token, shown: &str) -> Result<&'a LexedToken<'a>, SyntaxError> {
        match self.next_if(token) {
            Some(word) => Ok(word),
            None => Err(match self.peek() {
                Some(word) => self.unexpected(word, shown),
                None => self.early_end(shown),
            }),
        }
    }

    fn early_end(&self, expected: &str) -> SyntaxError {
        let start = self.words.last().map_or(self.end, |it| it.range.start);
        let message = format!("expected {expected}, found the end of the expression");
        SyntaxError { range: start..self.end.max(start), message, instead: None }
    }

    fn or(&mut self) -> Parsed {
        let mut parts = vec![self.and()?];
        while self.next_if(&Token::Or).is_some() {
            parts.push(self.and()?);
        }
        Ok(logic(parts, false))
    }

    fn and(&mut self) -> Parsed {
        let mut parts = vec![self.comparison()?];
        while self.next_if(&Token::And).is_some() {
            parts.push(self.comparison()?);
        }
        Ok(logic(parts, true))
    }

    fn comparison(&mut self) -> Parsed {
        let mut left = self.unary()?;
        let mut n_steps = 0;
        while let Some(word) = self.peek() {
            let is_ordered = match word.token {
                Token::Equal | Token::NotEqual => false,
                Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual => true,
                _ => break,
            };
            self.at += 1;
            n_steps += 1;
            if n_steps > MAX_DEPTH {
                self.depth = MAX_DEPTH;
                self.enter(word)?;
            }
            let right = self.unary()?;
            let range = left.range.start..right.range.end;
            let (left_side, right) = (Box::new(left), Box::new(right));
            left = Expr { kind: ExprKind::Compare { left: left_side, right, is_ordered }, range };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        let Some(word) = self.next_if(&Token::Not) else { return self.postfix() };
        self.enter(word)?;
        let of = self.unary()?;
        self.depth -= 1;
        let range = word.range.start..of.range.end;
        Ok(Expr { kind: ExprKind::Not(Box::new(of)), range })
    }

    fn enter(&mut self, word: &LexedToken<'_>) -> Result<(), SyntaxError> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("the expression is nested more than {MAX_DEPTH} levels deep");
        Err(SyntaxError { range: word.range.clone(), message, instead: None })
    }

    fn postfix(&mut self) -> Parsed {
        let mut of = self.primary()?;
        let mut n_steps = 0;
        while let Some(word) = self.peek() {
            match word.token {
                Token::Dot => self.at += 1,
                Token::OpenBracket => {
                    self.at += 1;
                    n_steps += 1;
                    if n_steps > MAX_DEPTH {
                        self.depth = MAX_DEPTH;
                    }
                    of = self.index(of, word)?;
                    continue;
                }
                _ => break,
            }
            let name = match self.peek() {
                Some(it) if matches!(it.token, Token::Name | Token::Star) => it,
                Some(it) => return Err(self.unexpected(it, "the name of a property or `*`")),
                None => return Err(self.early_end("the name of a property or `*`")),
            };
            self.at += 1;
            n_steps += 1;
            if n_steps > MAX_DEPTH {
                self.depth = MAX_DEPTH;
                self.enter(name)?;
            }
            let range = of.range.start..name.range.end;
            let kind = match name.token {
                Token::Star => ExprKind::Filter(Box::new(of)),
                _ => ExprKind::Property {
                    of: Box::new(of),
                    name: name.text.to_owned(),
                    at: name.range.clone(),
                },
            };
            of = Expr { kind, range };
        }
        Ok(of)
    }

    fn index(&mut self, of: Expr, open: &LexedToken<'_>) -> Parsed {
        self.enter(open)?;
        let index = match self.next_if(&Token::Star) {
            Some(_) => None,
            None => Some(self.or()?),
        };
        self.depth -= 1;
        let end = self.expect(&Token::CloseBracket, "`]`")?.range.end;
        let range = of.range.start..end;
        let kind = match index {
            None => ExprKind::Filter(Box::new(of)),
            Some(index) => ExprKind::Index { of: Box::new(of), index: Box::new(index) },
        };
        Ok(Expr { kind, range })
    }

    fn primary(&mut self) -> Parsed {
        let Some(word) = self.peek() else { return Err(self.early_end("a value")) };
        let leaf = |kind| Ok(Expr { kind, range: word.range.clone() });
        self.at += 1;
        match &word.token {
            Token::Text(text) => leaf(ExprKind::Text(text.clone())),
            Token::Number => leaf(ExprKind::Number),
            Token::Open => {
                self.enter(word)?;
                let inner = self.or()?;
                self.depth -= 1;
                let end = self.expect(&Token::Close, "`)`")?.range.end;
                Ok(Expr { range: word.range.start..end, ..inner })
            }
            Token::Name if self.next_if(&Token::Open).is_some() => {
                self.enter(word)?;
                let (args, end) = self.args()?;
                self.depth -= 1;
                let (name, at) = (word.text.to_owned(), word.range.clone());
                let range = word.range.start..end;
                Ok(Expr { kind: ExprKind::Call { name, at, args }, range })
            }
            Token::Name => leaf(match word.text {
                "null" => ExprKind::Null,
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "NaN" | "Infinity" => ExprKind::Number,
                name => ExprKind::Context(name.to_owned()),
            }),
            _ => Err(self.unexpected(word, "a value")),
        }
    }

    /// The arguments of a call, and where it ends.
    fn args(&mut self) -> Result<(Vec<Expr>, usize), SyntaxError> {
        if let Some(close) = self.next_if(&Token::Close) {
            return Ok((Vec::new(), close.range.end));
        }
        let mut args = vec![self.or()?];
        while self.next_if(&Token::Comma).is_some() {
            args.push(self.or()?);
        }
        let close = self.expect(&Token::Close, "`,` or `)`")?;
        Ok((args, close.range.end))
    }
}

/// One part is itself.
fn logic(mut parts: Vec<Expr>, is_and: bool) -> Expr {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let start = parts.first().map_or(0, |it| it.range.start);
    let end = parts.last().map_or(start, |it| it.range.end);
    Expr { kind: ExprKind::Logic { parts, is_and }, range: start..end }
}
