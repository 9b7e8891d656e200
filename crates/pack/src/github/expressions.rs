//! Every expression of a workflow, each under its key with what is available there.

use check::Severity;
use document::Value;

use super::expr::{self, Checker, Expr, ExprKind, Scope, SyntaxError, Type};
use super::node::Node;
use super::problem::WorkflowProblems;
use super::tables::TABLES;
use super::{conditions, scopes, steps};
use crate::typo::Nearness;

const SYNTAX: &str = "SEM_EXPRESSION_SYNTAX";
const TYPE: &str = "SEM_EXPRESSION_TYPE";
const INJECTION: &str = "SEM_SCRIPT_INJECTION";

/// What the value of an expression is used as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedType {
    Text,
    Bool,
    Number,
    Array,
    Object,
    Anything,
}

/// Parts of events that anybody can write, without the leading `github`.
const UNTRUSTED: [&str; 20] = [
    "event.issue.title",
    "event.issue.body",
    "event.pull_request.title",
    "event.pull_request.body",
    "event.pull_request.head.ref",
    "event.pull_request.head.label",
    "event.pull_request.head.repo.default_branch",
    "event.comment.body",
    "event.review.body",
    "event.review_comment.body",
    "event.discussion.title",
    "event.discussion.body",
    "event.pages.*.page_name",
    "event.commits.*.message",
    "event.commits.*.author.email",
    "event.commits.*.author.name",
    "event.head_commit.message",
    "event.head_commit.author.email",
    "event.head_commit.author.name",
    "head_ref",
];

pub(super) fn check(root: &Node<'_>, problems: &mut WorkflowProblems) {
    let scope = scopes::of_workflow(root);
    let mut look = TemplateChecker { problems, scope: &scope };
    look.plain_events(root);
    look.plain(root.get("permissions"), "permissions");
    look.plain(root.get("defaults"), "defaults");
    look.deep(root.get("run-name"), "run-name", ExpectedType::Text);
    look.env(root.get("env"), "env");
    look.concurrency(root.get("concurrency"), "concurrency");
    let Some(jobs) = root.get("jobs") else { return };
    if let Some(call) = root.get_in(&["on", "workflow_call"]) {
        for (_, input) in call.get("inputs").map(|it| it.members()).unwrap_or_default() {
            look.deep(
                input.get("default"),
                "on.workflow_call.inputs.*.default",
                ExpectedType::Text,
            );
        }
        let results = jobs.members();
        let results = results.iter().map(|(name, job)| (*name, scopes::result_of_job(job)));
        let mut scope = scope.clone();
        scope.contexts.insert("jobs", Type::closed(results));
        let mut look = TemplateChecker { problems: look.problems, scope: &scope };
        for (_, output) in call.get("outputs").map(|it| it.members()).unwrap_or_default() {
            look.deep(output.get("value"), "on.workflow_call.outputs.*.value", ExpectedType::Text);
        }
    }
    for (_, job) in jobs.members() {
        if job.is_object() {
            check_job(&scope, &job, &jobs, problems);
        }
    }
}

fn check_job(workflow: &Scope, job: &Node<'_>, jobs: &Node<'_>, problems: &mut WorkflowProblems) {
    let scope = scopes::of_job(workflow, job, jobs);
    let mut look = TemplateChecker { problems, scope: &scope };
    look.plain(job.get("uses"), "jobs.*.uses");
    look.plain(job.get("permissions"), "jobs.*.permissions");
    look.deep(job.get("name"), "jobs.*.name", ExpectedType::Text);
    look.condition(job.get("if"), "jobs.*.if");
    look.deep(job.get("runs-on"), "jobs.*.runs-on", ExpectedType::Anything);
    look.env(job.get("env"), "jobs.*.env");
    look.concurrency(job.get("concurrency"), "jobs.*.concurrency");
    look.deep(job.get("continue-on-error"), "jobs.*.continue-on-error", ExpectedType::Bool);
    look.deep(job.get("timeout-minutes"), "jobs.*.timeout-minutes", ExpectedType::Number);
    look.deep(job.get_in(&["defaults", "run"]), "jobs.*.defaults.run", ExpectedType::Text);
    look.deep(job.get("with"), "jobs.*.with.*", ExpectedType::Anything);
    look.deep(job.get("secrets"), "jobs.*.secrets.*", ExpectedType::Text);
    if let Some(strategy) = job.get("strategy") {
        if strategy.is_object() {
            look.deep(strategy.get("fail-fast"), "jobs.*.strategy", ExpectedType::Bool);
            look.deep(strategy.get("max-parallel"), "jobs.*.strategy", ExpectedType::Number);
            look.matrix(strategy.get("matrix"), "jobs.*.strategy");
        } else {
            look.deep(Some(strategy), "jobs.*.strategy", ExpectedType::Anything);
        }
    }
    if let Some(container) = job.get("container") {
        look.container(
            &container,
            ["jobs.*.container", "jobs.*.container.env.*", "jobs.*.container.credentials"],
        );
    }
    let names = ["jobs.*.services", "jobs.*.services.*.env.*", "jobs.*.services.*.credentials"];
    if let Some(services) = job.get("services") {
        look.deep(
            Some(services.clone()).filter(|it| !it.is_object()),
            names[0],
            ExpectedType::Anything,
        );
        for (_, service) in services.members() {
            look.container(&service, names);
        }
    }
    let environment = job.get("environment");
    look.deep(
        environment.clone().filter(|it| !it.is_object()),
        "jobs.*.environment",
        ExpectedType::Text,
    );
    look.deep(
        environment.as_ref().and_then(|it| it.get("name")),
        "jobs.*.environment",
        ExpectedType::Text,
    );
    let scope = check_steps(&scope, job.get("steps"), StepKeys::OfJob, problems);
    let mut look = TemplateChecker { problems, scope: &scope };
    look.deep(
        environment.as_ref().and_then(|it| it.get("url")),
        "jobs.*.environment.url",
        ExpectedType::Text,
    );
    look.deep(job.get("outputs"), "jobs.*.outputs.*", ExpectedType::Text);
}

