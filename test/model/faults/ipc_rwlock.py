# SPDX-License-Identifier: MIT
"""Faults in the read-write lock between processes."""
from .kinds import Family, Fault

READ = "src/ipc/rwlock.c"
WRITE = "src/ipc/rwlock_write.c"
OPEN = "src/ipc/rwlock_open.c"
UP = "src/ipc/rwlock_up.c"
WORD = "src/ipc/rwlock.h"
SHARE = "src/ipc/share.h"

RECORD = "    fw_xchg64_seq_cst(r->record, r->share | FW_IPC_SHARE_HELD); /* NONE -> HELD */\n"
LOOK = "    if (__builtin_expect(is_in(r), 1))\n        return true;\n"

FAULTS = [
    Fault("ipc-rw-late-record", "a reader looks, then says that it reads", "ipc-rw", READ,
          RECORD + LOOK,
          "    if (is_in(r)) {\n"
          "        fw_xchg64_seq_cst(r->record, r->share | FW_IPC_SHARE_HELD);\n"
          "        return true;\n    }\n"),
    Fault("ipc-rw-buffered-record", "what a reader says may be seen after it has looked", "ipc-rw",
          READ, RECORD, "    fw_store64_release(r->record, r->share | FW_IPC_SHARE_HELD);\n"),
    Fault("ipc-rw-no-hint", "a reader does not say where its record is", "ipc-rw", READ,
          "    ipc_rw_hint(r->l, r->me);\n    return ipc_rw_is_open(",
          "    return ipc_rw_is_open("),
    Fault("ipc-rw-past-records", "a writer does not look at the records", "ipc-rw", WRITE,
          "    while (error == 0 && fw_ipc_walk_next_(&k))\n", "    while (error != 0)\n"),
    Fault("ipc-rw-past-hint", "a writer does not look where records may be", "ipc-rw", WRITE,
          "    if (fw_load64_seq_cst(&l->hint_) != 0)\n        return drain_slow(",
          "    if (me == NULL)\n        return drain_slow("),
    Fault("ipc-rw-unwatched", "sleeps, and does not watch the holder's life", "ipc-rw-told", WRITE,
          "        fw_ipc_wait_watch_(w, *now & FW_IPC_HOLDER);\n", ""),
    Fault("ipc-rw-waits-for-dead", "a writer waits for readers that are dead", "ipc-rw-kill", WRITE,
          "        if (life == FW_IPC_DEAD) {\n",
          "        if (life == FW_IPC_UNREAL) {\n"),
    Fault("ipc-rw-forgets-living", "a writer takes the records of the living away", "ipc-rw", WRITE,
          "        if (life == FW_IPC_DEAD) {\n",
          "        if (life != FW_IPC_UNREAL) {\n"),
    Fault("ipc-rw-hides-death", "a writer takes over, and the word does not say so", "ipc-rw-mixed",
          WRITE, "    uint64_t mine = me->id | FW_IPC_DIED | extra |",
          "    uint64_t mine = me->id | extra |"),
    Fault("ipc-rw-sound-anyway", "what a dead writer has left counts as sound", "ipc-rw-kill", OPEN,
          "    return ipc_rw_is_written(now) ? EOWNERDEAD : ESRCH;\n", "    return ESRCH;\n"),
    Fault("ipc-rw-robs", "takes over from the living", "ipc-rw-writers", OPEN,
          "    if (life == FW_IPC_ALIVE)\n        return EBUSY;\n", ""),
    Fault("ipc-rw-lost-hint", "lets go for a dead writer that had cleared the hint",
          "ipc-rw-tidy-three", OPEN, "    fw_or64_seq_cst(&l->hint_, UINT64_MAX);\n", ""),
    Fault("ipc-rw-frees-first", "frees the lock, then lets readers in", "ipc-rw-mixed", OPEN,
          "        if (ipc_rw_has_readers(now) && !has_let_in) {\n"
          "            has_let_in = let_in(l, me, &now);\n            continue;\n        }\n",
          "        if (ipc_rw_has_readers(now) && !has_let_in) {\n"
          "            has_let_in = fw_cas64_seq_cst(&l->word_, &now, 0);\n"
          "            if (has_let_in)\n                return fw_ipc_shares_grant_(me->place, l, "
          "fw_load64_seq_cst(&l->hint_));\n"
          "            continue;\n        }\n"),
    Fault("ipc-rw-hasty-upgrade", "upgrades while others read", "ipc-rw-up", UP,
          "    return upgrade_or_not(l, &me, fw_ipc_rw_drain_until_(l, &me, NULL, deadline));\n",
          "    return upgrade_or_not(l, &me, deadline == NULL ? 0 : EBUSY);\n"),
    Fault("ipc-rw-late-share", "a downgrade opens the lock, then says that it reads", "ipc-rw-down",
          UP,
          "    fw_xchg64_seq_cst(mine, fw_ipc_share_of_(&me, l) | FW_IPC_SHARE_HELD);\n"
          "    ipc_rw_hint(l, &me);\n    if (ipc_rw_is_written(now))\n"
          "        return fw_ipc_rw_end_(l, &me, now, 0);\n",
          "    if (ipc_rw_is_written(now))\n"
          "        fw_ipc_rw_end_(l, &me, now, 0);\n"
          "    fw_xchg64_seq_cst(mine, fw_ipc_share_of_(&me, l) | FW_IPC_SHARE_HELD);\n"
          "    ipc_rw_hint(l, &me);\n    if (ipc_rw_is_written(now))\n        return 0;\n"),
    Fault("ipc-rw-no-wake", "a writer leaves, and wakes no writer", "ipc-rw-writers", OPEN,
          "    if (next == 0 && ipc_rw_has_writers(now))\n        fw_ipc_wake_(",
          "    if (next == 1)\n        fw_ipc_wake_("),
    Fault("ipc-rw-lost-stays", "gives the lock up, and leaves it as it is", "ipc-rw-give-up", WRITE,
          "    fw_ipc_rw_lose_(l, &me, now);\n    return 0;\n",
          "    return fw_ipc_rw_end_(l, &me, now, 0);\n"),
    Fault("ipc-rw-last-share", "gives back the last of its shares, not the first",
          "ipc-rw-beside", SHARE,
          "    for (unsigned i = 0; i < FW_IPC_SHARES; i++)\n"
          "        if (fw_load64_relaxed(&me->member->shares[i]) == record)\n",
          "    for (unsigned i = FW_IPC_SHARES; i-- > 0;)\n"
          "        if (fw_load64_relaxed(&me->member->shares[i]) == record)\n"),
    Fault("ipc-rw-never-unsound", "does not see that nobody has repaired", "ipc-rw-give-up",
          WORD, "    return (w & FW_IPC_DIED) != 0;\n", "    return (w & 0) != 0;\n"),
]

FAMILY = Family("ipc_rwlock",
                ["rwlock.c", "rwlock_up.c", "rwlock_write.c", "rwlock_open.c", "share.c"],
                ["src/ipc/rwlock.h", "src/ipc/share.h"], {}, FAULTS, "src/ipc")
