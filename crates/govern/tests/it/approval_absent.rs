//! Without the feature `ssh` no key is read and no signature holds, whatever the file of allowed signers says.

use govern::Moment;
use govern::approval::{
    AllowedSigners, ApprovalRefusal, Context, DEFAULT_PROTECTED, Document, KeyError, Policy,
    SignatureEntry, SignatureError, Stage, Subject, recheck, verify_approval,
};
use serde_json::json;
use snapshot::RelPath;

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIILf5ZmaCq4tvH1y5fC2dGqTNYZ9xoNvjFh2Fk5wKzZV";
const SIGNATURE: &str = "-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n";

#[test]
fn a_signed_approval_does_not_hold() {
    let value = json!({
        "version": 2, "id": "DDS-20260101-CODE-001", "type": "code_change", "project": "shop",
        "goal": "Make x two", "instructions": ["Change the number"], "allowed_paths": ["src/"],
        "tool": "good", "constraints": { "max_files_changed": 1, "no_new_dependencies": true },
        "status": "proposed"
    });
    let read = govern::shape::read(&value);
    let record = read.record.unwrap_or_else(|| panic!("{:?}", read.faults));
    let context = Context::default();
    let subject = Subject {
        record: &record,
        patch: None,
        context: &context,
        touched: &[],
        is_directory: &|_| true,
    };
    let entry = SignatureEntry {
        principal: "ana".to_owned(),
        fingerprint: "SHA256:0".to_owned(),
        signature: SIGNATURE.to_owned(),
    };
    let now = Moment::from_micros(0);
    let document = Document::signed(&record.id, subject.statement(now.plus_seconds(9)), entry, now);
    let allowed = AllowedSigners::read(&format!("ana {KEY}\n* {KEY}\n"));
    assert_eq!((allowed.lines.len(), allowed.faults.len()), (0, 2));
    let absent = [ApprovalRefusal::Signature(SignatureError::Key(KeyError::Absent))];
    for require_signature in [false, true] {
        let signers = RelPath::parse("allowed_signers").unwrap();
        let policy = Policy::new(require_signature, signers, &DEFAULT_PROTECTED).unwrap();
        let approved = verify_approval(&document, &[], &subject, &allowed, &policy, now);
        assert_eq!(approved.unwrap_err(), absent);
        let held =
            recheck(std::slice::from_ref(&document), &subject, &allowed, &policy, now, Stage::Open);
        assert_eq!(held.unwrap_err(), absent);
    }
}
