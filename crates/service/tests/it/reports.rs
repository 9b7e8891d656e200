//! What is written is what the schemas say.

use protocol::v1;
use serde_json::Value;

use super::setting::{SHOP, Setting};

#[track_caller]
fn check(name: &str, report: &Value) {
    let schema = service::schemas().into_iter().find(|it| it.name == name).unwrap().schema;
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(report).map(|it| it.to_string()).collect();
    assert!(errors.is_empty(), "{name}: {errors:?}");
}

/// FA-6, RS-3..RS-14.
#[test]
fn every_report_follows_its_schema() {
    let setting = Setting::new(SHOP);
    let session = setting.session();
    let request = v1::Check { strict: true, with_fix_actions: true, ..v1::Check::default() };
    let reply = setting.check(&request);
    check("check-report", &serde_json::to_value(&reply.report).unwrap());
    check("repairs", &serde_json::to_value(&reply.report.repairs).unwrap());
    let document = reply.fix_actions.unwrap().text;
    check("fix-actions", &serde_json::from_str(&document).unwrap());
    let plan = service::plan(&session, &v1::Plan::default(), &mut |_| {}).unwrap();
    check("plan-report", &serde_json::to_value(&plan.report).unwrap());
    let page =
        service::explain(&session, &v1::Explain { rule: "SCHEMA_CONFIG".to_owned() }).unwrap();
    check("explain-report", &serde_json::to_value(&page.report).unwrap());
    let rules = service::rules(&session).unwrap();
    check("rules-report", &serde_json::to_value(&rules).unwrap());
    let init = service::init(&session, &v1::Init::default()).unwrap();
    check("init-report", &serde_json::to_value(&init.report).unwrap());
    let config = setting.read("regreen.toml");
    assert!(config.contains("[workspace]"));
    setting.check(&v1::Check { write_baseline: true, ..v1::Check::default() });
    check("baseline", &serde_json::from_str(&setting.read("regreen-baseline.json")).unwrap());
    let look = v1::LookRequest { no_baseline: true, ..v1::LookRequest::default() };
    let fixed = setting.fix(&v1::Fix { look, ..v1::Fix::default() });
    check("fix-report", &serde_json::to_value(&fixed.report).unwrap());
}
