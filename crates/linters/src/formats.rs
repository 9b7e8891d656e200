//! Formats in which tools exchange findings and edits, for a tool of one's own and for applying what another made.
//!
//! Every reader gives a [`ToolReport`] against the texts at hand, under the same rules as the adapters: positions are
//! converted and checked, an edit that does not fit is dropped with its reason, and what leads out of the root is not
//! followed. What a format does not say about safety is `behavior_changing`, unless whoever configured the tool says
//! otherwise ([`Options::safety`]).
//!
//! ```
//! use linters::formats::{self, Exchange, Options};
//!
//! let diff = b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
//! assert_eq!(formats::recognise(diff), Some(Exchange::UnifiedDiff));
//! ```

mod diff;
mod lsp;
mod own;
mod rdjson;
mod replacements;
mod sarif;
mod write;

use check::Safety;
use serde_json::Value;

pub use own::read_own;
pub use write::{Written, write};

use crate::collect::Texts;
use crate::positions::PositionUnit;
use crate::report::{Garbled, ToolReport};

/// A format of findings or edits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Exchange {
    /// SARIF 2.1.0, with `fixes`.
    Sarif,
    /// reviewdog's format, one JSON value or one per line, with `suggestions`.
    Rdjson,
    /// A `WorkspaceEdit` of the language server protocol, or a list of code actions.
    WorkspaceEdit,
    /// clang's YAML, with `Replacements` or `Diagnostics`.
    ClangReplacements,
    /// A unified diff, with git's headers or without.
    UnifiedDiff,
}

impl Exchange {
    /// Every format.
    pub const ALL: [Exchange; 5] = [
        Exchange::Sarif,
        Exchange::Rdjson,
        Exchange::WorkspaceEdit,
        Exchange::ClangReplacements,
        Exchange::UnifiedDiff,
    ];

    /// The name in settings and arguments.
    pub fn name(self) -> &'static str {
        match self {
            Exchange::Sarif => "sarif",
            Exchange::Rdjson => "rdjson",
            Exchange::WorkspaceEdit => "workspace-edit",
            Exchange::ClangReplacements => "clang-replacements",
            Exchange::UnifiedDiff => "diff",
        }
    }

    /// The format with that name.
    pub fn from_name(name: &str) -> Option<Exchange> {
        Exchange::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What a text in a format does not say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The safety of its fixes, if somebody who is trusted states it.
    pub safety: Option<Safety>,
    /// What columns count, if not what the format says.
    pub unit: Option<PositionUnit>,
}

impl Options {
    fn safety(&self) -> Safety {
        self.safety.unwrap_or(Safety::BehaviorChanging)
    }
}

/// Reads a text in a format.
pub fn read(
    format: Exchange,
    bytes: &[u8],
    texts: &Texts<'_>,
    options: &Options,
) -> Result<ToolReport, Garbled> {
    match format {
        Exchange::Sarif => sarif::read(bytes, texts, options),
        Exchange::Rdjson => rdjson::read(bytes, texts, options),
        Exchange::WorkspaceEdit => lsp::read(bytes, texts, options),
        Exchange::ClangReplacements => replacements::read(bytes, texts, options),
        Exchange::UnifiedDiff => diff::read(bytes, texts, options),
    }
}

/// The format of a text, if it is one of them and no other.
pub fn recognise(bytes: &[u8]) -> Option<Exchange> {
    let start = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start();
    if matches!(start.first(), Some(b'{' | b'[')) {
        let value = crate::json::whole(start).or_else(|error| {
            // One value per line.
            let line = start.split(|it| *it == b'\n').next().unwrap_or_default();
            serde_json::from_slice::<Value>(line).map_err(|_| error)
        });
        return of_value(&value.ok()?);
    }
    let has_line = |mark: &[u8]| {
        bytes.starts_with(mark)
            || bytes.windows(mark.len() + 1).any(|it| it[0] == b'\n' && &it[1..] == mark)
    };
    let is_clang = has_line(b"Replacements:") || has_line(b"Diagnostics:");
    let is_diff = has_line(b"diff --git ") || (has_line(b"@@ -") && has_line(b"+++ "));
    match (is_clang, is_diff) {
        (true, false) => Some(Exchange::ClangReplacements),
        (false, true) => Some(Exchange::UnifiedDiff),
        _ => None,
    }
}

fn of_value(value: &Value) -> Option<Exchange> {
    let has = |name: &str| value.get(name).is_some();
    let is_placed = |it: &Value| it.get("location").is_some_and(|it| it.get("path").is_some());
    let is_action = |it: &Value| {
        it.get("edit").is_some() || (it.get("title").is_some() && it.get("edits").is_none())
    };
    let is_all = |list: Option<&Value>, of: &dyn Fn(&Value) -> bool| {
        list.and_then(Value::as_array).is_some_and(|it| !it.is_empty() && it.iter().all(of))
    };
    let no_finding = value.get("diagnostics").and_then(Value::as_array).is_some_and(Vec::is_empty);
    let is_rdjson = is_all(value.get("diagnostics"), &is_placed)
        || (no_finding && has("source"))
        || (is_placed(value) && has("message"));
    let is_edit = (has("changes") || has("documentChanges")) && !has("id");
    let found = [
        (Exchange::Sarif, value.get("runs").is_some_and(Value::is_array)),
        (Exchange::Rdjson, is_rdjson),
        (Exchange::WorkspaceEdit, is_edit || has("edit") || is_all(Some(value), &is_action)),
    ];
    let mut found = found.into_iter().filter(|it| it.1);
    // What could be two things is neither.
    found.next().filter(|_| found.next().is_none()).map(|it| it.0)
}
