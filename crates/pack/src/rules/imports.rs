//! `imports`: what a file imports exists, by name or by path, and no file imports itself in the end. Repair: the one
//! near name; none for a cycle.

mod cycles;

use std::collections::{BTreeMap, HashMap, HashSet};

use check::Safety;
use document::Value;
use snapshot::{Entry, RelPath};

use super::nearest::Names;
use super::reference::{mend, missing, near_words};
use crate::found::{Elsewhere, Found};
use crate::place::{Place, Sited, key_of, shown, words};
use crate::tree::Tree;

#[derive(Debug)]
pub(crate) struct Imports {
    pub(crate) from: Vec<Place>,
    pub(crate) target: Target,
}

/// What an import names.
#[derive(Debug)]
pub(crate) enum Target {
    /// A value at one of these places.
    Name(Vec<Place>),
    /// A file, relative to the folder of the importing file.
    RelativePath,
    /// A file, relative to the root.
    RootPath,
}

/// An import that leads to a file.
struct Resolved<'a> {
    sited: Sited<'a>,
    to: RelPath,
}

/// An import that leads nowhere, and the file that its repair would lead to.
struct Unresolved {
    found: Found,
    near: Option<RelPath>,
}

impl Imports {
    pub(crate) fn to(&self) -> &[Place] {
        match &self.target {
            Target::Name(places) => places,
            Target::RelativePath | Target::RootPath => &[],
        }
    }

    /// Whether the answer depends on which files there are, not only on facts.
    pub(crate) fn is_by_path(&self) -> bool {
        !matches!(self.target, Target::Name(_))
    }

