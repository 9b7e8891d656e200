//! What is known about a document that has faults, looked up once for all of them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use document::{Document, Pointer, Value};

use super::family;
use super::fault::{FaultKind, SchemaFault};
use super::library::{ResolvedSchema, SchemaLibrary};
use super::pointer_trie::find_all;
use crate::typo;

pub(crate) struct FaultContext<'a> {
    pub(crate) library: &'a SchemaLibrary,
    pub(crate) document: &'a Document,
    pub(crate) faults: &'a [SchemaFault],
    root: ResolvedSchema<'a>,
    /// Per fault, the value that it is about.
    values: Vec<Option<&'a Value>>,
    /// Per fault, where its value stands in the text, if it may be written in several ways.
    spans: HashMap<usize, Range<u32>>,
    by_object: HashMap<&'a Pointer, Vec<usize>>,
    families: RefCell<Families<'a>>,
    rivals: RefCell<Rivals<'a>>,
}

/// The schemas in force at a place, and the keys that they name.
pub(crate) struct Family<'a> {
    pub(crate) schemas: Vec<ResolvedSchema<'a>>,
    pub(crate) known_keys: Vec<&'a str>,
    known: HashSet<&'a str>,
}

/// Families by the way that validation took to them.
pub(crate) type Families<'a> = HashMap<Pointer, Rc<Family<'a>>>;

/// By object and way, how many unknown keys could mean a known one.
type Rivals<'a> = HashMap<(&'a Pointer, &'a Pointer), HashMap<&'a str, usize>>;

impl<'a> Family<'a> {
    /// The family at the end of a way.
    pub(crate) fn at(
        families: &mut Families<'a>,
        library: &'a SchemaLibrary,
        root: &ResolvedSchema<'a>,
        evaluation_path: &Pointer,
    ) -> Rc<Family<'a>> {
        if let Some(family) = families.get(evaluation_path) {
            return Rc::clone(family);
        }
        let schemas = family::in_force(library, root, evaluation_path);
        let known_keys = family::known_keys(&schemas);
        let known = known_keys.iter().copied().collect();
        let family = Rc::new(Family { schemas, known_keys, known });
        families.insert(evaluation_path.clone(), Rc::clone(&family));
        family
    }

    pub(crate) fn knows(&self, key: &str) -> bool {
        self.known.contains(key)
    }
}

impl<'a> FaultContext<'a> {
    pub(crate) fn new(
        library: &'a SchemaLibrary,
        root: ResolvedSchema<'a>,
        value: &'a Value,
        document: &'a Document,
        faults: &'a [SchemaFault],
    ) -> FaultContext<'a> {
        let places: Vec<&Pointer> = faults.iter().map(|it| &it.at).collect();
        let values = find_all(value, &places);
        let is_plain =
            |idx: &usize| matches!(values[*idx], Some(Value::Bool(_) | Value::Number(_)));
        let plain: Vec<usize> = (0..faults.len()).filter(is_plain).collect();
        let plain_places: Vec<Pointer> = plain.iter().map(|it| faults[*it].at.clone()).collect();
        let found = plain.into_iter().zip(document.locate_many(&plain_places));
        let spans = found.filter_map(|(idx, it)| Some((idx, it?.span))).collect();
        let mut by_object: HashMap<&Pointer, Vec<usize>> = HashMap::new();
        for (idx, fault) in faults.iter().enumerate() {
            by_object.entry(&fault.at).or_default().push(idx);
        }
        FaultContext {
            library,
            document,
            faults,
            root,
            values,
            spans,
            by_object,
            families: RefCell::default(),
            rivals: RefCell::default(),
        }
    }

    /// The value that a fault is about; of a key, its object.
    pub(crate) fn value(&self, idx: usize) -> Option<&'a Value> {
        self.values[idx]
    }

    /// Where a boolean or a number that a fault is about stands in the text.
    pub(crate) fn span(&self, idx: usize) -> Option<&Range<u32>> {
        self.spans.get(&idx)
    }

    /// The schemas in force where the fault is.
    pub(crate) fn family(&self, fault: &SchemaFault) -> Rc<Family<'a>> {
        let mut families = self.families.borrow_mut();
        Family::at(&mut families, self.library, &self.root, &fault.evaluation_path)
    }

    /// All faults of the same value or object.
    pub(crate) fn faults_at(&self, at: &Pointer) -> impl Iterator<Item = &'a SchemaFault> {
        let faults = self.faults;
        self.by_object.get(at).into_iter().flatten().map(move |it| &faults[*it])
    }

    /// How many unknown keys of the object of `fault` could mean the known key `to`.
    pub(crate) fn n_rivals(&self, fault: &'a SchemaFault, to: &str) -> usize {
        let mut rivals = self.rivals.borrow_mut();
        let counts = rivals.entry((&fault.at, &fault.evaluation_path)).or_insert_with(|| {
            let family = self.family(fault);
            let mut counts: HashMap<&str, usize> = HashMap::new();
            for it in self.faults_at(&fault.at) {
                let FaultKind::UnknownKey { key } = &it.kind else { continue };
                let near = typo::nearest(key, family.known_keys.iter().copied());
                if let Some((to, _)) = near {
                    *counts.entry(to).or_default() += 1;
                }
            }
            counts
        });
        counts.get(to).copied().unwrap_or_default()
    }
}
