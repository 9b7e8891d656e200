//! What a tool said before about the same bytes, in this process or an earlier one, so that nothing is started for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use check::{Cache as _, CacheKeys, Input};
use linters::ToolJob;
use snapshot::{RelPath, Snapshot};

use super::answers::{FileAnswer, ToolAnswers};
use super::ask::{ToolLooker, Watch};
use super::environment::ToolEnvironment;
use super::tool::{Work, WorkspaceTool, answers_of};

/// Files that say which packages a project has.
const LOCKS: [&str; 12] = [
    "Cargo.lock",
    "Cargo.toml",
    "go.mod",
    "go.sum",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "tsconfig.json",
];

impl WorkspaceTool {
    /// The keys of what it says about files with the settings of this tree.
    pub(super) fn keys(&self, snapshot: &Snapshot) -> Option<CacheKeys> {
        let (job, projects) = match &self.work {
            Work::Adapter { adapter, is_presence, projects } => {
                let jobs = [
                    ToolJob::Check { files: &[] },
                    ToolJob::CheckByPresence { files: &[] },
                    ToolJob::Rewrite { files: &[] },
                ];
                let jobs = jobs.iter().map(|it| adapter.invocation(it));
                (format!("{:?} {is_presence}", jobs.collect::<Vec<_>>()), format!("{projects:?}"))
            }
            Work::Own(own) => (format!("{own:?}"), String::new()),
        };
        let mut settings = blake3::Hasher::new();
        let is_setting = |path: &RelPath| {
            self.is_setting(path) || (!self.is_per_file() && LOCKS.contains(&path.file_name()))
        };
        for (path, file) in snapshot.files_at(is_setting) {
            settings.update(path.as_str().as_bytes()).update(b"\0");
            settings.update(file.hash().as_bytes());
        }
        let args = self.args.join("\0");
        let parts = [
            self.name().as_bytes(),
            job.as_bytes(),
            projects.as_bytes(),
            args.as_bytes(),
            settings.finalize().as_bytes().as_slice(),
        ]
        .map(<[u8]>::to_vec);
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        ToolEnvironment::keys("regreen tool answers v2", &self.found, &parts)
    }
}

impl ToolLooker {
    /// Takes over what was said about files that are the same, in this process or in an earlier one; gives the others.
    pub(super) fn recall_files(
        &self,
        files: &[RelPath],
        input: &Input<'_>,
        keys: Option<&CacheKeys>,
        known: &mut ToolAnswers,
    ) -> Vec<RelPath> {
        let tool = &self.tool;
        let since = input.since.filter(|it| !it.changed.iter().any(|path| tool.is_setting(path)));
        let since = since.and_then(|it| Some((answers_of(it.report)?, it.changed)));
        let mut todo = Vec::new();
        for path in files {
            let earlier = since.filter(|it| !it.1.contains(path));
            if let Some(same) = earlier.and_then(|it| it.0.files.get(path)) {
                known.files.insert(path.clone(), Arc::clone(same));
                continue;
            }
            let file = input.snapshot.file(path);
            let kept = keys.zip(file).and_then(|(keys, file)| {
                let bytes =
                    tool.environment.cache.get(&keys.of(file.hash(), path.as_str().as_bytes()))?;
                FileAnswer::from_value(&serde_json::from_slice(&bytes).ok()?, path, &file.text())
            });
            match kept {
                Some(kept) => drop(known.files.insert(path.clone(), Arc::new(kept))),
                None => todo.push(path.clone()),
            }
        }
        todo
    }

    /// Keeps what was said for the next process.
    pub(super) fn remember(
        &self,
        files: &[RelPath],
        asked: &[RelPath],
        known: &ToolAnswers,
        snapshot: &Snapshot,
        keys: &CacheKeys,
    ) {
        let cache = &self.tool.environment.cache;
        if self.tool.is_per_file() {
            for path in asked {
                let (Some(file), Some(said)) = (snapshot.file(path), known.files.get(path)) else {
                    continue;
                };
                if let Some(value) = said.to_value(path) {
                    let key = keys.of(file.hash(), path.as_str().as_bytes());
                    cache.put(key, value.to_string().into_bytes());
                }
            }
            return;
        }
        let said: Option<serde_json::Map<String, serde_json::Value>> = known
            .files
            .iter()
            .map(|(path, it)| Some((path.to_string(), it.to_value(path)?)))
            .collect();
        if let Some(said) = said {
            let key = project_key(files, snapshot, keys);
            cache.put(key, serde_json::Value::Object(said).to_string().into_bytes());
        }
    }
}

/// What an earlier process heard about the same project.
pub(super) fn recall_project(
    tool: &WorkspaceTool,
    files: &[RelPath],
    watch: &Watch<'_>,
    keys: &CacheKeys,
) -> Option<BTreeMap<RelPath, Arc<FileAnswer>>> {
    let bytes = tool.environment.cache.get(&project_key(files, watch.snapshot, keys))?;
    let value: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    let of_file = |(path, value): (&String, &serde_json::Value)| {
        let path = RelPath::parse(path).ok()?;
        let text = watch.snapshot.file(&path)?.text();
        let known = FileAnswer::from_value(value, &path, &text)?;
        Some((path, Arc::new(known)))
    };
    value.as_object()?.iter().map(of_file).collect()
}

fn project_key(files: &[RelPath], snapshot: &Snapshot, keys: &CacheKeys) -> check::CacheKey {
    let mut hasher = blake3::Hasher::new();
    for path in files {
        hasher.update(path.as_str().as_bytes()).update(b"\0");
        if let Some(file) = snapshot.file(path) {
            hasher.update(file.hash().as_bytes());
        }
    }
    keys.of(edit::ContentHash::of(b"project"), hasher.finalize().as_bytes())
}
