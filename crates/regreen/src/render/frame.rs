//! A finding as a code frame: the place in the file it is about, and the places that belong to it, such as the one in
//! the patch document.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use protocol::v1::{Diagnostic, Location, Severity};
use service::Frames;

use crate::words::{count, list, printable};

/// How many findings are shown before the rest is counted.
const MOST_FRAMES: usize = 20;
/// Lines shown before and after the place.
const CONTEXT: usize = 2;
/// A line of a minified file can be as long as the file; this much around the place is shown.
const MOST_BYTES: usize = 2048;
/// As wide as a frame gets; longer lines are cut around the place.
const WIDTH: usize = 110;

/// The part of a text that a frame shows.
struct Excerpt {
    text: String,
    first_line: usize,
    span: Range<usize>,
}

/// The findings as frames. Infos are for those who want to see all of it, and so is what comes after the first few.
pub(crate) fn render_frames(
    diagnostics: &[Diagnostic],
    frames: &Frames,
    is_verbose: bool,
) -> Vec<String> {
    let is_shown = |it: &&Diagnostic| is_verbose || it.severity != Severity::Info;
    let n_shown = diagnostics.iter().filter(is_shown).count();
    let n_frames = if is_verbose { n_shown } else { n_shown.min(MOST_FRAMES) };
    let mut rendered: Vec<String> = diagnostics
        .iter()
        .filter(is_shown)
        .take(n_frames)
        .map(|it| render_frame(it, frames))
        .collect();
    if n_frames < n_shown {
        let rest = count(n_shown - n_frames, "finding");
        rendered.push(format!("{rest} more like these; -v shows all.\n"));
    }
    rendered
}

/// The frame, ending with a newline: what is wrong, the place in the file, the place in the patch document, and what
/// to do.
pub(crate) fn render_frame(diagnostic: &Diagnostic, frames: &Frames) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let help = frames.help.get(&diagnostic.diagnostic_id);
    let message = match help.and_then(|it| diagnostic.message.strip_suffix(it.as_str())) {
        Some(message) => message.trim_end_matches([';', ' ']),
        None => &diagnostic.message,
    };
    let mut group = Group::with_title(
        level.primary_title(printable(message)).id(printable(&diagnostic.rule_id)),
    );
    let label = label(diagnostic);
    let spot = Spot {
        file: &diagnostic.file,
        location: diagnostic.location.as_ref(),
        pointer: diagnostic.json_pointer.as_deref(),
        label: label.as_deref(),
        kind: AnnotationKind::Primary,
    };
    group = place(group, &spot, frames);
    for related in &diagnostic.related {
        let spot = Spot {
            file: &related.file,
            location: related.location.as_ref(),
            pointer: related.json_pointer.as_deref(),
            label: Some(&related.message),
            kind: AnnotationKind::Context,
        };
        group = place(group, &spot, frames);
    }
    if let Some(help) = help {
        group = group.element(Level::HELP.message(printable(help)));
    }
    let rendered = Renderer::styled().term_width(WIDTH).render(&[group]);
    format!("{rendered}\n")
}

/// What was expected and what was found, where that is known; else the place.
fn label(diagnostic: &Diagnostic) -> Option<String> {
    let detail = |name: &str| diagnostic.details.get(name).and_then(|it| it.as_str());
    // The message of an error says it already.
    if diagnostic.severity == Severity::Warning
        && let Some(example) = example(diagnostic)
    {
        return Some(example);
    }
    match (detail("expected"), detail("found")) {
        (Some(expected), Some(found)) => Some(format!("expected {expected}; found {found}")),
        (_, Some(found)) => Some(format!("found {found}")),
        // The file as a whole is to blame, not the place that was asked for.
        _ if diagnostic.rule_id.ends_with("_PARSE_FAILED") => None,
        _ if diagnostic.rule_id.ends_with("_POINTER_MISSING") => {
            Some(format!("no {} in here", diagnostic.json_pointer.as_deref()?))
        }
        _ => diagnostic.json_pointer.clone().filter(|it| !it.is_empty()),
    }
}

