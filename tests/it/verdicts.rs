//! Red is never green: what a file, a permission, a configuration or a flag comes to, as exit code, verdict and JSON.
//!
//! Every row is run as text and as JSON, each on a fresh tree, and the laws of [`Row::check`] hold for all of them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::Value;

use super::support::{Ran, Scene};

/// A schema, a document that fits it and one that does not.
const S: &str =
    "//- ws/s.json\n{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\"}}}\n";
const GOOD: &str = "//- ws/good.yaml\n# yaml-language-server: $schema=s.json\na: 1\n";
const BAD: &str = "//- ws/bad.yaml\n# yaml-language-server: $schema=s.json\na: x\n";
/// A pack with a schema, a rule about one file and one about several.
const PACK: &str = "\
//- ws/regreen.toml
[[pack]]
path = \"pack\"
//- ws/pack/pack.yaml
name: app
pack_version: '1'
kinds:
  - {kind: module, files: 'modules/*', has: /name, schema: module.json}
  - {kind: list, files: 'lists/*'}
rules:
  - {id: SEM_USES, rule: reference, from: {in: module, at: /uses/*}, to: {in: module, at: /name}, about: Uses.}
  - {id: SEM_MIN, rule: cel, at: {in: module, at: /limits}, assert: 'self.min <= self.max', message: Limits are wrong., about: Limits.}
//- ws/pack/module.json
{\"type\": \"object\", \"properties\": {\"port\": {\"type\": \"integer\"}}}
";
const MODULE: &str = "//- ws/modules/a.yaml\nname: a\n";
const CLANK: &str = "//- ws/main.clank\nfn main() -> Int { 1 }\n";

/// A goal that our own solver leaves open.
const OPEN: &str = "\
//- ws/main.clank
fn distance(x: Int, y: Int) -> (Int{result >= 0}) { x * x - 2 * x * y + y * y }

fn main() -> IO + Unit { println(to_string(distance(2, 5))) }
";

/// What a command must come to.
struct Row {
    name: &'static str,
    files: String,
    line: &'static str,
    code: i32,
    /// What the text says; with `!` in front, what it does not say.
    says: &'static [&'static str],
    /// Members of the report, by pointer.
    json: &'static [(&'static str, &'static str)],
    prepare: fn(&Scene),
    /// Whether it runs as somebody whom permissions stop.
    as_nobody: bool,
}

fn row(
    name: &'static str,
    files: &[&str],
    line: &'static str,
    code: i32,
    says: &'static [&'static str],
    json: &'static [(&'static str, &'static str)],
) -> Row {
    let files = files.concat();
    Row { name, files, line, code, says, json, prepare: |_| {}, as_nobody: false }
}

impl Row {
    fn prepared(self, prepare: fn(&Scene)) -> Row {
        Row { prepare, ..self }
    }

    /// Permissions are taken away, and the command is run by somebody who has no others.
    fn locked(self, prepare: fn(&Scene)) -> Row {
        Row { prepare, as_nobody: true, ..self }
    }

    fn run(&self, format: &str) -> Ran {
        let scene = Scene::new(&self.files);
        (self.prepare)(&scene);
        let line = format!("{}{format}", self.line);
        if self.as_nobody {
            run_as_nobody(&scene, &line)
        } else {
            // No program is found, also none that happens to be installed.
            scene.run_with(&line, &[("PATH", "/nowhere")], "")
        }
    }

    /// What is wrong with the outcome, if something is.
    fn check(&self) -> Result<(), String> {
        let text = self.run("");
        let say = |what: &str| Err(format!("{}: {what}\n{}", self.name, text.text()));
        if text.code != self.code {
            return say(&format!("exit {} and not {}", text.code, self.code));
        }
        for part in self.says {
            let (part, is_wanted) = match part.strip_prefix('!') {
                Some(part) => (part, false),
                None => (*part, true),
            };
            if text.text().contains(part) != is_wanted {
                return say(&format!("{part:?} is {}there", if is_wanted { "not " } else { "" }));
            }
        }
        if self.line.contains("--format")
            || self.line.contains("--diff")
            || self.line.contains(" -q")
        {
            return Ok(());
        }
        let json = self.run(" --format json");
        if json.code != self.code {
            return say(&format!("exit {} for JSON: {}", json.code, json.text()));
        }
        let Ok(report) = serde_json::from_str::<Value>(&json.stdout) else {
            return say(&format!("not JSON: {}", json.text()));
        };
        for (pointer, expected) in self.json {
            let expected: Value = serde_json::from_str(expected).unwrap();
            let found = report.pointer(pointer).cloned().unwrap_or(Value::Null);
            if found != expected {
                return say(&format!("{pointer} is {found} and not {expected}: {report:#}"));
            }
        }
        self.laws(&text, &report).or_else(|law| say(&format!("{law}: {report:#}")))
    }

    fn laws(&self, text: &Ran, report: &Value) -> Result<(), String> {
        if report["ok"] != (self.code == 0) {
            return Err("`ok` is not what the exit code says".to_owned());
        }
        if report.get("error").is_some() {
            return Ok(());
        }
        let empty = Vec::new();
        let failures = report["failures"].as_array().unwrap_or(&empty);
        let has_failed = failures.iter().any(|it| it["tolerated"] != true);
        if has_failed != (self.code == 3) {
            return Err("3 is the exit code of failures and of nothing else".to_owned());
        }
        let files = &report["summary"]["files"];
        let unchecked = files["unchecked"].as_array().ok_or("there is no `unchecked`")?;
        let is_green = text.text().contains("Green.");
        if is_green && (self.code != 0 || files["checked"] == 0) {
            return Err("what was not looked at is called green".to_owned());
        }
        if !unchecked.is_empty() && !text.text().contains(" not checked (") {
            return Err("the verdict does not say that something was not checked".to_owned());
        }
        for it in unchecked {
            let n_places = it["places"].as_array().map_or(0, Vec::len) as u64;
            if it["count"].as_u64().is_none_or(|count| n_places != count.min(20)) {
                return Err("places and count do not fit".to_owned());
            }
        }
        Ok(())
    }
}

#[track_caller]
fn check(rows: &[Row]) {
    let wrong: Vec<String> = rows.iter().filter_map(|it| it.check().err()).collect();
    assert!(wrong.is_empty(), "{} of {} rows\n{}", wrong.len(), rows.len(), wrong.join("\n\n"));
}

/// Runs the command as a user who owns the files and has no rights beyond that. Root may read everything, so that only
/// another user shows what permissions do.
fn run_as_nobody(scene: &Scene, line: &str) -> Ran {
    const NOBODY: u32 = 65534;
    let mut command = scene.command(line, &[]);
    if rustix::process::geteuid().is_root() {
        for path in scene.tree().into_keys().chain([scene.path(".")]) {
            std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    // Where the binary lies must be open to others too.
    let output = child.expect("the binary can be run by everyone").wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

fn lock(scene: &Scene, path: &str) {
    fs::set_permissions(scene.path(path), fs::Permissions::from_mode(0o000)).unwrap();
}

/// A file that does not parse is an error, whether or not somebody is about it.
#[test]
fn what_does_not_parse_is_red() {
    const RED: &[&str] = &["error[", "/SCHEMA_PARSE]", "Red.", "!Green"];
    const ONE: &[(&str, &str)] = &[
        ("/diagnostics/0/rule_id", "\"SCHEMA_PARSE\""),
        ("/diagnostics/0/severity", "\"error\""),
        ("/summary/files/unchecked/0/reason", "\"syntax_error\""),
        ("/summary/files/unchecked/0/count", "1"),
    ];
    const SCHEMA: &[(&str, &str)] =
        &[("/summary/error", "1"), ("/summary/files/unchecked/0/reason", "\"syntax_error\"")];
    let json = |text: &str| format!("//- ws/x.json\n{text}");
    let yaml = |text: &str| format!("//- ws/x.yaml\n{text}");
    let toml = |text: &str| format!("//- ws/x.toml\n{text}");
    let red = |name, file: String| row(name, &[S, GOOD, &file], "check", 1, RED, ONE);
    check(&[
        red("a closing brace is missing", json("{ \"$schema\": \"./s.json\", \"a\": \"x\"\n")),
        red("the text ends in the reference", json("{\"$schema\": \"./s.js")),
        red("the text ends in the key", json("{\"$sch\": 1, \"$schema")),
        red("there is no colon", json("{\"$schema\" \"./s.json\"}")),
        red("there is no value", json("{\"$schema\": }")),
        red("the key is escaped", json("{\"\\u0024schema\": \"./s.json\", ")),
        red("the key comes last", json("{\"a\": [1, 2, \"$schema\": \"./s.json\"}")),
        red("a comma is missing", json("{\"a\": 1 \"$schema\": \"./s.json\"}")),
        red("the schema is remote", json("{\"$schema\": \"https://example.org/s.json\", ")),
        red("two documents in JSON", json("{\"$schema\": \"./s.json\"} {}")),
        red("a merge conflict", json("<<<<<<< a\n{\"$schema\": \"./s.json\"}\n>>>>>>> b\n")),
        red("a key of YAML", yaml("$schema: s.json\na: [\n")),
        red("a quoted key of YAML", yaml("'$schema': 's.json'\na: {\n")),
        red("a comment of YAML", yaml("# yaml-language-server: $schema=s.json\na: [\n")),
        red("a flow map of YAML", yaml("{$schema: s.json, a: [}\n")),
        red("a tab in YAML", yaml("$schema: s.json\na:\n\t- b\n")),
        red("a key of TOML", toml("\"$schema\" = \"s.json\"\na = \n")),
        red("a comment of TOML", toml("#:schema s.json\na = [\n")),
        row("the schema itself", &[GOOD, "//- ws/s.json\n{\"type\": \n"], "check", 1, RED, SCHEMA),
        row(
            "what the schema refers to",
            &[GOOD, "//- ws/s.json\n{\"$ref\": \"t.json\"}\n//- ws/t.json\n{\n"],
            "check",
            1,
            RED,
            SCHEMA,
        ),
        row("a file of a kind", &[PACK, "//- ws/lists/a.json\n[1,\n"], "check", 1, RED, ONE),
        row("an empty file of a kind", &[PACK, "//- ws/lists/a.json\n"], "check", 1, RED, ONE),
        row(
            "a file of a kind that a key tells",
            &[PACK, "//- ws/modules/b.json\n{\"name\": \"b\"\n"],
            "check",
            1,
            RED,
            ONE,
        ),
        row(
            "a program",
            &["//- ws/main.clank\nfn main( -> Int { 1 }\n"],
            "check",
            1,
            &["Red.", "!Green"],
            &[("/summary/files/unchecked/0/reason", "\"syntax_error\"")],
        ),
        row(
            "a program that imports one",
            &["//- ws/main.clank\nuse lib\nfn main() -> Int { 1 }\n//- ws/lib.clank\nfn (\n"],
            "check",
            1,
            &["Red."],
            &[("/summary/files/checked", "0")],
        ),
        row(
            "a text in UTF-16",
            &[S, GOOD],
            "check",
            1,
            RED,
            &[("/summary/files/unchecked/0/places", "[\"x.json\"]")],
        )
        .prepared(|scene| {
            let text = "{\"$schema\": \"./s.json\", \"a\": \"x\"}".encode_utf16();
            fs::write(scene.path("ws/x.json"), text.flat_map(u16::to_le_bytes).collect::<Vec<_>>())
                .unwrap();
        }),
        row("fix says the same", &[S, &json("{\"$schema\": @")], "fix", 1, RED, &[]),
        row(
            "fix adds what is missing without a doubt",
            &[S, &json("{\"$schema\": \"./s.json\"")],
            "fix",
            0,
            &["add the missing `}` (syntax/SCHEMA_PARSE, likely_preserving)", "Green."],
            &[],
        ),
        row(
            "a plan is no verdict about findings, and not green",
            &[S, &json("{\"$schema\": @")],
            "plan",
            0,
            &["Nothing checked. 1 file not checked (syntax_error: 1).", "!Green"],
            &[("/summary/files/checked", "0")],
        ),
        row(
            "a rule that is off does not make it green",
            &[
                S,
                GOOD,
                &json("{\"$schema\": \"./s.json\""),
                "//- ws/regreen.toml\n[rules]\nSCHEMA_PARSE = \"off\"\n",
            ],
            "check",
            0,
            &["Green. Nothing is wrong in 1 file; 1 file not checked (syntax_error: 1)."],
            &[("/summary/files/unchecked/0/places", "[\"x.json\"]")],
        ),
        row(
            "a severity that is configured counts",
            &[
                S,
                GOOD,
                &json("{\"$schema\": \"./s.json\""),
                "//- ws/regreen.toml\n[rules]\nSCHEMA_PARSE = \"warning\"\n",
            ],
            "check --deny-unchecked",
            1,
            &["Red. 1 warning; 1 file not checked"],
            &[],
        ),
        // Nobody is about these.
        row(
            "a mention is no reference",
            &[S, GOOD, &yaml("a: [ # see $schema\n")],
            "check",
            1,
            RED,
            ONE,
        ),
        row(
            "a schema that nobody uses",
            &[S, GOOD, &json("{\"$schema\": \"http://json-schema.org/draft-07/schema#\"")],
            "check",
            1,
            RED,
            ONE,
        ),
        row("a document without a schema", &[S, GOOD, &json("{")], "check", 1, RED, ONE),
        row(
            "a file of no kind",
            &[PACK, MODULE, "//- ws/modules/b.json\n{\"nam"],
            "check",
            1,
            RED,
            ONE,
        ),
        row(
            "a file that tests keep",
            &[S, GOOD, "//- ws/tests/fixtures/b.json\n{\"nam"],
            "check",
            0,
            &["warning[syntax/SCHEMA_PARSE]", "(syntax_error: 1)"],
            &[("/summary/error", "0")],
        ),
        row(
            "a template",
            &[S, GOOD, "//- ws/templates/a.yaml\n{{- if .Values.x }}\na: 1\n{{- end }}\n"],
            "check",
            0,
            &["Green. Nothing is wrong in 1 file; 1 file not checked (template: 1)."],
            &[("/summary/files/unchecked/0/reason", "\"template\"")],
        ),
    ]);
}

/// what was not decided is counted and named, never part of "nothing is wrong", and red if that is asked for.
#[test]
fn what_was_not_checked_is_named() {
    let remote = "//- ws/r.json\n{\"$schema\": \"https://example.org/s.json\"}\n";
    let deep = format!("//- ws/lists/d.json\n{}{}\n", "[".repeat(300), "]".repeat(300));
    let bomb: String = (1..9)
        .map(|n| format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 10].join(", ")))
        .collect();
    let bomb = format!("//- ws/lists/b.yaml\na0: &a0 [1, 2]\n{bomb}");
    let green = |name, file: &str, says, json| row(name, &[S, GOOD, file], "check", 0, says, json);
    check(&[
        green(
            "a remote schema",
            remote,
            &[
                "Green. 1 note; 1 file not checked (remote_schema: 1).",
                "not checked, remote_schema: r.json",
            ],
            &[
                ("/summary/files/checked", "1"),
                ("/summary/checked", "1"),
                (
                    "/summary/files/unchecked",
                    "[{\"reason\": \"remote_schema\", \"count\": 1, \"places\": [\"r.json\"]}]",
                ),
            ],
        ),
        row(
            "nothing but a remote schema is not green",
            &[remote],
            "check",
            0,
            &["Nothing checked. 1 note; 1 file not checked (remote_schema: 1).", "!Green"],
            &[("/summary/files/checked", "0")],
        ),
        row(
            "it is red if that is asked for",
            &[S, GOOD, remote],
            "check --deny-unchecked",
            1,
            &["Red. 1 note; 1 file not checked", "!Green"],
            &[("/failures", "null")],
        ),
        row("for fix too", &[S, GOOD, remote], "fix --deny-unchecked", 1, &["Red."], &[]),
        row(
            "for plan too",
            &[S, GOOD, remote],
            "plan --deny-unchecked",
            1,
            &["Red. 1 file not checked (remote_schema: 1)"],
            &[],
        ),
        row(
            "without it fix says so",
            &[S, GOOD, remote],
            "fix",
            0,
            &["Green. 1 note left; 1 file not checked (remote_schema: 1)."],
            &[("/summary/files/checked", "1")],
        ),
        row(
            "without it plan says so",
            &[S, GOOD, remote],
            "plan",
            0,
            &["Nothing to do.", "1 file not checked (remote_schema: 1)"],
            &[("/summary/files/checked", "1")],
        ),
        row(
            "what is not asked about does not count",
            &[S, GOOD, remote],
            "check ws/good.yaml --deny-unchecked",
            0,
            &["Green. Nothing is wrong in 1 file."],
            &[],
        ),
        row("strict keeps its meaning", &[S, GOOD, remote], "check --strict", 0, &["Green."], &[]),
        row(
            "nothing is unchecked",
            &[S, GOOD],
            "check --deny-unchecked",
            0,
            &["Green. Nothing is wrong in 1 file.\n"],
            &[("/summary/files/unchecked", "[]")],
        ),
        green(
            "a part of a schema that is remote",
            "//- ws/p.json\n{\"$ref\": \"https://example.org/p.json\"}\n//- ws/x.yaml\n$schema: p.json\n",
            &["1 file not checked (remote_schema: 1)"],
            &[],
        ),
        green(
            "a schema that is not there",
            "//- ws/x.yaml\n$schema: gone.json\n",
            &["1 warning; 1 file not checked (unusable_schema: 1)"],
            &[("/summary/files/unchecked/0/places", "[\"x.yaml\"]")],
        ),
        green(
            "a schema that is invalid",
            "//- ws/i.json\n{\"type\": \"strin\"}\n//- ws/x.yaml\n$schema: i.json\n",
            &["(unusable_schema: 1)"],
            &[],
        ),
        green(
            "a draft that is not supported",
            "//- ws/d.json\n{\"$schema\": \"http://json-schema.org/draft-03/schema#\", \"properties\": {\"a\": {\"required\": true}}}\n//- ws/x.yaml\n$schema: d.json\n",
            &["draft-03", "(unusable_schema: 1)"],
            &[],
        ),
        green(
            "a schema outside the workspace",
            "//- ws/x.yaml\n$schema: ../s.json\n",
            &["(unusable_schema: 1)"],
            &[],
        ),
        green(
            "a part of a schema",
            "//- ws/x.yaml\n$schema: s.json#/properties\n",
            &["(unusable_schema: 1)"],
            &[],
        ),
        //
        row(
            "several documents",
            &[
                S,
                GOOD,
                "//- ws/x.yaml\n# yaml-language-server: $schema=s.json\na: 1\n---\na: x\n---\na: 2\n",
            ],
            "check",
            1,
            &["Red. 1 error"],
            &[
                ("/diagnostics/0/location/document", "1"),
                ("/diagnostics/0/location/start_line", "4"),
                ("/diagnostics/0/json_pointer", "\"/a\""),
            ],
        ),
        row(
            "several documents of a kind",
            &[PACK, MODULE, "//- ws/modules/b.yaml\nname: b\n---\nname: c\nport: x\n"],
            "check",
            1,
            &["Red. 1 error"],
            &[("/summary/files/checked", "2"), ("/diagnostics/0/location/document", "1")],
        ),
        row(
            "a key twice",
            &[S, GOOD, "//- ws/x.yaml\n$schema: s.json\na: x\na: 1\n"],
            "check",
            1,
            &["Red. 1 error; 1 file not checked (duplicate_key: 1)"],
            &[],
        ),
        row(
            "a key twice where that is allowed",
            &[
                S,
                GOOD,
                "//- ws/x.json\n{\"$schema\": \"s.json\", \"a\": \"x\", \"a\": 1}\n//- ws/regreen.toml\n[rules]\nSCHEMA_DUPLICATE_KEY = \"off\"\n",
            ],
            "check",
            0,
            &["Green. Nothing is wrong in 1 file; 1 file not checked (duplicate_key: 1)."],
            &[],
        ),
        row(
            "too deep",
            &[PACK, MODULE, &deep],
            "check",
            0,
            &["warning[syntax/SCHEMA_PARSE]: not checked", "(too_complex: 1)"],
            &[("/summary/error", "0")],
        ),
        row(
            "too many values",
            &[PACK, MODULE, &bomb],
            "check --deny-unchecked",
            1,
            &["(too_complex: 1)"],
            &[],
        ),
        row(
            "a rule that cannot be decided",
            &[PACK, MODULE, "//- ws/modules/b.yaml\nname: b\nlimits: {min: 1}\n"],
            "check",
            0,
            &["could not be decided", "(undecided_rule: 1)", "!Limits are wrong"],
            &[("/summary/files/unchecked/0/places", "[\"modules/b.yaml\"]")],
        ),
        row(
            "a schema of a pack that is partly remote",
            &[PACK, MODULE],
            "check -v",
            0,
            &[
                "info[app/SCHEMA_REMOTE]: what the schema says at `https://example.org/m.json` is remote",
                "Nothing checked. 1 note; 1 file not checked (remote_schema: 1).",
            ],
            &[],
        )
        .prepared(|scene| {
            scene.write("ws/pack/module.json", "{\"$ref\": \"https://example.org/m.json\"}")
        }),
        row(
            "a reference of a pack's schema that leads nowhere",
            &[PACK, MODULE, "//- ws/lists/l.yaml\nitems: x\n"],
            "check --deny-unchecked",
            1,
            &[
                "warning[app/SCHEMA_INVALID]: not compared with its schema, which cannot be used: \
                 `schemas/m.json` refers to `gone.json`, which does not exist",
                "error[app/SCHEMA_TYPE]: `items` must be an array",
                "(unusable_schema: 1)",
            ],
            &[("/summary/files/unchecked/0/places", "[\"modules/a.yaml\"]")],
        )
        .prepared(|scene| {
            let pack = scene.read("ws/pack/pack.yaml");
            let pack = pack.replace("schema: module.json", "schema: schemas/m.json");
            let pack = pack.replace("files: 'lists/*'", "files: 'lists/*', schema: schemas/l.json");
            scene.write("ws/pack/pack.yaml", &pack);
            scene.write("ws/pack/schemas/m.json", "{\"properties\": {\"name\": {\"$ref\": \"gone.json\"}}}");
            scene.write("ws/pack/schemas/l.json", "{\"properties\": {\"items\": {\"type\": \"array\"}}}");
        }),
        row(
            "a reference inside a pack's schema that leads nowhere",
            &[PACK, MODULE],
            "check",
            0,
            &["cannot be used", "Nothing checked. 1 warning; 1 file not checked (unusable_schema: 1)."],
            &[],
        )
        .prepared(|scene| scene.write("ws/pack/module.json", "{\"$ref\": \"#/$defs/gone\"}")),
        row(
            "keywords of later drafts are honoured and said",
            &["//- ws/s.json\n{\"$schema\": \"http://json-schema.org/draft-04/schema#\", \"properties\": {\"a\": {\"const\": 1}}}\n", "//- ws/x.yaml\n$schema: s.json\na: x\n"],
            "check -v",
            1,
            &[
                "info[schema/SCHEMA_LATER_KEYWORD]: the schema is written in draft 4, and `const` of a later draft is honoured",
                "error[schema/SCHEMA_CONST]",
            ],
            &[],
        ),
        row(
            "a file that is too large",
            &[
                S,
                GOOD,
                "//- ws/big.json\n{\"$schema\": \"./s.json\", \"a\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}\n//- ws/regreen.toml\n[workspace]\nmax_file_size = 100\n",
            ],
            "check",
            0,
            &["(too_large: 1)"],
            &[("/summary/files/unchecked/0/places", "[\"big.json\"]")],
        ),
        row(
            "a link",
            &[PACK, MODULE],
            "check",
            0,
            &["(link: 1)"],
            &[("/summary/files/unchecked/0/places", "[\"modules/l.yaml\"]")],
        )
        .prepared(|scene| symlink("/etc/hostname", scene.path("ws/modules/l.yaml")).unwrap()),
        row(
            "a pipe",
            &[PACK, MODULE],
            "check",
            0,
            &["(not_a_file: 1)"],
            &[("/summary/files/unchecked/0/places", "[\"modules/p.yaml\"]")],
        )
        .prepared(|scene| {
            let path = scene.path("ws/modules/p.yaml");
            mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
        }),
        row(
            "a program behind a link",
            &[CLANK],
            "check",
            0,
            &["(link: 1)"],
            &[("/summary/files/checked", "1")],
        )
        .prepared(|scene| symlink("main.clank", scene.path("ws/other.clank")).unwrap()),
        row(
            "a rule that misses a file",
            &[
                PACK,
                "//- ws/modules/a.yaml\nname: a\nuses: [b]\n//- ws/modules/b.yaml\nname: b\nx: &x [*x]\n",
            ],
            "check",
            0,
            &["!Green", "Nothing checked."],
            &[("/summary/files/checked", "0")],
        ),
        row(
            "one complete look is enough",
            &[
                PACK,
                "//- ws/modules/a.json\n{\"name\": \"a\", \"$schema\": \"https://example.org/s.json\"}\n",
            ],
            "check",
            0,
            &["Green. 1 note."],
            &[("/summary/files/checked", "1"), ("/summary/files/unchecked", "[]")],
        ),
        row(
            "only what the source looked at counts",
            &[
                PACK,
                "//- ws/modules/a.json\n{\"name\": \"a\", \"$schema\": \"https://example.org/s.json\"}\n",
            ],
            "check --source schema",
            0,
            &["Nothing checked."],
            &[("/summary/files/checked", "0")],
        ),
        row(
            "SARIF says it",
            &[S, GOOD, remote],
            "check --format sarif",
            0,
            &["\"executionSuccessful\": true", "\"id\": \"remote_schema\""],
            &[],
        ),
        row(
            "GitHub says it",
            &[S, GOOD, remote],
            "check --format github",
            0,
            &["::warning title=regreen::1 file not checked (remote_schema: 1)"],
            &[],
        ),
        row(
            "a diff says it beside it",
            &[S, GOOD, remote],
            "fix --diff",
            0,
            &["--- standard error\nnote: 1 file not checked (remote_schema: 1)"],
            &[],
        ),
        row("quiet is quiet", &[S, GOOD, remote], "check -q", 0, &["!not checked"], &[]),
    ]);
}

/// AE-48: what cannot be read is a failure that names it, and the rest is still checked.
#[test]
fn what_cannot_be_read_is_a_failure() {
    const DENIED: &str = "error: cannot read x.yaml: Permission denied";
    let x = "//- ws/x.yaml\na: 1\n";
    check(&[
        row(
            "a document",
            &[S, GOOD, x],
            "check",
            3,
            &[DENIED, "Failed. 1 failure; nothing else is wrong in 1 file.", "!Green", "!Red", "!SCHEMA_UNREADABLE"],
            &[
                ("/failures", "[{\"source\": \"regreen\", \"code\": \"unreadable\", \"file\": \"x.yaml\", \"message\": \"cannot read x.yaml: Permission denied\"}]"),
                ("/diagnostics", "[]"),
                ("/summary/files/checked", "1"),
                ("/summary/files/unchecked", "[]"),
            ],
        )
        .locked(|scene| lock(scene, "ws/x.yaml")),
        row("the rest is checked", &[S, BAD, x], "check", 3, &[DENIED, "error[schema/SCHEMA_TYPE]", "Failed. 1 failure; 1 error."], &[("/summary/error", "1")])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("fix", &[S, GOOD, x], "fix", 3, &[DENIED, "Failed."], &[("/failures/0/file", "\"x.yaml\"")])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("plan", &[S, GOOD, x], "plan", 3, &[DENIED, "Failed."], &[("/failures/0/code", "\"unreadable\"")])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("nothing else is there", &[x], "check", 3, &[DENIED, "Failed. 1 failure; nothing was checked."], &[])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("it was named", &[S, GOOD, x], "check ws/x.yaml ws/good.yaml", 3, &[DENIED, "in 1 file."], &[])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("another one was named", &[S, GOOD, x], "check ws/good.yaml", 0, &["Green. Nothing is wrong in 1 file."], &[("/failures", "null")])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("it is tolerated by no flag", &[S, GOOD, x], "check --tolerate-tools", 3, &[DENIED], &[])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("it is no rule that can be turned off", &[S, GOOD, x, "//- ws/regreen.toml\n[rules]\nSCHEMA_PARSE = \"off\"\n"], "check", 3, &[DENIED], &[])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("a program", &[CLANK, "//- ws/x.clank\nfn f() -> Int { 1 }\n"], "check", 3, &["error: cannot read x.clank: Permission denied"], &[("/summary/files/checked", "1")])
            .locked(|scene| lock(scene, "ws/x.clank")),
        row("a folder", &[S, GOOD, "//- ws/in/x.yaml\na: 1\n"], "check", 3, &["error: cannot read in/: Permission denied"], &[("/failures/0/file", "\"in\"")])
            .locked(|scene| lock(scene, "ws/in")),
        row("something in a folder was named", &[S, GOOD, "//- ws/in/x.yaml\na: 1\n"], "check ws/in/x.yaml", 3, &["cannot read in/"], &[])
            .locked(|scene| lock(scene, "ws/in")),
        row("a folder that was excluded", &[S, GOOD, "//- ws/in/x.yaml\na: 1\n//- ws/regreen.toml\n[workspace]\nexclude = [\"in/**\"]\n"], "check", 0, &["Green."], &[("/failures", "null")])
            .locked(|scene| lock(scene, "ws/in")),
        row("a folder that holds nothing included", &[S, GOOD, "//- ws/in/x.yaml\na: 1\n//- ws/regreen.toml\n[workspace]\ninclude = [\"s.json\", \"*.yaml\", \"conf/**\"]\nexclude = [\"in\"]\n"], "check", 0, &["Green."], &[])
            .locked(|scene| lock(scene, "ws/in")),
        row("a file that was excluded", &[S, GOOD, x, "//- ws/regreen.toml\n[workspace]\nexclude = [\"x.yaml\"]\n"], "check", 0, &["Green."], &[])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("a file that no source is about", &[S, GOOD, "//- ws/x.txt\na\n"], "check", 0, &["Green."], &[("/failures", "null")])
            .locked(|scene| lock(scene, "ws/x.txt")),
        row("an ignored folder", &[S, GOOD, "//- ws/in/x.yaml\na: 1\n//- ws/.gitignore\nin/\n"], "check", 0, &["Green."], &[])
            .locked(|scene| lock(scene, "ws/in")),
        row("the schema", &[S, GOOD], "check", 3, &["error: cannot read s.json: Permission denied", "`s.json` was not read"], &[("/summary/files/unchecked/0/reason", "\"unusable_schema\"")])
            .locked(|scene| lock(scene, "ws/s.json")),
        row(
            "what a reference may lead to",
            &[PACK, "//- ws/modules/a.yaml\nname: a\nuses: [b]\n//- ws/modules/b.yaml\nname: b\n"],
            "check",
            3,
            &["cannot read modules/b.yaml", "!SEM_USES"],
            &[("/summary/error", "0"), ("/summary/files/unchecked/0/reason", "\"blocked\"")],
        )
        .locked(|scene| lock(scene, "ws/modules/b.yaml")),
        row("a baseline is not written", &[S, BAD, x], "check --write-baseline", 3, &[DENIED, "Baseline not written."], &[("/summary/error", "1"), ("/summary/baselined", "0")])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("SARIF", &[S, GOOD, x], "check --format sarif", 3, &["\"executionSuccessful\": false", "\"id\": \"unreadable\"", "\"uri\": \"x.yaml\""], &[])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("GitHub", &[S, GOOD, x], "check --format github", 3, &["::error file=x.yaml,title=regreen::cannot read x.yaml: Permission denied"], &[])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("a diff", &[S, GOOD, x], "fix --diff", 3, &[DENIED], &[]).locked(|scene| lock(scene, "ws/x.yaml")),
        row("repairs", &[S, GOOD, x], "plan --format repairs", 3, &[DENIED], &[]).locked(|scene| lock(scene, "ws/x.yaml")),
        row("fix actions, quietly", &[S, GOOD, x], "check -q --format fix-actions", 3, &[DENIED], &[])
            .locked(|scene| lock(scene, "ws/x.yaml")),
        row("quiet is not silent about it", &[S, GOOD, x], "check -q", 3, &[DENIED], &[]).locked(|scene| lock(scene, "ws/x.yaml")),
        row("a name that is not UTF-8", &[S, GOOD], "check", 3, &["error: cannot check", "its name is not UTF-8"], &[("/failures/0/code", "\"unsupported_name\"")])
            .prepared(|scene| {
                use std::os::unix::ffi::OsStrExt;
                let name = std::ffi::OsStr::from_bytes(b"\xff.yaml");
                fs::write(scene.path("ws").join(name), "a: 1\n").unwrap();
            }),
    ]);
}

/// The baseline is not there afterwards, whatever the report says.
#[test]
fn a_baseline_is_not_written_where_something_could_not_be_read() {
    let scene = Scene::new(&[S, BAD, "//- ws/x.yaml\na: 1\n"].concat());
    lock(&scene, "ws/x.yaml");
    assert_eq!(run_as_nobody(&scene, "check --write-baseline").code, 3);
    assert!(!scene.tree().keys().any(|it| it.to_string_lossy().contains("baseline")));
}

/// A program that nobody could read is missing in what is built.
#[test]
fn a_build_without_a_program_that_cannot_be_read_fails() {
    let scene = Scene::new(&format!("{CLANK}//- ws/x.clank\nfn f() -> Int {{ 1 }}\n"));
    lock(&scene, "ws/x.clank");
    let ran = run_as_nobody(&scene, "build --target js --out-dir ws/out");
    assert_eq!(ran.code, 3, "{}", ran.text());
    assert!(ran.stderr.contains("cannot read x.clank: Permission denied"), "{}", ran.text());
}

/// A source that is not there fails the run, unless somebody said that it need not be there.
#[test]
fn a_source_that_is_not_there_is_a_failure() {
    const NO_PACK: &str = "//- ws/regreen.toml\n[[pack]]\npath = \"gone\"\n";
    const OPTIONAL: &str = "//- ws/regreen.toml\n[[pack]]\npath = \"gone\"\nrequired = false\n";
    let broken = "//- ws/gone/pack.yaml\nname: [\n";
    let twin = "//- ws/regreen.toml\n[[pack]]\npath = \"pack\"\n//- ws/pack/pack.yaml\nname: clank\npack_version: '1'\nkinds:\n  - {kind: list, files: 'lists/*'}\nrules: []\n";
    let z3 = "//- ws/regreen.toml\n[clank]\nsolver = \"z3\"\n";
    const GONE_ON: &[&str] =
        &["warning: gone: ", "Green. Nothing is wrong in 1 file. Without gone."];
    const LOST: &[(&str, &str)] = &[
        ("/failures/0/code", "\"unavailable\""),
        ("/failures/0/tolerated", "true"),
        ("/failures/0/source", "\"gone\""),
    ];
    check(&[
        row(
            "a pack",
            &[S, GOOD, NO_PACK],
            "check",
            3,
            &["gone", "!Green"],
            &[("/error/code", "\"bad_config\"")],
        ),
        row("a pack that is not required", &[S, GOOD, OPTIONAL], "check", 0, GONE_ON, LOST),
        row("for fix", &[S, GOOD, OPTIONAL], "fix", 0, GONE_ON, LOST),
        row(
            "a pack that is tolerated",
            &[S, GOOD, NO_PACK],
            "check --tolerate-tools",
            0,
            GONE_ON,
            LOST,
        ),
        row(
            "for plan",
            &[S, GOOD, NO_PACK],
            "plan --tolerate-tools",
            0,
            &["warning: gone: "],
            LOST,
        ),
        row("a broken pack", &[S, GOOD, NO_PACK, broken], "check", 3, &["!Green"], &[]),
        row(
            "a broken pack that is not required",
            &[S, GOOD, OPTIONAL, broken],
            "check",
            1,
            &["error[syntax/SCHEMA_PARSE]", "Without gone."],
            LOST,
        ),
        row(
            "the rest still fails",
            &[S, BAD, OPTIONAL],
            "check",
            1,
            &["Red. 1 error. Without gone."],
            LOST,
        ),
        row(
            "rules of a pack that is not there",
            &[
                S,
                GOOD,
                "//- ws/regreen.toml\n[[pack]]\npath = \"gone\"\nrequired = false\n[rules]\nSEM_GONE = \"error\"\n",
            ],
            "check",
            0,
            GONE_ON,
            LOST,
        ),
        row(
            "a built-in pack that is not known",
            &[S, GOOD, "//- ws/regreen.toml\n[[pack]]\nbuiltin = \"gone\"\nrequired = false\n"],
            "check",
            0,
            GONE_ON,
            LOST,
        ),
        row(
            "a setting that makes no sense",
            &[S, GOOD, "//- ws/regreen.toml\n[[pack]]\npath = \"gone\"\nrequired = 1\n"],
            "check",
            3,
            &["true or false"],
            &[("/error/code", "\"bad_config\"")],
        ),
        row(
            "a pack with the name of another source",
            &[S, BAD, twin],
            "check --tolerate-tools",
            3,
            &["a pack cannot have the name `clank`: another source has it"],
            &[("/error/code", "\"bad_config\"")],
        ),
        row(
            "a solver that is missing",
            &[OPEN, z3],
            "check",
            3,
            &["goals cannot be put to Z3", "!Green"],
            &[("/failures/0/source", "\"z3\""), ("/failures/0/code", "\"unavailable\"")],
        ),
        row(
            "a solver that may be missing",
            &[OPEN, z3],
            "check --tolerate-tools",
            0,
            &["warning: z3: ", "Green. ", " Without z3."],
            &[("/failures/0/source", "\"z3\""), ("/failures/0/tolerated", "true")],
        ),
    ]);
}

/// Where nothing was checked, every command says so.
#[test]
fn nothing_is_not_green() {
    const NOTHING: &[&str] = &["Nothing to check. No rule applies to any file here", "!Green"];
    let plain = "//- ws/a.yaml\na: 1\n";
    check(&[
        row("check", &[plain], "check", 0, NOTHING, &[("/summary/files/checked", "0")]),
        row("fix", &[plain], "fix", 0, NOTHING, &[("/summary/files/checked", "0")]),
        row("fix that writes nothing", &[plain], "fix --dry-run", 0, NOTHING, &[]),
        row("plan", &[plain], "plan", 0, NOTHING, &[("/summary/files/checked", "0")]),
        row("an empty workspace", &[], "fix", 0, NOTHING, &[]),
        row(
            "a part without rules",
            &[S, GOOD, "//- ws/in/a.yaml\na: 1\n"],
            "fix ws/in",
            0,
            NOTHING,
            &[],
        ),
        row("a schema is no document", &[S], "check", 0, NOTHING, &[]),
        row(
            "a part with rules",
            &[S, GOOD, "//- ws/in/a.yaml\na: 1\n"],
            "fix ws/good.yaml",
            0,
            &["Green. Nothing is wrong in 1 file."],
            &[("/summary/files/checked", "1")],
        ),
        row(
            "a program",
            &[CLANK],
            "check",
            0,
            &["Green. Nothing is wrong in 1 file."],
            &[("/summary/files/checked", "1")],
        ),
    ]);
}
