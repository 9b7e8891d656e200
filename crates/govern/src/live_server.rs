//! A PostgreSQL server for the live tier: a new cluster on 127.0.0.1 with a password, stopped at the end. Without the
//! server's programs the test fails.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test without its server cannot go on"
)]

use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

static N_DATABASES: AtomicU32 = AtomicU32::new(0);

pub(crate) struct Server {
    programs: PathBuf,
    dir: TempDir,
    port: u16,
}

impl Server {
    pub(crate) fn start() -> Server {
        Server::launch(None)
    }

    /// One that encrypts, with a certificate and its key.
    pub(crate) fn start_with_tls(certificate: &Path, key: &Path) -> Server {
        Server::launch(Some((certificate, key)))
    }

    fn launch(tls: Option<(&Path, &Path)>) -> Server {
        let dir = TempDir::new().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Server { programs: programs(), dir, port };
        std::fs::write(server.path("password"), "s3cret\n").unwrap();
        let mut options = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=150"
        );
        if let Some((certificate, key)) = tls {
            std::fs::copy(certificate, server.path("server.crt")).unwrap();
            std::fs::copy(key, server.path("server.key")).unwrap();
            // Where it looks is beside its data, and it takes no key that others can read.
            std::fs::set_permissions(server.path("server.key"), Permissions::from_mode(0o600))
                .unwrap();
            options += " -c ssl=on -c ssl_cert_file=../server.crt -c ssl_key_file=../server.key";
        }
        if is_root() {
            // The server refuses to run as root.
            run(Command::new("chown").arg("-R").arg("nobody").arg(server.dir.path()));
        }
        // Quick to check in a build without optimisation; one test uses what servers have by default.
        run(server
            .command("initdb")
            .args([
                "--username=regreen",
                "--auth=md5",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync",
            ])
            .arg(format!("--pwfile={}", server.path("password").display()))
            .arg("-D")
            .arg(server.path("data")));
        run(server.control("start").arg("-l").arg(server.path("log")).arg("-o").arg(options));
        server
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// One of the server's programs, as somebody without rights.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "nobody", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.dir.path());
        command
    }

    fn control(&self, what: &str) -> Command {
        let mut command = self.command("pg_ctl");
        command.arg(what).arg("-w").arg("-D").arg(self.path("data"));
        command
    }

    /// The URL of a new database.
    pub(crate) fn new_database(&self, name: &str) -> String {
        let url = format!("postgres://regreen:s3cret@127.0.0.1:{}/postgres", self.port);
        create_database(&url, name)
    }
}

impl Server {
    /// The URL of a new database, for somebody whose password is checked as servers do by default.
    pub(crate) fn new_database_with_scram(&self) -> String {
        let url = self.new_database("scram");
        let mut client = ::postgres::Client::connect(&url, ::postgres::NoTls).unwrap();
        let role = "SET password_encryption = 'scram-sha-256'; CREATE ROLE ann SUPERUSER LOGIN PASSWORD 's3cret'";
        client.batch_execute(role).unwrap();
        url.replace("regreen:", "ann:")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.control("stop").arg("-m").arg("fast").output();
    }
}

/// The URL of another database on the same server.
pub(crate) fn furnished_again(url: &str) -> String {
    create_database(url, "copy")
}

fn create_database(url: &str, name: &str) -> String {
    let n = N_DATABASES.fetch_add(1, Ordering::Relaxed);
    let name: String = format!("{name}_{n}").chars().rev().take(40).collect();
    let mut client = ::postgres::Client::connect(url, ::postgres::NoTls).unwrap();
    // A database may ask for another level; the registry must not depend on it.
    client.batch_execute(&format!("CREATE DATABASE \"{name}\"")).unwrap();
    let serializable =
        format!("ALTER DATABASE \"{name}\" SET default_transaction_isolation = 'serializable'");
    client.batch_execute(&serializable).unwrap();
    format!("{}/{name}", url.rsplit_once('/').unwrap().0)
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Where the server's programs are.
fn programs() -> PathBuf {
    let mut places: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|dir| dir.map(|it| it.unwrap().path().join("bin")).collect())
        .unwrap_or_default();
    places.sort();
    places.reverse();
    places.push("/usr/local/bin".into());
    places.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let has_all =
        |dir: &Path| ["initdb", "pg_ctl", "postgres"].iter().all(|it| dir.join(it).exists());
    places
        .into_iter()
        .find(|it| has_all(it))
        .expect("the programs of a PostgreSQL server are installed")
}

#[track_caller]
fn run(command: &mut Command) {
    // The server inherits the streams, so they are not pipes that someone would have to wait for.
    let status = command.stdout(std::process::Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}");
}
