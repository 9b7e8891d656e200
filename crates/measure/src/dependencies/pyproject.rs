//! `pyproject.toml`: the standard tables, and those of Poetry, PDM, uv, Rye, Hatch, Flit and setuptools.

use document::{Format, Value};

use super::pip;
use super::python::{add_with_extras, requirement, table_source};
use super::set::{Dependencies, DependencyKind, address};
use super::structured::{at, items, members, object, string};

pub(super) fn read(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Toml)?;
    let mut found = Dependencies::default();
    lists(&mut found, &root)?;
    groups(&mut found, &root)?;
    poetry(&mut found, &root);
    sources(&mut found, &root);
    for it in items(at(&root, &["project", "dynamic"])).filter_map(Value::as_str) {
        // Who declares its dependencies as dynamic lets other files or code decide.
        if it.contains("dependencies") {
            found.add(DependencyKind::Include, format!("dynamic {it}"), "");
        }
    }
    pixi(&mut found, at(&root, &["tool", "pixi"]), 0);
    let tox = at(&root, &["tool", "tox"]);
    if let Some(text) = tox.and_then(|it| it.get("legacy_tox_ini")).and_then(Value::as_str) {
        pip::read_tox(text)?.iter().for_each(|it| found.add(it.kind, &it.name, &it.source));
    }
    commands(&mut found, tox, 0)?;
    commands(&mut found, at(&root, &["tool", "cibuildwheel"]), 0)?;
    for (_, it) in members(at(&root, &["tool", "setuptools", "dynamic"])) {
        let file = it.get("file");
        let files = items(file).chain(file).filter_map(Value::as_str);
        files.for_each(|it| found.add(DependencyKind::Include, it, ""));
    }
    Ok(found)
}

/// How deep tables of tools are looked into.
const MOST_LEVELS: usize = 16;

/// The tables of pixi, wherever they stand: for all, for a feature or for a platform.
fn pixi(found: &mut Dependencies, table: Option<&Value>, level: usize) {
    if level > MOST_LEVELS {
        return;
    }
    for (name, it) in members(table) {
        match name {
            "dependencies" | "pypi-dependencies" | "host-dependencies" | "build-dependencies" => {
                members(Some(it)).for_each(|(name, spec)| {
                    found.add(DependencyKind::Normal, name, table_source(spec));
                });
            }
            "channels" => items(Some(it)).for_each(|it| {
                found.add(DependencyKind::Source, it.to_json(), "");
            }),
            "pypi-options" => found.add(DependencyKind::Source, it.to_json(), ""),
            _ => pixi(found, Some(it), level + 1),
        }
    }
}

/// What the environments of tox need and what commands of build tools install, wherever they stand.
fn commands(found: &mut Dependencies, table: Option<&Value>, level: usize) -> Result<(), String> {
    if level > MOST_LEVELS {
        return Ok(());
    }
    for (name, it) in members(table) {
        if ["deps", "requires"].contains(&name) {
            for text in items(Some(it)).filter_map(Value::as_str) {
                pip::line(found, text)?;
            }
        }
        for text in items(Some(it)).chain([it]).filter_map(Value::as_str) {
            text.split("&&").for_each(|it| pip::command(found, it));
        }
        for words in items(Some(it)).filter(|it| matches!(it, Value::Array(_))) {
            let words: Vec<&str> = items(Some(words)).filter_map(Value::as_str).collect();
            pip::command(found, &words.join(" "));
        }
        commands(found, Some(it), level + 1)?;
    }
    Ok(())
}

