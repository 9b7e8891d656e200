//! What the result of a change must keep to.

/// Limits of a change, beside its scope. An absent member does not limit anything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Constraints {
    /// The most files that may be created, changed, deleted, renamed or get another mode. 0 means none.
    pub max_files_changed: Option<u32>,
    /// No manifest or lock file may name a dependency that it did not name before.
    pub no_new_dependencies: Option<bool>,
    /// No file may be moved and no code restructured.
    pub no_refactor: Option<bool>,
}
