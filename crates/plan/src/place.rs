//! Places of a document as it was checked, and what the pointers of a repair mean there.
//!
//! A pointer of a repair means the checked document after the repair's own earlier operations. Here it is led back to
//! the checked document itself, in which the places of all repairs can be compared: indexes become items that were
//! there or that the repair brought, and what lies inside something that the repair made itself is nobody else's
//! business.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use document::{Draft, JsonType, Limits, Pointer};

use crate::runs::{Item, Runs};

/// A place of one document.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct PlaceId(u32);

/// The places of one document that repairs have named.
pub(crate) struct PlaceIndex {
    /// The first ones are the roots of the documents.
    nodes: Vec<Node>,
    /// Whether the root of a document has an empty key, by document.
    has_empty_key: Vec<bool>,
}

struct Node {
    /// The container and the segment in it; `None` for the root.
    parent: Option<(PlaceId, Arc<str>)>,
    children: HashMap<Arc<str>, PlaceId>,
    /// The number of items, if it is an array; `None` until somebody asked.
    array_len: Option<Option<usize>>,
}

/// A segment of a pointer that is an index into an array as it was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hit {
    pub(crate) segment: usize,
    pub(crate) array: PlaceId,
    pub(crate) item: Item,
}

/// What a pointer of a repair means in the document as it was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Located {
    pub(crate) place: PlaceId,
    pub(crate) hits: Vec<Hit>,
    /// Whether the place lies in something that the repair made itself.
    pub(crate) is_own: bool,
    /// Whether the pointer is `"/"` and means the root.
    pub(crate) is_root_slash: bool,
}

/// What one repair has done to the document so far.
#[derive(Default)]
pub(crate) struct DraftView {
    pub(crate) arrays: HashMap<PlaceId, Runs>,
    /// Places that it has written as a whole.
    pub(crate) own: HashSet<PlaceId>,
}

/// Why a pointer cannot be led back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum LocateError {
    #[error("a pointer has more segments than a document has levels")]
    TooDeep,
    #[error("the file has fewer documents")]
    NoDocument,
    #[error("`/` is ambiguous after a change of the empty key; write the root as an empty pointer")]
    AmbiguousSlash,
}

impl PlaceIndex {
    /// The places of the document that `checked` is an untouched draft of.
    pub(crate) fn new(checked: &Draft) -> PlaceIndex {
        let slash = Pointer::from_segments([String::new()]);
        let root = || Node { parent: None, children: HashMap::new(), array_len: None };
        let has_empty_key: Vec<bool> = checked
            .document()
            .all()
            .map(|it| it.locate(&slash).is_some_and(|found| found.key_span.is_some()))
            .collect();
        PlaceIndex { nodes: has_empty_key.iter().map(|_| root()).collect(), has_empty_key }
    }

    pub(crate) fn child(&mut self, place: PlaceId, segment: &str) -> PlaceId {
        if let Some(child) = self.node(place).children.get(segment) {
            return *child;
        }
        let child = PlaceId(
            u32::try_from(self.nodes.len()).expect("fewer places than bytes in the pointers"),
        );
        let segment: Arc<str> = segment.into();
        let parent = Some((place, Arc::clone(&segment)));
        self.nodes.push(Node { parent, children: HashMap::new(), array_len: None });
        self.nodes[place.0 as usize].children.insert(segment, child);
        child
    }

    /// The place and those that contain it, from the inside out.
    pub(crate) fn with_ancestors(&self, place: PlaceId) -> impl Iterator<Item = PlaceId> {
        std::iter::successors(Some(place), |it| {
            self.node(*it).parent.as_ref().map(|(parent, _)| *parent)
        })
    }

    /// The number of items of an array that a [`Hit`] or an insertion named.
    pub(crate) fn array_len(&self, place: PlaceId) -> usize {
        self.node(place).array_len.flatten().unwrap_or(0)
    }

    fn node(&self, place: PlaceId) -> &Node {
        &self.nodes[place.0 as usize]
    }

    /// Leads a pointer into a document back. One that leads nowhere is led as far as it goes: applying it will fail.
    pub(crate) fn locate(
        &mut self,
        checked: &mut Draft,
        view: &DraftView,
        document: usize,
        pointer: &Pointer,
    ) -> Result<Located, LocateError> {
        if checked.turn_to(document).is_err() {
            return Err(LocateError::NoDocument);
        }
        let root = PlaceId(u32::try_from(document).unwrap_or(0));
        if pointer.segments().len() > Limits::DEFAULT.max_depth + 1 {
            return Err(LocateError::TooDeep);
        }
        let mut located =
            Located { place: root, hits: Vec::new(), is_own: false, is_root_slash: false };
        if pointer.is_lone_slash() {
            if self.node(root).children.get("").is_some_and(|it| view.own.contains(it)) {
                return Err(LocateError::AmbiguousSlash);
            }
            if !self.has_empty_key[document] {
                located.is_root_slash = true;
                located.is_own = view.own.contains(&root);
                return Ok(located);
            }
        }
        for (idx, segment) in pointer.segments().iter().enumerate() {
            if view.own.contains(&located.place) {
                break;
            }
            let array = located.place;
            match self.item(checked, view, array, segment) {
                None => located.place = self.child(array, segment),
                Some(item) => {
                    located.hits.push(Hit { segment: idx, array, item });
                    let Item::Original(index) = item else {
                        located.is_own = true;
                        return Ok(located);
                    };
                    located.place = self.child(array, &index.to_string());
                }
            }
        }
        located.is_own = view.own.contains(&located.place);
        Ok(located)
    }

    /// The item that a segment names, if `array` is an array and has it.
    fn item(
        &mut self,
        checked: &mut Draft,
        view: &DraftView,
        array: PlaceId,
        segment: &str,
    ) -> Option<Item> {
        let index = parse_index(segment)?;
        let len = self.find_array_len(checked, array)?;
        match view.arrays.get(&array) {
            Some(runs) => runs.item(index),
            None => (index < len).then_some(Item::Original(index)),
        }
    }

    /// The number of items at a place of the checked document; `None` if that is not an array.
    pub(crate) fn find_array_len(&mut self, checked: &mut Draft, place: PlaceId) -> Option<usize> {
        if let Some(known) = self.node(place).array_len {
            return known;
        }
        let pointer = self.pointer(place);
        let is_array = checked.type_at(&pointer) == Some(JsonType::Array);
        let len = if is_array { checked.len_at(&pointer) } else { None };
        self.nodes[place.0 as usize].array_len = Some(len);
        len
    }

    /// The pointer to a place in the checked document.
    pub(crate) fn pointer(&self, place: PlaceId) -> Pointer {
        let segments = self.with_ancestors(place).filter_map(|it| self.node(it).parent.as_ref());
        let mut segments: Vec<String> = segments.map(|(_, it)| it.to_string()).collect();
        segments.reverse();
        Pointer::from_segments(segments)
    }
}

/// An index as pointers write it: decimal, without a sign or a leading zero.
fn parse_index(segment: &str) -> Option<usize> {
    let is_canonical = segment == "0" || !segment.starts_with('0');
    let has_digits = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    if is_canonical && has_digits { segment.parse().ok() } else { None }
}
