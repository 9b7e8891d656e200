//! What voids an approval: every way of changing the record, the patch, the document, the keys or the time after it was
//! given (DF-41, DF-42).

use govern::approval::{
    ApprovalRefusal, Confirmation, Document, NAMESPACE, SignatureEntry, Stage, Statement, Subject,
    approve_unsigned, check_signature, expiry, recheck, sha256, verify_approval,
};
use govern::{Id, Moment};
use serde_json::{Value, json};
use snapshot::RelPath;

use crate::approval_support::{
    World, context, entry, now, private, public, record, signed, signed_document, statement_bytes,
    to_value,
};

/// `held by WHO`, or the kinds of all refusals of an approval that is given now.
fn verified(world: &World) -> String {
    let result = world.with_subject(|subject| {
        verify_approval(
            &world.read_document(),
            &[],
            subject,
            &world.allowed(),
            &world.policy(),
            world.now,
        )
    });
    match result {
        Ok(approved) => format!("held by {}", approved.by()),
        Err(refusals) => kinds(&refusals),
    }
}

fn rechecked(world: &World) -> String {
    let result = world.with_subject(|subject| {
        recheck(
            &[world.read_document()],
            subject,
            &world.allowed(),
            &world.policy(),
            world.now,
            Stage::Open,
        )
    });
    match result {
        Ok(held) => format!("held by {}", held.by()),
        Err(refusals) => kinds(&refusals),
    }
}

fn kinds(refusals: &[ApprovalRefusal]) -> String {
    let kind = |it: &ApprovalRefusal| {
        let debug = format!("{it:?}");
        let end = debug.find([' ', '{', '(']).unwrap_or(debug.len());
        debug[..end].to_owned()
    };
    refusals.iter().map(kind).collect::<Vec<_>>().join(", ")
}

type Change = fn(&mut World);

