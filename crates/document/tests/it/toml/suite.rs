//! The public suite: every valid document reads as it should, every invalid one is refused, and the laws hold on
//! the valid ones.

use document::{Format, Number, Value};
use fixture::toml_suite;

use super::corpus::check_tally;
use super::{judge, read};
use crate::it::laws::{self, Tally};

/// Whether a value is what the suite's tagged JSON says.
fn means(tagged: &serde_json::Value, value: &Value) -> bool {
    match tagged {
        serde_json::Value::Array(items) => {
            let Value::Array(found) = value else { return false };
            items.len() == found.len()
                && items.iter().zip(found).all(|(it, value)| means(it, value))
        }
        serde_json::Value::Object(members) => {
            if let (Some(kind), Some(text)) = (members.get("type"), members.get("value"))
                && let (Some(kind), Some(text)) = (kind.as_str(), text.as_str())
                && members.len() == 2
            {
                return means_scalar(kind, text, value);
            }
            let Value::Object(found) = value else { return false };
            members.len() == found.len()
                && found
                    .iter()
                    .all(|(key, value)| members.get(key).is_some_and(|it| means(it, value)))
        }
        _ => false,
    }
}

fn means_scalar(kind: &str, text: &str, value: &Value) -> bool {
    match (kind, value) {
        ("string", Value::String(found)) => found == text,
        ("bool", Value::Bool(found)) => found.to_string() == text,
        ("integer", Value::Number(found)) => {
            found.is_same(&Number::from_integer(text.parse().unwrap()))
        }
        ("float", Value::Number(found)) if !found.is_finite() => {
            found.text().replace('.', "") == text.trim_start_matches('+')
        }
        ("float", Value::Number(found)) => {
            found.text().parse::<f64>().unwrap() == text.parse::<f64>().unwrap()
        }
        (_, Value::Datetime(found)) => same_date(found, text),
        _ => false,
    }
}

/// The suite writes dates in one way; a document may leave out seconds or write more digits.
fn same_date(found: &str, text: &str) -> bool {
    let mut found = found.to_uppercase().replace(' ', "T");
    if let Some(at) = found.find(':')
        && found.as_bytes().get(at + 3) != Some(&b':')
    {
        found.insert_str(at + 3, ":00");
    }
    let plain = |text: &str| text.replace("+00:00", "Z").replace("-00:00", "Z");
    let trim = |text: &str| match text.split_once('.') {
        Some((head, tail)) => {
            let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
            let fraction = &tail[..digits.min(3)].trim_end_matches('0');
            let dot = if fraction.is_empty() { "" } else { "." };
            format!("{head}{dot}{fraction}{}", &tail[digits..])
        }
        None => text.to_string(),
    };
    trim(&plain(&found)) == trim(&plain(text))
}

#[test]
fn the_suite_is_read_as_it_says() {
    for version in ["1.0.0", "1.1.0"] {
        let Some(cases) = toml_suite::cases(version) else { return };
        assert!(cases.len() > 400);
        let mut wrong = Vec::new();
        for case in cases {
            match (&case.meaning, read(case.text)) {
                (Some(meaning), Ok(value)) => {
                    let tagged = serde_json::from_str(meaning).unwrap();
                    if !means(&tagged, &value) {
                        wrong.push(format!("{}: reads as {}", case.name, value.to_json()));
                    }
                }
                (Some(_), Err(error)) => wrong.push(format!("{}: {error}", case.name)),
                // What 1.0 refuses and 1.1 allows is not a mistake.
                (None, Ok(_)) if version == "1.1.0" => {
                    wrong.push(format!("{}: accepted", case.name))
                }
                (None, _) => {}
            }
        }
        assert!(wrong.is_empty(), "{version}:\n{}", wrong.join("\n"));
    }
}

#[test]
fn every_operation_on_the_suite_obeys_the_laws() {
    let Some(cases) = toml_suite::cases("1.1.0") else { return };
    let mut tally = Tally::default();
    for case in cases.iter().filter(|case| case.meaning.is_some()) {
        let Ok(text) = std::str::from_utf8(&case.text) else { continue };
        laws::check_every_op(&case.name, Format::Toml, text, &judge, &mut tally);
    }
    assert!(tally.done > 10_000, "{tally:#?}");
    check_tally(&tally, 5);
}
