//! Values as an SMT solver prints them.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use crate::model::Value;
use crate::term::{Node, Sort, Term, Terms};

/// The first number for values that are not constants; constants are numbered from below.
const FIRST_OTHER: u32 = 1 << 30;
/// The deepest nesting that is read.
const MAX_DEPTH: usize = 1_000;

/// What stands between two parentheses, or alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ReplyPart<'a> {
    /// A name or a number.
    Word(&'a str),
    /// What is in parentheses.
    List(Vec<ReplyPart<'a>>),
}

/// The values of a reply to `get-value`, in the order in which they were asked for: `((name value) …)`.
pub(super) fn values(reply: &str) -> Option<Vec<ReplyPart<'_>>> {
    let ReplyPart::List(pairs) = parse(reply)? else { return None };
    let value = |pair| match pair {
        ReplyPart::List(mut pair) if pair.len() == 2 => pair.pop(),
        _ => None,
    };
    pairs.into_iter().map(value).collect()
}

/// The values of terms. A value of the sort [`Sort::Other`] is a name that says nothing but what it is equal to.
pub(super) fn read(
    terms: &Terms,
    asked: &[Term],
    values: &[ReplyPart<'_>],
) -> Option<Vec<(Term, Value)>> {
    if asked.len() != values.len() {
        return None;
    }
    let mut others: BTreeMap<&str, u32> = BTreeMap::new();
    for (term, value) in asked.iter().zip(values) {
        if let (Node::Constant(number), ReplyPart::Word(name)) = (terms.node(*term), value) {
            others.insert(*name, *number);
        }
    }
    let mut read = Vec::with_capacity(asked.len());
    for (term, value) in asked.iter().zip(values) {
        let value = match (terms.sort(*term), value) {
            (Sort::Int, value) => Value::Int(int(value)?),
            (Sort::Bool, ReplyPart::Word("true")) => Value::Bool(true),
            (Sort::Bool, ReplyPart::Word("false")) => Value::Bool(false),
            (Sort::Other, ReplyPart::Word(name)) => {
                let next = FIRST_OTHER.checked_add(u32::try_from(others.len()).ok()?)?;
                Value::Other(*others.entry(*name).or_insert(next))
            }
            _ => return None,
        };
        if !matches!(terms.node(*term), Node::Constant(_)) {
            read.push((*term, value));
        }
    }
    Some(read)
}

fn int(value: &ReplyPart<'_>) -> Option<BigInt> {
    match value {
        ReplyPart::Word(digits) => digits.parse().ok(),
        ReplyPart::List(parts) => match parts.as_slice() {
            [ReplyPart::Word("-"), ReplyPart::Word(digits)] => {
                digits.parse::<BigInt>().ok().map(|it| -it)
            }
            _ => None,
        },
    }
}

/// The first thing in a text.
fn parse(text: &str) -> Option<ReplyPart<'_>> {
    let mut open: Vec<Vec<ReplyPart<'_>>> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let done = match first {
            '(' => {
                if open.len() == MAX_DEPTH {
                    return None;
                }
                open.push(Vec::new());
                rest = &rest[1..];
                None
            }
            ')' => {
                rest = &rest[1..];
                Some(ReplyPart::List(open.pop()?))
            }
            _ => {
                let is_end = |it: char| it.is_whitespace() || it == '(' || it == ')';
                let (word, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
                rest = after;
                Some(ReplyPart::Word(word))
            }
        };
        match (done, open.last_mut()) {
            (Some(part), Some(list)) => list.push(part),
            (Some(part), None) => return Some(part),
            (None, _) => {}
        }
        rest = rest.trim_start();
    }
    None
}
