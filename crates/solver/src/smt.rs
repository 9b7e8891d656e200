//! Questions as SMT-LIB text for another solver, and what its reply says. Only text: nothing is started here.
//!
//! What the other solver says is impossible is believed. Values that it gives are not: they are put back into every claim
//! first, as those of our own search are.

mod reply;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use num_bigint::BigInt;
use num_traits::Signed;

use crate::model::{Evaluation, Model, Value};
use crate::term::{Node, Sort, Term, Terms};

/// What every question may mention. Division rounds toward zero here and down in SMT-LIB; by zero it is some number, the
/// same for the same operands.
pub const DEFINITIONS: &str = "\
(declare-sort U 0)
(declare-fun div0 (Int) Int)
(declare-fun rem0 (Int) Int)
(define-fun tdiv ((a Int) (b Int)) Int
  (ite (= b 0) (div0 a) (ite (>= a 0) (div a b) (- (div (- a) b)))))
(define-fun trem ((a Int) (b Int)) Int
  (ite (= b 0) (rem0 a) (ite (>= a 0) (mod a b) (- (mod (- a) b)))))
";

/// The most terms that a question is written with.
const MAX_TERMS: usize = 20_000;

/// A question to another solver: can all of these be true together?
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Query {
    text: String,
    claims: Vec<Term>,
    /// The terms whose values are asked for, in the order in which they are.
    asked: Vec<Term>,
}

/// What another solver says about a [`Query`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// They contradict one another.
    Impossible,
    /// They can be true together, for these values, under which every claim was evaluated.
    Possible(Model),
    /// It does not know, or what it says could not be confirmed.
    Unknown,
}

impl Query {
    /// Asks whether all claims can be true together. Nothing if one is not a claim, or they are too large.
    ///
    /// ```
    /// use solver::smt::Query;
    /// use solver::{Sort, Terms};
    ///
    /// let mut terms = Terms::new();
    /// let (x, zero) = (terms.atom(0, Sort::Int), terms.int(0));
    /// let claim = terms.lt(x, zero);
    /// let query = Query::new(&terms, &[claim]).expect("it is a claim, and small");
    /// assert!(query.text().contains("(check-sat)"));
    /// ```
    pub fn new(terms: &Terms, claims: &[Term]) -> Option<Query> {
        if claims.iter().any(|it| terms.sort(*it) != Sort::Bool) {
            return None;
        }
        let used = used(terms, claims)?;
        let names: BTreeMap<Term, String> =
            used.iter().enumerate().map(|(place, term)| (*term, format!("t{place}"))).collect();
        let mut text = String::from("(set-logic ALL)\n");
        text.push_str(DEFINITIONS);
        let script = Script { terms, names: &names };
        script.declare_functions(&used, &mut text);
        script.define_terms(&used, &mut text);
        for claim in claims {
            let _ = writeln!(text, "(assert {})", names[claim]);
        }
        text.push_str("(check-sat)\n");
        let asked: Vec<Term> = used.into_iter().filter(|it| is_open(terms, *it)).collect();
        if !asked.is_empty() {
            let names: Vec<&str> = asked.iter().map(|it| names[it].as_str()).collect();
            let _ = writeln!(text, "(get-value ({}))", names.join(" "));
        }
        Some(Query { text, claims: claims.to_vec(), asked })
    }

    /// The commands. They are a whole script: nothing may be declared before them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the reply to the commands says. `terms` are those that the question was made of.
    pub fn answer(&self, terms: &Terms, reply: &str) -> Answer {
        let (verdict, rest) = reply.trim_start().split_once('\n').unwrap_or((reply.trim(), ""));
        match verdict.trim() {
            "unsat" => Answer::Impossible,
            "sat" => self.confirmed(terms, rest).map_or(Answer::Unknown, Answer::Possible),
            _ => Answer::Unknown,
        }
    }

    fn confirmed(&self, terms: &Terms, values: &str) -> Option<Model> {
        let values = match self.asked.is_empty() {
            true => Vec::new(),
            false => reply::values(values)?,
        };
        let values = reply::read(terms, &self.asked, &values)?;
        let model = Model::new(terms, values);
        let mut evaluation = Evaluation::of_model(terms, &model);
        let is_true = |it: &Term| evaluation.value(*it) == Some(Value::Bool(true));
        self.claims.iter().all(is_true).then_some(model)
    }
}

/// Whether its value does not follow from those of its parts.
fn is_open(terms: &Terms, term: Term) -> bool {
    match terms.node(term) {
        Node::Constant(_) | Node::Atom(..) | Node::Apply(..) => true,
        Node::Div(_, by) | Node::Rem(_, by) => !matches!(terms.node(*by), Node::Int(_)),
        _ => false,
    }
}

