//! A finding as a code frame: the place in the file it is about, and the places that belong to it, such as the one in
//! the patch document.
//!
//! The lines of a text are found once, and a frame looks at no more of a line than it shows, so that n findings of one
//! file cost n frames, however long the file and its lines are. Bytes that the report hides are shown as `…`.

use std::collections::BTreeMap;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anstream::adapter::strip_str;
use protocol::v1::{Diagnostic, Location, Severity};
use service::{Frames, LineIndex};

use super::excerpt::{Excerpt, excerpt};
use crate::words::{count, list, name_of, printable};

/// How many findings are shown before the rest is counted.
const MOST_FRAMES: usize = 20;
/// Wider than what an excerpt and its label need: excerpts are cut before they are rendered.
const WIDTH: usize = 4096;

/// Shows findings as frames.
pub(crate) struct Framer<'a> {
    frames: &'a Frames,
    /// Where the lines of the texts are that were shown so far.
    lines: BTreeMap<&'a str, LineIndex>,
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
    let mut framer = Framer::new(frames);
    let mut rendered: Vec<String> =
        diagnostics.iter().filter(is_shown).take(n_frames).map(|it| framer.render(it)).collect();
    if n_frames < n_shown {
        let rest = count(n_shown - n_frames, "finding");
        rendered.push(format!("{rest} more like these; -v shows all.\n"));
    }
    rendered
}

/// The findings of a report as people read them: those of one file by line, whatever place their pointers have in the
/// order of reports. A finding about a whole file comes first.
pub(crate) fn in_line_order<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
) -> Vec<&'a Diagnostic> {
    let mut ordered: Vec<&Diagnostic> = diagnostics.into_iter().collect();
    let start = |it: &Diagnostic| it.location.as_ref().map(|it| it.start_byte);
    // Findings of one place stay as they are: in the order of the report.
    ordered.sort_by(|left, right| {
        (left.file.as_str(), start(left)).cmp(&(right.file.as_str(), start(right)))
    });
    ordered
}

impl<'a> Framer<'a> {
    pub(crate) fn new(frames: &'a Frames) -> Framer<'a> {
        Framer { frames, lines: BTreeMap::new() }
    }

    /// The frame, ending with a newline: what is wrong, the place in the file, the place in the patch document, and
    /// what to do.
    pub(crate) fn render(&mut self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let help = self.frames.help.get(&diagnostic.diagnostic_id);
        let message = match help.and_then(|it| diagnostic.message.strip_suffix(it.as_str())) {
            Some(message) => message.trim_end_matches([';', ' ']),
            None => &diagnostic.message,
        };
        let mut group =
            Group::with_title(level.primary_title(printable(message)).id(name_of(diagnostic)));
        let label = label(diagnostic);
        let spot = LabelledSpan {
            file: &diagnostic.file,
            location: diagnostic.location.as_ref(),
            pointer: diagnostic.json_pointer.as_deref(),
            label: label.as_deref(),
            kind: AnnotationKind::Primary,
        };
        let mut columns = Vec::new();
        group = self.place(group, &spot, &mut columns);
        for related in &diagnostic.related {
            let spot = LabelledSpan {
                file: &related.file,
                location: related.location.as_ref(),
                pointer: related.json_pointer.as_deref(),
                label: Some(&related.message),
                kind: AnnotationKind::Context,
            };
            group = self.place(group, &spot, &mut columns);
        }
        if let Some(help) = help {
            group = group.element(Level::HELP.message(printable(help)));
        }
        let rendered = Renderer::styled().term_width(WIDTH).render(&[group]);
        format!("{}\n", with_columns(rendered, &columns))
    }

    /// Adds a place, and notes the column that its header has to have, if it has one.
    fn place<'g>(
        &mut self,
        group: Group<'g>,
        spot: &LabelledSpan<'_>,
        columns: &mut Vec<Option<HeaderColumn>>,
    ) -> Group<'g> {
        let name = printable(spot.file);
        let Some((at, excerpt)) = spot.location.zip(self.excerpt(spot)) else {
            if name.is_empty() {
                return group;
            }
            let at =
                spot.pointer.filter(|it| !it.is_empty()).map(|it| format!(" at {}", printable(it)));
            columns.push(None);
            return group.element(Origin::path(format!("{name}{}", at.unwrap_or_default())));
        };
        let shown = excerpt.text[..excerpt.span.start].chars().count() + 1;
        columns.push(Some(HeaderColumn { shown, exact: at.start_col as usize }));
        let annotation = spot.kind.span(excerpt.span).label(spot.label.map(printable));
        group.element(
            Snippet::source(excerpt.text)
                .line_start(at.start_line as usize)
                .path(name)
                .annotation(annotation),
        )
    }

    fn excerpt(&mut self, spot: &LabelledSpan<'_>) -> Option<Excerpt> {
        let (name, bytes) = self.frames.sources.get_key_value(spot.file)?;
        let hidden = self.frames.hidden.get(spot.file).map_or(&[][..], Vec::as_slice);
        let lines = self.lines.entry(name).or_insert_with(|| LineIndex::new(bytes));
        let location = spot.location?;
        excerpt(bytes, lines, location.start_byte..location.end_byte, hidden)
    }
}

/// The column in the header of a place: the one of the excerpt, which may begin anywhere in its line, and the one of
/// the report.
struct HeaderColumn {
    shown: usize,
    exact: usize,
}

/// The frame with the columns of the report in its headers. A title is one line and has no header before it; no other
/// line than a header begins with an arrow, since those that quote a source begin with its number.
fn with_columns(rendered: String, columns: &[Option<HeaderColumn>]) -> String {
    let is_right = |it: &Option<HeaderColumn>| it.as_ref().is_none_or(|it| it.shown == it.exact);
    if columns.iter().all(is_right) {
        return rendered;
    }
    let mut columns = columns.iter();
    let lines = rendered.split('\n').enumerate().map(|(idx, line)| {
        let plain = strip_str(line).to_string();
        let is_header = ["-->", ":::"].iter().any(|it| plain.trim_start().starts_with(it));
        if idx == 0 || !is_header {
            return line.to_owned();
        }
        let Some(Some(column)) = columns.next() else { return line.to_owned() };
        let shown = format!(":{}", column.shown);
        match line.rfind(&shown) {
            Some(at) => {
                format!("{}:{}{}", &line[..at], column.exact, &line[at + shown.len()..])
            }
            None => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
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
struct LabelledSpan<'a> {
    file: &'a str,
    location: Option<&'a Location>,
    pointer: Option<&'a str>,
    label: Option<&'a str>,
    kind: AnnotationKind,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use protocol::v1::{Related, Tier};

    use super::*;

    fn location(text: &str, needle: &str) -> Location {
        let start = text.find(needle).unwrap();
        let line = text[..start].matches('\n').count() as u32 + 1;
        let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
        let col = text[line_start..start].chars().count() as u32 + 1;
        let (start_byte, end_byte) = (start as u32, (start + needle.len()) as u32);
        Location {
            start_byte,
            end_byte,
            start_line: line,
            start_col: col,
            end_line: line,
            end_col: col + needle.chars().count() as u32,
            document: None,
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
        anstream::adapter::strip_str(
            &Framer::new(&Frames { sources, help, ..Frames::default() }).render(diagnostic),
        )
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
                document: None,
            };
            assert!(
                !Framer::new(&frames)
                    .render(&diagnostic("a", Some(at), Vec::new()))
                    .contains("\u{1b}[2J")
            );
        }
    }
}
