//! How fast texts are read: `cargo run --release -p regreen-yaml --example speed -- FILE…` prints MB/s, best of many
//! runs, the nodes and their memory. `examples/speed.py` measures rapidyaml on the same files.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a measurement")]

use std::time::{Duration, Instant};

fn main() {
    for path in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let mut best = Duration::MAX;
        let mut n_nodes = 0;
        let started = Instant::now();
        while started.elapsed() < Duration::from_millis(500) {
            let before = Instant::now();
            let tree = yaml::parse(&text, &yaml::Options::LENIENT);
            best = best.min(before.elapsed());
            match tree {
                Ok(tree) => n_nodes = tree.nodes().len(),
                Err(error) => {
                    println!("{path}: {error}");
                    break;
                }
            }
        }
        let rate = text.len() as f64 / best.as_secs_f64() / 1e6;
        let name = path.rsplit('/').next().unwrap_or(&path);
        println!("{rate:8.1} MB/s  {n_nodes:>9} nodes  {name}");
    }
}
