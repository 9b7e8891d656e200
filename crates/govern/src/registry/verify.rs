//! Whether the registry is what its audit trail says: the chain of hashes, and every record, patch, report and approval
//! against the replay of its lines. Everything is read in one transaction; nothing but the registry is needed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::rows::{self, RecordRow};
use super::sql::{self, Database, Row};
use super::{Registry, RegistryError};
use crate::audit::{AuditLine, AuditSubject, Flaw, Replayed, check_chain, content_hash, replay};

/// What a verification found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// How many records there are.
    pub n_records: usize,
    /// How many audit lines.
    pub n_lines: usize,
    /// The hash of the last line. Whoever keeps it elsewhere can tell later that nothing before it was rewritten.
    pub head: Option<String>,
    /// What is not as it was written, in the order of places. Empty if all is well.
    pub flaws: Vec<Flaw>,
    /// The hashes of the lines that could be read, in their order.
    hashes: Vec<String>,
}

impl Verified {
    /// Whether history was only appended to since the trail ended at that hash, or what is wrong. The lines up to there are
    /// bound to it, each by the hash of the one before; that they are whole is for [`Verified::flaws`] to say.
    pub fn since(&self, anchor: &str) -> Option<Flaw> {
        let wanted = anchor.strip_prefix("blake3:").unwrap_or(anchor);
        let is_there = self.hashes.iter().any(|it| it.strip_prefix("blake3:") == Some(wanted));
        (!is_there).then(|| Flaw {
            place: AuditSubject::Head,
            message: format!(
                "no line has the hash blake3:{wanted}: the trail was cut or rewritten since it ended there"
            ),
        })
    }
}

impl Registry {
    /// Checks the whole registry.
    pub fn verify(&mut self) -> Result<Verified, RegistryError> {
        sql::read(&mut *self.db, |db| {
            let engine = db.integrity()?;
            let mut flaws: Vec<Flaw> = engine
                .into_iter()
                .map(|message| Flaw { place: AuditSubject::Database, message })
                .collect();
            let (texts, keys) = lines(db, &mut flaws)?;
            let (lines, broken) = check_chain(&texts);
            flaws.extend(broken);
            let head = readable(rows::head(db), &mut flaws)?.flatten();
            flaws.extend(check_head(head.as_ref(), texts.last().map(|it| it.0), lines.last()));

            let mut by_record: BTreeMap<&str, Vec<&AuditLine>> = BTreeMap::new();
            for line in &lines {
                // Which of two records of one name a line is about is not in the line: each is replayed with its own.
                let key = keys.get(&line.seq).map_or(line.dds.as_str(), String::as_str);
                if rows::name_of(key) != line.dds.as_str() {
                    let message = format!("it stands as one about {}", rows::name_of(key));
                    flaws.push(Flaw { place: AuditSubject::Line(line.seq), message });
                }
                by_record.entry(key).or_default().push(line);
            }
            let records = records(db, &mut flaws)?;
            let attached = Attached::read(db, &mut flaws)?;
            let mut previous_addition = 0;
            for row in &records {
                let Some(lines) = by_record.get(row.key.as_str()) else {
                    flaws.push(flaw(
                        AuditSubject::Record(row.id.clone()),
                        "no audit line says that it was added",
                    ));
                    continue;
                };
                match replay(lines) {
                    Ok(replayed) => {
                        if replayed.added < previous_addition {
                            let place = AuditSubject::Record(row.id.clone());
                            flaws.push(flaw(place, "it is in another order"));
                        }
                        previous_addition = replayed.added.max(previous_addition);
                        let checked = check_record(db, row, &replayed, &attached, &mut flaws);
                        readable(checked, &mut flaws)?;
                    }
                    Err(flaw) => flaws.push(flaw),
                }
            }
            let known: BTreeSet<&str> = records.iter().map(|it| it.key.as_str()).collect();
            let is_damaged = |id: &str| {
                flaws.iter().any(|it| {
                    it.place == AuditSubject::Record(rows::name_of(id).to_owned())
                        && !known.contains(id)
                })
            };
            let damaged: BTreeSet<&str> =
                by_record.keys().copied().filter(|it| is_damaged(it)).collect();
            let known: BTreeSet<&str> = known.union(&damaged).copied().collect();
            for id in by_record.keys().filter(|it| !known.contains(*it)) {
                let place = AuditSubject::Record(rows::name_of(id).to_owned());
                flaws.push(flaw(place, "it is missing, but audit lines mention it"));
            }
            strays(&attached, &known, &mut flaws);
            flaws.sort();
            flaws.dedup();
            let hashes = lines.iter().map(|it| it.hash.clone()).collect();
            let head = head.map(|(_, hash)| hash);
            Ok(Verified { n_records: records.len(), n_lines: texts.len(), head, flaws, hashes })
        })
    }
}

