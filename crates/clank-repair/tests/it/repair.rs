//! The repair suite: small programs that are wrong, and the repairs that are offered for them.
//!
//! Every file of `tests/repair` holds cases: a heading with what it shows and the requirements and rows that it proves, a
//! `clank` block (several files with `//- path` before each; the last is the one that is repaired), and a `repairs`
//! block with one line a repair, in rank order. A case may also state the program after its first repair (`after`), what
//! excludes and goes with what (`compatibility`), why nothing is offered (`without`), and the text with the edits of the
//! first repair (`text`). With `REGREEN_BLESS=1` the
//! expectations are written, with `REGREEN_BLESS=effects` those of one file.
//!
//! On every case the promises are kept: each repair is applied alone and the program checked from the start.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clank::body::GoalKind;
use clank::code::Code;
use clank::proof::Proof;
use clank::testing::{Modules, case_files, is_blessed};
use clank::{Checked, CheckedModule, Program};
use clank_repair::{Budget, FindingId, ModuleRepairs, Repair, repairs, with_required};
use clank_syntax::ast::{Ast, Name, NodeId};
use clank_syntax::patch;
use edit::{EditSet, LineIndex, Text, Unit};

#[test]
fn every_program_of_the_repair_suite_gets_exactly_its_repairs() {
    let mut wrong = Vec::new();
    for path in case_files(env!("CARGO_MANIFEST_DIR"), "repair") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let (first, cases) = split(&text);
        let mut blessed = first.to_owned();
        for case in cases {
            let found = case.found();
            if found != case.expected {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                wrong.push(format!(
                    "{file}: {}\n--- expected\n{}\n+++ found\n{found}",
                    case.heading, case.expected
                ));
            }
            blessed.push_str(&format!("{}{found}", case.head));
        }
        if is_blessed(&path) && blessed != text {
            std::fs::write(&path, blessed).expect("the file can be written");
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
}

struct Case<'a> {
    heading: &'a str,
    /// From the heading to the end of the program.
    head: &'a str,
    program: &'a str,
    /// What follows, up to the next heading.
    expected: &'a str,
}

/// What stands before the first heading, and the cases.
fn split(text: &str) -> (&str, Vec<Case<'_>>) {
    let mut starts: Vec<usize> = text.match_indices("## ").map(|it| it.0).collect();
    starts.retain(|&it| it == 0 || text[..it].ends_with('\n'));
    let first = &text[..starts.first().copied().unwrap_or(text.len())];
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let cases = starts.iter().zip(ends).map(|(&start, end)| Case::new(&text[start..end]));
    (first, cases.collect())
}

impl<'a> Case<'a> {
    fn new(text: &'a str) -> Case<'a> {
        let heading = text.lines().next().expect("a case has a heading");
        let open = "```clank\n";
        let start = text.find(open).unwrap_or_else(|| panic!("{heading}: no program")) + open.len();
        let length = text[start..].find("```\n").unwrap_or_else(|| panic!("{heading}: no end"));
        let (head, expected) = text.split_at(start + length + "```\n".len());
        Case { heading, head, program: &text[start..start + length], expected }
    }

    /// What is offered, in the form of the file.
    fn found(&self) -> String {
        let loaded = Loaded::new(self.program);
        let offered = loaded.repairs();
        loaded.hold_to_promises(&offered, self.heading);
        loaded.hold_to_compatibility(&offered, self.heading);
        loaded.hold_to_lowering(&offered, self.heading);
        let mut out = format!("\n```repairs\n{}```\n\n", loaded.show(&offered));
        let after = || match offered.list.first() {
            Some(it) => loaded.patched_text(it),
            None => String::new(),
        };
        for (name, content) in [
            ("after", &after as &dyn Fn() -> String),
            ("compatibility", &|| show_compatibility(&offered)),
            ("without", &|| loaded.show_without(&offered)),
            ("text", &|| offered.list.first().map_or(String::new(), |it| loaded.edited_text(it))),
        ] {
            if self.expected.contains(&format!("```{name}\n")) {
                out.push_str(&format!("```{name}\n{}```\n\n", content()));
            }
        }
        out
    }
}

/// A program that was loaded and checked.
struct Loaded {
    modules: Modules,
    program: Program,
    checked: Checked,
}

impl Loaded {
    fn new(text: &str) -> Loaded {
        let modules = Modules::new(text);
        let program = modules.load();
        let program = program.with_near_modules(&modules).unwrap_or(program);
        let checked = clank::check(&program, None);
        Loaded { modules, program, checked }
    }

