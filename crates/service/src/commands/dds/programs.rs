//! Which files of the repository a tool's command runs: what is approved with the tool, and what needs two people to be
//! changed (X-72, X-75).
//!
//! ```text
//! ["python3", "tools/mend.py"]              tools/mend.py
//! ["python3", "-m", "tools.mend"]           tools/mend.py, tools/mend/__main__.py
//! ["sh", "-c", "cd tools && ./mend.sh"]     tools/mend.sh
//! ["make", "mend"]                          Makefile
//! ```
//!
//! Every word of a command counts if it names a file. In the text of a shell only what is run counts: a file that a tool is
//! to change is named there as well. What a script reads or imports in its turn is not followed.

use std::collections::BTreeSet;
use std::path::Path;

use snapshot::RelPath;

/// How deep the text of a shell may hold the text of another one.
const MOST_LEVELS: usize = 4;

/// Programs that run a script which is named to them.
const INTERPRETERS: &[&str] = &[
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "ash",
    "fish",
    "busybox",
    "python",
    "node",
    "nodejs",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "ruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "Rscript",
    "java",
    "julia",
    "groovy",
    "scala",
    "elixir",
    "escript",
    "tclsh",
    "go",
    "osascript",
    "pwsh",
    ".",
    "source",
];

/// Programs that run the one that is named behind them.
const PREFIXES: &[&str] = &[
    "env", "exec", "command", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "timeout",
    "sudo", "doas", "xargs", "uv", "poetry", "pipenv", "pdm", "hatch", "rye", "bundle", "npx",
    "chronic",
];

/// Words of the shell after which a command stands.
const KEYWORDS: &[&str] =
    &["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "esac"];

/// Programs that look for their script themselves, and where.
const RUNNERS: &[(&[&str], &[&str])] = &[
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml"]),
    (&["rake"], &["Rakefile", "rakefile", "Rakefile.rb"]),
    (&["npm", "pnpm", "yarn", "bun"], &["package.json"]),
    (&["deno"], &["deno.json", "deno.jsonc"]),
    (&["composer"], &["composer.json"]),
    (&["nox"], &["noxfile.py"]),
    (&["tox"], &["tox.ini"]),
    (&["invoke", "inv"], &["tasks.py"]),
    (&["fab"], &["fabfile.py"]),
    (&["cargo"], &[".cargo/config.toml", ".cargo/config"]),
    (&["gradle", "gradlew"], &["build.gradle", "build.gradle.kts"]),
    (&["ant"], &["build.xml"]),
    (&["scons"], &["SConstruct"]),
];

/// What a directory runs that is named like a program.
const ENTRIES: &[&str] = &["__main__.py", "index.js", "index.mjs", "index.cjs", "main.go"];

/// Where the files may be that the command runs. Not all of them are there.
pub(super) fn named(root: &Path, command: &[String]) -> BTreeSet<RelPath> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut found = ProgramSearch { root: &root, paths: BTreeSet::new() };
    for word in command {
        found.add("", word);
    }
    let words: Vec<Word> = command.iter().map(|text| Word::plain(text)).collect();
    found.simple("", &words, MOST_LEVELS);
    found.paths
}

struct ProgramSearch<'a> {
    root: &'a Path,
    paths: BTreeSet<RelPath>,
}