fn flaw(place: AuditSubject, message: &str) -> Flaw {
    Flaw { place, message: message.to_owned() }
}

/// What was read, or the flaw that kept it from being read. Only a database that gives no answer at all is an error.
fn readable<T>(
    read: Result<T, RegistryError>,
    flaws: &mut Vec<Flaw>,
) -> Result<Option<T>, RegistryError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(RegistryError::Damaged { place, reason }) => {
            flaws.push(Flaw {
                place: AuditSubject::Database,
                message: format!("{place}: {reason}"),
            });
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// The lines by their numbers, and what each is about.
type NumberedLines = (Vec<(i64, String)>, BTreeMap<i64, String>);

/// The lines that can be read; the others are named.
fn lines(db: &mut dyn Database, flaws: &mut Vec<Flaw>) -> Result<NumberedLines, RegistryError> {
    let rows = db.query("SELECT seq, line, id FROM dds_audit ORDER BY seq", &[])?;
    let mut lines = Vec::with_capacity(rows.len());
    let mut keys = BTreeMap::new();
    for row in &rows {
        let seq = match row.int(0) {
            Ok(seq) => seq,
            Err(error) => {
                readable::<()>(Err(error), flaws)?;
                continue;
            }
        };
        // A line that is not text has a place in the chain all the same, and is named there.
        lines.push((seq, row.text(1).unwrap_or_default()));
        if let Ok(key) = row.text(2) {
            keys.insert(seq, key);
        }
    }
    Ok((lines, keys))
}

/// The records whose rows can be read; the others are named.
fn records(db: &mut dyn Database, flaws: &mut Vec<Flaw>) -> Result<Vec<RecordRow>, RegistryError> {
    let mut records = Vec::new();
    for (id, row) in rows::each(db)? {
        match (row, id) {
            (Ok(row), _) => records.push(row),
            (Err(RegistryError::Damaged { reason, .. }), Some(id)) => {
                flaws.push(Flaw {
                    place: AuditSubject::Record(rows::name_of(&id).to_owned()),
                    message: format!("its row: {reason}"),
                });
            }
            (Err(error), _) => {
                readable::<()>(Err(error), flaws)?;
            }
        }
    }
    Ok(records)
}

fn check_head(
    head: Option<&(i64, String)>,
    last_seq: Option<i64>,
    last: Option<&AuditLine>,
) -> Option<Flaw> {
    let wrong = |message: String| Some(Flaw { place: AuditSubject::Head, message });
    match (head, last_seq) {
        (None, None) => None,
        (None, Some(_)) => wrong("nothing says where it is".to_owned()),
        (Some((seq, _)), None) => wrong(format!("all {seq} lines are missing")),
        (Some((seq, _)), Some(last_seq)) if *seq > last_seq => {
            wrong(format!("lines {} to {seq} are missing", last_seq.saturating_add(1)))
        }
        (Some((seq, _)), Some(last_seq)) if *seq < last_seq => {
            wrong(format!("it is line {last_seq}, but should be line {seq}"))
        }
        (Some((seq, hash)), Some(_)) => match last {
            Some(line) if line.seq == *seq && &line.hash != hash => {
                wrong("the last line is another one".to_owned())
            }
            _ => None,
        },
    }
}

fn check_record(
    db: &mut dyn Database,
    row: &RecordRow,
    replayed: &Replayed,
    attached: &Attached,
    flaws: &mut Vec<Flaw>,
) -> Result<(), RegistryError> {
    let (id, key) = (row.id.as_str(), row.key.as_str());
    let mut wrong =
        |message: String| flaws.push(Flaw { place: AuditSubject::Record(id.to_owned()), message });
    if row.body_hash() != replayed.body_hash {
        wrong("its text was changed".to_owned());
    } else if !columns_fit(row) {
        wrong("its columns differ from its text".to_owned());
    }
    if row.status != replayed.status {
        wrong(format!("it is {}, but its audit lines lead to {}", row.status, replayed.status));
    }
    if row.status == "approved" && !row.is_legacy && replayed.approval.is_none() {
        wrong("it is approved, but no audit line has an approval".to_owned());
    }
    if row.version != replayed.version || row.changed != replayed.changed {
        wrong(format!(
            "it has version {} of line {}, but its audit lines lead to version {} of line {}",
            row.version, row.changed, replayed.version, replayed.changed
        ));
    }
    let is_other =
        |stored: &Option<String>, said: &Option<String>| said.is_some() && stored != said;
    if is_other(&row.nonce, &replayed.nonce) || is_other(&row.repository, &replayed.repository) {
        wrong("it was given to another repository or has another nonce".to_owned());
    }
    match row.lease() {
        Ok(lease) if lease == replayed.lease => {}
        _ => wrong("its lease differs from that of its audit lines".to_owned()),
    }
    // Patches are large, so only one of them is in memory at a time.
    let patch = match attached.patches.contains(key) {
        true => rows::patch(db, key)?.map(|it| content_hash(&it)),
        false => None,
    };
    if let Some(message) = difference(patch.as_ref(), replayed.patch.as_ref()) {
        flaws.push(flaw(AuditSubject::Patch(id.to_owned()), message));
    }
    if let Some(message) = difference(attached.approvals.get(key), replayed.approval.as_ref()) {
        flaws.push(flaw(AuditSubject::Approval(id.to_owned()), message));
    }
    let reports = attached.reports.get(key).map_or(&[][..], Vec::as_slice);
    let n_reports = reports.len().max(replayed.reports.len());
    for idx in 0..n_reports {
        if let Some(message) = difference(reports.get(idx), replayed.reports.get(idx)) {
            flaws.push(flaw(AuditSubject::Report(id.to_owned()), message));
        }
    }
    Ok(())
}

fn difference(stored: Option<&String>, expected: Option<&String>) -> Option<&'static str> {
    match (stored, expected) {
        (Some(stored), Some(expected)) if stored == expected => None,
        (Some(_), Some(_)) => Some("it was changed"),
        (Some(_), None) => Some("no audit line says that it was added"),
        (None, Some(_)) => Some("it is gone"),
        (None, None) => None,
    }
}

