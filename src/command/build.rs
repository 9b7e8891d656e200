//! `regreen build`: Clank programs to TypeScript or JavaScript. Sources are never written (AE-31, AE-37).

use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};
use protocol::v1::{Build, Language};
use service::BuildReply;

use super::look::{SolverArguments, relative_to_root};
use super::{CommandResult, Ctx};
use crate::cli::ReportFormat;
use crate::destination::OutputFolder;
use crate::exit::ExitStatus;
use crate::failure::UsageError;
use crate::output::CommandOutput;
use crate::policy::{Wants, WritePolicy};
use crate::render::clank::render_build;

const DEFAULT_OUT_DIR: &str = "dist";

/// Compile Clank programs to TypeScript or JavaScript
///
/// Sources are read, put into canonical form in memory and compiled; they are never written.
/// What is not canonical is told, and fails with `--strict`; `regreen fix` writes it.
/// What cannot be proved is checked when the program runs.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen build                                       every .clank file, into dist/
  regreen build src/main.clank --out-dir out          one program and what it imports
  regreen build --target js --source-maps             JavaScript with maps
  regreen build --strict                              for CI: fail if a source is not canonical
  regreen build --out-dir out --fixes-diff fixes.diff what `fix` would change, as one more output")]
pub(crate) struct Arguments {
    /// The programs, or folders of programs [default: every .clank file of the workspace]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Where the generated files go [default: dist in the workspace; a build action must name it]
    #[arg(long, value_name = "DIR")]
    pub(crate) out_dir: Option<PathBuf>,
    /// What to compile to
    #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t = BuildTarget::Ts)]
    pub(crate) target: BuildTarget,
    /// Write a source map beside every file
    #[arg(long)]
    pub(crate) source_maps: bool,
    /// Fail if a source is not canonical
    #[arg(long)]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) solver: SolverArguments,
    /// Compile and report, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also write what `fix` would change, as an edits document that `regreen apply` takes
    #[arg(long, value_name = "FILE")]
    pub(crate) fixes_json: Option<PathBuf>,
    /// Also write what `fix` would change, as a unified diff
    #[arg(long, value_name = "FILE")]
    pub(crate) fixes_diff: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum BuildTarget {
    /// TypeScript
    Ts,
    /// JavaScript
    Js,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    let out_dir = out_dir(ctx, arguments)?;
    refuse_sources(arguments)?;
    let root = match arguments.files.first() {
        Some(first) => ctx.root_of(first)?,
        None => ctx.root()?,
    };
    let directory = &ctx.environment.directory;
    let relative = |it: &PathBuf| relative_to_root(&root, directory, it);
    let request = Build {
        files: arguments.files.iter().map(relative).collect::<Result<_, _>>()?,
        language: match arguments.target {
            BuildTarget::Ts => Language::Ts,
            BuildTarget::Js => Language::Js,
        },
        with_maps: arguments.source_maps,
        strict: arguments.strict,
        solver: arguments.solver.wire(),
    };
    let session = ctx.open_at(&root, Wants::Look)?;
    let mut reply = service::build(&session, &request)?;
    let base = directory.join(&root);
    let place = out_dir.clone().unwrap_or_else(|| base.join(DEFAULT_OUT_DIR));
    for output in reply.outputs.iter_mut().filter(|it| it.path.ends_with(".map")) {
        name_sources(&mut output.bytes, &base, &place.join(&output.path))?;
    }
    if !arguments.dry_run {
        write_artifacts(ctx, arguments, &reply)?;
        if reply.report.ok {
            let roots = ctx.confined();
            match out_dir {
                Some(named) => write_outputs(&OutputFolder::make(&named, &roots)?, "", &reply)?,
                // Nobody typed this name, so it must be what it seems to be: no link.
                None => {
                    let prefix = format!("{DEFAULT_OUT_DIR}/");
                    write_outputs(
                        &OutputFolder::make(&directory.join(&root), &roots)?,
                        &prefix,
                        &reply,
                    )?;
                }
            }
        } else {
            reply.report.outputs.clear();
        }
    }
    let exit = ExitStatus::of(reply.report.ok);
    match arguments.format {
        ReportFormat::Json => Ok((CommandOutput::json(&reply.report)?, exit)),
        ReportFormat::Text => {
            let dist = || ctx.common.root.clone().unwrap_or_default().join(DEFAULT_OUT_DIR);
            let place = arguments.out_dir.clone().unwrap_or_else(dist);
            let text = render_build(&reply, &place, arguments.dry_run, ctx.common);
            Ok((CommandOutput::Text(text), exit))
        }
    }
}

/// A map names its sources relative to itself, wherever it is written.
fn name_sources(map: &mut Vec<u8>, base: &Path, map_path: &Path) -> Result<()> {
    let mut content: serde_json::Value = serde_json::from_slice(map)?;
    let folder = map_path.parent().unwrap_or(base);
    for source in content["sources"].as_array_mut().into_iter().flatten() {
        if let Some(file) = source.as_str() {
            *source = relative(folder, &base.join(file)).into();
        }
    }
    *map = serde_json::to_vec(&content)?;
    Ok(())
}

/// The way from a folder to a file, with `/`.
fn relative(from: &Path, to: &Path) -> String {
    let parts = |path: &Path| {
        let mut parts: Vec<String> = Vec::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::ParentDir if parts.last().is_some_and(|it| it != "..") => {
                    parts.pop();
                }
                part => parts.push(part.as_os_str().to_string_lossy().into_owned()),
            }
        }
        parts
    };
    let (from, to) = (parts(from), parts(to));
    let shared = from.iter().zip(&to).take_while(|it| it.0 == it.1).count();
    let up = std::iter::repeat_n("..", from.len() - shared);
    up.chain(to[shared..].iter().map(String::as_str)).collect::<Vec<_>>().join("/")
}

