//! The guide and the README are run: every `console` block must print what it says.
//!
//! A page is played from top to bottom in a fresh folder that holds a copy of `examples/`. A fenced block with a file
//! name after its language is written to that file; every `$` line of a `console` block is run by a shell.
//! `REGREEN_BLESS=1` writes what was printed into the pages.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::write_key;

#[test]
fn the_pages_show_what_the_binary_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages: Vec<PathBuf> =
        fs::read_dir(root.join("docs/guide")).unwrap().map(|it| it.unwrap().path()).collect();
    pages.push(root.join("README.md"));
    pages.retain(|it| it.extension().is_some_and(|it| it == "md") && it.exists());
    pages.sort();
    let mut stale = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let played = play(&text, &root.join("examples"));
        if played == text {
            continue;
        }
        if std::env::var_os("REGREEN_BLESS").is_some() {
            fs::write(&page, played).unwrap();
        } else {
            stale.push(format!("{}:\n{}", page.display(), first_difference(&text, &played)));
        }
    }
    assert!(stale.is_empty(), "run with REGREEN_BLESS=1 to update\n{}", stale.join("\n"));
}

fn first_difference(text: &str, played: &str) -> String {
    let differs =
        text.lines().zip(played.lines()).enumerate().find(|(_, (left, right))| left != right);
    match differs {
        Some((idx, (left, right))) => {
            format!("line {}\n  page:    {left}\n  printed: {right}", idx + 1)
        }
        None => "one is longer than the other".to_owned(),
    }
}

/// The page with the outputs of its commands in place of what it shows.
fn play(page: &str, examples: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    copy(examples, &folder.path().join("examples"));
    for person in ["", "ana/", "ben/", "cy/"] {
        write_key(&folder.path().join(format!("{person}.ssh/id_ed25519")));
    }
    let mut played = String::new();
    let mut hash = "sha256:…".to_owned();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(played, "{line}");
        let Some(info) = line.strip_prefix("```").filter(|it| !it.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|it| *it != "```").collect();
        if info == "console" {
            for command in block.iter().filter_map(|it| it.strip_prefix("$ ")) {
                // A hash that a page shows is the one that was printed last.
                let printed = shell(&command.replace("sha256:…", &hash), folder.path());
                hash = last_hash(&printed).unwrap_or(hash);
                let _ = write!(played, "$ {command}\n{}", steady(&printed));
            }
        } else {
            let text = block.iter().fold(String::new(), |text, line| text + line + "\n");
            if let Some((_, name)) = info.split_once(' ') {
                let file = folder.path().join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, &text).unwrap();
            }
            played.push_str(&text);
        }
        let _ = writeln!(played, "```");
    }
    played
}

/// The hash of the statement in what was printed.
fn last_hash(printed: &str) -> Option<String> {
    printed.lines().rev().find_map(|it| it.strip_prefix("statement   ")).map(str::to_owned)
}

/// What the command prints, on both streams.
fn shell(command: &str, folder: &Path) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_regreen"));
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", binary.parent().unwrap().display());
    let command =
        command.replace("cargo run --release -- ", "regreen ").replace("cargo run -- ", "regreen ");
    let command = command.replace(PAGE_DAY, &today());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .env("HOME", folder)
        .output()
        .unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The day on which the pages are played, as they have it.
const PAGE_DAY: &str = "20260202";

fn today() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let now = jiff::Timestamp::from_second(i64::try_from(now.as_secs()).unwrap()).unwrap();
    now.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y%m%d").to_string()
}

/// What differs from run to run and from machine to machine, replaced by what the pages show: days in ids, times,
/// fingerprints, processes, and what holds tools in their scope.
fn steady(text: &str) -> String {
    let text = text.replace(&format!("-{}-", today()), &format!("-{PAGE_DAY}-"));
    let text = text.replace("confined by landlock", "confined by bubblewrap");
    let mut out = String::new();
    for word in text.split_inclusive([' ', '\n', '(', ')']) {
        let (body, end) =
            word.split_at(word.trim_end_matches([' ', '\n', '(', ')', ',', '.']).len());
        let is_time = body.len() > 19 && body.as_bytes()[10] == b'T' && body.ends_with('Z');
        let is_process = body.rsplit_once('#').is_some_and(|(place, pid)| {
            place.contains('/') && pid.bytes().all(|it| it.is_ascii_digit()) && !pid.is_empty()
        });
        match body {
            _ if is_time => out.push_str("2026-02-02T15:30:45Z"),
            _ if is_process => out.push_str("host/0123456789ab#42"),
            _ if is_hex(body, 32) => out.push_str("0123456789abcdef0123456789abcdef"),
            _ if body.strip_suffix("-0").is_some_and(|it| is_hex(it, 32)) => {
                out.push_str("fedcba9876543210fedcba9876543210-0");
            }
            _ if body.contains(".regreen/") => out.push_str(&without_hashes(body)),
            _ if body.starts_with("SHA256:") => out.push_str("SHA256:…"),
            _ if body.starts_with("sha256:") => out.push_str("sha256:…"),
            _ if body.starts_with("blake3:") => out.push_str("blake3:…"),
            _ => out.push_str(body),
        }
        out.push_str(end);
    }
    out
}

/// The path of a file that travels, without what follows from keys and random numbers.
fn without_hashes(path: &str) -> String {
    let parts = path.split_inclusive(['.', '-', '/']).map(|part| {
        let (body, end) = part.split_at(part.trim_end_matches(['.', '-', '/']).len());
        let is_hash = [12, 16].iter().any(|len| is_hex(body, *len));
        format!("{}{end}", if is_hash { "…" } else { body })
    });
    parts.collect()
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|it| it.is_ascii_hexdigit())
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            if entry.file_name() != ".regreen" {
                copy(&entry.path(), &target);
            }
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn the_player_tells_old_output_from_new() {
    let page =
        "text\n```console\n$ echo one\ntwo\n```\n```txt a/b\nc\n```\n```console\n$ cat a/b\n```\n";
    let played = play(page, Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").as_path());
    assert_eq!(
        played,
        "text\n```console\n$ echo one\none\n```\n```txt a/b\nc\n```\n```console\n$ cat a/b\nc\n```\n"
    );
}
