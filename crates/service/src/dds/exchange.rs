//! Records and reports as files that other programs know.

use govern::exchange;
use govern::registry::ImportError;
use protocol::v1;
use serde_json::Value;

use super::{Desk, now};
use crate::failure::Failure;

/// What was exported.
pub struct Export {
    /// What programs read.
    pub report: v1::DdsReport,
    /// The texts of the two files, each with its name.
    pub files: [(&'static str, String); 2],
}

impl Desk<'_> {
    /// All records and reports.
    pub fn export(&self) -> Result<Export, Failure> {
        let exported = self.registry.borrow_mut().export()?;
        let n_items = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_array).map_or(0, Vec::len)
        };
        let report = v1::DdsReport::Exchange(v1::DdsExchange {
            ok: true,
            records: n_items(&exported.dds, "proposals"),
            reports: n_items(&exported.reports, "reports"),
            notes: Vec::new(),
            faults: Vec::new(),
        });
        let text = |value: &Value| format!("{value:#}\n");
        let files = [("dds.json", text(&exported.dds)), ("reports.json", text(&exported.reports))];
        Ok(Export { report, files })
    }

    /// Takes records in, and the reports about them if there are any. All of them come in or none does, and none comes
    /// in approved.
    pub fn import(
        &self,
        dds: &[u8],
        reports: Option<&[u8]>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let reports = reports.map(text);
        let incoming = match exchange::read(&text(dds), reports.as_deref()) {
            Ok(incoming) => incoming,
            Err(faults) => return Ok(refused(&faults)),
        };
        match self.registry.borrow_mut().import(&incoming, by, now()) {
            Ok(imported) => Ok(v1::DdsReport::Exchange(v1::DdsExchange {
                ok: true,
                records: imported.ids.len(),
                reports: incoming.reports.len(),
                notes: imported
                    .no_longer_approved
                    .iter()
                    .map(|id| format!("{id} was approved elsewhere; it waits for an approval here"))
                    .collect(),
                faults: Vec::new(),
            })),
            Err(ImportError::Faults { faults }) => Ok(refused(&faults)),
            Err(ImportError::Registry(error)) => Err(error.into()),
            Err(error) => Err(Failure::Usage { message: error.to_string() }),
        }
    }
}

fn refused(faults: &[exchange::FileFault]) -> v1::DdsReport {
    let fault = |it: &exchange::FileFault| v1::DdsFault {
        rule: it.file.to_string(),
        pointer: it.pointer.clone(),
        message: it.message.clone(),
    };
    v1::DdsReport::Exchange(v1::DdsExchange {
        ok: false,
        records: 0,
        reports: 0,
        notes: Vec::new(),
        faults: faults.iter().map(fault).collect(),
    })
}
