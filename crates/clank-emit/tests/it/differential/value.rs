//! The values of the interpreter: how they are shown, compared and ordered.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;

use clank_syntax::ast::{ExprId, Name, NodeId};
use num_bigint::BigInt;

/// A value. A part is changed by making a new value around it, so nothing is shared that can be seen.
#[derive(Clone)]
pub(super) enum Value {
    Int(BigInt),
    Float(f64),
    Bool(bool),
    Str(Rc<str>),
    Unit,
    Array(Rc<Vec<Value>>),
    Tuple(Rc<Vec<Value>>),
    /// An anonymous record has no name.
    Record(Option<Name>, Rc<Vec<(Name, Value)>>),
    Variant(Name, Rc<Vec<Value>>),
    Map(Rc<Vec<(Value, Value)>>),
    Set(Rc<Vec<Value>>),
    Function(Function),
}

/// What can be called.
#[derive(Clone)]
pub(super) enum Function {
    Declared(Name),
    Builtin(Name),
    /// A constructor of a variant or record.
    Constructor(Name),
    Lambda {
        node: NodeId,
        params: Rc<Vec<Name>>,
        body: ExprId,
        scope: Scope,
    },
}

/// Names in scope, the innermost last. A binding is a cell because lambdas see the variable.
#[derive(Clone, Default)]
pub(super) struct Scope(Option<Rc<Binding>>);

struct Binding {
    name: Name,
    value: RefCell<Value>,
    outer: Scope,
}

impl Scope {
    pub(super) fn bind(&mut self, name: &Name, value: Value) {
        let outer = self.clone();
        self.0 = Some(Rc::new(Binding { name: name.clone(), value: RefCell::new(value), outer }));
    }

    pub(super) fn get(&self, name: &str) -> Option<Value> {
        self.find(name).map(|it| it.value.borrow().clone())
    }

    pub(super) fn set(&self, name: &str, value: Value) {
        let binding = self.find(name).expect("only locals are assigned to");
        *binding.value.borrow_mut() = value;
    }

    fn find(&self, name: &str) -> Option<&Binding> {
        let mut scope = self;
        while let Some(binding) = &scope.0 {
            if binding.name == name {
                return Some(binding);
            }
            scope = &binding.outer;
        }
        None
    }
}

impl Value {
    pub(super) fn str(text: &str) -> Value {
        Value::Str(text.into())
    }

    pub(super) fn array(items: Vec<Value>) -> Value {
        Value::Array(Rc::new(items))
    }

    pub(super) fn variant(name: &str, fields: Vec<Value>) -> Value {
        Value::Variant(Name::new(name), Rc::new(fields))
    }

    pub(super) fn option(value: Option<Value>) -> Value {
        match value {
            Some(value) => Value::variant("Some", vec![value]),
            None => Value::variant("None", Vec::new()),
        }
    }

    pub(super) fn truth(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    pub(super) fn int(&self) -> &BigInt {
        match self {
            Value::Int(it) => it,
            other => unreachable!("{} is no integer", other.show()),
        }
    }

    pub(super) fn items(&self) -> &[Value] {
        match self {
            Value::Array(it) | Value::Tuple(it) | Value::Set(it) | Value::Variant(_, it) => it,
            other => unreachable!("{} has no items", other.show()),
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Value::Str(it) => it,
            other => unreachable!("{} is no text", other.show()),
        }
    }

    /// `to_string`, row 43: a string as it is, anything else as it is written in Clank.
    pub(super) fn show(&self) -> String {
        match self {
            Value::Str(it) => it.to_string(),
            other => other.literal(),
        }
    }

    fn literal(&self) -> String {
        match self {
            Value::Int(it) => it.to_string(),
            Value::Float(it) => show_float(*it),
            Value::Bool(it) => it.to_string(),
            Value::Str(it) => quote(it),
            Value::Unit => "()".to_owned(),
            Value::Array(items) => format!("[{}]", list(items)),
            Value::Tuple(items) if items.len() == 1 => format!("({},)", list(items)),
            Value::Tuple(items) => format!("({})", list(items)),
            Value::Variant(name, fields) if fields.is_empty() => name.to_string(),
            Value::Variant(name, fields) => format!("{name}({})", list(fields)),
            Value::Map(entries) => {
                let shown: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("({}, {})", key.literal(), value.literal()))
                    .collect();
                format!("map_from([{}])", shown.join(", "))
            }
            Value::Set(items) => format!("set_from([{}])", list(items)),
            Value::Function(_) => "<function>".to_owned(),
            Value::Record(name, fields) => {
                let head = name.as_ref().map(|it| format!("{it} ")).unwrap_or_default();
                if fields.is_empty() {
                    return format!("{head}{{}}");
                }
                let shown: Vec<String> =
                    fields.iter().map(|(name, it)| format!("{name}: {}", it.literal())).collect();
                format!("{head}{{ {} }}", shown.join(", "))
            }
        }
    }

