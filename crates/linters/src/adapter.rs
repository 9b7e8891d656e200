//! What regreen knows of a tool: data, and two pure functions.

use std::collections::BTreeMap;

use check::{Card, Cost, Interest, RuleSet, Safety, Trust};
use edit::Text;
use snapshot::{RelPath, Snapshot};

use crate::adapters::with_edition;
use crate::collect::Texts;
use crate::hunks;
use crate::limits::tidy_message;
use crate::probe::Probe;
use crate::report::{Garbled, ToolReport};
use crate::uses::{Evidence, Signs, ToolUses};
use crate::version::{Version, Versions};

/// What regreen takes from a tool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToolKind {
    /// Findings with edits.
    Linter,
    /// Findings, and files that it rewrites: the edits are the difference.
    Rewriter,
    /// One text for another; a finding and a repair per file.
    Formatter,
    /// Findings.
    Findings,
}

/// Which files a tool is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Files {
    /// Endings of names, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole names; `*` at the end stands for anything.
    pub names: &'static [&'static str],
    /// Programs that a first line with `#!` may name, for files without an extension.
    pub programs: &'static [&'static str],
}

impl Files {
    /// Files with these extensions.
    pub const fn extensions(extensions: &'static [&'static str]) -> Files {
        Files { extensions, names: &[], programs: &[] }
    }

    /// Every file.
    pub const EVERY: Files = Files::extensions(&["*"]);

    /// Whether the path alone says that the file is one of them.
    pub fn has_path(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.').map_or("", |it| it.1);
        self.extensions.iter().any(|it| *it == "*" || it.eq_ignore_ascii_case(extension))
            || self.names.iter().any(|it| crate::uses::name_matches(it, name))
    }

    /// Whether the file is one of them, by its path or its first line.
    pub fn has(&self, path: &str, text: &[u8]) -> bool {
        self.has_path(path) || self.has_first_line(path, text)
    }

    fn has_first_line(&self, path: &str, text: &[u8]) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if self.programs.is_empty() || name.contains('.') {
            return false;
        }
        let Some(rest) = text.strip_prefix(b"#!") else { return false };
        let line = rest.split(|it| *it == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        let words = line.split_whitespace().map(|it| it.rsplit('/').next().unwrap_or(it));
        let mut words = words.skip_while(|it| *it == "env" || it.starts_with('-'));
        words.next().is_some_and(|it| self.programs.contains(&it))
    }

    /// Whether a path may be one of them: files without an extension can have a first line that says so.
    fn may_have(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.has_path(path) || (!self.programs.is_empty() && !name.contains('.'))
    }
}

/// A place in a repository where a tool may lie. Only looked at in a workspace that the user trusts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LocalPrograms {
    /// `node_modules/.bin`, beside the nearest `package.json`.
    Node,
    /// `.venv/bin` and `venv/bin`.
    Venv,
    /// Only where the user's own programs are.
    Nowhere,
}

/// What one run of a tool is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Scope {
    /// Each file on its own.
    File,
    /// All files together: a change of one can change what is said about another.
    Project,
}

/// How long a tool may take.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TimeClass {
    /// It reads files.
    Quick,
    /// It starts an interpreter, or reads a project.
    Slow,
    /// It compiles.
    Build,
}

impl TimeClass {
    /// The limit unless the workspace says otherwise, in seconds.
    pub fn seconds(self) -> u32 {
        match self {
            TimeClass::Quick => 60,
            TimeClass::Slow => 180,
            TimeClass::Build => 900,
        }
    }
}

/// A toolchain that builds: tools that ask it need its packages to read and a folder to build in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Toolchain {
    /// cargo, with the packages in `CARGO_HOME`.
    Cargo,
    /// go, with the modules in `GOMODCACHE`.
    Go,
}

impl Toolchain {
    /// The name of its build folder.
    pub fn name(self) -> &'static str {
        match self {
            Toolchain::Cargo => "rust",
            Toolchain::Go => "go",
        }
    }
}

/// What a tool is asked to do.
#[derive(Clone, Copy, Debug)]
pub enum ToolJob<'a> {
    /// To say its version.
    Version,
    /// To look at these files, with the settings of the repository. A tool that works per project gets none.
    Check {
        /// The files.
        files: &'a [RelPath],
    },
    /// To look at these files in a repository that does not show that it uses the tool: only what is beyond taste.
    CheckByPresence {
        /// The files.
        files: &'a [RelPath],
    },
    /// To rewrite these files where they lie, in a private copy of the tree.
    Rewrite {
        /// The files.
        files: &'a [RelPath],
    },
    /// To format one text that it reads from its standard input.
    Format {
        /// The path of the file, which says what it is and which settings count.
        file: &'a RelPath,
        /// The text.
        text: &'a Text,
    },
}

