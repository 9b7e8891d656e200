//! The little JavaScript that generated files are made of: statements and expressions with optional types and with the
//! places in Clank that they come from. TypeScript and JavaScript are printed from the same tree.

use clank_syntax::ast::{Name, NodeId};
use clank_syntax::with_stack;

/// A node of a module of the program: where a piece of generated code comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NodeOrigin {
    /// Which module, by its place in the program.
    pub(crate) module: u32,
    pub(crate) node: NodeId,
}

/// A type as TypeScript writes it.
pub(crate) type TsType = String;

/// An expression and how deep it is.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    /// How many operators and calls are nested in it; lowering keeps it small.
    pub(crate) depth: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Ident(Name),
    /// `name<types>`, in TypeScript only.
    Generic {
        name: Name,
        types: String,
    },
    /// A bigint, by its decimal digits.
    Int(String),
    Float(f64),
    Str(String),
    Bool(bool),
    Undefined,
    Template(Vec<TemplatePart>),
    Unary {
        op: &'static str,
        operand: Box<Expr>,
    },
    Binary {
        op: &'static str,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Call {
        callee: Box<Expr>,
        args: Vec<Expr>,
        origin: Option<NodeOrigin>,
    },
    /// `object.name`
    Member {
        object: Box<Expr>,
        name: Name,
    },
    /// `object[index]`
    Element {
        object: Box<Expr>,
        index: Box<Expr>,
    },
    Array(Vec<ArrayItem>),
    Object(Vec<(Name, Expr)>),
    Arrow(Box<Arrow>),
    /// `operand as ty`, in TypeScript only.
    As {
        operand: Box<Expr>,
        ty: TsType,
    },
    /// An expression of the host, as the program gives it; printed in parentheses unless it is a path of names.
    Host(String),
}

#[derive(Clone, Debug)]
pub(crate) enum TemplatePart {
    Text(String),
    Expr(Expr),
}

/// An element of an array.
#[derive(Clone, Debug)]
pub(crate) struct ArrayItem {
    pub(crate) spread: bool,
    pub(crate) expr: Expr,
}

#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) params: Vec<(Name, Option<TsType>)>,
    pub(crate) result: Option<TsType>,
    pub(crate) body: ArrowBody,
}

#[derive(Clone, Debug)]
pub(crate) enum ArrowBody {
    Expr(Expr),
    Block(JsBlock),
}

/// Statements in braces.
#[derive(Clone, Debug, Default)]
pub(crate) struct JsBlock(pub(crate) Vec<Stmt>);

