//! Pages about rules, for `regreen explain`: what a rule means, why it matters, an example, its repair and why that
//! repair has its safety. A page is a generic one about the kind of rule, and what the pack says about its own rule.

use crate::pack::Pack;
use crate::rules::Rule;

/// A page about one rule. Every part is Markdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// The rule's id.
    pub title: String,
    /// What it looks for.
    pub what: String,
    /// Why that matters.
    pub why: String,
    /// What breaks it, and what does not.
    pub example: String,
    /// What the repair does, or why there is none.
    pub repair: String,
    /// Why the repair has its safety.
    pub safety: String,
}

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
    ("SCHEMA_KEY_NAME", include_str!("../pages/SCHEMA_KEY_NAME.md")),
    ("SCHEMA_LENGTH", include_str!("../pages/SCHEMA_LENGTH.md")),
    ("SCHEMA_MANY_BRANCHES", include_str!("../pages/SCHEMA_MANY_BRANCHES.md")),
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
];

/// The page about a rule of one of the packs, or about a built-in rule.
pub fn page(rule_id: &str, packs: &[Pack]) -> Option<Page> {
    let of_pack = |pack: &Pack| {
        let rule = pack.rules.iter().find(|it| it.id == rule_id)?;
        Some(pack_page(rule, pack.page(rule_id)))
    };
    packs.iter().find_map(of_pack).or_else(|| generic(rule_id).map(|text| parse(rule_id, text)))
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
fn pack_page(rule: &Rule, own: Option<&str>) -> Page {
    let generic = generic(rule.body.name()).map(|text| parse(&rule.id, text));
    let own = own.map(|text| parse(&rule.id, text));
    let part = |of: fn(&Page) -> &String| {
        let own = own.as_ref().map(of).filter(|it| !it.is_empty());
        own.or(generic.as_ref().map(of)).cloned().unwrap_or_default()
    };
    let safety = match rule.floor {
        Some(floor) => {
            format!("{}\n\nThis pack is stricter: `{}`.", part(|it| &it.safety), floor.name())
        }
        None => part(|it| &it.safety),
    };
    let reason = rule.message.as_deref().map(|it| format!("{it}\n\n")).unwrap_or_default();
    Page {
        title: rule.id.clone(),
        what: part(|it| &it.what),
        why: format!("{reason}{}", rule.about.trim()),
        example: part(|it| &it.example),
        repair: part(|it| &it.repair),
        safety: safety.trim().to_owned(),
    }
}

/// Reads a page from Markdown with the sections `What`, `Why`, `Example`, `Repair` and `Safety`.
fn parse(title: &str, text: &str) -> Page {
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
    Page {
        title: title.to_owned(),
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
            let page = parse(name, text);
            for part in [&page.what, &page.why, &page.example, &page.repair, &page.safety] {
                assert!(!part.is_empty(), "{name}: {page:?}");
            }
        }
    }

    #[test]
    fn a_pack_says_why_and_may_say_the_rest() {
        let manifest = format!(
            "{HEAD}  - {{id: SEM_X, rule: reference, from: {{in: a, at: /x}}, to: {{in: b, at: /y}}, about: 'So it is.'}}\n\
             //- docs/SEM_X.md\n## Example\n\n```yaml\n## no heading\n```\n"
        );
        let packs = [load(&manifest).unwrap()];
        let page = page("SEM_X", &packs).unwrap();
        assert_eq!(page.why, "So it is.");
        assert_eq!(page.example, "```yaml\n## no heading\n```");
        assert!(page.safety.contains("behavior_changing"));
        assert_eq!(super::page("SEM_Y", &packs), None);
        assert!(rule_ids(&packs).contains(&"SEM_X".to_owned()));
    }
}
