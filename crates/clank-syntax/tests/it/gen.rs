//! Arbitrary trees, with every kind of node, as a function of arbitrary bytes.

use clank_syntax::Span;
use clank_syntax::ast::*;
use proptest::prelude::*;

/// The same cases in every run. `PROPTEST_CASES` asks for more of them.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig {
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Valid trees: what the reader of AST JSON accepts.
pub(crate) fn trees() -> impl Strategy<Value = Ast> {
    prop::collection::vec(any::<u8>(), 0..600).prop_map(|bytes| tree(&bytes))
}

/// The tree that these bytes choose. Without bytes left, every choice is the first one, which has no children.
pub(crate) fn tree(bytes: &[u8]) -> Ast {
    let builder = Builder::new(Source { file: "ast-json".into(), text: String::new() });
    let mut maker = Maker { bytes, at: 0, depth: 0, builder };
    let mut declarations = Vec::new();
    while maker.at < bytes.len() && declarations.len() < 40 {
        declarations.push(maker.decl());
    }
    maker.builder.finish(declarations, NOWHERE).expect("no ids are given")
}

const NOWHERE: Span = Span { start: 0, end: 0 };
const VALUE_NAMES: [&str; 7] = ["x", "y", "as", "result", "_a", "éλ", "long_name_9"];
const TYPE_NAMES: [&str; 6] = ["Int", "T", "Option", "Point", "IO", "Ünit"];
const TEXTS: [&str; 10] = [
    "",
    "a",
    "\"",
    "\\",
    "\n\r\t\0",
    "`",
    "${x}",
    "$",
    "// no comment /*",
    "\u{1}\u{7f}é€😀\u{2028}",
];

struct Maker<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    builder: Builder,
}

