//! Signing with every kind of key: from files, from encrypted files, and through an agent that may lie.

use std::path::{Path, PathBuf};

use base64ct::{Base64, Encoding as _};
use rsa::signature::Signer as _;
use ssh_key::public::{KeyData, SkEcdsaSha2NistP256, SkEd25519};
use ssh_key::{Algorithm, EcdsaCurve, HashAlg, LineEnding, PrivateKey, PublicKey};
use sshsig::{Key, SignError, Signed, SigningKey, named_by_git, public_half, sign, verify};

use crate::support::{NAMESPACE, Seeded, fake_agent, private, public, put, rsa_key};

fn ecdsa(curve: EcdsaCurve) -> PrivateKey {
    PrivateKey::random(&mut Seeded::new("a key"), Algorithm::Ecdsa { curve }).unwrap()
}

/// A key on P-521 whose secret number starts with a zero byte: about every fourth one has a number that OpenSSH writes
/// with a byte less.
fn short_p521() -> PrivateKey {
    let mut random = Seeded::new("a short key");
    let curve = EcdsaCurve::NistP521;
    (0..200)
        .map(|_| PrivateKey::random(&mut random, Algorithm::Ecdsa { curve }).unwrap())
        .find(|it| matches!(secret_number(it), [0, second, ..] if *second < 0x80))
        .expect("one in four")
}

fn secret_number(key: &PrivateKey) -> &[u8] {
    key.key_data().ecdsa().unwrap().private_key_bytes()
}

/// The file that ssh-keygen writes for the key: its secret number without the zeros in front, and all of it behind the
/// passphrase if there is one.
fn as_openssh_writes_it(key: &PrivateKey, passphrase: Option<&str>) -> String {
    let public = key.public_key().to_bytes().unwrap();
    let mut section = [7; 8].to_vec();
    section.extend(&public);
    let number = secret_number(key);
    let n_zeros = number.iter().take_while(|it| **it == 0).count();
    put(&mut section, &number[n_zeros..]);
    put(&mut section, b"a comment");
    section.extend((1..).take((16 - section.len() % 16) % 16));
    let (salt, rounds) = (vec![9; 16], 1);
    let mut options = Vec::new();
    let (cipher, kdf) = match passphrase {
        None => ("none", "none"),
        Some(passphrase) => {
            put(&mut options, &salt);
            options.extend(u32::to_be_bytes(rounds));
            let cipher = ssh_key::Cipher::Aes256Ctr;
            let kdf = ssh_key::Kdf::Bcrypt { salt, rounds };
            let (secret, iv) = kdf.derive_key_and_iv(cipher, passphrase).unwrap();
            cipher.encrypt(&secret, &iv, &mut section).unwrap();
            ("aes256-ctr", "bcrypt")
        }
    };
    let mut bytes = b"openssh-key-v1\0".to_vec();
    for part in [cipher.as_bytes(), kdf.as_bytes(), &options] {
        put(&mut bytes, part);
    }
    bytes.extend(1_u32.to_be_bytes());
    put(&mut bytes, &public);
    put(&mut bytes, &section);
    let text = Base64::encode_string(&bytes);
    let lines: Vec<&str> =
        text.as_bytes().chunks(70).map(|it| std::str::from_utf8(it).unwrap()).collect();
    let (begin, end) = ("-----BEGIN OPENSSH PRIVATE KEY-----", "-----END OPENSSH PRIVATE KEY-----");
    format!("{begin}\n{}\n{end}\n", lines.join("\n"))
}

