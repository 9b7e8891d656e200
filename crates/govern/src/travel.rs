//! What travels by git, as files that are never changed: a proposal, the receipt of a run, a comment. Every file is named
//! after a hash of its content, so no two people write the same file with other bytes, and merges are clean.
//!
//! A file that comes from elsewhere is what a stranger wrote. [`ProposalFile::read`] and its like say whether it is whole and
//! has the name that its content gives it; whether it counts is for the caller to find out.

use serde_json::{Map, Value, json};

use crate::approval::sha256;
use crate::exchange::parse_json;
use crate::id::Id;
use crate::record::{Record, canonical};
use crate::report::Report;
use crate::sanitize::sanitize;
use crate::time::Moment;

/// How many digits of a hash stand in a name.
const DIGITS: usize = 16;

fn short(hex: &str) -> &str {
    &hex[..DIGITS]
}

/// A proposal as it travels: the record, always as proposed, and what its approvals are bound to.
#[derive(Clone, PartialEq, Debug)]
pub struct ProposalFile {
    /// The record, with the status `proposed`.
    pub record: Value,
    /// The identity of the repository that it was made in.
    pub repository: String,
    /// The number that its approvals are bound to.
    pub nonce: String,
    /// The SHA-256 of the patch that it came with, in hexadecimal. A plan is not part of it.
    pub patch: Option<String>,
}

impl ProposalFile {
    /// A record with what it came with.
    pub fn new(
        record: &Record,
        patch: Option<&[u8]>,
        repository: &str,
        nonce: &str,
    ) -> ProposalFile {
        let mut value = record.to_json();
        if let Value::Object(members) = &mut value {
            members.insert("status".to_owned(), json!("proposed"));
        }
        ProposalFile {
            record: value,
            repository: repository.to_owned(),
            nonce: nonce.to_owned(),
            patch: patch.map(sha256),
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "regreen_proposal": 1,
            "repository": self.repository,
            "nonce": self.nonce,
            "patch": self.patch.as_ref().map(|hex| json!({ "sha256": hex })),
            "record": self.record,
        })
    }

    /// The name of the record.
    pub fn id(&self) -> &str {
        self.record.get("id").and_then(Value::as_str).unwrap_or_default()
    }

    /// The hash of all that it says, as its name has it.
    pub fn hash(&self) -> String {
        short(&sha256(&canonical(&self.to_json()))).to_owned()
    }

    /// The names of its file and of what stands beside it, without what tells them apart.
    pub fn stem(&self) -> String {
        format!("proposals/{}.{}", self.id(), self.hash())
    }

    /// The name of its file.
    pub fn name(&self) -> String {
        format!("{}.json", self.stem())
    }

    /// The name of the file with the patch that it came with.
    pub fn patch_name(&self) -> String {
        format!("{}.patch", self.stem())
    }

    /// The name of the file with a plan.
    pub fn plan_name(&self, plan: &[u8]) -> String {
        format!("{}.plan-{}.json", self.stem(), short(&sha256(plan)))
    }

    /// The text of its file.
    pub fn write(&self) -> String {
        format!("{:#}\n", self.to_json())
    }

    /// Reads the file of that name, or says what is wrong with it.
    pub fn read(name: &str, bytes: &[u8]) -> Result<ProposalFile, String> {
        let members = object(bytes, "regreen_proposal")?;
        only(&members, &["regreen_proposal", "repository", "nonce", "patch", "record"])?;
        let hex = |it: &Value| it.get("sha256").and_then(Value::as_str).map(str::to_owned);
        let proposal = ProposalFile {
            record: members
                .get("record")
                .filter(|it| it.is_object())
                .ok_or("it has no record")?
                .clone(),
            repository: text(&members, "repository")?,
            nonce: text(&members, "nonce")?,
            patch: match members.get("patch") {
                None | Some(Value::Null) => None,
                Some(value) => Some(hex(value).ok_or("patch must be null or {\"sha256\": …}")?),
            },
        };
        let is_nonce = |it: &str| {
            it.len() == 32
                && it.bytes().all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it))
        };
        if !is_nonce(&proposal.nonce) {
            return Err("its nonce is not 32 hexadecimal digits".to_owned());
        }
        if proposal.record.get("status").and_then(Value::as_str) != Some("proposed") {
            return Err("a shared proposal must be `proposed`".to_owned());
        }
        named(name, &proposal.name())?;
        Ok(proposal)
    }
}

