//! Expressions that are particular to a type: its operators, constructors and functions of the prelude.

use super::{Maker, T};

impl Maker {
    /// An expression that is particular to the type.
    pub(super) fn made(&mut self, ty: &T, depth: usize) -> String {
        match ty {
            T::Int => self.made_int(depth),
            T::Float => match self.random.below(5) {
                0 => format!("int_to_float({})", self.expr(&T::Int, depth)),
                1 => format!("(-{})", self.expr(ty, depth)),
                _ => {
                    let op = *self.random.pick(&["+", "-", "*", "/", "%"]);
                    format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
                }
            },
            T::Bool => self.made_bool(depth),
            T::Str => self.made_string(depth),
            T::Array(item) => self.made_array(ty, item, depth),
            T::Tuple(parts) => match &parts[..] {
                [one, two] if self.random.chance(20) => {
                    let turned = T::Tuple(vec![two.clone(), one.clone()]);
                    format!("swap({})", self.known(&turned, depth))
                }
                _ => {
                    let parts: Vec<String> = parts.iter().map(|it| self.expr(it, depth)).collect();
                    format!("({})", parts.join(", "))
                }
            },
            T::Option(item) => self.made_option(item, depth),
            T::Result(item) => match self.random.below(4) {
                0 if **item == T::Int && self.random.chance(50) => {
                    format!("try(\\() -> risky({}))", self.expr(&T::Int, depth))
                }
                0 if **item == T::Int => format!("read({})", self.expr(&T::Str, depth)),
                1 => format!("Err({})", self.expr(&T::Str, depth)),
                _ => format!("Ok({})", self.expr(item, depth)),
            },
            T::Map(item) => {
                let map = self.known(ty, depth);
                match self.random.below(3) {
                    0 => format!("map_remove({map}, {})", self.expr(&T::Str, depth)),
                    _ => format!(
                        "map_set({map}, {}, {})",
                        self.expr(&T::Str, depth),
                        self.expr(item, depth)
                    ),
                }
            }
            T::Set(item) => {
                let set = self.known(ty, depth);
                let op = *self.random.pick(&["set_add", "set_add", "set_remove"]);
                format!("{op}({set}, {})", self.expr(item, depth))
            }
            T::Tree(item) => match **item == T::Int && self.random.chance(60) {
                true => format!("insert({}, {})", self.expr(ty, depth), self.expr(&T::Int, depth)),
                false => {
                    let (left, right) = (self.expr(ty, depth.min(1)), self.expr(ty, depth.min(1)));
                    format!("Node({left}, {}, {right})", self.expr(item, depth))
                }
            },
            T::Box(item) => {
                let (item, tag) = (self.expr(item, depth), self.expr(&T::Str, depth));
                format!("(Box {{ tag: {tag}, item: {item} }})")
            }
            T::Span => format!("span({}, {})", self.expr(&T::Int, depth), self.random.below(5)),
            T::Anonymous(item) => {
                let x = self.expr(&T::Int, depth);
                format!("({{ x: {x}, y: {} }})", self.expr(item, depth))
            }
            T::Def(index) => self.constructed(*index, depth),
        }
    }

    fn made_int(&mut self, depth: usize) -> String {
        match self.random.below(20) {
            0 => {
                let array = T::Array(Box::new(self.ty(1)));
                let items = self.known(&array, depth);
                if self.random.chance(70) {
                    format!("to_int(len({items}))")
                } else {
                    format!("len({items})")
                }
            }
            1 => format!("to_int(str_len({}))", self.expr(&T::Str, depth)),
            2 => format!("(-{})", self.expr(&T::Int, depth)),
            3 | 4 => {
                let op = *self.random.pick(&["/", "%"]);
                let right = match self.random.chance(90) {
                    true => (1 + self.random.below(7)).to_string(),
                    false => self.expr(&T::Int, depth),
                };
                format!("({} {op} {right})", self.expr(&T::Int, depth))
            }
            5 => format!("({} ^ {})", self.expr(&T::Int, depth), self.random.below(4)),
            6 => format!("to_int(abs({}))", self.expr(&T::Int, depth)),
            7 => {
                let op = *self.random.pick(&["min", "max"]);
                format!("{op}({}, {})", self.expr(&T::Int, depth), self.expr(&T::Int, depth))
            }
            8 => {
                let map = T::Map(Box::new(self.ty(1)));
                format!("to_int(map_size({}))", self.known(&map, depth))
            }
            9 if self.random.chance(40) => format!("small({})", self.expr(&T::Int, depth)),
            10 => {
                let (n, least) = (self.random.below(20), self.random.below(20));
                format!(
                    "above({n}, {})",
                    least.min(n.saturating_sub(usize::from(self.random.chance(95))))
                )
            }
            11 => format!("float_to_int({})", self.float()),
            12 if self.inside.err => format!("risky({})", self.expr(&T::Int, depth)),
            _ => {
                let op = *self.random.pick(&["+", "-", "*", "+", "-"]);
                format!("({} {op} {})", self.expr(&T::Int, depth), self.expr(&T::Int, depth))
            }
        }
    }

