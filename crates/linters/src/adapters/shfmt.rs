//! shfmt, as a formatter of shell scripts.
//!
//! Sealed: its settings are in `.editorconfig`.

use crate::adapter::{Adapter, Files, Invocation, Job, Local, Scope, TimeClass, ToolKind, sealed};
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
    local: Local::Venv,
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
    probe: None,
};

fn invocation(job: &Job<'_>) -> Option<Invocation> {
    match job {
        Job::Version => Some(Invocation::new("shfmt", &["--version"])),
        Job::Check { .. } | Job::CheckByPresence { .. } => None,
        Job::Rewrite { files } => {
            Some(Invocation::new("shfmt", &["-w", "--"]).files(files).writing())
        }
        Job::Format { file, text } => Some(
            Invocation::new("shfmt", &[format!("--filename={file}").as_str(), "-"]).stdin(text),
        ),
    }
}
