//! One workspace in memory: who checks it, what they say of it, and what comes of fixing it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Diagnostic, Environment, Parses, Provider, Repair, Safety, Stop, Tier};
use document::{Format, Limits};
use edit::Text;
use engine::{Assessment, Fixed, Options, RuleLevel, Run, Sieve, Sources};
use fixture::case::Files;
use pack::{LocalSchema, Pack, PackCheck, SyntaxCheck};
use plan::Policy;
use snapshot::{Entry, File, RelPath, Snapshot};

/// Files and the packs that know about them.
pub(crate) struct Trial {
    pub(crate) files: Files,
    pub(crate) packs: Vec<Arc<Pack>>,
    pub(crate) sieve: Sieve,
}

/// What was said and done, all of it.
pub(crate) struct Outcome {
    pub(crate) start: Assessment,
    pub(crate) fixed: Fixed,
}

/// The pack in a folder, by the paths in it.
#[track_caller]
pub(crate) fn load_pack(files: &Files) -> Arc<Pack> {
    let texts = files.iter().map(|(path, text)| (path.clone(), Text::new(text.as_str()))).collect();
    match Pack::load(&texts) {
        Ok(pack) => Arc::new(pack),
        Err(problems) => panic!("the pack cannot be used: {problems:#?}"),
    }
}

impl Trial {
    /// Policies are off, except those that are asked for.
    pub(crate) fn new(
        files: Files,
        packs: Vec<Arc<Pack>>,
        is_policy_on: &dyn Fn(&str) -> bool,
    ) -> Trial {
        let levels_of = |pack: &Arc<Pack>| {
            let rules = pack.rules().into_iter();
            let tried = rules.filter(|rule| rule.tier == Tier::Policy && is_policy_on(&rule.id));
            let levels: BTreeMap<String, RuleLevel> =
                tried.map(|rule| (rule.id, RuleLevel::At(rule.severity))).collect();
            (pack.name().to_owned(), levels)
        };
        let levels = packs.iter().map(levels_of).collect();
        Trial { files, packs, sieve: Sieve { levels, baseline: BTreeSet::new() } }
    }

    /// The tree.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let entries = self.files.iter().map(|(path, text)| {
            let file = File::new(Text::new(text.as_str()), 0o644);
            (RelPath::parse(path).expect("a case has sound paths"), Entry::File(file))
        });
        Snapshot::new(entries.collect()).expect("no file is a folder")
    }

    /// Assesses the tree and fixes it with every repair allowed up to that safety. `is_shuffled` asks the providers
    /// and reads the files in another order, which must not matter.
    pub(crate) fn run(&self, safety: Safety, is_shuffled: bool) -> Outcome {
        let checks: Vec<PackCheck> =
            self.packs.iter().map(|it| PackCheck::new(Arc::clone(it)).leaving_syntax()).collect();
        let (local, syntax) = (LocalSchema::default().leaving_syntax(), SyntaxCheck::default());
        let mut providers: Vec<&dyn Provider> = vec![&local, &syntax];
        providers.extend(checks.iter().map(|it| it as &dyn Provider));
        let (parses, stop) = (Arc::new(Parses::new(Limits::DEFAULT)), Stop::new());
        let snapshot = self.snapshot();
        if is_shuffled {
            providers.reverse();
            read_backwards(&snapshot, &parses);
        }
        let sources = Sources::new(&providers, Environment::default());
        let run =
            Run { sources: &sources, parses: &parses, sieve: &self.sieve, stop: &stop, only: None };
        let start = engine::assess(&run, &snapshot, None);
        let policy = Policy { safety, allow: BTreeSet::new() };
        let options = Options {
            policy: &policy,
            is_editable: &|_| true,
            wants: &|_| true,
            max_passes: 10,
            max_rechecks: 200,
        };
        let fixed = engine::fix(&run, &start, &options, &mut |_| ());
        Outcome { start, fixed }
    }

    /// What a fresh look says of the tree.
    pub(crate) fn assess(&self, snapshot: &Snapshot) -> Assessment {
        let checks: Vec<PackCheck> =
            self.packs.iter().map(|it| PackCheck::new(Arc::clone(it)).leaving_syntax()).collect();
        let (local, syntax) = (LocalSchema::default().leaving_syntax(), SyntaxCheck::default());
        let mut providers: Vec<&dyn Provider> = vec![&local, &syntax];
        providers.extend(checks.iter().map(|it| it as &dyn Provider));
        let (parses, stop) = (Arc::new(Parses::new(Limits::DEFAULT)), Stop::new());
        let sources = Sources::new(&providers, Environment::default());
        let run =
            Run { sources: &sources, parses: &parses, sieve: &self.sieve, stop: &stop, only: None };
        engine::assess(&run, snapshot, None)
    }

    /// The same packs on other files.
    pub(crate) fn on(&self, files: Files) -> Trial {
        Trial { files, packs: self.packs.clone(), sieve: self.sieve.clone() }
    }
}

fn read_backwards(snapshot: &Snapshot, parses: &Parses) {
    for (path, file) in snapshot.files().rev() {
        if let Some(format) = Format::of_path(path.as_str()) {
            parses.get(&file.text(), format);
        }
    }
}

/// The texts of a tree.
pub(crate) fn files_of(snapshot: &Snapshot) -> Files {
    let text =
        |file: &File| String::from_utf8(file.text().bytes().to_vec()).expect("a case is UTF-8");
    snapshot.files().map(|(path, file)| (path.as_str().to_string(), text(file))).collect()
}

/// One line for each finding: the rule, the place, the severity, and behind ` | ` the safety and confidence of each
/// repair.
pub(crate) fn lines(assessment: &Assessment) -> Vec<String> {
    let words = |repair: &Arc<Repair>| {
        format!(" | {}, {}: {}", repair.safety.name(), repair.confidence.name(), repair.title)
    };
    let line = |it: &Arc<Diagnostic>| {
        let place = it.json_pointer.as_ref().map(|it| format!("#{it}")).unwrap_or_default();
        let repairs =
            assessment.repairs.iter().filter(|repair| repair.resolves.contains(&it.diagnostic_id));
        let repairs: String = repairs.map(words).collect();
        format!("{} {}{place} {}{repairs}", it.rule_id, it.file, it.severity.name())
    };
    assessment.diagnostics.iter().map(line).collect()
}
