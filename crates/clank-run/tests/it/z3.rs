//! A Z3 that is not there, is something else, dies or hangs; and, in the live tier, the real one.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clank_run::{Z3, Z3Error, Z3Limits};

/// A shell script that stands in for Z3.
fn stand_in(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("z3");
    std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

/// Answers the question that it is started with, then does something else.
fn after_the_first(then: &str) -> String {
    let answer = "read a; read b; read c; echo unsat; echo regreen-end-of-answer";
    format!("{answer}\n{then}")
}

#[test]
fn what_is_not_there_or_is_no_z3_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Z3::new(&folder.path().join("nothing"), Z3Limits::STANDARD);
    assert!(matches!(missing.start(), Err(Z3Error::NotStarted { .. })));
    assert_eq!(missing.ask("(check-sat)\n"), None);
    assert!(matches!(missing.take_failure(), Some(Z3Error::NotStarted { .. })));
    for text in ["exit 0", "echo sat; echo regreen-end-of-answer; sleep 5"] {
        let other = Z3::new(&stand_in(folder.path(), text), Z3Limits::STANDARD);
        assert!(matches!(other.start(), Err(Z3Error::NotZ3 { .. })), "{text}");
    }
}

#[test]
fn a_process_that_ends_is_a_failure_and_is_asked_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let program = stand_in(folder.path(), &after_the_first("exit 1"));
    let z3 = Z3::new(&program, Z3Limits::STANDARD);
    z3.start().unwrap();
    assert_eq!(z3.ask("(check-sat)\n"), None);
    assert_eq!(z3.ask("(assert true)\n(check-sat)\n"), None);
    assert!(matches!(z3.take_failure(), Some(Z3Error::Ended { .. })));
    assert!(z3.take_failure().is_none());
}

#[test]
fn a_question_that_takes_too_long_has_no_answer_and_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let program = stand_in(folder.path(), &after_the_first("exec sleep 60"));
    let question = Duration::from_millis(50);
    let z3 = Z3::new(
        &program,
        Z3Limits { question, all: Duration::from_millis(500), ..Z3Limits::STANDARD },
    );
    assert_eq!(z3.ask("(check-sat)\n"), None);
    // The bound of all questions is met: nothing is started for the next.
    let start = std::time::Instant::now();
    assert_eq!(z3.ask("(assert true)\n(check-sat)\n"), None);
    assert!(start.elapsed() < Duration::from_millis(500));
    assert!(z3.take_failure().is_none());
}

/// Nobody waits for an answer that is not wanted any more, and the next question is asked anew.
#[test]
fn a_question_can_be_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let program = stand_in(folder.path(), &after_the_first("exec sleep 3600"));
    let hour = Duration::from_secs(3600);
    let z3 = Z3::new(&program, Z3Limits { question: hour, all: hour, ..Z3Limits::STANDARD });
    let n_asked = std::cell::Cell::new(0);
    let is_over = || {
        n_asked.set(n_asked.get() + 1);
        n_asked.get() > 3
    };
    assert_eq!(z3.ask_until("(check-sat)\n", &is_over), None);
    assert!(z3.take_failure().is_none());
    let before = n_asked.get();
    assert_eq!(z3.ask_until("(check-sat)\n", &is_over), None);
    assert!(n_asked.get() > before, "the answer that was not given is not remembered");
}

/// A Z3 that does not even start to answer can be given up too, and so can one that does not read what it is asked.
#[test]
fn a_start_can_be_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let program = stand_in(folder.path(), "exec sleep 3600");
    let z3 = Z3::new(&program, Z3Limits::STANDARD);
    let start = std::time::Instant::now();
    assert_eq!(z3.ask_until("(check-sat)\n", &|| true), None);
    assert!(start.elapsed() < Duration::from_secs(5), "less than a start may take");
    assert!(z3.take_failure().is_none(), "nobody waited for it");
}

/// Whatever it says and however long: what is read of it has a bound.
#[test]
fn a_flood_is_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Z3Limits { question: Duration::from_millis(50), ..Z3Limits::STANDARD };
    for flood in ["exec tr '\\0' x < /dev/zero", "exec yes unsat"] {
        let program = stand_in(folder.path(), &after_the_first(flood));
        let z3 = Z3::new(&program, limits);
        assert_eq!(z3.ask("(check-sat)\n"), None, "{flood}");
    }
}

/// A script of that name starts others: none of them is left.
#[test]
fn what_it_started_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("pid");
    let then = format!("sleep 3600 & echo $! > {}\nwait", note.display());
    let program = stand_in(folder.path(), &after_the_first(&then));
    let limits = Z3Limits { question: Duration::from_millis(200), ..Z3Limits::STANDARD };
    let z3 = Z3::new(&program, limits);
    assert_eq!(z3.ask("(check-sat)\n"), None);
    drop(z3);
    let pid = std::fs::read_to_string(note).unwrap();
    let process = PathBuf::from("/proc").join(pid.trim()).join("stat");
    // Whoever adopts what is left behind may take a moment to bury it.
    let is_alive = || std::fs::read_to_string(&process).is_ok_and(|it| !it.contains(") Z "));
    for _ in 0..200 {
        if !is_alive() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{} is still there", pid.trim());
}

#[cfg(feature = "live")]
#[test]
fn every_question_is_a_script_of_its_own() {
    let z3 = Z3::new(Path::new("z3"), Z3Limits::STANDARD);
    z3.start().unwrap();
    let square = |bound: &str| {
        format!(
            "(declare-const x Int)\n(assert (< (* x x) {bound}))\n(check-sat)\n(get-value (x))\n"
        )
    };
    assert!(z3.ask(&square("0")).unwrap().starts_with("unsat\n"));
    assert_eq!(z3.ask(&square("1")).unwrap(), "sat\n((x 0))\n");
    assert!(z3.ask(&square("0")).unwrap().starts_with("unsat\n"), "it is the same again");
    assert!(z3.ask("(declare-const y)\n").unwrap().starts_with("(error"));
    assert_eq!(z3.ask(&square("1")).unwrap(), "sat\n((x 0))\n");
    assert!(z3.take_failure().is_none());
}
