//! Programs about which there is much to prove: indices, divisions and refinements under guards, in loops, after
//! assignments, through closures that assign, with names that hide one another.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use clank::env;
use clank::program::NoModules;
use clank::ty::{Prim, Ty};
use clank::{Checked, CheckedModule, Program};
use clank_syntax::ast::Name;

use super::random::Random;
use super::value::Value;

/// The program with that number: those of its functions that the checker accepts, and what it found out about them.
pub(super) fn generate(seed: u64) -> (String, Checked) {
    let mut maker = Maker {
        random: Random::new(seed ^ 0x0b57_ac1e),
        names: Vec::new(),
        next: 0,
        is_loop: false,
    };
    let functions: Vec<String> = (0..N_FUNCTIONS).map(|it| maker.function(it)).collect();
    let all = format!("{LIBRARY}{}", functions.concat());
    let checked = clank::check(&program(&all), None);
    let module = checked.asked().expect("there is one module");
    let wrong: BTreeSet<String> = module
        .diagnostics
        .iter()
        .filter(|it| it.code.is_error())
        .filter_map(|it| {
            let mut declarations = module.ast.declarations().iter();
            let home = declarations.find(|decl| decl.node() >= it.node)?;
            Some(module.ast.text(*home).to_owned())
        })
        .collect();
    let kept: Vec<&String> = functions.iter().filter(|it| !wrong.contains(it.trim())).collect();
    let kept: String = kept.into_iter().map(String::as_str).collect();
    let text = format!("{LIBRARY}{kept}fn main() -> Unit {{ () }}\n");
    let checked = clank::check(&program(&text), Some(&checked));
    (text, checked)
}

/// The same program with a `main` that calls its functions.
pub(super) fn runnable(seed: u64) -> String {
    let (text, checked) = generate(seed);
    let module = checked.asked().expect("there is one module");
    let mut random = Random::new(seed);
    let mut all: Vec<(Name, Vec<Value>)> = calls(module).collect();
    let mut shown = String::new();
    for _ in 0..8.min(all.len()) {
        let (name, args) = all.swap_remove(random.below(all.len()));
        let args: Vec<String> = args.iter().map(written).collect();
        shown.push_str(&format!("println(to_string({name}({}))); ", args.join(", ")));
    }
    text.replace("fn main() -> Unit { () }", &format!("fn main() -> IO + Unit {{ {shown}}}"))
}

/// A value as an expression.
fn written(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", "))
        }
        Value::Record(Some(name), fields) => {
            let fields: Vec<String> = fields.iter().map(|it| written(&it.1)).collect();
            format!("{name}({})", fields.join(", "))
        }
        other => other.show(),
    }
}

fn program(text: &str) -> Program {
    let parsed = clank_syntax::parse("main.clank", text);
    Program::load("main.clank".into(), Arc::new(parsed.ast), parsed.errors, &NoModules)
}

/// So many functions are made; about half of them are refused because something in them is refuted.
const N_FUNCTIONS: usize = 3;

const LIBRARY: &str = "\
rec Span { lo: Int, size: Int{size >= 0}, hi: Int{h | h >= lo} }
type Digit = Int{v | v >= 0 && v < 10}
rec Pt { x: Int, y: Int }
fn below(n: Int, zs: [Int{v | v < n}]) -> (Int{result < n}) { if len(zs) > 0 { zs[0] } else { n - 1 } }
fn made(n: Int, k: Int) -> [Int{v | v < n}] { [k, n - 1] }
fn left(n: Int, ps: [Pt{v | v.x < n}]) -> (Int{result <= n}) { if len(ps) > 0 { ps[0].x + 1 } else { n } }
fn lower(n: Int, o: Option[Int{v | v < n}]) -> Int { match o { Some(k) -> 12 / (n - k), None -> n } }
fn same[T](items: [T]) -> [T] { items }
fn digit(n: Int) -> Digit { if n < 0 || n > 9 { 0 } else { n } }
fn pick(xs: [Int], i: Int{i >= 0 && i < len(xs)}) -> Int { xs[i] }
fn half(n: Nat) -> (Int{result <= n}) { n / 2 }
fn over(n: Int, d: Int{d != 0}) -> Int { n / d }
fn up(n: Int, by: Int) -> Int pre by > 0 post result > n { n + by }
fn low(n: Int) -> (Int{result < 100}) pre n > 0 && n < 9 { 10 / n }
fn with(g: (Int{v | v > 2 && v < 7}) -> Int, n: Int) -> Int { g(if n > 2 && n < 7 { n } else { 3 }) }
";

