//! Languages whose definitions start with a keyword: Rust, Python, JavaScript, Go, Clank, Ruby.

use super::{Definition, depth_after};
use crate::lexer::{SourceLanguage, Token, TokenKind};

/// Words that may stand before the keyword of a definition.
fn is_modifier(word: &str, language: SourceLanguage) -> bool {
    match language {
        SourceLanguage::Rust => {
            matches!(word, "pub" | "async" | "unsafe" | "default" | "extern" | "const" | "auto")
        }
        SourceLanguage::JavaScript => {
            matches!(word, "export" | "default" | "async" | "abstract" | "declare")
        }
        SourceLanguage::Python => word == "async",
        SourceLanguage::Clank => word == "external",
        _ => false,
    }
}

/// What a keyword defines.
fn kind_of(word: &str, language: SourceLanguage) -> Option<&'static str> {
    let kinds: &[(&str, &'static str)] = match language {
        SourceLanguage::Rust => &[
            ("fn", "function"),
            ("struct", "type"),
            ("enum", "type"),
            ("union", "type"),
            ("trait", "trait"),
            ("type", "type alias"),
            ("mod", "module"),
            ("const", "constant"),
            ("static", "constant"),
            ("impl", "implementation"),
            ("macro_rules", "macro"),
        ],
        SourceLanguage::Python => &[("def", "function"), ("class", "class")],
        SourceLanguage::JavaScript => &[
            ("function", "function"),
            ("class", "class"),
            ("const", "value"),
            ("let", "value"),
            ("var", "value"),
            ("interface", "type"),
            ("type", "type"),
            ("enum", "type"),
            ("namespace", "namespace"),
        ],
        SourceLanguage::Go => {
            &[("func", "function"), ("type", "type"), ("var", "value"), ("const", "value")]
        }
        SourceLanguage::Clank => &[
            ("fn", "function"),
            ("ƒ", "function"),
            ("rec", "type"),
            ("sum", "type"),
            ("type", "type"),
        ],
        SourceLanguage::Ruby => &[("def", "method"), ("class", "class"), ("module", "module")],
        SourceLanguage::Java
        | SourceLanguage::C
        | SourceLanguage::Gradle
        | SourceLanguage::Elixir => &[],
    };
    kinds.iter().find(|(keyword, _)| *keyword == word).map(|(_, kind)| *kind)
}

/// The definitions, each of which starts on a line of its own at the outer level.
pub(super) fn definitions<'a>(
    tokens: &[Token<'a>],
    language: SourceLanguage,
) -> Vec<Definition<'a>> {
    let needs_margin = matches!(language, SourceLanguage::Python | SourceLanguage::Ruby);
    let mut found: Vec<Definition<'a>> = Vec::new();
    let (mut at, mut depth) = (0, 0);
    let mut is_open = false;
    while let Some(token) = tokens.get(at) {
        let may_start = depth == 0 && token.starts_line && (token.is_at_margin || !needs_margin);
        let rest = tokens.get(at..).unwrap_or_default();
        if may_start && let Some(len) = attribute(rest, language) {
            (at, is_open) = (at + len, false);
            continue;
        }
        if may_start {
            if let Some((kind, name)) = start(rest, language) {
                found.push(Definition { kind, name, body: Vec::new() });
                is_open = true;
            } else if token.kind == TokenKind::Word && ends_previous(token, language) {
                is_open = false;
            }
        }
        if is_open && let Some(last) = found.last_mut() {
            last.body.push(token.text);
        }
        depth = depth_after(depth, token);
        at += 1;
    }
    found
}

/// Whether a line that starts so belongs to no definition. Indented languages close nothing with a bracket.
fn ends_previous(token: &Token<'_>, language: SourceLanguage) -> bool {
    match language {
        SourceLanguage::Python => !matches!(token.text, "else" | "elif" | "except" | "finally"),
        SourceLanguage::Ruby => token.text != "end",
        SourceLanguage::Go | SourceLanguage::Rust | SourceLanguage::Clank => {
            matches!(token.text, "use" | "import" | "package" | "extern")
        }
        _ => matches!(token.text, "import" | "export"),
    }
}

