//! A topological order of the strongly connected components of a graph (Tarjan, 1972).

/// The strongly connected components of a graph whose nodes are numbers: what a node leads to is in the same component or
/// in an earlier one. Does not recurse.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let n_nodes = edges.len();
    let mut order = vec![UNSEEN; n_nodes];
    let mut lowest = vec![0; n_nodes];
    let mut is_open = vec![false; n_nodes];
    let mut open = Vec::new();
    let mut components = Vec::new();
    let mut n_seen = 0;
    for start in 0..n_nodes {
        if order[start] != UNSEEN {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((node, next)) = path.pop() {
            if next == 0 {
                order[node] = n_seen;
                lowest[node] = n_seen;
                n_seen += 1;
                open.push(node);
                is_open[node] = true;
            }
            match edges[node].get(next) {
                Some(&target) => {
                    path.push((node, next + 1));
                    if order[target] == UNSEEN {
                        path.push((target, 0));
                    } else if is_open[target] {
                        lowest[node] = lowest[node].min(order[target]);
                    }
                }
                None => {
                    if let Some(&(parent, _)) = path.last() {
                        lowest[parent] = lowest[parent].min(lowest[node]);
                    }
                    if lowest[node] == order[node] {
                        let first = open
                            .iter()
                            .rposition(|it| *it == node)
                            .expect("a node stays open until its component is complete");
                        let component = open.split_off(first);
                        for it in &component {
                            is_open[*it] = false;
                        }
                        components.push(component);
                    }
                }
            }
        }
    }
    components
}

/// A shortest way from one node to another, both included.
pub(crate) fn shortest_path(edges: &[Vec<usize>], from: usize, to: usize) -> Option<Vec<usize>> {
    let mut came_from = vec![None; edges.len()];
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            let mut path = vec![to];
            while let Some(&last) = path.last()
                && last != from
            {
                path.push(came_from[last]?);
            }
            path.reverse();
            return Some(path);
        }
        for &target in &edges[node] {
            if target != from && came_from[target].is_none() {
                came_from[target] = Some(node);
                queue.push_back(target);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_needed_comes_first_and_cycles_are_one_component() {
        let edges = [vec![1, 3], vec![2], vec![1], vec![3], vec![0]];
        let found: Vec<Vec<usize>> = components(&edges)
            .into_iter()
            .map(|mut it| {
                it.sort_unstable();
                it
            })
            .collect();
        assert_eq!(found, [vec![1, 2], vec![3], vec![0], vec![4]]);
        assert_eq!(shortest_path(&edges, 1, 1), Some(vec![1]));
        assert_eq!(shortest_path(&edges, 0, 2), Some(vec![0, 1, 2]));
        assert_eq!(shortest_path(&edges, 2, 4), None);
    }

    #[test]
    fn long_chains_need_no_stack() {
        let n_nodes = 200_000;
        let edges: Vec<Vec<usize>> =
            (0..n_nodes).map(|it| if it + 1 < n_nodes { vec![it + 1] } else { vec![] }).collect();
        assert_eq!(components(&edges).len(), n_nodes);
    }
}
