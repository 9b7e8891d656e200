//! Patch documents that mean harm: a clear no, in bounded time, and nothing written.

use std::time::Duration;

use super::support::{SHOP, Scene};

#[track_caller]
fn check_refused(name: &str, patch: &str) {
    let scene = Scene::new(SHOP);
    scene.write("outside.yaml", "n: 1\n");
    let before = scene.tree();
    for line in ["validate -", "apply -", "convert - --to diff", "apply - --format json"] {
        let start = std::time::Instant::now();
        let ran = scene.run_with(line, &[], patch);
        assert_eq!(
            ran.code,
            1,
            "{name}: {line}: {}",
            ran.text().chars().take(2000).collect::<String>()
        );
        assert!(!ran.text().contains("panicked"), "{name}: {}", ran.text());
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{name}: {line} took {:?}",
            start.elapsed()
        );
        assert!(ran.stdout.len() + ran.stderr.len() < 1 << 20, "{name}: {line} is loud");
    }
    assert_eq!(scene.tree(), before, "{name}");
}

fn set(path: &str) -> String {
    let op = serde_json::json!({"type": "set_value", "file_uid": format!("path:{path}"), "json_pointer": "/n", "value": 2});
    serde_json::json!({"changeset_uid": "x", "ops": [op]}).to_string()
}

fn add(path: &str) -> String {
    let op = serde_json::json!({"type": "add_file", "file_uid": "new", "path": path, "content": "n: 1\n"});
    serde_json::json!({"changeset_uid": "x", "ops": [op]}).to_string()
}

/// FA-4, CS-56, CS-58, CS-59: nothing outside the root is read or written.
#[test]
fn paths_that_leave_the_root_are_refused() {
    for path in [
        "../outside.yaml",
        "/etc/passwd",
        "C:/x.yaml",
        "C:x.yaml",
        "\\\\host\\share\\x",
        "a\\..\\b.yaml",
        "a/../../outside.yaml",
        "./app.yaml",
        "a//b.yaml",
        "a/",
        "",
        ".",
        "..",
        "a\u{0}b",
        ".git/config",
        ".regreen/files.json",
    ] {
        check_refused(path, &set(path));
        check_refused(path, &add(path));
    }
}

/// CS-59, X-11: what links and special files stand in the way, and what is said of each.
#[test]
fn links_that_lead_astray_are_refused_with_the_reason() {
    let scene =
        Scene::new("//- ws/d/a.yaml\nn: 1\n//- out/s.yaml\nn: 1\n//- ws/.git/config\n[core]\n");
    for (target, link) in [
        ("../out", "ws/out"),
        ("../../out/s.yaml", "ws/d/leak.yaml"),
        ("loop2", "ws/loop1"),
        ("loop1", "ws/loop2"),
        ("nowhere", "ws/dangling.yaml"),
        ("d", "ws/dlink"),
    ] {
        std::os::unix::fs::symlink(target, scene.path(link)).unwrap();
    }
    let before = scene.tree();
    let mut told = String::new();
    let sets = [
        "out/s.yaml",
        "d/leak.yaml",
        "loop1",
        "dangling.yaml",
        "d",
        ".git/config",
        "d/a.yaml/x.yaml",
    ];
    let adds = [
        "out/new.yaml",
        "dlink/new.yaml",
        "d/a.yaml/x",
        ".git/hooks/x",
        "dangling.yaml",
        "d/A.yaml",
        ".GIT/x",
    ];
    let patches = sets.iter().map(|it| set(it)).chain(adds.iter().map(|it| add(it)));
    for patch in patches {
        let ran = scene.run_with("apply - --format json", &[], &patch);
        assert_eq!(ran.code, 1, "{}", ran.text());
        let report = ran.json();
        let message = report["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["severity"] == "error")
            .unwrap();
        told += &format!("{}: {}\n", report["failed"][0]["code"], message["message"]);
    }
    assert_eq!(scene.tree(), before);
    insta::assert_snapshot!(told);
}

/// A file that must not be replaced is a failed operation, told before anything is written, and no reason not to look.
#[test]
fn files_that_must_not_be_changed_are_failed_operations() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new("//- ws/locked.yaml\nn: 1\n//- ws/shared.yaml\nn: 1\n");
    let read_only = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(scene.path("ws/locked.yaml"), read_only).unwrap();
    std::fs::hard_link(scene.path("ws/shared.yaml"), scene.path("ws/other.yaml")).unwrap();
    let before = scene.tree();
    let mut told = String::new();
    for file in ["locked.yaml", "shared.yaml"] {
        let patch = set(file);
        for line in ["validate -", "apply -", "apply - --format json", "apply - --diff"] {
            let ran = scene.run_with(line, &[], &patch);
            assert_eq!(ran.code, 1, "{file}: {line}: {}", ran.text());
        }
        told += &scene.run_with("apply -", &[], &patch).text();
        assert_eq!(scene.run_with("convert - --to diff", &[], &patch).code, 0);
        let inside_a_build = scene.run_with("validate -", &[("REGREEN_ACTION", "1")], &patch);
        assert_eq!(inside_a_build.code, 0, "{}", inside_a_build.text());
    }
    assert_eq!(scene.tree(), before);
    insta::assert_snapshot!(told);
}

