# SPDX-License-Identifier: MIT
"""Run by gdb, with locked.c stopped in debugger_looks(): prints what is wrong, or "all is well"."""

import os
import random
import re
import time

import gdb

LONGEST = 300  # seconds; only a hang takes as long
CORRUPTIONS = 12  # of each kind

IS_CORE = os.environ["FURWOCK_STEP"] == "core"  # which has no names of threads
OWNER = r"thread OWNER \(gdb thread \d+" + ("" if IS_CORE else ' "owner"') + r"\)"
SOMEBODY = r'thread \d+ \(gdb thread \d+[^)]*\)'
WAITER = rf", 1 waiter \[{SOMEBODY}\]"
LOCKS = {
    "mutex": rf'fw_mutex "cache 1": locked by {OWNER}, 2 waiters',
    "free_mutex": "fw_mutex: unlocked",
    "rwlock": rf"fw_rwlock: locked for writing by {OWNER}, waiting: 1 to write, 1 to read "
              rf"\[{SOMEBODY}, {SOMEBODY}\]",
    "read_lock": rf"fw_rwlock: locked by 1 reader, one is {OWNER}",
    "free_rwlock": "fw_rwlock: unlocked",
    "cond": "fw_cond: 1 waiter",
    "free_cond": "fw_cond: no waiters",
    "sem": "fw_sem: value 0, 1 waiter",
    "free_sem": "fw_sem: value 2 of 7",
    "event": "fw_event: not set, 1 waiter",
    "automatic": "fw_event: automatic, not set, 1 waiter",
    "set_event": "fw_event: set",
    "latch": "fw_latch: count 3, threads wait",
    "open_latch": "fw_latch: open",
    "barrier": r"fw_barrier: 1 of 3 have arrived, round \d+, 1 thread inside",
    "brlock": rf"fw_brlock: locked for writing by {OWNER}, 1 reader kept out",
    "read_brlock": "fw_brlock: locked by 1 reader",
    "once": rf"fw_once: {OWNER} initialises",
    "free_once": "fw_once: not begun",
    "done_once": "fw_once: done",
}
REGION_LOCKS = {
    "*ipc_mutex": rf"fw_ipc_mutex: locked by {OWNER}{WAITER}",
    "*free_ipc_mutex": "fw_ipc_mutex: unlocked",
    "*left_ipc_mutex": r"fw_ipc_mutex: locked by thread (\d+) of process \1, which died",
    "*ipc_rwlock": rf"fw_ipc_rwlock: locked for writing by {OWNER}{WAITER}",
    "*read_ipc_rwlock": rf"fw_ipc_rwlock: locked by 1 reader \[{OWNER}\]",
    "*ipc_cond": rf"fw_ipc_cond: 1 waiter \[{SOMEBODY}\]",
    "*ipc_sem": f"fw_ipc_sem: value 0 of 5{WAITER}",
    "*ipc_permits": rf"fw_ipc_permits: 0 of 2 permits free, held by {OWNER}, {OWNER}{WAITER}",
    "*ipc_barrier": rf"fw_ipc_barrier: 1 of 3 have arrived, round \d+{WAITER}",
    "*ipc_once": f"fw_ipc_once: {SOMEBODY} initialises",
}


def shown(expression):
    return gdb.execute(f"print {expression}", to_string=True).strip().partition(" = ")[2]


def wrong(locks):
    """What is not shown as it should be, by its expression."""
    found = {}
    owner = str(int(gdb.parse_and_eval("owner")))
    for expression, pattern in locks.items():
        text = shown(expression)
        if re.fullmatch(pattern.replace("OWNER", owner), text) is None:
            found[expression] = f"{expression}: {text}\n    expected {pattern}"
    return found


def wait_until_all_wait():
    """Looks each time that the program comes there, at what was not yet as it should be."""
    end = time.monotonic() + LONGEST
    for breakpoint_there in gdb.breakpoints():
        breakpoint_there.silent = True
    everything = {**LOCKS, **REGION_LOCKS}
    while found := wrong(everything):
        while found and time.monotonic() < end:
            gdb.execute("continue", to_string=True)
            found = wrong({lock: everything[lock] for lock in found})
        if found:
            break
    return list(found.values())


def corrupt():
    """A word that says anything is shown, somehow."""
    found = []
    kinds = sorted({re.match(r"\w+", pattern).group() for pattern in
                    (*LOCKS.values(), *REGION_LOCKS.values())})
    inferior = gdb.selected_inferior()
    places = {"memory": int(gdb.parse_and_eval("(unsigned long)memory")),
              "region": int(gdb.parse_and_eval("(unsigned long)ipc_permits"))}
    chance = random.Random(1)
    for kind in kinds:
        for i in range(CORRUPTIONS):
            address = places["memory" if i % 4 else "region"]
            sparse = [b"\0", b"\xff", b"\1", bytes([chance.randrange(256)])][i % 4]
            inferior.write_memory(address, bytes(
                chance.choice((sparse[0], chance.randrange(256))) for _ in range(64)))
            text = shown(f"*({kind} *){address}")
            if not text.startswith(kind + ": "):
                found.append(f"{kind}: {text}")
    return found


def check():
    if IS_CORE:  # regions are not in it, mostly
        return list(wrong(LOCKS).values())
    found = wait_until_all_wait()
    if not found:
        gdb.execute(f"generate-core-file {os.environ['FURWOCK_CORE']}", to_string=True)
        found = corrupt()
    return found


for problem in check() or ["all is well"]:
    print(problem)
