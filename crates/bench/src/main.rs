//! The benchmarks: regreen beside its peers and beside the limit of the machine, in one run, with ratios.
//!
//! `cargo xtask bench [NAME…]` builds and runs them. Every input is generated from a fixed seed, every number is
//! the best of several runs, and nothing here asserts a time: a machine under load must not fail a build.
//! `--quick` runs small sizes in seconds, to show that the benchmarks still work.
//!
//! Knows nothing about who ships the product: peers are dependencies of this crate alone.

mod check_listing;
mod check_tree;
mod check_workflows;
mod clank;
mod contender;
mod document_ops;
mod edits_disk;
mod edits_memory;
mod end_to_end;
mod fleet;
mod judge;
mod large_files;
#[expect(dead_code, reason = "the crate that it belongs to uses all of it")]
#[path = "../../govern/src/live_server.rs"]
mod live_server;
mod machine;
mod measure;
mod mutation;
mod operation;
mod peers;
mod plan_candidates;
mod proposals;
mod random;
mod real_trees;
mod sources;
mod table;
mod text_output;
mod tool_runs;
mod tools;

use std::process::ExitCode;

use anyhow::{Result, bail};

/// One benchmark: what it is called, what it shows, and how it is run.
struct Benchmark {
    name: &'static str,
    about: &'static str,
    /// Whether a quick run of everything leaves it out: it needs the linters, and starts many programs.
    is_on_demand: bool,
    run: fn(Scale) -> Result<()>,
}

/// How large the inputs are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    /// The sizes that the goals are stated for.
    Full,
    /// Seconds only.
    Quick,
}

impl Scale {
    /// One of two values by scale.
    pub(crate) fn pick<T>(self, full: T, quick: T) -> T {
        match self {
            Scale::Full => full,
            Scale::Quick => quick,
        }
    }
}

const BENCHMARKS: [Benchmark; 18] = [
    Benchmark {
        name: "edits-memory",
        about: "200,000 edits over 2,000 texts against rustfix and against copy + hash; growth; merge",
        is_on_demand: false,
        run: edits_memory::run,
    },
    Benchmark {
        name: "edits-disk",
        about: "the same edits on disk against clang-apply-replacements and write-fsync-rename",
        is_on_demand: false,
        run: edits_disk::run,
    },
    Benchmark {
        name: "json-ops",
        about: "1,000 operations on 50 MB of JSON against patchloom and serde_json; right to the byte or not",
        is_on_demand: false,
        run: document_ops::run_json,
    },
    Benchmark {
        name: "yaml-ops",
        about: "1,000 operations on 5 MB of YAML against yaml-edit, patchloom, ruamel.yaml; right or not",
        is_on_demand: false,
        run: document_ops::run_yaml,
    },
    Benchmark {
        name: "end-to-end",
        about: "validate and apply of a changeset over 25 files by the real binary",
        is_on_demand: false,
        run: end_to_end::run,
    },
    Benchmark {
        name: "check-tree",
        about: "check of 1,000 and 10,000 files beside check-jsonschema and ajv-cli; second look; 1,000 faults",
        is_on_demand: false,
        run: check_tree::run,
    },
    Benchmark {
        name: "check-workflows",
        about: "check of 1,000 GitHub workflows beside actionlint and check-jsonschema; which faults are found",
        is_on_demand: false,
        run: check_workflows::run,
    },
    Benchmark {
        name: "check-listing",
        about: "check where little is of interest beside rg --files; one of 10,000 files changed; one file alone",
        is_on_demand: false,
        run: check_listing::run,
    },
    Benchmark {
        name: "large-files",
        about: "YAML beside rapidyaml; TOML, JSON and YAML up to 60 MB, growth and memory; one small file",
        is_on_demand: false,
        run: large_files::run,
    },
    Benchmark {
        name: "plan-candidates",
        about: "choosing among up to 100,000 repairs",
        is_on_demand: false,
        run: plan_candidates::run,
    },
    Benchmark {
        name: "text-output",
        about: "text of up to 50,000 findings of one file beside JSON of the same; growth",
        is_on_demand: false,
        run: text_output::run,
    },
    Benchmark {
        name: "proposals",
        about: "records beside a synced append; 10,000 of them as files; 64 writers; tools in a scope; signatures beside ssh-keygen",
        is_on_demand: false,
        run: proposals::run,
    },
    Benchmark {
        name: "clank-check",
        about: "check of up to 50,000 Clank functions beside tsc --noEmit; start-up; one function changed",
        is_on_demand: false,
        run: clank::run,
    },
    Benchmark {
        name: "clank-text",
        about: "every stage of the Clank compiler by itself; growth with long chains and wide matches",
        is_on_demand: false,
        run: clank::run_stages,
    },
    Benchmark {
        name: "clank-prove",
        about: "goals per second beside one Z3 process; growth with facts, conjunctions and definitions",
        is_on_demand: false,
        run: clank::run_prove,
    },
    Benchmark {
        name: "clank-repair",
        about: "repairs of up to 1,000 mistakes, each tried, beside a check alone",
        is_on_demand: false,
        run: clank::run_repairs,
    },
    Benchmark {
        name: "tools",
        about: "linters and formatters by regreen, in sequence and by hook runners; what each does where they clash",
        is_on_demand: true,
        run: tool_runs::run,
    },
    Benchmark {
        name: "real-trees",
        about: "fix and undo of sources that others wrote, with the tools that need no trust: found, fixed, wrong",
        is_on_demand: true,
        run: real_trees::run,
    },
];

const USAGE: &str = "\
bench [--quick] [NAME…]   run the named benchmarks, or all; --quick alone leaves out those that need linters
bench --list              the names";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            table::complain(&format!("bench: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["--list"] => {
            for benchmark in &BENCHMARKS {
                table::say(&format!("{:14} {}", benchmark.name, benchmark.about));
            }
            Ok(())
        }
        [contender::FLAG, rest @ ..] => contender::serve(rest),
        [edits_memory::FLAG] => edits_memory::serve(Scale::Full),
        [edits_memory::FLAG, "--quick"] => edits_memory::serve(Scale::Quick),
        [mutation::FLAG] => mutation::run(Scale::Full),
        [mutation::FLAG, "--quick"] => mutation::run(Scale::Quick),
        ["--quick", names @ ..] => run_named(names, Scale::Quick),
        names => run_named(names, Scale::Full),
    }
}

fn run_named(names: &[&str], scale: Scale) -> Result<()> {
    if let Some(unknown) = names.iter().find(|name| BENCHMARKS.iter().all(|it| it.name != **name)) {
        bail!("there is no benchmark `{unknown}`\n\n{USAGE}");
    }
    table::say(&machine::describe());
    for benchmark in &BENCHMARKS {
        let is_meant = names.is_empty() && !(benchmark.is_on_demand && scale == Scale::Quick);
        if is_meant || names.contains(&benchmark.name) {
            table::say(&format!("\n# {}: {}\n", benchmark.name, benchmark.about));
            (benchmark.run)(scale)?;
        }
    }
    Ok(())
}
