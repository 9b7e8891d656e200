//! taplo, as a formatter of TOML.
//!
//! Sealed: its settings name files and schemas, which are data; nothing is fetched for formatting.

use crate::adapter::{Adapter, Files, Invocation, Job, Local, Scope, TimeClass, ToolKind, sealed};
use crate::hunks;
use crate::uses::Signs;
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "taplo",
    kind: ToolKind::Formatter,
    files: Files::extensions(&["toml"]),
    signs: Signs {
        files: &["taplo.toml", ".taplo.toml"],
        sections: &[],
        packages: &["taplo", "@taplo/cli"],
        hooks: &["taplo-format", "taplo"],
        commands: &["taplo fmt", "taplo format"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "taplo",
    local: Local::Venv,
    versions: Versions::between(Version::new(0, 8, 0), Version::new(1, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "pip install taplo",
    invocation,
    parse: |output, texts| {
        output.succeeded(&[0])?;
        hunks::formatter_output("taplo", output, texts)
    },
    page: |_| Some("https://taplo.tamasfe.dev/configuration/formatter-options.html".to_owned()),
    probe: None,
};

fn invocation(job: &Job<'_>) -> Option<Invocation> {
    match job {
        Job::Version => Some(Invocation::new("taplo", &["--version"])),
        Job::Check { .. } | Job::CheckByPresence { .. } => None,
        Job::Rewrite { files } => Some(
            Invocation::new("taplo", &["format", "--colors=never", "--"]).files(files).writing(),
        ),
        Job::Format { file, text } => Some({
            let name = format!("--stdin-filepath={file}");
            Invocation::new("taplo", &["format", "--colors=never", &name, "-"]).stdin(text)
        }),
    }
}
