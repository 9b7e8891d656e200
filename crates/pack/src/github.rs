//! What is wrong in GitHub's workflows and actions beyond their shape: the rules of kind `workflow` and `workflow_call`.
//!
//! A file is looked at once for all rules. Everything is decided by the file itself and by tables of what GitHub
//! documents; where a table does not know a name, that is an error only if the name is a slip away from one it knows.
//! What GitHub refuses is an error, what it takes but cannot be meant a warning.

mod actions;
mod calls;
mod commands;
mod conditions;
mod cron;
mod events;
mod expr;
mod expressions;
mod globs;
mod inputs;
mod jobs;
mod keys;
mod labels;
mod matrix;
mod metadata;
mod node;
mod permissions;
mod problem;
mod scopes;
mod sites;
mod steps;
mod tables;

use document::Value;

pub(crate) use calls::Calls;

use crate::finding::RuleFinding;
use crate::rules::FileView;
use crate::selector::Selector;
use node::Node;
use problem::WorkflowProblems;

/// The most problems of one file that are named.
const MAX_PROBLEMS: usize = 500;

/// A rule about one workflow, whose id says what it looks for.
#[derive(Debug)]
pub(crate) struct Workflow {
    pub(crate) at: Vec<Selector>,
}

/// Something that is wrong in a file, by a rule.
pub(crate) type ByRule = (&'static str, RuleFinding);

/// Everything that is wrong in a workflow or an action.
pub(crate) fn look(view: &FileView<'_>) -> Vec<ByRule> {
    let mut problems = WorkflowProblems::default();
    let root = Node::root(view.value);
    if root.get("runs").is_some() && root.get("jobs").is_none() {
        metadata::check(&root, &mut problems);
    } else if matches!(view.value, Value::Object(_)) {
        check_workflow(&root, &mut problems);
    }
    problems.into_found(view)
}

fn check_workflow(root: &Node<'_>, problems: &mut WorkflowProblems) {
    keys::check_top(root, problems);
    if let Some(on) = root.get("on") {
        events::check(&on, problems);
    }
    if let Some(it) = root.get("permissions") {
        permissions::check(&it, problems);
    }
    if let Some(it) = root.get("env") {
        jobs::check_env_names(&it, problems);
    }
    if let Some(it) = root.get("defaults") {
        jobs::check_defaults(&it, None, problems);
    }
    if let Some(it) = root.get("concurrency") {
        jobs::check_concurrency(&it, problems);
    }
    if let Some(jobs) = root.get("jobs") {
        jobs::check_all(&jobs, root, problems);
    }
    expressions::check(root, problems);
}
