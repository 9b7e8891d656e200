//! Which repairs can be made together, and what comes out.

use super::notation::check;

/// Pointers mean the document as it was checked, whatever others insert and delete.
#[test]
fn indexes_mean_the_checked_document() {
    check(
        r#"
        //- a.json
        {"list": ["a", "b", "c", "d", "e"]}
        == r1 e1
        a.json drop /list 0
        == r2 e2
        a.json item /list 2 "C"
        == r3 e3
        a.json insert /list 4 "x"
        == r4 e4
        a.json delete /list/3
        == r5 e5
        a.json replace /list/4 "E"
        "#,
        r#"
        r2 1/1
        r3 1/1
        r5 1/1
        r1 1/1
        r4 1/1
        //- a.json
        {"list": ["b", "C", "x", "E"]}
        "#,
    );
}

/// Inside one repair a pointer means what the repair itself has made of the document.
#[test]
fn inside_a_repair_the_order_of_its_operations_counts() {
    check(
        r#"
        //- a.yaml
        list: [a, b, c, d]
        other: 1
        == r1 e1
        a.yaml drop /list 1
        == r2 e2
        a.yaml drop /list 0
        a.yaml drop /list 2
        a.yaml insert /list 1 {"n": 1}
        a.yaml set /list/1/n 2
        a.yaml add /list/1 m 3
        "#,
        r#"
        r2 1/3
        r1 1/1
        //- a.yaml
        list: [{"n": 2, m: 3}, c]
        other: 1
        "#,
    );
}

/// Different slots of one container are not a conflict: new keys come in rank order.
#[test]
fn keys_and_items_of_one_container_go_together() {
    check(
        r#"
        //- a.yaml
        map: # a comment
          one: 1
        list:
          - a
        == r2 e2
        a.yaml add /map three 3
        == r1 e1
        a.yaml add /map two 2
        == r3 e3
        a.yaml replace /map/one 10
        == r4 e4
        a.yaml insert /list - "b"
        == r5 e5
        a.yaml insert /list - "c"
        a.yaml insert /list - "d"
        "#,
        r#"
        r1 1/1
        r2 1/1
        r3 1/1
        r4 1/1
        r5 1/2
        //- a.yaml
        map: # a comment
          one: 10
          two: 2
          three: 3
        list:
          - a
          - b
          - c
          - d
        "#,
    );
}

/// RS-52: one place, or one inside the other, can be written by one repair only. AE-17: the loser knows the winner.
#[test]
fn one_place_is_written_once() {
    check(
        r#"
        //- a.json
        {"a": {"b": {"c": 1}}, "d": 2, "e": 3}
        == r1 e1
        a.json replace /a/b {"c": 2}
        == r2 e2
        a.json replace /a/b/c 3
        == r3 e3
        a.json remove /a b
        == r4 e4
        a.json delete /a
        == r5 e5
        a.json rename . d f
        == r6 e6
        a.json replace /d 4
        == r7 e7
        a.json add . f 5
        == r8 e8
        a.json replace . {}
        == r9 e9
        a.json add /a x 1
        "#,
        r#"
        r1 1/1
        r2 conflict r1: a.json: both write to `/a/b/c`
        r6 1/1
        r7 1/1
        r8 conflict r1: a.json: both write to ``
        r9 1/1
        r5 conflict r6: a.json: both write to `/d`
        r3 conflict r1: a.json: both write to `/a/b`
        r4 conflict r1: a.json: both write to `/a`
        //- a.json
        {"a": {"b": {"c": 2}, "x": 1}, "d": 4, "e": 3, "f": 5}
        "#,
    );
}

