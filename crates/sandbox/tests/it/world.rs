//! A small world around a job: what it may write, what it must not touch, a secret, and who listens.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sandbox::{Ended, Job, Limits, SandboxError, SandboxLevel, Tick};
use tempfile::TempDir;

/// What no job may ever print.
pub(crate) const SECRET: &str = "the-word-that-nobody-may-read";

static WORLDS: AtomicU32 = AtomicU32::new(0);

pub(crate) struct World {
    _home: TempDir,
    pub(crate) root: PathBuf,
    /// In the environment of every process of the world's jobs, and of no other one.
    pub(crate) tag: String,
    tcp: TcpListener,
    udp: UdpSocket,
    stream: UnixListener,
    datagrams: UnixDatagram,
}

impl World {
    /// ```text
    /// root/secret  root/file  root/stream  root/datagrams       out of reach
    /// root/job/kept  root/job/tool                              readable: the job starts in root/job
    /// root/job/scope/inside  root/job/scope/out -> ../..        writable
    /// ```
    pub(crate) fn new() -> World {
        // Not in /tmp: there a job may have a place of its own instead.
        World::within(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    pub(crate) fn within(place: &Path) -> World {
        let home = tempfile::tempdir_in(place).unwrap();
        let root = fs::canonicalize(home.path()).unwrap();
        fs::create_dir_all(root.join("job/scope")).unwrap();
        for (name, text) in [
            ("secret", SECRET),
            ("file", "outside"),
            ("job/kept", "kept"),
            ("job/scope/inside", "in"),
        ] {
            fs::write(root.join(name), text).unwrap();
        }
        symlink("../..", root.join("job/scope/out")).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let stream = UnixListener::bind(root.join("stream")).unwrap();
        let datagrams = UnixDatagram::bind(root.join("datagrams")).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        stream.set_nonblocking(true).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let tag = format!("{}-{}", std::process::id(), WORLDS.fetch_add(1, Ordering::Relaxed));
        World { _home: home, root, tag, tcp, udp, stream, datagrams }
    }

    /// A shell script as a job that may write `scope`.
    pub(crate) fn job(&self, script: &str) -> Job {
        let variables = [
            ("PATH", "/usr/bin:/bin".to_owned()),
            ("ROOT", self.root.display().to_string()),
            ("CALLER", std::process::id().to_string()),
            ("TCP", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP", self.udp.local_addr().unwrap().port().to_string()),
            ("WORLD", self.tag.clone()),
        ];
        Job {
            program: "sh".into(),
            args: vec!["-c".into(), script.into()],
            directory: self.root.join("job"),
            writable: vec![self.root.join("job/scope")],
            readable: Vec::new(),
            overlay: None,
            environment: variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            stdin: Vec::new(),
            network: false,
            limits: Limits {
                time: Duration::from_secs(60),
                memory: 256 << 20,
                output: 16 << 10,
                output_total: 32 << 20,
                disk: 4 << 20,
                processes: 64,
            },
        }
    }

    /// Whether anybody reached one of the listeners.
    pub(crate) fn was_reached(&self) -> bool {
        let mut buffer = [0; 16];
        let quiet = |result: Result<(), std::io::Error>| {
            result.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
        };
        !(quiet(self.tcp.accept().map(drop))
            && quiet(self.udp.recv(&mut buffer).map(drop))
            && quiet(self.stream.accept().map(drop))
            && quiet(self.datagrams.recv(&mut buffer).map(drop)))
    }

    /// Everything outside of the scope: kind, mode, owner, time and content of each entry.
    pub(crate) fn outside(&self) -> BTreeMap<PathBuf, String> {
        let mut seen = BTreeMap::new();
        let mut waiting = vec![self.root.clone()];
        while let Some(path) = waiting.pop() {
            let about = fs::symlink_metadata(&path).unwrap();
            let content = if about.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let facts = (
                about.permissions().mode(),
                about.uid(),
                about.mtime(),
                about.mtime_nsec(),
                about.nlink(),
            );
            seen.insert(path.clone(), format!("{facts:?} {content:?}"));
            if about.is_dir() && path != self.root.join("job/scope") {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        // What happens in the scope may show on the directory itself.
        seen.remove(&self.root.join("job/scope"));
        seen
    }

    /// Processes of this world's jobs that are alive, found by their environment.
    pub(crate) fn alive(&self) -> Vec<String> {
        let mark = format!("WORLD={}", self.tag);
        let holds_mark = |environment: Vec<u8>| {
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        };
        let entries = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
        let marked =
            entries.filter(|process| fs::read(process.join("environ")).is_ok_and(holds_mark));
        marked.map(|process| fs::read_to_string(process.join("stat")).unwrap_or_default()).collect()
    }
}

pub(crate) fn run(job: &Job, level: SandboxLevel) -> Result<Ended, SandboxError> {
    sandbox::run(job, level, &mut || Tick::Continue)
}

#[track_caller]
pub(crate) fn need(level: SandboxLevel) {
    if let Err(error) = sandbox::probe(level) {
        panic!("these tests need the sandbox level `{level}`: {error}");
    }
}

/// The tests lean on these programs; without them a job would fail for the wrong reason.
#[track_caller]
pub(crate) fn need_programs(programs: &[&str]) {
    for program in programs {
        assert!(
            Path::new("/usr/bin").join(program).exists(),
            "these tests need /usr/bin/{program}"
        );
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One test of this binary, as a process of its own.
pub(crate) fn this_test(name: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture"]);
    command
}
