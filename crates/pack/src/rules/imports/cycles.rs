//! Cycles of a graph, a bounded number of them: enough that every node that is part of one is seen to be.
//!
//! Nodes are numbers in the order of their names, so that the smallest node of a cycle is the one with the smallest name.

use std::collections::{HashMap, VecDeque};

/// A group of nodes that all import each other can have more cycles than anyone wants to read.
const MAX_CYCLES_PER_GROUP: usize = 50;

/// Which node imports which. Every target is a node.
#[derive(Debug)]
pub(super) struct FileGraph {
    /// Where the targets of each node start, and where those of the last one end.
    starts: Vec<usize>,
    targets: Vec<usize>,
}

impl FileGraph {
    /// Takes edges in order. Edges of nodes that are not below `n_nodes` are left out.
    pub(super) fn new(n_nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> FileGraph {
        let mut starts = Vec::with_capacity(n_nodes + 1);
        let mut targets = Vec::new();
        for (from, to) in edges.filter(|it| it.0 < n_nodes && it.1 < n_nodes) {
            starts.resize(starts.len().max(from + 1), targets.len());
            targets.push(to);
        }
        starts.resize(n_nodes + 1, targets.len());
        FileGraph { starts, targets }
    }

    fn n_nodes(&self) -> usize {
        self.starts.len() - 1
    }

    /// What a node imports.
    pub(super) fn next(&self, node: usize) -> &[usize] {
        &self.targets[self.starts[node]..self.starts[node + 1]]
    }
}

/// Shortest cycles, each from its smallest node on. A node that is the smallest of a cycle is in no later one.
pub(super) fn find(graph: &FileGraph) -> Vec<Vec<usize>> {
    let n_nodes = graph.n_nodes();
    let mut search =
        Search { graph, parts: vec![0; n_nodes], n_parts: 0, marks: vec![None; n_nodes] };
    let mut cycles = Vec::new();
    let all: Vec<usize> = (0..n_nodes).collect();
    for group in search.groups(&all) {
        let mut left = vec![group];
        let mut n_found = 0;
        while let Some(group) = left.pop() {
            let Some((&smallest, rest)) = group.split_first() else { continue };
            let Some(cycle) = search.shortest(smallest, &group) else { continue };
            cycles.push(cycle);
            n_found += 1;
            if n_found == MAX_CYCLES_PER_GROUP {
                break;
            }
            left.extend(search.groups(rest));
        }
    }
    cycles.sort();
    cycles
}

/// What is looked at, in vectors that are as long as the graph and are used again for every part of it.
struct Search<'a> {
    graph: &'a FileGraph,
    /// The part that each node was last taken into.
    parts: Vec<usize>,
    n_parts: usize,
    marks: Vec<Option<Mark>>,
}

#[derive(Clone, Copy)]
struct Mark {
    order: usize,
    low: usize,
    is_open: bool,
}

