//! clippy and rustc, by way of cargo's JSON. `MachineApplicable` is what `cargo fix` applies; every other applicability
//! changes behaviour or has blanks to fill in.
//!
//! Runs repository code: build scripts and procedural macros, and settings of cargo and rustup that name programs.
//! Offsets are bytes of the file as it lies on disk. Every span has the lines that it is about, and what they say must
//! stand there. A suggestion in a macro expansion is not used.

use check::{Safety, Severity, Trust};
use serde_json::Value;

use crate::adapter::{
    Adapter, Files, Invocation, LocalPrograms, Scope, TimeClass, ToolJob, ToolKind, ToolOutput,
    Toolchain,
};
use crate::collect::{Collector, RawEdit, RawFinding, RawFix, Texts};
use crate::json::{self, Members};
use crate::limits::MAX_SCANNED;
use crate::positions::{PositionDialect, PositionUnit, Span, ToolPosition};
use crate::probe::{Landmark, Probe};
use crate::report::{Garbled, ToolReport};
use crate::uses::Signs;
use crate::version::{Version, Versions};

const DIALECT: PositionDialect = PositionDialect::offsets(PositionUnit::Byte);

/// `cargo clippy`.
pub(crate) static ADAPTER: Adapter = Adapter {
    name: "clippy",
    kind: ToolKind::Linter,
    files: Files { extensions: &["rs"], names: &["Cargo.toml", "Cargo.lock"], programs: &[] },
    signs: Signs {
        files: &["clippy.toml", ".clippy.toml"],
        sections: &[("Cargo.toml", "lints.clippy"), ("Cargo.toml", "workspace.lints.clippy")],
        packages: &[],
        hooks: &["clippy", "cargo-clippy", "rust-clippy"],
        commands: &["cargo clippy", "cargo-clippy"],
    },
    joins_on_presence: false,
    supersedes: &["rustc"],
    program: "cargo",
    local: LocalPrograms::Nowhere,
    versions: Versions::between(Version::new(0, 1, 70), Version::new(0, 2, 0)),
    trust: |_| Trust::RunsRepositoryCode {
        what: "build scripts, procedural macros and cargo's configuration".to_owned(),
    },
    scope: Scope::Project,
    limit: TimeClass::Build,
    toolchain: Some(Toolchain::Cargo),
    climbs: true,
    install: "rustup component add clippy",
    invocation: |job| invocation(job, "clippy"),
    parse,
    page,
    review: None,
    probe: Some(Probe {
        files: &[
            ("src/lib.rs", PROBE),
            (
                "Cargo.toml",
                "[package]\nname = \"probe\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[workspace]\n",
            ),
        ],
        landmarks: &[Landmark {
            rule: "unused_parens",
            text: "(n)",
            start: 68,
            fixed: Some(
                "\u{feff}// é😀\r\npub fn f(n: u32) -> u32 {\r\n\tlet _e = \"é😀\"; return n;\r\n}\r\n",
            ),
        }],
    }),
};

const PROBE: &str =
    "\u{feff}// é😀\r\npub fn f(n: u32) -> u32 {\r\n\tlet _e = \"é😀\"; return (n);\r\n}\r\n";

/// `cargo check`.
pub(crate) static RUSTC: Adapter = Adapter {
    name: "rustc",
    signs: Signs {
        files: &["Cargo.toml"],
        sections: &[("Cargo.toml", "lints.rust"), ("Cargo.toml", "workspace.lints.rust")],
        packages: &[],
        hooks: &["cargo-check"],
        commands: &["cargo check"],
    },
    supersedes: &[],
    versions: Versions::between(Version::new(1, 70, 0), Version::new(2, 0, 0)),
    install: "rustup toolchain install stable",
    invocation: |job| invocation(job, "check"),
    ..ADAPTER
};

