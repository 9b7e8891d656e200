//! Plan, then approve: what a tool would do is found out, frozen and attached while the record still waits for a decision.

use govern::execute::{BUILTIN, Planner};
use govern::registry::{HappenError, RegistryEntry};
use govern::{Record, Status};
use patch::edits::EditsDocument;
use protocol::v1;
use serde_json::json;

use crate::commands::dds::run::configured;
use crate::commands::dds::{ProposalRegistry, now};
use crate::failure::Failure;
use crate::wire::changes::file_changes;

impl ProposalRegistry<'_> {
    /// Runs the tool of a proposal on a copy and attaches what it would change; the workspace stays as it is.
    pub fn plan(&self, id: &str, as_configured: bool, by: &str) -> Result<v1::DdsReport, Failure> {
        let dossier = self.dossier(id)?;
        let id = dossier.entry.id().to_string();
        let level = sandbox::best();
        let refused = |problem: String| {
            v1::DdsReport::Plan(v1::DdsPlan {
                ok: false,
                id: id.clone(),
                as_configured,
                sandbox: level.map(|it| it.name().to_owned()),
                diff: None,
                statement_hash: None,
                problem,
            })
        };
        let stored = match &dossier.entry {
            RegistryEntry::Current(stored) if stored.state.status == Status::Proposed => stored,
            entry => {
                return Ok(refused(format!(
                    "a record that is {} cannot be planned",
                    entry.status()
                )));
            }
        };
        let record = &stored.record;
        let untrusted =
            self.trust.forbids_repository().or_else(|| self.trust.forbids_tool(&record.tool));
        if let Some(message) = untrusted {
            return Err(Failure::Untrusted { message });
        }
        let is_attached =
            dossier.patch.is_some() && !dossier.history.iter().any(|it| it.event == "plan");
        if record.tool == BUILTIN || is_attached {
            return Ok(refused("what it would change is attached already".to_owned()));
        }
        let Some(tool) = self.govern.tools.get(&record.tool) else {
            let problem = format!("no tool `{}` is configured here", record.tool);
            return Ok(refused(problem));
        };
        let Some(level) = level else {
            return Ok(refused("nothing on this machine can hold a tool in its scope".to_owned()));
        };
        self.meet()?;
        let runs = self.session.workspace.runs_folder()?;
        let planner = Planner { workspace: &self.session.workspace, runs, level, as_configured };
        let planned = match planner.plan(record, &configured(tool)) {
            Ok(planned) => planned,
            Err(problem) => return Ok(refused(problem)),
        };
        let frozen = match EditsDocument::from_change(&planned.change) {
            Ok(document) => document.render().into_bytes(),
            Err(error) => return Ok(refused(error.to_string())),
        };
        let given = json!({
            "sandbox": level.name(),
            "as_configured": as_configured,
            "reason": if as_configured { "with what its configuration gives the tool" } else { "without network, variables and other files" },
        });
        let attached = self.registry.borrow_mut().attach(
            &record.id,
            stored.version,
            &frozen,
            &given,
            by,
            now(),
        );
        match attached {
            Ok(stored) => self.publish_plan(&stored, &frozen)?,
            Err(HappenError::Registry(error)) => return Err(error.into()),
            Err(error) => return Ok(refused(error.to_string())),
        }
        let applied = match self.try_patch(&frozen) {
            Ok(applied) => applied,
            Err(problem) => return Ok(refused(problem)),
        };
        let changes = file_changes(&applied.before, &applied.change)?;
        let diff: Vec<u8> = changes.iter().flat_map(|it| it.diff.iter().copied()).collect();
        let dossier = self.dossier(&id)?;
        let hash = match &dossier.entry {
            RegistryEntry::Current(stored) => self.statements(stored, &dossier).ok(),
            RegistryEntry::Legacy(_) => None,
        };
        Ok(v1::DdsReport::Plan(v1::DdsPlan {
            ok: true,
            id,
            as_configured,
            sandbox: Some(level.name().to_owned()),
            diff: Some(String::from_utf8_lossy(&diff).into_owned()),
            statement_hash: hash.and_then(|it| it.first().map(govern::approval::Statement::hash)),
            problem: String::new(),
        }))
    }

    /// That a record must be planned first; `None` if it is, or need not be.
    pub(super) fn unplanned(&self, record: &Record, has_patch: bool) -> Option<String> {
        let is_unplanned =
            self.trust.requires_plan(&self.govern) && record.tool != BUILTIN && !has_patch;
        is_unplanned.then(|| {
            format!(
                "it must be planned first ([govern] require_plan): regreen dds plan {}",
                record.id
            )
        })
    }
}
