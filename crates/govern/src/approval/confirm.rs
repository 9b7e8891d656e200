//! A word without a key: somebody at a terminal types the record's id.

use crate::id::Id;

/// What somebody typed to approve a record: its id, to the letter. Only a front end that reads from a terminal has
/// the text to make one of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirmation {
    id: Id,
}

/// What was typed is not the id.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not approved: type {id} to approve it")]
pub struct NotConfirmed {
    /// The id that was asked for.
    pub id: Id,
}

impl Confirmation {
    /// Takes what was typed, with or without its line end.
    pub fn typed(id: &Id, text: &str) -> Result<Confirmation, NotConfirmed> {
        if text.trim_end_matches(['\r', '\n']) == id.as_str() {
            Ok(Confirmation { id: id.clone() })
        } else {
            Err(NotConfirmed { id: id.clone() })
        }
    }

    /// The record that it is about.
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// What was typed.
    pub fn text(&self) -> &str {
        self.id.as_str()
    }
}
