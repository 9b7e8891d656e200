//! What a manifest names: dependencies as values, and which of them are new.

use std::collections::{BTreeMap, BTreeSet};

/// What a dependency is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum DependencyKind {
    /// The product needs it. Whoever has this may also have it for a lesser purpose.
    Normal,
    /// Development and tests.
    Dev,
    /// Building.
    Build,
    /// Only with a feature or an extra.
    Optional,
    /// The user of the package brings it.
    Peer,
    /// Packed into the package.
    Bundled,
    /// Another package or source is put in its place.
    Override,
    /// A build tool's plugin.
    Plugin,
    /// Versions for others to use.
    Managed,
    /// Resolved, in a lock file.
    Locked,
    /// A directory of the same repository.
    Local,
    /// A registry or repository that packages come from.
    Source,
    /// Another file with dependencies.
    Include,
    /// Something that decides about dependencies and cannot be read.
    Opaque,
}

impl DependencyKind {
    fn label(self) -> &'static str {
        match self {
            DependencyKind::Normal => "dependency",
            DependencyKind::Dev => "development dependency",
            DependencyKind::Build => "build dependency",
            DependencyKind::Optional => "optional dependency",
            DependencyKind::Peer => "peer dependency",
            DependencyKind::Bundled => "bundled dependency",
            DependencyKind::Override => "override",
            DependencyKind::Plugin => "plugin",
            DependencyKind::Managed => "managed dependency",
            DependencyKind::Locked => "locked package",
            DependencyKind::Local => "local package",
            DependencyKind::Source => "package source",
            DependencyKind::Include => "included file",
            DependencyKind::Opaque => "part that cannot be judged",
        }
    }
}

/// One dependency. Without a version: that may change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Dependency {
    /// Its name, in the form that its ecosystem compares.
    pub(super) name: String,
    /// What it is for.
    pub(super) kind: DependencyKind,
    /// Where it comes from; empty for the ecosystem's own registry.
    pub(super) source: String,
}

/// The source of a dependency that takes it from the manifest above, where it is measured.
pub(super) const INHERITED: &str = "the workspace";

/// Names in messages are cut here.
const MAX_SHOWN: usize = 120;

impl Dependency {
    /// What is wrong with it, if it is new in a manifest of that format.
    pub(super) fn describe(&self, label: &str) -> String {
        let from = if self.source.is_empty() {
            String::new()
        } else {
            format!(" from {}", shown(&self.source))
        };
        format!("new {} {}{from} ({label})", self.kind.label(), shown(&self.name))
    }
}

/// Text of a file in a message: short, on one line, without control characters.
fn shown(text: &str) -> String {
    let mut cut: String =
        text.chars().take(MAX_SHOWN).map(|it| if it.is_control() { ' ' } else { it }).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        cut.push('…');
    }
    cut
}

/// The dependencies of one manifest.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Dependencies {
    all: BTreeSet<Dependency>,
}

impl Dependencies {
    /// Adds one.
    pub(super) fn add(
        &mut self,
        kind: DependencyKind,
        name: impl Into<String>,
        source: impl Into<String>,
    ) {
        self.all.insert(Dependency { name: name.into(), kind, source: source.into() });
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Dependency> {
        self.all.iter()
    }

    /// Those that `old` does not have. A normal dependency covers every other kind of the same name and source, and
    /// what was named at all may be inherited.
    pub(super) fn added_to<'a>(
        &'a self,
        old: &'a Dependencies,
    ) -> impl Iterator<Item = &'a Dependency> {
        let mut known: BTreeMap<&str, Vec<&Dependency>> = BTreeMap::new();
        for it in &old.all {
            known.entry(&it.name).or_default().push(it);
        }
        let covers = |old: &Dependency, new: &Dependency| {
            let is_covered_kind = old.kind == new.kind
                || (old.kind == DependencyKind::Normal && new.kind != DependencyKind::Opaque);
            is_covered_kind && (old.source == new.source || new.source == INHERITED)
        };
        self.all.iter().filter(move |new| {
            !known
                .get(new.name.as_str())
                .is_some_and(|olds| olds.iter().any(|old| covers(old, new)))
        })
    }
}

/// An address without what names a version of it: no fragment, no revision, no `.git`, no slash at the end.
pub(super) fn address(url: &str) -> String {
    let url = url.split('#').next().unwrap_or(url);
    let names_version =
        |query: &str| ["rev=", "tag=", "branch=", "ref="].iter().any(|it| query.starts_with(it));
    let url =
        url.split_once('?').filter(|(_, query)| names_version(query)).map_or(url, |(url, _)| url);
    let url = url.trim_end_matches('/');
    url.strip_suffix(".git").unwrap_or(url).to_owned()
}

/// The host of an address, and for hosts of repositories the owner and name too: what a registry is known by.
pub(super) fn origin(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return address(url) };
    if scheme.starts_with("git") || scheme == "ssh" {
        return address(url);
    }
    let mut segments = rest.split('/');
    let host = segments.next().unwrap_or("").to_ascii_lowercase();
    let depth = match host.as_str() {
        "github.com" | "codeload.github.com" | "gitlab.com" | "bitbucket.org" => 2,
        "api.github.com" => 3,
        _ => 0,
    };
    let path: Vec<&str> = segments.take(depth).collect();
    address(&[&[host.as_str()], path.as_slice()].concat().join("/"))
}
