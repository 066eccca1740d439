/* SPDX-License-Identifier: MIT */
/* What is done to a whole barrier.  Contract: barrier_state.h; states: barrier_word.h. */
#include "barrier_state.h"

#include <errno.h>

#include "barrier_word.h"

size_t fwpy_barrier_size(uint32_t parties)
{
    if (parties == 0 || parties > FWPY_BARRIER_MAX)
        return 0;
    return sizeof(struct fwpy_barrier) + parties * sizeof(struct fwpy_party);
}

void fwpy_barrier_init(struct fwpy_barrier *b, uint32_t parties, bool goes_on)
{
    b->magic = FWPY_BARRIER_MAGIC;
    b->party_count = parties;
    b->goes_on = goes_on;
}

int fwpy_barrier_abort(struct fwpy_barrier *b)
{
    struct fwpy_guard guard = fwpy_barrier_guard_(b);
    int error = fwpy_guard_lock_now(&guard);

    if (error != 0 || phase_now(b) == BROKEN)
        return error != 0 ? error : fwpy_barrier_unlock_(b, 0);
    error = fwpy_barrier_break_(b);
    return error == EPIPE ? 0 : error;
}

/* The others stay parties: if one of them dies before it arrives again, that is noticed. */
static void vacate_dead(struct fwpy_barrier *b)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(b);

    for (uint32_t i = 0; i < count_of(b); i++) {
        struct fwpy_party *p = &b->parties[i];
        if (p->holder != 0 && fw_ipc_life_(mapping, p->holder) != FW_IPC_ALIVE)
            fw_store64_release(&p->holder, 0);
    }
}

int fwpy_barrier_reset(struct fwpy_barrier *b)
{
    struct fwpy_guard guard = fwpy_barrier_guard_(b);
    int error = fwpy_guard_lock_now(&guard);

    if (error != 0)
        return error;
    if (phase_now(b) != BROKEN && arrived_count(b) != 0) {
        note_failure(b); /* from here on it is broken if this thread dies: PYB2 */
        vacate_dead(b);
        return fwpy_barrier_begin_(b, OPEN);
    }
    vacate_dead(b);
    fwpy_change(&b->word, low_word(round_now(b), OPEN));
    return fwpy_barrier_unlock_(b, 0);
}

/* Vacates the rows of this holder, or of this process, that have not arrived. */
static int leave(struct fwpy_barrier *b, uint64_t holder, const struct fwpy_process *process)
{
    struct fwpy_guard guard = fwpy_barrier_guard_(b);
    int error = fwpy_guard_lock_now(&guard);

    if (error != 0)
        return error;
    for (uint32_t i = 0; i < count_of(b); i++) {
        struct fwpy_party *p = &b->parties[i];
        if (p->holder != 0 && !has_arrived(b, p) &&
            (process != NULL ? fwpy_is_process(&p->process, process) : p->holder == holder))
            fw_store64_release(&p->holder, 0);
    }
    return fwpy_barrier_unlock_(b, 0);
}

int fwpy_barrier_leave(struct fwpy_barrier *b)
{
    struct fw_ipc_me_ me;
    int error = fw_ipc_enter_(b, &me);

    return error == 0 ? leave(b, me.id, NULL) : error;
}

int fwpy_barrier_leave_process(struct fwpy_barrier *b)
{
    struct fwpy_process me = fwpy_this_process();

    return leave(b, 0, &me);
}

bool fwpy_barrier_is_broken(const struct fwpy_barrier *b)
{
    return phase_now(b) == BROKEN;
}

uint32_t fwpy_barrier_waiting(const struct fwpy_barrier *b)
{
    return phase_now(b) == OPEN ? arrived_count(b) : 0;
}
