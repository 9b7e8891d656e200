//! What expressions can refer to in a workflow, a job and a step: the types of the contexts.

use document::Value;

use super::actions;
use super::expr::{self, Scope, Type};
use super::matrix;
use super::node::Node;
use super::tables::TABLES;

/// The contexts that are the same everywhere in a workflow.
pub(super) fn of_workflow(root: &Node<'_>) -> Scope {
    let github = TABLES.github.iter().map(|(name, kind)| match *name {
        "event" => (*name, event(root)),
        _ => (*name, named_type(kind)),
    });
    let texts = || Type::map(Type::Text);
    let mut scope = Scope::default();
    scope.contexts.insert("github", Type::from_table(github));
    for name in ["env", "secrets", "vars"] {
        scope.contexts.insert(name, texts());
    }
    scope.contexts.insert("inputs", inputs(root));
    scope.contexts.extend(secrets(root).map(|it| ("secrets", it)));
    scope
}

/// What the expressions of an action can refer to. Of the job that uses it nothing is known.
pub(super) fn of_action(root: &Node<'_>) -> Scope {
    let github = TABLES.github.iter().map(|(name, kind)| match *name {
        "event" => (*name, Type::Any),
        _ => (*name, named_type(kind)),
    });
    let mut scope = Scope::default();
    scope.contexts.insert("github", Type::from_table(github));
    scope.contexts.insert("env", Type::map(Type::Text));
    scope.contexts.insert("runner", runner());
    let inputs = match root.get("inputs") {
        Some(it) if it.has("<<") => Type::Any,
        Some(it) => Type::closed(it.keys().map(|it| (it, Type::Text))),
        None => Type::closed(Vec::<(&str, Type)>::new()),
    };
    scope.contexts.insert("inputs", inputs);
    scope
}

fn runner() -> Type {
    let names = ["name", "os", "arch", "temp", "tool_cache", "debug", "environment", "workspace"];
    Type::from_table(names.map(|it| (it, Type::Text)))
}

/// The event is whatever started the workflow; of one that was started by hand the inputs are known.
fn event(root: &Node<'_>) -> Type {
    let inputs = root.get_in(&["on", "workflow_dispatch", "inputs"]);
    // In a workflow that is called it is the event of the caller.
    let is_called = root.get("on").is_some_and(|it| it.has("workflow_call"));
    let inputs = inputs.filter(|_| !is_called);
    match inputs.filter(|it| it.is_object() && !it.has("<<")) {
        Some(it) => Type::open([("inputs", Type::closed(it.keys().map(|it| (it, Type::Text))))]),
        None => Type::Any,
    }
}

/// The declared secrets of a workflow that is only called. Who calls it may pass on all others, too.
fn secrets(root: &Node<'_>) -> Option<Type> {
    let on = root.get("on").filter(|it| it.keys().eq(["workflow_call"]))?;
    let declared = on.get_in(&["workflow_call", "secrets"]).filter(Node::is_object)?;
    let own = ["GITHUB_TOKEN", "ACTIONS_STEP_DEBUG", "ACTIONS_RUNNER_DEBUG"];
    Some(Type::partial(declared.keys().chain(own).map(|it| (it, Type::Text))))
}

fn named_type(name: &str) -> Type {
    match name {
        "string" => Type::Text,
        "number" => Type::Number,
        "bool" => Type::Bool,
        _ => Type::Any,
    }
}

/// The declared inputs of a workflow that is called or started by hand.
fn inputs(root: &Node<'_>) -> Type {
    let Some(on) = root.get("on") else { return Type::Any };
    let mut found: Vec<(String, Type)> = Vec::new();
    for event in ["workflow_dispatch", "workflow_call"] {
        let Some(inputs) = on.get(event).and_then(|it| it.get("inputs")) else { continue };
        for (name, input) in inputs.members() {
            if name == "<<" {
                return Type::Any;
            }
            let kind = match input.get("type").and_then(|it| it.text()) {
                Some("boolean") => Type::Bool,
                Some("number") => Type::Number,
                Some("string" | "choice" | "environment") => Type::Text,
                _ => Type::Any,
            };
            let kind = match found.iter().position(|it| it.0.eq_ignore_ascii_case(name)) {
                Some(idx) => found.remove(idx).1.or(kind),
                None => kind,
            };
            found.push((name.to_owned(), kind));
        }
    }
    Type::closed(found)
}

/// The contexts of a job, without those of its steps.
pub(super) fn of_job(workflow: &Scope, job: &Node<'_>, jobs: &Node<'_>) -> Scope {
    let mut scope = workflow.clone();
    let matrix_node = job.get_in(&["strategy", "matrix"]);
    let is_open = job.get("strategy").is_some_and(|it| it.is_dynamic());
    let matrix = match matrix_node {
        _ if is_open => Type::Any,
        Some(node) => matrix_type(&node),
        None => Type::closed(Vec::<(&str, Type)>::new()),
    };
    scope.contexts.insert("matrix", matrix);
    scope.contexts.insert("needs", needs(job, jobs));
    let strategy = [
        ("fail-fast", Type::Bool),
        ("job-index", Type::Number),
        ("job-total", Type::Number),
        ("max-parallel", Type::Number),
    ];
    scope.contexts.insert("strategy", Type::from_table(strategy));
    scope.contexts.insert("runner", runner());
    scope.contexts.insert("job", job_context(job));
    scope
}

