//! Pointer patterns: which places of a document a rule is about.
//!
//! A pattern is an RFC 6901 pointer in which a segment `*` means every key or every item. A key that really is a star
//! is written `~2`.

use std::collections::HashMap;
use std::fmt;

use document::{Pointer, Value};

/// More segments than any document has levels that a person can follow.
const MAX_SEGMENTS: usize = 64;

/// A pointer in which segments may mean every member.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pattern {
    segments: Vec<Segment>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Segment {
    Key(String),
    Any,
}

/// Why a text is not a pattern.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum PatternError {
    #[error("expected a pointer pattern that is empty or starts with `/`")]
    NoLeadingSlash,
    #[error("`~` is followed by `0`, `1` or `2` in a pointer pattern")]
    BadEscape,
    #[error("a pointer pattern has at most {MAX_SEGMENTS} segments")]
    TooLong,
}

/// A value that a pattern leads to.
#[derive(Clone, Debug)]
pub(crate) struct Match<'a> {
    pub(crate) at: Pointer,
    pub(crate) value: &'a Value,
    /// What the stars stand for, in order.
    pub(crate) stars: Vec<String>,
}

impl Pattern {
    pub(crate) fn parse(text: &str) -> Result<Pattern, PatternError> {
        if text.is_empty() {
            return Ok(Pattern::default());
        }
        let rest = text.strip_prefix('/').ok_or(PatternError::NoLeadingSlash)?;
        let segments: Vec<Segment> =
            rest.split('/').map(parse_segment).collect::<Result<_, _>>()?;
        if segments.len() > MAX_SEGMENTS {
            return Err(PatternError::TooLong);
        }
        Ok(Pattern { segments })
    }

    /// Every value that the pattern leads to, in document order.
    pub(crate) fn select<'a>(&self, value: &'a Value) -> Vec<Match<'a>> {
        let mut found = Vec::new();
        self.visit(value, &mut |hops, value| {
            let at = Pointer::from_segments(hops.iter().map(Hop::text).collect::<Vec<_>>());
            let is_star = |(segment, _): &(&Segment, &Hop<'_>)| **segment == Segment::Any;
            let stars = self.segments.iter().zip(hops).filter(is_star);
            found.push(Match { at, value, stars: stars.map(|it| it.1.text()).collect() });
        });
        found
    }

    /// Calls `found` with every value that the pattern leads to and the way there, in document order. Nothing is
    /// allocated for a value.
    pub(crate) fn visit<'h, 'v: 'h>(
        &'h self,
        value: &'v Value,
        found: &mut dyn FnMut(&[Hop<'h>], &'v Value),
    ) {
        visit(&self.segments, value, &mut Vec::with_capacity(self.segments.len()), found);
    }

    /// The pattern of the containers, and the key in them; `None` for the root and where the last segment is a star.
    pub(crate) fn split_last(&self) -> Option<(Pattern, &str)> {
        match self.segments.split_last()? {
            (Segment::Key(key), parents) => Some((Pattern { segments: parents.to_vec() }, key)),
            (Segment::Any, _) => None,
        }
    }

    /// The pointer that is left when every star stands for the given key; `None` if there are fewer of those.
    pub(crate) fn with_stars(&self, stars: &[String]) -> Option<Pointer> {
        let mut stars = stars.iter();
        let segments: Option<Vec<String>> = self
            .segments
            .iter()
            .map(|it| match it {
                Segment::Key(key) => Some(key.clone()),
                Segment::Any => stars.next().cloned(),
            })
            .collect();
        segments.map(Pointer::from_segments)
    }

    /// How many segments are stars.
    pub(crate) fn n_stars(&self) -> usize {
        self.segments.iter().filter(|it| **it == Segment::Any).count()
    }

    /// Whether the pattern could lead to this place.
    pub(crate) fn covers(&self, at: &Pointer) -> bool {
        self.segments.len() == at.segments().len()
            && self.segments.iter().zip(at.segments()).all(|(segment, key)| match segment {
                Segment::Key(it) => it == key,
                Segment::Any => true,
            })
    }

    /// Whether some place could be meant by both.
    pub(crate) fn meets(&self, other: &Pattern) -> bool {
        self.segments.len() == other.segments.len()
            && self.segments.iter().zip(&other.segments).all(|pair| match pair {
                (Segment::Key(left), Segment::Key(right)) => left == right,
                _ => true,
            })
    }
}

