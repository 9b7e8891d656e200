//! What `fix` may not do by itself, as proposals: each with its edits attached, and with a scope and constraints that are
//! computed from them.

use govern::registry::{AddError, RegistryEntry};
use govern::{Constraints, ScopeEntry, Status};
use patch::edits::{EditsDocument, RepairNote};
use serde_json::{Value, json};
use snapshot::RelPath;

use crate::commands::dds::{ProposalRegistry, now};
use crate::commands::fix::{Offer, Offers};
use crate::failure::Failure;

/// What was proposed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proposals {
    /// New records, each with the title of its repair.
    pub added: Vec<(String, String)>,
    /// Records that were there already for the same bytes, each with the title of its repair.
    pub known: Vec<(String, String)>,
    /// Titles of repairs that are not proposed, each with the reason.
    pub left_out: Vec<(String, String)>,
}

/// The member of a record that says which repair it is.
const REPAIR: &str = "x_repair";

impl ProposalRegistry<'_> {
    /// Proposes the repairs that only a person's word lets `fix` make and that did what they claim when it tried them.
    pub fn propose(&self, found: &Offers, by: &str) -> Result<Proposals, Failure> {
        let mut proposals = Proposals { left_out: found.left_out.clone(), ..Proposals::default() };
        let open = self.open_patches()?;
        for offer in &found.offers {
            let title = offer.repair.title.clone();
            let patch = match edits(offer) {
                Ok(patch) => patch,
                Err(reason) => {
                    proposals.left_out.push((title, reason));
                    continue;
                }
            };
            if let Some((id, _)) = open.iter().find(|it| it.1 == patch) {
                proposals.known.push((id.clone(), title));
                continue;
            }
            let record = match self.record(offer) {
                Ok(record) => record,
                Err(reason) => {
                    proposals.left_out.push((title, reason));
                    continue;
                }
            };
            self.identify()?;
            let added = self.registry.borrow_mut().add(&record, Some(&patch), by, now());
            match added {
                Ok(stored) => {
                    self.publish(&stored, Some(&patch))?;
                    proposals.added.push((stored.record.id.to_string(), title));
                }
                Err(AddError::Registry(error)) => return Err(error.into()),
                Err(error) => proposals.left_out.push((title, error.to_string())),
            }
        }
        Ok(proposals)
    }

    /// What is attached to the proposals that wait for a decision or for being carried out.
    fn open_patches(&self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let mut patches = Vec::new();
        for status in [Status::Proposed, Status::Approved] {
            let entries = self.registry.borrow_mut().list(Some(status.name()))?;
            for entry in entries {
                let RegistryEntry::Current(stored) = entry else { continue };
                if stored.record.extra.contains_key(REPAIR) {
                    let id = stored.record.id.to_string();
                    patches.extend(self.dossier(&id)?.patch.map(|patch| (id, patch)));
                }
            }
        }
        Ok(patches)
    }

    /// The record, without an id. Its scope is the files that the repair changes, by name.
    fn record(&self, offer: &Offer) -> Result<Value, String> {
        let repair = &offer.repair;
        let paths: Vec<RelPath> = offer.change.paths().into_iter().collect();
        let scope =
            paths.iter().map(|it| ScopeEntry::parse(it.as_str())).collect::<Result<Vec<_>, _>>();
        let scope = scope.map_err(|error| error.to_string())?;
        let project = self.root.file_name().map(|it| it.to_string_lossy().into_owned());
        let rationale = if repair.rationale.is_empty() { &repair.title } else { &repair.rationale };
        Ok(json!({
            "version": 2,
            "type": "code_change",
            "project": project.filter(|it| !it.trim().is_empty()).unwrap_or_else(|| "workspace".to_owned()),
            "goal": repair.title,
            "instructions": [rationale],
            "allowed_paths": scope.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "tool": govern::execute::BUILTIN,
            "constraints": constraints(offer, &scope)?,
            "status": "proposed",
            REPAIR: {
                "id": repair.id,
                "rule_id": repair.rule_id,
                "source": repair.source,
                "safety": repair.safety.name(),
                "class": offer.class.name()
            }
        }))
    }
}

/// The strictest constraints that the change keeps to.
fn constraints(offer: &Offer, scope: &[ScopeEntry]) -> Result<Value, String> {
    let after = offer.before.apply(&offer.change).map_err(|error| error.to_string())?;
    let changes = measure::changes(&offer.before, &after);
    let keeps = |constraints: Constraints| {
        measure::violations(&changes, &offer.before, &after, scope, &constraints).is_empty()
    };
    let no_new_dependencies =
        keeps(Constraints { no_new_dependencies: Some(true), ..Constraints::default() });
    let no_refactor = keeps(Constraints { no_refactor: Some(true), ..Constraints::default() });
    Ok(json!({
        "max_files_changed": measure::files_changed(&changes),
        "no_new_dependencies": no_new_dependencies,
        "no_refactor": no_refactor
    }))
}

/// The edits, bound to the hashes of the files as they are.
fn edits(offer: &Offer) -> Result<Vec<u8>, String> {
    let mut document =
        EditsDocument::from_change(&offer.change).map_err(|error| error.to_string())?;
    let repair = &offer.repair;
    document.repairs = vec![RepairNote {
        id: repair.id.clone(),
        title: repair.title.clone(),
        rule_id: repair.rule_id.clone(),
        source: repair.source.clone(),
        safety: repair.safety.name().to_owned(),
        class: Some(offer.class.name().to_owned()),
    }];
    Ok(document.render().into_bytes())
}
