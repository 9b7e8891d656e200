//! The languages. To add one is to add a row.
//!
//! Where two lexemes start alike, the longer one comes first. What a row cannot say is left out on purpose: see the rule
//! for doubt in [`super`].

use super::{
    BlockComment, Heredoc, Lexeme, LineComment, MarkPosition, Syntax, block, line, line_at, nested,
    quote,
};
use Lexeme::{Char, Fenced, Long, Named, Operator, Plain, Regex, Run};

const fn syntax(
    name: &'static str,
    extensions: &'static [&'static str],
    lexemes: &'static [Lexeme],
) -> Syntax {
    Syntax {
        name,
        extensions,
        file_names: &[],
        programs: &[],
        lexemes,
        word_bytes: b"",
        wrap: None,
    }
}

const DOUBLE: Lexeme = quote("\"").done();
const SINGLE: Lexeme = quote("'").done();
const SLASHES: Lexeme = line("//");
const STARS: Lexeme = block("/*", "*/");
const NESTED_STARS: Lexeme = nested("/*", "*/");
const HASH: Lexeme = line("#");
const SHEBANG: Lexeme = line_at("#!", MarkPosition::FileStart);
const MARKUP_COMMENT: Lexeme = block("<!--", "-->");
/// A backslash outside of strings takes the meaning of what follows.
const ESCAPED_DOUBLE: Lexeme = Plain("\\\"", MarkPosition::Anywhere);
const ESCAPED_SINGLE: Lexeme = Plain("\\'", MarkPosition::Anywhere);
const ESCAPED_HASH: Lexeme = Plain("\\#", MarkPosition::Anywhere);

const fn margin(open: &'static str, close: &'static str) -> Lexeme {
    Lexeme::Block(BlockComment {
        open,
        close,
        at: MarkPosition::Margin,
        nests: false,
        takes_line: true,
    })
}

const fn continued(open: &'static str) -> Lexeme {
    Lexeme::Line(LineComment { open, at: MarkPosition::Anywhere, continues: true, unless: b"" })
}

const fn line_unless(open: &'static str, unless: &'static [u8]) -> Lexeme {
    Lexeme::Line(LineComment { open, at: MarkPosition::Anywhere, continues: false, unless })
}

const F_STRING: &[&str] = &["f", "fr", "rf", "t", "tr", "rt"];

pub(super) const PYTHON: Syntax = Syntax {
    file_names: &[
        "SConstruct",
        "SConscript",
        "wscript",
        "Snakefile",
        "BUILD",
        "BUILD.bazel",
        "WORKSPACE",
        "MODULE.bazel",
        "Tiltfile",
        "BUCK",
    ],
    programs: &["python", "pypy"],
    ..syntax(
        "Python",
        &["py", "pyi", "pyw", "pyx", "pxd", "bzl", "star", "gyp", "gypi", "smk"],
        &[
            HASH,
            quote("\"\"\"").lines().format().after(F_STRING).done(),
            quote("'''").lines().format().after(F_STRING).done(),
            quote("\"\"\"").lines().done(),
            quote("'''").lines().done(),
            quote("\"").format().after(F_STRING).done(),
            quote("'").format().after(F_STRING).done(),
            DOUBLE,
            SINGLE,
        ],
    )
};

const JAVASCRIPT_BEFORE: &[&str] = &[
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "do",
    "else",
    "instanceof",
    "yield",
    "await",
    "default",
    "extends",
];

const JAVASCRIPT_LEXEMES: &[Lexeme] = &[
    SHEBANG,
    SLASHES,
    STARS,
    DOUBLE,
    SINGLE,
    quote("`").lines().hole("${", b'}').done(),
    Regex { before: JAVASCRIPT_BEFORE, is_command: false },
];

pub(super) const JAVASCRIPT: Syntax = Syntax {
    file_names: &["Jakefile"],
    programs: &["node", "nodejs", "bun"],
    word_bytes: b"$",
    wrap: Some((b'{', b'}')),
    ..syntax("JavaScript", &["js", "jsx", "mjs", "cjs", "es", "es6"], JAVASCRIPT_LEXEMES)
};

const TYPESCRIPT: Syntax = Syntax {
    programs: &["deno", "ts-node", "tsx"],
    word_bytes: b"$",
    wrap: Some((b'{', b'}')),
    ..syntax("TypeScript", &["ts", "tsx", "mts", "cts"], JAVASCRIPT_LEXEMES)
};

