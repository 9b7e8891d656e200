//! Documents in every mixture of layouts, comments and commas, built from a list of choices so that a failing
//! one shrinks.

/// Numbers that decide what is built; when they run out, the simplest thing is.
pub(crate) struct Choices<'a> {
    rest: std::slice::Iter<'a, u8>,
}

impl<'a> Choices<'a> {
    pub(crate) fn new(choices: &'a [u8]) -> Choices<'a> {
        Choices { rest: choices.iter() }
    }

    fn pick(&mut self, count: u8) -> u8 {
        self.rest.next().copied().unwrap_or_default() % count
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[usize::from(self.pick(texts.len() as u8))]
    }
}

/// A document with a container at its root.
pub(crate) fn document(choices: &mut Choices<'_>) -> String {
    let mut text = choices.one_of(&["", "", "\u{feff}", "// top\n", " /* top */\n"]).to_string();
    container(choices, 0, "\n", &mut text);
    text.push_str(choices.one_of(&["", "\n", "\n// end\n", " /* end */ "]));
    if choices.pick(5) == 1 { text.replace('\n', "\r\n") } else { text }
}

fn value(choices: &mut Choices<'_>, depth: usize, line: &str, text: &mut String) {
    match choices.pick(4) {
        0 if depth < 4 => container(choices, depth, line, text),
        _ => text.push_str(choices.one_of(&[
            "1",
            "\"a\"",
            "true",
            "null",
            "-0.50e+3",
            "12345678901234567890",
            "\"// no comment\"",
            "\"\\u00e9 \\\" \\\\\"",
            "\"é, ] }\"",
            "\"\"",
            "{}",
            "[]",
            "[ ]",
            "{ /* empty */ }",
        ])),
    }
}

fn container(choices: &mut Choices<'_>, depth: usize, outer_line: &str, text: &mut String) {
    let is_object = choices.pick(2) == 0;
    let count = choices.pick(5);
    let inner_line = format!("{outer_line}{}", choices.one_of(&["  ", "\t", " ", ""]));
    // What stands before each member: a line break, one now and then, or none at all.
    let breaks = choices.pick(4);
    let comma_first = choices.pick(8) == 1;
    let colon = choices.one_of(&[": ", ":", " : ", " /* k */: ", ":\t"]);
    text.push(if is_object { '{' } else { '[' });
    text.push_str(choices.one_of(&["", "", " ", " // open\n", "/* open */"]));
    for nth in 0..count {
        if nth > 0 && comma_first {
            text.push_str(&inner_line);
            text.push(',');
        }
        match breaks {
            0 | 1 => {
                text.push_str(choices.one_of(&["", "", "", "\n", "\n  // above", "\n/* above */"]));
                text.push_str(&inner_line);
            }
            2 if choices.pick(2) == 0 => text.push_str(&inner_line),
            _ => text.push_str(choices.one_of(&["", " ", " /* lead */ ", "/* two\nlines */"])),
        }
        if is_object {
            text.push_str(&format!("\"k{nth}{}\"", choices.one_of(&["", "é", "\\n", " b"])));
            text.push_str(colon);
        }
        value(choices, depth + 1, &inner_line, text);
        text.push_str(choices.one_of(&["", "", "", " ", " /* own */", " // own\n"]));
        let is_last = nth + 1 == count;
        if !is_last && !comma_first || is_last && choices.pick(3) == 1 {
            text.push(',');
        }
        text.push_str(choices.one_of(&["", "", "", " // tail\n", " /* tail */", "  "]));
    }
    text.push_str(choices.one_of(&["", " ", "\n", outer_line, " // close\n"]));
    text.push(if is_object { '}' } else { ']' });
}
