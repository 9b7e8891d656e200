//! What holds when the caller itself is killed, when it panics, and when many jobs run at once.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use sandbox::{Exit, SandboxLevel, Tick};

use super::world::{World, need, run, this_test};

const LINGERS: &str = "(setsid setsid sleep 300 &) & setsid sleep 300 & sleep 300";

#[test]
fn landlock_leaves_nothing_alive_when_the_caller_is_killed() {
    killed(
        SandboxLevel::Landlock,
        "it::caller::landlock_leaves_nothing_alive_when_the_caller_is_killed",
    );
}

#[cfg(feature = "live")]
#[test]
fn bubblewrap_leaves_nothing_alive_when_the_caller_is_killed() {
    killed(
        SandboxLevel::Bubblewrap,
        "it::caller::bubblewrap_leaves_nothing_alive_when_the_caller_is_killed",
    );
}

/// The test starts itself a second time as the caller that is to be killed.
fn killed(level: SandboxLevel, name: &str) {
    const WORLD: &str = "SANDBOX_TEST_WORLD";
    const PLACE: &str = "SANDBOX_TEST_PLACE";
    need(level);
    if let (Ok(tag), Ok(place)) = (std::env::var(WORLD), std::env::var(PLACE)) {
        // In the world of the first one, which is still there to clean up.
        let mut world = World::within(Path::new(&place));
        world.tag = tag;
        let ended = run(&world.job(LINGERS), level);
        panic!("the caller was not killed: {ended:?}");
    }
    let world = World::new();
    // The variable has another name in the caller, so it does not count as a process of the job.
    let mut command = this_test(name);
    let mut caller = command
        .env(WORLD, &world.tag)
        .env(PLACE, &world.root)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the job runs", || world.alive().len() >= 4);
    caller.kill().unwrap();
    assert_eq!(caller.wait().unwrap().signal(), Some(9));
    wait_until("nothing is alive", || world.alive().is_empty());
}

#[test]
fn landlock_leaves_nothing_alive_when_the_caller_panics() {
    need(SandboxLevel::Landlock);
    let world = World::new();
    let mut ticks = 0;
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        sandbox::run(&world.job(LINGERS), SandboxLevel::Landlock, &mut || {
            ticks += 1;
            assert!(ticks < 3, "the caller gives up");
            Tick::Continue
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(world.alive(), Vec::<String>::new());
}

/// One job's end is not another one's.
#[test]
fn jobs_at_once_do_not_touch_each_other() {
    need(SandboxLevel::Landlock);
    thread::scope(|threads| {
        for number in 0..12 {
            threads.spawn(move || {
                let world = World::new();
                let script = format!("sleep 300 & sleep 0.{number:02}; kill -0 $!; exit {number}");
                let level =
                    if number % 4 == 3 { SandboxLevel::Unconfined } else { SandboxLevel::Landlock };
                assert_eq!(run(&world.job(&script), level).unwrap().how, Exit::Code(number));
                assert_eq!(world.alive(), Vec::<String>::new());
            });
        }
    });
}

#[track_caller]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(10), "not reached: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
