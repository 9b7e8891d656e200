//! Which findings of a tree are still there after a change, and which are new.
//!
//! A finding is the same one if its source, rule and file are the same and it stands where the position map of the
//! edits puts the old one; of several at one place it is the one that says the same. Only then does its id count, because
//! an id numbers equal findings and the numbers move up when one of them goes; and its pointer comes last, because indexes
//! move too. Every finding is matched at most once. The findings of a file that gets another path go with it.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use check::Diagnostic;
use edit::{Bias, Mapped, PositionMap};
use snapshot::TreeChange;

use crate::assessment::Assessment;

/// What a change did to the findings.
#[derive(Debug)]
pub(crate) struct Comparison {
    /// The ids, in the tree before, of what is gone.
    pub(crate) gone: HashSet<String>,
    /// The indexes, in the assessment after, of what was not there before. In order.
    pub(crate) new: Vec<usize>,
    /// The paths before of the files that got another one, by that.
    renamed: HashMap<String, String>,
}

impl Comparison {
    /// The path before of the file that is at this path after.
    pub(crate) fn before<'a>(&'a self, path: &'a str) -> &'a str {
        self.renamed.get(path).map_or(path, String::as_str)
    }
}

type Group<'a> = (&'a str, &'a str, &'a str);

/// Compares two trees, of which the second is the first with `change`. Where it cannot be told which of several equal
/// findings is gone, it is one of the `claimed` ones.
pub(crate) fn compare(
    before: &Assessment,
    after: &Assessment,
    change: &TreeChange,
    claimed: &HashSet<&str>,
) -> Comparison {
    let (old, new) = unsettled(before, after, change);
    let mut groups: BTreeMap<Group<'_>, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for idx in old {
        let it = &before.diagnostics[idx];
        groups
            .entry((&it.source, &it.rule_id, after_path(change, &it.file)))
            .or_default()
            .0
            .push(idx);
    }
    for idx in new {
        groups.entry(group(&after.diagnostics[idx])).or_default().1.push(idx);
    }
    let maps: HashMap<&str, PositionMap> = change
        .edits()
        .iter()
        .map(|(path, it)| (after_path(change, path.as_str()), PositionMap::new(it)))
        .collect();
    let renamed = change.renames().iter().map(|(from, it)| (it.to.to_string(), from.to_string()));
    let mut comparison =
        Comparison { gone: HashSet::new(), new: Vec::new(), renamed: renamed.collect() };
    for ((_, _, file), (mut old, mut new)) in groups {
        old.sort_by_key(|idx| claimed.contains(before.diagnostics[*idx].diagnostic_id.as_str()));
        let map = maps.get(file);
        for likeness in Likeness::ALL {
            let keys_of_old = |idx: usize| likeness.old_keys(&before.diagnostics[idx], map);
            let keys_of_new = |idx: usize| likeness.key(&after.diagnostics[idx]);
            match_up(&mut old, &mut new, &keys_of_old, &keys_of_new);
        }
        comparison
            .gone
            .extend(old.iter().map(|idx| before.diagnostics[*idx].diagnostic_id.clone()));
        comparison.new.extend(new);
    }
    comparison.new.sort_unstable();
    comparison
}

/// The path after the change of what is at this path before it.
fn after_path<'a>(change: &'a TreeChange, path: &'a str) -> &'a str {
    change.renames().get(path).map_or(path, |it| it.to.as_str())
}

/// The findings, before and after, that are not plainly the same: most stand in files that nobody touched.
fn unsettled(
    before: &Assessment,
    after: &Assessment,
    change: &TreeChange,
) -> (Vec<usize>, Vec<usize>) {
    let touched = change.paths();
    let by_id: HashMap<&str, usize> = before
        .diagnostics
        .iter()
        .enumerate()
        .filter(|(_, it)| !touched.contains(it.file.as_str()))
        .map(|(idx, it)| (it.diagnostic_id.as_str(), idx))
        .collect();
    let mut is_settled = vec![false; before.diagnostics.len()];
    let mut new = Vec::new();
    for (idx, it) in after.diagnostics.iter().enumerate() {
        let same = by_id.get(it.diagnostic_id.as_str()).copied().filter(|old| {
            let old = &before.diagnostics[*old];
            group(old) == group(it) && old.location == it.location && old.message == it.message
        });
        match same {
            Some(old) => is_settled[old] = true,
            None => new.push(idx),
        }
    }
    let old = (0..before.diagnostics.len()).filter(|idx| !is_settled[*idx]).collect();
    (old, new)
}

