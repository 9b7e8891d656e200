//! `[tools.NAME]` and `[govern]`: the programs that carry out proposals, where records are kept, and what an approval
//! must be.

use std::collections::BTreeMap;
use std::time::Duration;

use document::{Pointer, Value};
use snapshot::RelPath;

use crate::config::members::{ConfigProblems, ConfigTable, list_of_strings, positive_integer};

/// Where the keys of those who may approve are listed unless the configuration says otherwise.
const DEFAULT_SIGNERS: &str = "allowed_signers";
const MEGABYTE: u64 = 1 << 20;
const MOST_SECONDS: u64 = 24 * 60 * 60;
const MOST_MEGABYTES: u64 = 1 << 20;
const MOST_DAYS: u64 = 3650;
const MOST_APPROVALS: u64 = 100;

/// What a configuration says about proposals.
#[derive(Clone, Debug)]
pub(crate) struct Govern {
    /// Where the records are; `None` is a file in the state folder.
    pub(crate) registry: Option<RegistryPlace>,
    /// The file of those who may approve, in the format of OpenSSH.
    pub(crate) allowed_signers: RelPath,
    /// Whether an approval without a signature is refused.
    pub(crate) require_signature: bool,
    /// Whether a word that was only typed counts although keys may sign.
    pub(crate) allow_unsigned: bool,
    /// Whether only what was planned may be approved.
    pub(crate) require_plan: bool,
    /// For how many days an approval counts.
    pub(crate) approval_days: u32,
    /// The project that records must be of; `None` is any.
    pub(crate) project: Option<String>,
    /// What needs a second key, as globs.
    pub(crate) protected: Vec<String>,
    /// Who must approve what touches which paths.
    pub(crate) owners: Vec<OwnerConfig>,
    /// The programs that carry out proposals, by name.
    pub(crate) tools: BTreeMap<String, ToolConfig>,
    /// What the table says about approvals, as it is written: all of it but the registry. `None` if it says nothing.
    pub(crate) table: Option<Value>,
}

/// Who must approve what touches some paths: `[[govern.owners]]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OwnerConfig {
    /// The paths, as globs.
    pub(crate) paths: Vec<String>,
    /// Names or fingerprints; everybody who may approve, if empty.
    pub(crate) keys: Vec<String>,
    /// How many of them.
    pub(crate) approvals: usize,
}

/// Where records are kept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RegistryPlace {
    /// A file with this name in the state folder.
    Sqlite(RelPath),
    /// A server. The URL is never shown, because it may hold a password.
    Postgres(String),
}

impl RegistryPlace {
    /// Reads `sqlite:PATH` or `postgres://…`, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<RegistryPlace, String> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(RegistryPlace::Postgres(text.to_owned()));
        }
        let Some(path) = text.strip_prefix("sqlite:") else {
            return Err(
                "expected `sqlite:PATH`, with a path in the state folder, or `postgres://USER@HOST/DATABASE`"
                    .to_owned(),
            );
        };
        RelPath::parse(path).map(RegistryPlace::Sqlite).map_err(|error| {
            format!(
                "the path of `sqlite:PATH` is relative to the state folder and stays in it, for example \
                 `sqlite:team.db`: {error}"
            )
        })
    }
}

/// A program that carries out proposals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ToolConfig {
    /// The program and its arguments, never empty.
    pub(crate) command: Vec<String>,
    /// Whether it may use the network.
    pub(crate) network: bool,
    /// Variables of the environment that it gets to see.
    pub(crate) environment: Vec<String>,
    /// Files and folders outside the workspace that it may read.
    pub(crate) readable: Vec<String>,
    /// How long it may run.
    pub(crate) timeout: Duration,
    /// How much memory each of its processes may use, in bytes.
    pub(crate) memory: u64,
    /// How much it may write to disk, in bytes.
    pub(crate) disk: u64,
}

impl Default for Govern {
    fn default() -> Govern {
        Govern {
            registry: None,
            allowed_signers: RelPath::parse(DEFAULT_SIGNERS).expect("the default is a path"),
            require_signature: false,
            allow_unsigned: false,
            require_plan: false,
            approval_days: govern::approval::DEFAULT_APPROVAL_DAYS,
            project: None,
            protected: govern::approval::DEFAULT_PROTECTED.map(str::to_owned).to_vec(),
            owners: Vec::new(),
            tools: BTreeMap::new(),
            table: None,
        }
    }
}

