//! A line that says how far a long run is. On a terminal only, on standard error, and not before somebody waits.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use service::CommandProgress;

use crate::cli::Common;
use crate::words::count;

/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_millis(500);
const FRAME: Duration = Duration::from_millis(100);
const WIDTH: usize = 20;

/// Draws the line until it is dropped.
pub(crate) struct ProgressLine {
    sender: Option<Sender<CommandProgress>>,
    thread: Option<JoinHandle<()>>,
}

impl ProgressLine {
    /// Nothing is drawn where nobody sees it or nobody wants it.
    pub(crate) fn start(common: &Common) -> ProgressLine {
        if common.quiet || !std::io::stderr().is_terminal() {
            return ProgressLine::silent();
        }
        let (sender, receiver) = channel();
        let thread = std::thread::spawn(move || draw_until_closed(&receiver));
        ProgressLine { sender: Some(sender), thread: Some(thread) }
    }

    /// One that draws nothing.
    pub(crate) fn silent() -> ProgressLine {
        ProgressLine { sender: None, thread: None }
    }

    /// Takes the news.
    pub(crate) fn show(&mut self, progress: CommandProgress) {
        if let Some(sender) = &self.sender {
            // A thread that ended draws nothing, which is all it was for.
            let _ = sender.send(progress);
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // It has wiped its line; how else it ended changes nothing.
            let _ = thread.join();
        }
    }
}

fn draw_until_closed(receiver: &Receiver<CommandProgress>) {
    let start = Instant::now();
    let mut latest = CommandProgress::Scanning;
    let mut is_drawn = false;
    let mut tick = 0;
    loop {
        match receiver.recv_timeout(FRAME) {
            Ok(progress) => {
                latest = progress;
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let elapsed = start.elapsed();
        if elapsed >= PATIENCE {
            tick += 1;
            let line = render_progress(latest, tick, elapsed);
            // Whoever closed standard error does not miss the line.
            let _ = write!(std::io::stderr(), "\r\u{1b}[K{line}");
            let _ = std::io::stderr().flush();
            is_drawn = true;
        }
    }
    if is_drawn {
        let _ = write!(std::io::stderr(), "\r\u{1b}[K");
    }
}

fn render_progress(progress: CommandProgress, tick: usize, elapsed: Duration) -> String {
    let (what, bar) = match progress {
        CommandProgress::Scanning => ("reading the tree".to_owned(), moving_bar(tick)),
        CommandProgress::Checking { n_files, n_tools } => {
            let with = match n_tools {
                0 => String::new(),
                n => format!(" with {}", count(n, "tool")),
            };
            (format!("checking {}{with}", count(n_files, "file")), moving_bar(tick))
        }
        CommandProgress::Pass { number, errors, warnings } => (
            format!("round {number}: {}, {}", count(errors, "error"), count(warnings, "warning")),
            moving_bar(tick),
        ),
        CommandProgress::Isolating { tried, of } => {
            (format!("looking for the repair that spoils {of}"), filled_bar(tried, of))
        }
        CommandProgress::Writing { n_files } => {
            (format!("writing {}", count(n_files, "file")), moving_bar(tick))
        }
        _ => ("working".to_owned(), moving_bar(tick)),
    };
    format!("[{bar}] {what}, {:.1} s", elapsed.as_secs_f32())
}

/// For work whose end is not known.
fn moving_bar(tick: usize) -> String {
    let at = tick % WIDTH;
    (0..WIDTH).map(|it| if (it + WIDTH - at) % WIDTH < 4 { '=' } else { ' ' }).collect()
}

fn filled_bar(done: usize, of: usize) -> String {
    let n_filled = (done.min(of) * WIDTH).checked_div(of).unwrap_or_default();
    (0..WIDTH).map(|it| if it < n_filled { '=' } else { ' ' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_done_and_for_how_long() {
        let render = |it| render_progress(it, 3, Duration::from_millis(1234));
        assert_eq!(
            render(CommandProgress::Checking { n_files: 10_000, n_tools: 0 }),
            "[   ====             ] checking 10000 files, 1.2 s"
        );
        assert_eq!(
            render(CommandProgress::Checking { n_files: 3, n_tools: 2 }),
            "[   ====             ] checking 3 files with 2 tools, 1.2 s"
        );
        assert_eq!(
            render(CommandProgress::Isolating { tried: 5, of: 10 }),
            "[==========          ] looking for the repair that spoils 10, 1.2 s"
        );
        assert!(
            render(CommandProgress::Isolating { tried: 1, of: 0 })
                .contains("[                    ]")
        );
    }
}
