//! Looking at what is stored.

use std::collections::BTreeMap;

use serde_json::Value;

use super::rows;
use super::sql::{self, Database};
use super::{Listed, RecordDetails, Registry, RegistryEntry, RegistryError, Scope};
use crate::exchange::{self, ExportedFiles};
use crate::id::Id;

impl Registry {
    /// Everything that is known about a record.
    pub fn get(&mut self, id: &Id) -> Result<Option<RecordDetails>, RegistryError> {
        let scope = self.scope.clone();
        sql::read(&mut *self.db, |db| dossier(db, &scope, id))
    }

    /// A record as it stands, without what belongs to it.
    pub fn entry(&mut self, id: &Id) -> Result<Option<RegistryEntry>, RegistryError> {
        let scope = self.scope.clone();
        sql::read(&mut *self.db, |db| {
            let row = rows::by_id(db, &scope, id.as_str())?;
            row.map(|it| it.entry()).transpose()
        })
    }

    /// The names of all records, each with whether somebody can still decide about it.
    pub fn decidable(&mut self) -> Result<BTreeMap<String, bool>, RegistryError> {
        let scope = self.scope.clone();
        sql::read(&mut *self.db, |db| rows::decidable(db, &scope))
    }

    /// All records, or those with a status, in the order in which they came.
    pub fn list(&mut self, status: Option<&str>) -> Result<Vec<RegistryEntry>, RegistryError> {
        self.found(status)?.iter().map(rows::RecordRow::entry).collect()
    }

    /// The same for a look at all of them: nothing is read but what is listed.
    pub fn listed(&mut self, status: Option<&str>) -> Result<Vec<Listed>, RegistryError> {
        self.found(status)?.iter().map(rows::RecordRow::listed).collect()
    }

    fn found(&mut self, status: Option<&str>) -> Result<Vec<rows::RecordRow>, RegistryError> {
        let scope = self.scope.clone();
        sql::read(&mut *self.db, |db| match status {
            // No status has a NUL, and PostgreSQL would refuse to look for one.
            Some(status) if status.contains('\0') => Ok(Vec::new()),
            Some(status) => rows::by_status(db, &scope, status),
            None => rows::all(db, &scope),
        })
    }

    /// The records whose rows can be read, in the order in which they came. Who asks for all of them finds out by
    /// [`Registry::verify`] which cannot.
    pub fn readable(&mut self) -> Result<Vec<RegistryEntry>, RegistryError> {
        let found = sql::read(&mut *self.db, rows::each)?;
        let own = found.into_iter().filter_map(|(_, row)| row.ok()).filter(|it| self.scope.has(it));
        Ok(own.filter_map(|row| row.entry().ok()).collect())
    }

    /// The correction of a record; `None` if it has none.
    pub fn correction_of(&mut self, id: &Id) -> Result<Option<Id>, RegistryError> {
        let scope = self.scope.clone();
        let found = sql::read(&mut *self.db, |db| rows::sibling(db, &scope, id.as_str()))?;
        let found = found.map(|it| it.id);
        let damaged = |text: &str| RegistryError::Damaged {
            place: format!("record {text:?}"),
            reason: "its name is not an id".to_owned(),
        };
        found.map(|text| Id::parse(&text).map_err(|_| damaged(&text))).transpose()
    }

    /// Everything, as the two files that other programs know.
    pub fn export(&mut self) -> Result<ExportedFiles, RegistryError> {
        let scope = self.scope.clone();
        sql::read(&mut *self.db, |db| {
            let mut proposals = Vec::new();
            let mut patches = Vec::new();
            let mut own = std::collections::BTreeSet::new();
            for row in rows::all(db, &scope)? {
                own.insert(row.key.clone());
                proposals.push(row.entry()?.to_json());
                if let Some(bytes) = rows::patch(db, &row.key)? {
                    patches.push((row.id.clone(), bytes));
                }
            }
            let reports = rows::all_reports(db)?;
            let reports = reports
                .iter()
                .filter(|(id, _)| own.contains(id))
                .map(|(id, text)| parse(text, || format!("report of {id}")));
            Ok(exchange::write(proposals, &patches, reports.collect::<Result<_, _>>()?))
        })
    }
}

/// Everything that is known about a record, in a transaction that has been started.
pub(super) fn dossier(
    db: &mut dyn Database,
    scope: &Scope,
    id: &Id,
) -> Result<Option<RecordDetails>, RegistryError> {
    let Some(row) = rows::by_id(db, scope, id.as_str())? else { return Ok(None) };
    let key = row.key.as_str();
    Ok(Some(RecordDetails {
        entry: row.entry()?,
        patch: rows::patch(db, key)?,
        reports: reports(db, id, key)?,
        approval: match rows::approval(db, key)? {
            Some(text) => Some(parse(&text, || format!("approval of {id}"))?),
            None => None,
        },
        history: rows::history(db, key)?,
    }))
}

fn reports(db: &mut dyn Database, id: &Id, key: &str) -> Result<Vec<Value>, RegistryError> {
    let texts = rows::reports(db, key)?;
    texts.iter().map(|text| parse(text, || format!("report of {id}"))).collect()
}

fn parse(text: &str, place: impl Fn() -> String) -> Result<Value, RegistryError> {
    serde_json::from_str(text)
        .map_err(|_| RegistryError::Damaged { place: place(), reason: "it is not JSON".to_owned() })
}
