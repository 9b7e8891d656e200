//! Every pair of state and event, with what must come of it (DF-39, DF-44, X-34).

use super::*;
use crate::record::Status::{Approved as Yes, Executed, Failed, Proposed, Rejected};

const NOW: i64 = 1_000_000_000;

fn at(seconds: i64) -> Moment {
    Moment::from_micros(NOW).plus_seconds(seconds)
}

fn lease(holder: &str, until: i64, phase: Phase) -> Option<Lease> {
    Some(Lease { holder: holder.to_owned(), until: at(until), phase })
}

/// All states, with the names that the table uses.
fn states() -> Vec<(String, RecordState)> {
    let mut states: Vec<(String, RecordState)> = Status::ALL
        .into_iter()
        .map(|status| (status.name().to_owned(), RecordState { status, lease: None }))
        .collect();
    for phase in [Phase::Claimed, Phase::Running, Phase::Committing] {
        let held = RecordState { status: Yes, lease: lease("me", 60, phase) };
        let gone = RecordState { status: Yes, lease: lease("me", 0, phase) };
        states.push((format!("approved+{}", phase.name()), held));
        states.push((format!("approved+{}+expired", phase.name()), gone));
    }
    states
}

/// All events, by everybody who could send them.
fn events() -> Vec<(String, Event)> {
    let mut events = vec![
        ("approve".to_owned(), Event::Approve(Approved::for_tests("a person"))),
        ("sign".to_owned(), Event::Sign),
        ("plan".to_owned(), Event::Plan),
        ("reject".to_owned(), Event::Reject),
        ("withdraw".to_owned(), Event::Withdraw),
        ("comment".to_owned(), Event::Comment),
    ];
    for outcome in ExecutionOutcome::ALL {
        events.push((format!("close as {}", outcome.name()), Event::Close { outcome }));
    }
    for who in ["me", "other"] {
        let holder = who.to_owned();
        let mut add = |name: &str, event: Event| events.push((format!("{name} by {who}"), event));
        add("claim", Event::Claim { holder: holder.clone(), now: at(1), until: at(100) });
        add("begin", Event::Begin { holder: holder.clone() });
        add("commit", Event::Commit { holder: holder.clone() });
        add("release", Event::Release { holder: holder.clone() });
        add("renew", Event::Renew { holder: holder.clone(), until: at(200) });
        for outcome in ExecutionOutcome::ALL {
            add(outcome.name(), Event::Finish { holder: holder.clone(), outcome });
        }
    }
    events
}

fn describe(state: &RecordState) -> String {
    match &state.lease {
        None => state.status.to_string(),
        Some(it) => {
            let seconds = (it.until.micros() - NOW) / 1_000_000;
            format!("{}, {} has it {} until {seconds}", state.status, it.holder, it.phase.name())
        }
    }
}

