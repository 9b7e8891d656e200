//! Instruction counts as the guard against slow changes: times are noisy, counts are not.
//!
//! Every capability runs once under valgrind with one thread, on inputs that are made here, in folders of its own. A
//! count that grew by more than [`MAX_GROWTH`] against `docs/instructions.json` fails with the two numbers; `--bless`
//! writes what was counted. What another compiler, C library or valgrind makes of
//! the same sources is not compared with it.
//!
//! The program of a release is counted on demand, also with an input eight times as large: the exponent of the growth
//! beyond a start is printed, 1 is linear and 2 quadratic. The program that tests use is counted with every change ([`Options::QUICK`]),
//! where only more work shows and not worse code. Hash seeds, the length of paths and the clock move a count by half a percent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Map, Value, json};

use crate::{cargo, command, execute, live, report};

const BASELINE: &str = "docs/instructions.json";

/// In parts of a hundred.
const MAX_GROWTH: u64 = 5;

/// How much larger the second input is.
const FACTOR: usize = 8;

/// What a file must be older than before what is in it is remembered, and a little more.
const TICK: Duration = Duration::from_millis(2_200);

/// Which program is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Build {
    /// The one that tests use.
    Dev,
    /// The one of a release.
    Release,
}

impl Build {
    fn name(self) -> &'static str {
        match self {
            Build::Dev => "dev",
            Build::Release => "release",
        }
    }

    /// How large the smaller input is.
    fn size(self) -> usize {
        match self {
            Build::Dev => 200,
            Build::Release => 500,
        }
    }

    /// Builds the program.
    fn make(self, root: &Path) -> Result<PathBuf> {
        match self {
            Build::Dev => {
                live::build(root)?;
                Ok(live::built(root, "regreen"))
            }
            Build::Release => {
                let build = ["build", "--release", "--bin", "regreen", "--locked"];
                execute(cargo(root).args(build))?;
                Ok(live::target(root).join("release/regreen"))
            }
        }
    }
}

/// What to do.
#[derive(Clone, Copy)]
pub(crate) struct Options<'a> {
    build: Build,
    is_blessed: bool,
    program: Option<&'a Path>,
}

impl<'a> Options<'a> {
    /// What runs with every change.
    pub(crate) const QUICK: Options<'static> =
        Options { build: Build::Dev, is_blessed: false, program: None };

    pub(crate) fn parse(flags: &[&'a str]) -> Result<Options<'a>> {
        let mut options = Options { build: Build::Release, ..Options::QUICK };
        let mut rest = flags.iter();
        while let Some(flag) = rest.next() {
            match *flag {
                "--quick" => options.build = Build::Dev,
                "--bless" => options.is_blessed = true,
                "--program" => {
                    let file = rest.next().context("--program takes a file")?;
                    options.program = Some(Path::new(*file));
                }
                unknown => bail!("unknown flag `{unknown}`"),
            }
        }
        Ok(options)
    }
}

/// What is counted.
struct Capability {
    name: &'static str,
    /// The files of an input of a size.
    files: fn(usize) -> Vec<(String, String)>,
    arguments: &'static [&'static str],
    /// Whether a larger input is a question.
    grows: bool,
    /// A file that is written anew after a first run that is not counted, if the second is the one that is.
    changed: Option<&'static str>,
}

impl Capability {
    const fn new(
        name: &'static str,
        files: fn(usize) -> Vec<(String, String)>,
        arguments: &'static [&'static str],
    ) -> Capability {
        Capability { name, files, arguments, grows: true, changed: None }
    }
}

const CHECK: &[&str] = &["check", "--jobs", "1"];
const CHANGE: &[&str] = &["apply", "--dry-run", "change.json"];

