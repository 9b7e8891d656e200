//! Values as terms of the solver.
//!
//! A value is what it was computed from: names are gone, so nothing can be confused with another thing of the same name,
//! and what is assigned gets a new term while the old one keeps its meaning (row 24). How a composed value was made is
//! remembered, so that reading a part of it gives the part itself.

use std::rc::Rc;

use clank_syntax::ast::Name;
use num_bigint::BigInt;
use rustc_hash::{FxHashMap, FxHashSet};
use solver::{Sort, Term, TermKind, Terms};

use crate::ty::{Prim, Ty, TypeKey};

/// Arrays that are written out with at most so many elements are known element by element.
const MAX_ELEMENTS: usize = 8;
/// How many alternatives and changes are looked through to find a part.
const MAX_DEPTH: u32 = 12;
/// How many alternatives may be nested in each other before a value counts as unknown.
const MAX_NESTED: u32 = 8;

/// How many applications may be inside each other before the result counts as unknown.
const MAX_APPLIED: u32 = 12;

/// What an application is of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum FunctionSymbol {
    Len,
    Index,
    Field(Name),
    Tag,
    Payload(u32, u32),
    /// A composed value, from its parts.
    Tuple,
    Record(Rc<[Name]>),
    Array,
    Variant(TypeKey, u32),
    Store,
    Range,
    /// A function of a module.
    Call(Name, Name),
    Builtin(Name),
    /// An operation that nothing is known about, by its sign.
    Operation(&'static str),
    /// A number that is not an integer, by its bits.
    Float(u64),
}

/// How a composed value was made.
#[derive(Clone, Debug)]
enum Composite {
    Tuple(Rc<[Term]>),
    Record(Rc<[(Name, Term)]>),
    Array(Rc<[Term]>),
    Variant(u32, Rc<[Term]>),
    /// The first with the last at the index.
    Store(Term, Term, Term),
    /// The first with one more element.
    Push(Term, Term),
    /// The integers from the first up.
    Range(Term),
}

/// All values of one declaration.
#[derive(Default)]
pub(super) struct Symbols {
    pub(super) terms: Terms,
    functions: FxHashMap<(FunctionSymbol, Vec<Sort>, Sort), u32>,
    by_number: Vec<FunctionSymbol>,
    n_atoms: u32,
    texts: FxHashMap<String, u32>,
    shapes: FxHashMap<Term, Composite>,
    lengths: FxHashMap<Term, Term>,
    parts: FxHashMap<(Term, FunctionSymbol), Term>,
    /// Unknowns that only a run decides.
    open: FxHashSet<Term>,
    /// What holds of a term wherever it occurs.
    axioms: FxHashMap<Term, Vec<Term>>,
    /// How deeply alternatives are nested in a term that joined two.
    nested: FxHashMap<Term, u32>,
    /// How many applications are inside each other in one.
    depths: FxHashMap<Term, u32>,
}

/// What a value of a type is to the solver.
pub(super) fn sort(ty: &Ty) -> Sort {
    match ty.base() {
        Ty::Prim(prim) if prim.is_integer() => Sort::Int,
        Ty::Prim(Prim::Bool) => Sort::Bool,
        _ => Sort::Other,
    }
}

impl Symbols {
    /// An unknown that the one who runs the program chooses: a parameter.
    pub(super) fn given(&mut self, sort: Sort) -> Term {
        self.n_atoms += 1;
        self.terms.atom(self.n_atoms, sort)
    }

    /// An unknown that only a run decides: what a loop left, what a call gave.
    pub(super) fn unknown(&mut self, sort: Sort) -> Term {
        let term = self.given(sort);
        self.open.insert(term);
        term
    }

