//! `regreen.toml`: what a workspace has decided. All of it is optional; what it says wrong is said all at once, with
//! its place and what would be right.

mod commands;
pub(crate) mod globs;
mod governance;
mod members;
pub(crate) mod nearest;
mod schemas;
mod sources;

use std::collections::BTreeMap;
use std::time::Duration;

use check::{Diagnostic, Safety, Severity};
use clank::page::FORMAT;
use document::{Format, Limits, Pointer, Value};
use edit::Text;
use engine::RuleLevel;
use protocol::v1;
use snapshot::RelPath;

use crate::config::globs::Globs;
use crate::setup::own_rules;
pub(crate) use commands::CommandTable;
pub(crate) use governance::{Govern, OwnerConfig, RegistryPlace, ToolConfig};
use members::{ConfigProblems, ConfigTable, list_of_strings, positive_integer};
pub(crate) use sources::{Linter, OwnFormat, OwnSource};

/// Where the configuration stands.
pub(crate) const PATH: &str = "regreen.toml";
/// Where the baseline stands unless the configuration says otherwise.
const DEFAULT_BASELINE: &str = "regreen-baseline.json";
const DEFAULT_MAX_PASSES: usize = 10;
const DEFAULT_BUDGET: Duration = Duration::from_secs(600);
/// Offsets are 32 bits wide.
const MOST_FILE_SIZE: u64 = u32::MAX as u64;

const SECTIONS: [&str; 11] = [
    "workspace",
    "fix",
    "rules",
    "pack",
    "schema",
    "schemas",
    "linters",
    "source",
    "tools",
    "govern",
    "clank",
];

/// What a workspace has decided.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// The files to look at; all if there is none.
    pub(crate) include: Globs,
    /// The files to pass over.
    pub(crate) exclude: Globs,
    /// Files larger than this are not read.
    pub(crate) max_file_size: Option<u64>,
    /// Where the baseline stands.
    pub(crate) baseline: RelPath,
    /// The widest safety that `fix` applies by itself. Never wider than the default.
    pub(crate) safety: Safety,
    /// Whether nobody who runs `fix` may let it apply more than it does by itself.
    pub(crate) require_approval: bool,
    /// The same by a table that the user trusted and that is another one now, or gone. No file says this.
    pub(crate) remembers_require_approval: bool,
    /// How many rounds of repairs `fix` makes at most.
    pub(crate) max_passes: usize,
    /// How long `fix` tries repairs at most.
    pub(crate) budget: Option<Duration>,
    /// How bad a rule is here.
    pub(crate) rules: BTreeMap<String, RuleLevel>,
    /// The packs; `None` if none is named, so that the built-in ones are used.
    pub(crate) packs: Option<Vec<PackRef>>,
    /// The schemas of files that do not name theirs.
    pub(crate) schemas: Vec<pack::Mapping>,
    /// Where `schemas update` takes the catalogue from.
    pub(crate) catalogue: Option<String>,
    /// What it says about Clank programs.
    pub(crate) clank: Clank,
    /// What it says about proposals.
    pub(crate) govern: Govern,
    /// The tables that name programs to run, in the order of the file.
    pub(crate) commands: Vec<CommandTable>,
    /// What it says about tools that regreen knows, by name.
    pub(crate) linters: BTreeMap<String, Linter>,
    /// The tools of its own, in the order of the file.
    pub(crate) sources: Vec<OwnSource>,
    /// Whether `fix` puts files into canonical layout.
    pub(crate) has_formatter: bool,
}

/// What a configuration says about Clank programs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Clank {
    /// The folders that `use a.b` starts from; without them every file looks around itself.
    pub(crate) roots: Vec<RelPath>,
    /// Whether `build` and `run` fail if a source is not canonical.
    pub(crate) strict: bool,
    /// What programs run on.
    pub(crate) runtime: v1::Runtime,
    /// Who proves goals.
    pub(crate) solver: v1::Solver,
}

/// A pack that the configuration names, and where it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PackRef {
    pub(crate) place: PackPlace,
    pub(crate) at: Pointer,
    /// Whether the run fails if it cannot be loaded.
    pub(crate) required: bool,
}

/// Where a pack is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PackPlace {
    /// A folder of the workspace.
    Folder(RelPath),
    /// A folder somewhere else, relative to the root or absolute; read only if the user trusts it.
    Outside(String),
    /// A part of regreen.
    Builtin(String),
}

