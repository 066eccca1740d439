# SPDX-License-Identifier: MIT
"""Faults in the read-write lock."""
from .kinds import Family, Fault

RWLOCK, LINE, TURN = "src/rwlock.c", "src/rwlock_line.c", "src/rwlock_turn.c"
WORD = "src/rwlock_word.h"

FAULTS = [
    # --- Entering and leaving -------------------------------------------------------------------
    Fault("rw-past-closed", "a reader does not look at CLOSED", "rw-readers-twice", WORD,
          "    return (w & (RW_WRITER | RW_CLOSED)) == 0;\n}\n\nstatic inline bool rw_lets_upg",
          "    return (w & RW_WRITER) == 0;\n}\n\nstatic inline bool rw_lets_upg"),
    Fault("rw-past-readers", "a writer does not look at the readers", "rw", WORD,
          "    return (w & (RW_WRITER | RW_UPGRADABLE | RW_READERS)) == 0;",
          "    return (w & (RW_WRITER | RW_UPGRADABLE)) == 0;"),
    Fault("rw-past-upgradable", "two read upgradable", "rw-upgrades", WORD,
          "    return (w & (RW_WRITER | RW_CLOSED | RW_UPGRADABLE)) == 0;",
          "    return (w & (RW_WRITER | RW_CLOSED)) == 0;"),
    Fault("rw-upgrades-early", "upgrades while others read", "rw-upgrade", RWLOCK,
          "    while (!rw_has_readers(w))\n", "    while (rw_has_upgradable(w))\n"),
    Fault("rw-quiet-reader", "the last reader does not look at the line", "rw-two-readers", RWLOCK,
          "        if (rw_calls(w) && rw_has_one_reader(w)) {", "        if (false) {"),
    Fault("rw-quiet-writer", "a writer leaves and does not look at the line", "rw", RWLOCK,
          "        if (rw_calls(w) || overdue) {", "        if (overdue) {"),
    Fault("rw-quiet-upgradable", "an upgradable reader leaves and does not look at the line",
          "rw-up", RWLOCK,
          "        if (rw_calls(w)) {\n            fw_rw_let_go_(l, RW_UPREADER_LEAVES, false);",
          "        if (false) {\n            fw_rw_let_go_(l, RW_UPREADER_LEAVES, false);"),
    Fault("rw-torn-downgrade", "a downgrade lets go in between", "rw-downgrade-readers", RWLOCK,
          "        fw_rw_let_go_(l, RW_WRITER_READS, false);\n        return;",
          "        fw_rw_let_go_(l, RW_WRITER_LEAVES, false);\n        fw_rwlock_rdlock(l);\n"
          "        return;"),
    # --- Standing in line -----------------------------------------------------------------------
    Fault("rw-no-flags", "stands in line, and the word does not say so", "rw", TURN,
          "    w &= ~RW_LINE_FLAGS;\n    if (line_is_empty(line))\n",
          "    w &= ~RW_LINE_FLAGS;\n    if (!line_has_sharers(line))\n"),
    Fault("rw-open", "a writer in line does not close the door", "rw-readers-twice", TURN,
          "        w |= RW_CLOSED;\n", "        w |= 0;\n"),
    Fault("rw-opens-early", "the door is open while a writer is coming", "rw-four", TURN,
          "        return w | RW_COMING;\n", "        return (w & ~RW_CLOSED) | RW_COMING;\n"),
    Fault("rw-coming-readers", "COMING while somebody waits to read", "rw-two-writers", TURN,
          "        (writers_first || !line_has_sharers(line)) && (readers_first || !is_shared))",
          "        (readers_first || !is_shared))"),
    Fault("rw-coming-upgrader", "COMING while somebody upgrades", "rw-readers-upgrade", TURN,
          "    if (line_has_comer(line) && !line_has_upgrader(line) &&\n",
          "    if ((line_has_comer(line) || line_has_upgrader(line)) &&\n"),
    Fault("rw-sleeps-blind", "sleeps without a last look at the line", "rw-writers", LINE,
          "    wakes = fw_rw_settle_(room, l, RW_NOTHING, false);\n    leave(room, &wakes);\n"
          "    if (fw_wait_blocks_(wait) &&",
          "    wakes = (struct rw_wakes){0};\n    leave(room, &wakes);\n"
          "    if (fw_wait_blocks_(wait) &&"),
    Fault("rw-keeps-coming", "was called, and sleeps without giving that back", "rw-writers", LINE,
          "            me->is_comer = false;\n            l->line_ &= ~LINE_COMER;\n        }\n",
          "        }\n"),
    Fault("rw-naps-by-realtime", "measures a nap on the clock of the deadline", "rw-clock-step",
          "src/wait.c", "fw_deadline end = fw_deadline_nap_(w->deadline, slice_ns);",
          "fw_deadline end = fw_deadline_in_(w->deadline == NULL ? CLOCK_MONOTONIC\n"
          "                                                          : w->deadline->clock,\n"
          "                                      slice_ns);"),
    Fault("rw-naps-for-good", "sleeps without an end, and is said to be coming", "rw-nap", LINE,
          "(const uint32_t *)&me->state, RW_ASLEEP, FW_FUTEX_ANY_BIT, nap_ns)",
          "(const uint32_t *)&me->state, RW_ASLEEP, FW_FUTEX_ANY_BIT, 0)"),
    Fault("rw-late-pulse", "reads the pulse outside of the room", "rw-two-readers", LINE,
          "        return fw_wait_sleep_(wait, &room->pulse, pulse,",
          "        return fw_wait_sleep_(wait, &room->pulse, fw_load32_relaxed(&room->pulse),"),
    # --- Whose turn it is -----------------------------------------------------------------------
    Fault("rw-writer-first", "a writer's release calls the next writer, and readers wait on",
          "rw-writer-twice", TURN,
          "    return change == RW_WRITER_LEAVES || change == RW_WRITER_READS ||",
          "    return change == RW_WRITER_READS ||"),
    Fault("rw-reader-first", "the last reader lets in readers before the writer",
          "rw-readers-twice", TURN,
          "           (rw_is_free(w) && !readers_phase_ends && !line_has_comer(line));",
          "           !rw_has_writer(w);"),
    Fault("rw-lets-one-in", "of those who wait to read one is let in", "rw-two-readers", TURN,
          "        v->n_sharers++;\n        v->line -= LINE_SHARER;\n",
          "        v->n_sharers++;\n        v->line -= LINE_SHARER;\n        break;\n"),
    Fault("rw-miscounts", "counts those whom it lets in once, however many they are",
          "rw-two-readers", TURN,
          "            w = rw_with_reader(w, p->id);\n        } else {",
          "            w = v->n_sharers == 0 ? rw_with_reader(w, p->id) : w;\n        } else {"),
    Fault("rw-hands-nothing", "the last reader calls a writer instead of handing it the lock",
          "rw-four", TURN, "    if (is_turn || hand_over || first->starves) {",
          "    if ((is_turn && false) || hand_over || first->starves) {"),
    Fault("rw-calls-nobody", "frees the lock and calls no writer", "rw-writers", TURN,
          "        v->comer = first;\n", ""),
    Fault("rw-upgrade-last", "an upgrade is not looked at when the last reader leaves",
          "rw-upgrade", TURN, "            if (!rw_has_readers(w)) { /*",
          "            if (rw_is_free(w)) { /*"),
    # --- Telling them ---------------------------------------------------------------------------
    Fault("rw-no-pulse", "lets readers in and wakes nobody", "rw-two-readers", TURN,
          "    wakes->pulse = &room->pulse;\n", ""),
    Fault("rw-same-pulse", "wakes, and leaves the word with which one is about to sleep",
          "rw-two-readers", TURN,
          "    fw_store32_relaxed(&room->pulse, room->pulse + 1);\n", ""),
    Fault("rw-no-wake", "hands the lock to a sleeper and does not wake it", "rw-two-readers", TURN,
          "    if (one != NULL && one->state == RW_ASLEEP)\n", "    if (false)\n"),
    Fault("rw-late-look", "looks whether it sleeps when it may be gone", "rw-two-readers", TURN,
          "    if (v->heir != NULL)\n        grant(room, v->heir);\n",
          "    if (v->heir != NULL) {\n        grant(room, v->heir);\n"
          "        fw_load32_relaxed(&v->heir->state);\n    }\n"),
    Fault("rw-late-line", "writes to the lock after the grants", "rw-free", TURN,
          "    if (v->heir != NULL)\n        grant(room, v->heir);\n",
          "    if (v->heir != NULL)\n        grant(room, v->heir);\n    l->line_ = v->line;\n"),
    # --- Giving up ------------------------------------------------------------------------------
    Fault("rw-stays", "gives up and stays in line", "rw-timed-writer", LINE,
          "    fw_room_remove_(room, &me->place);\n    l->line_ -= line_unit(me->want);\n",
          "    l->line_ -= line_unit(me->want);\n"),
    Fault("rw-keeps-door", "a writer gives up, and the door stays closed", "rw-timed-writer", LINE,
          "    me->is_comer = false;\n    return fw_rw_settle_(room, l, RW_NOTHING, false);",
          "    me->is_comer = false;\n    return (struct rw_wakes){0};"),
    Fault("rw-keeps-baton", "was called, gives up, and is still said to come", "rw-timed-writers",
          LINE, "    if (me->is_comer)\n        l->line_ &= ~LINE_COMER;\n", ""),
    Fault("rw-refuses-grant", "its time is over, and it does not look whether it has the lock",
          "rw-timed-reader", LINE,
          "    if (is_granted(me)) {\n        fw_room_leave_(room);\n        return true;\n    }\n"
          "    wakes = step_out",
          "    if (is_granted(me)) {\n        fw_room_leave_(room);\n        return false;\n    }\n"
          "    wakes = step_out"),
    Fault("rw-sees-ghosts", "counts waiters that a fork left behind", "rw-fork", LINE,
          "        l->line_ &= LINE_KIND;\n", "        l->line_ |= 0;\n"),
    # --- What the page says decides what it must not --------------------------------------------
    Fault("rw-robs-preempted", "takes the lock from a writer that is said not to run", "rw-lies",
          "src/rwlock.c", "        if (rw_is_free(w)) {\n            if (try_write(l, w, id) == 0)",
          "        if (fw_running_(rw_writer(w)) == FW_RUNNING_NO)\n"
          "            return true;\n"
          "        if (rw_is_free(w)) {\n            if (try_write(l, w, id) == 0)"),
    Fault("rw-calls-idle-only", "frees the lock and calls no writer where others want the CPU",
          "rw-lies", "src/rwlock.c", "        if (rw_calls(w) || overdue) {",
          "        if ((rw_calls(w) && !fw_cpu_is_wanted_()) || overdue) {"),
]

FAMILY = Family("rwlock", ["rwlock.c", "rwlock_line.c", "rwlock_turn.c", "wait.c"],
                ["include/furwock/rwlock.h", WORD, "src/rwlock_line.h", "src/rwlock_misuse.h"],
                {"rwlock.c": ["fw_rwlock_rdlock", "fw_rwlock_rdunlock", "fw_rwlock_wrlock",
                              "fw_rwlock_wrunlock"]}, FAULTS)
