//! How builds grow: a workspace of many targets, each with documents that name a schema, built cold, again, after a change
//! of one file, and after a change of the schema that all of them name.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::{BazelFixture, Built};
use crate::report;

/// How many documents, in how many targets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) files: usize,
    pub(crate) targets: usize,
}

impl Scale {
    /// `FILES TARGETS`.
    pub(crate) fn parse(files: &str, targets: &str) -> Result<Scale> {
        let number = |it: &str| it.parse().with_context(|| format!("`{it}` is not a number"));
        let scale = Scale { files: number(files)?, targets: number(targets)? };
        ensure!(scale.targets > 0 && scale.files >= scale.targets, "a target has a file at least");
        Ok(scale)
    }
}

const SCHEMA: &str = r#"{
  "type": "object",
  "required": ["name", "port"],
  "properties": {
    "name": { "type": "string" },
    "port": { "type": "integer", "minimum": 1, "maximum": 65535 },
    "replicas": { "type": "integer", "minimum": 0 },
    "labels": { "type": "object", "additionalProperties": { "type": "string" } }
  }
}
"#;

const WORKSPACE: &str = r#"workspace(name = "scale")

local_repository(
    name = "rules_regreen",
    path = "../..",
)

load("@rules_regreen//:repositories.bzl", "regreen_local")

regreen_local(name = "regreen")
"#;

const TARGET: &str = r#"load("@rules_regreen//:defs.bzl", "regreen_check")

regreen_check(
    name = "check",
    srcs = glob(["*.yaml"]),
    data = ["//:service.schema.json"],
)
"#;

/// Builds the workspace in every state, and prints what each build took and did.
pub(super) fn run(scene: &BazelFixture, scale: Scale) -> Result<()> {
    write(&scene.shop, scale)?;
    let flags = ["--spawn_strategy=local", "//..."];
    let build = |what: &str| -> Result<usize> {
        let start = Instant::now();
        let built = scene.ran_freely("build", &flags)?.expect(0, &[])?;
        let seconds = start.elapsed().as_secs_f64();
        let checks = n_checks(&built);
        report(&format!("{what:<28} {seconds:>8.1} s {checks:>7} checks"));
        Ok(checks)
    };
    report(&format!("{} files in {} targets, strategy `local`", scale.files, scale.targets));
    ensure!(build("cold")? == scale.targets, "a cold build checks every target");
    ensure!(build("nothing changed")? == 0, "a second build checks nothing");
    let file = scene.shop.join("t0/s0.yaml");
    let text = fs::read_to_string(&file)?;
    fs::write(&file, text.replace("port: 8000", "port: 8001"))?;
    ensure!(build("one file changed")? == 1, "a change of one file checks one target");
    fs::write(scene.shop.join("service.schema.json"), SCHEMA.replace("65535", "65534"))?;
    ensure!(build("the schema of all changed")? == scale.targets, "the schema is everybody's");
    Ok(())
}

fn n_checks(built: &Built) -> usize {
    built.spawns.iter().filter(|it| it.0 == "RegreenCheck").count()
}

fn write(folder: &Path, scale: Scale) -> Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("WORKSPACE"), WORKSPACE)?;
    fs::write(folder.join("service.schema.json"), SCHEMA)?;
    let exported = "exports_files(\n    [\"service.schema.json\"],\n    visibility = [\"//visibility:public\"],\n)\n";
    fs::write(folder.join("BUILD.bazel"), exported)?;
    for target in 0..scale.targets {
        let package = folder.join(format!("t{target}"));
        fs::create_dir(&package)?;
        fs::write(package.join("BUILD.bazel"), TARGET)?;
        let of_target = (target..scale.files).step_by(scale.targets);
        for (place, number) in of_target.enumerate() {
            fs::write(package.join(format!("s{place}.yaml")), document(number))?;
        }
    }
    Ok(())
}

fn document(number: usize) -> String {
    let mut text = String::from("# yaml-language-server: $schema=../service.schema.json\n");
    let _ = writeln!(text, "name: service-{number}\nport: {}", 8000 + number % 1000);
    let _ = writeln!(text, "replicas: {}\nlabels:", number % 7);
    for label in 0..12 {
        let _ = writeln!(text, "  label-{label}: value-{}", number * 13 % 97 + label);
    }
    text
}
