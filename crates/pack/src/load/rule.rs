//! One rule of a pack: the members that all rules have, and those of its kind.

use check::{Safety, Severity, Tier};
use document::{Pointer, Value};

use super::reader::{ManifestObject, ManifestProblems, cut, one_or_many, quoted, text};
use super::refuse;
use super::schema_files::CompileWhen;
use crate::github;
use crate::guard::Guard;
use crate::pack::FileKind;
use crate::pattern::Pattern;
use crate::rules::{
    PackRule, RuleBody, Within,
    cel::Cel,
    deprecated::{Deprecated, Successor},
    derived::Derived,
    forbidden::Forbidden,
    imports::ImportForm,
    imports::ImportRule,
    ordered::Ordered,
    reference::Reference,
    same_as::SameAs,
    together::Together,
    unique::Unique,
};
use crate::selector::Selector;
use crate::template::Template;
use crate::typo;

pub(super) const COMMON: [&str; 6] = ["id", "rule", "severity", "message", "safety", "about"];

/// The kinds of rules with their members.
pub(super) const KINDS: [(&str, &[&str]); 12] = [
    ("unique", &["places", "within"]),
    ("reference", &["from", "to", "within"]),
    ("same_as", &["source", "copies"]),
    ("imports", &["from", "to", "within", "path", "path_from", "ignore_case"]),
    ("derived", &["at", "template"]),
    ("ordered", &["at", "by", "order", "layout"]),
    ("forbidden", &["at", "key", "remove"]),
    ("deprecated", &["at", "key", "replacement", "move_to", "remove", "value_map"]),
    ("together", &["at", "keys"]),
    ("cel", &["at", "assert", "when"]),
    ("workflow", &["at"]),
    ("workflow_call", &["from", "to", "looks_at"]),
];

const MAX_PLACES: usize = 64;

/// What a member of a kind of rule says, in a few words.
pub(super) fn about_member(rule: &str, member: &str) -> &'static str {
    match (rule, member) {
        (_, "id") => "`SEM_…`, or `POL_…` for a policy",
        (_, "rule") => "the kind of rule",
        (_, "severity") => "how bad a finding is; an error, or a warning for a policy",
        (_, "message") => "why it matters, shown with every finding",
        (_, "safety") => "a stricter safety of its repairs",
        (_, "about") => "what it is about, for `regreen explain`",
        ("unique", "places") => "where every value may occur once",
        ("unique", "within") => "`file` if a value may occur again in another file",
        ("reference", "from") => "where names are used",
        ("reference", "to") => "where they are defined",
        ("reference", "within") => "`file` if only the same file defines them",
        ("same_as", "source") => "the value that counts; it must occur once",
        ("same_as", "copies") => "where it must be repeated",
        ("imports", "from") => "where imports are named",
        ("imports", "to") => "what has the names",
        ("imports", "within") => "`file` if keys of the same file are imported",
        ("imports", "path") => "whether an import is the path of a file",
        ("imports", "path_from") => {
            "whether a path is relative to the file's `folder` or to the `root`"
        }
        ("imports", "ignore_case") => "whether names are the same in upper and lower case",
        ("derived", "at") => "the value that follows from others",
        ("derived", "template") => "what it is: text with `{/POINTER|FUNCTION}`",
        ("ordered", "at") => "the list",
        ("ordered", "by") => "the part of each item that is compared, a pointer in it",
        ("ordered", "order") => "`ascending` or `descending`",
        ("ordered", "layout") => {
            "whether the order means nothing to the programs that read the file"
        }
        ("forbidden", "at") => "the object",
        ("forbidden", "key") => "the key that must not be in it",
        ("forbidden", "remove") => "whether the repair is to remove it",
        ("deprecated", "at") => "the object",
        ("deprecated", "key") => "the old key",
        ("deprecated", "replacement") => "its new name",
        ("deprecated", "move_to") => "its new place, a pointer in the object",
        ("deprecated", "remove") => "whether it has no effect any more",
        ("deprecated", "value_map") => "old values and the new ones",
        ("together", "at") => "the object",
        ("together", "keys") => "the keys that it has all of or none of",
        ("cel", "at") => "the value that is `self`",
        ("cel", "assert") => "the expression that must be true",
        ("cel", "when") => "the expression without which it need not be",
        ("workflow", "at") => "the workflow, or the action",
        ("workflow_call", "from") => "where an action or a workflow is called",
        ("workflow_call", "to") => "the actions and workflows of the repository",
        ("workflow_call", "looks_at") => {
            "`target` for what is called, `inputs` for what it is given"
        }
        _ => "",
    }
}

