//! Build actions that list their inputs (AE-34, AE-36, AE-38, AE-56): the list is the whole tree, wherever its files are.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use super::support::Scene;

/// A document that breaks its schema, one that does not, and a program that is not canonical.
const FILES: &str = r#"
//- ws/regreen.toml
[fix]
//- ws/app/api.yaml
# yaml-language-server: $schema=service.schema.json
port: "8080"
//- ws/app/web.yaml
# yaml-language-server: $schema=service.schema.json
port: "9090"
//- ws/app/service.schema.json
{"properties": {"port": {"type": "integer"}}}
//- ws/main.clank
fn main()->IO+Unit { println("hello") }
"#;

const CONTEXT: &str = "regreen.toml\tSRC/regreen.toml\tcontext
app/service.schema.json\tSRC/app/service.schema.json\tcontext
";

const CHECK: &str = "--inputs list check --strict --exit-code-file OUT/code --emit text=OUT/text --emit json=OUT/json \
                     --emit sarif=OUT/sarif --emit diff=OUT/diff --emit edits=OUT/edits --emit repairs=OUT/repairs \
                     --emit fix-actions=OUT/fix-actions";

/// The files of a folder, by name.
fn contents(scene: &Scene, folder: &str) -> Vec<(String, String)> {
    let entries = fs::read_dir(scene.path(folder)).unwrap();
    let mut names: Vec<_> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.into_iter().map(|it| (it.clone(), scene.read(&format!("{folder}/{it}")))).collect()
}

/// A scene with a folder for outputs and a list; `SRC` in the list is where the files are.
fn scene(list: &str, src: &str) -> Scene {
    let scene = Scene::new(FILES);
    fs::create_dir(scene.path("out")).unwrap();
    fs::write(scene.path("list"), list.replace("SRC", src)).unwrap();
    scene
}

