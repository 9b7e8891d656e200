//! Adding records, what happens to them, and what is refused.

use super::*;
use crate::lifecycle::{Lease, Phase};
use crate::record::Status;

pub(super) fn a_record_comes_back_as_it_was_added(place: &AuditSubject) {
    let mut registry = place.open();
    let patch = [0, 255, b'\n', 0];
    let stored = registry.add(&proposal(), Some(&patch), "ann", at(0)).unwrap();
    assert_eq!(stored.record.id, id("DDS-20260202-CODE-001"));
    assert_eq!((stored.version, stored.state.status), (1, Status::Proposed));

    let mut expected = proposal();
    let members = expected.as_object_mut().unwrap();
    members.shift_insert(0, "id".to_owned(), json!("DDS-20260202-CODE-001"));
    let dossier = place.open().get(&stored.record.id).unwrap().unwrap();
    assert_eq!(dossier.entry.to_json().to_string(), expected.to_string());
    assert_eq!(dossier.entry, RegistryEntry::Current(Box::new(stored)));
    assert_eq!(dossier.patch.as_deref(), Some(&patch[..]));
    assert_eq!((dossier.reports.len(), dossier.approval), (0, None));
    assert_eq!(dossier.history.len(), 1);
    assert_eq!(registry.get(&id("DDS-20260202-CODE-002")).unwrap(), None);
    assert_sound(&mut registry);
}

pub(super) fn ids_are_minted_without_gaps_or_repeats(place: &AuditSubject) {
    let mut registry = place.open();
    let mut add = |value: &Value, seconds: i64| {
        registry.add(value, None, "ann", at(seconds)).map(|it| it.record.id.to_string())
    };
    assert_eq!(add(&proposal(), 0).unwrap(), "DDS-20260202-CODE-001");
    let mut named = proposal();
    named["id"] = json!("DDS-20260202-CODE-007");
    assert_eq!(add(&named, 0).unwrap(), "DDS-20260202-CODE-007");
    assert_eq!(add(&proposal(), 0).unwrap(), "DDS-20260202-CODE-008");
    assert_eq!(add(&proposal(), 86_400).unwrap(), "DDS-20260203-CODE-001");
    named["id"] = json!("DDS-20260202-CODE-999");
    add(&named, 0).unwrap();
    assert!(matches!(add(&proposal(), 0), Err(AddError::NoFreeId(_))));
}

pub(super) fn all_faults_are_said_and_nothing_is_stored(place: &AuditSubject) {
    let mut registry = place.open();
    let mut value = proposal();
    value["status"] = json!("approved");
    value["version"] = json!("2");
    value["allowed_paths"] = json!(["../x"]);
    let Err(AddError::Faults { faults }) = registry.add(&value, None, "ann", at(0)) else {
        panic!("it was stored")
    };
    let places: Vec<&str> = faults.iter().map(|it| it.pointer.as_str()).collect();
    assert_eq!(places, ["/version", "/status", "/allowed_paths/0"]);
    assert!(matches!(registry.add(&json!(1), None, "ann", at(0)), Err(AddError::Faults { .. })));
    assert_eq!(
        registry.add(&proposal(), None, "a\nb", at(0)),
        Err(AddError::Registry(RegistryError::Name { what: "the actor" }))
    );
    assert_eq!(registry.list(None).unwrap(), []);
    assert_eq!(assert_sound(&mut registry).n_lines, 0);
}

///
pub(super) fn a_taken_id_is_refused_also_with_equal_bytes(place: &AuditSubject) {
    let mut registry = place.open();
    let mut value = proposal();
    value["id"] = json!("DDS-20260202-CODE-001");
    registry.add(&value, None, "ann", at(0)).unwrap();
    let Err(AddError::Faults { faults }) = registry.add(&value, None, "ann", at(0)) else {
        panic!("it was stored twice")
    };
    assert_eq!(faults[0].message, "a record DDS-20260202-CODE-001 is stored already");
    assert_eq!(registry.list(None).unwrap().len(), 1);
}

