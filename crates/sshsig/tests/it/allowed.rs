//! The allowed-signers file: what is read of it, what is refused with which line, and how somebody is added.

use std::sync::LazyLock;

use proptest::prelude::{ProptestConfig, Strategy, any, prop, proptest};
use proptest::test_runner::RngSeed;
use sshsig::{AllowedSigners, Key, allowed_line, key_in, named_by_git, with_signer};

use crate::support::{NAMESPACE, private, public};

/// Making a key takes long without optimisation.
static KEY: LazyLock<Key> = LazyLock::new(|| public(&private(1)));

fn key() -> Key {
    KEY.clone()
}

/// `principals namespaces after before` of the only line, or its fault.
fn read(line: &str) -> String {
    let key = key().to_string();
    let read = AllowedSigners::read(&line.replace("KEY", &key));
    match (read.lines.as_slice(), read.faults.as_slice()) {
        ([it], []) => {
            assert_eq!(it.key.to_string(), key);
            let time = |it: Option<jiff::Timestamp>| it.map_or("-".to_owned(), |it| it.to_string());
            let namespaces = it.namespaces.as_deref().unwrap_or("-");
            format!(
                "{} {namespaces} {} {}",
                it.principals,
                time(it.valid_after),
                time(it.valid_before)
            )
        }
        ([], [fault]) => fault.to_string(),
        ([], []) => "nothing".to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lines_are_read_as_openssh_has_them() {
    let cases = [
        ("a@b KEY", "a@b - - -"),
        ("a@b KEY with a comment", "a@b - - -"),
        ("  a@b\tKEY  ", "a@b - - -"),
        ("a@b,c@d,*@e KEY", "a@b,c@d,*@e - - -"),
        ("*,!mallory KEY", "*,!mallory - - -"),
        ("\"a name\" KEY", "a name - - -"),
        ("\"a@b\" namespaces=\"git\" KEY", "a@b git - -"),
        ("a@b namespaces=\"regreen-dds\" KEY", "a@b regreen-dds - -"),
        ("a@b NameSpaces=\"git,regreen-*\" KEY c", "a@b git,regreen-* - -"),
        ("a@b namespaces=\"x y\" KEY", "a@b x y - -"),
        ("a@b namespaces=\"x\\\"y\" KEY", "a@b x\"y - -"),
        ("a@b valid-after=\"20260102Z\" KEY", "a@b - 2026-01-02T00:00:00Z -"),
        ("a@b valid-before=\"202601021504Z\" KEY", "a@b - - 2026-01-02T15:04:00Z"),
        ("a@b valid-before=\"20260102150405Z\" KEY", "a@b - - 2026-01-02T15:04:05Z"),
        (
            "a@b valid-after=\"20260102\",namespaces=\"git\",valid-before=\"20260105\" KEY",
            // Of an unknown zone: the window is as narrow as it can be.
            "a@b git 2026-01-02T12:00:00Z 2026-01-04T10:00:00Z",
        ),
        ("", "nothing"),
        ("# a@b KEY", "nothing"),
        ("   ", "nothing"),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line), expected, "{line}");
    }
}

#[test]
fn a_fault_names_the_line_and_what_would_be_right() {
    let names = "line 1: expected the names that the key may sign under at the start of the line";
    let form =
        "line 1: this is not a public key in OpenSSH format, `KIND BASE64` (ssh-ed25519 AAAA…)";
    let quotes = "line 1: the value of namespaces must be in quotes: namespaces=\"…\"";
    let options = "expected one of namespaces, valid-after, valid-before";
    let time = "is not a time; expected YYYYMMDDZ or YYYYMMDDHHMMSSZ (Z is UTC)";
    let cases = [
        ("KEY", names.to_owned()),
        ("\"\" KEY", names.to_owned()),
        (", KEY", names.to_owned()),
        ("a@b", "line 1: expected a key after the names".to_owned()),
        ("a@b ssh-ed25519", form.to_owned()),
        ("a@b ssh-ed25519 AAAA", form.to_owned()),
        ("a@b ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIA==", form.to_owned()),
        ("\"a@b KEY", "line 1: the quote at the start has no end".to_owned()),
        (
            "a@b cert-authority KEY",
            "line 1: cert-authority is not supported: name each person's own key".to_owned(),
        ),
        (
            "a@b cert-authority,namespaces=\"regreen-dds\" KEY",
            "line 1: cert-authority is not supported: name each person's own key".to_owned(),
        ),
        ("a@b namespaces=git KEY", quotes.to_owned()),
        ("a@b namespaces KEY", quotes.to_owned()),
        ("a@b namespaces=\"git KEY", "line 1: a quote in the options has no end".to_owned()),
        (
            "a@b namespaces=\"git\"x KEY",
            "line 1: a comma is missing after the option namespaces".to_owned(),
        ),
        (
            "a@b namespaces=\"a\",namespaces=\"b\" KEY",
            "line 1: the option namespaces is given twice".to_owned(),
        ),
        ("a@b namespaces=\"a\", KEY", format!("line 1: unknown option \"\"; {options}")),
        ("a@b nospaces=\"a\" KEY", format!("line 1: unknown option \"nospaces\"; {options}")),
        ("a@b valid-before=\"2026\" KEY", format!("line 1: \"2026\" {time}")),
        ("a@b valid-before=\"20261301Z\" KEY", format!("line 1: \"20261301Z\" {time}")),
        ("a@b valid-before=\"20260230Z\" KEY", format!("line 1: \"20260230Z\" {time}")),
        (
            "a@b valid-before=\"２０２６０１０１\" KEY",
            format!("line 1: \"２０２６０１０１\" {time}"),
        ),
        (
            "a@b valid-after=\"20260102Z\",valid-before=\"20260102Z\" KEY",
            "line 1: valid-before is not later than valid-after".to_owned(),
        ),
        ("a\u{1b}[2K@b KEY", "line 1: a control character".to_owned()),
    ];
    for (line, expected) in cases {
        assert_eq!(read(line), expected, "{line}");
    }
    // One bad line takes nothing from the others.
    let read = AllowedSigners::read(&format!("# first\r\nnonsense\r\na@b {}\r\n", key()));
    assert_eq!((read.lines.len(), read.lines[0].number), (1, 3));
    assert_eq!((read.faults.len(), read.faults[0].line), (1, 2));
}

