//! `fix` with a person who decides.

use protocol::v1;
use service::{FixReply, RepairAnswer, RepairQuestion};

use super::setting::{SHOP, Setting};

/// Runs a fix with these answers; the last one is given again and again. Returns what was asked, too.
fn check(answers: &[RepairAnswer]) -> (Setting, FixReply, Vec<String>) {
    check_in(SHOP, answers)
}

fn check_in(text: &str, answers: &[RepairAnswer]) -> (Setting, FixReply, Vec<String>) {
    let setting = Setting::new(text);
    let mut asked = Vec::new();
    let mut decide = |it: &RepairQuestion<'_>| {
        assert!(!it.preview.changes.is_empty() && !it.diagnostics.is_empty());
        let approval = if it.needs_approval { " needs approval" } else { "" };
        asked.push(format!("{} of {}: {}{approval}", it.number, it.of, it.repair.rule_id));
        answers[(asked.len() - 1).min(answers.len() - 1)]
    };
    let session = setting.session();
    let reply =
        service::fix(&session, &v1::Fix::default(), &mut |_| {}, Some(&mut decide)).unwrap();
    (setting, reply, asked)
}

fn applied(reply: &FixReply) -> Vec<&str> {
    reply.report.applied.iter().map(|it| it.rule_id.as_str()).collect()
}

#[test]
fn every_repair_is_asked_about_in_rank_order_and_a_yes_names_it() {
    let (setting, reply, asked) = check(&[RepairAnswer::Yes]);
    let expected =
        ["1 of 3: SCHEMA_TYPE", "2 of 3: SCHEMA_REQUIRED", "3 of 3: SCHEMA_ENUM needs approval"];
    assert_eq!(asked, expected);
    assert!(reply.report.ok && setting.read("shop.yaml").contains("mode: fast"));
}

#[test]
fn what_is_declined_is_not_made_and_is_named() {
    let (setting, reply, _) = check(&[RepairAnswer::No, RepairAnswer::Yes, RepairAnswer::No]);
    assert_eq!(applied(&reply), ["SCHEMA_REQUIRED"]);
    let declined: Vec<_> =
        reply.report.rejected.iter().filter(|it| it.reason == "declined").collect();
    assert_eq!(declined.len(), 2);
    assert!(setting.read("shop.yaml").contains("\"8080\""));
}

/// RS-17, RS-46: "all" covers what a fix would make by itself; a guess is asked about all the same.
#[test]
fn all_does_not_cover_what_needs_approval() {
    let (_, reply, asked) = check(&[RepairAnswer::All, RepairAnswer::No]);
    assert_eq!(asked.len(), 2);
    assert_eq!(applied(&reply), ["SCHEMA_TYPE", "SCHEMA_REQUIRED"]);
}

#[test]
fn quit_makes_what_was_agreed_to_and_asks_no_more() {
    let (_, reply, asked) = check(&[RepairAnswer::Yes, RepairAnswer::Quit]);
    assert_eq!((asked.len(), applied(&reply)), (2, vec!["SCHEMA_TYPE"]));
    let (_, reply, asked) = check(&[RepairAnswer::Quit]);
    assert_eq!((asked.len(), reply.report.transaction), (1, None));
}

/// The items behind a removed one move up, and so do their pointers: a yes is for what was shown and for nothing else.
#[test]
fn a_yes_does_not_cover_what_moved_to_the_place_of_what_it_was_for() {
    let list = r#"
//- schemas/list.json
{"uniqueItems": true, "items": {"properties": {"mode": {"enum": ["fast", "careful"]}}}}
//- list.yaml
# yaml-language-server: $schema=schemas/list.json
- {n: 1}
- {n: 1}
- {n: 2, mode: FAST}
- {n: 3, mode: FAST}
"#;
    let (setting, reply, asked) =
        check_in(list, &[RepairAnswer::Yes, RepairAnswer::No, RepairAnswer::Yes, RepairAnswer::No]);
    assert_eq!(applied(&reply), ["SCHEMA_ENUM", "SCHEMA_UNIQUE_ITEMS"], "{asked:?}");
    assert!(
        setting
            .read("list.yaml")
            .ends_with("\n- {n: 1}\n- {n: 2, mode: fast}\n- {n: 3, mode: FAST}\n"),
    );
    let declined: Vec<_> = reply.report.rejected.iter().map(|it| it.reason.as_str()).collect();
    assert_eq!(declined, ["declined"]);
    let (_, reply, _) = check_in(list, &[RepairAnswer::Yes]);
    assert!(reply.report.ok && reply.report.applied.len() == 3);
    let (_, reply, asked) = check_in(list, &[RepairAnswer::All]);
    assert!(reply.report.ok && asked.len() == 1, "{asked:?}");
}
