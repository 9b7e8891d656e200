//! What an approval must be: whether it must be signed, which paths need two people, and which need those who own them.
//!
//! Some paths govern proposals themselves: the configuration, the allowed-signers file, and what continuous integration
//! runs. A proposal that could touch one of them needs a second, different key; `.git` and `.regreen` are in no scope at
//! all. "Could touch" is asked of the scope rather than of a change, so it errs on the side of a second key: names are
//! compared as file systems that ignore case would, and a directory could touch whatever a glob's fixed part leads to.

use globset::{GlobBuilder, GlobMatcher};
use snapshot::RelPath;

use super::statement::{Context, Statement};
use crate::record::Record;
use crate::stores::{self, case_folded, folded};
use crate::time::Moment;

/// What an approval must be.
#[derive(Clone, Debug)]
pub struct Policy {
    require_signature: bool,
    allowed_signers: RelPath,
    protected: Vec<Protected>,
    second_key: bool,
    owners: Vec<Owner>,
    approval_days: u32,
}

/// Who must approve what touches some paths, and how many of them.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    paths: Vec<Protected>,
    /// Names or fingerprints; everybody who may approve, if empty.
    pub(super) keys: Vec<String>,
    pub(super) approvals: usize,
}

/// For how many days an approval counts unless the configuration says otherwise.
pub const DEFAULT_APPROVAL_DAYS: u32 = 30;

/// What is protected unless the configuration says otherwise: what the common services for continuous integration run.
pub const DEFAULT_PROTECTED: [&str; 24] = [
    ".github/**",
    ".gitlab-ci.yml",
    ".gitlab/**",
    ".circleci/**",
    ".buildkite/**",
    ".ci/**",
    ".azure-pipelines/**",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    "Jenkinsfile",
    ".jenkins/**",
    ".travis.yml",
    ".drone.yml",
    ".woodpecker.yml",
    ".woodpecker/**",
    ".cirrus.yml",
    ".appveyor.yml",
    "appveyor.yml",
    ".teamcity/**",
    ".forgejo/**",
    ".gitea/**",
    "bitbucket-pipelines.yml",
    "cloudbuild.yaml",
    "CODEOWNERS",
];

/// A pattern of `protected` that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{glob:?} in protected is not a glob of paths relative to the workspace root: {why}")]
pub struct BadGlob {
    /// The pattern.
    pub glob: String,
    /// What is wrong with it.
    pub why: String,
}

/// A proposal, with what is needed to judge what it could touch.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The record.
    pub record: &'a Record,
    /// The bytes of the attached patch.
    pub patch: Option<&'a [u8]>,
    /// Where and with what it would be carried out.
    pub context: &'a Context,
    /// The paths that the patch touches: what it creates, changes, deletes, and both names of what it renames.
    pub touched: &'a [RelPath],
    /// Whether a scope entry without a slash at its end names a directory. Who cannot know says yes.
    pub is_directory: &'a dyn Fn(&RelPath) -> bool,
}

impl Subject<'_> {
    /// What an approval of it says, if it holds until then.
    pub fn statement(&self, expires: Moment) -> Statement {
        Statement::new(self.record, self.patch, self.context, expires)
    }
}

/// What a proposal could touch that it should not, in the order of its scope and then of its patch.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScopeReach {
    /// Entries and paths that no approval makes right.
    pub never: Vec<String>,
    /// Entries and paths that need a second key, each with what protects them.
    pub protected: Vec<(String, String)>,
    /// Entries and paths that somebody owns, each with the number of the rule that says who.
    pub owned: Vec<(String, usize)>,
}

#[derive(Clone, Debug)]
struct Protected {
    source: String,
    matcher: GlobMatcher,
    /// The segments before the first wildcard.
    fixed: Vec<String>,
}

impl Policy {
    /// A policy with these globs protected, besides what always is: `regreen.toml` and the allowed-signers file. Globs
    /// are paths from the root, where `*` stays within a segment; one that names a directory protects what is in it.
    pub fn new(
        require_signature: bool,
        allowed_signers: RelPath,
        protected: &[&str],
    ) -> Result<Policy, BadGlob> {
        let always = ["regreen.toml", allowed_signers.as_str()]
            .map(|it| Protected::new(it, &globset::escape(it)));
        let named = protected.iter().map(|it| Protected::new(it, it));
        let protected = always.into_iter().chain(named).collect::<Result<_, _>>()?;
        let approval_days = DEFAULT_APPROVAL_DAYS;
        Ok(Policy {
            require_signature,
            allowed_signers,
            protected,
            second_key: true,
            owners: Vec::new(),
            approval_days,
        })
    }

