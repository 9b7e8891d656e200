//! Where schemas are taken from: a folder that has a catalogue and its schemas, or addresses.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use fetch::{Address, FetchError, Fetcher, Folder, Limits};

use crate::failure::Failure;

/// Where a folder may have its catalogue, and where its schemas: as editors' tools, and the public catalogue's own
/// repository, lay them out.
const CATALOGUES: [&str; 3] =
    ["catalog.json", "src/api/json/catalog.json", "api/json/catalog.json"];
const SCHEMA_FOLDERS: [&str; 4] = ["schemas/json/", "src/schemas/json/", "schemas/", ""];
/// The hosts of the public catalogue, whose documents are under this licence.
const PUBLIC_HOSTS: [&str; 3] = ["www.schemastore.org", "json.schemastore.org", "schemastore.org"];
const PUBLIC_LICENCE: &str = "Apache-2.0";
const N_THREADS: usize = 8;
/// How often in a row a host may fail to answer before it is asked no more.
const MAX_SILENCE: usize = 3;

/// Where schemas are taken from.
pub(super) struct SchemaSource {
    shown: String,
    place: SchemaTransport,
    limits: Limits,
}

enum SchemaTransport {
    Folder { folder: Folder, licence: Option<String> },
    Address { url: String, kind: Address, fetcher: Box<Fetcher>, silent: SilentHosts },
}

/// How often in a row each host did not answer: one that is down would otherwise be waited for once for each of its schemas.
#[derive(Default)]
struct SilentHosts(Mutex<BTreeMap<String, usize>>);

impl SilentHosts {
    fn get(&self, fetcher: &Fetcher, url: &str) -> Result<Vec<u8>, String> {
        let host = host(url);
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lock().get(host).is_some_and(|it| *it >= MAX_SILENCE) {
            return Err("its host does not answer".to_owned());
        }
        let got = fetcher.get(url);
        match &got {
            Err(FetchError::TimedOut | FetchError::Failed { .. }) => {
                *lock().entry(host.to_owned()).or_default() += 1;
            }
            _ => {
                lock().remove(host);
            }
        }
        got.map_err(|it| it.to_string())
    }
}

/// The host of an address.
pub(crate) fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |it| it.1);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Whether the public catalogue itself serves an address.
pub(crate) fn is_public(url: &str) -> bool {
    url.starts_with("https://") && PUBLIC_HOSTS.contains(&host(url))
}

impl SchemaSource {
    /// Opens what was named: an address, or a folder relative to `directory`.
    pub(super) fn open(
        from: &str,
        directory: &Path,
        limits: Limits,
    ) -> Result<SchemaSource, Failure> {
        let unusable = |error: FetchError| Failure::Unusable {
            path: from.to_owned(),
            reason: error.to_string(),
        };
        let place = if from.contains("://") {
            let kind = Address::of(from).ok_or_else(|| unusable(FetchError::Address))?;
            let fetcher = Box::new(Fetcher::new(limits).map_err(unusable)?);
            SchemaTransport::Address {
                url: from.to_owned(),
                kind,
                fetcher,
                silent: SilentHosts::default(),
            }
        } else {
            let folder = Folder::open(&directory.join(from)).map_err(unusable)?;
            let text = folder.read("LICENSE", 1 << 20).unwrap_or_default();
            let licence = licence_of(&String::from_utf8_lossy(&text));
            SchemaTransport::Folder { folder, licence }
        };
        Ok(SchemaSource { shown: from.to_owned(), place, limits })
    }

    /// How it was named.
    pub(super) fn shown(&self) -> &str {
        &self.shown
    }

    /// The address of the catalogue, if it has one.
    pub(super) fn address(&self) -> Option<String> {
        match &self.place {
            SchemaTransport::Address { url, .. } => Some(url.clone()),
            SchemaTransport::Folder { .. } => None,
        }
    }

