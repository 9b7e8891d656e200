//! CEL guards with hard limits: a rule of a pack must never cost more than it is worth, whatever the document.
//!
//! Before an expression is accepted, its length, its number of nodes, the depth of its comprehensions and its regular
//! expressions are bounded. Before it is evaluated on a value, an upper bound of the work is computed from the value
//! itself (see [`cost`]); what may cost too much is not evaluated. Evaluation recurses, so it runs on a thread with a
//! stack that fits any accepted expression and document: see [`on_a_deep_stack`].

mod cost;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, OnceLock};

use cel::common::ast::{EntryExpr, Expr, LiteralValue};
use cel::{Context, Env, ExecutionError, IdedExpr, Program};
use document::Value;

use crate::deep_stack::on_a_deep_stack;
use cost::Maps;

const MAX_SOURCE: usize = 4 << 10;
const MAX_NODES: usize = 500;
const MAX_NESTING: usize = 3;
/// What an evaluation may cost, in steps of the interpreter.
const MAX_COST: u64 = 1_000_000;
/// What all evaluations of one rule in one file may cost together.
const MAX_TOTAL_COST: u64 = 5_000_000;
const MAX_REGEX_SOURCE: usize = 512;
const MAX_REGEX_PROGRAM: usize = 256 << 10;

/// The names that an expression may use beside its own variables.
const VARIABLES: [&str; 2] = ["self", "doc"];
const TYPES: [&str; 10] =
    ["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"];
const FUNCTIONS: [&str; 13] = [
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "bool",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "dyn",
    "type",
];

static ENVIRONMENT: LazyLock<Arc<Env>> =
    LazyLock::new(|| Arc::new(Env::stdlib().with_optional_support(false)));

/// An expression within the limits.
pub(crate) struct Guard {
    source: String,
    compiled: OnceLock<Compiled>,
}

struct Compiled {
    program: Program,
    uses_doc: bool,
}

impl std::fmt::Debug for Guard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guard").finish_non_exhaustive()
    }
}

/// Why a guard could not be decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Undecided {
    #[error("it may cost more than {MAX_COST} steps here")]
    TooCostly,
    #[error(
        "earlier places of this file have cost {MAX_TOTAL_COST} steps; this one and those after it were not evaluated"
    )]
    SpentBefore,
    #[error("it makes a list of the members of a map, which have no order")]
    Unordered,
    #[error("expected true or false, found {found}")]
    NotBool { found: &'static str },
    #[error("{message}")]
    Failed { message: String },
}

impl Undecided {
    /// Whether the same would be said of every place that follows.
    pub(crate) fn is_last(&self) -> bool {
        *self == Undecided::SpentBefore
    }
}

impl Guard {
    /// Takes an expression, or says what is wrong with it.
    pub(crate) fn compile(source: &str) -> Result<Guard, String> {
        if source.len() > MAX_SOURCE {
            return Err(format!(
                "the expression has {} bytes, the limit is {MAX_SOURCE}",
                source.len()
            ));
        }
        let compiled = on_a_deep_stack(|| compile_here(source));
        let compiled = compiled.ok_or("cannot start a thread to read the expression")??;
        Ok(Guard { source: source.to_owned(), compiled: OnceLock::from(compiled) })
    }

    /// Takes an expression that is known to be right, and compiles it when it is first asked.
    pub(crate) fn known(source: &str) -> Guard {
        Guard { source: source.to_owned(), compiled: OnceLock::new() }
    }

