//! What an operation brings: AST JSON in which nodes of the tree, and the hole of a wrapper, may stand for themselves.
//!
//! Before it is read, each of them becomes a node that stands in for it, of a kind that may stand where it may; an id
//! that no JSON text can state by chance tells the stand-ins from the rest. Afterwards the nodes take their places.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::PatchError;
use super::slot::category;
use crate::ast::{Ast, AstDraft, AstKind, Expr, Name, NodeId};
use crate::json::{NodeRole, read_part};
use crate::stack::with_stack;

/// Starts the ids of stand-ins.
const STAND_IN: &str = "\u{1}node:";

/// The node that the payload is put around.
#[derive(Clone, Copy)]
pub(super) struct Inner<'a> {
    /// The name of the hole that stands for it; without one, it stands there by its id.
    pub(super) hole_ref: Option<&'a str>,
    pub(super) node: NodeId,
    /// Where that node is in the draft.
    pub(super) at: NodeId,
}

/// What a payload became in a draft.
pub(super) struct Grafted {
    /// Its root.
    pub(super) root: NodeId,
    /// The nodes of the tree before that are in it.
    pub(super) moved: BTreeSet<NodeId>,
}

/// A payload to be read.
pub(super) struct PayloadSource<'a> {
    pub(super) value: &'a Value,
    /// What it is called in its operation.
    pub(super) member: &'static str,
    pub(super) part: NodeRole,
    pub(super) inner: Option<Inner<'a>>,
}

/// Reads a payload into a draft.
pub(super) fn graft(
    draft: &mut AstDraft<'_>,
    source: &PayloadSource<'_>,
) -> Result<Grafted, PatchError> {
    let mut stand_ins = StandIns { ast: draft.old(), inner: source.inner, all: Vec::new() };
    let value = stand_ins.replaced(source.value, &mut format!("$.{}", source.member))?;
    let all = stand_ins.all;
    let n_times = all.iter().filter(|it| it.is_hole).count();
    if let Some(hole_ref) = source.inner.and_then(|it| it.hole_ref)
        && n_times != 1
    {
        return Err(PatchError::Hole { hole_ref: Name::from(hole_ref), n_times });
    }
    let (ast, root) = read_part(&value.to_string(), source.part)
        .map_err(|errors| unreadable(source.member, errors, &all))?;
    let mut marked: HashMap<Name, NodeId> = HashMap::new();
    for (node, id) in ast.ids_given().iter().filter(|(_, id)| id.starts_with(STAND_IN)) {
        marked.insert(id.clone(), *node);
    }
    for stand_in in &all {
        let read = marked.get(&stand_in.id).map(|it| category(&ast.node(*it).kind));
        if read != Some(category(&draft.old().node(stand_in.node).kind)) {
            return Err(misplaced(stand_in));
        }
    }
    let shift = draft.graft(ast);
    let mut grafted = Grafted { root: NodeId(root.0 + shift), moved: BTreeSet::new() };
    let mut put = HashMap::with_capacity(all.len());
    for stand_in in &all {
        let place = NodeId(marked[&stand_in.id].0 + shift);
        draft.take_id(place);
        // With a node goes all that was put around it.
        let node = match source.inner {
            Some(inner) if inner.node == stand_in.node => inner.at,
            _ => stand_in.node,
        };
        if place == grafted.root {
            grafted.root = node;
        }
        put.insert(place, node);
        grafted.moved.insert(stand_in.node);
    }
    draft.put_children_from(NodeId(shift), &put);
    Ok(grafted)
}

/// Calls `visit` with the id of every node of the tree that a payload moves.
pub(super) fn for_each_moved(value: &Value, visit: &mut dyn FnMut(&str)) {
    with_stack(|| match value {
        Value::Object(members) => match moved_id(members) {
            Some(id) => visit(id),
            None => members.values().for_each(|it| for_each_moved(it, visit)),
        },
        Value::Array(elements) => elements.iter().for_each(|it| for_each_moved(it, visit)),
        _ => {}
    });
}

/// Gives every node of the tree that a payload moves another id; `None` if there is none for one of them.
pub(super) fn replace_moved(value: &mut Value, id: &dyn Fn(&str) -> Option<String>) -> Option<()> {
    with_stack(|| match value {
        Value::Object(members) => match moved_id(members).map(id) {
            Some(id) => members.insert("node".to_owned(), id?.into()).map(drop),
            None => members.values_mut().try_for_each(|it| replace_moved(it, id)),
        },
        Value::Array(elements) => elements.iter_mut().try_for_each(|it| replace_moved(it, id)),
        _ => Some(()),
    })
}

/// The id in `{ "node": … }`.
fn moved_id(members: &Map<String, Value>) -> Option<&str> {
    if members.contains_key("kind") || members.contains_key("source") {
        return None;
    }
    members.get("node")?.as_str()
}

