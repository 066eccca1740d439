// SPDX-License-Identifier: MIT
//! Cuts parking_lot's own tests out of its source, as cargo has it in its registry, and writes them
//! to the build directory with `crate::` and `parking_lot::` replaced.  Nothing of it is kept in
//! this tree.  README.md says what is left out, and why.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files with tests, and what stands for `crate` in each: a module of src/lib.rs.
const FILES: [(&str, &str); 6] = [
    ("condvar", "xtests::default"),
    ("fair_mutex", "xtests::default"),
    ("mutex", "xtests::default"),
    ("once", "xtests::default"),
    ("remutex", "xtests::default"),
    ("rwlock", "xtests::readers"),
];
/// The files of its directory `tests`.
const INTEGRATION: [&str; 2] = ["issue_203", "issue_392"];

/// Where cargo keeps the source of parking_lot.
fn source() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap();
    let run = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--filter-platform"])
        .arg(env::var("TARGET").unwrap())
        .output()
        .unwrap();
    assert!(run.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    let is_ours = |path: &&str| {
        Path::new(path).parent().and_then(Path::file_name).is_some_and(|directory| {
            directory
                .to_string_lossy()
                .strip_prefix("parking_lot-")
                .is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()))
        })
    };
    let paths = text.split("\"manifest_path\":\"").skip(1).filter_map(|s| s.split('"').next());
    let manifest = paths.into_iter().find(is_ours).expect("the source of parking_lot");
    Path::new(manifest).parent().unwrap().to_owned()
}

/// The modules of tests: from their attribute to the brace at the beginning of a line.
fn modules(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n#[cfg(test)]\nmod ").skip(1).map(|module| {
        let end = module.find("\n}\n").or_else(|| module.rfind("\n}")).expect("the module's end");
        &module[..end + 2]
    })
}

/// The examples of the documentation, each a test.
fn examples(text: &str) -> String {
    let mut tests = String::new();
    let mut is_inside = false;
    for line in text.lines().map(str::trim_start).filter_map(|line| line.strip_prefix("///")) {
        match (line.trim() == "```", is_inside) {
            (true, false) => writeln!(tests, "#[test] fn example_{}() {{", tests.len()).unwrap(),
            (true, true) => writeln!(tests, "}}").unwrap(),
            (false, true) => {
                writeln!(tests, "{}", line.trim_start().trim_start_matches("# ")).unwrap()
            }
            (false, false) => {}
        }
        is_inside ^= line.trim() == "```";
    }
    tests
}

/// The same test, of other locks.
fn replaced(text: &str, stand_in: &str) -> String {
    text.replace("crate::", &format!("{stand_in}::"))
        .replace("parking_lot::", &format!("{stand_in}::"))
        .replace("rand::", "xtests::rand::")
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../Cargo.lock");
    println!("cargo:rustc-check-cfg=cfg(feature, values(\"arc_lock\", \"serde\"))");
    println!("cargo:rustc-cfg=feature=\"arc_lock\"");
    let source = source();
    let read = |path: PathBuf| {
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let mut out = String::new();
    for (file, stand_in) in FILES {
        let text = read(source.join("src").join(file).with_extension("rs"));
        writeln!(out, "mod {file} {{\n").unwrap();
        for module in modules(&text) {
            let (name, rest) = module.split_once('{').unwrap();
            let rest = replaced(rest, stand_in);
            writeln!(out, "mod {name} {{ use xtests::Internal as _; {rest}").unwrap();
        }
        writeln!(out, "mod examples {{\n{}}}\n}}", replaced(&examples(&text), stand_in)).unwrap();
    }
    for file in INTEGRATION {
        let text = read(source.join("tests").join(file).with_extension("rs"));
        let text = replaced(&text, "xtests::default");
        writeln!(out, "mod {file} {{\n{text}}}").unwrap();
    }
    let to = PathBuf::from(env::var("OUT_DIR").unwrap()).join("parking_lot.rs");
    fs::write(to, out).unwrap();
}
