//! Which tools a repository shows that it uses: read from its files as data, never by asking a tool.
//!
//! A tool is used if its settings lie in the repository (a file or a section of a manifest), if it is a dependency of
//! development, or if a hook runs it. Manifests are read wherever they lie, up to a bound.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::OnceLock;

use document::{Format, Limits, Value};
use edit::Text;
use snapshot::{RelPath, Snapshot};

/// Manifests that are read, those nearest to the root first.
const MAX_MANIFESTS: usize = 400;
/// A manifest that is larger is not read.
const MAX_MANIFEST_BYTES: usize = 4 << 20;

/// What shows that a repository uses a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signs {
    /// Names of its settings files; `*` stands for anything.
    pub files: &'static [&'static str],
    /// Sections of manifests: the name of the manifest, and the path of the section with dots.
    pub sections: &'static [(&'static str, &'static str)],
    /// Names of packages that bring it, in any registry.
    pub packages: &'static [&'static str],
    /// Ids of hooks of the pre-commit framework.
    pub hooks: &'static [&'static str],
    /// Words that commands of hooks start with or contain, one after the other.
    pub commands: &'static [&'static str],
}

impl Signs {
    /// Nothing.
    pub const NONE: Signs =
        Signs { files: &[], sections: &[], packages: &[], hooks: &[], commands: &[] };

    /// Whether a change of the file can change what the tool says.
    pub fn is_setting(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.has_settings(name) || matches!(name, ".editorconfig" | ".gitignore")
    }

    /// Whether a file of this name can have settings of the tool.
    fn has_settings(&self, name: &str) -> bool {
        self.files.iter().any(|it| name_matches(it, name))
            || self.sections.iter().any(|it| it.0 == name)
    }
}

/// Why a tool takes part.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Evidence {
    /// The file that shows it.
    pub file: RelPath,
    /// What it shows, for people.
    pub what: String,
    /// Whether there are only files for the tool.
    pub is_presence: bool,
}

/// What the manifests and hooks of a repository say.
pub struct ToolUses<'a> {
    snapshot: &'a Snapshot,
    /// The paths of the tree by their names, in order.
    by_name: HashMap<&'a str, Vec<&'a RelPath>>,
    manifests: BTreeMap<RelPath, Value>,
    packages: BTreeMap<String, RelPath>,
    hooks: BTreeMap<String, RelPath>,
    commands: Vec<(RelPath, String)>,
    ini_sections: BTreeMap<(String, String), RelPath>,
    /// Settings that lie on disk and are not part of the tree: ignored, or passed over.
    unlisted: BTreeMap<RelPath, Vec<u8>>,
}

/// Whether a file of this name can have settings of a tool.
pub fn is_settings_name(name: &str) -> bool {
    static NAMES: OnceLock<(HashSet<&str>, Vec<&str>)> = OnceLock::new();
    let (plain, patterns) = NAMES.get_or_init(|| {
        let signs = || crate::adapters::all().iter().map(|it| &it.signs);
        let sections = signs().flat_map(|it| it.sections).map(|it| it.0);
        let names = signs().flat_map(|it| it.files).copied().chain(sections);
        let (patterns, plain): (BTreeSet<&str>, BTreeSet<&str>) =
            names.partition(|it| it.contains('*'));
        (plain.into_iter().collect(), patterns.into_iter().collect())
    });
    plain.contains(name) || patterns.iter().any(|it| name_matches(it, name))
}

impl<'a> ToolUses<'a> {
    /// Reads the manifests and hooks of a tree.
    pub fn read(snapshot: &'a Snapshot) -> ToolUses<'a> {
        let mut by_name: HashMap<&str, Vec<&RelPath>> = HashMap::new();
        for path in snapshot.paths() {
            by_name.entry(path.file_name()).or_default().push(path);
        }
        let mut uses = ToolUses {
            snapshot,
            by_name,
            manifests: BTreeMap::new(),
            packages: BTreeMap::new(),
            hooks: BTreeMap::new(),
            commands: Vec::new(),
            ini_sections: BTreeMap::new(),
            unlisted: BTreeMap::new(),
        };
        let mut paths: Vec<&RelPath> = snapshot.paths().filter(|it| is_manifest(it)).collect();
        paths.sort_by_key(|it| (it.segments().count(), (*it).clone()));
        for path in paths.into_iter().take(MAX_MANIFESTS) {
            uses.read_manifest(path);
        }
        uses
    }

    /// With settings that lie beside the files of the tree and are no part of it: a tool finds them all the same.
    pub fn with_unlisted(self, unlisted: BTreeMap<RelPath, Vec<u8>>) -> ToolUses<'a> {
        ToolUses { unlisted, ..self }
    }