/// One segment of the way to a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Hop<'a> {
    Key(&'a str),
    Item(usize),
}

impl Hop<'_> {
    fn text(&self) -> String {
        match self {
            Hop::Key(key) => (*key).to_owned(),
            Hop::Item(idx) => idx.to_string(),
        }
    }
}

/// The pointer of a way, as text.
pub(crate) fn pointer_text(hops: &[Hop<'_>]) -> String {
    let mut text = String::with_capacity(hops.len() * 8);
    for hop in hops {
        text.push('/');
        match hop {
            Hop::Item(idx) => text.push_str(&idx.to_string()),
            Hop::Key(key) if !key.contains(['~', '/']) => text.push_str(key),
            Hop::Key(key) => text.push_str(&key.replace('~', "~0").replace('/', "~1")),
        }
    }
    text
}

/// No pattern has more than [`MAX_SEGMENTS`] segments, so this ends soon.
fn visit<'h, 'v: 'h>(
    segments: &'h [Segment],
    value: &'v Value,
    way: &mut Vec<Hop<'h>>,
    found: &mut dyn FnMut(&[Hop<'h>], &'v Value),
) {
    let Some((segment, rest)) = segments.split_first() else { return found(way, value) };
    let mut enter = |hop: Hop<'h>, value: &'v Value| {
        way.push(hop);
        visit(rest, value, way, found);
        way.pop();
    };
    match (segment, value) {
        (Segment::Key(key), value) => {
            if let Some(value) = step(value, key) {
                enter(Hop::Key(key), value);
            }
        }
        (Segment::Any, Value::Object(members)) => {
            members.iter().for_each(|(key, it)| enter(Hop::Key(key), it));
        }
        (Segment::Any, Value::Array(items)) => {
            items.iter().enumerate().for_each(|(idx, it)| enter(Hop::Item(idx), it));
        }
        (Segment::Any, _) => {}
    }
}

/// Finds members of large objects quickly, for whoever asks about one document very often.
#[derive(Default)]
pub(crate) struct Lookup<'a> {
    by_object: HashMap<*const Value, HashMap<&'a str, usize>>,
}

/// Smaller objects are searched as fast as they are indexed.
const MIN_INDEXED: usize = 32;

impl<'a> Lookup<'a> {
    /// The value at a pointer.
    pub(crate) fn resolve(&mut self, value: &'a Value, at: &Pointer) -> Option<&'a Value> {
        at.segments().iter().try_fold(value, |value, segment| Some(self.member(value, segment)?.1))
    }

    /// Where a pointer leads, as the positions among the members on the way, as far as it leads.
    pub(crate) fn positions(&mut self, mut value: &'a Value, at: &Pointer) -> Vec<usize> {
        let mut positions = Vec::with_capacity(at.segments().len());
        for segment in at.segments() {
            let Some((position, member)) = self.member(value, segment) else { break };
            positions.push(position);
            value = member;
        }
        positions
    }

    fn member(&mut self, value: &'a Value, segment: &str) -> Option<(usize, &'a Value)> {
        let Value::Object(members) = value else {
            let Value::Array(_) = value else { return None };
            return Some((segment.parse().ok()?, step(value, segment)?));
        };
        let position = if members.len() < MIN_INDEXED {
            members.iter().position(|it| it.0 == segment)?
        } else {
            let index = self.by_object.entry(value).or_insert_with(|| {
                // Of a repeated key the first one counts, as everywhere.
                members.iter().enumerate().rev().map(|(idx, it)| (it.0.as_str(), idx)).collect()
            });
            *index.get(segment)?
        };
        Some((position, &members[position].1))
    }
}

/// The value at a pointer.
pub(crate) fn resolve<'a>(value: &'a Value, at: &Pointer) -> Option<&'a Value> {
    at.segments().iter().try_fold(value, |value, segment| step(value, segment))
}

