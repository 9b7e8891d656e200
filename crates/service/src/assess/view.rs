//! What of an assessment a request gets to see: findings, repairs in rank order, counts, texts.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use check::{Diagnostic, Repair, Severity};
use engine::Assessment;
use plan::{Candidates, Plan};
use snapshot::{RelPath, Snapshot, TreeChange};

use crate::Frames;
use crate::assess::request_scope::RequestScope;
use crate::setup::Setup;

/// The part of an assessment that a request is about.
pub(crate) struct AssessmentView {
    /// What is reported, in the total order; nothing that the baseline knows.
    pub(crate) diagnostics: Vec<Arc<Diagnostic>>,
    /// What would repair it.
    pub(crate) repairs: Vec<Arc<Repair>>,
    /// How many findings the baseline knows.
    pub(crate) n_baselined: usize,
}

/// Findings by severity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) error: usize,
    pub(crate) warning: usize,
    pub(crate) info: usize,
}

impl AssessmentView {
    pub(crate) fn new(
        setup: &Setup,
        look: &RequestScope,
        assessment: &Assessment,
        own: &[Arc<Diagnostic>],
    ) -> AssessmentView {
        let taken = assessment.diagnostics.iter().chain(own).filter(|it| look.takes(it));
        let (known, mut diagnostics): (Vec<_>, Vec<_>) =
            taken.cloned().partition(|it| setup.sieve.baseline.contains(&it.diagnostic_id));
        diagnostics.sort_by(|left, right| left.total_cmp(right));
        let ids: BTreeSet<&str> = diagnostics.iter().map(|it| it.diagnostic_id.as_str()).collect();
        let is_shown = |it: &Repair| {
            look.wants(it, setup)
                && it.resolves.iter().any(|id| ids.contains(id.as_str()))
                && !it.resolves.iter().any(|id| assessment.doubtful.contains_key(id))
        };
        let repairs = assessment.repairs.iter().filter(|it| is_shown(it)).cloned().collect();
        AssessmentView { n_baselined: known.len(), repairs, diagnostics }
    }

    pub(crate) fn counts(&self) -> Counts {
        let count = |severity| self.diagnostics.iter().filter(|it| it.severity == severity).count();
        Counts {
            error: count(Severity::Error),
            warning: count(Severity::Warning),
            info: count(Severity::Info),
        }
    }

    /// How many findings a repair would resolve.
    pub(crate) fn n_fixable(&self) -> usize {
        let resolved: BTreeSet<&str> =
            self.repairs.iter().flat_map(|it| &it.resolves).map(String::as_str).collect();
        let has_repair = |it: &&Arc<Diagnostic>| resolved.contains(it.diagnostic_id.as_str());
        self.diagnostics.iter().filter(has_repair).count()
    }

    /// The findings that are listed, and how many are not.
    pub(crate) fn listed(&self, most: Option<usize>) -> (&[Arc<Diagnostic>], usize) {
        let n_listed = most.unwrap_or(usize::MAX).min(self.diagnostics.len());
        (&self.diagnostics[..n_listed], self.diagnostics.len() - n_listed)
    }
}

/// Ranks the repairs and chooses among them.
pub(crate) fn choose(
    setup: &Setup,
    look: &RequestScope,
    assessment: &Assessment,
    repairs: &[Arc<Repair>],
) -> Plan {
    plan::plan(&Candidates {
        snapshot: &assessment.snapshot,
        diagnostics: &assessment.diagnostics,
        repairs,
        parses: &setup.parses,
        policy: &look.policy,
        is_editable: &|path| look.is_editable(path),
        barred: &BTreeMap::new(),
        applied: &BTreeSet::new(),
    })
}

/// The findings by id.
pub(crate) fn by_id(diagnostics: &[Arc<Diagnostic>]) -> HashMap<&str, &Diagnostic> {
    diagnostics.iter().map(|it| (it.diagnostic_id.as_str(), &**it)).collect()
}

/// The texts that findings and repairs are about.
pub(crate) fn frames<'a>(
    snapshot: &Snapshot,
    diagnostics: impl Iterator<Item = &'a Arc<Diagnostic>>,
    repairs: impl Iterator<Item = &'a Arc<Repair>>,
) -> Frames {
    let mut sources = BTreeMap::new();
    let mut add = |name: &str| {
        if !sources.contains_key(name)
            && let Some(file) = RelPath::parse(name).ok().and_then(|it| snapshot.file(&it))
        {
            sources.insert(name.to_owned(), file.text().bytes().to_vec());
        }
    };
    for diagnostic in diagnostics {
        add(&diagnostic.file);
        diagnostic.related.iter().for_each(|it| add(&it.file));
    }
    for repair in repairs {
        repair.files().iter().for_each(|it| add(it.as_str()));
    }
    Frames { sources, ..Frames::default() }
}

/// The files that a change is about, in order.
pub(crate) fn files(change: &TreeChange) -> Vec<String> {
    change.paths().iter().map(ToString::to_string).collect()
}

/// Whether a document names a schema of its own, as far as its beginning tells. A schema names what it is written in,
/// and that does not count.
pub(crate) fn names_schema(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(4096)];
    let has = |mark: &str| memchr::memmem::find(head, mark.as_bytes()).is_some();
    let marks = ["\"$schema\"", "$schema:", "$schema=", "#:schema "];
    marks.into_iter().any(has) && !has("json-schema.org")
}
