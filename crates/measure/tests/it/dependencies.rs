//! `no_new_dependencies` for every kind of manifest and lock file (DF-18).

#[path = "dependencies/manifests.rs"]
mod manifests;
#[path = "dependencies/realistic.rs"]
mod realistic;
#[path = "dependencies/sources.rs"]
mod sources;
#[path = "dependencies/spread.rs"]
mod spread;
#[path = "dependencies/unread.rs"]
mod unread;

use measure::Constraints;
use measure::{changes, violations};
use proptest::prelude::*;

use super::changes::{config, scope, tree};
use manifests::{CASES, Case};
use realistic::{ADDITIONS, ORDINARY};
use sources::{SOURCES, Source};
use spread::SPREAD;
use unread::UNREAD;

const NO_NEW: Constraints =
    Constraints { max_files_changed: None, no_new_dependencies: Some(true), no_refactor: None };

/// What is said about the file at `path` when its text changes.
fn found(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
    let old: Vec<(&str, &str)> = before.map(|it| (path, it)).into_iter().collect();
    let (before, after) = (tree(&old), tree(&[(path, after)]));
    let all = violations(&changes(&before, &after), &before, &after, &scope(&[path]), &NO_NEW);
    all.iter().map(ToString::to_string).collect()
}

fn with(case: &Case, (from, to): (&str, &str)) -> String {
    assert!(case.text.contains(from), "{}: {from:?} is not in the text", case.path);
    case.text.replacen(from, to, 1)
}

#[test]
fn an_added_dependency_is_found_and_named_with_its_file() {
    for case in CASES {
        let (from, to, name) = case.added;
        let found = found(case.path, Some(case.text), &with(case, (from, to)));
        assert_eq!(found.len(), 1, "{}: {found:?}", case.path);
        let start = format!("no_new_dependencies: {}: new ", case.path);
        assert!(
            found[0].starts_with(&start) && found[0].contains(name),
            "{}: {found:?}",
            case.path
        );
    }
}

#[test]
fn versions_order_layout_and_removals_are_no_new_dependencies() {
    for case in CASES {
        for change in [case.bumped, case.reformatted, case.removed] {
            let after = with(case, change);
            assert_ne!(after, case.text, "{}", case.path);
            assert_eq!(
                found(case.path, Some(case.text), &after),
                [""; 0],
                "{}: {change:?}",
                case.path
            );
        }
    }
}

/// what nothing reads never passes unseen.
#[test]
fn a_file_that_nothing_reads_is_a_violation_where_it_could_add_something() {
    for (path, text, added, harmless) in UNREAD {
        let start = format!("no_new_dependencies: {path}: ");
        let after = format!("{text}{added}");
        let found_there = found(path, Some(text), &after);
        assert!(!found_there.is_empty(), "{path}");
        assert!(found_there.iter().all(|it| it.starts_with(&start)), "{path}: {found_there:?}");
        // A file that is new, and a name in another case.
        assert!(!found(path, None, &after).is_empty(), "{path}");
        assert!(!found(&path.to_uppercase(), Some(text), &after).is_empty(), "{path}");
        assert_eq!(found(path, Some(&after), &after), [""; 0], "{path}");
        match harmless {
            Some(harmless) => {
                assert_eq!(
                    found(path, Some(text), &format!("{text}{harmless}")),
                    [""; 0],
                    "{path}"
                );
            }
            None => {
                assert!(!found(path, Some(&after), text).is_empty(), "{path}: every change counts")
            }
        }
    }
}

/// a line that says nothing by itself is read with what it stands in; what is moved from one list to another is new there.
#[test]
fn an_addition_that_is_spread_over_lines_does_not_pass() {
    for (path, text, behind, added) in SPREAD {
        assert!(text.contains(behind), "{path}");
        let after = text.replacen(behind, &format!("{behind}{added}"), 1);
        assert!(!found(path, Some(text), &after).is_empty(), "{path}: {after}");
        assert_eq!(found(path, Some(&after), text), [""; 0], "{path}: what goes brings nothing");
    }
    let before = "exclude:\n  - evil\nx:\n  additional_dependencies:\n  - a\n";
    let after = "exclude:\nx:\n  additional_dependencies:\n  - a\n  - evil\n";
    assert!(!found(".pre-commit-config.yaml", Some(before), after).is_empty());
}

