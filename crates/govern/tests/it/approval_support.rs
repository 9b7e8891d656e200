//! People with keys, a proposal for them to approve, and an SSH agent that says what a test wants.

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use govern::approval::{
    AllowedSigners, Context, DEFAULT_PROTECTED, Document, Key, NAMESPACE, Policy, SignatureEntry,
    Signed, Subject, ToolDefinition, expiry,
};
use govern::{Moment, Record};
use serde_json::{Value, json};
use snapshot::RelPath;
use ssh_key::private::{Ed25519Keypair, RsaKeypair};
use ssh_key::rand_core::{CryptoRng, RngCore};
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

/// An RSA key of 2048 bits out of two primes. It protects nothing.
pub(crate) fn rsa_key() -> PrivateKey {
    let prime = |hex: &[u8]| rsa::BigUint::parse_bytes(hex, 16).unwrap();
    let p = prime(
        b"EE31547F601B6D91298D136F2CBBED485E6FA4C5F016165124DEC94AF6A1B201E48BBDE62465E052CFB0C7A2DEAAB94C\
          B219C5B1EE06F89AE8C0C33CB427D554E02E4CF23CB1FD79CAF1E2C007C7757F5A94E589C34B2D614DBB9FEDB41C40E5\
          8D99B216943CEE183C370196ADDCA87A1AD3D011A4319E6C8FAAEF2E328305DF",
    );
    let q = prime(
        b"F205302C16B12C02869CD1B07553D69A5A57E47A438EBFFEF683485A2E858FF3766518086D1181AE56BDE568247A4131\
          B6E7F6EB4258F7D4E91B59FC083ADE086C0997254E36CE7414EFFD9B7A2A23E091275770C4F31009B9CF6DC4D6A511C3\
          2055E24A77FBC324070A0EAAFA619E4DF82E08BF13FE8FF49EE7B63483F9F28F",
    );
    let key = rsa::RsaPrivateKey::from_p_q(p, q, rsa::BigUint::from(65_537_u32)).unwrap();
    PrivateKey::from(RsaKeypair::try_from(&key).unwrap())
}

/// Random numbers that are the same in every run.
pub(crate) struct Seeded(blake3::OutputReader);

impl Seeded {
    pub(crate) fn new(seed: &str) -> Seeded {
        Seeded(blake3::Hasher::new().update(seed.as_bytes()).finalize_xof())
    }
}

impl CryptoRng for Seeded {}

impl RngCore for Seeded {
    fn next_u32(&mut self) -> u32 {
        ssh_key::rand_core::impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        ssh_key::rand_core::impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), ssh_key::rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
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

/// What a fake agent answers when it is asked to sign.
pub(crate) type Answer = Box<dyn Fn(&[u8]) -> Vec<u8> + Send>;

/// Starts an agent that holds one key and answers two requests, one for its keys and one for a signature.
pub(crate) fn fake_agent(folder: &Path, blob: Vec<u8>, answer: Answer) -> PathBuf {
    let path = folder.join("agent.sock");
    let listener = UnixListener::bind(&path).unwrap();
    std::thread::spawn(move || {
        for _ in 0..2 {
            let Ok((mut stream, _)) = listener.accept() else { return };
            let request = receive(&mut stream);
            let mut reply = Vec::new();
            match request.first() {
                Some(11) => {
                    reply.extend([12, 0, 0, 0, 1]);
                    put(&mut reply, &blob);
                    put(&mut reply, b"comment");
                }
                Some(13) => {
                    let (_, rest) = take(&request[1..]);
                    let (data, _) = take(rest);
                    reply.push(14);
                    put(&mut reply, &answer(data));
                }
                _ => reply.push(5),
            }
            let mut framed = Vec::new();
            put(&mut framed, &reply);
            let _ = stream.write_all(&framed);
        }
    });
    path
}

fn receive(stream: &mut UnixStream) -> Vec<u8> {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut request = vec![0; u32::from_be_bytes(length) as usize];
    stream.read_exact(&mut request).unwrap();
    request
}

pub(crate) fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend(u32::try_from(bytes.len()).unwrap().to_be_bytes());
    out.extend(bytes);
}

fn take(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (length, rest) = bytes.split_first_chunk::<4>().unwrap();
    rest.split_at(u32::from_be_bytes(*length) as usize)
}
