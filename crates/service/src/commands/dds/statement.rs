//! What an approval of a record would say here and now: where the repository, the tool, the files and the nonce of a
//! [`Statement`] come from.

use govern::approval::{
    Context, Decision, Document, Statement, ToolDefinition, ValidApproval, expiry, sha256,
};
use govern::execute::BUILTIN;
use govern::registry::{RecordDetails, Stored};
use govern::{Moment, Record};
use serde_json::Value;
use snapshot::{RelPath, Snapshot};
use std::collections::{BTreeMap, BTreeSet};

use crate::commands::dds::{ProposalRegistry, Unheld, now, programs};
use crate::config;

const DAY: i64 = 24 * 60 * 60;
/// How often the approval of one proposal may be used and given back.
const MOST_USES: u32 = 1000;

impl ProposalRegistry<'_> {
    /// Where and with what the record would be carried out, or why nobody can say.
    pub(super) fn context(&self, record: &Record, base: &str) -> Result<Context, String> {
        let repository = self.repository.borrow().clone().ok_or_else(|| {
            format!("{} does not exist, so the repository cannot be identified", identity_file())
        })?;
        Ok(Context {
            repository,
            nonce: format!("{base}-0"),
            tool: self.tool_definition(&record.tool)?,
            files: BTreeMap::new(),
        })
    }

    fn tool_definition(&self, name: &str) -> Result<ToolDefinition, String> {
        if name == BUILTIN {
            return Ok(ToolDefinition::default());
        }
        let tool = self.govern.tools.get(name).ok_or_else(|| {
            format!("no tool `{name}` is configured: add [tools.{name}] to regreen.toml")
        })?;
        Ok(ToolDefinition {
            command: tool.command.clone(),
            network: tool.network,
            environment: tool.environment.clone(),
            readable: tool.readable.clone(),
            timeout: tool.timeout.as_secs(),
            memory: tool.memory,
            disk: tool.disk,
            programs: self.programs(tool)?,
        })
    }

    /// The hashes of the files of the repository that the command runs.
    fn programs(&self, tool: &config::ToolConfig) -> Result<BTreeMap<String, String>, String> {
        let mut programs = BTreeMap::new();
        for path in programs::named(&self.root, &tool.command) {
            if let Some(hash) = self.file_hash(&path)? {
                programs.insert(path.to_string(), hash);
            }
        }
        Ok(programs)
    }

    /// The hash of a file as it is; `None` if there is no file there.
    pub(super) fn file_hash(&self, path: &RelPath) -> Result<Option<String>, String> {
        let loaded = self
            .session
            .workspace
            .load(std::slice::from_ref(path))
            .map_err(|error| error.to_string())?;
        if let Some(refusal) = loaded.refused.get(path) {
            return Err(format!("{path} cannot be read: {refusal}"));
        }
        let place = loaded.resolved.get(path).unwrap_or(path);
        Ok(match loaded.snapshot.get(place) {
            Some(snapshot::Entry::File(file)) => Some(sha256(file.text().bytes())),
            _ => None,
        })
    }

    /// The statements that could be signed now, the first being the one that is shown: one that counts from today on, or from
    /// yesterday for who looked before midnight.
    pub(super) fn statements(
        &self,
        stored: &Stored,
        dossier: &RecordDetails,
    ) -> Result<Vec<Statement>, String> {
        let record = &stored.record;
        let mut context = self.context(record, &stored.nonce)?;
        if let Some(problem) = self.unplanned(record, dossier.patch.is_some()) {
            return Err(problem);
        }
        context.nonce = self.unused(&stored.nonce, &documents(dossier))?;
        if let Some(patch) = &dossier.patch {
            let applied = self.try_patch(patch)?;
            for path in applied.change.paths() {
                let hash = applied.before.file(&path).map(|it| sha256(it.text().bytes()));
                context.files.insert(path.to_string(), hash);
            }
        }
        let patch = dossier.patch.as_deref();
        let fresh = |at: Moment| {
            let expires = expiry(at, self.policy.approval_days());
            Statement::new(record, patch, &context, expires)
        };
        Ok(vec![fresh(now()), fresh(now().plus_seconds(-DAY))])
    }

    /// The nonce of the proposal with the number of the next approval: the first that was neither used up nor taken back.
    fn unused(&self, base: &str, documents: &[Document]) -> Result<String, String> {
        let is_withdrawn = |nonce: &str| {
            let withdrawn = documents.iter().filter_map(|it| it.statement.withdraws());
            let hashes: BTreeSet<&str> = withdrawn.collect();
            let mut approvals =
                documents.iter().filter(|it| it.statement.decision() == Decision::Approval);
            approvals.any(|it| {
                it.statement.nonce() == nonce && hashes.contains(it.statement.hash().as_str())
            })
        };
        for n in 0..MOST_USES {
            let nonce = format!("{base}-{n}");
            if !is_withdrawn(&nonce) && !self.is_spent(&nonce)? {
                return Ok(nonce);
            }
        }
        Err("its approvals were used too many times; propose it again".to_owned())
    }

    fn is_spent(&self, nonce: &str) -> Result<bool, String> {
        self.session.workspace.is_spent(nonce).map_err(|error| error.to_string())
    }

    /// What was approved and not used before; or why nothing can be said about it.
    pub(super) fn unspent(&self, documents: Vec<Document>) -> Result<Vec<Document>, String> {
        let mut unspent = Vec::new();
        for document in documents {
            let is_approval = document.statement.decision() == Decision::Approval;
            if !is_approval || !self.is_spent(document.statement.nonce())? {
                unspent.push(document);
            }
        }
        Ok(unspent)
    }

    /// Why an approval that holds does not let the record run now: a file is another one.
    pub(super) fn is_stale(&self, held: &ValidApproval) -> Option<String> {
        for (file, signed) in held.statements().iter().flat_map(Statement::files) {
            let Ok(path) = RelPath::parse(&file) else {
                return Some(format!("{file:?} in the approval is not a path"));
            };
            match self.file_hash(&path) {
                Ok(found) if found == signed => {}
                Ok(_) => {
                    return Some(format!(
                        "stale: {file} does not have the bytes that were approved; bring them back, or propose the change again"
                    ));
                }
                Err(error) => return Some(error),
            }
        }
        None
    }

    /// Uses the approvals of a record up, all of them or none, or says that they were before.
    pub(super) fn spend(&self, record: &Record, dossier: &RecordDetails) -> Result<(), String> {
        let nonces = self.nonces(dossier)?;
        if nonces.is_empty() {
            return Err(USED.to_owned());
        }
        for (idx, nonce) in nonces.iter().enumerate() {
            let problem =
                match self.session.workspace.spend(nonce, &self.use_note(record.id.as_str())) {
                    Ok(true) => continue,
                    Ok(false) => USED.to_owned(),
                    Err(error) => error.to_string(),
                };
            for spent in &nonces[..idx] {
                let note = self.use_note(record.id.as_str());
                let _ = self.session.workspace.unspend(spent, &note);
            }
            return Err(problem);
        }
        Ok(())
    }

    /// The numbers of the approvals that were not used before.
    fn nonces(&self, dossier: &RecordDetails) -> Result<Vec<String>, String> {
        let documents = self.unspent(documents(dossier))?;
        let approvals = documents.iter().filter(|it| it.statement.decision() == Decision::Approval);
        let nonces: BTreeSet<String> =
            approvals.map(|it| it.statement.nonce().to_owned()).collect();
        Ok(nonces.into_iter().collect())
    }

    /// Gives the approvals back: nothing came of their use.
    pub(super) fn unspend(&self, dossier: &RecordDetails) {
        for document in documents(dossier) {
            // An approval that stays used up is approved anew; nothing runs twice because of it.
            let note = self.use_note(document.dds.as_str());
            let _ = self.session.workspace.unspend(document.statement.nonce(), &note);
        }
    }

    /// What an approval is used for, and where: only who used it up can give it back.
    fn use_note(&self, id: &str) -> String {
        format!("{id} {}", self.place())
    }

    /// Whether the programs that the tool runs are those that were approved, in the tree that it gets a copy of.
    pub(super) fn programs_stand(
        &self,
        stored: &Stored,
        dossier: &RecordDetails,
        tree: &Snapshot,
    ) -> Result<(), String> {
        let held = self.approval_stands(stored, dossier).map_err(Unheld::message)?;
        for (path, signed) in held.statements().iter().flat_map(Statement::programs) {
            let file = RelPath::parse(&path).ok().and_then(|it| tree.file(&it).cloned());
            // What is no file of the tree, a link for instance, is none of the copy either.
            if file.is_some_and(|it| sha256(it.text().bytes()) != signed) {
                return Err(format!(
                    "{path}, which its tool runs, was written after the approval was checked; run it again"
                ));
            }
        }
        Ok(())
    }
}

/// Why an approval does not count a second time.
pub(super) const USED: &str =
    "this approval has been used, and is valid only once; it must be approved again";

/// What people said about a record, as the registry keeps it.
pub(super) fn documents(dossier: &RecordDetails) -> Vec<Document> {
    let kept = dossier.approval.as_ref().and_then(Value::as_array);
    kept.into_iter().flatten().filter_map(|it| Document::read(&it.to_string()).ok()).collect()
}

fn identity_file() -> String {
    workspace::repository_path().to_string()
}
