# SPDX-License-Identifier: MIT
"""Faults in the directory of a region."""
from edits import argument, at, before, condition, drop, head, instead, operand, swap, value, word

from .kinds import Family, Fault

DIRECTORY = "src/ipc/region/directory.c"
NAMED = "src/ipc/region/named.c"

READ = ("    for (unsigned i = 1; i < sizeof *entry / sizeof *to; i++)\n"
        "        to[i] = fw_load64_relaxed(from + i);\n")
STATE = "    uint32_t state = fw_load32_acquire(&there->state); /* pairs with enter: D1 */\n\n"
FREE = "    if (state == 0)\n        return ENOENT;\n"
ENTER = ("    for (unsigned i = 1; i < sizeof *entry / sizeof *to; i++)\n"
         "        fw_store64_relaxed(to + i, from[i]);\n")
FOUND = "    fw_store32_release(&there->state, entry->state); /* free -> an object: D1, D3 */\n"
SECOND = ("    error = find(region, &entry, flags, object);\n"
          "    if (error == ENOENT)\n"
          "        error = make(region, &entry, init, arg, object);\n")
LOCK = "    error = lock_directory(naming);\n    if (error != 0)\n        return error;\n"
UNLOCK = ("    fw_ipc_mutex_unlock(naming); "
          "/* it fails where the lock was written over: for the next one */\n")
SOIL = "        fw_ipc_directory_mark_dirty_(base, entry);\n"
INIT = "        error = init(base + entry->at, arg);\n"
OVER = "    if (error != 0)\n        return error;\n    fw_ipc_directory_enter_("

ENTRIES = [
    Fault("ipc-dir-state-first", "an entry can be found before it is whole", "ipc-dir-find",
          DIRECTORY, swap()),
    Fault("ipc-dir-reads-first", "reads an entry, then looks whether it is there", "ipc-dir-find",
          DIRECTORY, instead("$3 $1 $2", 3)),
    Fault("ipc-dir-no-second-look", "has the lock, and does not look again", "ipc-dir", NAMED,
          instead("error = make(region, &entry, init, arg, object);", 2)),
    Fault("ipc-dir-unlocked", "makes an object without the lock", "ipc-dir-names", NAMED,
          instead("$4 $2 $3", 4)),
    Fault("ipc-dir-left-locked", "gives the lock back only where it has made an object", "ipc-dir",
          NAMED, before("if (error == 0 && *object == NULL)")),
    Fault("ipc-dir-any-kind", "finds an object whatever its kind", "ipc-dir-kinds", NAMED,
          condition(operand(1, ""))),
    Fault("ipc-dir-any-size", "finds an object however small it is", "ipc-dir-sizes", NAMED,
          at("ipc-dir-any-kind", condition(operand(2, "")))),
    Fault("ipc-dir-shared-only", "is EXCLUSIVE for its first look only", "ipc-dir-only", NAMED,
          at("ipc-dir-no-second-look", argument(3, "$ & ~(unsigned)FW_REGION_EXCLUSIVE"))),
    Fault("ipc-dir-gives-up", "does not say that the directory is sound after a death",
          "ipc-dir-names", NAMED, value("0")),
]

SPACE = [
    Fault("ipc-dir-quiet-init", "an init begins, and nobody would know what it wrote", "ipc-dir",
          NAMED, drop()),
    Fault("ipc-dir-late-dirty", "says after the init that it will write", "ipc-dir", NAMED,
          at("ipc-dir-quiet-init", swap())),
    Fault("ipc-dir-forgets-dirt", "a small object hides that a large one was begun",
          "ipc-dir-dirty", DIRECTORY, head("")),
    Fault("ipc-dir-not-cleared", "gives out what an init has left", "ipc-dir", DIRECTORY, drop()),
    Fault("ipc-dir-half-cleared", "clears the first words only", "ipc-dir-fails", DIRECTORY,
          argument(3, "8")),
    Fault("ipc-dir-clears-all", "clears what other objects have", "ipc-dir-names", DIRECTORY,
          at("ipc-dir-not-cleared", argument(1, "$, plan->objects_at")),
          at("ipc-dir-not-cleared", word(10, "- plan->objects_at +"))),
    Fault("ipc-dir-failed-init", "enters an object that its init could not make", "ipc-dir-fails",
          NAMED, condition("error == ENOSPC")),
    Fault("ipc-dir-late-init", "an object can be found before its init", "ipc-dir", NAMED,
          instead("$2 $3 if (init != NULL) { fw_ipc_directory_mark_dirty_(base, entry); error = "
              "init(base + entry->at, arg); }", 3)),
    Fault("ipc-dir-too-many", "does not see that all entries are taken", "ipc-dir-full", DIRECTORY,
          condition(operand(1, ""))),
    Fault("ipc-dir-too-long", "does not see where the region ends", "ipc-dir-space", DIRECTORY,
          at("ipc-dir-too-many", condition("first_free == plan->entry_count"))),
    Fault("ipc-dir-first-end", "takes the end of the first object for that of all",
          "ipc-dir-three-objects", DIRECTORY, head("")),
    Fault("ipc-dir-unaligned", "an object begins where the one before ends", "ipc-dir-names",
          DIRECTORY, value("e.at + e.size")),
    Fault("ipc-dir-stale-find", "what it has found may be that of another name", "ipc-dir-names",
          DIRECTORY, condition(operand(2, "strlen(entry->name) == strlen(name)"))),
]

FAMILY = Family("ipc_directory", ["named.c", "directory.c"], ["src/ipc/region/directory.h"], {},
                ENTRIES + SPACE, "src/ipc/region")
