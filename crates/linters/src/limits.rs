//! How much a tool may say: what is beyond these bounds is refused, or left out and counted.

/// Bytes of one stream of output. More is not read.
pub(crate) const MAX_OUTPUT: usize = 64 << 20;
/// Findings of one run.
pub(crate) const MAX_FINDINGS: usize = 50_000;
/// Fixes of one finding that are looked at.
pub(crate) const MAX_FIXES: usize = 16;
/// Edits of one fix.
pub(crate) const MAX_EDITS: usize = 10_000;
/// Bytes of text that one fix brings in.
pub(crate) const MAX_INSERTED: usize = 16 << 20;
/// Bytes of a message.
pub(crate) const MAX_MESSAGE: usize = 2_000;
/// Bytes of the id of a rule.
pub(crate) const MAX_RULE: usize = 120;
/// Fixes that were dropped and are named one by one.
pub(crate) const MAX_DROPPED: usize = 1_000;
/// Bytes of a line or a span that are looked at one by one, for every finding anew.
pub(crate) const MAX_SCANNED: usize = 64 << 10;

/// A text for people: one line for every line, no control characters, not too long.
pub(crate) fn tidy_message(text: &str) -> String {
    let mut out = String::new();
    for character in text.trim().chars() {
        if out.len() >= MAX_MESSAGE {
            out.push('…');
            break;
        }
        match character {
            '\n' => out.push('\n'),
            '\t' => out.push(' '),
            it if it.is_control() || is_bidi_control(it) => {}
            it => out.push(it),
        }
    }
    out
}

/// Characters that change the order in which others are shown.
fn is_bidi_control(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{200E}' | '\u{200F}')
}

/// A rule id as a tool wrote it, if it can be one.
pub(crate) fn tidy_rule(rule: &str) -> Option<String> {
    let is_fit = |it: char| it.is_ascii_graphic() && !matches!(it, '"' | '\'' | '`' | '\\');
    (!rule.is_empty() && rule.len() <= MAX_RULE && rule.chars().all(is_fit))
        .then(|| rule.to_owned())
}
