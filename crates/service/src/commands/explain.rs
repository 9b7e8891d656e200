//! `explain`: what a rule means, an example, its repair and why that has its safety.

use std::sync::Arc;

use pack::Pack;
use protocol::v1;

use crate::catalog::{CLANK, Catalog, Rule};
use crate::failure::Failure;
use crate::own_rules::PAGES;
use crate::reply::ExplainReply;
use crate::session::Session;
use crate::setup::{self, Overlay};
use crate::{nearest, wire};

/// The page of a rule. One that nobody knows is a usage failure that names the nearest.
pub fn explain(session: &Session, request: &v1::Explain) -> Result<ExplainReply, Failure> {
    let (packs, catalog) = load(session)?;
    let rule_id = request.rule.to_ascii_uppercase();
    let rule_id = if catalog.has(&request.rule) { &request.rule } else { &rule_id };
    let unknown = || {
        let known: Vec<&str> = catalog.rule_ids().collect();
        let hint = match nearest::nearest(&request.rule, &known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "`regreen explain` lists the rules of this workspace".to_owned(),
        };
        let rule = nearest::short(&request.rule);
        Failure::Usage { message: format!("there is no rule `{rule}`; {hint}") }
    };
    let rule = catalog.get(rule_id).ok_or_else(unknown)?;
    let mut report = page(rule_id, rule, &packs).ok_or_else(|| Failure::Usage {
        message: format!("nothing is written about the rule `{rule_id}`"),
    })?;
    report.severity = rule.severity.map(wire::severity);
    report.pending_transaction = session.pending_transaction();
    Ok(ExplainReply { report })
}

/// The rules of this workspace that have a page, by id.
pub fn rules(session: &Session) -> Result<v1::RulesReport, Failure> {
    let (packs, catalog) = load(session)?;
    let line = |(rule_id, rule): (&str, &Rule)| {
        let page = page(rule_id, rule, &packs)?;
        Some(v1::RuleLine {
            rule_id: rule_id.to_owned(),
            source: rule.source.clone(),
            severity: rule.severity.map(wire::severity),
            title: first_sentence(&page.what),
        })
    };
    let rules = catalog.iter().filter_map(line).collect();
    Ok(v1::RulesReport { rules, pending_transaction: session.pending_transaction() })
}

fn load(session: &Session) -> Result<(Vec<Arc<Pack>>, Catalog), Failure> {
    let setup = setup::load_rules(session, &Overlay::new(), true, &v1::Look::default())?;
    Ok((setup.packs, setup.catalog))
}

/// The first sentence of a text, in one line.
fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default().replace('\n', " ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}

fn page(rule_id: &str, rule: &Rule, packs: &[Arc<Pack>]) -> Option<v1::ExplainReport> {
    let report = |title: &str, what: &str, why: &str, example: &str, repair: &str, safety: &str| {
        v1::ExplainReport {
            rule_id: rule_id.to_owned(),
            title: title.to_owned(),
            source: rule.source.clone(),
            tier: Some(wire::tier(rule.tier)),
            severity: None,
            what: what.to_owned(),
            why: why.to_owned(),
            example: example.to_owned(),
            repair: repair.to_owned(),
            safety: safety.to_owned(),
            pending_transaction: None,
        }
    };
    if let Some(own) = PAGES.iter().find(|it| it.rule_id == rule_id) {
        return Some(report(own.title, own.what, own.why, own.example, own.repair, ""));
    }
    if rule.source.as_deref() == Some(CLANK)
        && let Some(it) = ::clank::page::page(rule_id)
    {
        return Some(report(&it.title, &it.what, &it.why, &it.example, &it.repair, &it.safety));
    }
    let of_pack = |it: &Arc<Pack>| {
        let has_it = rule.source.as_deref() == Some(it.name());
        has_it.then(|| pack::page(rule_id, std::slice::from_ref(&**it)))?
    };
    let it = packs.iter().find_map(of_pack).or_else(|| pack::page(rule_id, &[]))?;
    Some(report(&it.title, &it.what, &it.why, &it.example, &it.repair, &it.safety))
}
