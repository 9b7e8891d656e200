//! Places in stack traces, which both engines write as `at name (module:line:column)`.

use std::collections::BTreeMap;

use crate::program::Program;

/// A call that was under way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Frame {
    /// The function, where the engine names it; by the name that its module exports it under.
    pub function: Option<String>,
    /// The path of the module.
    pub module: String,
    /// From 1.
    pub line: u32,
    /// From 1, as the engine counts.
    pub column: u32,
}

/// The frames that are in the program's own modules, the innermost first.
pub(crate) fn parse(stack: &str, program: &Program) -> Vec<Frame> {
    let modules = program.modules();
    let exported: BTreeMap<&str, BTreeMap<&str, &str>> =
        modules.iter().map(|(path, text)| (path.as_str(), renamed(text))).collect();
    let mut frames = Vec::new();
    // What the frame called, by the name that it has in its own module.
    let mut callee: Option<String> = None;
    for line in stack.lines() {
        let frame = parse_line(line);
        let called =
            std::mem::replace(&mut callee, frame.as_ref().and_then(|it| it.function.clone()));
        let Some(mut frame) = frame else { continue };
        let Some(names) = exported.get(frame.module.as_str()) else { continue };
        let text = modules.get(&frame.module);
        if let (Some(text), Some(called)) = (text, called)
            && let Some(call) = call_around(text, (frame.line, frame.column), &called)
        {
            (frame.line, frame.column) = call;
        }
        let known = frame.function.as_deref().and_then(|it| names.get(it));
        if let Some(exported) = known {
            frame.function = Some((*exported).to_owned());
        }
        frames.push(frame);
    }
    frames
}

/// The innermost call of a function that a place is inside, if the place itself is not that call. The embedded engine
/// gives the last call among the arguments as the place of a call.
fn call_around(text: &str, (line, column): (u32, u32), function: &str) -> Option<(u32, u32)> {
    let index = |number: u32| (number as usize).checked_sub(1);
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let here = *lines.get(index(line)?)?;
    let (before, after) = here.split_at_checked(index(column)?).filter(|_| here.is_ascii())?;
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '$';
    let head = before.trim_end_matches(is_part).len();
    let tail = after.len() - after.trim_start_matches(is_part).len();
    if here[head..column as usize - 1 + tail] == *function {
        return None;
    }
    // What is declared at the top of a module begins at the edge.
    let first = lines.iter().rposition(|it| it.starts_with(|it: char| it.is_ascii_alphabetic()))?;
    let mut open: Vec<Option<(u32, u32)>> = Vec::new();
    let mut quote = None;
    for (number, text) in lines.iter().enumerate().skip(first) {
        let end = if number + 1 == line as usize { before.len() } else { text.len() };
        let mut is_escaped = false;
        for (at, it) in text[..end.min(text.len())].char_indices() {
            match (quote, it) {
                (Some(_), _) if std::mem::take(&mut is_escaped) => {}
                (Some(_), '\\') => is_escaped = true,
                (Some(open), _) if open == it => quote = None,
                // A call inside a template is left where the engine says.
                (Some(_), _) => {}
                (None, '"' | '\'' | '`') => quote = Some(it),
                (None, '(') => {
                    let start = text[..at].trim_end_matches(is_part).len();
                    let is_meant = text[start..at] == *function;
                    open.push(is_meant.then_some((number as u32 + 1, start as u32 + 1)));
                }
                (None, ')') => _ = open.pop(),
                (None, _) => {}
            }
        }
    }
    open.into_iter().rev().flatten().next()
}

/// What a module exports under another name than its own, by its own. A function gives way to words of the language and
/// to helpers, and is exported by the name that it was given.
fn renamed(text: &str) -> BTreeMap<&str, &str> {
    let exports = text.lines().filter_map(|it| {
        let names = it.strip_prefix("export { ")?.strip_suffix(" };")?;
        names.split_once(" as ")
    });
    exports.collect()
}

