#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Deliberate faults: copies of the locks' sources in which one thing is wrong.

Each fault edits one statement or more, each of which a comment in the source marks: `F:` and a tag.
Where a tag is missing or there twice, or an edit changes nothing, the build stops, and the fault is
to be written anew.  The faults are in faults/, a file for each family of sources.

faults.py --out DIR writes the C files of all faults and faults_table.c; --names lists the C files,
--inputs the files of which copies are made.

The sources that call the faulty one are not compiled again for each fault.  They are compiled once
for each family, without a fault (plain); --callers ARCHIVE OBJECT... makes of these objects, by
renaming symbols, the ones that belong to each fault.
"""
import argparse
import functools
import importlib
import pathlib
import re
import subprocess
import sys
import tempfile

from clex import Source
from edits import EditError, edited
from faults.kinds import Family, Fault
from faults.rules import RULES

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES: list[Family] = [importlib.import_module(f"faults.{path.stem}").FAMILY
                          for path in sorted((HERE / "faults").glob("*.py"))
                          if path.stem not in ("__init__", "kinds", "rules")]

COPY = """/* SPDX-License-Identifier: MIT */
/* Written by faults.py: {about}. */
#include "{fault}/rename.h"
#include "{fault}/{source}"
"""

CALLS = """#define CALLS_OF_A_COPY
#include "programs/{product}_calls.h"
CALLS_TABLE({family}, {list}, {family}_{copy});
"""

SHIPPED = """/* SPDX-License-Identifier: MIT */
/* Written by faults.py. */
"""

# A function that other files can call begins in the first column and is not static.
DEFINITION = re.compile(r"^(?:__attribute__\(\([^()]*\)\) )?(?!static|typedef|extern|__attribute__)"
                        r"[A-Za-z_][^;{}()=]*?\b(fwk?_\w+)\([^;{}]*\)\n\{",
                        re.MULTILINE)


def copy_name(fault: Fault) -> str:
    return "fault_" + fault.name.replace("-", "_")


def c_file(fault: Fault, source: str) -> str:
    return f"{copy_name(fault)}__{pathlib.Path(source).name}"


@functools.cache
def source_of(path: pathlib.Path) -> Source:
    return Source(path.read_text(encoding="utf-8"))


def read(family: Family, fault: Fault, root: pathlib.Path, file: str) -> str:
    """The text of a file as the copy has it: with the fault, and with the copy's own headers."""
    text = source_of(root / file).text
    if file == fault.file:
        try:
            text = edited(source_of(root / file), fault.name, fault.edits)
        except EditError as error:
            sys.exit(f"faults.py: fault {fault.name}: {file}: {error}")
    for header in family.headers:
        name = pathlib.Path(header).name
        if header.startswith("include/"):
            text = text.replace(f"#include <furwock/{name}>", f'#include "{name}"')
        else:
            below = header.removeprefix("src/")
            text = text.replace(f'#include "{below}"', f'#include "{name}"')
    return text


def write_if_new(path: pathlib.Path, text: str, anyway: bool = False) -> bool:
    """Leaves files alone that are as they should be, so that only what changes is built anew."""
    if not anyway and path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def compiled(family: Family, fault: Fault) -> list[str]:
    """The affected sources that are compiled for this fault: those whose text is another one."""
    affected = family.affected(fault)
    return affected if fault.file in family.headers else [
        source for source in affected if f"{family.directory}/{source}" == fault.file]


def callers(family: Family, fault: Fault) -> list[str]:
    """The others of them: of these, objects of the plain copy are renamed."""
    return [source for source in family.affected(fault) if source not in compiled(family, fault)]


def plain(family: Family) -> Fault:
    """A copy in which nothing is wrong."""
    return Fault(f"{family.name.replace('_', '-')}-plain", "nothing is wrong", "", "")


def plain_sources(family: Family) -> list[str]:
    wanted = {source for fault in family.faults for source in callers(family, fault)}
    return [source for source in family.sources if source in wanted]


def names_in(family: Family, sources: list[str], texts: dict[str, str]) -> list[str]:
    """The functions of these sources that other files can call."""
    names = [name for source in sources for name in family.inline.get(source, [])]
    for source in sources:
        names += DEFINITION.findall(texts[f"{family.directory}/{source}"])
    return names


def mutate(family: Family, fault: Fault, root: pathlib.Path, out: pathlib.Path) -> None:
    directory = out / fault.name
    directory.mkdir(parents=True, exist_ok=True)
    is_plain = fault.file == ""
    renamed = family.sources if is_plain else family.affected(fault)
    sources = plain_sources(family) if is_plain else compiled(family, fault)
    if not is_plain and fault.file not in family.files(renamed):
        sys.exit(f"faults.py: {fault.name}: {fault.file} is not of the family {family.name}")
    texts = {file: read(family, fault, root, file) for file in family.files(renamed)}
    is_new = False
    for file in family.files(sources):
        is_new |= write_if_new(directory / pathlib.Path(file).name, texts[file])
    names = names_in(family, renamed, texts)
    defines = "".join(f"#define {n} {copy_name(fault)}_{n}\n" for n in names)
    defines += f"#undef SUBJECT_OWN\n#define SUBJECT_OWN {own_section(fault, names)}\n"
    is_new |= write_if_new(directory / "rename.h", defines)
    for source in sources:
        text = COPY.format(about=fault.about, fault=fault.name, source=pathlib.Path(source).name)
        if source == family.sources[0]:
            text += calls(family, copy_name(fault))
        write_if_new(out / c_file(fault, source), text, anyway=is_new)