pub(super) fn read(
    problems: &mut ManifestProblems<'_>,
    at: Pointer,
    value: &Value,
    kinds: &[Option<FileKind>],
    compile: CompileWhen,
) -> Option<PackRule> {
    let name = value.get("rule").and_then(Value::as_str);
    let kind = KINDS.iter().find(|it| Some(it.0) == name);
    let known: Vec<&str> = match kind {
        Some((_, members)) => COMMON.iter().chain(*members).copied().collect(),
        // Which members there are is not known; only the kind is reported.
        None => COMMON.iter().chain(KINDS.iter().flat_map(|it| it.1)).copied().collect(),
    };
    let members = ManifestObject::new(problems, at, value, &known)?;
    if kind.is_none()
        && let Some((at, name)) = members.required_text(problems, "rule")
    {
        let near = typo::nearest_first(name, KINDS.iter().map(|it| it.0), KINDS.len());
        refuse(
            problems,
            &at,
            format!("unknown kind of rule `{}`; expected one of {}", cut(name), quoted(&near)),
        );
    }
    let id = read_id(problems, &members);
    let severities = Severity::ALL.map(|it| (it.name(), it));
    let severity = members.choice(problems, "severity", &severities);
    let message = members.text(problems, "message").map(|it| it.1.trim().to_owned());
    let about = members.required_text(problems, "about").map(|it| it.1.to_owned());
    let body = read_body(&mut Ctx { problems, members: &members, kinds, compile }, kind?.0);
    let (id, tier) = id?;
    let body = body?;
    let floor = read_floor(problems, &members, &body);
    let by_tier = if tier == Tier::Policy { Severity::Warning } else { Severity::Error };
    Some(PackRule {
        id,
        tier,
        severity: severity.unwrap_or(by_tier),
        message,
        floor,
        about: about?,
        body,
    })
}

fn read_id(
    problems: &mut ManifestProblems<'_>,
    members: &ManifestObject<'_>,
) -> Option<(String, Tier)> {
    let (at, id) = members.required_text(problems, "id")?;
    let tier = match id {
        _ if id.starts_with("SEM_") => Some(Tier::Semantic),
        _ if id.starts_with("POL_") => Some(Tier::Policy),
        _ => None,
    };
    let is_word = id.len() > 4 && id.len() <= 80;
    let is_word = is_word
        && id.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'_');
    match tier {
        Some(tier) if is_word => Some((id.to_owned(), tier)),
        _ => {
            let message = "expected a rule id: `SEM_…` or `POL_…` in capitals, digits and `_`";
            refuse(problems, &at, message.to_owned());
            None
        }
    }
}

fn read_floor(
    problems: &mut ManifestProblems<'_>,
    members: &ManifestObject<'_>,
    body: &RuleBody,
) -> Option<Safety> {
    let levels = Safety::ALL.map(|it| (it.name(), it));
    let floor = members.choice(problems, "safety", &levels)?;
    let at = members.at.join("safety");
    match body.own_safety() {
        None => refuse(
            problems,
            &at,
            format!("`{}` has no repair, so it takes no safety; remove this", body.name()),
        ),
        Some(own) if floor < own => {
            let message = format!(
                "a repair of `{}` is `{}`; a pack may be stricter, not laxer",
                body.name(),
                own.name(),
            );
            refuse(problems, &at, message);
        }
        Some(_) => {}
    }
    Some(floor)
}

