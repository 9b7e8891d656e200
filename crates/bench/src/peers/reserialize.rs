//! The plain way, with serde_json: load, change the value, dump. It keeps no layout and no comments.

use anyhow::{Context, Result};
use serde_json::Value;

use crate::operation::Operation;

/// The text after the operations, written anew with two spaces of indentation.
pub(crate) fn edit(text: &str, operations: &[Operation]) -> Result<String> {
    let mut value: Value = serde_json::from_str(text)?;
    for operation in operations {
        operation.apply_to(&mut value).with_context(|| format!("{operation:?} does not fit"))?;
    }
    let mut text = serde_json::to_string_pretty(&value)?;
    text.push('\n');
    Ok(text)
}
