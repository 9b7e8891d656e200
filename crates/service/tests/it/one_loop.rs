//! One loop: `compile --fix` does to a program what `fix` does to its file, and says of the result what `compile` says of it.

use std::collections::BTreeSet;

use protocol::v1;
use serde_json::{Value, json};

use super::setting::Setting;

/// The program of a workspace; the other files lie beside it.
const FILE: &str = "main.clank";

fn request(text: &[u8], form: v1::ProgramForm, repair: v1::ProgramRepair) -> v1::Compile {
    v1::Compile {
        file: Some(FILE.to_owned()),
        name: FILE.to_owned(),
        bytes: text.to_vec(),
        form,
        language: Some(v1::Language::Js),
        with_map: true,
        with_repairs: true,
        repair,
        solver: None,
    }
}

fn compile(setting: &Setting, request: &v1::Compile) -> Value {
    let reply = service::compile(Some(&setting.session()), request).unwrap();
    serde_json::to_value(reply.result).unwrap()
}

fn fixed(setting: &Setting, safety: Option<v1::Safety>) -> Value {
    let text = setting.read(FILE);
    let repair = v1::ProgramRepair::Fix(safety);
    compile(setting, &request(text.as_bytes(), v1::ProgramForm::Source, repair))
}

/// What was applied, a line each with its round.
fn applied(result: &Value) -> Vec<String> {
    let list = result["fixed"]["applied"].as_array().unwrap().iter();
    list.map(|it| format!("{}: {}", it["round"], it["title"].as_str().unwrap())).collect()
}

