//! Carrying out what was approved.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::time::{Duration, Instant};

use govern::execute::{self, AppliedPatch, Executor, Holder, RunStep, Tool};
use govern::lifecycle::{ExecutionOutcome, Phase};
use govern::registry::{RecordDetails, RegistryEntry, Stored};
use govern::{Id, Report, Status};
use protocol::v1::{self, PatchInput};
use workspace::IndexUpdate;

use crate::commands::dds::{ProposalRegistry, Unheld, now};
use crate::config;
use crate::failure::Failure;
use crate::patch_trial;
use crate::patch_trial::{PatchTrial, TrialPurpose};

/// What holds tools in their scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Confinement {
    /// The best that this machine has; without any, nothing runs.
    Best,
    /// Nothing: somebody said so.
    None,
}

/// A record that another process runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldLease {
    /// The record.
    pub id: String,
    /// Who runs it.
    pub holder: String,
    /// When others may take over.
    pub until: String,
    /// The process ended while it wrote to another workspace, and only there is known what became of that.
    pub is_left_behind: bool,
}

/// When a record was refused last, and how long it is left alone then.
pub(super) struct Refusals {
    last: Instant,
    pause: Duration,
}

const FIRST_PAUSE: Duration = Duration::from_secs(60);
const LAST_PAUSE: Duration = Duration::from_secs(3600);

/// What a pass may claim.
struct Runnable {
    /// All that is approved, or just these.
    wanted: Option<BTreeSet<Id>>,
    /// What is approved and stays so.
    left: Vec<v1::DdsLeft>,
}

