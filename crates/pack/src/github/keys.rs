//! Which keys there are where, and which may not stand together.

use check::Severity;

use super::node::Node;
use super::problem::WorkflowProblems;
use crate::typo;

pub(super) const KEY: &str = "SEM_WORKFLOW_KEY";

const TOP: [&str; 9] = [
    "name",
    "description",
    "run-name",
    "on",
    "permissions",
    "env",
    "defaults",
    "concurrency",
    "jobs",
];

pub(super) const JOB: [&str; 20] = [
    "name",
    "needs",
    "if",
    "permissions",
    "runs-on",
    "snapshot",
    "environment",
    "concurrency",
    "outputs",
    "env",
    "defaults",
    "steps",
    "timeout-minutes",
    "cancel-timeout-minutes",
    "strategy",
    "continue-on-error",
    "container",
    "services",
    "uses",
    "with",
];

/// The keys of a job that calls a workflow.
const CALL: [&str; 9] =
    ["name", "uses", "with", "secrets", "needs", "if", "permissions", "strategy", "concurrency"];

const STEP: [&str; 16] = [
    "id",
    "if",
    "name",
    "uses",
    "run",
    "with",
    "env",
    "continue-on-error",
    "timeout-minutes",
    "shell",
    "working-directory",
    "background",
    "wait",
    "wait-all",
    "cancel",
    "parallel",
];

/// The keys of steps that wait for steps in the background, end them, or run several at once.
const CONTROL: [&str; 4] = ["wait", "wait-all", "cancel", "parallel"];

/// The keys of an object are known ones.
pub(super) fn check(
    object: &Node<'_>,
    known: &[&str],
    what: &str,
    problems: &mut WorkflowProblems,
) {
    for key in object.keys().filter(|it| !known.contains(it)) {
        // Of merges it is said elsewhere what is allowed.
        if key != "<<" {
            problems.unknown_key(KEY, object, key, what, known.iter().copied());
        }
    }
}

/// Whether the key is there, or one that was meant to be it.
fn is_meant(object: &Node<'_>, key: &str, known: &[&str]) -> bool {
    let others = || object.keys().filter(|it| !known.contains(it));
    object.has(key)
        || others().any(|it| typo::nearest(it, known.iter().copied()).is_some_and(|it| it.0 == key))
}

fn require(
    object: &Node<'_>,
    key: &str,
    known: &[&str],
    why: &str,
    problems: &mut WorkflowProblems,
) {
    if !is_meant(object, key, known) && !object.has("<<") {
        problems.key(KEY, Severity::Error, object, format!("missing key `{key}`; {why}"));
    }
}

pub(super) fn check_top(root: &Node<'_>, problems: &mut WorkflowProblems) {
    check(root, &TOP, "key of a workflow", problems);
    require(root, "on", &TOP, "GitHub does not know when to run the workflow", problems);
    require(root, "jobs", &TOP, "the workflow has nothing to do", problems);
}

pub(super) fn check_job(job: &Node<'_>, problems: &mut WorkflowProblems) {
    let mut known = JOB.to_vec();
    known.push("secrets");
    check(job, &known, "key of a job", problems);
    if job.has("uses") {
        for (key, node) in job.members() {
            if JOB.contains(&key) && !CALL.contains(&key) {
                let message = format!(
                    "`{key}` is not available in a job that calls a workflow with `uses`; \
                     it belongs in the called workflow"
                );
                problems.key(KEY, Severity::Error, &node, message);
            }
        }
        return;
    }
    for key in ["with", "secrets"] {
        if let Some(node) = job.get(key) {
            let message =
                format!("`{key}` is available only in a job that calls a workflow with `uses`");
            problems.key(KEY, Severity::Error, &node, message);
        }
    }
    if is_meant(job, "uses", &known) {
        return;
    }
    require(job, "runs-on", &known, "the job has no runner", problems);
    require(job, "steps", &known, "the job has nothing to do", problems);
    if let Some(steps) = job.get("steps").filter(|it| is_empty(it)) {
        problems.key(KEY, Severity::Error, &steps, "`steps` is empty; the job has nothing to do");
    }
}

/// Something that does nothing.
pub(super) fn warn_empty(node: &Node<'_>, key: &str, problems: &mut WorkflowProblems) {
    if is_empty(node) {
        problems.key(KEY, Severity::Info, node, format!("`{key}` is empty; remove it"));
    }
}

/// Whether there is nothing where a list or an object is expected.
pub(super) fn is_empty(node: &Node<'_>) -> bool {
    match node.value {
        document::Value::Null => true,
        document::Value::Array(items) => items.is_empty(),
        document::Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

pub(super) fn check_step(step: &Node<'_>, problems: &mut WorkflowProblems) {
    if !step.is_object() {
        return;
    }
    check(step, &STEP, "key of a step", problems);
    if CONTROL.iter().any(|it| step.has(it)) {
        return;
    }
    let (uses, run) = (step.get("uses"), step.get("run"));
    match (&uses, &run) {
        (Some(_), Some(run)) => {
            let message = "a step has either `run` or `uses`, found both";
            problems.key(KEY, Severity::Error, run, message);
        }
        (None, None) => {
            if !["uses", "run"].iter().any(|it| is_meant(step, it, &STEP)) && !step.has("<<") {
                let message = "a step has either `run` or `uses`, found neither";
                problems.value(KEY, Severity::Error, step, message);
            }
        }
        (Some(_), None) => {
            for key in ["shell", "working-directory"] {
                if let Some(node) = step.get(key) {
                    let message = format!("`{key}` is not available in a step with `uses`");
                    problems.key(KEY, Severity::Error, &node, message);
                }
            }
        }
        (None, Some(run)) => {
            if run.text().is_some_and(|it| it.trim().is_empty()) {
                let message = "`run` is empty; the step does nothing";
                problems.value(KEY, Severity::Warning, run, message);
            }
            if let Some(with) = step.get("with") {
                let message =
                    "`with` is not available in a step with `run`; pass values through `env`";
                problems.key(KEY, Severity::Error, &with, message);
            }
        }
    }
}

/// Keys that differ only in case are one name to GitHub.
pub(super) fn check_repeated(object: &Node<'_>, what: &str, problems: &mut WorkflowProblems) {
    let mut seen: std::collections::HashMap<String, &str> = std::collections::HashMap::new();
    for (key, node) in object.members() {
        match seen.get(&key.to_ascii_lowercase()) {
            // The same key twice is a matter of syntax.
            Some(first) if *first != key => {
                let message = format!(
                    "{what} `{key}` is the same as `{first}`; GitHub ignores the case of names"
                );
                problems.key("SEM_NAME_REPEATED", Severity::Error, &node, message);
            }
            Some(_) => {}
            None => {
                seen.insert(key.to_ascii_lowercase(), key);
            }
        }
    }
}

/// The names of variables, which GitHub compares without case too.
pub(super) fn check_repeated_env(env: &Node<'_>, problems: &mut WorkflowProblems) {
    let mut seen: std::collections::HashMap<String, &str> = std::collections::HashMap::new();
    for (name, node) in env.members() {
        let first = *seen.entry(name.to_ascii_lowercase()).or_insert(name);
        if first != name {
            let message = format!(
                "variable `{name}` differs from `{first}` only in case; GitHub treats them as one"
            );
            problems.key("SEM_NAME_REPEATED", Severity::Warning, &node, message);
        }
    }
}
