//! Jobs: their keys, runners, matrices, containers and what they wait for.

use std::collections::BTreeSet;

use check::Severity;
use document::Value;

use super::labels::{self, System};
use super::node::Node;
use super::problem::WorkflowProblems;
use super::tables::TABLES;
use super::{keys, matrix, permissions, steps};
use crate::schema::cut;
use crate::typo;

const NAME: &str = "SEM_ENV_NAME";
const VALUE: &str = "SEM_WORKFLOW_VALUE";
const SHELL: &str = "SEM_SHELL";

pub(super) fn check_all(jobs: &Node<'_>, root: &Node<'_>, problems: &mut WorkflowProblems) {
    if keys::is_empty(jobs) {
        problems.key(
            keys::KEY,
            Severity::Error,
            jobs,
            "`jobs` is empty; the workflow has nothing to do",
        );
        return;
    }
    keys::check_repeated(jobs, "job", problems);
    let shell = root.get_in(&["defaults", "run", "shell"]);
    for (_, job) in jobs.members() {
        if job.is_object() {
            check(&job, shell.as_ref(), problems);
        }
    }
}

fn check(job: &Node<'_>, default_shell: Option<&Node<'_>>, problems: &mut WorkflowProblems) {
    keys::check_job(job, problems);
    if let Some(it) = job.get("permissions") {
        permissions::check(&it, problems);
    }
    if let Some(it) = job.get("env") {
        check_env_names(&it, problems);
    }
    if let Some(it) = job.get("concurrency") {
        check_concurrency(&it, problems);
    }
    if let Some(it) = job.get("environment").filter(Node::is_object) {
        keys::check(&it, &["name", "url", "deployment"], "key of an environment", problems);
        if !it.has("name") && !it.keys().any(|it| typo::nearest(it, ["name"]).is_some()) {
            problems.key(
                keys::KEY,
                Severity::Error,
                &it,
                "missing key `name`; the environment has no name",
            );
        }
    }
    if let Some(it) = job.get("snapshot") {
        check_snapshot(&it, problems);
    }
    for key in ["timeout-minutes", "cancel-timeout-minutes"] {
        check_positive(job.get(key), problems);
    }
    if let Some(it) = job.get("outputs") {
        keys::warn_empty(&it, "outputs", problems);
        keys::check_repeated(&it, "output", problems);
    }
    check_needs(job, problems);
    let strategy = job.get("strategy");
    if let Some(it) = strategy.as_ref().filter(|it| it.is_object()) {
        keys::check(it, &["matrix", "fail-fast", "max-parallel"], "key of a strategy", problems);
        check_positive(it.get("max-parallel"), problems);
        if let Some(it) = it.get("matrix") {
            matrix::check(&it, problems);
        }
    }
    let system = job.get("runs-on").and_then(|it| labels::check(&it, job, problems));
    if let Some(it) = job.get("defaults") {
        check_defaults(&it, system, problems);
    }
    if let Some(it) = job.get("container") {
        check_container(&it, "container", problems);
    }
    for (_, service) in job.get("services").map(|it| it.members()).unwrap_or_default() {
        check_container(&service, "service", problems);
    }
    let own_shell = job.get_in(&["defaults", "run", "shell"]);
    let default_shell = own_shell.as_ref().or(default_shell);
    if let Some(it) = job.get("steps") {
        let shell = default_shell.and_then(Node::text);
        steps::check_all(&it, &steps::Host { system, shell }, problems);
    }
    if let Some(it) = job.get("uses") {
        super::actions::check_workflow(&it, problems);
    }
}

/// The image that a job leaves behind.
fn check_snapshot(node: &Node<'_>, problems: &mut WorkflowProblems) {
    if !node.is_object() {
        return;
    }
    keys::check(node, &["image-name", "version", "if"], "key of `snapshot`", problems);
    if !node.has("image-name") && !node.keys().any(|it| typo::nearest(it, ["image-name"]).is_some())
    {
        let message = "missing key `image-name`; the image has no name";
        problems.key(keys::KEY, Severity::Error, node, message);
    }
}

/// A job that waits for one name twice.
fn check_needs(job: &Node<'_>, problems: &mut WorkflowProblems) {
    if let Some(it) = job.get("needs") {
        keys::warn_empty(&it, "needs", problems);
    }
    let mut seen = BTreeSet::new();
    for need in job.get("needs").map(|it| it.one_or_many()).unwrap_or_default() {
        let Some(name) = need.text() else { continue };
        if !seen.insert(name.to_ascii_lowercase()) {
            let message = format!("the job waits for `{}` twice", cut(name));
            problems.value("SEM_NAME_REPEATED", Severity::Warning, &need, message);
        }
    }
}

