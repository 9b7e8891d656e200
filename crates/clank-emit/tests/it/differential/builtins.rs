//! The prelude of the interpreter.

use std::cmp::Ordering;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, Signed, ToPrimitive, Zero};

use super::interpreter::{Interpreter, Stop, range};
use super::value::{Value, position};

impl Interpreter<'_> {
    pub(super) fn builtin(&mut self, name: &str, args: &[Value]) -> Result<Value, Stop> {
        match name {
            "map" | "filter" | "fold" | "reduce" | "find" | "any" | "all" | "sort_by" | "try" => {
                self.higher_order(name, args)
            }
            "print" | "println" => {
                self.output.push_str(args[0].text());
                if name == "println" {
                    self.output.push('\n');
                }
                Ok(Value::Unit)
            }
            "eprint" | "eprintln" | "discard" => Ok(Value::Unit),
            "read_line" => Ok(Value::option(None)),
            "panic" => Err(Stop::Panic(args[0].text().to_owned())),
            "todo" => Err(Stop::Panic(format!("not yet done: {}", args[0].text()))),
            "unreachable" => Err(Stop::Panic("unreachable code was reached".to_owned())),
            "linear" | "affine" | "consume" => Ok(args[0].clone()),
            _ if name.starts_with("map_") => Ok(maps(name, args)),
            _ if name.starts_with("set_") => Ok(sets(name, args)),
            _ => arrays(name, args)
                .or_else(|| numbers(name, args))
                .unwrap_or_else(|| Ok(strings(name, args))),
        }
    }

    fn higher_order(&mut self, name: &str, args: &[Value]) -> Result<Value, Stop> {
        if name == "try" {
            return match self.call(&args[0], Vec::new()) {
                Ok(value) => Ok(Value::variant("Ok", vec![value])),
                Err(Stop::Raise(error)) => {
                    Ok(Value::variant("Err", vec![Value::str(&error.show())]))
                }
                Err(stop) => Err(stop),
            };
        }
        let items = args[0].items().to_vec();
        let function = args.last().expect("it takes a function");
        match name {
            "map" => {
                let mut made = Vec::new();
                for item in items {
                    made.push(self.call(function, vec![item])?);
                }
                Ok(Value::array(made))
            }
            "filter" => {
                let mut kept = Vec::new();
                for item in items {
                    if self.call(function, vec![item.clone()])?.truth() {
                        kept.push(item);
                    }
                }
                Ok(Value::array(kept))
            }
            "fold" => {
                let mut result = args[1].clone();
                for item in items {
                    result = self.call(function, vec![result, item])?;
                }
                Ok(result)
            }
            "reduce" => {
                let mut items = items.into_iter();
                let Some(mut result) = items.next() else { return Ok(Value::option(None)) };
                for item in items {
                    result = self.call(function, vec![result, item])?;
                }
                Ok(Value::option(Some(result)))
            }
            "sort_by" => self.sort(items, function),
            _ => {
                let stops_at = name != "all";
                for item in items {
                    if self.call(function, vec![item.clone()])?.truth() == stops_at {
                        return Ok(match name {
                            "find" => Value::option(Some(item)),
                            _ => Value::Bool(stops_at),
                        });
                    }
                }
                Ok(if name == "find" { Value::option(None) } else { Value::Bool(!stops_at) })
            }
        }
    }

    /// A merge from the bottom up: the order in which the questions are asked can be seen.
    fn sort(&mut self, items: Vec<Value>, order: &Value) -> Result<Value, Stop> {
        let mut sorted = items;
        let mut width = 1;
        while width < sorted.len() {
            let mut merged = Vec::new();
            for pair in sorted.chunks(2 * width) {
                let (left, right) = pair.split_at(width.min(pair.len()));
                let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
                while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
                    let asked = self.call(order, vec![(*one).clone(), (*two).clone()])?;
                    let takes_right =
                        matches!(&asked, Value::Variant(name, _) if name == "Greater");
                    merged.extend(if takes_right { right.next() } else { left.next() }.cloned());
                }
                merged.extend(left.cloned());
                merged.extend(right.cloned());
            }
            sorted = merged;
            width *= 2;
        }
        Ok(Value::array(sorted))
    }
}

