//! The words by which languages say that something is not there yet, that it is declared, or that nobody shall look.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use snapshot::RelPath;

/// What there is to know about the files of a language.
pub(super) struct LanguageWords {
    extensions: &'static [&'static str],
    pub(super) line_comments: &'static [&'static str],
    pub(super) block_comments: &'static [(&'static str, &'static str)],
    pub(super) quotes: &'static [char],
    /// Tokens that stand one after the other where a program fails or gives up on types.
    pub(super) stubs: &'static [&'static [&'static str]],
    /// What a declaration starts with, after modifiers.
    pub(super) declarations: &'static [&'static str],
    pub(super) modifiers: &'static [&'static str],
    /// Whether `name: Type;` declares a member.
    pub(super) has_members: bool,
}

const C_BLOCK: &[(&str, &str)] = &[("/*", "*/")];

const PLAIN: LanguageWords = LanguageWords {
    extensions: &[],
    line_comments: &[],
    block_comments: &[],
    quotes: &['"', '\''],
    stubs: &[],
    declarations: &[],
    modifiers: &[],
    has_members: false,
};

const C_LIKE: LanguageWords = LanguageWords {
    line_comments: &["//"],
    block_comments: C_BLOCK,
    modifiers: &[
        "public",
        "private",
        "protected",
        "internal",
        "static",
        "final",
        "abstract",
        "override",
        "async",
        "export",
        "default",
        "declare",
        "readonly",
        "pub",
        "unsafe",
        "extern",
        "open",
        "suspend",
        "virtual",
        "inline",
        "sealed",
        "mut",
        "const",
        "partial",
        "lateinit",
    ],
    ..PLAIN
};

const HASH: LanguageWords = LanguageWords { line_comments: &["#"], ..PLAIN };

