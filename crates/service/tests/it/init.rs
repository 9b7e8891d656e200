//! `init` and `explain`.

use protocol::v1;

use super::setting::{SHOP, Setting};

#[test]
fn init_writes_a_configuration_once_and_it_changes_nothing() {
    let setting = Setting::new(SHOP);
    let before = setting.check(&v1::Check::default()).report;
    let dry = service::init(&setting.session(), &v1::Init { dry_run: true, jobs: None }).unwrap();
    assert!(dry.report.written.is_none() && !setting.path("regreen.toml").exists());
    let reply = service::init(&setting.session(), &v1::Init::default()).unwrap();
    assert_eq!(reply.report.written.as_deref(), Some("regreen.toml"));
    assert_eq!(reply.report.transaction.as_deref(), Some("t_000001"));
    assert_eq!(reply.text.as_deref(), Some(setting.read("regreen.toml").as_str()));
    assert_eq!(reply.report.with_schema, 3);
    assert_eq!(setting.check(&v1::Check::default()).report, before);
    let again = service::init(&setting.session(), &v1::Init::default()).unwrap();
    assert!(again.report.written.is_none() && again.report.transaction.is_none());
}

#[test]
fn every_rule_that_is_listed_has_a_whole_page() {
    let setting = Setting::new("");
    let session = setting.session();
    let rules = service::rules(&session).unwrap().rules;
    assert!(rules.iter().any(|it| it.rule_id == "SCHEMA_CONFIG"));
    assert!(rules.is_sorted());
    for rule in &rules {
        let request = v1::Explain { rule: rule.rule_id.clone() };
        let page = service::explain(&session, &request).unwrap().report;
        let parts = [&page.title, &page.what, &page.why, &page.example, &page.repair];
        assert!(parts.iter().all(|it| !it.is_empty()), "{}", rule.rule_id);
    }
}

#[test]
fn a_rule_that_nobody_knows_is_a_usage_failure_with_the_nearest() {
    let setting = Setting::new("");
    let request = v1::Explain { rule: "SCHEMA_ENUMM".to_owned() };
    let failure = service::explain(&setting.session(), &request).unwrap_err();
    assert_eq!(failure.code(), "usage");
    assert!(failure.to_string().contains("did you mean `SCHEMA_ENUM`?"), "{failure}");
}
