//! The record of what the user trusts: digests, the lines of keys, and what the trusted `[govern]` table asked for. A record
//! of another version, or one that is not what was written, is not a record.

use std::collections::{BTreeMap, BTreeSet};

use govern::approval::DEFAULT_APPROVAL_DAYS;
use protocol::v1::{TrustState, UntrustedItem};
use serde_json::{Value, json};

use crate::commands::trust::item::{GOVERN, REGISTRY, TrustEntry};
use crate::config::OwnerConfig;

const VERSION: u64 = 1;

/// What the user trusts a repository with.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Record {
    /// Digests of what is not a key, by kind and name; with the title that it had.
    items: BTreeMap<(String, String), (String, String)>,
    /// The lines of the keys that may approve.
    pub(super) signers: BTreeSet<String>,
    /// What the trusted `[govern]` table asked for; `None` if there was none.
    pub(super) policy: Option<TrustedPolicy>,
}

/// What a trusted `[govern]` table asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TrustedPolicy {
    pub(super) require_signature: bool,
    pub(super) require_approval: bool,
    pub(super) require_plan: bool,
    pub(super) approval_days: u32,
    pub(super) protected: Vec<String>,
    pub(super) allowed_signers: String,
    pub(super) owners: Vec<OwnerConfig>,
}

/// There is one table and one registry, whatever they are called.
fn place(item: &TrustEntry) -> (String, String) {
    let name = if [GOVERN, REGISTRY].contains(&item.kind) { "" } else { &item.name };
    (item.kind.to_owned(), name.to_owned())
}

impl Record {
    /// The record of exactly these.
    pub(super) fn of(items: &[TrustEntry], policy: Option<TrustedPolicy>) -> Record {
        let present = items.iter().filter(|it| it.is_present);
        let (keys, others): (Vec<&TrustEntry>, Vec<&TrustEntry>) =
            present.partition(|it| it.line.is_some());
        Record {
            items: others
                .into_iter()
                .map(|it| (place(it), (it.digest.clone(), it.title.clone())))
                .collect(),
            signers: keys.into_iter().filter_map(|it| it.line.clone()).collect(),
            policy,
        }
    }

    /// Whether this very content is trusted.
    pub(super) fn has(&self, item: &TrustEntry) -> bool {
        self.state(item) == TrustState::Trusted
    }

    pub(super) fn state(&self, item: &TrustEntry) -> TrustState {
        if let Some(line) = &item.line {
            return if self.signers.contains(line) { TrustState::Trusted } else { TrustState::New };
        }
        match self.items.get(&place(item)) {
            Some((digest, _)) if *digest == item.digest => TrustState::Trusted,
            Some(_) => TrustState::Changed,
            None => TrustState::New,
        }
    }

    /// What is trusted and not there any more.
    pub(super) fn gone(&self, items: &[TrustEntry]) -> Vec<UntrustedItem> {
        let present: BTreeSet<(String, String)> = items.iter().map(place).collect();
        let others = self.items.iter().filter(|(at, _)| !present.contains(*at));
        let others = others.map(|((kind, name), (_, title))| UntrustedItem {
            kind: kind.clone(),
            name: name.clone(),
            title: title.clone(),
        });
        let lines: BTreeSet<&str> = items.iter().filter_map(|it| it.line.as_deref()).collect();
        let keys = self.signers.iter().filter(|it| !lines.contains(it.as_str()));
        let keys = keys.map(|line| {
            let name = line.split([' ', '\t']).next().unwrap_or_default().to_owned();
            let title = format!("the key of {name}");
            UntrustedItem { kind: crate::commands::trust::item::SIGNER.to_owned(), name, title }
        });
        others.chain(keys).collect()
    }

    pub(super) fn render(&self) -> String {
        let items = self.items.iter().map(|((kind, name), (digest, title))| {
            json!({ "kind": kind, "name": name, "digest": digest, "title": title })
        });
        let policy = self.policy.as_ref().map(|it| {
            json!({
                "require_signature": it.require_signature,
                "require_approval": it.require_approval,
                "require_plan": it.require_plan,
                "approval_days": it.approval_days,
                "protected": it.protected,
                "allowed_signers": it.allowed_signers,
                "owners": it.owners.iter().map(owner_json).collect::<Vec<_>>(),
            })
        });
        let value = json!({
            "version": VERSION,
            "items": items.collect::<Vec<_>>(),
            "signers": self.signers,
            "policy": policy,
        });
        format!("{value:#}\n")
    }

