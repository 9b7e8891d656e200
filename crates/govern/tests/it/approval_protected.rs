//! What governs proposals needs two people, and `.git` and `.regreen` are in no scope.

use govern::Moment;
use govern::approval::{
    ApprovalRefusal, Confirmation, Document, Policy, Stage, approve_unsigned, recheck,
    verify_approval,
};
use serde_json::json;
use snapshot::RelPath;

use crate::approval_support::{World, now, private, public};

/// `free`, `never` or what protects the entry.
fn reach(scope: &str, touched: &[&'static str]) -> String {
    reach_with(scope, touched, &World::signed_by_alice().policy())
}

fn reach_with(scope: &str, touched: &[&'static str], policy: &Policy) -> String {
    let mut world = World::signed_by_alice();
    world.record["allowed_paths"] = json!([scope]);
    world.touched = touched.to_vec();
    let reach = world.with_subject(|subject| policy.reach(subject));
    match (reach.never.as_slice(), reach.protected.as_slice()) {
        ([], []) => "free".to_owned(),
        ([], [(_, by), ..]) => by.clone(),
        ([_, ..], _) => "never".to_owned(),
    }
}

#[test]
fn a_scope_that_could_touch_what_governs_is_seen() {
    let cases = [
        ("src/", "free"),
        ("src", "free"),
        ("src/calc.py", "free"),
        ("github/", "free"),
        (".githubx/", "free"),
        ("docs/", "free"),
        ("docs/guide/", "free"),
        ("docs/guide.md", "free"),
        ("regreen.toml", "regreen.toml"),
        ("REGREEN.toml", "regreen.toml"),
        ("ReGreen.TOML", "regreen.toml"),
        ("regreen.toml.bak", "free"),
        ("sub/regreen.toml", "regreen.toml"),
        ("keys/", "keys/allowed_signers"),
        ("keys", "keys/allowed_signers"),
        ("KEYS/", "keys/allowed_signers"),
        ("keys/allowed_signers", "keys/allowed_signers"),
        ("keys/Allowed_Signers", "keys/allowed_signers"),
        ("keys/other.txt", "free"),
        (".github", ".github/**"),
        (".github/", ".github/**"),
        (".GitHub/Workflows/", ".github/**"),
        (".github/workflows/ci.yml", ".github/**"),
        (".gitlab-ci.yml", ".gitlab-ci.yml"),
        (".GITLAB-CI.YML", ".gitlab-ci.yml"),
        ("Jenkinsfile", "Jenkinsfile"),
        ("jenkinsfile", "Jenkinsfile"),
        ("Jenkinsfile/", "Jenkinsfile"),
        (".ci/run", ".ci/**"),
        (".gitignore", "free"),
        (".git", "never"),
        (".git/", "never"),
        (".GIT/hooks/", "never"),
        (".git/hooks/pre-commit", "never"),
        ("vendor/lib/.git/config", "never"),
        (".git./config", "never"),
        ("git~1/config", "never"),
        (".git::$INDEX_ALLOCATION/config", "never"),
        (".regreen", "never"),
        (".regreen/", "never"),
        (".Regreen/approvals/", "never"),
        ("regree~1/approvals", "never"),
        ("regree~1.tom", "regreen.toml"),
    ];
    for (scope, expected) in cases {
        assert_eq!(reach(scope, &[]), expected, "{scope}");
    }
}

#[test]
fn a_patch_that_touches_what_governs_is_seen() {
    let cases = [
        ("src/a.py", "free"),
        ("docs/guide.md", "free"),
        (".github/workflows/ci.yml", ".github/**"),
        // A link in its place decides on all that is in it.
        (".github", ".github/**"),
        ("keys", "keys/allowed_signers"),
        ("REGREEN.TOML", "regreen.toml"),
        (".git/config", "never"),
        (".g\u{200c}it/config", "never"),
        (".regreen/registry.db", "never"),
    ];
    for (path, expected) in cases {
        assert_eq!(reach("src/", &[path]), expected, "{path}");
    }
}

#[test]
fn globs_of_the_configuration_protect_as_far_as_they_could_reach() {
    let policy = |glob: &str| Policy::new(false, RelPath::parse("signers").unwrap(), &[glob]);
    let cases = [
        ("deploy/*.yml", "deploy/", true),
        ("deploy/*.yml", "deploy/x.yml", true),
        ("deploy/*.yml", "deploy/x.txt", false),
        ("deploy/*.yml", "deploy/sub/", true),
        ("deploy/*.yml", "deployment/", false),
        ("deploy", "deploy/x.txt", true),
        ("deploy/", "deploy/x.txt", true),
        ("/deploy/", "deploy/", true),
        ("./deploy", "Deploy/", true),
        ("**/Dockerfile", "src/", true),
        ("**/Dockerfile", "src/dockerfile", true),
        ("**/Dockerfile", "src/main.rs", false),
        ("{a,b}/c/**", "a/", true),
        ("{a,b}/c/**", "b/c/d.txt", true),
        ("{a,b}/c/**", "x.txt", false),
        ("Straße/**", "STRASSE/x.txt", true),
        ("a[bc]/x", "ab/x", true),
    ];
    for (glob, scope, expected) in cases {
        let found = reach_with(scope, &[], &policy(glob).unwrap());
        assert_eq!(found != "free", expected, "{glob} and {scope}: {found}");
    }
    for glob in ["", "/", "!a", "a/../b", "./", "[", "{a"] {
        assert!(policy(glob).is_err(), "{glob:?}");
    }
    insta::assert_snapshot!(policy("a/../b").unwrap_err(), @r#""a/../b" in protected is not a glob of paths relative to the workspace root: it has a `.` or `..` segment"#);
}

/// The refusals of a proposal about a workflow file, signed by these.
fn protected(allowed: &str, signers: &[(&str, u8)]) -> Vec<String> {
    let mut world = World::signed_by_alice();
    let key = |seed| public(&private(seed)).to_string();
    world.allowed = allowed.replace("K1", &key(1)).replace("K2", &key(2)).replace("K3", &key(3));
    world.record["allowed_paths"] = json!(["src/", ".github/"]);
    world.sign_anew();
    world.document["signatures"] = json!([]);
    let mut entries = Vec::new();
    for (principal, seed) in signers {
        let entry = world.with_subject(|it| crate::approval_support::entry(it, principal, *seed));
        entries.push(json!({
            "principal": entry.principal, "fingerprint": entry.fingerprint, "signature": entry.signature
        }));
    }
    world.document["signatures"] = json!(entries);
    let result = world.with_subject(|subject| {
        verify_approval(
            &world.read_document(),
            &[],
            subject,
            &world.allowed(),
            &world.policy(),
            now(),
        )
    });
    match result {
        Ok(approved) => vec![format!("by {}", approved.by())],
        Err(refusals) => refusals.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn two_different_people_must_sign() {
    let file = "alice K1\nbob K2\n";
    assert_eq!(protected(file, &[("alice", 1), ("bob", 2)]), ["by alice, bob"]);
    assert_eq!(protected(file, &[("bob", 2), ("alice", 1)]), ["by bob, alice"]);
    let one = &protected(file, &[("alice", 1)])[0];
    insta::assert_snapshot!(one, @".github/ could touch what governs proposals (.github/**): two different people must sign, each with a key of their own, and 1 did");
    let not_two: &[(&str, &[(&str, u8)])] = &[
        // The same signature twice; one key under two names; two keys of one person.
        ("alice K1\nbob K2\n", &[("alice", 1), ("alice", 1)]),
        ("alice,bob K1\n", &[("alice", 1), ("bob", 1)]),
        ("alice K1\nalice K2\n", &[("alice", 1), ("alice", 2)]),
        ("alice K1\nAlice K2\n", &[("alice", 1), ("Alice", 2)]),
        // A key that could be anybody's.
        ("alice K1\n* K2\n", &[("alice", 1), ("bob", 2)]),
        ("alice,bob K1\nbob K2\n", &[("alice", 1), ("bob", 2)]),
        ("alice K1\nbob K2\nbob namespaces=\"git\" K1\n", &[("alice", 1), ("bob", 2)]),
    ];
    for (file, signers) in not_two {
        assert_eq!(protected(file, signers).as_slice(), [one.as_str()], "{file}");
    }
    // A second key that is not allowed is not a second key.
    let refusals = protected(file, &[("alice", 1), ("carol", 3)]);
    assert_eq!(refusals.len(), 1);
    assert!(refusals[0].contains("is not allowed to approve"), "{refusals:?}");
    // Three, of whom two differ.
    let file = "alice K1\nalice K3\nbob K2\n";
    assert_eq!(
        protected(file, &[("alice", 1), ("alice", 3), ("bob", 2)]),
        ["by alice, alice, bob"]
    );
}

/// X-111: as many of the owners as the rule says, each counted once; one document that fails takes nothing from the others.
#[test]
fn owners_decide_about_their_paths() {
    let mut world = World::signed_by_alice();
    world.record["allowed_paths"] = json!(["src/"]);
    world.sign_anew();
    let sign = |principal: &str, seed: u8| {
        world.with_subject(|it| {
            crate::approval_support::signed_document(it, principal, seed, world.now)
        })
    };
    let (alice, bob) = (sign("alice@example.org", 1), sign("bob@example.org", 2));
    let carol = sign("carol@example.org", 3);
    let policy = |keys: &[&str], n: usize| {
        let keys: Vec<String> = keys.iter().map(|it| (*it).to_owned()).collect();
        world.policy().with_owner(&["src/pay/**".to_owned()], &keys, n).unwrap()
    };
    let held = |documents: &[Document], policy: &Policy| {
        let result = world.with_subject(|subject| {
            recheck(documents, subject, &world.allowed(), policy, now(), Stage::Open)
        });
        result.map(|it| it.by().to_owned()).map_err(|it| it.last().unwrap().to_string())
    };
    let both = policy(&["Alice@example.org", "bob@example.org"], 2);
    assert!(held(std::slice::from_ref(&alice), &both).unwrap_err().contains("needs 2 approvals"));
    assert!(held(&[alice.clone(), alice.clone()], &both).is_err(), "nobody counts twice");
    assert!(held(&[alice.clone(), carol.clone()], &both).is_err(), "carol may not approve");
    assert_eq!(
        held(&[carol, alice.clone(), bob.clone()], &both),
        Ok("alice@example.org, bob@example.org".to_owned())
    );
    let only_bob = policy(&[&public(&private(2)).fingerprint()], 1);
    assert!(held(std::slice::from_ref(&alice), &only_bob).is_err());
    assert!(held(std::slice::from_ref(&bob), &only_bob).is_ok());
    let anybody = policy(&[], 2);
    assert!(
        held(std::slice::from_ref(&bob), &anybody).is_err()
            && held(&[bob, alice], &anybody).is_ok()
    );
}

#[test]
fn an_unsigned_word_never_suffices_there_and_nothing_for_git() {
    let mut world = World::signed_by_alice();
    world.record["allowed_paths"] = json!([".github/workflows/ci.yml", ".git/hooks/"]);
    let id = govern::Id::parse("DDS-20260202-CODE-001").unwrap();
    let confirmation = Confirmation::typed(&id, id.as_str()).unwrap();
    let refusals = world.with_subject(|subject| {
        {
            let now = Moment::from_micros(0);
            let statement = subject.statement(now.plus_seconds(60));
            approve_unsigned(&confirmation, "me", statement, subject, &world.policy(), now)
        }
        .unwrap_err()
    });
    assert!(
        matches!(
            refusals.as_slice(),
            [ApprovalRefusal::Never { .. }, ApprovalRefusal::SecondKey { .. }]
        ),
        "{refusals:?}"
    );
    world.record["allowed_paths"] = json!([".git/hooks/"]);
    world.sign_anew();
    world.sign_too("bob@example.org", 2);
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
    insta::assert_snapshot!(refusals[0], @".git/hooks/ is in no scope: nothing that regreen runs may change .git or .regreen");
    assert_eq!(refusals.len(), 1);
}
