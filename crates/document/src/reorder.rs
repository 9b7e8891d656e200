//! Putting the items of an array into another order, each with the comments that are about it.
//!
//! What separates items (commas, blank lines, indentation, line ends) belongs to their places and stays; what
//! belongs to an item moves. The edits therefore put, at every place that gets another item, the bytes of that item
//! in the stead of those that stand there. The result is parsed again: it must have the items in the new order,
//! everything else as before, and the same comments.

mod slots;

use std::ops::Range;

use edit::{Edit, EditSet};

use crate::document::Document;
use crate::pointer::{Pointer, parse_index};
use crate::refusal::{Refusal, RefusalReason};
use crate::source::{NodeId, SyntaxKind};
use crate::value::Value;
use crate::verify::reread;
use slots::ItemSlot;

/// The edits that make the item at `order[i]` the `i`-th one.
pub(crate) fn reorder(
    document: &Document,
    at: &Pointer,
    order: &[usize],
) -> Result<EditSet, Refusal> {
    if let Some(refusal) = document.blocked() {
        return Err(refusal);
    }
    let source = document.source();
    let (array, positions) = find_array(document, at)?;
    let offset = source.span(array).start;
    let Some(items) = source.items(array) else {
        return Err(Refusal::new(RefusalReason::ScatteredItems, offset));
    };
    if !is_permutation(order, items.spans.len()) {
        let reason = RefusalReason::NotAPermutation { items: items.spans.len() };
        return Err(Refusal::new(reason, offset));
    }
    let slots = slots::slots(document, source.span(array), &items);
    let edits = EditSet::new(document.text(), edits(document, &slots, order))
        .map_err(|error| Refusal::new(RefusalReason::Edits(error), offset))?;
    verify(document, &edits, &positions, order).map_err(|reason| Refusal::new(reason, offset))?;
    Ok(edits)
}

/// The array at the pointer, and the positions of the members on the way to it. Nothing that other places read too
/// may be on the way.
fn find_array(document: &Document, at: &Pointer) -> Result<(NodeId, Vec<usize>), Refusal> {
    let source = document.source();
    let mut node = document.root();
    let mut positions = Vec::new();
    for segment in at.segments() {
        if let Some(refusal) = source.refuses_change_inside(node) {
            return Err(refusal);
        }
        let children = source.children(node);
        let position = match source.kind(node) {
            SyntaxKind::Array => parse_index(segment),
            _ => children.iter().position(|child| child.key.as_deref() == Some(segment)),
        };
        let Some(child) = position.and_then(|it| children.get(it)) else {
            if at.is_lone_slash() {
                break;
            }
            return Err(Refusal::new(RefusalReason::NotAnArray, source.span(node).start));
        };
        positions.extend(position);
        node = child.node;
    }
    if let Some(refusal) = source.refuses_change_inside(node) {
        return Err(refusal);
    }
    match source.kind(node) {
        SyntaxKind::Array => Ok((node, positions)),
        _ => Err(Refusal::new(RefusalReason::NotAnArray, source.span(node).start)),
    }
}

fn is_permutation(order: &[usize], items: usize) -> bool {
    let mut is_named = vec![false; items];
    let mut name =
        |item: &usize| is_named.get_mut(*item).is_some_and(|it| !std::mem::replace(it, true));
    order.len() == items && order.iter().all(&mut name)
}

fn edits(document: &Document, slots: &[ItemSlot], order: &[usize]) -> Vec<Edit> {
    let bytes = document.text().bytes();
    let text = |range: &Range<u32>| {
        bytes.get(range.start as usize..range.end as usize).unwrap_or_default()
    };
    let mut edits = Vec::new();
    for (slot, from) in slots.iter().zip(order) {
        let from = &slots[*from];
        let (body, tail) = (text(&from.body), text(&from.tail));
        if body == text(&slot.body) && tail == text(&slot.tail) {
            continue;
        }
        if slot.body.end == slot.tail.start {
            let whole = [body, tail].concat();
            edits.push(Edit::replace(slot.body.start, slot.tail.end, whole));
            continue;
        }
        if body != text(&slot.body) {
            edits.push(Edit::replace(slot.body.start, slot.body.end, body));
        }
        if tail != text(&slot.tail) {
            edits.push(Edit::replace(slot.tail.start, slot.tail.end, tail));
        }
    }
    edits
}

fn verify(
    document: &Document,
    edits: &EditSet,
    positions: &[usize],
    order: &[usize],
) -> Result<(), RefusalReason> {
    let (_, edited) = reread(document, edits)?;
    let is_as_meant = |index: usize| {
        let mut expected = document.value_in(index);
        if let Some(expected) = expected.as_mut().filter(|_| index == document.index()) {
            permute(expected, positions, order);
        }
        edited.value_in(index) == expected
    };
    let is_as_meant = edited.n_documents() == document.n_documents()
        && edited.source().blocked(document.index()).is_none()
        && (0..edited.n_documents()).all(is_as_meant);
    if is_as_meant && sorted_comments(document) == sorted_comments(&edited) {
        Ok(())
    } else {
        Err(RefusalReason::NotVerified)
    }
}

fn permute(value: &mut Value, positions: &[usize], order: &[usize]) {
    let mut value = value;
    for position in positions {
        let member = match value {
            Value::Array(items) => items.get_mut(*position),
            Value::Object(members) => members.get_mut(*position).map(|(_, value)| value),
            _ => None,
        };
        value = member.expect("the document had a member at this position");
    }
    if let Value::Array(items) = value {
        let take = |from: &usize| std::mem::replace(&mut items[*from], Value::Null);
        let permuted = order.iter().map(take).collect();
        *items = permuted;
    }
}

fn sorted_comments(document: &Document) -> Vec<&[u8]> {
    let bytes = document.text().bytes();
    let comments = document.comments().into_iter();
    let mut comments: Vec<&[u8]> =
        comments.map(|it| &bytes[it.start as usize..it.end as usize]).collect();
    comments.sort_unstable();
    comments
}
