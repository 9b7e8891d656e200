//! The tests of repairs as the users of the crate see them.

mod it {
    mod idioms;
    mod oracle;
    mod pages;
    mod repair;
}
