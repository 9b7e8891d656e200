//! What an action says about itself: its inputs and outputs, how it is run, and how the marketplace shows it.

use check::Severity;
use document::Value;

use super::node::Node;
use super::problem::WorkflowProblems;
use super::steps::{self, Host};
use super::tables::TABLES;
use super::{expressions, keys};
use crate::schema::cut;
use crate::typo;

const METADATA: &str = "SEM_ACTION_METADATA";

const TOP: [&str; 7] = ["name", "author", "description", "inputs", "outputs", "runs", "branding"];

/// The ways to run an action, each with its keys; the first is needed.
const COMPOSITE: [&str; 2] = ["steps", "using"];
const DOCKER: [&str; 9] = [
    "image",
    "using",
    "entrypoint",
    "args",
    "env",
    "pre-entrypoint",
    "pre-if",
    "post-entrypoint",
    "post-if",
];
const NODE: [&str; 6] = ["main", "using", "pre", "pre-if", "post", "post-if"];

/// The keys of steps that those of actions do not have.
const JOB_ONLY: [&str; 1] = ["timeout-minutes"];

/// What an action says about itself, and its steps if it is made of steps.
pub(super) fn check(root: &Node<'_>, problems: &mut WorkflowProblems) {
    near_keys(root, &TOP, "key of an action", problems);
    for key in ["name", "description"] {
        let is_meant = root.keys().any(|it| typo::nearest(it, [key]).is_some());
        if !root.has(key) && !is_meant {
            let message = format!("missing key `{key}`; every action has one");
            problems.key(METADATA, Severity::Warning, root, message);
        }
    }
    if let Some(branding) = root.get("branding") {
        check_branding(&branding, problems);
    }
    let Some(runs) = root.get("runs") else { return };
    let Some(using) = runs.get("using") else { return };
    let Some(kind) = using.text() else { return };
    let is_composite = kind == "composite";
    check_lists(root, is_composite, problems);
    let known: &[&str] = match kind {
        "composite" => &COMPOSITE,
        "docker" => &DOCKER,
        _ if kind.starts_with("node") && kind[4..].bytes().all(|it| it.is_ascii_digit()) => &NODE,
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
    check_runs(&runs, kind, known, problems);
    expressions::check_action(root, problems);
    let Some(steps) = runs.get("steps").filter(|_| is_composite) else { return };
    steps::check_all(&steps, &Host { system: None, shell: None }, problems);
    for step in steps.items() {
        if step.has("run") && !step.has("shell") {
            let message = "missing key `shell`; a composite action needs it for every `run`";
            problems.value(keys::KEY, Severity::Error, &step, message);
        }
        for key in JOB_ONLY {
            if let Some(node) = step.get(key) {
                let message = format!("`{key}` is not available in a step of an action");
                problems.key(keys::KEY, Severity::Error, &node, message);
            }
        }
    }
}

/// Keys that nobody reads are passed over, so that only one that was meant to be another is worth a word.
fn near_keys(object: &Node<'_>, known: &[&str], what: &str, problems: &mut WorkflowProblems) {
    for key in object.keys().filter(|it| !known.contains(it)) {
        let free = known.iter().copied().filter(|it| !object.has(it));
        let Some((near, nearness)) = typo::nearest(key, free) else { continue };
        let message = format!("unknown {what}: `{}`; consider `{near}`", cut(key));
        let node = Node { value: object.value, at: object.at.join(key) };
        let problem = problems.key(METADATA, Severity::Warning, &node, message);
        problem.rename(object, key, near, nearness);
    }
}

fn check_lists(root: &Node<'_>, is_composite: bool, problems: &mut WorkflowProblems) {
    for key in ["inputs", "outputs"] {
        let Some(list) = root.get(key) else { continue };
        if !list.is_object() && *list.value != Value::Null {
            let message = format!("expected an object of {key}, each under its name");
            problems.value(METADATA, Severity::Error, &list, message);
            continue;
        }
        keys::check_repeated(&list, "name", problems);
        let (known, what): (&[&str], _) = match key {
            "inputs" => {
                (&["description", "required", "default", "deprecationMessage"], "key of an input")
            }
            _ => (&["description", "value"], "key of an output"),
        };
        for (name, item) in list.members() {
            near_keys(&item, known, what, problems);
            let is_meant = item.keys().any(|it| typo::nearest(it, ["value"]).is_some());
            if key == "outputs"
                && is_composite
                && item.is_object()
                && !item.has("value")
                && !is_meant
            {
                let message = format!(
                    "output `{}` of a composite action needs a `value`; it is always empty",
                    cut(name)
                );
                problems.key(METADATA, Severity::Warning, &item, message);
            }
        }
    }
}

fn check_runs(runs: &Node<'_>, kind: &str, known: &[&str], problems: &mut WorkflowProblems) {
    for key in runs.keys().filter(|it| !known.contains(it)) {
        let is_of_other = [&COMPOSITE[..], &DOCKER, &NODE].concat().contains(&key);
        if is_of_other {
            let node = Node { value: runs.value, at: runs.at.join(key) };
            let message = format!("`{key}` is not available with `using: {kind}`");
            problems.key(METADATA, Severity::Error, &node, message);
        } else {
            problems.unknown_key(METADATA, runs, key, "key of `runs`", known.iter().copied());
        }
    }
    let needed = known[0];
    let is_meant = runs.keys().any(|it| typo::nearest(it, [needed]).is_some());
    if !runs.has(needed) && !is_meant {
        let message = format!("missing key `{needed}`; an action with `using: {kind}` needs it");
        problems.key(METADATA, Severity::Error, runs, message);
    }
    for (condition, script) in
        [("pre-if", ["pre", "pre-entrypoint"]), ("post-if", ["post", "post-entrypoint"])]
    {
        if let Some(node) = runs.get(condition)
            && !script.iter().any(|it| runs.has(it))
        {
            let message = format!("`{condition}` decides nothing; there is no `{}`", script[0]);
            problems.key(METADATA, Severity::Warning, &node, message);
        }
    }
}

fn check_branding(branding: &Node<'_>, problems: &mut WorkflowProblems) {
    near_keys(branding, &["icon", "color"], "key of `branding`", problems);
    for key in ["icon", "color"] {
        let Some(node) = branding.get(key) else { continue };
        let (Some(text), Some(known)) = (node.text(), TABLES.branding.get(key)) else { continue };
        if known.contains(&text) {
            continue;
        }
        let near = typo::nearest(text, known.iter().copied());
        let hint = near.map(|it| format!("; consider `{}`", it.0)).unwrap_or_default();
        let message = format!("the marketplace has no {key} `{}`{hint}", cut(text));
        let problem = problems.value(METADATA, Severity::Warning, &node, message);
        if let Some((near, nearness)) = near {
            problem.replace(text, near, nearness);
        }
    }
}
