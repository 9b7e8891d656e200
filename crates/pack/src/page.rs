//! Pages about rules, for `regreen explain`: what a rule means, why it matters, an example, its repair and why that
//! repair has its safety. A page is a generic one about the kind of rule, and what the pack says about its own rule.

use check::Page;

use crate::pack::Pack;
use crate::rules::PackRule;

/// The generic pages, by kind of rule or by the id of a schema rule.
const PAGES: &[(&str, &str)] = &[
    ("cel", include_str!("../pages/cel.md")),
    ("deprecated", include_str!("../pages/deprecated.md")),
    ("derived", include_str!("../pages/derived.md")),
    ("forbidden", include_str!("../pages/forbidden.md")),
    ("imports", include_str!("../pages/imports.md")),
    ("ordered", include_str!("../pages/ordered.md")),
    ("reference", include_str!("../pages/reference.md")),
    ("same_as", include_str!("../pages/same_as.md")),
    ("SCHEMA_CONST", include_str!("../pages/SCHEMA_CONST.md")),
    ("SCHEMA_CONTAINS", include_str!("../pages/SCHEMA_CONTAINS.md")),
    ("SCHEMA_DEPENDENT", include_str!("../pages/SCHEMA_DEPENDENT.md")),
    ("SCHEMA_DEPRECATED_KEY", include_str!("../pages/SCHEMA_DEPRECATED_KEY.md")),
    ("SCHEMA_DUPLICATE_KEY", include_str!("../pages/SCHEMA_DUPLICATE_KEY.md")),
    ("SCHEMA_ENUM", include_str!("../pages/SCHEMA_ENUM.md")),
    ("SCHEMA_FORBIDDEN", include_str!("../pages/SCHEMA_FORBIDDEN.md")),
    ("SCHEMA_FORMAT", include_str!("../pages/SCHEMA_FORMAT.md")),
    ("SCHEMA_INVALID", include_str!("../pages/SCHEMA_INVALID.md")),
    ("SCHEMA_JSON_DIALECT", include_str!("../pages/SCHEMA_JSON_DIALECT.md")),
    ("SCHEMA_KEY_NAME", include_str!("../pages/SCHEMA_KEY_NAME.md")),
    ("SCHEMA_LATER_KEYWORD", include_str!("../pages/SCHEMA_LATER_KEYWORD.md")),
    ("SCHEMA_LENGTH", include_str!("../pages/SCHEMA_LENGTH.md")),
    ("SCHEMA_MANY_BRANCHES", include_str!("../pages/SCHEMA_MANY_BRANCHES.md")),
    ("SCHEMA_MERGE_CONFLICT", include_str!("../pages/SCHEMA_MERGE_CONFLICT.md")),
    ("SCHEMA_MERGE_KEY", include_str!("../pages/SCHEMA_MERGE_KEY.md")),
    ("SCHEMA_NO_BRANCH", include_str!("../pages/SCHEMA_NO_BRANCH.md")),
    ("SCHEMA_PARSE", include_str!("../pages/SCHEMA_PARSE.md")),
    ("SCHEMA_PATTERN", include_str!("../pages/SCHEMA_PATTERN.md")),
    ("SCHEMA_RANGE", include_str!("../pages/SCHEMA_RANGE.md")),
    ("SCHEMA_REMOTE", include_str!("../pages/SCHEMA_REMOTE.md")),
    ("SCHEMA_REQUIRED", include_str!("../pages/SCHEMA_REQUIRED.md")),
    ("SCHEMA_TYPE", include_str!("../pages/SCHEMA_TYPE.md")),
    ("SCHEMA_UNIQUE_ITEMS", include_str!("../pages/SCHEMA_UNIQUE_ITEMS.md")),
    ("SCHEMA_UNKNOWN_KEY", include_str!("../pages/SCHEMA_UNKNOWN_KEY.md")),
    ("together", include_str!("../pages/together.md")),
    ("unique", include_str!("../pages/unique.md")),
    ("workflow", include_str!("../pages/workflow.md")),
    ("workflow_call", include_str!("../pages/workflow_call.md")),
];

/// The page about a rule of one of the packs, or about a built-in rule.
pub fn page(rule_id: &str, packs: &[Pack]) -> Option<Page> {
    let of_pack = |pack: &Pack| {
        let rule = pack.rules.iter().find(|it| it.id == rule_id)?;
        Some(pack_page(rule, pack.page(rule_id)))
    };
    packs.iter().find_map(of_pack).or_else(|| generic(rule_id).map(parse))
}

/// Every rule that has a page: those of the packs and the built-in ones, in order.
pub fn rule_ids(packs: &[Pack]) -> Vec<String> {
    let of_packs = packs.iter().flat_map(|it| it.rules.iter().map(|it| it.id.clone()));
    let built_in = PAGES.iter().map(|it| it.0).filter(|it| it.starts_with("SCHEMA_"));
    let mut ids: Vec<String> = of_packs.chain(built_in.map(str::to_owned)).collect();
    ids.sort();
    ids.dedup();
    ids
}

