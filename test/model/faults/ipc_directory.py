# SPDX-License-Identifier: MIT
"""Faults in the directory of a region."""
from .kinds import Family, Fault

DIRECTORY = "src/ipc/directory.c"
NAMED = "src/ipc/named.c"

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
SOIL = "        fw_ipc_directory_soil_(base, entry);\n"
INIT = "        error = init(base + entry->at, arg);\n"
OVER = "    if (error != 0)\n        return error;\n    fw_ipc_directory_enter_("

ENTRIES = [
    Fault("ipc-dir-state-first", "an entry can be found before it is whole", "ipc-dir-find",
          DIRECTORY, ENTER + FOUND, FOUND + ENTER),
    Fault("ipc-dir-reads-first", "reads an entry, then looks whether it is there", "ipc-dir-find",
          DIRECTORY, STATE + FREE + READ,
          READ + "    uint32_t state = fw_load32_acquire(&there->state);\n\n" + FREE),
    Fault("ipc-dir-no-second-look", "has the lock, and does not look again", "ipc-dir", NAMED,
          SECOND, "    error = make(region, &entry, init, arg, object);\n"),
    Fault("ipc-dir-unlocked", "makes an object without the lock", "ipc-dir-names", NAMED,
          LOCK + SECOND + UNLOCK,
          "    error = lock_directory(naming);\n    fw_ipc_mutex_unlock(naming);\n" + SECOND),
    Fault("ipc-dir-left-locked", "gives the lock back only where it has made an object",
          "ipc-dir", NAMED, UNLOCK, "    if (error == 0 && *object == NULL)\n"
          "        fw_ipc_mutex_unlock(naming);\n"),
    Fault("ipc-dir-any-kind", "finds an object whatever its kind", "ipc-dir-kinds", NAMED,
          "    if (e.state != wanted->state || e.size < wanted->size)\n",
          "    if (e.size < wanted->size)\n"),
    Fault("ipc-dir-any-size", "finds an object however small it is", "ipc-dir-sizes", NAMED,
          "    if (e.state != wanted->state || e.size < wanted->size)\n",
          "    if (e.state != wanted->state)\n"),
    Fault("ipc-dir-shared-only", "is EXCLUSIVE for its first look only", "ipc-dir-only", NAMED,
          SECOND, SECOND.replace("flags,", "flags & ~(unsigned)FW_REGION_EXCLUSIVE,")),
    Fault("ipc-dir-gives-up", "does not say that the directory is sound after a death",
          "ipc-dir-names", NAMED, "        error = fw_ipc_mutex_consistent(naming); /* D2 */\n",
          "        error = 0;\n"),
]

SPACE = [
    Fault("ipc-dir-quiet-init", "an init begins, and nobody would know what it wrote", "ipc-dir",
          NAMED, SOIL, ""),
    Fault("ipc-dir-late-soil", "says after the init that it will write", "ipc-dir", NAMED,
          SOIL + INIT, INIT + SOIL),
    Fault("ipc-dir-forgets-dirt", "a small object hides that a large one was begun",
          "ipc-dir-dirty", DIRECTORY, "    if (fw_load64_relaxed(&head->dirty_to) < end)\n", ""),
    Fault("ipc-dir-not-cleared", "gives out what an init has left", "ipc-dir", DIRECTORY,
          "    clear((char *)base, end, entry->size);\n", ""),
    Fault("ipc-dir-half-cleared", "clears the first words only", "ipc-dir-fails", DIRECTORY,
          "memset(base + at, 0, dirty_to - at < size ? dirty_to - at : size);",
          "memset(base + at, 0, 8);"),
    Fault("ipc-dir-clears-all", "clears what other objects have", "ipc-dir-names", DIRECTORY,
          "    clear((char *)base, end, entry->size);\n",
          "    clear((char *)base, plan->objects_at, end - plan->objects_at + entry->size);\n"),
    Fault("ipc-dir-failed-init", "enters an object that its init could not make", "ipc-dir-fails",
          NAMED, OVER,
          "    if (error == ENOSPC)\n        return error;\n    fw_ipc_directory_enter_("),
    Fault("ipc-dir-late-init", "an object can be found before its init", "ipc-dir", NAMED,
          "    if (error == 0 && init != NULL) {\n" + SOIL + INIT + "    }\n" + OVER +
          "base, &region->joined.plan, index, entry);\n",
          "    if (error != 0)\n        return error;\n"
          "    fw_ipc_directory_enter_(base, &region->joined.plan, index, entry);\n"
          "    if (init != NULL) {\n" + SOIL + INIT + "    }\n"),
    Fault("ipc-dir-too-many", "does not see that all entries are taken", "ipc-dir-full", DIRECTORY,
          "    if (first_free == plan->entry_count || end > plan->size ||",
          "    if (end > plan->size ||"),
    Fault("ipc-dir-too-long", "does not see where the region ends", "ipc-dir-space", DIRECTORY,
          " || end > plan->size || entry->size > plan->size - end)\n", ")\n"),
    Fault("ipc-dir-first-end", "takes the end of the first object for that of all",
          "ipc-dir-three-objects", DIRECTORY,
          "        else if (aligned(e.at + e.size) > end)\n", "        else\n"),
    Fault("ipc-dir-unaligned", "an object begins where the one before ends", "ipc-dir-names",
          DIRECTORY, "            end = aligned(e.at + e.size);\n",
          "            end = e.at + e.size;\n"),
    Fault("ipc-dir-stale-find", "what it has found may be that of another name", "ipc-dir-names",
          DIRECTORY, "        if (error == 0 && strcmp(entry->name, name) == 0)\n",
          "        if (error == 0 && strlen(entry->name) == strlen(name))\n"),
]

FAMILY = Family("ipc_directory", ["named.c", "directory.c"], ["src/ipc/directory.h"], {},
                ENTRIES + SPACE, "src/ipc")
