//! What one person said about a record, `.regreen/approvals/ID/PERSON.json`: yes to these bytes, no, or that a yes is taken
//! back. It is meant to be committed, so everybody who has the repository can check it, with regreen or with
//! `ssh-keygen -Y verify`. No two people write the same file, so merges are clean.
//!
//! What is signed is the [`Statement`] in it and nothing else. The document around it is not: who can write the file can
//! write another `approved_at`, which is why a new approval is judged by the clock as well (see
//! [`super::verify_approval`]), and can write another statement, which no signature then fits. The members `dds` and
//! `statement_hash` are for people and for programs that look for files; both must be what the statement says.

use serde_json::{Map, Value, json};
use sshsig::Signed;

use super::confirm::Confirmation;
use super::statement::{Statement, sha256};
use crate::id::Id;
use crate::pointer::below;
use crate::time::Moment;

/// An approval as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Document {
    /// The record that is approved.
    pub dds: Id,
    /// What is approved.
    pub statement: Statement,
    /// The word that was given.
    pub word: Endorsement,
    /// When it became whole: a second signature moves it.
    pub approved_at: Moment,
}

/// A person's word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Endorsement {
    /// Signatures, at least one.
    Signed(Vec<SignatureEntry>),
    /// Typed by somebody at a terminal.
    Unsigned {
        /// Who, as far as the machine knows.
        by: String,
        /// What was typed.
        confirmation: String,
    },
}

/// One signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureEntry {
    /// The name that the key approves under.
    pub principal: String,
    /// The key, `SHA256:…`.
    pub fingerprint: String,
    /// The signature, armored.
    pub signature: String,
}

/// What is wrong with the text of a document.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}: {message}", if .pointer.is_empty() { "the document" } else { .pointer })]
pub struct DocumentFault {
    /// Where, as an RFC 6901 pointer.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub message: String,
}

const MAX_TEXT: usize = 4 * 1024 * 1024;
const MAX_SIGNATURES: usize = 256;
/// The version of the format.
const VERSION: u64 = 2;

impl SignatureEntry {
    /// A signature by a key under a name.
    pub fn new(principal: &str, signed: &Signed) -> SignatureEntry {
        SignatureEntry {
            principal: principal.to_owned(),
            fingerprint: signed.key.fingerprint(),
            signature: signed.armored.clone(),
        }
    }
}

impl Document {
    /// The approval with one signature.
    pub fn signed(
        dds: &Id,
        statement: Statement,
        signature: SignatureEntry,
        now: Moment,
    ) -> Document {
        Document::new(dds, statement, Endorsement::Signed(vec![signature]), now)
    }

    /// The approval that somebody typed.
    pub fn unsigned(
        statement: Statement,
        by: &str,
        confirmation: &Confirmation,
        now: Moment,
    ) -> Document {
        let dds = confirmation.id().clone();
        let confirmation = confirmation.text().to_owned();
        let shown: String = by.chars().filter(|it| !it.is_control()).collect();
        let by = if shown.is_empty() { "somebody".to_owned() } else { shown };
        Document::new(&dds, statement, Endorsement::Unsigned { by, confirmation }, now)
    }

    /// Whose word it is, as the name of a file: people, then what tells two of the same name apart.
    pub fn person(&self) -> String {
        let (name, apart) = match &self.word {
            Endorsement::Signed(signatures) => {
                let first = signatures.first();
                let keys: Vec<&str> = signatures.iter().map(|it| it.fingerprint.as_str()).collect();
                (first.map_or("", |it| it.principal.as_str()), keys.join("\n"))
            }
            Endorsement::Unsigned { by, .. } => (by.as_str(), format!("typed {by}")),
        };
        let is_plain = |it: char| it.is_ascii_alphanumeric() || "@._-".contains(it);
        let plain: String = name.chars().filter(|it| is_plain(*it)).take(60).collect();
        let plain = plain.trim_start_matches(['.', '-']).to_lowercase();
        format!("{plain}-{}", &sha256(apart.as_bytes())[..12])
    }