/// DF-33, DF-39, DF-42, DF-48.
pub(super) fn a_life_from_proposal_to_execution(place: &AuditSubject) {
    let mut registry = place.open();
    let events = [
        approve(),
        claim("w", 1, 60),
        begin("w"),
        commit("w"),
        finish("w", ExecutionOutcome::Success),
    ];
    let id = after(&mut registry, &events);
    let dossier = registry.get(&id).unwrap().unwrap();
    assert_eq!(dossier.entry.status(), "executed");
    assert_eq!(dossier.report(), Some(report(&id, ExecutionOutcome::Success)));
    assert_eq!(dossier.approval, Some(json!({ "regreen_approval": 1, "dds": id.as_str() })));
    let told: Vec<String> = dossier
        .history
        .iter()
        .map(|it| {
            format!("{} {} {}→{}", it.actor, it.event, it.from.as_deref().unwrap_or("-"), it.to)
        })
        .collect();
    assert_eq!(
        told,
        [
            "ann add -→proposed",
            "ann approve proposed→approved",
            "ann claim approved→approved",
            "ann begin approved→approved",
            "ann commit approved→approved",
            "ann finish approved→executed",
        ]
    );
    assert_eq!(registry.list(Some("executed")).unwrap().len(), 1);
    assert_eq!(registry.list(Some("approved")).unwrap(), []);
    assert_eq!(registry.list(Some("\0")).unwrap(), []);
    assert_sound(&mut registry);
}

/// DF-44.
pub(super) fn a_refused_event_leaves_one_line_and_nothing_else(place: &AuditSubject) {
    let mut registry = place.open();
    let id = after(&mut registry, &[Event::Reject]);
    let before = registry.get(&id).unwrap().unwrap();
    let events = [approve(), Event::Reject, claim("w", 1, 9), finish("w", ExecutionOutcome::Error)];
    for (n_refused, event) in (1..).zip(&events) {
        let refused = happen(&mut registry, &id, Expected::Version(2), event);
        assert!(matches!(refused, Err(HappenError::Refused(_))), "{event:?}");
        let now = registry.get(&id).unwrap().unwrap();
        assert_eq!(now.entry, before.entry);
        assert_eq!((now.reports.len(), now.approval), (0, None));
        assert_eq!(now.history.len(), before.history.len() + n_refused);
        assert!(now.history.last().unwrap().refused().is_some());
    }
    let unknown = Id::parse("DDS-20260202-CODE-500").unwrap();
    assert_eq!(
        happen(&mut registry, &unknown, Expected::Any, &approve()),
        Err(HappenError::Unknown { id: unknown.clone() })
    );
    assert_eq!(assert_sound(&mut registry).n_lines, 6);
}

pub(super) fn an_old_version_is_a_conflict_and_leaves_nothing(place: &AuditSubject) {
    let mut registry = place.open();
    let id = after(&mut registry, &[approve()]);
    assert_eq!(
        happen(&mut registry, &id, Expected::Version(1), &claim("w", 1, 9)),
        Err(HappenError::Conflict { expected: 1, found: 2 })
    );
    assert_eq!(assert_sound(&mut registry).n_lines, 2);
    assert_eq!(
        happen(&mut registry, &id, Expected::Version(2), &claim("w", 1, 9)).unwrap().version,
        3
    );
}

pub(super) fn a_report_comes_with_the_end_and_only_then(place: &AuditSubject) {
    let mut registry = place.open();
    let id = after(&mut registry, &[approve(), claim("w", 1, 60), begin("w")]);
    let other = Id::parse("DDS-20260202-CODE-500").unwrap();
    let failed = finish("w", ExecutionOutcome::Failed);
    let mut attempt = |event: &Event, report: Option<&Report>| {
        let (expected, now) = (Expected::Any, at(2));
        registry.happen(&RecordChange {
            id: &id,
            expected,
            event,
            actor: "w",
            now,
            report,
            details: None,
        })
    };
    assert_eq!(attempt(&failed, None), Err(HappenError::Report));
    assert_eq!(
        attempt(&failed, Some(&report(&other, ExecutionOutcome::Failed))),
        Err(HappenError::Report)
    );
    assert_eq!(
        attempt(&failed, Some(&report(&id, ExecutionOutcome::Error))),
        Err(HappenError::Report)
    );
    assert_eq!(
        attempt(&commit("w"), Some(&report(&id, ExecutionOutcome::Failed))),
        Err(HappenError::Report)
    );
    assert_eq!(attempt(&approve(), None), Err(HappenError::NoDocument));
    assert!(attempt(&failed, Some(&report(&id, ExecutionOutcome::Failed))).is_ok());
    assert_sound(&mut registry);
}