fn generic(name: &str) -> Option<&'static str> {
    PAGES.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// The pack's own words where it has them; the generic ones for the rest.
fn pack_page(rule: &PackRule, own: Option<&str>) -> Page {
    let generic = generic(rule.body.name()).map(parse).unwrap_or_default();
    let own = own.map(parse).unwrap_or_default();
    let either = |own: String, other: String| if own.is_empty() { other } else { own };
    let about = rule.about.trim();
    let reason = rule.message.as_deref().unwrap_or_default();
    let mut safety = either(own.safety, generic.safety);
    if let Some(floor) = rule.floor {
        safety = joined(&safety, &format!("This pack is stricter: `{}`.", floor.name()));
    }
    Page {
        title: either(own.title, first_sentence(about)),
        what: either(own.what, joined(about, &generic.what)),
        why: either(own.why, joined(reason, &generic.why)),
        example: either(own.example, generic.example),
        repair: either(own.repair, generic.repair),
        safety,
    }
}

/// Two paragraphs, or the one that is not empty.
fn joined(first: &str, second: &str) -> String {
    [first, second].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// The start of a text as a title: its first sentence, in one line and without the full stop.
fn first_sentence(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = line.split(". ").next().unwrap_or_default();
    sentence.strip_suffix('.').unwrap_or(sentence).to_owned()
}

/// Reads a page from Markdown: a title, and the sections `What`, `Why`, `Example`, `Repair` and `Safety`.
fn parse(text: &str) -> Page {
    let section = |name: &str| {
        let mut lines =
            text.lines().skip_while(|it| it.trim() != format!("## {name}")).skip(1).peekable();
        let mut body = Vec::new();
        let mut is_code = false;
        while let Some(line) = lines.next_if(|it| is_code || !it.starts_with("## ")) {
            is_code ^= line.starts_with("```");
            body.push(line);
        }
        body.join("\n").trim().to_owned()
    };
    let title =
        text.lines().take_while(|it| !it.starts_with("## ")).find_map(|it| it.strip_prefix("# "));
    Page {
        title: title.unwrap_or_default().trim().to_owned(),
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
    use crate::testing::{HEAD, load};

    #[test]
    fn every_generic_page_is_whole() {
        assert!(PAGES.is_sorted_by_key(|it| it.0.to_lowercase()));
        for (name, text) in PAGES {
            let page = parse(text);
            let parts =
                [&page.title, &page.what, &page.why, &page.example, &page.repair, &page.safety];
            assert!(parts.iter().all(|it| !it.is_empty()), "{name}: {page:?}");
            assert!(!page.title.starts_with("SCHEMA_"), "{name}: {page:?}");
        }
    }

    const RULE: &str = "rule: reference, from: {in: a, at: /x}, to: {in: b, at: /y}, \
                        message: 'It matters.', about: 'Names exist. They do.'";

    #[test]
    fn what_the_manifest_says_comes_before_the_words_about_the_kind() {
        let packs = [load(&format!("{HEAD}  - {{id: SEM_X, {RULE}}}\n")).unwrap()];
        let page = page("SEM_X", &packs).unwrap();
        assert_eq!(page.title, "Names exist");
        let generic = parse(generic("reference").unwrap());
        assert_eq!(page.what, format!("Names exist. They do.\n\n{}", generic.what));
        assert_eq!(page.why, format!("It matters.\n\n{}", generic.why));
        assert!(page.safety.contains("behavior_changing"));
        assert_eq!(super::page("SEM_Y", &packs), None);
        assert!(rule_ids(&packs).contains(&"SEM_X".to_owned()));
    }

    #[test]
    fn a_page_of_the_pack_overrides_section_by_section() {
        let page_of = |text: &str| {
            let manifest = format!("{HEAD}  - {{id: SEM_X, {RULE}}}\n//- docs/SEM_X.md\n{text}");
            page("SEM_X", &[load(&manifest).unwrap()]).unwrap()
        };
        let page = page_of(
            "# A title\n\n## What\n\nThis.\n\n## Example\n\n```yaml\n## no heading\n# nor this\n```\n",
        );
        assert_eq!((page.title.as_str(), page.what.as_str()), ("A title", "This."));
        assert_eq!(page.example, "```yaml\n## no heading\n# nor this\n```");
        assert!(page.why.starts_with("It matters."));
        let page = page_of("## Why\n\nSo.\n\n## Example\n\n```\n# no title\n```\n");
        assert_eq!((page.title.as_str(), page.why.as_str()), ("Names exist", "So."));
    }
}
