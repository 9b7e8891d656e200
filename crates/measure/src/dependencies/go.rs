//! Go: `go.mod`, `go.work` and `go.sum`. `/v2` at the end of a path names a version, so that it is left out.

use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    match name {
        "go.mod" => Some(Manifest { label: "go.mod", read: read_mod }),
        "go.work" => Some(Manifest { label: "go.work", read: read_mod }),
        "go.sum" | "go.work.sum" => Some(Manifest { label: "go.sum", read: read_sum }),
        _ => None,
    }
}

fn read_mod(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    let mut block: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or(line).trim();
        let words: Vec<&str> =
            line.split_whitespace().map(|it| it.trim_matches(['"', '`'])).collect();
        let broken = || format!("line {} is not a directive", number + 1);
        match (block, words.as_slice()) {
            (_, []) => {}
            (Some(_), [")"]) => block = None,
            (Some(verb), rest) => directive(&mut found, verb, rest).ok_or_else(broken)?,
            (None, [verb, "("]) => block = Some(verb),
            (None, [verb, rest @ ..]) => directive(&mut found, verb, rest).ok_or_else(broken)?,
        }
    }
    match block {
        Some(verb) => Err(format!("the block of `{verb}` is not closed")),
        None => Ok(found),
    }
}

/// Nothing if the words are not a directive of that verb.
fn directive(found: &mut Dependencies, verb: &str, words: &[&str]) -> Option<()> {
    match (verb, words) {
        ("require", [path, _version]) => found.add(DependencyKind::Normal, name(path), ""),
        ("tool", [path]) => found.add(DependencyKind::Plugin, name(path), ""),
        ("use", [path]) => found.add(DependencyKind::Local, *path, "use"),
        ("replace", _) => {
            let arrow = words.iter().position(|it| *it == "=>")?;
            found.add(DependencyKind::Override, name(words.first()?), name(words.get(arrow + 1)?));
        }
        ("module" | "go" | "toolchain" | "godebug" | "exclude" | "retract" | "ignore", [_, ..]) => {
        }
        _ => return None,
    }
    Some(())
}

fn name(path: &str) -> String {
    let is_version = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    for mark in ["/v", ".v"] {
        if let Some((stem, version)) = path.rsplit_once(mark)
            && is_version(version)
            && (mark == "/v" || path.starts_with("gopkg.in/"))
        {
            return stem.to_owned();
        }
    }
    path.to_owned()
}

fn read_sum(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    for (number, line) in text.lines().enumerate() {
        match line.split_whitespace().collect::<Vec<&str>>().as_slice() {
            [] => {}
            [path, _version, hash] if hash.contains(':') => {
                found.add(DependencyKind::Locked, name(path), "")
            }
            _ => return Err(format!("line {} is not a module, version and hash", number + 1)),
        }
    }
    Ok(found)
}
