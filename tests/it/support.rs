//! A temporary folder with a workspace `ws` and patch documents beside it, and a way to run the binary there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

/// The folder and what is in it.
pub(crate) struct Scene {
    folder: TempDir,
    /// Variables that every run has.
    variables: Vec<(String, String)>,
}

/// What a run gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// All of it as one text, for snapshots.
    pub(crate) fn text(&self) -> String {
        let mut text = self.stdout.clone();
        if !self.stderr.is_empty() {
            text.push_str("--- standard error\n");
            text.push_str(&self.stderr);
        }
        text.push_str(&format!("--- exit {}\n", self.code));
        text
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

impl Scene {
    /// Files in the `//- path` form. Paths under `ws/` are the workspace.
    pub(crate) fn new(files: &str) -> Scene {
        let scene = Scene { folder: tempfile::tempdir().unwrap(), variables: Vec::new() };
        fs::create_dir(scene.path("ws")).unwrap();
        for part in files.split("//- ").skip(1) {
            let (path, text) = part.split_once('\n').unwrap();
            scene.write(path.trim(), text);
        }
        scene
    }

    /// The same with a variable that every run has.
    #[cfg(feature = "live")]
    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Scene {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[track_caller]
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// Runs the command line in the folder; words are split at spaces. The workspace is `ws` unless a root is named.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_with(line, &[], "")
    }

    pub(crate) fn run_with(&self, line: &str, variables: &[(&str, &str)], stdin: &str) -> Ran {
        let mut command = self.command(line, variables);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input may be gone already.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), stdin.as_bytes());
        ran(&child.wait_with_output().unwrap())
    }

    /// Trusts the workspace with what it names now.
    #[track_caller]
    pub(crate) fn trust(&self) {
        let ran = self.run("trust --yes");
        assert_eq!(ran.code, 0, "{}", ran.text());
    }

    pub(crate) fn command(&self, line: &str, variables: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_regreen"));
        command.current_dir(self.folder.path()).env_clear().env("HOME", self.path("home"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.envs(variables.iter().copied());
        command.args(line.split_whitespace());
        let has_root = line.contains("--root")
            || variables.iter().any(|it| it.0 == "BUILD_WORKSPACE_DIRECTORY");
        if !has_root
            && line != "schema"
            && !line.starts_with("schema ")
            && !line.starts_with("completions")
            && !line.starts_with("man")
            && !line.starts_with('-')
        {
            command.args(["--root", "ws"]);
        }
        command
    }

    /// The state folder of `ws`, which is not in a repository and has state.
    #[track_caller]
    pub(crate) fn state(&self) -> PathBuf {
        let mut roots = fs::read_dir(self.path("home/.local/state/regreen/roots")).unwrap();
        let state = roots.next().unwrap().unwrap().path();
        assert!(roots.next().is_none(), "there is one root");
        state
    }

    /// Where tools get their copies of `ws`.
    #[track_caller]
    pub(crate) fn runs(&self) -> PathBuf {
        self.path("home/.local/state/regreen/runs").join(self.state().file_name().unwrap())
    }

    /// Every path beneath the folder with its kind, mode, time of change and contents.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, String> {
        tree(self.folder.path())
    }
}

