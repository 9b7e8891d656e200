//! Cycles of a graph, a bounded number of them: enough that every file that is part of one is seen to be.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use snapshot::RelPath;

/// A group of files that all import each other can have more cycles than anyone wants to read.
const MAX_CYCLES_PER_GROUP: usize = 50;

type Graph<'a> = BTreeMap<&'a RelPath, Vec<&'a RelPath>>;

/// Shortest cycles, each from its smallest path on. A path that is the smallest of a cycle is in no later one.
pub(super) fn find<'a>(graph: &Graph<'a>) -> Vec<Vec<&'a RelPath>> {
    let mut cycles = Vec::new();
    for group in groups(graph, None) {
        let mut left = vec![group];
        let mut n_found = 0;
        while let Some(group) = left.pop() {
            let Some(&smallest) = group.first() else { continue };
            let Some(cycle) = shortest(graph, smallest, &group) else { continue };
            cycles.push(cycle);
            n_found += 1;
            if n_found == MAX_CYCLES_PER_GROUP {
                break;
            }
            let rest: BTreeSet<&RelPath> = group.into_iter().filter(|it| *it != smallest).collect();
            left.extend(groups(graph, Some(&rest)));
        }
    }
    cycles.sort();
    cycles
}

/// The shortest way from `start` back to itself inside the group.
fn shortest<'a>(
    graph: &Graph<'a>,
    start: &'a RelPath,
    group: &BTreeSet<&'a RelPath>,
) -> Option<Vec<&'a RelPath>> {
    let mut came_from: HashMap<&RelPath, &'a RelPath> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &next in graph.get(node).into_iter().flatten() {
            if next == start {
                let mut way = vec![node];
                let mut at = node;
                while let Some(&before) = came_from.get(at) {
                    way.push(before);
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            if group.contains(next) && !came_from.contains_key(next) {
                came_from.insert(next, node);
                queue.push_back(next);
            }
        }
    }
    None
}

/// Tarjan's strongly connected components that hold a cycle, with a stack of their own: a chain of imports may be as
/// long as there are files.
fn groups<'a>(
    graph: &Graph<'a>,
    only: Option<&BTreeSet<&'a RelPath>>,
) -> Vec<BTreeSet<&'a RelPath>> {
    let is_in = |node: &RelPath| only.is_none_or(|only| only.contains(node));
    let mut seen: HashMap<&RelPath, Mark> = HashMap::new();
    let mut open: Vec<&'a RelPath> = Vec::new();
    let mut found = Vec::new();
    for &root in graph.keys().filter(|it| is_in(it)) {
        if seen.contains_key(root) {
            continue;
        }
        let mut walk: Vec<(&'a RelPath, usize)> = vec![(root, 0)];
        while let Some((node, n_done)) = walk.pop() {
            if n_done == 0 {
                let order = seen.len();
                seen.insert(node, Mark { order, low: order, is_open: true });
                open.push(node);
            }
            let next = graph.get(node).and_then(|it| it.get(n_done)).copied();
            if let Some(next) = next {
                walk.push((node, n_done + 1));
                match seen.get(next).copied() {
                    None if is_in(next) => walk.push((next, 0)),
                    Some(mark) if mark.is_open => lower(&mut seen, node, mark.order),
                    _ => {}
                }
                continue;
            }
            let Some(mark) = seen.get(node).copied() else { continue };
            if let Some((parent, _)) = walk.last() {
                lower(&mut seen, parent, mark.low);
            }
            if mark.low == mark.order {
                let group = close(&mut open, &mut seen, node);
                let is_cycle =
                    group.len() > 1 || graph.get(node).is_some_and(|it| it.contains(&node));
                found.extend(is_cycle.then_some(group));
            }
        }
    }
    found
}

#[derive(Clone, Copy)]
struct Mark {
    order: usize,
    low: usize,
    is_open: bool,
}

fn lower(seen: &mut HashMap<&RelPath, Mark>, node: &RelPath, low: usize) {
    if let Some(mark) = seen.get_mut(node) {
        mark.low = mark.low.min(low);
    }
}

fn close<'a>(
    open: &mut Vec<&'a RelPath>,
    seen: &mut HashMap<&RelPath, Mark>,
    last: &RelPath,
) -> BTreeSet<&'a RelPath> {
    let mut group = BTreeSet::new();
    while let Some(node) = open.pop() {
        if let Some(mark) = seen.get_mut(node) {
            mark.is_open = false;
        }
        group.insert(node);
        if node == last {
            break;
        }
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(edges: &[(&str, &str)], expected: &[&str]) {
        let path = |it: &str| RelPath::parse(it).unwrap();
        let edges: Vec<(RelPath, RelPath)> =
            edges.iter().map(|it| (path(it.0), path(it.1))).collect();
        let mut graph: Graph<'_> = BTreeMap::new();
        for (from, to) in &edges {
            graph.entry(from).or_default().push(to);
        }
        let found: Vec<String> = find(&graph)
            .iter()
            .map(|it| it.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_cycle_starts_at_its_smallest_path() {
        check(&[("a", "b"), ("b", "c")], &[]);
        check(&[("b", "a"), ("a", "b")], &["a b"]);
        check(&[("a", "a")], &["a"]);
        check(&[("c", "a"), ("a", "b"), ("b", "c")], &["a b c"]);
        check(&[("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")], &["a b", "b c"]);
        check(&[("a", "b"), ("b", "a"), ("x", "a"), ("a", "y")], &["a b"]);
        check(&[("a", "b"), ("b", "c"), ("c", "a"), ("b", "a")], &["a b"]);
    }

    /// A chain as long as the workspace, and a group with more cycles than can be listed.
    #[test]
    fn long_chains_and_dense_groups_end() {
        let paths: Vec<RelPath> =
            (0..20_000).map(|it| RelPath::parse(&format!("f{it:05}")).unwrap()).collect();
        let chain: Graph<'_> =
            paths.iter().zip(paths.iter().skip(1)).map(|(from, to)| (from, vec![to])).collect();
        assert!(find(&chain).is_empty());
        let dense: Graph<'_> =
            paths[..60].iter().map(|from| (from, paths[..60].iter().collect())).collect();
        assert_eq!(find(&dense).len(), MAX_CYCLES_PER_GROUP);
    }
}
