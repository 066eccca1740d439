/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <furwock/ipc/mutex.h>

#include "fixture.h"
#include "ipc/region/participant.h"
#include "test/support/robust_lists.h"
#include "unit.h"

/*
 * src/ipc/mutex.c: what is refused.  The rest: ipc_kill_mutex, ipc_hazards_lives,
 * contract.*.furwock-ipc, and fw-model (ipc-mutex).
 */

static fw_ipc_mutex *m;

static int make(void)
{
    need_robust_lists();
    fixture = fixture_make(8);
    m = fixture_object(&fixture, 0);
    return 0;
}

static uint64_t own_id(void)
{
    struct fw_ipc_me_ me;

    assert_int_equal(fw_ipc_enter_(m, &me), 0);
    return me.id;
}

static void *misuse_elsewhere(void *unused)
{
    fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at = {.tv_nsec = 1000000000}};

    assert_int_equal(fw_ipc_mutex_timedlock(m, &bad), EINVAL);
    assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
    return unused;
}

TEST(misuse_is_an_error)
{
    fw_ipc_mutex elsewhere = FW_IPC_MUTEX_INIT;
    fw_deadline bad = {.clock = CLOCK_MONOTONIC, .at = {.tv_nsec = -1}};
    fw_ipc_death death;
    pthread_t thread;

    assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
    assert_int_equal(fw_ipc_mutex_consistent(m), EPERM);
    assert_int_equal(fw_ipc_mutex_lock(m), 0);
    assert_int_equal(fw_ipc_mutex_lock(m), EDEADLK);
    assert_int_equal(fw_ipc_mutex_timedlock(m, &bad), EDEADLK);
    assert_int_equal(fw_ipc_mutex_trylock(m), EBUSY);
    assert_int_equal(fw_ipc_mutex_consistent(m), EINVAL);
    assert_int_equal(fw_ipc_mutex_death(m, &death), ENOENT);
    pthread_create(&thread, NULL, misuse_elsewhere, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(fw_ipc_mutex_unlock(m), 0);
    assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
    assert_int_equal(fw_ipc_mutex_lock(&elsewhere), EINVAL);
    assert_int_equal(fw_ipc_mutex_unlock(&elsewhere), EINVAL);
    assert_int_equal(fw_ipc_mutex_on_death(&elsewhere, NULL, NULL), EINVAL);
    assert_int_equal(fw_ipc_mutex_init((fw_ipc_mutex *)((char *)m + 4)), EINVAL);
}

TEST(words_that_cannot_be_are_left_alone)
{
    static const uint64_t words[] = {
        UINT64_C(1) << 32 | 9,       /* no such slot */
        UINT64_C(1) << 32,           /* a generation of no slot */
        UINT64_C(99) << 32 | 1,      /* a generation that has not been */
        UINT64_C(1) << 32 | 0x10001, /* an unknown flag */
        FW_IPC_WAITERS,
        FW_IPC_DIED,
    };

    own_id();
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        m->word_ = words[i];
        assert_int_equal(fw_ipc_mutex_lock(m), EUCLEAN);
        assert_int_equal(fw_ipc_mutex_trylock(m), EUCLEAN);
        assert_int_equal(fw_ipc_mutex_unlock(m), EPERM);
        assert_int_equal(m->word_, words[i]);
    }
}

UNIT_MAIN(make, fixture_end)