const RUST: Syntax = Syntax {
    programs: &["rust-script"],
    ..syntax(
        "Rust",
        &["rs"],
        &[
            SLASHES,
            NESTED_STARS,
            Fenced { after: &["r", "br", "cr"], fence: b'#', quote: b'"', min: 0 },
            quote("\"").lines().done(),
            Char(b'\''),
        ],
    )
};

const RAW_PREFIXES: &[&str] = &["R", "LR", "uR", "UR", "u8R"];

const C_LEXEMES: &[Lexeme] = &[
    continued("//"),
    STARS,
    Named { after: RAW_PREFIXES, quotes: b"\"" },
    DOUBLE,
    quote("'").at(MarkPosition::OutsideNumber).done(),
];

const C: Syntax = syntax("C", &["c", "h"], C_LEXEMES);

const CPP: Syntax = syntax(
    "C++",
    &[
        "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "tpp", "cu", "cuh",
        "ino", "cppm", "ixx",
    ],
    C_LEXEMES,
);

const OBJECTIVE_C: Syntax = syntax("Objective-C", &["m", "mm"], C_LEXEMES);

const SHADERS: Syntax = syntax(
    "Shaders",
    &["glsl", "vert", "frag", "comp", "hlsl", "fx", "metal", "wgsl", "cl"],
    &[SLASHES, NESTED_STARS, DOUBLE],
);

const GO: Syntax = Syntax {
    file_names: &["go.mod", "go.sum", "go.work"],
    ..syntax("Go", &["go"], &[SLASHES, STARS, DOUBLE, SINGLE, quote("`").lines().raw().done()])
};

const JAVA: Syntax = Syntax {
    word_bytes: b"$",
    ..syntax(
        "Java",
        &["java", "jav"],
        &[SLASHES, STARS, quote("\"\"\"").lines().done(), DOUBLE, SINGLE],
    )
};

const KOTLIN: Syntax = syntax(
    "Kotlin",
    &["kt", "kts"],
    &[
        SHEBANG,
        SLASHES,
        NESTED_STARS,
        quote("\"\"\"").lines().raw().hole("${", b'}').done(),
        quote("\"").hole("${", b'}').done(),
        SINGLE,
    ],
);

const SCALA: Syntax = syntax(
    "Scala",
    &["scala", "sc", "sbt"],
    &[SHEBANG, SLASHES, NESTED_STARS, quote("\"\"\"").lines().raw().done(), DOUBLE, Char(b'\'')],
);

const GROOVY: Syntax = Syntax {
    file_names: &["Jenkinsfile", "Jenkinsfile.*"],
    programs: &["groovy"],
    word_bytes: b"$",
    ..syntax(
        "Groovy",
        &["groovy", "gradle", "gvy", "gy"],
        &[
            SHEBANG,
            SLASHES,
            STARS,
            quote("\"\"\"").lines().hole("${", b'}').done(),
            quote("'''").lines().done(),
            quote("\"").hole("${", b'}').done(),
            SINGLE,
            Regex { before: &["return", "case", "in"], is_command: false },
        ],
    )
};

const C_SHARP: Syntax = syntax(
    "C#",
    &["cs", "csx"],
    &[
        SHEBANG,
        SLASHES,
        STARS,
        quote("$@\"").close("\"").lines().doubled().format().done(),
        quote("@$\"").close("\"").lines().doubled().format().done(),
        quote("@\"").close("\"").lines().doubled().done(),
        quote("$\"\"\"").close("\"\"\"").raw().lines().done(),
        Run { quote: b'"', min: 3 },
        quote("$\"").close("\"").format().done(),
        DOUBLE,
        SINGLE,
    ],
);

const F_SHARP: Syntax = syntax(
    "F#",
    &["fs", "fsi", "fsx"],
    &[
        SHEBANG,
        SLASHES,
        Plain("(*)", MarkPosition::Anywhere),
        nested("(*", "*)"),
        quote("\"\"\"").lines().raw().done(),
        quote("@\"").close("\"").lines().doubled().done(),
        quote("\"").lines().done(),
        Char(b'\''),
    ],
);

