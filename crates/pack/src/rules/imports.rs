//! `imports`: what a file imports exists, by name or by path, and no file imports itself in the end; or the same of the
//! entries of one file. Repair: the one near name; none for a cycle.

mod cycles;
mod links;

use std::collections::HashMap;

use check::Safety;
use document::Value;
use snapshot::RelPath;

use self::links::{Link, Links, Words};
use super::Within;
use super::nearest::Names;
use super::reference::{mend, names_nothing, near_words, with_near_ones};
use crate::found::Found;
use crate::place::{Fact, Place, Sited, key_of, shown, words};
use crate::tree::Tree;

const OF_FILES: Words = Words { verb: "imports", cycle: "a cycle of imports" };
const OF_ENTRIES: Words = Words { verb: "names", cycle: "a cycle" };

#[derive(Debug)]
pub(crate) struct Imports {
    pub(crate) from: Vec<Place>,
    pub(crate) target: Target,
    /// Whether names that differ only in case are the same, within a file.
    pub(crate) ignore_case: bool,
}

/// What an import names.
#[derive(Debug)]
pub(crate) enum Target {
    /// A value at one of these places, and by it the file.
    Name(Vec<Place>),
    /// A key at one of these places of the same file, and by it the entry. Whoever imports is the entry around it.
    Entry(Vec<Place>),
    /// A file, relative to the folder of the importing file.
    RelativePath,
    /// A file, relative to the root.
    RootPath,
}

/// An import that leads nowhere.
struct Unresolved {
    found: Found,
    /// Who imports, by number.
    from: Option<usize>,
    /// What the repair would lead to; `None` for one that imports nothing.
    near: Option<usize>,
}

impl Imports {
    pub(crate) fn to(&self) -> &[Place] {
        match &self.target {
            Target::Name(places) | Target::Entry(places) => places,
            Target::RelativePath | Target::RootPath => &[],
        }
    }

    /// Makes equal what counts as the same name.
    pub(crate) fn fold(&self, fact: &mut Fact) {
        if self.ignore_case {
            fact.key = fact.key.to_lowercase().into();
        }
    }

    /// Whether the answer depends on which files there are, not only on facts.
    pub(crate) fn is_by_path(&self) -> bool {
        matches!(self.target, Target::RelativePath | Target::RootPath)
    }

    pub(crate) fn within(&self) -> Within {
        if matches!(self.target, Target::Entry(_)) { Within::File } else { Within::Workspace }
    }

