//! Proposals from the command line: stored, decided, carried out, checked.

use std::fs;

use serde_json::{Value, json};

use super::red::RED;
use super::support::{Scene, on_a_terminal, write_key};

const SHOP: &str = r#"
//- ws/src/a.py
x = 1
//- ws/.github/workflows/ci.yml
on: push
//- ws/regreen.toml
[tools.good]
command = ["sh", "-c", "echo 'x = 2' > src/a.py"]
[tools.bad]
command = ["sh", "-c", "echo 'src/a.py:1: it broke' >&2; exit 1"]
[tools.ci]
command = ["sh", "-c", "echo 'on: pull_request' > .github/workflows/ci.yml"]
"#;

/// A workspace in which two people may approve.
pub(crate) fn shop() -> Scene {
    furnished(Scene::new(SHOP))
}

/// The same with its registry at that place.
#[cfg(feature = "live")]
pub(crate) fn shop_at(registry: &str) -> Scene {
    furnished(Scene::new(SHOP).with_variable("REGREEN_REGISTRY", registry))
}

fn furnished(scene: Scene) -> Scene {
    for name in ["ana", "ben", "eve"] {
        write_key(&scene.path(name));
    }
    for name in ["ana", "ben"] {
        let ran = scene.run(&format!("dds init-signing --key {name}.pub --as {name}@example.org"));
        assert_eq!(ran.code, 0, "{}", ran.text());
    }
    scene.trust();
    scene
}

pub(crate) fn record(tool: &str, paths: &[&str]) -> Value {
    json!({
        "version": 2, "type": "code_change", "project": "shop", "goal": "Make x two",
        "instructions": ["Change the number"], "allowed_paths": paths, "tool": tool,
        "constraints": { "max_files_changed": 1, "no_new_dependencies": true }, "status": "proposed"
    })
}

/// Runs the command for its JSON report, which fits its schema.
#[track_caller]
pub(crate) fn report(scene: &Scene, line: &str) -> Value {
    let ran = scene.run(&format!("{line} --format json"));
    let report = ran.json();
    let schema = scene.run("schema dds-report").json();
    let errors: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&report)
        .map(|it| it.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?} in {report:#}");
    assert_eq!(report["ok"], json!(ran.code == 0), "{}", ran.text());
    report
}

/// Stores a proposal, and gives its id.
#[track_caller]
pub(crate) fn add(scene: &Scene, record: &Value) -> String {
    scene.write("record.json", &record.to_string());
    report(scene, "dds add record.json")["id"].as_str().unwrap().to_owned()
}

/// The line that approves what `show` shows now.
#[track_caller]
pub(crate) fn approving(scene: &Scene, id: &str, key: &str) -> String {
    let hash = report(scene, &format!("dds show {id}"))["statement_hash"].clone();
    let hash = hash.as_str().unwrap_or("sha256:none").to_owned();
    format!("dds approve {id} --key {key} --expect {hash}")
}

/// The only file with what somebody said about the record.
#[track_caller]
pub(crate) fn approval_file(scene: &Scene, id: &str) -> String {
    let folder = format!("ws/.regreen/approvals/{id}");
    let mut names = fs::read_dir(scene.path(&folder)).unwrap();
    let name = names.next().unwrap().unwrap().file_name();
    assert!(names.next().is_none(), "one person said something");
    format!("{folder}/{}", name.to_str().unwrap())
}

/// Approves what `show` shows now, with that key.
#[track_caller]
pub(crate) fn approve(scene: &Scene, id: &str, key: &str) -> Value {
    report(scene, &approving(scene, id, key))
}

#[track_caller]
pub(crate) fn status(scene: &Scene, id: &str) -> String {
    report(scene, &format!("dds show {id}"))["record"]["status"].as_str().unwrap().to_owned()
}

