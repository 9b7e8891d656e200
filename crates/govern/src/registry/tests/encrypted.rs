//! Encrypted connections to a server with a certificate that was made for the test, by the Debian package openssl.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;
use crate::live_server::Server;

/// An authority of our own, and a certificate from it for the name `localhost`.
struct Authority {
    root: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
}

impl Authority {
    fn new(dir: &Path, name: &str, subject: &str) -> Authority {
        let file = |end: &str| dir.join(format!("{name}.{end}"));
        let (root, root_key) = (file("root.pem"), file("root.key"));
        let (certificate, key, request) = (file("pem"), file("key"), file("csr"));
        let new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
        let mut make_root = Command::new("openssl");
        make_root.args(["req", "-x509", "-days", "2", "-subj", subject]).args(new_key);
        run(make_root.arg("-keyout").arg(&root_key).arg("-out").arg(&root));
        let mut make_request = Command::new("openssl");
        make_request.args(["req", "-subj", "/CN=localhost"]).args(new_key);
        run(make_request.arg("-keyout").arg(&key).arg("-out").arg(&request));
        let extensions = file("ext");
        std::fs::write(&extensions, "basicConstraints=CA:FALSE\nsubjectAltName=DNS:localhost\n")
            .unwrap();
        let mut sign = Command::new("openssl");
        sign.args(["x509", "-req", "-days", "2", "-set_serial", "7", "-in"]).arg(&request);
        sign.arg("-CA").arg(&root).arg("-CAkey").arg(&root_key).arg("-extfile").arg(&extensions);
        run(sign.arg("-out").arg(&certificate));
        Authority { root, certificate, key }
    }
}

#[track_caller]
fn run(command: &mut Command) {
    let output = command.output().expect("openssl is installed");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Whether the server says that the connection is encrypted, or why there is none.
fn is_encrypted(url: &str) -> Result<bool, String> {
    let mut db = postgres::open(url).map_err(|it| it.to_string())?;
    let sql = "SELECT ssl::TEXT FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let rows = db.query(sql, &[]).map_err(|it| it.to_string())?;
    Ok(rows[0].text(0).unwrap() == "true")
}

#[test]
fn who_asks_for_encryption_gets_it_or_an_error() {
    let dir = TempDir::new().unwrap();
    let ours = Authority::new(dir.path(), "ours", "/CN=a root");
    let impostor = Authority::new(dir.path(), "impostor", "/CN=a root");
    let other = Authority::new(dir.path(), "other", "/CN=another root");
    let server = Server::start_with_tls(&ours.certificate, &ours.key);
    let by_address = server.new_database("encrypted");
    // The certificate is for the name, not for the address.
    let by_name = by_address.replace("127.0.0.1", "localhost");
    let with_roots = |url: &str, root: &Path| {
        format!("{url}?sslmode=verify-full&sslrootcert={}", root.display())
    };
    for (url, expected) in [
        (by_name.clone(), Ok(false)),
        (format!("{by_name}?sslmode=disable"), Ok(false)),
        (format!("{by_name}?sslmode=require"), Ok(true)),
        (format!("{by_address}?sslmode=require"), Ok(true)),
        (format!("{by_name}?sslm%6fde=require"), Ok(true)),
        (with_roots(&by_name, &ours.root), Ok(true)),
        (with_roots(&by_name, &other.root), Err("UnknownIssuer")),
        (with_roots(&by_name, &impostor.root), Err("BadSignature")),
        (with_roots(&by_address, &ours.root), Err("certificate not valid for name")),
    ] {
        match (is_encrypted(&url), expected) {
            (Err(error), Err(because)) => {
                assert!(error.contains(because), "{url}: {error}");
                assert!(!error.contains("s3cret"), "{error}");
            }
            (found, expected) => assert_eq!(found, expected.map_err(str::to_owned), "{url}"),
        }
    }

    // A whole life, with the password checked as servers do by default, which binds it to the certificate.
    let url = server.new_database_with_scram().replace("127.0.0.1", "localhost");
    let location = Location::Postgres(with_roots(&url, &ours.root));
    let mut registry = Registry::open(&location).unwrap();
    after(&mut registry, &failing());
    assert!(registry.correct_oldest("worker", at(40)).unwrap().is_some());
    assert_sound(&mut registry);
}

/// T1: a server without encryption is not talked to in plain words.
#[test]
fn a_server_that_does_not_encrypt_is_refused() {
    let dir = TempDir::new().unwrap();
    let root = Authority::new(dir.path(), "ours", "/CN=a root").root;
    let server = Server::start();
    let url = server.new_database("plain");
    assert_eq!(is_encrypted(&url), Ok(false));
    let verified = format!("{url}?sslmode=verify-full&sslrootcert={}", root.display());
    for url in [format!("{url}?sslmode=require"), verified] {
        let error = is_encrypted(&url).unwrap_err();
        assert!(error.contains("server does not support TLS"), "{error}");
    }
}
