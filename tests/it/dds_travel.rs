//! Proposals that travel by git: clones see, decide and close what was made in others, and nothing of it is believed that does
//! not hold.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::dds::{record, shop};
use super::support::{Ran, Scene};

/// A person with a home and a clone of their own: `ana` works in `ws`, the others in folders of their name.
pub(crate) struct Person<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) name: &'static str,
}

impl Person<'_> {
    pub(crate) fn folder(&self) -> &str {
        if self.name == "ana" { "ws" } else { self.name }
    }

    #[track_caller]
    pub(crate) fn run(&self, line: &str) -> Ran {
        let home = match self.name {
            "ana" => self.scene.path("home"),
            name => self.scene.path(&format!("home-{name}")),
        };
        let line = format!("{line} --root {}", self.folder());
        self.scene.run_with(&line, &[("HOME", home.to_str().unwrap())], "")
    }

    #[track_caller]
    pub(crate) fn report(&self, line: &str) -> Value {
        self.run(&format!("{line} --format json")).json()
    }

    #[track_caller]
    pub(crate) fn add(&self, value: &Value) -> String {
        self.scene.write("record.json", &value.to_string());
        let added = self.report("dds add record.json");
        added["id"].as_str().unwrap_or_else(|| panic!("{added:#}")).to_owned()
    }

    #[track_caller]
    pub(crate) fn approve(&self, id: &str) -> Value {
        let hash = self.report(&format!("dds show {id}"))["statement_hash"].clone();
        let hash = hash.as_str().unwrap_or("none").to_owned();
        self.report(&format!("dds approve {id} --key {} --expect {hash}", self.name))
    }

    #[track_caller]
    pub(crate) fn status(&self, id: &str) -> String {
        self.report(&format!("dds show {id}"))["record"]["status"].as_str().unwrap().to_owned()
    }

    /// What a merge of the other's work brings: nobody writes a file that somebody else writes.
    pub(crate) fn pull(&self, from: &Person<'_>) {
        let (from, to) = (self.scene.path(from.folder()), self.scene.path(self.folder()));
        copy(&from, &to);
    }

    #[track_caller]
    pub(crate) fn ids(&self) -> Vec<(String, String)> {
        let listed = self.report("dds list");
        let of = |it: &Value| {
            let text = |name: &str| it["record"][name].as_str().unwrap().to_owned();
            (text("id"), text("goal"))
        };
        let mut ids: Vec<_> = listed["records"].as_array().unwrap().iter().map(of).collect();
        ids.sort();
        ids
    }

    #[track_caller]
    pub(crate) fn is_whole(&self) {
        assert_eq!(self.report("dds verify")["problems"], json!([]), "{}", self.name);
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Ana's shop with an identity, and a clone of it that trusts what is there.
pub(crate) fn two(scene: &Scene) -> (Person<'_>, Person<'_>) {
    let ana = Person { scene, name: "ana" };
    let ben = Person { scene, name: "ben" };
    // `ben` is also the name of a key; his clone lies beside it.
    let first = ana.add(&goal("The first"));
    fs::rename(scene.path("ben"), scene.path("ben.key")).unwrap();
    fs::create_dir(scene.path("ben")).unwrap();
    ben.pull(&ana);
    fs::rename(scene.path("ben.key"), scene.path("ben/key")).unwrap();
    assert_eq!(ben.run("trust --yes").code, 0);
    assert_eq!(ben.status(&first), "proposed");
    (ana, ben)
}

pub(crate) fn goal(goal: &str) -> Value {
    let mut value = record("good", &["src/"]);
    value["goal"] = json!(goal);
    value
}

impl Person<'_> {
    #[track_caller]
    pub(crate) fn approve_with(&self, id: &str, key: &str) -> Value {
        let hash = self.report(&format!("dds show {id}"))["statement_hash"].clone();
        let hash = hash.as_str().unwrap_or("none").to_owned();
        self.report(&format!("dds approve {id} --key {key} --expect {hash}"))
    }
}