const CAPABILITIES: &[Capability] = &[
    Capability {
        grows: false,
        ..Capability::new(
            "check one small file",
            |_| vec![("a.yaml".into(), "a: 1\n".into())],
            CHECK,
        )
    },
    Capability::new(
        "check a YAML file with a schema",
        |size| vec![schema(), ("a.yaml".into(), yaml(size))],
        CHECK,
    ),
    Capability::new("check a JSON file", |size| vec![("a.json".into(), json(size))], CHECK),
    Capability::new("check a TOML file", |size| vec![("a.toml".into(), toml(size))], CHECK),
    Capability::new("check a stream of documents", stream, CHECK),
    Capability::new("check many YAML files", many, CHECK),
    Capability {
        changed: Some("0.yaml"),
        ..Capability::new("check many again, one changed", many, CHECK)
    },
    Capability::new("check files that nobody is about", strange, CHECK),
    Capability::new(
        "fix a YAML file",
        faulty,
        &["fix", "--jobs", "1", "--dry-run", "--safety", "behavior_changing"],
    ),
    Capability::new(
        "change a YAML file",
        |size| vec![("a.yaml".into(), yaml(size)), changeset("a.yaml")],
        CHANGE,
    ),
    Capability::new(
        "change a JSON file",
        |size| vec![("a.json".into(), json(size)), changeset("a.json")],
        CHANGE,
    ),
    Capability::new("check a Clank program", clank, CHECK),
    Capability::new("run a Clank program", clank, &["run", "main.clank"]),
];

fn schema() -> (String, String) {
    let text = r#"{"properties": {"services": {"items": {"required": ["name", "port"], "properties": {"name": {"type": "string"}, "port": {"type": "integer", "maximum": 65535}, "tags": {"items": {"enum": ["a", "b"]}}}}}}}"#;
    ("s.json".into(), text.into())
}

fn yaml(size: usize) -> String {
    let mut text = "# yaml-language-server: $schema=s.json\nservices:\n".to_owned();
    for index in 0..size {
        let _ = write!(
            text,
            "  - name: service-{index} # the {index}th\n    port: {}\n    tags: [a, \"b\"]\n    note: |\n      two\n      lines\n",
            1024 + index % 60_000
        );
    }
    text
}

fn json(size: usize) -> String {
    let item = |index: usize| format!("  {{\"name\": \"service-{index}\", \"port\": {index}}}");
    let items = (0..size).map(item).collect::<Vec<_>>().join(",\n");
    format!("{{\"services\": [\n{items}\n]}}\n")
}

fn toml(size: usize) -> String {
    let item = |index: usize| format!("[[service]]\nname = \"s{index}\"\nport = {index}\n");
    (0..size).map(item).collect()
}

fn stream(size: usize) -> Vec<(String, String)> {
    let document = |index: usize| format!("---\nservices: [{{name: s{index}, port: {index}}}]\n");
    let text: String = (0..size).map(document).collect();
    vec![schema(), ("a.yaml".into(), format!("# yaml-language-server: $schema=s.json\n{text}"))]
}

fn many(size: usize) -> Vec<(String, String)> {
    let file = |index: usize| (format!("{index}.yaml"), yaml(2));
    std::iter::once(schema()).chain((0..size / 2).map(file)).collect()
}

fn strange(size: usize) -> Vec<(String, String)> {
    let file =
        |index: usize| (format!("src/{}/{index}.rs", index / 100), format!("fn f{index}() {{}}\n"));
    (0..size).map(file).collect()
}

/// A port in quotes in every tenth service.
fn faulty(size: usize) -> Vec<(String, String)> {
    let mut text = yaml(size);
    for index in (0..size).step_by(10) {
        let port = 1024 + index % 60_000;
        text = text.replacen(&format!("port: {port}\n"), &format!("port: \"{port}\"\n"), 1);
    }
    vec![schema(), ("a.yaml".into(), text)]
}

fn changeset(file: &str) -> (String, String) {
    let op = |index: usize| {
        json!({
            "type": "set_value",
            "file_uid": format!("path:{file}"),
            "json_pointer": format!("/services/{index}/port"),
            "value": 1,
        })
    };
    let ops: Vec<Value> = (0..100).map(op).collect();
    ("change.json".into(), json!({ "changeset_uid": "cs", "ops": ops }).to_string())
}

