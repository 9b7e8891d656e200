//! What the targets for Clank share: programs to start from, programs made from them, and the laws.
//!
//! Bytes alone hardly ever make a program that a checker gets to see. So an input that starts with a control character
//! is read as decisions: which program to take, and which of its nodes to replace by nodes of the same kind from
//! anywhere. Any other input is the text itself.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use arbitrary::{Result, Unstructured};
use clank::program::NoModules;
use clank::{Checked, Program};
use clank_emit::{EmitOptions, OutputLanguage, Runtime, emit};
use clank_syntax::ast::{Ast, AstKind, Name, NodeId};
use clank_syntax::json::{WriteOptions, read, read_lenient, write};
use clank_syntax::{Parsed, Span, TokenKind, lex, parse};
use edit::Text;

/// Longer texts are not worth their time.
const MAX_LEN: usize = 20_000;

/// The programs of the tests, and the declarations of the longer ones.
static PROGRAMS: LazyLock<Vec<Parsed>> = LazyLock::new(|| {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut texts = Vec::new();
    for folder in ["clank-syntax/tests/programs", "clank/tests/typing", "clank-emit/tests/run"] {
        let entries = std::fs::read_dir(crates.join(folder)).expect("the tests have programs");
        let mut paths: Vec<_> = entries.map(|it| it.expect("it is there").path()).collect();
        paths.sort();
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("tests are text");
            match path.extension().is_some_and(|it| it == "clank") {
                true => texts.push(text),
                false => texts.extend(blocks(&text)),
            }
        }
    }
    let parsed: Vec<Parsed> = texts.iter().map(|it| parse("main.clank", it)).collect();
    assert!(parsed.len() > 200, "the tests have programs");
    parsed
});

/// The programs between fences.
fn blocks(text: &str) -> Vec<String> {
    let fenced = text.split("```clank\n").skip(1);
    fenced.filter_map(|it| Some(it.split_once("```")?.0.to_owned())).collect()
}

/// The text that an input stands for, and the program that it was made from if there is one.
pub fn program(data: &[u8]) -> Option<(String, Option<&'static Parsed>)> {
    match data {
        [first, decisions @ ..] if *first < 0x20 => {
            let (text, from) = draw(&mut Unstructured::new(decisions)).ok()?;
            (text.len() <= MAX_LEN).then_some((text, Some(from)))
        }
        _ => {
            let text = String::from_utf8_lossy(data).into_owned();
            (text.len() <= MAX_LEN).then_some((text, None))
        }
    }
}

fn draw(input: &mut Unstructured<'_>) -> Result<(String, &'static Parsed)> {
    let from = input.choose(&PROGRAMS)?;
    let mut text = from.tokens.source().to_owned();
    for _ in 0..input.int_in_range(1..=4)? {
        let parsed = parse("main.clank", &text);
        let other = if input.ratio(1, 3)? { input.choose(&PROGRAMS)? } else { from };
        match input.int_in_range(0..=5)? {
            0..=3 => replace_node(&mut text, &parsed.ast, &other.ast, input)?,
            4 => replace_token(&mut text, &parsed, other, input)?,
            _ => {
                // Both programs as one.
                text.push('\n');
                text.push_str(other.tokens.source());
            }
        }
    }
    Ok((text, from))
}

fn replace_node(
    text: &mut String,
    ast: &Ast,
    other: &Ast,
    input: &mut Unstructured<'_>,
) -> Result<()> {
    let at = NodeId(input.int_in_range(0..=ast.nodes().len() as u32 - 1)?);
    let wanted = std::mem::discriminant(&ast.node(at).kind);
    let fits = |it: &u32| std::mem::discriminant(&other.node(NodeId(*it)).kind) == wanted;
    let candidates: Vec<u32> = (0..other.nodes().len() as u32).filter(fits).collect();
    if candidates.is_empty() {
        return Ok(());
    }
    let new = other.text(NodeId(*input.choose(&candidates)?));
    let is_expr = matches!(ast.node(at).kind, AstKind::Expr(_)) && !new.starts_with('{');
    // Parentheses keep it one node, most of the time.
    let new = if is_expr && input.ratio(1, 2)? { format!("({new})") } else { new.to_owned() };
    text.replace_range(range(ast.span(at)), &new);
    Ok(())
}

