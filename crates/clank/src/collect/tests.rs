//! Names, imports, types and signatures, as whole programs see them.

use std::sync::Arc;

use clank_syntax::ast::Name;

use crate::driver::check as check_program;
use crate::env::{Env, TypeEntry, Value};
use crate::program::{Library, Program};
use crate::testing::{check_text, codes_of, program_of};

/// Checks a fixture: what is wrong in every file, as `file CODE@line:column`.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let checked = check_program(&program_of(fixture), None);
    let mut found = Vec::new();
    for module in &checked.modules {
        found.extend(codes_of(module).into_iter().map(|it| format!("{} {it}", module.file)));
    }
    found.sort();
    let main = |it: &&str| match it.contains(' ') {
        true => (*it).to_owned(),
        false => format!("main.clank {it}"),
    };
    let mut expected: Vec<String> = expected.iter().map(main).collect();
    expected.sort();
    assert_eq!(found, expected, "in\n{fixture}");
}

/// The message of the only diagnostic of a text.
fn message(fixture: &str) -> String {
    let checked = check_program(&program_of(fixture), None);
    let all: Vec<_> = checked.modules.iter().flat_map(|it| &it.diagnostics).collect();
    match all.as_slice() {
        [only] => match &only.help {
            Some(help) => format!("{}; {help}", only.message),
            None => only.message.clone(),
        },
        _ => panic!("{all:?}"),
    }
}

fn env(text: &str) -> std::sync::Arc<Env> {
    check_text(text).modules[0].env.clone()
}

/// The signature of a function, as it is shown.
fn signature(text: &str, name: &str) -> String {
    match env(text).values.get(name) {
        Some(Value::Fn { signature, .. } | Value::External { signature, .. }) => {
            let params: Vec<_> = signature
                .params
                .iter()
                .map(|(name, ty)| match ty {
                    crate::ty::Ty::Fn(it) if it.any_effects => format!("{name}: any {ty}"),
                    _ => format!("{name}: {ty}"),
                })
                .collect();
            let effects: Vec<_> = signature.effects.names().collect();
            let raises = signature.raises.as_ref().map(|it| format!(" raises {it}"));
            format!(
                "({}) -> [{}] {}{}",
                params.join(", "),
                effects.join(" "),
                signature.result,
                raises.unwrap_or_default()
            )
        }
        other => panic!("{other:?}"),
    }
}