impl Default for Config {
    fn default() -> Config {
        Config {
            include: Globs::default(),
            exclude: Globs::default(),
            max_file_size: None,
            baseline: RelPath::parse(DEFAULT_BASELINE).expect("the default is a path"),
            safety: Safety::LikelyPreserving,
            require_approval: false,
            remembers_require_approval: false,
            max_passes: DEFAULT_MAX_PASSES,
            budget: Some(DEFAULT_BUDGET),
            rules: BTreeMap::new(),
            packs: None,
            schemas: Vec::new(),
            catalogue: None,
            clank: Clank::default(),
            govern: Govern::default(),
            commands: Vec::new(),
            linters: BTreeMap::new(),
            sources: Vec::new(),
            has_formatter: true,
        }
    }
}

impl Config {
    /// Whether repairs that may change behaviour are made by an approved proposal only.
    pub(crate) fn needs_proposals(&self) -> bool {
        self.require_approval || self.remembers_require_approval
    }

    /// The severities of rules that are not what the rule itself says, by the names that people write. Rules about policy
    /// are off unless they are named; layout is the one that has a switch of its own.
    pub(crate) fn levels(&self) -> BTreeMap<String, RuleLevel> {
        let mut levels = self.rules.clone();
        if self.has_formatter {
            levels.entry(FORMAT.to_owned()).or_insert(RuleLevel::At(Severity::Info));
        }
        levels
    }
}

/// Reads a configuration, or says everything that is wrong with it.
pub(crate) fn read(text: &Text) -> Result<Config, Vec<Diagnostic>> {
    let document = match document::parse(text, Format::Toml, &Limits::DEFAULT) {
        Ok(document) => document,
        Err(error) => {
            let lines = edit::LineIndex::new(text.bytes());
            let location = check::Location::new(&lines, error.offset..error.offset);
            let message = format!("invalid TOML: {}", error.message);
            return Err(vec![own_rules::config_problem(None, location, message)]);
        }
    };
    let mut problems = ConfigProblems::new(&document);
    let mut config = Config::default();
    let value = document.value();
    if let Some(mut top) = ConfigTable::open(&value, &Pointer::root(), "a table", &mut problems) {
        if let Some((value, at)) = top.take("workspace") {
            read_workspace(value, &at, &mut config, &mut problems);
        }
        if let Some((value, at)) = top.take("fix") {
            read_fix(value, &at, &mut config, &mut problems);
        }
        if let Some((value, at)) = top.take("rules") {
            read_rules(value, &at, &mut config, &mut problems);
        }
        if let Some((value, at)) = top.take("pack") {
            config.packs = Some(read_packs(value, &at, &mut problems));
        }
        if let Some((value, at)) = top.take("schema") {
            config.schemas = schemas::read_mappings(value, &at, &mut problems);
        }
        if let Some((value, at)) = top.take("schemas") {
            config.catalogue = schemas::read_catalogue(value, &at, &mut problems);
        }
        if let Some((value, at)) = top.take("linters") {
            config.linters = sources::read_linters(value, &at, &mut problems);
            let tables = commands::tables("linter", "linters", value).into_iter();
            let names_command =
                |it: &CommandTable| config.linters.get(&it.name).is_some_and(Linter::names_command);
            config.commands.extend(tables.filter(names_command));
        }
        if let Some((value, at)) = top.take("source") {
            config.sources = sources::read_sources(value, &at, &mut problems);
            config.commands.extend(commands::tables("source", "source", value));
        }
        if let Some((value, at)) = top.take("tools") {
            config.commands.extend(commands::tables("tool", "tools", value));
            governance::read_tools(value, &at, &mut config.govern, &mut problems);
        }
        if let Some((value, at)) = top.take("govern") {
            config.require_approval =
                governance::read_govern(value, &at, &mut config.govern, &mut problems);
        }
        if let Some((value, at)) = top.take("clank") {
            read_clank(value, &at, &mut config.clank, &mut problems);
        }
        top.close(&SECTIONS, &mut problems);
    }
    let errors = problems.finish();
    if errors.is_empty() { Ok(config) } else { Err(errors) }
}