    /// Settings that the tool would find and nobody has looked at.
    pub(crate) fn unlisted(&self, signs: &Signs) -> Option<&RelPath> {
        self.unlisted.keys().find(|it| signs.has_settings(it.file_name()))
    }

    /// A manifest with this name that was not read: it is no data, very large, or one of very many.
    pub(crate) fn unread(&self, name: &str) -> Option<&RelPath> {
        self.named(&[name]).into_iter().find(|it| !self.manifests.contains_key(*it))
    }

    /// The paths of the tree.
    pub fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.snapshot.paths()
    }

    /// The text of a file.
    pub fn text(&self, path: &RelPath) -> Option<Text> {
        self.snapshot.file(path).map(|it| it.text())
    }

    /// The files whose name matches one of these.
    pub fn named(&self, names: &[&str]) -> Vec<&RelPath> {
        let (patterns, plain): (Vec<&str>, Vec<&str>) =
            names.iter().partition(|it| it.contains('*'));
        let mut found: Vec<&RelPath> =
            plain.iter().filter_map(|it| self.by_name.get(it)).flatten().copied().collect();
        if !patterns.is_empty() {
            let matches = |name: &str| patterns.iter().any(|it| name_matches(it, name));
            let by_name = self.by_name.iter().filter(|it| matches(it.0));
            found.extend(by_name.flat_map(|it| it.1.iter().copied()));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a settings file is data in which none of these words stands. Programs read data differently, so that the text
    /// is looked at too: without a backslash, a word cannot stand there in another spelling.
    pub(crate) fn is_data_without(&self, path: &RelPath, words: &[&str]) -> bool {
        let Some(text) = self.text(path) else { return false };
        let Ok(text) = std::str::from_utf8(text.bytes()) else { return false };
        let is_plain = !text.contains('\\') && !words.iter().any(|it| text.contains(it));
        let is_empty = text.trim().is_empty();
        is_plain && (is_empty || matches!(self.data(path), Some(Value::Object(_) | Value::Null)))
    }

    /// A file as data: JSON with comments, YAML or TOML, by its name. `None` if it cannot be read as such.
    pub fn data(&self, path: &RelPath) -> Option<Value> {
        if let Some(known) = self.manifests.get(path) {
            return Some(known.clone());
        }
        read_data(path, &self.text(path)?)
    }

    /// The manifests with this name, as data.
    pub fn manifests_named(&self, name: &str) -> impl Iterator<Item = (&RelPath, &Value)> {
        self.manifests.iter().filter(move |it| it.0.file_name() == name)
    }

    /// What the settings of a tool say, by file: whole settings files, and its sections of manifests.
    pub(crate) fn settings(&self, signs: &Signs) -> Vec<(RelPath, Vec<u8>)> {
        let unlisted = self.unlisted.iter().filter(|it| signs.has_settings(it.0.file_name()));
        let unlisted = unlisted.map(|(path, text)| (path.clone(), text.clone()));
        let mut settings = self.texts(&self.named(signs.files));
        settings.extend(unlisted);
        for (manifest, section) in signs.sections.iter().filter(|it| !signs.files.contains(&it.0)) {
            for (path, value) in self.manifests_named(manifest) {
                if let Some(value) = at(value, section) {
                    settings.push((path.clone(), value.to_json().into_bytes()));
                }
            }
            if is_ini(manifest) {
                for path in self.named(&[manifest]) {
                    let lines = self.text(path).map(|it| ini_section(&it, section));
                    let lines = lines.filter(|it| !it.is_empty());
                    settings.extend(lines.map(|it| (path.clone(), it.into_bytes())));
                }
            }
        }
        settings
    }

    /// The settings of cargo and rustup that can name programs.
    pub(crate) fn cargo_settings(&self) -> Vec<(RelPath, Vec<u8>)> {
        let is_in_folder =
            |path: &&RelPath| path.parent().is_some_and(|it| it.file_name() == ".cargo");
        let mut paths: Vec<&RelPath> =
            self.named(&["config.toml", "config"]).into_iter().filter(is_in_folder).collect();
        paths.extend(self.named(&["rust-toolchain.toml", "rust-toolchain"]));
        self.texts(&paths)
    }

    fn texts(&self, paths: &[&RelPath]) -> Vec<(RelPath, Vec<u8>)> {
        let text = |path: &&RelPath| Some(((*path).clone(), self.text(path)?.bytes().to_vec()));
        paths.iter().filter_map(text).collect()
    }

    pub(crate) fn evidence(&self, signs: &Signs) -> Option<Evidence> {
        let found = |file: &RelPath, what: String| {
            Some(Evidence { file: file.clone(), what, is_presence: false })
        };
        if let Some(file) = self.named(signs.files).first() {
            return found(file, "its settings".to_owned());
        }
        for (manifest, section) in signs.sections {
            let has = |it: &&(&RelPath, &Value)| at(it.1, section).is_some();
            if let Some((file, _)) = self.manifests_named(manifest).find(|it| has(&it)) {
                return found(file, format!("its section `{section}`"));
            }
            let key = ((*manifest).to_owned(), (*section).to_owned());
            if let Some(file) = self.ini_sections.get(&key) {
                return found(file, format!("its section `{section}`"));
            }
        }
        for package in signs.packages {
            if let Some(file) = self.packages.get(*package) {
                return found(file, format!("the dependency `{package}`"));
            }
        }
        for hook in signs.hooks {
            if let Some(file) = self.hooks.get(*hook) {
                return found(file, format!("the hook `{hook}`"));
            }
        }
        for command in signs.commands {
            if let Some((file, _)) = self.commands.iter().find(|it| runs(&it.1, command)) {
                return found(file, format!("a hook that runs `{command}`"));
            }
        }
        None
    }

    fn read_manifest(&mut self, path: &RelPath) {
        let Some(text) = self.text(path).filter(|it| it.len() <= MAX_MANIFEST_BYTES) else {
            return;
        };
        let name = path.file_name();
        if is_requirements(path) {
            let text = String::from_utf8_lossy(text.bytes()).into_owned();
            text.lines().for_each(|line| self.add_requirement(path, line));
        } else if is_ini(name) {
            self.read_ini(path, &text);
        } else if is_script(path) {
            let text = String::from_utf8_lossy(text.bytes()).into_owned();
            let lines = text.lines().filter(|it| !it.trim_start().starts_with('#'));
            self.commands.extend(lines.map(|it| (path.clone(), it.to_owned())));
        } else if let Some(value) = read_data(path, &text) {
            self.read_value(path, &value);
            self.manifests.insert(path.clone(), value);
        }
    }

    fn read_value(&mut self, path: &RelPath, value: &Value) {
        match path.file_name() {
            "package.json" => {
                for section in ["dependencies", "devDependencies", "optionalDependencies"] {
                    for (name, _) in members(value.get(section)) {
                        self.add_package(path, name);
                    }
                }
                for section in ["lint-staged", "husky", "simple-git-hooks", "pre-commit"] {
                    strings(value.get(section), &mut |it| {
                        self.commands.push((path.clone(), it.to_owned()));
                    });
                }
            }
            "pyproject.toml" => self.read_pyproject(path, value),
            ".pre-commit-config.yaml" | ".pre-commit-config.yml" => {
                for repository in items(value.get("repos")) {
                    for hook in items(repository.get("hooks")) {
                        if let Some(id) = hook.get("id").and_then(Value::as_str) {
                            self.hooks.entry(id.to_owned()).or_insert_with(|| path.clone());
                        }
                        if let Some(entry) = hook.get("entry").and_then(Value::as_str) {
                            self.commands.push((path.clone(), entry.to_owned()));
                        }
                        for package in items(hook.get("additional_dependencies")) {
                            if let Some(package) = package.as_str() {
                                self.add_requirement(path, package);
                            }
                        }
                    }
                }
            }
            name if is_hook_manifest(name) => strings(Some(value), &mut |it| {
                self.commands.push((path.clone(), it.to_owned()));
            }),
            _ => {}
        }
    }

    fn read_pyproject(&mut self, path: &RelPath, value: &Value) {
        let lists = ["project.dependencies", "tool.uv.dev-dependencies", "build-system.requires"];
        let tables_of_lists =
            ["project.optional-dependencies", "dependency-groups", "tool.pdm.dev-dependencies"];
        for list in lists {
            for package in items(at(value, list)) {
                self.add_requirement(path, package.as_str().unwrap_or_default());
            }
        }
        for table in tables_of_lists {
            for (_, list) in members(at(value, table)) {
                for package in items(Some(list)) {
                    self.add_requirement(path, package.as_str().unwrap_or_default());
                }
            }
        }
        for table in ["tool.poetry.dependencies", "tool.poetry.dev-dependencies"] {
            for (name, _) in members(at(value, table)) {
                self.add_package(path, name);
            }
        }
        for (_, group) in members(at(value, "tool.poetry.group")) {
            for (name, _) in members(group.get("dependencies")) {
                self.add_package(path, name);
            }
        }
        for (_, environment) in members(at(value, "tool.hatch.envs")) {
            for package in items(environment.get("dependencies")) {
                self.add_requirement(path, package.as_str().unwrap_or_default());
            }
        }
    }

    fn read_ini(&mut self, path: &RelPath, text: &Text) {
        let text = String::from_utf8_lossy(text.bytes()).into_owned();
        for name in text.lines().filter_map(ini_head) {
            let key = (path.file_name().to_owned(), name.to_owned());
            self.ini_sections.entry(key).or_insert_with(|| path.clone());
        }
    }

    /// The name of a requirement as Python writes them.
    fn add_requirement(&mut self, path: &RelPath, line: &str) {
        let line = line.split('#').next().unwrap_or_default().trim();
        let end = line.find(|it: char| "<>=!~;[ @(,".contains(it)).unwrap_or(line.len());
        if !line.starts_with('-') && end > 0 {
            self.add_package(path, &line[..end]);
        }
    }

    fn add_package(&mut self, path: &RelPath, name: &str) {
        let name = name.to_ascii_lowercase().replace('_', "-");
        self.packages.entry(name).or_insert_with(|| path.clone());
    }
}

/// Whether a command runs a program: the words stand in it one after the other, the first one as a program.
fn runs(command: &str, words: &str) -> bool {
    let mut wanted = words.split(' ');
    let first = wanted.next().unwrap_or_default();
    let rest: Vec<&str> = wanted.collect();
    let is_end = |it: char| it.is_whitespace() || "&|;()\"'`{}".contains(it);
    let tokens: Vec<&str> = command.split(is_end).filter(|it| !it.is_empty()).collect();
    tokens.iter().enumerate().any(|(at, token)| {
        let program = token.rsplit('/').next().unwrap_or(token);
        program == first && tokens[at + 1..].starts_with(&rest)
    })
}

/// Whether a file name matches a pattern in which `*` stands for anything.
pub(crate) fn name_matches(pattern: &str, name: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return pattern == name };
    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
}