/// DF-42.
#[test]
fn every_tampering_is_found() {
    let cases: &[(&str, Change, &str)] = &[
        ("nothing", |_| {}, "held by alice@example.org"),
        (
            "the status is no part of it",
            |it| it.record["status"] = json!("approved"),
            "held by alice@example.org",
        ),
        ("goal", |it| it.record["goal"] = json!("Another goal"), "Void"),
        ("project", |it| it.record["project"] = json!("x"), "Void"),
        ("instructions", |it| it.record["instructions"][0] = json!("x"), "Void"),
        (
            "order of instructions",
            |it| it.record["instructions"].as_array_mut().unwrap().reverse(),
            "Void",
        ),
        ("scope", |it| it.record["allowed_paths"] = json!(["src/", "tests/", "docs/"]), "Void"),
        ("a slash", |it| it.record["allowed_paths"] = json!(["src", "tests/"]), "Void"),
        ("tool", |it| it.record["tool"] = json!("sh"), "Void"),
        ("constraints", |it| it.record["constraints"]["max_files_changed"] = json!(6), "Void"),
        (
            "a constraint less",
            |it| {
                it.record["constraints"].as_object_mut().unwrap().shift_remove("no_refactor");
            },
            "Void",
        ),
        ("an x_ member", |it| it.record["x_ticket"] = json!(18), "Void"),
        ("one more x_ member", |it| it.record["x_more"] = json!(null), "Void"),
        ("id", |it| it.record["id"] = json!("DDS-20260202-CODE-002"), "OtherRecord"),
        ("a byte of the patch", |it| it.patch.as_mut().unwrap()[3] ^= 1, "Void"),
        ("a byte more", |it| it.patch.as_mut().unwrap().push(b'\n'), "Void"),
        ("no patch", |it| it.patch = None, "Void"),
        ("empty patch", |it| it.patch = Some(Vec::new()), "Void"),
        (
            "hashes of other bytes",
            |it| {
                it.record["goal"] = json!("Another goal");
                let document = it.with_subject(|subject| {
                    signed_document(subject, "alice@example.org", 1, now())
                });
                for name in ["statement", "statement_hash"] {
                    it.document[name] = to_value(&document)[name].clone();
                }
            },
            "Signature",
        ),
        ("repository", |it| it.context.repository = "another".to_owned(), "Void"),
        ("proposed again", |it| it.context.nonce = "another-0".to_owned(), "Void"),
        ("command", |it| it.context.tool.command.push("--yes".to_owned()), "Void"),
        ("network", |it| it.context.tool.network = true, "Void"),
        ("environment", |it| it.context.tool.environment.push("TOKEN".to_owned()), "Void"),
        ("readable", |it| it.context.tool.readable.push("/home".to_owned()), "Void"),
        ("limits", |it| it.context.tool.timeout += 1, "Void"),
        (
            "a program of the repository",
            |it| {
                it.context.tool.programs.insert("tools/fix.py".to_owned(), "22".repeat(32));
            },
            "Void",
        ),
        (
            "a file that changed makes it stale, not void",
            |it| it.context.files.clear(),
            "held by alice@example.org",
        ),
        (
            "it was used before",
            |it| it.context.nonce = it.context.nonce.replace("-0", "-1"),
            "held by alice@example.org",
        ),
        (
            "the last moment of its time",
            |it| it.now = Moment::parse("2026-03-04T23:59:59Z").unwrap(),
            "held by alice@example.org",
        ),
        (
            "its time is over",
            |it| it.now = Moment::parse("2026-03-05T00:00:00Z").unwrap(),
            "Outdated",
        ),
        (
            "a later end",
            |it| {
                let said = it.with_subject(|it| it.statement(expiry(now(), 60)));
                it.document["statement_hash"] = json!(said.hash());
                it.document["statement"] = said.to_json().clone();
            },
            "TooLong, Signature",
        ),
        (
            "a member more in the statement",
            |it| {
                it.document["statement"]["predicate"]["x"] = json!(1);
                let said = Statement::from_json(&it.document["statement"]).unwrap();
                it.document["statement_hash"] = json!(said.hash());
            },
            "Void",
        ),
        (
            "document of another id",
            |it| it.document["dds"] = json!("DDS-20260202-CODE-002"),
            "OtherRecord",
        ),
        (
            "fingerprint",
            |it| {
                it.document["signatures"][0]["fingerprint"] =
                    json!(public(&private(2)).fingerprint())
            },
            "OtherKey",
        ),
        (
            "principal",
            |it| it.document["signatures"][0]["principal"] = json!("bob@example.org"),
            "OtherPrincipal",
        ),
        (
            "no signature",
            |it| it.document["signatures"][0]["signature"] = json!("yes"),
            "Signature",
        ),
        (
            "a key that is not allowed",
            |it| {
                let other = it.with_subject(|subject| entry(subject, "carol@example.org", 3));
                it.document["signatures"][0]["principal"] = json!(other.principal);
                it.document["signatures"][0]["fingerprint"] = json!(other.fingerprint);
                it.document["signatures"][0]["signature"] = json!(other.signature);
            },
            "NotAllowed",
        ),
        ("one good and one bad", |it| it.sign_too("carol@example.org", 3), "NotAllowed"),
        (
            "removed line",
            |it| it.allowed = it.allowed.lines().nth(1).unwrap().to_owned(),
            "NotAllowed",
        ),
        ("line put into a comment", |it| it.allowed.insert(0, '#'), "NotAllowed"),
        ("empty file", |it| it.allowed.clear(), "NotAllowed"),
        (
            "allowed for git only",
            |it| it.allowed = it.allowed.replace("regreen-dds", "git"),
            "OtherNamespaces",
        ),
        (
            "allowed under another name",
            |it| it.allowed = it.allowed.replace("alice", "dave"),
            "OtherPrincipal",
        ),
        (
            "a line that cannot be read",
            |it| it.allowed = it.allowed.replace("namespaces", "namespace"),
            "NotAllowed",
        ),
        (
            "from the future",
            |it| it.document["approved_at"] = json!("2026-02-02T12:10:01Z"),
            "Future",
        ),
        (
            "a clock that is off by minutes",
            |it| it.document["approved_at"] = json!("2026-02-02T12:10:00Z"),
            "held by alice@example.org",
        ),
    ];
    for (name, change, expected) in cases {
        let mut world = World::signed_by_alice();
        change(&mut world);
        assert_eq!(verified(&world), *expected, "{name}");
        assert_eq!(rechecked(&world), *expected, "{name}, checked later");
    }
}

#[test]
fn every_byte_of_a_signature_counts() {
    let world = World::signed_by_alice();
    let armored = world.document["signatures"][0]["signature"].as_str().unwrap().to_owned();
    let bytes = world.with_subject(statement_bytes);
    assert!(check_signature(&armored, &bytes).is_ok());
    let mut n_changed = 0;
    for at in 0..armored.len() {
        let mut changed = armored.clone().into_bytes();
        changed[at] = match changed[at] {
            b'A' => b'B',
            b'\n' => b' ',
            _ => b'A',
        };
        let changed = String::from_utf8(changed).unwrap();
        assert!(check_signature(&changed, &bytes).is_err(), "byte {at}");
        n_changed += 1;
    }
    assert!(n_changed > 300);
}