def calls(family: Family, copy: str) -> str:
    """The table of a copy's functions."""
    return CALLS.format(product=family.product, family=family.name,
                        list=f"{family.name.upper()}_CALLS", copy=copy)


def own_section(fault: Fault, names: list[str]) -> str:
    """Where variables lie that are a thread's own, in a copy that has these functions."""
    return f"{copy_name(fault)}_own" if "fw_ipc_self_" in names else "model_own_variables"


def renamed_symbols(family: Family, fault: Fault, texts: dict[str, str]) -> str:
    """What makes of the plain copy's symbols this fault's, or the shipped ones; for objcopy."""
    base, copy = copy_name(plain(family)), copy_name(fault)
    of_fault = names_in(family, family.affected(fault), texts)
    pairs = [(f"{base}_{name}", f"{copy}_{name}" if name in of_fault else name)
             for name in names_in(family, family.sources, texts)]
    pairs.append((f"{family.name}_{base}", f"{family.name}_{copy}"))
    pairs += [(f"__{end}_{base}_own", f"__{end}_{own_section(fault, of_fault)}")
              for end in ("start", "stop")]
    return "".join(f"{old} {new}\n" for old, new in pairs)


def write_callers(archive: pathlib.Path, objects: list[pathlib.Path], objcopy: str, ar: str,
                  root: pathlib.Path) -> None:
    """Objects of the plain copies, renamed for each fault."""
    object_of = {re.sub(r"\.(o|obj)$", "", path.name): path for path in objects}
    archive.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(dir=archive.parent) as directory:
        made = []
        for family in (family for family in FAMILIES if plain_sources(family)):
            texts = {file: (root / file).read_text(encoding="utf-8")
                     for file in family.files(family.sources)}
            for fault in family.faults:
                symbols = pathlib.Path(directory) / "symbols"
                symbols.write_text(renamed_symbols(family, fault, texts), encoding="utf-8")
                for source in callers(family, fault):
                    made.append(f"{c_file(fault, source)}.o")
                    subprocess.run(
                        [objcopy, f"--redefine-syms={symbols}", "--rename-section",
                         f"{copy_name(plain(family))}_own={copy_name(fault)}_own",
                         object_of[c_file(plain(family), source)], made[-1]],
                        check=True, cwd=directory)
        subprocess.run([ar, "rcs", archive.resolve(), *made], check=True, cwd=directory)


def table() -> str:
    lines = ["/* SPDX-License-" "Identifier: MIT */", "/* Written by faults.py. */",
             '#include "faults.h"', ""]
    for family in FAMILIES:
        tables = [f"{family.name}_shipped"] + [f"{family.name}_{copy_name(f)}"
                                               for f in family.faults]
        lines += [f"extern const struct {family.name}_calls {t};" for t in tables]
    lines += ["", "const void *const calls_shipped[FAMILIES] = {"]
    lines += [f"    [FAMILY_{f.name.upper()}] = &{f.name}_shipped," for f in FAMILIES]
    lines += ["};", "", "const struct model_fault model_faults[] = {"]
    lines += [f'    {{"{r.name}", "{r.about}", "{r.program}", {r.rule}, 0, NULL}},' for r in RULES]
    lines += [f'    {{"{f.name}", "{f.about}", "{f.program}", FAULT_NONE, '
              f"FAMILY_{family.name.upper()}, &{family.name}_{copy_name(f)}}},"
              for family in FAMILIES for f in family.faults]
    count = len(RULES) + sum(len(family.faults) for family in FAMILIES)
    lines += ["};", f"const unsigned model_fault_count = {count};", ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write faulty copies of the locks' sources.")
    parser.add_argument("--names", action="store_true", help="list the C files and stop")
    parser.add_argument("--plain-names", action="store_true",
                        help="list the C files without a fault and stop")
    parser.add_argument("--inputs", action="store_true", help="list what is copied and stop")
    parser.add_argument("--root", type=pathlib.Path, help="the source tree")
    parser.add_argument("--out", type=pathlib.Path, help="where the copies go")
    parser.add_argument("--callers", type=pathlib.Path, metavar="ARCHIVE",
                        help="write the objects of what calls faulty sources into it")
    parser.add_argument("--objcopy", default="objcopy")
    parser.add_argument("--ar", default="ar")
    parser.add_argument("objects", type=pathlib.Path, nargs="*", help="those without a fault")
    args = parser.parse_args()
    if args.names:
        print(";".join([c_file(f, s) for family in FAMILIES for f in family.faults
                        for s in compiled(family, f)] +
                       [f"shipped_{family.name}.c" for family in FAMILIES] + ["faults_table.c"]))
        return
    if args.plain_names:
        print(";".join(c_file(plain(family), s) for family in FAMILIES
                       for s in plain_sources(family)))
        return
    if args.inputs:
        print(";".join(sorted({file for family in FAMILIES for file in
                               family.files(family.sources)})))
        return
    if args.root is None or (args.out is None and args.callers is None):
        parser.error("--root and --out or --callers are needed")
    if args.callers is not None:
        write_callers(args.callers, [path.resolve() for path in args.objects], args.objcopy,
                      args.ar, args.root)
        return
    for family in FAMILIES:
        for fault in [*family.faults, plain(family)]:
            mutate(family, fault, args.root, args.out)
        write_if_new(args.out / f"shipped_{family.name}.c", SHIPPED + calls(family, "shipped"))
    write_if_new(args.out / "faults_table.c", table())


if __name__ == "__main__":
    main()