/// The expressions of an action, which come out where the job runs that uses it.
pub(super) fn check_action(root: &Node<'_>, problems: &mut WorkflowProblems) {
    let scope = scopes::of_action(root);
    let mut look = TemplateChecker { problems, scope: &scope };
    for (_, input) in root.get("inputs").map(|it| it.members()).unwrap_or_default() {
        look.deep(input.get("default"), "action.inputs.*.default", ExpectedType::Text);
    }
    let Some(runs) = root.get("runs") else { return };
    look.condition(runs.get("pre-if"), "action.runs");
    look.condition(runs.get("post-if"), "action.runs");
    look.deep(runs.get("args"), "action.runs.args", ExpectedType::Text);
    look.deep(runs.get("env"), "action.runs.args", ExpectedType::Text);
    let scope = check_steps(&scope, runs.get("steps"), StepKeys::OfAction, problems);
    let mut look = TemplateChecker { problems, scope: &scope };
    for (_, output) in root.get("outputs").map(|it| it.members()).unwrap_or_default() {
        look.deep(output.get("value"), "action.outputs.*.value", ExpectedType::Text);
    }
}

/// Whose steps they are: what an expression may use differs.
#[derive(Clone, Copy)]
enum StepKeys {
    OfJob,
    OfAction,
}

impl StepKeys {
    fn of(self, name: &str) -> &'static str {
        match (self, name) {
            (StepKeys::OfAction, "if") => "action.steps.if",
            (StepKeys::OfAction, _) => "action.steps",
            (StepKeys::OfJob, "if") => "jobs.*.steps.if",
            (StepKeys::OfJob, "name") => "jobs.*.steps.name",
            (StepKeys::OfJob, "run") => "jobs.*.steps.run",
            (StepKeys::OfJob, "with") => "jobs.*.steps.with",
            (StepKeys::OfJob, "env") => "jobs.*.steps.env",
            (StepKeys::OfJob, "working-directory") => "jobs.*.steps.working-directory",
            (StepKeys::OfJob, "continue-on-error") => "jobs.*.steps.continue-on-error",
            (StepKeys::OfJob, _) => "jobs.*.steps.timeout-minutes",
        }
    }
}

/// Every step sees those before it; what all of them give is returned.
fn check_steps(
    job: &Scope,
    steps: Option<Node<'_>>,
    keys: StepKeys,
    problems: &mut WorkflowProblems,
) -> Scope {
    let mut scope = job.clone();
    let mut results: Vec<(&str, Type)> = Vec::new();
    scope.contexts.insert("steps", Type::closed(results.clone()));
    let mut is_open = false;
    for step in steps.map(|it| steps::flat(&it)).unwrap_or_default() {
        let mut look = TemplateChecker { problems, scope: &scope };
        let key = |name: &str| keys.of(name);
        look.plain(step.get("uses"), "jobs.*.steps.uses");
        look.plain(step.get("id"), "jobs.*.steps.id");
        look.condition(step.get("if"), key("if"));
        for name in ["name", "run", "with", "working-directory"] {
            look.deep(step.get(name), key(name), ExpectedType::Text);
        }
        look.env(step.get("env"), key("env"));
        look.deep(step.get("continue-on-error"), key("continue-on-error"), ExpectedType::Bool);
        look.deep(step.get("timeout-minutes"), key("timeout-minutes"), ExpectedType::Number);
        look.untrusted(&step);
        is_open |= step.get("id").is_some_and(|it| it.is_dynamic()) || step.has("<<");
        if is_open {
            scope.contexts.insert("steps", Type::Any);
        } else if let Some((id, result)) = scopes::result_of_step(&step) {
            results.push((id, result));
            scope.contexts.insert("steps", Type::closed(results.clone()));
        }
    }
    scope
}

