//! A job whose paths, program and variables were checked, and the part of the system that every program may
//! read.
//!
//! The list of the system is a list of what is let in: a directory that nobody thought of stays out. `/etc`
//! is let in by entry, because it holds secrets beside what the C library reads.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::{Job, SandboxError};

/// What programs and their libraries consist of. What does not exist is passed over.
pub(crate) const SYSTEM: &[&str] = &[
    "/bin",
    "/gnu/store",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/sbin",
    "/usr",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/java",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/login.defs",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/python3",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// File systems whose files are the kernel and the machine. Root can write to them by ownership alone.
const KERNEL: &[&str] = &[
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "fusectl",
    "mqueue",
    "nsfs",
    "proc",
    "pstore",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "smackfs",
    "sysfs",
    "tracefs",
];

// The kernel passes two megabytes with the usual size of the stack; the sandbox's own arguments need some of
// it.
const ARGUMENTS: usize = 1 << 20;
const ARGUMENT: usize = (128 << 10) - 1;

/// A job that can be started: its program found, its paths absolute and free of symbolic links.
pub(crate) struct Scope<'a> {
    pub(crate) job: &'a Job,
    pub(crate) program: PathBuf,
    pub(crate) directory: PathBuf,
    /// In the job's order.
    pub(crate) writable: Vec<PathBuf>,
    /// Where what it writes is on disk.
    pub(crate) growing: Vec<PathBuf>,
    /// What the job asks for and the program itself, each also by its name without symbolic links.
    pub(crate) readable: Vec<PathBuf>,
}

pub(crate) fn check(job: &Job) -> Result<Scope<'_>, SandboxError> {
    let directory = existing(&job.directory)?;
    if !directory.is_dir() {
        return Err(refused(&job.directory, "it is not a directory"));
    }
    if directory.parent().is_none() {
        return Err(refused(&job.directory, "the whole file system cannot be the scope"));
    }
    for path in &job.writable {
        if existing(path)? != *path {
            return Err(refused(
                path,
                "it leads through a symbolic link or has `.`, `..` or empty segments",
            ));
        }
        if path.parent().is_none() {
            return Err(refused(path, "the whole file system cannot be the scope"));
        }
    }
    check_mounts(&job.writable)?;
    let program = find(job, &directory)?;
    check_words(job, &program)?;
    let mut readable = Vec::new();
    for path in job.readable.iter().chain([&program]) {
        // A name that is a symbolic link is of no use without what it leads to.
        readable.push(existing(path)?);
        readable.push(path.clone());
    }
    let writable = job.writable.clone();
    let growing = growing(job)?;
    Ok(Scope { job, program, directory, writable, growing, readable })
}

/// The writable paths, with what is written to a covered directory in place of that directory.
fn growing(job: &Job) -> Result<Vec<PathBuf>, SandboxError> {
    let mut growing = job.writable.clone();
    let Some(overlay) = &job.overlay else { return Ok(growing) };
    for path in [&overlay.directory, &overlay.place] {
        if existing(path)? != *path {
            return Err(refused(
                path,
                "it leads through a symbolic link or has `.`, `..` or empty segments",
            ));
        }
    }
    let upper = overlay.place.join("upper");
    if growing.contains(&overlay.directory) != upper.is_dir() {
        return Err(refused(
            &overlay.directory,
            "it is covered by something that it cannot be written to",
        ));
    }
    for path in &mut growing {
        if *path == overlay.directory {
            path.clone_from(&upper);
        } else if path.starts_with(&overlay.directory) {
            return Err(refused(path, "it is in a directory that is covered"));
        }
    }
    Ok(growing)
}

impl Scope<'_> {
    /// Whether all that the job can open for reading belongs to the system or to its own directory.
    pub(crate) fn reads_only_its_own(&self) -> bool {
        self.readable.iter().all(|path| {
            path.starts_with(&self.directory)
                || self.writable.iter().any(|writable| path.starts_with(writable))
                || SYSTEM.iter().any(|system| path.starts_with(system))
        })
    }

    /// The command that gives the program exactly its environment. The shell in between adds variables of its
    /// own, so it cannot be left to inheritance.
    pub(crate) fn command(&self) -> Vec<OsString> {
        let mut command: Vec<OsString> = vec!["/usr/bin/env".into(), "-i".into(), "--".into()];
        for (name, value) in &self.job.environment {
            let mut variable = name.clone();
            variable.push("=");
            variable.push(value);
            command.push(variable);
        }
        command.push(self.program.clone().into());
        command.extend(self.job.args.iter().cloned());
        command
    }
}

fn existing(path: &Path) -> Result<PathBuf, SandboxError> {
    if !path.is_absolute() {
        return Err(refused(path, "it is not absolute"));
    }
    fs::canonicalize(path).map_err(|error| refused(path, &error.to_string()))
}

