/* SPDX-License-Identifier: MIT */
/*
 * Antagonists: other programs that want CPUs, too.  They are processes, so that what they use
 * is not counted with what the threads under test use, and that they share nothing with them.
 */
#include <errno.h>

#include "lockmix.h"
#include "measure/clock.h"
#include "measure/workers.h"

enum {
    PERIOD_US = 10000, /* of one that rests in between: a few of the kernel's time slices */
    US = 1000          /* nanoseconds */
};

static void hog(unsigned index, void *arg)
{
    unsigned duty = *(const unsigned *)arg;
    uint64_t work = work_steps((double)PERIOD_US * US * duty / PER_CENT);
    uint64_t rest = (uint64_t)PERIOD_US * US * (PER_CENT - duty) / PER_CENT;

    (void)index;
    for (;;) {
        work_do(work);
        if (rest > 0)
            clock_sleep_ns(rest);
    }
}

struct worker_group *hogs_start(unsigned n, unsigned duty)
{
    struct worker_group *hogs = workers_start(n, WORKER_PROCESSES, hog, &duty);

    if (hogs != NULL)
        workers_go(hogs);
    return hogs;
}

void hogs_end(struct worker_group *hogs)
{
    workers_kill(hogs);
    workers_join(hogs);
}
