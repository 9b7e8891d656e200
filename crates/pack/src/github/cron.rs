//! The times of schedules: five fields of POSIX cron.

use std::ops::{Range, RangeInclusive};

use check::Severity;

use super::node::Node;
use super::problem::WorkflowProblems;
use crate::schema::cut;

const RULE: &str = "SEM_CRON";

/// GitHub starts a workflow at most this often.
const MIN_MINUTES: u32 = 5;

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

const DAYS_OF_MONTH: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

struct Field {
    name: &'static str,
    range: RangeInclusive<u32>,
    names: &'static [&'static str],
    /// The number of the first name.
    first: u32,
}

const FIELDS: [Field; 5] = [
    Field { name: "minute", range: 0..=59, names: &[], first: 0 },
    Field { name: "hour", range: 0..=23, names: &[], first: 0 },
    Field { name: "day of the month", range: 1..=31, names: &[], first: 0 },
    Field { name: "month", range: 1..=12, names: &MONTHS, first: 1 },
    Field { name: "day of the week", range: 0..=6, names: &DAYS, first: 0 },
];

pub(super) fn check(node: &Node<'_>, problems: &mut WorkflowProblems) {
    let Some(text) = node.text().filter(|_| !node.is_dynamic()) else { return };
    let fields = fields(text);
    if fields.len() != FIELDS.len() {
        let message = format!(
            "expected five fields (minute, hour, day, month, day of the week), found {}",
            fields.len()
        );
        problems.value(RULE, Severity::Error, node, message);
        return;
    }
    let mut found = Vec::new();
    for (field, range) in FIELDS.iter().zip(fields) {
        match values(field, &text[range.clone()]) {
            Ok(values) => found.push(values),
            Err(why) => {
                let message = format!("{}: {why}", field.name);
                problems.part(RULE, Severity::Error, node, range, message);
                return;
            }
        }
    }
    let [minutes, _, days, months, weekdays] = found.as_slice() else { return };
    // With days of the week, either kind of day will do.
    let last = months.iter().map(|it| DAYS_OF_MONTH[(*it as usize - 1) % 12]).max();
    if weekdays.len() == DAYS.len() && days.first().copied() > last {
        let message = "no month of the schedule has such a day; the workflow never starts";
        problems.value(RULE, Severity::Warning, node, message);
    }
    if let Some(gap) = smallest_gap(minutes).filter(|it| *it < MIN_MINUTES) {
        let message = format!(
            "the schedule asks for a run every {gap} minutes; GitHub starts one every {MIN_MINUTES} minutes at most"
        );
        problems.value(RULE, Severity::Warning, node, message);
    }
}

/// Where the words of a text stand.
fn fields(text: &str) -> Vec<Range<usize>> {
    let words = text.split_whitespace();
    words
        .map(|it| {
            let start = it.as_ptr() as usize - text.as_ptr() as usize;
            start..start + it.len()
        })
        .collect()
}

/// The numbers that a field stands for, in order.
fn values(field: &Field, text: &str) -> Result<Vec<u32>, String> {
    let mut found = Vec::new();
    for part in text.split(',') {
        let (range, step) = match part.split_once('/') {
            None => (part, None),
            Some((range, step)) => {
                let step = step.parse::<u32>().ok().filter(|it| *it > 0);
                let step = step.ok_or_else(|| {
                    format!("expected a number above 0 after `/` in `{}`", cut(part))
                })?;
                (range, Some(step))
            }
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (*field.range.start(), *field.range.end()),
            Some((first, last)) => (number(field, first)?, number(field, last)?),
            None => {
                let first = number(field, range)?;
                (first, if step.is_some() { *field.range.end() } else { first })
            }
        };
        if first > last {
            return Err(format!("the range `{}` ends before it starts", cut(range)));
        }
        let step = usize::try_from(step.unwrap_or(1)).unwrap_or(usize::MAX);
        found.extend((first..=last).step_by(step));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn number(field: &Field, text: &str) -> Result<u32, String> {
    let named = field.names.iter().position(|it| it.eq_ignore_ascii_case(text));
    if let Some(idx) = named.and_then(|it| u32::try_from(it).ok()) {
        return Ok(field.first + idx);
    }
    let is_digits = !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let found = text.parse::<u32>().ok().filter(|_| is_digits);
    let (first, last) = (field.range.start(), field.range.end());
    match found {
        Some(it) if field.range.contains(&it) => Ok(it),
        _ => Err(format!("expected a number from {first} to {last}, found `{}`", cut(text))),
    }
}

/// The fewest minutes between two of them, also over the hour.
fn smallest_gap(minutes: &[u32]) -> Option<u32> {
    let next = minutes.iter().skip(1).copied().chain(minutes.first().map(|it| it + 60));
    minutes.iter().zip(next).map(|(a, b)| b - a).min()
}
