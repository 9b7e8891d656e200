//! prettier, as a formatter.
//!
//! Sealed only where its settings are data without plugins: a settings file in JavaScript or TypeScript is a program,
//! `plugins` and a shared configuration named by `package.json` are modules that it loads. From version 3 on it loads
//! no plugin that is not named.

use check::Trust;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind,
};
use crate::hunks;
use crate::uses::{Signs, ToolUses, has_key, members};
use crate::version::{Version, Versions};

pub(crate) static ADAPTER: Adapter = Adapter {
    name: "prettier",
    kind: ToolKind::Formatter,
    files: Files {
        extensions: &[
            "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "css", "scss", "less", "json",
            "jsonc", "json5", "yaml", "yml", "md", "markdown", "mdx", "html", "htm", "vue",
            "graphql", "gql", "hbs",
        ],
        names: &[".prettierrc"],
        programs: &[],
    },
    signs: Signs {
        files: &[".prettierrc", ".prettierrc.*", "prettier.config.*"],
        sections: &[("package.json", "prettier"), ("package.yaml", "prettier")],
        packages: &["prettier"],
        hooks: &["prettier"],
        commands: &["prettier"],
    },
    joins_on_presence: false,
    supersedes: &[],
    program: "prettier",
    local: LocalPrograms::Node,
    versions: Versions::between(Version::new(3, 0, 0), Version::new(4, 0, 0)),
    trust,
    scope: Scope::File,
    limit: TimeClass::Slow,
    toolchain: None,
    climbs: true,
    install: "npm install --save-dev prettier",
    invocation,
    parse: |output, texts| {
        // 2: some files could not be parsed; the others were written.
        output.succeeded(if texts.input().is_some() { &[0] } else { &[0, 2] })?;
        let mut report = hunks::formatter_output("prettier", output, texts)?;
        if output.status == Some(2) {
            report.notes.push(output.last_words());
        }
        Ok(report)
    },
    page: |_| Some("https://prettier.io/docs/rationale".to_owned()),
    review: None,
    probe: None,
};

fn trust(uses: &ToolUses<'_>) -> Trust {
    let runs = |what: String| Trust::RunsRepositoryCode { what };
    for path in uses.named(&[".prettierrc", ".prettierrc.*", "prettier.config.*"]) {
        let extension = path.file_name().trim_start_matches('.').rsplit_once('.').map(|it| it.1);
        let is_data = matches!(extension, None | Some("json" | "json5" | "yaml" | "yml" | "toml"));
        if !is_data {
            return runs(format!("{path} is a program"));
        }
        if !uses.is_data_without(path, &["plugins"]) {
            return runs(format!("{path} may name a module or plugins"));
        }
    }
    for (path, value) in uses.manifests_named("package.json") {
        // A reader of JSON takes the last of several members with one name.
        for (_, settings) in members(Some(value)).iter().filter(|it| it.0 == "prettier") {
            if settings.as_str().is_some() {
                return runs(format!("{path} names a module"));
            }
            if has_key(settings, "plugins") {
                return runs(format!("{path} names plugins"));
            }
        }
    }
    if let Some(path) = uses.unread("package.json") {
        return runs(format!("{path} cannot be read as data"));
    }
    if let Some(path) = uses.unlisted(&ADAPTER.signs) {
        return runs(format!("{path} is ignored, and may name code"));
    }
    // YAML settings in `package.yaml` are read too.
    for path in uses.named(&["package.yaml"]) {
        let names = uses.data(path).is_none_or(|it| it.get("prettier").is_some());
        if names {
            return runs(format!("{path} has settings"));
        }
    }
    Trust::Sealed
}

fn invocation(job: &ToolJob<'_>) -> Option<Invocation> {
    let prettier = |args: &[&str]| Invocation::new("prettier", args);
    match job {
        ToolJob::Version => Some(prettier(&["--version"])),
        ToolJob::Check { .. } | ToolJob::CheckByPresence { .. } => None,
        ToolJob::Rewrite { files } => Some(
            prettier(&["--write", "--ignore-unknown", "--no-color", "--log-level=error", "--"])
                .files(files)
                .success(&[0, 2])
                .writing(),
        ),
        ToolJob::Format { file, text } => Some(
            prettier(&[
                "--no-color",
                "--log-level=error",
                format!("--stdin-filepath={file}").as_str(),
            ])
            .stdin(text),
        ),
    }
}
