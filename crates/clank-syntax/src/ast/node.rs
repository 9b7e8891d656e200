//! What nodes there are.

use num_bigint::BigInt;

use super::{Ast, BinaryOp, Builder, Name, UnaryOp};

/// A node of an [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Its place in the list of nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The id of a node of one category, the category's shape and how a node holds it, and the accessor that goes from one to
/// the other. Declarations are few and large: without a box every node would take their room.
macro_rules! categories {
    ($($(#[$doc:meta])* $id:ident $kind:ident($held:ty) $accessor:ident;)*) => {
        /// What a node is.
        #[derive(Clone, PartialEq, Debug)]
        #[expect(missing_docs, reason = "every variant holds the type of its name")]
        pub enum AstKind {
            $($kind($held),)*
        }

        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
            pub struct $id(pub(super) NodeId);

            impl $id {
                /// The node without its category.
                pub fn node(self) -> NodeId {
                    self.0
                }

                /// The node, if it is of this category.
                pub fn of(ast: &Ast, node: NodeId) -> Option<$id> {
                    matches!(ast.node(node).kind, AstKind::$kind(_)).then_some($id(node))
                }

                /// The node, which must be of this category.
                pub(crate) fn assume(node: NodeId) -> $id {
                    $id(node)
                }

                /// The node of a tree in the making, if it is of this category.
                pub fn made(builder: &Builder, node: NodeId) -> Option<$id> {
                    matches!(builder.node(node).kind, AstKind::$kind(_)).then_some($id(node))
                }
            }

            impl From<$id> for NodeId {
                fn from(id: $id) -> NodeId {
                    id.0
                }
            }
        )*

        impl Ast {
            $(
                #[doc = concat!("The node as what it is: a [`", stringify!($kind), "`].")]
                pub fn $accessor(&self, id: $id) -> &$kind {
                    match &self.node(id.0).kind {
                        AstKind::$kind(it) => it,
                        _ => unreachable!("ids are only made for nodes of their category"),
                    }
                }
            )*
        }
    };
}

categories! {
    /// The whole program.
    ProgramId Program(Program) program;
    /// A declaration.
    DeclId Decl(Box<Decl>) decl;
    /// A statement.
    StmtId Stmt(Stmt) stmt;
    /// An expression.
    ExprId Expr(Expr) expr;
    /// A type as it is written.
    TypeId Type(Type) ty;
    /// A pattern.
    PatternId Pattern(Pattern) pattern;
    /// A parameter of a function.
    ParamId Param(Param) param;
    /// A parameter of a lambda.
    LambdaParamId LambdaParam(LambdaParam) lambda_param;
    /// A type parameter.
    TypeParamId TypeParam(TypeParam) type_param;
    /// A field of a record or record type.
    FieldId Field(Field) field;
    /// A variant of a sum.
    VariantId Variant(Variant) variant;
    /// A field of a variant.
    VariantFieldId VariantField(VariantField) variant_field;
    /// An arm of a `match`.
    ArmId Arm(Arm) arm;
    /// A field with its value in a record literal.
    FieldInitId FieldInit(FieldInit) field_init;
    /// A field with its pattern in a record pattern.
    FieldPatternId FieldPattern(FieldPattern) field_pattern;
}

impl AstKind {
    /// Whether it stands for what could not be read.
    pub fn is_error(&self) -> bool {
        match self {
            AstKind::Decl(it) => matches!(**it, Decl::Error { .. }),
            AstKind::Expr(it) => matches!(it, Expr::Error { .. }),
            AstKind::Type(it) => matches!(it, Type::Error { .. }),
            AstKind::Pattern(it) => matches!(it, Pattern::Error { .. }),
            _ => false,
        }
    }
}

/// The whole program.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Program {
    pub declarations: Box<[DeclId]>,
}

