/* SPDX-License-Identifier: MIT */
#include "tests.h"

#include <errno.h>
#include <sys/syscall.h>

#include "sys/release.h"

/*
 * A kernel that does not help, or no longer: variants
 *   NEVER_HELPS      membarrier is refused before the library is loaded (a filter, then exec)
 *   HELPS_NO_LONGER  membarrier is refused after the library has begun to rely on it
 *   NO_RSEQ          the C library registers no restartable sequences (a tunable, then exec)
 * The locks must work as ever.
 */

enum { N_LOCKS = 2 };

static struct guarded locks[N_LOCKS];

static bool releases_plainly(void)
{
    for (int i = 0; i < 100; i++) {
        uint64_t state = 0x101;

        if (fw_release_plain_(&state, 0x101))
            return true;
    }
    return false;
}

/* Mixed use with real sleeps, so that an overlooked waiter would be one forever. */
static void body(struct worker *me)
{
    do {
        struct guarded *g = &locks[draw(me, 3) == 0];
        fw_deadline soon = in_ns(draw(me, 200000));

        did_a_turn(me);
        if (draw(me, 4) == 0) {
            if (fw_mutex_timedlock(&g->lock, &soon) != 0)
                continue;
        } else {
            fw_mutex_lock(&g->lock);
        }
        use(g);
        if (draw(me, 32) == 0)
            sleep_us(draw(me, 100));
        release(me, g, 4);
        if (draw(me, 64) == 0)
            sleep_us(draw(me, 200));
    } while (!stress_is_over());
}

/* Brings the process into the state of the variant, or returns an exit status. */
static int begin(void)
{
    int status;

    if (stress_test->variant == HELPS_NO_LONGER) {
        bool relied = releases_plainly();

        if (!refuse_system_call(SYS_membarrier, EPERM))
            return SKIPPED;
        if (relied && fw_release_fence_() == 0)
            stress_fail("the fence says that it worked", NULL);
        return 0;
    }
    status = restart_without_help(stress_test->variant);
    if (status != 0)
        return status;
    if (releases_plainly())
        stress_fail("releases plainly where the kernel does not help", NULL);
    if (fw_release_fence_() != 0)
        stress_fail("the fence fails where nobody needs it", NULL);
    return 0;
}

#define COMMON .begin = begin, .locks = locks, .n_locks = N_LOCKS

const struct stress_test refused_tests[] = {
    {"refused", "A kernel that helps no longer", body, 40000, COMMON, .variant = HELPS_NO_LONGER},
    {"refused_early", "A kernel that never helps", body, 40000, COMMON, .variant = NEVER_HELPS},
    {"refused_no-rseq", "A C library that does not help", body, 40000, COMMON, .variant = NO_RSEQ},
    {0}};
