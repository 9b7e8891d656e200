//! What the name of a file says about how strictly it is read.

use check::Severity;

/// How those who read a JSON file take comments and trailing commas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum JsonDialect {
    /// They allow them.
    Extended,
    /// They refuse the file.
    Strict,
    /// Nobody knows.
    Unknown,
}

/// File names whose readers allow comments and trailing commas.
const EXTENDED: &[&str] = &[
    ".babelrc.json",
    ".cspell.json",
    ".devcontainer.json",
    ".eslintrc.json",
    ".jscsrc.json",
    ".jshintrc.json",
    ".luarc.json",
    ".markdownlint.json",
    ".mocharc.json",
    ".oxlintrc.json",
    "angular.json",
    "api-extractor.json",
    "appsettings.json",
    "babel.config.json",
    "biome.json",
    "cspell.json",
    "deno.json",
    "devcontainer.json",
    "firebase.json",
    "global.json",
    "jsconfig.json",
    "language-configuration.json",
    "launchSettings.json",
    "nx.json",
    "pyrightconfig.json",
    "renovate.json",
    "rush.json",
    "tsconfig.json",
    "tsdoc.json",
    "tslint.json",
    "turbo.json",
    "typedoc.json",
];

/// Names that have something between these two, as in `tsconfig.build.json`.
const EXTENDED_AROUND: &[(&str, &str)] = &[
    ("tsconfig.", ".json"),
    ("tsconfig-", ".json"),
    ("jsconfig.", ".json"),
    ("appsettings.", ".json"),
    ("api-extractor-", ".json"),
    ("", ".jsonc"),
    ("", ".code-workspace"),
    ("", "-color-theme.json"),
];

/// Folders all of whose files are read so.
const EXTENDED_FOLDERS: &[&str] = &[".devcontainer", ".vscode", ".zed"];

/// File names whose readers take JSON and nothing else.
const STRICT: &[&str] = &[
    "bower.json",
    "composer.json",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.json",
    "packages.lock.json",
];

/// Folders in which tests keep files that may be wrong on purpose.
const SAMPLES: &[&str] = &[
    "__fixtures__",
    "__snapshots__",
    "bad",
    "broken",
    "corpora",
    "corpus",
    "fixture",
    "fixtures",
    "golden",
    "goldens",
    "invalid",
    "malformed",
    "snapshot",
    "snapshots",
    "test-data",
    "test-files",
    "test_data",
    "test_files",
    "testdata",
    "testfiles",
];

impl JsonDialect {
    pub(super) fn of(path: &str) -> JsonDialect {
        let mut segments = path.rsplit('/');
        let name = segments.next().unwrap_or(path);
        let is_around = |(start, end): &(&str, &str)| {
            name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end))
        };
        let is_extended = EXTENDED.contains(&name)
            || EXTENDED_AROUND.iter().any(is_around)
            || segments.any(|it| EXTENDED_FOLDERS.contains(&it));
        if is_extended {
            JsonDialect::Extended
        } else if STRICT.contains(&name) || name.ends_with(".webmanifest") {
            JsonDialect::Strict
        } else {
            JsonDialect::Unknown
        }
    }

    /// How bad comments and trailing commas are; `None` if they are allowed.
    pub(super) fn severity(self) -> Option<Severity> {
        match self {
            JsonDialect::Extended => None,
            JsonDialect::Strict => Some(Severity::Error),
            JsonDialect::Unknown => Some(Severity::Warning),
        }
    }
}

/// How bad it is that the file does not parse.
pub(super) fn severity(path: &str) -> Severity {
    let folders = path.rsplit('/').skip(1);
    match folders.into_iter().any(|it| SAMPLES.contains(&it.to_ascii_lowercase().as_str())) {
        true => Severity::Warning,
        false => Severity::Error,
    }
}

/// Whether the tool that reads the file gives a meaning to a key that stands twice: Cirrus CI runs every `task`.
pub(super) fn may_repeat_keys(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, ".cirrus.yml" | ".cirrus.yaml")
}

/// Whether regreen reads the file itself and says what is wrong with it.
pub(super) fn is_own(path: &str) -> bool {
    path == "regreen.toml" || path.starts_with(".regreen/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_how_json_is_read() {
        for (path, expected) in [
            ("tsconfig.json", JsonDialect::Extended),
            ("a/tsconfig.build.json", JsonDialect::Extended),
            ("a/.vscode/x/settings.json", JsonDialect::Extended),
            ("a.jsonc", JsonDialect::Extended),
            ("x.code-workspace", JsonDialect::Extended),
            ("package.json", JsonDialect::Strict),
            ("a/b/package-lock.json", JsonDialect::Strict),
            ("app.webmanifest", JsonDialect::Strict),
            ("vscode/settings.json", JsonDialect::Unknown),
            ("data.json", JsonDialect::Unknown),
        ] {
            assert_eq!(JsonDialect::of(path), expected, "{path}");
        }
        for list in [EXTENDED, STRICT, SAMPLES, EXTENDED_FOLDERS] {
            assert!(list.is_sorted(), "{list:?}");
        }
    }

    #[test]
    fn samples_of_tests_are_less_bad() {
        assert_eq!(severity("tests/Fixtures/a/b.json"), Severity::Warning);
        assert_eq!(severity("testdata/a.yaml"), Severity::Warning);
        assert_eq!(severity("fixtures.json"), Severity::Error);
        assert_eq!(severity("a/b.json"), Severity::Error);
    }
}
