//! The tools, one file each.

mod ast_grep;
mod biome;
mod clang_format;
pub(crate) mod clang_tidy;
mod clippy;
mod codespell;
mod eslint;
mod findings_only;
mod go;
mod gofmt;
mod markdownlint;
mod oxlint;
mod prettier;
mod ruff;
mod rumdl;
mod rustfmt;
mod semgrep;
mod shellcheck;
mod shfmt;
mod sqlfluff;
mod stylelint;
mod taplo;
mod typos;

use crate::adapter::Adapter;

pub(crate) use rustfmt::with_edition;

/// Every adapter, by name.
const ALL: &[&Adapter] = &[
    &ast_grep::ADAPTER,
    &biome::ADAPTER,
    &biome::FORMAT,
    &clang_format::ADAPTER,
    &clang_tidy::ADAPTER,
    &clippy::ADAPTER,
    &codespell::ADAPTER,
    &eslint::ADAPTER,
    &go::FIX,
    &go::VET,
    &gofmt::ADAPTER,
    &findings_only::GOLANGCI_LINT,
    &findings_only::HADOLINT,
    &markdownlint::ADAPTER,
    &findings_only::MYPY,
    &oxlint::ADAPTER,
    &prettier::ADAPTER,
    &findings_only::PYRIGHT,
    &ruff::CHECK,
    &ruff::FORMAT,
    &rumdl::ADAPTER,
    &clippy::RUSTC,
    &rustfmt::ADAPTER,
    &semgrep::ADAPTER,
    &shellcheck::ADAPTER,
    &shfmt::ADAPTER,
    &sqlfluff::ADAPTER,
    &stylelint::ADAPTER,
    &taplo::ADAPTER,
    &findings_only::TSC,
    &findings_only::TY,
    &typos::ADAPTER,
    &findings_only::YAMLLINT,
];

/// Every adapter, by name.
pub fn all() -> &'static [&'static Adapter] {
    ALL
}

/// The adapter with this name.
pub fn adapter(name: &str) -> Option<&'static Adapter> {
    ALL.iter().copied().find(|it| it.name == name)
}
