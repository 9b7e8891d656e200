//! Writes a value as a person might: comments above and beside, quotes or none, one line or many, odd indentation,
//! either line end. What is written reads back as the value.

use document::{Format, Value};

use crate::random::Random;

const REMARKS: [&str; 6] = [
    "see the handbook",
    "do not sort",
    "agreed in March",
    "café: ça marche",
    "TODO ask the team",
    "was 42 before",
];

/// The text of a file.
pub(crate) fn write(value: &Value, format: Format, seed: u64) -> String {
    let mut pen = Pen { random: Random::new(seed), out: String::new(), width: 2, remarks: true };
    pen.width = [2, 4, 3][pen.random.below(3)];
    pen.write(value, format);
    let is_crlf = pen.random.below(5) == 0;
    if is_crlf { pen.out.replace('\n', "\r\n") } else { pen.out }
}

/// The text of a file without comments, so that tools that know no comments in JSON can read it.
pub(crate) fn write_plain(value: &Value, format: Format, seed: u64) -> String {
    let mut pen = Pen { random: Random::new(seed), out: String::new(), width: 2, remarks: false };
    match format {
        Format::Json => pen.out = value.to_json_pretty() + "\n",
        Format::Yaml | Format::Toml => pen.write(value, format),
    }
    pen.out
}

struct Pen {
    random: Random,
    out: String,
    width: usize,
    remarks: bool,
}

impl Pen {
    fn write(&mut self, value: &Value, format: Format) {
        match format {
            Format::Json => {
                self.json(value, 0);
                self.out.push('\n');
            }
            Format::Yaml => {
                self.remark("#", 0);
                self.yaml_members(value, 0);
            }
            Format::Toml => {
                self.remark("#", 0);
                self.toml_table(value, &[]);
            }
        }
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.random.below(chances) == 0
    }

    fn indent(&mut self, depth: usize) {
        self.out.extend(std::iter::repeat_n(' ', depth * self.width));
    }

    /// Sometimes a comment on a line of its own.
    fn remark(&mut self, mark: &str, depth: usize) {
        if self.one_in(4) && self.remarks {
            self.indent(depth);
            let remark = REMARKS[self.random.below(REMARKS.len())];
            self.out.push_str(&format!("{mark} {remark}\n"));
        }
    }

    /// Sometimes a comment at the end of the line; always the end of the line.
    fn end_line(&mut self, mark: &str) {
        if self.one_in(5) && self.remarks {
            let remark = REMARKS[self.random.below(REMARKS.len())];
            let gap = [" ", "  ", "\t"][self.random.below(3)];
            self.out.push_str(&format!("{gap}{mark} {remark}"));
        }
        self.out.push('\n');
    }

    fn json(&mut self, value: &Value, depth: usize) {
        let (open, close, n_members) = match value {
            Value::Array(items) => ('[', ']', items.len()),
            Value::Object(members) => ('{', '}', members.len()),
            scalar => return self.out.push_str(&scalar.to_json()),
        };
        let on_one_line = is_flat(value) && depth > 2 && self.one_in(2);
        self.out.push(open);
        for index in 0..n_members {
            if on_one_line {
                if index > 0 {
                    self.out.push_str(", ");
                }
            } else if index == 0 {
                self.end_line("//");
            }
            if !on_one_line {
                self.remark("//", depth + 1);
                self.indent(depth + 1);
            }
            match value {
                Value::Array(items) => self.json(&items[index], depth + 1),
                Value::Object(members) => {
                    self.out.push_str(&Value::String(members[index].0.clone()).to_json());
                    let colon = if self.one_in(6) { " : " } else { ": " };
                    self.out.push_str(colon);
                    self.json(&members[index].1, depth + 1);
                }
                _ => {}
            }
            if !on_one_line {
                let is_last = index + 1 == n_members;
                if !is_last || self.one_in(6) {
                    self.out.push(',');
                }
                self.end_line("//");
            }
        }
        if !on_one_line && n_members > 0 {
            self.indent(depth);
        }
        self.out.push(close);
    }