/// DF-34, DF-39..DF-42: the whole life of a change that fails and of its correction.
#[test]
fn a_failure_is_corrected_by_an_approved_proposal() {
    let scene = shop();
    let id = add(&scene, &record("bad", &["src/"]));
    assert_eq!(
        report(&scene, "dds run")["reports"],
        json!([]),
        "nothing runs that nobody approved"
    );
    let approved = approve(&scene, &id, "ana");
    assert_eq!(approved["status"], "approved");
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "failed");
    assert_eq!(status(&scene, &id), "failed");
    assert_eq!(scene.read("ws/src/a.py"), "x = 1\n");

    let work = report(&scene, "dds worker");
    let fix = work["proposed"].as_str().unwrap();
    assert_eq!(work["source"], json!(id));
    let shown = report(&scene, &format!("dds show {fix}"));
    assert_eq!(shown["record"]["allowed_paths"], json!(["src/a.py"]), "DF-47");
    assert_eq!(shown["record"]["error_context"]["original_dds"], json!(id), "DF-48");
    assert_eq!(report(&scene, &format!("dds show {id}"))["correction"], json!(fix));
    assert_eq!(report(&scene, "dds worker")["proposed"], Value::Null, "only one correction");

    // The tool learns its lesson, and the correction is carried out like any other record.
    let config = scene
        .read("ws/regreen.toml")
        .replace("[tools.bad]", "[tools.worse]")
        .replace("[tools.good]", "[tools.bad]");
    scene.write("ws/regreen.toml", &config);
    scene.trust();
    approve(&scene, fix, "ben");
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "success", "{ran:#}");
    assert_eq!(scene.read("ws/src/a.py"), "x = 2\n");
    assert_eq!(status(&scene, fix), "executed");
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
    assert_eq!(scene.run("undo").code, 0);
    assert_eq!(scene.read("ws/src/a.py"), "x = 1\n");
}

/// Who only asks leaves no trace.
#[test]
fn questions_write_nothing_where_nobody_has_proposed_anything() {
    let scene = Scene::new(SHOP);
    let before = scene.tree();
    assert_eq!(report(&scene, "dds list")["records"], json!([]));
    assert_eq!(report(&scene, "dds verify")["ok"], json!(true));
    assert_eq!(scene.run("dds show DDS-1").code, 2);
    let asked = scene.run_with("dds list", &[("REGREEN_ACTION", "1")], "");
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "There are no proposals.\n"));
    assert_eq!(scene.run_with("dds worker", &[("REGREEN_ACTION", "1")], "").code, 3);
    assert_eq!(scene.tree(), before);
}

/// X-32, DF-46: the failure of a correction is for a person to look at.
#[test]
fn a_correction_that_fails_ends_the_chain() {
    let scene = shop();
    let id = add(&scene, &record("bad", &["src/"]));
    approve(&scene, &id, "ana");
    report(&scene, "dds run");
    let fix = report(&scene, "dds worker")["proposed"].as_str().unwrap().to_owned();
    approve(&scene, &fix, "ana");
    report(&scene, "dds run");
    assert_eq!(status(&scene, &fix), "failed");
    assert_eq!(report(&scene, "dds worker")["proposed"], Value::Null);
}

/// DF-43, DF-44: what is over stays over.
#[test]
fn a_rejection_is_final() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    // Nobody says no without a proof of who it is.
    assert_eq!(scene.run(&format!("dds reject {id} --reason no")).code, 2);
    assert_eq!(scene.run(&format!("dds reject {id} --reason no --key eve")).code, 1);
    let ci = [("GITLAB_CI", "true")];
    assert_eq!(scene.run_with(&format!("dds reject {id} --reason no --key ana"), &ci, "").code, 2);
    assert_eq!(status(&scene, &id), "proposed");
    report(&scene, &format!("dds reject {id} --reason no --key ana"));
    for line in ["approve ID --key ana --expect sha256:0", "reject ID --reason again --key ana"] {
        let refused = scene.run(&format!("dds {} --format json", line.replace("ID", &id)));
        assert_eq!(refused.code, 1, "{}", refused.text());
        assert_eq!(refused.json()["status"], "rejected");
    }
    let history = report(&scene, &format!("dds show {id}"))["history"].clone();
    let refused = history.as_array().unwrap().iter().filter(|it| it["to"].is_null()).count();
    assert_eq!(refused, 2, "every attempt is in the trail: {history:#}");
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
    assert_eq!(report(&scene, "dds run")["reports"], json!([]));
    let said: Value = serde_json::from_str(&scene.read(&approval_file(&scene, &id))).unwrap();
    assert_eq!(said["statement"]["predicate"]["reason"], "no");
}

