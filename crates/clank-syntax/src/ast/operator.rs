//! Operators and how tightly they bind.

/// An operator before its operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum UnaryOp {
    Neg,
    Not,
}

impl UnaryOp {
    /// The ASCII spelling.
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Neg => "-",
            UnaryOp::Not => "!",
        }
    }
}

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum BinaryOp {
    Pipe,
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Concat,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
}

impl BinaryOp {
    /// Every operator.
    pub const ALL: [BinaryOp; 16] = [
        BinaryOp::Pipe,
        BinaryOp::Or,
        BinaryOp::And,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Gt,
        BinaryOp::Le,
        BinaryOp::Ge,
        BinaryOp::Concat,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Div,
        BinaryOp::Rem,
        BinaryOp::Pow,
    ];

    /// The ASCII spelling.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Pipe => "|>",
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Concat => "++",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Pow => "^",
        }
    }

    /// The operator with that spelling, ASCII or Unicode.
    pub fn from_text(text: &str) -> Option<BinaryOp> {
        match text {
            "≠" => Some(BinaryOp::Ne),
            "≤" => Some(BinaryOp::Le),
            "≥" => Some(BinaryOp::Ge),
            "∧" => Some(BinaryOp::And),
            "∨" => Some(BinaryOp::Or),
            _ => BinaryOp::ALL.into_iter().find(|it| it.text() == text),
        }
    }

    /// How tightly it binds: more is tighter. A range (`a..b`) is [`BinaryOp::RANGE`], a prefix operator is tighter than
    /// all, and what follows an operand (calls, fields) is tighter still.
    pub fn precedence(self) -> u8 {
        match self {
            BinaryOp::Pipe => 1,
            BinaryOp::Or => 2,
            BinaryOp::And => 3,
            BinaryOp::Eq | BinaryOp::Ne => 4,
            BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge => 5,
            BinaryOp::Concat => 7,
            BinaryOp::Add | BinaryOp::Sub => 8,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => 9,
            BinaryOp::Pow => 10,
        }
    }

    /// The precedence of a range, which does not associate.
    pub const RANGE: u8 = 6;

    /// Whether `a op b op c` is `a op (b op c)`.
    pub fn is_right_associative(self) -> bool {
        self == BinaryOp::Pow
    }
}
