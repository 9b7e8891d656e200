//! The rules of `bazel/`, run by the real Bazel on a small workspace: built, tested, run, checked by the aspect; in a
//! sandbox, without one, and by another machine, which is a process here. Before and after every build the sources are
//! compared, so that an action that writes one is caught, and one that does shows that it would be.

mod scale;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{built, target};
use crate::{command, execute, report};

pub(crate) use scale::Scale;

/// What the remote services need; the messages of the API come with it.
const BUILDGRID: &str = "buildgrid==0.9.1";
/// BuildGrid of that version wants this one or a later one; with an older one pip takes an older BuildGrid.
const PYTHON: &str = "3.13";
const PAGE: &str = "docs/guide/bazel.md";
const BUILDIFIER: &str = "@bazel/buildifier@8.2.1";
/// What is compared between the ways to run actions.
const ARTIFACTS: [&str; 9] =
    ["diff", "edits.json", "exit_code", "report.json", "sarif", "txt", "js", "map", "out"];
/// Every target but those that are red on purpose.
const GREEN: [&str; 2] = ["//clean/...", "//clank/..."];
const WORKER: [&str; 3] = [
    "--@rules_regreen//:worker",
    "--experimental_worker_allow_json_protocol",
    "--worker_max_instances=2",
];
const ASPECT: [&str; 3] = [
    "--aspects=@rules_regreen//:defs.bzl%regreen_aspect",
    "--output_groups=regreen_validation",
    "--@rules_regreen//:config=//:config",
];

/// With the binary of this build, or with another one.
pub(crate) fn run(root: &Path, program: Option<&Path>) -> Result<()> {
    let program = chosen(root, program)?;
    lint(root)?;
    let folder = tempfile::tempdir()?;
    let scene = BazelFixture::new(root, &program, folder.path())?;
    let ran = scene.all(root);
    // The server of Bazel stays alive otherwise, and holds the folder.
    let _ = scene.bazel("shutdown", &[]).map(|mut it| it.output());
    ran
}

fn chosen(root: &Path, program: Option<&Path>) -> Result<PathBuf> {
    match program {
        Some(program) => Ok(program.canonicalize()?),
        None => {
            super::build(root)?;
            Ok(built(root, "regreen"))
        }
    }
}

/// How builds of that size go, with the binary of this build or with another one.
pub(crate) fn scale(root: &Path, program: Option<&Path>, scale: Scale) -> Result<()> {
    let program = chosen(root, program)?;
    let folder = tempfile::tempdir()?;
    let scene = BazelFixture::new(root, &program, folder.path())?;
    let scene = BazelFixture { shop: scene.shop.with_file_name("scale"), ..scene };
    let ran = scale::run(&scene, scale);
    let _ = scene.bazel("shutdown", &[]).map(|mut it| it.output());
    ran
}

/// Buildifier reads the syntax of every version, also of those that cannot be run here.
fn lint(root: &Path) -> Result<()> {
    let folder = target(root).join("buildifier");
    let program = folder.join("node_modules/.bin/buildifier");
    if !program.exists() {
        fs::create_dir_all(&folder)?;
        let npm = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
        execute(command("npm", root).args(npm).arg(&folder).arg(BUILDIFIER))?;
    }
    let flags = ["--lint=warn", "--mode=check", "-r", "bazel"];
    execute(command(&program.to_string_lossy(), root).args(flags))
}

/// A copy of the rules with the workspace that uses them.
struct BazelFixture {
    shop: PathBuf,
    /// Holds `regreen`, and comes first on the path.
    binaries: PathBuf,
    /// What Bazel keeps.
    output: PathBuf,
    log: PathBuf,
}

/// What a build did and said.
struct Built {
    what: String,
    code: Option<i32>,
    text: String,
    /// The actions that were looked up or run, by mnemonic, each with who ran it.
    spawns: Vec<(String, String)>,
}

impl Built {
    fn expect(self, code: i32, parts: &[&str]) -> Result<Built> {
        let Built { what, code: got, text, .. } = &self;
        if *got != Some(code) {
            bail!("{what} ended with {got:?} instead of {code}:\n{text}");
        }
        for part in parts {
            ensure!(text.contains(part), "{what} does not say `{part}`:\n{text}");
        }
        Ok(self)
    }

