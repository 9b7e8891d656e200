//! The tests of the checker as its users see it.

mod it {
    mod canon;
    mod oracle;
    mod prove;
    mod soundness;
    mod typing;
}
