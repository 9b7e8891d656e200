//! `action.yml` and its scripts, run by a small runner: the steps in order, inputs and outputs as the file wires them, and
//! the commands that a log gives to GitHub.
//!
//! The runner knows the expressions that the file uses and no others; it panics on the rest. Steps of other actions are
//! noted, not run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::git::{git, variables};
use super::red::RED;
use super::support::{Scene, ours, yaml};

/// What a run of the action gave.
struct Job {
    /// The exit code of the step that failed, with its name.
    failure: Option<(String, i32)>,
    outputs: BTreeMap<String, String>,
    /// What the steps printed, on both streams.
    log: String,
    summary: String,
    /// The other actions that were used, and the SARIF log that they were given.
    used: Vec<(String, Value)>,
}

impl Job {
    fn code(&self) -> i32 {
        self.failure.as_ref().map_or(0, |it| it.1)
    }

    fn output(&self, name: &str) -> &str {
        self.outputs[name].as_str()
    }

    /// The lines of the log that GitHub takes for commands.
    fn commands(&self) -> Vec<&str> {
        let (mut found, mut stopped) = (Vec::new(), None);
        for line in self.log.lines().map(str::trim_start).filter(|it| it.starts_with("::")) {
            match stopped {
                None => match line.strip_prefix("::stop-commands::") {
                    Some(token) => stopped = Some(format!("::{token}::")),
                    None => found.push(line),
                },
                Some(token) if line == token => stopped = None,
                Some(token) => stopped = Some(token),
            }
        }
        assert_eq!(stopped, None, "commands work again at the end");
        found
    }
}

/// Runs the action in `ws` with these inputs; the others have their defaults, and regreen is the one that is built.
#[track_caller]
fn act(scene: &Scene, inputs: &[(&str, &str)]) -> Job {
    act_with(scene, inputs, &[])
}

#[track_caller]
fn act_with(scene: &Scene, inputs: &[(&str, &str)], more: &[(&str, &str)]) -> Job {
    let action = yaml(&ours("action.yml"));
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for (name, input) in action["inputs"].as_object().unwrap() {
        known.insert(format!("inputs.{name}"), input["default"].as_str().unwrap().to_owned());
    }
    for (name, value) in [("version", "installed")].iter().chain(inputs) {
        let before = known.insert(format!("inputs.{name}"), (*value).to_owned());
        assert!(before.is_some(), "the action has no input {name}");
    }
    let (temp, output) = (scene.path("temp"), scene.path("temp/output"));
    let summary = scene.path("temp/summary");
    fs::create_dir_all(&temp).unwrap();
    fs::write(&summary, "").unwrap();
    let mut job = Job {
        failure: None,
        outputs: BTreeMap::new(),
        log: String::new(),
        summary: String::new(),
        used: Vec::new(),
    };
    for step in action["runs"]["steps"].as_array().unwrap() {
        if step["if"].as_str().is_some_and(|it| !holds(it, &known)) {
            continue;
        }
        let name = step["name"].as_str().unwrap();
        if let Some(action) = step["uses"].as_str() {
            let file = evaluate(step["with"]["sarif_file"].as_str().unwrap(), &known);
            let log = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
            job.used.push((action.to_owned(), log));
            continue;
        }
        assert_eq!(step["shell"], "bash", "{name}");
        let script = step["run"].as_str().unwrap();
        assert!(!script.contains("${{"), "{name}: values come by the environment only");
        fs::write(&output, "").unwrap();
        let mut command = Command::new("bash");
        // GitHub shows both streams as one.
        let script = format!("exec 2>&1\n{script}");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &script]);
        command
            .current_dir(scene.path("ws"))
            .env_clear()
            .envs(variables(scene))
            .env("PATH", path());
        for name in
            ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]
        {
            command.env_remove(name);
        }
        command.env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"));
        command.env("GITHUB_WORKSPACE", scene.path("ws")).env("RUNNER_TEMP", &temp);
        command.env("GITHUB_OUTPUT", &output).env("GITHUB_STEP_SUMMARY", &summary);
        command.envs(more.iter().copied());
        for (name, value) in step["env"].as_object().unwrap() {
            command.env(name, evaluate(value.as_str().unwrap(), &known));
        }
        let ran = command.output().unwrap();
        job.log += &String::from_utf8(ran.stdout).unwrap();
        for line in fs::read_to_string(&output).unwrap().lines() {
            let (key, value) = line.split_once('=').unwrap();
            let id = step["id"].as_str().unwrap();
            known.insert(format!("steps.{id}.outputs.{key}"), value.to_owned());
        }
        if !ran.status.success() {
            job.failure = Some((name.to_owned(), ran.status.code().unwrap()));
            break;
        }
    }
    for (name, output) in action["outputs"].as_object().unwrap() {
        job.outputs.insert(name.clone(), evaluate(output["value"].as_str().unwrap(), &known));
    }
    job.summary = fs::read_to_string(&summary).unwrap();
    assert!(!scene.path("pwned").exists() && !scene.path("ws/pwned").exists(), "{}", job.log);
    job
}