fn save(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn sign_with(path: &Path, passphrase: Option<&str>) -> Result<Signed, SignError> {
    let key = SigningKey::File(path.to_owned());
    sign(&key, NAMESPACE, b"bytes", None, &mut || passphrase.map(str::to_owned))
}

#[test]
fn every_kind_of_key_file_signs() {
    let folder = tempfile::tempdir().unwrap();
    let keys = [
        private(1),
        ecdsa(EcdsaCurve::NistP256),
        ecdsa(EcdsaCurve::NistP384),
        ecdsa(EcdsaCurve::NistP521),
        rsa_key(),
    ];
    for key in keys {
        let name = key.algorithm().to_string();
        let path = save(folder.path(), &name, &key.to_openssh(LineEnding::LF).unwrap());
        let signed = sign_with(&path, None).unwrap();
        assert_eq!(signed.key, public(&key), "{name}");
        assert_eq!(verify(&signed.armored, NAMESPACE, b"bytes").unwrap(), signed.key, "{name}");
        assert!(verify(&signed.armored, NAMESPACE, b"bytes.").is_err(), "{name}");
        assert_eq!(public_half(&SigningKey::File(path)).unwrap(), signed.key, "{name}");
    }
}

#[test]
fn a_secret_number_with_leading_zeros_is_no_obstacle() {
    let folder = tempfile::tempdir().unwrap();
    let short = short_p521();
    let plain = save(folder.path(), "plain", &as_openssh_writes_it(&short, None));
    let locked = as_openssh_writes_it(&short, Some("open sesame"));
    let encrypted = save(folder.path(), "encrypted", &locked);
    let key = sign_with(&plain, None).unwrap().key;
    assert_eq!(key.kind(), "ecdsa-sha2-nistp521");
    assert_eq!(key, public(&short));
    assert_eq!(sign_with(&encrypted, Some("open sesame")).unwrap().key, key);
    assert!(matches!(sign_with(&encrypted, Some("sesame")), Err(SignError::Passphrase { .. })));
}

#[test]
fn an_encrypted_key_asks_once_and_only_then() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Seeded::new("salt");
    let kdf = ssh_key::Kdf::Bcrypt { salt: vec![7; 16], rounds: 1 };
    let cipher = ssh_key::Cipher::Aes256Ctr;
    use ssh_key::rand_core::RngCore as _;
    let locked = private(1).encrypt_with(cipher, kdf, random.next_u32(), "secret").unwrap();
    let path = save(folder.path(), "locked", &locked.to_openssh(LineEnding::LF).unwrap());
    let mut n_asked = 0;
    let mut ask = || {
        n_asked += 1;
        Some("secret".to_owned())
    };
    let signed =
        sign(&SigningKey::File(path.clone()), NAMESPACE, b"bytes", None, &mut ask).unwrap();
    assert_eq!((signed.key, n_asked), (public(&private(1)), 1));
    assert!(matches!(sign_with(&path, None), Err(SignError::NoPassphrase { .. })));
    assert!(matches!(sign_with(&path, Some("Secret")), Err(SignError::Passphrase { .. })));
    assert_eq!(public_half(&SigningKey::File(path)).unwrap(), public(&private(1)));
    let open = save(folder.path(), "open", &private(1).to_openssh(LineEnding::LF).unwrap());
    let mut never = || panic!("nothing to ask for");
    sign(&SigningKey::File(open), NAMESPACE, b"bytes", None, &mut never).unwrap();
}

#[test]
fn files_that_are_no_keys_are_refused_by_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("empty", ""),
        ("text", "hello\n"),
        ("pem", "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"),
        ("cut", &as_openssh_writes_it(&short_p521(), None)[..300]),
        ("hollow", "-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----\n"),
    ];
    for (name, text) in cases {
        let error = sign_with(&save(folder.path(), name, text), None).unwrap_err();
        assert!(matches!(error, SignError::NotAKey { .. }), "{name}: {error}");
    }
    assert!(matches!(sign_with(&folder.path().join("none"), None), Err(SignError::File { .. })));
    assert!(matches!(sign_with(folder.path(), None), Err(SignError::File { .. })));
    insta::assert_snapshot!(SignError::NoKey, @"no key is named, and none is chosen for you: give a private key file (--key ~/.ssh/id_ed25519), or the public key file of a key in the SSH agent (--key ~/.ssh/id_ed25519.pub), or tell git which key is yours (git config gpg.format ssh, git config user.signingkey ~/.ssh/id_ed25519.pub)");
}

/// Signs through a fake agent that holds the key and gives this answer.
fn through_agent(
    key: &PublicKey,
    answer: impl Fn(&[u8]) -> Vec<u8> + Send + 'static,
) -> Result<Signed, SignError> {
    let folder = tempfile::tempdir().unwrap();
    let socket = fake_agent(folder.path(), key.to_bytes().unwrap(), Box::new(answer));
    let path = save(folder.path(), "id.pub", &key.to_openssh().unwrap());
    sign(&SigningKey::File(path), NAMESPACE, b"bytes", Some(&socket), &mut || {
        panic!("no passphrase here")
    })
}

fn answer_of(key: PrivateKey) -> impl Fn(&[u8]) -> Vec<u8> + Send + 'static {
    move |data| Vec::<u8>::try_from(key.try_sign(data).unwrap()).unwrap()
}

#[test]
fn a_public_key_file_means_the_key_in_the_agent() {
    for key in [private(1), ecdsa(EcdsaCurve::NistP256)] {
        let signed = through_agent(key.public_key(), answer_of(key.clone())).unwrap();
        assert_eq!(verify(&signed.armored, NAMESPACE, b"bytes").unwrap(), public(&key));
    }
}

