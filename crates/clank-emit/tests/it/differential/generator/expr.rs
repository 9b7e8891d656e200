//! Expressions of a type: locals and their parts, branches, calls, lambdas.

use super::{Inside, Local, Maker, T};

impl Maker {
    /// An expression of a type that the place around it states.
    pub(super) fn expr(&mut self, ty: &T, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        match self.random.below(24) {
            0..=2 => self.leaf(ty),
            3 => {
                let (test, one) = (self.expr(&T::Bool, depth - 1), self.block(ty, depth - 1));
                let two = self.block(ty, depth - 1);
                match self.random.chance(30) {
                    true => {
                        let other = self.expr(&T::Bool, depth - 1);
                        let three = self.block(ty, depth - 1);
                        format!("(if ({test}) {one} else if ({other}) {two} else {three})")
                    }
                    false => format!("(if ({test}) {one} else {two})"),
                }
            }
            4 => self.match_of(Some(ty), depth - 1),
            5 => format!("({})", self.block(ty, depth - 1)),
            6 | 7 => self.call(ty, depth - 1),
            8 | 9 => self.part(ty),
            10 if self.inside.io => {
                self.next += 1;
                let number = self.next;
                format!("say({number}, {})", self.known(ty, depth - 1))
            }
            11 => self.generic(ty, depth - 1),
            12 => self.propagated(ty, depth - 1),
            _ => self.made(ty, depth - 1),
        }
    }

    /// An expression whose type can be seen from itself.
    pub(super) fn known(&mut self, ty: &T, depth: usize) -> String {
        if matches!(ty, T::Int | T::Float | T::Bool | T::Str | T::Def(_) | T::Span) {
            return self.expr(ty, depth);
        }
        if self.random.chance(50)
            && let Some(name) = self.local(ty)
        {
            return name;
        }
        self.next += 1;
        let name = format!("k{}", self.next);
        format!("({{ let {name}: {} = {}; {name} }})", self.ty_text(ty), self.expr(ty, depth))
    }

    pub(super) fn block(&mut self, ty: &T, depth: usize) -> String {
        let inside = self.inside.clone();
        self.within(inside, |it| match it.random.chance(40) {
            true => format!("{{ {} }}", it.body(Some(ty), depth.min(1))),
            false => format!("{{ {} }}", it.expr(ty, depth)),
        })
    }

    /// The visible locals, the innermost first.
    pub(super) fn visible(&self) -> Vec<Local> {
        let mut visible: Vec<Local> = Vec::new();
        for local in self.scope.iter().rev() {
            if !visible.iter().any(|it| it.name == local.name) {
                visible.push(local.clone());
            }
        }
        visible
    }

