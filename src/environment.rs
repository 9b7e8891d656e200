//! What the process was started with: the only place that reads environment variables and the current directory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use service::{Home, Programs};

/// What the common services for continuous integration set in their jobs.
pub(crate) const CI_VARIABLES: [&str; 65] = [
    "CI",
    "CONTINUOUS_INTEGRATION",
    "GITHUB_ACTIONS",
    "GITHUB_RUN_ID",
    "GITEA_ACTIONS",
    "FORGEJO_ACTIONS",
    "GITLAB_CI",
    "CIRCLECI",
    "TRAVIS",
    "JENKINS_URL",
    "HUDSON_URL",
    "BUILDKITE",
    "TF_BUILD",
    "SYSTEM_TEAMFOUNDATIONCOLLECTIONURI",
    "TEAMCITY_VERSION",
    "APPVEYOR",
    "APPCENTER_BUILD_ID",
    "DRONE",
    "HARNESS_BUILD_ID",
    "CI_PIPELINE_ID",
    "WOODPECKER",
    "BITBUCKET_BUILD_NUMBER",
    "BITBUCKET_COMMIT",
    "BITRISE_IO",
    "CODEBUILD_BUILD_ID",
    "CODEBUILD_BUILD_ARN",
    "SEMAPHORE",
    "CIRRUS_CI",
    "GO_PIPELINE_NAME",
    "GO_PIPELINE_LABEL",
    "bamboo_buildKey",
    "bamboo_planKey",
    "BUDDY",
    "BUDDY_WORKSPACE_ID",
    "HEROKU_TEST_RUN_ID",
    "NETLIFY",
    "VERCEL",
    "NOW_BUILDER",
    "CF_PAGES",
    "WORKERS_CI",
    "RENDER",
    "EAS_BUILD",
    "EARTHLY_CI",
    "PROW_JOB_ID",
    "CM_BUILD_ID",
    "XCS",
    "CI_XCODE_PROJECT",
    "AC_APPCIRCLE",
    "AGOLA_GIT_REF",
    "DSARI",
    "GERRIT_PROJECT",
    "JB_SPACE_EXECUTION_NUMBER",
    "LAYERCI",
    "MAGNUM",
    "NEVERCODE",
    "SAILCI",
    "SCREWDRIVER",
    "SHIPPABLE",
    "STRIDER",
    "TASKCLUSTER_ROOT_URL",
    "TASKCLUSTER_PROXY_URL",
    "VELA",
    "WERCKER",
    "BUILDER_OUTPUT",
    "BUILDKITE_BUILD_ID",
];

/// What regreen looks at outside its command line.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProcessEnvironment {
    /// Where relative paths on the command line start.
    pub(crate) directory: PathBuf,
    /// `REGREEN_ACTION` is set and is not `0`.
    pub(crate) is_action_asked_for: bool,
    /// `BUILD_WORKSPACE_DIRECTORY`: `bazel run` started us, for a person.
    pub(crate) bazel_run_root: Option<PathBuf>,
    /// We stand in a directory that Bazel made for an action or a test.
    pub(crate) is_bazel_action: bool,
    /// What a git hook is started with: which repository and which index. A path in it is absolute.
    pub(crate) git: Vec<(&'static str, OsString)>,
    /// `GIT_CONFIG_COUNT`: how many settings for git the environment has.
    pub(crate) n_git_settings: usize,
    /// A service for continuous integration runs us, as its variables say: nobody is here to decide anything.
    pub(crate) is_ci: bool,
    /// `SSH_AUTH_SOCK`: where the SSH agent listens.
    pub(crate) ssh_agent: Option<PathBuf>,
    /// `REGREEN_REGISTRY`: where proposals are kept, for URLs with a password, which no configuration should hold.
    pub(crate) registry: Option<String>,
    /// `USER`: who runs us, as far as the shell knows.
    pub(crate) user: Option<String>,
    /// Where this user keeps state and caches: `REGREEN_STATE_DIR`, `XDG_STATE_HOME`, `XDG_CACHE_HOME`, else the folders
    /// in the home directory.
    pub(crate) home: Home,
    /// `REGREEN_TRUST` is set and is not `0`.
    pub(crate) is_trusting: bool,
    /// `PATH`, `HOME`, and where toolchains are.
    pub(crate) programs: Programs,
}

