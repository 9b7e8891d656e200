//! `check --watch`: checks again whenever a file changes, until Ctrl-C.
//!
//! Only what changed is looked at again. Changes that come in bursts, as when a branch is checked out, are one change.
//! Ctrl-C ends the process as it ends any other: there is no state to save, so no handler.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use notify::{Event, EventKind, RecursiveMode, Watcher};
use protocol::v1::Check;
use service::{CheckReply, Live, Session};

use super::check::CheckFormat;
use super::{CommandResult, Ctx};
use crate::output::CommandOutput;
use crate::progress::ProgressLine;
use crate::render::check::render_check;
use crate::words::{list, printable};

/// A burst is over when nothing happened for so long.
const QUIET: Duration = Duration::from_millis(60);
/// A burst that does not end is looked at after so long.
const LONGEST: Duration = Duration::from_millis(500);
/// How often files are looked at that the system does not watch.
const POLL: Duration = Duration::from_secs(1);
/// How many files of a change are named.
const MOST_NAMES: usize = 3;
const CLEAR: &str = "\u{1b}[2J\u{1b}[H";

/// What happened on disk.
#[derive(Debug, Default, PartialEq, Eq)]
struct Changes {
    files: BTreeSet<String>,
    /// What changed cannot be told file by file.
    is_all: bool,
}

pub(super) fn run(
    ctx: &Ctx<'_>,
    session: &Session,
    request: &Check,
    format: CheckFormat,
) -> CommandResult {
    let root = ctx.root()?;
    let root = root.canonicalize().with_context(|| format!("cannot find {}", root.display()))?;
    let (sender, receiver) = channel();
    // Watching starts first, so that nothing that happens during the first look is missed. It ends with the watcher.
    let _watcher = watch(ctx, &root, &sender)?;
    let mut live = open(ctx, session, request)?;
    show(ctx, request, format, &live.1, None)?;
    loop {
        let changes = wait(&root, &receiver)?;
        let reply = if changes.is_all {
            match open(ctx, session, request) {
                Ok(reopened) => {
                    live = reopened;
                    Ok(live.1.clone())
                }
                Err(error) => Err(error),
            }
        } else {
            let files: Vec<String> = changes.files.iter().cloned().collect();
            live.0.recheck(session, &files).map_err(anyhow::Error::from)
        };
        match reply {
            Ok(reply) => show(ctx, request, format, &reply, Some(&changes))?,
            // A configuration that is broken for a moment is not a reason to end.
            Err(error) => {
                let report = crate::failure::report(&error);
                let text = crate::failure::render_text(&error, &report, ctx.common.quiet);
                crate::output::note(&text, ctx.common.color)?;
            }
        }
    }
}

/// Tells the sender what happens below the root. Where the system cannot say, as on some network disks or when it has
/// no watches left, the files are looked at every so often.
fn watch(
    ctx: &Ctx<'_>,
    root: &Path,
    sender: &Sender<notify::Result<Event>>,
) -> Result<Box<dyn Watcher>> {
    // A sender is an event handler: when nobody listens any more the command has ended.
    let by_system = notify::recommended_watcher(sender.clone())
        .and_then(|mut it| it.watch(root, RecursiveMode::Recursive).map(|()| it));
    match by_system {
        Ok(watcher) => Ok(Box::new(watcher)),
        Err(error) => {
            let why = printable(&error.to_string());
            let text =
                format!("note: the system cannot watch the files ({why}); they are polled\n");
            ctx.note(&text)?;
            let polled = poll(root, sender, POLL).context("cannot watch the files")?;
            Ok(Box::new(polled))
        }
    }
}

fn poll(
    root: &Path,
    sender: &Sender<notify::Result<Event>>,
    interval: Duration,
) -> notify::Result<notify::PollWatcher> {
    let config = notify::Config::default().with_poll_interval(interval).with_compare_contents(true);
    let mut watcher = notify::PollWatcher::new(sender.clone(), config)?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(watcher)
}

fn open(ctx: &Ctx<'_>, session: &Session, request: &Check) -> Result<(Live, CheckReply)> {
    let mut line = ProgressLine::start(ctx.common);
    let opened = Live::open(session, request, &mut |it| line.show(it));
    drop(line);
    Ok(opened?)
}

