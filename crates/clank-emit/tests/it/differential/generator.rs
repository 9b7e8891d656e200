//! Well-typed programs out of a seed: types, functions of every kind, and a `main` that shows what they give.
//!
//! Text is made directly. What is made is meant to be accepted by the checker, and the tests say so when it is not. Most
//! programs come to their end; some panic on the way, which is compared too.

mod expr;
mod made;
mod pattern;
mod stmt;

use super::random::Random;

/// The program with that number.
pub(super) fn generate(seed: u64) -> String {
    let mut random = Random::new(seed);
    let defs = defs(&mut random);
    let mut pool = vec![T::Int, T::Array(Box::new(T::Int))];
    for _ in 0..4 {
        let made = ty(&mut random, defs.len(), 2);
        if random.chance(40) {
            pool.push(T::Array(Box::new(made.clone())));
        }
        pool.push(made);
    }
    let mut maker = Maker {
        random,
        defs,
        pool,
        functions: Vec::new(),
        scope: Vec::new(),
        next: 0,
        inside: Inside { io: false, err: false, result: None, is_loop: false, fuel: None },
    };
    let mut text = LIBRARY.to_owned();
    for def in 0..maker.defs.len() {
        text.push_str(&maker.def_text(def));
    }
    let count = 2 + maker.random.below(4);
    for index in 0..count {
        text.push_str(&maker.function(index));
    }
    text.push_str(&maker.main());
    text
}

/// Functions that every program has: generic, recursive, of higher order, with conditions and with errors.
const LIBRARY: &str = "\
sum Tree[T] { Leaf, Node(left: Tree[T], item: T, right: Tree[T]) }
rec Box[T] { item: T, tag: Str }
rec Span { lo: Int, hi: Int{hi >= lo} }
type Small = Int{v | v > -1000000 && v < 1000000}
fn say[T](n: Int, value: T) -> IO + T { println(`#${n}`); value }
fn shown[T](value: T) -> Str { to_string(value) }
fn choose[T](first: Bool, one: T, two: T) -> T { if first { one } else { two } }
fn apply[A, B](value: A, change: (A) -> B) -> B { change(value) }
fn twice[T](value: T, change: (T) -> T) -> T { change(change(value)) }
fn or_else[T](option: Option[T], other: T) -> T { match option { Some(value) -> value, None -> other } }
fn swap[A, B](pair: (A, B)) -> (B, A) { let (one, two) = pair; (two, one) }
fn insert(tree: Tree[Int], item: Int) -> Tree[Int] {
  match tree {
    Leaf -> Node(Leaf, item, Leaf),
    Node(left, here, right) if item < here -> Node(insert(left, item), here, right),
    Node(left, here, right) -> Node(left, here, insert(right, item)),
  }
}
fn flat[T](tree: Tree[T]) -> [T] {
  match tree { Leaf -> [], Node(Leaf, item, Leaf) -> [item], Node(l, item, r) -> flat(l) ++ [item] ++ flat(r) }
}
fn read(text: Str) -> Result[Int, Str] {
  match parse_int(text) { Some(n) -> Ok(n), None -> Err(`no number: ${text}`) }
}
fn risky(n: Int) -> Err[Str, Int] { let half = if n % 2 == 0 { Ok(n / 2) } else { Err(`odd ${n}`) }; half? + 1 }
fn small(n: Small) -> Int { n + 1 }
fn above(n: Int, least: Int{least < n}) -> (Int{result > least}) pre n > -1000 { let least = n; least }
fn span(lo: Int, size: Nat) -> Span post result.hi - result.lo == size { Span { hi: lo + size, lo: lo } }
fn firsts(xs: [Int]) -> Option[(Int, Int)] { let a = get(xs, 0)?; let b = get(xs, 1)?; Some((a, b)) }
";

/// A type that is made.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum T {
    Int,
    Float,
    Bool,
    Str,
    Array(Box<T>),
    Tuple(Vec<T>),
    Option(Box<T>),
    /// The error is a string.
    Result(Box<T>),
    Map(Box<T>),
    Set(Box<T>),
    Tree(Box<T>),
    Box(Box<T>),
    Span,
    /// A record without a name: `x` is an integer, `y` is this.
    Anonymous(Box<T>),
    /// One of the declared ones.
    Def(usize),
}

/// A declared record (one variant with the type's name) or sum.
struct Def {
    name: String,
    is_record: bool,
    variants: Vec<(String, Vec<(String, T)>)>,
}

#[derive(Clone)]
struct Signature {
    name: String,
    params: Vec<T>,
    result: T,
    io: bool,
    err: bool,
}

#[derive(Clone)]
struct Local {
    name: String,
    ty: T,
    is_mutable: bool,
    /// A lambda that takes these and gives the type.
    takes: Option<(Vec<T>, bool)>,
}

/// What may be done at a place.
#[derive(Clone)]
struct Inside {
    io: bool,
    err: bool,
    /// What `return` takes, if it is allowed.
    result: Option<T>,
    is_loop: bool,
    /// The function itself, which may be called with less fuel.
    fuel: Option<Signature>,
}