fn group(diagnostic: &Diagnostic) -> Group<'_> {
    (&diagnostic.source, &diagnostic.rule_id, &diagnostic.file)
}

/// Takes out of both lists what has a key in common, in order.
fn match_up<'a>(
    old: &mut Vec<usize>,
    new: &mut Vec<usize>,
    keys_of_old: &dyn Fn(usize) -> Vec<Key<'a>>,
    key_of_new: &dyn Fn(usize) -> Option<Key<'a>>,
) {
    if old.is_empty() || new.is_empty() {
        return;
    }
    let mut open: HashMap<Key<'a>, VecDeque<usize>> = HashMap::new();
    for idx in new.iter() {
        if let Some(key) = key_of_new(*idx) {
            open.entry(key).or_default().push_back(*idx);
        }
    }
    let mut taken = HashSet::new();
    old.retain(|idx| {
        let found = keys_of_old(*idx).iter().find_map(|key| open.get_mut(key)?.pop_front());
        taken.extend(found);
        found.is_none()
    });
    new.retain(|idx| !taken.contains(idx));
}

/// By what two findings are taken for the same one, the surest first.
#[derive(Clone, Copy)]
enum Likeness {
    PlaceAndMessage,
    StartAndMessage,
    Place,
    Start,
    Id,
    Pointer,
    Nowhere,
}

#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Place(u32, u32, Option<&'a str>),
    Pointer(&'a str, Option<&'a str>),
    Id(&'a str),
    Start(u32, Option<&'a str>),
    Nowhere(Option<&'a str>),
}

impl Likeness {
    const ALL: [Likeness; 7] = [
        Likeness::PlaceAndMessage,
        Likeness::StartAndMessage,
        Likeness::Place,
        Likeness::Start,
        Likeness::Id,
        Likeness::Pointer,
        Likeness::Nowhere,
    ];

    /// The key of a finding in the tree where it was found.
    fn key(self, it: &Diagnostic) -> Option<Key<'_>> {
        let place = it.location.map(|it| (it.start_byte, it.end_byte));
        self.key_at(it, place)
    }

    /// The keys that the finding may have after the edits. Text that is put in at an end of its place may or may not
    /// belong to it.
    fn old_keys<'a>(self, it: &'a Diagnostic, map: Option<&PositionMap>) -> Vec<Key<'a>> {
        let (Some(location), Some(map)) = (it.location, map) else {
            return self.key(it).into_iter().collect();
        };
        let kept = |offset, bias| match map.map(offset, bias) {
            Mapped::Kept(offset) => Some(offset),
            Mapped::Deleted(_) => None,
        };
        let mut keys = Vec::new();
        for start_bias in [Bias::After, Bias::Before] {
            for end_bias in [Bias::Before, Bias::After] {
                let start = kept(location.start_byte, start_bias);
                let place = start.zip(kept(location.end_byte, end_bias));
                let key = match self {
                    Likeness::Start | Likeness::StartAndMessage => {
                        start.map(|start| Key::Start(start, self.message(it)))
                    }
                    // A place that is gone leaves the finding its id and its pointer.
                    Likeness::PlaceAndMessage | Likeness::Place if place.is_none() => None,
                    _ => self.key_at(it, place),
                };
                keys.extend(key.filter(|key| !keys.contains(key)));
            }
        }
        keys
    }

    fn message(self, it: &Diagnostic) -> Option<&str> {
        let counts = matches!(self, Likeness::PlaceAndMessage | Likeness::StartAndMessage);
        counts.then_some(it.message.as_str())
    }

    fn key_at(self, it: &Diagnostic, place: Option<(u32, u32)>) -> Option<Key<'_>> {
        let message = self.message(it);
        match self {
            Likeness::PlaceAndMessage | Likeness::Place => Some(match (place, &it.json_pointer) {
                (Some((start, end)), _) => Key::Place(start, end, message),
                (None, Some(pointer)) => Key::Pointer(pointer, message),
                (None, None) => Key::Nowhere(message),
            }),
            Likeness::Id => Some(Key::Id(&it.diagnostic_id)),
            Likeness::Start | Likeness::StartAndMessage => {
                place.map(|(start, _)| Key::Start(start, message))
            }
            Likeness::Pointer => it.json_pointer.as_deref().map(|it| Key::Pointer(it, None)),
            Likeness::Nowhere => {
                (place.is_none() && it.json_pointer.is_none()).then_some(Key::Nowhere(None))
            }
        }
    }
}
