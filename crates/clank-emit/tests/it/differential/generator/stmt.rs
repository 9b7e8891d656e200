//! Statements.

use super::{Inside, Local, Maker, T};

impl Maker {
    /// Statements, and the value of the block if it has a type.
    pub(super) fn body(&mut self, ty: Option<&T>, depth: usize) -> String {
        let count = match depth {
            0 => 0,
            1 => self.random.below(3),
            _ => 2 + self.random.below(6),
        };
        let mut body = String::new();
        for _ in 0..count {
            body.push_str(&self.stmt(depth));
            body.push_str(";\n");
        }
        if let Some(ty) = ty {
            body.push_str(&self.expr(ty, depth));
        }
        body
    }

    fn inner(&mut self, depth: usize) -> String {
        let inside = self.inside.clone();
        self.within(inside, |it| format!("{{ {} }}", it.body(None, depth.saturating_sub(1).max(1))))
    }

    fn stmt(&mut self, depth: usize) -> String {
        let below = depth.saturating_sub(1);
        match self.random.below(30) {
            0..=5 => self.let_stmt(below),
            6..=9 => self.assign(below),
            10..=12 if self.inside.io => {
                let ty = self.ty(2);
                format!("println(to_string({}))", self.known(&ty, below))
            }
            13 | 14 => self.for_stmt(depth),
            15 => self.while_stmt(depth),
            16 => self.loop_stmt(depth),
            17 | 18 => format!("if ({}) {}", self.expr(&T::Bool, below), self.inner(depth)),
            19 => {
                let (test, then) = (self.expr(&T::Bool, below), self.inner(depth));
                format!("if ({test}) {then} else {}", self.inner(depth))
            }
            20 | 21 => match self.inside.result.clone() {
                Some(ty) => {
                    let test = self.expr(&T::Bool, below);
                    format!("if ({test}) {{ return {}; }}", self.expr(&ty, below))
                }
                None => self.let_stmt(below),
            },
            22 | 23 if self.inside.is_loop => {
                let jump = *self.random.pick(&["break", "continue"]);
                format!("if ({}) {{ {jump}; }}", self.expr(&T::Bool, below))
            }
            24 | 25 => self.lambda_stmt(below),
            26 | 27 => self.match_of(None, below.max(1)),
            28 if self.random.chance(30) => match self.random.chance(50) {
                true => format!("assert {} < {}", self.random.below(9), 5 + self.random.below(9)),
                false => format!("assert {} : \"not \\\"so\\\"\"", self.expr(&T::Bool, below)),
            },
            29 => self.let_pattern(below),
            _ => self.let_stmt(below),
        }
    }

    fn let_stmt(&mut self, depth: usize) -> String {
        let ty = self.ty(2);
        let is_mutable = self.random.chance(55);
        let mutable = if is_mutable { "mut " } else { "" };
        let is_plain = matches!(ty, T::Float | T::Bool | T::Str | T::Def(_) | T::Span);
        let value = self.expr(&ty, depth);
        let name = self.fresh();
        self.bind(&name, &ty, is_mutable);
        match is_plain && self.random.chance(60) {
            true => format!("let {mutable}{name} = {value}"),
            false => format!("let {mutable}{name}: {} = {value}", self.ty_text(&ty)),
        }
    }

    fn let_pattern(&mut self, depth: usize) -> String {
        let ty = T::Tuple(vec![self.ty(1), self.ty(2)]);
        let value = self.known(&ty, depth);
        format!("let {} = {value}", self.pattern(&ty, false, 2))
    }

    /// An assignment to a local or to a part of one.
    fn assign(&mut self, depth: usize) -> String {
        let places: Vec<Local> = self.visible().into_iter().filter(|it| it.is_mutable).collect();
        if places.is_empty() {
            return self.let_stmt(depth);
        }
        let local = self.random.pick(&places).clone();
        let (mut place, mut ty) = (local.name, local.ty);
        let mut guards = Vec::new();
        while self.random.chance(70) {
            let (next, part) = match &ty {
                T::Array(item) => {
                    let index = self.random.below(3);
                    if self.random.chance(95) {
                        guards.push(format!("len({place}) > {index}"));
                    }
                    (format!("{place}[{index}]"), (**item).clone())
                }
                T::Box(item) => (format!("{place}.item"), (**item).clone()),
                T::Anonymous(item) => (format!("{place}.y"), (**item).clone()),
                T::Def(index) if self.defs[*index].is_record => {
                    let (field, ty) = self.random.pick(&self.defs[*index].variants[0].1).clone();
                    (format!("{place}.{field}"), ty)
                }
                _ => break,
            };
            (place, ty) = (next, part);
        }
        let assigned = format!("{place} = {}", self.expr(&ty, depth));
        match guards.is_empty() {
            true => assigned,
            false => format!("if {} {{ {assigned}; }}", guards.join(" && ")),
        }
    }

    fn looping(&self) -> Inside {
        Inside { is_loop: true, ..self.inside.clone() }
    }

    fn for_stmt(&mut self, depth: usize) -> String {
        let (item, items) = match self.random.chance(40) {
            true => {
                let dots = *self.random.pick(&["..", "..="]);
                (T::Int, format!("{}{dots}{}", self.random.below(2), 1 + self.random.below(3)))
            }
            false => {
                let item = self.ty(1);
                let array = T::Array(Box::new(item.clone()));
                (item, format!("({})", self.known(&array, depth.min(1))))
            }
        };
        let inside = self.looping();
        self.within(inside, |it| {
            let pattern = it.pattern(&item, false, 1);
            format!(
                "for {pattern} in {items} {{ {} }}",
                it.body(None, depth.saturating_sub(1).max(1))
            )
        })
    }

    fn while_stmt(&mut self, depth: usize) -> String {
        self.next += 1;
        let count = format!("count{}", self.next);
        let end = 1 + self.random.below(3);
        let inside = self.looping();
        let body = self.within(inside, |it| it.body(None, depth.saturating_sub(1).max(1)));
        let test = match self.random.chance(50) {
            true => format!("{count} < {end}"),
            false => format!("{count} < {end} && {}", self.expr(&T::Bool, 1)),
        };
        format!("let mut {count} = 0;\nwhile {test} {{ {count} = {count} + 1; {body} }}")
    }

    fn loop_stmt(&mut self, depth: usize) -> String {
        self.next += 1;
        let count = format!("count{}", self.next);
        let end = 1 + self.random.below(3);
        let inside = self.looping();
        let body = self.within(inside, |it| it.body(None, depth.saturating_sub(1).max(1)));
        format!(
            "let mut {count} = 0;\nloop {{ if {count} >= {end} {{ break; }}; {count} = {count} + 1; {body} }}"
        )
    }

    /// A lambda with a name; it may change what it captures.
    fn lambda_stmt(&mut self, depth: usize) -> String {
        let takes: Vec<T> = (0..self.random.below(3)).map(|_| self.ty(1)).collect();
        let gives = self.ty(1);
        let io = self.inside.io && self.random.chance(40);
        let inside = Inside { io, ..self.inside.clone() };
        let lambda = self.within(inside, |it| it.lambda(&takes, &gives, depth.max(1)));
        let name = self.fresh();
        let takes = Some((takes, io));
        self.scope.push(Local { name: name.clone(), ty: gives, is_mutable: false, takes });
        format!("let {name} = {lambda}")
    }
}
