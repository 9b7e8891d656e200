//! What one generated file knows of itself: its modules, the names at its top level, what it imports, the helpers that
//! it uses, and how Clank's types are written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clank::CheckedBody;
use clank::body::{Body, BodyView, Resolution};
use clank::code::Code;
use clank::diagnostic::Diagnostic;
use clank::env::{Env, TypeBody, TypeDef};
use clank::ty::{FnTy, Prim, Ty, TypeKey};
use clank_syntax::ast::{Ast, Comments, Decl, DeclId, ExprId, Name, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::exports::ExportNames;
use super::lower::DeclFacts;
use super::names::{self, INNER_HELPERS};
use super::shape::Shapes;
use super::shown::RuntimeShapes;
use super::tree::{Expr, NodeOrigin};
use crate::runtime;

/// A checked module, as code generation sees it.
pub(crate) struct SourceModule<'a> {
    pub(crate) file: &'a Name,
    pub(crate) ast: &'a Ast,
    pub(crate) env: &'a Env,
    pub(crate) bodies: &'a BTreeMap<DeclId, CheckedBody>,
    /// The comments of declarations.
    pub(crate) comments: BTreeMap<NodeId, Comments>,
    pub(crate) exported: ExportNames,
    /// The patterns of arms that are never reached.
    pub(crate) redundant: FxHashSet<NodeId>,
}

/// The comments of a tree: those that it has, or those of its text.
pub(crate) fn comments_of(ast: &Ast) -> BTreeMap<NodeId, Comments> {
    let text = ast.sources().first().map_or("", |it| it.text.as_str());
    if !ast.comments().is_empty() || !(text.contains("//") || text.contains("/*")) {
        return ast.comments().clone();
    }
    let (tokens, _) = clank_syntax::lex(text);
    let parsed = clank_syntax::Parsed { ast: ast.clone(), tokens, errors: Vec::new() };
    clank_syntax::attach_comments(&parsed).comments().clone()
}

/// The patterns of arms that are never reached.
pub(crate) fn redundant_arms(diagnostics: &[Diagnostic]) -> FxHashSet<NodeId> {
    diagnostics.iter().filter(|it| it.code == Code::W0003).map(|it| it.node).collect()
}

/// The modules of a program.
pub(crate) struct SourceModules<'a> {
    pub(crate) list: Vec<SourceModule<'a>>,
    by_file: FxHashMap<&'a Name, usize>,
    pub(crate) shown: RuntimeShapes<'a>,
    /// The module that the program starts with.
    pub(crate) asked: Option<usize>,
    /// The functions that are not written.
    pub(crate) unreached: FxHashSet<DeclId>,
}

impl<'a> SourceModules<'a> {
    pub(crate) fn new(list: Vec<SourceModule<'a>>, asked: Option<usize>) -> SourceModules<'a> {
        let by_file = list.iter().enumerate().map(|(index, it)| (it.file, index)).collect();
        let shown = RuntimeShapes::new(&list);
        SourceModules { list, by_file, shown, asked, unreached: FxHashSet::default() }
    }

    /// The module with that file, by its place.
    pub(crate) fn find(&self, file: &str) -> Option<usize> {
        self.by_file.get(&Name::new(file)).copied()
    }
}

/// The body that nothing is known about.
static NO_BODY: Body =
    Body { types: Vec::new(), resolutions: Vec::new(), goals: Vec::new(), holes: Vec::new() };

impl<'a> SourceModule<'a> {
    /// What is known about a declaration.
    pub(crate) fn view(&self, decl: DeclId) -> BodyView<'a> {
        match self.bodies.get(&decl) {
            Some(body) => body.view(),
            None => {
                let first = NodeId(self.ast.subtree(decl).start);
                BodyView { first, body: &NO_BODY, proofs: &[] }
            }
        }
    }

    /// The declaration that a node is in.
    pub(crate) fn decl_of(&self, node: NodeId) -> Option<DeclId> {
        let decls = self.ast.declarations();
        decls.get(decls.partition_point(|it| it.node() < node)).copied()
    }
}

/// A value or a type of a module of the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct GlobalName {
    pub(crate) module: Name,
    /// The name under which the module exports it.
    pub(crate) name: Name,
}

/// What one generated file knows of itself.
pub(crate) struct FileCx<'a> {
    pub(crate) program: &'a SourceModules<'a>,
    pub(crate) index: usize,
    /// The helpers of the run-time library that are used.
    pub(crate) helpers: BTreeSet<&'static str>,
    /// The names at the top level of the file by the names that they are exported under.
    own: BTreeMap<Name, Name>,
    /// Names that nothing new at the top level, nor any local, may have.
    taken: FxHashSet<Name>,
    /// Every name that a local has somewhere in the file.
    locals: FxHashSet<Name>,
    /// By file and exported name: the name here, and whether it is used as a value.
    pub(crate) imports: BTreeMap<GlobalName, (Name, bool)>,
    pub(crate) shapes: Shapes,
    /// By module and declaration: what was made out about it.
    pub(crate) known: FxHashMap<(usize, NodeId), DeclFacts<'a>>,
    /// What is exported as `main` instead of it.
    pub(crate) start: Option<Name>,
}

