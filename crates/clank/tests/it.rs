//! The tests of the compiler as its users see it.

mod it {
    mod canon;
    mod cases;
    mod differential;
    mod golden;
    mod idioms;
    mod oracle;
    mod prove;
    mod repair;
    mod run;
    mod soundness;
    mod typing;
}