/// That a record was carried out, and what came of it. It closes the record in other clones, and does nothing else.
#[derive(Clone, PartialEq, Debug)]
pub struct Receipt {
    /// The hash of the proposal.
    pub proposal: String,
    /// The hashes of the statements that allowed it.
    pub statements: Vec<String>,
    /// The SHA-256 of what every file that was changed became.
    pub result: String,
    /// The report of the run; its outcome is how it ended.
    pub report: Report,
}

impl Receipt {
    fn to_json(&self) -> Value {
        let status = self.report.outcome.status();
        json!({
            "regreen_receipt": 1,
            "dds": self.report.dds.as_str(),
            "proposal": self.proposal,
            "status": status.name(),
            "statement_hashes": self.statements,
            "result_hash": format!("sha256:{}", self.result),
            "report": self.report.to_json(),
        })
    }

    /// The name of its file.
    pub fn name(&self) -> String {
        let hash = sha256(&canonical(&self.to_json()));
        format!("receipts/{}.{}.json", self.report.dds, short(&hash))
    }

    /// The text of its file.
    pub fn write(&self) -> String {
        format!("{:#}\n", self.to_json())
    }

    /// Reads the file of that name, or says what is wrong with it.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Receipt, String> {
        let members = object(bytes, "regreen_receipt")?;
        let report = members.get("report").and_then(Report::from_json).ok_or("it has no report")?;
        let hashes = members.get("statement_hashes").and_then(Value::as_array);
        let hashes = hashes.ok_or("statement_hashes must be a list of hashes")?;
        let result = text(&members, "result_hash")?;
        let receipt = Receipt {
            proposal: text(&members, "proposal")?,
            statements: hashes.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect(),
            result: result
                .strip_prefix("sha256:")
                .ok_or("result_hash must be sha256:…")?
                .to_owned(),
            report,
        };
        if receipt.to_json() != Value::Object(members) {
            return Err("it contradicts itself".to_owned());
        }
        named(name, &receipt.name())?;
        Ok(receipt)
    }
}

/// Something that somebody said about a record. Nobody signs it, and nothing follows from it.
#[derive(Clone, PartialEq, Debug)]
pub struct CommentFile {
    /// The record.
    pub dds: Id,
    /// Who, as far as the machine knows.
    pub by: String,
    /// When.
    pub at: Moment,
    /// What, without characters that steer a terminal.
    pub text: String,
}

/// The most characters of a comment.
pub const MAX_COMMENT: usize = 4_000;

impl CommentFile {
    /// A comment; `None` if nothing is left of the text.
    pub fn new(dds: &Id, by: &str, at: Moment, text: &str) -> Option<CommentFile> {
        let by: String = by.chars().filter(|it| !it.is_control()).take(200).collect();
        let lines: Vec<String> = text.lines().map(sanitize).collect();
        let text: String = lines.join("\n").trim().chars().take(MAX_COMMENT).collect();
        let at = Moment::from_micros(at.micros());
        (!text.is_empty()).then(|| CommentFile { dds: dds.clone(), by, at, text })
    }

    fn to_json(&self) -> Value {
        json!({
            "regreen_comment": 1,
            "dds": self.dds.as_str(),
            "by": self.by,
            "at": self.at.to_string(),
            "text": self.text,
        })
    }

    /// The name of its file.
    pub fn name(&self) -> String {
        let hash = sha256(&canonical(&self.to_json()));
        format!("comments/{}/{}.json", self.dds, short(&hash))
    }

    /// The text of its file.
    pub fn write(&self) -> String {
        format!("{:#}\n", self.to_json())
    }