    /// The bytes of the catalogue.
    pub(super) fn catalogue(&self) -> Result<Vec<u8>, String> {
        match &self.place {
            SchemaTransport::Address { url, fetcher, .. } => {
                fetcher.get(url).map_err(|it| it.to_string())
            }
            SchemaTransport::Folder { folder, .. } => {
                let mut found = CATALOGUES.iter().map(|it| folder.read(it, self.limits.max_bytes));
                let found = found.find(|it| *it != Err(FetchError::NotFound));
                let found = found.unwrap_or(Err(FetchError::Failed {
                    message: format!("there is no {} in it", CATALOGUES[0]),
                }));
                found.map_err(|it| it.to_string())
            }
        }
    }

    /// The bytes of all these, in order, or why there are none.
    pub(super) fn get_all(&self, urls: &[String]) -> Vec<(String, Result<Vec<u8>, String>)> {
        let next = AtomicUsize::new(0);
        let found: Mutex<BTreeMap<usize, Result<Vec<u8>, String>>> = Mutex::default();
        let work = || {
            loop {
                let nth = next.fetch_add(1, Ordering::Relaxed);
                let Some(url) = urls.get(nth) else { return };
                let got = self.get(url);
                found.lock().unwrap_or_else(PoisonError::into_inner).insert(nth, got);
            }
        };
        std::thread::scope(|scope| {
            (0..N_THREADS.min(urls.len())).for_each(|_| {
                scope.spawn(work);
            });
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.into_iter().map(|(nth, got)| (urls[nth].clone(), got)).collect()
    }

    fn get(&self, url: &str) -> Result<Vec<u8>, String> {
        match &self.place {
            SchemaTransport::Address { kind, fetcher, silent, .. } => match Address::of(url) {
                // A catalogue of the network says nothing about this machine.
                Some(other) if other == *kind || other == Address::Https => {
                    silent.get(fetcher, url)
                }
                _ => Err(FetchError::Address.to_string()),
            },
            SchemaTransport::Folder { folder, .. } => {
                let mut last = FetchError::NotFound;
                for path in places(url) {
                    match folder.read(&path, self.limits.max_bytes) {
                        Ok(bytes) => return Ok(bytes),
                        Err(FetchError::NotFound) => {}
                        Err(error) => last = error,
                    }
                }
                Err(last.to_string())
            }
        }
    }

    /// The licence of a schema, as far as it is known.
    pub(super) fn licence(&self, url: &str) -> Option<String> {
        match &self.place {
            SchemaTransport::Folder { licence, .. } => licence.clone(),
            SchemaTransport::Address { .. } => is_public(url).then(|| PUBLIC_LICENCE.to_owned()),
        }
    }

    /// The texts that must go with copies of the schemas.
    pub(super) fn notices(&self) -> BTreeMap<String, Vec<u8>> {
        let SchemaTransport::Folder { folder, .. } = &self.place else { return BTreeMap::new() };
        let read = |name: &&str| Some(((*name).to_owned(), folder.read(name, 1 << 20).ok()?));
        ["LICENSE", "NOTICE"].iter().filter_map(read).collect()
    }
}

/// Where a folder may have the schema of an address: under its whole path, else under its last name.
fn places(url: &str) -> Vec<String> {
    let rest = url.split_once("://").map_or(url, |it| it.1);
    let path = rest.split_once('/').map_or("", |it| it.1);
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let last = path.rsplit('/').find(|it| !it.is_empty()).unwrap_or_default();
    let mut places = Vec::new();
    for path in [path, last] {
        for folder in SCHEMA_FOLDERS {
            // Beside the catalogue, a last name alone could be any file.
            if path.is_empty() || (folder.is_empty() && path == last && path.len() < rest.len()) {
                continue;
            }
            places.push(format!("{folder}{path}"));
            if !path.ends_with(".json") {
                places.push(format!("{folder}{path}.json"));
            }
        }
    }
    places
}

/// The licence that a text is, for the two that schemas mostly have.
fn licence_of(text: &str) -> Option<String> {
    let head: String = text.chars().take(2000).collect();
    if head.contains("Apache License") && head.contains("Version 2.0") {
        Some("Apache-2.0".to_owned())
    } else if head.contains("MIT License") {
        Some("MIT".to_owned())
    } else {
        None
    }
}
