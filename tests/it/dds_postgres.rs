//! A registry that repositories share on a PostgreSQL server: what the files prove for one repository holds there too, and no
//! repository sees, runs or fails what another one proposed.

use serde_json::{Value, json};

use super::dds::{add, approve, record, report, shop_at, status};
use super::dds_races;
use super::live_server::Server;
use super::support::Scene;

#[test]
fn sixty_four_approvals_at_once_all_count() {
    let server = Server::start();
    dds_races::approvals_at_the_same_moment_all_count(&shop_at(&server.new_database("approvals")));
}

#[test]
fn twenty_four_executors_on_one_file_lose_nothing() {
    let server = Server::start();
    dds_races::executors_that_race_on_one_file_lose_nothing(&shop_at(&server.new_database("runs")));
}

fn ids(report: &Value) -> Vec<&str> {
    let records = report["records"].as_array().unwrap();
    records.iter().map(|it| it["record"]["id"].as_str().unwrap()).collect()
}

/// Another repository beside the first, with the same files, keys and registry.
fn other(scene: &Scene) {
    for file in ["src/a.py", "regreen.toml", "allowed_signers"] {
        scene.write(&format!("other/{file}"), &scene.read(&format!("ws/{file}")));
    }
    assert_eq!(scene.run("trust --yes --root other").code, 0);
}

/// Nothing of the record is there for the other repository, whatever it asks.
#[track_caller]
fn is_nothing_to_other(scene: &Scene, id: &str) {
    let before = report(scene, &format!("dds show {id}"))["record"].clone();
    assert!(!ids(&report(scene, "dds list --root other")).contains(&id));
    assert_eq!(report(scene, "dds run --root other")["reports"], json!([]));
    assert_eq!(report(scene, "dds worker --root other")["proposed"], Value::Null);
    for line in ["show ID", "comment ID hm", "reject ID --reason no --key ana", "plan ID"] {
        let ran = scene.run(&format!("dds {} --root other", line.replace("ID", id)));
        assert_eq!(ran.code, 2, "{line}: {}", ran.text());
        assert!(ran.text().contains("there is no record"), "{line}: {}", ran.text());
    }
    assert_eq!(report(scene, &format!("dds show {id}"))["record"], before);
}

#[test]
fn a_record_of_one_repository_is_nothing_to_another() {
    let server = Server::start();
    let scene = shop_at(&server.new_database("two"));
    let id = add(&scene, &record("bad", &["src/"]));
    approve(&scene, &id, "ana");
    other(&scene);
    is_nothing_to_other(&scene, &id);
    // With an identity of its own, too. Names are each repository's own.
    scene.write("record.json", &record("good", &["src/"]).to_string());
    let own = report(&scene, "dds add record.json --root other")["id"].clone();
    assert_eq!(own, json!(id), "each counts by itself");
    let tool = |root: &str| {
        let listed = report(&scene, &format!("dds list {root}"));
        assert_eq!(ids(&listed), [id.as_str()]);
        listed["records"][0]["record"]["tool"].as_str().unwrap().to_owned()
    };
    assert_eq!((tool("--root ws"), tool("--root other")), ("bad".to_owned(), "good".to_owned()));
    let rejected = report(&scene, &format!("dds reject {id} --reason no --key ana --root other"));
    assert_eq!(rejected["status"], "rejected");
    assert_eq!(status(&scene, &id), "approved");
    // A failure of one is corrected in it, and nowhere else.
    assert_eq!(report(&scene, "dds run --root other")["reports"], json!([]));
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "failed");
    assert_eq!(report(&scene, "dds worker --root other")["proposed"], Value::Null);
    assert!(report(&scene, "dds worker")["proposed"].is_string());
    assert_eq!(ids(&report(&scene, "dds list --root other")), [id.as_str()]);
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
}

/// Two clones of one repository share its records; one that declares another project takes none of them.
#[test]
fn a_declared_project_is_the_only_one_that_is_run() {
    let server = Server::start();
    let scene = shop_at(&server.new_database("project"));
    let id = add(&scene, &record("good", &["src/"]));
    approve(&scene, &id, "ana");
    let config = scene.read("ws/regreen.toml");
    scene.write("ws/regreen.toml", &(config.clone() + "[govern]\nproject = \"other\"\n"));
    scene.trust();
    assert_eq!(report(&scene, "dds run")["reports"], json!([]));
    assert_eq!(status(&scene, &id), "approved");
    scene.write("ws/regreen.toml", &(config + "[govern]\nproject = \"shop\"\n"));
    scene.trust();
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
}