const LANGUAGES: &[LanguageWords] = &[
    LanguageWords {
        extensions: &["rs"],
        quotes: &['"'],
        stubs: &[
            &["todo", "!"],
            &["unimplemented", "!"],
            &["panic", "!"],
            &["unreachable", "!"],
            &[".", "unwrap", "("],
            &[".", "expect", "("],
        ],
        declarations: &[
            "fn", "struct", "enum", "trait", "type", "static", "const", "let", "mod", "union",
        ],
        modifiers: &["pub", "unsafe", "extern", "async"],
        ..C_LIKE
    },
    LanguageWords {
        extensions: &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte"],
        quotes: &['"', '\'', '`'],
        stubs: &[
            &["throw"],
            &[":", "any"],
            &["as", "any"],
            &["<", "any"],
            &["as", "unknown", "as"],
        ],
        declarations: &[
            "function",
            "class",
            "interface",
            "type",
            "enum",
            "let",
            "var",
            "const",
            "namespace",
        ],
        modifiers: &[
            "export",
            "default",
            "declare",
            "async",
            "public",
            "private",
            "protected",
            "static",
            "readonly",
            "abstract",
            "override",
        ],
        has_members: true,
        ..C_LIKE
    },
    LanguageWords {
        extensions: &["py", "pyi"],
        stubs: &[
            &["raise"],
            &["pass"],
            &[".", ".", "."],
            &[":", "Any"],
            &[">", "Any"],
            &["assert", "False"],
        ],
        declarations: &["def", "class"],
        modifiers: &["async"],
        ..HASH
    },
    LanguageWords {
        extensions: &["go"],
        quotes: &['"', '`'],
        stubs: &[&["panic", "("]],
        declarations: &["func", "type", "var", "const"],
        modifiers: &[],
        ..C_LIKE
    },
    LanguageWords {
        extensions: &["clank"],
        quotes: &['"'],
        stubs: &[&["panic", "("], &["todo", "("], &["unreachable", "("], &["assert"]],
        declarations: &["fn", "type", "rec", "let", "external"],
        modifiers: &["pub", "export"],
        ..C_LIKE
    },
    LanguageWords {
        extensions: &["java", "kt", "kts", "scala", "groovy", "dart", "cs"],
        stubs: &[&["throw"], &["TODO", "("], &["?", "?", "?"]],
        declarations: &[
            "class",
            "interface",
            "enum",
            "record",
            "struct",
            "object",
            "trait",
            "fun",
            "def",
            "val",
            "var",
            "int",
            "long",
            "double",
            "float",
            "boolean",
            "bool",
            "char",
            "byte",
            "short",
            "void",
            "String",
            "string",
            "dynamic",
            "late",
        ],
        ..C_LIKE
    },
    LanguageWords {
        extensions: &["swift"],
        stubs: &[&["fatalError", "("], &["preconditionFailure", "("], &["try", "!"]],
        declarations: &["func", "class", "struct", "enum", "protocol", "let", "var", "typealias"],
        ..C_LIKE
    },
    LanguageWords {
        extensions: &["c", "h", "cc", "cpp", "cxx", "hpp", "hh", "m", "mm"],
        stubs: &[&["throw"], &["abort", "("], &["assert", "(", "false"], &["assert", "(", "0"]],
        declarations: &[
            "class",
            "struct",
            "enum",
            "union",
            "typedef",
            "namespace",
            "template",
            "int",
            "long",
            "unsigned",
            "short",
            "double",
            "float",
            "bool",
            "char",
            "void",
            "auto",
            "size_t",
        ],
        ..C_LIKE
    },
    LanguageWords {
        extensions: &["php"],
        line_comments: &["//", "#"],
        stubs: &[&["throw"], &["die", "("], &["exit", "("]],
        declarations: &["function", "class", "interface", "trait", "enum"],
        ..C_LIKE
    },
    LanguageWords {
        extensions: &["zig"],
        quotes: &['"'],
        stubs: &[&["@", "panic", "("], &["unreachable"]],
        declarations: &["fn", "const", "var"],
        modifiers: &["pub", "export", "extern", "inline"],
        ..C_LIKE
    },
    LanguageWords { extensions: &["css", "scss", "less", "proto", "jsonc", "json5"], ..C_LIKE },
    LanguageWords {
        extensions: &["rb", "rake", "gemspec", "cr"],
        stubs: &[&["raise"]],
        declarations: &["def", "class", "module"],
        ..HASH
    },
    LanguageWords {
        extensions: &["ex", "exs"],
        stubs: &[&["raise"]],
        declarations: &["def", "defp", "defmodule", "defmacro"],
        ..HASH
    },
    LanguageWords {
        extensions: &["sh", "bash", "zsh", "ksh"],
        stubs: &[&["exit", "1"]],
        declarations: &["function"],
        ..HASH
    },
    LanguageWords {
        extensions: &["pl", "pm", "r", "jl", "nim", "nix"],
        stubs: &[&["die"], &["stop", "("], &["error", "("]],
        declarations: &["sub", "function", "proc"],
        ..HASH
    },
    LanguageWords {
        extensions: &["yaml", "yml", "toml", "tf", "hcl", "mk", "cmake", "dockerfile", "ps1"],
        ..HASH
    },
    LanguageWords {
        extensions: &["lua", "sql"],
        line_comments: &["--"],
        block_comments: C_BLOCK,
        stubs: &[&["error", "("]],
        declarations: &["local", "function", "CREATE", "create"],
        ..PLAIN
    },
    LanguageWords {
        extensions: &["hs", "elm"],
        line_comments: &["--"],
        block_comments: &[("{-", "-}")],
        quotes: &['"'],
        stubs: &[&["undefined"], &["error"], &["Debug", ".", "todo"]],
        declarations: &["data", "type", "newtype", "class"],
        ..PLAIN
    },
    LanguageWords {
        extensions: &["ml", "mli", "fs", "fsi"],
        block_comments: &[("(*", "*)")],
        line_comments: &["//"],
        quotes: &['"'],
        stubs: &[&["failwith"], &["raise"], &["assert", "false"]],
        declarations: &["let", "type", "module"],
        ..PLAIN
    },
    LanguageWords {
        extensions: &["html", "htm", "xml", "svg", "md", "markdown", "mdx", "xhtml"],
        block_comments: &[("<!--", "-->")],
        quotes: &['"'],
        ..PLAIN
    },
    LanguageWords {
        extensions: &["ini", "cfg", "conf", "properties", "editorconfig"],
        line_comments: &["#", ";"],
        ..PLAIN
    },
];

/// The language of a file, by its name.
pub(super) fn language(file: &RelPath) -> &'static LanguageWords {
    let name = file.as_str().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let extension = match name.as_str() {
        "dockerfile" | "makefile" | "containerfile" | "justfile" => "dockerfile",
        name => name.rsplit_once('.').map_or("", |it| it.1),
    };
    let found = LANGUAGES.iter().find(|it| it.extensions.contains(&extension));
    found.unwrap_or(&PLAIN)
}

