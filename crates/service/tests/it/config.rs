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
    assert_eq!(lines(&report.diagnostics), ["worker.yaml /region error SCHEMA_REQUIRED"]);
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
        &["regreen.toml:1:2 unknown key `rulse`", "regreen.toml:3:1 unknown key `exclud`"],
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
    for name in ["schema", "clank", "z3", "regreen"] {
        let manifest =
            format!("name: {name}\npack_version: \"1\"\ndescription: x\nkinds: []\nrules: []\n");
        broken(
            &[("regreen.toml", "[[pack]]\npath = \"app\"\n"), ("app/pack.yaml", &manifest)],
            &[&format!("regreen.toml:1:1 a pack cannot have the name `{name}`")],
        );
    }
}

/// A rule is named by its id or with its source, in the configuration and in a request; the name with the source counts
/// more, whatever their order.
#[test]
fn rules_are_named_with_their_source_or_without() {
    for (rules, expected) in [
        ("\"schema/SCHEMA_TYPE\" = \"off\"", vec!["SCHEMA_ENUM", "SCHEMA_REQUIRED"]),
        (
            "\"schema/SCHEMA_TYPE\" = \"error\"\nSCHEMA_TYPE = \"off\"",
            vec!["SCHEMA_ENUM", "SCHEMA_TYPE", "SCHEMA_REQUIRED"],
        ),
        ("\"github/SCHEMA_TYPE\" = \"off\"", vec!["SCHEMA_ENUM", "SCHEMA_TYPE", "SCHEMA_REQUIRED"]),
    ] {
        let setting = Setting::new(SHOP);
        setting.write("regreen.toml", &format!("[rules]\n{rules}\n"));
        let report = setting.check(&v1::Check::default()).report;
        let mut found: Vec<&str> =
            report.diagnostics.iter().map(|it| it.rule_id.as_str()).collect();
        found.sort_by_key(|it| expected.iter().position(|other| other == it));
        assert_eq!(found, expected, "{rules}");
    }
    for (name, hint) in [
        ("clank/E100", "did you mean `clank/E1001`?"),
        ("schema/E1001", "`regreen explain` lists the rules of `schema`"),
        ("schema/SCHEMA_TIPE", "did you mean `schema/SCHEMA_TYPE`?"),
    ] {
        let expected = format!("regreen.toml:2:1 there is no rule `{name}`; {hint}");
        broken(&[("regreen.toml", &format!("[rules]\n\"{name}\" = \"off\"\n"))], &[&expected]);
        let look = v1::LookRequest { only: vec![name.to_owned()], ..v1::LookRequest::default() };
        let setting = Setting::new(SHOP);
        let failure = setting.try_check(&v1::Check { look, ..v1::Check::default() }).unwrap_err();
        assert!(failure.to_string().contains(hint), "{failure}");
    }
    let look = v1::LookRequest {
        only: vec!["schema/SCHEMA_TYPE".to_owned()],
        ..v1::LookRequest::default()
    };
    let report = Setting::new(SHOP).check(&v1::Check { look, ..v1::Check::default() }).report;
    assert_eq!(lines(&report.diagnostics), ["shop.yaml /port error SCHEMA_TYPE"]);
}

/// A budget is a number and a unit.
#[test]
fn a_budget_that_is_no_time_is_named() {
    for budget in ["\"1h\"", "60", "\"\"", "\"0s\"", "\"-1s\"", "\"99999999s\"", "\"s\""] {
        let text = format!("[fix]\nbudget = {budget}\n");
        broken(&[("regreen.toml", &text)], &["regreen.toml:2:1"]);
    }
    let setting = Setting::new(SHOP);
    setting.write("regreen.toml", "[fix]\nbudget = \"500ms\"\n");
    setting.check(&v1::Check::default());
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
