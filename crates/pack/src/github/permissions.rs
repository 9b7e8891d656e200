//! What the token of a workflow may do.

use check::Severity;
use document::Value;

use super::node::Node;
use super::problem::WorkflowProblems;
use super::tables::TABLES;
use crate::typo;

const RULE: &str = "SEM_PERMISSIONS";
const ALL: [&str; 2] = ["read-all", "write-all"];

pub(super) fn check(node: &Node<'_>, problems: &mut WorkflowProblems) {
    match node.value {
        Value::String(text) if !ALL.contains(&text.as_str()) && !node.is_dynamic() => {
            let near = typo::nearest(text, ALL);
            let message = format!(
                "expected `read-all`, `write-all` or an object of permissions, found `{}`",
                crate::schema::cut(text),
            );
            let problem = problems.value(RULE, Severity::Error, node, message);
            if let Some((name, nearness)) = near {
                problem.replace(text, name, nearness);
            }
        }
        Value::Object(_) => {
            for (scope, access) in node.members() {
                check_scope(node, scope, &access, problems);
            }
        }
        _ => {}
    }
}

fn check_scope(object: &Node<'_>, scope: &str, access: &Node<'_>, problems: &mut WorkflowProblems) {
    let Some(allowed) = TABLES.scopes.get(scope) else {
        if scope != "<<" {
            let known = TABLES.scopes.keys().copied();
            problems.unknown_key(RULE, object, scope, "permission", known);
        }
        return;
    };
    let Some(text) = access.scalar() else { return };
    if allowed.contains(&text.as_str()) || access.is_dynamic() {
        return;
    }
    let near = typo::nearest(&text, allowed.iter().copied());
    let message = format!(
        "expected `{}` for `{scope}`, found `{}`",
        allowed.join("` or `"),
        crate::schema::cut(&text)
    );
    let problem = problems.value(RULE, Severity::Error, access, message);
    if let (Some((name, nearness)), Some(text)) = (near, access.text()) {
        problem.replace(text, name, nearness);
    }
}