/// A declaration.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Decl {
    Fn(Box<FnDecl>),
    /// `external fn f(x: Int) -> Int = "host.expression"`
    ExternalFn(Box<ExternalFn>),
    /// `external mod m = "module" { fn f(x: Int) -> Int }`; every function is a [`Decl::ExternalFn`] whose `js_name` is
    /// its name.
    ExternalMod {
        name: Name,
        js_module: String,
        functions: Box<[DeclId]>,
    },
    TypeAlias {
        name: Name,
        type_params: Box<[TypeParamId]>,
        ty: TypeId,
    },
    Rec {
        name: Name,
        type_params: Box<[TypeParamId]>,
        fields: Box<[FieldId]>,
    },
    Sum {
        name: Name,
        type_params: Box<[TypeParamId]>,
        variants: Box<[VariantId]>,
    },
    Mod {
        name: Name,
    },
    Use(Box<UseDecl>),
    /// What could not be read, as it was written.
    Error {
        source: String,
    },
}

/// `fn f[T](x: T) -> T pre … post … { … }`
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct FnDecl {
    pub name: Name,
    pub type_params: Box<[TypeParamId]>,
    pub params: Box<[ParamId]>,
    pub return_type: TypeId,
    pub precondition: Option<ExprId>,
    pub postcondition: Option<ExprId>,
    /// An [`Expr::Block`].
    pub body: ExprId,
}

/// A function of the host.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ExternalFn {
    pub name: Name,
    pub type_params: Box<[TypeParamId]>,
    pub params: Box<[ParamId]>,
    pub return_type: TypeId,
    /// A JavaScript expression that is called.
    pub js_name: String,
}

/// `use a.b`, `use a.b.{f, T}`, `use a.b as c`, `use external "module" as m`
#[derive(Clone, PartialEq, Debug)]
pub struct UseDecl {
    /// The segments; for an external module one, its name as it is written between the quotes.
    pub path: Box<[Name]>,
    /// The names in braces; empty without braces.
    pub items: Box<[Name]>,
    /// The name after `as`; `_` is allowed for an external module.
    pub alias: Option<Name>,
    /// Whether it is a module of the host.
    pub is_external: bool,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Stmt {
    Let {
        pattern: PatternId,
        ty: Option<TypeId>,
        init: ExprId,
        mutable: bool,
    },
    Assign {
        target: ExprId,
        value: ExprId,
    },
    /// An expression whose value is not used. As the last of a block it is written with `;`.
    Expr {
        expr: ExprId,
    },
    For {
        pattern: PatternId,
        iterable: ExprId,
        body: ExprId,
    },
    While {
        condition: ExprId,
        body: ExprId,
    },
    Loop {
        body: ExprId,
    },
    Return {
        value: Option<ExprId>,
    },
    Break,
    Continue,
    Assert {
        condition: ExprId,
        message: Option<String>,
    },
}

/// A literal. As a pattern a number may be negative; as an expression it never is.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Literal {
    Int {
        value: BigInt,
        suffix: Option<IntSuffix>,
    },
    /// Always finite.
    Float(f64),
    Str(String),
    Bool(bool),
    Unit,
}

/// The width that an integer literal states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum IntSuffix {
    I32,
    I64,
}

/// A part of a template.
#[derive(Clone, PartialEq, Debug)]
pub enum TemplatePart {
    /// Text, with escapes resolved.
    Text(String),
    /// `${ … }`
    Expr(ExprId),
}