#[test]
fn what_was_carried_out_in_one_clone_is_closed_in_the_other() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let id = ana.ids()[0].0.clone();
    assert_eq!(ben.report(&format!("dds comment {id} fine"))["ok"], json!(true));
    assert_eq!(ben.approve_with(&id, "ben/key")["status"], "approved");
    ana.pull(&ben);
    let news = ana.report("dds list");
    let what: Vec<&str> =
        news["taken"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert_eq!(what, ["ben@example.org approved", "somebody commented"], "{news:#}");
    let ran = ana.report("dds run");
    assert_eq!(ran["reports"][0]["status"], "success", "{ran:#}");
    assert_eq!(
        ran["reports"][0]["files_changed"],
        json!([{ "path": "src/a.py", "change": "modify" }]),
        "the receipt counts for nothing"
    );
    ben.pull(&ana);
    assert_eq!(ben.status(&id), "executed");
    assert_eq!(ben.report("dds run")["reports"], json!([]));
    ana.is_whole();
    ben.is_whole();
    // Taking it back takes the receipt back, in the same transaction.
    assert_eq!(ana.run("undo").code, 0);
    let receipts = fs::read_dir(scene.path("ws/.regreen/receipts"));
    assert_eq!(receipts.map_or(0, Iterator::count), 0);
}

/// the other is kept under a new name, and all clones come to the same.
#[test]
fn two_records_of_one_name_both_stay() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let (hers, his) = (ana.add(&goal("Hers")), ben.add(&goal("His")));
    assert_eq!(hers, his);
    ben.approve_with(&his, "ben/key");
    ana.pull(&ben);
    ben.pull(&ana);
    // His has an approval that holds, so it keeps the name; whoever made the other gives it a new one.
    let found = ana.ids();
    ben.pull(&ana);
    for name in fs::read_dir(scene.path("ben/.regreen/proposals")).unwrap() {
        let name = name.unwrap().file_name();
        if !scene.path("ws/.regreen/proposals").join(&name).exists() {
            fs::remove_file(scene.path("ben/.regreen/proposals").join(name)).unwrap();
        }
    }
    assert_eq!(found, ben.ids());
    let goals: Vec<&str> = found.iter().map(|it| it.1.as_str()).collect();
    assert_eq!(goals, ["The first", "His", "Hers"]);
    assert_eq!(found[1].0, his);
    assert_eq!((ana.status(&his), ana.status(&found[2].0)), ("approved".into(), "proposed".into()));
    ana.is_whole();
    ben.is_whole();
}

/// DF-31, X-44.
#[test]
fn of_two_corrections_of_one_failure_one_is_rejected() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let mut bad = goal("Bad");
    bad["tool"] = json!("bad");
    let id = ana.add(&bad);
    ana.approve(&id);
    assert_eq!(ana.report("dds run")["reports"][0]["status"], "failed");
    ben.pull(&ana);
    assert_eq!(ben.status(&id), "failed", "the receipt says so");
    for clone in [&ana, &ben] {
        assert!(clone.report("dds worker")["proposed"].is_string());
    }
    ana.pull(&ben);
    ben.pull(&ana);
    for clone in [&ana, &ben] {
        let listed = clone.report("dds list");
        let of = |status: &str| {
            let is = |it: &&Value| {
                it["record"]["type"] == "code_fix" && it["record"]["status"] == status
            };
            listed["records"].as_array().unwrap().iter().filter(is).count()
        };
        assert_eq!(of("proposed"), 1, "{}: {listed:#}", clone.name);
        assert_eq!(clone.report("dds worker")["proposed"], Value::Null);
    }
}