#[test]
fn only_a_person_with_a_key_that_is_allowed_approves() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    let refused = scene.run(&approving(&scene, &id, "eve"));
    assert_eq!(refused.code, 1, "{}", refused.text());
    assert!(refused.stdout.contains("is not allowed to approve"), "{}", refused.text());
    // No key is picked silently, and nobody can type without a terminal.
    let refused = scene.run(&format!("dds approve {id}"));
    assert_eq!(refused.code, 2, "{}", refused.text());
    // Nobody is there to decide anything in a CI job or a build.
    for variable in [
        ("CI", "true"),
        ("GITHUB_ACTIONS", "true"),
        ("GITLAB_CI", "true"),
        ("JENKINS_URL", "http://localhost/"),
        ("TF_BUILD", "True"),
        ("BUILDKITE", "true"),
        ("TEAMCITY_VERSION", "2026.1"),
        ("REGREEN_ACTION", "1"),
    ] {
        let refused = scene.run_with(&approving(&scene, &id, "ana"), &[variable], "");
        assert_ne!(refused.code, 0, "{}", refused.text());
    }
    assert_eq!(status(&scene, &id), "proposed");
}

/// What `ssh-keygen -Y sign` writes, made by the library.
pub(crate) fn sign(scene: &Scene, key: &str, namespace: &str, bytes: &[u8]) {
    let key = ssh_key::PrivateKey::read_openssh_file(&scene.path(key)).unwrap();
    let signature = key.sign(namespace, ssh_key::HashAlg::Sha512, bytes).unwrap();
    scene.write("signature", &signature.to_pem(ssh_key::LineEnding::LF).unwrap());
}

pub(crate) fn printed(scene: &Scene, id: &str) -> Vec<u8> {
    let output = scene.command(&format!("dds approve {id} --print"), &[]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn a_signature_that_was_made_elsewhere_approves_what_it_signed() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    let other = add(&scene, &record("ci", &[".github/workflows/ci.yml"]));
    let before = scene.tree();
    let bytes = printed(&scene, &id);
    let read: Value = serde_json::from_slice(&bytes).unwrap();
    let said = &read["predicate"];
    assert_eq!((&said["record"]["id"], &said["patch"]), (&json!(id), &Value::Null));
    assert_eq!(said["record"]["status"], Value::Null, "it is not signed");
    // To print is to ask: also where nobody may decide, and without a trace. A build has no state to ask.
    let line = format!("dds approve {id} --print");
    assert_eq!(scene.run_with(&line, &[("CI", "true")], "").code, 0);
    assert_eq!(scene.run_with(&line, &[("REGREEN_ACTION", "1")], "").code, 2);
    assert_eq!(scene.tree(), before);
    for extra in ["--key ana", "--git-key", "--as ana@example.org", "--signature signature"] {
        assert_eq!(scene.run(&format!("{line} {extra}")).code, 2, "{extra}");
    }
    assert_eq!(scene.run("dds approve DDS-1 --print").code, 2);

    let cases: [(&str, &str, &[u8], &str); 4] = [
        ("eve", "regreen-dds", &bytes, "is not allowed to approve"),
        ("ana", "git", &bytes, "not for \"regreen-dds\""),
        ("ana", "regreen-dds", &printed(&scene, &other), "is not one of these bytes"),
        ("ana", "regreen-dds", b"", "is not one of these bytes"),
    ];
    let line = format!("dds approve {id} --signature signature");
    for (key, namespace, signed, because) in cases {
        sign(&scene, key, namespace, signed);
        let refused = scene.run(&line);
        assert_eq!(refused.code, 1, "{}", refused.text());
        assert!(refused.stdout.contains(because), "{}", refused.text());
    }
    for text in ["", "nonsense", "-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----\n"] {
        scene.write("signature", text);
        let refused = scene.run(&line);
        assert!(refused.stdout.contains("this is not an SSH signature"), "{}", refused.text());
    }
    assert_eq!(scene.run(&format!("dds approve {id} --signature nothing")).code, 3);
    sign(&scene, "ana", "regreen-dds", &bytes);
    assert_eq!(scene.run_with(&line, &[("CI", "true")], "").code, 2, "a CI job is nobody");
    assert_eq!(scene.run(&format!("{line} --as ben@example.org")).code, 1, "the name is ana's");
    assert_eq!(status(&scene, &id), "proposed");
    let signature = scene.read("signature");
    let approved = scene.run_with(&format!("dds approve {id} --signature -"), &[], &signature);
    assert_eq!(approved.code, 0, "{}", approved.text());
    assert_eq!(printed(&scene, &id), bytes, "an approved record has the same bytes");
    assert_eq!(scene.run(&line).code, 0, "who signs once more says the same");
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");

    // What is protected needs two people, wherever they sign.
    let bytes = printed(&scene, &other);
    sign(&scene, "ana", "regreen-dds", &bytes);
    let line = format!("dds approve {other} --signature signature");
    for _ in 0..2 {
        let first = scene.run(&line);
        assert_eq!(first.code, 1, "{}", first.text());
        assert!(first.stdout.contains("two different people"), "{}", first.text());
    }
    sign(&scene, "ben", "regreen-dds", &bytes);
    assert_eq!(report(&scene, &line)["status"], "approved");
}

/// The three lines of the guide, with the real ssh-keygen.
#[cfg(feature = "live")]
#[test]
fn ssh_keygen_signs_what_is_printed() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    fs::write(scene.path("approve.bin"), printed(&scene, &id)).unwrap();
    let key = scene.path("ana");
    let signed = std::process::Command::new("ssh-keygen")
        .args(["-q", "-Y", "sign", "-n", "regreen-dds", "-f"])
        .args([&key, &scene.path("approve.bin")])
        .status()
        .expect("openssh-client is installed");
    assert!(signed.success());
    let approved = report(&scene, &format!("dds approve {id} --signature approve.bin.sig"));
    assert_eq!(approved["status"], "approved");
    // And the other way round: ssh-keygen verifies what regreen stored.
    let document = scene.read(&approval_file(&scene, &id));
    let document: Value = serde_json::from_str(&document).unwrap();
    scene.write("stored.sig", document["signatures"][0]["signature"].as_str().unwrap());
    let verified = std::process::Command::new("ssh-keygen")
        .args(["-Y", "verify", "-n", "regreen-dds", "-I", "ana@example.org", "-f"])
        .arg(scene.path("ws/allowed_signers"))
        .arg("-s")
        .arg(scene.path("stored.sig"))
        .stdin(fs::File::open(scene.path("approve.bin")).unwrap())
        .output()
        .unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}