    /// Whether only a run decides what it is: an open unknown, a call, or a product.
    pub(super) fn is_open(&self, term: Term) -> bool {
        match self.terms.kind(term) {
            TermKind::Atom(_) => self.open.contains(&term),
            TermKind::Apply(number, _) => match self.by_number.get(number as usize) {
                Some(
                    FunctionSymbol::Call(..)
                    | FunctionSymbol::Builtin(_)
                    | FunctionSymbol::Operation(_),
                )
                | None => true,
                Some(_) => false,
            },
            TermKind::Product(_) => true,
            TermKind::Div(_, by) | TermKind::Rem(_, by) => {
                !matches!(self.terms.kind(by), TermKind::Int(_))
            }
            _ => false,
        }
    }

    pub(super) fn unit(&mut self) -> Term {
        self.terms.constant(0)
    }

    pub(super) fn text(&mut self, text: &str) -> Term {
        let next = self.texts.len() as u32 + 1;
        let number = *self.texts.entry(text.to_owned()).or_insert(next);
        self.terms.constant(number)
    }

    pub(super) fn int(&mut self, value: impl Into<BigInt>) -> Term {
        self.terms.int(value)
    }

    /// The result of a function that gives the same for the same.
    pub(super) fn apply(&mut self, function: FunctionSymbol, args: &[Term], sort: Sort) -> Term {
        let depth = args.iter().map(|it| self.depth(*it)).max().unwrap_or(0) + 1;
        if depth > MAX_APPLIED {
            return self.unknown(sort);
        }
        let term = self.applied(function, args, sort);
        self.depths.insert(term, depth);
        term
    }

    /// How many applications are inside each other in a term.
    fn depth(&self, term: Term) -> u32 {
        let own = |it: &Term| self.depths.get(it).copied();
        let parts = || self.terms.parts(term).iter().filter_map(own).max();
        own(&term).or_else(parts).unwrap_or(0)
    }

    fn applied(&mut self, function: FunctionSymbol, args: &[Term], sort: Sort) -> Term {
        let sorts = args.iter().map(|it| self.terms.sort(*it)).collect();
        let next = self.by_number.len() as u32;
        let known = self.functions.entry((function.clone(), sorts, sort));
        let number = *known.or_insert(next);
        if number == next {
            self.by_number.push(function);
        }
        self.terms.apply(number, args, sort)
    }

    fn axiom(&mut self, about: Term, holds: Term) {
        let known = self.axioms.entry(about).or_default();
        if !known.contains(&holds) {
            known.push(holds);
        }
    }

    /// What holds of a term wherever it occurs.
    pub(super) fn axioms(&self, about: Term) -> &[Term] {
        self.axioms.get(&about).map(Vec::as_slice).unwrap_or_default()
    }

    // Composed values

    pub(super) fn tuple(&mut self, parts: &[Term]) -> Term {
        let term = self.apply(FunctionSymbol::Tuple, parts, Sort::Other);
        self.shapes.insert(term, Composite::Tuple(parts.into()));
        term
    }

    /// A record; the order of the fields has no meaning.
    pub(super) fn record(&mut self, mut fields: Vec<(Name, Term)>) -> Term {
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        let names: Vec<Name> = fields.iter().map(|it| it.0.clone()).collect();
        let parts: Vec<Term> = fields.iter().map(|it| it.1).collect();
        let term = self.apply(FunctionSymbol::Record(names.into()), &parts, Sort::Other);
        self.shapes.insert(term, Composite::Record(fields.into()));
        term
    }

    pub(super) fn array(&mut self, elements: &[Term]) -> Term {
        let term = self.apply(FunctionSymbol::Array, elements, Sort::Other);
        let length = self.int(elements.len());
        self.lengths.insert(term, length);
        if elements.len() <= MAX_ELEMENTS {
            self.shapes.insert(term, Composite::Array(elements.into()));
        }
        term
    }

    pub(super) fn variant(&mut self, key: &TypeKey, variant: u32, fields: &[Term]) -> Term {
        let term = self.apply(FunctionSymbol::Variant(key.clone(), variant), fields, Sort::Other);
        self.shapes.insert(term, Composite::Variant(variant, fields.into()));
        term
    }