/// the status stays; what was taken back does not come back.
#[test]
fn a_yes_that_was_taken_back_does_not_count() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let id = ana.ids()[0].0.clone();
    assert_eq!(ana.approve(&id)["status"], "approved");
    let file = super::dds::approval_file(&scene, &id);
    let kept = scene.read(&file);
    assert_eq!(ana.run(&format!("dds withdraw {id} --reason hm")).code, 2, "nobody is there");
    let eve = ana.report(&format!("dds withdraw {id} --reason hm --key eve"));
    assert_eq!(eve["ok"], json!(false), "it is not hers");
    let withdrawn = ana.report(&format!("dds withdraw {id} --reason hm --key ana"));
    assert_eq!((&withdrawn["ok"], &withdrawn["status"]), (&json!(true), &json!("approved")));
    let refused = |clone: &Person<'_>| {
        let ran = clone.report("dds run");
        assert_eq!(ran["reports"][0]["status"], "refused", "{ran:#}");
        assert_eq!(clone.status(&id), "approved");
        ran["reports"][0]["error_message"].as_str().unwrap().to_owned()
    };
    assert!(refused(&ana).contains("withdrawn"));
    // The old file comes back by a pull.
    scene.write(&file, &kept);
    assert!(refused(&ana).contains("withdrawn"));
    // Somebody else's yes counts, and so does a new one of hers.
    assert_eq!(ana.approve(&id)["ok"], json!(true));
    let ran = ana.report("dds run");
    assert_eq!(ran["reports"][0]["status"], "success", "{ran:#}");
    ben.pull(&ana);
    assert_eq!(ben.status(&id), "executed");
}

#[test]
fn what_is_approved_can_still_be_rejected() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let id = ana.ids()[0].0.clone();
    ana.approve(&id);
    ben.pull(&ana);
    let said = ben.report(&format!("dds reject {id} --reason no --key ben/key"));
    assert_eq!((&said["ok"], &said["status"]), (&json!(true), &json!("rejected")), "{said:#}");
    ana.pull(&ben);
    assert_eq!(ana.status(&id), "rejected");
    assert_eq!(ana.report("dds run")["reports"], json!([]));
    ana.is_whole();
}

/// What a stranger puts among the files is named, and nothing comes of it.
#[test]
fn a_file_that_does_not_hold_is_named_and_never_acted_on() {
    let scene = shop();
    let (ana, ben) = two(&scene);
    let id = ana.ids()[0].0.clone();
    let proposals = "ben/.regreen/proposals";
    let name = |folder: &str| {
        let mut names = fs::read_dir(scene.path(folder)).unwrap();
        names.next().unwrap().unwrap().file_name().into_string().unwrap()
    };
    let text = scene.read(&format!("{proposals}/{}", name(proposals)));
    // Another goal under the old hash, another repository, another status, no JSON at all.
    for (from, to) in
        [("The first", "Evil"), ("\"nonce\": \"", "\"nonce\": \"0"), ("proposed", "approved")]
    {
        scene
            .write(&format!("{proposals}/{id}.0000000000000000.json"), &text.replacen(from, to, 1));
        let listed = ben.report("dds list");
        assert_eq!(listed["records"].as_array().unwrap().len(), 1, "{listed:#}");
        assert_eq!(listed["unheld"].as_array().unwrap().len(), 1, "{listed:#}");
    }
    fs::remove_file(scene.path(&format!("{proposals}/{id}.0000000000000000.json"))).unwrap();
    // A receipt of a record that nobody approved closes nothing.
    ana.approve(&id);
    ana.report("dds run");
    let receipts = "ws/.regreen/receipts";
    let receipt = name(receipts);
    scene.write(
        &format!("ben/.regreen/receipts/{receipt}"),
        &scene.read(&format!("{receipts}/{receipt}")),
    );
    let shown = ben.report(&format!("dds show {id}"));
    assert_eq!(shown["record"]["status"], "proposed");
    assert!(
        shown["unheld"][0]["message"].as_str().unwrap().contains("does not have the approval"),
        "{shown:#}"
    );
    // An approval by somebody else under her name, and one whose words were changed.
    let approvals = format!("ws/.regreen/approvals/{id}");
    let hers = name(&approvals);
    let document = scene.read(&format!("{approvals}/{hers}"));
    for (from, to) in [
        ("ana@example.org", "ben@example.org"),
        ("The first", "The worst"),
        ("SSH SIG", "SSH SIH"),
        ("\"dds\"", "\"ddt\""),
    ] {
        scene
            .write(&format!("ben/.regreen/approvals/{id}/{hers}"), &document.replacen(from, to, 1));
        let shown = ben.report(&format!("dds show {id}"));
        assert_eq!(shown["record"]["status"], "proposed", "{from}: {shown:#}");
    }
    // With the real one the receipt counts.
    ben.pull(&ana);
    assert_eq!(ben.status(&id), "executed");
    ben.is_whole();
    // A folder that is a link leads nowhere.
    fs::remove_dir_all(scene.path("ben/.regreen/proposals")).unwrap();
    std::os::unix::fs::symlink(
        scene.path("ws/.regreen/proposals"),
        scene.path("ben/.regreen/proposals"),
    )
    .unwrap();
    assert_eq!(ben.run("dds list").code, 0);
}

