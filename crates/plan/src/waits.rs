//! Symptoms wait for cures: a repair that is possible, and is not chosen because of something that comes before it.
//!
//! Two things come before a repair:
//!
//! - A `stub` or a `delete` waits while a `repair` for the same finding is there, whether it will be made now or waits
//!   for somebody's word. A guard around `xs[i]` is not put in while the misspelt `len` beside it can be mended: once it
//!   is, the guard would stay.
//! - What a provider says is second to errors (RS-33) waits while one of those errors stands.
//!
//! Who is named does not wait. That the other one keeps its promise is taken for granted here; who applies repairs tries
//! it, and bars it if it does not.

use std::collections::HashMap;

use check::{Class, Diagnostic, RepairClass};

use crate::analyse::Analysed;
use crate::rank::ById;
use crate::{Candidates, Reason, Rejection};

/// What each candidate waits for, by its number.
pub(crate) struct Waits {
    cures: Vec<Vec<usize>>,
    errors: Vec<Option<Awaited>>,
}

/// An error that is worked on first.
struct Awaited {
    place: String,
    /// The candidates that resolve it, the best first.
    repairs: Vec<usize>,
}

impl Waits {
    /// The candidates are given in rank order, with their classes.
    pub(crate) fn new(
        candidates: &Candidates<'_>,
        diagnostics: &ById<'_>,
        ranked: &[Analysed<'_>],
        classes: &[RepairClass],
    ) -> Waits {
        let mut resolvers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (idx, it) in ranked.iter().enumerate() {
            for id in &it.repair.resolves {
                resolvers.entry(id).or_default().push(idx);
            }
        }
        let all = |id: &str| resolvers.get(id).map(Vec::as_slice).unwrap_or_default();
        let is_cure = |idx: &usize| classes[*idx] == RepairClass::Repair;
        let mut waits = Waits { cures: Vec::new(), errors: Vec::new() };
        for (it, class) in ranked.iter().zip(classes) {
            let is_named = candidates.policy.allow.contains(&it.repair.id);
            let is_symptom = matches!(class, RepairClass::Stub | RepairClass::Delete);
            let mut cures: Vec<usize> = Vec::new();
            if is_symptom && !is_named {
                let of_same = it.repair.resolves.iter().flat_map(|id| all(id)).copied();
                cures = of_same.filter(is_cure).collect();
                cures.sort_unstable();
                cures.dedup();
            }
            let awaited = it.repair.compatibility.waits_for.iter();
            let mut errors = awaited.filter_map(|id| diagnostics.get(id.as_str()));
            let error = errors.find(|it| it.class() == Class::Error).filter(|_| !is_named);
            waits.cures.push(cures);
            waits.errors.push(
                error.map(|it| Awaited {
                    place: place(it),
                    repairs: all(&it.diagnostic_id).to_vec(),
                }),
            );
        }
        waits
    }

    /// Why a candidate waits, if it does. `is_open` says whether a candidate may still be made, now or when somebody
    /// says so.
    pub(crate) fn rejection(
        &self,
        idx: usize,
        ranked: &[Analysed<'_>],
        is_open: &dyn Fn(usize) -> bool,
    ) -> Option<Rejection> {
        let first_open = |all: &[usize]| all.iter().copied().find(|it| is_open(*it));
        let with = |idx: usize| ranked[idx].repair.id.clone();
        if let Some(cure) = first_open(&self.cures[idx]) {
            let detail = format!("{} comes first", ranked[cure].repair.title);
            return Some(Rejection { reason: Reason::Waits, with: Some(with(cure)), detail });
        }
        let error = self.errors[idx].as_ref()?;
        let detail = format!("{} comes first", error.place);
        let with = first_open(&error.repairs).map(with);
        Some(Rejection { reason: Reason::Waits, with, detail })
    }
}

fn place(it: &Diagnostic) -> String {
    let (rule, file) = (&it.rule_id, &it.file);
    match it.location {
        Some(at) => format!("{rule} at {file}:{}:{}", at.start_line, at.start_col),
        None => format!("{rule} in {file}"),
    }
}
