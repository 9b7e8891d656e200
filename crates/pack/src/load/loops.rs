//! Deprecations that lead in a circle: each key would be replaced by another for ever, or all of them be removed.

use std::collections::HashMap;

use document::Pointer;

use super::reader::ManifestProblems;
use crate::rules::deprecated::{Deprecated, Successor};
use crate::rules::{PackRule, RuleBody};

/// Refuses the rules of every circle that is found; `places` are those of the rules in the manifest.
pub(super) fn refuse(problems: &mut ManifestProblems<'_>, rules: &[PackRule], places: &[Pointer]) {
    let mut by_key: HashMap<&str, Vec<(usize, &Deprecated)>> = HashMap::new();
    for (idx, rule) in rules.iter().enumerate() {
        if let RuleBody::Deprecated(body) = &rule.body {
            by_key.entry(&body.key).or_default().push((idx, body));
        }
    }
    let next = |idx: usize| -> Vec<usize> {
        let RuleBody::Deprecated(body) = &rules[idx].body else { return Vec::new() };
        let Successor::Key(replacement) = &body.successor else { return Vec::new() };
        let others = by_key.get(replacement.as_str()).into_iter().flatten();
        others.filter(|it| it.1.at.meets(&body.at)).map(|it| it.0).collect()
    };
    let mut is_entered = vec![false; rules.len()];
    for start in 0..rules.len() {
        if let Some(circle) = circle_from(start, &next, &mut is_entered) {
            let ids: Vec<String> = circle.iter().map(|it| format!("`{}`", rules[*it].id)).collect();
            let message = match ids.as_slice() {
                [first, rest @ .., last] => {
                    let rest: String = rest.iter().map(|it| format!(", {it}")).collect();
                    format!("{first}{rest} and {last} replace keys in a cycle; remove one of them")
                }
                _ => "a key cannot replace itself".to_owned(),
            };
            problems.value(&places[circle[0]].join("replacement"), message);
        }
    }
}

/// A circle among what was not entered before and can be reached from here.
fn circle_from(
    start: usize,
    next: &dyn Fn(usize) -> Vec<usize>,
    is_entered: &mut [bool],
) -> Option<Vec<usize>> {
    if std::mem::replace(&mut is_entered[start], true) {
        return None;
    }
    let mut way = vec![start];
    let mut open = vec![next(start)];
    while let Some(targets) = open.last_mut() {
        match targets.pop() {
            None => {
                open.pop();
                way.pop();
            }
            Some(target) => {
                if let Some(first) = way.iter().position(|it| *it == target) {
                    return Some(way.split_off(first));
                }
                if !std::mem::replace(&mut is_entered[target], true) {
                    way.push(target);
                    open.push(next(target));
                }
            }
        }
    }
    None
}
