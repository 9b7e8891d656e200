//! `check` and `plan`: what is found, what limits it, and that nothing is written.

use std::fs;

use protocol::v1;
use service::SessionAccess;

use super::setting::{SHOP, Setting, at, check_at, files, lines};

const FOUND: [&str; 3] = [
    "shop.yaml /mode error SCHEMA_ENUM",
    "shop.yaml /port error SCHEMA_TYPE",
    "worker.yaml /region error SCHEMA_REQUIRED",
];

/// AE-25, AE-46, RS-59, X-21: diagnostics and proposals, with what they refer to.
#[test]
fn a_check_finds_what_is_wrong_and_says_what_would_repair_it() {
    let setting = Setting::new(SHOP);
    let reply = setting.check(&v1::Check::default());
    let report = &reply.report;
    assert_eq!(lines(&report.diagnostics), FOUND);
    assert!(!report.ok);
    let summary = &report.summary;
    assert_eq!((summary.error, summary.fixable, summary.pending), (3, 3, 2));
    for repair in &report.repairs {
        let resolved = &repair.expected_delta.diagnostics_resolved;
        assert!(
            report
                .diagnostics
                .iter()
                .any(|it| resolved.contains(&it.diagnostic_id)
                    && it.repair_refs.contains(&repair.id))
        );
        let preview = reply.previews.get(&repair.id, &mut service::PreviewBudget::default());
        let preview = preview.unwrap();
        assert!(!preview.edits.is_empty() && preview.changes.iter().all(|it| !it.diff.is_empty()));
    }
    assert_eq!(reply.frames.sources.keys().collect::<Vec<_>>(), ["shop.yaml", "worker.yaml"]);
}

/// AE-7, AE-26, RS-44: not a byte and not a time of change, `.regreen` included.
#[test]
fn check_and_plan_leave_the_tree_untouched() {
    let setting = Setting::new(SHOP);
    let before = setting.state();
    let request = v1::Check {
        strict: true,
        with_fix_actions: true,
        with_diffs: true,
        ..v1::Check::default()
    };
    setting.check(&request);
    let plan = v1::Plan { with_diffs: true, ..v1::Plan::default() };
    service::plan(&setting.session(), &plan, &mut |_| {}).unwrap();
    setting.fix(&v1::Fix { dry_run: true, ..v1::Fix::default() });
    assert_eq!(setting.state(), before);
}

/// AE-52, AE-56: where nothing may be written, checking works and writes nothing.
#[test]
fn a_check_works_where_nothing_may_be_written() {
    let setting = Setting::new(SHOP);
    let before = setting.state();
    let session = setting.session_to(SessionAccess::Build);
    let reply = service::check(&session, &v1::Check::default(), &mut |_| {}).unwrap();
    assert_eq!(lines(&reply.report.diagnostics), FOUND);
    let baseline = v1::Check { write_baseline: true, ..v1::Check::default() };
    let failure = service::check(&session, &baseline, &mut |_| {}).unwrap_err();
    assert_eq!(failure.code(), "action_mode");
    assert_eq!(setting.state(), before);
}

#[track_caller]
fn limited(look: v1::LookRequest, expected: &[&str]) {
    let setting = Setting::new(SHOP);
    let reply = setting.check(&v1::Check { look, ..v1::Check::default() });
    assert_eq!(lines(&reply.report.diagnostics), expected);
    assert_eq!(reply.report.ok, expected.is_empty());
}

#[test]
fn paths_rules_sources_and_tiers_limit_what_is_reported() {
    let strings = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let none = v1::LookRequest::default;
    limited(at(&["shop.yaml"]), &FOUND[..2]);
    limited(at(&["schemas", "api.yaml"]), &[]);
    limited(v1::LookRequest { only: strings(&["SCHEMA_REQUIRED"]), ..none() }, &FOUND[2..]);
    limited(v1::LookRequest { sources: strings(&["schema"]), ..none() }, &FOUND);
    limited(v1::LookRequest { sources: strings(&["regreen"]), ..none() }, &[]);
    limited(v1::LookRequest { tiers: vec![v1::Tier::Schema], ..none() }, &FOUND);
    limited(v1::LookRequest { tiers: vec![v1::Tier::Semantic], ..none() }, &[]);
    let changed = |list: &[&str]| v1::LookRequest { changed: Some(strings(list)), ..none() };
    limited(changed(&["worker.yaml", "gone.yaml"]), &FOUND[2..]);
    limited(changed(&[]), &[]);
    limited(v1::LookRequest { paths: strings(&["shop.yaml"]), ..changed(&["worker.yaml"]) }, &[]);
}

