//! All that is known of one version of a tree: what every provider says, less what does not count here.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use check::{CheckError, Coverage, Diagnostic, FailureKind, Input, Repair, Severity, Since};
use snapshot::{RelPath, Snapshot};

use crate::ask::{Look, by_name};
use crate::ignore::{self, Ignores, OWN_SOURCE};
use crate::run::Run;

/// A provider that could not do its work, or whose answer did not make sense. Never what is wrong with the tree
/// (AE-48).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ProviderFailure {
    /// The provider's plain name.
    pub source: String,
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What happened.
    pub message: String,
}

/// All that is known of one version of a tree.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The tree.
    pub snapshot: Snapshot,
    /// What is wrong in it, in the total order, with the severities of this workspace and without what is ignored.
    pub diagnostics: Vec<Arc<Diagnostic>>,
    /// What would repair it, in the order of the findings that the repairs belong to.
    pub repairs: Vec<Arc<Repair>>,
    /// The ids of those findings that were there before and are put up with.
    pub baselined: BTreeSet<String>,
    /// How many findings are ignored by comments.
    pub n_ignored: usize,
    /// Who could not do their work, in order.
    pub failures: Vec<ProviderFailure>,
    /// What the providers said, by their names. One that failed is missing.
    pub(crate) looks: BTreeMap<String, Look>,
    /// The largest number of phases that a provider has.
    pub(crate) n_phases: usize,
    ignores: Ignores,
}

/// Asks every provider about the tree. With an earlier assessment, made in the same run, they only look at what is
/// different; the answer is the same.
pub fn assess(run: &Run<'_>, snapshot: &Snapshot, before: Option<&Assessment>) -> Assessment {
    match before {
        None => assess_since(run, snapshot, None),
        Some(before) => {
            let changed = changed_paths(&before.snapshot, snapshot);
            assess_since(run, snapshot, Some((before, &changed)))
        }
    }
}

/// Like [`assess`], when it is known what changed since the earlier assessment.
pub(crate) fn assess_since(
    run: &Run<'_>,
    snapshot: &Snapshot,
    before: Option<(&Assessment, &BTreeSet<RelPath>)>,
) -> Assessment {
    let (providers, failures) = by_name(run.checks);
    let failed = |(source, error): (String, CheckError)| ProviderFailure {
        source,
        kind: error.kind,
        message: error.message,
    };
    let mut failures: Vec<ProviderFailure> = failures.into_iter().map(failed).collect();
    let mut looks = BTreeMap::new();
    for provider in &providers {
        let since = before.and_then(|(before, changed)| {
            let report = &*before.looks.get(&provider.name)?.report;
            Some(Since { report, changed })
        });
        match provider.look(&Input { snapshot, since, parses: run.parses }) {
            Ok(look) => {
                failures.extend(look.flaws.iter().map(|it| garbled(&provider.name, it.clone())));
                looks.insert(provider.name.clone(), look);
            }
            Err(error) => failures.push(failed((provider.name.clone(), error))),
        }
    }
    let n_phases = providers.iter().map(|it| it.phases.len()).max().unwrap_or(0);
    let ignores =
        ignore::update(run.parses, snapshot, before.map(|(it, changed)| (&it.ignores, changed)));
    let all_asked = looks.len() == run.checks.len();
    let mut assessment = Assessment {
        snapshot: snapshot.clone(),
        diagnostics: Vec::new(),
        repairs: Vec::new(),
        baselined: BTreeSet::new(),
        n_ignored: 0,
        failures,
        looks,
        n_phases,
        ignores,
    };
    sift(run, &mut assessment, all_asked);
    assessment.failures.sort();
    assessment.failures.dedup();
    assessment
}

/// An answer that did not make sense.
pub(crate) fn garbled(source: &str, message: String) -> ProviderFailure {
    ProviderFailure { source: source.to_owned(), kind: FailureKind::Garbled, message }
}

