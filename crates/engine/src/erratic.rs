//! Providers that change their mind: asked twice about one tree, they answer differently.

use std::collections::BTreeSet;
use std::sync::Arc;

use check::{Input, Since};
use snapshot::RelPath;

use crate::ask::SourceAnswer;
use crate::assessment::Assessment;
use crate::run::Run;
use crate::sources::{Question, QuestionKind, SourceSlot, caught};

/// Of how many files a provider is asked again. One that is not a function of the tree shows it on any of them, and
/// asking about all would double the cost of a run over many files.
const MAX_FILES: usize = 64;

/// The names of those that now say something else about the same tree, as far as the `touched` files go: functions in
/// this process, and of what runs elsewhere those who objected to something. To ask the others for that alone is too dear:
/// each of their repairs is looked at afterwards.
pub(crate) fn find_erratic(
    run: &Run<'_>,
    assessment: &Assessment,
    touched: &BTreeSet<RelPath>,
    objecting: &BTreeSet<String>,
) -> BTreeSet<String> {
    let changed: BTreeSet<RelPath> = touched.iter().take(MAX_FILES).cloned().collect();
    let is_erratic = |source: &&SourceSlot<'_>| {
        let name = &source.card.name;
        let Some(look) = assessment.looks.get(name) else { return false };
        let Some(function) = source.function(run.sources) else { return false };
        let since = Some(Since { report: &look.report, changed: &changed });
        let snapshot = &assessment.snapshot;
        let input = run.input(snapshot, since);
        let again = function.and_then(|it| {
            let mut report = caught(|| it.check(&input))??;
            let first = SourceAnswer::new(&source.card, report.clone(), snapshot);
            if look.repairs.is_none() {
                return Ok(first);
            }
            let input = Input { since: None, ..input };
            match caught(|| it.repairs(&input, &mut report)).and_then(|it| it) {
                Ok(()) => Ok(first.with_repairs(name, report)),
                // One that could not say it the first time either has not changed its mind.
                Err(_) if assessment.silence(name).is_some() => Ok(look.clone()),
                Err(error) => Err(error),
            }
        });
        match again {
            Ok(again) => !again.agrees_with(look),
            // Whoever stopped because he was told to has not changed his mind.
            Err(_) => !run.stop.is_set(),
        }
    };
    let mut erratic: BTreeSet<String> =
        run.sources.iter().filter(is_erratic).map(|it| it.card.name.clone()).collect();
    let question = |name: &String| {
        let (snapshot, parses) = (assessment.snapshot.clone(), Arc::clone(run.parses));
        let asked = QuestionKind::Findings;
        let question = Question { snapshot, since: None, parses, asked, only: None };
        assessment.looks.get(name).and(run.sources.get(name)).map(|it| (it, question))
    };
    let questions = objecting.iter().filter_map(question).collect();
    for (name, answer) in run.sources.ask(questions, run.stop) {
        // One that does not answer now is not a liar.
        let (Ok(report), Some(source)) = (answer, run.sources.get(&name)) else { continue };
        let again = SourceAnswer::new(&source.card, report, &assessment.snapshot);
        if assessment.looks.get(&name).is_some_and(|it| !again.finds_as(it)) {
            erratic.insert(name);
        }
    }
    erratic
}
