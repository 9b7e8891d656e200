//! The edits document: byte edits, added, deleted and renamed files, each bound to the hash of what it was made for.
//! It is what every other patch lowers to, so writing one is exact; reading one back is only as good as its hashes.

use std::collections::BTreeMap;

use document::Value;
use edit::{ContentHash, Edit, EditSet, Text};
use snapshot::{
    ApplyError, Entry, FileIndex, NewFile, RelPath, Rename, Snapshot, TreeChange, UnreadReason,
};

use crate::failure::{FailedOp, FailureCause, OpFailureCode, RefusedPaths};
use crate::kind::PatchKind;
use crate::simulate::tree::{NEW_FILE_MODE, expect_place, resolve_links};
use crate::simulate::{AppliedOp, Simulation};
use crate::v1::decode::{DecodePath, PatchObject, ProblemKind, Problems};
use crate::v1::{Extra, integer, members, string};

/// An edits document.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EditsDocument {
    /// Edits to files, by the path before any rename.
    pub files: Vec<FileEdits>,
    /// New files.
    pub adds: Vec<Add>,
    /// Files that go away.
    pub deletes: Vec<Delete>,
    /// Files that get another path.
    pub renames: Vec<RenameTo>,
    /// The repairs that the edits come from.
    pub repairs: Vec<RepairNote>,
    /// Members that start with `x_`.
    pub extra: Extra,
}

/// The edits to one file.
#[derive(Clone, PartialEq, Debug)]
pub struct FileEdits {
    /// The file.
    pub path: RelPath,
    /// The hash of the text that the edits are for.
    pub base: ContentHash,
    /// The edits, in order of position.
    pub edits: Vec<TextEdit>,
}

/// The bytes `start..end` become `text`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextEdit {
    /// First byte that is replaced.
    pub start: u32,
    /// The byte after the last one that is replaced.
    pub end: u32,
    /// What stands there afterwards.
    pub text: String,
}

/// A new file.
#[derive(Clone, PartialEq, Debug)]
pub struct Add {
    /// Its path.
    pub path: RelPath,
    /// Its text.
    pub text: String,
}

/// A file that goes away.
#[derive(Clone, PartialEq, Debug)]
pub struct Delete {
    /// Its path.
    pub path: RelPath,
    /// The hash of its text.
    pub base: ContentHash,
}

/// A file that gets another path.
#[derive(Clone, PartialEq, Debug)]
pub struct RenameTo {
    /// Its path.
    pub path: RelPath,
    /// Its new path.
    pub to: RelPath,
    /// The hash of its text before any edit.
    pub base: ContentHash,
}

/// A repair that the edits come from, for readers.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the members are those of a repair")]
pub struct RepairNote {
    pub id: String,
    pub title: String,
    pub rule_id: String,
    pub source: String,
    pub safety: String,
    /// Documents that were written before there were classes say nothing about it.
    pub class: Option<String>,
}

/// A change that an edits document cannot hold, because JSON has no text for its bytes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the new bytes of {path} are not UTF-8, which an edits document cannot hold")]
pub struct NotText {
    /// The file.
    pub path: RelPath,
}

