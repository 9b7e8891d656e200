//! Contents that stand in for those on disk: a buffer of an editor, or what is staged.

use std::collections::BTreeMap;

use protocol::v1;

use super::setting::{SHOP, Setting, lines};

const HEAD: &str = "# yaml-language-server: $schema=schemas/app.schema.json\n";

fn look(files: &[(&str, &str)]) -> v1::LookRequest {
    let overlay = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let changed = Some(files.iter().map(|it| it.0.to_owned()).collect());
    v1::LookRequest { overlay: overlay.collect(), changed, ..v1::LookRequest::default() }
}

#[test]
fn a_buffer_is_checked_in_place_of_the_file_whether_or_not_there_is_one() {
    let setting = Setting::new(SHOP);
    let text = format!("{HEAD}name: x\nregion: 1\n");
    for path in ["shop.yaml", "new.yaml"] {
        let look = look(&[(path, &text)]);
        let reply = setting.check(&v1::Check { look, ..v1::Check::default() });
        assert_eq!(
            lines(&reply.report.diagnostics),
            [format!("{path} /region error SCHEMA_CONST")]
        );
        assert_eq!(reply.frames.sources[path], text.as_bytes());
    }
}

/// A partly staged file: what is staged is fixed, and neither it nor anything else is written.
#[test]
fn a_fix_of_an_overlay_gives_the_new_contents_and_writes_nothing() {
    let setting = Setting::new(SHOP);
    let before = setting.state();
    let staged = format!("{HEAD}name: shop\nport: \"1\"\nregion: eu\n");
    let look = look(&[("shop.yaml", &staged), ("api.yaml", "name: api\n")]);
    let reply = setting.fix(&v1::Fix { look, ..v1::Fix::default() });
    let expected = staged.replace("\"1\"", "1").into_bytes();
    assert_eq!(reply.outputs, BTreeMap::from([("shop.yaml".to_owned(), expected)]));
    assert_eq!(reply.report.transaction, None);
    assert_eq!(setting.state(), before);
}

#[test]
fn a_path_that_is_none_is_a_usage_failure() {
    let setting = Setting::new(SHOP);
    let look = look(&[("/etc/x.yaml", "a: 1\n")]);
    let failure = setting.try_check(&v1::Check { look, ..v1::Check::default() }).unwrap_err();
    assert_eq!(failure.code(), "usage");
}
