//! Repairs that add, delete and rename files, looked at before they are kept.

use std::sync::Arc;

use check::{Check, Diagnostic, Input, Repair, RepairOp, Report, assign_repair_ids};
use edit::{Edit, Text};
use engine::Sieve;
use snapshot::{NewFile, Snapshot};

use super::kit::*;

/// Finds `wrong` in `a.txt`, and offers each list of operations for one of them, as long as the file is as in `tree`.
fn provider(tree: &Snapshot, ops: Vec<Vec<RepairOp>>) -> impl Check {
    let made_for = tree.file(&path("a.txt")).unwrap().text().hash();
    fake("files", move |input: &Input<'_>| {
        let wrong = patterns("files", vec![rule("R_WRONG", "wrong", "").without_repair()]);
        let mut report: Report = wrong.check(input)?;
        report.diagnostics.retain(|it: &Arc<Diagnostic>| it.file == "a.txt");
        let mut repairs = Vec::new();
        let is_same = input.snapshot.file(&path("a.txt")).unwrap().text().hash() == made_for;
        let ops = if is_same { ops.as_slice() } else { &[] };
        for (it, ops) in report.diagnostics.iter().zip(ops) {
            let resolves = [it.diagnostic_id.as_str()];
            let made = repair("files", "R_WRONG", &resolves, input.snapshot, &[]);
            repairs.push(Repair { ops: ops.clone(), ..made });
        }
        assign_repair_ids(&mut repairs, input.snapshot);
        report.repairs = repairs.into_iter().map(Arc::new).collect();
        Ok(report)
    })
}

fn add(file: &str, text: &str) -> RepairOp {
    RepairOp::AddFile { file: path(file), new: NewFile { text: Text::new(text), mode: 0o644 } }
}

fn rename(tree: &Snapshot, file: &str, to: &str) -> RepairOp {
    let base = tree.file(&path(file)).unwrap().text().hash();
    RepairOp::RenameFile { file: path(file), to: path(to), base }
}

fn delete(tree: &Snapshot, file: &str) -> RepairOp {
    RepairOp::DeleteFile { file: path(file), base: tree.file(&path(file)).unwrap().text().hash() }
}

/// Mends one `wrong` of `a.txt`.
fn mend(tree: &Snapshot, nth: usize) -> RepairOp {
    let text = &tree.file(&path("a.txt")).unwrap().text();
    let content = std::str::from_utf8(text.bytes()).unwrap();
    let at = content.match_indices("wrong").nth(nth).unwrap().0 as u32;
    let edits = edit::EditSet::new(text, vec![Edit::replace(at, at + 5, "right")]).unwrap();
    RepairOp::Text { file: path("a.txt"), edits }
}

/// What a run does with these repairs beside a provider that looks for `todo` everywhere. Taking it back gives the
/// tree before.
fn run(tree: &Snapshot, ops: Vec<Vec<RepairOp>>) -> String {
    let words = patterns("words", vec![rule("R_TODO", "todo", "").without_repair()]);
    let fixed = fix(&[&provider(tree, ops), &words], &Sieve::default(), tree);
    let back = fixed.change.invert(tree).unwrap();
    assert_eq!(fixed.end.snapshot.apply(&back).as_ref(), Ok(tree));
    show(tree, &fixed)
}