    /// The array with another element at an index that it has.
    pub(super) fn store(&mut self, array: Term, index: Term, element: Term) -> Term {
        let term = self.apply(FunctionSymbol::Store, &[array, index, element], Sort::Other);
        self.shapes.insert(term, Composite::Store(array, index, element));
        let length = self.len(array);
        self.lengths.insert(term, length);
        term
    }

    pub(super) fn push(&mut self, array: Term, element: Term) -> Term {
        let name = FunctionSymbol::Builtin(Name::new("push"));
        let term = self.apply(name, &[array, element], Sort::Other);
        self.shapes.insert(term, Composite::Push(array, element));
        let one = self.int(1);
        let length = self.len(array);
        let length = self.terms.add(length, one);
        self.lengths.insert(term, length);
        term
    }

    /// The integers from `start` up to, and without, `end`.
    pub(super) fn range(&mut self, start: Term, end: Term) -> Term {
        let term = self.apply(FunctionSymbol::Range, &[start, end], Sort::Other);
        self.shapes.insert(term, Composite::Range(start));
        let zero = self.int(0);
        let is_there = self.terms.lt(start, end);
        let count = self.terms.sub(end, start);
        let length = self.terms.ite(is_there, count, zero);
        self.lengths.insert(term, length);
        term
    }

    /// States how long an array is.
    pub(super) fn set_len(&mut self, array: Term, length: Term) {
        self.lengths.insert(array, length);
    }

    // Parts

    fn part(
        &mut self,
        base: Term,
        function: FunctionSymbol,
        depth: u32,
        make: &mut dyn FnMut(&mut Symbols, Term, u32) -> Option<Term>,
        leaf: &mut dyn FnMut(&mut Symbols, Term) -> Term,
    ) -> Term {
        if let Some(known) = self.parts.get(&(base, function.clone())) {
            return *known;
        }
        let found = match make(self, base, depth) {
            Some(it) => it,
            None => match self.terms.kind(base) {
                TermKind::Ite(condition, a, b) if depth < MAX_DEPTH => {
                    let a = self.part(a, function.clone(), depth + 1, make, leaf);
                    let b = self.part(b, function.clone(), depth + 1, make, leaf);
                    self.terms.ite(condition, a, b)
                }
                _ => leaf(self, base),
            },
        };
        self.parts.insert((base, function), found);
        found
    }

    pub(super) fn len(&mut self, array: Term) -> Term {
        self.part(
            array,
            FunctionSymbol::Len,
            0,
            &mut |this, base, _| this.lengths.get(&base).copied(),
            &mut |this, base| {
                let term = this.apply(FunctionSymbol::Len, &[base], Sort::Int);
                let zero = this.int(0);
                let holds = this.terms.ge(term, zero);
                this.axiom(term, holds);
                term
            },
        )
    }

    pub(super) fn field(&mut self, record: Term, name: &Name, sort: Sort) -> Term {
        let function = FunctionSymbol::Field(name.clone());
        let position = name.parse::<usize>().ok();
        let found = self.part(
            record,
            function.clone(),
            0,
            &mut |this, base, _| match (this.shapes.get(&base), position) {
                (Some(Composite::Record(fields)), _) => {
                    fields.iter().find(|it| it.0 == *name).map(|it| it.1)
                }
                (Some(Composite::Tuple(parts)), Some(position)) => parts.get(position).copied(),
                _ => None,
            },
            &mut |this, base| this.apply(function.clone(), &[base], sort),
        );
        if self.terms.sort(found) == sort { found } else { self.apply(function, &[record], sort) }
    }

