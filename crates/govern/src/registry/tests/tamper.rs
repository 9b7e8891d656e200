//! What someone changes in the database behind the registry's back is found, and named with its place.

use super::*;

/// A registry in which every kind of row has something to lose. The lines: 1 to 5 of a failure, 6 of its correction, 7 to
/// 9 of a record that runs, 10 and 11 of a record that was rejected, 12 the refusal to approve it then.
fn furnish(registry: &mut Registry) {
    after(registry, &failing());
    registry.correct_oldest("worker", at(40)).unwrap().unwrap();
    after(registry, &[approve(), claim("w", 1, 60)]);
    let rejected = after(registry, &[Event::Reject]);
    happen(registry, &rejected, Expected::Any, &approve()).unwrap_err();
}

/// The statement, and what verification says then.
const CASES: &[(&str, &[&str])] = &[
    (
        "UPDATE dds_records SET body = replace(body, 'calculator', 'backdoor') WHERE ord = 1",
        &["record DDS-20260202-CODE-001: its text was changed"],
    ),
    (
        "UPDATE dds_records SET status = 'approved' WHERE ord = 1",
        &["record DDS-20260202-CODE-001: it is approved, but its audit lines lead to failed"],
    ),
    (
        "UPDATE dds_records SET status = 'approved' WHERE ord = 4",
        &[
            "record DDS-20260202-CODE-003: it is approved, but its audit lines lead to rejected",
            "record DDS-20260202-CODE-003: it is approved, but no audit line has an approval",
        ],
    ),
    (
        "UPDATE dds_records SET version = version + 1 WHERE ord = 3",
        &[
            "record DDS-20260202-CODE-002: it has version 4 of line 9, but its audit lines lead to version 3 of line 9",
        ],
    ),
    (
        "UPDATE dds_records SET lease_until = lease_until + 1 WHERE ord = 3",
        &["record DDS-20260202-CODE-002: its lease differs from that of its audit lines"],
    ),
    (
        "UPDATE dds_records SET lease_holder = NULL WHERE ord = 3",
        &["record DDS-20260202-CODE-002: its lease differs from that of its audit lines"],
    ),
    (
        "UPDATE dds_records SET source = NULL WHERE ord = 2",
        &["record DDS-FIX-20260202-001: its columns differ from its text"],
    ),
    (
        "UPDATE dds_records SET number = 0 WHERE ord = 1",
        &["record DDS-20260202-CODE-001: its columns differ from its text"],
    ),
    (
        "UPDATE dds_records SET legacy = 1 WHERE ord = 4",
        &["record DDS-20260202-CODE-003: its columns differ from its text"],
    ),
    (
        "UPDATE dds_records SET ord = 9 WHERE ord = 1",
        &["record DDS-20260202-CODE-001: it is in another order"],
    ),
    (
        "UPDATE dds_records SET id = 'DDS-20260202-CODE-009' WHERE ord = 4",
        &[
            "record DDS-20260202-CODE-003: it is missing, but audit lines mention it",
            "record DDS-20260202-CODE-009: no audit line says that it was added",
            "patch of DDS-20260202-CODE-003: there is no such record",
        ],
    ),
    (
        "DELETE FROM dds_records WHERE ord = 2",
        &["record DDS-FIX-20260202-001: it is missing, but audit lines mention it"],
    ),
    (
        "UPDATE dds_patches SET bytes = $1 WHERE id = 'DDS-20260202-CODE-001'",
        &["patch of DDS-20260202-CODE-001: it was changed"],
    ),
    (
        "DELETE FROM dds_patches WHERE id = 'DDS-20260202-CODE-001'",
        &["patch of DDS-20260202-CODE-001: it is gone"],
    ),
    (
        "UPDATE dds_patches SET id = 'DDS-FIX-20260202-001' WHERE id = 'DDS-20260202-CODE-001'",
        &[
            "patch of DDS-20260202-CODE-001: it is gone",
            "patch of DDS-FIX-20260202-001: no audit line says that it was added",
        ],
    ),
    (
        "UPDATE dds_reports SET body = replace(body, 'failed', 'success')",
        &["report of DDS-20260202-CODE-001: it was changed"],
    ),
    ("DELETE FROM dds_reports", &["report of DDS-20260202-CODE-001: it is gone"]),
    (
        "INSERT INTO dds_reports SELECT 9, id, body FROM dds_reports",
        &["report of DDS-20260202-CODE-001: no audit line says that it was added"],
    ),
    (
        "UPDATE dds_approvals SET body = '{}' WHERE id = 'DDS-20260202-CODE-002'",
        &["approval of DDS-20260202-CODE-002: it was changed"],
    ),
    (
        "DELETE FROM dds_approvals WHERE id = 'DDS-20260202-CODE-002'",
        &["approval of DDS-20260202-CODE-002: it is gone"],
    ),
    (
        "INSERT INTO dds_approvals VALUES ('DDS-20260202-CODE-003', '{}')",
        &["approval of DDS-20260202-CODE-003: no audit line says that it was added"],
    ),
    (
        "UPDATE dds_audit SET line = replace(line, '\"actor\":\"ann\"', '\"actor\":\"bob\"') WHERE seq = 2",
        &["audit line 2: it was changed: its hash differs"],
    ),
    (
        "UPDATE dds_audit SET line = replace(line, '\"from\"', ' \"from\"') WHERE seq = 12",
        &["audit line 12: it cannot be read"],
    ),
    (
        "DELETE FROM dds_audit WHERE seq = 4",
        &[
            "audit line 5: line 4 before it is missing",
            "record DDS-20260202-CODE-001: it has version 5 of line 5, but its audit lines lead to version 4 of line 5",
        ],
    ),
    (
        "DELETE FROM dds_audit WHERE seq = 12",
        &["end of the audit trail: lines 12 to 12 are missing"],
    ),
    (
        "DELETE FROM dds_audit WHERE seq >= 11",
        &[
            "end of the audit trail: lines 11 to 12 are missing",
            "record DDS-20260202-CODE-003: it has version 2 of line 11, but its audit lines lead to version 1 of line 10",
            "record DDS-20260202-CODE-003: it is rejected, but its audit lines lead to proposed",
        ],
    ),
    (
        "UPDATE dds_head SET seq = 11",
        &["end of the audit trail: it is line 12, but should be line 11"],
    ),
    (
        "UPDATE dds_head SET hash = 'blake3:0'",
        &["end of the audit trail: the last line is another one"],
    ),
    ("DELETE FROM dds_head", &["end of the audit trail: nothing says where it is"]),
    (
        "UPDATE dds_audit SET seq = 99 WHERE seq = 9",
        &[
            "audit line 10: line 9 before it is missing",
            "audit line 99: it claims to be line 9",
            "audit line 99: lines 13 to 98 before it are missing",
            "end of the audit trail: it is line 99, but should be line 12",
        ],
    ),
    (
        "UPDATE dds_audit SET seq = -9223372036854775807 WHERE seq = 1",
        &[
            "audit line -9223372036854775807: it claims to be line 1",
            "audit line -9223372036854775807: the first line must have number 1",
            "audit line 2: lines -9223372036854775806 to 1 before it are missing",
        ],
    ),
    (
        "INSERT INTO dds_audit SELECT 13, id, line FROM dds_audit WHERE seq = 12",
        &[
            "audit line 13: it claims to be line 12",
            "audit line 13: it does not follow the line before it",
            "end of the audit trail: it is line 13, but should be line 12",
        ],
    ),
];