fn alias(text: &str, name: &str) -> String {
    match env(text).types.get(name) {
        Some(TypeEntry::Alias { ty, .. }) => ty.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Row 15: types may contain themselves and what comes later.
#[test]
fn recursive_and_forward_types_are_accepted() {
    check("rec Node { next: Node?, value: Leaf }\nsum Leaf { End, More(Node) }\n", &[]);
    check("type Row = [Cell]\nrec Cell { row: Row, text: Text }\ntype Text = Str\n", &[]);
    check("fn even(n: Later) -> Bool { true }\ntype Later = Int\n", &[]);
}

/// E2008, and nothing else because of it.
#[test]
fn aliases_must_not_stand_for_themselves() {
    check("type A = A\nfn f(a: A) -> A { a }\n", &["E2008@1:1"]);
    check(
        "type A = [B]\ntype B = (C, Int)\ntype C = A?\n",
        &["E2008@1:1", "E2008@2:1", "E2008@3:1"],
    );
    check("type A = (B, C)\ntype B = A\ntype C = B\n", &["E2008@1:1", "E2008@2:1", "E2008@3:1"]);
    check("type A = [R]\nrec R { a: A }\n", &[]);
    check("type A = B\ntype B = Int\n", &[]);
    check("type A[B] = [B]\ntype B = A[Int]\n", &[]);
}

#[test]
fn aliases_that_double_do_not_explode() {
    let mut text = String::from("type A0 = Int\n");
    for index in 1..200 {
        text.push_str(&format!("type A{index} = (A{0}, A{0})\n", index - 1));
    }
    let checked = check_text(&text);
    let codes = codes_of(&checked.modules[0]);
    assert_eq!(
        codes.len(),
        2,
        "one for each of the two uses in the first alias that is too large: {codes:?}"
    );
    assert!(codes.iter().all(|it| it.starts_with("E2018@")));
    let mut text = String::from("type A0 = Int\n");
    for index in 1..3_000 {
        text.push_str(&format!("type A{index} = [A{}]\n", index - 1));
    }
    assert_eq!(codes_of(&check_text(&text).modules[0]).len(), 1);
}

/// Row 23: generic aliases are instantiated per use.
#[test]
fn generic_aliases_are_expanded() {
    let text =
        "type Pair[T] = (T, T)\ntype Table[K, V] = [Pair[(K, V)]]\ntype Done = Table[Int, Str]\n";
    assert_eq!(alias(text, "Done"), "[((Int, Str), (Int, Str))]");
    let text = "type Few[T] = [T]{len(xs) < 3}\ntype Some2 = Few[Int]{ys | len(ys) > 0}\n";
    assert_eq!(alias(text, "Some2"), "[Int]{xs | len(xs) < 3}{ys | len(ys) > 0}");
    check("type Pair[T] = (T, T)\ntype P = Pair\n", &["E2017@2:10"]);
    check("type P = Option[Int, Int]\n", &["E2017@1:10"]);
    check("type P[T] = T[Int]\n", &["E2017@1:13"]);
    check("type P = Int[Int]\n", &["E2017@1:10"]);
    check("rec Box[T] { value: T }\nfn f(b: Box) -> Int { 1 }\n", &["E2017@2:9"]);
}

#[test]
fn unknown_types_are_reported_once_where_they_are_written() {
    check("fn f(a: Strr, b: [Foo]) -> Bar { _ }\n", &["E1005@1:9", "E1005@1:19", "E1005@1:28"]);
    check("rec R { a: Foo, b: Foo }\n", &["E1005@1:12", "E1005@1:20"]);
    check("sum S { A(x: Foo), B(Bar) }\n", &["E1005@1:14", "E1005@1:22"]);
    check("fn f[T: Ordered](a: T) -> T { a }\n", &["E1005@1:9"]);
    check("external fn f(a: Foo) -> Int = \"f\"\n", &["E1005@1:18"]);
    check("external mod m = \"m\" { fn f(a: Foo) -> Int }\n", &["E1005@1:32"]);
    insta::assert_snapshot!(message("rec Point { x: Int }\nfn f(p: Piont) -> Int { 1 }\n"), @"cannot find type `Piont`; did you mean `Point`?");
}

/// Row 4, and row 12 for what is raised.
#[test]
fn effects_are_read_in_results() {
    let cases = [
        ("IO + Unit", "() -> [IO] Unit"),
        ("IO[Unit]", "() -> [IO] Unit"),
        ("Err[Str, Int]", "() -> [Err] Int raises Str"),
        ("Err[Str] + Int", "() -> [Err] Int raises Str"),
        ("Err + Int", "() -> [Err] Int"),
        ("Async[Int]", "() -> [Async] Int"),
        ("IO + Err[Str, Int]", "() -> [Err IO] Int raises Str"),
        ("IO[Err[Str, Async[Int]]]", "() -> [Async Err IO] Int raises Str"),
        ("Mut + IO + Unit", "() -> [IO Mut] Unit"),
        ("(Int) -> IO + Int", "() -> [] (Int) -> IO + Int"),
    ];
    for (written, expected) in cases {
        let text = format!("external fn f() -> {written} = \"f\"\n");
        assert_eq!(signature(&text, "f"), expected, "{written}");
        check(&text, &[]);
    }
    check("external fn f() -> IO[Int, Int] = \"f\"\n", &["E2017@1:20"]);
    check("external fn f() -> Err[Int] = \"f\"\n", &["E2017@1:20"]);
    check("external fn f() -> Foo + Int = \"f\"\n", &["E1005@1:20"]);
    check("external fn f(x: IO[Int]) -> Int = \"f\"\n", &["E1005@1:18"]);
    check("external fn f(x: [IO + Int]) -> Int = \"f\"\n", &["E1005@1:19"]);
    check("rec IO[T] { value: T }\nexternal fn f(x: IO[Int]) -> IO[Int] = \"f\"\n", &[]);
}

/// Row 39: only a parameter itself accepts any effects.
#[test]
fn function_typed_parameters_without_effects_accept_any() {
    let signature = |params: &str| {
        signature(&format!("type F = (Int) -> Int\nexternal fn f({params}) -> Int = \"f\"\n"), "f")
    };
    assert_eq!(signature("g: (Int) -> Int"), "(g: any (Int) -> Int) -> [] Int");
    assert_eq!(signature("g: F"), "(g: any (Int) -> Int) -> [] Int");
    assert_eq!(signature("g: (Int) -> IO + Int"), "(g: (Int) -> IO + Int) -> [] Int");
    assert_eq!(signature("g: [(Int) -> Int]"), "(g: [(Int) -> Int]) -> [] Int");
}

/// Row 8: the variable is chosen where the type is written.
#[test]
fn refinements_find_their_variable() {
    let param = |written: &str| {
        signature(&format!("external fn f(xs: [Int], i: {written}) -> Int = \"f\"\n"), "f")
    };
    let shown = |predicate: &str| format!("(xs: [Int], i: Int{{{predicate}}}) -> [] Int");
    assert_eq!(param("Int{v | v > 0}"), shown("v | v > 0"));
    assert_eq!(param("Int{len(xs) > i}"), shown("i | len(xs) > i"));
    assert_eq!(param("Int{len(xs) > k}"), shown("k | len(xs) > k"));
    let result =
        |written: &str| signature(&format!("external fn f(n: Int) -> {written} = \"f\"\n"), "f");
    assert_eq!(result("(Int{result > n})"), "(n: Int) -> [] Int{result | result > n}");
    assert_eq!(result("(Int{m > n})"), "(n: Int) -> [] Int{m | m > n}");
    assert_eq!(alias("type Pos = Int{n > 0}\n", "Pos"), "Int{n | n > 0}");
    assert_eq!(alias("sum C { Red }\ntype NotRed = C{c != Red}\n", "NotRed"), "C{c | c != Red}");
    check("external fn f(xs: [Int], i: Int{len(xs) > 0}) -> Int = \"f\"\n", &["E3005@1:29"]);
    check("external fn f(i: Int{a > b}) -> Int = \"f\"\n", &["E3005@1:18"]);
    check("type A = Int{v | 1 > 0}\n", &["E3005@1:10"]);
    check("type A = Int{true}\n", &["E3005@1:10"]);
    check("rec R { lo: Int, hi: Int{lo > 0} }\n", &["E3005@1:22"]);
    check("rec R { lo: Int, hi: Int{hi >= lo} }\n", &[]);
}

/// Row 28.
#[test]
fn names_that_are_defined_twice_are_reported() {
    check("fn f() -> Int { 1 }\nfn f() -> Int { 2 }\n", &["E1002@2:1"]);
    check("rec R { a: Int, a: Int }\n", &["E1002@1:17"]);
    check("sum S { A, B, A }\n", &["E1002@1:15"]);
    check("sum S { A(x: Int, x: Int) }\n", &["E1002@1:19"]);
    check("fn f[T, T](a: T) -> T { a }\n", &["E1002@1:9"]);
    check("fn f(a: Int, a: Int) -> Int { 1 }\n", &["E1002@1:14"]);
    check("rec R { a: Int }\nsum R { B }\n", &["E1002@2:1"]);
    check("rec R { a: Int }\nsum S { R }\n", &["E1002@2:9"]);
    check("sum R { R(Int) }\n", &[]);
    check("external mod m = \"m\" { fn f() -> Int fn f() -> Int }\n", &["E1002@1:38"]);
    check(
        "fn len(n: Int) -> Int { n }\nsum Option { Some, None }\nfn f(o: Option) -> Int { len(1) }\n",
        &[],
    );
}

#[test]
fn the_first_of_two_functions_is_meant_and_both_are_checked() {
    let text = "fn f() -> Int { 1 }\nfn f(a: Str) -> Str { a }\nfn g() -> Int { f() }\n";
    assert_eq!(signature(text, "f"), "() -> [] Int");
    assert_eq!(env(text).signatures.len(), 3);
}

/// Row 49: at the later variant.
#[test]
fn a_variant_of_two_sums_means_the_later_one() {
    let text = "sum A { X, Y }\nsum B { Y, Z }\n";
    check(text, &["W0006@2:9"]);
    match env(text).values.get("Y") {
        Some(Value::Variant { def, variant: 0 }) => assert_eq!(def.key.name, "B"),
        other => panic!("{other:?}"),
    }
}

/// Rows 16 and 50.
#[test]
fn modules_are_found_and_names_are_bound() {
    check(
        "//- lib/shapes.clank\nrec Point { x: Int }\nsum Color { Red, Green }\nfn origin() -> Point { Point(0) }\n\
         //- main.clank\nuse lib.shapes\nfn f() -> shapes.Point { shapes.origin() }\n",
        &[],
    );
    check(
        "//- shapes.clank\nrec Point { x: Int }\nsum Color { Red, Green }\nfn origin() -> Point { Point(0) }\n\
         //- main.clank\nuse shapes.{origin, Point, Color}\nfn f(c: Color) -> Point { origin() }\nfn g() -> Color { Red }\n",
        &[],
    );
    check(
        "//- a/b.clank\nfn f() -> Int { 1 }\n//- a/c/d.clank\nuse b as other\nfn g() -> Int { other.f() }\n",
        &[],
    );
    check(
        "//- b.clank\nfn f() -> Int { 1 }\n//- a/b.clank\nfn g() -> Int { 1 }\n//- a/c.clank\nuse b.{g}\nfn h() -> Int { g() }\n",
        &[],
    );
}

#[test]
fn unknown_types_of_modules_are_suggested_from_there() {
    let lib = "//- lib.clank\nrec Point { x: Int }\n//- main.clank\nuse lib\n";
    insta::assert_snapshot!(
        message(&format!("{lib}external fn f(p: lib.Piont) -> Int = \"f\"\n")),
        @"cannot find type `lib.Piont`; did you mean `lib.Point`?"
    );
}

/// Rows 16 and 50: what is missing is reported at the `use`, and only there.
#[test]
fn broken_imports_are_reported_once() {
    check("use nothing\nfn f() -> Int { nothing.g() }\n", &["E1004@1:1"]);
    check("use nothing.{g, T}\nfn f(t: T) -> Int { g(t) }\n", &["E1004@1:1"]);
    check(
        "//- lib.clank\nfn f() -> Int { 1 }\n//- main.clank\nuse lib.{g}\nfn h() -> Int { g() }\n",
        &["E1003@1:1"],
    );
    insta::assert_snapshot!(message("//- shapes.clank\nfn f() -> Int { 1 }\n//- main.clank\nuse shape\n"), @"cannot find module `shape`; did you mean `shapes`?");
    insta::assert_snapshot!(message("//- lib.clank\nfn area() -> Int { 1 }\n//- main.clank\nuse lib.{aera}\n"), @"the module `lib` has no `aera`; did you mean `area`?");
    insta::assert_snapshot!(message("use a.b\n"), @"cannot find module `a.b`; it would be the file `a/b.clank`, beside this one or in a folder above");
}

/// Row 50.
#[test]
fn modules_must_not_import_one_another() {
    check("use main\n", &["E1004@1:1"]);
    check(
        "//- a.clank\nuse b\nfn f() -> Int { b.g() }\n//- b.clank\nuse c\nfn g() -> Int { c.h() }\n\
         //- c.clank\nuse a\nfn h() -> Int { a.f() }\n//- main.clank\nuse a\nfn i() -> Int { a.f() }\n",
        &["a.clank E1004@1:1", "b.clank E1004@1:1", "c.clank E1004@1:1"],
    );
    let checked = check_program(&program_of("//- a.clank\nuse b\n//- b.clank\nuse a\n"), None);
    let messages: Vec<&str> = checked
        .modules
        .iter()
        .flat_map(|it| &it.diagnostics)
        .map(|it| it.message.as_str())
        .collect();
    assert!(
        messages.contains(
            &"`b` imports this module again: `a.clank` imports `b.clank` imports `a.clank`"
        ),
        "{messages:?}"
    );
    insta::assert_snapshot!(message("use main\n"), @"this module imports itself; its own names need no `use`");
}

#[test]
fn imports_clash_like_declarations() {
    let lib = "//- lib.clank\nfn f() -> Int { 1 }\nsum S { A }\n//- main.clank\n";
    check(&format!("{lib}use lib.{{f}}\nfn f() -> Int {{ f() }}\n"), &["E1002@2:1"]);
    check(&format!("{lib}use lib.{{f}}\nuse lib.{{f}}\nfn g() -> Int {{ f() }}\n"), &["E1002@2:1"]);
    check(
        &format!("{lib}use lib.{{S}}\nsum T {{ A }}\nfn g(s: S) -> Int {{ 1 }}\n"),
        &["W0006@2:9"],
    );
}

#[test]
fn unused_imports_are_named() {
    let lib = "//- lib.clank\nfn f() -> Int { 1 }\nfn g() -> Int { 1 }\nrec T { x: Int }\n//- main.clank\n";
    check(&format!("{lib}use lib\n"), &["W0002@1:1"]);
    check(&format!("{lib}use lib.{{f, T}}\nfn h(t: T) -> Int {{ 1 }}\n"), &["W0002@1:1"]);
    check(&format!("{lib}use lib.{{T}}\nfn h(t: T) -> Int {{ 1 }}\n"), &[]);
    check("use external \"fs\" as fs\n", &["W0002@1:1"]);
    check("use external \"fs\" as _\n", &[]);
    insta::assert_snapshot!(message(&format!("{lib}use lib.{{f, g}}\n")), @"`f` and `g` are imported but never used; remove what is not used");
}

/// Row 34: externals have exactly their declared effects.
#[test]
fn external_modules_bind_functions() {
    let text = "external mod m = \"m\" { fn f(x: Int) -> IO + Int fn g() -> Int }\n";
    check(text, &[]);
    let env = env(text);
    assert_eq!(env.values.get("m"), Some(&Value::HostModule { name: "m".into() }));
    match env.host.get(&("m".into(), "f".into())) {
        Some(Value::External { namespace: Some(namespace), signature, .. }) => {
            assert_eq!((namespace.as_str(), signature.effects), ("m", crate::ty::Effects::IO));
        }
        other => panic!("{other:?}"),
    }
}

/// What a declaration that cannot be read declares is not reported as unknown.
#[test]
fn lost_declarations_keep_their_names() {
    let checked = check_text("fn broken( -> {\nrec Lost { x: = }\nfn f(a: Lost) -> Int { 1 }\n");
    let codes = codes_of(&checked.modules[0]);
    assert!(codes.iter().all(|it| it.starts_with("E0")) && !codes.is_empty(), "{codes:?}");
}

/// Row 28: one `use` brings a name once.
#[test]
fn a_name_that_is_imported_twice_by_one_use_is_reported_once() {
    let fixture =
        "//- main.clank\nuse a.{f, f}\nfn g() -> Int { 1 }\n//- a.clank\nfn f() -> Int { 1 }\n";
    check(fixture, &["E1002@1:1", "W0002@1:1"]);
    let used = fixture.replace("{ 1 }\n//-", "{ f() }\n//-");
    assert_eq!(message(&used), "`f` is imported twice here; remove one of the two");
}

const TWO_SUMS: &str = "//- a/x.clank\nsum S { A, B }\n//- b/x.clank\nsum S { A, C }\n";

/// Row 50: the module of a qualified pattern says which sum is meant.
#[test]
fn a_variant_of_another_modules_sum_of_the_same_name_is_refused() {
    let main =
        |body: &str| format!("{TWO_SUMS}//- main.clank\nuse a.x\nuse b.x.{{S}}\nfn h(s: {body}\n");
    check(&main("x.S) -> Int { match s { x.A -> 1, B -> 2 } }\nfn i(s: S) -> Int { 1 }"), &[]);
    let wrong = main("S) -> Int { match s { x.A -> 1, A -> 3, C -> 2 } }");
    assert_eq!(message(&wrong), "`x.A` is a variant of `a.x.S`, but the value is `b.x.S`");
    check(
        &main("S) -> Int { match s { x.Z -> 1, y.A -> 4, A -> 3, C -> 2 } }"),
        &["E1006@3:31", "E1006@3:41"],
    );
}

/// Two types of the same name are told apart.
#[test]
fn a_mismatch_of_two_types_of_the_same_name_names_their_modules() {
    let fixture = format!(
        "{TWO_SUMS}//- main.clank\nuse a.x\nuse b.x.{{S}}\nfn g(p: [x.S]) -> [S] {{ p }}\n"
    );
    assert_eq!(message(&fixture), "expected `[b.x.S]`, found `[a.x.S]`");
}

/// Row 49: a cycle through the file that is asked for is reported at its own `use`.
#[test]
fn a_cycle_is_reported_in_the_file_that_is_asked_for() {
    struct Two;
    impl Library for Two {
        fn module(&self, _: &str, path: &[Name]) -> Option<(Name, Arc<str>)> {
            let text = if path[0] == "b" { "use main\n" } else { "use b\n" };
            Some((Name::from(format!("{}.clank", path[0])), text.into()))
        }
    }
    let parsed = clank_syntax::parse("main.clank", "use b\n");
    let main = Name::new("main.clank");
    let program = Program::load(main, Arc::new(parsed.ast), parsed.errors, &Two);
    let checked = check_program(&program, None);
    let found: Vec<_> = checked.modules.iter().map(|it| (it.file.as_str(), codes_of(it))).collect();
    let expected = [("b.clank", Vec::new()), ("main.clank", vec!["E1004@1:1".to_owned()])];
    assert_eq!(found, expected);
}