/// The findings of a renamed file go with it, also through edits: none of them is new or gone.
#[test]
fn findings_go_with_a_renamed_file() {
    let tree = tree("//- a.txt\nwrong\n//- b.prog\nlet todo = 1\n//- c.txt\ntodo\n");
    let text = &tree.file(&path("b.prog")).unwrap().text();
    let edits = edit::EditSet::new(text, vec![Edit::replace(0, 0, "let x = 2\n")]).unwrap();
    let ops = vec![
        mend(&tree, 0),
        rename(&tree, "b.prog", "sub/d.prog"),
        RepairOp::Text { file: path("b.prog"), edits },
        rename(&tree, "c.txt", "e.txt"),
    ];
    insta::assert_snapshot!(run(&tree, vec![ops]), @"
    passes 1, rechecks 1, settled
    applied R_WRONG in a.txt b.prog c.txt e.txt sub/d.prog (pass 1)
    error R_TODO at e.txt:1
    error R_TODO at sub/d.prog:2
    //- a.txt
    right
    //- e.txt
    todo
    //- sub/d.prog
    let x = 2
    let todo = 1
    ");
}

/// A new file is looked at like any other: what is wrong in it is new. It must be readable, and hide nothing.
#[test]
fn a_new_file_is_looked_at() {
    let tree = tree("//- a.txt\nwrong wrong wrong wrong wrong\n");
    let ops = vec![
        vec![mend(&tree, 0), add("good.yaml", "a: 1\n")],
        vec![mend(&tree, 1), add("bad.yaml", "a: [\n")],
        vec![mend(&tree, 2), add("todo.txt", "todo\n")],
        vec![mend(&tree, 3), add("bad.prog", "no\n")],
        vec![mend(&tree, 4), add("hides.prog", "let a = 1 // regreen: ignore R_TODO\n")],
    ];
    insta::assert_snapshot!(run(&tree, ops), @"
    passes 1, rechecks 2, settled
    applied R_WRONG in a.txt good.yaml (pass 1)
    rejected R_WRONG: invalid: bad.prog would not be valid Prog: `no` is no let
    rejected R_WRONG: regressed: R_TODO appeared at todo.txt:1:1
    rejected R_WRONG: invalid: bad.yaml would not be valid YAML: expected a node or `]`, found the end of the text; the flow sequence is not closed: it began at line 1, column 4
    rejected R_WRONG: suppression: it suppresses the finding, so it must be named
    error R_WRONG at a.txt:1
    error R_WRONG at a.txt:1
    error R_WRONG at a.txt:1
    error R_WRONG at a.txt:1
    //- a.txt
    right wrong wrong wrong wrong
    //- good.yaml
    a: 1
    ");
}

/// A rename after which nobody looks at the file repairs nothing.
#[test]
fn a_renamed_file_stays_what_it_was() {
    let tree = tree("//- a.txt\nwrong wrong wrong\n//- b.yaml\na: 1\n//- c.prog\nlet a = 1\n");
    let ops = vec![
        vec![mend(&tree, 0), rename(&tree, "b.yaml", "b.txt")],
        vec![mend(&tree, 1), rename(&tree, "c.prog", "c")],
        vec![mend(&tree, 2), rename(&tree, "b.yaml", "b.yml")],
    ];
    insta::assert_snapshot!(run(&tree, ops), @"
    passes 2, rechecks 1, settled
    applied R_WRONG in a.txt b.yaml b.yml (pass 2)
    rejected R_WRONG: invalid: c.prog would no longer be checked as Prog
    rejected R_WRONG: invalid: b.yaml would no longer be checked as YAML
    error R_WRONG at a.txt:1
    error R_WRONG at a.txt:1
    //- a.txt
    wrong wrong right
    //- b.yml
    a: 1
    ");
}

/// What does not do what it claims leaves no file behind, and takes none of the others with it.
#[test]
fn a_repair_of_files_is_kept_or_leaves_nothing() {
    let tree = tree("//- a.txt\nwrong wrong wrong\n//- b.txt\nold\n");
    let ops = vec![
        vec![mend(&tree, 0), delete(&tree, "b.txt")],
        vec![add("useless.txt", "x\n")],
        vec![mend(&tree, 2), add("c.txt", "x\n")],
    ];
    insta::assert_snapshot!(run(&tree, ops), @"
    passes 1, rechecks 2, settled
    applied R_WRONG in a.txt b.txt (pass 1)
    applied R_WRONG in a.txt c.txt (pass 1)
    rejected R_WRONG: unverified: R_WRONG at a.txt:1:7 is still there
    error R_WRONG at a.txt:1
    //- a.txt
    right wrong right
    //- c.txt
    x
    ");
}
