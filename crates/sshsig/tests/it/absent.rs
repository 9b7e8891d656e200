//! Without the feature `ssh` no key is read, no signature holds, and none is made.

use sshsig::{
    Key, KeyError, SignError, SignatureError, SigningKey, key_in, public_half, sign, verify,
};

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIILf5ZmaCq4tvH1y5fC2dGqTNYZ9xoNvjFh2Fk5wKzZV";
const SIGNATURE: &str = "-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n";

#[test]
fn nothing_is_read_and_nothing_is_signed() {
    let absent = SignatureError::Key(KeyError::Absent);
    assert_eq!(Key::parse(KEY), Err(KeyError::Absent));
    assert_eq!(verify(SIGNATURE, "orders", b"x"), Err(absent.clone()));
    assert_eq!(key_in(SIGNATURE), Err(absent));
    let dir = tempfile::tempdir().unwrap();
    for text in [KEY, "-----BEGIN OPENSSH PRIVATE KEY-----\n"] {
        let path = dir.path().join("key");
        std::fs::write(&path, text).unwrap();
        let key = SigningKey::File(path);
        let mut passphrase = || panic!("nobody is asked for a passphrase");
        for error in [
            sign(&key, "orders", b"x", None, &mut passphrase).map(drop).unwrap_err(),
            public_half(&key).map(drop).unwrap_err(),
        ] {
            let is_absent =
                matches!(error, SignError::Unsupported { source: KeyError::Absent, .. });
            assert!(is_absent, "{error}");
        }
    }
}
