//! Documents over https.
//!
//! Redirects are followed here and not by the client, so that each address on the way is held against the same rules: from
//! https to https, from this machine to this machine. The certificates that count are those of the system, or of the file
//! that `SSL_CERT_FILE` names.

use std::io::Read as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::config::Config;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

use crate::{Address, FetchError, Limits, join};

/// How many redirects are followed for one document.
const MAX_REDIRECTS: usize = 5;

/// Where systems keep the certificates that they trust.
const BUNDLES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/etc/openssl/cert.pem",
];

/// Who fetches documents.
pub struct Fetcher {
    /// For the network, by the proxy of the environment if there is one.
    agent: Agent,
    /// For this machine.
    loopback: Agent,
    limits: Limits,
    ends_at: Instant,
}

impl Fetcher {
    /// Someone who fetches within limits; the time starts now.
    pub fn new(limits: Limits) -> Result<Fetcher, FetchError> {
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::Specific(Arc::new(certificates())))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let config = || {
            Config::builder()
                .tls_config(tls.clone())
                .max_redirects(0)
                .max_redirects_will_error(false)
                .http_status_as_error(false)
                .max_response_header_size(64 * 1024)
                .user_agent("regreen")
        };
        Ok(Fetcher {
            agent: Agent::new_with_config(config().build()),
            loopback: Agent::new_with_config(config().proxy(None).build()),
            limits,
            ends_at: Instant::now() + limits.all,
        })
    }

    /// The document at an address.
    pub fn get(&self, url: &str) -> Result<Vec<u8>, FetchError> {
        let kind = Address::of(url).ok_or(FetchError::Address)?;
        let ends_at = self.ends_at.min(Instant::now() + self.limits.one);
        let mut url = url.to_owned();
        for _ in 0..=MAX_REDIRECTS {
            match self.step(&url, kind, ends_at)? {
                Answer::Document(bytes) => return Ok(bytes),
                Answer::Elsewhere(target) => url = join(&url, &target),
            }
            // From the network to this machine no redirect leads, nor the other way round.
            if Address::of(&url) != Some(kind) {
                return Err(FetchError::Redirect { to: shown(&url) });
            }
        }
        Err(FetchError::Redirect { to: shown(&url) })
    }

    fn step(&self, url: &str, kind: Address, ends_at: Instant) -> Result<Answer, FetchError> {
        let left = ends_at.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(1) {
            return Err(FetchError::TimedOut);
        }
        let agent = if kind == Address::Loopback { &self.loopback } else { &self.agent };
        let request = agent.get(url).header("accept", "application/json, */*;q=0.1");
        let response = request.config().timeout_global(Some(left)).build().call();
        let mut response = response.map_err(failure)?;
        let status = response.status().as_u16();
        match status {
            200 => {}
            301 | 302 | 303 | 307 | 308 => {
                let target = response.headers().get("location").and_then(|it| it.to_str().ok());
                return match target {
                    Some(target) => Ok(Answer::Elsewhere(target.to_owned())),
                    None => Err(FetchError::Status { status }),
                };
            }
            404 | 410 => return Err(FetchError::NotFound),
            _ => return Err(FetchError::Status { status }),
        }
        let max_bytes = self.limits.max_bytes;
        let mut bytes = Vec::new();
        let body = response.body_mut().with_config().limit(max_bytes.saturating_add(2)).reader();
        let read = body.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes);
        if bytes.len() as u64 > max_bytes {
            return Err(FetchError::TooLarge { max_bytes });
        }
        match read {
            Ok(_) => Ok(Answer::Document(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => Err(FetchError::TimedOut),
            Err(error) => Err(failure(ureq::Error::from(error))),
        }
    }
}

enum Answer {
    Document(Vec<u8>),
    Elsewhere(String),
}

fn failure(error: ureq::Error) -> FetchError {
    match error {
        ureq::Error::Timeout(_) => FetchError::TimedOut,
        ureq::Error::BadUri(_) => FetchError::Address,
        error => FetchError::Failed { message: error.to_string() },
    }
}

/// An address as it is shown: a server writes it.
fn shown(url: &str) -> String {
    url.chars().take(200).map(|it| if it.is_ascii_graphic() { it } else { '?' }).collect()
}

/// The certificates that count. Without any, no server of the network is believed.
fn certificates() -> Vec<Certificate<'static>> {
    let named = std::env::var_os("SSL_CERT_FILE").filter(|it| !it.is_empty());
    let files = match named {
        Some(file) => vec![std::path::PathBuf::from(file)],
        None => BUNDLES.map(std::path::PathBuf::from).to_vec(),
    };
    let bundle = files.iter().find_map(|it| std::fs::read(it).ok()).unwrap_or_default();
    let items = parse_pem(&bundle).filter_map(Result::ok);
    let certificates = items.filter_map(|it| match it {
        PemItem::Certificate(it) => Some(it),
        _ => None,
    });
    certificates.collect()
}