/// A text in lower case and without blanks, in which markers are looked for.
pub(super) fn squeezed(text: &str) -> String {
    if text.is_ascii() {
        // U+000B is white space here, and not for `is_ascii_whitespace`.
        let is_kept = |it: &u8| !it.is_ascii_whitespace() && *it != b'\x0b';
        let kept = text.bytes().filter(is_kept);
        return kept.map(|it| char::from(it.to_ascii_lowercase())).collect();
    }
    text.chars().filter(|it| !it.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// What tells a tool to look away, squeezed.
const MARKERS: &[&str] = &[
    "noqa",
    "type:ignore",
    "pyright:ignore",
    "ty:ignore",
    "pyre-ignore",
    "pyre-fixme",
    "pylint:disable",
    "mypy:ignore",
    "fmt:off",
    "fmt:skip",
    "isort:skip",
    "nosec",
    "pragma:nocover",
    "eslint-disable",
    "oxlint-disable",
    "@ts-ignore",
    "@ts-expect-error",
    "@ts-nocheck",
    "biome-ignore",
    "deno-lint-ignore",
    "prettier-ignore",
    "dprint-ignore",
    "stylelint-disable",
    "jshintignore",
    "tslint:disable",
    "istanbulignore",
    "c8ignore",
    "flow-ignore",
    "$flowfixme",
    "nolint",
    "lint:ignore",
    "nosonar",
    "nosemgrep",
    "noinspection",
    "skipcq",
    "shellcheckdisable",
    "rubocop:disable",
    "rubocop:todo",
    "credo:disable",
    "swiftlint:disable",
    "swift-format-ignore",
    "ktlint-disable",
    "detekt:disable",
    "hadolintignore",
    "tflint-ignore",
    "checkov:skip",
    "tfsec:ignore",
    "trivy:ignore",
    "yamllintdisable",
    "markdownlint-disable",
    "phpcs:ignore",
    "phpcs:disable",
    "@phpstan-ignore",
    "@psalm-suppress",
    "@suppresswarnings",
    "@suppress(",
    "suppressmessage(",
    "#pragmawarningdisable",
    "pragmawarning(disable",
    "diagnosticignored",
    "clang-formatoff",
    "rustfmt::skip",
    "#[allow(",
    "#![allow(",
    "#[expect(",
    "#![expect(",
    "luacheck:ignore",
    "hlint:ignore",
    "codespell:ignore",
    "cspell:disable",
    "spell-checker:disable",
    "zizmor:ignore",
    "regreen:ignore",
    "typos:ignore",
    "@warning_ignore",
];

/// Words that are looked for together: one walk over a text, however many words there are.
struct Search(AhoCorasick);

impl Search {
    fn new(words: &[&str]) -> Search {
        Search(AhoCorasick::new(words).expect("a few short words are no large automaton"))
    }

    /// How often the words stand in a text. Two that overlap are two.
    fn n_matches(&self, text: &str) -> usize {
        self.0.find_overlapping_iter(text).count()
    }
}

/// How many markers there are in a squeezed text.
pub(super) fn n_markers(squeezed: &str) -> usize {
    static SEARCH: LazyLock<Search> = LazyLock::new(|| Search::new(MARKERS));
    SEARCH.n_matches(squeezed)
}

/// What settings are called that turn something off, squeezed.
const SETTING_WORDS: &[&str] = &[
    "ignore",
    "disable",
    "exclude",
    "suppress",
    "skip",
    "nowarn",
    "silence",
    "=\"off\"",
    "=off",
    ":\"off\"",
    ":off",
    "=\"allow\"",
    "severity=none",
];

/// How many words there are in a squeezed text by which settings turn something off.
pub(super) fn n_setting_words(squeezed: &str) -> usize {
    static SEARCH: LazyLock<Search> = LazyLock::new(|| Search::new(SETTING_WORDS));
    SEARCH.n_matches(squeezed)
}

/// The files by which tools are told what to look for: their names, or what those start with.
const SETTINGS: &[&str] = &[
    "pyproject.toml",
    "ruff.toml",
    ".ruff.toml",
    "setup.cfg",
    "tox.ini",
    "mypy.ini",
    ".mypy.ini",
    ".flake8",
    ".pylintrc",
    "pylintrc",
    "pyrightconfig.json",
    ".eslintrc",
    ".eslintignore",
    "eslint.config.",
    "biome.json",
    "oxlintrc.json",
    ".oxlintrc.json",
    "tsconfig",
    "jsconfig",
    ".prettierrc",
    ".prettierignore",
    ".stylelintrc",
    "deno.json",
    ".markdownlint",
    ".yamllint",
    ".golangci",
    "clippy.toml",
    ".clippy.toml",
    "deny.toml",
    "rustfmt.toml",
    ".shellcheckrc",
    ".rubocop",
    ".hadolint",
    ".ansible-lint",
    ".sqlfluff",
    ".swiftlint",
    ".editorconfig",
    "phpstan.neon",
    "psalm.xml",
    ".credo",
    "checkstyle",
    "detekt",
    "typos.toml",
    "_typos.toml",
    ".codespellrc",
    "cspell",
    "regreen.toml",
    "zizmor.yml",
    ".tflint.hcl",
    ".clang-tidy",
    ".luacheckrc",
    ".hlint.yaml",
];

/// Whether the file is one by which a tool is told what to look for.
pub(super) fn is_tool_setting(file: &RelPath) -> bool {
    let name = file.as_str().rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    SETTINGS.iter().any(|it| match it.ends_with(['.']) || !it.contains(['.']) {
        true => name.starts_with(it),
        false => name == *it || (it.starts_with('.') && name.starts_with(it)),
    })
}

/// Whether the file says how strict a compiler is, so that `false` turns a check off.
pub(super) fn is_strictness(file: &RelPath) -> bool {
    let name = file.as_str().rsplit('/').next().unwrap_or_default();
    name.starts_with("tsconfig") || name.starts_with("jsconfig")
}

/// Whether a comment only says that something is left to do.
pub(super) fn is_reminder(comment: &str) -> bool {
    let text = comment.to_ascii_lowercase();
    ["todo", "fixme", "xxx"].iter().any(|it| text.contains(it))
}
