// SPDX-License-Identifier: MIT
//! Compiles the C sources of furwock (or finds an installed library: feature `system`).

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The lists of `src/sources.cmake`, and the directory of each.  A list that only one machine has
/// comes last.
const LISTS: [(&str, &str); 8] = [
    ("fw_core_sources", "core"),
    ("fw_thread_sources", "thread"),
    ("fw_region_sources", "ipc/region"),
    ("fw_ipc_sources", "ipc"),
    ("fw_sys_base_sources", "sys"),
    ("fw_sys_thread_sources", "sys"),
    ("fw_sys_robust_sources", "sys"),
    ("fw_sys_ipc_sources", "sys"),
];
const X86_64_LIST: (&str, &str) = ("fw_sys_machine_sources", "sys");

/// Which variants of the machine-dependent headers fit the target: `cmake/variants.cmake`.
struct Variants {
    release: &'static str,
    call: &'static str,
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_SYSTEM").is_some() {
        link_installed();
        return;
    }
    refuse_untried_target();
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap()).join("csrc");
    println!("cargo:rerun-if-changed={}", root.join("src").display());
    println!("cargo:rerun-if-changed={}", root.join("include").display());
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

/// The words of `set(NAME word...)` in a CMake file.
fn list(text: &str, name: &str) -> Vec<String> {
    let start = format!("set({name} ");
    text.split(&start)
        .skip(1)
        .flat_map(|rest| rest.split(')').next().unwrap().split_whitespace())
        .map(str::to_owned)
        .collect()
}

fn sources(root: &Path, release: &str) -> Vec<PathBuf> {
    let path = root.join("src/sources.cmake");
    let text = fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("{}: {e} (are the symbolic links there?)", path.display()));
    let machine = (release == "x86_64").then_some(X86_64_LIST);
    let mut found = Vec::new();
    for (name, directory) in LISTS.into_iter().chain(machine) {
        let words = list(&text, name);
        assert!(!words.is_empty(), "{}: no list {name}", path.display());
        found.extend(words.iter().map(|word| root.join("src").join(directory).join(word)));
    }
    found
}

/// Asks the target's compiler, by the preprocessor, so that a cross build works as well.
fn variants() -> Variants {
    let probe = PathBuf::from(env::var("OUT_DIR").unwrap()).join("probe.c");
    fs::write(
        &probe,
        "#include <features.h>\n\
         #if defined __x86_64__ && !defined __ILP32__ && defined __GLIBC__ && \\\n\
             defined __has_include\n\
         #if __has_include(<sys/rseq.h>)\n\
         furwock_has_rseq\n\
         #endif\n\
         #endif\n",
    )
    .unwrap();
    let text = cc::Build::new().file(&probe).cargo_metadata(false).expand();
    let has_rseq = String::from_utf8_lossy(&text).lines().any(|l| l.trim() == "furwock_has_rseq");
    // ThreadSanitizer cannot follow a restartable sequence.
    let is_tsan = sanitizers().iter().any(|s| s == "thread");
    let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap();
    Variants {
        release: if has_rseq && !is_tsan { "x86_64" } else { "generic" },
        call: if arch == "x86_64" { "x86_64" } else { "aarch64" },
    }
}

/// `-Zsanitizer=...` of the crate's user, which its C code has to follow.
fn sanitizers() -> Vec<String> {
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let named = flags.split(['\x1f', ' ']).filter_map(|f| f.split_once("sanitizer="));
    named.flat_map(|(_, names)| names.split(',')).map(str::to_owned).collect()
}

fn compile(root: &Path) {
    let variants = variants();
    let src = root.join("src");
    let mut build = cc::Build::new();
    build
        .std("c11")
        .define("_GNU_SOURCE", None)
        .opt_level(2) // also for a debug build: what is tested is what is shipped
        .pic(true)
        .flag("-fvisibility=hidden")
        // Cancelled threads are unwound through waits, and panics through initialisers.
        .flag("-fexceptions")
        .flag("-fasynchronous-unwind-tables")
        .include(root.join("include"))
        .include(&src)
        .include(src.join("thread/default"))
        .include(src.join("sys").join(variants.release))
        .include(src.join("sys/call").join(variants.call))
        .warnings(false)
        .files(sources(root, variants.release));
    for name in sanitizers() {
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
