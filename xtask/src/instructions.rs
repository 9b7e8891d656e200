//! Instruction counts as the guard against slow changes: times are noisy, counts are not.
//!
//! Every capability runs once under valgrind with one thread, on inputs that are made here, in folders of its own. A
//! count that grew by more than [`MAX_GROWTH`] against `docs/instructions.json` fails with the two numbers; `--bless`
//! writes what was counted. The input is also made eight times as large, and the exponent of the growth is printed: 1 is
//! linear, 2 is quadratic. The program that is shipped is counted (`dist`), whose build takes too long
//! to be part of every change. Hash seeds, the length of paths and the environment move a count by half a percent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::{cargo, command, execute, report};

const BASELINE: &str = "docs/instructions.json";

/// In parts of a hundred.
const MAX_GROWTH: u64 = 5;

/// How much larger the second input is.
const FACTOR: usize = 8;

/// What is counted.
struct Capability {
    name: &'static str,
    /// The files of an input of a size.
    files: fn(usize) -> Vec<(String, String)>,
    arguments: &'static [&'static str],
    /// Whether a larger input is a question.
    grows: bool,
}

const CAPABILITIES: &[Capability] = &[
    Capability {
        name: "check one small file",
        files: |_| vec![("a.yaml".into(), "a: 1\n".into())],
        arguments: &["check"],
        grows: false,
    },
    Capability {
        name: "check a YAML file with a schema",
        files: |size| vec![schema(), ("a.yaml".into(), yaml(size))],
        arguments: &["check"],
        grows: true,
    },
    Capability {
        name: "check a JSON file",
        files: |size| vec![("a.json".into(), json(size))],
        arguments: &["check"],
        grows: true,
    },
    Capability {
        name: "check a TOML file",
        files: |size| vec![("a.toml".into(), toml(size))],
        arguments: &["check"],
        grows: true,
    },
    Capability {
        name: "check many YAML files",
        files: |size| {
            let file = |index: usize| (format!("{index}.yaml"), yaml(20));
            std::iter::once(schema()).chain((0..size / 20).map(file)).collect()
        },
        arguments: &["check"],
        grows: true,
    },
    Capability {
        name: "change a YAML file",
        files: |size| vec![("a.yaml".into(), yaml(size)), ("change.json".into(), changeset())],
        arguments: &["apply", "--dry-run", "change.json"],
        grows: true,
    },
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
    format!("[\n{}\n]\n", (0..size).map(item).collect::<Vec<_>>().join(",\n"))
}

fn toml(size: usize) -> String {
    let item = |index: usize| format!("[[service]]\nname = \"s{index}\"\nport = {index}\n");
    (0..size).map(item).collect()
}

fn changeset() -> String {
    let op = |index: usize| {
        format!(
            r#"{{"type": "set_value", "file_uid": "path:a.yaml", "json_pointer": "/services/{index}/port", "value": 1}}"#
        )
    };
    let ops: Vec<String> = (0..100).map(op).collect();
    format!("{{\"changeset_uid\": \"cs\", \"ops\": [{}]}}\n", ops.join(","))
}

/// The smaller input.
const SIZE: usize = 500;

pub(crate) fn run(root: &Path, is_blessed: bool) -> Result<()> {
    // What is shipped is what is counted.
    execute(cargo(root).args(["build", "--profile", "dist", "--bin", "regreen", "--locked"]))?;
    let program = root.join("target/dist/regreen");
    let known = baseline(root)?;
    let mut counted = BTreeMap::new();
    let mut worse = Vec::new();
    for capability in CAPABILITIES {
        let count = count(&program, capability, SIZE)?;
        let mut line = format!("{:40} {count:>14}", capability.name);
        if capability.grows {
            let larger = self::count(&program, capability, SIZE * FACTOR)?;
            let exponent = (larger as f64 / count as f64).ln() / (FACTOR as f64).ln();
            let _ = write!(line, "  x{FACTOR}: {larger:>14}, growth {exponent:.2}");
        }
        if let Some(before) = known.get(capability.name) {
            let _ = write!(line, "  before: {before}");
            if count > before + before / 100 * MAX_GROWTH {
                worse.push(format!("{}: {before} before, {count} now", capability.name));
            }
        }
        report(&line);
        counted.insert(capability.name.to_owned(), count);
    }
    if is_blessed {
        let text = serde_json::to_string_pretty(&counted)? + "\n";
        return fs::write(root.join(BASELINE), text).context("the baseline cannot be written");
    }
    if !worse.is_empty() {
        let list = worse.join("\n  ");
        bail!("more than {MAX_GROWTH} % more instructions (--bless accepts them):\n  {list}");
    }
    Ok(())
}

/// What was counted before; nothing if there is no baseline yet.
fn baseline(root: &Path) -> Result<BTreeMap<String, u64>> {
    match fs::read_to_string(root.join(BASELINE)) {
        Ok(text) => {
            serde_json::from_str(&text).with_context(|| format!("{BASELINE} cannot be read"))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error).with_context(|| format!("{BASELINE} cannot be read")),
    }
}

/// How many instructions the program takes for an input.
fn count(program: &Path, capability: &Capability, size: usize) -> Result<u64> {
    let folder = tempfile::tempdir()?;
    let tree = folder.path().join("tree");
    fs::create_dir(&tree)?;
    for (path, text) in (capability.files)(size) {
        fs::write(tree.join(path), text)?;
    }
    let home: PathBuf = folder.path().join("home");
    let output = command("valgrind", &tree)
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(program)
        .args(capability.arguments)
        .args(["--jobs", "1"])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", &home)
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .context("valgrind cannot be started; install it to count instructions")?;
    let said = String::from_utf8_lossy(&output.stderr);
    instructions(&said).with_context(|| format!("{}: valgrind said\n{said}", capability.name))
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
        let is_counted = |name: &String| CAPABILITIES.iter().any(|it| it.name == name);
        assert!(known.keys().all(is_counted), "{known:?}");
    }

    #[test]
    fn counts_are_read() {
        assert_eq!(instructions("==7== I refs:        1,234,567\n"), Some(1_234_567));
        assert_eq!(instructions("==7== D   refs: 9\n==7== I   refs: 1,234\n"), Some(1234));
        assert_eq!(instructions("nothing"), None);
    }
}
