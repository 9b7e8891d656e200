//! Packs that are wrong, in every way at once and at length.

use insta::assert_snapshot;

use crate::testing::{HEAD, load};

#[track_caller]
fn check(manifest: &str) -> String {
    match load(manifest) {
        Ok(pack) => format!("{pack:?}"),
        Err(problems) => problems.iter().map(|it| format!("{it}\n")).collect(),
    }
}

#[test]
fn everything_that_is_wrong_is_said_at_once_with_its_place() {
    let manifest = "\
nmae: App
pack_version: 1
kinds:
  - kind: Module
    files: ['a/{b', '/abs', 3, 'x\\y']
    hass: /x
    has: x
    schema: schemas/modul.json
  - {kind: two, files: b}
  - {kind: two, files: []}
  - 7
rules:
  - {id: FOO_X, rule: unique, places: {in: two, at: /x}, about: x}
  - {id: SEM_A, rule: uniqe, about: x}
  - {id: SEM_B, rule: unique, places: {in: two, at: x}, withn: file, within: fil}
  - {id: SEM_B, rule: unique, places: {in: two, keys: /x~3}, about: ''}
  - {id: SEM_C, rule: reference, from: {in: two, at: /x, keys: /y}, to: [], about: x}
  - {id: SEM_D, rule: same_as, source: {in: two}, copies: {in: two, at: /x}, safety: likely_preserving, about: x}
  - {id: SEM_E, rule: imports, from: {in: two, at: /x}, about: x}
  - {id: SEM_F, rule: imports, from: {in: two, at: /x}, to: {in: two, at: /y}, path: true, about: x}
  - {id: SEM_G, rule: derived, at: {in: two, keys: /x}, template: '{/x|snak}', about: x}
  - {id: SEM_H, rule: derived, at: {in: two, at: /x}, template: '{/y/*}', about: x}
  - {id: SEM_I, rule: ordered, at: {in: two, at: /x}, by: k, about: x}
  - {id: SEM_J, rule: deprecated, at: {in: two, at: /x}, key: k, replacement: k, about: x}
  - {id: SEM_K, rule: together, at: {in: two, at: /x}, keys: [k], about: x}
  - {id: SEM_L, rule: cel, at: {in: two, at: /x}, assert: 'self.x ==', about: x}
  - {id: SEM_M, rule: forbidden, at: {in: two, at: /x}, key: k, safety: behavior_changing, about: x}
  - {id: SEM_N, rule: forbidden, at: {in: two, at: /x}, key: 3, severity: fatal, about: x}
//- schemas/module.json
{}
";
    assert_snapshot!(check(manifest), @"
    pack.yaml:1:1: unknown key `nmae`; did you mean `name`?
    pack.yaml:1:1: missing key `name`
    pack.yaml:2:15: expected a string, found an integer
    pack.yaml:6:5: unknown key `hass`; did you mean `has`?
    pack.yaml:4:11: expected a name of lower-case letters, digits, `-` and `_` that starts with a letter
    pack.yaml:5:13: invalid glob `a/{b`: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
    pack.yaml:5:21: expected a glob of 1 to 512 bytes, relative to the root, with `/` between names
    pack.yaml:5:29: expected a string, found an integer
    pack.yaml:5:32: expected a glob of 1 to 512 bytes, relative to the root, with `/` between names
    pack.yaml:7:10: expected a JSON pointer that is empty or starts with `/`
    pack.yaml:8:13: cannot find `schemas/modul.json` in the pack; there are schemas/module.json
    pack.yaml:10:24: expected 1 to 64 globs, not all after `!`
    pack.yaml:10:12: duplicate kind `two`
    pack.yaml:11:5: expected an object, found an integer
    pack.yaml:13:10: expected a rule id: `SEM_…` or `POL_…` in capitals, digits and `_`
    pack.yaml:14:23: unknown kind of rule `uniqe`; expected one of `unique`, `cel`, `deprecated`, `derived`, `forbidden`, `imports`, `ordered`, `reference`, `same_as`, `together`, `workflow`, `workflow_call`
    pack.yaml:15:57: unknown key `withn`; did you mean `within`?
    pack.yaml:15:5: missing key `about`
    pack.yaml:15:53: expected a pointer pattern that is empty or starts with `/`
    pack.yaml:16:69: `about` must not be empty
    pack.yaml:16:55: `~` is followed by `0`, `1` or `2` in a pointer pattern
    pack.yaml:17:64: a place has `at` or `keys`, not both
    pack.yaml:17:73: expected 1 to 64 places for `to`
    pack.yaml:18:40: expected `at` (values) or `keys`
    pack.yaml:19:5: say what is imported: `to` places, or `path: true`
    pack.yaml:20:5: an import is by name (`to`) or by path, not both
    pack.yaml:21:52: expected `at`: this kind of rule is about values
    pack.yaml:21:67: unknown filter `snak`; expected one of snake, camel, kebab, lower, pascal, trim, upper
    pack.yaml:22:65: the template has more `*` than `at`
    pack.yaml:23:59: expected a JSON pointer that is empty or starts with `/`
    pack.yaml:24:79: a key cannot replace itself
    pack.yaml:25:62: expected 2 to 64 keys
    pack.yaml:26:59: invalid CEL expression: 1:10: mismatched input '<EOF>'
    pack.yaml:27:73: `forbidden` has no repair, so it takes no safety; remove this
    pack.yaml:28:75: invalid `severity`: `fatal`; expected one of `error`, `info`, `warning`
    pack.yaml:28:62: expected a string, found an integer
    ");
}

#[test]
fn a_kind_that_is_not_there_is_named_with_the_nearest() {
    let manifest =
        format!("{HEAD}  - {{id: SEM_X, rule: unique, places: {{in: aa, at: /x}}, about: x}}\n");
    assert_snapshot!(check(&manifest), @"pack.yaml:7:44: cannot find kind `aa`; expected one of `a`, `b`");
}

#[test]
fn imports_within_a_file_are_of_entries() {
    let rule = |members: &str| {
        check(&format!(
            "{HEAD}  - {{id: SEM_X, rule: imports, within: file, from: {{in: a, at: /x/*/y}}, {members}, about: x}}\n"
        ))
    };
    assert_snapshot!(rule("to: {in: a, keys: /x}"), @"Pack(test 1)");
    assert_snapshot!(rule("to: [{in: a, keys: /x}, {in: a, at: /x/*/name}]"), @"pack.yaml:7:77: within a file, `to` is the `keys` of the entries; write `keys`");
    assert_snapshot!(rule("path: true"), @"pack.yaml:7:40: a path leads out of the file; remove this");
}

#[test]
fn files_that_cannot_be_read_are_problems_of_the_pack() {
    assert_snapshot!(check("name: ["), @"pack.yaml:1:8: cannot be read: expected a node or `]`, found the end of the text; the flow sequence is not closed: it began at line 1, column 7");
    assert_snapshot!(check("- 1"), @"pack.yaml:1:1: expected an object, found an array");
    assert_snapshot!(check("name: x\nname: y\npack_version: '1'\nkinds: []\n"), @"pack.yaml:2:1: key `name` appears more than once in its map; remove one of them first");
    assert_snapshot!(check("name: x\npack_version: '1'\nkinds: [{kind: a, files: a, schema: schemas/a.json}]\n//- schemas/a.json\n{\n"), @"pack.yaml:3:37: schemas/a.json:2:1: cannot be read: expected a key in double quotes or `}`, found the end of the file");
    assert_snapshot!(check("name: x\npack_version: '1'\nkinds: [{kind: a, files: a, schema: schemas/a.json}]\n//- schemas/a.json\n{\"type\": 3}\n"), @"pack.yaml:3:37: `schemas/a.json` is not a valid schema, at `/type`: 3 is not allowed there");
    assert!(crate::Pack::load(&std::collections::BTreeMap::new()).is_err());
}

#[test]
fn a_pack_may_be_stricter_than_its_rules() {
    let rule = "id: SEM_X, rule: deprecated, at: {in: a, at: ''}, key: k, replacement: l, about: x";
    let pack = load(&format!("{HEAD}  - {{{rule}, safety: behavior_changing}}\n")).unwrap();
    assert_eq!(pack.rules()[0].safety, Some(check::Safety::BehaviorChanging));
    let problem = check(&format!("{HEAD}  - {{{rule}, safety: behavior_preserving}}\n"));
    assert!(problem.contains("stricter, not laxer"), "{problem}");
}

/// Hostile packs end in a problem or load, soon, and never in anything else.
#[test]
fn packs_without_measure_are_bounded() {
    let rule = |it: usize| {
        format!(
            "  - {{id: SEM_R{it}, rule: unique, places: {{in: a, at: '/k{it}/*'}}, about: x}}\n"
        )
    };
    let many: String = (0..10_000).map(rule).collect();
    assert!(load(&format!("{HEAD}{many}")).is_ok());
    let too_many = "  - 1\n".repeat(10_001);
    assert!(check(&format!("{HEAD}{too_many}")).contains("at most 10000 rules"));
    let deep = format!(
        "{HEAD}  - {{id: SEM_X, rule: unique, places: {{in: a, at: '{}'}}, about: x}}\n",
        "/*".repeat(100)
    );
    assert!(check(&deep).contains("at most 64 segments"));
    let glob = |glob: &str| {
        check(&format!("name: x\npack_version: '1'\nkinds: [{{kind: a, files: '{glob}'}}]\n"))
    };
    assert!(glob(&"{a,b}".repeat(200)).contains("1 to 512 bytes"));
    assert!(glob(&"{a,b}".repeat(100)).starts_with("Pack("));
    assert!(glob(&"**/".repeat(170)).starts_with("Pack("));
    let nested = glob(&format!("{}a{}", "{".repeat(200), "}".repeat(200)));
    assert!(nested.starts_with("Pack(") || nested.contains("no glob"), "{nested}");
    let nesting = format!("{HEAD}  - {}x{}\n", "[".repeat(300), "]".repeat(300));
    assert!(check(&nesting).contains("cannot be read"));
    let problems = load(&"- x\n".repeat(5000)).unwrap_err();
    assert!(problems.len() <= 1000);
}

/// Each rule of a circle would take away what the next one keeps.
#[test]
fn deprecations_in_a_circle_are_refused() {
    let rule = |id: &str, at: &str, key: &str, to: &str| {
        format!(
            "  - {{id: SEM_{id}, rule: deprecated, at: {{in: a, at: {at}}}, key: {key}, replacement: {to}, about: x}}\n"
        )
    };
    let circle = [rule("A", "''", "a", "b"), rule("B", "''", "b", "c"), rule("C", "''", "c", "a")];
    assert_snapshot!(check(&format!("{HEAD}{}", circle.concat())), @"pack.yaml:7:77: `SEM_A`, `SEM_B` and `SEM_C` replace keys in a cycle; remove one of them");
    let overlapping = [rule("A", "/x", "a", "b"), rule("B", "/*", "b", "a")];
    assert_snapshot!(check(&format!("{HEAD}{}", overlapping.concat())), @"pack.yaml:7:77: `SEM_A` and `SEM_B` replace keys in a cycle; remove one of them");
    let apart = [rule("A", "/x", "a", "b"), rule("B", "/y", "b", "a")];
    assert!(load(&format!("{HEAD}{}", apart.concat())).is_ok());
    let chain = [rule("A", "/x", "a", "c"), rule("B", "/x", "b", "c"), rule("C", "/x", "c", "d")];
    assert!(load(&format!("{HEAD}{}", chain.concat())).is_ok());
}
