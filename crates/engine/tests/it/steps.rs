//! Sources that repair in steps (X-81): one rule after the other, and one source after the other.

use engine::Sieve;

use super::kit::*;

#[track_caller]
fn run(before: &str, sources: &[(&str, Vec<Pattern>)]) -> String {
    let tree = tree(before);
    let providers: Vec<Patterns> =
        sources.iter().map(|(name, rules)| patterns(name, rules.clone())).collect();
    let providers: Vec<&dyn check::Provider> = providers.iter().map(|it| it as _).collect();
    show(&tree, &fix(&providers, &Sieve::default(), &tree))
}

#[test]
fn a_step_may_leave_one_finding_for_another_rule() {
    let rules = |is_step: bool| {
        let first = rule("NO_VAR", "var", "let");
        let first = if is_step { first.step() } else { first };
        vec![first, rule("CONST", "let", "const").step()]
    };
    insta::assert_snapshot!(run("//- a.txt\nvar\n", &[("lint", rules(true))]), @"
    passes 2, rechecks 2, settled
    applied NO_VAR in a.txt (pass 1)
    applied CONST in a.txt (pass 2)
    //- a.txt
    const
    ");
    insta::assert_snapshot!(run("//- a.txt\nvar\n", &[("lint", rules(false))]), @"
    passes 1, rechecks 1, settled
    rejected NO_VAR: regressed: CONST appeared at a.txt:1:1
    error NO_VAR at a.txt:1
    ");
}

/// More than one, or the same rule elsewhere, is not a step.
#[test]
fn a_step_may_not_leave_more() {
    let rules = vec![rule("ONE", "one", "two two").step(), rule("TWO", "two", "x")];
    insta::assert_snapshot!(run("//- a.txt\none\n", &[("lint", rules)]), @"
    passes 1, rechecks 1, settled
    rejected ONE: regressed: TWO appeared at a.txt:1:5
    error ONE at a.txt:1
    ");
    let rules = vec![rule("ONE", "1", "21").step()];
    insta::assert_snapshot!(run("//- a.txt\n1\n", &[("lint", rules)]), @"
    passes 1, rechecks 1, settled
    rejected ONE: unverified: ONE at a.txt:1:1 is still there
    error ONE at a.txt:1
    ");
}

/// What another source only takes note of is not a harm; what it calls an error is.
#[test]
fn a_step_may_leave_a_note_for_another_source() {
    let note = |it: Pattern| ("two", vec![it]);
    let one = || ("one", vec![rule("A", "a", "b").notes().step()]);
    insta::assert_snapshot!(run("//- a.txt\na\n", &[one(), note(rule("B", "b", "c").notes())]), @"
    passes 2, rechecks 2, settled
    applied A in a.txt (pass 1)
    applied B in a.txt (pass 2)
    //- a.txt
    c
    ");
    insta::assert_snapshot!(run("//- a.txt\na\n", &[one(), note(rule("B", "b", "c"))]), @"
    passes 1, rechecks 1, settled
    rejected A: regressed: B appeared at a.txt:1:1
    info A at a.txt:1
    ");
}

/// Two that fight are named with their sources, and what was there stays.
#[test]
fn two_sources_that_fight_are_named() {
    let one = ("one", vec![rule("FORMAT", "a", "b").notes().step()]);
    let two = ("two", vec![rule("FORMAT", "b", "a").notes().step()]);
    insta::assert_snapshot!(run("//- a.txt\na\n", &[one, two]), @r#"
    passes 2, rechecks 2, cycle of {"one/FORMAT", "two/FORMAT"} every 2
    rejected FORMAT: cycle: one/FORMAT, two/FORMAT undo one another: the tree is the same after every 2 passes
    rejected FORMAT: cycle: one/FORMAT, two/FORMAT undo one another: the tree is the same after every 2 passes
    info FORMAT at a.txt:1
    "#);
}