/// owners decide about their paths, and a second key is asked for where there is somebody to give it.
#[test]
fn the_approval_that_completes_the_quorum_approves() {
    let scene = shop();
    let owners = "[[govern.owners]]\npaths = [\"src/**\"]\nkeys = [\"ana@example.org\", \"ben@example.org\"]\napprovals = 2\n";
    scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + owners));
    scene.trust();
    let (ana, ben) = two(&scene);
    let id = ana.ids()[0].0.clone();
    let first = ana.approve(&id);
    assert_eq!((&first["ok"], &first["status"]), (&json!(false), &json!("proposed")));
    assert!(first["problem"].as_str().unwrap().contains("needs 2 approvals"), "{first:#}");
    assert_eq!(ana.approve(&id)["status"], "proposed", "nobody counts twice");
    assert_eq!(ana.report("dds run")["reports"], json!([]));
    ben.pull(&ana);
    assert_eq!(ben.approve_with(&id, "ben/key")["status"], "approved");
    // The quorum is not there any more once one of them takes it back.
    assert_eq!(
        ben.report(&format!("dds withdraw {id} --reason x --key ben/key"))["ok"],
        json!(true)
    );
    assert_eq!(ben.report("dds run")["reports"][0]["status"], "refused");
    assert_eq!(ben.approve_with(&id, "ben/key")["status"], "approved");
    assert_eq!(ben.report("dds run")["reports"][0]["status"], "success");
    // A pull that takes the rule away takes nothing away before the user trusts it.
    let other = ana.add(&goal("Other"));
    let config = scene.read("ws/regreen.toml");
    scene.write("ws/regreen.toml", &config.replace(owners, "[govern]\napproval_days = 3\n"));
    let distrusted = ana.approve(&other);
    assert_eq!(distrusted["status"], "proposed", "{distrusted:#}");
}

#[test]
fn a_second_key_is_asked_for_where_two_people_are_listed() {
    let scene = shop();
    let ana = Person { scene: &scene, name: "ana" };
    let signers = scene.read("ws/allowed_signers");
    let id = ana.add(&record("ci", &[".github/workflows/ci.yml"]));
    assert_eq!(ana.approve(&id)["status"], "proposed");
    // Somebody takes the other one out; who trusted both is still asked for both.
    scene.write("ws/allowed_signers", signers.lines().next().unwrap());
    assert_eq!(ana.approve(&id)["status"], "proposed");
    scene.trust();
    assert_eq!(ana.approve(&id)["status"], "approved", "there is nobody else");
}

/// Runs git for somebody, in a folder of the scene.
#[track_caller]
fn git(scene: &Scene, folder: &str, line: &str) {
    let mut git = std::process::Command::new("git");
    git.current_dir(scene.path(folder)).env("HOME", scene.path("home-of-git"));
    git.env("GIT_CONFIG_NOSYSTEM", "1").args([
        "-c",
        "user.name=x",
        "-c",
        "user.email=x@example.org",
    ]);
    let ran = git.args(line.split(' ')).output().unwrap();
    let said = [ran.stdout, ran.stderr].concat();
    assert!(ran.status.success(), "{folder}: git {line}: {}", String::from_utf8_lossy(&said));
}

