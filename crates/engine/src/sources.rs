//! The sources of a run: who they are, whether they can still be asked, and asking them.
//!
//! A function is asked in this thread. What runs elsewhere is asked on a thread of its own, all such sources at the same
//! time: one that does not come back in time is told to stop, given a moment to end what it started, and then left behind
//! with its thread. One that dies is started once more. After that it is not asked again in this run, and what it would
//! have said counts neither for nor against anything.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use check::{
    Card, Check, Cost, Coverage, Environment, FailureKind, Input, LookError, Looker, Opened,
    Parses, Provider, Reach, Report, Since, Stop, StopCause,
};
use snapshot::{RelPath, Snapshot};

use crate::assessment::{ProviderFailure, is_plain};

/// How long one look may take unless somebody says otherwise.
const STANDARD_LIMIT: Duration = Duration::from_secs(60);
/// How often those who wait look whether the wait is over.
const TICK: Duration = Duration::from_millis(5);
/// How long a source that was told to stop may take to end what it started.
const GRACE: Duration = Duration::from_millis(100);
/// How often a source is started in one run: once, and once more if it died.
const MAX_STARTS: usize = 2;

/// The sources that are asked in a run.
pub struct Sources<'a> {
    /// In the order of their names.
    sources: Vec<SourceSlot<'a>>,
    /// Those that are not asked at all.
    unusable: Vec<ProviderFailure>,
    environment: Environment,
    limit: Duration,
}

/// One of them.
pub(crate) struct SourceSlot<'a> {
    provider: ProviderHandle<'a>,
    pub(crate) card: Card,
    seat: Mutex<Seat>,
}

/// A provider, whoever has it.
enum ProviderHandle<'a> {
    Lent(&'a dyn Provider),
    Shared(Arc<dyn Provider>),
}

impl ProviderHandle<'_> {
    fn get(&self) -> &dyn Provider {
        match self {
            ProviderHandle::Lent(provider) => *provider,
            ProviderHandle::Shared(provider) => &**provider,
        }
    }
}

/// A looker that is dropped on a thread of its own: ending what it started may take forever, or panic.
struct DetachedLooker(Option<Box<dyn Looker>>);

impl DetachedLooker {
    fn get(&mut self) -> Option<&mut dyn Looker> {
        match &mut self.0 {
            Some(looker) => Some(&mut **looker),
            None => None,
        }
    }
}

impl Drop for DetachedLooker {
    fn drop(&mut self) {
        let Some(looker) = self.0.take() else { return };
        let (sender, receiver) = channel::<()>();
        let thread = std::thread::Builder::new().name("provider".to_owned());
        let work = move || {
            let _ = caught(|| drop(looker));
            drop(sender);
        };
        if thread.spawn(work).is_ok() {
            // What it started should be gone before this process is.
            let _ = receiver.recv_timeout(GRACE);
        }
    }
}

#[derive(Default)]
struct Seat {
    looker: Option<DetachedLooker>,
    n_starts: usize,
    /// Why it is not asked any more.
    given_up: Option<LookError>,
}

/// What somebody who is not in this thread needs of an [`Input`].
#[derive(Clone)]
pub(crate) struct Question {
    pub(crate) snapshot: Snapshot,
    pub(crate) since: Option<(Arc<Report>, Arc<BTreeSet<RelPath>>)>,
    pub(crate) parses: Arc<Parses>,
    pub(crate) asked: QuestionKind,
    /// The files that somebody asks about, if not all.
    pub(crate) only: Option<Arc<BTreeSet<RelPath>>>,
}

/// What is wanted.
#[derive(Clone)]
pub(crate) enum QuestionKind {
    /// What is wrong.
    Findings,
    /// What would repair these findings of the report, by their ids.
    Repairs(Arc<Report>, BTreeSet<String>),
}

