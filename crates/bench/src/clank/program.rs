//! Clank programs as large as one wants: topics of ten functions with a record and a sum of their own, which call one
//! another and functions of earlier topics. There are matches with guards, loops, refinements, lambdas, generics,
//! effects and `?`; nothing is wrong in them, and they are in canonical layout.

use std::fmt::Write as _;

use crate::random::Random;

/// The functions of one topic. `#` is the topic's number, `@` that of an earlier one (or its own, if it is the first).
const TOPIC: &str = r#"
rec Item# {
  id: Int,
  name: Str,
  price: Int,
  tags: [Str]
}

sum State# {
  Idle#,
  Busy#(since: Int, item: Item#),
  Broken#(reason: Str, inner: Option[State#])
}

// An item of topic # with the price that its number gives.
fn make#(id: Int, name: Str) -> Item# {
  Item# { id: id, name: name, price: id * {n} + abs(id), tags: [name, "topic"] }
}

fn step#(state: State#, item: Item#, clock: Int) -> State# {
  match state {
    Idle# if item.price > {n} -> Busy#(clock, item),
    Idle# -> Idle#,
    Busy#(since, _) if clock - since > {m} -> Broken#(`${item.name} took too long`, Some(state)),
    Busy#(_, _) -> Idle#,
    Broken#(_, Some(Broken#(_, _))) -> Broken#("broken twice", None),
    Broken#(_, inner) -> Broken#("broken", inner)
  }
}

fn label#(state: State#) -> Str {
  match state {
    Idle# -> "idle",
    Busy#(since, item) -> "busy since " ++ to_string(since) ++ " with " ++ item.name,
    Broken#(reason, None) -> reason,
    Broken#(reason, Some(inner)) -> reason ++ " after " ++ label#(inner)
  }
}

fn total#(items: [Item#], at_least: Int) -> Int {
  let mut sum_so_far = 0
  for item in items {
    if item.price < at_least { continue }
    sum_so_far = sum_so_far + item.price
  }
  sum_so_far + steps@({m})
}

fn half#(number: Int{number >= 2}) -> (Int{result >= 1}) {
  number / 2
}

fn steps#(start: Int) -> Int {
  let mut left = max(start, 1)
  let mut n_steps = 0
  while left > 1 && n_steps < {m} {
    left = if left % 2 == 0 { half#(left) } else { left * 3 + 1 }
    n_steps = n_steps + 1
  }
  n_steps
}

fn lookup#(items: [Item#], id: Int) -> Result[Item#, Str] {
  match find(items, \item -> item.id == id) {
    Some(item) -> Ok(item),
    None -> Err("topic # has no item " ++ to_string(id))
  }
}

