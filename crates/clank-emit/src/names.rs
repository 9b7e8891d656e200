//! Names in generated code: words that JavaScript keeps for itself, letters that it does not take, and which name is
//! free where.

use clank_syntax::ast::Name;
use rustc_hash::FxHashSet;

/// Words that are not identifiers in a module.
const RESERVED: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Names of TypeScript's own types, which a declared type must not take, and of the host, which generated code and the
/// run-time library use.
const GLOBALS: &[&str] = &[
    "any", "bigint", "boolean", "never", "number", "object", "string", "symbol", "unknown",
    "Infinity", "NaN", "Function", "Boolean", "Symbol", "Promise", "RegExp", "process", "console",
];

/// Helpers that generated code may call anywhere; no local has their names.
pub(crate) const INNER_HELPERS: &[&str] = &[
    "at",
    "attempt",
    "copy",
    "div",
    "equals",
    "fromHost",
    "int32",
    "int64",
    "intFromHost",
    "isErr",
    "isNone",
    "len",
    "nat",
    "panic",
    "place",
    "pow",
    "raise",
    "range",
    "rem",
    "requires",
    "show",
    "toHost",
    "todo",
    "unreachable",
];

/// Whether the name is kept by the language or the host.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
        || GLOBALS.contains(&name)
        || crate::runtime::HOST_NAMES.contains(&name)
}

/// Whether it is a word of the language.
pub(crate) fn is_word(name: &str) -> bool {
    RESERVED.contains(&name) || matches!(name, "async" | "of")
}

/// The name with every letter that JavaScript does not take spelled by its number.
pub(crate) fn legal(name: &str) -> Name {
    let is_legal = |it: char| !matches!(u32::from(it), 0x370..=0x4ff if !it.is_alphabetic());
    if name.chars().all(is_legal) {
        return Name::new(name);
    }
    let spell = |it: char| match is_legal(it) {
        true => it.to_string(),
        false => format!("u{:04x}", u32::from(it)),
    };
    name.chars().map(spell).collect::<String>().into()
}

/// The name of a field. `tag` says which variant an object is, so no field of a variant has that name.
pub(crate) fn variant_field(name: Option<&str>, position: usize) -> Name {
    match name {
        Some("tag") => Name::new("tag_"),
        Some(name) => legal(name),
        None => format!("_{position}").into(),
    }
}

/// The name itself if it is free, else one of `name2`, `name3`, … that is: the first, if they were taken in order. A name
/// that is shadowed thousands of times is not tried thousands of times.
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> Name {
    let name = legal(name);
    let numbered = |number: u32| match number {
        1 => name.clone(),
        _ => Name::from(format!("{name}{number}")),
    };
    let is_taken = |number: u32| {
        let name = numbered(number);
        is_taken(&name) || is_reserved(&name)
    };
    if !is_taken(1) {
        return name;
    }
    let (mut taken, mut free) = (1, 2);
    while is_taken(free) {
        (taken, free) = (free, free.saturating_mul(2));
    }
    while free - taken > 1 {
        let middle = taken + (free - taken) / 2;
        if is_taken(middle) {
            taken = middle;
        } else {
            free = middle;
        }
    }
    numbered(free)
}

/// The names of the JavaScript blocks around a place, the innermost last.
#[derive(Debug, Default)]
pub(crate) struct Scopes(Vec<FxHashSet<Name>>);

impl Scopes {
    pub(crate) fn enter(&mut self) {
        self.0.push(FxHashSet::default());
    }

    pub(crate) fn leave(&mut self) {
        self.0.pop();
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|it| it.contains(name))
    }

    pub(crate) fn add(&mut self, name: Name) {
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name);
        }
    }
}
