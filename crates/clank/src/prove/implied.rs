//! Whether one predicate implies another, for types inside types (row 40).
//!
//! Nothing inside a value is checked when the program runs, so what is expected there must follow from what is known of
//! every value of the type. Only predicates over integers and lengths are understood here, about their value alone.

use clank_syntax::ast::{Ast, BinaryOp, Builder, Expr, ExprId, Literal, Name, Source, UnaryOp};
use clank_syntax::{Fragment, Span, parse_fragment, with_stack};
use solver::{Limits, Sort, Term, Terms, Verdict, decide};

use super::symbols::sort;
use crate::ty::{Meaning, Predicate, Prim, Ty};

/// The longest predicate that is looked at, in bytes.
const MAX_TEXT: usize = 2_000;
/// How much work one question may take.
const STEPS: u64 = 50_000;
/// The unknown that stands for the value.
const VALUE: u32 = 0;
/// The length of the value.
const LENGTH: u32 = 1;

/// Whether every value of a type with the base `base` and these predicates satisfies `wanted`; without it, whether it is
/// at least 0.
pub(crate) fn follows(base: &Ty, known: &[Predicate], wanted: Option<&Predicate>) -> bool {
    let mut terms = Terms::new();
    let is_array = matches!(base.base(), Ty::Array(_));
    let value = terms.atom(VALUE, sort(base));
    let zero = terms.int(0);
    let mut facts = Vec::new();
    let is_natural = matches!(base.base(), Ty::Prim(Prim::Nat));
    if is_natural {
        facts.push(terms.ge(value, zero));
    }
    // A module may have another function of that name.
    let len = Meaning::Global(Name::default(), Name::new_static("len"));
    let has_len = |it: &Predicate| {
        is_array && it.names.iter().any(|(name, meaning)| name == "len" && *meaning == len)
    };
    facts.extend(known.iter().filter_map(|it| read(&mut terms, it, value, has_len(it))));
    let goal = match wanted {
        Some(wanted) => read(&mut terms, wanted, value, has_len(wanted)),
        None if terms.sort(value) == Sort::Int => Some(terms.ge(value, zero)),
        None => None,
    };
    goal.is_some_and(|goal| {
        decide(&mut terms, &facts, goal, &Limits { steps: STEPS }) == Verdict::Discharged
    })
}

/// A predicate about the value; `None` if there is more in it than is understood.
fn read(terms: &mut Terms, predicate: &Predicate, value: Term, has_len: bool) -> Option<Term> {
    if predicate.text.len() > MAX_TEXT {
        return None;
    }
    let mut builder = Builder::new(Source { file: String::new(), text: String::new() });
    let node = parse_fragment(&mut builder, "", &predicate.text, Fragment::Expr).ok()?;
    let ast = builder.finish(Vec::new(), Span::default()).ok()?;
    let expr = ExprId::of(&ast, node)?;
    let reader = Reader { ast: &ast, variable: &predicate.variable, value, has_len };
    let term = reader.term(terms, expr)?;
    (terms.sort(term) == Sort::Bool).then_some(term)
}

struct Reader<'a> {
    ast: &'a Ast,
    variable: &'a Name,
    value: Term,
    has_len: bool,
}

impl Reader<'_> {
    fn term(&self, terms: &mut Terms, expr: ExprId) -> Option<Term> {
        with_stack(|| match self.ast.expr(expr) {
            Expr::Literal(Literal::Int { value, .. }) => Some(terms.int(value.clone())),
            Expr::Literal(Literal::Bool(value)) => Some(terms.bool(*value)),
            Expr::Ident { name } => (name == self.variable).then_some(self.value),
            Expr::Unary { op, operand } => {
                let operand = self.term(terms, *operand)?;
                match (op, terms.sort(operand)) {
                    (UnaryOp::Neg, Sort::Int) => Some(terms.neg(operand)),
                    (UnaryOp::Not, Sort::Bool) => Some(terms.not(operand)),
                    _ => None,
                }
            }
            Expr::Call { callee, args } => {
                let is_len =
                    matches!(self.ast.expr(*callee), Expr::Ident { name } if name == "len");
                let [arg] = &args[..] else { return None };
                let arg = self.term(terms, *arg)?;
                let fits = is_len && self.has_len && arg == self.value;
                fits.then(|| terms.apply(LENGTH, &[arg], Sort::Int))
            }
            Expr::Binary { op, left, right } => {
                let (left, right) = (self.term(terms, *left)?, self.term(terms, *right)?);
                binary(terms, *op, left, right)
            }
            _ => None,
        })
    }
}

fn binary(terms: &mut Terms, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
    let sorts = (terms.sort(a), terms.sort(b));
    match (op, sorts) {
        (BinaryOp::And, (Sort::Bool, Sort::Bool)) => return Some(terms.and(&[a, b])),
        (BinaryOp::Or, (Sort::Bool, Sort::Bool)) => return Some(terms.or(&[a, b])),
        (_, (Sort::Int, Sort::Int)) => {}
        _ => return None,
    }
    Some(match op {
        BinaryOp::Eq => terms.eq(a, b),
        BinaryOp::Ne => terms.ne(a, b),
        BinaryOp::Lt => terms.lt(a, b),
        BinaryOp::Le => terms.le(a, b),
        BinaryOp::Gt => terms.gt(a, b),
        BinaryOp::Ge => terms.ge(a, b),
        BinaryOp::Add => terms.add(a, b),
        BinaryOp::Sub => terms.sub(a, b),
        BinaryOp::Mul => terms.mul(a, b),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::codes;

    /// Row 40: arrays are covariant, functions contravariant in what they take; what does not follow is E3001.
    #[test]
    fn nested_predicates_must_follow() {
        let accepted = [
            "fn f(xs: [Int{v | v > 5}]) -> [Int{n | n > 0}] { xs }\n",
            "fn f(xs: [Int{v | v > 5}]) -> [Nat] { xs }\n",
            "fn f(xs: [Nat]) -> [Int{n | n > -1}] { xs }\n",
            "fn f(xs: [[Int]{v | len(v) > 2}]) -> [[Int]{v | len(v) != 0}] { xs }\n",
            "fn g(h: (Int{v | v > 5}) -> Int) -> Int { h(9) }\nfn f(k: (Int{n | n > 0}) -> Int) -> Int { g(k) }\n",
        ];
        for text in accepted {
            assert_eq!(codes(text), [""; 0], "{text}");
        }
        let refused = [
            "fn f(xs: [Int{v | v > 0}]) -> [Int{n | n > 5}] { xs }\n",
            "fn f(xs: [Int]) -> [Nat] { xs }\n",
            "fn g(h: (Int{v | v > 0}) -> Int) -> Int { h(9) }\nfn f(k: (Int{n | n > 5}) -> Int) -> Int { g(k) }\n",
        ];
        for text in refused {
            let found = codes(text);
            assert!(found.iter().any(|it| it.starts_with("E3001")), "{found:?} {text}");
        }
    }
}
