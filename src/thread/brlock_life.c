/* SPDX-License-Identifier: MIT */
/* Creates and destroys a big-reader lock.  Contract: furwock/brlock.h.  Protocol: brlock.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <furwock/bits/atomic.h>
#include <furwock/bits/self.h>
#include <furwock/brlock.h>

#include "core/linkable.h"
#include "core/recheck.h"
#include "sys/clock.h"
#include "sys/cpu_count.h"
#include "sys/fork.h"
#include "sys/panic.h"
#include "sys/percpu.h"
#include "sys/thread.h"
#include "thread/brlock_lines.h"

/* Enough that threads which run at the same time seldom share one. */
static uint32_t stripes_wanted(void)
{
    uint32_t n = 1;

    while (n < 2 * fw_cpu_count_() && n < BRLOCK_STRIPES_MAX)
        n *= 2;
    return n;
}

int fw_brlock_init(fw_brlock *l)
{
    uint32_t counters = fw_percpu_count_();
    uint32_t stripes = counters != 0 ? 1 : stripes_wanted();
    size_t size = sizeof *l->lines_ + ((size_t)stripes + counters) * FW_PERCPU_STRIDE;
    struct fw_brlock_lines_ *lines = aligned_alloc(FW_PERCPU_STRIDE, size);

    memset(l, 0, sizeof *l);
    if (lines == NULL)
        return ENOMEM;
    memset(lines, 0, size);
    lines->stripes = stripes;
    lines->generation = fw_fork_generation_();
    l->counters_ = counters;
    l->lines_ = lines;
    l->owner_ = sharing(l);
    return 0;
}
FW_LINKABLE_(fw_brlock_init);

/*
 * Is a writer inside?  One that releases the lock opens the stripes from the first to the last, and
 * then clears the owner (BR1): a reader that came in through a stripe, and destroys the lock, may
 * still find an owner, but not the first stripe CLOSED.
 */
static bool is_written(const fw_brlock *l)
{
    return brlock_is_closed(fw_load32_relaxed(&l->owner_)) &&
           (fw_load32_acquire(&l->lines_->stripe[0].word) & BRLOCK_CLOSED) != 0;
}

/*
 * Takes the writers' mutex.  Waits for a writer that is leaving and still has it (BR5).  EBUSY: a
 * writer is inside; or its owner does not exist in this child of a fork.
 */
static int keep_writers_out(fw_brlock *l)
{
    while (!is_written(l)) {
        fw_deadline soon = fw_deadline_in_(CLOCK_MONOTONIC, FW_RECHECK_LEAVING_NS);

        if (fw_mutex_trylock(&l->lines_->writers) == 0)
            return 0;
        if (l->lines_->generation != fw_fork_generation_())
            return EBUSY;
        if (fw_mutex_timedlock(&l->lines_->writers, &soon) == 0)
            return 0;
    }
    return EBUSY;
}

int fw_brlock_trydestroy(fw_brlock *l)
{
    bool is_held;

    if (keep_writers_out(l) != 0)
        return EBUSY;
    is_held = brlock_is_closed(fw_load32_relaxed(&l->owner_)) || brlock_is_read(l);
    fw_mutex_unlock(&l->lines_->writers);
    if (is_held)
        return EBUSY;
    free(l->lines_);
    memset(l, 0, sizeof *l);
    return 0;
}

void fw_brlock_destroy(fw_brlock *l)
{
    uint32_t closer;

    if (fw_brlock_trydestroy(l) == 0)
        return;
    closer = brlock_owner_of(fw_load32_relaxed(&l->owner_));
    if (closer == 0)
        fw_panic_("read-write lock destroyed while it is read", l, fw_self_(), 0);
    fw_panic_(closer == fw_self_() ? "read-write lock destroyed by its owner"
                                   : "read-write lock destroyed while it is held for writing",
              l, fw_self_(), closer);
}