fn path() -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_regreen")).parent().unwrap();
    format!("{}:{}", binary.display(), std::env::var("PATH").unwrap())
}

/// `A == 'text'` or `A != 'text'`.
fn holds(condition: &str, known: &BTreeMap<String, String>) -> bool {
    let (sides, equal) = match condition.split_once(" != ") {
        Some(sides) => (sides, false),
        None => (condition.split_once(" == ").unwrap(), true),
    };
    (value(sides.0, known) == value(sides.1, known)) == equal
}

/// `${{ A }}` or `${{ A || B }}`, all of the text.
fn evaluate(text: &str, known: &BTreeMap<String, String>) -> String {
    let inner = text.strip_prefix("${{ ").and_then(|it| it.strip_suffix(" }}"));
    let inner = inner.unwrap_or_else(|| panic!("`{text}` is not one expression"));
    let values = inner.split(" || ").map(|it| value(it, known));
    values.reduce(|first, next| if first.is_empty() { next } else { first }).unwrap()
}

/// A text in quotes, an input that exists, or an output; one that was not set is empty.
fn value(name: &str, known: &BTreeMap<String, String>) -> String {
    if let Some(text) = name.strip_prefix('\'').and_then(|it| it.strip_suffix('\'')) {
        return text.to_owned();
    }
    match known.get(name) {
        Some(value) => value.clone(),
        None if name.starts_with("steps.") => String::new(),
        None => panic!("`{name}` is not known"),
    }
}

/// A repository with findings, and another that it was cloned from.
fn repository() -> Scene {
    let scene = Scene::new(RED);
    git(&scene, "init -q --bare ../origin.git");
    git(&scene, "init -q -b work");
    git(&scene, "add .");
    git(&scene, "commit -q -m start");
    git(&scene, "remote add origin ../origin.git");
    git(&scene, "push -q origin work");
    scene
}

#[test]
fn findings_are_shown_and_fail_the_last_step() {
    let scene = repository();
    let job = act(&scene, &[]);
    assert_eq!(job.failure, Some(("Result".to_owned(), 1)), "{}", job.log);
    assert_eq!(job.output("exit-code"), "1");
    assert_eq!((job.output("sarif"), job.output("fixed")), ("", "false"));
    assert!(
        job.log.contains("error[schema/SCHEMA_TYPE]: `port` must be an integer"),
        "{}",
        job.log
    );
    let commands = job.commands();
    assert_eq!(commands.len(), 3, "{}", job.log);
    let port = "::error file=api.yaml,line=4,col=7,";
    assert!(commands.iter().any(|it| it.starts_with(port)), "{}", job.log);
    assert!(job.summary.contains("error[schema/SCHEMA_TYPE]"), "{}", job.summary);
    assert!(job.used.is_empty(), "nothing is uploaded");
    assert_eq!(git(&scene, "status --porcelain"), "", "a check changes nothing");
    let job = act(&scene, &[("annotations", "false")]);
    assert_eq!((job.code(), job.commands()), (1, Vec::new()), "{}", job.log);
}

