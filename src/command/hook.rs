//! `regreen hook`: a pre-commit hook of git that fixes what is about to be committed.
//!
//! A hook that somebody else wrote is never lost: it is refused, or set aside with `--force`. Ours says in its second line who
//! wrote it, with a checksum of the rest, so that one which was changed by hand is told from one that may simply go.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, Subcommand};

use super::{CommandResult, Ctx};
use crate::exit::ExitStatus;
use crate::git::{GitRepository, HooksFolder};
use crate::output::CommandOutput;
use crate::render::style::{BOLD, GOOD, WARN, paint};
use crate::words::{printable, shell_word};

const SHELL: &str = "#!/bin/sh\n";
const SIGN: &str =
    "# Written by `regreen hook install`; `regreen hook uninstall` removes it. Checksum: ";
const COMMAND: &str = "regreen fix --staged";
/// More than any hook that is worth reading.
const MAX_HOOK: u64 = 1 << 20;
const ASIDE: &str = "pre-commit.before-regreen";

/// Fix what is staged before every commit, by a hook of git
///
/// The hook runs `regreen fix --staged`: what is about to be committed is fixed in the index and on disk, each on its own bytes, and a commit with an error left in it is stopped.
/// It goes to `.git/hooks`, which all worktrees share, or where your own git configuration has `core.hooksPath`.
/// With pre-commit or prek use the hooks of `.pre-commit-hooks.yaml` instead.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  regreen hook install             write .git/hooks/pre-commit
  regreen hook status              is it there? exit code 1 if not
  regreen hook uninstall           remove it
  git commit --no-verify           once without it")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum Action {
    /// Write the hook
    Install {
        /// Set another pre-commit hook aside, as pre-commit.before-regreen
        #[arg(long)]
        force: bool,
    },
    /// Remove the hook, if it is ours
    Uninstall {
        /// Remove it even if it was changed by hand
        #[arg(long)]
        force: bool,
    },
    /// Say whether the hook is there; exit code 1 if not
    Status,
}

/// What stands where the hook goes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum HookFile {
    Nothing,
    Ours,
    /// Ours, with something else in it by now.
    Changed,
    Foreign,
}

pub(crate) fn run(ctx: &Ctx<'_>, arguments: &Arguments) -> CommandResult {
    if !matches!(arguments.action, Action::Status) {
        ctx.policy.allow_writes("hook")?;
    }
    let repository = GitRepository::open(&ctx.root()?, &ctx.environment)?;
    let folder = match repository.hooks_folder()? {
        HooksFolder::Ours(folder) => folder,
        HooksFolder::OfRepository(folder) => {
            let text = format!(
                "{} core.hooksPath of this repository is {}, which is not regreen's to write.\n{}",
                paint(WARN, "Not installed:"),
                printable(&folder),
                advice(&format!("{folder}/pre-commit"), &repository)
            );
            return Ok((CommandOutput::Text(text), ExitStatus::Findings));
        }
    };
    let hook = folder.join("pre-commit");
    let found = look_at(&hook)?;
    let here = ctx.environment.directory.canonicalize().unwrap_or_default();
    let shown = printable(&hook.strip_prefix(here).unwrap_or(&hook).display().to_string());
    match arguments.action {
        Action::Install { force } => install(&repository, (&hook, &shown), found, force),
        Action::Uninstall { force } => uninstall((&hook, &shown), found, force),
        Action::Status => Ok(status(&repository, &shown, found)),
    }
}

