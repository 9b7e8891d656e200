//! Where tools are run from: the root, the tree as it lies there, the user's programs and folders, and the cache.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use check::CacheKeys;
use launch::{Access, BuildLimits, Install, Isolation, ProgramIdentity, TreeView};
use linters::{ToolUses, Toolchain};
use snapshot::{RelPath, Snapshot};
use tempfile::TempDir;

use crate::session::{Programs, Session, SessionAccess};
use crate::setup::cache::DiskCache;

/// Bytes of settings that are no part of the tree.
const MAX_SETTINGS: u64 = 4 << 20;
/// Where programs look for others beside their own folders.
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What lies at a path: the bytes of a file as far as anybody would read settings, or where a link leads.
fn settings_bytes(path: &Path) -> Vec<u8> {
    use std::io::Read as _;
    use std::os::unix::ffi::OsStringExt as _;

    if let Ok(to) = std::fs::read_link(path) {
        return to.into_os_string().into_vec();
    }
    let mut bytes = Vec::new();
    if std::fs::symlink_metadata(path).is_ok_and(|it| it.is_file())
        && let Ok(file) = std::fs::File::open(path)
    {
        let _ = file.take(MAX_SETTINGS).read_to_end(&mut bytes);
    }
    bytes
}

/// Where tools are run from.
pub(super) struct ToolEnvironment {
    root: PathBuf,
    /// The tree as it lies on disk.
    disk: Snapshot,
    /// The root, where a build lists its inputs and has no folder of its own.
    _empty: Option<TempDir>,
    programs: Programs,
    /// In a build, the programs that are among its inputs, by name: no other is run.
    build_tools: Option<BTreeMap<String, PathBuf>>,
    pub(super) cache: Arc<DiskCache>,
}

/// A program that was found.
#[derive(Clone, Debug)]
pub(crate) struct InstalledProgram {
    pub(super) install: Install,
    /// Arguments that come before all others.
    pub(super) first: Vec<String>,
}

impl ToolEnvironment {
    /// The environment of a session that has a root on disk, or is a build.
    pub(super) fn new(
        session: &Session,
        disk: &Snapshot,
        cache: &Arc<DiskCache>,
    ) -> Option<ToolEnvironment> {
        let (programs, cache) = (session.programs().clone(), Arc::clone(cache));
        let build_tools = session.build_tools().cloned();
        let has_tools = build_tools.as_ref().is_some_and(|it| !it.is_empty());
        let (root, disk, empty) = match session.root() {
            Some(root) => (std::fs::canonicalize(root).ok()?, disk.clone(), None),
            // The inputs of a build may lie anywhere: its tools see them laid out over an empty folder.
            None if has_tools => {
                let empty = tempfile::Builder::new().prefix("regreen-inputs-").tempdir().ok();
                let root = empty.as_ref().and_then(|it| std::fs::canonicalize(it.path()).ok());
                // Without it no tree can be shown, and every tool says so.
                (root.unwrap_or_default(), Snapshot::default(), empty)
            }
            None if session.access() == SessionAccess::Build => {
                (PathBuf::from("/"), Snapshot::default(), None)
            }
            None => return None,
        };
        Some(ToolEnvironment { root, disk, _empty: empty, programs, build_tools, cache })
    }

