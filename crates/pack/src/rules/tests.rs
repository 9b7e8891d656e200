//! Every kind of rule on small trees. The harness applies each repair alone and looks at the tree again: what it claims
//! to resolve is gone and nothing new is there (RS-12, RS-43), and checking on from the earlier report gives the same.

use insta::assert_snapshot;

use crate::testing::{check, one_rule};

#[test]
fn unique_reports_all_but_the_first_in_the_order_of_paths() {
    let pack = one_rule("rule: unique, places: [{in: a, at: /name}, {in: b, keys: /names}]");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nname: x\n//- a/2.json\n{\"name\": \"x\"}\n//- a/3.yaml\nname: y\n//- b/1.toml\n[names]\ny = 1\nz = 2\n"), @r#"
    error a/2.json:1:10 /name [SEM_X]
      `x` is taken: it is already at `/name` in a/1.yaml; give one of them another value
      see a/1.yaml /name: the first one is here
    error b/1.toml:2:1 /names/y [SEM_X]
      `y` is taken: it is already at `/name` in a/3.yaml; give one of them another value
      see a/3.yaml /name: the first one is here
    "#);
}

#[test]
fn unique_within_a_file_does_not_look_at_others() {
    let pack = one_rule("rule: unique, places: {in: a, at: /list/*/id}, within: file");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nlist: [{id: 1}, {id: 1.0}, {id: '1'}, {id: null}, {id: null}]\n//- a/2.yaml\nlist: [{id: 1}]\n"), @r#"
    error a/1.yaml:1:22 /list/1/id [SEM_X]
      `1.0` is taken: it is already at `/list/0/id` above; give one of them another value
      see a/1.yaml /list/0/id: the first one is here
    "#);
}

#[test]
fn reference_offers_the_one_near_target() {
    let pack = one_rule("rule: reference, from: {in: a, at: /use/*}, to: {in: b, at: /name}");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nuse: [custmers, Orders, order, nothing, orders, 7, true]\n//- b/1.yaml\nname: customers\n//- b/2.yaml\nname: orders\n//- b/3.yaml\nname: 7.0\n"), @r#"
    error a/1.yaml:1:7 /use/0 [SEM_X]
      cannot find `custmers`: no such value at `/name` in `b` files; `customers` exists and is one keystroke away
      + Change `custmers` to `customers` (behavior_changing, medium)
    error a/1.yaml:1:17 /use/1 [SEM_X]
      cannot find `Orders`: no such value at `/name` in `b` files; `orders` exists and differs in case or spacing only
      + Change `Orders` to `orders` (behavior_changing, high)
    error a/1.yaml:1:25 /use/2 [SEM_X]
      cannot find `order`: no such value at `/name` in `b` files; `orders` exists and is one keystroke away
      + Change `order` to `orders` (behavior_changing, medium)
    error a/1.yaml:1:32 /use/3 [SEM_X]
      cannot find `nothing`: no such value at `/name` in `b` files; define it or name one that exists
    "#);
}

/// FA-5: no repair is better than a guess between two.
#[test]
fn reference_with_two_near_targets_offers_nothing() {
    let pack = one_rule("rule: reference, from: {in: a, at: /use}, to: {in: b, at: /name}");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nuse: caat\n//- b/1.yaml\nname: cat\n//- b/2.yaml\nname: cart\n"), @r#"
    error a/1.yaml:1:6 /use [SEM_X]
      cannot find `caat`: no such value at `/name` in `b` files; define it or name one that exists
    "#);
}

/// The target may stand in the file that cannot be read: nothing is said of what is missing, and the files of which it
/// is not said are blocked, so that it is not new when it is said later.
#[test]
fn reference_waits_for_files_that_cannot_be_read() {
    let pack = one_rule("rule: reference, from: {in: a, at: /use}, to: {in: b, at: /name}");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nuse: x\n//- b/1.yaml\nname: [\n"), @r#"
    error b/1.yaml:2:1  [SCHEMA_PARSE]
      cannot be read: expected a node or `]`, found the end of the text; the flow sequence is not closed: it began at line 1, column 7
    a/1.yaml is blocked from semantic on
    b/1.yaml is blocked from schema on
    "#);
}

