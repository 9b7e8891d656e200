//! What the configuration changes, and what is said when it or a pack is wrong.

use protocol::v1;

use super::setting::{SHOP, Setting, lines};

#[test]
fn rules_have_the_severity_of_the_configuration_and_files_can_be_passed_over() {
    let setting = Setting::new(SHOP);
    setting.write(
        "regreen.toml",
        "[rules]\nSCHEMA_ENUM = \"off\"\nSCHEMA_TYPE = \"info\"\n[workspace]\nexclude = [\"worker.*\"]\n",
    );
    let report = setting.check(&v1::Check::default()).report;
    assert_eq!(lines(&report.diagnostics), ["shop.yaml /port info SCHEMA_TYPE"]);
    assert!(report.ok);
    setting.write(
        "regreen.toml",
        "[workspace]\ninclude = [\"worker.yaml\", \"schemas/\"]\n[linters]\n",
    );
    let report = setting.check(&v1::Check::default()).report;
    assert_eq!(
        lines(&report.diagnostics),
        [
            "regreen.toml /linters info SCHEMA_CONFIG_UNUSED",
            "worker.yaml /region error SCHEMA_REQUIRED"
        ]
    );
}

#[track_caller]
fn broken(files: &[(&str, &str)], expected: &[&str]) {
    let setting = Setting::new(SHOP);
    files.iter().for_each(|(path, text)| setting.write(path, text));
    let failure = setting.try_check(&v1::Check::default()).unwrap_err();
    assert_eq!(failure.code(), "bad_config");
    let problems = failure.problems();
    for (problem, expected) in problems.iter().zip(expected) {
        let at = problem.location.as_ref().unwrap();
        let line =
            format!("{}:{}:{} {}", problem.file, at.start_line, at.start_col, problem.message);
        assert!(line.starts_with(expected), "{line}");
        assert!(failure.frames().unwrap().sources.contains_key(&problem.file));
    }
    assert_eq!(problems.len(), expected.len(), "{problems:?}");
}

#[test]
fn a_broken_configuration_is_a_failure_with_every_place() {
    broken(
        &[("regreen.toml", "[rulse]\n[workspace]\nexclud = []\n")],
        &["regreen.toml:1:2 there is no key `rulse`", "regreen.toml:3:1 there is no key `exclud`"],
    );
    broken(
        &[("regreen.toml", "[rules]\nSCHEMA_TIPE = \"off\"\n")],
        &["regreen.toml:2:1 there is no rule `SCHEMA_TIPE`; did you mean `SCHEMA_TYPE`?"],
    );
    broken(
        &[("regreen.toml", "[[pack]]\npath = \"packs/app\"\n")],
        &["regreen.toml:1:1 the pack in packs/app cannot be used: there is no file"],
    );
}

#[test]
fn a_broken_pack_is_a_failure_with_its_places() {
    let manifest = "name: app\npack_version: \"1\"\ndescription: x\nkinds: []\nrulse: []\n";
    broken(
        &[("regreen.toml", "[[pack]]\npath = \"packs/app\"\n"), ("packs/app/pack.yaml", manifest)],
        &["packs/app/pack.yaml:5:1 "],
    );
}

#[test]
fn a_pack_cannot_have_the_name_of_another_source() {
    let manifest = "name: schema\npack_version: \"1\"\ndescription: x\nkinds: []\nrules: []\n";
    broken(
        &[("regreen.toml", "[[pack]]\npath = \"app\"\n"), ("app/pack.yaml", manifest)],
        &["regreen.toml:1:1 a pack cannot have the name `schema`"],
    );
}

/// A pack in the workspace is used, also when git ignores it, and its version is in the report.
#[test]
fn a_pack_of_the_workspace_is_used() {
    let manifest = "name: app\npack_version: \"1.2\"\ndescription: x\nkinds:\n  - kind: note\n    files: [\"notes/*.yaml\"]\nrules:\n  - id: SEM_TITLE_UNIQUE\n    rule: unique\n    places: {in: note, at: /title}\n    about: Titles are names.\n";
    let setting = Setting::new("");
    setting.write("regreen.toml", "[[pack]]\npath = \"packs/app\"\n");
    setting.write("packs/app/pack.yaml", manifest);
    setting.write("notes/a.yaml", "title: one\n");
    setting.write("notes/b.yaml", "title: one\n");
    for ignore in ["", "packs/\n"] {
        setting.write(".gitignore", ignore);
        let report = setting.check(&v1::Check::default()).report;
        assert_eq!(lines(&report.diagnostics), ["notes/b.yaml /title error SEM_TITLE_UNIQUE"]);
        assert_eq!(report.pack_version.as_deref(), Some("1.2"));
    }
}