#[test]
fn without_a_key_the_id_is_typed_and_a_policy_can_forbid_that() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    let line = format!("dds approve {id}");
    // X-75: keys may sign here, so a typed word needs the policy's permission by name.
    let (shown, code) = on_a_terminal(&scene, "to approve: ", &line, &[&id]);
    assert_eq!(code, Some(1), "{shown}");
    assert!(shown.contains("requires a signature"), "{shown}");
    let before = scene.read("ws/regreen.toml");
    scene.write("ws/regreen.toml", &format!("{before}[govern]\nallow_unsigned = true\n"));
    let (shown, code) = on_a_terminal(&scene, "to approve: ", &line, &[&id]);
    assert_eq!(code, Some(1), "a table that nobody trusts permits nothing: {shown}");
    scene.trust();
    let (shown, code) = on_a_terminal(&scene, "to approve: ", &line, &["yes"]);
    assert_eq!(code, Some(1), "{shown}");
    let (shown, code) = on_a_terminal(&scene, "to approve: ", &line, &[&id]);
    assert_eq!(code, Some(0), "{shown}");
    let approval = report(&scene, &format!("dds show {id}"))["approval"].clone();
    assert_eq!((&approval["holds"], &approval["signed"]), (&json!(true), &json!(false)));
    // A policy that comes later voids it before it runs.
    scene.write("ws/regreen.toml", &format!("{before}[govern]\nrequire_signature = true\n"));
    scene.trust();
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "refused", "{ran:#}");
    assert_eq!(status(&scene, &id), "approved", "a refusal is not a failure");
    let id = add(&scene, &record("good", &["src/"]));
    let (shown, code) = on_a_terminal(&scene, "to approve: ", &format!("dds approve {id}"), &[&id]);
    assert_eq!(code, Some(1), "{shown}");
    assert_eq!(scene.read("ws/src/a.py"), "x = 1\n");
}

