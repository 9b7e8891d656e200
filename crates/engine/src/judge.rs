//! What is wrong with the result of trying some repairs together, and who is suspected of it.
//!
//! A repair has to have resolved all that it claimed, and nothing new may have appeared that is as bad as what it
//! resolved, or that comes before it in the order of work (RS-33). What a phase says that could not run before was there
//! all along: it is revealed, not new. So is what a repair says it brings to light, as long as no more is wrong then.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use check::{Class, Diagnostic, Repair};
use plan::{Reason, Rejection};
use snapshot::RelPath;

use crate::assessment::Assessment;
use crate::compare::Comparison;
use crate::count::Count;
use crate::ignore::OWN_SOURCE;

/// A repair of a batch, with what is known about it before it is tried.
pub(crate) struct Member {
    pub(crate) repair: Arc<Repair>,
    pub(crate) files: BTreeSet<RelPath>,
    /// The worst that it resolves.
    class: Class,
    /// The first, in the order of work, that it resolves.
    slot: (usize, Class),
}

impl Member {
    pub(crate) fn new(
        repair: &Arc<Repair>,
        before: &Assessment,
        found: &DiagnosticsById<'_>,
    ) -> Member {
        let resolved: Vec<&Arc<Diagnostic>> =
            repair.resolves.iter().filter_map(|id| found.get(id.as_str()).copied()).collect();
        let slots = resolved.iter().map(|it| (before.phase_index(it), it.class()));
        Member {
            repair: Arc::clone(repair),
            files: repair.files().into_iter().cloned().collect(),
            class: resolved.iter().map(|it| it.class()).min().unwrap_or(Class::Info),
            slot: slots.min().unwrap_or((usize::MAX, Class::Info)),
        }
    }

    /// Whether the finding is a price that may be paid for what the repair resolves.
    fn may_cause(&self, class: Class, phase: usize) -> bool {
        class > self.class && (class == Class::Info || (phase, class) > self.slot)
    }
}

/// Findings by their ids.
pub(crate) type DiagnosticsById<'a> = HashMap<&'a str, &'a Arc<Diagnostic>>;

/// A tree that was tried, with what the providers say of it.
pub(crate) struct Checked {
    pub(crate) assessment: Assessment,
    pub(crate) comparison: Comparison,
}

/// Something that is wrong with a trial.
#[derive(Clone, Debug)]
pub(crate) struct Objection {
    /// Who may have done it, by their numbers in the batch; all of the new ones if it is empty.
    pub(crate) suspects: Vec<usize>,
    /// The provider that has something to complain about, if it is one.
    pub(crate) by: Option<String>,
    /// What to say of whoever did it.
    pub(crate) rejection: Rejection,
}

impl Objection {
    pub(crate) fn new(suspects: Vec<usize>, reason: Reason, detail: String) -> Objection {
        Objection { suspects, by: None, rejection: Rejection { reason, with: None, detail } }
    }

    fn by(self, source: &str) -> Objection {
        Objection { by: Some(source.to_owned()), ..self }
    }
}

/// What a finding is apart from where it stands: how a price that was paid is recognised later.
type Face = (String, String, String, String);

/// What a trial is judged by.
pub(crate) struct TrialContext<'a> {
    pub(crate) before: &'a Assessment,
    pub(crate) found: &'a DiagnosticsById<'a>,
    pub(crate) members: &'a [Member],
    /// Providers that are not believed.
    pub(crate) distrusted: &'a BTreeSet<String>,
    /// What the repairs that were accepted already brought in, and how often.
    pub(crate) paid: &'a BTreeMap<Face, usize>,
    /// The tree with the repairs that were accepted already.
    pub(crate) base: &'a Assessment,
}

