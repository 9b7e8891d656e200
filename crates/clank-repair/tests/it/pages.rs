//! The pages of `explain` and the repairs agree.

use clank::page::{FORMAT, ids, page};
use clank::testing::program_of;
use clank_repair::{Budget, repairs};

/// A module that examples may import.
const SHAPES: &str = "//- shapes.clank\nfn area(n: Int) -> Int { n * n }\n//- main.clank\n";

/// RS-58, RS-62: what is offered for the program of a page is what the page says.
#[test]
fn a_page_says_how_its_program_is_repaired() {
    let mut mistakes = Vec::new();
    for id in ids().filter(|it| *it != FORMAT) {
        let page = page(id).unwrap();
        let Some(wrong) = page.example.split("```clank\n").nth(1) else { continue };
        let wrong = wrong.split("```").next().unwrap_or_default();
        let program = program_of(&format!("{SHAPES}{wrong}"));
        let checked = clank::check(&program, None);
        let module = checked.modules.iter().position(|it| it.file == "main.clank").unwrap();
        let offered = repairs(&program, &checked, module, &Budget::default()).list;
        for it in &offered {
            if !page.safety.contains(&format!("`{}`", it.safety.name())) {
                mistakes.push(format!("{id}: {} is {}", it.title, it.safety.name()));
            }
        }
        if !offered.is_empty() && page.repair.starts_with("None.") {
            mistakes.push(format!("{id}: {} is offered", offered[0].title));
        }
    }
    assert!(mistakes.is_empty(), "{mistakes:#?}");
}
