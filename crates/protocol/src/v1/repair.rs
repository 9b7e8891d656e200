//! A repair on the wire: the repair candidate of the repair reference (RS-3..RS-14), with where it comes from.

use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::Severity;

/// What applying a repair may do to the meaning of the workspace, from the safest on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// Nothing that anybody could observe changes.
    BehaviorPreserving,
    /// What was meant is beyond doubt.
    LikelyPreserving,
    /// It may be a guess: a person decides.
    BehaviorChanging,
}

/// How sure the source is that the repair does what it claims.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// It works.
    High,
    /// It should work.
    Medium,
    /// It may work; applied only if it is named.
    Low,
}

/// What kind of change a repair is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepairKind {
    /// Few places, close together.
    LocalFix,
    /// A check where data comes in.
    BoundaryValidation,
    /// The same meaning, arranged differently.
    Refactor,
    /// Another meaning.
    SemanticsChange,
}

/// What a repair does about the cause of a finding, computed from its edits. It says nothing about safety.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RepairClass {
    /// It changes code or data so that the cause is gone.
    Repair,
    /// It only removes what somebody wrote.
    Delete,
    /// It adds the missing thing as a declaration with a guessed shape.
    Declare,
    /// It puts something in the place that fails or means nothing when it is reached.
    Stub,
    /// It hides the message. Applied only if it is named.
    Suppress,
}

impl RepairClass {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            RepairClass::Repair => "repair",
            RepairClass::Delete => "delete",
            RepairClass::Declare => "declare",
            RepairClass::Stub => "stub",
            RepairClass::Suppress => "suppress",
        }
    }
}

/// Repairs by class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct ClassCounts {
    /// Those that make the cause go away.
    pub repair: usize,
    /// Those that only remove something.
    pub delete: usize,
    /// Those that declare the missing thing.
    pub declare: usize,
    /// Those that put in something that fails.
    pub stub: usize,
    /// Those that hide the message.
    pub suppress: usize,
}

impl ClassCounts {
    /// How many there are of each class.
    pub fn of(classes: impl Iterator<Item = RepairClass>) -> ClassCounts {
        let mut counts = ClassCounts::default();
        for class in classes {
            *match class {
                RepairClass::Repair => &mut counts.repair,
                RepairClass::Delete => &mut counts.delete,
                RepairClass::Declare => &mut counts.declare,
                RepairClass::Stub => &mut counts.stub,
                RepairClass::Suppress => &mut counts.suppress,
            } += 1;
        }
        counts
    }

    /// The classes and how many there are of each, the best first.
    pub fn all(&self) -> [(RepairClass, usize); 5] {
        [
            (RepairClass::Repair, self.repair),
            (RepairClass::Delete, self.delete),
            (RepairClass::Declare, self.declare),
            (RepairClass::Stub, self.stub),
            (RepairClass::Suppress, self.suppress),
        ]
    }
}

/// A proposed repair.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Repair {
    /// `r_` and 12 hex digits; survives unrelated edits.
    pub id: String,
    /// A short label.
    pub title: String,
    /// Why this is the repair.
    pub rationale: String,
    /// Who proposes it.
    pub source: String,
    /// The part of the source that owns the rule.
    pub phase: String,
    /// The rule whose finding it resolves.
    pub rule_id: String,
    /// The severity of that finding.
    pub severity: Severity,
    /// How sure the source is.
    pub confidence: Confidence,
    /// What it may do to the meaning.
    pub safety: Safety,
    /// What kind of change it is.
    pub kind: RepairKind,
    /// What it does about the cause, computed from its edits.
    pub class: RepairClass,
    /// How much it touches, computed from its edits.
    pub scope: RepairScope,
    /// What it is about.
    pub targets: RepairTargets,
    /// What must hold before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preconditions: Vec<Precondition>,
    /// What to do, in order; all or nothing.
    pub edits: Vec<RepairEdit>,
    /// What will be gone.
    pub expected_delta: ExpectedDelta,
    /// The rules of findings that can only be seen then, each as often as there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reveals: Vec<String>,
    /// What it can be combined with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<Compatibility>,
}

/// How much a repair touches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RepairScope {
    /// How many places are written.
    pub node_count: u32,
    /// Whether more than one function is touched.
    pub crosses_function: bool,
    /// How many files are touched.
    pub files: u32,
}

/// What a repair is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct RepairTargets {
    /// The rules of the findings that it resolves.
    pub diagnostic_codes: Vec<String>,
    /// The obligations that it discharges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obligation_ids: Vec<String>,
    /// The holes that it fills.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hole_ids: Vec<String>,
}

/// What a repair claims, by `diagnostic_id`; looked at after it was tried.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ExpectedDelta {
    /// The findings that will be gone.
    pub diagnostics_resolved: Vec<String>,
    /// The obligations that will be gone.
    pub obligations_discharged: Vec<String>,
    /// The holes that will be gone.
    pub holes_filled: Vec<String>,
}

/// What a repair can be combined with, by id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Compatibility {
    /// Repairs that it excludes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conflicts_with: Vec<String>,
    /// Repairs that come before it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// Repairs with the same key are said to commute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_key: Option<String>,
}

/// What must hold of a place in a document, in the shape of the fix action's `expects`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct Precondition {
    /// The file, relative to the root.
    pub file: String,
    /// The place.
    pub json_pointer: String,
    /// The document of a YAML stream, from 0; without it, the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x_document: Option<u32>,
    /// The type of what is there.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub json_type: Option<String>,
    /// What is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<serde_json::Value>,
    /// Whether something is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
    /// How many items are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
}

/// One operation of a repair.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the members are those of fix actions and changesets")]
pub enum RepairEdit {
    /// The value at the pointer becomes another.
    ReplaceValue {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        value: serde_json::Value,
    },
    /// The object at the pointer gets a key.
    AddValue {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        key: String,
        value: serde_json::Value,
    },
    /// The object at the pointer loses a key.
    RemoveKey {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        key: String,
    },
    /// A key of the object at the pointer gets another name.
    RenameKey {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        from: String,
        to: String,
    },
    /// The array at the pointer gets an item; without an index it is the last.
    InsertArrayItem {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        value: serde_json::Value,
    },
    /// An item of the array at the pointer becomes another.
    ReplaceArrayItem {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        index: usize,
        value: serde_json::Value,
    },
    /// The array at the pointer loses an item.
    RemoveArrayItem {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        index: usize,
    },
    /// The value at the pointer is replaced or made.
    SetValue {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        value: serde_json::Value,
    },
    /// The key or item at the pointer goes away.
    DeleteValue {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
    },
    /// The value at one pointer goes to another.
    MoveValue {
        file: String,
        json_pointer: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        x_document: Option<u32>,
        to_pointer: String,
        keep_position: bool,
    },
    /// Bytes of the text with that hash become others; offsets count bytes from 0, half-open.
    ReplaceText { file: String, base: String, start: u32, end: u32, text: String },
    /// A file comes into being; `hash` is that of its bytes, `mode` are its permission bits, and the text is left out if the
    /// bytes are none.
    AddFile {
        file: String,
        hash: String,
        mode: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// The file with that hash goes away.
    DeleteFile { file: String, base: String },
    /// The file with that hash gets another path. Other edits of the repair name it by the path before.
    RenameFile { file: String, to: String, base: String },
}
