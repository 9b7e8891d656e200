//! Looking at a tree and repairing it in memory: what `check`, `plan`, `fix` and `watch` share.

pub(crate) mod previews;
pub(crate) mod request_scope;
pub(crate) mod verdict;
pub(crate) mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use check::{Diagnostic, Reach, Repair};
use engine::{Assessment, Fixed, Run};
use protocol::v1;
use snapshot::{RelPath, Snapshot};
use workspace::Reader;

use crate::assess::request_scope::RequestScope;
use crate::assess::verdict::CheckState;
use crate::failure::Failure;
use crate::patch_trial::refusals;
use crate::reply::{CommandProgress, OnProgress};
use crate::session::steady::ScanAttempt;
use crate::session::timer::Timer;
use crate::session::{Session, SessionAccess};
use crate::setup;
use crate::setup::cache::Keep;
use crate::setup::{ScannedTree, Setup};

/// How often the sources are asked again at most, for each round of repairs.
pub(crate) const RECHECKS_PER_PASS: usize = 200;

/// A tree that was looked at.
pub(crate) struct AssessedTree {
    pub(crate) setup: Setup,
    pub(crate) look: RequestScope,
    pub(crate) own: Vec<Arc<Diagnostic>>,
    pub(crate) passed_over: Vec<(RelPath, String)>,
    /// What could not be read.
    pub(crate) unread: Vec<v1::LookFailure>,
    /// Who reads the files.
    pub(crate) reader: Arc<Reader>,
    /// Whether a transaction is unfinished that may not be settled here.
    pub(crate) is_pending: bool,
    pub(crate) assessment: Assessment,
}

impl AssessedTree {
    /// How far the look came that ended with this assessment.
    pub(crate) fn standing(&self, assessment: &Assessment) -> CheckState {
        let standing = CheckState::new(&self.setup, &self.look, assessment, &self.unread);
        let standing = standing.with_skipped(&self.look, &self.passed_over);
        CheckState { is_pending: self.is_pending, ..standing }
    }
}

/// Lists the tree and looks at it.
pub(crate) fn look_at(
    session: &Session,
    request: &v1::LookRequest,
    no_baseline: bool,
    attempt: &mut ScanAttempt,
    progress: OnProgress<'_>,
) -> Result<AssessedTree, Failure> {
    look_around(session, request, no_baseline, None, attempt, progress)
}

/// Looks at what the request is about, and no further than that depends on. What is found is good to report, and not to
/// be compared with anything.
pub(crate) fn look_at_asked(
    session: &Session,
    request: &v1::LookRequest,
    no_baseline: bool,
    attempt: &mut ScanAttempt,
    progress: OnProgress<'_>,
) -> Result<AssessedTree, Failure> {
    let asked = request_scope::asked(request);
    look_around(session, request, no_baseline, asked, attempt, progress)
}

fn look_around(
    session: &Session,
    request: &v1::LookRequest,
    no_baseline: bool,
    asked: Option<BTreeSet<RelPath>>,
    attempt: &mut ScanAttempt,
    progress: OnProgress<'_>,
) -> Result<AssessedTree, Failure> {
    progress(CommandProgress::Scanning);
    let overlay = request_scope::overlay(request)?;
    let mut setup = setup::load_rules(session, &overlay, no_baseline, request)?;
    let reader = setup.workspace(session).reader();
    attempt.watch(&reader);
    let suspects = attempt.suspects();
    let is_part = asked.is_some();
    // Which tools take part is known when the tree is.
    let listed = match is_part {
        true => setup.names(session, &overlay, &reader)?,
        false => setup.scan(session, &overlay, &reader, suspects, None)?,
    };
    setup.equip(session, &listed, &|name| !is_part || request_scope::may_want(request, name));
    let needs_tree = setup.toolbox.limit().is_some();
    let mut listed = (!is_part).then_some(listed);
    let setup = setup;
    let workspace = setup.workspace(session);
    let scan =
        |only: Option<&BTreeSet<RelPath>>| setup.scan(session, &overlay, &reader, suspects, only);
    let keep = match (overlay.is_empty(), is_part) {
        (false, _) => Keep::Nothing,
        (true, true) => Keep::Part,
        (true, false) => Keep::Whole,
    };
    // Only for this first look: what repairs are tried on is not worth keeping.
    let (tree, look, own, assessment) = setup.cache.during(workspace, keep, || {
        let (tree, look) = match asked.filter(|_| !needs_tree) {
            None => {
                let mut tree = listed.take().map_or_else(|| scan(None), Ok)?;
                let look = RequestScope::new(session, request, &setup, &mut tree)?;
                (tree, look)
            }
            Some(asked) => look_far_enough(&setup, asked, &scan, &|tree: &mut ScannedTree| {
                RequestScope::new(session, request, &setup, tree)
            })?,
        };
        let files = is_part.then(|| look.files(&tree.snapshot));
        let n_files = files.as_ref().map_or_else(|| tree.snapshot.paths().count(), BTreeSet::len);
        let n_tools = setup.toolbox.providers().count();
        progress(CommandProgress::Checking { n_files, n_tools });
        let own = match &files {
            None => setup.own_findings(session, &tree.snapshot),
            Some(files) => setup.own_findings(session, &tree.snapshot.part(files)),
        };
        let run = Run { only: files.as_ref(), ..setup.run() };
        let assessment = engine::assess(&run, &tree.snapshot, None);
        Ok::<_, Failure>((tree, look, own, assessment))
    })?;
    if overlay.is_empty() {
        reader.keep(workspace, &|path| is_part || tree.snapshot.has(path));
    }
    let ScannedTree { passed_over, failures: unread, .. } = tree;
    let is_pending = session.pending_transaction().is_some();
    Ok(AssessedTree { setup, look, own, passed_over, unread, reader, is_pending, assessment })
}

