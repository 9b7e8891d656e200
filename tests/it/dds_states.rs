//! Every state that a proposal can be in, with quorum, plan, withdrawal, expiry and voided approvals in it, and everything that
//! can be done to it: what is said, what it is then, and what runs (X-42, X-70, X-74, X-111).

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::dds::{record, shop};
use super::support::{Ran, Scene};

/// A clock that is some days ahead, for a process that was started with `LATER_DAYS`.
const LATER: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t id, struct timespec *at) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, at);
    const char *days = getenv("LATER_DAYS");
    if (days && id == CLOCK_REALTIME) at->tv_sec += atol(days) * 24 * 60 * 60;
    return result;
}
"#;

/// A shop in which two of three must approve, at a time that can be moved.
struct Quorum {
    scene: Scene,
    id: String,
    later: PathBuf,
    days: &'static str,
}

impl Quorum {
    fn new() -> Quorum {
        let scene = shop();
        let more = "[tools.fails]\ncommand = [\"sh\", \"-c\", \"exit 1\"]\n\
                    [[govern.owners]]\npaths = [\"src/**\"]\napprovals = 2\n";
        scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + more));
        let eve = scene.run("dds init-signing --key eve.pub --as eve@example.org");
        assert_eq!(eve.code, 0, "{}", eve.text());
        scene.trust();
        scene.write("later.c", LATER);
        let later = scene.path("later.so");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&later).arg(scene.path("later.c"));
        assert!(compiler.arg("-ldl").status().unwrap().success(), "a C compiler is needed");
        let mut quorum = Quorum { scene, id: String::new(), later, days: "0" };
        quorum.add("good");
        quorum
    }

    fn add(&mut self, tool: &str) {
        self.scene.write("record.json", &record(tool, &["src/"]).to_string());
        let added = self.run("dds add record.json --format json").json();
        self.id = added["id"].as_str().unwrap().to_owned();
    }

    fn run(&self, line: &str) -> Ran {
        let later = self.later.to_str().unwrap();
        let variables: &[(&str, &str)] = match self.days {
            "0" => &[],
            days => &[("LD_PRELOAD", later), ("LATER_DAYS", days)],
        };
        self.scene.run_with(&line.replace("ID", &self.id), variables, "")
    }

    fn shown(&self) -> Value {
        self.run("dds show ID --format json").json()
    }

    /// Does something, and says how that ended, what the proposal is then, and whether it would run.
    fn does(&self, event: &str) -> String {
        let hash = || {
            let shown = self.shown();
            shown["statement_hash"].as_str().unwrap_or("sha256:none").to_owned()
        };
        let line = match event.split_once(' ') {
            Some(("approve", who)) => format!("dds approve ID --key {who} --expect {}", hash()),
            Some((no, who)) => format!("dds {no} ID --reason no --key {who}"),
            None if event == "comment" => "dds comment ID hm".to_owned(),
            None if event == "plan" => "dds plan ID".to_owned(),
            None => format!("dds {event}"),
        };
        let ran = self.run(&line);
        let shown = self.shown();
        let holds = match &shown["approval"]["holds"] {
            Value::Bool(true) => ", holds",
            _ => "",
        };
        let status = shown["record"]["status"].as_str().unwrap_or("nothing");
        let is_written = self.scene.read("ws/src/a.py") == "x = 2\n";
        let written = if is_written { ", written" } else { "" };
        format!("{}: {status}{holds}{written}", ran.code)
    }

    #[track_caller]
    fn must(&self, events: &[&str]) {
        for event in events {
            let said = self.does(event);
            assert!(!said.starts_with(['2', '3']), "{event}: {said}");
        }
    }
}

/// Brings a fresh proposal into that state.
fn state(name: &str) -> Quorum {
    let mut quorum = Quorum::new();
    let both: &[&str] = &["approve ana", "approve ben"];
    match name {
        "proposed" => {}
        "signed by one" => quorum.must(&["approve ana"]),
        "planned" => quorum.must(&["plan"]),
        "signed, then planned" => quorum.must(&["approve ana", "plan"]),
        "approved" => quorum.must(both),
        "approved as planned" => quorum.must(&["plan", "approve ana", "approve ben"]),
        "withdrawn" => quorum.must(&["approve ana", "approve ben", "withdraw ben"]),
        "expired" => {
            quorum.must(both);
            quorum.days = "32";
        }
        "voided" => {
            quorum.must(both);
            let config = quorum.scene.read("ws/regreen.toml");
            let config = config.replacen("[tools.good]", "[tools.good]\ntimeout = 9", 1);
            quorum.scene.write("ws/regreen.toml", &config);
            quorum.scene.trust();
        }
        "rejected" => quorum.must(&["reject eve"]),
        "executed" => quorum.must(&["approve ana", "approve ben", "run"]),
        "failed" => {
            quorum.add("fails");
            quorum.must(&["approve ana", "approve ben", "run"]);
        }
        other => panic!("{other}"),
    }
    quorum
}

const EVENTS: [&str; 8] = [
    "approve ana",
    "approve eve",
    "withdraw ana",
    "reject ben",
    "comment",
    "plan",
    "run",
    "worker",
];

/// A state, and what comes of each event in it, in their order.
type StateRow = (&'static str, [&'static str; EVENTS.len()]);