    /// Reads what [`Record::render`] wrote, or says why it cannot be used.
    pub(super) fn parse(bytes: &[u8]) -> Result<Record, String> {
        let damaged = || "the record of what you trust here is damaged".to_owned();
        let value: Value = serde_json::from_slice(bytes).map_err(|_| damaged())?;
        match value.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(version) => {
                return Err(format!(
                    "the record of what you trust here has version {version}, this regreen knows {VERSION}"
                ));
            }
            None => return Err(damaged()),
        }
        read(&value).ok_or_else(damaged)
    }
}

fn read(value: &Value) -> Option<Record> {
    let text = |value: &Value, name: &str| Some(value.get(name)?.as_str()?.to_owned());
    let texts = |value: &Value| -> Option<Vec<String>> {
        value.as_array()?.iter().map(|it| Some(it.as_str()?.to_owned())).collect()
    };
    let items = value.get("items")?.as_array()?.iter().map(|it| {
        Some(((text(it, "kind")?, text(it, "name")?), (text(it, "digest")?, text(it, "title")?)))
    });
    let policy = match value.get("policy")? {
        Value::Null => None,
        it => Some(TrustedPolicy {
            require_signature: it.get("require_signature")?.as_bool()?,
            require_approval: it.get("require_approval")?.as_bool()?,
            // A record of before these two says nothing about them.
            require_plan: it.get("require_plan").is_some_and(|it| *it == json!(true)),
            approval_days: match it.get("approval_days") {
                None => DEFAULT_APPROVAL_DAYS,
                Some(days) => u32::try_from(days.as_u64()?).ok()?,
            },
            protected: texts(it.get("protected")?)?,
            allowed_signers: text(it, "allowed_signers")?,
            // A record of before owners has none.
            owners: match it.get("owners") {
                None => Vec::new(),
                Some(owners) => owners.as_array()?.iter().map(owner).collect::<Option<_>>()?,
            },
        }),
    };
    Some(Record {
        items: items.collect::<Option<_>>()?,
        signers: texts(value.get("signers")?)?.into_iter().collect(),
        policy,
    })
}

fn owner_json(owner: &OwnerConfig) -> Value {
    json!({ "paths": owner.paths, "keys": owner.keys, "approvals": owner.approvals })
}

fn owner(value: &Value) -> Option<OwnerConfig> {
    let texts = |name: &str| {
        let items = value.get(name)?.as_array()?.iter();
        items.map(|it| it.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    };
    let approvals = usize::try_from(value.get("approvals")?.as_u64()?).ok()?;
    Some(OwnerConfig { paths: texts("paths")?, keys: texts("keys")?, approvals })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let policy = TrustedPolicy {
            require_signature: true,
            protected: vec!["ci/**".to_owned()],
            allowed_signers: "keys".to_owned(),
            owners: vec![OwnerConfig {
                paths: vec!["pay/**".to_owned()],
                keys: vec!["ana".to_owned()],
                approvals: 1,
            }],
            ..TrustedPolicy::default()
        };
        let at = ("tool".to_owned(), "fmt".to_owned());
        Record {
            items: BTreeMap::from([(at, ("blake3:0".to_owned(), "[tools.fmt]".to_owned()))]),
            signers: BTreeSet::from(["ana ssh-ed25519 AAAA".to_owned()]),
            policy: Some(policy),
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        for record in [Record::default(), record()] {
            assert_eq!(Record::parse(record.render().as_bytes()), Ok(record));
        }
    }

    /// Whatever is not exactly a record trusts nothing: every prefix, every missing member, every other version.
    #[test]
    fn what_is_not_a_record_is_refused() {
        let text = record().render();
        for end in 0..text.trim_end().len() {
            assert!(Record::parse(&text.as_bytes()[..end]).is_err(), "{end}");
        }
        let value: Value = serde_json::from_str(&text).unwrap();
        for name in ["version", "items", "signers", "policy"] {
            let mut without = value.clone();
            without.as_object_mut().unwrap().remove(name);
            assert!(Record::parse(without.to_string().as_bytes()).is_err(), "{name}");
            let mut other = value.clone();
            other[name] = json!("other");
            assert!(Record::parse(other.to_string().as_bytes()).is_err(), "{name}");
        }
        let mut newer = value.clone();
        newer["version"] = json!(2);
        let said = Record::parse(newer.to_string().as_bytes()).unwrap_err();
        assert!(said.contains("has version 2, this regreen knows 1"), "{said}");
    }
}
