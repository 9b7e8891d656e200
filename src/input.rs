//! Reads the patch document, a program or a buffer, from a file or from standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use protocol::v1::{PatchInput, PatchKind};

use crate::cli::{InputKind, PatchArguments};
use crate::failure::UsageError;

/// As much as a file of the workspace may have. A longer patch document is refused before it fills the memory.
const MAX_BYTES: u64 = 64 << 20;

/// Why the patch document could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error("cannot read the patch document {name}: {source}")]
    Io { name: String, source: io::Error },
    #[error("the patch document {name} has more than {MAX_BYTES} bytes")]
    TooLarge { name: String },
    #[error("cannot read {name}: {source}")]
    Program { name: String, source: io::Error },
    #[error("{name} has more than {MAX_BYTES} bytes")]
    ProgramTooLarge { name: String },
    #[error("cannot read standard input: {0}")]
    Buffer(io::Error),
    #[error("standard input has more than {MAX_BYTES} bytes")]
    BufferTooLarge,
}

impl InputError {
    /// A stable name.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            InputError::Io { .. } => "patch_unreadable",
            InputError::TooLarge { .. } => "patch_too_large",
            InputError::Program { .. } => "program_unreadable",
            InputError::ProgramTooLarge { .. } => "program_too_large",
            InputError::Buffer(_) => "stdin_unreadable",
            InputError::BufferTooLarge => "stdin_too_large",
        }
    }
}

/// Reads the document. Its name in reports is what was typed, or `<stdin>`.
pub(crate) fn read_patch(
    directory: &Path,
    arguments: &PatchArguments,
) -> Result<PatchInput, InputError> {
    let is_stdin = arguments.patch.as_os_str() == "-";
    let name = if is_stdin {
        "<stdin>".to_owned()
    } else {
        arguments.patch.to_string_lossy().into_owned()
    };
    let bytes = if is_stdin {
        read_limited(io::stdin().lock())
    } else {
        File::open(directory.join(&arguments.patch)).and_then(read_limited)
    };
    match bytes {
        Ok(bytes) if bytes.len() as u64 > MAX_BYTES => Err(InputError::TooLarge { name }),
        Ok(bytes) => Ok(PatchInput {
            name,
            bytes,
            kind: arguments.from.map(kind),
            file: arguments.file.clone(),
        }),
        Err(source) => Err(InputError::Io { name, source }),
    }
}

/// A program that was named on the command line.
#[derive(Clone, Debug)]
pub(crate) struct ProgramFile {
    /// Where it is; `None` for standard input.
    pub(crate) path: Option<PathBuf>,
    /// Its name in messages: what was typed, or `<stdin>`.
    pub(crate) name: String,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
}

/// Reads a program; `-` is standard input.
pub(crate) fn read_program(directory: &Path, file: &Path) -> Result<ProgramFile, InputError> {
    if file.as_os_str() == "-" {
        let bytes = read_buffer(io::stdin().lock())?;
        return Ok(ProgramFile { path: None, name: "<stdin>".to_owned(), bytes });
    }
    let name = file.to_string_lossy().into_owned();
    let path = directory.join(file);
    match File::open(&path).and_then(read_limited) {
        Ok(bytes) if bytes.len() as u64 > MAX_BYTES => Err(InputError::ProgramTooLarge { name }),
        Ok(bytes) => Ok(ProgramFile { path: Some(path), name, bytes }),
        Err(source) => Err(InputError::Program { name, source }),
    }
}

/// The ids of repairs that were typed, or are in a file (`@FILE`) or standard input (`-`) that was. Nothing can be read
/// from standard input if it `is_read` already.
pub(crate) fn repair_ids(
    directory: &Path,
    typed: &[String],
    is_read: bool,
) -> anyhow::Result<Vec<String>> {
    let mut ids = Vec::new();
    for word in typed {
        let (name, bytes) = match (word.as_str(), word.strip_prefix('@')) {
            ("-", _) if is_read || typed.len() > 1 => {
                let message =
                    "--apply - reads all ids from standard input, so the program must be a file";
                return Err(UsageError(message.to_owned()).into());
            }
            ("-", _) => ("standard input".to_owned(), read_buffer(io::stdin().lock())?),
            (_, Some(file)) => {
                let read = read_program(directory, Path::new(file))?;
                (read.name, read.bytes)
            }
            (id, None) => {
                ids.push(id.to_owned());
                continue;
            }
        };
        let read = listed_ids(&bytes).filter(|it| !it.is_empty()).ok_or_else(|| {
            let forms = "one on a line, separated by commas, or a JSON array of strings";
            UsageError(format!("{name} names no repairs: ids are {forms}"))
        })?;
        ids.extend(read);
    }
    Ok(ids)
}

fn listed_ids(bytes: &[u8]) -> Option<Vec<String>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).ok();
    }
    let words = text.split(|it: char| it == ',' || it.is_whitespace());
    Some(words.filter(|it| !it.is_empty()).map(str::to_owned).collect())
}

/// Reads one file of the workspace that is not on disk.
pub(crate) fn read_buffer(source: impl Read) -> Result<Vec<u8>, InputError> {
    let bytes = read_limited(source).map_err(InputError::Buffer)?;
    if bytes.len() as u64 > MAX_BYTES { Err(InputError::BufferTooLarge) } else { Ok(bytes) }
}

fn read_limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn kind(kind: InputKind) -> PatchKind {
    match kind {
        InputKind::FixActions => PatchKind::FixActions,
        InputKind::Changeset => PatchKind::Changeset,
        InputKind::Edits => PatchKind::Edits,
        InputKind::Repairs => PatchKind::Repairs,
        InputKind::JsonPatch => PatchKind::JsonPatch,
        InputKind::Sarif => PatchKind::Sarif,
        InputKind::Rdjson => PatchKind::Rdjson,
        InputKind::WorkspaceEdit => PatchKind::WorkspaceEdit,
        InputKind::ClangReplacements => PatchKind::ClangReplacements,
        InputKind::Diff => PatchKind::Diff,
    }
}
