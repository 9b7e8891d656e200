//! Matches and patterns.

use super::{Maker, T};

impl Maker {
    /// A match that covers everything; as a statement if it has no type.
    pub(super) fn match_of(&mut self, ty: Option<&T>, depth: usize) -> String {
        let on = self.ty(2);
        let scrutinee = self.known(&on, depth.min(1));
        let mut arms = Vec::new();
        for _ in 0..self.random.below(3) {
            arms.push(self.arm(&on, ty, depth, true));
        }
        match &on {
            T::Def(index) if !self.defs[*index].is_record && self.random.chance(60) => {
                for (name, fields) in self.defs[*index].variants.clone() {
                    let fields: Vec<T> = fields.into_iter().map(|it| it.1).collect();
                    arms.push(self.variant_arm(&name, &fields, ty, depth));
                }
            }
            T::Option(item) if self.random.chance(60) => {
                arms.push(self.variant_arm("None", &[], ty, depth));
                arms.push(self.variant_arm("Some", &[(**item).clone()], ty, depth));
            }
            T::Result(item) if self.random.chance(60) => {
                arms.push(self.variant_arm("Ok", &[(**item).clone()], ty, depth));
                arms.push(self.variant_arm("Err", &[T::Str], ty, depth));
            }
            other => arms.push(self.arm(other, ty, depth, false)),
        }
        format!("(match ({scrutinee}) {{ {} }})", arms.join(", "))
    }

    fn variant_arm(&mut self, name: &str, fields: &[T], ty: Option<&T>, depth: usize) -> String {
        let inside = self.inside.clone();
        self.within(inside, |it| {
            let parts: Vec<String> =
                fields.iter().map(|field| it.pattern(field, false, 1)).collect();
            let pattern = if parts.is_empty() {
                name.to_owned()
            } else {
                format!("{name}({})", parts.join(", "))
            };
            format!("{pattern} -> {}", it.arm_body(ty, depth))
        })
    }

    fn arm(&mut self, on: &T, ty: Option<&T>, depth: usize, may_fail: bool) -> String {
        let inside = self.inside.clone();
        self.within(inside, |it| {
            let pattern = it.pattern(on, may_fail, 2);
            let guard = match may_fail && it.random.chance(40) {
                true => format!(" if ({})", it.expr(&T::Bool, depth.min(1))),
                false => String::new(),
            };
            format!("{pattern}{guard} -> {}", it.arm_body(ty, depth))
        })
    }

    fn arm_body(&mut self, ty: Option<&T>, depth: usize) -> String {
        match ty {
            Some(ty) if self.random.chance(60) => self.expr(ty, depth),
            Some(ty) => self.block(ty, depth),
            None => format!("{{ {} }}", self.body(None, depth.min(1))),
        }
    }

    /// A pattern; its names are bound from now on.
    pub(super) fn pattern(&mut self, ty: &T, may_fail: bool, depth: usize) -> String {
        if depth == 0 || self.random.chance(25) {
            if self.random.chance(20) {
                return "_".to_owned();
            }
            let name = self.unique();
            self.bind(&name, ty, false);
            return name;
        }
        match ty {
            T::Int if may_fail => {
                self.random.pick(&["0", "1", "-1", "3", "9007199254740993"]).to_string()
            }
            T::Str if may_fail => self.string(),
            T::Bool if may_fail => self.random.pick(&["true", "false"]).to_string(),
            T::Float if may_fail => self.random.pick(&["0.5", "-1.0", "100.0"]).to_string(),
            T::Tuple(parts) => {
                let parts: Vec<String> =
                    parts.clone().iter().map(|it| self.pattern(it, may_fail, depth - 1)).collect();
                format!("({})", parts.join(", "))
            }
            T::Option(it) if may_fail => match self.random.chance(40) {
                true => "None".to_owned(),
                false => format!("Some({})", self.pattern(it, true, depth - 1)),
            },
            T::Result(it) if may_fail => match self.random.chance(40) {
                true => format!("Err({})", self.pattern(&T::Str, true, depth - 1)),
                false => format!("Ok({})", self.pattern(it, true, depth - 1)),
            },
            T::Tree(it) if may_fail => match self.random.chance(40) {
                true => "Leaf".to_owned(),
                false => {
                    let left = self.pattern(ty, true, depth - 1);
                    let item = self.pattern(it, true, depth - 1);
                    format!("Node({left}, {item}, {})", self.pattern(ty, true, depth - 1))
                }
            },
            T::Box(it) => format!("{{ item: {} }}", self.pattern(it, may_fail, depth - 1)),
            T::Anonymous(it) => format!("{{ y: {} }}", self.pattern(it, may_fail, depth - 1)),
            T::Def(index) => {
                let variant = self.random.below(self.defs[*index].variants.len());
                let (name, fields) = self.defs[*index].variants[variant].clone();
                if self.defs[*index].is_record {
                    let (field, ty) = self.random.pick(&fields).clone();
                    return format!("{{ {field}: {} }}", self.pattern(&ty, may_fail, depth - 1));
                }
                if !may_fail {
                    return "_".to_owned();
                }
                let parts: Vec<String> =
                    fields.iter().map(|it| self.pattern(&it.1, true, depth - 1)).collect();
                if parts.is_empty() { name } else { format!("{name}({})", parts.join(", ")) }
            }
            _ => "_".to_owned(),
        }
    }
}