fn read_workspace(
    value: &Value,
    at: &Pointer,
    config: &mut Config,
    problems: &mut ConfigProblems<'_>,
) {
    let Some(mut section) = ConfigTable::open(value, at, "a table, `[workspace]`", problems) else {
        return;
    };
    for (name, globs) in [("include", &mut config.include), ("exclude", &mut config.exclude)] {
        let Some((value, at)) = section.take(name) else { continue };
        for (pattern, at) in list_of_strings(value, &at, "a list of globs", problems) {
            if let Err(reason) = globs.add(&pattern) {
                problems.error(&at, format!("invalid glob: {reason}"));
            }
        }
        if let Err(reason) = globs.build() {
            problems.error(&at, format!("these globs cannot be used together: {reason}"));
        }
    }
    if let Some((value, at)) = section.take("max_file_size")
        && let Some(size) = positive_integer(value, &at, MOST_FILE_SIZE, problems)
    {
        config.max_file_size = Some(size);
    }
    if let Some((value, at)) = section.take("baseline") {
        match value.as_str().map(RelPath::parse) {
            Some(Ok(path)) => config.baseline = path,
            Some(Err(error)) => {
                problems.error(&at, format!("invalid path of the baseline: {error}"))
            }
            None => problems.wrong_type(&at, value, "a path relative to the root"),
        }
    }
    section.close(&["include", "exclude", "max_file_size", "baseline"], problems);
}

fn read_fix(value: &Value, at: &Pointer, config: &mut Config, problems: &mut ConfigProblems<'_>) {
    let Some(mut section) = ConfigTable::open(value, at, "a table, `[fix]`", problems) else {
        return;
    };
    if let Some((value, at)) = section.take("safety") {
        let names = Safety::ALL.map(Safety::name);
        match value.as_str().map(|it| (it, Safety::from_name(it))) {
            Some((_, Some(Safety::BehaviorChanging))) => problems.error(
                &at,
                "a configuration may only narrow what `fix` applies by itself; repairs that may change behavior are \
                 allowed one by one with `--allow ID`, or all at once with `--safety behavior_changing`, typed each time"
                    .to_owned(),
            ),
            Some((_, Some(safety))) => config.safety = safety,
            Some((name, None)) => problems.unknown_word(&at, name, &names),
            None => problems.wrong_type(&at, value, "a string"),
        }
    }
    if let Some((value, at)) = section.take("max_passes")
        && let Some(count) = positive_integer(value, &at, 1000, problems)
    {
        config.max_passes = usize::try_from(count).unwrap_or(DEFAULT_MAX_PASSES);
    }
    if let Some((value, at)) = section.take("budget") {
        match value.as_str().map(duration) {
            Some(Some(budget)) => config.budget = Some(budget),
            _ => problems.wrong_type(&at, value, "a time as in \"60s\", \"500ms\" or \"10m\""),
        }
    }
    if let Some((value, at)) = section.take("formatter") {
        match value {
            Value::Bool(has_formatter) => config.has_formatter = *has_formatter,
            _ => problems.wrong_type(&at, value, "true or false"),
        }
    }
    section.close(&["safety", "max_passes", "budget", "formatter"], problems);
}

/// A time as people write it: a number and a unit.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
    let is_plain = (1..=7).contains(&digits.len()) && !digits.starts_with('0');
    let number: u64 = digits.parse().ok().filter(|_| is_plain)?;
    match &text[digits.len()..] {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number * 60)),
        _ => None,
    }
}

fn read_clank(value: &Value, at: &Pointer, clank: &mut Clank, problems: &mut ConfigProblems<'_>) {
    let Some(mut section) = ConfigTable::open(value, at, "a table, `[clank]`", problems) else {
        return;
    };
    if let Some((value, at)) = section.take("roots") {
        for (path, at) in list_of_strings(value, &at, "a list of folders", problems) {
            match RelPath::parse(&path) {
                Ok(path) => clank.roots.push(path),
                Err(error) => problems
                    .error(&at, format!("the folder of programs is relative to the root: {error}")),
            }
        }
    }
    if let Some((value, at)) = section.take("strict") {
        match value {
            Value::Bool(strict) => clank.strict = *strict,
            _ => problems.wrong_type(&at, value, "true or false"),
        }
    }
    if let Some((value, at)) = section.take("runtime") {
        match value.as_str() {
            Some("embedded") => clank.runtime = v1::Runtime::Embedded,
            // A workspace that somebody else wrote must not get at the host by being run.
            Some("node") => problems.error(
                &at,
                "Node gives a program access to the whole host, so it must be requested each time: `regreen run --runtime node`"
                    .to_owned(),
            ),
            Some(name) => problems.unknown_word(&at, name, &["embedded"]),
            None => problems.wrong_type(&at, value, "a string"),
        }
    }
    if let Some((value, at)) = section.take("solver") {
        match value.as_str() {
            Some("own") => clank.solver = v1::Solver::Own,
            Some("z3") => clank.solver = v1::Solver::Z3,
            Some(name) => problems.unknown_word(&at, name, &["own", "z3"]),
            None => problems.wrong_type(&at, value, "a string"),
        }
    }
    section.close(&["roots", "strict", "runtime", "solver"], problems);
}