fn job_context(job: &Node<'_>) -> Type {
    let service = || {
        Type::from_table([
            ("id", Type::Text),
            ("network", Type::Text),
            ("ports", Type::map(Type::Text)),
        ])
    };
    let services = match job.get("services") {
        Some(it) if it.is_object() && !it.has("<<") => {
            Type::closed(it.keys().map(|it| (it, service())))
        }
        _ => Type::map(service()),
    };
    let container = Type::from_table([("id", Type::Text), ("network", Type::Text)]);
    Type::from_table([
        ("check_run_id", Type::Number),
        ("container", container),
        ("services", services),
        ("status", Type::Text),
        ("workflow_ref", Type::Text),
        ("workflow_sha", Type::Text),
        ("workflow_repository", Type::Text),
        ("workflow_file_path", Type::Text),
    ])
}

fn matrix_type(matrix: &Node<'_>) -> Type {
    if !matrix.is_object() || matrix.has("<<") {
        return Type::Any;
    }
    let mut found: Vec<(String, Type)> = Vec::new();
    let mut add = |name: &str, kind: Type| {
        let kind = match found.iter().position(|it| it.0.eq_ignore_ascii_case(name)) {
            Some(idx) => found.remove(idx).1.or(kind),
            None => kind,
        };
        found.push((name.to_owned(), kind));
    };
    for (name, row) in matrix::rows(matrix) {
        let items = row.items();
        let kind = items.iter().map(|it| type_of(it.value)).reduce(Type::or);
        add(name, kind.unwrap_or(Type::Any));
    }
    if let Some(include) = matrix.get("include") {
        if !matches!(include.value, Value::Array(_)) {
            return Type::Any;
        }
        for item in include.items() {
            if !item.is_object() {
                return Type::Any;
            }
            for (name, value) in item.members() {
                add(name, type_of(value.value));
            }
        }
    }
    Type::closed(found)
}

/// The type of a value that stands in the file.
fn type_of(value: &Value) -> Type {
    match value {
        // An empty text in the end, which is often meant.
        Value::Null => Type::Any,
        Value::Bool(_) => Type::Bool,
        Value::Number(_) => Type::Number,
        Value::String(text) if is_whole_expression(text) => Type::Any,
        Value::String(_) | Value::Datetime(_) => Type::Text,
        Value::Array(items) => {
            Type::array(items.iter().map(type_of).reduce(Type::or).unwrap_or(Type::Any))
        }
        Value::Object(members) => {
            Type::closed(members.iter().map(|(name, it)| (name, type_of(it))))
        }
    }
}

pub(super) fn is_whole_expression(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("${{") && text.ends_with("}}") && expr::placeholders(text).len() == 1
}

/// What a job gives to those that wait for it.
pub(super) fn result_of_job(job: &Node<'_>) -> Type {
    let outputs = match job.get("outputs") {
        _ if job.has("uses") => Type::map(Type::Text),
        Some(it) if it.has("<<") => Type::map(Type::Text),
        Some(it) => Type::closed(it.keys().map(|it| (it, Type::Text))),
        None => Type::closed(Vec::<(&str, Type)>::new()),
    };
    Type::closed([("outputs", outputs), ("result", Type::Text)])
}

fn needs(job: &Node<'_>, jobs: &Node<'_>) -> Type {
    let names = job.get("needs").map(|it| it.one_or_many()).unwrap_or_default();
    let all = jobs.members();
    let result = |name: &str| {
        let job = all.iter().find(|it| it.0.eq_ignore_ascii_case(name));
        job.map_or(Type::Any, |it| result_of_job(&it.1))
    };
    if names.iter().any(Node::is_dynamic) {
        return Type::Any;
    }
    Type::closed(names.iter().filter_map(|it| it.text()).map(|it| (it, result(it))))
}

/// What a step gives to those after it: its id and the type.
pub(super) fn result_of_step<'a>(step: &Node<'a>) -> Option<(&'a str, Type)> {
    let id = step.get("id").and_then(|it| it.text())?;
    let uses = step.get("uses").and_then(|it| it.text());
    let known = uses.and_then(actions::facts).and_then(|it| it.outputs.as_ref());
    let outputs = match known {
        Some(names) if !names.is_empty() => {
            Type::from_table(names.iter().map(|it| (it, Type::Text)))
        }
        _ => Type::map(Type::Text),
    };
    let result =
        Type::closed([("outputs", outputs), ("conclusion", Type::Text), ("outcome", Type::Text)]);
    Some((id, result))
}
