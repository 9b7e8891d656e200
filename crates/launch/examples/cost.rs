//! What it costs to start a program, at each level and for each way to show a tree: `cargo run --release --example cost`.
#![expect(clippy::print_stdout, reason = "printing is what it is for")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use check::Stop;
use edit::Text;
use launch::{Access, Capture, Isolation, Program, SandboxLevel, TreeView};
use snapshot::{Entry, File, RelPath, Snapshot};

const RUNS: usize = 40;
const FILES: usize = 400;

/// The time in the middle.
fn measure<T>(
    mut run: impl FnMut() -> Result<T, Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[RUNS / 2])
}

fn row(name: &str, time: Duration, bare: Duration) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
    println!(
        "{name:<34}{:>8.2} ms{:>+9.2} ms",
        milliseconds(time),
        milliseconds(time) - milliseconds(bare)
    );
}

fn tree(root: &std::path::Path) -> Result<Snapshot, Box<dyn Error>> {
    let mut entries = BTreeMap::new();
    for nth in 0..FILES {
        let path = RelPath::parse(&format!("src/{}/{nth}.txt", nth % 20))?;
        let at = root.join(path.as_str());
        fs::create_dir_all(at.parent().ok_or("no folder")?)?;
        fs::write(&at, "text\n".repeat(100))?;
        entries.insert(path, Entry::File(File::new(Text::new(fs::read(at)?), 0o644)));
    }
    Ok(Snapshot::new(entries)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let temp = tempfile::tempdir()?;
    let (root, place) = (temp.path().join("root"), temp.path().join("place"));
    fs::create_dir_all(&root)?;
    fs::create_dir_all(&place)?;
    let disk = tree(&root)?;
    let changed = RelPath::parse("src/0/0.txt")?;
    let other = |text: &str| -> Result<Snapshot, Box<dyn Error>> {
        let entry = Entry::File(File::new(Text::new(text), 0o644));
        Ok(disk.clone().with([(changed.clone(), entry)])?)
    };
    let program = Program::new("/bin/true", &root);
    let (access, stop) = (Access::default(), Stop::new());
    let capture = Capture { wants: &|_| true, max_entries: 1000, max_bytes: 1 << 20 };
    let bare = measure(|| {
        let mut command = Command::new("/bin/true");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Ok(command.output()?)
    })?;
    row("fork and exec", bare, bare);
    row("run", measure(|| Ok(launch::run(&program, &stop)?))?, bare);
    for level in [SandboxLevel::Unconfined, SandboxLevel::Landlock, SandboxLevel::Bubblewrap] {
        let start = Instant::now();
        let isolation = match Isolation::at(level) {
            Ok(isolation) => isolation,
            Err(error) => {
                println!("{level}: {error}");
                continue;
            }
        };
        row(&format!("{level}: trying it, once"), start.elapsed(), bare);
        let confined = measure(|| Ok(launch::run_confined(&program, &isolation, &access, &stop)?))?;
        row(&format!("{level}: without a tree"), confined, bare);
        let mut view = TreeView::new(&root, disk.clone(), &place, &isolation)?;
        let seen = |view: &TreeView| format!("{level}: {}", view.sight().name());
        let time = measure(|| Ok(view.run(&program, &access, &stop)?))?;
        row(&seen(&view), time, bare);
        view.show(&other("other")?)?;
        let time = measure(|| Ok(view.run(&program, &access, &stop)?))?;
        row(&seen(&view), time, bare);
        let time = measure(|| Ok(view.run_rewriting(&program, &access, &capture, &stop)?))?;
        row(&format!("{} of a rewriter", seen(&view)), time, bare);
        let mut nth = 0;
        let time = measure(|| {
            nth += 1;
            view.show(&other(&nth.to_string())?)?;
            Ok(())
        })?;
        row(&format!("{}: the next snapshot", seen(&view)), time, Duration::ZERO);
    }
    Ok(())
}