/// Insertions at one index say where they belong, and nobody said which comes first; the same value is appended once.
#[test]
fn insertions_at_one_index_conflict_and_appended_values_do_not() {
    check(
        r#"
        //- a.json
        [1, 2, 3]
        == r1 e1
        a.json insert . 1 "x"
        == r2 e2
        a.json insert . 1 "y"
        == r3 e3
        a.json insert . - "z"
        == r4 e4
        a.json insert . - "z"
        == r5 e5
        a.json insert . 3 "w"
        == r6 e6
        a.json insert . - "v"
        == r7 e7
        a.json drop . 0
        a.json insert . 0 "first"
        "#,
        r#"
        r1 1/1
        r2 conflict r1: a.json: both write to ``
        r3 1/1
        r4 conflict r3: a.json: both write to ``
        r5 conflict r3: a.json: both write to ``
        r6 1/1
        r7 conflict r1: a.json: both write to ``
        //- a.json
        [1, "x", 2, 3, "z", "v"]
        "#,
    );
}

#[test]
fn a_moved_value_belongs_to_its_mover() {
    check(
        r#"
        //- a.json
        {"list": [{"v": 1}, {"v": 2}, {"v": 3}], "map": {}}
        == r1 e1
        a.json drop /list 0
        == r2 e2
        a.json move /list/1 /map/two
        a.json set /map/two/v 20
        a.json set /list/1/v 30
        == r3 e3
        a.json replace /list/1/v 0
        == r4 e4
        a.json add /map two 0
        "#,
        r#"
        r3 1/1
        r4 1/1
        r2 conflict r3: a.json: both write to `/list/1`
        r1 1/1
        //- a.json
        {"list": [{"v": 0}, {"v": 3}], "map": {"two": 0}}
        "#,
    );
    check(
        r#"
        //- a.json
        {"list": [{"v": 1}, {"v": 2}, {"v": 3}], "map": {}}
        == r1 e1
        a.json drop /list 0
        == r2 e2
        a.json move /list/1 /map/two
        a.json set /map/two/v 20
        a.json set /list/1/v 30
        "#,
        r#"
        r2 1/3
        r1 1/1
        //- a.json
        {"list": [{"v": 30}], "map": {"two": {"v": 20}}}
        "#,
    );
}

/// A precondition is about the document as it was checked and the repair's own operations before.
#[test]
fn expectations_do_not_see_other_repairs() {
    check(
        r#"
        //- a.json
        {"list": [1, 2], "n": 1}
        == r1 e1
        a.json insert /list 0 0 if length=2
        == r2 e2
        a.json insert /list - 3 if equals=[1,2]
        == r3 e3
        a.json replace /n 2 if equals=1
        == r4 e4
        a.json replace /list/0 2 if equals=7
        == r5 e5
        a.json drop /list 1
        a.json insert /list 1 9 if length=2
        "#,
        r#"
        r1 1/1
        r2 1/1
        r3 1/1
        r4 precondition_failed: a.json: the precondition on `/list/0` does not hold
        r5 precondition_failed: a.json: the precondition on `/list` does not hold
        //- a.json
        {"list": [0, 1, 2, 3], "n": 2}
        "#,
    );
}

/// AE-11, AE-19, X-16: the rules for byte edits.
#[test]
fn text_edits_clash_by_their_bytes() {
    check(
        r#"
        //- a.txt
        0123456789
        == r1 e1
        a.txt 2..4 "x"
        == r2 e2
        a.txt 3..5 "y"
        == r3 e3
        a.txt 4..6 "adjacent"
        == r4 e4
        a.txt 2..2 "at the edge"
        == r5 e5
        a.txt 8..8 "p"
        == r6 e6
        a.txt 8..8 "q"
        == r7 e7
        a.txt 8..8 "p"
        a.txt 9..10 ""
        == r8 e8
        a.txt 2..4 "x"
        "#,
        r#"
        r1 1/1
        r2 conflict r1: a.txt: the edits overlap, bytes 3..5 against 2..4
        r3 1/1
        r4 conflict r1: a.txt: an insertion lies at the edge of a replaced range, bytes 2..2 against 2..4
        r5 1/1
        r6 conflict r5: a.txt: two insertions at the same point, bytes 8..8 against 8..8
        r8 conflict r1: both make the same edits
        r7 1/2
        //- a.txt
        01xadjacent67p8
        "#,
    );
}