impl TrialContext<'_> {
    /// What is wrong if the members `accepted` and `added` are applied. Nothing is wrong with `accepted` alone.
    pub(crate) fn judge(
        &self,
        checked: &Checked,
        accepted: &[usize],
        added: &[usize],
    ) -> Vec<Objection> {
        let mut complaints = Vec::new();
        let unheard = checked.assessment.unheard(self.before);
        self.judge_providers(checked, &mut complaints);
        self.judge_blocked(checked, added, &mut complaints);
        self.judge_new(checked, added, &mut complaints);
        self.judge_claims(checked, &unheard, (accepted, added), &mut complaints);
        if complaints.is_empty() {
            // Of one that had not answered before, nobody knows what it would have said.
            let is_new = |it: &str| it != OWN_SOURCE && !self.base.looks.contains_key(it);
            let is_out =
                |it: &str| self.distrusted.contains(it) || unheard.contains(it) || is_new(it);
            if Count::of(&checked.assessment, is_out) > Count::of(self.base, is_out) {
                let detail =
                    "it leaves more findings, counted phase by phase, than there were without it"
                        .to_owned();
                complaints.push(Objection::new(Vec::new(), Reason::Regressed, detail));
            }
        }
        complaints
    }

    /// A provider that the new tree keeps from working.
    fn judge_providers(&self, checked: &Checked, complaints: &mut Vec<Objection>) {
        for source in self.before.looks.keys() {
            if !checked.assessment.is_broken(source) || self.distrusted.contains(source) {
                continue;
            }
            let silence = checked.assessment.silence(source);
            let message = silence.map_or("it failed", |it| it.message.as_str());
            let detail = format!("{source} cannot check the result: {message}");
            complaints.push(Objection::new(Vec::new(), Reason::Regressed, detail).by(source));
        }
    }

    /// A provider that cannot look at a file as far as before has not said that nothing is wrong there.
    fn judge_blocked(&self, checked: &Checked, added: &[usize], complaints: &mut Vec<Objection>) {
        for (source, look) in &checked.assessment.looks {
            let Some(before) = self.before.looks.get(source) else { continue };
            if self.distrusted.contains(source) {
                continue;
            }
            let is_nearer = |(path, first): &(&RelPath, &String)| {
                let path = checked.comparison.before(path.as_str());
                let known = before.report.blocked.get(path).map(|it| before.phase_index(it));
                known.is_none_or(|it| look.phase_index(first) < it)
            };
            let blocked = look.report.blocked.iter().filter(is_nearer);
            let blocked: BTreeSet<&RelPath> = blocked.map(|(path, _)| path).collect();
            let Some(path) = blocked.first() else { continue };
            let is_there =
                |idx: &&usize| self.members[**idx].files.iter().any(|file| blocked.contains(file));
            let suspects = added.iter().filter(is_there).copied().collect();
            let detail = format!("{source} can no longer look at {path} as far as before");
            complaints.push(Objection::new(suspects, Reason::Regressed, detail).by(source));
        }
    }

    fn judge_new(&self, checked: &Checked, added: &[usize], complaints: &mut Vec<Objection>) {
        let mut paid = self.paid.clone();
        let mut revealed = self.revealed(added);
        let mut steps = self.steps(added);
        // One complaint for all of a kind: there may be as many findings as there are repairs.
        let mut kinds: BTreeMap<(&str, Class, usize), &Arc<Diagnostic>> = BTreeMap::new();
        for diagnostic in self.fresh(checked) {
            if let Some(n) = paid.get_mut(&face(diagnostic)).filter(|n| **n > 0) {
                *n -= 1;
                continue;
            }
            let place = (&*diagnostic.source, &*diagnostic.file, &*diagnostic.rule_id);
            if let Some(n) = revealed.get_mut(&place).filter(|n| **n > 0) {
                *n -= 1;
                continue;
            }
            let is_note = diagnostic.class() == Class::Info;
            let step = steps.get_mut(place.1).and_then(|repairs| {
                let leaves = |it: &(&str, &str)| match it.0 == place.0 {
                    true => it.1 != place.2,
                    false => is_note,
                };
                let at = repairs.iter().position(leaves)?;
                Some(repairs.swap_remove(at))
            });
            if step.is_some() {
                continue;
            }
            let (class, phase) = (diagnostic.class(), self.before.phase_index(diagnostic));
            kinds.entry((&diagnostic.file, class, phase)).or_insert(diagnostic);
        }
        let mut by_file: HashMap<&str, Vec<usize>> = HashMap::new();
        for idx in added.iter().filter(|_| !kinds.is_empty()) {
            for file in &self.members[*idx].files {
                by_file.entry(file.as_str()).or_default().push(*idx);
            }
        }
        let mut far = BTreeSet::new();
        for ((file, class, phase), diagnostic) in kinds {
            let is_to_blame = |idx: &&usize| !self.members[**idx].may_cause(class, phase);
            let here = by_file.get(file).map(Vec::as_slice).unwrap_or_default();
            let mut suspects: Vec<usize> = here.iter().filter(is_to_blame).copied().collect();
            if suspects.is_empty() && far.insert((class, phase)) {
                suspects = added.iter().filter(is_to_blame).copied().collect();
            }
            if !suspects.is_empty() {
                let detail = format!("{} appeared at {}", diagnostic.rule_id, place(diagnostic));
                let complaint = Objection::new(suspects, Reason::Regressed, detail);
                complaints.push(complaint.by(&diagnostic.source));
            }
        }
    }

    /// How often a provider may find, by rule, what its repairs say they bring to light in a file. More is wrong then in no
    /// case: the count of the tree is looked at whatever they say.
    fn revealed<'b>(&'b self, added: &[usize]) -> BTreeMap<(&'b str, &'b str, &'b str), usize> {
        let mut revealed = BTreeMap::new();
        for member in added.iter().map(|idx| &self.members[*idx]) {
            for (file, rule) in member
                .files
                .iter()
                .flat_map(|file| member.repair.reveals.iter().map(move |it| (file, it)))
            {
                *revealed
                    .entry((&*member.repair.source, file.as_str(), rule.as_str()))
                    .or_default() += 1;
            }
        }
        revealed
    }

    /// The providers and rules of repairs after which somebody else may have his turn, by file: another rule of the same
    /// provider, or a note of another one, each for one finding. More is wrong then in no case, and who goes round
    /// in a circle is found out.
    fn steps<'b>(&'b self, added: &[usize]) -> BTreeMap<&'b str, Vec<(&'b str, &'b str)>> {
        let mut steps: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        for member in added.iter().map(|idx| &self.members[*idx]) {
            let repair = &member.repair;
            for file in member.files.iter().filter(|_| repair.grounds.is_step) {
                steps.entry(file.as_str()).or_default().push((&repair.source, &repair.rule_id));
            }
        }
        steps
    }

    /// What a provider that was not asked would say is left open. One that was asked and did not answer has confirmed
    /// nothing.
    fn judge_claims(
        &self,
        checked: &Checked,
        unheard: &BTreeSet<&str>,
        (accepted, added): (&[usize], &[usize]),
        complaints: &mut Vec<Objection>,
    ) {
        let source = |id: &String| self.found.get(id.as_str()).map(|it| it.source.as_str());
        let is_open = |id: &String| source(id).is_some_and(|it| unheard.contains(it));
        let unmet = |idx: usize| {
            let resolves = &self.members[idx].repair.resolves;
            resolves.iter().find(|id| !checked.comparison.gone.contains(*id) && !is_open(id))
        };
        let is_asked = |it: &&str| !checked.assessment.unasked.contains(*it);
        for idx in added.iter().copied().filter(|_| !unheard.is_empty()) {
            let resolves = self.members[idx].repair.resolves.iter();
            let silent = resolves.filter_map(source).filter(|it| unheard.contains(it));
            let Some(silent) = silent.into_iter().find(is_asked) else { continue };
            let message = checked.assessment.silence(silent).map(|it| it.message.as_str());
            let detail =
                format!("{silent} did not answer: {}", message.unwrap_or("it was abandoned"));
            complaints.push(Objection::new(vec![idx], Reason::Unverified, detail).by(silent));
        }
        for idx in added.iter().copied() {
            let Some(id) = unmet(idx) else { continue };
            let detail = match self.found.get(id.as_str()) {
                Some(it) => format!("{} at {} is still there", it.rule_id, place(it)),
                None => format!("{id}, which it claims to resolve, is not a finding"),
            };
            let complaint = Objection::new(vec![idx], Reason::Unverified, detail);
            complaints.push(match source(id) {
                Some(source) => complaint.by(source),
                None => complaint,
            });
        }
        for idx in accepted.iter().copied() {
            let Some(it) = unmet(idx).and_then(|id| self.found.get(id.as_str())) else { continue };
            let repair = &self.members[idx].repair.id;
            let detail =
                format!("with it, {repair} no longer resolves {} at {}", it.rule_id, place(it));
            let with = Some(repair.clone());
            let rejection = Rejection { reason: Reason::Regressed, with, detail };
            let by = Some(it.source.clone());
            complaints.push(Objection { suspects: Vec::new(), by, rejection });
        }
    }

    /// What the trial brought in that is not counted as a regression of `added` and stays, once it is accepted.
    pub(crate) fn prices(&self, checked: &Checked) -> BTreeMap<Face, usize> {
        let mut paid = BTreeMap::new();
        for diagnostic in self.fresh(checked) {
            *paid.entry(face(diagnostic)).or_default() += 1;
        }
        paid
    }

    /// What is new in the trial, less what was hidden before, what is put up with, and what the engine says of
    /// comments: an ignore that lost its use is not a harm done.
    fn fresh<'b>(&'b self, checked: &'b Checked) -> impl Iterator<Item = &'b Arc<Diagnostic>> {
        let assessment = &checked.assessment;
        checked.comparison.new.iter().map(|idx| &assessment.diagnostics[*idx]).filter(|it| {
            it.source != OWN_SOURCE
                && !self.distrusted.contains(&it.source)
                && !assessment.baselined.contains(&it.diagnostic_id)
                && !self.hid(checked, it)
        })
    }

    /// Whether a finding could not have been found before, in the file as it was called then.
    fn hid(&self, checked: &Checked, it: &Diagnostic) -> bool {
        match checked.comparison.before(&it.file) {
            same if same == it.file => self.before.hides(it),
            other => self.before.hides(&Diagnostic { file: other.to_owned(), ..it.clone() }),
        }
    }
}

fn face(it: &Diagnostic) -> Face {
    (it.source.clone(), it.rule_id.clone(), it.file.clone(), it.message.clone())
}

fn place(it: &Diagnostic) -> String {
    match (it.location, &it.json_pointer) {
        (Some(location), _) => {
            format!("{}:{}:{}", it.file, location.start_line, location.start_col)
        }
        (None, Some(pointer)) => format!("{}#{pointer}", it.file),
        (None, None) => it.file.clone(),
    }
}
