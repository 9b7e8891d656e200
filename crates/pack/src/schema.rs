//! The schema tier: JSON Schema, drafts 4 to 2020-12, offline, all errors, and the repairs that a schema justifies.
//!
//! The path of a check: a document that is valid costs one conversion and one validation, and a large one no conversion
//! (`direct.rs`). Otherwise the validator's
//! errors are flattened to faults (`fault.rs`, `branch.rs`), each gets its message (`message.rs`) and at most one
//! candidate for its repair (`repair.rs`). A candidate is tried on a copy of the value (`trial.rs`): it is proposed only
//! if its fault is gone then and no other one has appeared.

mod branch;
mod budget;
mod cause;
mod deprecated;
mod direct;
mod family;
mod fault;
mod fault_context;
mod json;
mod later;
mod library;
mod message;
mod pointer_trie;
mod repair;
#[cfg(test)]
mod tests;
mod trial;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use check::{RuleInfo, Severity, Tier, Unchecked};
use document::{Content, Document, Pointer, Value, View};
use jsonschema::error::ValidationErrorKind;
use jsonschema::json::Json as Representation;
use jsonschema::{
    Keyword, PatternOptions, Retrieve, Uri, ValidationError, ValidationOptions, Validator,
};
use serde_json::Value as Json;

use crate::finding::{MemberPart, SchemaRepair, SchemaViolation};
use crate::typo::{self, Nearness};
use budget::{DocumentSize, Exhausted};
use direct::{Exact, ExactNode};
use fault::{FaultKind, SchemaFault};
use fault_context::{Families, Family, FaultContext};
pub(crate) use json::to_json;
pub(crate) use library::{SchemaLibrary, referenced_documents};
use message::Hints;
pub(crate) use message::{cut, quoted};
use trial::{RepairCandidate, TrialDocument, TrialVerdict};

/// The keyword of an object that may have keys which nobody knows: `true` if those who read it pass over them, `"slips"`
/// if they do not, and only this schema does not know all keys that there are.
const OPEN: &str = "x-regreen-open";
/// Where strangers are passed over, shorter keys are too near to everything to be a slip of another.
const MIN_SLIP: usize = 5;
const MAX_BACKTRACKS: usize = 20_000;
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Why a schema cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum SchemaError {
    #[error("cannot find schema `{path}`")]
    NoDocument { path: String },
    #[error("`{path}` refers to `{reference}`, which does not exist")]
    Missing { path: String, reference: String },
    #[error("`{path}` refers to `{reference}`, which is not a valid reference")]
    BadReference { path: String, reference: String },
    #[error("`{path}` is too large: at most {max_depth} levels and {max_nodes} values altogether")]
    TooLarge { path: String, max_depth: usize, max_nodes: usize },
    #[error("`{path}` is written in `{draft}`, which is not supported; use draft 4 or a later one")]
    Draft { path: String, draft: String },
    #[error("`{path}` is not a valid schema{}: {message}", place(.at))]
    Invalid { path: String, at: String, is_reference: bool, message: String },
}

impl SchemaError {
    /// Whether a reference leads nowhere, and nothing else is wrong.
    pub(crate) fn is_reference(&self) -> bool {
        match self {
            SchemaError::Missing { .. } | SchemaError::BadReference { .. } => true,
            SchemaError::Invalid { is_reference, .. } => *is_reference,
            _ => false,
        }
    }
}

fn place(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!(", at `{at}`") }
}

/// A compiled schema with the documents that it is made of.
pub(crate) struct CompiledSchema {
    path: String,
    validator: Validator,
    /// The same for values as they are; made for the first large document.
    direct: OnceLock<Option<Validator<Exact>>>,
    library: Arc<SchemaLibrary>,
    has_deprecations: bool,
    /// Whether some of its objects may have keys that nobody knows.
    is_open: bool,
    /// Whether the schema has an opinion about a `$schema` key at the top of a document. If not, the key is the
    /// editor's business.
    knows_schema_key: bool,
}

