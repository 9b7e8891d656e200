//! Which values reach which arm, by the pattern matrices of Maranget ("Warnings for pattern matching", 2007): the arms are
//! the rows and what is matched are the columns. A matrix is specialised by each constructor in the head of its first
//! column; a row whose arm is first in a matrix without columns takes what is left, and a matrix without rows is a witness
//! of missing cases. Usefulness of every row and the missing cases come out of one walk.
//!
//! An example: `match (x, y) { (Some(_), _) => 1, (_, None) => 2 }`. Specialised by `Some`, both rows stay and the first
//! takes everything. Specialised by `None`, only the second row stays, with `None` in the second column: specialised once
//! more by `Some`, no row is left, so `(None, Some(_))` is missing.
//!
//! The work is bounded: patterns over many columns can split the space exponentially. Beyond [`BUDGET`] the answer is
//! what is sure by then: missing cases that were found are missing, and no arm is called unreachable.

use std::collections::BTreeMap;

use clank_syntax::with_stack;

use super::lower::Pat;
use super::space::{self, Ctor, Space};
use super::witness::{MissingCases, WitnessPart};
use crate::env::Env;
use crate::ty::Ty;

/// How many cells of patterns are looked at for one match.
const BUDGET: u64 = 1_000_000;

/// An arm: its pattern, and whether it may still say no.
pub(super) struct ArmPattern {
    pub(super) pattern: Pat,
    pub(super) is_guarded: bool,
}

/// What became of the arms.
pub(super) struct ArmCoverage {
    /// The cases that no arm takes.
    pub(super) missing: MissingCases,
    /// The arms that no value reaches; empty if that is not sure.
    pub(super) unreached: Vec<usize>,
    /// Whether everything was looked at.
    pub(super) is_complete: bool,
}

/// Looks at all arms of a match on values of a type.
pub(super) fn explore(cases: &[ArmPattern], ty: &Ty, env: &Env) -> ArmCoverage {
    let mut explorer = Explorer {
        env,
        budget: BUDGET,
        is_complete: true,
        reached: vec![false; cases.len()],
        trail: Vec::new(),
        missing: MissingCases::default(),
    };
    let rows = cases.iter().enumerate().map(|(arm, case)| Row {
        arm,
        is_guarded: case.is_guarded,
        columns: vec![&case.pattern],
    });
    explorer.split(rows.collect(), vec![ty.clone()]);
    let unreached = explorer.reached.iter().enumerate().filter(|it| !it.1).map(|it| it.0);
    ArmCoverage {
        unreached: if explorer.is_complete { unreached.collect() } else { Vec::new() },
        missing: explorer.missing,
        is_complete: explorer.is_complete,
    }
}

/// Whether every value that `inner` matches is matched by `outer` alone.
pub(super) fn covers(outer: &Pat, inner: &Pat) -> bool {
    with_stack(|| match (outer, inner) {
        (Pat::Wild, _) => true,
        // One constructor alone: `inner` is as if it were written out.
        (Pat::Made(Ctor::Single, outer), Pat::Wild) => {
            outer.iter().all(|it| covers(it, &Pat::Wild))
        }
        (Pat::Made(..), Pat::Wild) => false,
        (Pat::Made(a, outer), Pat::Made(b, inner)) => {
            a == b && outer.iter().zip(inner).all(|it| covers(it.0, it.1))
        }
    })
}

/// An arm in a part of the space: what its pattern says about the columns that are left.
#[derive(Clone)]
struct Row<'a> {
    arm: usize,
    is_guarded: bool,
    /// The next column last.
    columns: Vec<&'a Pat>,
}

struct Explorer<'a> {
    env: &'a Env,
    budget: u64,
    is_complete: bool,
    reached: Vec<bool>,
    /// How the part of the space that is being looked at was come to.
    trail: Vec<WitnessPart>,
    missing: MissingCases,
}

static WILD: Pat = Pat::Wild;

impl<'a> Explorer<'a> {
    /// Splits a part of the space along its next column. The types are those of the columns, the next one last.
    fn split(&mut self, rows: Vec<Row<'a>>, types: Vec<Ty>) {
        let depth = self.trail.len();
        with_stack(|| self.split_here(rows, types));
        self.trail.truncate(depth);
    }

