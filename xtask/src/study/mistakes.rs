//! The study of mistakes: what becomes of programs in which somebody wrote what another language would want.
//!
//! Programs and mistakes are data in `tests/mistakes`, written apart from the repairs; its README says how and what the
//! columns mean. Every program with a mistake goes through `fix`, the way users do, once with everything allowed but what
//! has low confidence, and once with the default safety. What comes out is checked afresh and run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use document::{Format, Limits, Value};
use edit::{Edit, EditSet, Text};
use protocol::v1;

use super::subject::{StudyModules, StudyProgram};
use super::users::{Nature, UserWorkspace};
use crate::report;

const FOLDER: &str = "tests/mistakes";
const FILE: &str = "main.clank";

/// A mistake in a program.
struct Mistake {
    id: String,
    kind: String,
    is_single: bool,
    /// Whether the program is still a valid one with it.
    is_valid: bool,
    text: String,
}

/// A program and the mistakes in it.
struct Program {
    name: String,
    text: String,
    modules: StudyModules,
    output: String,
    mistakes: Vec<Mistake>,
}

/// What became of some mistakes.
#[derive(Clone, Copy, Default)]
struct Counts {
    mistakes: usize,
    detected: usize,
    green: usize,
    stubbed: usize,
    same_output: usize,
    exact: usize,
    /// Green without a stub, ends as the original does and prints something else.
    other_output: usize,
    /// The same with the default safety.
    other_by_default: usize,
    rounds: usize,
    millis: u128,
}

/// What was applied where a program ends normally and prints something else than the original, and whom that is laid to.
#[derive(Default)]
struct Blame {
    /// By class, confidence, safety and rule, how often it was applied there.
    applied: BTreeMap<Nature, usize>,
    /// The mistakes after which nothing was applied but repairs that say that nothing else can have been meant.
    sure: Vec<String>,
    /// The mistakes after which it is so with the default safety.
    by_default: Vec<String>,
}

/// What is studied and what is shown.
#[derive(Default)]
struct Options<'a> {
    program: Option<&'a str>,
    kind: Option<&'a str>,
    show: bool,
    /// One in so many mistakes.
    every: usize,
    /// Another folder with programs and mistakes than that of the project.
    folder: Option<&'a str>,
}

/// Runs the study and prints its table, and what was applied where a program ends normally with another output. Fails if
/// the corpus does not fit its programs, if nothing but repairs of high confidence led to another output, and if repairs
/// that need no approval did. The other goals are printed beside the rates.
pub(crate) fn run(root: &Path, flags: &[&str]) -> Result<()> {
    let options = options(flags)?;
    let mut kinds: BTreeMap<String, Counts> = BTreeMap::new();
    let (mut single, mut several) = (Counts::default(), Counts::default());
    let (mut nth, mut blame) = (0, Blame::default());
    let folder = options.folder.map_or_else(|| root.join(FOLDER), PathBuf::from);
    for program in programs(&folder)? {
        if options.program.is_some_and(|it| it != program.name) {
            continue;
        }
        let original = StudyProgram::with(&program.text, &program.modules);
        ensure!(original.progress() == [0; 4], "{} is not a program to begin with", program.name);
        let expected = original.run();
        ensure!(expected.0 == program.output, "{} does not print what it should", program.name);
        let workspace = UserWorkspace::new(FILE, &program.modules.files())?;
        for mistake in &program.mistakes {
            nth += 1;
            let is_left_out = mistake.is_valid
                || options.kind.is_some_and(|it| it != mistake.kind)
                || nth % options.every.max(1) != 0;
            if is_left_out {
                continue;
            }
            let mut counts = Counts::default();
            let lines =
                one(&program, &original, &expected, &workspace, mistake, &mut counts, &mut blame)?;
            if options.show && !lines.is_empty() {
                report(&format!("{}\n    {}", mistake.id, lines.join("\n    ")));
            }
            kinds.entry(mistake.kind.clone()).or_default().add(&counts);
            if mistake.is_single { single.add(&counts) } else { several.add(&counts) }
        }
    }
    print(&kinds, &single, &several);
    blame.judge()
}

fn options<'a>(flags: &[&'a str]) -> Result<Options<'a>> {
    let mut options = Options::default();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().copied().context(format!("{flag} takes a value"));
        match *flag {
            "--program" => options.program = Some(value()?),
            "--kind" => options.kind = Some(value()?),
            "--every" => options.every = value()?.parse()?,
            "--folder" => options.folder = Some(value()?),
            "--show" => options.show = true,
            other => bail!("{other}: not a flag of the study"),
        }
    }
    Ok(options)
}