#[test]
fn a_signature_for_something_else_approves_nothing() {
    for namespace in ["git", "file", "regreen-dds ", "regreen", "REGREEN-DDS"] {
        let mut world = World::signed_by_alice();
        let bytes = world.with_subject(statement_bytes);
        let other =
            SignatureEntry::new("alice@example.org", &signed(&private(1), namespace, &bytes));
        world.document["signatures"][0]["signature"] = json!(other.signature);
        assert_eq!(verified(&world), "Signature", "{namespace}");
    }
    assert_eq!(NAMESPACE, "regreen-dds");
}

#[test]
fn the_approvals_of_two_records_cannot_be_swapped() {
    let one = World::signed_by_alice();
    let mut other = World::signed_by_alice();
    other.record["id"] = json!("DDS-20260202-CODE-002");
    other.sign_anew();
    assert_eq!(verified(&other), "held by alice@example.org");
    let swapped = World { document: other.document.clone(), ..one.clone() };
    assert_eq!(verified(&swapped), "OtherRecord");
    let renamed = World {
        document: {
            let mut it = other.document.clone();
            it["dds"] = one.document["dds"].clone();
            it
        },
        ..one.clone()
    };
    assert_eq!(verified(&renamed), "Void");
    let mut only_signature = one.clone();
    only_signature.document["signatures"] = other.document["signatures"].clone();
    assert_eq!(verified(&only_signature), "Signature");
}

#[test]
fn a_key_is_judged_at_the_approval_and_a_new_approval_by_the_clock_too() {
    let expiring = |until: &str, approved_at: &str, now: &str| {
        let mut world = World::signed_by_alice();
        world.allowed =
            world.allowed.replace("namespaces", &format!("valid-before=\"{until}\",namespaces"));
        world.document["approved_at"] = json!(approved_at);
        world.now = Moment::parse(now).unwrap();
        (verified(&world), rechecked(&world))
    };
    let held = || "held by alice@example.org".to_owned();
    let feb_2 = "2026-02-02T12:00:00Z";
    assert_eq!(expiring("20260203Z", feb_2, feb_2), (held(), held()));
    // The key expired since: what was approved stays so, but nothing new is, with whatever date.
    assert_eq!(
        expiring("20260203Z", feb_2, "2026-03-01T00:00:00Z"),
        ("Expired".to_owned(), held())
    );
    assert_eq!(expiring("20260201Z", feb_2, feb_2), ("Expired".to_owned(), "Expired".to_owned()));
    // Both ends belong to the time.
    assert_eq!(expiring("20260202120000Z", feb_2, feb_2), (held(), held()));
    let mut world = World::signed_by_alice();
    world.allowed =
        world.allowed.replace("namespaces", "valid-after=\"20260202120001Z\",namespaces");
    assert_eq!(verified(&world), "NotYet");
    world.allowed = world.allowed.replace("120001Z", "120000Z");
    assert_eq!(verified(&world), held());
    // A second line for the same key that holds is enough.
    let line = world.allowed.lines().next().unwrap().replace("20260202120000Z", "20300101Z");
    world.allowed = format!("{line}\n{}", world.allowed);
    assert_eq!(verified(&world), held());
}

