//! The commands that look at the whole tree, a file each, and what they share.

mod check;
mod explain;
mod fix;
mod init;
mod live;
mod plan;

pub use self::check::check;
pub use self::explain::{explain, rules};
pub(crate) use self::fix::Offer;
pub use self::fix::{Offers, fix};
pub use self::init::init;
pub use self::live::Live;
pub use self::plan::plan;

use std::collections::BTreeMap;
use std::sync::Arc;

use ::check::{Diagnostic, Repair};
use engine::{Assessment, Fixed};
use protocol::v1;
use snapshot::RelPath;

use crate::failure::Failure;
use crate::look::{self, Look};
use crate::reply::{OnProgress, Progress};
use crate::session::{Access, Session};
use crate::setup::{self, Setup};
use crate::trial::refusals;
use crate::verdict::Standing;

/// How often the sources are asked again at most, for each round of repairs.
pub(crate) const RECHECKS_PER_PASS: usize = 200;

/// A tree that was looked at.
struct Looked {
    setup: Setup,
    look: Look,
    own: Vec<Arc<Diagnostic>>,
    passed_over: Vec<(RelPath, String)>,
    /// What could not be read.
    unread: Vec<v1::LookFailure>,
    /// Whether a transaction is unfinished that may not be settled here.
    is_pending: bool,
    assessment: Assessment,
}

impl Looked {
    /// How far the look came that ended with this assessment.
    fn standing(&self, assessment: &Assessment) -> Standing {
        let standing = Standing::new(&self.setup, &self.look, assessment, &self.unread);
        let standing = standing.with_skipped(&self.look, &self.passed_over);
        Standing { is_pending: self.is_pending, ..standing }
    }
}

/// Reads the tree and looks at it.
fn look_at(
    session: &Session,
    request: &v1::Look,
    no_baseline: bool,
    progress: OnProgress<'_>,
) -> Result<Looked, Failure> {
    progress(Progress::Scanning);
    let overlay = look::overlay(request)?;
    let (setup, mut tree) = setup::load_with(session, &overlay, no_baseline, request)?;
    setup.prover.begin();
    let look = Look::new(session, request, &setup, &mut tree)?;
    progress(Progress::Checking { n_files: tree.snapshot.files().count() });
    let checks = setup.checks();
    // Only for this first look: what repairs are tried on is not worth keeping.
    setup.cache.open(setup.workspace(session));
    let assessment = engine::assess(&setup.run(&checks), &tree.snapshot, None);
    setup.cache.close(setup.workspace(session), overlay.is_empty());
    drop(checks);
    let (passed_over, unread) = (tree.passed_over, tree.failures);
    let is_pending = session.pending_transaction().is_some();
    Ok(Looked { setup, look, own: tree.own, passed_over, unread, is_pending, assessment })
}

/// What came of repairing in memory.
struct Mended {
    fixed: Fixed,
    /// The files that a repair would have changed and that must not be.
    protected: BTreeMap<RelPath, Protected>,
}

/// Why a file must not be changed.
struct Protected {
    /// For programs, if there is a name for it.
    name: Option<&'static str>,
    /// For people.
    reason: String,
}

/// Why the files of the setup are not repaired: what was proved by the old rules would not hold by the new ones.
const IS_SETUP: &str = "the rules of this workspace are made of it";

/// Repairs in memory, from what is known of a tree to what is known of a better one. Files that a commit would refuse
/// are left alone, so that they do not stand in the way of the others; so are those that the setup is made of.
fn repair(
    session: &Session,
    setup: &Setup,
    look: &Look,
    start: &Assessment,
    (wants, max_passes): (&dyn Fn(&Repair) -> bool, usize),
    progress: OnProgress<'_>,
) -> Result<Mended, Failure> {
    let checks = setup.checks();
    let mut protected = BTreeMap::new();
    loop {
        let options = engine::Options {
            policy: &look.policy,
            is_editable: &|path| look.is_editable(path) && !protected.contains_key(path),
            wants,
            max_passes,
            max_rechecks: max_passes.saturating_mul(RECHECKS_PER_PASS),
        };
        let fixed = engine::fix(&setup.run(&checks), start, &options, &mut |it| match it {
            engine::Progress::Pass { number, errors, warnings } => {
                progress(Progress::Pass { number, errors, warnings });
            }
            engine::Progress::Isolating { tried, of } => {
                progress(Progress::Isolating { tried, of });
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
    look: &Look,
    fixed: &Fixed,
) -> Result<BTreeMap<RelPath, Protected>, Failure> {
    let paths = fixed.change.paths();
    let is_setup = || Protected { name: None, reason: IS_SETUP.to_owned() };
    let of_setup: BTreeMap<RelPath, Protected> =
        paths.iter().filter(|it| setup.depends_on(it)).map(|it| (it.clone(), is_setup())).collect();
    let workspace = setup.workspace(session);
    if session.access() == Access::Build || look.has_overlay() || fixed.change.is_empty() {
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
