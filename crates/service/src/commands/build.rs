//! `build`: programs to TypeScript or JavaScript. Sources are inputs; what is written is for the caller to write.

use clank_emit::{EmitOptions, Runtime};
use protocol::v1;

use crate::VERSION;
use crate::compiler::sources;
use crate::compiler::{ClankFindings, dialect};
use crate::failure::Failure;
use crate::session::Session;
use crate::session::pool;
use crate::wire::changes::FileChange;

/// A generated file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GeneratedFile {
    /// Relative to the folder for outputs, with `/`.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The reply to `build`.
#[derive(Clone, Debug)]
pub struct BuildReply {
    /// What programs read.
    pub report: v1::BuildReport,
    /// The generated files, by path; none if something is wrong.
    pub outputs: Vec<GeneratedFile>,
    /// What `fix` would change in the sources, with diffs.
    pub changes: Vec<FileChange>,
    /// The same as an edits document, which `apply` takes.
    pub edits: String,
    /// The findings for people.
    pub findings: ClankFindings,
}

/// Compiles programs and all that they import.
pub fn build(session: &Session, request: &v1::Build) -> Result<BuildReply, Failure> {
    pool::work(None, || {
        let sources =
            sources::read(session, &sources::programs(session, &request.files)?, request.solver)?;
        let findings = sources.findings();
        let count =
            |severity| findings.diagnostics.iter().filter(|it| it.severity == severity).count();
        let summary = v1::BuildSummary {
            error: count(v1::Severity::Error),
            warning: count(v1::Severity::Warning),
            info: count(v1::Severity::Info),
        };
        let is_strict = request.strict || sources.is_strict;
        let checked = &sources.checked;
        let is_canonical = findings.not_canonical.is_empty();
        let ok = summary.error == 0 && !checked.has_errors() && (is_canonical || !is_strict);
        let outputs = if ok { outputs(checked, request) } else { Vec::new() };
        Ok(BuildReply {
            report: v1::BuildReport {
                pending_transaction: session.pending_transaction(),
                ok,
                validator_version: VERSION.to_owned(),
                outputs: outputs.iter().map(|it| it.path.clone()).collect(),
                not_canonical: findings.not_canonical.clone(),
                diagnostics: findings.diagnostics.clone(),
                summary,
            },
            outputs,
            changes: sources.changes()?,
            edits: sources.edits(),
            findings,
        })
    })
}

fn outputs(checked: &clank::Checked, request: &v1::Build) -> Vec<GeneratedFile> {
    let options = EmitOptions { dialect: dialect(request.language), runtime: Runtime::Inline };
    let mut outputs = Vec::new();
    for mut file in clank_emit::emit(checked, &options).files {
        if request.with_maps
            && let Some(map) = file.source_map
        {
            let path = format!("{}.map", file.path);
            let name = path.rsplit('/').next().unwrap_or(&path);
            file.text.push_str(&format!("//# sourceMappingURL={name}\n"));
            outputs.push(GeneratedFile { path, bytes: map.into_bytes() });
        }
        outputs.push(GeneratedFile { path: file.path, bytes: file.text.into_bytes() });
    }
    outputs.sort_by(|left, right| left.path.cmp(&right.path));
    outputs
}
