//! What a stranger, a colleague or a pull could put among the files so that something runs that nobody approved: each fails, and
//! says why.

use std::fs;

use serde_json::{Value, json};
use ssh_key::HashAlg;

use super::dds::{add, approve, printed, record, report, shop, sign, status};
use super::dds_travel::{Person, copy, goal, two};
use super::support::Scene;

fn hex(bytes: &[u8]) -> String {
    HashAlg::Sha256.digest(bytes).iter().map(|it| format!("{it:02x}")).collect()
}

/// Writes the file that somebody with that key would write who signed the statement, whatever it says.
fn plant(scene: &Scene, id: &str, key: &str, statement: &Value, approved_at: &str) -> String {
    let bytes = statement.to_string();
    sign(scene, key, "regreen-dds", bytes.as_bytes());
    let private = ssh_key::PrivateKey::read_openssh_file(&scene.path(key)).unwrap();
    let fingerprint = private.fingerprint(HashAlg::Sha256).to_string();
    let principal = format!("{key}@example.org");
    let document = json!({
        "regreen_approval": 2,
        "dds": id,
        "statement_hash": format!("sha256:{}", hex(bytes.as_bytes())),
        "statement": statement,
        "signatures": [{
            "principal": principal,
            "fingerprint": fingerprint,
            "signature": scene.read("signature"),
        }],
        "approved_at": approved_at,
    });
    let apart = &hex(fingerprint.as_bytes())[..12];
    let name = format!("ws/.regreen/approvals/{id}/{principal}-{apart}.json");
    scene.write(&name, &format!("{document:#}\n"));
    name
}

/// The only file that does not hold, with the reason.
#[track_caller]
fn unheld(scene: &Scene) -> String {
    let listed = report(scene, "dds list");
    let found = listed["unheld"].as_array().unwrap_or_else(|| panic!("{listed:#}"));
    assert_eq!(found.len(), 1, "{listed:#}");
    found[0]["message"].as_str().unwrap().to_owned()
}

/// A place in the statement, what is written there, and what is said about it.
type Forgery = (&'static str, Value, &'static str);

/// A signature holds for what it says only if that is what is here and now.
#[test]
fn an_approval_that_says_something_else_is_named_and_lets_nothing_run() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    let statement: Value = serde_json::from_slice(&printed(&scene, &id)).unwrap();
    let at = added_at(&scene, &id);
    let forgeries: [Forgery; 11] = [
        ("/predicate/expires", json!("2999-01-01T00:00:00Z"), "[govern] approval_days ends it on"),
        ("/predicate/expires", json!("2026-01-01T00:00:00Z"), "the approval expired at"),
        ("/predicate/repository", json!("0".repeat(32)), "the identity of the repository changed"),
        ("/predicate/nonce", json!(format!("{}-0", "0".repeat(32))), "was proposed again"),
        ("/predicate/tool/network", json!(true), "the definition of its tool changed"),
        ("/predicate/tool/command", json!(["true"]), "the definition of its tool changed"),
        ("/predicate/tool/programs", json!({ "a": { "sha256": "0" } }), "a program that its tool"),
        ("/predicate/record/goal", json!("Another"), "the record changed"),
        ("/predicate/patch", json!({ "sha256": "0" }), "the attached patch was removed"),
        ("/subject/0/name", json!("another"), "the statement changed"),
        (
            "/_type",
            json!("https://in-toto.io/Statement/v2"),
            "statement must be an in-toto Statement",
        ),
    ];
    for (place, value, because) in forgeries {
        let mut forged = statement.clone();
        *forged.pointer_mut(place).unwrap() = value;
        plant(&scene, &id, "ana", &forged, &at);
        let said = unheld(&scene);
        assert!(said.contains(because), "{place}: {said}");
        assert_eq!(status(&scene, &id), "proposed", "{place}");
        assert_eq!(report(&scene, "dds run")["reports"], json!([]), "{place}");
        assert_eq!(report(&scene, "dds verify")["ok"], json!(false), "{place}");
    }
    let file = plant(&scene, &id, "ana", &statement, "2999-01-01T00:00:00Z");
    assert!(unheld(&scene).contains("which is in the future"));
    fs::remove_file(scene.path(&file)).unwrap();
    let file = plant(&scene, &id, "eve", &statement, &at);
    assert!(unheld(&scene).contains("is not allowed to approve"));
    fs::remove_file(scene.path(&file)).unwrap();
    // The same by the same hand, unforged, is an approval.
    plant(&scene, &id, "ana", &statement, &at);
    assert_eq!(status(&scene, &id), "approved");
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
}

