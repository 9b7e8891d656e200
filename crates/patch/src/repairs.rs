//! Our own repairs, as `check --format repairs` lists them or as they stand in a report of `check`.
//!
//! A list names each of its repairs, and all of them are applied that can be. A whole report names none: of it are
//! taken the repairs that `fix` would make without being asked, and the rest is left out with the reason. Of repairs
//! that exclude each other the first is taken.

use std::collections::{BTreeMap, BTreeSet};

use document::{Draft, GuardedOp, JsonType, Op, Pointer, Preconditions, Value};
use edit::ContentHash;
use snapshot::{RelPath, Snapshot};

use crate::edits::{Add, Delete, EditsDocument, FileEdits, RenameTo, TextEdit};
use crate::failure::{FailureCause, OpFailureCode};
use crate::fixes::{Fixes, ProposedFix, RefusedFix};
use crate::json_patch::open_document;
use crate::kind::PatchKind;
use crate::simulate::Options;
use crate::v1::decode::{DecodePath, PatchObject, ProblemKind, Problems};

/// Repairs that one document may have.
const MAX_REPAIRS: usize = 50_000;

/// A list of repairs.
#[derive(Clone, PartialEq, Debug)]
pub struct Repairs {
    repairs: Vec<Repair>,
    left_out: Vec<(String, String)>,
}

#[derive(Clone, PartialEq, Debug)]
struct Repair {
    id: String,
    title: String,
    conflicts_with: Vec<String>,
    edits: Vec<RepairEdit>,
}

#[derive(Clone, PartialEq, Debug)]
enum RepairEdit {
    Document { file: RelPath, step: Box<GuardedOp> },
    Text { file: RelPath, base: ContentHash, edit: TextEdit },
    Add(Add),
    Delete(Delete),
    Rename(RenameTo),
}

impl RepairEdit {
    fn paths(&self) -> impl Iterator<Item = &RelPath> {
        let (one, other) = match self {
            RepairEdit::Document { file, .. } | RepairEdit::Text { file, .. } => (file, None),
            RepairEdit::Add(it) => (&it.path, None),
            RepairEdit::Delete(it) => (&it.path, None),
            RepairEdit::Rename(it) => (&it.path, Some(&it.to)),
        };
        std::iter::once(one).chain(other)
    }
}

/// Whether a value looks like repairs: a list of them, or a report that has one.
pub(crate) fn is_one(value: &Value) -> bool {
    let is_repair = |it: &Value| {
        it.get("id").is_some() && it.get("edits").is_some() && it.get("rule_id").is_some()
    };
    match (value, value.get("repairs")) {
        (Value::Array(items), _) => !items.is_empty() && items.iter().all(is_repair),
        (_, Some(Value::Array(items))) => {
            value.get("diagnostics").is_some() && items.iter().all(is_repair)
        }
        _ => false,
    }
}

pub(crate) fn decode(value: &Value, problems: &mut Problems) -> Option<Repairs> {
    let n_before = problems.count();
    let member = DecodePath::Member(&DecodePath::Root, "repairs");
    let (at, list, is_report) = match (value, value.get("repairs")) {
        (Value::Array(items), _) => (DecodePath::Root, items, false),
        (_, Some(Value::Array(items))) => (member, items, true),
        _ => {
            let found = value.json_type();
            let kind = ProblemKind::WrongType { expected: "a list of repairs", found };
            problems.push(Pointer::root(), kind);
            return None;
        }
    };
    if list.len() > MAX_REPAIRS {
        let rule = "expected at most 50,000 repairs";
        problems.push(at.pointer(), ProblemKind::Malformed { rule });
        return None;
    }
    let (mut repairs, mut left_out) = (Vec::new(), Vec::new());
    for (nth, item) in list.iter().enumerate() {
        let Some(repair) = decode_repair(DecodePath::Item(&at, nth), item, problems) else {
            continue;
        };
        match unasked(item).filter(|_| is_report) {
            None => repairs.push(repair),
            Some(why) => left_out.push(left_out_note(
                &repair,
                &format!(
                    "it is {why}, which a report does not apply by itself; put the repair into a list to apply it"
                ),
            )),
        }
    }
    (problems.count() == n_before).then_some(Repairs { repairs, left_out })
}

fn left_out_note(repair: &Repair, why: &str) -> (String, String) {
    let file = repair.edits.iter().flat_map(RepairEdit::paths).next();
    let file = file.map(ToString::to_string).unwrap_or_default();
    (file, format!("{} ({}) is left out: {why}", repair.id, repair.title))
}

/// Why `fix` would not make the repair without being asked.
fn unasked(item: &Value) -> Option<&'static str> {
    let is = |name: &str, text: &str| item.get(name).and_then(Value::as_str) == Some(text);
    if is("safety", "behavior_changing") {
        Some("`behavior_changing`")
    } else if is("class", "suppress") {
        Some("of class `suppress`")
    } else if is("confidence", "low") {
        Some("of low confidence")
    } else {
        None
    }
}

