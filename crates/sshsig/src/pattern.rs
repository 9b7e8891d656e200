//! OpenSSH's pattern lists, as allowed-signers files have them for names and namespaces: `*`, `?`, commas, and `!` before
//! a pattern that takes away.

/// Whether a list of patterns matches: one of them does, and none with `!` before it.
pub(crate) fn list_matches(list: &str, text: &str) -> bool {
    let mut is_matched = false;
    for pattern in list.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(pattern, text) => return false,
            Some(_) => {}
            None => is_matched |= matches(pattern, text),
        }
    }
    is_matched
}

/// One pattern. Goes back to the last star only, so that no pattern takes more than the product of both lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut next) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while next < text.len() {
        match pattern.get(at) {
            Some('*') => {
                last_star = Some((at, next));
                at += 1;
            }
            Some(it) if *it == '?' || *it == text[next] => {
                at += 1;
                next += 1;
            }
            _ => match last_star {
                Some((star, from)) => {
                    last_star = Some((star, from + 1));
                    at = star + 1;
                    next = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|it| *it == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_match_as_openssh_has_them() {
        for (list, text, expected) in [
            ("alice", "alice", true),
            ("alice", "Alice", false),
            ("alice", "alice2", false),
            ("*@example.org", "a@example.org", true),
            ("*@example.org", "a@example.org.evil", false),
            ("a?c,b", "abc", true),
            ("a?c,b", "ac", false),
            ("*,!bob", "alice", true),
            ("*,!bob", "bob", false),
            ("!bob,*", "bob", false),
            ("!bob", "alice", false),
            ("", "", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "xxaxxbxx", false),
        ] {
            assert_eq!(list_matches(list, text), expected, "{list} {text}");
        }
        let stars = "*a".repeat(200) + "b";
        assert!(!list_matches(&stars, &"a".repeat(2000)));
    }
}