/// Holds the commands against each other on a workspace, and gives back what `compile --fix` says.
#[track_caller]
fn check(files: &str, safety: Option<v1::Safety>) -> Value {
    let setting = Setting::new(files);
    let compiled = fixed(&setting, safety);
    let look =
        v1::LookRequest { paths: vec![FILE.to_owned()], safety, ..v1::LookRequest::default() };
    let reply = setting.fix(&v1::Fix { look, ..v1::Fix::default() });
    let by_fix = reply.report.applied.iter().map(|it| format!("{}: {}", it.pass, it.title));
    assert_eq!(applied(&compiled), by_fix.collect::<Vec<_>>());
    assert_eq!(compiled["fixed"]["source"], setting.read(FILE));
    // What is said of the result is what a look of its own would say.
    let text = setting.read(FILE);
    let mut rest = compiled.clone();
    rest.as_object_mut().unwrap().remove("fixed");
    let keep = request(text.as_bytes(), v1::ProgramForm::Source, v1::ProgramRepair::Keep);
    assert_eq!(rest, compile(&setting, &keep));
    // The same program as a tree gets the same repairs.
    let setting = Setting::new(files);
    if let Some(tree) = tree(&setting) {
        let repair = v1::ProgramRepair::Fix(safety);
        let result = compile(&setting, &request(tree.as_bytes(), v1::ProgramForm::Ast, repair));
        let titles = |it: &Value| -> Vec<String> {
            let list = it["fixed"]["applied"].as_array().unwrap().iter();
            let list = list.filter(|it| it["id"] != "format");
            list.map(|it| it["title"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(titles(&result), titles(&compiled));
        assert_eq!(result["status"], compiled["status"]);
        let ids = ids(&serde_json::from_str(&tree).unwrap());
        let kept = self::ids(&result["canonical_ast"]);
        assert!(kept.intersection(&ids).count() * 2 > ids.len(), "{kept:?} {ids:?}");
    }
    compiled
}

/// The program as AST JSON with ids that no text gives; `None` if it cannot be read whole.
fn tree(setting: &Setting) -> Option<String> {
    let text = setting.read(FILE);
    let parsed = clank_syntax::parse(FILE, &text);
    let options = clank_syntax::json::WriteOptions { ids: true, spans: false, pretty: false };
    let json = clank_syntax::json::write(&clank_syntax::attach_comments(&parsed), &options);
    parsed.errors.is_empty().then(|| json.replace("\"id\":\"n", "\"id\":\"given_"))
}

fn ids(tree: &Value) -> BTreeSet<String> {
    match tree {
        Value::Object(members) => {
            let own = members.get("id").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(ids)).collect()
        }
        Value::Array(items) => items.iter().flat_map(ids).collect(),
        _ => BTreeSet::new(),
    }
}

const CHANGING: Option<v1::Safety> = Some(v1::Safety::BehaviorChanging);

/// RS-43: a repair that leaves what it claims to resolve is not kept, whoever asks.
#[test]
fn a_promise_that_is_not_kept_is_kept_by_nobody() {
    let program = "//- main.clank\nfn report(s: Str) -> Str { s }  fn main() -> IO + Unit { println(report(\"a \"x\" b\")) }\n";
    for safety in [None, CHANGING] {
        let result = check(program, safety);
        assert_eq!(applied(&result), Vec::<String>::new());
        assert_eq!(result["status"], "error");
    }
}

/// RS-46, RS-47: nothing that is not allowed, and an end when nothing is left.
#[test]
fn only_what_is_allowed_is_applied() {
    let program = "//- main.clank\nfn f(xs: [Int]) -> Int {\n  let unused = 1\n  xs[0]\n}\n";
    let result = check(program, Some(v1::Safety::BehaviorPreserving));
    assert_eq!(applied(&result), ["1: rename `unused` to `_unused`"]);
    assert_eq!(result["status"], "incomplete");
    assert_eq!(check(program, None)["status"], "success");
    let quiet = format!("//- regreen.toml\n[fix]\nsafety = \"behavior_preserving\"\n{program}");
    assert_eq!(applied(&check(&quiet, None)).len(), 1, "the configuration decides");
    let off = format!("//- regreen.toml\n[rules]\nW0001 = \"off\"\n{program}");
    let is_about_it = |it: &String| it.contains("unused");
    assert!(!applied(&check(&off, None)).iter().any(is_about_it), "nobody wants to hear of it");
}

/// warnings wait while an error stands, whoever asks.
#[test]
fn warnings_wait_for_errors() {
    let program = "//- main.clank\nfn f(count: Int) -> Int {\n  let unused = 1\n  cuont\n}\n";
    let result = check(program, None);
    assert_eq!(applied(&result), Vec::<String>::new());
    assert_eq!(result["status"], "error");
    let result = check(program, CHANGING);
    assert_eq!(applied(&result)[0], "1: rename `cuont` to `count`");
    assert_eq!(result["diagnostics"], json!([]));
}

/// RS-42: what comes to light when a text can be read is repaired in the next round.
#[test]
fn what_can_be_read_is_repaired_further() {
    let program =
        "//- main.clank\nfn f(count: Int) -> Int {\n  if count = 1 { cuont } else { 2 }\n}\n";
    let result = check(program, CHANGING);
    assert_eq!(applied(&result)[..2], ["1: write `==` for `=`", "2: rename `cuont` to `count`"]);
    assert_eq!(result["status"], "success");
}

/// RS-33, RS-43: what a name brings to light when it means something was there before; it is repaired in the next round.
#[test]
fn what_a_name_brings_to_light_is_not_held_against_it() {
    let program = "//- main.clank\nrec Item { name: Str, price: Int }\n\nfn cost(item: Item) -> Int {\n  itme.prize + 1\n}\n";
    let result = check(program, CHANGING);
    assert_eq!(result["status"], "success", "{:?}", applied(&result));
    assert_eq!(applied(&result)[0], "1: rename `itme` to `item`");
    let setting = Setting::new(program);
    let text = setting.read(FILE);
    let keep = request(text.as_bytes(), v1::ProgramForm::Source, v1::ProgramRepair::Keep);
    assert_eq!(compile(&setting, &keep)["repairs"][0]["reveals"], json!(["E2004"]));
}

/// RS-49, RS-55, RS-56: what is required is applied before what requires it.
#[test]
fn what_is_required_is_applied_first() {
    let program = "//- main.clank\nfn share(total: Int, n: Int) -> Int {\n  total / n\n}\n\nfn both(a: Int, n: Int) -> Int {\n  share(a, n) + 100 / n\n}\n";
    for safety in [None, CHANGING] {
        let result = check(program, safety);
        assert_eq!(result["status"], "success", "{:?}", applied(&result));
    }
}

/// Imports, one that is misspelled, and one with a mistake of its own, which is not the program's to repair.
#[test]
fn what_a_program_imports_is_looked_at_and_left_alone() {
    let main = "//- main.clank\nuse geo.shape.{area}\n\nfn side() -> Int {\n  area(3)\n}\n";
    let shapes = "//- geo/shapes.clank\nfn area(n: Int) -> Int {\n  n * n\n}\n";
    let result = check(&format!("{shapes}{main}"), CHANGING);
    assert_eq!(applied(&result), ["1: rename the module `geo.shape` to `geo.shapes`"]);
    assert_eq!(result["status"], "success");
    let broken = "//- geo/shape.clank\nfn area(n: Int) -> Int {\n  m * n\n}\n";
    let result = check(&format!("{broken}{main}"), CHANGING);
    assert_eq!(applied(&result), Vec::<String>::new());
    assert_eq!(result["diagnostics"][0]["location"]["file"], "geo/shape.clank");
}

/// Rows 19, 36: goals and holes, line ends, a mark at the start, no line end, nothing at all.
#[test]
fn every_text_is_repaired_alike() {
    for text in [
        "",
        "\n\n",
        "// nothing\n",
        "fn f(xs: [Int], i: Int) -> Int {\n  xs[i]\n}\n",
        "fn f(width: Int, height: Int) -> Int {\n  width * ?factor\n}\n",
        "fn f( n:Int )->Int{ n+m }",
        "fn f(n: Int) -> Int {\r\n  let m = n\r\n  m = m + 1 // again\r\n  m\r\n}\r\n",
        "\u{feff}fn f(count: Int) -> Int {\n  cuont\n}\n",
        "fn f(n: Int) -> Int {\n  let m = n // regreen: ignore W0001\n  n\n}\n",
        "hello world\n\nfn f(n: Int) -> Int {\n  let a = n +* 3\n  if a = 1 { 2 } else { a }\n}\n",
    ] {
        for safety in [None, CHANGING] {
            check(&format!("//- main.clank\n{text}"), safety);
        }
    }
}
