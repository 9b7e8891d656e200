//! Build systems start many processes with long command lines. Two ways to spare them that: `regreen @FILE` reads its
//! arguments from a file, a line each, and `regreen --persistent_worker` stays and answers requests.
//!
//! A request is a JSON object on standard input with the `arguments` of a command, a response one on standard output with
//! its exit code and what it said: the worker protocol of Bazel. Requests need no line end between them, which Bazel 4
//! does not write. Only `check` and `build` are answered, in action mode: they read what the request lists and keep nothing,
//! so that a worker says what a process would say.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use clap::Parser;
use serde_json::{Value, json};

use crate::cli::{Cli, Command};
use crate::exit::ExitStatus;
use crate::output;

/// The flag by which a build system starts a worker. It is Bazel's word.
const FLAG: &str = "--persistent_worker";

/// What a process is started with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Started {
    /// With a command; the first word is the name of the program.
    Command(Vec<OsString>),
    /// To answer requests.
    Worker,
}

/// Takes the arguments of the process apart, and reads them from the file that they name.
pub(crate) fn started(arguments: Vec<OsString>) -> Result<Started> {
    let [program, only] = &arguments[..] else { return Ok(Started::Command(arguments)) };
    if only == FLAG {
        return Ok(Started::Worker);
    }
    let Some(file) = only.to_str().and_then(|it| it.strip_prefix('@')) else {
        return Ok(Started::Command(arguments));
    };
    let text = std::fs::read_to_string(Path::new(file))
        .with_context(|| format!("cannot read the arguments in {file}"))?;
    let lines = text.lines().map(OsString::from);
    Ok(Started::Command([program.clone()].into_iter().chain(lines).collect()))
}

/// Answers requests until there are no more.
pub(crate) fn serve(
    requests: impl Read,
    mut responses: impl Write,
    answer: impl Fn(&Cli) -> ExitStatus,
) -> Result<()> {
    for request in serde_json::Deserializer::from_reader(requests).into_iter::<Value>() {
        let request = request.context("expected a request of the worker protocol in JSON")?;
        let (exit, said) = output::captured(|| respond(&request, &answer));
        let response = json!({
            "exitCode": exit.code(),
            "output": said,
            "requestId": request["requestId"].as_i64().unwrap_or(0),
        });
        writeln!(responses, "{response}").context("cannot write a response")?;
        responses.flush().context("cannot write a response")?;
    }
    Ok(())
}

fn respond(request: &Value, answer: &impl Fn(&Cli) -> ExitStatus) -> ExitStatus {
    let arguments = request["arguments"].as_array().into_iter().flatten();
    let words = ["regreen"].into_iter().chain(arguments.filter_map(Value::as_str));
    let refuse = |text: &str| {
        // What cannot be said here is only missing in the response; the exit code says it.
        let _ = output::note(text, crate::cli::Color::Never);
        ExitStatus::Usage
    };
    match Cli::try_parse_from(words) {
        Err(error) => refuse(&error.to_string()),
        Ok(cli) if !matches!(cli.command, Command::Check(_) | Command::Build(_)) => {
            refuse("error: a worker answers `check` and `build` only\n")
        }
        Ok(cli) if !cli.common.has_inputs() => refuse(
            "error: a request lists its inputs: add `--inputs LIST` or `--input-line LINE`\n",
        ),
        Ok(cli) => answer(&cli),
    }
}

/// Answers the requests on standard input.
pub(crate) fn run(answer: impl Fn(&Cli) -> ExitStatus) -> ExitStatus {
    match serve(io::stdin().lock(), io::stdout().lock(), answer) {
        Ok(()) => ExitStatus::Clean,
        Err(error) => {
            let _ = output::note(&format!("error: {error:#}\n"), crate::cli::Color::Never);
            ExitStatus::Failed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(requests: &str, expected: &[&str]) {
        let mut responses = Vec::new();
        let answer = |cli: &Cli| {
            let _ =
                output::note(&format!("{:?}\n", cli.common.input_line), crate::cli::Color::Never);
            ExitStatus::Findings
        };
        let served = serve(requests.as_bytes(), &mut responses, answer);
        let text = String::from_utf8(responses).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if let Err(error) = served {
            lines.push(error.to_string());
        }
        assert_eq!(lines, expected);
    }

    #[test]
    fn requests_follow_one_another_with_and_without_line_ends() {
        let request =
            r#"{"arguments":["check","--input-line=a"],"inputs":[{"path":"a","digest":"x"}]}"#;
        let response = r#"{"exitCode":1,"output":"[\"a\"]\n","requestId":0}"#;
        check(&format!("{request}{request}\n{request} "), &[response; 3]);
        check("", &[]);
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let unlisted = r#"{"arguments":["check"],"requestId":7}"#;
        check(
            unlisted,
            &[
                r#"{"exitCode":2,"output":"error: a request lists its inputs: add `--inputs LIST` or `--input-line LINE`\n","requestId":7}"#,
            ],
        );
        check(
            r#"{"arguments":["fix","--input-line=a"]}"#,
            &[
                r#"{"exitCode":2,"output":"error: a worker answers `check` and `build` only\n","requestId":0}"#,
            ],
        );
        check("{]", &["expected a request of the worker protocol in JSON"]);
    }

    #[test]
    fn arguments_are_read_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("args");
        std::fs::write(&file, "check\n--input-line=a b\tc\n").unwrap();
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let at = format!("@{}", file.display());
        let expected = Started::Command(words(&["regreen", "check", "--input-line=a b\tc"]));
        assert_eq!(started(words(&["regreen", &at])).unwrap(), expected);
        assert_eq!(started(words(&["regreen", FLAG])).unwrap(), Started::Worker);
        let plain = words(&["regreen", "check", "@x"]);
        assert_eq!(started(plain.clone()).unwrap(), Started::Command(plain));
        assert!(started(words(&["regreen", "@/does/not/exist"])).is_err());
    }
}