const SWIFT: Syntax = syntax(
    "Swift",
    &["swift"],
    &[
        SHEBANG,
        SLASHES,
        NESTED_STARS,
        Fenced { after: &[], fence: b'#', quote: b'"', min: 1 },
        quote("\"\"\"").lines().hole("\\(", b')').done(),
        quote("\"").hole("\\(", b')').done(),
    ],
);

const DART: Syntax = syntax(
    "Dart",
    &["dart"],
    &[
        SHEBANG,
        SLASHES,
        NESTED_STARS,
        quote("\"\"\"").lines().raw().after(&["r"]).done(),
        quote("'''").lines().raw().after(&["r"]).done(),
        quote("\"").raw().after(&["r"]).done(),
        quote("'").raw().after(&["r"]).done(),
        quote("\"\"\"").lines().hole("${", b'}').done(),
        quote("'''").lines().hole("${", b'}').done(),
        quote("\"").hole("${", b'}').done(),
        quote("'").hole("${", b'}').done(),
    ],
);

const RUBY_BEFORE: &[&str] = &[
    "and", "or", "not", "if", "unless", "while", "until", "when", "in", "return", "then", "do",
    "else", "elsif", "puts", "case", "yield",
];

const RUBY: Syntax = Syntax {
    file_names: &[
        "Gemfile",
        "Rakefile",
        "Vagrantfile",
        "Podfile",
        "Fastfile",
        "Appfile",
        "Brewfile",
        "Guardfile",
        "Capfile",
        "Dangerfile",
        "Berksfile",
        "Thorfile",
        "config.ru",
        ".irbrc",
        ".pryrc",
    ],
    programs: &["ruby", "rake", "jruby", "crystal"],
    word_bytes: b"@$?!",
    ..syntax(
        "Ruby",
        &["rb", "rake", "gemspec", "podspec", "ru", "rbi", "cr"],
        &[
            margin("=begin", "\n=end"),
            Lexeme::End("__END__"),
            Plain("?#", MarkPosition::Bare),
            Plain("$\"", MarkPosition::Bare),
            Plain("$'", MarkPosition::Bare),
            Plain("$`", MarkPosition::Bare),
            Plain("$/", MarkPosition::Bare),
            HASH,
            Lexeme::Heredoc(Heredoc { open: "<<", spaced: false, upper: true, loose: false }),
            Lexeme::Sigil { mark: b'%', letters: b"wWiIqQrsx", is_optional: true },
            quote("\"").lines().hole("#{", b'}').done(),
            quote("'").lines().done(),
            quote("`").lines().hole("#{", b'}').done(),
            Regex { before: RUBY_BEFORE, is_command: true },
        ],
    )
};

const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

const ELIXIR: Syntax = Syntax {
    programs: &["elixir"],
    ..syntax(
        "Elixir",
        &["ex", "exs"],
        &[
            Plain("?#", MarkPosition::Bare),
            Plain("?\"", MarkPosition::Bare),
            Plain("?'", MarkPosition::Bare),
            HASH,
            Lexeme::Sigil { mark: b'~', letters: LETTERS, is_optional: false },
            quote("\"\"\"").lines().hole("#{", b'}').done(),
            quote("'''").lines().hole("#{", b'}').done(),
            quote("\"").lines().hole("#{", b'}').done(),
            quote("'").lines().hole("#{", b'}').done(),
        ],
    )
};

const PHP_CODE: Syntax = Syntax {
    word_bytes: b"$",
    ..syntax(
        "PHP",
        &[],
        &[
            SLASHES,
            line_unless("#", b"["),
            STARS,
            Lexeme::Heredoc(Heredoc { open: "<<<", spaced: true, upper: false, loose: true }),
            quote("\"").lines().done(),
            quote("'").lines().done(),
            quote("`").lines().done(),
        ],
    )
};

const PHP: Syntax = Syntax {
    programs: &["php"],
    ..syntax(
        "PHP",
        &["php", "phtml", "php3", "php4", "php5", "phps"],
        &[
            Lexeme::Island { open: "<?php", close: "?>", syntax: &PHP_CODE },
            Lexeme::Island { open: "<?=", close: "?>", syntax: &PHP_CODE },
            MARKUP_COMMENT,
            block("{{--", "--}}"),
            Lexeme::Tag,
        ],
    )
};

