//! What programs see of a tree, and what it costs to go from one snapshot to the next.

use check::Stop;
use launch::{Capture, SandboxLevel, TreeExposure, TreeView, WrittenChanges, Wrote};
use proptest::prelude::*;
use snapshot::{Entry, RelPath, Snapshot};

use super::world::{World, file, isolation, path, text};

/// The changes as lines.
pub(crate) fn shown(changes: &WrittenChanges) -> String {
    let mut lines = String::new();
    for (path, wrote) in &changes.paths {
        let line = match wrote {
            Wrote::File { bytes, .. } => format!("{path} = {}\n", text(bytes).replace('\n', "\\n")),
            Wrote::Link { target } => format!("{path} -> {}\n", target.display()),
            Wrote::Deleted => format!("{path} deleted\n"),
            _ => format!("{path} other\n"),
        };
        lines.push_str(&line);
    }
    lines + &"unnameable\n".repeat(changes.unnameable.len())
}

/// Every file and link of the tree as a program sees it.
const LIST: &str = r#"find . -name node_modules -prune -o \( -type f -o -type l \) -print | LC_ALL=C sort | while read -r it; do
    if [ -L "$it" ]; then echo "$it -> $(readlink "$it")"; else echo "$it = $(cat "$it")"; fi; done"#;

#[track_caller]
fn sees(world: &World, view: &TreeView) -> String {
    let program = world.program(LIST);
    let output = view.run(&program, &world.access(), &Stop::new()).unwrap();
    std::fs::remove_file(&program.path).unwrap();
    assert_eq!(text(&output.stderr), "");
    text(&output.stdout)
}

/// What a program must see: the snapshot, and the ignored file if its folder is one.
fn expected(snapshot: &Snapshot, is_mirror: bool, root: &std::path::Path) -> String {
    let mut lines: Vec<(String, String)> = snapshot
        .iter()
        .filter(|(path, _)| !path.as_str().starts_with("node_modules/"))
        .filter_map(|(path, entry)| match entry {
            Entry::File(file) => {
                Some((format!("./{path}"), format!("= {}", text(file.text().bytes()).trim_end())))
            }
            Entry::Link { target } => Some((format!("./{path}"), format!("-> {target}"))),
            _ => None,
        })
        .collect();
    if !snapshot.has(&path("src/ignored.txt")) {
        let real = root.join("src/ignored.txt");
        let line =
            if is_mirror { format!("-> {}", real.display()) } else { "= ignored".to_owned() };
        lines.push(("./src/ignored.txt".to_owned(), line));
    }
    lines.sort();
    lines.into_iter().map(|(path, line)| format!("{path} {line}\n")).collect()
}

fn steps(world: &World) -> Vec<Snapshot> {
    let disk = world.disk();
    let edited = disk.clone().with([(path("a.txt"), file("edited"))]).unwrap();
    let more = edited
        .clone()
        .with([(path("new/deep/d.txt"), file("d")), (path("src/e.txt"), file("e"))])
        .unwrap();
    let fewer = more.clone().without([&path("src/b.txt"), &path("new/deep/d.txt"), &path("link")]);
    let link = Entry::Link { target: "src/c.txt".to_owned() };
    let linked = fewer.clone().without([&path("a.txt")]).with([(path("a.txt"), link)]).unwrap();
    let folder =
        linked.clone().without([&path("a.txt")]).with([(path("a.txt/b/c"), file("c"))]).unwrap();
    // A link that leads out of the tree, then files that would lie behind it.
    let out = Entry::Link { target: "../user".to_owned() };
    let leads_out = folder.clone().with([(path("way"), out)]).unwrap();
    let behind = leads_out.clone().without([&path("way")]);
    let behind =
        behind.with([(path("way/.ssh/id"), file("i")), (path("way/.ssh/x"), file("x"))]).unwrap();
    // A file in a folder that is ignored, and one that was.
    let inside = behind.clone().with([(path("node_modules/tool/new.js"), file("n"))]).unwrap();
    let taken = inside.clone().with([(path("src/ignored.txt"), file("ignored"))]).unwrap();
    vec![disk.clone(), edited, more, fewer, linked, folder, leads_out, behind, inside, taken, disk]
}

fn follow(level: SandboxLevel) {
    let world = World::new();
    let isolation = isolation(level);
    let before = world.state();
    let mut view = world.view(&isolation);
    for (nth, snapshot) in steps(&world).iter().enumerate() {
        view.show(snapshot).unwrap();
        let is_mirror = view.sight() == TreeExposure::Mirror;
        assert_eq!(
            sees(&world, &view),
            expected(snapshot, is_mirror, &world.root()),
            "{level}: step {nth}"
        );
        assert_eq!(world.state(), before, "{level}: step {nth}");
    }
}

#[test]
fn a_view_follows_snapshots_at_landlock() {
    follow(SandboxLevel::Landlock);
}

