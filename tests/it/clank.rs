//! Clank programs on the command line: the scenes that the tests of `check`, `build`, `run` and `compile` share.

#[path = "clank/action.rs"]
mod action;
#[path = "clank/apply.rs"]
mod apply;
#[path = "clank/build.rs"]
mod build;
#[path = "clank/check.rs"]
mod check;
#[path = "clank/compile.rs"]
mod compile;
#[path = "clank/run.rs"]
mod run;
#[path = "clank/solver.rs"]
mod solver;
#[path = "clank/waits.rs"]
mod waits;

use crate::support::{Ran, Scene};

const ACTION: (&str, &str) = ("REGREEN_ACTION", "1");

/// Two modules in canonical form, and a document beside them.
const CLEAN: &str = r#"
//- ws/regreen.toml
[fix]
//- ws/main.clank
use geo.shapes.{Square, area}

fn main() -> IO + Unit { println(to_string(area(Square(3.0)))) }
//- ws/geo/shapes.clank
sum Shape { Circle(radius: Float), Square(side: Float) }

fn area(shape: Shape) -> Float {
  match shape { Circle(radius) -> 3.0 * radius * radius, Square(side) -> side * side }
}
//- ws/service.schema.json
{"type": "object", "properties": {"port": {"type": "integer"}}}
//- ws/api.yaml
# yaml-language-server: $schema=service.schema.json
port: 8080
"#;

/// The same with a layout of its own: nothing is wrong, and `fix` would change `main.clank`.
fn crooked() -> String {
    CLEAN.replace("fn main() -> IO + Unit {", "// Says it.\nfn main( )->IO+Unit   {")
}

/// One of everything that `check` has to say: a missing case, a variable that nobody uses, a goal, and a document.
const RED: &str = r#"
//- ws/light.clank
sum Light { Red, Amber(secs: Int), Green }

fn wait(light: Light) -> Int {
  let unused = 1
  match light { Red -> 30, Green -> 0 }
}

fn third(items: [Int]) -> Int { items[2] }
//- ws/service.schema.json
{"type": "object", "properties": {"port": {"type": "integer"}}}
//- ws/api.yaml
# yaml-language-server: $schema=service.schema.json
port: "8080"
"#;

fn scene_of(program: &str) -> Scene {
    Scene::new(&format!("//- ws/main.clank\n{program}"))
}

/// Runs `main.clank` with this text.
fn run(program: &str) -> Ran {
    scene_of(program).run("run ws/main.clank")
}
