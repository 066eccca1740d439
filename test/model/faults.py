#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Deliberate faults: copies of the locks' sources in which one thing is wrong.

Each fault replaces one exact piece of text, which must occur exactly once; where it does not any
more, the build stops, and the fault is to be written anew.  The faults are in faults/, a file for
each family of sources.

faults.py --out DIR writes the C files of all faults and faults_table.c; --names lists the C files,
--inputs the files of which copies are made.
"""
import argparse
import importlib
import pathlib
import re
import sys

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

CALLS = """#define CALLS {family}_{copy}
#include "programs/{family}_calls.c"
"""

# A function that other files can call begins in the first column and is not static.
DEFINITION = re.compile(r"^(?:__attribute__\(\([^()]*\)\) )?(?!static|typedef|extern|__attribute__)"
                        r"[A-Za-z_][^;{}()=]*?\b(fw_\w+)\([^;{}]*\)\n\{",
                        re.MULTILINE)


def copy_name(fault: Fault) -> str:
    return "fault_" + fault.name.replace("-", "_")


def c_file(fault: Fault, source: str) -> str:
    return f"{copy_name(fault)}__{pathlib.Path(source).name}"


def read(family: Family, fault: Fault, root: pathlib.Path, file: str) -> str:
    """The text of a file as the copy has it: with the fault, and with the copy's own headers."""
    text = (root / file).read_text(encoding="utf-8")
    if file == fault.file:
        if text.count(fault.old) != 1:
            sys.exit(f"faults.py: {fault.name}: its text occurs {text.count(fault.old)} times "
                     f"in {file}, not once; write the fault anew:\n{fault.old}")
        text = text.replace(fault.old, fault.new)
    for header in family.headers:
        name = pathlib.Path(header).name
        if header.startswith("include/"):
            text = text.replace(f"#include <furwock/{name}>", f'#include "{name}"')
        else:
            text = text.replace(f'#include "ipc/{name}"', f'#include "{name}"')
            text = text.replace(f'#include "rt/{name}"', f'#include "{name}"')
            text = text.replace(f'#include "sys/{name}"', f'#include "{name}"')
            text = text.replace(f'#include "rt/scx/{name}"', f'#include "{name}"')
    return text


def write_if_new(path: pathlib.Path, text: str, anyway: bool = False) -> bool:
    """Leaves files alone that are as they should be, so that only what changes is built anew."""
    if not anyway and path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    path.write_text(text, encoding="utf-8")
    return True


def mutate(family: Family, fault: Fault, root: pathlib.Path, out: pathlib.Path) -> None:
    directory = out / fault.name
    directory.mkdir(parents=True, exist_ok=True)
    sources = family.affected(fault)
    if fault.file not in family.files(sources):
        sys.exit(f"faults.py: {fault.name}: {fault.file} is not of the family {family.name}")
    is_new = False
    names = [name for source in sources for name in family.inline.get(source, [])]
    for file in family.files(sources):
        text = read(family, fault, root, file)
        is_new |= write_if_new(directory / pathlib.Path(file).name, text)
        if file.endswith(".c"):
            names += DEFINITION.findall(text)
    defines = "".join(f"#define {n} {copy_name(fault)}_{n}\n" for n in names)
    if "fw_ipc_self_" in names:
        defines += f"#undef SUBJECT_OWN\n#define SUBJECT_OWN {copy_name(fault)}_own\n"
    is_new |= write_if_new(directory / "rename.h", defines)
    for source in sources:
        text = COPY.format(about=fault.about, fault=fault.name, source=pathlib.Path(source).name)
        if source == sources[0]:
            text += CALLS.format(family=family.name, copy=copy_name(fault))
        write_if_new(out / c_file(fault, source), text, anyway=is_new)


def table() -> str:
    lines = ["/* SPDX-License-Identifier: MIT */", "/* Written by faults.py. */",
             '#include "faults.h"', ""]
    for family in FAMILIES:
        calls = [f"{family.name}_shipped"] + [f"{family.name}_{copy_name(f)}"
                                              for f in family.faults]
        lines += [f"extern const struct {family.name}_calls {c};" for c in calls]
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
    parser.add_argument("--inputs", action="store_true", help="list what is copied and stop")
    parser.add_argument("--root", type=pathlib.Path, help="the source tree")
    parser.add_argument("--out", type=pathlib.Path, help="where the copies go")
    args = parser.parse_args()
    if args.names:
        print(";".join([c_file(f, s) for family in FAMILIES for f in family.faults
                        for s in family.affected(f)] + ["faults_table.c"]))
        return
    if args.inputs:
        print(";".join(sorted({file for family in FAMILIES for file in
                               family.files(family.sources)})))
        return
    if args.root is None or args.out is None:
        parser.error("--root and --out are needed")
    for family in FAMILIES:
        for fault in family.faults:
            mutate(family, fault, args.root, args.out)
    write_if_new(args.out / "faults_table.c", table())


if __name__ == "__main__":
    main()