/// DF-31, DF-40, DF-43, DF-46, X-32.
pub(super) fn a_failure_gets_one_correction_ever(place: &AuditSubject) {
    let mut registry = place.open();
    let source = after(&mut registry, &[approve()]);
    let correct = |registry: &mut Registry| registry.correct_oldest("worker", at(40)).unwrap();
    assert_eq!(correct(&mut registry), None, "it has not failed");
    for event in &failing()[1..] {
        happen(&mut registry, &source, Expected::Any, event).unwrap();
    }
    assert_eq!(registry.correction_of(&source).unwrap(), None);
    let fix = correct(&mut registry).unwrap();
    assert_eq!(fix.record.id, id("DDS-FIX-20260202-001"));
    assert_eq!(fix.record.source(), Some(&source));
    assert_eq!(fix.state.status, Status::Proposed);
    assert_eq!(registry.correction_of(&source).unwrap(), Some(fix.record.id.clone()));
    assert_eq!(registry.correction_of(&fix.record.id).unwrap(), None);
    assert_eq!(correct(&mut registry), None, "it has its correction");
    let mut by_hand = fix.to_json();
    by_hand.as_object_mut().unwrap().shift_remove("id");
    assert!(matches!(
        registry.add(&by_hand, None, "ann", at(0)),
        Err(AddError::Faults { faults }) if faults.len() == 1 && faults[0].pointer == "/source_dds"
    ));
    happen(&mut registry, &fix.record.id, Expected::Any, &Event::Reject).unwrap();
    assert_eq!(correct(&mut registry), None, "a rejected correction is one");
    assert_sound(&mut registry);

    after(&mut registry, &failing());
    let fix = correct(&mut registry).unwrap().record.id;
    for event in &failing() {
        happen(&mut registry, &fix, Expected::Any, event).unwrap();
    }
    assert_eq!(correct(&mut registry), None, "a correction gets none");
    let mut built_in = proposal();
    built_in["tool"] = json!(crate::execute::BUILTIN);
    let built_in = registry.add(&built_in, None, "ann", at(0)).unwrap().record.id;
    for event in &failing() {
        happen(&mut registry, &built_in, Expected::Any, event).unwrap();
    }
    assert_eq!(correct(&mut registry), None, "nothing would be attached to it");
    let behind = after(&mut registry, &failing());
    assert_eq!(correct(&mut registry).unwrap().record.source(), Some(&behind), "it is not held up");
}

pub(super) fn the_oldest_failure_is_corrected_first(place: &AuditSubject) {
    let mut registry = place.open();
    let late = after(&mut registry, &failing()[..3]);
    let early = after(&mut registry, &failing());
    happen(&mut registry, &late, Expected::Any, &finish("w", ExecutionOutcome::Failed)).unwrap();
    // that an executor died says nothing about what it carried out.
    let died = after(&mut registry, &failing()[..3]);
    happen(&mut registry, &died, Expected::Any, &finish("w", ExecutionOutcome::Error)).unwrap();
    let mut next = || registry.correct_oldest("worker", at(50)).unwrap().map(|it| it.record);
    assert_eq!(next().unwrap().source(), Some(&early));
    assert_eq!(next().unwrap().source(), Some(&late));
    assert_eq!(next(), None);
    assert_sound(&mut registry);
}

