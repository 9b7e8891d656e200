//! The rules that regreen itself looks after, whatever packs there are: its configuration, files that are too large,
//! and comments that ignore findings. A file that cannot be read is a failure and no finding (AE-48).

use check::{Diagnostic, Location, RuleOrigin, Severity, Tier};
use document::Pointer;

use crate::config;

/// The source of these findings.
pub(crate) const SOURCE: &str = "regreen";

const CONFIG: &str = "SCHEMA_CONFIG";
const PACK: &str = "SCHEMA_PACK";
const TOO_LARGE: &str = "SCHEMA_TOO_LARGE";

/// A page about a rule.
pub(crate) struct OwnPage {
    pub(crate) rule_id: &'static str,
    pub(crate) tier: Tier,
    pub(crate) severity: Severity,
    pub(crate) title: &'static str,
    pub(crate) what: &'static str,
    pub(crate) why: &'static str,
    pub(crate) example: &'static str,
    pub(crate) repair: &'static str,
}

/// Every rule of ours, by id.
pub(crate) const PAGES: &[OwnPage] = &[
    OwnPage {
        rule_id: CONFIG,
        tier: Tier::Schema,
        severity: Severity::Error,
        title: "The configuration is wrong",
        what: "`regreen.toml` has an unknown key, or a value that is not allowed where it is.",
        why: "A setting that is not understood would be ignored silently, and the check would cover less than you asked for.",
        example: "[workspace]\nexlude = [\"vendor/\"]   # unknown key `exlude`; did you mean `exclude`?\n",
        repair: "None: correct the configuration.",
    },
    OwnPage {
        rule_id: PACK,
        tier: Tier::Schema,
        severity: Severity::Error,
        title: "A pack is wrong",
        what: "A pack that `regreen.toml` names has an unknown key, a rule that cannot be understood, or lacks a file.",
        why: "A rule that is not understood would be ignored silently.",
        example: "rules:\n  - id: SEM_NAME_UNIQUE\n    rule: uniqe   # did you mean `unique`?\n",
        repair: "None: correct the pack.",
    },
    OwnPage {
        rule_id: TOO_LARGE,
        tier: Tier::Schema,
        severity: Severity::Info,
        title: "The file is larger than what is read",
        what: "A document is larger than `max_file_size` in `[workspace]` of `regreen.toml` (64 MiB if it does not say).",
        why: "It was not checked.",
        example: "[workspace]\nmax_file_size = 134217728\n",
        repair: "None: raise the limit, or exclude the file.",
    },
    OwnPage {
        rule_id: "SEM_IGNORE_WITHOUT_RULE",
        tier: Tier::Semantic,
        severity: Severity::Warning,
        title: "A comment ignores findings without naming a rule",
        what: "A comment says `regreen: ignore` or `regreen: ignore-file` and no rule after it.",
        why: "It ignores nothing: ignoring everything would hide findings that nobody expected.",
        example: "port: \"8080\"  # regreen: ignore SCHEMA_TYPE -- the old loader wants a string\n",
        repair: "None: name the rule.",
    },
    OwnPage {
        rule_id: "SEM_UNUSED_IGNORE",
        tier: Tier::Semantic,
        severity: Severity::Warning,
        title: "A comment ignores nothing",
        what: "A comment says `regreen: ignore` with a rule that finds nothing there.",
        why: "What it was written for is gone, and it would hide the next finding.",
        example: "port: 8080  # regreen: ignore SCHEMA_TYPE\n",
        repair: "None: remove the comment.",
    },
];

/// What is wrong with the configuration.
pub(crate) fn config_problem(
    at: Option<&Pointer>,
    location: Option<Location>,
    message: String,
) -> Diagnostic {
    about_config(CONFIG, Severity::Error, at, location, message)
}

/// What is wrong with a pack.
pub(crate) fn pack_problem(file: &str, message: String) -> Diagnostic {
    diagnostic(PACK, Severity::Error, file, message)
}

/// A document that is too large to be read.
pub(crate) fn too_large(file: &str, size: u64, limit: u64) -> Diagnostic {
    let message = format!(
        "the file has {size} bytes and was not checked: no more than {limit} are read; \
         `max_file_size` in `[workspace]` of {} changes that",
        config::PATH
    );
    diagnostic(TOO_LARGE, Severity::Info, file, message)
}

fn about_config(
    rule: &str,
    severity: Severity,
    at: Option<&Pointer>,
    location: Option<Location>,
    message: String,
) -> Diagnostic {
    let json_pointer = at.map(Pointer::to_string);
    Diagnostic { json_pointer, location, ..diagnostic(rule, severity, config::PATH, message) }
}

/// A finding about a whole file.
fn diagnostic(rule: &str, severity: Severity, file: &str, message: String) -> Diagnostic {
    let rule = RuleOrigin { source: SOURCE, phase: "setup", tier: Tier::Schema, rule_id: rule };
    Diagnostic::new(rule, severity, file, message)
}
