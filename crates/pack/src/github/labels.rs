//! The labels of runners, written in `runs-on` or taken from the matrix.

use check::Severity;
use document::Value;

use super::expr::{self, ExprKind};
use super::keys;
use super::node::Node;
use super::problem::WorkflowProblems;
use super::tables::TABLES;
use crate::typo;

const RULE: &str = "SEM_RUNNER_LABEL";

/// The operating system of a runner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum System {
    Linux,
    Mac,
    Windows,
}

impl System {
    fn of(label: &str) -> Option<System> {
        match label.to_ascii_lowercase() {
            it if it == "linux" || it.starts_with("ubuntu-") => Some(System::Linux),
            it if it == "macos" || it.starts_with("macos-") => Some(System::Mac),
            it if it == "windows" || it.starts_with("windows-") => Some(System::Windows),
            _ => None,
        }
    }
}

/// Looks at all labels; the operating system, if there is only one that it can be.
pub(super) fn check(
    node: &Node<'_>,
    job: &Node<'_>,
    problems: &mut WorkflowProblems,
) -> Option<System> {
    let labels = match node.value {
        Value::Object(_) => {
            keys::check(node, &["group", "labels"], "key of `runs-on`", problems);
            if keys::is_empty(node) {
                problems.key(
                    RULE,
                    Severity::Error,
                    node,
                    "`runs-on` is empty; the job has no runner",
                );
            }
            node.get("labels")?
        }
        Value::Null => {
            problems.key(RULE, Severity::Error, node, "`runs-on` is empty; the job has no runner");
            return None;
        }
        _ => node.clone(),
    };
    if labels.text().is_some_and(|it| it.trim().is_empty()) {
        problems.value(RULE, Severity::Error, &labels, "`runs-on` is empty; the job has no runner");
    }
    let items = labels.one_or_many();
    if items.is_empty() && !node.is_object() {
        problems.key(RULE, Severity::Error, node, "`runs-on` is empty; the job has no runner");
    }
    let is_self_hosted =
        items.iter().any(|it| it.text().is_some_and(|it| it.eq_ignore_ascii_case("self-hosted")));
    let is_group = node.is_object();
    let mut systems: Vec<Option<System>> = Vec::new();
    let mut first: Option<(System, String)> = None;
    for item in &items {
        let values =
            if item.is_dynamic() { from_matrix(item, job) } else { Some(vec![item.clone()]) };
        let Some(values) = values else {
            systems.push(None);
            continue;
        };
        for value in &values {
            let Some(label) = value.scalar() else { continue };
            let label = label.as_str();
            if !is_self_hosted && !is_group {
                check_label(value, label, problems);
            }
            let system = System::of(label);
            if !item.is_dynamic()
                && let Some(system) = system
            {
                match &first {
                    Some((other, name)) if *other != system => {
                        let message =
                            format!("label `{label}` contradicts `{name}`; no runner has both");
                        problems.value(RULE, Severity::Error, value, message);
                    }
                    Some((_, name)) if !is_self_hosted && !is_group && are_apart(label, name) => {
                        let message =
                            format!("label `{label}` contradicts `{name}`; no runner has both");
                        problems.value(RULE, Severity::Error, value, message);
                    }
                    Some(_) => {}
                    None => first = Some((system, label.to_owned())),
                }
            }
            // Labels of one's own say nothing about the system.
            if items.len() == 1 || system.is_some() {
                systems.push(system);
            }
        }
    }
    let one = systems.first().copied().flatten()?;
    systems.iter().all(|it| *it == Some(one)).then_some(one)
}

/// Whether they are two releases of one system that GitHub has runners for.
fn are_apart(one: &str, other: &str) -> bool {
    let hosted = TABLES.labels.get("hosted");
    let is_release = |label: &str| {
        let name = label.to_ascii_lowercase();
        name.contains(|it: char| it.is_ascii_digit())
            && hosted.is_some_and(|it| it.contains(&name.as_str()))
    };
    is_release(one) && is_release(other) && !one.eq_ignore_ascii_case(other)
}

fn check_label(node: &Node<'_>, label: &str, problems: &mut WorkflowProblems) {
    let name = label.to_ascii_lowercase();
    let known =
        || TABLES.labels.iter().filter(|it| *it.0 != "removed").flat_map(|it| it.1.iter().copied());
    if known().any(|it| it == name) || label.is_empty() || label.contains("${{") {
        return;
    }
    if TABLES.labels.get("removed").is_some_and(|it| it.contains(&name.as_str())) {
        let message =
            format!("runner `{label}` no longer exists; its jobs wait until they are cancelled");
        problems.value(RULE, Severity::Error, node, message);
        return;
    }
    // `ubuntu-26.04` is not a slip of `ubuntu-24.04`: releases come and go.
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let near = typo::nearest(&name, known()).filter(|it| digits(it.0) == digits(&name));
    let severity = if near.is_some() { Severity::Error } else { Severity::Info };
    let message = match near {
        Some((near, _)) => format!("unknown runner label `{label}`; consider `{near}`"),
        None => format!("unknown runner label `{label}`; it may be one of your own"),
    };
    let problem = problems.value(RULE, severity, node, message);
    if let Some((near, nearness)) = near {
        problem.replace(label, near, nearness);
    }
}

/// The values of `${{ matrix.NAME }}` that stand in the matrix of the job; `None` if that is not all there is to it.
fn from_matrix<'a>(node: &Node<'a>, job: &Node<'a>) -> Option<Vec<Node<'a>>> {
    let text = node.text()?;
    let [only] = expr::placeholders(text).try_into().ok()?;
    if only.range != (0..text.len()) {
        return None;
    }
    let ExprKind::Property { of, name, .. } = only.parsed.ok()?.kind else { return None };
    if !matches!(of.kind, ExprKind::Context(context) if context.eq_ignore_ascii_case("matrix")) {
        return None;
    }
    let matrix = job.get_in(&["strategy", "matrix"]).filter(Node::is_object)?;
    let same = |key: &str| key.eq_ignore_ascii_case(&name);
    let row = matrix.members().into_iter().find(|it| same(it.0)).map(|it| it.1);
    if row.as_ref().is_some_and(Node::is_dynamic)
        || matrix.get("include").is_some_and(|it| it.is_dynamic())
    {
        return None;
    }
    let mut values = row.map(|it| it.items()).unwrap_or_default();
    for item in matrix.get("include").map(|it| it.items()).unwrap_or_default() {
        values.extend(item.members().into_iter().filter(|it| same(it.0)).map(|it| it.1));
    }
    (!values.is_empty() && values.iter().all(|it| it.text().is_some() && !it.is_dynamic()))
        .then_some(values)
}