/// two repositories on one registry, and a record of neither.
pub(super) fn a_record_is_that_of_its_repository(place: &AuditSubject) {
    let mut registry = place.open();
    let stray = after(&mut registry, &[approve()]);
    let mut own = |repository: &str, events: &[Event]| {
        registry.set_scope(Scope::Repository(Some(repository.to_owned())));
        after(&mut registry, events)
    };
    let (a, b) = ("a".repeat(32), "b".repeat(32));
    let failed = own(&a, &failing());
    let waiting = own(&a, &[approve()]);
    let other = own(&b, &[approve()]);
    let ids = |registry: &mut Registry| -> Vec<Id> {
        registry.list(None).unwrap().iter().map(|it| it.id().clone()).collect()
    };
    let holder = Holder::new("ws", "x");
    registry.set_scope(Scope::Repository(Some(b.clone())));
    assert_eq!(ids(&mut registry), [stray.clone(), other.clone()]);
    assert_eq!(registry.get(&waiting).unwrap(), None);
    let unknown = happen(&mut registry, &waiting, Expected::Any, &Event::Reject);
    assert_eq!(unknown.unwrap_err(), HappenError::Unknown { id: waiting.clone() });
    assert_eq!(registry.correct_oldest("worker", at(50)).unwrap(), None, "a's failure");
    let claimed = registry.claim_next(&holder, at(60), at(70)).unwrap().unwrap();
    assert_eq!(claimed.record.id, other);
    assert_eq!(registry.claim_next(&holder, at(60), at(70)).unwrap(), None, "nor the stray");
    registry.set_scope(Scope::Repository(None));
    assert_eq!(ids(&mut registry), std::slice::from_ref(&stray));
    assert_eq!(registry.claim_next(&holder, at(60), at(70)).unwrap(), None);
    registry.set_scope(Scope::Repository(Some(a.clone())));
    let fix = registry.correct_oldest("worker", at(50)).unwrap().unwrap().record;
    assert_eq!(fix.source(), Some(&failed));
    let claimed = registry.claim_next(&holder, at(60), at(70)).unwrap().unwrap();
    assert_eq!(claimed.record.id, waiting);
    assert_sound(&mut registry);
    // Who gives a record to another repository behind the registry's back is found out.
    let values = [Param::Text(&b), Param::Text(&a)];
    place.raw("UPDATE dds_records SET repository = $1 WHERE repository = $2", &values);
    let flaws = registry.verify().unwrap().flaws;
    assert!(flaws.iter().any(|it| it.message.contains("another repository")), "{flaws:?}");
}

/// two repositories use the same names, and neither sees, changes or holds up what the other calls so.
pub(super) fn names_are_each_repositorys_own(place: &AuditSubject) {
    let mut registry = place.open();
    let (a, b) = ("a".repeat(32), "b".repeat(32));
    let scoped = |registry: &mut Registry, repository: &str| {
        registry.set_scope(Scope::Repository(Some(repository.to_owned())));
    };
    let mut named = proposal();
    named["id"] = json!("DDS-20260202-CODE-007");
    for (repository, patch) in [(&a, b"a's"), (&b, b"b's")] {
        scoped(&mut registry, repository);
        registry.add(&named, Some(patch), "ann", at(0)).unwrap();
        let Err(AddError::Faults { .. }) = registry.add(&named, None, "ann", at(0)) else {
            panic!("it was stored twice in one repository")
        };
        let minted = registry.add(&proposal(), None, "ann", at(0)).unwrap().record.id;
        assert_eq!(minted.as_str(), "DDS-20260202-CODE-008", "each counts by itself");
    }
    let shared = id("DDS-20260202-CODE-007");
    // What b does changes nothing of a's.
    for event in failing() {
        happen(&mut registry, &shared, Expected::Any, &event).unwrap();
    }
    let fix = registry.correct_oldest("worker", at(50)).unwrap().unwrap().record;
    assert_eq!((fix.id.as_str(), fix.source()), ("DDS-FIX-20260202-001", Some(&shared)));
    assert_eq!(registry.correct_oldest("worker", at(51)).unwrap(), None);
    let failed = registry.get(&shared).unwrap().unwrap();
    assert_eq!((failed.entry.status(), failed.reports.len()), ("failed", 1));
    assert_eq!(failed.patch.as_deref(), Some(&b"b's"[..]));
    scoped(&mut registry, &a);
    let waiting = registry.get(&shared).unwrap().unwrap();
    assert_eq!((waiting.entry.status(), waiting.reports.len()), ("proposed", 0));
    assert_eq!(waiting.patch.as_deref(), Some(&b"a's"[..]));
    assert_eq!((waiting.history.len(), waiting.approval), (1, None));
    assert_eq!(registry.correction_of(&shared).unwrap(), None);
    assert_eq!(registry.correct_oldest("worker", at(52)).unwrap(), None);
    // The same happens to a's then.
    for event in failing() {
        happen(&mut registry, &shared, Expected::Any, &event).unwrap();
    }
    let again = registry.correct_oldest("worker", at(53)).unwrap().unwrap().record;
    assert_eq!(again.id, fix.id);
    assert_sound(&mut registry);
    // A line that was moved from one to the other is found.
    let key = format!("{b}:DDS-20260202-CODE-007");
    let values = [Param::Text("DDS-20260202-CODE-007"), Param::Text(&key)];
    place.raw("UPDATE dds_audit SET id = $1 WHERE id = $2", &values);
    assert!(!registry.verify().unwrap().flaws.is_empty());
}