impl<'a> Sources<'a> {
    /// The sources, none of them asked yet. Two with one name could not be told apart, so neither is asked.
    pub fn new(providers: &[&'a dyn Provider], environment: Environment) -> Sources<'a> {
        Sources::of(providers.iter().map(|it| ProviderHandle::Lent(*it)), environment)
    }

    /// The same, of providers that somebody shares with it.
    pub fn sharing(
        providers: impl IntoIterator<Item = Arc<dyn Provider>>,
        environment: Environment,
    ) -> Sources<'static> {
        Sources::of(providers.into_iter().map(ProviderHandle::Shared), environment)
    }

    fn of<'b>(
        providers: impl Iterator<Item = ProviderHandle<'b>>,
        environment: Environment,
    ) -> Sources<'b> {
        let unasked = |source: String, message: String| ProviderFailure {
            source,
            kind: FailureKind::Unavailable,
            message,
        };
        let mut by_name: BTreeMap<String, Vec<SourceSlot<'b>>> = BTreeMap::new();
        let mut unusable = Vec::new();
        for provider in providers {
            match caught(|| provider.get().card().clone()) {
                Ok(card) if !is_plain(&card.name) => {
                    let message = format!("{:?} is not a name, so it is not asked", card.name);
                    unusable.push(unasked("unknown".to_owned(), message));
                }
                Ok(card) => {
                    let name = card.name.clone();
                    let source = SourceSlot { provider, card, seat: Mutex::default() };
                    by_name.entry(name).or_default().push(source);
                }
                Err(error) => unusable.push(ProviderFailure::new("unknown", error)),
            }
        }
        let mut sources = Vec::new();
        for (name, mut same) in by_name {
            match same.pop() {
                Some(_) if name == crate::OWN_SOURCE => {
                    let message = "this name is reserved, so the provider is not asked".to_owned();
                    unusable.push(unasked(name, message));
                }
                Some(source) if same.is_empty() => sources.push(source),
                _ => {
                    let n = same.len() + 1;
                    let message = format!("{n} providers have this name, so none is asked");
                    unusable.push(unasked(name, message));
                }
            }
        }
        Sources { sources, unusable, environment, limit: STANDARD_LIMIT }
    }

    /// The same, with another limit for the time of one look.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> Sources<'a> {
        Sources { limit, ..self }
    }

    /// Gives everybody a new chance, for a new look at the tree.
    pub fn renew(&self) {
        for source in &self.sources {
            let mut seat = source.seat();
            seat.n_starts = usize::from(seat.looker.is_some());
            seat.given_up = None;
        }
    }

    /// Those that can be asked, in the order of their names.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &SourceSlot<'a>> {
        self.sources.iter()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&SourceSlot<'a>> {
        let place = self.sources.binary_search_by(|it| it.card.name.as_str().cmp(name)).ok()?;
        Some(&self.sources[place])
    }

    /// Those that are not asked at all, and why.
    pub(crate) fn unusable(&self) -> &[ProviderFailure] {
        &self.unusable
    }

    /// How many there are, asked or not.
    pub(crate) fn n_all(&self) -> usize {
        self.sources.len() + self.unusable.len()
    }

    /// The largest number of phases that a source has.
    pub(crate) fn n_phases(&self) -> usize {
        self.sources.iter().map(|it| it.card.phases.len()).max().unwrap_or(0)
    }

    /// Asks sources that run elsewhere, all at the same time. One that died is asked once more.
    pub(crate) fn ask(
        &self,
        questions: Vec<(&SourceSlot<'a>, Question)>,
        stop: &Stop,
    ) -> BTreeMap<String, Result<Report, LookError>> {
        let mut answers = BTreeMap::new();
        let mut open = questions;
        while !open.is_empty() {
            let asked: Vec<(&SourceSlot<'a>, Question)> = std::mem::take(&mut open);
            let said = self.ask_once(&asked, stop);
            for ((source, question), answer) in asked.into_iter().zip(said) {
                match answer {
                    Err(error) if error.kind == FailureKind::Died && source.may_restart() => {
                        open.push((source, question));
                    }
                    answer => {
                        if let Err(error) = &answer {
                            source.note(error);
                        }
                        answers.insert(source.card.name.clone(), answer);
                    }
                }
            }
        }
        answers
    }

    fn ask_once(
        &self,
        questions: &[(&SourceSlot<'a>, Question)],
        stop: &Stop,
    ) -> Vec<Result<Report, LookError>> {
        let (sender, receiver) = channel();
        let mut answers: Vec<Option<Result<Report, LookError>>> = Vec::new();
        let stops: Vec<Stop> = questions.iter().map(|_| stop.part()).collect();
        for (place, (source, question)) in questions.iter().enumerate() {
            let started = source.take_looker(&self.environment).and_then(|opening| {
                let part = stops[place].clone();
                start(place, opening, question.clone(), part, sender.clone())
            });
            answers.push(started.err().map(Err));
        }
        drop(sender);
        let mut waited = Duration::ZERO;
        let mut told: Option<Duration> = None;
        while answers.iter().any(Option::is_none) {
            match receiver.recv_timeout(TICK) {
                Ok(Answer { place, looker, report }) => {
                    if let Some(looker) = looker {
                        questions[place].0.put_back(looker);
                    }
                    let is_late = stops[place].is_set() && !stop.is_set();
                    answers[place] = Some(match report {
                        Err(error) if error.kind == FailureKind::Stopped && is_late => {
                            Err(self.timed_out())
                        }
                        report => report,
                    });
                }
                Err(RecvTimeoutError::Timeout) => waited += TICK,
                // Every sender is gone without an answer: a thread that could not even say that it panicked.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if told.is_none() && (waited >= self.limit || stop.is_set()) {
                // Those who are told by the whole run know it already.
                let late = stops.iter().filter(|it| !it.is_set());
                late.for_each(|it| it.set(StopCause::OutOfTime));
                told = Some(waited);
            }
            if told.is_some_and(|since| waited >= since + GRACE) {
                break;
            }
        }
        let silent = || match stop.is_set() {
            true => LookError::stopped(),
            false => self.timed_out(),
        };
        answers.into_iter().map(|it| it.unwrap_or_else(|| Err(silent()))).collect()
    }

    fn timed_out(&self) -> LookError {
        let message = format!("did not answer within {} s", self.limit.as_secs_f64());
        LookError::new(FailureKind::TimedOut, message)
    }
}

/// What comes back from a thread.
struct Answer {
    place: usize,
    /// Gone if it panicked.
    looker: Option<DetachedLooker>,
    report: Result<Report, LookError>,
}

/// A looker, or what it takes to open one.
enum Opening {
    Open(DetachedLooker),
    Closed(Arc<dyn Provider>, Environment),
}

/// The looker. To open it may take as long as to ask it, so this is done where it is asked.
fn ready(opening: Opening) -> Result<DetachedLooker, LookError> {
    match opening {
        Opening::Open(looker) => Ok(looker),
        Opening::Closed(provider, environment) => opened(&*provider, &environment),
    }
}

fn opened(provider: &dyn Provider, environment: &Environment) -> Result<DetachedLooker, LookError> {
    match caught(|| provider.open(environment)).and_then(|it| it)? {
        Opened::Elsewhere(looker) => Ok(DetachedLooker(Some(looker))),
        Opened::Function(_) => {
            let message = "claims to run elsewhere, but is a function in this process";
            Err(LookError::new(FailureKind::Garbled, message))
        }
    }
}

fn start(
    place: usize,
    opening: Opening,
    question: Question,
    stop: Stop,
    sender: Sender<Answer>,
) -> Result<(), LookError> {
    let work = move || {
        let asked = ready(opening).and_then(|mut looker| {
            let report = match looker.get() {
                Some(it) => caught(|| question.put_to(it, &stop))?,
                None => Err(LookError::new(FailureKind::Died, "was ended")),
            };
            Ok((looker, report))
        });
        let (looker, report) = match asked {
            Ok((looker, report)) => (Some(looker), report),
            Err(error) => (None, Err(error)),
        };
        // Whoever waited may have gone.
        let _ = sender.send(Answer { place, looker, report });
    };
    let thread = std::thread::Builder::new().name("provider".to_owned());
    thread.spawn(work).map(drop).map_err(|error| {
        let message = format!("cannot start a thread for it: {error}");
        LookError::new(FailureKind::Unavailable, message)
    })
}

impl Question {
    fn put_to(&self, looker: &mut dyn Looker, stop: &Stop) -> Result<Report, LookError> {
        let since = self.since.as_ref();
        let since = since.map(|(report, changed)| Since { report, changed });
        let (snapshot, parses) = (&self.snapshot, &*self.parses);
        let input = Input { snapshot, since, parses, stop, only: self.only.as_deref() };
        match &self.asked {
            QuestionKind::Findings => looker.look(&input),
            QuestionKind::Repairs(report, of) => {
                let mut report = (**report).clone();
                looker.repairs(&input, of, &mut report)?;
                Ok(report)
            }
        }
    }
}

impl SourceSlot<'_> {
    /// What of the tree its answer depends on. Who panics has not said.
    pub(crate) fn reach(&self, input: &Input<'_>) -> Reach {
        caught(|| self.provider.get().reach(input)).unwrap_or(Reach::Tree)
    }

    /// The function that it is, if it is one.
    pub(crate) fn function(&self, sources: &Sources<'_>) -> Option<Result<&dyn Check, LookError>> {
        if self.card.cost != Cost::InProcess {
            return None;
        }
        let opened = caught(|| self.provider.get().open(&sources.environment)).and_then(|it| it);
        Some(match opened {
            Ok(Opened::Function(check)) => Ok(check),
            Ok(Opened::Elsewhere(_)) => {
                let message = "claims to be a function in this process, but is not";
                Err(LookError::new(FailureKind::Garbled, message))
            }
            Err(error) => Err(error),
        })
    }

    /// Which files it looked at when it said this of the tree.
    pub(crate) fn coverage(
        &self,
        snapshot: &Snapshot,
        report: &Report,
    ) -> Result<Coverage, LookError> {
        caught(|| self.provider.get().coverage(snapshot, report))
    }

    fn seat(&self) -> MutexGuard<'_, Seat> {
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_looker(&self, environment: &Environment) -> Result<Opening, LookError> {
        let mut seat = self.seat();
        if let Some(error) = &seat.given_up {
            return Err(error.clone());
        }
        if let Some(looker) = seat.looker.take() {
            return Ok(Opening::Open(looker));
        }
        seat.n_starts += 1;
        match &self.provider {
            // It is only lent, and cannot be left behind with a thread.
            ProviderHandle::Lent(provider) => opened(*provider, environment).map(Opening::Open),
            ProviderHandle::Shared(provider) => {
                Ok(Opening::Closed(Arc::clone(provider), environment.clone()))
            }
        }
    }

    fn put_back(&self, looker: DetachedLooker) {
        self.seat().looker = Some(looker);
    }

    /// Whether it is not asked any more in this run.
    pub(crate) fn is_given_up(&self) -> bool {
        self.seat().given_up.is_some()
    }

    /// Lets go of one that died. Whether it may be started again.
    fn may_restart(&self) -> bool {
        let mut seat = self.seat();
        seat.looker = None;
        seat.n_starts < MAX_STARTS
    }

    /// One that is not there, died twice, hangs or panicked is not asked again in this run.
    fn note(&self, error: &LookError) {
        let is_over = error.kind.is_absence() || error.kind == FailureKind::Panicked;
        let mut seat = self.seat();
        if is_over {
            seat.looker = None;
            seat.given_up = Some(error.clone());
        }
    }
}

/// Whoever panics has failed, and no more.
pub(crate) fn caught<T>(ask: impl FnOnce() -> T) -> Result<T, LookError> {
    // What the provider was changing when it panicked is not used again: reports are values, and its looker is dropped.
    catch_unwind(AssertUnwindSafe(ask)).map_err(|payload| {
        let message = format!("panicked: {}", words(&*payload));
        // To let go of it could make it panic once more.
        std::mem::forget(payload);
        LookError::new(FailureKind::Panicked, message)
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}
