/* SPDX-License-Identifier: MIT */
/*
 * Which thread holds a lock between processes.  Contract: furwock/ipc/state.h; words: mutex.c and
 * rwlock.c.
 *
 * The word is read first, then what it says is looked up: the holder's life and ids, which belong
 * to that holder whatever happens meanwhile; for readers their records.  Nothing is written.
 */
#include "ipc/state.h"

#include <errno.h>

#include <furwock/bits/atomic.h>

#include "ipc/region/participant.h"
#include "ipc/share.h"

static void name(fw_ipc_state *s, const struct fw_ipc_mapping_ *mapping, uint64_t holder)
{
    uint64_t ids = fw_ipc_ids_(mapping, holder);

    s->process = (pid_t)(ids >> 32);
    s->thread = (pid_t)(uint32_t)ids;
}

/* `leaves_repair`: if the holder is dead, the next one has to repair; else nobody has the lock. */
static int describe_holder(fw_ipc_state *s, const struct fw_ipc_me_ *me,
                           const struct fw_ipc_word_ *is, bool leaves_repair)
{
    enum fw_ipc_life life;

    if (is->is_unusable)
        s->held = FW_IPC_UNUSABLE;
    if (is->holder == 0)
        return is->is_possible ? 0 : EUCLEAN;
    life = is->is_possible ? fw_ipc_life_(me->mapping, is->holder) : FW_IPC_CORRUPT;
    if (life == FW_IPC_CORRUPT)
        return EUCLEAN;
    if (life == FW_IPC_DEAD && !leaves_repair)
        return 0;
    s->held = life == FW_IPC_DEAD    ? FW_IPC_OWNER_DIED
              : is->holder == me->id ? FW_IPC_HELD_BY_ME
                                     : FW_IPC_HELD;
    s->mode = is->mode;
    s->is_inconsistent = life == FW_IPC_ALIVE && is->is_unrepaired;
    name(s, me->mapping, is->holder);
    return 0;
}

int fw_ipc_mutex_state(const fw_ipc_mutex *m, fw_ipc_state *state)
{
    struct fw_ipc_me_ me;
    struct fw_ipc_word_ is;
    int error = state != NULL ? fw_ipc_find_(m, &me) : EINVAL;

    if (error != 0)
        return error;
    is = fw_ipc_mutex_word_(fw_load64_acquire(&m->word_));
    *state = (fw_ipc_state){.generation = fw_load64_relaxed(&m->history_.generation_)};
    return describe_holder(state, &me, &is, true);
}

/* Counts the threads, of which each may have several records, one after the other in the walk. */
static void describe_readers(fw_ipc_state *s, const struct fw_ipc_me_ *me, const fw_ipc_rwlock *l)
{
    uint64_t last = 0, any = 0;
    struct fw_ipc_walk_ k;

    fw_ipc_walk_begin_(&k, me->mapping, l, fw_load64_seq_cst(&l->hint_));
    while (fw_ipc_walk_next_(&k)) {
        if (fw_ipc_share_state_(k.seen) != FW_IPC_SHARE_HELD || k.holder == last ||
            fw_ipc_life_(me->mapping, k.holder) != FW_IPC_ALIVE)
            continue;
        last = k.holder;
        s->readers++;
        if (any == 0 || k.holder == me->id)
            any = k.holder;
    }
    if (s->readers == 0 || s->mode != FW_IPC_RWLOCK_NONE)
        return;
    s->mode = FW_IPC_RWLOCK_READ;
    s->held = any == me->id ? FW_IPC_HELD_BY_ME : FW_IPC_HELD;
    name(s, me->mapping, any);
}

int fw_ipc_rwlock_state(const fw_ipc_rwlock *l, fw_ipc_state *state)
{
    struct fw_ipc_me_ me;
    struct fw_ipc_word_ is;
    uint64_t w;
    int error = state != NULL ? fw_ipc_find_(l, &me) : EINVAL;

    if (error != 0)
        return error;
    w = fw_load64_seq_cst(&l->word_);
    is = fw_ipc_rwlock_word_(w);
    *state = (fw_ipc_state){.generation = fw_load64_relaxed(&l->history_.generation_)};
    error = describe_holder(state, &me, &is, fw_ipc_rwlock_left_(w));
    if (error == 0 && state->held != FW_IPC_UNUSABLE && state->mode != FW_IPC_RWLOCK_WRITE)
        describe_readers(state, &me, l); /* beside a writer, records are of readers on their way */
    /* The writer that waited for readers has it, once they have left. */
    if (error == 0 && state->held == FW_IPC_HELD && state->mode == FW_IPC_RWLOCK_NONE)
        state->mode = FW_IPC_RWLOCK_WRITE;
    return error;
}
