//! Each fixture: the command is the adapter's own, the version is understood, every finding stands where it should, and
//! applying the fixes gives what the tool's own fixing gives.

use check::Safety;
use edit::Text;
use linters::{Texts, ToolJob, Version};

use super::support::{fixed, path, read, recorded, shown, tree};

/// Checks a fixture and returns what was read of it, shape by shape.
fn check(name: &str) -> String {
    let fixture = recorded(name);
    let adapter = fixture.adapter;
    let version = Version::find(&fixture.version);
    assert!(version.is_some_and(|it| adapter.understands(it)), "{name}: {}", fixture.version);
    let files = [fixture.file.clone()];
    let mut out = String::new();
    for shape in &fixture.shapes {
        let text = Text::new(shape.text.as_str());
        let jobs = [
            ToolJob::Check { files: &files },
            ToolJob::Rewrite { files: &files },
            ToolJob::Format { file: &fixture.file, text: &text },
        ];
        let matching = jobs.iter().filter_map(|it| adapter.invocation(it)).find(|it| {
            it.stdin.is_some() == fixture.is_stdin
                && it.program == fixture.command[0]
                && it.args == fixture.command[1..]
        });
        let commands: Vec<_> =
            jobs.iter().filter_map(|it| adapter.invocation(it)).map(|it| it.args).collect();
        let invocation = matching.unwrap_or_else(|| {
            panic!("{name}: recorded {:?}, adapter {commands:?}", fixture.command)
        });
        let snapshot = tree(&[(fixture.file.as_str(), shape.text.as_str())]);
        out += &format!("== {}\n", shape.name);
        let report = match read(&fixture, shape, &snapshot) {
            Ok(report) => report,
            Err(error) => {
                assert!(
                    !invocation.success.contains(&shape.output.status.unwrap()),
                    "{name}: {error}"
                );
                out += &format!("{error}\n");
                continue;
            }
        };
        assert!(
            invocation.success.contains(&shape.output.status.unwrap()),
            "{name} {}",
            shape.name
        );
        let mut report = report;
        if let Some((command, output)) = &shape.rewritten {
            let rewrite = adapter.invocation(&ToolJob::Rewrite { files: &files }).unwrap();
            assert_eq!(
                (&rewrite.program, &rewrite.args[..]),
                (&command[0], &command[1..]),
                "{name}"
            );
            assert!(rewrite.writes, "{name}");
            adapter
                .add_rewrites(&mut report, output, &Texts::new(&snapshot, "/workspace"))
                .unwrap();
        }
        out += &shown(&report, &snapshot);
        // Fixes of this one depend on each other, and it makes several passes.
        if name == "sqlfluff" {
            continue;
        }
        for (expected, limit) in
            [(&shape.fixed, Safety::LikelyPreserving), (&shape.fixed_all, Safety::BehaviorChanging)]
        {
            let Some(expected) = expected else { continue };
            let found = fixed(&report, &shape.text, &fixture.file, limit);
            assert_eq!(&found, expected, "{name} {} {limit:?}\n{out}", shape.name);
        }
    }
    out
}

macro_rules! fixtures {
    ($($name:ident: $file:literal,)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(check($file));
        })*
    };
}

fixtures! {
    ast_grep: "ast-grep",
    biome: "biome",
    biome_format: "biome-format",
    clang_format: "clang-format",
    clang_tidy: "clang-tidy",
    clippy: "clippy",
    codespell: "codespell",
    eslint: "eslint",
    go_fix: "go-fix",
    go_vet: "go-vet",
    gofmt: "gofmt",
    hadolint: "hadolint",
    markdownlint: "markdownlint",
    mypy: "mypy",
    oxlint: "oxlint",
    prettier: "prettier",
    pyright: "pyright",
    ruff: "ruff",
    ruff_format: "ruff-format",
    rumdl: "rumdl",
    rustfmt: "rustfmt",
    semgrep: "semgrep",
    shellcheck: "shellcheck",
    shfmt: "shfmt",
    sqlfluff: "sqlfluff",
    stylelint: "stylelint",
    taplo: "taplo",
    tsc: "tsc",
    ty: "ty",
    typos: "typos",
    yamllint: "yamllint",
    typos_in_code: "typos-code",
}

#[test]
fn a_path_is_never_an_option() {
    let files = [path("-x.py"), path("@x.py"), path("a.py")];
    for adapter in linters::all() {
        for job in [
            ToolJob::Check { files: &files },
            ToolJob::CheckByPresence { files: &files },
            ToolJob::Rewrite { files: &files },
        ] {
            let Some(invocation) = adapter.invocation(&job) else { continue };
            for file in ["-x.py", "@x.py"] {
                assert!(
                    !invocation.args.iter().any(|it| it == file),
                    "{} {:?}",
                    adapter.name,
                    invocation.args
                );
            }
        }
    }
}
