//! Names, strings, flags and literals.

use num_bigint::{BigInt, Sign};

use super::Reader;
use crate::ast::{IntSuffix, Literal, Name};
use crate::json::value::{Value, ValueId};
use crate::token::{is_type_name, is_value_name, type_name};

/// How many characters an integer literal may have, as in a text.
const MAX_DIGITS: usize = 20_000;

const VALUE_NAME: &str = "a name of a value starts with a lowercase letter or `_` and continues with letters, digits and `_`";
const TYPE_NAME: &str = "a name of a type or constructor starts with a capital and continues with letters, digits and `_`";

impl<'a> Reader<'a> {
    /// A string member that must exist.
    pub(super) fn string(&mut self, of: ValueId, key: &str) -> Option<&'a str> {
        let member = self.required(of, key)?;
        self.string_value(member)
    }

    pub(super) fn string_value(&mut self, at: ValueId) -> Option<&'a str> {
        match self.doc.get(at) {
            Value::Str(text) => Some(text),
            _ => {
                self.wrong_type(at, "a string");
                None
            }
        }
    }

    /// A string member that may be absent. The outer option is empty after a mistake.
    pub(super) fn string_if_any(&mut self, of: ValueId, key: &str) -> Option<Option<&'a str>> {
        match self.doc.member(of, key) {
            Some(member) => self.string_value(member).map(Some),
            None => Some(None),
        }
    }

    /// A flag, which is off if it is absent.
    pub(super) fn flag(&mut self, of: ValueId, key: &str) -> Option<bool> {
        let Some(member) = self.doc.member(of, key) else { return Some(false) };
        match self.doc.get(member) {
            Value::Bool(it) => Some(*it),
            _ => {
                self.wrong_type(member, "a boolean");
                None
            }
        }
    }

    pub(super) fn value_name(&mut self, of: ValueId, key: &str) -> Option<Name> {
        let at = self.required(of, key)?;
        self.name(at, is_value_name, VALUE_NAME)
    }

    pub(super) fn value_name_if_any(&mut self, of: ValueId, key: &str) -> Option<Option<Name>> {
        match self.doc.member(of, key) {
            Some(at) => self.name(at, is_value_name, VALUE_NAME).map(Some),
            None => Some(None),
        }
    }

    pub(super) fn value_name_or_wildcard(&mut self, of: ValueId, key: &str) -> Option<Name> {
        let at = self.required(of, key)?;
        self.name(at, |it| it == "_" || is_value_name(it), VALUE_NAME)
    }

    pub(super) fn type_name(&mut self, of: ValueId, key: &str) -> Option<Name> {
        let at = self.required(of, key)?;
        self.name(at, is_plain_type_name, TYPE_NAME)
    }

    /// A name of a type that may be qualified (`m.Name`).
    pub(super) fn qualified_type_name(&mut self, of: ValueId, key: &str) -> Option<Name> {
        let at = self.required(of, key)?;
        let is_legal = |text: &str| match text.rsplit_once('.') {
            Some((module, name)) => {
                module.split('.').all(is_value_name) && is_plain_type_name(name)
            }
            None => is_plain_type_name(text),
        };
        self.name(at, is_legal, TYPE_NAME)
    }

    /// The name of a type as a type expression: also one that no declaration may have.
    pub(super) fn written_type_name(&mut self, of: ValueId, key: &str) -> Option<Name> {
        match self.doc.text_member(of, key) {
            Some(text) if type_name(text) != text || text == "never" => {
                Some(Name::from(type_name(text)))
            }
            _ => self.qualified_type_name(of, key),
        }
    }

    pub(super) fn any_name(&mut self, at: ValueId) -> Option<Name> {
        self.name(
            at,
            |it| is_value_name(it) || is_plain_type_name(it),
            "a name starts with a letter or `_` and continues with letters, digits and `_`",
        )
    }

    /// A field of a record, a position of a tuple or a name of a module.
    pub(super) fn field_name(&mut self, of: ValueId, key: &str) -> Option<Name> {
        let at = self.required(of, key)?;
        if let Value::Str(text) = self.doc.get(at)
            && (text == "0"
                || (text.bytes().all(|it| it.is_ascii_digit())
                    && !text.starts_with('0')
                    && (1..=9).contains(&text.len())))
        {
            return Some(Name::from(text.as_str()));
        }
        self.any_name(at)
    }

    pub(super) fn name(
        &mut self,
        at: ValueId,
        is_legal: impl Fn(&str) -> bool,
        rule: &str,
    ) -> Option<Name> {
        let text = self.string_value(at)?;
        if is_legal(text) {
            return Some(Name::from(text));
        }
        let shown: String = text.chars().take(60).collect();
        let message = match crate::token::TokenKind::keyword(text) {
            Some(_) => format!("`{text}` is a reserved word and cannot be a name"),
            None => format!("{shown:?} cannot be a name here: {rule}"),
        };
        self.error(at, message);
        None
    }

    /// What a literal's `value` holds. A template is none of these.
    pub(super) fn literal(&mut self, at: ValueId) -> Option<Literal> {
        match self.string(at, "kind")? {
            "int" => self.int(at),
            "float" => self.float(at).map(Literal::Float),
            "string" => self.string(at, "value").map(|it| Literal::Str(it.to_owned())),
            "bool" => {
                let value = self.required(at, "value")?;
                match self.doc.get(value) {
                    Value::Bool(it) => Some(Literal::Bool(*it)),
                    _ => {
                        self.wrong_type(value, "a boolean");
                        None
                    }
                }
            }
            "unit" => Some(Literal::Unit),
            other => {
                let kinds = ["int", "float", "string", "template", "bool", "unit"];
                self.unknown_kind(at, "a literal", other, &kinds);
                None
            }
        }
    }

    fn int(&mut self, at: ValueId) -> Option<Literal> {
        let suffix = match self.string_if_any(at, "suffix")? {
            None => None,
            Some("i32") => Some(IntSuffix::I32),
            Some("i64") => Some(IntSuffix::I64),
            Some(_) => {
                let message = "the suffix of an integer is `i32` or `i64`".into();
                self.error_at_member(at, "suffix", message);
                return None;
            }
        };
        let value = self.required(at, "value")?;
        let text = match self.doc.get(value) {
            Value::Str(text) => text.as_str(),
            Value::Number(text) => text.as_str(),
            _ => {
                self.wrong_type(value, "decimal digits in a string");
                return None;
            }
        };
        if text.len() > MAX_DIGITS {
            self.error(value, format!("an integer has at most {MAX_DIGITS} digits"));
            return None;
        }
        match parse_int(text) {
            Some(value) => Some(Literal::Int { value, suffix }),
            None => {
                let message = "not an integer: expected decimal digits, `0x…` or `0b…`".into();
                self.error(value, message);
                None
            }
        }
    }

    fn float(&mut self, at: ValueId) -> Option<f64> {
        let value = self.required(at, "value")?;
        let Value::Number(text) = self.doc.get(value) else {
            self.wrong_type(value, "a number");
            return None;
        };
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Some(number),
            _ => {
                self.error(value, "the number is too large for a `Float`".into());
                None
            }
        }
    }
}

fn is_plain_type_name(text: &str) -> bool {
    is_type_name(text) && type_name(text) == text
}

fn parse_int(text: &str) -> Option<BigInt> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (digits, radix) = match digits.get(..2) {
        Some("0x" | "0X") => (&digits[2..], 16),
        Some("0b" | "0B") => (&digits[2..], 2),
        _ => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|it| it.is_digit(radix)) {
        return None;
    }
    let value = BigInt::parse_bytes(digits.as_bytes(), radix)?;
    Some(if is_negative { -value } else { value })
}

/// The literal without its sign, and whether it had one. Only patterns hold negative numbers.
pub(super) fn split_sign(literal: Literal) -> (bool, Literal) {
    match literal {
        Literal::Int { value, suffix } if value.sign() == Sign::Minus => {
            (true, Literal::Int { value: -value, suffix })
        }
        Literal::Float(value) if value.is_sign_negative() => (true, Literal::Float(-value)),
        other => (false, other),
    }
}
