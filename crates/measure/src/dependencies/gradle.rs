//! Gradle: build scripts in both languages, version catalogues and lock files.
//!
//! A build script is a program. What stands in a `dependencies`, `plugins` or `repositories` block is compared statement
//! by statement, versions left out; a statement whose form is not known is compared by its tokens. What the rest of the
//! program does to dependencies is not seen.

use document::{Format, Value};
use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind};
use super::structured::{members, object, string};
use crate::lexer::{SourceLanguage, Token, TokenKind, tokens};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    match name {
        "gradle.lockfile" | "buildscript-gradle.lockfile" => {
            Some(Manifest { label: "gradle.lockfile", read: read_lock })
        }
        _ if name.ends_with(".gradle") || name.ends_with(".gradle.kts") => {
            Some(Manifest { label: "Gradle build", read: read_script })
        }
        _ if name.ends_with(".versions.toml") => {
            Some(Manifest { label: "version catalogue", read: read_catalogue })
        }
        _ => None,
    }
}

/// What may stand inside the block of a dependency and brings nothing.
const DETAILS: &[&str] = &[
    "exclude",
    "because",
    "version",
    "strictly",
    "require",
    "prefer",
    "reject",
    "transitive",
    "isTransitive",
    "changing",
    "isChanging",
    "force",
    "capabilities",
    "attributes",
];

fn read_script(text: &str) -> Result<Dependencies, String> {
    let tokens = tokens(text, SourceLanguage::Gradle);
    let mut found = Dependencies::default();
    let mut blocks: Vec<&str> = Vec::new();
    let mut statement: Vec<&Token<'_>> = Vec::new();
    let mut parens = 0usize;
    for token in &tokens {
        if token.kind == TokenKind::Broken {
            return Err("a string is not closed".to_owned());
        }
        if token.starts_line
            && parens == 0
            && !statement.last().is_some_and(|it| matches!(it.text, "," | "." | "="))
            && token.text != "."
        {
            end_statement(&mut found, &blocks, &mut statement);
        }
        match token.text {
            "{" if token.kind == TokenKind::Mark => {
                let name = statement.first().map_or("", |it| it.text);
                let is_named =
                    ["dependencies", "plugins", "repositories", "pluginManagement", "constraints"]
                        .contains(&name);
                blocks.push(if is_named { name } else { "" });
                if !is_named {
                    end_outer(&mut found, &blocks, &mut statement);
                }
                statement.clear();
                parens = 0;
            }
            "}" if token.kind == TokenKind::Mark => {
                end_statement(&mut found, &blocks, &mut statement);
                blocks.pop().ok_or("there is an extra `}`")?;
                parens = 0;
            }
            ";" => end_statement(&mut found, &blocks, &mut statement),
            text => {
                match text {
                    "(" | "[" if token.kind == TokenKind::Mark => parens += 1,
                    ")" | "]" if token.kind == TokenKind::Mark => parens = parens.saturating_sub(1),
                    _ => {}
                }
                statement.push(token);
            }
        }
    }
    end_statement(&mut found, &blocks, &mut statement);
    if blocks.is_empty() { Ok(found) } else { Err("a `{` is not closed".to_owned()) }
}

/// A statement that opens a block of details, such as `implementation("x") {`.
fn end_outer(found: &mut Dependencies, blocks: &[&str], statement: &mut Vec<&Token<'_>>) {
    let around = blocks.get(..blocks.len().saturating_sub(1)).unwrap_or_default();
    end_statement(found, around, statement);
}

