//! The real tools: what regreen makes of a workspace beside what the tool's own fix makes of it, a repository of many
//! languages, and a clone that tries to run something. `crates/linters/live/install.sh` fills the folder that
//! `LINTERS_TOOLS` names.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::{Ran, Scene};

fn path() -> String {
    let tools = std::env::var("LINTERS_TOOLS");
    let tools = tools.expect("LINTERS_TOOLS names the folder that install.sh filled");
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{tools}/bin:{path}")
}

fn run(scene: &Scene, line: &str) -> Ran {
    let path = path();
    let home = std::env::var("HOME").unwrap_or_default();
    let of_home = |name: &str, default: &str| {
        std::env::var(name).unwrap_or_else(|_| format!("{home}/{default}"))
    };
    let (rustup, cargo) = (of_home("RUSTUP_HOME", ".rustup"), of_home("CARGO_HOME", ".cargo"));
    let variables = [("PATH", path.as_str()), ("RUSTUP_HOME", &rustup), ("CARGO_HOME", &cargo)];
    scene.run_with(line, &variables, "")
}

/// The files of a folder by name, without what tools keep there.
fn tree(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(folder.join(&at)).unwrap() {
            let entry = entry.unwrap();
            let name = at.join(entry.file_name());
            let is_kept = ["target", "Cargo.lock", ".git"].iter().any(|it| name.ends_with(it));
            if is_kept {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                waiting.push(name);
            } else {
                let text = fs::read(entry.path()).unwrap();
                found.push((
                    name.to_str().unwrap().to_owned(),
                    String::from_utf8_lossy(&text).into_owned(),
                ));
            }
        }
    }
    found.sort();
    found
}

/// Fixes the files with regreen, and a copy of them with the shell command; both must be the same.
#[track_caller]
fn check(files: &str, flags: &str, own: &str) {
    let scene = Scene::new(files);
    let other = Scene::new(files);
    let status = Command::new("sh")
        .args(["-c", own])
        .current_dir(other.path("ws"))
        .env("PATH", path())
        .env("GOFLAGS", "-mod=mod")
        .output()
        .unwrap();
    let before = tree(&scene.path("ws"));
    let expected = tree(&other.path("ws"));
    assert_ne!(before, expected, "the tool itself changes something: {status:?}");
    let ran = run(&scene, &format!("fix --trust {flags}"));
    assert_eq!(tree(&scene.path("ws")), expected, "{own}: {}\n{status:?}", ran.text());
    assert!(run(&scene, "undo").code == 0);
    assert_eq!(tree(&scene.path("ws")), before, "{own}");
}

#[test]
fn ruff_as_itself() {
    check(
        "//- ws/ruff.toml\nlint.select = [\"F\", \"I\", \"UP\", \"E7\"]\n//- ws/a.py\nimport os\nimport sys\nfrom typing import List\n\n\ndef f(x: List[int]):\n    y = f\"é😀\"\n    if x == None:\n        print(sys.argv, y)\n    return x\n",
        "",
        "ruff check --fix --no-cache .",
    );
    check(
        "//- ws/ruff.toml\n[format]\nquote-style = \"double\"\n//- ws/a.py\nx = { 'a':1 }\nif x :\n  print( 'é😀' )\n//- ws/sub/b.py\nprint( 1 )\n",
        "",
        "ruff check --fix --no-cache .; ruff format --no-cache .",
    );
}

/// an import that the file does not use and another file takes from there is not removed without a word.
#[test]
fn what_others_import_from_a_module_stays_there() {
    let scene = Scene::new(
        "//- ws/shop/compat.py\nimport json\nfrom io import StringIO\nfrom urllib.parse import quote, unquote\n\
         //- ws/shop/web.py\nfrom .compat import (\n    quote,  # for names\n)\nfrom . import compat\n\nprint(quote, compat.StringIO)\n",
    );
    let ran = run(&scene, "fix");
    let kept = "from io import StringIO\nfrom urllib.parse import quote, unquote\n";
    assert_eq!(scene.read("ws/shop/compat.py"), kept, "{}", ran.text());
    assert!(ran.stdout.contains("shop/web.py imports `quote` from here"), "{}", ran.text());
}