    /// Row 13. `None` if functions are compared.
    pub(super) fn equals(&self, other: &Value) -> Option<bool> {
        Some(match (self, other) {
            (Value::Int(one), Value::Int(two)) => one == two,
            (Value::Float(one), Value::Float(two)) => one == two,
            (Value::Bool(one), Value::Bool(two)) => one == two,
            (Value::Str(one), Value::Str(two)) => one == two,
            (Value::Unit, Value::Unit) => true,
            (Value::Array(one), Value::Array(two)) | (Value::Tuple(one), Value::Tuple(two)) => {
                all_equal(one, two)?
            }
            (Value::Variant(one, left), Value::Variant(two, right)) => {
                one == two && all_equal(left, right)?
            }
            (Value::Record(_, one), Value::Record(_, two)) => {
                let mut same = one.len() == two.len();
                for (name, value) in one.iter() {
                    let other = two.iter().find(|it| it.0 == *name);
                    same = same && matches!(other, Some(it) if value.equals(&it.1)?);
                }
                same
            }
            (Value::Set(one), Value::Set(two)) => {
                one.len() == two.len() && one.iter().all(|it| position(two, it).is_some())
            }
            (Value::Map(one), Value::Map(two)) => {
                let same = |it: &(Value, Value)| {
                    let other = two.iter().find(|other| other.0.equals(&it.0) == Some(true));
                    other.is_some_and(|other| other.1.equals(&it.1) == Some(true))
                };
                one.len() == two.len() && one.iter().all(same)
            }
            (Value::Function(_), _) => return None,
            _ => false,
        })
    }

    /// The order of `sort` and `compare`. `None` if there is none.
    pub(super) fn rank(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Int(one), Value::Int(two)) => Some(one.cmp(two)),
            (Value::Float(one), Value::Float(two)) => {
                Some(one.partial_cmp(two).unwrap_or_else(|| one.is_nan().cmp(&two.is_nan())))
            }
            (Value::Bool(one), Value::Bool(two)) => Some(one.cmp(two)),
            (Value::Str(one), Value::Str(two)) => Some(one.chars().cmp(two.chars())),
            (Value::Array(one), Value::Array(two)) | (Value::Tuple(one), Value::Tuple(two)) => {
                for (one, two) in one.iter().zip(two.iter()) {
                    let ranked = one.rank(two)?;
                    if ranked.is_ne() {
                        return Some(ranked);
                    }
                }
                Some(one.len().cmp(&two.len()))
            }
            _ => None,
        }
    }
}

/// Where an equal value is.
pub(super) fn position(items: &[Value], item: &Value) -> Option<usize> {
    items.iter().position(|it| it.equals(item) == Some(true))
}

fn all_equal(left: &[Value], right: &[Value]) -> Option<bool> {
    if left.len() != right.len() {
        return Some(false);
    }
    for (one, two) in left.iter().zip(right) {
        if !one.equals(two)? {
            return Some(false);
        }
    }
    Some(true)
}

fn list(items: &[Value]) -> String {
    items.iter().map(Value::literal).collect::<Vec<_>>().join(", ")
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\0' => quoted.push_str("\\0"),
            '"' | '\\' => quoted.extend(['\\', char]),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// The shortest digits that read back as the same number, laid out as JavaScript does, with a point.
pub(super) fn show_float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let scientific = format!("{:e}", number.abs());
    let (digits, exponent) = scientific.split_once('e').expect("that is the format");
    let digits = digits.replace('.', "");
    let exponent: i32 = exponent.parse().expect("that is the format");
    let point = exponent + 1;
    let count = digits.len() as i32;
    let shown = if count <= point && point <= 21 {
        format!("{digits}{}.0", "0".repeat((point - count) as usize))
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(point as usize);
        format!("{whole}.{fraction}")
    } else if -6 < point && point <= 0 {
        format!("0.{}{digits}", "0".repeat(-point as usize))
    } else {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        format!("{first}.{rest}e{exponent}")
    };
    format!("{sign}{shown}")
}
