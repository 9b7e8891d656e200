//! `fix`: what is applied, what is not, and what is written.

use std::fs;

use protocol::v1;
use service::{CommandProgress, SessionAccess};

use super::setting::{SHOP, Setting, at, lines, repair_id};

/// AE-28, AE-30, RS-16, RS-17, RS-34, RS-46, X-6: what is safe is written in one transaction, what is a guess waits, and
/// what remains is told.
#[test]
fn a_fix_applies_what_is_safe_and_reports_the_rest() {
    let setting = Setting::new(SHOP);
    let reply = setting.fix(&v1::Fix { with_diffs: true, ..v1::Fix::default() });
    let report = &reply.report;
    assert_eq!(report.transaction.as_deref(), Some("t_000001"));
    let applied: Vec<&str> = report.applied.iter().map(|it| it.rule_id.as_str()).collect();
    assert_eq!(applied, ["SCHEMA_TYPE", "SCHEMA_REQUIRED"]);
    assert!(report.applied.iter().all(|it| it.verified && it.source == "schema"));
    let rejected: Vec<_> =
        report.rejected.iter().map(|it| (it.rule_id.as_str(), it.reason.as_str())).collect();
    assert_eq!(rejected, [("SCHEMA_ENUM", "needs_approval")]);
    assert_eq!(lines(&report.remaining), ["shop.yaml /mode error SCHEMA_ENUM"]);
    assert!(!report.ok && report.stop == "settled");
    assert_eq!(
        setting.read("shop.yaml"),
        "# yaml-language-server: $schema=schemas/app.schema.json\nname: shop\n\
         port: 8080 # the public one\nmode: fsat\nregion: eu\n"
    );
    assert!(setting.read("worker.yaml").ends_with("name: worker\nregion: eu\n"));
    assert_eq!(
        reply.changes.iter().map(|it| it.file.as_str()).collect::<Vec<_>>(),
        ["shop.yaml", "worker.yaml"]
    );
}

/// RS-17: named by id, or by a safety that somebody typed; both are in the log.
#[test]
fn a_guess_is_made_if_somebody_says_so() {
    let allow = |setting: &Setting| {
        let id = repair_id(&setting.check(&v1::Check::default()), "SCHEMA_ENUM");
        v1::LookRequest { allow: vec![id], ..v1::LookRequest::default() }
    };
    let wide = |_: &Setting| v1::LookRequest {
        safety: Some(v1::Safety::BehaviorChanging),
        ..v1::LookRequest::default()
    };
    for look in [&allow as &dyn Fn(&Setting) -> v1::LookRequest, &wide] {
        let setting = Setting::new(SHOP);
        let reply = setting.fix(&v1::Fix { look: look(&setting), ..v1::Fix::default() });
        assert!(reply.report.ok && reply.report.summary.applied == 3, "{:?}", reply.report);
        assert!(setting.read("shop.yaml").contains("mode: fast\n"));
    }
}

#[test]
fn an_id_that_no_repair_has_is_named() {
    let setting = Setting::new(SHOP);
    let look =
        v1::LookRequest { allow: vec!["r_0123456789ab".into()], ..v1::LookRequest::default() };
    let notes = setting.fix(&v1::Fix { look, ..v1::Fix::default() }).report.notes;
    assert_eq!(notes, ["r_0123456789ab was allowed, but no repair has this id"]);
}

/// AE-24, X-6: configuration and flags may narrow what is applied.
#[test]
fn a_narrower_safety_applies_less() {
    let setting = Setting::new(SHOP);
    let look = v1::LookRequest {
        safety: Some(v1::Safety::BehaviorPreserving),
        ..v1::LookRequest::default()
    };
    assert!(setting.fix(&v1::Fix { look, ..v1::Fix::default() }).report.applied.is_empty());
    setting.write("regreen.toml", "[fix]\nsafety = \"behavior_preserving\"\n");
    assert!(setting.fix(&v1::Fix::default()).report.applied.is_empty());
}

#[test]
fn a_fix_touches_only_the_paths_that_were_given() {
    let setting = Setting::new(SHOP);
    let before = setting.read("shop.yaml");
    let reply = setting.fix(&v1::Fix { look: at(&["worker.yaml"]), ..v1::Fix::default() });
    assert!(reply.report.ok, "{:?}", reply.report);
    assert_eq!(setting.read("shop.yaml"), before);
    assert!(setting.read("worker.yaml").contains("region: eu"));
}

/// AE-29, AE-31, AE-36: where nothing may be written, a fix fails with its own code, and a dry run works.
#[test]
fn a_fix_where_nothing_may_be_written_is_refused() {
    let setting = Setting::new(SHOP);
    let before = setting.state();
    let session = setting.session_to(SessionAccess::Build);
    let failure = service::fix(&session, &v1::Fix::default(), &mut |_| {}, None).unwrap_err();
    assert_eq!(failure.code(), "action_mode");
    let dry = v1::Fix { dry_run: true, with_diffs: true, ..v1::Fix::default() };
    let reply = service::fix(&session, &dry, &mut |_| {}, None).unwrap();
    assert_eq!((reply.report.summary.applied, reply.report.transaction), (2, None));
    assert!(reply.changes.iter().all(|it| !it.diff.is_empty()));
    assert_eq!(setting.state(), before);
}

