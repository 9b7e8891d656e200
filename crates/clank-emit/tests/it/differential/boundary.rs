//! Values of the host out of a seed, in types out of the same seed: an external that is generic in its result gives them,
//! and what comes of it is what a reader says that was written from the decisions. Whatever does not fit
//! is a panic of ours that names the external.

use super::random::Random;
use super::{checked, embedded};

/// A type, and how it is written.
enum Type {
    Int,
    Nat,
    Positive,
    Bool,
    Str,
    Array(Box<Type>),
    Option(Box<Type>),
    Pair(Box<Type>, Box<Type>),
    Record,
    Sum,
}

/// A value of the host.
enum Host {
    Int(i64),
    MinusZero,
    Fraction,
    Str(&'static str),
    HalfPair,
    Bool(bool),
    Null,
    Undefined,
    /// Only in an array.
    Hole,
    Array(Vec<Host>),
    /// An array by way of a proxy that hides nothing.
    Proxy(Vec<Host>),
    Record(Box<Host>, Box<Host>),
    Variant(&'static str, Box<Host>),
    Throwing,
    Revoked,
}

const DECLARED: &str = "\
rec P { x: Int{x < 9}, y: Str }
sum S { Off, On(level: [Nat]) }
";

fn ty(random: &mut Random, depth: usize) -> Type {
    let inner = |random: &mut Random| Box::new(ty(random, depth - 1));
    match random.below(if depth == 0 { 7 } else { 12 }) {
        0 => Type::Int,
        1 => Type::Nat,
        2 => Type::Positive,
        3 => Type::Bool,
        4 => Type::Str,
        5 => Type::Record,
        6 => Type::Sum,
        7 | 8 => Type::Array(inner(random)),
        9 | 10 => Type::Option(inner(random)),
        _ => Type::Pair(inner(random), inner(random)),
    }
}

impl Type {
    fn written(&self) -> String {
        match self {
            Type::Int => "Int".to_owned(),
            Type::Nat => "Nat".to_owned(),
            Type::Positive => "Int{v | v > 0}".to_owned(),
            Type::Bool => "Bool".to_owned(),
            Type::Str => "Str".to_owned(),
            Type::Array(it) => format!("[{}]", it.written()),
            Type::Option(it) => format!("Option[{}]", it.written()),
            Type::Pair(one, two) => format!("({}, {})", one.written(), two.written()),
            Type::Record => "P".to_owned(),
            Type::Sum => "S".to_owned(),
        }
    }

    /// A value that fits, or now and then one that does not.
    fn value(&self, random: &mut Random) -> Host {
        if random.chance(8) {
            return match random.below(12) {
                0 => Host::Fraction,
                1 => Host::HalfPair,
                2 => Host::Null,
                3 => Host::Undefined,
                4 => Host::Throwing,
                5 => Host::Revoked,
                6 => Host::Int(-3),
                7 => Host::Str("x"),
                8 => Host::Bool(true),
                9 => Host::Array(vec![Host::Int(1), Host::Hole]),
                10 => Host::Variant("Of", Box::new(Host::Array(Vec::new()))),
                _ => Host::Record(Box::new(Host::Int(9)), Box::new(Host::Str("y"))),
            };
        }
        match self {
            Type::Int if random.chance(10) => Host::MinusZero,
            Type::Int | Type::Nat | Type::Positive => Host::Int(1 + random.below(8) as i64),
            Type::Bool => Host::Bool(random.chance(50)),
            Type::Str => Host::Str(["a", "b c", ""][random.below(3)]),
            Type::Array(it) => {
                let mut items: Vec<Host> = (0..random.below(4)).map(|_| it.value(random)).collect();
                if random.chance(10) {
                    items.push(Host::Hole);
                    items.push(it.value(random));
                }
                if random.chance(15) { Host::Proxy(items) } else { Host::Array(items) }
            }
            Type::Option(_) if random.chance(30) => Host::Null,
            Type::Option(it) => it.value(random),
            Type::Pair(one, two) => Host::Array(vec![one.value(random), two.value(random)]),
            Type::Record => {
                Host::Record(Box::new(Type::Int.value(random)), Box::new(Type::Str.value(random)))
            }
            Type::Sum if random.chance(40) => Host::Variant("Off", Box::new(Host::Null)),
            Type::Sum => {
                let level = Type::Array(Box::new(Type::Nat)).value(random);
                Host::Variant("On", Box::new(level))
            }
        }
    }

    /// What is shown of a value of this type; nothing if the host's value is none.
    fn read(&self, value: &Host) -> Option<String> {
        let number = match value {
            Host::Int(it) => Some(*it),
            Host::MinusZero => Some(0),
            _ => None,
        };
        match (self, value) {
            (Type::Int, _) => number.map(|it| it.to_string()),
            (Type::Nat, _) => number.filter(|it| *it >= 0).map(|it| it.to_string()),
            (Type::Positive, _) => number.filter(|it| *it > 0).map(|it| it.to_string()),
            (Type::Bool, Host::Bool(it)) => Some(it.to_string()),
            (Type::Str, Host::Str(it)) => Some(format!("\"{it}\"")),
            (Type::Array(of), Host::Array(items) | Host::Proxy(items)) => {
                let items: Option<Vec<String>> = items.iter().map(|it| of.read(it)).collect();
                Some(format!("[{}]", items?.join(", ")))
            }
            (Type::Option(_), Host::Null | Host::Undefined) => Some("None".to_owned()),
            (Type::Option(of), it) => Some(format!("Some({})", of.read(it)?)),
            (Type::Pair(one, two), Host::Array(items) | Host::Proxy(items)) => match &items[..] {
                [a, b] => Some(format!("({}, {})", one.read(a)?, two.read(b)?)),
                _ => None,
            },
            (Type::Record, Host::Record(x, y)) => {
                let small = matches!(**x, Host::MinusZero | Host::Int(..=8));
                let (x, y) = (Type::Int.read(x)?, Type::Str.read(y)?);
                small.then(|| format!("P {{ x: {x}, y: {y} }}"))
            }
            (Type::Sum, Host::Variant("Off", _)) => Some("Off".to_owned()),
            (Type::Sum, Host::Variant("On", level)) => {
                let level = Type::Array(Box::new(Type::Nat)).read(level)?;
                Some(format!("On({level})"))
            }
            _ => None,
        }
    }
}

impl Host {
    /// JavaScript without quotes that would end a text of Clank.
    fn written(&self) -> String {
        let list = |items: &[Host]| {
            let items: Vec<String> = items.iter().map(|it| format!("{},", it.written())).collect();
            format!("[{}]", items.concat())
        };
        match self {
            Host::Int(it) => it.to_string(),
            Host::MinusZero => "-0".to_owned(),
            Host::Fraction => "1.5".to_owned(),
            Host::Str(it) => format!("'{it}'"),
            Host::HalfPair => "String.fromCharCode(55357)".to_owned(),
            Host::Bool(it) => it.to_string(),
            Host::Null => "null".to_owned(),
            Host::Undefined => "undefined".to_owned(),
            Host::Hole => String::new(),
            Host::Array(items) => list(items),
            Host::Proxy(items) => format!("new Proxy({}, {{}})", list(items)),
            Host::Record(x, y) => format!("({{ x: {}, y: {} }})", x.written(), y.written()),
            Host::Variant(tag, level) => {
                format!("({{ tag: '{tag}', level: {} }})", level.written())
            }
            Host::Throwing => {
                let getter = |name: &str| format!("get {name}() {{ throw new TypeError('no') }}");
                let all = ["x", "tag", "length"].map(getter);
                format!("({{ {} }})", all.join(", "))
            }
            Host::Revoked => {
                "(() => { const it = Proxy.revocable({}, {}); it.revoke(); return it.proxy })()"
                    .to_owned()
            }
        }
    }
}

#[test]
fn what_the_host_gives_is_what_the_type_says_or_stops_at_the_boundary() {
    let (mut n_refused, mut n_taken) = (0, 0);
    for seed in 0..400 {
        let mut random = Random::new(seed);
        // A predicate on the outside is asked by the `let`.
        let of = ty(&mut random, 2);
        let of = Type::Array(Box::new(of));
        let value = of.value(&mut random);
        let text = format!(
            "{DECLARED}external fn mk[T]() -> T = \"(() => {})\"\nfn main() -> IO + Unit {{\n  let it: {} = mk()\n  println(to_string(it))\n}}\n",
            value.written(),
            of.written()
        );
        let program = checked(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let (output, ended) = embedded(&program);
        match of.read(&value) {
            Some(shown) => {
                n_taken += 1;
                assert_eq!((output, ended), (format!("{shown}\n"), "done".to_owned()), "{text}");
            }
            None => {
                n_refused += 1;
                let is_ours = ended.starts_with("panic: the external mk gave ");
                assert!(is_ours && output.is_empty(), "{ended} {output}\n{text}");
            }
        }
    }
    assert!(n_refused >= 60 && n_taken >= 100, "{n_refused} refused, {n_taken} taken");
}
