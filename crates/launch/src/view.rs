//! The tree as a program sees it.
//!
//! A snapshot may differ from the disk: repairs are tried before they are written. In order of preference a program sees
//!
//! 1. text over a pipe ([`Program::stdin`]), for which nothing has to be shown;
//! 2. the real tree, when the snapshot is as the disk and the kernel keeps the program from writing it;
//! 3. an overlay at the same absolute path, whose layer has only what differs: configuration, `node_modules` and the like are
//!    there, and writes go nowhere ([`crate::layer`]);
//! 4. a mirror, where there are no namespaces ([`crate::mirror`]).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};
use std::time::SystemTime;

use check::Stop;
use sandbox::{Overlay, SandboxLevel};
use snapshot::{RelPath, Snapshot};
use tempfile::TempDir;

use crate::changes::{self, Capture, ChangeCollector, CollectError, WrittenChanges};
use crate::error::LaunchError;
use crate::isolation::{Access, Isolation, Private, VisibleTree, no_folder, run_in};
use crate::layer::{Layer, as_above};
use crate::mirror::Mirror;
use crate::program::{Program, ProgramOutput};

/// The name of the folder with a mirror.
const MIRROR: &str = "mirror";

/// How a program sees a tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TreeExposure {
    /// The real tree.
    Real,
    /// The real tree with a layer over it, at the same path.
    Overlay,
    /// A copy at another path.
    Mirror,
}

impl TreeExposure {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            TreeExposure::Real => "real",
            TreeExposure::Overlay => "overlay",
            TreeExposure::Mirror => "mirror",
        }
    }
}

/// Why a tree cannot be shown.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be shown to programs", .path.display())]
pub struct ViewError {
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

impl ViewError {
    pub(crate) fn new(path: &RelPath, source: io::Error) -> ViewError {
        ViewError { path: path.as_str().into(), source }
    }

    pub(crate) fn folder(path: &Path, source: io::Error) -> ViewError {
        ViewError { path: path.to_owned(), source }
    }
}

/// A tree that programs are shown, and that they cannot change.
///
/// Programs can run in it side by side; one that rewrites files in a mirror has it for itself. Going from one snapshot to the
/// next costs what changed. The folder that this needs is removed when the view goes out of use.
pub struct TreeView {
    root: PathBuf,
    disk: Snapshot,
    shown: Snapshot,
    /// Whether what is shown is not what is on disk.
    differs: bool,
    isolation: Isolation,
    means: Means,
    _folder: TempDir,
    folder: PathBuf,
    runs: AtomicU64,
}

enum Means {
    Layer(Layer),
    /// Made when it is first needed.
    Mirror(RwLock<Option<Mirror>>),
}

impl TreeView {
    /// A view of the tree at `root`, of which `disk` is what is there. `place` is a folder for what has to be written, best on
    /// the same file system and outside of the root.
    ///
    /// # Errors
    /// If the root is not there, or nothing can be written in the place.
    pub fn new(
        root: &Path,
        disk: Snapshot,
        place: &Path,
        isolation: &Isolation,
    ) -> Result<TreeView, ViewError> {
        let root = fs::canonicalize(root).map_err(|error| ViewError::folder(root, error))?;
        let failed = |error| ViewError::folder(place, error);
        let _folder =
            tempfile::Builder::new().prefix("regreen-view-").tempdir_in(place).map_err(failed)?;
        let folder = fs::canonicalize(_folder.path()).map_err(failed)?;
        let means = if isolation.overlays && !has_mounts_beneath(&root) {
            Means::Layer(Layer::new(folder.join("layer"), root.clone()).map_err(failed)?)
        } else {
            Means::Mirror(RwLock::default())
        };
        let (shown, isolation) = (disk.clone(), isolation.clone());
        let runs = AtomicU64::new(0);
        Ok(TreeView { root, disk, shown, differs: false, isolation, means, _folder, folder, runs })
    }

    /// The root of the tree. Programs start there, or beneath; where they see a mirror, they start at the same place in it. So
    /// arguments name files relative to where the program starts.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a program sees the tree, which absolute paths that it prints begin with. One that rewrites files does not see
    /// the real tree.
    pub fn place(&self, rewrites: bool) -> PathBuf {
        match (&self.means, self.sight()) {
            (Means::Layer(_), _) => self.root.clone(),
            (Means::Mirror(_), TreeExposure::Real) if !rewrites => self.root.clone(),
            (Means::Mirror(_), _) => self.folder.join(MIRROR),
        }
    }