/// Documents of this many bytes are worth a validator of their own.
const LARGE: usize = 1 << 16;

/// The validator of a schema, for one representation of values. Never fetches anything.
fn validator<F: Representation>(
    library: &Arc<SchemaLibrary>,
    path: &str,
    schema: &Json,
) -> Result<Validator<F>, ValidationError<'static>>
where
    budget::StepKeyword: for<'i> Keyword<'i, F>,
{
    let patterns = PatternOptions::fancy_regex()
        .backtrack_limit(MAX_BACKTRACKS)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES);
    ValidationOptions::<'_, Arc<dyn Retrieve>, F>::default()
        .with_draft(library::draft(schema))
        .with_base_uri(library::address(path))
        .with_retriever(LibraryRetriever(Arc::clone(library)))
        .with_pattern_options(patterns)
        .should_validate_formats(true)
        .should_ignore_unknown_formats(true)
        .with_keyword(budget::KEYWORD, |_, _, _| Ok(Box::new(budget::StepKeyword)))
        .build(schema)
}

impl CompiledSchema {
    /// The schema at `path` of the library. Never fetches anything.
    pub(crate) fn compile(
        library: &Arc<SchemaLibrary>,
        path: &str,
    ) -> Result<CompiledSchema, SchemaError> {
        let no_document = || SchemaError::NoDocument { path: path.to_owned() };
        let root = library.document(path).ok_or_else(no_document)?;
        if let Some(broken) = library.first_broken(path) {
            return Err(broken.clone());
        }
        let validator =
            validator(library, path, root.schema).map_err(|error| SchemaError::Invalid {
                path: path.to_owned(),
                at: error.instance_path().to_string(),
                is_reference: matches!(error.kind(), ValidationErrorKind::Referencing(_)),
                message: match error.kind() {
                    // What the meta-schema would allow instead is long and says little.
                    ValidationErrorKind::AnyOf { .. }
                    | ValidationErrorKind::OneOfNotValid { .. } => {
                        format!(
                            "{} is not allowed there",
                            message::cut(&error.instance().to_string())
                        )
                    }
                    _ => message::cut_sentence(&error.to_string()),
                },
            })?;
        Ok(CompiledSchema {
            path: path.to_owned(),
            validator,
            direct: OnceLock::new(),
            has_deprecations: library.documents().any(deprecated::has_any),
            is_open: library.documents().any(has_open_objects),
            knows_schema_key: library.documents().any(knows_schema_key),
            library: Arc::clone(library),
        })
    }

    /// The addresses that the schema refers to and that were not fetched.
    pub(crate) fn remote(&self) -> impl Iterator<Item = &str> {
        self.library.remote()
    }