    /// Which variant of so many a value is.
    pub(super) fn tag(&mut self, value: Term, n_variants: usize) -> Term {
        self.part(
            value,
            FunctionSymbol::Tag,
            0,
            &mut |this, base, _| match this.shapes.get(&base) {
                Some(Composite::Variant(variant, _)) => {
                    let variant = *variant;
                    Some(this.int(variant))
                }
                _ => None,
            },
            &mut |this, base| {
                let term = this.apply(FunctionSymbol::Tag, &[base], Sort::Int);
                let (zero, last) = (this.int(0), this.int(n_variants.saturating_sub(1)));
                let at_least = this.terms.ge(term, zero);
                let at_most = this.terms.le(term, last);
                this.axiom(term, at_least);
                this.axiom(term, at_most);
                term
            },
        )
    }

    /// A field of a value that is that variant.
    pub(super) fn payload(&mut self, value: Term, variant: u32, index: u32, sort: Sort) -> Term {
        let function = FunctionSymbol::Payload(variant, index);
        let found = self.part(
            value,
            function.clone(),
            0,
            &mut |this, base, _| match this.shapes.get(&base) {
                Some(Composite::Variant(found, fields)) if *found == variant => {
                    fields.get(index as usize).copied()
                }
                _ => None,
            },
            &mut |this, base| this.apply(function.clone(), &[base], sort),
        );
        if self.terms.sort(found) == sort { found } else { self.apply(function, &[value], sort) }
    }

    /// The element at an index that the array has.
    pub(super) fn index(&mut self, array: Term, index: Term, sort: Sort) -> Term {
        let found = self.element(array, index, sort, 0);
        if self.terms.sort(found) == sort {
            return found;
        }
        self.apply(FunctionSymbol::Index, &[array, index], sort)
    }

    fn element(&mut self, array: Term, index: Term, sort: Sort, depth: u32) -> Term {
        let deeper = depth + 1;
        if depth < MAX_DEPTH {
            match self.shapes.get(&array).cloned() {
                Some(Composite::Array(elements)) if !elements.is_empty() => {
                    return self.one_of(&elements, index);
                }
                Some(Composite::Store(base, at, element)) => {
                    let is_it = self.terms.eq(index, at);
                    return match self.terms.kind(is_it) {
                        TermKind::Bool(true) => element,
                        TermKind::Bool(false) => self.element(base, index, sort, deeper),
                        _ => {
                            let other = self.element(base, index, sort, deeper);
                            self.terms.ite(is_it, element, other)
                        }
                    };
                }
                Some(Composite::Push(base, element)) => {
                    let length = self.len(base);
                    let is_before = self.terms.lt(index, length);
                    return match self.terms.kind(is_before) {
                        TermKind::Bool(false) => element,
                        TermKind::Bool(true) => self.element(base, index, sort, deeper),
                        _ => {
                            let other = self.element(base, index, sort, deeper);
                            self.terms.ite(is_before, other, element)
                        }
                    };
                }
                Some(Composite::Range(start)) => return self.terms.add(start, index),
                _ => {}
            }
            if let TermKind::Ite(condition, a, b) = self.terms.kind(array)
                && depth < MAX_DEPTH / 3
            {
                let a = self.element(a, index, sort, deeper);
                let b = self.element(b, index, sort, deeper);
                return self.terms.ite(condition, a, b);
            }
        }
        self.apply(FunctionSymbol::Index, &[array, index], sort)
    }

    fn one_of(&mut self, elements: &[Term], index: Term) -> Term {
        let mut found = *elements.last().expect("the caller looked");
        for (place, element) in elements.iter().enumerate().rev() {
            let place = self.int(place);
            let is_it = self.terms.eq(index, place);
            found = self.terms.ite(is_it, *element, found);
        }
        found
    }

    /// The elements of an array that is written out, the fields of a variant or the parts of a tuple, if it is known to
    /// be one.
    pub(super) fn known_parts(&self, value: Term) -> Option<(Option<u32>, Rc<[Term]>)> {
        match self.shapes.get(&value)? {
            Composite::Tuple(parts) | Composite::Array(parts) => Some((None, Rc::clone(parts))),
            Composite::Variant(variant, parts) => Some((Some(*variant), Rc::clone(parts))),
            _ => None,
        }
    }

    // Alternatives

