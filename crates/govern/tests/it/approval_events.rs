//! Every way through three events that can befall an approval by two people: each says yes or takes it back, what is attached
//! changes, the tool changes and changes back, a month passes. What is left must be what a model of ten lines says (X-111,
//!

use std::collections::BTreeMap;

use govern::Moment;
use govern::approval::{Document, NAMESPACE, SignatureEntry, Stage, Statement, expiry, recheck};
use serde_json::json;

use super::approval_support::{World, now, private, signed};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Event {
    Yes(usize),
    TakeBack(usize),
    Plan,
    Tool,
    Month,
}

const EVENTS: [Event; 7] = [
    Event::Yes(0),
    Event::Yes(1),
    Event::TakeBack(0),
    Event::TakeBack(1),
    Event::Plan,
    Event::Tool,
    Event::Month,
];
const PEOPLE: [(&str, u8); 2] = [("alice@example.org", 1), ("bob@example.org", 2)];

/// What there is now, and so what a word that is given now is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Present {
    n_plans: usize,
    is_other_tool: bool,
    n_months: u32,
    /// How often somebody took a yes back: a yes after that is another statement.
    n_taken_back: usize,
}

impl Present {
    fn at(self) -> Moment {
        now().plus_seconds(i64::from(self.n_months) * 31 * 24 * 60 * 60)
    }

    fn world(self) -> World {
        let mut world = World::signed_by_alice();
        world.record["allowed_paths"] = json!(["src/"]);
        world.patch = Some(format!("plan {}", self.n_plans).into_bytes());
        world.context.nonce = format!("00112233445566778899aabbccddeeff-{}", self.n_taken_back);
        if self.is_other_tool {
            world.context.tool.network = true;
        }
        world
    }
}

/// Signing takes long without optimisation, and the same is signed again and again.
#[derive(Default)]
struct Signatures(BTreeMap<(usize, String), SignatureEntry>);

impl Signatures {
    fn sign(&mut self, person: usize, statement: Statement, at: Moment) -> Document {
        let (principal, seed) = PEOPLE[person];
        let made = self.0.entry((person, statement.hash())).or_insert_with(|| {
            let signed = signed(&private(seed), NAMESPACE, &statement.bytes());
            SignatureEntry::new(principal, &signed)
        });
        let id = govern::Id::parse("DDS-20260202-CODE-001").unwrap();
        Document::signed(&id, statement, made.clone(), at)
    }
}

/// The words that are there, by the model and as documents.
#[derive(Clone, Default)]
struct Said {
    present: Present,
    words: [Option<Present>; 2],
    documents: Vec<Document>,
    /// The hash of each one's yes.
    yes: [Option<String>; 2],
}

fn happen(said: &mut Said, event: Event, signatures: &mut Signatures) {
    let at = said.present.at();
    match event {
        Event::Plan => said.present.n_plans += 1,
        Event::Tool => said.present.is_other_tool ^= true,
        Event::Month => said.present.n_months += 1,
        Event::Yes(person) => {
            let world = said.present.world();
            let statement = world.with_subject(|it| it.statement(expiry(at, 30)));
            let document = signatures.sign(person, statement, at);
            said.words[person] = Some(said.present);
            // A person has one file: a yes takes the place of an earlier one.
            let earlier = said.yes[person].replace(document.statement.hash());
            said.documents.retain(|it| {
                it.person() != document.person() || Some(it.statement.hash()) != earlier
            });
            said.documents.push(document);
        }
        Event::TakeBack(person) => {
            let Some(withdrawn) = said.yes[person].take() else { return };
            let statement = said.present.world().with_subject(|it| {
                Statement::withdrawal(it.record, it.patch, it.context, &withdrawn, "hm")
            });
            let document = signatures.sign(person, statement, at);
            said.documents.push(document);
            said.words[person] = None;
            said.present.n_taken_back += 1;
        }
    }
}

/// Whether a word that was given then counts now.
fn counts(word: Option<Present>, now: Present) -> bool {
    word.is_some_and(|it| {
        it.n_plans == now.n_plans
            && it.is_other_tool == now.is_other_tool
            && it.n_months == now.n_months
    })
}

fn holds(said: &Said) -> bool {
    let world = said.present.world();
    let owners = world.policy().with_owner(&["src/**".to_owned()], &[], 2).unwrap();
    world.with_subject(|subject| {
        let (allowed, now) = (world.allowed(), said.present.at());
        recheck(&said.documents, subject, &allowed, &owners, now, Stage::Open).is_ok()
    })
}

#[test]
fn what_is_left_of_two_words_after_any_three_events() {
    let mut signatures = Signatures::default();
    let (mut n_held, mut n_looked) = (0, 0);
    let mut both = Said::default();
    for event in [Event::Yes(0), Event::Yes(1)] {
        happen(&mut both, event, &mut signatures);
    }
    let pairs = EVENTS.iter().flat_map(|one| EVENTS.iter().map(|other| vec![*one, *other]));
    let pairs: Vec<Vec<Event>> = pairs.collect();
    let threes = pairs.iter().flat_map(|pair| {
        EVENTS.iter().map(|third| pair.iter().copied().chain([*third]).collect::<Vec<Event>>())
    });
    let from_nothing = pairs.iter().map(|it| (Said::default(), it.clone()));
    for (start, events) in from_nothing.chain(threes.map(|it| (both.clone(), it))) {
        let mut said = start.clone();
        for event in &events {
            happen(&mut said, *event, &mut signatures);
        }
        let expected = said.words.iter().all(|it| counts(*it, said.present));
        assert_eq!(holds(&said), expected, "{:?} {events:?}", start.words);
        n_held += usize::from(expected);
        n_looked += 1;
    }
    assert_eq!(n_looked, EVENTS.len().pow(2) + EVENTS.len().pow(3));
    assert!(n_held > 20, "both outcomes are tried: {n_held}");
}
