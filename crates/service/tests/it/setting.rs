//! A folder with files, and the commands run on it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use protocol::v1;
use service::{CheckReply, Failure, FixReply, Home, Interrupts, Session, SessionAccess, User};
use tempfile::TempDir;

/// A workspace with one schema and three files: one that is fine, one with a lossless fix and a guess, one with a
/// missing key that has a default.
pub(crate) const SHOP: &str = r#"
//- schemas/app.schema.json
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "required": ["name", "region"],
  "additionalProperties": false,
  "properties": {
    "name": {"type": "string"},
    "port": {"type": "integer"},
    "mode": {"enum": ["fast", "careful"]},
    "region": {"type": "string", "const": "eu"}
  }
}
//- api.yaml
# yaml-language-server: $schema=schemas/app.schema.json
name: api
region: eu # where it runs
//- shop.yaml
# yaml-language-server: $schema=schemas/app.schema.json
name: shop
port: "8080" # the public one
mode: fsat
region: eu
//- worker.yaml
# yaml-language-server: $schema=schemas/app.schema.json
name: worker
"#;

pub(crate) struct Setting {
    directory: TempDir,
    home: TempDir,
}

impl Setting {
    /// Makes the files, in the order of the text. Each starts with a line `//- path`.
    pub(crate) fn new(text: &str) -> Setting {
        let setting = Setting { directory: TempDir::new().unwrap(), home: TempDir::new().unwrap() };
        for (path, contents) in files(text) {
            setting.write(&path, &contents);
        }
        setting
    }

    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn write(&self, path: &str, contents: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn session(&self) -> Session {
        self.session_to(SessionAccess::Write)
    }

    pub(crate) fn session_to(&self, access: SessionAccess) -> Session {
        let folder = |name: &str| Some(self.home.path().join(name));
        let home = Home { state: folder("state"), cache: folder("cache") };
        let user = User {
            home,
            interrupts: Interrupts::new(),
            is_trusting: false,
            programs: Default::default(),
            build_tools: Default::default(),
        };
        Session::open(self.root(), access, &user).unwrap()
    }

    /// The folder for what can be found out again.
    pub(crate) fn cache_folder(&self) -> PathBuf {
        self.home.path().join("cache")
    }

    /// The only file in it.
    pub(crate) fn cache_file(&self) -> PathBuf {
        let mut files = fs::read_dir(self.cache_folder()).unwrap();
        let file = files.next().unwrap().unwrap().path();
        assert!(files.next().is_none());
        file
    }

    pub(crate) fn try_check(&self, request: &v1::Check) -> Result<CheckReply, Failure> {
        service::check(&self.session(), request, &mut |_| {})
    }

    pub(crate) fn check(&self, request: &v1::Check) -> CheckReply {
        self.try_check(request).unwrap()
    }

    pub(crate) fn try_fix(&self, request: &v1::Fix) -> Result<FixReply, Failure> {
        service::fix(&self.session(), request, &mut |_| {}, None)
    }

    pub(crate) fn fix(&self, request: &v1::Fix) -> FixReply {
        self.try_fix(request).unwrap()
    }

    /// Every file and folder of the tree with its contents and time of change.
    pub(crate) fn state(&self) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
        let mut state = BTreeMap::new();
        let mut folders = vec![self.root().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let time = fs::symlink_metadata(&path).unwrap().modified().unwrap();
                let bytes = if path.is_dir() {
                    folders.push(path.clone());
                    Vec::new()
                } else {
                    fs::read(&path).unwrap()
                };
                state.insert(path, (bytes, time));
            }
        }
        state
    }
}

/// The files of a text, in its order.
pub(crate) fn files(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("//- "), files.last_mut()) {
            (Some(path), _) => files.push((path.to_owned(), String::new())),
            (None, Some((_, contents))) => {
                contents.push_str(line);
                contents.push('\n');
            }
            (None, None) => {}
        }
    }
    files
}

/// A look that is limited to these paths.
pub(crate) fn at(paths: &[&str]) -> v1::LookRequest {
    v1::LookRequest {
        paths: paths.iter().map(|it| (*it).to_owned()).collect(),
        ..v1::LookRequest::default()
    }
}

pub(crate) fn check_at(paths: &[&str]) -> v1::Check {
    v1::Check { look: at(paths), ..v1::Check::default() }
}

/// The findings, a line each.
pub(crate) fn lines(diagnostics: &[v1::Diagnostic]) -> Vec<String> {
    let line = |it: &v1::Diagnostic| {
        let pointer = it.json_pointer.as_deref().unwrap_or("-");
        let severity = format!("{:?}", it.severity).to_lowercase();
        format!("{} {pointer} {severity} {}", it.file, it.rule_id)
    };
    diagnostics.iter().map(line).collect()
}

/// The id of the only repair of the rule.
pub(crate) fn repair_id(reply: &CheckReply, rule: &str) -> String {
    let mut ids =
        reply.report.repairs.iter().filter(|it| it.rule_id == rule).map(|it| it.id.clone());
    let id = ids.next().unwrap();
    assert_eq!(ids.next(), None, "one repair of {rule}");
    id
}