    /// The same where what governs proposals needs a second person, or does not because there is nobody else.
    #[must_use]
    pub fn with_second_key(self, second_key: bool) -> Policy {
        Policy { second_key, ..self }
    }

    /// The same where what touches the paths needs so many of the keys, each by name or fingerprint; of all, if none is named.
    pub fn with_owner(
        mut self,
        paths: &[String],
        keys: &[String],
        approvals: usize,
    ) -> Result<Policy, BadGlob> {
        let paths = paths.iter().map(|it| Protected::new(it, it)).collect::<Result<_, _>>()?;
        self.owners.push(Owner { paths, keys: keys.to_vec(), approvals });
        Ok(self)
    }

    pub(super) fn owners(&self) -> &[Owner] {
        &self.owners
    }

    /// The same with these files protected too: the programs that tools run.
    #[must_use]
    pub fn with_files(mut self, files: &[RelPath]) -> Policy {
        let files = files.iter().map(|it| (it.as_str(), globset::escape(it.as_str())));
        self.protected.extend(files.filter_map(|(it, glob)| Protected::new(it, &glob).ok()));
        self
    }

    /// The same where an approval must be signed.
    #[must_use]
    pub fn with_signatures_only(self) -> Policy {
        Policy { require_signature: true, ..self }
    }

    /// The same with approvals that count for so many days.
    #[must_use]
    pub fn with_approval_days(self, approval_days: u32) -> Policy {
        Policy { approval_days, ..self }
    }

    /// For how many days an approval counts.
    pub fn approval_days(&self) -> u32 {
        self.approval_days
    }

    /// Whether an approval must be signed, whatever it is about.
    pub fn require_signature(&self) -> bool {
        self.require_signature
    }

    /// Where the allowed-signers file is.
    pub fn allowed_signers(&self) -> &RelPath {
        &self.allowed_signers
    }

    /// What the proposal could touch that it should not.
    pub fn reach(&self, subject: &Subject<'_>) -> ScopeReach {
        let mut reach = ScopeReach::default();
        for entry in &subject.record.allowed_paths {
            let is_directory = entry.is_directory() || (subject.is_directory)(entry.path());
            self.add(&mut reach, entry.path(), is_directory, entry.to_string());
        }
        for path in subject.touched {
            self.add(&mut reach, path, false, path.to_string());
        }
        reach
    }

    fn add(&self, reach: &mut ScopeReach, path: &RelPath, is_directory: bool, shown: String) {
        if stores::is_store(path) {
            reach.never.push(shown);
            return;
        }
        let segments: Vec<String> = path.segments().map(folded).collect();
        for (idx, owner) in self.owners.iter().enumerate() {
            if owner.paths.iter().any(|it| it.could_be_touched(&segments, is_directory)) {
                reach.owned.push((shown.clone(), idx));
            }
        }
        if !self.second_key {
            return;
        }
        // Whoever writes the configuration of a folder governs what is done in it. A directory in a scope could hold one
        // wherever it is, so only what is named counts here; what a run makes is held against the names in the scope.
        if stores::is_configuration(path) {
            reach.protected.push((shown, stores::CONFIGURATION.to_owned()));
            return;
        }
        let by = self.protected.iter().find(|it| it.could_be_touched(&segments, is_directory));
        if let Some(by) = by {
            reach.protected.push((shown, by.source.clone()));
        }
    }
}

impl Protected {
    fn new(source: &str, glob: &str) -> Result<Protected, BadGlob> {
        let bad = |why: &str| BadGlob { glob: source.to_owned(), why: why.to_owned() };
        let trimmed = glob.strip_prefix("./").unwrap_or(glob).trim_matches('/');
        if trimmed.is_empty() {
            return Err(bad("it is empty"));
        }
        if trimmed.starts_with('!') {
            return Err(bad("a glob cannot take paths away with `!`"));
        }
        if trimmed.split('/').any(|it| it == "." || it == "..") {
            return Err(bad("it has a `.` or `..` segment"));
        }
        let matcher = GlobBuilder::new(&case_folded(trimmed))
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|it| bad(&it.kind().to_string()))?
            .compile_matcher();
        let fixed = trimmed
            .split('/')
            .take_while(|it| !it.contains(['*', '?', '[', ']', '{', '}', '\\']))
            .map(folded)
            .collect();
        Ok(Protected { source: source.to_owned(), matcher, fixed })
    }

    fn could_be_touched(&self, path: &[String], is_directory: bool) -> bool {
        // Whoever writes the directory itself, perhaps as a link, decides on all that is in it.
        let is_above = self.fixed.starts_with(path);
        let could_lead_to = is_directory && path.starts_with(&self.fixed);
        is_above
            || could_lead_to
            || (1..=path.len()).any(|n| self.matcher.is_match(path[..n].join("/")))
    }
}