    /// Fails unless there were actions that run regreen and all were run by this one.
    fn expect_runner(self, runner: &str) -> Result<Built> {
        let ours = self
            .spawns
            .iter()
            .filter(|it| ["RegreenCheck", "ClankCompile"].contains(&it.0.as_str()));
        let runners: BTreeSet<&str> = ours.map(|it| it.1.as_str()).collect();
        ensure!(
            runners == BTreeSet::from([runner]),
            "{} was run by {runners:?}, not {runner}",
            self.what
        );
        Ok(self)
    }
}

/// The files of a folder, with modes, times and contents. Links to the outputs of Bazel are not followed.
type Tree = BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)>;

fn tree(folder: &Path) -> Result<Tree> {
    let mut found = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let metadata = path.symlink_metadata()?;
            if metadata.is_dir() {
                folders.push(path);
            } else if metadata.is_file() {
                let seen =
                    (metadata.mode(), metadata.mtime(), metadata.mtime_nsec(), fs::read(&path)?);
                found.insert(path, seen);
            }
        }
    }
    Ok(found)
}

impl BazelFixture {
    fn new(root: &Path, program: &Path, folder: &Path) -> Result<BazelFixture> {
        execute(command("cp", root).arg("-r").arg(root.join("bazel")).arg(folder.join("bazel")))?;
        let binaries = folder.join("bin");
        fs::create_dir(&binaries)?;
        let regreen = binaries.join("regreen");
        // What is only for debuggers would be sent to every machine.
        execute(command("strip", root).arg("-o").arg(&regreen).arg(program))?;
        fs::set_permissions(&regreen, fs::Permissions::from_mode(0o755))?;
        let shop = folder.join("bazel/tests/shop");
        // A linter that is an input of the build, as a file and not as a link to one.
        let ruff = super::linters(root)?.join("bin/ruff").canonicalize()?;
        fs::copy(ruff, shop.join("tools/ruff"))?;
        let output = folder.join("output");
        Ok(BazelFixture { shop, binaries, output, log: folder.join("log.json") })
    }

    fn bazel(&self, verb: &str, flags: &[&str]) -> Result<Command> {
        let mut bazel = command("bazel", &self.shop);
        let path = std::env::var("PATH").unwrap_or_default();
        bazel.env("PATH", format!("{}:{path}", self.binaries.display()));
        bazel.env("XDG_STATE_HOME", self.shop.with_file_name("state"));
        bazel.env_remove("CARGO_TARGET_DIR");
        bazel.arg(format!("--output_user_root={}", self.output.display()));
        bazel.args(["--max_idle_secs=60", verb]);
        if verb != "shutdown" && verb != "clean" {
            // What Bazel would download, for languages that nobody uses here.
            for (name, stub) in [
                ("remote_coverage_tools", "coverage_stub"),
                ("rules_cc", "cc_stub"),
                ("rules_java", "java_stub"),
            ] {
                let stub = self.shop.with_file_name(stub);
                bazel.arg(format!("--override_repository={name}={}", stub.display()));
            }
            bazel.args(["--color=no", "--curses=no", "--nosandbox_debug"]);
        }
        bazel.args(flags);
        Ok(bazel)
    }

    /// Runs Bazel, and fails if a source is not as it was.
    fn ran(&self, verb: &str, flags: &[&str]) -> Result<Built> {
        let before = tree(&self.shop)?;
        let built = self.ran_freely(verb, flags)?;
        ensure!(tree(&self.shop)? == before, "{} changed sources:\n{}", built.what, built.text);
        Ok(built)
    }

