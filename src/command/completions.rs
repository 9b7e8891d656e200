//! `regreen completions`: what shells need to complete our flags.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::{Cli, UTILITY_HELP};
use crate::exit::ExitStatus;
use crate::output::CommandOutput;

/// Print a script that makes a shell complete commands and flags
#[derive(Debug, Args)]
#[command(help_template = UTILITY_HELP, after_help = "Examples:
  regreen completions bash > ~/.local/share/bash-completion/completions/regreen
  regreen completions zsh  > ~/.zfunc/_regreen
  regreen completions fish > ~/.config/fish/completions/regreen.fish")]
pub(crate) struct Arguments {
    /// Which shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> (CommandOutput, ExitStatus) {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "regreen", &mut script);
    (CommandOutput::Raw(script), ExitStatus::Clean)
}