    /// The keywords of later drafts that the schema uses: what is said of them, if there are any.
    pub(crate) fn later_keywords(&self) -> Option<String> {
        let found = self.library.later(&self.path);
        let words: Vec<String> = found.iter().map(ToString::to_string).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// What is wrong with a document, in the order of places.
    pub(crate) fn check_document(&self, document: &Document) -> Vec<SchemaViolation> {
        if self.accepts(document) {
            return Vec::new();
        }
        self.check(&document.value(), document)
    }

    /// Whether the document is large and, as it stands, surely valid.
    pub(crate) fn accepts(&self, document: &Document) -> bool {
        document.text().len() >= LARGE && self.is_surely_valid(document)
    }

    /// What is wrong with a document, in the order of places; `value` is what it says.
    pub(crate) fn check(&self, value: &Value, document: &Document) -> Vec<SchemaViolation> {
        let (json, extent) = self.seen(value);
        let faults = match self.all_faults(&json, extent) {
            Err(TooMuch::ToDecide) => return vec![unexplained("SCHEMA_INVALID", UNDECIDED)],
            Err(TooMuch::ToExplain) => return vec![unexplained("SCHEMA_NO_BRANCH", UNEXPLAINED)],
            Ok(faults) if faults.is_empty() => return Vec::new(),
            Ok(faults) => faults,
        };
        let Some(root) = self.library.document(&self.path) else { return Vec::new() };
        let context = FaultContext::new(&self.library, root, value, document, &faults);
        let mut violations: Vec<SchemaViolation> =
            (0..faults.len()).map(|idx| violation(&context, idx)).collect();
        let proposed = (0..faults.len())
            .filter_map(|idx| Some(RepairCandidate::new(idx, repair::candidate(&context, idx)?)));
        let candidates: Vec<RepairCandidate> = proposed.collect();
        let trial_document = TrialDocument { schema: self, json: &json, extent, faults: &faults };
        let verdicts = trial::try_all(&trial_document, &candidates);
        for (candidate, verdict) in candidates.into_iter().zip(verdicts) {
            let violation = &mut violations[candidate.fault];
            match verdict {
                TrialVerdict::Good(also_resolves) => {
                    violation.proposals.push(SchemaRepair { also_resolves, ..candidate.proposal });
                }
                TrialVerdict::Failed => {}
                TrialVerdict::NotTried => {
                    violation.details.insert("proposals_capped".into(), Value::Bool(true));
                }
            }
        }
        violations
    }

    /// Whether the document is valid, asked without a copy of it. Where that cannot be said, it is not.
    fn is_surely_valid(&self, document: &Document) -> bool {
        // What a valid document is told besides takes the copy; of a key that stands twice the last one counts.
        if self.has_deprecations || self.is_open || document.blocked().is_some() {
            return false;
        }
        let direct = self.direct.get_or_init(|| {
            let root = self.library.document(&self.path)?;
            validator(&self.library, &self.path, root.schema).ok()
        });
        let Some(direct) = direct else { return false };
        let view = document.view();
        let schema_key = (!self.knows_schema_key).then(|| view.get("$schema")).flatten();
        let top = match schema_key.map(|it| it.content()) {
            Some(Content::String(_)) => ExactNode::WithoutSchemaKey(view),
            _ => ExactNode::Value(view),
        };
        budget::within(view_extent(&view), || direct.is_valid(top)).unwrap_or(false)
    }

    /// Why a document with these violations was not compared with all of the schema, if it was not.
    pub(crate) fn unchecked(&self, violations: &[SchemaViolation]) -> Option<Unchecked> {
        // Of all that a comparison says, only that it could not be made is about the schema.
        if violations.iter().any(|it| it.rule_id == "SCHEMA_INVALID") {
            return Some(Unchecked::TooComplex);
        }
        self.remote().next().map(|_| Unchecked::RemoteSchema)
    }

    /// The rules that [`CompiledSchema::check`] would say are broken, once for each time; without the words and the repairs.
    pub(crate) fn broken_rules(&self, value: &Value) -> Vec<&'static str> {
        let (json, extent) = self.seen(value);
        match self.all_faults(&json, extent) {
            Err(TooMuch::ToDecide) => vec!["SCHEMA_INVALID"],
            Err(TooMuch::ToExplain) => vec!["SCHEMA_NO_BRANCH"],
            Ok(faults) => faults.iter().map(SchemaFault::rule_id).collect(),
        }
    }

    /// The document as the validator sees it.
    fn seen(&self, value: &Value) -> (Json, DocumentSize) {
        let mut json = json::to_json(value);
        if !self.knows_schema_key
            && let Some(members) = json.as_object_mut()
            && members.get("$schema").is_some_and(Json::is_string)
        {
            members.shift_remove("$schema");
        }
        let extent = extent(&json);
        (json, extent)
    }

    fn all_faults(&self, json: &Json, extent: DocumentSize) -> Result<Vec<SchemaFault>, TooMuch> {
        let is_valid = budget::within(extent, || self.validator.is_valid(json));
        match is_valid {
            Err(Exhausted) => Err(TooMuch::ToDecide),
            Ok(true) if !self.has_deprecations => Ok(Vec::new()),
            Ok(_) => self.faults(json, extent).map_err(|Exhausted| TooMuch::ToExplain),
        }
    }

