//! C, C++ and Java: the text is cut into pieces that end with `;` or with the bracket that closes a body.

use super::{Definition, depth_after};
use crate::lexer::{Token, TokenKind};

/// What differs between the languages.
#[derive(Clone, Copy)]
pub(super) struct LexicalRules {
    /// Words that define a type which has its name behind it.
    types: &'static [&'static str],
    /// Words whose braces are looked into.
    transparent: &'static [&'static str],
    /// Words that start a piece which defines nothing.
    ignored: &'static [&'static str],
    /// How many transparent braces may hold each other.
    max_depth: usize,
}

/// C and C++.
pub(super) const C: LexicalRules = LexicalRules {
    types: &["struct", "class", "union", "enum", "concept"],
    transparent: &["namespace", "extern"],
    ignored: &["using", "import", "static_assert", "public", "private", "protected"],
    max_depth: 64,
};

/// Java.
pub(super) const JAVA: LexicalRules = LexicalRules {
    types: &["class", "interface", "enum", "record"],
    transparent: &["class", "interface", "record"],
    ignored: &["import", "package"],
    max_depth: 1,
};

pub(super) fn definitions<'a>(tokens: &[Token<'a>], dialect: LexicalRules) -> Vec<Definition<'a>> {
    let mut found = Vec::new();
    let mut n_transparent = 0usize;
    let mut piece: Vec<Token<'a>> = Vec::new();
    let mut depth = 0usize;
    for (idx, token) in tokens.iter().enumerate() {
        let is_mark = token.kind == TokenKind::Mark;
        if is_mark && depth == 0 && token.text == "}" {
            // It closes a namespace or a class whose members were looked at.
            n_transparent = n_transparent.saturating_sub(1);
            piece.clear();
            continue;
        }
        if is_mark
            && depth == 0
            && token.text == "{"
            && n_transparent < dialect.max_depth
            && is_transparent(&piece, dialect)
        {
            if let Some(mut definition) = define(&piece, dialect) {
                definition.body.extend(body_of(tokens.get(idx..).unwrap_or_default()));
                found.push(definition);
            }
            n_transparent += 1;
            piece.clear();
            continue;
        }
        piece.push(*token);
        depth = depth_after(depth, token);
        let closes_body =
            is_mark && depth == 0 && token.text == "}" && ends_here(&piece, tokens.get(idx + 1));
        if is_mark && depth == 0 && token.text == ";" || closes_body {
            found.extend(define(&piece, dialect));
            piece.clear();
        }
    }
    found
}

/// The tokens from an opening brace to the one that closes it.
fn body_of<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let mut depth = 0;
    let mut body = Vec::new();
    for token in tokens {
        body.push(token.text);
        depth = depth_after(depth, token);
        if depth == 0 {
            break;
        }
    }
    body
}

/// `struct s {…} x;` and `int a[] = {…};` go on behind the brace.
fn ends_here(piece: &[Token<'_>], next: Option<&Token<'_>>) -> bool {
    let is_value = outer(piece).any(|it| it.text == "=");
    !is_value && next.is_none_or(|it| it.starts_line || !matches!(it.text, ";" | ","))
}

/// The tokens of a piece that stand in no bracket.
fn outer<'b, 'a>(piece: &'b [Token<'a>]) -> impl Iterator<Item = &'b Token<'a>> {
    let mut depth = 0;
    piece.iter().filter(move |token| {
        let before = depth;
        depth = depth_after(depth, token);
        before == 0
    })
}

fn is_transparent(piece: &[Token<'_>], dialect: LexicalRules) -> bool {
    let piece = without_annotations(piece);
    let has = |text: &str| outer(&piece).any(|it| it.text == text);
    let is_other = has("(") && !has("record") || has("=") || has("enum");
    !is_other
        && outer(&piece)
            .any(|it| it.kind == TokenKind::Word && dialect.transparent.contains(&it.text))
}

fn define<'a>(piece: &[Token<'a>], dialect: LexicalRules) -> Option<Definition<'a>> {
    let piece = without_annotations(piece);
    let piece = piece.as_slice();
    let first = piece.first()?;
    if dialect.ignored.contains(&first.text) || piece.len() < 2 {
        return None;
    }
    let outside: Vec<&Token<'a>> = outer(piece).collect();
    let body: Vec<&'a str> = piece.iter().map(|it| it.text).collect();
    let word_before = |mark: &str| {
        let at = outside.iter().position(|it| it.text == mark)?;
        outside
            .get(..at)?
            .iter()
            .rfind(|it| it.kind == TokenKind::Word)
            .map(|it| it.text.to_owned())
    };
    let has = |text: &str| outside.iter().any(|it| it.text == text);
    let type_name = outside.windows(2).find_map(|pair| {
        let [keyword, name] = pair else { return None };
        let is_type = dialect.types.contains(&keyword.text) && name.kind == TokenKind::Word;
        is_type.then(|| name.text.to_owned())
    });
    if first.text == "typedef" {
        return Some(Definition { kind: "type", name: word_before(";")?, body });
    }
    // `struct s f(void);` has a type in it and defines a function; a record of Java has brackets of its own.
    let is_callable = has("(") && !has("record");
    let is_forward = outside.len() <= 3 && has(";");
    let is_header = piece.last().is_some_and(|it| it.kind == TokenKind::Word);
    if let Some(name) =
        type_name.filter(|_| is_forward || !is_callable && (has("{") || is_header || has("record")))
    {
        return Some(Definition { kind: "type", name, body });
    }
    let is_value = has("=") && !(has("(") && position(&outside, "(") < position(&outside, "="));
    let (kind, name) = match (is_value, has("(")) {
        (true, _) => ("value", word_before("=")?),
        // A declaration that ends with `;` and its definition are two things.
        (false, true) if has("{") => ("function", word_before("(")?),
        (false, true) => ("declaration", word_before("(")?),
        (false, false) => ("value", word_before(";")?),
    };
    Some(Definition { kind, name, body })
}

fn position(tokens: &[&Token<'_>], text: &str) -> usize {
    tokens.iter().position(|it| it.text == text).unwrap_or(usize::MAX)
}

/// The tokens without `@Name` and `@Name(…)`.
fn without_annotations<'a>(piece: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut kept = Vec::new();
    let mut at = 0;
    while let Some(token) = piece.get(at) {
        if token.text != "@" || piece.get(at + 1).is_some_and(|it| it.text == "interface") {
            kept.push(*token);
            at += 1;
            continue;
        }
        at += 2;
        let mut depth = 0;
        while let Some(token) = piece.get(at).filter(|it| depth > 0 || it.text == "(") {
            depth = depth_after(depth, token);
            at += 1;
            if depth == 0 {
                break;
            }
        }
    }
    kept
}
