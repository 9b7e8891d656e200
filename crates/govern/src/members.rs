//! The members of a record, for everything that lists them: the reader that refuses others, and the schema.

/// A member of a record, in the order of the contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RecordMember {
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

impl RecordMember {
    /// All of them.
    pub(crate) const ALL: [RecordMember; 12] = [
        RecordMember::Id,
        RecordMember::Version,
        RecordMember::Type,
        RecordMember::Project,
        RecordMember::Goal,
        RecordMember::Instructions,
        RecordMember::AllowedPaths,
        RecordMember::Tool,
        RecordMember::Constraints,
        RecordMember::Status,
        RecordMember::SourceDds,
        RecordMember::ErrorContext,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            RecordMember::Id => "id",
            RecordMember::Version => "version",
            RecordMember::Type => "type",
            RecordMember::Project => "project",
            RecordMember::Goal => "goal",
            RecordMember::Instructions => "instructions",
            RecordMember::AllowedPaths => "allowed_paths",
            RecordMember::Tool => "tool",
            RecordMember::Constraints => "constraints",
            RecordMember::Status => "status",
            RecordMember::SourceDds => "source_dds",
            RecordMember::ErrorContext => "error_context",
        }
    }

    /// The member of that name.
    pub(crate) fn named(name: &str) -> Option<RecordMember> {
        RecordMember::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Whether only a code_fix has it.
    pub(crate) fn is_of_fixes(self) -> bool {
        matches!(self, RecordMember::SourceDds | RecordMember::ErrorContext)
    }
}
