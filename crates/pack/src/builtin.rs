//! The packs that come with regreen, as files of the binary.

use std::collections::BTreeMap;

use edit::Text;

use crate::load::CompileWhen;
use crate::pack::Pack;

/// The files of one pack: paths inside its folder and their texts.
type PackFiles = &'static [(&'static str, &'static str)];

/// Every pack that is built in, by name.
const PACKS: &[PackFiles] = &[
    CARGO, CITATION, COMPOSE, GITHUB, GITLAB, HELM, KUBERNETES, NPM, OPENAPI, PRE_COMMIT, PYTHON,
    RENOVATE, TYPESCRIPT,
];

const CARGO: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/cargo/pack.yaml")),
    ("schemas/manifest.schema.json", include_str!("../builtin/cargo/schemas/manifest.schema.json")),
];

const CITATION: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/citation/pack.yaml")),
    (
        "schemas/citation.schema.json",
        include_str!("../builtin/citation/schemas/citation.schema.json"),
    ),
];

const COMPOSE: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/compose/pack.yaml")),
    ("schemas/compose.schema.json", include_str!("../builtin/compose/schemas/compose.schema.json")),
];

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

const GITLAB: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/gitlab/pack.yaml")),
    (
        "schemas/pipeline.schema.json",
        include_str!("../builtin/gitlab/schemas/pipeline.schema.json"),
    ),
];

const HELM: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/helm/pack.yaml")),
    ("schemas/chart.schema.json", include_str!("../builtin/helm/schemas/chart.schema.json")),
];

const KUBERNETES: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/kubernetes/pack.yaml")),
    (
        "schemas/common.schema.json",
        include_str!("../builtin/kubernetes/schemas/common.schema.json"),
    ),
    (
        "schemas/configmap.schema.json",
        include_str!("../builtin/kubernetes/schemas/configmap.schema.json"),
    ),
    (
        "schemas/cronjob.schema.json",
        include_str!("../builtin/kubernetes/schemas/cronjob.schema.json"),
    ),
    (
        "schemas/daemonset.schema.json",
        include_str!("../builtin/kubernetes/schemas/daemonset.schema.json"),
    ),
    (
        "schemas/deployment.schema.json",
        include_str!("../builtin/kubernetes/schemas/deployment.schema.json"),
    ),
    (
        "schemas/horizontalpodautoscaler.schema.json",
        include_str!("../builtin/kubernetes/schemas/horizontalpodautoscaler.schema.json"),
    ),
    (
        "schemas/ingress.schema.json",
        include_str!("../builtin/kubernetes/schemas/ingress.schema.json"),
    ),
    ("schemas/job.schema.json", include_str!("../builtin/kubernetes/schemas/job.schema.json")),
    (
        "schemas/namespace.schema.json",
        include_str!("../builtin/kubernetes/schemas/namespace.schema.json"),
    ),
    (
        "schemas/networkpolicy.schema.json",
        include_str!("../builtin/kubernetes/schemas/networkpolicy.schema.json"),
    ),
    (
        "schemas/persistentvolumeclaim.schema.json",
        include_str!("../builtin/kubernetes/schemas/persistentvolumeclaim.schema.json"),
    ),
    ("schemas/pod.schema.json", include_str!("../builtin/kubernetes/schemas/pod.schema.json")),
    (
        "schemas/poddisruptionbudget.schema.json",
        include_str!("../builtin/kubernetes/schemas/poddisruptionbudget.schema.json"),
    ),
    (
        "schemas/replicaset.schema.json",
        include_str!("../builtin/kubernetes/schemas/replicaset.schema.json"),
    ),
    ("schemas/role.schema.json", include_str!("../builtin/kubernetes/schemas/role.schema.json")),
    (
        "schemas/rolebinding.schema.json",
        include_str!("../builtin/kubernetes/schemas/rolebinding.schema.json"),
    ),
    (
        "schemas/secret.schema.json",
        include_str!("../builtin/kubernetes/schemas/secret.schema.json"),
    ),
    (
        "schemas/service.schema.json",
        include_str!("../builtin/kubernetes/schemas/service.schema.json"),
    ),
    (
        "schemas/serviceaccount.schema.json",
        include_str!("../builtin/kubernetes/schemas/serviceaccount.schema.json"),
    ),
    (
        "schemas/statefulset.schema.json",
        include_str!("../builtin/kubernetes/schemas/statefulset.schema.json"),
    ),
];

const NPM: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/npm/pack.yaml")),
    ("schemas/package.schema.json", include_str!("../builtin/npm/schemas/package.schema.json")),
];

const OPENAPI: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/openapi/pack.yaml")),
    (
        "schemas/openapi30.schema.json",
        include_str!("../builtin/openapi/schemas/openapi30.schema.json"),
    ),
    (
        "schemas/openapi31.schema.json",
        include_str!("../builtin/openapi/schemas/openapi31.schema.json"),
    ),
];

const PRE_COMMIT: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/pre-commit/pack.yaml")),
    (
        "schemas/config.schema.json",
        include_str!("../builtin/pre-commit/schemas/config.schema.json"),
    ),
];

const PYTHON: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/python/pack.yaml")),
    (
        "schemas/pyproject.schema.json",
        include_str!("../builtin/python/schemas/pyproject.schema.json"),
    ),
];

const RENOVATE: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/renovate/pack.yaml")),
    ("schemas/config.schema.json", include_str!("../builtin/renovate/schemas/config.schema.json")),
];

const TYPESCRIPT: PackFiles = &[
    ("pack.yaml", include_str!("../builtin/typescript/pack.yaml")),
    (
        "schemas/tsconfig.schema.json",
        include_str!("../builtin/typescript/schemas/tsconfig.schema.json"),
    ),
];

impl Pack {
    /// The packs that are built in, in the order of their names.
    pub fn builtin() -> Vec<Pack> {
        let load = |files: &PackFiles| {
            Pack::load_with(&texts(files), CompileWhen::WhenNeeded)
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