const SHELL: Syntax = Syntax {
    file_names: &[
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zprofile",
        ".zshenv",
        ".zlogin",
        ".kshrc",
        ".envrc",
        ".xinitrc",
        ".xprofile",
        "PKGBUILD",
        "APKBUILD",
    ],
    programs: &["sh", "bash", "zsh", "ksh", "dash", "ash", "mksh", "fish", "bats", "busybox"],
    ..syntax(
        "Shell",
        &["sh", "bash", "zsh", "ksh", "bats", "fish", "ebuild", "eclass"],
        &[
            ESCAPED_DOUBLE,
            ESCAPED_SINGLE,
            ESCAPED_HASH,
            Plain("\\\\", MarkPosition::Anywhere),
            line_at("#", MarkPosition::WordStart),
            Lexeme::Heredoc(Heredoc { open: "<<", spaced: true, upper: false, loose: false }),
            quote("$'").close("'").lines().done(),
            quote("'").lines().raw().done(),
            quote("\"").lines().hole("$(", b')').done(),
        ],
    )
};

const SQL: Syntax = syntax(
    "SQL",
    &["sql", "ddl", "dml", "pgsql", "psql", "plsql", "pls", "pks", "pkb", "tsql", "hql"],
    &[
        line("--"),
        line_at("#", MarkPosition::LineStart),
        block("{#", "#}"),
        NESTED_STARS,
        quote("'").lines().after(&["e"]).done(),
        quote("'").lines().doubled().done(),
        quote("\"").lines().doubled().done(),
        quote("`").lines().doubled().done(),
        Lexeme::Dollar,
    ],
);

pub(super) const CSS: Syntax = syntax("CSS", &["css", "pcss", "postcss"], &[STARS, DOUBLE, SINGLE]);

pub(super) const SCSS: Syntax = syntax(
    "SCSS, Sass, Less, Stylus",
    &["scss", "sass", "less", "styl"],
    &[SLASHES, STARS, quote("url(").close(")").done(), DOUBLE, SINGLE],
);

pub(super) const HTML: Syntax = syntax(
    "HTML, Vue, Svelte",
    &["html", "htm", "xhtml", "shtml", "vue", "svelte", "svg"],
    &[MARKUP_COMMENT, quote("<![CDATA[").close("]]>").raw().lines().done(), Lexeme::Tag],
);

/// What is neither script nor style, without tags, so that it cannot hold any.
pub(super) const MARKUP: Syntax = syntax("HTML", &[], &[MARKUP_COMMENT]);

const XML: Syntax = Syntax {
    file_names: &["packages.config", "web.config", "app.config", "Web.config", "App.config"],
    ..syntax(
        "XML",
        &[
            "xml",
            "xsd",
            "xsl",
            "xslt",
            "xaml",
            "wsdl",
            "plist",
            "rss",
            "atom",
            "pom",
            "csproj",
            "fsproj",
            "vbproj",
            "vcxproj",
            "props",
            "targets",
            "nuspec",
            "resx",
            "storyboard",
            "xib",
            "dtd",
            "axml",
            "ui",
            "qrc",
            "iml",
        ],
        &[
            MARKUP_COMMENT,
            quote("<![CDATA[").close("]]>").raw().lines().done(),
            quote("<?").close("?>").raw().lines().done(),
            Lexeme::Tag,
        ],
    )
};

const TEMPLATES: Syntax = syntax(
    "Templates: Jinja, Twig, Handlebars, ERB, EJS",
    &[
        "j2",
        "jinja",
        "jinja2",
        "njk",
        "twig",
        "hbs",
        "handlebars",
        "mustache",
        "erb",
        "ejs",
        "eex",
        "heex",
    ],
    &[
        block("{#", "#}"),
        block("{{!--", "--}}"),
        block("{{!", "}}"),
        block("<%#", "%>"),
        block("<%--", "--%>"),
        MARKUP_COMMENT,
    ],
);

const MARKDOWN: Syntax = syntax(
    "Markdown",
    &["md", "markdown", "mdown", "mkd", "rmd", "qmd"],
    &[
        Lexeme::FrontMatter,
        MARKUP_COMMENT,
        Lexeme::Fence(b'`'),
        Lexeme::Fence(b'~'),
        Lexeme::Span(b'`'),
        Plain("\\`", MarkPosition::Anywhere),
        Plain("\\<", MarkPosition::Anywhere),
    ],
);