struct TemplateChecker<'a, 'p> {
    problems: &'p mut WorkflowProblems,
    scope: &'a Scope,
}

impl TemplateChecker<'_, '_> {
    /// All texts of a value.
    fn deep(&mut self, node: Option<Node<'_>>, key: &str, wanted: ExpectedType) {
        let Some(node) = node else { return };
        match node.value {
            Value::String(text) if text.contains("${{") => self.template(&node, text, key, wanted),
            Value::Array(_) => {
                node.items().into_iter().for_each(|it| self.deep(Some(it), key, wanted))
            }
            Value::Object(_) => {
                for (_, it) in node.members() {
                    self.deep(Some(it), key, wanted);
                }
            }
            _ => {}
        }
    }

    /// All texts of a value where GitHub reads no expressions.
    fn plain(&mut self, node: Option<Node<'_>>, key: &str) {
        let Some(node) = node else { return };
        match node.value {
            Value::String(text) if text.contains("${{") => {
                let Some(first) = expr::placeholders(text).into_iter().next() else { return };
                let message =
                    format!("expressions are not available in `{}`", key.replace('*', "NAME"));
                let rule = "SEM_EXPRESSION_CONTEXT";
                self.problems.part(rule, Severity::Error, &node, first.range, message);
            }
            Value::Array(_) => node.items().into_iter().for_each(|it| self.plain(Some(it), key)),
            Value::Object(_) => {
                node.members().into_iter().for_each(|(_, it)| self.plain(Some(it), key));
            }
            _ => {}
        }
    }

    /// What starts a workflow is known before there is anything to compute with; what people read may show anything.
    fn plain_events(&mut self, root: &Node<'_>) {
        for (event, node) in root.get("on").map(|it| it.members()).unwrap_or_default() {
            match event {
                "workflow_call" => {}
                "workflow_dispatch" => {
                    for (_, input) in node.get("inputs").map(|it| it.members()).unwrap_or_default()
                    {
                        for key in ["default", "options", "type"] {
                            self.plain(input.get(key), "on.workflow_dispatch.inputs");
                        }
                    }
                }
                _ => self.plain(Some(node), &format!("on.{event}")),
            }
        }
    }

    /// A matrix, or a row of one, may come out of one expression.
    fn matrix(&mut self, node: Option<Node<'_>>, key: &str) {
        let Some(node) = node else { return };
        if !node.is_object() {
            return self.deep(Some(node), key, ExpectedType::Object);
        }
        for (_, row) in node.members() {
            let wanted = match row.text() {
                Some(_) => ExpectedType::Array,
                None => ExpectedType::Anything,
            };
            self.deep(Some(row), key, wanted);
        }
    }

    /// Variables are texts; all of them together may come out of one expression.
    fn env(&mut self, node: Option<Node<'_>>, key: &str) {
        let wanted = match &node {
            Some(it) if it.is_object() => ExpectedType::Text,
            _ => ExpectedType::Anything,
        };
        self.deep(node, key, wanted);
    }

    fn concurrency(&mut self, node: Option<Node<'_>>, key: &str) {
        let Some(node) = node else { return };
        if node.is_object() {
            self.deep(node.get("group"), key, ExpectedType::Text);
            self.deep(node.get("cancel-in-progress"), key, ExpectedType::Bool);
        } else {
            self.deep(Some(node), key, ExpectedType::Text);
        }
    }

    fn container(&mut self, node: &Node<'_>, [own, env, credentials]: [&str; 3]) {
        if !node.is_object() {
            return self.deep(Some(node.clone()), own, ExpectedType::Anything);
        }
        for (name, it) in node.members() {
            let key = match name {
                "env" => env,
                "credentials" => credentials,
                _ => own,
            };
            self.deep(Some(it), key, ExpectedType::Anything);
        }
    }

    fn template(&mut self, node: &Node<'_>, text: &str, key: &str, wanted: ExpectedType) {
        let found = expr::placeholders(text);
        let is_whole = found.len() == 1 && found[0].range == (0..text.len());
        for it in found {
            match it.parsed {
                Err(error) => self.syntax(node, text, &error),
                Ok(expr) => {
                    let kind = self.check(node, text, key, &expr);
                    let wanted = if is_whole { wanted } else { ExpectedType::Text };
                    self.fits(node, &expr, &kind, wanted);
                }
            }
        }
    }

    fn syntax(&mut self, node: &Node<'_>, text: &str, error: &SyntaxError) {
        let SyntaxError { range, message, instead } = error;
        let problem =
            self.problems.part(SYNTAX, Severity::Error, node, range.clone(), message.as_str());
        if let Some(new) = instead {
            problem.replace_part(text, new, Nearness::Variant);
        }
    }