/// Values for which what must hold does not, where some are known.
fn example(diagnostic: &Diagnostic) -> Option<String> {
    let values = diagnostic.details.get("counterexample")?.as_object()?;
    let shown: Vec<String> = values
        .iter()
        .filter(|it| !it.0.starts_with('_'))
        .map(|(name, value)| format!("{name} = {}", value.as_str().unwrap_or("?")))
        .collect();
    let verb = match diagnostic.details.get("candidate") {
        Some(serde_json::Value::Bool(true)) => "may fail",
        _ => "fails",
    };
    (!shown.is_empty()).then(|| format!("{verb} for example if {}", list(&shown, shown.len())))
}

/// A place to show.
struct Spot<'a> {
    file: &'a str,
    location: Option<&'a Location>,
    pointer: Option<&'a str>,
    label: Option<&'a str>,
    kind: AnnotationKind,
}

fn place<'a>(group: Group<'a>, spot: &Spot<'_>, frames: &Frames) -> Group<'a> {
    let name = printable(spot.file);
    let excerpt = spot.location.and_then(|it| excerpt(frames.sources.get(spot.file)?, it));
    let Some(excerpt) = excerpt else {
        if name.is_empty() {
            return group;
        }
        let at =
            spot.pointer.filter(|it| !it.is_empty()).map(|it| format!(" at {}", printable(it)));
        return group.element(Origin::path(format!("{name}{}", at.unwrap_or_default())));
    };
    let annotation = spot.kind.span(excerpt.span).label(spot.label.map(printable));
    group.element(
        Snippet::source(excerpt.text)
            .line_start(excerpt.first_line)
            .path(name)
            .annotation(annotation),
    )
}

/// The lines around the place, cut to a bounded size; nothing if the place does not lie in the text.
fn excerpt(bytes: &[u8], location: &Location) -> Option<Excerpt> {
    let (start, end) = (location.start_byte as usize, location.end_byte as usize);
    if start > end || end > bytes.len() {
        return None;
    }
    let first = line_start(bytes, start, CONTEXT).max(start.saturating_sub(MOST_BYTES));
    // A place that spans a whole document is shown by its first line.
    let end = bytes[start..end].iter().position(|it| *it == b'\n').map_or(end, |it| start + it);
    let end = end.min(start.saturating_add(MOST_BYTES));
    let last = line_end(bytes, end, CONTEXT).min(end.saturating_add(MOST_BYTES));
    let n_lines_before = bytes[first..start].iter().filter(|it| **it == b'\n').count();
    // Each part is made printable on its own, so that the span still covers the same text.
    let part = |range: Range<usize>| plain(&String::from_utf8_lossy(&bytes[range]));
    let (before, inside, after) = (part(first..start), part(start..end), part(end..last));
    let span = before.len()..before.len() + inside.len();
    Some(Excerpt {
        first_line: (location.start_line as usize).saturating_sub(n_lines_before).max(1),
        text: format!("{before}{inside}{after}"),
        span,
    })
}

fn plain(text: &str) -> String {
    text.split('\n').map(|it| printable(it.trim_end_matches('\r'))).collect::<Vec<_>>().join("\n")
}

/// The start of the line that is `above` lines above the one with `offset`.
fn line_start(bytes: &[u8], offset: usize, above: usize) -> usize {
    let mut breaks = bytes[..offset].iter().enumerate().rev().filter(|it| *it.1 == b'\n');
    breaks.nth(above).map_or(0, |it| it.0 + 1)
}