    fn ran_freely(&self, verb: &str, flags: &[&str]) -> Result<Built> {
        let _ = fs::remove_file(&self.log);
        let log = format!("--execution_log_json_file={}", self.log.display());
        let mut all = vec![log.as_str()];
        all.extend(flags);
        let output = self.bazel(verb, &all)?.output().context("bazel")?;
        let text = [output.stdout, output.stderr].concat();
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let spawns = serde_json::Deserializer::from_str(&log).into_iter::<serde_json::Value>();
        let spawn = |it: serde_json::Value| {
            let word = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
            (word("mnemonic"), word("runner"))
        };
        Ok(Built {
            what: format!("bazel {verb} {}", flags.join(" ")),
            code: output.status.code(),
            text: String::from_utf8_lossy(&text).into_owned(),
            spawns: spawns.map(|it| it.map(spawn)).collect::<Result<_, _>>()?,
        })
    }

    fn clean(&self) -> Result<()> {
        let output = self.bazel("clean", &[])?.output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// The artifacts in `bazel-bin`, by path.
    fn artifacts(&self) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
        let bin = self.shop.join("bazel-bin").canonicalize()?;
        let is_ours = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            ARTIFACTS.iter().any(|it| name.ends_with(&format!(".{it}")))
        };
        let all = tree(&bin)?.into_iter().filter(|(path, _)| is_ours(path));
        let name = |path: &Path| path.strip_prefix(&bin).unwrap_or(path).to_owned();
        Ok(all.map(|(path, (.., bytes))| (name(&path), bytes)).collect())
    }

    fn all(&self, root: &Path) -> Result<()> {
        let timed = |what: &str, work: &dyn Fn() -> Result<()>| {
            let start = Instant::now();
            work().with_context(|| format!("bazel, {what}"))?;
            report(&format!("bazel: {what} in {:.1} s", start.elapsed().as_secs_f64()));
            Ok::<(), anyhow::Error>(())
        };
        let services = Services::start(root, &self.shop)?;
        timed("the same bytes everywhere", &|| self.the_same_everywhere(&services))?;
        timed("remote cache", &|| self.remote_cache(&services))?;
        timed("who writes", &|| self.who_writes(&services))?;
        timed("red and green", &|| self.red_and_green())?;
        timed("strict", &|| self.strict())?;
        timed("linters that are inputs", &|| self.tools())?;
        timed("the program of a toolchain", &|| self.toolchain())?;
        timed("what is checked again", &|| self.what_is_checked_again())?;
        timed("the guide", &|| self.guide(root))
    }

    /// The page of the guide, played from top to bottom in a workspace of its files.
    fn guide(&self, root: &Path) -> Result<()> {
        let page = fs::read_to_string(root.join(PAGE))?;
        let shop = self.shop.with_file_name("guide");
        fs::create_dir_all(shop.join("third_party"))?;
        let rules = shop.join("third_party/rules_regreen");
        execute(command("cp", root).arg("-r").arg(root.join("bazel")).arg(rules))?;
        let scene = BazelFixture {
            shop,
            binaries: self.binaries.clone(),
            output: self.output.clone(),
            log: self.log.clone(),
        };
        let mut n_commands = 0;
        let mut lines = page.lines();
        while let Some(line) = lines.next() {
            let Some(info) = line.strip_prefix("```").filter(|it| !it.is_empty()) else { continue };
            let block: Vec<&str> = lines.by_ref().take_while(|it| *it != "```").collect();
            if let Some((_, name)) = info.split_once(' ') {
                let file = scene.shop.join(name);
                fs::create_dir_all(file.parent().context(PAGE)?)?;
                fs::write(file, block.join("\n") + "\n")?;
            } else if info == "text" {
                for line in block.iter().filter_map(|it| it.strip_prefix("$ ")) {
                    scene.play(line)?;
                    n_commands += 1;
                }
            }
        }
        let _ = scene.bazel("shutdown", &[])?.output();
        ensure!(n_commands >= 10, "{PAGE}: only {n_commands} commands");
        Ok(())
    }

    /// Runs a command of the guide, which may say with which code it ends.
    fn play(&self, line: &str) -> Result<()> {
        let (line, comment) = line.split_once('#').unwrap_or((line, "exit code 0"));
        let code = comment.trim().strip_prefix("exit code ").context("a code")?.parse()?;
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["bazel", verb, ref flags @ ..] => self.ran(verb, flags)?.expect(code, &[]).map(drop),
            ["regreen", "apply", artifact] => self.apply(artifact),
            _ => bail!("{PAGE}: `{line}` is not a command of Bazel or regreen"),
        }
    }

    /// In a sandbox, without one, and remotely the same artifacts come out, and nothing is written.
    fn the_same_everywhere(&self, services: &Services) -> Result<()> {
        let executor = format!("--remote_executor=grpc://127.0.0.1:{}", services.worker.port);
        let mut first: Option<BTreeMap<PathBuf, Vec<u8>>> = None;
        for (strategy, runner) in [
            (&["--spawn_strategy=linux-sandbox"][..], "linux-sandbox"),
            (&["--spawn_strategy=local"], "local"),
            (&[executor.as_str()], "remote"),
            (&WORKER, "worker"),
        ] {
            self.clean()?;
            let flags = [&["--keep_going", "//app", "//lint"], strategy, &GREEN[..]].concat();
            self.ran("build", &flags)?
                .expect(1, &["SCHEMA_TYPE", "regreen apply bazel-bin/app/app.edits.json"])?
                .expect_runner(runner)?;
            let artifacts = self.artifacts()?;
            ensure!(artifacts.contains_key(Path::new("app/app.sarif")), "{:?}", artifacts.keys());
            let first = first.get_or_insert_with(|| artifacts.clone());
            for (path, bytes) in &artifacts {
                ensure!(first.get(path) == Some(bytes), "{} differs: {runner}", path.display());
            }
            ensure!(first.len() == artifacts.len(), "{runner} made {} artifacts", artifacts.len());
        }
        let log = fs::read_to_string(&services.log)?;
        ensure!(log.lines().any(|it| it.contains("bin/regreen @")), "nothing ran remotely:\n{log}");
        let is_clean = |it: &str| it.ends_with("\tchanged=[]\tstray=[]");
        ensure!(log.lines().all(is_clean), "an action wrote what it must not:\n{log}");
        Ok(())
    }

    /// What one machine built, another takes from the cache.
    fn remote_cache(&self, services: &Services) -> Result<()> {
        let cache = format!("--remote_cache=grpc://127.0.0.1:{}", services.cache.port);
        let flags = [&[cache.as_str()], &GREEN[..]].concat();
        for runner in ["linux-sandbox", "remote cache hit"] {
            self.clean()?;
            self.ran("build", &flags)?.expect(0, &[])?.expect_runner(runner)?;
        }
        Ok(())
    }

    /// An action that writes its source is refused in a sandbox, is caught without one, and is caught remotely; `regreen
    /// fix` in an action refuses by itself.
    fn who_writes(&self, services: &Services) -> Result<()> {
        let source = self.shop.join("writer/source.yaml");
        let text = fs::read(&source)?;
        let executor = format!("--remote_executor=grpc://127.0.0.1:{}", services.worker.port);
        let out = |name: &str| fs::read_to_string(self.shop.join("bazel-bin/writer").join(name));
        for strategy in ["--spawn_strategy=linux-sandbox", "--spawn_strategy=local", &executor] {
            self.clean()?;
            self.ran("build", &["//writer:regreen", strategy])?.expect(0, &[])?;
            let said = out("regreen.out")?;
            ensure!(said.contains("exit code 3") && said.contains("build action"), "{said}");
        }
        for strategy in ["--spawn_strategy=linux-sandbox", "--spawn_strategy=local"] {
            self.clean()?;
            self.ran("build", &["//writer:unsaid", strategy])?.expect(0, &[])?;
            let said = out("unsaid.out")?;
            ensure!(said.contains("Bazel's sandbox was detected"), "{said}");
        }
        self.clean()?;
        self.ran("build", &["//writer:shell", "--spawn_strategy=linux-sandbox"])?.expect(0, &[])?;
        ensure!(out("shell.out")?.contains("refused"), "the sandbox let an action write");
        self.clean()?;
        let caught = self.ran("build", &["//writer:shell", "--spawn_strategy=local"]);
        let Err(caught) = caught else { bail!("an action that writes was not caught") };
        ensure!(caught.to_string().contains("changed sources"), "{caught}");
        fs::write(&source, text)?;
        self.clean()?;
        self.ran("build", &["//writer:shell", &executor])?.expect(0, &[])?;
        let log = fs::read_to_string(&services.log)?;
        ensure!(log.contains("changed=['writer/source.yaml']"), "not caught remotely:\n{log}");
        Ok(())
    }

    /// What is red fails a build, a test and the aspect with the command that fixes it; the command makes it green.
    fn red_and_green(&self) -> Result<()> {
        let source = self.shop.join("app/api.yaml");
        let red = fs::read_to_string(&source)?;
        self.clean()?;
        let fixing = ["error[schema/SCHEMA_TYPE]", "app/api.yaml:3:7", "regreen apply bazel-bin/"];
        self.ran("build", &["//app"])?.expect(1, &fixing)?;
        self.ran("test", &["--test_output=errors", "//app:app_test"])?.expect(3, &fixing)?;
        self.ran("build", &[&ASPECT[..], &["//app:deployment"]].concat())?.expect(1, &fixing)?;
        // What depends on a check is validated with it, if Bazel runs validations.
        self.ran("build", &["//app:bundle"])?.expect(0, &[])?;
        let validations = ["--experimental_run_validations", "//app:bundle"];
        self.ran("build", &validations)?.expect(1, &fixing)?;
        let tiers = "--@rules_regreen//:tiers";
        self.ran("build", &[&format!("{tiers}=semantic,policy"), "//app"])?.expect(0, &[])?;
        let unknown = self.ran("build", &[&format!("{tiers}=nonsense"), "//app"])?;
        unknown.expect(1, &["there is no tier `nonsense`"])?;
        // Without a validation a build of something else goes on; an output group asks for what is to be applied.
        self.ran("build", &["--output_groups=regreen_fix,regreen_report", "//app"])?
            .expect(0, &["app/app.edits.json", "app/app.diff", "app/app.sarif"])?;
        // An artifact is bound to the bytes that it was made for.
        let other = red.replace("8080", "9090");
        fs::write(&source, &other)?;
        ensure!(
            self.apply("bazel-bin/app/app.edits.json").is_err(),
            "a stale artifact was applied"
        );
        ensure!(fs::read_to_string(&source)? == other, "a stale artifact changed something");
        fs::write(&source, &red)?;
        self.apply("bazel-bin/app/app.edits.json")?;
        let green = fs::read_to_string(&source)?;
        ensure!(green == red.replace("\"8080\"", "8080"), "{green}");
        self.ran("build", &["//..."])?.expect(0, &[])?;
        self.ran("test", &["//..."])?.expect(0, &["3 tests pass"])?;
        self.ran("build", &[&ASPECT[..], &["//..."]].concat())?.expect(0, &[])?;
        fs::write(&source, &red)?;
        self.ran_freely("run", &["//app:fix"])?.expect(0, &["Fixed. 1 fix in 1 file"])?;
        ensure!(fs::read_to_string(&source)? == green, "`bazel run` of the fix");
        self.ran("run", &["//clank:main"])?.expect(0, &["9.0"])?;
        self.ran("run", &["//clank:crooked"])?.expect(0, &["crooked"])?;
        fs::write(source, red)?;
        Ok(())
    }

    fn apply(&self, artifact: &str) -> Result<()> {
        let mut regreen = command(&self.binaries.join("regreen").to_string_lossy(), &self.shop);
        regreen.env("XDG_STATE_HOME", self.shop.with_file_name("state"));
        execute(regreen.args(["apply", "--quiet", artifact]))
    }

    /// The setting makes what `fix` would change fail, and the program is the same program.
    fn strict(&self) -> Result<()> {
        let strict = "--@rules_regreen//:strict";
        self.ran("build", &[strict, "//clank:crooked"])?
            .expect(1, &["--strict", "regreen apply bazel-bin/clank/crooked.edits.json"])?;
        let source = self.shop.join("clank/crooked.clank");
        let before = fs::read(&source)?;
        let code = self.shop.join("bazel-bin/clank/crooked.generated/clank/crooked.js");
        self.ran("build", &["//clank:crooked"])?.expect(0, &[])?;
        let generated = fs::read(&code)?;
        self.ran("build", &[strict, "--output_groups=regreen_fix", "//clank:crooked"])?
            .expect(0, &[])?;
        self.apply("bazel-bin/clank/crooked.edits.json")?;
        self.ran("build", &[strict, "//clank:crooked"])?.expect(0, &[])?;
        ensure!(fs::read(&code)? == generated, "canonical source compiles to other code");
        fs::write(source, before)?;
        Ok(())
    }

    /// A linter that is an input of the build is run, another is not; what the action makes is what the command makes (AE-34).
    fn tools(&self) -> Result<()> {
        let lint = self.shop.join("lint");
        let source = lint.join("words.py");
        let red = fs::read_to_string(&source)?;
        let apply = "regreen apply bazel-bin/lint/lint.edits.json --root lint";
        let expected = ["warning[ruff/F401]", "words.py:1:8", "mypy", apply];
        self.ran("build", &["//lint"])?.expect(1, &expected)?;
        let mut regreen = command(&self.binaries.join("regreen").to_string_lossy(), &lint);
        let edits = self.shop.with_file_name("by-hand.edits.json");
        regreen.env("PATH", self.shop.join("tools"));
        regreen.env("XDG_STATE_HOME", self.shop.with_file_name("state"));
        regreen.arg("check").arg("--emit").arg(format!("edits={}", edits.display()));
        let by_hand = regreen.output()?;
        ensure!(
            fs::read(&edits)? == fs::read(self.shop.join("bazel-bin/lint/lint.edits.json"))?,
            "the action and the command differ: {}",
            String::from_utf8_lossy(&by_hand.stdout)
        );
        let mut regreen = command(&self.binaries.join("regreen").to_string_lossy(), &self.shop);
        regreen.env("XDG_STATE_HOME", self.shop.with_file_name("state"));
        let artifact = "bazel-bin/lint/lint.edits.json";
        execute(regreen.args(["apply", "--quiet", artifact, "--root", "lint"]))?;
        let green = fs::read_to_string(&source)?;
        ensure!(green == "import sys\n\nprint(\"é😀\", sys.argv)\n", "{green}");
        self.ran("build", &["//lint"])?.expect(0, &[])?;
        fs::write(source, red)?;
        Ok(())
    }

    /// The program that is registered for the platform is what actions run; where none is, the build says so.
    fn toolchain(&self) -> Result<()> {
        let resolved = "--@rules_regreen//:regreen=@rules_regreen//:resolved";
        let registered = "--extra_toolchains=@regreen//:toolchain";
        self.clean()?;
        self.ran("build", &[resolved, registered, "//clean/..."])?
            .expect(0, &[])?
            .expect_runner("linux-sandbox")?;
        let missing = self.ran("build", &[resolved, "//clean/..."])?;
        missing.expect(1, &["@rules_regreen//:toolchain_type"])?;
        Ok(())
    }

    /// Nothing is checked twice; a change of a source, of a schema or of the program is.
    fn what_is_checked_again(&self) -> Result<()> {
        let checks = |built: Built| {
            Ok::<_, anyhow::Error>(
                built.expect(0, &[])?.spawns.iter().filter(|it| it.0 == "RegreenCheck").count(),
            )
        };
        let build = || checks(self.ran("build", &GREEN)?);
        self.clean()?;
        let all = build()?;
        ensure!(all >= 5, "only {all} checks");
        ensure!(build()? == 0, "the second build checks again");
        for (file, most) in [("clean/web.yaml", 1), ("app/service.schema.json", 1)] {
            let path = self.shop.join(file);
            let before = fs::read_to_string(&path)?;
            fs::write(&path, format!("{before}\n"))?;
            ensure!(build()? == most, "a change of {file} checks something else");
            fs::write(&path, before)?;
            build()?;
        }
        // Another program, with the same rules: a byte at its end changes nothing but its digest.
        let regreen = self.binaries.join("regreen");
        let mut bytes = fs::read(&regreen)?;
        bytes.push(0);
        fs::remove_file(&regreen)?;
        fs::write(&regreen, bytes)?;
        fs::set_permissions(&regreen, fs::Permissions::from_mode(0o755))?;
        ensure!(build()? == all, "another regreen does not check everything again");
        Ok(())
    }
}