/// A name that nothing has would make every check green, so that it is a failure of its own.
#[test]
fn names_that_nothing_has_are_usage_failures() {
    let setting = Setting::new(SHOP);
    let look = v1::LookRequest::default;
    for (look, part) in [
        (at(&["shp.yaml"]), "no file or folder shp.yaml"),
        (at(&["../x"]), ".."),
        (at(&[".regreen/x"]), ".regreen"),
        (
            v1::LookRequest { only: vec!["SCHEMA_ENUMS".into()], ..look() },
            "did you mean `SCHEMA_ENUM`?",
        ),
        (v1::LookRequest { sources: vec!["shcema".into()], ..look() }, "did you mean `schema`?"),
        (v1::LookRequest { allow: vec!["r_12".into()], ..look() }, "12 hex digits"),
    ] {
        let failure = setting.try_check(&v1::Check { look, ..v1::Check::default() }).unwrap_err();
        assert_eq!(failure.code(), "usage", "{failure}");
        assert!(failure.to_string().contains(part), "{failure}");
    }
}

#[test]
fn a_file_that_git_ignores_is_checked_if_it_is_named() {
    let setting = Setting::new(SHOP);
    setting.write(".gitignore", "worker.yaml\n");
    assert_eq!(lines(&setting.check(&v1::Check::default()).report.diagnostics), FOUND[..2]);
    let reply = setting.check(&check_at(&["worker.yaml"]));
    assert_eq!(lines(&reply.report.diagnostics), FOUND[2..]);
}

#[test]
fn a_long_list_is_cut_and_counted() {
    let setting = Setting::new(SHOP);
    let look = v1::LookRequest { max_findings: Some(1), ..v1::LookRequest::default() };
    let report = setting.check(&v1::Check { look, ..v1::Check::default() }).report;
    assert_eq!(lines(&report.diagnostics), FOUND[..1]);
    assert_eq!((report.summary.error, report.summary.not_shown), (3, 2));
    assert_eq!(report.repairs.len(), 1);
}

/// FA-3, FA-46, FA-54, AE-34: the same files in any order of discovery, with any number of threads.
#[test]
fn the_same_files_give_the_same_bytes() {
    let request = |jobs| v1::Check {
        look: v1::LookRequest { jobs: Some(jobs), ..v1::LookRequest::default() },
        strict: true,
        with_fix_actions: true,
        with_diffs: true,
        ..v1::Check::default()
    };
    let bytes = |setting: &Setting, jobs| {
        let reply = setting.check(&request(jobs));
        let report = serde_json::to_string(&reply.report).unwrap();
        (report, reply.fix_actions.unwrap().text, reply.changes)
    };
    let first = bytes(&Setting::new(SHOP), 1);
    let mut shuffled = files(SHOP);
    for round in 0..4 {
        shuffled.rotate_left(1);
        let setting = Setting::new("");
        for (path, contents) in &shuffled {
            setting.write(path, contents);
        }
        assert_eq!(bytes(&setting, 1 + round), first);
        // FA-55: nothing in it says where or when it was made.
        assert!(!first.0.contains(setting.root().to_str().unwrap()));
    }
}

#[test]
fn a_plan_lists_every_repair_with_its_decision() {
    let setting = Setting::new(SHOP);
    let reply = service::plan(&setting.session(), &v1::Plan::default(), &mut |_| {}).unwrap();
    let line = |it: &v1::PlannedRepair| {
        let reason = it.reason.as_deref().unwrap_or("-");
        format!("{} {:?} {reason} {}", it.rank, it.decision, it.repair.rule_id)
    };
    let lines: Vec<String> = reply.report.repairs.iter().map(line).collect();
    let expected = [
        "1 Accepted - SCHEMA_TYPE",
        "2 Accepted - SCHEMA_REQUIRED",
        "3 Rejected needs_approval SCHEMA_ENUM",
    ];
    assert_eq!(lines, expected);
    let summary = &reply.report.summary;
    assert_eq!((summary.accepted, summary.rejected, summary.unfixable), (2, 1, 0));
}

#[cfg(unix)]
#[test]
fn a_document_that_cannot_be_read_is_a_failure_and_one_that_is_too_large_an_info() {
    use std::os::unix::fs::PermissionsExt;
    let setting = Setting::new(SHOP);
    setting.write("regreen.toml", "[workspace]\nmax_file_size = 700\n");
    setting.write("large.json", &format!("[{}]\n", "1,".repeat(1000)));
    let locked = setting.path("locked.yaml");
    setting.write("locked.yaml", "a: 1\n");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let reply = setting.check(&v1::Check::default());
    let found = lines(&reply.report.diagnostics);
    assert!(found.contains(&"large.json - info SCHEMA_TOO_LARGE".to_owned()), "{found:?}");
    // Whoever may read everything has nothing to complain about.
    let is_allowed = fs::read(&locked).is_ok();
    let failed: Vec<_> = reply.report.failures.iter().filter_map(|it| it.file.as_deref()).collect();
    assert_eq!(failed.contains(&"locked.yaml"), !is_allowed, "{failed:?}");
    assert!(!found.iter().any(|it| it.starts_with("locked.yaml")), "{found:?}");
}