/// What the parts of a rule are read with.
struct Ctx<'a, 'p, 'f> {
    problems: &'p mut ManifestProblems<'f>,
    members: &'a ManifestObject<'a>,
    kinds: &'a [Option<FileKind>],
    compile: CompileWhen,
}

fn read_body(ctx: &mut Ctx<'_, '_, '_>, kind: &str) -> Option<RuleBody> {
    let body = match kind {
        "unique" => {
            RuleBody::Unique(Unique { places: ctx.places("places")?, within: ctx.within() })
        }
        "reference" => {
            let (from, to) = (ctx.places("from"), ctx.places("to"));
            RuleBody::Reference(Reference { from: from?, to: to?, within: ctx.within() })
        }
        "same_as" => {
            let (source, copies) = (ctx.place("source"), ctx.places("copies"));
            RuleBody::SameAs(SameAs { source: source?, copies: copies? })
        }
        "imports" => RuleBody::Imports(ctx.imports()?),
        "derived" => RuleBody::Derived(ctx.derived()?),
        "ordered" => RuleBody::Ordered(ctx.ordered()?),
        "forbidden" => {
            let (at, key) = (ctx.place("at"), ctx.text("key"));
            let remove = ctx.members.flag(ctx.problems, "remove");
            RuleBody::Forbidden(Forbidden { at: at?, key: key?, remove })
        }
        "deprecated" => RuleBody::Deprecated(ctx.deprecated()?),
        "together" => RuleBody::Together(ctx.together()?),
        "workflow" => RuleBody::Workflow(github::Workflow { at: ctx.places("at")? }),
        "workflow_call" => {
            let (from, to) = (ctx.places("from"), ctx.places("to"));
            let choices = [("target", false), ("inputs", true)];
            let of_inputs = ctx.members.choice(ctx.problems, "looks_at", &choices).unwrap_or(false);
            RuleBody::Calls(github::Calls { from: from?, to: to?, of_inputs })
        }
        _ => RuleBody::Cel(Box::new(ctx.cel()?)),
    };
    Some(body)
}

