//! The line formats of Python: requirements and constraints files as pip reads them, and `setup.cfg`.

use super::Manifest;
use super::ini;
use super::python::{normal, requirement};
use super::set::{Dependencies, DependencyKind, address};

/// Also for files of any name that another requirements file includes.
pub(super) const REQUIREMENTS: Manifest =
    Manifest { label: "requirements file", read: read_requirements };

fn read_requirements(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    let mut joined = String::new();
    for (number, raw) in text.lines().enumerate() {
        if let Some(open) = raw.strip_suffix('\\') {
            joined.push_str(open);
            continue;
        }
        joined.push_str(raw);
        line(&mut found, &joined).map_err(|reason| format!("line {}: {reason}", number + 1))?;
        joined.clear();
    }
    line(&mut found, &joined)?;
    Ok(found)
}

/// The options that say where packages come from.
const SOURCES: &[&str] =
    &["-i", "--index-url", "--extra-index-url", "-f", "--find-links", "--trusted-host"];

/// Adds what one line names.
pub(super) fn line(found: &mut Dependencies, text: &str) -> Result<(), String> {
    let text = text.find(" #").map_or(text, |at| &text[..at]).trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(());
    }
    if text.starts_with('-') {
        return option(found, text);
    }
    // An address or a path needs no name; the fragment may give one.
    let is_address =
        text.contains("://") && !text.split("://").next().unwrap_or("").contains(['@', ' ']);
    let is_path = text.starts_with(['.', '/', '~'])
        || [".whl", ".tar.gz", ".zip"]
            .iter()
            .any(|it| text.split([' ', ';']).next().unwrap_or("").ends_with(it));
    if is_address || is_path {
        placed(found, text);
        return Ok(());
    }
    let without_options = text.find(" --").map_or(text, |at| &text[..at]);
    requirement(found, DependencyKind::Normal, without_options)
}

fn option(found: &mut Dependencies, text: &str) -> Result<(), String> {
    let (name, value) = match text.find(['=', ' ', '\t']) {
        Some(at) => (&text[..at], text[at + 1..].trim_start_matches(['=', ' ', '\t'])),
        // The short ones may stand without a space: `-rbase.txt`.
        None if !text.starts_with("--") && text.len() > 2 && text.is_char_boundary(2) => {
            text.split_at(2)
        }
        None => (text, ""),
    };
    match name {
        "-r" | "--requirement" | "-c" | "--constraint" => {
            found.add(DependencyKind::Include, value, "")
        }
        "-e" | "--editable" => placed(found, value),
        _ if SOURCES.contains(&name) => found.add(DependencyKind::Source, address(value), ""),
        _ if name.starts_with("--") => {}
        _ => {
            return Err(format!(
                "{:?} is not an option",
                name.chars().take(20).collect::<String>()
            ));
        }
    }
    Ok(())
}

/// A package that an address or a path stands for.
fn placed(found: &mut Dependencies, text: &str) {
    let place = text.split([' ', ';']).next().unwrap_or(text);
    let egg = place.split(['#', '&']).find_map(|it| it.strip_prefix("egg="));
    let source = address(place);
    // What follows the last `@` behind the host is a revision.
    let revision_at = source.rfind('@').filter(|at| source[..*at].matches('/').count() > 2);
    let source = revision_at.map_or(source.as_str(), |at| &source[..at]).to_owned();
    match egg {
        Some(egg) => {
            found.add(DependencyKind::Normal, normal(egg.split('[').next().unwrap_or(egg)), source)
        }
        None => found.add(DependencyKind::Normal, source.clone(), source),
    }
}

/// The keys of `[options]` that list requirements.
const LISTS: &[(&str, DependencyKind)] = &[
    ("install_requires", DependencyKind::Normal),
    ("setup_requires", DependencyKind::Build),
    ("tests_require", DependencyKind::Dev),
];

pub(super) fn read_setup_cfg(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    for entry in ini::entries(text)? {
        if ["easy_install", "global", "install"].contains(&entry.section.as_str()) {
            let source = format!("{} {}", entry.key, entry.value);
            found.add(DependencyKind::Source, source, "");
        }
        let kind = match (entry.section.as_str(), entry.key.as_str()) {
            ("options", key) => LISTS.iter().find(|(name, _)| *name == key).map(|(_, kind)| *kind),
            ("options.extras_require", _) => Some(DependencyKind::Optional),
            _ => None,
        };
        let Some(kind) = kind else { continue };
        for line in entry.value.split(['\n', ';']).map(str::trim) {
            let is_marker = entry.value.contains(';') && !line.is_empty() && is_marker(line);
            if line.is_empty() || line.starts_with('#') || is_marker {
                continue;
            }
            match line.strip_prefix("file:") {
                Some(files) => files
                    .split(',')
                    .for_each(|it| found.add(DependencyKind::Include, it.trim(), "")),
                None => requirement(&mut found, kind, line)?,
            }
        }
    }
    Ok(found)
}

/// `;` separates requirements on one line and starts the marker of one.
fn is_marker(text: &str) -> bool {
    let names = [
        "python_version",
        "python_full_version",
        "sys_platform",
        "platform_",
        "os_name",
        "implementation_",
        "extra",
    ];
    let text = text.trim_start_matches(['(', ' ', '"', '\'']);
    names.iter().any(|it| text.starts_with(it)) || text.starts_with("not ")
}

/// `tox.ini`: what its environments install, and from where. Factors (`py312: pytest`) stand before a requirement.
pub(super) fn read_tox(text: &str) -> Result<Dependencies, String> {
    let mut found = Dependencies::default();
    for entry in ini::entries(text)? {
        match entry.key.as_str() {
            "deps" | "requires" | "constrain_package_deps" | "extras" | "dependency_groups" => {
                for raw in entry.value.lines().map(str::trim).filter(|it| !it.is_empty()) {
                    let named = match raw.split_once(": ") {
                        Some((factors, rest)) if !factors.contains(' ') => rest.trim(),
                        _ => raw,
                    };
                    match entry.key.as_str() {
                        "deps" | "requires" if !named.contains('{') => line(&mut found, named)?,
                        key => found.add(DependencyKind::Include, format!("{key} {named}"), ""),
                    }
                }
            }
            "indexserver" | "install_command" | "pip_pre" | "package_env" | "set_env"
            | "setenv" => {
                found.add(DependencyKind::Source, format!("{} {}", entry.key, entry.value), "");
            }
            key if key.starts_with("commands") => {
                entry.value.lines().for_each(|it| command(&mut found, it));
            }
            _ => {}
        }
    }
    Ok(found)
}

/// A command that installs something, as a whole: nobody can say what it would bring.
pub(super) fn command(found: &mut Dependencies, text: &str) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let installs = words.windows(2).any(|it| {
        let program = it[0].rsplit('/').next().unwrap_or_default();
        let is_installer = ["pip", "pip3", "pipx", "uv", "conda", "mamba", "easy_install"];
        is_installer.contains(&program) && ["install", "add", "inject"].contains(&it[1])
    });
    if installs {
        found.add(DependencyKind::Opaque, words.join(" "), "");
    }
}
