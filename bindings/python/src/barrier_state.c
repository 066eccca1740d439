/* SPDX-License-Identifier: MIT */
/* One thread's wait at a barrier.  Contract: barrier_state.h; states: barrier_word.h. */
#include "barrier_state.h"

#include <errno.h>
#include <limits.h>

#include "barrier_word.h"

/* PYB2 */
static void repair(void *arg)
{
    struct fwpy_barrier *b = arg;

    if (phase_now(b) != BROKEN && b->failure_count != 0 &&
        *nth_failure(b, b->failure_count - 1) == round_now(b))
        fwpy_change(&b->word, low_word(round_now(b) + 1, BROKEN));
}

struct fwpy_guard fwpy_barrier_guard_(struct fwpy_barrier *b)
{
    return (struct fwpy_guard){&b->guard, repair, b};
}

/* Releases the guard. */
int fwpy_barrier_begin_(struct fwpy_barrier *b, uint32_t phase)
{
    struct fwpy_guard guard = fwpy_barrier_guard_(b);

    return fwpy_change_and_wake(&guard, fw_ipc_mapping_of_(b), &b->word,
                                low_word(round_now(b) + 1, phase), INT_MAX);
}

int fwpy_barrier_break_(struct fwpy_barrier *b)
{
    int error;

    note_failure(b);
    error = fwpy_barrier_begin_(b, BROKEN);
    return error == 0 ? EPIPE : error;
}

int fwpy_barrier_unlock_(struct fwpy_barrier *b, int result)
{
    int error = fw_ipc_mutex_unlock(&b->guard);

    return error == 0 ? result : error;
}

/* --- The parties ------------------------------------------------------------------------------ */

/*
 * Is its process dead?  If only its thread has ended, as far as can be told, the row may be taken
 * by another one; but a process that is being killed has dead threads before it is dead itself.
 */
static bool is_dead(struct fwpy_barrier *b, struct fwpy_party *p, struct fwpy_call *call)
{
    uint64_t holder = p->holder;

    if (holder == 0 || has_arrived(b, p))
        return false;
    if (p->process.pid == 0) /* known already */
        return true;
    if (fw_ipc_life_(call->me.mapping, holder) == FW_IPC_ALIVE)
        return false;
    if (fwpy_is_alive(call->me.mapping, &p->process, &holder)) {
        call->rechecks = true;
        return false;
    }
    p->process.pid = 0;
    fw_store64_relaxed(&b->deaths, b->deaths + 1);
    return true;
}

static uint32_t dead_count(struct fwpy_barrier *b, struct fwpy_call *call)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count_of(b); i++)
        n += is_dead(b, &b->parties[i], call);
    return n;
}

/* Which row may this thread arrive in?  Its own, a vacant one, a dead one's, anybody's. */
static struct fwpy_party *row_for(struct fwpy_barrier *b, const struct fwpy_call *call)
{
    struct fwpy_party *best = NULL;
    int best_rank = 0;

    for (uint32_t i = 0; i < count_of(b); i++) {
        struct fwpy_party *p = &b->parties[i];
        int rank = p->holder == call->me.id                                    ? 4
                   : has_arrived(b, p)                                         ? 0
                   : p->holder == 0                                            ? 3
                   : fw_ipc_life_(call->me.mapping, p->holder) != FW_IPC_ALIVE ? 2
                                                                               : 1;
        if (rank > best_rank) {
            best = p;
            best_rank = rank;
        }
    }
    return best;
}

static void watch_awaited(struct fwpy_barrier *b, struct fw_ipc_wait_ *wait,
                          const struct fwpy_call *call)
{
    uint32_t count = count_of(b), first = fw_ipc_wait_first_(wait, count);

    if (phase_now(b) == ACTION) {
        fw_ipc_wait_watch_(wait, b->runner);
        return;
    }
    for (uint32_t n = 0; n < count; n++) {
        const struct fwpy_party *p = &b->parties[(first + n) % count];
        if (p->holder != 0 && !has_arrived(b, p) &&
            fw_ipc_life_(call->me.mapping, p->holder) == FW_IPC_ALIVE)
            fw_ipc_wait_watch_(wait, p->holder);
    }
}

/* --- A wait ----------------------------------------------------------------------------------- */

static int sleep_later(struct fwpy_barrier *b, struct fwpy_call *call)
{
    if (call->wait != NULL) {
        fwpy_announce(call, &b->word);
        watch_awaited(b, call->wait, call);
    }
    return fwpy_barrier_unlock_(b, EAGAIN);
}

/* False: all rows have arrived, and this thread is one too many for the round. */
static bool arrive(struct fwpy_barrier_call *c, const struct fwpy_call *call)
{
    struct fwpy_barrier *b = c->b;
    struct fwpy_party *p = row_for(b, call);

    if (p == NULL)
        return false;
    c->index = arrived_count(b);
    c->round = round_now(b);
    c->me = call->me.id;
    if (p->holder != c->me) {
        fw_store64_release(&p->holder, 0);
        p->process = fwpy_this_process();
        p->arrived = 0;
        fw_store64_release(&p->holder, c->me);
    }
    fw_store64_release(&p->arrived, (uint64_t)c->round + 1); /* PYB1 */
    c->has_arrived = true;
    return true;
}

