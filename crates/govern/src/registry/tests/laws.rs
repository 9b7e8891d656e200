//! Random lives of random records, next to a model in memory: the same states, versions and refusals, and a trail that
//! explains all of it.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{RngSeed, TestRunner};

use super::*;
use crate::lifecycle::{Phase, step};
use crate::record::Status;

fn any_event() -> impl Strategy<Value = Event> {
    let holder = || prop::sample::select(vec!["a".to_owned(), "b".to_owned()]);
    prop_oneof![
        3 => Just(approve()),
        1 => Just(Event::Reject),
        4 => (holder(), 0_i64..100, 0_i64..200).prop_map(|(holder, now, until)| {
            Event::Claim { holder, now: at(now), until: at(until) }
        }),
        4 => holder().prop_map(|holder| Event::Begin { holder }),
        4 => holder().prop_map(|holder| Event::Commit { holder }),
        2 => holder().prop_map(|holder| Event::Release { holder }),
        2 => (holder(), 0_i64..300).prop_map(|(holder, until)| Event::Renew { holder, until: at(until) }),
        2 => (holder(), prop::sample::select(ExecutionOutcome::ALL.to_vec()))
            .prop_map(|(holder, outcome)| Event::Finish { holder, outcome }),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Add,
    /// What comes next in a life that goes well or ends with that outcome: at random alone, few lives get anywhere.
    Forward {
        idx: usize,
        outcome: ExecutionOutcome,
    },
    Happen {
        idx: usize,
        is_stale: bool,
        event: Event,
    },
    Correct,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Add),
        8 => (0_usize..6, prop::sample::select(ExecutionOutcome::ALL.to_vec()))
            .prop_map(|(idx, outcome)| Step::Forward { idx, outcome }),
        8 => (0_usize..6, prop::bool::weighted(0.1), any_event())
            .prop_map(|(idx, is_stale, event)| Step::Happen { idx, is_stale, event }),
        1 => Just(Step::Correct),
    ]
}

/// What is known of a record: its state, how often it changed, how many lines speak of it.
struct Known {
    id: Id,
    state: RecordState,
    version: i64,
    n_lines: usize,
}

pub(super) fn random_lives_are_those_of_the_model(place: &AuditSubject) {
    let config = ProptestConfig {
        cases: 12,
        rng_seed: RngSeed::Fixed(6),
        failure_persistence: None,
        max_shrink_iters: 40,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new(config);
    // One registry for all cases: what others did before must not matter.
    runner
        .run(&prop::collection::vec(any_step(), 1..60), |mut steps| {
            steps.splice(0..0, [Step::Add, Step::Add, Step::Add]);
            live(&mut place.open(), &steps);
            Ok(())
        })
        .unwrap();
    let mut registry = place.open();
    assert!(assert_sound(&mut registry).n_lines > 150);
    for status in Status::ALL {
        assert!(
            !registry.list(Some(status.name())).unwrap().is_empty(),
            "no life came to {status}"
        );
    }
}

fn forward(state: &RecordState, outcome: ExecutionOutcome) -> Event {
    let holder = state.lease.as_ref().map_or("a", |it| it.holder.as_str());
    match (state.status, state.lease.as_ref().map(|it| it.phase)) {
        (Status::Approved, None) => claim(holder, 0, 50),
        (Status::Approved, Some(Phase::Claimed)) => begin(holder),
        (Status::Approved, Some(Phase::Running)) if outcome == ExecutionOutcome::Success => {
            commit(holder)
        }
        (Status::Approved, Some(_)) => finish(holder, outcome),
        _ => approve(),
    }
}

fn live(registry: &mut Registry, steps: &[Step]) {
    let mut model: Vec<Known> = Vec::new();
    for each in steps {
        let each = match each {
            Step::Forward { idx, outcome } => {
                let Some(known) = model.get(*idx) else { continue };
                let event = forward(&known.state, *outcome);
                &Step::Happen { idx: *idx, is_stale: false, event }
            }
            other => other,
        };
        match each {
            Step::Forward { .. } => unreachable!("it was made an event"),
            Step::Add => {
                let stored = registry.add(&proposal(), None, "ann", at(0)).unwrap();
                model.push(Known {
                    id: stored.record.id,
                    state: stored.state,
                    version: 1,
                    n_lines: 1,
                });
            }
            Step::Correct => {
                while let Some(stored) = registry.correct_oldest("worker", at(300)).unwrap() {
                    model.push(Known {
                        id: stored.record.id,
                        state: stored.state,
                        version: 1,
                        n_lines: 1,
                    });
                }
            }
            Step::Happen { idx, is_stale, event } => {
                let Some(known) = model.get_mut(*idx) else { continue };
                let version = if *is_stale { known.version - 1 } else { known.version };
                let told = happen(registry, &known.id, Expected::Version(version), event);
                match step(&known.state, event) {
                    _ if *is_stale => {
                        assert_eq!(
                            told,
                            Err(HappenError::Conflict { expected: version, found: known.version })
                        );
                    }
                    Err(refusal) => {
                        assert_eq!(told, Err(HappenError::Refused(refusal)));
                        known.n_lines += 1;
                    }
                    Ok(state) => {
                        assert_eq!(told.unwrap().state, state);
                        known.state = state;
                        known.version += 1;
                        known.n_lines += 1;
                    }
                }
            }
        }
    }
    for known in &model {
        let dossier = registry.get(&known.id).unwrap().unwrap();
        let RegistryEntry::Current(stored) = &dossier.entry else { panic!("it is of today") };
        assert_eq!((&stored.state, stored.version), (&known.state, known.version));
        assert_eq!(dossier.history.len(), known.n_lines);
    }
    assert_sound(registry);
}

/// Any JSON without numbers that two readers could take for different ones.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1000_i64..1000).prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has finite numbers", |it| it.is_finite())
            .prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,4}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A record of today or of before, good or with something in it replaced by whatever there is.
