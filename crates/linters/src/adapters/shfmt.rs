//! shfmt, as a formatter of shell scripts.
//!
//! Sealed: its settings are in `.editorconfig`.

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, sealed,
};
use crate::hunks;
use crate::uses::Signs;
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "shfmt",
    kind: ToolKind::Formatter,
    files: Files {
        extensions: &["sh", "bash", "ksh", "bats"],
        names: &[],
        programs: &["sh", "bash", "dash", "ksh", "bats"],
    },
    signs: Signs {
        files: &[],
        sections: &[],
        packages: &["shfmt", "shfmt-py"],
        hooks: &["shfmt", "shfmt-docker", "shfmt-src"],
        commands: &["shfmt"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "shfmt",
    local: LocalPrograms::Venv,
    versions: Versions::between(Version::new(3, 0, 0), Version::new(5, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "pip install shfmt-py",
    invocation,
    parse: |output, texts| {
        output.succeeded(&[0])?;
        hunks::formatter_output("shfmt", output, texts)
    },
    page: |_| Some("https://github.com/mvdan/sh".to_owned()),
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("shfmt", &["--version"])),
        ToolJob::Check { .. } | ToolJob::CheckByPresence { .. } => None,
        ToolJob::Rewrite { files } => {
            Some(Invocation::new("shfmt", &["-w", "--"]).files(files).writing())
        }
        ToolJob::Format { file, text } => Some(
            Invocation::new("shfmt", &[format!("--filename={file}").as_str(), "-"]).stdin(text),
        ),
    }
}
