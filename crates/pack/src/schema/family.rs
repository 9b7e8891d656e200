//! All schemas that speak about one value: what is needed to say which keys an object may have, and what a missing
//! one stands for.
//!
//! A fault knows the way that validation took. Walking it again gives the schemas that were in force at the place;
//! `allOf` and references add more. Branches of a choice belong to it only if the way led through them. Nothing
//! here is trusted: what is proposed from it is tried.

use document::Pointer;
use serde_json::Value as Json;

use super::library::{ResolvedSchema, SchemaLibrary};

/// More would be a schema made to be large.
const MAX_SCHEMAS: usize = 256;

/// The schemas in force at the place that `evaluation_path`, a way from `root` to a keyword, ends at.
pub(crate) fn in_force<'a>(
    library: &'a SchemaLibrary,
    root: &ResolvedSchema<'a>,
    evaluation_path: &Pointer,
) -> Vec<ResolvedSchema<'a>> {
    let mut about_here = vec![root.clone()];
    let mut segments = evaluation_path.segments().iter().map(String::as_str);
    while let Some(keyword) = segments.next() {
        let Some(here) = about_here.last().cloned() else { break };
        let next = match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => reference(library, &here, keyword),
            "allOf" | "anyOf" | "oneOf" | "dependentSchemas" | "dependencies" => {
                part(library, &here, keyword, segments.next())
            }
            "if" | "then" | "else" | "not" => library.child(&here, keyword),
            "properties" | "patternProperties" | "prefixItems" => {
                about_here.clear();
                part(library, &here, keyword, segments.next())
            }
            "items"
            | "additionalProperties"
            | "additionalItems"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "contains" => {
                let child = library.child(&here, keyword);
                let Some(child) = child.filter(|it| it.schema.is_object() || it.schema.is_array())
                else {
                    break;
                };
                about_here.clear();
                match child.schema {
                    Json::Array(_) => segments.next().and_then(|it| library.child(&child, it)),
                    _ => Some(child),
                }
            }
            _ => break,
        };
        match next {
            Some(next) if next.schema.is_object() => about_here.push(next),
            _ => break,
        }
    }
    closure(library, about_here)
}

/// The schemas of the member `key` of an object that the `family` is about.
pub(crate) fn of_member<'a>(
    library: &'a SchemaLibrary,
    family: &[ResolvedSchema<'a>],
    key: &str,
) -> Vec<ResolvedSchema<'a>> {
    let members =
        family.iter().filter_map(|it| library.child(&library.child(it, "properties")?, key));
    closure(library, members.collect())
}

/// The keys that the family names, in their order, each once.
pub(crate) fn known_keys<'a>(family: &[ResolvedSchema<'a>]) -> Vec<&'a str> {
    let mut seen = std::collections::HashSet::new();
    let objects = family.iter().filter_map(|it| it.schema.get("properties")?.as_object());
    let keys = objects.flat_map(|it| it.iter().filter(|(_, it)| **it != Json::Bool(false)));
    keys.map(|(key, _)| key.as_str()).filter(|it| seen.insert(*it)).collect()
}

/// The value of a keyword that all who have it agree on.
pub(crate) fn agreed<'a>(family: &[ResolvedSchema<'a>], keyword: &str) -> Option<&'a Json> {
    let mut values = family.iter().filter_map(|it| it.schema.get(keyword));
    let first = values.next()?;
    values.all(|it| it == first).then_some(first)
}

/// What `allOf` and references add.
pub(crate) fn closure<'a>(
    library: &'a SchemaLibrary,
    mut found: Vec<ResolvedSchema<'a>>,
) -> Vec<ResolvedSchema<'a>> {
    let mut idx = 0;
    while idx < found.len() && found.len() < MAX_SCHEMAS {
        let here = found[idx].clone();
        let references =
            ["$ref", "$dynamicRef"].into_iter().filter_map(|it| reference(library, &here, it));
        let parts = library.child(&here, "allOf");
        let parts = parts.iter().flat_map(|parts| {
            let n_parts = parts.schema.as_array().map_or(0, Vec::len);
            (0..n_parts).filter_map(move |it| library.child(parts, &it.to_string()))
        });
        let more: Vec<ResolvedSchema<'a>> = references.chain(parts).collect();
        for next in more {
            if !found.iter().any(|it| std::ptr::eq(it.schema, next.schema)) {
                found.push(next);
            }
        }
        idx += 1;
    }
    found
}

fn reference<'a>(
    library: &'a SchemaLibrary,
    here: &ResolvedSchema<'a>,
    keyword: &str,
) -> Option<ResolvedSchema<'a>> {
    library.follow(here, here.schema.get(keyword)?.as_str()?)
}

fn part<'a>(
    library: &'a SchemaLibrary,
    here: &ResolvedSchema<'a>,
    keyword: &str,
    name: Option<&str>,
) -> Option<ResolvedSchema<'a>> {
    library.child(&library.child(here, keyword)?, name?)
}
