//! Between the exact values of documents and the JSON values that the validator works on.
//!
//! The validator compares numbers as 64-bit integers where they fit and as doubles otherwise. So an integer beyond 64
//! bits or a decimal of more than 15 digits is checked by its nearest double: a bound, a constant or another item that
//! differs from it only beyond that is not told apart. A number with a fraction stays one, so that it is not an integer, if
//! need be at the price of its size: no double beyond 52 bits has one. No digit of such a value ever reaches a repair this way: repairs take their
//! values from the document or from the schema's own text. A number that JSON cannot write (`.inf`, `.nan`) is no
//! number to a schema; it is given as a string.

use document::{GuardedOp, Number, Op, Pointer, Value};
use serde_json::{Map, Value as Json};

/// The value as the validator sees it. Of a repeated key the last one counts.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(it) => Json::Bool(*it),
        Value::Number(number) => number_to_json(number),
        Value::String(text) | Value::Datetime(text) => Json::String(text.clone()),
        Value::Array(items) => Json::Array(items.iter().map(to_json).collect()),
        Value::Object(members) => {
            Json::Object(members.iter().map(|(key, it)| (key.clone(), to_json(it))).collect())
        }
    }
}

pub(super) fn number_to_json(number: &Number) -> Json {
    let text = number.text();
    if number.is_integer_literal() {
        if let Ok(it) = text.parse::<i64>() {
            return it.into();
        }
        if let Ok(it) = text.parse::<u64>() {
            return it.into();
        }
    }
    let nearest = text.parse::<f64>().ok().map(|it| it.clamp(f64::MIN, f64::MAX));
    let nearest = match nearest {
        Some(it) if it.fract() == 0.0 && number.is_finite() && !number.is_integral() => {
            Some(with_fraction(it, text))
        }
        other => other,
    };
    match nearest.filter(|_| number.is_finite()).and_then(serde_json::Number::from_f64) {
        Some(it) => Json::Number(it),
        None => Json::String(text.to_owned()),
    }
}

/// The double next to a whole one that has a fraction too, on the side where the number is.
fn with_fraction(whole: f64, text: &str) -> f64 {
    // The largest double with a fraction.
    const MAX: f64 = (1_u64 << 52) as f64 - 0.5;
    if whole.abs() > MAX {
        return MAX.copysign(whole);
    }
    let digits = text.split(['.', 'e', 'E']).next().and_then(|it| it.parse::<f64>().ok());
    // Its digits before the point are nearer to zero than it is, unless an exponent moves the point.
    let is_rounded_up = !text.contains(['e', 'E']) && digits.is_some_and(|it| it != whole);
    let is_negative = text.starts_with('-');
    if is_rounded_up == is_negative { whole.next_up() } else { whole.next_down() }
}

/// A value out of a schema.
pub(crate) fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(it) => Value::Bool(*it),
        Json::Number(number) => match Number::parse(&number.to_string()) {
            Some(number) => Value::Number(number),
            None => Value::String(number.to_string()),
        },
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => Value::Array(items.iter().map(from_json).collect()),
        Json::Object(members) => {
            Value::Object(members.iter().map(|(key, it)| (key.clone(), from_json(it))).collect())
        }
    }
}

/// What an operation that schema repairs are made of does to a value; `false` if it does not fit, and then nothing is
/// done.
pub(crate) fn apply(json: &mut Json, step: &GuardedOp) -> bool {
    apply_step(json, &step.op).is_some()
}

fn apply_step(json: &mut Json, op: &Op) -> Option<()> {
    match op {
        Op::ReplaceValue { at, value } => *find(json, at)? = to_json(value),
        Op::AddKey { at, key, value } => {
            let members = find(json, at)?.as_object_mut()?;
            if members.contains_key(key) {
                return None;
            }
            members.insert(key.clone(), to_json(value));
        }
        Op::RemoveKey { at, key } => {
            find(json, at)?.as_object_mut()?.shift_remove(key)?;
        }
        Op::RenameKey { at, from, to } => {
            let members = find(json, at)?.as_object_mut()?;
            if members.contains_key(to) || !members.contains_key(from) {
                return None;
            }
            let renamed: Map<String, Json> = std::mem::take(members)
                .into_iter()
                .map(|(key, it)| (if key == *from { to.clone() } else { key }, it))
                .collect();
            *members = renamed;
        }
        Op::DeleteItem { at, index } => {
            let items = find(json, at)?.as_array_mut()?;
            if *index >= items.len() {
                return None;
            }
            items.remove(*index);
        }
        _ => return None,
    }
    Some(())
}

