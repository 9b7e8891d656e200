//! Error messages of tools, made fit to be stored and shown (DF-14, DF-37, X-23).

/// The most characters that an error message has.
pub const MAX_MESSAGE: usize = 500;

/// Line ends become LF, escape sequences and control characters other than LF and TAB go, and what is left is cut after
/// 500 characters. Nothing is added.
pub fn sanitize(message: &str) -> String {
    let mut kept = String::new();
    let mut n_chars = 0;
    let mut rest = message.chars().peekable();
    while let Some(next) = rest.next() {
        let shown = match next {
            '\u{1b}' | '\u{9b}' => {
                skip_escape(next, &mut rest);
                continue;
            }
            '\r' => {
                if rest.peek() == Some(&'\n') {
                    continue;
                }
                '\n'
            }
            '\n' | '\t' => next,
            // Marks that turn the direction of text let a message show as another one.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => continue,
            _ if next.is_control() => continue,
            _ => next,
        };
        if n_chars == MAX_MESSAGE {
            break;
        }
        kept.push(shown);
        n_chars += 1;
    }
    kept
}

/// Whether a message is already as [`sanitize`] would leave it.
pub fn is_sanitized(message: &str) -> bool {
    sanitize(message) == message
}

/// Skips the rest of a terminal escape sequence: CSI up to its final byte, OSC and the other strings up to BEL or ST,
/// else one character.
fn skip_escape(start: char, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let introducer = if start == '\u{9b}' {
        '['
    } else {
        // A sequence is made of printable characters; a line end means that it was cut off.
        match rest.next_if(|it| !it.is_control()) {
            Some(it) => it,
            None => return,
        }
    };
    match introducer {
        '[' => {
            while rest.next_if(|it| (' '..='?').contains(it)).is_some() {}
            rest.next_if(|it| ('@'..='~').contains(it));
        }
        ']' | 'P' | 'X' | '^' | '_' => {
            while let Some(it) = rest.next_if(|it| *it != '\n') {
                if it == '\u{7}' {
                    return;
                }
                if it == '\u{1b}' {
                    rest.next_if_eq(&'\\');
                    return;
                }
            }
        }
        '(' | ')' | '#' | '%' => {
            rest.next_if(|it| !it.is_control());
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DF-37, X-23.
    #[test]
    fn line_ends_escapes_and_control_characters() {
        for (message, kept) in [
            ("a\r\nb\rc\n", "a\nb\nc\n"),
            ("nul\0 bell\u{7} tab\t", "nul bell tab\t"),
            ("\u{1b}[31;1mred\u{1b}[0m", "red"),
            ("\u{1b}]0;title\u{7}text", "text"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bplain", "plain"),
            ("cut off \u{1b}[31", "cut off "),
            ("cut off \u{1b}\nnext", "cut off \nnext"),
            ("\u{9b}1mC1\u{85}", "C1"),
            ("\u{202e}turned", "turned"),
            ("grün 日本", "grün 日本"),
        ] {
            assert_eq!(sanitize(message), kept, "{message:?}");
            assert!(is_sanitized(kept));
        }
    }

    /// DF-14, DF-30, X-23.
    #[test]
    fn it_is_cut_after_500_characters_not_bytes() {
        assert_eq!(sanitize(&"ü".repeat(501)).chars().count(), 500);
        assert_eq!(sanitize(&"ü".repeat(500)), "ü".repeat(500));
        // What goes does not count.
        assert_eq!(sanitize(&format!("{}x", "\0".repeat(900))), "x");
    }
}
