//! An approval means what the approver saw: whatever changes after that, it does not count, and says why (X-72, X-73).

use std::fs;

use serde_json::{Value, json};

use super::dds::{add, approval_file, approve, approving, record, report, shop, status};
use super::support::{Scene, on_a_terminal};

/// What the run refused, and that nothing was changed by it.
#[track_caller]
fn refused(scene: &Scene, id: &str) -> String {
    let ran = report(scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "refused", "{ran:#}");
    assert_eq!(status(scene, id), "approved");
    assert_eq!(scene.read("ws/src/a.py"), "x = 1\n");
    ran["reports"][0]["error_message"].as_str().unwrap().to_owned()
}

#[test]
fn a_tool_that_is_another_one_than_was_approved_does_not_run() {
    let cases: [(&str, &str, &str); 4] = [
        ("echo 'x = 2' > src/a.py", "echo evil > src/a.py", "the definition of its tool changed"),
        ("[tools.bad]", "network = true\n[tools.bad]", "the definition of its tool changed"),
        (
            "[tools.bad]",
            "environment = [\"HOME\"]\n[tools.bad]",
            "the definition of its tool changed",
        ),
        ("[tools.bad]", "timeout = 9\n[tools.bad]", "the definition of its tool changed"),
    ];
    for (from, to, because) in cases {
        let scene = shop();
        let id = add(&scene, &record("good", &["src/"]));
        approve(&scene, &id, "ana");
        let config = scene.read("ws/regreen.toml");
        scene.write("ws/regreen.toml", &config.replacen(from, to, 1));
        scene.trust();
        let said = refused(&scene, &id);
        assert!(said.contains(because), "{said}");
        // As it was, it runs; and what was changed can be approved.
        scene.write("ws/regreen.toml", &config);
        scene.trust();
        assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
    }
}

#[test]
fn a_script_of_the_repository_is_approved_with_the_tool_that_runs_it() {
    let scene = shop();
    scene.write("ws/mend.sh", "echo 'x = 2' > src/a.py\n");
    let config =
        scene.read("ws/regreen.toml") + "[tools.script]\ncommand = [\"sh\", \"./mend.sh\"]\n";
    scene.write("ws/regreen.toml", &config);
    scene.trust();
    let id = add(&scene, &record("script", &["src/"]));
    let shown = report(&scene, &format!("dds show {id}"));
    let programs = &shown["statement"]["predicate"]["tool"]["programs"];
    assert!(programs["mend.sh"]["sha256"].is_string(), "{shown:#}");
    approve(&scene, &id, "ana");
    scene.write("ws/mend.sh", "echo evil > src/a.py\n");
    let said = refused(&scene, &id);
    assert!(said.contains("a program that its tool runs changed"), "{said}");
    // Whoever signs again signs what is there now.
    approve(&scene, &id, "ben");
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
    assert_eq!(scene.read("ws/src/a.py"), "evil\n");
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
}

