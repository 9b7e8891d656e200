//! Clank as a provider of findings: every `.clank` file of a tree is a module, checked once, with what it imports.
//!
//! Three phases look at a file: whether it can be read, what its names and types say, and whether it is laid out
//! canonically. The last one is never an error; its repair only moves blanks, and it is offered for files that no other
//! repair is about to change, so that it never fights one.

mod file;
mod findings;
mod lowered;
mod order;
mod repairs;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use check::{
    Card, Check, Cost, Coverage, Input, Interest, LookError, Page, Parses, Reach, Report, RuleInfo,
    RuleSet, Severity, Tier, Trust, Unchecked,
};
use clank::Oracle;
use clank::code::Code;
use clank::program::{Finder, ImportTarget, Module, Program, candidate_files, module_names};
use clank::{Checked, check_until};
use clank::{EXTENSION, LANGUAGE};
use clank_syntax::Tokens;
use clank_syntax::ast::{Decl, Name};
use edit::Text;
use file::FileState;
use order::ImportGraph;
use rayon::prelude::*;
use repairs::KnownRepairs;
use snapshot::{Entry, RelPath, Snapshot, UnreadReason};

use crate::ModuleRepairs;

/// The order in which a file is looked at.
const PHASES: [&str; 3] = ["syntax", "types", "style"];

/// The largest file that is looked at.
const MAX_BYTES: usize = 64 << 20;

/// Finds what is wrong with the Clank files of a tree.
#[derive(Clone, Debug)]
pub struct ClankCheck {
    roots: Vec<String>,
    programs: BTreeSet<RelPath>,
    with_repairs: bool,
    oracle: Option<Arc<dyn Oracle>>,
}

impl ClankCheck {
    /// What it is called: the source of its findings, and of its [`ClankLook`].
    pub const NAME: &str = "clank";

    /// The provider. `use a.b` means `a/b.clank` in the first of these folders that has it; without any, in the nearest
    /// folder around the file.
    pub fn new(roots: Vec<String>) -> ClankCheck {
        ClankCheck { roots, programs: BTreeSet::new(), with_repairs: true, oracle: None }
    }

    /// The same, which offers the canonical layout and no other repair: for those who compile what is written.
    pub fn without_repairs(roots: Vec<String>) -> ClankCheck {
        ClankCheck { with_repairs: false, ..ClankCheck::new(roots) }
    }

    /// The same, for which these files are programs, whatever they are called.
    #[must_use]
    pub fn with_programs(self, programs: BTreeSet<RelPath>) -> ClankCheck {
        ClankCheck { programs, ..self }
    }

    /// The same, which asks somebody else about the goals that stay open.
    #[must_use]
    pub fn with_oracle(self, oracle: Option<Arc<dyn Oracle>>) -> ClankCheck {
        ClankCheck { oracle, ..self }
    }

    fn is_program(&self, path: &RelPath) -> bool {
        path.extension() == Some(EXTENSION) || self.programs.contains(path)
    }
}

static CARD: LazyLock<Card> = LazyLock::new(|| Card {
    name: ClankCheck::NAME.to_owned(),
    phases: PHASES.map(str::to_owned).to_vec(),
    rules: RuleSet::closed(rules()),
    interest: Interest::extensions(&[EXTENSION]),
    cost: Cost::InProcess,
    trust: Trust::Sealed,
    languages: vec![LANGUAGE],
});

/// The codes of the compiler, and the rules about layout and holes.
fn rules() -> impl Iterator<Item = RuleInfo> {
    let rule =
        |id: &str, tier, severity| RuleInfo { id: id.to_owned(), tier, severity: Some(severity) };
    let codes = Code::ALL.iter().map(move |it| {
        let tier = if *it <= Code::E0009 { Tier::Schema } else { Tier::Semantic };
        let severity = if it.is_error() { Severity::Error } else { Severity::Warning };
        rule(it.name(), tier, severity)
    });
    codes.chain([
        rule(clank::page::FORMAT, Tier::Policy, Severity::Info),
        rule(clank::page::HOLE, Tier::Semantic, Severity::Warning),
    ])
}