/// over all ecosystems, in files that are only about dependencies and in those that are code as well.
#[test]
fn additions_are_found_and_ordinary_edits_pass() {
    let passed: Vec<String> = ADDITIONS
        .iter()
        .filter(|(path, before, after)| {
            let before = Some(*before).filter(|it| !it.is_empty());
            found(path, before, after).is_empty()
        })
        .map(|(path, _, after)| format!("{path}: {after}"))
        .collect();
    let refused: Vec<String> = ORDINARY
        .iter()
        .flat_map(|(path, before, after)| found(path, Some(before), after))
        .collect();
    assert!(
        passed.is_empty() && refused.is_empty(),
        "{} of {} passed:\n{}\n{} refused:\n{}",
        passed.len(),
        ADDITIONS.len(),
        passed.join("\n"),
        refused.len(),
        refused.join("\n")
    );
}

/// PEP 723 and tox: read exactly.
#[test]
fn scripts_and_tox_say_what_they_need() {
    let script =
        "# /// script\n# dependencies = [\n#   \"requests<3\",\n# ]\n# ///\nimport requests\n";
    assert_eq!(found("a.py", Some(script), &script.replace("<3", "<4")), [""; 0]);
    assert_eq!(found("a.py", Some(script), &format!("{script}print(1)\n")), [""; 0]);
    let added = script.replace("# ]", "#   \"evil\",\n# ]");
    let said = found("a.py", Some(script), &added);
    assert!(said.len() == 1 && said[0].contains("evil"), "{said:?}");
    assert_eq!(found("a.py", None, "print(1)\n"), [""; 0]);
    assert!(!found("a.py", None, script).is_empty());
    let broken = script.replace("# ///\nimport", "import");
    assert!(!found("a.py", Some(script), &broken).is_empty());
    let source = script.replace(
        "# ///\nimport",
        "# [[tool.uv.index]]\n# url = \"https://evil.example\"\n# ///\nimport",
    );
    assert!(!found("a.py", Some(script), &source).is_empty());

    let tox = "[tox]\nenvlist = py312\n[testenv]\ndeps =\n    pytest>=8\n    py312: coverage\ncommands = pytest\n";
    assert_eq!(found("tox.ini", Some(tox), &tox.replace(">=8", ">=9")), [""; 0]);
    assert_eq!(found("tox.ini", Some(tox), &tox.replace("= pytest\n", "= pytest -v\n")), [""; 0]);
    let said =
        found("tox.ini", Some(tox), &tox.replace("py312: coverage", "py312: coverage\n    evil"));
    assert!(said.len() == 1 && said[0].contains("evil"), "{said:?}");
}

/// What cannot be judged is not a pass.
#[test]
fn a_manifest_that_cannot_be_read_is_a_violation() {
    for case in CASES.iter().filter(|it| it.path != ".npmrc") {
        let found_after = found(case.path, Some(case.text), &with(case, case.broken));
        assert!(
            found_after.len() == 1 && found_after[0].ends_with("cannot be judged"),
            "{}: {found_after:?}",
            case.path
        );
        let found_before = found(case.path, Some(&with(case, case.broken)), case.text);
        assert!(
            found_before.len() == 1 && found_before[0].ends_with("cannot be compared"),
            "{}: {found_before:?}",
            case.path
        );
    }
}

/// In a new manifest everything is new, and what is moved from another kind of file too.
#[test]
fn a_new_manifest_brings_all_that_it_names() {
    for case in CASES {
        assert!(!found(case.path, None, case.text).is_empty(), "{}", case.path);
        assert!(found(case.path, Some(case.text), "").len() <= 1, "{}", case.path);
    }
}

#[test]
fn the_same_name_from_elsewhere_or_for_more_is_new() {
    for Source { path, before, after } in SOURCES {
        for (after, expected) in *after {
            let found = found(path, Some(before), after);
            let is_as_expected = match *expected {
                "" => found.is_empty(),
                _ => found.iter().any(|it| it.contains(expected)),
            };
            assert!(is_as_expected, "{path}: {after}: {found:?} and not {expected:?}");
        }
    }
}

#[track_caller]
fn check_trees(before: &[(&str, &str)], after: &[(&str, &str)], expected: &[&str]) {
    let (before, after) = (tree(before), tree(after));
    let everything: Vec<&str> = vec![
        "node_modules/",
        "vendor/",
        "src/",
        "a",
        "deps.txt",
        "requirements.txt",
        "Cargo.toml",
        "old.toml",
        "node_modules",
    ];
    let all = violations(&changes(&before, &after), &before, &after, &scope(&everything), &NO_NEW);
    let found: Vec<String> = all.iter().map(ToString::to_string).collect();
    let expected: Vec<String> =
        expected.iter().map(|it| format!("no_new_dependencies: {it}")).collect();
    assert_eq!(found, expected);
}