/// Functions with something to prove, each of which calls the one before, on their way to `main`.
fn clank(size: usize) -> Vec<(String, String)> {
    let mut text = "fn f0(n: Int{n >= 0}) -> (Int{result >= 1}) {\n  n + 1\n}\n".to_owned();
    let n_functions = (size / 5).max(2);
    for index in 1..n_functions {
        let _ = write!(
            text,
            "\nfn f{index}(n: Int{{n >= 0}}) -> (Int{{result >= 1}}) {{\n  let half = n / 2\n  if n > {index} {{ f{}(half) }} else {{ n + {index} }}\n}}\n",
            index - 1
        );
    }
    let last = n_functions - 1;
    let _ = write!(text, "\nfn main() -> IO + Unit {{\n  println(`${{f{last}(1000)}}`)\n}}\n");
    vec![("main.clank".into(), text)]
}

/// Counts, prints, and compares with what was counted before; or writes that down anew.
pub(crate) fn run(root: &Path, options: Options<'_>) -> Result<()> {
    let Options { build, is_blessed, program } = options;
    let program = program.map_or_else(|| build.make(root), |it| Ok(it.canonicalize()?))?;
    let valgrind = find("valgrind").context("valgrind is what counts instructions; install it")?;
    let machine = machine(root)?;
    let mut baseline = baseline(root)?;
    let known = baseline.get(build.name()).filter(|it| it["machine"] == json!(machine));
    let known = known.and_then(|it| it["counts"].as_object()).cloned().unwrap_or_default();
    if known.is_empty() && !is_blessed {
        report(&format!("nothing to compare with was counted with {machine}"));
    }
    let count = |capability: &Capability| -> Result<(u64, Option<u64>)> {
        let is_larger = capability.grows && build == Build::Release;
        let count = |size: usize| count(&valgrind, &program, capability, size);
        let larger = is_larger.then(|| count(build.size() * FACTOR));
        Ok((count(build.size())?, larger.transpose()?))
    };
    let mut counted = Map::new();
    let mut worse = Vec::new();
    // What the first takes is what a start takes, whatever is to be done.
    let mut start = None;
    for (capability, counts) in CAPABILITIES.iter().zip(in_parallel(CAPABILITIES, count)) {
        let (count, larger) = counts?;
        let start = *start.get_or_insert(count);
        let mut line = format!("{:34} {count:>14}", capability.name);
        if let Some(larger) = larger {
            let beyond = |count: u64| count.saturating_sub(start).max(1) as f64;
            let exponent = (beyond(larger) / beyond(count)).ln() / (FACTOR as f64).ln();
            let _ = write!(line, "  x{FACTOR}: {larger:>14}, growth {exponent:.2}");
        }
        if let Some(before) = known.get(capability.name).and_then(Value::as_u64) {
            let percent = (count as f64 / before as f64 - 1.0) * 100.0;
            let _ = write!(line, "  {percent:+.2} %");
            if count > before + before / 100 * MAX_GROWTH {
                worse.push(format!("{}: {before} before, {count} now", capability.name));
            }
        }
        report(&line);
        counted.insert(capability.name.to_owned(), count.into());
    }
    if is_blessed {
        let counted = json!({ "machine": machine, "counts": counted });
        baseline.insert(build.name().to_owned(), counted);
        let text = serde_json::to_string_pretty(&baseline)? + "\n";
        return fs::write(root.join(BASELINE), text).context("the baseline cannot be written");
    }
    let list = worse.join("\n  ");
    ensure!(
        worse.is_empty(),
        "more than {MAX_GROWTH} % more instructions (`cargo xtask instructions --bless` accepts them):\n  {list}"
    );
    Ok(())
}

/// What decides about the count beside the sources: the compiler, the C library, and the machine that valgrind shows.
fn machine(root: &Path) -> Result<String> {
    let said = |program: &str, arguments: &[&str]| -> Result<String> {
        let output = command(program, root).args(arguments).output();
        let output = output.with_context(|| format!("cannot start {program}"))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(said.lines().next().unwrap_or_default().to_owned())
    };
    let library = said("getconf", &["GNU_LIBC_VERSION"]).unwrap_or_default();
    let (compiler, counter) = (said("rustc", &["--version"])?, said("valgrind", &["--version"])?);
    Ok(format!("{compiler}, {library}, {counter}, {}", std::env::consts::ARCH))
}