pub(super) fn every_tampering_is_found_with_its_place(place: &AuditSubject) {
    let mut registry = place.open();
    furnish(&mut registry);
    assert_eq!(assert_sound(&mut registry).n_lines, 12);
    let mut wrong = Vec::new();
    for (statement, expected) in CASES {
        let copy = Copy::of(place);
        let values = [Param::Bytes(b"other bytes")];
        copy.place.raw(statement, if statement.contains("$1") { &values } else { &[] });
        let flaws: Vec<String> =
            copy.place.open().verify().unwrap().flaws.iter().map(ToString::to_string).collect();
        if flaws != *expected {
            wrong.push(format!("{statement}\n  {}", flaws.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    swapped_lines_are_found(place);
    assert_sound(&mut registry);
}

fn swapped_lines_are_found(place: &AuditSubject) {
    let copy = Copy::of(place);
    for statement in [
        "UPDATE dds_audit SET seq = 100 WHERE seq = 3",
        "UPDATE dds_audit SET seq = 3 WHERE seq = 4",
        "UPDATE dds_audit SET seq = 4 WHERE seq = 100",
    ] {
        assert_eq!(copy.place.raw(statement, &[]), 1);
    }
    let flaws: Vec<String> =
        copy.place.open().verify().unwrap().flaws.iter().map(ToString::to_string).collect();
    for found in ["audit line 3: it claims to be line 4", "audit line 4: it claims to be line 3"] {
        assert!(flaws.iter().any(|it| it == found), "{flaws:?}");
    }
}

/// SQLite takes any type in any column.
#[test]
fn a_value_of_another_type_is_named_and_the_rest_is_checked() {
    for (statement, found) in [
        (
            "UPDATE dds_records SET version = 'many' WHERE ord = 3",
            "record DDS-20260202-CODE-002: its row: value 6 is not a number",
        ),
        ("UPDATE dds_audit SET line = x'ff00' WHERE seq = 7", "audit line 7: it cannot be read"),
        (
            "UPDATE dds_patches SET bytes = 7 WHERE id = 'DDS-20260202-CODE-001'",
            "database: a row: value 0 is not bytes",
        ),
        (
            "UPDATE dds_reports SET body = x'ff'",
            "database: the row of \"DDS-20260202-CODE-001\": value 1 is not a text",
        ),
        (
            "UPDATE dds_approvals SET body = x'ff'",
            "database: the row of \"DDS-20260202-CODE-001\": value 1 is not a text",
        ),
        ("UPDATE dds_head SET seq = 'x'", "database: the row of \"x\": value 0 is not a number"),
    ] {
        let place = AuditSubject::sqlite();
        let mut registry = place.open();
        furnish(&mut registry);
        place.raw(statement, &[]);
        // What is damaged elsewhere is found beside it.
        place.raw("UPDATE dds_records SET status = 'approved' WHERE ord = 4", &[]);
        let flaws: Vec<String> =
            registry.verify().unwrap().flaws.iter().map(ToString::to_string).collect();
        assert!(flaws.iter().any(|it| it == found), "{statement}: {flaws:#?}");
        let other =
            "record DDS-20260202-CODE-003: it is approved, but its audit lines lead to rejected";
        assert!(flaws.iter().any(|it| it == other), "{statement}: {flaws:#?}");
    }
}

/// whoever kept the end of the trail can tell that it was only appended to.
pub(super) fn a_trail_is_anchored_by_the_hash_of_its_end(place: &AuditSubject) {
    let mut registry = place.open();
    furnish(&mut registry);
    let kept = registry.verify().unwrap().head.unwrap();
    after(&mut registry, &failing());
    let verified = registry.verify().unwrap();
    assert_ne!(verified.head.as_ref(), Some(&kept));
    assert_eq!(verified.since(&kept), None);
    assert_eq!(verified.since(kept.trim_start_matches("blake3:")), None);
    // A registry that somebody made anew explains itself, and has another history.
    let other = AuditSubject::sqlite();
    let mut anew = other.open();
    after(&mut anew, &failing());
    let verified = anew.verify().unwrap();
    assert_eq!(verified.flaws, []);
    let flaw = verified.since(&kept).unwrap().to_string();
    assert!(flaw.contains("the trail was cut or rewritten"), "{flaw}");
}

/// The same registry once more, to be tampered with.
struct Copy {
    place: AuditSubject,
}

impl Copy {
    fn of(place: &AuditSubject) -> Copy {
        let place = match &place.location {
            Location::Sqlite(path) => {
                let copy = AuditSubject::sqlite();
                let Location::Sqlite(to) = &copy.location else { unreachable!("it is a file") };
                std::fs::copy(path, to).unwrap();
                copy
            }
            #[cfg(feature = "live")]
            Location::Postgres(url) => AuditSubject {
                location: Location::Postgres(crate::live_server::furnished_again(url)),
                _dir: None,
            },
            #[cfg(not(feature = "live"))]
            Location::Postgres(_) => unreachable!("only the live tier has a server"),
        };
        let mut registry = place.open();
        if registry.list(None).unwrap().is_empty() {
            furnish(&mut registry);
        }
        Copy { place }
    }
}