/// AE-33, AE-40, X-19: strict is green exactly when a fix would change nothing and no error is left; a second fix is none.
#[test]
fn strict_is_green_exactly_when_a_fix_is_a_no_op() {
    let strict = v1::Check { strict: true, ..v1::Check::default() };
    let setting = Setting::new(SHOP);
    let report = setting.check(&strict).report;
    assert_eq!(report.would_change.as_deref().unwrap(), ["shop.yaml", "worker.yaml"]);
    setting.fix(&v1::Fix::default());
    let report = setting.check(&strict).report;
    assert!(!report.ok && report.would_change.unwrap().is_empty(), "an error is left");
    let again = setting.fix(&v1::Fix::default()).report;
    assert_eq!((again.applied.len(), again.transaction), (0, None));
    setting.write("shop.yaml", &setting.read("shop.yaml").replace("fsat", "fast"));
    assert!(setting.check(&strict).report.ok);
    // A warning that a fix would repair fails strict and nothing else.
    setting.write("regreen.toml", "[rules]\nSCHEMA_TYPE = \"warning\"\n");
    setting.write("shop.yaml", &setting.read("shop.yaml").replace("8080", "\"8080\""));
    assert!(!setting.check(&strict).report.ok);
    assert!(setting.check(&v1::Check::default()).report.ok);
    let deny = v1::LookRequest { deny_warnings: true, ..v1::LookRequest::default() };
    assert!(!setting.check(&v1::Check { look: deny, ..v1::Check::default() }).report.ok);
}

/// The whole run is done again on the new contents, and nothing that somebody wrote is lost.
#[test]
fn a_file_that_changes_while_it_is_fixed_is_fixed_as_it_is_then() {
    let setting = Setting::new(SHOP);
    let path = setting.path("worker.yaml");
    let mut n_writes = 0;
    let mut meddle = |most: usize, progress: CommandProgress| {
        if matches!(progress, CommandProgress::Writing { .. }) && n_writes < most {
            n_writes += 1;
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, format!("{text}# note {n_writes}\n")).unwrap();
        }
    };
    let session = setting.session();
    let reply = service::fix(&session, &v1::Fix::default(), &mut |it| meddle(1, it), None).unwrap();
    assert_eq!(reply.retried.as_deref(), Some("worker.yaml"));
    assert!(setting.read("worker.yaml").contains("# note 1\n"));
    assert!(setting.read("worker.yaml").contains("region: eu\n"));

    let setting = Setting::new(SHOP);
    let path = setting.path("worker.yaml");
    let mut meddle = |progress: CommandProgress| {
        if matches!(progress, CommandProgress::Writing { .. }) {
            let text = fs::read_to_string(&path).unwrap();
            fs::write(&path, format!("{text}# note\n")).unwrap();
        }
    };
    let session = setting.session();
    let failure = service::fix(&session, &v1::Fix::default(), &mut meddle, None).unwrap_err();
    assert_eq!(failure.code(), "stale");
    assert!(!setting.read("worker.yaml").contains("region"));
    assert!(setting.read("shop.yaml").contains("\"8080\""), "all or nothing");
}

/// A file that must not be changed does not keep the others from being fixed.
#[cfg(unix)]
#[test]
fn a_file_that_must_not_be_changed_is_left_alone_and_named() {
    let setting = Setting::new(SHOP);
    fs::hard_link(setting.path("worker.yaml"), setting.path("worker.txt")).unwrap();
    let report = setting.fix(&v1::Fix::default()).report;
    assert_eq!(report.summary.applied, 1, "{report:?}");
    let rejected = report.rejected.iter().find(|it| it.rule_id == "SCHEMA_REQUIRED").unwrap();
    assert!(rejected.detail.starts_with("worker.yaml cannot be changed:"), "{rejected:?}");
    assert!(setting.read("shop.yaml").contains("port: 8080"));
}

/// FA-1, FA-7, FA-11, FA-44, X-31: what the document says applies, and takes the tree where a fix takes it. AE-47, X-24:
/// every action has its source, phase, rule and confidence.
#[test]
fn the_fix_action_document_does_what_a_fix_does() {
    let setting = Setting::new(SHOP);
    setting.write("regreen.toml", "pack = []\n");
    let request = v1::Check { with_fix_actions: true, ..v1::Check::default() };
    let output = setting.check(&request).fix_actions.unwrap();
    assert_eq!(output.n_left_out, 0);
    let patch = v1::PatchInput {
        name: "fixes.json".to_owned(),
        bytes: output.text.clone().into_bytes(),
        kind: None,
        file: None,
    };
    let run = v1::RunPatch { patch, show_values: false, with_diffs: false };
    let applied = service::apply(&setting.session(), &run).unwrap();
    assert!(applied.report.ok, "{:?}", applied.report);
    let twin = Setting::new(SHOP);
    twin.fix(&v1::Fix::default());
    for file in ["shop.yaml", "worker.yaml"] {
        assert_eq!(setting.read(file), twin.read(file));
    }
    assert!(setting.check(&request).fix_actions.unwrap().text.contains("\"fix_actions\": []"));
    insta::assert_snapshot!(output.text);
}

