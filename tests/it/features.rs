//! What a binary says that was built without one of its parts: which part it is, and what to do. Nothing is accepted for
//! want of a part, and no secret is shown.

use super::support::Scene;

const PARTS: [(&str, bool); 4] = [
    ("cel", cfg!(feature = "cel")),
    ("javascript", cfg!(feature = "javascript")),
    ("postgres", cfg!(feature = "postgres")),
    ("ssh", cfg!(feature = "ssh")),
];

#[test]
fn the_long_version_names_what_is_left_out() {
    let scene = Scene::new("");
    let version = concat!("regreen ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(scene.run("-V").stdout, version);
    let left_out: Vec<&str> = PARTS.iter().filter(|it| !it.1).map(|it| it.0).collect();
    let expected = match left_out.as_slice() {
        [] => version.to_owned(),
        names => format!("{version}built without the features: {}\n", names.join(", ")),
    };
    assert_eq!(scene.run("--version").stdout, expected);
}

/// Every rule of a pack that is an expression is an error in its place; the pack does not load without it.
#[test]
#[cfg(not(feature = "cel"))]
fn an_expression_in_a_pack_is_an_error_in_its_place() {
    let scene = Scene::new(
        "\
//- ws/regreen.toml
[[pack]]
path = \"pack\"
//- ws/pack/pack.yaml
name: app
pack_version: '1'
kinds:
  - {kind: module, files: 'modules/*'}
rules:
  - {id: SEM_MIN, rule: cel, at: {in: module, at: ''}, assert: 'self.min <= self.max', about: Limits.}
  - {id: SEM_MAX, rule: cel, at: {in: module, at: ''}, when: 'has(self.max)', assert: 'self.max < 9', about: Limits.}
//- ws/modules/a.yaml
min: 1
max: 2
",
    );
    let ran = scene.run("check");
    assert_eq!(ran.code, 3, "{}", ran.text());
    for part in [
        "this regreen was built without CEL; install it with the feature `cel`",
        "/rules/0/assert",
        "/rules/1/assert",
    ] {
        assert!(ran.text().contains(part), "{part}: {}", ran.text());
    }
}

/// A rule of a pack that is built in and is an expression says in every file that it was not decided, once.
#[test]
#[cfg(not(feature = "cel"))]
fn a_rule_that_is_built_in_says_that_it_was_not_decided() {
    let workflow = "\
//- ws/.github/workflows/ci.yml
on: push
jobs:
  a: {runs-on: x, steps: [{id: s, run: a}, {id: s, run: b}]}
  b: {runs-on: x, steps: [{run: a}]}
";
    let scene = Scene::new(workflow);
    let report = scene.run("check --format json").json();
    let found: Vec<_> = report["diagnostics"].as_array().unwrap().iter().collect();
    let [one] = found.as_slice() else { panic!("{report:#}") };
    assert_eq!(
        (&one["rule_id"], &one["severity"]),
        (&"SEM_STEP_ID_UNIQUE".into(), &"warning".into())
    );
    let message = one["message"].as_str().unwrap();
    assert!(
        message.contains("could not be decided: this regreen was built without CEL"),
        "{message}"
    );
}

#[test]
#[cfg(not(feature = "javascript"))]
fn a_program_does_not_run_and_node_is_named() {
    let scene = Scene::new("//- ws/main.clank\nfn main() -> IO + Unit { println(\"hello\") }\n");
    let ran = scene.run("run ws/main.clank");
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.text());
    let expected = "this regreen was built without a JavaScript engine; use Node with `--runtime node`, or install \
                    regreen with the feature `javascript`";
    assert!(ran.stderr.contains(expected), "{}", ran.text());
}

