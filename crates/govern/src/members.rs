//! The members of a record, for everything that lists them: the reader that refuses others, and the schema.

/// A member of a record, in the order of the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Member {
    Id,
    Version,
    Type,
    Project,
    Goal,
    Instructions,
    AllowedPaths,
    Tool,
    Constraints,
    Status,
    SourceDds,
    ErrorContext,
}

/// What a record can be constrained by.
pub(crate) const CONSTRAINTS: [&str; 3] =
    ["max_files_changed", "no_new_dependencies", "no_refactor"];

/// What a correction says about the failure that it is for.
pub(crate) const ERROR_CONTEXT: [&str; 3] = ["original_dds", "error_message", "failed_at"];

impl Member {
    /// All of them.
    pub(crate) const ALL: [Member; 12] = [
        Member::Id,
        Member::Version,
        Member::Type,
        Member::Project,
        Member::Goal,
        Member::Instructions,
        Member::AllowedPaths,
        Member::Tool,
        Member::Constraints,
        Member::Status,
        Member::SourceDds,
        Member::ErrorContext,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Member::Id => "id",
            Member::Version => "version",
            Member::Type => "type",
            Member::Project => "project",
            Member::Goal => "goal",
            Member::Instructions => "instructions",
            Member::AllowedPaths => "allowed_paths",
            Member::Tool => "tool",
            Member::Constraints => "constraints",
            Member::Status => "status",
            Member::SourceDds => "source_dds",
            Member::ErrorContext => "error_context",
        }
    }

    /// The member of that name.
    pub(crate) fn named(name: &str) -> Option<Member> {
        Member::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Whether only a code_fix has it.
    pub(crate) fn is_of_fixes(self) -> bool {
        matches!(self, Member::SourceDds | Member::ErrorContext)
    }
}