/// A process that listens on a port, until it is dropped.
struct Service {
    process: Child,
    port: u16,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The remote cache and the remote machine.
struct Services {
    cache: Service,
    worker: Service,
    /// What the remote machine did.
    log: PathBuf,
}

impl Services {
    fn start(root: &Path, shop: &Path) -> Result<Services> {
        let python = python(root)?;
        let tests = shop.parent().context("the workspace lies in the tests")?;
        let log = tests.join("remote.log");
        fs::write(&log, "")?;
        let port = free_port()?;
        let mut worker = Command::new(python.join("python"));
        worker.arg(tests.join("remote_worker.py")).arg(port.to_string()).arg(&log);
        let worker = started(worker, port, "ready")?;
        let port = free_port()?;
        let config = fs::read_to_string(tests.join("buildgrid.yml"))?;
        fs::write(tests.join("cache.yml"), config.replace("PORT", &port.to_string()))?;
        let mut cache = Command::new(python.join("bgd"));
        cache.args(["server", "start"]).arg(tests.join("cache.yml"));
        let cache = started(cache, port, "Starting BuildGrid server")?;
        Ok(Services { cache, worker, log })
    }
}

/// A port of this machine that nobody listens on.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Waits until the process says that it is ready and somebody listens.
fn started(mut command: Command, port: u16, ready: &str) -> Result<Service> {
    command.stdout(Stdio::piped()).stderr(Stdio::null()).env("PYTHONUNBUFFERED", "1");
    let mut process = command.spawn().with_context(|| format!("{command:?}"))?;
    let output = process.stdout.take().context("standard output is a pipe")?;
    let service = Service { process, port };
    let mut lines = BufReader::new(output).lines();
    ensure!(
        lines.any(|it| it.is_ok_and(|it| it.contains(ready))),
        "{command:?} ended before it was ready"
    );
    std::thread::spawn(move || lines.for_each(drop));
    let deadline = Instant::now() + Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        ensure!(Instant::now() < deadline, "nobody listens on port {port}");
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(service)
}

/// Installs BuildGrid, and says where its programs are.
fn python(root: &Path) -> Result<PathBuf> {
    let folder = target(root).join("buildgrid");
    let installed = folder.join("installed");
    if fs::read_to_string(&installed).is_ok_and(|it| it == BUILDGRID) {
        return Ok(folder.join("bin"));
    }
    let interpreter = interpreter(root)?;
    execute(command(&interpreter, root).args(["-m", "venv", "--clear"]).arg(&folder))?;
    let pip = folder.join("bin/pip");
    let flags = ["install", "--quiet", "--disable-pip-version-check"];
    execute(command(&pip.to_string_lossy(), root).args(flags).arg(BUILDGRID))?;
    fs::write(installed, BUILDGRID)?;
    Ok(folder.join("bin"))
}

/// A Python that is new enough: the one on the path, or one of pyenv's.
fn interpreter(root: &Path) -> Result<String> {
    let versions =
        command("sh", root).args(["-c", "ls -d ~/.pyenv/versions/*/bin/python3"]).output()?;
    let versions = String::from_utf8_lossy(&versions.stdout).into_owned();
    let newest_first = versions.lines().rev().map(str::to_owned);
    let named = [format!("python{PYTHON}"), "python3".to_owned()];
    let wanted = "import sys; sys.exit(sys.version_info < (3, 13))";
    let is_new = |it: &String| {
        command(it, root).args(["-c", wanted]).output().is_ok_and(|it| it.status.success())
    };
    let found = named.into_iter().chain(newest_first).find(is_new);
    found.with_context(|| format!("{BUILDGRID} needs Python {PYTHON} or later, and there is none"))
}
