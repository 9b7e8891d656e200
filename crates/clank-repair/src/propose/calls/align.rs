//! Which argument belongs to which parameter, when there are too few or too many.

use clank::ty::Ty;
use clank_syntax::ast::Name;

use crate::propose::fit::may_fit;

/// An argument that is there.
pub(super) struct Argument<'a> {
    pub(super) ty: &'a Ty,
    /// The name that it is.
    pub(super) name: Option<&'a Name>,
    /// Whether another one reads the same: one of them may be there by mistake.
    pub(super) is_repeated: bool,
    /// A literal is easier to spare than what was worked out.
    pub(super) is_literal: bool,
}

/// For every parameter the argument that belongs to it; for too many arguments, those that are left out do not occur.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Alignment(pub(super) Vec<Option<usize>>);

/// How many arguments or parameters are looked at in all ways; with more only the end is.
const MAX_LIST: usize = 10;

/// How many ways are worth trying.
const MAX_WAYS: usize = 3;

/// The ways to give the arguments to the parameters in order, the best first.
pub(super) fn align(args: &[Argument<'_>], params: &[(Option<Name>, Ty)]) -> Vec<Alignment> {
    let (fewer, more) = (args.len().min(params.len()), args.len().max(params.len()));
    if more > MAX_LIST {
        return vec![way(args.len(), params.len(), &(0..fewer).collect::<Vec<_>>())];
    }
    let mut ways: Vec<(i32, Alignment)> = Vec::new();
    for chosen in choices(more, fewer) {
        let way = way(args.len(), params.len(), &chosen);
        if let Some(score) = score(args, params, &way) {
            ways.push((-score, way));
        }
    }
    if ways.is_empty() {
        return vec![way(args.len(), params.len(), &(0..fewer).collect::<Vec<_>>())];
    }
    // Sorting is stable: of equal ways the one that leaves out the last comes first.
    ways.sort_by_key(|it| it.0);
    ways.into_iter().take(MAX_WAYS).map(|it| it.1).collect()
}

/// The places of the longer list that the shorter one takes.
fn way(n_args: usize, n_params: usize, chosen: &[usize]) -> Alignment {
    if n_args > n_params {
        return Alignment(chosen.iter().map(|it| Some(*it)).collect());
    }
    let given = |place: usize| chosen.iter().position(|it| *it == place);
    Alignment((0..n_params).map(given).collect())
}

/// All ways to choose so many of the first `n` numbers, in order; those that leave out late ones come first.
fn choices(n: usize, count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = (0_u32..1 << n)
        .filter(|it| it.count_ones() as usize == count)
        .map(|set| (0..n).filter(|it| set & 1 << it != 0).collect())
        .collect();
    all.sort();
    all
}

/// How well the types and names go together; `None` if a type does not fit.
fn score(args: &[Argument<'_>], params: &[(Option<Name>, Ty)], way: &Alignment) -> Option<i32> {
    let mut score = 0;
    for ((name, ty), given) in params.iter().zip(&way.0) {
        let Some(index) = given else { continue };
        let arg = &args[*index];
        if !may_fit(arg.ty, ty) {
            return None;
        }
        let is_named = name.is_some() && arg.name == name.as_ref();
        // What fits because something is known counts more than what fits because nothing is.
        let is_known = !matches!(ty.base(), Ty::Error) && !matches!(arg.ty.base(), Ty::Error);
        let is_same = arg.ty.base() == ty.base();
        score += i32::from(is_same) + i32::from(is_known) + 2 * i32::from(is_named);
    }
    for (index, arg) in args.iter().enumerate() {
        if !way.0.contains(&Some(index)) {
            score += 3 * i32::from(arg.is_repeated) + 2 * i32::from(arg.is_literal);
        }
    }
    Some(score)
}