fn decode_repair(at: DecodePath<'_>, value: &Value, problems: &mut Problems) -> Option<Repair> {
    let mut it = PatchObject::open(at, value, problems)?;
    let (id, title) = (it.non_empty("id", problems), it.string("title", problems));
    let preconditions = decode_preconditions(&mut it, problems);
    let list = it.list("edits", problems).unwrap_or_default();
    let list_at = DecodePath::Member(&at, "edits");
    let mut edits = Vec::with_capacity(list.len());
    for (nth, item) in list.iter().enumerate() {
        edits.extend(decode_edit(DecodePath::Item(&list_at, nth), item, &preconditions, problems));
    }
    let conflicts = value.get("compatibility").and_then(|it| it.get("conflicts_with"));
    let conflicts_with = match conflicts {
        Some(Value::Array(items)) => {
            items.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    Some(Repair { id: id?, title: title?, conflicts_with, edits })
}

/// The preconditions by file, document and pointer.
type PreconditionMap = BTreeMap<(String, usize, String), Preconditions>;

fn decode_preconditions(owner: &mut PatchObject<'_>, problems: &mut Problems) -> PreconditionMap {
    let list = owner.optional_list("preconditions", problems);
    let list_at = DecodePath::Member(owner.at(), "preconditions");
    let mut found = PreconditionMap::new();
    for (nth, item) in list.iter().enumerate() {
        let Some(mut it) = PatchObject::open(DecodePath::Item(&list_at, nth), item, problems)
        else {
            continue;
        };
        let (file, pointer) = (it.string("file", problems), it.string("json_pointer", problems));
        let document = it.optional_index("x_document", problems).unwrap_or(0);
        let type_name = it.optional_string("type", problems);
        let json_type = type_name.as_deref().and_then(JsonType::from_name);
        if json_type.is_none() && type_name.is_some() {
            let rule = "expected a JSON type as `type`";
            problems.push(
                DecodePath::Member(it.at(), "type").pointer(),
                ProblemKind::Malformed { rule },
            );
        }
        let expects = Preconditions {
            json_type,
            equals: it.optional_value("equals", problems),
            exists: it.optional_bool("exists", problems),
            length: it.optional_index("length", problems),
        };
        if let (Some(file), Some(pointer)) = (file, pointer) {
            found.insert((file, document, pointer), expects);
        }
    }
    found
}

fn decode_edit(
    at: DecodePath<'_>,
    value: &Value,
    preconditions: &PreconditionMap,
    problems: &mut Problems,
) -> Option<RepairEdit> {
    let mut it = PatchObject::open(at, value, problems)?;
    let (name, file) = (it.string("op", problems)?, it.path("file", problems)?);
    match name.as_str() {
        "replace_text" => {
            let base = it.hash("base", problems);
            let mut offset = |name| u32::try_from(it.index(name, problems)?).ok();
            let (start, end) = (offset("start"), offset("end"));
            let text = it.string("text", problems)?;
            let (Some(start), Some(end)) = (start, end) else {
                let rule = "expected an offset below 2^32";
                problems.push(at.pointer(), ProblemKind::Malformed { rule });
                return None;
            };
            return Some(RepairEdit::Text {
                file,
                base: base?,
                edit: TextEdit { start, end, text },
            });
        }
        "add_file" => {
            let text = it.string("text", problems)?;
            return Some(RepairEdit::Add(Add { path: file, text }));
        }
        "delete_file" => {
            let base = it.hash("base", problems)?;
            return Some(RepairEdit::Delete(Delete { path: file, base }));
        }
        "rename_file" => {
            let (to, base) = (it.path("to", problems)?, it.hash("base", problems)?);
            return Some(RepairEdit::Rename(RenameTo { path: file, to, base }));
        }
        _ => {}
    }
    let pointer = it.pointer("json_pointer", problems)?;
    let document = it.optional_index("x_document", problems).unwrap_or(0);
    let (op, slot) = decode_op(&name, pointer, at, &mut it, problems)?;
    let expects = preconditions.get(&(file.to_string(), document, slot.to_string())).cloned();
    let step = GuardedOp { document, expects: expects.unwrap_or_default(), ..GuardedOp::from(op) };
    Some(RepairEdit::Document { file, step: Box::new(step) })
}

/// The operation on a document, and the place that a precondition of it is about.
fn decode_op(
    name: &str,
    at: Pointer,
    place: DecodePath<'_>,
    it: &mut PatchObject<'_>,
    problems: &mut Problems,
) -> Option<(Op, Pointer)> {
    let own = at.clone();
    Some(match name {
        "replace_value" => (Op::ReplaceValue { at, value: it.value("value", problems)? }, own),
        "set_value" => (Op::SetValue { at, value: it.value("value", problems)? }, own),
        "delete_value" => (Op::DeleteValue { at }, own),
        "add_value" => {
            let key = it.string("key", problems)?;
            let slot = at.join(&key);
            (Op::AddKey { at, key, value: it.value("value", problems)? }, slot)
        }
        "remove_key" => {
            let key = it.string("key", problems)?;
            let slot = at.join(&key);
            (Op::RemoveKey { at, key }, slot)
        }
        "rename_key" => {
            let (from, to) = (it.string("from", problems)?, it.string("to", problems)?);
            let slot = at.join(&from);
            (Op::RenameKey { at, from, to }, slot)
        }
        "insert_array_item" => {
            let index = it.optional_index("index", problems);
            (Op::InsertItem { at, index, value: it.value("value", problems)? }, own)
        }
        "replace_array_item" => {
            let index = it.index("index", problems)?;
            let slot = at.join(index.to_string());
            (Op::ReplaceItem { at, index, value: it.value("value", problems)? }, slot)
        }
        "remove_array_item" => {
            let index = it.index("index", problems)?;
            let slot = at.join(index.to_string());
            (Op::DeleteItem { at, index }, slot)
        }
        "move_value" => {
            let to = it.pointer("to_pointer", problems)?;
            let keep_position = it.optional_bool("keep_position", problems).unwrap_or(false);
            (Op::MoveValue { from: at, to, keep_position }, own)
        }
        other => {
            let expected = "the operations of repairs; `regreen schema repairs` lists them";
            let at = DecodePath::Member(&place, "op").pointer();
            problems.push(at, ProblemKind::unknown_name(other, expected));
            return None;
        }
    })
}

impl Repairs {
    pub(crate) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        self.repairs.iter().flat_map(|it| &it.edits).flat_map(RepairEdit::paths)
    }

    /// The repairs as byte edits of these files.
    pub(crate) fn lower(&self, snapshot: &Snapshot, options: &Options<'_>) -> Fixes {
        let mut fixes = Fixes {
            kind: PatchKind::Repairs,
            fixes: Vec::new(),
            refused: Vec::new(),
            left_out: self.left_out.clone(),
            is_whole: false,
        };
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        let mut excluded: BTreeSet<&str> = BTreeSet::new();
        for repair in &self.repairs {
            let rival = repair.conflicts_with.iter().find(|it| taken.contains(it.as_str()));
            if rival.is_some() || excluded.contains(repair.id.as_str()) {
                let why = "it conflicts with an earlier repair";
                fixes.left_out.push(left_out_note(repair, why));
                continue;
            }
            let (name, about) = (repair.id.clone(), repair.title.clone());
            match lower(repair, snapshot, options) {
                Ok(edits) => {
                    taken.insert(&repair.id);
                    excluded.extend(repair.conflicts_with.iter().map(String::as_str));
                    fixes.fixes.push(ProposedFix { name, about, edits });
                }
                Err(refused) => fixes.refused.push(RefusedFix {
                    name,
                    about,
                    file: refused.0.to_string(),
                    code: refused.1.code,
                    reason: refused.1.message.clone(),
                }),
            }
        }
        fixes
    }
}

type Refused = Box<(RelPath, FailureCause)>;

fn lower(
    repair: &Repair,
    snapshot: &Snapshot,
    options: &Options<'_>,
) -> Result<EditsDocument, Refused> {
    let mut made = EditsDocument::default();
    let mut drafts: BTreeMap<RelPath, Draft> = BTreeMap::new();
    let mut texts: BTreeMap<(RelPath, ContentHash), Vec<TextEdit>> = BTreeMap::new();
    for edit in &repair.edits {
        match edit {
            RepairEdit::Document { file, step } => {
                let refuse = |failure| Box::new((file.clone(), failure));
                if !drafts.contains_key(file) {
                    let (_, document) = open_document(file, snapshot, options).map_err(refuse)?;
                    drafts.insert(file.clone(), document.draft());
                }
                let Some(draft) = drafts.get_mut(file) else { continue };
                draft
                    .apply(step)
                    .map_err(|error| refuse(FailureCause::of_op(&error, options.show_values)))?;
            }
            RepairEdit::Text { file, base, edit } => {
                texts.entry((file.clone(), *base)).or_default().push(edit.clone());
            }
            RepairEdit::Add(it) => made.adds.push(it.clone()),
            RepairEdit::Delete(it) => made.deletes.push(it.clone()),
            RepairEdit::Rename(it) => made.renames.push(it.clone()),
        }
    }
    for (path, draft) in drafts {
        let set =
            draft.lower().map_err(|it| Box::new((path.clone(), FailureCause::refused(&it))))?;
        let mut edits = Vec::new();
        for edit in set.edits() {
            let text = String::from_utf8(edit.text.to_vec()).map_err(|_| {
                Box::new((
                    path.clone(),
                    FailureCause::new(OpFailureCode::InvalidEdit, "the new text is not UTF-8"),
                ))
            })?;
            edits.push(TextEdit { start: edit.start, end: edit.end, text });
        }
        made.files.push(FileEdits { path, base: set.base(), edits });
    }
    made.files.extend(texts.into_iter().map(|((path, base), edits)| FileEdits {
        path,
        base,
        edits,
    }));
    Ok(made)
}
