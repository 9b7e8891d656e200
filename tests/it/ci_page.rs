//! What the guide has people copy into their CI: workflows, inputs of the action, the configuration of hooks.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::git::{git, repository, variables};
use super::support::{Scene, named_blocks, ours, yaml};

const PAGE: &str = "docs/guide/ci.md";

fn workflows() -> Vec<(String, String)> {
    let mut blocks = named_blocks(&ours(PAGE));
    blocks.retain(|it| it.0.starts_with(".github/workflows/"));
    assert!(blocks.len() >= 4, "{blocks:?}");
    blocks
}

/// The steps of all jobs.
fn steps(workflow: &Value) -> Vec<&Value> {
    let jobs = workflow["jobs"].as_object().unwrap().values();
    jobs.flat_map(|it| it["steps"].as_array().unwrap()).collect()
}

/// regreen's own pack for GitHub finds nothing in the workflows of the page and of this repository.
#[test]
fn the_workflows_are_green() {
    let scene = Scene::new("");
    let mut workflows = workflows();
    let ci = ".github/workflows/ci.yml";
    workflows.push((ci.to_owned(), ours(ci)));
    for (name, text) in &workflows {
        scene.write(&format!("ws/{name}"), text);
    }
    let ran = scene.run("check --strict --deny-warnings --deny-unchecked --format json");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert_eq!(ran.json()["summary"]["files"]["checked"], workflows.len(), "{}", ran.text());
    // A name that is misspelt would be found.
    scene.write(&format!("ws/{ci}"), &workflows[0].1.replace("runs-on", "run-on"));
    assert_eq!(scene.run("check").code, 1);
}

/// The page lists the inputs and outputs that the action has, with their defaults, and its workflows set no others.
#[test]
fn the_page_and_the_action_agree() {
    let (page, action) = (ours(PAGE), yaml(&ours("action.yml")));
    let rows = |title: &str| -> BTreeMap<String, String> {
        let rows = page.lines().skip_while(|it| !it.starts_with(title)).skip(2);
        rows.take_while(|it| it.starts_with("| "))
            .map(|it| {
                let mut cells = it.split(" | ");
                let name = cells.next().unwrap().trim_start_matches("| ").trim_matches('`');
                (name.to_owned(), cells.next().unwrap().trim_matches('`').to_owned())
            })
            .collect()
    };
    let inputs = action["inputs"].as_object().unwrap();
    let defaults = inputs.iter().map(|(name, input)| {
        let default = match (name.as_str(), input["default"].as_str().unwrap()) {
            ("paths", "") => "all",
            (_, "") => "none",
            (_, default) => default,
        };
        (name.clone(), default.to_owned())
    });
    assert_eq!(rows("| input |"), defaults.collect());
    let outputs = rows("| output |").into_keys();
    let names: BTreeMap<&String, &Value> = action["outputs"].as_object().unwrap().iter().collect();
    assert_eq!(outputs.collect::<Vec<_>>(), names.into_keys().cloned().collect::<Vec<_>>());
    let own = format!("regreen/regreen@v{}", env!("CARGO_PKG_VERSION"));
    let mut n_uses = 0;
    for (name, text) in workflows() {
        let workflow = yaml(&text);
        for step in steps(&workflow).into_iter().filter(|it| it["uses"] == own.as_str()) {
            n_uses += 1;
            for input in step["with"].as_object().into_iter().flatten() {
                assert!(
                    inputs.contains_key(input.0),
                    "{name}: the action has no input {}",
                    input.0
                );
            }
        }
    }
    assert!(n_uses >= 3);
}

/// The steps of a workflow that does without the action, run by bash: a pull request with a finding fails, one without
/// passes, and what the base branch has wrong does not count.
#[test]
fn the_workflow_for_changed_files_checks_what_a_pull_request_changes() {
    let (_, text) =
        workflows().into_iter().find(|it| it.0.ends_with("/changed.yml")).expect("the page has it");
    let workflow = yaml(&text);
    let scripts: Vec<&str> = steps(&workflow).iter().filter_map(|it| it["run"].as_str()).collect();
    let [install, check] = scripts[..] else { panic!("{scripts:?}") };
    assert_eq!(install, format!("pip install regreen=={}", env!("CARGO_PKG_VERSION")));
    let scene = repository();
    git(&scene, "clone -q --bare . ../origin.git");
    git(&scene, "remote add origin ../origin.git");
    git(&scene, "fetch -q origin");
    git(&scene, "checkout -q -b change");
    let binary = Path::new(env!("CARGO_BIN_EXE_regreen")).parent().unwrap();
    let run = || {
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", check]);
        command.current_dir(scene.path("ws")).env_clear().envs(variables(&scene));
        let output = command.env("PATH", path).env("GITHUB_BASE_REF", "main").output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    scene.write("ws/good.yaml", "# yaml-language-server: $schema=service.schema.json\nname: a\n");
    git(&scene, "add .");
    git(&scene, "commit -q -m good");
    let (code, text) = run();
    assert_eq!(code, 0, "{text}");
    scene.write("ws/bad.yaml", "# yaml-language-server: $schema=service.schema.json\nname: 5\n");
    git(&scene, "add .");
    git(&scene, "commit -q -m bad");
    let (code, text) = run();
    assert_eq!(code, 1, "{text}");
    assert!(text.starts_with("::error file=bad.yaml,line=2,"), "{text}");
    assert_eq!(text.matches("::error").count(), 1, "{text}");
}

/// `cargo xtask live` has pre-commit and prek run this configuration.
#[test]
fn the_configuration_of_hooks_names_this_version_and_hooks_that_exist() {
    let blocks = named_blocks(&ours(PAGE));
    let (_, text) = blocks.iter().find(|it| it.0 == ".pre-commit-config.yaml").unwrap();
    let config = yaml(text);
    let [repo] = &config["repos"].as_array().unwrap()[..] else { panic!("{text}") };
    assert_eq!(repo["repo"], env!("CARGO_PKG_REPOSITORY"));
    assert_eq!(repo["rev"], concat!("v", env!("CARGO_PKG_VERSION")));
    let known = yaml(&ours(".pre-commit-hooks.yaml"));
    let known: Vec<&Value> = known.as_array().unwrap().iter().map(|it| &it["id"]).collect();
    for hook in repo["hooks"].as_array().unwrap() {
        assert!(known.contains(&&hook["id"]), "{hook}");
    }
    let needs = concat!("needs Rust ", env!("CARGO_PKG_RUST_VERSION"), " or later");
    assert!(ours(PAGE).contains(needs));
}

/// The hook for those who have regreen runs what the hook of this repository runs, on the same files.
#[test]
fn the_hook_of_ones_own_is_the_hook_of_this_repository() {
    let blocks = named_blocks(&ours(PAGE));
    let mut configs = blocks.iter().filter(|it| it.0 == ".pre-commit-config.yaml");
    let config = yaml(&configs.nth(1).unwrap().1);
    let hook = &config["repos"][0]["hooks"][0];
    let known = yaml(&ours(".pre-commit-hooks.yaml"));
    let known = known.as_array().unwrap().iter().find(|it| it["id"] == hook["id"]).unwrap();
    for key in ["name", "files", "require_serial"] {
        assert_eq!(hook[key], known[key]);
    }
    let entry = format!("{} --", known["entry"].as_str().unwrap());
    assert_eq!((&hook["entry"], &known["args"]), (&entry.into(), &serde_json::json!(["--"])));
}
