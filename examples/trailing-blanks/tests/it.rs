//! The sample provider in the loop, and the recipe that it was built by.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Card, Check, Environment, Input, Parses, Safety, Since, Stop};
use document::Limits;
use edit::Text;
use engine::{Options, RuleLevel, Run, Sieve, Sources};
use plan::Policy;
use snapshot::{Entry, File, RelPath, Snapshot};
use trailing_blanks::TrailingBlanks;

fn tree(files: &[(&str, &str)]) -> Snapshot {
    let entry = |text: &str| Entry::File(File::new(Text::new(text), 0o644));
    let entries = files.iter().map(|(path, text)| (RelPath::parse(path).unwrap(), entry(text)));
    Snapshot::new(entries.collect()).unwrap()
}

/// Step 4: the engine applies its repairs and looks again.
#[test]
fn the_loop_makes_a_tree_green() {
    let before = tree(&[("a.txt", "one  \ntwo\t\r\nthree\n  "), ("b.md", "kept  \n")]);
    let Card { name, .. } = Check::card(&TrailingBlanks);
    let on =
        BTreeMap::from([("TRAILING_BLANKS".to_owned(), RuleLevel::At(check::Severity::Warning))]);
    let sieve = Sieve { levels: BTreeMap::from([(name.clone(), on)]), ..Sieve::default() };
    let sources = Sources::new(&[&TrailingBlanks], Environment::default());
    let (parses, stop) = (Arc::new(Parses::new(Limits::DEFAULT)), Stop::new());
    let run = Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
    let start = engine::assess(&run, &before, None);
    assert_eq!((start.diagnostics.len(), start.failures.len()), (3, 0));
    let policy = Policy { safety: Safety::BehaviorPreserving, allow: BTreeSet::new() };
    let options = Options {
        policy: &policy,
        is_editable: &|_| true,
        wants: &|_| true,
        max_passes: 3,
        max_rechecks: 10,
    };
    let fixed = engine::fix(&run, &start, &options, &mut |_| {});
    assert_eq!((fixed.applied.len(), fixed.end.diagnostics.len()), (3, 0));
    let after = tree(&[("a.txt", "one\ntwo\r\nthree\n"), ("b.md", "kept  \n")]);
    assert_eq!(fixed.end.snapshot, after);
}

/// Step 3: from an earlier look or from nothing, the answer is the same.
#[test]
fn an_earlier_look_changes_nothing() {
    let (parses, stop) = (Parses::new(Limits::DEFAULT), Stop::new());
    let look = |snapshot: &Snapshot, since: Option<Since<'_>>| {
        let input = Input { snapshot, since, parses: &parses, stop: &stop, only: None };
        TrailingBlanks.report(&input).unwrap()
    };
    let (old, new) = (tree(&[("a.txt", "one  \n")]), tree(&[("a.txt", "one\ntwo \n")]));
    let before = look(&old, None);
    let changed = BTreeSet::from([RelPath::parse("a.txt").unwrap()]);
    let warm = look(&new, Some(Since { report: &before, changed: &changed }));
    let cold = look(&new, None);
    assert_eq!((warm.diagnostics, warm.repairs), (cold.diagnostics, cold.repairs));
    stop.set(check::StopCause::Cancelled);
    let input = Input { snapshot: &new, since: None, parses: &parses, stop: &stop, only: None };
    assert!(TrailingBlanks.check(&input).is_err());
}

/// Every piece of code in the recipe is in this crate, or in the place that the recipe names.
#[test]
fn the_recipe_says_what_is_so() {
    let recipe = include_str!("../../../CONTRIBUTING.md");
    let recipe = recipe.split("### Add a provider\n").nth(1).unwrap();
    let recipe = recipe.split("\n### ").next().unwrap();
    let sources = [
        include_str!("../src/lib.rs"),
        include_str!("it.rs"),
        include_str!("../../../crates/service/src/setup.rs"),
    ];
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sources = sources.map(squeeze);
    let blocks: Vec<&str> = recipe.split("```rust\n").skip(1).collect();
    assert!(blocks.len() >= 3, "the recipe has lost its code");
    for block in blocks {
        let code = squeeze(block.split("```").next().unwrap());
        for part in code.split(" … ").filter(|it| !it.is_empty()) {
            assert!(sources.iter().any(|it| it.contains(part)), "nowhere: {part}");
        }
    }
}
