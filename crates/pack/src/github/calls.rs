//! Actions and workflows of the same repository: whether they are there, and whether what they are called with is what
//! they declare.

use std::collections::BTreeMap;

use check::{RepairKind, Safety, Severity};
use document::{GuardedOp, Op, Pointer, Value};
use snapshot::{RelPath, Snapshot};

use super::expr::{self, Expr};
use super::node::Node;
use super::problem::confidence;
use super::steps;
use crate::finding::{MemberPart, RuleFinding, Suggestion, op};
use crate::rules::FileView;
use crate::schema::cut;
use crate::selector::{FileOccurrence, Occurrence, Selector};
use crate::typo;

/// Who calls whom by a path of the repository.
#[derive(Debug)]
pub(crate) struct Calls {
    pub(crate) from: Vec<Selector>,
    pub(crate) to: Vec<Selector>,
    /// Whether the inputs are looked at, not whether the target is there.
    pub(crate) of_inputs: bool,
}

/// What a call leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallTarget {
    Action,
    Workflow,
}

impl Calls {
    /// The calls of a file, and what it declares for those that call it.
    pub(crate) fn occurrences(&self, view: &FileView<'_>) -> Vec<(usize, Vec<Occurrence>)> {
        let root = Node::root(view.value);
        let is_of = |places: &[Selector]| places.iter().any(|it| it.kind == view.kind);
        let mut lists = Vec::new();
        if is_of(&self.from) {
            lists.push((0, calls(&root)));
        }
        if is_of(&self.to) {
            lists.push((1, declared(&root).into_iter().collect()));
        }
        lists
    }

