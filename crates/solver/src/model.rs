//! Values for atoms, and what terms are under them.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

use crate::term::{Node, Sort, Term, Terms};

/// The most bits of a number that evaluating makes.
const MAX_BITS: u64 = 1 << 16;

/// What a term is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// A number.
    Int(BigInt),
    /// True or false.
    Bool(bool),
    /// One of endlessly many things. A constant is its own number.
    Other(u32),
}

/// The results of functions, by number, sort and arguments.
type Functions = BTreeMap<(u32, Sort, Vec<Value>), Value>;

/// Values of atoms, and of functions at some arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    values: BTreeMap<Term, Value>,
    functions: Functions,
}

impl Model {
    /// The values of atoms and applications. Each function has one value for the same arguments: the first one counts.
    pub fn new(terms: &Terms, values: impl IntoIterator<Item = (Term, Value)>) -> Model {
        let mut model = Model { values: values.into_iter().collect(), functions: BTreeMap::new() };
        let mut evaluation = Evaluation::new(terms, &model.values);
        let mut functions = Functions::new();
        for (term, value) in &model.values {
            if let Node::Apply(function, args, sort) = terms.node(*term) {
                let args: Option<Vec<Value>> =
                    args.iter().map(|arg| evaluation.value(*arg)).collect();
                if let Some(args) = args {
                    functions.entry((*function, *sort, args)).or_insert_with(|| value.clone());
                }
            }
        }
        model.functions = functions;
        model
    }

    /// Forgets the values of terms that are none of these.
    pub(crate) fn forget_unknown(&mut self, terms: &Terms) {
        self.values.retain(|term, _| terms.contains(*term));
    }

    /// The value of an atom or an application that the model says something about.
    pub fn value(&self, term: Term) -> Option<&Value> {
        self.values.get(&term)
    }

    /// All atoms and applications that have a value.
    pub fn values(&self) -> impl Iterator<Item = (Term, &Value)> {
        self.values.iter().map(|(term, value)| (*term, value))
    }
}

/// What the term is under the model. Atoms that have no value are zero, false, or a value of their own. Nothing if a number
/// on the way is too long to compute.
///
/// ```
/// use solver::{Model, Sort, Terms, Value, evaluate};
///
/// let mut terms = Terms::new();
/// let (x, two) = (terms.atom(0, Sort::Int), terms.int(2));
/// let sum = terms.add(x, two);
/// let model = Model::new(&terms, [(x, Value::Int(5.into()))]);
/// assert_eq!(evaluate(&terms, sum, &model), Some(Value::Int(7.into())));
/// ```
pub fn evaluate(terms: &Terms, term: Term, model: &Model) -> Option<Value> {
    let mut evaluation = Evaluation::new(terms, &model.values);
    evaluation.functions = Some(&model.functions);
    evaluation.value(term)
}

/// Values of terms, each computed once.
pub(crate) struct Evaluation<'a> {
    terms: &'a Terms,
    given: &'a BTreeMap<Term, Value>,
    /// Where applications get their values; without it, each from `given`.
    functions: Option<&'a Functions>,
    known: FxHashMap<Term, Option<Value>>,
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(terms: &'a Terms, given: &'a BTreeMap<Term, Value>) -> Evaluation<'a> {
        Evaluation { terms, given, functions: None, known: FxHashMap::default() }
    }

    pub(crate) fn of_model(terms: &'a Terms, model: &'a Model) -> Evaluation<'a> {
        Evaluation { functions: Some(&model.functions), ..Evaluation::new(terms, &model.values) }
    }

    pub(crate) fn value(&mut self, term: Term) -> Option<Value> {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            if self.known.contains_key(&next) {
                open.pop();
                continue;
            }
            let before = open.len();
            open.extend(
                self.terms.parts(next).into_iter().filter(|part| !self.known.contains_key(part)),
            );
            if open.len() == before {
                let value = self.computed(next).filter(|value| !is_too_long(value));
                self.known.insert(next, value);
                open.pop();
            }
        }
        self.known.get(&term).cloned().flatten()
    }

    fn part(&self, term: Term) -> Option<&Value> {
        self.known.get(&term).and_then(Option::as_ref)
    }

    fn int(&self, term: Term) -> Option<&BigInt> {
        match self.part(term)? {
            Value::Int(value) => Some(value),
            Value::Bool(_) | Value::Other(_) => None,
        }
    }

    fn bool(&self, term: Term) -> Option<bool> {
        match self.part(term)? {
            Value::Bool(value) => Some(*value),
            Value::Int(_) | Value::Other(_) => None,
        }
    }

    /// The value of a term whose parts are known.
    fn computed(&self, term: Term) -> Option<Value> {
        Some(match self.terms.node(term) {
            Node::Bool(value) => Value::Bool(*value),
            Node::Int(value) => Value::Int(value.clone()),
            Node::Constant(number) => Value::Other(*number),
            Node::Atom(number, sort) => {
                self.given.get(&term).cloned().unwrap_or_else(|| default(*sort, *number))
            }
            Node::Apply(function, args, sort) => {
                let given = match self.functions {
                    Some(functions) => {
                        let args = args
                            .iter()
                            .map(|arg| self.part(*arg).cloned())
                            .collect::<Option<Vec<Value>>>()?;
                        functions.get(&(*function, *sort, args))
                    }
                    None => self.given.get(&term),
                };
                given.cloned().unwrap_or_else(|| default(*sort, 0))
            }
            Node::Sum(linear) => {
                let mut sum = linear.constant.clone();
                for (part, by) in &linear.parts {
                    sum += by * self.int(*part)?;
                }
                Value::Int(sum)
            }
            Node::Product(factors) => {
                let mut product = BigInt::one();
                for factor in factors {
                    product *= self.int(*factor)?;
                    if product.bits() > MAX_BITS {
                        return None;
                    }
                }
                Value::Int(product)
            }
            Node::Div(a, b) | Node::Rem(a, b) if self.int(*b)?.is_zero() => {
                self.int(*a)?;
                self.given.get(&term).cloned().unwrap_or_else(|| default(Sort::Int, 0))
            }
            Node::Div(a, b) => Value::Int(self.int(*a)? / self.int(*b)?),
            Node::Rem(a, b) => Value::Int(self.int(*a)? % self.int(*b)?),
            Node::Le(a, b) => Value::Bool(self.int(*a)? <= self.int(*b)?),
            Node::Eq(a, b) => Value::Bool(self.part(*a)? == self.part(*b)?),
            Node::Not(a) => Value::Bool(!self.bool(*a)?),
            Node::And(parts) => Value::Bool(self.count(parts, true)? == parts.len()),
            Node::Or(parts) => Value::Bool(self.count(parts, true)? > 0),
            Node::Ite(condition, a, b) => {
                self.part(if self.bool(*condition)? { *a } else { *b })?.clone()
            }
        })
    }

    fn count(&self, parts: &[Term], wanted: bool) -> Option<usize> {
        parts
            .iter()
            .try_fold(0, |count, part| Some(count + usize::from(self.bool(*part)? == wanted)))
    }
}

fn is_too_long(value: &Value) -> bool {
    matches!(value, Value::Int(value) if value.bits() > MAX_BITS)
}

fn default(sort: Sort, number: u32) -> Value {
    match sort {
        Sort::Int => Value::Int(BigInt::zero()),
        Sort::Bool => Value::Bool(false),
        // Constants are numbered from below.
        Sort::Other => Value::Other(u32::MAX / 2 + number % (u32::MAX / 2)),
    }
}