/// The columns are what queries look at: they must say the same as the text that was hashed.
fn columns_fit(row: &RecordRow) -> bool {
    let Ok(id) = row.id() else { return false };
    let Ok(value) = serde_json::from_str::<Value>(&row.body) else { return false };
    let fresh = RecordRow::new(&id, &value, &row.status);
    // Two corrections of before may name one source, and so may two that met after a merge; only the one that stays is found
    // by it, and the other is over.
    let is_over = !matches!(row.status.as_str(), "proposed" | "approved");
    let source = row.source.as_deref().map(rows::name_of);
    let source_fits =
        source == fresh.source.as_deref() || ((row.is_legacy || is_over) && row.source.is_none());
    value.get("id").and_then(Value::as_str) == Some(id.as_str())
        && source_fits
        && (row.is_legacy, &row.kind, &row.series, row.number)
            == (fresh.is_legacy, &fresh.kind, &fresh.series, fresh.number)
}

/// What belongs to records, by their id.
struct Attached {
    patches: BTreeSet<String>,
    /// The hashes of each one's reports, in order.
    reports: BTreeMap<String, Vec<String>>,
    /// The hash of each one's approval.
    approvals: BTreeMap<String, String>,
}

impl Attached {
    fn read(db: &mut dyn Database, flaws: &mut Vec<Flaw>) -> Result<Attached, RegistryError> {
        let mut attached = Attached {
            patches: BTreeSet::new(),
            reports: BTreeMap::new(),
            approvals: BTreeMap::new(),
        };
        for row in db.query("SELECT id FROM dds_patches", &[])? {
            attached.patches.extend(readable(row.text(0), flaws)?);
        }
        for row in db.query("SELECT id, body FROM dds_approvals", &[])? {
            if let Some((id, hash)) = readable(named_hash(&row), flaws)? {
                attached.approvals.insert(id, hash);
            }
        }
        for row in db.query("SELECT id, body FROM dds_reports ORDER BY ord", &[])? {
            if let Some((id, hash)) = readable(named_hash(&row), flaws)? {
                attached.reports.entry(id).or_default().push(hash);
            }
        }
        Ok(attached)
    }
}

/// The name and the hash of the text in a row.
fn named_hash(row: &Row) -> Result<(String, String), RegistryError> {
    Ok((row.text(0)?, content_hash(row.text(1)?.as_bytes())))
}

/// Patches, reports and approvals of records that are not there.
fn strays(attached: &Attached, known: &BTreeSet<&str>, flaws: &mut Vec<Flaw>) {
    let mut stray = |id: &String, place: fn(String) -> AuditSubject| {
        if !known.contains(id.as_str()) {
            flaws.push(flaw(place(rows::name_of(id).to_owned()), "there is no such record"));
        }
    };
    attached.patches.iter().for_each(|id| stray(id, AuditSubject::Patch));
    attached.reports.keys().for_each(|id| stray(id, AuditSubject::Report));
    attached.approvals.keys().for_each(|id| stray(id, AuditSubject::Approval));
}