/// However the command names what it runs.
#[test]
fn a_program_that_a_shell_or_a_runner_finds_is_approved_too() {
    let cases = [
        (r#"["sh", "-c", "cd tools && sh ./mend.sh"]"#, "tools/mend.sh"),
        (r#"["sh", "tools//../tools/mend.sh"]"#, "tools/mend.sh"),
        (r#"["env", "A=1", "make", "-s"]"#, "Makefile"),
    ];
    for (command, program) in cases {
        let scene = shop();
        scene.write("ws/tools/mend.sh", "echo 'x = 2' > src/a.py\n");
        scene.write("ws/Makefile", "all:\n\techo 'x = 2' > src/a.py\n");
        let tool = format!("[tools.script]\ncommand = {command}\n");
        scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + &tool));
        scene.trust();
        let id = add(&scene, &record("script", &["src/"]));
        approve(&scene, &id, "ana");
        let before = scene.read(&format!("ws/{program}"));
        scene.write(&format!("ws/{program}"), &before.replace("x = 2", "evil"));
        let said = refused(&scene, &id);
        assert!(said.contains("a program that its tool runs changed"), "{command}: {said}");
        // Nor does one person change it.
        let id = add(&scene, &record("good", &[program]));
        let first = scene.run(&approving(&scene, &id, "ana"));
        assert!(first.stdout.contains("two different people"), "{command}: {}", first.text());
    }
}

/// X-72: what is signed says how long it counts, and the policy how long it may; a policy that nobody trusts makes it no longer.
#[test]
fn an_approval_counts_no_longer_than_the_policy_allows() {
    let scene = shop();
    let config = scene.read("ws/regreen.toml");
    let govern = |days: u32| format!("{config}[govern]\napproval_days = {days}\n");
    let id = add(&scene, &record("good", &["src/"]));
    approve(&scene, &id, "ana");
    scene.write("ws/regreen.toml", &govern(3));
    scene.trust();
    let said = refused(&scene, &id);
    assert!(said.contains("[govern] approval_days ends it on"), "{said}");
    // Somebody allows ten years, and has it approved.
    scene.write("ws/regreen.toml", &govern(3650));
    scene.trust();
    approve(&scene, &id, "ana");
    scene.write("ws/regreen.toml", &govern(3));
    scene.trust();
    scene.write("ws/regreen.toml", &govern(3650));
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"], json!([]), "{ran:#}");
    assert!(ran["left"][0]["reason"].as_str().unwrap().contains("[govern]"), "{ran:#}");
    scene.trust();
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
}

/// A pull takes `require_plan` away: what was trusted still asks for it.
#[test]
fn a_plan_that_was_asked_for_is_asked_for_until_the_user_says_otherwise() {
    let scene = shop();
    let config = scene.read("ws/regreen.toml");
    scene.write("ws/regreen.toml", &format!("{config}[govern]\nrequire_plan = true\n"));
    scene.trust();
    let id = add(&scene, &record("good", &["src/"]));
    scene.write("ws/regreen.toml", &format!("{config}[govern]\nrequire_plan = false\n"));
    let shown = report(&scene, &format!("dds show {id}"));
    let why = shown["unsignable"].as_str().unwrap();
    assert!(why.contains("it must be planned first"), "{why}");
    scene.trust();
    approve(&scene, &id, "ana");
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
}

/// Two clones of one user carry out the same at the same moment: one does, and for the other nothing has happened.
#[test]
fn two_clones_of_one_user_use_an_approval_once() {
    let scene = shop();
    let slow = "[tools.slow]\ncommand = [\"sh\", \"-c\", \"sleep 1; echo x >> src/a.py\"]\n";
    scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + slow));
    scene.trust();
    let id = add(&scene, &record("slow", &["src/"]));
    approve(&scene, &id, "ana");
    super::dds_travel::copy(&scene.path("ws"), &scene.path("copy"));
    assert_eq!(scene.run("trust --yes --root copy").code, 0);
    let shown = scene.run(&format!("dds show {id} --root copy --format json")).json();
    assert_eq!(shown["record"]["status"], "approved", "{shown:#}");
    let lines = ["dds run", "dds run --root copy"].map(|it| format!("{it} --format json"));
    let outputs = super::dds_races::at_once(&scene, &lines);
    let mut said: Vec<String> = outputs
        .iter()
        .map(|it| {
            serde_json::from_slice::<Value>(&it.stdout).unwrap()["reports"][0]["status"].to_string()
        })
        .collect();
    said.sort();
    assert_eq!(said, ["\"refused\"", "\"success\""], "{outputs:?}");
    let mut found = [status(&scene, &id), {
        let shown = scene.run(&format!("dds show {id} --root copy --format json")).json();
        shown["record"]["status"].as_str().unwrap().to_owned()
    }];
    found.sort();
    assert_eq!(found, ["approved", "executed"]);
}

#[test]
fn only_what_was_reviewed_is_signed() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    let without = scene.run(&format!("dds approve {id} --key ana"));
    assert_eq!(without.code, 2, "{}", without.text());
    assert!(without.text().contains("--expect HASH"), "{}", without.text());
    let line = approving(&scene, &id, "ana");
    // Between `show` and `approve` the tool becomes another one.
    let config = scene.read("ws/regreen.toml");
    scene.write("ws/regreen.toml", &config.replacen("'x = 2'", "evil", 1));
    scene.trust();
    let swapped = scene.run(&line);
    assert_eq!(swapped.code, 1, "{}", swapped.text());
    assert!(swapped.stdout.contains("something changed since you looked"), "{}", swapped.text());
    assert_eq!(status(&scene, &id), "proposed");
    // At a terminal it is shown, and only yes is yes.
    let typing = format!("dds approve {id} --key ana");
    let (shown, code) = on_a_terminal(&scene, "Type yes: ", &typing, &["y"]);
    assert_eq!(code, Some(1), "{shown}");
    let (shown, code) = on_a_terminal(&scene, "Type yes: ", &typing, &["yes"]);
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("evil") && shown.contains("statement   sha256:"), "{shown}");
    // A tool that is not defined here cannot be shown, and so not be approved.
    let unknown = add(&scene, &record("nowhere", &["src/"]));
    let refused = scene.run(&approving(&scene, &unknown, "ana"));
    assert_eq!(refused.code, 1);
    assert!(refused.stdout.contains("no tool `nowhere` is configured"), "{}", refused.text());
}