/// The paths at which two trees differ.
fn changed_paths(before: &Snapshot, after: &Snapshot) -> BTreeSet<RelPath> {
    let mut changed = BTreeSet::new();
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let path = match (old.peek(), new.peek()) {
            (None, None) => return changed,
            (Some((path, _)), None) | (None, Some((path, _))) => *path,
            (Some((left, _)), Some((right, _))) => *left.min(right),
        };
        let left = old.next_if(|(it, _)| *it == path).map(|(_, entry)| entry);
        let right = new.next_if(|(it, _)| *it == path).map(|(_, entry)| entry);
        if left != right {
            changed.insert(path.clone());
        }
    }
}

/// Takes over what counts of all that the providers said.
fn sift(run: &Run<'_>, assessment: &mut Assessment, all_asked: bool) {
    let (mut said, mut repairs) = (Vec::new(), Vec::new());
    let mut known: HashSet<&str> = HashSet::new();
    let mut repair_ids: HashSet<&str> = HashSet::new();
    for (source, look) in &assessment.looks {
        // An id stands for one finding in the whole run, so the first provider that uses it keeps it.
        for diagnostic in &look.diagnostics {
            if known.insert(&diagnostic.diagnostic_id) {
                said.push(diagnostic);
            } else {
                let message = format!(
                    "{} is the id of a finding of another provider",
                    diagnostic.diagnostic_id
                );
                assessment.failures.push(garbled(source, message));
            }
        }
        for repair in &look.repairs {
            if repair_ids.insert(&repair.id) {
                repairs.push(repair);
            } else {
                let message = format!("{} is the id of a repair of another provider", repair.id);
                assessment.failures.push(garbled(source, message));
            }
        }
    }
    let leveled = said.into_iter().filter_map(|diagnostic| {
        let severity = run.sieve.severity(diagnostic)?;
        Some(with_severity(diagnostic, severity))
    });
    let sifted = ignore::sift(&assessment.ignores, leveled.collect(), &|path| {
        all_asked && assessment.looks.values().all(|look| !look.report.blocked.contains_key(path))
    });
    let own = sifted.own.into_iter().filter_map(|mut diagnostic| {
        diagnostic.severity = run.sieve.severity(&diagnostic)?;
        Some(Arc::new(diagnostic))
    });
    let mut diagnostics: Vec<Arc<Diagnostic>> = sifted.kept.into_iter().chain(own).collect();
    diagnostics.sort_by(|left, right| left.total_cmp(right));
    let repairs = attach(&mut diagnostics, &repairs, &known);
    let is_baselined = |it: &&Arc<Diagnostic>| run.sieve.baseline.contains(&it.diagnostic_id);
    assessment.baselined =
        diagnostics.iter().filter(is_baselined).map(|it| it.diagnostic_id.clone()).collect();
    assessment.n_ignored = sifted.n_ignored;
    assessment.diagnostics = diagnostics;
    assessment.repairs = repairs;
}

fn with_severity(diagnostic: &Arc<Diagnostic>, severity: Severity) -> Arc<Diagnostic> {
    if diagnostic.severity == severity {
        return Arc::clone(diagnostic);
    }
    Arc::new(Diagnostic { severity, ..(**diagnostic).clone() })
}

