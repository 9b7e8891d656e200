//! What an approval of a record would say here and now: where the repository, the tool, the files and the nonce of a
//! [`Statement`] come from.

use std::collections::BTreeMap;
use std::path::Path;

use govern::approval::{Context, Document, Statement, ToolDefinition, expiry, sha256};
use govern::execute::BUILTIN;
use govern::registry::{Dossier, Stored};
use govern::{Moment, Record};
use serde_json::Value;
use snapshot::RelPath;

use super::{Desk, now};
use crate::config;

const DAY: i64 = 24 * 60 * 60;
/// How often the approval of one proposal may be used and given back.
const MOST_USES: u32 = 1000;

impl Desk<'_> {
    /// Where and with what the record would be carried out, or why nobody can say.
    pub(super) fn context(&self, record: &Record, base: &str) -> Result<Context, String> {
        let repository = self.repository.borrow().clone().ok_or_else(|| {
            format!("{} is not there, so nobody can say which repository this is", identity_file())
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

    /// The hashes of the files of the repository that the words of the command name.
    fn programs(&self, tool: &config::Tool) -> Result<BTreeMap<String, String>, String> {
        let mut programs = BTreeMap::new();
        for path in tool.command.iter().flat_map(|word| named_paths(&self.root, word)) {
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

    /// The statements that could be signed now, the first being the one that is shown: what others signed already, as long as
    /// it still says what is there; else one that counts from today on, or from yesterday for who looked before midnight.
    pub(super) fn statements(
        &self,
        stored: &Stored,
        dossier: &Dossier,
    ) -> Result<Vec<Statement>, String> {
        let record = &stored.record;
        let mut context = self.context(record, &stored.nonce)?;
        if let Some(problem) = self.unplanned(record, dossier.patch.is_some()) {
            return Err(problem);
        }
        context.nonce = self.unspent(&stored.nonce)?;
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
        let mut statements = vec![fresh(now()), fresh(now().plus_seconds(-DAY))];
        let signed = dossier.approval.as_ref().and_then(document).map(|it| it.statement);
        if let Some(signed) = signed {
            let there = Statement::new(record, patch, &context, signed.expires());
            if there == signed && signed.expires() > now() {
                statements.insert(0, signed);
            }
        }
        Ok(statements)
    }

    /// The nonce of the proposal with the number of the next approval: the first that was not used up.
    fn unspent(&self, base: &str) -> Result<String, String> {
        for n in 0..MOST_USES {
            let nonce = format!("{base}-{n}");
            if !self.session.workspace.is_spent(&nonce).map_err(|error| error.to_string())? {
                return Ok(nonce);
            }
        }
        Err("its approvals were used up too often; propose it anew".to_owned())
    }

    /// Why an approval that holds does not let the record run now: it was used before, or a file is another one.
    pub(super) fn is_unusable(&self, dossier: &Dossier) -> Option<String> {
        let statement = dossier.approval.as_ref().and_then(document)?.statement;
        match self.session.workspace.is_spent(statement.nonce()) {
            Ok(false) => {}
            Ok(true) => {
                return Some(
                    "this approval was used before, and counts once; it must be approved anew"
                        .to_owned(),
                );
            }
            Err(error) => return Some(error.to_string()),
        }
        for (file, signed) in statement.files() {
            let Ok(path) = RelPath::parse(&file) else {
                return Some(format!("{file:?} in the approval is no path"));
            };
            match self.file_hash(&path) {
                Ok(found) if found == signed => {}
                Ok(_) => {
                    return Some(format!(
                        "stale: {file} does not have the bytes that were approved; bring them back, or propose the change anew"
                    ));
                }
                Err(error) => return Some(error),
            }
        }
        None
    }

    /// Uses the approval of a record up, or says that it was before.
    pub(super) fn spend(&self, record: &Record, dossier: &Dossier) -> Result<(), String> {
        let Some(document) = dossier.approval.as_ref().and_then(document) else {
            return Err("nobody approved it".to_owned());
        };
        match self.session.workspace.spend(document.statement.nonce(), record.id.as_str()) {
            Ok(true) => Ok(()),
            Ok(false) => Err("this approval was used before, and counts once".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Gives the approval back: nothing came of its use.
    pub(super) fn unspend(&self, dossier: &Dossier) {
        if let Some(document) = dossier.approval.as_ref().and_then(document) {
            // An approval that stays used up is approved anew; nothing runs twice because of it.
            let _ = self.session.workspace.unspend(document.statement.nonce());
        }
    }
}

/// The paths of the workspace that a word of a command may name: itself, or what stands behind its `=`.
pub(super) fn named_paths(root: &Path, word: &str) -> Vec<RelPath> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let words = [Some(word), word.split_once('=').map(|(_, value)| value)];
    let path = |word: &str| {
        let inner = Path::new(word).strip_prefix(&root).ok().and_then(Path::to_str);
        RelPath::parse(inner.unwrap_or(word).trim_start_matches("./")).ok()
    };
    words.into_iter().flatten().filter_map(path).collect()
}

/// The approval that the registry keeps.
pub(super) fn document(kept: &Value) -> Option<Document> {
    Document::read(&kept.to_string()).ok()
}

fn identity_file() -> String {
    workspace::repository_path().to_string()
}
