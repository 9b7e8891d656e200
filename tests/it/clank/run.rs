//! `run`: standard output is the program's alone, and the exit code is the program's (row 32).

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{CLEAN, RED, crooked, run, scene_of};
use crate::support::Scene;

#[track_caller]
fn check(program: &str, code: i32, stdout: &str, stderr: &str) {
    let ran = run(program);
    assert_eq!((ran.code, ran.stdout.as_str()), (code, stdout), "{}", ran.text());
    assert!(ran.stderr.contains(stderr), "{stderr}: {}", ran.text());
}

#[test]
fn the_exit_code_is_the_programs() {
    check("fn main() -> IO + Unit { println(\"hello\") }\n", 0, "hello\n", "");
    check("fn main() -> IO + Unit { print(\"no line\") }\n", 0, "no line", "");
    check("fn main() -> Int { 3 }\n", 0, "", "");
    check(
        "fn main() -> IO + Unit { println(\"one\"); panic(\"two\") }\n",
        1,
        "one\n",
        "error[panic]: two",
    );
    check("fn main() -> IO + Unit { eprintln(\"to you\") }\n", 0, "", "to you\n");
}

/// Row 12: an error that reaches `main` is printed and exits 1.
#[test]
fn an_error_that_reaches_main_is_1() {
    let program = "fn fail() -> Err[Str, Int] {\n  let r: Result[Int, Str] = Err(\"broken\")\n  r?\n}\n\nfn main() -> IO + Err[Str, Unit] {\n  println(\"start\")\n  println(to_string(fail()))\n}\n";
    check(
        program,
        1,
        "start\n",
        "error[raised]: an error reached `main`: broken\n --> main.clank:3:3",
    );
}

/// Row 32: a program with errors does not start; also not one whose imports have them.
#[test]
fn a_program_with_errors_does_not_start() {
    let program = "fn main() -> IO + Unit { println(\"never\"); missing() }\n";
    check(program, 1, "", "error[clank/E1001]: ");
    check(program, 1, "", "The program was not started.");
    let scene = Scene::new(CLEAN);
    scene.write(
        "ws/geo/shapes.clank",
        &scene.read("ws/geo/shapes.clank").replace("side * side", "1"),
    );
    let ran = scene.run("run ws/main.clank");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.text());
    assert!(ran.stderr.contains(" --> geo/shapes.clank:4:"), "{}", ran.text());
}

/// A panic is shown at its Clank position, in the file as it is: not canonical, and with characters of all widths.
#[test]
fn a_panic_is_shown_where_it_is_written() {
    let program = "fn  pick( items:[Int] , at:Int )->Int {\n\n\n   let name = \"é😀\"; let _n = name;   items[ at ]\n}\nfn main() -> IO + Unit { println(to_string(pick([1], 0))); println(to_string(pick([1], 7))) }\n";
    insta::assert_snapshot!(run(program).text());
}

/// A goal that is not proved is checked where it must hold, and the panic says which one.
#[test]
fn a_goal_that_does_not_hold_is_a_panic() {
    let program = "fn half(n: Int{n % 2 == 0}) -> Int { n / 2 }\n\nfn try_half(n: Int) -> Int { half(n) }\n\nfn main() -> IO + Unit {\n  println(to_string(half(4)))\n  println(to_string(try_half(3)))\n}\n";
    insta::assert_snapshot!(run(program).text());
}

/// Row 27, 32: one that cannot hold is an error, and the program does not start.
#[test]
fn a_goal_that_cannot_hold_keeps_the_program_from_starting() {
    let program = "fn half(n: Int{n % 2 == 0}) -> Int { n / 2 }\n\nfn main() -> IO + Unit { println(to_string(half(3))) }\n";
    check(program, 1, "", "`3 % 2 == 0` is false");
    check(program, 1, "", "The program was not started.");
}

