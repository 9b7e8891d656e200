//! A workspace with something wrong in it, for the tests of `check`, `plan` and `fix`. It needs no pack: its files name
//! a schema of their own.

use super::support::Scene;

/// One repair that is safe twice over in `api.yaml`, one that needs approval in `web.json`, and a file that is fine.
pub(crate) const RED: &str = r#"
//- ws/service.schema.json
{
  "type": "object",
  "additionalProperties": false,
  "required": ["name"],
  "properties": {
    "$schema": {"type": "string"},
    "name": {"type": "string"},
    "port": {"type": "integer"},
    "level": {"enum": ["debug", "info", "warn"]}
  }
}
//- ws/api.yaml
# yaml-language-server: $schema=service.schema.json
# What answers.
name: api      # shown
port: "8080"   # behind the proxy
level: Info
//- ws/web.json
{
  "$schema": "./service.schema.json",
  "name": "web",
  "prot": 80
}
//- ws/notes/free.toml
anything = "goes" # here
"#;

/// The id of the repair of `web.json`, as `check` tells it.
#[track_caller]
pub(crate) fn rename_id(scene: &Scene) -> String {
    let report = scene.run("check ws/web.json --format json").json();
    report["repairs"][0]["id"].as_str().unwrap().to_owned()
}

/// The tree without what regreen keeps for itself.
pub(crate) fn sources(scene: &Scene) -> std::collections::BTreeMap<std::path::PathBuf, String> {
    let own = scene.path("ws/.regreen");
    let root = scene.path("ws");
    let mut tree = scene.tree();
    // The folder's own time changes when `.regreen` is made in it.
    tree.retain(|path, _| !path.starts_with(&own) && *path != root);
    tree
}
