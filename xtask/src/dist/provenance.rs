//! Where a release comes from: an in-toto statement with SLSA provenance about every file of it.
//!
//! It is not signed, and says so. What it claims can be checked by building again (`cargo xtask dist --verify`); the
//! release workflow signs a statement of its own about the same files.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::cargo_graph::CargoGraph;
use super::sbom::purl;
use super::tools::{self, PinnedTool};
use super::{GLIBC, REPOSITORY, Release, TARGET};
use crate::command;

/// The statement about the files with these digests.
pub(crate) fn statement(
    release: &Release,
    graph: &CargoGraph,
    digests: &BTreeMap<String, String>,
) -> Result<Vec<u8>> {
    let output = command("rustc", &release.source).arg("-vV").output().context("rustc -vV")?;
    ensure!(output.status.success(), "rustc -vV ended with {}", output.status);
    let rustc = String::from_utf8(output.stdout)?;
    // What overrides the profile is an input like any other.
    let environment = std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PROFILE_DIST_"));
    let inputs =
        Inputs { rustc: &rustc, tools: &tools::pinned(), environment: &environment.collect() };
    let statement = document(release, graph, digests, &inputs);
    let mut bytes = serde_json::to_vec_pretty(&statement)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// What a build depends on beside the commit.
struct Inputs<'a> {
    /// What `rustc -vV` says.
    rustc: &'a str,
    tools: &'a [PinnedTool],
    /// Variables that change the profile.
    environment: &'a BTreeMap<String, String>,
}

fn document(
    release: &Release,
    graph: &CargoGraph,
    digests: &BTreeMap<String, String>,
    inputs: &Inputs<'_>,
) -> Value {
    let environment = inputs.environment;
    let subject: Vec<Value> = digests
        .iter()
        .map(|(name, digest)| json!({ "name": name, "digest": { "sha256": digest } }))
        .collect();
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subject,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": format!("{REPOSITORY}/blob/main/docs/guide/install.md#provenance"),
                "externalParameters": {
                    "source": format!("git+{REPOSITORY}@{}", release.commit),
                    "command": "cargo xtask dist",
                },
                "internalParameters": {
                    "note": "This statement is not signed: it says what was built from what, not who \
                             did it. Building the commit again gives the same bytes.",
                    "SOURCE_DATE_EPOCH": release.epoch,
                    "target": TARGET,
                    "glibc": format!("{}.{}", GLIBC.0, GLIBC.1),
                    "profile": "dist",
                    "environment": environment,
                },
                "resolvedDependencies": materials(release, graph, inputs),
            },
            "runDetails": {
                "builder": { "id": format!("{REPOSITORY}/blob/main/xtask/src/dist.rs") },
            },
        },
    })
}

/// Everything that the build reads: the source, the compiler, the tools, and the packages.
fn materials(release: &Release, graph: &CargoGraph, inputs: &Inputs<'_>) -> Vec<Value> {
    let mut materials = vec![json!({
        "uri": format!("git+{REPOSITORY}@{}", release.commit),
        "digest": { "gitCommit": release.commit },
    })];
    let field = |name: &str| {
        let mut lines = inputs.rustc.lines();
        lines.find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
    };
    materials.push(json!({
        "name": "rustc",
        "uri": format!("git+https://github.com/rust-lang/rust@{}", field("release:")),
        "digest": { "gitCommit": field("commit-hash:") },
    }));
    materials.extend(inputs.tools.iter().map(|tool| {
        json!({
            "uri": format!("pkg:pypi/{}@{}", tool.name, tool.version),
            "digest": { "sha256": tool.sha256 },
        })
    }));
    materials.extend(
        graph
            .materials
            .iter()
            .map(|(id, sha256)| json!({ "uri": purl(id), "digest": { "sha256": sha256 } })),
    );
    materials
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::dist::cargo_graph::tests::graph;

    #[test]
    fn the_statement_says_what_was_made_of_what() {
        let release = Release {
            source: PathBuf::from("/home/me/regreen"),
            target: PathBuf::from("/home/me/target"),
            version: "1.0.0".to_owned(),
            commit: "c0ffee".to_owned(),
            epoch: 7,
        };
        let digests = [("a.tar.gz".to_owned(), "dd".to_owned())].into();
        let rustc = "rustc 1.95.0\nrelease: 1.95.0\ncommit-hash: beef\n";
        let zig = PinnedTool { name: "ziglang".into(), version: "1.0".into(), sha256: "ee".into() };
        let environment = BTreeMap::new();
        let inputs = Inputs { rustc, tools: &[zig], environment: &environment };
        let statement = document(&release, &graph(), &digests, &inputs);
        assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
        assert_eq!(statement["predicateType"], "https://slsa.dev/provenance/v1");
        assert_eq!(
            statement["subject"],
            json!([{ "name": "a.tar.gz", "digest": { "sha256": "dd" } }])
        );
        let materials = &statement["predicate"]["buildDefinition"]["resolvedDependencies"];
        let digests: Vec<&Value> =
            materials.as_array().unwrap().iter().map(|it| &it["digest"]).collect();
        assert_eq!(
            digests,
            [
                &json!({ "gitCommit": "c0ffee" }),
                &json!({ "gitCommit": "beef" }),
                &json!({ "sha256": "ee" }),
                &json!({ "sha256": "aa" }),
                &json!({ "sha256": "cc" }),
            ]
        );
        let text = statement.to_string();
        assert!(text.contains("not signed") && !text.contains("/home/me"), "{text}");
    }
}
