//! The loop of repair, on trees: what it applies, in which order, and when it stops.

use std::convert::Infallible;
use std::sync::Arc;

use check::{Kind, Safety};
use clank::program::NoModules;
use clank::repair::{Budget, Mendable, Repair, Repairs, mend, progress, repairs};
use clank::{Checked, Program, check};
use clank_syntax::ast::{Ast, Name};
use clank_syntax::patch::{self, PatchOp};

struct Tree {
    ast: Arc<Ast>,
    checked: Checked,
    offered: Repairs,
}

impl Tree {
    fn new(ast: Ast) -> Tree {
        let ast = Arc::new(ast);
        let program =
            Program::load(Name::new("main.clank"), Arc::clone(&ast), Vec::new(), &NoModules);
        let checked = check(&program, None);
        let offered = repairs(&program, &checked, 0, &Budget::default());
        Tree { ast, checked, offered }
    }
}

impl Mendable for Tree {
    type Error = Infallible;

    fn checked(&self) -> &Checked {
        &self.checked
    }

    fn repairs(&self) -> &[Repair] {
        &self.offered.list
    }

    fn after(&self, ops: &[PatchOp]) -> Result<Option<Tree>, Infallible> {
        Ok(patch::apply(&self.ast, ops).ok().map(Tree::new))
    }
}

/// What is applied, a line each with its round, and the program then.
fn mended(text: &str, is_allowed: impl Fn(&Repair) -> bool) -> (Vec<String>, Tree) {
    let start = Tree::new(clank_syntax::parse("main.clank", text).ast);
    let mut applied = Vec::new();
    let Ok(mended) = mend(start, 10, is_allowed, |tree, place, round| {
        applied.push(format!("{round}: {}", tree.repairs()[place].title));
    });
    (applied, mended.end)
}

/// RS-49, RS-55, RS-56: what is required is applied with what requires it, and before it.
#[test]
fn what_is_required_is_applied_first() {
    let text = "fn share(total: Int, n: Int) -> Int { total / n }\n\
                fn both(a: Int, n: Int) -> Int { share(a, n) + 100 / n }\n";
    let (applied, end) = mended(text, |it| it.is_verified && it.kind == Kind::BoundaryValidation);
    assert_eq!(applied, ["1: require `n != 0` of `n`", "1: require `n != 0` of `n`"]);
    assert_eq!(progress(&end.checked), [0; 4], "{}", clank_syntax::print(&end.ast));
    let n_required = clank_syntax::print(&end.ast).matches("Int{n != 0}").count();
    assert_eq!(n_required, 2, "{}", clank_syntax::print(&end.ast));
}

/// RS-46, RS-47: nothing that is not allowed, and an end when nothing is left.
#[test]
fn only_what_is_allowed_is_applied() {
    let text = "fn f(count: Int) -> Int {\n  let unused = 1\n  cuont\n}\n";
    let (applied, end) = mended(text, |it| it.safety == Safety::BehaviorPreserving);
    assert_eq!(applied, ["1: rename `unused` to `_unused`"]);
    assert_eq!(progress(&end.checked), [1, 0, 0, 0]);
    let (applied, end) = mended(text, |_| false);
    assert!(applied.is_empty());
    assert_eq!(progress(&end.checked), [1, 0, 0, 1]);
    let (_, end) = mended(text, |it| it.is_verified);
    assert_eq!(progress(&end.checked), [0; 4]);
}

/// What comes to light when a text can be read is mended in the next round.
#[test]
fn what_can_be_read_is_mended_further() {
    let text = "fn f(count: Int) -> Int {\n  if count = 1 { cuont } else { 2 }\n}\n";
    let start = Text::new(text);
    let mut applied = Vec::new();
    let Ok(mended) = mend(
        start,
        10,
        |it| it.is_verified,
        |text: &Text, place, round| {
            applied.push(format!("{round}: {}", text.offered.list[place].title));
        },
    );
    assert_eq!(applied, ["1: write `==` for `=`", "2: rename `cuont` to `count`"]);
    assert_eq!(progress(&mended.end.checked), [0; 4]);
    assert_eq!(
        mended.end.text,
        "fn f(count: Int) -> Int {\n  if count == 1 { count } else { 2 }\n}\n"
    );
}

/// A text, which may not be readable.
struct Text {
    text: String,
    checked: Checked,
    offered: Repairs,
}

impl Text {
    fn new(text: &str) -> Text {
        let parsed = clank_syntax::parse("main.clank", text);
        let name = Name::new("main.clank");
        let program = Program::load(name, Arc::new(parsed.ast), parsed.errors, &NoModules);
        let checked = check(&program, None);
        let offered = repairs(&program, &checked, 0, &Budget::default());
        Text { text: text.to_owned(), checked, offered }
    }
}

impl Mendable for Text {
    type Error = Infallible;

    fn checked(&self) -> &Checked {
        &self.checked
    }

    fn repairs(&self) -> &[Repair] {
        &self.offered.list
    }

    fn after(&self, ops: &[PatchOp]) -> Result<Option<Text>, Infallible> {
        let parsed = clank_syntax::parse("main.clank", &self.text);
        let edits = patch::Patchable::new(&parsed).edits(ops).ok();
        let after = edits.and_then(|it| it.apply(&edit::Text::new(self.text.as_str())).ok());
        Ok(after.map(|it| Text::new(std::str::from_utf8(it.bytes()).expect("it is text"))))
    }
}
