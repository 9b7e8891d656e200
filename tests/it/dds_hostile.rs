//! `dds run` with a tool that attacks the machine, and with links where copies of the workspace are made.

use std::fs;
use std::os::unix::fs::symlink;

use super::dds::{add, approve, record, report, shop, status};
use super::support::Scene;

/// Commands that must fail, each of them harmless should it succeed: files of the machine are opened and closed,
/// and what would be written lies in the scene. `ROOT` is the scene, `CALLER` this test.
const ROWS: &[&str] = &[
    ": >> /proc/sys/kernel/hostname",
    ": >> /proc/sys/kernel/core_pattern",
    ": >> /proc/sys/vm/drop_caches",
    ": >> /proc/sysrq-trigger",
    ": >> /proc/irq/default_smp_affinity",
    ": >> /proc/self/comm",
    ": >> /proc/CALLER/oom_score_adj",
    ": >> /sys/kernel/mm/transparent_hugepage/enabled",
    ": >> /sys/fs/cgroup/cgroup.procs",
    ": >> /dev/kmsg",
    ": < /dev/vda",
    ": < /dev/sda",
    ": < /dev/mem",
    ": < /dev/tty",
    ": < /proc/kcore",
    "cat /proc/1/root/ROOT/secret",
    "cat ROOT/secret",
    "cat ROOT/ws/regreen.toml",
    "grep -q CapEff.*[1-9a-f] /proc/self/status",
    "unshare --user true",
    "unshare --map-root-user --mount true",
    "unshare --mount true",
    "nsenter --target CALLER --mount true",
    "chroot / true",
    "mount --bind src src",
    "umount /proc",
    "mknod src/null c 1 3",
    "mknod src/disk b 254 0",
    "chmod 4755 src/a.py",
    "chmod 2755 src/a.py",
    "chown 12345 src/a.py",
    "setpriv --reuid 12345 true",
    "sudo -n true",
    "dmesg",
];

/// Commands that may seem to succeed where `/tmp` is the tool's own, and must have no effect.
const WITHOUT_EFFECT: &[&str] = &[
    "echo x >> ROOT/secret",
    "echo x > ROOT/ws/planted",
    "echo x > ../planted",
    "echo x > ../../planted",
    "ln -s x ../../run-2",
    "mv ../../* ..",
    "rm ROOT/secret",
    "rm -rf ROOT/ws/src ROOT/precious",
];

#[test]
fn a_tool_that_attacks_the_machine_gets_nowhere() {
    let scene = shop();
    scene.write("secret", "secret\n");
    let root = scene.path("").canonicalize().unwrap();
    let (root, caller) = (root.display().to_string(), std::process::id().to_string());
    let mut script = String::from("PATH=$PATH:/usr/sbin:/sbin\n");
    let filled =
        |row: &str| row.replace("ROOT", root.trim_end_matches('/')).replace("CALLER", &caller);
    for row in ROWS.iter().map(|row| filled(row)) {
        script += &format!(
            "if ({row}) </dev/null >/dev/null 2>&1; then echo '# did it: {row}' >> src/a.py; fi\n"
        );
    }
    for row in WITHOUT_EFFECT.iter().map(|row| filled(row)) {
        script += &format!("({row}) </dev/null >/dev/null 2>&1\n");
    }
    script += "echo '# tried' >> src/a.py\n";
    scene.write("ws/attack.sh", &script);
    let config = "[tools.hostile]\ncommand = [\"sh\", \"attack.sh\"]\n";
    scene.write("ws/regreen.toml", &(scene.read("ws/regreen.toml") + config));
    let id = add(&scene, &record("hostile", &["src/"]));
    approve(&scene, &id, "ana");
    let ran = report(&scene, "dds run --trust");
    assert_eq!(status(&scene, &id), "executed", "{ran:#}");
    assert_eq!(scene.read("ws/src/a.py"), "x = 1\n# tried\n");
    assert_eq!(scene.read("secret"), "secret\n");
    assert!(!scene.path("ws/planted").exists());
    let left = fs::read_dir(scene.runs()).unwrap().count();
    assert_eq!(left, 0, "nothing was planted beside the copy");
}

/// A scene with an approved record, and a folder with what must stay.
fn with_precious() -> (Scene, String) {
    let scene = shop();
    let id = add(&scene, &record("good", &["src/"]));
    approve(&scene, &id, "ana");
    for folder in ["run-1", "run-2", "tree", id.as_str()] {
        scene.write(&format!("precious/{folder}/file"), "x");
    }
    (scene, id)
}

#[track_caller]
fn assert_precious(scene: &Scene, id: &str) {
    let mut left: Vec<String> = fs::read_dir(scene.path("precious"))
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    left.sort();
    assert_eq!(left, [id, "run-1", "run-2", "tree"]);
    for folder in &left {
        assert_eq!(scene.read(&format!("precious/{folder}/file")), "x", "{folder}");
    }
}

/// A link in place of the folder of runs, of one run, or within it.
#[test]
fn no_link_in_place_of_a_copy_is_followed() {
    for place in
        ["runs", "runs/run-1", "runs/run-1/tree", "runs/run-1/tree/src", "runs/ID", "runs/ID/tree"]
    {
        for target in ["precious", "precious/run-1"] {
            let (scene, id) = with_precious();
            let inner = place.strip_prefix("runs").unwrap().replace("ID", &id);
            let link = match inner.strip_prefix('/') {
                Some(inner) => scene.runs().join(inner),
                None => scene.runs(),
            };
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(scene.path(target), &link).unwrap();
            let ran = scene.run("dds run --format json");
            assert_precious(&scene, &id);
            if place == "runs" {
                // There is no place for a copy, and so for no run.
                assert_eq!(ran.code, 3, "{place}: {}", ran.text());
                assert_eq!(status(&scene, &id), "approved");
                continue;
            }
            assert!([0, 1].contains(&ran.code), "{place}: {}", ran.text());
            // Either it was carried out in a place of its own, or the link is named and nothing was written.
            match status(&scene, &id).as_str() {
                "executed" => assert_ne!(scene.read("ws/src/a.py"), "x = 1\n", "{place}"),
                "approved" => {
                    assert_eq!(scene.read("ws/src/a.py"), "x = 1\n", "{place}");
                    assert!(
                        ran.text().contains("it is a link or a file; remove it"),
                        "{}",
                        ran.text()
                    );
                }
                other => panic!("{place}: it is {other}"),
            }
        }
    }
}
