//! The packs that come with regreen, as files of the binary.

use std::collections::BTreeMap;

use edit::Text;

use crate::load::Compile;
use crate::pack::Pack;

/// The files of one pack: paths inside its folder and their texts.
type PackFiles = &'static [(&'static str, &'static str)];

/// Every pack that is built in.
const PACKS: &[PackFiles] = &[GITHUB];

/// What GitHub reads from a repository.
const GITHUB: PackFiles = &[
    ("docs/POL_ACTION_PINNED.md", include_str!("../builtin/github/docs/POL_ACTION_PINNED.md")),
    (
        "docs/SEM_JOB_NEEDS_RESOLVE.md",
        include_str!("../builtin/github/docs/SEM_JOB_NEEDS_RESOLVE.md"),
    ),
    ("pack.yaml", include_str!("../builtin/github/pack.yaml")),
    (
        "schemas/dependabot.schema.json",
        include_str!("../builtin/github/schemas/dependabot.schema.json"),
    ),
    (
        "schemas/workflow.schema.json",
        include_str!("../builtin/github/schemas/workflow.schema.json"),
    ),
];

impl Pack {
    /// The packs that are built in, in the order of their names.
    pub fn builtin() -> Vec<Pack> {
        let load = |files: &PackFiles| {
            Pack::load_with(&texts(files), Compile::WhenNeeded)
                .expect("a test loads every pack that is built in")
        };
        PACKS.iter().map(load).collect()
    }
}

fn texts(files: PackFiles) -> BTreeMap<String, Text> {
    files.iter().map(|(path, text)| ((*path).to_owned(), Text::new(*text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pack_that_is_built_in_loads() {
        for files in PACKS {
            let problems = Pack::load(&texts(files)).err().unwrap_or_default();
            assert_eq!(problems, [], "schemas and expressions are compiled too");
        }
        let packs = Pack::builtin();
        assert_eq!(packs.len(), PACKS.len());
        assert!(packs.is_sorted_by(|left, right| left.name() < right.name()));
    }
}