/// What is compiled is what is written: no repair but the layout is made for a run.
#[test]
fn a_run_repairs_nothing() {
    let program = "fn main() -> IO + Unit {\n  let n = 1\n  n = 2\n  println(to_string(n))\n}\n";
    check(program, 1, "", "error[clank/E2013]: ");
}

/// A recursion without an end is stopped, and told once.
#[test]
fn a_recursion_without_an_end_is_stopped() {
    let ran = run(
        "fn deep(n: Int) -> Int { 1 + deep(n + 1) }\n\nfn main() -> IO + Unit { println(to_string(deep(0))) }\n",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.text());
    assert!(ran.stderr.contains("the calls are nested too deeply"), "{}", ran.text());
    assert!(ran.stderr.contains(" times\n") && ran.stderr.lines().count() < 20, "{}", ran.text());
}

#[test]
fn time_and_memory_are_limited() {
    let scene = scene_of("fn main() -> IO + Unit {\n  println(\"on\")\n  loop { }\n}\n");
    let started = Instant::now();
    let ran = scene.run("run ws/main.clank --timeout 1");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, "on\n"), "{}", ran.text());
    assert!(
        ran.stderr.contains("stopped after 1 s; --timeout SECONDS gives it more"),
        "{}",
        ran.text()
    );
    assert!(started.elapsed() < Duration::from_secs(9));
    let scene = scene_of(
        "fn main() -> IO + Unit {\n  let mut items = [\"x\"]\n  loop { items = items ++ items }\n}\n",
    );
    let ran = scene.run("run ws/main.clank --memory 24");
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(ran.stderr.contains("more than 24 MB of memory"), "{}", ran.text());
}

#[test]
fn a_program_reads_standard_input() {
    let scene = scene_of(
        "fn main() -> IO + Unit {\n  loop {\n    match read_line() {\n      Some(line) -> println(to_upper(line)),\n      None -> { break }\n    }\n  }\n}\n",
    );
    let ran = scene.run_with("run ws/main.clank", &[], "a\nbé\n\nend");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "A\nBÉ\n\nEND\n"), "{}", ran.text());
}

/// `| head -1`: a reader that goes away is not an error.
#[test]
fn a_reader_that_goes_away_is_fine() {
    let scene = scene_of(
        "fn main() -> IO + Unit {\n  let mut n = 0\n  loop {\n    println(to_string(n))\n    n = n + 1\n  }\n}\n",
    );
    let mut command = scene.command("run ws/main.clank --timeout 60", &[]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "0\n");
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

/// Row 32: what regreen has to say goes to standard error, and `-q` leaves only what went wrong.
#[test]
fn notes_go_to_standard_error_and_quiet_leaves_them_out() {
    let scene = Scene::new(&crooked());
    let ran = scene.run("run ws/main.clank");
    assert_eq!(ran.stdout, "9.0\n");
    assert!(ran.stderr.contains("main.clank is not in canonical form"), "{}", ran.text());
    assert_eq!(scene.run("run ws/main.clank -q").text(), "9.0\n--- exit 0\n");
    let ran = scene_of("fn main() -> IO + Unit { panic(\"no\") }\n").run("run ws/main.clank -q");
    assert_eq!(ran.stderr, "main.clank:1:26: error[panic]: no\n");
}

/// Row 44: the engine that is part of regreen has no host; a message of a program cannot talk to the terminal.
#[test]
fn programs_reach_neither_the_host_nor_the_terminal() {
    let reach = "external fn read(path: Str) -> IO + Str = \"require('fs').readFileSync\"\n\nfn main() -> IO + Unit { println(read(\"main.clank\")) }\n";
    let ran = run(reach);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.text());
    let ran = run("fn main() -> IO + Unit { panic(slice(\"\u{1b}[2J\", 0, 4)) }\n");
    assert!(!ran.stderr.contains('\u{1b}'), "{}", ran.text());
}