/// When the record was added: what is said to be from then is neither too old nor of tomorrow.
fn added_at(scene: &Scene, id: &str) -> String {
    let shown = report(scene, &format!("dds show {id}"));
    shown["history"][0]["at"].as_str().unwrap().to_owned()
}

/// A pull brings a new signer, and an approval by it.
#[test]
fn a_signer_that_came_with_an_approval_counts_once_the_user_trusts_it() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    let statement: Value = serde_json::from_slice(&printed(&scene, &id)).unwrap();
    let line = format!("eve@example.org {}", scene.read("eve.pub"));
    scene.write("ws/allowed_signers", &(scene.read("ws/allowed_signers") + &line));
    plant(&scene, &id, "eve", &statement, &added_at(&scene, &id));
    assert!(unheld(&scene).contains("is not allowed to approve"));
    assert_eq!(status(&scene, &id), "proposed");
    assert_eq!(report(&scene, "dds run")["reports"], json!([]));
    scene.trust();
    assert_eq!(status(&scene, &id), "approved");
}

/// Somebody whose key counts nowhere approves and carries out in a clone of her own; her receipt closes nothing in another
/// before its user trusts her key.
#[test]
fn a_receipt_closes_a_record_only_by_the_word_of_somebody_who_may_approve() {
    let scene = shop();
    let ana = Person { scene: &scene, name: "ana" };
    let eve = Person { scene: &scene, name: "eve" };
    let id = ana.add(&record("good", &["src/"]));
    fs::rename(scene.path("eve"), scene.path("eve.key")).unwrap();
    eve.pull(&ana);
    fs::rename(scene.path("eve.key"), scene.path("eve/key")).unwrap();
    let line = format!("eve@example.org {}", scene.read("eve.pub"));
    scene.write("eve/allowed_signers", &(scene.read("ws/allowed_signers") + &line));
    assert_eq!(eve.run("trust --yes").code, 0);
    assert_eq!(eve.approve_with(&id, "eve/key")["status"], "approved");
    assert_eq!(eve.report("dds run")["reports"][0]["status"], "success");
    copy(&scene.path("eve/.regreen"), &scene.path("ws/.regreen"));
    let shown = ana.report(&format!("dds show {id}"));
    assert_eq!(shown["record"]["status"], "proposed", "{shown:#}");
    let said = shown["unheld"].to_string();
    assert!(said.contains("an approval that it names does not count here"), "{said}");
    // With the line that lets her approve, and nobody trusting it.
    ana.pull(&eve);
    assert_eq!(ana.status(&id), "proposed");
    assert_eq!(ana.run("trust --yes").code, 0);
    assert_eq!(ana.status(&id), "executed");
    ana.is_whole();
}