#[test]
fn a_fix_can_be_undone() {
    let setting = Setting::new(SHOP);
    let before = (setting.read("shop.yaml"), setting.read("worker.yaml"));
    setting.fix(&v1::Fix::default());
    let undo = v1::Undo { transaction: None, dry_run: false, with_diffs: false };
    assert!(service::undo(&setting.session(), &undo).unwrap().report.ok);
    assert_eq!((setting.read("shop.yaml"), setting.read("worker.yaml")), before);
}

/// The rules of a run are not edited by it: the next run would judge by others, or by none.
#[test]
fn a_fix_leaves_the_rules_it_judges_by_alone() {
    let setting = Setting::new(
        r#"
//- regreen.toml
[[pack]]
path = "packs/all"
//- packs/all/pack.yaml
name: all
pack_version: "1.0.0"
kinds:
  - { kind: any, files: ["**/*.yaml"], schema: any.json }
//- packs/all/any.json
{"required": ["region"], "properties": {"region": {"const": "eu"}}}
//- shop.yaml
name: shop
"#,
    );
    let strict = v1::Check { strict: true, ..v1::Check::default() };
    assert_eq!(setting.check(&strict).report.would_change.unwrap(), ["shop.yaml"]);
    let report = setting.fix(&v1::Fix::default()).report;
    assert_eq!(setting.read("shop.yaml"), "name: shop\nregion: eu\n");
    let [rejected] = report.rejected.as_slice() else { panic!("{:?}", report.rejected) };
    assert_eq!(
        rejected.detail,
        "packs/all/pack.yaml cannot be changed: the rules of this workspace come from it"
    );
    let remaining = ["packs/all/pack.yaml /region error SCHEMA_REQUIRED"];
    assert_eq!(lines(&report.remaining), remaining);
    assert_eq!(lines(&setting.check(&v1::Check::default()).report.diagnostics), remaining);
}

/// A workspace can take it out of the hands of whoever runs `fix` to apply a guess.
#[test]
fn where_approval_is_required_no_flag_and_no_answer_applies_a_guess() {
    let setting = Setting::new(SHOP);
    let id = repair_id(&setting.check(&v1::Check::default()), "SCHEMA_ENUM");
    setting.write("regreen.toml", "[govern]\nrequire_approval = true\n");
    let wide = v1::LookRequest {
        safety: Some(v1::Safety::BehaviorChanging),
        ..v1::LookRequest::default()
    };
    let named = v1::LookRequest { allow: vec![id], ..v1::LookRequest::default() };
    for (look, flag) in [(wide, "--safety behavior_changing"), (named, "--allow")] {
        let failure = setting.try_fix(&v1::Fix { look, ..v1::Fix::default() }).unwrap_err();
        assert_eq!(
            failure.to_string(),
            format!(
                "`{flag}` does not work here: regreen.toml has `require_approval = true` under `[govern]`"
            )
        );
    }
    let mut yes = |_: &service::RepairQuestion<'_>| service::RepairAnswer::Yes;
    let session = setting.session();
    let reply = service::fix(&session, &v1::Fix::default(), &mut |_| {}, Some(&mut yes)).unwrap();
    let applied: Vec<_> = reply.report.applied.iter().map(|it| it.rule_id.as_str()).collect();
    assert_eq!(applied, ["SCHEMA_TYPE", "SCHEMA_REQUIRED"]);
    assert!(setting.read("shop.yaml").contains("mode: fsat\n"));
}

/// `fix --propose`: the tree is scanned and checked once; what waits is tried on what is known of the end.
#[test]
fn what_waits_for_a_word_is_tried_without_another_look() {
    let setting = Setting::new(SHOP);
    let mut seen = Vec::new();
    let request = v1::Fix { with_offers: true, ..v1::Fix::default() };
    let reply = service::fix(&setting.session(), &request, &mut |it| seen.push(it), None).unwrap();
    assert!(reply.report.transaction.is_some());
    let n_looks = seen.iter().filter(|it| matches!(it, CommandProgress::Scanning)).count();
    assert_eq!(n_looks, 1, "{seen:?}");
    let shown = format!("{:?}", reply.offers);
    assert!(shown.contains("fast"), "the guess for `fsat` waits: {shown}");
    let request = v1::Fix::default();
    let reply = service::fix(&setting.session(), &request, &mut |_| {}, None).unwrap();
    assert!(!format!("{:?}", reply.offers).contains("fast"), "nobody asked");
}