#[test]
fn what_cannot_be_run_says_why() {
    let scene = Scene::new(RED);
    scene.write("ws/takes.clank", "fn main(n: Int) -> Int { n }\n");
    scene.write("ws/folder/a.yaml", "");
    scene.write("ws/none.clank", "fn f() -> Int { 1 }\n");
    for (line, code, said) in [
        ("run ws/nothing.clank", 2, "there is no file nothing.clank"),
        ("run ws/none.clank", 2, "it has no function `main`"),
        ("run ws/takes.clank", 2, "its `main` has parameters"),
        ("run ws", 2, "the workspace itself is not a program"),
        ("run ws/folder", 3, "folder cannot be used"),
        ("run ws/../../x.clank", 2, "outside the workspace"),
        ("run ws/light.clank --memory 0", 2, "1..=65536"),
        ("run ws/light.clank --runtime deno", 2, "possible values: embedded, node"),
        ("run ws/light.clank --output out.txt", 2, "write `> FILE`"),
        ("run", 2, "<FILE>"),
    ] {
        let ran = scene.run(line);
        assert_eq!(ran.code, code, "{line}: {}", ran.text());
        assert!(ran.stderr.contains(said), "{line}: {}", ran.text());
    }
    std::fs::write(scene.path("ws/binary.clank"), b"fn main\xff").unwrap();
    let ran = scene.run("run ws/binary.clank");
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(ran.stderr.contains("not UTF-8"), "{}", ran.text());
}

/// Row 33: without `--root` the workspace is looked for from the file; without any the current folder is it.
#[test]
fn the_workspace_is_looked_for_from_the_file() {
    let scene = Scene::new(CLEAN);
    let run_in = |folder: &str, line: &str| {
        let mut command = scene.command("-q", &[]);
        let output =
            command.args(line.split(' ')).current_dir(scene.path(folder)).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let expected = (Some(0), "9.0\n".to_owned());
    assert_eq!(run_in("", "run ws/main.clank"), expected);
    assert_eq!(run_in("ws/geo", "run ../main.clank"), expected);
    // A file in a folder beneath the one with what it imports.
    scene.write("ws/apps/app.clank", &scene.read("ws/main.clank"));
    assert_eq!(run_in("", "run ws/apps/app.clank"), expected);
    assert_eq!(run_in("ws/apps", "run app.clank"), expected);
    std::fs::remove_file(scene.path("ws/regreen.toml")).unwrap();
    assert_eq!(run_in("ws", "run apps/app.clank"), expected);
    assert_eq!(run_in("ws", "run ./main.clank"), expected);
}

/// What `build` writes runs on Node, module by module, and says the same as `run`.
#[cfg(feature = "live")]
#[test]
fn what_is_built_runs_on_node() {
    let scene = Scene::new(CLEAN);
    assert_eq!(scene.run("build --target js --source-maps --out-dir out").code, 0);
    scene.write("out/package.json", "{\"type\": \"module\"}\n");
    scene.write("out/start.js", "import { main } from \"./main.js\";\nmain();\n");
    let output =
        std::process::Command::new("node").arg(scene.path("out/start.js")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "9.0\n");
}

/// Row 44: on Node externals reach the host; the rest is as on the engine that is part of regreen.
#[cfg(feature = "live")]
#[test]
fn programs_run_on_node() {
    let path = std::env::var("PATH").unwrap();
    let on_node = |program: &str| {
        scene_of(program).run_with(
            "run ws/main.clank --runtime node",
            &[("PATH", &path)],
            "a line\n",
        )
    };
    let ran = on_node(
        "external fn pid() -> IO + Int = \"(() => process.pid)\"\n\nfn main() -> IO + Unit { println(to_string(pid() > 0)) }\n",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "true\n"), "{}", ran.text());
    let ran = on_node("fn main() -> IO + Unit { println(to_string(read_line())) }\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "Some(\"a line\")\n"), "{}", ran.text());
    let program = "fn main() -> IO + Unit {\n  println(\"é\")\n  panic(\"here\")\n}\n";
    assert_eq!(on_node(program), run(program));
}
