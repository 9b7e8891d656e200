//! What is said about unknown names in a module, and which names occur in it: looked up once for all of them.

use clank::body::Resolution;
use clank::code::Code;
use clank_syntax::ast::{Ast, AstKind, Decl, DeclId, Expr, Name, NodeId, Pattern, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::spelling::WordCounts;
use crate::propose::{RepairContext, text_fact};

/// The unknown names of a module, and the names that occur in it. Diagnostics are places in the module's list, in order.
pub(crate) struct Index {
    by_name: FxHashMap<(Code, Name), Vec<usize>>,
    by_declaration: FxHashMap<(Code, Name, Option<DeclId>), Vec<usize>>,
    /// Those at a name that is not looked for in a module, whatever their code.
    plain: FxHashMap<Name, Vec<usize>>,
    used_locals: FxHashSet<NodeId>,
    mentioned: FxHashSet<Name>,
    words: WordCounts,
}

impl Index {
    pub(super) fn new(scene: RepairContext<'_>) -> Index {
        let mut index = Index {
            by_name: FxHashMap::default(),
            by_declaration: FxHashMap::default(),
            plain: FxHashMap::default(),
            used_locals: FxHashSet::default(),
            mentioned: FxHashSet::default(),
            words: WordCounts::of(scene.ast()),
        };
        for (place, it) in scene.module.diagnostics.iter().enumerate() {
            if !matches!(it.code, Code::E1001 | Code::E1005 | Code::E1006) {
                continue;
            }
            let Some(name) = text_fact(it, "name").map(Name::new) else { continue };
            let declaration = scene.declaration(it.node);
            index.by_name.entry((it.code, name.clone())).or_default().push(place);
            let key = (it.code, name.clone(), declaration);
            index.by_declaration.entry(key).or_default().push(place);
            if is_plain_name(&scene.ast().node(it.node).kind) {
                index.plain.entry(name).or_default().push(place);
            }
        }
        for body in scene.module.bodies.values() {
            let view = body.view();
            for (_, resolution) in &view.body.resolutions {
                if let Resolution::Local(local) = resolution {
                    index.used_locals.insert(view.local(*local));
                }
            }
        }
        for module in &scene.checked.modules {
            index.mention_all(&module.ast);
        }
        index
    }

    fn mention_all(&mut self, ast: &Ast) {
        for node in ast.nodes() {
            match &node.kind {
                AstKind::Expr(Expr::Ident { name } | Expr::RecordLit { name, .. })
                | AstKind::Expr(Expr::Field { field: name, .. })
                | AstKind::Type(Type::Named { name, .. })
                | AstKind::Pattern(Pattern::Variant { name, .. }) => {
                    if let Some((_, own)) = name.rsplit_once('.') {
                        self.mentioned.insert(Name::new(own));
                    }
                    if !self.mentioned.contains(name) {
                        self.mentioned.insert(name.clone());
                    }
                }
                AstKind::Decl(decl) => {
                    if let Decl::Use(import) = &**decl {
                        self.mentioned.extend(import.items.iter().cloned());
                    }
                }
                _ => {}
            }
        }
    }

    /// The diagnostics with that code about a name.
    pub(super) fn about(&self, code: Code, name: &Name) -> &[usize] {
        self.by_name.get(&(code, name.clone())).map(Vec::as_slice).unwrap_or_default()
    }

    /// The same in one declaration.
    pub(super) fn about_in(&self, code: Code, name: &Name, decl: Option<DeclId>) -> &[usize] {
        let found = self.by_declaration.get(&(code, name.clone(), decl));
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// Everything that is said about a name that cannot be found: a constructor is used as a value, a pattern and a type.
    pub(super) fn plain(&self, name: &Name) -> &[usize] {
        self.plain.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the local that a node binds is used.
    pub(super) fn is_used(&self, binder: NodeId) -> bool {
        self.used_locals.contains(&binder)
    }

    /// Whether a global name is used somewhere in the program, whatever it means there.
    pub(super) fn is_mentioned(&self, name: &Name) -> bool {
        self.mentioned.contains(name)
    }

    pub(super) fn words(&self) -> &WordCounts {
        &self.words
    }
}

/// Whether a name stands there that is not looked for in a module.
pub(super) fn is_plain_name(kind: &AstKind) -> bool {
    match kind {
        AstKind::Expr(Expr::Ident { name } | Expr::RecordLit { name, .. })
        | AstKind::Type(Type::Named { name, .. })
        | AstKind::Pattern(Pattern::Variant { name, .. }) => !name.contains('.'),
        _ => false,
    }
}