/// What a look at a tree found out about its programs: what the next look starts from, and what is compiled.
pub struct ClankLook {
    roots: Vec<String>,
    files: BTreeMap<RelPath, Arc<FileState>>,
    program: Arc<Program>,
    checked: Arc<Checked>,
    /// Of this tree, or of the last one for which somebody asked for them.
    repairs: Arc<KnownRepairs>,
    /// By the ids of repairs: the files that they are for, and their places among the repairs of those.
    places: BTreeMap<String, (Name, usize)>,
}

impl ClankLook {
    /// Every module of the tree.
    pub fn checked(&self) -> &Arc<Checked> {
        &self.checked
    }

    /// What can be done about a module; nothing if there is nothing to be done, or nobody asked for it.
    pub fn repairs(&self, file: &str) -> Option<&ModuleRepairs> {
        self.repairs.of_file(file).map(|it| &it.found)
    }

    /// Which of the repairs of which module has this id in the report; `None` for one that changes the layout only.
    pub fn place_of(&self, id: &str) -> Option<(&str, usize)> {
        self.places.get(id).map(|(file, place)| (file.as_str(), *place))
    }
}

impl Check for ClankCheck {
    fn card(&self) -> &Card {
        &CARD
    }

    fn page(&self, rule_id: &str) -> Option<Page> {
        clank::page::page(rule_id)
    }

    fn kinds(&self, snapshot: &Snapshot, _: &Parses) -> BTreeMap<String, usize> {
        let n_programs = snapshot.files_at(|it| self.is_program(it)).count();
        BTreeMap::from_iter((n_programs > 0).then(|| ("program".to_owned(), n_programs)))
    }

    /// A module is judged with what it imports.
    fn reach(&self, input: &Input<'_>) -> Reach {
        match input.only {
            None => Reach::Tree,
            Some(only) => Reach::Files(self.with_imports(input.snapshot, only)),
        }
    }

    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        if !is_asked(input) {
            return Ok(Report::default());
        }
        let known = input.since.and_then(|since| {
            let known = since.report.memory.as_ref()?.downcast_ref::<ClankLook>()?;
            let is_same = known.roots == self.roots
                && known.checked.oracle.is_some() == self.oracle.is_some();
            is_same.then_some(known)
        });
        let wanted = input.only.map(|only| self.with_imports(input.snapshot, only));
        let readings = self.read_files(input.snapshot, wanted.as_ref(), known);
        let paths: BTreeSet<String> = readings.keys().map(|it| it.as_str().to_owned()).collect();
        let tree = Tree { files: &paths, roots: &self.roots };
        let program = link(&readings, &tree);
        let (checked, files) = rayon::join(
            || {
                let known = known.map(|it| &*it.checked);
                check_until(&program, known, self.oracle.clone(), input.stop)
            },
            || look_at_layouts(readings),
        );
        if input.stop.is_set() {
            return Err(LookError::stopped());
        }
        let repairs = known.map(|it| Arc::clone(&it.repairs)).unwrap_or_default();
        let (program, checked) = (Arc::new(program), Arc::new(checked));
        let roots = self.roots.clone();
        let places = BTreeMap::new();
        let look = ClankLook { roots, files, program, checked, repairs, places };
        let mut report = Report::default();
        for (_, diagnostics, _) in look.found(input.snapshot, &KnownRepairs::default()) {
            report.diagnostics.extend(diagnostics.into_iter().map(Arc::new));
        }
        report.blocked = blocked(&look.files, &look.program);
        report.memory = Some(Arc::new(look));
        Ok(report)
    }

    fn repairs(&self, input: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
        let memory = report.memory.clone();
        let Some(known) = memory.as_ref().and_then(|it| it.downcast_ref::<ClankLook>()) else {
            return Ok(());
        };
        let paths: BTreeSet<String> = known.files.keys().map(|it| it.as_str().to_owned()).collect();
        let tree = Tree { files: &paths, roots: &self.roots };
        let ClankLook { program, checked, .. } = known;
        let repairs = Arc::new(match self.with_repairs {
            true => repairs::of_program(program, checked, &tree, input.snapshot, &known.repairs),
            false => KnownRepairs::default(),
        });
        let mut places = BTreeMap::new();
        for (path, _, found) in known.found(input.snapshot, &repairs) {
            let texts = repairs.of_file(path.as_str()).into_iter().flat_map(|it| &it.texts);
            for (text, it) in texts.zip(&found) {
                places.insert(it.id.clone(), (Name::new(path.as_str()), text.place));
            }
            report.repairs.extend(found.into_iter().map(Arc::new));
        }
        report.memory = Some(Arc::new(ClankLook {
            roots: known.roots.clone(),
            files: known.files.clone(),
            program: Arc::clone(program),
            checked: Arc::clone(checked),
            repairs,
            places,
        }));
        Ok(())
    }

    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage {
        let memory = report.memory.as_ref().and_then(|it| it.downcast_ref::<ClankLook>());
        let mut coverage = Coverage::default();
        for (path, look) in memory.into_iter().flat_map(|it| &it.files) {
            coverage.add(path);
            if let Some(why) = look.unchecked() {
                coverage.add_unchecked(path, why);
            } else if report.blocked.contains_key(path) {
                coverage.add_unchecked(path, Unchecked::Blocked);
            }
        }
        for (path, entry) in snapshot.iter_at(|it| self.is_program(it)) {
            match entry {
                Entry::Link { .. } => coverage.add_unchecked(path, Unchecked::Link),
                Entry::Unread { reason: UnreadReason::Special, .. } => {
                    coverage.add_unchecked(path, Unchecked::NotAFile);
                }
                Entry::Unread { .. } | Entry::File(_) | Entry::Directory => {}
            }
        }
        coverage
    }
}