/// AE-34: the same artifacts for a person in the workspace, and in an action from files, links to files, and copies that
/// cannot be written in other places, without a home.
#[test]
fn the_same_artifacts_come_out_wherever_the_inputs_are() {
    let list = format!("app/api.yaml\tSRC/app/api.yaml\n{CONTEXT}");
    let files = scene(&list, "ws");
    let person = CHECK.replace("--inputs list check", "--color=never check app/api.yaml");
    let mut command = files.command(&person.replace("OUT", "../out"), &[]);
    let ran = command.current_dir(files.path("ws")).output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    let expected = contents(&files, "out");
    let texts: Vec<&str> = expected.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(texts, ["code", "diff", "edits", "fix-actions", "json", "repairs", "sarif", "text"]);
    assert_eq!(expected[0].1, "1\n");
    assert!(!expected.iter().any(|it| it.1.contains("web.yaml")));

    let links = scene(&list, "links");
    fs::create_dir_all(links.path("links/app")).unwrap();
    for name in ["regreen.toml", "app/api.yaml", "app/service.schema.json"] {
        symlink(links.path("ws").join(name), links.path("links").join(name)).unwrap();
    }
    let copies = scene(&list, "a/deep/copy");
    fs::create_dir_all(copies.path("a/deep")).unwrap();
    fs::rename(copies.path("ws"), copies.path("a/deep/copy")).unwrap();
    for name in ["app/api.yaml", "app", ""] {
        let path = copies.path("a/deep/copy").join(name);
        let mode = if path.is_dir() { 0o555 } else { 0o444 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    for scene in [&files, &links, &copies] {
        fs::remove_dir_all(scene.path("out")).unwrap();
        fs::create_dir(scene.path("out")).unwrap();
        let mut command: Command = scene.command(&CHECK.replace("OUT", "out"), &[]);
        let ran = command.env_clear().output().unwrap();
        let text = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!((ran.status.code(), text.as_str()), (Some(0), ""));
        assert_eq!(contents(scene, "out"), expected);
    }
    for name in ["", "app", "app/api.yaml"] {
        let path = copies.path("a/deep/copy").join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// AE-56: what is not listed is not there, although it could be reached.
#[test]
fn what_is_not_listed_is_not_there() {
    let scene = scene("app/api.yaml\tSRC/app/api.yaml\n", "ws");
    let ran = scene.run("--inputs list check");
    let said = "cannot find file `app/service.schema.json`";
    assert!(ran.text().contains(said), "{}", ran.text());
    assert!(!ran.text().contains("SCHEMA_TYPE"), "{}", ran.text());
    assert_eq!(scene.run("--inputs list check --deny-unchecked").code, 1);
    let missing = ["app/none.yaml\n", "ws\n"];
    for list in missing {
        fs::write(scene.path("list"), list).unwrap();
        let ran = scene.run("--inputs list check");
        assert_eq!(ran.code, 3, "{list}: {}", ran.text());
        assert!(ran.stderr.contains("cannot read the input"), "{list}: {}", ran.text());
    }
    for list in ["../ws/app/api.yaml\n", "a\tb\tc\td\n", "/etc/passwd\n"] {
        fs::write(scene.path("list"), list).unwrap();
        let ran = scene.run("--inputs list check");
        assert_eq!(ran.code, 2, "{list}: {}", ran.text());
    }
}

/// AE-29, AE-36, AE-38: nothing that is listed is written, by whatever name.
#[test]
fn no_input_is_written() {
    let list = format!("app/api.yaml\tSRC/app/api.yaml\nmain.clank\tSRC/main.clank\n{CONTEXT}");
    let scene = scene(&list, "ws");
    symlink(scene.path("ws/app/api.yaml"), scene.path("alias")).unwrap();
    let before = scene.tree();
    for (line, code, said) in [
        ("--inputs list fix", 3, "build action (its inputs are listed)"),
        ("--inputs list check --write-baseline", 3, "build action"),
        ("--inputs list check --output ws/app/api.yaml", 2, "writes no input"),
        ("--inputs list check --emit diff=ws/app/api.yaml", 2, "writes no input"),
        ("--inputs list check --emit diff=alias", 2, "writes no input"),
        ("--inputs list check --exit-code-file alias", 2, "writes no input"),
        ("--inputs list check --staged", 2, "--inputs lists what to look at"),
        ("--inputs list build main.clank", 2, "names its outputs"),
    ] {
        let ran = scene.run(line);
        assert_eq!(ran.code, code, "{line}: {}", ran.text());
        assert!(ran.stderr.contains(said), "{line}: {}", ran.text());
        assert_eq!(scene.tree(), before, "{line}");
    }
}

/// Programs are built and run from a list, and one folder of a list can be the workspace.
#[test]
fn programs_and_folders_of_a_list() {
    let scene = scene("main.clank\tSRC/main.clank\n", "ws");
    let ran = scene.run("--inputs list run main.clank -q");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "hello\n"), "{}", ran.text());
    let ran = scene.run("--inputs list build main.clank --out-dir out/js --target js");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(scene.path("out/js/main.js").exists());
    let list = format!("main.clank\n{CONTEXT}app/api.yaml\tSRC/app/api.yaml\n");
    let list = list.replace("\tSRC", "\tws");
    let list: String = list.lines().map(|it| format!("ws/{it}\n")).collect();
    fs::write(scene.path("list"), list).unwrap();
    let ran = scene.run("--inputs list check --root ws --format json");
    assert_eq!(ran.json()["diagnostics"][0]["file"], "app/api.yaml", "{}", ran.text());
    assert_eq!(scene.run("--inputs list check --root web").code, 2);
}

/// An action that finds something has its outputs, and says with what it would have ended.
#[test]
fn the_exit_code_is_an_output() {
    let list = format!("app/api.yaml\tSRC/app/api.yaml\n{CONTEXT}");
    let scene = scene(&list, "ws");
    let ran = scene.run("--inputs list check --exit-code-file out/code");
    assert_eq!(ran.text(), "--- exit 0\n");
    assert_eq!(scene.read("out/code"), "1\n");
    fs::write(scene.path("ws/regreen.toml"), "[nonsense\n").unwrap();
    let ran = scene.run("--inputs list check --exit-code-file out/other");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(!scene.path("out/other").exists());
}

/// AE-34: a worker says and writes what a process does, request after request, and its arguments may be in a file.
#[test]
fn a_worker_answers_as_a_process_does() {
    let scene = scene("", "ws");
    let line = |name: &str, rest: &str| format!("--input-line={name}\tws/{name}{rest}");
    let request = |out: &str| {
        let mut words: Vec<String> =
            CHECK.replace("OUT", out).split(' ').map(str::to_owned).collect();
        words.retain(|it| !it.is_empty() && it != "--inputs" && it != "list");
        words.push(line("app/api.yaml", ""));
        words.push(line("regreen.toml", "\tcontext"));
        words.push(line("app/service.schema.json", "\tcontext"));
        words
    };
    for name in ["first", "second"] {
        fs::create_dir(scene.path(name)).unwrap();
    }
    fs::write(scene.path("arguments"), request("out").join("\n")).unwrap();
    let mut command = scene.command("--x", &[]);
    let program = command.get_program().to_owned();
    command = Command::new(program);
    let ran = command.current_dir(scene.path("")).arg("@arguments").output().unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    let before = fs::read(scene.path("ws/app/api.yaml")).unwrap();
    let requests = ["first", "second"].map(|it| {
        serde_json::json!({"arguments": request(it), "inputs": [], "requestId": 0}).to_string()
    });
    let fix = r#"{"arguments": ["fix", "--input-line=a"]}"#;
    let said = scene.run_with("--persistent_worker", &[], &(requests.concat() + fix));
    let lines: Vec<&str> = said.stdout.lines().collect();
    let green = r#"{"exitCode":0,"output":"","requestId":0}"#;
    assert_eq!(lines[..2], [green, green], "{}", said.text());
    assert!(lines[2].contains("\"exitCode\":2"), "{}", said.text());
    assert_eq!((lines.len(), said.code), (3, 0), "{}", said.text());
    assert_eq!(contents(&scene, "out").len(), 8);
    assert_eq!(contents(&scene, "first"), contents(&scene, "out"));
    assert_eq!(contents(&scene, "second"), contents(&scene, "out"));
    assert_eq!(fs::read(scene.path("ws/app/api.yaml")).unwrap(), before);
}