fn invocation(job: &ToolJob<'_>, command: &str) -> Option<Invocation> {
    let invocation = match job {
        ToolJob::Version if command == "clippy" => {
            Invocation::new("cargo", &["clippy", "--version"])
        }
        ToolJob::Version => Invocation::new("rustc", &["--version"]),
        ToolJob::Check { .. } => Invocation::new(
            "cargo",
            &[
                command,
                "--message-format=json",
                "--quiet",
                "--workspace",
                "--all-targets",
                "--keep-going",
                "--offline",
            ],
        )
        .success(&[0, 101])
        // A library may have no `Cargo.lock`, and build scripts write where they like.
        .writing()
        .env("CARGO_TERM_COLOR", "never")
        .env("CARGO_NET_OFFLINE", "true")
        .env("CARGO_INCREMENTAL", "0"),
        _ => return None,
    };
    Some(invocation)
}

fn page(rule: &str) -> Option<String> {
    if let Some(lint) = rule.strip_prefix("clippy::") {
        return Some(format!("https://rust-lang.github.io/rust-clippy/stable/index.html#{lint}"));
    }
    let is_code =
        rule.len() == 5 && rule.starts_with('E') && rule[1..].bytes().all(|it| it.is_ascii_digit());
    Some(match is_code {
        true => format!("https://doc.rust-lang.org/error_codes/{rule}.html"),
        false => "https://doc.rust-lang.org/rustc/lints/listing/index.html".to_owned(),
    })
}

fn parse(output: &ToolOutput, texts: &Texts<'_>) -> Result<ToolReport, Garbled> {
    output.succeeded(&[0, 101])?;
    let mut collector = Collector::new(texts, DIALECT);
    let mut has_error = false;
    for line in json::lines(&output.stdout)? {
        if line.str("reason") != Some("compiler-message") {
            continue;
        }
        let Some(message) = line.get("message") else { continue };
        let level = message.str("level").unwrap_or_default();
        has_error |= level.starts_with("error");
        let severity = match level {
            "error" | "error: internal compiler error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => continue,
        };
        let primaries = message.list("spans").iter().filter(|it| is_primary(it));
        let primaries: Vec<&Value> = primaries.map(call_site).collect();
        let Some(place) = primaries.first() else {
            // "2 warnings emitted", "aborting due to …", or the linker.
            let says = message.str("message").unwrap_or_default();
            if severity == Severity::Error && !says.starts_with("aborting due to") {
                collector.note(says);
            }
            continue;
        };
        let code = message.get("code").and_then(|it| it.str("code"));
        let rule = code.unwrap_or(level);
        collector.add(RawFinding {
            rule: rule.to_owned(),
            severity,
            message: message.str("message").unwrap_or_default().to_owned(),
            file: place.str("file_name").and_then(|it| texts.resolve(it)),
            span: span_of_all(&primaries),
            snippet: None,
            url: code.and_then(page),
            fixes: fixes(message, texts),
        });
    }
    if output.status == Some(101) && !has_error {
        return Err(Garbled::Failed { status: 101, said: output.last_words() });
    }
    Ok(collector.finish())
}

fn is_primary(span: &Value) -> bool {
    span.get("is_primary").and_then(Value::as_bool).unwrap_or(false)
}

/// The place in a file that somebody wrote, if the span is in what macros made of it.
fn call_site(span: &Value) -> &Value {
    let mut span = span;
    for _ in 0..64 {
        match span.get("expansion").and_then(|it| it.get("span")) {
            Some(outer) if outer.is_object() => span = outer,
            _ => break,
        }
    }
    span
}

/// From the first to the last of several spans that are in one file.
fn span_of_all(spans: &[&Value]) -> Option<Span> {
    let file = spans.first()?.str("file_name");
    let same = spans.iter().filter(|it| it.str("file_name") == file);
    let start = same.clone().filter_map(|it| it.num("byte_start")).min()?;
    let end = same.filter_map(|it| it.num("byte_end")).max()?;
    let place = |it: u64| Some(ToolPosition::Offset(i64::try_from(it).ok()?));
    Some(Span::Between(place(start)?, place(end)?))
}

fn span(span: &Value) -> Option<Span> {
    let place = |name: &str| Some(ToolPosition::Offset(i64::try_from(span.num(name)?).ok()?));
    Some(Span::Between(place("byte_start")?, place("byte_end")?))
}