/// what is attached is replaced while nobody has decided, and not after.
pub(super) fn what_is_attached_is_replaced_before_the_decision(place: &AuditSubject) {
    let mut registry = place.open();
    let id = registry.add(&proposal(), Some(b"first"), "ann", at(0)).unwrap().record.id;
    let given = json!({ "as_configured": false });
    for (version, bytes) in [(1, b"second"), (2, b"third!")] {
        let stored = registry.attach(&id, version, bytes, &given, "ann", at(1)).unwrap();
        assert_eq!(stored.version, version + 1);
        assert_eq!(registry.get(&id).unwrap().unwrap().patch.as_deref(), Some(&bytes[..]));
        assert_sound(&mut registry);
    }
    let late = registry.attach(&id, 1, b"late", &given, "ann", at(2));
    assert_eq!(late.unwrap_err(), HappenError::Conflict { expected: 1, found: 3 });
    happen(&mut registry, &id, Expected::Any, &approve()).unwrap();
    let decided = registry.attach(&id, 4, b"after", &given, "ann", at(2));
    assert!(matches!(decided, Err(HappenError::Refused(_))), "{decided:?}");
    assert_eq!(registry.get(&id).unwrap().unwrap().patch.as_deref(), Some(&b"third!"[..]));
    let mut bare = proposal();
    bare["goal"] = json!("nothing is attached to it yet");
    let bare = registry.add(&bare, None, "ann", at(0)).unwrap().record.id;
    registry.attach(&bare, 1, b"plan", &given, "ann", at(1)).unwrap();
    assert_sound(&mut registry);
}

pub(super) fn a_lease_that_ended_is_taken_over_with_its_phase(place: &AuditSubject) {
    let mut registry = place.open();
    let id = after(&mut registry, &[approve()]);
    let mut claim_at = |process: &str, now: i64| {
        let claimed = registry.claim_next(&Holder::new("ws", process), at(now), at(now + 60));
        claimed.unwrap().map(|it| it.state.lease)
    };
    let lease = |holder: &str, until: i64, phase: Phase| {
        Some(Some(Lease { holder: holder.to_owned(), until: at(until), phase }))
    };
    assert_eq!(claim_at("a", 0), lease("ws#a", 60, Phase::Claimed));
    assert_eq!(claim_at("b", 59), None);
    happen(&mut place.open(), &id, Expected::Any, &begin("ws#a")).unwrap();
    assert_eq!(claim_at("b", 60), lease("ws#b", 120, Phase::Running));
    assert_eq!(claim_at("c", 119), None);
    assert_eq!(claim_at("c", 120), lease("ws#c", 180, Phase::Running));
    let late = happen(&mut registry, &id, Expected::Any, &finish("ws#a", ExecutionOutcome::Error));
    assert!(matches!(late, Err(HappenError::Refused(TransitionRefusal::NotHolder { .. }))));
    assert_sound(&mut registry);
}

