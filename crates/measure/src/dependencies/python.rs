//! Python: which files are manifests, names as PEP 503 compares them, requirements as PEP 508 writes them.

use document::{Format, Value};
use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind, address};
use super::structured::{items, members, object, string};
use super::{pip, pyproject, setup_py};

pub(super) fn manifest(path: &RelPath, name: &str) -> Option<Manifest> {
    match name {
        "pyproject.toml" => Some(Manifest { label: "pyproject.toml", read: pyproject::read }),
        "setup.cfg" => Some(Manifest { label: "setup.cfg", read: pip::read_setup_cfg }),
        "setup.py" => Some(Manifest { label: "setup.py", read: setup_py::read }),
        "Pipfile" => Some(Manifest { label: "Pipfile", read: read_pipfile }),
        "Pipfile.lock" => Some(Manifest { label: "Pipfile.lock", read: read_pipfile_lock }),
        "poetry.lock" | "uv.lock" | "pdm.lock" => {
            Some(Manifest { label: "Python lock file", read: read_lock })
        }
        "environment.yml" | "environment.yaml" => {
            Some(Manifest { label: "conda environment", read: read_conda })
        }
        "tox.ini" => Some(Manifest { label: "tox.ini", read: pip::read_tox }),
        _ if is_requirements(path, name) => Some(pip::REQUIREMENTS),
        _ if name.ends_with(".py") => Some(Manifest { label: SCRIPT, read: read_script }),
        _ => None,
    }
}

/// What a script says about itself.
pub(super) const SCRIPT: &str = "inline script metadata";

/// The reader of a file of any name that says what it needs.
pub(super) fn script(text: &[u8]) -> Option<Manifest> {
    const START: &[u8] = b"# /// script";
    let has_block = text.windows(START.len()).any(|it| it == START);
    has_block.then_some(Manifest { label: SCRIPT, read: read_script })
}

/// What a script needs, as it says in comments (PEP 723): a block from `# /// script` to `# ///`. Its members are those of
/// the table `project`, and its tables those of `pyproject.toml`.
fn read_script(text: &str) -> Result<Dependencies, String> {
    let mut block: Option<String> = None;
    let mut is_open = false;
    for line in text.lines().map(str::trim_end) {
        match (is_open, line) {
            (false, "# /// script") if block.is_some() => {
                return Err("it has two blocks of script metadata".to_owned());
            }
            (false, "# /// script") => {
                block = Some("[project]\n".to_owned());
                is_open = true;
            }
            (true, "# ///") => is_open = false,
            (true, line) => {
                let Some(inner) = line.strip_prefix('#') else {
                    return Err("its block of script metadata does not end".to_owned());
                };
                let text = block.get_or_insert_default();
                text.push_str(inner.strip_prefix(' ').unwrap_or(inner));
                text.push('\n');
            }
            (false, _) => {}
        }
    }
    match block {
        Some(_) if is_open => Err("its block of script metadata does not end".to_owned()),
        Some(block) => pyproject::read(&block),
        None => Ok(Dependencies::default()),
    }
}

fn is_requirements(path: &RelPath, name: &str) -> bool {
    let Some((stem, "txt" | "in")) = name.rsplit_once('.') else { return false };
    let is_in_directory = path.parent().is_some_and(|it| it.file_name() == "requirements");
    is_in_directory
        || ["requirements", "constraints"]
            .iter()
            .any(|it| stem.starts_with(it) || stem.ends_with(it))
}

/// The name as PEP 503 compares it.
pub(super) fn normal(name: &str) -> String {
    let mut normal = String::new();
    for it in name.chars() {
        match it {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            _ => normal.extend(it.to_lowercase()),
        }
    }
    normal
}

