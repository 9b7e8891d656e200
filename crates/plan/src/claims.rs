//! What a repair claims of a document, and what is claimed already.
//!
//! Two claims exclude each other when one is inside the other or they are the same place. Different places of one
//! container do not: two keys of a map, two items of a list, and also what two repairs append to one list, for an
//! append says that the order does not matter; it is the order of the ranks then. Insertions at one index are
//! different: each says where it belongs, and nobody said which comes first. The same value appended twice is meant
//! once.

use std::collections::{BTreeMap, HashMap, HashSet};

use document::Value;

use crate::place::{PlaceId, PlaceIndex};

/// Something in a document that only one repair may have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Claim<'a> {
    /// A place with everything in it: it is written, removed or comes into being.
    Whole(PlaceId),
    /// The gaps of an array from the first to the last, both included.
    Gaps { array: PlaceId, first: usize, last: usize },
    /// A share of the end of an array.
    Append { array: PlaceId, value: &'a Value },
}

/// What accepted repairs have claimed of one document. They are known by their numbers.
#[derive(Default)]
pub(crate) struct Ledger {
    whole: HashMap<PlaceId, usize>,
    /// Places with a claim inside, and who had the first.
    inside: HashMap<PlaceId, usize>,
    /// Claimed gaps by array and first gap; they do not overlap unless they are of one repair.
    gaps: HashMap<PlaceId, BTreeMap<usize, (usize, usize)>>,
    appends: HashMap<PlaceId, Appends>,
}

struct Appends {
    first: usize,
    by_value: HashMap<String, usize>,
}

impl Ledger {
    /// The accepted repair that has one of these claims, and the place.
    pub(crate) fn holder(
        &self,
        places: &PlaceIndex,
        claims: &[Claim<'_>],
    ) -> Option<(usize, PlaceId)> {
        claims.iter().find_map(|claim| match *claim {
            Claim::Whole(place) => {
                let holder = self.above(places, place).or_else(|| self.inside.get(&place).copied());
                holder.map(|it| (it, place))
            }
            Claim::Gaps { array, first, last } => {
                let reaches_end = last == places.array_len(array);
                let holder = self.above(places, array).or_else(|| self.gap(array, first, last));
                let holder = holder.or_else(|| {
                    self.appends.get(&array).filter(|_| reaches_end).map(|it| it.first)
                });
                holder.map(|it| (it, array))
            }
            Claim::Append { array, value } => {
                let end = places.array_len(array);
                let holder = self.above(places, array).or_else(|| self.gap(array, end, end));
                let same = |it: &Appends| it.by_value.get(&value.to_json()).copied();
                holder.or_else(|| self.appends.get(&array).and_then(same)).map(|it| (it, array))
            }
        })
    }

    /// Takes claims that nobody has.
    pub(crate) fn accept(&mut self, places: &PlaceIndex, repair: usize, claims: &[Claim<'_>]) {
        for claim in claims {
            let (place, skipped) = match *claim {
                Claim::Whole(place) => {
                    self.whole.entry(place).or_insert(repair);
                    (place, 1)
                }
                Claim::Gaps { array, first, last } => {
                    let claimed = self.gaps.entry(array).or_default();
                    let (end, _) = claimed.entry(first).or_insert((last, repair));
                    *end = last.max(*end);
                    (array, 0)
                }
                Claim::Append { array, value } => {
                    let appends = self.appends.entry(array);
                    let appends = appends
                        .or_insert_with(|| Appends { first: repair, by_value: HashMap::new() });
                    appends.by_value.entry(value.to_json()).or_insert(repair);
                    (array, 0)
                }
            };
            for above in places.with_ancestors(place).skip(skipped) {
                self.inside.entry(above).or_insert(repair);
            }
        }
    }

    fn above(&self, places: &PlaceIndex, place: PlaceId) -> Option<usize> {
        places.with_ancestors(place).find_map(|it| self.whole.get(&it).copied())
    }

    fn gap(&self, array: PlaceId, first: usize, last: usize) -> Option<usize> {
        let (_, (end, holder)) = self.gaps.get(&array)?.range(..=last).next_back()?;
        (*end >= first).then_some(*holder)
    }
}

/// The claims of one repair, each once and in the order in which they were made, and its gaps put together, so that
/// no two overlap.
pub(crate) fn normalised(claims: Vec<Claim<'_>>) -> Vec<Claim<'_>> {
    if claims.len() < 2 {
        return claims;
    }
    let (mut wholes, mut gaps, mut appends) = (Vec::new(), Vec::new(), Vec::new());
    let (mut seen, mut arrays) = (HashSet::new(), HashMap::new());
    for claim in claims {
        match claim {
            Claim::Whole(place) => wholes.extend(seen.insert(place).then_some(claim)),
            Claim::Gaps { array, first, last } => {
                // Numbers of places depend on who came first, so arrays are counted anew.
                let n_arrays = arrays.len();
                let number = *arrays.entry(array).or_insert(n_arrays);
                gaps.push((number, first, last, array));
            }
            Claim::Append { .. } => appends.push(claim),
        }
    }
    gaps.sort_unstable();
    gaps.dedup_by(|next, kept| {
        let is_joined = kept.0 == next.0 && next.1 <= kept.2;
        if is_joined {
            kept.2 = kept.2.max(next.2);
        }
        is_joined
    });
    let gaps = gaps.into_iter().map(|(_, first, last, array)| Claim::Gaps { array, first, last });
    wholes.into_iter().chain(gaps).chain(appends).collect()
}
