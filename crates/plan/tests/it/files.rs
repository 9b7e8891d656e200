//! Repairs that add, delete and rename files.

use super::notation::{check, check_case, parse};

/// AE-18: one repair adds, deletes, renames and edits, all or nothing; a renamed file is edited by its old name.
#[test]
fn files_come_go_and_move_in_one_repair_with_edits() {
    check(
        r#"
        //- a.rs
        mod b;
        //- b.rs
        fn f() {}
        //- c.json
        {"a": 1}
        == r1 e1
        a.rs 4..5 "d"
        b.rs to sub/d.rs
        b.rs 3..4 "g"
        c.json to e.json
        c.json replace /a 2
        n.txt new "new\n"
        == r2 e2
        a.rs gone
        "#,
        r#"
        r1 6/8
        r2 conflict r1: a.rs is edited in this pass
        //- a.rs
        mod d;
        //- b.rs
        fn g() {}
        //- c.json
        {"a": 2}
        //- n.txt 644
        new
        b.rs to sub/d.rs
        c.json to e.json
        "#,
    );
}

/// A file that leaves makes room for another one in the same repair.
#[test]
fn files_may_change_places() {
    check(
        r#"
        //- a.txt
        one
        //- b.txt
        two
        //- c.txt
        three
        == r1 e1
        a.txt to b.txt
        b.txt to a.txt
        == r2 e2
        c.txt gone
        c.txt new "other\n"
        "#,
        r#"
        r2 1/1
        r1 2/2
        //- c.txt 644
        other
        c.txt gone
        a.txt to b.txt
        b.txt to a.txt
        "#,
    );
}

/// What somebody edits nobody else takes away, moves or puts something over; the better one wins.
#[test]
fn a_path_has_one_owner() {
    check(
        r#"
        //- a.txt
        one
        //- b.txt
        two
        == r1 e1
        a.txt to d.txt
        == r2 e2 likely
        a.txt 0..3 "six"
        == r3 e3 likely
        D.txt new "x\n"
        == r4 e4 likely
        d.txt/deep.txt new "x\n"
        == r5 e5
        n.txt new "x\n"
        == r6 e6 likely
        b.txt to n.txt
        "#,
        r#"
        r1 2/2
        r5 1/1
        r2 conflict r1: a.txt is added, deleted or renamed in this pass
        r6 conflict r5: n.txt is added, deleted or renamed in this pass
        r3 conflict r1: D.txt conflicts with the other files that are added
        r4 conflict r1: d.txt/deep.txt conflicts with the other files that are added
        //- n.txt 644
        x
        a.txt to d.txt
        "#,
    );
}

/// What cannot be done says why: a path that is taken, beneath a file or the same but for case; another text; twice.
#[test]
fn impossible_paths_are_refused() {
    check(
        r#"
        //- a.txt
        one
        //- dir/b.txt
        two
        == r1 e1
        a.txt new "x"
        == r2 e2
        a.txt to dir/b.txt
        == r3 e3
        A.txt new "x"
        == r4 e4
        a.txt/c new "x"
        == r5 e5
        dir new "x"
        == r6 e6
        none.txt gone
        == r7 e7
        a.txt outdated
        == r8 e8
        a.txt gone
        a.txt to c.txt
        == r9 e9
        a.txt gone
        a.txt 0..1 "x"
        == ra ea
        a.txt to a.txt
        == rb eb
        x.txt new "x"
        X.txt new "y"
        == rc ec
        x new "x"
        x/y new "y"
        "#,
        r#"
        r9 invalid: it edits a.txt and adds or deletes it
        ra invalid: it renames a.txt to the path that it has
        r2 invalid: dir/b.txt already exists
        r8 invalid: it adds, deletes or renames a.txt more than once
        r7 stale: it was made for another text of a.txt
        r6 stale: none.txt does not exist
        r3 invalid: A.txt differs from a.txt only in case
        r1 invalid: a.txt already exists
        r4 invalid: a.txt/c cannot be made, because a.txt is not a directory
        r5 invalid: dir already exists
        rc invalid: x becomes a file, so x/y cannot lie beneath it
        rb invalid: x.txt differs from X.txt only in case
        "#,
    );
}

/// Both ends of a rename must be among the paths that may be edited.
#[test]
fn both_ends_of_a_rename_must_be_editable() {
    let input = r#"
        //- a.txt
        one
        == r1 e1
        a.txt to vendor/a.txt
        "#;
    for end in ["a.txt", "vendor/a.txt"] {
        let mut case = parse(input);
        case.not_editable.insert(end.to_owned());
        let expected = format!("r1 outside_root: {end} is not among the paths that may be edited");
        check_case(&case, &expected);
    }
}