impl EditsDocument {
    /// The document that makes this change. Permission bits of added files are not part of it.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use edit::{Edit, EditSet, Text};
    /// use patch::edits::EditsDocument;
    /// use snapshot::{RelPath, TreeChange};
    ///
    /// let edits = EditSet::new(&Text::new("port: eighty\n"), vec![Edit::replace(6, 12, "80")])?;
    /// let edits = BTreeMap::from([(RelPath::parse("app.yaml")?, edits)]);
    /// let change = TreeChange::new(edits, BTreeMap::new(), BTreeMap::new(), BTreeMap::new())?;
    ///
    /// let document = EditsDocument::from_change(&change)?;
    ///
    /// assert_eq!(document.files[0].path.as_str(), "app.yaml");
    /// assert!(document.render().contains("\"regreen_edits\": 1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_change(change: &TreeChange) -> Result<EditsDocument, NotText> {
        let text = |path: &RelPath, bytes: &[u8]| match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(NotText { path: path.clone() }),
        };
        let mut document = EditsDocument::default();
        for (path, set) in change.edits() {
            let edits = set.edits().iter().map(|edit| {
                let text = text(path, &edit.text)?;
                Ok(TextEdit { start: edit.start, end: edit.end, text })
            });
            let edits = edits.collect::<Result<_, NotText>>()?;
            document.files.push(FileEdits { path: path.clone(), base: set.base(), edits });
        }
        for (path, file) in change.adds() {
            let text = text(path, file.text.bytes())?;
            document.adds.push(Add { path: path.clone(), text });
        }
        let deletes = change.deletes().iter();
        document.deletes =
            deletes.map(|(path, base)| Delete { path: path.clone(), base: *base }).collect();
        let renames = change.renames().iter();
        document.renames = renames
            .map(|(path, it)| RenameTo { path: path.clone(), to: it.to.clone(), base: it.base })
            .collect();
        Ok(document)
    }

    /// The document in the contract's member order.
    pub fn to_value(&self) -> Value {
        let object = |fixed| members(fixed, &Extra::new());
        let hash = |base: &ContentHash| string(base.to_string());
        let edit = |it: &TextEdit| {
            let offset = |at: u32| integer(at as usize);
            object(vec![
                ("start", offset(it.start)),
                ("end", offset(it.end)),
                ("text", string(&it.text)),
            ])
        };
        let files = self.files.iter().map(|it| {
            let edits = Some(Value::Array(it.edits.iter().map(edit).collect()));
            object(vec![("path", string(&it.path)), ("base", hash(&it.base)), ("edits", edits)])
        });
        let adds = self
            .adds
            .iter()
            .map(|it| object(vec![("path", string(&it.path)), ("text", string(&it.text))]));
        let deletes = self
            .deletes
            .iter()
            .map(|it| object(vec![("path", string(&it.path)), ("base", hash(&it.base))]));
        let renames = self.renames.iter().map(|it| {
            object(vec![
                ("path", string(&it.path)),
                ("to", string(&it.to)),
                ("base", hash(&it.base)),
            ])
        });
        let repairs = self.repairs.iter().map(|it| {
            object(vec![
                ("id", string(&it.id)),
                ("title", string(&it.title)),
                ("rule_id", string(&it.rule_id)),
                ("source", string(&it.source)),
                ("safety", string(&it.safety)),
                ("class", it.class.as_ref().and_then(string)),
            ])
        });
        let repairs = (!self.repairs.is_empty()).then(|| Value::Array(repairs.collect()));
        members(
            vec![
                ("regreen_edits", integer(1)),
                ("files", Some(Value::Array(files.collect()))),
                ("adds", Some(Value::Array(adds.collect()))),
                ("deletes", Some(Value::Array(deletes.collect()))),
                ("renames", Some(Value::Array(renames.collect()))),
                ("repairs", repairs),
            ],
            &self.extra,
        )
    }

    /// The canonical text: JSON, indented by two spaces, with a final newline.
    pub fn render(&self) -> String {
        self.to_value().to_json_pretty() + "\n"
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        let edited = self.files.iter().map(|it| &it.path);
        let added = self.adds.iter().map(|it| &it.path);
        let deleted = self.deletes.iter().map(|it| &it.path);
        let renamed = self.renames.iter().flat_map(|it| [&it.path, &it.to]);
        edited.chain(added).chain(deleted).chain(renamed)
    }

    /// The operations in the order of the document: their name and the file that they are about.
    pub(crate) fn ops(&self) -> impl Iterator<Item = (&'static str, &RelPath)> {
        let edited = self.files.iter().map(|it| ("edit_file", &it.path));
        let added = self.adds.iter().map(|it| ("add_file", &it.path));
        let deleted = self.deletes.iter().map(|it| ("delete_file", &it.path));
        let renamed = self.renames.iter().map(|it| ("rename_file", &it.path));
        edited.chain(added).chain(deleted).chain(renamed)
    }
}