fn is_manifest(path: &RelPath) -> bool {
    let name = path.file_name();
    matches!(
        name,
        "package.json"
            | "pyproject.toml"
            | "Cargo.toml"
            | "ruff.toml"
            | ".ruff.toml"
            | "biome.json"
            | "biome.jsonc"
            | ".biome.json"
            | ".biome.jsonc"
            | ".pre-commit-config.yaml"
            | ".pre-commit-config.yml"
    ) || is_hook_manifest(name)
        || is_ini(name)
        || is_requirements(path)
        || is_script(path)
}

fn is_hook_manifest(name: &str) -> bool {
    let is_lefthook = ["lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json"];
    let is_staged =
        [".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.yaml", ".lintstagedrc.yml"];
    is_lefthook.contains(&name.trim_start_matches('.'))
        || is_staged.contains(&name)
        || matches!(name, "treefmt.toml" | ".treefmt.toml")
}

fn is_ini(name: &str) -> bool {
    matches!(name, "setup.cfg" | "tox.ini")
}

/// The name of the section that a line starts, up to a colon.
fn ini_head(line: &str) -> Option<&str> {
    let section = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    Some(section.split(':').next().unwrap_or(section).trim())
}

/// The lines of the sections with this name.
fn ini_section(text: &Text, name: &str) -> String {
    let text = String::from_utf8_lossy(text.bytes()).into_owned();
    let mut is_inside = false;
    let mut lines = String::new();
    for line in text.lines() {
        is_inside = ini_head(line).map_or(is_inside, |it| it == name);
        if is_inside {
            lines.extend([line, "\n"]);
        }
    }
    lines
}

