//! The command line: what can be typed, and the help that teaches it.

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::command::{
    apply, build, check, compile, completions, convert, dds, explain, fix, hook, init, log, man,
    pack, plan, recover, run, schema, schemas, trust, undo, validate,
};
use crate::exit::ExitStatus;
use crate::words::shell_word;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The help of commands that look at no workspace: of the common flags only the output is worth a word.
pub(crate) const UTILITY_HELP: &str = "\
{about-with-newline}
{usage-heading} {usage}

Arguments:
{positionals}

Options:
  -o, --output <FILE>  Write the result to this file, all of it or nothing, instead of standard output
  -h, --help           Print help
{after-help}";

/// Takes a workspace from red to green: finds what is wrong in YAML, JSON, TOML and Clank files and fixes what a machine may fix.
///
/// `check` says what is wrong and shows the edit that would repair it.
/// `fix` makes the repairs that are safe, checks that they did what they claimed, and writes all of them in one crash-safe transaction that `undo` takes back.
/// Not a byte changes that no repair names: comments, order and layout stay.
#[derive(Debug, Parser)]
#[command(name = "regreen", version, long_version = LONG_VERSION.as_str(), styles = STYLES, max_term_width = 100, after_help = first_steps())]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The version, and the parts that are not in this program.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    match service::left_out().as_slice() {
        [] => version,
        left_out => format!("{version}\nbuilt without the features: {}", left_out.join(", ")),
    }
});

fn first_steps() -> String {
    format!(
        "First steps:\n  \
         regreen check                  what is wrong? nothing is written\n  \
         regreen fix --diff             what would be fixed? nothing is written\n  \
         regreen fix                    fix what is safe to fix\n  \
         regreen undo                   take it back\n  \
         regreen explain RULE           what a rule means, and why its repair is as safe as it is\n  \
         regreen apply fixes.json       apply a patch document of another tool\n  \
         regreen run main.clank         compile and run a Clank program\n\n{}",
        ExitStatus::help()
    )
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(check::Arguments),
    Fix(fix::Arguments),
    Plan(plan::Arguments),
    Explain(explain::Arguments),
    Build(build::Arguments),
    Run(run::Arguments),
    Compile(compile::Arguments),
    Init(init::Arguments),
    Validate(validate::Arguments),
    Apply(apply::Arguments),
    Convert(convert::Arguments),
    Undo(undo::Arguments),
    Log(log::Arguments),
    Recover(recover::Arguments),
    Dds(dds::Arguments),
    Trust(trust::Arguments),
    Hook(hook::Arguments),
    Schemas(schemas::Arguments),
    Pack(pack::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Common {
    /// The workspace [default: the nearest folder with a regreen.toml, else the top of the git repository, else here]
    #[arg(long, value_name = "DIR", global = true, help_heading = "Common options")]
    pub(crate) root: Option<PathBuf>,
    /// The workspace is the files that this list names, and nothing else: for build actions
    ///
    /// A line is the path of a file in the workspace, a tab and where it is on disk; without a tab the two are the same.
    /// A second tab and `context` mark a file that is read and not reported on. No source can be written.
    #[arg(long, value_name = "LIST", global = true, help_heading = "Common options")]
    pub(crate) inputs: Option<PathBuf>,
    /// One line of such a list; may be repeated
    #[arg(
        long,
        value_name = "LINE",
        global = true,
        help_heading = "Common options",
        hide_short_help = true
    )]
    pub(crate) input_line: Vec<String>,
    /// A program that a build action may run: the name that it is looked up by, and where it is on disk; may be repeated
    ///
    /// An action runs no other. Tools that take part in the workspace and are not given this way are `unchecked`.
    #[arg(
        long,
        value_name = "NAME=PROGRAM",
        value_parser = named_program,
        global = true,
        help_heading = "Common options",
        hide_short_help = true
    )]
    pub(crate) tool: Vec<(String, PathBuf)>,
    /// Write the result to this file, all of it or nothing, instead of standard output
    #[arg(short, long, value_name = "FILE", global = true, help_heading = "Common options")]
    pub(crate) output: Option<PathBuf>,
    /// Trust this repository's tools, registry, keys and `[govern]` table in this run, as REGREEN_TRUST=1 does
    #[arg(long, global = true, help_heading = "Common options")]
    pub(crate) trust: bool,
    /// When to use colours; `auto` also honours NO_COLOR and CLICOLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto, global = true, help_heading = "Common options")]
    pub(crate) color: Color,
    /// Say only what is wrong, a line each: no frames, summary, notes or advice, and nothing if all is well
    #[arg(short, long, global = true, help_heading = "Common options", conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say more: every operation, every note, every changed line
    #[arg(short, long, global = true, help_heading = "Common options")]
    pub(crate) verbose: bool,
}

/// The two parts of `NAME=PROGRAM`.
fn named_program(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, program)) if !name.is_empty() && !program.is_empty() => {
            Ok((name.to_owned(), program.into()))
        }
        _ => Err("expected NAME=PROGRAM, such as `ruff=external/tools/ruff`".to_owned()),
    }
}

impl Common {
    /// Whether the workspace is a list of files.
    pub(crate) fn has_inputs(&self) -> bool {
        self.inputs.is_some() || !self.input_line.is_empty()
    }

    /// A command that works on the same workspace, as it can be typed in a shell.
    pub(crate) fn command_line(&self, words: &[&str]) -> String {
        let root = self.root.as_ref().map(|it| it.to_string_lossy().into_owned());
        let root = root.iter().flat_map(|it| ["--root", it]);
        let words = ["regreen"].into_iter().chain(words.iter().copied()).chain(root);
        words.map(shell_word).collect::<Vec<_>>().join(" ")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// The patch document that a command works on.
#[derive(Clone, Debug, Args)]
pub(crate) struct PatchArguments {
    /// The patch document; `-` reads standard input
    #[arg(value_name = "PATCH")]
    pub(crate) patch: PathBuf,
    /// What kind of document it is [default: told by its content]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(crate) from: Option<InputKind>,
    /// The file that a JSON Patch is for, relative to the root
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum InputKind {
    /// A list of fix actions
    FixActions,
    /// A changeset
    Changeset,
    /// Byte edits, bound to the hashes of the files
    Edits,
    /// What `check --format repairs` or `check --format json` printed
    Repairs,
    /// A JSON Patch (RFC 6902); needs --file
    JsonPatch,
    /// A SARIF 2.1.0 log with fixes
    Sarif,
    /// reviewdog's diagnostics with suggestions, one JSON value or one per line
    Rdjson,
    /// A WorkspaceEdit of the language server protocol, or code actions
    WorkspaceEdit,
    /// clang's YAML with replacements or diagnostics
    ClangReplacements,
    /// A unified diff
    Diff,
}

/// The output of commands that report on something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Text,
    /// One JSON report, alone on standard output
    Json,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// Help that teaches: every command that works on a workspace shows how it is typed.
    #[test]
    fn every_command_has_examples() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("regreen "), "{} has no example", command.get_name());
        }
    }
}