/// The end of the line that is `below` lines below the one with `offset`.
fn line_end(bytes: &[u8], offset: usize, below: usize) -> usize {
    let mut breaks = bytes[offset..].iter().enumerate().filter(|it| *it.1 == b'\n');
    breaks.nth(below).map_or(bytes.len(), |it| offset + it.0)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use protocol::v1::{Related, Tier};

    use super::*;

    fn location(text: &str, needle: &str) -> Location {
        let start = text.find(needle).unwrap();
        let line = text[..start].matches('\n').count() as u32 + 1;
        let (start_byte, end_byte) = (start as u32, (start + needle.len()) as u32);
        Location {
            start_byte,
            end_byte,
            start_line: line,
            start_col: 1,
            end_line: line,
            end_col: 1,
        }
    }

    fn diagnostic(file: &str, location: Option<Location>, related: Vec<Related>) -> Diagnostic {
        Diagnostic {
            diagnostic_id: "d_000000000000".into(),
            rule_id: "SEM_X".into(),
            source: "patch".into(),
            phase: "apply".into(),
            tier: Tier::Semantic,
            severity: Severity::Error,
            message: "the value is not what the operation expects; make the patch again".into(),
            file: file.into(),
            json_pointer: Some("/port".into()),
            location,
            related,
            details: BTreeMap::new(),
            repair_refs: Vec::new(),
        }
    }

    fn plain_frame(diagnostic: &Diagnostic, sources: &[(&str, &str)]) -> String {
        let sources = sources
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()))
            .collect();
        let help =
            BTreeMap::from([("d_000000000000".to_owned(), "make the patch again".to_owned())]);
        anstream::adapter::strip_str(&render_frame(diagnostic, &Frames { sources, help }))
            .to_string()
    }

    #[test]
    fn a_frame_shows_the_file_and_the_patch() {
        let file = "name: x\nhost: y\nport: 80\nlast: z\n";
        let patch = "{\n  \"ops\": [\n    {\"value\": 81}\n  ]\n}\n";
        let related = Related {
            file: "fix.json".into(),
            json_pointer: Some("/ops/0".into()),
            location: Some(location(patch, "{\"value\": 81}")),
            message: "this operation".into(),
        };
        let diagnostic = diagnostic("app.yaml", Some(location(file, "80")), vec![related]);
        insta::assert_snapshot!(plain_frame(
            &diagnostic,
            &[("app.yaml", file), ("fix.json", patch)]
        ));
    }

    #[test]
    fn after_the_first_few_the_rest_is_counted() {
        let many: Vec<Diagnostic> = (0..50).map(|_| diagnostic("a", None, Vec::new())).collect();
        let short = render_frames(&many, &Frames::default(), false);
        assert_eq!(short.len(), MOST_FRAMES + 1);
        assert_eq!(short.last().unwrap(), "30 findings more like these; -v shows all.\n");
        assert_eq!(render_frames(&many, &Frames::default(), true).len(), 50);
    }

    #[test]
    fn a_frame_without_a_place_names_the_file_and_the_pointer() {
        insta::assert_snapshot!(plain_frame(&diagnostic("app.yaml", None, Vec::new()), &[]), @r"
        error[SEM_X]: the value is not what the operation expects
        --> app.yaml at /port
         = help: make the patch again
        ");
    }

    #[test]
    fn a_huge_line_a_bad_place_and_bytes_that_are_no_text_are_fine() {
        let long = format!("[{}1]", "0,".repeat(1_000_000));
        let frame =
            plain_frame(&diagnostic("a", Some(location(&long, "1]")), Vec::new()), &[("a", &long)]);
        assert!(frame.len() < 2_000, "{} bytes", frame.len());
        let mut outside = location("abc", "b");
        outside.end_byte = 99;
        assert!(
            plain_frame(&diagnostic("a", Some(outside), Vec::new()), &[("a", "abc")])
                .contains("a at /port")
        );
        let sources = BTreeMap::from([("a".to_owned(), b"\xff\xfe\x1b[2J\xe4: 1\r\n".to_vec())]);
        let frames = Frames { sources, ..Frames::default() };
        for start_byte in 0..8 {
            let at = Location {
                start_byte,
                end_byte: start_byte + 1,
                start_line: 1,
                start_col: 1,
                end_line: 1,
                end_col: 1,
            };
            assert!(
                !render_frame(&diagnostic("a", Some(at), Vec::new()), &frames)
                    .contains("\u{1b}[2J")
            );
        }
    }
}
