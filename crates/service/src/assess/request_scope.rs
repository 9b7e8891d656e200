//! What of the tree a request is about: which findings are reported and which files may be edited.

use std::collections::BTreeSet;

use check::{Diagnostic, Repair, Safety, Tier};
use plan::Policy;
use protocol::v1;
use snapshot::{Entry, RelPath, Snapshot};
use workspace::Survey;

use crate::config::nearest;
use crate::failure::Failure;
use crate::session::Session;
use crate::session::pool;
use crate::setup::registry::Registry;
use crate::setup::{ScannedTree, Setup, TreeOverlay};
use crate::wire;

/// What a request is about.
pub(crate) struct RequestScope {
    /// Files and folders; `None` is everything.
    paths: Option<BTreeSet<RelPath>>,
    /// Files that changed; `None` is everything.
    changed: Option<BTreeSet<RelPath>>,
    /// Files that stand in for those on disk; only they are edited if there are any.
    overlay: BTreeSet<RelPath>,
    tiers: BTreeSet<Tier>,
    /// By source and rule; empty is everything.
    only: BTreeSet<(String, String)>,
    sources: BTreeSet<String>,
    /// What may be applied.
    pub(crate) policy: Policy,
}

/// The contents that stand in for those on disk.
pub(crate) fn overlay(request: &v1::LookRequest) -> Result<TreeOverlay, Failure> {
    let entries = request.overlay.iter();
    entries.map(|(path, bytes)| Ok((parse(path)?, bytes.clone()))).collect()
}

/// The files and folders that a request is about; `None` if it is about everything or makes no sense.
pub(crate) fn asked(request: &v1::LookRequest) -> Option<BTreeSet<RelPath>> {
    match (&request.changed, request.paths.as_slice()) {
        (Some(changed), _) => Some(changed.iter().filter_map(|it| parse(it).ok()).collect()),
        (None, []) => None,
        (None, paths) => paths.iter().map(|it| parse(it).ok()).collect(),
    }
}

/// Whether a request may be about what a source says.
pub(crate) fn may_want(request: &v1::LookRequest, source: &str) -> bool {
    let is_named = |rule: &String| rule.strip_prefix(source).is_some_and(|it| it.starts_with('/'));
    (request.sources.is_empty() || request.sources.iter().any(|it| it == source))
        && (request.only.is_empty() || request.only.iter().any(is_named))
}

impl RequestScope {
    /// Takes a request apart. Names that nothing has are usage failures; files that are named and that the scan passed
    /// over are added to the tree.
    pub(crate) fn new(
        session: &Session,
        request: &v1::LookRequest,
        setup: &Setup,
        tree: &mut ScannedTree,
    ) -> Result<RequestScope, Failure> {
        let mut only = BTreeSet::new();
        for name in &request.only {
            let rules = setup.registry.named(name).map_err(|hint| {
                let name = nearest::short(name);
                let message = format!("there is no rule `{name}` in this workspace; {hint}");
                Failure::Usage { message }
            })?;
            only.extend(rules);
        }
        check_sources(&request.sources, &setup.registry.names())?;
        if let Some(id) = request.allow.iter().find(|it| !is_repair_id(it)) {
            let message = format!(
                "`{}` is not the id of a repair; expected `r_` and 12 hex digits, as in the report of `check`",
                nearest::short(id)
            );
            return Err(Failure::Usage { message });
        }
        if setup.config.needs_proposals()
            && let Some((name, _)) = RequestScope::typed(request).first()
        {
            let flag = if *name == "safety" { "--safety behavior_changing" } else { "--allow" };
            let message = if setup.config.require_approval {
                format!(
                    "`{flag}` does not work here: {} has `require_approval = true` under `[govern]`",
                    crate::config::PATH
                )
            } else {
                format!(
                    "`{flag}` does not work here: `[govern]` had `require_approval = true` when you trusted it and \
                     changed since; `regreen trust` accepts the change"
                )
            };
            return Err(Failure::Usage { message });
        }
        let paths = if request.paths.is_empty() {
            None
        } else {
            Some(named_paths(session, request, setup, tree)?)
        };
        let changed = request.changed.as_ref();
        let changed =
            changed.map(|list| list.iter().filter_map(|it| RelPath::parse(it).ok()).collect());
        let safety = request.safety.map_or(setup.config.safety, wire::safety_from_wire);
        Ok(RequestScope {
            paths,
            changed,
            overlay: request.overlay.keys().filter_map(|it| RelPath::parse(it).ok()).collect(),
            tiers: request.tiers.iter().map(|it| wire::tier_from_wire(*it)).collect(),
            only,
            sources: request.sources.iter().cloned().collect(),
            policy: Policy { safety, allow: request.allow.iter().cloned().collect() },
        })
    }

