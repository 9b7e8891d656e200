//! The few styles that texts use. Whether they reach the terminal is decided where the text is written.

use clap::builder::styling::{AnsiColor, Style};

use crate::words::printable;

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const COMMAND: Style = AnsiColor::Cyan.on_default();

/// The text in that style, with nothing in it that the terminal would obey.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{}{style:#}", printable(text))
}

/// A unified diff in colours.
pub(crate) fn paint_diff(diff: &[u8]) -> String {
    let diff = String::from_utf8_lossy(diff);
    let mut painted = String::with_capacity(diff.len() + diff.len() / 8);
    for line in diff.lines() {
        let style = match line.as_bytes() {
            [b'+', b'+', b'+', b' ', ..] | [b'-', b'-', b'-', b' ', ..] | [b'd', ..] => BOLD,
            [b'+', ..] => ADDED,
            [b'-', ..] => REMOVED,
            [b'@', ..] => COMMAND,
            [b' ', ..] | [] => Style::new(),
            _ => DIM,
        };
        painted.push_str(&paint(style, line));
        painted.push('\n');
    }
    painted
}