/// Adds a requirement in the form of PEP 508: `name[extra] >= 1 ; marker` or `name @ address`. An extra brings more
/// packages, so that it is a dependency of its own.
pub(super) fn requirement(
    found: &mut Dependencies,
    kind: DependencyKind,
    text: &str,
) -> Result<(), String> {
    let text = text.trim();
    let end = text
        .find(|it: char| !(it.is_alphanumeric() || matches!(it, '-' | '_' | '.')))
        .unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    if !name.starts_with(|it: char| it.is_alphanumeric()) {
        return Err(format!(
            "{:?} is not a requirement",
            text.chars().take(60).collect::<String>()
        ));
    }
    let name = normal(name);
    rest = rest.trim_start();
    let mut extras = "";
    if let Some(open) = rest.strip_prefix('[') {
        let (inside, after) = open.split_once(']').ok_or("a list of extras does not end")?;
        (extras, rest) = (inside, after.trim_start());
    }
    let is_end = rest.is_empty()
        || rest.starts_with([';', '<', '>', '=', '!', '~', '(', '@', ',', '-', '#']);
    if !is_end {
        return Err(format!(
            "{:?} is not a requirement",
            text.chars().take(60).collect::<String>()
        ));
    }
    let source = rest
        .strip_prefix('@')
        .map(|it| address(it.split([';', ' ']).find(|it| !it.is_empty()).unwrap_or("")));
    let source = source.unwrap_or_default();
    for extra in extras.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        found.add(kind, format!("{name}[{}]", normal(extra)), source.clone());
    }
    found.add(kind, name, source);
    Ok(())
}

/// Where a table says that a package comes from: the members that Poetry, uv, PDM and Pipenv use.
pub(super) fn table_source(value: &Value) -> String {
    let members = [
        "git",
        "hg",
        "url",
        "path",
        "file",
        "directory",
        "editable",
        "virtual",
        "index",
        "source",
        "registry",
    ];
    let named = members
        .iter()
        .filter_map(|member| Some(format!("{member} {}", address(string(value, member)?))));
    named.collect::<Vec<String>>().join(", ")
}

fn read_pipfile(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Toml)?;
    let mut found = Dependencies::default();
    for source in items(root.get("source")) {
        found.add(DependencyKind::Source, address(string(source, "url").unwrap_or("")), "");
    }
    for (table, packages) in members(Some(&root)) {
        let kind = match table {
            "packages" => DependencyKind::Normal,
            "source" | "requires" | "scripts" | "pipenv" => continue,
            _ => DependencyKind::Dev,
        };
        for (name, it) in members(Some(packages)) {
            add_with_extras(&mut found, kind, name, it);
        }
    }
    Ok(found)
}

/// Adds a package that a table names, with the extras of its table.
pub(super) fn add_with_extras(
    found: &mut Dependencies,
    kind: DependencyKind,
    name: &str,
    value: &Value,
) {
    let (name, source) = (normal(name), table_source(value));
    for extra in items(value.get("extras")).filter_map(Value::as_str) {
        found.add(kind, format!("{name}[{}]", normal(extra)), source.clone());
    }
    found.add(kind, name, source);
}

fn read_pipfile_lock(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Json)?;
    let mut found = Dependencies::default();
    for (section, packages) in members(Some(&root)).filter(|(section, _)| *section != "_meta") {
        let kind = if section == "default" { DependencyKind::Normal } else { DependencyKind::Dev };
        for (name, it) in members(Some(packages)) {
            found.add(kind, normal(name), table_source(it));
        }
    }
    for source in items(root.get("_meta").and_then(|it| it.get("sources"))) {
        found.add(DependencyKind::Source, address(string(source, "url").unwrap_or("")), "");
    }
    Ok(found)
}

fn read_lock(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Toml)?;
    let mut found = Dependencies::default();
    for package in items(root.get("package")) {
        let name = string(package, "name").ok_or("a package has no name")?;
        let source = table_source(package.get("source").unwrap_or(package));
        let source =
            source.strip_prefix("registry https://pypi.org/simple").map_or(source.as_str(), |_| "");
        found.add(DependencyKind::Locked, normal(name), source);
    }
    Ok(found)
}

fn read_conda(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Yaml)?;
    let mut found = Dependencies::default();
    for channel in items(root.get("channels")).filter_map(Value::as_str) {
        found.add(DependencyKind::Source, channel, "");
    }
    for it in items(root.get("dependencies")) {
        match it {
            Value::String(text) => {
                let (channel, package) = text.rsplit_once("::").unwrap_or(("", text));
                let name = package.split(['=', '<', '>', '!', ' ', '[']).next().unwrap_or(package);
                found.add(DependencyKind::Normal, name.to_ascii_lowercase(), channel);
            }
            _ => {
                for line in items(it.get("pip")).filter_map(Value::as_str) {
                    pip::line(&mut found, line)?;
                }
            }
        }
    }
    Ok(found)
}
