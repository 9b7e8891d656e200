//! Records of before: version 1 (`touch_file`, `noop`), and records of version 2 whose id has an older form, or that have
//! members which the contract does not name. They are imported, read, listed and exported as they are; none is made, and nothing happens to one.

use serde_json::Value;

use crate::id::{Id, IdForm};
use crate::members::RecordMember;
use crate::record::Record;
use crate::shape::{self, RecordFault, Rule};

/// A record of before.
#[derive(Clone, PartialEq, Debug)]
pub struct Legacy {
    /// Its name.
    pub id: Id,
    /// Everything that it says, as it came.
    pub value: Value,
    /// The status in its own words, also `draft` or `pending`; `unknown` if it has none.
    pub status: String,
}

/// The most characters of a status in its own words.
const MAX_STATUS: usize = 40;

/// Whether a record is one of before, by its type, its version, the form of its id or its members.
pub fn is_legacy(value: &Value) -> bool {
    let Value::Object(members) = value else { return false };
    if matches!(members.get("type").and_then(Value::as_str), Some("touch_file" | "noop")) {
        return true;
    }
    match members.get("version") {
        None => true,
        Some(version) if version.as_i64() == Some(1) => true,
        Some(version) if version.as_i64() == Some(2) => members
            .get("id")
            .and_then(Value::as_str)
            .and_then(|it| Id::parse(it).ok())
            .is_some_and(|it| it.form() == IdForm::Legacy || has_other_members(members)),
        Some(_) => false,
    }
}

/// Whether there are members that no record of today has: other programs kept who approved it, or when it ran.
fn has_other_members(members: &serde_json::Map<String, Value>) -> bool {
    let is_known =
        |name: &str| name.starts_with("x_") || RecordMember::ALL.iter().any(|it| it.name() == name);
    members.keys().any(|it| !is_known(it))
}

/// Reads a record of before, or says what is missing even for that.
pub fn read(value: &Value) -> Result<Legacy, Vec<RecordFault>> {
    let mut faults = Vec::new();
    let mut fault = |rule: Rule, pointer: &str, message: &str| {
        faults.push(RecordFault { rule, pointer: pointer.to_owned(), message: message.to_owned() });
    };
    let id = value.get("id").and_then(Value::as_str).and_then(|it| Id::parse(it).ok());
    if id.is_none() {
        fault(Rule::IdFormat, "/id", "the id must be one line of at most 200 characters");
    }
    let status = match value.get("status") {
        None => Some("unknown".to_owned()),
        Some(Value::String(text)) if is_status(text) => Some(text.clone()),
        Some(_) => {
            fault(Rule::Status, "/status", "status must be a short string");
            None
        }
    };
    match (id, status) {
        (Some(id), Some(status)) => Ok(Legacy { id, value: value.clone(), status }),
        _ => Err(faults),
    }
}

/// Whether the text can be shown as a status.
pub(crate) fn is_status(text: &str) -> bool {
    !text.is_empty() && text.chars().count() <= MAX_STATUS && !text.chars().any(char::is_control)
}

/// The record that one of before would be if its id had a form of today: a correction by hand may name it as its source.
pub fn as_record(legacy: &Legacy) -> Option<Record> {
    let mut value = legacy.value.clone();
    let members = value.as_object_mut()?;
    let stand_in = match members.get("type").and_then(Value::as_str) {
        Some("code_fix") => "DDS-FIX-00000000-000",
        _ => "DDS-00000000-CODE-000",
    };
    members.insert("id".to_owned(), Value::from(stand_in));
    let mut record = shape::read(&value).record?;
    record.id = legacy.id.clone();
    Some(record)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    ///
    #[test]
    fn what_is_of_before_is_told_by_type_version_and_id() {
        for (value, expected) in [
            (json!({ "id": "DDS-1", "type": "touch_file", "version": 1 }), true),
            (json!({ "id": "DDS-1", "type": "noop" }), true),
            (json!({ "id": "DDS-1", "type": "noop", "version": 2 }), true),
            (json!({ "id": "DDS-GEN-1", "type": "code_change", "version": 2 }), true),
            (json!({ "id": "DDS-20260202-CODE-001", "type": "code_change", "version": 2 }), false),
            (json!({ "id": "DDS-20260202-CODE-001", "type": "code_change", "version": 3 }), false),
            (
                json!({ "id": "DDS-20260202-CODE-001", "type": "code_change", "version": "1" }),
                false,
            ),
            (
                json!({ "id": "DDS-20260202-CODE-001", "type": "code_change", "version": 2, "x_a": 1 }),
                false,
            ),
            (
                json!({ "id": "DDS-20260202-CODE-001", "type": "code_change", "version": 2, "approved_by": "ana" }),
                true,
            ),
            (json!([1]), false),
        ] {
            assert_eq!(is_legacy(&value), expected, "{value}");
        }
    }

    ///
    #[test]
    fn a_status_of_before_is_kept_in_its_own_words() {
        let status = |value: Value| read(&value).map(|it| it.status);
        assert_eq!(status(json!({ "id": "a", "status": "draft" })), Ok("draft".to_owned()));
        assert_eq!(status(json!({ "id": "a" })), Ok("unknown".to_owned()));
        let pointers = |value: Value| {
            read(&value).unwrap_err().into_iter().map(|it| it.pointer).collect::<Vec<_>>()
        };
        assert_eq!(pointers(json!({ "status": 1 })), ["/id", "/status"]);
        assert_eq!(pointers(json!({ "id": "a\nb", "status": "x".repeat(41) })), ["/id", "/status"]);
    }
}