fn moved#(items: [Item#], from: Int, to: Int, amount: Nat) -> Result[[Item#], Str] {
  let taken = lookup#(items, from)?
  let given = lookup#(items, to)?
  if taken.price < amount { return Err(`${taken.name} is short of ${amount - taken.price}`) }
  let change = \(item: Item#) -> if item.id == given.id { item.price + amount } else { item.price }
  Ok(map(items, \item -> Item# { id: item.id, name: item.name, price: change(item), tags: item.tags }))
}

fn choose#[T](items: [T], index: Nat, otherwise: T) -> T {
  match get(items, index) {
    Some(item) -> item,
    None -> otherwise
  }
}

fn report#(items: [Item#]) -> IO + Unit {
  let mut state = Idle#
  for (place, item) in zip(range(0, len(items)), items) {
    state = step#(state, item, place * {n})
    println(`${place}: ${item.name} ${label#(state)} ${label@(Idle@)}`)
  }
  println(to_string(total#(items, steps@({n}))) ++ choose@(["none"], 0, "nothing"))
}
"#;

/// How many functions a topic has.
pub(crate) const TOPIC_FUNCTIONS: usize = 10;

/// A program of one file with about so many functions.
pub(crate) fn program(n_functions: usize) -> String {
    let n_topics = n_functions.div_ceil(TOPIC_FUNCTIONS);
    let mut random = Random::new(17);
    let mut text = String::new();
    for topic in 0..n_topics {
        write_topic(&mut text, topic, &mut random);
    }
    write_main(&mut text, n_topics - 1);
    canonical(&text)
}

/// The same as [`program`] with one function changed, and nothing else.
pub(crate) fn changed(program: &str, round: usize) -> String {
    let n_topics = program.matches("\nfn half").count();
    let topic = (round * 31) % n_topics;
    let header = format!("\nfn half{topic}(");
    let at = program.find(&header).expect("every topic has one");
    let body = at + program[at..].find("number / 2").expect("it halves");
    let end = body + "number / 2".len();
    format!("{}number / 2 + {round} - {round}{}", &program[..body], &program[end..])
}

/// A program of modules with ten topics each, and a main module: paths and texts. Every module uses an earlier one.
pub(crate) fn modules(n_functions: usize) -> Vec<(String, String)> {
    let n_modules = n_functions.div_ceil(10 * TOPIC_FUNCTIONS);
    let mut random = Random::new(18);
    let mut files = Vec::with_capacity(n_modules);
    for module in 0..n_modules {
        let mut text = String::new();
        let earlier = random.below(module.max(1));
        if module > 0 {
            writeln!(text, "use part{earlier}").expect("a String takes all");
        }
        for topic in 0..10 {
            write_topic(&mut text, topic, &mut random);
        }
        match module {
            0 => write_main(&mut text, 9),
            _ => text.push_str(&USES_EARLIER.replace("part", &format!("part{earlier}"))),
        }
        files.push((format!("part{module}.clank"), canonical(&text)));
    }
    files
}

const USES_EARLIER: &str =
    "\nfn earlier() -> IO + Str {\n  part.report0([])\n  part.make9(1, \"x\").name\n}\n";

fn write_topic(out: &mut String, topic: usize, random: &mut Random) {
    let own = topic.to_string();
    for line in TOPIC.split_inclusive('\n') {
        let earlier = random.below(topic.max(1)).to_string();
        let line = line.replace("{n}", &(random.below(90) + 10).to_string());
        let line = line.replace("{m}", &(random.below(900) + 100).to_string());
        out.push_str(&line.replace('#', &own).replace('@', &earlier));
    }
}

fn write_main(out: &mut String, topic: usize) {
    write!(
        out,
        "\nfn main() -> IO + Unit {{\n  report{topic}([make{topic}(1, \"one\"), make{topic}(2, \"two\")])\n}}\n"
    )
    .expect("a String takes all");
}

fn canonical(text: &str) -> String {
    let parsed = clank_syntax::parse("program.clank", text);
    clank_syntax::format(&parsed).expect("what is generated can be read")
}

/// A program of about fifty lines.
pub(crate) fn small() -> String {
    let text = program(1);
    let lines: Vec<&str> = text.lines().collect();
    let cut = lines.iter().position(|it| it.starts_with("fn steps0")).expect("the topic has it");
    let mut small = lines[..cut].join("\n").replace(" + steps0(", " + abs(");
    small.push_str("\nfn main() -> IO + Unit { println(label0(step0(Idle0, make0(1, \"one\"), total0([], half0(4))))) }");
    canonical(&small)
}

/// Texts that grow in one direction, to show that time grows no faster than they do.
pub(crate) const SHAPES: [Shape; 7] = [
    right("a sum of n terms", 10_000, |n| chain("Int", "a", " + a * 2", n)),
    right("n conditions with &&", 10_000, |n| chain("Bool", "a > 0", " && a < 9", n)),
    right("n texts with ++", 10_000, |n| chain("Str", "\"a\"", " ++ to_string(a)", n)),
    right("a pipe of n steps", 10_000, |n| chain("Int", "a", " |> twice", n)),
    Shape {
        is_wrong: true,
        ..right("n uses of one unknown name", 1_000, |n| chain("Int", "a", " + missing", n))
    },
    right("a match of n literals", 1_000, literals),
    right("a sum type of n variants and its match", 1_000, variants),
];

/// How a text grows.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// The size that the goals are stated for.
    pub(crate) n: usize,
    pub(crate) write: fn(usize) -> String,
    /// Whether there are mistakes in it, as there should be.
    pub(crate) is_wrong: bool,
}

const fn right(name: &'static str, n: usize, write: fn(usize) -> String) -> Shape {
    Shape { name, n, write, is_wrong: false }
}

fn chain(result: &str, first: &str, link: &str, n: usize) -> String {
    let links = link.repeat(n);
    format!(
        "fn twice(a: Int) -> Int {{ a * 2 }}\n\nfn long(a: Int) -> {result} {{\n  {first}{links}\n}}\n"
    )
}

fn literals(n: usize) -> String {
    let arms: String = (0..n).map(|it| format!("    {it} -> {},\n", n - it)).collect();
    format!("fn long(a: Int) -> Int {{\n  match a {{\n{arms}    _ -> 0\n  }}\n}}\n")
}

fn variants(n: usize) -> String {
    let declared: Vec<String> = (0..n).map(|it| format!("  V{it}(value: Int)")).collect();
    let arms: Vec<String> = (0..n).map(|it| format!("    V{it}(value) -> value + {it}")).collect();
    format!(
        "sum Wide {{\n{}\n}}\n\nfn long(a: Wide) -> Int {{\n  match a {{\n{}\n  }}\n}}\n",
        declared.join(",\n"),
        arms.join(",\n")
    )
}