pub(crate) fn decode(value: &Value, problems: &mut Problems) -> Option<EditsDocument> {
    let n_before = problems.count();
    let mut top = PatchObject::open(DecodePath::Root, value, problems)?;
    if top.index("regreen_edits", problems).is_some_and(|version| version != 1) {
        let rule = "this version reads `regreen_edits: 1` only";
        let at = DecodePath::Member(&DecodePath::Root, "regreen_edits").pointer();
        problems.push(at, ProblemKind::Malformed { rule });
    }
    top.required("files", problems);
    let files = decode_list("files", &mut top, problems, decode_file);
    let adds = decode_list("adds", &mut top, problems, |it, problems| {
        let (path, text) = (it.path("path", problems), it.string("text", problems));
        Some(Add { path: path?, text: text? })
    });
    let deletes = decode_list("deletes", &mut top, problems, |it, problems| {
        let (path, base) = (it.path("path", problems), it.hash("base", problems));
        Some(Delete { path: path?, base: base? })
    });
    let renames = decode_list("renames", &mut top, problems, |it, problems| {
        let (path, to) = (it.path("path", problems), it.path("to", problems));
        let base = it.hash("base", problems);
        Some(RenameTo { path: path?, to: to?, base: base? })
    });
    let repairs = decode_list("repairs", &mut top, problems, |it, problems| {
        let mut text = |name| it.string(name, problems);
        let (id, title, rule_id) = (text("id"), text("title"), text("rule_id"));
        let (source, safety) = (text("source"), text("safety"));
        let class = it.optional_string("class", problems);
        Some(RepairNote {
            id: id?,
            title: title?,
            rule_id: rule_id?,
            source: source?,
            safety: safety?,
            class,
        })
    });
    let extra = top.close(problems);
    (problems.count() == n_before).then_some(EditsDocument {
        files,
        adds,
        deletes,
        renames,
        repairs,
        extra,
    })
}

