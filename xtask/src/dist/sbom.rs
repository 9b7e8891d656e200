//! The bill of materials of the binary, in the CycloneDX format: what is linked into it, and nothing that only helped to
//! build it, which is in the provenance.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::cargo_graph::{CargoGraph, CrateId, Package};
use super::{REPOSITORY, Release, TARGET};

/// The bill as bytes that depend on the commit alone.
pub(crate) fn bill(release: &Release, graph: &CargoGraph) -> Result<Vec<u8>> {
    let bill = document(&release.version, release.epoch, graph)?;
    let mut bytes = serde_json::to_vec_pretty(&bill)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn document(version: &str, epoch: u64, graph: &CargoGraph) -> Result<Value> {
    let us: CrateId = ("regreen".to_owned(), version.to_owned());
    let ours = graph.linked.get(&us).with_context(|| format!("{us:?} is not linked"))?;
    let others = graph.linked.iter().filter(|(id, _)| **id != us);
    let mut root = component(&us, ours);
    root["type"] = json!("application");
    let dependencies: Vec<Value> = graph
        .linked
        .iter()
        .map(|(id, package)| {
            let uses: Vec<String> = package.uses.iter().map(purl).collect();
            json!({ "ref": purl(id), "dependsOn": uses })
        })
        .collect();
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(epoch),
            "component": root,
            "properties": [
                { "name": "regreen:target", "value": TARGET },
                { "name": "regreen:source", "value": REPOSITORY },
            ],
        },
        "components": others.map(|(id, package)| component(id, package)).collect::<Vec<_>>(),
        "dependencies": dependencies,
    }))
}

fn component(id: &CrateId, package: &Package) -> Value {
    let mut component = json!({
        "type": "library",
        "bom-ref": purl(id),
        "name": id.0,
        "version": id.1,
        "description": package.description.split_whitespace().collect::<Vec<_>>().join(" "),
        "licenses": [{ "expression": package.licence }],
        "purl": purl(id),
    });
    if let Some(sha256) = &package.sha256 {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sha256 }]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    if !package.bundled.is_empty() {
        let bundled = package.bundled.iter().map(|it| {
            json!({
                "type": "library",
                "bom-ref": format!("{}#{}", purl(id), it.name),
                "name": it.name,
                "version": it.version,
                "licenses": [{ "expression": it.licence }],
                "purl": format!("pkg:generic/{}@{}", it.name, it.version),
            })
        });
        component["components"] = bundled.collect();
    }
    component
}

/// The package URL, which is how databases of advisories name packages.
pub(crate) fn purl((name, version): &CrateId) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// A time in seconds since 1970 as RFC 3339 writes it.
fn timestamp(epoch: u64) -> String {
    let (mut days, seconds) = (epoch / 86_400, epoch % 86_400);
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", days + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::dist::cargo_graph::tests::graph;

    #[test]
    fn the_bill_names_what_is_linked() {
        let bill = document("1.0.0", 0, &graph()).unwrap();
        assert_eq!(bill["bomFormat"], "CycloneDX");
        assert_eq!(bill["metadata"]["component"]["type"], "application");
        assert_eq!(bill["metadata"]["component"]["purl"], "pkg:cargo/regreen@1.0.0");
        let names: Vec<&Value> =
            bill["components"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(bill["components"][0]["hashes"][0]["content"], "aa");
        assert_eq!(bill["dependencies"][0]["dependsOn"], json!(["pkg:cargo/b@1.0.0"]));
    }

    /// Every reference leads to a component, and no two components have the same.
    #[test]
    fn references_resolve() {
        let bill = document("1.0.0", 0, &graph()).unwrap();
        let components = bill["components"].as_array().unwrap();
        let all = components.iter().chain([&bill["metadata"]["component"]]);
        let references: Vec<&str> = all.map(|it| it["bom-ref"].as_str().unwrap()).collect();
        let unique: BTreeSet<&str> = references.iter().copied().collect();
        assert_eq!(unique.len(), references.len());
        for dependency in bill["dependencies"].as_array().unwrap() {
            assert!(unique.contains(dependency["ref"].as_str().unwrap()));
            for used in dependency["dependsOn"].as_array().unwrap() {
                assert!(unique.contains(used.as_str().unwrap()), "{used}");
            }
        }
    }

    #[test]
    fn times_are_written_as_rfc_3339_has_them() {
        for (epoch, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_767_225_600, "2026-01-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(epoch), expected);
        }
    }
}
