//! Plan, then approve: what was shown is what is written, and nothing runs a second time.

use serde_json::{Value, json};

use super::dds::{add, approve, approving, record, report, shop, status};
use super::support::Scene;

/// A shop whose tool does something else each time, and tells what it saw.
fn fickle() -> Scene {
    let scene = shop();
    let tool = "date +%s%N > src/a.py; echo ${SECRET:-none} >> src/a.py";
    let config = format!(
        "[tools.fickle]\ncommand = [\"sh\", \"-c\", \"{tool}\"]\nenvironment = [\"SECRET\"]\nnetwork = true\n"
    );
    scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + &config));
    scene.trust();
    scene
}

fn plan(scene: &Scene, line: &str) -> Value {
    let ran = scene.run_with(&format!("dds plan {line} --format json"), &[("SECRET", "s3")], "");
    ran.json()
}

#[test]
fn what_was_planned_is_what_is_written() {
    let scene = fickle();
    let id = add(&scene, &record("fickle", &["src/"]));
    let before = scene.read("ws/src/a.py");
    let first = plan(&scene, &id);
    assert_eq!((&first["ok"], &first["as_configured"]), (&json!(true), &json!(false)), "{first:#}");
    assert_eq!(scene.read("ws/src/a.py"), before, "a plan writes nothing");
    assert_eq!(status(&scene, &id), "proposed");
    assert!(first["diff"].as_str().unwrap().contains("+none"), "it sees no variable");
    let line = approving(&scene, &id, "ana");
    // Planned once more it is something else, and what was reviewed before is not signed.
    let second = plan(&scene, &format!("{id} --as-configured"));
    assert!(second["diff"].as_str().unwrap().contains("+s3"), "{second:#}");
    assert_eq!(scene.run(&line).code, 1);
    let shown = report(&scene, &format!("dds show {id}"));
    assert_eq!(shown["statement_hash"], second["statement_hash"]);
    assert_eq!(shown["diff"], second["diff"]);
    let planned: Vec<&Value> = shown["history"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["event"] == "plan")
        .map(|it| &it["details"]["as_configured"])
        .collect();
    assert_eq!(planned, [&json!(false), &json!(true)], "the trail says how");
    approve(&scene, &id, "ana");
    assert_eq!(plan(&scene, &id)["ok"], json!(false), "what is decided stays as it is");
    // A file that is another one: stale, until it is what it was.
    scene.write("ws/src/a.py", "somebody else\n");
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "refused", "{ran:#}");
    assert!(ran["reports"][0]["error_message"].as_str().unwrap().contains("stale"), "{ran:#}");
    assert_eq!(status(&scene, &id), "approved");
    scene.write("ws/src/a.py", &before);
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "success", "{ran:#}");
    assert_eq!(ran["reports"][0]["sandbox"], Value::Null, "no tool ran");
    for line in scene.read("ws/src/a.py").lines() {
        assert!(second["diff"].as_str().unwrap().contains(&format!("+{line}\n")), "{line}");
    }
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
}

#[test]
fn a_plan_is_a_persons_and_keeps_to_everything() {
    let scene = fickle();
    let id = add(&scene, &record("fickle", &["src/"]));
    for variable in [("CI", "true"), ("REGREEN_ACTION", "1")] {
        assert_ne!(scene.run_with(&format!("dds plan {id}"), &[variable], "").code, 0);
    }
    scene.run("trust --revoke");
    assert_ne!(scene.run(&format!("dds plan {id}")).code, 0, "the tool is not trusted");
    scene.trust();
    // What fails or breaks a rule is not attached.
    let bad = add(&scene, &record("bad", &["src/"]));
    let refused = plan(&scene, &bad);
    assert_eq!(refused["ok"], json!(false));
    assert!(refused["problem"].as_str().unwrap().contains("it broke"), "{refused:#}");
    let mut strict = record("fickle", &["src/"]);
    strict["constraints"]["max_files_changed"] = json!(0);
    let strict = add(&scene, &strict);
    assert!(plan(&scene, &strict)["problem"].as_str().unwrap().contains("max_files_changed"));
    for id in [&bad, &strict] {
        assert_eq!(report(&scene, &format!("dds show {id}"))["patch"], Value::Null);
    }
}

#[test]
fn a_policy_can_demand_a_plan() {
    let scene = fickle();
    scene.write(
        "ws/regreen.toml",
        &(scene.read("ws/regreen.toml") + "[govern]\nrequire_plan = true\n"),
    );
    scene.trust();
    let id = add(&scene, &record("good", &["src/"]));
    let refused = scene.run(&approving(&scene, &id, "ana"));
    assert_eq!(refused.code, 1);
    assert!(refused.stdout.contains("it must be planned first"), "{}", refused.text());
    assert_eq!(plan(&scene, &id)["ok"], json!(true));
    approve(&scene, &id, "ana");
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
}
