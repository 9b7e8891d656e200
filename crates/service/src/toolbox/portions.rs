//! How the files of a look are put to a tool that takes many at once: in portions that a command line can hold, and where
//! one file keeps it from answering, in halves, until that file is found.
//!
//! A tool that fails whatever it is asked is not asked about every file to find that out: nothing is divided any more when
//! two files failed on their own and nothing else was answered, or when too many commands failed.

use check::{FailureKind, LookError};
use snapshot::RelPath;

/// How many bytes of paths one command gets.
const MAX_ARGUMENTS: usize = 400_000;
/// How many files one command gets: what is found in them is read as one answer.
const MAX_FILES: usize = 4_000;
/// How many commands of one look may fail before a portion that fails is not divided any more.
const MAX_FAILED: usize = 64;
/// How many files have to fail on their own, if nothing was answered, to say that it is the tool.
const ENOUGH: usize = 2;

/// A file that keeps the tool from answering, and how it fails.
pub(super) type Blamed = (RelPath, LookError);

/// Asks about all files. Gives those that the tool fails on, if it answers about others or `is_expected` to answer.
pub(super) fn ask(
    files: &[RelPath],
    is_expected: bool,
    one: &mut dyn FnMut(&[RelPath]) -> Result<(), LookError>,
) -> Result<Vec<Blamed>, LookError> {
    let mut open: Vec<&[RelPath]> = portions(files);
    open.reverse();
    let mut has_answered = is_expected;
    let mut n_failed = 0;
    let mut blamed: Vec<Blamed> = Vec::new();
    while let Some(portion) = open.pop() {
        let Err(error) = one(portion) else {
            has_answered = true;
            continue;
        };
        // What took too long or is not there is so for all of them.
        if !matches!(error.kind, FailureKind::Garbled | FailureKind::Died) {
            return Err(error);
        }
        n_failed += 1;
        if portion.len() > 1 && n_failed <= MAX_FAILED {
            let (first, second) = portion.split_at(portion.len() / 2);
            open.push(second);
            open.push(first);
            continue;
        }
        blamed.extend(portion.iter().map(|it| (it.clone(), error.clone())));
        if !has_answered && blamed.len() >= ENOUGH {
            return Err(error);
        }
    }
    match blamed.first() {
        Some((_, error)) if !has_answered => Err(error.clone()),
        _ => Ok(blamed),
    }
}

/// Files in portions that one command line can hold.
fn portions(files: &[RelPath]) -> Vec<&[RelPath]> {
    let mut portions = Vec::new();
    let (mut start, mut n_bytes) = (0, 0);
    for (at, file) in files.iter().enumerate() {
        n_bytes += file.as_str().len() + 3;
        if at > start && (n_bytes > MAX_ARGUMENTS || at - start >= MAX_FILES) {
            portions.push(&files[start..at]);
            (start, n_bytes) = (at, file.as_str().len() + 3);
        }
    }
    portions.push(&files[start..]);
    portions
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(n: usize) -> Vec<RelPath> {
        (0..n).map(|it| RelPath::parse(&format!("f{it:04}")).unwrap()).collect()
    }

    #[test]
    fn a_command_line_is_not_longer_than_a_system_takes() {
        let path = |n: usize| RelPath::parse(&format!("{}/{n}", "x".repeat(200))).unwrap();
        let files: Vec<RelPath> = (0..9_000).map(path).collect();
        let portions = portions(&files);
        assert!(portions.iter().all(|it| !it.is_empty() && it.len() <= MAX_FILES));
        let n_bytes = |it: &&[RelPath]| it.iter().map(|it| it.as_str().len() + 3).sum::<usize>();
        assert!(portions.iter().all(|it| n_bytes(it) <= MAX_ARGUMENTS));
        assert_eq!(portions.concat(), files);
    }

    /// Asks about `n` files a tool that fails if one of `bad` is among them.
    #[track_caller]
    fn check(n: usize, bad: &[usize], most_runs: usize, expected: Option<&[usize]>) {
        let files = paths(n);
        let bad: Vec<&RelPath> = bad.iter().map(|it| &files[*it]).collect();
        let (mut answered, mut n_runs) = (Vec::new(), 0);
        let blamed = ask(&files, false, &mut |portion| {
            n_runs += 1;
            match portion.iter().any(|it| bad.contains(&it)) {
                true => Err(LookError::new(FailureKind::Garbled, "crash")),
                false => {
                    answered.extend(portion.to_vec());
                    Ok(())
                }
            }
        });
        assert!(n_runs <= most_runs, "{n_runs} runs");
        let Some(expected) = expected else { return assert!(blamed.is_err()) };
        let blamed: Vec<RelPath> = blamed.unwrap().into_iter().map(|it| it.0).collect();
        assert_eq!(blamed, expected.iter().map(|it| files[*it].clone()).collect::<Vec<_>>());
        // Every file is answered about or blamed, once.
        answered.extend(blamed);
        answered.sort();
        assert_eq!(answered, files);
    }

    #[test]
    fn one_file_that_breaks_a_tool_does_not_silence_it() {
        check(9, &[], 1, Some(&[]));
        check(1_000, &[500], 21, Some(&[500]));
        check(4_500, &[0, 4_499], 50, Some(&[0, 4_499]));
        check(2, &[1], 3, Some(&[1]));
    }

    #[test]
    fn a_tool_that_fails_whatever_it_is_asked_is_not_asked_about_everything() {
        let all: Vec<usize> = (0..4_000).collect();
        check(4_000, &all, 15, None);
        check(1, &[0], 1, None);
        // Most files are bad: the number of runs is bounded, and what was answered stays.
        let files = paths(4_000);
        let mut n_failed = 0;
        let blamed = ask(&files, false, &mut |portion| {
            let is_bad = portion.len() > 1 || portion[0].as_str() != "f0000";
            n_failed += usize::from(is_bad);
            if is_bad { Err(LookError::new(FailureKind::Died, "crash")) } else { Ok(()) }
        });
        assert_eq!(blamed.unwrap().len(), 3_999);
        assert!(n_failed <= 2 * MAX_FAILED);
    }

    #[test]
    fn what_is_no_fault_of_a_file_is_not_searched_for() {
        let files = paths(100);
        let mut n_runs = 0;
        let said = ask(&files, false, &mut |_| {
            n_runs += 1;
            Err(LookError::new(FailureKind::TimedOut, "slow"))
        });
        assert_eq!((said.unwrap_err().kind, n_runs), (FailureKind::TimedOut, 1));
    }
}