fn any_proposal() -> impl Strategy<Value = Value> {
    let status = prop::sample::select(vec!["proposed", "rejected", "executed", "failed"]);
    let replaced = prop::option::weighted(
        0.3,
        prop::sample::select(vec!["id", "goal", "status", "constraints"]),
    );
    (0_u32..1000, any::<bool>(), status, replaced, any_json()).prop_map(
        |(number, is_legacy, status, replaced, any)| {
            let mut value = proposal();
            let form = if is_legacy { "DDS-GEN" } else { "DDS-20260101-CODE" };
            value["id"] = json!(format!("{form}-{number:03}"));
            value["status"] = json!(status);
            value[replaced.unwrap_or("x_any")] = any;
            value
        },
    )
}

/// Whatever is imported comes out as it went in; whatever is not leaves nothing.
pub(super) fn an_import_is_lossless_or_nothing(place: &AuditSubject) {
    let config = ProptestConfig {
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = TestRunner::new(config);
    let patch = || prop::option::of(prop::collection::vec(any::<u8>(), 0..9));
    let files = prop::collection::vec((any_proposal(), patch()), 1..4);
    let (mut n_taken, mut n_refused) = (0, 0);
    let mut expected: Vec<Value> = Vec::new();
    let mut registry = place.open();
    for _ in 0..40 {
        let file = files.new_tree(&mut runner).unwrap().current();
        let proposals: Vec<Value> = file.iter().map(|(value, _)| value.clone()).collect();
        let patches: Vec<(String, Vec<u8>)> = file
            .iter()
            .filter_map(|(value, patch)| Some((value["id"].as_str()?.to_owned(), patch.clone()?)))
            .collect();
        let written = crate::exchange::write(proposals.clone(), &patches, Vec::new());
        let incoming = crate::exchange::read(&written.dds.to_string(), None).unwrap();
        match registry.import(&incoming, "ann", at(0)) {
            Ok(_) => {
                expected.extend(proposals);
                n_taken += 1;
            }
            Err(ImportError::Faults { .. }) => n_refused += 1,
            Err(error) => panic!("{error}"),
        }
        let exported = registry.export().unwrap().dds["proposals"].to_string();
        assert_eq!(exported, Value::from(expected.clone()).to_string());
    }
    assert!(n_taken > 5 && n_refused > 5, "{n_taken} {n_refused}");
    assert_sound(&mut registry);
}
