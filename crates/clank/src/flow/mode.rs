//! How often values of a type may be used. What holds a linear value is linear itself.

use clank_syntax::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::env::Env;
use crate::ty::{Ty, TypeKey};

/// How often a value may be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mode {
    /// As often as one likes.
    Plain,
    /// At most once.
    Affine,
    /// Exactly once.
    Linear,
}

impl Mode {
    pub(super) fn word(self) -> &'static str {
        match self {
            Mode::Plain => "plain",
            Mode::Affine => "affine",
            Mode::Linear => "linear",
        }
    }
}

/// The modes of types that were asked for. Types share their parts, and so do the answers: an inferred type can be far
/// larger written out than in memory.
pub(super) struct Modes<'a> {
    env: &'a Env,
    /// By declaration: what its fields hold whatever the arguments are.
    declared: FxHashMap<TypeKey, Mode>,
    /// By the address of a shared part, which is kept so that no other can get its address.
    shared: FxHashMap<usize, (Ty, Mode)>,
}

impl<'a> Modes<'a> {
    pub(super) fn new(env: &'a Env) -> Modes<'a> {
        Modes { env, declared: FxHashMap::default(), shared: FxHashMap::default() }
    }

    /// How often a value of the type may be used.
    pub(super) fn of(&mut self, ty: &Ty) -> Mode {
        // A function that holds a linear value would be one that captured it, which is E5003.
        let address = match ty.address() {
            Some(address) if !matches!(ty, Ty::Fn(_)) => address,
            _ => return Mode::Plain,
        };
        if let Some((_, mode)) = self.shared.get(&address) {
            return *mode;
        }
        let mode = with_stack(|| match ty {
            Ty::Adt(it) => {
                let args = self.of_all(&it.args);
                self.of_declaration(&it.key).max(args)
            }
            Ty::Tuple(it) => self.of_all(it),
            Ty::Array(it) => self.of(it),
            Ty::Record(it) => {
                it.fields.iter().map(|it| self.of(&it.1)).max().unwrap_or(Mode::Plain)
            }
            Ty::Refined(it) => self.of(&it.base),
            _ => Mode::Plain,
        });
        self.shared.insert(address, (ty.clone(), mode));
        mode
    }

    fn of_all(&mut self, types: &[Ty]) -> Mode {
        types.iter().map(|it| self.of(it)).max().unwrap_or(Mode::Plain)
    }

    /// What values of a declared type hold by its declaration alone: the most that any declaration does that can be
    /// reached from it.
    fn of_declaration(&mut self, key: &TypeKey) -> Mode {
        if !self.env.declares_linear() {
            return wrapper(key);
        }
        if let Some(mode) = self.declared.get(key) {
            return *mode;
        }
        let mut seen = FxHashSet::from_iter([key.clone()]);
        let mut open = vec![key.clone()];
        let mut mode = Mode::Plain;
        while let Some(next) = open.pop() {
            mode = mode.max(wrapper(&next));
            for ty in self.env.def(&next).iter().flat_map(|it| it.shape.types()) {
                mentioned(ty, &mut |mentioned| {
                    if !seen.contains(mentioned) {
                        seen.insert(mentioned.clone());
                        open.push(mentioned.clone());
                    }
                });
            }
        }
        self.declared.insert(key.clone(), mode);
        mode
    }
}

fn wrapper(key: &TypeKey) -> Mode {
    if key.is_prelude("Linear") {
        Mode::Linear
    } else if key.is_prelude("Affine") {
        Mode::Affine
    } else {
        Mode::Plain
    }
}

/// Calls `visit` with every declared type that values of a type as it is written hold.
fn mentioned(ty: &Ty, visit: &mut dyn FnMut(&TypeKey)) {
    with_stack(|| match ty {
        Ty::Adt(it) => {
            visit(&it.key);
            it.args.iter().for_each(|it| mentioned(it, visit));
        }
        Ty::Tuple(it) => it.iter().for_each(|it| mentioned(it, visit)),
        Ty::Array(it) => mentioned(it, visit),
        Ty::Record(it) => it.fields.iter().for_each(|it| mentioned(&it.1, visit)),
        Ty::Refined(it) => mentioned(&it.base, visit),
        Ty::Fn(_) | Ty::Var(_) | Ty::Prim(_) | Ty::Param(_) | Ty::Never | Ty::Error => {}
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_a_linear_value_is_linear_and_shared_parts_are_looked_at_once() {
        let env = Env::default();
        let mut modes = Modes::new(&env);
        let mut ty = Ty::adt(TypeKey::prelude("Linear"), vec![Ty::INT]);
        // Written out this type has more parts than there are bytes in memory.
        for _ in 0..100 {
            ty = Ty::Tuple([ty.clone(), ty].into());
        }
        assert_eq!(modes.of(&ty), Mode::Linear);
        assert_eq!(modes.of(&Ty::option(Ty::INT)), Mode::Plain);
        let affine = Ty::adt(TypeKey::prelude("Affine"), vec![Ty::INT]);
        assert_eq!(modes.of(&Ty::array(Ty::option(affine))), Mode::Affine);
    }
}
