//! The inputs, outputs and secrets that a workflow declares.

use std::collections::BTreeSet;

use check::Severity;
use document::Value;

use super::keys;
use super::node::Node;
use super::problem::WorkflowProblems;
use crate::schema::cut;
use crate::typo;

const RULE: &str = "SEM_WORKFLOW_INPUT";

/// More inputs than this are refused.
const MAX_INPUTS: usize = 25;

const DISPATCH_TYPES: [&str; 5] = ["boolean", "choice", "environment", "number", "string"];
const CALL_TYPES: [&str; 3] = ["boolean", "number", "string"];

pub(super) fn check_dispatch(event: &Node<'_>, problems: &mut WorkflowProblems) {
    keys::check(event, &["inputs"], "key of `workflow_dispatch`", problems);
    let Some(inputs) = event.get("inputs") else { return };
    keys::check_repeated(&inputs, "input", problems);
    let all = inputs.members();
    if all.len() > MAX_INPUTS {
        let message = format!("found {} inputs; GitHub takes {MAX_INPUTS} at most", all.len());
        problems.key(RULE, Severity::Error, &inputs, message);
    }
    for (name, input) in all {
        let known = ["description", "deprecationMessage", "required", "default", "type", "options"];
        keys::check(&input, &known, "key of an input", problems);
        check_type(&input, &DISPATCH_TYPES, problems);
        let kind = input.get("type").and_then(|it| it.text()).unwrap_or("string");
        match (input.get("options"), kind) {
            (None, "choice") => {
                let message = format!("input `{name}` is a choice and needs `options`");
                problems.key(RULE, Severity::Error, &input, message);
            }
            (Some(options), "choice") => check_options(&input, &options, problems),
            (Some(options), _) if CALL_TYPES.contains(&kind) || kind == "environment" => {
                let message = format!("`options` is for inputs of type `choice`, found `{kind}`");
                problems.key(RULE, Severity::Error, &options, message);
            }
            _ => {}
        }
        check_default(&input, kind, problems);
    }
}

fn check_type(input: &Node<'_>, types: &[&str], problems: &mut WorkflowProblems) {
    let Some(kind) = input.get("type") else { return };
    let Some(text) = kind.scalar().filter(|it| !types.contains(&it.as_str())) else { return };
    let near = typo::nearest(&text, types.iter().copied());
    let message = format!("expected `{}` as type, found `{}`", types.join("`, `"), cut(&text));
    let problem = problems.value(RULE, Severity::Error, &kind, message);
    if let (Some((name, nearness)), Some(text)) = (near, kind.text()) {
        problem.replace(text, name, nearness);
    }
}

fn check_options(input: &Node<'_>, options: &Node<'_>, problems: &mut WorkflowProblems) {
    let items = options.items();
    let texts: Vec<Option<String>> = items.iter().map(Node::scalar).collect();
    let mut seen = BTreeSet::new();
    for (item, text) in items.iter().zip(&texts) {
        if let Some(text) = text.as_ref().filter(|it| !seen.insert(it.as_str())) {
            let message = format!("duplicate option `{}`", cut(text));
            problems.value(RULE, Severity::Warning, item, message);
        }
    }
    if items.is_empty() {
        problems.key(
            RULE,
            Severity::Error,
            options,
            "`options` is empty; there is nothing to choose",
        );
        return;
    }
    let Some(default) = input.get("default") else { return };
    let Some(text) = default.scalar().filter(|it| !it.is_empty() && !default.is_dynamic()) else {
        return;
    };
    if !texts.iter().flatten().any(|it| *it == text) {
        let near = typo::nearest(&text, texts.iter().flatten().map(String::as_str));
        let message = format!("default `{}` is not one of the options", cut(&text));
        let problem = problems.value(RULE, Severity::Error, &default, message);
        if let (Some((name, nearness)), Some(text)) = (near, default.text()) {
            problem.replace(text, name, nearness);
        }
    }
}

fn check_default(input: &Node<'_>, kind: &str, problems: &mut WorkflowProblems) {
    let Some(default) = input.get("default").filter(|it| !it.is_dynamic()) else { return };
    let Some(text) = default.scalar() else { return };
    let is_right = match kind {
        "boolean" => matches!(text.as_str(), "true" | "false") || text.is_empty(),
        "number" => text.is_empty() || text.trim().parse::<f64>().is_ok(),
        _ => true,
    };
    if !is_right {
        let message = format!("expected a {kind} as default, found `{}`", cut(&text));
        problems.value(RULE, Severity::Error, &default, message);
    }
}

pub(super) fn check_call(event: &Node<'_>, problems: &mut WorkflowProblems) {
    keys::check(event, &["inputs", "outputs", "secrets"], "key of `workflow_call`", problems);
    if let Some(inputs) = event.get("inputs") {
        keys::check_repeated(&inputs, "input", problems);
        for (name, input) in inputs.members() {
            let known = ["description", "deprecationMessage", "required", "default", "type"];
            keys::check(&input, &known, "key of an input", problems);
            check_type(&input, &CALL_TYPES, problems);
            let is_meant = input.keys().any(|it| typo::nearest(it, ["type"]).is_some());
            if !input.has("type") && !is_meant {
                let message = format!("input `{name}` of a called workflow needs a `type`");
                problems.key(RULE, Severity::Error, &input, message);
            }
            let kind = input.get("type").and_then(|it| it.text()).unwrap_or_default();
            check_default(&input, kind, problems);
            let is_required = matches!(input.value.get("required"), Some(Value::Bool(true)));
            if let Some(default) = input.get("default").filter(|_| is_required) {
                let message = format!("input `{name}` is required, so its default is never used");
                problems.key(RULE, Severity::Warning, &default, message);
            }
        }
    }
    if let Some(secrets) = event.get("secrets") {
        keys::check_repeated(&secrets, "secret", problems);
        for (_, secret) in secrets.members() {
            keys::check(&secret, &["description", "required"], "key of a secret", problems);
        }
    }
    if let Some(outputs) = event.get("outputs") {
        keys::check_repeated(&outputs, "output", problems);
        for (name, output) in outputs.members() {
            keys::check(&output, &["description", "value"], "key of an output", problems);
            if !output.has("value")
                && !output.keys().any(|it| typo::nearest(it, ["value"]).is_some())
            {
                let message = format!("output `{name}` needs a `value`");
                problems.key(RULE, Severity::Error, &output, message);
            }
        }
    }
}