/// `var` becomes `let`, and then `const`.
#[test]
fn eslint_and_prettier_as_themselves() {
    check(
        "//- ws/eslint.config.mjs\nexport default [{ rules: { \"prefer-const\": \"error\", \"no-var\": \"error\", \"no-extra-boolean-cast\": \"warn\", semi: \"error\" } }];\n//- ws/a.js\nvar a = \"é😀\"\nlet b = 2\nif (!!a) { b; }\n",
        "",
        "eslint --fix .",
    );
    check(
        "//- ws/.prettierrc\n{ \"semi\": false }\n//- ws/a.js\nconst a = {b:1,c:\"é😀\"};\n//- ws/a.css\na{color:red}\n//- ws/README.md\nTitle\n=====\n\n* a\n* b\n",
        "",
        "prettier --write --log-level=error .",
    );
}

#[test]
fn biome_oxlint_and_stylelint_as_themselves() {
    check(
        "//- ws/biome.json\n{ \"linter\": { \"rules\": { \"recommended\": true } } }\n//- ws/a.js\nexport const a = (x) => {\n  if (x == null || !!x) {\n    return x;\n  }\n  var b = 1;\n  return b;\n};\n",
        "",
        "biome lint --write .",
    );
    check(
        "//- ws/biome.json\n{ \"formatter\": { \"enabled\": true, \"indentStyle\": \"tab\" } }\n//- ws/a.js\nimport { z } from \"./z.js\";\nimport { b } from './b.js'\n\nexport const f = (x) => { if (!!x) { return b( z(x) ) } var c = \"é😀\"; return c }\n//- ws/a.css\na{color:red}\n",
        "",
        "biome check --write .",
    );
    check(
        "//- ws/.oxlintrc.json\n{\"rules\": {\"no-var\": \"error\", \"unicorn/no-useless-spread\": \"error\"}}\n//- ws/a.js\nvar q = \"é😀\"; const s = [...[q]];\nexport { q, s };\n",
        "",
        "oxlint --fix .",
    );
    check(
        "//- ws/.stylelintrc.json\n{ \"rules\": { \"color-hex-length\": \"short\", \"length-zero-no-unit\": true } }\n//- ws/a.css\na { color: #ffffff; margin: 0px; }\n/* é😀 */ b { color: #aabbcc; }\n",
        "",
        "stylelint --fix '**/*.css'",
    );
}

#[test]
fn clippy_and_rustfmt_as_themselves() {
    let manifest = "//- ws/Cargo.toml\n[package]\nname = \"it\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lints.clippy]\nall = \"warn\"\n[workspace]\n";
    check(
        &format!(
            "{manifest}//- ws/src/lib.rs\npub fn f(n: u32) -> u32 {{\n    // é😀\n    let m = (n);\n    m + 1\n}}\n\npub fn g(v: &Vec<u32>) -> bool {{\n    v.len() == 0\n}}\n"
        ),
        "",
        "cargo clippy --fix --allow-no-vcs --offline --quiet; rm -rf target",
    );
    check(
        "//- ws/rustfmt.toml\nmax_width = 60\n//- ws/src/lib.rs\npub fn f( n:u32 )->u32{ n+1 }\n",
        "",
        "rustfmt --edition=2024 src/lib.rs",
    );
}

#[test]
fn clang_tools_as_themselves() {
    check(
        "//- ws/.clang-format\nBasedOnStyle: LLVM\n//- ws/a.c\nint  main( ) { /* é😀 */ return 0 ;}\n",
        "",
        "clang-format -i a.c",
    );
    check(
        "//- ws/.clang-tidy\nChecks: '-*,readability-braces-around-statements'\n//- ws/a.c\nint f(int a) {\n  if (a)\n    return 1;\n  return 0;\n}\n",
        "--safety behavior_changing",
        "clang-tidy --quiet --fix a.c --",
    );
}

