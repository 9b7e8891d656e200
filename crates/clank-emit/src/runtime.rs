//! The run-time library that generated programs stand on, as texts: whole as a module, or the items that a file needs.
//!
//! `runtime/clank.ts` is written by hand and `runtime/clank.js` is the same program without its types. A top-level item
//! starts with a doc comment in the first column, followed by `export function`, `const`, `class` or `type` and its
//! name; that is all that is known here of either language. [`clank::SIGNATURES`] has the types of the builtins.
//!
//! What a generator has to keep to, besides the representation of values that the library states: a program of several
//! modules imports one copy, because panics, errors, maps and sets are known by their classes; a variant's field is not
//! called `tag`; a record with a field `tag` is shown with its shape; a field `__proto__` is written as a computed key.

mod scan;

use std::collections::BTreeSet;
use std::sync::{LazyLock, OnceLock};

use rustc_hash::FxHashMap;

/// Names of the host that the library uses. A generated file must not declare them at its top level.
pub const HOST_NAMES: [&str; 15] = [
    "Array",
    "BigInt",
    "Error",
    "Exclude",
    "Extract",
    "JSON",
    "Map",
    "Math",
    "Number",
    "Object",
    "Set",
    "String",
    "Uint8Array",
    "globalThis",
    "undefined",
];

/// What a program is generated as.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum OutputLanguage {
    TypeScript,
    JavaScript,
}

/// One item of the library.
#[derive(Debug)]
pub struct Helper {
    pub name: &'static str,
    /// Its text from its doc comment on, with `export`, without a line break at the end.
    pub text: &'static str,
    dialect: OutputLanguage,
    /// Found out when somebody asks: most programs need few items.
    needs: OnceLock<BTreeSet<&'static str>>,
}

impl Helper {
    /// The items that its text names, itself not among them.
    pub fn needs(&self) -> &BTreeSet<&'static str> {
        self.needs.get_or_init(|| {
            let known = by_name(self.dialect);
            let mut needs = BTreeSet::new();
            scan::for_each_identifier(self.text, |it| {
                if it != self.name && known.contains_key(it) {
                    needs.insert(it);
                }
            });
            needs
        })
    }
}

/// The whole library as a module that exports everything.
pub fn module(dialect: OutputLanguage) -> &'static str {
    match dialect {
        OutputLanguage::TypeScript => include_str!("runtime/clank.ts"),
        OutputLanguage::JavaScript => include_str!("runtime/clank.js"),
    }
}

/// The items of the library in the order of the file. In JavaScript there are no types among them.
pub fn helpers(dialect: OutputLanguage) -> &'static [Helper] {
    static TYPESCRIPT: LazyLock<Vec<Helper>> = LazyLock::new(|| read(OutputLanguage::TypeScript));
    static JAVASCRIPT: LazyLock<Vec<Helper>> = LazyLock::new(|| read(OutputLanguage::JavaScript));
    match dialect {
        OutputLanguage::TypeScript => &TYPESCRIPT,
        OutputLanguage::JavaScript => &JAVASCRIPT,
    }
}

/// The names and all that they need, in the order of the file. Names that the library does not have are passed over.
pub fn closure(dialect: OutputLanguage, names: &BTreeSet<&str>) -> Vec<&'static Helper> {
    let by_name = by_name(dialect);
    let mut found = BTreeSet::new();
    let mut pending: Vec<&Helper> =
        names.iter().filter_map(|it| by_name.get(it).copied()).collect();
    while let Some(helper) = pending.pop() {
        if found.insert(helper.name) {
            pending.extend(helper.needs().iter().filter_map(|it| by_name.get(it).copied()));
        }
    }
    helpers(dialect).iter().filter(|it| found.contains(it.name)).collect()
}

/// The items by their names.
fn by_name(dialect: OutputLanguage) -> &'static FxHashMap<&'static str, &'static Helper> {
    type ByName = FxHashMap<&'static str, &'static Helper>;
    let named = |dialect| helpers(dialect).iter().map(|it| (it.name, it)).collect();
    static TYPESCRIPT: OnceLock<ByName> = OnceLock::new();
    static JAVASCRIPT: OnceLock<ByName> = OnceLock::new();
    match dialect {
        OutputLanguage::TypeScript => TYPESCRIPT.get_or_init(|| named(dialect)),
        OutputLanguage::JavaScript => JAVASCRIPT.get_or_init(|| named(dialect)),
    }
}

/// The text to put into a generated file that uses these names: the closure, not exported, an empty line between items
/// and a line break at the end. Empty without names.
pub fn inline(dialect: OutputLanguage, names: &BTreeSet<&str>) -> String {
    let items = closure(dialect, names);
    let mut text = String::with_capacity(items.iter().map(|it| it.text.len() + 2).sum());
    for item in items {
        if !text.is_empty() {
            text.push('\n');
        }
        let (before, after) = item.text.split_once("\nexport ").unwrap_or((item.text, ""));
        text.extend([before, "\n", after, "\n"]);
    }
    text
}

/// The item that does what a builtin or a constructor of a built-in sum says.
pub fn helper_of(builtin: &str) -> Option<&'static str> {
    let name = match builtin {
        "try" => "attempt",
        "to_string" => "show",
        _ => builtin,
    };
    by_name(OutputLanguage::JavaScript).get(name).map(|it| it.name)
}

/// Every program that is compiled waits for this: one pass over the lines.
fn read(dialect: OutputLanguage) -> Vec<Helper> {
    let text = module(dialect);
    let mut helpers = Vec::new();
    // Where the item that is read now starts, and its name once that is known.
    let mut item: Option<(usize, Option<&'static str>)> = None;
    let mut close = |item: Option<(usize, Option<&'static str>)>, end: usize| {
        if let Some((start, Some(name))) = item {
            let text = text[start..end].trim_end();
            helpers.push(Helper { name, text, dialect, needs: OnceLock::new() });
        }
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        // What comes before the first item is about the file.
        if line.starts_with("/**") && start > 0 {
            close(item, start);
            item = Some((start, None));
        } else if let Some((_, name @ None)) = &mut item {
            *name = line.strip_prefix("export ").and_then(exported_name);
        }
        start += line.len();
    }
    close(item, text.len());
    helpers
}

/// The name after what kind of item it is.
fn exported_name(rest: &'static str) -> Option<&'static str> {
    let (kind, rest) = rest.split_once(' ')?;
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let name = rest.split(|char| !is_name(char)).next()?;
    ["function", "const", "class", "type"].contains(&kind).then_some(name)
}

#[cfg(test)]
mod tests;