/// AE-18, X-18: a repair over several files lands in all of them or in none.
#[test]
fn a_repair_is_atomic_over_its_files() {
    check(
        r#"
        //- a.txt
        aaaa
        //- b.json
        {"b": 1}
        //- c.json
        {"c": 1}
        == r1 e1
        b.json replace /b 2
        == r2 e2 e3
        a.txt 0..1 "x"
        b.json replace /b 3
        c.json replace /c 3
        == r4 e4
        c.json replace /c 4
        "#,
        r#"
        r1 1/1
        r4 1/1
        r2 conflict r1: b.json: both write to `/b`
        //- b.json
        {"b": 2}
        //- c.json
        {"c": 4}
        "#,
    );
}

/// One file is edited in one way in a pass: the best repair decides.
#[test]
fn the_best_repair_decides_the_dialect_of_a_file() {
    check(
        r#"
        //- a.json
        {"a": 1, "b": 2}
        == r1 w1
        a.json 6..7 "7"
        == r2 e2
        a.json replace /b 3
        "#,
        r#"
        r2 1/1
        r1 conflict r2: a.json is edited as a document in this pass
        //- a.json
        {"a": 1, "b": 3}
        "#,
    );
}

/// `"/"` is the root unless the root has an empty key (X-1), also when another repair makes one.
#[test]
fn a_lone_slash_is_the_root_of_the_checked_document() {
    check(
        r#"
        //- a.json
        {"a": 1}
        //- b.json
        {"": {"x": 1}}
        == r1 e1
        a.json set . {"a": 1} if equals={"a":2}
        == r2 e2
        a.json add . k 1
        == r3 e3
        a.json add / m 1
        == r4 e4
        b.json add / y 1
        == r5 e5
        b.json delete /
        b.json add / k 1
        "#,
        r#"
        r1 precondition_failed: a.json: the precondition on `` does not hold
        r2 1/1
        r3 1/1
        r4 1/1
        r5 invalid: b.json: `/` is ambiguous after a change of the empty key; write the root as an empty pointer
        //- a.json
        {"a": 1, "k": 1, "m": 1}
        //- b.json
        {"": {"x": 1, "y": 1}}
        "#,
    );
}

/// What cannot be written is known only when all are lowered; it is left out, and who lost to it gets its turn.
#[test]
fn a_repair_that_cannot_be_written_does_not_take_others_with_it() {
    check(
        r#"
        //- a.yaml
        a: !mine x
        b: 2 # two
        c: !mine y
        d: 4
        //- b.json
        {"b": 1}
        == r1 e1
        a.yaml replace /b 20
        == r2 e2
        a.yaml replace /a [1]
        == r3 e2 likely
        a.yaml replace /a "y"
        == r4 e4
        a.yaml replace /c [2]
        b.json replace /b 2
        == r5 e5
        a.yaml replace /d 40
        == r6 e6 needs=r2
        b.json add . c 1
        == r7 e7 likely
        b.json replace /b 3
        "#,
        r#"
        r1 1/1
        r2 invalid: a.yaml: YAML cannot express a value of another kind under the tag `!mine`
        r5 1/1
        r6 precondition_failed r2: it requires r2, which is not applied
        r4 invalid: a.yaml: YAML cannot express a value of another kind under the tag `!mine`
        r3 1/1
        r7 1/1
        //- a.yaml
        a: !mine "y"
        b: 20 # two
        c: !mine y
        d: 40
        //- b.json
        {"b": 3}
        "#,
    );
}

/// What a document cannot take at all is refused when the repair is looked at.
#[test]
fn a_refused_repair_does_not_take_others_with_it() {
    check(
        r#"
        //- a.toml
        a = 1
        b = 2
        c = 3
        == r1 e1
        a.toml replace /a 10
        == r2 e2
        a.toml replace /b null
        == r3 e3
        a.toml replace /c 30
        "#,
        r#"
        r1 1/1
        r2 invalid: a.toml: TOML cannot express null
        r3 1/1
        //- a.toml
        a = 10
        b = 2
        c = 30
        "#,
    );
}
