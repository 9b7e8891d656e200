//! Random TOML documents with every way of writing tables, and random operations on them.

use document::{Op, Value};

use crate::it::{laws, model};

/// Choices that a document is made from; zero when they are used up.
pub(super) struct Dice<'a>(std::slice::Iter<'a, u16>);

impl<'a> Dice<'a> {
    pub(super) fn new(choices: &'a [u16]) -> Dice<'a> {
        Dice(choices.iter())
    }

    fn roll(&mut self, sides: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % sides
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.roll(texts.len())]
    }
}

/// A document. Its comments are all different: `#0.`, `#1.`, …. It may break TOML's rules on tables.
pub(super) fn document(dice: &mut Dice<'_>) -> String {
    let mut out = String::new();
    let mut n_names = 0;
    lines(dice, &mut n_names, &mut out);
    for _ in 0..dice.roll(6) {
        out.push_str(dice.pick(&["\n", "", "\n#.\n", "#.\n", "\n#.\n\n"]));
        n_names += 1;
        let header = match dice.roll(6) {
            0 => format!("[s{n_names}]"),
            1 => format!("[s{}.t{n_names}]", n_names - 1),
            2 => format!("[x.s{n_names}]"),
            3 => "[[y]]".to_string(),
            4 => format!("[y.t{n_names}]"),
            _ => format!("[[x.z.\"q {}\"]]", dice.roll(2)),
        };
        out.push_str(&[&header, dice.pick(&["\n", " #.\n"])].concat());
        lines(dice, &mut n_names, &mut out);
    }
    let mut text = String::new();
    for (nth, part) in out.split("#.").enumerate() {
        if nth > 0 {
            text.push_str(&format!("#{nth}."));
        }
        text.push_str(part);
    }
    match dice.roll(4) {
        0 => text.replace('\n', "\r\n"),
        1 => text.trim_end_matches('\n').to_string(),
        2 => format!("\u{feff}{text}"),
        _ => text,
    }
}

fn lines(dice: &mut Dice<'_>, n_names: &mut usize, out: &mut String) {
    let prefix = dice.pick(&["", "  ", ""]);
    for _ in 0..dice.roll(4) {
        *n_names += 1;
        out.push_str(dice.pick(&["", "", "#.\n", "\n"]));
        let key = match dice.roll(5) {
            0 => format!("d.k{n_names}"),
            1 => format!("d.e.k{n_names}"),
            2 => format!("'k {n_names}'"),
            _ => format!("k{n_names}"),
        };
        let sign = dice.pick(&[" = ", "=", "   = "]);
        let value = value(dice, 3);
        out.push_str(&[prefix, &key, sign, &value, dice.pick(&["\n", "\n", " #.\n"])].concat());
    }
}

fn value(dice: &mut Dice<'_>, depth: usize) -> String {
    if depth > 0 && dice.roll(2) == 1 {
        return match dice.roll(4) {
            0 => items(dice, depth, "[", "]", "", |_, _| String::new()),
            1 => items(dice, depth, "[\n", "\n]", "\n  ", |_, _| String::new()),
            2 => items(dice, depth, "{ ", " }", "", entry_key),
            _ => items(dice, depth, "{\n", "\n}", "\n  ", entry_key),
        };
    }
    let scalars = [
        "1",
        "0x1F",
        "-1.5e3",
        "true",
        "inf",
        "1979-05-27",
        "07:32:00",
        "\"s\"",
        "'l'",
        "\"\"\"\nm\nn\"\"\"",
        "'''\nm'''",
        "\"\\u00e9\\n\"",
    ];
    dice.pick(&scalars).to_string()
}

fn entry_key(dice: &mut Dice<'_>, nth: usize) -> String {
    match dice.roll(3) {
        0 => format!("d.k{nth} = "),
        _ => format!("k{nth} = "),
    }
}

fn items(
    dice: &mut Dice<'_>,
    depth: usize,
    open: &str,
    close: &str,
    line: &str,
    key: impl Fn(&mut Dice<'_>, usize) -> String,
) -> String {
    let n_items = dice.roll(4);
    let mut out = open.to_string();
    for nth in 0..n_items {
        if !line.is_empty() {
            out.push_str(dice.pick(&["", "  #.\n"]));
        }
        out.push_str(line.trim_start_matches('\n'));
        out.push_str(&key(dice, nth));
        out.push_str(&value(dice, depth - 1));
        let is_last = nth + 1 == n_items;
        out.push_str(match (is_last, line.is_empty()) {
            (true, true) => "",
            (true, false) => dice.pick(&["", ",", ", #.", " #."]),
            (false, true) => ", ",
            (false, false) => dice.pick(&[",\n", ", #.\n", ", "]),
        });
    }
    out.push_str(close);
    out
}

/// Pieces of TOML in any order: seldom a document.
pub(super) fn soup(dice: &mut Dice<'_>) -> String {
    let pieces = [
        "a",
        "b",
        "\"c\"",
        "'d'",
        ".",
        "=",
        " = ",
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        ",",
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "#",
        "1",
        "-",
        "+",
        "_",
        "0x",
        "e5",
        "1.5",
        "inf",
        "nan",
        "true",
        "1979-05-27",
        "T",
        "07:32:00",
        "Z",
        "\"",
        "'",
        "\"\"\"",
        "\'\'\'",
        "\\",
        "\\u00e9",
        "\\x41",
        "\0",
        "\u{feff}",
        "é",
        "a = 1\n",
        "[a]\n",
        "[[b]]\n",
        "a.b = 1\n",
        "x = [\n1,\n]\n",
        "y = { a = 1 }\n",
    ];
    (0..dice.roll(30)).map(|_| dice.pick(&pieces)).collect()
}

/// Operations that follow each other, each on what the ones before it left.
pub(super) fn ops(dice: &mut Dice<'_>, mut value: Value, keeps: impl Fn(&Op) -> bool) -> Vec<Op> {
    let mut ops = Vec::new();
    for _ in 0..1 + dice.roll(6) {
        let all: Vec<Op> = laws::ops(&value).into_iter().filter(|op| keeps(op)).collect();
        let Some(op) = all.get(dice.roll(all.len().max(1))) else { break };
        if let Some(next) = model::apply(&value, op) {
            value = next;
            ops.push(op.clone());
        }
    }
    ops
}
