//! Tools that people have, by stand-ins: who takes part, who is let, and what a tool can do to a tree that it does not
//! mean well with. Scripts in a folder beside the workspace are the user's programs.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::support::{Ran, Scene};

/// A scene with the user's programs in `bin`, by name and script.
fn scene(files: &str, programs: &[(&str, &str)]) -> Scene {
    let scene = Scene::new(files);
    for (name, script) in programs {
        let path = format!("bin/{name}");
        scene.write(&path, &format!("#!/bin/sh\n{script}"));
        fs::set_permissions(scene.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    scene
}

fn run(scene: &Scene, line: &str) -> Ran {
    let path = format!("{}:/usr/bin:/bin", scene.path("bin").display());
    scene.run_with(line, &[("PATH", &path)], "")
}

#[track_caller]
fn trust(scene: &Scene) {
    let ran = run(scene, "trust --yes");
    assert_eq!(ran.code, 0, "{}", ran.text());
}

/// What a report says of the tools: name and state, and the version if there is one.
fn tools(ran: &Ran) -> Vec<String> {
    let json = ran.json();
    let list = json["tools"].as_array().cloned().unwrap_or_default();
    let line = |it: &serde_json::Value| {
        let version = it["version"].as_str().map(|it| format!(" {it}")).unwrap_or_default();
        format!("{}{version} {}", it["name"].as_str().unwrap(), it["state"].as_str().unwrap())
    };
    list.iter().map(line).collect()
}

/// Stands for prettier: puts two blanks where one is, and only once.
const PRETTIER: &str = r#"case "$1" in
--version) echo 3.9.9 ;;
--write) while [ "$1" != -- ]; do shift; done; shift; sed -i 's/x=1/x = 1/' "$@" ;;
esac
"#;

/// X-82: nobody's repository is laid out anew because a tool happens to be installed.
#[test]
fn a_formatter_takes_part_where_it_is_used_and_nowhere_else() {
    let scene = scene("//- ws/a.md\nx=1\n", &[("prettier", PRETTIER)]);
    let ran = run(&scene, "check --format json");
    assert_eq!((ran.code, tools(&ran)), (0, vec![]), "{}", ran.text());
    assert_eq!(run(&scene, "fix").code, 0);
    assert_eq!(scene.read("ws/a.md"), "x=1\n");
    let init = run(&scene, "init --dry-run");
    assert!(init.stdout.contains("[linters.prettier] in regreen.toml"), "{}", init.text());

    scene.write("ws/.prettierrc", "{}\n");
    let ran = run(&scene, "check --format json");
    assert_eq!(tools(&ran), ["prettier 3.9.9 ran"]);
    assert_eq!(ran.json()["summary"]["info"], 1, "{}", ran.text());
    let ran = run(&scene, "fix");
    assert_eq!((ran.code, scene.read("ws/a.md").as_str()), (0, "x = 1\n"), "{}", ran.text());
    assert!(ran.stdout.contains("prettier 3.9.9  1 finding in 2 files, 1 fixed"), "{}", ran.text());
    assert_eq!(run(&scene, "undo").code, 0);
    assert_eq!(scene.read("ws/a.md"), "x=1\n");
}

/// X-80: a formatter whose result it would change again is not used.
#[test]
fn what_is_not_formatted_after_formatting_is_not_applied() {
    let grows = PRETTIER.replace("s/x=1/x = 1/", "s/x/xx/");
    let scene = scene("//- ws/a.md\nx\n//- ws/.prettierrc\n{}\n", &[("prettier", &grows)]);
    let ran = run(&scene, "fix --format json");
    assert_eq!(scene.read("ws/a.md"), "x\n", "{}", ran.text());
    assert_eq!(ran.json()["rejected"][0]["reason"], "unverified", "{}", ran.text());
}

