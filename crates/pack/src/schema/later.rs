//! Keywords of later drafts in a schema that names an older one. Editors and other validators honour them, and whoever
//! wrote them meant them; so they are honoured here too, and said.
//!
//! A draft is replaced by the next one that has the keyword where that changes nothing else: draft 4 and 6 become draft
//! 7, with the two spellings of draft 4 that mean something else there rewritten (`exclusiveMinimum: true`, `id`). From
//! draft 7 on, siblings of `$ref` count, so no document is lifted over that line. What draft 7 can say in other words is
//! said so (`dependentRequired`, `dependentSchemas`, `prefixItems`); what it cannot is left out and named.

use std::collections::BTreeSet;
use std::fmt;

use jsonschema::Draft;
use serde_json::{Map, Value as Json};

use super::library::{DATA, NAMED_SCHEMAS};

/// The keywords of later drafts in one document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Later {
    draft: &'static str,
    honoured: BTreeSet<&'static str>,
    /// Those that the draft has no words for.
    ignored: BTreeSet<&'static str>,
}

impl fmt::Display for Later {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &BTreeSet<&str>| {
            let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
            names.join(", ")
        };
        write!(f, "the schema is written in {}", self.draft)?;
        if !self.honoured.is_empty() {
            write!(f, ", and {} of a later draft is honoured", list(&self.honoured))?;
        }
        if !self.ignored.is_empty() {
            write!(f, ", and {} of a later draft is not", list(&self.ignored))?;
        }
        Ok(())
    }
}

/// Keywords that came with draft 6 and 7.
const SIX: [&str; 3] = ["const", "contains", "propertyNames"];
const SEVEN: [&str; 1] = ["if"];
/// Keywords that came later and can be said in other words.
const REWRITTEN: [&str; 3] = ["dependentRequired", "dependentSchemas", "prefixItems"];
/// Keywords that came later and cannot.
const LOST: [&str; 4] = ["minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties"];

/// Rewrites a document so that keywords of later drafts count; `None` if it has none.
pub(super) fn honour(document: &mut Json, draft: Draft) -> Option<Later> {
    let (name, newer): (&str, &[&str]) = match draft {
        Draft::Draft4 => ("draft 4", &["const", "contains", "propertyNames", "if"]),
        Draft::Draft6 => ("draft 6", &SEVEN),
        Draft::Draft7 => ("draft 7", &[]),
        Draft::Draft201909 => ("draft 2019-09", &[]),
        _ => return None,
    };
    let mut later = Later { draft: name, honoured: BTreeSet::new(), ignored: BTreeSet::new() };
    visit(document, &mut |members| {
        let known = SIX.iter().chain(&SEVEN).filter(|it| newer.contains(it));
        let (rewritten, lost): (&[&str], &[&str]) = match draft {
            Draft::Draft201909 => (&["prefixItems"], &[]),
            _ => (&REWRITTEN, &LOST),
        };
        let known = known.chain(rewritten.iter());
        later.honoured.extend(known.copied().filter(|it| has(members, it)));
        later.ignored.extend(lost.iter().copied().filter(|it| has(members, it)));
    });
    if later.honoured.is_empty() && later.ignored.is_empty() {
        return None;
    }
    if later.honoured.iter().any(|it| newer.contains(it)) {
        lift(document, draft);
    }
    visit(document, &mut |members| rewrite(members, &later.honoured));
    Some(later)
}

/// Whether a keyword is there with a value that it can have.
fn has(members: &Map<String, Json>, keyword: &str) -> bool {
    let Some(value) = members.get(keyword) else { return false };
    match keyword {
        "const" => true,
        "dependentRequired" | "dependentSchemas" => value.is_object(),
        "prefixItems" => value.is_array() && !members.get("items").is_some_and(Json::is_array),
        "minContains" | "maxContains" => value.is_number() && members.contains_key("contains"),
        _ => value.is_object() || value.is_boolean(),
    }
}