    /// Whether findings about the file are reported.
    pub(crate) fn covers(&self, file: &str) -> bool {
        // A file whose name is not a path of ours is reported only if everything is.
        let Ok(path) = RelPath::parse(file) else {
            return self.paths.is_none() && self.changed.is_none();
        };
        self.paths.as_ref().is_none_or(|it| is_beneath(it, &path))
            && self.changed.as_ref().is_none_or(|it| it.contains(&path))
    }

    /// The files of a tree that findings are reported of.
    pub(crate) fn files(&self, snapshot: &Snapshot) -> BTreeSet<RelPath> {
        let is_changed =
            |it: &&RelPath| self.changed.as_ref().is_none_or(|changed| changed.contains(*it));
        let Some(paths) = &self.paths else {
            return snapshot.paths().filter(is_changed).cloned().collect();
        };
        let found = paths.iter().flat_map(|path| {
            let itself = snapshot.has(path) && !snapshot.is_directory(path);
            itself.then_some(path).into_iter().chain(snapshot.paths_in(path))
        });
        found.filter(is_changed).cloned().collect()
    }

    /// The files that were asked about, if not all were.
    pub(crate) fn asked(&self, snapshot: &Snapshot) -> Option<BTreeSet<RelPath>> {
        (self.paths.is_some() || self.changed.is_some()).then(|| self.files(snapshot))
    }

    /// The files and folders that were named, links and what they lead to.
    pub(crate) fn named(&self) -> impl Iterator<Item = &RelPath> {
        self.paths.iter().flatten()
    }

    /// Whether what the source says is reported.
    pub(crate) fn takes_source(&self, source: &str) -> bool {
        self.sources.is_empty() || self.sources.contains(source)
    }

    /// Whether something that could not be read may have been asked about, itself or what lies in it.
    pub(crate) fn may_need(&self, failure: &v1::LookFailure) -> bool {
        let Some(file) = &failure.file else { return true };
        let Ok(folder) = RelPath::parse(file) else { return self.covers(file) };
        let holds_one = |paths: &BTreeSet<RelPath>| paths.iter().any(|it| folder.contains(it));
        let is_needed = |paths: &BTreeSet<RelPath>| is_beneath(paths, &folder) || holds_one(paths);
        self.paths.as_ref().is_none_or(is_needed) && self.changed.as_ref().is_none_or(is_needed)
    }

    /// Whether the file may be edited.
    pub(crate) fn is_editable(&self, path: &RelPath) -> bool {
        self.covers(path.as_str()) && (self.overlay.is_empty() || self.overlay.contains(path))
    }

    pub(crate) fn has_overlay(&self) -> bool {
        !self.overlay.is_empty()
    }

    /// Whether the finding is reported.
    pub(crate) fn takes(&self, diagnostic: &Diagnostic) -> bool {
        self.takes_rule(&diagnostic.rule_id, &diagnostic.source, diagnostic.tier)
            && self.covers(&diagnostic.file)
    }

    /// Whether the finding that an entry of the baseline is about would be reported if it were still there.
    pub(crate) fn covers_entry(&self, entry: &v1::BaselineEntry, registry: &Registry) -> bool {
        let tier = registry.tier(&entry.source, &entry.rule_id).unwrap_or(Tier::Schema);
        self.takes_rule(&entry.rule_id, &entry.source, tier) && self.covers(&entry.file)
    }

    /// Whether the repair is a candidate: its rule is reported, it is about a file that was asked
    /// about, and not all that it resolves was there before.
    pub(crate) fn wants(&self, repair: &Repair, setup: &Setup) -> bool {
        let tier = tier_of(repair, setup);
        self.takes_rule(&repair.rule_id, &repair.source, tier)
            && repair.files().iter().any(|it| self.covers(it.as_str()))
            // What stands in for files on disk has contents, and no paths to change.
            && !(self.has_overlay() && repair.has_file_operation())
            && repair.resolves.iter().any(|it| !setup.sieve.baseline.contains(it))
    }

    fn takes_rule(&self, rule_id: &str, source: &str, tier: Tier) -> bool {
        (self.tiers.is_empty() || self.tiers.contains(&tier))
            && (self.only.is_empty()
                || self.only.contains(&(source.to_owned(), rule_id.to_owned())))
            && self.takes_source(source)
    }

    /// Whether only a person's word lets the repair be made.
    pub(crate) fn needs_approval(&self, repair: &Repair) -> bool {
        let is_low = repair.confidence == check::Confidence::Low;
        let is_wide = repair.safety > self.policy.safety;
        (is_wide || is_low) && !self.policy.allow.contains(&repair.id)
    }

