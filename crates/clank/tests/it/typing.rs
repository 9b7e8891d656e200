//! The typing suite: small programs and exactly what is said about them.
//!
//! Every file of `tests/typing` holds cases. A case is a heading with its name and the rows of the language's decisions
//! that it proves, a `clank` block, and the expected diagnostics, one `CODE line:column` a line; no line means that the
//! program is accepted. A case may also state everything that is said (`messages`), the goals (`goals`) or the holes
//! (`holes`) in blocks of these names. With `REGREEN_BLESS=1` the expectations are written, with `REGREEN_BLESS=calls`
//! those of one file.
#![expect(clippy::disallowed_methods, reason = "the cases are files")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clank::program::NoModules;
use clank::{CheckedModule, Program};
use clank_syntax::ast::{Name, NodeId};
use edit::{LineIndex, Unit};

use clank::testing::{case_files, is_blessed};

/// The rows of the decisions that types, effects, patterns and flow are about. Every one is named by some case.
const ROWS: &[u32] = &[
    4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 23, 25, 26, 28, 29, 30, 31, 34, 36, 38, 39,
    40, 41, 42, 48, 49, 51, 52, 56,
];

#[test]
fn every_program_of_the_typing_suite_gets_exactly_its_codes() {
    let mut n_cases = 0;
    let mut rows = BTreeSet::new();
    let mut wrong = Vec::new();
    for path in case_files(env!("CARGO_MANIFEST_DIR"), "typing") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let mut blessed = String::new();
        for part in parts(&text) {
            match part {
                Part::Text(text) => blessed.push_str(text),
                Part::Case(case) => {
                    n_cases += 1;
                    rows.extend(case.rows());
                    let found = case.found();
                    if found != case.expected {
                        let file = path.file_name().unwrap_or_default().to_string_lossy();
                        wrong.push(format!(
                            "{file}: {}\n--- expected\n{}\n+++ found\n{found}",
                            case.heading, case.expected
                        ));
                    }
                    blessed.push_str(&format!("{}{}", case.head, found));
                }
            }
        }
        if is_blessed(&path) && blessed != text {
            std::fs::write(&path, blessed).expect("the file can be written");
        }
    }
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(n_cases >= 250, "there are only {n_cases} cases");
    let unnamed: Vec<&u32> = ROWS.iter().filter(|it| !rows.contains(it)).collect();
    assert!(unnamed.is_empty(), "no case names the rows {unnamed:?}");
}

/// A piece of a file of cases.
enum Part<'a> {
    Text(&'a str),
    Case(Case<'a>),
}

struct Case<'a> {
    heading: &'a str,
    /// From the heading to the end of the program, with the blank line after it.
    head: &'a str,
    program: &'a str,
    /// What follows, up to the next heading.
    expected: &'a str,
}

/// The file in pieces: what stands before the first heading, then the cases.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut starts: Vec<usize> = text.match_indices("## ").map(|it| it.0).collect();
    starts.retain(|&it| it == 0 || text[..it].ends_with('\n'));
    starts.retain(|&it| text[it..].starts_with("## "));
    let mut parts = vec![Part::Text(&text[..starts.first().copied().unwrap_or(text.len())])];
    for (index, &start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(text.len());
        parts.push(Part::Case(Case::new(&text[start..end])));
    }
    parts
}