pub(super) fn check_positive(node: Option<Node<'_>>, problems: &mut WorkflowProblems) {
    let Some(node) = node else { return };
    let Value::Number(number) = node.value else { return };
    if number.text().parse::<f64>().is_ok_and(|it| it <= 0.0) {
        let message = format!("expected a number above 0, found {}", number.text());
        problems.value(VALUE, Severity::Error, &node, message);
    }
}

pub(super) fn check_env_names(env: &Node<'_>, problems: &mut WorkflowProblems) {
    keys::check_repeated_env(env, problems);
    for (name, node) in env.members() {
        if name.is_empty() || name.contains(['=', '&', ' ']) {
            let message = format!(
                "`{}` cannot be the name of a variable: it has a blank, `=` or `&`",
                cut(name)
            );
            problems.key(NAME, Severity::Error, &node, message);
        }
    }
}

pub(super) fn check_concurrency(node: &Node<'_>, problems: &mut WorkflowProblems) {
    if node.text().is_some_and(|it| it.trim().is_empty()) {
        let message = "`concurrency` is empty; it names what runs one at a time";
        problems.value(keys::KEY, Severity::Warning, node, message);
    }
    if !node.is_object() {
        return;
    }
    let known = ["group", "cancel-in-progress", "queue"];
    keys::check(node, &known, "key of `concurrency`", problems);
    if !node.has("group") && !node.keys().any(|it| typo::nearest(it, ["group"]).is_some()) {
        problems.key(
            keys::KEY,
            Severity::Error,
            node,
            "missing key `group`; it names what runs one at a time",
        );
    }
}

pub(super) fn check_defaults(
    node: &Node<'_>,
    system: Option<System>,
    problems: &mut WorkflowProblems,
) {
    if !node.is_object() {
        return;
    }
    keys::warn_empty(node, "defaults", problems);
    keys::check(node, &["run"], "key of `defaults`", problems);
    let Some(run) = node.get("run") else { return };
    keys::warn_empty(&run, "run", problems);
    keys::check(&run, &["shell", "working-directory"], "key of `defaults.run`", problems);
    if let Some(shell) = run.get("shell") {
        check_shell(&shell, system, problems);
    }
}

/// Shells are compared without case, and a text with `{0}` is one of somebody's own.
pub(super) fn check_shell(
    node: &Node<'_>,
    system: Option<System>,
    problems: &mut WorkflowProblems,
) {
    let Some(text) = node.text() else { return };
    if text.contains("{0}") || node.is_dynamic() {
        return;
    }
    let name = text.to_ascii_lowercase();
    let is_in = |list: &str| TABLES.shells.get(list).is_some_and(|it| it.contains(&name.as_str()));
    let known = TABLES.shells.values().flatten().copied();
    if !known.clone().any(|it| it == name) {
        let near = typo::nearest(text, known.clone());
        let shown = known.collect::<Vec<_>>().join("`, `");
        let message = format!(
            "unknown shell `{}`; expected one of `{shown}`, or a command with `{{0}}` for the script",
            cut(text),
        );
        let problem = problems.value(SHELL, Severity::Error, node, message);
        if let Some((name, nearness)) = near {
            problem.replace(text, name, nearness);
        }
        return;
    }
    let message = match system {
        Some(System::Linux | System::Mac) if is_in("windows") => {
            format!("shell `{text}` is available only on Windows")
        }
        Some(System::Windows) if is_in("not_windows") => {
            format!("shell `{text}` is documented for Linux and macOS only")
        }
        _ => return,
    };
    let severity = if name == "sh" { Severity::Warning } else { Severity::Error };
    problems.value(SHELL, severity, node, message);
}

fn check_container(node: &Node<'_>, what: &str, problems: &mut WorkflowProblems) {
    if node.text().is_some_and(|it| it.trim().is_empty()) {
        let message = format!("the {what} has no image");
        problems.value(keys::KEY, Severity::Warning, node, message);
    }
    if !node.is_object() {
        return;
    }
    let known =
        ["image", "credentials", "env", "ports", "volumes", "options", "command", "entrypoint"];
    keys::check(node, &known, &format!("key of a {what}"), problems);
    if let Some(env) = node.get("env") {
        check_env_names(&env, problems);
    }
    let Some(credentials) = node.get("credentials").filter(Node::is_object) else { return };
    keys::check(&credentials, &["username", "password"], "key of `credentials`", problems);
    for key in ["username", "password"] {
        if !credentials.has(key) && !credentials.keys().any(|it| typo::nearest(it, [key]).is_some())
        {
            let message = format!("missing key `{key}`; credentials are a name and a password");
            problems.key(keys::KEY, Severity::Error, &credentials, message);
        }
    }
    if let Some(password) =
        credentials.get("password").filter(|it| it.scalar().is_some_and(|it| !it.contains("${{")))
    {
        let message = "the password is in plain text; use a secret";
        problems.value("SEM_CREDENTIALS", Severity::Warning, &password, message);
    }
}