    /// The safety and ids that a person typed and that widen what is applied, in words for the log.
    pub(crate) fn typed(request: &v1::LookRequest) -> Vec<(&'static str, String)> {
        let mut notes = Vec::new();
        if let Some(safety) = request.safety.map(wire::safety_from_wire)
            && safety == Safety::BehaviorChanging
        {
            notes.push(("safety", safety.name().to_owned()));
        }
        if !request.allow.is_empty() {
            let ids: BTreeSet<&str> = request.allow.iter().map(String::as_str).collect();
            notes.push(("allowed", ids.into_iter().collect::<Vec<_>>().join(" ")));
        }
        notes
    }
}

/// The tier of the rule that a repair belongs to; a rule that is in no list tells it by the name of its phase.
fn tier_of(repair: &Repair, setup: &Setup) -> Tier {
    match setup.registry.tier(&repair.source, &repair.rule_id) {
        Some(tier) => tier,
        None if repair.phase == "policy" => Tier::Policy,
        None if repair.phase == "semantic" => Tier::Semantic,
        None => Tier::Schema,
    }
}

fn is_repair_id(text: &str) -> bool {
    let digits = text.strip_prefix("r_").unwrap_or_default();
    digits.len() == 12
        && digits.bytes().all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it))
}

fn is_beneath(paths: &BTreeSet<RelPath>, path: &RelPath) -> bool {
    paths.contains(path) || path.ancestors().any(|it| paths.contains(&it))
}

fn parse(path: &str) -> Result<RelPath, Failure> {
    RelPath::parse(path).map_err(|error| Failure::Usage { message: error.to_string() })
}

fn check_sources(names: &[String], known: &[&str]) -> Result<(), Failure> {
    let Some(unknown) = names.iter().find(|it| !known.contains(&it.as_str())) else {
        return Ok(());
    };
    let hint = match nearest::nearest(unknown, known) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("there are {}", nearest::list(known)),
    };
    let message =
        format!("there is no source `{}` in this workspace; {hint}", nearest::short(unknown));
    Err(Failure::Usage { message })
}

/// What is in a folder that the scan passed over and that somebody named, or that lies in such a folder.
fn passed_over(
    session: &Session,
    setup: &Setup,
    tree: &mut ScannedTree,
    folder: &RelPath,
) -> Result<Snapshot, Failure> {
    if !tree.passed_over.iter().any(|(it, _)| it == folder || it.contains(folder)) {
        return Ok(Snapshot::default());
    }
    let interests = setup.registry.interests();
    let is_of_interest = |path: &RelPath| interests.cover(path.as_str());
    let workspace = setup.workspace(session);
    let survey = Survey {
        jobs: pool::n_threads(),
        is_of_interest: &is_of_interest,
        suspects: &BTreeSet::new(),
        only: None,
    };
    let scanned = workspace.survey_folder(folder, &tree.reader, &survey)?;
    tree.passed_over.retain(|(it, _)| it != folder);
    Ok(scanned.snapshot.only(|path| setup.includes(path)))
}

/// The paths that were named, those behind links too.
fn named_paths(
    session: &Session,
    request: &v1::LookRequest,
    setup: &Setup,
    tree: &mut ScannedTree,
) -> Result<BTreeSet<RelPath>, Failure> {
    let mut paths = BTreeSet::new();
    let mut added = Snapshot::default();
    for path in &request.paths {
        let path = parse(path)?;
        if tree.snapshot.file(&path).is_none() && !tree.snapshot.is_directory(&path) {
            let loaded = match setup.workspace(session).load(std::slice::from_ref(&path)) {
                Ok(loaded) => loaded,
                // It is one of the things that cannot be read; the others are looked at all the same.
                Err(workspace::LoadError::Io { source, .. }) => {
                    tree.add_unreadable(&path, &source.to_string());
                    paths.insert(path);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if let Some(refusal) = loaded.refused.get(&path) {
                return Err(Failure::Usage { message: format!("{path}: {refusal}") });
            }
            let place = loaded.resolved.get(&path).unwrap_or(&path).clone();
            match loaded.snapshot.get(&place) {
                None => {
                    let message = format!("there is no file or folder {path} in the workspace");
                    return Err(Failure::Usage { message });
                }
                Some(entry @ Entry::File(_)) if setup.includes(&place) => {
                    let named = [(place.clone(), entry.clone())];
                    added = added.with(named).map_err(workspace::LoadError::Moving)?;
                }
                Some(Entry::Directory) => {
                    let found = passed_over(session, setup, tree, &place)?;
                    added = added.joined(&found).map_err(workspace::LoadError::Moving)?;
                }
                Some(_) => {}
            }
            paths.insert(place);
        }
        paths.insert(path);
    }
    if !added.is_empty() {
        let snapshot = std::mem::take(&mut tree.snapshot);
        tree.snapshot = snapshot.joined(&added).map_err(workspace::LoadError::Moving)?;
    }
    Ok(paths)
}
