//! Questions from a seed, of many kinds.

use super::{Expr, Op};
use crate::Sort;

/// What a question is mostly about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum QuestionKind {
    Bounds,
    Chain,
    Linear,
    Equations,
    Apart,
    Division,
    Logic,
    Choice,
    Functions,
    Values,
    Index,
    Mixed,
}

/// All kinds.
pub const KINDS: [QuestionKind; 12] = [
    QuestionKind::Bounds,
    QuestionKind::Chain,
    QuestionKind::Linear,
    QuestionKind::Equations,
    QuestionKind::Apart,
    QuestionKind::Division,
    QuestionKind::Logic,
    QuestionKind::Choice,
    QuestionKind::Functions,
    QuestionKind::Values,
    QuestionKind::Index,
    QuestionKind::Mixed,
];

/// Do the facts imply the goal?
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Question {
    pub facts: Vec<Expr>,
    pub goal: Expr,
}

/// Numbers that look random and depend on the seed alone.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that always fall the same way.
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        // A linear congruence, of which only the upper bits are used.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33;
        low + (mixed % (high - low + 1).max(1) as u64) as i64
    }

    /// True `percent` times out of a hundred.
    pub fn chance(&mut self, percent: i64) -> bool {
        self.between(1, 100) <= percent
    }
}

/// A question of this kind.
pub fn question(kind: QuestionKind, dice: &mut Dice) -> Question {
    match kind {
        QuestionKind::Chain => chain(dice),
        QuestionKind::Index => index(dice),
        _ => {
            let n_atoms = dice.between(1, 5);
            let mut shape = QuestionForm { kind, n_atoms, dice };
            let n_facts = shape.dice.between(0, 7);
            let facts = (0..n_facts).map(|_| shape.fact(2)).collect();
            Question { facts, goal: shape.fact(1) }
        }
    }
}

fn op(op: Op, operands: impl Into<Vec<Expr>>) -> Expr {
    Expr::Op(op, operands.into())
}

fn int_atom(number: i64) -> Expr {
    Expr::Atom(number as u32, Sort::Int)
}

const COMPARISONS: [Op; 6] = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];

/// `x0 <= x1 + c, x1 < x2 …`, some the other way around: does the last follow from the first?
fn chain(dice: &mut Dice) -> Question {
    let length = dice.between(2, 9);
    let mut facts = Vec::new();
    let mut total = 0;
    for at in 0..length {
        let by = dice.between(-3, 3);
        total += by;
        let next = op(Op::Add, [int_atom(at + 1), Expr::Int(by)]);
        let how = [Op::Le, Op::Lt, Op::Eq, Op::Le][dice.between(0, 3) as usize];
        if dice.chance(95) {
            facts.push(op(how, [int_atom(at), next]));
        }
    }
    for at in (1..facts.len()).rev() {
        facts.swap(at, dice.between(0, at as i64) as usize);
    }
    let last = op(Op::Add, [int_atom(length), Expr::Int(total + dice.between(-3, 2))]);
    let how = COMPARISONS[dice.between(0, 5) as usize];
    Question { facts, goal: op(how, [int_atom(0), last]) }
}

/// What a program knows about an index and lengths: 5 to 20 facts, most of them about something else.
fn index(dice: &mut Dice) -> Question {
    let n_arrays = dice.between(1, 4);
    let length =
        |array: i64| Expr::Apply(7, vec![Expr::Atom(100 + array as u32, Sort::Other)], Sort::Int);
    let mut facts: Vec<Expr> =
        (0..n_arrays).map(|array| op(Op::Ge, [length(array), Expr::Int(0)])).collect();
    let n_facts = dice.between(5, 20);
    while (facts.len() as i64) < n_facts {
        let (a, b) = (int_atom(dice.between(0, 5)), int_atom(dice.between(0, 5)));
        let array = length(dice.between(0, n_arrays - 1));
        let by = Expr::Int(dice.between(-2, 2));
        facts.push(match dice.between(0, 7) {
            0 | 1 => op(Op::Ge, [a, Expr::Int(dice.between(0, 1))]),
            2 => op(Op::Lt, [a, array]),
            3 => op(Op::Lt, [op(Op::Add, [a, Expr::Int(dice.between(0, 2))]), array]),
            4 => op(Op::Eq, [a, op(Op::Sub, [array, Expr::Int(dice.between(0, 2))])]),
            5 => op(Op::Le, [a, op(Op::Add, [b, by])]),
            6 => op(Op::Eq, [a, op(Op::Div, [op(Op::Add, [b, array]), Expr::Int(2)])]),
            _ => op(Op::Or, [op(Op::Lt, [a.clone(), b.clone()]), op(Op::Le, [b, by])]),
        });
    }
    let at = op(Op::Add, [int_atom(dice.between(0, 5)), Expr::Int(dice.between(-1, 1))]);
    let array = length(dice.between(0, n_arrays - 1));
    let goal = match dice.between(0, 2) {
        0 => op(Op::Ge, [at, Expr::Int(0)]),
        1 => op(Op::Lt, [at, array]),
        _ => op(Op::And, [op(Op::Le, [Expr::Int(0), at.clone()]), op(Op::Lt, [at, array])]),
    };
    Question { facts, goal }
}

struct QuestionForm<'a> {
    kind: QuestionKind,
    n_atoms: i64,
    dice: &'a mut Dice,
}