    /// Reads the file of that name, or says what is wrong with it.
    pub fn read(name: &str, bytes: &[u8]) -> Result<CommentFile, String> {
        let members = object(bytes, "regreen_comment")?;
        let dds = Id::parse(&text(&members, "dds")?).map_err(|error| error.to_string())?;
        let at = Moment::parse(&text(&members, "at")?).map_err(|_| "at must be a time in UTC")?;
        let comment = CommentFile::new(&dds, &text(&members, "by")?, at, &text(&members, "text")?);
        let comment = comment.ok_or("it has no text")?;
        if comment.to_json() != Value::Object(members) {
            return Err("it has unknown members, control characters or too much text".to_owned());
        }
        named(name, &comment.name())?;
        Ok(comment)
    }
}

fn object(bytes: &[u8], version: &str) -> Result<Map<String, Value>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    match parse_json(text)? {
        Value::Object(members) if members.get(version) == Some(&json!(1)) => Ok(members),
        _ => Err(format!("it is not an object with {version} = 1")),
    }
}

fn only(members: &Map<String, Value>, names: &[&str]) -> Result<(), String> {
    match members.keys().find(|it| !names.contains(&it.as_str())) {
        Some(name) => Err(format!("it has no member {name:?}")),
        None => Ok(()),
    }
}

fn text(members: &Map<String, Value>, name: &str) -> Result<String, String> {
    let text = members.get(name).and_then(Value::as_str).filter(|it| !it.is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("{name} must be a string that is not empty"))
}

fn named(found: &str, expected: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("its content belongs to the name {expected}: it was changed or renamed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifecycle::ExecutionOutcome;
    use crate::shape;

    fn record() -> Record {
        let value = json!({
            "id": "DDS-20260202-CODE-001", "version": 2, "type": "code_change", "project": "p", "goal": "g",
            "instructions": ["i"], "allowed_paths": ["src/"], "tool": "t", "constraints": {},
            "status": "approved", "x_ticket": 17
        });
        shape::read(&value).record.unwrap()
    }

    fn files() -> Vec<(String, String)> {
        let at = Moment::parse("2026-02-02T12:00:00.000001Z").unwrap();
        let report = Report {
            dds: record().id,
            outcome: ExecutionOutcome::Failed,
            started_at: at,
            finished_at: at,
            tool: "t".to_owned(),
            sandbox: None,
            exit_code: Some(1),
            error: "it broke".to_owned(),
            changes: Vec::new(),
            transaction: None,
        };
        let proposal =
            ProposalFile::new(&record(), Some(b"patch"), &"a".repeat(32), &"0".repeat(32));
        let receipt = Receipt {
            proposal: proposal.hash(),
            statements: vec!["sha256:00".to_owned()],
            result: sha256(b""),
            report,
        };
        let comment = CommentFile::new(&record().id, "ana", at, "why\u{1b}[31m?\r\nno").unwrap();
        vec![
            (proposal.name(), proposal.write()),
            (receipt.name(), receipt.write()),
            (comment.name(), comment.write()),
        ]
    }

    fn read(name: &str, text: &str) -> Result<String, String> {
        let bytes = text.as_bytes();
        match name.split('/').next().unwrap() {
            "proposals" => ProposalFile::read(name, bytes).map(|it| it.write()),
            "receipts" => Receipt::read(name, bytes).map(|it| it.write()),
            _ => CommentFile::read(name, bytes).map(|it| it.write()),
        }
    }

    /// a file says what its name says, or nothing.
    #[test]
    fn a_file_is_read_as_it_was_written_and_under_its_own_name_only() {
        for (name, text) in files() {
            assert_eq!(read(&name, &text).as_deref(), Ok(text.as_str()), "{name}");
            assert!(read(&name.replace("001", "002"), &text).is_err(), "{name}");
            let value: Value = serde_json::from_str(&text).unwrap();
            for member in value.as_object().unwrap().keys() {
                let mut without = value.clone();
                without.as_object_mut().unwrap().shift_remove(member);
                assert!(read(&name, &without.to_string()).is_err(), "{name} without {member}");
                let mut other = value.clone();
                other[member] = json!(["other"]);
                assert!(read(&name, &other.to_string()).is_err(), "{name}, {member}");
            }
            let mut more = value.clone();
            more["more"] = json!(1);
            assert!(read(&name, &more.to_string()).is_err(), "{name}");
            for text in ["", "{", "[]", "{\"a\": 1, \"a\": 2}", "\u{0}"] {
                assert!(read(&name, text).is_err(), "{name}");
            }
        }
    }
}
