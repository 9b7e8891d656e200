//! The baseline: what was there before fails nothing and is left alone.

use protocol::v1;

use super::setting::{SHOP, Setting, check_at, lines};

fn write() -> v1::Check {
    v1::Check { write_baseline: true, ..v1::Check::default() }
}

#[test]
fn only_new_findings_fail_and_old_ones_are_left_alone() {
    let setting = Setting::new(SHOP);
    let reply = setting.check(&write());
    assert!(reply.report.ok && reply.report.diagnostics.is_empty());
    let written = reply.baseline.unwrap();
    assert_eq!((written.file.as_str(), written.n_findings), ("regreen-baseline.json", 3));
    assert_eq!(written.transaction.as_deref(), Some("t_000001"));
    insta::assert_snapshot!(setting.read("regreen-baseline.json"));

    let strict = v1::Check { strict: true, ..v1::Check::default() };
    let report = setting.check(&strict).report;
    assert!(report.ok && report.diagnostics.is_empty() && report.repairs.is_empty());
    assert_eq!(report.summary.baselined, 3);
    let fixed = setting.fix(&v1::Fix::default()).report;
    assert!(fixed.ok && fixed.transaction.is_none());

    setting.write("api.yaml", &setting.read("api.yaml").replace("name: api", "name: 1"));
    let report = setting.check(&v1::Check::default()).report;
    assert_eq!(lines(&report.diagnostics), ["api.yaml /name error SCHEMA_TYPE"]);
    let fixed = setting.fix(&v1::Fix::default()).report;
    assert!(fixed.ok && fixed.summary.applied == 1, "{fixed:?}");
    assert!(setting.read("shop.yaml").contains("\"8080\""));

    let look = v1::LookRequest { no_baseline: true, ..v1::LookRequest::default() };
    assert_eq!(setting.check(&v1::Check { look, ..strict }).report.summary.error, 3);
}

#[test]
fn a_baseline_of_a_part_keeps_what_it_has_about_the_rest() {
    let setting = Setting::new(SHOP);
    setting.check(&write());
    let id = |reply: service::CheckReply| reply.baseline.unwrap();
    assert_eq!(id(setting.check(&write())).transaction, None, "nothing changed");
    setting.write("worker.yaml", &format!("{}region: eu\n", setting.read("worker.yaml")));
    let part = v1::Check { write_baseline: true, ..check_at(&["shop.yaml"]) };
    assert_eq!(id(setting.check(&part)).n_findings, 3);
    assert_eq!(id(setting.check(&write())).n_findings, 2, "what is gone goes from the baseline");
}

#[test]
fn a_baseline_that_cannot_be_used_is_a_failure_that_names_it() {
    let setting = Setting::new(SHOP);
    for text in
        ["{", "{}", "{\"regreen_baseline\": 2}", "{\"regreen_baseline\": 1, \"findings\": [1]}"]
    {
        setting.write("regreen-baseline.json", text);
        let failure = setting.try_check(&v1::Check::default()).unwrap_err();
        assert_eq!(failure.code(), "unusable");
        assert!(failure.to_string().starts_with("regreen-baseline.json cannot be used"));
    }
}