/// The variables by which git tells its hooks where they work; their values are paths.
const GIT_PATHS: [&str; 3] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];

impl ProcessEnvironment {
    /// Reads the environment of this process.
    pub(crate) fn read() -> Result<ProcessEnvironment> {
        let current = std::env::current_dir().context("cannot find the current directory")?;
        Ok(ProcessEnvironment::from_parts(&current, &|name| std::env::var_os(name)))
    }

    fn from_parts(
        current: &Path,
        variable: &dyn Fn(&str) -> Option<OsString>,
    ) -> ProcessEnvironment {
        let variable = |name: &str| variable(name).filter(|it| !it.is_empty());
        let bazel_run_root = variable("BUILD_WORKSPACE_DIRECTORY").map(PathBuf::from);
        // `bazel run` starts programs in their runfiles and says where the user stands.
        let user_directory =
            variable("BUILD_WORKING_DIRECTORY").filter(|_| bazel_run_root.is_some());
        let is_test = variable("BAZEL_TEST").is_some() || variable("TEST_SRCDIR").is_some();
        let is_below_execroot = current.components().any(|it| it.as_os_str() == "execroot");
        let is_sandbox = is_below_execroot && current.join("bazel-out").is_dir();
        ProcessEnvironment {
            directory: user_directory.map_or_else(|| current.to_owned(), PathBuf::from),
            is_action_asked_for: variable("REGREEN_ACTION").is_some_and(|it| it != "0"),
            bazel_run_root,
            is_bazel_action: is_test || is_sandbox,
            git: git_variables(current, &variable),
            n_git_settings: variable("GIT_CONFIG_COUNT")
                .and_then(|it| it.to_str()?.parse().ok())
                .unwrap_or(0),
            is_ci: CI_VARIABLES.iter().any(|it| {
                variable(it).is_some_and(|it| !it.is_empty() && it != "0" && it != "false")
            }),
            ssh_agent: variable("SSH_AUTH_SOCK").map(PathBuf::from),
            registry: variable("REGREEN_REGISTRY").and_then(|it| it.into_string().ok()),
            user: variable("USER").and_then(|it| it.into_string().ok()),
            home: home(current, &variable),
            is_trusting: variable("REGREEN_TRUST").is_some_and(|it| it != "0"),
            programs: programs(current, &variable),
        }
    }
}

/// The user's own programs and what belongs to them.
fn programs(current: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> Programs {
    let named = Programs::VARIABLES.into_iter();
    Programs {
        path: variable("PATH").unwrap_or_default(),
        home: variable("HOME").map(PathBuf::from).filter(|it| it.is_absolute()),
        cache: home(current, variable).cache,
        variables: named.filter_map(|it| Some((it.to_owned(), variable(it)?))).collect(),
    }
}

/// The folders of the XDG base directory specification, in which a path that is not absolute counts as unset.
fn home(current: &Path, variable: &dyn Fn(&str) -> Option<OsString>) -> Home {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|it| it.is_absolute());
    // Whoever has no `HOME`, as under `env -i`, has a home directory in the user database.
    let user = || absolute("HOME").or_else(std::env::home_dir).filter(|it| it.is_absolute());
    let folder = |name: &str, default: &str| {
        let base = absolute(name).or_else(|| user().map(|it| it.join(default)));
        base.map(|it| it.join("regreen"))
    };
    let chosen = variable("REGREEN_STATE_DIR").map(|it| current.join(it));
    Home {
        state: chosen.or_else(|| folder("XDG_STATE_HOME", ".local/state")),
        cache: folder("XDG_CACHE_HOME", ".cache"),
    }
}

