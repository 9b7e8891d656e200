//! The documents that a schema is made of: found by their path, their `$id` or an anchor, never fetched.
//!
//! Every document has an address made of its path (`regreen:///schemas/a.json`), so that a `$ref` to a relative path
//! means a file beside it. A document with an `$id` is also found by that, and so are its neighbours: if `a.json` says
//! that it is `https://example.org/s/a.json`, then `https://example.org/s/b.json` is the file `b.json` beside it.
//! An address that is nowhere in the library and on no disk is *remote*: what it says is not checked.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::uri::resolve_against;
use jsonschema::{Draft, Uri};
use serde_json::{Map, Value as Json, json};

use super::later::{self, Later};
use super::{SchemaError, budget, cut};

const ROOT: &str = "regreen:///";
const MAX_DEPTH: usize = 100;
const MAX_NODES: usize = 500_000;

/// Keywords whose members are names given by the author, each with a schema.
pub(super) const NAMED_SCHEMAS: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Keywords whose values are data, however much they look like schemas.
pub(super) const DATA: [&str; 5] = ["const", "enum", "default", "examples", "example"];

/// Documents with their addresses. Every `$ref` leads to one of them, to a well-known meta-schema or is remote.
pub(crate) struct SchemaLibrary {
    /// By the address of their path.
    documents: BTreeMap<String, Json>,
    /// Every schema with an address of its own: the document's address and the JSON pointer in it.
    resources: BTreeMap<String, (String, String)>,
    /// The same for `address#anchor`.
    anchors: BTreeMap<String, (String, String)>,
    /// What stands in for a remote document: everything that is referred to is there and allows anything.
    stand_ins: BTreeMap<String, Json>,
    /// The documents with a reference that leads nowhere, by address, each with the first.
    broken: BTreeMap<String, SchemaError>,
    /// The documents that a document refers to, by address.
    links: BTreeMap<String, BTreeSet<String>>,
    /// The keywords of later drafts, by the address of the document that has them.
    later: BTreeMap<String, Later>,
}

/// A schema and the address that its references are relative to.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedSchema<'a> {
    pub(crate) schema: &'a Json,
    base: String,
}

impl SchemaLibrary {
    /// Takes documents by their paths. Fails on one that is too deep or too large. A `$ref` that leads nowhere is kept
    /// for whoever asks for a schema that needs it ([`SchemaLibrary::first_broken`]).
    pub(crate) fn new(documents: BTreeMap<String, Json>) -> Result<SchemaLibrary, SchemaError> {
        let mut library = SchemaLibrary {
            documents: BTreeMap::new(),
            resources: BTreeMap::new(),
            anchors: BTreeMap::new(),
            stand_ins: BTreeMap::new(),
            broken: BTreeMap::new(),
            links: BTreeMap::new(),
            later: BTreeMap::new(),
        };
        let mut references = Vec::new();
        let mut n_nodes = 0;
        for (path, mut document) in documents {
            let depth = measure(&document, &mut n_nodes);
            if depth > MAX_DEPTH || n_nodes > MAX_NODES {
                return Err(SchemaError::TooLarge {
                    path,
                    max_depth: MAX_DEPTH,
                    max_nodes: MAX_NODES,
                });
            }
            if let Some(draft) = unsupported_draft(&document) {
                return Err(SchemaError::Draft { path, draft: cut(draft) });
            }
            let named = draft(&document);
            let later = later::honour(&mut document, named);
            name_draft(&mut document);
            if draft(&document) != Draft::Draft4 {
                strip_old_ids(&mut document);
            }
            let address = address(&path);
            library.resources.insert(address.clone(), (address.clone(), String::new()));
            enter(&document, &address, &mut library, &mut references);
            library.later.extend(later.map(|it| (address.clone(), it)));
            library.documents.insert(address, document);
        }
        library.stand_in(&references);
        library.link(&references);
        library.count_steps(&references);
        Ok(library)
    }

