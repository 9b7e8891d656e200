//! What a repository may do on the user's machine, and what it may not do before the user says so.

use schemars::JsonSchema;
use serde::Serialize;

/// What `trust` reports: what needs trust, and what of it is trusted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct TrustReport {
    /// With `--show`: whether nothing needs trust, or all of it is trusted. Else whether it was done.
    pub ok: bool,
    /// Everything in the repository that needs trust.
    pub items: Vec<TrustItem>,
    /// What is trusted and not there any more.
    pub gone: Vec<UntrustedItem>,
    /// Why what was recorded does not count; null if it does, or if nothing was.
    pub note: Option<String>,
}

/// Something in the repository that needs trust.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct TrustItem {
    /// `tool`, `govern`, `registry` or `signer`.
    pub kind: String,
    /// Its name among those of its kind.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// The file that it comes from, with the line where that tells more.
    pub source: String,
    /// What it may do once it is trusted.
    pub allows: String,
    /// The hash of its content: another content needs trust again.
    pub digest: String,
    /// Whether it is trusted.
    pub state: TrustState,
}

/// Whether something is trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustState {
    /// As it is.
    Trusted,
    /// It never was.
    New,
    /// Something of that name was, with another content.
    Changed,
}

/// Something that does not count because the user has not trusted it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
pub struct UntrustedItem {
    /// `tool`, `govern`, `registry` or `signer`.
    pub kind: String,
    /// Its name among those of its kind.
    pub name: String,
    /// What people call it.
    pub title: String,
}