/// Refuses to let a job write where files are the machine itself: in such a file system, or where one is mounted
/// beneath.
fn check_mounts(writable: &[PathBuf]) -> Result<(), SandboxError> {
    let Some(first) = writable.first() else { return Ok(()) };
    let text =
        fs::read("/proc/self/mountinfo").map_err(|error| refused(first, &error.to_string()))?;
    let mounts: Vec<(PathBuf, &[u8])> =
        text.split(|byte| *byte == b'\n').filter_map(mount).collect();
    let is_kernel = |kind: &[u8]| KERNEL.iter().any(|other| other.as_bytes() == kind);
    for path in writable {
        // Of several mounts at one place the last one is what is seen.
        let above = mounts.iter().filter(|(place, _)| path.starts_with(place));
        let own = above.max_by_key(|(place, _)| place.as_os_str().len());
        let beneath = mounts.iter().filter(|(place, _)| place.starts_with(path) && place != path);
        if let Some((place, kind)) = own.into_iter().chain(beneath).find(|it| is_kernel(it.1)) {
            let kind = String::from_utf8_lossy(kind);
            let place = place.display();
            return Err(refused(path, &format!("{place} is a file system of the kernel ({kind})")));
        }
    }
    Ok(())
}

/// Place and kind of a mount, from a line of `mountinfo`.
fn mount(line: &[u8]) -> Option<(PathBuf, &[u8])> {
    let mut fields = line.split(|byte| *byte == b' ');
    let place = unescape(fields.nth(4)?);
    let kind = fields.skip_while(|field| *field != b"-").nth(1)?;
    Some((PathBuf::from(OsString::from_vec(place)), kind))
}

/// Blanks and the like stand as a backslash and three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((first, after)) = rest.split_first() {
        let digits =
            after.get(..3).filter(|_| *first == b'\\').and_then(|it| str::from_utf8(it).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

fn refused(path: &Path, reason: &str) -> SandboxError {
    SandboxError::Path { path: path.to_owned(), reason: reason.to_owned() }
}

fn find(job: &Job, directory: &Path) -> Result<PathBuf, SandboxError> {
    let refuse = |reason| SandboxError::Program { program: job.program.clone(), reason };
    let found = if job.program.as_os_str().as_bytes().contains(&b'/') {
        directory.join(&job.program)
    } else {
        let path =
            job.environment.get(OsStr::new("PATH")).map(OsString::as_os_str).unwrap_or_default();
        std::env::split_paths(path)
            .filter(|place| place.is_absolute())
            .map(|place| place.join(&job.program))
            .find(|candidate| candidate.is_file())
            .ok_or_else(|| refuse("it is in no directory of its PATH"))?
    };
    let about = fs::metadata(&found).map_err(|_| refuse("there is no such file"))?;
    if about.is_dir() {
        return Err(refuse("it is a directory"));
    }
    if !about.is_file() || about.permissions().mode() & 0o111 == 0 {
        return Err(refuse("it is not executable"));
    }
    // `env` would take it for a variable.
    if found.as_os_str().as_bytes().contains(&b'=') {
        return Err(refuse("its path holds an equals sign"));
    }
    Ok(found)
}

fn check_words(job: &Job, program: &Path) -> Result<(), SandboxError> {
    let holds_zero = |text: &OsStr| text.as_bytes().contains(&0);
    for (name, value) in &job.environment {
        if name.is_empty()
            || name.as_bytes().contains(&b'=')
            || holds_zero(name)
            || holds_zero(value)
        {
            return Err(SandboxError::Variable { name: name.clone() });
        }
    }
    if let Some(index) = job.args.iter().position(|arg| holds_zero(arg)) {
        return Err(SandboxError::Argument { index });
    }
    let variables = job.environment.iter().map(|(name, value)| name.len() + value.len() + 2);
    let args = job.args.iter().map(|arg| arg.len() + 1);
    let lengths: Vec<usize> =
        variables.chain(args).chain([program.as_os_str().len() + 1]).collect();
    // Each one also costs a pointer.
    let bytes = lengths.iter().map(|length| length + 8).sum();
    if bytes > ARGUMENTS || lengths.iter().any(|length| *length > ARGUMENT) {
        return Err(SandboxError::TooLong { bytes, limit: ARGUMENTS, longest: ARGUMENT });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_mountinfo_is_read_whatever_it_holds() {
        let line =
            br"36 35 98:0 /a /mnt\040two\134 rw,noatime shared:1 master:2 - ext4 /dev/root rw";
        assert_eq!(mount(line), Some((PathBuf::from("/mnt two\\"), &b"ext4"[..])));
        let plain = br"22 28 0:21 / /proc rw - proc proc rw";
        assert_eq!(mount(plain), Some((PathBuf::from("/proc"), &b"proc"[..])));
        for broken in [&b""[..], b"1 2", b"22 28 0:21 / /proc rw", br"22 28 0:21 / \9\77 rw -"] {
            assert_eq!(mount(broken), None);
        }
    }
}