/// A tool that joined by detection is not required, one that is named is.
#[test]
fn a_tool_that_is_missing_fails_the_run_only_where_it_is_required() {
    let scene = scene("//- ws/a.md\nx=1\n//- ws/.prettierrc\n{}\n", &[]);
    let ran = run(&scene, "check");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains("is not installed: npm install --save-dev prettier"));
    scene.write("ws/regreen.toml", "[linters.prettier]\nenabled = true\n");
    assert_eq!(run(&scene, "check").code, 3);
    let ran = run(&scene, "check --tolerate-tools");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains("Without prettier."), "{}", ran.text());
    scene.write("ws/regreen.toml", "[linters.prettier]\nrequired = false\n");
    assert_eq!(run(&scene, "check").code, 0);
    scene.write("ws/regreen.toml", "[linters.prettier]\nenabled = false\n");
    assert_eq!(tools(&run(&scene, "check --format json")), [""; 0]);
}

/// A build runs nothing that is not one of its inputs, and that is not a failure.
#[test]
fn in_a_build_tools_are_not_asked() {
    let files = "//- ws/a.md\nx=1\n//- ws/regreen.toml\n[linters.prettier]\nenabled = true\n";
    let scene = scene(files, &[("prettier", PRETTIER)]);
    let path = format!("{}:/usr/bin:/bin", scene.path("bin").display());
    let ran =
        scene.run_with("check --format json", &[("PATH", &path), ("REGREEN_ACTION", "1")], "");
    assert_eq!((ran.code, tools(&ran)), (0, vec!["prettier unchecked".to_owned()]));
}

/// AE-34: a tool that is an input of a build sees the inputs wherever they lie, and what comes out is what comes out at a
/// terminal. It needs nobody's trust: whoever wrote the build gave it.
#[test]
fn a_build_runs_the_tools_that_it_is_given() {
    let files = "//- ws/docs/a.md\nx=1\n//- ws/.prettierrc\n{}\n//- ws/b.md\nx=1\n\
                 //- ws/regreen.toml\n[linters.prettier]\n[linters.rumdl]\nenabled = true\n\
                 [[source]]\nname = \"todo\"\ncommand = [\"todo\"]\nformat = \"sarif\"\nfiles = [\"**/*.md\"]\n";
    let todo = "echo '{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"todo\"}},\"results\":[{\"ruleId\":\"T1\",\"message\":{\"text\":\"write more\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"docs/a.md\"},\"region\":{\"startLine\":1,\"startColumn\":1,\"endLine\":1,\"endColumn\":2}}}]}]}]}'";
    let scene = scene(files, &[("prettier", PRETTIER), ("todo", todo)]);
    let formats = ["edits", "diff", "repairs"];
    let emit = |folder: &str| {
        fs::create_dir(scene.path(folder)).unwrap();
        let flag = |it: &str| format!(" --emit {it}={}/{it}", scene.path(folder).display());
        formats.map(flag).concat()
    };
    let flags = emit("person");
    let ran = run(&scene, &format!("check --trust --tolerate-tools --format json{flags}"));
    assert_eq!(tools(&ran), ["prettier 3.9.9 ran", "rumdl missing", "todo ran"], "{}", ran.text());

    // The inputs are elsewhere, under other names.
    for (path, name) in
        [("docs/a.md", "1"), ("b.md", "2"), (".prettierrc", "3"), ("regreen.toml", "4")]
    {
        scene.write(&format!("cas/{name}"), &scene.read(&format!("ws/{path}")));
        let context = if path.ends_with(".md") { "" } else { "\tcontext" };
        let line = format!("{path}\t{}{context}\n", scene.path(&format!("cas/{name}")).display());
        let list = fs::read_to_string(scene.path("list")).unwrap_or_default();
        scene.write("list", &(list + &line));
    }
    let list = scene.path("list");
    let flags = emit("build");
    let bin =
        |name: &str| format!("--tool {name}={}", scene.path(&format!("bin/{name}")).display());
    let line = format!(
        "check --format json --inputs {} {} {}{flags} --root .",
        list.display(),
        bin("prettier"),
        bin("todo")
    );
    let ran = scene.run_with(&line, &[("PATH", "/nowhere")], "");
    let expected = ["prettier 3.9.9 ran", "rumdl unchecked", "todo ran"];
    assert_eq!((tools(&ran), ran.code), (expected.map(str::to_owned).into(), 0), "{}", ran.text());
    for name in formats {
        let (person, build) = (format!("person/{name}"), format!("build/{name}"));
        assert_eq!(scene.read(&build), scene.read(&person), "{name}");
    }
    assert!(scene.read("build/diff").contains("+x = 1"));
    assert_eq!(scene.read("cas/1"), "x=1\n");

    // Where nothing can be laid out the tools are not passed over in silence.
    let line =
        format!("check --format json --inputs {} {} --root .", list.display(), bin("prettier"));
    let ran = scene.run_with(&line, &[("TMPDIR", "/nowhere")], "");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(tools(&ran).iter().any(|it| it.starts_with("prettier failed")), "{}", ran.text());

    // Outside of a build the flag means nothing, and is refused; so is what is not a program.
    let ran = run(&scene, &format!("check {}", bin("prettier")));
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("`--tool` is for build actions"), "{}", ran.text());
    let ran = scene.run_with("check --tool prettier=none", &[("REGREEN_ACTION", "1")], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("none is not a file"), "{}", ran.text());
}