/// Makes one mistake and repairs it. What is not as it should be, a line each.
fn one(
    program: &Program,
    original: &StudyProgram,
    expected: &(String, String),
    workspace: &UserWorkspace,
    mistake: &Mistake,
    counts: &mut Counts,
    blame: &mut Blame,
) -> Result<Vec<String>> {
    let mutant = StudyProgram::with(&mistake.text, &program.modules);
    counts.mistakes += 1;
    counts.detected += usize::from(mutant.progress() != [0; 4]);
    let start = Instant::now();
    let fixed = workspace.fix(&mistake.text, v1::Safety::BehaviorChanging)?;
    counts.millis += start.elapsed().as_millis();
    let after = StudyProgram::with(&fixed.text, &program.modules);
    let mut lines = Vec::new();
    let is_green = after.progress() == [0; 4];
    let is_stubbed = after.stops() > original.stops();
    counts.green += usize::from(is_green);
    counts.stubbed += usize::from(is_green && is_stubbed);
    counts.rounds += fixed.n_rounds();
    let ran = (after.progress()[0] == 0).then(|| after.run());
    if ran.as_ref().is_some_and(|it| *it != *expected && it.1 == "done") {
        blame.add(&mistake.id, &fixed.natures);
    }
    if let Some(ran) = ran.filter(|_| is_green) {
        counts.same_output += usize::from(ran == *expected);
        counts.exact += usize::from(clank_syntax::same(&original.parsed.ast, &after.parsed.ast));
        if ran != *expected {
            counts.other_output += usize::from(ran.1 == "done" && !is_stubbed);
            lines.push(format!("OTHER OUTPUT, ends with {}", ran.1));
        }
    } else {
        lines.push("NOT GREEN".to_owned());
    }
    let careful = workspace.fix(&mistake.text, v1::Safety::LikelyPreserving)?;
    if careful.text != mistake.text {
        let careful = StudyProgram::with(&careful.text, &program.modules);
        let ran = if careful.progress()[0] == 0 { Some(careful.run()) } else { None };
        if ran.is_some_and(|it| it != *expected && it.1 == "done") {
            counts.other_by_default += 1;
            blame.by_default.push(mistake.id.clone());
            lines.push("OTHER OUTPUT WITH THE DEFAULT SAFETY".to_owned());
        }
    }
    if !lines.is_empty() {
        lines.extend(mutant.findings().into_iter().take(4).map(|it| format!("said: {it}")));
        lines.extend(fixed.applied.iter().map(|it| format!("applied in round {}: {}", it.0, it.1)));
        lines.extend(after.findings().into_iter().take(4).map(|it| format!("left: {it}")));
        let shown = edit::diff(&Text::new(program.text.as_str()), &Text::new(fixed.text.as_str()));
        let shown = shown.map(|it| it.edits().len()).unwrap_or_default();
        lines.push(format!("{shown} places differ from the original"));
    }
    Ok(lines)
}

/// The programs with their mistakes, in the order of their names.
fn programs(folder: &Path) -> Result<Vec<Program>> {
    let shown = folder.display();
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).with_context(|| shown.to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "toml") {
            names.extend(path.file_stem().map(|it| it.to_string_lossy().into_owned()));
        }
    }
    ensure!(!names.is_empty(), "{shown} has no mistakes");
    names.into_iter().map(|it| program(folder, &it).with_context(|| it)).collect()
}

fn program(folder: &Path, name: &str) -> Result<Program> {
    let programs = folder.join("programs");
    let text = std::fs::read_to_string(programs.join(format!("{name}.clank")))?;
    let output = std::fs::read_to_string(programs.join(format!("{name}.out")))?;
    let mut modules = StudyModules::default();
    if let Ok(entries) = std::fs::read_dir(programs.join(name)) {
        for entry in entries {
            let path = entry?.path();
            let file = path.file_name().map(|it| it.to_string_lossy().into_owned());
            modules.insert(
                &format!("{name}/{}", file.unwrap_or_default()),
                &std::fs::read_to_string(&path)?,
            );
        }
    }
    let list = Text::new(std::fs::read(folder.join(format!("{name}.toml")))?);
    let list = document::parse(&list, Format::Toml, &Limits::DEFAULT)?.value();
    let Some(Value::Array(entries)) = list.get("mistake") else { bail!("there is no mistake") };
    let mistakes: Result<Vec<Mistake>> = entries.iter().map(|it| mistake(&text, it)).collect();
    Ok(Program { name: name.to_owned(), text, modules, output, mistakes: mistakes? })
}

