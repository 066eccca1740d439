// SPDX-License-Identifier: MIT
//! Is each declaration of this crate what the C headers say?  The declarations are read from the
//! source, written down in C, and given to the C compiler together with the headers: two prototypes
//! of one function must agree, and so must sizes, offsets, types of fields, and constants.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn manifest(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text without comments and attributes, every run of blanks one blank.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let kept: Vec<&str> = lines.filter(|line| !line.trim_start().starts_with("#[")).collect();
    kept.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A type of Rust in C; `name` is that of what has the type, or empty.
fn c_declaration(rust: &str, name: &str) -> String {
    let rust = rust.trim();
    let callback = "Option<unsafe extern \"C-unwind\" fn(*mut c_void) -> c_int>";
    if rust == callback || rust == callback.replace("C-unwind", "C") {
        return format!("int (*{name})(void *)");
    }
    match rust {
        "Option<fw_await_done>" => return format!("void (*{name})(fw_await *, int)"),
        "Option<fw_predicate>" => return format!("bool (*{name})(void *)"),
        "Option<fw_await_wake>" => return format!("void (*{name})(void *)"),
        "Option<fw_region_init>" => return format!("int (*{name})(void *, void *)"),
        "Option<fw_ipc_repair>" => return format!("int (*{name})(void *, const fw_ipc_death *)"),
        _ => {}
    }
    if let Some(target) = rust.strip_prefix("*mut ") {
        return c_declaration(target, &format!("*{name}"));
    }
    if let Some(target) = rust.strip_prefix("*const ") {
        return match target.starts_with('*') {
            true => c_declaration(target, &format!("*const {name}")),
            false => format!("const {}", c_declaration(target, &format!("*{name}"))),
        };
    }
    if let Some((item, count)) =
        rust.strip_prefix('[').and_then(|r| r.strip_suffix(']')?.split_once(';'))
    {
        return c_declaration(item, &format!("{name}[{}]", count.trim()));
    }
    let base = match rust {
        "c_int" | "i32" => "int",
        "c_uint" => "unsigned",
        "c_char" => "char",
        "c_void" | "" => "void",
        "bool" => "bool",
        "u8" => "uint8_t",
        "u16" => "uint16_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i64" => "int64_t",
        "usize" => "size_t",
        "isize" => "ssize_t",
        "timespec" => "struct timespec",
        other if other.starts_with("fw_") => other,
        other => panic!("teach c_declaration the type {other} (of {name})"),
    };
    format!("{base} {name}")
}

/// Splits at commas that are in no bracket.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (place, c) in list.char_indices() {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if !list[..place].ends_with('-') => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// What stands between `open`, at the start, and the bracket that closes it; and what follows.
fn bracketed(text: &str) -> (&str, &str) {
    let mut depth = 0;
    for (place, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&text[1..place], &text[place + 1..]);
        }
    }
    panic!("no closing bracket: {text:.60}");
}

fn functions(source: &str, c: &mut String) -> usize {
    let mut count = 0;
    for block in
        source.split("extern \"C").skip(1).filter_map(|b| b.split_once("\" {").map(|b| b.1))
    {
        let (inside, _) = bracketed(&source[source.find(block).unwrap() - 1..]);
        for function in inside.split("pub fn ").skip(1) {
            let (name, rest) = function.split_at(function.find('(').unwrap());
            let (arguments, rest) = bracketed(rest);
            let result = rest.split(';').next().unwrap().trim().trim_start_matches("->");
            let arguments: Vec<String> = parts(arguments)
                .into_iter()
                .map(|argument| argument.split_once(": ").unwrap())
                .map(|(name, rust)| c_declaration(rust, name.trim_start_matches("r#")))
                .collect();
            let arguments = if arguments.is_empty() { "void".into() } else { arguments.join(", ") };
            writeln!(c, "{};", c_declaration(result, &format!("{name}({arguments})"))).unwrap();
            count += 1;
        }
    }
    count
}

fn structs(source: &str, c: &mut String) -> usize {
    let mut count = 0;
    for found in source.split("pub struct ").skip(1) {
        let name = found.split([' ', '{']).next().unwrap();
        let (fields, _) = bracketed(&found[found.find('{').unwrap()..]);
        let of = if name == "timespec" { "struct timespec" } else { name };
        let fields: Vec<(&str, &str)> = parts(fields)
            .into_iter()
            .map(|field| field.trim_start_matches("pub ").split_once(": ").unwrap())
            .collect();
        writeln!(c, "struct rust_{name} {{").unwrap();
        for (field, rust) in &fields {
            writeln!(c, "{};", c_declaration(rust, field)).unwrap();
        }
        writeln!(c, "}};\nsame(sizeof(struct rust_{name}), sizeof({of}));").unwrap();
        writeln!(c, "same(_Alignof(struct rust_{name}), _Alignof({of}));").unwrap();
        for (field, _) in fields {
            writeln!(c, "same(offsetof(struct rust_{name}, {field}), offsetof({of}, {field}));")
                .unwrap();
            writeln!(
                c,
                "same(sizeof((struct rust_{name} *)0)->{field}, sizeof(({of} *)0)->{field});"
            )
            .unwrap();
        }
        count += 1;
    }
    count
}

/// Constants of which the value is a number.
fn numbers(source: &str, c: &mut String) -> usize {
    let mut count = 0;
    for found in source.split("pub const ").skip(1).filter(|found| !found.starts_with("fn ")) {
        let (name, rest) = found.split_once(": ").unwrap();
        let value = rest.split_once(" = ").unwrap().1.split(';').next().unwrap().replace('_', "");
        if value.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            writeln!(c, "same({name}, {value});").unwrap();
            count += 1;
        }
    }
    count
}

#[test]
fn are_those_of_the_headers() {
    let mut c = String::from(
        "#include <errno.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\
         #include <time.h>\n#include <furwock.h>\n#include <furwock/ipc.h>\n\
         #define same(a, b) _Static_assert((a) == (b), #a)\n",
    );
    let mut found = (0, 0, 0);
    for file in [
        "src/note.rs",
        "src/task.rs",
        "src/thread.rs",
        "src/time.rs",
        "src/ipc.rs",
        "src/ipc/objects.rs",
        "src/ipc/task.rs",
    ] {
        let source = plain(&std::fs::read_to_string(manifest(file)).unwrap());
        found.0 += functions(&source, &mut c);
        found.1 += structs(&source, &mut c);
        found.2 += numbers(&source, &mut c);
    }
    assert!(found.0 > 180 && found.1 > 20 && found.2 > 40, "declarations found: {found:?}");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("declarations.c");
    std::fs::write(&path, c).unwrap();
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let status = Command::new(compiler)
        .args(["-std=c11", "-D_GNU_SOURCE", "-fsyntax-only", "-Werror"])
        .args(["-Wno-unused-function", "-Wno-redundant-decls"])
        .arg("-I")
        .arg(manifest("csrc/include"))
        .arg(path)
        .status()
        .expect("the C compiler that has compiled the library");
    assert!(status.success(), "declarations and headers differ; see the C compiler's messages");
}
