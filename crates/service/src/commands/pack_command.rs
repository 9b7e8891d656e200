//! `pack new` and `pack test`: a rule pack to start from, and its cases.
//!
//! A case is run as the repository would be: everything is found, and every repair that can be made is made, also those that
//! would wait for somebody's word elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Diagnostic, Environment, Parses, Provider, Repair, Safety, Stop, Tier};
use document::Limits;
use edit::Text;
use engine::{Assessment, Options, RuleLevel, Run, Sieve, Sources};
use fixture::case::{Case, Files};
use pack::{LocalSchema, Pack, PackCheck, SyntaxCheck};
use plan::Policy;
use protocol::v1::{PackReport, WrongCase};
use snapshot::{Entry, File, RelPath, Snapshot};

use crate::commands::schemas::write;
use crate::config::PackPlace;
use crate::failure::Failure;
use crate::session::Session;
use crate::setup;
use crate::setup::TreeOverlay;
use crate::setup::packs;

const FIXTURES: &str = "fixtures/";
const VERDICTS: [&str; 3] = ["keep", "fix", "refuse"];
const MAX_PASSES: usize = 10;
const MAX_RECHECKS: usize = 200;

/// Writes a pack to start from into a folder of the workspace that is not there yet.
pub fn new_pack(session: &Session, folder: &str, is_dry: bool) -> Result<PackReport, Failure> {
    let usage = |message: String| Failure::Usage { message };
    let folder = RelPath::parse(folder)
        .map_err(|error| usage(format!("the folder of a pack is relative to the root: {error}")))?;
    let name: String = folder.file_name().to_ascii_lowercase();
    let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches(|it: char| !it.is_ascii_lowercase()).to_owned();
    if name.is_empty() {
        return Err(usage(format!("{folder} has no letters to name a pack after")));
    }
    let mut files = BTreeMap::new();
    for (path, text) in template(&name) {
        let path = folder.join(&path).map_err(|error| usage(error.to_string()))?;
        if setup::load_text(&session.workspace, &path)?.is_some() {
            return Err(usage(format!("{path} already exists")));
        }
        files.insert(path, text.into_bytes());
    }
    let written = files.keys().map(ToString::to_string).collect();
    let title = format!("a first pack in {folder}");
    let transaction = if is_dry { None } else { write(session, files, "pack new", title)? };
    Ok(PackReport { ok: true, written, transaction, ..PackReport::default() })
}

/// The files of a pack that says one thing and proves it.
fn template(name: &str) -> Vec<(String, String)> {
    let upper = name.replace('-', "_").to_ascii_uppercase();
    let rule = format!("SEM_{upper}_OWNER_KNOWN");
    let manifest = format!(
        "# What this pack is about, and its rules; `regreen schema pack` describes all of it.\n\
         name: {name}\n\
         pack_version: \"0.1.0\"\n\
         description: What {name} files look like, and what they mean together\n\
         kinds:\n  \
           - kind: service\n    \
             files: [\"services/*.{{yaml,yml,json,toml}}\"]\n    \
             schema: schemas/service.schema.json\n  \
           - kind: team\n    \
             files: [\"teams/*.{{yaml,yml,json,toml}}\"]\n\n\
         rules:\n  \
           - id: {rule}\n    \
             rule: reference\n    \
             from: {{in: service, at: /owner}}\n    \
             to: {{in: team, at: /name}}\n    \
             message: Nobody looks after a service whose owner is not a team.\n    \
             about: The owner of a service is the name of a team.\n"
    );
    let schema = "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"type\": \"object\",\n  \
                  \"required\": [\"name\", \"owner\"],\n  \"additionalProperties\": false,\n  \"properties\": {\n    \
                  \"name\": {\"type\": \"string\"},\n    \"owner\": {\"type\": \"string\"},\n    \
                  \"port\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 65535}\n  }\n}\n";
    let team = "//- teams/shop.yaml\nname: shop\n";
    let service = |owner: &str| {
        format!("//- services/cart.yaml\nname: cart\nowner: {owner}   # who to ask\n")
    };
    let finding =
        |rest: &str| format!("//= findings\n{rule} services/cart.yaml#/owner error{rest}\n");
    let port = |port: &str| {
        format!("//- services/cart.yaml\nname: cart\nowner: shop\nport: {port}\n{team}")
    };
    vec![
        ("pack.yaml".to_owned(), manifest),
        ("schemas/service.schema.json".to_owned(), schema.to_owned()),
        (format!("fixtures/{rule}/keep/known.txt"), format!("{}{team}", service("shop"))),
        (
            format!("fixtures/{rule}/fix/typo.txt"),
            format!(
                "{}{team}{}//= after\n{}",
                service("shpo"),
                finding(" | behavior_changing, medium: Change `shpo` to `shop`"),
                service("shop")
            ),
        ),
        (
            format!("fixtures/{rule}/refuse/nobody.txt"),
            format!("{}{team}{}", service("nobody"), finding("")),
        ),
        (
            "fixtures/service/fix/port.txt".to_owned(),
            format!(
                "{}//= findings\nSCHEMA_TYPE services/cart.yaml#/port error | likely_preserving, high: Write `port` as 8080\n\
                 //= after\n//- services/cart.yaml\nname: cart\nowner: shop\nport: 8080\n",
                port("\"8080\"")
            ),
        ),
    ]
}

