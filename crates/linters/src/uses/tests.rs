//! What repositories show, and what they do not.

use std::collections::BTreeMap;

use check::Trust;
use snapshot::{Entry, File};

use super::*;
use crate::adapters::{adapter, all};

fn tree(files: &[(&str, &str)]) -> Snapshot {
    let entries = files.iter().map(|(path, text)| {
        (RelPath::parse(path).unwrap(), Entry::File(File::new(Text::new(*text), 0o644)))
    });
    Snapshot::new(entries.collect::<BTreeMap<_, _>>()).unwrap()
}

/// The tools that take part, each with the evidence.
fn taking_part(files: &[(&str, &str)]) -> Vec<String> {
    let snapshot = tree(files);
    let uses = ToolUses::read(&snapshot);
    let shown = |name: &str, it: Evidence| format!("{name}: {} in {}", it.what, it.file);
    all().iter().filter_map(|it| Some(shown(it.name, it.takes_part(&uses)?))).collect()
}

#[test]
fn settings_sections_dependencies_and_hooks_are_evidence() {
    let check = |files: &[(&str, &str)], expected: &[&str]| {
        assert_eq!(taking_part(files), expected, "{files:?}");
    };
    check(&[("README.md", "x")], &[]);
    check(&[("a.py", "x")], &["ruff: a file for it in a.py"]);
    check(&[("ruff.toml", "")], &["ruff: its settings in ruff.toml"]);
    check(
        &[("ruff.toml", "[format]\n")],
        &["ruff: its settings in ruff.toml", "ruff-format: its section `format` in ruff.toml"],
    );
    check(&[("biome.json", "{}")], &["biome: its settings in biome.json"]);
    check(
        &[("biome.jsonc", "{\"formatter\": {\"indentStyle\": \"tab\"}}")],
        &[
            "biome: its settings in biome.jsonc",
            "biome-format: its section `formatter` in biome.jsonc",
        ],
    );
    check(
        &[("pyproject.toml", "[tool.ruff.format]\nquote-style = \"single\"\n")],
        &[
            "ruff: its section `tool.ruff` in pyproject.toml",
            "ruff-format: its section `tool.ruff.format` in pyproject.toml",
        ],
    );
    check(
        &[("pyproject.toml", "[dependency-groups]\ndev = [\"mypy>=1\", \"Ruff ~= 0.17\"]\n")],
        &[
            "mypy: the dependency `mypy` in pyproject.toml",
            "ruff: the dependency `ruff` in pyproject.toml",
        ],
    );
    check(
        &[(
            "web/package.json",
            r#"{"devDependencies": {"prettier": "^3", "@biomejs/biome": "2"}}"#,
        )],
        &[
            "biome: the dependency `@biomejs/biome` in web/package.json",
            "prettier: the dependency `prettier` in web/package.json",
        ],
    );
    check(
        &[(
            ".pre-commit-config.yaml",
            "repos:\n- repo: x\n  hooks:\n  - id: ruff-format\n  - id: mine\n    entry: cargo fmt --check\n",
        )],
        &[
            "ruff-format: the hook `ruff-format` in .pre-commit-config.yaml",
            "rustfmt: a hook that runs `cargo fmt` in .pre-commit-config.yaml",
        ],
    );
    check(
        &[(
            "lefthook.yml",
            "pre-commit:\n  commands:\n    a:\n      run: npx prettier --write {staged_files} && shfmt -d .\n",
        )],
        &[
            "prettier: a hook that runs `prettier` in lefthook.yml",
            "shfmt: a hook that runs `shfmt` in lefthook.yml",
        ],
    );
    check(
        &[(".husky/pre-commit", "# eslint\nnpx typos\n")],
        &["typos: a hook that runs `typos` in .husky/pre-commit"],
    );
    check(
        &[("requirements-dev.txt", "-r x.txt\nyamllint==1 # eslint\n")],
        &["yamllint: the dependency `yamllint` in requirements-dev.txt"],
    );
    check(
        &[("setup.cfg", "[sqlfluff:templater]\nx=1\n")],
        &["sqlfluff: its section `sqlfluff` in setup.cfg"],
    );
    // A word in a name is not a use of a tool.
    check(
        &[(
            "lefthook.yml",
            "pre-commit:\n  commands:\n    a:\n      run: ./eslint-report.sh my-prettier\n",
        )],
        &[],
    );
}

/// X-82.
#[test]
fn presence_is_enough_for_few_and_never_for_a_formatter() {
    let files = [
        ("a.py", ""),
        ("a.js", ""),
        ("a.sh", ""),
        ("bin/run", "#!/usr/bin/env bash\n"),
        ("a.go", ""),
        ("a.rs", ""),
        ("a.md", ""),
        ("a.css", ""),
        ("a.c", ""),
        ("a.sql", ""),
        ("a.toml", ""),
        ("a.yaml", ""),
        ("Dockerfile", ""),
    ];
    let found = taking_part(&files);
    assert_eq!(
        found,
        [
            "go-vet: a file for it in a.go",
            "ruff: a file for it in a.py",
            "shellcheck: a file for it in a.sh"
        ]
    );
    assert_eq!(
        taking_part(&[("bin/run", "#!/usr/bin/env bash\n")]),
        ["shellcheck: a file for it in bin/run"]
    );
    assert_eq!(taking_part(&[("bin/run", "#!/usr/bin/python3\n")]), [""; 0]);
    let is_formatter = |it: &&&crate::Adapter| it.kind == crate::ToolKind::Formatter;
    assert!(all().iter().filter(is_formatter).all(|it| !it.joins_on_presence));
}

