//! One thing that needs trust: what it is, where it comes from, what it may do, and a digest of its content.

use std::collections::BTreeSet;

use document::Value;
use govern::approval::AllowedLine;
use protocol::v1::{TrustItem, TrustState, UntrustedItem};
use snapshot::RelPath;

use crate::commands::trust::record::Record;
use crate::config::{self, CommandTable};

/// The kind of the `[govern]` table.
pub(super) const GOVERN: &str = "govern";
/// The kind of a registry on a server.
pub(super) const REGISTRY: &str = "registry";
/// The kind of an identity that the user knows from another repository.
pub(super) const REPOSITORY: &str = "repository";
/// The kind of an address that schemas are taken from.
pub(super) const SCHEMA: &str = "schema";
/// The kind of the addresses in the lock of schemas.
pub(super) const SCHEMA_LOCK: &str = "schema_lock";
/// The kind of a pack that lies outside the workspace.
pub(super) const PACK: &str = "pack";
/// The kind of a tool that regreen knows.
pub(super) const LINTER: &str = "linter";
/// The kind of the settings of a tool that regreen knows and that a table names.
pub(super) const LINTER_SETTINGS: &str = "linter_settings";
/// The kind of a tool of the workspace's own.
pub(super) const SOURCE: &str = "source";
/// The kind of a key that may approve.
pub(super) const SIGNER: &str = "signer";

/// One thing that needs trust.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TrustEntry {
    pub(super) kind: &'static str,
    /// Its name among those of its kind.
    pub(super) name: String,
    /// What it is called in the configuration.
    pub(super) title: String,
    /// The file that it comes from, with the line where that tells more.
    pub(super) source: String,
    /// What it may do once it is trusted.
    pub(super) allows: String,
    pub(super) digest: String,
    /// The line, for a key.
    pub(super) line: Option<String>,
    /// False for a table that was trusted and is gone: that it is gone needs trust.
    pub(super) is_present: bool,
}

impl TrustEntry {
    pub(super) fn named(&self) -> UntrustedItem {
        UntrustedItem {
            kind: self.kind.to_owned(),
            name: self.name.clone(),
            title: self.title.clone(),
        }
    }

    pub(super) fn report(&self, state: TrustState) -> TrustItem {
        TrustItem {
            kind: self.kind.to_owned(),
            name: self.name.clone(),
            title: self.title.clone(),
            source: self.source.clone(),
            allows: self.allows.clone(),
            digest: self.digest.clone(),
            state,
        }
    }
}

/// A table that names a program to run.
pub(super) fn command(table: &CommandTable) -> TrustEntry {
    let CommandTable { kind, section, name, value } = table;
    let program = match value.get("command") {
        Some(Value::Array(words)) => words.iter().map(word).collect::<Vec<_>>().join(" "),
        Some(Value::String(line)) => line.clone(),
        _ => "a program".to_owned(),
    };
    let when =
        if *kind == "tool" { " for approved proposals, in a copy of the workspace" } else { "" };
    TrustEntry {
        kind,
        name: name.clone(),
        title: match *kind {
            SOURCE => format!("[[source]] {}", key(name)),
            _ => format!("[{section}.{}]", key(name)),
        },
        source: config::PATH.to_owned(),
        allows: format!("runs `{program}`{when}{}", settings(value, &["command"])),
        digest: digest(kind, &[name.as_bytes(), content(value).as_bytes()]),
        line: None,
        is_present: true,
    }
}

/// A tool that would run what came with the repository, with the settings that can name what that is. The code itself
/// changes with every commit, and nobody would read it each time.
pub(super) fn linter(name: &str, what: &str, settings: &[(RelPath, Vec<u8>)]) -> TrustEntry {
    TrustEntry {
        kind: LINTER,
        name: name.to_owned(),
        title: name.to_owned(),
        source: match settings {
            [] => "the repository".to_owned(),
            settings => paths(settings),
        },
        allows: format!("is run by `check` and `fix`, and runs code of the repository: {what}"),
        digest: digest(LINTER, &settings_parts(name, settings)),
        line: None,
        is_present: true,
    }
}

/// The settings of a tool that a table of the configuration names.
pub(super) fn linter_settings(name: &str, settings: &[(RelPath, Vec<u8>)]) -> TrustEntry {
    TrustEntry {
        kind: LINTER_SETTINGS,
        name: name.to_owned(),
        title: format!("the settings of {name}"),
        source: paths(settings),
        allows: "can name code of the repository that is run by `check` and `fix`".to_owned(),
        digest: digest(LINTER_SETTINGS, &settings_parts(name, settings)),
        line: None,
        is_present: true,
    }
}

/// The first files of settings, for people.
fn paths(settings: &[(RelPath, Vec<u8>)]) -> String {
    let shown: Vec<String> = settings.iter().take(3).map(|it| it.0.to_string()).collect();
    match settings.len() - shown.len() {
        0 => shown.join(", "),
        n => format!("{} and {n} more", shown.join(", ")),
    }
}

fn settings_parts<'a>(name: &'a str, settings: &'a [(RelPath, Vec<u8>)]) -> Vec<&'a [u8]> {
    let mut parts = vec![name.as_bytes()];
    parts.extend(settings.iter().flat_map(|it| [it.0.as_str().as_bytes(), it.1.as_slice()]));
    parts
}