    /// To be called on a deep stack.
    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            compile_here(&self.source).expect("a test compiles every expression that is built in")
        })
    }

    /// Whether the expression holds for a value in the scope of its document. To be called on a deep stack.
    pub(crate) fn holds(
        &self,
        scope: &mut Scope<'_>,
        self_value: &Value,
    ) -> Result<bool, Undecided> {
        let Compiled { program, uses_doc } = self.compiled();
        let left = scope.n_left.min(MAX_COST);
        let (cost, maps) = cost::of(program.expression(), self_value, scope.doc, left);
        let cost = cost.saturating_add(cost::weight(self_value, left));
        if cost > left {
            return Err(if left < MAX_COST {
                Undecided::SpentBefore
            } else {
                Undecided::TooCostly
            });
        }
        if maps == Maps::Listed {
            return Err(Undecided::Unordered);
        }
        scope.n_left -= cost;
        // A bug of the interpreter is a guard that was not decided, not the end of the run.
        let result = catch_unwind(AssertUnwindSafe(|| {
            let root = if *uses_doc { scope.with_doc()? } else { &scope.bare };
            let mut context = root.new_inner_scope();
            context.add_variable_from_value("self", to_cel(self_value));
            Some(program.execute(&context))
        }));
        match result {
            Ok(None) => Err(Undecided::TooCostly),
            Ok(Some(Ok(cel::Value::Bool(holds)))) => Ok(holds),
            Ok(Some(Ok(other))) => Err(Undecided::NotBool { found: type_name(&other) }),
            Ok(Some(Err(error))) => Err(Undecided::Failed { message: reason(&error, maps) }),
            Err(_) => Err(Undecided::Failed { message: "the evaluator failed".to_owned() }),
        }
    }
}

/// One document that guards are asked about, and what they may still cost together.
pub(crate) struct Scope<'a> {
    doc: &'a Value,
    bare: Context<'static, 'static>,
    with_doc: Option<Context<'static, 'static>>,
    n_left: u64,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(doc: &'a Value) -> Scope<'a> {
        let bare = Context::with_env(Arc::clone(&ENVIRONMENT));
        Scope { doc, bare, with_doc: None, n_left: MAX_TOTAL_COST }
    }

    /// The context that knows `doc`, made when it is first needed; `None` if the document is too large to be converted.
    fn with_doc(&mut self) -> Option<&Context<'static, 'static>> {
        if self.with_doc.is_none() {
            if cost::weight(self.doc, MAX_COST) > MAX_COST {
                return None;
            }
            let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
            context.add_variable_from_value("doc", to_cel(self.doc));
            self.with_doc = Some(context);
        }
        self.with_doc.as_ref()
    }
}

fn compile_here(source: &str) -> Result<Compiled, String> {
    let program = catch_unwind(|| ENVIRONMENT.compile(source))
        .map_err(|_| "the expression cannot be read".to_owned())?
        .map_err(|errors| syntax_error(&errors.to_string()))?;
    let uses_doc = inspect(program.expression())?;
    Ok(Compiled { program, uses_doc })
}

/// Checks the limits that need no document. Says whether the expression uses `doc`.
fn inspect(root: &IdedExpr) -> Result<bool, String> {
    let mut n_nodes = 0;
    let mut uses_doc = false;
    let mut bound: Vec<&str> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    // A stack of our own: an expression that is too deep must be refused, not walked into.
    let mut todo = vec![(root, 0)];
    while let Some((node, nesting)) = todo.pop() {
        n_nodes += 1;
        if n_nodes > MAX_NODES {
            return Err(format!("the expression has more than {MAX_NODES} nodes"));
        }
        if nesting > MAX_NESTING {
            return Err(format!("comprehensions are nested more than {MAX_NESTING} deep"));
        }
        match &node.expr {
            Expr::Ident(name) => names.push(name),
            Expr::Call(call) => inspect_call(call)?,
            Expr::Comprehension(it) => {
                bound.extend([it.iter_var.as_str(), it.accu_var.as_str()]);
                bound.extend(it.iter_var2.as_deref());
            }
            Expr::Struct(it) => return Err(format!("cannot find type `{}`", it.type_name)),
            _ => {}
        }
        let inner = nesting + usize::from(matches!(node.expr, Expr::Comprehension(_)));
        todo.extend(children(node).into_iter().map(|it| (it, inner)));
    }
    for name in names {
        uses_doc |= name == "doc";
        if !VARIABLES.contains(&name) && !TYPES.contains(&name) && !bound.contains(&name) {
            return Err(format!(
                "cannot find `{name}`; expected `self`, the value, or `doc`, its document"
            ));
        }
    }
    Ok(uses_doc)
}

