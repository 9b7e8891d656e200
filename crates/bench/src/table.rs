//! What a benchmark prints: aligned tables of text, durations, sizes and ratios. The only place that writes to
//! the terminal.

use std::time::Duration;

/// Rows of cells beneath a header; written as a Markdown table, so that it can go into a document as it is.
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column names.
    pub(crate) fn new(header: &[&str]) -> Table {
        Table { rows: vec![header.iter().map(|it| it.to_string()).collect()] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Writes the table, columns aligned, with a title above.
    pub(crate) fn print(&self, title: &str) {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|it| it.chars().count()).max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        say(&format!("{title}\n"));
        for (index, row) in self.rows.iter().enumerate() {
            let cells = widths.iter().enumerate().map(|(column, width)| {
                let cell = row.get(column).map_or("", String::as_str);
                if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            say(&format!("| {} |", cells.collect::<Vec<_>>().join(" | ")));
            if index == 0 {
                let rules = widths.iter().enumerate().map(|(column, width)| match column {
                    0 => format!(":{}", "-".repeat(width.saturating_sub(1).max(2))),
                    _ => format!("{}:", "-".repeat(width.saturating_sub(1).max(2))),
                });
                say(&format!("| {} |", rules.collect::<Vec<_>>().join(" | ")));
            }
        }
        say("");
    }
}

/// A duration in the unit that reads best.
pub(crate) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        _ if seconds >= 10.0 => format!("{seconds:.1} s"),
        _ if seconds >= 1.0 => format!("{seconds:.2} s"),
        _ if seconds >= 0.1 => format!("{:.0} ms", seconds * 1e3),
        _ if seconds >= 1e-3 => format!("{:.2} ms", seconds * 1e3),
        _ => format!("{:.0} µs", seconds * 1e6),
    }
}

/// How many times `base` goes into `duration`.
pub(crate) fn ratio(duration: Duration, base: Duration) -> String {
    let ratio = duration.as_secs_f64() / base.as_secs_f64().max(1e-9);
    if ratio >= 100.0 { format!("{ratio:.0}x") } else { format!("{ratio:.2}x") }
}

/// A number of bytes in the unit that reads best.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A number with its thousands apart.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits are ASCII"))
        .collect();
    groups.join(",")
}

/// A line of the report.
#[expect(clippy::print_stdout, reason = "the report goes to standard output")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// A line that is not part of the report.
#[expect(clippy::print_stderr, reason = "complaints go to standard error")]
pub(crate) fn complain(line: &str) {
    eprintln!("{line}");
}