/// The same fix of a header comes from every file that includes it, and is made once.
#[test]
fn a_header_is_fixed_once_for_all_that_include_it() {
    let mut files = "//- ws/.clang-tidy\nChecks: '-*,modernize-use-nullptr'\nHeaderFilterRegex: '.*'\n//- ws/h.hpp\n#pragma once\ninline int *zero() { return 0; }\n".to_owned();
    for nth in 0..10 {
        files += &format!("//- ws/a{nth}.cpp\n#include \"h.hpp\"\nint *f{nth}() {{ return 0; }}\n");
    }
    let scene = Scene::new(&files);
    let ran = run(&scene, "fix --trust --safety behavior_changing --format json");
    assert_eq!(ran.json()["summary"]["applied"], 11, "{}", ran.text());
    let fixed = "#pragma once\ninline int *zero() { return nullptr; }\n";
    assert_eq!(scene.read("ws/h.hpp"), fixed, "{}", ran.text());
    assert!(scene.read("ws/a9.cpp").ends_with("return nullptr; }\n"));
}

#[test]
fn shell_tools_and_typos_as_themselves() {
    check(
        "//- ws/a.sh\n#!/bin/bash\n# é😀\necho $1\ncd \"$2\" || exit\ncp $1 $2\n",
        "--safety behavior_changing",
        "shellcheck --format=diff a.sh | patch -p1 -s",
    );
    check(
        "//- ws/regreen.toml\n[linters.shfmt]\nenabled = true\n//- ws/a.sh\n#!/bin/bash\nif true;then\n echo a\nfi\n",
        "",
        "shfmt -w a.sh",
    );
    check(
        "//- ws/.typos.toml\n\n//- ws/README.md\né😀 teh end of teh line\n//- ws/a.py\n# recieve it\nx = 1\n",
        "--safety behavior_changing",
        "typos --write-changes .",
    );
}

#[test]
fn go_tools_as_themselves() {
    check(
        "//- ws/regreen.toml\n[linters.gofmt]\nenabled = true\n//- ws/go.mod\nmodule it\n\ngo 1.21\n//- ws/a.go\npackage it\n\nfunc  F( ) int { return 1 }\n",
        "",
        "gofmt -w a.go",
    );
    check(
        "//- ws/regreen.toml\n[linters.go-fix]\nenabled = true\n//- ws/go.mod\nmodule it\n\ngo 1.24\n//- ws/a.go\npackage it\n\nfunc F(m map[string]interface{}) {\n\ts := \"hé😀\"\n\tfor i := 0; i < 10; i++ {\n\t\tprintln(\"é😀\", m, s)\n\t}\n}\n//- ws/sub/b.go\npackage sub\n\nfunc G(v interface{}) interface{} { return v }\n",
        "--safety behavior_changing",
        "go fix ./...",
    );
    check(
        "//- ws/go.mod\nmodule it\n\ngo 1.24\n//- ws/a.go\npackage it\n\nimport \"fmt\"\n\nfunc F(s string) {\n\tfmt.Println(\"é😀\")\n\tfmt.Printf(s)\n}\n",
        "--safety behavior_changing",
        "go vet -fix ./...",
    );
}

#[test]
fn rustc_as_itself() {
    check(
        "//- ws/Cargo.toml\n[package]\nname = \"it\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n//- ws/src/lib.rs\nmod other;\nuse std::collections::{BTreeMap, HashMap};\n\npub fn f(n: u32) -> (u32, BTreeMap<u32, u32>) {\n    // é😀\n    let mut m = (n);\n    (m + other::g(), BTreeMap::new())\n}\n//- ws/src/other.rs\nuse std::fs;\n\npub fn g() -> u32 {\n    1\n}\n",
        "",
        "cargo fix --allow-no-vcs --offline --quiet --workspace --all-targets; rm -rf target",
    );
}

#[test]
fn linters_of_markdown_as_themselves() {
    let text = "#Title\n\nhé😀 text   \n\n\n*  item\n*  other\n";
    check(
        &format!("//- ws/.markdownlint.json\n{{ \"MD041\": false }}\n//- ws/a.md\n{text}"),
        "",
        "markdownlint-cli2 --fix '**/*.md'",
    );
    check(
        &format!("//- ws/.rumdl.toml\n[global]\n//- ws/a.md\n{text}"),
        "",
        "rumdl check --no-cache --fix a.md",
    );
}

