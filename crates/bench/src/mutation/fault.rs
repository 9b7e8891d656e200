//! The faults: each kind takes something right and makes it wrong in one place, by an operation on the document, so
//! that comments and layout around it stay as a person left them.

use document::{Op, Pointer, Value};

use super::model::{number, string};
use crate::random::Random;

/// One thing made wrong in one file.
pub(crate) struct Fault {
    /// What kind it is, as the table calls it.
    pub(crate) kind: &'static str,
    /// The rule that must notice.
    pub(crate) rule: &'static str,
    /// Whether the rule knows how to mend it.
    pub(crate) has_repair: bool,
    /// Which file, by its place in the workspace.
    pub(crate) page: usize,
    /// What makes it wrong.
    pub(crate) change: Change,
}

/// How a document is made wrong.
pub(crate) enum Change {
    /// By operations, in order.
    Ops(Vec<Op>),
    /// By another order of the items of an array.
    Reorder(Pointer, Vec<usize>),
}

/// Every fault of every kind that the workspace has a place for.
pub(crate) fn faults(values: &[Value], random: &mut Random) -> Vec<Fault> {
    let mut found = Vec::new();
    for (page, value) in values.iter().enumerate() {
        let mut site = Site { page, value, values, random, found: &mut found };
        match value {
            _ if value.get("product").is_some() => site.product(),
            _ if value.get("module").is_some() => site.module(),
            _ => site.lock(),
        }
    }
    found
}

struct Site<'a> {
    page: usize,
    value: &'a Value,
    values: &'a [Value],
    random: &'a mut Random,
    found: &'a mut Vec<Fault>,
}