    /// How a program that only reads sees the tree.
    pub fn sight(&self) -> TreeExposure {
        match self.means {
            // Where nothing keeps a program from writing, it does not get the real tree.
            _ if !self.differs && self.isolation.level != SandboxLevel::Unconfined => {
                TreeExposure::Real
            }
            Means::Layer(_) => TreeExposure::Overlay,
            Means::Mirror(_) => TreeExposure::Mirror,
        }
    }

    /// Shows another snapshot of the same tree. Returns how many files had to be written or removed for it.
    ///
    /// # Errors
    /// If something cannot be written. The view shows the snapshot after a later call that succeeds.
    pub fn show(&mut self, snapshot: &Snapshot) -> Result<usize, ViewError> {
        let differing = snapshot.changed_since(&self.disk);
        self.differs = !differing.is_empty();
        self.shown = snapshot.clone();
        match &mut self.means {
            Means::Layer(layer) => layer.update(&differing, snapshot, &self.disk),
            Means::Mirror(mirror) => {
                let mirror = mirror.get_mut().unwrap_or_else(PoisonError::into_inner);
                let updated = mirror.as_mut().map_or(Ok(0), |mirror| mirror.update(snapshot));
                if updated.is_err() {
                    // Whoever needs it next makes it anew.
                    if let Some(mirror) = mirror.take() {
                        let _ = changes::remove_tree(mirror.path());
                    }
                }
                updated
            }
        }
    }

    /// Runs a program that only reads the tree. Writing to it fails where the kernel can see to that.
    ///
    /// # Errors
    /// As [`crate::run`].
    pub fn run(
        &self,
        program: &Program,
        access: &Access,
        stop: &Stop,
    ) -> Result<ProgramOutput, LaunchError> {
        let private = Private::new().map_err(|error| no_folder(program, error))?;
        let level = self.isolation.level;
        let mut scene = VisibleTree { readable: vec![self.root.clone()], ..VisibleTree::default() };
        match (&self.means, self.sight()) {
            (_, TreeExposure::Real) => run_in(program, &scene, &private, level, access, stop),
            (Means::Mirror(mirror), _) if level == SandboxLevel::Unconfined => {
                // It can write, so what it wrote is put right.
                let nothing = Capture { wants: &|_| false, max_entries: usize::MAX, max_bytes: 0 };
                let run = self.run_in_mirror(program, mirror, &private, access, &nothing, stop)?;
                Ok(run.0)
            }
            (Means::Mirror(mirror), _) => {
                self.make_mirror(program, mirror)?;
                let mirror = mirror.read().unwrap_or_else(PoisonError::into_inner);
                let Some(mirror) = &*mirror else { return Err(no_mirror(program)) };
                scene.readable.push(mirror.path().to_owned());
                run_in(&self.moved(program, mirror), &scene, &private, level, access, stop)
            }
            (Means::Layer(_), _) => {
                scene.overlay =
                    Some(Overlay { directory: self.root.clone(), place: self.folder.clone() });
                run_in(program, &scene, &private, level, access, stop)
            }
        }
    }

    /// Runs a program that rewrites files, and says what it has written. Nobody else sees that.
    ///
    /// # Errors
    /// As [`crate::run`]; also if it changed more than the capture allows. Nothing that it has written is kept then.
    pub fn run_rewriting(
        &self,
        program: &Program,
        access: &Access,
        capture: &Capture<'_>,
        stop: &Stop,
    ) -> Result<(ProgramOutput, WrittenChanges), LaunchError> {
        let private = Private::new().map_err(|error| no_folder(program, error))?;
        match &self.means {
            Means::Mirror(mirror) => {
                self.run_in_mirror(program, mirror, &private, access, capture, stop)
            }
            Means::Layer(_) => {
                let place = self.new_run().map_err(|error| no_folder(program, error))?;
                let scene = VisibleTree {
                    readable: vec![self.root.clone()],
                    writable: vec![self.root.clone()],
                    overlay: Some(Overlay { directory: self.root.clone(), place: place.clone() }),
                };
                let level = self.isolation.level;
                let ended = run_in(program, &scene, &private, level, access, stop);
                let changes = ended.and_then(|output| {
                    let mut collector = ChangeCollector::new(&self.shown, capture);
                    changes::of_upper(&place.join("upper"), &mut collector)
                        .map_err(|error| not_collected(program, capture, error))?;
                    Ok((output, collector.changes))
                });
                changes::remove_run(&place);
                changes
            }
        }
    }

