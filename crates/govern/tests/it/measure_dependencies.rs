//! `no_new_dependencies` for every kind of manifest and lock file (DF-18).

use govern::Constraints;
use govern::measure::{changes, violations};
use proptest::prelude::*;

use super::measure::{config, scope, tree};

/// A manifest and what may be done to it. The pairs are a text in it and what takes its place.
struct Case {
    path: &'static str,
    text: &'static str,
    /// Brings something new; the name that must be told.
    added: (&'static str, &'static str, &'static str),
    bumped: (&'static str, &'static str),
    /// The same dependencies, written in another way or order.
    reformatted: (&'static str, &'static str),
    removed: (&'static str, &'static str),
    /// Makes the file unreadable.
    broken: (&'static str, &'static str),
}

const CASES: &[Case] = &[
    Case {
        path: "Cargo.toml",
        text: "[package]\nname = \"x\"\n[dependencies]\nserde = \"1.0\"\nlog = { version = \"0.4\" }\n[dev-dependencies]\ninsta = \"1\"\n",
        added: ("[dev-dependencies]", "evil = \"1\"\n[dev-dependencies]", "dependency evil"),
        bumped: ("serde = \"1.0\"", "serde = \"2.0\""),
        reformatted: (
            "serde = \"1.0\"\nlog = { version = \"0.4\" }",
            "log.version = \"0.4\"\n\nserde = { version = \"1.0\" } # same",
        ),
        removed: ("serde = \"1.0\"\n", ""),
        broken: ("serde = \"1.0\"", "serde = \"1.0"),
    },
    Case {
        path: "crates/a/Cargo.lock",
        text: "version = 4\n\n[[package]]\nname = \"log\"\nversion = \"0.4.1\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n\n[[package]]\nname = \"x\"\nversion = \"0.1.0\"\n",
        added: (
            "version = 4\n",
            "version = 4\n[[package]]\nname = \"evil\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n",
            "locked package evil",
        ),
        bumped: ("0.4.1", "0.4.2"),
        reformatted: (
            "version = 4\n",
            "# generated\nversion = 3\n[[package]]\nname = \"local\"\nversion = \"0.0.0\"\n",
        ),
        removed: (
            "name = \"log\"\nversion = \"0.4.1\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"",
            "name = \"y\"",
        ),
        broken: ("version = 4", "<<<<<<< version = 4"),
    },
    Case {
        path: ".cargo/config.toml",
        text: "[build]\njobs = 2\n[registries.mine]\nindex = \"https://a/\"\n",
        added: (
            "[build]",
            "[source.crates-io]\nreplace-with = \"evil\"\n[build]",
            "source.crates-io",
        ),
        bumped: ("jobs = 2", "jobs = 3"),
        reformatted: ("index = \"https://a/\"", "'index' = 'https://a/'"),
        removed: ("[registries.mine]\nindex = \"https://a/\"\n", ""),
        broken: ("[build]", "[build"),
    },
    Case {
        path: "web/package.json",
        text: "{\"name\": \"x\", \"dependencies\": {\"react\": \"^18.0.0\", \"@s/a\": \"1\"}, \"devDependencies\": {\"jest\": \"29\"}}",
        added: ("{\"react\"", "{\"evil\": \"*\", \"react\"", "dependency evil"),
        bumped: ("^18.0.0", ">=19 <20"),
        reformatted: (
            "{\"react\": \"^18.0.0\", \"@s/a\": \"1\"}",
            "{\n  \"@s/a\": \"1\",\n  \"react\": \"^18.0.0\"\n}",
        ),
        removed: ("\"react\": \"^18.0.0\", ", ""),
        broken: ("{\"react\"", "{{\"react\""),
    },
    Case {
        path: "package-lock.json",
        text: "{\"lockfileVersion\": 3, \"packages\": {\"\": {}, \"node_modules/a\": {\"version\": \"1.0.0\", \"resolved\": \"https://registry.npmjs.org/a/-/a-1.0.0.tgz\"}, \"node_modules/a/node_modules/@s/b\": {\"version\": \"1.0.0\"}}}",
        added: (
            "\"\": {}",
            "\"\": {}, \"node_modules/x/node_modules/evil\": {\"version\": \"1.0.0\"}",
            "locked package evil",
        ),
        bumped: (
            "\"1.0.0\", \"resolved\": \"https://registry.npmjs.org/a/-/a-1.0.0.tgz\"",
            "\"1.1.0\", \"resolved\": \"https://registry.npmjs.org/a/-/a-1.1.0.tgz\"",
        ),
        reformatted: ("node_modules/a/node_modules/@s/b", "node_modules/@s/b"),
        removed: (", \"node_modules/a/node_modules/@s/b\": {\"version\": \"1.0.0\"}", ""),
        broken: ("\"packages\": {", "\"packages\": {\"\": {}, "),
    },
    Case {
        path: "npm-shrinkwrap.json",
        text: "{\"lockfileVersion\": 1, \"dependencies\": {\"a\": {\"version\": \"1.0.0\", \"dependencies\": {\"b\": {\"version\": \"2.0.0\"}}}}}",
        added: ("{\"b\"", "{\"evil\": {\"version\": \"1.0.0\"}, \"b\"", "locked package evil"),
        bumped: ("2.0.0", "2.0.1"),
        reformatted: (
            "{\"version\": \"1.0.0\", \"dependencies\": {\"b\": {\"version\": \"2.0.0\"}}}",
            "{\"version\": \"1.0.0\"}, \"b\": {\"version\": \"2.0.0\"}",
        ),
        removed: (", \"dependencies\": {\"b\": {\"version\": \"2.0.0\"}}", ""),
        broken: ("\"b\"", "b"),
    },
    Case {
        path: "yarn.lock",
        text: "# yarn lockfile v1\n\n\na@^1.0.0, a@^1.1.0:\n  version \"1.1.0\"\n  resolved \"https://registry.yarnpkg.com/a/-/a-1.1.0.tgz#00\"\n  dependencies:\n    \"@s/b\" \"1\"\n\n\"@s/b@1\":\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/@s/b/-/b-1.0.0.tgz#00\"\n",
        added: (
            "\"@s/b@1\":",
            "evil@1:\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/evil/-/evil-1.0.0.tgz#0\"\n\n\"@s/b@1\":",
            "locked package evil",
        ),
        bumped: (
            "a@^1.0.0, a@^1.1.0:\n  version \"1.1.0\"\n  resolved \"https://registry.yarnpkg.com/a/-/a-1.1.0.tgz#00\"",
            "a@^1.2.0:\n  version \"1.2.0\"\n  resolved \"https://registry.yarnpkg.com/a/-/a-1.2.0.tgz#11\"",
        ),
        reformatted: ("# yarn lockfile v1\n", ""),
        removed: (
            "\"@s/b@1\":\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/@s/b/-/b-1.0.0.tgz#00\"\n",
            "",
        ),
        broken: ("a@^1.0.0", "<<<<<<< HEAD\na@^1.0.0"),
    },
    Case {
        path: "berry/yarn.lock",
        text: "__metadata:\n  version: 8\n\n\"a@npm:^1.0.0\":\n  version: 1.1.0\n  resolution: \"a@npm:1.1.0\"\n\n\"x@workspace:.\":\n  version: 0.0.0-use.local\n  resolution: \"x@workspace:.\"\n",
        added: (
            "\"x@workspace:.\":",
            "\"evil@npm:*\":\n  version: 1.0.0\n  resolution: \"evil@npm:1.0.0\"\n\n\"x@workspace:.\":",
            "locked package evil",
        ),
        bumped: (
            "\"a@npm:^1.0.0\":\n  version: 1.1.0\n  resolution: \"a@npm:1.1.0\"",
            "\"a@npm:^2.0.0\":\n  version: 2.1.0\n  resolution: \"a@npm:2.1.0\"",
        ),
        reformatted: ("\"a@npm:^1.0.0\"", "'a@npm:^1.0.0'"),
        removed: ("\"a@npm:^1.0.0\":\n  version: 1.1.0\n  resolution: \"a@npm:1.1.0\"\n", ""),
        broken: ("  version: 8", "  version: [8"),
    },
    Case {
        path: "pnpm-lock.yaml",
        text: "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      a:\n        specifier: ^1.0.0\n        version: 1.0.0\npackages:\n  a@1.0.0:\n    resolution: {integrity: sha512-x}\n  '@s/b@1.0.0':\n    resolution: {integrity: sha512-y}\n",
        added: (
            "packages:\n",
            "packages:\n  evil@1.0.0:\n    resolution: {integrity: sha512-z}\n",
            "locked package evil",
        ),
        bumped: ("  a@1.0.0:", "  a@1.2.0:"),
        reformatted: (
            "  a@1.0.0:\n    resolution: {integrity: sha512-x}",
            "  /a@1.0.0:\n    resolution:\n      integrity: sha512-x",
        ),
        removed: ("  '@s/b@1.0.0':\n    resolution: {integrity: sha512-y}\n", ""),
        broken: ("packages:\n", "packages: {\n"),
    },
    Case {
        path: "pnpm-workspace.yaml",
        text: "packages:\n  - apps/*\ncatalog:\n  react: ^18\n",
        added: ("catalog:\n", "catalog:\n  evil: ^1\n", "managed dependency evil"),
        bumped: ("^18", "^19"),
        reformatted: ("  - apps/*", "- 'apps/*'"),
        removed: ("catalog:\n  react: ^18\n", ""),
        broken: ("catalog:", "catalog: ]"),
    },
    Case {
        path: "bun.lock",
        text: "{\n  \"lockfileVersion\": 1,\n  \"packages\": {\n    \"a\": [\"a@1.0.0\", \"\", {}, \"sha512-x\"],\n    \"b\": [\"b@1.0.0\", \"\", {}, \"sha512-y\"],\n  }\n}\n",
        added: (
            "\"packages\": {",
            "\"packages\": { \"evil\": [\"evil@1.0.0\", \"\", {}, \"sha512-x\"],",
            "locked package evil",
        ),
        bumped: ("a@1.0.0", "a@2.0.0"),
        reformatted: ("\n    \"b\"", " \"b\""),
        removed: ("    \"b\": [\"b@1.0.0\", \"\", {}, \"sha512-y\"],\n", ""),
        broken: ("\"packages\": {", "\"packages\": "),
    },
    Case {
        path: ".npmrc",
        text: "save-exact=true\n@mine:registry=https://npm.mine/\n",
        added: (
            "save-exact=true",
            "registry=https://evil/",
            "package source registry from https://evil",
        ),
        bumped: ("save-exact=true", "save-exact=false"),
        reformatted: (
            "@mine:registry=https://npm.mine/",
            "; mine\n@mine:registry = https://npm.mine",
        ),
        removed: ("@mine:registry=https://npm.mine/\n", ""),
        broken: ("save-exact=true", "\u{0}BINARY"),
    },
    Case {
        path: "pyproject.toml",
        text: "[project]\nname = \"x\"\ndependencies = [\"requests>=2\", 'Flask[async]==3.0 ; python_version > \"3.8\"']\n[project.optional-dependencies]\ntest = [\"pytest\"]\n[dependency-groups]\ndev = [\"ruff\", {include-group = \"x\"}]\n[build-system]\nrequires = [\"hatchling\"]\n",
        added: ("[\"hatchling\"]", "[\"hatchling\", \"Evil_Pkg\"]", "build dependency evil-pkg"),
        bumped: ("requests>=2", "requests >= 2.31, <3"),
        reformatted: (
            "\"requests>=2\", 'Flask[async]==3.0 ; python_version > \"3.8\"'",
            "\n  \"flask [async]\",\n  \"Requests\",\n",
        ),
        removed: ("\"ruff\", ", ""),
        broken: ("[project]", "[project"),
    },
    Case {
        path: "poetry/pyproject.toml",
        text: "[tool.poetry.dependencies]\npython = \"^3.11\"\nDjango = \"^4\"\n[tool.poetry.group.dev.dependencies]\nblack = { version = \"23\" }\n[tool.pdm.dev-dependencies]\ntest = [\"pytest\"]\n[tool.uv]\ndev-dependencies = [\"mypy\"]\n",
        added: ("[\"mypy\"]", "[\"mypy\", \"evil\"]", "development dependency evil"),
        bumped: ("\"^4\"", "{ version = \"^5\", optional = true }"),
        reformatted: ("Django = \"^4\"", "django.version = \"^4\""),
        removed: ("Django = \"^4\"\n", ""),
        broken: ("[\"mypy\"]", "[\"not a requirement at all\"]"),
    },
    Case {
        path: "requirements-dev.txt",
        text: "-r base.txt\nrequests==2.0 \\\n    --hash=sha256:00\nflask[async] >= 2 ; python_version < '3.9' # why\n-e git+https://example.org/a/b.git@v1#egg=thing\n--index-url https://pypi.org/simple\n",
        added: ("-r base.txt\n", "-r base.txt\nevil\n", "dependency evil"),
        bumped: ("requests==2.0", "requests>=3"),
        reformatted: (
            "flask[async] >= 2 ; python_version < '3.9' # why",
            "# moved\n\nFlask[async]",
        ),
        removed: ("-r base.txt\n", ""),
        broken: ("-r base.txt", "= base"),
    },
    Case {
        path: "requirements/constraints.in",
        text: "a==1\nb==2\n",
        added: (
            "a==1",
            "a==1\n--extra-index-url https://evil/simple",
            "package source https://evil/simple",
        ),
        bumped: ("b==2", "b~=2.1"),
        reformatted: ("a==1\nb==2", "B == 2\nA == 1"),
        removed: ("a==1\n", ""),
        broken: ("a==1", "a b c"),
    },
    Case {
        path: "setup.cfg",
        text: "[metadata]\nname = x\n[options]\ninstall_requires =\n    requests>=2; python_version<'3'\n    attrs\n[options.extras_require]\ntest = pytest; coverage\n",
        added: ("    attrs\n", "    attrs\n    evil\n", "dependency evil"),
        bumped: ("requests>=2", "requests>=3"),
        reformatted: (
            "install_requires =\n    requests>=2; python_version<'3'\n    attrs",
            "install_requires =\n  Attrs\n  # comment\n  requests",
        ),
        removed: ("    attrs\n", ""),
        broken: ("[options]", "[options"),
    },
    Case {
        path: "setup.py",
        text: "from setuptools import setup\nsetup(\n    name='x',\n    version='1',\n    install_requires=['requests>=2', \"attrs\"],\n    extras_require={'test': ['pytest']},\n)\n",
        added: ("['pytest']", "['pytest', 'evil']", "optional dependency evil"),
        bumped: ("requests>=2", "requests>=3"),
        reformatted: (
            "install_requires=['requests>=2', \"attrs\"]",
            "install_requires = [\n  'attrs', # first\n 'requests' ]",
        ),
        removed: (", \"attrs\"", ""),
        broken: ("'1'", "'1"),
    },
    Case {
        path: "Pipfile",
        text: "[[source]]\nurl = \"https://pypi.org/simple\"\n[packages]\nrequests = \"*\"\n[dev-packages]\npytest = { version = \"*\" }\n",
        added: ("[packages]", "[packages]\nevil = \"*\"", "dependency evil"),
        bumped: ("requests = \"*\"", "requests = \"==2\""),
        reformatted: (
            "[packages]\nrequests = \"*\"\n[dev-packages]\npytest = { version = \"*\" }",
            "[dev-packages]\npytest = \"*\"\n[packages]\nRequests = \"*\"",
        ),
        removed: ("requests = \"*\"\n", ""),
        broken: ("[packages]", "[packages"),
    },
    Case {
        path: "Pipfile.lock",
        text: "{\"_meta\": {}, \"default\": {\"requests\": {\"version\": \"==2\"}}, \"develop\": {\"pytest\": {\"version\": \"==7\"}}}",
        added: (
            "{\"requests\"",
            "{\"evil\": {\"version\": \"==1\"}, \"requests\"",
            "dependency evil",
        ),
        bumped: ("==2", "==3"),
        reformatted: ("\"_meta\": {}, ", ""),
        removed: ("\"requests\": {\"version\": \"==2\"}", ""),
        broken: ("{\"_meta\"", "\"_meta\""),
    },
    Case {
        path: "poetry.lock",
        text: "[[package]]\nname = \"attrs\"\nversion = \"1\"\n\n[[package]]\nname = \"six\"\nversion = \"1\"\n[package.source]\ntype = \"git\"\nurl = \"https://a/six.git\"\n",
        added: (
            "[[package]]\nname = \"six\"",
            "[[package]]\nname = \"evil\"\nversion = \"1\"\n[[package]]\nname = \"six\"",
            "locked package evil",
        ),
        bumped: ("version = \"1\"\n\n", "version = \"2\"\n\n"),
        reformatted: ("[[package]]\nname = \"attrs\"", "# generated\n[[package]]\nname = 'Attrs'"),
        removed: ("[[package]]\nname = \"attrs\"\nversion = \"1\"\n", ""),
        broken: ("name = \"attrs\"", "name = attrs"),
    },
    Case {
        path: "uv.lock",
        text: "version = 1\n[[package]]\nname = \"attrs\"\nversion = \"1\"\nsource = { registry = \"https://pypi.org/simple\" }\n[[package]]\nname = \"x\"\nsource = { editable = \".\" }\n",
        added: (
            "version = 1\n",
            "version = 1\n[[package]]\nname = \"attrs\"\nsource = { git = \"https://evil/attrs?rev=1#2\" }\n",
            "attrs from git https://evil/attrs",
        ),
        bumped: ("version = \"1\"", "version = \"3\""),
        reformatted: ("source = { editable = \".\" }", "[package.source]\neditable = \".\""),
        removed: ("[[package]]\nname = \"x\"\nsource = { editable = \".\" }\n", ""),
        broken: ("name = \"x\"", "nome = \"x\""),
    },
    Case {
        path: "environment.yml",
        text: "channels:\n  - conda-forge\ndependencies:\n  - python=3.11\n  - numpy>=1\n  - pip:\n    - requests==2\n",
        added: ("    - requests==2", "    - requests==2\n    - evil", "dependency evil"),
        bumped: ("numpy>=1", "numpy>=2"),
        reformatted: ("channels:\n  - conda-forge", "channels: [conda-forge]"),
        removed: ("  - numpy>=1\n", ""),
        broken: ("channels:", "channels: {"),
    },
    Case {
        path: "go.mod",
        text: "module example.org/x\n\ngo 1.22\n\nrequire (\n\texample.org/a v1.0.0\n\texample.org/b/v2 v2.0.0 // indirect\n)\n\nreplace example.org/a => example.org/fork/a v1.0.1\n",
        added: (
            "require (",
            "require example.org/evil v0.1.0\n\nrequire (",
            "dependency example.org/evil",
        ),
        bumped: ("example.org/b/v2 v2.0.0", "example.org/b/v3 v3.1.0"),
        reformatted: (
            "require (\n\texample.org/a v1.0.0\n",
            "require example.org/a v1.0.0\nrequire (\n",
        ),
        removed: ("\texample.org/a v1.0.0\n", ""),
        broken: (")\n", "\n"),
    },
    Case {
        path: "go.work",
        text: "go 1.22\nuse (\n\t./a\n\t./b\n)\n",
        added: ("\t./b\n", "\t./b\n\t../evil\n", "local package ../evil"),
        bumped: ("go 1.22", "go 1.23"),
        reformatted: ("use (\n\t./a\n", "use ./a\nuse (\n"),
        removed: ("\t./b\n", ""),
        broken: ("go 1.22", "gone 1.22"),
    },
    Case {
        path: "go.sum",
        text: "example.org/a v1.0.0 h1:aaa=\nexample.org/a v1.0.0/go.mod h1:bbb=\n",
        added: (
            "example.org/a v1.0.0 h1:aaa=",
            "example.org/a v1.0.0 h1:aaa=\nexample.org/evil v1.0.0 h1:ccc=",
            "locked package example.org/evil",
        ),
        bumped: ("example.org/a v1.0.0 h1:aaa=", "example.org/a v1.0.1 h1:ddd="),
        reformatted: ("h1:aaa=\n", "h1:aaa=\n\n"),
        removed: ("example.org/a v1.0.0 h1:aaa=\n", ""),
        broken: ("v1.0.0 h1:aaa=", "v1.0.0"),
    },
    Case {
        path: "Gemfile",
        text: "source 'https://rubygems.org'\nruby '3.2'\ngem 'rails', '~> 7.0'\ngroup :test do\n  gem \"rspec\", require: false\nend\ngem 'own', git: 'https://a/own.git',\n  branch: 'main'\n",
        added: ("ruby '3.2'", "gem('evil')", "dependency evil"),
        bumped: ("'~> 7.0'", "'>= 7.1', '< 8'"),
        reformatted: ("gem 'rails', '~> 7.0'\n", "# web\ngem(\"rails\")\n\n"),
        removed: ("gem 'rails', '~> 7.0'\n", ""),
        broken: ("gem 'rails'", "gem rails_name"),
    },
    Case {
        path: "x.gemspec",
        text: "Gem::Specification.new do |spec|\n  spec.name = 'x'\n  spec.add_dependency 'rack', '>= 2'\n  spec.add_development_dependency 'rake'\nend\n",
        added: ("  spec.name = 'x'", "  spec.add_runtime_dependency('evil')", "dependency evil"),
        bumped: (">= 2", ">= 3"),
        reformatted: ("spec.add_dependency 'rack', '>= 2'", "spec.add_dependency(\"rack\")"),
        removed: ("  spec.add_dependency 'rack', '>= 2'\n", ""),
        broken: ("end\n", ""),
    },
    Case {
        path: "Gemfile.lock",
        text: "GEM\n  remote: https://rubygems.org/\n  specs:\n    rack (2.0)\n      other (>= 1)\n    rails (7.0)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  rails (~> 7.0)\n\nBUNDLED WITH\n   2.4.1\n",
        added: ("    rails (7.0)", "    evil (1.0)\n    rails (7.0)", "locked package evil"),
        bumped: ("rack (2.0)", "rack (2.1)"),
        reformatted: ("PLATFORMS\n  ruby\n", "PLATFORMS\n  arm64-darwin\n  ruby\n"),
        removed: ("    rack (2.0)\n      other (>= 1)\n", ""),
        broken: ("GEM\n", "<<<<<<< HEAD\nGEM\n"),
    },
    Case {
        path: "pom.xml",
        text: "<?xml version=\"1.0\"?>\n<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <properties><g>org.a</g></properties>\n  <dependencies>\n    <dependency><groupId>${g}</groupId><artifactId>one</artifactId><version>1</version></dependency>\n    <dependency>\n      <groupId>org.b</groupId>\n      <artifactId>two</artifactId>\n      <scope>test</scope>\n    </dependency>\n  </dependencies>\n</project>\n",
        added: (
            "  <dependencies>",
            "  <dependencies><dependency><groupId>org</groupId><artifactId>ev<!-- x -->il</artifactId></dependency>",
            "dependency org:evil",
        ),
        bumped: ("<version>1</version>", "<version>2</version>"),
        reformatted: (
            "<groupId>${g}</groupId><artifactId>one</artifactId><version>1</version>",
            "<!-- same -->\n<artifactId>one</artifactId>\n<groupId><![CDATA[org.a]]></groupId>",
        ),
        removed: (
            "<dependency><groupId>${g}</groupId><artifactId>one</artifactId><version>1</version></dependency>",
            "",
        ),
        broken: ("</dependencies>", ""),
    },
    Case {
        path: "app/build.gradle",
        text: "plugins {\n    id 'java'\n    id 'org.x' version '1.0'\n}\nrepositories { mavenCentral() }\ndependencies {\n    implementation 'org.a:one:1.0'\n    testImplementation(group: 'org.b', name: 'two', version: '2')\n    implementation project(':core')\n    api(\"org.c:three:$v\") { exclude group: 'org.d' }\n}\n",
        added: (
            "    implementation project(':core')",
            "    implementation project(':core')\n    runtimeOnly 'org:evil:1'",
            "org:evil",
        ),
        bumped: ("org.a:one:1.0", "org.a:one:1.1"),
        reformatted: (
            "    implementation 'org.a:one:1.0'\n",
            "    // one\n    implementation(\"org.a:one:1.0\")\n\n",
        ),
        removed: ("    implementation 'org.a:one:1.0'\n", ""),
        broken: ("dependencies {", "dependencies {{"),
    },
    Case {
        path: "build.gradle.kts",
        text: "plugins {\n    kotlin(\"jvm\") version \"1.9\"\n    alias(libs.plugins.x)\n}\ndependencies {\n    implementation(libs.one)\n    implementation(platform(\"org.a:bom:1\"))\n    testImplementation(kotlin(\"test\"))\n}\n",
        added: (
            "    implementation(libs.one)",
            "    implementation(libs.one)\n    implementation(libs.evil)",
            "libs.evil",
        ),
        bumped: ("version \"1.9\"", "version \"2.0\""),
        reformatted: (
            "    implementation(libs.one)\n    implementation(platform(\"org.a:bom:1\"))",
            "    implementation(\n        platform(\"org.a:bom:2\"),\n    )\n    implementation(libs.one)",
        ),
        removed: ("    implementation(libs.one)\n", ""),
        broken: ("(\"jvm\")", "(\"jvm)"),
    },
    Case {
        path: "gradle/libs.versions.toml",
        text: "[versions]\na = \"1\"\n[libraries]\none = { module = \"org.a:one\", version.ref = \"a\" }\ntwo = \"org.b:two:2\"\n[plugins]\nx = { id = \"org.x\", version = \"1\" }\n",
        added: ("[plugins]", "three = \"org:evil:1\"\n[plugins]", "org:evil"),
        bumped: ("a = \"1\"", "a = \"2\""),
        reformatted: (
            "two = \"org.b:two:2\"",
            "two = { group = \"org.b\", name = \"two\", version = \"2\" }",
        ),
        removed: ("two = \"org.b:two:2\"\n", ""),
        broken: ("[plugins]", "[plugins"),
    },
    Case {
        path: "gradle.lockfile",
        text: "# lock\norg.a:one:1.0=compileClasspath\nempty=testRuntime\n",
        added: ("empty=testRuntime", "org:evil:1=compileClasspath\nempty=", "org:evil"),
        bumped: (":1.0=", ":1.1="),
        reformatted: ("# lock\n", ""),
        removed: ("org.a:one:1.0=compileClasspath\n", ""),
        broken: ("org.a:one:1.0", "org.a"),
    },
    Case {
        path: "composer.json",
        text: "{\"require\": {\"php\": \">=8\", \"a/b\": \"^1\"}, \"require-dev\": {\"c/d\": \"*\"}}",
        added: (
            "{\"php\"",
            "{\"ext-json\": \"*\", \"Evil/Pkg\": \"*\", \"php\"",
            "dependency evil/pkg",
        ),
        bumped: ("^1", "^2"),
        reformatted: (
            "\"php\": \">=8\", \"a/b\": \"^1\"",
            "\n\"A/B\": \"^1\",\n\"php\": \">=8\"\n",
        ),
        removed: (", \"a/b\": \"^1\"", ""),
        broken: ("{\"php\"", "[\"php\""),
    },
    Case {
        path: "composer.lock",
        text: "{\"packages\": [{\"name\": \"a/b\", \"version\": \"1\", \"source\": {\"url\": \"https://github.com/a/b.git\"}}], \"packages-dev\": []}",
        added: (
            "\"packages-dev\": []",
            "\"packages-dev\": [{\"name\": \"evil/pkg\"}]",
            "locked package evil/pkg",
        ),
        bumped: ("\"1\"", "\"2\""),
        reformatted: (", \"version\": \"1\"", ""),
        removed: (
            "{\"name\": \"a/b\", \"version\": \"1\", \"source\": {\"url\": \"https://github.com/a/b.git\"}}",
            "",
        ),
        broken: ("\"name\"", "\"nome\""),
    },
    Case {
        path: "src/App.csproj",
        text: "<Project Sdk=\"Microsoft.NET.Sdk\">\n  <ItemGroup>\n    <PackageReference Include=\"Serilog\" Version=\"3.0\" />\n    <PackageReference Include=\"Polly\"><Version>8</Version></PackageReference>\n    <ProjectReference Include=\"..\\Core\\Core.csproj\" />\n  </ItemGroup>\n</Project>\n",
        added: (
            "  </ItemGroup>",
            "    <PackageReference Version=\"1\" Include=\"Evil.Pkg\"/>\n  </ItemGroup>",
            "dependency evil.pkg",
        ),
        bumped: ("Version=\"3.0\"", "Version=\"4.0\""),
        reformatted: (
            "<PackageReference Include=\"Serilog\" Version=\"3.0\" />",
            "<PackageReference\n  Version='3.0'\n  Include='serilog'></PackageReference>",
        ),
        removed: ("    <PackageReference Include=\"Serilog\" Version=\"3.0\" />\n", ""),
        broken: ("</ItemGroup>", "</ItemGrop>"),
    },
    Case {
        path: "Directory.Packages.props",
        text: "<Project><ItemGroup><PackageVersion Include=\"A\" Version=\"1\"/><PackageVersion Include=\"B\" Version=\"1\"/></ItemGroup></Project>",
        added: (
            "</ItemGroup>",
            "<PackageVersion Include=\"Evil\" Version=\"1\"/></ItemGroup>",
            "managed dependency evil",
        ),
        bumped: ("\"A\" Version=\"1\"", "\"A\" Version=\"2\""),
        reformatted: ("<ItemGroup>", "\n<ItemGroup>\n"),
        removed: ("<PackageVersion Include=\"B\" Version=\"1\"/>", ""),
        broken: ("<Project>", "<!DOCTYPE x [<!ENTITY e \"x\">]><Project>"),
    },
    Case {
        path: "packages.config",
        text: "<packages><package id=\"A\" version=\"1\" /><package id=\"B\" version=\"1\" /></packages>",
        added: (
            "</packages>",
            "<package id=\"Evil\" version=\"1\" /></packages>",
            "dependency evil",
        ),
        bumped: ("\"A\" version=\"1\"", "\"A\" version=\"2\""),
        reformatted: ("<packages>", "<packages>\n"),
        removed: ("<package id=\"B\" version=\"1\" />", ""),
        broken: ("id=\"A\"", "id=A"),
    },
    Case {
        path: "packages.lock.json",
        text: "{\"version\": 1, \"dependencies\": {\"net8.0\": {\"A\": {\"type\": \"Direct\", \"resolved\": \"1.0\"}}}}",
        added: ("{\"A\"", "{\"Evil\": {\"type\": \"Transitive\"}, \"A\"", "locked package evil"),
        bumped: ("1.0", "1.1"),
        reformatted: (", \"resolved\": \"1.0\"", ""),
        removed: ("\"A\": {\"type\": \"Direct\", \"resolved\": \"1.0\"}", ""),
        broken: ("{\"A\"", "{A"),
    },
    Case {
        path: "nuget.config",
        text: "<configuration><packageSources><add key=\"a\" value=\"https://a/\" /></packageSources></configuration>",
        added: (
            "</packageSources>",
            "<add key=\"b\" value=\"https://evil/\" /></packageSources>",
            "package source https://evil",
        ),
        bumped: ("key=\"a\"", "key=\"other\""),
        reformatted: ("<packageSources>", "<packageSources>\n"),
        removed: ("<add key=\"a\" value=\"https://a/\" />", ""),
        broken: ("</configuration>", ""),
    },
    Case {
        path: "pubspec.yaml",
        text: "name: x\ndependencies:\n  http: ^1.0.0\n  own:\n    git:\n      url: https://a/own.git\ndev_dependencies:\n  test: any\n",
        added: ("dependencies:\n  http", "dependencies:\n  evil: any\n  http", "dependency evil"),
        bumped: ("^1.0.0", "^2.0.0"),
        reformatted: (
            "  own:\n    git:\n      url: https://a/own.git",
            "  own: {git: https://a/own}",
        ),
        removed: ("  http: ^1.0.0\n", ""),
        broken: ("name: x", "name: [x"),
    },
    Case {
        path: "pubspec.lock",
        text: "packages:\n  http:\n    dependency: \"direct main\"\n    description:\n      name: http\n      url: \"https://pub.dev\"\n    source: hosted\n    version: \"1.0.0\"\n",
        added: (
            "packages:\n",
            "packages:\n  evil:\n    version: \"1.0.0\"\n",
            "locked package evil",
        ),
        bumped: ("1.0.0", "1.1.0"),
        reformatted: ("dependency: \"direct main\"", "dependency: transitive"),
        removed: (
            "  http:\n    dependency: \"direct main\"\n    description:\n      name: http\n      url: \"https://pub.dev\"\n    source: hosted\n    version: \"1.0.0\"\n",
            "  {}\n",
        ),
        broken: ("packages:", "packages"),
    },
    Case {
        path: "mix.exs",
        text: "defmodule X.MixProject do\n  defp deps do\n    [\n      {:phoenix, \"~> 1.7\"}, # web\n      {:own, git: \"https://a/own.git\"}\n    ]\n  end\nend\n",
        added: ("    [\n", "    [\n      {:evil, \">= 0.0.0\"},\n", "dependency evil"),
        bumped: ("~> 1.7", "~> 1.8"),
        reformatted: ("{:phoenix, \"~> 1.7\"}, # web", "{ :phoenix , \"~> 1.7\" },\n"),
        removed: ("{:phoenix, \"~> 1.7\"}, # web\n", ""),
        broken: ("    ]\n", ""),
    },
    Case {
        path: "mix.lock",
        text: "%{\n  \"a\": {:hex, :a, \"1.0.0\", \"00\", [:mix], [], \"hexpm\", \"11\"},\n  \"b\": {:hex, :b, \"1.0.0\", \"00\", [:mix], [], \"hexpm\", \"11\"},\n}\n",
        added: (
            "%{\n",
            "%{\n  \"evil\": {:git, \"https://evil\", \"00\", []},\n",
            "locked package evil from git",
        ),
        bumped: (":a, \"1.0.0\"", ":a, \"1.1.0\""),
        reformatted: ("%{\n", "%{\n\n"),
        removed: ("  \"b\": {:hex, :b, \"1.0.0\", \"00\", [:mix], [], \"hexpm\", \"11\"},\n", ""),
        broken: ("\"hexpm\"", "\"hexpm"),
    },
    Case {
        path: ".gitmodules",
        text: "[submodule \"a\"]\n\tpath = a\n\turl = https://a/a.git\n[submodule \"b\"]\n\tpath = b\n\turl = https://a/b.git\n",
        added: (
            "[submodule \"b\"]",
            "[submodule \"evil\"]\n\tpath = e\n\turl = https://evil/e\n[submodule \"b\"]",
            "https://evil/e",
        ),
        bumped: ("\tpath = a\n", "\tpath = a\n\tbranch = main\n"),
        reformatted: ("\tpath = a\n\turl = https://a/a.git", "  url=https://a/a\n  path=a"),
        removed: ("[submodule \"b\"]\n\tpath = b\n\turl = https://a/b.git\n", ""),
        broken: ("[submodule \"a\"]", "[submodule \"a\""),
    },
];

const NO_NEW: Constraints =
    Constraints { max_files_changed: None, no_new_dependencies: Some(true), no_refactor: None };

/// What is said about the file at `path` when its text changes.
fn found(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
    let old: Vec<(&str, &str)> = before.map(|it| (path, it)).into_iter().collect();
    let (before, after) = (tree(&old), tree(&[(path, after)]));
    let all = violations(&changes(&before, &after), &before, &after, &scope(&[path]), &NO_NEW);
    all.iter().map(ToString::to_string).collect()
}

fn with(case: &Case, (from, to): (&str, &str)) -> String {
    assert!(case.text.contains(from), "{}: {from:?} is not in the text", case.path);
    case.text.replacen(from, to, 1)
}

#[test]
fn an_added_dependency_is_found_and_named_with_its_file() {
    for case in CASES {
        let (from, to, name) = case.added;
        let found = found(case.path, Some(case.text), &with(case, (from, to)));
        assert_eq!(found.len(), 1, "{}: {found:?}", case.path);
        let start = format!("no_new_dependencies: {}: new ", case.path);
        assert!(
            found[0].starts_with(&start) && found[0].contains(name),
            "{}: {found:?}",
            case.path
        );
    }
}

#[test]
fn versions_order_layout_and_removals_are_no_new_dependencies() {
    for case in CASES {
        for change in [case.bumped, case.reformatted, case.removed] {
            let after = with(case, change);
            assert_ne!(after, case.text, "{}", case.path);
            assert_eq!(
                found(case.path, Some(case.text), &after),
                [""; 0],
                "{}: {change:?}",
                case.path
            );
        }
    }
}

/// What cannot be judged is not a pass.
#[test]
fn a_manifest_that_cannot_be_read_is_a_violation() {
    for case in CASES.iter().filter(|it| it.path != ".npmrc") {
        let found_after = found(case.path, Some(case.text), &with(case, case.broken));
        assert!(
            found_after.len() == 1 && found_after[0].ends_with("cannot be judged"),
            "{}: {found_after:?}",
            case.path
        );
        let found_before = found(case.path, Some(&with(case, case.broken)), case.text);
        assert!(
            found_before.len() == 1 && found_before[0].ends_with("cannot be compared"),
            "{}: {found_before:?}",
            case.path
        );
    }
}

/// In a new manifest everything is new, and what is moved from another kind of file too.
#[test]
fn a_new_manifest_brings_all_that_it_names() {
    for case in CASES {
        assert!(!found(case.path, None, case.text).is_empty(), "{}", case.path);
        assert!(found(case.path, Some(case.text), "").len() <= 1, "{}", case.path);
    }
}

/// Ways to bring something in that leave the plain list of names as it is.
#[test]
fn the_same_name_from_elsewhere_or_for_more_is_new() {
    let cases: &[(&str, &str, &str, &str)] = &[
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"",
            "[dependencies]\na = { git = \"https://evil/a\" }",
            "dependency a from git https://evil/a",
        ),
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"",
            "[dependencies]\na = { path = \"../a\" }",
            "dependency a from path ../a",
        ),
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"",
            "[dependencies]\na = { version = \"1\", registry = \"evil\" }",
            "from registry evil",
        ),
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"",
            "[dependencies]\na = { package = \"evil\", version = \"1\" }",
            "dependency evil",
        ),
        (
            "Cargo.toml",
            "[dev-dependencies]\na = \"1\"",
            "[dependencies]\na = \"1\"",
            "new dependency a",
        ),
        ("Cargo.toml", "[dependencies]\na = \"1\"", "[dev-dependencies]\na = \"1\"", ""),
        ("Cargo.toml", "[dependencies]\na_b = \"1\"", "[dependencies]\nA-b.workspace = true", ""),
        (
            "Cargo.toml",
            "[dependencies]\na.workspace = true",
            "[dependencies]\na.path = \"a\"",
            "from path a",
        ),
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"",
            "[dependencies]\na = \"1\"\n[patch.crates-io]\na = { path = \"x\" }",
            "override a from path x",
        ),
        (
            "Cargo.toml",
            "",
            "[replace]\n\"a:1.0.0\" = { git = \"https://evil\" }",
            "override a from git",
        ),
        (
            "Cargo.toml",
            "",
            "[target.'cfg(unix)'.build-dependencies]\nevil = \"1\"",
            "build dependency evil",
        ),
        ("Cargo.toml", "", "[workspace.dependencies]\nevil = \"1\"", "managed dependency evil"),
        (
            "Cargo.lock",
            "[[package]]\nname = \"a\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"",
            "[[package]]\nname = \"a\"\nsource = \"git+https://evil/a?rev=1#22\"",
            "a from git+https://evil/a",
        ),
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"1\"}}",
            "{\"dependencies\": {\"a\": \"npm:evil@1\"}}",
            "dependency evil",
        ),
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"1\"}}",
            "{\"dependencies\": {\"a\": \"npm:@e/vil@1\"}}",
            "dependency @e/vil",
        ),
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"1\"}}",
            "{\"dependencies\": {\"a\": \"git+ssh://git@evil/a.git#v2\"}}",
            "a from git+ssh://git@evil/a",
        ),
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"1\"}}",
            "{\"dependencies\": {\"a\": \"evil/a\"}}",
            "a from evil/a",
        ),
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"1\"}}",
            "{\"dependencies\": {\"a\": \"file:../a\"}}",
            "a from file:../a",
        ),
        (
            "package.json",
            "{\"dependencies\": {\"a\": \"evil/a#1\"}}",
            "{\"dependencies\": {\"a\": \"evil/a#2\"}}",
            "",
        ),
        (
            "package.json",
            "{}",
            "{\"overrides\": {\"x\": {\"y@1\": \"npm:evil@1\"}}}",
            "override evil",
        ),
        ("package.json", "{}", "{\"resolutions\": {\"**/evil\": \"1\"}}", "override **/evil"),
        ("package.json", "{}", "{\"bundleDependencies\": [\"evil\"]}", "bundled dependency evil"),
        ("package.json", "{}", "{\"workspaces\": [\"evil/*\"]}", "local package evil/*"),
        (
            "package.json",
            "{\"dependencies\": {}}",
            "{\"dependencies\": {\"evil\": \"1\"}, \"dependencies\": {}}",
            "cannot be judged",
        ),
        (
            "package-lock.json",
            "{\"packages\": {\"node_modules/a\": {\"resolved\": \"https://registry.npmjs.org/a/-/a-1.tgz\"}}}",
            "{\"packages\": {\"node_modules/a\": {\"resolved\": \"https://evil/a-1.tgz\"}}}",
            "a from evil",
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"a\"]",
            "[project]\ndependencies = [\"a @ https://evil/a.whl\"]",
            "a from https://evil/a.whl",
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"a\"]",
            "[project]\ndependencies = [\"a[more]\"]",
            "a[more]",
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = [\"a\"]",
            "[project]\ndependencies = [\"a\"]\n[tool.uv.sources]\na = { git = \"https://evil/a\" }",
            "override a from git https://evil/a",
        ),
        (
            "pyproject.toml",
            "[project]",
            "[project]\ndynamic = [\"dependencies\"]",
            "dynamic dependencies",
        ),
        (
            "pyproject.toml",
            "",
            "[[tool.poetry.source]]\nurl = \"https://evil/simple\"",
            "package source https://evil/simple",
        ),
        ("requirements.txt", "a", "git+https://evil/a@main#egg=a", "a from git+https://evil/a"),
        ("requirements.txt", "-e git+https://x/a@v1#egg=a", "-e git+https://x/a@v2#egg=a", ""),
        ("requirements.txt", "a", "a\n./evil.whl", "./evil.whl"),
        ("requirements.txt", "a", "a\n-revil.txt", "included file evil.txt"),
        ("requirements.txt", "a", "a\nev\\\nil", "new dependency evil"),
        (
            "setup.py",
            "setup(install_requires=REQS)",
            "REQS = ['evil']\nsetup(install_requires=REQS)",
            "cannot be judged",
        ),
        (
            "setup.py",
            "setup(install_requires=['a'])",
            "setup(install_requires=['a'] + more)",
            "cannot be judged",
        ),
        (
            "setup.py",
            "setup(install_requires=['a'])",
            "setup(install_requires=['a'], **more)",
            "cannot be judged",
        ),
        (
            "setup.py",
            "setup(install_requires=['a'], version='1')",
            "setup(install_requires=['a'], version='2')",
            "",
        ),
        ("setup.py", "setup(install_requires=REQS)", "setup(install_requires=REQS)  # comment", ""),
        (
            "go.mod",
            "require a.b/c v1.0.0",
            "require a.b/c v1.0.0\nreplace a.b/c => ../evil",
            "override a.b/c from ../evil",
        ),
        ("Gemfile", "gem 'a'", "gem 'a', github: 'evil/a'", "a from github evil/a"),
        ("Gemfile", "gem 'a'", "git 'https://evil/' do\n  gem 'a'\nend", "a from git https://evil"),
        ("Gemfile", "", "eval_gemfile 'evil'", "included file evil"),
        (
            "pom.xml",
            "<project/>",
            "<project><build><plugins><plugin><artifactId>evil</artifactId></plugin></plugins></build></project>",
            "plugin org.apache.maven.plugins:evil",
        ),
        (
            "pom.xml",
            "<project/>",
            "<project><repositories><repository><url>https://evil/</url></repository></repositories></project>",
            "package source https://evil",
        ),
        ("build.gradle", "", "apply from: 'https://evil/x.gradle'", "evil"),
        (
            "build.gradle",
            "repositories { mavenCentral() }",
            "repositories { mavenCentral(); maven { url 'https://evil' } }",
            "evil",
        ),
        (
            "composer.json",
            "{}",
            "{\"repositories\": [{\"type\": \"vcs\", \"url\": \"https://evil/a\"}]}",
            "package source https://evil/a",
        ),
        (
            "a.csproj",
            "<Project/>",
            "<Project><Import Project=\"evil.props\"/></Project>",
            "included file evil.props",
        ),
        (
            "package-lock.json",
            "{\"packages\": {\"node_modules/@s/a\": {\"resolved\": \"https://registry.npmjs.org/@s/a/-/a-1.tgz\"}}}",
            "{\"packages\": {\"node_modules/@s/a\": {\"resolved\": \"https://registry.npmjs.org/evil/-/evil-1.tgz\"}}}",
            "@s/a from https://registry.npmjs.org/evil",
        ),
        (
            "composer.lock",
            "{\"packages\": [{\"name\": \"a/b\", \"dist\": {\"url\": \"https://api.github.com/repos/a/b/zipball/1\"}}]}",
            "{\"packages\": [{\"name\": \"a/b\", \"dist\": {\"url\": \"https://api.github.com/repos/evil/b/zipball/1\"}}]}",
            "a/b from api.github.com/repos/evil/b",
        ),
        ("Dockerfile", "FROM a", "FROM evil", ""),
    ];
    for (path, before, after, expected) in cases {
        let found = found(path, Some(before), after);
        match *expected {
            "" => assert_eq!(found, [""; 0], "{path}: {after}"),
            _ => {
                assert!(found.iter().any(|it| it.contains(expected)), "{path}: {after}: {found:?}")
            }
        }
    }
}