    fn faults(&self, json: &Json, extent: DocumentSize) -> Result<Vec<SchemaFault>, Exhausted> {
        let deprecated = match self.library.document(&self.path) {
            Some(root) if self.has_deprecations => deprecated::find(&self.library, &root, json),
            _ => Vec::new(),
        };
        let collect = || fault::collect(self.validator.iter_errors(json), deprecated);
        let faults = budget::within(extent, collect)?;
        let faults = fault::without_twins(self.without_echoes(faults), json);
        let faults = self.without_strangers(faults, json);
        Ok(fault::without_consequences(faults))
    }

    /// Where a format grows, a key that nobody knows is nobody's business; only one that is nearly a known key, which the
    /// object lacks, is a slip. A schema says so with [`OPEN`] beside `additionalProperties: false`.
    fn without_strangers(&self, mut faults: Vec<SchemaFault>, json: &Json) -> Vec<SchemaFault> {
        let Some(root) = self.library.document(&self.path).filter(|_| self.is_open) else {
            return faults;
        };
        let mut families = Families::new();
        faults.retain(|fault| {
            let FaultKind::UnknownKey { key } = &fault.kind else { return true };
            let family = Family::at(&mut families, &self.library, &root, &fault.evaluation_path);
            if !family.schemas.iter().any(|it| is_open(it.schema)) {
                return true;
            }
            let is_loose = family.schemas.iter().any(|it| is_loose(it.schema));
            let near = typo::nearest(key, family.known_keys.iter().copied());
            let object = json.pointer(&fault.at.to_string());
            near.is_some_and(|(near, nearness)| {
                let is_long =
                    !is_loose || near.chars().count() >= MIN_SLIP || nearness == Nearness::Variant;
                is_long && object.is_some_and(|it| it.get(near).is_none())
            })
        });
        faults
    }

    /// A fault anywhere in an object makes the validator forget which keys a part of the schema has looked at, and
    /// call them unevaluated. Of those, only keys that no part knows are wrong.
    fn without_echoes(&self, mut faults: Vec<SchemaFault>) -> Vec<SchemaFault> {
        let Some(root) = self.library.document(&self.path) else { return faults };
        if !faults.iter().any(SchemaFault::is_unevaluated_key) {
            return faults;
        }
        // In the order of places, so that what is inside an object stands right behind it.
        let causes: Vec<Pointer> =
            faults.iter().filter(|it| !it.is_unevaluated_key()).map(SchemaFault::place).collect();
        let mut families = Families::new();
        faults.retain(|fault| {
            let Some(key) = fault.key().filter(|_| fault.is_unevaluated_key()) else { return true };
            let path = &fault.evaluation_path;
            let is_known = Family::at(&mut families, &self.library, &root, path).knows(key);
            let next = causes.partition_point(|it| *it < fault.at);
            !is_known || !causes.get(next).is_some_and(|it| fault.at.is_prefix_of(it))
        });
        faults
    }
}

/// What a schema costs too much for.
enum TooMuch {
    ToDecide,
    ToExplain,
}

/// The rules that come with any schema: those that have a page.
pub(crate) fn rules() -> impl Iterator<Item = RuleInfo> {
    let ids = crate::page::rule_ids(&[]).into_iter();
    let ids = ids.filter(|it| !crate::syntax::OWN_RULES.contains(&it.as_str()));
    ids.map(|id| RuleInfo { severity: Some(severity(&id)), id, tier: Tier::Schema })
}

/// How bad a finding of the schema tier is.
pub(crate) fn severity_of(violation: &SchemaViolation) -> Severity {
    match severity(&violation.rule_id) {
        Severity::Error if violation.is_harmless => Severity::Warning,
        severity => severity,
    }
}

/// How bad it is to break a rule, as long as the workspace does not say otherwise.
pub(crate) fn severity(rule_id: &str) -> Severity {
    match rule_id {
        "SCHEMA_REMOTE" | "SCHEMA_LATER_KEYWORD" => Severity::Info,
        "SCHEMA_INVALID" | "SCHEMA_DEPRECATED_KEY" => Severity::Warning,
        _ => Severity::Error,
    }
}

