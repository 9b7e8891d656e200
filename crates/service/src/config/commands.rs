//! Tables of the configuration that name a program to run. Whatever section they are in, a stranger can have written them,
//! so they are kept as they are written: what the user trusts is this content.
//!
//! A section joins with one line in `config::read`: `config.commands.extend(tables("linter", "linters", value))`.

use document::Value;

/// A table that names a program to run.
#[derive(Clone, Debug)]
pub(crate) struct CommandTable {
    /// What it is, in one word: `tool`.
    pub(crate) kind: &'static str,
    /// The section it stands in: `tools`.
    pub(crate) section: &'static str,
    /// Its name there.
    pub(crate) name: String,
    /// All that it says.
    pub(crate) value: Value,
}

/// The tables of a section: `[SECTION.NAME]`, or `[[SECTION]]` with a member `name`.
pub(super) fn tables(
    kind: &'static str,
    section: &'static str,
    value: &Value,
) -> Vec<CommandTable> {
    let table = |name: &str, value: &Value| CommandTable {
        kind,
        section,
        name: name.to_owned(),
        value: value.clone(),
    };
    match value {
        Value::Object(members) => members.iter().map(|(name, value)| table(name, value)).collect(),
        Value::Array(items) => {
            let name = |it: &Value| it.get("name").and_then(Value::as_str).map(str::to_owned);
            items.iter().map(|it| table(&name(it).unwrap_or_default(), it)).collect()
        }
        _ => Vec::new(),
    }
}