fn is_requirements(path: &RelPath) -> bool {
    let name = path.file_name();
    name.ends_with(".txt")
        && (name.contains("requirements") || path.as_str().contains("requirements/"))
}

/// Scripts that hooks are.
fn is_script(path: &RelPath) -> bool {
    let path = path.as_str();
    path.starts_with(".husky/") || path.starts_with(".githooks/") || path == "hk.pkl"
}

fn read_data(path: &RelPath, text: &Text) -> Option<Value> {
    let limits = Limits { max_bytes: MAX_MANIFEST_BYTES, ..Limits::DEFAULT };
    let read = |format| document::parse(text, format, &limits).ok().map(|it| it.value());
    match Format::of_path(path.as_str()) {
        Some(format) => read(format),
        // Settings files without an extension are JSON or YAML, and JSON is YAML.
        None => read(Format::Json).or_else(|| read(Format::Yaml)),
    }
}

/// The value at a path with dots.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

pub(crate) fn items(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

pub(crate) fn members(value: Option<&Value>) -> &[(String, Value)] {
    match value {
        Some(Value::Object(members)) => members,
        _ => &[],
    }
}

/// Every string in a value. Documents are bounded in depth.
pub(crate) fn strings(value: Option<&Value>, take: &mut dyn FnMut(&str)) {
    match value {
        Some(Value::String(text)) => take(text),
        Some(Value::Array(items)) => items.iter().for_each(|it| strings(Some(it), take)),
        Some(Value::Object(members)) => members.iter().for_each(|it| strings(Some(&it.1), take)),
        _ => {}
    }
}

/// Whether a key stands anywhere in a value.
pub(crate) fn has_key(value: &Value, key: &str) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|it| has_key(it, key)),
        Value::Object(members) => members.iter().any(|it| it.0 == key || has_key(&it.1, key)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