/// The repairs of the findings that are left, and the references from those to the repairs. What a repair resolves of
/// the `known` findings that do not count is no longer part of its claim; ids that nobody knows stay in it, because a
/// claim about nothing is for the plan to refuse.
fn attach(
    diagnostics: &mut [Arc<Diagnostic>],
    repairs: &[&Arc<Repair>],
    known: &HashSet<&str>,
) -> Vec<Arc<Repair>> {
    let at: HashMap<&str, usize> =
        diagnostics.iter().enumerate().map(|(idx, it)| (it.diagnostic_id.as_str(), idx)).collect();
    let mut placed: Vec<(usize, Arc<Repair>)> = Vec::with_capacity(repairs.len());
    for repair in repairs {
        let counts = |id: &&String| at.contains_key(id.as_str()) || !known.contains(id.as_str());
        let resolves: Vec<String> = repair.resolves.iter().filter(counts).cloned().collect();
        if resolves.is_empty() && !repair.resolves.is_empty() {
            continue;
        }
        let owner = resolves.iter().find_map(|id| at.get(id.as_str()).copied());
        let severity = owner.map_or(repair.severity, |idx| diagnostics[idx].severity);
        let is_same = severity == repair.severity && resolves.len() == repair.resolves.len();
        let repair = match is_same {
            true => Arc::clone(repair),
            false => Arc::new(Repair { severity, resolves, ..(***repair).clone() }),
        };
        placed.push((owner.unwrap_or(usize::MAX), repair));
    }
    placed.sort_by(|left, right| (left.0, &left.1.id).cmp(&(right.0, &right.1.id)));
    let mut refs: Vec<Vec<String>> = vec![Vec::new(); diagnostics.len()];
    for (_, repair) in &placed {
        let resolved: BTreeSet<usize> =
            repair.resolves.iter().filter_map(|id| at.get(id.as_str()).copied()).collect();
        resolved.into_iter().for_each(|idx| refs[idx].push(repair.id.clone()));
    }
    drop(at);
    for (diagnostic, refs) in diagnostics.iter_mut().zip(refs) {
        if diagnostic.repair_refs != refs {
            Arc::make_mut(diagnostic).repair_refs = refs;
        }
    }
    placed.into_iter().map(|(_, repair)| repair).collect()
}

impl Assessment {
    /// What the provider with this name made of the tree besides findings, by its own type: who needs it as well does not
    /// make it again. `None` if it made nothing of the kind.
    pub fn product<T: Any>(&self, source: &str) -> Option<&T> {
        self.looks.get(source)?.report.memory.as_ref()?.downcast_ref()
    }

    /// Whether the provider could do its work.
    pub(crate) fn has_heard(&self, source: &str) -> bool {
        source == OWN_SOURCE || self.looks.contains_key(source)
    }

    /// The place of a finding's phase in the order of phases, the same for all assessments of a run. What the engine
    /// itself says about comments comes after all.
    pub(crate) fn phase_index(&self, diagnostic: &Diagnostic) -> usize {
        let look = self.looks.get(&diagnostic.source);
        let index = look.map_or(self.n_phases + 1, |it| it.phase_index(&diagnostic.phase));
        if diagnostic.source == OWN_SOURCE { self.n_phases + 1 } else { index.min(self.n_phases) }
    }

    /// Whether the finding could not have been found in this tree, because its phase did not run in its file, or in
    /// another one that it has to do with.
    pub(crate) fn hides(&self, diagnostic: &Diagnostic) -> bool {
        let Some(look) = self.looks.get(&diagnostic.source) else { return true };
        let related = diagnostic.related.iter().map(|it| it.file.as_str());
        std::iter::once(diagnostic.file.as_str()).chain(related).any(|file| {
            look.report.blocked.get(file).is_some_and(|first| {
                look.phases.contains(first)
                    && look.phase_index(&diagnostic.phase) >= look.phase_index(first)
            })
        })
    }

    /// Which files were looked at, by the providers with these names, in the run that made this. One that cannot even
    /// say that has failed.
    pub fn coverage(
        &self,
        run: &Run<'_>,
        wants: &dyn Fn(&str) -> bool,
    ) -> (Coverage, Vec<ProviderFailure>) {
        let (mut coverage, mut failures) = (Coverage::default(), Vec::new());
        for provider in by_name(run.checks).0 {
            let Some(look) = self.looks.get(&provider.name).filter(|_| wants(&provider.name))
            else {
                continue;
            };
            match provider.coverage(&self.snapshot, &look.report) {
                Ok(it) => coverage.merge(it),
                Err(CheckError { kind, message }) => {
                    failures.push(ProviderFailure { source: provider.name, kind, message });
                }
            }
        }
        (coverage, failures)
    }

    /// How many findings have this severity and are not put up with.
    pub fn n_of(&self, severity: Severity) -> usize {
        let counts = |it: &&Arc<Diagnostic>| {
            it.severity == severity && !self.baselined.contains(&it.diagnostic_id)
        };
        self.diagnostics.iter().filter(counts).count()
    }
}