/// Runs the cases of the pack in a folder, or of all packs that the configuration names by folder. With `bless`, what came out
/// is written into the cases.
pub fn test_packs(
    session: &Session,
    folder: Option<&str>,
    bless: bool,
) -> Result<PackReport, Failure> {
    let folders = match folder {
        Some(folder) => vec![RelPath::parse(folder).map_err(|error| Failure::Usage {
            message: format!("the folder of a pack is relative to the root: {error}"),
        })?],
        None => {
            let config = setup::load_config(session, &TreeOverlay::new())?.0;
            let places = config.packs.into_iter().flatten();
            let folders = places.filter_map(|it| match it.place {
                PackPlace::Folder(folder) => Some(folder),
                PackPlace::Outside(_) | PackPlace::Builtin(_) => None,
            });
            folders.collect()
        }
    };
    if folders.is_empty() {
        let message = "regreen.toml names no pack by its folder; name one: `regreen pack test DIR`";
        return Err(Failure::Usage { message: message.to_owned() });
    }
    let mut report = PackReport { ok: true, ..PackReport::default() };
    let mut blessed = BTreeMap::new();
    for folder in folders {
        let files = packs::read_folder(&session.workspace, &folder)?;
        let pack = packs::from_files(&folder, &files)?;
        let cases =
            files.iter().filter(|(path, _)| path.starts_with(FIXTURES) && path.ends_with(".txt"));
        for (path, text) in cases {
            report.cases += 1;
            let Err((message, actual)) = run(&pack, path, text) else { continue };
            let case =
                folder.join(path).map_err(|error| Failure::Usage { message: error.to_string() })?;
            if let Some(actual) = actual.as_ref().filter(|_| bless) {
                blessed.insert(case.clone(), actual.clone().into_bytes());
            } else {
                report.ok = false;
            }
            report.wrong.push(WrongCase { case: case.to_string(), message, actual });
        }
    }
    if report.cases == 0 {
        let message =
            format!("the pack has no cases: put some into {FIXTURES}RULE/keep, fix or refuse");
        return Err(Failure::Usage { message });
    }
    report.written = blessed.keys().map(ToString::to_string).collect();
    if !blessed.is_empty() {
        let title = "what the cases of packs expect".to_owned();
        report.transaction = write(session, blessed, "pack test", title)?;
    }
    Ok(report)
}

/// What is wrong with a case: in words, and the case as it came out if it could be run.
type Wrong = (String, Option<String>);

