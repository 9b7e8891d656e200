//! The schemas of a pack, and when they and its expressions are compiled.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use edit::Text;

use super::read as read_file;
use super::reader::cut;
use crate::schema::{CompiledSchema, SchemaError, SchemaLibrary};

/// When schemas and expressions are compiled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CompileWhen {
    /// At once, because somebody has to be told what is wrong with them.
    Now,
    /// When the first file needs them. Only for packs that a test has compiled: it is most of what loading one costs.
    WhenNeeded,
}

/// The schema of a kind of file.
pub(crate) struct KindSchema {
    schema_files: Arc<SchemaFiles>,
    path: String,
    compiled: OnceLock<Result<CompiledSchema, String>>,
}

impl KindSchema {
    /// The schema, compiled; or why it cannot be used.
    pub(crate) fn get(&self) -> Result<&CompiledSchema, &str> {
        let compile = || {
            let compiled = self.schema_files.compile(&self.path);
            compiled.map_err(|it| it.message)
        };
        self.compiled.get_or_init(compile).as_ref().map_err(String::as_str)
    }
}

/// The files of a pack. The schemas among them are read when the first one is compiled.
pub(super) struct SchemaFiles {
    files: BTreeMap<String, Text>,
    library: OnceLock<Result<Arc<SchemaLibrary>, Unusable>>,
    compile: CompileWhen,
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

impl SchemaFiles {
    pub(super) fn new(files: &BTreeMap<String, Text>, compile: CompileWhen) -> SchemaFiles {
        SchemaFiles { files: files.clone(), library: OnceLock::new(), compile }
    }

    fn compile(&self, path: &str) -> Result<CompiledSchema, Unusable> {
        let library = self.library.get_or_init(|| library(&self.files, path)).clone()?;
        Ok(CompiledSchema::compile(&library, path)?)
    }
}

/// The schema in a file, or what is wrong with it.
pub(super) fn schema(schema_files: &Arc<SchemaFiles>, path: &str) -> Result<KindSchema, String> {
    if !schema_files.files.contains_key(path) {
        let schemas =
            schema_files.files.keys().filter(|it| it.starts_with("schemas/")).map(String::as_str);
        let near = crate::typo::nearest_first(path, schemas, 3);
        let near = if near.is_empty() {
            String::new()
        } else {
            format!("; there are {}", near.join(", "))
        };
        return Err(format!("cannot find `{}` in the pack{near}", cut(path)));
    }
    let compiled = match schema_files.compile {
        CompileWhen::Now => OnceLock::from(match schema_files.compile(path) {
            Ok(schema) => Ok(schema),
            // It is out of use for as long as that is so, and the rest of the pack is not.
            Err(it) if it.is_reference => Err(it.message),
            Err(it) => return Err(it.message),
        }),
        CompileWhen::WhenNeeded => OnceLock::new(),
    };
    Ok(KindSchema { schema_files: Arc::clone(schema_files), path: path.to_owned(), compiled })
}

/// Every file under `schemas/`, and the one that was asked for.
fn library(files: &BTreeMap<String, Text>, asked: &str) -> Result<Arc<SchemaLibrary>, Unusable> {
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
    Ok(SchemaLibrary::new(documents).map(Arc::new)?)
}
