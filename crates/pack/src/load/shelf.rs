//! The schemas of a pack, and when they and its expressions are compiled.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use edit::Text;

use super::read as read_file;
use super::reader::cut;
use crate::schema::{Library, Schema, SchemaError};

/// When schemas and expressions are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compile {
    /// At once, because somebody has to be told what is wrong with them.
    Now,
    /// When the first file needs them. Only for packs that a test has compiled: it is most of what loading one costs.
    WhenNeeded,
}

/// The schema of a kind of file.
pub(crate) struct KindSchema {
    shelf: Arc<Shelf>,
    path: String,
    compiled: OnceLock<Result<Schema, String>>,
}

impl KindSchema {
    /// The schema, compiled; or why it cannot be used.
    pub(crate) fn get(&self) -> Result<&Schema, &str> {
        let compile = || {
            let compiled = self.shelf.compile(&self.path);
            compiled.map_err(|it| it.message)
        };
        self.compiled.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}

/// The files of a pack. The schemas among them are read when the first one is compiled.
pub(super) struct Shelf {
    files: BTreeMap<String, Text>,
    library: OnceLock<Result<Arc<Library>, Unusable>>,
    compile: Compile,
}

/// Why a schema cannot be used.
#[derive(Clone)]
struct Unusable {
    message: String,
    /// Whether a reference leads nowhere, and nothing else is wrong.
    is_reference: bool,
}

impl From<String> for Unusable {
    fn from(message: String) -> Unusable {
        Unusable { message, is_reference: false }
    }
}

impl From<SchemaError> for Unusable {
    fn from(error: SchemaError) -> Unusable {
        Unusable { message: error.to_string(), is_reference: error.is_reference() }
    }
}

impl Shelf {
    pub(super) fn new(files: &BTreeMap<String, Text>, compile: Compile) -> Shelf {
        Shelf { files: files.clone(), library: OnceLock::new(), compile }
    }

    fn compile(&self, path: &str) -> Result<Schema, Unusable> {
        let library = self.library.get_or_init(|| library(&self.files, path)).clone()?;
        Ok(Schema::compile(&library, path)?)
    }
}

/// The schema in a file, or what is wrong with it.
pub(super) fn schema(shelf: &Arc<Shelf>, path: &str) -> Result<KindSchema, String> {
    if !shelf.files.contains_key(path) {
        let schemas =
            shelf.files.keys().filter(|it| it.starts_with("schemas/")).map(String::as_str);
        let near = crate::typo::nearest_first(path, schemas, 3);
        let near = if near.is_empty() {
            String::new()
        } else {
            format!("; there are {}", near.join(", "))
        };
        return Err(format!("there is no `{}` in the pack{near}", cut(path)));
    }
    let compiled = match shelf.compile {
        Compile::Now => OnceLock::from(match shelf.compile(path) {
            Ok(schema) => Ok(schema),
            // It is out of use for as long as that is so, and the rest of the pack is not.
            Err(it) if it.is_reference => Err(it.message),
            Err(it) => return Err(it.message),
        }),
        Compile::WhenNeeded => OnceLock::new(),
    };
    Ok(KindSchema { shelf: Arc::clone(shelf), path: path.to_owned(), compiled })
}

/// Every file under `schemas/`, and the one that was asked for.
fn library(files: &BTreeMap<String, Text>, asked: &str) -> Result<Arc<Library>, Unusable> {
    let mut documents = BTreeMap::new();
    for path in files.keys().filter(|it| it.starts_with("schemas/") || *it == asked) {
        if document::Format::of_path(path).is_none() {
            continue;
        }
        let document = read_file(files, path).map_err(|problem| problem.to_string())?;
        let json = serde_json::from_str(&document.value().to_json())
            .map_err(|error| format!("`{path}` cannot be used as a schema: {error}"))?;
        documents.insert(path.clone(), json);
    }
    Ok(Library::new(documents).map(Arc::new)?)
}