    /// The document at a path.
    pub(crate) fn document(&self, path: &str) -> Option<ResolvedSchema<'_>> {
        let base = address(path);
        let schema = self.documents.get(&base)?;
        Some(ResolvedSchema { base: base_of(schema, &base), schema })
    }

    /// The first reference that leads nowhere, of those that the document at a path leads to.
    pub(crate) fn first_broken(&self, path: &str) -> Option<&SchemaError> {
        self.reachable(path).iter().find_map(|it| self.broken.get(it))
    }

    /// The keywords of later drafts in the document at a path and in those it leads to.
    pub(crate) fn later(&self, path: &str) -> Vec<&Later> {
        self.reachable(path).iter().filter_map(|it| self.later.get(it)).collect()
    }

    /// The document at a path and all that it leads to, itself first, then by address.
    fn reachable(&self, path: &str) -> Vec<String> {
        let first = address(path);
        let mut seen = BTreeSet::new();
        let mut open = vec![first.clone()];
        while let Some(next) = open.pop() {
            if seen.insert(next.clone()) {
                open.extend(self.links.get(&next).into_iter().flatten().cloned());
            }
        }
        seen.remove(&first);
        std::iter::once(first).chain(seen).collect()
    }

    fn link(&mut self, references: &[Reference]) {
        for it in references {
            if let Some((to, _)) = self.target(&it.base, &it.text) {
                self.links.entry(address(&it.path)).or_default().insert(to);
            }
        }
    }

    /// All documents, in the order of their paths.
    pub(crate) fn documents(&self) -> impl Iterator<Item = &Json> {
        self.documents.values()
    }

    /// The addresses that were not fetched.
    pub(crate) fn remote(&self) -> impl Iterator<Item = &str> {
        self.stand_ins.keys().map(String::as_str)
    }

    /// What the validator gets for an address.
    pub(crate) fn retrieve(&self, address: &str) -> Option<Json> {
        let address = address.split('#').next().unwrap_or(address);
        match self.resource(address) {
            Some((document, pointer)) => self.documents.get(document)?.pointer(pointer).cloned(),
            None => self.stand_ins.get(address).cloned(),
        }
    }

    /// Where a reference leads; `None` for what is remote or well known.
    pub(crate) fn follow<'a>(
        &'a self,
        from: &ResolvedSchema<'a>,
        reference: &str,
    ) -> Option<ResolvedSchema<'a>> {
        let (document, pointer) = self.target(&from.base, reference)?;
        self.descend(&document, &pointer)
    }

    /// A part of a schema.
    pub(crate) fn child<'a>(
        &self,
        of: &ResolvedSchema<'a>,
        key: &str,
    ) -> Option<ResolvedSchema<'a>> {
        let schema = match of.schema {
            Json::Object(members) => members.get(key)?,
            Json::Array(items) => items.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
        Some(ResolvedSchema { base: base_of(schema, &of.base), schema })
    }

    fn descend(&self, document: &str, pointer: &str) -> Option<ResolvedSchema<'_>> {
        let schema = self.documents.get(document)?;
        let start = ResolvedSchema { base: base_of(schema, document), schema };
        let pointer: document::Pointer = pointer.parse().ok()?;
        pointer.segments().iter().try_fold(start, |at, segment| self.child(&at, segment))
    }

    fn resource(&self, address: &str) -> Option<(&str, &str)> {
        let found = self.resources.get(address).or_else(|| {
            let beside = self.documents.iter().filter_map(|(path, document)| {
                let id = base_of(document, path);
                (id != *path).then(|| beside(&id, path, address)).flatten()
            });
            beside.filter_map(|it| self.resources.get(&it)).next()
        });
        found.map(|(document, pointer)| (document.as_str(), pointer.as_str()))
    }

    /// Every schema that is referred to gets the keyword that counts steps.
    fn count_steps(&mut self, references: &[Reference]) {
        let targets = references.iter().filter_map(|it| self.target(&it.base, &it.text));
        let targets: BTreeSet<(String, String)> =
            targets.chain(self.documents.keys().map(|it| (it.clone(), String::new()))).collect();
        for (document, pointer) in targets {
            let schema = self.documents.get_mut(&document).and_then(|it| it.pointer_mut(&pointer));
            if let Some(members) = schema.and_then(Json::as_object_mut) {
                members.insert(budget::KEYWORD.to_owned(), Json::Bool(true));
            }
        }
    }

    /// The document and the JSON pointer in it that a reference leads to.
    fn target(&self, base: &str, reference: &str) -> Option<(String, String)> {
        let target = resolve(base, reference)?;
        let (address, fragment) = target.split_once('#').unwrap_or((&target, ""));
        let fragment = percent_decoded(fragment)?;
        if fragment.is_empty() || fragment.starts_with('/') {
            let (document, pointer) = self.resource(address)?;
            return Some((document.to_owned(), format!("{pointer}{fragment}")));
        }
        self.anchors.get(&format!("{address}#{fragment}")).cloned()
    }

    fn stand_in(&mut self, references: &[Reference]) {
        let mut fragments: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for Reference { path, base, text } in references {
            let (path, reference) = (path.clone(), text.clone());
            let Some(target) = resolve(base, text) else {
                let error = SchemaError::BadReference { path: path.clone(), reference };
                self.broken.entry(address(&path)).or_insert(error);
                continue;
            };
            let (at, fragment) = target.split_once('#').unwrap_or((&target, ""));
            if is_meta_schema(at) || self.resource(at).is_some() {
                continue;
            }
            if at.starts_with(ROOT) {
                let error = SchemaError::Missing { path: path.clone(), reference };
                self.broken.entry(address(&path)).or_insert(error);
                continue;
            }
            let fragment = percent_decoded(fragment).unwrap_or_default();
            fragments.entry(at.to_owned()).or_default().insert(fragment);
        }
        for (address, fragments) in fragments {
            let mut stand_in = json!({});
            for (idx, fragment) in fragments.iter().filter(|it| !it.is_empty()).enumerate() {
                match fragment.parse::<document::Pointer>() {
                    Ok(pointer) => allow_anything(&mut stand_in, pointer.segments()),
                    Err(_) => {
                        let key = format!("regreen-{idx}");
                        stand_in["$defs"][key] = json!({ "$anchor": fragment });
                    }
                }
            }
            self.stand_ins.insert(address, stand_in);
        }
    }
}