struct Maker {
    random: Random,
    defs: Vec<Def>,
    pool: Vec<T>,
    functions: Vec<Signature>,
    scope: Vec<Local>,
    next: usize,
    inside: Inside,
}

/// Names that mean something in JavaScript, or in the run-time library, or to the prelude.
const NAMES: &[&str] = &[
    "class",
    "new",
    "default",
    "var",
    "this",
    "arguments",
    "eval",
    "delete",
    "at",
    "div",
    "show",
    "copy",
    "equals",
    "value",
    "constructor",
    "toString",
    "index",
    "part",
    "undefined",
    "await",
    "yield",
    "place",
    "item",
    "option",
    "static",
    "typeof",
    "length",
    "prototype",
    "self",
    "name",
    "print_line",
    "int32",
];

const FIELDS: &[&str] =
    &["a", "b", "tag", "value", "constructor", "length", "class", "name", "error"];

fn defs(random: &mut Random) -> Vec<Def> {
    let mut defs: Vec<Def> = Vec::new();
    for index in 0..2 + random.below(3) {
        let is_record = random.chance(50);
        let name = format!("{}{index}", if is_record { "Rec" } else { "Sum" });
        let count = if is_record { 1 } else { 1 + random.below(4) };
        let variants = (0..count).map(|variant| {
            let n_fields = if is_record { 1 + random.below(3) } else { random.below(3) };
            let mut names: Vec<&str> = FIELDS.to_vec();
            let fields = (0..n_fields).map(|_| {
                let field = names.remove(random.below(names.len()));
                (field.to_owned(), ty(random, index, 1))
            });
            let fields = fields.collect();
            (
                if is_record {
                    name.clone()
                } else {
                    format!("V{index}{}", ["a", "b", "c", "d"][variant])
                },
                fields,
            )
        });
        let variants = variants.collect();
        defs.push(Def { name, is_record, variants });
    }
    defs
}

/// A type that uses the first `n_defs` declared ones.
fn ty(random: &mut Random, n_defs: usize, depth: usize) -> T {
    if depth == 0 || random.chance(45) {
        return random.pick(&[T::Int, T::Int, T::Int, T::Str, T::Bool, T::Float]).clone();
    }
    let mut inner = || Box::new(ty(random, n_defs, depth - 1));
    let (one, two) = (inner(), inner());
    match random.below(14) {
        0..=2 => T::Array(one),
        3 | 4 => T::Tuple(vec![*one, *two]),
        5 => T::Option(one),
        6 => T::Result(one),
        7 => T::Map(one),
        8 => T::Set(Box::new(random.pick(&[T::Int, T::Str]).clone())),
        9 => T::Tree(one),
        10 => T::Box(one),
        11 if random.chance(30) => T::Span,
        12 => T::Anonymous(one),
        _ if n_defs > 0 => T::Def(random.below(n_defs)),
        _ => T::Tuple(vec![*one, *two]),
    }
}

impl Maker {
    /// A type; mostly one of the few that the program likes, so that values of one type meet.
    fn ty(&mut self, depth: usize) -> T {
        match self.random.chance(75) {
            true => self.random.pick(&self.pool).clone(),
            false => ty(&mut self.random, self.defs.len(), depth),
        }
    }

