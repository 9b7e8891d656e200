//! `explain`: what a rule means, an example, its repair and why that has its safety.

use check::Page;
use protocol::v1;

use crate::config::nearest;
use crate::failure::Failure;
use crate::reply::ExplainReply;
use crate::session::Session;
use crate::setup;
use crate::setup::registry::ListedRule;
use crate::setup::{Setup, TreeOverlay};
use crate::wire;

/// The page of a rule, by its id or with its source. One that nobody knows is a usage failure that names the nearest.
pub fn explain(session: &Session, request: &v1::Explain) -> Result<ExplainReply, Failure> {
    let setup = load(session)?;
    let named = setup.registry.named(&request.rule);
    let named = named.or_else(|hint| {
        let upper = request.rule.to_ascii_uppercase();
        setup.registry.named(&upper).map_err(|_| hint)
    });
    let found = named.map_err(|hint| {
        let rule = nearest::short(&request.rule);
        Failure::Usage { message: format!("there is no rule `{rule}`; {hint}") }
    })?;
    let page = found.iter().find_map(|(source, rule)| setup.registry.page(source, rule));
    let rules = setup.registry.rules();
    let rule_id = found.first().map(|it| it.1.as_str()).unwrap_or_default();
    let (Some(Page { title, what, why, example, repair, safety }), Some(rule)) =
        (page, rules.get(rule_id))
    else {
        let rule = nearest::short(&request.rule);
        return Err(Failure::Usage {
            message: format!("there is no page about the rule `{rule}`"),
        });
    };
    let sources = found.iter().map(|it| it.0.as_str()).collect();
    let rule = ListedRule { sources, info: rule.info };
    let severity = setup.registry.severity(&setup.sieve.levels, &rule);
    let report = v1::ExplainReport {
        rule_id: rule_id.to_owned(),
        title,
        source: rule.source().map(str::to_owned),
        tier: Some(wire::tier(rule.info.tier)),
        severity: severity.map(wire::severity),
        what,
        why,
        example,
        repair,
        safety,
        pending_transaction: session.pending_transaction(),
    };
    Ok(ExplainReply { report })
}

/// The rules of this workspace that have a page, by id.
pub fn rules(session: &Session) -> Result<v1::RulesReport, Failure> {
    let setup = load(session)?;
    let line = |(rule_id, rule): (&str, ListedRule<'_>)| {
        let page = rule.sources.iter().find_map(|it| setup.registry.page(it, rule_id))?;
        let severity = setup.registry.severity(&setup.sieve.levels, &rule);
        Some(v1::RuleLine {
            rule_id: rule_id.to_owned(),
            source: rule.source().map(str::to_owned),
            severity: severity.map(wire::severity),
            title: first_sentence(&page.what),
        })
    };
    let rules = setup.registry.rules().into_iter().filter_map(line).collect();
    Ok(v1::RulesReport { rules, pending_transaction: session.pending_transaction() })
}

fn load(session: &Session) -> Result<Setup, Failure> {
    setup::load_rules(session, &TreeOverlay::new(), true, &v1::LookRequest::default())
}

/// The first sentence of a text, in one line.
fn first_sentence(text: &str) -> String {
    let paragraph = text.trim().split("\n\n").next().unwrap_or_default().replace('\n', " ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}
