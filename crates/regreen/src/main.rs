//! The binary `regreen`: flags in, text or JSON out, an exit code. What the commands do is in `service`.

mod cli;
mod command;
mod environment;
mod exit;
mod failure;
mod git;
mod input;
mod output;
mod policy;
mod progress;
mod render;
mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;

use crate::exit::Exit;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    or_failed(|| command::run(&cli)).into()
}

/// A defect of ours is work that could not be done, like any other: its exit code is in the table. What happened is on
/// standard error already; a transaction that was cut short is settled by the next command.
fn or_failed(run: impl FnOnce() -> Exit) -> Exit {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let text =
            "error: this is a defect of regreen; please report it with the command and its input\n";
        // If even this cannot be written, the exit code is all that is left to say it.
        let _ = output::note(text, cli::Color::Never);
        Exit::Failed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_has_an_exit_code_of_the_table() {
        assert_eq!(or_failed(|| panic!("on purpose")), Exit::Failed);
        assert_eq!(or_failed(|| Exit::Findings), Exit::Findings);
    }
}