    fn module(&self) -> &CheckedModule {
        self.checked.asked().expect("the module that was loaded is there")
    }

    fn repairs(&self) -> ModuleRepairs {
        let module = self.checked.asked.expect("the module that was loaded is there");
        repairs(&self.program, &self.checked, module, &Budget::default())
    }

    fn show(&self, offered: &ModuleRepairs) -> String {
        let lines = LineIndex::new(self.module().ast.sources()[0].text.as_bytes());
        let mut out = String::new();
        for (index, it) in offered.list.iter().enumerate() {
            let resolves: Vec<String> =
                it.resolves.iter().map(|it| show_target(self.module(), &lines, *it)).collect();
            out.push_str(&format!(
                "rc{} {} {} {}: {} | resolves {}{}{}{}\n",
                index + 1,
                it.confidence.name(),
                it.safety.name(),
                it.kind.name(),
                it.title,
                resolves.join(", "),
                if it.is_verified { " | verified" } else { "" },
                revealed(&it.reveals),
                required(&it.compatibility.requires),
            ));
        }
        out
    }

    fn show_without(&self, offered: &ModuleRepairs) -> String {
        let lines = LineIndex::new(self.module().ast.sources()[0].text.as_bytes());
        let show = |it: &(FindingId, String)| {
            format!("{}: {}\n", show_target(self.module(), &lines, it.0), it.1)
        };
        offered.without.iter().map(show).collect()
    }

    /// The trees after repairs, by file.
    fn patched(&self, repairs: &[&Repair]) -> BTreeMap<Name, Ast> {
        let mut by_file: BTreeMap<Name, Vec<patch::PatchOp>> = BTreeMap::new();
        for (file, ops) in repairs.iter().flat_map(|it| &it.edits) {
            by_file.entry(file.clone()).or_default().extend(ops.iter().cloned());
        }
        let apply = |(file, ops): (Name, Vec<patch::PatchOp>)| {
            let ast = &self.checked.module(&file).expect("repairs are about modules").ast;
            let after = patch::apply(ast, &ops).expect("a repair can be applied");
            (file, after)
        };
        by_file.into_iter().map(apply).collect()
    }

    fn patched_text(&self, repair: &Repair) -> String {
        let trees = self.patched(&[repair]);
        let own = &self.module().file;
        let mut out = trees.get(own).map(clank_syntax::print).unwrap_or_default();
        for (file, ast) in trees.iter().filter(|it| it.0 != own) {
            out.push_str(&format!("//- {file}\n{}", clank_syntax::print(ast)));
        }
        out
    }

    /// The text of the module that was repaired, after the edits that a repair is lowered to.
    fn edited_text(&self, repair: &Repair) -> String {
        let text = self.modules.text();
        let parsed = clank_syntax::parse(&self.module().file, text);
        let own = repair.edits.iter().filter(|it| it.0 == self.module().file);
        let ops: Vec<patch::PatchOp> = own.flat_map(|it| it.1.iter().cloned()).collect();
        let edits = patch::Patchable::new(&parsed).edits(&ops).expect("a repair can be lowered");
        let after = edits.apply(&Text::new(text)).expect("the edits fit the text");
        String::from_utf8(after.bytes().to_vec()).expect("it is text")
    }

    /// A program with these trees, loaded and checked from the start.
    fn reloaded(&self, mut trees: BTreeMap<Name, Ast>) -> Checked {
        let own = self.module().file.clone();
        let ast = trees.remove(&own).map_or_else(|| Arc::clone(&self.module().ast), Arc::new);
        let modules = trees.iter().fold(self.modules.clone(), |modules, (file, ast)| {
            modules.with(file, &clank_syntax::print(ast))
        });
        clank::check(&Program::load(own, ast, Vec::new(), &modules), None)
    }