impl ClankLook {
    /// What is to be said of every file.
    fn found<'a>(
        &'a self,
        snapshot: &Snapshot,
        repairs: &KnownRepairs,
    ) -> Vec<(&'a RelPath, Vec<check::Diagnostic>, Vec<check::Repair>)> {
        let by_file: BTreeMap<&str, _> =
            self.checked.modules.iter().map(|it| (it.file.as_str(), it)).collect();
        let imports = ImportGraph::new(&self.program);
        let pending = repairs.pending_files(&order::with_errors(&imports, &self.checked));
        let repairs_by_file = repairs.by_file();
        let of_file = |(path, look): (&'a RelPath, &'a Arc<FileState>)| {
            let of_file = findings::OfFile {
                path,
                look,
                module: by_file.get(path.as_str()).copied(),
                repairs: repairs_by_file.get(path.as_str()).copied(),
                is_pending: pending.contains(path),
            };
            let (diagnostics, repairs) = of_file.findings(snapshot);
            (path, diagnostics, repairs)
        };
        let mut found: Vec<_> = self.files.par_iter().map(of_file).collect();
        order::errors_first(&imports, &mut found);
        found
    }
}

/// Whether somebody asks about a program.
fn is_asked(input: &Input<'_>) -> bool {
    let is_program = |it: &RelPath| it.extension() == Some(EXTENSION);
    input.only.is_none_or(|it| it.iter().any(is_program))
}

/// A file whose layout may not have been looked at yet.
enum Reading {
    Done(Arc<FileState>),
    Unlaid { look: FileState, text: Text, tokens: Tokens },
}

impl Reading {
    fn look(&self) -> &FileState {
        match self {
            Reading::Done(look) => look,
            Reading::Unlaid { look, .. } => look,
        }
    }
}

impl ClankCheck {
    /// The programs among these files with all that they import, directly or not, as far as it is in the tree, and every
    /// other place where it could be.
    fn with_imports(&self, snapshot: &Snapshot, only: &BTreeSet<RelPath>) -> BTreeSet<RelPath> {
        let mut found: BTreeSet<RelPath> =
            only.iter().filter(|it| self.is_program(it)).cloned().collect();
        let mut waiting: Vec<RelPath> = found.iter().cloned().collect();
        while let Some(path) = waiting.pop() {
            let Some(Entry::File(file)) = snapshot.get(&path) else { continue };
            let text = file.text();
            let (look, _) = FileState::read(&path, &text, MAX_BYTES);
            let Some((ast, _)) = look.tree() else { continue };
            for decl in ast.declarations() {
                let Decl::Use(it) = ast.decl(*decl) else { continue };
                if it.is_external {
                    continue;
                }
                let candidates = candidate_files(path.as_str(), &it.path, &self.roots);
                for candidate in candidates.iter().filter_map(|it| RelPath::parse(it).ok()) {
                    if found.insert(candidate.clone()) {
                        waiting.push(candidate);
                    }
                }
            }
        }
        found
    }

