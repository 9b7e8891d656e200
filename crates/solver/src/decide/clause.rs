//! Propositional literals, and clauses with two watched literals each (Moskewicz et al., "Chaff", 2001).

/// A propositional variable or its opposite.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Literal(u32);

impl Literal {
    pub(super) fn positive(variable: u32) -> Literal {
        Literal(variable << 1)
    }

    pub(super) fn negated(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    pub(super) fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }

    fn idx(self) -> usize {
        self.0 as usize
    }
}

/// Clauses of two or more literals. The first two of each are watched: they are the last to become false.
#[derive(Default)]
pub(super) struct Clauses {
    literals: Vec<Literal>,
    ranges: Vec<(u32, u32)>,
    watching: Vec<Vec<u32>>,
}

impl Clauses {
    pub(super) fn add_variable(&mut self) {
        self.watching.push(Vec::new());
        self.watching.push(Vec::new());
    }

    pub(super) fn add(&mut self, literals: &[Literal]) -> u32 {
        let clause = self.ranges.len() as u32;
        let start = self.literals.len() as u32;
        self.literals.extend_from_slice(literals);
        self.ranges.push((start, self.literals.len() as u32));
        for literal in &literals[..2] {
            self.watching[literal.idx()].push(clause);
        }
        clause
    }

    pub(super) fn literals(&self, clause: u32) -> &[Literal] {
        let (start, end) = self.ranges[clause as usize];
        &self.literals[start as usize..end as usize]
    }

    pub(super) fn literals_mut(&mut self, clause: u32) -> &mut [Literal] {
        let (start, end) = self.ranges[clause as usize];
        &mut self.literals[start as usize..end as usize]
    }

    /// Takes out the clauses that watch the literal, to be given back or given on.
    pub(super) fn take_watching(&mut self, literal: Literal) -> Vec<u32> {
        std::mem::take(&mut self.watching[literal.idx()])
    }

    pub(super) fn watch(&mut self, literal: Literal, clause: u32) {
        self.watching[literal.idx()].push(clause);
    }

    pub(super) fn give_back(&mut self, literal: Literal, clauses: Vec<u32>) {
        self.watching[literal.idx()] = clauses;
    }
}