impl ProgramSearch<'_> {
    /// A word that may name a file, or does so behind a `=` or an `@`.
    fn add(&mut self, base: &str, word: &str) {
        let value = word.split_once('=').map(|(_, value)| value);
        for text in [Some(word), value, word.strip_prefix('@')].into_iter().flatten() {
            let Some(path) = self.path(base, text) else { continue };
            self.paths.insert(path);
        }
    }

    /// What an interpreter runs that is given a directory.
    fn add_entries(&mut self, base: &str, word: &str) {
        let Some(path) = self.path(base, word) else { return };
        if self.root.join(path.as_str()).is_dir() {
            let inner = ENTRIES.iter().map(|it| format!("{path}/{it}"));
            self.paths.extend(inner.filter_map(|it| RelPath::parse(&it).ok()));
        }
    }

    /// The path from the root, if it leads to something in it.
    fn path(&self, base: &str, text: &str) -> Option<RelPath> {
        let inner = match Path::new(text).strip_prefix(self.root) {
            Ok(inner) => inner.to_str()?.to_owned(),
            Err(_) if text.starts_with('/') => return None,
            Err(_) => format!("{base}/{text}"),
        };
        let mut segments: Vec<&str> = Vec::new();
        for segment in inner.split('/') {
            match segment {
                "" | "." => {}
                ".." => {
                    segments.pop()?;
                }
                segment => segments.push(segment),
            }
        }
        RelPath::parse(&segments.join("/")).ok()
    }

    /// A program with its arguments, in that folder.
    fn simple(&mut self, base: &str, words: &[Word], n_levels: usize) {
        // What is said before the program: variables, and programs that run another one.
        let is_assignment = |it: &Word| {
            it.text.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
            })
        };
        let mut at = 0;
        let mut is_behind_prefix = false;
        while let Some(word) = words.get(at) {
            let is_prefix =
                PREFIXES.contains(&name(&word.text)) || KEYWORDS.contains(&word.text.as_str());
            let is_of_prefix = is_behind_prefix
                && (word.text.starts_with(['-', '+'])
                    || word.text.starts_with(|it: char| it.is_ascii_digit())
                    || ["run", "exec"].contains(&word.text.as_str()));
            is_behind_prefix |= is_prefix;
            if !(is_prefix || is_of_prefix || is_assignment(word)) {
                break;
            }
            at += 1;
        }
        // The text of a shell may stand behind any of them: `env -S "…"`.
        for word in words {
            self.script(base, word, n_levels);
        }
        let Some((program, arguments)) = words.get(at..).and_then(<[Word]>::split_first) else {
            return;
        };
        if program.text.contains('/') {
            self.add(base, &program.text);
        }
        let name = name(&program.text);
        let folder = folder_of(arguments).map_or(base.to_owned(), |it| format!("{base}/{it}"));
        for (_, files) in RUNNERS.iter().filter(|it| it.0.contains(&name)) {
            for file in *files {
                self.add(&folder, file);
            }
        }
        for (flag, value) in arguments.iter().zip(arguments.iter().skip(1)) {
            if ["-f", "--file", "--makefile", "-m", "-jar"].contains(&flag.text.as_str()) {
                self.add(base, &value.text);
                self.module(base, &value.text);
            }
        }
        let version = |it: char| it.is_ascii_digit() || it == '.';
        if INTERPRETERS.contains(&name) || INTERPRETERS.contains(&name.trim_end_matches(version)) {
            self.interpreted(base, arguments);
        }
    }

    /// The script that an interpreter is given: the first word that is no option and is there, with what options name.
    fn interpreted(&mut self, base: &str, arguments: &[Word]) {
        for (idx, word) in arguments.iter().enumerate() {
            if word.text.starts_with('-') {
                if let Some(module) = word.text.strip_prefix("-m").filter(|it| !it.is_empty()) {
                    self.module(base, module);
                }
                self.add(base, &word.text);
                continue;
            }
            let is_run = idx == 0 && ["run", "x", "exec"].contains(&word.text.as_str());
            self.add(base, &word.text);
            self.add_entries(base, &word.text);
            let is_there =
                self.path(base, &word.text).is_some_and(|it| self.root.join(it.as_str()).exists());
            if is_there && !is_run {
                break;
            }
        }
        for word in arguments.iter().filter(|it| it.is_read) {
            self.add(base, &word.text);
        }
    }

    /// A module of Python.
    fn module(&mut self, base: &str, name: &str) {
        let path = name.replace('.', "/");
        if path.starts_with('/') {
            return;
        }
        for file in
            [format!("{path}.py"), format!("{path}/__main__.py"), format!("{path}/__init__.py")]
        {
            self.add(base, &file);
        }
    }

    /// A word that is the text of a shell: more than one word, or a sign that only a shell understands.
    fn script(&mut self, base: &str, word: &Word, n_levels: usize) {
        let is_text =
            word.text.contains(|it: char| it.is_whitespace() || ";&|<>()`'\"\\$".contains(it));
        let Some(inner) = n_levels.checked_sub(1).filter(|_| is_text) else { return };
        let mut folder = base.to_owned();
        for words in commands(&word.text) {
            self.simple(&folder, &words, inner);
            if let [program, to, ..] = words.as_slice()
                && ["cd", "pushd"].contains(&program.text.as_str())
            {
                folder = format!("{folder}/{}", to.text);
            }
        }
    }
}