/// Shows the state. JSON is a report per line.
fn show(
    ctx: &Ctx<'_>,
    request: &Check,
    format: CheckFormat,
    reply: &CheckReply,
    changes: Option<&Changes>,
) -> Result<()> {
    if format == CheckFormat::Json {
        let mut line = serde_json::to_vec(&reply.report).context("the report cannot be written")?;
        line.push(b'\n');
        return ctx.deliver(&CommandOutput::Raw(line));
    }
    let text = render_check(reply, &request.look, ctx.common);
    let is_terminal = ctx.common.output.is_none() && std::io::stdout().is_terminal();
    let head = match (changes, is_terminal) {
        (_, true) => CLEAR.to_owned(),
        (Some(changes), false) if !ctx.common.quiet => format!("\n{}\n", changes.describe()),
        _ => String::new(),
    };
    if is_terminal {
        // The text decides about its styles; the screen is cleared whatever they are.
        ctx.deliver(&CommandOutput::Raw(head.into_bytes()))?;
        ctx.deliver(&CommandOutput::Text(text))
    } else {
        ctx.deliver(&CommandOutput::Text(head + &text))
    }
}

impl Changes {
    fn describe(&self) -> String {
        let names: Vec<String> = self.files.iter().map(|it| printable(it)).collect();
        if names.is_empty() {
            "The tree changed.".to_owned()
        } else {
            format!("Changed: {}.", list(&names, MOST_NAMES))
        }
    }

    fn is_empty(&self) -> bool {
        self.files.is_empty() && !self.is_all
    }

    fn add(&mut self, root: &Path, event: Event) {
        self.is_all |= event.need_rescan();
        // Reading a file changes nothing, and we read them ourselves.
        if matches!(event.kind, EventKind::Access(_)) {
            return;
        }
        for path in event.paths {
            self.add_path(root, &path);
        }
    }

    fn add_path(&mut self, root: &Path, path: &Path) {
        let Ok(path_in_root) = path.strip_prefix(root) else { return };
        let names: Option<Vec<&str>> =
            path_in_root.components().map(|it| it.as_os_str().to_str()).collect();
        let Some(names) = names else { return };
        let (Some(first), Some(last)) = (names.first(), names.last()) else { return };
        if [".git", ".regreen"].contains(first) {
            return;
        }
        // These decide which other files count.
        self.is_all |= [".gitignore", ".ignore"].contains(last);
        self.files.insert(names.join("/"));
    }
}

/// Waits for a change and for the end of its burst.
fn wait(root: &Path, receiver: &Receiver<notify::Result<Event>>) -> Result<Changes> {
    let mut changes = Changes::default();
    let mut start = Instant::now();
    loop {
        let event = if changes.is_empty() {
            start = Instant::now();
            receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else if start.elapsed() > LONGEST {
            return Ok(changes);
        } else {
            receiver.recv_timeout(QUIET)
        };
        match event {
            Ok(Ok(event)) => changes.add(root, event),
            Ok(Err(error)) => return Err(error).context("the files can no longer be watched"),
            Err(RecvTimeoutError::Timeout) => return Ok(changes),
            Err(RecvTimeoutError::Disconnected) => bail!("the files can no longer be watched"),
        }
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, CreateKind, ModifyKind};

    use super::*;

    fn changes(root: &Path, events: &[(EventKind, &str)]) -> Changes {
        let mut changes = Changes::default();
        for (kind, path) in events {
            changes.add(root, Event::new(*kind).add_path(root.join(path)));
        }
        changes
    }

    #[test]
    fn reading_and_what_regreen_and_git_keep_for_themselves_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let modify = EventKind::Modify(ModifyKind::Any);
        let nothing = [
            (EventKind::Access(AccessKind::Any), "a.yaml"),
            (modify, ".git/index"),
            (modify, ".regreen/cache/x"),
        ];
        assert!(changes(folder.path(), &nothing).is_empty());
    }

    #[test]
    fn files_that_the_system_does_not_watch_are_polled() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("a.yaml"), "a: 1").unwrap();
        let (sender, receiver) = channel();
        let _watcher = poll(&root, &sender, Duration::from_millis(20)).unwrap();
        std::fs::write(root.join("a.yaml"), "a: 2, and more").unwrap();
        let changes = wait(&root, &receiver).unwrap();
        assert_eq!(changes.files.iter().collect::<Vec<_>>(), ["a.yaml"]);
    }

    #[test]
    fn files_are_told_by_name_and_what_decides_which_files_count_is_everything() {
        let folder = tempfile::tempdir().unwrap();
        let modify = EventKind::Modify(ModifyKind::Any);
        let some = changes(folder.path(), &[(modify, "a.yaml"), (modify, "sub/b.yaml")]);
        assert_eq!(some.files.iter().collect::<Vec<_>>(), ["a.yaml", "sub/b.yaml"]);
        assert!(!some.is_all);
        for path in [".ignore", "sub/.gitignore"] {
            let all = changes(folder.path(), &[(EventKind::Create(CreateKind::Any), path)]);
            assert!(all.is_all, "{path}");
        }
    }
}
