//! `json-ops` and `yaml-ops`: 1,000 operations on one large document, and how many of them each contender gets
//! right to the byte when it is given them one at a time.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use edit::Text;

use crate::Scale;
use crate::contender::{self, Finished, Library};
use crate::fleet::{Case, Syntax, cases, fleet};
use crate::judge::Score;
use crate::peers::{patchloom, regreen, reserialize, ruamel, yaml_editor};
use crate::table::{Table, complain, count, ratio, say, size, time};
use crate::tools;

/// JSON: 50 MB at the largest.
pub(crate) fn run_json(scale: Scale) -> Result<()> {
    speed(
        Syntax::Json,
        scale.pick([500_000, 5_000_000, 50_000_000], [5_000, 50_000, 500_000]),
        scale,
    )?;
    correctness(Syntax::Json, scale)
}

/// YAML: 5 MB at the largest.
pub(crate) fn run_yaml(scale: Scale) -> Result<()> {
    speed(Syntax::Yaml, scale.pick([50_000, 500_000, 5_000_000], [2_000, 20_000, 100_000]), scale)?;
    correctness(Syntax::Yaml, scale)
}

/// A contender in the table of speeds.
enum Contender {
    Library(Library),
    Patchloom,
    Ruamel,
}

fn speed(syntax: Syntax, sizes: [usize; 3], scale: Scale) -> Result<()> {
    let counts = scale.pick([10, 100, 1_000], [2, 12, 48]);
    let contenders: &[(&str, Contender)] = match syntax {
        Syntax::Json => &[
            ("regreen", Contender::Library(Library::Regreen)),
            ("regreen, parse only", Contender::Library(Library::RegreenParse)),
            ("patchloom (process)", Contender::Patchloom),
            ("serde_json load-patch-dump", Contender::Library(Library::SerdeJson)),
        ],
        Syntax::Yaml => &[
            ("regreen", Contender::Library(Library::Regreen)),
            ("regreen, parse only", Contender::Library(Library::RegreenParse)),
            ("yaml-edit", Contender::Library(Library::YamlEdit)),
            ("patchloom (process)", Contender::Patchloom),
            ("ruamel.yaml", Contender::Ruamel),
        ],
    };
    let heads: Vec<String> = sizes
        .iter()
        .zip(counts)
        .map(|(bytes, it)| format!("{}, {} ops", size(*bytes as u64), count(it)))
        .collect();
    let mut header = vec!["contender"];
    header.extend(heads.iter().map(String::as_str));
    header.extend(["growth", "to regreen", "peak memory", "to file"]);
    let mut table = Table::new(&header);
    let mut ours: Option<Duration> = None;
    for (name, contender) in contenders {
        let mut row = vec![name.to_string()];
        let mut results: Vec<Option<Finished>> = Vec::new();
        for (bytes, operations) in sizes.iter().zip(counts) {
            let given_up =
                results.last().is_some_and(|it| it.as_ref().is_none_or(|it| it.timed_out));
            let result = if given_up {
                None
            } else {
                run_one(contender, syntax, *bytes, operations, scale)?
            };
            row.push(result.as_ref().map_or("not run".to_string(), shown));
            results.push(result);
        }
        let [.., before, last] = results.as_slice() else { continue };
        let before = before.as_ref().filter(|it| it.success);
        let last = last.as_ref().filter(|it| it.success);
        if matches!(contender, Contender::Library(Library::Regreen)) {
            ours = last.map(|it| it.elapsed);
        }
        row.push(
            before
                .zip(last)
                .map_or(String::new(), |(before, last)| ratio(last.elapsed, before.elapsed)),
        );
        row.push(ours.zip(last).map_or(String::new(), |(ours, last)| ratio(last.elapsed, ours)));
        row.push(last.map_or(String::new(), |it| size(it.peak)));
        row.push(
            last.map_or(String::new(), |it| format!("{:.1}x", it.peak as f64 / sizes[2] as f64)),
        );
        table.row(row);
    }
    table.print(
        "Processor time in memory, process start and file reading not counted (except patchloom); growth is for the \
         last ten times; peak memory of the whole process at the largest size (goals: best comment-keeping peer at least \
         10x, memory at most 6x):",
    );
    Ok(())
}

