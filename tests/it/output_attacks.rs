//! `--output` writes to what is there: every kind of thing that can stand at a path, every way that a link can lead.
//!
//! Devices are nodes of our own, never those of the machine, and open descriptors are reached through `/proc`, where
//! nothing can be replaced: a defect here must not damage who runs the tests.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode};

use super::support::Scene;

/// The old contents of every file.
const OLD: &str = "old\n";

/// What comes of a row.
enum Expected {
    /// The file has the result and this mode; links stay, everything else is as it was.
    Written(&'static str, u32),
    /// Exit 3, the message has this in it, and nothing is different.
    Refused(&'static str),
    /// The device or FIFO got it and stands as before.
    Streamed(&'static str),
    /// It went to standard output.
    Stdout,
}
use Expected::*;

/// What stands there, what is named, what comes of it. In the first column, separated by `;`: `dir PATH`, `file PATH MODE`,
/// `link PATH TARGET`, `hard PATH NAME`, `fifo PATH`, `null PATH`, `full PATH`, `socket PATH`. `$T` is the folder.
const TABLE: &[(&str, &str, Expected)] = &[
    // Regular files.
    ("", "new", Written("new", 0o644)),
    ("", "$T/new", Written("new", 0o644)),
    ("", "ws/new", Written("ws/new", 0o644)),
    ("file a 640", "a", Written("a", 0o640)),
    ("file a 755", "a", Written("a", 0o755)),
    ("file a 600", "./a", Written("a", 0o600)),
    ("file a 666", "a", Written("a", 0o666)),
    ("file a 644; hard a b", "a", Written("a", 0o644)),
    ("file ws/a 644", "ws/a", Written("ws/a", 0o644)),
    ("dir ws/sub", "ws/sub/../../a", Written("a", 0o644)),
    ("dir d; file d/a 640", "ws/../d/a", Written("d/a", 0o640)),
    // Links that nobody shipped.
    ("file a 640; link l a", "l", Written("a", 0o640)),
    ("file a 640; link l $T/a", "l", Written("a", 0o640)),
    ("file a 640; link l m; link m a", "l", Written("a", 0o640)),
    ("link l a", "l", Written("a", 0o644)),
    ("dir d; link l d/a", "l", Written("d/a", 0o644)),
    ("dir d; link e d", "e/a", Written("d/a", 0o644)),
    ("link l ws/a", "l", Written("ws/a", 0o644)),
    ("file ws/a 600; link l $T/ws/a", "l", Written("ws/a", 0o600)),
    // Links in the workspace that stay in it.
    ("file ws/a 640; link ws/l a", "ws/l", Written("ws/a", 0o640)),
    ("link ws/l a", "ws/l", Written("ws/a", 0o644)),
    ("file ws/a 640; link ws/l $T/ws/a", "ws/l", Written("ws/a", 0o640)),
    ("dir ws/d; link ws/e d", "ws/e/a", Written("ws/d/a", 0o644)),
    ("dir ws/d; link ws/d/up ..", "ws/d/up/a", Written("ws/a", 0o644)),
    ("file ws/a 640; link ws/l ../ws/a", "ws/l", Written("ws/a", 0o640)),
    ("dir ws/d; link ws/e d", "ws/e/../../a", Written("a", 0o644)),
    // Links in the workspace that lead out of it.
    ("file a 644; link ws/l ../a", "ws/l", Refused("ws/l is a link in the workspace")),
    ("file a 644; link ws/l $T/a", "ws/l", Refused("ws/l is a link in the workspace")),
    ("link ws/l ../a", "ws/l", Refused("ws/l is a link in the workspace")),
    ("file a 644; link ws/l m; link ws/m ../a", "ws/l", Refused("ws/m is a link")),
    ("dir ws/d; link ws/e d; link ws/d/l ../../a", "ws/e/l", Refused("ws/d/l is a link")),
    ("dir d; link ws/e ../d", "ws/e/a", Refused("ws/e is a link")),
    ("dir d; file d/a 644; link ws/e $T/d", "ws/e/a", Refused("ws/e is a link")),
    ("link ws/up ..", "ws/up/ws/a", Refused("ws/up is a link")),
    ("link ws/top /", "ws/top$T/a", Refused("ws/top is a link")),
    ("link l ws/m; link ws/m ../a", "l", Refused("ws/m is a link")),
    ("link l ../$N/ws/m; link ws/m $T/ws/n; link ws/n ../a", "l", Refused("ws/n is a link")),
    ("link m a; link ws/l ../m", "ws/l", Refused("ws/l is a link")),
    ("dir ws/d; link ws/d/x ../../d; dir d", "ws/d/../d/x/a", Refused("ws/d/x is a link")),
    ("link ws/l /proc/self/fd/1", "ws/l", Refused("ws/l is a link")),
    ("link ws/l /proc/self/cwd/a", "ws/l", Refused("ws/l is a link")),
    ("fifo p; link ws/l ../p", "ws/l", Refused("ws/l is a link")),
    ("null n; link ws/l ../n", "ws/l", Refused("ws/l is a link")),
    // What cannot be written.
    ("dir d", "d", Refused("it is a folder")),
    ("", ".", Refused("it is a folder")),
    ("", "ws/..", Refused("it is a folder")),
    ("dir d; link l d", "l", Refused("it is a folder")),
    ("", "d/", Refused("it is a folder")),
    ("file a 644", "a/", Refused("it is a folder")),
    ("", "d/a", Refused("does not exist")),
    ("", "d/../a", Refused("does not exist")),
    ("link l d/a", "l", Refused("does not exist")),
    ("file d 644", "d/a", Refused("Not a directory")),
    ("link l m; link m l", "l", Refused("Too many levels")),
    ("link l l/a", "l", Refused("Too many levels")),
    ("", "$LONG", Refused("File name too long")),
    ("full f", "f", Refused("No space left")),
    // What is written to.
    ("fifo p", "p", Streamed("p")),
    ("fifo ws/p", "ws/p", Streamed("ws/p")),
    ("fifo p; link l p", "l", Streamed("p")),
    ("null n", "n", Streamed("n")),
    ("null n; link l n", "l", Streamed("n")),
    ("null ws/n", "ws/n", Streamed("ws/n")),
    ("socket s", "s", Streamed("s")),
    ("socket s; link l s", "l", Streamed("s")),
    ("", "/proc/self/fd/1", Stdout),
    ("", "/proc/thread-self/fd/1", Stdout),
    ("link l /proc/self/fd/1", "l", Stdout),
    ("link d /proc/self/fd", "d/1", Stdout),
];

/// What must be kept open while a row runs.
#[derive(Default)]
struct Stands {
    fifos: BTreeMap<String, fs::File>,
    sockets: BTreeMap<String, UnixListener>,
}

fn filled(scene: &Scene, text: &str) -> String {
    let folder = scene.path("");
    let folder = folder.to_str().unwrap().trim_end_matches('/');
    let name = folder.rsplit('/').next().unwrap();
    text.replace("$T", folder).replace("$N", name).replace("$LONG", &"x".repeat(256))
}

/// `None` if this user may not make it.
fn stand(scene: &Scene, setup: &str) -> Option<Stands> {
    let mut stands = Stands::default();
    for line in setup.split(';').map(str::trim).filter(|it| !it.is_empty()) {
        let line = filled(scene, line);
        let words: Vec<&str> = line.split(' ').collect();
        let path = scene.path(words[1]);
        match words[0] {
            "dir" => fs::create_dir_all(path).unwrap(),
            "file" => {
                scene.write(words[1], OLD);
                let mode = u32::from_str_radix(words[2], 8).unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
            }
            "link" => symlink(words[2], path).unwrap(),
            "hard" => fs::hard_link(path, scene.path(words[2])).unwrap(),
            "fifo" => {
                let mode = Mode::from_raw_mode(0o644);
                rustix::fs::mknodat(CWD, &path, FileType::Fifo, mode, 0).unwrap();
                // Open for both, nothing waits for the other side.
                let flags = rustix::fs::OFlags::NONBLOCK.bits();
                let flags = i32::try_from(flags).unwrap();
                let open =
                    fs::OpenOptions::new().read(true).write(true).custom_flags(flags).open(path);
                stands.fifos.insert(words[1].to_owned(), open.unwrap());
            }
            "socket" => {
                stands.sockets.insert(words[1].to_owned(), UnixListener::bind(path).unwrap());
            }
            device => {
                let minor = if device == "null" { 3 } else { 7 };
                let (mode, number) = (Mode::from_raw_mode(0o666), rustix::fs::makedev(1, minor));
                rustix::fs::mknodat(CWD, &path, FileType::CharacterDevice, mode, number).ok()?;
                // Where a folder is mounted without devices, they can be made and not used.
                fs::OpenOptions::new().write(true).open(&path).ok()?;
            }
        }
    }
    Some(stands)
}

/// Every path with what it is, who owns it and what is in it.
fn tree(scene: &Scene) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![scene.path("")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let kind = meta.file_type();
            let contents = if kind.is_file() {
                String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()
            } else if kind.is_symlink() {
                fs::read_link(&path).unwrap().display().to_string()
            } else {
                String::new()
            };
            let (mode, ino) = (meta.mode(), if kind.is_file() { 0 } else { meta.ino() });
            found.insert(path.clone(), format!("{mode:o} {} {ino} {contents}", meta.uid()));
            if kind.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

const LINE: &str = "schema edits --root ws --output ";

#[track_caller]
fn check(setup: &str, output: &str, expected: &Expected) {
    let scene = Scene::new("");
    let report = scene.run("schema edits").stdout;
    let Some(mut stands) = stand(&scene, setup) else { return };
    let mut before = tree(&scene);
    let ran = scene.run(&format!("{LINE}{}", filled(&scene, output)));
    let mut after = tree(&scene);
    let what = format!("{setup} -> {output}: {}", ran.text());
    if matches!(expected, Refused(_)) {
        assert_eq!(ran.code, 3, "{what}");
    } else {
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{what}");
    }
    match expected {
        Written(file, mode) => {
            let path = scene.path(file);
            let meta = fs::symlink_metadata(&path).unwrap();
            assert_eq!(meta.mode() & 0o7777, *mode, "{what}");
            assert_eq!(fs::read_to_string(&path).unwrap(), report, "{what}");
            before.remove(&path);
            after.remove(&path);
        }
        Refused(part) => assert!(ran.stderr.contains(part), "{what}"),
        Streamed(name) => {
            let mut got = Vec::new();
            if let Some(fifo) = stands.fifos.get_mut(*name) {
                let _ = fifo.read_to_end(&mut got); // Ends with `WouldBlock`.
                assert_eq!(String::from_utf8_lossy(&got), report, "{what}");
            } else if let Some(listener) = stands.sockets.get(*name) {
                listener.set_nonblocking(true).unwrap();
                listener.accept().unwrap().0.read_to_end(&mut got).unwrap();
                assert_eq!(String::from_utf8_lossy(&got), report, "{what}");
            }
            let kind = fs::symlink_metadata(scene.path(name)).unwrap().file_type();
            assert!(kind.is_fifo() || kind.is_socket() || kind.is_char_device(), "{what}");
        }
        Stdout => assert_eq!(ran.stdout, report, "{what}"),
    }
    assert_eq!(before, after, "{what}");
}

#[test]
fn output_writes_to_what_is_there() {
    assert!(TABLE.len() > 60);
    for (setup, output, expected) in TABLE {
        check(setup, output, expected);
    }
}

/// The refusal says what to do, and its code is one that programs can tell.
#[test]
fn a_link_that_leads_out_is_named_with_a_way_on() {
    let scene = Scene::new("//- a\nold\n//- ws/app.yaml\na: 1\n");
    symlink("../a", scene.path("ws/l")).unwrap();
    let ran = scene.run("check --format json --output ws/l");
    assert_eq!((ran.code, scene.read("a").as_str()), (3, OLD), "{}", ran.text());
    assert!(ran.stderr.contains("help: remove the link, or name the file"), "{}", ran.text());
    assert_eq!(ran.json()["error"]["code"], "outside_root");
    // A root that is reached through a link is the same root.
    symlink("ws", scene.path("root")).unwrap();
    let ran = scene.run("check --root root --output root/l");
    assert_eq!((ran.code, scene.read("a").as_str()), (3, OLD), "{}", ran.text());
    assert_eq!(scene.run("check --output a").code, 0);
}

/// An open descriptor is written to where it stands: a file is neither replaced nor begun anew.
#[test]
fn an_open_descriptor_is_written_to_at_its_end() {
    let scene = Scene::new("//- log\nold\n");
    let report = scene.run("schema edits").stdout;
    for (redirect, output) in [(">>", "/proc/self/fd/1"), ("3>>", "/proc/self/fd/3")] {
        scene.write("log", OLD);
        let before = fs::metadata(scene.path("log")).unwrap().ino();
        let binary = env!("CARGO_BIN_EXE_regreen");
        let line = format!("exec {binary} schema edits --root ws --output {output} {redirect}log");
        let mut command = std::process::Command::new("sh");
        let status = command.args(["-c", &line]).current_dir(scene.path("")).status().unwrap();
        assert!(status.success(), "{line}");
        assert_eq!(scene.read("log"), format!("{OLD}{report}"), "{line}");
        assert_eq!(fs::metadata(scene.path("log")).unwrap().ino(), before, "{line}");
    }
}

/// A reader that goes away is not an error, and one that comes late is waited for.
#[test]
fn a_fifo_waits_for_its_reader() {
    let scene = Scene::new("");
    let path = scene.path("p");
    rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let mut command = scene.command(&format!("{LINE}p"), &[]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let read = fs::read_to_string(&path).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(read, scene.run("schema edits").stdout);
}

/// A disk that is full, or a limit: the file that was there is there, and nothing beside it.
#[test]
fn what_does_not_fit_leaves_the_old_file() {
    let scene = Scene::new("//- a\nold\n");
    let before = tree(&scene);
    let binary = env!("CARGO_BIN_EXE_regreen");
    for output in ["a", "new"] {
        let line = format!(
            "trap '' XFSZ; ulimit -f 0; exec {binary} schema edits --root ws --output {output}"
        );
        let mut command = std::process::Command::new("sh");
        let ran = command.args(["-c", &line]).current_dir(scene.path("")).output().unwrap();
        let stderr = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(3), "{stderr}");
        assert!(
            stderr.contains(&format!("cannot write {}", scene.path(output).display())),
            "{stderr}"
        );
        assert_eq!(tree(&scene), before);
    }
}

/// A name that a process of the same number left behind is stepped over.
#[test]
fn a_stray_temporary_file_is_in_nobodys_way() {
    let scene = Scene::new("");
    // The number of the next process is close to that of the last one; all of them are taken.
    let line = format!(
        "for n in 0 1 2; do echo stray > .regreen-output-$$-$n.tmp; done; exec {} schema edits --root ws --output a",
        env!("CARGO_BIN_EXE_regreen")
    );
    let mut command = std::process::Command::new("sh");
    let status = command.args(["-c", &line]).current_dir(scene.path("")).status().unwrap();
    assert!(status.success());
    assert_eq!(scene.read("a"), scene.run("schema edits").stdout);
    let strays =
        tree(&scene).keys().filter(|it| it.extension().is_some_and(|it| it == "tmp")).count();
    assert_eq!(strays, 3, "they belong to somebody else");
}

const NOBODY: u32 = 65534;

/// Runs as somebody who owns nothing; `None` if that is not possible here.
fn run_as_nobody(scene: &Scene, output: &str) -> Option<(i32, String)> {
    let is_root = fs::metadata("/proc/self").ok()?.uid() == 0;
    let binary = Path::new(env!("CARGO_BIN_EXE_regreen"));
    let is_open = |it: &Path| fs::metadata(it).is_ok_and(|it| it.mode() & 0o001 != 0);
    if !is_root || !binary.ancestors().all(is_open) {
        return None;
    }
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(scene.path(""), open).unwrap();
    let mut command = scene.command(&format!("{LINE}{output}"), &[]);
    let ran = command.uid(NOBODY).gid(NOBODY).output().unwrap();
    Some((ran.status.code().unwrap_or(-1), String::from_utf8_lossy(&ran.stderr).into_owned()))
}

/// What the user may not write is not replaced either, although the folder would allow it.
#[test]
fn what_the_user_may_not_write_stays() {
    let scene = Scene::new("//- open/mine\nold\n//- closed/theirs\nold\n//- open/theirs\nold\n");
    std::os::unix::fs::chown(scene.path("open"), Some(0), None).ok();
    for (path, mode) in [("open", 0o777), ("open/mine", 0o666), ("closed/theirs", 0o666)] {
        fs::set_permissions(scene.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }
    let before = tree(&scene);
    for output in ["open/theirs", "closed/theirs", "closed/new", "new"] {
        let Some((code, stderr)) = run_as_nobody(&scene, output) else { return };
        assert_eq!(code, 3, "{output}: {stderr}");
        assert!(stderr.contains("Permission denied"), "{output}: {stderr}");
        assert!(stderr.contains("help: "), "{output}: {stderr}");
        assert_eq!(tree(&scene), before, "{output}");
    }
    // Whoever may write a file of somebody else and its folder replaces it, and becomes its owner.
    let (code, stderr) = run_as_nobody(&scene, "open/mine").unwrap();
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(fs::metadata(scene.path("open/mine")).unwrap().uid(), NOBODY);
}

/// The administrator leaves files to those who own them.
#[test]
fn the_owner_of_a_file_stays() {
    let scene = Scene::new("//- a\nold\n");
    if std::os::unix::fs::chown(scene.path("a"), Some(NOBODY), Some(NOBODY)).is_err() {
        return; // Only the administrator can.
    }
    fs::set_permissions(scene.path("a"), fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(scene.run(&format!("{LINE}a")).code, 0);
    let meta = fs::metadata(scene.path("a")).unwrap();
    assert_eq!((meta.uid(), meta.gid(), meta.mode() & 0o777), (NOBODY, NOBODY, 0o640));
}

/// Every other place that a user names is written in the same way.
#[test]
fn other_outputs_keep_to_the_same_rules() {
    let files = "//- a\nold\n//- ws/main.clank\nfn main() -> IO + Unit { println(\"hi\") }\n";
    let lines = [
        ("link ws/o ../d; dir d", "build --out-dir ws/o", "ws/o is a link"),
        ("link ws/o ../d", "build --out-dir ws/o/sub", "ws/o is a link"),
        ("link ws/o ../d/e; dir d", "build --out-dir ws/o", "ws/o is a link"),
        ("dir ws/o; link ws/o/main.ts ../main.clank", "build --out-dir ws/o", "main.ts is a link"),
        ("dir d; link d/main.ts ../a", "build --out-dir d", "main.ts is a link"),
        ("dir d; link ws/dist ../d", "build", "dist is a link"),
        ("dir ws/src; link ws/dist src", "build", "dist is a link"),
        ("link ws/o ../a", "build --out-dir out --fixes-json ws/o", "ws/o is a link"),
        ("link ws/o ../a", "build --out-dir out --fixes-diff ws/o", "ws/o is a link"),
        ("link ws/o ../a", "compile ws/main.clank --output ws/o", "ws/o is a link"),
        ("link ws/o ../a", "completions bash --root ws --output ws/o", "ws/o is a link"),
        ("link ws/o ../d; dir d", "dds export ws/o", "ws/o is a link"),
    ];
    for (setup, line, part) in lines {
        let scene = Scene::new(files);
        stand(&scene, setup).unwrap();
        let before = tree(&scene);
        let ran = scene.run(line);
        assert_eq!(ran.code, 3, "{line}: {}", ran.text());
        assert!(ran.stderr.contains(part), "{line}: {}", ran.text());
        let mut after = tree(&scene);
        // The registry is opened before anything is exported.
        after.retain(|path, _| !path.starts_with(scene.path("home")));
        assert_eq!(before, after, "{line}");
    }
    // And where nothing is in the way, they work, on FIFOs too.
    let scene = Scene::new(files);
    stand(&scene, "dir d; link o d").unwrap();
    let ran = scene.run("build --out-dir o/deep/er");
    assert_eq!(ran.code, 0, "{}", ran.text());
    assert!(scene.path("d/deep/er/main.ts").is_file());
}

/// Somebody swaps files and folders for links that lead out, again and again, while outputs are written: whatever comes of each
/// run, nothing outside is touched.
#[test]
fn a_link_that_is_swapped_in_leads_nowhere() {
    let scene = Scene::new("//- victim\nold\n//- outside/kept\nold\n//- ws/x\nold\n");
    fs::create_dir(scene.path("ws/d")).unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let exchange = |left: &str, right: &str| {
        let flags = rustix::fs::RenameFlags::EXCHANGE;
        // The run may have just replaced one of them.
        let _ = rustix::fs::renameat_with(CWD, scene.path(left), CWD, scene.path(right), flags);
    };
    symlink("../victim", scene.path("ws/file-link")).unwrap();
    symlink("../outside", scene.path("ws/folder-link")).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                exchange("ws/x", "ws/file-link");
                exchange("ws/d", "ws/folder-link");
            }
        });
        for _ in 0..60 {
            for output in ["ws/x", "ws/d/new"] {
                let ran = scene.run(&format!("{LINE}{output}"));
                assert!(matches!(ran.code, 0 | 3), "{}", ran.text());
            }
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(scene.read("victim"), OLD);
    assert_eq!(fs::read_dir(scene.path("outside")).unwrap().count(), 1);
}