fn decode_list<T>(
    name: &'static str,
    owner: &mut PatchObject<'_>,
    problems: &mut Problems,
    decode: fn(&mut PatchObject<'_>, &mut Problems) -> Option<T>,
) -> Vec<T> {
    let list = owner.optional_list(name, problems);
    let list_at = DecodePath::Member(owner.at(), name);
    let mut items = Vec::with_capacity(list.len());
    for (index, value) in list.iter().enumerate() {
        let at = DecodePath::Item(&list_at, index);
        let Some(mut item) = PatchObject::open(at, value, problems) else { continue };
        items.extend(decode(&mut item, problems));
        item.close(problems);
    }
    items
}

fn decode_file(it: &mut PatchObject<'_>, problems: &mut Problems) -> Option<FileEdits> {
    let (path, base) = (it.path("path", problems), it.hash("base", problems));
    it.required("edits", problems);
    let edits = decode_list("edits", it, problems, |it, problems| {
        let mut offset = |name| {
            let found = it.index(name, problems)?;
            let offset = u32::try_from(found).ok();
            if offset.is_none() {
                let rule = "expected an offset below 2^32";
                problems.push(
                    DecodePath::Member(it.at(), name).pointer(),
                    ProblemKind::Malformed { rule },
                );
            }
            offset
        };
        let (start, end) = (offset("start"), offset("end"));
        let text = it.string("text", problems);
        Some(TextEdit { start: start?, end: end?, text: text? })
    });
    Some(FileEdits { path: path?, base: base?, edits })
}

/// All or nothing, like a changeset; every failing operation is named.
pub(crate) fn simulate(
    document: &EditsDocument,
    snapshot: &Snapshot,
    index: &FileIndex,
    refused: &RefusedPaths,
) -> Simulation {
    let mut simulation = Simulation::nothing(PatchKind::Edits, index);
    let (change, failures) = to_change(document, snapshot, refused);
    let ops: Vec<(&'static str, &RelPath)> = document.ops().collect();
    let mut failures: BTreeMap<usize, FailureCause> = failures.into_iter().collect();
    if failures.is_empty()
        && let Err((op_index, failure)) = accept(document, change, snapshot, &mut simulation)
    {
        failures.insert(op_index, failure);
    }
    for (op_index, (op, path)) in ops.into_iter().enumerate() {
        match failures.get(&op_index) {
            None => simulation.applied.push(AppliedOp {
                action_id: None,
                op_index,
                op,
                file: path.to_string(),
                json_pointer: None,
            }),
            Some(failure) => {
                let failed = FailedOp {
                    action_id: None,
                    op_index,
                    code: failure.code,
                    file: path.to_string(),
                    json_pointer: None,
                    expected: failure.expected.clone(),
                    found: failure.found.clone(),
                };
                simulation.fail(failed, op, &failure.message);
            }
        }
    }
    simulation
}

/// The parts of a change that could be made, and for every operation that could not, why.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) edits: BTreeMap<RelPath, EditSet>,
    pub(crate) adds: BTreeMap<RelPath, NewFile>,
    pub(crate) deletes: BTreeMap<RelPath, ContentHash>,
    pub(crate) renames: BTreeMap<RelPath, Rename>,
}

pub(crate) fn to_change(
    document: &EditsDocument,
    snapshot: &Snapshot,
    refused: &RefusedPaths,
) -> (Parts, Vec<(usize, FailureCause)>) {
    let mut parts = Parts {
        edits: BTreeMap::new(),
        adds: BTreeMap::new(),
        deletes: BTreeMap::new(),
        renames: BTreeMap::new(),
    };
    let mut failures = Vec::new();
    let mut op_index = 0..;
    let twice =
        || FailureCause::new(OpFailureCode::InvalidDocument, "the document names this file twice");
    let mut note = |outcome: Result<bool, FailureCause>| {
        let op_index = op_index.next().unwrap_or_default();
        match outcome {
            Ok(true) => {}
            Ok(false) => failures.push((op_index, twice())),
            Err(failure) => failures.push((op_index, failure)),
        }
    };
    for file in &document.files {
        let set = touchable(refused, &file.path).and_then(|()| edit_set(file, snapshot));
        note(set.map(|(path, set)| parts.edits.insert(path, set).is_none()));
    }
    for add in &document.adds {
        let file = NewFile { text: Text::new(add.text.as_bytes()), mode: NEW_FILE_MODE };
        let place = expect_place(refused, snapshot, &add.path);
        note(place.map(|()| parts.adds.insert(add.path.clone(), file).is_none()));
    }
    for delete in &document.deletes {
        let found = touchable(refused, &delete.path)
            .and_then(|()| expect_file(snapshot, &delete.path, delete.base, false));
        note(found.map(|(path, _)| parts.deletes.insert(path, delete.base).is_none()));
    }
    for rename in &document.renames {
        let found = touchable(refused, &rename.path)
            .and_then(|()| expect_place(refused, snapshot, &rename.to))
            .and_then(|()| expect_file(snapshot, &rename.path, rename.base, false));
        let to = Rename { to: rename.to.clone(), base: rename.base };
        note(found.map(|(path, _)| parts.renames.insert(path, to).is_none()));
    }
    (parts, failures)
}

fn touchable(refused: &RefusedPaths, path: &RelPath) -> Result<(), FailureCause> {
    match refused.get(path) {
        Some(refused) => Err(FailureCause::untouchable(path, refused)),
        None => Ok(()),
    }
}

fn edit_set(file: &FileEdits, snapshot: &Snapshot) -> Result<(RelPath, EditSet), FailureCause> {
    let (path, text) = expect_file(snapshot, &file.path, file.base, true)?;
    let edits =
        file.edits.iter().map(|it| Edit::replace(it.start, it.end, it.text.as_bytes())).collect();
    let set = EditSet::new(&text, edits)
        .map_err(|error| FailureCause::new(OpFailureCode::InvalidEdit, error.to_string()))?;
    Ok((path, set))
}

fn expect_file(
    snapshot: &Snapshot,
    path: &RelPath,
    base: ContentHash,
    through_links: bool,
) -> Result<(RelPath, Text), FailureCause> {
    let target = resolve_links(snapshot, path)
        .filter(|target| through_links || target == path)
        .ok_or_else(|| {
            FailureCause::new(OpFailureCode::Link, format!("{path} is a link or leads through one"))
        })?;
    match snapshot.get(&target) {
        Some(Entry::File(file)) if file.hash() == base => Ok((target, file.text())),
        Some(Entry::File(file)) => {
            let mut failure = FailureCause::new(
                OpFailureCode::Stale,
                format!("{target} is not the text that the edits are for"),
            );
            failure.expected = Some(base.to_string());
            failure.found = Some(file.hash().to_string());
            Err(failure)
        }
        Some(Entry::Unread { reason: UnreadReason::TooLarge, .. }) => Err(FailureCause::new(
            OpFailureCode::TooLarge,
            format!("{target} is larger than the limit"),
        )),
        Some(_) => Err(FailureCause::new(
            OpFailureCode::NotAFile,
            format!("{target} is not a regular file"),
        )),
        None => {
            Err(FailureCause::new(OpFailureCode::FileMissing, format!("{target} does not exist")))
        }
    }
}

/// Puts the parts together and checks what no part can check alone.
fn accept(
    document: &EditsDocument,
    parts: Parts,
    snapshot: &Snapshot,
    simulation: &mut Simulation,
) -> Result<(), (usize, FailureCause)> {
    let change = check_alone(document, &parts, snapshot)?;
    move_uids(&change, &mut simulation.index).map_err(|failure| (0, failure))?;
    simulation.change = change;
    Ok(())
}

/// The change that the parts are together, or the operation that makes it impossible.
pub(crate) fn check_alone(
    document: &EditsDocument,
    parts: &Parts,
    snapshot: &Snapshot,
) -> Result<TreeChange, (usize, FailureCause)> {
    let Parts { edits, adds, deletes, renames } = parts.clone();
    let change = TreeChange::new(edits, adds, deletes, renames).map_err(|error| {
        (0, FailureCause::new(OpFailureCode::InvalidDocument, error.to_string()))
    })?;
    if let Err(error) = check_moves(&change, snapshot) {
        let (code, path) = code_of(&error);
        let wants = |(_, name): &(usize, &RelPath)| path.as_ref() == Some(*name);
        let targets = document.files.iter().map(|it| &it.path);
        let targets = targets.chain(document.adds.iter().map(|it| &it.path));
        let targets = targets.chain(document.deletes.iter().map(|it| &it.path));
        let targets = targets.chain(document.renames.iter().map(|it| &it.to));
        let op_index = targets.enumerate().filter(wants).last().map_or(0, |(index, _)| index);
        return Err((op_index, FailureCause::new(code, error.to_string())));
    }
    Ok(change)
}

/// Whether files can come and go as the change says. The edits were checked one by one; without them the check of the
/// paths copies no text.
pub(crate) fn check_moves(change: &TreeChange, snapshot: &Snapshot) -> Result<(), ApplyError> {
    let (adds, deletes, renames) = (change.adds(), change.deletes(), change.renames());
    if adds.is_empty() && deletes.is_empty() && renames.is_empty() {
        return Ok(());
    }
    let (adds, deletes) = (adds.clone(), deletes.clone());
    let moves = TreeChange::new(BTreeMap::new(), adds, deletes, renames.clone());
    snapshot.apply(&moves.expect("a part of a change is a change")).map(|_| ())
}

/// Uids go where their files go.
pub(crate) fn move_uids(change: &TreeChange, index: &mut FileIndex) -> Result<(), FailureCause> {
    change.deletes().keys().for_each(|it| index.remove(it));
    // All uids leave their paths before the first arrives, so that files may swap their paths.
    let uid = |(path, it): (&RelPath, &Rename)| {
        Some((index.indexed_uid(path)?.to_owned(), it.to.clone()))
    };
    let moved: Vec<(String, RelPath)> = change.renames().iter().filter_map(uid).collect();
    change.renames().keys().for_each(|it| index.remove(it));
    for (uid, to) in moved {
        index
            .insert(&uid, &to)
            .map_err(|error| FailureCause::new(OpFailureCode::UidInUse, error.to_string()))?;
    }
    Ok(())
}

pub(crate) fn code_of(error: &ApplyError) -> (OpFailureCode, Option<RelPath>) {
    match error {
        ApplyError::Missing { path } => (OpFailureCode::FileMissing, Some(path.clone())),
        ApplyError::NotAFile { path } => (OpFailureCode::NotAFile, Some(path.clone())),
        ApplyError::Stale { path, .. } => (OpFailureCode::Stale, Some(path.clone())),
        ApplyError::Exists { path } => (OpFailureCode::FileExists, Some(path.clone())),
        ApplyError::CaseCollision { path, .. } => {
            (OpFailureCode::CaseCollision, Some(path.clone()))
        }
        ApplyError::NotADirectory { path, .. } => {
            (OpFailureCode::NotADirectory, Some(path.clone()))
        }
        ApplyError::Edit { path, .. } => (OpFailureCode::InvalidEdit, Some(path.clone())),
        _ => (OpFailureCode::InvalidDocument, None),
    }
}
