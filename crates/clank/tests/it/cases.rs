//! Files of cases: where they are, and which of them are to be written anew.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::path::{Path, PathBuf};

/// The files of a folder of `tests`, in order.
pub(super) fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|it| it.expect("the folder can be read").path())
        .filter(|it| it.extension().is_some_and(|it| it == "md"))
        .collect();
    files.sort();
    files
}

/// Whether `REGREEN_BLESS` asks for the expectations of this file: `1` for all files, else names without `.md`.
pub(super) fn is_blessed(path: &Path) -> bool {
    let stem = path.file_stem().unwrap_or_default();
    let wanted = std::env::var("REGREEN_BLESS").unwrap_or_default();
    wanted == "1" || wanted.split(',').any(|it| *it == *stem)
}