#[test]
fn a_green_workspace_passes() {
    let scene = repository();
    for name in ["web.json", "api.yaml"] {
        fs::remove_file(scene.path("ws").join(name)).unwrap();
    }
    let job = act(&scene, &[("sarif", "true")]);
    assert_eq!(job.failure, None, "{}", job.log);
    assert_eq!(job.output("exit-code"), "0");
    assert_eq!(job.used.len(), 1, "code scanning learns that findings are gone");
}

/// The log is uploaded before findings fail the job, by an action that is named by its commit.
#[test]
fn sarif_is_uploaded_before_the_job_fails() {
    let scene = repository();
    let job = act(&scene, &[("sarif", "true")]);
    assert_eq!(job.failure, Some(("Result".to_owned(), 1)), "{}", job.log);
    let [(action, log)] = &job.used[..] else { panic!("{}", job.log) };
    assert!(action.starts_with("github/codeql-action/upload-sarif@"), "{action}");
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 3);
    assert_eq!(job.output("sarif"), scene.path("temp/regreen.sarif").to_str().unwrap());
    // A check that could not be made leaves no log, not even an old one.
    scene.write("ws/regreen.toml", "nonsense = 1\n");
    let job = act(&scene, &[("sarif", "true")]);
    assert_eq!((job.code(), job.output("exit-code"), job.output("sarif")), (3, "3", ""));
    assert!(job.used.is_empty());
    let commands = job.commands();
    assert!(commands[0].contains("could not do its work (exit code 3)"), "{}", job.log);
}

#[test]
fn fix_changes_the_files_before_they_are_checked() {
    let scene = repository();
    let job = act(&scene, &[("fix", "true"), ("paths", "api.yaml\nnotes\n")]);
    assert_eq!(job.failure, None, "{}", job.log);
    assert_eq!((job.output("fixed"), job.output("exit-code")), ("true", "0"));
    assert!(job.log.contains("+port: 8080"), "{}", job.log);
    assert_eq!(git(&scene, "status --porcelain"), " M api.yaml\n", "nothing is committed");
    // What cannot be fixed is reported by the check.
    let job = act(&scene, &[("fix", "true")]);
    assert_eq!(job.failure, Some(("Result".to_owned(), 1)), "{}", job.log);
    assert_eq!(job.output("fixed"), "false", "{}", job.log);
    // What `fix` would change fails the check by itself, unless that is not wanted.
    scene.write("ws/main.clank", "fn main() -> Int {\n 1+1\n}\n");
    let paths = ("paths", "main.clank");
    assert_eq!(act(&scene, &[paths]).code(), 1);
    assert_eq!(act(&scene, &[paths, ("strict", "false")]).code(), 0);
}

#[test]
fn fixes_are_committed_and_pushed() {
    let scene = repository();
    let message = "-F: $(touch pwned) `touch pwned`\n\n'\"; touch pwned";
    let job = act(&scene, &[("fix", "commit"), ("commit-message", message)]);
    assert_eq!((job.code(), job.output("fixed")), (1, "true"), "{}", job.log);
    assert_eq!(git(&scene, "status --porcelain"), "");
    assert_eq!(git(&scene, "log -1 --format=%B work").trim_end(), message);
    assert_eq!(git(&scene, "log -1 --format=%an work"), "github-actions[bot]\n");
    assert_eq!(git(&scene, "show --name-only --format= work"), "api.yaml\n");
    let pushed = git(&scene, "ls-remote origin refs/heads/work");
    assert!(pushed.starts_with(git(&scene, "rev-parse work").trim_end()), "{pushed}");
    // Without a fix there is no commit.
    let before = git(&scene, "rev-parse work");
    assert_eq!(act(&scene, &[("fix", "commit")]).output("fixed"), "false");
    assert_eq!(git(&scene, "rev-parse work"), before);
}