/// An expression.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Expr {
    Literal(Literal),
    /// Two texts never follow one another and no text is empty.
    Template {
        parts: Box<[TemplatePart]>,
    },
    /// A value or a constructor.
    Ident {
        name: Name,
    },
    Unary {
        op: UnaryOp,
        operand: ExprId,
    },
    Binary {
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    },
    Call {
        callee: ExprId,
        args: Box<[ExprId]>,
    },
    Index {
        object: ExprId,
        index: ExprId,
    },
    /// A field of a record, a position of a tuple (`t.0`), or a name of a module (`m.f`).
    Field {
        object: ExprId,
        field: Name,
    },
    Lambda {
        params: Box<[LambdaParamId]>,
        body: ExprId,
    },
    /// `then_branch` is a [`Expr::Block`], `else_branch` a block or another `if`.
    If {
        condition: ExprId,
        then_branch: ExprId,
        else_branch: Option<ExprId>,
    },
    Match {
        scrutinee: ExprId,
        arms: Box<[ArmId]>,
    },
    Block {
        statements: Box<[StmtId]>,
        expr: Option<ExprId>,
    },
    Array {
        elements: Box<[ExprId]>,
    },
    /// At least one element; `(x,)` has one.
    Tuple {
        elements: Box<[ExprId]>,
    },
    /// `{ f: v }`; at least one field.
    Record {
        fields: Box<[FieldInitId]>,
    },
    /// `Name { f: v }`; the name may be qualified (`m.Name`).
    RecordLit {
        name: Name,
        fields: Box<[FieldInitId]>,
    },
    /// `a..b` or `a..=b`
    Range {
        start: ExprId,
        end: ExprId,
        inclusive: bool,
    },
    /// `e?`
    Propagate {
        expr: ExprId,
    },
    /// `_` or `?name`
    Hole {
        name: Option<Name>,
    },
    /// What could not be read, as it was written.
    Error {
        source: String,
    },
}

/// A type as it is written.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Type {
    /// A primitive, a declared type, a type parameter or an effect; the name may be qualified (`m.Name`).
    Named {
        name: Name,
        args: Box<[TypeId]>,
    },
    Array {
        element: TypeId,
    },
    /// At least one element; `(T,)` has one.
    Tuple {
        elements: Box<[TypeId]>,
    },
    /// Effects are in the result: `(A) -> IO + B` has an [`Type::Effect`] there.
    Function {
        params: Box<[TypeId]>,
        result: TypeId,
    },
    Refined {
        base: TypeId,
        variable: Option<Name>,
        predicate: ExprId,
    },
    /// `IO + Err[E] + T`
    Effect {
        effects: Box<[TypeId]>,
        result: TypeId,
    },
    /// `{ x: Int }`, or `{ x: Int, .. }` if open.
    Record {
        fields: Box<[FieldId]>,
        open: bool,
    },
    /// What could not be read, as it was written.
    Error {
        source: String,
    },
}

/// A pattern.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Pattern {
    Wildcard,
    Ident {
        name: Name,
    },
    Literal(Literal),
    /// At least one element; `(p,)` has one. `()` is the unit literal.
    Tuple {
        elements: Box<[PatternId]>,
    },
    /// `{ x, y: p }`; fields may be left out.
    Record {
        fields: Box<[FieldPatternId]>,
    },
    /// The name may be qualified (`m.Name`).
    Variant {
        name: Name,
        payload: Box<[PatternId]>,
    },
    /// What could not be read, as it was written.
    Error {
        source: String,
    },
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Param {
    pub name: Name,
    pub ty: TypeId,
}

/// A parameter of a lambda. The name may be `_`.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct LambdaParam {
    pub name: Name,
    pub ty: Option<TypeId>,
}

/// A type parameter.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct TypeParam {
    pub name: Name,
    pub constraint: Option<TypeId>,
}

/// A field of a record or record type.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Field {
    pub name: Name,
    pub ty: TypeId,
}

/// A variant of a sum.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Variant {
    pub name: Name,
    pub fields: Box<[VariantFieldId]>,
}

/// A field of a variant.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct VariantField {
    pub name: Option<Name>,
    pub ty: TypeId,
}

/// An arm of a `match`.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Arm {
    pub pattern: PatternId,
    pub guard: Option<ExprId>,
    pub body: ExprId,
}

/// A field with its value in a record literal.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct FieldInit {
    pub name: Name,
    pub value: ExprId,
}

/// A field with its pattern in a record pattern. Without a pattern it binds its own name.
#[derive(Clone, PartialEq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct FieldPattern {
    pub name: Name,
    pub pattern: Option<PatternId>,
}
