//! `no_refactor`: what is one in each language, and above all what is none (DF-19).

use measure::Constraints;
use measure::{changes, violations};
use proptest::prelude::*;

use super::changes::{config, scope, tree};

const NO_REFACTOR: Constraints =
    Constraints { max_files_changed: None, no_new_dependencies: None, no_refactor: Some(true) };

fn found(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<String> {
    let (before, after) = (tree(before), tree(after));
    let paths: Vec<String> =
        before.iter().chain(after.iter()).map(|(path, _)| path.to_string()).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let all = violations(&changes(&before, &after), &before, &after, &scope(&paths), &NO_REFACTOR);
    all.iter().map(|it| it.to_string().replacen("no_refactor: ", "", 1)).collect()
}

/// A source with two definitions and a value, `alpha` first, in each language. The body of `alpha` has `11`.
struct Source {
    path: &'static str,
    other_path: &'static str,
    head: &'static str,
    alpha: &'static str,
    beta: &'static str,
    /// How the kind of `alpha` is called.
    kind: &'static str,
}

const SOURCES: &[Source] = &[
    Source {
        path: "a.rs",
        other_path: "b.rs",
        head: "//! A file.\nuse std::fmt;\n\nconst LIMIT: usize = 3;\n\n",
        alpha: "/// Doc.\n#[inline]\npub(crate) fn alpha<'a>(x: &'a str) -> u32 {\n    // A comment with { in it.\n    let y = \"} not\"; let c = '}';\n    if x == y && c != '\\'' { 11 } else { x.len() as u32 }\n}\n\n",
        beta: "pub struct Beta {\n    pub x: u32,\n    pub y: Vec<String>,\n}\n\n",
        kind: "function",
    },
    Source {
        path: "a.py",
        other_path: "b.py",
        head: "\"\"\"Doc.\"\"\"\nimport os\n\nLIMIT = 3\n\n",
        alpha: "@cache\ndef alpha(x):\n    '''def nothing():'''\n    y = \"# not\"  # comment\n    if x == y:\n        return 11\n    return len(x)\n\n",
        beta: "class Beta(Base):\n    x = 1\n\n    def method(self):\n        return self.x + 1\n\n",
        kind: "function",
    },
    Source {
        path: "a.ts",
        other_path: "b.js",
        head: "import { x } from 'x';\n\nconst LIMIT = 3\n\n",
        alpha: "export async function alpha(x) {\n  const y = `a ${x ? `}` : '{'} b`; // {\n  if (/[/}]+/.test(x)) { return 11 }\n  return y.length / 2 / 1\n}\n\n",
        beta: "export class Beta extends Base {\n  x = 1;\n  method() { return this.x + 1; }\n}\n\n",
        kind: "function",
    },
    Source {
        path: "a.go",
        other_path: "b.go",
        head: "package a\n\nimport \"fmt\"\n\nvar limit = 3\n\n",
        alpha: "// Alpha.\nfunc alpha(x string) int {\n\ty := `}`\n\tif x == y || x == \"{\" {\n\t\treturn 11\n\t}\n\treturn len(x)\n}\n\n",
        beta: "func (b *Beta) method(x int) int {\n\tfmt.Println(x)\n\treturn b.x + x\n}\n\n",
        kind: "function",
    },
    Source {
        path: "a.c",
        other_path: "b.cpp",
        head: "#include <stdio.h>\n#define LIMIT 3 \\\n  {\n\n",
        alpha: "static int alpha(const char *x) {\n  /* { */ char c = '{';\n  if (x[0] == c) { return 11; }\n  return strlen(x);\n}\n\n",
        beta: "struct beta {\n  int x;\n  char *y;\n  struct beta *next;\n};\n\n",
        kind: "function",
    },
    Source {
        path: "a.clank",
        other_path: "b.clank",
        head: "mod a\n\n",
        alpha: "fn alpha(x: Int) -> Int\npre x > 0\n{\n  // {\n  let y = \"}\"\n  if x > 3 { 11 } else { x + 1 }\n}\n\n",
        beta: "rec Beta {\n  x: Int,\n  y: [Str],\n  z: Bool\n}\n\n",
        kind: "function",
    },
    Source {
        path: "a.rb",
        other_path: "b.rb",
        head: "require 'x'\n\nLIMIT = 3\n\n",
        alpha: "def alpha(x)\n  y = <<~TEXT\n    def nothing\n  TEXT\n  return 11 if x == y\n  x.length # comment\nend\n\n",
        beta: "class Beta < Base\n  def method\n    @x + 1\n  end\nend\n\n",
        kind: "method",
    },
];

fn text(parts: &[&str]) -> String {
    parts.concat()
}

#[test]
fn a_definition_under_another_name_is_renamed() {
    for it in SOURCES {
        let before = text(&[it.head, it.alpha, it.beta]);
        let after = text(&[it.head, &it.alpha.replace("alpha", "gamma"), it.beta]);
        let expected = format!("{}: {} alpha was renamed to gamma", it.path, it.kind);
        assert_eq!(found(&[(it.path, &before)], &[(it.path, &after)]), [expected]);
        // Also if the body changed a little with it.
        let after =
            text(&[it.head, &it.alpha.replace("alpha", "gamma").replace("11", "12"), it.beta]);
        assert_eq!(found(&[(it.path, &before)], &[(it.path, &after)]).len(), 1, "{}", it.path);
    }
}

#[test]
fn a_definition_in_another_file_is_moved() {
    for it in SOURCES {
        // Enough other text that neither file is taken for the other.
        let filler: String = (0..30)
            .map(|n| {
                format!("// {n}\n").replace(
                    "//",
                    if it.path.ends_with("py") || it.path.ends_with("rb") { "#" } else { "//" },
                )
            })
            .collect();
        let (old_a, new_a) =
            (text(&[it.head, it.alpha, it.beta, &filler]), text(&[it.head, it.beta, &filler]));
        let (old_b, new_b) = (filler.clone(), text(&[&filler, it.alpha]));
        let expected = format!("{}: {} alpha was moved from {}", it.other_path, it.kind, it.path);
        let before = [(it.path, old_a.as_str()), (it.other_path, &old_b)];
        let after = [(it.path, new_a.as_str()), (it.other_path, &new_b)];
        assert_eq!(found(&before, &after), [expected]);
        // A copy is not a move.
        let after = [(it.path, old_a.as_str()), (it.other_path, &new_b)];
        assert_eq!(found(&before, &after), [""; 0], "{}", it.path);
    }
}

#[test]
fn definitions_in_another_order_are_a_refactoring() {
    for it in SOURCES {
        let before = text(&[it.head, it.alpha, it.beta]);
        let after = text(&[it.head, it.beta, it.alpha]);
        let found = found(&[(it.path, &before)], &[(it.path, &after)]);
        assert!(
            found.iter().any(|it| it.contains("definitions are in another order")),
            "{}: {found:?}",
            it.path
        );
    }
}

#[test]
fn fixes_additions_and_removals_are_no_refactorings() {
    for it in SOURCES {
        let before = text(&[it.head, it.alpha, it.beta]);
        let added = it
            .alpha
            .replace("alpha", "gamma")
            .replace("11", "99")
            .replace("x", "other")
            .replace("y", "more");
        for after in [
            text(&[it.head, &it.alpha.replace("11", "12"), it.beta]),
            text(&[it.head, it.alpha, it.beta, &added]),
            text(&[it.head, &added, it.alpha, it.beta]),
            text(&[it.head, it.beta]),
            text(&[it.head, it.alpha]),
            text(&[it.alpha, it.beta]),
            text(&[it.head, it.alpha, it.alpha, it.beta]),
        ] {
            assert_eq!(
                found(&[(it.path, &before)], &[(it.path, &after)]),
                [""; 0],
                "{}: {after}",
                it.path
            );
        }
        assert_eq!(found(&[(it.path, &before)], &[]), [""; 0]);
        assert_eq!(found(&[], &[(it.path, &before)]), [""; 0]);
    }
}

/// Java has no functions outside classes: the members of classes count.
#[test]
fn members_of_java_classes_and_c_namespaces_are_seen() {
    let java = "package a;\n\nimport b.C;\n\n/** Doc. */\n@Service(\"x\")\npublic final class Order {\n    private final int x = 1;\n    enum Color { RED, GREEN }\n\n    @Override\n    public int alpha(int y) {\n        if (y > 0) { return x + y; }\n        return \"}\".length();\n    }\n\n    void beta() { System.out.println(x); }\n}\n";
    let check = |from: &str, to: &str, expected: &[&str]| {
        assert_eq!(found(&[("A.java", java)], &[("A.java", &java.replace(from, to))]), expected);
    };
    check("alpha", "gamma", &["A.java: function alpha was renamed to gamma"]);
    check("Order", "Purchase", &["A.java: type Order was renamed to Purchase"]);
    check("y > 0", "y >= 0", &[]);
    check("RED, GREEN", "RED, GREEN, BLUE", &[]);
    check("    void beta()", "    void extra(String s) { s.trim(); }\n\n    void beta()", &[]);
    let cpp = "namespace a {\nclass X;\nint alpha(int x) {\n  return x + 1 > 2 ? 3 : 4;\n}\ntemplate <typename T> T beta(T t) { return t; }\nint Order::method(int y) const { return y * 2; }\n}  // namespace a\n";
    let check = |from: &str, to: &str, expected: &[&str]| {
        assert_eq!(found(&[("a.hpp", cpp)], &[("a.hpp", &cpp.replace(from, to))]), expected);
    };
    check("alpha", "gamma", &["a.hpp: function alpha was renamed to gamma"]);
    check("? 3 : 4", "? 3 : 5", &[]);
    check("y * 2", "y * 3", &[]);
}

#[test]
fn a_file_that_was_moved_or_renamed_is_a_refactoring() {
    let text = "fn a() {}\n";
    assert_eq!(
        found(&[("a.rs", text)], &[("b/a.rs", text)]),
        ["b/a.rs: was moved or renamed from a.rs"]
    );
    assert_eq!(
        found(&[("a.bin", "\0x")], &[("b.bin", "\0x")]),
        ["b.bin: was moved or renamed from a.bin"]
    );
}

fn numbered(range: std::ops::Range<usize>, tail: &str) -> String {
    range.map(|n| format!("line number {n}{tail}\n")).collect()
}

#[test]
fn the_share_of_lines_that_went_decides() {
    let hundred = numbered(0..100, "");
    let changed = |n: usize| numbered(0..n, " changed") + &numbered(n..100, "");
    assert_eq!(found(&[("a.txt", &hundred)], &[("a.txt", &changed(50))]), [""; 0]);
    let message = "a.txt: 51 of 100 lines were changed, more than 50 %";
    assert_eq!(found(&[("a.txt", &hundred)], &[("a.txt", &changed(51))]), [message]);
    // Adding is not a refactoring, whatever its size, and neither is rewriting a short file.
    assert_eq!(
        found(&[("a.txt", &hundred)], &[("a.txt", &(numbered(200..900, "") + &hundred))]),
        [""; 0]
    );
    assert_eq!(
        found(&[("a.txt", &numbered(0..19, ""))], &[("a.txt", &numbered(50..69, " x"))]),
        [""; 0]
    );
    // Over several files the limit is lower.
    let (few, many) = (changed(29), changed(32));
    let before = [("a.txt", hundred.as_str()), ("b.txt", &hundred)];
    assert_eq!(found(&before, &[("a.txt", &few), ("b.txt", &few)]), [""; 0]);
    let message = "64 of 200 lines in 2 files were changed, more than 30 %";
    assert_eq!(found(&before, &[("a.txt", &many), ("b.txt", &many)]), [message]);
    // Lock files are written by machines.
    assert_eq!(found(&[("go.sum", &hundred)], &[("go.sum", &changed(90))]), [""; 0]);
}

#[test]
fn reformatting_is_a_refactoring_and_indenting_a_block_is_not() {
    let body: String = (0..100).map(|n| format!("    call_{n}(x, {n});\n")).collect();
    let reformatted: String = (0..100)
        .map(|n| {
            if n < 30 {
                format!("\tcall_{n}( x,\n\t\t{n} );\n")
            } else {
                format!("    call_{n}(x, {n});\n")
            }
        })
        .collect();
    let message = "a.rs: 30 of 102 lines differ only in white space";
    let wrap = |body: &str| format!("fn a() {{\n{body}}}\n");
    assert_eq!(found(&[("a.rs", &wrap(&body))], &[("a.rs", &wrap(&reformatted))]), [message]);
    let indented: String = (0..100)
        .map(|n| match n {
            20 => format!("    if x {{\n        call_{n}(x, {n});\n"),
            21..39 => format!("        call_{n}(x, {n});\n"),
            39 => format!("        call_{n}(x, {n});\n    }}\n"),
            _ => format!("    call_{n}(x, {n});\n"),
        })
        .collect();
    assert_eq!(found(&[("a.rs", &wrap(&body))], &[("a.rs", &wrap(&indented))]), [""; 0]);
    let crlf = wrap(&body).replace('\n', "\r\n");
    assert_eq!(found(&[("a.rs", &wrap(&body))], &[("a.rs", &crlf)]).len(), 2);
}

/// Sources of this repository, as they are.
const REAL: &[(&str, &str)] = &[
    ("lib.rs", include_str!("../../src/lib.rs")),
    ("lexer.rs", include_str!("../../src/lexer.rs")),
    ("strings.rs", include_str!("../../src/lexer/strings.rs")),
    ("scope.rs", include_str!("../../src/scope.rs")),
    ("changes.rs", include_str!("../../src/changes.rs")),
    ("node_lock.rs", include_str!("../../src/dependencies/node_lock.rs")),
];

proptest! {
    #![proptest_config(config(63, 96))]

    /// One to ten lines of a real file that are changed, deleted or added inside bodies are never called a refactoring.
    #[test]
    fn ordinary_fixes_in_real_files_are_no_refactorings(
        at in any::<prop::sample::Index>(), n_lines in 1usize..=10, how in 0..3
    ) {
        for (path, source) in REAL {
            let lines: Vec<&str> = source.lines().collect();
            // Lines deep inside bodies: what is fixed there is no definition.
            let bodies: Vec<usize> = (0..lines.len()).filter(|n| lines[*n].starts_with("        ")).collect();
            let start = bodies[at.index(bodies.len())];
            let end = (start..lines.len().min(start + n_lines)).take_while(|n| lines[*n].starts_with("        ")).count() + start;
            let fixed: Vec<String> = match how {
                0 => lines[start..end].iter().map(|it| format!("        fixed({:?});", it.len())).collect(),
                1 => Vec::new(),
                _ => (0..n_lines).map(|n| format!("        added({n});")).chain(lines[start..end].iter().map(|it| it.to_string())).collect(),
            };
            let kept = |range: &[&str]| range.iter().map(|it| format!("{it}\n")).collect::<String>();
            let after = kept(&lines[..start]) + &fixed.iter().map(|it| format!("{it}\n")).collect::<String>() + &kept(&lines[end..]);
            let found = found(&[(path, source)], &[(path, &after)]);
            prop_assert!(found.is_empty(), "{}: {}..{} {}: {:?}", path, start, end, how, found);
        }
    }

    /// Any text in any language can be scanned, and what did not change is not a refactoring.
    #[test]
    fn any_text_can_be_scanned(noise in "[ -~\n\t'\"`/{}()#@é<%]{0,200}") {
        for it in SOURCES {
            let (before, after) = (text(&[it.head, it.alpha]), text(&[it.head, &noise, it.alpha]));
            found(&[(it.path, &before)], &[(it.path, &after)]);
            found(&[(it.path, &noise)], &[(it.path, &after)]);
        }
    }
}

/// Within the limits time is bounded, beyond them it cannot be judged; neither takes long.
#[test]
fn hostile_texts_are_judged_or_refused_in_bounded_time() {
    let huge = "x\n".repeat(5 << 20);
    let found_huge = found(&[("a.rs", &huge)], &[("a.rs", &format!("{huge}y"))]);
    assert!(
        found_huge.iter().all(|it| it.contains("cannot be judged")) && !found_huge.is_empty(),
        "{found_huge:?}"
    );
    let million = "x\n".repeat(1_000_000);
    let found_million = found(&[("a.txt", &million)], &[("a.txt", &format!("y\n{million}"))]);
    assert!(
        found_million.len() == 1 && found_million[0].contains("cannot be judged"),
        "{found_million:?}"
    );
    let lines: String = (0..60_000).map(|n| format!("{n}\n")).collect();
    let reversed: String = (0..60_000).rev().map(|n| format!("{n}\n")).collect();
    assert!(!found(&[("a.txt", &lines)], &[("a.txt", &reversed)]).is_empty());
    let repeated: (String, String) = ("a\nb\n".repeat(30_000), "b\na\na\n".repeat(20_000));
    found(&[("a.txt", &repeated.0)], &[("a.txt", &repeated.1)]);
    let many = |name: &str| -> String {
        (0..2_000).map(|n| format!("fn {name}{n}() {{ x + {n}; y(z); }}\n")).collect()
    };
    assert!(!found(&[("a.rs", &many("a"))], &[("a.rs", &many("b"))]).is_empty());
    for line in ["= [/", "'", "\"", "`${", "/*", "r#\"", "<<~A", "%w[", "\\\"\"\""] {
        for path in ["a.rs", "a.js", "a.rb", "a.py", "a.c", "a.clank"] {
            found(&[(path, "x")], &[(path, &line.repeat(20_000))]);
        }
    }
}