fn run_one(
    contender: &Contender,
    syntax: Syntax,
    bytes: usize,
    operations: usize,
    scale: Scale,
) -> Result<Option<Finished>> {
    match contender {
        Contender::Library(library) => {
            let runs = scale.pick(if bytes > 10_000_000 { 3 } else { 5 }, 1);
            contender::run(*library, syntax, bytes, operations, runs).map(Some)
        }
        Contender::Patchloom => match tools::patchloom() {
            Some(program) => {
                let fleet = fleet(syntax, bytes, operations);
                let directory = tempfile::tempdir()?;
                std::fs::write(directory.path().join(file_name(syntax)), &fleet.text)?;
                let finished = patchloom::run(
                    &program,
                    directory.path(),
                    file_name(syntax),
                    &fleet.operations,
                )?;
                Ok(Some(finished))
            }
            None => Ok(None),
        },
        Contender::Ruamel => match tools::python_with_ruamel() {
            Some(python) => ruamel::run(&python, &fleet(syntax, bytes, operations)).map(Some),
            None => Ok(None),
        },
    }
}

fn shown(finished: &Finished) -> String {
    match finished {
        it if it.timed_out => format!("> {}", time(it.elapsed)),
        it if !it.success => "failed".to_string(),
        it => time(it.elapsed),
    }
}

fn correctness(syntax: Syntax, scale: Scale) -> Result<()> {
    let cases = cases(syntax, scale.pick(1_000, 24));
    let mut table = Table::new(&[
        "contender",
        "right to the byte",
        "refused",
        "other bytes changed",
        "wrong value",
    ]);
    let mut add = |name: &str, results: Vec<Option<String>>| {
        let mut score = Score::default();
        for (case, result) in cases.iter().zip(&results) {
            score.add(syntax, case, result.as_deref());
        }
        let Score { right, refused, disturbed, wrong } = score;
        table.row(
            [name.to_string()]
                .into_iter()
                .chain([right, refused, disturbed, wrong].map(count))
                .collect(),
        );
    };
    let each =
        |edit: &dyn Fn(&Case) -> Result<String>| cases.iter().map(|case| edit(case).ok()).collect();
    add(
        "regreen",
        each(&|case| {
            let text = regreen::edit(
                syntax,
                &Text::new(case.text.as_str()),
                std::slice::from_ref(&case.operation),
            )?;
            Ok(String::from_utf8(text.bytes().to_vec())?)
        }),
    );
    match syntax {
        Syntax::Json => {
            add(
                "serde_json load-patch-dump",
                each(&|case| reserialize::edit(&case.text, std::slice::from_ref(&case.operation))),
            );
        }
        Syntax::Yaml => {
            add(
                "yaml-edit",
                each(&|case| yaml_editor::edit(&case.text, std::slice::from_ref(&case.operation))),
            );
            match tools::python_with_ruamel() {
                Some(python) => add("ruamel.yaml", ruamel::edit_each(&python, &cases)?),
                None => missing("ruamel.yaml"),
            }
        }
    }
    match tools::patchloom() {
        Some(program) => {
            add(&patchloom::version(&program)?, patchloom_results(&program, syntax, &cases)?)
        }
        None => missing("patchloom"),
    }
    table.print(&format!(
        "{} operations of sixteen kinds, each alone on a small document; judged by another parser, and by the bytes \
         outside the lines that the operation has to touch; comments, neighbours and quotes on those lines must stay:",
        count(cases.len())
    ));
    Ok(())
}

fn patchloom_results(
    program: &Path,
    syntax: Syntax,
    cases: &[Case],
) -> Result<Vec<Option<String>>> {
    let directory = tempfile::tempdir()?;
    let file = file_name(syntax);
    cases
        .iter()
        .map(|case| patchloom::edit(program, directory.path(), file, &case.text, &case.operation))
        .collect()
}

fn file_name(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Json => "fleet.json",
        Syntax::Yaml => "fleet.yaml",
    }
}

fn missing(peer: &str) {
    say(&format!(
        "PEER MISSING: {peer} was not found, so its rows are not there. {}\n",
        tools::HOW_TO_INSTALL
    ));
    complain(&format!("bench: peer missing: {peer}"));
}