fn inspect_call(call: &cel::common::ast::CallExpr) -> Result<(), String> {
    let name = call.func_name.as_str();
    let is_operator =
        name.contains('_') && !name.starts_with(char::is_alphabetic) || name.starts_with('@');
    if !is_operator && !FUNCTIONS.contains(&name) {
        let near = crate::typo::nearest_first(name, FUNCTIONS, 3);
        return Err(format!("cannot find function `{name}`; the nearest are {}", near.join(", ")));
    }
    if name != "matches" {
        return Ok(());
    }
    let Some(Expr::Literal(LiteralValue::String(pattern))) = call.args.last().map(|it| &it.expr)
    else {
        return Err("the pattern of `matches` must be a literal string".to_owned());
    };
    let pattern = pattern.inner();
    if pattern.len() > MAX_REGEX_SOURCE {
        return Err(format!("a pattern of `matches` has at most {MAX_REGEX_SOURCE} bytes"));
    }
    let compiled = regex::RegexBuilder::new(pattern).size_limit(MAX_REGEX_PROGRAM).build();
    compiled.map(|_| ()).map_err(|error| shortened(&format!("the pattern of `matches`: {error}")))
}

fn children(node: &IdedExpr) -> Vec<&IdedExpr> {
    match &node.expr {
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::Comprehension(it) => {
            vec![&it.iter_range, &it.accu_init, &it.loop_cond, &it.loop_step, &it.result]
        }
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(|it| entry(&it.expr)).collect(),
        Expr::Struct(it) => it.entries.iter().flat_map(|it| entry(&it.expr)).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
    }
}

fn entry(entry: &EntryExpr) -> Vec<&IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

/// Every integer in the range of 64 bits is an `int`, so that `self.n + 1` works whatever the sign.
fn to_cel(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(it) => cel::Value::Bool(*it),
        Value::Number(number) => match number.text().parse::<i64>() {
            Ok(integer) => cel::Value::Int(integer),
            Err(_) => cel::Value::Float(float(number.text())),
        },
        Value::String(text) | Value::Datetime(text) => cel::Value::String(Arc::new(text.clone())),
        Value::Array(items) => cel::Value::List(Arc::new(items.iter().map(to_cel).collect())),
        Value::Object(members) => {
            let members = members.iter();
            let map = members
                .map(|(key, it)| (cel::objects::Key::String(Arc::new(key.clone())), to_cel(it)))
                .collect();
            cel::Value::Map(cel::objects::Map { map: Arc::new(map) })
        }
    }
}

fn float(text: &str) -> f64 {
    match text {
        ".inf" => f64::INFINITY,
        "-.inf" => f64::NEG_INFINITY,
        other => other.parse().unwrap_or(f64::NAN),
    }
}

fn type_name(value: &cel::Value) -> &'static str {
    match value {
        cel::Value::List(_) => "a list",
        cel::Value::Map(_) => "a map",
        cel::Value::Int(_) | cel::Value::UInt(_) | cel::Value::Float(_) => "a number",
        cel::Value::String(_) => "a string",
        cel::Value::Null => "null",
        _ => "something else",
    }
}

/// What went wrong, without values: they may be long or secret, and maps among them are written in no fixed order.
fn reason(error: &ExecutionError, maps: Maps) -> String {
    if maps != Maps::Left {
        return "it cannot be evaluated for some member of a map".to_owned(); // Which one is not fixed either.
    }
    match error {
        ExecutionError::NoSuchKey(key) => format!("there is no `{}`", shortened(key)),
        ExecutionError::NoSuchOverload(_)
        | ExecutionError::UnexpectedType { .. }
        | ExecutionError::InvalidArgumentCount { .. } => shortened(&error.to_string()),
        ExecutionError::ValuesNotComparable(..) => {
            "it compares values of different types".to_owned()
        }
        ExecutionError::UnsupportedBinaryOperator(operator, ..) => {
            format!("`{operator}` does not work on values of these types")
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "division by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number becomes too large".to_owned(),
        ExecutionError::IndexOutOfBounds(_) => "an index is out of range".to_owned(),
        _ => "it cannot be evaluated on values of these types".to_owned(),
    }
}

/// What the parser says first, without the names of its tokens.
fn syntax_error(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let line = line.trim_start_matches("ERROR: <input>:").replace("Syntax error: ", "");
    let line = line.split(" expecting ").next().unwrap_or_default();
    format!("invalid CEL expression: {}", shortened(line))
}

/// The interpreter's messages may hold whole values; a finding must not.
fn shortened(message: &str) -> String {
    let line =
        message.lines().map(str::trim).filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
