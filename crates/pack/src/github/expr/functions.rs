//! The functions of expressions.

use super::types::Type;

/// What a function takes and gives.
pub(super) struct BuiltinFunction {
    pub(super) name: &'static str,
    pub(super) min: usize,
    /// `None` is any number.
    pub(super) max: Option<usize>,
    /// What the arguments are; the last one stands for all that follow.
    pub(super) params: &'static [Param],
    pub(super) gives: Gives,
    /// Whether it is there only under some keys.
    pub(super) is_special: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Param {
    Any,
    Text,
    /// A text or an array.
    Searched,
    /// An array, or a text that stands for one.
    Joined,
}

#[derive(Clone, Copy)]
pub(super) enum Gives {
    Any,
    Bool,
    Text,
}

impl Gives {
    pub(super) fn as_type(self) -> Type {
        match self {
            Gives::Any => Type::Any,
            Gives::Bool => Type::Bool,
            Gives::Text => Type::Text,
        }
    }
}

const fn function(
    name: &'static str,
    min: usize,
    max: Option<usize>,
    params: &'static [Param],
    gives: Gives,
) -> BuiltinFunction {
    BuiltinFunction { name, min, max, params, gives, is_special: false }
}

const fn status(name: &'static str) -> BuiltinFunction {
    BuiltinFunction { is_special: true, ..function(name, 0, Some(0), &[], Gives::Bool) }
}

pub(super) const FUNCTIONS: [BuiltinFunction; 13] = [
    status("always"),
    status("cancelled"),
    status("failure"),
    status("success"),
    function("case", 3, None, &[Param::Any], Gives::Any),
    function("contains", 2, Some(2), &[Param::Searched, Param::Text], Gives::Bool),
    function("endsWith", 2, Some(2), &[Param::Text], Gives::Bool),
    function("format", 1, None, &[Param::Text, Param::Any], Gives::Text),
    function("fromJSON", 1, Some(1), &[Param::Text], Gives::Any),
    BuiltinFunction {
        is_special: true,
        ..function("hashFiles", 1, None, &[Param::Text], Gives::Text)
    },
    function("join", 1, Some(2), &[Param::Joined, Param::Text], Gives::Text),
    function("startsWith", 2, Some(2), &[Param::Text], Gives::Bool),
    function("toJSON", 1, Some(1), &[Param::Any], Gives::Text),
];

pub(super) fn find(name: &str) -> Option<&'static BuiltinFunction> {
    FUNCTIONS.iter().find(|it| it.name.eq_ignore_ascii_case(name))
}

impl Param {
    pub(super) fn takes(self, given: &Type) -> bool {
        match self {
            Param::Any => true,
            Param::Text => given.is_text_like() || *given == Type::Null,
            Param::Searched | Param::Joined => !matches!(given, Type::Object(_)),
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Param::Any => "any value",
            Param::Text => "a string",
            Param::Searched => "a string or an array",
            Param::Joined => "an array",
        }
    }
}

/// The placeholders of a `format` text: those that are named, in order of their number; or what is wrong with it.
pub(super) fn format_placeholders(text: &str) -> Result<Vec<usize>, String> {
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((at, it)) = chars.next() {
        match it {
            '{' if chars.next_if(|it| it.1 == '{').is_some() => {}
            '}' if chars.next_if(|it| it.1 == '}').is_some() => {}
            '{' => {
                let rest = &text[at + 1..];
                let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let number = rest[..n_digits].parse::<usize>().ok();
                match number.filter(|_| rest[n_digits..].starts_with(['}', ':'])) {
                    Some(number) => found.push(number),
                    None => {
                        return Err("expected a number and `}` after `{`; `{{` is a brace".into());
                    }
                }
                while chars.next().is_some_and(|it| it.1 != '}') {}
            }
            '}' => return Err("found `}` without `{`; `}}` is a brace".into()),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}
