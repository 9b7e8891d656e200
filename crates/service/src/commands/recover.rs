//! `recover`: settles what an interrupted transaction left behind, and does nothing else.

use protocol::v1::{RecoverReport, SettledTransaction};
use workspace::Recovered;

use crate::session::Session;

/// What opening the session settled.
pub fn recover(session: &Session) -> RecoverReport {
    let settled = |id: String, outcome: &str, kept: Vec<String>| {
        Some(SettledTransaction { id, outcome: outcome.to_owned(), kept })
    };
    let settled = match session.what_was_recovered() {
        Recovered::Clean => None,
        Recovered::Completed(id) => settled(id.to_string(), "completed", Vec::new()),
        Recovered::RolledBack { id, kept } => {
            settled(id.to_string(), "rolled_back", kept.iter().map(ToString::to_string).collect())
        }
    };
    RecoverReport { ok: true, settled }
}
