//! `build`: what is written, where, and when nothing is.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use super::{CLEAN, RED, crooked, scene_of};
use crate::red::sources;
use crate::support::{Scene, tree};

/// The files beneath a folder, by their path in it.
pub(super) fn contents(folder: &Path) -> BTreeMap<String, String> {
    let files = tree(folder).into_keys().filter(|it| it.is_file());
    let read = |path: std::path::PathBuf| {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        (name, fs::read_to_string(&path).unwrap())
    };
    files.map(read).collect()
}

fn names(folder: &Path) -> Vec<String> {
    contents(folder).into_keys().collect()
}

/// Row 50: a file for every module, and imports that find each other.
#[test]
fn every_module_becomes_a_file() {
    let scene = Scene::new(CLEAN);
    insta::assert_snapshot!(scene.run("build").text());
    let built = contents(&scene.path("ws/dist"));
    assert!(built["main.ts"].contains(r#"from "./geo/shapes.js""#), "{}", built["main.ts"]);
    assert!(built["geo/shapes.ts"].contains("export function area"), "{}", built["geo/shapes.ts"]);
    for (line, folder) in [
        ("build ws/geo/shapes.clank --out-dir file", "file"),
        ("build ws/geo --out-dir folder", "folder"),
    ] {
        let ran = scene.run(line);
        assert_eq!(ran.code, 0, "{}", ran.text());
        let names = names(&scene.path(folder));
        assert!(names.contains(&"geo/shapes.ts".to_owned()), "{names:?}");
        assert!(!names.contains(&"main.ts".to_owned()), "{names:?}");
    }
    assert_eq!(scene.run("build ws --out-dir all").code, 0);
    assert_eq!(names(&scene.path("all")), names(&scene.path("ws/dist")));
}

/// AE-31, AE-37, AE-41: sources stay as they are to the byte and the time of change, canonical or not.
#[test]
fn sources_are_never_written() {
    for files in [CLEAN.to_owned(), crooked(), RED.to_owned()] {
        let scene = Scene::new(&files);
        let before = sources(&scene);
        for line in ["build --out-dir out", "build --strict --out-dir out", "run ws/main.clank"] {
            scene.run(line);
            let mut after = sources(&scene);
            after.retain(|path, _| !path.starts_with(scene.path("out")));
            assert_eq!(after, before, "{line}");
        }
    }
}

/// AE-33, AE-39: by default what is not canonical is told and built.
#[test]
fn a_layout_of_its_own_is_told_and_built() {
    let scene = Scene::new(&crooked());
    let ran = scene.run("build");
    insta::assert_snapshot!(ran.text());
    let report = scene.run("build --format json --dry-run").json();
    assert_eq!(report["not_canonical"], serde_json::json!(["main.clank"]), "{report:#}");
    assert_eq!(report["ok"], true);
}

/// AE-32: what is compiled is the canonical text, so that layout never reaches the output.
#[test]
fn layout_does_not_reach_the_output() {
    let build = |files: &str| {
        let scene = Scene::new(files);
        assert_eq!(scene.run("build --out-dir out").code, 0);
        contents(&scene.path("out"))
    };
    let crooked =
        crooked().replace("// Says it.\n", "").replace("{Square, area}", "{ Square ,area }");
    assert_ne!(crooked, CLEAN);
    assert_eq!(build(&crooked), build(CLEAN));
}

/// AE-33, AE-40: strict, from the command line or from the configuration, writes nothing.
#[test]
fn strict_fails_on_a_layout_of_its_own() {
    let scene = Scene::new(&crooked());
    let ran = scene.run("build --strict");
    insta::assert_snapshot!(ran.text());
    assert!(!scene.path("ws/dist").exists());
    scene.write("ws/regreen.toml", "[clank]\nstrict = true\n");
    for line in ["build", "run ws/main.clank"] {
        let ran = scene.run(line);
        assert_eq!((ran.code, ran.stdout.contains("9.0")), (1, false), "{line}: {}", ran.text());
        assert!(
            ran.text().contains("main.clank is not in canonical form"),
            "{line}: {}",
            ran.text()
        );
    }
    assert!(!scene.path("ws/dist").exists());
    assert_eq!(scene.run("fix").code, 0);
    assert_eq!(scene.run("build --strict").code, 0);
}

#[test]
fn nothing_is_written_if_something_is_wrong() {
    let scene = Scene::new(RED);
    let before = scene.tree();
    let ran = scene.run("build");
    insta::assert_snapshot!(ran.text());
    assert_eq!(scene.tree(), before);
    let report = scene.run("build --format json").json();
    assert_eq!(
        (&report["ok"], &report["outputs"]),
        (&false.into(), &serde_json::json!([])),
        "{report:#}"
    );
}

/// An error that is turned off or ignored is still why there is no program, and is told.
#[test]
fn errors_cannot_be_turned_off() {
    let scene = scene_of("fn main() -> IO + Unit { missing } // regreen: ignore E1001\n");
    scene.write("ws/regreen.toml", "[rules]\nE1001 = \"off\"\n");
    assert_eq!(scene.run("check").code, 0);
    for line in ["build", "run ws/main.clank"] {
        let ran = scene.run(line);
        assert_eq!(ran.code, 1, "{line}: {}", ran.text());
        assert!(ran.text().contains("error[clank/E1001]"), "{line}: {}", ran.text());
    }
}

/// What did not change keeps its time, so that nothing downstream is built again.
#[test]
fn outputs_that_are_as_they_should_be_are_not_touched() {
    let scene = Scene::new(CLEAN);
    assert_eq!(scene.run("build").code, 0);
    let before = tree(&scene.path("ws/dist"));
    assert_eq!(scene.run("build").code, 0);
    assert_eq!(tree(&scene.path("ws/dist")), before);
    let shapes = scene.read("ws/geo/shapes.clank").replace("3.0", "4.0");
    scene.write("ws/geo/shapes.clank", &shapes);
    assert_eq!(scene.run("build").code, 0);
    let after = tree(&scene.path("ws/dist"));
    let file = |name: &str| scene.path(&format!("ws/dist/{name}"));
    assert_eq!(after[&file("main.ts")], before[&file("main.ts")]);
    assert_ne!(after[&file("geo/shapes.ts")], before[&file("geo/shapes.ts")]);
}

/// The folder for outputs may be anywhere, but no link in it is written through.
#[test]
fn links_among_the_outputs_are_refused() {
    let scene = Scene::new(CLEAN);
    scene.write("elsewhere/shapes.ts", "mine\n");
    assert_eq!(scene.run("build --out-dir out").code, 0);
    fs::remove_dir_all(scene.path("out/geo")).unwrap();
    symlink(scene.path("elsewhere"), scene.path("out/geo")).unwrap();
    let before = scene.tree();
    let ran = scene.run("build --out-dir out");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(ran.stderr.contains("out/geo is a link"), "{}", ran.text());
    assert_eq!(scene.tree(), before);
    fs::remove_file(scene.path("out/geo")).unwrap();
    fs::create_dir(scene.path("out/geo")).unwrap();
    symlink(scene.path("elsewhere/shapes.ts"), scene.path("out/geo/shapes.ts")).unwrap();
    assert_eq!(scene.run("build --out-dir out").code, 3);
    assert_eq!(scene.read("elsewhere/shapes.ts"), "mine\n");
    // The folder that was named may itself be a link: that is what was asked for.
    symlink(scene.path("elsewhere"), scene.path("named")).unwrap();
    assert_eq!(scene.run("build --out-dir named").code, 0);
    assert!(scene.path("elsewhere/main.ts").exists());
    // Nobody named this one.
    symlink(scene.path("out"), scene.path("ws/dist")).unwrap();
    let ran = scene.run("build");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(ran.stderr.contains("dist is a link"), "{}", ran.text());
}

#[test]
fn a_dry_run_writes_nothing() {
    let scene = Scene::new(&crooked());
    let before = scene.tree();
    let ran = scene.run("build --dry-run --fixes-json fixes.json --fixes-diff fixes.diff");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(ran.stdout.contains("Nothing was written."), "{}", ran.text());
    assert_eq!(scene.tree(), before);
}

/// X-105: a map names its sources relative to itself.
#[test]
fn maps_lead_back_to_the_sources() {
    let scene = Scene::new(CLEAN);
    assert_eq!(scene.run("build --target js --source-maps --out-dir out").code, 0);
    let built = contents(&scene.path("out"));
    assert!(
        built["main.js"].ends_with("//# sourceMappingURL=main.js.map\n"),
        "{}",
        built["main.js"]
    );
    let map: serde_json::Value = serde_json::from_str(&built["geo/shapes.js.map"]).unwrap();
    assert_eq!(map["version"], 3);
    let source = map["sources"][0].as_str().unwrap();
    assert_eq!(source, "../../ws/geo/shapes.clank", "{map:#}");
    assert!(scene.path("out/geo").join(source).exists());
}

/// AE-34: the same bytes whatever the order in which the files were made, and wherever they are.
#[test]
fn the_order_of_the_disk_does_not_matter() {
    let build = |is_reversed: bool| {
        let scene = Scene::new("");
        let mut numbers: Vec<u32> = (0..40).collect();
        if is_reversed {
            numbers.reverse();
        }
        for n in numbers {
            let import = if n > 0 { format!("use m{}\n\n", n - 1) } else { String::new() };
            let value = if n > 0 { format!("m{}.f{}() + 1", n - 1, n - 1) } else { "0".to_owned() };
            scene.write(
                &format!("ws/m{n}.clank"),
                &format!("{import}fn f{n}() -> Int {{ {value} }}\n"),
            );
        }
        let ran = scene.run("build --out-dir out --source-maps --format json");
        assert_eq!(ran.code, 0, "{}", ran.text());
        (ran.stdout, contents(&scene.path("out")))
    };
    assert_eq!(build(false), build(true));
}

#[test]
fn the_command_line_is_checked() {
    let scene = Scene::new(CLEAN);
    for (line, code, said) in [
        ("build ws/nothing.clank", 2, "there is no file nothing.clank"),
        ("build ..", 2, "outside the workspace"),
        ("build --target py", 2, "possible values: ts, js"),
        ("build --fixes-diff ws/main.clank", 2, "is the name of a source"),
        ("build --fixes-json ws/new.clank", 2, "is the name of a source"),
    ] {
        let ran = scene.run(line);
        assert_eq!(ran.code, code, "{line}: {}", ran.text());
        assert!(ran.stderr.contains(said), "{line}: {}", ran.text());
    }
    let empty = Scene::new("//- ws/a.yaml\na: 1\n").run("build");
    assert_eq!(empty.text(), "Nothing to build. There is no .clank file here.\n--- exit 0\n");
    assert_eq!(scene.run("build -q").text(), "--- exit 0\n");
}

/// Row 16: `use a.b` starts from the folders that the configuration names.
#[test]
fn imports_start_from_the_roots_of_the_configuration() {
    let files = "//- ws/apps/main.clank\nuse geo.area\n\nfn main() -> IO + Unit { println(to_string(area.of(2))) }\n//- ws/lib/geo/area.clank\nfn of(side: Int) -> Int { side * side }\n";
    let scene = Scene::new(files);
    let ran = scene.run("run ws/apps/main.clank");
    assert!(ran.stderr.contains("cannot find module `geo.area`"), "{}", ran.text());
    scene.write("ws/regreen.toml", "[clank]\nroots = [\"lib\"]\n");
    assert_eq!(scene.run("check").code, 0, "{}", scene.run("check").text());
    assert_eq!(scene.run("run ws/apps/main.clank").text(), "4\n--- exit 0\n");
    assert_eq!(scene.run("compile ws/apps/main.clank").json()["status"], "success");
    assert_eq!(scene.run("build --out-dir out").code, 0);
    assert!(scene.read("out/apps/main.ts").contains("\"../lib/geo/area.js\""));
}

/// Outputs have ordinary permissions and leave no temporary file behind.
#[test]
fn outputs_are_ordinary_files() {
    let scene = Scene::new(CLEAN);
    assert_eq!(scene.run("build").code, 0);
    assert_eq!(names(&scene.path("ws/dist")).iter().filter(|it| it.contains("tmp")).count(), 0);
    let mode = fs::metadata(scene.path("ws/dist/main.ts")).unwrap().mode();
    assert_eq!(mode & 0o600, 0o600);
}