impl<'a> FileCx<'a> {
    /// `avoid` are names that the file's declarations must not have.
    pub(crate) fn new(
        program: &'a SourceModules<'a>,
        index: usize,
        avoid: &BTreeSet<Name>,
    ) -> FileCx<'a> {
        let mut cx = FileCx {
            program,
            index,
            helpers: BTreeSet::new(),
            own: BTreeMap::new(),
            taken: INNER_HELPERS.iter().copied().map(Name::new).collect(),
            locals: FxHashSet::default(),
            imports: BTreeMap::new(),
            shapes: Shapes::default(),
            known: FxHashMap::default(),
            start: None,
        };
        let mut used: FxHashSet<Name> = avoid.iter().cloned().collect();
        for name in exported_names(cx.source()) {
            let free = names::free_name(&name, |it| used.contains(it));
            used.insert(free.clone());
            cx.own.insert(name, free);
        }
        cx.taken.extend(used);
        let imported = cx.source().env.modules.keys();
        for module in imported.chain([cx.source().file]) {
            let Some(source) = program.find(module).map(|it| &program.list[it]) else { continue };
            let bodies = source.bodies.values().map(|it| it.view().body);
            for (_, resolution) in bodies.flat_map(|it| &it.resolutions) {
                if let Resolution::Builtin(name) = resolution {
                    cx.taken.extend(runtime::helper_of(name).map(Name::new));
                }
            }
        }
        cx
    }

    pub(crate) fn source(&self) -> &'a SourceModule<'a> {
        &self.program.list[self.index]
    }

    pub(crate) fn origin(&self, node: impl Into<NodeId>) -> NodeOrigin {
        NodeOrigin { module: self.index as u32, node: node.into() }
    }

    /// The names of the file's own declarations.
    pub(crate) fn own_names(&self) -> impl Iterator<Item = Name> {
        self.own.values().cloned()
    }

    /// The declarations that have another name in the file than outside: here, there.
    pub(crate) fn renamed(&self) -> BTreeSet<(Name, Name)> {
        let renamed = self.own.iter().filter(|(exported, own)| exported != own);
        renamed.map(|(exported, own)| (own.clone(), exported.clone())).collect()
    }

    /// A helper of the run-time library.
    pub(crate) fn helper(&mut self, name: &'static str) -> Expr {
        self.helpers.insert(name);
        Expr::ident(name)
    }

    /// A call of a helper.
    pub(crate) fn call(
        &mut self,
        name: &'static str,
        args: Vec<Expr>,
        at: Option<NodeOrigin>,
    ) -> Expr {
        let callee = self.helper(name);
        Expr::call(callee, args, at)
    }

    /// A name for a local that is not taken at the top level.
    pub(crate) fn local(&mut self, name: &str, is_taken: impl Fn(&str) -> bool) -> Name {
        let free = names::free_name(name, |it| self.taken.contains(it) || is_taken(it));
        self.locals.insert(free.clone());
        free
    }

    /// A name at the top level for something that the program does not declare.
    pub(crate) fn extra(&mut self, name: &str) -> Name {
        let free = names::free_name(name, |it| self.taken.contains(it) || self.locals.contains(it));
        self.taken.insert(free.clone());
        free
    }

    /// The name in this file of what a module exports.
    pub(crate) fn global(&mut self, module: &str, exported: &str, is_value: bool) -> Name {
        if module == self.source().file {
            return self.own.get(exported).cloned().unwrap_or_else(|| Name::new(exported));
        }
        let key = GlobalName { module: Name::new(module), name: Name::new(exported) };
        if let Some(known) = self.imports.get_mut(&key) {
            known.1 |= is_value;
            return known.0.clone();
        }
        let name = self.extra(exported);
        self.imports.insert(key, (name.clone(), is_value));
        name
    }

    /// The constructor of a variant, or the constant if it has no fields.
    pub(crate) fn variant(&mut self, key: &TypeKey, variant: u32) -> Expr {
        let name = self.def(key).and_then(|it| variant_name(it, variant));
        if key.module.is_empty() {
            let helper = name.and_then(runtime::helper_of).unwrap_or("None");
            return self.helper(helper);
        }
        let home = self.program.find(&key.module).map(|it| &self.program.list[it]);
        let exported = home.and_then(|it| it.exported.variant(&key.name, variant).cloned());
        let exported = exported.or(name.map(Name::new)).unwrap_or_default();
        Expr::ident(self.global(&key.module, &exported, true))
    }

    /// The name that a function of an external module is exported under.
    pub(crate) fn member(&self, module: &str, namespace: &Name, name: &Name) -> Name {
        let home = self.program.find(module).map(|it| &self.program.list[it]);
        let exported = home.and_then(|it| it.exported.member(namespace, name));
        exported.unwrap_or(name).clone()
    }

    pub(crate) fn def(&self, key: &TypeKey) -> Option<&'a Arc<TypeDef>> {
        let home = self.program.find(&key.module).map(|it| &self.program.list[it]);
        self.source().env.def(key).or_else(|| home.and_then(|it| it.env.def(key)))
    }

    /// A type as TypeScript writes it.
    pub(crate) fn ts(&mut self, ty: &Ty) -> String {
        clank_syntax::with_stack(|| match ty {
            Ty::Prim(prim) => prim_text(*prim).into(),
            Ty::Param(name) => names::legal(name).to_string(),
            Ty::Adt(adt) => self.adt_text(&adt.key, &adt.args),
            Ty::Fn(it) => self.fn_text(it),
            Ty::Tuple(elements) => format!("[{}]", self.ts_list(elements)),
            Ty::Array(element) => match element.base() {
                Ty::Fn(_) => format!("({})[]", self.ts(element)),
                _ => format!("{}[]", self.ts(element)),
            },
            Ty::Record(record) => {
                let fields = record.fields.iter();
                let fields = fields
                    .map(|(name, ty)| format!("{}: {}", names::legal(name), self.ts(ty)))
                    .collect::<Vec<_>>();
                if fields.is_empty() { "{}".into() } else { format!("{{ {} }}", fields.join("; ")) }
            }
            Ty::Refined(it) => self.ts(&it.base),
            Ty::Never => "never".into(),
            Ty::Var(_) | Ty::Error => "unknown".into(),
        })
    }

    fn ts_list(&mut self, types: &[Ty]) -> String {
        types.iter().map(|it| self.ts(it)).collect::<Vec<_>>().join(", ")
    }

    fn adt_text(&mut self, key: &TypeKey, args: &[Ty]) -> String {
        let name = match (key.module.is_empty(), key.name.as_str()) {
            (true, "Linear" | "Affine") => {
                return args.first().map_or("unknown".into(), |it| self.ts(it));
            }
            (true, name) => {
                let helper = match name {
                    "Map" => "ClankMap",
                    "Set" => "ClankSet",
                    "Option" => "Option",
                    "Result" => "Result",
                    _ => "Ordering",
                };
                self.helpers.insert(helper);
                Name::new(helper)
            }
            (false, name) => self.global(&key.module, name, false),
        };
        if args.is_empty() { name.to_string() } else { format!("{name}<{}>", self.ts_list(args)) }
    }

    fn fn_text(&mut self, it: &FnTy) -> String {
        let params = it.params.iter().enumerate().map(|(index, ty)| {
            let name = match it.params.len() {
                1 => "value".to_owned(),
                _ => format!("arg{index}"),
            };
            format!("{name}: {}", self.ts(ty))
        });
        let params = params.collect::<Vec<_>>().join(", ");
        format!("({params}) => {}", self.ts(&it.result))
    }

    /// Where a predicate is written: its module, the declaration around it, and its expression.
    pub(crate) fn predicate_home(&self, module: &str, expr: ExprId) -> Option<(usize, DeclId)> {
        let index = self.program.find(module)?;
        let source = &self.program.list[index];
        if expr.node().index() >= source.ast.nodes().len() {
            return None;
        }
        Some((index, source.decl_of(expr.node())?))
    }
}

