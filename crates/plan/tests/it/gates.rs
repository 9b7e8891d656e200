//! Who may be chosen at all, and in which order.

use plan::{Reason, Rejection};

use super::notation::{check, check_case, parse};

/// RS-18, RS-33, RS-35 to RS-40, X-26: class, safety, confidence, kind, scope, resolves more; then the rest.
#[test]
fn the_rank_is_the_order_of_the_design() {
    check(
        r#"
        //- a.json
        {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10, "k": 11, "l": 12}
        //- b.json
        {"a": 1, "b": 2}
        == r01 i1
        a.json replace /a 0
        == r02 w1
        a.json replace /b 0
        == r03 h1
        a.json replace /c 0
        == r04 o1
        a.json replace /d 0
        == r05 e1 likely
        a.json replace /e 0
        == r06 e2 medium
        a.json replace /f 0
        == r07 e3 semantics
        a.json replace /g 0
        == r08 e4 refactor
        a.json replace /h 0
        == r09 e5 boundary
        a.json replace /i 0
        == r10 e6
        a.json replace /j 0
        b.json replace /a 0
        == r11 e7
        a.json replace /k 0
        a.json replace /l 0
        == r12 e8 e9
        b.json replace /b 0
        == r13 e10 title=z
        b.json add . z 0
        == r14 e11 rule=ZULU
        b.json add . y 0
        == r15 w2 e12
        b.json add . x 0
        "#,
        r#"
        r12 1/1
        r15 1/1
        r13 1/1
        r14 1/1
        r11 1/2
        r10 2/2
        r09 1/1
        r08 1/1
        r07 1/1
        r06 1/1
        r05 1/1
        r04 1/1
        r03 1/1
        r02 1/1
        r01 1/1
        //- a.json
        {"a": 0, "b": 0, "c": 0, "d": 0, "e": 0, "f": 0, "g": 0, "h": 0, "i": 0, "j": 0, "k": 0, "l": 0}
        //- b.json
        {"a": 0, "b": 0, "x": 0, "z": 0, "y": 0}
        "#,
    );
}

/// RS-5: what is not sure has to be named. RS-17: so has what may change behaviour.
#[test]
fn what_is_barred_or_wrong_or_not_allowed_is_refused_in_this_order() {
    let mut case = parse(
        r#"
        //- a.json
        {"a": 1, "b": 2, "c": 3}
        //- b.json
        {"a": 1}
        //- link.json
        -> a.json
        == r01 e1
        a.json replace /a 2
        == r02 x1 changing
        a.json replace /b 2
        == r03 e3 changing
        b.json replace /nowhere 2
        == r04 e4 changing low
        b.json replace /a 2
        == r05 e5 changing low
        a.json replace /c 2
        == r06 e6 low
        a.json replace /c 2
        == r07 e7
        gone.json replace /c 2
        == r08 e8
        link.json replace /c 2
        == r09 e9
        == r10
        a.json replace /c 2
        == r11 e11
        gone.json 0..1 "x"
        == r12 e12
        a.json replace /c 3
        a.json 0..1 "x"
        == r13 e13
        a.json replace /c 30
        == r14 e14 changing
        a.json add . named 1
        == r15 e15 low
        a.json add . sure 1
        "#,
    );
    let regressed =
        Rejection { reason: Reason::Regressed, with: None, detail: "it made things worse".into() };
    case.barred.insert("r01".into(), regressed);
    case.not_editable.insert("b.json".into());
    case.policy.allow.extend(["r14".to_owned(), "r15".to_owned()]);
    check_case(
        &case,
        r#"
        r09 invalid: it has no operations
        r01 regressed: it made things worse
        r13 1/1
        r07 stale: gone.json does not exist
        r11 stale: gone.json does not exist
        r08 invalid: link.json is not a file that can be read
        r12 invalid: it edits a.json both as text and as a document
        r06 low_confidence: its confidence is low, so it must be named
        r15 1/1
        r14 1/1
        r03 invalid: b.json: there is nothing at `/nowhere`
        r05 needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
        r04 outside_root: b.json is not among the paths that may be edited
        r10 invalid: it does not say what it resolves
        r02 invalid: it resolves "x1", which does not exist
        //- a.json
        {"a": 1, "b": 2, "c": 30, "sure": 1, "named": 1}
        "#,
    );
}