    pub(crate) fn look(
        &self,
        floor: Option<Safety>,
        from: &[Sited<'_>],
        to: &[Sited<'_>],
        targets_are_dark: bool,
        tree: &Tree<'_>,
    ) -> Vec<Found> {
        let from: Vec<Sited<'_>> =
            from.iter().filter(|it| it.1.value.as_str().is_some()).copied().collect();
        let (unresolved, resolved) = match &self.target {
            Target::Name(places) => by_name(floor, places, &from, to, targets_are_dark),
            Target::RelativePath | Target::RootPath => self.by_path(floor, &from, tree),
        };
        let mut reach = Reach::new(&resolved);
        let mut found: Vec<Found> = Vec::new();
        for Unresolved { found: mut one, near } in unresolved {
            // The repair of one import must not close a cycle of others.
            if near.is_none_or(|near| reach.leads_back(&near, &one.file)) {
                one.mend = None;
            }
            found.push(one);
        }
        found.extend(cycles_of(&resolved));
        found
    }

    fn by_path<'a>(
        &self,
        floor: Option<Safety>,
        from: &[Sited<'a>],
        tree: &Tree<'_>,
    ) -> (Vec<Unresolved>, Vec<Resolved<'a>>) {
        let mut resolved = Vec::new();
        let mut dangling = Vec::new();
        for &(file, fact) in from {
            let text = fact.value.as_str().unwrap_or_default();
            let folder =
                if matches!(self.target, Target::RelativePath) { file.parent() } else { None };
            match resolve(folder.as_ref(), text) {
                Some(path) => match tree.snapshot.get(&path) {
                    Some(Entry::Directory) | None => dangling.push(((file, fact), Some(path))),
                    Some(_) => resolved.push(Resolved { sited: (file, fact), to: path }),
                },
                None => dangling.push(((file, fact), None)),
            }
        }
        let names = if dangling.is_empty() {
            Names::new(std::iter::empty(), 0)
        } else {
            let files = tree.snapshot.iter().filter(|it| *it.1 != Entry::Directory);
            Names::new(files.map(|it| it.0.as_str()), dangling.len())
        };
        let found = dangling.into_iter().map(|((file, fact), path)| {
            let Some(path) = path else {
                let message = format!(
                    "{} is no path inside the workspace; import a file in it",
                    shown(&fact.value)
                );
                return Unresolved { found: Found::at_fact(file, fact, message), near: None };
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
            Unresolved { found: Found::at_fact(file, fact, message).with(mend), near }
        });
        (found.collect(), resolved)
    }
}

fn by_name<'a>(
    floor: Option<Safety>,
    places: &[Place],
    from: &[Sited<'a>],
    to: &[Sited<'a>],
    targets_are_dark: bool,
) -> (Vec<Unresolved>, Vec<Resolved<'a>>) {
    let mut files: HashMap<&str, &RelPath> = HashMap::new();
    for (file, fact) in to {
        files.entry(&fact.key).or_insert(file);
    }
    let resolved = from.iter().filter_map(|&sited| {
        let to = *files.get(&*sited.1.key)?;
        Some(Resolved { sited, to: to.clone() })
    });
    let resolved = resolved.collect();
    if targets_are_dark {
        return (Vec::new(), resolved);
    }
    let found = missing(floor, from, to).into_iter().map(|it| {
        let (file, fact) = it.sited;
        let near = near_words(&it.mend);
        let message = format!(
            "the import {} resolves to nothing: no such name at {}{near}",
            shown(&fact.value),
            words(places),
        );
        let near =
            it.near.and_then(|near| files.get(&*key_of(&Value::String(near.to_owned()))).copied());
        Unresolved { found: Found::at_fact(file, fact, message).with(it.mend), near: near.cloned() }
    });
    (found.collect(), resolved)
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

/// Where imports lead in the end, for as long as finding out is cheap.
struct Reach<'a> {
    edges: HashMap<&'a RelPath, Vec<&'a RelPath>>,
    n_left: usize,
}

impl<'a> Reach<'a> {
    fn new(resolved: &'a [Resolved<'_>]) -> Reach<'a> {
        let mut edges: HashMap<&RelPath, Vec<&RelPath>> = HashMap::new();
        for it in resolved {
            edges.entry(it.sited.0).or_default().push(&it.to);
        }
        Reach { edges, n_left: MAX_STEPS }
    }

    /// Whether `from` is `to` or imports it in the end; also if that takes too long to find out.
    fn leads_back(&mut self, from: &RelPath, to: &RelPath) -> bool {
        let mut seen: HashSet<&RelPath> = HashSet::new();
        let mut todo = vec![from];
        while let Some(file) = todo.pop() {
            if file == to || self.n_left == 0 {
                return true;
            }
            self.n_left -= 1;
            let next = self.edges.get(file).into_iter().flatten().copied();
            todo.extend(next.filter(|it| seen.insert(it)));
        }
        false
    }
}

/// One finding per cycle, at the import that leads back to the smallest path of it.
fn cycles_of(resolved: &[Resolved<'_>]) -> Vec<Found> {
    let mut edges: BTreeMap<&RelPath, BTreeMap<&RelPath, Sited<'_>>> = BTreeMap::new();
    for it in resolved {
        edges.entry(it.sited.0).or_default().entry(&it.to).or_insert(it.sited);
    }
    let graph: BTreeMap<&RelPath, Vec<&RelPath>> =
        edges.iter().map(|(from, to)| (*from, to.keys().copied().collect())).collect();
    let sited = |from: &RelPath, to: &RelPath| edges.get(from).and_then(|it| it.get(to)).copied();
    let found = cycles::find(&graph).into_iter().filter_map(|cycle| {
        let (first, last) = (*cycle.first()?, *cycle.last()?);
        let (file, fact) = sited(last, first)?;
        let way: Vec<&str> = cycle.iter().chain([&first]).map(|it| it.as_str()).collect();
        let message = if way.len() == 2 {
            format!("{file} imports itself; remove the import")
        } else {
            format!(
                "{} closes a cycle of imports: {}; remove one of them",
                shown(&fact.value),
                cut(&way)
            )
        };
        let files = cycle.iter().map(|it| Value::String(it.to_string())).collect();
        let mut one = Found::at_fact(file, fact, message);
        one.details.insert("cycle".to_owned(), Value::Array(files));
        one.elsewhere = cycle
            .windows(2)
            .take(MAX_SHOWN)
            .filter_map(|pair| {
                let (file, fact) = sited(pair[0], pair[1])?;
                Some(Elsewhere::new(file, fact, format!("imports {}", pair[1])))
            })
            .collect();
        Some(one)
    });
    found.collect()
}

/// How far all repairs of a rule together may be followed.
const MAX_STEPS: usize = 2_000_000;

/// The most files of a cycle that a message names.
const MAX_SHOWN: usize = 8;

fn cut(way: &[&str]) -> String {
    match way {
        [start @ .., last] if start.len() > MAX_SHOWN => {
            format!("{} → … → {last}", start[..MAX_SHOWN].join(" → "))
        }
        whole => whole.join(" → "),
    }
}