/// What was counted before, by build; nothing if there is no baseline yet.
fn baseline(root: &Path) -> Result<BTreeMap<String, Value>> {
    match fs::read_to_string(root.join(BASELINE)) {
        Ok(text) => {
            serde_json::from_str(&text).with_context(|| format!("{BASELINE} cannot be read"))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error).with_context(|| format!("{BASELINE} cannot be read")),
    }
}

/// Does the work for each, two at a time, and keeps their order.
fn in_parallel<T: Sync, U: Send>(all: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let work = &work;
    let on_thread = |first: usize| move || all.iter().skip(first).step_by(2).map(work).collect();
    thread::scope(|scope| {
        let others = scope.spawn(on_thread(1));
        let own: Vec<U> = on_thread(0)();
        let mut others: std::vec::IntoIter<U> =
            others.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).into_iter();
        own.into_iter().flat_map(|it| std::iter::once(it).chain(others.next())).collect()
    })
}

/// Where a program is.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|it| it.join(program)).find(|it| it.is_file())
}

/// How many instructions the program takes for an input.
fn count(valgrind: &Path, program: &Path, capability: &Capability, size: usize) -> Result<u64> {
    let folder = tempfile::tempdir()?;
    let tree = folder.path().join("tree");
    for (path, text) in (capability.files)(size) {
        let path = tree.join(path);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        fs::write(path, text)?;
    }
    // What the program sees is always the same, so that it never has more to read.
    let alone = |command: &mut Command| {
        command.args(capability.arguments).current_dir(&tree).env_clear();
        command.env("PATH", "/usr/bin:/bin").env("HOME", folder.path().join("home"));
        command.env("RAYON_NUM_THREADS", "1").output()
    };
    if let Some(changed) = capability.changed {
        thread::sleep(TICK);
        alone(&mut Command::new(program))?;
        let text = fs::read_to_string(tree.join(changed))?;
        fs::write(tree.join(changed), text + "# changed\n")?;
    }
    let mut counted = Command::new(valgrind);
    counted.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    let output = alone(counted.arg(program)).context("valgrind cannot be started")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let all = || format!("{}: {}{said}", capability.name, String::from_utf8_lossy(&output.stdout));
    // A change that is found to be needed is no failure, and neither is a finding.
    ensure!(output.status.code().is_some_and(|it| it <= 1), "{}", all());
    instructions(&said).with_context(all)
}

/// The count in what valgrind says: `==7== I refs: 1,234`, with more blanks in some versions.
fn instructions(said: &str) -> Option<u64> {
    let count = said.lines().find_map(|line| {
        let (name, count) = line.split_once("refs:")?;
        name.trim_end().ends_with(" I").then_some(count)
    })?;
    let digits: String = count.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The baseline names what is counted, and nothing else.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_is_about_what_is_counted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let known = baseline(&root).expect("it can be read, if it is there");
        for (build, counted) in known {
            let counts = counted["counts"].as_object().expect("it has counts");
            let names: Vec<&str> = counts.keys().map(String::as_str).collect();
            let expected: Vec<&str> = CAPABILITIES.iter().map(|it| it.name).collect();
            assert_eq!(names, expected, "{build}");
        }
    }

    #[test]
    fn work_in_parallel_keeps_its_order() {
        for n in 0..6 {
            let all: Vec<usize> = (0..n).collect();
            assert_eq!(
                in_parallel(&all, |it| it * 2),
                all.iter().map(|it| it * 2).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn counts_are_read() {
        assert_eq!(instructions("==7== I refs:        1,234,567\n"), Some(1_234_567));
        assert_eq!(instructions("==7== D   refs: 9\n==7== I   refs: 1,234\n"), Some(1234));
        assert_eq!(instructions("nothing"), None);
    }
}
