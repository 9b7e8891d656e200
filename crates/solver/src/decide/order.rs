//! The order in which variables are decided: variable move to front, those of the latest conflict first (Ryan, 2004; the
//! queue with time stamps is that of Biere and Fröhlich, 2015).

const NONE: u32 = u32::MAX;

/// A list of all variables, linked both ways, and the place from which the next one is looked for. Every variable behind
/// that place is assigned.
pub(super) struct Order {
    before: Vec<u32>,
    after: Vec<u32>,
    /// When the variable came to the end of the list.
    stamp: Vec<u64>,
    last: u32,
    from: u32,
    now: u64,
}

impl Order {
    pub(super) fn new() -> Order {
        Order {
            before: Vec::new(),
            after: Vec::new(),
            stamp: Vec::new(),
            last: NONE,
            from: NONE,
            now: 0,
        }
    }

    pub(super) fn add_variable(&mut self) {
        let variable = self.before.len() as u32;
        self.before.push(NONE);
        self.after.push(NONE);
        self.stamp.push(0);
        self.append(variable);
        self.from = variable;
    }

    /// The variable took part in a conflict.
    pub(super) fn bump(&mut self, variable: usize, assigned: bool) {
        let variable = variable as u32;
        if self.last == variable {
            return;
        }
        let (before, after) = (self.before[variable as usize], self.after[variable as usize]);
        if self.from == variable {
            // What is behind stays assigned; the search goes on before it.
            self.from = if before == NONE { after } else { before };
        }
        if before != NONE {
            self.after[before as usize] = after;
        }
        if after != NONE {
            self.before[after as usize] = before;
        }
        self.append(variable);
        if !assigned {
            self.from = variable;
        }
    }

    pub(super) fn unassigned(&mut self, variable: usize) {
        if self.from == NONE || self.stamp[variable] > self.stamp[self.from as usize] {
            self.from = variable as u32;
        }
    }

    pub(super) fn next(&mut self, is_assigned: impl Fn(usize) -> bool) -> Option<usize> {
        while self.from != NONE {
            if !is_assigned(self.from as usize) {
                return Some(self.from as usize);
            }
            let before = self.before[self.from as usize];
            if before == NONE {
                return None;
            }
            self.from = before;
        }
        None
    }

    fn append(&mut self, variable: u32) {
        self.before[variable as usize] = self.last;
        self.after[variable as usize] = NONE;
        if self.last != NONE {
            self.after[self.last as usize] = variable;
        }
        self.last = variable;
        self.now += 1;
        self.stamp[variable as usize] = self.now;
    }
}