const MDX: Syntax = Syntax {
    ..syntax(
        "MDX",
        &["mdx"],
        &[
            Lexeme::FrontMatter,
            block("{/*", "*/}"),
            MARKUP_COMMENT,
            Lexeme::Fence(b'`'),
            Lexeme::Fence(b'~'),
            Lexeme::Span(b'`'),
            Plain("\\`", MarkPosition::Anywhere),
            Plain("\\<", MarkPosition::Anywhere),
        ],
    )
};

const DOCKERFILE: Syntax = Syntax {
    file_names: &["Dockerfile", "Dockerfile.*", "Containerfile", "Containerfile.*", "dockerfile"],
    ..syntax(
        "Dockerfile",
        &["dockerfile", "containerfile"],
        &[line_at("#", MarkPosition::LineStart)],
    )
};

const MAKEFILE: Syntax = Syntax {
    file_names: &["Makefile", "makefile", "GNUmakefile", "BSDmakefile", "Makefile.*", "Kbuild"],
    programs: &["make", "gmake"],
    ..syntax(
        "Makefile",
        &["mk", "mak", "make"],
        &[
            ESCAPED_HASH,
            ESCAPED_DOUBLE,
            ESCAPED_SINGLE,
            continued("#"),
            DOUBLE,
            quote("'").raw().done(),
        ],
    )
};

const JUST: Syntax = Syntax {
    file_names: &["justfile", "Justfile", ".justfile"],
    programs: &["just"],
    ..syntax("Just", &["just"], &[HASH, DOUBLE, quote("'").raw().done(), quote("`").raw().done()])
};

const CMAKE: Syntax = Syntax {
    file_names: &["CMakeLists.txt"],
    ..syntax(
        "CMake",
        &["cmake"],
        &[
            Long { open: "#", is_comment: true },
            ESCAPED_DOUBLE,
            ESCAPED_HASH,
            HASH,
            Long { open: "", is_comment: false },
            quote("\"").lines().done(),
        ],
    )
};

const INI: Syntax = Syntax {
    file_names: &[
        ".editorconfig",
        ".npmrc",
        ".gitconfig",
        ".gitmodules",
        ".flake8",
        ".pylintrc",
        ".coveragerc",
        ".hgrc",
        ".buckconfig",
        ".pypirc",
        ".wgetrc",
        ".curlrc",
    ],
    ..syntax(
        "INI",
        &[
            "ini",
            "cfg",
            "conf",
            "cnf",
            "desktop",
            "service",
            "socket",
            "timer",
            "inf",
            "reg",
            "editorconfig",
        ],
        &[
            line_at(";", MarkPosition::LineStart),
            line_at("#", MarkPosition::LineStart),
            line_at(";", MarkPosition::Apart),
            line_at("#", MarkPosition::Apart),
        ],
    )
};

const PROPERTIES: Syntax = syntax(
    "Properties",
    &["properties"],
    &[line_at("#", MarkPosition::LineStart), line_at("!", MarkPosition::LineStart)],
);

const ENV: Syntax = Syntax {
    file_names: &[".env", ".env.*", ".flaskenv"],
    ..syntax(
        "Environment file",
        &["env"],
        &[
            line_at("#", MarkPosition::AfterBlank),
            quote("\"").lines().done(),
            quote("'").lines().raw().done(),
        ],
    )
};

const PATTERNS: Syntax = Syntax {
    file_names: &[
        ".gitignore",
        ".ignore",
        ".dockerignore",
        ".npmignore",
        ".eslintignore",
        ".prettierignore",
        ".stylelintignore",
        ".gcloudignore",
        ".helmignore",
        ".vscodeignore",
        ".hgignore",
        ".rgignore",
        ".gitattributes",
        ".mailmap",
        "CODEOWNERS",
        ".git-blame-ignore-revs",
        ".nvmrc",
        ".tool-versions",
    ],
    ..syntax(
        "Lists of paths and patterns",
        &["gitignore"],
        &[line_at("#", MarkPosition::LineStart)],
    )
};

const REQUIREMENTS: Syntax = Syntax {
    file_names: &[
        "requirements.txt",
        "constraints.txt",
        "requirements-*",
        "requirements_*",
        "requirements.in",
    ],
    ..syntax("Requirements", &[], &[line_at("#", MarkPosition::AfterBlank)])
};