#[track_caller]
fn check_trees(before: &[(&str, &str)], after: &[(&str, &str)], expected: &[&str]) {
    let (before, after) = (tree(before), tree(after));
    let everything: Vec<&str> = vec![
        "node_modules/",
        "vendor/",
        "src/",
        "a",
        "deps.txt",
        "requirements.txt",
        "Cargo.toml",
        "old.toml",
        "node_modules",
    ];
    let all = violations(&changes(&before, &after), &before, &after, &scope(&everything), &NO_NEW);
    let found: Vec<String> = all.iter().map(ToString::to_string).collect();
    let expected: Vec<String> =
        expected.iter().map(|it| format!("no_new_dependencies: {it}")).collect();
    assert_eq!(found, expected);
}

#[test]
fn vendored_code_is_a_new_dependency() {
    let vendored = "is a new directory of vendored code";
    check_trees(
        &[],
        &[("node_modules/x/index.js", "1"), ("node_modules/x/package.json", "{}")],
        &[&format!("node_modules: {vendored}")],
    );
    check_trees(&[("vendor/a/x", "1")], &[("vendor/a/x", "2")], &[]);
    check_trees(&[("vendor/a/x", "1")], &[("vendor/a/x", "1"), ("vendor/a/y", "")], &[]);
    check_trees(
        &[("vendor/a/x", "1")],
        &[("vendor/a/x", "1"), ("vendor/b/c/y", "")],
        &[&format!("vendor/b: {vendored}")],
    );
    check_trees(
        &[("src/vendor/m.py", "1")],
        &[("src/vendor/m.py", "1"), ("src/vendor/n.py", "")],
        &[],
    );
    check_trees(
        &[("a", "1")],
        &[("a", "1"), ("node_modules", "-> a")],
        &[&format!("node_modules: {vendored}")],
    );
}