/// What a document refers to outside itself: addresses, each with the path where a file must be to have it. Sorted; for
/// whoever collects a library.
pub(crate) fn referenced_documents(
    path: &str,
    document: &Json,
) -> BTreeSet<(String, Option<String>)> {
    let home = address(path);
    let id = base_of(document, &home);
    let targets = referenced(&home, document).into_iter().map(|target| {
        let place = if id == home { Some(target.clone()) } else { beside(&id, &home, &target) };
        let place = place.and_then(|it| percent_decoded(it.strip_prefix(ROOT)?));
        (target, place.filter(|it| it != path))
    });
    targets.filter(|it| *it.0 != home && !is_meta_schema(&it.0)).collect()
}

/// What a document refers to outside itself, without fragments.
fn referenced(home: &str, document: &Json) -> BTreeSet<String> {
    let mut n_nodes = 0;
    if measure(document, &mut n_nodes) > MAX_DEPTH || n_nodes > MAX_NODES {
        return BTreeSet::new();
    }
    let mut scratch = SchemaLibrary {
        documents: BTreeMap::new(),
        resources: BTreeMap::new(),
        anchors: BTreeMap::new(),
        stand_ins: BTreeMap::new(),
        broken: BTreeMap::new(),
        links: BTreeMap::new(),
        later: BTreeMap::new(),
    };
    let mut references = Vec::new();
    enter(document, home, &mut scratch, &mut references);
    let targets = references.iter().filter_map(|it| {
        let target = resolve(&it.base, &it.text)?;
        let target = target.split('#').next().unwrap_or(&target);
        (!scratch.resources.contains_key(target)).then(|| target.to_owned())
    });
    targets.collect()
}

struct Reference {
    path: String,
    base: String,
    text: String,
}