const LOCK_FILES: Syntax = Syntax {
    file_names: &["Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile", "Gopkg.lock"],
    ..syntax(
        "TOML by another name",
        &[],
        &[
            HASH,
            quote("\"\"\"").lines().done(),
            quote("'''").lines().raw().done(),
            DOUBLE,
            quote("'").raw().done(),
        ],
    )
};

const LUA: Syntax = Syntax {
    programs: &["lua", "luajit", "luau"],
    ..syntax(
        "Lua",
        &["lua", "luau", "rockspec", "wlua"],
        &[
            SHEBANG,
            Long { open: "--", is_comment: true },
            line("--"),
            Long { open: "", is_comment: false },
            DOUBLE,
            SINGLE,
        ],
    )
};

const PERL_BEFORE: &[&str] = &[
    "split", "grep", "map", "join", "if", "unless", "while", "until", "and", "or", "not", "return",
    "push", "unshift", "x", "when", "lt", "gt", "le", "ge", "eq", "ne", "cmp", "print",
];

const PERL: Syntax = Syntax {
    file_names: &["cpanfile", "Makefile.PL", "Build.PL"],
    programs: &["perl"],
    word_bytes: b"$@",
    ..syntax(
        "Perl",
        &["pl", "pm", "t", "psgi", "perl", "pod", "xs"],
        &[
            Lexeme::Pod,
            Lexeme::End("__END__"),
            Lexeme::End("__DATA__"),
            Plain("$#", MarkPosition::Bare),
            Plain("$\"", MarkPosition::Bare),
            Plain("$'", MarkPosition::Bare),
            Plain("$`", MarkPosition::Bare),
            Plain("$/", MarkPosition::Bare),
            Plain("$&", MarkPosition::Bare),
            HASH,
            Operator { word: "qq", n_texts: 1 },
            Operator { word: "qw", n_texts: 1 },
            Operator { word: "qr", n_texts: 1 },
            Operator { word: "qx", n_texts: 1 },
            Operator { word: "q", n_texts: 1 },
            Operator { word: "m", n_texts: 1 },
            Operator { word: "s", n_texts: 2 },
            Operator { word: "tr", n_texts: 2 },
            Operator { word: "y", n_texts: 2 },
            Lexeme::Heredoc(Heredoc { open: "<<", spaced: false, upper: true, loose: false }),
            quote("\"").lines().done(),
            quote("'").lines().done(),
            quote("`").lines().done(),
            Regex { before: PERL_BEFORE, is_command: false },
        ],
    )
};

const R: Syntax = Syntax {
    file_names: &[".Rprofile"],
    programs: &["Rscript"],
    word_bytes: b".",
    ..syntax(
        "R",
        &["r"],
        &[
            HASH,
            Named { after: &["r", "R"], quotes: b"\"'" },
            quote("\"").lines().done(),
            quote("'").lines().done(),
            quote("`").raw().done(),
        ],
    )
};

const JULIA: Syntax = Syntax {
    programs: &["julia"],
    word_bytes: b"!",
    ..syntax(
        "Julia",
        &["jl"],
        &[
            nested("#=", "=#"),
            HASH,
            quote("\"\"\"").lines().hole("$(", b')').done(),
            quote("\"").lines().hole("$(", b')').done(),
            Char(b'\''),
            quote("`").lines().done(),
        ],
    )
};

const HASKELL: Syntax = Syntax {
    programs: &["runhaskell", "runghc", "stack"],
    word_bytes: b"'",
    ..syntax(
        "Haskell, Elm, PureScript",
        &["hs", "lhs", "elm", "purs", "hsc", "cabal", "agda", "idr"],
        &[
            SHEBANG,
            nested("{-", "-}"),
            Lexeme::Line(LineComment {
                open: "--",
                at: MarkPosition::OutsideOperator,
                continues: false,
                unless: b"!#$%&*+./<=>?@\\^|~:",
            }),
            Char(b'\''),
            quote("\"\"\"").lines().done(),
            quote("\"").lines().done(),
        ],
    )
};

const OCAML: Syntax = Syntax {
    word_bytes: b"'",
    ..syntax(
        "OCaml",
        &["ml", "mli", "mll", "mly"],
        &[
            Plain("(*)", MarkPosition::Anywhere),
            nested("(*", "*)"),
            quote("\"").lines().done(),
            Char(b'\''),
        ],
    )
};

