//! The real tools, run by the commands of their adapters: they say today what the fixtures say they said, and their
//! probes land. `live/install.sh` fills the folder that `LINTERS_TOOLS` names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use edit::Text;
use linters::{Adapter, Invocation, Texts, ToolJob, ToolOutput, ToolReport};
use serde_json::Value;
use snapshot::Snapshot;

use super::support::{path, read, recorded, shown, tree};

fn tools() -> PathBuf {
    let folder = std::env::var_os("LINTERS_TOOLS");
    PathBuf::from(folder.expect("LINTERS_TOOLS names the folder that live/install.sh filled"))
}

fn cases() -> serde_json::Map<String, Value> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/live/cases.json");
    let all: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    all.as_object().unwrap().clone()
}

/// Writes files into a folder of their own.
fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    folder
}

fn run(invocation: &Invocation, root: &Path, scratch: &Path) -> ToolOutput {
    use std::io::Write as _;
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(&invocation.program);
    command.args(&invocation.args).current_dir(root);
    command.env("PATH", format!("{}:{path}", tools().join("bin").display()));
    command.env("CARGO_TARGET_DIR", scratch.join("cargo"));
    command.env("GOCACHE", scratch.join("gocache")).env("GOPATH", scratch.join("gopath"));
    command.envs(&invocation.env);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().unwrap_or_else(|error| panic!("{}: {error}", invocation.program));
    let mut stdin = child.stdin.take().unwrap();
    // Whoever does not read it ends before it is written.
    let _ = stdin.write_all(invocation.stdin.as_ref().map_or(&[], Text::bytes));
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let mut changed = std::collections::BTreeMap::new();
    if let Some(answer) = &invocation.answer {
        let text = std::fs::read(root.join(answer.as_str())).ok().map(Text::new);
        changed.insert(answer.clone(), text);
    }
    ToolOutput {
        status: output.status.code(),
        stdout: output.stdout,
        stderr: output.stderr,
        changed,
    }
}

/// What a tool says about the first of these files, in which the others are its settings.
fn asked(adapter: &Adapter, files: &[(&str, &str)], scratch: &Path) -> (ToolReport, Snapshot) {
    let folder = written(files);
    let (file, text) = (path(files[0].0), Text::new(files[0].1));
    let list = [file.clone()];
    let check = adapter.invocation(&ToolJob::Check { files: &list });
    let is_stdin = check.is_none();
    let format = ToolJob::Format { file: &file, text: &text };
    let invocation = check.or_else(|| adapter.invocation(&format)).unwrap();
    let output = run(&invocation, folder.path(), scratch);
    let snapshot = tree(&files[..1]);
    let root = folder.path().canonicalize().unwrap();
    let texts = Texts::new(&snapshot, root.to_str().unwrap());
    let texts = if is_stdin { texts.with_input(&file) } else { texts };
    let report = adapter.parse(&output, &texts);
    let report = report.unwrap_or_else(|error| {
        panic!("{}: {error}\n{}", adapter.name, String::from_utf8_lossy(&output.stderr))
    });
    (report, snapshot)
}

#[test]
fn probes_land_where_they_should() {
    let scratch = tempfile::tempdir().unwrap();
    for adapter in linters::all() {
        let Some(probe) = &adapter.probe else { continue };
        let (report, snapshot) = asked(adapter, probe.files, scratch.path());
        assert_eq!(probe.judge(&report), Ok(()), "{}: {}", adapter.name, shown(&report, &snapshot));
    }
}

#[test]
fn tools_say_what_was_recorded() {
    let scratch = tempfile::tempdir().unwrap();
    let mut n_asked = 0;
    for (name, case) in cases() {
        let fixture = recorded(&name);
        let version = fixture.adapter.invocation(&ToolJob::Version).unwrap();
        let version = run(&version, scratch.path(), scratch.path());
        let version = [version.stdout, version.stderr].concat();
        let version = linters::Version::find(&String::from_utf8_lossy(&version));
        assert!(version.is_some_and(|it| fixture.adapter.understands(it)), "{name}: {version:?}");
        for shape in &fixture.shapes {
            let settings = case["settings"].as_object();
            let settings =
                settings.into_iter().flatten().map(|it| (it.0.as_str(), it.1.as_str().unwrap()));
            let own = (fixture.file.as_str(), shape.text.as_str());
            let files: Vec<(&str, &str)> = std::iter::once(own).chain(settings).collect();
            let Ok(expected) = read(&fixture, shape, &tree(&files[..1])) else { continue };
            let (report, snapshot) = asked(fixture.adapter, &files, scratch.path());
            assert_eq!(
                shown(&report, &snapshot),
                shown(&expected, &snapshot),
                "{name} {}",
                shape.name
            );
            n_asked += 1;
        }
    }
    assert!(n_asked > 60, "{n_asked}");
}
