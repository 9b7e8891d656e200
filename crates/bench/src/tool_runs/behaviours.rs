//! What a runner does where tools get into each other's way: what is on disk and in the index afterwards, and whether it
//! says so.

use anyhow::Result;

use super::runners::{Runner, Tool};
use super::{Programs, Site};
use crate::table::Table;

const FILE: &str = "notes.txt";
const TEXT: &[&str] = &["txt"];

/// Something that goes wrong between tools, and what is looked at afterwards.
struct Case {
    name: &'static str,
    tools: &'static [Tool<'static>],
    staged: &'static str,
    /// The file on disk, where it is not what is staged.
    on_disk: &'static str,
    is_staged_run: bool,
    judge: fn(&After) -> String,
}

/// What is there after a run, and after a second one.
struct After {
    codes: (i32, i32),
    /// What the first run said.
    text: String,
    disk: String,
    index: String,
}

const CASES: [Case; 4] = [
    Case {
        name: "two formatters fight",
        tools: &[
            ("to-gray", TEXT, "sed -i s/grey/gray/ \"$@\""),
            ("to-grey", TEXT, "sed -i s/gray/grey/ \"$@\""),
        ],
        staged: "grey\n",
        on_disk: "grey\n",
        is_staged_run: false,
        judge: |after| {
            let is_named = after.text.contains("to-gray") && after.text.contains("to-grey");
            let says = after.text.to_lowercase();
            let is_cycle = ["cycle", "undoes", "undo each other", "fight"];
            let is_told = is_named && is_cycle.iter().any(|it| says.contains(it));
            let told = if is_told { "both named as a cycle" } else { "not told as a fight" };
            format!("{told}; exit {}, again {}", after.codes.0, after.codes.1)
        },
    },
    Case {
        name: "a fixer dies half-way",
        tools: &[
            ("dies", TEXT, "for f in \"$@\"; do printf gr > $f; done; kill -9 $$"),
            ("to-gray", TEXT, "sed -i s/grey/gray/ \"$@\""),
        ],
        staged: "grey and more\n",
        on_disk: "grey and more\n",
        is_staged_run: false,
        judge: |after| {
            let disk = match after.disk.as_str() {
                "gray and more\n" => "whole, with the fix of the other",
                "grey and more\n" => "whole, without the fix of the other",
                _ => "truncated",
            };
            format!("{disk}; exit {}", after.codes.0)
        },
    },
    Case {
        name: "two write one file",
        tools: &[
            (
                "first",
                TEXT,
                "for f in \"$@\"; do t=$(sed s/one/ONE/ $f); sleep 0.3; echo \"$t\" > $f; done",
            ),
            (
                "second",
                TEXT,
                "for f in \"$@\"; do t=$(sed s/two/TWO/ $f); sleep 0.3; echo \"$t\" > $f; done",
            ),
        ],
        staged: "one\n\n\ntwo\n",
        on_disk: "one\n\n\ntwo\n",
        is_staged_run: false,
        judge: |after| {
            let n_fixes = ["ONE", "TWO"].iter().filter(|it| after.disk.contains(**it)).count();
            format!("{n_fixes} of 2 fixes; exit {}, again {}", after.codes.0, after.codes.1)
        },
    },
    Case {
        name: "one line staged and unstaged",
        tools: &[("to-gray", TEXT, "sed -i s/grey/gray/ \"$@\"")],
        staged: "grey staged\n",
        on_disk: "grey staged and more\n",
        is_staged_run: true,
        judge: |after| {
            let index = match after.index.as_str() {
                "gray staged\n" => "index fixed",
                "grey staged\n" => "index not fixed",
                _ => "UNSTAGED WORK STAGED",
            };
            let disk = match after.disk.as_str() {
                "gray staged and more\n" => "disk fixed",
                "grey staged and more\n" => "disk not fixed",
                _ => "WORK ON DISK LOST",
            };
            format!("{index}, {disk}; exit {}", after.codes.0)
        },
    },
];

/// Runs every case with every runner and prints the table.
pub(super) fn print(programs: &Programs, runners: &[Runner]) -> Result<()> {
    let mut header = vec!["runner"];
    header.extend(CASES.iter().map(|it| it.name));
    let mut table = Table::new(&header);
    let mut row = |name: &str, cell: &dyn Fn(&Case) -> Result<String>| -> Result<()> {
        let mut cells = vec![name.to_owned()];
        for case in &CASES {
            cells.push(cell(case)?);
        }
        table.row(cells);
        Ok(())
    };
    row("the tools in sequence", &|case| {
        if case.is_staged_run {
            return Ok("knows nothing of it".to_owned());
        }
        let line: Vec<String> =
            case.tools.iter().map(|it| format!("sh -c '{}' -- {FILE}", it.2)).collect();
        let site = prepare(programs, case, |_| Ok(()))?;
        judge(programs, case, &site, &line.join(" && "))
    })?;
    row("regreen", &|case| {
        let site =
            prepare(programs, case, |site| site.write("regreen.toml", &sources(case.tools)))?;
        let staged = if case.is_staged_run { " --staged" } else { "" };
        judge(programs, case, &site, &format!("regreen fix --trust{staged}"))
    })?;
    for runner in runners {
        row(runner.name, &|case| {
            let line = if case.is_staged_run { runner.run_staged } else { Some(runner.run_all) };
            let Some(line) = line else { return Ok("knows nothing of it".to_owned()) };
            let site = prepare(programs, case, |site| runner.configure(site, case.tools))?;
            judge(programs, case, &site, line)
        })?;
    }
    table.print("Where tools get into each other's way:");
    Ok(())
}

/// A tree with the file committed, staged and on disk.
fn prepare(
    programs: &Programs,
    case: &Case,
    configure: impl Fn(&Site) -> Result<()>,
) -> Result<Site> {
    let site = Site::new(programs)?;
    configure(&site)?;
    site.write(FILE, "white\n")?;
    let identity = "-c user.name=bench -c user.email=bench@example.com";
    site.shell(programs, &format!("git add --all && git {identity} commit --quiet -m start"))?;
    site.write(FILE, case.staged)?;
    site.shell(programs, "git add --all")?;
    site.write(FILE, case.on_disk)?;
    Ok(site)
}

fn judge(programs: &Programs, case: &Case, site: &Site, line: &str) -> Result<String> {
    let first = site.shell(programs, line)?;
    let disk = std::fs::read(site.root().join(FILE)).unwrap_or_default();
    let index = site.shell(programs, &format!("git show :{FILE}"))?.text;
    let second = site.shell(programs, line)?;
    let after = After {
        codes: (first.code, second.code),
        text: first.text,
        disk: String::from_utf8_lossy(&disk).into_owned(),
        index,
    };
    Ok((case.judge)(&after))
}

/// The tools as sources of regreen, which run in a copy of the tree.
fn sources(tools: &[Tool<'_>]) -> String {
    let of_tool = |(name, _, script): &Tool<'_>| {
        let script = script.replace("\"$@\"", FILE);
        format!(
            "[[source]]\nname = \"{name}\"\ncommand = [\"sh\", \"-c\", '''{script}''']\nformat = \"rewrites\"\nfiles = [\"*.txt\"]\nsafety = \"likely_preserving\"\n"
        )
    };
    tools.iter().map(of_tool).collect()
}