fn natural(value: &Value) -> Result<usize, Stop> {
    let number = value.int();
    if number.is_negative() {
        return Err(Stop::Panic(format!("{number} is not a Nat")));
    }
    Ok(number.to_usize().unwrap_or(usize::MAX))
}

fn ranked(left: &Value, right: &Value) -> Result<Ordering, Stop> {
    left.rank(right).ok_or_else(|| Stop::Panic("these values have no order".to_owned()))
}

fn arrays(name: &str, args: &[Value]) -> Option<Result<Value, Stop>> {
    Some(Ok(match name {
        "len" => Value::Int(args[0].items().len().into()),
        "is_empty" => Value::Bool(args[0].items().is_empty()),
        "push" => Value::array([args[0].items(), &args[1..]].concat()),
        "get" => {
            let index = args[1].int().to_usize();
            Value::option(index.and_then(|it| args[0].items().get(it)).cloned())
        }
        "contains" => Value::Bool(position(args[0].items(), &args[1]).is_some()),
        "concat" => Value::array([args[0].items(), args[1].items()].concat()),
        "reverse" => Value::array(args[0].items().iter().rev().cloned().collect()),
        "take" | "drop" => {
            let items = args[0].items();
            let count = match natural(&args[1]) {
                Ok(count) => count.min(items.len()),
                Err(stop) => return Some(Err(stop)),
            };
            let part = if name == "take" { &items[..count] } else { &items[count..] };
            Value::array(part.to_vec())
        }
        "zip" => {
            let pairs = args[0].items().iter().zip(args[1].items());
            let pairs =
                pairs.map(|(one, two)| Value::Tuple(Rc::new(vec![one.clone(), two.clone()])));
            Value::array(pairs.collect())
        }
        "range" => return Some(range(args[0].int(), args[1].int(), false)),
        "sort" => {
            let mut items = args[0].items().to_vec();
            let mut failed = None;
            items.sort_by(|one, two| {
                one.rank(two).unwrap_or_else(|| {
                    failed = Some(Stop::Panic("these values have no order".to_owned()));
                    Ordering::Equal
                })
            });
            return Some(failed.map_or(Ok(Value::array(items)), Err));
        }
        "compare" => match ranked(&args[0], &args[1]) {
            Ok(Ordering::Less) => Value::variant("Less", Vec::new()),
            Ok(Ordering::Equal) => Value::variant("Equal", Vec::new()),
            Ok(Ordering::Greater) => Value::variant("Greater", Vec::new()),
            Err(stop) => return Some(Err(stop)),
        },
        "min" => {
            return Some(
                ranked(&args[0], &args[1]).map(|it| args[usize::from(it.is_gt())].clone()),
            );
        }
        "max" => {
            return Some(
                ranked(&args[0], &args[1]).map(|it| args[usize::from(it.is_lt())].clone()),
            );
        }
        _ => return None,
    }))
}

fn numbers(name: &str, args: &[Value]) -> Option<Result<Value, Stop>> {
    Some(match name {
        "to_int" => Ok(args[0].clone()),
        "to_int32" => super::interpreter::fits(args[0].clone(), 32),
        "to_int64" => super::interpreter::fits(args[0].clone(), 64),
        "int_to_float" => Ok(Value::Float(to_float(args[0].int()))),
        "float_to_int" => {
            let Value::Float(number) = args[0] else { unreachable!("it takes a Float") };
            match BigInt::from_f64(number.trunc()) {
                Some(it) => Ok(Value::Int(it)),
                None => {
                    Err(Stop::Panic(format!("{} is not an Int", super::value::show_float(number))))
                }
            }
        }
        "abs" => Ok(Value::Int(args[0].int().abs())),
        "parse_int" => Ok(Value::option(parse_int(args[0].text()).map(Value::Int))),
        "parse_float" => {
            let text = args[0].text();
            let is_plain = text.chars().all(|it| it.is_ascii_digit() || "+-.eE".contains(it));
            let is_float = is_plain && !text.ends_with('.') && !text.contains(".e");
            let number = is_float.then(|| text.parse().ok()).flatten();
            Ok(Value::option(number.map(Value::Float)))
        }
        _ => return None,
    })
}

fn to_float(number: &BigInt) -> f64 {
    if number.is_zero() { 0.0 } else { number.to_string().parse().expect("digits are a number") }
}

