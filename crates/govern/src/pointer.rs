//! Places in records and documents, as the text of an RFC 6901 pointer.

use document::Pointer;

/// The place of a member of what stands at that place, whatever its name.
pub(crate) fn below(at: &str, name: &str) -> String {
    format!("{at}{}", Pointer::root().join(name))
}