const TABLE: &[StateRow] = &[
    (
        "proposed",
        [
            "1: proposed",
            "1: proposed",
            "1: proposed",
            "0: rejected",
            "0: proposed",
            "0: proposed",
            "0: proposed",
            "0: proposed",
        ],
    ),
    // One signature is kept and does not suffice; a second one of the same person does not either.
    (
        "signed by one",
        [
            "1: proposed",
            "0: approved, holds",
            "0: proposed",
            "0: rejected",
            "0: proposed",
            "0: proposed",
            "0: proposed",
            "0: proposed",
        ],
    ),
    (
        "planned",
        [
            "1: proposed",
            "1: proposed",
            "1: proposed",
            "0: rejected",
            "0: proposed",
            "0: proposed",
            "0: proposed",
            "0: proposed",
        ],
    ),
    // What was signed was something else, so it counts for nothing beside a new signature.
    (
        "signed, then planned",
        [
            "1: proposed",
            "1: proposed",
            "0: proposed",
            "0: rejected",
            "0: proposed",
            "0: proposed",
            "0: proposed",
            "0: proposed",
        ],
    ),
    (
        "approved",
        [
            "0: approved, holds",
            "0: approved, holds",
            "0: approved",
            "0: rejected",
            "0: approved, holds",
            "1: approved, holds",
            "0: executed, holds, written",
            "0: approved, holds",
        ],
    ),
    (
        "approved as planned",
        [
            "0: approved, holds",
            "0: approved, holds",
            "0: approved",
            "0: rejected",
            "0: approved, holds",
            "1: approved, holds",
            "0: executed, holds, written",
            "0: approved, holds",
        ],
    ),
    // The quorum is broken, the status stays; somebody else completes it again.
    (
        "withdrawn",
        [
            "1: approved",
            "0: approved, holds",
            "0: approved",
            "0: rejected",
            "0: approved",
            "1: approved",
            "1: approved",
            "0: approved",
        ],
    ),
    (
        "expired",
        [
            "1: approved",
            "1: approved",
            "0: approved",
            "0: rejected",
            "0: approved",
            "1: approved",
            "1: approved",
            "0: approved",
        ],
    ),
    (
        "voided",
        [
            "1: approved",
            "1: approved",
            "0: approved",
            "0: rejected",
            "0: approved",
            "1: approved",
            "1: approved",
            "0: approved",
        ],
    ),
    (
        "rejected",
        [
            "1: rejected",
            "1: rejected",
            "1: rejected",
            "1: rejected",
            "0: rejected",
            "1: rejected",
            "0: rejected",
            "0: rejected",
        ],
    ),
    (
        "executed",
        [
            "1: executed, holds, written",
            "1: executed, holds, written",
            "1: executed, holds, written",
            "1: executed, holds, written",
            "0: executed, holds, written",
            "1: executed, holds, written",
            "0: executed, holds, written",
            "0: executed, holds, written",
        ],
    ),
    (
        "failed",
        [
            "1: failed, holds",
            "1: failed, holds",
            "1: failed, holds",
            "1: failed, holds",
            "0: failed, holds",
            "1: failed, holds",
            "0: failed, holds",
            "0: failed, holds",
        ],
    ),
];

/// Copies folders with their modes.
fn copy_all(scene: &Scene, folders: [&str; 2], to: &str) {
    fs::create_dir_all(scene.path(to)).unwrap();
    let mut copy = Command::new("cp");
    copy.arg("-a").args(folders.map(|it| scene.path(it))).arg(scene.path(to));
    assert!(copy.status().unwrap().success());
}

/// Makes a folder what it was. The folder itself stays: another one in its place would not be believed.
fn bring_back(kept: &Path, folder: &Path) {
    let names = |folder: &Path| -> Vec<OsString> {
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name()).collect()
    };
    for name in names(folder) {
        let (was, now) = (kept.join(&name), folder.join(&name));
        match (was.exists(), now.is_dir()) {
            (true, _) => {}
            (false, true) => fs::remove_dir_all(now).unwrap(),
            (false, false) => fs::remove_file(now).unwrap(),
        }
    }
    for name in names(kept) {
        let (was, now) = (kept.join(&name), folder.join(&name));
        match (was.is_dir(), now.exists()) {
            (true, true) => bring_back(&was, &now),
            (false, true) => fs::write(now, fs::read(was).unwrap()).unwrap(),
            (_, false) => {
                let mut copy = Command::new("cp");
                assert!(copy.arg("-a").arg(was).arg(now).status().unwrap().success());
            }
        }
    }
}

#[test]
fn every_state_and_everything_that_can_be_done_to_it() {
    let mut wrong = Vec::new();
    for (name, expected) in TABLE {
        let quorum = state(name);
        let scene = &quorum.scene;
        copy_all(scene, ["ws", "home"], "kept");
        for (event, expected) in EVENTS.iter().zip(expected) {
            let found = quorum.does(event);
            if found != *expected {
                wrong.push(format!("{name} × {event}: {found}, not {expected}"));
            }
            for folder in ["ws", "home"] {
                bring_back(&scene.path("kept").join(folder), &scene.path(folder));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An approval ends, and the record stays approved and is approved anew.
#[test]
fn what_ended_runs_once_it_is_approved_anew() {
    let mut quorum = state("approved");
    quorum.days = "29";
    assert_eq!(quorum.shown()["approval"]["holds"], Value::Bool(true));
    quorum.days = "32";
    let ran = quorum.run("dds run --format json").json();
    let said = ran["reports"][0]["error_message"].as_str().unwrap();
    assert!(said.contains("the approval expired at"), "{said}");
    assert!(said.contains("approved again"), "{said}");
    quorum.must(&["approve ana"]);
    assert_eq!(quorum.does("run"), "1: approved", "one of two");
    assert_eq!(quorum.does("approve ben"), "0: approved, holds");
    assert_eq!(quorum.does("run"), "0: executed, holds, written");
}
