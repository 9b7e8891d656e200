//! A workspace that is looked at again and again: always what a fresh look says.

use std::fs;

use protocol::v1;
use service::Live;

use super::setting::{SHOP, Setting};

#[test]
fn looking_again_says_what_a_fresh_look_says() {
    let setting = Setting::new(SHOP);
    let session = setting.session();
    let request = v1::Check { strict: true, ..v1::Check::default() };
    let (mut live, _) = Live::open(&session, &request, &mut |_| {}).unwrap();
    let mut step = |paths: &[&str]| {
        let paths: Vec<String> = paths.iter().map(|it| (*it).to_owned()).collect();
        let again = live.recheck(&session, &paths).unwrap().report;
        assert_eq!(again, setting.check(&request).report, "after {paths:?}");
        again.summary.error
    };
    assert_eq!(step(&[]), 3);
    let shop = setting.read("shop.yaml");
    setting.write("shop.yaml", &shop.replace("fsat", "fast"));
    assert_eq!(step(&["shop.yaml"]), 2);
    setting.write("sub/more.yaml", &shop.replace("=schemas", "=../schemas"));
    assert_eq!(step(&["sub"]), 4);
    fs::remove_file(setting.path("worker.yaml")).unwrap();
    assert_eq!(step(&["worker.yaml"]), 3);
    let schema = setting.read("schemas/app.schema.json");
    setting.write("schemas/app.schema.json", &schema.replace("\"integer\"", "\"string\""));
    step(&["schemas/app.schema.json"]);
    setting.write(
        "regreen.toml",
        "[workspace]\nexclude = [\"sub\"]\n[rules]\nSCHEMA_TYPE = \"off\"\n",
    );
    assert_eq!(step(&["regreen.toml"]), 0);
    setting.write(".gitignore", "shop.yaml\n");
    step(&[".gitignore"]);
    fs::remove_dir_all(setting.path("sub")).unwrap();
    step(&["sub/more.yaml", "sub", "never/there.yaml", "not a path//"]);
}

/// A broken configuration is a failure until it is mended.
#[test]
fn a_broken_configuration_fails_until_it_is_mended() {
    let setting = Setting::new(SHOP);
    let session = setting.session();
    let (mut live, _) = Live::open(&session, &v1::Check::default(), &mut |_| {}).unwrap();
    setting.write("regreen.toml", "[rulse]\n");
    let changed = ["regreen.toml".to_owned()];
    assert_eq!(live.recheck(&session, &changed).unwrap_err().code(), "bad_config");
    // Nobody goes on with a configuration that is not there any more.
    assert!(live.recheck(&session, &["shop.yaml".to_owned()]).is_err());
    setting.write("regreen.toml", "[rules]\n");
    assert_eq!(live.recheck(&session, &changed).unwrap().report.summary.error, 3);
}
