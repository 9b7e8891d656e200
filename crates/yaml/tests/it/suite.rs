//! The public YAML test suite: every event of every valid case, and every invalid case refused.

use fixture::yaml_suite::{self, Case};
use yaml::Options;

const LENIENT: Options = Options { break_at_end: true, ..Options::LENIENT };

/// Marked as skipped by the suite itself: `%YAML 1.1 1.2` is a reserved directive by the productions, and
/// `%YAML 1.2 foo`, which is one as well, must be refused (`H7TQ`).
const SKIPPED: [&str; 1] = ["ZYU8/02"];

fn events(text: &str, options: &Options) -> Result<String, yaml::Error> {
    let tree = yaml::parse(text, options)?;
    Ok(tree.events(text).map(|event| format!("{event}\n")).collect())
}

/// What differs from what the suite says.
fn check(case: &Case, options: &Options) -> Option<String> {
    let expected: Option<String> = case
        .events
        .as_ref()
        .map(|it| it.lines().map(|line| format!("{}\n", line.trim_start())).collect());
    match (events(&case.yaml, options), case.is_invalid) {
        (Err(_), true) => None,
        (Err(error), false) => Some(format!("{}: refused: {error}\n{}", case.name, case.yaml)),
        (Ok(found), true) => Some(format!("{}: accepted\n{}\n{found}", case.name, case.yaml)),
        (Ok(found), false) => {
            let expected = expected.unwrap_or_default();
            let is_same = found == expected;
            (!is_same).then(|| {
                format!("{}\n{}\nexpected:\n{expected}\nfound:\n{found}", case.name, case.yaml)
            })
        }
    }
}

#[test]
fn every_case_of_the_suite_reads_as_it_says() {
    let Some(cases) = yaml_suite::cases() else { return };
    let n_invalid = cases.iter().filter(|case| case.is_invalid).count();
    let n_valid = cases.iter().filter(|case| !case.is_invalid && case.events.is_some()).count();
    assert!(
        n_valid >= 300 && n_invalid >= 90,
        "{n_valid} valid cases with events and {n_invalid} invalid ones: fetch the suite again with `cargo xtask corpora`"
    );
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| !SKIPPED.contains(&case.name.as_str()))
        .filter_map(|case| check(case, &Options::STRICT))
        .collect();
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n----\n"));
}

/// Flow collections that are closed too far left are the one thing that the lenient mode takes.
#[test]
fn the_lenient_mode_differs_in_the_indentation_of_flow_collections_only() {
    let Some(cases) = yaml_suite::cases() else { return };
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| !SKIPPED.contains(&case.name.as_str()))
        .filter(|case| check(case, &LENIENT).is_some())
        .map(|case| case.name.clone())
        .collect();
    assert_eq!(wrong, ["9C9N/00", "VJP3/00"]);
}