    /// One value or the other. What is nested too deeply counts as unknown.
    pub(super) fn either(&mut self, condition: Term, a: Term, b: Term) -> Term {
        if a == b {
            return a;
        }
        if self.terms.sort(a) != self.terms.sort(b) {
            return self.unknown(self.terms.sort(a));
        }
        let nested = |it| self.nested.get(&it).copied().unwrap_or(0);
        let depth = nested(a).max(nested(b)) + 1;
        if depth > MAX_NESTED {
            return self.unknown(self.terms.sort(a));
        }
        let joined = self.terms.ite(condition, a, b);
        self.nested.insert(joined, depth);
        joined
    }

    // Substitution

    /// The term with unknowns replaced; parts of what is put in are found again.
    pub(super) fn replaced(&mut self, term: Term, by: &FxHashMap<Term, Term>) -> Term {
        self.replaced_in(term, by, &mut FxHashMap::default())
    }

    fn replaced_in(
        &mut self,
        term: Term,
        by: &FxHashMap<Term, Term>,
        done: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if let Some(it) = by.get(&term).or_else(|| done.get(&term)) {
            return *it;
        }
        let parts = self.terms.parts(term);
        if parts.is_empty() {
            return term;
        }
        let new: Vec<Term> = clank_syntax::with_stack(|| {
            parts.iter().map(|it| self.replaced_in(*it, by, done)).collect()
        });
        let result = if new == parts { term } else { self.rebuilt(term, &new) };
        done.insert(term, result);
        result
    }

    /// The term with other parts, in the order of its own.
    fn rebuilt(&mut self, term: Term, new: &[Term]) -> Term {
        let sort = self.terms.sort(term);
        let factors: Vec<BigInt> = match self.terms.kind(term) {
            TermKind::Apply(number, _) => return self.rebuilt_application(number, new, sort),
            TermKind::Sum(constant, parts) => {
                std::iter::once(constant).chain(parts.iter().map(|it| &it.1)).cloned().collect()
            }
            _ => Vec::new(),
        };
        let terms = &mut self.terms;
        match (terms.kind(term), new) {
            (TermKind::Sum(..), _) => {
                let mut factors = factors.into_iter();
                let mut sum = terms.int(factors.next().unwrap_or_default());
                for (part, factor) in new.iter().zip(factors) {
                    let factor = terms.int(factor);
                    let product = terms.mul(factor, *part);
                    sum = terms.add(sum, product);
                }
                sum
            }
            (TermKind::Product(_), [first, rest @ ..]) => {
                let mut product = *first;
                for factor in rest {
                    product = terms.mul(product, *factor);
                }
                product
            }
            (TermKind::Div(..), [a, b]) => terms.div(*a, *b),
            (TermKind::Rem(..), [a, b]) => terms.rem(*a, *b),
            (TermKind::Le(..), [a, b]) => terms.le(*a, *b),
            (TermKind::Eq(..), [a, b]) => terms.eq(*a, *b),
            (TermKind::Not(_), [a]) => terms.not(*a),
            (TermKind::And(_), _) => terms.and(new),
            (TermKind::Or(_), _) => terms.or(new),
            (TermKind::Ite(..), [condition, a, b]) => terms.ite(*condition, *a, *b),
            _ => term,
        }
    }

    fn rebuilt_application(&mut self, number: u32, new: &[Term], sort: Sort) -> Term {
        let Some(function) = self.by_number.get(number as usize).cloned() else {
            return self.unknown(sort);
        };
        match (&function, new) {
            (FunctionSymbol::Len, [array]) => self.len(*array),
            (FunctionSymbol::Index, [array, index]) => self.index(*array, *index, sort),
            (FunctionSymbol::Field(name), [record]) => self.field(*record, name, sort),
            (FunctionSymbol::Payload(variant, index), [value]) => {
                self.payload(*value, *variant, *index, sort)
            }
            _ => self.apply(function, new, sort),
        }
    }
}