/// Arguments for all functions of a module whose parameters are numbers and arrays of numbers.
pub(super) fn calls(module: &CheckedModule) -> impl Iterator<Item = (Name, Vec<Value>)> {
    let mut random = Random::new(7);
    let mut all = Vec::new();
    let functions = module.env.values.iter().filter_map(|(name, value)| match value {
        env::Value::Fn { signature, .. } if name.starts_with('f') => {
            Some((name.clone(), signature.clone()))
        }
        _ => None,
    });
    let mut functions: Vec<_> = functions.collect();
    functions.sort_by(|one, two| one.0.cmp(&two.0));
    for (name, signature) in functions {
        for round in 0..20 {
            let args: Option<Vec<Value>> =
                signature.params.iter().map(|it| argument(&it.1, &mut random, round)).collect();
            if let Some(args) = args {
                all.push((name.clone(), args));
            }
        }
    }
    all.into_iter()
}

fn argument(ty: &Ty, random: &mut Random, round: usize) -> Option<Value> {
    let number = |random: &mut Random| {
        let wide = if round % 10 == 9 { 1_000 } else { 5 };
        Value::Int((random.below(2 * wide + 1) as i64 - wide as i64).into())
    };
    match ty.base() {
        Ty::Prim(Prim::Int | Prim::Nat) => Some(number(random)),
        Ty::Prim(Prim::Bool) => Some(Value::Bool(random.chance(50))),
        Ty::Array(element) => {
            // What is inside must be what it promises: with few elements it is, often enough.
            let count = random.below(if matches!(**element, Ty::Refined(_)) { 3 } else { 5 });
            let items = (0..count).map(|_| argument(element, random, round));
            Some(Value::array(items.collect::<Option<_>>()?))
        }
        Ty::Adt(it) if it.key.name == "Pt" => {
            let fields = [("x", number(random)), ("y", number(random))];
            let fields = fields.map(|it| (Name::new(it.0), it.1));
            Some(Value::Record(Some(Name::new("Pt")), Rc::new(fields.into())))
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Int,
    Array,
    Span,
    /// Numbers below `n`.
    Below,
    /// Points left of `n`.
    Points,
    /// From a number to a number.
    Lambda,
}

#[derive(Clone)]
struct Local {
    name: String,
    shape: Shape,
    is_mutable: bool,
}

struct Maker {
    random: Random,
    names: Vec<Local>,
    next: usize,
    is_loop: bool,
}

impl Maker {
    fn function(&mut self, index: usize) -> String {
        self.names.clear();
        self.next = 0;
        let mut params = Vec::new();
        for name in ["a", "b"] {
            self.bind(name, Shape::Int, false);
            let ty = match self.random.below(6) {
                0 => "Nat".to_owned(),
                1 => format!("Int{{{name} > {}}}", self.small()),
                2 => format!("Int{{{name} != 0}}"),
                3 => "Digit".to_owned(),
                _ => "Int".to_owned(),
            };
            params.push(format!("{name}: {ty}"));
        }
        self.bind("xs", Shape::Array, false);
        params.push(match self.random.below(3) {
            0 => "xs: [Int]{len(xs) > 0}".to_owned(),
            1 => format!("xs: [Int]{{len(xs) > {}}}", self.random.below(3)),
            _ => "xs: [Int]".to_owned(),
        });
        self.bind("n", Shape::Int, false);
        self.bind("zs", Shape::Below, false);
        self.bind("ps", Shape::Points, false);
        params.push("n: Int".to_owned());
        params.push("zs: [Int{v | v < n}]".to_owned());
        params.push("ps: [Pt{v | v.x < n}]".to_owned());
        let result = match self.random.below(5) {
            0 => "Nat".to_owned(),
            1 => format!("(Int{{result >= {}}})", self.small()),
            2 => "(Int{result >= a})".to_owned(),
            _ => "Int".to_owned(),
        };
        let pre = match self.random.below(4) {
            0 => format!(" pre {}", self.condition(1)),
            _ => String::new(),
        };
        let body = self.body(3);
        let value = match self.random.chance(40) {
            true => self.bounded("a", "b"),
            false => self.int(2),
        };
        let params = params.join(", ");
        format!("fn f{index}({params}) -> {result}{pre} {{\n{body}{value} }}\n")
    }

    fn bind(&mut self, name: &str, shape: Shape, is_mutable: bool) {
        self.names.push(Local { name: name.to_owned(), shape, is_mutable });
    }

    /// What is in scope and not hidden.
    fn some(&mut self, shape: Shape, mutable: bool) -> Option<String> {
        let mut found: Vec<&Local> = Vec::new();
        for (place, it) in self.names.iter().enumerate() {
            let is_hidden = self.names[place + 1..].iter().any(|other| other.name == it.name);
            if !is_hidden && it.shape == shape && (it.is_mutable || !mutable) {
                found.push(it);
            }
        }
        match found.is_empty() {
            true => None,
            false => Some(found[self.random.below(found.len())].name.clone()),
        }
    }

    fn fresh(&mut self) -> String {
        self.next += 1;
        match self.random.chance(20) {
            true => self.random.pick(&["a", "b", "m1", "m2"]).to_string(),
            false => format!("m{}", self.next),
        }
    }

    fn small(&mut self) -> i64 {
        self.random.below(6) as i64 - 2
    }

    fn array(&mut self) -> String {
        self.some(Shape::Array, false).unwrap_or_else(|| "[1, 2]".to_owned())
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.chance(35) {
            return match self.random.below(6) {
                0 => format!("len({})", self.array()),
                1 => match self.some(Shape::Span, false) {
                    Some(span) => format!("{span}.{}", self.random.pick(&["lo", "size", "hi"])),
                    None => self.random.below(4).to_string(),
                },
                2 => self.random.below(4).to_string(),
                _ => self.some(Shape::Int, false).unwrap_or_else(|| "1".to_owned()),
            };
        }
        let below = depth - 1;
        let (one, two) = (self.int(below), self.int(below));
        match self.random.below(19) {
            17 | 18 => self.bounded(&one, &two),
            0..=2 => format!("({one} + {two})"),
            3..=5 => format!("({one} - {two})"),
            6 => format!("({one} * {})", self.small().max(0)),
            7 => format!("({one} / {two})"),
            8 => format!("({one} % {two})"),
            9 => format!("{}({one}, {two})", self.random.pick(&["min", "max"])),
            10 => format!("abs({one})"),
            11 => format!("(if {} {{ {one} }} else {{ {two} }})", self.condition(1)),
            12 => format!("{}[{one}]", self.array()),
            13 => match self.some(Shape::Lambda, false) {
                Some(lambda) => format!("{lambda}({one})"),
                None => format!("digit({one})"),
            },
            14 => format!("pick({}, {one})", self.array()),
            15 => match self.random.below(8) {
                4 => format!("with(low, {one})"),
                5 => format!("with(\\v -> low(v) + {two}, {one})"),
                6 => format!("({{ let g = low; g({one}) }})"),
                7 => format!("fold(map([{one}], low), 0, \\(a, b) -> a + b)"),
                0 => format!("half({one})"),
                1 => format!("up({one}, {two})"),
                2 => format!("({one} |> half)"),
                _ => format!("over({one}, {two})"),
            },
            _ => format!("(-{one})"),
        }
    }

    /// Something that is bounded by a name that is never hidden.
    fn bounded(&mut self, value: &str, other: &str) -> String {
        let zs = self.below();
        match self.random.below(12) {
            0 => format!("below(n, {zs})"),
            1 => format!("below(n, [{value}])"),
            2 => format!("below(n + {}, [{value}, n])", self.small()),
            3 => format!("below({value}, [{other}])"),
            4 => format!("below(len({zs}), [{value}])"),
            5 => format!("left(n, {})", self.points()),
            6 => format!("left({value}, {})", self.points()),
            7 => format!("left(n, [Pt({value}, {other})])"),
            8 => format!("lower(n, Some({value}))"),
            9 => format!("lower(n, get({zs}, {}))", self.random.below(2)),
            10 => format!("{zs}[{value}]"),
            _ => format!("below(n, same([{value}]))"),
        }
    }

    fn below(&mut self) -> String {
        let zs = self.some(Shape::Below, false).unwrap_or_else(|| "zs".to_owned());
        match self.random.below(6) {
            0 => format!("take({zs}, {})", self.random.below(3)),
            1 => format!("made(n, {})", self.small()),
            2 => format!("push({zs}, n - {})", self.random.below(3)),
            _ => zs,
        }
    }

    fn points(&mut self) -> String {
        self.some(Shape::Points, false).unwrap_or_else(|| "ps".to_owned())
    }

    /// A copy of what is bounded, or a change of one: its name is never hidden either.
    fn let_bounded(&mut self) -> String {
        let index = if self.random.chance(70) { "0".to_owned() } else { self.int(1) };
        let value = self.int(1);
        if self.random.chance(60) {
            if let Some(zs) = self.some(Shape::Below, true)
                && self.random.chance(50)
            {
                return match self.random.below(4) {
                    0 => format!("{zs} = push({zs}, {value})"),
                    1 => format!("{zs} = {}", self.below()),
                    _ => format!("{zs}[{index}] = {value}"),
                };
            }
            if let Some(ps) = self.some(Shape::Points, true) {
                return match self.random.below(4) {
                    0 => format!("{ps}[{index}] = Pt({value}, 0)"),
                    1 => format!("{ps}[{index}].y = {value}"),
                    _ => format!("{ps}[{index}].x = {value}"),
                };
            }
        }
        self.next += 1;
        let name = format!("q{}", self.next);
        if self.random.chance(50) {
            let made = self.below();
            self.bind(&name, Shape::Below, true);
            return format!("let mut {name} = {made}");
        }
        let made = self.points();
        self.bind(&name, Shape::Points, true);
        format!("let mut {name} = {made}")
    }

    fn condition(&mut self, depth: usize) -> String {
        if depth > 0 && self.random.chance(35) {
            let (one, two) = (self.condition(depth - 1), self.condition(depth - 1));
            return match self.random.below(5) {
                0 => format!("!({one})"),
                1 | 2 => format!("({one} || {two})"),
                _ => format!("({one} && {two})"),
            };
        }
        let op = *self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        // What can be said about what is used: a name against a number, another name or a length.
        let one = self.some(Shape::Int, false).unwrap_or_else(|| "1".to_owned());
        let two = match self.random.below(4) {
            0 => format!("len({})", self.array()),
            1 => self.int(1).replace('[', "len([").replace(']', "])"),
            _ => self.small().to_string(),
        };
        let two = if two.contains("len([") { self.small().to_string() } else { two };
        format!("{one} {op} {two}")
    }

    fn body(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(if depth > 2 { 6 } else { 3 });
        (0..count).map(|_| format!("  {};\n", self.stmt(depth))).collect()
    }

    fn block(&mut self, depth: usize) -> String {
        let before = self.names.len();
        let body = self.body(depth.saturating_sub(1));
        self.names.truncate(before);
        format!("{{\n{body}}}")
    }

    fn stmt(&mut self, depth: usize) -> String {
        if self.random.chance(20) {
            return self.let_bounded();
        }
        match self.random.below(if depth == 0 { 10 } else { 21 }) {
            0..=2 => self.let_int(),
            3 | 4 => self.assign(),
            5 => self.let_array(),
            6 => self.assign_element(),
            7 => format!("if {} {{ return {}; }}", self.condition(1), self.int(1)),
            8 if self.is_loop => {
                let jump = *self.random.pick(&["break", "continue"]);
                format!("if {} {{ {jump}; }}", self.condition(1))
            }
            9 if self.random.chance(40) => format!("assert {}", self.condition(1)),
            8 | 9 => self.let_span(),
            10 | 11 => format!("if {} {}", self.condition(1), self.block(depth)),
            12 | 13 => {
                let (test, then) = (self.condition(2), self.block(depth));
                format!("if {test} {then} else {}", self.block(depth))
            }
            14 | 15 => self.while_stmt(depth),
            16 | 17 => self.for_stmt(depth),
            18 => self.lambda(),
            _ => self.match_stmt(depth),
        }
    }

    fn let_int(&mut self) -> String {
        let value = self.int(2);
        let name = self.fresh();
        let is_mutable = self.random.chance(55);
        let mutable = if is_mutable { "mut " } else { "" };
        let ty = match self.random.below(8) {
            0 => ": Nat".to_owned(),
            1 => format!(": Int{{{name} >= {}}}", self.small()),
            2 => ": Digit".to_owned(),
            _ => ": Int".to_owned(),
        };
        self.bind(&name, Shape::Int, is_mutable);
        format!("let {mutable}{name}{ty} = {value}")
    }

    fn let_array(&mut self) -> String {
        let (xs, value) = (self.array(), self.int(1));
        let made = match self.random.below(8) {
            0 => format!("push({xs}, {value})"),
            1 => format!("{xs} ++ [{value}]"),
            2 => format!("[{value}, {}]", self.int(1)),
            3 => format!("take({xs}, {})", self.random.below(3)),
            4 => format!("drop({xs}, {})", self.random.below(3)),
            5 => format!("map({xs}, \\it -> it + {value})"),
            6 => format!("filter({xs}, \\it -> it > {value})"),
            _ => xs,
        };
        let name = match self.random.chance(25) {
            true => "xs".to_owned(),
            false => self.fresh(),
        };
        let is_mutable = self.random.chance(60);
        self.bind(&name, Shape::Array, is_mutable);
        format!("let {}{name}: [Int] = {made}", if is_mutable { "mut " } else { "" })
    }

    fn let_span(&mut self) -> String {
        let (lo, size) = (self.int(1), self.int(1));
        if let Some(span) = self.some(Shape::Span, true)
            && self.random.chance(50)
        {
            if self.random.chance(30) {
                return format!("{span}.hi = {span}.lo + {size}");
            }
            return format!("{span}.{} = {lo}", self.random.pick(&["lo", "size", "hi"]));
        }
        let name = self.fresh();
        self.bind(&name, Shape::Span, true);
        let hi = if self.random.chance(70) { format!("{lo} + 3") } else { self.int(1) };
        format!("let mut {name} = Span {{ lo: {lo}, size: {size}, hi: {hi} }}")
    }

    fn assign(&mut self) -> String {
        let value = self.int(2);
        match self.some(Shape::Int, true) {
            Some(name) if self.random.chance(50) => {
                let op = *self.random.pick(&["+", "-"]);
                format!("{name} = {name} {op} {}", self.random.below(3))
            }
            Some(name) => format!("{name} = {value}"),
            None => self.let_int(),
        }
    }

    fn assign_element(&mut self) -> String {
        let (index, value) = (self.int(1), self.int(1));
        match self.some(Shape::Array, true) {
            Some(xs) if self.random.chance(25) => format!("{xs} = push({xs}, {value})"),
            Some(xs) if self.random.chance(20) => format!("{xs} = drop({xs}, 1)"),
            Some(xs) => format!("{xs}[{index}] = {value}"),
            None => self.let_array(),
        }
    }

    fn looping(&mut self, depth: usize) -> String {
        let outer = std::mem::replace(&mut self.is_loop, true);
        let body = self.body(depth.saturating_sub(1));
        self.is_loop = outer;
        body
    }

    /// A loop that counts; its body may well change the counter too.
    fn while_stmt(&mut self, depth: usize) -> String {
        let start = self.int(1);
        let name = self.fresh();
        self.bind(&name, Shape::Int, true);
        let before = self.names.len();
        let (test, step) = match self.random.below(4) {
            0 => (format!("{name} > {}", self.small()), format!("{name} = {name} - 1")),
            1 => (format!("{name} != {}", self.small()), format!("{name} = {name} + 1")),
            _ => (format!("{name} < len({})", self.array()), format!("{name} = {name} + 1")),
        };
        let body = self.looping(depth);
        self.names.truncate(before);
        let (first, last) = match self.random.chance(80) {
            true => (body, step),
            false => (format!("{step};\n"), body),
        };
        format!("let mut {name}: Int = {start};\nwhile {test} {{\n{first}  {last};\n}}")
    }

    fn for_stmt(&mut self, depth: usize) -> String {
        let items = match self.random.below(5) {
            0 => self.array(),
            4 => self.below(),
            1 => format!("{}..{}", self.int(1), self.int(1)),
            2 => format!("{}..={}", self.small().max(0), self.int(1)),
            _ => format!("0..len({})", self.array()),
        };
        let before = self.names.len();
        let name = self.fresh();
        self.bind(&name, Shape::Int, false);
        let body = self.looping(depth);
        self.names.truncate(before);
        format!("for {name} in {items} {{\n{body}}}")
    }

    /// A lambda that assigns what it captures.
    fn lambda(&mut self) -> String {
        let before = self.names.len();
        self.bind("d", Shape::Int, false);
        let assigned = self.some(Shape::Int, true);
        let value = self.int(1);
        self.names.truncate(before);
        let name = self.fresh();
        self.bind(&name, Shape::Lambda, false);
        match assigned {
            Some(it) => format!("let {name} = \\(d: Int) -> {{ {it} = {value}; {it} + d }}"),
            None => format!("let {name} = \\(d: Int) -> {value}"),
        }
    }

    fn match_stmt(&mut self, depth: usize) -> String {
        let (xs, at) = (self.array(), self.random.below(3));
        let before = self.names.len();
        let name = self.fresh();
        self.bind(&name, Shape::Int, false);
        let (guard, then) = (self.condition(1), self.block(depth));
        self.names.truncate(before);
        let other = self.block(depth);
        match self.random.chance(50) {
            true => format!(
                "match get({xs}, {at}) {{ Some({name}) if {guard} -> {then}, _ -> {other} }}"
            ),
            false => {
                let value = self.int(1);
                format!("match {value} {{ {at} -> {other}, {name} -> {then} }}")
            }
        }
    }
}
