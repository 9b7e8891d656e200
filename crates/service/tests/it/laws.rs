//! What holds of every workspace, whatever is wrong in it: the laws of `check --strict` and `fix` (AE-33, AE-40).

use protocol::v1;

use super::setting::{SHOP, Setting, lines};

const HEAD: &str = "# yaml-language-server: $schema=schemas/app.schema.json\n";

/// Contents of `shop.yaml`, after the line that names its schema.
const YAML: &[&str] = &[
    "name: shop\nregion: eu\n",
    "name: shop\nregion: eu\nport: \"1\" # one\n",
    "{name: shop, region: eu, port: '7'}\n",
    "name: 7\n",
    "nmae: shop\nregion: eu\n",
    "Name: shop\n",
    "name: shop\nregion: eu\nmode: Fast\n",
    "name: shop\nregion: eu\nmode: fst\nextra: 1\n",
    "name: shop\nname: twice\n",
    "name: [\n",
    "[]\n",
    "",
    "name: shop # regreen: ignore SCHEMA_REQUIRED\n",
    "name: shop\nregion: eu\nport: \"1\" # regreen: ignore SCHEMA_TYPE -- for now\n",
    "name: shop\r\nport: \"8080\"\r\nregion: eu\r\n",
];

#[track_caller]
fn check(setting: &Setting, look: &v1::LookRequest) {
    let request = v1::Check { look: look.clone(), strict: true, ..v1::Check::default() };
    let strict = setting.check(&request).report;
    let would_change = strict.would_change.unwrap();
    let before = setting.state();
    let fixed = setting.fix(&v1::Fix { look: look.clone(), ..v1::Fix::default() });
    let report = fixed.report;
    assert_eq!(would_change.is_empty(), report.transaction.is_none());
    assert_eq!(would_change.is_empty(), report.applied.is_empty());
    let changed: Vec<&str> = fixed.changes.iter().map(|it| it.file.as_str()).collect();
    assert_eq!(would_change, changed);
    assert_eq!(strict.ok, would_change.is_empty() && report.summary.error == 0);
    assert!(report.applied.iter().all(|it| it.verified));
    if report.transaction.is_none() {
        assert_eq!(setting.state(), before, "nothing to do writes nothing");
    }
    let after = setting.check(&request).report;
    assert_eq!(lines(&after.diagnostics), lines(&report.remaining), "the disk is what was told");
    assert!(after.would_change.unwrap().is_empty(), "a second fix changes nothing");
    assert_eq!(after.ok, report.ok);
    let again = setting.fix(&v1::Fix { look: look.clone(), ..v1::Fix::default() }).report;
    assert_eq!((again.transaction, again.applied.len()), (None, 0));
}

#[test]
fn strict_is_green_exactly_when_a_fix_is_a_no_op_and_a_second_fix_is_one() {
    let wide = v1::LookRequest {
        safety: Some(v1::Safety::BehaviorChanging),
        ..v1::LookRequest::default()
    };
    for look in [v1::LookRequest::default(), wide] {
        for text in YAML {
            let setting = Setting::new(SHOP);
            setting.write("shop.yaml", &format!("{HEAD}{text}"));
            check(&setting, &look);
        }
    }
}

#[test]
fn the_laws_hold_of_json_and_toml_too() {
    let setting = Setting::new(SHOP);
    setting.write(
        "a.json",
        "{\n  // the schema\n  \"$schema\": \"schemas/open.json\",\n  \"port\": \"80\" // a port\n}\n",
    );
    setting.write("b.toml", "#:schema schemas/open.json\nport = \"80\" # a port\n[more]\nx = 1\n");
    setting.write("schemas/open.json", "{\"properties\": {\"port\": {\"type\": \"integer\"}}}\n");
    check(&setting, &v1::LookRequest::default());
    assert!(setting.read("a.json").contains("\"port\": 80 // a port"));
    assert!(setting.read("b.toml").contains("port = 80 # a port"));
}