impl<'a> ToolJob<'a> {
    /// The files that it is about.
    pub fn files(&self) -> Vec<&'a RelPath> {
        match self {
            ToolJob::Version => Vec::new(),
            ToolJob::Check { files }
            | ToolJob::CheckByPresence { files }
            | ToolJob::Rewrite { files } => files.iter().collect(),
            ToolJob::Format { file, .. } => vec![file],
        }
    }
}

/// A command that answers a job. It runs in the root of the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invocation {
    /// The name of the program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables of its environment, beside the scrubbed one that every tool gets.
    pub env: BTreeMap<String, String>,
    /// What it reads from its standard input.
    pub stdin: Option<Text>,
    /// The exit statuses of a run whose output can be read. Any other is a failure of the tool.
    pub success: Vec<i32>,
    /// Whether it writes into the tree, so that it must have a private copy.
    pub writes: bool,
    /// The file of that copy that its answer is in, if not its standard output. It is new: no file of the tree.
    pub answer: Option<RelPath>,
}

impl Invocation {
    pub(crate) fn new(program: &str, args: &[&str]) -> Invocation {
        Invocation {
            program: program.to_owned(),
            args: args.iter().map(|it| (*it).to_owned()).collect(),
            env: BTreeMap::new(),
            stdin: None,
            success: vec![0],
            writes: false,
            answer: None,
        }
    }

    pub(crate) fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Invocation {
        self.args.extend(args.into_iter().map(str::to_owned));
        self
    }

    /// Paths, none of which can be taken for an option.
    pub(crate) fn files(mut self, files: &[RelPath]) -> Invocation {
        self.args.extend(files.iter().map(|it| operand(it.as_str())));
        self
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Invocation {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn stdin(mut self, text: &Text) -> Invocation {
        self.stdin = Some(text.clone());
        self
    }

    pub(crate) fn success(mut self, statuses: &[i32]) -> Invocation {
        self.success = statuses.to_vec();
        self
    }

    pub(crate) fn writing(mut self) -> Invocation {
        self.writes = true;
        self
    }
}

/// A path as an argument that cannot be an option, a list of arguments, or a URL.
pub(crate) fn operand(path: &str) -> String {
    let is_plain =
        path.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_' || it == '.');
    if is_plain { path.to_owned() } else { format!("./{path}") }
}

/// What a command gave back.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ToolOutput {
    /// Its exit status; `None` if it was ended by a signal.
    pub status: Option<i32>,
    /// What it wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to its standard error.
    pub stderr: Vec<u8>,
    /// The files that it changed in its private copy, as they are afterwards; `None` for one that is gone.
    pub changed: BTreeMap<RelPath, Option<Text>>,
}

impl ToolOutput {
    /// The output of a command that only printed something.
    pub fn printed(status: i32, stdout: impl Into<Vec<u8>>) -> ToolOutput {
        ToolOutput { status: Some(status), stdout: stdout.into(), ..ToolOutput::default() }
    }

    /// Fails unless the command ended with one of these statuses.
    pub(crate) fn succeeded(&self, statuses: &[i32]) -> Result<(), Garbled> {
        match self.status {
            Some(status) if statuses.contains(&status) => Ok(()),
            status => {
                Err(Garbled::Failed { status: status.unwrap_or(-1), said: self.last_words() })
            }
        }
    }

    /// The line that says best why it failed: the first one that says that it is about an error, else the last one. It is
    /// taken from its standard error if it wrote there.
    pub(crate) fn last_words(&self) -> String {
        let said = |bytes: &[u8]| {
            let head = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_WORDS)]).into_owned();
            let tail = &bytes[bytes.len().saturating_sub(MAX_WORDS)..];
            let tail = String::from_utf8_lossy(tail).into_owned();
            let lines = head.lines().chain(tail.lines()).map(str::trim);
            let line = lines.clone().find(|it| names_error(it));
            let line = line.or_else(|| lines.rev().find(|it| !it.is_empty() && !is_trace(it)));
            line.map(tidy_message)
        };
        said(&self.stderr).or_else(|| said(&self.stdout)).unwrap_or_else(|| "no output".into())
    }
}

/// Bytes at the start and at the end of an output in which a tool says why it failed.
const MAX_WORDS: usize = 4_000;