/// Blocks may be nested as deep as a hostile program is.
impl Drop for JsBlock {
    fn drop(&mut self) {
        if !self.0.is_empty() {
            with_stack(|| drop(std::mem::take(&mut self.0)));
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) origin: Option<NodeOrigin>,
}

impl Stmt {
    /// Whether it makes a constant of that name.
    pub(crate) fn declares(&self, name: &str) -> bool {
        matches!(&self.kind, StmtKind::Const { target: BindingTarget::Name(it), .. } if it == name)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    /// `const`, or `let` for a pattern whose names are assigned to.
    Const {
        mutable: bool,
        target: BindingTarget,
        ty: Option<TsType>,
        init: Expr,
    },
    Let {
        name: Name,
        ty: Option<TsType>,
        init: Option<Expr>,
    },
    Assign {
        target: Expr,
        value: Expr,
    },
    Expr(Expr),
    If {
        branches: Vec<(Expr, JsBlock)>,
        otherwise: Option<JsBlock>,
    },
    Switch {
        subject: Expr,
        cases: Vec<SwitchCase>,
    },
    While {
        label: Option<Name>,
        condition: Expr,
        body: JsBlock,
    },
    ForOf {
        label: Option<Name>,
        target: BindingTarget,
        iterable: Expr,
        body: JsBlock,
    },
    /// `for (let name = start; name < end; name++)`, or `<=` if inclusive.
    Count {
        label: Option<Name>,
        name: Name,
        start: Expr,
        end: Expr,
        inclusive: bool,
        body: JsBlock,
    },
    Labelled {
        label: Name,
        body: JsBlock,
    },
    /// `{ … }`
    Scope(JsBlock),
    /// A comment for TypeScript only.
    TypedComment(&'static str),
    Return(Option<Expr>),
    Break(Option<Name>),
    Continue(Option<Name>),
}

/// What a constant or a loop binds.
#[derive(Clone, Debug)]
pub(crate) enum BindingTarget {
    Name(Name),
    /// `[a, , b]`
    Array(Vec<Option<BindingTarget>>),
    /// `{ a, b: c }`
    Object(Vec<(Name, BindingTarget)>),
}

/// `case …:`, or `default:` without tests.
#[derive(Clone, Debug)]
pub(crate) struct SwitchCase {
    pub(crate) tests: Vec<Expr>,
    pub(crate) body: JsBlock,
}

/// A declaration of a file.
#[derive(Clone, Debug)]
pub(crate) struct TopLevel {
    pub(crate) kind: DeclKind,
    pub(crate) export: bool,
    /// Lines before it, with their comment marks.
    pub(crate) comments: Vec<String>,
    pub(crate) origin: Option<NodeOrigin>,
}

#[derive(Clone, Debug)]
pub(crate) enum DeclKind {
    Function(FunctionDecl),
    /// `interface name<params> { … }`, in TypeScript only.
    Interface {
        name: Name,
        params: Vec<Name>,
        fields: Vec<(Name, TsType)>,
    },
    /// A union of tagged objects, in TypeScript only.
    Union {
        name: Name,
        params: Vec<Name>,
        variants: Vec<(Name, Vec<(Name, TsType)>)>,
    },
    Const {
        name: Name,
        ty: Option<TsType>,
        init: Expr,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct FunctionDecl {
    pub(crate) name: Name,
    pub(crate) type_params: Vec<Name>,
    pub(crate) params: Vec<(Name, TsType)>,
    pub(crate) result: TsType,
    pub(crate) body: JsBlock,
}

impl Expr {
    fn new(kind: ExprKind, below: impl IntoIterator<Item = u32>) -> Expr {
        Expr { kind, depth: 1 + below.into_iter().max().unwrap_or(0) }
    }

    pub(crate) fn ident(name: impl Into<Name>) -> Expr {
        Expr::new(ExprKind::Ident(name.into()), [])
    }

    /// A generic function with its type arguments written.
    pub(crate) fn instantiated(self, types: &[String]) -> Expr {
        match self.kind {
            ExprKind::Ident(name) if !types.is_empty() => {
                Expr::new(ExprKind::Generic { name, types: types.join(", ") }, [])
            }
            kind => Expr { kind, depth: self.depth },
        }
    }

    pub(crate) fn int(digits: impl ToString) -> Expr {
        Expr::new(ExprKind::Int(digits.to_string()), [])
    }

    pub(crate) fn float(value: f64) -> Expr {
        Expr::new(ExprKind::Float(value), [])
    }

    pub(crate) fn str(text: impl Into<String>) -> Expr {
        Expr::new(ExprKind::Str(text.into()), [])
    }

    pub(crate) fn bool(value: bool) -> Expr {
        Expr::new(ExprKind::Bool(value), [])
    }

    pub(crate) fn undefined() -> Expr {
        Expr::new(ExprKind::Undefined, [])
    }

    pub(crate) fn host(text: impl Into<String>) -> Expr {
        Expr::new(ExprKind::Host(text.into()), [])
    }

    pub(crate) fn unary(op: &'static str, operand: Expr) -> Expr {
        let depth = operand.depth;
        Expr::new(ExprKind::Unary { op, operand: Box::new(operand) }, [depth])
    }

    pub(crate) fn binary(op: &'static str, left: Expr, right: Expr) -> Expr {
        let depths = [left.depth, right.depth];
        Expr::new(ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, depths)
    }

    /// `left && right`, where nothing stands for what is true.
    pub(crate) fn and(left: Option<Expr>, right: Option<Expr>) -> Option<Expr> {
        match (left, right) {
            (Some(left), Some(right)) => Some(Expr::binary("&&", left, right)),
            (left, right) => left.or(right),
        }
    }

    pub(crate) fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        let depths = [condition.depth, then.depth, otherwise.depth];
        let kind = ExprKind::Conditional {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        };
        Expr::new(kind, depths)
    }

    pub(crate) fn call(callee: Expr, args: Vec<Expr>, origin: Option<NodeOrigin>) -> Expr {
        let depth = args.iter().map(|it| it.depth).max().unwrap_or(0).max(callee.depth);
        Expr::new(ExprKind::Call { callee: Box::new(callee), args, origin }, [depth])
    }

    pub(crate) fn member(self, name: impl Into<Name>) -> Expr {
        let depth = self.depth;
        Expr::new(ExprKind::Member { object: Box::new(self), name: name.into() }, [depth])
    }

    pub(crate) fn element(self, index: Expr) -> Expr {
        let depth = self.depth.max(index.depth);
        let kind = ExprKind::Element { object: Box::new(self), index: Box::new(index) };
        Expr::new(kind, [depth])
    }

    /// `self[position]` of a tuple.
    pub(crate) fn position(self, position: usize) -> Expr {
        self.element(Expr::new(ExprKind::Float(position as f64), []))
    }

    pub(crate) fn array(items: Vec<ArrayItem>) -> Expr {
        let depth = items.iter().map(|it| it.expr.depth).max().unwrap_or(0);
        Expr::new(ExprKind::Array(items), [depth])
    }

    pub(crate) fn list(elements: Vec<Expr>) -> Expr {
        Expr::array(elements.into_iter().map(|expr| ArrayItem { spread: false, expr }).collect())
    }

    pub(crate) fn object(fields: Vec<(Name, Expr)>) -> Expr {
        let depth = fields.iter().map(|it| it.1.depth).max().unwrap_or(0);
        Expr::new(ExprKind::Object(fields), [depth])
    }

    pub(crate) fn template(parts: Vec<TemplatePart>) -> Expr {
        let depth = parts.iter().map(|it| match it {
            TemplatePart::Text(_) => 0,
            TemplatePart::Expr(expr) => expr.depth,
        });
        let depth = depth.max().unwrap_or(0);
        Expr::new(ExprKind::Template(parts), [depth])
    }

    pub(crate) fn arrow(arrow: Arrow) -> Expr {
        let depth = match &arrow.body {
            ArrowBody::Expr(body) => body.depth,
            ArrowBody::Block(_) => 0,
        };
        Expr::new(ExprKind::Arrow(Box::new(arrow)), [depth])
    }

    pub(crate) fn typed(self, ty: TsType) -> Expr {
        let depth = self.depth;
        Expr::new(ExprKind::As { operand: Box::new(self), ty }, [depth])
    }

    /// `!self`, without a second `!` or a comparison that can be turned round.
    pub(crate) fn negated(self) -> Expr {
        let depth = self.depth;
        match self.kind {
            ExprKind::Unary { op: "!", operand } => *operand,
            ExprKind::Bool(value) => Expr::bool(!value),
            ExprKind::Binary { op: "===", left, right } => {
                Expr { kind: ExprKind::Binary { op: "!==", left, right }, depth }
            }
            ExprKind::Binary { op: "!==", left, right } => {
                Expr { kind: ExprKind::Binary { op: "===", left, right }, depth }
            }
            kind => Expr::unary("!", Expr { kind, depth }),
        }
    }

    pub(crate) fn is_ident(&self, name: &str) -> bool {
        matches!(&self.kind, ExprKind::Ident(it) if it == name)
    }

    /// Whether evaluating it does nothing else, so that it can be left out.
    pub(crate) fn is_pure(&self) -> bool {
        match &self.kind {
            ExprKind::Call { .. } | ExprKind::Host(_) => false,
            ExprKind::Template(parts) => parts.iter().all(|it| match it {
                TemplatePart::Text(_) => true,
                TemplatePart::Expr(expr) => expr.is_pure(),
            }),
            ExprKind::Unary { operand, .. } | ExprKind::As { operand, .. } => operand.is_pure(),
            ExprKind::Binary { left, right, .. } => left.is_pure() && right.is_pure(),
            ExprKind::Conditional { condition, then, otherwise } => {
                [condition, then, otherwise].into_iter().all(|it| it.is_pure())
            }
            ExprKind::Member { object, .. } => object.is_pure(),
            ExprKind::Element { object, index } => object.is_pure() && index.is_pure(),
            ExprKind::Array(items) => items.iter().all(|it| it.expr.is_pure()),
            ExprKind::Object(fields) => fields.iter().all(|it| it.1.is_pure()),
            _ => true,
        }
    }
}
