//! The matrix of a job: its rows, and what is added and left out.

use check::Severity;
use document::Value;

use super::keys;
use super::node::Node;
use super::problem::WorkflowProblems;
use crate::schema::cut;
use crate::typo;

const RULE: &str = "SEM_MATRIX";

pub(super) fn check(matrix: &Node<'_>, problems: &mut WorkflowProblems) {
    if !matrix.is_object() {
        return;
    }
    keys::check_repeated(matrix, "row", problems);
    for (name, row) in rows(matrix) {
        let items = row.items();
        if items.is_empty() && matches!(row.value, Value::Array(_)) {
            problems.key(
                RULE,
                Severity::Error,
                &row,
                format!("row `{}` of the matrix is empty", cut(name)),
            );
        }
        for (idx, item) in items.iter().enumerate() {
            if !item.is_dynamic() && items[..idx].iter().any(|it| it.value.is_same(item.value)) {
                let shown = item.scalar().map(|it| format!("`{}`", cut(&it)));
                let shown = shown.unwrap_or_else(|| "this item".to_owned());
                let message = format!("{shown} is in row `{}` twice", cut(name));
                problems.value(RULE, Severity::Warning, item, message);
            }
        }
    }
    let include = matrix.get("include");
    if rows(matrix).is_empty() && include.is_none() {
        problems.key(RULE, Severity::Error, matrix, "the matrix has no row; add one or remove it");
    }
    // Whatever an expression adds may be what is left out.
    if rows(matrix).iter().any(|it| it.1.is_dynamic()) && rows(matrix).len() == 1 {
        return;
    }
    if let Some(exclude) = matrix.get("exclude") {
        for item in exclude.items() {
            check_exclude(matrix, &item, problems);
        }
    }
}

/// The rows: all members but `include` and `exclude`.
pub(super) fn rows<'a>(matrix: &Node<'a>) -> Vec<(&'a str, Node<'a>)> {
    let members = matrix.members().into_iter();
    members.filter(|it| !matches!(it.0, "include" | "exclude" | "<<")).collect()
}

fn check_exclude(matrix: &Node<'_>, item: &Node<'_>, problems: &mut WorkflowProblems) {
    let rows = rows(matrix);
    for (key, value) in item.members() {
        let Some((_, row)) = rows.iter().find(|it| it.0.eq_ignore_ascii_case(key)) else {
            let names = || rows.iter().map(|it| it.0);
            let near = typo::nearest(key, names());
            let known = typo::nearest_first(key, names(), 6).join("`, `");
            let message = match near {
                Some((near, _)) => {
                    format!("the matrix has no row `{}`; consider `{near}`", cut(key))
                }
                None => format!("the matrix has no row `{}`; it has `{known}`", cut(key)),
            };
            problems.key(RULE, Severity::Error, &value, message);
            continue;
        };
        let items = row.items();
        let is_open = row.is_dynamic() || value.is_dynamic() || items.iter().any(Node::is_dynamic);
        if !is_open && !items.iter().any(|it| covers(it.value, value.value)) {
            let shown = value.scalar().unwrap_or_else(|| "this value".to_owned());
            let message = format!(
                "row `{}` has no value `{}`, so nothing is left out",
                cut(key),
                cut(&shown)
            );
            let near = value
                .text()
                .and_then(|text| typo::nearest(text, items.iter().filter_map(Node::text)));
            let problem = problems.value(RULE, Severity::Warning, &value, message);
            if let (Some((near, nearness)), Some(text)) = (near, value.text()) {
                problem.replace(text, near, nearness);
            }
        }
    }
}

/// Whether a value of a row is what is left out: equal, or an object that has all its members.
fn covers(row: &Value, left_out: &Value) -> bool {
    match (row, left_out) {
        (Value::Object(_), Value::Object(members)) => {
            members.iter().all(|(key, it)| row.get(key).is_some_and(|row| covers(row, it)))
        }
        _ => row.equals(left_out) || scalar(row).is_some() && scalar(row) == scalar(left_out),
    }
}

fn scalar(value: &Value) -> Option<String> {
    Node::root(value).scalar()
}
