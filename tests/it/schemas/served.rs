//! Schemas from a server on this machine, and what a hostile one may do.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use super::super::support::Scene;

/// A server on this machine. A path has a text; `->` before it leads on; `...` never ends; `zzz` never answers.
struct Server {
    address: String,
    n_requests: Arc<AtomicUsize>,
    pages: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (n_requests, pages) = (Arc::new(AtomicUsize::new(0)), Arc::default());
        let server = Server { address, n_requests: Arc::clone(&n_requests), pages };
        let pages: Arc<Mutex<BTreeMap<String, String>>> = Arc::clone(&server.pages);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                n_requests.fetch_add(1, Ordering::SeqCst);
                let pages = pages.lock().unwrap().clone();
                thread::spawn(move || answer(stream, &pages));
            }
        });
        server
    }

    fn put(&self, path: &str, text: &str) {
        let text = text.replace("BASE", &self.address);
        self.pages.lock().unwrap().insert(path.to_owned(), text);
    }
}

/// Who asked may have gone, which is what some of these tests are about.
fn answer(mut stream: TcpStream, pages: &BTreeMap<String, String>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    lines.take_while(|it| !it.is_empty()).for_each(drop);
    let text = match pages.get(&path).map(String::as_str) {
        None => {
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned()
        }
        Some("zzz") => {
            thread::sleep(std::time::Duration::from_secs(60));
            return;
        }
        Some("...") => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{");
            while stream.write_all(&[b' '; 65536]).is_ok() {}
            return;
        }
        Some(text) => match text.strip_prefix("->") {
            Some(target) => format!(
                "HTTP/1.1 302 Found\r\nlocation: {target}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            ),
            None => format!(
                "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
                text.len()
            ),
        },
    };
    let _ = stream.write_all(text.as_bytes());
}

/// X-96, X-97: over the network, with everything a hostile server can do; `check` asks nobody.
#[test]
fn a_server_is_asked_only_by_update_and_within_limits() {
    let scene = Scene::new("//- ws/app.yaml\nport: x\n//- ws/b.yaml\nport: x\n");
    let server = Server::start();
    server.put(
        "/catalog.json",
        r#"{"schemas": [
          {"name": "App", "url": "BASE/app.json", "fileMatch": ["app.yaml"]},
          {"name": "Moved", "url": "BASE/moved.json", "fileMatch": ["b.yaml"]},
          {"name": "Loop", "url": "BASE/loop.json"},
          {"name": "Out", "url": "BASE/out.json"},
          {"name": "Plain", "url": "http://example.org/plain.json"},
          {"name": "File", "url": "file:///etc/passwd"},
          {"name": "Huge", "url": "BASE/huge.json"},
          {"name": "Text", "url": "BASE/text.json"},
          {"name": "Gone", "url": "BASE/gone.json"}
        ]}"#,
    );
    server.put("/app.json", r##"{"$ref": "deep.json#/a"}"##);
    server.put("/deep.json", r#"{"a": {"properties": {"port": {"type": "integer"}}}}"#);
    server.put("/moved.json", "->/app.json");
    server.put("/loop.json", "->/loop.json");
    server.put("/out.json", "->http://example.org/out.json");
    server.put("/huge.json", "...");
    server.put("/text.json", "Hello");
    let line = format!("schemas update --from {}/catalog.json", server.address);
    let updated = scene.run(&line);
    assert_eq!(updated.code, 0, "{}", updated.text());
    for said in [
        "loop.json, which is not followed",
        "redirects to http://example.org/out.json, which is not followed",
        "http://example.org/plain.json: only https",
        "file:///etc/passwd: only https",
        "huge.json: it has more than 8388608 bytes",
        "text.json: it is not an object",
        "gone.json: it does not exist",
        "Locked 3 schemas",
    ] {
        assert!(updated.stdout.contains(said), "{said}: {}", updated.text());
    }
    let n_requests = server.n_requests.load(Ordering::SeqCst);
    let found = scene.run("check");
    assert_eq!(found.code, 1, "{}", found.text());
    assert!(found.stdout.contains("app.yaml") && found.stdout.contains("b.yaml"));
    scene.run("fix");
    scene.run("schemas list");
    assert_eq!(server.n_requests.load(Ordering::SeqCst), n_requests, "nobody else asks");
    // An address that came with the repository waits for trust.
    scene.write(
        "ws/regreen.toml",
        &format!("[schemas]\ncatalogue = \"{}/catalog.json\"\n", server.address),
    );
    let untrusted = scene.run("schemas update");
    assert_eq!(untrusted.code, 1, "{}", untrusted.text());
    assert_eq!(server.n_requests.load(Ordering::SeqCst), n_requests, "nobody was asked");
    scene.trust();
    assert_eq!(scene.run("schemas update").code, 0);
    server.put("/catalog.json", "zzz");
    let slow = scene.run("schemas update --timeout 1");
    assert_eq!(slow.code, 3, "{}", slow.text());
    assert!(slow.stderr.contains("took too long"), "{}", slow.text());
    for (page, said) in
        [("...", "more than"), ("{}", "not a catalogue"), ("{\"schemas\": []}", "none of its")]
    {
        server.put("/catalog.json", page);
        let ran = scene.run("schemas update");
        assert_eq!(ran.code, 3, "{page}");
        assert!(ran.stderr.contains(said), "{page}: {}", ran.text());
    }
    assert_eq!(scene.run("schemas update --from http://example.org/c.json").code, 3);
}

/// X-97: a host that does not answer is not waited for once for each of its schemas.
#[test]
fn a_host_that_does_not_answer_is_asked_a_few_times() {
    const N_SCHEMAS: usize = 60;
    let scene = Scene::new("//- ws/app.yaml\nport: x\n");
    let server = Server::start();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let n_asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&n_asked);
    thread::spawn(move || {
        for stream in silent.incoming().map_while(Result::ok) {
            counter.fetch_add(1, Ordering::SeqCst);
            drop(stream);
        }
    });
    let entry = |nth: usize| {
        format!(
            "{{\"name\": \"s{nth}\", \"fileMatch\": [\"s{nth}.yaml\"], \"url\": \"http://{address}/{nth}.json\"}}"
        )
    };
    let mut entries: Vec<String> = (0..N_SCHEMAS).map(entry).collect();
    entries.push(
        "{\"name\": \"app\", \"fileMatch\": [\"app.yaml\"], \"url\": \"BASE/app.json\"}".to_owned(),
    );
    server.put("/catalog.json", &format!("{{\"schemas\": [{}]}}", entries.join(", ")));
    server.put("/app.json", "{\"properties\": {\"port\": {\"type\": \"integer\"}}}");
    let ran =
        scene.run(&format!("schemas update --from {}/catalog.json --format json", server.address));
    let report = ran.json();
    let failed = report["failed"].as_array().unwrap();
    assert_eq!(failed.len(), N_SCHEMAS, "{}", ran.text());
    assert!(failed.iter().any(|it| it["reason"] == "its host does not answer"), "{}", ran.text());
    // Those that are asked at the same time cannot know of each other.
    assert!(n_asked.load(Ordering::SeqCst) < N_SCHEMAS / 2, "{n_asked:?}");
    assert!(scene.read("ws/regreen.schemas.lock").contains("app.json"));
}