#[test]
fn an_unsigned_word_is_typed_where_the_policy_permits_it() {
    let id = Id::parse("DDS-20260202-CODE-001").unwrap();
    for text in
        ["", "yes", "y", "DDS-20260202-CODE-002", " DDS-20260202-CODE-001", "dds-20260202-code-001"]
    {
        assert!(Confirmation::typed(&id, text).is_err(), "{text:?}");
    }
    let confirmation = Confirmation::typed(&id, "DDS-20260202-CODE-001\r\n").unwrap();
    let mut world = World::signed_by_alice();
    let approve = |world: &World| {
        world.with_subject(|subject| {
            let statement = subject.statement(expiry(now(), 30));
            let (by, policy) = ("alice on a terminal", world.policy());
            approve_unsigned(&confirmation, by, statement, subject, &policy, now())
                .map_err(|it| kinds(&it))
        })
    };
    let (approved, document) = approve(&world).unwrap();
    assert_eq!(approved.by(), "alice on a terminal");
    assert!(approved.held().signers().is_empty());
    // The document records it, and nobody makes a word of the document alone.
    world.document = to_value(&document);
    assert_eq!(rechecked(&world), "held by alice on a terminal");
    assert_eq!(verified(&world), "NotTyped");
    world.document["unsigned"]["confirmation"] = json!("yes");
    assert_eq!(rechecked(&world), "OtherConfirmation");
    world.document["unsigned"]["confirmation"] = json!(id.as_str());
    world.record["goal"] = json!("Another goal");
    assert_eq!(rechecked(&world), "Void");
    // A policy can forbid it, before and after.
    world.record["goal"] = json!("Add calculator functionality");
    world.require_signature = true;
    assert_eq!(rechecked(&world), "Unsigned");
    assert_eq!(approve(&world).unwrap_err(), "Unsigned");
    // What was typed for one record does not approve another.
    world.require_signature = false;
    world.record["id"] = json!("DDS-20260202-CODE-002");
    assert_eq!(approve(&world).unwrap_err(), "OtherRecord");
}

#[test]
fn a_refusal_says_what_to_do() {
    let mut world = World::signed_by_alice();
    world.sign_too("carol@example.org", 3);
    let refusals = world.with_subject(|subject| {
        verify_approval(
            &world.read_document(),
            &[],
            subject,
            &world.allowed(),
            &world.policy(),
            now(),
        )
        .unwrap_err()
    });
    insta::assert_snapshot!(refusals[0], @r#"
    the key SHA256:zbv/nU7iZdO0fB0DalMI70dP6/yFD8sctXvvW4+OokY is not allowed to approve; one of those who may approve (alice@example.org, bob@example.org) can allow it with this line in keys/allowed_signers:
    carol@example.org namespaces="regreen-dds" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIO1JKMYo0cLG6ukDOJBZlWEpWSc6XGP5NjbBRhSshzfR
    "#);
    let mut broken = world.clone();
    broken.allowed = broken.allowed.replace("namespaces", "namespace");
    let refusals = broken.with_subject(|subject| {
        recheck(
            &[broken.read_document()],
            subject,
            &broken.allowed(),
            &broken.policy(),
            now(),
            Stage::Open,
        )
        .unwrap_err()
    });
    let shown = refusals[0].to_string();
    let fault = "lines that cannot be read allow nobody: line 1: unknown option \"namespace\"";
    assert!(shown.contains(fault), "{shown}");
    world.patch = Some(b"another".to_vec());
    let refusals = world.with_subject(|subject| {
        recheck(
            &[world.read_document()],
            subject,
            &world.allowed(),
            &world.policy(),
            now(),
            Stage::Open,
        )
        .unwrap_err()
    });
    insta::assert_snapshot!(refusals[0], @"the attached patch changed after it was approved, so the approval is void; it must be approved again");
}

#[test]
fn a_document_is_written_as_it_was_read() {
    let mut world = World::signed_by_alice();
    world.sign_too("bob@example.org", 2);
    let text = world.read_document().write();
    let again = Document::read(&text).unwrap();
    assert_eq!(again.write(), text);
    assert_eq!(verified(&world), "held by alice@example.org, bob@example.org");
}

#[test]
fn faults_of_a_document_name_their_place() {
    let faults = |change: &dyn Fn(&mut Value)| {
        let mut value = World::signed_by_alice().document;
        change(&mut value);
        let faults = Document::read(&value.to_string()).unwrap_err();
        faults.iter().map(|it| it.pointer.clone()).collect::<Vec<_>>()
    };
    type Case<'a> = (&'a dyn Fn(&mut Value), &'a [&'a str]);
    let remove = |value: &mut Value, name: &str| {
        value.as_object_mut().unwrap().shift_remove(name);
    };
    let cases: &[Case<'_>] = &[
        (&|it| it["regreen_approval"] = json!(3), &["/regreen_approval"]),
        (&|it| it["regreen_approval"] = json!(1), &["/regreen_approval"]),
        (&|it| it["regreen_approval"] = json!("1"), &["/regreen_approval"]),
        (&|it| it["dds"] = json!(""), &["/dds"]),
        (&|it| it["dds"] = json!("a\nb"), &["/dds"]),
        (&|it| it["statement_hash"] = json!("sha256:00"), &["/statement_hash"]),
        (&|it| remove(it, "statement_hash"), &["/statement_hash"]),
        (&|it| remove(it, "statement"), &["/statement"]),
        (&|it| it["statement"] = json!(7), &["/statement"]),
        (&|it| it["statement"]["_type"] = json!("x"), &["/statement"]),
        (&|it| it["statement"]["predicate"]["expires"] = json!("later"), &["/statement"]),
        (&|it| it["statement"]["predicate"]["nonce"] = json!(1), &["/statement"]),
        (&|it| it["statement"]["subject"] = json!([]), &["/statement_hash"]),
        (&|it| it["approved_at"] = json!("yesterday"), &["/approved_at"]),
        (&|it| it["approved_at"] = json!("2026-02-02T12:00:00+01:00"), &["/approved_at"]),
        (&|it| it["approved_at"] = json!(0), &["/approved_at"]),
        (&|it| it["signatures"] = json!([]), &["/signatures"]),
        (&|it| it["signatures"] = json!({}), &["/signatures"]),
        (&|it| it["signatures"][0] = json!("x"), &["/signatures/0"]),
        (&|it| it["signatures"][0]["x"] = json!("x"), &["/signatures/0/x"]),
        (&|it| it["signatures"][0]["principal"] = json!(null), &["/signatures/0/principal"]),
        (
            &|it| it["signatures"][0]["principal"] = json!("alice\u{1b}[2K"),
            &["/signatures/0/principal"],
        ),
        (&|it| it["unsigned"] = json!({ "by": "me", "confirmation": "x" }), &[""]),
        (&|it| remove(it, "signatures"), &[""]),
        (&|it| it["x_note"] = json!(1), &["/x_note"]),
        (&|it| it["a/b"] = json!(1), &["/a~1b"]),
        (
            &|it| {
                it["dds"] = json!(1);
                it["approved_at"] = json!(1);
            },
            &["/dds", "/approved_at"],
        ),
        (&|it| *it = json!([]), &[""]),
    ];
    for (idx, (change, expected)) in cases.iter().enumerate() {
        assert_eq!(faults(change), *expected, "case {idx}");
    }
    // Of two members with one name no reader knows which is meant.
    let text = World::signed_by_alice().document.to_string();
    let twice = text.replacen("\"dds\":", "\"dds\":\"DDS-20260202-CODE-009\",\"dds\":", 1);
    assert_eq!(Document::read(&twice).unwrap_err()[0].pointer, "");
    assert!(Document::read(&text.replacen('{', "{/* */", 1)).is_err());
}