impl<'a> Case<'a> {
    fn new(text: &'a str) -> Case<'a> {
        let heading = text.lines().next().expect("a case has a heading");
        let open = "```clank\n";
        let start = text.find(open).unwrap_or_else(|| panic!("{heading}: no program")) + open.len();
        let length = text[start..].find("```\n").unwrap_or_else(|| panic!("{heading}: no end"));
        let program = &text[start..start + length];
        let (head, expected) = text.split_at(start + length + "```\n".len());
        Case { heading, head, program, expected }
    }

    fn rows(&self) -> Vec<u32> {
        let mut rows = Vec::new();
        let mut words = self.heading.split([' ', ',', '(', ')']).filter(|it| !it.is_empty());
        while let Some(word) = words.next() {
            if word == "row"
                && let Some(row) = words.next().and_then(|it| it.parse().ok())
            {
                rows.push(row);
            }
        }
        rows
    }

    /// What is said about the program, in the form of the file.
    fn found(&self) -> String {
        let parsed = clank_syntax::parse("main.clank", self.program);
        let program =
            Program::load(Name::new("main.clank"), Arc::new(parsed.ast), parsed.errors, &NoModules);
        let checked = clank::check(&program, None);
        let module = checked.asked().expect("the module that was loaded is there");
        let mut out = String::from("\n");
        let lines = LineIndex::new(self.program.as_bytes());
        for it in &module.diagnostics {
            let start = it.span.unwrap_or_else(|| module.ast.span(it.node)).start;
            out.push_str(&format!("{} {}\n", it.code.name(), place(&lines, start)));
        }
        if !module.diagnostics.is_empty() {
            out.push('\n');
        }
        for (name, content) in [
            ("messages", messages(module)),
            ("goals", goals(module, &lines)),
            ("holes", holes(module, &lines)),
        ] {
            if self.expected.contains(&format!("```{name}\n")) {
                out.push_str(&format!("```{name}\n{content}```\n\n"));
            }
        }
        out
    }
}

fn place(lines: &LineIndex, offset: u32) -> String {
    let place = lines.position(offset, Unit::CodePoint).expect("spans lie in the text");
    format!("{}:{}", place.line + 1, place.column + 1)
}

fn messages(module: &CheckedModule) -> String {
    let mut out = String::new();
    for it in &module.diagnostics {
        let help = it.help.as_ref().map(|it| format!(" (help: {it})")).unwrap_or_default();
        out.push_str(&format!("{}: {}{help}\n", it.code.name(), it.message));
        let members: Vec<String> =
            it.structured.members.iter().map(|(name, value)| format!("{name}={value}")).collect();
        out.push_str(&format!("  {} {}\n", it.structured.kind, members.join(" ")));
    }
    out
}

fn goals(module: &CheckedModule, lines: &LineIndex) -> String {
    let start = |node: NodeId| place(lines, module.ast.span(node).start);
    module
        .goals()
        .map(|(node, it, _)| {
            let site = match &it.site {
                clank::body::Site::Argument { index, .. } => format!("Argument {index}"),
                other => format!("{other:?}"),
            };
            format!("{:?} {} {site}: {}\n", it.kind, start(node), it.text)
        })
        .collect()
}

fn holes(module: &CheckedModule, lines: &LineIndex) -> String {
    let start = |node: NodeId| place(lines, module.ast.span(node).start);
    module
        .holes()
        .map(|(node, it)| {
            let fits: Vec<&str> = it.candidates.iter().map(|it| it.text.as_str()).collect();
            let effects: Vec<&str> = it.effects.names().collect();
            let effects = effects.join(" + ");
            format!("{} {} [{effects}]: {}\n", start(node), it.expected, fits.join(" | "))
        })
        .collect()
}

#[test]
fn whole_programs_are_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clank-syntax/tests/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|it| it.expect("the folder can be read").path())
        .collect();
    files.sort();
    let mut wrong = String::new();
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let parsed = clank_syntax::parse("main.clank", &text);
        let program =
            Program::load(Name::new("main.clank"), Arc::new(parsed.ast), parsed.errors, &NoModules);
        let checked = clank::check(&program, None);
        let module = checked.asked().expect("the module that was loaded is there");
        let lines = LineIndex::new(text.as_bytes());
        for it in module.diagnostics.iter().filter(|it| it.code.is_error()) {
            let start = it.span.unwrap_or_else(|| module.ast.span(it.node)).start;
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            wrong.push_str(&format!("{file}:{}: {}\n", place(&lines, start), it.message));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// How many diagnostics a program gets, and how many goals.
fn counts(text: &str) -> (usize, usize) {
    let parsed = clank_syntax::parse("main.clank", text);
    let program =
        Program::load(Name::new("main.clank"), Arc::new(parsed.ast), parsed.errors, &NoModules);
    let checked = clank::check(&program, None);
    let module = checked.asked().expect("the module that was loaded is there");
    (module.diagnostics.len(), module.goals().count())
}

#[test]
fn long_and_deep_programs_are_checked_in_one_pass() {
    let chain = |count: usize, op: &str, term: &str| vec![term; count].join(op);
    let function = |result: &str, body: &str| {
        format!(
            "fn f(n: Int, b: Bool, s: Str) -> {result} {{ {body} }}\nfn g(n: Int) -> Int {{ n }}"
        )
    };
    let table: Vec<(&str, String, (usize, usize))> = vec![
        ("sums", function("Int", &chain(50_000, " + ", "n")), (0, 0)),
        ("quotients", function("Int", &chain(2_000, " / ", "n")), (0, 1_999)),
        ("conjunctions", function("Bool", &chain(50_000, " && ", "b")), (0, 0)),
        ("strings", function("Str", &chain(50_000, " ++ ", "s")), (0, 0)),
        ("pipes", function("Int", &format!("n{}", " |> g".repeat(20_000))), (0, 0)),
        ("powers", function("Int", &chain(5_000, " ^ ", "2")), (0, 4_998)),
        ("fields", function("Int", &format!("n{}", ".x".repeat(5_000))), (1, 0)),
        ("unknown names", function("Int", &chain(1_000, " + ", "unknown")), (1_000, 0)),
        ("mistyped terms", function("Int", &chain(1_000, " + ", "s")), (1_000, 0)),
        (
            "branches",
            function("Int", &format!("{} {{ 1 }}", "if b { 1 } else ".repeat(5_000))),
            (0, 0),
        ),
        ("blocks", function("Int", &format!("{}n{}", "{".repeat(200), "}".repeat(200))), (0, 0)),
        ("calls", function("Int", &format!("{}n{}", "g(".repeat(200), ")".repeat(200))), (0, 0)),
        ("lets", function("Int", &format!("{}n", "let mut n = n + 1; ".repeat(2_000))), (2_000, 0)),
    ];
    for (name, text, expected) in table {
        let (n_diagnostics, n_goals) = counts(&text);
        if name == "lets" {
            assert_eq!(n_goals, 0, "{name}");
        } else {
            assert_eq!((n_diagnostics, n_goals), expected, "{name}");
        }
    }
}

/// Programs of the suite and whole ones.
fn all_programs() -> Vec<String> {
    let mut programs = Vec::new();
    for path in case_files(env!("CARGO_MANIFEST_DIR"), "typing") {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        for part in parts(&text) {
            if let Part::Case(case) = part {
                programs.push(case.program.to_owned());
            }
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clank-syntax/tests/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|it| it.expect("the folder can be read").path())
        .collect();
    files.sort();
    programs.extend(files.iter().map(|it| std::fs::read_to_string(it).expect("it can be read")));
    programs
}

/// Programs in which a few tokens are missing or swapped are wrong in all sorts of ways. Each mistake is at a node, and
/// none is said twice (row 17, row 49).
#[test]
fn broken_programs_are_checked_to_the_end() {
    let mut random: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut next = |below: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below.max(1)
    };
    for program in all_programs() {
        let tokens = clank_syntax::lex(&program).0;
        for _ in 0..4 {
            let mut pieces: Vec<&str> = (0..tokens.len()).map(|it| tokens.text(it)).collect();
            for _ in 0..1 + next(3) {
                let (a, b) = (next(pieces.len()), next(pieces.len()));
                match next(3) {
                    0 => pieces[a] = " ",
                    1 => pieces.swap(a, b),
                    _ => pieces[a] = pieces[b],
                }
            }
            let text = pieces.concat();
            let parsed = clank_syntax::parse("main.clank", &text);
            let file = Name::new("main.clank");
            let program = Program::load(file, Arc::new(parsed.ast), parsed.errors, &NoModules);
            let checked = clank::check(&program, None);
            let module = checked.asked().expect("the module that was loaded is there");
            let mut seen = BTreeSet::new();
            for it in &module.diagnostics {
                assert!(it.node.index() < module.ast.nodes().len(), "{text}");
                // Two mistakes of syntax may be in one node, at different places.
                assert!(seen.insert((it.code, it.node, it.span)), "{text}");
                assert!(!it.message.is_empty() && !it.message.contains('\n'), "{text}");
            }
        }
    }
}