/// Each child is a solution; its spans are parts of it. Spans at one place with different texts are alternatives.
fn fixes(message: &Value, texts: &Texts<'_>) -> Vec<RawFix> {
    let mut fixes: Vec<(Safety, RawFix)> = Vec::new();
    let own = std::iter::once(message);
    for child in own.chain(message.list("children")) {
        let parts: Vec<&Value> = child
            .list("spans")
            .iter()
            .filter(|it| it.get("suggested_replacement").is_some_and(Value::is_string))
            .collect();
        if parts.is_empty() {
            continue;
        }
        let title = child.str("message").unwrap_or("Apply the suggestion");
        let is_one_place = parts.len() > 1
            && parts.iter().all(|it| {
                ["file_name", "byte_start", "byte_end"]
                    .iter()
                    .all(|key| it.get(*key) == parts[0].get(*key))
            });
        let solutions: Vec<Vec<&Value>> = match is_one_place {
            true => parts.into_iter().map(|it| vec![it]).collect(),
            false => vec![parts],
        };
        for parts in solutions {
            let applicability =
                |it: &&Value| it.str("suggestion_applicability").unwrap_or_default().to_owned();
            let safety = match parts.iter().all(|it| applicability(it) == "MachineApplicable") {
                true => Safety::LikelyPreserving,
                false => Safety::BehaviorChanging,
            };
            let mut fix = RawFix::new(title, safety, Vec::new());
            if parts.iter().any(|it| applicability(it) == "HasPlaceholders") {
                fix.refused = Some("the suggestion has blanks to fill in".to_owned());
            }
            for part in parts {
                let Some(place) = span(part) else { continue };
                if part.get("expansion").is_some_and(Value::is_object) {
                    fix.refused = Some("the suggestion is about the output of a macro".to_owned());
                }
                let named = part.str("file_name").unwrap_or_default();
                let file = texts.resolve(named).ok_or_else(|| named.to_owned());
                if let Ok(file) = &file
                    && let Some(reason) = other_text(part, texts, file, place)
                {
                    fix.refused = Some(reason);
                }
                let text = part.str("suggested_replacement").unwrap_or_default();
                let text = match &file {
                    Ok(file) => with_line_ends_of(texts, file, text),
                    Err(_) => text.to_owned(),
                };
                fix.edits.push(RawEdit { file: Some(file), span: place, text, replaced: None });
            }
            fixes.push((safety, fix));
        }
    }
    // What can be applied by a machine is the preferred one.
    fixes.sort_by_key(|it| it.0);
    fixes.into_iter().map(|it| it.1).collect()
}

/// A text with the line ends of a file that has one kind of them.
pub(crate) fn with_line_ends_of(texts: &Texts<'_>, file: &snapshot::RelPath, text: &str) -> String {
    if !text.contains('\n') || text.contains('\r') {
        return text.to_owned();
    }
    let line_end = texts.places(file).map_or("\n", |it| it.line_end());
    text.replace('\n', line_end)
}

/// Why what stands at a span is not what the compiler saw there, if it is not.
fn other_text(
    part: &Value,
    texts: &Texts<'_>,
    file: &snapshot::RelPath,
    place: Span,
) -> Option<String> {
    let places = texts.places(file)?;
    let range = match places.bytes(place, &DIALECT) {
        Ok(range) => range,
        Err(misfit) => return Some(misfit.to_string()),
    };
    let lines = part.list("text");
    if lines.is_empty() {
        return None;
    }
    if range.len() > MAX_SCANNED {
        return Some("the span is too large".to_owned());
    }
    let mut seen: Vec<String> = Vec::new();
    for line in lines {
        let text = line.str("text").unwrap_or_default();
        let from = usize::try_from(line.num("highlight_start")?).ok()?.saturating_sub(1);
        let to = usize::try_from(line.num("highlight_end")?).ok()?.saturating_sub(1);
        seen.push(text.chars().take(to).skip(from).collect());
    }
    let found = &places.text().bytes()[range.start as usize..range.end as usize];
    let found = String::from_utf8_lossy(found).replace("\r\n", "\n");
    let found = found.strip_suffix('\n').unwrap_or(&found);
    let expected = seen.join("\n").replace('\r', "");
    let expected = expected.strip_suffix('\n').unwrap_or(&expected);
    (found != expected).then(|| {
        let short = |it: &str| it.chars().take(40).collect::<String>();
        format!("expected `{}` at the position, found `{}`", short(expected), short(found))
    })
}
