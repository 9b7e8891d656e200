//! Edits and the class that they show. `«` and `»` stand around what goes, `‹` and `›` around what comes.

use std::collections::BTreeMap;

use check::{Compatibility, Confidence, Grounds, Repair, RepairKind, Safety, Severity};
use document::{Pointer, Preconditions};
use edit::{Edit, EditSet, Text};
use proptest::prelude::*;
use snapshot::{Entry, File};

use super::*;

/// The text before the edits, and the edits.
fn marked(text: &str) -> (String, Vec<Edit>) {
    let (mut old, mut edits) = (String::new(), Vec::<Edit>::new());
    let mut rest = text;
    while let Some(at) = rest.find(['«', '‹']) {
        old.push_str(&rest[..at]);
        rest = &rest[at..];
        let start = old.len() as u32;
        let mut new = "";
        if let Some(gone) = rest.strip_prefix('«') {
            let (gone, after) = gone.split_once('»').expect("« is closed");
            old.push_str(gone);
            rest = after;
        }
        if let Some(come) = rest.strip_prefix('‹') {
            let (come, after) = come.split_once('›').expect("‹ is closed");
            (new, rest) = (come, after);
        }
        edits.push(Edit::replace(start, old.len() as u32, new));
    }
    old.push_str(rest);
    (old, edits)
}

fn repair(ops: Vec<RepairOp>) -> Repair {
    Repair {
        id: "r".into(),
        title: "todo! () delete suppress".into(),
        rationale: String::new(),
        source: "test".into(),
        phase: "lint".into(),
        rule_id: "RULE".into(),
        severity: Severity::Error,
        confidence: Confidence::High,
        safety: Safety::BehaviorPreserving,
        kind: RepairKind::LocalFix,
        ops,
        resolves: vec!["d".into()],
        reveals: Vec::new(),
        compatibility: Compatibility::default(),
        grounds: Grounds::default(),
    }
}

fn tree(files: &[(&str, &str)]) -> Snapshot {
    let entry = |text: &str| Entry::File(File::new(Text::new(text), 0o644));
    let entries = files.iter().map(|it| (RelPath::parse(it.0).unwrap(), entry(it.1)));
    Snapshot::new(entries.collect::<BTreeMap<_, _>>()).unwrap()
}

fn text_repair(file: &str, text: &str) -> (Repair, Snapshot) {
    let (old, edits) = marked(text);
    let edits = EditSet::new(&Text::new(old.clone()), edits).unwrap();
    let op = RepairOp::Text { file: RelPath::parse(file).unwrap(), edits };
    (repair(vec![op]), tree(&[(file, &old)]))
}

