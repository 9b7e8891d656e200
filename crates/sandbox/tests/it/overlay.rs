//! A directory with a layer over it: what a job sees there, where its writes go, and that nobody else sees either.

use std::fs;
use std::path::PathBuf;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use sandbox::{Job, Overlay, SandboxError, SandboxLevel};

use super::world::{World, run};

/// `root/job` with a layer in which `kept` is another text, `scope/inside` is gone and `new` is there.
fn covered(world: &World, script: &str, is_writable: bool) -> (Job, PathBuf) {
    // A place whose name is none that options of a mount could hold.
    let place = world.root.join("place, with:colon");
    for name in if is_writable { &["layer/scope", "upper", "work"][..] } else { &["layer/scope"] } {
        fs::create_dir_all(place.join(name)).unwrap();
    }
    fs::write(place.join("layer/kept"), "other").unwrap();
    fs::write(place.join("layer/new"), "new").unwrap();
    let gone = place.join("layer/scope/inside");
    mknodat(CWD, gone, FileType::CharacterDevice, Mode::empty(), 0).unwrap();
    let mut job = world.job(script);
    let directory = world.root.join("job");
    job.writable = if is_writable { vec![directory.clone()] } else { Vec::new() };
    job.overlay = Some(Overlay { directory, place: place.clone() });
    (job, place)
}

#[cfg(feature = "live")]
#[test]
fn both_are_seen_as_one_and_cannot_be_written() {
    let world = World::new();
    super::world::need(SandboxLevel::Bubblewrap);
    let script = "cat kept new; ls scope; (echo x >kept) 2>/dev/null || echo refused; pwd";
    let (job, _) = covered(&world, script, false);
    let before = world.outside();
    let ended = run(&job, SandboxLevel::Bubblewrap).unwrap();
    let expected = format!("othernewout\nrefused\n{}\n", world.root.join("job").display());
    assert_eq!(
        super::world::text(&ended.stdout.kept),
        expected,
        "{}",
        super::world::text(&ended.stderr.kept)
    );
    assert_eq!(ended.how, sandbox::Exit::Code(0));
    assert_eq!(world.outside(), before);
}

#[cfg(feature = "live")]
#[test]
fn what_is_written_is_in_the_upper_directory_alone() {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let world = World::new();
    super::world::need(SandboxLevel::Bubblewrap);
    let (job, place) = covered(&world, "echo more >>kept; rm new; echo b >scope/b", true);
    let before = world.outside();
    let ended = run(&job, SandboxLevel::Bubblewrap).unwrap();
    assert_eq!(ended.how, sandbox::Exit::Code(0), "{}", super::world::text(&ended.stderr.kept));
    assert!(!world.root.join("job/scope/b").exists());
    let upper = place.join("upper");
    assert_eq!(fs::read_to_string(upper.join("kept")).unwrap(), "othermore\n");
    assert_eq!(fs::read_to_string(upper.join("scope/b")).unwrap(), "b\n");
    let gone = fs::symlink_metadata(upper.join("new")).unwrap();
    assert!(gone.file_type().is_char_device() && gone.rdev() == 0);
    let own = |path: &PathBuf| path.starts_with(&place);
    let outside: Vec<_> = world.outside().into_iter().filter(|it| !own(&it.0)).collect();
    let before: Vec<_> = before.into_iter().filter(|it| !own(&it.0)).collect();
    assert_eq!(outside, before);
}

#[cfg(feature = "live")]
#[test]
fn what_is_written_counts_as_disk() {
    let world = World::new();
    let (job, _) = covered(&world, "while :; do head -c 99999 /dev/zero >>fill; done", true);
    assert_eq!(run(&job, SandboxLevel::Bubblewrap).unwrap().how, sandbox::Exit::TooMuchDisk);
}

#[test]
fn a_level_without_mounts_covers_nothing() {
    for level in [SandboxLevel::Landlock, SandboxLevel::Unconfined] {
        let world = World::new();
        let (job, _) = covered(&world, "echo ran", false);
        let error = run(&job, level).unwrap_err();
        assert!(matches!(error, SandboxError::Unavailable { .. }), "{level}: {error}");
    }
}

#[test]
fn a_cover_that_cannot_be_written_is_refused() {
    let world = World::new();
    let (mut job, place) = covered(&world, "echo ran", false);
    job.writable = vec![world.root.join("job")];
    assert!(matches!(run(&job, SandboxLevel::Landlock), Err(SandboxError::Path { .. })));
    fs::create_dir_all(place.join("upper")).unwrap();
    job.writable = vec![world.root.join("job/scope")];
    assert!(matches!(run(&job, SandboxLevel::Landlock), Err(SandboxError::Path { .. })));
}