fn replace_token(
    text: &mut String,
    parsed: &Parsed,
    other: &Parsed,
    input: &mut Unstructured<'_>,
) -> Result<()> {
    if parsed.tokens.is_empty() || other.tokens.is_empty() {
        return Ok(());
    }
    let at = parsed.tokens.span(input.int_in_range(0..=parsed.tokens.len() - 1)?);
    let new = other.tokens.text(input.int_in_range(0..=other.tokens.len() - 1)?);
    let new = match input.int_in_range(0..=3)? {
        0 => "",
        1 => input.choose(&WORDS)?,
        _ => new,
    };
    text.replace_range(range(at), new);
    Ok(())
}

const WORDS: [&str; 32] = [
    "_",
    "?",
    "0",
    "-1",
    "1.5",
    "()",
    "[]",
    "{",
    "}",
    "(",
    ")",
    "//c\n",
    "/*c*/",
    "\n\n",
    "..",
    "..=",
    "mut ",
    "return ",
    "break",
    "true",
    "Nat",
    "Linear[Int]",
    "Int32",
    "IO + Unit",
    "never",
    "len",
    "consume",
    "Some",
    "Err",
    "9223372036854775808",
    "\\x -> x",
    "`${a}`",
];

fn range(span: Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}

/// Tokens are the whole text, nodes lie in their parents and after one another, and what is not understood is said.
pub fn reads(text: &str) {
    let (tokens, _) = lex(text);
    let joined: String = tokens.iter().map(|it| it.1).collect();
    assert_eq!(joined, text, "tokens are the whole text");
    let parsed = parse("main.clank", text);
    let mut has_error_node = false;
    for index in 0..parsed.ast.nodes().len() as u32 {
        let id = NodeId(index);
        let span = parsed.ast.span(id);
        assert!(text.get(range(span)).is_some(), "a node is a piece of text");
        let mut next_byte = span.start;
        parsed.ast.for_each_child(id, &mut |child| {
            let child = parsed.ast.span(child);
            assert!(span.holds(child) && next_byte <= child.start, "nodes nest");
            next_byte = child.end;
        });
        has_error_node |= parsed.ast.node(id).kind.is_error();
    }
    for error in &parsed.errors {
        assert!(text.get(range(error.span)).is_some() && !error.message.is_empty());
    }
    assert!(!has_error_node || !parsed.errors.is_empty(), "an error node without a word");
}

/// The layout has the same tokens and the same tree, laid out again it is the same, and the edits make it.
pub fn lays_out(text: &str) {
    let parsed = parse("main.clank", text);
    let formatted = clank_syntax::format(&parsed);
    assert_eq!(formatted.is_none(), !parsed.errors.is_empty());
    let Some(formatted) = formatted else { return };
    let again = parse("main.clank", &formatted);
    assert!(again.errors.is_empty(), "the layout can be read:\n{formatted}");
    assert_eq!(pieces(&parsed), pieces(&again), "tokens and comments stay");
    assert!(clank_syntax::same(&parsed.ast, &again.ast), "the tree stays");
    assert_eq!(
        clank_syntax::format(&again).as_deref(),
        Some(formatted.as_str()),
        "a second time is the same"
    );
    let before = Text::new(text);
    let edits = clank_syntax::format_edits(&before, &parsed).expect("there are no errors");
    assert_eq!(edits.apply(&before).expect("made for this text").bytes(), formatted.as_bytes());
    assert_eq!(clank_syntax::is_formatted(&parsed), Some(edits.is_empty()));
}

fn pieces(parsed: &Parsed) -> Vec<(TokenKind, &str)> {
    let significant = parsed.tokens.iter().filter(|it| it.0 != TokenKind::Whitespace);
    significant
        .map(|(kind, text)| match kind {
            TokenKind::LineComment => (kind, text.trim_end()),
            _ => (kind, text),
        })
        .collect()
}

/// What is read can be written, read again and printed, and is still the same; what is not says where.
pub fn reads_json(text: &str) {
    let (lenient, _) = read_lenient(text);
    if let Some(ast) = lenient {
        checks(ast_program(ast), None);
    }
    let ast = match read(text) {
        Ok(ast) => ast,
        Err(errors) => {
            assert!(!errors.is_empty() && errors.iter().all(|it| it.path.starts_with('$')));
            return;
        }
    };
    for (ids, spans) in [(false, false), (true, true)] {
        let options = WriteOptions { ids, spans, pretty: spans };
        let written = write(&ast, &options);
        let again = read(&written)
            .unwrap_or_else(|it| panic!("what was written is read: {it:?}\n{written}"));
        assert!(clank_syntax::same(&ast, &again), "{written}");
        assert_eq!(write(&again, &options), written);
    }
    let printed = clank_syntax::print(&ast);
    let parsed = parse("main.clank", &printed);
    assert!(parsed.errors.is_empty(), "{:?}\n{printed}", parsed.errors);
    assert!(clank_syntax::same(&ast, &parsed.ast), "{printed}");
}