fn find<'a>(json: &'a mut Json, at: &Pointer) -> Option<&'a mut Json> {
    at.segments().iter().try_fold(json, |json, segment| match json {
        Json::Object(members) => members.get_mut(segment),
        Json::Array(items) => items.get_mut(segment.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Where something stands after a step that stood at `at` before it; `None` if the step took it away.
pub(crate) fn moved(at: &Pointer, op: &Op) -> Option<Pointer> {
    let (container, old, new) = match op {
        Op::RenameKey { at, from, to } => (at, from, Some(to.clone())),
        Op::RemoveKey { at, key } => (at, key, None),
        Op::DeleteItem { at: array, index } => {
            let segment = array.is_prefix_of(at).then(|| at.segments().get(array.segments().len()));
            let Some(old) = segment.flatten().and_then(|it| it.parse::<usize>().ok()) else {
                return Some(at.clone());
            };
            return match old.cmp(index) {
                std::cmp::Ordering::Less => Some(at.clone()),
                std::cmp::Ordering::Equal => None,
                std::cmp::Ordering::Greater => {
                    Some(with_segment(at, array.segments().len(), (old - 1).to_string()))
                }
            };
        }
        _ => return Some(at.clone()),
    };
    let depth = container.segments().len();
    if !container.is_prefix_of(at) || at.segments().get(depth) != Some(old) {
        return Some(at.clone());
    }
    new.map(|new| with_segment(at, depth, new))
}

fn with_segment(at: &Pointer, depth: usize, new: String) -> Pointer {
    let mut segments = at.segments().to_vec();
    segments[depth] = new;
    Pointer::from_segments(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fits is exact, what does not is near.
    #[test]
    fn numbers_keep_what_the_validator_can_hold() {
        let json = |text: &str| to_json(&Value::Number(Number::parse(text).unwrap())).to_string();
        assert_eq!(json("9007199254740993"), "9007199254740993");
        assert_eq!(json("18446744073709551615"), "18446744073709551615");
        assert_eq!(json("-9223372036854775808"), "-9223372036854775808");
        assert_eq!(json("100000000000000000000000"), "1e+23");
        assert_eq!(json("1e999"), f64::MAX.to_string().parse::<Json>().unwrap().to_string());
        assert_eq!(json("0.1"), "0.1");
        assert_eq!(json("1.00000000000000000001"), "1.0000000000000002");
        assert_eq!(json("-1.00000000000000000001"), "-1.0000000000000002");
        assert_eq!(json("0.99999999999999999999"), "0.9999999999999999");
        assert_eq!(json("-0.99999999999999999999"), "-0.9999999999999999");
        assert_eq!(json("1e-400"), "5e-324");
        assert_eq!(json("9007199254740993.5"), "4503599627370495.5");
        assert_eq!(json(&format!("-{}.5", "9".repeat(100_000))), "-4503599627370495.5");
        assert_eq!(to_json(&Value::Number(Number::nan())), Json::from(".nan"));
        assert_eq!(to_json(&Value::Number(Number::infinity(true))), Json::from("-.inf"));
    }

    #[test]
    fn pointers_follow_renames_and_deletions() {
        let pointer = |text: &str| text.parse::<Pointer>().unwrap();
        let rename = Op::RenameKey { at: pointer("/a"), from: "b".into(), to: "c".into() };
        let delete = Op::DeleteItem { at: pointer("/a"), index: 1 };
        for (op, before, after) in [
            (&rename, "/a/b/x", Some("/a/c/x")),
            (&rename, "/a/bb", Some("/a/bb")),
            (&rename, "/b", Some("/b")),
            (&delete, "/a/2/x", Some("/a/1/x")),
            (&delete, "/a/0", Some("/a/0")),
            (&delete, "/a/1", None),
            (&delete, "/a", Some("/a")),
        ] {
            assert_eq!(moved(&pointer(before), op), after.map(pointer), "{before}");
        }
    }
}