/// Whether a line starts as those do that say what is wrong: `error: …`, `error[E0432]: …`, `TypeError [CODE]: …`, `fatal: …`.
fn names_error(line: &str) -> bool {
    let word = line.split([' ', ':', '[', '(']).next().unwrap_or_default();
    let is_error = word.ends_with("Error")
        || ["error", "fatal", "panic"].iter().any(|it| word.eq_ignore_ascii_case(it));
    is_error && line[word.len()..].contains(':') && !line.ends_with(':')
}

/// Whether a line is a frame of a stack or an advertisement, and not what happened.
fn is_trace(line: &str) -> bool {
    line.starts_with("at ")
        || line.starts_with("http")
        || line.starts_with("Node.js v")
        || !line.contains(|it: char| it.is_alphanumeric())
}

/// What is known about a rule beside what the tool says when it finds something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RulePage {
    /// The tool's page about the rule, or about all of them.
    pub url: String,
    /// What the rule is, in a line.
    pub explanation: String,
}

pub(crate) type InvocationOf = fn(&ToolJob<'_>) -> Option<Invocation>;
pub(crate) type Review = fn(&mut ToolReport, &Snapshot);
pub(crate) type Parser = fn(&ToolOutput, &Texts<'_>) -> Result<ToolReport, Garbled>;

/// What regreen knows of a tool.
#[derive(Clone, Copy)]
pub struct Adapter {
    /// The source of its findings; unique.
    pub name: &'static str,
    /// What is taken from it.
    pub kind: ToolKind,
    /// The files that it is about.
    pub files: Files,
    /// What shows that a repository uses it.
    pub signs: Signs,
    /// Whether it takes part wherever it is installed and there are files for it. Never a formatter.
    pub joins_on_presence: bool,
    /// Adapters that say nothing new beside this one.
    pub supersedes: &'static [&'static str],
    /// Its program, looked for on the user's `PATH`.
    pub program: &'static str,
    /// Where else it may lie.
    pub local: LocalPrograms,
    /// The versions whose output is understood.
    pub versions: Versions,
    /// Whether it can run what came with the repository.
    pub trust: fn(&ToolUses<'_>) -> Trust,
    /// What one run is about.
    pub scope: Scope,
    /// How long it may take.
    pub limit: TimeClass,
    /// The toolchain that it builds with, if it builds.
    pub toolchain: Option<Toolchain>,
    /// Whether it looks for its settings above the root too, so that they must be hidden from it.
    pub climbs: bool,
    /// The command that installs it.
    pub install: &'static str,
    pub(crate) invocation: InvocationOf,
    pub(crate) parse: Parser,
    pub(crate) page: fn(&str) -> Option<String>,
    /// What other files of the tree say about what it found.
    pub(crate) review: Option<Review>,
    /// A text whose findings are known.
    pub probe: Option<Probe>,
}

impl Adapter {
    /// The command that answers a job; `None` if the tool has none for it.
    pub fn invocation(&self, job: &ToolJob<'_>) -> Option<Invocation> {
        (self.invocation)(job)
    }

    /// What the output of a job says. The texts are those that the tool looked at.
    pub fn parse(&self, output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
        (self.parse)(output, texts)
    }

    /// The command that answers a job in a repository, where that depends on more than the files: rustfmt must be told
    /// the edition.
    pub fn invocation_in(&self, job: &ToolJob<'_>, uses: &ToolUses<'_>) -> Option<Invocation> {
        let invocation = self.invocation(job)?;
        Some(match job {
            ToolJob::Format { file, .. } if self.name == "rustfmt" => {
                with_edition(invocation, file, uses)
            }
            _ => invocation,
        })
    }

    /// Adds to a report of a rewriter what it wrote in another run on the same texts: each hunk is a fix of the findings
    /// that it touches, or of a finding of its own.
    pub fn add_rewrites(
        &self,
        report: &mut ToolReport,
        output: &ToolOutput,
        texts: &Texts<'_>,
    ) -> Result<(), Garbled> {
        if let Some(invocation) = self.invocation(&ToolJob::Rewrite { files: &[] }) {
            output.succeeded(&invocation.success)?;
        }
        // What a tool writes without being asked for more is what it calls safe.
        hunks::attach(self.name, output, texts, Safety::LikelyPreserving, report);
        Ok(())
    }

    /// Whether it is told which files to look at. The others find them by themselves.
    pub fn takes_files(&self) -> bool {
        let Ok(file) = RelPath::parse("a") else { return false };
        let args = |files: &[RelPath]| self.invocation(&ToolJob::Check { files }).map(|it| it.args);
        args(&[file]) != args(&[])
    }

    /// The folders in which a tool that works per project is run: those that have one of its manifests and lie in no
    /// other one. The root, which is `None`, if there are none.
    pub fn projects(&self, uses: &ToolUses<'_>) -> Vec<Option<RelPath>> {
        let names: &[&str] = match self.program {
            "cargo" => &["Cargo.toml"],
            "go" | "golangci-lint" => &["go.work", "go.mod"],
            "tsc" => &["tsconfig.json"],
            _ => return vec![None],
        };
        let mut folders: Vec<Option<RelPath>> =
            uses.named(names).into_iter().map(RelPath::parent).collect();
        folders.sort();
        folders.dedup();
        if folders.is_empty() || folders[0].is_none() {
            return vec![None];
        }
        let mut kept: Vec<Option<RelPath>> = Vec::new();
        for folder in folders {
            let is_inside = |outer: &Option<RelPath>| match (outer, &folder) {
                (Some(outer), Some(folder)) => outer.contains(folder),
                _ => false,
            };
            if !kept.iter().any(is_inside) {
                kept.push(folder);
            }
        }
        kept
    }

    /// What shows that the repository uses the tool.
    pub fn detect(&self, uses: &ToolUses<'_>) -> Option<Evidence> {
        uses.evidence(&self.signs)
    }

    /// Why the tool takes part in a repository without being named: it is used there, or it joins on presence and there
    /// are files for it.
    pub fn takes_part(&self, uses: &ToolUses<'_>) -> Option<Evidence> {
        self.detect(uses).or_else(|| {
            if !self.joins_on_presence {
                return None;
            }
            let is_ours = |path: &RelPath| {
                self.files.has_path(path.as_str())
                    || (self.files.may_have(path.as_str())
                        && uses
                            .text(path)
                            .is_some_and(|it| self.files.has(path.as_str(), it.bytes())))
            };
            let file = uses.paths().find(|it| is_ours(it))?;
            Some(Evidence {
                file: file.clone(),
                what: "a file for it".to_owned(),
                is_presence: true,
            })
        })
    }

    /// The settings in the repository that can name code which the tool runs, by file: what somebody who trusts the
    /// repository with the tool has seen. What a tool builds with cargo is code in any case, and its manifests change with
    /// every release; the settings of cargo and rustup name programs.
    pub fn settings(&self, uses: &ToolUses<'_>) -> Vec<(RelPath, Vec<u8>)> {
        match self.toolchain {
            Some(Toolchain::Cargo) => uses.cargo_settings(),
            Some(Toolchain::Go) | None => uses.settings(&self.signs),
        }
    }

    /// Holds what it said about files against the others of the tree: whoever looks at one file does not see who uses it.
    pub fn review(&self, report: &mut ToolReport, snapshot: &Snapshot) {
        if let Some(review) = self.review {
            review(report, snapshot);
        }
    }

    /// Whether the output of a version is understood.
    pub fn understands(&self, version: Version) -> bool {
        self.versions.contains(version)
    }

    /// The card of the tool in a repository.
    pub fn card(&self, uses: &ToolUses<'_>) -> Card {
        let (files, signs) = (self.files, self.signs);
        let interest = Interest::matching(move |path| files.may_have(path))
            .depending_on(move |path| signs.is_setting(path));
        Card {
            name: self.name.to_owned(),
            phases: vec![PHASE.to_owned()],
            rules: RuleSet::Open,
            interest,
            cost: match (self.scope, self.limit) {
                // It is asked about what changed, and reads that: as fast as somebody who is already there.
                (Scope::File, TimeClass::Quick) => Cost::Server,
                _ => Cost::Process,
            },
            trust: (self.trust)(uses),
            languages: Vec::new(),
        }
    }

    /// The page about a rule.
    pub fn page(&self, rule: &str) -> Option<RulePage> {
        let name = self.name;
        match rule {
            "format" if self.kind == ToolKind::Formatter => Some(RulePage {
                url: (self.page)(rule)?,
                explanation: format!("the file is not as {name} formats it"),
            }),
            "rewrite" if self.kind == ToolKind::Rewriter => Some(RulePage {
                url: (self.page)(rule)?,
                explanation: format!(
                    "{name} rewrites this place and does not say which rule it is for"
                ),
            }),
            _ => Some(RulePage {
                url: (self.page)(rule)?,
                explanation: format!("the rule `{rule}` of {name}"),
            }),
        }
    }
}

/// The one phase of a tool.
pub(crate) const PHASE: &str = "tool";

impl std::fmt::Debug for Adapter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Adapter").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The trust of a tool of which nothing that it reads from the tree can name code.
pub(crate) fn sealed(_: &ToolUses<'_>) -> Trust {
    Trust::Sealed
}
