//! `imports`: what a file imports exists, by name or by path, and no file imports itself in the end; or the same of the
//! entries of one file. Repair: the one near name; none for a cycle.

mod cycles;
mod links;

use std::collections::HashMap;

use check::Safety;
use document::Value;
use snapshot::RelPath;

use self::links::{Link, LinkTerms, Links};
use super::Within;
use super::nearest::Names;
use super::reference::{names_nothing, near_words, suggestion, with_near_ones};
use crate::finding::RuleFinding;
use crate::selector::{FileOccurrence, Occurrence, Selector, key_of, shown, words};
use crate::tree::PackTree;

const OF_FILES: LinkTerms = LinkTerms { verb: "imports", cycle: "a cycle of imports" };
const OF_ENTRIES: LinkTerms = LinkTerms { verb: "names", cycle: "a cycle" };

#[derive(Debug)]
pub(crate) struct ImportRule {
    pub(crate) from: Vec<Selector>,
    pub(crate) target: ImportForm,
    /// Whether names that differ only in case are the same, within a file.
    pub(crate) ignore_case: bool,
}

/// What an import names.
#[derive(Debug)]
pub(crate) enum ImportForm {
    /// A value at one of these places, and by it the file.
    Name(Vec<Selector>),
    /// A key at one of these places of the same file, and by it the entry. Whoever imports is the entry around it.
    Entry(Vec<Selector>),
    /// A file, relative to the folder of the importing file.
    RelativePath,
    /// A file, relative to the root.
    RootPath,
}

/// An import that leads nowhere.
struct Unresolved {
    found: RuleFinding,
    /// Who imports, by number.
    from: Option<usize>,
    /// What the repair would lead to; `None` for one that imports nothing.
    near: Option<usize>,
}

impl ImportRule {
    pub(crate) fn to(&self) -> &[Selector] {
        match &self.target {
            ImportForm::Name(places) | ImportForm::Entry(places) => places,
            ImportForm::RelativePath | ImportForm::RootPath => &[],
        }
    }

    /// Makes equal what counts as the same name.
    pub(crate) fn fold(&self, occurrence: &mut Occurrence) {
        if self.ignore_case {
            occurrence.key = occurrence.key.to_lowercase().into();
        }
    }

    /// Whether the answer depends on which files there are, not only on occurrences.
    pub(crate) fn is_by_path(&self) -> bool {
        matches!(self.target, ImportForm::RelativePath | ImportForm::RootPath)
    }

    pub(crate) fn within(&self) -> Within {
        if matches!(self.target, ImportForm::Entry(_)) { Within::File } else { Within::Workspace }
    }

