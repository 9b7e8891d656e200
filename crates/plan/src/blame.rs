//! Who is to blame when things are refused together.

/// One that has to be left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Culprit {
    /// Its number.
    pub(crate) it: usize,
    /// The one before it among those that are kept, if it is refused only in their company.
    pub(crate) beside: Option<usize>,
    /// What was said when it was refused.
    pub(crate) words: String,
}

/// Finds the ones among `0..n` without which the others are accepted. `words` is what was said when all were refused,
/// and `attempt` says of some, in ascending order, what is wrong with them.
///
/// One after the other is found by halving and left out: each time the last one of the shortest refused beginning, so
/// that the better ones stay. After `max_tries` attempts all that is left is refused.
pub(crate) fn find_culprits(
    n: usize,
    mut words: String,
    max_tries: usize,
    attempt: &mut dyn FnMut(&[usize]) -> Result<(), String>,
) -> Vec<Culprit> {
    let mut left: Vec<usize> = (0..n).collect();
    let mut culprits = Vec::new();
    let mut n_tries = 0;
    while n_tries < max_tries && !left.is_empty() {
        let (mut accepted, mut refused) = (0, left.len());
        while refused - accepted > 1 {
            let middle = accepted + (refused - accepted) / 2;
            n_tries += 1;
            match attempt(&left[..middle]) {
                Ok(()) => accepted = middle,
                Err(found) => (refused, words) = (middle, found),
            }
        }
        let it = left.remove(accepted);
        let before = accepted.checked_sub(1).map(|before| left[before]);
        n_tries += 2;
        culprits.push(match attempt(&[it]) {
            Ok(()) => Culprit { it, beside: before, words },
            Err(words) => Culprit { it, beside: None, words },
        });
        match attempt(&left) {
            Ok(()) => return culprits,
            Err(found) => words = found,
        }
    }
    let words = format!("too much of this file was refused before: {words}");
    culprits.extend(left.into_iter().map(|it| Culprit { it, beside: None, words: words.clone() }));
    culprits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `bad` are refused alone, `pairs` only together. The result: the culprits with their companions, and the tries.
    fn check(
        n: usize,
        bad: &[usize],
        pairs: &[(usize, usize)],
    ) -> (Vec<(usize, Option<usize>)>, usize) {
        let mut n_tries = 0;
        let mut attempt = |some: &[usize]| {
            n_tries += 1;
            let is_bad = some.iter().any(|it| bad.contains(it));
            let is_pair = pairs.iter().any(|(one, two)| some.contains(one) && some.contains(two));
            if is_bad || is_pair { Err("no".to_owned()) } else { Ok(()) }
        };
        let culprits = find_culprits(n, "no".to_owned(), 100, &mut attempt);
        (culprits.into_iter().map(|it| (it.it, it.beside)).collect(), n_tries)
    }

    #[test]
    fn one_bad_among_many_is_found_by_halving() {
        for bad in [0, 1, 99, 198, 199] {
            let (culprits, n_tries) = check(200, &[bad], &[]);
            assert_eq!(culprits, [(bad, None)]);
            assert!(n_tries <= 10, "{n_tries}");
        }
    }

    #[test]
    fn the_better_one_of_two_that_do_not_go_together_stays() {
        assert_eq!(check(200, &[], &[(3, 150)]).0, [(150, Some(149))]);
        assert_eq!(check(2, &[], &[(0, 1)]).0, [(1, Some(0))]);
        assert_eq!(check(6, &[2], &[(0, 5), (1, 5)]).0, [(2, None), (5, Some(4))]);
    }

    #[test]
    fn when_too_many_are_bad_the_rest_is_refused() {
        let all: Vec<usize> = (0..5000).collect();
        let (culprits, n_tries) = check(5000, &all, &[]);
        assert_eq!(culprits.len(), 5000);
        assert!(n_tries <= 115, "{n_tries}");
        assert_eq!(check(1, &[0], &[]).0, [(0, None)]);
    }
}
