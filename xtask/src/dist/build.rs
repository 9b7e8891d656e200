//! The binary that is released: the same bytes from every folder, for every Linux with a C library of 2014 or later.
//!
//! maturin builds it, once for all packages, because it also writes the wheel and checks that it keeps to manylinux2014.
//! zig links it, because its linker can be told which C library to be content with. Paths of the machine are replaced
//! where compilers write them down (panics, `__FILE__`), and the result is searched for those that are left.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::cargo_graph::CargoGraph;
use super::tools::Tools;
use super::{GLIBC, Release, TARGET};
use crate::{execute, report};

/// What the binary may weigh at most.
const LIMIT: usize = 30_000_000;

/// What one build gives.
pub(crate) struct Built {
    pub(crate) binary: Vec<u8>,
    /// The Python wheel with the same binary: its file name and its bytes.
    pub(crate) wheel: (String, Vec<u8>),
}

/// Builds the binary and checks what is promised of it.
pub(crate) fn build(release: &Release, tools: &Tools, graph: &CargoGraph) -> Result<Built> {
    let folder = release.target.join("wheel");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let mut maturin = prepared(&tools.program("maturin"), release, tools, graph)?;
    maturin
        .args(["build", "--locked", "--zig", "--compatibility", "manylinux2014"])
        .args(["--profile", "dist", "--target", TARGET, "--out"])
        .arg(&folder);
    execute(&mut maturin)?;
    let binary = fs::read(path(release)).context("maturin built no binary")?;
    check(release, tools, graph, &binary)?;
    Ok(Built { binary, wheel: wheel(release, &folder)? })
}

/// The one file in the folder.
fn wheel(release: &Release, folder: &Path) -> Result<(String, Vec<u8>)> {
    let mut found = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    ensure!(found.len() == 1, "maturin wrote {} files instead of one", found.len());
    let file = found.pop().context("one file")?;
    let name = file.file_name().to_string_lossy().into_owned();
    let wanted = format!("regreen-{}-py3-none-manylinux", release.version);
    ensure!(name.starts_with(&wanted), "maturin wrote {name}, not {wanted}…");
    Ok((name, fs::read(file.path())?))
}

/// Where [`build`] leaves what it built.
pub(crate) fn path(release: &Release) -> PathBuf {
    release.target.join(TARGET).join("dist/regreen")
}

/// The libraries that a program needs, with the newest version of the C library that it asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Needs {
    pub(crate) libraries: Vec<String>,
    pub(crate) glibc: (u32, u32),
}

pub(crate) fn needs(binary: &Path) -> Result<Needs> {
    let output = Command::new("objdump").arg("-p").arg(binary).output();
    let output = output.context("dist needs objdump, of binutils")?;
    ensure!(output.status.success(), "objdump ended with {}", output.status);
    Ok(parse_needs(&String::from_utf8(output.stdout)?))
}

fn parse_needs(dump: &str) -> Needs {
    let words = || dump.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let library = |line: Vec<&str>| match *line {
        ["NEEDED", library] => Some(library.to_owned()),
        _ => None,
    };
    let version = |line: Vec<&str>| {
        let version = line.last()?.strip_prefix("GLIBC_")?;
        let mut numbers = version.split('.').map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    let mut libraries: Vec<String> = words().filter_map(library).collect();
    libraries.sort();
    Needs { libraries, glibc: words().filter_map(version).max().unwrap_or_default() }
}

fn check(release: &Release, tools: &Tools, graph: &CargoGraph, binary: &[u8]) -> Result<()> {
    report(&format!("dist: the binary has {} bytes", binary.len()));
    ensure!(binary.len() < LIMIT, "the binary has {} bytes, the limit is {LIMIT}", binary.len());
    let needs = needs(&path(release))?;
    ensure!(
        needs.glibc <= GLIBC,
        "the binary asks for glibc {:?}, newer than {GLIBC:?}",
        needs.glibc
    );
    for folder in private_folders(release, tools, graph) {
        let folder = folder.as_os_str().as_encoded_bytes();
        if let Some(at) = find(binary, folder) {
            let end = (at + 160).min(binary.len());
            bail!(
                "the binary names a folder of this machine: {}",
                String::from_utf8_lossy(&binary[at..end]).escape_debug()
            );
        }
    }
    Ok(())
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|it| it == needle)
}

/// The folders that nobody but this machine has.
fn private_folders(release: &Release, tools: &Tools, graph: &CargoGraph) -> Vec<PathBuf> {
    let ours = [&release.source, &release.target].map(PathBuf::clone);
    let registries = graph.registries.iter().cloned();
    ours.into_iter().chain([tools.folder().to_path_buf()]).chain(registries).collect()
}

/// C code that asks when it is compiled gets no answer. The time of the commit would be the same in two builds from
/// nothing, but cargo does not compile C again because the commit is another.
const NO_TIME: &str = concat!(
    " -Wno-builtin-macro-redefined",
    " -D__DATE__=\"redacted\" -D__TIME__=\"redacted\" -D__TIMESTAMP__=\"redacted\"",
);

/// A command in which compilers and linkers find the tools, and write down no path of this machine.
fn prepared(
    program: &Path,
    release: &Release,
    tools: &Tools,
    graph: &CargoGraph,
) -> Result<Command> {
    // Of several prefixes that fit, rustc takes the last and clang, too: the target folder is below the source.
    let mut maps = vec![(release.source.clone(), "/regreen")];
    maps.extend(graph.registries.iter().map(|it| (it.clone(), "/registry")));
    maps.push((release.target.clone(), "/target"));
    maps.push((tools.folder().to_path_buf(), "/tools"));
    let join = |flag: &str, separator: &str| {
        let mut flags = OsString::new();
        for (idx, (from, to)) in maps.iter().enumerate() {
            flags.push(if idx == 0 { "" } else { separator });
            flags.push(flag);
            flags.push(from);
            flags.push(format!("={to}"));
        }
        flags
    };
    let mut flags_of_c = join("-ffile-prefix-map=", " ");
    flags_of_c.push(NO_TIME);
    let mut command = Command::new(program);
    command.current_dir(&release.source);
    command
        .env("PATH", tools.path()?)
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .env("SOURCE_DATE_EPOCH", release.epoch.to_string())
        .env("CARGO_TARGET_DIR", &release.target)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_ENCODED_RUSTFLAGS", join("--remap-path-prefix=", "\u{1f}"))
        .env(format!("CFLAGS_{}", TARGET.replace('-', "_")), flags_of_c)
        .env("CARGO_ZIGBUILD_CACHE_DIR", release.target.join("zigbuild"))
        .env("ZIG_GLOBAL_CACHE_DIR", release.target.join("zig"))
        .env("ZIG_LOCAL_CACHE_DIR", release.target.join("zig-local"));
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_read_from_a_dump() {
        let dump = "Dynamic Section:\n  NEEDED               libm.so.6\n  NEEDED               libc.so.6\n\n\
                    Version References:\n  required from libc.so.6:\n    0x06969197 0x00 03 GLIBC_2.17\n\
                    \x20   0x09691a75 0x00 02 GLIBC_2.2.5\n    0x0d696914 0x00 02 GLIBC_2.4\n";
        let libraries = ["libc.so.6", "libm.so.6"].map(str::to_owned).to_vec();
        assert_eq!(parse_needs(dump), Needs { libraries, glibc: (2, 17) });
    }

    #[test]
    fn a_path_is_found_anywhere() {
        assert_eq!(find(b"xx/home/me/y", b"/home/me"), Some(2));
        assert_eq!(find(b"xx", b"/home/me"), None);
    }
}