/// Whoever claims gets what is free or has ended, and of what was being written only what its own workspace wrote.
pub(super) fn each_claim_takes_the_oldest_that_may_be_taken(place: &AuditSubject) {
    let mut registry = place.open();
    let left = |holder: &str, phase: Phase| -> Vec<Event> {
        let n_events = match phase {
            Phase::Claimed => 2,
            Phase::Running => 3,
            Phase::Committing => 4,
        };
        let whole = [approve(), claim(holder, 0, 50), begin(holder), commit(holder)];
        whole.into_iter().take(n_events).collect()
    };
    let lives = [
        vec![],
        vec![Event::Reject],
        failing(),
        left("ws2#1", Phase::Committing),
        left("w#1", Phase::Committing),
        left("ws", Phase::Committing),
        left("WS#1", Phase::Committing),
        left("ws#1", Phase::Committing),
        left("ws2#1", Phase::Running),
        vec![approve(), claim("ws#1", 0, 51)],
        left("ws2#1", Phase::Claimed),
        vec![approve()],
    ];
    let ids: Vec<Id> = lives.iter().map(|it| after(&mut registry, it)).collect();
    let mut claim_all = |now: i64, process: &str| -> Vec<Id> {
        let holder = Holder::new("ws", process);
        let claimed = || registry.claim_next(&holder, at(now), at(now + 60)).unwrap();
        std::iter::from_fn(claimed).map(|it| it.record.id).collect()
    };
    assert_eq!(claim_all(49, "2"), ids[11..]);
    assert_eq!(claim_all(50, "3"), [ids[7].clone(), ids[8].clone(), ids[10].clone()]);
    assert_eq!(claim_all(51, "4"), ids[9..10]);
    assert_eq!(claim_all(51, "5"), []);
    assert_eq!(
        registry.claim_next(&Holder::new("a\nb", ""), at(51), at(52)),
        Err(RegistryError::Name { what: "the holder" })
    );
    assert_sound(&mut registry);
}

pub(super) fn the_database_itself_refuses_a_second_correction(place: &AuditSubject) {
    let mut registry = place.open();
    let source = after(&mut registry, &failing());
    registry.correct_oldest("worker", at(40)).unwrap().unwrap();
    let insert = "INSERT INTO dds_records (ord, id, body, legacy, kind, status, version, source, changed) \
                  VALUES (9, 'x', '{}', 0, 'code_fix', 'proposed', 1, $1, 1)";
    let mut db: Box<dyn Database> = match &place.location {
        Location::Sqlite(path) => Box::new(sqlite::Sqlite::open(path).unwrap()),
        Location::Postgres(url) => postgres::open(url).unwrap(),
    };
    let refused = db.execute(insert, &[Param::Text(source.as_str())]);
    assert!(matches!(refused, Err(RegistryError::Database { .. })), "{refused:?}");
}

pub(super) fn texts_of_every_kind_are_kept(place: &AuditSubject) {
    let mut registry = place.open();
    let mut value = proposal();
    value["goal"] = json!("quotes ' \" $1 ; -- \\ \u{1F600} e\u{301} \u{202e} \t\r\n");
    value["x_nul"] = json!("a\0b");
    value["x_numbers"] = json!([0, -1, 9007199254740992_u64, 1.0, 1e-7, 1e300]);
    let stored = registry.add(&value, Some(b""), "名前 ' \"", at(0)).unwrap();
    let dossier = registry.get(&stored.record.id).unwrap().unwrap();
    assert_eq!(dossier.entry.to_json(), stored.to_json());
    assert_eq!(dossier.entry.to_json()["x_nul"], "a\0b");
    assert_eq!(dossier.entry.to_json()["x_numbers"].to_string(), value["x_numbers"].to_string());
    assert_eq!(dossier.patch.as_deref(), Some(&b""[..]));
    assert_eq!(dossier.history[0].actor, "名前 ' \"");
    let reason = json!({ "reason": "no\0t now", "n": u64::MAX, "deep": [[[{}]]] });
    let (event, now) = (Event::Reject, at(1));
    let change = RecordChange {
        id: &stored.record.id,
        expected: Expected::Version(1),
        event: &event,
        actor: "ann",
        now,
        report: None,
        details: Some(&reason),
    };
    registry.happen(&change).unwrap();
    let deep = (0..64).fold(json!(1), |inner, _| json!([inner]));
    let too_deep = RecordChange { details: Some(&deep), expected: Expected::Any, ..change };
    assert_eq!(registry.happen(&too_deep), Err(HappenError::TooDeep));
    let history = registry.get(&stored.record.id).unwrap().unwrap().history;
    assert_eq!(history[1].details["given"]["reason"], "no\0t now");
    assert_sound(&mut registry);
}