fn end_statement(found: &mut Dependencies, blocks: &[&str], statement: &mut Vec<&Token<'_>>) {
    let tokens = std::mem::take(statement);
    let Some(first) = tokens.first() else { return };
    if ["apply", "includeBuild"].contains(&first.text) {
        let text: Vec<&str> = tokens.iter().map(|it| it.text).collect();
        found.add(DependencyKind::Plugin, text.join(" "), "");
        return;
    }
    let block = blocks.iter().rev().find(|it| !it.is_empty()).copied().unwrap_or("");
    let is_detail = DETAILS.contains(&first.text)
        || matches!(first.text, "if" | "else" | "for" | "def" | "val");
    if is_detail && (first.text == "exclude" || !has_coordinates(&tokens)) {
        return;
    }
    match block {
        "dependencies" | "constraints" => {
            let kind = if first.text.starts_with("test") || first.text.starts_with("androidTest") {
                DependencyKind::Dev
            } else if first.text.contains("rocessor")
                || matches!(first.text, "kapt" | "ksp" | "classpath")
            {
                DependencyKind::Plugin
            } else {
                DependencyKind::Normal
            };
            found.add(kind, dependency_name(tokens.get(1..).unwrap_or_default()), "");
        }
        "plugins" => found.add(DependencyKind::Plugin, plugin_name(&tokens), ""),
        "repositories" => {
            let text: Vec<&str> = tokens.iter().map(|it| it.text).collect();
            found.add(DependencyKind::Source, text.join(" "), "");
        }
        _ => {}
    }
}

fn has_coordinates(tokens: &[&Token<'_>]) -> bool {
    tokens.iter().any(|it| it.kind == TokenKind::Text && it.text.contains(':'))
}

/// `g:a:v` without the version; `group: 'g', name: 'a'`; anything else by its tokens.
fn dependency_name(arguments: &[&Token<'_>]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut skips_value = false;
    for token in arguments {
        match (token.kind, token.text) {
            (TokenKind::Text, _) if skips_value => skips_value = false,
            (TokenKind::Text, text) => {
                let coordinates = text.trim_matches(['"', '\'']);
                let stem: Vec<&str> = coordinates.splitn(3, ':').take(2).collect();
                let is_project = coordinates.starts_with(':');
                parts.push(if is_project { coordinates.to_owned() } else { stem.join(":") });
            }
            (TokenKind::Word, "version" | "ext" | "classifier") => skips_value = true,
            (TokenKind::Word, "group" | "name" | "path")
            | (_, "(" | ")" | "," | ":" | "=" | "[" | "]") => {}
            (_, text) => parts.push(text.to_owned()),
        }
    }
    let is_map = arguments.iter().any(|it| it.text == "group");
    let joined = parts.join(if is_map { ":" } else { " " });
    joined.replace(" . ", ".")
}

/// `id("x") version "1"`, `kotlin("jvm") version "1"`, `alias(libs.plugins.x)`, `java`.
fn plugin_name(tokens: &[&Token<'_>]) -> String {
    let until_version =
        tokens.split(|it| matches!(it.text, "version" | "apply")).next().unwrap_or(tokens);
    let words = until_version.iter().map(|it| it.text.trim_matches(['"', '\'']));
    words.filter(|it| !matches!(*it, "(" | ")" | "." | "id")).collect::<Vec<&str>>().join(" ")
}

fn read_catalogue(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Toml)?;
    let mut found = Dependencies::default();
    let stem = |it: &str| it.splitn(3, ':').take(2).collect::<Vec<&str>>().join(":");
    for (alias, it) in members(root.get("libraries")) {
        let name = match (it, string(it, "module"), string(it, "group"), string(it, "name")) {
            (Value::String(text), ..) => stem(text),
            (_, Some(module), ..) => stem(module),
            (_, _, Some(group), Some(name)) => format!("{group}:{name}"),
            _ => return Err(format!("library `{alias}` names no module")),
        };
        found.add(DependencyKind::Managed, name, "");
    }
    for (_, it) in members(root.get("plugins")) {
        let id = it.as_str().or_else(|| string(it, "id")).unwrap_or("");
        found.add(DependencyKind::Plugin, id.split(':').next().unwrap_or(id), "");
    }
    Ok(found)
}

fn read_lock(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    for (number, line) in text.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') || line.starts_with("empty=") {
            continue;
        }
        match line.split(':').collect::<Vec<&str>>().as_slice() {
            [group, artifact, version] if version.contains('=') => {
                found.add(DependencyKind::Locked, format!("{group}:{artifact}"), "");
            }
            _ => return Err(format!("line {} locks no module", number + 1)),
        }
    }
    Ok(found)
}
