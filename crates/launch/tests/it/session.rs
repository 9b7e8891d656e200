//! Programs that are asked many questions.

use std::time::{Duration, Instant};

use launch::{Patience, Session, Silence};

use super::world::World;

fn patience(milliseconds: u64) -> Patience<'static> {
    Patience { deadline: Instant::now() + Duration::from_millis(milliseconds), is_over: &|| false }
}

#[test]
fn lines_go_both_ways() {
    let world = World::new();
    let mut session =
        Session::start(&world.program("while read -r it; do echo \"<$it>\"; done")).unwrap();
    for word in ["one", "two"] {
        session.send(format!("{word}\n"), &patience(20_000)).unwrap();
        assert_eq!(session.line(&patience(20_000)), Ok(format!("<{word}>")));
    }
    assert_eq!(session.line(&patience(100)), Err(Silence::TooLate));
    drop(session);
    assert_eq!(world.alive(), Vec::<String>::new());
}

/// Script, and what comes of sending it a line and of waiting for one.
#[test]
fn silence_has_a_reason() {
    let check = |script: &str, length, sent, line: Result<&str, Silence>| {
        let world = World::new();
        let mut program = world.program(script);
        program.limits.output = 100;
        let mut session = Session::start(&program).unwrap();
        assert_eq!(session.send("x".repeat(length), &patience(1000)), sent, "{script}");
        let said = session.line(&patience(1000));
        assert_eq!(said, line.map(str::to_owned), "{script}");
        drop(session);
        assert_eq!(world.alive(), Vec::<String>::new(), "{script}");
    };
    check("sleep 300", 1, Ok(()), Err(Silence::TooLate));
    check("sleep 300", 1 << 20, Err(Silence::TooLate), Err(Silence::TooLate));
    check("exec >&-; sleep 300", 1, Ok(()), Err(Silence::Ended));
    check("sleep 300 & exec cat", 1, Ok(()), Err(Silence::TooLate));
    check(r"read -r it; printf 'a\377\n'", 1, Ok(()), Err(Silence::TooLate));
    check("yes 12345678901234567890 | tr -d '\\n'", 1, Ok(()), Err(Silence::Ended));
    check("head -c 1 >/dev/null; echo last", 1, Ok(()), Ok("last"));
}

#[test]
fn nobody_waits_for_what_nobody_wants() {
    let world = World::new();
    let mut session = Session::start(&world.program("sleep 300")).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let start = Instant::now();
    let said = session.line(&Patience { deadline, is_over: &|| start.elapsed().as_millis() > 100 });
    assert_eq!(said, Err(Silence::TooLate));
    assert!(start.elapsed() < Duration::from_secs(30));
}
