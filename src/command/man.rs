//! `regreen man`: the manual pages, one per command, for those who package regreen. They come from the same definition as
//! `--help`, so the two cannot differ.

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use super::CommandResult;
use crate::cli::{Cli, UTILITY_HELP};
use crate::exit::ExitStatus;
use crate::failure::UsageError;
use crate::output::CommandOutput;

/// Print the manual page of a command, as roff
#[derive(Debug, Args)]
#[command(hide = true, help_template = UTILITY_HELP, after_help = "Examples:
  regreen man | man -l -                           the page of regreen
  regreen man dds approve > regreen-dds-approve.1  the page of a command
  regreen man --list                               the commands that have a page")]
pub(crate) struct Arguments {
    /// Which command, as it is typed after `regreen` [default: regreen itself]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
    /// List the commands that have a page, one per line
    #[arg(long, conflicts_with = "command")]
    pub(crate) list: bool,
}

pub(crate) fn run(arguments: &Arguments) -> CommandResult {
    let pages = pages();
    if arguments.list {
        let lines = pages.iter().map(|page| format!("{}\n", typed(page)));
        return Ok((CommandOutput::Raw(lines.collect::<String>().into_bytes()), ExitStatus::Clean));
    }
    let wanted = [&["regreen".to_owned()], arguments.command.as_slice()].concat().join(" ");
    let page = pages.into_iter().find(|page| typed(page) == wanted).ok_or_else(|| {
        UsageError(format!("`{wanted}` has no manual page; `regreen man --list` lists them"))
    })?;
    Ok((CommandOutput::Raw(render(page)?), ExitStatus::Clean))
}

/// The commands that have a page, each behind the one that it belongs to.
fn pages() -> Vec<Command> {
    let mut top = Cli::command().disable_help_subcommand(true);
    // Gives every command the name that is typed (`regreen dds approve`) and the one of its page.
    top.build();
    let mut pages = Vec::new();
    collect(top, &mut pages);
    pages
}

fn collect(command: Command, pages: &mut Vec<Command>) {
    let below: Vec<Command> =
        command.get_subcommands().filter(|it| !it.is_hide_set()).cloned().collect();
    pages.push(command);
    for command in below {
        collect(command, pages);
    }
}

fn typed(command: &Command) -> &str {
    command.get_bin_name().unwrap_or_else(|| command.get_name())
}

/// Stands for the date until the page is written.
const NO_DATE: &str = "NO-DATE";

fn render(command: Command) -> std::io::Result<Vec<u8>> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut page = Vec::new();
    Man::new(command)
        .title(name.to_uppercase())
        .date(NO_DATE)
        .source(concat!("regreen ", env!("CARGO_PKG_VERSION")))
        .manual("regreen manual")
        .render(&mut page)?;
    // A page has no date, but an argument that is not written would be taken by the next one.
    Ok(String::from_utf8_lossy(&page).replacen(NO_DATE, "\"\"", 1).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_page() {
        let pages = pages();
        let names: Vec<&str> = pages.iter().map(typed).collect();
        for name in ["regreen", "regreen check", "regreen undo", "regreen dds approve"] {
            assert!(names.contains(&name), "{name} is not in {names:?}");
        }
        assert!(!names.contains(&"regreen man") && !names.contains(&"regreen help"), "{names:?}");
        for page in pages {
            let title = typed(&page).replace(' ', "-");
            let text = String::from_utf8(render(page).unwrap()).unwrap();
            let head = format!(".TH {} 1 \"\" \"regreen ", title.to_uppercase());
            assert!(text.contains(&head), "{text}");
            assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{title}");
        }
    }
}