fn parse_line(line: &str) -> Option<Frame> {
    let call = line.trim().strip_prefix("at ")?;
    let (function, place) = match call.strip_suffix(')').and_then(|it| it.rsplit_once('(')) {
        Some((function, place)) => (function.trim(), place),
        None => ("", call),
    };
    let mut parts = place.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    let module = parts.next()?.to_owned();
    // Node puts what a function is called on, or `async`, before its name.
    let function = function.rsplit(['.', ' ']).next().unwrap_or(function);
    let is_named = !function.is_empty() && function != "<anonymous>";
    Some(Frame { function: is_named.then(|| function.to_owned()), module, line, column })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Module;

    #[test]
    fn only_frames_of_the_programs_modules_count() {
        let module = |path: &str| Module { path: path.to_owned(), text: String::new() };
        let program = Program::new(vec![module("main.js"), module("a/b.js")], "main.js").unwrap();
        let stack = "Error: at x (main.js:9:9)\n    at panic (main.js:3:5)\n    at map (native)\n    \
            at <anonymous> (a/b.js:10:20)\n    at main.js:1:1\n    at node:internal:1:2\n    at main.js:x:1\n    at (\n    at";
        let frame = |function: Option<&str>, module: &str, line, column| Frame {
            function: function.map(str::to_owned),
            module: module.to_owned(),
            line,
            column,
        };
        let expected = [
            frame(Some("panic"), "main.js", 3, 5),
            frame(None, "a/b.js", 10, 20),
            frame(None, "main.js", 1, 1),
        ];
        assert_eq!(parse(stack, &program), expected);
    }

    #[test]
    fn a_call_is_where_it_begins_and_not_at_its_last_argument() {
        let text = "\
export function f(n) {
  panic(\"(not \\\"positive\" + show(n));
}
export function main() {
  const x = `(${g(
    f(show(1)),
    f(h(2), 3),
  )}`;
  f(h(2)); f(3);
}
";
        let module = Module { path: "main.js".to_owned(), text: text.to_owned() };
        let program = Program::new(vec![module], "main.js").unwrap();
        let place = |called: &str, line: usize, of: &str| {
            let column = text.lines().nth(line - 1).unwrap().find(of).unwrap() + 1;
            let stack = format!("at {called} (main.js:1:1)\nat main (main.js:{line}:{column})");
            let frame = parse(&stack, &program).remove(1);
            let rest = text.lines().nth(frame.line as usize - 1).unwrap();
            rest[frame.column as usize - 1..].to_owned()
        };
        assert_eq!(place("panic", 2, "show"), "panic(\"(not \\\"positive\" + show(n));");
        assert_eq!(place("panic", 2, "panic"), "panic(\"(not \\\"positive\" + show(n));");
        assert_eq!(place("other", 2, "show"), "show(n));");
        assert_eq!(place("f", 9, "h(2)"), "f(h(2)); f(3);");
        assert_eq!(place("f", 9, "f(3)"), "f(3);");
        assert_eq!(place("f", 9, "(3)"), "(3);");
    }

    #[test]
    fn functions_are_called_as_they_are_exported() {
        let text = "function at2() {}\n\nexport { at2 as at };\nexport { start as main };\n";
        let module = Module { path: "main.js".to_owned(), text: text.to_owned() };
        let program = Program::new(vec![module], "main.js").unwrap();
        let name = |call: &str| {
            let frames = parse(&format!("at {call} (main.js:1:2)"), &program);
            frames.into_iter().next().and_then(|it| it.function)
        };
        for (call, expected) in [
            ("at2", Some("at")),
            ("Module.at2", Some("at")),
            ("async Module.start", Some("main")),
            ("Module.other", Some("other")),
            ("<anonymous>", None),
            ("Object.<anonymous>", None),
        ] {
            assert_eq!(name(call).as_deref(), expected, "{call}");
        }
    }
}
