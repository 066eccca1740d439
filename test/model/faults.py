#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Deliberate faults: copies of the locks' sources in which one thing is wrong.

Each fault edits one statement or more, each of which a comment in the source marks: `F:` and a tag.
Where a tag is missing or there twice, or an edit changes nothing, the build stops, and the fault is
to be written anew.  The faults are in faults/, a file for each family of sources.

A family has one copy, with all of its faults: which of them is in use is said when fw-model runs
(variants.py).  faults.py --out DIR writes the copies and faults_table.c; --names lists the C files,
--inputs the files of which copies are made; --show NAME what a fault has become.
"""
import argparse
import difflib
import functools
import importlib
import pathlib
import re
import sys

from clex import Source
from edits import EditError, changed, changes
from faults.kinds import Family
from faults.rules import RULES
from variants import IN_USE, with_variants

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES: list[Family] = [importlib.import_module(f"faults.{path.stem}").FAMILY
                          for path in sorted((HERE / "faults").glob("*.py"))
                          if path.stem not in ("__init__", "kinds", "rules")]

COPY = """/* SPDX-License-Identifier: MIT */
/* Written by faults.py: {source} with its faults. */
#include "{copy}/rename.h"
#include "{copy}/{name}"
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


def copy_name(family: Family) -> str:
    return f"faulty_{family.name}"


def c_file(family: Family, source: str) -> str:
    return f"{copy_name(family)}__{pathlib.Path(source).name}"


@functools.cache
def source_of(path: pathlib.Path) -> Source:
    return Source(path.read_text(encoding="utf-8"))


def copied(family: Family, root: pathlib.Path, file: str) -> str:
    """The text of a file as the copy has it: with its faults, and with the copy's own headers."""
    faults = {number: fault for number, fault in enumerate(family.faults, 1) if fault.file == file}
    try:
        text = with_variants(source_of(root / file), faults)
    except EditError as error:
        sys.exit(f"faults.py: {error}")
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


def linkable(family: Family, root: pathlib.Path) -> list[str]:
    """The functions of a family's sources that other files can call."""
    names = [name for source in family.sources for name in family.inline.get(source, [])]
    for source in family.paths():
        names += DEFINITION.findall(source_of(root / source).text)
    return names


def copy(family: Family, root: pathlib.Path, out: pathlib.Path) -> None:
    strangers = {fault.file for fault in family.faults} - set(family.files())
    if strangers:
        sys.exit(f"faults.py: not of the family {family.name}: {', '.join(sorted(strangers))}")
    directory = out / copy_name(family)
    directory.mkdir(parents=True, exist_ok=True)
    is_new = False
    for file in family.files():
        is_new |= write_if_new(directory / pathlib.Path(file).name, copied(family, root, file))
    names = linkable(family, root)
    own = f"{copy_name(family)}_own" if "fw_ipc_self_" in names else "model_own_variables"
    defines = "".join(f"#define {name} {copy_name(family)}_{name}\n" for name in names)
    defines += f"#undef SUBJECT_OWN\n#define SUBJECT_OWN {own}\nextern unsigned {IN_USE};\n"
    is_new |= write_if_new(directory / "rename.h", defines)
    for source in family.sources:
        text = COPY.format(source=source, copy=copy_name(family), name=pathlib.Path(source).name)
        if source == family.sources[0]:
            text += calls(family, "faulty")
        write_if_new(out / c_file(family, source), text, anyway=is_new)


def calls(family: Family, which: str) -> str:
    """The table of a copy's functions."""
    return CALLS.format(product=family.product, family=family.name,
                        list=f"{family.name.upper()}_CALLS", copy=which)


def table() -> str:
    lines = ["/* SPDX-License-" "Identifier: MIT */", "/* Written by faults.py. */",
             '#include "faults.h"', ""]
    for family in FAMILIES:
        for which in ["shipped"] + ["faulty"] * bool(family.faults):
            lines.append(f"extern const struct {family.name}_calls {family.name}_{which};")
    for which in ("shipped", "copies"):
        lines += ["", f"const void *const calls_{which}[FAMILIES] = {{"]
        for family in FAMILIES:
            is_copy = which == "copies" and family.faults
            lines.append(f"    [FAMILY_{family.name.upper()}] = &{family.name}_" +
                         ("faulty," if is_copy else "shipped,"))
        lines.append("};")
    lines += ["", "const struct model_fault model_faults[] = {"]
    lines += [f'    {{"{r.name}", "{r.about}", "{r.program}", {r.rule}, 0, 0}},' for r in RULES]
    lines += [f'    {{"{f.name}", "{f.about}", "{f.program}", FAULT_NONE, '
              f"FAMILY_{family.name.upper()}, {number}}},"
              for family in FAMILIES for number, f in enumerate(family.faults, 1)]
    count = len(RULES) + sum(len(family.faults) for family in FAMILIES)
    lines += ["};", f"const unsigned model_fault_count = {count};", ""]
    return "\n".join(lines)


def show(name: str, root: pathlib.Path) -> None:
    """What a fault changes in the source, as a patch."""
    for fault in (fault for family in FAMILIES for fault in family.faults if fault.name == name):
        source = source_of(root / fault.file)
        try:
            text = changed(source.text, 0, changes(source, fault.name, fault.edits))
        except EditError as error:
            sys.exit(f"faults.py: fault {name}: {fault.file}: {error}")
        print("\n".join(difflib.unified_diff(source.text.splitlines(), text.splitlines(),
                                             fault.file, f"{fault.file} ({name})", lineterm="")))
        return
    sys.exit(f"faults.py: no fault {name} in a source")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write copies of the locks' sources with faults.")
    parser.add_argument("--names", action="store_true", help="list the C files and stop")
    parser.add_argument("--inputs", action="store_true", help="list what is copied and stop")
    parser.add_argument("--show", metavar="NAME", help="show what a fault changes and stop")
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parents[1],
                        help="the source tree")
    parser.add_argument("--out", type=pathlib.Path, help="where the copies go")
    args = parser.parse_args()
    faulty = [family for family in FAMILIES if family.faults]
    if args.names:
        print(";".join([c_file(family, source) for family in faulty for source in family.sources] +
                       [f"shipped_{family.name}.c" for family in FAMILIES] + ["faults_table.c"]))
        return
    if args.inputs:
        print(";".join(sorted({file for family in faulty for file in family.files()})))
        return
    if args.show is not None:
        show(args.show, args.root)
        return
    if args.out is None:
        parser.error("--out is needed")
    for family in faulty:
        copy(family, args.root, args.out)
    for family in FAMILIES:
        write_if_new(args.out / f"shipped_{family.name}.c", SHIPPED + calls(family, "shipped"))
    write_if_new(args.out / "faults_table.c", table())


if __name__ == "__main__":
    main()