    fn split_here(&mut self, mut rows: Vec<Row<'a>>, mut types: Vec<Ty>) {
        loop {
            if !self.spend(&rows) {
                return;
            }
            let is_open = |row: &Row| row.columns.iter().all(|it| matches!(it, Pat::Wild));
            let n_guarded = rows.iter().take_while(|it| it.is_guarded && is_open(it)).count();
            for row in rows.drain(..n_guarded) {
                self.reached[row.arm] = true;
            }
            // What follows an arm that takes everything is not reached here.
            if let Some(last) = rows.iter().position(|it| !it.is_guarded && is_open(it)) {
                rows.truncate(last + 1);
            }
            match rows.first() {
                None => return self.found_missing(&types),
                Some(first) if is_open(first) => {
                    self.reached[first.arm] = true;
                    return;
                }
                Some(_) => {}
            }
            let ty = types.pop().expect("a row that is not open has a column");
            if rows.iter().all(|it| matches!(it.columns.last(), Some(Pat::Wild))) {
                for row in &mut rows {
                    row.columns.pop();
                }
                self.trail.push(WitnessPart::Wild);
                continue;
            }
            return self.split_column(rows, types, ty);
        }
    }

    fn split_column(&mut self, mut rows: Vec<Row<'a>>, types: Vec<Ty>, ty: Ty) {
        let heads: Vec<&'a Pat> =
            rows.iter_mut().map(|it| it.columns.pop().unwrap_or(&WILD)).collect();
        let mut named: BTreeMap<&'a Ctor, (usize, Vec<usize>)> = BTreeMap::new();
        let mut rest = Vec::new();
        for (index, head) in heads.iter().enumerate() {
            match head {
                Pat::Made(ctor, parts) => {
                    let group = named.entry(ctor).or_insert_with(|| {
                        self.budget = self.budget.saturating_sub(rest.len() as u64);
                        (parts.len(), rest.clone())
                    });
                    group.1.push(index);
                }
                Pat::Wild => {
                    rest.push(index);
                    named.values_mut().for_each(|it| it.1.push(index));
                    self.budget = self.budget.saturating_sub(named.len() as u64);
                }
            }
            if self.budget == 0 {
                self.is_complete = false;
                return;
            }
        }
        for (ctor, (arity, members)) in &named {
            let fields = space::fields(&ty, ctor, self.env);
            let mut types = types.clone();
            types.extend(fields.into_iter().rev().map(|it| it.1));
            let inner =
                members.iter().map(|&it| specialised(&rows[it], heads[it], *arity)).collect();
            self.step(WitnessPart::Inner(ty.clone(), (*ctor).clone()), inner, types);
        }
        let step = match space::space(&ty, self.env) {
            Space::Open => WitnessPart::Wild,
            Space::Closed(ctors) => {
                let absent = ctors.into_iter().filter(|it| !named.contains_key(it));
                let absent: Vec<Ctor> =
                    absent.filter(|it| space::is_possible(&ty, it, self.env)).collect();
                if absent.is_empty() {
                    return;
                }
                WitnessPart::Leaf(ty, absent)
            }
        };
        let rest = rest.into_iter().map(|it| rows[it].clone()).collect();
        self.step(step, rest, types);
    }

    fn step(&mut self, step: WitnessPart, rows: Vec<Row<'a>>, types: Vec<Ty>) {
        self.trail.push(step);
        self.split(rows, types);
        self.trail.pop();
    }

    /// No arm takes what is left.
    fn found_missing(&mut self, types: &[Ty]) {
        if !types.iter().all(|it| space::is_inhabited(it, self.env)) {
            return;
        }
        // Nothing was told apart at all: every case is named.
        if let ([ty], true) = (types, self.trail.is_empty())
            && let Space::Closed(mut ctors) = space::space(ty, self.env)
        {
            ctors.retain(|it| space::is_possible(ty, it, self.env));
            return self.missing.add(&[WitnessPart::Leaf(ty.clone(), ctors)], 0);
        }
        self.missing.add(&self.trail, types.len());
    }

    /// Takes what looking at these rows costs from the budget; `false` if it is used up.
    fn spend(&mut self, rows: &[Row]) -> bool {
        let cost: u64 = rows.iter().map(|it| 1 + it.columns.len() as u64).sum();
        self.budget = self.budget.saturating_sub(cost + 1);
        self.is_complete &= self.budget > 0;
        self.is_complete
    }
}