#[test]
fn what_a_requirements_file_includes_is_measured_too() {
    check_trees(
        &[("requirements.txt", "-r deps.txt"), ("deps.txt", "a")],
        &[("requirements.txt", "-r deps.txt"), ("deps.txt", "a\nevil")],
        &["deps.txt: new dependency evil (requirements file)"],
    );
    check_trees(&[("deps.txt", "a")], &[("deps.txt", "a\nevil")], &[]);
}

#[test]
fn a_manifest_that_is_no_file_or_came_from_another_kind_is_judged_as_new() {
    let linked = "Cargo.toml: is not a file that was read, so its dependencies cannot be judged";
    check_trees(&[("Cargo.toml", "")], &[("Cargo.toml", "-> a")], &[linked]);
    let text = "[dependencies]\nevil = \"1\"\n";
    check_trees(
        &[("old.toml", text)],
        &[("Cargo.toml", text)],
        &["Cargo.toml: new dependency evil (Cargo.toml)"],
    );
    check_trees(&[("Cargo.toml", text)], &[("src/Cargo.toml", text)], &[]);
    check_trees(&[("Cargo.toml", text)], &[("Cargo.toml", &format!("+x {text}"))], &[]);
    check_trees(&[("Cargo.toml", text)], &[], &[]);
}

