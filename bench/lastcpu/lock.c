/* SPDX-License-Identifier: MIT */
#include <furwock/bits/self.h>
#include <furwock/futex.h>

#include "lastcpu.h"
#include "measure/clock.h"
#include "sys/clock.h"
#include "sys/last_cpu.h"

#define SLEEPERS (UINT32_C(1) << 31)

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* 0 -> mine. */
static bool take(struct lock *l, uint32_t mine)
{
    uint32_t nobody = 0;

    return load(&l->word) == 0 && __atomic_compare_exchange_n(&l->word, &nobody, mine, false,
                                                              __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* A step of the clock that is longer than this was spent off the CPU. */
#define GAP_NS 2000u

/* Polls for the budget, of the waiter's own time.  True if the lock is taken.  Counts in *t. */
static bool poll(struct lock *l, uint32_t mine, struct tally *t)
{
    uint64_t last = clock_ns(), polled = 0, told_at = 0;
    bool told = false, taken = false;

    fw_last_cpu_join_();
    do {
        uint64_t now;

        if (!told && fw_last_cpu_is_mine_(load(&l->word) & ~SLEEPERS)) {
            told = true;
            told_at = polled;
            if (l->way == ASK)
                break;
        }
        fw_pause_();
        taken = take(l, mine);
        now = clock_ns();
        polled += now - last < GAP_NS ? now - last : 0;
        last = now;
    } while (!taken && polled < l->budget_ns);
    t->polls[told]++;
    t->failed[told] += taken ? 0 : 1;
    t->ns += polled;
    t->vain_ns += taken ? 0 : polled;
    t->told_at_once += told && told_at == 0 ? 1 : 0;
    t->after_ns += told ? polled - told_at : 0;
    return taken;
}

void lock_take(struct lock *l, struct tally *t)
{
    uint32_t tid = fw_self_() >> FW_ID_SHIFT, mine = tid;

    t->acquisitions++;
    if (take(l, mine))
        return;
    t->waits++;
    fw_last_cpu_join_();
    for (;;) {
        uint32_t seen;

        if (l->way != BLOCK && poll(l, mine, t))
            return;
        seen = load(&l->word);
        mine = tid | SLEEPERS; /* from now on there may be others */
        if (seen == 0) {
            if (take(l, mine))
                return;
        } else if ((seen & SLEEPERS) != 0 ||
                   __atomic_compare_exchange_n(&l->word, &seen, seen | SLEEPERS, false,
                                               __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
            fw_futex_wait(&l->word, seen | SLEEPERS, FW_FUTEX_PRIVATE, NULL);
        }
    }
}

void lock_release(struct lock *l)
{
    if ((__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) & SLEEPERS) != 0)
        fw_futex_wake(&l->word, 1, FW_FUTEX_PRIVATE);
}