/// Changes that are not fixes are not committed, and what is not on a branch cannot be pushed: both are said first.
#[test]
fn what_cannot_be_committed_is_not_fixed() {
    let scene = repository();
    let before = scene.read("ws/api.yaml");
    scene.write("ws/new.txt", "of another step\n");
    let job = act(&scene, &[("fix", "commit")]);
    assert_eq!(job.failure, Some(("Fix".to_owned(), 2)), "{}", job.log);
    assert!(job.commands()[0].contains("the work tree has other changes"), "{}", job.log);
    fs::remove_file(scene.path("ws/new.txt")).unwrap();
    git(&scene, "checkout -q --detach");
    let job = act(&scene, &[("fix", "commit")]);
    assert_eq!(job.failure, Some(("Fix".to_owned(), 2)), "{}", job.log);
    assert!(job.commands()[0].contains("no branch is checked out"), "{}", job.log);
    assert_eq!(scene.read("ws/api.yaml"), before);
}

/// Inputs are values: none of them is taken for a command, an option or two words.
#[test]
fn hostile_inputs_are_only_values() {
    let names =
        ["a b", "$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "\"x", "-rf", "*", "a\\"];
    for name in names {
        let scene = Scene::new(&RED.replace("//- ws/", &format!("//- ws/{name}/")));
        git(&scene, "init -q -b main");
        let root = [("root", name), ("fix", "true"), ("sarif", "true")];
        let job = act(&scene, &root);
        assert_eq!((job.code(), job.output("fixed")), (1, "true"), "{name}: {}", job.log);
        assert!(scene.read(&format!("ws/{name}/api.yaml")).contains("port: 8080"), "{name}");
        let file = format!("{name}/notes/free.toml");
        let job = act(&scene, &[("root", name), ("fix", "true"), ("paths", &file)]);
        assert_eq!(job.code(), 0, "{name}: {}", job.log);
    }
    let scene = repository();
    let nowhere = "nowhere $(touch pwned)\n--help\n-";
    for (name, value, code) in [
        ("root", "", 2),
        ("root", "a\nb", 3),
        ("paths", nowhere, 2),
        ("args", "$(touch pwned)", 2),
        ("args", "; touch pwned", 2),
        ("args", "--only SCHEMA_TYPE", 2),
        ("args", "--only=SCHEMA_TYPE\n\n--deny-warnings\n", 1),
        ("args", "--only\nSCHEMA_REQUIRED", 0),
        ("strict", "$(touch pwned)", 2),
        ("strict", "", 2),
        ("sarif", "yes", 2),
        ("annotations", "true\nfalse", 2),
        ("fix", "commit; touch pwned", 2),
        ("version", "0.1.0; touch pwned", 2),
        ("version", "0.1.0\n--pre", 2),
        ("version", "--index-url=http://127.0.0.1:9", 2),
        ("version", "$(touch pwned)", 2),
        ("version", ">=0", 2),
        ("version", "", 2),
    ] {
        let job = act(&scene, &[(name, value)]);
        assert_eq!(job.code(), code, "{name}: {value}\n{}", job.log);
        if code > 1 {
            let commands = job.commands();
            assert!(commands.iter().any(|it| it.starts_with("::error title=regreen::")), "{value}");
        }
        assert_eq!(git(&scene, "status --porcelain"), "", "{name}: {value}");
    }
}