/// The registry of the only workspace of a scene.
fn registry(scene: &Scene) -> std::path::PathBuf {
    fn find(folder: &std::path::Path) -> Option<std::path::PathBuf> {
        for entry in fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                if let Some(found) = find(&path) {
                    return Some(found);
                }
            } else if path.file_name().is_some_and(|it| it == "registry.db") {
                return Some(path);
            }
        }
        None
    }
    find(&scene.path("")).expect("there is a registry")
}

/// A registry that is brought back from a copy has the record approved once more.
#[test]
fn an_approval_is_used_once_whatever_becomes_of_the_registry() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    approve(&scene, &id, "ana");
    let file = registry(&scene);
    let copy = fs::read(&file).unwrap();
    let approval = approval_file(&scene, &id);
    let kept = scene.read(&approval);
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
    scene.write("ws/src/a.py", "x = 1\n");
    // Its receipt would close the record at once; whoever restores a registry can take that away too.
    fs::remove_dir_all(scene.path("ws/.regreen/receipts")).unwrap();
    let restore = |bytes: Option<&[u8]>| {
        for end in ["", "-wal", "-shm", "-journal"] {
            let mut name = file.clone().into_os_string();
            name.push(end);
            let _ = fs::remove_file(name);
        }
        if let Some(bytes) = bytes {
            fs::write(&file, bytes).unwrap();
        }
    };
    restore(Some(&copy));
    let said = refused(&scene, &id);
    assert!(said.contains("this approval has been used"), "{said}");
    let shown = report(&scene, &format!("dds show {id}"));
    assert_eq!(shown["approval"]["holds"], json!(false));
    // Deleted, and the same record proposed again: the signature is of the one before.
    restore(None);
    fs::remove_dir_all(scene.path("ws/.regreen/approvals")).unwrap();
    fs::remove_dir_all(scene.path("ws/.regreen/proposals")).unwrap();
    let again = add(&scene, &record("good", &["src/"]));
    assert_eq!(again, id);
    scene.write(&approval, &kept);
    assert_eq!(report(&scene, "dds run")["reports"], json!([]));
    let document: Value = serde_json::from_str(&kept).unwrap();
    scene.write("signature", document["signatures"][0]["signature"].as_str().unwrap());
    let replayed = scene.run(&format!("dds approve {id} --signature signature"));
    assert_eq!(replayed.code, 1, "{}", replayed.text());
    assert!(replayed.stdout.contains("is not one of these bytes"), "{}", replayed.text());
    // A person can still say yes.
    approve(&scene, &id, "ana");
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
}

#[test]
fn a_signature_counts_in_its_repository_only() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    approve(&scene, &id, "ana");
    let identity = scene.read("ws/.regreen/repository.json");
    let document = scene.read(&approval_file(&scene, &id));
    let document: Value = serde_json::from_str(&document).unwrap();
    // Another repository with the same files, keys and record.
    for file in ["src/a.py", "regreen.toml", "allowed_signers"] {
        scene.write(&format!("other/{file}"), &scene.read(&format!("ws/{file}")));
    }
    assert_eq!(scene.run("trust --yes --root other").code, 0);
    assert_eq!(report(&scene, "dds add record.json --root other")["id"], json!(id));
    scene.write("signature", document["signatures"][0]["signature"].as_str().unwrap());
    let replayed = scene.run(&format!("dds approve {id} --signature signature --root other"));
    assert_eq!(replayed.code, 1, "{}", replayed.text());
    // The identity is copied: it is known with another origin, and asks.
    scene.write("other/.regreen/repository.json", &identity);
    let shown = scene.run("trust --show --root other");
    assert!(shown.text().contains("which you know from another origin"), "{}", shown.text());
    let line = format!("dds approve {id} --key ana --root other --expect sha256:0");
    let asked = scene.run(&line);
    assert!(
        asked.text().contains("the identity of this repository is not trusted"),
        "{}",
        asked.text()
    );
    // The identity of the first is another one now: what was approved there is void.
    let other = identity.replace(|it: char| it.is_ascii_digit(), "0");
    scene.write("ws/.regreen/repository.json", &other.replace(": 0,", ": 1,"));
    assert_eq!(report(&scene, "dds run")["reports"], json!([]), "it is a record of another one");
    assert_eq!(report(&scene, "dds list")["records"], json!([]));
    scene.write("ws/.regreen/repository.json", &identity);
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
}

