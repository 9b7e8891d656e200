//! The hooks of `.pre-commit-hooks.yaml`, run by the real pre-commit and the real prek in a repository that uses them.
//!
//! The configuration is the one that the guide shows; only the address of the hooks is a folder. In the live tier the hooks
//! come from a copy of the file that says `language: system` in place of `language: rust`, and run the binary that is built
//! already: everything is as users have it but for the installation. `cargo xtask hooks` has both runners install regreen
//! from a clone, which takes minutes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};

use super::{python_tools, target};
use crate::{command, execute, report};

/// Where the hooks get regreen from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    /// The binary of this build.
    Built,
    /// What the runner installs from a clone of the repository.
    Installed,
}

const PAGE: &str = "docs/guide/ci.md";
const DEFINITIONS: &str = ".pre-commit-hooks.yaml";

/// Names a schema, and breaks it in a way that `fix` mends.
const RED: &str = "# yaml-language-server: $schema=s.schema.json\nport: \"8080\"\n";
/// The same after `fix`.
const GREEN: &str = "# yaml-language-server: $schema=s.schema.json\nport: 8080\n";
/// Breaks it so that only a person can mend it.
const BROKEN: &str = "# yaml-language-server: $schema=s.schema.json\nport: no number\n";

pub(crate) fn run(root: &Path, program: Program) -> Result<()> {
    let tools = python_tools(root)?;
    let folder = tempfile::tempdir()?;
    let hooks = folder.path().join("hooks");
    let binaries = folder.path().join("bin");
    fs::create_dir(&binaries)?;
    let definitions = fs::read_to_string(root.join(DEFINITIONS))?;
    match program {
        Program::Built => {
            super::build(root)?;
            std::os::unix::fs::symlink(
                target(root).join("debug/regreen"),
                binaries.join("regreen"),
            )?;
            let definitions = definitions.replace("language: rust", "language: system");
            ensure!(
                definitions.matches("language: system").count() == 2,
                "{DEFINITIONS}: two hooks"
            );
            fs::create_dir(&hooks)?;
            fs::write(hooks.join(DEFINITIONS), definitions)?;
            git(&hooks, &["init", "-q", "-b", "main"])?;
        }
        Program::Installed => {
            let clone = ["clone", "-q", "--no-hardlinks"];
            execute(command("git", root).args(clone).arg(root).arg(&hooks))?;
            // What is not committed yet is tried too.
            fs::write(hooks.join(DEFINITIONS), definitions)?;
        }
    }
    git(&hooks, &["add", "."])?;
    git(&hooks, &["commit", "-q", "--allow-empty", "-m", "Try the hooks"])?;
    let version = format!("v{}", env!("CARGO_PKG_VERSION"));
    git(&hooks, &["tag", "--force", &version])?;
    for name in ["pre-commit", "prek"] {
        let started = std::time::Instant::now();
        let runner = Runner {
            name,
            program: tools.join(name),
            repository: folder.path().join(name),
            folder: folder.path().to_owned(),
            path: format!("{}:{}", binaries.display(), std::env::var("PATH").unwrap_or_default()),
            target: target(root).join("hooks"),
        };
        let page = fs::read_to_string(root.join(PAGE))?;
        let configs: Vec<&str> = configurations(&page).collect();
        let [of_this_repository, of_ones_own] = configs[..] else {
            bail!("{PAGE}: two configurations")
        };
        runner.prepare(of_this_repository, &hooks)?;
        runner.check_and_fix().with_context(|| format!("{name}, check and fix"))?;
        runner.errors_that_stay().with_context(|| format!("{name}, errors that stay"))?;
        runner.partly_staged().with_context(|| format!("{name}, partly staged files"))?;
        runner.commits().with_context(|| format!("{name}, as a hook of git"))?;
        if program == Program::Built {
            runner.ones_own(of_ones_own).with_context(|| format!("{name}, a hook of one's own"))?;
        }
        report(&format!("hooks: {name} ran both in {:.1} s", started.elapsed().as_secs_f64()));
    }
    Ok(())
}

/// pre-commit or prek, with a repository that uses the hooks.
struct Runner {
    name: &'static str,
    program: PathBuf,
    repository: PathBuf,
    /// Holds everything that is made for the test.
    folder: PathBuf,
    path: String,
    /// Where an installation is built; both runners share what they build there.
    target: PathBuf,
}

