//! Time, best of several runs, and peak memory from `/proc`.
//!
//! Work in memory is timed in processor time of this process, which other load on the machine disturbs far less
//! than wall time; nothing that is timed so uses more than one thread. Work on disk is timed in wall time.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Which clock runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clock {
    Processor,
    Wall,
}

impl Clock {
    fn start(self) -> Started {
        Started { clock: self, wall: Instant::now(), processor: processor_time() }
    }
}

struct Started {
    clock: Clock,
    wall: Instant,
    processor: Duration,
}

impl Started {
    fn elapsed(&self) -> Duration {
        match self.clock {
            Clock::Processor => processor_time().saturating_sub(self.processor),
            Clock::Wall => self.wall.elapsed(),
        }
    }
}

fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs() as u32)
}

/// What has taken so long is not run again.
const ENOUGH: Duration = Duration::from_secs(10);

/// Runs `work` on a fresh `prepare()` each time and gives the shortest time with the last result. Neither the
/// preparation nor dropping the result counts.
pub(crate) fn best_of<Input, Output>(
    clock: Clock,
    runs: usize,
    mut prepare: impl FnMut() -> Input,
    mut work: impl FnMut(Input) -> Output,
) -> (Duration, Output) {
    let mut once = || {
        let input = prepare();
        let start = clock.start();
        let output = std::hint::black_box(work(std::hint::black_box(input)));
        (start.elapsed(), output)
    };
    let begin = Instant::now();
    let (mut best, mut last) = once();
    for _ in 1..runs {
        if begin.elapsed() > ENOUGH {
            break;
        }
        drop(last);
        let (elapsed, output) = once();
        best = best.min(elapsed);
        last = output;
    }
    (best, last)
}

/// The largest resident size that a process has had, in bytes. `None` where there is no `/proc` or the process
/// has ended.
pub(crate) fn peak_memory(process: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
