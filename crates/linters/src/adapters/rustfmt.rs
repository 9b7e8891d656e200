//! rustfmt, as a formatter, without cargo: a text on standard input, so that modules of the file are not looked for.
//!
//! Sealed: `rustfmt.toml` is data. The proxy of rustup is not: `rust-toolchain.toml` can name a toolchain by its path, so
//! that `RUSTUP_TOOLCHAIN` must be set to the user's own, or the program of that toolchain be started.
//! The edition is an argument, because cargo's manifest is not read.

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, sealed,
};
use crate::hunks;
use crate::uses::{Signs, ToolUses, at};
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "rustfmt",
    kind: ToolKind::Formatter,
    files: Files::extensions(&["rs"]),
    signs: Signs {
        files: &["rustfmt.toml", ".rustfmt.toml"],
        sections: &[],
        packages: &[],
        hooks: &["rustfmt", "fmt", "cargo-fmt", "rust-fmt"],
        commands: &["cargo fmt", "rustfmt", "cargo-fmt"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "rustfmt",
    local: LocalPrograms::Nowhere,
    versions: Versions::between(Version::new(1, 4, 0), Version::new(2, 0, 0)),
    trust: sealed,
    scope: Scope::File,
    limit: TimeClass::Quick,
    toolchain: None,
    climbs: true,
    install: "rustup component add rustfmt",
    invocation,
    parse: |output, texts| {
        output.succeeded(&[0])?;
        hunks::formatter_output("rustfmt", output, texts)
    },
    page: |_| Some("https://rust-lang.github.io/rustfmt/".to_owned()),
    review: None,
    probe: None,
};

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    match job {
        ToolJob::Version => Some(Invocation::new("rustfmt", &["--version"])),
        ToolJob::Format { text, .. } => Some(
            Invocation::new(
                "rustfmt",
                &["--emit=stdout", "--quiet", "--color=never", "--edition=2024"],
            )
            .stdin(text),
        ),
        // With paths it also formats the modules that a file declares.
        _ => None,
    }
}

/// The command for a file of a package: the edition is that of the nearest manifest, or of its workspace.
pub(crate) fn with_edition(
    invocation: Invocation,
    file: &snapshot::RelPath,
    uses: &ToolUses<'_>,
) -> Invocation {
    let manifests: Vec<_> = uses.manifests_named("Cargo.toml").collect();
    let of_workspace =
        manifests.iter().find_map(|it| at(it.1, "workspace.package.edition")?.as_str());
    let folder =
        |path: &snapshot::RelPath| path.parent().map_or(String::new(), |it| format!("{it}/"));
    let nearest = manifests
        .iter()
        .filter(|it| it.1.get("package").is_some() && file.as_str().starts_with(&folder(it.0)))
        .max_by_key(|it| it.0.as_str().len());
    let edition = nearest.and_then(|it| match at(it.1, "package.edition") {
        Some(edition) => edition.as_str().or(of_workspace),
        None => Some("2015"),
    });
    let Some(edition) = edition.filter(|it| matches!(*it, "2015" | "2018" | "2021" | "2024"))
    else {
        return invocation;
    };
    let args = invocation.args.iter().map(|it| match it.starts_with("--edition=") {
        true => format!("--edition={edition}"),
        false => it.clone(),
    });
    Invocation { args: args.collect(), ..invocation }
}