#[test]
fn reference_from_keys_renames_the_key() {
    let pack = one_rule(
        "rule: reference, from: {in: a, keys: /map}, to: {in: b, at: /name}, within: workspace",
    );
    assert_snapshot!(check(&pack, "//- a/1.yaml\nmap:\n  custmers: 1 # kept\n//- b/1.yaml\nname: customers\n"), @r#"
    error a/1.yaml:2:3 /map/custmers [SEM_X]
      cannot find `custmers`: no such value at `/name` in `b` files; `customers` exists and is one keystroke away
      + Change `custmers` to `customers` (behavior_changing, medium)
    "#);
}

#[test]
fn same_as_copies_from_the_source() {
    let pack = one_rule(
        "rule: same_as, source: {in: a, at: /app/version}, copies: [{in: b, at: /version}, {in: b, at: /all/*}]",
    );
    assert_snapshot!(check(&pack, "//- a/1.yaml\napp: {version: 2.1.0}\n//- b/1.toml\nversion = \"2.0.0\"\n//- b/2.yaml\nall: [2.1.0, 2.1]\n"), @r#"
    error b/1.toml:1:11 /version [SEM_X]
      `2.0.0` should be `2.1.0`: `/app/version` in a/1.yaml defines it; make them equal
      see a/1.yaml /app/version: the value is defined here
      + Change `2.0.0` to `2.1.0` (behavior_changing, high)
    error b/2.yaml:1:14 /all/1 [SEM_X]
      `2.1` should be `2.1.0`: `/app/version` in a/1.yaml defines it; make them equal
      see a/1.yaml /app/version: the value is defined here
      + Change `2.1` to `2.1.0` (behavior_changing, high)
    "#);
}

#[test]
fn same_as_without_one_source_reports_and_repairs_nothing() {
    let pack = one_rule("rule: same_as, source: {in: a, at: /v}, copies: {in: b, at: /v}");
    assert_snapshot!(check(&pack, "//- b/1.yaml\nv: 1\n"), @r#"
    error b/1.yaml:1:4 /v [SEM_X]
      `1` should equal the value at `/v` in `a` files, but there is none; define it there
    "#);
    assert_snapshot!(check(&pack, "//- a/1.yaml\nv: 1\n//- a/2.yaml\nv: 2\n//- a/3.yaml\nv: 1\n//- b/1.yaml\nv: 3\n"), @r#"
    error a/1.yaml:1:4 /v [SEM_X]
      `1` is one of several values at `/v` in `a` files, which must define exactly one; keep one of them
      see a/2.yaml /v: another value is here
    error a/2.yaml:1:4 /v [SEM_X]
      `2` is one of several values at `/v` in `a` files, which must define exactly one; keep one of them
      see a/1.yaml /v: another value is here
    error a/3.yaml:1:4 /v [SEM_X]
      `1` is one of several values at `/v` in `a` files, which must define exactly one; keep one of them
      see a/2.yaml /v: another value is here
    "#);
    assert_snapshot!(check(&pack, "//- a/1.yaml\nv: 1\n//- a/2.yaml\nv: 1.0\n//- b/1.yaml\nv: 1\n"), @"");
}

#[test]
fn imports_by_name_resolve_and_have_no_cycle() {
    let pack = one_rule("rule: imports, from: {in: a, at: /imports/*}, to: {in: a, at: /name}");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nname: one\nimports: [two]\n//- a/2.yaml\nname: two\nimports: [thre]\n//- a/3.yaml\nname: three\nimports: [one, two]\n"), @r#"
    error a/2.yaml:2:11 /imports/0 [SEM_X]
      cannot resolve the import `thre`: no such name at `/name` in `a` files; `three` exists and is one keystroke away
    "#);
    assert_snapshot!(check(&pack, "//- a/1.yaml\nname: one\nimports: [two]\n//- a/2.yaml\nname: two\nimports: [three]\n//- a/3.yaml\nname: three\nimports: [one]\n//- a/4.yaml\nname: four\nimports: [four]\n"), @r#"
    error a/3.yaml:2:11 /imports/0 [SEM_X]
      `one` closes a cycle of imports: a/1.yaml → a/2.yaml → a/3.yaml → a/1.yaml; remove one of them
      see a/1.yaml /imports/0: imports a/2.yaml
      see a/2.yaml /imports/0: imports a/3.yaml
    error a/4.yaml:2:11 /imports/0 [SEM_X]
      `a/4.yaml` imports itself; remove that
    "#);
}

#[test]
fn imports_by_path_are_relative_to_the_file_or_the_root() {
    let pack = one_rule("rule: imports, from: {in: a, at: /imports/*}, path: true");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nimports: [./2.yaml, ../b/share.yaml, ../../x, ../a, 'a\\b']\n//- a/2.yaml\nimports: [../b/shared.yaml]\n//- b/shared.yaml\nx: 1\n"), @r#"
    error a/1.yaml:1:21 /imports/1 [SEM_X]
      cannot find `../b/share.yaml`: there is no `b/share.yaml`; `../b/shared.yaml` exists and is one keystroke away
      + Change `../b/share.yaml` to `../b/shared.yaml` (behavior_changing, medium)
    error a/1.yaml:1:38 /imports/2 [SEM_X]
      `../../x` is not a path inside the workspace; import a file in it
    error a/1.yaml:1:47 /imports/3 [SEM_X]
      cannot find `../a`: there is no `a`; define it or name one that exists
    error a/1.yaml:1:53 /imports/4 [SEM_X]
      `a\b` is not a path inside the workspace; import a file in it
    "#);
    let pack = one_rule("rule: imports, from: {in: a, at: /import}, path_from: root");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nimport: a/2.yaml\n//- a/2.yaml\nimport: a/1.yml\n"), @r#"
    error a/2.yaml:1:9 /import [SEM_X]
      cannot find `a/1.yml`: there is no `a/1.yml`; `a/1.yaml` exists and is one keystroke away
    "#);
}

#[test]
fn derived_sets_what_the_template_says() {
    let pack = one_rule(
        "rule: derived, at: {in: a, at: /module/uid}, template: 'mod_{/module/name|snake}'",
    );
    assert_snapshot!(check(&pack, "//- a/1.yaml\nmodule:\n  name: User Accounts\n  uid: mod_users # comment\n//- a/2.yaml\nmodule: {name: Orders}\n//- a/3.yaml\nmodule: {uid: x}\n//- a/4.yaml\nmodule: 3\n//- a/5.yaml\nmodule: {name: Fine, uid: mod_fine}\n"), @r#"
    error a/1.yaml:3:8 /module/uid [SEM_X]
      `mod_users` should be `mod_user_accounts`, the value of `mod_{/module/name|snake}` for this document; change it
      + Change `mod_users` to `mod_user_accounts` (behavior_changing, high)
    error a/2.yaml:1:1 /module/uid [SEM_X]
      `uid` is missing; `mod_{/module/name|snake}` makes it `mod_orders`
      + Add `uid` with `mod_orders` (likely_preserving, high)
    "#);
    let pack = one_rule(
        "rule: derived, at: {in: a, at: /list/*/uid}, template: '{/prefix}-{/list/*/name}'",
    );
    assert_snapshot!(check(&pack, "//- a/1.toml\nprefix = 'p'\n[[list]]\nname = 'n'\n[[list]]\nname = 'm'\nuid = 3\n"), @r#"
    error a/1.toml:2:1 /list/0/uid [SEM_X]
      `uid` is missing; `{/prefix}-{/list/*/name}` makes it `p-n`
      + Add `uid` with `p-n` (likely_preserving, high)
    error a/1.toml:6:7 /list/1/uid [SEM_X]
      `3` should be `p-m`, the value of `{/prefix}-{/list/*/name}` for this document; change it
      + Change `3` to `p-m` (behavior_changing, high)
    "#);
}

#[test]
fn ordered_moves_items_with_their_comments() {
    let pack = one_rule("rule: ordered, at: {in: a, at: /l}, by: /k, layout: true");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nl:\n  # about b\n  - k: b\n  - k: a # about a\n//- a/2.yaml\nl: [{k: 2}, {k: 10}, {k: 10.5}]\n//- a/3.yaml\nl: [{k: b}, {k: 1}]\n//- a/4.yaml\nl: [{k: b}, {}]\n"), @r#"
    error a/1.yaml:1:1 /l [SEM_X]
      the list is not in ascending order by `/k`: `a` belongs at position 1; sort it
      + Sort the list (behavior_preserving, high)
    "#);
    let pack = one_rule("rule: ordered, at: {in: a, at: /l}, order: descending");
    assert_snapshot!(check(&pack, "//- a/1.json\n{\"l\": [1, 10, 9]}\n"), @r#"
    error a/1.json:1:2 /l [SEM_X]
      the list is not in descending order: `10` belongs at position 1; sort it
      + Sort the list (likely_preserving, high)
    "#);
}

#[test]
fn forbidden_and_together_have_no_repair() {
    let pack = one_rule("rule: forbidden, at: {in: a, at: /x/*}, key: debug");
    assert_snapshot!(check(&pack, "//- a/1.yaml\nx: {p: {debug: false}, q: {}, r: [debug]}\n"), @r#"
    error a/1.yaml:1:9 /x/p/debug [SEM_X]
      `debug` is not allowed here; remove it
    "#);
    let pack = one_rule("rule: together, at: {in: a, at: /tls}, keys: [cert, key, ca]");
    assert_snapshot!(check(&pack, "//- a/1.yaml\ntls: {cert: x, ca: y}\n//- a/2.yaml\ntls: {}\n//- a/3.yaml\ntls: {cert: x, key: y, ca: z}\n"), @r#"
    error a/1.yaml:1:1 /tls [SEM_X]
      `cert`, `ca` without `key`: they belong together; add what is missing or remove the rest
    "#);
}

#[test]
fn deprecated_renames_or_removes_but_never_decides() {
    let pack = one_rule(
        "rule: deprecated, at: {in: a, at: ''}, key: old, replacement: new, value_map: {'yes': true, '1': one}",
    );
    assert_snapshot!(check(&pack, "//- a/1.yaml\nold: x # note\n//- a/2.yaml\nold: 'yes'\n//- a/3.yaml\nold: 1\nnew: one\n//- a/4.yaml\nold: x\nnew: y\n"), @r#"
    error a/1.yaml:1:1 /old [SEM_X]
      `old` is deprecated; use `new` instead
      + Rename `old` to `new` (likely_preserving, high)
    error a/2.yaml:1:1 /old [SEM_X]
      `old` is deprecated; use `new` instead
      + Rename `old` to `new` (likely_preserving, high)
    error a/3.yaml:1:1 /old [SEM_X]
      `old` is deprecated, and `new` says the same already; remove `old`
      + Remove `old`, which `new` repeats (likely_preserving, high)
    error a/4.yaml:1:1 /old [SEM_X]
      `old` is deprecated, and `new` says `y`; decide which one holds and remove `old`
    "#);
}

#[test]
fn cel_reports_what_does_not_hold_and_what_cannot_be_decided() {
    let pack = one_rule(
        "rule: cel, at: {in: a, at: /limits}, assert: 'self.min <= self.max', when: 'has(self.min)'",
    );
    assert_snapshot!(check(&pack, "//- a/1.yaml\nlimits: {min: 5, max: 3}\n//- a/2.yaml\nlimits: {min: 1, max: 3}\n//- a/3.yaml\nlimits: {max: 3}\n//- a/4.yaml\nlimits: {min: 1}\n"), @r#"
    error a/1.yaml:1:1 /limits [SEM_X]
      `self.min <= self.max` does not hold; change the value so that it does
    warning a/4.yaml:1:1 /limits [SEM_X]
      `self.min <= self.max` could not be decided: there is no `max`
    "#);
}

/// The rule's own words come first for a guard, whose expression says little; for the others what is wrong does.
#[test]
fn a_reason_is_said_where_it_reads_best() {
    let guard = one_rule(
        "rule: cel, at: {in: a, at: ''}, assert: has(self.owner), message: Nobody could be asked.",
    );
    assert_snapshot!(check(&guard, "//- a/1.yaml\nname: x\n//- a/2.yaml\n- 1\n"), @r#"
    error a/1.yaml:1:1  [SEM_X]
      Nobody could be asked (`has(self.owner)` does not hold)
    warning a/2.yaml:1:1  [SEM_X]
      `has(self.owner)` could not be decided: found no matching overload for '_._' applied to '(list, string)'
    "#);
    let other = one_rule(
        "rule: forbidden, at: {in: a, at: ''}, key: debug, message: Debugging is for machines of one's own.",
    );
    assert_snapshot!(check(&other, "//- a/1.yaml\ndebug: true\n"), @r#"
    error a/1.yaml:1:1 /debug [SEM_X]
      `debug` is not allowed here; remove it. Debugging is for machines of one's own.
    "#);
}

/// AE-4: repairs are not made from words, so other words change none.
#[test]
fn other_words_change_no_repair() {
    let tree = "//- a/1.yaml\nuse: custmers\n//- b/1.yaml\nname: customers\n";
    let tree = crate::testing::snapshot(&crate::testing::files(tree));
    let rule = "rule: reference, from: {in: a, at: /use}, to: {in: b, at: /name}";
    let one = crate::testing::run(&one_rule(rule), &tree, None);
    let other = one_rule(&format!("{rule}, message: 'Change `custmers` to `x`.'"));
    let other = crate::testing::run(&other, &tree, None);
    assert_ne!(one.diagnostics[0].message, other.diagnostics[0].message);
    assert_eq!(one.diagnostics[0].diagnostic_id, other.diagnostics[0].diagnostic_id);
    assert_eq!((one.repairs.len(), &one.repairs), (1, &other.repairs));
}

/// RS-6, RS-62: what the repairs of each kind of rule may do to the meaning.
#[test]
fn every_kind_of_rule_has_its_safety() {
    let (at, to) = ("{in: a, at: /x}", "{in: b, at: /y}");
    for (members, expected) in [
        (format!("rule: unique, places: {at}"), None),
        (format!("rule: reference, from: {at}, to: {to}"), Some("behavior_changing")),
        (format!("rule: same_as, source: {at}, copies: {to}"), Some("behavior_changing")),
        (format!("rule: imports, from: {at}, to: {to}"), Some("behavior_changing")),
        (format!("rule: derived, at: {at}, template: t"), Some("behavior_changing")),
        (format!("rule: ordered, at: {at}"), Some("likely_preserving")),
        (format!("rule: ordered, at: {at}, layout: true"), Some("behavior_preserving")),
        (format!("rule: forbidden, at: {at}, key: k"), None),
        (format!("rule: deprecated, at: {at}, key: k, replacement: l"), Some("likely_preserving")),
        (format!("rule: together, at: {at}, keys: [k, l]"), None),
        (format!("rule: cel, at: {at}, assert: 'true'"), None),
    ] {
        let safety = one_rule(&members).rules()[0].safety;
        assert_eq!(safety.map(check::Safety::name), expected, "{members}");
    }
}

#[test]
fn imports_within_a_file_see_its_entries_alone() {
    let pack = one_rule(
        "rule: imports, within: file, from: [{in: a, at: '/jobs/*/needs'}, {in: a, at: '/jobs/*/needs/*'}, {in: a, at: /first}], to: {in: a, keys: /jobs}",
    );
    assert_snapshot!(check(&pack, "//- a/1.yaml\nfirst: bild\njobs:\n  build: {needs: [lint, done]}\n  lint: {}\n  test: {needs: biuld}\n  done: {needs: build}\n  self: {needs: [self]}\n  'x/y': {needs: 'x~z'}\n  'x~z': {needs: 'x/y'}\n//- a/2.yaml\nfirst: build\njobs: {test: {needs: 7}}\n"), @r#"
    error a/1.yaml:1:8 /first [SEM_X]
      cannot find `bild`: no such value at the keys of `/jobs` in `a` files; `build` exists and is one keystroke away
      + Change `bild` to `build` (behavior_changing, medium)
    error a/1.yaml:6:17 /jobs/done/needs [SEM_X]
      `build` closes a cycle: build → done → build; remove one of them
      see a/1.yaml /jobs/build/needs/1: names done
    error a/1.yaml:7:18 /jobs/self/needs/0 [SEM_X]
      `self` names itself; remove that
    error a/1.yaml:5:17 /jobs/test/needs [SEM_X]
      cannot find `biuld`: no such value at the keys of `/jobs` in `a` files; `build` exists and is one keystroke away
      + Change `biuld` to `build` (behavior_changing, medium)
    error a/1.yaml:9:18 /jobs/x~0z/needs [SEM_X]
      `x/y` closes a cycle: x/y → x~z → x/y; remove one of them
      see a/1.yaml /jobs/x~1y/needs: names x~z
    error a/2.yaml:1:8 /first [SEM_X]
      cannot find `build`: no such value at the keys of `/jobs` in `a` files; define it or name one that exists
    "#);
}

/// Documents that are large or odd are looked at in time that grows with their size.
#[test]
fn large_and_odd_documents_are_bounded() {
    let keys: String =
        (0..4_000).map(|it| format!("k{it}: {{name: n{}, id: {it}}}\n", it % 1_000)).collect();
    let tree = crate::testing::snapshot(&crate::testing::files(&format!("//- a/1.yaml\n{keys}")));
    let n_found =
        |members: &str| crate::testing::run(&one_rule(members), &tree, None).diagnostics.len();
    assert_eq!(n_found("rule: unique, places: [{in: a, at: /*/name}, {in: a, keys: ''}]"), 3_000);
    assert_eq!(n_found("rule: derived, at: {in: a, at: /*/uid}, template: 'u_{/*/name}'"), 4_000);
    assert_eq!(
        n_found("rule: reference, from: {in: a, at: /*/name}, to: {in: a, keys: ''}, within: file"),
        4_000
    );
    assert_eq!(n_found("rule: cel, at: {in: a, at: /*}, assert: 'self.id >= 0'"), 0);
    // The whole document at every place is too much in the end; it is said once.
    assert_eq!(n_found("rule: cel, at: {in: a, at: /*}, assert: 'doc == doc'"), 1);
    let deep = format!("//- a/1.json\n{}{}\n", "[".repeat(200), "]".repeat(200));
    let tree = crate::testing::snapshot(&crate::testing::files(&deep));
    let pack = one_rule(&format!("rule: unique, places: {{in: a, at: '{}'}}", "/*".repeat(64)));
    assert!(crate::testing::run(&pack, &tree, None).diagnostics.is_empty());
}
