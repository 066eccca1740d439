/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "bench/adapters/adapter.h"
#include "bench/classics/word.h"
#include "test/support/child.h"
#include "test/support/unit.h"

/*
 * The classics' futex calls: private between threads, as those of the locks that they are compared
 * with; process-shared between processes, and in the forms called -pshared (Franke, Russell and
 * Kirkwood, OLS 2002, section 3.1.1: a futex is a page and an offset, whoever uses it).
 */
extern const struct adapter adapter_usema, adapter_futex, adapter_futex_fair, adapter_ulock,
    adapter_ulock_fair, adapter_futex_spin3, adapter_futex_fair_spin3, adapter_ulock_spin3,
    adapter_ulock_fair_spin3, adapter_futex_random, adapter_smpl, adapter_gustedt,
    adapter_gustedt_text, adapter_musl, adapter_drepper, adapter_futex_pshared,
    adapter_futex_fair_pshared, adapter_ulock_pshared, adapter_ulock_fair_pshared;

static const struct adapter *const plain[] = {
    &adapter_usema,
    &adapter_futex,
    &adapter_futex_fair,
    &adapter_ulock,
    &adapter_ulock_fair,
    &adapter_futex_spin3,
    &adapter_futex_fair_spin3,
    &adapter_ulock_spin3,
    &adapter_ulock_fair_spin3,
    &adapter_futex_random,
    &adapter_smpl,
    &adapter_gustedt,
    &adapter_gustedt_text,
    &adapter_musl,
    &adapter_drepper,
};

static const struct adapter *const always_shared[] = {
    &adapter_futex_pshared,
    &adapter_futex_fair_pshared,
    &adapter_ulock_pshared,
    &adapter_ulock_fair_pshared,
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

enum { WORDS = 8 };

struct fixture {
    uint32_t lock[WORDS];
    const struct adapter *a;
};

static void lock(void *arg)
{
    struct fixture *f = arg;
    f->a->lock(f->lock);
}

/* Whether a process-shared wake meets somebody who sleeps at a lock that was made so. */
static bool meets(const struct adapter *a, bool shared)
{
    struct fixture *f = share(sizeof *f);
    uint32_t met = 0;

    assert_true(a->size <= sizeof f->lock);
    f->a = a;
    assert_int_equal(a->init(f->lock, shared), 0);
    a->lock(f->lock);
    pid_t waiter = start_asleep(lock, f);
    for (int i = 0; i < WORDS; i++)
        met += word_wake(&f->lock[i], FW_FUTEX_ALL, CLASSIC_SHARED);
    kill_and_wait(waiter);
    return met != 0;
}

TEST(private_between_threads)
{
    for (size_t i = 0; i < COUNT(plain); i++)
        if (meets(plain[i], false))
            fail_msg("%s", plain[i]->name);
}

TEST(shared_between_processes)
{
    for (size_t i = 0; i < COUNT(plain); i++)
        if (!meets(plain[i], true))
            fail_msg("%s", plain[i]->name);
}

TEST(shared_in_any_case)
{
    for (size_t i = 0; i < COUNT(always_shared); i++)
        if (!meets(always_shared[i], false) || !meets(always_shared[i], true))
            fail_msg("%s", always_shared[i]->name);
}

UNIT_MAIN(NULL, NULL)