/// The workspace's own tool, in three lines.
fn own(format: &str, more: &str) -> String {
    format!(
        "//- ws/regreen.toml\n[[source]]\nname = \"house\"\ncommand = [\"house\"]\nformat = \"{format}\"\n{more}"
    )
}

const SARIF: &str = r#"cat <<'END'
{"version":"2.1.0","runs":[{"columnKind":"unicodeCodePoints","tool":{"driver":{"name":"house"}},"results":[
{"ruleId":"H1","level":"error","message":{"text":"say yes"},
"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.txt"},"region":{"startLine":1,"startColumn":1,"endColumn":3}}}],
"fixes":[{"artifactChanges":[{"artifactLocation":{"uri":"a.txt"},"replacements":[
{"deletedRegion":{"startLine":1,"startColumn":1,"endColumn":3},"insertedContent":{"text":"yes"}}]}]}]}]}]}
END
"#;
const NOTHING: &str =
    r#"{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"house"}},"results":[]}]}"#;

/// A tool of one's own runs when the user says so, and its safety counts then.
#[test]
fn a_tool_of_ones_own_is_three_lines_and_waits_for_trust() {
    let script = format!("if grep -q no a.txt; then {SARIF}else echo '{NOTHING}'; fi\n");
    let scene = scene(&format!("//- ws/a.txt\nno\n{}", own("sarif", "")), &[("house", &script)]);
    let ran = run(&scene, "check --format json");
    assert_eq!((ran.code, tools(&ran)), (0, vec!["house untrusted".to_owned()]), "{}", ran.text());
    trust(&scene);
    let ran = run(&scene, "check --format json");
    assert_eq!((ran.code, tools(&ran)), (1, vec!["house ran".to_owned()]), "{}", ran.text());
    assert_eq!(ran.json()["diagnostics"][0]["rule_id"], "H1");
    // SARIF states no safety.
    assert_eq!(run(&scene, "fix").code, 1);
    assert_eq!(scene.read("ws/a.txt"), "no\n");
    let text = scene.read("ws/regreen.toml") + "safety = \"likely_preserving\"\n";
    scene.write("ws/regreen.toml", &text);
    // Another table is another thing to trust.
    assert_eq!(tools(&run(&scene, "check --format json")), ["house untrusted"]);
    trust(&scene);
    let ran = run(&scene, "fix");
    assert_eq!((ran.code, scene.read("ws/a.txt").as_str()), (0, "yes\n"), "{}", ran.text());
}

/// Two tools that undo one another are named, and the tree is none the worse.
#[test]
fn two_tools_that_fight_are_named_and_the_better_state_stays() {
    let source = |name: &str| {
        format!(
            "[[source]]\nname = \"{name}\"\ncommand = [\"{name}\"]\nformat = \"rewrites\"\nsafety = \"likely_preserving\"\n"
        )
    };
    let files =
        format!("//- ws/a.txt\nsay 'x'\n//- ws/regreen.toml\n{}{}", source("one"), source("two"));
    let programs =
        [("one", "sed -i \"s/'/\\\"/g\" a.txt\n"), ("two", "sed -i \"s/\\\"/'/g\" a.txt\n")];
    let scene = scene(&files, &programs);
    trust(&scene);
    let ran = run(&scene, "fix --format json");
    assert_eq!(scene.read("ws/a.txt"), "say 'x'\n", "{}", ran.text());
    let report = ran.json();
    assert_eq!(report["stop"], "cycle", "{}", ran.text());
    let notes = report["notes"].as_array().unwrap();
    assert_eq!(notes.len(), 1, "{notes:?}");
    let note = notes[0].as_str().unwrap();
    assert!(note.starts_with("one/rewrite, two/rewrite undo one another"), "{note}");
}

