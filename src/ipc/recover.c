/* SPDX-License-Identifier: MIT */
/*
 * What is done about holders that died.  Contract: recover.h.
 */
#include "ipc/recover.h"

#include <errno.h>
#include <stddef.h>

#include "core/tracepoint.h"
#include "ipc/region/journal.h"
#include "ipc/region/repairs.h"

int fw_ipc_death_of_(const fw_ipc_history *history, fw_ipc_death *death)
{
    uint64_t ids = fw_load64_relaxed(&history->dead_);

    *death = (fw_ipc_death){.process = (pid_t)(ids >> 32),
                            .thread = (pid_t)(uint32_t)ids,
                            .generation = fw_load64_relaxed(&history->dead_generation_)};
    return death->generation != 0 ? 0 : ENOENT;
}

bool fw_ipc_can_recover_(const void *lock, const fw_ipc_history *history)
{
    struct fw_ipc_repair_ repair;

    return fw_load64_relaxed(&history->journal_) != 0 || fw_ipc_repair_of_(lock, &repair);
}

/*
 * If the dead holder did not get as far as raising the generation, it never returned from lock, and
 * nobody has seen its number: that of the holder before stands for it.
 */
static void note_death(const struct fw_ipc_me_ *me, fw_ipc_history *history, uint64_t dead)
{
    uint64_t generation = fw_load64_relaxed(&history->generation_);

    fw_store64_relaxed(&history->dead_, fw_ipc_ids_(me->mapping, dead));
    fw_store64_relaxed(&history->dead_generation_, generation != 0 ? generation : 1);
}

/* True: the data are sound. */
static bool undo_journal(const struct fw_ipc_me_ *me, const void *lock, fw_ipc_history *history)
{
    uint64_t journal = fw_load64_relaxed(&history->journal_);
    int error = fw_ipc_journal_undo_at_(me->mapping, journal, lock);

    if (error == ENOENT) /* the dead holder was about to attach or detach it */
        fw_store64_relaxed(&history->journal_, 0);
    return error == 0;
}

int fw_ipc_recover_(const struct fw_ipc_me_ *me, const void *lock, fw_ipc_history *history,
                    uint64_t dead)
{
    struct fw_ipc_repair_ repair;
    bool is_sound = false;
    fw_ipc_death death;

    FW_TRACEPOINT_(owner_died, lock);
    if (dead != 0)
        note_death(me, history, dead);  /* F:ipc-names-successor */
    fw_ipc_history_begin_(history, me); /* F:ipc-successor-same-generation */
    if (fw_load64_relaxed(&history->journal_) != 0)
        is_sound = undo_journal(me, lock, history); /* F:ipc-journal-sound-early */
    if (fw_ipc_repair_of_(lock, &repair)) {
        fw_ipc_death_of_(history, &death);
        is_sound = repair.call(repair.arg, &death) == 0; /* F:ipc-repairs-nothing */
    }
    return is_sound ? 0 : EOWNERDEAD;
}
