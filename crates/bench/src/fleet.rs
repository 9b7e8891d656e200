//! The documents of the benchmarks: a fleet of services as a person would write it, in YAML with comments and in
//! JSON, and a mix of operations on it. A large file is many services beneath one key; every operation has a
//! service of its own, so that it can also be judged alone, on a file with that one service.

use serde_json::json;

use crate::operation::{Operation, Path};
use crate::random::Random;

/// The two syntaxes in which the fleet is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Syntax {
    Json,
    Yaml,
}

/// A document with operations on it, and for each operation the lines that it may change.
pub(crate) struct Fleet {
    /// The document.
    pub(crate) text: String,
    /// The operations, in a random order of places.
    pub(crate) operations: Vec<Operation>,
}

/// One operation on a document with one service.
pub(crate) struct Case {
    /// The document.
    pub(crate) text: String,
    /// The operation.
    pub(crate) operation: Operation,
    /// The lines of `text` that the operation may change, in order.
    pub(crate) touched: Vec<usize>,
    /// Bytes on the touched lines that must still be there.
    pub(crate) kept: &'static [&'static str],
}

/// The kinds of operations, used in turn.
const KINDS: usize = 16;

/// A document of about `bytes` bytes with `operations` operations, at most one for each service.
pub(crate) fn fleet(syntax: Syntax, bytes: usize, operations: usize) -> Fleet {
    let mut text = String::with_capacity(bytes + 1024);
    text.push_str(opening(syntax));
    let mut services = 0;
    while text.len() < bytes || services < operations {
        if services > 0 {
            text.push_str(between(syntax));
        }
        push_service(&mut text, syntax, services);
        services += 1;
    }
    text.push_str(closing(syntax));
    let mut random = Random::new(7);
    let stride = services / operations.max(1);
    let mut chosen: Vec<usize> =
        (0..operations).map(|it| it * stride + random.below(stride.max(1))).collect();
    random.shuffle(&mut chosen);
    let operations =
        chosen.into_iter().enumerate().map(|(turn, service)| operation(turn, service)).collect();
    Fleet { text, operations }
}

/// The same kinds of operations, each alone on a document with one service.
pub(crate) fn cases(syntax: Syntax, count: usize) -> Vec<Case> {
    let case = |turn: usize| {
        let mut text = opening(syntax).to_string();
        push_service(&mut text, syntax, turn);
        text.push_str(closing(syntax));
        let (marks, kept) = touched(syntax, turn % KINDS);
        let touched = (text.lines().enumerate())
            .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)))
            .map(|(number, _)| number)
            .collect();
        Case { text, operation: operation(turn, turn), touched, kept }
    };
    (0..count).map(case).collect()
}

fn name(service: usize) -> String {
    format!("svc-{service:06}")
}

fn operation(turn: usize, service: usize) -> Operation {
    let at = |rest: &[&str]| -> Path {
        let name = name(service);
        ["services", &name].iter().chain(rest).map(|it| it.to_string()).collect()
    };
    match turn % KINDS {
        0 => Operation::Replace {
            at: at(&["image"]),
            value: json!(format!("registry.example/app:2.0.{turn}")),
        },
        1 => Operation::Replace { at: at(&["environment", "WORKERS"]), value: json!(16) },
        2 => Operation::AddKey {
            at: at(&["environment"]),
            key: "REGION".into(),
            value: json!("eu-west-1"),
        },
        3 => Operation::RemoveKey { at: at(&[]), key: "restart".into() },
        4 => Operation::RenameKey {
            at: at(&["environment"]),
            from: "LOG_LEVEL".into(),
            to: "LOG".into(),
        },
        5 => Operation::InsertItem { at: at(&["ports"]), index: 1, value: json!("9000:90") },
        6 => Operation::Replace { at: at(&["ports", "0"]), value: json!("8800:88") },
        7 => Operation::DeleteItem { at: at(&["ports"]), index: 1 },
        8 => Operation::Replace { at: at(&["deploy", "replicas"]), value: json!(5) },
        9 => Operation::MoveKey { from: at(&[]), to: at(&["labels"]), key: "restart".into() },
        10 => Operation::AppendItem { at: at(&["environment", "FEATURES"]), value: json!("gamma") },
        11 => Operation::AddKey {
            at: at(&[]),
            key: "healthcheck".into(),
            value: json!({"test": "curl -f http://localhost/", "retries": 3}),
        },
        12 => Operation::Replace { at: at(&["labels", "tier"]), value: json!("back") },
        13 => Operation::RenameKey {
            at: at(&["labels"]),
            from: "cost-center".into(),
            to: "cost-centre".into(),
        },
        14 => Operation::RemoveKey { at: at(&["labels"]), key: "tier".into() },
        _ => Operation::DeleteItem { at: at(&["environment", "FEATURES"]), index: 0 },
    }
}

