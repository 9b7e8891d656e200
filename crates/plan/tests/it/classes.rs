//! What the class of a repair does to the choice.

use plan::{Reason, Rejection};

use super::notation::{check, check_case, parse};

/// After safety, confidence and kind the better class comes first; what only hides is last of all.
#[test]
fn the_better_class_comes_first_where_no_contract_says_otherwise() {
    check(
        r#"
        //- a.rs
        f(); g(); h(); i(); j();
        == r1 e1
        a.rs 0..4 "todo! ();"
        == r2 e2
        a.rs 5..9 ""
        == r3 e3
        a.rs 10..11 "k"
        == r4 w1 likely medium
        a.rs 15..16 "l"
        == r5 e4
        a.rs 24..24 " // nolint"
        "#,
        r#"
        r3 1/1
        r2 1/1
        r1 1/1
        r4 1/1
        r5 suppression: it suppresses the finding, so it must be named
        //- a.rs
        todo! ();  k(); l(); j();
        "#,
    );
}

/// Where no contract states otherwise, a stub may change what a program does, and what goes away must be named unless it
/// is proven that nobody misses it.
#[test]
fn a_class_bounds_safety_and_confidence() {
    check(
        r#"
        //- a.rs
        f(); g(); h(); i();
        == r1 e1 unstated
        a.rs 0..4 "todo! ();"
        == r2 e2 unstated
        a.rs 5..9 ""
        == r3 e3 unstated redundant
        a.rs 10..14 ""
        == r4 e4 unstated
        a.rs 15..16 "k"
        "#,
        r#"
        r4 1/1
        r3 1/1
        r2 low_confidence: its confidence is low, so it must be named
        r1 needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
        //- a.rs
        f(); g();  k();
        "#,
    );
}

/// A suppression is never made by default and never by safety, only by its id.
#[test]
fn a_suppression_must_be_named() {
    let input = r#"
        //- a.py
        import os
        == r1 e1
        a.py 9..9 "  # noqa"
        "#;
    let mut case = parse(input);
    case.policy.safety = check::Safety::BehaviorChanging;
    check_case(&case, "r1 suppression: it suppresses the finding, so it must be named");
    case.policy.allow.insert("r1".to_owned());
    check_case(&case, "r1 1/1\n//- a.py\nimport os  # noqa");
}

const GUARDED: &str = r#"
    //- a.clank
    xs.lenn() xs[i]
    == guard o1 likely
    a.clank 10..15 "if ok { xs[i] } else { panic(1) }"
    == cure e1 o1 changing title=len
    a.clank 3..7 "len"
    "#;

/// X-41: a stub waits for a cure of the same finding that needs somebody's word. Who is named does not wait, and when
/// the cure is out of the question the stub is there.
#[test]
fn a_stub_waits_for_a_cure_that_needs_approval() {
    let mut case = parse(GUARDED);
    let waits = "
        cure needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
        guard waits cure: len comes first
        ";
    check_case(&case, waits);
    let guarded = "//- a.clank\nxs.lenn() if ok { xs[i] } else { panic(1) }";
    case.policy.allow = ["guard".to_owned()].into();
    let named = "cure needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named\nguard 1/1";
    check_case(&case, &format!("{named}\n{guarded}"));
    case.policy.allow.clear();
    let detail = "it was tried".to_owned();
    case.barred.insert("cure".into(), Rejection { reason: Reason::Unverified, with: None, detail });
    check_case(&case, &format!("cure unverified: it was tried\nguard 1/1\n{guarded}"));
}

/// The cure is made where that is allowed, whatever the ranks of the two; a stub that needs approval itself waits too.
#[test]
fn a_cure_that_may_be_made_wins_over_a_better_ranked_stub() {
    let mut case = parse(GUARDED);
    case.policy.safety = check::Safety::BehaviorChanging;
    let cured = "
        cure 1/1
        guard waits cure: len comes first
        //- a.clank
        xs.len() xs[i]
        ";
    check_case(&case, cured);
    check(
        r#"
        //- a.rs
        f(); g();
        == r1 e1
        a.rs 0..4 ""
        == r2 e1 likely medium
        a.rs 0..1 "h"
        == r3 e1 changing
        a.rs 0..4 "todo! ();"
        "#,
        r#"
        r1 waits r2: title comes first
        r2 1/1
        r3 waits r2: title comes first
        //- a.rs
        h(); g();
        "#,
    );
}

/// What cannot be made does not keep others waiting: it is wrong, not editable, or lacks what it requires.
#[test]
fn nobody_waits_for_what_cannot_be_made() {
    check(
        r#"
        //- a.rs
        f(); g(); h();
        == r1 e1
        a.rs 0..4 "todo! ();"
        == r2 e1 changing
        b.rs 0..1 "x"
        == r3 e2
        a.rs 5..9 "todo! ();"
        == r4 e2 changing needs=r2
        a.rs 5..6 "k"
        == r5 e3
        a.rs 10..14 "todo! ();"
        == r6 e3 changing
        a.rs 10..14 "panic!();"
        "#,
        r#"
        r1 1/1
        r3 1/1
        r5 1/1
        r2 stale: b.rs does not exist
        r4 needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
        r6 needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
        //- a.rs
        todo! (); todo! (); todo! ();
        "#,
    );
}

/// RS-33, X-41: what is second to errors waits while one stands, and says what would mend that one, if anything would.
#[test]
fn what_is_second_to_errors_waits_for_them() {
    check(
        r#"
        //- a.clank
        f() g() h()
        == r1 o1 after=e1
        a.clank 0..1 "k"
        == r2 e1 changing
        a.clank 4..5 "l"
        == r3 w1 after=w2
        a.clank 8..9 "m"
        == r4 w2 after=x9
        a.clank 11..11 "n"
        "#,
        r#"
        r2 needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
        r1 waits r2: RULE in a.clank comes first
        r3 1/1
        r4 1/1
        //- a.clank
        f() g() m()n
        "#,
    );
}
