//! A workspace that is looked at again and again while its files change (`--watch`, editors): only what changed is
//! read and checked again.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::Assessment;
use protocol::v1;
use rayon::ThreadPool;
use snapshot::{Entry, RelPath, Snapshot};

use crate::assess::request_scope::{self, RequestScope};
use crate::assess::{AssessedTree, look_at};
use crate::commands::check_command::reply;
use crate::failure::Failure;
use crate::reply::{CheckReply, OnProgress};
use crate::session::Session;
use crate::session::pool;
use crate::session::steady::{ScanAttempt, steadily};
use crate::setup::Setup;
use crate::toolbox::Toolbox;

/// A workspace that is checked again and again as its files change.
pub struct Live {
    request: v1::Check,
    looked: AssessedTree,
    pool: Arc<ThreadPool>,
    /// Whether the last look failed, so that nobody knows what it missed.
    is_behind: bool,
}

impl Live {
    /// Looks at the whole tree. Nothing is written, whatever the request says.
    pub fn open(
        session: &Session,
        request: &v1::Check,
        progress: OnProgress<'_>,
    ) -> Result<(Live, CheckReply), Failure> {
        let request = v1::Check { write_baseline: false, ..request.clone() };
        let pool = Arc::new(pool::start(request.look.jobs)?);
        Arc::clone(&pool).install(|| {
            let (looked, reply) = look(session, &request, progress)?;
            Ok((Live { request, looked, pool, is_behind: false }, reply))
        })
    }

    /// Looks again after these paths, relative to the root, changed, came or went. What is not known to be looked at,
    /// and what decides how to look, makes it read the whole tree again; checked again is only what is different.
    pub fn recheck(
        &mut self,
        session: &Session,
        changed: &[String],
    ) -> Result<CheckReply, Failure> {
        Arc::clone(&self.pool).install(|| {
            let paths: BTreeSet<RelPath> =
                changed.iter().filter_map(|it| RelPath::parse(it).ok()).collect();
            let is_setup =
                |it: &RelPath| self.looked.setup.depends_on(it) || Toolbox::depends_on(it);
            let is_whole = self.is_behind || paths.iter().any(is_setup);
            self.is_behind = true;
            let mut reply = None;
            if !is_whole {
                let mut attempt = ScanAttempt::default();
                self.refresh(session, &paths, &mut attempt)?;
                reply = Some(self.reply(session)?);
                // What the other files are read from is as old as the look that found them.
                attempt.watch(&self.looked.reader);
                reply = reply.filter(|_| attempt.moved().is_none());
            }
            let reply = match reply {
                Some(reply) => reply,
                None => {
                    let (looked, reply) = look(session, &self.request, &mut |_| {})?;
                    self.looked = looked;
                    reply
                }
            };
            // Goals that nobody answered are asked again, and those of programs that did not change are not by themselves.
            self.is_behind = !self.looked.assessment.doubtful.is_empty();
            Ok(reply)
        })
    }

    fn refresh(
        &mut self,
        session: &Session,
        paths: &BTreeSet<RelPath>,
        attempt: &mut ScanAttempt,
    ) -> Result<(), Failure> {
        let (setup, before) = (&self.looked.setup, &self.looked.assessment);
        let overlay = request_scope::overlay(&self.request.look)?;
        let paths: BTreeSet<RelPath> =
            paths.iter().filter(|it| !overlay.contains_key(*it)).cloned().collect();
        let is_known = |it: &RelPath| matches!(before.snapshot.get(it), Some(Entry::File(_)));
        let reread = if paths.iter().all(is_known) {
            reread(session, setup, &before.snapshot, &paths)
        } else {
            None
        };
        let snapshot = match reread {
            Some(snapshot) => snapshot,
            None => {
                let reader = setup.workspace(session).reader();
                attempt.watch(&reader);
                let suspects = attempt.suspects();
                let mut tree = setup.scan(session, &overlay, &reader, suspects, None)?;
                self.looked.look =
                    RequestScope::new(session, &self.request.look, setup, &mut tree)?;
                self.looked.own = setup.own_findings(session, &tree.snapshot);
                self.looked.passed_over = tree.passed_over;
                self.looked.unread = tree.failures;
                self.looked.reader = tree.reader;
                tree.snapshot
            }
        };
        setup.renew();
        let after: Assessment = engine::assess(&setup.run(), &snapshot, Some(before));
        self.looked.assessment = after;
        Ok(())
    }

    fn reply(&self, session: &Session) -> Result<CheckReply, Failure> {
        reply(session, &self.looked, &self.request, &mut |_| {})
    }
}

/// Looks at the whole tree and replies.
fn look(
    session: &Session,
    request: &v1::Check,
    progress: OnProgress<'_>,
) -> Result<(AssessedTree, CheckReply), Failure> {
    steadily(|attempt| {
        let looked = look_at(session, &request.look, request.look.no_baseline, attempt, progress)?;
        let reply = reply(session, &looked, request, &mut |_| {})?;
        Ok((looked, reply))
    })
}

/// The snapshot with these files as they are on disk; `None` if one of them is not a plain file any more, so that only a
/// scan can tell what stands there.
fn reread(
    session: &Session,
    setup: &Setup,
    before: &Snapshot,
    paths: &BTreeSet<RelPath>,
) -> Option<Snapshot> {
    let list: Vec<RelPath> = paths.iter().cloned().collect();
    // What cannot be read any more is for a scan to name.
    let Ok(loaded) = setup.workspace(session).load(&list) else { return None };
    let (mut present, mut gone) = (Vec::new(), Vec::new());
    for path in paths {
        let is_plain = !loaded.refused.contains_key(path) && !loaded.resolved.contains_key(path);
        match loaded.snapshot.get(path) {
            Some(entry @ Entry::File(_)) if is_plain => {
                present.push((path.clone(), entry.clone()));
            }
            None if is_plain => {
                gone.push(path);
            }
            _ => return None,
        }
    }
    before.clone().without(gone).with(present).ok()
}
