//! What keeps a record from being carried out is said and counted, and ends nothing; and what `verify` still says of a
//! registry that was damaged.

use serde_json::{Value, json};

use super::dds::{add, approve, record, report, shop, status};

/// the tool is gone from the configuration, and comes back.
#[test]
fn a_tool_that_is_not_configured_here_leaves_the_record_approved() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    approve(&scene, &id, "ana");
    let config = scene.read("ws/regreen.toml");
    scene.write("ws/regreen.toml", &config.replace("[tools.good]", "[tools.renamed]"));
    scene.trust();
    for n in 1..=2 {
        let ran = report(&scene, "dds run");
        assert_eq!((&ran["refused"], &ran["reports"][0]["status"]), (&json!(1), &json!("refused")));
        let shown = report(&scene, &format!("dds show {id}"));
        assert_eq!(shown["record"]["status"], "approved");
        assert_eq!((&shown["refusals"], &shown["report"]), (&json!(n), &Value::Null));
    }
    let said = scene.run("dds run");
    assert_eq!(said.code, 1);
    assert!(
        said.stdout.contains("1 record stays approved and can be run again."),
        "{}",
        said.text()
    );
    assert_eq!(report(&scene, "dds worker")["proposed"], Value::Null, "nothing failed");
    scene.write("ws/regreen.toml", &config);
    scene.trust();
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
    assert_eq!(status(&scene, &id), "executed");
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
}

///
#[test]
fn the_end_of_the_trail_is_an_anchor() {
    let scene = shop();
    add(&scene, &record("good", &["src/"]));
    let head = report(&scene, "dds verify")["head"].as_str().unwrap().to_owned();
    let id = add(&scene, &record("bad", &["src/"]));
    report(&scene, &format!("dds reject {id} --reason no --key ana"));
    let line = format!("dds verify --against {head}");
    assert_eq!(report(&scene, &line)["problems"], json!([]));
    let said = scene.run(&line);
    assert!(said.stdout.contains("The audit trail ends at blake3:"), "{}", said.text());
    let other = head.replace(|it: char| it.is_ascii_digit(), "0");
    let refused = report(&scene, &format!("dds verify --against {other}"));
    assert_eq!(refused["ok"], json!(false));
    let empty = shop();
    assert_eq!(empty.run(&line).code, 1, "there is no such trail");
}