    pub(super) fn local(&mut self, ty: &T) -> Option<String> {
        let fitting: Vec<Local> =
            self.visible().into_iter().filter(|it| it.ty == *ty && it.takes.is_none()).collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting).name.clone())
    }

    pub(super) fn leaf(&mut self, ty: &T) -> String {
        if self.random.chance(70)
            && let Some(name) = self.local(ty)
        {
            return name;
        }
        match ty {
            T::Int => self.int(),
            T::Float => self.float(),
            T::Bool => self.random.pick(&["true", "false"]).to_string(),
            T::Str => self.string(),
            T::Array(it) => match self.random.below(3) {
                0 => "[]".to_owned(),
                count => {
                    let items: Vec<String> = (0..count).map(|_| self.leaf(it)).collect();
                    format!("[{}]", items.join(", "))
                }
            },
            T::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| self.leaf(it)).collect();
                format!("({})", parts.join(", "))
            }
            T::Option(it) => match self.random.chance(40) {
                true => "None".to_owned(),
                false => format!("Some({})", self.leaf(it)),
            },
            T::Result(it) => match self.random.chance(40) {
                true => format!("Err({})", self.string()),
                false => format!("Ok({})", self.leaf(it)),
            },
            T::Map(it) => match self.random.chance(50) {
                true => "map_new()".to_owned(),
                false => format!("map_from([({}, {})])", self.string(), self.leaf(it)),
            },
            T::Set(it) => format!("set_from([{}, {}])", self.leaf(it), self.leaf(it)),
            T::Tree(it) => match self.random.chance(50) {
                true => "Leaf".to_owned(),
                false => format!("Node(Leaf, {}, Leaf)", self.leaf(it)),
            },
            T::Box(it) => format!("Box({}, {})", self.leaf(it), self.string()),
            T::Span => {
                let low = self.random.below(9);
                format!("Span({low}, {})", low + self.random.below(9))
            }
            T::Anonymous(it) => format!("({{ x: {}, y: {} }})", self.int(), self.leaf(it)),
            T::Def(index) => self.constructed(*index, 0),
        }
    }

    /// A value of a declared type; a record also as a literal with its fields in any order.
    pub(super) fn constructed(&mut self, index: usize, depth: usize) -> String {
        let variant = self.random.below(self.defs[index].variants.len());
        let (name, mut fields) = self.defs[index].variants[variant].clone();
        if fields.is_empty() {
            return name;
        }
        let is_literal = self.defs[index].is_record && self.random.chance(60);
        if is_literal && self.random.chance(50) {
            fields.reverse();
        }
        let given: Vec<String> = fields
            .iter()
            .map(|(field, ty)| {
                let value = self.expr(ty, depth);
                if is_literal { format!("{field}: {value}") } else { value }
            })
            .collect();
        match is_literal {
            true => format!("({name} {{ {} }})", given.join(", ")),
            false => format!("{name}({})", given.join(", ")),
        }
    }

    pub(super) fn int(&mut self) -> String {
        match self.random.below(12) {
            0 => "9007199254740993".to_owned(),
            1 => "18446744073709551617".to_owned(),
            2 => "0xff".to_owned(),
            3 => format!("(-{})", 1 + self.random.below(9)),
            4 => "1_000".to_owned(),
            _ => self.random.below(10).to_string(),
        }
    }

    pub(super) fn float(&mut self) -> String {
        self.random
            .pick(&["0.5", "1.0", "2.25", "1e21", "1.5e-7", "100.0", "0.1", "3.0", "123456.789"])
            .to_string()
    }

    pub(super) fn string(&mut self) -> String {
        self.random
            .pick(&[
                "\"\"",
                "\"a\"",
                "\"b c\"",
                "\"12\"",
                "\"-7\"",
                "\"}\"",
                "\"{x}\"",
                "\"q\\\"q\"",
                "\"back\\\\slash\"",
                "\"line\\nline\"",
                "\"é😀z\"",
                "\"$x\"",
                "\"tick`\"",
                "\"'\"",
                "\"//no\"",
                "\"a,b\"",
                "\"Zz\"",
            ])
            .to_string()
    }

    /// A part of a local: a field, an element, a position.
    pub(super) fn part(&mut self, ty: &T) -> String {
        let mut parts = Vec::new();
        for local in self.visible().into_iter().filter(|it| it.takes.is_none()) {
            self.parts(&local.name, &local.ty, ty, 2, &mut parts);
        }
        match parts.is_empty() {
            true => self.leaf(ty),
            false => self.random.pick(&parts).clone(),
        }
    }

    fn parts(&mut self, place: &str, has: &T, wanted: &T, depth: usize, found: &mut Vec<String>) {
        if depth < 2 && has == wanted {
            found.push(place.to_owned());
        }
        if depth == 0 {
            return;
        }
        match has {
            T::Tuple(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    self.parts(&format!("{place}.{index}"), part, wanted, depth - 1, found);
                }
            }
            T::Array(item) => {
                let index = self.random.below(3);
                if **item == *wanted && self.random.chance(90) {
                    let other = self.leaf(wanted);
                    found.push(format!(
                        "(if len({place}) > {index} {{ {place}[{index}] }} else {{ {other} }})"
                    ));
                } else if self.random.chance(5) {
                    self.parts(&format!("{place}[{index}]"), item, wanted, depth - 1, found);
                }
            }
            T::Box(item) => {
                self.parts(&format!("{place}.item"), item, wanted, depth - 1, found);
                self.parts(&format!("{place}.tag"), &T::Str, wanted, depth - 1, found);
            }
            T::Anonymous(item) => {
                self.parts(&format!("{place}.x"), &T::Int, wanted, depth - 1, found);
                self.parts(&format!("{place}.y"), item, wanted, depth - 1, found);
            }
            T::Span => self.parts(&format!("{place}.hi"), &T::Int, wanted, depth - 1, found),
            T::Def(index) if self.defs[*index].is_record => {
                for (field, ty) in self.defs[*index].variants[0].1.clone() {
                    self.parts(&format!("{place}.{field}"), &ty, wanted, depth - 1, found);
                }
            }
            _ => {}
        }
    }

    /// A call of a function of the program, of itself, or of a lambda.
    pub(super) fn call(&mut self, ty: &T, depth: usize) -> String {
        let lambdas: Vec<Local> = self
            .visible()
            .into_iter()
            .filter(|it| {
                it.ty == *ty && it.takes.as_ref().is_some_and(|takes| !takes.1 || self.inside.io)
            })
            .collect();
        if !lambdas.is_empty() && self.random.chance(60) {
            let lambda = self.random.pick(&lambdas).clone();
            let takes = lambda.takes.expect("they were chosen for it").0;
            let args: Vec<String> = takes.iter().map(|it| self.expr(it, depth)).collect();
            return format!("{}({})", lambda.name, args.join(", "));
        }
        if let Some(function) = self.inside.fuel.clone()
            && function.result == *ty
            && self.random.chance(50)
            && (!function.io || self.inside.io)
            && (!function.err || self.inside.err)
        {
            let mut args = vec![format!("fuel - {}", 1 + self.random.below(2))];
            for param in &function.params[1..] {
                args.push(self.expr(param, depth.min(1)));
            }
            return format!("{}({})", function.name, args.join(", "));
        }
        let fitting: Vec<_> = self
            .functions
            .iter()
            .filter(|it| {
                it.result == *ty && (!it.io || self.inside.io) && (!it.err || self.inside.err)
            })
            .cloned()
            .collect();
        if fitting.is_empty() {
            return self.made(ty, depth);
        }
        let function = self.random.pick(&fitting).clone();
        let args = self.args(&function, depth.min(1));
        format!("{}({args})", function.name)
    }

    /// A call of a generic function, a pipe, or a lambda that is called at once.
    pub(super) fn generic(&mut self, ty: &T, depth: usize) -> String {
        match self.random.below(6) {
            0 => {
                let test = self.expr(&T::Bool, depth);
                format!("choose({test}, {}, {})", self.known(ty, depth), self.expr(ty, depth))
            }
            1 => {
                let (value, lambda) =
                    (self.known(ty, depth), self.lambda(std::slice::from_ref(ty), ty, depth));
                format!("twice({value}, {lambda})")
            }
            2 => {
                let from = self.ty(1);
                let (value, lambda) =
                    (self.known(&from, depth), self.lambda(std::slice::from_ref(&from), ty, depth));
                format!("({value} |> {lambda})")
            }
            3 => {
                let from = self.ty(1);
                let (value, lambda) =
                    (self.known(&from, depth), self.lambda(std::slice::from_ref(&from), ty, depth));
                format!("apply({value}, {lambda})")
            }
            4 => {
                let option = T::Option(Box::new(ty.clone()));
                format!("or_else({}, {})", self.known(&option, depth), self.expr(ty, depth))
            }
            _ => {
                let item = ty.clone();
                let array = T::Array(Box::new(item.clone()));
                let items = self.known(&array, depth);
                let start = self.known(ty, depth);
                let step = self.lambda(&[ty.clone(), item], ty, depth);
                format!("fold({items}, {start}, {step})")
            }
        }
    }

    /// A lambda whose parameters have their types written.
    pub(super) fn lambda(&mut self, takes: &[T], gives: &T, depth: usize) -> String {
        let inside = Inside {
            err: false,
            result: matches!(gives, T::Int | T::Bool | T::Str).then(|| gives.clone()),
            is_loop: false,
            ..self.inside.clone()
        };
        self.within(inside, |it| {
            let mut params = Vec::new();
            for ty in takes {
                let name = it.unique();
                it.bind(&name, ty, false);
                params.push(format!("{name}: {}", it.ty_text(ty)));
            }
            let body = match it.random.chance(50) {
                true => it.known(gives, depth),
                false => {
                    it.next += 1;
                    let name = format!("r{}", it.next);
                    let (shown, body) = (it.ty_text(gives), it.body(Some(gives), depth.min(1)));
                    format!("{{ let {name}: {shown} = {{ {body} }}; {name} }}")
                }
            };
            format!("(\\({}) -> {body})", params.join(", "))
        })
    }

    /// `e?`, where it is allowed.
    pub(super) fn propagated(&mut self, ty: &T, depth: usize) -> String {
        match self.inside.result.clone() {
            Some(T::Option(_)) => {
                let option = T::Option(Box::new(ty.clone()));
                format!("({})?", self.known(&option, depth))
            }
            Some(T::Result(_)) => {
                let result = T::Result(Box::new(ty.clone()));
                format!("({})?", self.known(&result, depth))
            }
            _ if self.inside.err => {
                let result = T::Result(Box::new(ty.clone()));
                format!("({})?", self.known(&result, depth))
            }
            _ => self.made(ty, depth),
        }
    }
}
