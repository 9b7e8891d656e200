//! Small words for people: counts with the right plural, and text that cannot talk to the terminal.

use protocol::v1::Diagnostic;

/// `1 file`, `2 files`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// `1 fix`, `2 fixes`.
pub(crate) fn count_fixes(n: usize) -> String {
    if n == 1 { "1 fix".to_owned() } else { format!("{n} fixes") }
}

/// What a finding is of: its rule with the source, or the bare name of what is not a rule of a source, such as a panic
/// of a program or an operation that cannot be applied.
pub(crate) fn name_of(diagnostic: &Diagnostic) -> String {
    match diagnostic.source == "patch" || diagnostic.phase == "run" {
        true => printable(&diagnostic.rule_id),
        false => rule_name(&diagnostic.source, &diagnostic.rule_id),
    }
}

/// A rule as people write it in a configuration, a comment or a command: with its source.
pub(crate) fn rule_name(source: &str, rule_id: &str) -> String {
    match source {
        "" => printable(rule_id),
        _ => printable(&format!("{source}/{rule_id}")),
    }
}

/// The text with every control character made visible, so that no file name or file content can move the cursor,
/// change colours or hide what it says.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(visible).collect()
}

fn visible(character: char) -> char {
    match character {
        '\t' => '\t',
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + character as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        // These reorder or hide the characters around them.
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => '\u{fffd}',
        _ => character,
    }
}

/// A list as a sentence has it: `a`, `a and b`, `a, b and 3 more`.
pub(crate) fn list(names: &[String], most: usize) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        _ if names.len() <= most => {
            let (last, rest) = names.split_last().expect("there are at least two names");
            format!("{} and {last}", rest.join(", "))
        }
        _ => format!("{} and {} more", names[..most].join(", "), names.len() - most),
    }
}

/// The word as a shell would have to be given it.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "._-/+@%:,=".contains(it);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_the_right_plural() {
        assert_eq!(
            [count(0, "file"), count(1, "file"), count(2, "file")],
            ["0 files", "1 file", "2 files"]
        );
    }

    #[test]
    fn control_characters_are_shown_and_not_obeyed() {
        assert_eq!(printable("a\u{1b}[31m\tb\u{202e}\u{9b}ü"), "a␛[31m\tb\u{fffd}\u{fffd}ü");
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(
            ["a/b.yaml", "", "it's", "a b"].map(shell_word),
            ["a/b.yaml", "''", "'it'\\''s'", "'a b'"]
        );
    }

    #[test]
    fn lists_read_like_sentences() {
        let names = |n: usize| (0..n).map(|it| it.to_string()).collect::<Vec<_>>();
        assert_eq!(
            [0, 1, 2, 3, 5].map(|n| list(&names(n), 3)),
            ["", "0", "0 and 1", "0, 1 and 2", "0, 1, 2 and 2 more"]
        );
    }
}