/// A build action names its outputs: what is not declared must not appear (AE-38, AE-56).
fn out_dir(ctx: &Ctx<'_>, arguments: &Arguments) -> Result<Option<PathBuf>> {
    let named = arguments.out_dir.as_ref().map(|it| ctx.environment.directory.join(it));
    let is_action = matches!(ctx.policy, WritePolicy::Action(_));
    if is_action && named.is_none() && !arguments.dry_run {
        let message = "a build action names its outputs: add `--out-dir DIR`";
        return Err(UsageError(message.to_owned()).into());
    }
    Ok(named)
}

/// An artifact that replaced a program would be a source that is written.
fn refuse_sources(arguments: &Arguments) -> Result<(), UsageError> {
    let artifacts = arguments.fixes_json.iter().chain(&arguments.fixes_diff);
    match artifacts.into_iter().find(|it| it.extension().is_some_and(|it| it == "clank")) {
        Some(it) => {
            let name = it.display();
            Err(UsageError(format!(
                "{name} is the name of a source, and `build` writes none; choose another"
            )))
        }
        None => Ok(()),
    }
}

fn write_artifacts(ctx: &Ctx<'_>, arguments: &Arguments, reply: &BuildReply) -> Result<()> {
    let write = |file: &Option<PathBuf>, bytes: &[u8]| match file {
        Some(file) => ctx.write(file, bytes),
        None => Ok(()),
    };
    let diff: Vec<u8> = reply.changes.iter().flat_map(|it| it.diff.iter().copied()).collect();
    write(&arguments.fixes_diff, &diff)?;
    write(&arguments.fixes_json, reply.edits.as_bytes())
}

/// Writes every file whole. A file that is as it should be is not touched, so that nothing downstream is built again.
/// What is generated stays in the folder: no link in it is written through or replaced.
fn write_outputs(folder: &OutputFolder, prefix: &str, reply: &BuildReply) -> Result<()> {
    let file = |path: &str| format!("{prefix}{path}");
    for output in &reply.outputs {
        folder.refuse_links(&file(&output.path))?;
    }
    for output in &reply.outputs {
        folder.write(&file(&output.path), &output.bytes)?;
    }
    Ok(())
}