impl QuestionForm<'_> {
    fn fact(&mut self, depth: u32) -> Expr {
        use QuestionKind::{Choice, Logic, Mixed};
        let nested = matches!(self.kind, Logic | Mixed | Choice) && depth > 0;
        if nested && self.dice.chance(if self.kind == Logic { 85 } else { 50 })
            || depth > 0 && self.dice.chance(12)
        {
            let a = self.fact(depth - 1);
            return match self.dice.between(0, 6) {
                0 => op(Op::Not, [a]),
                1 | 2 => {
                    let all: Vec<Expr> = (0..self.dice.between(1, 3))
                        .map(|_| self.fact(depth - 1))
                        .chain([a])
                        .collect();
                    op(if self.dice.chance(30) { Op::And } else { Op::Or }, all)
                }
                3 => op(Op::Implies, [a, self.fact(depth - 1)]),
                4 => op(Op::Eq, [a, self.fact(depth - 1)]),
                _ if matches!(self.kind, Choice | Mixed) => {
                    let (b, c) = (self.fact(depth - 1), self.fact(depth - 1));
                    op(Op::Ite, [a, b, c])
                }
                _ => op(Op::Or, [a, self.fact(depth - 1)]),
            };
        }
        self.comparison(depth)
    }

    fn comparison(&mut self, depth: u32) -> Expr {
        use QuestionKind::{Apart, Equations, Functions, Logic, Mixed, Values};
        if matches!(self.kind, Logic | Mixed) && self.dice.chance(35) {
            return self.flag(depth);
        }
        if self.kind == Values && self.dice.chance(85)
            || matches!(self.kind, Functions | Mixed) && self.dice.chance(15)
        {
            let (a, b) = (self.other(depth), self.other(depth));
            return op(if self.dice.chance(60) { Op::Eq } else { Op::Ne }, [a, b]);
        }
        let how = match self.kind {
            Equations if self.dice.chance(75) => Op::Eq,
            Apart if self.dice.chance(60) => Op::Ne,
            Functions if self.dice.chance(50) => Op::Eq,
            _ => COMPARISONS[self.dice.between(0, 5) as usize],
        };
        let left = self.int(depth);
        let right = if self.dice.chance(60) {
            Expr::Int(self.dice.between(-6, 6))
        } else {
            self.int(depth)
        };
        op(how, [left, right])
    }

    fn flag(&mut self, depth: u32) -> Expr {
        if depth > 0 && self.dice.chance(25) {
            let arg = self.int(0);
            return Expr::Apply(11, vec![arg], Sort::Bool);
        }
        Expr::Atom(200 + self.dice.between(0, self.n_atoms) as u32, Sort::Bool)
    }

    fn other(&mut self, depth: u32) -> Expr {
        match self.dice.between(0, 9) {
            0 | 1 => Expr::Constant(self.dice.between(0, 2) as u32),
            2 | 3 if depth > 0 => Expr::Apply(12, vec![self.other(depth - 1)], Sort::Other),
            4 if depth > 0 => Expr::Apply(13, vec![self.int(0), self.other(0)], Sort::Other),
            5 if depth > 0 => {
                let (condition, a, b) = (self.comparison(0), self.other(0), self.other(0));
                op(Op::Ite, [condition, a, b])
            }
            _ => Expr::Atom(100 + self.dice.between(0, self.n_atoms) as u32, Sort::Other),
        }
    }

    fn int(&mut self, depth: u32) -> Expr {
        let n_parts = match self.kind {
            QuestionKind::Bounds | QuestionKind::Apart => self.dice.between(1, 2),
            _ => self.dice.between(1, 3),
        };
        let mut parts: Vec<Expr> = (0..n_parts).map(|_| self.part(depth)).collect();
        if self.dice.chance(30) {
            parts.push(Expr::Int(self.dice.between(-9, 9)));
        }
        if parts.len() == 1 { parts.remove(0) } else { op(Op::Add, parts) }
    }

    fn part(&mut self, depth: u32) -> Expr {
        use QuestionKind::{Bounds, Choice, Division, Functions, Mixed};
        let percent = match self.kind {
            Mixed | Division => 20,
            _ => 40,
        };
        let whole = depth > 0 && self.dice.chance(percent);
        let leaf = match self.kind {
            Division if whole => self.divided(depth),
            Choice if whole => {
                let (condition, a, b) =
                    (self.comparison(depth - 1), self.int(depth - 1), self.int(depth - 1));
                op(Op::Ite, [condition, a, b])
            }
            Functions if whole => self.applied(depth),
            Mixed if whole => match self.dice.between(0, 2) {
                0 => self.divided(depth),
                1 => {
                    let (condition, a, b) = (self.flag(0), self.int(0), self.int(0));
                    op(Op::Ite, [condition, a, b])
                }
                _ => self.applied(depth),
            },
            _ => int_atom(self.dice.between(0, self.n_atoms - 1)),
        };
        let most = if self.kind == Bounds { 1 } else { 5 };
        match self.dice.between(-most, most) {
            0 | 1 => leaf,
            -1 => op(Op::Neg, [leaf]),
            by => op(Op::Mul, [Expr::Int(by), leaf]),
        }
    }

    fn divided(&mut self, depth: u32) -> Expr {
        let by = [2, 3, 4, 5, 7, -2, -3, 10][self.dice.between(0, 7) as usize];
        let how = if self.dice.chance(50) { Op::Div } else { Op::Rem };
        op(how, [self.int(depth - 1), Expr::Int(by)])
    }

    fn applied(&mut self, depth: u32) -> Expr {
        match self.dice.between(0, 3) {
            0 => Expr::Apply(9, vec![self.int(depth - 1), self.int(0)], Sort::Int),
            1 => Expr::Apply(7, vec![self.other(depth - 1)], Sort::Int),
            2 if depth > 1 => Expr::Apply(10, vec![self.flag(0)], Sort::Int),
            _ => Expr::Apply(8, vec![self.int(depth - 1)], Sort::Int),
        }
    }
}