fn parse_int(text: &str) -> Option<BigInt> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| text.parse().expect("it is a number"))
}

fn strings(name: &str, args: &[Value]) -> Value {
    let parts = |it: Vec<&str>| Value::array(it.into_iter().map(Value::str).collect());
    let chars = |it: &str| Value::array(it.chars().map(|it| Value::str(&it.to_string())).collect());
    match name {
        "to_string" => Value::str(&args[0].show()),
        "str_len" => Value::Int(args[0].text().chars().count().into()),
        "trim" => Value::str(args[0].text().trim()),
        "split" if args[1].text().is_empty() => chars(args[0].text()),
        "split" => parts(args[0].text().split(args[1].text()).collect()),
        "join" => {
            let texts: Vec<&str> = args[0].items().iter().map(Value::text).collect();
            Value::str(&texts.join(args[1].text()))
        }
        "chars" => chars(args[0].text()),
        "slice" => {
            let (start, end) = (args[1].int().to_usize(), args[2].int().to_usize());
            let (start, end) = (start.unwrap_or(usize::MAX), end.unwrap_or(usize::MAX));
            let kept: String =
                args[0].text().chars().skip(start).take(end.saturating_sub(start)).collect();
            Value::str(&kept)
        }
        "replace" if args[1].text().is_empty() => args[0].clone(),
        "replace" => Value::str(&args[0].text().replace(args[1].text(), args[2].text())),
        "starts_with" => Value::Bool(args[0].text().starts_with(args[1].text())),
        "ends_with" => Value::Bool(args[0].text().ends_with(args[1].text())),
        "to_upper" => Value::str(&args[0].text().to_uppercase()),
        "to_lower" => Value::str(&args[0].text().to_lowercase()),
        other => unreachable!("{other} is not in the prelude"),
    }
}

fn maps(name: &str, args: &[Value]) -> Value {
    let entries = match args.first() {
        None => return Value::Map(Rc::default()),
        Some(Value::Map(entries)) => entries,
        Some(list) => {
            let mut made = Value::Map(Rc::default());
            for entry in list.items() {
                let [key, value] = entry.items() else { unreachable!("an entry is a pair") };
                made = maps("map_set", &[made, key.clone(), value.clone()]);
            }
            return made;
        }
    };
    let place =
        args.get(1).and_then(|key| entries.iter().position(|(it, _)| it.equals(key) == Some(true)));
    match name {
        "map_get" => Value::option(place.map(|it| entries[it].1.clone())),
        "map_has" => Value::Bool(place.is_some()),
        "map_size" => Value::Int(entries.len().into()),
        "map_keys" => Value::array(entries.iter().map(|it| it.0.clone()).collect()),
        "map_values" => Value::array(entries.iter().map(|it| it.1.clone()).collect()),
        "map_entries" => {
            let pair =
                |it: &(Value, Value)| Value::Tuple(Rc::new(vec![it.0.clone(), it.1.clone()]));
            Value::array(entries.iter().map(pair).collect())
        }
        _ => {
            let mut entries = (**entries).clone();
            match (name, place) {
                ("map_set", Some(place)) => entries[place].1 = args[2].clone(),
                ("map_set", None) => entries.push((args[1].clone(), args[2].clone())),
                (_, Some(place)) => drop(entries.remove(place)),
                (_, None) => {}
            }
            Value::Map(Rc::new(entries))
        }
    }
}

fn sets(name: &str, args: &[Value]) -> Value {
    let items = match args.first() {
        None => return Value::Set(Rc::default()),
        Some(Value::Set(items)) => items,
        Some(list) => {
            let empty = Value::Set(Rc::default());
            let add = |made, item: &Value| sets("set_add", &[made, item.clone()]);
            return list.items().iter().fold(empty, add);
        }
    };
    let place = args.get(1).and_then(|it| position(items, it));
    match name {
        "set_has" => Value::Bool(place.is_some()),
        "set_size" => Value::Int(items.len().into()),
        "set_to_array" => Value::array(items.to_vec()),
        _ => {
            let mut items = items.to_vec();
            match (name, place) {
                ("set_add", None) => items.push(args[1].clone()),
                ("set_remove", Some(place)) => drop(items.remove(place)),
                _ => {}
            }
            Value::Set(Rc::new(items))
        }
    }
}