impl Ctx<'_, '_, '_> {
    fn text(&mut self, key: &str) -> Option<String> {
        self.members.required_text(self.problems, key).map(|it| it.1.to_owned())
    }

    fn within(&mut self) -> Within {
        let choices = [("workspace", Within::Workspace), ("file", Within::File)];
        self.members.choice(self.problems, "within", &choices).unwrap_or(Within::Workspace)
    }

    fn places(&mut self, key: &str) -> Option<Vec<Selector>> {
        let (at, value) = self.members.required(self.problems, key)?;
        let items = one_or_many(at.clone(), value);
        if items.is_empty() || items.len() > MAX_PLACES {
            refuse(self.problems, &at, format!("expected 1 to {MAX_PLACES} places for `{key}`"));
            return None;
        }
        let places: Vec<Option<Selector>> =
            items.into_iter().map(|(at, value)| self.read_place(at, value)).collect();
        places.into_iter().collect()
    }

    fn place(&mut self, key: &str) -> Option<Selector> {
        let (at, value) = self.members.required(self.problems, key)?;
        self.read_place(at, value)
    }

    /// A place whose values are meant, because the rule is about what stands there.
    fn value_place(&mut self) -> Option<Selector> {
        let place = self.place("at")?;
        if place.keys {
            let at = self.members.at.join("at").join("keys");
            refuse(
                self.problems,
                &at,
                "expected `at`: this kind of rule is about values".to_owned(),
            );
            return None;
        }
        Some(place)
    }

    fn read_place(&mut self, at: Pointer, value: &Value) -> Option<Selector> {
        let members = ManifestObject::new(self.problems, at.clone(), value, &["in", "at", "keys"])?;
        let kind = members.required_text(self.problems, "in");
        let kind = kind.and_then(|(at, name)| {
            let known = self.kinds.iter().enumerate();
            let found = known
                .filter_map(|(idx, it)| Some((idx, it.as_ref()?)))
                .find(|it| it.1.name == name);
            // A kind that could not be read is a problem of its own.
            if found.is_none() && self.kinds.iter().all(Option::is_some) {
                let names = self.kinds.iter().flatten().map(|it| it.name.as_str());
                let near = typo::nearest_first(name, names, 8);
                refuse(
                    self.problems,
                    &at,
                    format!("cannot find kind `{}`; expected one of {}", cut(name), quoted(&near)),
                );
            }
            found.map(|it| (it.0, name.to_owned()))
        });
        let pattern = match (members.get("at"), members.get("keys")) {
            (Some(one), None) => Some((one, false)),
            (None, Some(one)) => Some((one, true)),
            (Some(_), Some((at, _))) => {
                refuse(self.problems, &at, "a place has `at` or `keys`, not both".to_owned());
                None
            }
            (None, None) => {
                refuse(self.problems, &at, "expected `at` (values) or `keys`".to_owned());
                None
            }
        };
        let pattern = pattern.and_then(|((at, value), keys)| {
            let (at, pattern) = text(self.problems, at, value)?;
            match Pattern::parse(pattern) {
                Ok(pattern) => Some((pattern, keys)),
                Err(error) => {
                    refuse(self.problems, &at, error.to_string());
                    None
                }
            }
        });
        let ((kind, kind_name), (pattern, keys)) = (kind?, pattern?);
        Some(Selector { kind, kind_name, pattern, keys })
    }

    fn imports(&mut self) -> Option<ImportRule> {
        let from = self.places("from");
        let is_path = self.members.flag(self.problems, "path");
        let path_from =
            self.members.choice(self.problems, "path_from", &[("folder", false), ("root", true)]);
        let has_to = self.members.get("to").is_some();
        let within = self.within();
        let at = self.members.at.clone();
        let target = match (has_to, is_path || path_from.is_some()) {
            (true, false) if within == Within::File => ImportForm::Entry(self.entries("to")?),
            (true, false) => ImportForm::Name(self.places("to")?),
            (false, true) if within == Within::File => {
                let at = at.join("within");
                refuse(self.problems, &at, "a path leads out of the file; remove this".to_owned());
                return None;
            }
            (false, true) if path_from == Some(true) => ImportForm::RootPath,
            (false, true) => ImportForm::RelativePath,
            (true, true) => {
                refuse(
                    self.problems,
                    &at,
                    "an import is by name (`to`) or by path, not both".to_owned(),
                );
                return None;
            }
            (false, false) => {
                refuse(
                    self.problems,
                    &at,
                    "say what is imported: `to` places, or `path: true`".to_owned(),
                );
                return None;
            }
        };
        let ignore_case = self.members.flag(self.problems, "ignore_case");
        Some(ImportRule { from: from?, target, ignore_case })
    }

    /// Places whose keys are meant, because a key has an entry that imports can stand in.
    fn entries(&mut self, key: &str) -> Option<Vec<Selector>> {
        let places = self.places(key)?;
        if places.iter().all(|it| it.keys) {
            return Some(places);
        }
        let at = self.members.at.join(key);
        let message = format!("within a file, `{key}` is the `keys` of the entries; write `keys`");
        refuse(self.problems, &at, message);
        None
    }

    fn derived(&mut self) -> Option<Derived> {
        let place = self.value_place();
        let (at, text) = self.members.required_text(self.problems, "template")?;
        let template = match Template::parse(text) {
            Ok(template) => template,
            Err(message) => {
                refuse(self.problems, &at, message);
                return None;
            }
        };
        let place = place?;
        if template.n_stars() > place.pattern.n_stars() {
            refuse(self.problems, &at, "the template has more `*` than `at`".to_owned());
            return None;
        }
        Some(Derived { at: place, template, text: text.to_owned(), is_shared: false })
    }

    fn ordered(&mut self) -> Option<Ordered> {
        let at = self.value_place();
        let by = match self.members.text(self.problems, "by") {
            None => Pointer::root(),
            Some((at, text)) => match text.parse() {
                Ok(pointer) => pointer,
                Err(error) => {
                    refuse(self.problems, &at, format!("{error}"));
                    return None;
                }
            },
        };
        let order = [("ascending", false), ("descending", true)];
        let descending = self.members.choice(self.problems, "order", &order).unwrap_or(false);
        let layout = self.members.flag(self.problems, "layout");
        Some(Ordered { at: at?, by, descending, layout })
    }

    fn deprecated(&mut self) -> Option<Deprecated> {
        let (at, key) = (self.value_place(), self.text("key"));
        let successor = self.successor();
        let value_map = match self.members.get("value_map") {
            None => Vec::new(),
            Some((_, Value::Object(members))) => members.clone(),
            Some((at, _)) => {
                refuse(
                    self.problems,
                    &at,
                    "expected an object that maps old values to new ones".to_owned(),
                );
                return None;
            }
        };
        let (key, successor) = (key?, successor?);
        if matches!(&successor, Successor::Key(it) if *it == key) {
            let at = self.members.at.join("replacement");
            refuse(self.problems, &at, "a key cannot replace itself".to_owned());
            return None;
        }
        if matches!(&successor, Successor::Place(it) if it.segments().first() == Some(&key)) {
            let at = self.members.at.join("move_to");
            refuse(self.problems, &at, "a key cannot move into itself".to_owned());
            return None;
        }
        Some(Deprecated { at: at?, key, successor, value_map })
    }

    /// What has taken the place of a deprecated key: `replacement`, `move_to` or `remove`, one of them.
    fn successor(&mut self) -> Option<Successor> {
        let place = self.members.text(self.problems, "move_to");
        let is_removed = self.members.flag(self.problems, "remove");
        let is_named = self.members.get("replacement").is_some();
        if usize::from(is_named) + usize::from(place.is_some()) + usize::from(is_removed) > 1 {
            let at = self.members.at.clone();
            let message = "`replacement`, `move_to` and `remove` exclude each other".to_owned();
            refuse(self.problems, &at, message);
            return None;
        }
        if is_removed {
            return Some(Successor::Nothing);
        }
        let Some((at, text)) = place else { return self.text("replacement").map(Successor::Key) };
        match text.parse::<Pointer>() {
            Ok(path) if path.segments().len() > 1 => Some(Successor::Place(path)),
            Ok(_) => {
                let message = "`move_to` leads into another key; use `replacement` for one of the same object";
                refuse(self.problems, &at, message.to_owned());
                None
            }
            Err(error) => {
                refuse(self.problems, &at, format!("`move_to` is not a pointer: {error}"));
                None
            }
        }
    }

    fn together(&mut self) -> Option<Together> {
        let place = self.value_place();
        let (at, value) = self.members.required(self.problems, "keys")?;
        let mut keys: Vec<String> = Vec::new();
        for (at, value) in one_or_many(at.clone(), value) {
            let (at, key) = text(self.problems, at, value)?;
            if keys.iter().any(|it| it == key) {
                refuse(self.problems, &at, format!("duplicate key `{}`", cut(key)));
            }
            keys.push(key.to_owned());
        }
        if keys.len() < 2 || keys.len() > MAX_PLACES {
            refuse(self.problems, &at, format!("expected 2 to {MAX_PLACES} keys"));
            return None;
        }
        Some(Together { at: place?, keys })
    }

    fn cel(&mut self) -> Option<Cel> {
        let at = self.value_place();
        let (assert_at, source) = self.members.required_text(self.problems, "assert")?;
        let assert = self.guard(&assert_at, source);
        let when = match self.members.text(self.problems, "when") {
            Some((at, source)) => Some(self.guard(&at, source)?),
            None => None,
        };
        let text = source.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Cel { at: at?, assert: assert?, when, text: cut(&text) })
    }

    fn guard(&mut self, at: &Pointer, source: &str) -> Option<Guard> {
        let guard = match self.compile {
            CompileWhen::Now => Guard::compile(source),
            CompileWhen::WhenNeeded => Ok(Guard::known(source)),
        };
        match guard {
            Ok(guard) => Some(guard),
            Err(message) => {
                refuse(self.problems, at, message);
                None
            }
        }
    }
}
