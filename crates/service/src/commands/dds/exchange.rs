//! Records and reports as files that other programs know.

use std::path::Path;

use govern::exchange::{self, Incoming};
use govern::registry::{self, FormerError, ImportError};
use protocol::v1;
use serde_json::Value;

use crate::commands::dds::{ProposalRegistry, now};
use crate::failure::Failure;

/// What was exported.
pub struct Export {
    /// What programs read.
    pub report: v1::DdsReport,
    /// The texts of the two files, each with its name.
    pub files: [(&'static str, String); 2],
}

impl ProposalRegistry<'_> {
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

    /// Takes records in, and the reports about them if there are any. All of them come in or none does. What has ended is
    /// history; everything else comes in as a proposal.
    pub fn import(
        &self,
        dds: &[u8],
        reports: Option<&[u8]>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let reports = reports.map(text);
        match exchange::read(&text(dds), reports.as_deref()) {
            Ok(incoming) => self.take_in(&incoming, None, by),
            Err(faults) => Ok(refused(&faults, None)),
        }
    }

    /// Takes records in from the registry of an older regreen, a file that may be a stranger's. Its approvals do not count.
    pub fn import_registry(&self, file: &Path, by: &str) -> Result<v1::DdsReport, Failure> {
        let folder = self.session.workspace.runs_folder()?;
        let name = file.file_name().map(|it| it.to_string_lossy().into_owned());
        match registry::read_registry(file, &folder) {
            Ok(incoming) => self.take_in(&incoming, name.as_deref(), by),
            Err(FormerError::Faults { faults }) => Ok(refused(&faults, name.as_deref())),
            Err(error) => Err(Failure::Unusable {
                path: file.display().to_string(),
                reason: error.to_string(),
            }),
        }
    }

    fn take_in(
        &self,
        incoming: &Incoming,
        file: Option<&str>,
        by: &str,
    ) -> Result<v1::DdsReport, Failure> {
        self.identify()?;
        match self.registry.borrow_mut().import(incoming, by, now()) {
            Ok(imported) => Ok(v1::DdsReport::Exchange(v1::DdsExchange {
                ok: true,
                records: imported.ids.len(),
                reports: incoming.reports.len(),
                notes: imported
                    .reopened
                    .iter()
                    .map(|(id, had)| {
                        format!("{id} was {had} elsewhere; it waits for an approval here")
                    })
                    .chain(incoming.left.iter().map(|it| format!("{it} was left out")))
                    .collect(),
                faults: Vec::new(),
            })),
            Err(ImportError::Faults { faults }) => Ok(refused(&faults, file)),
            Err(ImportError::Registry(error)) => Err(error.into()),
            Err(error) => Err(Failure::Usage { message: error.to_string() }),
        }
    }
}

/// What is wrong with the files, or with the one of that name.
fn refused(faults: &[exchange::FileFault], file: Option<&str>) -> v1::DdsReport {
    let fault = |it: &exchange::FileFault| v1::DdsFault {
        rule: file.map_or_else(|| it.file.to_string(), str::to_owned),
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
