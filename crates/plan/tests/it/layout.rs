//! What lays out whole files comes last, and alone in its file (X-80).

use plan::Reason;

use super::notation::{assert_laws, parse};

#[test]
fn layout_waits_for_what_else_is_done_to_the_file() {
    let case = parse(
        r#"
        //- a.json
        {"a": 1}
        //- b.json
        {"b": 1}
        == r1 e1 layout
        a.json replace /a 2
        == r2 i1 likely
        a.json add . z 0
        == r3 i2 layout
        b.json replace /b 2
        == r4 i3 layout
        b.json add . z 0
        "#,
    );
    let plan = case.plan();
    assert_laws(&case, &plan);
    let said: Vec<(&str, Option<Reason>)> = plan
        .ranked
        .iter()
        .map(|it| (it.repair.id.as_str(), it.rejection.as_ref().map(|it| it.reason)))
        .collect();
    // Whatever it resolves, it ranks after the others; of two of them the better one is made.
    assert_eq!(
        said,
        [("r2", None), ("r1", Some(Reason::Waits)), ("r3", None), ("r4", Some(Reason::Waits)),]
    );
    let waits = plan.ranked[1].rejection.as_ref().unwrap();
    assert_eq!(waits.with.as_deref(), Some("r2"));
}
