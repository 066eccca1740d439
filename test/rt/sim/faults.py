#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Copies of rt/decide.h that are wrong in one place each, for the simulator to find out.

Each fault replaces one exact piece of text, which must occur exactly once; where it does not any
more, the build stops, and the fault is to be written anew.

faults.py --out DIR writes the C files of all faults and faults_table.c; --names lists them.
"""
import argparse
import pathlib
import sys
from typing import NamedTuple


class Fault(NamedTuple):
    """A fault in the text of rt/decide.h."""

    name: str
    about: str
    old: str
    new: str


FAULTS = [
    Fault("ceiling-not-above", "a priority that is the ceiling is enough to get a lock",
          "        if (w->task[t % FW_RT_TASKS].base > ceiling)\n            o.lock",
          "        if (w->task[t % FW_RT_TASKS].base >= ceiling)\n            o.lock"),
    Fault("can-lock-not-above", "the same for locks that are taken without asking",
          "    return w->task[t % FW_RT_TASKS].base > ceiling;\n",
          "    return w->task[t % FW_RT_TASKS].base >= ceiling;\n"),
    Fault("can-lock-always", "locks are taken without asking whatever the ceiling",
          "    return w->task[t % FW_RT_TASKS].base > ceiling;\n", "    return 1;\n"),
    Fault("any-ceiling", "the ceiling is that of the last lock, not of the highest",
          "fw_rt_has_ceiling(l->kind) && l->ceiling > *ceiling)",
          "fw_rt_has_ceiling(l->kind))"),
    Fault("own-ceiling", "a task's own locks count against it",
          "        if ((uint32_t)i == t || held == 0 || c->cpu != cpu)\n"
          "            continue;\n"
          "        FW_RT_EACH(d, FW_RT_LOCKS)\n"
          "        {\n"
          "            const struct",
          "        if (held == 0 || c->cpu != cpu)\n"
          "            continue;\n"
          "        FW_RT_EACH(d, FW_RT_LOCKS)\n"
          "        {\n"
          "            const struct"),
    Fault("ceiling-everywhere", "locks of other CPUs count",
          "        if ((uint32_t)i == t || held == 0 || c->cpu != cpu)\n"
          "            continue;\n"
          "        FW_RT_EACH(d, FW_RT_LOCKS)\n"
          "        {\n"
          "            const struct",
          "        if ((uint32_t)i == t || held == 0)\n"
          "            continue;\n"
          "        FW_RT_EACH(d, FW_RT_LOCKS)\n"
          "        {\n"
          "            const struct"),
    Fault("no-inheritance", "who is in the way does not run in the place of who waits",
          "        at = o.task;\n", "        break;\n"),
    Fault("one-hop", "only the first in a chain of waiters lends its priority",
          "    FW_RT_EACH(hop, FW_RT_TASKS)\n", "    FW_RT_EACH(hop, 2)\n"),
    Fault("blocked-runs", "who asks for a lock runs, lock or not",
          "        if (c->request == 0) {\n            found = at;\n",
          "        if (1) {\n            found = at;\n"),
    Fault("asleep-stops-all", "where nobody can act for the most urgent one, nobody runs",
          "            stuck |= fw_rt_bit(first);\n            continue;\n",
          "            break;\n"),
    Fault("immediate-not-raised", "IPCP: a section does not raise its task",
          "        return l->ceiling;\n", "        return 0;\n"),
    Fault("immediate-lets-in", "IPCP: a task whose priority is the ceiling goes first",
          "        return rank > c->base;\n", "        return rank == c->base;\n"),
    Fault("not-boosted", "MPCP: a section does not boost its task",
          "        return FW_RT_BOOSTED + fw_rt_remote_ceiling(l, c->cpu);\n",
          "        return fw_rt_remote_ceiling(l, c->cpu);\n"),
    Fault("local-ceiling", "MPCP: boosts by the highest user, wherever it is",
          "    return l->top_cpu == cpu ? l->second : l->top;\n", "    return l->top;\n"),
    Fault("youngest-first", "FMLP+: the youngest request is boosted most",
          "FW_RT_BOOSTED + FW_RT_AGES - (c->stamp", "FW_RT_BOOSTED + (c->stamp"),
    Fault("stamp-kept", "FMLP+: a lock that was left and taken anew keeps its old stamp",
          "    if ((now & ~before) != 0 || (now != 0 && unlocked))\n",
          "    if ((now & ~before) != 0)\n"),
    Fault("stamp-always", "FMLP+: each look at a section makes its request younger",
          "    if ((now & ~before) != 0 || (now != 0 && unlocked))\n", "    if (now != 0)\n"),
    Fault("fifo-grants", "MPCP: the waiter that asked first is next",
          "l->kind == FW_RT_KIND_FMLP ? c->ticket", "l->kind != 0 ? c->ticket"),
    Fault("urgent-grants", "FMLP+: the most urgent waiter is next",
          "l->kind == FW_RT_KIND_FMLP ? c->ticket", "l->kind == 0 ? c->ticket"),
    Fault("least-urgent-grants", "MPCP: the least urgent waiter is next",
          ": c->base > n->base)", ": c->base < n->base)"),
    Fault("unlock-not-told", "an unlock tells nobody",
          "        if (fw_rt_rank(w, (uint32_t)i) >= own->base)\n", "        if (0)\n"),
    Fault("boosted-not-seen", "an unlock does not tell less urgent ones in sections",
          "        if (fw_rt_rank(w, (uint32_t)i) >= own->base)\n",
          "        if (c->base >= own->base)\n"),
    Fault("asleep-waited-for", "an unlock tells only those who sleep",
          "c->state != FW_RT_LIVE || !c->ready || c->cpu != own->cpu)",
          "c->state != FW_RT_LIVE || c->ready || c->cpu != own->cpu)"),
    Fault("nobody-ahead", "who wakes up lets no section go first",
          "            if (by != 0 && fw_rt_is_before(c, by, best, rank)) {\n",
          "            if (0) {\n"),
    Fault("own-section-forgotten", "who wakes up in a section lets all others go first",
          "    uint64_t rank = fw_rt_rank(w, t);\n", "    uint64_t rank = best->base;\n"),
    Fault("second-forgotten", "a new highest user makes the old one forgotten",
          "        l->second = l->top;\n", ""),
    Fault("top-stays", "the ceiling is that of the first user",
          "    if (base > l->ceiling)\n", "    if (l->ceiling == 0)\n"),
]

COPY = """/* SPDX-License-Identifier: MIT */
/* Written by faults.py: {about}. */
#include <stdint.h>