/// What a log quotes from a file is not a command to GitHub, and no markup of the summary.
#[test]
fn hostile_files_give_no_commands() {
    let scene = repository();
    let text = "# yaml-language-server: $schema=service.schema.json\nname: api\n::error::gotcha: </pre><b>\n\
                port: |\n  ::add-mask::gotcha\n  ::stop-commands::gotcha\n  ::gotcha::\nlevel: Info\n";
    scene.write("ws/::warning::gotcha.yaml", text);
    scene.write("ws/api.yaml", text);
    for fix in ["false", "true"] {
        let job = act(&scene, &[("fix", fix)]);
        assert_eq!(job.code(), 1, "{}", job.log);
        assert!(job.log.contains("::error::gotcha"), "the file is quoted: {}", job.log);
        for command in job.commands() {
            assert!(command.starts_with("::error file="), "{command}");
        }
        assert!(!job.summary.contains("<b>"), "{}", job.summary);
        assert_eq!(job.summary.matches("</pre>").count(), 1, "{}", job.summary);
    }
}

/// What is used is named by its commit, and what is installed is this version.
#[test]
fn versions_are_pinned() {
    let action = yaml(&ours("action.yml"));
    assert_eq!(action["inputs"]["version"]["default"], env!("CARGO_PKG_VERSION"));
    for file in ["action.yml", ".github/workflows/ci.yml", "docs/guide/ci.md"] {
        let text = ours(file);
        let used: Vec<&str> =
            text.lines().filter_map(|it| it.split_once("uses: ")).map(|it| it.1).collect();
        assert!(!used.is_empty(), "{file}");
        let own = format!("regreen/regreen@v{}", env!("CARGO_PKG_VERSION"));
        for action in used.into_iter().filter(|it| *it != own) {
            let (_, version) = action.split_once('@').unwrap();
            let (commit, version) = version.split_once(" # v").unwrap();
            assert!(
                commit.len() == 40 && commit.bytes().all(|it| it.is_ascii_hexdigit()),
                "{action}"
            );
            assert_eq!(version.split('.').count(), 3, "{action}");
        }
    }
}

/// The real pip installs a wheel of the version that is asked for, and the action runs what is in it.
#[cfg(feature = "live")]
#[test]
fn regreen_is_installed_from_a_wheel() {
    let scene = repository();
    let script = format!(
        "#!/bin/sh\necho of-the-wheel >> \"$RUNNER_TEMP/ran\"\nexec {} \"$@\"\n",
        env!("CARGO_BIN_EXE_regreen")
    );
    let version = env!("CARGO_PKG_VERSION");
    for (name, text) in [
        ("data/scripts/regreen", script),
        (
            "dist-info/METADATA",
            format!("Metadata-Version: 2.1\nName: regreen\nVersion: {version}\n"),
        ),
        (
            "dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n".to_owned(),
        ),
        ("dist-info/RECORD", String::new()),
    ] {
        scene.write(&format!("wheel/regreen-{version}.{name}"), &text);
    }
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    let script = format!("wheel/regreen-{version}.data/scripts/regreen");
    fs::set_permissions(scene.path(&script), executable).unwrap();
    let wheel = scene.path(&format!("wheels/regreen-{version}-py3-none-any.whl"));
    fs::create_dir(scene.path("wheels")).unwrap();
    let pack = Command::new("python3")
        .args(["-m", "zipfile", "-c"])
        .arg(wheel)
        .arg(format!("regreen-{version}.data"))
        .arg(format!("regreen-{version}.dist-info"))
        .current_dir(scene.path("wheel"))
        .status();
    assert!(pack.unwrap().success());
    let wheels = scene.path("wheels").to_str().unwrap().to_owned();
    let more = [("PIP_NO_INDEX", "1"), ("PIP_FIND_LINKS", wheels.as_str())];
    let job = act_with(&scene, &[("version", version)], &more);
    assert_eq!(job.failure, Some(("Result".to_owned(), 1)), "{}", job.log);
    let installed = scene.path(&format!("temp/regreen-{version}/bin/regreen"));
    assert_eq!(job.output("regreen"), installed.to_str().unwrap());
    assert!(scene.read("temp/ran").lines().count() >= 3, "version, text and annotations");
    let job = act_with(&scene, &[("version", "9.9.9")], &more);
    assert_eq!(job.failure.unwrap().0, "Install regreen", "there is no such version");
}