fn enter(
    document: &Json,
    address: &str,
    library: &mut SchemaLibrary,
    references: &mut Vec<Reference>,
) {
    Indexer { document: address, pointer: String::new(), library, references }
        .schema(document, address);
}

/// What walks a document and enters what it finds.
struct Indexer<'a> {
    document: &'a str,
    pointer: String,
    library: &'a mut SchemaLibrary,
    references: &'a mut Vec<Reference>,
}

impl Indexer<'_> {
    fn schema(&mut self, schema: &Json, base: &str) {
        match schema {
            Json::Object(members) => self.members(schema, members, base),
            Json::Array(items) => {
                for (idx, item) in items.iter().enumerate() {
                    self.at(&idx.to_string(), |it| it.schema(item, base));
                }
            }
            _ => {}
        }
    }

    fn members(&mut self, schema: &Json, members: &Map<String, Json>, base: &str) {
        let own_base = base_of(schema, base);
        let place = (self.document.to_owned(), self.pointer.clone());
        if own_base != base {
            self.library.resources.entry(own_base.clone()).or_insert_with(|| place.clone());
        }
        for anchor in anchors_of(members) {
            let name = format!("{own_base}#{anchor}");
            self.library.anchors.entry(name).or_insert_with(|| place.clone());
        }
        for keyword in ["$ref", "$dynamicRef"] {
            if let Some(text) = members.get(keyword).and_then(Json::as_str) {
                let path =
                    percent_decoded(self.document.strip_prefix(ROOT).unwrap_or(self.document));
                self.references.push(Reference {
                    path: path.unwrap_or_else(|| self.document.to_owned()),
                    base: own_base.clone(),
                    text: text.to_owned(),
                });
            }
        }
        for (key, member) in members {
            match (key.as_str(), member) {
                (key, Json::Object(named)) if NAMED_SCHEMAS.contains(&key) => self.at(key, |it| {
                    for (name, schema) in named {
                        it.at(name, |it| it.schema(schema, &own_base));
                    }
                }),
                (key, _) if DATA.contains(&key) => {}
                _ => self.at(key, |it| it.schema(member, &own_base)),
            }
        }
    }

    fn at(&mut self, segment: &str, visit: impl FnOnce(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
        visit(self);
        self.pointer.truncate(length);
    }
}

fn anchors_of(members: &Map<String, Json>) -> impl Iterator<Item = &str> {
    let plain =
        ["$anchor", "$dynamicAnchor"].into_iter().filter_map(|it| members.get(it)?.as_str());
    let old =
        ["$id", "id"].into_iter().filter_map(|it| members.get(it)?.as_str()?.strip_prefix('#'));
    plain.chain(old)
}

/// The address that references in `schema` are relative to.
fn base_of(schema: &Json, base: &str) -> String {
    let id = ["$id", "id"].into_iter().find_map(|it| schema.get(it)?.as_str());
    let resolved = id.filter(|it| !it.starts_with('#')).and_then(|it| resolve(base, it));
    match resolved {
        Some(own) => own.split('#').next().unwrap_or(&own).to_owned(),
        None => base.to_owned(),
    }
}

fn resolve(base: &str, reference: &str) -> Option<String> {
    let base = Uri::parse(base).ok()?;
    resolve_against(&base, reference).ok().map(|it| it.to_string())
}

/// Where the file `address` must be, if the one with the address `id` is at `path`.
fn beside(id: &str, path: &str, address: &str) -> Option<String> {
    let (mut id_folder, mut path_folder) = (id.rsplit_once('/')?.0, path.rsplit_once('/')?.0);
    loop {
        if let Some(tail) = address.strip_prefix(id_folder).and_then(|it| it.strip_prefix('/')) {
            return Some(format!("{path_folder}/{tail}"));
        }
        id_folder = id_folder.rsplit_once('/')?.0;
        // The folder of the root itself has no parent.
        path_folder = path_folder.rsplit_once('/').filter(|it| it.0.len() + 1 >= ROOT.len())?.0;
    }
}

