//! The tests of generated code: what it looks like, and what it does when it runs.

mod it {
    mod differential;
    mod golden;
    mod run;
}
