//! Steps of jobs and of composite actions.

use std::collections::HashMap;

use check::Severity;

use super::labels::System;
use super::node::Node;
use super::problem::WorkflowProblems;
use super::{actions, commands, jobs, keys};
use crate::schema::cut;

const ID: &str = "SEM_STEP_ID_UNIQUE";
const SYNTAX: &str = "SEM_ID_SYNTAX";
const METADATA: &str = "SEM_ACTION_METADATA";

/// Where the steps run.
pub(super) struct Host<'a> {
    pub(super) system: Option<System>,
    /// The default shell that somebody has chosen.
    pub(super) shell: Option<&'a str>,
}

pub(super) fn check_all(steps: &Node<'_>, host: &Host<'_>, problems: &mut WorkflowProblems) {
    let mut ids: HashMap<String, &str> = HashMap::new();
    for step in steps.items() {
        keys::check_step(&step, problems);
        check_id(&step, &mut ids, problems);
        if let Some(it) = step.get("env") {
            jobs::check_env_names(&it, problems);
        }
        jobs::check_positive(step.get("timeout-minutes"), problems);
        if let Some(it) = step.get("shell") {
            jobs::check_shell(&it, host.system, problems);
        }
        if let Some(run) = step.get("run") {
            let own = step.get("shell").and_then(|it| it.text());
            commands::check(&run, own.or(host.shell), host.system, problems);
        }
        if let Some(uses) = step.get("uses") {
            actions::check(&uses, &step, problems);
        }
    }
}

fn check_id<'a>(
    step: &Node<'a>,
    ids: &mut HashMap<String, &'a str>,
    problems: &mut WorkflowProblems,
) {
    let Some(id) = step.get("id") else { return };
    let Some(text) = id.text().filter(|_| !id.is_dynamic()) else { return };
    if !is_id(text) {
        let message = format!(
            "`{}` cannot be an id: it starts with a letter or `_` and has letters, digits, `-` and `_`",
            cut(text),
        );
        problems.value(SYNTAX, Severity::Error, &id, message);
    }
    match ids.get(&text.to_ascii_lowercase()) {
        Some(first) => {
            let message = match *first == text {
                true => format!("two steps of the job have the id `{}`", cut(text)),
                false => format!(
                    "id `{}` is the same as `{}`; GitHub ignores the case of ids",
                    cut(text),
                    cut(first),
                ),
            };
            problems.value(ID, Severity::Error, &id, message);
        }
        None => {
            ids.insert(text.to_ascii_lowercase(), text);
        }
    }
}

fn is_id(text: &str) -> bool {
    let is_first = |it: char| it.is_ascii_alphabetic() || it == '_';
    text.starts_with(is_first)
        && text.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'))
}

/// What an action says about itself, and its steps if it is made of steps.
pub(super) fn check_action(root: &Node<'_>, problems: &mut WorkflowProblems) {
    for key in ["inputs", "outputs"] {
        if let Some(it) = root.get(key) {
            keys::check_repeated(&it, "name", problems);
        }
    }
    for key in ["name", "description"] {
        if !root.has(key) {
            let message = format!("missing key `{key}`; every action has one");
            problems.key(METADATA, Severity::Warning, root, message);
        }
    }
    let Some(runs) = root.get("runs") else { return };
    let Some(using) = runs.get("using") else { return };
    let Some(kind) = using.text() else { return };
    let needed = match kind {
        "composite" => "steps",
        "docker" => "image",
        _ if kind.starts_with("node") => "main",
        _ => {
            let known = ["composite", "docker", "node20", "node24"];
            problems.unknown_value(METADATA, &using, "way to run an action", known);
            return;
        }
    };
    if ["node12", "node16"].contains(&kind) {
        let message = format!("runners no longer have `{kind}`; use `node24`");
        problems.value(METADATA, Severity::Warning, &using, message);
    }
    if !runs.has(needed) {
        let message = format!("missing key `{needed}`; an action with `using: {kind}` needs it");
        problems.key(METADATA, Severity::Error, &runs, message);
    }
    let Some(steps) = runs.get("steps").filter(|_| kind == "composite") else { return };
    check_all(&steps, &Host { system: None, shell: None }, problems);
    for step in steps.items().iter().filter(|it| it.has("run") && !it.has("shell")) {
        let message = "missing key `shell`; a composite action needs it for every `run`";
        problems.value(keys::KEY, Severity::Error, step, message);
    }
}