/// Arrays of requirements.
fn lists(found: &mut Dependencies, root: &Value) -> Result<(), String> {
    let places: [(&[&str], DependencyKind); 8] = [
        (&["project", "dependencies"], DependencyKind::Normal),
        (&["build-system", "requires"], DependencyKind::Build),
        (&["tool", "uv", "dev-dependencies"], DependencyKind::Dev),
        (&["tool", "uv", "override-dependencies"], DependencyKind::Override),
        (&["tool", "rye", "dev-dependencies"], DependencyKind::Dev),
        (&["tool", "flit", "metadata", "requires"], DependencyKind::Normal),
        (&["tool", "flit", "metadata", "dev-requires"], DependencyKind::Dev),
        (&["tool", "pdm", "build", "requires"], DependencyKind::Build),
    ];
    for (place, kind) in places {
        list(found, kind, at(root, place))?;
    }
    Ok(())
}

fn list(
    found: &mut Dependencies,
    kind: DependencyKind,
    list: Option<&Value>,
) -> Result<(), String> {
    for it in items(list) {
        match it {
            // PDM takes what pip takes for packages that are being worked on.
            Value::String(text) if text.starts_with("-e") => {
                found.add(kind, address(text.trim_start_matches("-e").trim()), "editable");
            }
            Value::String(text) => requirement(found, kind, text)?,
            Value::Object(_) => {} // `{ include-group = "…" }` names a group of the same file.
            _ => return Err("a list of requirements holds something else".to_owned()),
        }
    }
    Ok(())
}

/// Tables of arrays of requirements.
fn groups(found: &mut Dependencies, root: &Value) -> Result<(), String> {
    let places: [(&[&str], DependencyKind); 5] = [
        (&["project", "optional-dependencies"], DependencyKind::Optional),
        (&["dependency-groups"], DependencyKind::Dev),
        (&["tool", "pdm", "dev-dependencies"], DependencyKind::Dev),
        (&["tool", "flit", "metadata", "requires-extra"], DependencyKind::Optional),
        (&["tool", "uv", "extra-build-dependencies"], DependencyKind::Build),
    ];
    for (place, kind) in places {
        for (_, group) in members(at(root, place)) {
            list(found, kind, Some(group))?;
        }
    }
    for (_, environment) in members(at(root, &["tool", "hatch", "envs"])) {
        list(found, DependencyKind::Dev, environment.get("dependencies"))?;
        list(found, DependencyKind::Dev, environment.get("extra-dependencies"))?;
    }
    Ok(())
}

fn poetry(found: &mut Dependencies, root: &Value) {
    let Some(poetry) = at(root, &["tool", "poetry"]) else { return };
    let mut tables = vec![
        (DependencyKind::Normal, poetry.get("dependencies")),
        (DependencyKind::Dev, poetry.get("dev-dependencies")),
    ];
    tables.extend(
        members(poetry.get("group"))
            .map(|(_, group)| (DependencyKind::Dev, group.get("dependencies"))),
    );
    for (kind, table) in tables {
        for (name, it) in members(table).filter(|(name, _)| *name != "python") {
            match it {
                Value::Array(several) => {
                    several.iter().for_each(|it| add_with_extras(found, kind, name, it))
                }
                _ => add_with_extras(found, kind, name, it),
            }
        }
    }
}

/// Where packages come from.
fn sources(found: &mut Dependencies, root: &Value) {
    for place in
        [&["tool", "poetry", "source"], &["tool", "pdm", "source"], &["tool", "uv", "index"]]
    {
        for it in items(at(root, place)) {
            found.add(DependencyKind::Source, address(string(it, "url").unwrap_or("")), "");
        }
    }
    for (name, it) in members(at(root, &["tool", "uv", "sources"])) {
        let several = items(Some(it)).chain(matches!(it, Value::Object(_)).then_some(it));
        for it in several {
            let is_local = matches!(it.get("workspace"), Some(Value::Bool(true)));
            let source = if is_local { "workspace".to_owned() } else { table_source(it) };
            found.add(DependencyKind::Override, super::python::normal(name), source);
        }
    }
    for member in items(at(root, &["tool", "uv", "workspace", "members"])).filter_map(Value::as_str)
    {
        found.add(DependencyKind::Local, member, "workspace");
    }
}