/// X-72: every part has its name in what is said.
#[test]
fn what_voided_an_approval_is_named() {
    let cases: [(Change, &str); 5] = [
        (|it| it.record["goal"] = json!("x"), "the record changed"),
        (|it| it.context.tool.network = true, "the definition of its tool changed"),
        (
            |it| {
                it.context.tool.programs.insert("tools/fix.py".to_owned(), "22".repeat(32));
            },
            "a program that its tool runs changed",
        ),
        (|it| it.context.repository.clear(), "the identity of the repository changed"),
        (|it| it.context.nonce.insert(0, 'x'), "the record was proposed again"),
    ];
    for (change, said) in cases {
        let mut world = World::signed_by_alice();
        change(&mut world);
        let refusals = world.with_subject(|subject| {
            recheck(
                &[world.read_document()],
                subject,
                &world.allowed(),
                &world.policy(),
                now(),
                Stage::Open,
            )
            .unwrap_err()
        });
        assert!(refusals[0].to_string().starts_with(said), "{}", refusals[0]);
    }
}

/// X-72: an in-toto Statement v1, as canonical JSON.
#[test]
fn the_signed_bytes_are_an_in_toto_statement() {
    let record = record(&json!({
        "type": "code_change", "version": 2, "status": "proposed", "id": "DDS-20260202-CODE-001",
        "project": "p", "goal": "g", "instructions": ["i"], "allowed_paths": ["src/"], "tool": "t",
        "constraints": {}
    }));
    let touched: [RelPath; 0] = [];
    let context = context();
    let subject = Subject {
        record: &record,
        patch: Some(b"patch"),
        context: &context,
        touched: &touched,
        is_directory: &|_| true,
    };
    let statement = subject.statement(expiry(now(), 30));
    assert_eq!(statement.hash(), format!("sha256:{}", sha256(&statement.bytes())));
    assert_eq!(Statement::from_json(statement.to_json()).unwrap(), statement);
    let compact: Value = serde_json::from_slice(&statement.bytes()).unwrap();
    insta::assert_snapshot!(format!("{compact:#}"));
}