impl ProposalRegistry<'_> {
    /// One pass over what is approved, oldest first, until nothing is left that can be claimed.
    pub fn run(
        &self,
        confinement: Confinement,
        on_step: &dyn Fn(&str, RunStep),
    ) -> Result<v1::DdsReport, Failure> {
        let trusted =
            self.govern.tools.iter().filter(|(name, _)| self.trust.forbids_tool(name).is_none());
        let tools: BTreeMap<String, Tool> =
            trusted.map(|(name, tool)| (name.clone(), configured(tool))).collect();
        let Runnable { wanted, left } = self.runnable()?;
        let apply = |patch: &[u8]| self.try_patch(patch);
        self.meet()?;
        let approval = |_: &govern::Record, dossier: &RecordDetails| {
            let RegistryEntry::Current(stored) = &dossier.entry else {
                return Err("it is a record of an older version".to_owned());
            };
            let held = self.approval_holds(stored, dossier).map_err(Unheld::message)?;
            if let Some(problem) = self.unplanned(&stored.record, dossier.patch.is_some()) {
                return Err(problem);
            }
            self.is_stale(&held).map_or(Ok(()), Err)
        };
        let executor = Executor {
            workspace: &self.session.workspace,
            runs: self.session.workspace.runs_folder()?,
            tools: &tools,
            apply: &apply,
            approval: &approval,
            programs: &|_, dossier, tree| match &dossier.entry {
                RegistryEntry::Current(stored) => self.programs_stand(stored, dossier, tree),
                RegistryEntry::Legacy(_) => Err("it is a record of an older version".to_owned()),
            },
            spend: &|record, dossier| self.spend(record, dossier),
            unspend: &|_, dossier| self.unspend(dossier),
            receipt: &|record, dossier, report, result| {
                self.receipt(record, dossier, report, result)
            },
            is_wanted: &|record| {
                let is_own = self.govern.project.as_ref().is_none_or(|it| *it == record.project);
                let is_wanted = wanted.as_ref().is_none_or(|it| it.contains(&record.id));
                is_own && is_wanted && self.is_due(&record.id)
            },
            level: match confinement {
                Confinement::Best => sandbox::best(),
                Confinement::None => Some(sandbox::SandboxLevel::Unconfined),
            },
            holder: self.holder(),
            clock: &now,
            on_step: &|id: &Id, step| on_step(id.as_str(), step),
        };
        let mut reports: Vec<Report> = Vec::new();
        let mut n_refused = 0;
        let mut registry = self.registry.borrow_mut();
        while let Some(report) = execute::run_next(&mut registry, &executor)? {
            let is_refused = report.outcome == ExecutionOutcome::Refused;
            if is_refused {
                self.note_refusal(&report.dds);
            }
            n_refused += usize::from(is_refused);
            reports.push(report);
            // The registry has the report, and whoever pressed Ctrl-C does not want the next one.
            if self.session.workspace.told().is_some() {
                break;
            }
        }
        Ok(v1::DdsReport::Run(v1::DdsRuns {
            ok: left.is_empty() && reports.iter().all(|it| it.outcome == ExecutionOutcome::Success),
            refused: n_refused,
            reports: reports.iter().map(Report::to_json).collect(),
            left,
        }))
    }

    /// Whether a record may be tried. What was refused is not tried again in the same pass, and by who goes on for ever less
    /// and less often: each attempt is in the audit trail.
    fn is_due(&self, id: &Id) -> bool {
        self.refused.borrow().get(id).is_none_or(|it| it.last.elapsed() >= it.pause)
    }

    fn note_refusal(&self, id: &Id) {
        let mut refused = self.refused.borrow_mut();
        let pause = refused.get(id).map_or(FIRST_PAUSE, |it| (it.pause * 2).min(LAST_PAUSE));
        refused.insert(id.clone(), Refusals { last: Instant::now(), pause });
    }

    /// What of the approved records can be carried out with what is trusted. The others stay approved: that they cannot run
    /// here and now is nothing that their report should say.
    fn runnable(&self) -> Result<Runnable, Failure> {
        if self.trust.untrusted().is_empty() {
            return Ok(Runnable { wanted: None, left: Vec::new() });
        }
        let (mut wanted, mut left) = (BTreeSet::new(), Vec::new());
        let approved = self.registry.borrow_mut().list(Some(Status::Approved.name()))?;
        for entry in approved {
            let RegistryEntry::Current(stored) = entry else { continue };
            let record = &stored.record;
            match self.needs_trust(&stored)? {
                Some(reason) => left.push(v1::DdsLeft { id: record.id.to_string(), reason }),
                None => {
                    wanted.insert(record.id.clone());
                }
            }
        }
        Ok(Runnable { wanted: Some(wanted), left })
    }

    /// What must be trusted before the record can be carried out; `None` if nothing.
    fn needs_trust(&self, stored: &Stored) -> Result<Option<String>, Failure> {
        let record = &stored.record;
        if let Some(reason) = self.trust.forbids_repository() {
            return Ok(Some(reason));
        }
        if let Some(reason) = self.trust.forbids_tool(&record.tool) {
            return Ok(Some(reason));
        }
        let dossier = self.dossier(record.id.as_str())?;
        Ok(match self.approval_holds(stored, &dossier) {
            Err(Unheld::Untrusted(reason)) => Some(reason),
            Err(Unheld::Void(_)) | Ok(_) => None,
        })
    }

    /// The records that other processes run, oldest first: what a pass leaves alone.
    pub fn held(&self) -> Result<Vec<HeldLease>, Failure> {
        let approved = self.registry.borrow_mut().list(Some(Status::Approved.name()))?;
        let now = now();
        let held = approved.into_iter().filter_map(|entry| {
            let RegistryEntry::Current(stored) = entry else { return None };
            let lease = stored.state.lease?;
            Some(HeldLease {
                id: stored.record.id.to_string(),
                holder: lease.holder,
                until: lease.until.to_string(),
                is_left_behind: lease.until <= now && lease.phase == Phase::Committing,
            })
        });
        Ok(held.collect())
    }

    /// This process, among all that run records: where it works, and which one it is.
    fn holder(&self) -> Holder {
        Holder::new(&self.place(), &std::process::id().to_string())
    }

    /// Where this process works: the machine and the workspace.
    pub(super) fn place(&self) -> String {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        // Paths of people's machines have no place in a registry that others read.
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        let root = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
        format!("{}/{}", host.trim(), &root[..12])
    }

    /// What the attached patch would change now; all of it or nothing.
    pub(super) fn try_patch(&self, patch: &[u8]) -> Result<AppliedPatch, String> {
        let input = PatchInput {
            name: "the attached patch".to_owned(),
            bytes: patch.to_vec(),
            kind: None,
            file: None,
        };
        let request = v1::RunPatch { patch: input, with_diffs: false, show_values: false };
        let request = crate::compiler::repair_document::lowered(self.session, &request)
            .map_err(|it| it.to_string())?;
        let trial = patch_trial::run(self.session, &request.patch, TrialPurpose::Change, false)
            .map_err(|it| it.to_string())?;
        match trial {
            PatchTrial::Simulated(it) if it.simulation.ok => Ok(AppliedPatch {
                index: it.new_index.map(|index| IndexUpdate { base: it.index.base, index }),
                before: it.snapshot,
                change: it.simulation.change,
            }),
            trial => {
                let report = trial.report();
                let first = report.diagnostics.first().map(|it| it.message.clone());
                let why = first.unwrap_or_else(|| "it does not apply".to_owned());
                Err(format!("the attached patch does not fit the files as they are: {why}"))
            }
        }
    }
}

pub(super) fn configured(tool: &config::ToolConfig) -> Tool {
    let visible =
        tool.environment.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    let environment: BTreeMap<OsString, OsString> = visible.collect();
    Tool {
        command: tool.command.clone(),
        network: tool.network,
        environment,
        readable: tool.readable.iter().map(Into::into).collect(),
        timeout: tool.timeout,
        memory: tool.memory,
        disk: tool.disk,
    }
}
