//! The program that carries out a record: how it is configured, and what it is told.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::record::Record;

/// The name of the tool that is built in: it applies what is attached to the record.
pub const BUILTIN: &str = "regreen";

/// A program that carries out records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    /// The program and its arguments, never empty. `{id}`, `{goal}` and `{message}` are replaced wherever they stand,
    /// an argument `{paths}` by the paths of the scope.
    pub command: Vec<String>,
    /// Whether it may use the network.
    pub network: bool,
    /// What it sees of the environment.
    pub environment: BTreeMap<OsString, OsString>,
    /// What it may read beside the workspace and the system.
    pub readable: Vec<std::path::PathBuf>,
    /// How long it may run.
    pub timeout: Duration,
    /// How much memory each of its processes may use, in bytes.
    pub memory: u64,
    /// How much it may write, in bytes.
    pub disk: u64,
}

impl Tool {
    /// The program and its arguments for a record.
    pub(super) fn arguments(&self, record: &Record) -> Vec<String> {
        let message = message(record);
        self.command
            .iter()
            .flat_map(|argument| match argument.as_str() {
                "{paths}" => record.allowed_paths.iter().map(ToString::to_string).collect(),
                _ => vec![fill(argument, record, &message)],
            })
            .collect()
    }
}

/// Replaces what stands in braces, once: what a record says is never read as a place to fill.
fn fill(argument: &str, record: &Record, message: &str) -> String {
    let mut filled = String::new();
    let mut rest = argument;
    while let Some(start) = rest.find('{') {
        filled.push_str(&rest[..start]);
        rest = &rest[start..];
        let names = [
            ("{id}", record.id.as_str()),
            ("{goal}", record.goal.as_str()),
            ("{message}", message),
        ];
        match names.into_iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, value)) => {
                filled.push_str(value);
                rest = &rest[name.len()..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled + rest
}

/// The record in words, for tools that want a prompt.
fn message(record: &Record) -> String {
    let steps = record.instructions.iter().map(|it| format!("- {it}\n"));
    let paths: Vec<String> = record.allowed_paths.iter().map(ToString::to_string).collect();
    format!("{}\n\n{}\nChange only: {}\n", record.goal, steps.collect::<String>(), paths.join(", "))
}

/// The whole environment of the program.
pub(super) fn environment(
    tool: &Tool,
    record: &Record,
    home: &Path,
    temporary: &Path,
) -> BTreeMap<OsString, OsString> {
    let mut environment = BTreeMap::from([
        ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("TZ".into(), "UTC".into()),
        // The system's configuration of git is out of reach, and git gives up on it.
        ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
    ]);
    environment.extend(tool.environment.clone());
    // These are not for the configuration to say.
    environment.extend::<[(OsString, OsString); 4]>([
        ("HOME".into(), home.into()),
        ("TMPDIR".into(), temporary.into()),
        ("REGREEN_DDS".into(), record.id.as_str().into()),
        // A regreen that the tool starts writes no sources of its own accord.
        ("REGREEN_ACTION".into(), "1".into()),
    ]);
    environment
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shape;

    #[test]
    fn places_are_filled_once_and_paths_are_arguments_of_their_own() {
        let record = shape::read(&json!({
            "id": "DDS-20260202-CODE-001", "version": 2, "type": "code_change", "project": "p",
            "goal": "write {id} down", "instructions": ["one", "two"], "allowed_paths": ["src/", "a b.py"],
            "tool": "t", "constraints": {}, "status": "approved"
        }));
        let tool = Tool {
            command: ["t", "--goal={goal}", "{id}/{x}{", "{message}", "--", "{paths}"]
                .map(str::to_owned)
                .to_vec(),
            network: false,
            environment: BTreeMap::new(),
            readable: Vec::new(),
            timeout: Duration::from_secs(1),
            memory: 0,
            disk: 0,
        };
        assert_eq!(
            tool.arguments(&record.record.unwrap()),
            [
                "t",
                "--goal=write {id} down",
                "DDS-20260202-CODE-001/{x}{",
                "write {id} down\n\n- one\n- two\n\nChange only: src/, a b.py\n",
                "--",
                "src/",
                "a b.py"
            ]
        );
    }
}
