//! Places that rules are about, and the occurrences that stand there: what cross-file rules know of a file.

use std::fmt::Write as _;

use check::Safety;
use document::{GuardedOp, Op, Pointer, Preconditions, Value};
use snapshot::RelPath;

use crate::finding::MemberPart;
use crate::pattern::{Hop, Lookup, Pattern, pointer_text};

/// Values or keys in the files of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Selector {
    /// The position of the kind in the pack.
    pub(crate) kind: usize,
    pub(crate) kind_name: String,
    pub(crate) pattern: Pattern,
    /// Whether the keys of the objects there are meant, not the values.
    pub(crate) keys: bool,
}

/// One value at a place. Has no position in the text, so that an edit elsewhere in the file does not change it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Occurrence {
    /// Which document of the file.
    pub(crate) document: usize,
    /// The pointer, as text.
    pub(crate) at: Box<str>,
    /// Whether the key at the pointer is meant, not the value.
    pub(crate) is_key: bool,
    /// Equal exactly for equal values.
    pub(crate) key: Box<str>,
    pub(crate) value: Value,
    /// What a template says the value should be.
    pub(crate) wanted: Option<Box<str>>,
}

/// An occurrence and the file it is from.
pub(crate) type FileOccurrence<'a> = (&'a RelPath, &'a Occurrence);

impl Selector {
    /// What stands at the place, in document order.
    pub(crate) fn occurrences(&self, document: &Value) -> Vec<Occurrence> {
        let mut occurrences = Vec::new();
        self.pattern.visit(document, &mut |way, value| {
            let at = pointer_text(way);
            match value {
                _ if !self.keys => occurrences.push(Occurrence::at(at, value.clone())),
                Value::Object(members) => occurrences.extend(members.iter().map(|(key, _)| {
                    let at = format!("{at}{}", pointer_text(&[Hop::Key(key)]));
                    Occurrence { is_key: true, ..Occurrence::at(at, Value::String(key.clone())) }
                })),
                _ => {}
            }
        });
        occurrences
    }

    /// Whether an occurrence of a file of the kind could be from here.
    pub(crate) fn covers(&self, kind: usize, at: &Pointer, is_key: bool) -> bool {
        if self.kind != kind || self.keys != is_key {
            return false;
        }
        match at.split_last() {
            Some((object, _)) if is_key => self.pattern.covers(&object),
            _ => self.pattern.covers(at),
        }
    }

    /// Whether some value could stand at both places.
    pub(crate) fn meets(&self, other: &Selector) -> bool {
        self.kind == other.kind && self.keys == other.keys && self.pattern.meets(&other.pattern)
    }

    /// The place in words.
    pub(crate) fn words(&self) -> String {
        let what = if self.keys { "the keys of " } else { "" };
        format!("{what}`{}` in `{}` files", self.pattern, self.kind_name)
    }
}

/// Several places in words.
pub(crate) fn words(places: &[Selector]) -> String {
    places.iter().map(Selector::words).collect::<Vec<_>>().join(" or ")
}

/// The occurrences of some places of one file, in document order, each place once.
pub(crate) fn occurrences_of<'a>(
    places: impl Iterator<Item = &'a Selector>,
    document: &Value,
) -> Vec<Occurrence> {
    let mut n_places = 0;
    let mut occurrences: Vec<Occurrence> =
        places.inspect(|_| n_places += 1).flat_map(|it| it.occurrences(document)).collect();
    if n_places > 1 {
        let mut lookup = Lookup::default();
        occurrences.sort_by_cached_key(|it| (lookup.positions(document, &it.pointer()), it.is_key));
        occurrences.dedup_by(|left, right| left.at == right.at && left.is_key == right.is_key);
    }
    occurrences
}

impl Occurrence {
    pub(crate) fn new(at: &Pointer, value: &Value) -> Occurrence {
        Occurrence::at(at.to_string(), value.clone())
    }

    fn at(at: String, value: Value) -> Occurrence {
        let key = key_of(&value).into_boxed_str();
        Occurrence { document: 0, at: at.into(), is_key: false, key, value, wanted: None }
    }

    pub(crate) fn pointer(&self) -> Pointer {
        self.at.parse().expect("was written from a pointer")
    }

    pub(crate) fn anchor(&self) -> MemberPart {
        if self.is_key { MemberPart::Key } else { MemberPart::Value }
    }