/// Marks of the lines that a kind of operation may change, and bytes that must stand there afterwards: comments
/// and neighbours on the line, and the quotes of what is replaced. Where something is added or the last one goes,
/// the line before is included: it may need a comma or lose one.
fn touched(syntax: Syntax, kind: usize) -> (&'static [&'static str], &'static [&'static str]) {
    match (syntax, kind) {
        (Syntax::Yaml, 0) => {
            (&["image:"], &["    image: \"reg", "# pinned, see the release notes\n"])
        }
        (Syntax::Yaml, 1) => (&["WORKERS"], &["      WORKERS: 16 ", "# one per core\n"]),
        (Syntax::Yaml, 2) => (&["FEATURES"], &["      FEATURES: [alpha, beta]\n"]),
        (Syntax::Yaml, 3) => (&["restart"], &[]),
        (Syntax::Yaml, 4) => (&["LOG_LEVEL"], &["      LOG: info\n"]),
        (Syntax::Yaml, 5) => (&[":80\""], &[":80\"\n"]),
        (Syntax::Yaml, 6) => (&[":80\""], &["      - \"8800:88\"\n"]),
        (Syntax::Yaml, 7) => (&[":443\""], &[]),
        (Syntax::Yaml, 8) => (&["deploy"], &["    deploy: {replicas: 5, memory: 512M}\n"]),
        (Syntax::Yaml, 9) => (&["restart", "cost-center"], &["      \"cost-center\": \"1234\"\n"]),
        (Syntax::Yaml, 10) => (&["FEATURES"], &["      FEATURES: [alpha, beta, "]),
        (Syntax::Yaml, 11) => (&["--port 80"], &["        --port 80   # no comment\n"]),
        (Syntax::Yaml, 12) => (&["tier"], &["      tier: 'back' ", "# shown in the console\n"]),
        (Syntax::Yaml, 13) => (&["cost-center"], &["      \"cost-centre\": \"1234\"\n"]),
        (Syntax::Yaml, 14) => (&["tier"], &[]),
        (Syntax::Yaml, _) => (&["FEATURES"], &["      FEATURES: [beta]\n"]),
        (Syntax::Json, 0) => (&["image"], &[]),
        (Syntax::Json, 1) => (&["WORKERS"], &[]),
        (Syntax::Json, 2) => (&["FEATURES"], &["\"FEATURES\": [\"alpha\", \"beta\"]"]),
        (Syntax::Json, 3) => (&["restart"], &[]),
        (Syntax::Json, 4) => (&["LOG_LEVEL"], &["        \"LOG\": \"info\",\n"]),
        (Syntax::Json, 5) => (&[":80\""], &[]),
        (Syntax::Json, 6) => (&[":80\""], &[]),
        (Syntax::Json, 7) => (&[":80\"", ":443\""], &[]),
        (Syntax::Json, 8) => (&["deploy"], &["{\"replicas\": 5, \"memory\": \"512M\"},\n"]),
        (Syntax::Json, 9) => (&["restart", "cost-center"], &["\"cost-center\": \"1234\""]),
        (Syntax::Json, 10) => {
            (&["FEATURES"], &["\"FEATURES\": [\"alpha\", \"beta\", \"gamma\"]\n"])
        }
        (Syntax::Json, 11) => (&["budget"], &["\"budget\": 1.50,\n"]),
        (Syntax::Json, 12) => (&["tier"], &[]),
        (Syntax::Json, 13) => (&["cost-center"], &[]),
        (Syntax::Json, 14) => (&["tier"], &[]),
        (Syntax::Json, _) => (&["FEATURES"], &["\"FEATURES\": [\"beta\"]\n"]),
    }
}

fn opening(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Json => "{\n  \"version\": \"3.9\",\n  \"services\": {\n",
        Syntax::Yaml => {
            "# The fleet, edited by hand and by machines.\nversion: \"3.9\"\nservices:\n"
        }
    }
}

fn between(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Json => ",\n",
        Syntax::Yaml => "\n",
    }
}

fn closing(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Json => "\n  }\n}\n",
        Syntax::Yaml => "\nnetworks:\n  default:\n    name: fleet # shared\n",
    }
}

fn push_service(text: &mut String, syntax: Syntax, number: usize) {
    let (name, port) = (name(number), 8000 + number % 1000);
    let service = match syntax {
        Syntax::Yaml => format!(
            "  {name}:  # owner: team-{team}
    image: \"registry.example/app-{number}:1.4.2\"  # pinned, see the release notes
    restart: unless-stopped
    # Published on the host; the balancer expects both.
    ports:
      - \"{port}:80\"
      - \"{tls}:443\"  # tls
    environment:
      LOG_LEVEL: info
      WORKERS: 4        # one per core
      FEATURES: [alpha, beta]
    deploy: {{replicas: 2, memory: 512M}}
    labels:
      tier: 'front'  # shown in the console
      \"cost-center\": \"1234\"
    command: |
      exec serve \\
        --port 80   # no comment
",
            team = number % 17,
            tls = port + 1
        ),
        Syntax::Json => format!(
            "    \"{name}\": {{
      \"image\": \"registry.example/app-{number}:1.4.2\",
      \"restart\": \"unless-stopped\",
      \"ports\": [
        \"{port}:80\",
        \"{tls}:443\"
      ],
      \"environment\": {{
        \"LOG_LEVEL\": \"info\",
        \"WORKERS\": 4,
        \"FEATURES\": [\"alpha\", \"beta\"]
      }},
      \"deploy\": {{\"replicas\": 2, \"memory\": \"512M\"}},
      \"labels\": {{
        \"tier\": \"front\",
        \"cost-center\": \"1234\"
      }},
      \"budget\": 1.50
    }}",
            tls = port + 1
        ),
    };
    text.push_str(&service);
}
