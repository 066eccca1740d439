/* SPDX-License-Identifier: MIT */
/* How Python's synchronisation objects wait.  Contract: waiting.h. */
#include "waiting.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#include "fwpy.h"

#define SECOND_NS 1000000000

/* How much longer than its deadline a call waits for a guard: held that long only if its holder is
 * stopped. */
#define GUARD_GRACE_NS 100000000

static fw_deadline later(const fw_deadline *d, long ns)
{
    fw_deadline end = *d;

    end.at.tv_nsec += ns;
    if (end.at.tv_nsec >= SECOND_NS) {
        end.at.tv_nsec -= SECOND_NS;
        end.at.tv_sec++;
    }
    return end;
}

static fw_deadline in(long ns)
{
    fw_deadline now = {.clock = CLOCK_MONOTONIC};

    clock_gettime(CLOCK_MONOTONIC, &now.at);
    return later(&now, ns);
}

static bool is_before(const fw_deadline *a, const fw_deadline *b)
{
    return a->at.tv_sec < b->at.tv_sec ||
           (a->at.tv_sec == b->at.tv_sec && a->at.tv_nsec < b->at.tv_nsec);
}

/* --- The guard -------------------------------------------------------------------------------- */

static int after_guard(const struct fwpy_guard *guard, int error)
{
    if (error != EOWNERDEAD)
        return error;
    guard->repair(guard->arg);
    return fw_ipc_mutex_consistent(guard->mutex);
}

int fwpy_guard_lock(const struct fwpy_guard *guard, const struct fwpy_call *call)
{
    fw_deadline end;
    int error;

    if (call->wait == NULL) {
        error = after_guard(guard, fw_ipc_mutex_trylock(guard->mutex));
        return error == EBUSY ? EINPROGRESS : error;
    }
    if (call->deadline == NULL)
        return fwpy_guard_lock_now(guard);
    error = fw_ipc_mutex_trylock(guard->mutex);
    if (error == EBUSY) {
        fw_deadline soon = in(GUARD_GRACE_NS);
        end = later(call->deadline, GUARD_GRACE_NS);
        error = fw_ipc_mutex_timedlock(guard->mutex, is_before(&end, &soon) ? &soon : &end);
    }
    return after_guard(guard, error);
}

int fwpy_guard_lock_now(const struct fwpy_guard *guard)
{
    return after_guard(guard, fw_ipc_mutex_lock(guard->mutex));
}

/* --- The word --------------------------------------------------------------------------------- */

void fwpy_announce(struct fwpy_call *call, uint64_t *word)
{
    uint64_t w = fw_load64_relaxed(word), announced;

    do
        announced = fw_ipc_changed_(w | FW_IPC_WAITERS);
    while (!fw_cas64_acq_rel(word, &w, announced)); /* w -> w, WAITERS */
    call->word = fw_ipc_half_(word);
    call->expected = (uint32_t)announced;
}

uint64_t fwpy_change(uint64_t *word, uint32_t low)
{
    uint64_t w = fw_load64_relaxed(word), next;

    do
        next = fw_ipc_changed_((w & ~UINT64_C(0x7fffffff)) | low);
    while (!fw_cas64_acq_rel(word, &w, next));
    return next;
}

int fwpy_change_and_wake(const struct fwpy_guard *guard, const struct fw_ipc_mapping_ *mapping,
                         uint64_t *word, uint32_t low, unsigned n)
{
    struct fw_robust_ debt;
    uint64_t w;
    int error;

    fw_ipc_debt_begin_(&debt, mapping);
    w = fwpy_change(word, low);
    error = fw_ipc_mutex_unlock(guard->mutex);
    if (fw_ipc_has_waiters_(w))
        fw_ipc_wake_announced_(word, w, n);
    fw_ipc_debt_end_(&debt);
    return error;
}

/* --- The loop --------------------------------------------------------------------------------- */

/* A thread that must re-check does not sleep for longer than that. */
static int sleep_shortly(const struct fwpy_call *call)
{
    const fw_deadline *end = call->deadline;
    fw_deadline recheck = in(FWPY_RECHECK_NS);
    bool is_last = end != NULL && is_before(end, &recheck);
    struct fw_ipc_wait_ wait;
    int error = fw_ipc_wait_begin_(&wait, &call->me, call->word, FW_IPC_WAITS_ELSE, NULL,
                                   is_last ? end : &recheck);

    if (error != 0)
        return error;
    error = fw_ipc_wait_sleep_(&wait, call->word, call->expected);
    fw_ipc_wait_pass_on_(&wait);
    fw_ipc_wait_end_(&wait);
    return is_last ? error : 0;
}

static int sleep_once(const struct fwpy_call *call)
{
    return call->rechecks ? sleep_shortly(call)
                          : fw_ipc_wait_sleep_(call->wait, call->word, call->expected);
}

static int loop(fwpy_step *step, void *arg, struct fwpy_call *call)
{
    int error;

    for (;;) {
        call->rechecks = false;
        call->word = NULL;
        error = step(arg, call);
        if (error != EAGAIN)
            return error;
        if (call->word != NULL && sleep_once(call) == ETIMEDOUT)
            break;
    }
    error = step(arg, call); /* what came with the deadline is not refused */
    return error == EAGAIN ? ETIMEDOUT : error;
}

int fwpy_wait_until(const void *object, fwpy_step *step, void *arg, const fw_deadline *deadline)
{
    struct fw_ipc_wait_ wait;
    struct fwpy_call call = {.deadline = deadline, .wait = &wait};
    int error = fw_ipc_enter_(object, &call.me);

    if (error == 0)
        error = fw_ipc_wait_begin_(&wait, &call.me, object, FW_IPC_WAITS_ELSE,
                                   &fwpy_until_signal.policy, deadline);
    if (error != 0)
        return error;
    error = loop(step, arg, &call);
    fw_ipc_wait_pass_on_(&wait);
    return fw_ipc_wait_finish_(&wait, error);
}

int fwpy_try(const void *object, fwpy_step *step, void *arg)
{
    struct fwpy_call call = {.wait = NULL};
    int error = fw_ipc_enter_(object, &call.me);

    if (error != 0)
        return error;
    error = step(arg, &call);
    return error == EAGAIN ? EBUSY : error;
}