    fn made_bool(&mut self, depth: usize) -> String {
        match self.random.below(10) {
            0..=2 => {
                let op = *self.random.pick(&["<", ">", "<=", ">="]);
                let ty = self.random.pick(&[T::Int, T::Int, T::Float]).clone();
                format!("({} {op} {})", self.expr(&ty, depth), self.expr(&ty, depth))
            }
            3..=5 => {
                let op = *self.random.pick(&["==", "!="]);
                let ty = self.ty(2);
                format!("({} {op} {})", self.known(&ty, depth), self.known(&ty, depth))
            }
            6 => format!("(!{})", self.expr(&T::Bool, depth)),
            7 => {
                let item = self.ty(1);
                let array = T::Array(Box::new(item.clone()));
                format!("contains({}, {})", self.known(&array, depth), self.expr(&item, depth))
            }
            _ => {
                let op = *self.random.pick(&["&&", "||"]);
                format!("({} {op} {})", self.expr(&T::Bool, depth), self.expr(&T::Bool, depth))
            }
        }
    }

    fn made_string(&mut self, depth: usize) -> String {
        let ty = self.ty(2);
        match self.random.below(10) {
            0 | 1 => format!("to_string({})", self.known(&ty, depth)),
            2 | 3 => {
                let other = self.ty(1);
                format!(
                    "`{{${{{}}} and \\${{}} ${{{}}}`",
                    self.known(&ty, depth),
                    self.known(&other, depth)
                )
            }
            4 => {
                format!("shown({})", self.known(&ty, depth))
            }
            5 => {
                let op = *self.random.pick(&["to_upper", "to_lower", "trim"]);
                format!("{op}({})", self.expr(&T::Str, depth))
            }
            6 => format!(
                "slice({}, {}, {})",
                self.expr(&T::Str, depth),
                self.random.below(3),
                self.random.below(6)
            ),
            7 => format!("join(chars({}), {})", self.expr(&T::Str, depth), self.string()),
            _ => format!("({} ++ {})", self.expr(&T::Str, depth), self.expr(&T::Str, depth)),
        }
    }

    fn made_array(&mut self, ty: &T, item: &T, depth: usize) -> String {
        match self.random.below(14) {
            0 => format!("push({}, {})", self.known(ty, depth), self.expr(item, depth)),
            1 => {
                let from = self.ty(1);
                let items = self.known(&T::Array(Box::new(from.clone())), depth);
                format!("map({items}, {})", self.lambda(&[from], item, depth))
            }
            2 => {
                let items = self.known(ty, depth);
                format!(
                    "filter({items}, {})",
                    self.lambda(std::slice::from_ref(item), &T::Bool, depth)
                )
            }
            3 => format!("reverse({})", self.known(ty, depth)),
            4 => format!("({} ++ {})", self.known(ty, depth), self.known(ty, depth)),
            5 => format!("take({}, {})", self.known(ty, depth), self.random.below(3)),
            6 => format!("drop({}, {})", self.known(ty, depth), self.random.below(3)),
            7 if *item == T::Int => {
                let dots = *self.random.pick(&["..", "..="]);
                format!("({}{dots}{})", self.random.below(3), self.random.below(6))
            }
            8 if matches!(item, T::Int | T::Str | T::Bool) => {
                format!("sort({})", self.known(ty, depth))
            }
            9 => {
                let tree = T::Tree(Box::new(item.clone()));
                format!("flat({})", self.known(&tree, depth))
            }
            10 if matches!(item, T::Int | T::Str) => {
                let set = T::Set(Box::new(item.clone()));
                format!("set_to_array({})", self.known(&set, depth))
            }
            11 => {
                let map = T::Map(Box::new(item.clone()));
                format!("map_values({})", self.known(&map, depth))
            }
            _ => {
                let count = self.random.below(4);
                let items: Vec<String> = (0..count).map(|_| self.expr(item, depth)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    fn made_option(&mut self, item: &T, depth: usize) -> String {
        let array = T::Array(Box::new(item.clone()));
        match self.random.below(7) {
            0 => format!("get({}, {})", self.known(&array, depth), self.random.below(3)),
            1 => {
                let items = self.known(&array, depth);
                format!(
                    "find({items}, {})",
                    self.lambda(std::slice::from_ref(item), &T::Bool, depth)
                )
            }
            2 => {
                let items = self.known(&array, depth);
                format!(
                    "reduce({items}, {})",
                    self.lambda(&[item.clone(), item.clone()], item, depth)
                )
            }
            3 => {
                let map = T::Map(Box::new(item.clone()));
                format!("map_get({}, {})", self.known(&map, depth), self.expr(&T::Str, depth))
            }
            4 if *item == T::Int => format!("parse_int({})", self.expr(&T::Str, depth)),
            5 => "None".to_owned(),
            _ => format!("Some({})", self.expr(item, depth)),
        }
    }
}