/// The only place where the validator can get a document from.
struct LibraryRetriever(Arc<SchemaLibrary>);

impl Retrieve for LibraryRetriever {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Json, Box<dyn std::error::Error + Send + Sync>> {
        self.0.retrieve(uri.as_str()).ok_or_else(|| "it is not a local file".into())
    }
}

const UNDECIDED: &str =
    "the schema takes too many steps to compare with this document; make its references fork less";
const UNEXPLAINED: &str = "the document does not match its schema in too many places to list; compare it with a valid one";

/// All that is said where a schema costs too much.
fn unexplained(rule_id: &str, message: &str) -> SchemaViolation {
    SchemaViolation {
        rule_id: rule_id.to_owned(),
        at: Pointer::root(),
        anchor: MemberPart::Value,
        message: message.to_owned(),
        is_harmless: false,
        details: BTreeMap::new(),
        proposals: Vec::new(),
    }
}

fn violation(context: &FaultContext<'_>, idx: usize) -> SchemaViolation {
    let fault = &context.faults[idx];
    let family = context.family(fault);
    let hints = Hints {
        value: context.value(idx),
        known_keys: &family.known_keys,
        default: fault
            .key()
            .and_then(|key| repair::declared(context.library, &family.schemas, key))
            .map(|it| it.0),
    };
    let (message, details) = message::message(fault, &hints);
    SchemaViolation {
        rule_id: fault.rule_id().to_owned(),
        at: fault.place(),
        anchor: if fault.key().is_some() { MemberPart::Key } else { MemberPart::Value },
        message,
        is_harmless: matches!(fault.kind, FaultKind::UnknownKey { .. })
            && family.schemas.iter().any(|it| is_loose(it.schema)),
        details,
        proposals: Vec::new(),
    }
}

/// Whether an object may have keys that the schema does not know.
fn is_open(schema: &Json) -> bool {
    is_loose(schema) || schema.get(OPEN).and_then(Json::as_str) == Some("slips")
}

/// Whether keys that nobody knows do nothing.
fn is_loose(schema: &Json) -> bool {
    schema.get(OPEN) == Some(&Json::Bool(true))
}

fn has_open_objects(document: &Json) -> bool {
    match document {
        Json::Object(members) => is_open(document) || members.values().any(has_open_objects),
        Json::Array(items) => items.iter().any(has_open_objects),
        _ => false,
    }
}

fn knows_schema_key(document: &Json) -> bool {
    match document {
        Json::Object(members) => {
            let properties = members.get("properties").and_then(|it| it.get("$schema"));
            let required = members.get("required").and_then(Json::as_array);
            properties.is_some()
                || required.is_some_and(|it| it.contains(&Json::from("$schema")))
                || members.values().any(knows_schema_key)
        }
        Json::Array(items) => items.iter().any(knows_schema_key),
        _ => false,
    }
}

fn view_extent(view: &View<'_>) -> DocumentSize {
    let around = |inner: DocumentSize, child: View<'_>| {
        let child = view_extent(&child);
        DocumentSize {
            n_nodes: inner.n_nodes + child.n_nodes,
            depth: inner.depth.max(child.depth + 1),
        }
    };
    view.items().fold(DocumentSize { n_nodes: 1, depth: 1 }, around)
}

fn extent(json: &Json) -> DocumentSize {
    let around = |inner: DocumentSize, child: &Json| {
        let child = extent(child);
        DocumentSize {
            n_nodes: inner.n_nodes + child.n_nodes,
            depth: inner.depth.max(child.depth + 1),
        }
    };
    let leaf = DocumentSize { n_nodes: 1, depth: 1 };
    match json {
        Json::Array(items) => items.iter().fold(leaf, around),
        Json::Object(members) => members.values().fold(leaf, around),
        _ => leaf,
    }
}