    /// Whether only the programs that a build was given may run.
    pub(super) fn is_build(&self) -> bool {
        self.build_tools.is_some()
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Adds settings that are not part of the tree, and that a tool finds beside its files all the same. Every folder is
    /// read for it, so it is worth it only where a tool takes part.
    pub(super) fn with_unlisted_settings<'t>(&self, uses: ToolUses<'t>) -> ToolUses<'t> {
        if self.is_build() {
            return uses;
        }
        let is_settings = |it: &&RelPath| linters::is_settings_name(it.file_name());
        let listed: BTreeSet<&RelPath> = self.disk.paths().filter(is_settings).collect();
        let mut folders: BTreeSet<Option<RelPath>> = BTreeSet::from([None]);
        for path in self.disk.paths() {
            let mut at = path.parent();
            while let Some(folder) = at {
                at = folder.parent();
                if !folders.insert(Some(folder)) {
                    break;
                }
            }
        }
        let mut unlisted = BTreeMap::new();
        for folder in folders {
            let at = folder.as_ref().map_or(self.root.clone(), |it| self.root.join(it.as_str()));
            for entry in std::fs::read_dir(at).into_iter().flatten().flatten() {
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else { continue };
                if !linters::is_settings_name(&name) {
                    continue;
                }
                let path = folder.as_ref().map_or(name.clone(), |it| format!("{it}/{name}"));
                let Ok(path) = RelPath::parse(&path) else { continue };
                if !listed.contains(&path) {
                    unlisted.insert(path, settings_bytes(&entry.path()));
                }
            }
        }
        uses.with_unlisted(unlisted)
    }

    /// The user's program with this name, or the build's, never one of the repository.
    pub(super) fn find(&self, name: &str) -> Option<PathBuf> {
        if let Some(tools) = &self.build_tools {
            return tools.get(name).cloned();
        }
        let found = launch::which(OsStr::new(name), &self.programs.path, &self.forbidden()).found?;
        Some(self.of_toolchain(name, &found).unwrap_or(found))
    }

    /// A shim with this name that was passed over, because only its manager knows where it leads.
    pub(super) fn shim(&self, name: &str) -> Option<PathBuf> {
        let search = launch::which(OsStr::new(name), &self.programs.path, &self.forbidden());
        let is_shim = |it: &launch::Skipped| it.reason == launch::SkipReason::Shim;
        search.skipped.into_iter().find(is_shim).map(|it| it.path)
    }

    /// A program of the toolchain that rustup would start for the user, if that is what the program is: what rustup itself
    /// starts, a tree can decide.
    fn of_toolchain(&self, name: &str, found: &Path) -> Option<PathBuf> {
        let real = std::fs::canonicalize(found).ok()?;
        if !real.file_name()?.to_str()?.starts_with("rustup") {
            return None;
        }
        let chosen = self.programs.variable("RUSTUP_TOOLCHAIN");
        let chosen = chosen.as_ref().and_then(|it| it.to_str());
        Some(launch::rust_toolchain(&self.rustup_home()?, chosen)?.join(name))
            .filter(|it| it.is_file())
    }

    fn rustup_home(&self) -> Option<PathBuf> {
        let named = self.programs.variable("RUSTUP_HOME").map(PathBuf::from);
        named.or_else(|| Some(self.programs.home.as_ref()?.join(".rustup")))
    }

    /// The program with this name in a folder of the repository.
    pub(super) fn find_in(&self, folder: &str, name: &str) -> Option<PathBuf> {
        if self.is_build() {
            return None;
        }
        launch::which(OsStr::new(name), self.root.join(folder).as_os_str(), &[]).found
    }

    /// A command that the configuration names: a path relative to the root, or a name on the user's `PATH`.
    pub(super) fn named(&self, command: &[String]) -> Option<InstalledProgram> {
        let (program, first) = command.split_first()?;
        let path = match program.contains('/') {
            true if self.is_build() => None,
            true => Some(self.root.join(program)).filter(|it| it.is_file()),
            false => self.find(program),
        };
        Some(InstalledProgram { first: first.to_vec(), ..self.install(&path?) })
    }

    /// A program with what belongs to it.
    pub(super) fn install(&self, path: &Path) -> InstalledProgram {
        // A build has no `PATH`: interpreters of its scripts are those of the system.
        let path_var = match self.is_build() {
            true => OsStr::new(SYSTEM_PATH),
            false => &self.programs.path,
        };
        let install = launch::install(path, path_var, &self.forbidden(), &self.private());
        InstalledProgram { install, first: Vec::new() }
    }

    fn forbidden(&self) -> Vec<PathBuf> {
        vec![self.root.clone()]
    }

    fn private(&self) -> Vec<PathBuf> {
        self.programs.home.iter().cloned().chain([self.root.clone()]).collect()
    }

    /// A view of the tree that shows what is on disk.
    pub(super) fn view(&self) -> Result<TreeView, launch::ViewError> {
        TreeView::new(&self.root, self.disk.clone(), &self.place(), Isolation::best())
    }

    /// A view of another tree.
    pub(super) fn view_of(
        &self,
        root: &Path,
        disk: Snapshot,
    ) -> Result<TreeView, launch::ViewError> {
        TreeView::new(root, disk, &self.place(), Isolation::best())
    }

    /// A folder for what has to be written.
    pub(super) fn place(&self) -> PathBuf {
        let own = self.programs.cache.as_ref().map(|it| it.join("tools"));
        own.filter(|it| std::fs::create_dir_all(it).is_ok()).unwrap_or_else(std::env::temp_dir)
    }

    /// What a tool may read and write beside the tree, and the variables that say where it is.
    pub(super) fn access(
        &self,
        toolchain: Option<Toolchain>,
        found: &InstalledProgram,
    ) -> (Access, Vec<(String, OsString)>) {
        let mut readable = found.install.readable.clone();
        let mut folders: Vec<PathBuf> =
            found.install.program.parent().map(Path::to_owned).into_iter().collect();
        folders.extend(found.install.folders.iter().cloned());
        let mut path = OsString::new();
        for folder in &folders {
            path.push(folder);
            path.push(":");
        }
        path.push(SYSTEM_PATH);
        let mut variables = vec![("PATH".to_owned(), path)];
        let mut cache = None;
        if let Some((toolchain, own)) = self.build_folder(toolchain) {
            let home = self.programs.home.clone().unwrap_or_default();
            match toolchain {
                Toolchain::Cargo => {
                    let named = self.programs.variable("CARGO_HOME").map(PathBuf::from);
                    let cargo = named.unwrap_or_else(|| home.join(".cargo"));
                    let ours = own.join("cargo");
                    let _ = std::fs::create_dir_all(&ours);
                    for name in ["registry", "git"] {
                        let there = cargo.join(name);
                        if there.is_dir() {
                            // The packages that the user has, without the settings beside them.
                            let _ = std::os::unix::fs::symlink(&there, ours.join(name));
                            readable.push(there);
                        }
                    }
                    variables.push(("CARGO_HOME".to_owned(), ours.into()));
                    variables.push(("CARGO_TARGET_DIR".to_owned(), own.join("target").into()));
                }
                Toolchain::Go => {
                    let named = self.programs.variable("GOMODCACHE").map(PathBuf::from);
                    let gopath = self.programs.variable("GOPATH").map(PathBuf::from);
                    let gopath = gopath.unwrap_or_else(|| home.join("go"));
                    let modules = named.unwrap_or_else(|| gopath.join("pkg/mod"));
                    variables.push(("GOMODCACHE".to_owned(), modules.clone().into()));
                    variables.push(("GOCACHE".to_owned(), own.join("go-build").into()));
                    variables.push(("GOPATH".to_owned(), own.join("gopath").into()));
                    readable.push(modules);
                }
            }
            cache = Some(own);
        }
        (Access { readable, cache }, variables)
    }

    /// The folder in which a tool that builds keeps what it has built of this tree. Its name can be guessed, so it is one of
    /// the user's own cache or none: where everybody may write, somebody else could have filled it.
    fn build_folder(&self, toolchain: Option<Toolchain>) -> Option<(Toolchain, PathBuf)> {
        let toolchain = toolchain?;
        let tools = self.programs.cache.as_ref()?.join("tools");
        let limits = BuildLimits::STANDARD;
        let folder = launch::build_folder(&tools, &self.root, toolchain.name(), &limits).ok()?;
        Some((toolchain, folder))
    }

    /// What an answer of this program depends on beside what it is asked: the program itself.
    pub(super) fn identity(found: &InstalledProgram) -> Option<Vec<u8>> {
        let mut hasher = blake3::Hasher::new();
        let install = &found.install;
        for path in std::iter::once(&install.program).chain(&install.interpreters) {
            let ProgramIdentity { path, stamp, .. } = ProgramIdentity::of(path).ok()?;
            hasher.update(path.as_os_str().as_encoded_bytes()).update(b"\0");
            hasher.update(format!("{stamp:?}").as_bytes());
        }
        // A package of Node or Python is more than its first file: its folder tells when it was installed.
        for folder in &install.readable {
            if let Ok(ProgramIdentity { stamp, .. }) = ProgramIdentity::of(folder) {
                hasher.update(format!("{:?}", (stamp.inode, stamp.mtime)).as_bytes());
            }
        }
        hasher.update(found.first.join("\0").as_bytes());
        Some(hasher.finalize().as_bytes().to_vec())
    }

    /// The keys of what one program says.
    pub(super) fn keys(
        usage: &str,
        found: &InstalledProgram,
        parts: &[&[u8]],
    ) -> Option<CacheKeys> {
        let identity = ToolEnvironment::identity(found)?;
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        Some(CacheKeys::new(usage, [identity.as_slice(), hasher.finalize().as_bytes()]))
    }
}
