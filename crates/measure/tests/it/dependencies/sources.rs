//! Ways to bring something in that leave the plain list of names as it is, and ways that only look like it.

/// A manifest, and what may become of it.
pub(super) struct Source {
    pub(super) path: &'static str,
    pub(super) before: &'static str,
    /// The text afterwards, and what is then said to be new: something that holds these words, or nothing if they are
    /// empty.
    pub(super) after: &'static [(&'static str, &'static str)],
}

const fn source(
    path: &'static str,
    before: &'static str,
    after: &'static [(&'static str, &'static str)],
) -> Source {
    Source { path, before, after }
}

pub(super) const SOURCES: &[Source] = &[
    source(
        "Cargo.toml",
        "[dependencies]\na = \"1\"",
        &[
            (
                "[dependencies]\na = { git = \"https://evil/a\" }",
                "dependency a from git https://evil/a",
            ),
            ("[dependencies]\na = { path = \"../a\" }", "dependency a from path ../a"),
            ("[dependencies]\na = { version = \"1\", registry = \"evil\" }", "from registry evil"),
            ("[dependencies]\na = { package = \"evil\", version = \"1\" }", "dependency evil"),
            ("[dev-dependencies]\na = \"1\"", ""),
            (
                "[dependencies]\na = \"1\"\n[patch.crates-io]\na = { path = \"x\" }",
                "override a from path x",
            ),
        ],
    ),
    source(
        "Cargo.toml",
        "[dev-dependencies]\na = \"1\"",
        &[("[dependencies]\na = \"1\"", "new dependency a")],
    ),
    source(
        "Cargo.toml",
        "[dependencies]\na_b = \"1\"",
        &[("[dependencies]\nA-b.workspace = true", "")],
    ),
    source(
        "Cargo.toml",
        "[dependencies]\na.workspace = true",
        &[("[dependencies]\na.path = \"a\"", "from path a")],
    ),
    source(
        "Cargo.toml",
        "",
        &[
            ("[replace]\n\"a:1.0.0\" = { git = \"https://evil\" }", "override a from git"),
            ("[target.'cfg(unix)'.build-dependencies]\nevil = \"1\"", "build dependency evil"),
            ("[workspace.dependencies]\nevil = \"1\"", "managed dependency evil"),
        ],
    ),
    source(
        "Cargo.lock",
        "[[package]]\nname = \"a\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"",
        &[(
            "[[package]]\nname = \"a\"\nsource = \"git+https://evil/a?rev=1#22\"",
            "a from git+https://evil/a",
        )],
    ),
    source(
        "package.json",
        "{\"dependencies\": {\"a\": \"1\"}}",
        &[
            ("{\"dependencies\": {\"a\": \"npm:evil@1\"}}", "dependency evil"),
            ("{\"dependencies\": {\"a\": \"npm:@e/vil@1\"}}", "dependency @e/vil"),
            (
                "{\"dependencies\": {\"a\": \"git+ssh://git@evil/a.git#v2\"}}",
                "a from git+ssh://git@evil/a",
            ),
            ("{\"dependencies\": {\"a\": \"evil/a\"}}", "a from evil/a"),
            ("{\"dependencies\": {\"a\": \"file:../a\"}}", "a from file:../a"),
        ],
    ),
    source(
        "package.json",
        "{\"dependencies\": {\"a\": \"evil/a#1\"}}",
        &[("{\"dependencies\": {\"a\": \"evil/a#2\"}}", "")],
    ),
    source(
        "package.json",
        "{}",
        &[
            ("{\"overrides\": {\"x\": {\"y@1\": \"npm:evil@1\"}}}", "override evil"),
            ("{\"resolutions\": {\"**/evil\": \"1\"}}", "override **/evil"),
            ("{\"bundleDependencies\": [\"evil\"]}", "bundled dependency evil"),
            ("{\"workspaces\": [\"evil/*\"]}", "local package evil/*"),
        ],
    ),
    source(
        "package.json",
        "{\"dependencies\": {}}",
        &[("{\"dependencies\": {\"evil\": \"1\"}, \"dependencies\": {}}", "cannot be judged")],
    ),
    source(
        "package-lock.json",
        "{\"packages\": {\"node_modules/a\": {\"resolved\": \"https://registry.npmjs.org/a/-/a-1.tgz\"}}}",
        &[(
            "{\"packages\": {\"node_modules/a\": {\"resolved\": \"https://evil/a-1.tgz\"}}}",
            "a from evil",
        )],
    ),
    source(
        "pyproject.toml",
        "[project]\ndependencies = [\"a\"]",
        &[
            ("[project]\ndependencies = [\"a @ https://evil/a.whl\"]", "a from https://evil/a.whl"),
            ("[project]\ndependencies = [\"a[more]\"]", "a[more]"),
            (
                "[project]\ndependencies = [\"a\"]\n[tool.uv.sources]\na = { git = \"https://evil/a\" }",
                "override a from git https://evil/a",
            ),
        ],
    ),
    source(
        "pyproject.toml",
        "[project]",
        &[("[project]\ndynamic = [\"dependencies\"]", "dynamic dependencies")],
    ),
    source(
        "pyproject.toml",
        "",
        &[(
            "[[tool.poetry.source]]\nurl = \"https://evil/simple\"",
            "package source https://evil/simple",
        )],
    ),
    source(
        "requirements.txt",
        "a",
        &[
            ("git+https://evil/a@main#egg=a", "a from git+https://evil/a"),
            ("a\n./evil.whl", "./evil.whl"),
            ("a\n-revil.txt", "included file evil.txt"),
            ("a\nev\\\nil", "new dependency evil"),
        ],
    ),
    source(
        "requirements.txt",
        "-e git+https://x/a@v1#egg=a",
        &[("-e git+https://x/a@v2#egg=a", "")],
    ),
    source(
        "setup.py",
        "setup(install_requires=REQS)",
        &[
            ("REQS = ['evil']\nsetup(install_requires=REQS)", "cannot be judged"),
            ("setup(install_requires=REQS)  # comment", ""),
        ],
    ),
    source(
        "setup.py",
        "setup(install_requires=['a'])",
        &[
            ("setup(install_requires=['a'] + more)", "cannot be judged"),
            ("setup(install_requires=['a'], **more)", "cannot be judged"),
        ],
    ),
    source(
        "setup.py",
        "setup(install_requires=['a'], version='1')",
        &[("setup(install_requires=['a'], version='2')", "")],
    ),
    source(
        "go.mod",
        "require a.b/c v1.0.0",
        &[("require a.b/c v1.0.0\nreplace a.b/c => ../evil", "override a.b/c from ../evil")],
    ),
    source(
        "Gemfile",
        "gem 'a'",
        &[
            ("gem 'a', github: 'evil/a'", "a from github evil/a"),
            ("git 'https://evil/' do\n  gem 'a'\nend", "a from git https://evil"),
        ],
    ),
    source("Gemfile", "", &[("eval_gemfile 'evil'", "included file evil")]),
    source(
        "pom.xml",
        "<project/>",
        &[
            (
                "<project><build><plugins><plugin><artifactId>evil</artifactId></plugin></plugins></build></project>",
                "plugin org.apache.maven.plugins:evil",
            ),
            (
                "<project><repositories><repository><url>https://evil/</url></repository></repositories></project>",
                "package source https://evil",
            ),
        ],
    ),
    source("build.gradle", "", &[("apply from: 'https://evil/x.gradle'", "evil")]),
    source(
        "build.gradle",
        "repositories { mavenCentral() }",
        &[("repositories { mavenCentral(); maven { url 'https://evil' } }", "evil")],
    ),
    source(
        "composer.json",
        "{}",
        &[(
            "{\"repositories\": [{\"type\": \"vcs\", \"url\": \"https://evil/a\"}]}",
            "package source https://evil/a",
        )],
    ),
    source(
        "a.csproj",
        "<Project/>",
        &[("<Project><Import Project=\"evil.props\"/></Project>", "included file evil.props")],
    ),
    source(
        "package-lock.json",
        "{\"packages\": {\"node_modules/@s/a\": {\"resolved\": \"https://registry.npmjs.org/@s/a/-/a-1.tgz\"}}}",
        &[(
            "{\"packages\": {\"node_modules/@s/a\": {\"resolved\": \"https://registry.npmjs.org/evil/-/evil-1.tgz\"}}}",
            "@s/a from https://registry.npmjs.org/evil",
        )],
    ),
    source(
        "composer.lock",
        "{\"packages\": [{\"name\": \"a/b\", \"dist\": {\"url\": \"https://api.github.com/repos/a/b/zipball/1\"}}]}",
        &[(
            "{\"packages\": [{\"name\": \"a/b\", \"dist\": {\"url\": \"https://api.github.com/repos/evil/b/zipball/1\"}}]}",
            "a/b from api.github.com/repos/evil/b",
        )],
    ),
    source("Dockerfile", "FROM a", &[("FROM evil", "")]),
];
