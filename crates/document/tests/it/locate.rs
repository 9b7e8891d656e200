//! Many places found in one walk: each as it is found alone.

use document::{Format, Limits, Pointer, Value, parse};
use edit::Text;

#[track_caller]
fn check(format: Format, text: &str, pointers: &[Pointer]) {
    let Ok(document) = parse(&Text::new(text), format, &Limits::DEFAULT) else { return };
    let alone: Vec<_> = pointers.iter().map(|it| document.locate(it)).collect();
    assert_eq!(document.locate_many(pointers), alone, "{text}");
}

/// Every place of a value, and places beside it that are not there.
fn pointers(value: &Value) -> Vec<Pointer> {
    let mut found = Vec::new();
    let mut pending = vec![(Pointer::root(), value)];
    while let Some((at, value)) = pending.pop() {
        match value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                pending.extend(items.map(|(index, it)| (at.join(index.to_string()), it)));
            }
            Value::Object(members) => {
                pending.extend(members.iter().map(|(key, it)| (at.join(key.clone()), it)));
            }
            _ => {}
        }
        found.extend(["-", "00", "99", "", "none"].map(|segment| at.join(segment)));
        found.push(at);
    }
    found
}

#[test]
fn places_of_the_corpora_are_found_together_as_alone() {
    let mut count = 0;
    for (folder, format) in [("json", Format::Json), ("yaml", Format::Yaml), ("toml", Format::Toml)]
    {
        for (_, text) in fixture::corpus::shipped(folder) {
            let Ok(document) = parse(&Text::new(text.as_str()), format, &Limits::DEFAULT) else {
                continue;
            };
            let pointers = pointers(&document.value());
            count += pointers.len();
            check(format, &text, &pointers);
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn aliases_repeated_keys_and_lone_slashes_are_read_as_alone() {
    let read = |texts: &[&str]| texts.iter().map(|it| it.parse().unwrap()).collect::<Vec<_>>();
    let through = read(&["/a", "/b", "/b/x", "/b/x/1", "/b/x/2", "/b/x/1", "/", ""]);
    check(Format::Yaml, "a: &a {x: [1, 2]}\nb: *a\n", &through);
    check(Format::Json, "{\"a\": 1, \"a\": {\"b\": 2}}", &read(&["/a/b", "/a", "/"]));
    check(Format::Json, "{\"\": 1}", &read(&["/", "", "//"]));
    check(Format::Json, "[[1], 2]", &read(&["/0/0", "/1/0", "/00", "/2", "/"]));
    check(Format::Json, "1", &[]);
}

/// Alone, each would look at every key before it.
#[test]
fn every_key_of_a_large_object_is_found() {
    let members: Vec<String> = (0..50_000).map(|it| format!("\"key {it}\": [{it}]")).collect();
    let text = Text::new(format!("{{{}}}", members.join(",")));
    let document = parse(&text, Format::Json, &Limits::DEFAULT).unwrap();
    let pointers: Vec<Pointer> =
        (0..50_000).map(|it| format!("/key {it}/0").parse().unwrap()).collect();
    for (number, found) in document.locate_many(&pointers).into_iter().enumerate() {
        let span = found.unwrap().span;
        let found = &text.bytes()[span.start as usize..span.end as usize];
        assert_eq!(found, number.to_string().as_bytes());
    }
}