const LISP: Syntax = Syntax {
    word_bytes: b"-?!*+<>=/",
    programs: &["guile", "racket", "sbcl"],
    ..syntax(
        "Lisp, Scheme, Clojure",
        &["lisp", "lsp", "el", "scm", "ss", "rkt", "clj", "cljs", "cljc", "edn", "fnl", "hy"],
        &[
            nested("#|", "|#"),
            ESCAPED_DOUBLE,
            Plain("\\;", MarkPosition::Anywhere),
            line(";"),
            quote("\"").lines().done(),
        ],
    )
};

const ERLANG: Syntax = Syntax {
    programs: &["escript"],
    ..syntax(
        "Erlang",
        &["erl", "hrl"],
        &[
            SHEBANG,
            Plain("$%", MarkPosition::Bare),
            Plain("$\"", MarkPosition::Bare),
            Plain("$'", MarkPosition::Bare),
            Plain("$\\", MarkPosition::Bare),
            line("%"),
            quote("\"\"\"").lines().raw().done(),
            quote("\"").lines().done(),
            SINGLE,
        ],
    )
};

const TERRAFORM: Syntax = Syntax {
    file_names: &[".terraformrc"],
    ..syntax(
        "Terraform, HCL",
        &["tf", "tfvars", "hcl", "nomad", "tofu"],
        &[
            HASH,
            SLASHES,
            STARS,
            Lexeme::Heredoc(Heredoc { open: "<<", spaced: false, upper: false, loose: false }),
            quote("\"").hole("${", b'}').done(),
        ],
    )
};

const PROTOBUF: Syntax =
    syntax("Protocol Buffers", &["proto", "textproto", "pbtxt"], &[SLASHES, STARS, DOUBLE, SINGLE]);

const THRIFT: Syntax = syntax("Thrift", &["thrift"], &[HASH, SLASHES, STARS, DOUBLE, SINGLE]);

const GRAPHQL: Syntax = syntax(
    "GraphQL",
    &["graphql", "gql", "graphqls"],
    &[HASH, quote("\"\"\"").lines().done(), DOUBLE],
);

const POWERSHELL: Syntax = Syntax {
    programs: &["pwsh", "powershell"],
    word_bytes: b"-",
    ..syntax(
        "PowerShell",
        &["ps1", "psm1", "psd1"],
        &[
            block("<#", "#>"),
            Plain("`#", MarkPosition::Anywhere),
            Plain("`\"", MarkPosition::Anywhere),
            Plain("`'", MarkPosition::Anywhere),
            line_at("#", MarkPosition::WordStart),
            quote("@\"").close("\n\"@").raw().lines().done(),
            quote("@'").close("\n'@").raw().lines().done(),
            quote("\"").lines().doubled().escape(b'`').hole("$(", b')').done(),
            quote("'").lines().doubled().done(),
        ],
    )
};

const BATCH: Syntax = syntax(
    "Batch",
    &["bat", "cmd"],
    &[
        line_at("::", MarkPosition::LineStart),
        line_at("rem ", MarkPosition::LineStart),
        line_at("REM ", MarkPosition::LineStart),
        line_at("Rem ", MarkPosition::LineStart),
        line_at("@rem ", MarkPosition::LineStart),
        line_at("@REM ", MarkPosition::LineStart),
    ],
);

const VISUAL_BASIC: Syntax = syntax(
    "Visual Basic",
    &["vb", "vbs", "bas"],
    &[
        line("'"),
        line_at("REM ", MarkPosition::LineStart),
        line_at("Rem ", MarkPosition::LineStart),
        quote("\"").doubled().done(),
    ],
);

const ZIG: Syntax = syntax(
    "Zig",
    &["zig", "zon"],
    &[quote("\\\\").close("\n").raw().lines().done(), SLASHES, DOUBLE, SINGLE],
);

const NIM: Syntax = syntax(
    "Nim",
    &["nim", "nims", "nimble"],
    &[
        nested("#[", "]#"),
        HASH,
        quote("\"\"\"").lines().raw().done(),
        quote("\"").raw().doubled().after(&["r"]).done(),
        DOUBLE,
        Char(b'\''),
    ],
);

const SLASH_LANGUAGES: Syntax = syntax(
    "Solidity, Gleam, Prisma, CUE, Bicep, Verilog and their like",
    &[
        "sol", "gleam", "prisma", "cue", "bicep", "smithy", "v", "sv", "svh", "vh", "odin", "move",
        "cairo",
    ],
    &[SLASHES, STARS, quote("\"\"\"").lines().done(), DOUBLE],
);

