//! Every case of the rules that are built in, of the kinds of rules, and of the shipped packs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fixture::case::{Case, Files};
use fixture::corpus::texts_under;
use pack::Pack;

use super::laws::{check_laws, lost_comments};
use super::trial::{Trial, files_of, lines, load_pack};

/// The folders with cases, and the pack that they are about; without one, the cases bring their own.
pub(crate) const SUITES: [(&str, Option<&str>); 15] = [
    ("crates/pack/fixtures", None),
    ("examples/app-workspace/packs/app/fixtures", Some("examples/app-workspace/packs/app")),
    ("crates/pack/builtin/cargo/fixtures", Some("crates/pack/builtin/cargo")),
    ("crates/pack/builtin/citation/fixtures", Some("crates/pack/builtin/citation")),
    ("crates/pack/builtin/compose/fixtures", Some("crates/pack/builtin/compose")),
    ("crates/pack/builtin/github/fixtures", Some("crates/pack/builtin/github")),
    ("crates/pack/builtin/gitlab/fixtures", Some("crates/pack/builtin/gitlab")),
    ("crates/pack/builtin/helm/fixtures", Some("crates/pack/builtin/helm")),
    ("crates/pack/builtin/kubernetes/fixtures", Some("crates/pack/builtin/kubernetes")),
    ("crates/pack/builtin/npm/fixtures", Some("crates/pack/builtin/npm")),
    ("crates/pack/builtin/openapi/fixtures", Some("crates/pack/builtin/openapi")),
    ("crates/pack/builtin/pre-commit/fixtures", Some("crates/pack/builtin/pre-commit")),
    ("crates/pack/builtin/python/fixtures", Some("crates/pack/builtin/python")),
    ("crates/pack/builtin/renovate/fixtures", Some("crates/pack/builtin/renovate")),
    ("crates/pack/builtin/typescript/fixtures", Some("crates/pack/builtin/typescript")),
];

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files of a pack that it is loaded from.
pub(crate) fn pack_files(folder: &str) -> Files {
    let files = texts_under(&repository().join(folder), "");
    files.into_iter().filter(|(path, _)| !path.starts_with("fixtures/")).collect()
}

#[test]
fn rules_that_are_built_in_and_kinds_of_rules() {
    run_suite(SUITES[0]);
}

#[test]
fn rules_of_the_example_pack() {
    run_suite(SUITES[1]);
}

/// what each pack that is built in keeps, mends and refuses.
#[test]
fn rules_of_the_packs_that_are_built_in() {
    SUITES[2..].iter().for_each(|it| run_suite(*it));
}

fn run_suite((folder, pack): (&str, Option<&str>)) {
    let bless = std::env::var_os("REGREEN_BLESS").is_some();
    let root = repository().join(folder);
    let cases = texts_under(&root, ".txt");
    assert!(!cases.is_empty(), "no cases in {folder}");
    let shipped = pack.map(|it| load_pack(&pack_files(it)));
    let mut wrong = Vec::new();
    for (path, text) in cases {
        let name = format!("{folder}/{path}");
        let case = Case::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let actual = match catch_unwind(AssertUnwindSafe(|| {
            run_case(&name, &path, &case, shipped.as_ref())
        })) {
            Ok(actual) if actual == case => continue,
            Ok(actual) => actual,
            Err(panic) => {
                let message = panic.downcast_ref::<String>().map_or("it panicked", String::as_str);
                wrong.push(format!("== {name}\n{message}"));
                continue;
            }
        };
        let rendered = actual.render().unwrap_or_else(|error| panic!("{name}: {error}"));
        if bless {
            std::fs::write(root.join(&path), rendered).expect("the case can be written");
        } else {
            wrong.push(format!("== {name}\n{rendered}"));
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The case as it is: the laws are checked, and the expectations are what came out.
fn run_case(name: &str, path: &str, case: &Case, shipped: Option<&Arc<Pack>>) -> Case {
    let mut parts = path.split('/');
    let (rule, verdict) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let own = case.below("pack");
    let pack = shipped.cloned().or_else(|| (!own.is_empty()).then(|| load_pack(&own)));
    let files: Files = case
        .files
        .iter()
        .filter(|(path, _)| !path.starts_with("pack/"))
        .map(|(a, b)| (a.clone(), b.clone()))
        .collect();
    // A case that brings its own pack is about all of it; one of a shipped pack about one rule.
    let is_policy_on = |id: &str| shipped.is_none() || id == rule;
    let trial = Trial::new(files.clone(), pack.into_iter().collect(), &is_policy_on);
    let outcome = check_laws(name, &trial);
    let after = files_of(&outcome.fixed.end.snapshot);
    let findings = lines(&outcome.start);
    check_verdict(name, rule, verdict, &findings, after != files);
    let mut actual = case.clone();
    actual.after = after
        .iter()
        .filter(|(path, text)| files.get(*path) != Some(text))
        .map(|(a, b)| (a.clone(), b.clone()))
        .collect();
    let remaining = if verdict == "fix" { lines(&outcome.fixed.end) } else { Vec::new() };
    actual.expected = [
        ("findings", findings),
        ("comments that went with what was removed", lost_comments(&files, &after)),
        ("remaining", remaining),
    ]
    .into_iter()
    .filter(|(_, lines)| !lines.is_empty())
    .map(|(name, lines)| (name.to_string(), lines))
    .collect();
    actual
}

/// A case stands in the folder that says what comes of it: what has no safe edit has no repair (FA-5).
#[track_caller]
fn check_verdict(name: &str, rule: &str, verdict: &str, findings: &[String], is_changed: bool) {
    // A folder in lower case is about a kind of rule or a kind of file, whose rules have names of their own.
    let is_id = rule.starts_with(|it: char| it.is_ascii_uppercase());
    let own: Vec<&String> =
        findings.iter().filter(|it| !is_id || it.split(' ').next() == Some(rule)).collect();
    match verdict {
        "keep" => assert!(findings.is_empty() && !is_changed, "{name}: {findings:#?}"),
        "fix" => {
            assert!(own.iter().any(|it| it.contains(" | ")) && is_changed, "{name}: {findings:#?}")
        }
        "refuse" => {
            let is_refused = !own.is_empty() && own.iter().all(|it| !it.contains(" | "));
            assert!(is_refused && !is_changed, "{name}: {findings:#?}");
        }
        _ => panic!("{name}: not in keep, fix or refuse"),
    }
}
