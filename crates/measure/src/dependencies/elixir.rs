//! Elixir: `mix.exs` and `mix.lock`. Both are programs; tuples that start with an atom and a requirement or options are
//! what names a dependency.

use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind, address};
use crate::lexer::{SourceLanguage, Token, TokenKind, tokens};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    match name {
        "mix.exs" => Some(Manifest { label: "mix.exs", read: read_manifest }),
        "mix.lock" => Some(Manifest { label: "mix.lock", read: read_lock }),
        _ => None,
    }
}

/// The options that say where a dependency comes from.
const PLACES: &[&str] = &["git", "github", "path", "organization", "repo", "hex"];

fn read_manifest(text: &str) -> Result<Dependencies, String> {
    let tokens = checked(text)?;
    let mut found = Dependencies::default();
    for (idx, window) in tokens.windows(4).enumerate() {
        let [open, colon, name, comma] = window else { continue };
        let is_tuple = open.text == "{"
            && colon.text == ":"
            && comma.text == ","
            && name.kind == TokenKind::Word;
        if !is_tuple {
            continue;
        }
        let rest = tokens.get(idx + 4..).unwrap_or_default();
        let end = rest.iter().position(|it| it.text == "}").unwrap_or(rest.len());
        let arguments = rest.get(..end).unwrap_or_default();
        let mut source = String::new();
        for (at, it) in arguments.iter().enumerate().filter(|(_, it)| PLACES.contains(&it.text)) {
            let value = arguments
                .get(at + 1..)
                .unwrap_or_default()
                .iter()
                .find(|it| it.kind == TokenKind::Text);
            source.push_str(&format!(
                "{} {} ",
                it.text,
                address(value.map_or("", |it| it.text.trim_matches('"')))
            ));
        }
        found.add(DependencyKind::Normal, name.text, source.trim());
    }
    Ok(found)
}

fn read_lock(text: &str) -> Result<Dependencies, String> {
    let tokens = checked(text)?;
    let mut found = Dependencies::default();
    for window in tokens.windows(5) {
        let [name, colon, open, mark, scheme] = window else { continue };
        let is_entry = name.kind == TokenKind::Text
            && colon.text == ":"
            && open.text == "{"
            && mark.text == ":";
        if is_entry {
            let source = if scheme.text == "hex" { "" } else { scheme.text };
            found.add(DependencyKind::Locked, name.text.trim_matches('"'), source);
        }
    }
    Ok(found)
}

fn checked(text: &str) -> Result<Vec<Token<'_>>, String> {
    let tokens = tokens(text, SourceLanguage::Elixir);
    let mut depth = 0i64;
    for token in &tokens {
        match token.text {
            _ if token.kind == TokenKind::Broken => return Err("a string is not closed".to_owned()),
            "{" | "[" | "(" if token.kind == TokenKind::Mark => depth += 1,
            "}" | "]" | ")" if token.kind == TokenKind::Mark => depth -= 1,
            _ => {}
        }
    }
    if depth == 0 { Ok(tokens) } else { Err("its brackets are not closed".to_owned()) }
}
