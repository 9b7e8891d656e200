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
    for mut frame in stack.lines().filter_map(parse_line) {
        let Some(names) = exported.get(frame.module.as_str()) else { continue };
        let known = frame.function.as_deref().and_then(|it| names.get(it));
        if let Some(exported) = known {
            frame.function = Some((*exported).to_owned());
        }
        frames.push(frame);
    }
    frames
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