impl Runner {
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.repository).envs(IDENTITY).env("PATH", &self.path);
        command.env("PRE_COMMIT_HOME", self.folder.join("pre-commit-home"));
        command.env("PREK_HOME", self.folder.join("prek-home"));
        command.env("XDG_CACHE_HOME", self.folder.join("cache"));
        command.env("XDG_STATE_HOME", self.folder.join("state"));
        // It is not about speed: what is slow to build is not tried any better.
        command.env("CARGO_TARGET_DIR", &self.target).env("CARGO_INCREMENTAL", "0");
        command.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
        for name in OF_A_HOOK {
            command.env_remove(name);
        }
        command
    }

    /// Runs one hook on what is staged.
    #[must_use = "a run that is not looked at proves nothing"]
    fn run(&self, hook: &str) -> Result<Ran> {
        let output = self.command(&self.program).args(["run", hook]).output();
        Ok(Ran::new(format!("{} run {hook}", self.name), output.context(self.name)?))
    }

    /// The repository, with the configuration of the guide and the other hook.
    fn prepare(&self, config: &str, hooks: &Path) -> Result<()> {
        let here = config.replace(env!("CARGO_PKG_REPOSITORY"), &hooks.display().to_string());
        ensure!(here != config, "{PAGE}: the configuration does not name this repository");
        let line = config.lines().find(|it| it.contains("- id: regreen-fix")).context(PAGE)?;
        let other = line.split(" #").next().unwrap_or_default().replace("-fix", "-check");
        fs::create_dir(&self.repository)?;
        git(&self.repository, &["init", "-q", "-b", "main"])?;
        self.write(".pre-commit-config.yaml", &format!("{here}{other}\n"))?;
        self.write(
            "s.schema.json",
            "{ \"properties\": { \"port\": { \"type\": \"integer\" } } }\n",
        )?;
        git(&self.repository, &["add", "."])?;
        git(&self.repository, &["commit", "-q", "-m", "Start"])
    }

    fn write(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.repository.join(name), text).with_context(|| name.to_owned())
    }

    fn expect_text(&self, name: &str, expected: &str) -> Result<()> {
        let text = fs::read_to_string(self.repository.join(name))?;
        ensure!(text == expected, "{name} is not as expected:\n{text}");
        Ok(())
    }

    fn expect_staged(&self, name: &str, expected: &str) -> Result<()> {
        let output =
            command("git", &self.repository).arg("show").arg(format!(":{name}")).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(text == expected, "what is staged of {name} is not as expected:\n{text}");
        Ok(())
    }

    /// A failing check shows the findings and changes nothing; a fix changes the files and fails; then both pass.
    fn check_and_fix(&self) -> Result<()> {
        let files = ["api.yaml", "--help.yaml", "a b.yml"];
        for name in files {
            self.write(name, RED)?;
        }
        self.write("main.clank", "fn main() -> Unit {\n  println(\"x\")\n}\n")?;
        self.write("notes.txt", RED)?;
        git(&self.repository, &["add", "."])?;
        let ran = self
            .run("regreen-check")?
            .expect(1, &["regreen-check", "error[schema/SCHEMA_TYPE]"])?;
        for name in files.iter().chain(&["main.clank"]) {
            ensure!(
                ran.text.contains(&format!("--> {name}:")),
                "{name} is not checked:\n{}",
                ran.text
            );
        }
        self.expect_text("api.yaml", RED)?;
        self.run("regreen-fix")?.expect(1, &["files were modified by this hook"])?;
        for name in files {
            self.expect_text(name, GREEN)?;
            self.expect_staged(name, RED)?;
        }
        self.expect_text("main.clank", "fn main() -> IO + Unit {\n  println(\"x\")\n}\n")?;
        self.expect_text("notes.txt", RED)?;
        git(&self.repository, &["add", "."])?;
        self.run("regreen-fix")?.expect(0, &["Passed"])?;
        self.run("regreen-check")?.expect(0, &["Passed"])?;
        git(&self.repository, &["commit", "-q", "--no-verify", "-m", "Add the API"])
    }

    /// Both hooks fail on what no machine can mend, again and again, and say what it is.
    fn errors_that_stay(&self) -> Result<()> {
        self.write("broken.yaml", BROKEN)?;
        git(&self.repository, &["add", "."])?;
        for hook in ["regreen-check", "regreen-fix", "regreen-fix"] {
            let ran =
                self.run(hook)?.expect(1, &["exit code: 1", "SCHEMA_TYPE", "broken.yaml:2:7"])?;
            ensure!(!ran.text.contains("files were modified"), "{}", ran.text);
        }
        self.expect_text("broken.yaml", BROKEN)?;
        git(&self.repository, &["rm", "-q", "-f", "broken.yaml"])?;
        // Nothing of this is for the hooks.
        self.write("notes.txt", "More.\n")?;
        git(&self.repository, &["add", "."])?;
        self.run("regreen-fix")?.expect(0, &["Skipped"])?;
        git(&self.repository, &["commit", "-q", "--no-verify", "-m", "Add notes"])
    }

    /// What is staged is what counts, and what is not staged is there afterwards.
    fn partly_staged(&self) -> Result<()> {
        let far = "# Far away.\n".repeat(12);
        self.write("api.yaml", &(GREEN.to_owned() + &far))?;
        git(&self.repository, &["add", "."])?;
        git(&self.repository, &["commit", "-q", "--no-verify", "-m", "Say more"])?;
        // Staged: fine. On disk: not.
        self.write("--help.yaml", &(GREEN.to_owned() + "name: x\n"))?;
        git(&self.repository, &["add", "."])?;
        self.write("--help.yaml", BROKEN)?;
        self.run("regreen-check")?.expect(0, &["Passed"])?;
        self.run("regreen-fix")?.expect(0, &["Passed"])?;
        self.expect_text("--help.yaml", BROKEN)?;
        git(&self.repository, &["checkout", "-q", "-f", "HEAD", "--", "."])?;
        // Staged: a mistake. On disk: the mistake, and something else far away from it. The fix is for disk.
        let staged = RED.to_owned() + &far;
        self.write("api.yaml", &staged)?;
        git(&self.repository, &["add", "."])?;
        self.write("api.yaml", &format!("{staged}name: not staged\n"))?;
        self.run("regreen-fix")?.expect(1, &["files were modified by this hook"])?;
        self.expect_text("api.yaml", &format!("{GREEN}{far}name: not staged\n"))?;
        self.expect_staged("api.yaml", &staged)?;
        // Staged: a mistake. On disk: another text in the same line. The runner takes the fix back, and nothing is lost.
        git(&self.repository, &["checkout", "-q", "-f", "HEAD", "--", "."])?;
        self.write("api.yaml", &staged)?;
        git(&self.repository, &["add", "."])?;
        let on_disk = staged.replace("8080", "9090");
        self.write("api.yaml", &on_disk)?;
        self.run("regreen-fix")?.expect(1, &["files were modified by this hook"])?;
        self.expect_text("api.yaml", &on_disk)?;
        self.expect_staged("api.yaml", &staged)?;
        git(&self.repository, &["checkout", "-q", "-f", "HEAD", "--", "."])
    }

    /// A commit is stopped until what it holds is fixed.
    fn commits(&self) -> Result<()> {
        execute(self.command(&self.program).args(["install"]).stdout(std::process::Stdio::null()))?;
        self.write("a b.yml", &(RED.to_owned() + "name: x\n"))?;
        git(&self.repository, &["add", "."])?;
        let commit = || -> Result<Ran> {
            let output = self.command("git").args(["commit", "-m", "Name it"]).output()?;
            Ok(Ran::new(format!("git commit with {}", self.name), output))
        };
        commit()?.expect(1, &["regreen fix", "files were modified by this hook"])?;
        git(&self.repository, &["add", "."])?;
        commit()?.expect(0, &["Passed"])?;
        self.expect_staged("a b.yml", &(GREEN.to_owned() + "name: x\n"))
    }

    /// A hook that runs the regreen on the path.
    fn ones_own(&self, config: &str) -> Result<()> {
        self.write(".pre-commit-config.yaml", config)?;
        self.write("-x.yaml", RED)?;
        git(&self.repository, &["add", "."])?;
        self.run("regreen-fix")?.expect(1, &["files were modified by this hook"])?;
        self.expect_text("-x.yaml", GREEN)?;
        git(&self.repository, &["add", "."])?;
        self.run("regreen-fix")?.expect(0, &["Passed"])?;
        Ok(())
    }
}