/// What is legal, written down by hand: state, event, state after. Every other pair is refused.
const LEGAL: &[(&str, &str, &str)] = &[
    ("proposed", "approve", "approved"),
    ("proposed", "sign", "proposed"),
    ("proposed", "plan", "proposed"),
    ("proposed", "reject", "rejected"),
    // taking a yes back changes no status; no is legal as long as nobody runs it.
    ("proposed", "withdraw", "proposed"),
    ("approved", "approve", "approved"),
    ("approved", "sign", "approved"),
    ("approved", "withdraw", "approved"),
    ("approved", "reject", "rejected"),
    // what was carried out in another clone is closed here.
    ("proposed", "close as success", "executed"),
    ("proposed", "close as failed", "failed"),
    ("proposed", "close as error", "failed"),
    ("approved", "close as success", "executed"),
    ("approved", "close as failed", "failed"),
    ("approved", "close as error", "failed"),
    ("approved", "claim by me", "approved, me has it claimed until 100"),
    ("approved", "claim by other", "approved, other has it claimed until 100"),
    // The holder goes on, phase by phase, and never back.
    ("approved+claimed", "begin by me", "approved, me has it running until 60"),
    ("approved+claimed+expired", "begin by me", "approved, me has it running until 0"),
    // What is attached is written without a tool.
    ("approved+claimed", "commit by me", "approved, me has it committing until 60"),
    ("approved+claimed+expired", "commit by me", "approved, me has it committing until 0"),
    ("approved+running", "commit by me", "approved, me has it committing until 60"),
    ("approved+running+expired", "commit by me", "approved, me has it committing until 0"),
    // a refusal is not a failure, and only the holder can say that it is one: that the tool which was about to start
    // did not, because its approval had been used up meanwhile.
    ("approved+running", "release by me", "approved"),
    ("approved+running+expired", "release by me", "approved"),
    ("approved+claimed", "release by me", "approved"),
    ("approved+claimed+expired", "release by me", "approved"),
    ("approved+committing", "release by me", "approved"),
    ("approved+committing+expired", "release by me", "approved"),
    // A success is only what was committed.
    ("approved+committing", "success by me", "executed"),
    ("approved+committing+expired", "success by me", "executed"),
    // An expired lease passes on with its phase.
    ("approved+claimed+expired", "claim by me", "approved, me has it claimed until 100"),
    ("approved+claimed+expired", "claim by other", "approved, other has it claimed until 100"),
    ("approved+running+expired", "claim by me", "approved, me has it running until 100"),
    ("approved+running+expired", "claim by other", "approved, other has it running until 100"),
    ("approved+committing+expired", "claim by me", "approved, me has it committing until 100"),
    (
        "approved+committing+expired",
        "claim by other",
        "approved, other has it committing until 100",
    ),
];

fn expected(state: &str, event: &str) -> Option<String> {
    if let Some((_, _, after)) = LEGAL.iter().find(|it| it.0 == state && it.1 == event) {
        return Some((*after).to_owned());
    }
    if event == "comment" {
        return states().iter().find(|it| it.0 == state).map(|it| describe(&it.1));
    }
    let mut parts = state.split('+');
    let phase = parts.next().and(parts.next())?;
    match event {
        "renew by me" => Some(format!("approved, me has it {phase} until 200")),
        "failed by me" | "error by me" => Some("failed".to_owned()),
        _ => None,
    }
}

/// DF-39, DF-44.
#[test]
fn every_pair_of_state_and_event() {
    let mut n_pairs = 0;
    for (state_name, state) in states() {
        for (event_name, event) in events() {
            let after = step(&state, &event);
            let found = after.as_ref().ok().map(describe);
            assert_eq!(
                found,
                expected(&state_name, &event_name),
                "{state_name} × {event_name}: {after:?}"
            );
            n_pairs += 1;
        }
    }
    assert_eq!(n_pairs, 11 * 28);
    assert!(LEGAL.iter().all(|row| states().iter().any(|it| it.0 == row.0)));
}

/// DF-43, DF-44.
#[test]
fn what_is_over_stays_over() {
    for status in [Rejected, Executed, Failed] {
        for (name, event) in events().into_iter().filter(|it| it.0 != "comment") {
            let refused = step(&RecordState { status, lease: None }, &event);
            assert!(matches!(refused, Err(TransitionRefusal::Status { .. })), "{status} × {name}");
        }
    }
    let leap = Event::Finish { holder: "me".to_owned(), outcome: ExecutionOutcome::Success };
    assert!(step(&RecordState { status: Proposed, lease: None }, &leap).is_err());
}

#[test]
fn a_refusal_says_what_is_in_the_way() {
    let state = RecordState { status: Yes, lease: lease("me", 60, Phase::Running) };
    let claim = Event::Claim { holder: "other".to_owned(), now: at(1), until: at(100) };
    insta::assert_snapshot!(step(&state, &claim).unwrap_err(), @"me runs it until 1970-01-01T00:17:40Z");
    let state = RecordState { status: Executed, lease: None };
    insta::assert_snapshot!(step(&state, &Event::Reject).unwrap_err(), @"a record that is executed cannot be rejected");
}