/// A clone that comes with a registry in which everything is approved.
#[test]
fn a_registry_that_a_pull_brings_is_not_the_registry() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    approve(&scene, &id, "ana");
    let registry = fs::read(scene.state().join("registry.db")).unwrap();
    fs::create_dir_all(scene.path("clone/.regreen")).unwrap();
    for file in ["src/a.py", "regreen.toml", "allowed_signers", ".regreen/repository.json"] {
        scene.write(&format!("clone/{file}"), &scene.read(&format!("ws/{file}")));
    }
    for name in ["registry.db", "dds.db", "state/registry.db"] {
        let path = scene.path(&format!("clone/.regreen/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &registry).unwrap();
    }
    let home = scene.path("home-of-ben");
    let run = |line: &str| {
        let line = format!("{line} --root clone --format json");
        scene.run_with(&line, &[("HOME", home.to_str().unwrap())], "").json()
    };
    scene.run_with("trust --yes --root clone", &[("HOME", home.to_str().unwrap())], "");
    assert_eq!(run("dds list")["records"], json!([]));
    assert_eq!(run("dds run")["reports"], json!([]));
    assert_eq!(scene.read("clone/src/a.py"), "x = 1\n");
}

/// What a tool would do, found out in one clone, is approved and written in another, to the byte.
#[test]
fn a_plan_travels_and_is_what_is_written() {
    let scene = shop();
    let fickle = "[tools.fickle]\ncommand = [\"sh\", \"-c\", \"date +x=%N > src/a.py\"]\n";
    scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + fickle));
    scene.trust();
    let (ana, ben) = two(&scene);
    let id = ana.add(&record("fickle", &["src/"]));
    ben.pull(&ana);
    let planned = ben.report(&format!("dds plan {id}"));
    assert_eq!(planned["ok"], json!(true), "{planned:#}");
    let shown = ben.report(&format!("dds show {id}"));
    ana.pull(&ben);
    // A plan that somebody changed on the way is named and left alone.
    let folder = scene.path("ws/.regreen/proposals");
    let names = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
    let plan = names.into_iter().find(|it| it.to_str().unwrap().contains(".plan-")).unwrap();
    let text = fs::read_to_string(&plan).unwrap();
    fs::write(&plan, format!("{text} ")).unwrap();
    let named = ana.report(&format!("dds show {id}"));
    assert_eq!(named["statement"]["predicate"]["patch"], Value::Null, "{named:#}");
    assert!(named["unheld"][0]["message"].as_str().unwrap().contains("it was changed"));
    fs::write(&plan, text).unwrap();
    let arrived = ana.report(&format!("dds show {id}"));
    assert_eq!(arrived["statement"], shown["statement"], "who looks elsewhere sees the same");
    assert!(arrived["statement"]["predicate"]["patch"]["sha256"].is_string(), "{arrived:#}");
    assert_eq!(ana.approve(&id)["status"], "approved");
    ben.pull(&ana);
    assert_eq!(ben.status(&id), "approved");
    assert_eq!(ana.report("dds run")["reports"][0]["status"], "success");
    assert_eq!(ben.report("dds run")["reports"][0]["status"], "success", "not yet pulled");
    assert_eq!(scene.read("ws/src/a.py"), scene.read("ben/src/a.py"), "both wrote what was frozen");
}

/// What is attached to a proposal travels with it.
#[test]
fn a_patch_travels_with_its_proposal() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    scene.write("ws/list.json", "[1, 2]\n");
    let patch = json!({
        "changeset_uid": "cs-1",
        "ops": [{ "type": "set_value", "file_uid": "path:list.json", "json_pointer": "/0", "value": 9 }]
    });
    scene.write("patch.json", &patch.to_string());
    scene.write("record.json", &record("regreen", &["list.json"]).to_string());
    let added = ana.report("dds add record.json --patch patch.json");
    let id = added["id"].as_str().unwrap();
    ben.pull(&ana);
    assert_eq!(ben.approve_with(id, "ben/key")["status"], "approved");
    assert_eq!(ben.report("dds run")["reports"][0]["status"], "success");
    assert_eq!(scene.read("ben/list.json"), "[9, 2]\n");
    // Without its patch, or with another one, it is not a proposal.
    let scene = shop();
    let (ana, ben) = two(&scene);
    scene.write("ws/list.json", "[1, 2]\n");
    scene.write("patch.json", &patch.to_string());
    scene.write("record.json", &record("regreen", &["list.json"]).to_string());
    let added = ana.report("dds add record.json --patch patch.json");
    let id = added["id"].as_str().unwrap();
    let folder = scene.path("ws/.regreen/proposals");
    let names = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path());
    let attached = names.into_iter().find(|it| it.extension().is_some_and(|it| it == "patch"));
    let attached = attached.unwrap();
    fs::write(&attached, patch.to_string().replace('9', "6")).unwrap();
    ben.pull(&ana);
    let listed = ben.report("dds list");
    assert!(listed["unheld"][0]["message"].as_str().unwrap().contains("has other bytes"));
    assert_eq!(ben.run(&format!("dds show {id}")).code, 2);
}