/// What the configuration says about approvals, if it does or if a table that did was trusted.
pub(super) fn govern(table: Option<&Value>, record: &Record) -> Option<TrustEntry> {
    let allows = match table {
        Some(value) => format!("decides what an approval must be{}", settings(value, &[])),
        None if record.policy.is_some() => {
            "is gone since it was trusted: approvals must only be what the defaults ask for"
                .to_owned()
        }
        None => return None,
    };
    Some(TrustEntry {
        kind: GOVERN,
        name: GOVERN.to_owned(),
        title: "[govern]".to_owned(),
        source: config::PATH.to_owned(),
        allows,
        digest: match table {
            Some(value) => digest(GOVERN, &[content(value).as_bytes()]),
            None => digest(GOVERN, &[]),
        },
        line: None,
        is_present: table.is_some(),
    })
}

/// A registry on a server.
pub(super) fn registry(url: &str) -> TrustEntry {
    let shown = govern::registry::shown_url(url);
    TrustEntry {
        kind: REGISTRY,
        name: shown.clone(),
        title: "the registry".to_owned(),
        source: config::PATH.to_owned(),
        allows: format!("is contacted by `regreen dds` and keeps proposals and approvals: {shown}"),
        digest: digest(REGISTRY, &[url.as_bytes()]),
        line: None,
        is_present: true,
    }
}

/// An identity that the user knows from a repository with another origin.
pub(super) fn repository(id: &str, origin: &str) -> TrustEntry {
    TrustEntry {
        kind: REPOSITORY,
        name: id.to_owned(),
        title: "the identity".to_owned(),
        source: workspace::repository_path().to_string(),
        allows: format!(
            "says that this is the repository {id}, which you know from another origin: what was approved there counts here"
        ),
        digest: digest(REPOSITORY, &[id.as_bytes(), origin.as_bytes()]),
        line: None,
        is_present: true,
    }
}

/// An address that the configuration names for `schemas update`.
pub(super) fn schema(url: &str) -> TrustEntry {
    TrustEntry {
        kind: SCHEMA,
        name: url.to_owned(),
        title: format!("the schema address {url}"),
        source: config::PATH.to_owned(),
        allows: "is fetched by `regreen schemas update`".to_owned(),
        digest: digest(SCHEMA, &[url.as_bytes()]),
        line: None,
        is_present: true,
    }
}

/// A folder outside the workspace that rules are read from.
pub(super) fn pack(path: &str) -> TrustEntry {
    TrustEntry {
        kind: PACK,
        name: path.to_owned(),
        title: format!("the pack in {path}"),
        source: config::PATH.to_owned(),
        allows: "reads the folder, which lies outside the workspace".to_owned(),
        digest: digest(PACK, &[path.as_bytes()]),
        line: None,
        is_present: true,
    }
}

/// The servers that a lock of schemas names beside those of the public catalogue.
pub(super) fn schema_lock(hosts: &BTreeSet<&str>) -> TrustEntry {
    let hosts: Vec<&str> = hosts.iter().copied().collect();
    TrustEntry {
        kind: SCHEMA_LOCK,
        name: pack::LOCK.to_owned(),
        title: format!("the addresses in {}", pack::LOCK),
        source: pack::LOCK.to_owned(),
        allows: format!(
            "are fetched by `regreen schemas update --locked`, from {}",
            hosts.join(", ")
        ),
        digest: digest(SCHEMA_LOCK, &hosts.iter().map(|it| it.as_bytes()).collect::<Vec<_>>()),
        line: None,
        is_present: true,
    }
}

/// A key that may approve.
pub(super) fn signer(file: &RelPath, line: &AllowedLine) -> TrustEntry {
    let name = format!("{} ({})", line.principals, line.key.fingerprint());
    let limits = match (line.valid_after.is_some(), line.valid_before.is_some()) {
        (false, false) => "",
        _ => ", for a limited time",
    };
    TrustEntry {
        kind: SIGNER,
        title: format!("the key of {name}"),
        name,
        source: format!("{file}:{}", line.number),
        allows: format!("approves proposals{limits}"),
        digest: digest(SIGNER, &[line.text.as_bytes()]),
        line: Some(line.text.clone()),
        is_present: true,
    }
}

/// A name as TOML has it in the head of a table.
fn key(name: &str) -> String {
    let is_bare = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    if !name.is_empty() && name.chars().all(is_bare) {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}

fn word(value: &Value) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "._-/+@%:,={}".contains(it);
    match value.as_str() {
        Some(word) if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
        _ => value.to_json(),
    }
}

/// The other members of a table, as far as it has any: all of them, because each can be what matters.
fn settings(value: &Value, without: &[&str]) -> String {
    let Value::Object(members) = value else { return String::new() };
    let others = members.iter().filter(|(name, _)| !without.contains(&name.as_str()));
    let others: Vec<String> =
        others.map(|(name, value)| format!("{} = {}", key(name), value.to_json())).collect();
    if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) }
}

/// What a table says, whatever order it says it in.
fn content(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let mut members: Vec<(String, Value)> =
                    members.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
                members.sort_by(|left, right| left.0.cmp(&right.0));
                Value::Object(members)
            }
            Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
            value => value.clone(),
        }
    }
    sorted(value).to_json()
}

fn digest(kind: &str, parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [b"regreen trust 1".as_slice(), kind.as_bytes()].iter().chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    format!("blake3:{}", hasher.finalize())
}
