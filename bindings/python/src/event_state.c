/* SPDX-License-Identifier: MIT */
/*
 * An event between processes.
 *
 *   bit   63   62 ..... 32   31        30 ... 1   0
 *         0    changes       WAITERS   cleared    SET
 *
 * word            meaning                     left by
 * --------------  --------------------------  ---------------------------------------------------
 * c               not set; cleared c times    set: -> c, SET, and wakes all
 * c, WAITERS      and threads may sleep       the same
 * c, SET          set                         clear: -> c + 1
 *
 * WAITERS stays when a set wakes the sleepers: legal (ipc/announce.h), one needless wake.
 *
 * PYE1  Each operation is one compare-and-swap: a process that is killed has set the event or not.
 *      The wake that it owes then is given by the kernel (PYW1).
 * PYE2  A waiter that finds another number of clears than when it began was woken by a set between.
 */
#include "event_state.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>

#include "waiting.h"

#define SET UINT64_C(1)
#define CLEARED UINT64_C(0x7ffffffe)
#define ONE_CLEAR UINT64_C(2)

int fwpy_event_set(struct fwpy_event *e)
{
    const struct fw_ipc_mapping_ *mapping = fw_ipc_mapping_of_(e);
    uint64_t w = fw_load64_relaxed(&e->word), next;
    struct fw_robust_ debt;

    if (mapping == NULL)
        return EINVAL;
    fw_ipc_debt_begin_(&debt, mapping);
    do { /* c -> c, SET; release, also if it is set already: what came before is seen by waiters */
        next = fw_ipc_changed_(w | SET);
    } while (!fw_cas64_acq_rel(&e->word, &w, next));
    if (fw_ipc_has_waiters_(next))
        fw_ipc_wake_announced_(&e->word, next, INT_MAX);
    fw_ipc_debt_end_(&debt);
    return 0;
}

void fwpy_event_clear(struct fwpy_event *e)
{
    uint64_t w = fw_load64_relaxed(&e->word), next;

    do {
        if ((w & SET) == 0)
            return;
        next = (w & ~(SET | CLEARED)) | ((w + ONE_CLEAR) & CLEARED);
    } while (!fw_cas64_acq_rel(&e->word, &w, fw_ipc_changed_(next))); /* c, SET -> c + 1 */
}

static int step(void *arg, struct fwpy_call *call)
{
    const struct fwpy_event_waiter *c = arg;
    uint64_t w = fw_load64_acquire(&c->event->word);

    if ((w & SET) != 0 || (w & CLEARED) != c->cleared)
        return 0;
    fwpy_announce(call, &c->event->word);
    /* set since, in the word that is about to be compared: PYE2 */
    return (call->expected & (SET | CLEARED)) == c->cleared ? EAGAIN : 0;
}

struct fwpy_event_waiter fwpy_event_begin(struct fwpy_event *e)
{
    return (struct fwpy_event_waiter){e, fw_load64_acquire(&e->word) & CLEARED};
}

int fwpy_event_wait(struct fwpy_event_waiter *w, const fw_deadline *deadline)
{
    return fwpy_event_is_set(w->event) ? 0 : fwpy_wait_until(w->event, step, w, deadline);
}