    fn check(&mut self, node: &Node<'_>, text: &str, key: &str, expr: &Expr) -> Type {
        let shown = key.replace("*", "NAME");
        let mut checker = Checker {
            scope: self.scope,
            available: TABLES.contexts.get(key),
            key: &shown,
            problems: Vec::new(),
        };
        let kind = checker.check(expr);
        for it in checker.problems {
            let problem = self.problems.part(it.rule, it.severity, node, it.range, it.message);
            if let Some((new, nearness)) = it.instead {
                problem.replace_part(text, &new, nearness);
            }
        }
        kind
    }

    fn fits(&mut self, node: &Node<'_>, expr: &Expr, kind: &Type, wanted: ExpectedType) {
        let (is_right, words) = match (wanted, kind) {
            (ExpectedType::Anything, _) | (_, Type::Any) => return,
            (ExpectedType::Text, _) => (kind.is_text_like(), "a string"),
            (ExpectedType::Bool, _) => (*kind == Type::Bool, "a boolean"),
            (ExpectedType::Number, _) => (*kind == Type::Number, "a number"),
            (ExpectedType::Array, _) => (matches!(kind, Type::Array(_)), "an array"),
            (ExpectedType::Object, _) => (matches!(kind, Type::Object(_)), "an object"),
        };
        if is_right {
            return;
        }
        let message = match kind {
            Type::Text if wanted != ExpectedType::Text => {
                format!("expected {words}, found {kind}; consider `fromJSON(…)`")
            }
            Type::Object(_) | Type::Array(_) if wanted == ExpectedType::Text => {
                format!("expected {words}, found {kind}; consider `toJSON(…)`")
            }
            _ => format!("expected {words}, found {kind}"),
        };
        self.problems.part(TYPE, Severity::Warning, node, expr.range.clone(), message);
    }

    fn condition(&mut self, node: Option<Node<'_>>, key: &str) {
        let Some(node) = node else { return };
        if let Value::Bool(value) = node.value {
            conditions::always(&node, *value, self.problems);
        }
        let Some(text) = node.text() else { return };
        conditions::check(&node, text, self.problems);
        if text.contains("${{") {
            self.template(&node, text, key, ExpectedType::Anything);
            return;
        }
        match expr::bare(text) {
            Ok(expr) => {
                self.check(&node, text, key, &expr);
            }
            Err(_) if text.trim().is_empty() => {
                let message = "the condition is empty; remove it";
                self.problems.value("SEM_IF_CONSTANT", Severity::Warning, &node, message);
            }
            Err(error) => self.syntax(&node, text, &error),
        }
    }

    /// Parts of events that are put into a script, where they are read as code.
    fn untrusted(&mut self, step: &Node<'_>) {
        let is_script = |it: &&str| it.to_ascii_lowercase().starts_with("actions/github-script@");
        let uses = step.get("uses").and_then(|it| it.text());
        let node = match uses.as_ref().filter(|it| is_script(it)) {
            Some(_) => step.get_in(&["with", "script"]),
            None => step.get("run"),
        };
        let Some(node) = node else { return };
        let Some(text) = node.text().filter(|it| it.contains("${{")) else { return };
        for it in expr::placeholders(text) {
            let Ok(expr) = it.parsed else { continue };
            let mut found = Vec::new();
            untrusted_parts(&expr, &mut found);
            for (expr, name) in found {
                let message = format!(
                    "`github.{name}` can be set by anybody and becomes part of the script; pass it through `env`"
                );
                self.problems.part(INJECTION, Severity::Info, &node, expr.range.clone(), message);
            }
        }
    }
}

fn untrusted_parts<'e>(expr: &'e Expr, found: &mut Vec<(&'e Expr, String)>) {
    if let Some(path) = expr.path() {
        let name = path.join(".");
        let name = name.strip_prefix("github.").unwrap_or_default();
        if UNTRUSTED.contains(&name) {
            found.push((expr, name.to_owned()));
        }
        return;
    }
    match &expr.kind {
        ExprKind::Property { of, .. } | ExprKind::Filter(of) | ExprKind::Not(of) => {
            untrusted_parts(of, found);
        }
        ExprKind::Index { of, index } => {
            untrusted_parts(of, found);
            untrusted_parts(index, found);
        }
        // What comes out of these is not what anybody wrote.
        ExprKind::Call { name, args, .. } => {
            let is_safe = ["contains", "startswith", "endswith", "hashfiles"];
            if !is_safe.contains(&name.to_ascii_lowercase().as_str()) {
                args.iter().for_each(|it| untrusted_parts(it, found));
            }
        }
        ExprKind::Logic { parts, .. } => parts.iter().for_each(|it| untrusted_parts(it, found)),
        _ => {}
    }
}