#[test]
fn vendored_code_is_a_new_dependency() {
    let vendored = "is a new directory of vendored code";
    check_trees(
        &[],
        &[("node_modules/x/index.js", "1"), ("node_modules/x/package.json", "{}")],
        &[&format!("node_modules: {vendored}")],
    );
    check_trees(&[("vendor/a/x", "1")], &[("vendor/a/x", "2")], &[]);
    check_trees(&[("vendor/a/x", "1")], &[("vendor/a/x", "1"), ("vendor/a/y", "")], &[]);
    check_trees(
        &[("vendor/a/x", "1")],
        &[("vendor/a/x", "1"), ("vendor/b/c/y", "")],
        &[&format!("vendor/b: {vendored}")],
    );
    check_trees(
        &[("src/vendor/m.py", "1")],
        &[("src/vendor/m.py", "1"), ("src/vendor/n.py", "")],
        &[],
    );
    check_trees(
        &[("a", "1")],
        &[("a", "1"), ("node_modules", "-> a")],
        &[&format!("node_modules: {vendored}")],
    );
}

#[test]
fn what_a_requirements_file_includes_is_measured_too() {
    check_trees(
        &[("requirements.txt", "-r deps.txt"), ("deps.txt", "a")],
        &[("requirements.txt", "-r deps.txt"), ("deps.txt", "a\nevil")],
        &["deps.txt: new dependency evil (requirements file)"],
    );
    check_trees(&[("deps.txt", "a")], &[("deps.txt", "a\nevil")], &[]);
}

#[test]
fn a_manifest_that_is_no_file_or_came_from_another_kind_is_judged_as_new() {
    let linked = "Cargo.toml: is not a file that was read, so its dependencies cannot be judged";
    check_trees(&[("Cargo.toml", "")], &[("Cargo.toml", "-> a")], &[linked]);
    let text = "[dependencies]\nevil = \"1\"\n";
    check_trees(
        &[("old.toml", text)],
        &[("Cargo.toml", text)],
        &["Cargo.toml: new dependency evil (Cargo.toml)"],
    );
    check_trees(&[("Cargo.toml", text)], &[("src/Cargo.toml", text)], &[]);
    check_trees(&[("Cargo.toml", text)], &[("Cargo.toml", &format!("+x {text}"))], &[]);
    check_trees(&[("Cargo.toml", text)], &[], &[]);
}

/// Time and memory are bounded: a manifest beyond the limit is not read, and nesting costs no stack.
#[test]
fn huge_and_deep_manifests_cannot_be_judged() {
    let huge = "a".repeat((16 << 20) + 1);
    let deep = |open: &str| open.repeat(200_000);
    for (path, text) in [
        ("package-lock.json", huge.as_str()),
        ("Cargo.lock", &huge),
        ("package.json", &deep("[")),
        ("package-lock.json", &deep("{\"dependencies\":")),
        ("pubspec.yaml", &deep("[")),
        ("Cargo.toml", &format!("a = {}", deep("["))),
        ("pom.xml", &deep("<project>")),
        ("setup.py", &deep("(")),
        ("build.gradle", &deep("{")),
    ] {
        let found = found(path, Some(""), text);
        assert!(found.len() == 1 && found[0].contains("cannot be"), "{path}: {found:?}");
    }
}

proptest! {
    #![proptest_config(config(62, 48))]

    /// No reader panics on any bytes, and nothing is new in a file that did not change.
    #[test]
    fn any_bytes_are_read_or_refused(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let noise = String::from_utf8_lossy(&noise).into_owned();
        for case in CASES {
            found(case.path, Some(case.text), &noise);
            prop_assert_eq!(found(case.path, Some(&noise), &noise), [""; 0]);
        }
    }

    /// A piece of a real manifest is cut out, repeated or put elsewhere.
    #[test]
    fn damaged_manifests_are_read_or_refused(
        at in any::<prop::sample::Index>(), end in any::<prop::sample::Index>(), into in any::<prop::sample::Index>()
    ) {
        for case in CASES {
            let chars: Vec<char> = case.text.chars().collect();
            let (from, to, into) = (at.index(chars.len()), end.index(chars.len()), into.index(chars.len()));
            let piece = &chars[from.min(to)..from.max(to)];
            let pasted: String = [&chars[..into], piece, &chars[into..]].concat().iter().collect();
            let cut: String = [&chars[..from.min(to)], &chars[from.max(to)..]].concat().iter().collect();
            found(case.path, Some(case.text), &pasted);
            found(case.path, Some(case.text), &cut);
        }
    }
}