/// The configurations of hooks that a page shows.
fn configurations(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("```yaml .pre-commit-config.yaml\n").skip(1);
    blocks.map(|it| it.split("```").next().unwrap_or_default())
}

/// What a run gave.
struct Ran {
    what: String,
    code: Option<i32>,
    /// Both streams.
    text: String,
}

impl Ran {
    fn new(what: String, output: Output) -> Ran {
        let text = [output.stdout, output.stderr].concat();
        Ran { what, code: output.status.code(), text: String::from_utf8_lossy(&text).into_owned() }
    }

    /// Fails if the exit code is another, or a part is not in the text.
    fn expect(self, code: i32, parts: &[&str]) -> Result<Ran> {
        let Ran { what, code: got, text } = &self;
        if *got != Some(code) {
            bail!("{what} ended with {got:?} instead of {code}:\n{text}");
        }
        for part in parts {
            ensure!(text.contains(part), "{what} does not say `{part}`:\n{text}");
        }
        Ok(self)
    }
}

/// Nothing of the person who runs the test.
const IDENTITY: [(&str, &str); 6] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_AUTHOR_NAME", "somebody"),
    ("GIT_AUTHOR_EMAIL", "somebody@example.org"),
    ("GIT_COMMITTER_NAME", "somebody"),
    ("GIT_COMMITTER_EMAIL", "somebody@example.org"),
];

/// What git sets for a hook; this may be run by one.
const OF_A_HOOK: [&str; 3] = ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"];

fn git(folder: &Path, arguments: &[&str]) -> Result<()> {
    let mut git = command("git", folder);
    for name in OF_A_HOOK {
        git.env_remove(name);
    }
    execute(git.args(arguments).envs(IDENTITY))
}