const D: Syntax = syntax(
    "D",
    &["d", "di"],
    &[
        SHEBANG,
        SLASHES,
        STARS,
        nested("/+", "+/"),
        quote("`").raw().lines().done(),
        quote("\"").lines().done(),
        SINGLE,
    ],
);

const JSONNET: Syntax = syntax(
    "Jsonnet",
    &["jsonnet", "libsonnet"],
    &[
        SLASHES,
        HASH,
        STARS,
        quote("|||").lines().raw().done(),
        quote("\"").lines().done(),
        quote("'").lines().done(),
    ],
);

const HASH_LANGUAGES: Syntax = Syntax {
    file_names: &[
        "meson.build",
        "meson_options.txt",
        "nginx.conf",
        "Caddyfile",
        "Procfile",
        "crontab",
    ],
    ..syntax(
        "Puppet, Rego, Meson, GDScript, Awk, Tcl, Nginx and their like",
        &[
            "pp", "rego", "gd", "capnp", "coffee", "robot", "feature", "awk", "tcl", "po", "gn",
            "gni",
        ],
        &[
            ESCAPED_HASH,
            line_at("#", MarkPosition::AfterBlank),
            quote("\"\"\"").lines().done(),
            quote("'''").lines().done(),
            DOUBLE,
            SINGLE,
        ],
    )
};

const DASH_LANGUAGES: Syntax = syntax(
    "Ada, VHDL",
    &["adb", "ads", "vhd", "vhdl"],
    &[line("--"), quote("\"").doubled().done(), Char(b'\'')],
);

const PASCAL: Syntax = syntax(
    "Pascal, Delphi",
    &["pas", "dpr", "lpr", "dpk"],
    &[SLASHES, block("(*", "*)"), block("{", "}"), quote("'").doubled().done()],
);

const FORTRAN: Syntax = syntax(
    "Fortran",
    &["f90", "f95", "f03", "f08"],
    &[line("!"), quote("\"").doubled().done(), quote("'").doubled().done()],
);

const TEX: Syntax = syntax(
    "TeX",
    &["tex", "sty", "cls", "bib", "ltx"],
    &[Plain("\\%", MarkPosition::Anywhere), Plain("\\\\", MarkPosition::Anywhere), line("%")],
);

const VIM: Syntax = Syntax {
    file_names: &[".vimrc", ".gvimrc", "vimrc"],
    ..syntax(
        "Vim script",
        &["vim"],
        &[
            line_at("\"", MarkPosition::LineStart),
            quote("'").doubled().done(),
            DOUBLE,
            line_at("\"", MarkPosition::AfterBlank),
        ],
    )
};

const ASCIIDOC: Syntax =
    syntax("AsciiDoc", &["adoc", "asciidoc"], &[line_at("//", MarkPosition::Margin)]);

/// Every language. Where two claim a file, the first has it.
pub(super) const ALL: &[Syntax] = &[
    DASH_LANGUAGES,
    ASCIIDOC,
    BATCH,
    C,
    CPP,
    C_SHARP,
    CMAKE,
    CSS,
    D,
    DART,
    DOCKERFILE,
    ELIXIR,
    ENV,
    ERLANG,
    F_SHARP,
    FORTRAN,
    GO,
    GRAPHQL,
    GROOVY,
    HASKELL,
    HTML,
    INI,
    JAVA,
    JAVASCRIPT,
    JSONNET,
    JULIA,
    JUST,
    KOTLIN,
    LISP,
    PATTERNS,
    LUA,
    MAKEFILE,
    MARKDOWN,
    MDX,
    NIM,
    OCAML,
    OBJECTIVE_C,
    PASCAL,
    PERL,
    PHP,
    POWERSHELL,
    PROPERTIES,
    PROTOBUF,
    HASH_LANGUAGES,
    PYTHON,
    R,
    REQUIREMENTS,
    RUBY,
    RUST,
    SCSS,
    SQL,
    SCALA,
    SHADERS,
    SHELL,
    SLASH_LANGUAGES,
    SWIFT,
    TEX,
    LOCK_FILES,
    TEMPLATES,
    TERRAFORM,
    THRIFT,
    TYPESCRIPT,
    VIM,
    VISUAL_BASIC,
    XML,
    ZIG,
];
