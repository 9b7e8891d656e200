//! `setup.py` is a program. Lists of plain strings behind the known names are read; anything else that decides about
//! dependencies makes the whole file opaque: then every change of it is a violation, since none can be judged.

use super::python::requirement;
use super::set::{Dependencies, DependencyKind};
use crate::lexer::{SourceLanguage, Token, TokenKind, tokens};

/// The arguments of `setup` that name dependencies.
const ARGUMENTS: &[(&str, DependencyKind)] = &[
    ("install_requires", DependencyKind::Normal),
    ("setup_requires", DependencyKind::Build),
    ("tests_require", DependencyKind::Dev),
    ("extras_require", DependencyKind::Optional),
    ("requires", DependencyKind::Normal),
];

pub(super) fn read(text: &str) -> Result<Dependencies, String> {
    let tokens = tokens(text, SourceLanguage::Python);
    if !is_balanced(&tokens) {
        return Err("its brackets or strings are not closed".to_owned());
    }
    let mut found = Dependencies::default();
    let mut is_plain = true;
    for (idx, token) in tokens.iter().enumerate() {
        if let Some((_, kind)) = ARGUMENTS.iter().find(|(name, _)| *name == token.text)
            && token.kind == TokenKind::Word
        {
            is_plain &= argument(&mut found, *kind, tokens.get(idx + 1..).unwrap_or_default())?;
        }
        let is_unpacked = token.text == "*"
            && tokens.get(idx + 1).is_some_and(|it| it.text == "*")
            && idx
                .checked_sub(1)
                .and_then(|at| tokens.get(at))
                .is_some_and(|it| matches!(it.text, "(" | ","));
        is_plain &= !is_unpacked;
    }
    if !is_plain {
        let hash = blake3::hash(
            tokens.iter().map(|it| it.text).collect::<Vec<&str>>().join(" ").as_bytes(),
        );
        found.add(
            DependencyKind::Opaque,
            format!("dependencies computed by code {}", &hash.to_hex()[..12]),
            "",
        );
    }
    Ok(found)
}

fn is_balanced(tokens: &[Token<'_>]) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for token in tokens {
        match token.text {
            _ if token.kind == TokenKind::Broken => return false,
            "(" | "[" | "{" if token.kind == TokenKind::Mark => open.push(token.text),
            ")" | "]" | "}" if token.kind == TokenKind::Mark => {
                let expected = open.pop();
                if !matches!(
                    (expected, token.text),
                    (Some("("), ")") | (Some("["), "]") | (Some("{"), "}")
                ) {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty()
}

/// Reads the value behind a known name. False if it is not made of plain strings.
fn argument(
    found: &mut Dependencies,
    kind: DependencyKind,
    rest: &[Token<'_>],
) -> Result<bool, String> {
    let [equals, value @ ..] = rest else { return Ok(false) };
    if equals.text != "=" || !value.first().is_some_and(|it| matches!(it.text, "[" | "(" | "{")) {
        return Ok(false);
    }
    let mut depth = 0usize;
    for (idx, token) in value.iter().enumerate() {
        match token.text {
            "[" | "(" | "{" => depth += 1,
            "]" | ")" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    // Something may be added to the list.
                    return Ok(value
                        .get(idx + 1)
                        .is_none_or(|it| matches!(it.text, "," | ")") || it.starts_line));
                }
            }
            "," | ":" => {}
            text if token.kind == TokenKind::Text => {
                let is_key = value.get(idx + 1).is_some_and(|it| it.text == ":");
                let is_joined = value.get(idx + 1).is_some_and(|it| it.kind == TokenKind::Text);
                let Some(plain) = plain(text).filter(|_| !is_joined) else { return Ok(false) };
                if !is_key {
                    requirement(found, kind, plain)?;
                }
            }
            _ => return Ok(false),
        }
    }
    Ok(false)
}

/// The text between the quotes of a string without prefix and escapes.
fn plain(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\''))?;
    let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inside.contains(['\\', quote, '\n'])).then_some(inside)
}