static bool has_living_waiter(const struct fwpy_barrier *b, const struct fwpy_call *call)
{
    for (uint32_t i = 0; i < count_of(b); i++)
        if (has_arrived(b, &b->parties[i]) &&
            fw_ipc_life_(call->me.mapping, b->parties[i].holder) == FW_IPC_ALIVE)
            return true;
    return false;
}

/* The runner died in the action: another one runs it, if the barrier goes on. */
static int without_runner(struct fwpy_barrier_call *c, struct fwpy_call *call)
{
    struct fwpy_barrier *b = c->b;

    if (!b->goes_on)
        return fwpy_barrier_break_(b);
    if (c->has_arrived) {
        fw_store64_release(&b->runner, c->me);
        return fwpy_barrier_unlock_(b, EINPROGRESS);
    }
    if (has_living_waiter(b, call)) { /* it will */
        fwpy_announce(call, &b->word);
        call->rechecks = true;
        return fwpy_barrier_unlock_(b, EAGAIN);
    }
    call->word = NULL;
    return fwpy_barrier_begin_(b, OPEN) == 0 ? EAGAIN : EUCLEAN;
}

/* All that are awaited have arrived. */
static int complete(struct fwpy_barrier_call *c)
{
    struct fwpy_barrier *b = c->b;

    if (!c->has_action)
        return fwpy_barrier_begin_(b, OPEN);
    fw_store64_release(&b->runner, c->me);
    fwpy_change(&b->word, low_word(c->round, ACTION));
    return fwpy_barrier_unlock_(b, EINPROGRESS);
}

static int step(void *arg, struct fwpy_call *call)
{
    struct fwpy_barrier_call *c = arg;
    struct fwpy_barrier *b = c->b;
    struct fwpy_guard guard = fwpy_barrier_guard_(b);
    uint32_t dead;
    int error = fwpy_guard_lock(&guard, call);

    if (error != 0)
        return error;
    if (c->has_arrived && round_now(b) != c->round) /* PYB3 */
        return fwpy_barrier_unlock_(b, has_failed(b, c->round) ? EPIPE : 0);
    if (phase_now(b) == BROKEN)
        return fwpy_barrier_unlock_(b, EPIPE);
    if (phase_now(b) == ACTION) {
        if (fw_ipc_life_(call->me.mapping, b->runner) == FW_IPC_ALIVE)
            return sleep_later(b, call);
        return without_runner(c, call);
    }
    if (!c->has_arrived && !arrive(c, call))
        return sleep_later(b, call);
    dead = dead_count(b, call);
    if (dead != 0 && !b->goes_on)
        return fwpy_barrier_break_(b);
    if (arrived_count(b) + dead == count_of(b))
        return complete(c);
    return sleep_later(b, call);
}

/* For a thread that has arrived: how its round ended; EAGAIN: it has not, and the guard is held. */
static int outcome(struct fwpy_barrier_call *c)
{
    if (c->has_arrived && round_now(c->b) != c->round)
        return fwpy_barrier_unlock_(c->b, has_failed(c->b, c->round) ? EPIPE : 0);
    return phase_now(c->b) == BROKEN ? fwpy_barrier_unlock_(c->b, EPIPE) : EAGAIN;
}

/* The same for one that has no guard yet. */
static int guarded_outcome(struct fwpy_barrier_call *c)
{
    struct fwpy_guard guard = fwpy_barrier_guard_(c->b);
    int error = fwpy_guard_lock_now(&guard);

    return error == 0 ? outcome(c) : error;
}

int fwpy_barrier_time_out(struct fwpy_barrier_call *c)
{
    int error = guarded_outcome(c);

    if (error != EAGAIN)
        return error;
    error = fwpy_barrier_break_(c->b);
    return error == EPIPE ? ETIMEDOUT : error;
}

int fwpy_barrier_wait(struct fwpy_barrier_call *c, const fw_deadline *deadline)
{
    return fwpy_wait_until(c->b, step, c, deadline);
}

int fwpy_barrier_finish(struct fwpy_barrier_call *c, bool has_succeeded)
{
    int error = guarded_outcome(c);

    if (error != EAGAIN)
        return error;
    return has_succeeded ? fwpy_barrier_begin_(c->b, OPEN) : fwpy_barrier_break_(c->b);
}

int fwpy_barrier_give_up(struct fwpy_barrier_call *c)
{
    struct fwpy_barrier *b = c->b;
    struct fwpy_guard guard = fwpy_barrier_guard_(b);
    int error = fwpy_guard_lock_now(&guard);

    if (error == 0)
        error = outcome(c);
    if (error != EAGAIN)
        return error;
    for (uint32_t i = 0; i < count_of(b) && phase_now(b) == OPEN; i++)
        if (b->parties[i].holder == c->me)
            fw_store64_release(&b->parties[i].arrived, 0);
    return fwpy_barrier_unlock_(b, 0);
}