impl Site<'_> {
    fn push(&mut self, kind: &'static str, rule: &'static str, has_repair: bool, ops: Vec<Op>) {
        let change = Change::Ops(ops);
        self.found.push(Fault { kind, rule, has_repair, page: self.page, change });
    }

    fn repairable(&mut self, kind: &'static str, rule: &'static str, op: Op) {
        self.push(kind, rule, true, vec![op]);
    }

    fn hopeless(&mut self, kind: &'static str, rule: &'static str, op: Op) {
        self.push(kind, rule, false, vec![op]);
    }

    fn at(&self, pointer: &str) -> Option<Value> {
        let pointer: Pointer = pointer.parse().ok()?;
        pointer.segments().iter().try_fold(self.value, |value, it| step(value, it)).cloned()
    }

    fn text(&self, pointer: &str) -> String {
        self.at(pointer).as_ref().and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn product(&mut self) {
        let top = "/product";
        if self.text("/product/language") == "cel" {
            self.repairable(
                "missing key with a default",
                "SCHEMA_REQUIRED",
                remove(top, "language"),
            );
        }
        self.repairable("missing key with a constant", "SCHEMA_REQUIRED", remove(top, "format"));
        self.repairable("wrong constant", "SCHEMA_CONST", replace("/product/format", number(2)));
        self.spoil_enum("/product/stage");
        self.spoil_key(top, "stage");
        self.spoil_key(top, "public");
        self.number_as_text("/product/port");
        self.boolean_as_text("/product/public");
        let build = self.text("/product/build");
        let build = number(build.parse().unwrap_or_default());
        self.repairable("string as number", "SCHEMA_TYPE", replace("/product/build", build));
        self.duplicate("/product/tags");
        self.hopeless("missing key without a default", "SCHEMA_REQUIRED", remove(top, "port"));
        self.hopeless("unknown key", "SCHEMA_UNKNOWN_KEY", add(top, "zzqqxx", number(1)));
        self.hopeless(
            "number out of range",
            "SCHEMA_RANGE",
            replace("/product/port", number(99_999)),
        );
        self.hopeless("forbidden key", "SEM_NO_SECRET", add(top, "password", string("hunter2")));
        self.hopeless("half of a pair", "SEM_TLS_TOGETHER", remove("/product/tls", "private_key"));
        let min = replace("/product/replicas/min", number(77));
        self.hopeless("broken assertion", "SEM_REPLICAS", min);
        let uid = replace("/product/uid", string("Not A Uid"));
        self.hopeless("broken pattern", "SCHEMA_PATTERN", uid);
    }

    fn module(&mut self) {
        let top = "/module";
        self.spoil_enum("/module/layer");
        self.spoil_key(top, "layer");
        self.spoil_key(top, "owner");
        self.spoil_key(top, "timeout_seconds");
        self.number_as_text("/module/timeout_seconds");
        self.boolean_as_text("/module/enabled");
        let rename =
            Op::RenameKey { at: pointer(top), from: "owner".into(), to: "maintainer".into() };
        self.repairable("deprecated key", "SEM_LEGACY_KEY", rename);
        let other = replace("/module/product", string("something-else"));
        self.repairable("copy differs from its source", "SEM_IDENTITY_SINGLE_SOURCE", other);
        let uid = replace("/module/uid", string("mod_other"));
        self.repairable("derived value differs", "SEM_MODULE_UID", uid);
        self.repairable("derived value missing", "SEM_MODULE_UID", remove(top, "uid"));
        if let Some(Value::Array(imports)) = self.at("/module/imports") {
            self.duplicate("/module/imports");
            let index = self.random.below(imports.len());
            let name = imports[index].as_str().unwrap_or_default();
            let at = format!("/module/imports/{index}");
            let misspelt = replace(&at, string(&typo(name, self.random)));
            self.repairable("misspelt import", "SEM_IMPORT", misspelt);
            self.hopeless("import of nothing", "SEM_IMPORT", replace(&at, string("Astrolabe")));
            self.close_cycle(name);
        }
        if let Some(name) = self.another_module() {
            let twin = replace("/module/name", string(&name));
            self.hopeless("name taken twice", "SEM_MODULE_NAME_UNIQUE", twin);
        }
        self.entities();
    }

    fn entities(&mut self) {
        let Some(Value::Array(entities)) = self.at("/module/entities") else { return };
        for (entity, value) in entities.iter().enumerate() {
            let Some(Value::Array(fields)) = value.get("fields") else { continue };
            let list = format!("/module/entities/{entity}/fields");
            for field in 0..fields.len() {
                self.spoil_enum(&format!("{list}/{field}/type"));
            }
            self.spoil_key(&format!("{list}/0"), "type");
            let first = self.random.below(fields.len() - 1);
            let mut order: Vec<usize> = (0..fields.len()).collect();
            order.swap(first, first + 1);
            self.found.push(Fault {
                kind: "list out of order",
                rule: "SEM_FIELDS_ORDERED",
                has_repair: true,
                page: self.page,
                change: Change::Reorder(pointer(&list), order),
            });
        }
    }

    fn lock(&mut self) {
        let other = replace("/lock/product", string("something-else"));
        self.repairable("copy differs from its source", "SEM_IDENTITY_SINGLE_SOURCE", other);
        self.duplicate("/lock/modules");
        self.repairable("wrong constant", "SCHEMA_CONST", replace("/lock/version", number(4)));
        self.spoil_key("/lock", "modules");
        let Some(Value::Array(modules)) = self.at("/lock/modules") else { return };
        for (index, uid) in modules.iter().enumerate() {
            let misspelt = string(&typo(uid.as_str().unwrap_or_default(), self.random));
            let op = replace(&format!("/lock/modules/{index}"), misspelt);
            self.repairable("misspelt reference", "SEM_LOCKED_MODULE_EXISTS", op);
        }
        let nothing = replace("/lock/modules/0", string("mod_astrolabe"));
        self.hopeless("reference to nothing", "SEM_LOCKED_MODULE_EXISTS", nothing);
    }

    fn spoil_enum(&mut self, at: &str) {
        let value = self.text(at);
        let shouted = replace(at, string(&value.to_uppercase()));
        self.repairable("allowed value in another case", "SCHEMA_ENUM", shouted);
        if value.contains('-') {
            let spaced = replace(at, string(&value.replace('-', "_")));
            self.repairable("allowed value in another spacing", "SCHEMA_ENUM", spaced);
        }
        let misspelt = replace(at, string(&typo(&value, self.random)));
        self.repairable("misspelt allowed value", "SCHEMA_ENUM", misspelt);
        self.hopeless("value that is not allowed", "SCHEMA_ENUM", replace(at, string("zzqqxx")));
    }

    fn spoil_key(&mut self, at: &str, key: &str) {
        let rename = |to: String| Op::RenameKey { at: pointer(at), from: key.into(), to };
        let misspelt = rename(typo(key, self.random));
        self.repairable("misspelt key", "SCHEMA_UNKNOWN_KEY", misspelt);
        self.repairable("key in another case", "SCHEMA_UNKNOWN_KEY", rename(key.to_uppercase()));
    }

    fn number_as_text(&mut self, at: &str) {
        if let Some(Value::Number(number)) = self.at(at) {
            self.repairable("number as string", "SCHEMA_TYPE", replace(at, string(number.text())));
        }
    }

    fn boolean_as_text(&mut self, at: &str) {
        if let Some(Value::Bool(it)) = self.at(at) {
            let op = replace(at, string(if it { "true" } else { "false" }));
            self.repairable("boolean as string", "SCHEMA_TYPE", op);
        }
    }

    fn duplicate(&mut self, at: &str) {
        let Some(Value::Array(items)) = self.at(at) else { return };
        let value = items[self.random.below(items.len())].clone();
        let op = Op::InsertItem { at: pointer(at), index: None, value };
        self.repairable("duplicate item", "SCHEMA_UNIQUE_ITEMS", op);
    }

    /// The imported module imports this one: the fault lies in the file of the other.
    fn close_cycle(&mut self, imported: &str) {
        let this = self.text("/module/name");
        let other = self.values.iter().position(|it| {
            it.get("module").and_then(|it| it.get("name")).and_then(Value::as_str) == Some(imported)
        });
        let Some(page) = other else { return };
        let op = match self.values[page].get("module").and_then(|it| it.get("imports")) {
            Some(_) => {
                Op::InsertItem { at: pointer("/module/imports"), index: None, value: string(&this) }
            }
            None => add("/module", "imports", Value::Array(vec![string(&this)])),
        };
        self.found.push(Fault {
            kind: "import cycle",
            rule: "SEM_IMPORT",
            has_repair: false,
            page,
            change: Change::Ops(vec![op]),
        });
    }

    fn another_module(&self) -> Option<String> {
        let this = self.text("/module/name");
        let names = self.values.iter().filter_map(|it| it.get("module")?.get("name")?.as_str());
        names.map(str::to_owned).find(|it| *it != this)
    }
}