    /// The members of a block collection, each on lines of its own.
    fn yaml_members(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    if self.one_in(8) {
                        self.out.push('\n');
                    }
                    self.remark("#", depth);
                    self.indent(depth);
                    self.yaml_pair(key, value, depth);
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.remark("#", depth);
                    self.indent(depth);
                    self.yaml_item(item, depth);
                }
            }
            scalar => {
                let text = self.yaml_scalar(scalar);
                self.out.push_str(&text);
                self.end_line("#");
            }
        }
    }

    fn yaml_pair(&mut self, key: &str, value: &Value, depth: usize) {
        let key = if self.one_in(10) { format!("\"{key}\"") } else { key.to_owned() };
        self.out.push_str(&key);
        self.out.push(':');
        match value {
            Value::Array(_) | Value::Object(_)
                if is_empty(value) || is_flat(value) && self.one_in(3) =>
            {
                self.out.push(' ');
                self.yaml_flow(value);
                self.end_line("#");
            }
            Value::Array(_) => {
                self.end_line("#");
                // Items may stand below their key or be indented.
                let deeper = usize::from(!self.one_in(3));
                self.yaml_members(value, depth + deeper);
            }
            Value::Object(_) => {
                self.end_line("#");
                self.yaml_members(value, depth + 1);
            }
            scalar => {
                let gap = if self.one_in(6) { "   " } else { " " };
                let text = self.yaml_scalar(scalar);
                self.out.push_str(gap);
                self.out.push_str(&text);
                self.end_line("#");
            }
        }
    }

    /// An item after its indentation. A map starts on the line of its dash.
    fn yaml_item(&mut self, item: &Value, depth: usize) {
        self.out.push('-');
        match item {
            Value::Object(members) if !(is_flat(item) && self.one_in(3)) => {
                self.out.extend(std::iter::repeat_n(' ', self.width - 1));
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        self.remark("#", depth + 1);
                        self.indent(depth + 1);
                    }
                    self.yaml_pair(key, value, depth + 1);
                }
            }
            Value::Array(_) | Value::Object(_) => {
                self.out.push(' ');
                self.yaml_flow(item);
                self.end_line("#");
            }
            scalar => {
                let text = self.yaml_scalar(scalar);
                self.out.push(' ');
                self.out.push_str(&text);
                self.end_line("#");
            }
        }
    }

    fn yaml_flow(&mut self, value: &Value) {
        let gap = if self.one_in(2) { " " } else { "" };
        match value {
            Value::Array(items) => {
                self.out.push_str(&format!("[{gap}"));
                for (index, item) in items.iter().enumerate() {
                    self.out.push_str(if index > 0 { ", " } else { "" });
                    self.yaml_flow(item);
                }
                self.out.push_str(&format!("{gap}]"));
            }
            Value::Object(members) => {
                self.out.push_str(&format!("{{{gap}"));
                for (index, (key, value)) in members.iter().enumerate() {
                    self.out.push_str(if index > 0 { ", " } else { "" });
                    self.out.push_str(&format!("{key}: "));
                    self.yaml_flow(value);
                }
                self.out.push_str(&format!("{gap}}}"));
            }
            scalar => {
                let text = self.yaml_scalar(scalar);
                self.out.push_str(&text);
            }
        }
    }

    fn yaml_scalar(&mut self, value: &Value) -> String {
        let Value::String(text) = value else { return value.to_json() };
        let must_quote = text.contains(": ") || text.starts_with(|it: char| it.is_ascii_digit());
        match self.random.below(4) {
            0 => format!("'{}'", text.replace('\'', "''")),
            1 => value.to_json(),
            _ if must_quote => value.to_json(),
            _ => text.clone(),
        }
    }

    /// A table's own keys, then its sub-tables.
    fn toml_table(&mut self, value: &Value, path: &[&str]) {
        let Value::Object(members) = value else { return };
        let mut tables = Vec::new();
        for (key, value) in members {
            match value {
                Value::Object(_) if path.is_empty() || !is_flat(value) || self.one_in(2) => {
                    tables.push((key, value));
                }
                Value::Array(items)
                    if items.iter().any(|it| matches!(it, Value::Object(_)))
                        && (!items.iter().all(is_flat) || self.one_in(2)) =>
                {
                    tables.push((key, value));
                }
                value => {
                    self.remark("#", 0);
                    self.out.push_str(key);
                    let equals = if self.one_in(5) { "=" } else { " = " };
                    self.out.push_str(equals);
                    self.toml_value(value);
                    self.end_line("#");
                }
            }
        }
        for (key, value) in tables {
            let path: Vec<&str> = path.iter().copied().chain([key.as_str()]).collect();
            let header = path.join(".");
            match value {
                Value::Array(items) => {
                    for item in items {
                        self.out.push('\n');
                        self.remark("#", 0);
                        self.out.push_str(&format!("[[{header}]]"));
                        self.end_line("#");
                        self.toml_table(item, &path);
                    }
                }
                value => {
                    self.out.push('\n');
                    self.remark("#", 0);
                    self.out.push_str(&format!("[{header}]"));
                    self.end_line("#");
                    self.toml_table(value, &path);
                }
            }
        }
    }

    fn toml_value(&mut self, value: &Value) {
        match value {
            Value::Array(items) if items.len() > 1 && self.one_in(2) => {
                self.out.push('[');
                self.end_line("#");
                for item in items {
                    self.remark("#", 1);
                    self.indent(1);
                    self.toml_inline(item);
                    self.out.push(',');
                    self.end_line("#");
                }
                self.out.push(']');
            }
            value => self.toml_inline(value),
        }
    }

    fn toml_inline(&mut self, value: &Value) {
        match value {
            Value::Array(items) => {
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.out.push_str(if index > 0 { ", " } else { "" });
                    self.toml_inline(item);
                }
                self.out.push(']');
            }
            Value::Object(members) => {
                self.out.push_str("{ ");
                for (index, (key, value)) in members.iter().enumerate() {
                    self.out.push_str(if index > 0 { ", " } else { "" });
                    self.out.push_str(&format!("{key} = "));
                    self.toml_inline(value);
                }
                self.out.push_str(" }");
            }
            Value::String(text) if self.one_in(3) && !text.contains('\'') => {
                self.out.push_str(&format!("'{text}'"));
            }
            scalar => self.out.push_str(&scalar.to_json()),
        }
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// A scalar, or a container of scalars.
fn is_flat(value: &Value) -> bool {
    let is_scalar = |it: &Value| !matches!(it, Value::Array(_) | Value::Object(_));
    match value {
        Value::Array(items) => items.iter().all(is_scalar),
        Value::Object(members) => members.iter().all(|(_, it)| is_scalar(it)),
        _ => true,
    }
}
