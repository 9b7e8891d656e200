//! The job of `.gitlab/regreen.yml`.

use serde_json::Value;

use super::support::{named_blocks, ours, yaml};

fn job() -> Value {
    yaml(&ours(".gitlab/regreen.yml"))["regreen"].take()
}

#[test]
fn the_job_keeps_the_reports_that_it_writes() {
    let job = job();
    assert_eq!(job["variables"]["REGREEN_VERSION"], env!("CARGO_PKG_VERSION"));
    let script = job["script"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    let script: Vec<&str> = script.collect();
    let artifacts = &job["artifacts"];
    assert_eq!(artifacts["when"], "always", "findings fail the job");
    let report = artifacts["reports"]["codequality"].as_str().unwrap();
    for file in [report, artifacts["paths"][0].as_str().unwrap()] {
        assert!(script.iter().any(|it| it.contains(file)), "{file} is not written");
    }
}

/// The page includes the template of this version, from where it will be.
#[test]
fn the_guide_includes_the_template_of_this_version() {
    let blocks = named_blocks(&ours("docs/guide/ci.md"));
    let (_, text) = blocks.iter().find(|it| it.0 == ".gitlab-ci.yml").unwrap();
    let repository = env!("CARGO_PKG_REPOSITORY").strip_prefix("https://github.com/").unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let path = format!("{repository}/v{version}/.gitlab/regreen.yml");
    let remote = format!("https://raw.githubusercontent.com/{path}");
    assert_eq!(yaml(text)["include"][0]["remote"], remote.as_str());
    assert!(ours(".gitlab/regreen.yml").contains(&remote));
}

/// The script of the job, as a runner of GitLab runs it, in a workspace that is a folder of the repository.
#[cfg(feature = "live")]
#[test]
fn the_job_reports_findings_as_code_quality() {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    use super::red::RED;
    use super::support::Scene;

    let scene = Scene::new(RED);
    // What the job would install is the program under test.
    scene.write("bin/pip", "#!/bin/sh\n[ \"$*\" = 'install --quiet regreen==0.1.0' ]\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(scene.path("bin/pip"), executable).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_regreen")).parent().unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", scene.path("bin").display(), binary.display());
    let job = job();
    let script = job["script"].as_array().unwrap().iter().map(|it| it.as_str().unwrap());
    let script: String = script.map(|it| format!("{it}\n")).collect();
    let run = || {
        let output = Command::new("bash")
            .args(["-eo", "pipefail", "-c", &script])
            .current_dir(scene.path(""))
            .env_clear()
            .env("PATH", &path)
            .env("HOME", scene.path("home"))
            .env("REGREEN_VERSION", job["variables"]["REGREEN_VERSION"].as_str().unwrap())
            .env("REGREEN_ROOT", "ws")
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = run();
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("error[schema/SCHEMA_TYPE]"), "the log is for people: {text}");
    let report = scene.read("gl-code-quality-report.json");
    let report: Vec<Value> = serde_json::from_str(&report).unwrap();
    let found: Vec<(&str, &str, u64)> = report
        .iter()
        .map(|it| {
            let lines = it["location"]["lines"]["begin"].as_u64().unwrap();
            (it["check_name"].as_str().unwrap(), it["location"]["path"].as_str().unwrap(), lines)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("SCHEMA_ENUM", "ws/api.yaml", 5),
            ("SCHEMA_TYPE", "ws/api.yaml", 4),
            ("SCHEMA_UNKNOWN_KEY", "ws/web.json", 4)
        ]
    );
    let mut fingerprints: Vec<&Value> = report.iter().map(|it| &it["fingerprint"]).collect();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), 3);
    assert!(report.iter().all(|it| it["severity"] == "major"));
    // Where nothing is wrong the job passes; a configuration that is wrong fails it.
    for name in ["ws/api.yaml", "ws/web.json"] {
        std::fs::remove_file(scene.path(name)).unwrap();
    }
    assert_eq!(run().0, Some(0));
    assert_eq!(scene.read("gl-code-quality-report.json"), "[]");
    scene.write("ws/regreen.toml", "nonsense = 1\n");
    assert_eq!(run().0, Some(3));
}