#[test]
fn a_tool_is_sealed_only_where_its_settings_name_no_code() {
    let check = |name: &str, files: &[(&str, &str)], is_sealed: bool| {
        let snapshot = tree(files);
        let trust = (adapter(name).unwrap().trust)(&ToolUses::read(&snapshot));
        assert_eq!(trust == Trust::Sealed, is_sealed, "{name} {files:?} {trust:?}");
    };
    check("ruff", &[("ruff.toml", "extend = \"../x.toml\"")], true);
    check("eslint", &[], false);
    check("clippy", &[], false);
    check("prettier", &[], true);
    check("prettier", &[(".prettierrc", "{}")], true);
    check("prettier", &[(".prettierrc", "semi: false\n")], true);
    check("prettier", &[("a/.prettierrc.json", "{\"plugins\": [\"./evil.js\"]}")], false);
    check(
        "prettier",
        &[(".prettierrc", "overrides:\n- files: x\n  options:\n    plugins: [./evil.js]\n")],
        false,
    );
    check("prettier", &[(".prettierrc", "{ not data")], false);
    check("prettier", &[(".prettierrc.toml", "semi = false\n")], true);
    check("prettier", &[("prettier.config.mjs", "")], false);
    check("prettier", &[(".prettierrc.ts", "")], false);
    check("prettier", &[("package.json", "{\"prettier\": \"@me/config\"}")], false);
    check("prettier", &[("package.json", "{\"prettier\": {\"plugins\": []}}")], false);
    check("prettier", &[("package.json", "{\"prettier\": {\"semi\": false}}")], true);
    check("biome", &[("biome.json", "{}")], true);
    check("biome", &[("biome.json", "{\"plugins\": [\"./x.grit\"]}")], false);
    check("oxlint", &[(".oxlintrc.json", "{\"jsPlugins\": [\"./x.js\"]}")], false);
    check("oxlint", &[("oxlint.config.ts", "")], false);
    check("ast-grep", &[("sgconfig.yml", "ruleDirs: [rules]\n")], true);
    check(
        "ast-grep",
        &[("sgconfig.yml", "customLanguages:\n  x:\n    libraryPath: ./x.so\n")],
        false,
    );
    // Another spelling, another reader, another file.
    check("prettier", &[(".prettierrc", "{\"pl\\u0075gins\": [\"./evil.js\"]}")], false);
    check(
        "prettier",
        &[(".prettierrc.json5", "{ // \"\n plugins: ['./evil.js'], // \"\n}")],
        false,
    );
    check("prettier", &[(".prettierrc", "\"./evil.js\"")], false);
    check(
        "prettier",
        &[("package.json", "{\"prettier\": {}, \"prettier\": \"./evil.js\"}")],
        false,
    );
    check("prettier", &[("package.json", "{ no data")], false);
    check("biome", &[("biome.json", "{\"extends\": [\"./other.json\"]}")], false);
    check("oxlint", &[(".oxlintrc.json", "{\"extends\": [\"./other.json\"]}")], false);
    check("oxlint", &[(".oxlintrc.json", "{\"rules\": {}}")], true);
    check("sqlfluff", &[], false);
    check("mypy", &[], false);
    check("stylelint", &[], false);
}

/// Settings that are ignored are no part of the tree, and a tool reads them all the same.
#[test]
fn a_tool_is_not_sealed_where_it_finds_settings_that_nobody_has_looked_at() {
    let check = |name: &str, path: &str, is_sealed: bool| {
        let snapshot = tree(&[(".prettierrc", "{}"), ("sgconfig.yml", "ruleDirs: []\n")]);
        let unlisted = [(RelPath::parse(path).unwrap(), b"x".to_vec())].into();
        let uses = ToolUses::read(&snapshot).with_unlisted(unlisted);
        let adapter = adapter(name).unwrap();
        assert_eq!((adapter.trust)(&uses) == Trust::Sealed, is_sealed, "{name} {path}");
        let is_bound = adapter.settings(&uses).iter().any(|it| it.0.as_str() == path);
        assert_eq!(is_bound, !is_sealed, "{name} {path}");
    };
    check("prettier", "sub/.prettierrc.cjs", false);
    check("prettier", "sub/package.json", false);
    check("prettier", "sub/sgconfig.yml", true);
    check("ast-grep", "sgconfig.yaml", false);
    check("oxlint", "sub/.oxlintrc.json", false);
    check("biome", "biome.json", false);
}