/// The length of an attribute, a decorator or an annotation that starts here.
fn attribute(tokens: &[Token<'_>], language: SourceLanguage) -> Option<usize> {
    let opens = match (language, tokens) {
        (SourceLanguage::Rust, [hash, open, ..]) if hash.text == "#" && open.text == "[" => 1,
        (SourceLanguage::Rust, [hash, bang, open, ..])
            if hash.text == "#" && bang.text == "!" && open.text == "[" =>
        {
            2
        }
        (SourceLanguage::Python | SourceLanguage::JavaScript, [at, ..]) if at.text == "@" => 1,
        _ => return None,
    };
    let mut depth = 0;
    for (idx, token) in tokens.iter().enumerate().skip(opens) {
        if depth == 0 && idx > opens && (language == SourceLanguage::Rust || token.starts_line) {
            return Some(idx);
        }
        depth = depth_after(depth, token);
    }
    Some(tokens.len())
}

/// The kind and name of the definition that starts here.
fn start(tokens: &[Token<'_>], language: SourceLanguage) -> Option<(&'static str, String)> {
    let mut at = 0;
    loop {
        let token = tokens.get(at)?;
        let next = tokens.get(at + 1)?;
        // `const fn` and `const X` start alike.
        let is_value =
            token.text == "const" && !matches!(next.text, "fn" | "unsafe" | "async" | "extern");
        if language == SourceLanguage::JavaScript && token.text == "const" && next.text == "enum" {
            at += 1;
        } else if is_modifier(token.text, language) && !is_value {
            at += 1;
            at += visibility(tokens.get(at..)?);
        } else {
            break;
        }
    }
    let keyword = tokens.get(at)?;
    let rest = tokens.get(at + 1..)?;
    match kind_of(keyword.text, language).filter(|_| keyword.kind == TokenKind::Word) {
        Some(kind) => Some((kind, name(kind, rest, language)?)),
        None if language == SourceLanguage::Python => assigned(tokens),
        None => None,
    }
}

/// The length of `(crate)` or `"C"` behind a modifier.
fn visibility(tokens: &[Token<'_>]) -> usize {
    match tokens {
        [open, ..] if open.text == "(" => {
            tokens.iter().position(|it| it.text == ")").map_or(0, |end| end + 1)
        }
        [text, ..] if text.kind == TokenKind::Text => 1,
        _ => 0,
    }
}

/// `NAME = …` and `NAME: T = …` at the margin.
fn assigned(tokens: &[Token<'_>]) -> Option<(&'static str, String)> {
    let [name, sign, ..] = tokens else { return None };
    let is_comparison = tokens.get(2).is_some_and(|it| it.text == "=" && sign.text == "=");
    let is_assigned = matches!(sign.text, "=" | ":") && !is_comparison && !sign.starts_line;
    let is_clause = matches!(name.text, "else" | "try" | "finally" | "except");
    (name.kind == TokenKind::Word && is_assigned && !is_clause)
        .then(|| ("value", name.text.to_owned()))
}

fn name(kind: &'static str, rest: &[Token<'_>], language: SourceLanguage) -> Option<String> {
    let word = |it: Option<&Token<'_>>| {
        it.filter(|it| it.kind == TokenKind::Word).map(|it| it.text.to_owned())
    };
    match (language, kind) {
        (SourceLanguage::Rust, "implementation") => {
            let header: Vec<&str> = rest
                .iter()
                .take_while(|it| !matches!(it.text, "{" | ";"))
                .take(64)
                .map(|it| it.text)
                .collect();
            Some(header.concat())
        }
        (SourceLanguage::Rust, "macro") => word(rest.get(1)),
        (SourceLanguage::Rust, "constant") => word(rest.iter().find(|it| it.text != "mut")),
        (SourceLanguage::JavaScript, "function") => word(rest.iter().find(|it| it.text != "*")),
        (SourceLanguage::Go, "function") if rest.first().is_some_and(|it| it.text == "(") => {
            let end = rest.iter().position(|it| it.text == ")")?;
            let receiver = rest.get(1..end)?.iter().filter(|it| it.kind == TokenKind::Word).nth(1);
            let receiver = receiver.or_else(|| rest.get(1));
            Some(format!("{}.{}", receiver.map_or("", |it| it.text), word(rest.get(end + 1))?))
        }
        // A group of values is known by the first of them.
        (SourceLanguage::Go, "value" | "type") => word(rest.iter().find(|it| it.text != "(")),
        (SourceLanguage::Ruby, _) => {
            let parts = rest
                .iter()
                .take_while(|it| !it.starts_line && !matches!(it.text, "(" | "<" | ";"))
                .take(8);
            let name: String = parts.map(|it| it.text).collect();
            (!name.is_empty()).then_some(name)
        }
        _ => word(rest.first()),
    }
}