/// The address of the document at a path. One that was fetched has the address that it was fetched from: no path of a
/// workspace looks like one.
pub(crate) fn address(path: &str) -> String {
    if path.contains("://") {
        return path.to_owned();
    }
    let mut address = ROOT.to_owned();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                address.push(char::from(byte));
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        bytes.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(bytes).ok()
}

fn is_meta_schema(address: &str) -> bool {
    draft_of(address).is_some()
}

/// The draft that a `$schema` names.
fn draft_of(text: &str) -> Option<Draft> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let rest = rest.strip_prefix("json-schema.org/")?;
    match rest.trim_end_matches('#').trim_end_matches('/') {
        // Draft 5 is another text for draft 4.
        "draft-04/schema" | "draft-05/schema" => Some(Draft::Draft4),
        "draft-06/schema" => Some(Draft::Draft6),
        "draft-07/schema" => Some(Draft::Draft7),
        // A hyper-schema adds keywords that say nothing about what is valid.
        "draft-04/hyper-schema" => Some(Draft::Draft4),
        "draft-06/hyper-schema" => Some(Draft::Draft6),
        "draft-07/hyper-schema" => Some(Draft::Draft7),
        "schema" => Some(Draft::Draft202012),
        it if it.starts_with("draft/2019-09/") => Some(Draft::Draft201909),
        it if it.starts_with("draft/2020-12/") => Some(Draft::Draft202012),
        _ => None,
    }
}

/// The draft that a document names, if it is one of the official ones and not known here.
fn unsupported_draft(document: &Json) -> Option<&str> {
    let named = document.get("$schema").and_then(Json::as_str)?;
    let (_, address) = named.split_once("://")?;
    (address.starts_with("json-schema.org/draft") && draft_of(named).is_none()).then_some(named)
}

/// The draft of a document, 2020-12 if it does not say.
pub(crate) fn draft(document: &Json) -> Draft {
    let named = document.get("$schema").and_then(Json::as_str).and_then(draft_of);
    named.unwrap_or(Draft::Draft202012)
}

/// Writes the draft in the one way that the validator knows; it would look for any other.
fn name_draft(document: &mut Json) {
    let draft = draft(document);
    let Some(members) = document.as_object_mut() else { return };
    let Some(named) = members.get_mut("$schema") else { return };
    let address = match draft {
        Draft::Draft4 => "http://json-schema.org/draft-04/schema#",
        Draft::Draft6 => "http://json-schema.org/draft-06/schema#",
        Draft::Draft7 => "http://json-schema.org/draft-07/schema#",
        Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
        _ => "https://json-schema.org/draft/2020-12/schema",
    };
    *named = Json::from(address);
}

/// `id` is an address in draft 4 only; in all others it is an unknown keyword that must not be taken for one.
fn strip_old_ids(schema: &mut Json) {
    match schema {
        Json::Object(members) => {
            if members.get("id").is_some_and(Json::is_string) {
                members.shift_remove("id");
            }
            for (key, member) in members {
                match member {
                    Json::Object(named) if NAMED_SCHEMAS.contains(&key.as_str()) => {
                        named.values_mut().for_each(strip_old_ids);
                    }
                    _ if DATA.contains(&key.as_str()) => {}
                    _ => strip_old_ids(member),
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(strip_old_ids),
        _ => {}
    }
}

fn allow_anything(schema: &mut Json, segments: &[String]) {
    let mut at = schema;
    for segment in segments {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[segment.as_str()];
    }
    if at.is_null() {
        *at = json!({});
    }
}

/// The depth of a document; adds its nodes to the count. Stops counting where a limit is passed.
fn measure(json: &Json, n_nodes: &mut usize) -> usize {
    let mut deepest = 0;
    let mut open = vec![(json, 1)];
    while let Some((json, depth)) = open.pop() {
        *n_nodes += 1;
        deepest = deepest.max(depth);
        if depth > MAX_DEPTH || *n_nodes > MAX_NODES {
            break;
        }
        match json {
            Json::Array(items) => open.extend(items.iter().map(|it| (it, depth + 1))),
            Json::Object(members) => open.extend(members.values().map(|it| (it, depth + 1))),
            _ => {}
        }
    }
    deepest
}