/// Calls for every schema of a document, outer ones first.
fn visit(schema: &mut Json, call: &mut dyn FnMut(&mut Map<String, Json>)) {
    match schema {
        Json::Object(members) => {
            call(members);
            for (key, member) in members {
                match member {
                    Json::Object(named) if NAMED_SCHEMAS.contains(&key.as_str()) => {
                        named.values_mut().for_each(|it| visit(it, call));
                    }
                    _ if DATA.contains(&key.as_str()) => {}
                    _ => visit(member, call),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|it| visit(it, call)),
        _ => {}
    }
}

/// Makes a document of draft 4 or 6 one of draft 7.
fn lift(document: &mut Json, draft: Draft) {
    if let Some(named) = document.get_mut("$schema") {
        *named = Json::from("http://json-schema.org/draft-07/schema#");
    }
    if draft != Draft::Draft4 {
        return;
    }
    visit(document, &mut |members| {
        if !members.contains_key("$id")
            && let Some(id) = members.get("id").filter(|it| it.is_string()).cloned()
        {
            members.insert("$id".to_owned(), id);
        }
        for (bound, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")]
        {
            match members.get(exclusive).and_then(Json::as_bool) {
                Some(true) => {
                    if let Some(value) = members.shift_remove(bound) {
                        members.insert(exclusive.to_owned(), value);
                    } else {
                        members.shift_remove(exclusive);
                    }
                }
                Some(false) => {
                    members.shift_remove(exclusive);
                }
                None => {}
            }
        }
    });
}

/// Says in words of draft 7 what came later.
fn rewrite(members: &mut Map<String, Json>, honoured: &BTreeSet<&str>) {
    for keyword in ["dependentRequired", "dependentSchemas"] {
        if !honoured.contains(keyword) || !has(members, keyword) {
            continue;
        }
        let Some(Json::Object(new)) = members.shift_remove(keyword) else { continue };
        let old = members.entry("dependencies").or_insert_with(|| Json::Object(Map::new()));
        let Some(old) = old.as_object_mut() else { continue };
        for (name, value) in new {
            let both = match old.shift_remove(&name) {
                None => value,
                Some(first) => {
                    serde_json::json!({ "allOf": [as_schema(first, &name), as_schema(value, &name)] })
                }
            };
            old.insert(name, both);
        }
    }
    if honoured.contains("prefixItems")
        && has(members, "prefixItems")
        && let Some(first) = members.shift_remove("prefixItems")
    {
        if let Some(rest) = members.shift_remove("items") {
            members.insert("additionalItems".to_owned(), rest);
        }
        members.insert("items".to_owned(), first);
    }
}

/// A dependency as a schema: a list of keys is required if the key is there.
fn as_schema(dependency: Json, name: &str) -> Json {
    match dependency {
        Json::Array(keys) => serde_json::json!({ "dependencies": { name: keys } }),
        schema => schema,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(draft: Draft, before: &str, after: &str, says: &str) {
        let mut document: Json = serde_json::from_str(before).unwrap();
        let later = honour(&mut document, draft);
        assert_eq!(document, serde_json::from_str::<Json>(after).unwrap());
        assert_eq!(later.map(|it| it.to_string()).unwrap_or_default(), says);
    }

    /// X-94.
    #[test]
    fn what_came_later_is_honoured_and_said() {
        let draft4 = r#"{"$schema": "http://json-schema.org/draft-04/schema#", "properties": {
            "const": {"const": 1}, "n": {"minimum": 1, "exclusiveMinimum": true, "id": "x"}}}"#;
        let draft7 = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {
            "const": {"const": 1}, "n": {"exclusiveMinimum": 1, "id": "x", "$id": "x"}}}"#;
        let says = "the schema is written in draft 4, and `const` of a later draft is honoured";
        check(Draft::Draft4, draft4, draft7, says);
        check(
            Draft::Draft7,
            r#"{"dependentRequired": {"a": ["b"]}, "dependencies": {"a": ["c"]}, "prefixItems": [{}], "items": false}"#,
            r#"{"dependencies": {"a": {"allOf": [{"dependencies": {"a": ["c"]}}, {"dependencies": {"a": ["b"]}}]}},
                "items": [{}], "additionalItems": false}"#,
            "the schema is written in draft 7, and `dependentRequired`, `prefixItems` of a later draft is honoured",
        );
        check(
            Draft::Draft7,
            r#"{"unevaluatedProperties": false}"#,
            r#"{"unevaluatedProperties": false}"#,
            "the schema is written in draft 7, and `unevaluatedProperties` of a later draft is not",
        );
    }

    #[test]
    fn what_is_data_or_a_name_is_no_keyword() {
        for same in [r#"{"properties": {"if": {}, "const": {}}}"#, r#"{"enum": [{"const": 1}]}"#] {
            check(Draft::Draft4, same, same, "");
        }
        check(Draft::Draft202012, r#"{"const": 1}"#, r#"{"const": 1}"#, "");
    }
}
