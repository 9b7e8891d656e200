//! What was found out about a goal: proved, refuted, or neither (row 27).

/// What was found out about a goal.
#[derive(Clone, PartialEq, Debug)]
pub enum Proof {
    /// What is known where it must hold implies it. Nothing is checked at run time.
    Discharged,
    /// What is known implies that it does not hold, and can be true: an error.
    Refuted(Doubt),
    /// Neither. It is checked when the program runs.
    Unknown(Doubt),
}

/// Why a goal is not proved.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Doubt {
    /// One line, for people.
    pub reason: String,
    /// Values for which it does not hold.
    pub counterexample: Option<Counterexample>,
    /// What is known there, in the program's own words.
    pub facts: Vec<Fact>,
}

/// Values that agree with everything that is known and for which a goal does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// Names and other terms of the program as they are written, each with its value as a Clank literal; by the order
    /// in which the program binds them.
    pub values: Vec<(String, String)>,
    /// Whether it rests on values that only a run can decide: results of calls, of loops, of products.
    pub is_candidate: bool,
}

/// Something that is known where a goal must hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// As a Clank expression.
    pub proposition: String,
    /// Why it holds: `parameter n`, `condition`, `assert`, `result of f`, …
    pub source: String,
}

impl Proof {
    /// Whether it holds without a check.
    pub fn is_discharged(&self) -> bool {
        matches!(self, Proof::Discharged)
    }

    /// Why it is not proved, if it is not.
    pub fn doubt(&self) -> Option<&Doubt> {
        match self {
            Proof::Discharged => None,
            Proof::Refuted(it) | Proof::Unknown(it) => Some(it),
        }
    }
}