#[test]
fn an_agent_that_lies_is_found_out() {
    let key = private(1).public_key().clone();
    let other_key = through_agent(&key, answer_of(private(2)));
    assert!(matches!(other_key, Err(SignError::Useless { .. })));
    let other_bytes = through_agent(&key, |_| answer_of(private(1))(b"other"));
    assert!(matches!(other_bytes, Err(SignError::Useless { .. })));
    for nonsense in [&b""[..], b"nonsense", &[0xff; 64]] {
        let answer = through_agent(&key, move |_| nonsense.to_vec());
        assert!(matches!(answer, Err(SignError::Useless { .. })), "{nonsense:?}");
    }
    // The agent holds another key than the one that was named, and no other is taken.
    let folder = tempfile::tempdir().unwrap();
    let blob = private(2).public_key().to_bytes().unwrap();
    let socket = fake_agent(folder.path(), blob, Box::new(answer_of(private(2))));
    let named = SigningKey::Agent(public(&private(1)));
    let error = sign(&named, NAMESPACE, b"bytes", Some(&socket), &mut || None).unwrap_err();
    assert!(matches!(error, SignError::NotInAgent { .. }));
    for socket in [None, Some(Path::new("")), Some(Path::new("/nonexistent/agent"))] {
        let error = sign(&named, NAMESPACE, b"bytes", socket, &mut || None).unwrap_err();
        assert!(matches!(error, SignError::Agent { .. }), "{socket:?}");
    }
}

/// What a security key of the application `ssh:` answers: the signature of a hash over flags and counter too.
pub(crate) fn security_key(
    kind: &'static str,
    key: PrivateKey,
    flags: u8,
) -> impl Fn(&[u8]) -> Vec<u8> + Send + 'static {
    move |data| {
        let trailer = [flags, 0, 0, 0, 9];
        let message =
            [&HashAlg::Sha256.digest(b"ssh:")[..], &trailer, &HashAlg::Sha256.digest(data)]
                .concat();
        let mut answer = Vec::new();
        put(&mut answer, kind.as_bytes());
        put(&mut answer, key.try_sign(&message).unwrap().as_bytes());
        answer.extend(trailer);
        answer
    }
}

pub(crate) fn security_keys() -> [(&'static str, PrivateKey, PublicKey); 2] {
    let (ed25519, p256) = (private(1), ecdsa(EcdsaCurve::NistP256));
    let KeyData::Ed25519(point) = ed25519.public_key().key_data() else { panic!("Ed25519") };
    let sk_ed25519 = PublicKey::from(SkEd25519::new(*point, "ssh:"));
    let KeyData::Ecdsa(ssh_key::public::EcdsaPublicKey::NistP256(point)) =
        p256.public_key().key_data()
    else {
        panic!("P-256")
    };
    let sk_ecdsa = PublicKey::from(SkEcdsaSha2NistP256::new(*point, "ssh:"));
    [
        ("sk-ssh-ed25519@openssh.com", ed25519, sk_ed25519),
        ("sk-ecdsa-sha2-nistp256@openssh.com", p256, sk_ecdsa),
    ]
}

#[test]
fn security_keys_sign_through_the_agent_when_they_are_touched() {
    for (kind, private, public) in security_keys() {
        let signed = through_agent(&public, security_key(kind, private.clone(), 1)).unwrap();
        assert_eq!(signed.key.kind(), kind);
        assert_eq!(verify(&signed.armored, NAMESPACE, b"bytes").unwrap(), signed.key);
        assert!(verify(&signed.armored, NAMESPACE, b"other").is_err());
        let untouched = through_agent(&public, security_key(kind, private, 0));
        assert!(matches!(untouched, Err(SignError::Useless { .. })), "{kind}");
    }
}

#[test]
fn git_names_a_key_by_path_or_by_itself() {
    let key = public(&private(1));
    let home = Some(Path::new("/home/alice"));
    let file = |path: &str| Some(SigningKey::File(PathBuf::from(path)));
    let agent = Some(SigningKey::Agent(key.clone()));
    let cases: Vec<(String, Option<SigningKey>)> = vec![
        (format!("key::{key}"), agent.clone()),
        (format!("key::{key} a comment"), agent.clone()),
        (key.to_string(), agent),
        ("~/.ssh/id_ed25519.pub".to_owned(), file("/home/alice/.ssh/id_ed25519.pub")),
        ("/keys/id".to_owned(), file("/keys/id")),
        ("keys/id".to_owned(), file("keys/id")),
        ("ssh-keys".to_owned(), file("ssh-keys")),
        ("~bob/.ssh/id".to_owned(), None),
        ("key::".to_owned(), None),
        ("key::ssh-ed25519 AAAA".to_owned(), None),
        ("ssh-ed25519 AAAA".to_owned(), None),
        (String::new(), None),
    ];
    for (value, expected) in cases {
        assert_eq!(named_by_git(&value, home).ok(), expected, "{value}");
    }
    assert!(named_by_git("~/.ssh/id", None).is_err());
    assert!(Key::parse("").is_err());
}