    /// Every Clank file that is wanted; those whose bytes are known are not read again.
    fn read_files(
        &self,
        snapshot: &Snapshot,
        wanted: Option<&BTreeSet<RelPath>>,
        known: Option<&ClankLook>,
    ) -> BTreeMap<RelPath, Reading> {
        let is_wanted =
            |it: &RelPath| self.is_program(it) && wanted.is_none_or(|wanted| wanted.contains(it));
        let paths: Vec<(&RelPath, &Entry)> = snapshot.iter_at(is_wanted).collect();
        let read = |(path, entry): &(&RelPath, &Entry)| {
            let reading = match entry {
                Entry::File(file) => {
                    let known = known.and_then(|it| it.files.get(*path));
                    match known.filter(|it| it.is_of(file.hash())) {
                        Some(known) => Reading::Done(Arc::clone(known)),
                        None => {
                            let text = file.text();
                            match FileState::read(path, &text, MAX_BYTES) {
                                (look, Some(tokens)) => Reading::Unlaid { look, text, tokens },
                                (look, None) => Reading::Done(Arc::new(look)),
                            }
                        }
                    }
                }
                Entry::Unread { reason: UnreadReason::TooLarge, .. } => {
                    Reading::Done(Arc::new(FileState::too_large()))
                }
                Entry::Unread { .. } | Entry::Link { .. } | Entry::Directory => return None,
            };
            Some(((*path).clone(), reading))
        };
        let readings: Vec<Option<(RelPath, Reading)>> = paths.par_iter().map(read).collect();
        readings.into_iter().flatten().collect()
    }
}

fn look_at_layouts(readings: BTreeMap<RelPath, Reading>) -> BTreeMap<RelPath, Arc<FileState>> {
    let readings: Vec<(RelPath, Reading)> = readings.into_iter().collect();
    let looks: Vec<(RelPath, Arc<FileState>)> = readings
        .into_par_iter()
        .map(|(path, reading)| match reading {
            Reading::Done(look) => (path, look),
            Reading::Unlaid { look, text, tokens } => {
                (path, Arc::new(look.with_layout(&text, &tokens)))
            }
        })
        .collect();
    looks.into_iter().collect()
}

fn link(files: &BTreeMap<RelPath, Reading>, tree: &Tree<'_>) -> Program {
    let modules = files.iter().filter_map(|(path, reading)| {
        let (ast, syntax) = reading.look().tree()?;
        Some(Module {
            file: Name::new(path.as_str()),
            ast: Arc::clone(ast),
            syntax: syntax.to_vec(),
        })
    });
    Program::link(modules.collect(), tree)
}

/// Modules as files of a tree.
struct Tree<'a> {
    files: &'a BTreeSet<String>,
    roots: &'a [String],
}

impl Finder for Tree<'_> {
    fn find(&self, from: &str, path: &[Name]) -> Option<Name> {
        let candidates = candidate_files(from, path, self.roots);
        candidates.iter().find(|it| self.files.contains(*it)).map(Name::new)
    }

    fn names(&self, from: &str) -> Vec<Name> {
        module_names(from, self.files.iter().map(String::as_str), self.roots)
    }
}

/// The files whose types could not be looked at in full: those that cannot be read, and those that import one of them.
fn blocked(
    files: &BTreeMap<RelPath, Arc<FileState>>,
    program: &Program,
) -> BTreeMap<RelPath, String> {
    let mut unreadable: BTreeSet<&str> =
        files.iter().filter(|it| !it.1.is_readable()).map(|it| it.0.as_str()).collect();
    for (index, module) in program.modules().iter().enumerate() {
        let imports_one = program.targets(index).values().any(|it| match it {
            ImportTarget::Module(file) => unreadable.contains(file.as_str()),
            ImportTarget::Unreadable => true,
            ImportTarget::Missing { .. } | ImportTarget::Cycle(_) => false,
        });
        if imports_one {
            unreadable.insert(&module.file);
        }
    }
    let blocked = files.keys().filter(|it| unreadable.contains(it.as_str()));
    blocked.map(|it| (it.clone(), "types".to_owned())).collect()
}