/// Everything that somebody did is committed, merged with what others pushed, and pushed.
#[track_caller]
fn share(person: &Person<'_>, clones: &[&Person<'_>]) {
    let scene = person.scene;
    git(scene, person.folder(), "add -A src .regreen regreen.toml allowed_signers");
    git(scene, person.folder(), "commit -q --allow-empty -m work");
    git(scene, person.folder(), "pull -q --no-rebase --no-edit origin main");
    git(scene, person.folder(), "push -q origin HEAD:main");
    for clone in clones {
        git(scene, clone.folder(), "pull -q --no-rebase --no-edit origin main");
    }
}

/// A bare repository and three clones: everybody proposes, comments and decides at the same time, and every merge is clean.
#[test]
fn three_clones_of_a_bare_repository_decide_together() {
    let scene = shop();
    let owners = "[[govern.owners]]\npaths = [\"src/**\"]\napprovals = 2\n";
    let tool = "[tools.b]\ncommand = [\"sh\", \"-c\", \"echo y > src/b.py\"]\n";
    scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + tool + owners));
    let eve = scene.run("dds init-signing --key eve.pub --as eve@example.org");
    assert_eq!(eve.code, 0, "{}", eve.text());
    git(&scene, "ws", "init -q -b main");
    scene.trust();
    let people = ["ana", "ben", "eve"].map(|name| Person { scene: &scene, name });
    let [ana, ben, eve] = &people;
    let first = ana.add(&goal("The first"));
    // The remote comes after the first proposal: it is the same place all the same.
    git(&scene, ".", "init -q --bare -b main shop.git");
    git(&scene, "ws", "remote add origin ../shop.git");
    git(&scene, "ws", "add -A");
    git(&scene, "ws", "commit -q -m start");
    git(&scene, "ws", "push -q origin main");
    for person in [ben, eve] {
        let key = scene.path(person.name);
        fs::rename(&key, key.with_extension("key")).unwrap();
        git(&scene, ".", &format!("clone -q shop.git {}", person.name));
        fs::rename(key.with_extension("key"), key.join("key")).unwrap();
        assert_eq!(person.run("trust --yes").code, 0);
    }
    // Two propose under one name; whoever has to give it up does so with the next look.
    let mut other = record("b", &["src/b.py"]);
    other["goal"] = json!("The other");
    assert_eq!(ben.add(&goal("The second")), eve.add(&other));
    share(ben, &[]);
    share(eve, &[ana, ben]);
    for person in [ben, eve] {
        person.report("dds list");
        share(person, &[ana, ben, eve]);
    }
    let all = ana.ids();
    assert_eq!(all.len(), 3, "{all:?}");
    for person in [ben, eve] {
        assert_eq!(person.ids(), all, "{}", person.name);
    }
    let other = all.iter().find(|it| it.1 == "The other").unwrap().0.clone();
    // Everybody says something at once.
    assert_eq!(ana.approve(&other)["status"], "proposed");
    assert_eq!(ben.approve_with(&other, "ben/key")["status"], "proposed");
    assert_eq!(eve.report(&format!("dds comment {other} fine"))["ok"], json!(true));
    assert_eq!(
        eve.report(&format!("dds reject {first} --reason no --key eve/key"))["ok"],
        json!(true)
    );
    for person in &people {
        share(person, &[]);
    }
    for person in &people {
        share(person, &[]);
        let shown = person.report(&format!("dds show {other}"));
        assert_eq!(shown["record"]["status"], "approved", "{}: {shown:#}", person.name);
        assert_eq!(person.status(&first), "rejected", "{}", person.name);
    }
    let ran = eve.report("dds run");
    assert_eq!(ran["reports"][0]["status"], "success", "{ran:#}");
    share(eve, &[ana, ben]);
    for person in &people {
        assert_eq!(person.status(&other), "executed", "{}", person.name);
        assert_eq!(person.report("dds run")["reports"], json!([]), "{}", person.name);
        assert_eq!(scene.read(&format!("{}/src/b.py", person.folder())), "y\n");
        person.is_whole();
    }
}