/// The table of `docs/guide/repairs.md`, in many languages. None of it depends on titles.
#[test]
fn a_class_is_what_the_edits_do() {
    let mut wrong = Vec::new();
    for (expected, file, text) in [
        ("repair", "a.rs", "let n = xs.«lenn»‹len›();\n"),
        ("repair", "a.rs", "‹use std::fmt;\n›fn main() {}\n"),
        ("repair", "a.rs", "let ‹mut ›x = 1;\n"),
        ("repair", "a.rs", "«let»‹const› X: u8 = 1;\n"),
        ("repair", "a.rs", "match x { A => 1, ‹B => 2, ›}\n"),
        ("repair", "a.rs", "match x { A => {} ‹_ => {}› }\n"),
        ("repair", "a.rs", "fn f() {}«;»\n"),
        ("repair", "a.rs", "a«  »‹ ›+ b\n"),
        ("delete", "a.rs", "«use std::fmt;\n»fn main() {}\n"),
        ("delete", "a.rs", "let «mut »x = 1;\n"),
        ("delete", "a.rs", "«foo();»‹// foo();›\n"),
        ("stub", "a.rs", "fn f() -> u8 {‹ todo! () ›}\n"),
        ("stub", "a.rs", "fn f() -> u8 {‹ unimplemented!(\"f\") ›}\n"),
        ("stub", "a.rs", "match x { A => 1, ‹_ => panic!(), ›}\n"),
        ("stub", "a.rs", "let x = get()‹.unwrap()›;\n"),
        ("stub", "a.rs", "let x = «get()»‹get().expect(\"it\")›;\n"),
        ("stub", "a.rs", "f(‹\"\"›);\n"),
        ("repair", "a.rs", "let x = old.unwrap()‹.clone()›;\n"),
        ("declare", "a.rs", "‹fn area(shape: &Shape) -> f64 { shape.area }\n\n›fn main() {}\n"),
        ("declare", "a.rs", "‹pub struct Shape;\n›fn main() {}\n"),
        ("declare", "a.rs", "fn main() {\n    ‹let total = 0;\n    ›use_it(total);\n}\n"),
        ("suppress", "a.rs", "‹#[allow(dead_code)]\n›fn f() {}\n"),
        ("suppress", "a.rs", "#[allow(unused‹, dead_code›)]‹#![ allow (x)]›\nfn f() {}\n"),
        ("suppress", "a.rs", "let ‹_›x = 1;\n"),
        ("suppress", "a.rs", "let «x»‹_› = 1;\n"),
        ("suppress", "a.rs", "‹let _ = ›fallible();\n"),
        ("repair", "a.py", "print(«x»‹y›)\n"),
        ("repair", "a.py", "‹import os\n›print(os.name)\n"),
        ("repair", "a.py", "‹from typing import List\n›x = []\n"),
        ("repair", "a.py", "raise «NotImplemented»‹NotImplementedError›\n"),
        ("repair", "a.py", "x = «str()»‹\"\"›\n"),
        ("delete", "a.py", "import os«, sys»\n"),
        ("delete", "a.py", "try:\n    «import x»‹pass›\nexcept E: ...\n"),
        ("delete", "a.py", "x = 1  «# commented()»\n"),
        ("stub", "a.py", "def f():\n    ‹raise NotImplementedError\n›\n"),
        ("stub", "a.py", "def f():‹ pass›\n"),
        ("stub", "a.py", "def f():‹ ...›\n"),
        ("stub", "a.py", "def f(x‹: Any›): return x\n"),
        ("stub", "a.py", "def f():\n    ‹# TODO: say what this is\n    ›return 1\n"),
        ("declare", "a.py", "‹def area(shape):\n    return shape.area\n\n›print(area(1))\n"),
        ("declare", "a.py", "‹class Shape:\n    x = 1\n›print(Shape)\n"),
        ("suppress", "a.py", "import os‹  # noqa: F401›\n"),
        ("suppress", "a.py", "import os  # noqa: F401‹  # type: ignore›\n"),
        ("suppress", "a.py", "x = f()‹  # pyright: ignore[x]›\n"),
        ("suppress", "a.py", "for «i»‹_› in xs:\n"),
        ("suppress", "a.py", "for ‹_›i in xs:\n"),
        ("repair", "a.ts", "‹import type { Shape } from './shape';\n›const s = 1;\n"),
        ("repair", "a.ts", "if (a =«=»‹==› b) {}\n"),
        ("repair", "a.ts", "throw ‹new Error(›\"x\"‹)›;\n"),
        ("repair", "a.ts", "‹const ›x = 1;\n"),
        ("repair", "a.ts", "‹await ›save();\n"),
        ("delete", "a.ts", "import { a«, b» } from 'x';\n"),
        ("stub", "a.ts", "class A { f() {‹ throw new Error('Method not implemented.'); ›} }\n"),
        ("stub", "a.ts", "class A {\n  ‹x: any;\n  ›}\n"),
        ("stub", "a.ts", "g(x‹ as any›);\n"),
        ("stub", "a.ts", "const o: O = { ‹name: ''› };\n"),
        ("declare", "a.ts", "class A {\n  ‹x: number;\n  ›y = 1;\n}\n"),
        ("declare", "a.ts", "class A {\n  ‹private x?: number;\n  ›y = 1;\n}\n"),
        ("declare", "a.ts", "‹export interface Shape { x: number }\n›const s = 1;\n"),
        ("declare", "a.js", "‹function area() { return 0; }\n›area();\n"),
        ("suppress", "a.ts", "‹// @ts-ignore\n›x.y();\n"),
        ("suppress", "a.ts", "‹// eslint-disable-next-line no-undef\n›x();\n"),
        ("suppress", "a.tsx", "‹/* biome-ignore lint: no */\n›x();\n"),
        ("repair", "a.go", "x «:=»‹=› 1\n"),
        ("delete", "a.go", "import (\n\t\"os\"\n«\t\"fmt\"\n»)\n"),
        ("stub", "a.go", "func f() int {‹ panic(\"unimplemented\") ›}\n"),
        ("declare", "a.go", "‹func area(s Shape) int { return 0 }\n\n›func main() {}\n"),
        ("declare", "a.go", "‹func (s Shape) Area() int { return 0 }\n\n›func main() {}\n"),
        ("suppress", "a.go", "«x»‹_› = f()\n"),
        ("suppress", "a.go", "x() ‹//nolint:errcheck›\n"),
        ("stub", "A.java", "int f() {‹ throw new UnsupportedOperationException(); ›}\n"),
        ("declare", "A.java", "class A {\n  ‹private int x;\n  ›}\n"),
        ("suppress", "A.java", "‹@SuppressWarnings(\"unchecked\")\n›class A {}\n"),
        ("stub", "a.kt", "fun f(): Int = ‹TODO()›\n"),
        ("stub", "a.swift", "func f() -> Int {‹ fatalError() ›}\n"),
        ("stub", "a.rb", "def f\n  ‹raise 'no'\n›end\n"),
        ("stub", "a.cpp", "int f() {‹ throw 1; ›}\n"),
        ("suppress", "a.cs", "‹#pragma warning disable CS0168\n›int x;\n"),
        ("suppress", "a.sh", "‹# shellcheck disable=SC2086\n›echo $x\n"),
        ("repair", "a.sh", "echo ‹\"›$x‹\"›\n"),
        ("suppress", "a.md", "‹<!-- markdownlint-disable MD013 -->\n›long\n"),
        ("repair", "a.md", "# Title\n‹\n›text\n"),
        ("suppress", "a.yaml", "a: 1‹  # yamllint disable-line›\n"),
        ("suppress", "a.yaml", "a: 1‹  # regreen: ignore RULE›\n"),
        ("stub", "a.yaml", "a: 1\n‹b: \"\"\n›"),
        ("repair", "a.yaml", "a: 1\n‹b: \"x\"\n›"),
        ("delete", "a.yaml", "a: 1\n«b: 2\n»"),
        ("suppress", "ruff.toml", "line-length = 88\n‹ignore = [\"E501\"]\n›"),
        ("repair", "ruff.toml", "line-length = «\"88\"»‹88›\n"),
        ("suppress", ".editorconfig", "[*.cs]\n‹dotnet_diagnostic.CS1591.severity = none\n›"),
        // Clank's own forms: a guard, a checked access, an arm, an assertion.
        ("stub", "a.clank", "‹if i < len(xs) { ›xs[i]‹ } else { panic(\"no\") }›\n"),
        (
            "stub",
            "a.clank",
            "«xs[i]»‹match get(xs, i) { Some(value) -> value, None -> panic(\"no\") }›\n",
        ),
        ("stub", "a.clank", "match x { A -> 1, ‹_ -> panic(\"no arm\"), ›}\n"),
        ("stub", "a.clank", "match x { A -> 1, ‹B -> todo(\"handle B\"), ›}\n"),
        ("stub", "a.clank", "‹assert i > 0\n›f(i)\n"),
        ("repair", "a.clank", "xs«.lenn»‹.len›()\n"),
        ("repair", "a.clank", "fn f(i: Int‹{ i > 0 }›) -> Int { i }\n"),
        ("delete", "a.clank", "«use a.b { c }\n»fn f() -> Int { 1 }\n"),
        ("delete", "a.clank", "use a.b { c«, d» }\n"),
        // What nobody knows the language of.
        ("repair", "a.unknown", "a «b»‹c› d\n"),
        ("delete", "a.unknown", "a «b »d\n"),
    ] {
        let (repair, snapshot) = text_repair(file, text);
        let found = class_of(&repair, &snapshot).name();
        if found != expected {
            wrong.push(format!("{found} instead of {expected}: {file}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a repair does to several files is one thing: what moves is neither gone nor new.
#[test]
fn what_moves_is_neither_gone_nor_new() {
    let (from, to) = ("fn area() {}\nfn main() {}\n", "// shapes\n");
    let snapshot = tree(&[("a.rs", from), ("b.rs", to)]);
    let op = |file: &str, text: &str, edit: Edit| RepairOp::Text {
        file: RelPath::parse(file).unwrap(),
        edits: EditSet::new(&Text::new(text), vec![edit]).unwrap(),
    };
    let take = op("a.rs", from, Edit::replace(0, 13, ""));
    let put = op("b.rs", to, Edit::replace(10, 10, "fn area() {}\n"));
    let class = |ops: &[&RepairOp]| {
        class_of(&repair(ops.iter().map(|it| (*it).clone()).collect()), &snapshot).name()
    };
    assert_eq!(class(&[&take]), "delete");
    assert_eq!(class(&[&put]), "declare");
    assert_eq!(class(&[&take, &put]), "repair");
}

/// What is in a missing file is a guess; a file that moves is neither new nor gone.
#[test]
fn operations_on_files_have_classes() {
    let path = |text: &str| RelPath::parse(text).unwrap();
    let text = |text: &str| Text::new(text);
    let add = |file: &str, new: &str| RepairOp::AddFile {
        file: path(file),
        new: snapshot::NewFile { text: text(new), mode: 0o644 },
    };
    let delete = |file: &str| RepairOp::DeleteFile { file: path(file), base: text("x").hash() };
    let rename = |file: &str, to: &str| RepairOp::RenameFile {
        file: path(file),
        to: path(to),
        base: text("x").hash(),
    };
    for (ops, expected) in [
        (vec![add("a.py", "x = 1\n")], "declare"),
        (vec![add("a/__init__.py", "")], "declare"),
        (vec![add("a.py", "def f(): pass\n")], "stub"),
        (vec![add("a.py", "import os  # noqa\n")], "suppress"),
        (vec![delete("a.py")], "delete"),
        (vec![delete("a.py"), add("b.py", "x = 1\n")], "repair"),
        (vec![rename("a.py", "b.py")], "repair"),
        (vec![rename("a.py", "b.py"), delete("c.py")], "repair"),
    ] {
        let repair = repair(ops);
        let found = class_of(&repair, &tree(&[("a.py", "x")])).name();
        assert_eq!(found, expected, "{:?}", repair.ops);
    }
}

/// W0001's `_x` is a repair because RS-58 lists it; a hint makes a class stricter and never laxer.
#[test]
fn what_is_said_about_a_repair_only_makes_it_stricter() {
    let stated = Grounds { is_stated: true, ..Grounds::default() };
    let hint = |it| Grounds { at_least: Some(it), ..Grounds::default() };
    for (grounds, text, expected) in [
        (stated, "let ‹_›x = 1;\n", RepairClass::Repair),
        (stated, "f()‹; panic(\"no\")›\n", RepairClass::Stub),
        (hint(RepairClass::Declare), "r = { a: 1‹, b: Int› }\n", RepairClass::Declare),
        (hint(RepairClass::Repair), "f()‹; panic(\"no\")›\n", RepairClass::Stub),
        (hint(RepairClass::Suppress), "f()‹; panic(\"no\")›\n", RepairClass::Suppress),
    ] {
        let (mut repair, snapshot) = text_repair("a.clank", text);
        repair.grounds = grounds;
        assert_eq!(class_of(&repair, &snapshot), expected, "{text}");
    }
}

#[test]
fn operations_on_documents_have_classes() {
    let at = |text: &str| text.parse::<Pointer>().unwrap();
    let text = |it: &str| Value::String(it.into());
    let keep = GuardedOp {
        expects: Preconditions { equals: Some(text("x")), ..Preconditions::default() },
        ..GuardedOp::from(Op::ReplaceValue { at: at("/b"), value: text("x") })
    };
    let remove = || GuardedOp::from(Op::RemoveKey { at: at(""), key: "a".into() });
    let add = |at: Pointer, key: &str, value: Value| {
        GuardedOp::from(Op::AddKey { at, key: key.into(), value })
    };
    let rules = at("/rules");
    for (file, steps, expected) in [
        ("a.yaml", vec![remove()], "delete"),
        ("a.yaml", vec![keep, remove()], "delete"),
        ("a.yaml", vec![Op::DeleteItem { at: at("/a"), index: 1 }.into()], "delete"),
        ("a.yaml", vec![Op::DeleteValue { at: at("/a") }.into()], "delete"),
        ("a.yaml", vec![remove(), add(at(""), "b", Value::Null)], "repair"),
        ("a.yaml", vec![add(at(""), "b", text(""))], "stub"),
        ("a.yaml", vec![add(at(""), "ignore", text("x"))], "repair"),
        (
            "a.yaml",
            vec![Op::RenameKey { at: at(""), from: "a".into(), to: "b".into() }.into()],
            "repair",
        ),
        ("ruff.toml", vec![add(at("/lint"), "ignore", Value::Array(vec![]))], "suppress"),
        (".eslintrc.json", vec![add(rules.clone(), "no-undef", text("off"))], "suppress"),
        (".eslintrc.json", vec![add(rules, "no-undef", text("error"))], "repair"),
        (
            "tsconfig.json",
            vec![add(at("/compilerOptions"), "strict", Value::Bool(false))],
            "suppress",
        ),
        ("package.json", vec![add(at(""), "private", Value::Bool(false))], "repair"),
        (
            "pyproject.toml",
            vec![
                Op::InsertItem {
                    at: at("/tool/ruff/lint/ignore"),
                    index: None,
                    value: text("E501"),
                }
                .into(),
            ],
            "suppress",
        ),
    ] {
        let path = RelPath::parse(file).unwrap();
        let ops = steps.into_iter().map(|step| RepairOp::Document { file: path.clone(), step });
        let repair = repair(ops.collect());
        let found = class_of(&repair, &Snapshot::default()).name();
        assert_eq!(found, expected, "{file} {:?}", repair.ops);
    }
}

/// The defaults of the classes hold where no contract states otherwise, and proof is heard.
#[test]
fn a_class_bounds_what_no_contract_states() {
    let stated = Grounds { is_stated: true, ..Grounds::default() };
    let proven = Grounds { is_redundant: true, ..Grounds::default() };
    for (text, grounds, safety, confidence) in [
        ("x «y»‹z›", Grounds::default(), Safety::BehaviorPreserving, Confidence::High),
        ("x «y»", Grounds::default(), Safety::BehaviorPreserving, Confidence::Low),
        ("x «y»", proven, Safety::BehaviorPreserving, Confidence::High),
        ("x «y»", stated, Safety::BehaviorPreserving, Confidence::High),
        ("‹todo! ()›", Grounds::default(), Safety::BehaviorChanging, Confidence::High),
        ("‹todo! ()›", proven, Safety::BehaviorChanging, Confidence::High),
        ("‹todo! ()›", stated, Safety::BehaviorPreserving, Confidence::High),
        ("‹fn f() {}›", Grounds::default(), Safety::BehaviorChanging, Confidence::High),
    ] {
        let (mut repair, snapshot) = text_repair("a.rs", text);
        repair.grounds = grounds;
        let (repairs, _) = settled(&[Arc::new(repair)], &snapshot);
        assert_eq!((repairs[0].safety, repairs[0].confidence), (safety, confidence), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]
    /// Any text and any edits have a class.
    #[test]
    fn any_edit_has_a_class(
        file in prop::sample::select(vec!["a.rs", "a.py", "a.ts", "a.md", "a.clank", "a", "ruff.toml"]),
        text in "[a-z_\"'#/{}();=.:\n\\\\ é]{0,60}",
        cuts in prop::collection::vec((0_usize..60, 0_usize..8, "[a-z_\"'#/{}();=.:!\n é]{0,12}"), 0..4),
    ) {
        let chars: Vec<usize> = text.char_indices().map(|it| it.0).chain([text.len()]).collect();
        let mut edits = Vec::new();
        let mut at = 0;
        for (skip, len, new) in cuts {
            let start = (at + skip).min(chars.len() - 1);
            let end = (start + len).min(chars.len() - 1);
            edits.push(Edit::replace(chars[start] as u32, chars[end] as u32, new));
            at = end + 1;
            if at >= chars.len() { break; }
        }
        let text = Text::new(text);
        let Ok(edits) = EditSet::new(&text, edits) else { return Ok(()) };
        let path = RelPath::parse(file).unwrap();
        let snapshot = Snapshot::new(
            [(path.clone(), Entry::File(File::new(text, 0o644)))].into(),
        ).unwrap();
        let class = class_of(&repair(vec![RepairOp::Text { file: path, edits }]), &snapshot);
        prop_assert!(RepairClass::ALL.contains(&class));
    }
}
