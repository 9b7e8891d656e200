//! Providers that change their mind: asked twice about one tree, they answer differently.

use std::collections::BTreeSet;

use check::{Input, Since};
use snapshot::RelPath;

use crate::ask::Look;
use crate::assessment::Assessment;
use crate::run::Run;
use crate::sources::{Source, caught};

/// Of how many files a provider is asked again. One that is not a function of the tree shows it on any of them, and
/// asking about all would double the cost of a run over many files.
const MAX_FILES: usize = 64;

/// The names of the functions in this process that now say something else about the same tree, as far as the `touched`
/// files go. What runs elsewhere is too dear to be asked for that alone: each of its repairs is looked at afterwards.
pub(crate) fn find_erratic(
    run: &Run<'_>,
    assessment: &Assessment,
    touched: &BTreeSet<RelPath>,
) -> BTreeSet<String> {
    let changed: BTreeSet<RelPath> = touched.iter().take(MAX_FILES).cloned().collect();
    let is_erratic = |source: &&Source<'_>| {
        let name = &source.card.name;
        let Some(look) = assessment.looks.get(name) else { return false };
        let Some(function) = source.function(run.sources) else { return false };
        let since = Some(Since { report: &look.report, changed: &changed });
        let snapshot = &assessment.snapshot;
        let input = run.input(snapshot, since);
        let again = function.and_then(|it| {
            let mut report = caught(|| it.check(&input))??;
            let first = Look::new(&source.card, report.clone(), snapshot);
            if look.repairs.is_none() {
                return Ok(first);
            }
            let input = Input { since: None, ..input };
            caught(|| it.repairs(&input, &mut report))??;
            Ok(first.with_repairs(name, report))
        });
        match again {
            Ok(again) => !again.agrees_with(look),
            // Whoever stopped because he was told to has not changed his mind.
            Err(_) => !run.stop.is_set(),
        }
    };
    run.sources.iter().filter(is_erratic).map(|it| it.card.name.clone()).collect()
}
