//! How near two names are: the same but for case and spacing, or one slip of the fingers apart.
//!
//! A slip is a Damerau-Levenshtein distance of one (see `spelling`); the plural in `es` counts as one too. A repair gets an
//! answer only if there is exactly one candidate to choose; a tie is never broken by order.

/// How near a candidate is. The order is from the nearest on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Nearness {
    /// Equal but for case, `-`, `_` and white space.
    Variant,
    /// One slip apart.
    Typo,
}

/// Shorter texts are too near to everything for a slip to mean anything.
const MIN_TYPO_LENGTH: usize = 3;

/// Longer texts are not names, and are not compared.
const MAX_LENGTH: usize = 256;

/// The one candidate that `text` was meant to be: the only variant, or, where there is no variant, the only typo.
/// `None` if it is a candidate already, if nothing is near, or if two are equally near. A candidate that is there
/// twice counts once.
pub(crate) fn nearest<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<(&'a str, Nearness)> {
    let mut best: Option<(&'a str, Nearness)> = None;
    let mut is_tied = false;
    for candidate in candidates {
        if candidate == text {
            return None;
        }
        let Some(nearness) = nearness(text, candidate) else { continue };
        match best {
            Some((known, _)) if known == candidate => {}
            Some((_, known)) if known < nearness => {}
            Some((_, known)) if known == nearness => is_tied = true,
            _ => {
                best = Some((candidate, nearness));
                is_tied = false;
            }
        }
    }
    best.filter(|_| !is_tied)
}

/// How near two different texts are; `None` if they are equal or not near.
pub(crate) fn nearness(text: &str, candidate: &str) -> Option<Nearness> {
    if text == candidate || text.len() > MAX_LENGTH || candidate.len() > MAX_LENGTH {
        return None;
    }
    if !signs(text).eq(signs(candidate)) {
        return None;
    }
    if folded(text).next().is_some() && folded(text).eq(folded(candidate)) {
        return Some(Nearness::Variant);
    }
    let is_long_enough = text.chars().nth(MIN_TYPO_LENGTH - 1).is_some();
    let is_near =
        is_long_enough && (spelling::is_one_slip(text, candidate) || is_plural(text, candidate));
    is_near.then_some(Nearness::Typo)
}

/// Whether the candidate is the plural of the text in `es`, such as `branches` of `branch`.
fn is_plural(text: &str, candidate: &str) -> bool {
    let is_hissing = ["s", "x", "z", "ch", "sh"].iter().any(|it| text.ends_with(it));
    is_hissing && candidate.strip_prefix(text) == Some("es")
}

/// What no slip drops: a sign at the start, and what stands between two digits. `-1` is not `1`, `-O2` not `O2` and
/// `2024-01` not `202401`.
fn signs(text: &str) -> impl Iterator<Item = char> {
    let first = text.chars().next().filter(|it| matches!(it, '-' | '+'));
    let triples = text.chars().zip(text.chars().skip(1)).zip(text.chars().skip(2));
    let is_digit = |it: char| it.is_ascii_digit();
    let between =
        triples.filter(move |((a, b), c)| is_digit(*a) && is_digit(*c) && !b.is_alphanumeric());
    first.into_iter().chain(between.map(|((_, b), _)| b))
}

/// The candidates for a message: the likeliest first, then in their own order of text. Cut after `max`.
pub(crate) fn nearest_first<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    max: usize,
) -> Vec<&'a str> {
    let is_comparable = text.len() <= MAX_LENGTH;
    let folded = fold(text.get(..MAX_LENGTH).unwrap_or(text));
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| {
            let distance = if is_comparable && candidate.len() <= MAX_LENGTH {
                spelling::distance(&folded, &fold(candidate))
            } else {
                usize::MAX
            };
            // What shares little with the text is no better than anything else.
            let is_near = distance.saturating_mul(2) <= folded.chars().count();
            (if is_near { distance } else { usize::MAX }, candidate)
        })
        .collect();
    scored.sort_unstable();
    scored.dedup_by_key(|it| it.1);
    scored.into_iter().map(|(_, candidate)| candidate).take(max).collect()
}

/// The text without what a variant may differ in.
pub(crate) fn fold(text: &str) -> String {
    folded(text).collect()
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    let kept = text.chars().filter(|it| !it.is_whitespace() && !matches!(it, '-' | '_'));
    kept.flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, candidates: &[&str], expected: Option<(&str, Nearness)>) {
        assert_eq!(nearest(text, candidates.iter().copied()), expected);
        assert_eq!(nearest(text, candidates.iter().rev().copied()), expected, "in another order");
    }

    #[test]
    fn one_slip_or_a_variant_is_near_and_a_tie_is_nothing() {
        use Nearness::{Typo, Variant};
        check("debg", &["debug", "info"], Some(("debug", Typo)));
        check("debuug", &["debug", "info"], Some(("debug", Typo)));
        check("debux", &["debug", "info"], Some(("debug", Typo)));
        check("deubg", &["debug", "info"], Some(("debug", Typo)));
        check("ebdug", &["debug", "info"], None);
        check("debug", &["debug", "debag"], None);
        check("DEBUG", &["debug", "DEBUT"], Some(("debug", Variant)));
        check(" read_only ", &["read-only"], Some(("read-only", Variant)));
        check("ReadOnly", &["read-only", "read_only"], None);
        check("caat", &["cat", "cart"], None);
        check("caat", &["cat", "cat"], Some(("cat", Typo)));
        check("ab", &["abc", "a"], None);
        check("--", &["__"], None);
        check("über", &["üebr"], Some(("üebr", Typo)));
        check("", &["", "a"], None);
        check("-1", &["1"], None);
        check("1", &["-1"], None);
        check("-O2", &["O2", "O3"], None);
        check("2024-01", &["202401"], None);
        check("10-0-1", &["10-0.1"], None);
        check("x-86", &["x86"], Some(("x86", Variant)));
        check(&"x".repeat(300), &[&"x".repeat(299)], None);
    }

    #[test]
    fn messages_name_the_likeliest_first() {
        assert_eq!(
            nearest_first("prot", ["zeta", "host", "port", "alpha"], 3),
            ["port", "alpha", "host"]
        );
    }
}
