//! Paths of generated files, and how they import one another.

use std::collections::BTreeSet;

use crate::context::SourceModules;
use crate::runtime::OutputLanguage;

pub(crate) fn extension(dialect: OutputLanguage) -> &'static str {
    match dialect {
        OutputLanguage::TypeScript => ".ts",
        OutputLanguage::JavaScript => ".js",
    }
}

pub(crate) fn with_extension(file: &str, extension: &str) -> String {
    let stem = [".clank", ".json", ".js"].into_iter().find_map(|it| file.strip_suffix(it));
    let stem = stem.unwrap_or(file);
    if stem.is_empty() { format!("main{extension}") } else { format!("{stem}{extension}") }
}

/// A path for the run-time library that no module has.
pub(crate) fn library_path(modules: &SourceModules<'_>) -> String {
    let taken: BTreeSet<String> =
        modules.list.iter().map(|it| with_extension(it.file, ".js")).collect();
    let mut path = "clank.js".to_owned();
    let mut number = 2;
    while taken.contains(&path) {
        path = format!("clank{number}.js");
        number += 1;
    }
    path
}

/// The path to a file as a module in another file imports it.
pub(crate) fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let folders = &from[..from.len() - 1];
    let shared = folders.iter().zip(&to[..to.len() - 1]).take_while(|it| it.0 == it.1).count();
    let up = folders.len() - shared;
    let start = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    start + &to[shared..].join("/")
}