#[test]
fn linters_with_rules_of_the_repository_as_themselves() {
    check(
        "//- ws/sgconfig.yml\nruleDirs: [rules]\n//- ws/rules/foo.yml\nid: no-foo\nlanguage: python\nseverity: warning\nmessage: use bar\nrule:\n  pattern: foo($A)\nfix: bar($A)\n//- ws/a.py\ns = \"hé😀\"; foo(1)\nif s:\n\tfoo(\"é😀\")\n",
        "--safety behavior_changing",
        "ast-grep scan -U a.py",
    );
    check(
        "//- ws/.semgrep.yml\nrules:\n- id: deprecated\n  languages: [python]\n  severity: WARNING\n  message: use assertEqual\n  pattern: assertEquals($A, $B)\n  fix: assertEqual($A, $B)\n//- ws/a.py\ns = \"hé😀\"; assertEquals(s, 1)\nif s:\n\tassertEquals(\"é😀\", s)\n",
        "--safety behavior_changing",
        "semgrep scan --autofix --quiet --metrics=off --disable-version-check --config=.semgrep.yml a.py",
    );
}

#[test]
fn sqlfluff_codespell_and_taplo_as_themselves() {
    check(
        "//- ws/.sqlfluff\n[sqlfluff]\ndialect = ansi\n//- ws/a.sql\nSELECT\n    'hé😀' as a,\n    b  as c\nfrom t\n",
        "--safety behavior_changing",
        "sqlfluff fix --nocolor a.sql",
    );
    check(
        "//- ws/.codespellrc\n[codespell]\n//- ws/a.md\né😀 recieve it\nand teh rest\n//- ws/a.py\n# recieve é😀\n",
        "--safety behavior_changing",
        "codespell -w a.md a.py",
    );
    check(
        "//- ws/taplo.toml\n\n//- ws/a.toml\na=\"hé😀\"\n[t]\n\tb  = [1,2]\n",
        "",
        "taplo format a.toml",
    );
}

/// A repository of many languages, in which fixes of several tools are on the same lines: the same bytes whatever the
/// number of threads, and one `undo`.
#[test]
fn a_repository_of_many_languages_is_fixed_as_one() {
    let files = "//- ws/pyproject.toml\n[tool.ruff]\nline-length = 60\nlint.select = [\"F\", \"I\", \"UP\"]\n[tool.ruff.format]\nquote-style = \"double\"\n\
        //- ws/.prettierrc\n{}\n//- ws/.oxlintrc.json\n{}\n//- ws/.typos.toml\n\n\
        //- ws/a.py\nimport os, sys\nfrom typing import List\n\ndef recieve(x: List[int]): # teh list\n    return f'plain', sys.argv   , x\n\
        //- ws/a.js\nif (!!process.argv) { debugger; console.log( 'teh end' ) }\n\
        //- ws/README.md\nTeh title\n=========\n\n* one\n* two\n\
        //- ws/run.sh\n#!/bin/bash\necho $1\n";
    let mut results = Vec::new();
    for jobs in [1, 2, 5] {
        let scene = Scene::new(files);
        let before = tree(&scene.path("ws"));
        let ran = run(&scene, &format!("fix --jobs {jobs} --format json"));
        assert_eq!(ran.code, 0, "{}", ran.text());
        let report = ran.json();
        assert!(report["summary"]["applied"].as_u64().unwrap() >= 5, "{}", ran.text());
        results.push((tree(&scene.path("ws")), report["applied"].clone(), report["tools"].clone()));
        // Nothing is left that could be done.
        let again = run(&scene, "fix --format json").json();
        assert_eq!(again["summary"]["applied"], 0, "{again}");
        assert_eq!(run(&scene, "undo").code, 0);
        assert_eq!(tree(&scene.path("ws")), before);
    }
    assert!(results.windows(2).all(|it| it[0] == it[1]), "{results:#?}");
}