/// What governs proposals and what runs continuous integration needs two people.
#[test]
fn a_second_person_signs_what_is_protected() {
    let scene = shop();
    let id = add(&scene, &record("ci", &[".github/workflows/ci.yml"]));
    for _ in 0..2 {
        let first = scene.run(&approving(&scene, &id, "ana"));
        assert_eq!(first.code, 1, "{}", first.text());
        assert!(first.stdout.contains("two different people"), "{}", first.text());
    }
    assert_eq!(status(&scene, &id), "proposed");
    assert_eq!(approve(&scene, &id, "ben")["status"], "approved");
    assert_eq!(report(&scene, "dds run")["reports"][0]["status"], "success");
    assert_eq!(scene.read("ws/.github/workflows/ci.yml"), "on: pull_request\n");
    for path in [".regreen/", ".git/hooks/x", "regreen.toml", "allowed_signers"] {
        let id = add(&scene, &record("good", &[path]));
        assert_eq!(scene.run(&approving(&scene, &id, "ana")).code, 1, "{path}");
        let second = scene.run(&approving(&scene, &id, "ben")).code;
        assert_eq!(
            second == 0,
            !path.starts_with(".git") && !path.starts_with(".regreen"),
            "{path}"
        );
    }
}

/// Changing a word of the approval, the record or the trail is found, with its place.
#[test]
fn what_was_tampered_with_is_found_and_does_not_run() {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    approve(&scene, &id, "ana");
    let file = approval_file(&scene, &id);
    let text = scene.read(&file);
    for (from, to) in
        [("ana@example.org", "ben@example.org"), ("sha256:", "sha256:0"), ("SSH SIG", "SSH SIH")]
    {
        assert!(text.contains(from), "{text}");
        scene.write(&file, &text.replacen(from, to, 1));
        let verified = report(&scene, "dds verify");
        let problems = verified["problems"].as_array().unwrap();
        assert!(
            problems.iter().any(|it| it["place"].as_str().unwrap().contains(&id)),
            "{verified:#}"
        );
    }
    fs::remove_file(scene.path(&file)).unwrap();
    assert_eq!(report(&scene, "dds verify")["ok"], json!(false));
    // X-114: as long as her file says something that does not hold, nothing runs; with it as it was, or gone, it does.
    scene.write(&file, &text.replacen("ana@example.org", "ben@example.org", 1));
    let ran = report(&scene, "dds run");
    assert!(ran["unheld"][0]["place"].as_str().unwrap().contains(&id), "{ran:#}");
    assert_eq!(ran["reports"][0]["status"], "refused", "{ran:#}");
    let because = ran["reports"][0]["error_message"].as_str().unwrap();
    assert!(because.contains("is not what was approved"), "{because}");
    assert_eq!(status(&scene, &id), "approved");
    // A file that somebody else put beside hers takes nothing from her word.
    scene.write(&file, &text);
    let beside = file.replace("ana@", "eve@");
    scene.write(&beside, &text.replace("ana@example.org", "eve@example.org"));
    let ran = report(&scene, "dds run");
    assert!(ran["unheld"][0]["place"].as_str().unwrap().contains("eve@"), "{ran:#}");
    assert_eq!(ran["reports"][0]["status"], "success", "{ran:#}");
}

/// All faults at once, each with its place (DF-32).
#[test]
fn a_proposal_with_faults_is_refused_with_all_of_them() {
    let scene = shop();
    let mut bad = record("good", &["../etc", "src/"]);
    bad["status"] = json!("approved");
    bad["version"] = json!("2");
    bad["colour"] = json!("red");
    scene.write("record.json", &bad.to_string());
    let refused = scene.run("dds add record.json");
    assert_eq!(refused.code, 1);
    insta::assert_snapshot!(refused.stdout);
    scene.write("record.json", "{");
    assert_eq!(scene.run("dds add record.json").code, 1);
    assert_eq!(scene.run("dds add nothing.json").code, 3);
    assert_eq!(scene.run("dds show DDS-1").code, 2);
}

/// What `fix` may not do becomes a proposal, is approved, and lands on exactly the bytes that it was made for.
#[test]
fn a_repair_that_needs_approval_is_proposed_approved_and_made() {
    let scene = Scene::new(RED);
    write_key(&scene.path("ana"));
    assert_eq!(scene.run("dds init-signing --key ana.pub --as ana@example.org").code, 0);
    scene.trust();
    let told = scene.run("fix --propose").stderr;
    assert!(told.contains("Proposed DDS-"), "{told}");
    assert!(
        scene.run("fix --propose").stderr.contains("waits already"),
        "nothing is proposed twice"
    );
    let list = report(&scene, "dds list --status proposed");
    let records = list["records"].as_array().unwrap();
    assert!(!records.is_empty());
    let id = records[0]["record"]["id"].as_str().unwrap();
    let shown = report(&scene, &format!("dds show {id}"));
    assert!(shown["diff"].as_str().unwrap().contains("@@"), "{shown:#}");
    assert_eq!(shown["record"]["tool"], "regreen");
    approve(&scene, id, "ana");
    let path = shown["record"]["allowed_paths"][0].as_str().unwrap();
    let before = scene.read(&format!("ws/{path}"));
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "success", "{ran:#}");
    assert_ne!(scene.read(&format!("ws/{path}")), before);
}