    /// What is verified is so when the program is checked from the start, too (RS-12, RS-43).
    fn hold_to_promises(&self, offered: &ModuleRepairs, heading: &str) {
        let before = to_do(self.module());
        for (place, it) in offered.list.iter().enumerate().filter(|it| it.1.is_verified) {
            let places = with_required(&offered.list, place).expect("what it requires is offered");
            let all: Vec<&Repair> = places.iter().map(|it| &offered.list[*it]).collect();
            let after = self.reloaded(self.patched(&all));
            let module = after.asked().expect("the module is still there");
            let after = to_do(module);
            for target in &it.resolves {
                let key = key_of(self.module(), *target);
                assert!(!after.contains(&key), "{heading}: {}: {key:?} is not gone", it.title);
            }
            let is_revealed = |new: &Key| it.reveals.iter().any(|code| *code.name() == *new.0);
            let is_new = |it: &&Key| it.is_error() && !before.contains(*it) && !is_revealed(it);
            let new: Vec<&Key> = after.iter().filter(is_new).collect();
            assert!(new.is_empty(), "{heading}: {}: makes {new:?}", it.title);
        }
    }

    /// A repair changes the same bytes whether the whole text is looked at or only what is near to what it changes.
    fn hold_to_lowering(&self, offered: &ModuleRepairs, heading: &str) {
        let text = Text::new(self.modules.text());
        let parsed = clank_syntax::parse(&self.module().file, self.modules.text());
        let patchable = patch::Patchable::new(&parsed);
        for it in &offered.list {
            for (_, ops) in it.edits.iter().filter(|it| it.0 == self.module().file) {
                let after = |it: EditSet| it.apply(&text).expect("the edits fit the text");
                let whole =
                    patch::patch(&parsed.ast, ops).and_then(|it| patch::edits(&parsed, &it));
                let nearby = patchable.edits_nearby(ops).map(after);
                let whole = whole.map(after);
                assert!(nearby.is_none() || nearby == whole.ok(), "{heading}: {}", it.title);
            }
        }
    }

    /// Conflicts are symmetric (RS-48), and what has a common key commutes (RS-50).
    fn hold_to_compatibility(&self, offered: &ModuleRepairs, heading: &str) {
        let list = &offered.list;
        let mut by_key: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, it) in list.iter().enumerate() {
            for other in &it.compatibility.conflicts_with {
                let back = &list[*other].compatibility.conflicts_with;
                assert!(back.contains(&index), "{heading}: rc{}", index + 1);
            }
            if let Some(key) = &it.compatibility.batch_key {
                by_key.entry(key).or_default().push(index);
            }
        }
        for members in by_key.values() {
            for pair in members.windows(2) {
                let (one, other) = (&list[pair[0]], &list[pair[1]]);
                assert!(!one.compatibility.conflicts_with.contains(&pair[1]), "{heading}");
                let there = self.applied_in_order(one, other);
                let back = self.applied_in_order(other, one);
                assert_eq!(there, back, "{heading}: {} and {}", one.title, other.title);
            }
        }
    }

    fn applied_in_order(&self, first: &Repair, second: &Repair) -> String {
        let own = &self.module().file;
        let mut ast = Ast::clone(&self.module().ast);
        for repair in [first, second] {
            for (file, ops) in &repair.edits {
                if file == own {
                    ast = patch::apply(&ast, ops).expect("what commutes can be applied");
                }
            }
        }
        clank_syntax::print(&ast)
    }
}

fn show_target(module: &CheckedModule, lines: &LineIndex, target: FindingId) -> String {
    let (what, node) = match target {
        FindingId::Diagnostic(index) => {
            let it = &module.diagnostics[index];
            let place = it.span.map(|it| it.start);
            return format!("{}@{}", it.code.name(), place_of(module, lines, it.node, place));
        }
        FindingId::Goal(index) => {
            let (node, goal, _) = module.goals().nth(index).expect("the goal is there");
            (format!("{:?}", goal.kind), node)
        }
        FindingId::Hole(index) => {
            ("hole".to_owned(), module.holes().nth(index).expect("the hole is there").0)
        }
    };
    format!("{what}@{}", place_of(module, lines, node, None))
}

fn place_of(module: &CheckedModule, lines: &LineIndex, node: NodeId, start: Option<u32>) -> String {
    let start = start.unwrap_or_else(|| module.ast.span(node).start);
    let place = lines.position(start, Unit::CodePoint).expect("spans lie in the text");
    format!("{}:{}", place.line + 1, place.column + 1)
}

fn show_compatibility(offered: &ModuleRepairs) -> String {
    let mut out = String::new();
    for (index, it) in offered.list.iter().enumerate() {
        let conflicts: Vec<String> =
            it.compatibility.conflicts_with.iter().map(|it| format!("rc{}", it + 1)).collect();
        let key = it.compatibility.batch_key.as_deref().unwrap_or("no key");
        out.push_str(&format!("rc{}: {key}; not with [{}]\n", index + 1, conflicts.join(", ")));
    }
    out
}

