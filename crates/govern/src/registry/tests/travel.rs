//! Files in, files out, and records of before.

use super::*;
use crate::exchange;

fn files() -> (String, String) {
    let dds = json!({
        "proposals": [
            {
                "x_first": 1, "id": "DDS-20260101-CODE-003", "status": "failed", "version": 2, "type": "code_change",
                "project": "shop", "goal": "g", "instructions": ["i"], "allowed_paths": ["src"], "tool": "t",
                "constraints": {}, "x_more": { "z": 1.0, "a": [] }
            },
            {
                "id": "DDS-FIX-20260101-001", "version": 2, "type": "code_fix", "project": "shop",
                "goal": "Fix DDS-20260101-CODE-003", "instructions": ["i"], "allowed_paths": ["src"], "tool": "t",
                "constraints": { "max_files_changed": 1, "no_new_dependencies": true, "no_refactor": true },
                "status": "executed", "source_dds": "DDS-20260101-CODE-003",
                "error_context": {
                    "original_dds": "DDS-20260101-CODE-003", "error_message": "e", "failed_at": "2026-01-01T00:00:00"
                }
            },
            { "id": "DDS-20250101120000", "type": "touch_file", "path": "a.txt", "status": "draft" },
            { "type": "noop", "id": "free text", "version": 1, "n": 1e3 }
        ],
        "x_patches": {
            "DDS-20260101-CODE-003": "--- a\n+++ b\n", "free text": { "base64": "/w==" }
        }
    });
    let reports = json!({
        "reports": [
            { "dds_id": "DDS-20250101120000", "status": "success" },
            report(&id("DDS-20260101-CODE-003"), ExecutionOutcome::Failed).to_json(),
            { "dds_id": "DDS-20250101120000", "status": "success", "again": true }
        ]
    });
    (dds.to_string(), reports.to_string())
}

fn import(
    registry: &mut Registry,
    dds: &str,
    reports: Option<&str>,
) -> Result<Imported, Vec<String>> {
    let told = |faults: Vec<exchange::FileFault>| faults.iter().map(ToString::to_string).collect();
    let incoming = exchange::read(dds, reports).map_err(told)?;
    registry.import(&incoming, "ann", at(0)).map_err(|error| match error {
        ImportError::Faults { faults } => told(faults),
        ImportError::Registry(error) => panic!("{error}"),
    })
}

pub(super) fn files_come_back_as_they_went_in(place: &AuditSubject) {
    let mut registry = place.open();
    let (dds, reports) = files();
    let imported = import(&mut registry, &dds, Some(&reports)).unwrap();
    assert_eq!((imported.ids.len(), imported.reopened.len()), (4, 0));
    let exported = registry.export().unwrap();
    assert_eq!(exported.dds.to_string(), dds);
    assert_eq!(exported.reports.to_string(), reports);
    assert_sound(&mut registry);

    // A bare array is read too, and a failure that came in so can be corrected, but not twice.
    assert_eq!(registry.correct_oldest("worker", at(0)).unwrap(), None);
    let mut bare: Value = serde_json::from_str(&dds).unwrap();
    let mut one = bare["proposals"][0].take();
    one["id"] = json!("DDS-20260101-CODE-004");
    import(&mut registry, &json!([one]).to_string(), None).unwrap();
    assert_eq!(registry.correct_oldest("worker", at(0)).unwrap(), None, "it has no report");
    assert_sound(&mut registry);
    let again = import(&mut registry, &dds, Some(&reports)).unwrap_err();
    assert_eq!(
        again[0],
        "dds.json/proposals/0/id: a record DDS-20260101-CODE-003 is stored already"
    );
    assert_eq!(again.len(), 5, "{again:?}");
}