impl Maker<'_> {
    /// One of `n` choices.
    fn pick(&mut self, n: usize) -> usize {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::from(byte) % n
    }

    /// One of `n` choices of which the first `n_leaves` have no children.
    fn pick_node(&mut self, n: usize, n_leaves: usize) -> usize {
        if self.depth > 12 { self.pick(n_leaves) } else { self.pick(n) }
    }

    fn flag(&mut self) -> bool {
        self.pick(2) == 1
    }

    fn value_name(&mut self) -> Name {
        VALUE_NAMES[self.pick(VALUE_NAMES.len())].into()
    }

    fn type_name(&mut self) -> Name {
        TYPE_NAMES[self.pick(TYPE_NAMES.len())].into()
    }

    fn qualified(&mut self) -> Name {
        match self.pick(4) {
            3 => format!("{}.{}", self.value_name(), self.type_name()).into(),
            _ => self.type_name(),
        }
    }

    fn any_name(&mut self) -> Name {
        if self.flag() { self.type_name() } else { self.value_name() }
    }

    fn text(&mut self) -> String {
        let n = self.pick(3);
        (0..n).map(|_| TEXTS[self.pick(TEXTS.len())]).collect()
    }

    fn many<T>(&mut self, least: usize, mut make: impl FnMut(&mut Self) -> T) -> Box<[T]> {
        let n = least + self.pick(3);
        (0..n).map(|_| make(self)).collect()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| make(self))
    }

    fn decl(&mut self) -> DeclId {
        let it = match self.pick(9) {
            0 => Decl::Mod { name: self.value_name() },
            1 => Decl::Use(Box::new(self.use_decl())),
            2 => Decl::TypeAlias {
                name: self.type_name(),
                type_params: self.type_params(),
                ty: self.ty(),
            },
            3 => Decl::Rec {
                name: self.type_name(),
                type_params: self.type_params(),
                fields: self.many(0, Self::field),
            },
            4 => Decl::Sum {
                name: self.type_name(),
                type_params: self.type_params(),
                variants: self.many(0, Self::variant),
            },
            5 => {
                let js_name = self.text();
                self.external_fn(Some(js_name))
            }
            6 => Decl::ExternalMod {
                name: self.value_name(),
                js_module: self.text(),
                functions: self.many(0, |it| {
                    let function = it.external_fn(None);
                    it.builder.decl(function, NOWHERE)
                }),
            },
            _ => Decl::Fn(Box::new(FnDecl {
                name: self.value_name(),
                type_params: self.type_params(),
                params: self.many(0, Self::param),
                return_type: self.ty(),
                precondition: self.maybe(Self::expr),
                postcondition: self.maybe(Self::expr),
                body: self.block(),
            })),
        };
        self.builder.decl(it, NOWHERE)
    }

    fn use_decl(&mut self) -> UseDecl {
        if self.flag() {
            let path = Box::new([Name::from(self.text())]);
            let alias = match self.pick(3) {
                0 => None,
                1 => Some("_".into()),
                _ => Some(self.value_name()),
            };
            return UseDecl { path, items: Box::new([]), alias, is_external: true };
        }
        let path = self.many(1, Self::any_name);
        let items = self.many(0, Self::any_name);
        let alias = if items.is_empty() { self.maybe(Self::value_name) } else { None };
        UseDecl { path, items, alias, is_external: false }
    }

    fn external_fn(&mut self, js_name: Option<String>) -> Decl {
        let name = self.value_name();
        Decl::ExternalFn(Box::new(ExternalFn {
            type_params: self.type_params(),
            params: self.many(0, Self::param),
            return_type: self.ty(),
            js_name: js_name.unwrap_or_else(|| name.to_string()),
            name,
        }))
    }

    fn type_params(&mut self) -> Box<[TypeParamId]> {
        self.many(0, |it| {
            let param = TypeParam { name: it.type_name(), constraint: it.maybe(Self::ty) };
            it.builder.type_param(param, NOWHERE)
        })
    }

    fn param(&mut self) -> ParamId {
        let param = Param { name: self.value_name(), ty: self.ty() };
        self.builder.param(param, NOWHERE)
    }

    fn field(&mut self) -> FieldId {
        let field = Field { name: self.value_name(), ty: self.ty() };
        self.builder.field(field, NOWHERE)
    }

    fn variant(&mut self) -> VariantId {
        let name = self.type_name();
        let fields = self.many(0, |it| {
            let field = VariantField { name: it.maybe(Self::value_name), ty: it.ty() };
            it.builder.variant_field(field, NOWHERE)
        });
        self.builder.variant(Variant { name, fields }, NOWHERE)
    }

    fn ty(&mut self) -> TypeId {
        self.depth += 1;
        let it = match self.pick_node(8, 1) {
            1 => Type::Array { element: self.ty() },
            2 => Type::Tuple { elements: self.many(1, Self::ty) },
            3 => Type::Function { params: self.many(0, Self::ty), result: self.ty() },
            4 => Type::Refined {
                base: self.ty(),
                variable: self.maybe(Self::value_name),
                predicate: self.expr(),
            },
            5 => Type::Effect { effects: self.many(1, Self::ty), result: self.ty() },
            6 => Type::Record { fields: self.many(0, Self::field), open: self.flag() },
            7 => Type::Named { name: self.qualified(), args: self.many(0, Self::ty) },
            _ => Type::Named { name: self.qualified(), args: Box::new([]) },
        };
        self.depth -= 1;
        self.builder.ty(it, NOWHERE)
    }

    fn pattern(&mut self) -> PatternId {
        self.depth += 1;
        let it = match self.pick_node(7, 3) {
            0 => Pattern::Wildcard,
            1 => Pattern::Ident { name: self.value_name() },
            2 => Pattern::Literal(match self.pick(4) {
                0 => Literal::Int { value: (-5).into(), suffix: None },
                1 => Literal::Float(-0.0),
                _ => self.literal(),
            }),
            3 => Pattern::Tuple { elements: self.many(1, Self::pattern) },
            4 => Pattern::Record {
                fields: self.many(0, |it| {
                    let field =
                        FieldPattern { name: it.value_name(), pattern: it.maybe(Self::pattern) };
                    it.builder.field_pattern(field, NOWHERE)
                }),
            },
            _ => Pattern::Variant { name: self.qualified(), payload: self.many(0, Self::pattern) },
        };
        self.depth -= 1;
        self.builder.pattern(it, NOWHERE)
    }

    fn literal(&mut self) -> Literal {
        match self.pick(5) {
            0 => Literal::Unit,
            1 => Literal::Bool(self.flag()),
            2 => Literal::Str(self.text()),
            3 => {
                let floats = [0.0, 1.0, 0.1, 1e21, 1e-9, f64::MAX, f64::MIN_POSITIVE, 123456.75];
                Literal::Float(floats[self.pick(floats.len())])
            }
            _ => {
                let values = ["0", "7", "340282366920938463463374607431768211456"];
                let value = values[self.pick(values.len())].parse().expect("digits");
                let suffix = [None, Some(IntSuffix::I32), Some(IntSuffix::I64)][self.pick(3)];
                Literal::Int { value, suffix }
            }
        }
    }

    fn stmt(&mut self) -> StmtId {
        self.depth += 1;
        let it = match self.pick_node(11, 3) {
            0 => Stmt::Break,
            1 => Stmt::Continue,
            2 => Stmt::Return { value: None },
            3 => Stmt::Return { value: Some(self.expr()) },
            4 => Stmt::Let {
                pattern: self.pattern(),
                ty: self.maybe(Self::ty),
                init: self.expr(),
                mutable: self.flag(),
            },
            5 => Stmt::Assign { target: self.expr(), value: self.expr() },
            6 => Stmt::For { pattern: self.pattern(), iterable: self.expr(), body: self.block() },
            7 => Stmt::While { condition: self.expr(), body: self.block() },
            8 => Stmt::Loop { body: self.block() },
            9 => Stmt::Assert { condition: self.expr(), message: self.maybe(Self::text) },
            _ => Stmt::Expr { expr: self.expr() },
        };
        self.depth -= 1;
        self.builder.stmt(it, NOWHERE)
    }

    fn block(&mut self) -> ExprId {
        let statements = self.many(0, Self::stmt);
        let expr = self.maybe(Self::expr);
        self.builder.expr(Expr::Block { statements, expr }, NOWHERE)
    }

    fn field_init(&mut self) -> FieldInitId {
        let field = FieldInit { name: self.value_name(), value: self.expr() };
        self.builder.field_init(field, NOWHERE)
    }

    fn expr(&mut self) -> ExprId {
        self.depth += 1;
        let it = match self.pick_node(22, 3) {
            0 => Expr::Ident { name: self.any_name() },
            1 => Expr::Literal(self.literal()),
            2 => Expr::Hole { name: self.maybe(Self::value_name) },
            3 => Expr::Template { parts: self.template() },
            4 => {
                let op = if self.flag() { UnaryOp::Not } else { UnaryOp::Neg };
                Expr::Unary { op, operand: self.expr() }
            }
            5..=7 => Expr::Binary {
                op: BinaryOp::ALL[self.pick(BinaryOp::ALL.len())],
                left: self.expr(),
                right: self.expr(),
            },
            8 => Expr::Call { callee: self.expr(), args: self.many(0, Self::expr) },
            9 => Expr::Index { object: self.expr(), index: self.expr() },
            10 => Expr::Field { object: self.expr(), field: self.any_name() },
            11 => {
                let object = self.expr();
                Expr::Field { object, field: ["0", "1", "12"][self.pick(3)].into() }
            }
            12 => Expr::Lambda {
                params: self.many(0, |it| {
                    let name = if it.flag() { "_".into() } else { it.value_name() };
                    let param = LambdaParam { name, ty: it.maybe(Self::ty) };
                    it.builder.lambda_param(param, NOWHERE)
                }),
                body: self.expr(),
            },
            13 => {
                let it = self.if_expr();
                self.depth -= 1;
                return it;
            }
            14 => Expr::Match {
                scrutinee: self.expr(),
                arms: self.many(0, |it| {
                    let arm =
                        Arm { pattern: it.pattern(), guard: it.maybe(Self::expr), body: it.expr() };
                    it.builder.arm(arm, NOWHERE)
                }),
            },
            15 => {
                self.depth -= 1;
                return self.block();
            }
            16 => Expr::Array { elements: self.many(0, Self::expr) },
            17 => Expr::Tuple { elements: self.many(1, Self::expr) },
            18 => Expr::Record { fields: self.many(1, Self::field_init) },
            19 => {
                Expr::RecordLit { name: self.qualified(), fields: self.many(0, Self::field_init) }
            }
            20 => Expr::Range { start: self.expr(), end: self.expr(), inclusive: self.flag() },
            _ => Expr::Propagate { expr: self.expr() },
        };
        self.depth -= 1;
        self.builder.expr(it, NOWHERE)
    }

    fn if_expr(&mut self) -> ExprId {
        let (condition, then_branch) = (self.expr(), self.block());
        let else_branch = match self.pick(3) {
            0 => None,
            1 => Some(self.block()),
            _ => Some(self.if_expr()),
        };
        self.builder.expr(Expr::If { condition, then_branch, else_branch }, NOWHERE)
    }

    /// Parts of which no two texts are neighbours and no text is empty.
    fn template(&mut self) -> Box<[TemplatePart]> {
        let mut parts: Vec<TemplatePart> = Vec::new();
        for _ in 0..self.pick(4) {
            let text = self.text();
            match parts.last() {
                Some(TemplatePart::Text(_)) => {}
                _ if text.is_empty() => {}
                _ => {
                    parts.push(TemplatePart::Text(text));
                    continue;
                }
            }
            parts.push(TemplatePart::Expr(self.expr()));
        }
        parts.into()
    }
}