    pub(crate) fn look(
        &self,
        calls: &[FileOccurrence<'_>],
        declared: &[FileOccurrence<'_>],
        tree: &Snapshot,
    ) -> Vec<RuleFinding> {
        let declared: BTreeMap<&RelPath, &Value> =
            declared.iter().map(|it| (it.0, &it.1.value)).collect();
        let mut found = Vec::new();
        for (file, occurrence) in calls {
            let call = Node::root(&occurrence.value);
            let Some(uses) = call.get("uses").and_then(|it| it.text()) else { continue };
            let target = if call.has("job") { CallTarget::Workflow } else { CallTarget::Action };
            let Some(paths) = paths(uses, target) else { continue };
            let there = paths.iter().find(|it| tree.get(it).is_some());
            match (there, self.of_inputs) {
                (None, false) => {
                    let what = match target {
                        CallTarget::Action => "there is no `action.yml`",
                        CallTarget::Workflow => "there is no such file",
                    };
                    let message = format!("cannot find `{}` in the repository: {what}", cut(uses));
                    let severity = match target {
                        CallTarget::Action => Severity::Info,
                        CallTarget::Workflow => Severity::Warning,
                    };
                    let one =
                        RuleFinding::new(file, occurrence.pointer(), MemberPart::Value, message);
                    found.push(RuleFinding { severity: Some(severity), ..one });
                }
                (Some(path), true) => {
                    if let Some(declared) = declared.get(path) {
                        let call = Call { file, occurrence, call: &call, uses, target };
                        call.check(&Node::root(declared), &mut found);
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// The files that a path can mean; `None` if it leads out of the repository.
fn paths(uses: &str, target: CallTarget) -> Option<Vec<RelPath>> {
    let path = uses.strip_prefix("./")?.trim_end_matches('/');
    let names: &[&str] = match target {
        CallTarget::Workflow => return Some(vec![RelPath::parse(path).ok()?]),
        CallTarget::Action => &["action.yml", "action.yaml", "Dockerfile"],
    };
    let path = path.trim_end_matches("/.");
    let full = |name: &&str| match path {
        "" | "." => (*name).to_owned(),
        _ => format!("{path}/{name}"),
    };
    names.iter().map(|it| RelPath::parse(&full(it)).ok()).collect()
}

/// The calls by path, each with the names and scalars that it passes.
fn calls(root: &Node<'_>) -> Vec<Occurrence> {
    let mut found = Vec::new();
    let mut add = |caller: &Node<'_>, is_job: bool, outputs: Vec<(String, Value)>| {
        let Some(uses) = caller.get("uses") else { return };
        let is_file = |it: &str| it.ends_with(".yml") || it.ends_with(".yaml");
        let is_path =
            |it: &str| it.starts_with("./") && !it.contains("${{") && (!is_job || is_file(it));
        if !uses.text().is_some_and(is_path) {
            return;
        }
        let mut members = vec![("uses".to_owned(), uses.value.clone())];
        for key in ["with", "secrets"] {
            if let Some(it) = caller.get(key) {
                members.push((key.to_owned(), scalars(it.value)));
            }
        }
        if is_job {
            members.push(("job".to_owned(), Value::Bool(true)));
        }
        if !outputs.is_empty() {
            members.push(("outputs".to_owned(), Value::Object(outputs)));
        }
        found.push(Occurrence::new(&uses.at, &Value::Object(members)));
    };
    let id_of = |step: &Node<'_>| step.get("id").and_then(|it| it.text()).map(str::to_owned);
    let jobs = root.get("jobs").map(|it| it.members()).unwrap_or_default();
    let is_local = |it: &Node<'_>| {
        it.get("uses").and_then(|it| it.text()).is_some_and(|it| it.starts_with("./"))
    };
    if jobs.iter().any(|it| is_local(&it.1)) {
        let mut uses = OutputUses::default();
        jobs.iter().for_each(|(_, job)| uses.look(job));
        if let Some(it) = root.get_in(&["on", "workflow_call", "outputs"]) {
            uses.look(&it);
        }
        for (name, job) in jobs.iter().filter(|it| is_local(&it.1)) {
            let mut outputs = uses.of("needs", name);
            outputs.extend(uses.of("jobs", name));
            add(job, true, outputs);
        }
    }
    let runs = root.get("runs");
    let own = [(runs.clone(), root.get("outputs"))];
    let of_jobs = jobs.iter().map(|it| (Some(it.1.clone()), None));
    for (host, outside) in of_jobs.chain(own) {
        let Some(steps) = host.as_ref().and_then(|it| it.get("steps")) else { continue };
        let steps = steps::flat(&steps);
        if !steps.iter().any(is_local) {
            continue;
        }
        let mut uses = OutputUses::default();
        host.iter().chain(&outside).for_each(|it| uses.look(it));
        for step in steps.iter().filter(|it| is_local(it)) {
            let outputs = id_of(step).map(|it| uses.of("steps", &it)).unwrap_or_default();
            add(step, false, outputs);
        }
    }
    found
}

/// The outputs that expressions read, each with the place of the scalar that it is read in.
#[derive(Default)]
struct OutputUses {
    /// The context, whose output it is, its name and where; names are in lower case.
    found: Vec<(String, String, String, Pointer)>,
}

impl OutputUses {
    fn look(&mut self, node: &Node<'_>) {
        match node.value {
            Value::String(text) if text.contains("${{") => {
                for it in expr::placeholders(text) {
                    if let Ok(expr) = it.parsed {
                        self.in_expr(&expr, &node.at);
                    }
                }
            }
            Value::String(text) if node.at.segments().last().is_some_and(|it| it == "if") => {
                if let Ok(expr) = expr::bare(text) {
                    self.in_expr(&expr, &node.at);
                }
            }
            Value::Object(_) => node.members().iter().for_each(|it| self.look(&it.1)),
            Value::Array(_) => node.items().iter().for_each(|it| self.look(it)),
            _ => {}
        }
    }

    fn in_expr(&mut self, expr: &Expr, at: &Pointer) {
        let parts = expr.path();
        if let Some([context, owner, outputs, name]) = parts.as_deref()
            && outputs == "outputs"
        {
            self.found.push((context.clone(), owner.clone(), name.clone(), at.clone()));
        }
        expr.parts().into_iter().for_each(|it| self.in_expr(it, at));
    }

    /// Every output of one step or job that is read, with the first place.
    fn of(&self, context: &str, owner: &str) -> Vec<(String, Value)> {
        let owner = owner.to_ascii_lowercase();
        let mut outputs: Vec<(String, Value)> = Vec::new();
        for (_, _, name, at) in self.found.iter().filter(|it| it.0 == context && it.1 == owner) {
            if !outputs.iter().any(|it| it.0 == *name) {
                outputs.push((name.clone(), Value::String(at.to_string())));
            }
        }
        outputs
    }
}

/// The value without what is inside of its members.
fn scalars(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let short = |it: &Value| match it {
                Value::Object(_) | Value::Array(_) => Value::Null,
                Value::String(text) if text.contains("${{") => Value::Null,
                Value::String(text) => Value::String(cut(text)),
                other => other.clone(),
            };
            Value::Object(members.iter().map(|(key, it)| (key.clone(), short(it))).collect())
        }
        Value::Array(_) => Value::Null,
        other => other.clone(),
    }
}

/// What a file declares for those that call it: the inputs and secrets, each with its type and whether it must be given.
fn declared(root: &Node<'_>) -> Option<Occurrence> {
    let mut members = Vec::new();
    let lists = if root.has("runs") {
        // What runs in JavaScript or a container can give outputs that it does not declare.
        let using = root.get_in(&["runs", "using"]).and_then(|it| it.text());
        members.push(("fixed".to_owned(), Value::Bool(using == Some("composite"))));
        vec![("inputs", root.get("inputs")), ("outputs", root.get("outputs"))]
    } else {
        let on = root.get("on")?;
        let is_called = on.has("workflow_call")
            || on.one_or_many().iter().any(|it| it.text() == Some("workflow_call"));
        members.push(("callable".to_owned(), Value::Bool(is_called)));
        let call = on.get("workflow_call");
        let of = |key: &str| call.as_ref().and_then(|it| it.get(key));
        members.push(("fixed".to_owned(), Value::Bool(true)));
        vec![("inputs", of("inputs")), ("secrets", of("secrets")), ("outputs", of("outputs"))]
    };
    for (key, list) in lists {
        let list = list.map(|it| it.members()).unwrap_or_default();
        let one = |(name, it): (&str, Node<'_>)| {
            let is_required =
                it.get("required").and_then(|it| it.scalar()).as_deref() == Some("true");
            let kind = it.get("type").and_then(|it| it.scalar()).unwrap_or_default();
            let occurrences = [
                ("required".to_owned(), Value::Bool(is_required && !it.has("default"))),
                ("type".to_owned(), Value::String(kind)),
                ("deprecated".to_owned(), Value::Bool(it.has("deprecationMessage"))),
            ];
            (name.to_owned(), Value::Object(occurrences.to_vec()))
        };
        members.push((key.to_owned(), Value::Object(list.into_iter().map(one).collect())));
    }
    Some(Occurrence::new(&Pointer::root(), &Value::Object(members)))
}

struct Call<'a> {
    file: &'a RelPath,
    occurrence: &'a Occurrence,
    call: &'a Node<'a>,
    uses: &'a str,
    target: CallTarget,
}

impl Call<'_> {
    fn check(&self, declared: &Node<'_>, found: &mut Vec<RuleFinding>) {
        if matches!(declared.value.get("callable"), Some(Value::Bool(false))) {
            let message =
                format!("`{}` cannot be called: it has no event `workflow_call`", cut(self.uses));
            found.push(RuleFinding::new(
                self.file,
                self.occurrence.pointer(),
                MemberPart::Value,
                message,
            ));
            return;
        }
        self.check_outputs(declared, found);
        self.check_names("with", "input", declared.get("inputs"), found);
        let inherits = self.call.get("secrets").and_then(|it| it.text()) == Some("inherit");
        if self.target == CallTarget::Workflow && !inherits {
            self.check_names("secrets", "secret", declared.get("secrets"), found);
        }
    }

    /// Outputs that are read and not declared are always empty.
    fn check_outputs(&self, declared: &Node<'_>, found: &mut Vec<RuleFinding>) {
        let Some(outputs) = declared.get("outputs") else { return };
        let is_fixed = matches!(declared.value.get("fixed"), Some(Value::Bool(true)));
        let uses = cut(self.uses);
        for (name, place) in self.call.get("outputs").map(|it| it.members()).unwrap_or_default() {
            if name == "*" || outputs.keys().any(|it| it.eq_ignore_ascii_case(name)) {
                continue;
            }
            let Some(at) = place.text().and_then(|it| it.parse::<Pointer>().ok()) else { continue };
            let near = typo::nearest(name, outputs.keys());
            let known = typo::nearest_first(name, outputs.keys(), 6).join("`, `");
            let hint = match near {
                Some((near, _)) => format!("consider `{near}`"),
                None if known.is_empty() => "it has none".to_owned(),
                None => format!("there are `{known}`"),
            };
            let severity = match (is_fixed, near) {
                (true, Some(_)) => Severity::Error,
                (true, None) | (false, Some(_)) => Severity::Warning,
                (false, None) => Severity::Info,
            };
            let message = format!("`{uses}` has no output `{}`; {hint}", cut(name));
            let one = RuleFinding::new(self.file, at, MemberPart::Value, message);
            found.push(RuleFinding { severity: Some(severity), ..one });
        }
    }

    fn check_names(
        &self,
        key: &str,
        what: &str,
        declared: Option<Node<'_>>,
        found: &mut Vec<RuleFinding>,
    ) {
        let Some(declared) = declared else { return };
        let given = self.call.get(key).map(|it| it.members()).unwrap_or_default();
        if given.iter().any(|it| it.0 == "<<") {
            return;
        }
        let uses = cut(self.uses);
        let at = self.occurrence.pointer();
        let caller = at.prefix(at.segments().len().saturating_sub(1));
        let mut meant = Vec::new();
        for (name, value) in &given {
            let known = declared.members().into_iter().find(|it| it.0.eq_ignore_ascii_case(name));
            let at = caller.join(key).join(*name);
            let Some((_, occurrences)) = known else {
                // Docker actions take these beside their inputs.
                if self.target == CallTarget::Action && matches!(*name, "entrypoint" | "args") {
                    continue;
                }
                let near = typo::nearest(name, declared.keys());
                meant.extend(near.map(|it| it.0));
                found.push(self.unknown(&caller.join(key), name, what, &declared, near));
                continue;
            };
            if matches!(occurrences.value.get("deprecated"), Some(Value::Bool(true))) {
                let message = format!("{what} `{name}` of `{uses}` is deprecated");
                let one = RuleFinding::new(self.file, at.clone(), MemberPart::Key, message);
                found.push(RuleFinding { severity: Some(Severity::Info), ..one });
            }
            let kind = occurrences.get("type").and_then(|it| it.text()).unwrap_or_default();
            if let Some(why) = mismatch(kind, value.value) {
                let message = format!("{what} `{name}` of `{uses}`: {why}");
                found.push(RuleFinding::new(self.file, at, MemberPart::Value, message));
            }
        }
        for (name, occurrences) in declared.members() {
            let is_required = matches!(occurrences.value.get("required"), Some(Value::Bool(true)));
            let is_given = given.iter().any(|it| it.0.eq_ignore_ascii_case(name));
            if is_required && !is_given && !meant.contains(&name) {
                let message = format!("missing {what} `{name}`, which `{uses}` requires");
                found.push(RuleFinding::new(self.file, at.clone(), MemberPart::Value, message));
            }
        }
    }

    fn unknown(
        &self,
        object: &Pointer,
        name: &str,
        what: &str,
        declared: &Node<'_>,
        near: Option<(&str, typo::Nearness)>,
    ) -> RuleFinding {
        let uses = cut(self.uses);
        let known = typo::nearest_first(name, declared.keys(), 6).join("`, `");
        let message = match near {
            Some((near, _)) => format!("`{uses}` has no {what} `{}`; consider `{near}`", cut(name)),
            None if known.is_empty() => {
                format!("`{uses}` has no {what} `{}`; it has none", cut(name))
            }
            None => format!("`{uses}` has no {what} `{}`; it has `{known}`", cut(name)),
        };
        // GitHub refuses to call a workflow so, and warns of an action.
        let severity = match (self.target, near) {
            (CallTarget::Action, None) => Severity::Warning,
            _ => Severity::Error,
        };
        let suggestion = near.map(|(near, nearness)| {
            let (at, from, to) = (object.clone(), name.to_owned(), near.to_owned());
            let title = format!("Rename `{}` to `{near}`", cut(name));
            Suggestion {
                rationale: title.clone(),
                title,
                safety: Safety::BehaviorChanging,
                confidence: confidence(nearness),
                kind: RepairKind::LocalFix,
                ops: vec![op(self.file, GuardedOp::from(Op::RenameKey { at, from, to }))],
            }
        });
        let found = RuleFinding::new(self.file, object.join(name), MemberPart::Key, message)
            .with(suggestion);
        RuleFinding { severity: Some(severity), ..found }
    }
}

/// Why a value cannot be that of an input of a type.
fn mismatch(kind: &str, value: &Value) -> Option<String> {
    let text = Node::root(value).scalar()?;
    let is_right = match kind {
        "boolean" => matches!(value, Value::Bool(_)),
        "number" => matches!(value, Value::Number(_)),
        _ => true,
    };
    (!is_right).then(|| format!("expected a {kind}, found `{}`", cut(&text)))
}