fn prim_text(prim: Prim) -> &'static str {
    match prim {
        Prim::Int | Prim::Int32 | Prim::Int64 | Prim::Nat => "bigint",
        Prim::Float => "number",
        Prim::Bool => "boolean",
        Prim::Str => "string",
        Prim::Unit => "void",
    }
}

fn variant_name(def: &TypeDef, variant: u32) -> Option<&str> {
    match &def.shape {
        TypeBody::Sum(variants) => variants.get(variant as usize).map(|it| it.name.as_str()),
        _ => None,
    }
}

/// The names that a module exports, in order, each once: functions, externals, types and constructors.
fn exported_names(source: &SourceModule<'_>) -> Vec<Name> {
    let ast = source.ast;
    let mut names = Vec::new();
    for decl in ast.declarations() {
        match ast.decl(*decl) {
            Decl::Fn(it) => names.push(it.name.clone()),
            Decl::ExternalFn(it) => names.push(it.name.clone()),
            Decl::ExternalMod { name, functions, .. } => {
                names.push(name.clone());
                names.extend(functions.iter().filter_map(|it| match ast.decl(*it) {
                    Decl::ExternalFn(it) => source.exported.member(name, &it.name).cloned(),
                    _ => None,
                }));
            }
            Decl::Rec { name, .. } => names.push(name.clone()),
            Decl::Sum { name, variants, .. } => {
                names.push(name.clone());
                for variant in 0..variants.len() as u32 {
                    names.extend(source.exported.variant(name, variant).cloned());
                }
            }
            Decl::TypeAlias { .. } | Decl::Mod { .. } | Decl::Use(_) | Decl::Error { .. } => {}
        }
    }
    let mut seen = FxHashSet::default();
    names.retain(|it| seen.insert(it.clone()));
    names
}
