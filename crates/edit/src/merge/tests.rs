//! Who wins, who loses and why (AE-11 to AE-19, AE-49), against a plain reading of the rules.

use proptest::prelude::*;

use super::*;

const TEXT: &str = "0123456789";

fn set(edits: &[(u32, u32, &str)]) -> EditSet {
    let edits = edits.iter().map(|&(start, end, text)| Edit::replace(start, end, text)).collect();
    EditSet::new(&Text::new(TEXT), edits).unwrap()
}

/// Two proposals, the first with priority. `expected` is the text after both, or how they clash.
#[track_caller]
fn check(first: &[(u32, u32, &str)], second: &[(u32, u32, &str)], expected: &str) {
    let text = Text::new(TEXT);
    for [(id_a, a), (id_b, b)] in [[(7, first), (8, second)], [(8, second), (7, first)]] {
        let proposals = vec![
            EditProposal { id: id_b, priority: 1, edits: set(b) },
            EditProposal { id: id_a, priority: 0, edits: set(a) },
        ];
        let merged = merge(&text, proposals);
        let found = match &merged.rejected[..] {
            [] => String::from_utf8_lossy(merged.edits.apply(&text).unwrap().bytes()).into_owned(),
            [RejectedProposal { id, reason: MergeError::Clash(clash) }] => {
                assert_eq!((*id, clash.with), (id_b, id_a));
                assert_eq!(merged.edits, set(a), "the loser leaves no trace");
                format!("{:?}", clash.kind)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(found, expected);
    }
}

/// AE-11.
#[test]
fn overlapping_replacements_clash() {
    check(&[(1, 4, "a")], &[(3, 5, "b")], "Overlap");
    check(&[(1, 4, "a")], &[(1, 4, "b")], "Overlap");
    check(&[(1, 4, "a")], &[(2, 3, "b")], "Overlap");
    check(&[(1, 4, "")], &[(3, 5, "")], "Overlap");
}

/// AE-11.
#[test]
fn identical_edits_collapse() {
    check(&[(1, 4, "a")], &[(1, 4, "a")], "0a456789");
    check(&[(1, 1, "a")], &[(1, 1, "a")], "0a123456789");
    check(&[(1, 4, "a"), (6, 7, "b")], &[(1, 4, "a"), (8, 9, "c")], "0a45b7c9");
}

/// AE-19.
#[test]
fn insertions_between_proposals_clash_where_the_order_is_open() {
    check(&[(2, 2, "a")], &[(2, 2, "b")], "InsertsAtOnePoint");
    check(&[(2, 5, "a")], &[(3, 3, "b")], "InsertInside");
    check(&[(2, 5, "a")], &[(2, 2, "b")], "InsertAtEdge");
    check(&[(2, 5, "a")], &[(5, 5, "b")], "InsertAtEdge");
    check(&[(2, 5, "")], &[(5, 5, "b")], "InsertAtEdge");
    check(&[(2, 2, "a")], &[(3, 3, "b")], "01a2b3456789");
}

/// AE-19.
#[test]
fn adjacent_replacements_are_fine() {
    check(&[(2, 4, "a")], &[(4, 6, "b")], "01ab6789");
    check(&[(2, 4, "")], &[(4, 6, "")], "016789");
}

/// AE-19: inside one proposal the author's order decides, so what it holds together is shared as a whole.
#[test]
fn an_insertion_and_what_it_touches_are_shared_as_a_whole() {
    check(&[(2, 4, "a"), (4, 4, "i")], &[(2, 4, "a"), (4, 4, "i")], "01ai456789");
    check(&[(2, 4, "a"), (4, 4, "i")], &[(2, 4, "a")], "InsertAtEdge");
    check(&[(4, 4, "i"), (4, 4, "j")], &[(4, 4, "j"), (4, 4, "i")], "InsertsAtOnePoint");
    check(&[(4, 4, "i"), (4, 4, "j")], &[(4, 4, "i")], "InsertsAtOnePoint");
}

/// Shared edits count once towards the length of the result.
#[test]
fn deletions_of_everything_can_be_shared() {
    check(&[(0, 10, "")], &[(0, 10, "")], "");
}

/// AE-18.
#[test]
fn one_clash_rejects_the_whole_proposal() {
    check(&[(1, 2, "a")], &[(0, 1, "x"), (1, 2, "b"), (5, 6, "y")], "Overlap");
}

/// AE-18: over several texts a proposal is checked in each and then accepted in all.
#[test]
fn a_check_changes_nothing_and_says_what_accept_would() {
    let text = Text::new(TEXT);
    let mut merge = Merge::new(&text);
    merge.accept(1, &set(&[(1, 4, "a")])).unwrap();
    let (good, bad) = (set(&[(4, 5, "b")]), set(&[(3, 5, "b")]));
    assert_eq!(merge.check(&good), Ok(()));
    let refusal = merge.check(&bad).unwrap_err();
    assert_eq!(merge.clone().accept(2, &bad), Err(refusal.clone()));
    assert_eq!(refusal.to_string(), "the edits overlap: 3..5 against 1..4 of proposal 1");
    merge.accept(2, &good).unwrap();
    assert_eq!(merge.finish(), set(&[(1, 4, "a"), (4, 5, "b")]));
}

#[test]
fn a_proposal_for_another_text_is_stale() {
    let (text, other) = (Text::new(TEXT), Text::new("other"));
    let edits = EditSet::new(&other, vec![]).unwrap();
    let merged = merge(&text, vec![EditProposal { id: 3, priority: 0, edits }]);
    let reason = EditError::Stale { expected: other.hash(), found: text.hash() }.into();
    assert_eq!(merged.rejected, [RejectedProposal { id: 3, reason }]);
}

fn proposals() -> impl Strategy<Value = Vec<(u64, EditSet)>> {
    let edit = (
        0..=10_u32,
        prop::sample::select(vec![0, 0, 1, 2, 4]),
        prop::sample::select(vec!["", "a", "b"]),
    );
    let proposal = (0..3_u64, prop::collection::vec(edit, 0..4));
    prop::collection::vec(proposal, 0..8).prop_map(|wished| {
        let text = Text::new(TEXT);
        let fitting = |wishes: Vec<(u32, u32, &str)>| {
            let mut edits = Vec::new();
            for (start, width, new) in wishes {
                edits.push(Edit::replace(start, (start + width).min(10), new));
                if EditSet::new(&text, edits.clone()).is_err() {
                    edits.pop();
                }
            }
            EditSet::new(&text, edits).unwrap()
        };
        wished.into_iter().map(|(priority, edits)| (priority, fitting(edits))).collect()
    })
}

/// Two proposals exclude each other if an edit of one clashes with an edit of the other, unless both edits
/// are in both.
fn exclude(a: &EditSet, b: &EditSet) -> bool {
    let is_shared = |edit: &Edit| a.edits().contains(edit) && b.edits().contains(edit);
    a.edits().iter().any(|x| {
        b.edits().iter().any(|y| clash_kind(x, y).is_some() && !(is_shared(x) && is_shared(y)))
    }) || different_order(a, b)
}

/// Both make the same insertions at one point, but not in the same order.
fn different_order(a: &EditSet, b: &EditSet) -> bool {
    let at = |set: &EditSet, point: u32| -> Vec<Edit> {
        set.edits()
            .iter()
            .filter(|edit| edit.start == point && edit.end == point)
            .cloned()
            .collect()
    };
    (0..=10).any(|point| {
        let (x, y) = (at(a, point), at(b, point));
        !x.is_empty() && !y.is_empty() && x != y
    })
}

proptest! {
    #![proptest_config(crate::laws::config())]

    /// AE-12, AE-13, AE-14, AE-17.
    #[test]
    fn any_order_of_input_gives_the_same_result(
        (given, shuffled) in proposals().prop_flat_map(|it| {
            let numbered: Vec<_> = it.into_iter().enumerate().collect();
            (Just(numbered.clone()), Just(numbered).prop_shuffle())
        }),
        names in Just((0..8_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let text = Text::new(TEXT);
        let make = |list: &[(usize, (u64, EditSet))], name: &dyn Fn(usize) -> usize| -> Vec<EditProposal> {
            list.iter()
                .map(|(id, (priority, edits))| EditProposal { id: name(*id), priority: *priority, edits: edits.clone() })
                .collect()
        };
        let merged = merge(&text, make(&given, &|id| id));
        prop_assert_eq!(&merge(&text, make(&shuffled, &|id| id)), &merged);
        prop_assert_eq!(&merge(&text, make(&shuffled, &|id| names[id])).edits, &merged.edits);
        prop_assert_eq!(EditSet::new(&text, merged.edits.edits().to_vec()), Ok(merged.edits.clone()));
        prop_assert_eq!(merged.accepted.len() + merged.rejected.len(), given.len());
        let edits_of = |id: usize| &given[id].1.1;
        for (n, &a) in merged.accepted.iter().enumerate() {
            prop_assert!(edits_of(a).edits().iter().all(|edit| merged.edits.edits().contains(edit)));
            for &b in &merged.accepted[..n] {
                prop_assert!(!exclude(edits_of(a), edits_of(b)), "{} and {}", a, b);
            }
        }
        for rejected in &merged.rejected {
            let MergeError::Clash(clash) = &rejected.reason else { panic!("{rejected:?}") };
            prop_assert!(merged.accepted.contains(&clash.with));
            prop_assert!(given[clash.with].1.0 <= given[rejected.id].1.0, "priority decides");
            prop_assert!(exclude(edits_of(clash.with), edits_of(rejected.id)));
            prop_assert!(edits_of(clash.with).edits().contains(&clash.accepted));
            prop_assert!(edits_of(rejected.id).edits().contains(&clash.refused));
            prop_assert_eq!(clash_kind(&clash.accepted, &clash.refused), Some(clash.kind));
        }
    }
}

/// How many accepted units are looked at while `n` proposals are added in an order that suits nobody.
fn looked_at(n: u32, edit: impl Fn(u32) -> Edit) -> usize {
    let text = Text::new(vec![b'x'; 4 * n as usize]);
    let mut merge = Merge::new(&text);
    let mut total = 0;
    for step in 0..n {
        // A prime stride visits every place once, far apart.
        let edits = EditSet::new(&text, vec![edit((u64::from(step) * 7919 % u64::from(n)) as u32)])
            .unwrap();
        for unit in units(&edits) {
            let mut clashed = false;
            total += merge
                .neighbours(unit)
                .take_while(|it| {
                    !std::mem::replace(
                        &mut clashed,
                        *it.unit != *unit && units_clash(&it.unit, unit),
                    )
                })
                .count();
        }
        let _ = merge.accept(step as usize, &edits);
    }
    total
}

/// Each lookup is one descent of a tree; what is looked at beside it must not grow with what is accepted.
#[test]
fn work_grows_with_the_edits_and_not_with_their_square() {
    let shapes: [fn(u32) -> Edit; 5] = [
        |n| Edit::replace(4 * n, 4 * n + 4, "adjacent"),
        |n| Edit::insert(4 * n, "apart"),
        |n| Edit::insert(0, n.to_string()),
        |_| Edit::delete(0, 4),
        |n| Edit::replace(n, 4 * n, "overlapping"),
    ];
    for shape in shapes {
        let (small, large) = (looked_at(1_000, shape), looked_at(10_000, shape));
        assert!(large <= 12 * small.max(1) && large <= 3 * 10_000, "{small} grows to {large}");
    }
}

/// AE-14, AE-16: a million edits, half of which lose.
#[test]
fn a_million_edits_merge() {
    let n = 500_000_u32;
    let text = Text::new(vec![b'x'; 2 * n as usize]);
    let all = |new: &str, from: u32| {
        let edits =
            (0..n).rev().map(|at| Edit::replace(2 * at + from, 2 * at + from + 1, new)).collect();
        EditSet::new(&text, edits).unwrap()
    };
    let mut merge = Merge::new(&text);
    merge.accept(0, &all("a", 0)).unwrap();
    merge.accept(1, &all("b", 1)).unwrap();
    assert!(merge.check(&all("c", 0)).is_err());
    let edits = merge.finish();
    assert_eq!(edits.edits().len(), 1_000_000);
    assert!(edits.apply(&text).unwrap().bytes().chunks(2).all(|pair| pair == b"ab"));
}
