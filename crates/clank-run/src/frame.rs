//! Places in stack traces, which both engines write as `at name (module:line:column)`.

use crate::program::Program;

/// A call that was under way.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Frame {
    /// The function, where the engine names it.
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
    let is_own = |it: &Frame| program.modules().contains_key(&it.module);
    stack.lines().filter_map(parse_line).filter(is_own).collect()
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
}
