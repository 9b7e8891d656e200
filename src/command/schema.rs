//! `regreen schema`: the JSON Schemas of what regreen reads and writes.

use clap::Args;

use super::CommandResult;
use crate::cli::UTILITY_HELP;
use crate::exit::ExitStatus;
use crate::output::CommandOutput;
use crate::render::style::{BOLD, paint};

/// Print a JSON Schema, or list them all
///
/// The schemas of patch documents are for whoever writes them; those of reports for whoever reads `--format json`.
#[derive(Debug, Args)]
#[command(help_template = UTILITY_HELP, after_help = "Examples:
  regreen schema                                   list the names
  regreen schema changeset                         print one
  regreen schema fix-actions -o fix-actions.schema.json")]
pub(crate) struct Arguments {
    /// Which one
    #[arg(value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(service::SCHEMA_NAMES))]
    pub(crate) name: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> CommandResult {
    let schemas = service::schemas();
    let Some(name) = &arguments.name else {
        let width = schemas.iter().map(|it| it.name.len()).max().unwrap_or_default();
        let row = |it: &service::FormatSchema| {
            format!("{}{:3$}  {}\n", paint(BOLD, it.name), "", it.about, width - it.name.len())
        };
        return Ok((CommandOutput::Text(schemas.iter().map(row).collect()), ExitStatus::Clean));
    };
    let found = schemas
        .into_iter()
        .find(|it| it.name == name)
        .expect("the flag takes only names that exist");
    Ok((CommandOutput::json(&found.schema)?, ExitStatus::Clean))
}