fn step<'a>(value: &'a Value, segment: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => {
            let is_plain = segment == "0" || !segment.starts_with(['0', '+']);
            items.get(segment.parse::<usize>().ok().filter(|_| is_plain)?)
        }
        object => object.get(segment),
    }
}

fn parse_segment(text: &str) -> Result<Segment, PatternError> {
    if text == "*" {
        return Ok(Segment::Any);
    }
    let mut key = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '~' => key.push(match characters.next() {
                Some('0') => '~',
                Some('1') => '/',
                Some('2') => '*',
                _ => return Err(PatternError::BadEscape),
            }),
            other => key.push(other),
        }
    }
    Ok(Segment::Key(key))
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.segments.iter().try_for_each(|it| match it {
            Segment::Any => f.write_str("/*"),
            Segment::Key(key) if key == "*" => f.write_str("/~2"),
            Segment::Key(key) => write!(f, "/{}", key.replace('~', "~0").replace('/', "~1")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::yaml;

    #[track_caller]
    fn check(pattern: &str, document: &str, expected: &[&str]) {
        let document = yaml(document);
        let found = Pattern::parse(pattern).unwrap().select(&document);
        let found: Vec<String> = found.iter().map(|it| it.at.to_string()).collect();
        assert_eq!(found, expected);
        let mut texts = Vec::new();
        let pattern_again = Pattern::parse(pattern).unwrap();
        pattern_again.visit(&document, &mut |hops, _| texts.push(pointer_text(hops)));
        assert_eq!(texts, expected);
        for it in &found {
            let at: Pointer = it.parse().unwrap();
            assert!(Pattern::parse(pattern).unwrap().covers(&at));
            assert!(resolve(&document, &at).is_some());
            assert_eq!(Lookup::default().resolve(&document, &at), resolve(&document, &at));
        }
    }

    #[test]
    fn a_star_means_every_member_and_an_escaped_one_a_key() {
        let document = "a: [{x: 1}, {y: 2}, {x: 3}]\n'*': {b: 4}\n'm/n': 5\n";
        check("", document, &[""]);
        check("/a", document, &["/a"]);
        check("/a/*", document, &["/a/0", "/a/1", "/a/2"]);
        check("/a/*/x", document, &["/a/0/x", "/a/2/x"]);
        check("/a/01", document, &[]);
        check("/a/+1", document, &[]);
        check("/*/b", document, &["/*/b"]);
        check("/~2/b", document, &["/*/b"]);
        check("/m~1n", document, &["/m~1n"]);
        check("/a/x", document, &[]);
        check("/a/*/x/*", document, &[]);
    }

    #[test]
    fn stars_are_bound_in_order() {
        let document = yaml("a: {p: [{n: 1}], q: [{n: 2}]}\n");
        let found = Pattern::parse("/a/*/*/n").unwrap().select(&document);
        let bound = Pattern::parse("/a/*/*/m").unwrap().with_stars(&found[1].stars).unwrap();
        assert_eq!(bound.to_string(), "/a/q/0/m");
        assert_eq!(Pattern::parse("/*/*/*").unwrap().with_stars(&found[1].stars), None);
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert_eq!(Pattern::parse("a"), Err(PatternError::NoLeadingSlash));
        assert_eq!(Pattern::parse("/a~3"), Err(PatternError::BadEscape));
        assert_eq!(Pattern::parse("/a~"), Err(PatternError::BadEscape));
        assert_eq!(Pattern::parse(&"/*".repeat(65)), Err(PatternError::TooLong));
        for text in ["", "/a/*", "/~2/b~1c", "/"] {
            assert_eq!(Pattern::parse(text).unwrap().to_string(), text);
        }
    }
}