    /// Whether every signature is one of the statement by the key that the document names, whoever that is.
    pub(super) fn has_own_signatures(&self) -> bool {
        match &self.word {
            Endorsement::Unsigned { .. } => true,
            Endorsement::Signed(signatures) => signatures.iter().all(|it| {
                super::check_signature(&it.signature, &self.statement.bytes())
                    .is_ok_and(|key| key.fingerprint() == it.fingerprint)
            }),
        }
    }

    fn new(dds: &Id, statement: Statement, word: Endorsement, approved_at: Moment) -> Document {
        Document { dds: dds.clone(), statement, word, approved_at }
    }

    /// The text of the file.
    pub fn write(&self) -> String {
        let mut members = Map::new();
        members.insert("regreen_approval".to_owned(), json!(VERSION));
        members.insert("dds".to_owned(), json!(self.dds.as_str()));
        members.insert("statement_hash".to_owned(), json!(self.statement.hash()));
        members.insert("statement".to_owned(), self.statement.to_json().clone());
        match &self.word {
            Endorsement::Signed(signatures) => {
                let all = signatures.iter().map(|it| {
                    json!({
                        "principal": it.principal,
                        "fingerprint": it.fingerprint,
                        "signature": it.signature,
                    })
                });
                members.insert("signatures".to_owned(), all.collect());
            }
            Endorsement::Unsigned { by, confirmation } => {
                members.insert(
                    "unsigned".to_owned(),
                    json!({ "by": by, "confirmation": confirmation }),
                );
            }
        }
        members.insert("approved_at".to_owned(), json!(self.approved_at.to_string()));
        format!("{:#}\n", Value::Object(members))
    }

    /// Reads the text of the file, or says everything that is wrong with it.
    pub fn read(text: &str) -> Result<Document, Vec<DocumentFault>> {
        let whole = |message: String| vec![DocumentFault { pointer: String::new(), message }];
        if text.len() > MAX_TEXT {
            return Err(whole(format!("it has more than {MAX_TEXT} bytes")));
        }
        let value: Value = serde_json::from_str(text).map_err(|it| whole(it.to_string()))?;
        let Value::Object(members) = &value else {
            return Err(whole("an approval must be a JSON object".to_owned()));
        };
        if let Some(message) = repeated_member(text) {
            return Err(whole(message));
        }
        let mut reader = Reader { faults: Vec::new() };
        match reader.document(members) {
            Some(document) if reader.faults.is_empty() => Ok(document),
            _ => Err(reader.faults),
        }
    }
}

/// Of two members with one name readers take either, so that two tools would see two documents.
fn repeated_member(text: &str) -> Option<String> {
    let text = edit::Text::new(text.as_bytes());
    match document::parse(&text, document::Format::Json, &document::Limits::DEFAULT) {
        Ok(document) => document.blocked().map(|it| it.to_string()),
        Err(error) => Some(error.to_string()),
    }
}

struct Reader {
    faults: Vec<DocumentFault>,
}

impl Reader {
    fn fault(&mut self, pointer: &str, message: impl Into<String>) {
        self.faults.push(DocumentFault { pointer: pointer.to_owned(), message: message.into() });
    }