/// RS-48: in either direction. RS-51: alternatives. RS-57: conflict wins over an equal batch key.
#[test]
fn declared_conflicts_hold_in_both_directions() {
    check(
        r#"
        //- a.json
        {"a": 1, "b": 2, "c": 3, "d": 4}
        == r1 e1 not=r2 batch=x
        a.json replace /a 0
        == r2 e2 batch=x
        a.json replace /b 0
        == r3 e3
        a.json replace /c 0
        == r4 e4 not=r3
        a.json replace /d 0
        == r5 w1 e3 likely batch=x
        a.json add . e 0
        "#,
        r#"
        r1 1/1
        r2 conflict r1: they are declared to be incompatible
        r3 1/1
        r4 conflict r3: they are declared to be incompatible
        r5 conflict r3: both resolve e3
        //- a.json
        {"a": 0, "b": 2, "c": 0, "d": 4}
        "#,
    );
}

/// RS-49, RS-55: what is required comes first, and what it waits for is named.
#[test]
fn a_repair_waits_for_those_it_requires() {
    let mut case = parse(
        r#"
        //- a.json
        {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
        == r1 e1 needs=r9
        a.json replace /a 0
        == r2 e2
        a.json add . x 2
        == r9 w9
        a.json add . x {}
        == r3 e3 needs=nobody
        a.json replace /b 0
        == r4 e4 needs=r5
        a.json replace /c 0
        == r5 e5 needs=r6
        a.json replace /d 0
        == r6 e6 needs=r4
        a.json replace /e 0
        == r7 e7 needs=r4
        a.json add . y 0
        == r8 e8 needs=earlier
        a.json add . z 0
        == ra ea needs=r9
        a.json add /x y 0
        == rb eb needs=rc
        a.json add . rb 0
        == rc ec low
        a.json add . rc 0
        "#,
    );
    case.applied.insert("earlier".into());
    check_case(
        &case,
        r#"
        r1 1/1
        r2 conflict r9: a.json: both write to `/x`
        r3 invalid: it requires "nobody", which does not exist
        r4 invalid: repairs require each other in a cycle: r4, r5, r6
        r5 invalid: repairs require each other in a cycle: r4, r5, r6
        r6 invalid: repairs require each other in a cycle: r4, r5, r6
        r7 precondition_failed r4: it requires r4, which is not applied
        r8 1/1
        ra precondition_failed r9: it requires r9, and until then: a.json: there is nothing at `/x`
        rb precondition_failed rc: it requires rc, which is not applied
        rc low_confidence: its confidence is low, so it must be named
        r9 1/1
        //- a.json
        {"a": 0, "b": 2, "c": 3, "d": 4, "e": 5, "z": 0, "x": {}}
        "#,
    );
}

/// X-17: what the user has named wins, whatever its rank.
#[test]
fn a_named_repair_wins_its_conflicts() {
    let mut case = parse(
        r#"
        //- a.json
        {"a": 1}
        == r1 e1
        a.json replace /a 2
        == r2 e1 changing low
        a.json replace /a 3
        "#,
    );
    check_case(
        &case,
        r#"
        r1 1/1
        r2 needs_approval: it is behavior_changing, and only up to likely_preserving is applied without being named
        //- a.json
        {"a": 2}
        "#,
    );
    case.policy.allow.insert("r2".into());
    check_case(
        &case,
        r#"
        r1 conflict r2: both resolve e1
        r2 1/1
        //- a.json
        {"a": 3}
        "#,
    );
}

#[test]
fn an_id_names_one_repair() {
    check(
        r#"
        //- a.json
        {"a": 1, "b": 2, "c": 3}
        == r1 e1
        a.json replace /a 2
        == r1 e1
        a.json replace /a 2
        == r2 e2
        a.json replace /b 2
        == r2 e3 changing
        a.json replace /c 2
        "#,
        r#"
        r1 1/1
        r1 conflict r1: the same repair is listed twice
        r2 invalid: 2 different repairs have the id "r2"
        r2 invalid: 2 different repairs have the id "r2"
        //- a.json
        {"a": 2, "b": 2, "c": 3}
        "#,
    );
}