/// a clone in which everything that can tries to write a file. Sealed tools work all the same.
#[test]
fn a_clone_runs_nothing_before_it_is_trusted() {
    let scene = Scene::new(
        "//- ws/a.py\nimport os\n//- ws/a.js\nvar a = 1\n//- ws/a.md\n* a\n//- ws/a.sql\nselect 1\n//- ws/a.sh\n#!/bin/sh\necho $1\n//- ws/ruff.toml\n\n",
    );
    let marker = scene.path("marker");
    let at = marker.display().to_string();
    let js =
        format!("import fs from 'node:fs'; fs.writeFileSync('{at}', 'x'); export default [];\n");
    let py = format!("open('{at}', 'w').write('x')\n");
    let sh = format!("#!/bin/sh\ntouch {at}\n");
    scene.write("ws/eslint.config.mjs", &js);
    scene.write("ws/prettier.config.mjs", &js);
    scene.write("ws/stylelint.config.mjs", &js);
    scene.write("ws/a.css", "a { color: red }\n");
    scene.write("ws/conftest.py", &py);
    scene.write("ws/mypy.ini", "[mypy]\nplugins = ./plugin.py\npython_executable = ./python\n");
    scene.write("ws/plugin.py", &py);
    scene.write("ws/python", &sh);
    scene.write("ws/sgconfig.yml", "ruleDirs: [rules]\ncustomLanguages:\n  mine:\n    libraryPath: evil.so\n    extensions: [mine]\n");
    scene.write("ws/.sqlfluff", "[sqlfluff]\ndialect = ansi\nlibrary_path = lib\n[sqlfluff:templater:jinja]\nlibrary_path = lib\n");
    scene.write("ws/lib/__init__.py", &py);
    scene.write(
        "ws/Cargo.toml",
        "[package]\nname = \"it\"\nversion = \"0.0.0\"\nedition = \"2021\"\n",
    );
    scene.write("ws/src/lib.rs", "pub fn f() {}\n");
    scene.write(
        "ws/build.rs",
        &format!("fn main() {{ std::fs::write(\"{at}\", \"x\").unwrap(); }}\n"),
    );
    scene.write("ws/.cargo/config.toml", "[build]\nrustc-wrapper = \"./wrapper\"\n");
    scene.write("ws/rust-toolchain.toml", "[toolchain]\npath = \"./toolchain\"\n");
    scene.write("ws/rustfmt.toml", "\n");
    scene.write("ws/regreen.toml", "[linters.ruff]\ncommand = [\"./wrapper\"]\n[[source]]\nname = \"mine\"\ncommand = [\"./wrapper\"]\nformat = \"sarif\"\n");
    for name in [
        "wrapper",
        "node_modules/.bin/ruff",
        "node_modules/.bin/eslint",
        "toolchain/bin/rustfmt",
        "toolchain/bin/cargo",
        "python",
    ] {
        scene.write(&format!("ws/{name}"), &sh);
        let path = scene.path(&format!("ws/{name}"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for line in ["check", "fix", "plan", "init --dry-run"] {
        let ran = run(&scene, line);
        assert!(ran.code < 2, "{line}: {}", ran.text());
        assert!(!marker.exists(), "{line}: {}", ran.text());
    }
    let ran = run(&scene, "check --format json");
    let report = ran.json();
    let states: Vec<(&str, &str)> = report["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["state"].as_str().unwrap()))
        .collect();
    for name in
        ["ruff", "eslint", "prettier", "mypy", "clippy", "rustc", "mine", "ast-grep", "sqlfluff"]
    {
        if let Some(state) = states.iter().find(|it| it.0 == name) {
            assert_eq!(state.1, "untrusted", "{states:?}");
        }
    }
    assert!(states.contains(&("shellcheck", "ran")), "{states:?}");
    assert!(states.contains(&("rustfmt", "ran")), "{states:?}");
}

/// fixes of a tool that has more to say than one answer holds are made, and cost no other tool its own.
#[test]
fn very_many_fixes_of_one_tool_are_made_beside_those_of_another() {
    let scene = Scene::new(
        "//- ws/_typos.toml\n\n//- ws/ruff.toml\n\n//- ws/a.py\nimport os\n\nprint(1)\n//- ws/regreen.toml\n[linters.typos]\ntimeout = \"10m\"\n",
    );
    for nth in 0..3 {
        scene.write(&format!("ws/f{nth}.md"), &"teh line\n".repeat(17_000));
    }
    let ran = run(&scene, "fix");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains("51000 findings in"), "{}", ran.text());
    assert_eq!(scene.read("ws/f2.md"), "the line\n".repeat(17_000));
    assert_eq!(scene.read("ws/a.py"), "\nprint(1)\n", "{}", ran.text());
    assert_eq!(run(&scene, "undo").code, 0);
    assert_eq!(scene.read("ws/f0.md"), "teh line\n".repeat(17_000));
}

/// Runs git in the workspace, and gives what it printed.
#[track_caller]
fn git(scene: &Scene, line: &str) -> String {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let out = Command::new("git")
        .args(identity)
        .args(line.split(' '))
        .current_dir(scene.path("ws"))
        .output()
        .unwrap();
    assert!(out.status.success(), "git {line}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// what is staged and what is on disk are fixed by the tools, each on its own bytes, also on the same lines; where the
/// bytes on disk cannot be fixed they stay and are named; `undo` restores both.
#[test]
fn tools_fix_what_is_staged_and_what_is_on_disk_each_on_its_own_bytes() {
    let scene = Scene::new(
        "//- ws/ruff.toml\n\n//- ws/.prettierrc\n{ \"singleQuote\": true }\n\
         //- ws/eslint.config.js\nexport default [{ rules: { 'prefer-const': 'error', eqeqeq: 'off' } }];\n\
         //- ws/package.json\n{ \"type\": \"module\" }\n\
         //- ws/a.py\nx = 1\n//- ws/b.js\nexport const b = 1;\n//- ws/c.py\nx = 1\n",
    );
    git(&scene, "init -q");
    git(&scene, "add .");
    git(&scene, "commit -q -m first");
    let staged = [
        ("a.py", "import os\nx = 1\ny = 2\n", "x = 1\ny = 2\n"),
        ("b.js", "let  b=\"one\"\nexport {b}\n", "const b = 'one';\nexport { b };\n"),
        ("c.py", "import os\nx = 2\n", "x = 2\n"),
    ];
    let on_disk = [
        ("a.py", "import os, sys\nx = 1\ny = sys\n", "import sys\nx = 1\ny = sys\n"),
        ("b.js", "let  b=\"two\"\nexport {b}\n", "const b = 'two';\nexport { b };\n"),
        // It does not parse, so that nothing can be said about it.
        ("c.py", "import os\nx = (\n", "import os\nx = (\n"),
    ];
    for (name, before, _) in staged {
        scene.write(&format!("ws/{name}"), before);
    }
    git(&scene, "add a.py b.js c.py");
    for (name, before, _) in on_disk {
        scene.write(&format!("ws/{name}"), before);
    }
    // The order of imports is a matter of taste that this is not about.
    scene.write("ws/regreen.toml", "[rules]\n\"ruff/I001\" = \"off\"\n");
    let ran = run(&scene, "fix --staged --trust");
    for (name, _, after) in staged {
        assert_eq!(git(&scene, &format!("show :{name}")), after, "{name}: {}", ran.text());
    }
    for (name, _, after) in on_disk {
        assert_eq!(scene.read(&format!("ws/{name}")), after, "{name}: {}", ran.text());
    }
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains("c.py"), "{}", ran.text());
    assert_eq!(run(&scene, "undo").code, 0);
    for ((name, before, _), (_, disk, _)) in staged.into_iter().zip(on_disk) {
        assert_eq!(git(&scene, &format!("show :{name}")), before, "{name}");
        assert_eq!(scene.read(&format!("ws/{name}")), disk, "{name}");
    }
}
