//! What the program of a tool is: its version, and whether its positions can be relied on, which a text shows in which they are
//! known. It is asked once for every program that there is; the answer is kept for later processes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use check::{Cache as _, FailureKind, LookError};
use edit::Text;
use launch::Isolation;
use linters::{Adapter, LocalPrograms, Texts, ToolJob, ToolKind, Version};
use snapshot::{Entry, File, RelPath, Snapshot};

use super::ask::{ToolLooker, Watch};
use super::environment::ToolEnvironment;
use super::tool::Work;

/// What is known of the program itself.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub(super) version: Option<String>,
    /// Whether places and edits can be relied on.
    pub(super) fits: bool,
    pub(super) note: Option<String>,
}

/// How deep in its package a program may lie.
const MAX_PACKAGE_DEPTH: usize = 6;
/// Bytes of a `package.json` that are read.
const MAX_MANIFEST: u64 = 1 << 20;

impl ToolLooker {
    /// What the program is. It is asked once for every program that there is.
    pub(super) fn about(&mut self, watch: &Watch<'_>) -> Result<About, LookError> {
        if let Some(about) = &self.about {
            return Ok(about.clone());
        }
        let tool = Arc::clone(&self.tool);
        let Work::Adapter { adapter, .. } = &tool.work else {
            return Ok(About { version: None, fits: true, note: None });
        };
        let keys = ToolEnvironment::keys(
            "regreen tool identity v1",
            &tool.found,
            &[adapter.name.as_bytes()],
        );
        let key = keys.map(|it| it.of(edit::ContentHash::of(b""), b""));
        let kept = key.as_ref().and_then(|key| {
            let bytes = tool.environment.cache.get(key)?;
            let value: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
            let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
            let fits = value.get("fits")?.as_bool()?;
            Some(About { version: text("version"), fits, note: text("note") })
        });
        let about = match kept {
            Some(kept) => kept,
            None => {
                let about = self.find_out(adapter, watch)?;
                let value = serde_json::json!({
                    "version": about.version, "fits": about.fits, "note": about.note
                });
                if let Some(key) = key {
                    tool.environment.cache.put(key, value.to_string().into_bytes());
                }
                about
            }
        };
        self.about = Some(about.clone());
        Ok(about)
    }

    /// Asks the program for its version, and holds its places against a text in which they are known.
    fn find_out(&self, adapter: &Adapter, watch: &Watch<'_>) -> Result<About, LookError> {
        let mut version = self.packaged_version(adapter);
        if version.is_none()
            && let Some(invocation) = adapter.invocation(&ToolJob::Version)
        {
            let (program, access) = self.program(&invocation, PathBuf::from("/"), watch)?;
            let ran = launch::run_confined(&program, Isolation::best(), &access, watch.stop)?;
            let said = [ran.stdout, ran.stderr].concat();
            version = Version::find(&String::from_utf8_lossy(&said));
            if version.is_none() && !ran.status.is_success() {
                let said = String::from_utf8_lossy(&said);
                let last = said.lines().rev().find(|it| !it.trim().is_empty()).unwrap_or_default();
                let message = format!("does not say its version: {}", last.trim());
                return Err(LookError::new(FailureKind::Unavailable, message));
            }
        }
        let is_understood = version.is_some_and(|it| adapter.understands(it));
        let shown = version.map(|it| it.to_string());
        let name = shown.clone().unwrap_or_else(|| "an unknown version".to_owned());
        let landed = match &adapter.probe {
            Some(_) => self.probe(adapter, watch)?,
            None => Ok(()),
        };
        // Who writes whole files does not say where anything is.
        let is_placed = !matches!(adapter.kind, ToolKind::Formatter);
        let has_probe = adapter.probe.is_some();
        let (fits, note) = match (landed, is_understood) {
            (Err(why), _) => (
                false,
                Some(format!(
                    "{name}: its positions do not match the text, so its fixes are not used: {why}"
                )),
            ),
            (Ok(()), true) => (true, None),
            (Ok(()), false) if has_probe || !is_placed => (
                true,
                Some(format!("{name} is not one of the versions that regreen was tested with")),
            ),
            (Ok(()), false) => (
                false,
                Some(format!(
                    "{name} is not one of the versions that are understood, so its fixes are not used"
                )),
            ),
        };
        Ok(About { version: shown, fits, note })
    }

    /// The version that the package of a program of Node states: starting Node to be told the same takes as long as a look
    /// at many files.
    fn packaged_version(&self, adapter: &Adapter) -> Option<Version> {
        if adapter.local != LocalPrograms::Node || !self.tool.found.first.is_empty() {
            return None;
        }
        let program = &self.tool.found.install.program;
        let is_in_modules = |it: &&Path| {
            let mut above = it.ancestors().skip(1).filter_map(Path::file_name);
            let is_scope = |it: &OsStr| it.to_str().is_some_and(|it| it.starts_with('@'));
            let folder = above.next().filter(|it| !is_scope(it)).or_else(|| above.next());
            folder == Some(OsStr::new("node_modules"))
        };
        let package = program.ancestors().skip(1).take(MAX_PACKAGE_DEPTH).find(is_in_modules)?;
        let manifest = std::fs::File::open(package.join("package.json")).ok()?;
        let mut bytes = Vec::new();
        manifest.take(MAX_MANIFEST).read_to_end(&mut bytes).ok()?;
        let manifest: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
        // Another package may bring the program of a tool, and has versions of its own.
        manifest.get("name")?.as_str().filter(|it| adapter.signs.packages.contains(it))?;
        Version::find(manifest.get("version")?.as_str()?)
    }

    /// What the tool says about its probe, held against what it should.
    fn probe(&self, adapter: &Adapter, watch: &Watch<'_>) -> Result<Result<(), String>, LookError> {
        let Some(probe) = &adapter.probe else { return Ok(Ok(())) };
        let unavailable =
            |error: std::io::Error| LookError::new(FailureKind::Unavailable, error.to_string());
        let folder = tempfile::Builder::new()
            .prefix("regreen-probe-")
            .tempdir_in(self.tool.environment.place())
            .map_err(unavailable)?;
        let root = std::fs::canonicalize(folder.path()).map_err(unavailable)?;
        let mut entries = BTreeMap::new();
        let mut first = None;
        for (name, text) in probe.files {
            let Ok(path) = RelPath::parse(name) else { continue };
            let at = root.join(name);
            if let Some(parent) = at.parent() {
                std::fs::create_dir_all(parent).map_err(unavailable)?;
            }
            std::fs::write(at, text).map_err(unavailable)?;
            entries.insert(path.clone(), Entry::File(File::new(Text::new(*text), 0o644)));
            first.get_or_insert(path);
        }
        let (Ok(snapshot), Some(first)) = (Snapshot::new(entries), first) else {
            return Ok(Err("the probe is not a tree".to_owned()));
        };
        let view = self.tool.environment.view_of(&root, snapshot.clone());
        let view = view.map_err(|error| unavailable(std::io::Error::other(error.to_string())))?;
        let files = [first];
        let watch = Watch { snapshot: &snapshot, ..*watch };
        let Some(invocation) = adapter.invocation(&ToolJob::Check { files: &files }) else {
            return Ok(Ok(()));
        };
        let output = self.run(&view, &invocation, None, &[], &watch)?;
        let place = view.place(invocation.writes);
        let texts = Texts::new(&snapshot, &place.to_string_lossy());
        Ok(match adapter.parse(&output, &texts) {
            Ok(report) => probe.judge(&report),
            Err(error) => Err(error.to_string()),
        })
    }
}