/// Something to be done, by the id of its node: `E1001` at `n5`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key(String, Name);

impl Key {
    fn is_error(&self) -> bool {
        self.0.starts_with('E')
    }
}

fn key_of(module: &CheckedModule, target: FindingId) -> Key {
    let ids = module.ast.ids();
    match target {
        FindingId::Diagnostic(index) => {
            let it = &module.diagnostics[index];
            Key(it.code.name().to_owned(), ids.id(it.node))
        }
        FindingId::Goal(index) => {
            let (node, goal, _) = module.goals().nth(index).expect("the goal is there");
            Key(format!("{:?}", goal.kind), ids.id(node))
        }
        FindingId::Hole(index) => {
            Key("hole".to_owned(), ids.id(module.holes().nth(index).expect("it is there").0))
        }
    }
}

fn to_do(module: &CheckedModule) -> BTreeSet<Key> {
    let diagnostics = (0..module.diagnostics.len()).map(FindingId::Diagnostic);
    let open = module.goals().enumerate().filter(|(_, (_, goal, proof))| {
        !proof.is_discharged()
            && (goal.kind != GoalKind::Assertion || matches!(proof, Proof::Refuted(_)))
    });
    let open: Vec<FindingId> = open.map(|it| FindingId::Goal(it.0)).collect();
    let holes = (0..module.holes().count()).map(FindingId::Hole);
    diagnostics.chain(open).chain(holes).map(|it| key_of(module, it)).collect()
}

/// Programs in which a few tokens are missing or swapped are wrong in all sorts of ways. What is offered for them keeps
/// its promise, too, and the same program gets the same repairs.
#[test]
fn repairs_of_broken_programs_keep_their_promises() {
    let mut random: u64 = 0x2545_F491_4F6C_DD1D;
    let mut next = |below: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below.max(1)
    };
    let mut n_repairs = 0;
    for path in case_files(env!("CARGO_MANIFEST_DIR"), "repair") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        for case in split(&text).1.iter().filter(|it| !it.program.contains("//- ")) {
            let tokens = clank_syntax::lex(case.program).0;
            for _ in 0..2 {
                let mut pieces: Vec<&str> = (0..tokens.len()).map(|it| tokens.text(it)).collect();
                for _ in 0..1 + next(2) {
                    let (a, b) = (next(pieces.len()), next(pieces.len()));
                    match next(3) {
                        0 => pieces[a] = " ",
                        1 => pieces.swap(a, b),
                        _ => pieces[a] = pieces[b],
                    }
                }
                let text = pieces.concat();
                let loaded = Loaded::new(&text);
                let offered = loaded.repairs();
                assert_eq!(offered, Loaded::new(&text).repairs(), "{text}");
                loaded.hold_to_compatibility(&offered, &text);
                if clank_syntax::parse("main.clank", &text).errors.is_empty() {
                    loaded.hold_to_promises(&offered, &text);
                }
                n_repairs += offered.list.len();
            }
        }
    }
    assert!(n_repairs > 100, "only {n_repairs} repairs");
}

/// X-104: more goals in one function do not make more checks of it once the work is used up.
#[test]
fn many_open_goals_in_one_function_are_tried_within_a_budget() {
    let checks = |n: usize| {
        let goals: String = (0..n).map(|it| format!("  s = s + xs[i + {it}]\n")).collect();
        let text = format!("fn f(xs: [Int], i: Int) -> Int {{\n  let mut s = 0\n{goals}  s\n}}\n");
        Loaded::new(&text).repairs().n_checks
    };
    let (few, many) = (checks(30), checks(90));
    assert!(few > 0 && many < 3 * few, "{few} checks of 30 goals, {many} of 90");
}

/// What a repair brings to light, if it does.
fn revealed(codes: &[Code]) -> String {
    let names: Vec<&str> = codes.iter().map(|it| it.name()).collect();
    if names.is_empty() { String::new() } else { format!(" | reveals {}", names.join(", ")) }
}

/// What a repair requires, if it requires anything.
fn required(places: &[usize]) -> String {
    let ids: Vec<String> = places.iter().map(|it| format!("rc{}", it + 1)).collect();
    if ids.is_empty() { String::new() } else { format!(" | requires {}", ids.join(", ")) }
}