fn run(pack: &Arc<Pack>, path: &str, text: &Text) -> Result<(), Wrong> {
    let broken = |message: String| (message, None);
    let text =
        std::str::from_utf8(text.bytes()).map_err(|_| broken("it is not UTF-8".to_owned()))?;
    let case = Case::parse(text).map_err(broken)?;
    let mut parts = path.strip_prefix(FIXTURES).unwrap_or(path).split('/');
    let (rule, verdict) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    if !VERDICTS.contains(&verdict) {
        return Err(broken(format!("it is in none of the folders {}", VERDICTS.join(", "))));
    }
    let (findings, remaining, after) = outcome(pack, &case.files, rule).map_err(broken)?;
    let mut actual = case.clone();
    let is_other = |it: &(&String, &String)| case.files.get(it.0) != Some(it.1);
    actual.after = after.iter().filter(is_other).map(|(a, b)| (a.clone(), b.clone())).collect();
    let remaining = if verdict == "fix" { remaining } else { Vec::new() };
    for (name, lines) in [("findings", &findings), ("remaining", &remaining)] {
        actual.expected.remove(name);
        if !lines.is_empty() {
            actual.expected.insert(name.to_owned(), lines.clone());
        }
    }
    let is_id = rule.starts_with(|it: char| it.is_ascii_uppercase());
    let own: Vec<&String> =
        findings.iter().filter(|it| !is_id || it.split(' ').next() == Some(rule)).collect();
    let is_changed = !actual.after.is_empty();
    let problem = match verdict {
        "keep" if !findings.is_empty() => Some("a case in `keep` must not have findings"),
        "fix" if !own.iter().any(|it| it.contains(" | ")) => {
            Some("a case in `fix` must have a repair")
        }
        "fix" if !is_changed => Some("a case in `fix` must be changed"),
        "refuse" if own.is_empty() => Some("a case in `refuse` must have a finding"),
        "refuse" if is_changed || own.iter().any(|it| it.contains(" | ")) => {
            Some("a case in `refuse` must not have a repair")
        }
        _ if actual != case => Some("the result differs from what the case expects"),
        _ => None,
    };
    match problem {
        None => Ok(()),
        Some(problem) => Err((problem.to_owned(), actual.render().ok())),
    }
}

/// The findings, those that remain when all that can be repaired is, and the files then.
fn outcome(
    pack: &Arc<Pack>,
    files: &Files,
    rule: &str,
) -> Result<(Vec<String>, Vec<String>, Files), String> {
    let mut entries = BTreeMap::new();
    for (path, text) in files {
        let path = RelPath::parse(path).map_err(|error| error.to_string())?;
        entries.insert(path, Entry::File(File::new(Text::new(text.as_str()), 0o644)));
    }
    let snapshot = Snapshot::new(entries).map_err(|error| error.to_string())?;
    let check = PackCheck::new(Arc::clone(pack)).leaving_syntax();
    let (local, syntax) = (LocalSchema::default().leaving_syntax(), SyntaxCheck::default());
    let providers: [&dyn Provider; 3] = [&local, &syntax, &check];
    let (parses, stop) = (Arc::new(Parses::new(Limits::DEFAULT)), Stop::new());
    // A policy is off, unless the case is about it.
    let policies = pack.rules().into_iter().filter(|it| it.tier == Tier::Policy && it.id == rule);
    let levels = policies.map(|it| (it.id, RuleLevel::At(it.severity))).collect();
    let levels = BTreeMap::from([(pack.name().to_owned(), levels)]);
    let sieve = Sieve { levels, baseline: BTreeSet::new() };
    let sources = Sources::new(&providers, Environment::default());
    let run = Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
    let start = engine::assess(&run, &snapshot, None);
    let policy = Policy { safety: Safety::BehaviorChanging, allow: BTreeSet::new() };
    let options = Options {
        policy: &policy,
        is_editable: &|_| true,
        wants: &|_| true,
        max_passes: MAX_PASSES,
        max_rechecks: MAX_RECHECKS,
    };
    let fixed = engine::fix(&run, &start, &options, &mut |_| ());
    let after = fixed.end.snapshot.files().map(|(path, file)| {
        let text = String::from_utf8_lossy(file.text().bytes()).into_owned();
        (path.as_str().to_owned(), text)
    });
    Ok((lines(&start), lines(&fixed.end), after.collect()))
}

/// One line for each finding: the rule, the place, the severity, and behind ` | ` the safety and confidence of each repair.
fn lines(assessment: &Assessment) -> Vec<String> {
    let words = |repair: &Arc<Repair>| {
        format!(" | {}, {}: {}", repair.safety.name(), repair.confidence.name(), repair.title)
    };
    let line = |it: &Arc<Diagnostic>| {
        let place = it.json_pointer.as_ref().map(|it| format!("#{it}")).unwrap_or_default();
        let repairs =
            assessment.repairs.iter().filter(|repair| repair.resolves.contains(&it.diagnostic_id));
        let repairs: String = repairs.map(words).collect();
        format!("{} {}{place} {}{repairs}", it.rule_id, it.file, it.severity.name())
    };
    assessment.diagnostics.iter().map(line).collect()
}