/// DF-41: nothing but a person's word given here approves a record.
pub(super) fn an_import_approves_nothing(place: &AuditSubject) {
    let mut registry = place.open();
    let statuses = ["proposed", "approved", "rejected", "executed", "failed", "executing"];
    let proposals: Vec<Value> = (1..)
        .zip(statuses)
        .map(|(n, status)| {
            let mut value = proposal();
            value["id"] = json!(format!("DDS-20260101-CODE-00{n}"));
            value["status"] = json!(status);
            value
        })
        .collect();
    let imported = import(&mut registry, &json!(proposals).to_string(), None).unwrap();
    let reopened = [("DDS-20260101-CODE-002", "approved"), ("DDS-20260101-CODE-006", "executing")];
    assert_eq!(imported.reopened, reopened.map(|(name, had)| (id(name), had.to_owned())));
    let stored: Vec<String> =
        registry.list(None).unwrap().iter().map(|it| it.status().to_owned()).collect();
    assert_eq!(stored, ["proposed", "proposed", "rejected", "executed", "failed", "proposed"]);
    assert_eq!(registry.claim_next(&Holder::new("w", "1"), at(0), at(9)).unwrap(), None);
    let id = &imported.reopened[0].0;
    let history = registry.get(id).unwrap().unwrap().history;
    assert_eq!(history[0].details["given"], json!({ "status": "approved" }));
    happen(&mut registry, id, Expected::Version(1), &approve()).unwrap();
    assert_sound(&mut registry);
}

pub(super) fn one_bad_record_refuses_the_whole_import(place: &AuditSubject) {
    let mut registry = place.open();
    let (dds, _) = files();
    let mut dds: Value = serde_json::from_str(&dds).unwrap();
    let proposals = dds["proposals"].as_array_mut().unwrap();
    proposals[0]["allowed_paths"] = json!(["/etc"]);
    proposals[0]["status"] = json!(["done"]);
    let twice = proposals[1].clone();
    proposals.push(twice);
    proposals.push(json!({ "status": 1 }));
    proposals.push(json!("text"));
    dds["x_patches"]["nobody"] = json!("");
    let reports = json!([
        { "dds_id": "nobody" }, {}, { "dds_id": "DDS-20260101-CODE-003" },
        report(&id("DDS-FIX-20260101-001"), ExecutionOutcome::Failed).to_json()
    ]);
    let faults = import(&mut registry, &dds.to_string(), Some(&reports.to_string())).unwrap_err();
    let places: Vec<&str> = faults.iter().map(|it| it.split(": ").next().unwrap()).collect();
    assert_eq!(
        places,
        [
            "dds.json/proposals/0/status",
            "dds.json/proposals/0/allowed_paths/0",
            "dds.json/proposals/1/source_dds",
            "dds.json/proposals/4/source_dds",
            "dds.json/proposals/4/id",
            "dds.json/proposals/4/source_dds",
            "dds.json/proposals/5/id",
            "dds.json/proposals/5/status",
            "dds.json/proposals/6",
            "reports.json/0/dds_id",
            "reports.json/1/dds_id",
            "dds.json/x_patches/nobody",
        ],
        "{faults:#?}"
    );
    assert_eq!(registry.list(None).unwrap(), []);
    assert_eq!(assert_sound(&mut registry).n_lines, 0);
}

///
pub(super) fn records_of_before_are_kept_and_never_change(place: &AuditSubject) {
    let mut registry = place.open();
    let mut approved = proposal();
    approved["id"] = json!("DDS-GEN-17");
    approved["status"] = json!("approved");
    let mut fix = json!({ "version": 2, "type": "code_fix", "source_dds": "DDS-GEN-17" });
    fix["id"] = json!("DDS-FIX-1");
    let mut other_fix = fix.clone();
    other_fix["id"] = json!("DDS-FIX-2");
    let old = json!({ "id": "old", "type": "noop", "status": "pending" });
    let dds = json!([approved, fix, other_fix, old]);
    import(&mut registry, &dds.to_string(), None).unwrap();
    assert_eq!(registry.export().unwrap().dds["proposals"], dds);
    assert_eq!(registry.claim_next(&Holder::new("w", "1"), at(0), at(9)).unwrap(), None);
    assert_eq!(registry.list(Some("pending")).unwrap()[0].id(), &id("old"));
    let before = registry.export().unwrap();
    for name in ["DDS-GEN-17", "old"] {
        for event in [approve(), Event::Reject, claim("w", 0, 9)] {
            assert_eq!(
                happen(&mut registry, &id(name), Expected::Any, &event),
                Err(HappenError::Legacy { id: id(name) })
            );
        }
        assert_eq!(registry.get(&id(name)).unwrap().unwrap().history.len(), 4);
    }
    assert_eq!(registry.export().unwrap(), before);
    for value in [&dds[0], &dds[3]] {
        let mut new = value.clone();
        new["id"] = json!("DDS-GEN-18");
        assert!(matches!(registry.add(&new, None, "ann", at(0)), Err(AddError::Faults { .. })));
    }
    assert_sound(&mut registry);
}