fn look_at(hook: &Path) -> Result<HookFile> {
    let metadata = match hook.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HookFile::Nothing),
        metadata => metadata.with_context(|| format!("cannot stat {}", hook.display()))?,
    };
    if !metadata.is_file() || metadata.len() > MAX_HOOK {
        return Ok(HookFile::Foreign);
    }
    let bytes = fs::read(hook).with_context(|| format!("cannot read {}", hook.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let rest = text.strip_prefix(SHELL).and_then(|it| it.strip_prefix(SIGN));
    Ok(match rest.and_then(|it| it.split_once('\n')) {
        None => HookFile::Foreign,
        Some((sum, rest)) if sum == checksum(rest) => HookFile::Ours,
        Some(_) => HookFile::Changed,
    })
}

fn install(
    repository: &GitRepository,
    (hook, shown): (&Path, &str),
    found: HookFile,
    force: bool,
) -> CommandResult {
    let mut text = String::new();
    match found {
        HookFile::Foreign | HookFile::Changed if !force => {
            let what = match found {
                HookFile::Foreign => "is a hook that regreen did not write",
                _ => "was changed by hand",
            };
            let advice = advice("it", repository);
            let text = format!(
                "{} {shown} {what}.\n{advice}`regreen hook install --force` sets it aside as {ASIDE}.\n",
                paint(WARN, "Not installed:")
            );
            return Ok((CommandOutput::Text(text), ExitStatus::Findings));
        }
        HookFile::Foreign | HookFile::Changed => {
            let aside = hook.with_file_name(ASIDE);
            // A second name fails if something has it, where renaming would replace that.
            fs::hard_link(hook, &aside)
                .with_context(|| format!("cannot set {shown} aside as {}", aside.display()))?;
            text = format!(
                "The hook that was there is {} now.\n",
                printable(&aside.display().to_string())
            );
        }
        HookFile::Nothing | HookFile::Ours => {}
    }
    write(hook, &script(repository)).with_context(|| format!("cannot write {shown}"))?;
    let done = if found == HookFile::Ours { "Reinstalled:" } else { "Installed:" };
    let text =
        format!("{text}{} {shown} runs `{COMMAND}` before every commit.\n", paint(GOOD, done));
    Ok((CommandOutput::Text(text), ExitStatus::Clean))
}

fn uninstall((hook, shown): (&Path, &str), found: HookFile, force: bool) -> CommandResult {
    let text = match found {
        HookFile::Nothing => "There is no pre-commit hook.\n".to_owned(),
        HookFile::Foreign => {
            let text = format!(
                "{} {shown} is a hook that regreen did not write.\n",
                paint(WARN, "Not removed:")
            );
            return Ok((CommandOutput::Text(text), ExitStatus::Findings));
        }
        HookFile::Changed if !force => {
            let text = format!(
                "{} {shown} was changed by hand; `regreen hook uninstall --force` removes it all the same.\n",
                paint(WARN, "Not removed:")
            );
            return Ok((CommandOutput::Text(text), ExitStatus::Findings));
        }
        HookFile::Ours | HookFile::Changed => {
            fs::remove_file(hook).with_context(|| format!("cannot remove {shown}"))?;
            let aside = hook.with_file_name(ASIDE);
            let text = format!("{} {shown}\n", paint(BOLD, "Removed:"));
            match aside.symlink_metadata() {
                Ok(_) => {
                    let names =
                        [&aside, &hook.to_owned()].map(|it| shell_word(&it.to_string_lossy()));
                    format!(
                        "{text}The hook that was there before is still set aside: mv {}\n",
                        names.join(" ")
                    )
                }
                Err(_) => text,
            }
        }
    };
    Ok((CommandOutput::Text(text), ExitStatus::Clean))
}

fn status(repository: &GitRepository, shown: &str, found: HookFile) -> (CommandOutput, ExitStatus) {
    let (text, exit) = match found {
        HookFile::Ours => (
            format!(
                "{} {shown} runs `{COMMAND}` before every commit.\n",
                paint(GOOD, "Installed:")
            ),
            ExitStatus::Clean,
        ),
        HookFile::Changed => (
            format!("{} {shown} was changed by hand since.\n", paint(WARN, "Installed:")),
            ExitStatus::Clean,
        ),
        HookFile::Nothing => (
            format!("{} `regreen hook install` writes {shown}.\n", paint(WARN, "Not installed:")),
            ExitStatus::Findings,
        ),
        HookFile::Foreign => (
            format!(
                "{} {shown} is a hook that regreen did not write.\n{}",
                paint(WARN, "Not installed:"),
                advice("it", repository)
            ),
            ExitStatus::Findings,
        ),
    };
    (CommandOutput::Text(text), exit)
}

/// What to add to a hook that is not ours.
fn advice(hook: &str, repository: &GitRepository) -> String {
    format!("Add this line to {}: {} || exit 1\n", printable(hook), command(COMMAND, repository))
}

/// The command as a hook at the top of the work tree types it.
fn command(program: &str, repository: &GitRepository) -> String {
    match repository.prefix().trim_end_matches('/') {
        "" => program.to_owned(),
        prefix => format!("{program} --root {}", shell_word(prefix)),
    }
}

/// The hook. The program that wrote it comes first: a hook is often run with another PATH than the shell of its user.
fn script(repository: &GitRepository) -> String {
    let named = command("exec regreen fix --staged", repository);
    let own = std::env::current_exe().ok().and_then(|it| it.to_str().map(shell_word));
    let own = own.map_or(String::new(), |own| {
        let line = command(&format!("exec {own} fix --staged"), repository);
        format!("if [ -x {own} ]; then\n  {line}\nfi\n")
    });
    let rest = format!(
        "# Fixes what is staged, in the index and on disk; an error that is left stops the commit.\n{own}\
         if command -v regreen >/dev/null 2>&1; then\n  {named}\nfi\n\
         echo 'regreen was not found; `git commit --no-verify` commits without it' >&2\nexit 1\n"
    );
    format!("{SHELL}{SIGN}{}\n{rest}", checksum(&rest))
}

fn checksum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// Writes an executable file, all of it or nothing.
fn write(hook: &Path, text: &str) -> io::Result<()> {
    let folder: PathBuf = hook.parent().map(Path::to_owned).unwrap_or_default();
    fs::create_dir_all(&folder)?;
    let mut file = tempfile::NamedTempFile::new_in(&folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o755))?;
    file.as_file().sync_all()?;
    file.persist(hook)?;
    Ok(())
}
