//! Runs of real tools in a real sandbox on a real workspace: what keeps to everything lands, nothing else does, and a
//! kill at any step leaves the old tree or the new one and a record that says which.
#![expect(clippy::disallowed_methods, reason = "tests make files and run programs")]

#[cfg(feature = "live")]
mod team;

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use workspace::{Home, OpenMode, Options};

use super::*;
use crate::approval::Approved;
use crate::record::Status;
use crate::registry::{Location, RegistryEntry};

/// A workspace with one approved record, and everything that it takes to run it.
struct Case {
    directory: TempDir,
    id: Id,
    /// Why the approval cannot be used up when the tool is about to start.
    spend: Option<&'static str>,
    /// Why the programs of the copied tree are not those that were approved.
    programs: Option<&'static str>,
}

const START: &[(&str, &str)] = &[
    ("src/a.py", "def add(a, b):\n    return a - b\n"),
    ("src/b.py", "b = 1\n"),
    ("other.txt", "other\n"),
    ("package.json", "{\"dependencies\": {\"left-pad\": \"1.0.0\"}}\n"),
    ("src/Cargo.toml", "[package]\nname = \"x\"\n"),
];

impl Case {
    fn new(paths: &[&str], constraints: Value) -> Case {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("tree");
        for (path, text) in START {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::write(directory.path().join("secret"), "a secret\n").unwrap();
        let id = Id::parse("DDS-20260202-CODE-001").unwrap();
        let case = Case { directory, id, spend: None, programs: None };
        let record = json!({
            "id": case.id.as_str(), "version": 2, "type": "code_change", "project": "p",
            "goal": "Add instead of subtracting", "instructions": ["Correct the operator"],
            "allowed_paths": paths, "tool": "tool", "constraints": constraints, "status": "proposed"
        });
        let mut registry = case.registry();
        registry.add(&record, None, "ana", at(0)).unwrap();
        let event = Event::Approve(Approved::for_tests("ana"));
        let document = json!({ "for": "tests" });
        let change = RecordChange {
            id: &case.id,
            expected: Expected::Any,
            event: &event,
            actor: "ana",
            now: at(1),
            report: None,
            details: Some(&document),
        };
        registry.happen(&change).unwrap();
        case
    }

    fn root(&self) -> std::path::PathBuf {
        self.directory.path().join("tree")
    }

    fn registry(&self) -> Registry {
        Registry::open(&Location::Sqlite(self.directory.path().join("registry.db"))).unwrap()
    }

    fn workspace(&self) -> Workspace {
        let options = Options::new(OpenMode::ReadWrite);
        let workspace =
            Workspace::open(&self.root(), Some(&home(self.directory.path())), options).unwrap();
        workspace.recover().unwrap();
        workspace
    }

    fn run(&self, script: &str) -> Report {
        self.run_at(script, at(10), &|_, _| {}).expect("the record is approved and nobody runs it")
    }

    /// Runs the next record at that time, with a shell script as its tool.
    fn run_at(&self, script: &str, now: Moment, on_step: &dyn Fn(&Id, RunStep)) -> Option<Report> {
        self.run_in("runs", script, now, on_step)
    }

    /// The same with another place for copies.
    fn run_in(
        &self,
        runs: &str,
        script: &str,
        now: Moment,
        on_step: &dyn Fn(&Id, RunStep),
    ) -> Option<Report> {
        let tools = BTreeMap::from([("tool".to_owned(), shell(script))]);
        let workspace = self.workspace();
        let executor = Executor {
            workspace: &workspace,
            runs: self.directory.path().join(runs),
            tools: &tools,
            apply: &|_| Err("nothing is attached".to_owned()),
            approval: &|_, dossier| match &dossier.approval {
                Some(_) => Ok(()),
                None => Err("nobody approved it".to_owned()),
            },
            spend: &|_, _| self.spend.map_or(Ok(()), |it| Err(it.to_owned())),
            programs: &|_, _, _| self.programs.map_or(Ok(()), |it| Err(it.to_owned())),
            unspend: &|_, _| {},
            receipt: &|_, _, _, _| None,
            is_wanted: &|_| true,
            level: Some(
                sandbox::best()
                    .expect("Landlock in the kernel, or bubblewrap, is needed to run tools"),
            ),
            holder: Holder::new("here", &std::process::id().to_string()),
            clock: &|| now,
            on_step,
        };
        run_next(&mut self.registry(), &executor).unwrap()
    }

    fn status(&self) -> Status {
        match self.registry().get(&self.id).unwrap().unwrap().entry {
            RegistryEntry::Current(stored) => stored.state.status,
            RegistryEntry::Legacy(_) => panic!("it is a record of today"),
        }
    }

    /// The tree, without our own store.
    fn tree(&self) -> BTreeMap<String, String> {
        let scanned = self.workspace().scan(1).unwrap();
        assert_eq!(scanned.skipped, []);
        let entry = |(path, entry): (&snapshot::RelPath, &snapshot::Entry)| {
            let text = match entry {
                snapshot::Entry::File(file) => {
                    String::from_utf8_lossy(file.text().bytes()).into_owned()
                }
                other => format!("{other:?}"),
            };
            (path.to_string(), text)
        };
        scanned.snapshot.iter().map(entry).collect()
    }

    /// The run was not a success, said so, and left everything as it was.
    #[track_caller]
    fn assert_untouched(&self, report: &Report, outcome: ExecutionOutcome, because: &str) {
        assert_eq!(report.outcome, outcome, "{}", report.error);
        assert!(report.error.contains(because), "{:?} does not say {because:?}", report.error);
        assert_eq!(report.transaction, None);
        assert_eq!(self.status(), outcome.status());
        let start: BTreeMap<String, String> =
            START.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(self.tree(), start);
        assert!(self.workspace().log().unwrap().is_empty());
        assert_eq!(fs::read_to_string(self.directory.path().join("secret")).unwrap(), "a secret\n");
        assert!(is_empty(&self.directory.path().join("runs")), "the copy is gone");
        let dossier = self.registry().get(&self.id).unwrap().unwrap();
        if outcome == ExecutionOutcome::Refused {
            assert_eq!(dossier.report(), None, "it has not run");
            let last = dossier.history.last().unwrap();
            assert_eq!((last.event.as_str(), last.to.as_str()), ("release", "approved"));
            assert_eq!(last.details["given"]["reason"], report.error);
            return;
        }
        assert_eq!(dossier.report().as_ref(), Some(report), "the report is stored with the status");
    }
}

/// Whether nothing lies in the directory, if there is one.
fn is_empty(directory: &Path) -> bool {
    fs::read_dir(directory).map_or(true, |mut entries| entries.next().is_none())
}

fn at(seconds: i64) -> Moment {
    Moment::parse("2026-02-02T15:30:00Z").unwrap().plus_seconds(seconds)
}

fn shell(script: &str) -> Tool {
    Tool {
        command: ["/bin/sh", "-c", script].map(str::to_owned).to_vec(),
        network: false,
        environment: BTreeMap::new(),
        readable: Vec::new(),
        timeout: Duration::from_secs(20),
        memory: 1 << 30,
        disk: 32 << 20,
    }
}

const FIX: &str = "printf 'def add(a, b):\\n    return a + b\\n' > src/a.py";

/// DF-33.
#[test]
fn what_keeps_to_everything_lands_in_one_transaction() {
    let strict =
        json!({ "max_files_changed": 1, "no_new_dependencies": true, "no_refactor": true });
    for scope in [&["src/"][..], &["src"], &["src/a.py"]] {
        let case = Case::new(scope, strict.clone());
        let report = case.run(FIX);
        assert_eq!(
            (report.outcome, report.error.as_str()),
            (ExecutionOutcome::Success, ""),
            "{scope:?}"
        );
        assert_eq!(case.status(), Status::Executed);
        assert_eq!(case.tree()["src/a.py"], "def add(a, b):\n    return a + b\n");
        let log = case.workspace().log().unwrap();
        assert_eq!(log.len(), 1);
        assert_eq!(report.transaction, Some(log[0].id.to_string()));
        assert!(case.run_at(FIX, at(99_999), &|_, _| {}).is_none(), "nothing runs twice");
        let meta = Meta { command: "undo".to_owned(), time: None, notes: BTreeMap::new() };
        case.workspace().undo(None, &meta).unwrap();
        assert_eq!(case.tree()["src/a.py"], START[0].1);
    }
}

#[test]
fn a_file_that_the_scope_names_can_be_made() {
    let case = Case::new(&["new/dir/c.py", "never.py"], json!({}));
    let report = case.run("echo 'c = 1' > new/dir/c.py");
    assert_eq!(report.outcome, ExecutionOutcome::Success, "{}", report.error);
    assert_eq!(case.tree()["new/dir/c.py"], "c = 1\n");
    assert!(!case.tree().contains_key("never.py"), "what was not made is not there");
    assert_eq!(report.changes.len(), 1);
}

#[test]
fn the_tool_is_told_what_to_do_and_nothing_else() {
    let case = Case::new(&["src/"], json!({}));
    let report = case.run("{ cat; echo; env | cut -d= -f1 | sort; pwd; } > src/seen");
    assert_eq!(report.outcome, ExecutionOutcome::Success, "{}", report.error);
    let seen = case.tree()["src/seen"].clone();
    assert!(seen.contains("\"goal\":\"Add instead of subtracting\""), "{seen}");
    for name in ["HOME", "PATH", "REGREEN_ACTION", "REGREEN_DDS", "TMPDIR"] {
        assert!(seen.lines().any(|it| it == name), "{name} in {seen}");
    }
    for name in ["CARGO", "USER", "SSH_AUTH_SOCK", "RUST_BACKTRACE"] {
        assert!(!seen.lines().any(|it| it.starts_with(name)), "{name} in {seen}");
    }
}

/// DF-38, X-75: a tool that fails, times out, changes nothing or breaks a rule is not a success, and leaves nothing.
#[test]
fn hostile_and_failing_tools_leave_the_workspace_as_it_was() {
    let secret = |case: &Case| case.directory.path().join("secret").display().to_string();
    let one = json!({ "max_files_changed": 1, "no_new_dependencies": true, "no_refactor": true });
    let scope = &["src/"][..];
    for (script, because) in [
        ("echo broken >&2; exit 3", "broken\nthe tool ended with exit code 3"),
        ("exit 0", "changed nothing"),
        ("cat src/a.py > src/a.tmp; mv src/a.tmp src/a.py", "changed nothing"),
        ("kill -9 $$", "signal 9"),
        ("echo x > other.txt || exit 9", "exit code"),
        ("rm -rf . ; exit 7", "exit code 7"),
        ("echo x > src/a.py; echo x > src/b.py", "max_files_changed"),
        ("rm src/a.py src/b.py", "max_files_changed"),
        ("chmod 777 src/a.py src/b.py; true", ""),
        ("mv src/a.py src/c.py", "no_refactor"),
        (
            "printf '[package]\\nname = \"x\"\\n[dependencies]\\nevil = \"1\"\\n' > src/Cargo.toml",
            "evil",
        ),
        ("rm src/b.py; ln -s /etc/passwd src/b.py", "allowed_paths"),
        ("ln -s ../../secret src/link; cat src/link > src/b.py || exit 5", "exit code 5"),
        ("mkfifo src/pipe", "allowed_paths"),
        (
            "echo '[tools]' > src/regreen.toml",
            "src/regreen.toml governs what is done in its folder",
        ),
        ("mkdir src/a; echo x > src/a/REGREEN.toml", "governs what is done in its folder"),
        ("mkdir -p src/.git/hooks; echo x > src/.git/hooks/post-commit", "belongs to git"),
        ("mkdir src/GIT~1; echo x > src/GIT~1/config", "belongs to git"),
        ("mkdir 'src/.g\u{200c}it'; echo x > 'src/.g\u{200c}it/config'", "belongs to git"),
    ] {
        let case = Case::new(scope, one.clone());
        let report = case.run(script);
        case.assert_untouched(&report, ExecutionOutcome::Failed, because);
    }
    let case = Case::new(scope, one.clone());
    let report = case.run(&format!("cat {} > src/b.py || exit 4", secret(&case)));
    case.assert_untouched(&report, ExecutionOutcome::Failed, "exit code 4");
    let case = Case::new(scope, one);
    // Where the sandbox has a temporary directory of its own the write may even succeed there.
    let report = case.run(&format!("echo x > {} || exit 4", secret(&case)));
    case.assert_untouched(&report, ExecutionOutcome::Failed, "");
}

#[test]
fn a_tool_without_an_end_and_one_without_measure_are_ended() {
    let case = Case::new(&["src/"], json!({}));
    let mut tool = shell("trap '' TERM; echo x > src/b.py; while :; do sleep 1; done");
    tool.timeout = Duration::from_secs(1);
    let report = case.run_with(tool);
    case.assert_untouched(&report, ExecutionOutcome::Failed, "did not end within 1 s");
    let case = Case::new(&["src/"], json!({}));
    let report = case.run("cat /dev/zero > src/big");
    case.assert_untouched(&report, ExecutionOutcome::Failed, "wrote more than 32 MB");
}

impl Case {
    fn run_with(&self, tool: Tool) -> Report {
        let tools = BTreeMap::from([("tool".to_owned(), tool)]);
        let workspace = self.workspace();
        let executor = Executor {
            workspace: &workspace,
            runs: self.directory.path().join("runs"),
            tools: &tools,
            apply: &|_| Err(String::new()),
            approval: &|_, _| Ok(()),
            spend: &|_, _| Ok(()),
            programs: &|_, _, _| Ok(()),
            unspend: &|_, _| {},
            receipt: &|_, _, _, _| None,
            is_wanted: &|_| true,
            level: sandbox::best(),
            holder: Holder::new("here", "1"),
            clock: &|| at(10),
            on_step: &|_, _| {},
        };
        run_next(&mut self.registry(), &executor).unwrap().unwrap()
    }
}

///
#[test]
fn a_scope_through_a_link_is_refused_before_anything_runs() {
    let case = Case::new(&["linked/a.py"], json!({}));
    symlink("src", case.root().join("linked")).unwrap();
    let report = case.run(FIX);
    assert_eq!(report.outcome, ExecutionOutcome::Refused);
    assert!(report.error.contains("linked, which is a link"), "{}", report.error);
}

/// between the look at the approval and the start of the tool somebody writes its program, or uses the approval up
/// in another clone. Nothing was started, so it can be run again.
#[test]
fn what_happens_before_the_tool_starts_is_a_refusal() {
    let mut case = Case::new(&["src/"], json!({}));
    case.programs = Some("tools/mend.sh was written");
    case.assert_untouched(&case.run(FIX), ExecutionOutcome::Refused, "tools/mend.sh was written");
    (case.programs, case.spend) = (None, Some("this approval was used before"));
    case.assert_untouched(&case.run(FIX), ExecutionOutcome::Refused, "was used before");
    case.spend = None;
    assert_eq!(case.run(FIX).outcome, ExecutionOutcome::Success);
}

/// Links above the base are the user's own; the base itself is not a link.
#[test]
fn a_workspace_that_is_reached_through_a_link_is_one_like_any_other() {
    let case = Case::new(&["src/"], json!({}));
    let real = case.directory.path().join("real");
    fs::create_dir(&real).unwrap();
    symlink(&real, case.directory.path().join("link")).unwrap();
    let report = case.run_in("link/runs", FIX, at(10), &|_, _| {}).unwrap();
    assert_eq!((report.outcome, report.error.as_str()), (ExecutionOutcome::Success, ""));
    assert!(is_empty(&real.join("runs")), "the copy is gone");
}

/// A link in place of the base once made a run delete folders elsewhere, those with the names of records.
#[test]
fn a_link_in_place_of_the_base_is_refused_and_nothing_behind_it_is_touched() {
    let case = Case::new(&["src/"], json!({}));
    let elsewhere = case.directory.path().join("elsewhere");
    for name in [case.id.as_str(), "run-1", "run-2"] {
        fs::create_dir_all(elsewhere.join(name)).unwrap();
        fs::write(elsewhere.join(name).join("precious"), "x").unwrap();
    }
    symlink(&elsewhere, case.directory.path().join("runs")).unwrap();
    let report = case.run(FIX);
    assert_eq!((report.outcome, case.status()), (ExecutionOutcome::Refused, Status::Approved));
    assert!(report.error.contains("it is a link or a file; remove it"), "{}", report.error);
    assert_eq!(case.tree()["src/a.py"], START[0].1);
    for name in [case.id.as_str(), "run-1", "run-2"] {
        assert_eq!(fs::read(elsewhere.join(name).join("precious")).unwrap(), b"x");
    }
}

#[test]
fn what_changed_meanwhile_is_not_written_over() {
    let case = Case::new(&["src/"], json!({}));
    let root = case.root();
    let report = case
        .run_at(FIX, at(10), &|_, step| {
            if step == RunStep::Judged {
                fs::write(root.join("src/a.py"), "somebody else\n").unwrap();
            }
        })
        .unwrap();
    assert_eq!(report.outcome, ExecutionOutcome::Refused);
    assert_eq!(case.tree()["src/a.py"], "somebody else\n");
    assert_eq!(case.status(), Status::Approved);
    // it runs again, on what it finds now.
    assert_eq!(case.run(FIX).outcome, ExecutionOutcome::Success);
    assert_eq!(case.status(), Status::Executed);
    assert_eq!(case.registry().verify().unwrap().flaws, []);
}

#[test]
fn without_an_approval_a_tool_or_a_sandbox_nothing_starts() {
    for (level, name, approved, because) in [
        (sandbox::best(), "tool", false, "nobody"),
        (sandbox::best(), "another", true, "[tools.tool]"),
        (None, "tool", true, "bubblewrap"),
    ] {
        let case = Case::new(&["src/"], json!({}));
        let tools = BTreeMap::from([(name.to_owned(), shell(FIX))]);
        let workspace = case.workspace();
        let steps = RefCell::new(Vec::new());
        let executor = Executor {
            workspace: &workspace,
            runs: case.directory.path().join("runs"),
            tools: &tools,
            apply: &|_| Err(String::new()),
            approval: &|_, _| if approved { Ok(()) } else { Err("nobody approved it".to_owned()) },
            spend: &|_, _| Ok(()),
            programs: &|_, _, _| Ok(()),
            unspend: &|_, _| {},
            receipt: &|_, _, _, _| None,
            is_wanted: &|_| true,
            level,
            holder: Holder::new("here", "1"),
            clock: &|| at(10),
            on_step: &|_, step| steps.borrow_mut().push(step),
        };
        let report = run_next(&mut case.registry(), &executor).unwrap().unwrap();
        case.assert_untouched(&report, ExecutionOutcome::Refused, because);
        assert_eq!(*steps.borrow(), [RunStep::Claimed, RunStep::Finished]);
        // once what was missing is there, it runs.
        assert_eq!(case.run(FIX).outcome, ExecutionOutcome::Success, "{because}");
    }
}

const STEPS: [RunStep; 8] = [
    RunStep::Claimed,
    RunStep::Validated,
    RunStep::Copied,
    RunStep::Begun,
    RunStep::Judged,
    RunStep::Committing,
    RunStep::Committed,
    RunStep::Finished,
];

/// Where the other process finds its work, and where it kills itself.
const CHILD: &str = "GOVERN_TEST_CASE";
const KILL_AT: &str = "GOVERN_TEST_KILL_AT";

fn home(directory: &Path) -> Home {
    Home { state: Some(directory.join("state")), cache: None }
}

/// Not a test of its own: the process that [`a_kill_at_every_step_leaves_a_legal_state`] kills.
#[test]
fn child() {
    let Some(directory) = std::env::var_os(CHILD) else { return };
    let kill_at = std::env::var(KILL_AT).unwrap();
    let options = Options::new(OpenMode::ReadWrite);
    let tree = Path::new(&directory).join("tree");
    let workspace = Workspace::open(&tree, Some(&home(Path::new(&directory))), options).unwrap();
    let tools = BTreeMap::from([("tool".to_owned(), shell(FIX))]);
    let executor = Executor {
        workspace: &workspace,
        runs: Path::new(&directory).join("runs"),
        tools: &tools,
        apply: &|_| Err(String::new()),
        approval: &|_, _| Ok(()),
        spend: &|_, _| Ok(()),
        programs: &|_, _, _| Ok(()),
        unspend: &|_, _| {},
        receipt: &|_, _, _, _| None,
        is_wanted: &|_| true,
        level: sandbox::best(),
        holder: Holder::new("here", "killed"),
        clock: &|| at(10),
        on_step: &|_, step| {
            if format!("{step:?}") == kill_at {
                let me = rustix::process::getpid();
                rustix::process::kill_process(me, rustix::process::Signal::KILL).unwrap();
            }
        },
    };
    let location = Location::Sqlite(Path::new(&directory).join("registry.db"));
    run_next(&mut Registry::open(&location).unwrap(), &executor).unwrap();
}

#[test]
fn a_kill_at_every_step_leaves_a_legal_state() {
    for step in STEPS {
        let case = Case::new(&["src/"], json!({}));
        let killed = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["execute::tests::child", "--exact"])
            .env(CHILD, case.directory.path())
            .env(KILL_AT, format!("{step:?}"))
            .output()
            .unwrap();
        assert!(!killed.status.success(), "{step:?}: it was to be killed");
        // Nobody takes over while the lease lasts.
        let early = case.run_at(FIX, at(11), &|_, _| {});
        assert!(early.is_none(), "{step:?}");
        let report = case.run_at(FIX, at(10_000), &|_, _| {});
        let (outcome, is_new) = match step {
            // Nothing was started: it runs now.
            RunStep::Claimed | RunStep::Validated | RunStep::Copied => {
                (Some(ExecutionOutcome::Success), true)
            }
            // The tool was started, and is not started again.
            RunStep::Begun | RunStep::Judged | RunStep::Committing => {
                (Some(ExecutionOutcome::Error), false)
            }
            RunStep::Committed => (Some(ExecutionOutcome::Success), true),
            RunStep::Finished => (None, true),
        };
        assert_eq!(report.as_ref().map(|it| it.outcome), outcome, "{step:?}");
        let expected = if is_new { "def add(a, b):\n    return a + b\n" } else { START[0].1 };
        assert_eq!(case.tree()["src/a.py"], expected, "{step:?}");
        let status = if is_new { Status::Executed } else { Status::Failed };
        assert_eq!(case.status(), status, "{step:?}");
        let dossier = case.registry().get(&case.id).unwrap().unwrap();
        assert_eq!(dossier.reports.len(), 1, "{step:?}: one report, which matches");
        let stored = dossier.report().unwrap();
        assert_eq!(stored.outcome.status(), status, "{step:?}");
        assert_eq!(stored.transaction.is_some(), is_new, "{step:?}");
        assert_eq!(case.workspace().log().unwrap().len(), usize::from(is_new), "{step:?}");
        let begun = dossier.history.iter().filter(|it| it.event == "begin").count();
        assert_eq!(begun, 1, "{step:?}: nothing runs twice");
        assert_eq!(case.registry().verify().unwrap().flaws, [], "{step:?}");
        // Whoever was killed after everything was stored had removed its copy before.
        assert!(is_empty(&case.directory.path().join("runs")), "{step:?}: the copy is gone");
        assert!(case.run_at(FIX, at(99_999), &|_, _| {}).is_none(), "{step:?}");
    }
}

/// The journal of another workspace is not ours to ask.
#[test]
fn only_the_same_workspace_settles_what_was_being_written() {
    let case = Case::new(&["src/"], json!({}));
    let mut registry = case.registry();
    let mut happen = |event: Event, now: Moment| {
        let change = RecordChange {
            id: &case.id,
            expected: Expected::Any,
            event: &event,
            actor: "x",
            now,
            report: None,
            details: None,
        };
        registry.happen(&change).unwrap();
    };
    let holder = Holder::new("elsewhere", "1").name();
    happen(Event::Claim { holder: holder.clone(), now: at(2), until: at(5) }, at(2));
    happen(Event::Begin { holder: holder.clone() }, at(3));
    happen(Event::Commit { holder }, at(4));
    assert!(case.run_at(FIX, at(10_000), &|_, _| {}).is_none());
    assert_eq!(case.status(), Status::Approved);
}
