//! taplo, as a formatter of TOML.
//!
//! Sealed: its settings name files and schemas, which are data; nothing is fetched for formatting.

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, sealed,
};
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
    local: LocalPrograms::Venv,
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
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("taplo", &["--version"])),
        ToolJob::Check { .. } | ToolJob::CheckByPresence { .. } => None,
        ToolJob::Rewrite { files } => Some(
            Invocation::new("taplo", &["format", "--colors=never", "--"]).files(files).writing(),
        ),
        ToolJob::Format { file, text } => Some({
            let name = format!("--stdin-filepath={file}");
            Invocation::new("taplo", &["format", "--colors=never", &name, "-"]).stdin(text)
        }),
    }
}
