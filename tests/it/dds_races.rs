//! Many who decide at the same moment, and many who carry out what changes one file. The same runs on a server
//! in `dds_postgres`.

use std::process::{Child, Output, Stdio};

use serde_json::json;

use super::dds::{add, approve, approving, record, report, shop, status};
use super::support::{Scene, write_key};

/// Starts all of them before it waits for one.
pub(crate) fn at_once(scene: &Scene, lines: &[String]) -> Vec<Output> {
    let start = |line: &String| -> Child {
        let mut command = scene.command(line, &[]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<Child> = lines.iter().map(start).collect();
    children.into_iter().map(|it| it.wait_with_output().unwrap()).collect()
}

/// Two who sign at the same moment both count, and so do sixty-four.
pub(crate) fn approvals_at_the_same_moment_all_count(scene: &Scene) {
    const N_PEOPLE: usize = 64;
    let names: Vec<String> = (0..N_PEOPLE).map(|n| format!("p{n}")).collect();
    let mut signers = scene.read("ws/allowed_signers");
    for name in &names {
        write_key(&scene.path(name));
        signers += &format!("{name}@example.org {}", scene.read(&format!("{name}.pub")));
    }
    scene.write("ws/allowed_signers", &signers);
    scene.trust();
    let id = add(scene, &record("ci", &[".github/workflows/ci.yml"]));
    let line = approving(scene, &id, "KEY");
    let lines: Vec<String> = names.iter().map(|it| line.replace("KEY", it)).collect();
    let outputs = at_once(scene, &lines);
    // The first one waits for a second; all the others complete it or add to it.
    let codes: Vec<Option<i32>> = outputs.iter().map(|it| it.status.code()).collect();
    let n_waiting = codes.iter().filter(|it| **it == Some(1)).count();
    let said = || outputs.iter().map(|it| String::from_utf8_lossy(&it.stdout)).collect::<String>();
    assert_eq!(n_waiting, 1, "{}", said());
    assert!(codes.iter().all(|it| [Some(0), Some(1)].contains(it)), "{}", said());
    let shown = report(scene, &format!("dds show {id}"));
    assert_eq!(shown["record"]["status"], "approved");
    assert_eq!(shown["approval"]["holds"], json!(true), "{:#}", shown["approval"]);
    assert_eq!(shown["approval"]["by"].as_array().unwrap().len(), N_PEOPLE);
    let files = std::fs::read_dir(scene.path(&format!("ws/.regreen/approvals/{id}"))).unwrap();
    assert_eq!(files.count(), N_PEOPLE);
    assert_eq!(report(scene, "dds verify")["problems"], json!([]));
    assert_eq!(report(scene, "dds run")["reports"][0]["status"], "success");
}

/// As many records on one file as processes that carry them out: each lands once, or stays approved.
pub(crate) fn executors_that_race_on_one_file_lose_nothing(scene: &Scene) {
    const N_RECORDS: usize = 24;
    let tool = "[tools.append]\ncommand = [\"sh\", \"-c\", \"echo $REGREEN_DDS >> src/a.py\"]\n";
    scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + tool));
    scene.trust();
    let ids: Vec<String> =
        (0..N_RECORDS).map(|_| add(scene, &record("append", &["src/"]))).collect();
    for id in &ids {
        assert_eq!(approve(scene, id, "ana")["status"], "approved");
    }
    let lines = vec!["dds run --quiet".to_owned(); N_RECORDS];
    let check = || {
        let text = scene.read("ws/src/a.py");
        let mut n_landed = 0;
        for id in &ids {
            let n = text.lines().filter(|it| it == id).count();
            match status(scene, id).as_str() {
                "executed" => assert_eq!(n, 1, "{id}: {text}"),
                "approved" => assert_eq!(n, 0, "{id}: {text}"),
                other => panic!("{id} is {other}"),
            }
            n_landed += n;
        }
        n_landed
    };
    at_once(scene, &lines);
    assert!(check() > 0, "somebody is first");
    // Whoever runs alone finds nobody in the way.
    assert_eq!(report(scene, "dds run")["refused"], json!(0));
    assert_eq!(check(), N_RECORDS);
    assert_eq!(report(scene, "dds verify")["problems"], json!([]));
}

#[test]
fn sixty_four_approvals_at_once_all_count() {
    approvals_at_the_same_moment_all_count(&shop());
}

#[test]
fn twenty_four_executors_on_one_file_lose_nothing() {
    executors_that_race_on_one_file_lose_nothing(&shop());
}
