// SPDX-License-Identifier: MIT
//! Compiles the C sources of furwock, as `src/sources.txt` says; or finds an installed library
//! (feature `system`).

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_SYSTEM").is_some() {
        link_installed();
        return;
    }
    refuse_untried_target();
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("csrc");
    for directory in ["src", "include"] {
        watch(&root.join(directory));
    }
    // For crates whose own C code includes the headers: DEP_FURWOCK_INCLUDE.
    println!("cargo:include={}", root.join("include").display());
    compile(&root);
}

/// The formats of the words take a 64-bit little-endian Linux for granted.
fn refuse_untried_target() {
    let of = |key: &str| env::var(key).unwrap_or_default();
    let (os, arch) = (of("CARGO_CFG_TARGET_OS"), of("CARGO_CFG_TARGET_ARCH"));
    let is_known = os == "linux" && (arch == "x86_64" || arch == "aarch64");
    assert!(
        is_known && of("CARGO_CFG_TARGET_POINTER_WIDTH") == "64",
        "furwock runs on 64-bit Linux on x86-64 and AArch64 only; the target is {arch} {os}"
    );
}

/// Runs again when one of the files changes: cargo does not look behind symbolic links itself.
fn watch(directory: &Path) {
    let entries = fs::read_dir(directory).unwrap_or_else(|error| {
        panic!("{}: {error} (are the symbolic links in csrc/ whole?)", directory.display())
    });
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            watch(&path);
        } else {
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
}

/// The kinds of `sources.txt` that fit the target, whose compiler is asked by the preprocessor, so
/// that a cross build works as well.
fn kinds(sanitizers: &[String]) -> [String; 2] {
    let probe = PathBuf::from(env::var("OUT_DIR").unwrap()).join("probe.c");
    let text = "#include <features.h>\n\
                #if defined __x86_64__ && !defined __ILP32__ && defined __GLIBC__\n\
                #if __has_include(<sys/rseq.h>)\n\
                furwock_has_rseq\n\
                #endif\n\
                #endif\n";
    fs::write(&probe, text).unwrap();
    let text = cc::Build::new().file(&probe).cargo_metadata(false).expand();
    let has_rseq = String::from_utf8_lossy(&text).lines().any(|l| l.trim() == "furwock_has_rseq");
    // ThreadSanitizer cannot follow a restartable sequence.
    let rseq = has_rseq && !sanitizers.iter().any(|name| name == "thread");
    [
        String::from(if rseq { "rseq" } else { "no-rseq" }),
        env::var("CARGO_CFG_TARGET_ARCH").unwrap(), // x86_64 or aarch64
    ]
}

/// `-Zsanitizer=...` of the crate's user, which its C code has to follow.
fn sanitizers() -> Vec<String> {
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let named = flags.split(['\x1f', ' ']).filter_map(|f| f.split_once("sanitizer="));
    named.flat_map(|(_, names)| names.split(',')).map(str::to_owned).collect()
}

fn compile(root: &Path) {
    let sanitizers = sanitizers();
    let kinds = kinds(&sanitizers);
    let list = root.join("src/sources.txt");
    let text = fs::read_to_string(&list).unwrap_or_else(|e| panic!("{}: {e}", list.display()));
    let mut build = cc::Build::new();
    build
        .opt_level(2) // also for a debug build: what is tested is what is shipped
        .pic(true)
        .warnings(false);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (line, kind) = match line.split_once(" if ") {
            Some((line, kind)) => (line, Some(kind)),
            None => (line, None),
        };
        if kind.is_some_and(|kind| !kinds.iter().any(|ours| ours == kind)) {
            continue;
        }
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["define", name] => build.define(name, None),
            ["option", flag] => build.flag(flag),
            ["include", directory] => build.include(root.join(directory)),
            ["source", _, file] => build.file(root.join(file)),
            // Programs of ours; and cc compiles without link-time optimisation.
            ["other", ..] | ["no-lto", _] => &mut build,
            _ => panic!("{}: this build cannot read: {line}", list.display()),
        };
    }
    for name in sanitizers {
        build.flag(format!("-fsanitize={name}"));
        build.define("FURWOCK_NO_ANNOTATIONS", None);
    }
    build.compile("furwock");
}

#[cfg(feature = "system")]
fn link_installed() {
    let wanted = env::var("CARGO_PKG_VERSION").unwrap();
    if let Err(error) = pkg_config::Config::new().atleast_version(&wanted).probe("furwock") {
        panic!("feature `system` needs an installed libfurwock {wanted} or later: {error}");
    }
}

#[cfg(not(feature = "system"))]
fn link_installed() {
    unreachable!("called for feature `system` only");
}