/// Lists the tree, or these files and folders of it.
type Scan<'a> = dyn Fn(Option<&BTreeSet<RelPath>>) -> Result<ScannedTree, Failure> + 'a;

/// Lists what was asked about, and what the sources need to answer: files that it refers to, and what those refer to, or
/// the whole tree.
fn look_far_enough(
    setup: &Setup,
    mut wanted: BTreeSet<RelPath>,
    scan: &Scan<'_>,
    look: &dyn Fn(&mut ScannedTree) -> Result<RequestScope, Failure>,
) -> Result<(ScannedTree, RequestScope), Failure> {
    let mut known = Snapshot::default();
    // What was looked at stays what it was, however often the rest is listed.
    let mut listed = |only: Option<&BTreeSet<RelPath>>| {
        let mut tree = scan(only)?;
        let joined = std::mem::take(&mut known).joined(&tree.snapshot);
        tree.snapshot = joined.map_err(workspace::LoadError::Moving)?;
        let look = look(&mut tree)?;
        known = tree.snapshot.clone();
        Ok::<_, Failure>((tree, look))
    };
    loop {
        let (tree, look) = listed(Some(&wanted))?;
        let files = look.files(&tree.snapshot);
        let run = Run { only: Some(&files), ..setup.run() };
        let mut more = match engine::reach(&run, &tree.snapshot) {
            Reach::Tree => return listed(None),
            Reach::Files(more) => more,
        };
        more.extend(look.named().cloned());
        if more.is_subset(&wanted) {
            return Ok((tree, look));
        }
        wanted.extend(more);
    }
}

/// What came of repairing in memory.
pub(crate) struct Mended {
    pub(crate) fixed: Fixed,
    /// The files that a repair would have changed and that must not be.
    pub(crate) protected: BTreeMap<RelPath, Protected>,
}

/// Why a file must not be changed.
pub(crate) struct Protected {
    /// For programs, if there is a name for it.
    pub(crate) name: Option<&'static str>,
    /// For people.
    pub(crate) reason: String,
}

/// Why the files of the setup are not repaired: what was proved by the old rules would not hold by the new ones.
const IS_SETUP: &str = "the rules of this workspace come from it";

/// Repairs in memory, from what is known of a tree to what is known of a better one. Files that a commit would refuse
/// are left alone, so that they do not stand in the way of the others; so are those that the setup is made of.
pub(crate) fn repair(
    session: &Session,
    setup: &Setup,
    look: &RequestScope,
    start: &Assessment,
    (wants, max_passes): (&dyn Fn(&Repair) -> bool, usize),
    progress: OnProgress<'_>,
) -> Result<Mended, Failure> {
    let stop = setup.stop.part();
    let _timer = Timer::start(&stop, setup.config.budget);
    let run = setup.run_until(&stop);
    let mut protected = BTreeMap::new();
    loop {
        let options = engine::Options {
            policy: &look.policy,
            is_editable: &|path| look.is_editable(path) && !protected.contains_key(path),
            wants,
            max_passes,
            max_rechecks: max_passes.saturating_mul(RECHECKS_PER_PASS),
        };
        let fixed = engine::fix(&run, start, &options, &mut |it| match it {
            engine::Progress::Pass { number, errors, warnings } => {
                progress(CommandProgress::Pass { number, errors, warnings });
            }
            engine::Progress::Isolating { tried, of } => {
                progress(CommandProgress::Isolating { tried, of });
            }
            _ => {}
        });
        let refused = protected_among(session, setup, look, &fixed)?;
        if refused.is_empty() {
            return Ok(Mended { fixed, protected });
        }
        protected.extend(refused);
    }
}

/// The files of the change that must not be changed. Where nothing may be written, who may write what is not the
/// question.
fn protected_among(
    session: &Session,
    setup: &Setup,
    look: &RequestScope,
    fixed: &Fixed,
) -> Result<BTreeMap<RelPath, Protected>, Failure> {
    let paths = fixed.change.paths();
    let is_setup = || Protected { name: None, reason: IS_SETUP.to_owned() };
    let of_setup: BTreeMap<RelPath, Protected> =
        paths.iter().filter(|it| setup.depends_on(it)).map(|it| (it.clone(), is_setup())).collect();
    let workspace = setup.workspace(session);
    if session.access() == SessionAccess::Build || look.has_overlay() || fixed.change.is_empty() {
        return Ok(of_setup);
    }
    let loaded = workspace.load(&paths.into_iter().collect::<Vec<_>>())?;
    let refused = loaded.unchangeable.iter().chain(&loaded.refused);
    let refused = refused.map(|(path, refusal)| {
        let (name, reason) = (refusals::own_name(refusal), refusal.to_string());
        (path.clone(), Protected { name, reason })
    });
    Ok(refused.chain(of_setup).collect())
}

#[cfg(test)]
mod tests;