/// Time and memory are bounded: a manifest beyond the limit is not read, and nesting costs no stack.
#[test]
fn huge_and_deep_manifests_cannot_be_judged() {
    let huge = "a".repeat((16 << 20) + 1);
    let deep = |open: &str| open.repeat(200_000);
    for (path, text) in [
        ("package-lock.json", huge.as_str()),
        ("Cargo.lock", &huge),
        ("package.json", &deep("[")),
        ("package-lock.json", &deep("{\"dependencies\":")),
        ("pubspec.yaml", &deep("[")),
        ("Cargo.toml", &format!("a = {}", deep("["))),
        ("pom.xml", &deep("<project>")),
        ("setup.py", &deep("(")),
        ("build.gradle", &deep("{")),
    ] {
        let found = found(path, Some(""), text);
        assert!(found.len() == 1 && found[0].contains("cannot be"), "{path}: {found:?}");
    }
}

proptest! {
    #![proptest_config(config(62, 48))]

    /// No reader panics on any bytes, and nothing is new in a file that did not change.
    #[test]
    fn any_bytes_are_read_or_refused(noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let noise = String::from_utf8_lossy(&noise).into_owned();
        for case in CASES {
            found(case.path, Some(case.text), &noise);
            prop_assert_eq!(found(case.path, Some(&noise), &noise), [""; 0]);
        }
    }

    /// A piece of a real manifest is cut out, repeated or put elsewhere.
    #[test]
    fn damaged_manifests_are_read_or_refused(
        at in any::<prop::sample::Index>(), end in any::<prop::sample::Index>(), into in any::<prop::sample::Index>()
    ) {
        for case in CASES {
            let chars: Vec<char> = case.text.chars().collect();
            let (from, to, into) = (at.index(chars.len()), end.index(chars.len()), into.index(chars.len()));
            let piece = &chars[from.min(to)..from.max(to)];
            let pasted: String = [&chars[..into], piece, &chars[into..]].concat().iter().collect();
            let cut: String = [&chars[..from.min(to)], &chars[from.max(to)..]].concat().iter().collect();
            found(case.path, Some(case.text), &pasted);
            found(case.path, Some(case.text), &cut);
        }
    }
}
