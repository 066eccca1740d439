#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Deliberate faults in the mutex: copies of its sources in which one thing is wrong.

Each fault replaces one exact piece of text, which must occur exactly once; where it does not any
more, the build stops, and the fault is to be written anew.  faults.py --out DIR writes one C file
for each fault and faults_table.c; faults.py --names lists the C files.
"""
import argparse
import pathlib
import sys
from typing import NamedTuple

MUTEX, HEADER, WORD = "src/mutex.c", "include/furwock/mutex.h", "src/mutex_word.h"


class Fault(NamedTuple):
    """A fault in the text of one file."""

    name: str
    about: str
    program: str
    file: str
    old: str
    new: str


class Rule(NamedTuple):
    """A fault in the rules of the model: one of enum fault_rule."""

    name: str
    about: str
    program: str
    rule: str


RULES = [
    Rule("no-fence", "the fence does nothing", "two", "FAULT_NO_FENCE"),
    Rule("fence-without-drain", "the fence leaves stores in the buffers", "two",
         "FAULT_FENCE_WITHOUT_DRAIN"),
    Rule("fence-without-abort", "the fence leaves plain releases under way", "two",
         "FAULT_FENCE_WITHOUT_ABORT"),
    Rule("owner-half-only", "the plain release does not look at the waiters half", "two",
         "FAULT_LOOK_AT_OWNER_ONLY"),
    Rule("lost-wake", "the kernel wakes nobody", "two", "FAULT_LOST_WAKE"),
    Rule("wait-without-compare", "the kernel lets sleep without comparing", "two",
         "FAULT_WAIT_WITHOUT_COMPARING"),
    Rule("lost-requeue", "the kernel moves nobody", "fair-back", "FAULT_LOST_REQUEUE"),
    Rule("unlocked-cas", "compare-and-swap is a load and a store", "two", "FAULT_UNLOCKED_CAS"),
]

FAULTS = [
    # --- Taking ---------------------------------------------------------------------------------
    Fault("plain-take", "looks and stores instead of the exchange", "two", HEADER,
          "    if (fw_xchg8_acquire((fw_byte_ *)&m->state_, FW_ID_HELD) != 0)\n",
          "    if (fw_load64_relaxed(&m->state_) != 0)\n"),
    Fault("wide-signature", "signs with a store to the whole word", "two", HEADER,
          "fw_store32_relaxed((fw_half_ *)&m->state_, id);",
          "fw_store64_relaxed(&m->state_, id);"),
    Fault("never-leaves", "takes the lock and stays in line", "two", MUTEX,
          "(with_owner(w, me->id) & ~mine) - MUTEX_WAITER))",
          "with_owner(w, me->id) & ~mine))"),
    Fault("keeps-waking", "takes the lock and leaves WAKING set", "three", MUTEX,
          "fw_mutex_word_ mine = MUTEX_WAKING | (was_woken(me)",
          "fw_mutex_word_ mine = 0 | (was_woken(me)"),
    # --- Going to sleep -------------------------------------------------------------------------
    Fault("skips-fence", "sleeps without looking at FENCED", "two", MUTEX,
          "    if (!is_fenced(w)) {\n", "    if (false) {\n"),
    Fault("sleeps-with-waking", "sleeps without clearing WAKING", "spurious", MUTEX,
          "fw_mutex_word_ wanted = w & ~MUTEX_WAKING;", "fw_mutex_word_ wanted = w;"),
    Fault("stale-value", "sleeps with a value it has not decided upon", "two", MUTEX,
          "waiters_half(wanted),", "waiters_half(fw_load64_relaxed(&me->m->state_)),"),
    Fault("naps-for-good", "sleeps with WAKING set, and without an end", "nap", MUTEX,
          "slice_ns = NAP_NS;", "slice_ns = 0;"),
    Fault("sleeps-unfenced", "sleeps for long although the fence was refused", "refused", MUTEX,
          "slice_ns = UNFENCED_SLICE_NS;", "slice_ns = 0;"),
    # --- Releasing ------------------------------------------------------------------------------
    Fault("wakes-first", "wakes before it has released", "two", MUTEX,
          "    do {\n        w = without_ghosts(seen, generation);\n",
          "    left = seen;\n"
          "    if (has_waiters(seen) && !wake_is_under_way(seen))\n"
          "        fw_futex_wake_bitset(waiters_of(m), 1, class_to_wake(seen), FW_FUTEX_PRIVATE);\n"
          "    do {\n        w = without_ghosts(seen, generation);\n"
          "        if (has_waiters(w) && !wake_is_under_way(w)) {\n"
          "            if (fw_cas64_release(&m->state_, &seen, after_release(m, w, fair)))\n"
          "                return;\n"
          "            continue;\n"
          "        }\n"),
    Fault("forgets-waking", "frees without setting WAKING", "two", MUTEX,
          "return with_owner((w | MUTEX_WAKING) & ~MUTEX_OLD, 0);",
          "return with_owner(w & ~MUTEX_OLD, 0);"),
    Fault("touches-after", "looks at the lock after the release", "free", MUTEX,
          "if (has_waiters(w) && (!wake_is_under_way(w) ||",
          "if (has_waiters(w) && (!wake_is_under_way(fw_load64_relaxed(&m->state_) & w) ||"),
    Fault("unfair", "the fair release frees the lock", "fair", MUTEX,
          "if (fair || wants_handoff(w))", "if ((fair && false) || wants_handoff(w))"),
    Fault("refuses-handoff", "a release ignores HANDOFF", "starving", MUTEX,
          "if (fair || wants_handoff(w))", "if (fair)"),
    Fault("old-only", "wakes only those who were woken before", "two", WORD,
          "? MUTEX_CLASS_OLD : MUTEX_CLASS_ANY", "? MUTEX_CLASS_OLD : MUTEX_CLASS_OLD"),
    Fault("passes-to-nobody", "passes the lock where nobody waits", "fair", MUTEX,
          "    if (!has_waiters(w))\n        return fw_one_in_",
          "    if (!has_waiters(w) && !fair)\n        return fw_one_in_"),
    # --- Passing --------------------------------------------------------------------------------
    Fault("late-claims", "a late arrival claims the pass under which it came", "fair", MUTEX,
          "owner_half(w) != me->came_under);\n}", "owner_half(w) != me->id);\n}"),
    Fault("no-requeue", "the claimant leaves late arrivals where they sleep", "fair-back", MUTEX,
          "    if (late) ", "    if (false && late) "),
    Fault("no-late-flag", "a late arrival does not set LATE", "fair-back", MUTEX,
          "if (!has_late_sleepers(w) && !fw_cas64", "if (false && !fw_cas64"),
    # --- Giving up ------------------------------------------------------------------------------
    Fault("keeps-baton", "a waiter gives up and leaves WAKING set", "timed-old", MUTEX,
          "(is_passed(w) ? 0 : MUTEX_WAKING);", "0;"),
    Fault("ignores-pass", "a waiter gives up although it could claim a pass", "timed-fair", MUTEX,
          "        if (may_take(me, w)) {\n", "        if (!over && may_take(me, w)) {\n"),
    Fault("disturbs-pass", "a late arrival gives up and clears WAKING", "timed-fair-spin", MUTEX,
          "(is_passed(w) ? 0 : MUTEX_WAKING);", "MUTEX_WAKING;"),
    Fault("gives-up-twice", "a waiter gives up and is still counted", "timed", MUTEX,
          "return fw_cas64_relaxed(&me->m->state_, &w, (w & ~mine) - MUTEX_WAITER);",
          "return fw_cas64_relaxed(&me->m->state_, &w, w & ~mine);"),
    # --- Fork -----------------------------------------------------------------------------------
    Fault("sees-ghosts", "counts waiters that a fork left behind", "fork", WORD,
          "    if (!has_ghosts(w, generation))\n",
          "    if (generation <= 31)\n"),
]

COPY = """/* SPDX-License-Identifier: MIT */
/* Written by faults.py: {about}. */
#define MUTEX_COPY {copy}
#include "subject/rename.h"
#define FW_INLINE FW_API
#include "{dir}/mutex.h"
#include "{dir}/mutex.c"
#undef FW_MUTEX_WORD_H
#define MUTEX_CALLS mutex_{copy}
#include "programs/mutex_calls.c"
"""


def copy_name(fault: Fault) -> str:
    return "fault_" + fault.name.replace("-", "_")


def mutate(fault: Fault, root: pathlib.Path, out: pathlib.Path) -> None:
    directory = out / fault.name
    directory.mkdir(parents=True, exist_ok=True)
    for file in (MUTEX, HEADER, WORD):
        text = (root / file).read_text(encoding="utf-8")
        if file == fault.file:
            if text.count(fault.old) != 1:
                sys.exit(f"faults.py: {fault.name}: its text occurs {text.count(fault.old)} times "
                         f"in {file}, not once; write the fault anew:\n{fault.old}")
            text = text.replace(fault.old, fault.new)
        (directory / pathlib.Path(file).name).write_text(text, encoding="utf-8")
    (out / f"{copy_name(fault)}.c").write_text(
        COPY.format(about=fault.about, copy=copy_name(fault), dir=fault.name), encoding="utf-8")


def table() -> str:
    lines = ["/* SPDX-License-Identifier: MIT */", "/* Written by faults.py. */",
             '#include "faults.h"', '#include "programs/programs.h"', ""]
    lines += [f"extern const struct mutex_calls mutex_{copy_name(f)};" for f in FAULTS]
    lines += ["", "const struct model_fault model_faults[] = {"]
    lines += [f'    {{"{r.name}", "{r.about}", "{r.program}", {r.rule}, NULL}},' for r in RULES]
    lines += [f'    {{"{f.name}", "{f.about}", "{f.program}", FAULT_NONE, &mutex_{copy_name(f)}}},'
              for f in FAULTS]
    lines += ["};", f"const unsigned model_fault_count = {len(RULES) + len(FAULTS)};", ""]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Write faulty copies of the mutex.")
    parser.add_argument("--names", action="store_true", help="list the C files and stop")
    parser.add_argument("--root", type=pathlib.Path, help="the source tree")
    parser.add_argument("--out", type=pathlib.Path, help="where the copies go")
    args = parser.parse_args()
    if args.names:
        print(";".join([f"{copy_name(f)}.c" for f in FAULTS] + ["faults_table.c"]))
        return
    if args.root is None or args.out is None:
        parser.error("--root and --out are needed")
    for fault in FAULTS:
        mutate(fault, args.root, args.out)
    (args.out / "faults_table.c").write_text(table(), encoding="utf-8")


if __name__ == "__main__":
    main()
