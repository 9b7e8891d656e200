//! The catalogues that editors use: a JSON document with `schemas`, each with a `url`, and `fileMatch` where it is about
//! files by their names.

use serde_json::Value as Json;

const MAX_ENTRIES: usize = 5000;
const MAX_PATTERNS: usize = 256;
const MAX_TEXT: usize = 2048;

/// A schema that a catalogue lists.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CatalogueEntry {
    /// Where it is.
    pub url: String,
    /// What people call it.
    pub name: String,
    /// The files that it is for.
    pub files: Vec<String>,
}

/// The entries of a catalogue, and those of older versions, which are for no file; in the order of the addresses, each
/// once. An entry that is none is left out.
pub fn read_catalogue(bytes: &[u8]) -> Result<Vec<CatalogueEntry>, String> {
    let json: Json =
        serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
    let Some(schemas) = json.get("schemas").and_then(Json::as_array) else {
        return Err("it is not a catalogue: missing list `schemas`".to_owned());
    };
    let mut entries: Vec<CatalogueEntry> = Vec::new();
    for schema in schemas {
        let text = |key: &str| {
            let text = schema.get(key).and_then(Json::as_str);
            text.filter(|it| !it.is_empty() && it.len() <= MAX_TEXT && is_plain(it))
        };
        let Some(url) = text("url") else { continue };
        let name = text("name").unwrap_or(url).to_owned();
        let files = schema.get("fileMatch").and_then(Json::as_array).into_iter().flatten();
        let files =
            files.filter_map(Json::as_str).filter(|it| it.len() <= MAX_TEXT && is_plain(it));
        let files = files.take(MAX_PATTERNS).map(str::to_owned).collect();
        entries.push(CatalogueEntry { url: url.to_owned(), name: name.clone(), files });
        let versions = schema.get("versions").and_then(Json::as_object).into_iter().flatten();
        for (version, url) in versions {
            if let Some(url) = url.as_str().filter(|it| it.len() <= MAX_TEXT && is_plain(it)) {
                let name = format!("{name} {}", crate::schema::cut(version));
                entries.push(CatalogueEntry { url: url.to_owned(), name, files: Vec::new() });
            }
        }
        if entries.len() > MAX_ENTRIES {
            return Err(format!("it lists more than {MAX_ENTRIES} schemas"));
        }
    }
    // Of two entries with one address, the one with files says more.
    entries.sort_by(|left, right| {
        let key = |it: &CatalogueEntry| (it.url.clone(), it.files.is_empty(), it.name.clone());
        key(left).cmp(&key(right))
    });
    entries.dedup_by(|left, right| {
        let is_one = left.url == right.url;
        if is_one {
            right.files.append(&mut left.files);
        }
        is_one
    });
    for entry in &mut entries {
        entry.files.sort();
        entry.files.dedup();
    }
    Ok(entries)
}

/// Whether a name or address can be shown on a terminal as it is.
fn is_plain(text: &str) -> bool {
    !text.chars().any(char::is_control)
}