fn ran(output: &Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let contents =
                if meta.is_file() { format!("{:?}", fs::read(&path).ok()) } else { String::new() };
            let time = (meta.mtime(), meta.mtime_nsec());
            found.insert(path.clone(), format!("{:o} {time:?} {contents}", meta.mode()));
            if meta.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

/// Runs the command on a terminal of its own. Every prompt is answered in turn; what was shown and the exit code come
/// back. A prompt is known by what it ends with.
pub(crate) fn on_a_terminal(
    scene: &Scene,
    prompt: &str,
    line: &str,
    answers: &[&str],
) -> (String, Option<i32>) {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
    let terminal = File::options().read(true).write(true).open(name).unwrap();
    let stdio = || Stdio::from(terminal.try_clone().unwrap());
    let mut child = scene
        .command(line, &[("TERM", "xterm"), ("NO_COLOR", "1")])
        .stdin(stdio())
        .stdout(stdio())
        .stderr(stdio())
        .spawn()
        .unwrap();
    // The child has its own; when it ends, reading ends too.
    drop(terminal);
    let mut controller = File::from(controller);
    let mut shown = Vec::new();
    let mut answers = answers.iter();
    let mut n_answered = 0;
    let mut buffer = [0; 4096];
    while let Ok(n) = controller.read(&mut buffer) {
        if n == 0 {
            break;
        }
        shown.extend_from_slice(&buffer[..n]);
        let text = String::from_utf8_lossy(&shown);
        while text.matches(prompt).count() > n_answered {
            n_answered += 1;
            let answer = answers.next().unwrap_or_else(|| panic!("one more question: {text}"));
            controller.write_all(format!("{answer}\n").as_bytes()).unwrap();
        }
    }
    let code = child.wait().unwrap().code();
    (String::from_utf8_lossy(&shown).replace("\r\n", "\n"), code)
}

/// A small workspace and patches that fit it, fail on it, or are not patches.
pub(crate) const SHOP: &str = r#"
//- ws/app.yaml
# What runs.
name: shop   # shown
port: "8080"
modules: [cart, search]
//- ws/api.toml
workers = 4 # one per core
//- ws/old.json
{"gone": true}
//- good.changeset.yaml
changeset_uid: good
ops:
  - {type: set_value, file_uid: "path:app.yaml", json_pointer: /port, value: 8080}
  - {type: set_value, file_uid: "path:api.toml", json_pointer: /workers, value: 8}
  - {type: add_file, file_uid: new, path: conf/new.yaml, content: "a: 1\n"}
  - {type: delete_file, file_uid: "path:old.json"}
//- failing.changeset.yaml
changeset_uid: failing
ops:
  - {type: set_value, file_uid: "path:api.toml", json_pointer: /workers, value: 8}
  - {type: delete_value, file_uid: "path:app.yaml", json_pointer: /nothing}
//- half.fix-actions.json
{
  "pack_version": "1",
  "workspace_root": ".",
  "fix_actions": [
    {
      "id": "A", "title": "port", "severity": "error",
      "targets": [{"file": "app.yaml", "json_pointer": "/port", "rule_id": "R"}],
      "ops": [{"op": "replace_value", "file": "app.yaml", "json_pointer": "/port", "value": 1}]
    },
    {
      "id": "B", "title": "workers", "severity": "warning",
      "targets": [{"file": "api.toml", "json_pointer": "/workers", "rule_id": "R"}],
      "ops": [
        {"op": "replace_value", "file": "api.toml", "json_pointer": "/workers", "value": 5,
         "expects": {"equals": 99}}
      ]
    }
  ]
}
//- bad.changeset.yaml
changeset_uid: bad
ops:
  - {type: set_vaule, file_uid: "path:app.yaml", json_pointer: /port, value: 1}
  - {type: set_value, file_uid: "path:app.yaml", json_pointer: port, value: 1, surprise: 2}
"#;

/// The value of a YAML text.
#[track_caller]
pub(crate) fn yaml(text: &str) -> serde_json::Value {
    let text = edit::Text::new(text);
    let document = document::parse(&text, document::Format::Yaml, &document::Limits::DEFAULT);
    let value = document.unwrap_or_else(|error| panic!("{error}")).value();
    serde_json::from_str(&value.to_json()).unwrap()
}

/// A file of this repository.
#[track_caller]
pub(crate) fn ours(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The fenced blocks of a page that name a file, each with that name.
pub(crate) fn named_blocks(page: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```").filter(|it| !it.is_empty()) else { continue };
        let block = lines.by_ref().take_while(|it| *it != "```");
        let text = block.fold(String::new(), |text, line| text + line + "\n");
        if let Some((_, name)) = info.split_once(' ') {
            found.push((name.to_owned(), text));
        }
    }
    found
}

/// A key of somebody's own: the private one at the path, the public one beside it.
pub(crate) fn write_key(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut random = ssh_key::rand_core::OsRng;
    let key = ssh_key::PrivateKey::random(&mut random, ssh_key::Algorithm::Ed25519).unwrap();
    key.write_openssh_file(path, ssh_key::LineEnding::LF).unwrap();
    let public = key.public_key().to_openssh().unwrap();
    fs::write(path.with_extension("pub"), format!("{public}\n")).unwrap();
}