/// Whether an object is the hole with that name: `{ "hole_ref": … }`, `{ "kind": "hole", "ref": … }` or
/// `{ "kind": "hole", "name": … }`.
fn is_hole(members: &Map<String, Value>, name: &str) -> bool {
    let is = |key: &str| members.get(key).and_then(Value::as_str) == Some(name);
    match members.get("kind").and_then(Value::as_str) {
        None => !members.contains_key("source") && is("hole_ref"),
        Some("hole") => is("ref") || is("name") || is("hole_ref"),
        Some(_) => false,
    }
}

/// A node of the tree that stands in a payload.
struct StandIn {
    node: NodeId,
    name: Name,
    /// The id of what stands in for it.
    id: Name,
    path: String,
    is_hole: bool,
}

struct StandIns<'a> {
    ast: &'a Ast,
    inner: Option<Inner<'a>>,
    all: Vec<StandIn>,
}

impl StandIns<'_> {
    fn replaced(&mut self, value: &Value, path: &mut String) -> Result<Value, PatchError> {
        with_stack(|| {
            Ok(match value {
                Value::Object(members) => {
                    if let Some(Inner { hole_ref: Some(hole_ref), node, .. }) = self.inner
                        && is_hole(members, hole_ref)
                    {
                        return self.stand_in(node, Name::from(hole_ref), path, true);
                    }
                    if let Some(id) = moved_id(members) {
                        let id = Name::from(id);
                        let node = self.ast.ids().node(&id);
                        let node = node.ok_or(PatchError::Unknown { id: id.clone() })?;
                        return self.stand_in(node, id, path, false);
                    }
                    let mut all = Map::new();
                    for (key, member) in members {
                        let length = path.len();
                        path.push('.');
                        path.push_str(key);
                        all.insert(key.clone(), self.replaced(member, path)?);
                        path.truncate(length);
                    }
                    Value::Object(all)
                }
                Value::Array(elements) => {
                    let mut all = Vec::with_capacity(elements.len());
                    for (index, element) in elements.iter().enumerate() {
                        let length = path.len();
                        path.push_str(&format!("[{index}]"));
                        all.push(self.replaced(element, path)?);
                        path.truncate(length);
                    }
                    Value::Array(all)
                }
                scalar => scalar.clone(),
            })
        })
    }

    fn stand_in(
        &mut self,
        node: NodeId,
        name: Name,
        path: &str,
        is_hole: bool,
    ) -> Result<Value, PatchError> {
        if !is_hole && self.all.iter().any(|it| it.node == node) {
            return Err(PatchError::TwoPlaces { id: name });
        }
        let id = Name::from(format!("{STAND_IN}{}", self.all.len()));
        let mut value = like(self.ast, node);
        value["id"] = id.as_str().into();
        self.all.push(StandIn { node, name, id, path: path.to_owned(), is_hole });
        Ok(value)
    }
}

/// The smallest node that may stand wherever `node` may.
fn like(ast: &Ast, node: NodeId) -> Value {
    let ty = || json!({ "kind": "named", "name": "Unit" });
    let ident = || json!({ "kind": "ident", "name": "x" });
    let block = || json!({ "kind": "block", "statements": [] });
    match &ast.node(node).kind {
        AstKind::Expr(Expr::Block { .. }) => block(),
        AstKind::Expr(Expr::If { .. }) => {
            json!({ "kind": "if", "condition": ident(), "thenBranch": block() })
        }
        AstKind::Expr(_) | AstKind::Program(_) => ident(),
        AstKind::Decl(_) => json!({ "kind": "mod", "name": "x" }),
        AstKind::Stmt(_) => json!({ "kind": "break" }),
        AstKind::Type(_) => ty(),
        AstKind::Pattern(_) => json!({ "kind": "wildcard" }),
        AstKind::Param(_)
        | AstKind::LambdaParam(_)
        | AstKind::Field(_)
        | AstKind::VariantField(_) => {
            json!({ "name": "x", "type": ty() })
        }
        AstKind::TypeParam(_) | AstKind::Variant(_) => json!({ "name": "X" }),
        AstKind::Arm(_) => json!({ "pattern": { "kind": "wildcard" }, "body": ident() }),
        AstKind::FieldInit(_) => json!({ "name": "x", "value": ident() }),
        AstKind::FieldPattern(_) => json!({ "name": "x" }),
    }
}

fn unreadable(
    member: &str,
    errors: Vec<crate::json::JsonError>,
    stand_ins: &[StandIn],
) -> PatchError {
    let error = PatchError::unreadable(member, errors);
    let PatchError::Unreadable { path, .. } = &error else { return error };
    let is_there = |it: &&StandIn| path.strip_suffix(".kind") == Some(&it.path);
    match stand_ins.iter().find(is_there) {
        Some(stand_in) => misplaced(stand_in),
        None => error,
    }
}

fn misplaced(stand_in: &StandIn) -> PatchError {
    let message = format!("unexpected `{}`", stand_in.name);
    PatchError::Unreadable { path: stand_in.path.clone(), message }
}