    fn document(&mut self, members: &Map<String, Value>) -> Option<Document> {
        match members.get("regreen_approval") {
            Some(version) if *version == json!(VERSION) => {}
            Some(version) if *version == json!(1) => {
                self.fault(
                    "/regreen_approval",
                    "this approval was made by an older regreen, which signed less than is required now; approve the proposal again",
                );
                return None;
            }
            _ => self.fault(
                "/regreen_approval",
                format!("regreen_approval must be {VERSION}, the version of the format"),
            ),
        }
        let names = [
            "regreen_approval",
            "dds",
            "statement_hash",
            "statement",
            "signatures",
            "unsigned",
            "approved_at",
        ];
        self.only(members, "", &names);
        let dds = self.text(members, "", "dds");
        let dds = dds.and_then(|it| match Id::parse(&it) {
            Ok(id) => Some(id),
            Err(error) => {
                self.fault("/dds", error.to_string());
                None
            }
        });
        let hash = self.text(members, "", "statement_hash");
        let statement = members.get("statement").and_then(Statement::from_json);
        match (&statement, hash) {
            (None, _) => {
                self.fault("/statement", "statement must be an in-toto Statement v1 of an approval")
            }
            (Some(statement), Some(hash)) if statement.hash() != hash => {
                self.fault("/statement_hash", "statement_hash is the hash of another statement");
            }
            _ => {}
        }
        let word = self.word(members);
        let approved_at = self.text(members, "", "approved_at");
        let approved_at = approved_at.and_then(|text| match Moment::parse(&text) {
            Ok(moment) if moment.to_string() == text => Some(moment),
            _ => {
                self.fault(
                    "/approved_at",
                    "approved_at must be a time in UTC, such as 2026-02-02T15:30:45Z",
                );
                None
            }
        });
        Some(Document { dds: dds?, statement: statement?, word: word?, approved_at: approved_at? })
    }

    fn word(&mut self, members: &Map<String, Value>) -> Option<Endorsement> {
        match (members.get("signatures"), members.get("unsigned")) {
            (Some(Value::Array(items)), None) if (1..=MAX_SIGNATURES).contains(&items.len()) => {
                let signatures: Vec<Option<SignatureEntry>> =
                    (0..).zip(items).map(|(idx, it)| self.signature(idx, it)).collect();
                signatures.into_iter().collect::<Option<Vec<_>>>().map(Endorsement::Signed)
            }
            (Some(_), None) => {
                self.fault(
                    "/signatures",
                    format!("signatures must be an array of 1 to {MAX_SIGNATURES} signatures"),
                );
                None
            }
            (None, Some(Value::Object(unsigned))) => {
                self.only(unsigned, "/unsigned", &["by", "confirmation"]);
                let by = self.text(unsigned, "/unsigned", "by");
                let confirmation = self.text(unsigned, "/unsigned", "confirmation");
                Some(Endorsement::Unsigned { by: by?, confirmation: confirmation? })
            }
            (None, Some(_)) => {
                self.fault("/unsigned", "unsigned must be an object");
                None
            }
            (None, None) | (Some(_), Some(_)) => {
                self.fault("", "expected either signatures or unsigned");
                None
            }
        }
    }

    fn signature(&mut self, idx: usize, value: &Value) -> Option<SignatureEntry> {
        let at = format!("/signatures/{idx}");
        let Value::Object(members) = value else {
            self.fault(&at, "a signature must be an object");
            return None;
        };
        self.only(members, &at, &["principal", "fingerprint", "signature"]);
        let principal = self.text(members, &at, "principal");
        let fingerprint = self.text(members, &at, "fingerprint");
        let signature = self.text(members, &at, "signature");
        Some(SignatureEntry {
            principal: principal?,
            fingerprint: fingerprint?,
            signature: signature?,
        })
    }

    fn only(&mut self, members: &Map<String, Value>, at: &str, names: &[&str]) {
        for name in members.keys().filter(|it| !names.contains(&it.as_str())) {
            self.fault(
                &below(at, name),
                format!("unknown member; expected one of {}", names.join(", ")),
            );
        }
    }

    fn text(&mut self, members: &Map<String, Value>, at: &str, name: &str) -> Option<String> {
        match members.get(name) {
            // What is shown to people must not steer their terminal; an armored signature has lines.
            Some(Value::String(text))
                if text.contains(|it: char| {
                    it.is_control() && !(name == "signature" && "\r\n".contains(it))
                }) =>
            {
                self.fault(&format!("{at}/{name}"), format!("{name} has a control character"));
                None
            }
            Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
            Some(_) => {
                self.fault(
                    &format!("{at}/{name}"),
                    format!("{name} must be a string that is not empty"),
                );
                None
            }
            None => {
                self.fault(&format!("{at}/{name}"), format!("{name} is missing"));
                None
            }
        }
    }
}
