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

/// The steps of a list, with those that a step runs at the same time.
pub(super) fn flat<'a>(steps: &Node<'a>) -> Vec<Node<'a>> {
    let all = steps.items().into_iter().flat_map(|step| match step.get("parallel") {
        Some(inner) => inner.items(),
        None => vec![step],
    });
    all.collect()
}

/// Where the steps run.
pub(super) struct Host<'a> {
    pub(super) system: Option<System>,
    /// The default shell that somebody has chosen.
    pub(super) shell: Option<&'a str>,
}

pub(super) fn check_all(steps: &Node<'_>, host: &Host<'_>, problems: &mut WorkflowProblems) {
    let mut ids: HashMap<String, &str> = HashMap::new();
    for step in flat(steps) {
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