/// What a hostile or broken tool does to the tree: nothing. Each line is a script and what the report says of it.
#[test]
fn a_tool_cannot_make_the_tree_worse() {
    #[track_caller]
    fn check(format: &str, script: &str, expected: &str) {
        // Only who never ends is to find out about the limit.
        let limit = if expected == "timed_out" { "2s" } else { "120s" };
        let more = &format!("safety = \"likely_preserving\"\ntimeout = \"{limit}\"\n");
        let files = format!("//- ws/a.txt\nkeep\n//- ws/b.txt\nkeep\n{}", own(format, more));
        let scene = scene(&files, &[("house", script)]);
        trust(&scene);
        for line in ["fix --format json", "fix --tolerate-tools --format json"] {
            let ran = run(&scene, line);
            assert_eq!(scene.read("ws/a.txt"), "keep\n", "{script}: {}", ran.text());
            assert_eq!(scene.read("ws/b.txt"), "keep\n", "{script}: {}", ran.text());
            let names: Vec<String> = fs::read_dir(scene.path("ws"))
                .unwrap()
                .map(|it| it.unwrap().file_name().into_string().unwrap())
                .filter(|it| !["a.txt", "b.txt", "regreen.toml"].contains(&it.as_str()))
                .collect();
            assert_eq!(names, [""; 0], "{script}");
            assert!(!scene.path("marker").exists(), "{script}");
            assert!(ran.stdout.contains(expected), "{script}: expected {expected}, {}", ran.text());
        }
    }
    // Writes behind our back, in the tree and beside it.
    let nothing = format!("echo '{NOTHING}'\n");
    check("sarif", &format!("echo x >b.txt; echo x >new; echo x >../marker\n{nothing}"), "\"ran\"");
    // Truncates a file and dies.
    check("rewrites", ": >a.txt; kill -9 $$\n", "\"failed\"");
    check("rewrites", ": >a.txt; exit 1\n", "\"failed\"");
    // Truncates a file and is satisfied.
    check("rewrites", ": >a.txt\n", "nothing would be left of the file");
    // Answers differently each time.
    let other = "sed -i \"1s/.*/$(od -An -N4 -tx4 /dev/urandom)/\" a.txt\n";
    check("rewrites", other, "\"rejected\"");
    // Deletes a file, or puts a link in its place.
    check("rewrites", "rm a.txt\n", "removed the file");
    check("rewrites", "ln -sf /etc/passwd a.txt\n", "removed the file");
    // Never ends.
    check("sarif", "sleep 1000\n", "timed_out");
    // Prints without end.
    check("sarif", "yes 'a line that is longer than most of them'\n", "\"failed\"");
    // Prints nonsense, or nothing.
    check("sarif", "echo hello\n", "garbled");
    check("sarif", "exit 3\n", "garbled");
    // Edits outside the root.
    let outside = SARIF.replace("\"uri\":\"a.txt\"", "\"uri\":\"../marker\"");
    check("sarif", &outside, "\"ran\"");
    // Wrong places: the region is not in the file.
    let wrong = SARIF.replace("\"endColumn\":3", "\"endColumn\":300");
    check("sarif", &wrong, "\"ran\"");
    // Says that what it fixed is still there.
    check("sarif", &SARIF.replace("uri\":\"a.txt", "uri\":\"b.txt"), "unverified");
}