/// Between a look and the approval a pull puts another record under the name.
#[test]
fn a_record_that_was_swapped_after_the_look_is_not_signed() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let (hers, his) = (ana.add(&goal("Hers")), ben.add(&goal("His")));
    assert_eq!(hers, his);
    ben.approve_with(&his, "ben/key");
    let seen = ana.report(&format!("dds show {hers}"))["statement_hash"].clone();
    ana.pull(&ben);
    let line = format!("dds approve {hers} --key ana --expect {}", seen.as_str().unwrap());
    let refused = ana.run(&line);
    assert_eq!(refused.code, 1, "{}", refused.text());
    assert!(refused.text().contains("something changed since you looked"), "{}", refused.text());
    let shown = ana.report(&format!("dds show {his}"));
    assert_eq!(shown["approval"]["by"], json!(["ben@example.org"]));
}

/// Nobody has approved either: the lower hash keeps the name, in every clone.
#[test]
fn of_two_of_one_name_the_lower_hash_keeps_it() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let (hers, his) = (ana.add(&goal("Hers")), ben.add(&goal("His")));
    assert_eq!(hers, his);
    let hash = |folder: &str| {
        let names = fs::read_dir(scene.path(&format!("{folder}/.regreen/proposals"))).unwrap();
        let names = names.map(|it| it.unwrap().file_name().into_string().unwrap());
        names.into_iter().find(|it| it.starts_with(&hers)).unwrap()
    };
    let kept = if hash("ws") < hash("ben") { "Hers" } else { "His" };
    ana.pull(&ben);
    ben.pull(&ana);
    for clone in [&ana, &ben] {
        let found = clone.ids();
        let of = found.iter().find(|it| it.0 == hers).unwrap();
        assert_eq!(of.1, kept, "{}: {found:?}", clone.name);
    }
}

/// One has been carried out: it keeps the name, whoever approved the other.
#[test]
fn of_two_of_one_name_the_one_with_a_receipt_keeps_it() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let (hers, his) = (ana.add(&goal("Hers")), ben.add(&goal("His")));
    assert_eq!(hers, his);
    ana.approve(&hers);
    ana.report(&format!("dds reject {} --reason x --key ana", ana.ids()[0].0));
    assert_eq!(ana.report("dds run")["reports"][0]["status"], "success");
    ben.approve_with(&his, "ben/key");
    ben.pull(&ana);
    let found = ben.ids();
    let of = |goal: &str| found.iter().find(|it| it.1 == goal).unwrap().0.clone();
    assert_eq!(of("Hers"), hers, "{found:?}");
    assert_eq!(ben.status(&hers), "executed");
    // What had to give up the name was approved under it, and waits for a decision again.
    assert_eq!(ben.status(&of("His")), "proposed");
    assert_eq!(ben.report("dds run")["reports"], json!([]));
    ben.is_whole();
}

/// A second root with the same identity and another origin runs nothing before the user confirms it.
#[test]
fn a_copy_with_the_identity_of_another_root_runs_nothing_unasked() {
    let scene = shop();
    let ana = Person { scene: &scene, name: "ana" };
    let id = ana.add(&record("good", &["src/"]));
    assert_eq!(ana.approve(&id)["status"], "approved");
    copy(&scene.path("ws"), &scene.path("copy"));
    let run = |line: &str| scene.run(&format!("{line} --root copy"));
    for line in ["dds run", "dds list", "dds worker"] {
        let ran = run(line);
        assert_eq!(scene.read("copy/src/a.py"), "x = 1\n", "{line}: {}", ran.text());
        assert!(!ran.text().contains("executed"), "{line}: {}", ran.text());
    }
    let added = run("dds approve DDS-20260202-CODE-001 --key ana --expect sha256:0");
    assert_ne!(added.code, 0);
    assert_eq!(run("trust --yes").code, 0);
    let listed = run("dds list");
    assert!(listed.text().contains(&id), "{}", listed.text());
}