/// git is run in the root of the workspace, and a hook is given paths that are relative to where it is started.
fn git_variables(
    current: &Path,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Vec<(&'static str, OsString)> {
    let mut found: Vec<_> = GIT_PATHS
        .into_iter()
        .filter_map(|name| Some((name, current.join(variable(name)?).into_os_string())))
        .collect();
    let has = |wanted: &str| found.iter().any(|it| it.0 == wanted);
    // With a repository and no work tree git takes the directory it is run in for the work tree.
    if has("GIT_DIR") && !has("GIT_WORK_TREE") {
        found.push(("GIT_WORK_TREE", current.as_os_str().to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(current: &Path, variables: &[(&str, &str)]) -> ProcessEnvironment {
        let find =
            |name: &str| variables.iter().find(|it| it.0 == name).map(|it| OsString::from(it.1));
        ProcessEnvironment::from_parts(current, &find)
    }

    #[test]
    fn an_empty_variable_counts_as_unset_and_zero_as_no() {
        let here = Path::new("/here");
        assert!(read(here, &[("REGREEN_ACTION", "1")]).is_action_asked_for);
        assert!(!read(here, &[("REGREEN_ACTION", "0")]).is_action_asked_for);
        assert!(!read(here, &[("REGREEN_ACTION", "")]).is_action_asked_for);
        assert_eq!(read(here, &[("BUILD_WORKSPACE_DIRECTORY", "")]).bazel_run_root, None);
    }

    #[test]
    fn bazel_is_known_by_its_variables_and_by_its_directories() {
        let here = Path::new("/here");
        assert!(read(here, &[("BAZEL_TEST", "1")]).is_bazel_action);
        assert!(read(here, &[("TEST_SRCDIR", "/x")]).is_bazel_action);
        assert!(!read(here, &[]).is_bazel_action);
        let folder = tempfile::tempdir().unwrap();
        let sandbox = folder.path().join("execroot/main");
        std::fs::create_dir_all(sandbox.join("bazel-out")).unwrap();
        assert!(read(&sandbox, &[]).is_bazel_action);
        assert!(!read(folder.path(), &[]).is_bazel_action);
    }

    #[test]
    fn what_a_git_hook_is_given_is_absolute() {
        let given = [("GIT_INDEX_FILE", ".git/index.lock"), ("GIT_DIR", "/repo/.git")];
        let environment = read(Path::new("/repo"), &given);
        let expected = [
            ("GIT_DIR", "/repo/.git"),
            ("GIT_INDEX_FILE", "/repo/.git/index.lock"),
            ("GIT_WORK_TREE", "/repo"),
        ];
        assert_eq!(environment.git, expected.map(|(name, value)| (name, value.into())));
        assert!(read(Path::new("/repo"), &[]).git.is_empty());
    }

    #[test]
    fn state_and_caches_are_where_the_user_wants_them() {
        let home = |variables: &[(&str, &str)]| {
            let home = read(Path::new("/here"), variables).home;
            [home.state, home.cache].map(|it| it.unwrap().display().to_string())
        };
        let user = ("HOME", "/home/ana");
        assert_eq!(home(&[user]), ["/home/ana/.local/state/regreen", "/home/ana/.cache/regreen"]);
        let xdg = [user, ("XDG_STATE_HOME", "/s"), ("XDG_CACHE_HOME", "/c")];
        assert_eq!(home(&xdg), ["/s/regreen", "/c/regreen"]);
        let relative = [user, ("XDG_STATE_HOME", "s"), ("XDG_CACHE_HOME", "")];
        assert_eq!(home(&relative), home(&[user]));
        let chosen = [user, ("XDG_STATE_HOME", "/s"), ("REGREEN_STATE_DIR", "mine")];
        assert_eq!(home(&chosen)[0], "/here/mine");
    }

    #[test]
    fn bazel_run_says_where_the_user_stands() {
        let run = [("BUILD_WORKSPACE_DIRECTORY", "/ws"), ("BUILD_WORKING_DIRECTORY", "/ws/sub")];
        let environment = read(Path::new("/runfiles"), &run);
        assert_eq!(environment.directory, Path::new("/ws/sub"));
        assert_eq!(environment.bazel_run_root.as_deref(), Some(Path::new("/ws")));
        assert_eq!(read(Path::new("/here"), &run[1..]).directory, Path::new("/here"));
    }
}