fn read_rules(value: &Value, at: &Pointer, config: &mut Config, problems: &mut ConfigProblems<'_>) {
    let Value::Object(members) = value else {
        problems.wrong_type(at, value, "a table, `[rules]`");
        return;
    };
    for (rule, value) in members {
        let at = at.join(rule);
        let names = ["off", "info", "warning", "error"];
        let level = match value.as_str() {
            Some("off") => Some(RuleLevel::Off),
            Some(name) => Severity::from_name(name).map(RuleLevel::At),
            None => None,
        };
        match (level, value.as_str()) {
            (Some(level), _) => {
                config.rules.insert(rule.clone(), level);
            }
            (None, Some(name)) => problems.unknown_word(&at, name, &names),
            (None, None) => problems.wrong_type(&at, value, "a severity or \"off\""),
        }
    }
}

fn read_packs(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Vec<PackRef> {
    let Value::Array(items) = value else {
        problems.wrong_type(at, value, "a list of tables, each `[[pack]]`");
        return Vec::new();
    };
    let mut packs: Vec<PackRef> = Vec::new();
    for (index, value) in items.iter().enumerate() {
        let at = at.join(index.to_string());
        let Some(pack) = read_pack(value, &at, problems) else { continue };
        match packs.iter().find(|it| it.place == pack.place) {
            Some(first) => problems
                .error(&at, format!("this pack is named twice, first at {}; remove one", first.at)),
            None => packs.push(pack),
        }
    }
    packs
}

fn read_pack(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Option<PackRef> {
    let mut section = ConfigTable::open(value, at, "a table", problems)?;
    let (path, builtin) = (section.take("path"), section.take("builtin"));
    let mut required = true;
    if let Some((value, at)) = section.take("required") {
        match value {
            Value::Bool(is_required) => required = *is_required,
            _ => problems.wrong_type(&at, value, "true or false"),
        }
    }
    let has_rest = section.has_rest();
    section.close(&["path", "builtin", "required"], problems);
    let place = match (path, builtin) {
        (Some((value, at)), None) => match value.as_str().map(|it| (RelPath::parse(it), it)) {
            Some((Ok(path), _)) => PackPlace::Folder(path),
            Some((Err(_), path)) if is_outside(path) => PackPlace::Outside(path.to_owned()),
            Some((Err(error), _)) => {
                problems
                    .error(&at, format!("the folder of a pack is relative to the root: {error}"));
                return None;
            }
            None => {
                problems.wrong_type(&at, value, "a folder relative to the root");
                return None;
            }
        },
        (None, Some((value, at))) => match value.as_str() {
            Some(name) => PackPlace::Builtin(name.to_owned()),
            None => {
                problems.wrong_type(&at, value, "the name of a pack");
                return None;
            }
        },
        // What was meant stands under a name that nobody knows, and that has been said.
        (None, None) if has_rest => return None,
        _ => {
            let message = "expected either `path`, a folder of the workspace, or `builtin`, a name";
            problems.error(at, message.to_owned());
            return None;
        }
    };
    Some(PackRef { place, at: at.clone(), required })
}

/// Whether a path leads out of the root, and not back into it.
fn is_outside(path: &str) -> bool {
    let is_plain = !path.contains(['\\', '\0']) && !path.contains("//");
    is_plain
        && (path.starts_with("../") || path == ".." || (path.starts_with('/') && path.len() > 1))
}

#[cfg(test)]
mod tests;