/// All terms that occur, each after its parts.
fn used(terms: &Terms, claims: &[Term]) -> Option<Vec<Term>> {
    let mut found = std::collections::BTreeSet::new();
    let mut open = claims.to_vec();
    while let Some(term) = open.pop() {
        if found.insert(term) {
            open.extend(terms.parts(term));
        }
        if found.len() > MAX_TERMS {
            return None;
        }
    }
    Some(found.into_iter().collect())
}

struct Script<'a> {
    terms: &'a Terms,
    names: &'a BTreeMap<Term, String>,
}

impl Script<'_> {
    /// Functions are known by their number and by what they take and give.
    fn declare_functions(&self, used: &[Term], text: &mut String) {
        let mut functions: BTreeMap<String, String> = BTreeMap::new();
        for term in used {
            if let Node::Apply(function, args, sort) = self.terms.node(*term) {
                let sorts: Vec<&str> =
                    args.iter().map(|it| sort_name(self.terms.sort(*it))).collect();
                let declaration = format!("({}) {}", sorts.join(" "), sort_name(*sort));
                functions.insert(self.function(*function, args, *sort), declaration);
            }
        }
        for (name, declaration) in functions {
            let _ = writeln!(text, "(declare-fun {name} {declaration})");
        }
    }

    fn function(&self, function: u32, args: &[Term], sort: Sort) -> String {
        let letter = |sort| match sort {
            Sort::Int => 'i',
            Sort::Bool => 'b',
            Sort::Other => 'u',
        };
        let args: String = args.iter().map(|it| letter(self.terms.sort(*it))).collect();
        format!("f{function}_{args}_{}", letter(sort))
    }

    /// Every term has a name, so that one that occurs often is written once.
    fn define_terms(&self, used: &[Term], text: &mut String) {
        let mut constants = Vec::new();
        for term in used {
            let (name, sort) = (&self.names[term], sort_name(self.terms.sort(*term)));
            let _ = match self.terms.node(*term) {
                Node::Atom(..) => writeln!(text, "(declare-const {name} {sort})"),
                Node::Constant(_) => {
                    constants.push(name.as_str());
                    writeln!(text, "(declare-const {name} {sort})")
                }
                node => writeln!(text, "(define-fun {name} () {sort} {})", self.meaning(node)),
            };
        }
        if constants.len() > 1 {
            let _ = writeln!(text, "(assert (distinct {}))", constants.join(" "));
        }
    }

    fn meaning(&self, node: &Node) -> String {
        let list = |head: &str, parts: &[Term], none: &str| match parts {
            [] => none.to_owned(),
            [one] => self.names[one].clone(),
            all => applied(head, all.iter().map(|it| self.names[it].clone())),
        };
        let pair = |head: &str, a: &Term, b: &Term| list(head, &[*a, *b], "");
        match node {
            Node::Bool(value) => value.to_string(),
            Node::Int(value) => number(value),
            // They are declared, not defined.
            Node::Constant(_) | Node::Atom(..) => String::new(),
            Node::Apply(function, args, sort) => {
                let name = self.function(*function, args, *sort);
                match args.is_empty() {
                    true => name,
                    false => applied(&name, args.iter().map(|it| self.names[it].clone())),
                }
            }
            Node::Sum(linear) => {
                let parts = linear.parts.iter().map(|(term, by)| {
                    applied("*", [number(by), self.names[term].clone()].into_iter())
                });
                applied("+", [number(&linear.constant)].into_iter().chain(parts))
            }
            Node::Product(factors) => list("*", factors, "1"),
            Node::Div(a, b) => pair("tdiv", a, b),
            Node::Rem(a, b) => pair("trem", a, b),
            Node::Le(a, b) => pair("<=", a, b),
            Node::Eq(a, b) => pair("=", a, b),
            Node::Not(a) => format!("(not {})", self.names[a]),
            Node::And(parts) => list("and", parts, "true"),
            Node::Or(parts) => list("or", parts, "false"),
            Node::Ite(c, a, b) => list("ite", &[*c, *a, *b], ""),
        }
    }
}

fn applied(head: &str, parts: impl Iterator<Item = String>) -> String {
    format!("({head} {})", parts.collect::<Vec<_>>().join(" "))
}

/// A number as it is written there: there are no negative ones.
pub(crate) fn number(value: &BigInt) -> String {
    if value.is_negative() { format!("(- {})", value.magnitude()) } else { value.to_string() }
}

fn sort_name(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "Int",
        Sort::Bool => "Bool",
        Sort::Other => "U",
    }
}

#[cfg(test)]
mod tests;