    fn ty_text(&self, ty: &T) -> String {
        match ty {
            T::Int => "Int".to_owned(),
            T::Float => "Float".to_owned(),
            T::Bool => "Bool".to_owned(),
            T::Str => "Str".to_owned(),
            T::Array(it) => format!("[{}]", self.ty_text(it)),
            T::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|it| self.ty_text(it)).collect();
                format!("({})", parts.join(", "))
            }
            T::Option(it) => format!("Option[{}]", self.ty_text(it)),
            T::Result(it) => format!("Result[{}, Str]", self.ty_text(it)),
            T::Map(it) => format!("Map[Str, {}]", self.ty_text(it)),
            T::Set(it) => format!("Set[{}]", self.ty_text(it)),
            T::Tree(it) => format!("Tree[{}]", self.ty_text(it)),
            T::Box(it) => format!("Box[{}]", self.ty_text(it)),
            T::Span => "Span".to_owned(),
            T::Anonymous(it) => format!("{{ x: Int, y: {} }}", self.ty_text(it)),
            T::Def(index) => self.defs[*index].name.clone(),
        }
    }

    fn def_text(&self, index: usize) -> String {
        let def = &self.defs[index];
        let fields = |fields: &[(String, T)], named: bool| {
            let one = |(name, ty): &(String, T)| match named {
                true => format!("{name}: {}", self.ty_text(ty)),
                false => self.ty_text(ty),
            };
            fields.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        if def.is_record {
            return format!("rec {} {{ {} }}\n", def.name, fields(&def.variants[0].1, true));
        }
        let variants: Vec<String> = def
            .variants
            .iter()
            .enumerate()
            .map(|(index, (name, it))| match it.is_empty() {
                true => name.clone(),
                false => format!("{name}({})", fields(it, index % 2 == 0)),
            })
            .collect();
        format!("sum {} {{ {} }}\n", def.name, variants.join(", "))
    }

    /// A name that is new here, or one that hides another.
    fn fresh(&mut self) -> String {
        self.next += 1;
        if self.random.chance(12) && !self.scope.is_empty() {
            let index = self.random.below(self.scope.len());
            // A counter is hidden by nothing, so that its loop ends.
            if !self.scope[index].name.starts_with("count") && self.scope[index].name != "fuel" {
                return self.scope[index].name.clone();
            }
        }
        match self.random.below(100) {
            0..=14 => self.random.pick(NAMES).to_string(),
            _ => format!("x{}", self.next),
        }
    }

    /// A name that no other one of its pattern has.
    fn unique(&mut self) -> String {
        self.next += 1;
        format!("p{}", self.next)
    }

    fn bind(&mut self, name: &str, ty: &T, is_mutable: bool) {
        self.scope.push(Local { name: name.to_owned(), ty: ty.clone(), is_mutable, takes: None });
    }

    /// Runs with names and permissions of its own.
    fn within<R>(&mut self, inside: Inside, work: impl FnOnce(&mut Maker) -> R) -> R {
        let depth = self.scope.len();
        let outer = std::mem::replace(&mut self.inside, inside);
        let made = work(self);
        self.inside = outer;
        self.scope.truncate(depth);
        made
    }

    fn function(&mut self, index: usize) -> String {
        let name = match self.random.below(4) {
            0 => format!("{}{index}", self.random.pick(&["print_", "clank", "main", "run"])),
            _ => format!("f{index}"),
        };
        let (io, err) = (self.random.chance(50), self.random.chance(20));
        let has_fuel = self.random.chance(35);
        let mut params: Vec<T> = (0..1 + self.random.below(3)).map(|_| self.ty(2)).collect();
        if has_fuel {
            params.insert(0, T::Int);
        }
        let result = self.ty(2);
        let signature = Signature {
            name: name.clone(),
            params: params.clone(),
            result: result.clone(),
            io,
            err,
        };
        self.scope.clear();
        let mut written = Vec::new();
        for (index, ty) in params.iter().enumerate() {
            let name =
                if has_fuel && index == 0 { "fuel".to_owned() } else { format!("arg{index}") };
            self.bind(&name, ty, false);
            let refinement = match *ty == T::Int && self.random.chance(20) {
                true => format!("{{{name} > -100000 && {name} < 2 ^ 80}}"),
                false => String::new(),
            };
            written.push(format!("{name}: {}{refinement}", self.ty_text(ty)));
        }
        let fuel = has_fuel.then(|| signature.clone());
        let inside = Inside { io, err, result: Some(result.clone()), is_loop: false, fuel };
        let shown = self.ty_text(&result);
        let body = self.within(inside, |it| {
            let first = match has_fuel {
                true => format!("if fuel <= 0 {{ return {}; }};\n", it.expr(&result, 0)),
                false => String::new(),
            };
            let body = it.body(None, 3);
            let shown = if io { it.show_locals() } else { String::new() };
            format!("{{ {first}{body}{shown}{} }}", it.expr(&result, 3))
        });
        let effects = match (io, err) {
            (true, true) => format!("IO + Err[Str, {shown}]"),
            (true, false) => format!("IO + {shown}"),
            (false, true) => format!("Err[Str, {shown}]"),
            (false, false) => shown,
        };
        self.functions.push(signature);
        format!("fn {name}({}) -> {effects} {body}\n", written.join(", "))
    }

    fn main(&mut self) -> String {
        self.scope.clear();
        let inside = Inside { io: true, err: false, result: None, is_loop: false, fuel: None };
        let body = self.within(inside, |it| {
            let mut body = String::new();
            for function in it.functions.clone() {
                for _ in 0..2 {
                    let args = it.args(&function, 2);
                    let call = format!("{}({args})", function.name);
                    let call = if function.err { format!("try(\\() -> {call})") } else { call };
                    body.push_str(&format!("println(to_string({call}));\n"));
                }
            }
            body.push_str(&it.body(None, 3));
            body.push_str(&it.show_locals());
            body
        });
        format!("fn main() -> IO + Unit {{ {body} }}\n")
    }

    fn show_locals(&self) -> String {
        let shown = self.visible().into_iter().filter(|it| it.takes.is_none());
        shown.map(|it| format!("println(to_string({}));\n", it.name)).collect()
    }

    /// Arguments for a call from outside.
    fn args(&mut self, function: &Signature, depth: usize) -> String {
        let args: Vec<String> = function
            .params
            .iter()
            .enumerate()
            .map(|(index, ty)| match (index, ty) {
                (0, T::Int) => self.random.below(4).to_string(),
                _ => self.expr(ty, depth),
            })
            .collect();
        args.join(", ")
    }
}