/// A program of the repository is not started, whatever `PATH` says, and data do not become programs (X-83).
#[test]
fn no_program_of_a_clone_is_started_before_it_is_trusted() {
    let marks = "#!/bin/sh\ntouch \"$(dirname \"$0\")/../../../marker\" /tmp/marker; echo 1.0.0\n";
    let scene = scene(
        "//- ws/a.py\nimport os\n//- ws/ruff.toml\n\n//- ws/package.json\n{\"devDependencies\": {\"prettier\": \"3\"}}\n",
        &[],
    );
    for name in ["node_modules/.bin/prettier", "node_modules/.bin/ruff", ".venv/bin/ruff"] {
        scene.write(&format!("ws/{name}"), marks);
        let path = scene.path(&format!("ws/{name}"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    scene.write("ws/.gitignore", "node_modules\n.venv\n");
    let inside = scene.path("ws/node_modules/.bin");
    let path = format!("{}:node_modules/.bin:/usr/bin:/bin", inside.display());
    for line in ["check", "fix", "init --dry-run", "check --format json"] {
        let ran = scene.run_with(line, &[("PATH", &path)], "");
        assert!(ran.code < 2, "{}", ran.text());
        assert!(!scene.path("marker").exists(), "{line}");
    }
    let ran = scene.run_with("check", &[("PATH", &path)], "");
    assert!(
        ran.stdout.contains("node_modules/.bin/prettier comes with the repository"),
        "{}",
        ran.text()
    );
    assert!(ran.stdout.contains("regreen trust"), "{}", ran.text());
}

/// X-83: what a clone hides from us, by ignoring it or by passing it over, a tool reads all the same.
#[test]
fn settings_that_are_hidden_need_trust() {
    for (hidden_by, text) in [
        (".gitignore", ".prettierrc.cjs\n"),
        ("regreen.toml", "[workspace]\nexclude = [\"**/*.cjs\"]\n"),
    ] {
        let scene =
            scene("//- ws/sub/a.md\nx=1\n//- ws/.prettierrc\n{}\n", &[("prettier", PRETTIER)]);
        assert_eq!(tools(&run(&scene, "check --format json")), ["prettier 3.9.9 ran"]);
        scene.write(&format!("ws/{hidden_by}"), text);
        scene.write("ws/sub/.prettierrc.cjs", "throw 1\n");
        let ran = run(&scene, "check --format json");
        assert_eq!(tools(&ran), ["prettier untrusted"], "{hidden_by}: {}", ran.text());
        trust(&scene);
        assert_eq!(tools(&run(&scene, "check --format json")), ["prettier 3.9.9 ran"]);
        scene.write("ws/sub/.prettierrc.cjs", "throw 2\n");
        assert_eq!(tools(&run(&scene, "check --format json")), ["prettier untrusted"]);
    }
}

/// X-83: trust in a tool is bound to the settings that can name what it runs, and to nothing else.
#[test]
fn a_change_of_settings_asks_for_trust_again() {
    let eslint = "case \"$1\" in --version) echo v9.9.9 ;; *) echo '[]' ;; esac\n";
    let package = "{\"devDependencies\": {\"prettier\": \"3\"}}";
    let scene = scene(
        &format!(
            "//- ws/a.js\nlet a\n//- ws/eslint.config.mjs\nexport default []\n//- ws/package.json\n{package}\n"
        ),
        &[("eslint", eslint), ("prettier", PRETTIER)],
    );
    let state = || {
        let states = tools(&run(&scene, "check --format json"));
        states.into_iter().find(|it| it.starts_with("eslint")).unwrap()
    };
    assert_eq!(state(), "eslint untrusted");
    trust(&scene);
    let trusted = state();
    assert_ne!(trusted, "eslint untrusted");
    // What the settings may load is code, and changes with every commit.
    scene.write("ws/a.js", "let b\n");
    scene.write("ws/package.json", &package.replace('3', "4"));
    assert_eq!(state(), trusted);
    scene.write("ws/eslint.config.mjs", "export default [1]\n");
    let ran = run(&scene, "check");
    assert!(ran.stdout.contains("its settings are not those that you trusted"), "{}", ran.text());
    // Another file of settings is a change too.
    scene.write("ws/eslint.config.mjs", "export default []\n");
    assert_eq!(state(), trusted);
    scene.write("ws/sub/.eslintrc.js", "module.exports = {}\n");
    assert_eq!(state(), "eslint untrusted");
    trust(&scene);
    assert_eq!(state(), trusted);
    // A table that names a command does not stand for the settings.
    scene.write("ws/regreen.toml", "[linters.eslint]\nargs = [\"--quiet\"]\n");
    assert_eq!(state(), "eslint untrusted");
    trust(&scene);
    assert_eq!(state(), trusted);
    scene.write("ws/sub/.eslintrc.js", "module.exports = []\n");
    assert_eq!(state(), "eslint untrusted");
}

/// X-85: what was said about the same bytes is not asked for again.
#[test]
fn a_second_look_starts_nothing() {
    let script = PRETTIER.replace("sed -i", "[ -e flag ] && exit 9; sed -i");
    let files = "//- ws/a.md\nx=1\n//- ws/.prettierrc\n{}\n//- ws/.gitignore\nflag\n";
    let scene = scene(files, &[("prettier", &script)]);
    let first = run(&scene, "check --format json");
    // What is ignored is not part of the tree: a tool that were asked now would fail.
    scene.write("ws/flag", "");
    assert_eq!(run(&scene, "check --format json").stdout, first.stdout);
    scene.write("ws/b.md", "x=1\n");
    let ran = run(&scene, "check --format json");
    assert_ne!(ran.stdout, first.stdout);
}

/// The order of tools and the number of threads change nothing.
#[test]
fn the_same_bytes_come_out_however_many_threads_there_are() {
    let source = |name: &str, edit: &str| {
        (
            format!(
                "[[source]]\nname = \"{name}\"\ncommand = [\"{name}\"]\nformat = \"rewrites\"\nsafety = \"likely_preserving\"\n"
            ),
            format!("sed -i '{edit}' a.txt\n"),
        )
    };
    let all = [
        ("one", "s/aa/ab/"),
        ("two", "s/bb/bc/"),
        ("three", "s/cc/cd/"),
        ("four", "s/^x$/y/"),
        ("five", "s/ab/ac/"),
    ];
    let mut results = Vec::new();
    for (nth, jobs) in [1, 2, 7, 3].into_iter().enumerate() {
        let mut order = all.to_vec();
        order.rotate_left(nth);
        let tables: Vec<(String, String)> = order.iter().map(|it| source(it.0, it.1)).collect();
        let config: String = tables.iter().map(|it| it.0.as_str()).collect();
        let programs: Vec<(&str, &str)> =
            order.iter().zip(&tables).map(|(it, table)| (it.0, table.1.as_str())).collect();
        let scene = scene(
            &format!("//- ws/a.txt\naa bb cc\n\nx\n//- ws/regreen.toml\n{config}"),
            &programs,
        );
        trust(&scene);
        let ran = run(&scene, &format!("fix --jobs {jobs} --format json"));
        assert_eq!(ran.code, 0, "{}", ran.text());
        results.push((scene.read("ws/a.txt"), ran.json()["applied"].clone()));
        assert_eq!(run(&scene, "undo").code, 0);
        assert_eq!(scene.read("ws/a.txt"), "aa bb cc\n\nx\n");
    }
    assert!(results.windows(2).all(|it| it[0] == it[1]), "{results:#?}");
    assert_eq!(results[0].0, "ac bc cd\n\ny\n");
}

/// Stands for yamllint: ends with a crash if a file has the word, and says as often as a file tells what is wrong there.
const YAMLLINT: &str = r#"case "$1" in --version) echo 1.37.0; exit ;; esac
while [ "$1" != -- ]; do shift; done; shift
grep -q CRASH "$@" && kill -9 $$
for file in "$@"; do n=$(sed -n 's/^n: //p' "$file")
  seq "$n" | sed "s/.*/$file:1:1: [warning] wrong & (wrong)/"
done
"#;

/// X-86: a file that a tool fails on is named, and what is said about the others counts.
#[test]
fn one_file_that_a_tool_fails_on_does_not_silence_it() {
    let mut files = "//- ws/.yamllint\n{}\n//- ws/bad.yaml\nCRASH: 1\n".to_owned();
    for nth in 0..9 {
        files += &format!("//- ws/f{nth}.yaml\nn: 1\n");
    }
    let scene = scene(&files, &[("yamllint", YAMLLINT)]);
    let ran = run(&scene, "check --format json");
    assert_eq!(tools(&ran), ["yamllint 1.37.0 ran"], "{}", ran.text());
    assert_eq!(ran.json()["summary"]["warning"], 9, "{}", ran.text());
    assert!(ran.stdout.contains("fails on bad.yaml"), "{}", ran.text());
    assert!(ran.stdout.contains("undecided_rule"), "{}", ran.text());
    // What failed is asked about again, and not from the cache.
    scene.write("ws/bad.yaml", "n: 1\n");
    assert_eq!(run(&scene, "check --format json").json()["summary"]["warning"], 10);
    // A tool that fails on everything has failed.
    for nth in 0..9 {
        scene.write(&format!("ws/f{nth}.yaml"), "CRASH: 2\n");
    }
    scene.write("ws/bad.yaml", "CRASH: 2\n");
    let ran = run(&scene, "check --format json");
    assert_eq!(tools(&ran), ["yamllint failed"], "{}", ran.text());
}

/// X-86: more findings than one answer may have are asked for in smaller portions, and a file that has more than that on
/// its own is not compared with itself.
#[test]
fn many_findings_are_many_answers() {
    let files = "//- ws/.yamllint\n{}\n//- ws/a.yaml\nn: 30000\n//- ws/b.yaml\nn: 30000\n";
    let scene = scene(files, &[("yamllint", YAMLLINT)]);
    let ran = run(&scene, "check --format json");
    assert_eq!(ran.json()["summary"]["warning"], 60_000);
    scene.write("ws/a.yaml", "n: 50001\n");
    let ran = run(&scene, "check --format json");
    assert_eq!(ran.json()["summary"]["warning"], 80_000);
    assert!(ran.stdout.contains("1 more findings are left out"));
    assert!(ran.stdout.contains("too_complex"));
}

/// X-87: in every format, a tool of one's own is three lines, its fix is made and verified, and `undo` takes it back.
#[test]
fn a_tool_of_ones_own_in_every_format() {
    #[track_caller]
    fn check(format: &str, said: &str) {
        let script = match format {
            "rewrites" => said.to_owned(),
            _ => {
                let nothing = match format {
                    "sarif" => NOTHING,
                    "diff" => "",
                    _ => r#"{"diagnostics":[],"source":{"name":"house"}}"#,
                };
                format!(
                    "if grep -q no a.txt; then cat <<'END'\n{said}\nEND\nelse echo '{nothing}'; fi\n"
                )
            }
        };
        let safety = "safety = \"likely_preserving\"\n";
        let files = format!("//- ws/a.txt\nno é\nkeep\n{}", own(format, safety));
        let scene = scene(&files, &[("house", &script)]);
        trust(&scene);
        let ran = run(&scene, "check --format json");
        assert_eq!(ran.json()["repairs"].as_array().unwrap().len(), 1, "{format}: {}", ran.text());
        let ran = run(&scene, "fix --format json");
        assert_eq!(scene.read("ws/a.txt"), "yes é\nkeep\n", "{format}: {}", ran.text());
        assert_eq!(ran.code, 0, "{format}: {}", ran.text());
        assert_eq!(run(&scene, "undo").code, 0);
        assert_eq!(scene.read("ws/a.txt"), "no é\nkeep\n", "{format}");
    }
    let sarif = SARIF.lines().filter(|it| it.starts_with(['{', '"'])).collect::<String>();
    check("sarif", &sarif);
    check(
        "rdjson",
        r#"{"source":{"name":"house"},"diagnostics":[{"message":"say yes","code":{"value":"H1"},
        "location":{"path":"a.txt","range":{"start":{"line":1,"column":1},"end":{"line":1,"column":3}}},
        "suggestions":[{"range":{"start":{"line":1,"column":1},"end":{"line":1,"column":3}},"text":"yes"}]}]}"#,
    );
    check(
        "regreen",
        r#"{"diagnostics":[{"diagnostic_id":"d_1","rule_id":"H1","severity":"error","message":"say yes",
        "file":"a.txt","location":{"start_byte":0,"end_byte":2}}],
        "repairs":[{"id":"r_1","title":"Say yes","edits":[
        {"op":"replace_text","file":"a.txt","start":0,"end":2,"text":"yes"}],
        "expected_delta":{"diagnostics_resolved":["d_1"]}}]}"#,
    );
    check("diff", "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-no é\n+yes é\n keep");
    check("rewrites", "sed -i s/no/yes/ a.txt\n");
}
