//! The same answers as OpenSSH: what is signed here is verified by `ssh-keygen -Y verify`, what `ssh-keygen -Y sign` made
//! is accepted, a real `ssh-agent` signs, and lines of an allowed-signers file mean the same to both. Needs the Debian
//! package openssh-client.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use jiff::Timestamp;
use sshsig::{AllowedSigners, Key, Signed, SigningKey, agent_keys, sign, verify, with_signer};
use tempfile::TempDir;

use crate::keys::{security_key, security_keys};
use crate::support::{NAMESPACE, fake_agent};

const BYTES: &[u8] = b"{\"patch\":null,\"record\":{}}";

/// Every kind that ssh-keygen makes and regreen takes. Keys on P-521 differ in length, so there are several.
const KINDS: [(&str, &str); 10] = [
    ("ed25519", "256"),
    ("ecdsa", "256"),
    ("ecdsa", "384"),
    ("ecdsa", "521"),
    ("ecdsa", "521"),
    ("ecdsa", "521"),
    ("ecdsa", "521"),
    ("ecdsa", "521"),
    ("rsa", "2048"),
    ("rsa", "3072"),
];

fn run(command: &mut Command, input: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("openssh-client is installed");
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn expect_success(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let output = run(command, input);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn generate(folder: &Path, name: &str, (kind, bits): (&str, &str), passphrase: &str) -> PathBuf {
    let path = folder.join(name);
    let mut command = Command::new("ssh-keygen");
    command
        .args(["-q", "-t", kind, "-b", bits, "-a", "1", "-N", passphrase, "-C", "a comment", "-f"])
        .arg(&path);
    expect_success(&mut command, b"");
    path
}

fn public(path: &Path) -> Key {
    Key::parse(&std::fs::read_to_string(path.with_extension("pub")).unwrap()).unwrap()
}

/// Whether `ssh-keygen -Y verify` takes the signature, at a moment in UTC.
fn openssh_takes(
    allowed: &str,
    principal: &str,
    armored: &str,
    bytes: &[u8],
    at: Option<&str>,
) -> bool {
    openssh_takes_in("UTC", allowed, principal, armored, bytes, at)
}

/// The same on a machine in another time zone.
fn openssh_takes_in(
    zone: &str,
    allowed: &str,
    principal: &str,
    armored: &str,
    bytes: &[u8],
    at: Option<&str>,
) -> bool {
    let folder = TempDir::new().unwrap();
    let (file, signature) = (folder.path().join("allowed"), folder.path().join("signature"));
    std::fs::write(&file, allowed).unwrap();
    std::fs::write(&signature, armored).unwrap();
    let mut command = Command::new("ssh-keygen");
    command
        .env("TZ", zone)
        .args(["-Y", "verify", "-n", NAMESPACE, "-I", principal, "-f"])
        .arg(file)
        .arg("-s")
        .arg(signature);
    if let Some(at) = at {
        command.arg(format!("-Overify-time={at}"));
    }
    run(&mut command, bytes).status.success()
}

/// Whether the file allows alice to have made the signature at that moment.
fn we_take(allowed: &AllowedSigners, armored: &str, moment: Timestamp) -> bool {
    let key = verify(armored, NAMESPACE, BYTES).unwrap();
    allowed
        .of(&key)
        .into_iter()
        .any(|it| it.is_for_namespace(NAMESPACE) && it.is_for("alice") && it.holds_at(moment))
}

fn now() -> Timestamp {
    "2026-02-02T12:00:00Z".parse().unwrap()
}

fn openssh_signs(path: &Path, namespace: &str, bytes: &[u8]) -> String {
    let mut command = Command::new("ssh-keygen");
    command.args(["-Y", "sign", "-n", namespace, "-f"]).arg(path);
    String::from_utf8(expect_success(&mut command, bytes)).unwrap()
}

fn sign_with(key: SigningKey, passphrase: &str, socket: Option<&Path>) -> Signed {
    sign(&key, NAMESPACE, BYTES, socket, &mut || Some(passphrase.to_owned())).unwrap()
}

#[test]
fn both_tools_take_what_the_other_signed_with_every_kind_of_key() {
    let folder = TempDir::new().unwrap();
    for (idx, kind) in KINDS.into_iter().enumerate() {
        for passphrase in ["", "open sesame"] {
            let path =
                generate(folder.path(), &format!("{idx}{}", passphrase.len()), kind, passphrase);
            let key = public(&path);
            let allowed = with_signer("", NAMESPACE, "alice@example.org", &key).unwrap();
            let ours = sign_with(SigningKey::File(path.clone()), passphrase, None);
            assert_eq!(ours.key, key, "{kind:?}");
            assert!(
                openssh_takes(&allowed, "alice@example.org", &ours.armored, BYTES, None),
                "{kind:?}"
            );
            assert!(
                !openssh_takes(&allowed, "alice@example.org", &ours.armored, b"other", None),
                "{kind:?}"
            );
            if passphrase.is_empty() {
                let theirs = openssh_signs(&path, NAMESPACE, BYTES);
                assert_eq!(verify(&theirs, NAMESPACE, BYTES).unwrap(), key, "{kind:?}");
                assert!(verify(&theirs, NAMESPACE, b"other").is_err(), "{kind:?}");
                assert!(
                    verify(&openssh_signs(&path, "git", BYTES), NAMESPACE, BYTES).is_err(),
                    "{kind:?}"
                );
            }
        }
    }
}

#[test]
fn every_cipher_of_key_files_opens() {
    let folder = TempDir::new().unwrap();
    for cipher in [
        "aes256-ctr",
        "aes128-cbc",
        "aes256-cbc",
        "aes256-gcm@openssh.com",
        "chacha20-poly1305@openssh.com",
    ] {
        let path = folder.path().join(cipher);
        let mut command = Command::new("ssh-keygen");
        command
            .args(["-q", "-t", "ed25519", "-Z", cipher, "-a", "1", "-N", "open sesame", "-f"])
            .arg(&path);
        expect_success(&mut command, b"");
        let pub_file = format!("{}.pub", path.display());
        let key = Key::parse(&std::fs::read_to_string(pub_file).unwrap()).unwrap();
        assert_eq!(sign_with(SigningKey::File(path), "open sesame", None).key, key, "{cipher}");
    }
}

#[test]
fn openssh_takes_what_security_keys_signed_for_regreen() {
    for (kind, private, public) in security_keys() {
        let folder = TempDir::new().unwrap();
        let answer = Box::new(security_key(kind, private, 1));
        let socket = fake_agent(folder.path(), public.to_bytes().unwrap(), answer);
        let key = Key::parse(&public.to_openssh().unwrap()).unwrap();
        let signed = sign_with(SigningKey::Agent(key.clone()), "", Some(&socket));
        let allowed = with_signer("", NAMESPACE, "alice@example.org", &key).unwrap();
        assert!(
            openssh_takes(&allowed, "alice@example.org", &signed.armored, BYTES, None),
            "{kind}"
        );
    }
}

/// An agent of OpenSSH, ended with the test.
struct Agent {
    child: Child,
    socket: PathBuf,
}

impl Agent {
    fn start(folder: &Path) -> Agent {
        let socket = folder.join("agent.sock");
        let child = Command::new("ssh-agent")
            .arg("-D")
            .arg("-a")
            .arg(&socket)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        for _ in 0..500 {
            if std::os::unix::net::UnixStream::connect(&socket).is_ok() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Agent { child, socket }
    }

    fn add(&self, path: &Path) {
        let mut command = Command::new("ssh-add");
        expect_success(command.arg("-q").arg(path).env("SSH_AUTH_SOCK", &self.socket), b"");
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_real_agent_signs_with_every_kind_of_key() {
    let folder = TempDir::new().unwrap();
    let agent = Agent::start(folder.path());
    assert_eq!(agent_keys(Some(&agent.socket)).unwrap(), []);
    let mut added = Vec::new();
    for (idx, kind) in KINDS.into_iter().enumerate() {
        let path = generate(folder.path(), &format!("k{idx}"), kind, "");
        agent.add(&path);
        let pub_file = path.with_extension("pub");
        std::fs::remove_file(&path).unwrap();
        let key = public(&path);
        added.push((key.clone(), "a comment".to_owned()));
        let allowed = with_signer("", NAMESPACE, "alice@example.org", &key).unwrap();
        for named in [SigningKey::File(pub_file), SigningKey::Agent(key.clone())] {
            let signed = sign_with(named, "", Some(&agent.socket));
            assert!(
                openssh_takes(&allowed, "alice@example.org", &signed.armored, BYTES, None),
                "{kind:?}"
            );
        }
    }
    assert_eq!(agent_keys(Some(&agent.socket)).unwrap(), added);
    // A key that the agent does not hold.
    let other = generate(folder.path(), "other", KINDS[0], "");
    let named = SigningKey::Agent(public(&other));
    assert!(sign(&named, NAMESPACE, BYTES, Some(&agent.socket), &mut || None).is_err());
}

#[test]
fn lines_mean_the_same_to_both() {
    let folder = TempDir::new().unwrap();
    let (path, other) =
        (generate(folder.path(), "k", KINDS[0], ""), generate(folder.path(), "o", KINDS[0], ""));
    let signed = sign_with(SigningKey::File(path.clone()), "", None);
    let lines = [
        "alice KEY",
        "alice KEY comment",
        "bob KEY",
        "bob,alice KEY",
        "al* KEY",
        "a?ice KEY",
        "*,!alice KEY",
        "!bob,* KEY",
        "Alice KEY",
        "\"alice\" KEY",
        "\"bob,alice\" KEY",
        "# alice KEY",
        "alice OTHER",
        "alice OTHER\nalice KEY",
        "alice namespaces=\"regreen-dds\" KEY",
        "alice namespaces=\"git\" KEY",
        "alice namespaces=\"git,regreen-dds\" KEY",
        "alice namespaces=\"regreen-*\" KEY",
        "alice namespaces=\"*,!regreen-dds\" KEY",
        "alice namespaces=\"git\" KEY\nalice KEY",
        "alice NAMESPACES=\"regreen-dds\" KEY",
        "alice namespaces=regreen-dds KEY",
        "alice nonsense KEY",
        "alice nonsense=\"x\" KEY",
        "alice valid-before=\"20260202120000Z\" KEY",
        "alice valid-before=\"20260202115959Z\" KEY",
        "alice valid-after=\"20260202120000Z\" KEY",
        "alice valid-after=\"20260202120001Z\" KEY",
        "alice valid-after=\"20260202Z\",valid-before=\"20260203Z\" KEY",
        "alice valid-before=\"202602021200Z\" KEY",
        "alice valid-after=\"20260203Z\",valid-before=\"20260202Z\" KEY",
        "alice valid-before=\"2026\" KEY",
        "alice namespaces=\"regreen-dds\",namespaces=\"git\" KEY",
        "alice cert-authority KEY",
        "KEY",
        "alice",
        "",
    ];
    let mut n_taken = 0;
    for line in lines {
        let key = |path: &Path| public(path).to_string();
        let text = format!("{}\n", line.replace("KEY", &key(&path)).replace("OTHER", &key(&other)));
        let allowed = AllowedSigners::read(&text);
        let ours = we_take(&allowed, &signed.armored, now());
        let theirs = openssh_takes(&text, "alice", &signed.armored, BYTES, Some("20260202120000Z"));
        assert_eq!(ours, theirs, "{line}");
        n_taken += usize::from(theirs);
    }
    assert!((10..25).contains(&n_taken), "{n_taken}");
}

#[test]
fn a_time_without_a_zone_is_never_milder_than_in_any_zone() {
    let folder = TempDir::new().unwrap();
    let path = generate(folder.path(), "k", KINDS[0], "");
    let signed = sign_with(SigningKey::File(path.clone()), "", None);
    let mut n_taken = 0;
    for option in ["valid-before=\"20260202\"", "valid-after=\"20260202\""] {
        let text = format!("alice {option} {}\n", public(&path));
        for hour in [
            "2026-01-31T12",
            "2026-02-01T10",
            "2026-02-01T11",
            "2026-02-02T11",
            "2026-02-02T12",
            "2026-02-03T12",
        ] {
            let at = format!("{hour}:00:00Z");
            let moment = at.parse().unwrap();
            let allowed = AllowedSigners::read(&text);
            let ours = we_take(&allowed, &signed.armored, moment);
            let compact: String = at.chars().filter(|it| !"-:T".contains(*it)).collect();
            // POSIX counts west of Greenwich: the zones from fourteen hours before UTC to twelve after it.
            for zone in ["UTC-14", "UTC", "UTC+12"] {
                let text = text.as_str();
                let theirs =
                    openssh_takes_in(zone, text, "alice", &signed.armored, BYTES, Some(&compact));
                assert!(!ours || theirs, "{option} at {at} in {zone}");
            }
            n_taken += usize::from(ours);
        }
    }
    assert_eq!(n_taken, 4);
}