    fn run_in_mirror(
        &self,
        program: &Program,
        mirror: &RwLock<Option<Mirror>>,
        private: &Private,
        access: &Access,
        capture: &Capture<'_>,
        stop: &Stop,
    ) -> Result<(ProgramOutput, WrittenChanges), LaunchError> {
        self.make_mirror(program, mirror)?;
        let mut mirror = mirror.write().unwrap_or_else(PoisonError::into_inner);
        let Some(mirror) = &mut *mirror else { return Err(no_mirror(program)) };
        let path = mirror.path().to_owned();
        let scene =
            VisibleTree { readable: vec![self.root.clone()], writable: vec![path], overlay: None };
        let since = SystemTime::now();
        let moved = self.moved(program, mirror);
        let ended = run_in(&moved, &scene, private, self.isolation.level, access, stop);
        let mut collector = ChangeCollector::new(&self.shown, capture);
        // Also after a failure: the next program must not see what this one has done.
        let collected = mirror.collect(since, &mut collector);
        let output = ended?;
        collected.map_err(|error| not_collected(program, capture, error))?;
        Ok((output, collector.changes))
    }

    fn make_mirror(
        &self,
        program: &Program,
        mirror: &RwLock<Option<Mirror>>,
    ) -> Result<(), LaunchError> {
        let mut mirror = mirror.write().unwrap_or_else(PoisonError::into_inner);
        if mirror.is_some() {
            return Ok(());
        }
        let path = self.folder.join(MIRROR);
        let made = Mirror::new(path, self.root.clone(), &self.shown, &self.disk);
        let failed = |error: ViewError| {
            let message = format!("{}: {}", error.path.display(), error.source);
            LaunchError::system(program.name(), "copy the tree for it", io::Error::other(message))
        };
        *mirror = Some(made.map_err(failed)?);
        Ok(())
    }

    /// The program at the same place in the mirror.
    fn moved(&self, program: &Program, mirror: &Mirror) -> Program {
        match program.cwd.strip_prefix(&self.root) {
            Ok(beneath) => {
                // Joined with nothing, a path would get a slash at its end.
                let cwd =
                    mirror.path().components().chain(beneath.components()).collect::<PathBuf>();
                program.clone().in_folder(&cwd)
            }
            Err(_) => program.clone(),
        }
    }

    /// A place for what one program writes over the layer.
    fn new_run(&self) -> io::Result<PathBuf> {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        let place = self.folder.join(format!("run-{number}"));
        fs::create_dir(&place)?;
        for name in ["upper", "work"] {
            fs::create_dir(place.join(name))?;
        }
        as_above(&self.root, &place.join("upper"))?;
        std::os::unix::fs::symlink("../layer", place.join("layer"))?;
        Ok(place)
    }
}

fn no_mirror(program: &Program) -> LaunchError {
    LaunchError::system(program.name(), "copy the tree for it", io::Error::other("there is none"))
}

fn not_collected(program: &Program, capture: &Capture<'_>, error: CollectError) -> LaunchError {
    match error {
        CollectError::TooMuch => LaunchError::TooManyChanges {
            program: program.name(),
            max_entries: capture.max_entries,
            max_bytes: capture.max_bytes,
        },
        CollectError::Io(source) => {
            LaunchError::system(program.name(), "read what it has written", source)
        }
    }
}

/// Whether something is mounted in the tree: an overlay would show what is beneath that.
fn has_mounts_beneath(root: &Path) -> bool {
    let Ok(text) = fs::read_to_string("/proc/self/mountinfo") else { return true };
    let mut places = text.lines().filter_map(|line| line.split(' ').nth(4));
    // A root whose name the table spells with escapes is not found in it: then nothing is known.
    let is_plain = root.to_str().is_some_and(|it| !it.contains([' ', '\t', '\n', '\\']));
    !is_plain || places.any(|place| Path::new(place) != root && Path::new(place).starts_with(root))
}
