//! What was found out about files that name a schema, kept from one process to the next.
//!
//! Only looks that have nothing to say are kept. A look depends on the path, the bytes, the limits of parsing, what is
//! mapped and locked, and every file that the schema is made of. The key is made of the first four; the entry lists the files of the schema with
//! their hashes, and is believed while all of them are what they were.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use snapshot::{File, RelPath};

use super::{CheckContext, SCHEMA_SIGN, SchemaId, SchemaReport};

/// What is kept of a look: the schema that the file names and is right by, and the files that it is made of with their
/// hashes; `None` if the file names no schema of this workspace.
type CachedReport = Option<(String, BTreeMap<String, String>)>;

/// What an earlier look said of a file, else what this one says. `None` if it names no schema.
pub(super) fn look(
    context: &CheckContext<'_>,
    path: &RelPath,
    file: &File,
) -> Option<SchemaReport> {
    if !context.names.may_name(path) && !context.input.parses.shows(file, &SCHEMA_SIGN) {
        return None;
    }
    let Some(key) = context.cache.key(file.hash(), path.as_str().as_bytes()) else {
        return super::look(context, path, file);
    };
    if let Some(known) = context.cache.get(&key).and_then(|it| recall(context, &it)) {
        return known;
    }
    let looked = super::look(context, path, file);
    if let Some(bytes) = keep(context, looked.as_ref()) {
        context.cache.add(key, bytes);
    }
    looked
}

/// The bytes of a look; `None` if it is not kept.
fn keep(context: &CheckContext<'_>, looked: Option<&SchemaReport>) -> Option<Vec<u8>> {
    let kept: CachedReport = match looked {
        None => None,
        Some(SchemaReport { diagnostics, repairs, is_blocked, is_named, unchecked, schema }) => {
            let is_silent = diagnostics.is_empty() && repairs.is_empty() && unchecked.is_empty();
            let schema = schema.as_ref().filter(|_| is_silent && *is_named && !is_blocked)?;
            let slot = context.slot(schema);
            let loaded =
                slot.loaded.get().filter(|it| it.schema.is_ok() && it.broken.is_empty())?;
            let hashed = |path: &RelPath| {
                let hash = context.input.snapshot.file(path)?.hash();
                Some((path.to_string(), hash.to_string()))
            };
            let files: Option<BTreeMap<String, String>> =
                loaded.depends_on.iter().map(hashed).collect();
            Some((schema.as_str().to_owned(), files?))
        }
    };
    serde_json::to_vec(&kept).ok()
}

/// The look that the bytes hold, if it is still the one that would be made; the inner `None` is a file without a schema.
fn recall(context: &CheckContext<'_>, bytes: &Arc<[u8]>) -> Option<Option<SchemaReport>> {
    let sound =
        |schema| SchemaReport { is_named: true, schema: Some(schema), ..SchemaReport::default() };
    let believed = || context.believed.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(schema) = believed().get(bytes) {
        return Some(Some(sound(schema.clone())));
    }
    let Some((schema, files)) = serde_json::from_slice::<CachedReport>(bytes).ok()? else {
        return Some(None);
    };
    let schema = SchemaId::parse(&schema)?;
    let mut depends_on = BTreeSet::new();
    for (path, hash) in files {
        let path = RelPath::parse(&path).ok()?;
        let now = context.input.snapshot.file(&path)?.hash();
        if now.to_string() != hash {
            return None;
        }
        depends_on.insert(path);
    }
    let is_there = match &schema {
        SchemaId::File(path) => depends_on.contains(path),
        // The lock is part of the key; its bytes may be gone.
        SchemaId::Address(address) => context.names.catalogue.is_some_and(|it| it.has(address)),
    };
    if !is_there {
        return None;
    }
    context.slot(&schema).kept.get_or_init(|| depends_on);
    believed().insert(Arc::clone(bytes), schema.clone());
    Some(Some(sound(schema)))
}