#[test]
fn a_view_follows_snapshots_unconfined() {
    follow(SandboxLevel::Unconfined);
}

#[cfg(feature = "live")]
#[test]
fn a_view_follows_snapshots_at_bubblewrap() {
    follow(SandboxLevel::Bubblewrap);
}

#[cfg(feature = "live")]
#[test]
fn a_view_follows_snapshots_as_an_ordinary_user() {
    let name = "it::view::a_view_follows_snapshots_as_an_ordinary_user";
    super::world::as_nobody(name, || follow(SandboxLevel::Bubblewrap));
}

#[test]
fn how_a_tree_is_seen_depends_on_what_it_takes() {
    let check = |level, differs, expected| {
        let world = World::new();
        let mut view = world.view(&isolation(level));
        if differs {
            view.show(&world.disk().without([&path("a.txt")])).unwrap();
        }
        assert_eq!(view.sight(), expected, "{level}, differs: {differs}");
    };
    check(SandboxLevel::Landlock, false, TreeExposure::Real);
    check(SandboxLevel::Landlock, true, TreeExposure::Mirror);
    check(SandboxLevel::Unconfined, false, TreeExposure::Mirror);
    if cfg!(feature = "live") {
        check(SandboxLevel::Bubblewrap, false, TreeExposure::Real);
        check(SandboxLevel::Bubblewrap, true, TreeExposure::Overlay);
    }
}

/// Only what changed is written, however large the tree is.
#[test]
fn keeping_in_step_costs_what_changed() {
    let mut levels = vec![SandboxLevel::Landlock];
    if cfg!(feature = "live") {
        levels.push(SandboxLevel::Bubblewrap);
    }
    for level in levels {
        let world = World::new();
        let mut view = world.view(&isolation(level));
        let many = (0..500).map(|nth| (path(&format!("many/{nth}")), file("m")));
        let first = world.disk().with(many).unwrap();
        view.show(&first).unwrap();
        sees(&world, &view);
        let second = first.clone().with([(path("many/7"), file("other"))]).unwrap();
        let counts = [&second, &second, &first, &first].map(|it| view.show(it).unwrap());
        // A file of the layer is removed and written; a mirror counts the path once.
        assert!(counts[0] <= 2 && counts[2] <= 2, "{level}: {counts:?}");
        assert_eq!((counts[1], counts[3]), (0, 0), "{level}: {counts:?}");
    }
}

/// Two programs that rewrite at once see and tell only their own writes.
#[cfg(feature = "live")]
#[test]
fn rewriters_at_once_do_not_meet() {
    let world = World::new();
    let view = world.view(&isolation(SandboxLevel::Bubblewrap));
    let capture = || Capture { wants: &|_| true, max_entries: 100, max_bytes: 1000 };
    std::thread::scope(|threads| {
        let runs: Vec<_> = (0..4)
            .map(|nth| {
                let (world, view) = (&world, &view);
                threads.spawn(move || {
                    let script =
                        format!("sleep 0.1; ls | wc -l; echo {nth} >a.txt; echo {nth} >new{nth}");
                    let program = world.program(&script);
                    let capture = capture();
                    view.run_rewriting(&program, &world.access(), &capture, &Stop::new()).unwrap()
                })
            })
            .collect();
        for (nth, run) in runs.into_iter().enumerate() {
            let (output, changes) = run.join().unwrap();
            assert_eq!(text(&output.stdout).trim(), "5");
            assert_eq!(shown(&changes), format!("a.txt = {nth}\\n\nnew{nth} = {nth}\\n\n"));
        }
    });
}

/// What is not wanted is neither read nor told.
#[test]
fn a_capture_is_for_what_is_wanted() {
    let world = World::new();
    let view = world.view(&isolation(SandboxLevel::Landlock));
    let wants = |path: &RelPath| path.extension() == Some("txt");
    let capture = Capture { wants: &wants, max_entries: 100, max_bytes: 10 };
    let program = world
        .program("mkdir .cache; head -c 99999 /dev/zero >.cache/big; echo x >a.txt; rm run.sh");
    let (_, changes) =
        view.run_rewriting(&program, &world.access(), &capture, &Stop::new()).unwrap();
    assert_eq!(shown(&changes), "a.txt = x\\n\n");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the order of snapshots, a program sees the last one.
    #[test]
    fn a_view_shows_the_last_snapshot(order in proptest::collection::vec(0..11_usize, 1..5)) {
        let level = if cfg!(feature = "live") { SandboxLevel::Bubblewrap } else { SandboxLevel::Landlock };
        let world = World::new();
        let mut view = world.view(&isolation(level));
        let steps = steps(&world);
        for nth in &order {
            view.show(&steps[*nth]).unwrap();
        }
        let is_mirror = view.sight() == TreeExposure::Mirror;
        let last = &steps[*order.last().unwrap()];
        prop_assert_eq!(sees(&world, &view), expected(last, is_mirror, &world.root()));
    }
}
