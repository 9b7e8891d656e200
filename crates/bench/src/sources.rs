//! Source files with the edits that a linter would make to them: one identifier, literal or punctuation every few
//! lines, mostly replacements, some insertions and deletions, in the order in which a tool reports them or in none.

use edit::Edit;

use crate::random::Random;

/// A text and the edits to make to it, which do not touch one another.
pub(crate) struct Source {
    /// The text before.
    pub(crate) text: String,
    /// The edits, in order of position unless shuffled.
    pub(crate) edits: Vec<Edit>,
}

const NAMES: [&str; 12] = [
    "account", "balance", "request", "response", "handler", "payload", "context", "session",
    "builder", "snapshot", "position", "message",
];

/// `count` files with `edits` edits each; a file has three lines of source for every edit.
pub(crate) fn sources(seed: u64, count: usize, edits: usize) -> Vec<Source> {
    (0..count).map(|index| source(seed + index as u64, edits)).collect()
}

/// One file with three lines for every edit.
pub(crate) fn source(seed: u64, edits: usize) -> Source {
    let mut random = Random::new(seed);
    let mut text = String::with_capacity(edits * 130);
    let mut list = Vec::with_capacity(edits);
    for number in 0..edits {
        let mut name = || NAMES[random.below(NAMES.len())];
        text.push_str(&format!("    let {}_{number} = {}.{}();\n", name(), name(), name()));
        let at = text.len() as u32;
        let (line, target) = (format!("    if {}.is_valid({number}) {{\n", name()), name());
        text.push_str(&line);
        text.push_str(&format!("        {target}.push({}_{number}.clone()); }}\n", name()));
        // The edit stands somewhere in the middle line of the three.
        let start = at + 7 + random.below(5) as u32;
        list.push(match random.below(10) {
            0 => Edit::insert(start, format!("{target}_")),
            1 => Edit::delete(start, start + 3),
            _ => Edit::replace(start, start + 4, format!("{target}{number}")),
        });
    }
    Source { text, edits: list }
}

impl Source {
    /// The same with the edits in a random order.
    pub(crate) fn shuffled(mut self, seed: u64) -> Source {
        Random::new(seed).shuffle(&mut self.edits);
        self
    }
}
