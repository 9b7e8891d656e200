//! `check FILE` looks at that file and what it depends on, and says what `check` says of it.

use std::collections::BTreeMap;
use std::fs;

use protocol::v1;

use super::setting::{Setting, files};

/// Everything that makes one file matter to another: rules across files in two companies, a rule within one file,
/// schemas that refer to others, are broken, missing, ignored or not named like documents, programs that import, ignores,
/// a file that is too large, one that does not parse, and a link.
const TREE: &str = r#"
//- regreen.toml
[workspace]
max_file_size = 2000
exclude = ["out"]
[[pack]]
path = "pack"
//- pack/pack.yaml
name: app
pack_version: '1'
kinds:
  - {kind: module, files: 'modules/*', has: /name, schema: module.json}
  - {kind: product, files: 'product.yaml', has: /name}
  - {kind: note, files: 'notes/*'}
rules:
  - {id: SEM_NAME, rule: unique, places: {in: module, at: /name}, about: Names.}
  - {id: SEM_USES, rule: reference, from: {in: module, at: /uses/*}, to: {in: module, at: /name}, about: Uses.}
  - {id: SEM_PRODUCT, rule: same_as, source: {in: product, at: /name}, copies: [{in: module, at: /product}], about: Product.}
  - {id: SEM_OWN, rule: unique, within: file, places: {in: note, at: /ids/*}, about: Ids.}
//- pack/module.json
{"type": "object", "properties": {"port": {"type": "integer"}}}
//- product.yaml
name: shop
//- modules/a.yaml
name: a
product: shop
uses: [b]
//- modules/b.yaml
name: b
product: shoop
uses: [sees, aa]
//- modules/c.json
{"name": "seas", "port": "80"}
//- modules/d.toml
name = "a"
//- modules/broken.yaml
name: [
//- modules/plain.yaml
nothing: here
//- notes/one.yaml
ids: [x, x] # regreen: ignore SEM_OWN
//- notes/two.yaml
ids: [y, y]
//- notes/three.yaml
ids: [z] # regreen: ignore SEM_OWN
//- conf/app.yaml
# yaml-language-server: $schema=../schemas/app.json
port: "80"
//- conf/chain.yaml
# yaml-language-server: $schema=../schemas/chain.json
app: {port: "80"}
//- conf/lost.yaml
# yaml-language-server: $schema=../schemas/lost.json
a: 1
//- conf/hidden.yaml
# yaml-language-server: $schema=../ignored/s.json
a: 1
//- conf/excluded.yaml
# yaml-language-server: $schema=../out/s.json
a: 1
//- conf/bad.yaml
# yaml-language-server: $schema=../schemas/bad.json
a: 1
//- conf/odd.yaml
# yaml-language-server: $schema=../schemas/odd.schema
a: 1
//- conf/program.yaml
# yaml-language-server: $schema=../shapes.clank
a: 1
//- conf/remote.yaml
# yaml-language-server: $schema=https://example.org/s.json
a: 1
//- schemas/app.json
{"type": "object", "properties": {"port": {"type": "integer"}}}
//- schemas/chain.json
{"properties": {"app": {"$ref": "parts/part.json"}}}
//- schemas/parts/part.json
{"$ref": "../app.json"}
//- schemas/bad.json
{"type":
//- schemas/odd.schema
{"type":
//- schemas/unused.json
{"type":
//- .gitignore
ignored
//- ignored/s.json
{"type": "object"}
//- out/s.json
{"type": "object"}
//- main.clank
use shapes

fn main() -> Int
  shapes.area(1, )
//- shapes.clank
fn area(x: Int, y: Int) -> Int
  x *  y
//- plain.txt
text
"#;

fn setting() -> Setting {
    let setting = Setting::new(TREE);
    fs::write(setting.path("conf/large.yaml"), format!("a: {}\n", "x".repeat(3000))).unwrap();
    std::os::unix::fs::symlink("modules/b.yaml", setting.path("link.yaml")).unwrap();
    std::os::unix::fs::symlink("conf", setting.path("folder")).unwrap();
    setting
}

/// What a report says of files, by file.
fn by_file(report: &v1::CheckReport) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for diagnostic in &report.diagnostics {
        let repairs = report.repairs.iter().filter(|it| diagnostic.repair_refs.contains(&it.id));
        let said = format!("{diagnostic:?} {:?}", repairs.collect::<Vec<_>>());
        found.entry(diagnostic.file.clone()).or_default().push(said);
    }
    found
}

fn check(setting: &Setting, paths: &[&str], strict: bool) -> v1::CheckReport {
    let paths = paths.iter().map(|it| (*it).to_owned()).collect();
    let look = v1::LookRequest { paths, ..v1::LookRequest::default() };
    // Who wants to know what `fix` would do gets the whole tree.
    setting.check(&v1::Check { look, strict, ..v1::Check::default() }).report
}

/// Asked alone, with a cache that knows everything or nothing, each file is what it is among all.
#[test]
fn a_file_is_judged_alone_as_it_is_among_all() {
    let setting = setting();
    let whole = by_file(&check(&setting, &[], false));
    assert!(whole.len() > 12, "{:?}", whole.keys());
    let names = files(TREE).into_iter().map(|it| it.0);
    for path in names.chain(["conf/large.yaml".to_owned()]) {
        let path = path.as_str();
        let alone = check(&setting, &[path], false);
        let expected = whole.get(path).cloned().filter(|_| !path.starts_with("ignored"));
        assert_eq!(by_file(&alone).remove(path), expected, "{path}");
        let among = check(&setting, &[path], true);
        assert_eq!(by_file(&alone), by_file(&among), "{path}");
        assert_eq!(alone.summary.files, among.summary.files, "{path}");
        assert_eq!(alone.summary.ignored, among.summary.ignored, "{path}");
        assert_eq!(alone.failures, among.failures, "{path}");
    }
}

#[test]
fn folders_and_links_are_judged_as_they_are_among_all() {
    let setting = setting();
    for paths in [
        &["conf"][..],
        &["modules"],
        &["folder"],
        &["link.yaml"],
        &["notes", "schemas"],
        &["ignored"],
    ] {
        let (alone, among) = (check(&setting, paths, false), check(&setting, paths, true));
        assert_eq!(by_file(&alone), by_file(&among), "{paths:?}");
        assert_eq!(alone.summary.files, among.summary.files, "{paths:?}");
    }
    let changed = |names: &[&str]| {
        let changed = Some(names.iter().map(|it| (*it).to_owned()).collect());
        v1::LookRequest { changed, ..v1::LookRequest::default() }
    };
    for names in [&["conf/chain.yaml", "gone.yaml"][..], &["modules/b.yaml"], &[]] {
        let [alone, among] = [false, true].map(|strict| {
            setting
                .check(&v1::Check { look: changed(names), strict, ..v1::Check::default() })
                .report
        });
        assert_eq!(by_file(&alone), by_file(&among), "{names:?}");
        assert_eq!(alone.summary.files, among.summary.files, "{names:?}");
    }
}