impl Search<'_> {
    /// Takes nodes into a part of their own, and gives its number.
    fn part(&mut self, nodes: &[usize]) -> usize {
        self.n_parts += 1;
        nodes.iter().for_each(|it| self.parts[*it] = self.n_parts);
        self.n_parts
    }

    /// The shortest way from `start` back to itself inside the group.
    fn shortest(&mut self, start: usize, group: &[usize]) -> Option<Vec<usize>> {
        let part = self.part(group);
        let mut came_from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for &next in self.graph.next(node) {
                if next == start {
                    let mut way = vec![node];
                    let mut at = node;
                    while let Some(&before) = came_from.get(&at) {
                        way.push(before);
                        at = before;
                    }
                    way.reverse();
                    return Some(way);
                }
                if self.parts[next] == part && !came_from.contains_key(&next) {
                    came_from.insert(next, node);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Tarjan's strongly connected components of some nodes that hold a cycle, each in order; with a stack of their
    /// own, because a chain of imports may be as long as there are files.
    fn groups(&mut self, nodes: &[usize]) -> Vec<Vec<usize>> {
        let graph = self.graph;
        let part = self.part(nodes);
        nodes.iter().for_each(|it| self.marks[*it] = None);
        let mut n_seen = 0;
        let mut open: Vec<usize> = Vec::new();
        let mut found = Vec::new();
        for &root in nodes {
            if self.marks[root].is_some() {
                continue;
            }
            let mut walk: Vec<(usize, usize)> = vec![(root, 0)];
            while let Some((node, n_done)) = walk.pop() {
                if n_done == 0 {
                    self.marks[node] = Some(Mark { order: n_seen, low: n_seen, is_open: true });
                    n_seen += 1;
                    open.push(node);
                }
                if let Some(&next) = graph.next(node).get(n_done) {
                    walk.push((node, n_done + 1));
                    match self.marks[next] {
                        _ if self.parts[next] != part => {}
                        None => walk.push((next, 0)),
                        Some(mark) if mark.is_open => self.lower(node, mark.order),
                        Some(_) => {}
                    }
                    continue;
                }
                let Some(mark) = self.marks[node] else { continue };
                if let Some((parent, _)) = walk.last() {
                    self.lower(*parent, mark.low);
                }
                if mark.low == mark.order {
                    let group = self.close(&mut open, node);
                    let is_cycle = group.len() > 1 || graph.next(node).contains(&node);
                    found.extend(is_cycle.then_some(group));
                }
            }
        }
        found
    }

    fn lower(&mut self, node: usize, low: usize) {
        if let Some(mark) = &mut self.marks[node] {
            mark.low = mark.low.min(low);
        }
    }

    fn close(&mut self, open: &mut Vec<usize>, last: usize) -> Vec<usize> {
        let start = open.iter().rposition(|it| *it == last).unwrap_or_default();
        let mut group = open.split_off(start);
        for node in &group {
            if let Some(mark) = &mut self.marks[*node] {
                mark.is_open = false;
            }
        }
        group.sort_unstable();
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(edges: &[(usize, usize)], expected: &[&[usize]]) {
        let mut edges = edges.to_vec();
        edges.sort_unstable();
        assert_eq!(find(&FileGraph::new(5, edges.into_iter())), expected);
    }

    #[test]
    fn every_cycle_starts_at_its_smallest_node() {
        check(&[], &[]);
        check(&[(0, 1), (1, 2)], &[]);
        check(&[(1, 0), (0, 1)], &[&[0, 1]]);
        check(&[(4, 4)], &[&[4]]);
        check(&[(2, 0), (0, 1), (1, 2)], &[&[0, 1, 2]]);
        check(&[(0, 1), (1, 0), (1, 2), (2, 1)], &[&[0, 1], &[1, 2]]);
        check(&[(0, 1), (1, 0), (3, 0), (0, 4)], &[&[0, 1]]);
        check(&[(0, 1), (1, 2), (2, 0), (1, 0)], &[&[0, 1]]);
        check(&[(0, 3), (3, 0), (1, 2), (2, 1), (2, 4)], &[&[0, 3], &[1, 2]]);
    }

    #[test]
    fn edges_are_kept_by_their_nodes() {
        let graph = FileGraph::new(4, [(1, 0), (1, 3), (3, 2), (3, 9)].into_iter());
        let next: Vec<&[usize]> = (0..4).map(|it| graph.next(it)).collect();
        assert_eq!(next, [&[] as &[usize], &[0, 3], &[], &[2]]);
    }

    /// A chain as long as the workspace, many small cycles, and a group with more cycles than can be listed.
    #[test]
    fn long_chains_and_dense_groups_end() {
        let n_nodes = 20_000;
        let chain = FileGraph::new(n_nodes, (1..n_nodes).map(|it| (it - 1, it)));
        assert!(find(&chain).is_empty());
        let pairs = FileGraph::new(n_nodes, (0..n_nodes).map(|it| (it, it ^ 1)));
        assert_eq!(find(&pairs).len(), n_nodes / 2);
        let dense = (0..60).flat_map(|from| (0..60).map(move |to| (from, to)));
        assert_eq!(find(&FileGraph::new(60, dense)).len(), MAX_CYCLES_PER_GROUP);
    }
}