/// One letter added, dropped, replaced, or swapped with its neighbour; never the same word again.
fn typo(word: &str, random: &mut Random) -> String {
    let letters: Vec<char> = word.chars().collect();
    loop {
        let mut letters = letters.clone();
        let at = random.below(letters.len());
        let letter = char::from(b'a' + random.below(26) as u8);
        match random.below(4) {
            0 => letters.insert(at, letter),
            1 => drop(letters.remove(at)),
            2 => letters[at] = letter,
            _ => letters.swap(at, (at + 1) % word.chars().count()),
        }
        let misspelt: String = letters.into_iter().collect();
        let is_swap_around_the_ends = word.chars().count() > 2 && at + 1 == word.chars().count();
        if misspelt != word && !is_swap_around_the_ends {
            return misspelt;
        }
    }
}

fn step<'a>(value: &'a Value, segment: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => items.get(segment.parse::<usize>().ok()?),
        value => value.get(segment),
    }
}

fn pointer(text: &str) -> Pointer {
    text.parse().expect("the study's pointers are well formed")
}

fn replace(at: &str, value: Value) -> Op {
    Op::ReplaceValue { at: pointer(at), value }
}

fn remove(at: &str, key: &str) -> Op {
    Op::RemoveKey { at: pointer(at), key: key.into() }
}

fn add(at: &str, key: &str, value: Value) -> Op {
    Op::AddKey { at: pointer(at), key: key.into(), value }
}