    /// Facts in the order of path and position.
    pub(crate) fn look_at_tree(
        &self,
        floor: Option<Safety>,
        from: &[Sited<'_>],
        to: &[Sited<'_>],
        targets_are_dark: bool,
        tree: &Tree<'_>,
    ) -> Vec<Found> {
        let importers = Importers::new(from);
        let (unresolved, links) = match &self.target {
            Target::Name(places) => by_name(floor, places, &importers, to, targets_are_dark),
            Target::Entry(_) => return Vec::new(),
            Target::RelativePath | Target::RootPath => self.by_path(floor, &importers, tree),
        };
        let names = importers.files.iter().map(|it| it.as_str()).collect();
        findings(unresolved, &mut Links::new(names, links), &OF_FILES)
    }

    /// Facts of one file, in order.
    pub(crate) fn look_at_file(
        &self,
        floor: Option<Safety>,
        from: &[Sited<'_>],
        to: &[Sited<'_>],
    ) -> Vec<Found> {
        let mut by_name: HashMap<&str, usize> = HashMap::new();
        let mut by_place: HashMap<&str, usize> = HashMap::new();
        for (node, (_, fact)) in to.iter().enumerate() {
            by_name.entry(&fact.key).or_insert(node);
            by_place.entry(&fact.at).or_insert(node);
        }
        let around = |at: &str| {
            let ends = at.rmatch_indices('/').map(|it| it.0);
            ends.into_iter().find_map(|end| by_place.get(&at[..end]).copied())
        };
        let mut dangling = Vec::new();
        let mut links = Vec::new();
        for &sited in from.iter().filter(|it| it.1.value.as_str().is_some()) {
            match (around(&sited.1.at), by_name.get(&*sited.1.key)) {
                (Some(from), Some(&to)) => links.push(Link { from, to, sited }),
                (None, Some(_)) => {}
                (_, None) => dangling.push(sited),
            }
        }
        let unresolved = with_near_ones(floor, dangling, to).into_iter().map(|it| Unresolved {
            from: around(&it.sited.1.at),
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
        tree: &Tree<'_>,
    ) -> (Vec<Unresolved>, Vec<Link<'a>>) {
        let nodes: HashMap<&RelPath, usize> =
            importers.files.iter().enumerate().map(|(node, file)| (*file, node)).collect();
        let mut links = Vec::new();
        let mut dangling = Vec::new();
        for &(from, (file, fact)) in &importers.imports {
            let text = fact.value.as_str().unwrap_or_default();
            let folder =
                if matches!(self.target, Target::RelativePath) { file.parent() } else { None };
            let path = resolve(folder.as_ref(), text);
            match &path {
                Some(path) if tree.snapshot.has(path) && !tree.snapshot.is_directory(path) => {
                    let to = nodes.get(path).copied();
                    links.extend(to.map(|to| Link { from, to, sited: (file, fact) }));
                }
                _ => dangling.push((from, (file, fact), path)),
            }
        }
        let names = if dangling.is_empty() {
            Names::new(std::iter::empty(), 0)
        } else {
            Names::new(tree.snapshot.paths().map(RelPath::as_str), dangling.len())
        };
        let found = dangling.into_iter().map(|(from, (file, fact), path)| {
            let from = Some(from);
            let Some(path) = path else {
                let message = format!(
                    "{} is no path inside the workspace; import a file in it",
                    shown(&fact.value)
                );
                return Unresolved { found: Found::at_fact(file, fact, message), from, near: None };
            };
            let text = fact.value.as_str().unwrap_or_default();
            let near = names.nearest(path.as_str());
            let mend = near.and_then(|(near, nearness)| {
                mend(floor, (file, fact), &respell(text, path.as_str(), near)?, nearness)
            });
            let message = format!(
                "{} leads to no file: there is no `{path}`{}",
                shown(&fact.value),
                near_words(&mend)
            );
            let near = near.and_then(|it| RelPath::parse(it.0).ok());
            let near = near.and_then(|it| nodes.get(&it).copied());
            Unresolved { found: Found::at_fact(file, fact, message).with(mend), from, near }
        });
        (found.collect(), links)
    }
}

/// The files that import something, by number in the order of paths. What imports nothing is part of no cycle.
struct Importers<'a> {
    files: Vec<&'a RelPath>,
    /// Every import with the number of its file.
    imports: Vec<(usize, Sited<'a>)>,
}

impl<'a> Importers<'a> {
    fn new(from: &[Sited<'a>]) -> Importers<'a> {
        let mut importers =
            Importers { files: Vec::new(), imports: Vec::with_capacity(from.len()) };
        for &sited in from.iter().filter(|it| it.1.value.as_str().is_some()) {
            if importers.files.last().is_none_or(|it| !is_same(it, sited.0)) {
                importers.files.push(sited.0);
            }
            importers.imports.push((importers.files.len() - 1, sited));
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
    places: &[Place],
    importers: &Importers<'a>,
    to: &[Sited<'a>],
    targets_are_dark: bool,
) -> (Vec<Unresolved>, Vec<Link<'a>>) {
    let mut nodes: HashMap<&str, Option<usize>> = HashMap::with_capacity(to.len());
    let mut node = 0;
    for (file, fact) in to {
        // Both lists are in the order of paths.
        while importers.files.get(node).is_some_and(|it| !is_same(it, file) && *it < *file) {
            node += 1;
        }
        let is_importer = importers.files.get(node).is_some_and(|it| is_same(it, file));
        nodes.entry(&fact.key).or_insert(is_importer.then_some(node));
    }
    let mut links = Vec::new();
    let mut dangling = Vec::new();
    let mut dangling_from = Vec::new();
    for &(from, sited) in &importers.imports {
        match nodes.get(&*sited.1.key) {
            Some(Some(to)) => links.push(Link { from, to: *to, sited }),
            Some(None) => {}
            None if targets_are_dark => {}
            None => {
                dangling.push(sited);
                dangling_from.push(from);
            }
        }
    }
    let missing = with_near_ones(floor, dangling, to).into_iter().zip(dangling_from);
    let found = missing.map(|(it, from)| {
        let (file, fact) = it.sited;
        let message = format!(
            "the import {} resolves to nothing: no such name at {}{}",
            shown(&fact.value),
            words(places),
            near_words(&it.mend),
        );
        let near =
            it.near.and_then(|near| *nodes.get(&*key_of(&Value::String(near.to_owned())))?);
        Unresolved {
            found: Found::at_fact(file, fact, message).with(it.mend),
            from: Some(from),
            near,
        }
    });
    (found.collect(), links)
}

/// What is unresolved and what is a cycle. The repair of one import must not close a cycle of others.
fn findings(unresolved: Vec<Unresolved>, links: &mut Links<'_>, words: &Words) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for Unresolved { found: mut one, from, near } in unresolved {
        if let (Some(from), Some(near)) = (from, near)
            && links.lead_back(near, from)
        {
            one.mend = None;
        }
        found.push(one);
    }
    found.extend(links.cycles(words));
    found
}

/// The path that an import means; `None` if it leads out of the root or is no path.
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