    pub(crate) fn is_name(&self) -> bool {
        matches!(self.value, Value::String(_) | Value::Number(_) | Value::Datetime(_))
    }

    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self.value, Value::Null | Value::Array(_) | Value::Object(_))
    }

    /// The operation that puts another value here; `None` if a key would have to become something that is not a key.
    pub(crate) fn set(&self, value: &Value) -> Option<GuardedOp> {
        let at = self.pointer();
        if !self.is_key {
            return Some(self.step(replace(at, &self.value, value.clone())));
        }
        let (object, from) = at.split_last()?;
        let from = from.to_owned();
        let to = value.as_str()?.to_owned();
        Some(self.step(Op::RenameKey { at: object, from, to }.into()))
    }

    /// The step, in the document of this occurrence.
    pub(crate) fn step(&self, step: GuardedOp) -> GuardedOp {
        GuardedOp { document: self.document, ..step }
    }
}

/// Replaces a value that must still be what the rule saw.
pub(crate) fn replace(at: Pointer, old: &Value, new: Value) -> GuardedOp {
    let expects = Preconditions { equals: Some(old.clone()), ..Preconditions::default() };
    GuardedOp { expects, ..GuardedOp::from(Op::ReplaceValue { at, value: new }) }
}

/// The stricter of what a rule's kind says of a repair and what the pack says of the rule.
pub(crate) fn stricter(own: Safety, floor: Option<Safety>) -> Safety {
    floor.map_or(own, |floor| own.max(floor))
}

/// A value in a message: short, on one line.
pub(crate) fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) | Value::Datetime(text) => format!("`{text}`"),
        other => format!("`{}`", other.to_json()),
    };
    let text: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…`", &text[..end]),
        None => text,
    }
}

/// A text that is equal exactly for values that [`Value::equals`] calls equal.
pub(crate) fn key_of(value: &Value) -> String {
    let mut key = String::new();
    write_key(value, &mut key);
    key
}

fn write_key(value: &Value, key: &mut String) {
    match value {
        Value::Null => key.push('0'),
        Value::Bool(it) => key.push(if *it { 't' } else { 'f' }),
        Value::Number(number) => key.push_str(&number_key(number.text())),
        Value::String(text) | Value::Datetime(text) => {
            let _ = write!(key, "s{}:{text}", text.len());
        }
        Value::Array(items) => {
            key.push('[');
            items.iter().for_each(|it| write_key(it, key));
            key.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|left, right| left.0.cmp(&right.0));
            key.push('{');
            for (name, value) in members {
                let _ = write!(key, "{}:{name}", name.len());
                write_key(value, key);
            }
            key.push('}');
        }
    }
}

/// Sign, significant digits and exponent: `1`, `1.0` and `10e-1` are one number.
fn number_key(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let is_decimal = digits.bytes().all(|it| it.is_ascii_digit());
    let (true, Ok(exponent)) = (is_decimal, exponent.parse::<i64>()) else {
        return format!("n{text};");
    };
    let trimmed = digits.trim_end_matches('0');
    let significant = trimmed.trim_start_matches('0');
    if significant.is_empty() {
        return "n0;".to_owned();
    }
    let scale = (digits.len() - trimmed.len()) as i64 - fraction.len() as i64;
    format!("n{sign}{significant}e{};", exponent.saturating_add(scale))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::yaml;

    #[test]
    fn equal_values_have_equal_keys_and_others_do_not() {
        let values = [
            "1",
            "1.0",
            "10e-1",
            "100",
            "1e2",
            "-1",
            "0",
            "-0",
            "0.0",
            "1.5",
            "'1'",
            "true",
            "null",
            "[1, 2]",
            "[12]",
            "{a: 1, b: 2}",
            "{b: 2.0, a: 1}",
            "{a: {b: 1}}",
            ".inf",
            "-.inf",
            "x",
            "2020-01-01",
        ];
        let values: Vec<Value> = values.iter().map(|it| yaml(it)).collect();
        for left in &values {
            for right in &values {
                assert_eq!(left.equals(right), key_of(left) == key_of(right), "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn facts_of_several_places_are_in_document_order_and_once() {
        let place = |pattern: &str, keys| Selector {
            kind: 0,
            kind_name: "k".into(),
            pattern: Pattern::parse(pattern).unwrap(),
            keys,
        };
        let document = yaml("b: 1\na: {x: 2}\nc: 3\n");
        let places = [place("/c", false), place("/*", false), place("/a", true)];
        let found = occurrences_of(places.iter(), &document);
        let found: Vec<&str> = found.iter().map(|it| &*it.at).collect();
        assert_eq!(found, ["/b", "/a", "/a/x", "/c"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            rng_seed: proptest::test_runner::RngSeed::Fixed(1),
            ..ProptestConfig::default()
        })]
        #[test]
        fn number_keys_agree_with_equality(
            left in "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?(e-?[0-9])?",
            right in "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,3})?(e-?[0-9])?",
        ) {
            let number = |text: &str| Value::Number(document::Number::parse(text).unwrap());
            let (left, right) = (number(&left), number(&right));
            prop_assert_eq!(left.equals(&right), key_of(&left) == key_of(&right));
        }
    }
}
