//! The events that start a workflow, with their filters, activity types, schedules and inputs.

use check::Severity;
use document::Value;

use super::node::Node;
use super::problem::WorkflowProblems;
use super::tables::TABLES;
use super::{cron, globs, inputs, keys};
use crate::schema::cut;
use crate::typo;

const EVENT: &str = "SEM_EVENT";
const FILTER: &str = "SEM_EVENT_FILTER";
const ACTIVITY: &str = "SEM_EVENT_TYPES";

/// Events that were there once.
const REMOVED: [&str; 5] =
    ["project", "project_card", "project_column", "pull_request_comment", "member"];

const EXCLUSIVE: [[&str; 2]; 3] =
    [["branches", "branches-ignore"], ["tags", "tags-ignore"], ["paths", "paths-ignore"]];

pub(super) fn check(on: &Node<'_>, problems: &mut WorkflowProblems) {
    match on.value {
        Value::Object(_) => {
            for (name, event) in on.members() {
                check_event(on, name, &event, problems);
            }
            if keys::is_empty(on) {
                problems.key(
                    EVENT,
                    Severity::Error,
                    on,
                    "`on` is empty; the workflow never starts",
                );
            }
        }
        Value::Null => {
            problems.key(EVENT, Severity::Error, on, "`on` is empty; the workflow never starts");
        }
        _ => {
            for event in on.one_or_many() {
                let Some(name) = event.text() else { continue };
                match TABLES.events.contains_key(name) {
                    true => check_needed(name, &event, problems),
                    false if REMOVED.contains(&name) => removed(name, &event, problems),
                    false => {
                        let known = TABLES.events.keys().copied();
                        problems.unknown_value(EVENT, &event, "event", known);
                    }
                }
            }
        }
    }
}

fn removed(name: &str, event: &Node<'_>, problems: &mut WorkflowProblems) {
    let message = format!("event `{name}` no longer starts workflows");
    problems.key(EVENT, Severity::Warning, event, message);
}

/// What an event cannot be without.
fn check_needed(name: &str, event: &Node<'_>, problems: &mut WorkflowProblems) {
    let needed = match name {
        "schedule" => "cron",
        "workflow_run" => "workflows",
        _ => return,
    };
    let message = format!("event `{name}` needs `{needed}`; without it the workflow never starts");
    problems.key(FILTER, Severity::Error, event, message);
}

fn check_event(on: &Node<'_>, name: &str, event: &Node<'_>, problems: &mut WorkflowProblems) {
    let Some(types) = TABLES.events.get(name) else {
        match name {
            "<<" => {}
            _ if REMOVED.contains(&name) => removed(name, event, problems),
            _ => problems.unknown_key(EVENT, on, name, "event", TABLES.events.keys().copied()),
        }
        return;
    };
    match name {
        "schedule" => return check_schedule(event, problems),
        "workflow_dispatch" => return inputs::check_dispatch(event, problems),
        "workflow_call" => return inputs::check_call(event, problems),
        _ => {}
    }
    if name == "workflow_run" && !event.has("workflows") {
        check_needed(name, event, problems);
    }
    let mut known: Vec<&str> =
        TABLES.filters.iter().filter(|it| it.1.contains(&name)).map(|it| *it.0).collect();
    if types.as_ref().is_none_or(|it| !it.is_empty()) {
        known.push("types");
    }
    for (key, filter) in event.members() {
        let is_filter = TABLES.filters.contains_key(key) || key == "types";
        match key {
            _ if known.contains(&key) => {
                check_filter(key, types.as_deref(), &filter, problems);
            }
            "types" => {
                let message = format!("event `{name}` has no activity types; remove `types`");
                problems.key(ACTIVITY, Severity::Error, &filter, message);
            }
            _ if is_filter => {
                let events = TABLES.filters[key].join("`, `");
                let message =
                    format!("`{key}` is not available for event `{name}`; it is for `{events}`");
                problems.key(FILTER, Severity::Error, &filter, message);
            }
            "<<" => {}
            _ => {
                let what = format!("filter of event `{name}`");
                problems.unknown_key(FILTER, event, key, &what, known.iter().copied());
            }
        }
    }
    for [one, other] in EXCLUSIVE {
        if let (Some(_), Some(node)) = (event.get(one), event.get(other))
            && known.contains(&one)
        {
            let message = format!(
                "`{one}` and `{other}` cannot be used together; write what is left out as `!PATTERN` in `{one}`"
            );
            problems.key(FILTER, Severity::Error, &node, message);
        }
    }
}

fn check_filter(
    key: &str,
    types: Option<&[&'static str]>,
    filter: &Node<'_>,
    problems: &mut WorkflowProblems,
) {
    if keys::is_empty(filter) {
        let message = format!("`{key}` is empty; remove it or add a pattern");
        problems.key(FILTER, Severity::Warning, filter, message);
        return;
    }
    if key == "types" {
        let Some(types) = types else { return };
        for node in filter.one_or_many() {
            if node.text().is_some_and(|it| !types.contains(&it)) {
                problems.unknown_value(ACTIVITY, &node, "activity type", types.iter().copied());
            }
        }
        return;
    }
    let items = filter.one_or_many();
    let syntax = match key {
        "paths" | "paths-ignore" => globs::GlobKind::Path,
        "branches" | "branches-ignore" | "tags" | "tags-ignore" => globs::GlobKind::Ref,
        _ => return,
    };
    for node in &items {
        globs::check(node, syntax, problems);
    }
    let is_negative = |it: &Node<'_>| it.text().is_some_and(|it| it.starts_with('!'));
    if !key.ends_with("-ignore") && items.iter().all(is_negative) {
        let message = format!(
            "all patterns of `{key}` are negative, so nothing is left; add one without `!`"
        );
        problems.key("SEM_GLOB", Severity::Warning, filter, message);
    }
}

fn check_schedule(event: &Node<'_>, problems: &mut WorkflowProblems) {
    let items = event.one_or_many();
    if items.is_empty() {
        check_needed("schedule", event, problems);
    }
    for item in items.iter().filter(|it| it.is_object()) {
        keys::check(item, &["cron", "timezone"], "key of a schedule", problems);
        match item.get("cron") {
            Some(cron) => cron::check(&cron, problems),
            None if item.keys().any(|it| typo::nearest(it, ["cron"]).is_some()) => {}
            None => check_needed("schedule", item, problems),
        }
    }
    if let Value::String(text) = event.value {
        let message = format!("expected a list of `cron: …`, found `{}`", cut(text));
        problems.value(FILTER, Severity::Error, event, message);
    }
}
