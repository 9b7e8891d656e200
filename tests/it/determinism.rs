//! Same input, same version: the same bytes, whatever the directory order, locale, time zone or place.

use super::support::{SHOP, Scene};

const LINES: [&str; 6] = [
    "validate good.changeset.yaml --format json",
    "validate half.fix-actions.json -v",
    "validate bad.changeset.yaml --format json",
    "apply half.fix-actions.json --format json",
    "apply good.changeset.yaml",
    "log --format json",
];

fn run_all(files: &str, variables: &[(&str, &str)]) -> Vec<String> {
    let scene = Scene::new(files);
    LINES.iter().map(|line| scene.run_with(line, variables, "").text()).collect()
}

/// The same files, created in the reverse order.
fn reversed(files: &str) -> String {
    files
        .split("//- ")
        .skip(1)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .map(|it| format!("//- {it}"))
        .collect()
}

#[test]
fn reports_do_not_depend_on_order_locale_time_zone_or_place() {
    let expected = run_all(SHOP, &[]);
    assert_eq!(run_all(SHOP, &[]), expected);
    assert_eq!(run_all(&reversed(SHOP), &[]), expected);
    assert_eq!(run_all(SHOP, &[("LANG", "de_DE.UTF-8"), ("LC_ALL", "tr_TR.UTF-8")]), expected);
    assert_eq!(run_all(SHOP, &[("TZ", "Pacific/Kiritimati"), ("HOME", "/nonexistent")]), expected);
}

#[test]
fn no_report_holds_an_absolute_path() {
    let scene = Scene::new(SHOP);
    let folder = scene.path("").to_string_lossy().into_owned();
    for line in
        LINES.into_iter().chain(["validate missing.json --format json", "undo --format json"])
    {
        let ran = scene.run(line);
        assert!(!ran.text().contains(folder.trim_end_matches('/')), "{line}: {}", ran.text());
    }
}