/// The name of a program without its folder.
fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// The folder that a runner is told to work in.
fn folder_of(arguments: &[Word]) -> Option<&str> {
    const FLAGS: [&str; 5] = ["-C", "--directory", "--prefix", "--cwd", "--dir"];
    let mut pairs = arguments.iter().zip(arguments.iter().skip(1).map(Some).chain([None]));
    pairs.find_map(|(flag, next)| match flag.text.split_once('=') {
        Some((name, value)) => FLAGS.contains(&name).then_some(value),
        None if FLAGS.contains(&flag.text.as_str()) => next.map(|it| it.text.as_str()),
        None => flag.text.strip_prefix("-C").filter(|it| !it.is_empty()),
    })
}

/// A word of a command.
struct Word {
    text: String,
    /// Whether it is a file that is read as the input.
    is_read: bool,
}

impl Word {
    fn plain(text: &str) -> Word {
        Word { text: text.to_owned(), is_read: false }
    }
}

/// The simple commands in the text of a shell, without what is written to, as far as they can be told apart without running
/// it. What stands in `$(…)` is a command of its own.
fn commands(text: &str) -> Vec<Vec<Word>> {
    let mut found: Vec<Vec<Word>> = vec![Vec::new()];
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    // What the next word is: read from, written to, or a word.
    let mut redirected: Option<char> = None;
    let mut chars = text.chars().peekable();
    let end =
        |word: &mut Option<String>, redirected: &mut Option<char>, found: &mut Vec<Vec<Word>>| {
            let Some(text) = word.take() else { return };
            let last = found.last_mut().expect("there is always one");
            match redirected.take() {
                Some('>') => {}
                read => last.push(Word { text, is_read: read.is_some() }),
            }
        };
    while let Some(char) = chars.next() {
        let is_substitution = char == '`' || (char == '$' && chars.peek() == Some(&'('));
        match (quote, char) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), char) => word.get_or_insert_default().push(char),
            (_, '\\') => word.get_or_insert_default().extend(chars.next().filter(|it| *it != '\n')),
            (_, _) if is_substitution => {
                end(&mut word, &mut redirected, &mut found);
                quote = None;
                found.push(Vec::new());
            }
            (Some(_), char) => word.get_or_insert_default().push(char),
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => while chars.next_if(|it| *it != '\n').is_some() {},
            (None, '\n' | ';' | '&' | '|' | '(' | ')') => {
                end(&mut word, &mut redirected, &mut found);
                found.push(Vec::new());
            }
            (None, '<' | '>') => {
                // The number of a stream is no word.
                word = word.filter(|it| !it.bytes().all(|it| it.is_ascii_digit()));
                end(&mut word, &mut redirected, &mut found);
                redirected = Some(char);
            }
            (None, char) if char.is_whitespace() => end(&mut word, &mut redirected, &mut found),
            (None, char) => word.get_or_insert_default().push(char),
        }
    }
    end(&mut word, &mut redirected, &mut found);
    found.retain(|it| !it.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[&str] = &[
        "Makefile",
        "package.json",
        "src/a.py",
        "tools/Makefile",
        "tools/__main__.py",
        "tools/args",
        "tools/lib/mend.py",
        "tools/mend.py",
        "tools/mend.sh",
    ];

    fn check(root: &Path, command: &[&str], expected: &[&str]) {
        let command: Vec<String> = command.iter().map(|it| (*it).to_owned()).collect();
        let named = named(root, &command);
        let there: Vec<&str> =
            named.iter().map(RelPath::as_str).filter(|it| FILES.contains(it)).collect();
        assert_eq!(there, expected, "{command:?}");
    }

    /// X-72: what a command runs is found however it is written; what it is to change is not mistaken for that.
    #[test]
    fn the_programs_of_a_command_are_found() {
        let root = tempfile::tempdir().unwrap();
        for file in FILES {
            std::fs::create_dir_all(root.path().join(file).parent().unwrap()).unwrap();
            std::fs::write(root.path().join(file), "").unwrap();
        }
        let root = root.path();
        let whole = root.join("tools/mend.py").to_str().unwrap().to_owned();
        let mend: &[&str] = &["tools/mend.sh"];
        for spelling in [
            "tools/mend.sh",
            "./tools/mend.sh",
            "tools//mend.sh",
            "tools/./mend.sh",
            "src/../tools/mend.sh",
        ] {
            check(root, &["sh", spelling], mend);
            check(root, &["sh", "-c", &format!("{spelling} {{paths}}")], mend);
            check(root, &["sh", "-ec", &format!("true && {spelling} > src/a.py")], mend);
        }
        check(root, &["python3", &whole], &["tools/mend.py"]);
        check(root, &["mend", "--script=tools/mend.py"], &["tools/mend.py"]);
        check(root, &["javac", "@tools/args"], &["tools/args"]);
        check(root, &["python3", "tools"], &["tools/__main__.py"]);
        check(root, &["python3", "-m", "tools.mend"], &["tools/mend.py"]);
        check(root, &["python3.12", "-mtools"], &["tools/__main__.py"]);
        check(root, &["ruff", "check", "tools"], &[]);
        check(root, &["make", "mend"], &["Makefile"]);
        check(root, &["make", "-C", "tools"], &["tools/Makefile"]);
        check(root, &["make", "-f", "tools/Makefile"], &["Makefile", "tools/Makefile"]);
        check(root, &["npm", "run", "fix"], &["package.json"]);
        check(root, &["env", "A=1", "nice", "-n", "5", "make"], &["Makefile"]);
        let texts: [(&str, &[&str]); 16] = [
            ("cd tools && ./mend.sh", mend),
            ("cd tools; make", &["tools/Makefile"]),
            ("python3 -u tools/mend.py src/a.py", &["tools/mend.py"]),
            ("PYTHONPATH=. exec python3 tools/mend.py", &["tools/mend.py"]),
            (". tools/mend.sh", mend),
            ("sh < tools/mend.sh", mend),
            ("bash -c 'tools/mend.sh x'", mend),
            ("if true; then tools/mend.sh; fi", mend),
            ("echo \"$(tools/mend.sh)\"", mend),
            ("echo `tools/mend.sh`", mend),
            ("find . | xargs -n 1 tools/mend.sh", mend),
            ("timeout 5s \"tools/mend.sh\"", mend),
            ("tools/men\\d.sh", mend),
            // What is only changed, read or spoken of is no program.
            ("echo 'x = 2' > src/a.py", &[]),
            ("sed -i s/1/2/ src/a.py # tools/mend.sh", &[]),
            ("cp src/a.py tools/mend.py", &[]),
        ];
        for (text, expected) in texts {
            check(root, &["sh", "-c", text], expected);
        }
        check(root, &["aider", "--message", "see src/a.py and tools/mend.sh"], &[]);
        check(root, &["cat", "/etc/passwd", "../outside", "{paths}"], &[]);
    }
}
