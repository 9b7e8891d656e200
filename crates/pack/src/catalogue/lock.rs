//! The lock file: which schemas a workspace is checked against, by address and hash, with the files that each is for.
//! One line for each schema, in the order of their addresses, so that two people's changes can be merged.

use serde_json::{Map, Value as Json, json};
use snapshot::RelPath;

const VERSION: u64 = 1;
const MAX_SCHEMAS: usize = 10_000;

/// What a workspace has locked.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SchemaLock {
    /// The address of the catalogue; `None` if it was a folder.
    pub catalogue: Option<String>,
    /// In the order of their addresses, each once.
    pub schemas: Vec<LockedSchema>,
}

/// A schema that is locked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockedSchema {
    /// Where it is published.
    pub url: String,
    /// What its bytes hash to, as [`content_hash`] writes it.
    pub hash: String,
    /// What people call it; empty for one that only other schemas refer to.
    pub name: String,
    /// The files that it is for, as catalogues write them.
    pub files: Vec<String>,
    /// Its licence, as far as it is known.
    pub licence: Option<String>,
    /// Where it is in the workspace, if it is.
    pub path: Option<RelPath>,
}

/// The hash of a schema's bytes, in the form of a lock.
pub fn content_hash(bytes: &[u8]) -> String {
    format!("blake3:{}", blake3::hash(bytes).to_hex())
}

impl SchemaLock {
    /// Sorts by address; of two with one address the first stays.
    pub fn new(catalogue: Option<String>, mut schemas: Vec<LockedSchema>) -> SchemaLock {
        schemas.sort_by(|left, right| left.url.cmp(&right.url));
        schemas.dedup_by(|left, right| left.url == right.url);
        SchemaLock { catalogue, schemas }
    }

    /// Reads a lock, or says why it is none.
    pub fn parse(bytes: &[u8]) -> Result<SchemaLock, String> {
        let json: Json =
            serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
        match json.get("version").and_then(Json::as_u64) {
            Some(VERSION) => {}
            Some(version) => {
                return Err(format!("expected version {VERSION}, found {version}"));
            }
            None => return Err("missing `version`".to_owned()),
        }
        let list = json.get("schemas").and_then(Json::as_array);
        let list = list.ok_or_else(|| "missing list `schemas`".to_owned())?;
        if list.len() > MAX_SCHEMAS {
            return Err(format!("it lists more than {MAX_SCHEMAS} schemas"));
        }
        let schemas = list.iter().enumerate().map(|(nth, it)| {
            schema(it).map_err(|reason| format!("schema {} of its list: {reason}", nth + 1))
        });
        let catalogue = json.get("catalogue").and_then(Json::as_str).map(str::to_owned);
        Ok(SchemaLock::new(catalogue, schemas.collect::<Result<_, _>>()?))
    }

    /// The text of the lock file.
    pub fn render(&self) -> String {
        let mut text = format!("{{\n  \"version\": {VERSION},\n");
        if let Some(catalogue) = &self.catalogue {
            text.push_str(&format!("  \"catalogue\": {},\n", json!(catalogue)));
        }
        text.push_str("  \"schemas\": [");
        for (nth, schema) in self.schemas.iter().enumerate() {
            text.push_str(if nth == 0 { "\n    " } else { ",\n    " });
            text.push_str(&line(schema));
        }
        text.push_str(if self.schemas.is_empty() { "]\n}\n" } else { "\n  ]\n}\n" });
        text
    }
}

fn line(schema: &LockedSchema) -> String {
    let LockedSchema { url, hash, name, files, licence, path } = schema;
    let mut members = Map::new();
    members.insert("url".to_owned(), json!(url));
    members.insert("hash".to_owned(), json!(hash));
    if !name.is_empty() {
        members.insert("name".to_owned(), json!(name));
    }
    if !files.is_empty() {
        members.insert("files".to_owned(), json!(files));
    }
    if let Some(licence) = licence {
        members.insert("licence".to_owned(), json!(licence));
    }
    if let Some(path) = path {
        members.insert("path".to_owned(), json!(path.as_str()));
    }
    let members: Vec<String> =
        members.iter().map(|(key, value)| format!("{}: {value}", json!(key))).collect();
    format!("{{{}}}", members.join(", "))
}

fn schema(json: &Json) -> Result<LockedSchema, String> {
    let text = |key: &str| json.get(key).and_then(Json::as_str);
    let needed = |key: &str| text(key).ok_or_else(|| format!("missing `{key}`"));
    let hash = needed("hash")?;
    let digits = hash.strip_prefix("blake3:").unwrap_or_default();
    if digits.len() != 64 || !digits.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f')) {
        return Err("its `hash` is not `blake3:` and 64 digits".to_owned());
    }
    let files = json.get("files").and_then(Json::as_array).into_iter().flatten();
    let path = match text("path").map(RelPath::parse) {
        Some(Err(error)) => return Err(format!("invalid `path`: {error}")),
        Some(Ok(path)) => Some(path),
        None => None,
    };
    Ok(LockedSchema {
        url: needed("url")?.to_owned(),
        hash: hash.to_owned(),
        name: text("name").unwrap_or_default().to_owned(),
        files: files.filter_map(Json::as_str).map(str::to_owned).collect(),
        licence: text("licence").map(str::to_owned),
        path,
    })
}