#include "{name}.h"

#define SIM_SUBJECT {symbol}
#define SIM_NAME "{name}"
#include "test/rt/sim/subject.c"
"""


def symbol(fault: Fault) -> str:
    return "sim_fault_" + fault.name.replace("-", "_")


def table() -> str:
    lines = ["/* SPDX-License-" "Identifier: MIT */", "/* Written by faults.py. */",
             '#include "test/rt/sim/subject.h"', ""]
    lines += [f"extern const struct sim_subject {symbol(f)};" for f in FAULTS]
    lines += ["", "const struct sim_fault sim_faults[] = {"]
    lines += [f'    {{&{symbol(f)}, "{f.about}"}},' for f in FAULTS]
    return "\n".join(lines + ["    {NULL, NULL},", "};", ""])


def write(header: pathlib.Path, out: pathlib.Path) -> None:
    text = header.read_text(encoding="utf-8")
    out.mkdir(parents=True, exist_ok=True)
    for fault in FAULTS:
        if text.count(fault.old) != 1:
            sys.exit(f"faults.py: {fault.name}: its text occurs {text.count(fault.old)} times "
                     f"in {header}, not once; write the fault anew:\n{fault.old}")
        (out / f"{fault.name}.h").write_text(text.replace(fault.old, fault.new), encoding="utf-8")
        (out / f"{fault.name}.c").write_text(
            COPY.format(about=fault.about, name=fault.name, symbol=symbol(fault)),
            encoding="utf-8")
    (out / "faults_table.c").write_text(table(), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", help="where the files go")
    parser.add_argument("--header", type=pathlib.Path, metavar="FILE", help="rt/decide.h")
    parser.add_argument("--names", action="store_true", help="list the C files")
    options = parser.parse_args()
    if options.names:
        print(";".join([f"{fault.name}.c" for fault in FAULTS] + ["faults_table.c"]))
    else:
        write(options.header, options.out)


if __name__ == "__main__":
    main()