/// Reads `[govern]`. Returns whether nobody who runs `fix` may let it apply more than it does by itself.
pub(super) fn read_govern(
    value: &Value,
    at: &Pointer,
    govern: &mut Govern,
    problems: &mut ConfigProblems<'_>,
) -> bool {
    let Some(mut section) = ConfigTable::open(value, at, "a table, `[govern]`", problems) else {
        return false;
    };
    if let Some((value, at)) = section.take("registry") {
        match value.as_str().map(RegistryPlace::parse) {
            Some(Ok(place)) => govern.registry = Some(place),
            Some(Err(message)) => problems.error(&at, message),
            None => problems.wrong_type(&at, value, "a string"),
        }
    }
    if let Some((value, at)) = section.take("allowed_signers") {
        match value.as_str().map(RelPath::parse) {
            Some(Ok(path)) => govern.allowed_signers = path,
            Some(Err(error)) => {
                problems.error(&at, format!("invalid path of the signers file: {error}"))
            }
            None => problems.wrong_type(&at, value, "a path relative to the root"),
        }
    }
    let require_signature = flag(&mut section, "require_signature", problems);
    govern.require_signature = require_signature.unwrap_or(govern.require_signature);
    govern.allow_unsigned = flag(&mut section, "allow_unsigned", problems).unwrap_or(false);
    govern.require_plan = flag(&mut section, "require_plan", problems).unwrap_or(false);
    if let Some((value, at)) = section.take("approval_days") {
        let days = positive_integer(value, &at, MOST_DAYS, problems);
        let days = days.and_then(|it| u32::try_from(it).ok());
        govern.approval_days = days.unwrap_or(govern.approval_days);
    }
    if let Some((value, at)) = section.take("project") {
        match value.as_str() {
            Some(project) => govern.project = Some(project.to_owned()),
            None => problems.wrong_type(&at, value, "a string"),
        }
    }
    if let Some((value, at)) = section.take("protected") {
        let globs = list_of_strings(value, &at, "a list of globs", problems);
        let mut checked = crate::config::globs::Globs::default();
        for (glob, at) in &globs {
            if let Err(reason) = checked.add(glob) {
                problems.error(at, format!("invalid glob: {reason}"));
            }
        }
        govern.protected = globs.into_iter().map(|(glob, _)| glob).collect();
    }
    if let Some((value, at)) = section.take("owners") {
        govern.owners = read_owners(value, &at, problems);
    }
    let require_approval = flag(&mut section, "require_approval", problems);
    let known = [
        "registry",
        "allowed_signers",
        "require_signature",
        "require_approval",
        "require_plan",
        "allow_unsigned",
        "approval_days",
        "project",
        "protected",
        "owners",
    ];
    section.close(&known, problems);
    if let Value::Object(members) = value {
        let said: Vec<(String, Value)> =
            members.iter().filter(|(name, _)| name != "registry").cloned().collect();
        govern.table = (!said.is_empty()).then_some(Value::Object(said));
    }
    require_approval.unwrap_or(false)
}