    /// Facts in the order of path and position.
    pub(crate) fn look_at_tree(
        &self,
        floor: Option<Safety>,
        from: &[FileOccurrence<'_>],
        to: &[FileOccurrence<'_>],
        targets_are_dark: bool,
        tree: &PackTree<'_>,
    ) -> Vec<RuleFinding> {
        let importers = Importers::new(from);
        let (unresolved, links) = match &self.target {
            ImportForm::Name(places) => by_name(floor, places, &importers, to, targets_are_dark),
            ImportForm::Entry(_) => return Vec::new(),
            ImportForm::RelativePath | ImportForm::RootPath => {
                self.by_path(floor, &importers, tree)
            }
        };
        let names = importers.files.iter().map(|it| it.as_str()).collect();
        findings(unresolved, &mut Links::new(names, links), &OF_FILES)
    }

    /// Facts of one file, in order.
    pub(crate) fn look_at_file(
        &self,
        floor: Option<Safety>,
        from: &[FileOccurrence<'_>],
        to: &[FileOccurrence<'_>],
    ) -> Vec<RuleFinding> {
        let mut by_name: HashMap<&str, usize> = HashMap::new();
        let mut by_place: HashMap<&str, usize> = HashMap::new();
        for (node, (_, occurrence)) in to.iter().enumerate() {
            by_name.entry(&occurrence.key).or_insert(node);
            by_place.entry(&occurrence.at).or_insert(node);
        }
        let around = |at: &str| {
            let ends = at.rmatch_indices('/').map(|it| it.0);
            ends.into_iter().find_map(|end| by_place.get(&at[..end]).copied())
        };
        let mut dangling = Vec::new();
        let mut links = Vec::new();
        for &located in from.iter().filter(|it| it.1.value.as_str().is_some()) {
            match (around(&located.1.at), by_name.get(&*located.1.key)) {
                (Some(from), Some(&to)) => links.push(Link { from, to, located }),
                (None, Some(_)) => {}
                (_, None) => dangling.push(located),
            }
        }
        let unresolved = with_near_ones(floor, dangling, to).into_iter().map(|it| Unresolved {
            from: around(&it.located.1.at),
            near: it
                .near
                .and_then(|near| by_name.get(&*key_of(&Value::String(near.to_owned()))).copied()),
            found: names_nothing(it, self.to()),
        });
        let names = to.iter().map(|it| it.1.value.as_str().unwrap_or_default()).collect();
        findings(unresolved.collect(), &mut Links::new(names, links), &OF_ENTRIES)
    }

    fn by_path<'a>(
        &self,
        floor: Option<Safety>,
        importers: &Importers<'a>,
        tree: &PackTree<'_>,
    ) -> (Vec<Unresolved>, Vec<Link<'a>>) {
        let nodes: HashMap<&RelPath, usize> =
            importers.files.iter().enumerate().map(|(node, file)| (*file, node)).collect();
        let mut links = Vec::new();
        let mut dangling = Vec::new();
        for &(from, (file, occurrence)) in &importers.imports {
            let text = occurrence.value.as_str().unwrap_or_default();
            let folder =
                if matches!(self.target, ImportForm::RelativePath) { file.parent() } else { None };
            let path = resolve(folder.as_ref(), text);
            match &path {
                Some(path) if tree.snapshot.has(path) && !tree.snapshot.is_directory(path) => {
                    let to = nodes.get(path).copied();
                    links.extend(to.map(|to| Link { from, to, located: (file, occurrence) }));
                }
                _ => dangling.push((from, (file, occurrence), path)),
            }
        }
        let names = if dangling.is_empty() {
            Names::new(std::iter::empty(), 0)
        } else {
            Names::new(tree.snapshot.paths().map(RelPath::as_str), dangling.len())
        };
        let found = dangling.into_iter().map(|(from, (file, occurrence), path)| {
            let from = Some(from);
            let Some(path) = path else {
                let message = format!(
                    "{} is not a path inside the workspace; import a file in it",
                    shown(&occurrence.value)
                );
                return Unresolved {
                    found: RuleFinding::at_occurrence(file, occurrence, message),
                    from,
                    near: None,
                };
            };
            let text = occurrence.value.as_str().unwrap_or_default();
            let near = names.nearest(path.as_str());
            let suggestion = near.and_then(|(near, nearness)| {
                suggestion(
                    floor,
                    (file, occurrence),
                    &respell(text, path.as_str(), near)?,
                    nearness,
                )
            });
            let message = format!(
                "cannot find {}: there is no `{path}`{}",
                shown(&occurrence.value),
                near_words(&suggestion)
            );
            let near = near.and_then(|it| RelPath::parse(it.0).ok());
            let near = near.and_then(|it| nodes.get(&it).copied());
            Unresolved {
                found: RuleFinding::at_occurrence(file, occurrence, message).with(suggestion),
                from,
                near,
            }
        });
        (found.collect(), links)
    }
}

/// The files that import something, by number in the order of paths. What imports nothing is part of no cycle.
struct Importers<'a> {
    files: Vec<&'a RelPath>,
    /// Every import with the number of its file.
    imports: Vec<(usize, FileOccurrence<'a>)>,
}

impl<'a> Importers<'a> {
    fn new(from: &[FileOccurrence<'a>]) -> Importers<'a> {
        let mut importers =
            Importers { files: Vec::new(), imports: Vec::with_capacity(from.len()) };
        for &located in from.iter().filter(|it| it.1.value.as_str().is_some()) {
            if importers.files.last().is_none_or(|it| !is_same(it, located.0)) {
                importers.files.push(located.0);
            }
            importers.imports.push((importers.files.len() - 1, located));
        }
        importers
    }
}

/// Facts of one file have the very same path, which is quicker to see than that two paths are equal.
fn is_same(left: &RelPath, right: &RelPath) -> bool {
    std::ptr::eq(left, right) || left == right
}

fn by_name<'a>(
    floor: Option<Safety>,
    places: &[Selector],
    importers: &Importers<'a>,
    to: &[FileOccurrence<'a>],
    targets_are_dark: bool,
) -> (Vec<Unresolved>, Vec<Link<'a>>) {
    let mut nodes: HashMap<&str, Option<usize>> = HashMap::with_capacity(to.len());
    let mut node = 0;
    for (file, occurrence) in to {
        // Both lists are in the order of paths.
        while importers.files.get(node).is_some_and(|it| !is_same(it, file) && *it < *file) {
            node += 1;
        }
        let is_importer = importers.files.get(node).is_some_and(|it| is_same(it, file));
        nodes.entry(&occurrence.key).or_insert(is_importer.then_some(node));
    }
    let mut links = Vec::new();
    let mut dangling = Vec::new();
    let mut dangling_from = Vec::new();
    for &(from, located) in &importers.imports {
        match nodes.get(&*located.1.key) {
            Some(Some(to)) => links.push(Link { from, to: *to, located }),
            Some(None) => {}
            None if targets_are_dark => {}
            None => {
                dangling.push(located);
                dangling_from.push(from);
            }
        }
    }
    let missing = with_near_ones(floor, dangling, to).into_iter().zip(dangling_from);
    let found = missing.map(|(it, from)| {
        let (file, occurrence) = it.located;
        let message = format!(
            "cannot resolve the import {}: no such name at {}{}",
            shown(&occurrence.value),
            words(places),
            near_words(&it.suggestion),
        );
        let near =
            it.near.and_then(|near| *nodes.get(&*key_of(&Value::String(near.to_owned())))?);
        Unresolved {
            found: RuleFinding::at_occurrence(file, occurrence, message).with(it.suggestion),
            from: Some(from),
            near,
        }
    });
    (found.collect(), links)
}

/// What is unresolved and what is a cycle. The repair of one import must not close a cycle of others.
fn findings(
    unresolved: Vec<Unresolved>,
    links: &mut Links<'_>,
    words: &LinkTerms,
) -> Vec<RuleFinding> {
    let mut found: Vec<RuleFinding> = Vec::new();
    for Unresolved { found: mut one, from, near } in unresolved {
        if let (Some(from), Some(near)) = (from, near)
            && links.lead_back(near, from)
        {
            one.suggestion = None;
        }
        found.push(one);
    }
    found.extend(links.cycles(words));
    found
}

/// The path that an import means; `None` if it leads out of the root or is not a path.
fn resolve(folder: Option<&RelPath>, text: &str) -> Option<RelPath> {
    let mut segments: Vec<&str> = folder.map(|it| it.segments().collect()).unwrap_or_default();
    for segment in text.split('/') {
        match segment {
            "." => {}
            ".." => {
                segments.pop()?;
            }
            other => segments.push(other),
        }
    }
    RelPath::parse(&segments.join("/")).ok()
}

/// The import that means `near` instead of `path`, spelled as `text` spells the latter; `None` if they differ in a part
/// that the import does not spell.
fn respell(text: &str, path: &str, near: &str) -> Option<String> {
    let dots = text.split('/').take_while(|it| matches!(*it, "." | "..")).count();
    let spelled: Vec<&str> = text.split('/').skip(dots).collect();
    if spelled.iter().any(|it| matches!(*it, "." | "..")) {
        return None;
    }
    let old: Vec<&str> = path.split('/').collect();
    let new: Vec<&str> = near.split('/').collect();
    let n_implied = old.len().checked_sub(spelled.len())?;
    if new.len() != old.len() || old.get(..n_implied) != new.get(..n_implied) {
        return None;
    }
    let before = text.split('/').take(dots);
    Some(before.chain(new.get(n_implied..)?.iter().copied()).collect::<Vec<_>>().join("/"))
}
