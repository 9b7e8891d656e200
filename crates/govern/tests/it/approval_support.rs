//! People with keys, and a proposal for them to approve.

use std::sync::LazyLock;

use govern::approval::{
    AllowedSigners, Context, DEFAULT_PROTECTED, Document, Key, NAMESPACE, Policy, SignatureEntry,
    Signed, Subject, ToolDefinition, expiry,
};
use govern::{Moment, Record};
use serde_json::{Value, json};
use snapshot::RelPath;
use ssh_key::private::Ed25519Keypair;
use ssh_key::{HashAlg, LineEnding, PrivateKey};

pub(crate) const NOW: &str = "2026-02-02T12:00:00Z";

pub(crate) fn now() -> Moment {
    Moment::parse(NOW).unwrap()
}

/// The same Ed25519 key for the same seed.
pub(crate) fn private(seed: u8) -> PrivateKey {
    PrivateKey::from(Ed25519Keypair::from_seed(&[seed; 32]))
}

pub(crate) fn public(private: &PrivateKey) -> Key {
    Key::parse(&private.public_key().to_openssh().unwrap()).unwrap()
}

pub(crate) fn record_json() -> Value {
    json!({
        "id": "DDS-20260202-CODE-001",
        "version": 2,
        "type": "code_change",
        "project": "ai_system",
        "goal": "Add calculator functionality",
        "instructions": ["Create calculator module", "Add comprehensive tests"],
        "allowed_paths": ["src/", "tests/"],
        "tool": "aider",
        "constraints": { "max_files_changed": 5, "no_new_dependencies": true, "no_refactor": false },
        "status": "proposed",
        "x_ticket": 17
    })
}

pub(crate) fn record(value: &Value) -> Record {
    let read = govern::shape::read(value);
    read.record.unwrap_or_else(|| panic!("{:?}", read.faults))
}

/// A proposal, and everything that its approval is judged by.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) record: Value,
    pub(crate) patch: Option<Vec<u8>>,
    pub(crate) context: Context,
    pub(crate) touched: Vec<&'static str>,
    pub(crate) allowed: String,
    pub(crate) require_signature: bool,
    pub(crate) document: Value,
    pub(crate) now: Moment,
}

impl World {
    /// The proposal, approved by `alice` with the key of seed 1. `bob` (2) may approve as well, `carol` (3) may not.
    pub(crate) fn signed_by_alice() -> World {
        // Keys and signatures take long without optimisation.
        static WORLD: LazyLock<World> = LazyLock::new(World::make);
        WORLD.clone()
    }

    fn make() -> World {
        let mut world = World {
            record: record_json(),
            patch: Some(b"the patch".to_vec()),
            context: context(),
            touched: Vec::new(),
            allowed: format!(
                "alice@example.org namespaces=\"{NAMESPACE}\" {}\nbob@example.org {}\n",
                public(&private(1)),
                public(&private(2))
            ),
            require_signature: false,
            document: Value::Null,
            now: now(),
        };
        world.document = to_value(
            &world.with_subject(|subject| signed_document(subject, "alice@example.org", 1, now())),
        );
        world
    }

    pub(crate) fn with_subject<T>(&self, work: impl FnOnce(&Subject<'_>) -> T) -> T {
        let record = record(&self.record);
        let touched: Vec<RelPath> =
            self.touched.iter().map(|it| RelPath::parse(it).unwrap()).collect();
        work(&Subject {
            record: &record,
            patch: self.patch.as_deref(),
            context: &self.context,
            touched: &touched,
            is_directory: &|path| !path.as_str().contains('.'),
        })
    }

    pub(crate) fn policy(&self) -> Policy {
        let signers = RelPath::parse("keys/allowed_signers").unwrap();
        Policy::new(self.require_signature, signers, &DEFAULT_PROTECTED).unwrap()
    }

    pub(crate) fn allowed(&self) -> AllowedSigners {
        AllowedSigners::read(&self.allowed)
    }

    pub(crate) fn read_document(&self) -> Document {
        Document::read(&self.document.to_string()).unwrap()
    }

    /// Adds a signature by the key of the seed.
    pub(crate) fn sign_too(&mut self, principal: &str, seed: u8) {
        let entry = self.with_subject(|subject| entry(subject, principal, seed));
        let entry = json!({
            "principal": entry.principal, "fingerprint": entry.fingerprint, "signature": entry.signature
        });
        self.document["signatures"].as_array_mut().unwrap().push(entry);
        self.document["approved_at"] = json!(self.now.to_string());
    }

    /// Signs anew, as alice.
    pub(crate) fn sign_anew(&mut self) {
        let document =
            self.with_subject(|subject| signed_document(subject, "alice@example.org", 1, self.now));
        self.document = to_value(&document);
    }
}

/// A repository and a tool.
pub(crate) fn context() -> Context {
    Context {
        repository: "0f0e0d0c0b0a09080706050403020100".to_owned(),
        nonce: "00112233445566778899aabbccddeeff-0".to_owned(),
        tool: ToolDefinition {
            command: ["aider", "{message}"].map(str::to_owned).to_vec(),
            timeout: 600,
            programs: [("tools/fix.py".to_owned(), "00".repeat(32))].into(),
            ..ToolDefinition::default()
        },
        files: [("src/a.py".to_owned(), Some("11".repeat(32)))].into(),
    }
}

/// What is signed on the day of the tests.
pub(crate) fn statement_bytes(subject: &Subject<'_>) -> Vec<u8> {
    subject.statement(expiry(now(), 30)).bytes()
}

pub(crate) fn signed_document(
    subject: &Subject<'_>,
    principal: &str,
    seed: u8,
    at: Moment,
) -> Document {
    let statement = subject.statement(expiry(now(), 30));
    Document::signed(&subject.record.id, statement, entry(subject, principal, seed), at)
}

pub(crate) fn to_value(document: &Document) -> Value {
    serde_json::from_str(&document.write()).unwrap()
}

pub(crate) fn entry(subject: &Subject<'_>, principal: &str, seed: u8) -> SignatureEntry {
    let bytes = statement_bytes(subject);
    SignatureEntry::new(principal, &signed(&private(seed), NAMESPACE, &bytes))
}

pub(crate) fn signed(private: &PrivateKey, namespace: &str, bytes: &[u8]) -> Signed {
    let signature = private.sign(namespace, HashAlg::Sha512, bytes).unwrap();
    Signed { key: public(private), armored: signature.to_pem(LineEnding::LF).unwrap() }
}