#[test]
fn kinds_that_cannot_approve_are_named() {
    let cases = [
        "ssh-dss AAAAB3NzaC1kc3MAAACBAA==",
        "ssh-ed25519-cert-v01@openssh.com AAAAIHNzaC1lZDI1NTE5LWNlcnQtdjAxQG9wZW5zc2guY29t",
    ];
    for text in cases {
        let error = Key::parse(text).unwrap_err().to_string();
        let kind = text.split(' ').next().unwrap();
        assert!(
            error.starts_with(&format!("keys of the kind {kind} are not supported")),
            "{error}"
        );
    }
    // A modulus of 1024 bits.
    let mut blob = Vec::new();
    crate::support::put(&mut blob, b"ssh-rsa");
    crate::support::put(&mut blob, &[1, 0, 1]);
    crate::support::put(&mut blob, &[&[0][..], &[0xab; 128]].concat());
    let text = ssh_key::PublicKey::from_bytes(&blob).unwrap().to_openssh().unwrap();
    insta::assert_snapshot!(Key::parse(&text).unwrap_err(), @"an RSA key of 1024 bits is not supported, it must have 2048 to 4096");
}

#[test]
fn somebody_is_added_once_and_nothing_else_changes() {
    let key = key();
    let text = with_signer("", NAMESPACE, "alice@example.org", &key).unwrap();
    assert_eq!(text, format!("alice@example.org namespaces=\"regreen-dds\" {key}\n"));
    assert_eq!(with_signer(&text, NAMESPACE, "alice@example.org", &key).unwrap(), text);
    let before = "# who may approve\nbroken line";
    let after = with_signer(before, NAMESPACE, "alice@example.org", &key).unwrap();
    assert_eq!(after, format!("{before}\n{text}"));
    // Another name, or a line that ends in time or is for something else, is not the same.
    for line in [
        format!("bob@example.org {key}\n"),
        format!("alice@example.org namespaces=\"git\" {key}\n"),
        format!("alice@example.org valid-before=\"20200101Z\" {key}\n"),
    ] {
        assert_eq!(
            with_signer(&line, NAMESPACE, "alice@example.org", &key).unwrap(),
            format!("{line}{text}")
        );
    }
    for name in ["", "a b", "a,b", "*", "a\nb", "#a", "!a", "\"a\"", "a\u{2028}b"] {
        assert!(allowed_line(NAMESPACE, name, &key).is_err(), "{name:?}");
    }
    assert_eq!(
        AllowedSigners::read(&text).principal_of(&key, NAMESPACE),
        Some("alice@example.org")
    );
    assert_eq!(
        AllowedSigners::read(&format!("*@b,!x,c@b {key}")).principal_of(&key, NAMESPACE),
        Some("c@b")
    );
}

/// Text that looks like what the readers read.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a@b",
        " ",
        "\t",
        "\n",
        "\"",
        "\\",
        ",",
        "=",
        "namespaces",
        "valid-before",
        "cert-authority",
        "#",
        "!",
        "*",
        "ssh-ed25519",
        "AAAAC3NzaC1lZDI1NTE5AAAAIA==",
        "20260101Z",
        "{",
        "}",
        "[",
        "]",
        ":",
        "null",
        "\"dds\"",
        "\"signatures\"",
        "-----BEGIN SSH SIGNATURE-----",
        "-----END SSH SIGNATURE-----",
        "U1NIU0lH",
        "\u{0}",
        "é",
        "\u{feff}",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|it| it.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(6), failure_persistence: None, ..ProptestConfig::with_cases(500)
    })]

    #[test]
    fn no_reader_panics_on_any_text(text in any::<String>(), hostile in hostile()) {
        for text in [&text, &hostile] {
            let _ = AllowedSigners::read(text);
            let _ = Key::parse(text);
            let _ = key_in(text);
            let _ = named_by_git(text, None);
        }
    }

    #[test]
    fn what_is_written_for_a_name_is_read_for_that_name(name in "[a-z0-9@._+-]{1,30}") {
        let key = key();
        let text = with_signer("", NAMESPACE, &name, &key).unwrap();
        let allowed = AllowedSigners::read(&text);
        assert!(allowed.faults.is_empty());
        assert!(allowed.lines[0].is_for(&name) && allowed.lines[0].is_for_namespace(NAMESPACE));
    }
}