fn mistake(program: &str, entry: &Value) -> Result<Mistake> {
    let member = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = member("id").context("a mistake has an id")?;
    let Some(Value::Array(edits)) = entry.get("edit") else { bail!("{id} has no edit") };
    let place = |it: &Value| -> Option<Edit> {
        let (find, replace) = (it.get("find")?.as_str()?, it.get("replace")?.as_str()?);
        let nth = match it.get("nth") {
            Some(Value::Number(number)) => number.text().parse::<usize>().ok()?,
            _ => 1,
        };
        let start = program.match_indices(find).nth(nth.checked_sub(1)?)?.0;
        let (start, end) = (u32::try_from(start).ok()?, u32::try_from(start + find.len()).ok()?);
        Some(Edit::replace(start, end, replace))
    };
    let edits: Option<Vec<Edit>> = edits.iter().map(place).collect();
    let edits = edits.with_context(|| format!("{id}: an edit does not fit the program"))?;
    let text = Text::new(program);
    let after = EditSet::new(&text, edits)?.apply(&text)?;
    Ok(Mistake {
        kind: member("kind").with_context(|| format!("{id} has no kind"))?,
        is_single: entry.get("also").is_none(),
        is_valid: entry.get("valid") == Some(&Value::Bool(true)),
        text: String::from_utf8(after.bytes().to_vec())?,
        id,
    })
}

impl Blame {
    fn add(&mut self, id: &str, applied: &[Nature]) {
        for nature in applied {
            *self.applied.entry(nature.clone()).or_default() += 1;
        }
        // Beside a repair that was less sure, that one is to blame.
        if !applied.is_empty() && applied.iter().all(Nature::is_sure) {
            let rules: Vec<&str> = applied.iter().map(|it| it.rule.as_str()).collect();
            self.sure.push(format!("{id} ({})", rules.join(", ")));
        }
    }

    fn judge(&self) -> Result<()> {
        if !self.applied.is_empty() {
            report("applied where a program ends normally with another output:");
        }
        for (it, times) in &self.applied {
            report(&format!(
                "{times:>5} {:?} {:?} {:?} {}",
                it.class, it.confidence, it.safety, it.rule
            ));
        }
        let mut broken = Vec::new();
        if !self.sure.is_empty() {
            let sure = self.sure.join(", ");
            broken.push(format!("repairs of high confidence changed the output: {sure}"));
        }
        if !self.by_default.is_empty() {
            let by_default = self.by_default.join(", ");
            broken.push(format!("with the default safety the output changed: {by_default}"));
        }
        ensure!(broken.is_empty(), "{}", broken.join("\n"));
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.mistakes += other.mistakes;
        self.detected += other.detected;
        self.green += other.green;
        self.stubbed += other.stubbed;
        self.same_output += other.same_output;
        self.exact += other.exact;
        self.other_output += other.other_output;
        self.other_by_default += other.other_by_default;
        self.rounds += other.rounds;
        self.millis += other.millis;
    }
}

fn print(kinds: &BTreeMap<String, Counts>, single: &Counts, several: &Counts) {
    report(
        "kind                       mistakes detected  green stubbed same output exact other output by default ms each",
    );
    let mut all = *single;
    all.add(several);
    let rows = kinds.iter().map(|(kind, it)| (kind.as_str(), it));
    for (name, it) in rows.chain([("one kind", single), ("several kinds", several), ("all", &all)])
    {
        report(&format!(
            "{name:<27}{:>8}{:>9}{:>7}{:>8}{:>12}{:>6}{:>13}{:>11}{:>8}",
            it.mistakes,
            it.detected,
            it.green,
            it.stubbed,
            it.same_output,
            it.exact,
            it.other_output,
            it.other_by_default,
            it.millis / it.mistakes.max(1) as u128,
        ));
    }
    let share = |part: usize| part as f64 * 100.0 / all.mistakes.max(1) as f64;
    report(&format!(
        "{} mistakes: {:.1} % detected (goal 98), {:.1} % green without a stub (goal 85), {:.1} % with the output of the \
         original (goal 75), {:.1} % exact",
        all.mistakes,
        share(all.detected),
        share(all.green - all.stubbed),
        share(all.same_output),
        share(all.exact),
    ));
}

#[cfg(test)]
mod tests {
    /// Every mistake fits its program, and a sample of them goes through the study.
    #[test]
    fn mistakes_go_through_fix() {
        super::run(&crate::root(), &["--every", "40"]).expect("the study");
    }
}