#[test]
fn a_repair_whose_file_changed_is_refused_as_stale() {
    let scene = Scene::new(RED);
    write_key(&scene.path("ana"));
    scene.run("dds init-signing --key ana.pub --as ana@example.org");
    scene.trust();
    scene.run("fix --propose");
    let list = report(&scene, "dds list --status proposed");
    let record = list["records"][0]["record"].clone();
    let (id, path) = (record["id"].as_str().unwrap(), record["allowed_paths"][0].as_str().unwrap());
    approve(&scene, id, "ana");
    let changed = format!("{}\n", scene.read(&format!("ws/{path}")));
    scene.write(&format!("ws/{path}"), &changed);
    let ran = report(&scene, "dds run");
    assert_eq!(ran["reports"][0]["status"], "refused", "{ran:#}");
    assert_eq!(scene.read(&format!("ws/{path}")), changed);
    // There is nothing that the built-in tool could do differently: `fix --propose` proposes anew.
    assert_eq!(report(&scene, "dds worker")["proposed"], Value::Null);
    assert!(scene.run("fix --propose").stderr.contains("Proposed DDS-"));
}

/// Every record is carried out once, however many processes carry out.
#[test]
fn many_processes_carry_out_each_record_once() {
    let scene = shop();
    let config = scene.read("ws/regreen.toml")
        + "[tools.name]\ncommand = [\"sh\", \"-c\", \"echo $REGREEN_DDS > src/$REGREEN_DDS\"]\n";
    scene.write("ws/regreen.toml", &config);
    scene.trust();
    let ids: Vec<String> = (0..6).map(|_| add(&scene, &record("name", &["src/"]))).collect();
    for id in &ids {
        approve(&scene, id, "ana");
    }
    let runs: Vec<_> = (0..4)
        .map(|_| {
            let mut command = scene.command("dds run --format json", &[("PATH", "/usr/bin:/bin")]);
            command
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut carried_out: Vec<String> = Vec::new();
    for run in runs {
        let report: Value =
            serde_json::from_slice(&run.wait_with_output().unwrap().stdout).unwrap();
        for it in report["reports"].as_array().unwrap() {
            assert_eq!(it["status"], "success", "{it:#}");
            carried_out.push(it["dds_id"].as_str().unwrap().to_owned());
        }
    }
    carried_out.sort();
    assert_eq!(carried_out, ids);
    for id in &ids {
        assert_eq!(scene.read(&format!("ws/src/{id}")), format!("{id}\n"));
    }
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
}

/// Import and export are lossless, and nothing comes in approved.
#[test]
fn records_travel_between_workspaces() {
    let scene = shop();
    let mut first = record("good", &["src/"]);
    first["x_ticket"] = json!({ "n": 17, "tags": ["a"] });
    let done = add(&scene, &first);
    approve(&scene, &done, "ana");
    report(&scene, "dds run");
    let open = add(&scene, &record("good", &["src/"]));
    approve(&scene, &open, "ana");
    assert_eq!(report(&scene, "dds export out")["records"], 2);
    fs::create_dir(scene.path("other")).unwrap();
    let line = "dds import out/dds.json --reports out/reports.json --root other";
    let imported = report(&scene, line);
    assert_eq!((&imported["records"], &imported["reports"]), (&json!(2), &json!(1)));
    assert!(imported["notes"][0].as_str().unwrap().contains(&open));
    assert_eq!(report(&scene, "dds run --root other")["reports"], json!([]));
    report(&scene, "dds export again --root other");
    let read = |path: &str| -> Value { serde_json::from_str(&scene.read(path)).unwrap() };
    let (mut before, after) = (read("out/dds.json"), read("again/dds.json"));
    before["proposals"][1]["status"] = json!("proposed");
    assert_eq!(before.to_string(), after.to_string());
    assert_eq!(scene.read("out/reports.json"), scene.read("again/reports.json"));
    // An id that exists is refused, also with equal bytes (X-29).
    assert_eq!(scene.run(line).code, 1);
}
