//! A tree with what lies around it: configuration above, a home with a secret, a listener, and ignored files.

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use edit::Text;
use launch::{Access, Isolation, Limits, Program, SandboxLevel, TreeView};
use snapshot::{Entry, File, RelPath, Snapshot};
use tempfile::TempDir;

/// What no confined program may ever print.
pub(crate) const SECRET: &str = "the-word-that-nobody-may-read";
/// Where the tests of an ordinary user work.
pub(crate) const PLACE: &str = "LAUNCH_TEST_ORDINARY";
const NOBODY: u32 = 65534;

static WORLDS: AtomicU32 = AtomicU32::new(0);

pub(crate) struct World {
    _home: TempDir,
    pub(crate) base: PathBuf,
    /// In the environment of every process that the world's programs start, and of no other one.
    pub(crate) tag: String,
    listener: TcpListener,
}

impl World {
    /// ```text
    /// base/config                          above the root
    /// base/user/.ssh/id                    a secret
    /// base/root/{a.txt,src/b.txt,src/c.txt,run.sh,link -> a.txt}
    /// base/root/node_modules/tool/index.js  ignored, as is root/src/ignored.txt
    /// base/cache  base/place
    /// ```
    pub(crate) fn new() -> World {
        let place = std::env::var_os(PLACE)
            .map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from);
        let home = tempfile::tempdir_in(place).unwrap();
        let base = fs::canonicalize(home.path()).unwrap();
        for (name, text) in [
            ("config", SECRET),
            ("user/.ssh/id", SECRET),
            ("root/a.txt", "a\n"),
            ("root/src/b.txt", "b\n"),
            ("root/src/c.txt", "c\n"),
            ("root/run.sh", "#!/bin/sh\necho run\n"),
            ("root/node_modules/tool/index.js", "tool\n"),
            ("root/src/ignored.txt", "ignored\n"),
            ("cache/kept", "kept\n"),
            ("place/.keep", ""),
        ] {
            let path = base.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::set_permissions(base.join("root/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("a.txt", base.join("root/link")).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let number = WORLDS.fetch_add(1, Ordering::Relaxed);
        World { _home: home, base, tag: format!("{}-{number}", std::process::id()), listener }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("root")
    }

    /// The tree as it is on disk, without what is ignored.
    pub(crate) fn disk(&self) -> Snapshot {
        let names = ["a.txt", "run.sh", "src/b.txt", "src/c.txt"];
        let mut entries: BTreeMap<RelPath, Entry> = names
            .into_iter()
            .map(|name| {
                let at = self.root().join(name);
                let mode = fs::metadata(&at).unwrap().mode() & 0o777;
                (path(name), Entry::File(File::new(Text::new(fs::read(at).unwrap()), mode)))
            })
            .collect();
        entries.insert(path("link"), Entry::Link { target: "a.txt".to_owned() });
        Snapshot::new(entries).unwrap()
    }

    pub(crate) fn view(&self, isolation: &Isolation) -> TreeView {
        TreeView::new(&self.root(), self.disk(), &self.base.join("place"), isolation).unwrap()
    }

    pub(crate) fn access(&self) -> Access {
        Access { readable: Vec::new(), cache: Some(self.base.join("cache")) }
    }

    /// A shell script that starts in the root. The program is a link to the shell: a file that was just written cannot be
    /// started while another test starts something and so inherits it for a moment.
    pub(crate) fn program(&self, script: &str) -> Program {
        let link = self.base.join(format!("tool-{}", WORLDS.fetch_add(1, Ordering::Relaxed)));
        symlink("/bin/sh", &link).unwrap();
        Program::new(link, self.root())
            .args(["-c", script])
            .env("PATH", "/usr/bin:/bin")
            .env("BASE", &self.base)
            .env("ROOT", self.root())
            .env("TCP", self.listener.local_addr().unwrap().port().to_string())
            .env("WORLD", &self.tag)
            .limits(Limits {
                time: Duration::from_secs(30),
                output: 1 << 20,
                memory: 512 << 20,
                disk: Some(4 << 20),
                processes: 64,
            })
    }

    pub(crate) fn was_reached(&self) -> bool {
        self.listener.accept().is_ok()
    }

    /// Kind, rights, owner and content of everything but the cache and the view's own folder.
    pub(crate) fn state(&self) -> BTreeMap<PathBuf, String> {
        let mut seen = BTreeMap::new();
        let mut waiting = vec![self.base.clone()];
        while let Some(at) = waiting.pop() {
            let about = fs::symlink_metadata(&at).unwrap();
            let content = match () {
                () if about.is_file() => {
                    String::from_utf8_lossy(&fs::read(&at).unwrap()).into_owned()
                }
                () if about.is_symlink() => fs::read_link(&at).unwrap().display().to_string(),
                () => String::new(),
            };
            seen.insert(at.clone(), format!("{:o} {} {content}", about.mode(), about.uid()));
            let is_own = ["cache", "place"].iter().any(|it| at == self.base.join(it));
            if about.is_dir() && !is_own {
                waiting.extend(fs::read_dir(&at).unwrap().map(|it| it.unwrap().path()));
            }
        }
        seen
    }

    /// Processes that the world's programs started and that are alive, found by their environment.
    pub(crate) fn alive(&self) -> Vec<String> {
        let mark = format!("WORLD={}", self.tag);
        let is_ours =
            |environ: Vec<u8>| environ.split(|it| *it == 0).any(|it| it == mark.as_bytes());
        let entries = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        entries
            .filter(|process| fs::read(process.join("environ")).is_ok_and(is_ours))
            .map(|process| fs::read_to_string(process.join("stat")).unwrap_or_default())
            .collect()
    }
}

pub(crate) fn path(name: &str) -> RelPath {
    RelPath::parse(name).unwrap()
}

pub(crate) fn file(text: &str) -> Entry {
    Entry::File(File::new(Text::new(text), 0o644))
}

/// The level, which the tests need.
#[track_caller]
pub(crate) fn isolation(level: SandboxLevel) -> Isolation {
    match Isolation::at(level) {
        Ok(isolation) => isolation,
        Err(error) => panic!("these tests need the level `{level}`: {error}"),
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the test `name` a second time as somebody who is not root, or `test` itself if that is who runs it.
pub(crate) fn as_nobody(name: &str, test: impl FnOnce()) {
    if std::env::var_os(PLACE).is_some() || !rustix::process::getuid().is_root() {
        return test();
    }
    // The program and the place must be within reach of everybody.
    let home = tempfile::tempdir_in("/var/tmp").unwrap();
    let (program, place) = (home.path().join("it"), home.path().join("place"));
    // By another process: what this one has open for writing, a program that another test starts inherits for a moment.
    let copied = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status();
    assert!(copied.unwrap().success());
    fs::create_dir(&place).unwrap();
    chown(&place, Some(NOBODY), Some(NOBODY)).unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let ended = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"])
        .arg(&program)
        .args(["--exact", name, "--nocapture"])
        .env(PLACE, &place)
        .current_dir(Path::new("/"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = text(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}{}", text(&ended.stderr));
}
