//! An approval needs nothing but OpenSSH to be checked, and git is asked for its key. Needs the Debian packages
//! openssh-client and git.

use std::io::Write as _;
use std::process::{Command, Stdio};

use govern::approval::{NAMESPACE, SigningKey, git_signing_key};

use crate::approval_support::{World, private, public};

/// Whether `ssh-keygen -Y verify` takes the signature.
fn openssh_takes(allowed: &str, principal: &str, armored: &str, bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let (file, signature) = (folder.path().join("allowed"), folder.path().join("signature"));
    std::fs::write(&file, allowed).unwrap();
    std::fs::write(&signature, armored).unwrap();
    let mut child = Command::new("ssh-keygen")
        .args(["-Y", "verify", "-n", NAMESPACE, "-I", principal, "-f"])
        .arg(file)
        .arg("-s")
        .arg(signature)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("openssh-client is installed");
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    child.wait().unwrap().success()
}

#[test]
fn an_approval_is_checked_by_openssh_alone() {
    let world = World::signed_by_alice();
    let bytes = world.with_subject(crate::approval_support::statement_bytes);
    let armored = world.document["signatures"][0]["signature"].as_str().unwrap();
    assert!(openssh_takes(&world.allowed, "alice@example.org", armored, &bytes));
    assert!(!openssh_takes(&world.allowed, "bob@example.org", armored, &bytes));
    assert!(!openssh_takes(&world.allowed, "alice@example.org", armored, &bytes[1..]));
}

#[test]
fn git_is_asked_only_for_what_it_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let git = |args: &[&str]| {
        let status = Command::new("git").arg("-C").arg(folder.path()).args(args).status();
        assert!(status.unwrap().success(), "{args:?}");
    };
    git(&["init", "--quiet"]);
    git(&["config", "gpg.format", "openpgp"]);
    git(&["config", "user.signingkey", "keys/id.pub"]);
    assert_eq!(git_signing_key(folder.path()).unwrap(), None);
    git(&["config", "gpg.format", "ssh"]);
    let expected = SigningKey::File(folder.path().join("keys/id.pub"));
    assert_eq!(git_signing_key(folder.path()).unwrap(), Some(expected));
    let key = public(&private(1));
    git(&["config", "user.signingkey", &format!("key::{key}")]);
    assert_eq!(git_signing_key(folder.path()).unwrap(), Some(SigningKey::Agent(key)));
}
