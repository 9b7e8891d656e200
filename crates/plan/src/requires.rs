//! Which repairs require each other in a circle (RS-49).

/// The circles of a graph. Those that share a node count as one.
#[derive(Default)]
pub(crate) struct Circles {
    /// For every node that lies on one, its number.
    pub(crate) of: Vec<Option<usize>>,
    /// Their nodes, the lowest first.
    pub(crate) members: Vec<Vec<usize>>,
}

/// Finds the circles of the graph in which `edges` lead from each node to others.
pub(crate) fn circles(edges: &[Vec<usize>]) -> Circles {
    let mut search = Search {
        edges,
        order: vec![None; edges.len()],
        low: vec![0; edges.len()],
        is_on_stack: vec![false; edges.len()],
        stack: Vec::new(),
        next: 0,
        found: Circles { of: vec![None; edges.len()], members: Vec::new() },
    };
    for node in 0..edges.len() {
        if search.order[node].is_none() {
            search.visit(node);
        }
    }
    search.found
}

/// The search for strongly connected components by Tarjan, without recursion: a chain may have 100,000 links.
struct Search<'a> {
    edges: &'a [Vec<usize>],
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    is_on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    found: Circles,
}

impl Search<'_> {
    fn visit(&mut self, start: usize) {
        let mut path = vec![(start, 0)];
        self.enter(start);
        while let Some((node, next_edge)) = path.last_mut() {
            let node = *node;
            if let Some(&target) = self.edges[node].get(*next_edge) {
                *next_edge += 1;
                match self.order[target] {
                    None => {
                        self.enter(target);
                        path.push((target, 0));
                    }
                    Some(order) if self.is_on_stack[target] => {
                        self.low[node] = self.low[node].min(order);
                    }
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                self.low[*parent] = self.low[*parent].min(self.low[node]);
            }
            if self.order[node] == Some(self.low[node]) {
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = Some(self.next);
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.is_on_stack[node] = true;
    }

    /// Takes the component of `node` off the stack.
    fn leave(&mut self, node: usize) {
        let from = self.stack.iter().rposition(|it| *it == node).unwrap_or(0);
        let mut component = self.stack.split_off(from);
        component.sort_unstable();
        for &member in &component {
            self.is_on_stack[member] = false;
        }
        let is_circle = component.len() > 1 || self.edges[node].contains(&node);
        if is_circle {
            for &member in &component {
                self.found.of[member] = Some(self.found.members.len());
            }
            self.found.members.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_found_and_what_leads_to_them_is_not_part_of_them() {
        let found = circles(&[vec![1], vec![2, 3], vec![1], vec![], vec![4], vec![0]]);
        assert_eq!(found.of, [None, Some(0), Some(0), None, Some(1), None]);
        assert_eq!(found.members, [vec![1, 2], vec![4]]);
    }

    #[test]
    fn a_long_chain_is_no_circle_until_it_is_closed() {
        let mut edges: Vec<Vec<usize>> = (1..=100_000).map(|it| vec![it]).collect();
        edges.push(vec![]);
        assert_eq!(circles(&edges).members.len(), 0);
        edges[100_000] = vec![0];
        assert_eq!(circles(&edges).members[0].len(), 100_001);
    }
}
