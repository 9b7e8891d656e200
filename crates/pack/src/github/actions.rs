//! What steps and jobs use: how it is named, whether it still runs, and which inputs it takes.

use check::Severity;
use document::Value;

use super::node::Node;
use super::problem::WorkflowProblems;
use super::tables::{ActionFacts, TABLES};
use crate::schema::cut;
use crate::typo;

const REFERENCE: &str = "SEM_ACTION_REFERENCE";
const OUTDATED: &str = "SEM_ACTION_OUTDATED";
const INPUT: &str = "SEM_ACTION_INPUT";

/// The facts about the action that a step uses, if it is in the table.
pub(super) fn facts(uses: &str) -> Option<&'static ActionFacts> {
    TABLES.actions.get(&uses.to_ascii_lowercase())
}

pub(super) fn check(uses: &Node<'_>, step: &Node<'_>, problems: &mut WorkflowProblems) {
    let Some(text) = uses.text().filter(|_| !uses.is_dynamic()) else { return };
    if let Some(image) = text.strip_prefix("docker://") {
        let has_tag = !image.ends_with(':') && !image.ends_with('@');
        if image.is_empty() || !has_tag || image.contains(char::is_whitespace) {
            let shown = cut(text);
            let message =
                format!("expected `docker://IMAGE` or `docker://IMAGE:TAG`, found `{shown}`");
            problems.value(REFERENCE, Severity::Error, uses, message);
        }
        return;
    }
    if text.starts_with("./") {
        return;
    }
    if let Some(why) = bad_name(text, 2) {
        problems.value(REFERENCE, Severity::Error, uses, why);
        return;
    }
    if TABLES.outdated.contains(&text.to_ascii_lowercase()) {
        outdated(uses, text, problems);
    }
    if let Some(facts) = facts(text) {
        check_inputs(facts, uses, step, problems);
    }
}

/// What is wrong with the name of an action or a workflow of another repository.
fn bad_name(text: &str, min_parts: usize) -> Option<String> {
    let wanted = match min_parts {
        2 => "`OWNER/NAME@REF`, `./PATH` or `docker://IMAGE`",
        _ => "`OWNER/NAME/PATH/FILE.yml@REF` or `./.github/workflows/FILE.yml`",
    };
    let shown = cut(text);
    let Some((name, release)) = text.split_once('@') else {
        let why = if name_parts(text) >= min_parts {
            "the version after `@` is missing"
        } else {
            "it has too few parts"
        };
        return Some(format!("expected {wanted}, found `{shown}`: {why}"));
    };
    let is_right =
        name_parts(name) >= min_parts && !release.is_empty() && !text.contains(char::is_whitespace);
    (!is_right).then(|| format!("expected {wanted}, found `{shown}`"))
}

fn name_parts(name: &str) -> usize {
    if name.split('/').any(str::is_empty) { 0 } else { name.split('/').count() }
}

fn outdated(uses: &Node<'_>, text: &str, problems: &mut WorkflowProblems) {
    let (name, _) = text.split_once('@').unwrap_or((text, ""));
    let major = |release: &&str| release.strip_prefix('v').and_then(|it| it.parse::<u32>().ok());
    let releases = TABLES.releases.get(&name.to_ascii_lowercase());
    let newest = releases
        .and_then(|it| it.iter().copied().filter(|it| major(it).is_some()).max_by_key(major));
    let hint = newest.map(|it| format!("; consider `{it}`")).unwrap_or_default();
    let message =
        format!("`{}` needs a version of Node that runners no longer have{hint}", cut(text));
    problems.value(OUTDATED, Severity::Info, uses, message);
}

fn check_inputs(
    facts: &ActionFacts,
    uses: &Node<'_>,
    step: &Node<'_>,
    problems: &mut WorkflowProblems,
) {
    let Some(inputs) = &facts.inputs else { return };
    let with = step.get("with");
    let given: Vec<&str> = with.as_ref().map(|it| it.keys().collect()).unwrap_or_default();
    if with.as_ref().is_some_and(|it| !it.is_object() && *it.value != Value::Null)
        || given.contains(&"<<")
    {
        return;
    }
    let names = || inputs.iter().map(|it| it.name);
    let mut meant = Vec::new();
    let mut is_newer = false;
    for key in &given {
        let known = inputs.iter().find(|it| it.name.eq_ignore_ascii_case(key));
        let Some(with) = &with else { continue };
        match known {
            Some(input) if input.is_deprecated => {
                let message = format!("input `{key}` of `{}` is deprecated", facts.name);
                let node = Node { value: with.value, at: with.at.join(*key) };
                problems.key(INPUT, Severity::Info, &node, message);
            }
            Some(_) => {}
            None => {
                let near = typo::nearest(key, names());
                // An input that is not nearly one of the table may be why another is required no more.
                is_newer |= near.is_none();
                meant.extend(near.map(|it| it.0));
                let what = format!("input of `{}`", facts.name);
                problems.unknown_key(INPUT, with, key, &what, names());
            }
        }
    }
    for input in inputs.iter().filter(|it| it.is_required) {
        let is_given = given.iter().any(|it| it.eq_ignore_ascii_case(input.name));
        if !is_given && !meant.contains(&input.name) {
            let message =
                format!("missing input `{}`, which `{}` requires", input.name, facts.name);
            let severity = if is_newer { Severity::Info } else { Severity::Error };
            problems.value(INPUT, severity, uses, message);
        }
    }
}

/// A workflow that a job calls.
pub(super) fn check_workflow(uses: &Node<'_>, problems: &mut WorkflowProblems) {
    let Some(text) = uses.text().filter(|_| !uses.is_dynamic()) else { return };
    let is_local = text.starts_with("./");
    let why = match text.strip_prefix("./") {
        Some(path) if path.contains('@') => {
            Some(format!("a workflow of the same repository has no version, found `{}`", cut(text)))
        }
        Some(_) => None,
        None => bad_name(text, 3),
    };
    let is_file =
        text.split('@').next().is_some_and(|it| it.ends_with(".yml") || it.ends_with(".yaml"));
    let why = why.or_else(|| {
        let where_to =
            if is_local { "./.github/workflows/" } else { "OWNER/NAME/.github/workflows/" };
        (!is_file).then(|| format!("expected a file of `{where_to}`, found `{}`", cut(text)))
    });
    if let Some(why) = why {
        problems.value(REFERENCE, Severity::Error, uses, why);
    }
}