#[test]
fn documents_that_are_no_documents_are_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let bomb: String = std::iter::once("a0: &a0 [x, x]\n".to_owned())
        .chain((1..40).map(|n| format!("a{n}: &a{n} [*a{}, *a{}]\n", n - 1, n - 1)))
        .chain(["changeset_uid: *a39\n".to_owned()])
        .collect();
    for (name, patch) in [
        ("nothing", ""),
        ("a scalar", "42"),
        ("deep nesting", deep.as_str()),
        ("an alias bomb", bomb.as_str()),
        ("a NUL", "{\"changeset_uid\": \"\u{0}\"}"),
        ("duplicate members", r#"{"changeset_uid": "a", "changeset_uid": "b", "ops": []}"#),
        ("two documents", "changeset_uid: a\nops: []\n---\nchangeset_uid: b\nops: []\n"),
        ("wrong types", r#"{"changeset_uid": 1, "ops": {"type": []}}"#),
        (
            "a huge index",
            r#"{"changeset_uid": "x", "ops": [{"type": "insert_into_array", "file_uid": "path:app.yaml", "json_pointer": "/modules", "index": 99999999999999999999, "value": 1}]}"#,
        ),
        (
            "an escape in a name",
            "{\"changeset_uid\": \"x\", \"ops\": [{\"type\": \"\\u001b[31m\", \"file_uid\": \"\\u001b[2J\"}]}",
        ),
    ] {
        check_refused(name, patch);
    }
}

/// No name or content of a patch document or file reaches the terminal as a control sequence.
#[test]
fn nothing_in_a_patch_talks_to_the_terminal() {
    let scene = Scene::new(SHOP);
    let patch = "{\"changeset_uid\": \"x\", \"ops\": [{\"type\": \"set_value\", \"file_uid\": \"path:\\u001b[31mx\", \"json_pointer\": \"/\\u001b]0;x\\u0007\", \"value\": 1, \"\\u001b[2J\": 1}]}";
    for line in ["validate -", "validate - -v", "validate - --format json", "convert - --to diff"] {
        let ran = scene.run_with(line, &[], patch);
        assert!(!ran.text().contains('\u{1b}'), "{line}: {:?}", ran.text());
    }
}

/// A patch document with very many operations is a question of time, not of the stack.
#[test]
fn very_many_operations_are_fine() {
    let scene = Scene::new(SHOP);
    let ops: Vec<String> = (0..20_000)
        .map(|n| format!(r#"{{"type":"set_value","file_uid":"path:app.yaml","json_pointer":"/k{n}","value":{n}}}"#))
        .collect();
    let patch = format!(r#"{{"changeset_uid":"many","ops":[{}]}}"#, ops.join(","));
    let ran = scene.run_with("apply -", &[], &patch);
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(
        ran.stdout.lines().count() < 100,
        "the text stays short: {} lines",
        ran.stdout.lines().count()
    );
}

/// A patch document with very many actions that all fail is reported in full to programs and in short to people.
#[test]
fn very_many_failures_are_fine() {
    let scene = Scene::new(SHOP);
    let action = |n: usize| {
        let file = if n.is_multiple_of(2) { ".git/config" } else { "missing.yaml" };
        format!(
            r#"{{"id":"A{n}","title":"t","severity":"error","targets":[{{"file":"{file}","json_pointer":"/n","rule_id":"R"}}],"ops":[{{"op":"replace_value","file":"{file}","json_pointer":"/n","value":1}}]}}"#
        )
    };
    let actions: Vec<String> = (0..10_000).map(action).collect();
    let patch = format!(
        r#"{{"pack_version":"1","workspace_root":".","fix_actions":[{}]}}"#,
        actions.join(",")
    );
    let ran = scene.run_with("validate - --format json", &[], &patch);
    assert_eq!(ran.code, 1);
    assert_eq!(ran.json()["failed"].as_array().unwrap().len(), 10_000);
    let ran = scene.run_with("validate -", &[], &patch);
    assert!(
        ran.stdout.lines().count() < 400,
        "the text stays short: {} lines",
        ran.stdout.lines().count()
    );
}
