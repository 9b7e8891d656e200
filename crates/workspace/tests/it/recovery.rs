//! Adversarial journals by seed; see `hostile_journal.rs`.

use crate::hostile_journal::check;

#[test]
fn a_hostile_journal_reaches_nothing_that_it_should_not() {
    let mut n_acted = 0;
    for seed in 0..10_000_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut choose = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below.max(1)
        };
        n_acted += usize::from(check(&mut choose));
    }
    // Journals that regreen would act upon are among them, or nothing is tried.
    assert!(n_acted > 500, "{n_acted} of them were acted upon");
}
