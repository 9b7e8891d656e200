//! Providers that change their mind: asked twice about one tree, they answer differently.

use std::collections::BTreeSet;

use check::{Input, Since};
use snapshot::RelPath;

use crate::ask::by_name;
use crate::assessment::Assessment;
use crate::run::Run;

/// Of how many files a provider is asked again. One that is not a function of the tree shows it on any of them, and
/// asking about all would double the cost of a run over many files.
const MAX_FILES: usize = 64;

/// The names of the providers that now say something else about the same tree, as far as the `touched` files go.
pub(crate) fn find_erratic(
    run: &Run<'_>,
    assessment: &Assessment,
    touched: &BTreeSet<RelPath>,
) -> BTreeSet<String> {
    let changed: BTreeSet<RelPath> = touched.iter().take(MAX_FILES).cloned().collect();
    let (providers, _) = by_name(run.checks);
    let is_erratic = |provider: &crate::ask::Provider<'_>| {
        let Some(look) = assessment.looks.get(&provider.name) else { return false };
        let since = Since { report: &look.report, changed: &changed };
        let input =
            Input { snapshot: &assessment.snapshot, since: Some(since), parses: run.parses };
        !provider.look(&input).is_ok_and(|again| again.agrees_with(look))
    };
    providers.into_iter().filter(is_erratic).map(|it| it.name).collect()
}
