//! `ordered`: a list is sorted. Repair: its items move, whole and with their comments.

use std::cmp::Ordering;

use check::{Confidence, RepairKind, RepairOp, Safety};
use document::{Document, Number, Pointer, Value};

use super::FileView;
use crate::finding::{MemberPart, RuleFinding, Suggestion};
use crate::pattern::resolve;
use crate::selector::{Selector, shown, stricter};

#[derive(Debug)]
pub(crate) struct Ordered {
    pub(crate) at: Selector,
    /// What the items are compared by.
    pub(crate) by: Pointer,
    pub(crate) descending: bool,
    /// The order has no meaning to anyone who reads the file.
    pub(crate) layout: bool,
}

impl Ordered {
    pub(crate) fn own_safety(&self) -> Safety {
        if self.layout { Safety::BehaviorPreserving } else { Safety::LikelyPreserving }
    }

    pub(crate) fn look(&self, floor: Option<Safety>, view: &FileView<'_>) -> Vec<RuleFinding> {
        let lists = self.at.pattern.select(view.value);
        lists
            .into_iter()
            .filter_map(|it| {
                let Value::Array(items) = it.value else { return None };
                let order = self.order(items)?;
                let first = order.iter().enumerate().find(|(idx, old)| idx != *old)?;
                let suggestion = view
                    .document
                    .and_then(|document| self.suggestion(floor, view, document, &it.at, &order));
                let key = resolve(&items[*first.1], &self.by)?;
                let direction = if self.descending { "descending" } else { "ascending" };
                let by =
                    if self.by.is_root() { String::new() } else { format!(" by `{}`", self.by) };
                let message = format!(
                    "the list is not in {direction} order{by}: {} belongs at position {}; sort it",
                    shown(key),
                    first.0 + 1,
                );
                Some(RuleFinding::new(view.file, it.at, MemberPart::Key, message).with(suggestion))
            })
            .collect()
    }

    /// The old positions in the right order; `None` if the items cannot be compared.
    fn order(&self, items: &[Value]) -> Option<Vec<usize>> {
        let keys: Vec<&Value> =
            items.iter().map(|it| resolve(it, &self.by)).collect::<Option<_>>()?;
        let all_text = keys.iter().all(|it| it.as_str().is_some());
        let all_numbers =
            keys.iter().all(|it| matches!(it, Value::Number(number) if number.is_finite()));
        if !all_text && !all_numbers {
            return None;
        }
        let mut order: Vec<usize> = (0..items.len()).collect();
        // Stable, so that equal items keep their order in both directions.
        order.sort_by(|left, right| {
            let ordering = compare(keys[*left], keys[*right]);
            if self.descending { ordering.reverse() } else { ordering }
        });
        Some(order)
    }

    fn suggestion(
        &self,
        floor: Option<Safety>,
        view: &FileView<'_>,
        document: &Document,
        at: &Pointer,
        order: &[usize],
    ) -> Option<Suggestion> {
        let edits = document.reorder_items(at, order).ok()?;
        let why = if self.layout {
            "the order of this list has no meaning"
        } else {
            "the pack says how this list is sorted"
        };
        Some(Suggestion {
            title: "Sort the list".to_owned(),
            rationale: format!("{why}; items move with their comments"),
            safety: stricter(self.own_safety(), floor),
            confidence: Confidence::High,
            kind: RepairKind::LocalFix,
            ops: vec![RepairOp::Text { file: view.file.clone(), edits }],
        })
    }
}

fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        _ => left.as_str().cmp(&right.as_str()),
    }
}

/// By value, exactly: as integers where both are, else as floats with the digits deciding between equals.
fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    if left.equals(right) {
        return Ordering::Equal;
    }
    if let (Ok(left), Ok(right)) = (left.text().parse::<i128>(), right.text().parse::<i128>()) {
        return left.cmp(&right);
    }
    let float = |it: &Number| it.text().parse::<f64>().unwrap_or(f64::NAN);
    float(left).total_cmp(&float(right)).then_with(|| left.text().cmp(right.text()))
}
