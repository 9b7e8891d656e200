//! Keys that a schema marks as `deprecated` and names an `x-replacement` for. The validator has no opinion about
//! them, so the document is walked along with the schema.
//!
//! A branch of a choice counts only if the types and constants it asks for are those of the value.

use check::Safety;
use document::Pointer;
use serde_json::Value as Json;

use super::family;
use super::fault::{FaultKind, SchemaFault};
use super::library::{ResolvedSchema, SchemaLibrary};
use super::repair;

/// Documents and schemas can be nested into each other without end.
const MAX_STEPS: usize = 200_000;

/// Whether a document mentions a replacement at all; most do not.
pub(crate) fn has_any(schema: &Json) -> bool {
    match schema {
        Json::Object(members) => {
            members.contains_key("x-replacement") || members.values().any(has_any)
        }
        Json::Array(items) => items.iter().any(has_any),
        _ => false,
    }
}

/// The deprecated keys of a document.
pub(crate) fn find(
    library: &SchemaLibrary,
    root: &ResolvedSchema<'_>,
    json: &Json,
) -> Vec<SchemaFault> {
    let mut faults = Vec::new();
    let mut open = vec![(Pointer::root(), vec![root.clone()], json)];
    let mut n_steps = 0;
    while let Some((at, schemas, json)) = open.pop() {
        n_steps += 1;
        if n_steps > MAX_STEPS {
            break;
        }
        let family = with_branches(library, schemas, json);
        match json {
            Json::Object(members) => {
                for (key, member) in members {
                    let mut schemas = family::of_member(library, &family, key);
                    if let Some((replacement, safety)) =
                        last_of_chain(library, &family, key, &schemas)
                    {
                        let kind = FaultKind::Deprecated { key: key.clone(), replacement, safety };
                        let evaluation_path = Pointer::root();
                        faults.push(SchemaFault {
                            at: at.clone(),
                            evaluation_path,
                            is_guess: false,
                            kind,
                        });
                    }
                    if schemas.is_empty() {
                        schemas = children(library, &family, "additionalProperties");
                    }
                    if !schemas.is_empty() {
                        open.push((at.join(key.as_str()), schemas, member));
                    }
                }
            }
            Json::Array(items) => {
                for (idx, item) in items.iter().enumerate() {
                    let mut schemas: Vec<ResolvedSchema<'_>> = family
                        .iter()
                        .filter_map(|it| {
                            library.child(&library.child(it, "prefixItems")?, &idx.to_string())
                        })
                        .collect();
                    if schemas.is_empty() {
                        schemas = children(library, &family, "items");
                    }
                    if !schemas.is_empty() {
                        open.push((at.join(idx.to_string()), schemas, item));
                    }
                }
            }
            _ => {}
        }
    }
    faults
}

/// The key that replaces a deprecated one and is not deprecated itself, and how safe it is to get there. A circle ends
/// where it closes.
fn last_of_chain<'a>(
    library: &'a SchemaLibrary,
    family: &[ResolvedSchema<'a>],
    key: &str,
    schemas: &[ResolvedSchema<'a>],
) -> Option<(String, Safety)> {
    let safety_of = |schemas: &[ResolvedSchema<'_>], safety: Safety| {
        schemas.iter().filter_map(repair::stated_safety).fold(safety, Safety::max)
    };
    let mut last = replacement(schemas)?;
    let mut safety = safety_of(schemas, Safety::LikelyPreserving);
    let mut seen = vec![key.to_owned(), last.clone()];
    loop {
        let next = family::of_member(library, family, &last);
        match replacement(&next).filter(|it| !seen.contains(it)) {
            Some(name) => {
                safety = safety_of(&next, safety);
                seen.push(name.clone());
                last = name;
            }
            None => return Some((last, safety)),
        }
    }
}

fn replacement(schemas: &[ResolvedSchema<'_>]) -> Option<String> {
    let marked = schemas.iter().filter(|it| it.schema.get("deprecated") == Some(&Json::Bool(true)));
    let mut names = marked.filter_map(|it| it.schema.get("x-replacement")?.as_str());
    names.next().map(str::to_owned)
}

fn children<'a>(
    library: &SchemaLibrary,
    family: &[ResolvedSchema<'a>],
    keyword: &str,
) -> Vec<ResolvedSchema<'a>> {
    let children = family.iter().filter_map(|it| library.child(it, keyword));
    children.filter(|it| it.schema.is_object()).collect()
}

fn with_branches<'a>(
    library: &'a SchemaLibrary,
    schemas: Vec<ResolvedSchema<'a>>,
    json: &Json,
) -> Vec<ResolvedSchema<'a>> {
    let mut family = family::closure(library, schemas);
    let mut branches = Vec::new();
    for schema in &family {
        for keyword in ["anyOf", "oneOf"] {
            let Some(choice) = library.child(schema, keyword) else { continue };
            let n_branches = choice.schema.as_array().map_or(0, Vec::len);
            let all = (0..n_branches).filter_map(|it| library.child(&choice, &it.to_string()));
            branches.extend(all.filter(|it| may_fit(library, it, json)));
        }
    }
    family.extend(family::closure(library, branches));
    family
}

fn may_fit(library: &SchemaLibrary, branch: &ResolvedSchema<'_>, json: &Json) -> bool {
    family::closure(library, vec![branch.clone()]).iter().all(|it| {
        let is_type = it.schema.get("type").is_none_or(|it| is_of_type(it, json));
        let properties = it.schema.get("properties").and_then(Json::as_object);
        let mut tags = properties.into_iter().flatten();
        is_type
            && tags.all(|(key, member)| match (member.get("const"), json.get(key)) {
                (Some(wanted), Some(found)) => wanted == found,
                _ => true,
            })
    })
}

fn is_of_type(wanted: &Json, json: &Json) -> bool {
    let is = |name: &str| match name {
        "object" => json.is_object(),
        "array" => json.is_array(),
        "string" => json.is_string(),
        "boolean" => json.is_boolean(),
        "null" => json.is_null(),
        _ => json.is_number(),
    };
    match wanted {
        Json::String(name) => is(name),
        Json::Array(names) => names.iter().filter_map(Json::as_str).any(is),
        _ => true,
    }
}