/// The row for values whose next column is made by the constructor of `head`, or by any if `head` says nothing.
fn specialised<'a>(row: &Row<'a>, head: &'a Pat, arity: usize) -> Row<'a> {
    let mut row = row.clone();
    match head {
        Pat::Made(_, parts) => row.columns.extend(parts.iter().rev()),
        Pat::Wild => row.columns.extend(std::iter::repeat_n(&WILD, arity)),
    }
    row
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    use super::*;
    use crate::env::{TypeBody, TypeDef, VariantDef};
    use crate::ty::TypeKey;

    /// An environment with `Option[T]`, `sum Void {}` and `sum Big { V0, V1, … }`.
    fn env() -> Env {
        let variant = |name: String, fields| VariantDef { name: name.into(), fields };
        let some = variant("Some".into(), vec![(Some("value".into()), Ty::Param("T".into()))]);
        let option = vec![some, variant("None".into(), Vec::new())];
        let big = (0..200).map(|it| variant(format!("V{it}"), Vec::new())).collect();
        let mut env = Env::default();
        for (name, params, variants) in
            [("Option", vec!["T".into()], option), ("Void", vec![], vec![]), ("Big", vec![], big)]
        {
            let key = TypeKey::prelude(name);
            let def =
                TypeDef { key: key.clone(), node: None, params, shape: TypeBody::Sum(variants) };
            env.defs.insert(key, Arc::new(def));
        }
        env
    }

    fn made(ctor: Ctor, parts: Vec<Pat>) -> Pat {
        Pat::Made(ctor, parts)
    }

    fn bool(value: bool) -> Pat {
        made(Ctor::Not(!value), vec![])
    }

    fn tuple(types: Vec<Ty>) -> Ty {
        Ty::Tuple(types.into())
    }

    /// The missing cases in words, then the arms that are not reached.
    fn explored(ty: &Ty, patterns: Vec<Pat>) -> (String, Vec<usize>) {
        let env = env();
        let cases: Vec<ArmPattern> =
            patterns.into_iter().map(|pattern| ArmPattern { pattern, is_guarded: false }).collect();
        let outcome = explore(&cases, ty, &env);
        (outcome.missing.words(&outcome.missing.cases(&env)), outcome.unreached)
    }

    #[test]
    fn cases_are_named_in_full_and_in_the_order_of_declaration() {
        let option = Ty::option(Ty::BOOL);
        let pair = tuple(vec![Ty::BOOL, option.clone()]);
        let some = |it| made(Ctor::Variant(0), vec![it]);
        let none = || made(Ctor::Variant(1), vec![]);
        let row = |a, b| made(Ctor::Single, vec![a, b]);
        let (missing, _) = explored(&option, vec![none()]);
        assert_eq!(missing, "`Some(_)`");
        let (missing, _) = explored(&option, vec![some(bool(true))]);
        assert_eq!(missing, "`Some(false)` and `None`");
        let (missing, unreached) = explored(
            &pair,
            vec![row(bool(true), some(Pat::Wild)), row(Pat::Wild, none()), row(bool(true), none())],
        );
        assert_eq!(missing, "`(false, Some(_))`");
        assert_eq!(unreached, [2]);
    }

    #[test]
    fn without_arms_every_case_is_missing_and_what_cannot_be_is_not() {
        let void = Ty::adt(TypeKey::prelude("Void"), vec![]);
        assert_eq!(explored(&Ty::option(Ty::INT), vec![]).0, "`Some(_)` and `None`");
        assert_eq!(explored(&Ty::INT, vec![]).0, "`_`");
        assert_eq!(explored(&tuple(vec![Ty::INT, Ty::INT]), vec![]).0, "`(_, _)`");
        assert_eq!(explored(&void, vec![]).0, "");
        assert_eq!(explored(&Ty::Never, vec![]).0, "");
        assert_eq!(explored(&Ty::option(void), vec![]).0, "`None`");
    }

    #[test]
    fn more_than_ten_cases_are_counted() {
        let big = Ty::adt(TypeKey::prelude("Big"), vec![]);
        let (missing, _) = explored(&big, vec![made(Ctor::Variant(1), vec![])]);
        assert!(missing.starts_with("`V0`, `V2`, `V3`"), "{missing}");
        assert!(missing.ends_with("`V10` and 189 more"), "{missing}");
        let row = |a, b, c| made(Ctor::Single, vec![a, b, c]);
        let v = |it| made(Ctor::Variant(it), vec![]);
        let three = tuple(vec![big.clone(), big.clone(), big]);
        let one = vec![row(v(0), Pat::Wild, Pat::Wild), row(Pat::Wild, v(0), Pat::Wild)];
        let (missing, _) = explored(&three, one);
        assert!(missing.starts_with("`(V1, V1, _)`, `(V1, V2, _)`"), "{missing}");
        assert!(missing.ends_with("and 39591 more"), "{missing}");
    }

    #[test]
    fn two_hundred_variants_in_three_columns_are_looked_at_in_full() {
        let big = Ty::adt(TypeKey::prelude("Big"), vec![]);
        let three = tuple(vec![big.clone(), big.clone(), big]);
        let at = |place: usize, variant| {
            let mut parts = vec![Pat::Wild; 3];
            parts[place] = made(Ctor::Variant(variant), vec![]);
            made(Ctor::Single, parts)
        };
        let same = |it| made(Ctor::Single, vec![made(Ctor::Variant(it), vec![]); 3]);
        let mut rows: Vec<Pat> = (0..200).map(same).collect();
        let (missing, unreached) = explored(&three, rows.clone());
        assert!(missing.starts_with("`(V0, V0, V1)`"), "{missing}");
        assert!(missing.ends_with("and 79590 more"), "{missing}");
        assert!(unreached.is_empty());
        rows.extend((0..3).flat_map(|place| (0..200).map(move |it| at(place, it))));
        let (missing, unreached) = explored(&three, rows);
        assert_eq!(missing, "");
        assert_eq!(unreached, (400..800).collect::<Vec<_>>());
    }

    /// Twenty columns of Bool: rows `2i` and `2i + 1` say that the columns `i` and `i + 10` are different. What is left
    /// is that all pairs are equal, and to find that out needs 2 to the power of 10 steps and more.
    #[test]
    fn beyond_the_budget_only_what_is_sure_is_said() {
        let ty = tuple(vec![Ty::BOOL; 20]);
        let different = |column: usize, first: bool| {
            let mut parts = vec![Pat::Wild; 20];
            parts[column] = bool(first);
            parts[column + 10] = bool(!first);
            made(Ctor::Single, parts)
        };
        let mut rows: Vec<Pat> =
            (0..10).flat_map(|it| [different(it, true), different(it, false)]).collect();
        let cases = |rows: &[Pat]| -> Vec<ArmPattern> {
            let case = |it: &Pat| ArmPattern { pattern: it.clone(), is_guarded: false };
            rows.iter().map(case).collect()
        };
        let outcome = explore(&cases(&rows), &ty, &env());
        assert!(
            !outcome.is_complete && outcome.unreached.is_empty() && !outcome.missing.is_empty()
        );
        rows.push(Pat::Wild);
        let outcome = explore(&cases(&rows), &ty, &env());
        assert!(!outcome.is_complete && outcome.unreached.is_empty() && outcome.missing.is_empty());
    }

    /// Every value of a small type, written as patterns without wildcards.
    fn values(ty: &Ty, env: &Env) -> Vec<Pat> {
        let Space::Closed(ctors) = space::space(ty, env) else { panic!("small types only") };
        let of = |ctor: Ctor| {
            let parts = space::fields(ty, &ctor, env).into_iter().map(|it| values(&it.1, env));
            let combined = parts.fold(vec![vec![]], |acc: Vec<Vec<Pat>>, part| {
                let longer = |it: &Vec<Pat>| {
                    let it = it.clone();
                    part.iter().map(move |last| [it.clone(), vec![last.clone()]].concat())
                };
                acc.iter().flat_map(longer).collect()
            });
            combined.into_iter().map(move |it| Pat::Made(ctor.clone(), it))
        };
        ctors.into_iter().flat_map(of).collect()
    }

    /// Patterns for `(Bool, Option[Bool], Option[(Bool, Bool)])`.
    fn pattern() -> impl Strategy<Value = Pat> {
        let flag = prop_oneof![Just(Pat::Wild), any::<bool>().prop_map(bool)].boxed();
        let option = |inner: BoxedStrategy<Pat>| {
            prop_oneof![
                Just(Pat::Wild),
                Just(made(Ctor::Variant(1), vec![])),
                inner.prop_map(|it| made(Ctor::Variant(0), vec![it])),
            ]
        };
        let pair = (flag.clone(), flag.clone()).prop_map(|it| made(Ctor::Single, vec![it.0, it.1]));
        let whole = (flag.clone(), option(flag), option(pair.boxed()));
        whole.prop_map(|it| made(Ctor::Single, vec![it.0, it.1, it.2]))
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 300,
            rng_seed: RngSeed::Fixed(15),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        /// The answer is the one that trying every value gives.
        #[test]
        fn row_30_missing_and_unreached_agree_with_all_values(
            arms in prop::collection::vec((pattern(), prop::bool::weighted(0.2)), 0..9),
        ) {
            let env = env();
            let pair = tuple(vec![Ty::BOOL, Ty::BOOL]);
            let ty = tuple(vec![Ty::BOOL, Ty::option(Ty::BOOL), Ty::option(pair)]);
            let cases: Vec<ArmPattern> = arms
                .into_iter()
                .map(|(pattern, is_guarded)| ArmPattern { pattern, is_guarded })
                .collect();
            let mut reached = vec![false; cases.len()];
            let mut is_missing = false;
            for value in values(&ty, &env) {
                let mut matching = cases.iter().enumerate().filter(|it| covers(&it.1.pattern, &value));
                let stopped = matching.find(|(index, case)| {
                    reached[*index] = true;
                    !case.is_guarded
                });
                is_missing |= stopped.is_none();
            }
            let outcome = explore(&cases, &ty, &env);
            prop_assert!(outcome.is_complete);
            prop_assert_eq!(!outcome.missing.is_empty(), is_missing);
            let unreached: Vec<usize> = (0..cases.len()).filter(|it| !reached[*it]).collect();
            prop_assert_eq!(outcome.unreached, unreached);
        }
    }
}