/// AST JSON: the text itself, or that of a program that was drawn, with one value replaced by another.
pub fn json(data: &[u8]) -> Option<String> {
    let [first, decisions @ ..] = data else { return None };
    if *first >= 0x20 {
        return Some(String::from_utf8_lossy(data).into_owned());
    }
    let mut input = Unstructured::new(decisions);
    let from = input.choose(&PROGRAMS).ok()?;
    let options = WriteOptions {
        ids: input.arbitrary().ok()?,
        spans: input.arbitrary().ok()?,
        pretty: false,
    };
    let mut value: serde_json::Value = serde_json::from_str(&write(&from.ast, &options)).ok()?;
    let pointers = pointers(&value);
    for _ in 0..input.int_in_range(1..=3).ok()? {
        let new = value.pointer(input.choose(&pointers).ok()?).cloned().unwrap_or_default();
        let new = match input.int_in_range(0..=9).ok()? {
            0 => serde_json::json!({"source": input.choose(&WORDS).ok()?}),
            1 => serde_json::json!(input.choose(&WORDS).ok()?),
            2 => serde_json::Value::Null,
            3 => serde_json::json!([]),
            4 => serde_json::json!(input.arbitrary::<i32>().ok()?),
            _ => new,
        };
        if let Some(at) = value.pointer_mut(input.choose(&pointers).ok()?) {
            *at = new;
        }
    }
    Some(value.to_string()).filter(|it| it.len() < 10 * MAX_LEN)
}

fn pointers(value: &serde_json::Value) -> Vec<String> {
    let mut all = Vec::new();
    let mut work = vec![(String::new(), value)];
    while let Some((pointer, value)) = work.pop() {
        match value {
            serde_json::Value::Array(items) => {
                work.extend(
                    items.iter().enumerate().map(|(it, item)| (format!("{pointer}/{it}"), item)),
                );
            }
            serde_json::Value::Object(members) => {
                work.extend(
                    members.iter().map(|(key, member)| (format!("{pointer}/{key}"), member)),
                );
            }
            _ => {}
        }
        all.push(pointer);
    }
    all
}

/// The program of one text.
pub fn text_program(text: &str) -> Program {
    let parsed = parse("main.clank", text);
    Program::load(Name::new("main.clank"), Arc::new(parsed.ast), parsed.errors, &NoModules)
}

fn ast_program(ast: Ast) -> Program {
    Program::load(Name::new("main.clank"), Arc::new(ast), Vec::new(), &NoModules)
}

/// There is one diagnostic for every code and node, what was known about another program changes nothing, and a program
/// without mistakes becomes code in both languages.
pub fn checks(program: Program, before: Option<&Checked>) {
    let checked = clank::check(&program, None);
    for module in &checked.modules {
        let mut seen = BTreeSet::new();
        for it in &module.diagnostics {
            assert!(it.node.index() < module.ast.nodes().len(), "{it:?}");
            assert!(seen.insert((it.code, it.node)), "twice: {it:?}");
            assert!(!it.message.is_empty() && !it.message.contains('\n'), "one line: {it:?}");
        }
        assert!(module.goals().all(|it| it.0.index() < module.ast.nodes().len()));
    }
    if let Some(before) = before {
        let again = clank::check(&program, Some(before));
        for (new, old) in again.modules.iter().zip(&checked.modules) {
            assert_eq!(new.diagnostics, old.diagnostics, "what was known before changes nothing");
            assert_eq!(new.bodies, old.bodies, "what was known before changes nothing");
        }
    }
    if checked.has_errors() {
        return;
    }
    for dialect in [OutputLanguage::TypeScript, OutputLanguage::JavaScript] {
        let output =
            emit(&checked, &EmitOptions { dialect, runtime: Runtime::Import("./clank.js".into()) });
        assert_eq!(output.files.len(), 1);
    }
}
