//! Encrypted connections to PostgreSQL. A URL says how, in the words of PostgreSQL's own clients:
//!
//! ```text
//! sslmode=disable, prefer, or none     plain
//! sslmode=require                      encrypted; whoever answers is believed to be the server
//! sslmode=verify-full&sslrootcert=FILE encrypted; the server has a certificate for its host name from one of these roots
//! ```
//!
//! T1: who asks for encryption gets it or an error, never a plain connection.
//! T2: nothing of the URL is quoted in an error, because a piece of it may be a piece of a password.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::registry::RegistryError;

/// What a URL asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TlsMode {
    /// What the driver makes of the rest of the URL: plain, or [`TlsMode::Encrypted`].
    Default,
    Encrypted,
    /// Encrypted, with a server that has a certificate from one of the roots in this file.
    Verified {
        roots: String,
    },
}

fn refused(reason: &str) -> RegistryError {
    RegistryError::Tls { reason: reason.to_owned() }
}

/// Takes out of a URL what only we understand, and gives the rest for the driver.
pub(super) fn split(url: &str) -> Result<(String, TlsMode), RegistryError> {
    let Some((base, query)) = url.rsplit_once('?') else {
        return Ok((url.to_owned(), TlsMode::Default));
    };
    let (mut modes, mut roots, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for part in query.split('&') {
        match part.split_once('=') {
            Some(("sslmode", mode)) => modes.push(mode),
            Some(("sslrootcert", file)) => roots.push(file),
            _ => rest.push(part),
        }
    }
    let mode = match (modes.as_slice(), roots.as_slice()) {
        ([] | ["disable" | "prefer"], []) => TlsMode::Default,
        (["require"], []) => TlsMode::Encrypted,
        (["verify-full"], [roots]) => TlsMode::Verified { roots: unescaped(roots)? },
        (["verify-full"], []) => {
            return Err(refused(
                "sslmode=verify-full needs sslrootcert=FILE, the roots that you trust",
            ));
        }
        ([_, _, ..], _) | (_, [_, _, ..]) => {
            return Err(refused("sslmode and sslrootcert may be given only once"));
        }
        (_, [_]) => return Err(refused("sslrootcert requires sslmode=verify-full")),
        ([_], []) => {
            return Err(refused("sslmode must be disable, prefer, require or verify-full"));
        }
    };
    let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    Ok((format!("{base}{query}"), mode))
}

/// A value of a URL without its `%` escapes.
fn unescaped(value: &str) -> Result<String, RegistryError> {
    let bad = || refused("sslrootcert has an invalid % escape, or is not UTF-8");
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|it| char::from(it).to_digit(16));
        let (high, low) = (digit().ok_or_else(bad)?, digit().ok_or_else(bad)?);
        bytes.push(u8::try_from(high * 16 + low).map_err(|_| bad())?);
    }
    String::from_utf8(bytes).map_err(|_| bad())
}

/// What makes encrypted connections; `None` for plain ones.
pub(super) fn connector(mode: &TlsMode) -> Result<Option<MakeRustlsConnect>, RegistryError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|it| refused(&it.to_string()))?;
    let config = match mode {
        TlsMode::Default => return Ok(None),
        TlsMode::Encrypted => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(AnyServer { provider }))
            .with_no_client_auth(),
        TlsMode::Verified { roots } => {
            builder.with_root_certificates(load_roots(roots)?).with_no_client_auth()
        }
    };
    Ok(Some(MakeRustlsConnect::new(config)))
}

fn load_roots(file: &str) -> Result<RootCertStore, RegistryError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        refused(&format!("cannot read the file of sslrootcert: {error}"))
    };
    let text = std::fs::read(file).map_err(|it| unreadable(&it))?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&text) {
        let certificate = certificate.map_err(|it| unreadable(&it))?;
        roots.add(certificate).map_err(|it| unreadable(&it))?;
    }
    if roots.is_empty() {
        return Err(refused(
            "the file of sslrootcert has no certificate (-----BEGIN CERTIFICATE-----)",
        ));
    }
    Ok(roots)
}

/// For `sslmode=require`: any certificate will do, but whoever shows it must hold its key.
#[derive(Debug)]
struct AnyServer {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for AnyServer {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_how_it_is_to_be_encrypted() {
        let verified = |roots: &str| TlsMode::Verified { roots: roots.to_owned() };
        for (url, rest, mode) in [
            ("postgres://h/d", "postgres://h/d", TlsMode::Default),
            ("postgres://h/d?", "postgres://h/d?", TlsMode::Default),
            ("postgres://h/d?sslmode=disable", "postgres://h/d", TlsMode::Default),
            ("postgres://h/d?sslmode=prefer&a=b", "postgres://h/d?a=b", TlsMode::Default),
            ("postgres://h/d?sslmode=require", "postgres://h/d", TlsMode::Encrypted),
            (
                "postgres://u:p?w@h/d?a=b&sslmode=require",
                "postgres://u:p?w@h/d?a=b",
                TlsMode::Encrypted,
            ),
            (
                "postgres://h/d?sslrootcert=/etc/a%20b%2525.pem&x=1&sslmode=verify-full",
                "postgres://h/d?x=1",
                verified("/etc/a b%25.pem"),
            ),
        ] {
            assert_eq!(split(url).unwrap(), (rest.to_owned(), mode), "{url}");
        }
    }

    #[test]
    fn a_mode_that_is_not_clear_is_refused_and_not_quoted() {
        for (query, because) in [
            ("sslmode=verify-full", "needs sslrootcert"),
            ("sslmode=hunter2", "sslmode must be disable"),
            ("sslmode=verify-ca", "sslmode must be disable"),
            ("sslmode=", "sslmode must be disable"),
            ("sslmode=REQUIRE", "sslmode must be disable"),
            ("sslmode=verify-full&sslmode=disable&sslrootcert=hunter2", "only once"),
            ("sslmode=verify-full&sslrootcert=a&sslrootcert=b", "only once"),
            ("sslmode=require&sslrootcert=hunter2", "requires sslmode"),
            ("sslrootcert=hunter2", "requires sslmode"),
            ("sslmode=verify-full&sslrootcert=hunter2%", "invalid % escape"),
            ("sslmode=verify-full&sslrootcert=hunter2%zz", "invalid % escape"),
            ("sslmode=verify-full&sslrootcert=%ff", "not UTF-8"),
        ] {
            let error = split(&format!("postgres://h/d?{query}")).unwrap_err().to_string();
            assert!(error.contains(because) && !error.contains("hunter2"), "{query}: {error}");
        }
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str| dir.path().join(name).display().to_string();
        let body = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        for (name, text) in [("empty", ""), ("text", "hunter2"), ("nonsense", body)] {
            std::fs::write(file(name), text).unwrap();
        }
        for (name, because) in [
            ("none", "cannot read"),
            ("empty", "has no certificate"),
            ("text", "has no certificate"),
            ("nonsense", "cannot read"),
        ] {
            let mode = TlsMode::Verified { roots: file(name) };
            let error = connector(&mode).map(drop).unwrap_err().to_string();
            assert!(error.contains(because) && !error.contains("hunter2"), "{name}: {error}");
        }
    }
}
