//! `dds run` beside others, for ever, and killed at any time.

use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::dds::{add, approve, record, report, shop, status};
use super::support::Scene;

/// A workspace with a tool that takes its time. It adds a line, so that what ran twice has two of them.
fn slow_shop(seconds: &str) -> Scene {
    let scene = shop();
    let tool = format!("sleep {seconds}; echo 'x = 2' >> src/a.py");
    let config = format!("[tools.slow]\ncommand = [\"sh\", \"-c\", \"{tool}\"]\n");
    scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + &config));
    scene.trust();
    scene
}

/// An approved record for the slow tool.
#[track_caller]
fn approved(scene: &Scene) -> String {
    let id = add(scene, &record("slow", &["src/"]));
    approve(scene, &id, "ana");
    id
}

/// A run that ends with the test at the latest.
struct Running(Child);

impl Running {
    fn start(scene: &Scene, line: &str) -> Running {
        let mut command = scene.command(line, &[("PATH", "/usr/bin:/bin")]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        Running(command.spawn().unwrap())
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn lease(scene: &Scene, id: &str) -> Value {
    report(scene, &format!("dds show {id}"))["lease"].clone()
}

#[test]
fn what_another_process_runs_is_named_with_the_end_of_its_lease() {
    let scene = slow_shop("3");
    let id = approved(&scene);
    let mut other = Running::start(&scene, "dds run --format json");
    wait_until("the other run", || lease(&scene, &id)["phase"] == "running");
    // While it is stopped it neither ends nor renews its lease, however slow this machine is.
    other.signal(Signal::STOP);
    let (holder, until) =
        (lease(&scene, &id)["holder"].clone(), lease(&scene, &id)["until"].clone());
    let idle = scene.run("dds run");
    other.signal(Signal::CONT);
    let expected = format!(
        "{id} is run by {}. Its lease holds until {}.\n",
        holder.as_str().unwrap(),
        until.as_str().unwrap()
    );
    assert_eq!((idle.code, idle.stdout), (0, expected));
    assert!(other.0.wait().unwrap().success());
    assert_eq!(status(&scene, &id), "executed");
    assert_eq!(scene.run("dds run").stdout, "Nothing is approved and not carried out yet.\n");
}

/// Whether this process was started so that `SIGINT` means nothing to it, as shells start what runs in the background.
fn ignores_interrupts() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    ignored.is_some_and(|it| it & (1 << (Signal::INT.as_raw() - 1)) != 0)
}

#[test]
fn a_watch_carries_out_what_is_approved_later_and_ends_on_a_signal() {
    let scene = slow_shop("0");
    let first = approved(&scene);
    for signal in [Signal::TERM, Signal::INT] {
        let mut watch = Running::start(&scene, "dds run --watch");
        wait_until("the first record", || status(&scene, &first) == "executed");
        let later = approved(&scene);
        wait_until("the later record", || status(&scene, &later) == "executed");
        assert!(watch.0.try_wait().unwrap().is_none(), "it goes on");
        watch.signal(signal);
        if signal == Signal::INT && ignores_interrupts() {
            // Whoever started the tests said so, and it holds for what they start.
            assert!(watch.0.try_wait().unwrap().is_none(), "it goes on");
            watch.signal(Signal::TERM);
        }
        let mut ended = None;
        wait_until("the end", || {
            ended = watch.0.try_wait().unwrap();
            ended.is_some()
        });
        assert!(!ended.unwrap().success());
        let mut said = String::new();
        std::io::Read::read_to_string(&mut watch.0.stdout.take().unwrap(), &mut said).unwrap();
        assert!(said.contains(&later), "{said}");
    }
    assert_eq!(scene.read("ws/src/a.py"), "x = 1\nx = 2\nx = 2\nx = 2\n");
    assert_eq!(report(&scene, "dds verify")["problems"], json!([]));
}

/// Kills at moments that are spread over the whole of a run. It waits for the leases to end, a minute for all of them.
#[cfg(feature = "live")]
mod killed {
    use super::*;

    const N_SEEDS: u32 = 32;
    const OLD: &str = "x = 1\n";
    const NEW: &str = "x = 1\nx = 2\n";

    /// How long a run takes that nobody kills: a little more than the shortest of three, because one that was held up
    /// would move most kills behind the end.
    fn duration() -> Duration {
        let times = (0..3).map(|_| {
            let scene = slow_shop("0.1");
            approved(&scene);
            let started = Instant::now();
            assert!(Running::start(&scene, "dds run --format json").0.wait().unwrap().success());
            started.elapsed()
        });
        times.min().unwrap().mul_f64(1.2)
    }

    /// A number below 1000 that differs from seed to seed and is the same in every test run.
    fn jitter(seed: u32) -> u32 {
        seed.wrapping_mul(2_654_435_761).rotate_left(11) % 1000
    }

    #[test]
    fn a_run_that_is_killed_at_any_time_leaves_a_legal_state() {
        let whole = duration();
        let cases: Vec<(u32, Scene, String)> = (0..N_SEEDS)
            .map(|seed| {
                let scene = slow_shop("0.1");
                let id = approved(&scene);
                let share =
                    (f64::from(seed) + f64::from(jitter(seed)) / 1000.0) / f64::from(N_SEEDS);
                let mut run = Running::start(&scene, "dds run --format json");
                std::thread::sleep(whole.mul_f64(share));
                run.0.kill().unwrap();
                run.0.wait().unwrap();
                (seed, scene, id)
            })
            .collect();
        let mut left: std::collections::BTreeMap<String, u32> = Default::default();
        for (seed, scene, id) in &cases {
            // Who was killed while files were written left a transaction, which `show` names with exit code 1.
            let shown = scene.run(&format!("dds show {id} --format json")).json();
            let text = scene.read("ws/src/a.py");
            assert!([OLD, NEW].contains(&text.as_str()), "{seed}: {text}");
            let phase = shown["lease"]["phase"].as_str().unwrap_or("no lease");
            let found = format!("{}, {phase}", shown["record"]["status"].as_str().unwrap());
            *left.entry(found).or_default() += 1;
        }
        std::io::Write::write_all(
            &mut std::io::stderr(),
            format!("{N_SEEDS} kills within {whole:?}: {left:?}\n").as_bytes(),
        )
        .unwrap();
        assert!(left.len() > 2, "the kills were not spread over the run: {left:?}");
        std::thread::sleep(Duration::from_secs(61));
        for (seed, scene, id) in &cases {
            settle(*seed, scene, id);
        }
    }

    /// The next run settles whatever was left, and the one after it finds nothing to do.
    fn settle(seed: u32, scene: &Scene, id: &str) {
        scene.run("dds run");
        let shown = report(scene, &format!("dds show {id}"));
        let text = scene.read("ws/src/a.py");
        let (outcome, expected) = match shown["record"]["status"].as_str().unwrap() {
            "executed" => ("success", NEW),
            "failed" => ("error", OLD),
            other => panic!("{seed}: it stays {other}"),
        };
        assert_eq!(shown["report"]["status"], outcome, "{seed}");
        assert_eq!(text, expected, "{seed}");
        let history = shown["history"].as_array().unwrap();
        let count = |event: &str| history.iter().filter(|it| it["event"] == event).count();
        assert_eq!((count("begin"), count("finish")), (1, 1), "{seed}: {history:#?}");
        let runs = std::fs::read_dir(scene.runs());
        assert_eq!(runs.map_or(0, Iterator::count), 0, "{seed}: a copy is left");
        assert_eq!(report(scene, "dds run")["reports"], json!([]), "{seed}");
        assert_eq!(scene.read("ws/src/a.py"), expected, "{seed}");
        assert_eq!(report(scene, "dds verify")["problems"], json!([]), "{seed}");
    }
}