#[test]
#[cfg(not(feature = "postgres"))]
fn a_server_is_not_contacted_and_its_password_is_not_shown() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    for url in [
        format!("postgres://ana:hunter2@{address}/shop"),
        format!("postgres://ana:hunter2@{address}/shop?sslmode=require"),
        format!("postgresql://ana:a/hunter2@{address}/shop"),
        format!("postgres://{address}/shop?password=hunter2"),
        "postgres://hunter2".to_owned(),
    ] {
        let scene = Scene::new(&format!("//- ws/regreen.toml\n[govern]\nregistry = \"{url}\"\n"));
        let trust = scene.run("trust --yes");
        assert_eq!(trust.code, 0, "{}", trust.text());
        assert!(trust.stdout.contains("a PostgreSQL server"), "{}", trust.text());
        for line in ["dds list", "dds verify", "dds list --format json", "dds list -v"] {
            let ran = scene.run(line);
            assert_eq!(ran.code, 3, "{line}: {}", ran.text());
            let expected = "this regreen was built without PostgreSQL; install it with the feature `postgres`, or use \
                            a registry on disk";
            assert!(ran.text().contains(expected), "{line}: {}", ran.text());
            assert!(!ran.text().contains("hunter2"), "{line}: {}", ran.text());
        }
        assert!(!trust.text().contains("hunter2"), "{}", trust.text());
        assert!(listener.accept().is_err(), "{url} was contacted");
    }
}

#[cfg(not(feature = "ssh"))]
mod without_ssh {
    use super::Scene;
    use crate::dds::{add, record, status};
    use crate::support::on_a_terminal;

    const ABSENT: &str =
        "this regreen was built without SSH signatures; install it with the feature `ssh`";

    const KEY: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIILf5ZmaCq4tvH1y5fC2dGqTNYZ9xoNvjFh2Fk5wKzZV";

    fn scene(config: &str) -> Scene {
        let scene = Scene::new(&format!("//- ws/src/a.py\nx = 1\n//- ws/regreen.toml\n{config}"));
        scene.write("ana.pub", &format!("{KEY} ana\n"));
        scene.write("ana", "-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n");
        scene
            .write("ana.sig", "-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n");
        scene.write("ws/allowed_signers", &format!("ana@example.org {KEY}\n* {KEY}\n"));
        scene
    }

    #[test]
    fn nothing_is_signed_and_no_signature_is_accepted() {
        let scene = scene("[govern]\nrequire_signature = true\n");
        scene.trust();
        let id = add(&scene, &record("none", &["src/"]));
        for (line, code) in [
            ("dds init-signing --key ana.pub --as ana@example.org".to_owned(), 2),
            (format!("dds approve {id} --key ana --expect sha256:0"), 2),
            (format!("dds approve {id} --key ana.pub --expect sha256:0"), 2),
            (format!("dds approve {id} --key ana --trust --expect sha256:0"), 2),
            (format!("dds approve {id} --signature ana.sig"), 1),
            (format!("dds approve {id} --signature ana.sig --as ana@example.org --trust"), 1),
        ] {
            let ran = scene.run(&line);
            assert_eq!(ran.code, code, "{line}: {}", ran.text());
            assert!(ran.text().contains(ABSENT), "{line}: {}", ran.text());
            assert_eq!(status(&scene, &id), "proposed", "{line}");
        }
    }

    /// A word that was typed needs no key, and counts where it did before and nowhere else.
    #[test]
    fn a_typed_approval_counts_where_the_policy_permits_it() {
        for (config, paths, is_approved) in [
            ("", ["src/"], true),
            ("", [".github/workflows/"], false),
            ("[govern]\nrequire_signature = true\n", ["src/"], false),
        ] {
            let scene = scene(config);
            scene.trust();
            let id = add(&scene, &record("none", &paths));
            let line = format!("dds approve {id}");
            let (shown, code) = on_a_terminal(&scene, "to approve: ", &line, &[&id]);
            assert_eq!(code == Some(0), is_approved, "{config} {paths:?}: {shown}");
            assert_eq!(status(&scene, &id) == "approved", is_approved, "{shown}");
        }
    }
}
