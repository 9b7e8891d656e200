//! The library's conventions hold, and every builtin has an item.

use std::collections::BTreeSet;

use clank::SIGNATURES;

use super::{HOST_NAMES, OutputLanguage, closure, helper_of, helpers, inline, module, scan};

const BOTH: [OutputLanguage; 2] = [OutputLanguage::TypeScript, OutputLanguage::JavaScript];

fn names(dialect: OutputLanguage, names: &[&str]) -> Vec<&'static str> {
    closure(dialect, &names.iter().copied().collect()).iter().map(|it| it.name).collect()
}

fn builtins() -> Vec<&'static str> {
    let signature = |line: &'static str| line.strip_prefix("fn ")?.split(['[', '(']).next();
    SIGNATURES.lines().filter_map(signature).collect()
}

fn identifiers(text: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    scan::for_each_identifier(text, |it| {
        found.insert(it);
    });
    found
}

#[test]
fn every_exported_item_is_found_once() {
    for dialect in BOTH {
        let text = module(dialect);
        let exported = text.lines().filter(|line| line.starts_with("export ")).count();
        let found: BTreeSet<&str> = helpers(dialect).iter().map(|it| it.name).collect();
        assert_eq!((helpers(dialect).len(), found.len()), (exported, exported));
        assert!(helpers(dialect).iter().all(|it| it.text.matches("\nexport ").count() == 1));
        let length: usize = helpers(dialect).iter().map(|it| it.text.len()).sum();
        assert!(length + 1000 > text.trim_end().len() - helpers(dialect).len(), "text is lost");
    }
}

#[test]
fn the_javascript_has_the_items_of_the_typescript_without_its_types_in_the_same_order() {
    let typed =
        helpers(OutputLanguage::TypeScript).iter().filter(|it| !it.text.contains("\nexport type "));
    let typed: Vec<&str> = typed.map(|it| it.name).collect();
    let plain: Vec<&str> = helpers(OutputLanguage::JavaScript).iter().map(|it| it.name).collect();
    assert_eq!(typed, plain);
}

#[test]
fn what_an_item_needs_is_there_and_needs_nothing_that_is_not() {
    for dialect in BOTH {
        for helper in helpers(dialect) {
            let items = closure(dialect, &BTreeSet::from([helper.name]));
            let found: BTreeSet<&str> = items.iter().map(|it| it.name).collect();
            assert!(found.contains(helper.name));
            assert!(items.iter().all(|it| it.needs().iter().all(|need| found.contains(need))));
        }
    }
}

#[test]
fn needs_are_what_the_text_names() {
    assert_eq!(names(OutputLanguage::JavaScript, &["div"]), ["ClankPanic", "panic", "div"]);
    assert_eq!(names(OutputLanguage::JavaScript, &["map"]), ["map"]);
    assert_eq!(names(OutputLanguage::JavaScript, &["get"]), ["Some", "None", "get"]);
    assert_eq!(names(OutputLanguage::TypeScript, &["get"]), ["Option", "Some", "None", "get"]);
    assert_eq!(
        names(OutputLanguage::TypeScript, &["println"]),
        ["Host", "HostFiles", "write", "println"]
    );
    assert_eq!(names(OutputLanguage::JavaScript, &["println"]), ["write", "println"]);
    assert_eq!(names(OutputLanguage::JavaScript, &["no_such_name"]), [""; 0]);
}

#[test]
fn inlined_text_is_not_exported_and_reads_on_its_own() {
    insta::assert_snapshot!(inline(OutputLanguage::TypeScript, &BTreeSet::from(["div"])), @r#"
    /** The program is wrong and stops; nothing in Clank catches this. */
    class ClankPanic extends Error {
      override name = "Panic";
    }

    /** Stops the program. */
    function panic(message: string): never {
      throw new ClankPanic(message);
    }

    /** The integer quotient, truncated toward zero. */
    function div(left: bigint, right: bigint): bigint {
      return right === 0n ? panic("division by zero") : left / right;
    }
    "#);
}

/// Rows 20, 26, 51 and 56: what the prelude declares can be generated.
#[test]
fn every_builtin_has_an_item() {
    let builtins = builtins();
    assert_eq!(builtins.len(), SIGNATURES.lines().filter(|it| it.starts_with("fn ")).count());
    assert_eq!(builtins.iter().collect::<BTreeSet<_>>().len(), builtins.len());
    let constructors = ["Some", "None", "Ok", "Err", "Less", "Equal", "Greater"];
    for name in builtins.iter().chain(&constructors) {
        assert!(helper_of(name).is_some(), "{name} has no item");
    }
    assert_eq!((helper_of("try"), helper_of("to_string")), (Some("attempt"), Some("show")));
}

/// Row 28: a generated file that keeps off the library's names and the host names breaks nothing.
#[test]
fn the_host_names_are_those_that_the_library_uses() {
    let items: BTreeSet<&str> =
        helpers(OutputLanguage::TypeScript).iter().map(|it| it.name).collect();
    let used = identifiers(module(OutputLanguage::TypeScript));
    // Type parameters are single letters.
    let is_type = |it: &str| it.len() > 1 && it.starts_with(|char: char| char.is_ascii_uppercase());
    let host = used.iter().copied().filter(|it| is_type(it) && !items.contains(it));
    let host: Vec<&str> = host.chain(["globalThis", "undefined"]).collect();
    assert_eq!(host, HOST_NAMES);
}

#[test]
fn identifiers_are_found_outside_of_text() {
    let check = |text: &'static str, expected: &[&str]| {
        assert_eq!(identifiers(text).into_iter().collect::<Vec<_>>(), expected, "{text}");
    };
    check("a.b(c?.d, ...e)", &["a", "c", "e"]);
    check("a // b\n/* c */ d", &["a", "d"]);
    check(r#""a" + b + "\"c""#, &["b"]);
    check("`a ${b + `${c}d` + {}} e` + f", &["b", "c", "f"]);
    check(r#"x.replace(/["'a]/g, b) / c / d"#, &["b", "c", "d", "g", "x"]);
    check("1n + 0xff + _a$1", &["_a$1"]);
    check("this.#log", &["this"]);
    check("{ a: b, c?: d, e ? f : g }", &["b", "d", "e", "f", "g"]);
    check("function f(a: b): any {}", &["b", "f", "function"]);
    check("`${", &[]);
    check("\"a\\", &[]);
    check("/* a", &[]);
}