/// Reads `[[govern.owners]]`.
fn read_owners(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Vec<OwnerConfig> {
    let Value::Array(items) = value else {
        problems.wrong_type(at, value, "tables, each `[[govern.owners]]`");
        return Vec::new();
    };
    let mut owners = Vec::new();
    for (idx, value) in items.iter().enumerate() {
        let at = at.join(idx.to_string());
        let what = "a table, `[[govern.owners]]`";
        let Some(mut section) = ConfigTable::open(value, &at, what, problems) else { continue };
        let mut strings = |name: &str, wanted: &str| match section.take(name) {
            Some((value, at)) => list_of_strings(value, &at, wanted, problems),
            None => Vec::new(),
        };
        let paths = strings("paths", "a list of globs");
        let keys = strings("keys", "a list of names or fingerprints of keys");
        let approvals = match section.take("approvals") {
            Some((value, at)) => positive_integer(value, &at, MOST_APPROVALS, problems),
            None => Some(1),
        };
        section.close(&["paths", "keys", "approvals"], problems);
        let paths: Vec<String> = paths.into_iter().map(|(glob, _)| glob).collect();
        let keys: Vec<String> = keys.into_iter().map(|(key, _)| key).collect();
        let Some(approvals) = approvals.and_then(|it| usize::try_from(it).ok()) else { continue };
        if paths.is_empty() {
            problems.error(&at, "expected at least one glob in `paths`".to_owned());
            continue;
        }
        if !keys.is_empty() && keys.len() < approvals {
            let message =
                format!("{approvals} approvals are required, but `keys` has only {}", keys.len());
            problems.error(&at, message);
        }
        owners.push(OwnerConfig { paths, keys, approvals });
    }
    owners
}

fn flag(
    section: &mut ConfigTable<'_>,
    name: &str,
    problems: &mut ConfigProblems<'_>,
) -> Option<bool> {
    let (value, at) = section.take(name)?;
    match value {
        Value::Bool(flag) => Some(*flag),
        _ => {
            problems.wrong_type(&at, value, "true or false");
            None
        }
    }
}

/// Reads `[tools]`.
pub(super) fn read_tools(
    value: &Value,
    at: &Pointer,
    govern: &mut Govern,
    problems: &mut ConfigProblems<'_>,
) {
    let Value::Object(tools) = value else {
        problems.wrong_type(at, value, "tables, each `[tools.NAME]`");
        return;
    };
    for (name, value) in tools {
        let at = at.join(name);
        if name == "regreen" {
            let message =
                "`regreen` is the tool that is built in; it applies what is attached to a proposal";
            problems.error(&at, message.to_owned());
        } else if let Some(tool) = read_tool(value, &at, problems) {
            govern.tools.insert(name.clone(), tool);
        }
    }
}

fn read_tool(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Option<ToolConfig> {
    let mut section = ConfigTable::open(value, at, "a table, `[tools.NAME]`", problems)?;
    let command: Vec<String> = match section.take("command") {
        Some((value, at)) => {
            let items =
                list_of_strings(value, &at, "a list: the program and its arguments", problems);
            items.into_iter().map(|(item, _)| item).collect()
        }
        None => Vec::new(),
    };
    if command.first().is_none_or(|it| it.is_empty()) {
        problems.error(at, "missing `command`: a list of the program and its arguments".to_owned());
    }
    let network = flag(&mut section, "network", problems).unwrap_or(false);
    let mut strings =
        |name: &str, wanted: &str, section: &mut ConfigTable<'_>| match section.take(name) {
            Some((value, at)) => {
                let items = list_of_strings(value, &at, wanted, problems);
                items.into_iter().map(|(item, _)| item).collect()
            }
            None => Vec::new(),
        };
    let environment = strings("environment", "a list of names of variables", &mut section);
    let readable: Vec<String> = strings("readable", "a list of absolute paths", &mut section);
    if let Some(path) = readable.iter().find(|it| !it.starts_with('/')) {
        let message = format!(
            "expected an absolute path of what the tool may read outside the workspace, found {path:?}"
        );
        problems.error(&at.join("readable"), message);
    }
    let mut number = |name: &str, most: u64, default: u64, section: &mut ConfigTable<'_>| {
        let given = section.take(name);
        given
            .and_then(|(value, at)| positive_integer(value, &at, most, problems))
            .unwrap_or(default)
    };
    let seconds = number("timeout", MOST_SECONDS, 600, &mut section);
    let memory = number("memory", MOST_MEGABYTES, 4096, &mut section);
    let disk = number("disk", MOST_MEGABYTES, 1024, &mut section);
    let known = ["command", "network", "environment", "readable", "timeout", "memory", "disk"];
    section.close(&known, problems);
    Some(ToolConfig {
        command,
        network,
        environment,
        readable,
        timeout: Duration::from_secs(seconds),
        memory: memory.saturating_mul(MEGABYTE),
        disk: disk.saturating_mul(MEGABYTE),
    })
}
