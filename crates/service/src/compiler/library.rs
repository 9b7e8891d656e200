//! How programs find the modules they import.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use clank::program::{Library, candidate_files, module_names};
use clank_syntax::ast::Name;
use edit::Text;
use snapshot::RelPath;
use workspace::Workspace;

use crate::failure::Failure;
use crate::setup::load_text;

/// How many files a workspace may have for names of modules to be looked for in it.
const MAX_LISTED: usize = 50_000;

/// Modules in the workspace, read when they are asked for.
pub(crate) struct OnDisk<'a> {
    workspace: &'a Workspace,
    roots: Vec<String>,
    read: RefCell<Read>,
}

#[derive(Default)]
struct Read {
    texts: BTreeMap<RelPath, Option<Text>>,
    /// Every program of the workspace, once somebody misspelled one.
    files: Option<Vec<RelPath>>,
    failure: Option<Failure>,
}

impl<'a> OnDisk<'a> {
    pub(crate) fn new(workspace: &'a Workspace, roots: &[RelPath]) -> OnDisk<'a> {
        let roots = roots.iter().map(ToString::to_string).collect();
        OnDisk { workspace, roots, read: RefCell::default() }
    }

    /// The text of a file; `None` if there is none.
    pub(crate) fn text(&self, path: &RelPath) -> Option<Text> {
        let mut read = self.read.borrow_mut();
        if let Some(known) = read.texts.get(path) {
            return known.clone();
        }
        let text = match load_text(self.workspace, path) {
            Ok(text) => text,
            Err(failure) => {
                read.failure.get_or_insert(failure);
                None
            }
        };
        read.texts.insert(path.clone(), text.clone());
        text
    }

    /// The texts that were read, or why one could not be.
    pub(crate) fn finish(self) -> Result<BTreeMap<RelPath, Text>, Failure> {
        let Read { texts, failure, .. } = self.read.into_inner();
        match failure {
            Some(failure) => Err(failure),
            None => Ok(texts.into_iter().filter_map(|(path, text)| Some((path, text?))).collect()),
        }
    }
}

impl Library for OnDisk<'_> {
    fn module(&self, from: &str, path: &[Name]) -> Option<(Name, Arc<str>)> {
        candidate_files(from, path, &self.roots).into_iter().find_map(|file| {
            let text = self.text(&RelPath::parse(&file).ok()?)?;
            // A module that is not text is reported when it is checked itself; here it has no declarations.
            let text = std::str::from_utf8(text.bytes()).unwrap_or_default();
            Some((Name::from(file), Arc::from(text)))
        })
    }

    fn names(&self, from: &str) -> Vec<Name> {
        let mut read = self.read.borrow_mut();
        let files = read.files.get_or_insert_with(|| {
            let all = self.workspace.list(MAX_LISTED).into_iter();
            all.filter(|it| clank::is_program(it.as_str())).collect()
        });
        module_names(from, files.iter().map(RelPath::as_str), &self.roots)
    }
}