#[test]
fn manifests_that_cannot_be_read_are_left_out() {
    for text in ["{", "\u{0}", "[tool.ruff", "a: [", "[[", "{\"devDependencies\": [1]}"] {
        for name in [
            "package.json",
            "pyproject.toml",
            ".pre-commit-config.yaml",
            "lefthook.yml",
            "setup.cfg",
        ] {
            assert_eq!(taking_part(&[(name, text)]), [""; 0], "{name} {text:?}");
        }
    }
}

#[test]
fn projects_are_the_outermost_folders_with_a_manifest() {
    let check = |files: &[&str], expected: &[Option<&str>]| {
        let files: Vec<(&str, &str)> = files.iter().map(|it| (*it, "")).collect();
        let snapshot = tree(&files);
        let projects = adapter("clippy").unwrap().projects(&ToolUses::read(&snapshot));
        let projects: Vec<_> = projects.iter().map(|it| it.as_ref().map(RelPath::as_str)).collect();
        assert_eq!(projects, expected);
    };
    check(&["a.rs"], &[None]);
    check(&["Cargo.toml", "crates/a/Cargo.toml"], &[None]);
    check(&["a/Cargo.toml", "a/b/Cargo.toml", "c/Cargo.toml"], &[Some("a"), Some("c")]);
}

#[test]
fn rustfmt_is_told_the_edition() {
    let check = |files: &[(&str, &str)], file: &str, edition: &str| {
        let snapshot = tree(files);
        let (file, text) = (RelPath::parse(file).unwrap(), Text::new("fn f() {}\n"));
        let job = crate::ToolJob::Format { file: &file, text: &text };
        let found =
            adapter("rustfmt").unwrap().invocation_in(&job, &ToolUses::read(&snapshot)).unwrap();
        assert_eq!(found.args.last().unwrap(), &format!("--edition={edition}"), "{files:?}");
    };
    check(&[], "a.rs", "2024");
    check(&[("Cargo.toml", "[package]\nname = \"a\"\n")], "src/a.rs", "2015");
    check(&[("Cargo.toml", "[package]\nname = \"a\"\nedition = \"2021\"\n")], "src/a.rs", "2021");
    let workspace = [
        ("Cargo.toml", "[workspace.package]\nedition = \"2018\"\n"),
        ("b/Cargo.toml", "[package]\nname = \"b\"\nedition.workspace = true\n"),
    ];
    check(&workspace, "b/src/lib.rs", "2018");
    check(&[("Cargo.toml", "[package]\nedition = \"--config\"\n")], "a.rs", "2024");
}

#[test]
fn every_adapter_is_whole() {
    let names: Vec<&str> = all().iter().map(|it| it.name).collect();
    assert!(names.is_sorted() && names.windows(2).all(|it| it[0] != it[1]), "{names:?}");
    for it in all() {
        assert!(!it.install.is_empty() && !it.program.is_empty(), "{}", it.name);
        assert!(it.versions.from < it.versions.below, "{}", it.name);
        assert!(it.invocation(&crate::ToolJob::Version).is_some(), "{}", it.name);
        assert!(it.supersedes.iter().all(|name| adapter(name).is_some()), "{}", it.name);
        let by_presence = it.invocation(&crate::ToolJob::CheckByPresence { files: &[] });
        assert!(by_presence.is_some() || !it.joins_on_presence, "{}", it.name);
        if let Some(page) = it.page("SC2086") {
            assert!(page.url.starts_with("https://"), "{}", it.name);
        }
    }
}

/// X-83: what trust in a tool is bound to.
#[test]
fn settings_are_what_can_name_code() {
    let check = |name: &str, files: &[(&str, &str)], expected: &[(&str, &str)]| {
        let snapshot = tree(files);
        let settings = adapter(name).unwrap().settings(&ToolUses::read(&snapshot));
        let shown: Vec<(&str, &str)> = settings
            .iter()
            .map(|it| (it.0.as_str(), std::str::from_utf8(&it.1).unwrap()))
            .collect();
        assert_eq!(shown, expected, "{name}");
    };
    check(
        "eslint",
        &[
            ("a.js", "x"),
            ("eslint.config.mjs", "1"),
            ("package.json", "{\"name\": \"a\", \"eslintConfig\": {\"root\": true}}"),
            ("sub/.eslintrc.cjs", "2"),
        ],
        &[
            ("eslint.config.mjs", "1"),
            ("sub/.eslintrc.cjs", "2"),
            ("package.json", "{\"root\":true}"),
        ],
    );
    check(
        "mypy",
        &[
            ("pyproject.toml", "[project]\nname = \"a\"\n[tool.mypy]\nplugins = [\"p\"]\n"),
            (
                "setup.cfg",
                "[metadata]\nname = a\n[mypy]\nplugins = p\n[mypy-x.*]\na = 1\n[other]\n",
            ),
        ],
        &[("pyproject.toml", "{\"plugins\":[\"p\"]}"), ("setup.cfg", "[mypy]\nplugins = p\n")],
    );
    check(
        "clippy",
        &[
            (".cargo/config.toml", "1"),
            ("Cargo.toml", "[lints.clippy]\n"),
            ("build.rs", "x"),
            ("config.toml", "x"),
            ("rust-toolchain.toml", "2"),
        ],
        &[(".cargo/config.toml", "1"), ("rust-toolchain.toml", "2")],
    );
}
