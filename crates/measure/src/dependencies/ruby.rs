//! Ruby: `Gemfile`, `*.gemspec` and `Gemfile.lock`. The first two are programs: calls with a plain string are read, a
//! call that computes its name makes the file unreadable.

use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind, address};
use crate::lexer::{SourceLanguage, Token, TokenKind, tokens};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    match name {
        "Gemfile" | "gems.rb" => Some(Manifest { label: "Gemfile", read: read_program }),
        "Gemfile.lock" | "gems.locked" => Some(Manifest { label: "Gemfile.lock", read: read_lock }),
        _ if name.ends_with(".gemspec") => Some(Manifest { label: "gemspec", read: read_program }),
        _ => None,
    }
}

/// The calls that name a dependency.
const CALLS: &[(&str, DependencyKind)] = &[
    ("gem", DependencyKind::Normal),
    ("add_dependency", DependencyKind::Normal),
    ("add_runtime_dependency", DependencyKind::Normal),
    ("add_development_dependency", DependencyKind::Dev),
    ("source", DependencyKind::Source),
    ("plugin", DependencyKind::Plugin),
    ("eval_gemfile", DependencyKind::Include),
    ("instance_eval", DependencyKind::Include),
    ("load", DependencyKind::Include),
];
/// The options of `gem` that say where it comes from.
const PLACES: &[&str] = &["git", "github", "gitlab", "bitbucket", "gist", "path", "source", "svn"];

fn read_program(text: &str) -> Result<Dependencies, String> {
    let tokens = tokens(text, SourceLanguage::Ruby);
    if tokens.iter().any(|it| it.kind == TokenKind::Broken) {
        return Err("a string is not closed".to_owned());
    }
    let mut found = Dependencies::default();
    let mut blocks: Vec<String> = Vec::new();
    for (idx, token) in tokens.iter().enumerate().filter(|(_, it)| it.kind == TokenKind::Word) {
        let previous = idx.checked_sub(1).and_then(|at| tokens.get(at));
        if previous.is_some_and(|it| it.text == ":") {
            continue; // A symbol.
        }
        let rest = tokens.get(idx + 1..).unwrap_or_default();
        let is_method = previous.is_some_and(|it| it.text == ".");
        match token.text {
            "do" => blocks.push(place_of(line_before(&tokens, idx))),
            "if" | "unless" | "case" | "def" | "class" | "module" | "begin" | "while" | "until"
                if token.starts_line =>
            {
                blocks.push(String::new());
            }
            "end" if !is_method => {
                blocks.pop().ok_or("there is an extra `end`")?;
            }
            name => {
                let is_option = rest.first().is_some_and(|it| it.text == ":");
                let call = CALLS.iter().find(|(call, _)| *call == name).filter(|_| !is_option);
                if let Some((_, kind)) = call {
                    read_call(&mut found, *kind, name, rest, &blocks.concat())?;
                }
            }
        }
    }
    if blocks.is_empty() { Ok(found) } else { Err("a block has no `end`".to_owned()) }
}

/// The tokens of the line up to `idx`.
fn line_before<'a, 'b>(tokens: &'a [Token<'b>], idx: usize) -> &'a [Token<'b>] {
    let before = tokens.get(..idx).unwrap_or_default();
    let start = before.iter().rposition(|it| it.starts_line).unwrap_or(0);
    before.get(start..).unwrap_or_default()
}

/// Where the block of `git "…" do` or `source "…" do` takes its gems from.
fn place_of(line: &[Token<'_>]) -> String {
    match line {
        [word, rest @ ..] if PLACES.contains(&word.text) => {
            let text = rest.iter().find(|it| it.kind == TokenKind::Text).map_or("", |it| it.text);
            format!("{} {} ", word.text, address(unquoted(text)))
        }
        _ => String::new(),
    }
}

fn read_call(
    found: &mut Dependencies,
    kind: DependencyKind,
    call: &str,
    rest: &[Token<'_>],
    block: &str,
) -> Result<(), String> {
    let rest = match rest {
        [open, rest @ ..] if open.text == "(" => rest,
        _ => rest,
    };
    let Some(name) =
        rest.first().filter(|it| it.kind == TokenKind::Text && !it.text.contains("#{"))
    else {
        return Err(format!("`{call}` is called with something other than a plain string"));
    };
    let end = rest.iter().skip(1).position(|it| it.starts_line && !continues(rest, it));
    let arguments = end.map_or(rest, |end| rest.get(..=end).unwrap_or(rest));
    let mut source = block.to_owned();
    for (idx, it) in arguments.iter().enumerate().filter(|(_, it)| PLACES.contains(&it.text)) {
        let value = arguments
            .get(idx + 1..)
            .unwrap_or_default()
            .iter()
            .find(|it| it.kind == TokenKind::Text);
        source.push_str(&format!(
            "{} {} ",
            it.text,
            address(unquoted(value.map_or("", |it| it.text)))
        ));
    }
    found.add(kind, unquoted(name.text).to_owned(), source.trim().to_owned());
    Ok(())
}

/// Whether the line that starts with the token goes on with the arguments: the line before ended with a comma.
fn continues(tokens: &[Token<'_>], token: &Token<'_>) -> bool {
    let at = tokens.iter().position(|it| std::ptr::eq(it, token)).unwrap_or(0);
    at.checked_sub(1)
        .and_then(|at| tokens.get(at))
        .is_some_and(|it| matches!(it.text, "," | "(" | "{" | ">"))
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\''])
}

const SECTIONS: &[&str] = &[
    "GEM",
    "GIT",
    "PATH",
    "PLUGIN SOURCE",
    "PLATFORMS",
    "DEPENDENCIES",
    "RUBY VERSION",
    "BUNDLED WITH",
    "CHECKSUMS",
];

fn read_lock(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    let (mut section, mut remote) = ("", String::new());
    for (number, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let content = line.trim();
        let broken = || format!("line {} is not an entry of a lock file", number + 1);
        match indent {
            _ if content.is_empty() => {}
            0 => {
                section = SECTIONS.iter().find(|it| **it == content).ok_or_else(broken)?;
                remote = String::new();
            }
            _ if section.is_empty() => return Err(broken()),
            2 if matches!(section, "GEM" | "GIT" | "PATH" | "PLUGIN SOURCE") => {
                if let Some(url) = content.strip_prefix("remote:") {
                    let url = address(url.trim());
                    let is_default = url == "https://rubygems.org";
                    remote = if is_default { String::new() } else { format!("{section} {url}") };
                }
            }
            2 if section == "DEPENDENCIES" => {
                let name = content.split([' ', '!']).next().unwrap_or(content);
                found.add(DependencyKind::Normal, name, "");
            }
            4 if !matches!(section, "RUBY VERSION" | "BUNDLED WITH") => {
                let (name, _) = content.split_once(" (").ok_or_else(broken)?;
                found.add(DependencyKind::Locked, name, remote.clone());
            }
            _ => {}
        }
    }
    Ok(found)
}
