//! Which facts say something about what the goal is about.

use rustc_hash::FxHashMap;

use crate::term::{Node, Term, Terms};

/// The facts that are connected with the goal by shared terms, directly or through other facts, and the others.
/// Both keep their order.
pub(super) fn split(terms: &Terms, facts: &[Term], goal: Term) -> (Vec<Term>, Vec<Term>) {
    let mut groups = Groups::default();
    let goal = groups.group(goal);
    for fact in facts {
        groups.group(*fact);
    }
    // New terms come last: this visits every term once.
    let mut next = 0;
    while next < groups.terms.len() {
        for part in terms.parts(groups.terms[next]) {
            if !is_constant(terms, part) {
                let part = groups.group(part);
                groups.join(next as u32, part);
            }
        }
        next += 1;
    }
    let near = groups.root(goal);
    facts.iter().partition(|fact| {
        let group = groups.group(**fact);
        groups.root(group) == near || is_constant(terms, **fact)
    })
}

fn is_constant(terms: &Terms, term: Term) -> bool {
    matches!(terms.node(term), Node::Bool(_) | Node::Int(_) | Node::Constant(_))
}

/// Terms in groups: each points to another one of its group, or to itself.
#[derive(Default)]
struct Groups {
    numbers: FxHashMap<Term, u32>,
    terms: Vec<Term>,
    parents: Vec<u32>,
}

impl Groups {
    fn group(&mut self, term: Term) -> u32 {
        *self.numbers.entry(term).or_insert_with(|| {
            let number = self.terms.len() as u32;
            self.terms.push(term);
            self.parents.push(number);
            number
        })
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.parents[number as usize] != number {
            let grandparent = self.parents[self.parents[number as usize] as usize];
            self.parents[number as usize] = grandparent;
            number = grandparent;
        }
        number
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
