//! The programs that people run many tools with, and how each is told which.

use std::path::PathBuf;

use anyhow::Result;

use super::{Programs, Site};
use crate::table::say;

/// A tool for a runner: its name, the files that it is about by ending, and the shell that fixes the files it is given.
pub(super) type Tool<'a> = (&'a str, &'a [&'a str], &'a str);

/// The tools of the timed rows.
pub(super) const TOOLS: &[Tool<'_>] = &[
    ("typos", &["py", "js", "css", "md", "sh"], "typos --write-changes \"$@\""),
    ("ruff-check", &["py"], "ruff check --fix --no-cache --quiet \"$@\""),
    ("ruff-format", &["py"], "ruff format --no-cache --quiet \"$@\""),
    ("prettier", &["js", "css", "md"], "prettier --write --log-level=error \"$@\""),
    ("shellcheck", &["sh"], "shellcheck --format=diff \"$@\" | git apply --allow-empty"),
];

/// A program that runs tools.
pub(super) struct Runner {
    pub(super) name: &'static str,
    /// Runs all tools on all files.
    pub(super) run_all: &'static str,
    /// Runs all tools on what is staged; none if it knows nothing of that.
    pub(super) run_staged: Option<&'static str>,
    show_version: &'static str,
    file: &'static str,
    settings: fn(&[Tool<'_>]) -> String,
}

const RUNNERS: [Runner; 4] = [
    Runner {
        name: "pre-commit",
        run_all: "pre-commit run --all-files",
        run_staged: Some("pre-commit run"),
        show_version: "pre-commit --version",
        file: ".pre-commit-config.yaml",
        settings: pre_commit,
    },
    Runner {
        name: "prek",
        run_all: "prek run --all-files",
        run_staged: Some("prek run"),
        show_version: "prek --version",
        file: ".pre-commit-config.yaml",
        settings: pre_commit,
    },
    Runner {
        name: "treefmt",
        run_all: "treefmt --no-cache",
        run_staged: None,
        show_version: "treefmt --version",
        file: "treefmt.toml",
        settings: treefmt,
    },
    Runner {
        name: "lefthook",
        run_all: "lefthook run pre-commit --all-files --force",
        run_staged: Some("lefthook run pre-commit"),
        show_version: "lefthook version",
        file: "lefthook.yml",
        settings: lefthook,
    },
];

/// Where `peers.sh` puts them.
pub(super) fn folders() -> Vec<PathBuf> {
    let peers = std::env::var_os("BENCH_PEERS").map(PathBuf::from);
    let folders = peers.map(|it| vec![it.join("python/bin"), it.join("node/node_modules/.bin")]);
    folders.unwrap_or_default()
}

/// The runners that are there; the others are named.
pub(super) fn installed() -> Vec<Runner> {
    let mut folders = folders();
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let is_there = |name: &str| folders.iter().any(|it| it.join(name).is_file());
    let (there, missing): (Vec<Runner>, Vec<Runner>) =
        RUNNERS.into_iter().partition(|it| is_there(it.name));
    for runner in missing {
        say(&format!("PEER MISSING: {}. {}", runner.name, crate::tools::HOW_TO_INSTALL));
    }
    say("Not compared: hk, which neither pip nor npm has under its name.\n");
    there
}

impl Runner {
    /// Writes its settings: all tools, in this order.
    pub(super) fn configure(&self, site: &Site, tools: &[Tool<'_>]) -> Result<()> {
        site.write(self.file, &(self.settings)(tools))
    }

    /// The version that it says it has.
    pub(super) fn version(&self, programs: &Programs) -> Result<String> {
        let text = Site::new(programs)?.shell(programs, self.show_version)?.text;
        let number = text.split_whitespace().find(|it| it.contains('.'));
        Ok(number.unwrap_or("of unknown version").trim_start_matches('v').to_owned())
    }
}

fn pre_commit(tools: &[Tool<'_>]) -> String {
    let mut text = String::from("repos:\n- repo: local\n  hooks:\n");
    for (name, endings, script) in tools {
        let files = format!("\\.({})$", endings.join("|"));
        text.push_str(&format!("  - id: {name}\n    name: {name}\n    language: system\n"));
        text.push_str(&format!("    entry: sh -c '{script}' --\n    files: '{files}'\n"));
    }
    text
}

fn treefmt(tools: &[Tool<'_>]) -> String {
    let of_tool = |(priority, (name, endings, script)): (usize, &Tool<'_>)| {
        let globs: Vec<String> = endings.iter().map(|it| format!("\"*.{it}\"")).collect();
        format!(
            "[formatter.{name}]\ncommand = \"sh\"\noptions = [\"-c\", '''{script}''', \"--\"]\nincludes = [{}]\npriority = {priority}\n",
            globs.join(", ")
        )
    };
    tools.iter().enumerate().map(of_tool).collect()
}

fn lefthook(tools: &[Tool<'_>]) -> String {
    let mut text = String::from("pre-commit:\n  jobs:\n");
    for (name, endings, script) in tools {
        let script = script.replace("\"$@\"", "{staged_files}");
        text.push_str(&format!("  - name: {name}\n    glob: '*.{{{}}}'\n", endings.join(",")));
        text.push_str(&format!("    run: {script}\n    stage_fixed: true\n"));
    }
    text
}
