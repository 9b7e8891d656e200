//! gofmt, as a formatter.
//!
//! Sealed: it has no settings. It writes LF and removes a byte order mark.

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, sealed,
};
use crate::hunks;
use crate::uses::Signs;
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "gofmt",
    kind: ToolKind::Formatter,
    files: Files::extensions(&["go"]),
    signs: Signs {
        files: &[],
        sections: &[],
        packages: &[],
        hooks: &["gofmt", "go-fmt"],
        commands: &["gofmt", "go fmt"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "gofmt",
    local: LocalPrograms::Nowhere,
    versions: Versions::between(Version::new(1, 18, 0), Version::new(2, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: false,
    install: "see https://go.dev/doc/install",
    invocation,
    parse: |output, texts| {
        output.succeeded(&[0])?;
        hunks::formatter_output("gofmt", output, texts)
    },
    page: |_| Some("https://pkg.go.dev/cmd/gofmt".to_owned()),
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("go", &["version"])),
        ToolJob::Check { .. } | ToolJob::CheckByPresence { .. } => None,
        ToolJob::Rewrite { files } => {
            Some(Invocation::new("gofmt", &["-w"]).files(files).writing())
        }
        ToolJob::Format { text, .. } => Some(Invocation::new("gofmt", &[]).stdin(text)),
    }
}
