//! Configurations, and what is said about them.

use edit::Text;

use super::*;

fn check(text: &str) -> String {
    match read(&Text::new(text)) {
        Ok(_) => "fine\n".to_owned(),
        Err(problems) => problems.iter().map(line).collect(),
    }
}

fn line(diagnostic: &Diagnostic) -> String {
    let place = diagnostic
        .location
        .map_or("?".to_owned(), |it| format!("{}:{}", it.start_line, it.start_col));
    let pointer = diagnostic.json_pointer.as_deref().unwrap_or("-");
    format!("{place} {pointer} {}: {}\n", diagnostic.severity.name(), diagnostic.message)
}

#[test]
fn every_setting_of_the_format_is_read() {
    let text = r#"
[workspace]
include = ["**/*.yaml"]
exclude = ["vendor/"]
max_file_size = 1000
baseline = "known.json"
[fix]
safety = "behavior_preserving"
max_passes = 3
formatter = false
[rules]
SEM_X = "off"
POL_Y = "warning"
[clank]
roots = ["src", "lib"]
strict = true
runtime = "embedded"
[[pack]]
path = "packs/app"
[[pack]]
builtin = "github"
"#;
    let config = read(&Text::new(text)).unwrap();
    let path = |it: &str| RelPath::parse(it).unwrap();
    assert_eq!(config.levels(), config.rules);
    assert!(config.include.matches(&path("a/b.yaml")) && config.exclude.matches(&path("vendor/x")));
    assert_eq!((config.max_file_size, config.max_passes), (Some(1000), 3));
    assert_eq!((config.baseline, config.safety), (path("known.json"), Safety::BehaviorPreserving));
    assert_eq!(config.rules["SEM_X"], RuleLevel::Off);
    assert_eq!(config.rules["POL_Y"], RuleLevel::At(Severity::Warning));
    assert_eq!((config.clank.roots, config.clank.strict), (vec![path("src"), path("lib")], true));
    let places: Vec<PackPlace> = config.packs.unwrap().into_iter().map(|it| it.place).collect();
    let expected = [PackPlace::Folder(path("packs/app")), PackPlace::Builtin("github".to_owned())];
    assert_eq!(places, expected);
}

#[test]
fn everything_wrong_is_said_at_once_with_its_place_and_what_would_be_right() {
    insta::assert_snapshot!(check(
        r#"colour = 1
[workspace]
inclde = ["a"]
exclude = ["a[", 3]
max_file_size = -1
baseline = "/etc/passwd"
[fix]
safety = "likely-preserving"
max_passes = "ten"
formatter = "yes"
[rules]
SEM_X = "wraning"
SEM_Y = 1
[[pack]]
pth = "packs/app"
[[pack]]
path = "../app"
[[pack]]
path = "app"
[[pack]]
path = "app"
"#
    ));
}

/// Rules about policy are off unless they are named; the one about layout has a switch.
#[test]
fn layout_is_found_unless_the_configuration_says_otherwise() {
    let level = |text: &str| read(&Text::new(text)).unwrap().levels().get(FORMAT).copied();
    assert_eq!(level(""), Some(RuleLevel::At(Severity::Info)));
    assert_eq!(level("[fix]\nformatter = true\n"), Some(RuleLevel::At(Severity::Info)));
    assert_eq!(level("[fix]\nformatter = false\n"), None);
    assert_eq!(level("[rules]\nCLANK_FORMAT = \"off\"\n"), Some(RuleLevel::Off));
    let text = "[fix]\nformatter = false\n[rules]\nCLANK_FORMAT = \"error\"\n";
    assert_eq!(level(text), Some(RuleLevel::At(Severity::Error)));
}

#[test]
fn what_is_wrong_about_programs_is_said() {
    insta::assert_snapshot!(check(
        "[clank]\nroots = [\"/src\", 3]\nstrict = 1\nruntime = \"node\"\nroot = 1\n"
    ));
    insta::assert_snapshot!(check("[clank]\nroots = \"src\"\nruntime = \"deno\"\n"));
    insta::assert_snapshot!(check("[clank]\nsolver = \"z4\"\n"));
    assert_eq!(check("[clank]\nsolver = \"z3\"\n"), "fine\n");
}

/// Configuration may only narrow what `fix` applies.
#[test]
fn a_configuration_cannot_widen_the_safety() {
    insta::assert_snapshot!(check("[fix]\nsafety = \"behavior_changing\"\n"));
}

#[test]
fn what_is_said_about_tools_is_read() {
    let text = r#"
[linters.ruff]
enabled = true
args = ["--preview"]
timeout = "30s"
required = false
safety = { F401 = "behavior_changing" }
[linters.prettier]
enabled = false
[linters.typos]
safety = "behavior_changing"
[[source]]
name = "house-rules"
command = ["./check.sh"]
format = "sarif"
files = ["*.sql"]
safety = "likely_preserving"
"#;
    let config = read(&Text::new(text)).unwrap();
    let ruff = &config.linters["ruff"];
    assert_eq!((ruff.enabled, ruff.required), (Some(true), Some(false)));
    assert_eq!(ruff.timeout, Some(Duration::from_secs(30)));
    assert_eq!(ruff.safety["F401"], Safety::BehaviorChanging);
    assert_eq!(config.linters["typos"].safety["*"], Safety::BehaviorChanging);
    assert_eq!(config.linters["prettier"].enabled, Some(false));
    let own = &config.sources[0];
    assert_eq!((own.format, own.required), (OwnFormat::Sarif, true));
    // What says what is run needs trust, and what does not does not.
    let tables: Vec<&str> = config.commands.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(tables, ["ruff", "house-rules"]);
}

#[test]
fn what_is_wrong_about_tools_is_said() {
    insta::assert_snapshot!(check(
        r#"[linters.rruff]
enabled = true
[linters.ruff]
enable = true
timeout = 3
safety = { F401 = "safe" }
[[source]]
name = "Big Name"
command = []
format = "srif"
[[source]]
nme = "x"
[[source]]
name = "eslint"
command = ["x"]
format = "diff"
"#
    ));
}

#[test]
fn what_is_no_toml_is_said_with_its_place() {
    insta::assert_snapshot!(check("[workspace\n"));
    insta::assert_snapshot!(check("workspace = 3\npack = 1\nfix = []\nrules = 2\n"));
}

#[test]
fn an_empty_configuration_is_the_default() {
    assert_eq!(check(""), "fine\n");
}
