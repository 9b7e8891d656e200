//! Pages about codes, for `regreen explain`: what a code means, why it matters, a program that has it and the same one
//! mended, and what can be done about it.

use check::Page;

/// The finding that a file is not in canonical layout.
pub const FORMAT: &str = "CLANK_FORMAT";

/// The finding that something is not written yet.
pub const HOLE: &str = "CLANK_HOLE";

/// By code, in order.
const PAGES: &[(&str, &str)] = &[
    ("CLANK_FORMAT", include_str!("../pages/CLANK_FORMAT.md")),
    ("CLANK_HOLE", include_str!("../pages/CLANK_HOLE.md")),
    ("E0001", include_str!("../pages/E0001.md")),
    ("E0002", include_str!("../pages/E0002.md")),
    ("E0003", include_str!("../pages/E0003.md")),
    ("E0004", include_str!("../pages/E0004.md")),
    ("E0005", include_str!("../pages/E0005.md")),
    ("E0006", include_str!("../pages/E0006.md")),
    ("E0007", include_str!("../pages/E0007.md")),
    ("E0008", include_str!("../pages/E0008.md")),
    ("E0009", include_str!("../pages/E0009.md")),
    ("E1001", include_str!("../pages/E1001.md")),
    ("E1002", include_str!("../pages/E1002.md")),
    ("E1003", include_str!("../pages/E1003.md")),
    ("E1004", include_str!("../pages/E1004.md")),
    ("E1005", include_str!("../pages/E1005.md")),
    ("E1006", include_str!("../pages/E1006.md")),
    ("E2001", include_str!("../pages/E2001.md")),
    ("E2002", include_str!("../pages/E2002.md")),
    ("E2003", include_str!("../pages/E2003.md")),
    ("E2004", include_str!("../pages/E2004.md")),
    ("E2005", include_str!("../pages/E2005.md")),
    ("E2006", include_str!("../pages/E2006.md")),
    ("E2007", include_str!("../pages/E2007.md")),
    ("E2008", include_str!("../pages/E2008.md")),
    ("E2009", include_str!("../pages/E2009.md")),
    ("E2010", include_str!("../pages/E2010.md")),
    ("E2011", include_str!("../pages/E2011.md")),
    ("E2012", include_str!("../pages/E2012.md")),
    ("E2013", include_str!("../pages/E2013.md")),
    ("E2014", include_str!("../pages/E2014.md")),
    ("E2015", include_str!("../pages/E2015.md")),
    ("E2016", include_str!("../pages/E2016.md")),
    ("E2017", include_str!("../pages/E2017.md")),
    ("E2018", include_str!("../pages/E2018.md")),
    ("E3001", include_str!("../pages/E3001.md")),
    ("E3002", include_str!("../pages/E3002.md")),
    ("E3003", include_str!("../pages/E3003.md")),
    ("E3004", include_str!("../pages/E3004.md")),
    ("E3005", include_str!("../pages/E3005.md")),
    ("E4001", include_str!("../pages/E4001.md")),
    ("E4002", include_str!("../pages/E4002.md")),
    ("E4003", include_str!("../pages/E4003.md")),
    ("E5001", include_str!("../pages/E5001.md")),
    ("E5002", include_str!("../pages/E5002.md")),
    ("E5003", include_str!("../pages/E5003.md")),
    ("W0001", include_str!("../pages/W0001.md")),
    ("W0002", include_str!("../pages/W0002.md")),
    ("W0003", include_str!("../pages/W0003.md")),
    ("W0004", include_str!("../pages/W0004.md")),
    ("W0005", include_str!("../pages/W0005.md")),
    ("W0006", include_str!("../pages/W0006.md")),
    ("W0007", include_str!("../pages/W0007.md")),
];

/// The page about a code, or about one of the findings that have none.
pub fn page(id: &str) -> Option<Page> {
    PAGES.iter().find(|it| it.0 == id).map(|it| parse(it.1))
}

/// Everything that has a page, in order.
pub fn ids() -> impl Iterator<Item = &'static str> {
    PAGES.iter().map(|it| it.0)
}

/// Reads a page from Markdown: a title, and the sections `What`, `Why`, `Example`, `Repair` and `Safety`.
fn parse(text: &str) -> Page {
    let section = |name: &str| {
        let heading = format!("## {name}");
        let mut is_code = false;
        let mut is_inside = false;
        let mut body = Vec::new();
        for line in text.lines() {
            if !is_code && line.starts_with("## ") {
                is_inside = line == heading;
                continue;
            }
            is_code ^= line.starts_with("```");
            if is_inside {
                body.push(line);
            }
        }
        body.join("\n").trim().to_owned()
    };
    let title = text.lines().next().and_then(|it| it.strip_prefix("# "));
    Page {
        title: title.unwrap_or_default().to_owned(),
        what: section("What"),
        why: section("Why"),
        example: section("Example"),
        repair: section("Repair"),
        safety: section("Safety"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::Code;
    use crate::driver::check;
    use crate::testing::program_of;

    /// What nothing has at present.
    const NEVER_FOUND: [&str; 1] = ["W0005"];

    /// A module that examples may import.
    const SHAPES: &str = "//- shapes.clank\nfn area(n: Int) -> Int { n * n }\n//- main.clank\n";

    /// The codes that a program has; holes count as one.
    fn found_in(program: &str) -> Vec<&'static str> {
        let checked = check(&program_of(&format!("{SHAPES}{program}")), None);
        let module = checked.module("main.clank").unwrap();
        let mut found: Vec<&str> = module.diagnostics.iter().map(|it| it.code.name()).collect();
        found.extend(module.holes().map(|_| HOLE));
        let parsed = clank_syntax::parse("main.clank", program);
        if clank_syntax::format(&parsed).is_some_and(|it| it != program) {
            found.push(FORMAT);
        }
        found
    }

    #[test]
    fn the_first_program_of_a_page_has_its_code_alone_and_the_second_has_none() {
        let mut mistakes = Vec::new();
        for id in ids() {
            let page = page(id).unwrap();
            let programs: Vec<&str> = page
                .example
                .split("```clank\n")
                .skip(1)
                .filter_map(|it| it.split("```").next())
                .collect();
            let [wrong, right] = programs[..] else {
                assert_eq!(id, "W0005", "{programs:?}");
                continue;
            };
            let (wrong, right) = (found_in(wrong), found_in(right));
            let expected: &[&str] = if NEVER_FOUND.contains(&id) { &[] } else { &[id] };
            if wrong != expected || !right.is_empty() {
                mistakes.push(format!("{id}: {wrong:?}, then {right:?}"));
            }
        }
        assert!(mistakes.is_empty(), "{mistakes:#?}");
    }

    #[test]
    fn every_code_has_a_whole_page_and_every_page_is_of_a_code() {
        assert!(PAGES.is_sorted_by_key(|it| it.0));
        let mut expected: Vec<&str> = Code::ALL.iter().map(|it| it.name()).collect();
        expected.extend([FORMAT, HOLE]);
        expected.sort_unstable();
        assert_eq!(ids().collect::<Vec<_>>(), expected);
        for id in ids() {
            let page = page(id).unwrap();
            let parts =
                [&page.title, &page.what, &page.why, &page.example, &page.repair, &page.safety];
            assert!(parts.iter().all(|it| !it.is_empty()), "{id}: {page:?}");
            assert!(!page.title.ends_with('.') && page.title != id, "{id}");
        }
        assert_eq!(page("E9999"), None);
    }
}
