//! Which global names a declaration looks at: for imports that nobody uses, and for what must be checked again when
//! something changes.

use clank_syntax::ast::Name;
use rustc_hash::FxHashSet;

/// One global name that was looked up, whether it was found or not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NameUse {
    /// A name as a value: a function, a constructor, a module.
    Value(Name),
    /// A name as a type.
    Type(Name),
    /// `module.name` as a value; `module` is the file of a module of the program, or the name of an external module.
    Member {
        /// The module.
        module: Name,
        /// The name in it.
        name: Name,
    },
    /// `module.name` as a type; `module` is a file.
    MemberType {
        /// The module.
        module: Name,
        /// The name in it.
        name: Name,
    },
}

/// The global names that a declaration looks at. Records and sums that it only sees the values of need not be recorded:
/// they are known from the types of its expressions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NameUses {
    names: FxHashSet<NameUse>,
    all_names: bool,
}

impl NameUses {
    /// Records that a name was looked up as a value.
    pub fn value(&mut self, name: &Name) {
        self.names.insert(NameUse::Value(name.clone()));
    }

    /// Records that a name was looked up as a type.
    pub fn ty(&mut self, name: &Name) {
        self.names.insert(NameUse::Type(name.clone()));
    }

    /// Records that a name of a module was looked up as a value.
    pub fn member(&mut self, module: &Name, name: &Name) {
        self.names.insert(NameUse::Member { module: module.clone(), name: name.clone() });
    }

    /// Records that a name of a module was looked up as a type.
    pub fn member_type(&mut self, module: &Name, name: &Name) {
        self.names.insert(NameUse::MemberType { module: module.clone(), name: name.clone() });
    }

    /// Records that every name in scope was looked at, as suggestions and what fits into holes do.
    pub fn everything(&mut self) {
        self.all_names = true;
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &NameUse> {
        let mut names: Vec<&NameUse> = self.names.iter().collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// The names; their order says nothing.
    pub(crate) fn in_any_order(&self) -> impl Iterator<Item = &NameUse> {
        self.names.iter()
    }

    /// Whether one of these names was looked up.
    pub(crate) fn has_any(&self, names: &FxHashSet<NameUse>) -> bool {
        !names.is_empty() && self.names.iter().any(|it| names.contains(it))
    }

    /// Whether a name was looked up.
    pub fn has(&self, it: &NameUse) -> bool {
        self.names.contains(it)
    }

    /// Whether every name in scope was looked at.
    pub fn looked_at_everything(&self) -> bool {
        self.all_names
    }

    /// Adds those of `other`.
    pub fn add(&mut self, other: &NameUses) {
        self.names.extend(other.names.iter().cloned());
        self.all_names |= other.all_names;
    }
}