/// What is attached is applied to the very bytes that were approved, or not at all.
#[test]
fn a_list_that_was_reordered_gets_no_other_entry_changed() {
    let scene = shop();
    scene.write("ws/list.json", "[{\"port\": 1}, {\"port\": 2}]\n");
    let patch = json!({
        "changeset_uid": "cs-1",
        "ops": [{ "type": "set_value", "file_uid": "path:list.json", "json_pointer": "/0/port", "value": 9 }]
    });
    scene.write("patch.json", &patch.to_string());
    scene.write("record.json", &record("regreen", &["list.json"]).to_string());
    let added = report(&scene, "dds add record.json --patch patch.json");
    let id = added["id"].as_str().unwrap().to_owned();
    let shown = report(&scene, &format!("dds show {id}"));
    assert!(
        shown["statement"]["predicate"]["files"]["list.json"]["sha256"].is_string(),
        "{shown:#}"
    );
    approve(&scene, &id, "ana");
    scene.write("ws/list.json", "[{\"port\": 2}, {\"port\": 1}]\n");
    let said = refused(&scene, &id);
    assert!(said.contains("stale: list.json"), "{said}");
    scene.write("ws/list.json", "[{\"port\": 1}, {\"port\": 2}]\n");
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
    assert_eq!(scene.read("ws/list.json"), "[{\"port\": 9}, {\"port\": 2}]\n");
}

/// A project that the repository declares is the only one that it takes.
#[test]
fn a_record_of_another_project_is_not_taken() {
    let scene = shop();
    scene.write(
        "ws/regreen.toml",
        &(scene.read("ws/regreen.toml") + "[govern]\nproject = \"other\"\n"),
    );
    scene.trust();
    scene.write("record.json", &record("good", &["src/"]).to_string());
    let refused = report(&scene, "dds add record.json");
    assert_eq!(refused["faults"][0]["pointer"], "/project");
    assert!(!scene.path("ws/.regreen/repository.json").exists(), "nothing was proposed");
}

/// X-75: what governs is not changed by one person, wherever it lies.
#[test]
fn one_key_plants_no_configuration_and_changes_no_program() {
    let scene = shop();
    scene.write("ws/bin/mend.sh", "echo 'x = 2' > src/a.py\n");
    let config = scene.read("ws/regreen.toml")
        + "[tools.script]\ncommand = [\"sh\", \"bin/mend.sh\"]\n\
           [tools.plant]\ncommand = [\"sh\", \"-c\", \"echo '[tools]' > src/regreen.toml\"]\n";
    scene.write("ws/regreen.toml", &config);
    scene.trust();
    let id = add(&scene, &record("plant", &["src/"]));
    approve(&scene, &id, "ana");
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "failed", "{ran:#}");
    assert!(!scene.path("ws/src/regreen.toml").exists());
    for paths in [["src/regreen.toml"], ["bin/mend.sh"], ["bin/"]] {
        let id = add(&scene, &record("good", &paths));
        let first = scene.run(&approving(&scene, &id, "ana"));
        assert_eq!(first.code, 1, "{paths:?}: {}", first.text());
        assert!(first.stdout.contains("two different people"), "{paths:?}: {}", first.text());
        assert_eq!(approve(&scene, &id, "ben")["status"], "approved");
        report(&scene, &format!("dds show {id}"));
    }
}

/// A pull that brings a new signer together with an approval by it.
#[test]
fn a_signer_that_came_with_its_approval_does_not_count() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    let line = format!("eve@example.org {}", scene.read("eve.pub"));
    scene.write("ws/allowed_signers", &(scene.read("ws/allowed_signers") + &line));
    let refused = scene.run(&approving(&scene, &id, "eve"));
    assert_eq!(refused.code, 1, "{}", refused.text());
    assert!(refused.stdout.contains("is not trusted"), "{}", refused.text());
    assert_eq!(status(&scene, &id), "proposed");
}
